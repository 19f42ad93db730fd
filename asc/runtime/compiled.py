# SPDX-License-Identifier: Apache-2.0
"""What `kernel[n].compile(...)` returns, and what a launch hook gets."""

from asc import _asc


class _Texts:
    """The texts of a compiled kernel by stage; each is made when asked for."""

    NAMES = ("ascendc", "ir", "ir.lowered", "bytecode")

    def __init__(self, handle):
        self._handle = handle

    def __getitem__(self, name: str) -> str:
        if name not in self.NAMES:
            raise KeyError(f"{name!r}; there are {', '.join(self.NAMES)}")
        return _asc.compiled_text(self._handle, name)

    def keys(self):
        return self.NAMES

    def __iter__(self):
        return iter(self.NAMES)

    def __len__(self):
        return len(self.NAMES)

    def __contains__(self, name):
        return name in self.NAMES


class CompiledKernel:
    """A specialisation: its texts, metadata and the findings known before it runs."""

    def __init__(self, handle):
        self._handle = handle
        self.text = _Texts(handle)

    @property
    def meta(self) -> dict:
        """Kernel, platform, kernel type and arguments, as dumped to meta.json."""
        import json

        return json.loads(_asc.compiled_text(self._handle, "meta"))

    @property
    def diagnostics(self) -> list:
        """Findings known at compile time (asc.Finding); a launch that executes raises them."""
        return _asc.compiled_diagnostics(self._handle)

    def save(self, folder, *, comments: bool = True) -> str:
        """Writes texts and metadata to a folder of the kernel's own below `folder`; returns its path.

        `comments`: each line of the Ascend C shows the Python text that it comes from.
        """
        return _asc.compiled_save(self._handle, folder, comments)

    def __repr__(self):
        return f"<compiled {self.meta['kernel']} for {self.meta['platform']}>"


class LaunchRecord:
    """One launch, as `asc.runtime.launch_hooks` see it before it happens."""

    __slots__ = ("arguments", "compiled", "grid", "kernel", "stream")

    def __init__(self, kernel, grid, stream, arguments, handle):
        self.kernel, self.grid, self.stream, self.arguments = kernel, grid, stream, arguments
        self.compiled = CompiledKernel(handle)

    def __repr__(self):
        return f"<launch of {self.kernel.__name__}[{self.grid}]>"
