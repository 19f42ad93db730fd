# SPDX-License-Identifier: Apache-2.0
"""The layout is the architecture: who may include what, and how large a file may be."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"
BELOW = {
    "base": set(),
    "ops": {"base"},
    "ir": {"base", "ops"},
    "lower": {"base", "ops", "ir"},
    "passes": {"base", "ops", "ir"},
    "emit": {"base", "ops", "ir"},
    "sim": {"base", "ops", "ir"},
    "runtime": {"base", "ops", "ir", "lower", "passes", "emit", "sim"},
    "bind": {"base", "ops", "ir", "lower", "passes", "emit", "sim", "runtime"},
    "torch": {"base", "ops", "runtime"},
}
SOURCES = sorted(path for pattern in ("*.h", "*.cpp", "*.def") for path in CSRC.rglob(pattern))


def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.M)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(CSRC)))
def test_includes_point_downwards(path):
    folder = path.relative_to(CSRC).parts[0]
    for name in includes(path):
        other = name.split("/")[0]
        if other in BELOW and "/" in name:
            assert other == folder or other in BELOW[folder], f"{folder} includes {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(CSRC)))
def test_python_is_kept_to_its_rooms(path):
    relative = path.relative_to(CSRC)
    allowed = relative.parts[0] in ("lower", "bind", "torch") or (
        relative.parts[0] == "runtime" and relative.name.startswith(("args", "launcher", "deps"))
    )
    uses = [
        name
        for name in includes(path)
        if name in ("Python.h", "structmember.h") or name.startswith("pybind11/")
    ]
    assert allowed or not uses, f"{relative} includes {uses}"
    if relative.parts[0] != "bind":
        assert not [name for name in uses if name.startswith("pybind11/")]


def test_intrinsics_and_sqlite_have_one_room_each():
    for path in SOURCES:
        relative = str(path.relative_to(CSRC))
        for name in includes(path):
            if name.endswith("intrin.h"):
                assert relative.startswith("sim/bodies/"), relative
            if name == "sqlite3.h":
                assert relative.startswith("runtime/cache"), relative


def test_op_bodies_need_c_headers_only():
    for path in [*(CSRC / "sim" / "bodies").rglob("*.h"), CSRC / "base" / "half.h"]:
        for name in includes(path):
            assert name.endswith(".h") and ("/" in name or name.startswith(("std", "string", "math"))), (
                f"{path}: {name}"
            )


def test_expressions_know_no_kind_of_value():
    """Operators of anything but numbers are rows of the op table, found by kind."""
    text = (CSRC / "lower" / "expr.cpp").read_text()
    assert not re.findall(r"\bKind::(?!Void|Scalar|Enum)\w+", text)


def test_files_stay_small():
    for path in SOURCES:
        limit = 450 if path.suffix == ".h" else 700
        assert len(path.read_text().splitlines()) <= limit, path
    for path in (ROOT / "asc").rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 400, path


def test_every_source_says_what_it_is():
    for path in [*SOURCES, *(ROOT / "asc").rglob("*.py")]:
        first = path.read_text().splitlines()[0]
        assert "SPDX-License-Identifier: Apache-2.0" in first, path


def test_exceptions_stay_exceptions():
    """Hand-written printer and verifier functions for single ops: at most 15 % of the rows."""
    from asc import _asc

    text = "".join(
        path.read_text() for folder in ("emit", "ir", "passes") for path in (CSRC / folder).glob("*.cpp")
    )
    names = set(re.findall(r"\b(?:emit|verify)_([A-Z]\w+)\s*\(", text))
    rows = {row["name"] for row in _asc.op_table()}
    assert len(names & rows) <= 0.15 * len(rows), sorted(names & rows)


def test_no_path_of_a_machine_is_committed():
    done = subprocess.run(
        ["git", "grep", "-nIE", "/(home|root|work|Users)/", "--", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    lines = [
        line for line in done.stdout.splitlines() if not line.startswith("tests/python/test_layering.py")
    ]
    assert not lines
