# SPDX-License-Identifier: Apache-2.0
"""Random pieces of kernels that copy to a local memory, compute there, and copy back."""

ELEMS = {"int32": 4, "float32": 4, "float16": 2, "int16": 2}
BINARY = ("add", "sub", "mul", "max", "min")
WITH_SCALAR = ("adds", "muls", "maxs", "mins")


class VectorMaker:
    def vector(self, env, depth, loops):
        """A row of an output: loaded, or filled, changed by some ops, stored."""
        outputs = [n for n in self.outputs if n in env and env[n].elem in ELEMS]
        if not outputs:
            return []
        name = self.rng.choice(outputs)
        elem = env[name].elem
        count, size = 16, ELEMS[elem]
        first, second = self.fresh("ub"), self.fresh("ub")
        base = self.pick(0, 512, 4096)
        barrier = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"
        lines = [
            f"{first} = asc.LocalTensor(asc.{elem}, asc.TPosition.VECIN, {base}, {count})",
            f"{second} = asc.LocalTensor(asc.{elem}, asc.TPosition.VECOUT, {base + 32 * size}, {count})",
            f"asc.data_copy({first}, {name}, {count})",
            self.ordered("MTE2_V"),
            f"asc.duplicate({second}, {self.scalar(env, elem)}, {count})",
        ]
        for _ in range(self.rng.randrange(1, 4)):
            dst, src, other = (self.pick(first, second) for _ in range(3))
            amount = self.pick(str(count), "8", f"({self.int_leaf(env)}) & 15")
            if self.chance(0.5):
                lines.append(f"asc.{self.pick(*BINARY)}({dst}, {src}, {other}, {amount})")
            else:
                lines.append(
                    f"asc.{self.pick(*WITH_SCALAR)}({dst}, {src}, {self.scalar(env, elem)}, {amount})"
                )
            if self.chance(0.2):
                lines.append("asc.pipe_barrier(asc.PipeID.PIPE_V)")
        if self.chance(0.4):
            kind = "float" if elem.startswith("f") else "int"
            target = self.target(env, kind)
            lines += [barrier, f"{target} = {self.pick(first, second)}.get_value({self.index(env)})"]
            lines += [
                f"{self.pick(first, second)}.set_value({self.rng.randrange(16)}, {self.scalar(env, elem)})"
            ]
        lines += [
            barrier,
            self.ordered("V_MTE3"),
            f"asc.data_copy({name}[16:], {self.pick(first, second)}, {count})",
            barrier,
        ]
        return "\n".join(lines).split("\n")

    def ordered(self, event):
        return f"asc.set_flag(asc.HardEvent.{event})\nasc.wait_flag(asc.HardEvent.{event})"

    def scalar(self, env, elem):
        if elem.startswith("f"):
            return self.pick(self.float_leaf(env), "0.5", "2", self.float_expr(env, 1))
        return self.pick("3", "-2", f"({self.int_expr(env, 1)}) & 63")
