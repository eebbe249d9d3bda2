"""A weight for each fact, by a linear program: their sum is a lower bound (`analysis.potentials`)."""

from __future__ import annotations

from ...models.task import OperatorTask
from ...runtime.kernel_calls import njit
from ..heuristic import Estimate, Heuristic, InitialBound, Role, Successor, Survey
from ..potentials import OF_FACTS, FactPotentials, fact_potentials, no_fact_potentials, potentials_value, value_at
from ..transition_graphs import root_value


@njit(inner=True)
def _after(potentials: FactPotentials, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = potentials_value(potentials, child.row)
    return value


def _root(task: OperatorTask) -> int:
    """The value at the start, where distances of single objects are 0: else nobody waits for a linear program."""
    if task.walker is not None or root_value(task):
        return 0
    return value_at(task.computed(fact_potentials), task.init)


HEURISTIC = Heuristic(
    sentence="a weight for each fact, by a linear program: their sum (Pommerening and others 2015)",
    role=Role.LATE_BOUND,
    rank=3,
    prepare=lambda given: given.task.computed(fact_potentials),
    empty=lambda _task, _packed: no_fact_potentials(),
    words=lambda potentials: OF_FACTS if len(potentials.scale) else "",
    after=_after,
    root=InitialBound(OF_FACTS, _root),
)
