"""Which form of a puzzle engines get that read both: enumerated operators, where they are few, or programs."""

from __future__ import annotations

from dataclasses import replace

from ....cost import Metric
from ....errors import GroundingError
from ....program import ProgramTask
from ....task import Task
from ..grounding.task import ground
from ..grounding.variables import Effort
from ..puzzle import Custom
from .task import programs

FEW = Effort(operators=3_000, steps=25_000)
"""Up to here operators are enumerated, which takes a few tenths of a second: what is known of operators (pairs of facts
that exclude each other, symmetries, matchings) is worth more than what programs save.
"""


def form_of(puzzle: Custom, metric: Metric) -> Task | ProgramTask:
    """Enumerated operators where they are few, else programs. Raises `GroundingError` where neither can be made."""
    try:
        return ground(puzzle, metric, FEW)
    except GroundingError as error:
        reason = error.problems[0].message if error.problems else "too many operators"
    try:
        return replace(programs(puzzle, metric), instead_of=reason)
    except GroundingError:
        return ground(puzzle, metric)
