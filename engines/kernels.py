"""What engines run that has to be compiled, in sets that can be compiled beside each other.

An engine names its sets. What several engines run is one set, compiled once: h^m for `cp-sat` and `csp`, the tables of
bounds for both and for `astar` and `idastar`. Compiling all of an engine takes as long as its longest set, where
there are cores enough.

A set calls each of its kernels on the task of a sample (`preparation`), in the way that compiles most in the least
time: it fills tables of order 2, as those of order 5 run the same code, and expands a root, not a search space.
"""

from __future__ import annotations

from ..models.task import Task
from ..runtime.budget import Budget
from .engine import Kernels

BOTH = (False, True)
"""Kinds of tasks: without a walker, and with one."""


def _hm(task: Task, budget: Budget) -> None:
    from ..analysis.hm.tables import hm_tables
    from ..analysis.hm.tuples import Numbering
    from ..analysis.hm.within import lifted_values
    from ..analysis.transforms.unit_cost import with_unit_cost

    stepwise = with_unit_cost(task)
    if stepwise is not None:
        pairs = hm_tables(stepwise, 2)
        lifted_values(Numbering.of(pairs.numbering.fact_count, 3), pairs.backward_sets)


HM = Kernels("h^m", _hm, seconds=4.5)
"""Relaxed reachability over sets of facts: the code is the same for sets of any size."""


def _bounds(task: Task, budget: Budget) -> None:
    from ..analysis.plan_invariants import find_invariants, root_bounds
    from ..analysis.transforms.unit_cost import with_unit_cost

    for _ in root_bounds(task):
        pass
    stepwise = with_unit_cost(task)
    if stepwise is not None:
        find_invariants(stepwise, budget)


BOUNDS = Kernels("matching", _bounds, kinds=BOTH, seconds=0.3)
"""What engines tell of a task before they begin: the matching of objects to goals; and dead sets."""


def _estimates(task: Task, budget: Budget) -> None:
    from ..analysis.bitset_task import to_bitset_task
    from ..analysis.estimate import prepare_estimate

    prepare_estimate(task, to_bitset_task(task), budget)


ESTIMATES = Kernels("estimates", _estimates, kinds=BOTH, seconds=2.0)
"""The tables that estimate what a state still costs."""


def _greedy(task: Task, budget: Budget) -> None:
    from .greedy.engine import greedy

    greedy(task, budget)


GREEDY_SEARCH = Kernels("greedy", _greedy, seconds=3.0)


def _refine(task: Task, budget: Budget) -> None:
    from .refine.engine import refine

    refine(task, budget)


PLAN_REFINEMENT = Kernels("refine", _refine, seconds=5.0)


def _a_star(task: Task, budget: Budget) -> None:
    from .astar.engine import compile_kernels

    compile_kernels(task, budget)


A_STAR_SEARCH = Kernels("astar", _a_star, kinds=BOTH, seconds=9.0)


def _deadlocks(task: Task, budget: Budget) -> None:
    from .astar.engine import compile_deadlock_searches

    compile_deadlock_searches(task)


DEADLOCK_SEARCHES = Kernels("deadlock searches", _deadlocks, kinds=(True,), seconds=9.0)
"""Of boxes on a board, in A*."""


def _ida_star(task: Task, budget: Budget) -> None:
    from .idastar.engine import compile_kernels

    compile_kernels(task, budget)


IDA_STAR_SEARCH = Kernels("idastar", _ida_star, kinds=BOTH, seconds=4.0)


def _bfs(task: Task, budget: Budget) -> None:
    from .bfs.engine import compile_kernels

    compile_kernels(task, budget)


BREADTH_FIRST = Kernels("bfs", _bfs, seconds=1.5)


def _bidirectional(task: Task, budget: Budget) -> None:
    from .bidirectional.engine import compile_kernels

    compile_kernels(task, budget)


FROM_BOTH_ENDS = Kernels("bidirectional", _bidirectional, seconds=3.0)


def _feature_space(task: Task, budget: Budget) -> None:
    from .fess.engine import compile_kernels

    compile_kernels(budget)


FEATURE_SPACE_SEARCH = Kernels("fess", _feature_space, kinds=(True,), seconds=18.0)
