"""Landmark cut: cuts between the state and the goal, each of which every plan crosses (`landmark_cuts`)."""

from __future__ import annotations

from typing import NamedTuple

from ...models.task import Task
from ...runtime.kernel_cache import njit
from ..bitset_task import BitsetTask
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..landmark_cuts import CutScratch, RelaxedTask, cut_scratch, landmark_cut, no_relaxed_task, relaxed_task


class LandmarkCut(NamedTuple):
    """The tables for kernels: the relaxed task, and scratch."""

    relaxed: RelaxedTask
    work: CutScratch


def _prepare(given: Preparation) -> LandmarkCut:
    """Nothing is known of tasks with a walker, whose steps are no operators, and of compound moves, which cost one
    together.
    """
    task = given.task
    if task.walker is not None or task.compound_moves:
        return _empty(task, given.packed)
    relaxed = relaxed_task(task, given.packed.words)
    return LandmarkCut(relaxed, cut_scratch(relaxed))


@njit(inner=True)
def _after(tables: LandmarkCut, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = landmark_cut(tables.relaxed, tables.work, child.row)
    return value


def _empty(_task: Task, packed: BitsetTask) -> LandmarkCut:
    relaxed = no_relaxed_task(packed.words)
    return LandmarkCut(relaxed, cut_scratch(relaxed))


HEURISTIC = Heuristic(
    sentence="cuts of operators, one of which every plan has, at their least costs (Helmert and Domshlak 2009)",
    role=Role.LATE_BOUND,
    rank=10,
    prepare=_prepare,
    empty=_empty,
    words=lambda tables: "landmark cut" if tables.relaxed.goal != tables.relaxed.always else "",
    after=_after,
)
