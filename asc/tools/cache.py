# SPDX-License-Identifier: Apache-2.0
"""python -m asc cache ls|stats|verify|clear: the kernel cache, by default the folder that kernels use now."""

import argparse
import time

from asc import _asc


def _size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def list_kernels():
    """One line for each kernel: key, size, last use, name."""
    for key, kind, kernel, size, used, good in _asc.cache_files():
        if kind == "object":
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(used))
            print(f"{key}  {_size(size):>10}  {when}  {kernel if good else '(damaged)'}")
    return 0


def show_statistics():
    """The folder, what it holds, and what all processes did with it."""
    disk = _asc.cache_info()["disk"]
    most = _size(disk["max_bytes"]) if disk["max_bytes"] else "caching is off"
    print(f"folder   {disk['folder']}")
    print(f"files    {disk['files']}, {_size(disk['bytes'])} of {most}")
    for name in ("hits", "misses", "stored", "evicted", "damaged"):
        print(f"{name:8} {'unknown' if disk[name] is None else disk[name]}")
    return 0


def verify():
    """Opens every file; removes what is damaged, and what killed writers left. 1 if anything was damaged."""
    files = _asc.cache_files()
    damaged = [key for key, _, _, _, _, good in files if not good]
    for key in damaged:
        _asc.cache_remove(key)
    left = _asc.cache_sweep()
    print(f"{len(files)} files, {len(damaged)} damaged and removed, {left} unfinished and removed")
    return 1 if damaged else 0


def clear():
    """Removes everything."""
    print(f"{_asc.cache_clear()} files removed")
    return 0


_COMMANDS = {"ls": list_kernels, "stats": show_statistics, "verify": verify, "clear": clear}


def main(arguments):
    """Runs one of the commands; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m asc cache", description="The kernel cache.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, function in _COMMANDS.items():
        commands.add_parser(name, help=function.__doc__.splitlines()[0], description=function.__doc__)
    return _COMMANDS[parser.parse_args(arguments).command]()
