"""Deadlock tests of feature space search: nothing solvable is called dead, and what is learned saves positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from budge import Budget, Status
from budge.analysis.boxes.board import FAR, Board, bare_board, label_regions, scratch_for
from budge.analysis.boxes.box_board import grid
from budge.analysis.boxes.deadlock_search import (
    DeadlockSearch,
    deadlock_search_for,
    has_dead_core,
    has_dead_corral,
    is_dead,
)
from budge.analysis.boxes.freeze import find_frozen, goal_reach_for, lacks_goals, reach_of
from budge.engines.fess.search import deadlocks_for
from budge.runtime.kernel_calls import njit
from budge.workflows.solving import solve
from hypothesis import example, given, settings

from ..helpers.pushes import Position, numbered, put, reachable, solvable, task_of, view_of
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels


def positions_of(rows: tuple[str, ...]) -> tuple[Board, list[int], list[Position], set[Position]] | None:
    """The board of a level, its boxes, all positions that pushes lead to and those that can be solved; None if it
    has no boxes, is unsolvable at sight, or has more than 3,000 positions.
    """
    view = view_of(list(rows))
    if not view.boxes or task_of(list(rows)).unsolvable_because:
        return None
    board, _, boxes, _, player = numbered(view)
    before = reachable(board, (tuple(boxes), player), 3_000)
    return None if before is None else (board, boxes, list(before), solvable(board, before))


@njit(effort=1)
def _verdicts(board, s, goals, search, player):  # type: ignore[no-untyped-def]
    found = 0 if find_frozen(board, s) else 1
    if lacks_goals(board, s, goals):
        found |= 2
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    if has_dead_corral(board, s, search, player):
        found |= 4
    if has_dead_core(board, s, search, player):
        found |= 8
    return found


@pytest.mark.weekly
@given(rows=levels(max_boxes=4))
@settings(max_examples=examples(150))
def test_nothing_solvable_is_called_dead(rows: tuple[str, ...]) -> None:
    searched = positions_of(rows)
    if searched is None:
        return
    board, boxes, _, alive = searched
    cells = len(board.goal) - 1
    search, goals = deadlock_search_for(scratch_for(cells, len(boxes), 0)), goal_reach_for(board)
    for position in alive:
        scratch = put(board, position[0])
        assert _verdicts(board, scratch, goals, search, position[1]) == 0, (rows, position)


@njit(effort=1)
def _reach(board, s, goals):  # type: ignore[no-untyped-def]
    find_frozen(board, s)
    return reach_of(board, goals, s.frozen)


@given(rows=levels(max_boxes=4))
@example(rows=("#####", "#+*$#", "#####"))
@settings(max_examples=examples(100))
def test_goals_are_in_reach_by_a_lone_box_and_its_player(rows: tuple[str, ...]) -> None:
    view = view_of(list(rows))
    if not view.boxes:
        return
    board, _, boxes, *_ = numbered(view)
    scratch, goals = put(board, boxes), goal_reach_for(board)
    known = _reach(board, scratch, goals)
    frozen = [cell for cell in boxes if scratch.frozen[cell]]
    walls = tuple(view.cells[cell] for cell in frozen)
    cells = tuple(cell for cell in view.cells if cell not in walls)
    bare = bare_board(
        replace(view, cells=cells, neighbour=grid(cells), box=np.arange(len(cells), dtype=np.int32), goals=())
    )
    left = [cell for cell in range(len(view.cells)) if cell not in frozen]
    for g, goal in enumerate(goals.goals.tolist()):
        for k, cell in enumerate(left):
            # On its goal it needs nothing but a free cell for the player beside it.
            beside = bool((bare.neighbour[k] < len(left)).any())
            expected = goal in left and (beside if cell == goal else bool(bare.pushes[k, left.index(goal)] < FAR))
            assert goals.reach[known, g, cell] == expected
    assert _reach(board, scratch, goals) == known


@njit(effort=1)
def _learns(board, s, search, player):  # type: ignore[no-untyped-def]
    return is_dead(board, s, search, player)


@pytest.mark.weekly
@given(rows=levels(max_boxes=5, min_boxes=3, size=(4, 6)))
@settings(max_examples=examples(150, 8))
def test_nothing_solvable_holds_a_dead_set_that_was_learned(rows: tuple[str, ...]) -> None:
    searched = positions_of(rows)
    if searched is None:
        return
    board, boxes, before, alive = searched
    _, search = deadlocks_for(board, len(boxes))
    for position in [*before, *alive]:
        dead = _learns(board, put(board, position[0]), search, position[1])
        assert not (dead and position in alive), (rows, position)


def test_a_dead_set_is_learned_and_known_with_other_boxes() -> None:
    # The corner of level 24 of XSokoban: from outside, the lower box can only be pushed up, where the left one is then
    # in its way. Pushed in to the right, the left one is in the way itself. A lone box could be brought out.
    rows = [
        "###########",
        "#.  .  .  #",
        "#         #",
        "#@#########",
        "#  $   ####",
        "#   #$ ####",
        "#   # #####",
        "#     #####",
    ]
    view = view_of([*rows, "###########"])
    board, _, boxes, _, player = numbered(view)
    _, search = deadlocks_for(board, 3)
    free = view.cells.index((2, 4))
    assert has_dead(board, [*boxes, free], search, player)
    assert search.learned.known[0] == 1
    assert search.learned.known[1] == 2  # two boxes: the third does not matter
    assert not has_dead(board, [boxes[0], free, free + 2], search, player)
    assert has_dead(board, [*boxes, free + 1], search, player)
    assert search.learned.known[0] == 1


def test_two_boxes_of_a_room_are_dead_though_each_can_be_pushed_to_and_fro() -> None:
    # The room of level 77 of XSokoban, see `room_deadlocks`. The search for a core takes the left box away.
    rows = [
        "#########",
        "#       #",
        "#### ## #",
        "#     # #",
        "# $@$ # #",
        "## #### #",
        "# .     #",
        "# .     #",
        "#########",
    ]
    view = view_of(rows)
    board, _, (first, second), _, player = numbered(view)
    number = {cell: i for i, cell in enumerate(view.cells)}
    _, search = deadlocks_for(board, 2)
    assert not has_dead(board, [first, second], search, player)
    assert has_dead(board, [number[3, 2], second], search, number[4, 2])
    assert search.learned.known.tolist() == [1, 2]
    board = board._replace(edges=board.edges[:0])
    _, search = deadlocks_for(board, 2)
    assert not has_dead(board, [number[3, 2], second], search, number[4, 2])


def has_dead(board: Board, boxes: list[int], search: DeadlockSearch, player: int) -> bool:
    return bool(_learns(board, put(board, boxes), search, player))


LEVEL_21 = [
    "#########      ",
    "#       #      ",
    "#       ####   ",
    "## #### #  #   ",
    "## #@##    #   ",
    "# $$$ $  $$#   ",
    "#  # ## $  #   ",
    "#  # ##  $ ####",
    "####  $$$ $#  #",
    " #   ##   ....#",
    " # #   # #.. .#",
    " #   # # ##...#",
    " ##### $  #...#",
    "     ##   #####",
    "      #####    ",
]
"""Level 21 of XSokoban."""


@pytest.mark.weekly
def test_dead_sets_save_positions() -> None:
    # Before sets were learned, and with the other rule of what is free, 150,000 positions were not enough.
    solution = solve(level(LEVEL_21), "fess", "pushes", Budget())
    assert solution.status is Status.FEASIBLE
    assert int(solution.outcome.stats["states"]) < 5_000


@pytest.mark.parametrize(
    ("rows", "bit"),
    [
        (["#######", "#  @  #", "# $$  #", "# $$..#", "#  .. #", "#######"], 1),
        (["########", "#@     #", "#.$ #$ #", "##### .#", "########"], 2),
    ],
)
def test_dead_positions_are_seen(rows: list[str], bit: int) -> None:
    view = view_of(rows)
    if not view.boxes or task_of(rows).unsolvable_because:
        return
    board, _, boxes, _, player = numbered(view)
    cells = len(board.goal) - 1
    search = deadlock_search_for(scratch_for(cells, len(boxes), 0))
    assert _verdicts(board, put(board, boxes), goal_reach_for(board), search, player) & bit
