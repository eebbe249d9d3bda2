"""A puzzle's rules as data, with which a page lets it be played without a server (`web/game.js`).

Where every move slides something, these are the operators of its task, with every move that the rules allow. Else they
are all its positions with the moves that leave them, found by playing, if these are few.
"""

from __future__ import annotations

from json import dumps
from typing import Any

from ..models.errors import UsageError
from ..models.moves import Slide
from ..models.plan import Simulator
from ..models.puzzle import Puzzle
from ..models.task import Operator
from ..runtime.budget import Budget
from ..workflows.playing import Game
from .playable import Playable
from .scene import Scene, ScenePosition, cells_of

POSITIONS = 1_500
"""The most positions of a puzzle that are listed."""

CHARACTERS = 1_500_000
"""The most characters of a puzzle's rules: a page may be read by a telephone."""


def rules_of(puzzle: Puzzle, metric: str, budget: Budget) -> dict[str, Any] | None:
    """The scene and the rules; None where they are too large, or the family does not list its moves."""
    try:
        found = _operators(puzzle, metric) if puzzle.record.moves is Slide else _positions(puzzle, metric, budget)
    except UsageError:
        return None
    if found is None or len(dumps(found)) > CHARACTERS:
        return None
    return {"units": [[unit.one, unit.many] for unit in puzzle.metric(metric).units], **found}


def _operators(puzzle: Puzzle, metric: str) -> dict[str, Any]:
    """The operators; the walker; on which cells of a map pieces have their second face, as boxes on goals do.

    Moves of one piece in a row are one where they are `compound`; in one direction, where one goes `far`.
    """
    task, stage, drawing = puzzle.complete(metric), Scene(puzzle), puzzle.record.drawing
    signs = drawing.signs(puzzle.value) if drawing.signs else {}
    grounds = {char: sign.ground for char, sign in signs.items()}
    return {
        "scene": stage.scene(),
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


def _positions(puzzle: Puzzle, metric: str, budget: Budget) -> dict[str, Any] | None:
    """Every position that can be reached with its moves; None if they are too many, or time is up."""
    start = puzzle.record.simulate(puzzle.value)
    if start.position is None:
        return None
    playable = Playable(Game(puzzle, metric))
    stage, parts = playable.stage, metric.split(",")
    number = {start.position: 0}
    queue: list[tuple[Simulator[Any], ScenePosition]] = [(start, stage.start)]
    positions = []
    for here, shown in queue:  # grows while it is read
        if budget.stopped() or len(queue) > POSITIONS:
            return None
        stage.show(shown)
        playable.game = Game(puzzle, metric, here)
        moves = []
        for option, move in zip(playable.moves(), playable.options, strict=True):
            there = here.fork()
            option.setdefault("notation", there.play(move))
            if any(part not in there.costs for part in parts):
                return None
            target = number.setdefault(there.position, len(queue))
            if target == len(queue):
                queue.append((there, stage.look(there.board(), move.where)))
            moves.append([target, [there.costs[part] - here.costs[part] for part in parts], option])
        positions.append({**shown.json(pieces=False), "solved": here.solved, "moves": moves})
    return {"scene": stage.scene(), "positions": positions}
