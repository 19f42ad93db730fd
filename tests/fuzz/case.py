# SPDX-License-Identifier: Apache-2.0
"""A fuzzed kernel: its module's text and the arguments of one launch; what the oracle says of it."""

import ast
import dataclasses

import annotate
import machine
import numpy as np
from known import Lit, Num, Pointer, Record
from language_types import Finding, OutOfFuel, Refused, Unclear
from values import Limits, Scalar, cast


@dataclasses.dataclass
class Given:
    """A struct argument: its class's name and what the host puts into its fields."""

    name: str
    fields: dict


@dataclasses.dataclass
class Case:
    """`arguments`: {name: NumPy array, Python number or Given} in the order of the kernel's parameters."""

    seed: str
    source: str
    arguments: dict
    blocks: int

    def copies(self):
        return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self.arguments.items()}


@dataclasses.dataclass
class Outcome:
    """`status`: ran, finding, refused, or useless; `arrays` by name after a run."""

    status: str
    detail: str = ""
    arrays: dict | None = None


def parse(source):
    """(functions, constants, structs {field: (dtype, default)} by name) of a module's text."""
    functions, constants, structs = {}, {}, {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            structs[node.name] = {}
            for field in node.body:
                if isinstance(field, ast.Assign):
                    defaults = [ast.literal_eval(k.value) for k in field.value.keywords]
                    structs[node.name][field.targets[0].id] = (
                        field.value.args[0].attr.rstrip("_"),
                        *defaults,
                        0,
                    )[:2]
        elif isinstance(node, ast.Assign):
            constants[node.targets[0].id] = ast.literal_eval(node.value)
    return functions, constants, structs


def parameters(kernel, arguments, structs):
    """({name: what is known of a parameter}, {name: its value for the oracle}); compile-time ones have no
    value."""
    known, values = {}, {}
    for param in kernel.args.args:
        value = arguments[param.arg]
        annotation = ast.unparse(param.annotation) if param.annotation else ""
        if isinstance(value, np.ndarray):
            known[param.arg] = Pointer(value.dtype.name)
            values[param.arg] = value
            continue
        if isinstance(value, Given):
            fields = {field: dtype for field, (dtype, _) in structs[value.name].items()}
            known[param.arg] = Record(value.name, fields, True)
            values[param.arg] = machine.Struct(fields, value.fields)
            continue
        if "ConstExpr" in annotation:
            known[param.arg] = Lit(value)
            values[param.arg] = value
            continue
        lit = Lit(value)
        dtype = lit.natural
        if annotation.startswith("asc."):
            dtype = annotation[4:]
        known[param.arg] = Num(dtype)
        values[param.arg] = cast(value, dtype) if not isinstance(value, bool) else Scalar("bool", value)
    return known, values


def exact(case):
    """The outcome where no value leaves its type, because all are computed in 64 bits."""
    Limits.kept = False
    try:
        return oracle(case)
    finally:
        Limits.kept = True


def oracle(case):
    try:
        functions, constants, structs = parse(case.source)
        kernel = functions.pop("kernel")
        arguments = case.copies()
        known, values = parameters(kernel, arguments, structs)
        module = annotate.annotate(functions, constants, structs, kernel, known)
    except Unclear as error:
        return Outcome("useless", str(error))
    except Refused as error:
        return Outcome("refused", str(error))
    try:
        machine.run(module, "kernel", constants, values, case.blocks)
    except Finding as finding:
        return Outcome("finding", f"{finding.kind}: {finding}")
    except OutOfFuel:
        return Outcome("useless", "too many turns")
    except Unclear as error:
        return Outcome("useless", str(error))
    except Refused as error:
        return Outcome("refused", str(error))
    return Outcome("ran", arrays={k: v for k, v in arguments.items() if isinstance(v, np.ndarray)})
