"""Checking loops: what they go over, and the names within them."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ....text import suggest
from .expressions import Connected, Const, ConstantLookup, Expr, Local, Loop, Quantifier, Read, Value
from .values import (
    CELL,
    NUMBER,
    TRUE_OR_FALSE,
    TRUTH,
    UNKNOWN,
    WORDS,
    Checks,
    Locals,
    Signature,
    Type,
    Typed,
    WrongPartError,
    every,
)

TURNS = "$turns"
"""The name under which the number of turns of the surrounding loops is kept among the types of names."""

MAX_TURNS = 100_000

OF_STEPS = ("cell", "cells", "direction")
"""What a definition that allows steps may be asked with (see `Connected`)."""


def values(checker: Checks, node: ast.expr) -> tuple[tuple[Value, ...], Type]:
    """The values of a type, a range or a list of names: what a loop goes over."""
    if isinstance(node, ast.Name) and node.id in checker.scope.domains:
        domain = checker.scope.domains[node.id]
        return domain.values, Type.of(domain)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        ends = checker.visits((node.left, node.right), {})
        numbers = [end.value for end, _ in ends if isinstance(end, Const) and type(end.value) is int]
        if len(numbers) == 2 and numbers[0] <= numbers[1] and numbers[1] - numbers[0] < 10_000:
            return tuple(range(numbers[0], numbers[1] + 1)), Type(NUMBER, numbers[0], numbers[1])
        raise checker.wrong(node, "this is not a range of numbers", "write `1..8`, the smaller number first")
    if isinstance(node, ast.List | ast.Tuple):
        items = checker.visits(node.elts, {})
        constants = [item.value for item, _ in items if isinstance(item, Const)]
        if not items or len(constants) < len(items) or len({item_type.kind for _, item_type in items}) > 1:
            raise checker.wrong(node, "this list does not hold names of one kind")
        members = tuple(dict.fromkeys(constants))
        numbers = [member for member in members if isinstance(member, int)]
        return members, Type(items[0][1].kind, min(numbers, default=0), max(numbers, default=0), members)
    name = checker.source.written(node)
    types = list(checker.scope.domains)
    if checker.scope.has_errors(name):
        raise WrongPartError
    if ".." in name:
        raise checker.wrong(node, "a range has two numbers, as `1..8`", "write a condition: `for i in 1..8 if i <= n`")
    raise checker.wrong(node, f"`{name}` is not a type", suggest(name, types) if types else "name it in `types`")


def within(checker: Checks, generators: list[ast.comprehension], names: Locals) -> tuple[tuple[Loop, ...], Locals]:
    """The loops of `for x in T if c for ...`, and the names known inside. Raises `WrongPartError`."""
    inner = dict(names)
    loops: list[Loop] = []
    for generator in generators:
        target = generator.target
        if not isinstance(target, ast.Name):
            raise checker.wrong(target, "a loop has one variable", "write `for x in item for y in item`")
        if target.id in inner or target.id in WORDS or target.id in checker.scope.declared:
            message = f"`{target.id}` has a meaning already"
            raise checker.wrong(target, message, "give the variable of the loop another name")
        # What the loop goes over: the neighbours of a cell, the members of a set, or the values of a type.
        around: Expr | None = None
        members: tuple[Expr, ...] = ()
        if isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "neighbours":
            cells = checker.visits(generator.iter.args, inner)
            if [cell.kind for _, cell in cells] != [CELL]:
                raise checker.wrong(generator.iter, "`neighbours` takes a cell", "write `for n in neighbours(c)`")
            around, kind = cells[0]
            turn_values: tuple[Value, ...] = ()
        elif isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "region":
            # `for c in region(a, same)` is `for c in cell if connected(a, c, same)`
            region, kind = _region(checker, generator.iter, inner)
            turn_values = tuple(sorted(checker.scope.cells))
            members = (replace(region, end=Local(target.id)),)
        elif isinstance(generator.iter, ast.Name) and (table := _set(checker, generator.iter.id)) is not None:
            # `for c in target` is `for c in cell if target[c]`
            turn_values, kind = table.of[0].values, Type.of(table.of[0])
            members = (
                (Read if table.name in checker.scope.state else ConstantLookup)(table.name, (Local(target.id),)),
            )
        else:
            turn_values, kind = (), Type(UNKNOWN)
            with suppress(WrongPartError):  # what stands in the loop is checked all the same
                turn_values, kind = values(checker, generator.iter)
        # Loops within loops multiply; eight neighbours are the most that the usual directions give.
        turns = max(1, len(turn_values) or 8) * (inner[TURNS].high if TURNS in inner else 1)
        if turns > MAX_TURNS:
            message = f"these loops have {turns:,} turns, one within the other; at most {MAX_TURNS:,} are allowed"
            raise checker.wrong(generator.iter, message, "loop over fewer values")
        inner[TURNS] = Type(NUMBER, 0, turns)
        inner[target.id] = kind
        conditions = every(partial(checker.truth, condition, inner) for condition in generator.ifs)
        loops.append(Loop(target.id, turn_values, (*members, *conditions), around))
    return tuple(loops), inner


def _region(checker: Checks, node: ast.Call, names: Locals) -> tuple[Connected, Type]:
    """`region(a, same)`, with the start as its end, and the type of cells."""
    usage = "write `for c in region(a, same)`: the cells that are reached from a, by steps that `same` allows"
    if len(node.args) != 2 or node.keywords:
        raise checker.wrong(node, "`region` needs a cell and the name of a definition", usage)
    (start, kind), test = every(
        (partial(checker.visit, node.args[0], names), partial(steps_test, checker, node.args[1]))
    )
    if kind.kind != CELL:
        raise checker.wrong(node, "`region` begins with a cell", usage)
    return Connected(start, start, *test), Type(CELL, members=tuple(sorted(checker.scope.cells)))


def steps_test(checker: Checks, node: ast.expr, asks: tuple[str, ...] = OF_STEPS) -> tuple[str, str]:
    """The name of a definition that allows steps, and which of `asks` it is asked with (see `Connected`)."""
    name = node.id if isinstance(node, ast.Name) else ""
    definitions = checker.scope.definitions
    if name not in definitions:
        written = checker.source.written(node)
        hint = suggest(written, list(definitions)) or "add it to `define`"
        raise checker.wrong(node, f"`{written}` is not a definition", hint)
    result = checker.result_of(name)
    kinds = tuple("direction" if domain.name == "direction" else domain.kind for _, domain in definitions[name])
    asked = {(CELL,): "cell", (CELL, CELL): "cells", (CELL, "direction"): "direction"}.get(kinds, "")
    if result.kind != TRUTH or asked not in asks:
        forms = {"cell": "for a cell", "cells": "for two cells", "direction": "for a cell and a direction"}
        message = f"`{name}` must be true or false {', '.join(forms[way] for way in asks[:-1])}, or {forms[asks[-1]]}"
        hint = "as `same: {with: {from: cell, to: cell}, is: ...}`" if "cells" in asks else ""
        raise checker.wrong(node, message, hint)
    return name, asked


def _set(checker: Checks, name: str) -> Signature | None:
    """The table of this name, if a loop can go over it: truth values with one argument, the set of those that are
    true.
    """
    table = checker.scope.state.get(name) or checker.scope.constants.get(name)
    return table if table is not None and table.domain.kind == TRUTH and len(table.of) == 1 else None


def quantified_table(checker: Checks, kind: str, name: str, node: ast.expr) -> Typed:
    """The value of a quantifier over all arguments of a table of truth values: `count(peg)`."""
    signature = checker.scope.state.get(name) or checker.scope.constants[name]
    if signature.domain.kind != TRUTH:
        raise checker.wrong(node, f"`{name}` is not true or false", f"write `{kind}({name}[x] == ... for x in ...)`")
    loops = tuple(Loop(f"${i}", domain.values, ()) for i, domain in enumerate(signature.of))
    args = tuple(Local(loop.name) for loop in loops)
    read = Read(name, args) if name in checker.scope.state else ConstantLookup(name, args)
    high = 1
    for domain in signature.of:
        high *= len(domain.values)
    result = Type(NUMBER, 0, high) if kind == "count" else TRUE_OR_FALSE
    return Quantifier(kind, read, loops), result
