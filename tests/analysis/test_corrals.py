"""Corrals against exact distances: from every position, some push of the corral is one of an optimal plan."""

from __future__ import annotations

from collections import Counter

import pytest
from budge.analysis.boxes.board import Board, label_regions
from budge.analysis.boxes.pi_corrals import find_corral
from budge.runtime.kernel_calls import njit
from hypothesis import given, settings

from ..helpers.corridor_levels import distances, levels_with_distances
from ..helpers.pushes import Position, numbered, pushed, put, reachable, task_of, view_of
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels


@njit(effort=1)
def _find_corral(board, s, t, player):  # type: ignore[no-untyped-def]
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    return find_corral(board, s, t, s.label[player])


def members_of(board: Board, position: Position) -> tuple[int, set[int]]:
    """How many pushes the corral of a position has, -1 if it has none, and the boxes that may be pushed then."""
    scratch = put(board, position[0])
    pushes = _find_corral(board, scratch, put(board, position[0]), position[1])
    return pushes, {box for box, may in zip(position[0], scratch.movable.tolist(), strict=True) if may}


def check(board: Board, away: dict[Position, int], where: object) -> int:
    """Look at all positions from which there is a plan; the number of those in which pushes are left out."""
    left_out = 0
    for position, steps in away.items():
        pushes, members = members_of(board, position)
        if steps == 0 or pushes < 0:
            continue
        left_out += any(box not in members for box, _ in pushed(board, position))
        best = {box for box, after in pushed(board, position) if away.get(after, -2) == steps - 1}
        assert best & members, (where, position, members)
    return left_out


@pytest.mark.weekly
def test_some_push_of_a_corral_is_on_an_optimal_plan() -> None:
    met = Counter[str]()
    for puzzle, view, board, away in levels_with_distances(range(120), 4, 6_000):
        if len(view.boxes) >= 3:
            met["left out"] += check(board, away, puzzle.to_yaml())
    assert met["left out"] > 100, met


@given(rows=levels(max_boxes=5, min_boxes=2, size=(4, 6)))
@settings(max_examples=examples(150))
def test_and_in_rooms_of_any_shape(rows: tuple[str, ...]) -> None:
    view = view_of(list(rows))
    if not view.boxes or task_of(list(rows)).unsolvable_because:
        return
    board, _, boxes, goals, player = numbered(view)
    before = reachable(board, (tuple(boxes), player), 3_000)
    if before is not None:
        solved = [position for position in before if all(box in goals for box in position[0])]
        check(board, distances(before, solved), rows)


def test_only_the_boxes_of_a_corral_move() -> None:
    # The box on the right closes its part of the board off; it can be pushed in at once, so the other one waits.
    view = view_of(["#########", "#   #   #", "# .@$  .#", "# $ #   #", "#   #   #", "#########"])
    board, _, boxes, _, player = numbered(view)
    _, members = members_of(board, (tuple(boxes), player))
    assert [view.cells[box] for box in sorted(members)] == [(2, 4)]
