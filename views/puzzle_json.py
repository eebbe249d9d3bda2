"""A puzzle as JSON, for programs: what `budge list --json` and `budge show --json` say."""

from __future__ import annotations

from typing import Any

from ..models.moves import plain_cost
from ..models.puzzle import Puzzle


def about(puzzle: Puzzle) -> dict[str, Any]:
    """Which puzzle a result is about."""
    return {"puzzle": puzzle.header.name, "file": puzzle.header.file, "family": puzzle.family}


def summary(puzzle: Puzzle, name: str | None = None) -> dict[str, Any]:
    """A puzzle in a list; `name` is that of a shipped one."""
    header = puzzle.header
    expect = {metric: plain_cost(cost) for metric, cost in header.expect.costs.items()}
    return {
        "type": "puzzle",
        **({"name": name} if name is not None else {}),
        "file": header.file,
        "title": header.name,
        "family": puzzle.family,
        "author": header.author or None,
        "metric": header.metric,
        "expect": {"unsolvable": True} if header.expect.unsolvable else expect,
    }


def whole(puzzle: Puzzle) -> dict[str, Any]:
    """All of a puzzle: the position and the goal as rows of text, its metrics, its credits."""
    header = puzzle.header
    return summary(puzzle) | {
        "credit": header.credit or None,
        "notes": header.notes or None,
        "metrics": list(puzzle.metrics),
        "board": list(puzzle.board()),
        "goal": list(puzzle.goal_text()),
    }
