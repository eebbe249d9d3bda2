"""The clauses for `moves`: in one move a piece goes along any path. All else is as in `formula`.

The path is described by its arcs, from each place to the next, within one step: it begins at one place and ends at
another, and it leaves each place in between again. A shortest path enters no place twice; so each place has at most one
arc in, and at most one out. (Arcs in a circle that the path does not touch satisfy the clauses too. They change
nothing: only where the path begins and ends counts afterwards.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from .core.formula import Clause, not_both
from .formula import SequentialFormula
from .reading import Cell


class PathFormula(SequentialFormula):
    """A further variable of a step: `arc` by place and direction, behind `ends`."""

    def _number_moves(self, first: int) -> int:
        first = self._number_ends(first)
        self.arc: dict[tuple[int, int], int] = {}
        for place, near in enumerate(self.places.next):
            for there in near.values():
                self.limits.tick()
                self.arc[place, there], first = first, first + 1
        return first

    def _route(self, k: int) -> Iterator[Clause]:
        """16 to 20: the path that a piece of a kind takes."""
        cells, kind = self.places.cells, self.places.kinds[k]
        over: dict[Cell, list[int]] = {}
        for place in kind.places:
            for cell in cells[place]:
                over.setdefault(cell, []).append(place)
        for place in kind.places:
            begin, end = self.begins[place], self.ends[place]
            for cell in sorted(cells[place]):  # 16: cells that it left are free, but those that it covers at its end
                yield (-begin, self.free[cell] + self.stride, *(self.ends[p] for p in over[cell]))
            out = [self.arc[place, there] for there in self.places.next[place].values()]
            into = [self.arc[there, place] for there in kind.places if (there, place) in self.arc]
            yield from not_both([*out, end])  # 17: from a place the path goes one way at most, or ends,
            yield from not_both([*into, begin])  # 18: and it comes to it one way at most, or begins
            for x in (begin, *into):
                yield (-x, *out, *([end] if x != begin else []))  # 19: what begins or comes goes on, or ends;
            for x in (end, *out):
                yield (-x, *into, *([begin] if x != end else []))  # 19: what ends or goes on has come, or begins
            for there, arc in zip(self.places.next[place].values(), out, strict=True):
                yield (-arc, self.moved[k])  # 20: an arc is one of the kind that moves,
                for cell in sorted(cells[there] - cells[place]):  # 20: into cells that are free, or that the
                    yield (-arc, self.free[cell], *(self.begins[p] for p in over[cell]))  # piece covered at first

    def _made(self, start: int, end: int, covered: set[Cell]) -> Iterator[int]:
        others, came = covered - self.places.cells[start], {start: start}
        queue = deque([start])
        while end not in came:
            here = queue.popleft()
            for there in self.places.next[here].values():
                if there not in came and others.isdisjoint(self.places.cells[there]):
                    came[there] = here
                    queue.append(there)
        yield from super()._made(start, end, covered)
        while end != start:
            yield self.arc[came[end], end]
            end = came[end]
