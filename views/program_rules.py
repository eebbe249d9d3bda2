"""A puzzle whose actions are programs as data, with which a page plays it without a server (`web/programs.js`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..models.families.custom.puzzle import Act
from ..models.program import NONE, DrawnTask, ProgramAction, ProgramTask
from ..models.puzzle import Puzzle
from .scene import Scene


def programs_of(puzzle: Puzzle, metric: str) -> dict[str, Any] | None:
    """The scene, the programs, and how pieces look; None if the family has no programs."""
    drawn = puzzle.view(DrawnTask, metric)
    if drawn is None:
        return None
    stage = Scene(puzzle)
    return {
        "scene": stage.scene(),
        "programs": _programs(drawn),
        "look": stage.kinds({text for texts in drawn.texts for text in texts}),
    }


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
        "swaps": _swaps(task),
        **({"walks": {"actions": walks[0], "home": walks[1], "cells": walks[2]}} if walks else {}),
    }


def _number(value: int) -> int:
    """A constant; those below `NONE`, which differ from it and each other, so that a double tells them apart."""
    return value if value >= NONE else NONE - 1024 * (NONE - value)


def _act(action: ProgramAction, written: list[dict[int, str]]) -> tuple[str, list[Any]]:
    """The name of an action and its arguments: texts, or registers with how their values are written."""
    assert isinstance(action.move, partial)
    if isinstance(action.move.args[0], Act):
        return action.move.args[0].action, list(action.move.args[0].args)
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
