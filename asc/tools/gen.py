# SPDX-License-Identifier: Apache-2.0
"""Writes what is made from the core's tables: the type stubs and the op list of the docs.

python -m asc.tools.gen            writes asc/_asc.pyi, asc/__init__.pyi, asc/adv/__init__.pyi, docs/ops.md
python -m asc.tools.gen --check    writes nothing; says which are stale and exits with 1
"""

import argparse
import difflib
import sys
from pathlib import Path

import asc
from asc import _asc, adv
from asc.tools import oplist, stubs

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python -m asc.tools.gen"


def generated():
    """File below the tree's root -> its text."""
    rows = _asc.op_table()
    head = (Path(__file__).resolve().parent / "head.pyi").read_text(encoding="utf-8")
    return {
        "asc/__init__.pyi": stubs.package_stub(asc, _asc, asc._ERRORS),
        "asc/_asc.pyi": stubs.core_stub(_asc, rows, head),
        "asc/adv/__init__.pyi": stubs.adv_stub(rows, adv.__all__),
        "docs/ops.md": oplist.op_list(rows),
    }


def stale(root=ROOT):
    """(file, its text as it should be, diff) of every file below `root` that differs."""
    found = []
    for name, text in generated().items():
        path = root / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            diff = difflib.unified_diff(
                old.splitlines(), text.splitlines(), name, "generated now", lineterm=""
            )
            found.append((name, text, "\n".join(diff)))
    return found


def main(arguments=None, root=ROOT):
    """Writes, or with --check only compares, the files below `root`; returns the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Writes the stubs and docs/ops.md.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail when a file is stale")
    options = parser.parse_args(arguments)
    if not (root / "csrc").is_dir():
        raise SystemExit(f"{COMMAND} works in a source tree of asc only")
    found = stale(root)
    for name, text, diff in found:
        if options.check:
            lines = diff.splitlines()
            shown = "\n".join(lines[:20]) + ("\n..." if len(lines) > 20 else "")
            print(f"{name} is stale; write it with: {COMMAND}\n{shown}", file=sys.stderr)
        else:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
