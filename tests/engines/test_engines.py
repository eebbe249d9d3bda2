"""Every engine against every other, and against the definition: two that disagree are a bug of the first rank."""

from __future__ import annotations

from typing import Any

import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.models.errors import ReplayError, UsageError
from budge.models.plan import Plan
from budge.runtime.outcome import Outcome, Recorder
from budge.workflows.solving import solve
from hypothesis import given, settings

from ..helpers.patience import until_bound
from ..helpers.random_puzzles import agrees, cost_of, interrupted, n_puzzles, rush_hours, sliding_blocks, sokobans
from ..helpers.seeds import examples

STRATEGIES = ("auto", "one-model", "linear")
CP_SAT: list[dict[str, Any]] = [{"strategy": name} for name in STRATEGIES]


def check(puzzle: Puzzle, metric: str) -> None:
    expected = cost_of(puzzle, metric)
    agrees(solve(puzzle, "bfs", metric), expected)
    for options in CP_SAT:
        planned = solve(puzzle, "cp-sat", metric, horizon_limit=max(1, expected[0]) if expected else 8, **options)
        if expected or planned.outcome.status is not Status.UNKNOWN:
            agrees(planned, expected)
        assert expected or planned.outcome.plan is None


@given(case=rush_hours())
@settings(max_examples=examples(40))
def test_engines_agree_on_random_rush_hour(case: tuple[Puzzle, str]) -> None:
    check(*case)


@given(case=sliding_blocks())
@settings(max_examples=examples(40))
def test_engines_agree_on_random_sliding_blocks(case: tuple[Puzzle, str]) -> None:
    check(*case)


@given(case=n_puzzles())
@settings(max_examples=12)
def test_engines_agree_on_random_n_puzzles(case: tuple[Puzzle, str]) -> None:
    check(*case)


@given(case=sokobans())
@settings(max_examples=examples(60))
def test_engines_agree_on_random_sokoban(case: tuple[Puzzle, str]) -> None:
    check(*case)


@pytest.mark.weekly
@pytest.mark.parametrize("name", [f"rush_hour/unsolvable{which}" for which in ("", "-lane", "-deep")])
def test_cp_sat_proves_unsolvable_where_reachability_does(name: str) -> None:
    solution = solve(load(name), "cp-sat")
    assert solution.outcome.status is Status.UNSOLVABLE
    assert "reachability" in solution.outcome.lower_bound_by


def test_search_proves_unsolvable_by_exhaustion() -> None:
    solution = solve(load("rush_hour/unsolvable"), "bfs")
    assert solution.outcome.status is Status.UNSOLVABLE
    assert "reachable states" in solution.outcome.lower_bound_by


def test_cp_sat_stops_at_its_limit_on_an_unsolvable_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.cp_sat.engine.DEEPEST", 3)  # h⁴ proves that there is no plan
    budget = Budget()
    outcome = solve(load("rush_hour/unsolvable-deep"), "cp-sat", None, budget, until_bound(budget, 1)).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound is not None
    assert outcome.lower_bound[0] > 0
    assert outcome.lower_bound_by


def test_a_seed_repeats_what_another_changes() -> None:
    def counts(seed: int | None) -> tuple[object, ...]:
        outcome = solve(load("bird-2"), "cp-sat", seed=seed, strategy="linear", workers=1).outcome
        return outcome.upper_bound, outcome.stats["conflicts"], outcome.stats["branches"]

    found = {seed: counts(seed) for seed in (None, 1, 2, 3)}
    assert len(set(found.values())) >= 3
    assert counts(2) == found[2]


@pytest.mark.weekly
def test_every_seed_leads_to_a_plan() -> None:
    for seed in (0, 2**31 - 1):
        assert solve(load("microban-025"), "fess", seed=seed).replay


@pytest.mark.parametrize("seed", [-1, 2**31, 1.5, True])
def test_a_seed_is_a_whole_number_within_its_range(seed: object) -> None:
    with pytest.raises(UsageError, match="--seed needs a whole number from 0 to 2147483647"):
        solve(load("bird-2"), "cp-sat", seed=seed)


def test_horizon_limit_leaves_the_proven_bound() -> None:
    for options in CP_SAT:
        outcome = solve(load("bird-1"), "cp-sat", "slides", horizon_limit=22, **options).outcome
        has_a_plan = options["strategy"] == "auto"
        assert outcome.status is (Status.FEASIBLE if has_a_plan else Status.UNKNOWN)
        assert outcome.lower_bound == (23,)
        assert outcome.stopped_by == "horizon limit"


def test_interrupted_before_the_first_model_keeps_the_reachability_bound() -> None:
    for engine in ("cp-sat", "bfs"):
        outcome = solve(load("bird-1"), engine, budget=interrupted()).outcome
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
        assert solution.cost == 0


@pytest.mark.weekly
@pytest.mark.parametrize("options", CP_SAT)
@pytest.mark.parametrize(("name", "optimum"), [("rush_hour/unsolvable", None), ("bird-3", (32,))])
def test_deeper_layers_arrive_while_cp_sat_works(
    name: str, optimum: tuple[int, ...] | None, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs first, triples from the second core: the answer is the same, and may be that there is none."""
    monkeypatch.setattr("budge.engines.cp_sat.horizon_run.H3_PATIENCE", 0.0)
    monkeypatch.setattr("budge.engines.cp_sat.engine.DEEPEST", 3)
    solution = solve(load(name), "cp-sat", "slides", Budget(), **options)
    assert solution.outcome.upper_bound == optimum
    if optimum is None:
        assert solution.outcome.status is Status.UNSOLVABLE
        assert "h³" in solution.outcome.lower_bound_by
    else:
        assert solution.outcome.status is Status.OPTIMAL


@pytest.mark.weekly
@pytest.mark.parametrize("options", CP_SAT)
def test_what_is_not_solved_quickly_is_solved_at_length(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that is broken off after a few conflicts goes on with other parameters, and keeps its bound."""
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 20)
    outcome = solve(load("bird-3"), "cp-sat", "slides", **options).outcome
    assert outcome.status is Status.OPTIMAL
    assert outcome.lower_bound == outcome.upper_bound == (32,)


@pytest.mark.weekly
@pytest.mark.parametrize("options", CP_SAT)
def test_cp_sat_stops_when_its_bound_meets_a_plan_of_others(options: dict[str, Any]) -> None:
    """Only the bound is proven here: without a plan of its own, nothing is said to be optimal."""
    budget = Budget()
    budget.incumbent = (24,)
    outcome = solve(load("bird-1"), "cp-sat", "slides", budget, **options).outcome
    assert outcome.lower_bound == (24,)
    if outcome.plan is None:
        assert outcome.status is Status.UNKNOWN
        assert outcome.stopped_by == "a plan of another engine meets the bound"


def test_an_engine_that_lies_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from budge.engines import engine, table

    def lie(task: object, budget: object, progress: object) -> Outcome:
        return Recorder(Budget()).optimal(Plan(()), (0,), "a lie")

    monkeypatch.setitem(table.ENGINES, "liar", engine.Engine(name="liar", solve=lie))
    with pytest.raises(ReplayError, match="before the goal"):
        solve(load("bird-1"), "liar")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "cpsat"}, "did you mean `cp-sat`"),
        ({"metric": "step"}, "did you mean `steps`"),
        ({"engine": "bfs", "strategy": "linear"}, "no option `strategy`"),
        ({"engine": "cp-sat", "strategy": "sideways"}, "no strategy `sideways`"),
        ({"engine": "cp-sat", "strategy": "jump"}, "no strategy `jump`; choose one of `auto`, `one-model`, "),
    ],
)
def test_usage_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        solve(load("bird-1"), **arguments)
