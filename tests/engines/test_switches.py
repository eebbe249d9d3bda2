"""What `--without` switches off in engines that are no heuristic searches: answers stay true, and less is known."""

from __future__ import annotations

import pytest
from budge import Budget, Status, load
from budge.analysis.heuristics import heuristics
from budge.analysis.plan_invariants import find_invariants, root_bounds
from budge.engines.cp_sat import RULES as CP_SAT_RULES
from budge.engines.cp_sat.engine import solve as solve_by_horizons
from budge.engines.greedy import RULES as GREEDY_RULES
from budge.engines.greedy.engine import estimator
from budge.engines.greedy.engine import solve as greedy

PREPARED = ("conflicts", "matching", "patterns")
"""The heuristics of which `cp-sat` makes constraints or bounds."""


@pytest.mark.weekly
@pytest.mark.parametrize("name", [*PREPARED, *CP_SAT_RULES])
@pytest.mark.parametrize(("puzzle", "metric"), [("sokoban/microban-001", "pushes"), ("level-01", "slides")])
def test_cp_sat_proves_the_same_without(name: str, puzzle: str, metric: str) -> None:
    task = load(puzzle).task(metric)
    whole, part = solve_by_horizons(task, Budget()), solve_by_horizons(task, Budget(), without=name)
    assert part.status is Status.OPTIMAL
    assert part.upper_bound == whole.upper_bound == part.lower_bound


def test_cp_sat_knows_less_without() -> None:
    task = load("sokoban/microban-003").task("pushes")
    whole = find_invariants(task, Budget())
    assert whole.to_goal
    assert whole.from_start
    assert whole.dead
    assert whole.parity is not None
    names = frozenset({"conflicts", "dead-sets", "from-start", "parity"})
    part = find_invariants(task, Budget(), without=names)
    assert part.to_goal == whole.to_goal
    assert (part.from_start, part.dead, part.conflicts, part.parity, part.colour) == ((), (), (), None, None)
    assert not find_invariants(task, Budget(), without=names | {"matching"}).to_goal


def test_deeper_tables_and_parallel_steps_are_left_out() -> None:
    task = load("bird-1").task("slides")
    outcome = solve_by_horizons(task, Budget(), without="deeper-hm,parallel-steps,first-plan,move-pruning")
    assert outcome.upper_bound == (24,)
    assert "first_plan" not in outcome.stats
    assert "h³" not in str(outcome.lower_bound_by)


@pytest.mark.weekly
@pytest.mark.parametrize("name", sorted(GREEDY_RULES))
@pytest.mark.parametrize(("puzzle", "metric"), [("eight-15", "moves"), ("level-01", "slides")])
def test_greedy_finds_a_plan_without(name: str, puzzle: str, metric: str) -> None:
    task = load(puzzle).task(metric)
    outcome = greedy(task, Budget(), without=name)
    assert outcome.plan is not None
    assert outcome.upper_bound is not None
    assert outcome.lower_bound is not None
    assert outcome.lower_bound <= outcome.upper_bound


def test_what_greedy_search_is_guided_by() -> None:
    task = load("eight-15").task("moves")
    assert estimator(task).alone.any()
    part = estimator(task, frozenset({"distances", "preferred"}))
    assert not part.alone.any()
    assert (part.all_objects, part.prefers) == (0, 0)
    assert estimator(task, frozenset({"distances", "relaxed-plans"})).all_objects


def test_root_bounds_are_left_out_by_the_names_of_heuristics() -> None:
    task = load("eight-31-a").task("moves")
    roots = [name for name, heuristic in heuristics().items() if heuristic.root is not None]
    assert roots
    assert max(bound for bound, _ in root_bounds(task)) > 15
    assert max(bound for bound, _ in root_bounds(task, frozenset({*roots, "matching", "parity"}))) == 0
