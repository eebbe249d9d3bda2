"""Doors: which cells are, and that pushing on what stands in one leaves a shortest plan."""

from __future__ import annotations

import pytest
from budge import Budget, load_text
from budge.analysis.boxes.pi_corrals import find_doors
from budge.analysis.hm.tables import hm_tables
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat.solver import SearchSettings
from budge.engines.cp_sat.solver import solve as solve_formula
from budge.models.errors import PuzzleError
from budge.workflows.solving import solve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.random_puzzles import agrees
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, text_of

TWO_ROOMS = ["#########", "#   #   #", "#@$   . #", "# $ # . #", "#   #   #", "#########"]
A_GOAL_IN_THE_DOOR = ["#########", "#   #   #", "#@$ . . #", "# $ #   #", "#   #   #", "#########"]
A_WAY_AROUND = ["#########", "#   #   #", "#@$   . #", "# $ # . #", "#       #", "#########"]


def doors(rows: list[str]) -> list[str]:
    """What says that a box stands in a door, for each push from one."""
    task = level(rows).task("pushes")
    return [task.facts[door.box] for door in find_doors(task)]


def test_a_door_parts_two_rooms_and_is_no_goal() -> None:
    assert doors(TWO_ROOMS) == ["box at r3c5", "box at r3c5"]
    assert not doors(A_GOAL_IN_THE_DOOR)
    assert not doors(A_WAY_AROUND)


def test_none_where_walks_are_paid_for() -> None:
    assert not find_doors(level(TWO_ROOMS).task("moves"))


@st.composite
def two_rooms(draw: st.DrawFn) -> list[str]:
    """Two rooms of three by three cells beside each other, with a corridor of one or two cells between them."""
    long = draw(st.integers(1, 2))
    left = [(r, c) for r in range(1, 4) for c in range(1, 4)]
    right = [(r, c + 3 + long) for r, c in left]
    corridor = [(2, 4 + i) for i in range(long)]
    cells = left + corridor + right
    walls = draw(st.lists(st.sampled_from(left + right), max_size=3, unique=True))
    floor = [cell for cell in cells if cell not in walls]
    player, *boxes = draw(st.permutations(floor))[: draw(st.integers(3, 4))]
    goals = draw(st.permutations(floor))[: len(boxes)]
    rows = []
    for r in range(5):
        row = ""
        for c in range(8 + long):
            cell = (r, c)
            signs = "@+" if cell == player else "$*" if cell in boxes else " ."
            row += signs[cell in goals] if cell in floor else "#"
        rows.append(row)
    return rows


@given(rows=two_rooms())
@settings(max_examples=examples(150))
def test_a_shortest_plan_is_left(rows: list[str]) -> None:
    try:
        puzzle = load_text(text_of(rows))
        expected = optimal(puzzle.task("pushes"), 20_000)
    except (PuzzleError, OverflowError):  # a box that nobody gets to, for example
        assume(False)
    agrees(solve(puzzle, "cp-sat", "pushes"), expected and expected[0])


def test_the_box_in_the_door_is_next() -> None:
    """Two pushes bring a box into the door. Shortest plans that go on with another box are left out."""
    task = level(TWO_ROOMS).task("pushes")
    best = optimal(task)
    assert best is not None
    encoder = HorizonEncoder(task, hm_tables(task, 2), None)
    in_door = task.facts.index("box at r3c5")
    others = [n for n, op in enumerate(task.operators) if task.facts.index("box at r4c3") in op.delete]

    def another_is_pushed(*, doors: bool) -> bool:
        one = encoder.deeper(encoder.tables)
        one.doors = encoder.doors if doors else ()
        model = one.encode(best[0][0])
        model.formula.clause([model.fact[2][in_door]])
        model.formula.clause([model.chosen[2][n] for n in others])
        return solve_formula(model.formula, Budget(), SearchSettings()).values is not None

    assert another_is_pushed(doors=False)
    assert not another_is_pushed(doors=True)


@pytest.mark.parametrize("metric", ["pushes,moves", "moves,pushes", "moves"])
def test_other_metrics(metric: str) -> None:
    puzzle = level(TWO_ROOMS)
    expected = optimal(puzzle.task(metric))
    assert expected is not None
    assert solve(puzzle, "cp-sat", metric).outcome.upper_bound == expected[0]
