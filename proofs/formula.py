"""The clauses that say "there is a plan of at most H moves", for a board of pieces in `steps` or `slides`.

(`formula_paths` has those for `moves`, where a piece goes along any path in one move.)

Every clause is one sentence that is true of every legal play (the numbers are those of `docs/certificates.md`). So a
play that reaches the goal satisfies them all: **if they cannot all be true, there is no plan.** That is all that
soundness needs; a clause that were missing would only make the refutation harder.

Variables of a layer: `stands` (a piece of the kind stands on the place) by place, `free` by cell. Variables of a step:
`begins` and `ends` by place (the move begins, or ends, there), `moved` by kind, `idle`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

from .core.formula import Clause, not_both
from .core.limits import Limits
from .layers import Layers
from .pieces import Kind, PiecePuzzle, Places
from .reading import Cell


@dataclass(frozen=True, slots=True)
class PieceMove:
    """A move from a place to another. The cells of `needs` have to be free before it: what it sweeps. Those of `clears`
    are free after it: what it leaves, and what it sweeps and does not cover at its end."""

    start: int
    end: int
    needs: frozenset[Cell]
    clears: frozenset[Cell]


class SequentialFormula(Layers):
    """The clauses of a board for plans of at most `at_most` moves. `clauses()` gives them in order, always the same."""

    def __init__(self, board: PiecePuzzle, count: str, at_most: int, limits: Limits) -> None:
        self.places, self.at_most, self.limits, self.count = Places(board, limits), at_most, limits, count
        first = 1
        self.stands = range(first, first := first + len(self.places.cells))
        self.free = dict(
            zip(self.places.all_cells, range(first, first := first + len(self.places.all_cells)), strict=True)
        )
        self.facts = first - 1
        first = self._number_moves(first)
        self.moved = range(first, first + len(self.places.kinds))
        self.idle = self.stride = self.moved.stop

    def _number_moves(self, first: int) -> int:
        """Number the variables of the moves in step 0; gives the next free number."""
        self._list_moves()
        return self._number_ends(first)

    def _list_moves(self) -> None:
        """List the moves that leave each place, and those that reach it."""
        self.leaving: list[list[PieceMove]] = [[] for _ in self.places.cells]
        self.coming: list[list[PieceMove]] = [[] for _ in self.places.cells]
        for action in actions_of(self.places, self.count, self.limits):
            self.leaving[action.start].append(action)
            self.coming[action.end].append(action)

    def _number_ends(self, first: int) -> int:
        """Number the variables for the places where moves begin and end."""
        count = len(self.places.cells)
        self.begins, self.ends = range(first, first + count), range(first + count, first + 2 * count)
        return self.ends.stop

    def _start(self) -> Iterator[Clause]:
        """1: layer 0 is the start."""
        start, covered = set(self.places.start), {c for p in self.places.start for c in self.places.cells[p]}
        for place, x in enumerate(self.stands):
            yield (x,) if place in start else (-x,)
        for cell, x in self.free.items():
            yield (-x,) if cell in covered else (x,)

    def _layer(self) -> Iterator[Clause]:
        """Clauses that hold in each single position."""
        for kind in self.places.kinds:
            here = [self.stands[place] for place in kind.places]
            yield tuple(here)  # 2: a piece of each kind stands somewhere
            if len(kind.start) == 1:
                yield from not_both(here)  # 3: a piece stands in one place only
        single = {p: k for k, kind in enumerate(self.places.kinds) if len(kind.start) == 1 for p in kind.places}
        told = set()
        for cell, places in self._over().items():
            self.limits.tick(len(places) ** 2 // 8)
            yield (self.free[cell], *(self.stands[p] for p in places))  # 4: a cell is free or covered
            for p in places:
                yield (-self.free[cell], -self.stands[p])  # 5: a cell that is covered is not free
            for p, q in combinations(places, 2):
                if (p not in single or single[p] != single.get(q)) and (p, q) not in told:
                    told.add((p, q))
                    yield (-self.stands[p], -self.stands[q])  # 6: two pieces do not cover one cell
        yield from self._lanes()

    def _over(self) -> dict[Cell, list[int]]:
        """The places that cover each cell."""
        over: dict[Cell, list[int]] = {cell: [] for cell in self.free}
        for place, cells in enumerate(self.places.cells):
            self.limits.tick(len(cells))
            for cell in cells:
                over[cell].append(place)
        return over

    def _lanes(self) -> Iterator[Clause]:
        """7: pieces that only move along the same row (or column) never pass each other."""
        cells = self.places.cells
        lanes: dict[tuple[int, ...], list[Kind]] = {}
        for kind in self.places.kinds:
            axis = {"LR": 0, "UD": 1}.get(kind.ways, 2)
            line = {cell[axis] for place in kind.places for cell in cells[place]} if axis < 2 else set()
            if len(kind.start) == 1 and len(line) == 1:
                lanes.setdefault((axis, *line), []).append(kind)
        for kinds in lanes.values():
            for one, two in combinations(sorted(kinds, key=lambda kind: min(cells[kind.start[0]])), 2):
                self.limits.tick(len(one.places) * len(two.places))
                for p, q in product(one.places, two.places):
                    if min(cells[q]) <= min(cells[p]) and cells[p].isdisjoint(cells[q]):
                        yield (-self.stands[p], -self.stands[q])

    def _step(self) -> Iterator[Clause]:
        """Clauses that hold for two successive positions and the move between them."""
        after = self.stride
        for k, kind in enumerate(self.places.kinds):
            begins, ends = [self.begins[p] for p in kind.places], [self.ends[p] for p in kind.places]
            for some in (begins, ends):
                yield (-self.moved[k], *some)  # 8: a kind that moves begins somewhere and ends somewhere,
                if len(kind.start) > 1:
                    yield from not_both(some)  # 8: in one place each;
            for place in kind.places:
                here, there = self.stands[place], self.stands[place] + after
                for x, before, then in ((self.begins[place], here, -there), (self.ends[place], -here, there)):
                    yield (-x, self.moved[k])  # 8: what begins or ends is its move
                    yield (-x, before)  # 9: where a move begins, a piece stands before it
                    yield (-x, then)  # 9: and not after it; and the other way round where it ends
            yield from self._route(k)
        yield from self._frame()

    def _route(self, k: int) -> Iterator[Clause]:
        """10 and 11: between which places a kind can move, and through which cells."""
        for place in self.places.kinds[k].places:
            begin, end = self.begins[place], self.ends[place]
            yield (-begin, *(self.ends[a.end] for a in self.leaving[place]))  # 10: a move ends where one leads
            for cell in cells_of(a.needs for a in self.leaving[place]):  # 10: and sweeps free cells only
                spared = [self.ends[a.end] for a in self.leaving[place] if cell not in a.needs]
                yield (-begin, self.free[cell], *spared)
            yield (-end, *(self.begins[a.start] for a in self.coming[place]))  # 11: it begins where one leads here
            for cell in cells_of(a.clears for a in self.coming[place]):  # 11: and leaves free cells behind
                spared = [self.begins[a.start] for a in self.coming[place] if cell not in a.clears]
                yield (-end, self.free[cell] + self.stride, *spared)

    def _frame(self) -> Iterator[Clause]:
        """12 and 13: one kind moves in each step, and everything else stays."""
        after, over = self.stride, self._over()
        yield from not_both([*self.moved, self.idle])  # 12: one kind moves, or the step is idle,
        yield (*self.moved, self.idle)  # 12: and there is no third
        for here, begin, end in zip(self.stands, self.begins, self.ends, strict=True):
            yield (-here - after, here, end)  # 13: where a piece comes to stand, a move has ended;
            yield (-here, here + after, begin)  # 13: where none stands any more, one has begun
        for cell, x in self.free.items():
            yield (-x - after, x, *(self.begins[p] for p in over[cell]))  # 13: the same of what becomes free,
            yield (-x, x + after, *(self.ends[p] for p in over[cell]))  # 13: and of what is covered

    def goal(self) -> Iterator[Clause]:
        """15: in the last layer every part of the goal holds."""
        for wished in self.places.wished:
            yield tuple(self.stands[place] for place in wished)

    def model(self, plan: list[tuple[int, int]]) -> set[int]:
        """The variables that a plan makes true; each move is given as the places that its piece leaves and reaches."""
        position, true = list(self.places.start), set[int]()
        for t in range(self.at_most + 1):
            shift = t * self.stride
            covered = {c for p in position for c in self.places.cells[p]}
            true |= {self.stands[p] + shift for p in position}
            true |= {x + shift for c, x in self.free.items() if c not in covered}
            if t < len(plan) and t < self.at_most:
                start, end = plan[t]
                kind = next(k for k, kind in enumerate(self.places.kinds) if start in kind.places)
                true |= {x + shift for x in (self.moved[kind], *self._made(start, end, covered))}
                position[position.index(start)] = end
            elif t < self.at_most:
                true.add(self.idle + shift)
        return true

    def _made(self, start: int, end: int, _covered: set[Cell]) -> Iterator[int]:
        """The variables of step 0 that are true if a piece moves from one place to another."""
        yield from (self.begins[start], self.ends[end])


def cells_of(parts: Iterable[frozenset[Cell]]) -> list[Cell]:
    """All cells of some sets, in reading order."""
    return sorted(frozenset().union(*parts))


def actions_of(places: Places, count: str, limits: Limits) -> Iterator[PieceMove]:
    """All moves: a step goes to a neighbouring place, a slide any distance along a straight line."""
    for start, near in enumerate(places.next):
        for way in near:
            swept: frozenset[Cell] = frozenset()
            for end in places.line(start, way)[: 1 if count == "steps" else None]:
                swept |= places.cells[end]
                clears = (swept | places.cells[start]) - places.cells[end]
                limits.tick(1 + len(swept))
                limits.hold(400 + 64 * (len(swept) + len(clears)))
                yield PieceMove(start, end, swept - places.cells[start], clears)
