# SPDX-License-Identifier: Apache-2.0
"""Exceptions and findings.

`CompileError`: the kernel cannot be compiled as written. `LaunchError`: the launch is wrong. `KernelError`:
the kernel ran and did wrong; its subclass names the kind of the first finding, `.findings` holds all.
"""

import builtins


class Site:
    """A place in the user's source: file, 1-based line, 0-based column in bytes, the line's text, the
    function."""

    __slots__ = ("col", "end_col", "file", "function", "line", "text")

    def __init__(self, file: str, line: int, col: int, end_col: int, text: str, function: str):
        self.file, self.line, self.col, self.end_col, self.text, self.function = (
            file,
            line,
            col,
            end_col,
            text,
            function,
        )

    def __repr__(self):
        return f"Site({self.file}:{self.line}:{self.col + 1}, in {self.function})"


class CodegenError(Exception):
    """Base of CompileError; the reference's name."""


class CompileError(CodegenError):
    """The kernel cannot be compiled as written.

    Attributes: message, hint (what to write instead, may be empty), sites (innermost first: the failing
    place, then the calls that led to it), and file, line, col, text of the first.
    """

    def __init__(self, text: str, message: str = "", hint: str = "", sites=()):
        super().__init__(text)
        self.message, self.hint = message or text, hint
        self.sites: list[Site] = [Site(*site) for site in sites]
        first = self.sites[0] if self.sites else None
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.col = first.col if first else None
        self.text = first.text if first else None


class UnsupportedSyntaxError(CompileError):
    """The reference's name for a construct that kernels cannot have."""


class LaunchError(RuntimeError):
    """The launch itself is wrong: settings, device, toolchain."""

    def __init__(self, text: str, message: str = "", hint: str = "", sites=()):
        super().__init__(text)
        self.message, self.hint = message or text, hint


class Finding:
    """One thing a check found.

    id: stable name such as "ASC-B101". kind: "bounds", "alignment", ... severity: "error" or "warning".
    message, fix: what and what to do. site, sites: where, innermost first. other, others: the second place of
    a pair. op, core, pipe, buffer, range: which op on which core and pipe touched what; range is (begin, end)
    in elements of an argument or bytes of a local memory, or None. count: how often it was seen. text: all of
    it, as an exception shows it.
    """

    __slots__ = tuple(
        "buffer core count fix id kind message op other others pipe range severity site sites text".split()
    )

    def __init__(
        self,
        id: str,
        kind: str,
        severity: str,
        message: str,
        fix: str,
        sites: list,
        other: list,
        op: str,
        core: str,
        pipe: str,
        buffer: str,
        range: tuple,
        count: int,
        text: str,
    ):
        self.id, self.kind, self.severity, self.message, self.fix = id, kind, severity, message, fix
        self.sites = [Site(*site) for site in sites]
        self.others = [Site(*site) for site in other]
        self.site = self.sites[0] if self.sites else None
        self.other = self.others[0] if self.others else None
        self.op, self.core, self.pipe, self.buffer = op, core, pipe, buffer
        self.range = None if range == (0, 0) else range
        self.count, self.text = count, text

    def __repr__(self):
        return f"<Finding {self.id} ({self.kind}): {self.message}>"

    def __str__(self):
        return self.text


class KernelError(RuntimeError):
    """A kernel ran and did wrong. `.findings` holds everything found."""

    def __init__(self, text: str, findings=()):
        super().__init__(text)
        self.findings: list[Finding] = list(findings)


class BoundsError(KernelError):
    """An access outside an argument, a tensor or a memory."""


class AlignmentError(KernelError):
    """An address or a byte count that the device cannot take."""


class UninitError(KernelError):
    """Bytes that nobody wrote were used."""


class RaceError(KernelError):
    """Two accesses that nothing orders."""


class SyncError(KernelError):
    """Flags and events that do not pair, or are out of range."""


class DeadlockError(KernelError):
    """Every core waits for what no one will do."""


class QueueError(KernelError):
    """A queue or buffer used against its rules."""


class ScalarError(KernelError):
    """A scalar outside its type, a division by zero, a step of zero."""


class TimeoutError(KernelError, builtins.TimeoutError):
    """The kernel did not end in the time given."""


class FindingWarning(UserWarning):
    """A finding where `on_finding="warn"` asks for warnings, or of a dry run."""


class PerformanceWarning(UserWarning):
    """Something right but slower than it need be."""


_CLASSES = {
    "bounds": BoundsError,
    "alignment": AlignmentError,
    "limits": KernelError,
    "data": UninitError,
    "race": RaceError,
    "sync": SyncError,
    "deadlock": DeadlockError,
    "queue": QueueError,
    "scalar": ScalarError,
    "timeout": TimeoutError,
}


def kernel_error(findings):
    """The exception for a launch's findings: its class is that of the first one."""
    text = "\n\n".join(finding.text for finding in findings)
    if len(findings) > 1:
        text = f"{len(findings)} findings\n\n{text}"
    return _CLASSES.get(findings[0].kind, KernelError)(text, findings)
