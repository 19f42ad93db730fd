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
from annotate_expr import (
    NUMBERS,
    OPERATORS,
    Expressions,
    Lit,
    Num,
    Obj,
    Seq,
    Tensor,
    binary_value,
    call_of,
    cast_static,
    constant,
    is_static,
    natural,
    truth,
)
from values import Refused, Unclear, join


class Maybe:
    """A name that is set on some paths only."""

    def __init__(self, value):
        self.value = value


class Conflict:
    """A name whose values on two paths do not meet. `unclear`: the rules leave that open."""

    def __init__(self, unclear=False):
        self.unclear = unclear


class Loop:
    def __init__(self):
        self.turns, self.breaks = [], []


def hole():
    """A place in the program that is filled when it is known what must stand there."""
    return ast.If(ast.Constant(True), [], [])


def merge_values(a, b):
    for value in (a, b):
        if isinstance(value, Conflict):
            return value
    if a is b or isinstance(a, Lit) and a.same(b) or isinstance(a, (Tensor, Obj)) and a == b:
        return a
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        literals = [
            isinstance(v, Lit)
            and v.dtype is None
            and not isinstance(v.value, bool)
            or isinstance(v, Num)
            and v.literal
            for v in (a, b)
        ]
        dtype = join(a.natural, literals[0], b.natural, literals[1])
        return Num(dtype, all(literals)) if dtype else Conflict(any(literals))
    return a if type(a) is type(b) and not isinstance(a, (Lit, Seq, Obj)) and a == b else Conflict()


def merge(envs):
    """What is known where paths with these environments meet."""
    names = dict.fromkeys(name for env in envs for name in env)
    result = {}
    for name in names:
        values = [env.get(name) for env in envs]
        maybe = any(v is None or isinstance(v, Maybe) for v in values)
        bound = [v.value if isinstance(v, Maybe) else v for v in values if v is not None]
        value = bound[0]
        for other in bound[1:]:
            value = merge_values(value, other)
        result[name] = Maybe(value) if maybe else value
    return result


def adapt(env, target, place, names=None):
    """Fills a hole with the conversions from a path's types to those of the meeting point."""
    for name, want in target.items():
        have = env.get(name)
        maybe = isinstance(have, Maybe)
        want, have = (v.value if isinstance(v, Maybe) else v for v in (want, have))
        if (
            not isinstance(want, Num)
            or not isinstance(have, NUMBERS)
            or names is not None
            and name not in names
        ):
            continue
        if isinstance(have, Lit) or have.dtype != want.dtype:
            value = constant(have) if isinstance(have, Lit) else ast.Name(name, ast.Load())
            value = call_of("_c", value, ast.Constant(want.dtype))
            convert = ast.Assign([ast.Name(name, ast.Store())], value)
            if maybe:
                convert = ast.Try(
                    [convert],
                    [ast.ExceptHandler(ast.Name("NameError", ast.Load()), None, [ast.Pass()])],
                    [],
                    [],
                )
            place.body.append(convert)
    if not place.body:
        place.body.append(ast.Pass())


def assigned(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


class Annotator(Expressions, Calls):
    """`functions`: the module's helpers by name; `constants`: its other globals."""

    def __init__(self, functions, constants):
        self.functions, self.constants = functions, constants
        self.made, self.out, self.active = {}, [], []
        self.returns, self.loops = [], []

    # ---- functions ----

    def function(self, fdef, params, out_name):
        """Reads a function for these values of its parameters; gives what is known of its result."""
        if fdef.name in self.active:
            raise Refused("recursion")
        saved, self.returns, self.loops = (self.returns, self.loops), [], []
        self.active.append(fdef.name)
        try:
            body, end = self.block(fdef.body, dict(params))
            shape = self.result_shape(end is not None)
        finally:
            self.active.pop()
            (self.returns, self.loops) = saved
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
        out, end = self.block(stmts, dict(env))
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
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise Refused("this target is not supported")
        items = self.items_of(value)
        if len(items) != len(target.elts):
            raise Refused("values and names differ in number")
        for part, item in zip(target.elts, items):
            self.unpack(part, item, env)

    def stmt_Assign(self, stmt, env):
        first = stmt.targets[0]
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

    def stmt_AugAssign(self, stmt, env):
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

    def stmt_If(self, stmt, env):
        test, out_test = self.expr(stmt.test, env, True)
        known = truth(test)
        if known is not None:
            out, env = self.block(stmt.body if known else stmt.orelse, env)
            return [ast.Expr(out_test), *out], env
        body, then_end, then_hole = self.branch(stmt.body, env)
        other, else_end, else_hole = self.branch(stmt.orelse, env)
        ends = [(e, h) for e, h in ((then_end, then_hole), (else_end, else_hole)) if e is not None]
        result = merge([e for e, _ in ends]) if ends else None
        for end, place in ends:
            adapt(end, result, place)
        return [ast.If(out_test, body, other)], result

    def stmt_Return(self, stmt, env):
        value, out = self.used(stmt.value, env) if stmt.value else (Obj(None), ast.Constant(None))
        node = ast.Return(out)
        self.returns.append((value, node))
        return [node], None

    def stmt_Break(self, stmt, env):
        place = hole()
        self.loops[-1].breaks.append((env, place))
        return [place, stmt], None

    def stmt_Continue(self, stmt, env):
        place = hole()
        self.loops[-1].turns.append((env, place))
        return [place, stmt], None

    # ---- loops ----

    def stmt_For(self, stmt, env):
        call = stmt.iter
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if name in ("range", "asc.range") and not (name == "range" and "range" in env):
            dtype, out, runs = self.range_of(call, env)
            return self.loop(stmt, env, dtype, out, runs)
        over, out = self.expr(stmt.iter, env)
        items = self.items_of(over)
        if any(
            isinstance(n, (ast.Break, ast.Continue))
            for n in ast.walk(ast.Module(stmt.body + stmt.orelse, []))
        ):
            raise Refused("a jump in an unrolled loop")
        # One copy of the body an item.
        list_name = f"_items_{len(self.out)}_{stmt.lineno}_{stmt.col_offset}"
        made = [ast.Assign([ast.Name(list_name, ast.Store())], call_of("list", out))]
        for index, item in enumerate(items):
            if env is None:
                break
            self.unpack(stmt.target, item, env)
            made.append(
                ast.Assign(
                    [stmt.target],
                    ast.Subscript(ast.Name(list_name, ast.Load()), ast.Constant(index), ast.Load()),
                )
            )
            body, env = self.block(stmt.body, env)
            made += body
        if env is not None:
            body, env = self.block(stmt.orelse, env)
            made += body
        return made, env

    def stmt_While(self, stmt, env):
        return self.loop(stmt, env, None, None, False)

    def loop_head(self, stmt, env, names):
        """The environment at the head of every turn, the first included: numbers that the loop assigns are
        variables."""
        return {
            name: Num(value.natural, value.dtype is None and not isinstance(value.value, bool))
            if name in names and isinstance(value, Lit)
            else value
            for name, value in env.items()
        }

    def loop(self, stmt, env, dtype, out_range, runs):
        names = assigned(stmt)
        head = self.loop_head(stmt, env, names)
        returns = len(self.returns)
        while True:
            loop = Loop()
            turn = dict(head)
            test, always = None, False
            if dtype:
                self.unpack(stmt.target, Num(dtype), turn)
                exit_env = dict(head)
            else:
                value, test = self.expr(stmt.test, turn, True)
                if truth(value) is False:
                    return self.block(stmt.orelse, env)
                always = truth(value) is True
                exit_env = dict(turn)
            self.loops.append(loop)
            body, end, place = self.branch(stmt.body, turn)
            self.loops.pop()
            if end is not None:
                loop.turns.append((end, place))
            changed = False
            for name in names & head.keys():
                if isinstance(head[name], (Maybe, Conflict)):
                    continue
                value = head[name]
                for turn_env, _ in loop.turns:
                    value = merge_values(
                        value, turn_env[name].value if isinstance(turn_env[name], Maybe) else turn_env[name]
                    )
                if isinstance(value, Conflict) or isinstance(value, Num) and value != head[name]:
                    head[name], changed = value, True
            if not changed:
                break
            del self.returns[returns:]
        before = hole()
        adapt(env, head, before, names)
        for turn_env, place in loop.turns:
            adapt(turn_env, head, place, names)
        self.leave_head(exit_env, loop, names, runs)
        exits = list(loop.breaks)
        orelse = []
        if not always:
            orelse, end, place = self.branch(stmt.orelse, exit_env)
            if end is not None:
                exits.append((end, place))
        result = merge([e for e, _ in exits]) if exits else None
        for end, place in exits:
            adapt(end, result, place)
        if dtype:
            node = ast.For(stmt.target, out_range, body, orelse)
        else:
            node = ast.While(test, [ast.Expr(call_of("_turn")), *body], orelse)
        return [before, node], result

    def leave_head(self, exit_env, loop, names, runs):
        """Names behind the loop as the head leaves them, where no break was taken."""
        for name in names:
            ends = [turn_env[name] for turn_env, _ in loop.turns if name in turn_env]
            plain = [v.value if isinstance(v, Maybe) else v for v in ends]
            known = exit_env.get(name)
            if known is None and plain:
                value = plain[0]
                for other in plain[1:]:
                    value = merge_values(value, other)
                maybe = not runs or len(ends) < len(loop.turns) or any(isinstance(v, Maybe) for v in ends)
                exit_env[name] = Maybe(value) if maybe else value


def annotate(functions, constants, kernel, params):
    """The module to run, as an AST. `params`: what is known of the kernel's parameters."""
    annotator = Annotator(functions, constants)
    annotator.function(kernel, params, kernel.name)
    return ast.fix_missing_locations(ast.Module(annotator.out, []))


__all__ = ["annotate", "is_static", "natural"]
