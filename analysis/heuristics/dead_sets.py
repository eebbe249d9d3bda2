"""Dead sets: two to four objects from whose places the goal is out of reach (`analysis.deadlocks.tables`)."""

from __future__ import annotations

from ...models.task import OperatorTask
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..deadlocks.tables import DeadSets, dead_sets, lost, no_dead_sets, with_picks
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey


def _prepare(given: Preparation) -> DeadSets:
    if not given.boards.freezes:
        return no_dead_sets()
    dead = dead_sets(given.packed, given.objects, given.boards.useful, given.budget)
    return with_picks(dead, given.objects.count)


@njit(inner=True)
def _after(dead: DeadSets, estimate: Estimate, survey: Survey, child: Successor) -> bool:
    """Whether the object that moved is in a dead set. A set without it would have made the parent a dead end, too."""
    cell = child.cell if estimate.objects.sides > 1 else 0
    return lost(dead, survey.at, child.moved, cell, survey.chosen)


def _empty(_task: OperatorTask, _packed: BitsetTask) -> DeadSets:
    return no_dead_sets()


HEURISTIC = Heuristic(
    sentence="sets of two to four objects that cannot all reach goals, whatever else is on the board",
    role=Role.DEAD_END,
    rank=10,
    prepare=_prepare,
    empty=_empty,
    words=lambda dead: f"dead sets of {dead.size}" if dead.size else "",
    after=_after,
)
