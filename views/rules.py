"""A puzzle's rules as data, with which a page lets it be played without a server (`web/rules.js`).

Where every move slides something, these are the operators of its task, with every move that the rules allow. Else they
are programs: those of the actions, and one that draws.
"""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import Any

from ..models.errors import UsageError
from ..models.moves import Slide
from ..models.program import NONE, DrawnTask, ProgramAction, ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import Operator
from .scene import Scene, cells_of

CHARACTERS = 1_500_000
"""The most characters of a puzzle's rules: a page may be read by a telephone."""


def rules_of(puzzle: Puzzle, metric: str) -> dict[str, Any] | None:
    """The scene and the rules; None where they are too large, or the family has none that a page could play by."""
    try:
        if puzzle.record.moves is Slide:
            rules = _operators(puzzle, metric)
        elif drawn := puzzle.view(DrawnTask, metric):
            rules = {"programs": _programs(drawn)}
        else:
            return None
    except UsageError:
        return None
    rules |= {"scene": Scene(puzzle).scene(), "units": [[unit.one, unit.many] for unit in puzzle.metric(metric).units]}
    return rules if len(dumps(rules)) <= CHARACTERS else None


def _operators(puzzle: Puzzle, metric: str) -> dict[str, Any]:
    """The operators; the walker; on which cells of a map pieces have their second face, as boxes on goals do.

    Moves of one piece in a row are one where they are `compound`; in one direction, where one goes `far`.
    """
    task, drawing = puzzle.complete(metric), puzzle.record.drawing
    signs = drawing.signs(puzzle.value) if drawing.signs else {}
    grounds = {char: sign.ground for char, sign in signs.items()}
    return {
        "init": task.init,
        "goal": task.goal,
        "operators": [_operator(op) for op in task.operators],
        "compound": task.compound_moves,
        "far": any(len(op.move.path) > 1 for op in task.operators if isinstance(op.move, Slide)),
        "marked": [cell for cell, char in cells_of(puzzle.board()).items() if grounds.get(char) == "goal"],
        "walker": task.walker
        and {
            "cells": task.walker.cells,
            "free": task.walker.free,
            "neighbours": task.walker.neighbours,
            "start": task.walker.start,
            "cost": task.walker.cost,
        },
    }


def _operator(op: Operator) -> list[Any]:
    assert isinstance(op.move, Slide)
    return [op.pre, op.add, op.delete, op.move.cell, op.move.path, op.cost, op.walk or op.displacement]


def _programs(drawn: DrawnTask) -> dict[str, Any]:
    task = drawn.task
    domains = list(dict.fromkeys(variable.values for variable in task.variables))
    written: list[dict[int, str]] = []
    walks = drawn.walks
    return {
        "code": [number for instruction in task.code for number in instruction],
        "tables": [None if value == NONE else value for value in task.tables],
        "constants": [(register, _number(value)) for register, value in task.constants.items()],
        "registers": task.registers,
        "domains": domains,
        "variables": [domains.index(variable.values) for variable in task.variables],
        "init": task.init,
        "actions": [[action.entry, action.cost, *_act(action, written)] for action in task.actions],
        "goal": task.goal,
        "drawing": drawn.drawing,
        "texts": drawn.texts,
        "written": written,
        "form": drawn.written,
        "ways": drawn.ways,
        "edges": drawn.edges,
        "swaps": _swaps(task),
        **({"walks": {"actions": walks[0], "home": walks[1], "cells": walks[2]}} if walks else {}),
    }


def _number(value: int) -> int:
    """A constant; those below `NONE`, which differ from it and each other, so that a double tells them apart."""
    return value if value >= NONE else NONE - 1024 * (NONE - value)


def _act(action: ProgramAction, written: list[dict[int, str]]) -> tuple[str, list[Any]]:
    """The name of an action and its arguments: texts, or registers with how their values are written."""
    assert isinstance(action.move, partial)
    name, args = action.move.args
    given: list[Any] = []
    for arg in args:
        if not isinstance(arg, str):
            register, texts = arg
            if texts not in written:
                written.append(texts)
            arg = register, written.index(texts)
        given.append(arg)
    return name, given


def _swaps(task: ProgramTask) -> list[list[tuple[Any, ...]]]:
    swaps = [swap for each in task.interchangeable for swap in each.swaps]
    return [[(*pair[:2], *([pair.value_of] if pair.value_of else [])) for pair in swap] for swap in swaps]
