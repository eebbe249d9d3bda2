"""The engine `csp`: python-constraint's model against the definition, its limits and its incomplete solvers."""

from __future__ import annotations

import pytest
from budge import Budget, Status, load, load_text
from budge.analysis.hm.tables import hm_tables
from budge.engines.csp import engine as csp_model
from budge.engines.csp.engine import StateTables
from budge.engines.csp.engine import solve as solve_by_csp
from budge.models.errors import PuzzleError
from budge.runtime.events import Event, LowerBound
from budge.workflows.solving import solve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.patience import until_bound
from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of


def check(text: str, metric: str) -> None:
    puzzle = load_text(text)
    expected = optimal(puzzle.task(metric))
    limit = max(1, expected[0][0]) if expected else 10
    found = solve(puzzle, "csp", metric, horizon_limit=limit)
    if expected is None:
        assert found.outcome.status in (Status.UNSOLVABLE, Status.UNKNOWN)
        assert found.outcome.plan is None
    else:
        assert found.outcome.status is Status.OPTIMAL
        assert found.outcome.upper_bound == found.outcome.lower_bound == expected[0]


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=examples(40))
def test_optimal_on_random_rush_hour(seed: int, metric: str) -> None:
    check(rush_hour(seed), metric)


@given(
    seed=st.integers(0, 10**9),
    metric=st.sampled_from(["moves", "slides", "steps"]),
)
@settings(max_examples=examples(60))
def test_optimal_on_random_sliding_blocks(seed: int, metric: str) -> None:
    text = sliding_block(seed).text
    try:
        load_text(text)
    except PuzzleError:  # a goal piece that may not move, for example
        assume(False)
    check(text, metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=12)
def test_optimal_on_random_n_puzzles(seed: int) -> None:
    check(n_puzzle(seed), "moves")


@given(
    rows=levels(),
    metric=st.sampled_from(["pushes", "moves", "pushes,moves", "moves,pushes"]),
)
@settings(max_examples=examples(60))
def test_optimal_on_random_sokoban(rows: tuple[str, ...], metric: str) -> None:
    check(text_of(list(rows)), metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(25))
def test_carries_without_whole_operators(seed: int) -> None:
    """A step that takes a thing from place to place, on boards where whole carries are too many."""
    from budge.analysis import transformed_tasks as with_unit_cost

    text = sliding_block(seed).text
    try:
        load_text(text)
    except PuzzleError:
        assume(False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(with_unit_cost, "with_macro_operators", lambda task, most: None)
        check(text, "moves")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("bird-1", "slides", (24,)),
        ("bird-2", "steps", (18,)),
        ("level-20", "slides", (27,)),
        ("eight-20", "moves", (20,)),
        ("seven-36", "moves", (36,)),
        ("microban-001", "pushes,moves", (8, 33)),
    ],
)
def test_shipped_puzzles(name: str, metric: str, cost: tuple[int, ...]) -> None:
    solution = solve(load(name), "csp", metric)
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.outcome.upper_bound == cost


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 41))
def test_the_forty_levels(number: int) -> None:
    puzzle = load(f"level-{number:02}")
    solution = solve(puzzle, "csp", "slides", Budget(None))
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.outcome.upper_bound == puzzle.header.expect.costs["slides"]


def test_refuted_horizons_are_told_and_prove_the_bound() -> None:
    events: list[Event] = []
    outcome = solve(load("bird-1"), "csp", "slides", progress=events.append).outcome
    told = [event for event in events if isinstance(event, LowerBound)]
    bounds = [event.lower_bound[0] for event in told if event.horizon is not None]
    assert bounds == list(range(bounds[0], 25))
    assert max(event.lower_bound[0] for event in told if event.horizon is None) == bounds[0] - 1
    assert outcome.lower_bound_by == "python-constraint proved that 23 slides are not enough"


def test_horizon_limit_leaves_the_proven_bound() -> None:
    outcome = solve(load("bird-1"), "csp", "slides", horizon_limit=22).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.lower_bound == (23,)
    assert outcome.stopped_by == "horizon limit"


def test_meeting_every_state_proves_unsolvable() -> None:
    """An odd permutation, of which the layers know nothing: 360 states, all met, none a goal."""
    task = load_text("format: 1\nfamily: n-puzzle\nstart: |\n  1 2 3\n  5 4 .\n").task("moves")
    outcome = solve_by_csp(task, Budget())
    assert outcome.status is Status.UNSOLVABLE
    assert "every state that can be reached was met" in outcome.lower_bound_by


def test_unsolvable_boards() -> None:
    assert solve(load("rush_hour/unsolvable"), "csp").outcome.status is Status.UNSOLVABLE
    outcome = solve(load("rush_hour/unsolvable-deep"), "csp", budget=Budget(1.0)).outcome
    assert outcome.status in (Status.UNKNOWN, Status.UNSOLVABLE)


def test_time_limit_and_interrupt_keep_the_bound() -> None:
    budget = Budget()
    outcome = solve(load("servais-93"), "csp", "steps", budget, until_bound(budget, 2)).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound is not None
    assert 1 < outcome.lower_bound[0] < 93
    budget = Budget()
    budget.interrupted.set()
    outcome = solve(load("bird-1"), "csp", budget=budget).outcome
    assert outcome.status is Status.INTERRUPTED
    assert outcome.stopped_by == "interrupted"
    assert outcome.lower_bound is not None


def test_memory_limit() -> None:
    outcome = solve(load("eight-31-a"), "csp", budget=Budget(memory_mib=1)).outcome
    assert outcome.stopped_by == "memory limit"
    assert outcome.status is Status.UNKNOWN


def test_the_solver_goes_forward_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the nogoods rest on: an action is chosen only when all earlier ones are."""
    task = load("bird-2").task("steps")
    tables = StateTables(task, hm_tables(task, 3), Budget())
    seen: list[list[int]] = []
    original = csp_model.StepConstraint.__call__

    def spy(self, variables, domains, assignments, forwardcheck=False):  # type: ignore[no-untyped-def]
        seen.append(list(assignments))
        return original(self, variables, domains, assignments, forwardcheck)

    monkeypatch.setattr(csp_model.StepConstraint, "__call__", spy)
    problem = csp_model.CspModel(tables, 18).problem()
    assert problem is not None
    solution = problem.getSolution()
    assert solution is not None
    assert seen
    assert all(steps == list(range(len(steps))) for steps in seen)
