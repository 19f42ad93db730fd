# SPDX-License-Identifier: Apache-2.0
"""Calls in the fuzzer's static reading of a kernel: Python's functions, asc's, methods, helpers. See
annotate.py."""

import ast
import dataclasses

from known import (
    BUILTINS,
    DTYPE_NAMES,
    NUMBERS,
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
    constant,
    is_static,
    static,
    truth,
)
from language_types import BITS, Refused, Unclear, binary_types, computed, fits, promote, promote_literal
from paths import Conflict

QUERIES = {"get_block_idx": "int64", "get_block_num": "int64"}
VECTOR_OPS = {
    "data_copy",
    "add",
    "sub",
    "mul",
    "max",
    "min",
    "adds",
    "muls",
    "maxs",
    "mins",
    "duplicate",
    "relu",
    "abs",
    "shift_left",
    "shift_right",
    "bitwise_and",
    "bitwise_or",
    "bitwise_not",
    "set_flag",
    "wait_flag",
    "pipe_barrier",
}


def literal_result(value):
    return Lit(value) if isinstance(value, (bool, int, float)) else Obj(value)


class Calls:
    def expr_Call(self, node, env):
        func = node.func
        if isinstance(func, ast.Attribute):
            owner, out_owner = self.expr(func.value, env)
            if owner == Obj("asc"):
                return self.call_asc(func.attr, node, env)
            return self.call_method(owner, out_owner, func.attr, node, env)
        if isinstance(func, ast.Name):
            bound = env.get(func.id)
            if isinstance(bound, Obj) and bound.value in self.functions:
                return self.call_helper(self.functions[bound.value], node, env)
            if bound is None and func.id in self.functions:
                return self.call_helper(self.functions[func.id], node, env)
            if bound is None and func.id in self.structs:
                return self.new_struct(func.id, node, env)
            if bound is None and func.id in BUILTINS:
                return self.call_builtin(func.id, node, env)
        raise Refused("a call of something unknown")

    def arguments(self, node, env):
        pairs = [self.used(argument, env) for argument in node.args]
        keywords = [(k.arg, *self.used(k.value, env)) for k in node.keywords]
        out = ast.Call(None, [out for _, out in pairs], [ast.keyword(name, out) for name, _, out in keywords])
        return [value for value, _ in pairs], {name: value for name, value, _ in keywords}, out

    def new_struct(self, name, node, env):
        args, keywords, out = self.arguments(node, env)
        fields = {field: dtype for field, (dtype, _) in self.structs[name].items()}
        if args or not set(keywords) <= set(fields):
            raise Refused("fields of a struct are given by name")
        for keyword in out.keywords:
            keyword.value = self.field_value(keywords[keyword.arg], fields[keyword.arg], keyword.value)
        defaults = {field: default for field, (_, default) in self.structs[name].items()}
        out.func = ast.Name("_struct", ast.Load())
        out.args = [ast.parse(repr(table), mode="eval").body for table in (fields, defaults)]
        return Record(name, fields), out

    def field_value(self, value, dtype, out):
        if not isinstance(value, NUMBERS) or value.natural[0] == "f" and dtype[0] != "f":
            raise Refused("a float for a field of integers")
        if isinstance(value, Lit) and dtype in BITS and not fits(dtype, int(value.value)):
            raise Refused("a number that does not fit its field")
        return call_of("_c", out, ast.Constant(dtype))

    # ---- asc ----

    def call_asc(self, name, node, env):
        args, keywords, out = self.arguments(node, env)
        out.func = ast.Attribute(ast.Name("asc", ast.Load()), name, ast.Load())
        if name in QUERIES:
            return Num(QUERIES[name]), out
        if name in DTYPE_NAMES or name == "number" and len(args) == 2:
            dtype = name if name in DTYPE_NAMES else static(args[1])
            return self.cast_value(args[0], dtype, out.args[0])
        if name == "number":
            if isinstance(args[0], Lit) and not isinstance(args[0].value, bool):
                return self.cast_value(args[0], args[0].natural, out.args[0])
            return Num(args[0].natural), call_of("_c", out.args[0], ast.Constant(args[0].natural))
        if name == "ceildiv":
            value = binary_value("//", lambda a, b: -(-a // b), *args)
            if isinstance(value, Num) and value.dtype[0] == "f":
                raise Refused("ceildiv of floats")
            return value, self.folded(node, out, value) if isinstance(value, Lit) else out
        if name == "static_range":
            if not all(isinstance(a, Lit) for a in args):
                raise Refused("static_range with runtime bounds")
            return Obj(range(*(a.value for a in args))), out
        if name == "GlobalTensor":
            return self.new_tensor(None, False, node), out
        if name == "LocalTensor":
            return self.new_tensor(static(args[0]), True, node), out
        if name in VECTOR_OPS:
            self.check_elements(args)
            return Obj(None), out
        raise Refused(f"asc.{name} is not known here")

    def check_fits(self, value, dtype):
        if isinstance(value, Lit) and dtype in BITS and not fits(dtype, int(value.value)):
            raise Refused(f"{value.value} does not fit {dtype}")

    def check_elements(self, args):
        elems = {a.elem for a in args if isinstance(a, Tensor)}
        if len(elems) > 1:
            raise Refused("tensors of different element types")
        for arg in args:
            if (
                elems
                and isinstance(arg, Num)
                and arg.dtype[0] == "f"
                and not next(iter(elems)).startswith("f")
            ):
                raise Refused("a float for an integer tensor")

    def cast_value(self, value, dtype, out):
        if not isinstance(value, NUMBERS):
            raise Refused("a cast of an object")
        if isinstance(value, Lit):
            made = cast_static(value.value, dtype)
            result = Lit(made) if dtype == "bool" else Lit(made, dtype)
            return result, call_of("_second", out, constant(result))
        return Num(dtype), call_of("_cast", out, ast.Constant(dtype))

    def range_of(self, call, env):
        """(dtype of the loop's variable, the range to run, whether it surely has a turn)"""
        args, _, out = self.arguments(call, env)
        out.func = ast.Name("range", ast.Load())
        values = [Lit(0), args[0], Lit(1)] if len(args) == 1 else [*args, Lit(1)][:3]
        dtype = None
        for value in values:
            if not isinstance(value, NUMBERS) or value.natural[0] == "f":
                raise Refused("range over something else than integers")
            if isinstance(value, Num) or value.dtype:
                own = computed(value.natural)
                dtype = own if dtype is None else promote(dtype, own)
        step = values[2]
        if isinstance(step, Lit) and step.value == 0:
            raise Refused("a step of zero")
        for value in values:
            if isinstance(value, Lit):
                if value is step and dtype and dtype[0] == "u":
                    continue
                dtype = promote_literal(value.value, dtype) if dtype else computed(value.natural)
        runs = False
        if all(isinstance(value, Lit) for value in values) and any(value.dtype for value in values):
            raise Unclear("a range of numbers with a pinned type")
        if all(isinstance(value, Lit) for value in values):
            dtype = "int64" if dtype == "int64" else "int32"
            runs = len(range(*(value.value for value in values))) > 0
        if isinstance(step, Lit) and step.value < 0 and dtype[0] == "u":
            dtype = "int64"
        out.args = [ast.Constant(dtype), *(call_of("_c", arg, ast.Constant(dtype)) for arg in out.args)]
        return dtype, out, runs

    # ---- methods ----

    def call_method(self, owner, out_owner, name, node, env):
        args, keywords, out = self.arguments(node, env)
        out.func = ast.Attribute(out_owner, name, ast.Load())
        if isinstance(owner, Seq) and name == "append":
            self.changeable(node.func.value, env)[0].items.append(args[0])
            return Obj(None), out
        if isinstance(owner, NUMBERS) and name in ("cast", "to"):
            return self.cast_value(owner, static(args[0]), out_owner)
        if isinstance(owner, Record) and name == "create_local":
            return Record(owner.name, owner.fields), out
        if not isinstance(owner, Tensor):
            raise Refused(f"a method {name} of something else")
        if name == "set_global_buffer":
            if not isinstance(args[0], Pointer) or owner.elem not in (None, args[0].elem):
                raise Refused("a buffer of another type")
            self.complete(owner, args[0].elem, env)
            self.change_handle(owner, env)
            return Obj(None), out
        if owner.elem is None:
            raise Refused("a tensor without a type")
        if name == "get_value":
            return Num(owner.elem), out
        if name == "set_value":
            if not isinstance(args[1], NUMBERS) or args[1].natural[0] == "f" and owner.elem[0] != "f":
                raise Refused("a float for an integer tensor")
            self.check_fits(args[1], owner.elem)
            return Obj(None), out
        raise Refused(f"a method {name}")

    def complete(self, owner, elem, env):
        """Gives a tensor its element type, under each of its names."""
        for name, value in env.items():
            if value is owner:
                env[name] = dataclasses.replace(owner, elem=elem)

    def new_tensor(self, elem, local, node):
        """A tensor that an expression makes: one number, however often a loop's body is read."""
        if id(node) not in self.tensor_of:
            self.next_tensor += 1
            self.tensor_of[id(node)] = self.next_tensor
        return Tensor(elem, local, frozenset([self.tensor_of[id(node)]]))

    def change_handle(self, owner, env):
        """A name that may be the same tensor, if control flow chose either, may not be read any more."""
        for name, value in env.items():
            if isinstance(value, Tensor) and value.objects & owner.objects:
                if len(value.objects | owner.objects) > 1 and value is not owner:
                    env[name] = Conflict(True)

    # ---- Python's functions ----

    def call_builtin(self, name, node, env):
        args, keywords, out = self.arguments(node, env)
        out.func = ast.Name(name, ast.Load())
        if keywords:
            raise Refused("keywords of a builtin")
        if all(is_static(a) for a in args):
            return self.static_builtin(name, args, out, node)
        values = args
        if name in ("min", "max", "sum", "any", "all") and len(args) == 1:
            values = self.items_of(args[0])
        if name in ("min", "max"):
            return self.fold(name, values, args, out), out
        if name == "sum":
            total = values[0]
            for value in values[1:]:
                total = binary_value("+", lambda a, b: a + b, total, value)
            return total, out
        if name in ("any", "all"):
            known = [truth(value) for value in values]
            if (name == "any") in known:
                return Lit(name == "any"), self.folded(node, out, Lit(name == "any"))
            return Num("bool"), out
        if name == "abs":
            return Num(computed(values[0].dtype)), out
        if name == "int":
            dtype = values[0].dtype
            return Num("int32" if dtype in ("bool", "float16", "float32") else dtype), out
        if name == "float":
            return Num("float32"), out
        if name == "bool":
            return Num("bool"), out
        if name == "divmod":
            dtype = binary_types("//", values[0].operand, values[1].operand)[1]
            return Seq([Num(dtype), Num(dtype)], False), out
        if name == "pow":
            return binary_value("**", pow, *values), out
        return self.container_builtin(name, values, out)

    def container_builtin(self, name, values, out):
        if name == "len":
            return Lit(len(self.items_of(values[0]))), out
        if name == "zip":
            return Seq(
                [Seq(list(row), False) for row in zip(*(self.items_of(v) for v in values))], True
            ), call_of("list", out)
        if name == "enumerate":
            return Seq(
                [Seq([Lit(i), v], False) for i, v in enumerate(self.items_of(values[0]))], True
            ), call_of("list", out)
        if name == "reversed":
            return Seq(self.items_of(values[0])[::-1], True), call_of("list", out)
        raise Refused(name)

    def static_builtin(self, name, args, out, node):
        if any(self.pinned(arg) for arg in args):
            raise Unclear("a builtin of numbers with a pinned type")
        try:
            value = BUILTINS[name](*(static(a) for a in args))
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Refused(str(error)) from error
        if isinstance(value, (bool, int, float)):
            return Lit(value), self.folded(node, out, Lit(value))
        if isinstance(value, tuple):
            return Seq([literal_result(v) for v in value], False), self.folded(node, out, value)
        return self.container_builtin(name, args, out)

    def pinned(self, value):
        if isinstance(value, Seq):
            return any(self.pinned(item) for item in value.items)
        return isinstance(value, Lit) and value.dtype is not None

    def fold(self, name, values, args, out):
        best = values[0]
        for i, value in enumerate(values[1:]):
            if isinstance(best, Lit) and isinstance(value, Lit):
                if (best.dtype or value.dtype) and values is not args:
                    raise Unclear("numbers of a pinned type in a list")
                best = value if BUILTINS[name](best.value, value.value) is not best.value else best
                if best.dtype or value.dtype or values[0].dtype:
                    out.args[: i + 2] = [constant(best)] * (i + 2)
            else:
                best = Num(binary_types(name, best.operand, value.operand)[1])
        return best

    # ---- helpers ----

    def call_helper(self, fdef, node, env):
        args, keywords, out = self.arguments(node, env)
        a = fdef.args
        names = [p.arg for p in a.args]
        if len(args) > len(names) or any(k in names[: len(args)] for k in keywords):
            raise Refused("wrong arguments")
        given = dict(zip(names, args)) | keywords
        outs = dict(zip(names, out.args)) | {k.arg: k.value for k in out.keywords}
        defaults = dict(zip(names[len(names) - len(a.defaults) :], a.defaults))
        defaults |= {p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None}
        params, key, arguments = {}, [fdef.name], []
        for name in (*given, *(n for n in defaults if n not in given)):
            value = given[name] if name in given else self.expr(defaults[name], {})[0]
            node_out = outs[name] if name in outs else constant(value)
            param = next((p for p in (*a.args, *a.kwonlyargs) if p.arg == name), None)
            if param is None:
                raise Refused(f"no parameter {name}")
            if param.annotation is not None and "ConstExpr" in ast.unparse(param.annotation):
                if not is_static(value):
                    raise Refused("a runtime value for a compile-time parameter")
                passed = value
            else:
                passed = self.passed(value)
                pin = param.annotation.attr if isinstance(param.annotation, ast.Attribute) else None
                if pin in DTYPE_NAMES and isinstance(passed, Num):
                    passed, node_out = Num(pin), call_of("_cast", node_out, ast.Constant(pin))
            params[name] = passed
            arguments.append(ast.keyword(name, call_of("_c", node_out, ast.Constant(self.spec(passed)))))
        if set(params) != {p.arg for p in (*a.args, *a.kwonlyargs)}:
            raise Refused("an argument is missing")
        key.extend((name, self.key_of(params[name])) for name in sorted(params))
        found = self.made.get(tuple(key))
        if found is None:
            out_name = f"{fdef.name}__{len(self.made)}"
            self.made[tuple(key)] = (out_name, None)
            found = self.made[tuple(key)] = (out_name, self.function(fdef, params, out_name))
        out_name, shape = found
        tensors = frozenset().union(*(v.objects for v in params.values() if isinstance(v, Tensor)))
        return self.fresh(shape, tensors), ast.Call(ast.Name(out_name, ast.Load()), [], arguments)

    def passed(self, value):
        """What a parameter that is not compile-time gets."""
        if isinstance(value, Seq):
            if is_static(value) and not value.is_list:
                return value
            return Seq([self.passed(item) for item in value.items], value.is_list)
        return Num(value.natural) if isinstance(value, NUMBERS) else value

    def key_of(self, value):
        if isinstance(value, Seq):
            return (value.is_list, *(self.key_of(item) for item in value.items))
        if isinstance(value, Record):
            return value.name, value.frozen
        return repr(value)

    def fresh(self, shape, tensors):
        """A call's own result. `tensors`: what it may hand back."""
        if isinstance(shape, Seq):
            return Seq([self.fresh(item, tensors) for item in shape.items], shape.is_list)
        return dataclasses.replace(shape, objects=tensors) if isinstance(shape, Tensor) else shape
