# SPDX-License-Identifier: Apache-2.0
"""What to say when this installation is broken; loaded only then."""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def explain(error):
    """Why `asc._asc` cannot be imported, and what to do."""
    import sysconfig

    if "subinterpreters" in str(error):  # Python 3.12 and newer ask the module no more
        return "asc works in the main interpreter only, not in sub-interpreters; use threads or processes"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    found = sorted(name for name in os.listdir(FOLDER) if name.startswith("_asc.") and name.endswith(".so"))
    if f"_asc{suffix}" in found:
        return f"asc: {FOLDER}/_asc{suffix} cannot be loaded: {error}; install asc again for this machine"
    version = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    if found:
        tags = ", ".join(name.split(".")[1] for name in found)
        return (
            f"asc: the core in {FOLDER} is built for {tags}; this is {version} ({suffix.split('.')[1]}): "
            "pip install asc with this Python"
        )
    return (
        f"asc: {FOLDER} has no core for {version}; in a source tree build it with ./dev demo or pip install ."
    )


def warn_of_leftovers(folder):
    """Files of another package named asc lie in this one's folder."""
    import warnings

    warnings.warn(
        f"files of pyasc are in {folder}, the folder of asc: pip uninstall pyasc asc, then install asc "
        "again; python -m asc doctor says more",
        RuntimeWarning,
        stacklevel=2,
    )
