# SPDX-License-Identifier: Apache-2.0
"""`python -m asc COMMAND`: what there is to do with asc outside a kernel."""

import os
import signal
import sys

# command -> (module whose main(arguments) returns the exit status, what it is for)
COMMANDS = {
    "cache": ("asc.tools.cache", "ls, stats, verify or clear: the kernel cache"),
    "doctor": ("asc.tools.doctor", "what is installed, what works, and what to do about the rest"),
}


def usage():
    width = max(map(len, COMMANDS))
    rows = [f"  {name.ljust(width)}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(["usage: python -m asc COMMAND [OPTIONS]", "", *rows, "", "COMMAND --help says more."])


def main(arguments=None):
    """Runs one command; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage())
        return 0 if arguments else 2
    if arguments[0] not in COMMANDS:
        print(f"python -m asc: there is no command '{arguments[0]}'\n\n{usage()}", file=sys.stderr)
        return 2
    import importlib

    return importlib.import_module(COMMANDS[arguments[0]][0]).main(arguments[1:])


def _run():
    # Who reads the output may stop early, as `head` does: nothing more to say then, at the exit either.
    try:
        status = main()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


if __name__ == "__main__":
    sys.exit(_run())
