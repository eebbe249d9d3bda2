"""Components of boards and rooms: the quick kernels against `explore`, which visits the same states by the task."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from budge import Budget, load_text
from budge.lab.blocks import BlockBoard, BlockMaker, RushHourMaker, SlidingBlockMaker
from budge.lab.generator import Maker
from budge.lab.rectangles import ANYWHERE, Cell, Rectangle
from budge.lab.rooms import RoomMaker, SokobanRoom
from budge.models.documents.fields import Header
from budge.models.documents.write import to_yaml
from budge.workflows.exploration import explore
from budge.workflows.solving import solve


def _text(maker: Maker, board: object) -> str:
    header = Header("", "made", maker.metric)
    return to_yaml(maker.family, header, maker.keys(board), "")


def _distance(maker: BlockMaker, board: BlockBoard) -> int | None:
    found = maker.explored(board)
    return None if found is None else found.distance


MAKERS = [
    RushHourMaker(4, 5, (2, 6), 1, "slides"),
    RushHourMaker(4, 4, (2, 5), 0, "steps"),
    SlidingBlockMaker(3, 3, (2, 6), 0, "moves"),
    SlidingBlockMaker(3, 4, (3, 6), 1, "slides"),
    SlidingBlockMaker(3, 3, (2, 6), 0, "steps", target=(1, 1)),
]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: f"{maker.family}-{maker.metric}")
def test_components_are_those_of_explore(maker: BlockMaker) -> None:
    chance = random.Random(5)
    graded = 0
    for _ in range(60):
        board = maker.new(chance)
        found = maker.grade(board)
        if found is None:
            continue
        graded += 1
        start = explore(load_text(_text(maker, board)), maker.metric, Budget()).space
        assert start is not None
        assert (start.states, len(start.distances) - 1) == (found.states, found.optimum)
        assert _distance(maker, board) == start.distance
        hardest = explore(load_text(_text(maker, found.board)), maker.metric, Budget()).space
        assert hardest is not None
        assert hardest.distance == found.optimum == _distance(maker, found.board)
        if graded == 6:
            break
    assert graded >= 3


def test_minimal_boards_need_every_piece() -> None:
    maker = RushHourMaker(5, 5, (4, 9), 1, "slides")
    chance, seen = random.Random(2), 0
    while seen < 4:
        found = maker.grade(maker.new(chance))
        if found is None or found.optimum < 4:
            continue
        seen += 1
        small = maker.minimal(found)
        assert small.optimum >= found.optimum
        pieces = small.board.pieces
        for n in range(1, len(pieces)):
            less = type(small.board)(small.board.walls, pieces[:n] + pieces[n + 1 :])
            assert _distance(maker, less) != small.optimum


def _mirrored(maker: BlockMaker, board: BlockBoard) -> Iterator[BlockBoard]:
    """The mirror images of a board that are the same puzzle; in Rush Hour the exit stays where it is."""
    free = isinstance(maker, SlidingBlockMaker)
    for down in (False, True) if free or maker.height % 2 else (False,):
        for across in (False, True) if free else (False,):

            def at(cell: Cell, height: int = 1, width: int = 1, down: bool = down, across: bool = across) -> Cell:
                row, column = cell
                return maker.height - row - height if down else row, maker.width - column - width if across else column

            def moved(piece: Rectangle, at: Callable[..., Cell] = at) -> Rectangle:
                size = piece.height, piece.width
                row, column = at((piece.row, piece.column), *size)
                goal = piece.goal if piece.goal == ANYWHERE else at(piece.goal, *size)
                return piece._replace(row=row, column=column, goal=goal)

            yield BlockBoard(frozenset(map(at, board.walls)), tuple(map(moved, board.pieces)))


def test_mirror_images_are_the_same_puzzle() -> None:
    maker = SlidingBlockMaker(4, 3, (3, 6), 1, "moves")
    board = maker.new(random.Random(3))
    assert len({maker.same(one) for one in _mirrored(maker, board)}) == 1
    rooms = RoomMaker(5, 4, 2)
    room = SokobanRoom(0b1111 | 0b0110 << 8 | 0b0111 << 16, 0b11, 0b0110 << 8, 16)
    mirrored = SokobanRoom(0b1111 | 0b0110 << 8 | 0b1110 << 16, 0b1100, 0b0110 << 8, 19)
    assert rooms.same(room) == rooms.same(mirrored)


@pytest.mark.parametrize("maker", MAKERS[:3], ids=lambda maker: f"{maker.family}-{maker.metric}")
def test_mirror_images_are_as_hard(maker: BlockMaker) -> None:
    chance = random.Random(6)
    for _ in range(20):
        grades = [maker.grade(image) for image in _mirrored(maker, maker.new(chance))]
        assert len({(graded.optimum, graded.states) if graded else None for graded in grades}) == 1


def test_the_hardest_start_of_a_room_is_proven_by_an_engine() -> None:
    maker = RoomMaker(4, 4, 2)
    chance, seen = random.Random(1), 0
    while seen < 6:
        found = maker.grade(maker.new(chance))
        if found is None or found.optimum < 3:
            continue
        seen += 1
        for graded in (found, maker.minimal(found)):
            solution = solve(load_text(_text(maker, graded.board)), "plain", "pushes", Budget())
            assert solution.cost == graded.optimum
            assert graded.optimum == found.optimum


def test_no_start_of_a_room_is_harder() -> None:
    """All placements of two boxes and a player in a small room, by an engine."""
    maker = RoomMaker(3, 3, 1)
    found = maker.grade(SokobanRoom(0b111 | 0b101 << 8 | 0b111 << 16, 1))
    assert found is not None
    costs = []
    floor = [cell for cell in range(24) if found.board.floor >> cell & 1]
    for box in floor:
        for player in floor:
            if box != player and box != 0:
                text = _text(maker, SokobanRoom(found.board.floor, 1, 1 << box, player))
                costs.append(solve(load_text(text), "plain", "pushes", Budget()).cost)
    assert max(cost for cost in costs if isinstance(cost, int)) == found.optimum
