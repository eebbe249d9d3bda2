"""The second solver beside `one-model`: exact horizons from the bound upward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from budge import Budget, Status, load
from budge.analysis.plan_invariants import NOTHING_KNOWN
from budge.engines.common import neighbourhood
from budge.engines.cp_sat import solver as cp_sat
from budge.engines.cp_sat import strategies
from budge.engines.cp_sat.horizon_run import Companion, Decides, HorizonRun, Horizons
from budge.engines.cp_sat.strategies import STRATEGIES
from budge.engines.table import ENGINES
from budge.models.moves import Cost
from budge.models.plan import Plan
from budge.models.task import OperatorTask
from budge.workflows.solving import solve

from ..helpers.patience import PATIENCE, run_out


def alone(decides: Decides) -> Callable[[HorizonRun], str]:
    """A strategy that leaves the work to one companion."""

    def strategy(run: HorizonRun) -> str:
        run.companions = [Companion(run, decides)]
        return run.left_to_companions()

    return strategy


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way of deciding is a strategy of its own."""
    engine = ENGINES["cp-sat"]
    options = [
        replace(option, choices=(*option.choices, *get_args(Decides))) if option.name == "strategy" else option
        for option in engine.options
    ]
    monkeypatch.setitem(ENGINES, "cp-sat", replace(engine, options=tuple(options)))
    for decides in get_args(Decides):
        monkeypatch.setitem(STRATEGIES, decides, alone(decides))


@pytest.mark.weekly
@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize("decides", get_args(Decides))
@pytest.mark.parametrize(
    ("name", "metric", "optimum"),
    [("bird-2", "slides", 10), ("eight-20", "moves", 20), ("level-11", "slides", 20), ("microban-003", "pushes", 13)],
)
def test_a_companion_alone_proves_the_optimum(name: str, metric: str, optimum: int, decides: str) -> None:
    solution = solve(load(name), "cp-sat", metric, Budget(), strategy=decides)
    assert solution.outcome.status is Status.OPTIMAL
    assert (solution.cost,) == solution.outcome.lower_bound == (optimum,)


@pytest.mark.usefixtures("_alone")
def test_it_keeps_to_the_horizon_limit() -> None:
    outcome = solve(load("bird-1"), "cp-sat", "slides", strategy="forward", horizon_limit=22).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.lower_bound == (23,)
    assert outcome.stopped_by == "horizon limit"


@pytest.mark.usefixtures("_alone")
def test_what_fails_in_its_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(cp_sat, "solve", fail)
    with pytest.raises(RuntimeError, match="out of order"):
        solve(load("bird-1"), "cp-sat", "slides", strategy="forward")


class Bound:
    """What companions see of a run: odd lengths only, a bound, and perhaps a known plan."""

    def __init__(self, bound: int, shortest: int | None = None, limit: int | None = None) -> None:
        self.bound, self.shortest, self.limit = bound, shortest, limit
        self.ruled_out_beyond: set[int] = set()
        self.encoder: Any = SimpleNamespace(invariants=replace(NOTHING_KNOWN, parity=1))


def test_rivals_become_a_team() -> None:
    """As in the head of `horizons`: at one horizon until a way of deciding leads, then at different ones."""
    run = Bound(45, 57)
    horizons = Horizons(run)  # type: ignore[arg-type]
    for bound in (45, 47):
        run.bound = bound
        assert horizons.take("A", "forward") == (bound, "forward")
        assert horizons.take("B", "backward") == (bound, "backward")
        horizons.refuted("B", 100)
    run.bound = 49
    assert horizons.take("A", "forward") == (49, "backward")
    assert horizons.take("B", "backward") == (51, "backward")
    horizons.refuted("B", 100)  # no rival was at it
    run.ruled_out_beyond.add(51)
    assert horizons.take("B", "backward") == (53, "backward")
    run.ruled_out_beyond.add(53)
    assert horizons.take("B", "backward") == (55, "backward")
    run.ruled_out_beyond.add(55)
    assert horizons.take("B", "backward") is None  # 57 is known


def test_one_hard_refutation_tells_enough() -> None:
    run = Bound(45, limit=50)
    horizons = Horizons(run)  # type: ignore[arg-type]
    horizons.take("A", "forward")
    horizons.take("B", "backward")
    horizons.refuted("A", 10_000)
    run.bound = 47
    assert horizons.take("A", "forward") == (47, "forward")
    assert horizons.take("B", "backward") == (49, "forward")
    run.ruled_out_beyond.add(49)
    assert horizons.take("B", "backward") is None  # 51 is beyond the limit


def test_a_hard_puzzle_gets_more_time_for_a_first_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` searches for a plan at most a second; and longer, once, if CP-SAT's quick search does not solve it."""
    asked: list[float] = []
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_SECONDS", PATIENCE)
    monkeypatch.setattr("budge.engines.cp_sat.engine.DEEPEST", 2)
    monkeypatch.setattr(strategies, "_plan_by_search", lambda run, seconds: asked.append(seconds))
    assert solve(load("bird-2"), "cp-sat", "slides").outcome.status is Status.OPTIMAL
    assert asked == [strategies.FIRST_PLAN_SECONDS]
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 10)
    assert solve(load("level-11"), "cp-sat", "slides").outcome.status is Status.OPTIMAL
    assert asked[1:] == [strategies.FIRST_PLAN_SECONDS, strategies.HARD_PLAN_SECONDS]


@pytest.mark.weekly
def test_a_hard_level_gets_its_plan_by_feature_space_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where boxes are pushed and a step is a push; without the greedy search of the first second."""
    searched = strategies._plan_by_search

    def when_hard(run: HorizonRun, seconds: float) -> None:
        if run.hard:
            searched(run, seconds)

    monkeypatch.setattr(strategies, "_plan_by_search", when_hard)
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 10)
    monkeypatch.setattr("budge.engines.cp_sat.strategies.HARD_PLAN_SECONDS", PATIENCE)
    outcome = solve(load("microban-077"), "cp-sat", "pushes", Budget(None)).outcome
    assert (outcome.status, outcome.upper_bound) == (Status.OPTIMAL, (55,))
    assert outcome.stats["first_plan_by"] == "feature space search"
    assert int(outcome.stats["first_plan"]) >= 55
    # A step that is not a push, and what is no board of boxes, are for the greedy search.
    for name, metric in (("microban-001", "moves"), ("level-11", "slides")):
        outcome = solve(load(name), "cp-sat", metric, Budget()).outcome
        assert outcome.status is Status.OPTIMAL
        assert outcome.stats.get("first_plan_by", "greedy search") == "greedy search"


@pytest.mark.slow
def test_the_plan_of_a_hard_level_is_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where boxes are pushed: the greedy search leaves its first plan as it is here, so there is something to do."""
    lengths: list[tuple[int, int]] = []
    shorten, whole = neighbourhood.shortened_plan, Budget(None)

    def told(task: OperatorTask, plan: Plan, *others: Any) -> tuple[Plan, Cost]:
        shorter, cost = shorten(task, plan, *others)
        lengths.append((len(plan.moves), len(shorter.moves)))
        run_out(whole)
        return shorter, cost

    monkeypatch.setattr(neighbourhood, "shortened_plan", told)
    monkeypatch.setattr("budge.engines.common.neighbourhood.SECONDS", 0.0)
    monkeypatch.setattr("budge.engines.greedy.engine.IMPROVE_SECONDS", 0.0)
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 10)
    monkeypatch.setattr("budge.engines.cp_sat.strategies.NEAR_BOUND", 1.0)  # no quick try before
    monkeypatch.setattr("budge.engines.cp_sat.strategies.FIRST_PLAN_SECONDS", PATIENCE)
    monkeypatch.setattr("budge.engines.cp_sat.strategies.HARD_SHORTENING", 5.0)
    monkeypatch.setattr(neighbourhood, "time", SimpleNamespace(monotonic=count().__next__))  # a second at each look
    outcome = solve(load("microban-099"), "cp-sat", "pushes", whole).outcome
    assert outcome.upper_bound == (131,)
    assert len(lengths) == 1
    assert lengths[0][0] > lengths[0][1] == 131


@pytest.mark.weekly
@pytest.mark.parametrize("seconds", [pytest.param(None, marks=pytest.mark.slow), PATIENCE])
def test_paid_walks_are_proven_from_above(seconds: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All plans shorter than the best one at once: no model raises the bound step by step, with or without a limit."""
    stepwise: list[int] = []
    raise_bound = strategies.one_model

    def told(run: HorizonRun, when_hard: Callable[[HorizonRun], None] = lambda _run: None) -> str:
        if not run.over():
            stepwise.append(run.bound)
        return raise_bound(run, when_hard)

    monkeypatch.setattr(strategies, "one_model", told)
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 10)
    monkeypatch.setattr("budge.engines.cp_sat.engine.DEEPEST", 2)
    outcome = solve(load("microban-007"), "cp-sat", "moves", Budget(seconds)).outcome
    assert outcome.lower_bound == outcome.upper_bound == (26,)
    assert outcome.lower_bound_by == "CP-SAT proved that 25 moves are not enough"
    assert not stepwise
    # Without a share of the time for that, step by step.
    monkeypatch.setattr("budge.engines.cp_sat.strategies.WALKS_FROM_ABOVE", 0.0)
    monkeypatch.setattr("budge.engines.cp_sat.strategies.NEAR_BOUND", 1.0)
    assert solve(load("microban-007"), "cp-sat", "moves", Budget(PATIENCE)).outcome.lower_bound == (26,)
    assert stepwise


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "optimum", "workers"),
    [
        ("bird-3", "slides", 32, 2),
        ("microban-077", "pushes", 55, 1),
        pytest.param("bird-3", "slides", 32, 1, marks=pytest.mark.slow),
        pytest.param("microban-077", "pushes", 55, 2, marks=pytest.mark.slow),
    ],
)
def test_two_solvers_prove_what_one_proves(
    name: str, metric: str, optimum: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is hard after twenty conflicts here, and no deeper layers come."""
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_CONFLICTS", 20)
    monkeypatch.setattr("budge.engines.cp_sat.engine.DEEPEST", 2)
    solution = solve(load(name), "cp-sat", metric, Budget(), strategy="one-model", workers=workers)
    assert solution.outcome.status is Status.OPTIMAL
    assert (solution.cost,) == solution.outcome.lower_bound == (optimum,)
