"""Conflicts of pairs: what two objects cost more together than their matching says (`analysis.box_conflicts`)."""

from __future__ import annotations

from ...models.task import OperatorTask
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..box_conflicts import Conflicts, conflicts_of, find_conflicts, no_conflicts, only_lost
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..walk_potentials import WalkPotentials


def _prepare(given: Preparation) -> Conflicts:
    """The conflicts of pairs. They count pushes alone, so where a potential of walks is known, or no matching to which
    they add, only lost pairs are.
    """
    if not given.boards.freezes:
        return no_conflicts()
    table, walks = (
        find_conflicts(given.packed, given.objects, given.boards, 2, given.budget),
        given.knows(WalkPotentials),
    )
    return only_lost(table) if "matching" in given.without or (walks is not None and walks.unit) else table


@njit(inner=True)
def _after(conflicts: Conflicts, _estimate: Estimate, survey: Survey, child: Successor) -> int:
    if not conflicts.size:
        return long(0)
    extra: int = conflicts_of((conflicts,), survey.at, child.cell, survey.choice)
    return extra * conflicts.unit if extra > 0 else extra


def _empty(_task: OperatorTask, _packed: BitsetTask) -> Conflicts:
    return no_conflicts()


HEURISTIC = Heuristic(
    sentence="what pairs of objects cost more together than their distances say: exact linear conflicts",
    role=Role.ADDITION,
    rank=10,
    prepare=_prepare,
    empty=_empty,
    words=lambda conflicts: "conflicts of pairs" if conflicts.unit else "lost pairs" if conflicts.size else "",
    after=_after,
)
