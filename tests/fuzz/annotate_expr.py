# SPDX-License-Identifier: Apache-2.0
"""Expressions of the fuzzer's static reading of a kernel: what is known of a value before it runs, and the
expression as the oracle
runs it. See annotate.py."""

import ast
import dataclasses
import operator

from values import Finding, Refused, Scalar, binary_types, cast, computed, join, meet, natural, promote

# ---- what is known of a value ----


@dataclasses.dataclass(frozen=True)
class Lit:
    """A compile-time number; `dtype` where a cast or an annotation pins it."""

    value: object
    dtype: str | None = None

    @property
    def natural(self):
        return self.dtype or natural(self.value)

    @property
    def operand(self):
        return self.dtype or self.value

    def same(self, other):
        return (
            isinstance(other, Lit)
            and type(self.value) is type(other.value)
            and repr(self.value) == repr(other.value)
            and self.dtype == other.dtype
        )


@dataclasses.dataclass(frozen=True)
class Num:
    """A runtime number. `literal`: it began as a Python literal, so its variable may take another type
    where paths meet."""

    dtype: str
    literal: bool = False

    @property
    def natural(self):
        return self.dtype

    @property
    def operand(self):
        return self.dtype


@dataclasses.dataclass(frozen=True)
class Tensor:
    elem: str | None
    local: bool


@dataclasses.dataclass(frozen=True)
class Pointer:
    elem: str


@dataclasses.dataclass(eq=False)
class Seq:
    items: list
    is_list: bool


@dataclasses.dataclass(frozen=True)
class Obj:
    """Any other compile-time object: None, a dtype's name, a function, a module."""

    value: object


NUMBERS = (Lit, Num)
OPERATORS = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
COMPARISONS = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}
BUILTINS = {
    "min": min,
    "max": max,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
    "len": len,
    "divmod": divmod,
    "pow": pow,
    "sum": sum,
    "any": any,
    "all": all,
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
}
DTYPE_NAMES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"}


def call_of(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def constant(lit):
    if lit.dtype is None:
        return ast.Constant(lit.value)
    return call_of("_c", ast.Constant(lit.value), ast.Constant(lit.dtype))


def static(value):
    """The Python object of a compile-time value; None if it is not one (and for None)."""
    if isinstance(value, (Lit, Obj)):
        return value.value
    if isinstance(value, Seq) and all(is_static(item) for item in value.items):
        return (list if value.is_list else tuple)(static(item) for item in value.items)
    return None


def is_static(value):
    return (
        isinstance(value, (Lit, Obj))
        or isinstance(value, Seq)
        and all(is_static(item) for item in value.items)
    )


def truth(value):
    """True or False if it is known before the kernel runs, else None."""
    if isinstance(value, (Lit, Obj)):
        return bool(value.value)
    if isinstance(value, Seq):
        return bool(value.items)
    if isinstance(value, Num):
        return None
    raise Refused("no truth value")


def choose(yes, no):
    """A value by a runtime condition."""
    if isinstance(yes, (Lit, Obj)) and (yes.same(no) if isinstance(yes, Lit) else yes == no):
        return yes
    if isinstance(yes, Tensor) and yes == no:
        return yes
    if not (isinstance(yes, NUMBERS) and isinstance(no, NUMBERS)):
        raise Refused("a condition that chooses between objects")
    if isinstance(yes, Lit) and isinstance(no, Lit):
        dtype = join(yes.natural, yes.dtype is None, no.natural, no.dtype is None) or promote(
            yes.natural, no.natural
        )
    elif yes.operand == no.operand and isinstance(yes, Num):
        dtype = yes.dtype
    elif {type(yes), type(no)} == {Lit, Num} and yes.natural == no.natural == "bool":
        dtype = "bool"
    else:
        dtype = meet(yes.operand, no.operand)
    return Num(dtype)


def binary_value(op, evaluate, a, b):
    if isinstance(a, Seq) or isinstance(b, Seq):
        if op == "+" and isinstance(a, Seq) and isinstance(b, Seq) and a.is_list == b.is_list:
            return Seq([*a.items, *b.items], a.is_list)
        seq, count = (a, b) if isinstance(a, Seq) else (b, a)
        if op == "*" and isinstance(count, Lit):
            return Seq(seq.items * count.value, seq.is_list)
        raise Refused(f"{op} of sequences")
    if isinstance(a, Pointer) and op in "+-" and isinstance(b, NUMBERS):
        return a
    if isinstance(b, Pointer) and op == "+" and isinstance(a, NUMBERS):
        return b
    if not (isinstance(a, NUMBERS) and isinstance(b, NUMBERS)):
        raise Refused(f"{op} of objects")
    if isinstance(a, Lit) and isinstance(b, Lit):
        try:
            value = evaluate(a.value, b.value)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Refused(str(error)) from error
        if isinstance(value, complex):
            raise Refused("a complex number")
        if a.dtype is None and b.dtype is None:
            if not isinstance(value, float):
                natural(value)
            return Lit(value)
        dtype = binary_types(op, a.operand, b.operand)[1]
        if not isinstance(value, float):
            cast_static(value, dtype)
        return Lit(value) if isinstance(value, bool) else Lit(value, dtype)
    return Num(binary_types(op, a.operand, b.operand)[1])


def cast_static(value, dtype):
    try:
        result = cast(value, dtype).value
    except (Finding, OverflowError, ValueError) as error:
        raise Refused(str(error)) from error
    return bool(result) if dtype == "bool" else float(value) if dtype[0] == "f" else int(result)


def compare_value(op, a, b):
    name, evaluate = COMPARISONS[type(op)]
    if isinstance(a, Lit) and isinstance(b, Lit):
        return Lit(evaluate(a.value, b.value))
    if not (isinstance(a, NUMBERS) and isinstance(b, NUMBERS)):
        raise Refused("a comparison of objects")
    binary_types(name, a.operand, b.operand)
    return Num("bool")


class Expressions:
    """Gives (what is known, the expression to run) for an expression in an environment {name: what is
    known}. `call` and `read` are
    annotate.Annotator's."""

    def expr(self, node, env, condition=False):
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            raise Refused(f"{type(node).__name__} is not supported")
        if isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
            return method(node, env, condition)
        return method(node, env)

    def folded(self, node, out, value):
        """A compile-time value in an expression's place; calls of helpers in it still run."""
        made = constant(value) if isinstance(value, Lit) else ast.Constant(value)
        if any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in self.functions
            for n in ast.walk(node)
        ):
            return call_of("_second", out, made)
        return made

    def used(self, node, env):
        """An expression whose value is used: it must lie in its type."""
        value, out = self.expr(node, env)
        if isinstance(value, Num) and not isinstance(node, (ast.Name, ast.Constant)):
            out = call_of("_u", out)
        return value, out

    def expr_Constant(self, node, env):
        if isinstance(node.value, (bool, int, float)):
            if not isinstance(node.value, float):
                natural(node.value)
            return Lit(node.value), node
        return Obj(node.value), node

    def expr_Name(self, node, env):
        value = self.read(node.id, env)
        return value, constant(value) if isinstance(value, Lit) else node

    def expr_BinOp(self, node, env):
        a, left = self.expr(node.left, env)
        b, right = self.expr(node.right, env)
        op, evaluate = OPERATORS[type(node.op)]
        value = binary_value(op, evaluate, a, b)
        out = ast.BinOp(left, node.op, right)
        return value, self.folded(node, out, value) if isinstance(value, Lit) else out

    def expr_UnaryOp(self, node, env, condition=False):
        if isinstance(node.op, ast.Not):
            value, out = self.expr(node.operand, env, condition)
            known = truth(value)
            if known is not None:
                return Lit(not known), self.folded(node, out, Lit(not known))
            return Num("bool"), ast.UnaryOp(node.op, out) if condition else call_of("_not", out)
        value, out = self.expr(node.operand, env)
        if isinstance(value, Num):
            if isinstance(node.op, ast.Invert) and value.dtype[0] == "f":
                raise Refused("~ of a float")
            return Num(computed(value.dtype)), ast.UnaryOp(node.op, out)
        if not isinstance(value, Lit):
            raise Refused("a sign of an object")
        result = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}[type(node.op)]
        try:
            result = Lit(result(value.value), value.dtype)
        except TypeError as error:
            raise Refused(str(error)) from error
        if value.dtype:
            cast_static(result.value, value.dtype)
        return result, self.folded(node, out, result)

    def expr_BoolOp(self, node, env, condition=False):
        is_and = isinstance(node.op, ast.And)
        pairs = [self.expr(item, env, condition) for item in node.values]

        def fold(index):
            value = pairs[index][0]
            if index + 1 == len(pairs):
                return value
            known = truth(value)
            if known is not None:
                return fold(index + 1) if known == is_and else value
            rest = fold(index + 1)
            if condition:
                return Num("bool")
            return choose(rest, value) if is_and else choose(value, rest)

        value = fold(0)
        out = ast.BoolOp(node.op, [out for _, out in pairs])
        if isinstance(value, Lit):
            return value, self.folded(node, out, value)
        return value, out if condition or not isinstance(value, Num) else call_of(
            "_c", out, ast.Constant(value.dtype)
        )

    def expr_Compare(self, node, env, condition=False):
        pairs = [self.expr(item, env) for item in [node.left, *node.comparators]]
        known = Lit(True)
        out = ast.Compare(pairs[0][1], node.ops, [out for _, out in pairs[1:]])
        for i, op in enumerate(node.ops):
            a, b = pairs[i][0], pairs[i + 1][0]
            if isinstance(op, (ast.In, ast.NotIn)):
                result = self.contains(a, b, isinstance(op, ast.NotIn))
            else:
                result = compare_value(op, a, b)
            if isinstance(result, Lit) and not result.value and isinstance(known, Lit):
                return Lit(False), self.folded(node, out, Lit(False))
            if isinstance(result, Num):
                known = result
        if isinstance(known, Lit):
            return known, self.folded(node, out, known)
        return known, out if condition else call_of("_c", out, ast.Constant("bool"))

    def contains(self, item, container, negate):
        if not isinstance(container, Seq):
            raise Refused("in of no sequence")
        results = [compare_value(ast.Eq(), item, candidate) for candidate in container.items]
        if all(isinstance(result, Lit) for result in results):
            return Lit(any(result.value for result in results) != negate)
        if any(isinstance(result, Lit) and result.value for result in results):
            return Lit(not negate)
        return Num("bool")

    def expr_IfExp(self, node, env):
        test, out_test = self.expr(node.test, env, True)
        known = truth(test)
        if known is not None:
            value, out = self.expr(node.body if known else node.orelse, env)
            return value, ast.IfExp(self.folded(node.test, out_test, Lit(known)), out, out)
        yes, out_yes = self.expr(node.body, env)
        no, out_no = self.expr(node.orelse, env)
        value = choose(yes, no)
        out = ast.IfExp(out_test, out_yes, out_no)
        return value, call_of("_c", out, ast.Constant(value.dtype)) if isinstance(value, Num) else out

    def expr_NamedExpr(self, node, env):
        value, out = self.expr(node.value, env)
        return self.bind(node.target.id, value, env), ast.NamedExpr(
            node.target, self.checked(node.value, value, out)
        )

    def sequence(self, node, env):
        pairs = [self.used(item, env) for item in node.elts]
        return Seq([value for value, _ in pairs], isinstance(node, ast.List)), type(node)(
            [out for _, out in pairs], ast.Load()
        )

    expr_Tuple = sequence
    expr_List = sequence

    def expr_ListComp(self, node, env):
        (generator,) = node.generators
        over, out_over = self.expr(generator.iter, env)
        items, texts, outs = [], set(), []
        inner = dict(env)
        for item in self.items_of(over):
            self.unpack(generator.target, item, inner)
            value, out = self.used(node.elt, inner)
            items.append(value)
            texts.add(ast.unparse(out))
            outs.append(out)
        if len(texts) != 1 or generator.ifs:
            raise Refused("a comprehension whose items differ in kind")
        return Seq(items, True), ast.ListComp(outs[0], [ast.comprehension(generator.target, out_over, [], 0)])

    def items_of(self, value):
        if isinstance(value, Seq):
            return value.items
        if isinstance(value, Obj) and isinstance(value.value, (range, tuple, list)):
            return [Lit(item) for item in value.value]
        raise Refused("not iterable before the kernel runs")

    def expr_Subscript(self, node, env):
        value, out = self.expr(node.value, env)
        if isinstance(value, Tensor):
            if isinstance(node.slice, ast.Slice):
                parts = [part and self.used(part, env)[1] for part in (node.slice.lower, node.slice.upper)]
                return value, ast.Subscript(out, ast.Slice(*parts, None), ast.Load())
            return value, ast.Subscript(out, self.used(node.slice, env)[1], ast.Load())
        if not isinstance(value, Seq):
            raise Refused("an item of no sequence")
        if isinstance(node.slice, ast.Slice):
            bounds = [part and self.expr(part, env)[0] for part in (node.slice.lower, node.slice.upper)]
            if any(bound is not None and not isinstance(bound, Lit) for bound in bounds):
                raise Refused("a slice with runtime bounds")
            first, last = (bound and bound.value for bound in bounds)
            return Seq(value.items[first:last], value.is_list), ast.Subscript(out, node.slice, ast.Load())
        index = self.expr(node.slice, env)[0]
        if not isinstance(index, Lit) or not -len(value.items) <= index.value < len(value.items):
            raise Refused("a runtime index")
        return value.items[index.value], ast.Subscript(out, constant(index), ast.Load())

    def expr_Attribute(self, node, env):
        value, out = self.expr(node.value, env)
        if isinstance(value, (Tensor, Pointer)) and node.attr == "dtype":
            return Obj(value.elem), out
        if value == Obj("asc"):
            if node.attr in DTYPE_NAMES or node.attr == "bool_":
                return Obj(node.attr.rstrip("_")), ast.Constant(node.attr.rstrip("_"))
            return Obj(f"asc.{node.attr}"), ast.Attribute(out, node.attr, ast.Load())
        if isinstance(value, Obj) and str(value.value).startswith("asc."):
            return Obj(f"{value.value}.{node.attr}"), ast.Attribute(out, node.attr, ast.Load())
        raise Refused(f"no attribute {node.attr}")


def scalar_of(lit):
    """A compile-time number as the oracle computes with it."""
    return lit.value if lit.dtype is None else Scalar(lit.dtype, lit.value)
