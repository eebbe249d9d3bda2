"""Actions whose order does not matter: which are, and one model of their sets, held against searches."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from budge import Puzzle, Status, UsageError, load, load_text, solve
from budge.engines.auto import portfolio
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.cp_sat.engine import solve as solve_programs
from budge.models.program import ProgramTask
from budge.models.unordered import unordered
from budge.runtime.budget import Budget

from ..helpers.lamps import LAMPS
from ..helpers.program_tasks import task_of
from ..helpers.seeds import seeds

SHOPS = """\
format: 1
family: custom
types:
  shop: [north, east, south, west]
state:
  open: {of: shop}
constants:
  price: {of: shop, in: 1..9, value: [5, 3, 4, 9]}
  people: {of: shop, in: 1..9, value: [4, 3, 2, 8]}
actions:
  open:
    with: {s: shop}
    when: not open[s]
    set:
      open[s]: true
    cost: price[s]
MORE
goal: sum(people[s] for s in shop if open[s]) >= 6
"""


def lamps(seed: int, rows: int, columns: int, more: str = "") -> ProgramTask:
    rng = random.Random(seed)
    grid = "\n".join("  " + "".join(rng.choice("*.") for _ in range(columns)) for _ in range(rows))
    return task_of(load_text(LAMPS.format(grid=grid, more=more)))


@pytest.mark.parametrize("seed", seeds(12))
def test_lamps_against_breadth_first_search(seed: int) -> None:
    task = lamps(seed, 3, 3 if seed % 2 else 4)
    actions = unordered(task)
    assert actions is not None
    assert len(actions.switching) == len(task.actions)
    one, other = solve_programs(task, Budget(60)), breadth_first(task, Budget(60))
    assert one.status == other.status
    assert one.status in (Status.OPTIMAL, Status.UNSOLVABLE)
    assert one.upper_bound == other.upper_bound


def test_a_board_of_four_columns_that_cannot_be_lit_out() -> None:
    """On 4x4 lamps a third of the boards cannot be solved; one lamp in a corner is such a board."""
    task = task_of(load_text(LAMPS.format(grid="  *...\n  ....\n  ....\n  ....", more="")))
    found = solve_programs(task, Budget(60))
    assert found.status is Status.UNSOLVABLE
    assert "one model" in found.lower_bound_by


def test_large_boards_take_one_model() -> None:
    grid = "\n".join("  " + 10 * "*" for _ in range(10))
    found = solve(load_text(LAMPS.format(grid=grid, more="")), "cp-sat")
    assert (found.status, found.cost) == (Status.OPTIMAL, 44)


def test_a_limit_that_ends_while_the_sets_are_stated() -> None:
    found = solve_programs(lamps(1, 40, 40), Budget(1e-9))
    assert (found.status, found.stopped_by) == (Status.UNKNOWN, "time limit")


def test_lights_out_is_kept_as_programs() -> None:
    puzzle = load("lights-out")
    form = puzzle.form(puzzle.header.metric)
    assert isinstance(form, ProgramTask)
    assert form.instead_of == "the order of actions does not matter"
    assert solve(puzzle, "cp-sat").cost == 15


@pytest.mark.parametrize(
    "more",
    [
        "  wipe:\n    with: {c: cell}\n    set:\n      lit[c]: false",  # what is pressed afterwards is lit again
        "  clear:\n    with: {c: cell}\n    when: lit[c]\n    set:\n      lit[c]: false",  # asks what others change
    ],
)
def test_order_may_matter(more: str) -> None:
    task = lamps(1, 2, 3, more)
    assert unordered(task) is None
    found, expected = solve_programs(task, Budget(60)), breadth_first(task, Budget(60))
    assert expected.status is Status.OPTIMAL
    assert found.upper_bound == expected.upper_bound


def test_costs_may_differ() -> None:
    task = task_of(load_text(SHOPS.replace("MORE", "")))
    actions = unordered(task)
    assert actions is not None
    assert len(actions.apart) == 4
    found = solve_programs(task, Budget(60))
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (8,))


def test_actions_that_need_each_other_are_in_order() -> None:
    task = task_of(load_text(SHOPS.replace("MORE", "  last:\n    when: open[north]\n    set:\n      open[west]: true")))
    assert unordered(task) is None


@pytest.mark.parametrize(
    "always",
    [
        "not open[west] or open[north]",  # north first
        "count(open) <= 2",
        "not (open[north] and open[east]) or open[south]",  # the cheapest set has an order, with south in it
    ],
)
def test_what_is_asked_behind_actions_leaves_some_orders(always: str) -> None:
    task = task_of(load_text(SHOPS.replace("    cost: price[s]\n", "").replace("MORE", f"always: {always}")))
    actions = unordered(task)
    assert actions is not None
    assert not actions.free
    found, expected = solve_programs(task, Budget(60)), breadth_first(task, Budget(60))
    assert expected.status is Status.OPTIMAL
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, expected.upper_bound)


@pytest.mark.parametrize("seed", seeds(20))
def test_lamps_that_must_not_all_be_lit(seed: int) -> None:
    """If the cheapest set of presses has no order that is allowed, models with layers go on."""
    most = 4 + seed % 3
    task = lamps(seed, 2, 4, f"always: count(lit) <= {most}")
    found, expected = solve_programs(task, Budget(60), horizon_limit=8), breadth_first(task, Budget(60))
    if expected.status is Status.OPTIMAL:
        assert (found.status, found.upper_bound) == (Status.OPTIMAL, expected.upper_bound)
    else:
        assert found.plan is None


TOWERS = """\
format: 1
family: custom
grid: |
{grid}
legend:
  ".": floor
state:
  tower: {{of: cell}}
actions:
  build:
    with: {{c: cell}}
    when: not tower[c]
    set:
      tower[c]: true
goal: all(tower[c] or any(tower[n] for n in neighbours(c)) for c in cell)
"""


def towers(rows: int, columns: int) -> Puzzle:
    """As few towers as possible, such that each cell has one or is beside one (a dominating set of a grid)."""
    return load_text(TOWERS.format(grid="\n".join("  " + "." * columns for _ in range(rows))))


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (2, 4), (3, 4)])
def test_few_actions_are_kept_as_programs_too(rows: int, columns: int) -> None:
    puzzle = towers(rows, columns)
    form = puzzle.form(puzzle.header.metric)
    assert isinstance(form, ProgramTask)
    found, expected = solve_programs(form, Budget(60)), solve(puzzle, "plain")
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (expected.cost,))


@pytest.mark.parametrize("engine", ["cp-sat", "auto"])
def test_sets_of_many_actions(engine: str) -> None:
    """Neither search nor models with layers come to an end here. 20: Gonçalves, Pinlou, Rao, Thomassé 2011."""
    found = solve(towers(9, 9), engine, time_limit=60)
    assert (found.status, found.cost) == (Status.OPTIMAL, 20)


def test_sets_need_no_compiled_code(tmp_path: Path) -> None:
    """Where there are no compiled kernels (none are in that folder), none are made."""
    script = (
        "import sys, budge\n"
        "assert budge.solve('slitherlink-3x3', 'cp-sat').cost == 8\n"
        "assert not {'numba', 'llvmlite'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)})


def test_search_takes_over_where_a_set_cannot_be_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """That edges are no loop is a goal that `cp-sat` cannot state."""
    task = loops(1, goal="not loop((one[e], two[e]) for e in edge if drawn[e]) and count(drawn) == 3")
    assert task.computed(unordered) is not None
    with pytest.raises(UsageError, match="only where it must hold"):
        solve_programs(task, Budget(60))
    monkeypatch.setattr("budge.runtime.kernels.loaded", lambda: True)  # without a moment for plain search
    found = portfolio.solve(task, Budget(60))
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (3,))


LOOP = """\
format: 1
family: custom
types:
  edge: 1..{edges}
  node: 1..{nodes}
constants:
  one: {{of: edge, in: node, value: {one}}}
  two: {{of: edge, in: node, value: {two}}}
state:
  drawn: {{of: edge}}
actions:
  draw:
    with: {{e: edge}}
    when: not drawn[e]
    set:
      drawn[e]: true
{always}
goal: {goal}
"""

A_LOOP = "loop((one[e], two[e]) for e in edge if drawn[e]) and count(drawn[e] for e in edge if e <= {few}) == {wanted}"


def loops(seed: int, always: str = "", goal: str = A_LOOP) -> ProgramTask:
    """Edges of a random graph, maybe two between the same nodes or one from a node to itself."""
    rng = random.Random(seed)
    nodes, edges, few = 5, rng.randrange(5, 10), rng.randrange(1, 5)
    ends = [[rng.randrange(1, nodes + 1) for _ in range(edges)] for _ in range(2)]
    wanted = goal.format(few=few, wanted=rng.randrange(few + 1))
    sizes = {"edges": edges, "nodes": nodes}
    return task_of(load_text(LOOP.format(one=ends[0], two=ends[1], always=always, goal=wanted, **sizes)))


@pytest.mark.parametrize("seed", seeds(30))
def test_loops_against_breadth_first_search(seed: int) -> None:
    degree = "all(count(drawn[e] for e in edge if (n == one[e] or n == two[e])) <= 2 for n in node)"
    task = loops(seed, f"always: {degree}" if seed % 3 == 0 else "")
    found, expected = solve_programs(task, Budget(60)), breadth_first(task, Budget(60))
    assert found.status == expected.status
    assert found.upper_bound == expected.upper_bound
