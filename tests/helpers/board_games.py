"""Boards played by bits and tuples, apart from the actions that the checker makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from budge.proofs import by_rules
from budge.proofs.boards import Level, Piece, PiecePuzzle, shape
from budge.proofs.core.limits import Limits
from budge.proofs.core.problem import Cost
from budge.proofs.games import Puzzle, game_of
from budge.proofs.pages import board_game
from budge.proofs.reading import Cell, StateGraph, shifted

from .visited import Exhausted, exhausted

# The positions of a board of pieces, and the moves between them.
#
# A position is the sorted tuple of the places of all pieces (`Places`), so that pieces which can stand for
# each other are one position, however they are exchanged.


@dataclass(frozen=True, slots=True)
class Kind:
    """Pieces that can stand for each other: of one shape, with the same ways, open cells and wishes.

    Exchanging two of them changes no move and no goal, so a position says where *some* piece of each kind stands.
    `places`: the numbers of its places, consecutive. `start`: those of its pieces.
    """

    letters: str
    places: range
    start: tuple[int, ...]


class Places:
    """The places of all kinds, numbered from 0: `cells[place]` are covered by a piece there, `next[place]` has the
    places one step away, by direction, whatever else is on the board.

    A place is found by a flood fill from the start of the pieces of its kind: a piece cannot be where it could not get
    to on a board without any others.
    """

    def __init__(self, board: PiecePuzzle, limits: Limits) -> None:
        self.cells: list[frozenset[Cell]] = []
        self.next: list[dict[str, int]] = []
        self.kinds: list[Kind] = []
        groups: dict[tuple[object, ...], list[Piece]] = {}
        for piece in board.pieces:
            limits.tick(len(piece.cells) + len(board.wishes))
            wishes = frozenset(i for i, wish in enumerate(board.wishes) if piece.letter in wish.letters)
            limits.hold(100 * (len(piece.cells) + len(wishes)))
            groups.setdefault((shape(piece.cells), piece.ways, piece.open, wishes), []).append(piece)
        for pieces in groups.values():
            for alike in _meeting(pieces, limits):
                self._add_kind(alike, limits)
        kind_of = {letter: kind for kind in self.kinds for letter in kind.letters}
        self.wished: list[list[int]] = []
        for wish in board.wishes:
            limits.tick(len(wish.letters))
            kinds = dict.fromkeys(map(kind_of.__getitem__, sorted(wish.letters)))
            limits.tick(sum(len(kind.places) for kind in kinds))
            self.wished.append([p for kind in kinds for p in kind.places if self.cells[p] >= wish.cells])
            limits.hold(8 * len(self.wished[-1]))
        self.start = tuple(sorted(place for kind in self.kinds for place in kind.start))
        self.all_cells = sorted(frozenset().union(*self.cells))

    def _add_kind(self, pieces: list[Piece], limits: Limits) -> None:
        first, piece = len(self.cells), pieces[0]
        reached = frozenset().union(*(_reached(p, limits) for p in pieces))
        number = {covered: first + i for i, covered in enumerate(sorted(reached, key=min))}
        for covered in number:
            limits.tick(1 + len(covered))
            near = {way: frozenset(shifted(cell, way) for cell in covered) for way in piece.ways}
            self.cells.append(covered)
            self.next.append({way: number[there] for way, there in near.items() if there in number})
        start = tuple(number[p.cells] for p in pieces)
        letters = "".join(p.letter for p in pieces)
        self.kinds.append(Kind(letters, range(first, len(self.cells)), start))

    def line(self, place: int, way: str) -> list[int]:
        """The places in a straight line from a place, the nearest first."""
        found = []
        while way in self.next[place]:
            place = self.next[place][way]
            found.append(place)
        return found


def _reached(piece: Piece, limits: Limits) -> frozenset[frozenset[Cell]]:
    """The sets of cells that a piece can cover if it is alone on the board."""
    found, queue = {piece.cells}, [piece.cells]
    for here in queue:  # grows while it is read
        limits.tick(len(here))
        for way in piece.ways:
            there = frozenset(shifted(cell, way) for cell in here)
            if there <= piece.open and there not in found:
                limits.hold(200 + 100 * len(there))
                found.add(there)
                queue.append(there)
    return frozenset(found)


def _meeting(pieces: list[Piece], limits: Limits) -> list[list[Piece]]:
    """Pieces of one shape, parted into those that can stand in the same places. What moves along one axis only stays
    itself: it never gets past another in its line, so there is nothing to exchange."""
    if len(pieces) == 1 or set(pieces[0].ways) in ({"L", "R"}, {"U", "D"}):
        return [[piece] for piece in pieces]
    parts: list[tuple[set[frozenset[Cell]], list[Piece]]] = []
    for piece in pieces:
        reached, together = set(_reached(piece, limits)), [piece]
        for part in [part for part in parts if not reached.isdisjoint(part[0])]:
            parts.remove(part)
            reached, together = reached | part[0], part[1] + together
        parts.append((reached, together))
    return [together for _, together in parts]


class SlidingGame(StateGraph):
    """A board in one metric: steps, slides, or moves, which take one piece along any path.

    Of moves a state is a position and the place of the piece that moved last: the first step of a path costs one, and
    each step that goes on costs nothing. Of the others it is a position, and every successor costs one.
    """

    def __init__(self, board: PiecePuzzle, count: str, limits: Limits) -> None:
        places = Places(board, limits)
        self.paths = count == "moves"
        self.start: Any = (places.start, None) if self.paths else places.start
        self.nothing: Cost = (0,)
        number = {cell: i for i, cell in enumerate(places.all_cells)}
        self.mask: list[int] = []
        for cells in places.cells:
            limits.tick(len(cells))
            limits.hold(50 + len(number) // 7)
            self.mask.append(sum(1 << number[cell] for cell in cells))
        self.wished = [frozenset(wished) for wished in places.wished]
        self.size = 120 + 8 * len(places.start) + 64 * self.paths
        self.limits, self.work = limits, 1 + len(places.start) // 64
        self.steps = [tuple(near.values()) for near in places.next]
        self.lines: list[tuple[tuple[int, ...], ...]] = []
        for place, near in enumerate(places.next if count == "slides" else ()):
            lines = tuple(tuple(places.line(place, way)) for way in near)
            limits.tick(sum(map(len, lines)))
            limits.hold(100 + 8 * sum(map(len, lines)))
            self.lines.append(lines)
        self.reached = self._slides if count == "slides" else self._steps

    def solved(self, state: Any) -> bool:
        """Whether every part of the goal holds."""
        position = state[0] if self.paths else state
        return all(not wished.isdisjoint(position) for wished in self.wished)

    def successors(self, state: Any) -> Iterator[tuple[Cost, Any]]:
        """The states after one step or slide, each with what it costs."""
        position, last = state if self.paths else (state, None)
        mask, covered = self.mask, 0
        for place in position:
            covered |= mask[place]
        for i, place in enumerate(position):
            self.limits.tick(self.work)
            before, after, cost = position[:i], position[i + 1 :], (int(place != last),)
            for there in self.reached(place, covered ^ mask[place]):
                then = tuple(sorted((*before, there, *after)))
                yield cost, (then, there) if self.paths else then

    def _steps(self, place: int, others: int) -> list[int]:
        mask = self.mask
        return [there for there in self.steps[place] if not mask[there] & others]

    def _slides(self, place: int, others: int) -> list[int]:
        mask, free = self.mask, []
        for line in self.lines[place]:
            for there in line:
                if mask[there] & others:
                    break
                free.append(there)
        return free


# The positions of a level of Sokoban, and the moves between them.
#
# Cells are bits of one integer, row by row, each row one bit wider than the map, so that a shift by 1 or by the width
# is a step and nothing wraps around.

Position = tuple[int, int]


class BoxGame(StateGraph):
    """A level, step by step. A position is the boxes and the player's cell. A push is a step of the
    player, too; each costs what is counted of it: `pushes`, `moves`, or both."""

    def __init__(self, level: Level, count: str, limits: Limits) -> None:
        self.parts = count.split(",")
        self.nothing: Cost = (0,) * len(self.parts)
        self.width = max(map(len, level.rows)) + 1
        self.floor, self.goals = self.mask(level.open), self.mask(level.goals)
        self.shifts = (1, -1, self.width, -self.width)
        self.limits = limits
        self.size = 120 + 2 * self.width * (len(level.rows) + 2) // 7
        self.start: Position = self.mask(level.boxes), self.mask(frozenset((level.player,)))

    def mask(self, cells: frozenset[Cell]) -> int:
        """Cells as one integer, with a bit for each."""
        return sum(1 << ((r + 1) * self.width + c + 1) for r, c in cells)

    def solved(self, position: Position) -> bool:
        """Whether every box stands on a goal."""
        return not position[0] & ~self.goals

    def successors(self, position: Position) -> Iterator[tuple[Cost, Position]]:
        """The positions after one step of the player, each with its cost."""
        boxes, player = position
        walk = tuple(int(part == "moves") for part in self.parts)
        push = (1,) * len(self.parts)
        free = self.floor & ~boxes
        for by in self.shifts:
            self.limits.tick()
            there = moved(player, by)
            if there & free:
                yield walk, (boxes, there)
            elif there & boxes and moved(there, by) & free:
                yield push, (boxes ^ there ^ moved(there, by), there)


def moved(mask: int, by: int) -> int:
    """The cells of a mask, moved by one step in the direction of `by`."""
    return mask << by if by > 0 else mask >> -by


def game_by_rules(puzzle: Puzzle, metric: str, limits: Limits) -> StateGraph:
    """A puzzle as a graph: a board by this file, others by the rules of the checker."""
    count = puzzle.counted(metric)
    if count is None or not isinstance(puzzle, PiecePuzzle | Level):
        return game_of(puzzle, metric, limits)
    return SlidingGame(puzzle, count, limits) if isinstance(puzzle, PiecePuzzle) else BoxGame(puzzle, count, limits)


def visited(puzzle: Puzzle, metric: str, at_most: Cost | None, limits: Limits) -> Exhausted:
    """The states that can be on a plan of at most a cost, visited up to the first goal; of boards by the actions from
    which the checker derives their texts.
    """
    count = puzzle.counted(metric)
    if count is None or not isinstance(puzzle, PiecePuzzle | Level):
        return exhausted(puzzle, metric, at_most, limits)
    return Exhausted(*by_rules.exhausted(board_game(puzzle, count, (), limits), at_most, limits))
