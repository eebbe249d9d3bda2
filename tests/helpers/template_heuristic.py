"""A template: how many goal clauses are unmet, over the most that one operator meets. A copy in `analysis/heuristics`
is a heuristic, whose name is that of the file (docs/adding-a-heuristic.md).

Each operator makes at most `most` clauses true and costs at least `least`. So with n unmet clauses a plan has at least
n / most operators, rounded up, and costs at least `least` times that.
"""

from __future__ import annotations

from typing import NamedTuple

from budge.analysis.bitset_task import BitsetTask, cost_key
from budge.analysis.heuristic import Estimate, Heuristic, InitialBound, Preparation, Role, Successor, Survey
from budge.models.task import OperatorTask
from budge.runtime.arrays import Words
from budge.runtime.bitops import long
from budge.runtime.kernel_calls import njit


class UnmetGoals(NamedTuple):
    """The tables for kernels: `goal` (C, W), a row of bits for each clause; `least` is 0 if the bound is not used."""

    goal: Words
    most: int
    least: int


def _prepare(given: Preparation) -> UnmetGoals:
    """Prepare the tables. Say what is assumed of the task, check it, and give empty tables where it does not hold."""
    task, packed = given.task, given.packed
    if task.compound_moves:  # one step is several operators
        return _empty(task, packed)
    return UnmetGoals(goal=packed.goal, most=_most(task), least=int(packed.cost.min()))


def _root(task: OperatorTask) -> int:
    """The same for the initial state, from the task alone: what engines report that search without heuristics."""
    if task.compound_moves or not task.operators:
        return 0
    true = set(task.init)
    unmet = sum(true.isdisjoint(clause) for clause in task.goal)
    return -(-unmet // _most(task)) * min(cost_key(op.cost) for op in task.operators)


def _most(task: OperatorTask) -> int:
    """The most clauses that an operator makes true, at least 1."""
    return max(1, *(sum(not clause.isdisjoint(op.add) for clause in map(set, task.goal)) for op in task.operators))


def _empty(_task: OperatorTask, packed: BitsetTask) -> UnmetGoals:
    """Tables of the same types that give the bound 0, so that one compiled search serves all tasks."""
    return UnmetGoals(goal=packed.goal[:0], most=1, least=0)


@njit(inner=True)
def _after(unmet: UnmetGoals, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    """The same for each successor, compiled: loops over arrays, without NumPy's functions; nothing is allocated."""
    goal, row, clauses = unmet.goal, child.row, long(0)
    for c in range(len(goal)):
        met = False
        for w in range(goal.shape[1]):
            if goal[c, w] & row[w]:
                met = True
        clauses += not met
    return (clauses + unmet.most - 1) // unmet.most * unmet.least


HEURISTIC = Heuristic(
    sentence="unmet goal clauses, over the most that one operator meets",
    role=Role.BOUND,
    rank=40,
    prepare=_prepare,
    empty=_empty,
    words=lambda unmet: "unmet goals" if unmet.least else "",
    after=_after,
    root=InitialBound("unmet goals", _root),
)
