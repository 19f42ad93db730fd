# SPDX-License-Identifier: Apache-2.0
"""Builds asc._asc through CMake for `pip install .`; all else is in pyproject.toml.

Variables: CMAKE_ARGS is passed on to CMake; ASC_BUILD_DIR is the folder it builds in, which several Pythons
may use one after the other: what does not depend on Python is compiled once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeExtension(Extension):
    """An extension whose sources CMake knows."""

    def __init__(self, name):
        super().__init__(name, sources=[])


class CMakeBuild(build_ext):
    """Configures and builds the target `_asc` so that the module lands where setuptools expects it."""

    def build_extension(self, ext):
        target_folder = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build_folder = Path(os.environ.get("ASC_BUILD_DIR") or Path(self.build_temp, "cmake")).resolve()
        build_folder.mkdir(parents=True, exist_ok=True)
        # It holds what was found for the last Python, and the path of a cmake that may be gone.
        (build_folder / "CMakeCache.txt").unlink(missing_ok=True)
        configure = [
            "cmake",
            "-S",
            str(ROOT),
            "-B",
            str(build_folder),
            f"-DPython3_EXECUTABLE={sys.executable}",
            f"-DASC_MODULE_DIR={target_folder}",
            "-DASC_HIDE_PATHS=ON",
        ]
        if shutil.which("ninja") and not (build_folder / "Makefile").exists():
            configure += ["-G", "Ninja"]
        configure += os.environ.get("CMAKE_ARGS", "").split()
        subprocess.run(configure, check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", str(build_folder), "--target", "_asc", "-j", jobs], check=True)


setup(
    packages=find_packages(include=["asc", "asc.*"]),
    package_data={"asc": ["*.pyi", "py.typed"], "asc.adv": ["*.pyi"], "asc.tools": ["*.pyi"]},
    ext_modules=[CMakeExtension("asc._asc")],
    cmdclass={"build_ext": CMakeBuild},
)
