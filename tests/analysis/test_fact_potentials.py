"""Potentials of facts: against exhaustive distances, with steps that must not lower them by more than they cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from budge import Status
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.plan_invariants import find_invariants, root_bounds
from budge.analysis.potentials import (
    FactPotentials,
    Falls,
    Part,
    as_integers,
    fact_potentials,
    potentials_value,
    value_at,
)
from budge.engines.astar.engine import solve as a_star
from budge.engines.cp_sat.engine import solve as solve_by_horizons
from budge.models.plan import apply
from budge.models.task import ExactlyInvariant, GroupKind, OperatorTask, operator
from budge.runtime.arrays import Words, bit_rows
from budge.runtime.budget import Budget
from budge.runtime.kernel_calls import njit

from ..helpers.partitioning_tasks import late_bounds_alone, tasks
from ..helpers.random_tasks import random_task
from ..helpers.reference import distances, optimal
from ..helpers.seeds import seeds


@njit()
def potentials_value_of(potentials: FactPotentials, row: Words) -> int:
    return potentials_value(potentials, row)


@pytest.mark.parametrize("seed", seeds(80))
def test_no_value_is_above_the_distance_and_no_step_lowers_it_by_more_than_its_cost(seed: int) -> None:
    task = tasks(seed)
    made, packed = fact_potentials(task), to_bitset_task(task)
    ahead, back = distances(task)
    value = {state: value_at(made, sorted(state)) for state in ahead}
    for state, bound in value.items():
        assert bound == potentials_value_of(made, bit_rows([state], packed.words)[0])
        assert bound <= back.get(state, bound)
        for op in task.operators:
            if state.issuperset(op.pre):
                assert bound <= op.cost[0] + value[apply(state, op)]


@pytest.mark.parametrize("seed", seeds(40))
def test_engines_find_the_optimum_by_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.astar.search._alone", lambda first, goes_on: None)
    monkeypatch.setattr("budge.engines.astar.search._in_turns", late_bounds_alone)
    monkeypatch.setattr("budge.analysis.plan_invariants.LEAST_GOALS", 1)
    task = random_task(seed, most_cost=1 + seed % 5)
    expected = optimal(task)
    for outcome in (
        a_star(task, Budget(), without="patterns,landmark-cut,saturated-costs"),
        solve_by_horizons(task, Budget(), without="whole-plans"),
    ):
        assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
        assert outcome.upper_bound == (expected and expected[0])


def three_of_four() -> OperatorTask:
    """Four lamps; three shall burn. One operator lights two of them at a price of 4, others the last two at 3 each."""
    facts = tuple(f"{word} {n}" for n in range(4) for word in ("off", "on"))
    groups = tuple(ExactlyInvariant(str(n), GroupKind.OBJECT, (2 * n, 2 * n + 1)) for n in range(4))
    operators = (
        operator("both", [0, 2], [1, 3], [0, 2], None, (4,)),
        operator("third", [4], [5], [4], None, (3,)),
        operator("fourth", [6], [7], [6], None, (3,)),
    )
    return OperatorTask("lamps", facts, groups, operators, (0, 2, 4, 6), ((1,), (3,), (5,)), ("cost",))


def test_weights_tell_what_operators_do_together() -> None:
    task = three_of_four()
    made = fact_potentials(task)
    assert value_at(made, task.init) == 7
    assert value_at(made, (1, 3, 4, 6)) == 3
    assert value_at(made, (1, 3, 5, 6)) == 0


def test_every_engine_is_told_of_them_where_no_object_moves() -> None:
    """Lamps that are never switched off, as facts that operators make true whether they are or not."""
    operators = (operator("both", [3], [0, 1], [], None, (4,)), operator("third", [3], [2], [], None, (3,)))
    task = OperatorTask("lamps", ("one", "two", "three", "always"), (), operators, (3,), ((0,), (1,), (2,)), ("cost",))
    assert (7, "potentials of facts") in root_bounds(task)
    assert not dict(root_bounds(task, frozenset({"fact-potentials"})))


def test_invariants_have_them_where_they_say_more() -> None:
    """To light the third lamp puts out the fourth, which is to be lit again: 3 steps, where each lamp needs one."""
    third = operator("third", [4, 7], [5, 6], [4, 7], None)
    fourth = operator("fourth", [6], [7], [6], None)
    task = replace(three_of_four(), operators=(third, fourth), goal=((0,), (5,), (7,)))
    found = find_invariants(task, Budget())
    assert (found.lower_bound(task.init), found.bound_by) == (3, "potentials of facts")
    assert solve_by_horizons(task, Budget()).lower_bound == (3,)
    assert not find_invariants(task, Budget(), without=frozenset({"fact-potentials"})).of_facts


def test_weights_that_break_a_constraint_are_not_used() -> None:
    parts = [Part((0, 1), 1)]
    rows: Falls = {((0,), (1,), ()): 2}
    made = as_integers(np.array([1.5, -0.5]), rows, parts)
    assert made is not None
    weights, constant, scale = made
    assert (weights.tolist(), constant, scale) == ([3, -1], -3, 2)
    assert as_integers(np.array([1.6, -0.5]), rows, parts) is None
    unsure: Falls = {((), (), (1,)): 2}
    assert as_integers(np.array([0.0, -3.0]), unsure, parts) is None
    assert as_integers(np.array([0.0, 3.0]), unsure, parts) is not None


def test_nothing_is_known_of_a_task_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.analysis.potentials.MOST_ROWS", 1)
    task = three_of_four()
    assert value_at(fact_potentials(task), task.init) == 0
