"""`cp-sat` on actions as programs that differ in cost, or cost nothing: against breadth-first search on operators."""

from __future__ import annotations

import random

import pytest
from budge import Status, solve
from budge.engines.cp_sat.engine import refusal
from budge.engines.cp_sat.engine import solve as solve_programs
from budge.models.errors import UsageError
from budge.models.families import load_text
from budge.models.families.custom.programs.task import programs
from budge.models.library import load
from budge.models.program import ProgramTask
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget

SHIFTS = """
format: 1
family: custom
name: Shifts
types:
  place: 1..4
state:
  at: {{of: place, in: 1..4, different: true, start: {start}}}
  mark: {{start: false}}
actions:
  swap:
    with: {{p: place}}
    when: p < 4
    set:
      at[p]: at[p + 1]
      at[p + 1]: at[p]
    cost: {swap}
  turn:
    set:
      at[p] for p in place if p < 4: at[p + 1]
      at[4]: at[1]
    cost: {turn}
  flip:
    set:
      mark: not mark
      at[1]: at[2] if mark else at[1]
      at[2]: at[1] if mark else at[2]
    cost: {flip}
metrics:
  paid: cost
  count: [swap, turn]
goal: all(at[p] == p for p in place) and mark
draw: "{{at[1]}}"
"""


def shifts(seed: int, swap: int | None = None) -> Puzzle:
    rng = random.Random(seed)
    start = rng.sample(range(1, 5), 4)
    price = rng.choice([1, 2, 6]) if swap is None else swap
    return load_text(SHIFTS.format(start=start, swap=price, turn=rng.choice([0, 1, 3, 4]), flip=rng.choice([0, 1, 2])))


def as_programs(puzzle: Puzzle, metric: str) -> ProgramTask:
    return programs(puzzle.value, next(own for own in puzzle.own_metrics or () if own.name == metric))


@pytest.mark.weekly
@pytest.mark.parametrize("metric", ["paid", "count", "paid,count", "count,paid"])
def test_costs_of_programs_give_the_optimum_of_a_search(metric: str) -> None:
    proven = 0
    for seed in range(10):
        puzzle = shifts(seed)
        expected = solve(puzzle, engine="bfs", metric=metric).outcome
        try:
            found = solve_programs(as_programs(puzzle, metric), Budget(None))
        except UsageError:  # free actions without a bound
            continue
        assert (found.status, found.upper_bound) == (expected.status, expected.upper_bound), seed
        assert found.lower_bound == found.upper_bound, seed
        proven += 1
    assert proven >= 4


def test_free_actions_without_a_bound_are_refused_with_what_to_do() -> None:
    """Swapping for nothing goes through all orders of the places: no chain of seven is the longest."""
    with pytest.raises(UsageError, match="use `astar`"):
        solve_programs(as_programs(shifts(0, swap=0), "paid"), Budget(None))


def test_actions_of_many_layers_are_refused_before_they_are_stated() -> None:
    task = as_programs(load_text(SHIFTS.format(start=[2, 1, 3, 4], swap=500, turn=1, flip=1)), "paid")
    assert "costs 500" in str(refusal(task))
    assert refusal(as_programs(shifts(0), "paid")) is None


def test_the_pocket_cube_begins_with_a_bound_on_its_twists() -> None:
    """Of eleven turns the first five are refuted in a moment, each with room for two twists."""
    task = load("custom/pocket-cube").form("turns")
    assert isinstance(task, ProgramTask)
    found = solve_programs(task, Budget(None), horizon_limit=4)
    assert found.stats["free_steps"] == 2
    assert found.lower_bound == (5,)
    assert "4 turns are not enough" in found.lower_bound_by


@pytest.mark.parametrize("engine", ["astar", "bfs", "cp-sat", "greedy", "idastar"])
def test_programs_of_which_none_is_ever_possible(engine: str) -> None:
    text = """\
format: 1
family: custom
types:
  n: 1..34
state:
  u: {start: false}
constants:
  w: {of: n, in: 0..9, value: 3}
actions:
  go:
    with: {x: n, y: n, z: n}
    when: w[x] + w[y] + w[z] == 10
    set: {u: "true"}
goal: u
"""
    assert solve(load_text(text), engine=engine).status is Status.UNSOLVABLE
