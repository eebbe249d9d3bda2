"""The clauses for `moves`: in one move a piece goes along any path. All else is as in `formula`.

The path is told by its arcs, from each place to the next, within one step: it begins at one place and ends at another,
and in between what comes to a place leaves it. A shortest path comes to no place twice; so each place has at most one
arc in, and at most one out. (Arcs in a circle that the path does not touch satisfy the clauses too. They change
nothing: only where the path begins and ends counts afterwards.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from .formula import Formula
from .layers import Clause, not_both


class PathFormula(Formula):
    """Variables of a step: `begins` and `ends` by place, `arc` by place and direction; then as in `Formula`."""

    def _number_moves(self, first: int) -> int:
        count = len(self.places.cells)
        self.begins, first = range(first, first + count), first + count
        self.ends, first = range(first, first + count), first + count
        self.arc: dict[tuple[int, int], int] = {}
        for place, near in enumerate(self.places.next):
            for there in near.values():
                self.limits.tick()
                self.arc[place, there], first = first, first + 1
        return first

    def _number_counted(self, first: int) -> int:
        return first

    def _step(self) -> Iterator[Clause]:
        """What is true of two positions in a row and of the move between them."""
        cells, after = self.places.cells, self.stride
        adds: dict[int, list[int]] = {}
        takes: dict[int, list[int]] = {}
        for k, kind in enumerate(self.places.kinds):
            over: dict[tuple[int, int], list[int]] = {}
            for place in kind.places:
                for cell in cells[place]:
                    over.setdefault(cell, []).append(place)
            begins, ends = [self.begins[p] for p in kind.places], [self.ends[p] for p in kind.places]
            yield (-self.moved[k], *begins)  # 16: a kind that moves begins somewhere and ends somewhere,
            yield (-self.moved[k], *ends)
            yield from not_both(begins)  # 16: in one place each,
            yield from not_both(ends)
            for place in kind.places:
                begin, end, here = self.begins[place], self.ends[place], self.stands[place]
                out = [self.arc[place, there] for there in self.places.next[place].values()]
                into = [self.arc[there, place] for there in self.places.next[place].values()]
                yield (-begin, self.moved[k])  # 16: and what begins or ends is its move
                yield (-end, self.moved[k])
                yield (-begin, here)  # 17: before the move a piece stands where it begins,
                yield (-end, here + after)  # 17: after it, where it ends,
                yield (-begin, -here - after)  # 17: and not where it began any more
                yield from not_both([*out, end])  # 18: from a place the path goes one way at most, or ends,
                yield from not_both([*into, begin])  # 18: and it comes to it one way at most, or begins
                for x in (begin, *into):
                    yield (-x, *out, *([end] if x != begin else []))  # 19: what begins or comes goes on, or ends;
                for x in (end, *out):
                    yield (-x, *into, *([begin] if x != end else []))  # 19: what ends or goes on has come, or begins
                for cell in sorted(cells[place]):
                    gone = [self.ends[p] for p in over[cell]]
                    yield (-begin, self.free[cell] + after, *gone)  # 17: cells that it left, and not entered, are free
                    takes.setdefault(self.free[cell], []).append(end)
                    adds.setdefault(self.free[cell], []).append(begin)
                adds.setdefault(here, []).append(end)
                takes.setdefault(here, []).append(begin)
                for there in self.places.next[place].values():
                    arc = self.arc[place, there]
                    yield (-arc, self.moved[k])  # 20: an arc is one of the kind that moves,
                    for cell in sorted(cells[there] - cells[place]):  # 20: into cells that are free, or that the
                        own = [self.begins[p] for p in over[cell]]  # piece itself covered where it began
                        yield (-arc, self.free[cell], *own)
        yield from self._frame(adds, takes)

    def _made(self, kind: int, start: int, end: int, covered: set[tuple[int, int]]) -> Iterator[int]:
        others, came = covered - self.places.cells[start], {start: start}
        queue = deque([start])
        while end not in came:
            here = queue.popleft()
            for there in self.places.next[here].values():
                if there not in came and others.isdisjoint(self.places.cells[there]):
                    came[there] = here
                    queue.append(there)
        yield self.begins[start]
        yield self.ends[end]
        while end != start:
            yield self.arc[came[end], end]
            end = came[end]
