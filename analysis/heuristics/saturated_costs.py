"""Saturated cost partitioning: projections that share the costs of operators add up (`saturated_costs`)."""

from __future__ import annotations

from ...models.task import Task
from ...runtime.kernel_cache import njit
from ..bitset_task import BitsetTask
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..saturated_costs import PartitionedCosts, no_partitioned_costs, partitioned_costs, partitioned_value


def _prepare(given: Preparation) -> PartitionedCosts:
    """Nothing is known of tasks with a walker, whose steps are no operators, and of compound moves, which cost one
    together.
    """
    task = given.task
    if task.walker is not None or task.compound_moves:
        return _empty(task, given.packed)
    return partitioned_costs(task, given.packed, given.budget)


@njit(inner=True)
def _after(tables: PartitionedCosts, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = partitioned_value(tables, child.row)
    return value


def _empty(_task: Task, packed: BitsetTask) -> PartitionedCosts:
    return no_partitioned_costs(packed.words)


HEURISTIC = Heuristic(
    sentence="projections that take the costs they need, one after the other (Seipp, Keller and Helmert 2020)",
    role=Role.LATE_BOUND,
    rank=5,
    prepare=_prepare,
    empty=_empty,
    words=lambda tables: "saturated costs" if len(tables.order_first) > 1 else "",
    after=_after,
)
