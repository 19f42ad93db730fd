# SPDX-License-Identifier: Apache-2.0
"""A static reading of a kernel for the fuzzer's oracle.

In the language a variable has one type where paths of control flow meet; Python has no such thing. The
annotator follows every path
of a kernel's AST, finds these types by the language's rules, and gives back the same functions with
conversions in the places where
paths meet (and helpers once for each set of argument types). Python itself then runs the result. `Refused`
is raised where the
compiler must refuse the kernel.
"""

import ast

from annotate_calls import Calls
from annotate_expr import Expressions
from annotate_loops import Loops
from known import (
    NUMBERS,
    OPERATORS,
    Lit,
    Num,
    Obj,
    Record,
    Seq,
    binary_value,
    call_of,
    cast_static,
    constant,
    truth,
)
from language_types import Refused, Unclear
from paths import Conflict, Maybe, hole, merge_values


class Annotator(Expressions, Calls, Loops):
    """`functions`: the module's helpers by name; `constants`: its other globals."""

    def __init__(self, functions, constants, structs=()):
        self.functions, self.constants, self.structs = functions, constants, dict(structs)
        self.made, self.out, self.active = {}, [], []
        self.returns, self.loops = [], []
        self.regions, self.next_region = [0], 0
        self.tensor_of, self.next_tensor = {}, 0

    # ---- functions ----

    def function(self, fdef, params, out_name):
        """Reads a function for these values of its parameters; gives what is known of its result."""
        if fdef.name in self.active:
            raise Refused("recursion")
        saved, self.returns, self.loops = (self.returns, self.loops, self.regions), [], []
        self.next_region += 1
        self.regions = [self.next_region]
        self.active.append(fdef.name)
        try:
            body, end = self.block(fdef.body, dict(params))
            shape = self.result_shape(end is not None)
        finally:
            self.active.pop()
            (self.returns, self.loops, self.regions) = saved
        arguments = ast.arguments([], [ast.arg(name) for name in params], None, [], [], None, [])
        self.out.append(ast.FunctionDef(out_name, arguments, body or [ast.Pass()], []))
        return shape

    def result_shape(self, falls_off):
        values = [value for value, _ in self.returns]
        gives = any(value != Obj(None) for value in values)
        if not gives:
            return Obj(None)
        if falls_off:
            raise Refused("the end can be reached without a value")
        shape = self.meet_results(values)
        for _, node in self.returns:
            node.value = call_of("_c", node.value, ast.Constant(self.spec(shape)))
        return shape

    def meet_results(self, values):
        first = values[0]
        if isinstance(first, Seq):
            if not all(isinstance(v, Seq) and len(v.items) == len(first.items) for v in values):
                raise Refused("results of different lengths")
            return Seq(
                [self.meet_results(list(items)) for items in zip(*(v.items for v in values))], first.is_list
            )
        values = [Num(v.dtype) if isinstance(v, Num) else v for v in values]
        shape = values[0]
        for value in values[1:]:
            shape = merge_values(shape, value)
        if isinstance(shape, Conflict):
            raise (Unclear if shape.unclear else Refused)("results of different types")
        return shape

    def spec(self, shape):
        """What `_c` takes to convert a value to a shape."""
        if isinstance(shape, Seq):
            return tuple(self.spec(item) for item in shape.items)
        return shape.dtype if isinstance(shape, Num) else None

    # ---- statements ----

    def block(self, stmts, env):
        """(statements to run, environment behind them or None if control never gets there)"""
        out = []
        for stmt in stmts:
            if env is None:
                break
            made, env = getattr(self, f"stmt_{type(stmt).__name__}")(stmt, env)
            out += made
        return out, env

    def branch(self, stmts, env):
        """A block with a hole behind it, where it can be left."""
        self.next_region += 1
        self.regions.append(self.next_region)
        try:
            out, end = self.block(stmts, dict(env))
        finally:
            self.regions.pop()
        place = hole()
        if end is not None:
            out.append(place)
        return out or [ast.Pass()], end, place

    def stmt_Pass(self, stmt, env):
        return [], env

    def stmt_Expr(self, stmt, env):
        if isinstance(stmt.value, ast.Constant):
            return [], env
        return [ast.Expr(self.used(stmt.value, env)[1])], env

    def read(self, name, env):
        value = env.get(name)
        if isinstance(value, Maybe):
            raise Refused(f"{name} may be unset")
        if isinstance(value, Conflict):
            raise (Unclear if value.unclear else Refused)(f"{name} has two types")
        if value is not None:
            return value
        if name == "asc":
            return Obj("asc")
        if name in self.constants:
            return Lit(self.constants[name])
        if name in self.functions:
            return Obj(name)
        raise Refused(f"{name} is not defined")

    def bind(self, name, value, env, counts=False):
        """Binds a name; gives what is known of it now. `counts`: the value is the name's own old one and a
        number."""
        if isinstance(value, Num):
            old = env.get(name)
            value = Num(
                value.dtype, counts and isinstance(old, Num) and old.literal and old.dtype == value.dtype
            )
        env[name] = value
        return value

    def checked(self, node, value, out):
        """The right side of an assignment: used, and of the type that was found."""
        if isinstance(value, Num):
            return call_of("_a", out, ast.Constant(value.dtype))
        return self.folded(node, out, value) if isinstance(value, Lit) else out

    def unpack(self, target, value, env):
        if isinstance(target, ast.Name):
            self.bind(target.id, value, env)
            return
        if isinstance(target, ast.Attribute):
            raise Unclear("a field among several targets")
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise Refused("this target is not supported")
        items = self.items_of(value)
        if len(items) != len(target.elts):
            raise Refused("values and names differ in number")
        for part, item in zip(target.elts, items):
            self.unpack(part, item, env)

    def stmt_Assign(self, stmt, env):
        first = stmt.targets[0]
        if isinstance(first, ast.Attribute) and len(stmt.targets) == 1:
            value, out = self.expr(stmt.value, env)
            return [self.set_field(first, value, out, env)], env
        if isinstance(first, ast.Subscript) and len(stmt.targets) == 1:
            value, out = self.used(stmt.value, env)
            return [self.set_item(first, value, out, env)], env
        value, out = self.expr(stmt.value, env)
        if isinstance(first, ast.Name):
            counts = isinstance(stmt.value, ast.BinOp) and self.counts_on(
                stmt.value.left, stmt.value.right, first.id, env
            )
            out = self.checked(stmt.value, value, out)
            value = self.bind(first.id, value, env, counts)
        for target in stmt.targets[isinstance(first, ast.Name) :]:
            self.unpack(target, value, env)
        return [ast.Assign(stmt.targets, out)], env

    def counts_on(self, left, right, name, env):
        return (
            isinstance(left, ast.Name) and left.id == name and isinstance(self.expr(right, dict(env))[0], Lit)
        )

    def changeable(self, node, env):
        value, out = self.expr(node, env)
        if not isinstance(value, Seq) or not value.is_list or value.region != self.regions[-1]:
            raise Refused("a change of something else than a list of this block")
        return value, out

    def set_item(self, target, value, out, env):
        seq, place = self.changeable(target.value, env)
        index = self.expr(target.slice, env)[0]
        if not isinstance(index, Lit) or not -len(seq.items) <= index.value < len(seq.items):
            raise Refused("a runtime index")
        seq.items[index.value] = value
        return ast.Assign([ast.Subscript(place, constant(index), ast.Store())], out)

    def set_field(self, target, value, out, env):
        owner, place = self.expr(target.value, env)
        if not isinstance(owner, Record) or target.attr not in owner.fields:
            raise Refused("no such field")
        if owner.frozen:
            raise Refused("a change of the host's struct")
        return ast.Assign(
            [ast.Attribute(place, target.attr, ast.Store())],
            self.field_value(value, owner.fields[target.attr], out),
        )

    def stmt_AugAssign(self, stmt, env):
        if isinstance(stmt.target, ast.Attribute):
            read = ast.Attribute(stmt.target.value, stmt.target.attr, ast.Load())
            value, out = self.expr(ast.BinOp(read, stmt.op, stmt.value), env)
            return [self.set_field(stmt.target, value, out, env)], env
        if not isinstance(stmt.target, ast.Name):
            raise Refused("this target is not supported")
        name = stmt.target.id
        left = self.read(name, env)
        right, out = self.expr(stmt.value, env)
        op, evaluate = OPERATORS[type(stmt.op)]
        value = binary_value(op, evaluate, left, right)
        counts = isinstance(left, Num) and isinstance(right, Lit)
        self.bind(name, value, env, counts)
        old = constant(left) if isinstance(left, Lit) else ast.Name(name, ast.Load())
        out = ast.BinOp(old, stmt.op, out)
        return [ast.Assign([ast.Name(name, ast.Store())], self.checked(stmt.value, value, out))], env

    def stmt_AnnAssign(self, stmt, env):
        value, out = self.expr(stmt.value, env)
        pin = stmt.annotation.attr if isinstance(stmt.annotation, ast.Attribute) else None
        if pin:
            if not isinstance(value, NUMBERS):
                raise Refused("an annotated object")
            out = call_of("_cast", out, ast.Constant(pin))
            value = Lit(cast_static(value.value, pin), pin) if isinstance(value, Lit) else Num(pin)
        out = self.checked(stmt.value, value, out)
        self.bind(stmt.target.id, value, env)
        return [ast.Assign([stmt.target], out)], env

    def stmt_Assert(self, stmt, env):
        test, out = self.expr(stmt.test, env, True)
        if truth(test) is False:
            raise Refused("an assert that does not hold")
        return [ast.Expr(call_of("_assert", out))], env

    def stmt_If(self, stmt, env):
        test, out_test = self.expr(stmt.test, env, True)
        known = truth(test)
        if known is not None:
            out, env = self.block(stmt.body if known else stmt.orelse, env)
            return [ast.Expr(out_test), *out], env
        body, then_end, then_hole = self.branch(stmt.body, env)
        other, else_end, else_hole = self.branch(stmt.orelse, env)
        ends = [(e, h) for e, h in ((then_end, then_hole), (else_end, else_hole)) if e is not None]
        return [ast.If(out_test, body, other)], self.meet(ends)

    def stmt_Return(self, stmt, env):
        value, out = self.used(stmt.value, env) if stmt.value else (Obj(None), ast.Constant(None))
        node = ast.Return(out)
        self.returns.append((value, node))
        return [node], None

    def stmt_Break(self, stmt, env):
        return self.loops[-1].jump(stmt, env), None

    stmt_Continue = stmt_Break


def annotate(functions, constants, structs, kernel, params):
    """The module to run, as an AST. `params`: what is known of the kernel's parameters."""
    annotator = Annotator(functions, constants, structs)
    annotator.function(kernel, params, kernel.name)
    return ast.fix_missing_locations(ast.Module(annotator.out, []))
