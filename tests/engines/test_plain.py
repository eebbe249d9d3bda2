"""Plain search: against the same task in its explicit form, by sets of facts, where nothing of it is used."""

from __future__ import annotations

import heapq
import subprocess
import sys
from itertools import count

import pytest
from budge import Budget, Puzzle, Status, load
from budge.analysis.transformed_tasks import to_strips
from budge.engines.plain.engine import solve as plain
from budge.models.moves import Cost
from budge.models.plan import apply
from budge.models.task import Operator, OperatorTask
from budge.runtime.events import Event, LayerDone, LowerBound, PlanFound
from budge.workflows.solving import solve
from hypothesis import given, settings

from ..helpers.random_puzzles import agrees, interrupted, puzzles
from ..helpers.reference import optimal
from ..helpers.seeds import examples


def optimum(task: OperatorTask) -> Cost | None:
    """The optimal cost by the definition of STRIPS: sets of facts, one operator after the other."""
    explicit = to_strips(task)
    by_fact: dict[int, list[Operator]] = {}
    for op in explicit.operators:
        by_fact.setdefault(op.pre[0], []).append(op)
    start = frozenset(explicit.init)
    best: dict[frozenset[int], Cost] = {start: (0,) * len(task.metric)}
    tick = count()
    queue = [(best[start], next(tick), start)]
    while queue:
        cost, _, state = heapq.heappop(queue)
        if explicit.holds(state):
            return cost
        if cost > best[state]:
            continue
        for op in (op for fact in state for op in by_fact.get(fact, ()) if state.issuperset(op.pre)):
            after = apply(state, op)
            total = tuple(a + b for a, b in zip(cost, op.cost, strict=True))
            if after not in best or total < best[after]:
                best[after] = total
                heapq.heappush(queue, (total, next(tick), after))
    return None


@settings(max_examples=examples(200))
@given(puzzles())
def test_it_agrees_with_the_explicit_form(drawn: tuple[Puzzle, str]) -> None:
    puzzle, metric = drawn
    expected = optimum(puzzle.task(metric))
    agrees(solve(puzzle, "plain", metric), expected)  # the plan is replayed by the rules
    found = optimal(puzzle.task(metric))
    assert (found and found[0]) == expected


@pytest.mark.parametrize(
    ("name", "metric"), [("bird-2", "slides"), ("microban-001", "moves"), ("microban-001", "pushes,moves")]
)
def test_what_it_tells_and_what_it_answers_are_one(name: str, metric: str) -> None:
    told: list[Event] = []
    solution = solve(load(name), "plain", metric, progress=told.append)
    outcome = solution.outcome
    assert outcome.status is Status.OPTIMAL
    bounds = [event for event in told if isinstance(event, LowerBound | LayerDone)]
    assert bounds[-1].lower_bound == outcome.lower_bound == outcome.upper_bound
    assert bounds[-1].by == outcome.lower_bound_by
    plans = [event for event in told if isinstance(event, PlanFound)]
    assert plans[-1].plan == outcome.plan


def test_limits() -> None:
    task = load("bird-4").task("slides")
    for budget, most, reason in (
        (Budget(0.0), None, "time limit"),
        (Budget(memory_mib=0), None, "memory limit"),
        (Budget(), 1000, "limit of 1,000 states"),
        (interrupted(), None, "interrupted"),
    ):
        outcome = plain(task, budget, max_states=most)
        assert outcome.stopped_by == reason
        assert outcome.status is (Status.INTERRUPTED if reason == "interrupted" else Status.UNKNOWN)
        assert int(outcome.stats["states"]) < 3000


def test_dead_ends_everywhere() -> None:
    outcome = solve(load("rush_hour/unsolvable"), "plain").outcome
    assert outcome.status is Status.UNSOLVABLE
    assert outcome.lower_bound_by == "plain search: none of the 11,617 reachable states is a goal"


def test_nothing_heavy_is_loaded() -> None:
    code = (
        "import sys, budge; assert budge.solve('bird-2', 'plain').cost == 10; "
        "assert not {'numpy', 'numba', 'llvmlite', 'ortools'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
