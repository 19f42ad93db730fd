# SPDX-License-Identifier: Apache-2.0
"""Where paths of control flow meet, in the fuzzer's static reading of a kernel. See annotate.py."""

import ast

from known import NUMBERS, Lit, Num, Obj, Seq, Tensor, call_of, constant
from language_types import join


class Maybe:
    """A name that is set on some paths only."""

    def __init__(self, value):
        self.value = value


class Conflict:
    """A name whose values on two paths do not meet. `unclear`: the rules leave that open."""

    def __init__(self, unclear=False):
        self.unclear = unclear


class Loop:
    """Ways out of a loop's turn: (environment, hole) each. `stop`: of an unrolled loop, the flag that a break
    sets; a turn of it is a loop of one turn, which every jump leaves."""

    def __init__(self, stop=None):
        self.turns, self.breaks, self.stop = [], [], stop

    def jump(self, stmt, env):
        place, is_break = hole(), isinstance(stmt, ast.Break)
        (self.breaks if is_break else self.turns).append((env, place))
        if self.stop is None:
            return [place, stmt]
        flag = ast.Assign([ast.Name(self.stop, ast.Store())], ast.Constant(True))
        return [place, *([flag] if is_break else []), ast.Break()]


def hole():
    """A place in the program that is filled when it is known what must stand there."""
    return ast.If(ast.Constant(True), [], [])


def merge_values(a, b):
    for value in (a, b):
        if isinstance(value, Conflict):
            return value
    if a is b or isinstance(a, Lit) and a.same(b) or isinstance(a, Obj) and a == b:
        return a
    if isinstance(a, Tensor) and a == b:
        return a if a.objects == b.objects else a.or_else(b)
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
    """Names that a statement assigns, in the order of its text."""
    stores = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return list(dict.fromkeys(n.id for n in stores))
