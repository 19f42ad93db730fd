# SPDX-License-Identifier: Apache-2.0
"""Runs small programs in processes of their own on a cache folder, for the tests of the kernel cache."""

import ast
import os
import pathlib
import subprocess
import sys

import asc

# Where this process has asc from; not resolved: a sanitizer build links to the sources.
TREE = pathlib.Path(asc.__file__).absolute().parents[1]
SECONDS = 120

HEAD = """
import array, sys
import asc


def launch(kernel, *args):
    out = array.array("i", [0] * 8)
    kernel[1](out, *args)
    return out[0]


def counts(*names):
    return [asc.cache_info()["process"][name] for name in names]
"""


def run(path, cache, *arguments, check=True, **environment):
    """Runs a file; its last printed line as a Python literal, or the finished process with check=False."""
    env = dict(os.environ, PYASC_CACHE_DIR=str(cache), PYTHONPATH=str(TREE))
    env.update(environment)
    env.pop("PYTHONSAFEPATH", None)  # modules beside the program are the program's
    done = subprocess.run(
        [sys.executable, str(path), *map(str, arguments)],
        env=env,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if not check:
        return done
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    assert not done.stderr, done.stderr
    return ast.literal_eval(done.stdout.strip().splitlines()[-1])


def write(path, text):
    """HEAD and the text as a file; returns its path."""
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def files(cache):
    """Objects and manifests of a cache folder."""
    return sorted(path for path in pathlib.Path(cache).glob("objects/??/*") if len(path.name) == 32)
