"""The clauses that say "there is a plan of at most H moves", for a board of pieces in `steps` or `slides`.

(`formula_paths` has those for `moves`, where a piece goes along any path in one move.)

Every clause is one sentence that is true of every legal play (the numbers are those of `docs/certificates.md`). So a
play that reaches the goal satisfies them all: **if they cannot all be true, there is no plan.** That is all that
soundness needs; a clause that were missing would only make the refutation harder.

Variables of a layer: `stands` (a piece of the kind stands on the place) by place, `free` by cell. Variables of a step:
one for each move, `moved` by kind, `idle`, and for kinds of several pieces `counted` (see 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from .layers import Clause, Layers, not_both
from .limits import Limits
from .pieces import Board, Kind, Places


@dataclass(frozen=True, slots=True)
class Action:
    """A move of a kind from a place to another: `needs` the cells that it sweeps to be free."""

    kind: int
    start: int
    end: int
    needs: frozenset[tuple[int, int]]


class Formula(Layers):
    """The clauses of a board for plans of at most `at_most` moves. `clauses()` gives them in order, always the same."""

    def __init__(self, board: Board, count: str, at_most: int, limits: Limits) -> None:
        self.places, self.at_most, self.limits, self.count = Places(board, limits), at_most, limits, count
        first = 1
        self.stands = range(first, first := first + len(self.places.cells))
        self.free = dict(
            zip(self.places.all_cells, range(first, first := first + len(self.places.all_cells)), strict=True)
        )
        self.facts = first - 1
        first = self._number_moves(first)
        self.moved = range(first, first := first + len(self.places.kinds))
        self.idle, first = first, first + 1
        self.stride = self._number_counted(first) - 1

    def _number_moves(self, first: int) -> int:
        """Give the moves of step 0 their variables; the next free number."""
        self.actions = list(actions_of(self.places, self.count, self.limits))
        self.action = range(first, first + len(self.actions))
        return self.action.stop

    def _number_counted(self, first: int) -> int:
        """The same of `counted`."""
        self.counted: dict[int, int] = {}
        for i, action in enumerate(self.actions):
            if len(self.places.kinds[action.kind].start) > 1:
                self.counted[i], first = first, first + 1
        return first

    def _start(self) -> Iterator[Clause]:
        """1: layer 0 is the start."""
        start, covered = set(self.places.start), {c for p in self.places.start for c in self.places.cells[p]}
        for place, x in enumerate(self.stands):
            yield (x,) if place in start else (-x,)
        for cell, x in self.free.items():
            yield (-x,) if cell in covered else (x,)

    def _layer(self) -> Iterator[Clause]:
        """What is true of a single position."""
        for kind in self.places.kinds:
            here = [self.stands[place] for place in kind.places]
            yield tuple(here)  # 2: a piece of each kind stands somewhere
            if len(kind.start) == 1:
                yield from not_both(here)  # 3: a piece stands in one place only
        single = {p: k for k, kind in enumerate(self.places.kinds) if len(kind.start) == 1 for p in kind.places}
        over: dict[tuple[int, int], list[int]] = {cell: [] for cell in self.free}
        for place, cells in enumerate(self.places.cells):
            for cell in cells:
                over[cell].append(place)
        told = set()
        for cell, places in over.items():
            yield (self.free[cell], *(self.stands[p] for p in places))  # 4: a cell is free or covered
            for p in places:
                yield (-self.free[cell], -self.stands[p])  # 5: a cell that is covered is not free
            for p, q in combinations(places, 2):
                if (p not in single or single[p] != single.get(q)) and (p, q) not in told:
                    told.add((p, q))
                    yield (-self.stands[p], -self.stands[q])  # 6: two pieces do not cover one cell
        yield from self._lanes()

    def _lanes(self) -> Iterator[Clause]:
        """7: two pieces of one row that move along it only do not pass each other (nor two of one column)."""
        cells = self.places.cells
        lanes: dict[tuple[int, ...], list[Kind]] = {}
        for kind in self.places.kinds:
            axis = {"LR": 0, "UD": 1}.get(kind.ways, 2)
            line = {cell[axis] for place in kind.places for cell in cells[place]} if axis < 2 else set()
            if len(kind.start) == 1 and len(line) == 1:
                lanes.setdefault((axis, *line), []).append(kind)
        for kinds in lanes.values():
            for one, two in combinations(sorted(kinds, key=lambda kind: min(cells[kind.start[0]])), 2):
                for p, q in product(one.places, two.places):
                    if min(cells[q]) <= min(cells[p]) and cells[p].isdisjoint(cells[q]):
                        yield (-self.stands[p], -self.stands[q])

    def _step(self) -> Iterator[Clause]:
        """What is true of two positions in a row and what was done between them."""
        cells, after = self.places.cells, self.stride
        adds: dict[int, list[int]] = {}
        takes: dict[int, list[int]] = {}
        of_kind: list[list[int]] = [[] for _ in self.places.kinds]
        for action, x in zip(self.actions, self.action, strict=True):
            start, end = self.stands[action.start], self.stands[action.end]
            left = [self.free[c] for c in sorted(cells[action.start] - cells[action.end])]
            entered = [self.free[c] for c in sorted(cells[action.end] - cells[action.start])]
            yield (-x, self.moved[action.kind])  # 8: a move is a move of its kind
            yield (-x, start)  # 9: before a move its piece stands where the move begins,
            for cell in sorted(action.needs):
                yield (-x, self.free[cell])  # 9: and the cells that it sweeps are free
            yield (-x, end + after)  # 10: after a move its piece stands where the move ends,
            for f in left:
                yield (-x, f + after)  # 10: and the cells that it left are free
            for fact in (start, *entered):
                yield (-x, -fact - after)  # 10: and its start and the cells that it entered are not free for others
            for fact in (end, *left):
                adds.setdefault(fact, []).append(x)
            for fact in (start, *entered):
                takes.setdefault(fact, []).append(x)
            of_kind[action.kind].append(x)
        for kind, moves in enumerate(of_kind):
            yield (-self.moved[kind], *moves)  # 8: a kind moves by one of its moves
            if len(self.places.kinds[kind].start) > 1:
                yield from self._one_of(moves)
        yield from self._frame(adds, takes)

    def _frame(self, adds: dict[int, list[int]], takes: dict[int, list[int]]) -> Iterator[Clause]:
        """Who moves, and what changes; `adds` and `takes`: what makes a fact true or false."""
        yield from not_both([*self.moved, self.idle])  # 12: one kind moves, or the step is idle,
        yield (*self.moved, self.idle)  # 12: and there is no third
        for fact in range(1, self.facts + 1):
            after = fact + self.stride
            yield (-after, fact, *adds.get(fact, ()))  # 13: what is true now and was not, a move made true;
            yield (-fact, after, *takes.get(fact, ()))  # 13: what is not true any more, a move has ended

    def _one_of(self, moves: list[int]) -> Iterator[Clause]:
        """11: one piece of a kind of several moves. `counted` of a move: it is made, or one before it in the list."""
        counted = [self.counted[x - self.action[0]] for x in moves]
        for x, so_far in zip(moves, counted, strict=True):
            yield (-x, so_far)
        for (before, so_far), x in zip(pairwise(counted), moves[1:], strict=False):
            yield (-before, so_far)
            yield (-before, -x)

    def goal(self) -> Iterator[Clause]:
        """15: in the last layer every wish holds."""
        for wished in self.places.wished:
            yield tuple(self.stands[place] for place in wished)

    def model(self, plan: list[tuple[int, int]]) -> set[int]:
        """The variables that are true in a play: each move the places that its piece leaves and enters."""
        position, true = list(self.places.start), set[int]()
        for t in range(self.at_most + 1):
            shift = t * self.stride
            covered = {c for p in position for c in self.places.cells[p]}
            true |= {self.stands[p] + shift for p in position}
            true |= {x + shift for c, x in self.free.items() if c not in covered}
            if t < len(plan) and t < self.at_most:
                start, end = plan[t]
                kind = next(k for k, kind in enumerate(self.places.kinds) if start in kind.places)
                true |= {x + shift for x in (self.moved[kind], *self._made(kind, start, end, covered))}
                position[position.index(start)] = end
            elif t < self.at_most:
                true.add(self.idle + shift)
        return true

    def _made(self, kind: int, start: int, end: int, covered: set[tuple[int, int]]) -> Iterator[int]:
        """The variables of step 0 that are true when a piece of a kind goes from a place to another."""
        made = next(i for i, action in enumerate(self.actions) if (action.start, action.end) == (start, end))
        yield self.action[made]
        yield from (x for i, x in self.counted.items() if i >= made and self.actions[i].kind == kind)


def actions_of(places: Places, count: str, limits: Limits) -> Iterator[Action]:
    """Every move of every kind, by kind and place. A step is to a neighbouring place, a slide along a straight line."""
    for k, kind in enumerate(places.kinds):
        for start in kind.places:
            for way in places.next[start]:
                swept: frozenset[tuple[int, int]] = frozenset()
                for end in places.line(start, way)[: 1 if count == "steps" else None]:
                    limits.tick()
                    limits.hold(300)
                    swept |= places.cells[end]
                    yield Action(k, start, end, swept - places.cells[start])
