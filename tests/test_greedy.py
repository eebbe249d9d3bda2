"""Greedy search: its plans replay and cost what it says; no plan only where there is none; its estimate."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.search.greedy.engine import estimator, greedy
from budge.engines.search.greedy.estimates import Estimator, Scratch, additive, distances, relaxed_plan, scratch_for
from budge.models.task import Task
from budge.runtime.arrays import Bytes, Words
from budge.runtime.kernel_cache import njit
from budge.workflows.solving import solve
from hypothesis import given, settings

from .random_puzzles import cost_of, interrupted, puzzles
from .sokoban_levels import text_of


@njit()
def _additive(known: Estimator, state: Words, scratch: Scratch) -> int:
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
@settings(max_examples=150, deadline=None, derandomize=True)
def test_random_puzzles(case: tuple[Puzzle, str]) -> None:
    check(*case)


@pytest.mark.parametrize("name", ["korf-12", "servais-93", "klotski/heng-dao-li-ma", "microban-085", "jewel-swap"])
def test_shipped_puzzles(name: str) -> None:
    found = solve(load(name), "greedy", budget=Budget(60))
    assert found.outcome.status is Status.FEASIBLE
    assert found.outcome.upper_bound is not None
    assert int(found.outcome.stats["steps"]) <= int(found.outcome.stats["first_plan_steps"])
    assert int(found.outcome.stats["above_optimum"]) >= 0


def h_add(task: Task, state: frozenset[int]) -> float:
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


@pytest.mark.parametrize("name", ["bird-1", "klotski/heng-dao-li-ma", "eight-20", "microban-005"])
def test_the_estimate_is_that_of_the_definition(name: str) -> None:
    puzzle = load(name)
    task = puzzle.task(puzzle.metrics[0])
    known, packed = estimator(task), to_bitset_task(task)
    found = _additive(known, packed.init, scratch_for(known, packed.words))
    assert found == h_add(task, frozenset(task.init))


@njit()
def _relaxed_plan(known: Estimator, state: Words, scratch: Scratch) -> int:
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


def test_few_states_are_expanded_on_a_large_board() -> None:
    """Deferred evaluation and preferred operators: 304 states are enough; without them 200 a second gave no plan."""
    found = solve(load_text(LARGE), "greedy", budget=Budget(60))
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


def test_interrupted() -> None:
    outcome = greedy(load("korf-01").task("moves"), interrupted())
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == (1,)
