# SPDX-License-Identifier: Apache-2.0
"""python -m asc cache ls|stats|verify|clear: the kernel cache, by default the folder that kernels use now."""

import argparse
import os
import sys
import time

from asc import _asc


def _size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _folder():
    return _asc.cache_info()["disk"]["folder"]


def _no_cache(command):
    """Why the command can do nothing with the folder, or None; a folder that is not there yet is empty."""
    folder = _folder()
    if not folder:
        return "there is no folder for the cache: neither HOME nor PYASC_CACHE_DIR is set"
    if not os.path.lexists(folder):
        return None if command in ("ls", "stats") else f"there is no folder {folder}"
    if not os.path.isdir(folder):
        return f"{folder} is not a folder"
    known = ("objects", "index.sqlite3")
    try:
        names = os.listdir(folder)
    except OSError as error:
        return str(error)
    if names and not any(name in known for name in names):
        return f"{folder} is not a folder of the kernel cache: it holds neither {known[0]} nor {known[1]}"
    return None


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
    """Removes everything. 1 if something could not be removed."""
    removed = _asc.cache_clear()
    left = len(_asc.cache_files())
    print(f"{removed} files removed")
    if left:
        print(f"{left} files could not be removed from {_folder()}: is it writable?", file=sys.stderr)
    return 1 if left else 0


_COMMANDS = {"ls": list_kernels, "stats": show_statistics, "verify": verify, "clear": clear}


def main(arguments):
    """Runs one of the commands; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m asc cache", description="The kernel cache.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, function in _COMMANDS.items():
        commands.add_parser(name, help=function.__doc__.splitlines()[0], description=function.__doc__)
    command = parser.parse_args(arguments).command
    if wrong := _no_cache(command):
        print(f"asc cache {command}: {wrong}", file=sys.stderr)
        return 1
    return _COMMANDS[command]()
