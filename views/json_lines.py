"""Results as JSON: the command line's contract with programs."""

from __future__ import annotations

from typing import Any

from ..models.cost import Cost
from ..models.errors import Problem
from ..workflows.solving import Solution


def plain(cost: Cost | None) -> int | list[int] | None:
    """A cost as JSON has it: a number, or a list where the metric has two components."""
    if cost is None:
        return None
    return cost[0] if len(cost) == 1 else list(cost)


def result(solution: Solution) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    outcome, header = solution.outcome, solution.puzzle.header
    return {
        "type": "result",
        "puzzle": header.name,
        "file": header.file,
        "family": solution.puzzle.family,
        "engine": solution.engine,
        "metric": solution.metric,
        "status": outcome.status.value,
        "cost": plain(solution.cost),
        "lower_bound": plain(outcome.lower_bound),
        "upper_bound": plain(outcome.upper_bound),
        "lower_bound_by": outcome.lower_bound_by or None,
        "plan": solution.replay.notation if solution.replay else None,
        "costs": solution.replay.costs if solution.replay else None,
        "stopped_by": outcome.stopped_by,
        "contradicts": solution.contradicts,
        "seconds": {
            "total": round(solution.seconds, 4),
            "encode": round(outcome.encode_seconds, 4),
            "solve": round(outcome.solve_seconds, 4),
        },
        "stats": outcome.stats,
    }


def failure(name: str, engine: str, metric: str | None, message: str, problems: list[Problem]) -> dict[str, Any]:
    """The `result` object of a puzzle that could not be read, or whose engine failed."""
    return {
        "type": "result",
        "puzzle": name,
        "file": name,
        "family": None,
        "engine": engine,
        "metric": metric,
        "status": "error",
        "cost": None,
        "lower_bound": None,
        "upper_bound": None,
        "lower_bound_by": None,
        "plan": None,
        "costs": None,
        "stopped_by": None,
        "contradicts": None,
        "seconds": {"total": 0.0, "encode": 0.0, "solve": 0.0},
        "stats": {},
        "error": message,
        "problems": as_objects(problems),
    }


def as_objects(problems: list[Problem]) -> list[dict[str, Any]]:
    """Each problem of a file with its place and what to do."""
    return [
        {"file": p.file, "line": p.line, "column": p.column, "message": p.message, "help": p.hint} for p in problems
    ]
