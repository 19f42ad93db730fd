# SPDX-License-Identifier: Apache-2.0
"""Expressions of the fuzzer's static reading of a kernel: what is known of a value before it runs, and the
expression as the oracle runs it. See annotate.py."""

import ast
import operator

from known import (
    DTYPE_NAMES,
    OPERATORS,
    Lit,
    Num,
    Obj,
    Pointer,
    Record,
    Seq,
    Tensor,
    binary_value,
    call_of,
    cast_static,
    choose,
    compare_value,
    constant,
    truth,
)
from language_types import Refused, Unclear, computed, natural


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

    def sometimes(self, *nodes):
        """Operands that may not be evaluated: this reading does not follow names that they bind."""
        if any(isinstance(n, ast.NamedExpr) for node in nodes for n in ast.walk(node)):
            raise Unclear("a name bound in a part that may not run")

    def expr_BoolOp(self, node, env, condition=False):
        self.sometimes(*node.values[1:])
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
        self.sometimes(*node.comparators[1:])
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
        self.sometimes(node.body, node.orelse)
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
        return Seq([value for value, _ in pairs], isinstance(node, ast.List), self.regions[-1]), type(node)(
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
                view = ast.Subscript(out, ast.Slice(*parts, None), ast.Load())
            else:
                view = ast.Subscript(out, self.used(node.slice, env)[1], ast.Load())
            return self.new_tensor(value.elem, value.local, node), view
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
        if isinstance(value, Record):
            if node.attr not in value.fields:
                raise Refused(f"no field {node.attr}")
            return Num(value.fields[node.attr]), ast.Attribute(out, node.attr, ast.Load())
        if value == Obj("asc"):
            if node.attr in DTYPE_NAMES or node.attr == "bool_":
                return Obj(node.attr.rstrip("_")), ast.Constant(node.attr.rstrip("_"))
            return Obj(f"asc.{node.attr}"), ast.Attribute(out, node.attr, ast.Load())
        if isinstance(value, Obj) and str(value.value).startswith("asc."):
            return Obj(f"{value.value}.{node.attr}"), ast.Attribute(out, node.attr, ast.Load())
        raise Refused(f"no attribute {node.attr}")
