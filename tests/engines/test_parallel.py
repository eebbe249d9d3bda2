"""The parallel model: plans of few parallel steps, counted by moves, held against breadth-first search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from budge import Budget, Status, load, load_text
from budge.analysis.hm.tables import hm_tables
from budge.analysis.move_pruning import ParallelMoves
from budge.encoders.parallel_model import ParallelEncoder
from budge.engines.cp_sat import solver, strategies
from budge.engines.cp_sat.horizon_run import HorizonRun
from budge.engines.cp_sat.strategies import MANY_OBJECTS, moves_in_parallel
from budge.models.puzzle import Puzzle
from budge.models.task import Operator
from budge.runtime.events import LowerBound
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.patience import until_bound
from ..helpers.random_puzzles import agrees, cost_of, rush_hours, sliding_blocks
from ..helpers.reference import optimal
from ..helpers.seeds import examples

LONGEST = 14
"""Deepening goes on for ever where a board has no plan: so much is refuted."""


@pytest.fixture(autouse=True, scope="module")
def always_in_parallel() -> Iterator[None]:
    """`auto` takes parallel steps on boards of any size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("budge.engines.cp_sat.strategies.MANY_OBJECTS", 1)
        yield


LARGE = """
format: 1
family: rush-hour
name: four lanes
board: |2
  XX.b.c.d.
  ...b.c.d.
  .........
  ...e.f.g.
  ...e.f.g.
goal: {piece: X, exit: right}
metric: slides
"""
"""Three vehicles have to get out of the way, each by itself: 4 slides in 2 parallel steps."""


def least(puzzle: Puzzle, metric: str, depth: int, most: int | None = None, deeper_than: int = 0) -> float | None:
    """The least number of moves of a plan of so few parallel steps, by the model; None if it has none."""
    task = puzzle.task(metric)
    moves = ParallelMoves.of(task)
    assert moves is not None
    encoder = ParallelEncoder(task, moves)
    model = encoder.encode(hm_tables(task, 2), depth, most=most, deeper_than=deeper_than)
    answer = solver.solve(model.formula, Budget(), solver.SearchSettings(long=True))
    if answer.values is None:
        return None
    assert len(model.plan(answer.values).moves) == answer.bound
    return answer.bound


def depth_of(operators: list[Operator]) -> int:
    """The number of parallel steps of a plan in normal form."""
    steps: list[list[Operator]] = []
    for op in operators:
        last = next((t for t in reversed(range(len(steps))) if any(depends(op, on) for on in steps[t])), -1)
        if last + 1 == len(steps):
            steps.append([])
        steps[last + 1].append(op)
    return len(steps)


def depends(op: Operator, on: Operator) -> bool:
    """Whether an operator depends on an earlier one: they cannot change places."""
    changed = {*on.add, *on.delete}
    return not changed.isdisjoint((*op.pre, *op.add)) or not {*op.delete, *op.add}.isdisjoint(on.pre)


@settings(max_examples=examples(60))
@given(rush_hours())
def test_the_strategy_finds_the_optimum_of_random_boards(drawn: tuple[Puzzle, str]) -> None:
    """Solved: the same cost as the reference. Without a plan: every number of moves asked for is refuted."""
    puzzle, metric = drawn
    expected = cost_of(puzzle, metric)
    solution = solve(puzzle, "cp-sat", metric, Budget(), horizon_limit=LONGEST)
    if expected is None or expected[0] > LONGEST:
        assert solution.plan is None or solution.cost == expected
    else:
        agrees(solution, expected)


@settings(max_examples=examples(30))
@given(sliding_blocks())
def test_sliding_blocks_of_which_no_two_are_alike(drawn: tuple[Puzzle, str]) -> None:
    puzzle, metric = drawn
    task = puzzle.task(metric)
    expected = cost_of(puzzle, metric)
    if ParallelMoves.of(task) is None or expected is None or expected[0] > LONGEST:
        return
    agrees(solve(puzzle, "cp-sat", metric, Budget()), expected)


@settings(max_examples=examples(40))
@given(rush_hours(), st.integers(0, 3))
def test_an_optimal_plan_in_normal_form_is_in_the_model(drawn: tuple[Puzzle, str], more: int) -> None:
    """At the depth of an optimal plan, and a little deeper, the model has its cost as the least; and so it has where
    the plan must be as deep as it is, and may have as many moves as it has.
    """
    puzzle, metric = drawn
    task = puzzle.task(metric)
    best = optimal(task)
    moves = ParallelMoves.of(task)
    if best is None or moves is None or not 0 < best[0][0] <= LONGEST:
        return
    (cost, *_), operators = best
    depth = depth_of(operators)
    assert 1 <= depth <= cost
    assert least(puzzle, metric, depth + more) == cost
    assert least(puzzle, metric, depth, deeper_than=depth - 1, most=cost) == cost


@pytest.mark.parametrize(("depth", "expected"), [(1, None), (2, 4), (3, 4)])
def test_blockers_get_out_of_the_way_at_the_same_time(depth: int, expected: int | None) -> None:
    assert least(load_text(LARGE), "slides", depth) == expected


def test_only_tasks_whose_moves_follow_from_positions_have_parallel_moves() -> None:
    assert ParallelMoves.of(load("bird-1").task("slides")) is not None
    for name, metric in (("microban-001", "pushes"), ("dragon-bridge", "moves"), ("eight-31-a", "moves")):
        assert ParallelMoves.of(load(name).task(metric)) is None, name


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "optimum"), [("bird-1", "slides", 24), ("bird-1", "steps", 34), ("uva-9x9", "slides", 22)]
)
def test_shipped_boards(name: str, metric: str, optimum: int) -> None:
    solution = solve(load(name), "cp-sat", metric, Budget())
    assert (solution.status, solution.cost) == (Status.OPTIMAL, optimum)
    assert "CP-SAT proved that" in solution.outcome.lower_bound_by


def test_bounds_on_the_way_are_below_the_optimum() -> None:
    """A shallow model knows few plans: until deeper ones are refuted, its depth + 1 is the bound."""
    told: list[int] = []

    def tell(event: object) -> None:
        if isinstance(event, LowerBound):
            told.append(event.lower_bound[0])

    solution = solve(load("bird-1"), "cp-sat", "slides", Budget(), tell)
    assert told == sorted(set(told))
    assert told[-1] == 24
    assert solution.status is Status.OPTIMAL


def test_many_objects_take_parallel_steps_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """12x12 boards are left to it, and 9x9 boards; 6x6 boards are not: there h^m of higher order tells more."""
    monkeypatch.setattr("budge.engines.cp_sat.strategies.MANY_OBJECTS", MANY_OBJECTS)
    assert moves_in_parallel(load("uva-9x9").task("slides")) is not None
    assert moves_in_parallel(load("uva-12x12").task("slides")) is not None
    assert moves_in_parallel(load("bird-1").task("slides")) is None


def test_a_limit_leaves_a_bound() -> None:
    budget = Budget()
    solution = solve(load("uva-12x12"), "cp-sat", "slides", budget, until_bound(budget, 1))
    assert solution.status in (Status.UNKNOWN, Status.FEASIBLE)
    assert solution.outcome.stopped_by == "time limit"
    assert solution.outcome.lower_bound is not None
    assert solution.outcome.lower_bound[0] <= 25


def test_a_plan_by_search_has_a_moment_before_parallel_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a rule the first model has a plan of its own soon."""
    began: list[float] = []
    asked = strategies._plan_by_search

    def told(run: HorizonRun, seconds: float) -> None:
        began.append(seconds)
        asked(run, seconds)

    monkeypatch.setattr(strategies, "_plan_by_search", told)
    solution = solve(load_text(LARGE), "cp-sat", "slides", Budget())
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 4)
    assert began == [strategies.MOMENT_FOR_PLAN]
