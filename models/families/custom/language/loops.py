"""Checking loops: what they go over, and the names within them."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....text import suggest
from .expressions import Connected, Const, ConstantLookup, Expr, Local, Loop, Quantifier, Read, Value
from .values import CELL, NUMBER, TRUE_OR_FALSE, TRUTH, UNKNOWN, WORDS, Checks, Locals, Signature, Type, Typed

TURNS = "$turns"
"""The name under which the number of turns of the surrounding loops is kept among the types of names."""

MAX_TURNS = 100_000

OF_STEPS = ("cell", "cells", "direction")
"""What a definition that allows steps may be asked with (see `Connected`)."""


def values(checker: Checks, node: ast.expr) -> tuple[tuple[Value, ...], Type] | None:
    """The values of a type, a range or a list of names: what a loop goes over."""
    if isinstance(node, ast.Name) and node.id in checker.scope.domains:
        domain = checker.scope.domains[node.id]
        return domain.values, Type.of(domain)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        ends = [checker.visit(side, {}) for side in (node.left, node.right)]
        numbers = [end[0].value for end in ends if end and isinstance(end[0], Const) and type(end[0].value) is int]
        if len(numbers) == 2 and numbers[0] <= numbers[1] and numbers[1] - numbers[0] < 10_000:
            return tuple(range(numbers[0], numbers[1] + 1)), Type(NUMBER, numbers[0], numbers[1])
        checker.wrong(node, "this is not a range of numbers", "write `1..8`, the smaller number first")
        return None
    if isinstance(node, ast.List | ast.Tuple):
        found = [checker.visit(item, {}) for item in node.elts]
        good = [typed for typed in found if typed is not None and isinstance(typed[0], Const)]
        if good and len(good) == len(found) and len({typed[1].kind for typed in good}) == 1:
            members = tuple(dict.fromkeys(typed[0].value for typed in good if isinstance(typed[0], Const)))
            kind = good[0][1].kind
            numbers = [member for member in members if isinstance(member, int)]
            return members, Type(kind, min(numbers, default=0), max(numbers, default=0), members)
        if None not in found:
            checker.wrong(node, "this list does not hold names of one kind")
        return None
    name = checker.source.written(node)
    known = list(checker.scope.domains)
    if checker.scope.has_errors(name):
        return None
    if ".." in name:
        checker.wrong(node, "a range has two numbers, as `1..8`", "write a condition: `for i in 1..8 if i <= n`")
        return None
    checker.wrong(node, f"`{name}` is not a type", suggest(name, known) if known else "name it in `types`")
    return None


def within(
    checker: Checks, generators: list[ast.comprehension], names: Locals
) -> tuple[tuple[Loop, ...], Locals] | None:
    """The loops of `for x in T if c for ...`, and the names known inside; None, with the problem recorded, if they
    are wrong.
    """
    inner = dict(names)
    loops: list[Loop] = []
    for generator in generators:
        target = generator.target
        if not isinstance(target, ast.Name):
            checker.wrong(target, "a loop has one variable", "write `for x in item for y in item`")
            return None
        if target.id in inner or target.id in WORDS or target.id in checker.scope.declared:
            checker.wrong(target, f"`{target.id}` has a meaning already", "give the variable of the loop another name")
            return None
        # What the loop goes over: the neighbours of a cell, the members of a set, or the values of a type.
        around: Expr | None = None
        members: tuple[Expr, ...] = ()
        if isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "neighbours":
            cell = checker.visit(generator.iter.args[0], inner) if len(generator.iter.args) == 1 else None
            if cell is None or cell[1].kind != CELL:
                checker.wrong(generator.iter, "`neighbours` takes a cell", "write `for n in neighbours(c)`")
                return None
            around = cell[0]
            found: tuple[tuple[Value, ...], Type] = ((), cell[1])
        elif isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "region":
            # `for c in region(a, same)` is `for c in cell if connected(a, c, same)`
            start = _region(checker, generator.iter, inner)
            if start is None:
                return None
            found = tuple(sorted(checker.scope.cells)), start[1]
            members = (replace(start[0], end=Local(target.id)),)
        elif isinstance(generator.iter, ast.Name) and (table := _set(checker, generator.iter.id)) is not None:
            # `for c in target` is `for c in cell if target[c]`
            found = table.of[0].values, Type.of(table.of[0])
            members = (
                (Read if table.name in checker.scope.state else ConstantLookup)(table.name, (Local(target.id),)),
            )
        else:
            listed = values(checker, generator.iter)
            found = listed or ((), Type(UNKNOWN))
        # Loops within loops multiply; eight neighbours are the most that the usual directions give.
        turns = max(1, len(found[0]) or 8) * (inner[TURNS].high if TURNS in inner else 1)
        if turns > MAX_TURNS:
            message = f"these loops have {turns:,} turns, one within the other; at most {MAX_TURNS:,} are allowed"
            checker.wrong(generator.iter, message, "loop over fewer values")
            return None
        inner[TURNS] = Type(NUMBER, 0, turns)
        inner[target.id] = found[1]
        conditions = [checker.truth(condition, inner) for condition in generator.ifs]
        good = tuple(condition for condition in conditions if condition is not None)
        if len(good) != len(conditions):
            return None
        loops.append(Loop(target.id, found[0], (*members, *good), around))
    return tuple(loops), inner


def _region(checker: Checks, node: ast.Call, names: Locals) -> tuple[Connected, Type] | None:
    """`region(a, same)`, with the start as its end, and the type of cells."""
    usage = "write `for c in region(a, same)`: the cells that are reached from a, by steps that `same` allows"
    if len(node.args) != 2 or node.keywords:
        checker.wrong(node, "`region` needs a cell and the name of a definition", usage)
        return None
    start, test = checker.visit(node.args[0], names), steps_test(checker, node.args[1])
    if start is None or test is None:
        return None
    if start[1].kind != CELL:
        checker.wrong(node, "`region` begins with a cell", usage)
        return None
    return Connected(start[0], start[0], *test), Type(CELL, members=tuple(sorted(checker.scope.cells)))


def steps_test(checker: Checks, node: ast.expr, asks: tuple[str, ...] = OF_STEPS) -> tuple[str, str] | None:
    """The name of a definition that allows steps, and which of `asks` it is asked with (see `Connected`)."""
    name = node.id if isinstance(node, ast.Name) else ""
    known = checker.scope.definitions
    if name not in known:
        written = checker.source.written(node)
        checker.wrong(node, f"`{written}` is not a definition", suggest(written, list(known)) or "add it to `define`")
        return None
    result = checker.result_of(name)
    if result is None:
        return None
    kinds = tuple("direction" if domain.name == "direction" else domain.kind for _, domain in known[name])
    asked = {(CELL,): "cell", (CELL, CELL): "cells", (CELL, "direction"): "direction"}.get(kinds, "")
    if result.kind != TRUTH or asked not in asks:
        forms = {"cell": "for a cell", "cells": "for two cells", "direction": "for a cell and a direction"}
        message = f"`{name}` must be true or false {', '.join(forms[way] for way in asks[:-1])}, or {forms[asks[-1]]}"
        checker.wrong(node, message, "as `same: {with: {from: cell, to: cell}, is: ...}`" if "cells" in asks else "")
        return None
    return name, asked


def _set(checker: Checks, name: str) -> Signature | None:
    """The table of this name, if a loop can go over it: truth values with one argument, the set of those that are
    true.
    """
    table = checker.scope.state.get(name) or checker.scope.constants.get(name)
    return table if table is not None and table.domain.kind == TRUTH and len(table.of) == 1 else None


def quantified_table(checker: Checks, kind: str, name: str, node: ast.expr) -> Typed | None:
    """The value of a quantifier over all arguments of a table of truth values: `count(peg)`."""
    signature = checker.scope.state.get(name) or checker.scope.constants[name]
    if signature.domain.kind != TRUTH:
        checker.wrong(node, f"`{name}` is not true or false", f"write `{kind}({name}[x] == ... for x in ...)`")
        return None
    loops = tuple(Loop(f"${i}", domain.values, ()) for i, domain in enumerate(signature.of))
    args = tuple(Local(loop.name) for loop in loops)
    read = Read(name, args) if name in checker.scope.state else ConstantLookup(name, args)
    high = 1
    for domain in signature.of:
        high *= len(domain.values)
    result = Type(NUMBER, 0, high) if kind == "count" else TRUE_OR_FALSE
    return Quantifier(kind, read, loops), result
