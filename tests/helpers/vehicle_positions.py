"""All positions of a small Rush Hour board, from its text: the reference for what is said of all plans."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from math import inf

from budge import Puzzle

MOST_STATES = 3_000
MOST_PLANS = 3_000

Slide = tuple[str, int, frozenset[tuple[int, int]], frozenset[tuple[int, int]]]
"""A piece, how far it goes, the cells that it sweeps over, and those on which it starts or ends."""


@dataclass
class Positions:
    """A graph of positions: (owner, move, cost, position after it), from each. `facts`: what is where in each."""

    start: Hashable
    goals: set[Hashable] = field(default_factory=set)
    steps: dict[Hashable, list[tuple[str, Hashable, int, Hashable]]] = field(default_factory=dict)

    def least(self, start: Hashable, owners: set[str] | None = None, without: Collection[Hashable] = ()) -> float:
        """The least cost of the owners' moves to a goal, past positions; of all moves by default."""
        tick, best = count(), dict[Hashable, int]()
        heap: list[tuple[int, int, Hashable]] = [(0, next(tick), start)]
        while heap:
            cost, _, here = heappop(heap)
            if here in best or here in without:
                continue
            best[here] = cost
            if here in self.goals:
                return cost
            for owner, _, price, after in self.steps[here]:
                heappush(heap, (cost + price * (owners is None or owner in owners), next(tick), after))
        return inf

    def without(self, barred: Collection[Hashable]) -> set[Hashable]:
        """What can be reached past positions; nothing if the start is one of them."""
        found = {self.start} - set(barred)
        waiting = list(found)
        for here in waiting:
            for *_, after in self.steps[here]:
                if after not in found and after not in barred:
                    found.add(after)
                    waiting.append(after)
        return found

    def away(self) -> dict[Hashable, int]:
        """For each position from which a goal can be reached, how many moves it takes."""
        before: dict[Hashable, list[Hashable]] = {}
        for here, steps in self.steps.items():
            for _, _, _, after in steps:
                before.setdefault(after, []).append(here)
        found = dict.fromkeys(self.goals, 0)
        waiting = list(found)
        for here in waiting:
            for there in before.get(here, ()):
                if there not in found:
                    found[there] = found[here] + 1
                    waiting.append(there)
        return found

    def shortest(self) -> list[tuple[Hashable, ...]]:
        """All shortest plans, as sequences of moves, for unit costs. Raises `OverflowError` for too many."""
        away = {here: self.least(here) for here in self.steps}
        found: list[tuple[Hashable, ...]] = []

        def go_on(here: Hashable, moves: tuple[Hashable, ...]) -> None:
            if here in self.goals:
                found.append(moves)
            elif len(found) > MOST_PLANS:
                raise OverflowError
            else:
                for move, after in {(move, after) for _, move, _, after in self.steps[here]}:
                    if away[after] == away[here] - 1:
                        go_on(after, (*moves, move))

        go_on(self.start, ())
        return found


def positions_of(puzzle: Puzzle) -> Positions:
    """The positions of a board of vehicles, by slides, from the text of the board."""
    board = puzzle.board()
    height, width = len(board), len(board[0])
    cells: dict[str, list[tuple[int, int]]] = {}
    walls = set()
    for r, row in enumerate(board):
        for c, sign in enumerate(row):
            if sign.isalpha():
                cells.setdefault(sign, []).append((r, c))
            elif sign == "#":
                walls.add((r, c))
    value = puzzle.value
    along = {p.letter: (0, 1) if "R" in p.directions else (1, 0) for p in value.pieces}
    start = tuple(sorted((letter, tuple(own)) for letter, own in cells.items()))
    found = Positions(start)
    waiting = [start]
    for here in waiting:
        if len(waiting) > MOST_STATES:
            raise OverflowError
        found.steps[here] = []
        taken = {cell: letter for letter, own in here for cell in own}
        if value.exit_cell in {cell for letter, own in here if letter == value.target for cell in own}:
            found.goals.add(here)
        for letter, own in here:
            for way in (1, -1):
                dr, dc = (way * step for step in along[letter])
                swept = set(own)
                for far in range(1, max(height, width)):
                    moved = tuple((r + far * dr, c + far * dc) for r, c in own)
                    swept |= set(moved)
                    if any(
                        not (0 <= r < height and 0 <= c < width)
                        or (r, c) in walls
                        or taken.get((r, c), letter) != letter
                        for r, c in moved
                    ):
                        break
                    after = tuple(sorted((other, moved if other == letter else rest) for other, rest in here))
                    slide: Slide = (letter, way * far, frozenset(swept), frozenset((*own, *moved)))
                    found.steps[here].append((letter, slide, 1, after))
                    if after not in found.steps and after not in waiting:
                        waiting.append(after)
    return found
