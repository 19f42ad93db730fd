# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case smaller: statements go, expressions become simpler, as long as the fault stays of
its kind. Every try runs in a
child process, so that crashes and hangs are kinds of faults like any other."""

import ast
import copy
import dataclasses
import os
import pickle
import select
import signal
import time

import check

SECONDS = 15.0


def verdict_apart(case, seconds=SECONDS, host=True):
    """check.check's verdict from a child process; "crash" or "hang" where it gives none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            verdict = check.check(case, host=host)[0]
            os.write(writer, pickle.dumps((verdict.status, verdict.detail[:20000])))
        finally:
            os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], seconds)
    data = b""
    if ready:
        while piece := os.read(reader, 1 << 16):
            data += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if not ready:
        return check.Verdict("hang", f"no result within {seconds:g} s")
    if not data:
        return check.Verdict("crash", f"the process ended with status {status}")
    return check.Verdict(*pickle.loads(data))


def kind_of(verdict):
    """What must stay the same: the status, and a compile error's words without names and numbers."""
    if verdict.status in ("compile error", "internal error"):
        words = verdict.detail.strip().split("\n")
        line = words[0] if verdict.status == "compile error" else words[-1]
        return verdict.status, "".join(c for c in line.split("'")[-1] if c.isalpha() or c == " ")[:60]
    return verdict.status, ""


# ---- candidates ----


def statement_lists(tree):
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield node, field, block


def without_statements(tree):
    """Trees with fewer statements: halves of blocks first, then single ones, then a construct's body in
    its place."""
    places = [(i, len(block)) for i, (_, _, block) in enumerate(statement_lists(tree))]
    for size in (8, 4, 2, 1):
        for place, length in places:
            for first in range(0, length, size):
                if size > 1 and length < size:
                    continue
                made = copy.deepcopy(tree)
                node, field, block = list(statement_lists(made))[place]
                removed = block[first : first + size]
                if any(
                    isinstance(s, ast.Import) or isinstance(s, ast.FunctionDef) and s.name == "kernel"
                    for s in removed
                ):
                    continue
                del block[first : first + size]
                if not block and field == "body" and not isinstance(node, ast.Module):
                    block.append(ast.Pass())
                yield made
    for place, length in places:
        for at in range(length):
            for field in ("body", "orelse"):
                made = copy.deepcopy(tree)
                block = list(statement_lists(made))[place][2]
                if isinstance(block[at], (ast.If, ast.For, ast.While)) and getattr(block[at], field):
                    block[at : at + 1] = getattr(block[at], field)
                    yield made


def expressions(tree):
    """(parent, field, index or None) of every expression that may be replaced."""
    signatures = {id(n) for f in ast.walk(tree) if isinstance(f, ast.arguments) for n in ast.walk(f)}
    for node in ast.walk(tree):
        if id(node) in signatures:
            continue
        for field, value in ast.iter_fields(node):
            if field in (
                "targets",
                "target",
                "decorator_list",
                "annotation",
                "func",
                "args",
                "defaults",
                "kw_defaults",
            ) and not isinstance(node, ast.Call):
                continue
            if field == "func":
                continue
            if isinstance(value, ast.expr):
                yield node, field, None
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield node, field, i


def simpler(value):
    if isinstance(value, ast.Constant):
        if type(value.value) is int and value.value not in (0, 1):
            return [ast.Constant(value.value // 2), ast.Constant(1)]
        return []
    if isinstance(value, ast.Name):
        return []
    inner = [child for child in ast.walk(value) if child is not value and isinstance(child, ast.expr)]
    keep = [c for c in inner if not (isinstance(c, ast.Name) and not isinstance(c.ctx, ast.Load))]
    return [ast.Constant(1), *keep[:14]]


def with_simpler_expressions(tree):
    for place, (node, field, index) in enumerate(expressions(tree)):
        value = getattr(node, field) if index is None else getattr(node, field)[index]
        for replacement in simpler(value):
            made = copy.deepcopy(tree)
            parent, field, index = list(expressions(made))[place]
            if index is None:
                setattr(parent, field, copy.deepcopy(replacement))
            else:
                getattr(parent, field)[index] = copy.deepcopy(replacement)
            yield made


def without_parameters(case):
    tree = ast.parse(case.source)
    kernel = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "kernel")
    for i, param in enumerate(kernel.args.args):
        made = copy.deepcopy(tree)
        del next(n for n in made.body if isinstance(n, ast.FunctionDef) and n.name == "kernel").args.args[i]
        arguments = {k: v for k, v in case.arguments.items() if k != param.arg}
        yield dataclasses.replace(case, source=ast.unparse(made), arguments=arguments)
    if case.blocks > 1:
        yield dataclasses.replace(case, blocks=1)


def candidates(case):
    tree = ast.parse(case.source)
    for make in (without_statements, with_simpler_expressions):
        for made in make(tree):
            source = ast.unparse(ast.fix_missing_locations(made)) + "\n"
            if source != case.source:
                yield dataclasses.replace(case, source=source)
    yield from without_parameters(case)


def shrink(case, verdict, seconds=120.0):
    """(smaller case, its verdict)"""
    wanted, limit = kind_of(verdict), time.monotonic() + seconds
    patience = 2.0 if wanted[0] == "hang" else SECONDS
    host = wanted[0].startswith("host") or wanted[0] in ("crash", "hang")
    if wanted[0] in ("crash", "hang"):
        host = kind_of(verdict_apart(case, patience, False)) != wanted
    tried = set()
    changed = True
    while changed and time.monotonic() < limit:
        changed = False
        for candidate in candidates(case):
            if time.monotonic() > limit:
                break
            key = (candidate.source, candidate.blocks, tuple(candidate.arguments))
            if key in tried:
                continue
            tried.add(key)
            try:
                found = verdict_apart(candidate, patience, host)
            except SyntaxError:
                continue
            if kind_of(found) == wanted:
                case, verdict, changed = candidate, found, True
                break
    return case, verdict
