# SPDX-License-Identifier: Apache-2.0
"""Loops in the fuzzer's static reading of a kernel. See annotate.py."""

import ast

from known import Lit, Num, Tensor, call_of, truth
from language_types import Refused
from paths import Conflict, Loop, Maybe, adapt, assigned, hole, merge, merge_values


class Loops:
    def stmt_For(self, stmt, env):
        call = stmt.iter
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if name in ("range", "asc.range") and not (name == "range" and "range" in env):
            dtype, out, runs = self.range_of(call, env)
            return self.loop(stmt, env, dtype, out, runs)
        if name == "reversed" and ast.unparse(call.args[0]).startswith(("range(", "asc.range(")):
            dtype, out, runs = self.range_of(call.args[0], env)
            if len(call.args[0].args) == 3:
                raise Refused("a step in a reversed range")
            out.func, out.args[0] = (
                ast.Name("_downwards", ast.Load()),
                ast.Constant("int64" if dtype[0] == "u" else dtype),
            )
            return self.loop(stmt, env, out.args[0].value, out, runs)
        over, out = self.expr(stmt.iter, env)
        items = self.items_of(over)
        return self.unrolled(stmt, env, items, out)

    def unrolled(self, stmt, env, items, out):
        """One copy of the body an item, each in a loop of one turn if a jump can leave it."""
        name = f"_items_{len(self.out)}_{stmt.lineno}_{stmt.col_offset}"
        jumps = any(isinstance(n, (ast.Break, ast.Continue)) for s in stmt.body for n in ast.walk(s))
        stop = f"_stop{name}" if jumps else None
        loop = Loop(stop)
        made = [ast.Assign([ast.Name(name, ast.Store())], call_of("list", out))]
        if jumps:
            made.append(ast.Assign([ast.Name(stop, ast.Store())], ast.Constant(False)))
        inside = made
        for index, item in enumerate(items):
            if env is None:
                break
            self.unpack(stmt.target, item, env)
            value = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(index), ast.Load())
            inside.append(ast.Assign([stmt.target], value))
            if not jumps:
                body, env = self.block(stmt.body, env)
                inside += body
                continue
            self.loops.append(loop)
            body, env, place = self.branch(stmt.body, env)
            self.loops.pop()
            if env is not None:
                loop.turns.append((env, place))
            env = self.meet(loop.turns)
            loop.turns.clear()
            turn = ast.While(ast.Constant(True), [*body, ast.Break()], [])
            rest = []
            inside += [turn, ast.If(ast.UnaryOp(ast.Not(), ast.Name(stop, ast.Load())), rest, [])]
            rest.append(ast.Pass())
            inside = rest
        if env is not None:
            body, env = self.block(stmt.orelse, env)
            inside += body
        if jumps:
            if env is not None:
                loop.breaks.append((env, hole()))
                inside.append(loop.breaks[-1][1])
            env = self.meet(loop.breaks)
        return made, env

    def meet(self, ends):
        """The environment where these paths meet; None if there is none."""
        result = merge([end for end, _ in ends]) if ends else None
        for end, place in ends:
            adapt(end, result, place)
        return result

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
            stale = [n for turn_env, _ in loop.turns for n in head if isinstance(turn_env.get(n), Conflict)]
            for name in (n for n in dict.fromkeys([*names, *stale]) if n in head):
                if isinstance(head[name], Conflict):
                    continue
                maybe = isinstance(head[name], Maybe)
                old = value = head[name].value if maybe else head[name]
                for turn_env, _ in loop.turns:
                    value = merge_values(
                        value, turn_env[name].value if isinstance(turn_env[name], Maybe) else turn_env[name]
                    )
                differs = isinstance(value, Num) and value != old
                if isinstance(value, Tensor) and isinstance(old, Tensor):
                    differs = value.objects != old.objects
                if isinstance(value, Conflict) or differs:
                    head[name] = Maybe(value) if maybe and isinstance(value, Num) else value
                    changed = True
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
        result = self.meet(exits)
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
