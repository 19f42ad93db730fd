# SPDX-License-Identifier: Apache-2.0
"""What is packed: the extension needs little and is small, the archive is complete; with --wheel the archive
and a wheel are built and tried in clean environments."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from asc import _asc

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = Path(_asc.__file__)
sys.path.insert(0, str(ROOT / "packaging"))

import wheels  # noqa: E402


def tracked():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split()


def git_status():
    command = ["git", "status", "--short", "--ignored"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


@pytest.mark.skipif("ASC_UNDER_SANITIZER" in os.environ, reason="an instrumented build needs more")
def test_the_extension_needs_the_system_libraries_alone():
    foreign = [name for name in wheels.needs(EXTENSION) if not wheels.MAY_NEED.fullmatch(name)]
    assert not foreign
    assert EXTENSION.stat().st_size <= wheels.MAX_EXTENSION_BYTES
    symbols = subprocess.run(["nm", "-D", "--defined-only", EXTENSION], capture_output=True, text=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["PyInit__asc"]


@pytest.mark.parametrize(
    ("name", "good"),
    [("libc.so.6", True), ("libstdc++.so.6", True), ("ld-linux-x86-64.so.2", True), ("libfmt.so.9", False),
     ("libsqlite3.so.0", False), ("libpython3.11.so.1.0", False), ("libcrypt.so.1", False)],
)  # fmt: skip
def test_what_a_wheel_may_need(name, good):
    assert bool(wheels.MAY_NEED.fullmatch(name)) == good


def test_the_archive_has_every_file():
    """MANIFEST.in names all that git tracks, but for what only a checkout needs."""
    manifest = (ROOT / "MANIFEST.in").read_text()
    grafted = set(re.findall(r"^graft (\S+)", manifest, re.M))
    included = {name for line in re.findall(r"^include (.+)", manifest, re.M) for name in line.split()}
    left_out = [name for name in tracked() if name.split("/")[0] not in grafted | included]
    assert {name.split("/")[0] for name in left_out} <= {
        ".gitignore",
        ".ci",
        ".clang-format",
        ".clang-tidy",
        "MANIFEST.in",
    }


def test_the_package_has_every_module():
    """Each folder with Python files is a package that setup.py finds, and each stub is packed."""
    for path in (ROOT / "asc").rglob("*.py"):
        assert (path.parent / "__init__.py").exists(), path
    packed = (ROOT / "setup.py").read_text()
    for path in (ROOT / "asc").rglob("*.pyi"):
        package = ".".join(path.relative_to(ROOT).parent.parts)
        assert f'"{package}": ["*.pyi"' in packed, path


def test_unsuitable_pythons_are_refused(monkeypatch, tmp_path):
    fake = tmp_path / "python3.12"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PYTHONS", str(fake))
    with pytest.raises(SystemExit, match="no CPython 3.10 to 3.13"):
        wheels.find_pythons()
    monkeypatch.setenv("PYTHONS", sys.executable)
    assert wheels.find_pythons() == {sys.version_info[1]: sys.executable}


def test_archive_and_wheel(request, tmp_path):
    if not request.config.getoption("--wheel"):
        pytest.skip("takes minutes: --wheel")
    before = git_status()
    prefix = "import sys; print(sys.base_prefix)"
    base = subprocess.run([sys.executable, "-c", prefix], capture_output=True, text=True).stdout.strip()
    python = f"{base}/bin/python3.{sys.version_info[1]}"
    made = []
    for _ in range(2):
        out, work = tmp_path / "out", tmp_path / "work"
        command = [python, ROOT / "packaging/wheels.py", "--out", out, "--work", work, "--python", python]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count("doctor ok") == 2
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert len(made[0]) == 2
    assert made[0] == made[1], "the same tree gave other bytes"
    assert git_status() == before, "the build wrote into the tree"
