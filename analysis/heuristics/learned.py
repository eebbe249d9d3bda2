"""Learned dead sets, which a search fills while it goes on (`analysis.deadlocks.freeze`)."""

from __future__ import annotations

from ...models.task import OperatorTask
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..deadlocks.freeze import LearnedSets, holds_learned, learned_sets
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey


def _prepare(given: Preparation) -> LearnedSets:
    objects, cells = given.objects, len(given.packed.free_bit)
    return learned_sets(len(objects.mask), len(objects.fact), cells if objects.sides > 1 else 0)


@njit(inner=True)
def _after(learned: LearnedSets, _estimate: Estimate, survey: Survey, child: Successor) -> bool:
    return holds_learned(learned, child.row, survey.at[child.moved], child.cell)


def _empty(_task: OperatorTask, packed: BitsetTask) -> LearnedSets:
    return learned_sets(packed.words, 0, 0)


HEURISTIC = Heuristic(
    sentence="sets of objects that deadlock searches have found dead, looked up in every later state",
    role=Role.DEAD_END,
    rank=20,
    prepare=_prepare,
    empty=_empty,
    words=lambda _learned: "",
    after=_after,
)
