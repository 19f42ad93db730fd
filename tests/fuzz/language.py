# SPDX-License-Identifier: Apache-2.0
"""Random kernels, three ways: Python, the simulator, and the printed program on the host.

    python tests/fuzz/language.py --first 0 --count 500 [--no-host] [--keep FOLDER]

Each seed makes one module: a kernel and its helpers, of integers, booleans, branches, loops of all kinds,
jumps, tuples, small lists and global memory. Values are kept small by remainders, so that Python's integers
and the device's agree. A difference prints the seed and what each way gave; the exit status is then 1.
"""

import argparse
import importlib.util
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import host_exec
import numpy as np
from language_oracle import expected

OUT = 16


class Maker:
    """One random module. Names in `live` are integers that are set on every path to here."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.helpers = []
        self.counter = 0

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(list(items))

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # ---- expressions

    def integer(self, live, depth=0):
        kinds = (
            ["name"] * 4
            + ["literal"] * 2
            + ["binary"] * 4
            + ["divide", "choose", "minmax", "shift", "unary", "load", "number"]
        )
        if self.helpers:
            kinds += ["call"] * 2
        if depth > 2:
            kinds = ["name", "name", "literal"]
        kind = self.pick(kinds)
        sub = lambda: self.integer(live, depth + 1)  # noqa: E731
        if kind == "name" and live:
            return self.pick(sorted(live))
        if kind == "binary":
            return f"(({sub()} {self.pick('+-*')} {sub()}) % {self.pick([7, 13, 97, 251])})"
        if kind == "divide":
            divisor = self.pick(
                [str(self.pick([2, 3, 5, -2, -3])), f"({sub()} % 5 + 1)", f"(-({sub()} % 4) - 1)"]
            )
            return f"({sub()} {self.pick(['//', '%'])} {divisor})"
        if kind == "choose":
            return f"({sub()} if {self.condition(live, depth + 1)} else {sub()})"
        if kind == "minmax":
            return f"{self.pick(['min', 'max'])}({sub()}, {sub()})"
        if kind == "shift":
            return f"(({sub()} % 64) {self.pick(['<<', '>>', '&', '|', '^'])} {self.pick([1, 2, 3])})"
        if kind == "unary":
            return self.pick([f"(-{sub()})", f"abs({sub()})", f"(~{sub()} % 50)"])
        if kind == "load":
            return f"o.get_value({sub()} % {OUT})"
        if kind == "number":
            return f"int({self.condition(live, depth + 1)})"
        if kind == "call":
            name, arity, _ = self.pick([h for h in self.helpers if h[2] == 1] or self.helpers)
            if _ == 1:
                return f"{name}({', '.join([sub() for _ in range(arity)])})"
        return str(self.random.randint(-9, 20))

    def condition(self, live, depth=0):
        kind = (
            self.pick(["compare"] * 4 + ["and", "or", "not", "chain", "truth", "in"])
            if depth < 3
            else "compare"
        )
        sub = lambda: self.integer(live, depth + 1)  # noqa: E731
        if kind in ("and", "or"):
            return f"({self.condition(live, depth + 1)} {kind} {self.condition(live, depth + 1)})"
        if kind == "not":
            return f"(not {self.condition(live, depth + 1)})"
        if kind == "chain":
            return f"({sub()} < {sub()} <= {sub()})"
        if kind == "truth":
            return f"bool({sub()})"
        if kind == "in":
            return f"({sub()} in (1, {sub()}, 3))"
        return f"({sub()} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {sub()})"

    # ---- statements: each gives the names that are set behind it, or None if nothing runs behind it

    def block(self, live, indent, loops, budget, in_loop, helper):
        made = 0
        for _ in range(self.random.randint(1, 4)):
            if budget[0] <= 0:
                break
            budget[0] -= 1
            live = self.statement(live, indent, loops, budget, in_loop, helper)
            made += 1
            if live is None:
                return None
        if not made:
            self.emit(indent, "pass")
        return live

    def emit(self, indent, text):
        self.lines.append("    " * indent + text)

    def target(self, live):
        if live and self.chance(0.6):
            return self.pick([n for n in sorted(live) if not n.startswith("i")] or ["x"])
        return self.pick(["x", "y", "z", "u", "v", "w"])

    def statement(self, live, indent, loops, budget, in_loop, helper):
        kinds = (
            ["assign"] * 5
            + ["augment"] * 3
            + ["store"] * 2
            + ["if"] * 4
            + ["tuple", "walrus", "unrolled", "list"]
        )
        if loops < 2:
            kinds += ["for"] * 3 + ["while"] * 2
        if in_loop:
            kinds += ["jump"] * 2
        if any(h[2] > 1 for h in self.helpers):
            kinds += ["several"] * 2
        if self.chance(0.04) and indent > 1:
            kinds = ["return"]
        return getattr(self, "make_" + self.pick(kinds))(set(live), indent, loops, budget, in_loop, helper)

    def make_assign(self, live, indent, *_):
        name = self.target(live)
        self.emit(indent, f"{name} = {self.integer(live)}")
        return live | {name}

    def make_augment(self, live, indent, *rest):
        names = [n for n in sorted(live) if not n.startswith("i")]
        if not names:
            return self.make_assign(live, indent, *rest)
        name = self.pick(names)
        self.emit(indent, f"{name} {self.pick(['+', '-', '^'])}= {self.integer(live)} % 19")
        self.emit(indent, f"{name} %= 1009")
        return live

    def make_store(self, live, indent, *_):
        self.emit(indent, f"o.set_value({self.integer(live)} % {OUT}, {self.integer(live)})")
        return live

    def make_tuple(self, live, indent, *_):
        first, second = self.random.sample(["x", "y", "z", "u", "v", "w"], 2)
        self.emit(indent, f"{first}, {second} = {self.integer(live)}, {self.integer(live)}")
        return live | {first, second}

    def make_walrus(self, live, indent, *_):
        name = self.target(live)
        other = self.target(live)
        self.emit(indent, f"{other} = {self.integer(live)} + ({name} := {self.integer(live)})")
        return live | {name, other}

    def make_list(self, live, indent, *_):
        name = self.target(live)
        items = ", ".join(self.integer(live, 1) for _ in range(3))
        holder = self.fresh("items")
        self.emit(indent, f"{holder} = [{items}]")
        if live and self.chance(0.5):
            changed = self.pick([n for n in sorted(live) if not n.startswith("i")] or ["x"])
            self.emit(indent, f"{changed} = {self.integer(live, 1)}")
            live = live | {changed}
        self.emit(
            indent, f"{name} = sum([e % 11 for e in {holder}]) + {holder}[{self.random.randint(-3, 2)}] % 13"
        )
        return live | {name}

    def make_several(self, live, indent, *_):
        name, arity, results = self.pick([h for h in self.helpers if h[2] > 1])
        names = self.random.sample(["x", "y", "z", "u", "v", "w"], results)
        args = ", ".join(self.integer(live, 1) for _ in range(arity))
        self.emit(indent, f"{', '.join(names)} = {name}({args})")
        return live | set(names)

    def make_if(self, live, indent, loops, budget, in_loop, helper):
        self.emit(indent, f"if {self.condition(live)}:")
        ends = [self.block(live, indent + 1, loops, budget, in_loop, helper)]
        if self.chance(0.3):
            self.emit(indent, f"elif {self.condition(live)}:")
            ends.append(self.block(live, indent + 1, loops, budget, in_loop, helper))
        if self.chance(0.6):
            self.emit(indent, "else:")
            ends.append(self.block(live, indent + 1, loops, budget, in_loop, helper))
        else:
            ends.append(live)
        ends = [e for e in ends if e is not None]
        return set.intersection(*ends) if ends else None

    def make_for(self, live, indent, loops, budget, in_loop, helper):
        name = self.fresh("i")
        stride = self.pick(
            [
                "2",
                f"{self.integer(live, 1)} % 3 + 1",
                f"-({self.integer(live, 1)} % 3) - 1",
            ]
        )
        bounds = self.pick(
            [
                f"{self.random.randint(0, 5)}",
                f"{self.integer(live, 1)} % 6",
                f"{self.random.randint(-3, 2)}, {self.integer(live, 1)} % 5",
                f"{self.integer(live, 1)} % 7, {self.random.randint(-4, 1)}, -{self.random.randint(1, 3)}",
                f"{self.integer(live, 1)} % 5, {self.integer(live, 1)} % 9, {stride}",
            ]
        )
        self.emit(indent, f"for {name} in range({bounds}):")
        self.block(live | {name}, indent + 1, loops + 1, budget, True, helper)
        if self.chance(0.2):
            self.emit(indent, "else:")
            self.block(live, indent + 1, loops, budget, in_loop, helper)
        return live

    def make_while(self, live, indent, loops, budget, in_loop, helper):
        name = self.fresh("i")
        self.emit(indent, f"{name} = {self.random.randint(0, 5)}")
        test = self.pick([f"{name} > 0", f"{name} > 0 and {self.condition(live | {name}, 1)}", "True"])
        self.emit(indent, f"while {test}:")
        self.emit(indent + 1, f"{name} -= 1")
        if test == "True":
            self.emit(indent + 1, f"if {name} < 0:")
            self.emit(indent + 2, "break")
        self.block(live | {name}, indent + 1, loops + 1, budget, True, helper)
        if self.chance(0.2) and test != "True":
            self.emit(indent, "else:")
            self.block(live, indent + 1, loops, budget, in_loop, helper)
        return live | {name}

    def make_unrolled(self, live, indent, loops, budget, in_loop, helper):
        name = self.fresh("i")
        over = self.pick([f"asc.static_range({self.random.randint(1, 3)})", "(3, 1)", "reversed([2, 4])"])
        self.emit(indent, f"for {name} in {over}:")
        self.block(live | {name}, indent + 1, 2, budget, True, helper)
        return live

    def make_jump(self, live, indent, loops, budget, in_loop, helper):
        if self.chance(0.6):
            self.emit(indent, f"if {self.condition(live)}:")
            self.emit(indent + 1, self.pick(["break", "continue"]))
            return live
        self.emit(indent, self.pick(["break", "continue"]))
        return None

    def make_return(self, live, indent, loops, budget, in_loop, helper):
        self.emit(indent, self.returned(live, helper))
        return None

    def returned(self, live, helper):
        if not helper:
            return "return"
        values = [self.integer(live, 1) for _ in range(helper)]
        return "return " + ", ".join(f"({v}) % 1013" for v in values)

    # ---- the module

    def module(self):
        self.lines = ["import asc", ""]
        for _ in range(self.random.randint(0, 3)):
            arity, results = self.random.randint(1, 3), self.pick([1, 1, 2, 3])
            name = self.fresh("helper")
            params = ["a", "b", "c"][:arity]
            self.emit(0, "")
            self.emit(0, "@asc.jit")
            self.emit(0, f"def {name}({', '.join(params)}):")
            self.helper_body(params, results)
            self.helpers = self.helpers + [(name, arity, results)]
        self.emit(0, "")
        self.emit(0, "@asc.jit")
        self.emit(0, "def kernel(out: asc.GlobalAddress, p: int, q: int, K: asc.ConstExpr[int]):")
        self.emit(1, "o = asc.GlobalTensor()")
        self.emit(1, "o.set_global_buffer(out)")
        live = self.block({"p", "q", "K"}, 1, 0, [self.random.randint(8, 30)], False, 0)
        if live is not None:
            for i, name in enumerate(sorted(live)):
                self.emit(1, f"o.set_value({i % OUT}, o.get_value({i % OUT}) + {name} * {i + 1})")
        return "\n".join(self.lines) + "\n"

    def helper_body(self, params, results):
        # Helpers have no tensor of their own: loads and stores stay in the kernel.
        saved_integer, saved_store = self.integer, self.make_store
        plain = type(self).integer

        def integer(live, depth=0):
            while True:
                state = self.random.getstate()
                text = plain(self, live, depth)
                if "o.get_value" not in text:
                    return text
                self.random.setstate(state)
                self.random.random()

        self.integer = integer
        self.make_store = self.make_assign
        try:
            live = self.block(set(params), 1, 1, [self.random.randint(2, 8)], False, results)
            if live is not None:
                self.emit(1, self.returned(live, results))
        finally:
            self.integer, self.make_store = saved_integer, saved_store


def load(source, seed, folder):
    path = folder / f"fuzz_{seed}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(f"fuzz_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(seed):
    rng = random.Random(seed + 1)
    return rng.randint(-20, 40), rng.randint(-20, 40), rng.randint(-5, 9)


def run(first, count, with_host, folder):
    """The seeds that differ, with what was seen; kernels that the compiler refuses are counted."""
    wrong, batch, refused = [], [], 0
    import asc

    for seed in range(first, first + count):
        source = Maker(seed).module()
        module = load(source, seed, folder)
        args = arguments(seed)
        start = (np.arange(OUT, dtype=np.int32) * 7) % 11
        try:
            want = expected(module.kernel, start, *args)[0]
        except Exception as error:  # a shift by too much and its like: Python refuses the program itself
            print(f"seed {seed}: Python says {type(error).__name__}: {error}")
            continue
        got = start.copy()
        try:
            module.kernel[1](got, *args)
            text = module.kernel[1].compile(start, *args).text["ascendc"]
        except asc.CompileError as error:
            refused += 1
            print(f"seed {seed}: refused: {error.message}")
            continue
        except Exception as error:
            wrong.append((seed, f"{type(error).__name__}: {error}"))
            continue
        if not np.array_equal(got, want):
            wrong.append((seed, f"simulator {got.tolist()}\nPython    {want.tolist()}"))
        batch.append((seed, text, start, args, want))
    if with_host and batch:
        for at in range(0, len(batch), 50):
            part = batch[at : at + 50]
            try:
                kernels = host_exec.compile_batch([text for _, text, *_ in part])
            except host_exec.HostError as error:
                wrong.append((part[0][0], f"the host compiler: {str(error)[:2000]}"))
                continue
            for (seed, text, start, args, want), compiled in zip(part, kernels):
                values = {"out": start, "p": args[0], "q": args[1]}
                given = [values[p.name] for p in compiled.parameters]
                got = compiled.run("AIV_ONLY", 1, given).arrays[0]
                if not np.array_equal(got, want):
                    wrong.append((seed, f"printed {got.tolist()}\nPython  {want.tolist()}\n{text}"))
    return wrong, refused


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="one seed, with its source")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--no-host", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if options.seed is not None:
            print(Maker(options.seed).module())
            options.first, options.count = options.seed, 1
        wrong, refused = run(options.first, options.count, not options.no_host, folder)
    for seed, what in wrong:
        print(f"---- seed {seed}\n{what}")
    print(f"{options.count} kernels, {refused} refused, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
