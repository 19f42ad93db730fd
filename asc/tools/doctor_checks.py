# SPDX-License-Identifier: Apache-2.0
"""What `python -m asc doctor` looks at; each function gives one Check or several."""

import glob
import importlib.util
import os
import platform
import sys
from importlib import metadata

import asc
import asc.lib.runtime as rt
from asc import _asc

FOLDER = os.path.dirname(os.path.abspath(asc.__file__))


class Check:
    """One finding about the installation. verdict: ok, note, warning or error; details: for --json."""

    def __init__(self, name, verdict, text, details=None, advice=""):
        self.name, self.verdict, self.text, self.advice = name, verdict, text, advice
        self.details = details or {}


# ---- asc, Python ----


def installation():
    size = os.path.getsize(_asc.__file__)
    build = _asc.cache_build()  # as the kernel cache has it: what was stored by this build is read by it
    text = f"{_asc.__version__}, build {build[:16]}, in {FOLDER}"
    details = {
        "version": _asc.__version__,
        "build_id": build,
        "folder": FOLDER,
        "extension": _asc.__file__,
        "extension_bytes": size,
    }
    return Check("asc", "ok", text, details)


def python():
    version = platform.python_version()
    libc = " ".join(platform.libc_ver()).strip()
    text = f"{platform.python_implementation()} {version} ({sys.executable}), {platform.machine()}, {libc}"
    details = {
        "version": version,
        "executable": sys.executable,
        "machine": platform.machine(),
        "system": platform.platform(),
        "cores": len(os.sched_getaffinity(0)),
    }
    return Check("Python", "ok", text, details)


# ---- other packages named asc ----


def owners_of_asc():
    """Other distributions that have put files below a folder `asc`: name -> an example of a file."""
    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if not name or name.lower() == "asc" or name in found:
            continue
        for file in distribution.files or ():
            if file.parts[0] == "asc" and len(file.parts) > 1:
                found[name] = str(distribution.locate_file(file))
                break
    return found


def other_places():
    """Packages or modules `asc` elsewhere on sys.path: [(is it before ours?, path)]."""
    found, behind = [], False
    for entry in sys.path:
        folder = os.path.abspath(entry or os.getcwd())
        here = os.path.join(folder, "asc")
        if os.path.realpath(here) == os.path.realpath(FOLDER):
            behind = True
            continue
        for candidate in (os.path.join(here, "__init__.py"), here + ".py"):
            if os.path.isfile(candidate):
                found.append((not behind, candidate))
    return found


def other_packages():
    owners = owners_of_asc()
    for name, file in owners.items():
        yield Check(
            "packages",
            "error",
            f"the package '{name}' has files of its own in a folder `asc`, e.g. {file}",
            {"distribution": name, "file": file},
            f"pip uninstall {name} asc, then install asc again; the two need environments of their own",
        )
    places = other_places()
    for before, path in places:
        details = {"file": path}
        if before:
            text = f"another `asc`, {path}, comes first on sys.path: other programs import that one"
            yield Check("packages", "warning", text, details, f"remove or rename {path}")
        else:
            yield Check("packages", "note", f"another `asc`, {path}, is hidden by this one", details)
    leftover = os.path.join(FOLDER, "_C")
    if os.path.isdir(leftover) and not owners:
        advice = "remove the folder " + FOLDER + " and install asc again"
        yield Check("packages", "error", f"files of pyasc are left in {leftover}", {"file": leftover}, advice)
    elif not owners and not places:
        yield Check("packages", "ok", "no other package named asc")


# ---- where kernels run ----


def ascend_libraries():
    """Paths of the ACL library that a program would find, without loading it."""
    folders = [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    for root in (os.environ.get("ASCEND_HOME_PATH"), os.environ.get("ASCEND_TOOLKIT_HOME")):
        folders += [os.path.join(root, "lib64")] if root else []
    folders += ["/usr/local/Ascend/ascend-toolkit/latest/lib64", "/usr/local/Ascend/latest/lib64"]
    paths = (os.path.join(folder, "libascendcl.so") for folder in folders)
    return sorted({os.path.realpath(path) for path in paths if os.path.exists(path)})


def backends():
    names = list(_asc.platforms())
    cores = len(os.sched_getaffinity(0))
    text = f"here, on {cores} core(s); {len(names)} platforms, now {rt.get_soc_version().value}"
    yield Check("simulator", "ok", text, {"platforms": names, "cores": cores})
    libraries, devices = ascend_libraries(), glob.glob("/dev/davinci[0-9]*")
    details = {"libraries": libraries, "devices": devices}
    if libraries or devices:
        text = f"{len(devices)} device(s), ACL in {', '.join(libraries) or 'no folder known'}; not used yet"
        advice = "this version runs kernels on the simulator only"
    else:
        text, advice = "no device and no ACL library found; kernels run on the simulator", ""
    yield Check("NPU", "note", text, details, advice)


# ---- packages that bring arrays ----


def array_path(name, module):
    """How the core reads arrays of the package, and whether that is the fast way."""
    if name == "torch":
        if hasattr(module.Tensor, "__dlpack_c_exchange_api__"):
            return "through the DLPack exchange table", True
        try:
            import asc._asc_torch  # noqa: F401
        except ImportError:
            return "through attributes (slower)", False
        return "through asc._asc_torch", True
    return "through the buffer protocol" if name == "numpy" else "by dtype name", True


def array_package(name):
    if importlib.util.find_spec(name) is None:
        return Check(name, "note", "not installed; asc does not need it")
    try:
        module = importlib.import_module(name)
    except Exception as e:
        text = f"is installed and cannot be imported: {type(e).__name__}: {e}"
        return Check(name, "warning", text, advice=f"pip install --force-reinstall {name}")
    way, fast = array_path(name, module)
    version = str(getattr(module, "__version__", "of unknown version"))
    return Check(name, "ok", f"{version}, arrays are read {way}", {"version": version, "fast_path": fast})


# ---- folders and variables ----


def why_not_writable(folder):
    """Empty if a file can be made in the folder, or in the nearest of its parents that exists."""
    import tempfile

    while not os.path.exists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        return f"{folder} is not a folder"
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as e:
        return f"{folder}: {e.strerror}"


def folder_size(folder):
    """(files, bytes) below the folder."""
    files = size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(where, name)).st_size
                files += 1
            except OSError:
                continue
    return files, size


def cache_folder():
    disk = _asc.cache_info()["disk"]
    folder = disk["folder"]
    if not folder or not disk["max_bytes"]:
        why = "PYASC_CACHE_MAX_BYTES is 0" if folder else "neither HOME nor PYASC_CACHE_DIR is set"
        text = f"{why}: kernels are compiled anew in each process"
        return Check("cache", "note" if folder else "warning", text, {"folder": folder})
    why = why_not_writable(folder)
    files, size = folder_size(folder)
    details = {"folder": folder, "files": files, "bytes": size, "writable": not why}
    if why:
        advice = (
            "kernels work, and are compiled anew in each process; set PYASC_CACHE_DIR to a folder of yours"
        )
        return Check("cache", "warning", f"{folder} cannot be written: {why}", details, advice)
    text = f"{folder}, {files} file(s), {size / 1e6:.1f} MB" if files else f"{folder}, empty"
    return Check("cache", "ok", text, details)


DRY_RUN = ("PYASC_DRY_RUN", "DRY_RUN")
NO = ("", "0", "false", "no", "off")


def is_dry_run():
    return any(os.environ.get(name, "").lower() not in NO for name in DRY_RUN)


def bad_folder(value):
    return why_not_writable(os.path.abspath(value))


def bad_flag(value):
    return "" if value.lower() in (*NO, "1", "true", "yes", "on") else "expected 0 or 1"


def bad_size(value):
    good = value.isascii() and value.isdecimal() and int(value) < 2**64
    return "" if good else "expected a whole number of bytes; as it is, the limit is 1 GiB"


def bad_program(value):
    import shutil

    return "" if shutil.which(value) else "no such program"


def bad_settings(value):
    """Asks the core, which reads the variable at each launch that executes."""
    from asc.tools.doctor_probe import nothing

    dry = {name: os.environ.pop(name) for name in DRY_RUN if name in os.environ}
    try:
        nothing[1]()
    except asc.LaunchError as e:
        return str(e).splitlines()[0]
    finally:
        os.environ.update(dry)
    return ""


# variable -> what is wrong with a value (empty: nothing), and how bad that is: a launch fails, or it does not
VARIABLES = {
    "PYASC_CACHE_DIR": (bad_folder, "warning"),
    "PYASC_CACHE_MAX_BYTES": (bad_size, "warning"),
    "PYASC_COMPILER": (bad_program, "warning"),
    "PYASC_DRY_RUN": (bad_flag, "warning"),
    "PYASC_DUMP_PATH": (bad_folder, "error"),
    "PYASC_HOME": (bad_folder, "warning"),
    "PYASC_LINKER": (bad_program, "warning"),
    "PYASC_SIM": (bad_settings, "error"),
}


def environment():
    names = sorted(name for name in os.environ if name.startswith("PYASC_"))
    for name in names:
        value = os.environ[name]
        details = {"variable": name, "value": value}
        if name not in VARIABLES:
            import difflib

            near = difflib.get_close_matches(name, VARIABLES, 1)
            advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(VARIABLES)}"
            yield Check("environment", "warning", f"{name} is not known", details, advice)
            continue
        find_fault, verdict = VARIABLES[name]
        wrong = find_fault(value) if value else ""
        if wrong:
            yield Check(
                "environment", verdict, f"{name}={value}: {wrong}", details, f"correct or unset {name}"
            )
        else:
            yield Check("environment", "ok", f"{name}={value}", details)
    if not names:
        yield Check("environment", "ok", "no variable PYASC_* is set")
