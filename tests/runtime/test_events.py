"""What engines tell while they work, over all engines: what their outcome says, in the shape that is documented."""

from __future__ import annotations

import json
from typing import Any

import pytest
from budge import Budget, Plan, Status, load
from budge.cli import main
from budge.engines.table import ENGINES
from budge.models.errors import UsageError
from budge.models.plan import cost_in
from budge.runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Preparing, silent, told_by
from budge.views import json_lines
from budge.views.progress import progress_line
from budge.workflows.solving import solve

CASES = [
    (name, puzzle, metric)
    for puzzle, metric in (
        ("bird-2", "slides"),
        ("eight-15", "moves"),
        ("microban-001", "pushes"),
        ("microban-001", "moves"),
        ("microban-001", "pushes,moves"),
    )
    for name, engine in ENGINES.items()
    if load(puzzle).offers(engine.reads)
]

KEYS = {
    "bound": {"type", "lower_bound", "by", "seconds", "engine", "horizon", "states", "nodes"},
    "plan": {"type", "cost", "seconds", "engine"},
    "layer": {"type", "depth", "states", "lower_bound", "by", "seconds", "engine"},
    "note": {"type", "text", "seconds", "engine"},
}


@pytest.mark.weekly
@pytest.mark.parametrize(("engine", "name", "metric"), CASES)
def test_events_tell_what_the_outcome_says(engine: str, name: str, metric: str) -> None:
    events: list[Event] = []
    puzzle = load(name)
    try:
        outcome = solve(puzzle, engine, metric, Budget(), events.append).outcome
    except UsageError:  # this engine cannot do this metric
        return
    events = [event for event in events if not isinstance(event, Preparing)]  # by set of kernels, where they are new
    bounds = [event for event in events if isinstance(event, LowerBound | LayerDone) and event.lower_bound]
    plans = [event for event in events if isinstance(event, PlanFound)]
    parts = metric.count(",") + 1
    assert all(event.engine and event.seconds >= 0 for event in events)
    assert engine == "auto" or {event.engine for event in events} == {engine}
    assert all(event.lower_bound and len(event.lower_bound) == parts for event in bounds)
    lows, costs = [event.lower_bound for event in bounds], [event.cost for event in plans]
    assert lows == sorted(lows, key=lambda low: low or ())
    assert costs == sorted(set(costs), reverse=True)
    assert outcome.lower_bound is None or lows[-1] == outcome.lower_bound
    assert plans[-1].plan == outcome.plan
    assert costs[-1] == outcome.upper_bound
    for event in plans:
        replay = puzzle.replay(event.plan)
        assert replay.solved
        assert cost_in(replay, metric) == event.cost


@pytest.mark.weekly
@pytest.mark.parametrize(("engine", "name", "metric"), CASES)
def test_json_is_as_documented(engine: str, name: str, metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bounds and costs are numbers where the metric has one component, lists where it has two."""
    if main(["solve", name, "--engine", engine, "--metric", metric, "--json"]) == 2:
        return
    *events, result = map(json.loads, capsys.readouterr().out.splitlines())
    wanted: Any = list if "," in metric else int
    assert {event["type"] for event in events} <= KEYS.keys()
    for event in events:
        assert event.keys() <= KEYS[event["type"]]
        assert event.keys() >= {"type", "seconds", "engine"}
        assert all(type(event[key]) is wanted for key in ("lower_bound", "cost") if key in event), event
    assert [event["cost"] for event in events if event["type"] == "plan"][-1] == result["cost"]
    told = [event["lower_bound"] for event in events if "lower_bound" in event]
    assert (told or [None])[-1] == result["lower_bound"]


def test_exploring_tells_layers_and_no_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "bird-2", "--json"]) == 0
    *events, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert {tuple(event) for event in events} == {("type", "depth", "states", "seconds")}


def test_every_event_has_a_line_and_an_object() -> None:
    events: list[Event] = [
        LowerBound(seconds=1.0, lower_bound=(22,), by="a proof", horizon=21),
        LowerBound(seconds=1.0, lower_bound=(8, 20), by="a proof"),
        PlanFound(seconds=2.0, engine="greedy", plan=Plan(()), cost=(97,)),
        LayerDone(seconds=3.0, depth=12, states=4711),
        Note(seconds=4.0, text="compiling"),
    ]
    assert [progress_line(event).strip() for event in events] == [
        "1.00 s  at least 22: a proof",
        "1.00 s  at least 8, 20: a proof",
        "2.00 s  plan of 97: greedy",
        "3.00 s  layer 12: 4,711 states",
        "compiling",
    ]
    assert [json_lines.event(event) for event in events] == [
        {"type": "bound", "lower_bound": 22, "by": "a proof", "horizon": 21, "seconds": 1.0},
        {"type": "bound", "lower_bound": [8, 20], "by": "a proof", "seconds": 1.0},
        {"type": "plan", "cost": 97, "seconds": 2.0, "engine": "greedy"},
        {"type": "layer", "depth": 12, "states": 4711, "seconds": 3.0},
        {"type": "note", "text": "compiling", "seconds": 4.0},
    ]
    for write in (progress_line, json_lines.event):
        with pytest.raises(TypeError):
            write(Event(seconds=0.0))


def test_who_tells_first_is_named() -> None:
    seen: list[Event] = []
    told_by("inner", told_by("outer", seen.append))(Note(seconds=0.0, text="x"))
    tell = told_by("outer", seen.append)
    tell(Note(seconds=0.0, text="x", engine="member"))
    assert [event.engine for event in seen] == ["inner", "member"]
    assert told_by("any", silent) is silent


def test_a_plan_as_good_as_a_known_one_is_no_news() -> None:
    events: list[Event] = []
    budget = Budget()
    budget.hear((10,))
    outcome = ENGINES["bfs"].run(load("bird-2").task("slides"), budget=budget, progress=events.append)
    assert outcome.status is Status.OPTIMAL
    assert not any(isinstance(event, PlanFound) for event in events)


def test_events_go_by_the_clock_of_the_answer() -> None:
    """Also where the budget began long before, and where the engine works in a process of its own."""
    budget = Budget(None)
    budget.started -= 1000.0
    for hard_limits in (False, True):
        told: list[Event] = []
        solution = solve(load("bird-2"), "csp", None, budget, told.append, hard_limits=hard_limits)
        assert told
        assert [event.seconds for event in told] == sorted(event.seconds for event in told)
        assert told[-1].seconds <= solution.seconds
