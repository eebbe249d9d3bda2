"""Lower bounds on the cost of every plan that are known before any search, by the heuristics that have one."""

from __future__ import annotations

from collections.abc import Iterator

from ..models.task import Task
from .bitset_task import cost_of_key
from .heuristics import heuristics
from .plan_invariants import stepwise, without_tables


def root_bounds(task: Task, without: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Each bound in the first component of the metric, with what proves it, the cheapest to compute first.

    They are the `root` of every heuristic, then the matching as potentials, with parity. `without`: the names of
    heuristics that are left out, and `parity`.
    """
    for name, heuristic in heuristics().items():
        if heuristic.root is not None and name not in without:
            key = heuristic.root.of(task)
            if key > 0:  # -1, a dead end, is left to the search
                yield cost_of_key(key, len(task.metric))[0], heuristic.root.words
    if stepwise(task):
        invariants = without_tables(task, without)
        yield invariants.lower_bound(task.init), invariants.bound_by
