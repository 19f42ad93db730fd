# SPDX-License-Identifier: Apache-2.0
"""The kernel cache when things go wrong: killed writers, damaged files, folders that cannot be written, many
processes at once, two builds. Slower at worst: results are right, and the cache works again afterwards."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys

import cache_programs as programs
import pytest

import asc

PROGRAM = """
@asc.jit
def kern(out: asc.GlobalAddress, N: asc.ConstExpr[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, N * 3)


count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
results = [launch(kern, n) for n in range(count)]
assert results == [3 * n for n in range(count)], results
asc._asc.cache_drain()
print(counts("compiled", "disk_hits", "stored", "failed"))
"""


@pytest.fixture
def program(tmp_path):
    return programs.write(tmp_path / "program.py", PROGRAM)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def works_again(program, cache, count=4):
    """Compiles what is missing, and finds all of it in the next process."""
    first = programs.run(program, cache, count)
    assert first[0] + first[1] == count and first[3] == 0
    assert programs.run(program, cache, count) == [0, count, 0, 0]


@pytest.mark.parametrize("step", ["open", "write", "sync", "rename", "index", "done"])
def test_a_writer_killed_at_a_step(program, cache, step):
    killed = programs.run(program, cache, check=False, PYASC_TEST_CACHE_FAULT=f"kill:{step}")
    assert killed.returncode == -signal.SIGKILL
    works_again(program, cache)


@pytest.mark.parametrize("step", ["open", "write", "sync", "rename", "index"])
def test_a_step_that_fails(program, cache, step):
    got = programs.run(program, cache, PYASC_TEST_CACHE_FAULT=f"fail:{step}")
    assert got[:2] == [4, 0]
    assert got[3] == (0 if step == "index" else 4)
    assert not list(cache.glob("objects/??/.writing-*"))
    works_again(program, cache)


def damage_half(path, rng):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_bit(path, rng):
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def damage_empty(path, rng):
    path.write_bytes(b"")


def damage_foreign(path, rng):
    path.write_bytes(rng.randbytes(5000))


@pytest.mark.parametrize("damage", [damage_half, damage_bit, damage_empty, damage_foreign])
def test_damaged_files(program, cache, damage, seed):
    rng = random.Random(seed)
    works_again(program, cache)
    for path in [*programs.files(cache), cache / "index.sqlite3"]:
        damage(path, rng)
    works_again(program, cache)


def test_files_under_the_names_of_others(program, cache):
    works_again(program, cache)
    files = programs.files(cache)
    contents = [path.read_bytes() for path in files]
    for path, content in zip(files, contents[1:] + contents[:1]):
        path.write_bytes(content)
    works_again(program, cache)


def test_folders_and_links_where_files_should_be(program, cache, tmp_path):
    works_again(program, cache)
    for i, path in enumerate(programs.files(cache)):
        path.unlink()
        if i % 2:
            path.mkdir()
        else:
            path.symlink_to(tmp_path / "nowhere")
    (cache / "index.sqlite3").unlink()
    (cache / "index.sqlite3").mkdir()
    got = programs.run(program, cache)
    assert got[0] + got[1] == 4


def test_a_file_where_the_folder_should_be(program, tmp_path):
    (tmp_path / "file").write_text("here")
    got = programs.run(program, tmp_path / "file")
    assert got[:3] == [4, 0, 0]
    got = programs.run(program, "/proc/nothing/can/be/made/here")
    assert got[:3] == [4, 0, 0]


def mounted(folder, *options):
    """Mounts a small tmpfs on a folder, or skips."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "none", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"mount is not possible here: {done.stderr.strip()}")


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount here")
def test_a_full_disk(program, cache):
    mounted(cache, "size=64k")
    try:
        filler = os.open(cache / "filler", os.O_CREAT | os.O_WRONLY)
        with pytest.raises(OSError, match="No space"):
            while True:
                os.write(filler, bytes(1024))
        os.close(filler)
        got = programs.run(program, cache)
        assert got[:2] == [4, 0] and got[3] == 4
        (cache / "filler").unlink()
        works_again(program, cache)
        got = programs.run(program, cache, 64)  # fills it with objects
        assert got[0] == 60
        programs.run(program, cache, 64)
    finally:
        subprocess.run(["umount", str(cache)], check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount here")
def test_a_read_only_folder(program, cache):
    mounted(cache, "size=1m")
    try:
        works_again(program, cache, 2)
        subprocess.run(["mount", "-o", "remount,ro", str(cache)], check=True)
        assert programs.run(program, cache, 4) == [2, 2, 0, 2]
        assert programs.run(program, cache, 2) == [0, 2, 0, 0]
        subprocess.run(["mount", "-o", "remount,rw", str(cache)], check=True)
        works_again(program, cache)
    finally:
        subprocess.run(["umount", str(cache)], check=True)


MANY = """
import multiprocessing as mp, os

KERNELS = []
for i in range(64):
    exec_source = f'''
@asc.jit
def kernel_{i}(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {i} * 3)
'''
    import linecache
    name = f"<kernel {i}>"
    linecache.cache[name] = (len(exec_source), None, exec_source.splitlines(True), name)
    space = {"asc": asc, "__name__": __name__}
    exec(compile(exec_source, name, "exec"), space)
    KERNELS.append(space[f"kernel_{i}"])


def work(order):
    results = {}
    for i in order:
        results[i] = launch(KERNELS[i])
    asc._asc.cache_drain()
    return [results[i] for i in range(64)], counts("compiled", "disk_hits")


if __name__ == "__main__":
    method = sys.argv[1]
    if method == "fork":
        launch(KERNELS[0])
    import random
    orders = [random.Random(i).sample(range(64), 64) for i in range(8)]
    with mp.get_context(method).Pool(8) as pool:
        done = pool.map(work, orders, chunksize=1)
    assert all(values == [3 * i for i in range(64)] for values, _ in done)
    print([sum(c[0] for _, c in done), sum(c[1] for _, c in done)])
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_eight_processes_and_64_kernels_on_a_cold_cache(tmp_path, cache, method):
    program = programs.write(tmp_path / "many.py", MANY)
    compiled, _ = programs.run(program, cache, method)
    assert compiled >= 63
    assert len(programs.files(cache)) == 128
    assert programs.run(program, cache, method)[0] == 0
    for path in programs.files(cache):
        os.truncate(path, path.stat().st_size // 2)
    os.truncate(cache / "index.sqlite3", 100)
    programs.run(program, cache, method)
    assert programs.run(program, cache, method)[0] == 0


WORKERS = """
import multiprocessing as mp


@asc.jit
def kern(out: asc.GlobalAddress, N: asc.ConstExpr[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, N * 3)


if __name__ == "__main__":
    with mp.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.starmap(launch, [(kern, n) for n in range(8)], chunksize=1) == [3 * n for n in range(8)]
        pool.close()
        pool.join()
    print([launch(kern, n) for n in range(8)], file=sys.stdout)
    print(counts("compiled", "disk_hits"))
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_store_what_they_compiled_before_they_end(tmp_path, cache, method):
    """Workers of multiprocessing end by os._exit, without atexit."""
    program = programs.write(tmp_path / "workers.py", WORKERS)
    assert programs.run(program, cache, method) == [0, 8]


def test_processes_killed_at_any_time(program, cache, seed):
    """Twenty processes, each killed after a random time; then all is right."""
    rng = random.Random(seed)
    env = dict(os.environ, PYASC_CACHE_DIR=str(cache), PYTHONPATH=str(programs.TREE))
    running = []
    for _ in range(20):
        running.append(
            subprocess.Popen([sys.executable, str(program), "32"], env=env, stdout=subprocess.DEVNULL)
        )
        if len(running) == 4:
            victim = running.pop(0)
            try:
                victim.wait(rng.uniform(0.0, 0.4))
            except subprocess.TimeoutExpired:
                victim.kill()
            victim.wait()
    for process in running:
        process.kill()
        process.wait()
    works_again(program, cache, 32)


def test_two_builds_on_one_cache(program, cache, tmp_path):
    """A second build of the module never takes the first one's objects, nor the other way round."""
    other = tmp_path / "other"
    shutil.copytree(
        pathlib.Path(asc.__file__).parent, other / "asc", ignore=shutil.ignore_patterns("__pycache__")
    )
    module = next((other / "asc").glob("_asc.*.so"))
    data = bytearray(module.read_bytes())
    note = data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0"))
    assert note > 0
    data[note + 4] ^= 0xFF  # another build id
    module.write_bytes(data)
    for path, compiled in ((programs.TREE, 4), (other, 4), (programs.TREE, 0), (other, 0)):
        got = programs.run(program, cache, PYTHONPATH=str(path))
        assert got[:2] == [compiled, 4 - compiled]
    assert len(programs.files(cache)) == 16


def test_the_folder_stays_below_its_limit(program, cache):
    for _ in range(2):
        programs.run(program, cache, 64, PYASC_CACHE_MAX_BYTES="40000")
        assert sum(path.stat().st_size for path in programs.files(cache)) <= 40000
