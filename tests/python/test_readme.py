# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what happens."""

import re
import runpy
import subprocess
from pathlib import Path

import numpy as np
import pytest

import asc
from asc.__main__ import COMMANDS
from asc.tools.doctor_checks import VARIABLES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


@pytest.fixture
def kernel(tmp_path):
    def load(old="", new=""):
        path = tmp_path / "scale.py"
        path.write_text(blocks("python")[0].replace(old, new) if old else blocks("python")[0])
        return path

    return load


def without_folders(text, path):
    return text.replace(str(path), path.name).strip()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PYASC_DUMP_PATH", str(tmp_path))
    runpy.run_path(str(path), run_name="__main__")  # each looks at its own result


def test_the_kernel_runs_and_prints_as_shown(kernel):
    names = runpy.run_path(str(kernel()))
    x = np.arange(8192, dtype=np.float32)
    assert names["scale"][8].compile(x, x, 0.5, 1024, 256).text["ascendc"].strip() == blocks("cpp")[0].strip()
    body = blocks("python")[0].split("@asc.jit")[1].split("\n\n\n")[0]
    assert len(body.strip().splitlines()) <= 20


def test_the_compile_error_is_the_one_shown(kernel):
    path = kernel("asc.muls(tile, tile, factor, TILE)", "asc.muls(tile, y_gm, factor, TILE)")
    with pytest.raises(asc.CompileError) as caught:
        runpy.run_path(str(path))
    assert without_folders(str(caught.value), path) == blocks("text")[0].strip()


def test_the_finding_is_the_one_shown(kernel):
    path = kernel("x.size // 8, 256)", "x.size // 8 + 1, 256)")
    with pytest.raises(asc.BoundsError) as caught:
        runpy.run_path(str(path))
    assert without_folders(str(caught.value), path) == blocks("text")[1].strip()


def test_the_commands_exist():
    usage = subprocess.run([ROOT / "dev"], capture_output=True, text=True).stdout
    verbs = set(re.findall(r"`?\./dev ([a-z]+)", README))
    assert {"demo", "test", "bench", "wheel"} <= verbs
    for verb in verbs:
        assert re.search(rf"^  {verb} ", usage, re.M), verb
    for command in re.findall(r"python -m asc ([a-z]+)", README):
        assert command in COMMANDS


def test_the_options_and_variables_exist(kernel, monkeypatch):
    names = runpy.run_path(str(kernel()))
    x = np.arange(8192, dtype=np.float32)
    y = np.zeros_like(x)
    options = {"mode": "fast", "threads": 2, "on_finding": "warn", "ignore": ("alignment",)}
    names["scale"].options(**options)[8](x, y, 2.0, 1024, 256)
    assert (y == 2 * x).all()
    for name in re.findall(r"^\| `(PYASC_\w+)", README, re.M):
        assert name in VARIABLES


def test_every_link_leads_somewhere():
    targets = re.findall(r"\[[^]]+\]\((\w[\w./]*)\)", README)
    assert "docs/language.md" in targets
    for target in targets:
        assert (ROOT / target).exists(), target
