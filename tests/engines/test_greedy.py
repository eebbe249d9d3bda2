"""Greedy search: its plans replay and cost what it says; no plan only where there is none; its estimate."""

from __future__ import annotations

import random

import numpy as np
import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.common.plans import plan_over, rows_along
from budge.engines.common.relaxed_plans import (
    EstimateScratch,
    Estimator,
    RelaxedTables,
    additive,
    distances,
    is_new,
    is_reached,
    relaxed_plan,
    scratch_for,
)
from budge.engines.greedy import MEAN_PRICE
from budge.engines.greedy.engine import _prices, estimator, order_of_goals
from budge.engines.greedy.engine import solve as greedy
from budge.models.plan import Plan, apply
from budge.models.task import OperatorTask
from budge.runtime.arrays import Bytes, Words, bit_rows
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
def _is_new(tables: RelaxedTables, row: Words) -> bool:
    return is_new(tables, row)


@njit()
def _is_reached(known: Estimator, row: Words) -> bool:
    return is_reached(known, row)


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
        assert _distances(known, state, taken) == known.alone[fact], name


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


def test_states_that_are_told_apart_by_some_facts() -> None:
    """By definition: a state is new if none before has the same of these facts; some clauses of the goal may do."""
    task = load("eight-20").task("moves")
    packed, rng = to_bitset_task(task), random.Random(1)
    facts = frozenset(rng.sample(range(len(task.facts)), 30))
    heads_for = np.array([number == 4 for number in range(len(task.goal))], np.uint8)
    known = estimator(task)._replace(heads_for=heads_for)
    tables = RelaxedTables(known, scratch_for(known, packed.words), 0, bit_rows([sorted(facts)], packed.words)[0])
    seen: set[frozenset[int]] = set()
    state, found = frozenset(task.init), set()
    for step in range(400):
        state = apply(state, rng.choice([op for op in task.operators if state.issuperset(op.pre)]))
        row = bit_rows([sorted(state)], packed.words)[0]
        new, reached = bool(_is_new(tables, row)), bool(_is_reached(known, row))
        assert new == (state & facts not in seen), step
        wanted = [clause for clause, heads in zip(task.goal, heads_for, strict=True) if heads]
        assert reached == all(state.intersection(clause) for clause in wanted), step
        seen.add(state & facts)
        found.add((new, reached))
    assert len(found) == 4


def test_the_first_of_the_goal_is_undone_last() -> None:
    """Row by row towards the place of the blank, whose own clause comes last; below before above."""
    task = load_text(RANDOM_24).task("moves")
    order = [task.facts[task.goal[clause][0]] for clause in order_of_goals(task)]
    assert order[0] == "24 at r5c5"
    assert set(order[1:3]) == {"19 at r4c5", "23 at r5c4"}
    assert order[-1] == "free r1c1"


RANDOM_24 = """\
format: 1
family: n-puzzle
name: 24-puzzle
start: |2
   6 16 22 14  1
   5 20 10  9 13
  24 12  3  8 21
  23  .  2 15 19
  11  4 17 18  7
goal: |2
   .  1  2  3  4
   5  6  7  8  9
  10 11 12 13 14
  15 16 17 18 19
  20 21 22 23 24
"""


def test_a_random_24_puzzle_has_a_plan_soon() -> None:
    puzzle = load_text(RANDOM_24)
    outcome = greedy(puzzle.task("moves"), Budget(), wanted=lambda steps: steps is None)
    assert outcome.plan
    assert int(outcome.stats["expanded"]) < 20_000


DEAR = """\
format: 1
family: custom
name: two ways
state: {place: {in: 0..20, start: 0}}
actions:
  walk: {when: place < 20, set: {place: place + 1}}
  fly: {cost: 100, when: place == 0, set: {place: 20}}
goal: place == 20
"""


def test_searches_count_steps_first_and_costs_later() -> None:
    """One flight is the shorter plan; twenty steps on foot are the cheaper one."""
    puzzle = load_text(DEAR)
    task = puzzle.task(puzzle.metrics[0])
    prices = sorted(set(_prices(task).tolist()))
    assert prices[0] == 1
    assert np.mean(_prices(task)) == pytest.approx(MEAN_PRICE, abs=1)
    assert set(_prices(load("eight-15").task("moves")).tolist()) == {1}
    outcome = greedy(task, Budget())
    assert outcome.upper_bound == (20,)


def test_to_the_limit_it_ends_where_nothing_is_left_to_try() -> None:
    outcome = greedy(load("eight-15").task("moves"), Budget(), to_the_limit=True)
    assert outcome.upper_bound == (15,)
    assert outcome.lower_bound == (1,)


def test_to_the_limit_a_plan_gets_better() -> None:
    task = load("korf-12").task("moves")
    outcome = greedy(task, Budget(2.0), to_the_limit=True)
    assert outcome.status is Status.FEASIBLE
    assert int(outcome.stats["steps"]) < int(outcome.stats["first_plan_steps"])


def test_plans_of_programs_are_shortened() -> None:
    """Tubes are interchangeable: states are stored in one order of them, and the plan has them told apart."""
    puzzle = load("water-sort-13")
    found = solve(puzzle, "greedy", budget=Budget())
    assert found.outcome.upper_bound is not None
    assert found.outcome.upper_bound >= (37,)
