"""Saturated cost partitioning: projections and saturated costs against their definitions, the sums against exhaustive
distances, A* against plain search.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from budge import Status
from budge.analysis.abstractions import NEVER, AbstractSystem, saturate
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.heuristics.saturated_costs import (
    PartitionedCosts,
    partitioned_costs,
    partitioned_value,
    projection,
    variable_task,
)
from budge.analysis.structure import structure_of
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.recheck_before_expansion import LateBounds, that_pay
from budge.models.plan import apply
from budge.models.task import ExactlyInvariant, GroupKind, OperatorTask, operator
from budge.runtime.arrays import Longs, Words, bit_rows
from budge.runtime.budget import Budget
from budge.runtime.kernel_calls import njit

from ..helpers.partitioning_tasks import late_bounds_alone, tasks
from ..helpers.patience import PATIENCE
from ..helpers.random_tasks import random_task
from ..helpers.reference import distances, optimal
from ..helpers.seeds import seeds

MANY = 10**6


@njit()
def partitioned_value_of(tables: PartitionedCosts, row: Words) -> int:
    return partitioned_value(tables, row)


def abstract(task: OperatorTask, graph: AbstractSystem, state: frozenset[int]) -> int:
    """The abstract state of a state, by the variables of the cover."""
    variables = structure_of(task).cover
    total = 0
    for variable, stride in zip(graph.variables.tolist(), graph.strides.tolist(), strict=True):
        (value,) = [n for n, fact in enumerate(variables[variable]) if fact in state] or [0]
        total += value * stride
    return total


def saturated(graph: AbstractSystem, left: Longs) -> list[int]:
    states, labels = len(graph.first) - 1, len(graph.label_first) - 1
    level = np.zeros(states, np.int64)
    scratch = np.zeros((2, states), np.int32)
    saturate(graph, left, level, np.zeros(labels, np.int64), *scratch)
    return level.tolist()


@pytest.mark.parametrize("seed", seeds(40))
def test_projections_and_saturated_costs(seed: int) -> None:
    """Every step between reachable states is a transition, or leads nowhere in the projection; distances are those of
    the definition; they stay what they are under the saturated costs, which are the least with that property.
    """
    task = tasks(seed)
    variables, costs = variable_task(task), to_bitset_task(task).cost
    assert variables is not None
    states = distances(task)[0]
    for size in (1, 2, 3):
        for pattern in list(combinations(range(len(variables.sizes)), size))[:4]:
            graph = projection(variables, pattern, MANY)
            if graph is None:
                continue
            steps = {
                (int(graph.source[t]), target, int(n))
                for target in range(len(graph.first) - 1)
                for t in range(graph.first[target], graph.first[target + 1])
                for n in graph.operators[graph.label_first[graph.label[t]] : graph.label_first[graph.label[t] + 1]]
            }
            for state in states:
                here = abstract(task, graph, state)
                assert not task.holds(state) or here in graph.goals
                for n, op in enumerate(task.operators):
                    if state.issuperset(op.pre):
                        there = abstract(task, graph, apply(state, op))
                        assert here == there or (here, there, n) in steps
            left = costs.copy()
            level = saturated(graph, left)
            assert level == by_definition(graph, steps, costs)
            assert (left >= 0).all()
            assert level == by_definition(graph, steps, costs - left)
            for label, (first, end) in enumerate(zip(graph.label_first, graph.label_first[1:], strict=False)):
                own = [(a, b) for a, b, n in steps if n in graph.operators[first:end] and level[b] < NEVER]
                needed = max([0, *(level[a] - level[b] for a, b in own)])
                assert ((costs - left)[graph.operators[first:end]] == needed).all(), label


def by_definition(graph: AbstractSystem, steps: set[tuple[int, int, int]], costs: Longs) -> list[int]:
    level = [NEVER] * (len(graph.first) - 1)
    for goal in graph.goals.tolist():
        level[goal] = 0
    changed = True
    while changed:
        changed = False
        for source, target, n in steps:
            if level[target] < NEVER and level[target] + int(costs[n]) < level[source]:
                level[source], changed = level[target] + int(costs[n]), True
    return level


@pytest.mark.parametrize("seed", seeds(60))
def test_no_value_is_above_the_distance_and_no_step_lowers_it_by_more_than_its_cost(seed: int) -> None:
    task = tasks(seed)
    packed = to_bitset_task(task)
    tables = partitioned_costs(task, packed, Budget())
    ahead, back = distances(task)
    value = {state: int(partitioned_value_of(tables, bit_rows([state], packed.words)[0])) for state in ahead}
    for state, bound in value.items():
        if bound < 0:
            assert state not in back
            continue
        assert bound <= back.get(state, NEVER)
        for op in task.operators:
            if state.issuperset(op.pre):
                after = value[apply(state, op)]
                assert after < 0 or bound <= op.cost[0] + after


def test_projections_add_up() -> None:
    """Three switches, each with an operator of its own, at 2, 3 and 4; and one that switches the first two on at 4."""
    facts = ("off 1", "on 1", "off 2", "on 2", "off 3", "on 3")
    groups = tuple(ExactlyInvariant(str(n), GroupKind.OBJECT, (2 * n, 2 * n + 1)) for n in range(3))
    operators = [operator(f"o{n}", [2 * n], [2 * n + 1], [2 * n], None, (2 + n,)) for n in range(3)]
    operators.append(operator("both", [0, 2], [1, 3], [0, 2], None, (4,)))
    task = OperatorTask("switches", facts, groups, tuple(operators), (0, 2, 4), ((1,), (3,), (5,)), ("cost",))
    packed = to_bitset_task(task)
    tables = partitioned_costs(task, packed, Budget())
    assert partitioned_value_of(tables, packed.init) == 8
    assert partitioned_value_of(tables, bit_rows([{1, 2, 5}], packed.words)[0]) == 3


def test_nothing_is_known_where_a_task_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    task = random_task(0)
    packed = to_bitset_task(task)
    monkeypatch.setattr("budge.analysis.heuristics.saturated_costs.MOST_VALUES", 1)
    assert partitioned_value_of(partitioned_costs(task, packed, Budget()), packed.init) == 0


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("components", [1, 2])
def test_a_star_with_saturated_costs(seed: int, components: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is that of plain search, from the search with saturated costs by itself."""
    monkeypatch.setattr("budge.engines.astar.search._alone", lambda first, goes_on: None)
    monkeypatch.setattr("budge.engines.astar.search._in_turns", late_bounds_alone)
    task = random_task(seed, components=components)
    expected = optimal(task)
    outcome = a_star(task, Budget(), without="landmark-cut,patterns")
    assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
    assert outcome.upper_bound == (expected and expected[0])


@pytest.mark.parametrize(
    ("quick", "slow", "pays"),
    [
        ([10, 10, 10], [10, 10, 10], False),
        ([10, 10, 10], [11, 12, 11], True),
        ([100, 100, 100], [100, 100, 101], False),
        ([10, 10, -1], [10, 10, -1], False),
        ([10, 10, 10], [10, -1, 10], True),
        ([0, 0, 0], [0, 0, 0], False),
        ([-1, -1, -1], [-1, -1, -1], False),
    ],
)
def test_a_slower_bound_joins_if_it_pays(quick: list[int], slow: list[int], pays: bool) -> None:
    first, both = LateBounds(0, {"a": "a"}), LateBounds(0, {"a": "a", "b": "b"})
    chosen = that_pay([first, both], lambda late: np.array(quick if late is first else slow))
    assert chosen is (both if pays else first)
    assert that_pay([], lambda late: np.zeros(1, np.int64)) is None


def parcels(places: int, count: int) -> OperatorTask:
    """A lorry on a road of some places brings parcels from one end to the other, loading them at the places between."""
    lorry = tuple(range(places))
    facts = [f"lorry at {n}" for n in lorry]
    groups = [ExactlyInvariant("lorry", GroupKind.OBJECT, lorry)]
    operators = [
        operator(f"drive {a} {b}", [a], [b], [a], None, (3,)) for a in lorry for b in (a - 1, a + 1) if b in lorry
    ]
    for parcel in range(count):
        first, inside = len(facts), len(facts) + places
        facts += [*(f"{parcel} at {n}" for n in lorry), f"{parcel} inside"]
        groups.append(ExactlyInvariant(f"parcel {parcel}", GroupKind.OBJECT, tuple(range(first, inside + 1))))
        for n in lorry:
            operators.append(operator(f"load {parcel} {n}", [n, first + n], [inside], [first + n], None))
            operators.append(operator(f"unload {parcel} {n}", [n, inside], [first + n], [inside], None))
    wanted = [groups[1 + n].facts[(places + n) // 2] for n in range(count)]
    init = sorted([0, *(groups[1 + n].facts[n % places] for n in range(count))])
    goal = tuple((fact,) for fact in sorted(wanted))
    task = OperatorTask("parcels", tuple(facts), tuple(groups), tuple(operators), tuple(init), goal, ("cost",))
    task.validate()
    return task


def test_they_save_expansions(monkeypatch: pytest.MonkeyPatch) -> None:
    task = parcels(5, 5)
    monkeypatch.setattr("budge.engines.astar.search._alone", lambda first, goes_on: None)
    monkeypatch.setattr("budge.engines.astar.search._in_turns", late_bounds_alone)
    monkeypatch.setattr("budge.analysis.heuristics.saturated_costs.SECONDS", PATIENCE)
    with_them = a_star(task, Budget(), without="landmark-cut")
    without = a_star(task, Budget(), without="landmark-cut,saturated-costs")
    assert with_them.upper_bound == without.upper_bound
    assert int(with_them.stats["expanded"]) < 0.6 * int(without.stats["expanded"])
