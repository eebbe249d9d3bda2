"""Which form of a puzzle engines get that read both: enumerated operators, where they are few, or programs."""

from __future__ import annotations

from dataclasses import replace

from ....cost import Metric
from ....errors import GroundingError
from ....program import ProgramTask
from ....task import Task
from ....unordered import unordered
from ..grounding.task import ground
from ..grounding.variables import Effort
from ..puzzle import Custom
from .task import programs

FEW = Effort(operators=3_000, steps=25_000)
"""Up to here operators are enumerated, which takes a few tenths of a second: what is known of operators (pairs of facts
that exclude each other, symmetries, matchings) is worth more than what programs save.
"""
A_FEW = 6
"""Actions that are written as programs to see whether the order of actions may be of no importance."""


def form_of(puzzle: Custom, metric: Metric) -> Task | ProgramTask:
    """Enumerated operators where they are few, else programs. Raises `GroundingError` where neither can be made."""
    try:
        task = ground(puzzle, metric, FEW)
        return (_of_a_set(puzzle, metric) if task.operators else None) or task
    except GroundingError as error:
        reason = error.reason
    try:
        return replace(programs(puzzle, metric), instead_of=reason)
    except GroundingError:
        return ground(puzzle, metric)


def _of_a_set(puzzle: Custom, metric: Metric) -> ProgramTask | None:
    """The task as programs, if the order of its actions does not matter: `cp-sat` states the whole puzzle in one model
    then. The first few actions show of nearly all others that it does.
    """
    if puzzle.always or any(table.different for table in puzzle.state.values()) or len(metric.components) > 1:
        return None
    try:
        if unordered(programs(puzzle, metric, most=A_FEW)) is None:
            return None
        found = replace(programs(puzzle, metric), instead_of="the order of actions does not matter")
    except GroundingError:
        return None
    actions = found.computed(unordered)
    return found if actions and actions.free else None
