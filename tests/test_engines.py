"""Every engine against every other, and against the definition: two that disagree are a bug of the first rank."""

from __future__ import annotations

import pytest
from budge import Budget, Status, load, load_text, solve
from budge.errors import PuzzleError, ReplayError, UsageError
from budge.models.plan import Plan
from budge.outcome import Outcome
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.random_boards import n_puzzle, rush_hour, sliding_block
from tests.reference import optimal
from tests.sokoban_levels import levels, text_of

CP_SAT = [{"strategy": name} for name in ("one-model", "linear", "jump", "from-above")]


def check_all_engines(text: str, metric: str) -> None:
    puzzle = load_text(text)
    expected = optimal(puzzle.task(metric))
    searched = solve(puzzle, "bfs", metric)
    if expected is None:
        assert searched.outcome.status is Status.UNSOLVABLE
    else:
        assert searched.outcome.status is Status.OPTIMAL
        assert searched.cost == searched.outcome.lower_bound == expected[0]
    for options in CP_SAT:
        planned = solve(puzzle, "cp-sat", metric, horizon_limit=expected[0][0] if expected else 8, **options)
        if expected is None:
            assert planned.outcome.status in (Status.UNSOLVABLE, Status.UNKNOWN)
            assert planned.outcome.plan is None
        else:
            assert planned.outcome.status is Status.OPTIMAL
            assert planned.cost == planned.outcome.lower_bound == expected[0]


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_engines_agree_on_random_rush_hour(seed: int, metric: str) -> None:
    check_all_engines(rush_hour(seed), metric)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["moves", "slides", "steps"]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_engines_agree_on_random_sliding_blocks(seed: int, metric: str) -> None:
    try:
        puzzle = sliding_block(seed)
        load_text(puzzle.text)
    except PuzzleError:  # a goal piece that may not move, for example
        assume(False)
    check_all_engines(puzzle.text, metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_engines_agree_on_random_n_puzzles(seed: int) -> None:
    check_all_engines(n_puzzle(seed), "moves")


@given(rows=levels(), metric=st.sampled_from(["pushes", "moves", "pushes,moves", "moves,pushes"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_engines_agree_on_random_sokoban(rows: tuple[str, ...], metric: str) -> None:
    check_all_engines(text_of(list(rows)), metric)


@pytest.mark.parametrize("name", ["rush_hour/unsolvable-lane", "rush_hour/unsolvable"])
def test_cp_sat_proves_unsolvable_where_reachability_does(name: str) -> None:
    solution = solve(load(name), "cp-sat")
    assert solution.outcome.status is Status.UNSOLVABLE
    assert "reachability" in solution.outcome.lower_bound_by


def test_search_proves_unsolvable_by_exhaustion() -> None:
    solution = solve(load("rush_hour/unsolvable"), "bfs")
    assert solution.outcome.status is Status.UNSOLVABLE
    assert "reachable states" in solution.outcome.lower_bound_by


def test_cp_sat_stops_at_its_limit_on_an_unsolvable_board() -> None:
    solution = solve(load("rush_hour/unsolvable-deep"), "cp-sat", budget=Budget(seconds=2.0))
    outcome = solution.outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound is not None
    assert outcome.lower_bound[0] > 0
    assert outcome.lower_bound_by


def test_horizon_limit_leaves_the_proven_bound() -> None:
    for options in CP_SAT:
        outcome = solve(load("bird-1"), "cp-sat", "slides", horizon_limit=22, **options).outcome
        assert outcome.status is (Status.FEASIBLE if options["strategy"] == "from-above" else Status.UNKNOWN)
        assert outcome.lower_bound == (23,)
        assert outcome.stopped_by == "horizon limit"


def test_interrupted_before_the_first_model_keeps_the_reachability_bound() -> None:
    budget = Budget()
    budget.interrupted.set()
    for engine in ("cp-sat", "bfs"):
        outcome = solve(load("bird-1"), engine, budget=budget).outcome
        assert outcome.status is Status.INTERRUPTED
        assert outcome.lower_bound is not None
        assert outcome.stopped_by == "interrupted"


def test_memory_limit_leaves_the_proven_bound() -> None:
    outcome = solve(load("eight-31-a"), "bfs", "moves", Budget(memory_mib=1)).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound is not None
    assert 1 < outcome.lower_bound[0] < 31


def test_a_solved_board_needs_no_moves() -> None:
    puzzle = load_text("format: 1\nfamily: rush-hour\nboard: |\n  ..AA\n  ....\n")
    for engine in ("cp-sat", "bfs"):
        solution = solve(puzzle, engine)
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.cost == (0,)


@pytest.mark.parametrize("options", CP_SAT)
@pytest.mark.parametrize(("name", "optimum"), [("rush_hour/unsolvable", None), ("bird-3", (32,))])
def test_deeper_layers_arrive_while_cp_sat_works(
    name: str, optimum: tuple[int, ...] | None, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs first, triples from the second core: the answer is the same, and may be that there is none."""
    import budge.horizon as horizon

    monkeypatch.setattr(horizon, "quick_order", lambda task: 2)
    monkeypatch.setattr(horizon, "affordable", lambda task, order: False)
    solution = solve(load(name), "cp-sat", "slides", Budget(120.0), **options)
    assert solution.cost == optimum
    if optimum is None:
        assert solution.outcome.status is Status.UNSOLVABLE
        assert "h³" in solution.outcome.lower_bound_by
    else:
        assert solution.outcome.status is Status.OPTIMAL


@pytest.mark.parametrize("options", CP_SAT)
def test_what_is_not_solved_quickly_is_solved_at_length(
    options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that is broken off after a few conflicts goes on with other parameters, and keeps its bound."""
    from budge.encoders import cp_sat

    monkeypatch.setattr(cp_sat, "QUICK", 20)
    outcome = solve(load("bird-3"), "cp-sat", "slides", **options).outcome
    assert outcome.status is Status.OPTIMAL
    assert outcome.lower_bound == outcome.upper_bound == (32,)


@pytest.mark.parametrize("options", CP_SAT)
def test_cp_sat_stops_when_its_bound_meets_a_plan_of_others(options: dict[str, str]) -> None:
    """Only the bound is proven here: without a plan of its own, nothing is said to be optimal."""
    budget = Budget()
    budget.incumbent = (24,)
    outcome = solve(load("bird-1"), "cp-sat", "slides", budget, **options).outcome
    assert outcome.lower_bound == (24,)
    if outcome.plan is None:
        assert outcome.status is Status.UNKNOWN
        assert outcome.stopped_by == "a plan of another engine meets the bound"


def test_an_engine_that_lies_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    import budge.engines as engines

    def lie(task: object, budget: object, progress: object) -> Outcome:
        return Outcome(Status.OPTIMAL, Plan(()), (0,), "a lie", (0,))

    monkeypatch.setitem(engines.ENGINES, "liar", engines.Engine("liar", lie))
    with pytest.raises(ReplayError, match="before the goal"):
        solve(load("bird-1"), "liar")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "cpsat"}, "did you mean `cp-sat`"),
        ({"metric": "step"}, "did you mean `steps`"),
        ({"engine": "bfs", "strategy": "linear"}, "no option `strategy`"),
        ({"engine": "cp-sat", "strategy": "sideways"}, "no strategy `sideways`"),
    ],
)
def test_usage_errors(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        solve(load("bird-1"), **arguments)
