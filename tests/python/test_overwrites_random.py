# SPDX-License-Identifier: Apache-2.0
"""Random tilings: an array cut into blocks, loops and tiles in any order, each index counted in some way, and
most of them then broken in one place or two. A launch that copies nothing in must write every element:
contiguous arrays show which are written. And whatever is copied, a strided result is the contiguous one."""

import importlib.util
import random
import sys

import numpy as np
from args_kernels import quietly

import asc
from asc import _asc

KERNELS = 300
HEAD = """
import asc


@asc.jit
def put(g: asc.GlobalTensor, at: int, local: asc.LocalTensor, count: int):
    asc.data_copy(g[at:], local, count)


@asc.jit
def put_unless(g: asc.GlobalTensor, at: int, local: asc.LocalTensor, count: int, bad: int):
    if at == bad:
        return
    asc.data_copy(g[at:], local, count)

"""


class Writer:
    """The text of one kernel. Its whole-number arguments are a0, a1, ...; `args` has their values."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.args, self.lines = [], []
        self.broken = rng.choice([0, 0, 1, 1, 1, 2])
        self.names = 0

    def breaks(self, chance=0.12):
        """Is something to go wrong here?"""
        if self.broken and self.rng.random() < chance:
            self.broken -= 1
            return True
        return False

    def number(self, value):
        """A literal, or an argument that has this value."""
        if self.rng.random() < 0.5:
            return str(value)
        self.args.append(value)
        return f"a{len(self.args) - 1}"

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def put(self, depth, line):
        self.lines.append("    " * depth + line)

    def write(self, depth, at, count):
        """The innermost: `count` elements from `at` on."""
        rng = self.rng
        if self.breaks():
            at = f"{at} + {rng.choice([1, 8, -8])}"
        if self.breaks():
            count += rng.choice([-8, -1])
        if self.breaks():
            at = rng.choice([f"({at}) // 16 * 16", f"({at}) % {rng.choice([24, 64])}", f"max({at}, 8)"])
        kind = rng.choice(["copy", "copy", "elements", "helper", "pad", "unless"])
        if kind == "copy":
            self.put(depth, f"asc.data_copy(g[{at}:], local, {self.number(count)})")
        elif kind == "helper":
            self.put(depth, f"put(g, {at}, local, {self.number(count)})")
        elif kind == "unless":
            bad = rng.choice([8, 16, 24]) if self.breaks(0.5) else -1
            self.put(depth, f"put_unless(g, {at}, local, {self.number(count)}, {bad})")
        elif kind == "pad":
            blocks = rng.choice([b for b in (1, 2, 4) if count % b == 0])
            gap = 4 if self.breaks() else 0
            size = f"{self.number(count // blocks)} * 4"
            params = f"asc.DataCopyExtParams({blocks}, {size}, 0, {gap})"
            self.put(depth, f"asc.data_copy_pad(g[{at}:], local, {params})")
        else:
            var = self.fresh("e")
            self.put(depth, f"for {var} in range({self.number(count)}):")
            self.put(depth + 1, f"g.set_value({at} + {var}, 100 + {var})")

    def loop(self, depth, count, step):
        """A loop of `count` turns: the depth of its body, the text of turn * step, and what ends a turn."""
        rng, var, ends = self.rng, self.fresh("i"), []
        if self.breaks():
            count += rng.choice([-1, 1])
        if self.breaks():
            step += rng.choice([-8, 1, 8])
        kind = rng.choice(["up", "up", "down", "from", "steps", "carried", "while"])
        if kind == "up":
            self.put(depth, f"for {var} in range({self.number(count)}):")
            index = f"{var} * {self.number(step)}"
        elif kind == "down":
            stop = 0 if self.breaks() else -1
            self.put(depth, f"for {var} in range({self.number(count - 1)}, {stop}, -1):")
            index = f"{var} * {self.number(step)}"
        elif kind == "from":
            low = rng.randrange(-3, 4)
            self.put(depth, f"for {var} in range({low}, {self.number(low + count)}):")
            index = f"({var} - {self.number(low)}) * {step}"
        elif kind == "steps":
            self.put(depth, f"for {var} in range(0, {self.number(count * step)}, {max(step, 1)}):")
            index = var
        elif kind == "carried":
            at = self.fresh("p")
            self.put(depth, f"{at} = {self.number(0)}")
            self.put(depth, f"for {var} in range({self.number(count)}):")
            index = at
            move = f"{at} += {self.number(step)}"
            if self.breaks(0.3):
                move = rng.choice(
                    [f"{at} += {step} * ({var} % 2)", f"{at} = {at} * 2 + {step}", f"{at} = {step}"]
                )
            ends.append(move)
        else:
            self.put(depth, f"{var} = 0")
            self.put(depth, f"while {var} < {self.number(count)}:")
            index = f"{var} * {step}"
            ends.append(f"{var} += 1")
        if kind != "while" and self.breaks(0.2):
            turn = rng.choice([0, 1, count - 1])
            word = rng.choice(["continue", "break", "return"])
            self.put(depth + 1, f"if {var} {rng.choice(['==', '>='])} {turn}:")
            self.put(depth + 2, word)
        elif rng.random() < 0.2:
            self.put(depth + 1, f"if {var} > 1000:")
            self.put(depth + 2, rng.choice(["break", "return", "pass"]))
        return depth + 1, index, ends

    def guard(self, depth):
        """Something around what follows that is always true, or is not."""
        rng = self.rng
        if self.breaks():
            self.put(depth, f"if asc.get_block_idx() {rng.choice(['>', '==', '<'])} {rng.choice([0, 1])}:")
            return depth + 1
        if rng.random() < 0.15:
            condition = rng.choice(
                [f"{self.number(3)} > 2", "asc.get_block_idx() >= 0", "x_gm.get_value(0) == 5"]
            )
            self.put(depth, f"if {condition}:")
            return depth + 1
        return depth

    def text(self):
        rng = self.rng
        grid = rng.choice([1, 2, 3, 4])
        counts = [rng.randint(1, 4) for _ in range(rng.randint(0, 3))]
        tile = rng.choice([8, 16, 24])
        order = ["block", *range(len(counts))]
        rng.shuffle(order)
        steps, size = {}, tile
        for which in order:  # innermost first
            steps[which] = size
            size *= grid if which == "block" else counts[which]
        self.put(1, "x_gm = asc.GlobalTensor()")
        self.put(1, "x_gm.set_global_buffer(x)")
        self.put(1, "local = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 0, 64)")
        self.put(1, "for e in range(64):")
        self.put(2, "local.set_value(e, 1000 + e + asc.get_block_idx())")
        self.put(1, "asc.set_flag(asc.HardEvent.S_MTE3, 0)")
        self.put(1, "asc.wait_flag(asc.HardEvent.S_MTE3, 0)")
        block = f"asc.get_block_idx() * {self.number(steps['block'])}"
        if self.breaks():
            block = rng.choice([f"({block}) // 2", "0", f"{block} + asc.get_block_idx()"])
        self.put(1, "g = asc.GlobalTensor()")
        inside = rng.random() < 0.5
        self.put(1, f"g.set_global_buffer(out{' + ' + block if inside else ''})")
        places = [] if inside else [block]
        depth, ends = self.guard(1), []
        for i, count in enumerate(counts):
            depth, index, last = self.loop(depth, count, steps[i])
            ends.append((depth, last))
            places.append(index)
            depth = self.guard(depth)
        at = " + ".join(places) or "0"
        if rng.random() < 0.25 and tile > 8:  # in two pieces
            self.write(depth, at, 8)
            self.write(depth, f"{at} + 8", tile - 8)
        else:
            self.write(depth, at, tile)
        if self.breaks(0.05):
            self.put(depth, "g.set_global_buffer(out)")
        for at_depth, last in reversed(ends):
            for line in last:
                self.put(at_depth, line)
        if self.broken and rng.random() < 0.3:
            size += rng.choice([1, 8])
        parameters = "".join(f", a{i}: int" for i in range(len(self.args)))
        head = f"@asc.jit\ndef {self.name}(out: asc.GlobalAddress, x: asc.GlobalAddress{parameters}):\n"
        return head + "\n".join(self.lines) + "\n", grid, size


def launch(kernel, grid, out, x, args):
    """The error's type, or None; and whether nothing was copied in."""
    before = _asc._copy_counts()[1]
    try:
        quietly(kernel[grid], out, x, *args)
    except asc.KernelError as error:
        return type(error), _asc._copy_counts()[1] > before
    return None, _asc._copy_counts()[1] > before


def test_random_tilings(seed, tmp_path):
    rng = random.Random(seed)
    cases, text = [], HEAD
    for i in range(KERNELS):
        writer = Writer(rng, f"kernel{i}")
        source, grid, size = writer.text()
        cases.append((writer, source, grid, size))
        text += "\n" + source
    path = tmp_path / f"tilings_{seed}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    x = np.array([5], np.int32)
    whole = proven = failed = 0
    for writer, source, grid, size in cases:
        kernel = getattr(module, writer.name)
        # Other cores and numbers than the kernel was made for, too.
        launches = [(grid, writer.args), (grid + rng.choice([-1, 1]) or 1, writer.args)]
        if writer.args:
            other = list(writer.args)
            other[rng.randrange(len(other))] += rng.choice([-8, -1, 1])
            launches.append((grid, other))
        for cores, args in launches:
            told = f"seed {seed}, {cores} cores, {args}, {size} elements\n{source}"
            plain = [np.full(size, value, np.int32) for value in (-1, -2)]
            errors = [launch(kernel, cores, out, x, args)[0] for out in plain]
            base = np.full((size, 2), -1, np.int32)
            error, overwritten = launch(kernel, cores, base[:, 0], x, args)
            assert errors == [error, error], told
            assert (base[:, 1] == -1).all(), told
            if error:
                failed += 1
                kept = np.full(size, -1) if overwritten else plain[0]
                assert base[:, 0].tolist() == kept.tolist(), told
                continue
            written = plain[0] == plain[1]
            assert base[:, 0].tolist() == plain[0].tolist(), told
            assert written.all() or not overwritten, told
            whole += written.all()
            proven += overwritten
    print(f"{whole} launches wrote all of it, {proven} of these for certain; {failed} failed")
    assert proven > whole // 3, "the kernels or the proof are not what they were"
