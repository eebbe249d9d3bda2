"""The positions of a board of pieces, and the moves between them.

A position is the sorted tuple of the places of all pieces (`pieces.Places`), so that pieces which can stand for each
other are one position, however they are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.limits import Limits
from .pieces import PiecePuzzle, Places

Position = tuple[int, ...]


class SlidingGame:
    """A board in one metric: every successor of a position costs one."""

    def __init__(self, board: PiecePuzzle, count: str, limits: Limits) -> None:
        places = self.places = Places(board, limits)
        self.start: Position = places.start
        number = {cell: i for i, cell in enumerate(places.all_cells)}
        self.mask: list[int] = []
        for cells in places.cells:
            limits.tick(len(cells))
            limits.hold(50 + len(number) // 7)
            self.mask.append(sum(1 << number[cell] for cell in cells))
        self.wished = [frozenset(wished) for wished in places.wished]
        self.size = 120 + 8 * len(self.start)
        self.limits, self.work = limits, 1 + len(self.start) // 64
        self.steps = [tuple(near.values()) for near in places.next]
        self.lines: list[tuple[tuple[int, ...], ...]] = []
        for place, near in enumerate(places.next if count == "slides" else ()):
            lines = tuple(tuple(places.line(place, way)) for way in near)
            limits.tick(sum(map(len, lines)))
            limits.hold(100 + 8 * sum(map(len, lines)))
            self.lines.append(lines)
        self.reached = {"steps": self._steps, "slides": self._slides}[count]

    def solved(self, position: Position) -> bool:
        """Whether every part of the goal holds."""
        return all(not wished.isdisjoint(position) for wished in self.wished)

    def successors(self, position: Position) -> Iterator[Position]:
        """The positions after one move of the metric: a step or a slide."""
        mask, covered = self.mask, 0
        for place in position:
            covered |= mask[place]
        for i, place in enumerate(position):
            self.limits.tick(self.work)
            before, after = position[:i], position[i + 1 :]
            for there in self.reached(place, covered ^ mask[place]):
                yield tuple(sorted((*before, there, *after)))

    def steps_from(self, position: Position) -> Iterator[tuple[int, int, Position]]:
        """Every step of a piece: its place before, its place after, and the position after it."""
        covered = 0
        for place in position:
            covered |= self.mask[place]
        for i, place in enumerate(position):
            self.limits.tick(self.work)
            for there in self._steps(place, covered ^ self.mask[place]):
                yield place, there, tuple(sorted((*position[:i], there, *position[i + 1 :])))

    def _steps(self, place: int, others: int) -> list[int]:
        mask = self.mask
        return [there for there in self.steps[place] if not mask[there] & others]

    def _slides(self, place: int, others: int) -> list[int]:
        mask, found = self.mask, []
        for line in self.lines[place]:
            for there in line:
                if mask[there] & others:
                    break
                found.append(there)
        return found
