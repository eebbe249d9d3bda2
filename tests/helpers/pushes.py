"""Pushes in Sokoban by definition: positions, where the man can walk, what is solvable."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from budge.analysis.boxes.board import Board, BoardScratch, board_arrays, scratch_for
from budge.analysis.boxes.box_board import BoxBoard, find_box_board, grid
from budge.models.task import OperatorTask

from .sokoban_levels import level

Position = tuple[tuple[int, ...], int]
"""(cells of the boxes in order, smallest cell of the player's region)."""


def task_of(rows: list[str]) -> OperatorTask:
    return level(rows).task("pushes")


def view_of(rows: list[str]) -> BoxBoard:
    """The board of a level; one without cells and boxes where every box is frozen on a goal, or can be nowhere else."""
    view = find_box_board(task_of(rows))
    return (
        view
        if isinstance(view, BoxBoard)
        else BoxBoard((), grid(()), np.zeros((0, 4), np.int32), np.zeros(0, np.int32), (), (), 0)
    )


def numbered(view: BoxBoard) -> tuple[Board, Board, list[int], list[int], int]:
    """The boards, the boxes, the goals and the player's region."""
    forward, backward = board_arrays(view)
    boxes = list(view.boxes)
    return forward, backward, boxes, list(view.goals), regions(forward, boxes)[view.player]


def regions(board: Board, boxes: Sequence[int]) -> dict[int, int]:
    """The smallest cell of its region for each cell that the boxes leave free."""
    neighbour, wall, occupied = board.neighbour.tolist(), len(board.goal) - 1, set(boxes)
    root: dict[int, int] = {}
    for first in range(wall):
        if first in occupied or first in root:
            continue
        root[first] = first
        queue = [first]
        for cell in queue:
            for other in neighbour[cell]:
                if other != wall and other not in occupied and other not in root:
                    root[other] = first
                    queue.append(other)
    return root


def put(board: Board, boxes: list[int] | tuple[int, ...]) -> BoardScratch:
    scratch = scratch_for(len(board.goal) - 1, len(boxes), len(board.edges))
    scratch.box[:] = boxes
    scratch.occupied[list(boxes)] = 1
    return scratch


def pushed(board: Board, position: Position, *, pull: bool = False) -> Iterator[tuple[int, Position]]:
    """(the box that is pushed, the position after it) for every single push, or pull."""
    boxes, player = position
    wall, neighbour = len(board.goal) - 1, board.neighbour.tolist()
    root = regions(board, boxes)
    for box in boxes:
        for d in range(4):
            ahead, behind = neighbour[box][d], neighbour[box][d ^ 1]
            stands = ahead if pull else behind
            ends = neighbour[ahead][d] if pull and ahead != wall else box
            if wall in (ahead, behind if not pull else ends) or ahead in boxes or root.get(stands) != player:
                continue
            if pull and ends in boxes:
                continue
            after = tuple(sorted({*boxes} - {box} | {ahead}))
            yield box, (after, regions(board, after)[ends])


def reachable(board: Board, start: Position, most: int) -> dict[Position, list[Position]] | None:
    """All positions that pushes lead to, each with those that lead to it; None if there are more than `most`."""
    before: dict[Position, list[Position]] = {start: []}
    queue = deque([start])
    while queue:
        position = queue.popleft()
        for _, after in pushed(board, position):
            if after not in before:
                before[after] = []
                queue.append(after)
                if len(before) > most:
                    return None
            before[after].append(position)
    return before


def solvable(board: Board, before: dict[Position, list[Position]]) -> set[Position]:
    """The positions from which every box can be brought to a goal."""
    queue = [position for position in before if all(board.goal[box] for box in position[0])]
    found = set(queue)
    for position in queue:
        for other in before[position]:
            if other not in found:
                found.add(other)
                queue.append(other)
    return found


LARGE = [
    "    #####          ",
    "    #   #          ",
    "    #$  #          ",
    "  ###  $##         ",
    "  #  $ $ #         ",
    "### # ## #   ######",
    "#   # ## #####  ..#",
    "# $  $          ..#",
    "##### ### #@##  ..#",
    "    #     #########",
    "    #######        ",
]
