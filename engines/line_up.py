"""Which engines work on a task, side by side and one after the other, by the places that their records name."""

from __future__ import annotations

from collections.abc import Sequence

from ..models.program import ProgramTask
from ..models.task import Task
from .engine import Engine, TaskKind


def kind_of(task: Task | ProgramTask) -> TaskKind:
    """The kind of a task, by its walker, costs, objects and goal; the first in the order of the list that fits."""
    if isinstance(task, ProgramTask):
        return TaskKind.PROGRAMS
    from ..analysis.structure import structure_of  # brings numpy, which a small puzzle does not need

    if not task.uniform:
        return TaskKind.COSTS_DIFFER
    if not task.walker and structure_of(task).always_changed:
        return TaskKind.ONE_OBJECT
    return TaskKind.SEVERAL_GOALS if len(task.goal) > 1 else TaskKind.ONE_GOAL


def line_up(kind: TaskKind, engines: Sequence[Engine]) -> tuple[tuple[Engine, ...], ...]:
    """Which engines work side by side on tasks of a kind, in queues."""
    sides: dict[str, list[tuple[int, int, Engine]]] = {}
    for number, engine in enumerate(engines):
        if engine.place and kind in engine.place.ranks:
            sides.setdefault(engine.place.side, []).append((engine.place.ranks[kind], number, engine))
    order = ("search", "solver", "quick plan")
    return tuple(tuple(engine for _, _, engine in sorted(sides[side])) for side in order if side in sides)
