"""Which engines work on a task, side by side and one after the other, by the places that their records name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..models.program import ProgramTask
from ..models.task import Task
from .engine import Engine, TaskKind

if TYPE_CHECKING:
    from ..analysis.structure import TaskStructure


MANY_AT_ONCE = 3.0
"""Objects that operators move in the mean, from which on estimates that look at few of them say little. Puzzles whose
goal is one state move 2.0 (n-puzzle), 4.0 (TopSpin), 4.5 (Lights Out), 5.1 (burnt pancakes)."""


def kind_of(task: Task | ProgramTask) -> TaskKind:
    """The kind of a task, by its walker, costs, objects and goal; the first in the order of the list that fits."""
    if isinstance(task, ProgramTask):
        return TaskKind.PROGRAMS
    from ..analysis.structure import structure_of  # brings numpy, which a small puzzle does not need

    if not task.uniform:
        return TaskKind.COSTS_DIFFER
    if not task.walker and structure_of(task).always_changed:
        return TaskKind.ONE_OBJECT
    if not task.walker and _one_goal_state(structure_of(task)):
        return TaskKind.ONE_GOAL_STATE
    return TaskKind.SEVERAL_GOALS if len(task.goal) > 1 else TaskKind.ONE_GOAL


def _one_goal_state(known: TaskStructure) -> bool:
    """Whether search from both ends is likely to be the quickest: it can begin at the goal, and estimates are weak."""
    return known.goal_places_all and known.moved_at_once >= MANY_AT_ONCE and known.invertible


def line_up(kind: TaskKind, engines: Sequence[Engine]) -> tuple[tuple[Engine, ...], ...]:
    """Which engines work side by side on tasks of a kind, in queues."""
    sides: dict[str, list[tuple[int, int, Engine]]] = {}
    for number, engine in enumerate(engines):
        if engine.place and kind in engine.place.ranks:
            sides.setdefault(engine.place.side, []).append((engine.place.ranks[kind], number, engine))
    order = ("search", "solver", "quick plan")
    return tuple(tuple(engine for _, _, engine in sorted(sides[side])) for side in order if side in sides)
