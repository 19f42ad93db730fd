# SPDX-License-Identifier: Apache-2.0
"""A cache folder in which something else stands in place of a file, and the commands on such folders."""

import os
import shutil
import subprocess
import sys

import cache_programs as programs
import pytest

PROGRAM = """
@asc.jit
def kern(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, 7)


print([launch(kern), counts("compiled", "disk_hits")])
"""


def command(cache, name):
    return subprocess.run(
        [sys.executable, "-m", "asc", "cache", name],
        env=dict(os.environ, PYASC_CACHE_DIR=str(cache), PYTHONPATH=str(programs.TREE)),
        capture_output=True,
        text=True,
        timeout=programs.SECONDS,
        check=False,
    )


@pytest.fixture
def stored(tmp_path):
    program = programs.write(tmp_path / "program.py", PROGRAM)
    cache = tmp_path / "cache"
    assert programs.run(program, cache) == [7, [1, 0]]
    assert programs.run(program, cache) == [7, [0, 1]]
    return program, cache


def full_folder(path):
    (path / "deep" / "er").mkdir(parents=True)
    (path / "deep" / "file").write_text("x", encoding="utf-8")


def empty_folder(path):
    path.mkdir()


def loop(path):
    path.symlink_to(path.name)


def outside(path):
    target = next(parent for parent in path.parents if parent.name == "cache").parent / "outside"
    if not target.exists():
        full_folder(target)
    path.symlink_to(target)


OTHERS = [full_folder, empty_folder, loop, outside, os.mkfifo]


@pytest.mark.parametrize("make", OTHERS)
@pytest.mark.parametrize("what", ["files", "index.sqlite3", "index.sqlite3-journal"])
def test_something_else_in_place_of_a_file_is_replaced(stored, make, what):
    program, cache = stored
    for path in programs.files(cache) if what == "files" else [cache / what]:
        path.unlink(missing_ok=True)
        make(path)
    if what != "files":  # stored is what makes the index anew
        for path in programs.files(cache):
            path.unlink()
    assert programs.run(program, cache) == [7, [1, 0]]
    assert programs.run(program, cache) == [7, [0, 1]]
    assert all(path.is_file() for path in programs.files(cache))
    if what == "index.sqlite3":
        assert (cache / what).is_file() and not (cache / what).is_symlink()
    assert make is not outside or (cache.parent / "outside" / "deep" / "file").exists()


@pytest.mark.parametrize("name", ["verify", "clear"])
def test_commands_remove_a_folder_in_place_of_a_file(stored, name):
    _, cache = stored
    for path in programs.files(cache):
        path.unlink()
        full_folder(path)
    done = command(cache, name)
    assert done.returncode == (1 if name == "verify" else 0), done
    assert not programs.files(cache)


def test_a_file_in_place_of_a_folder_of_objects(stored):
    program, cache = stored
    for folder in {path.parent for path in programs.files(cache)}:
        shutil.rmtree(folder)
        folder.write_text("x", encoding="utf-8")
    assert programs.run(program, cache) == [7, [1, 0]]
    assert programs.run(program, cache) == [7, [0, 1]]


def test_the_limit_holds_without_an_index(tmp_path):
    cache = tmp_path / "cache"
    limit = 6000
    for value in range(8):
        program = programs.write(tmp_path / "program.py", PROGRAM.replace("0, 7", f"0, {value}"))
        assert programs.run(program, cache, PYASC_CACHE_MAX_BYTES=str(limit))[0] == value
        (cache / "index.sqlite3").unlink(missing_ok=True)
    assert len(programs.files(cache)) < 16
    assert 0 < sum(path.stat().st_size for path in programs.files(cache)) <= limit


def test_a_relative_folder_stays_where_it_is(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    program = programs.write(tmp_path / "program.py", "import os\nos.chdir('elsewhere')\n" + PROGRAM)
    environment = dict(os.environ, PYASC_CACHE_DIR="cache", PYTHONPATH=str(programs.TREE))
    subprocess.run([sys.executable, str(program)], env=environment, cwd=tmp_path, check=True)
    assert len(programs.files(tmp_path / "cache")) == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_commands_on_what_is_no_cache(tmp_path):
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    for name in ("ls", "stats", "verify", "clear"):
        done = command(tmp_path / "missing", name)
        assert done.returncode == (0 if name in ("ls", "stats") else 1), done
        for wrong in (file, "/proc"):
            done = command(wrong, name)
            assert done.returncode == 1 and "is not a folder" in done.stderr, done
    assert file.read_text(encoding="utf-8") == "x"
