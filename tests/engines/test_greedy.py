"""Greedy search: its plans replay and cost what it says; no plan only where there is none; its estimate."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.common.plans import plan_over, rows_along
from budge.engines.common.relaxed_plans import (
    EstimateScratch,
    Estimator,
    additive,
    distances,
    relaxed_plan,
    scratch_for,
)
from budge.engines.greedy.engine import estimator
from budge.engines.greedy.engine import solve as greedy
from budge.models.plan import Plan
from budge.models.task import OperatorTask
from budge.runtime.arrays import Bytes, Words
from budge.runtime.kernel_calls import njit
from budge.workflows.solving import solve
from hypothesis import given, settings

from ..helpers.patience import PATIENCE
from ..helpers.random_puzzles import cost_of, interrupted, puzzles
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import text_of


@njit()
def _additive(known: Estimator, state: Words, scratch: EstimateScratch) -> int:
    return additive(known, state, scratch)


@njit()
def _distances(known: Estimator, state: Words, taken: Bytes) -> int:
    return distances(known, state, taken)


def check(puzzle: Puzzle, metric: str) -> None:
    expected = cost_of(puzzle, metric)
    found = solve(puzzle, "greedy", metric)
    if expected is None:
        assert found.outcome.status is Status.UNSOLVABLE
        return
    assert found.outcome.upper_bound is not None
    assert found.outcome.lower_bound is not None
    assert found.outcome.lower_bound <= expected <= found.outcome.upper_bound
    met = found.outcome.upper_bound == found.outcome.lower_bound  # it proves that one step is needed
    assert found.outcome.status is (Status.OPTIMAL if met else Status.FEASIBLE)


@given(case=puzzles())
@settings(max_examples=examples(150))
def test_random_puzzles(case: tuple[Puzzle, str]) -> None:
    check(*case)


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["korf-12", "servais-93", "klotski/heng-dao-li-ma", "microban-085", "jewel-swap"])
def test_shipped_puzzles(name: str) -> None:
    found = solve(load(name), "greedy", budget=Budget())
    assert found.outcome.status is Status.FEASIBLE
    assert found.outcome.upper_bound is not None
    assert int(found.outcome.stats["steps"]) <= int(found.outcome.stats["first_plan_steps"])
    assert int(found.outcome.stats["above_optimum"]) >= 0


def h_add(task: OperatorTask, state: frozenset[int]) -> float:
    """The definition: the least solution of the equations, by repetition until nothing changes."""
    cost = [0.0 if f in state else float("inf") for f in range(len(task.facts))]
    changed = True
    while changed:
        changed = False
        for op in task.operators:
            total = 1 + sum(cost[f] for f in op.pre)
            for f in op.add:
                if total < cost[f]:
                    cost[f], changed = total, True
    return sum(min(cost[f] for f in clause) for clause in task.goal)


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["bird-1", "klotski/heng-dao-li-ma", "eight-20", "microban-005"])
def test_the_estimate_is_that_of_the_definition(name: str) -> None:
    puzzle = load(name)
    task = puzzle.task(puzzle.metrics[0])
    known, packed = estimator(task), to_bitset_task(task)
    found = _additive(known, packed.init, scratch_for(known, packed.words))
    assert found == h_add(task, frozenset(task.init))


@njit()
def _relaxed_plan(known: Estimator, state: Words, scratch: EstimateScratch) -> int:
    additive(known, state, scratch)
    return relaxed_plan(known, scratch)


@pytest.mark.parametrize("name", ["bird-1", "klotski/heng-dao-li-ma", "lights-out", "blocks-world"])
def test_a_relaxed_plan_reaches_the_goal_if_nothing_is_deleted(name: str) -> None:
    puzzle = load(name)
    task = puzzle.task(puzzle.metrics[0])
    known, packed = estimator(task), to_bitset_task(task)
    scratch = scratch_for(known, packed.words)
    count = _relaxed_plan(known, packed.init, scratch)
    waiting, true, achieved = set(scratch.plan[:count].tolist()), set(task.init), set[int]()
    assert len(waiting) == count <= h_add(task, frozenset(task.init))
    while ready := {op for op in waiting if true.issuperset(task.operators[op].pre)}:
        waiting -= ready
        true.update(f for op in ready for f in task.operators[op].add)
    assert not waiting
    assert all(true.intersection(clause) for clause in task.goal)
    wanted = {f for f in range(len(task.facts)) if int(scratch.wanted[f >> 6]) >> (f & 63) & 1}
    achieved = {f for op in scratch.plan[:count] for f in task.operators[op].add}
    assert wanted
    assert wanted <= achieved - set(task.init)


LARGE = """\
format: 1
family: rush-hour
name: Forty vehicles
metric: slides
goal: {piece: X, exit: right}
board: |
  .jG.iRRRRmmg
  .jG.iccNN..g
  On.hiAAA.EE.
  On.hUJk...D.
  On..UJkFFKD.
  XX.fUJk..K..
  l.efU.SSIWTP
  l.efBBC.IWTP
  QQQ.VVC...T.
  .Ld...C..YYY
  .Ld.bbHa.MZ.
  .Lppp.Ha.MZ.
"""


@pytest.mark.weekly
def test_few_states_are_expanded_on_a_large_board() -> None:
    """Deferred evaluation and preferred operators: 304 states are enough; without them 200 a second gave no plan."""
    found = solve(load_text(LARGE), "greedy", budget=Budget())
    assert found.outcome.status is Status.FEASIBLE
    assert int(found.outcome.stats["expanded"]) < 20_000


def test_boxes_are_measured_by_their_own_ways() -> None:
    puzzle = load_text(text_of(["#####", "#@ .#", "# $ #", "#   #", "#####"]))
    task = puzzle.task("pushes")
    known, packed = estimator(task), to_bitset_task(task)
    assert known.all_objects
    taken = np.zeros(len(task.facts), np.uint8)
    assert _distances(known, packed.init, taken) == 2
    places = {task.facts[fact]: fact for fact in task.groups[0].facts}
    assert len(places) > 1
    for name, fact in places.items():
        state = np.zeros_like(packed.init)
        state[fact >> 6] = np.uint64(1 << (fact & 63))
        far = min(known.away[:, fact])
        assert _distances(known, state, taken) == far, name


@pytest.mark.parametrize(("enough", "steps"), [(0, 28), (60, 0)])
def test_a_plan_that_is_short_enough_is_not_improved(enough: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`wanted` says so: here it is `enough` to have so few steps. The first plan has more than the best."""
    monkeypatch.setattr("budge.engines.greedy.engine.IMPROVE_SECONDS", PATIENCE)
    monkeypatch.setattr("budge.engines.common.neighbourhood.SECONDS", PATIENCE)
    monkeypatch.setattr("budge.engines.common.neighbourhood.STEP_SECONDS", PATIENCE)
    task = load("level-21").task("slides")
    first = greedy(task, Budget()).stats["first_plan_steps"]
    outcome = greedy(task, Budget(), wanted=lambda steps: steps is None or steps > enough)
    assert outcome.stats["steps"] == (steps or first)


def test_nobody_searches_on_when_there_is_no_plan() -> None:
    """`cp-sat` says so when its tables show that the goal is out of reach."""
    outcome = greedy(load("korf-01").task("moves"), Budget(), wanted=lambda steps: False)
    assert outcome.plan is None
    assert outcome.lower_bound == (1,)


def test_interrupted() -> None:
    outcome = greedy(load("korf-01").task("moves"), interrupted())
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == (1,)


@pytest.mark.parametrize(("name", "metric"), [("microban-025", "pushes"), ("bird-2", "steps"), ("eight-15", "moves")])
def test_a_plan_as_rows_and_back(name: str, metric: str) -> None:
    """The states of a plan are as many as it has steps, and one more; the plan over them costs the same."""
    task = load(name).task(metric)
    plan = solve(load(name), "bfs", metric).outcome.plan
    assert plan
    rows = rows_along(task, to_bitset_task(task), plan)
    assert len(rows) == len(plan.moves) + 1
    again, cost = plan_over(task, rows)
    assert (again, cost) == (plan, (len(plan.moves),))


def test_a_way_round_is_left_out() -> None:
    """A vehicle that goes and comes back before the plan begins changes nothing; a foreign move is refused."""
    task = load("bird-2").task("steps")
    plan = solve(load("bird-2"), "bfs", "steps").outcome.plan
    assert plan
    packed = to_bitset_task(task)
    first = next(op for op in task.operators if set(task.init).issuperset(op.pre))
    back = next(op for op in task.operators if op.add == first.delete and op.delete == first.add)
    round_about = Plan.of((first, back, first, back))
    longer = Plan((*round_about.moves, *plan.moves))
    assert rows_along(task, packed, longer).tolist() == rows_along(task, packed, plan).tolist()
    with pytest.raises(ValueError, match="no applicable operator"):
        rows_along(task, packed, Plan(plan.moves[::-1]))
