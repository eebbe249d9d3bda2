"""Potentials of walks: what a walker's steps and pushes cost together (`analysis.walk_potentials`)."""

from __future__ import annotations

from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..walk_potentials import WalkPotentials, no_walk_potentials, walk_potentials, walk_value


def _prepare(given: Preparation) -> WalkPotentials:
    if given.task.walker is None or not given.task.walker.cost[0]:
        return no_walk_potentials()
    return walk_potentials(given.task, given.packed, given.objects, given.boards, given.budget)


@njit(inner=True)
def _after(walks: WalkPotentials, _estimate: Estimate, survey: Survey, child: Successor) -> int:
    return walk_value(walks, survey.at, child.cell) if walks.unit else long(0)


HEURISTIC = Heuristic(
    sentence="a potential of each object's place and the walker's cell, where steps of the walker are paid for",
    role=Role.BOUND,
    rank=20,
    prepare=_prepare,
    empty=lambda _task, _packed: no_walk_potentials(),
    words=lambda walks: "potentials of walks" if walks.unit else "",
    after=_after,
)
