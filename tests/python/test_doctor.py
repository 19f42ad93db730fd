# SPDX-License-Identifier: Apache-2.0
"""`python -m asc doctor` finds what is wrong with an installation, and nothing where nothing is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from asc import _asc

ROOT = Path(_asc.__file__).absolute().parents[1]  # of the package that runs here


def run(*arguments, path=ROOT, cwd=None, **variables):
    """`python -m asc ...` with no PYASC_* variable but the given ones."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYASC_", "PYTHON"))}
    environment.update({"PYTHONPATH": str(path), **variables})
    return subprocess.run(
        [sys.executable, "-m", "asc", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cwd or path,
    )


def report(tmp_path, path=ROOT, cwd=None, **variables):
    """Exit status, and the checks of a name as a list; torch, which takes seconds, is only asked for once."""
    variables.setdefault("PYASC_HOME", str(tmp_path / "home"))
    quick = tmp_path / "quick"
    quick.mkdir(exist_ok=True)
    (quick / "torch.py").write_text("class Tensor: ...")
    variables.setdefault("PYTHONPATH", f"{path}{os.pathsep}{quick}")
    done = run("doctor", "--json", path=path, cwd=cwd, **variables)
    answer = json.loads(done.stdout)
    assert answer["ok"] == (done.returncode == 0)
    by_name = {}
    for check in answer["checks"]:
        by_name.setdefault(check["name"], []).append(check)
    return done.returncode, by_name


@pytest.fixture
def copied(tmp_path):
    """A package folder of its own, as an installation has it."""
    shutil.copytree(ROOT / "asc", tmp_path / "site" / "asc", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


def test_all_is_well_here(tmp_path):
    import numpy

    status, checks = report(tmp_path)
    assert status == 0
    assert not [c for group in checks.values() for c in group if c["verdict"] in ("error", "warning")]
    assert checks["self-test"][0]["details"]["first_call_s"] > 0
    assert checks["numpy"][0]["details"]["version"] == numpy.__version__
    assert checks["simulator"][0]["details"]["platforms"][0].startswith("Ascend")
    assert Path(checks["asc"][0]["details"]["folder"]) == ROOT / "asc"
    assert checks["asc"][0]["details"]["build_id"] == _asc.cache_build() != ""  # the kernel cache's own
    done = run("doctor", PYASC_HOME=str(tmp_path))
    assert done.returncode == 0 and done.stdout.endswith("\nasc works here\n") and not done.stderr


def test_the_cache_folder_is_looked_at_and_left_alone(tmp_path):
    (tmp_path / "cache" / "objects").mkdir(parents=True)
    (tmp_path / "cache" / "objects" / "one").write_bytes(bytes(1000))
    _, checks = report(tmp_path, PYASC_CACHE_DIR=str(tmp_path / "cache"))
    details = checks["cache"][0]["details"]
    assert details["folder"] == str(tmp_path / "cache") and details["writable"]
    assert details["bytes"] >= 1000 and details["files"] >= 1


def test_the_cache_folder_is_the_cores_own(tmp_path):
    """Also where there is none, and nothing outside is touched then."""
    status, checks = report(tmp_path, PYASC_CACHE_MAX_BYTES="0")
    assert status == 0 and checks["cache"][0]["verdict"] == "note"
    assert "PYASC_CACHE_MAX_BYTES is 0" in checks["cache"][0]["text"]
    _, checks = report(tmp_path, cwd=tmp_path, PYASC_CACHE_DIR="here")
    assert checks["cache"][0]["details"]["folder"] == str(tmp_path / "here")
    nowhere = {"HOME": "", "PYASC_HOME": "", "PYASC_CACHE_DIR": ""}
    _, checks = report(tmp_path, **nowhere)
    assert checks["cache"][0]["verdict"] == "warning" and "neither HOME" in checks["cache"][0]["text"]
    for command in ("ls", "stats", "verify", "clear"):
        done = run("cache", command, **nowhere)
        assert done.returncode == 1 and "neither HOME nor PYASC_CACHE_DIR is set" in done.stderr


@pytest.mark.parametrize("value", ["1G", "-1", "1e9", " 5", str(2**64), "\u0661"])
def test_a_limit_that_the_cache_does_not_read_is_named(tmp_path, value):
    _, checks = report(tmp_path, PYASC_CACHE_MAX_BYTES=value)
    (wrong,) = [c for c in checks["environment"] if c["details"]["variable"] == "PYASC_CACHE_MAX_BYTES"]
    assert wrong["verdict"] == "warning" and "the limit is 1 GiB" in wrong["text"]


def test_a_cache_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    status, checks = report(tmp_path, PYASC_CACHE_DIR=str(tmp_path / "file"))
    assert status == 0
    assert checks["cache"][0]["verdict"] == "warning" and "not a folder" in checks["cache"][0]["text"]
    assert checks["self-test"][0]["verdict"] == "ok"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PYASC_SIM", "fast,threads=two", "threads=two is not valid"),
        ("PYASC_SIM", "quick", "mode=quick is not valid; expected check or fast"),
        ("PYASC_DUMP_PATH", "/dev/null", "not a folder"),
    ],
)
def test_a_wrong_setting_is_an_error(tmp_path, name, value, says):
    status, checks = report(tmp_path, **{name: value})
    wrong = [c for c in checks["environment"] if c["details"]["variable"] == name]
    assert status == 1 and wrong[0]["verdict"] == "error" and says in wrong[0]["text"]
    assert name in wrong[0]["advice"]


def test_a_misspelt_variable_is_named(tmp_path):
    status, checks = report(tmp_path, PYASC_DUMP_PAHT="x")
    (wrong,) = [c for c in checks["environment"] if c["verdict"] == "warning"]
    assert status == 0 and wrong["advice"] == "did you mean PYASC_DUMP_PATH?"


def test_a_dry_run_is_told_and_settings_are_still_checked(tmp_path):
    _, checks = report(tmp_path, PYASC_DRY_RUN="1", PYASC_SIM="quick")
    assert checks["self-test"][0]["verdict"] == "warning" and "not executed" in checks["self-test"][0]["text"]
    assert [c["verdict"] for c in checks["environment"] if c["details"]["variable"] == "PYASC_SIM"] == [
        "error"
    ]


def test_another_distribution_in_the_same_place(tmp_path, copied):
    """As after installing pyasc beside asc: both own files in one folder."""
    info = copied / "pyasc-1.1.1.dist-info"
    info.mkdir()
    basic = copied / "asc" / "language" / "basic"
    basic.mkdir()
    (basic / "vec.py").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pyasc\nVersion: 1.1.1\n")
    (info / "RECORD").write_text("asc/language/basic/vec.py,,\npyasc-1.1.1.dist-info/METADATA,,\n")
    status, checks = report(tmp_path, path=copied)
    assert status == 1
    (wrong,) = [c for c in checks["packages"] if c["verdict"] == "error"]
    assert wrong["details"]["distribution"] == "pyasc" and wrong["details"]["file"].endswith("basic/vec.py")
    assert "pip uninstall pyasc asc" in wrong["advice"]


def test_files_left_by_another_package(tmp_path, copied):
    (copied / "asc" / "_C").mkdir()
    (copied / "asc" / "_C" / "libpyasc.so").write_bytes(b"")
    status, checks = report(tmp_path, path=copied)
    (wrong,) = [c for c in checks["packages"] if c["verdict"] == "error"]
    assert status == 1 and "files of pyasc are left" in wrong["text"]


def test_import_warns_of_files_of_another_package(copied):
    (copied / "asc" / "_C").mkdir()
    done = run("--help", path=copied)
    assert "files of pyasc" in done.stderr and "pip uninstall pyasc asc" in done.stderr


def test_import_says_why_the_core_is_not_found(copied):
    for extension in (copied / "asc").glob("_asc*.so"):
        extension.rename(extension.with_name("_asc.cpython-39-x86_64-linux-gnu.so"))
    done = run("--help", path=copied)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert "built for cpython-39-x86_64-linux-gnu" in last and f"cpython-3{sys.version_info.minor}" in last
    for extension in (copied / "asc").glob("_asc*.so"):
        extension.unlink()
    assert "pip install ." in run("--help", path=copied).stderr.strip().splitlines()[-1]


def test_import_says_when_the_core_cannot_be_loaded(copied):
    for extension in (copied / "asc").glob("_asc*.so"):
        extension.write_bytes(b"no ELF file")
    last = run("--help", path=copied).stderr.strip().splitlines()[-1]
    assert "cannot be loaded" in last and "install asc again" in last


def test_a_folder_asc_elsewhere(tmp_path):
    other = tmp_path / "other" / "asc"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    _, checks = report(tmp_path, PYTHONPATH=f"{ROOT}{os.pathsep}{other.parent}")
    assert str(other) in " ".join(c["text"] for c in checks["packages"])


def test_an_array_package_that_does_not_import(tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "ml_dtypes.py").write_text("raise ImportError('built for another numpy')")
    status, checks = report(tmp_path, PYTHONPATH=f"{ROOT}{os.pathsep}{broken}")
    assert status == 0
    assert checks["ml_dtypes"][0]["verdict"] == "warning"
    assert "built for another numpy" in checks["ml_dtypes"][0]["text"]


def test_commands():
    assert "doctor" in run("--help").stdout
    assert run().returncode == 2
    unknown = run("docter")
    assert unknown.returncode == 2 and "no command 'docter'" in unknown.stderr
