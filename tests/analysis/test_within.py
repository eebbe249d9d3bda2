"""h^m within a limit: against its definition, against the distances of all states, and in the engine `cp-sat`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from budge import Puzzle, load
from budge.analysis.hm.fixpoint import fixpoint
from budge.analysis.hm.tables import from_pairs, hm_tables, lifted, subsets_of, too_late
from budge.analysis.hm.tuples import NEVER, Numbering, all_sets, forwards
from budge.analysis.transformed_tasks import to_strips, with_unit_cost
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat import strategies
from budge.engines.cp_sat.horizon_run import HorizonRun
from budge.models.plan import apply
from budge.models.task import OperatorTask
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.random_puzzles import agrees, cost_of, n_puzzles, puzzles, rush_hours, sliding_blocks, sokobans
from ..helpers.reachable_sets import by_definition, operators
from ..helpers.reference import distances
from ..helpers.seeds import examples


@given(data=st.data(), order=st.integers(2, 5))
@settings(max_examples=examples(100))
def test_values_are_those_of_the_definition(data: st.DataObject, order: int) -> None:
    count = data.draw(st.integers(3, 8))
    ops = data.draw(st.lists(operators(count), min_size=1, max_size=8))
    init = frozenset(data.draw(st.frozensets(st.integers(0, count - 1), min_size=1)))
    n = Numbering.of(count, order)
    own = {
        frozenset(facts): int(n.value_of[size]) + number
        for size in range(1, order + 1)
        for number, facts in enumerate(all_sets(count, size).tolist())
    }
    late = np.array(data.draw(st.lists(st.integers(1, 6), min_size=n.sets, max_size=n.sets)), np.int16)
    for facts, place in own.items():  # the smaller sets come first; none is too late before a larger one
        for fact in facts if len(facts) > 1 else ():
            late[place] = min(late[place], late[own[facts - {fact}]])
    every = from_pairs(Numbering.of(count, 2), np.ones((count, count), np.bool_))
    for size in range(3, order + 1):
        every, _ = lifted(Numbering.of(count, size), every, np.zeros(0, np.int16))
    _, values = fixpoint(n, subsets_of(n, init), every, forwards(ops), np.zeros(1, np.uint8), late)

    expected = by_definition(order, init, set(own), ops, {facts: int(late[place]) for facts, place in own.items()})
    for facts, place in own.items():
        assert int(values[place]) == expected[facts], sorted(facts)


@pytest.mark.parametrize("order", [3, 4, 5])
def test_a_lifted_value_is_the_largest_of_a_part(order: int) -> None:
    count = 9
    smaller, n = Numbering.of(count, order - 1), Numbering.of(count, order)
    values = np.random.default_rng(order).integers(0, 50, smaller.sets).astype(np.int16)
    rows = subsets_of(smaller, range(count))
    found_rows, found = lifted(n, rows, values)
    assert (found_rows == subsets_of(n, range(count))).all()
    assert (found[: len(values)] == values).all()
    parts = {
        frozenset(facts): values[smaller.value_of[order - 1] + number]
        for number, facts in enumerate(all_sets(count, order - 1).tolist())
    }
    for number, facts in enumerate(all_sets(count, order).tolist()):
        largest = max(parts[frozenset(part)] for part in combinations(facts, order - 1))
        assert found[n.value_of[order] + number] == largest


def test_what_is_too_late() -> None:
    assert too_late(np.array([0, 3, 9, 10, 11, NEVER], np.int16), 10).tolist() == [11, 8, 2, 1, 0, 0]


def check_within(task: OperatorTask) -> None:
    """No state of a plan within the limit is excluded, and no value is above the true distance in such a state."""
    whole = to_strips(task)
    ahead, back = distances(whole)
    optimum = back.get(frozenset(whole.init))
    if optimum is None:
        assert hm_tables(task, 3, 7).lower_bound in (None, *range(9))
        return
    for order in (2, 3, 4):
        without = hm_tables(task, order).lower_bound
        assert without is not None
        for limit in (optimum - 1, optimum, optimum + 2):
            tables = hm_tables(task, order, limit)
            assert tables.limit == limit
            bound = tables.lower_bound
            assert bound is not None
            assert min(without, limit + 1) <= bound <= optimum
            for state in back:
                left = limit - ahead[state]
                if back[state] > left:
                    continue
                own = sorted(state.intersection(range(len(task.facts))))
                pairs = np.ix_(own, own)
                assert tables.forward[pairs].max() <= ahead[state]
                assert tables.backward[pairs].max() <= back[state]
                for number, op in enumerate(whole.operators[: len(task.operators)]):
                    if state.issuperset(op.pre):
                        child = apply(state, op)
                        if back.get(child, NEVER) + op.cost[0] <= left:
                            assert tables.earliest_layer[number] <= ahead[state]
                            assert tables.steps_to_goal[number] <= back[child]


@given(case=rush_hours() | sliding_blocks() | n_puzzles() | sokobans())
@settings(max_examples=examples(60))
def test_nothing_of_a_plan_within_the_limit_is_excluded(case: tuple[Puzzle, str]) -> None:
    puzzle, metric = case
    check_within(puzzle.task(metric))


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "order", "bound", "limit", "within"),
    [
        ("level-35", "slides", 3, 19, 25, 26),
        ("level-37", "slides", 3, 30, 39, 40),
        ("level-37", "slides", 3, 30, 47, 30),
        ("eight-31-a", "moves", 4, 25, 30, 31),
        pytest.param("heng-dao-li-ma", "steps", 5, 109, 115, 116, marks=pytest.mark.slow),
    ],
)
def test_bounds_of_boards(name: str, metric: str, order: int, bound: int, limit: int, within: int) -> None:
    task = load(name).task(metric)
    if order < 5:
        assert hm_tables(task, order).lower_bound == bound
    assert hm_tables(task, order, limit).lower_bound == within


@given(case=puzzles())
@settings(max_examples=examples(80))
def test_models_with_tables_within_a_known_plan(case: tuple[Puzzle, str]) -> None:
    """As soon as `cp-sat` knows a plan it has tables of what is shorter, and proves the same optimum."""
    puzzle, metric = case
    searched = strategies._plan_by_search

    def with_tables(run: HorizonRun, seconds: float) -> None:
        searched(run, seconds)
        run._limit_tables()
        if run.shortest is not None:
            run.background.stop()
            run.background.tables = hm_tables(run.task, 3, run.background.limit)
            assert run.background.limit == run.shortest - (len(run.task.metric) == 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strategies, "_plan_by_search", with_tables)
        expected = cost_of(puzzle, metric)
        solution = solve(puzzle, "cp-sat", metric, horizon_limit=max(1, expected[0]) if expected else 8)
    if expected is not None:
        agrees(solution, expected)
    else:
        assert solution.plan is None


def test_tables_of_shorter_plans_make_no_larger_model() -> None:
    task = with_unit_cost(load("bird-2").task("slides"))
    assert task is not None
    encoder = HorizonEncoder(task, hm_tables(task, 2, 12), None)
    with pytest.raises(ValueError, match="within 12 steps"):
        encoder.encode(13)
