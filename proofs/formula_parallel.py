"""The clauses that say "there is a plan of at most H moves", with steps in which several pieces may move.

In `formula` a step is one move, and a proof has to show that k moves do not fit into k - 1 steps: a pigeonhole
argument, which is long in resolution (Haken, *The intractability of resolution*, 1985). Here nothing says that one
piece moves at a time; the moves of each piece are counted over all steps, and the counts are added.

Each clause is true of every legal play of at most H moves that makes one move a step, so soundness is as in `formula`.
And where the clauses can all be true there is a plan: by 33 and 34, two moves of a step have no cell in common but some
that both sweep, free before and after; so they can be made one after the other, in any order.

There are no variables for moves. That a piece went from one place to another is said by the places in both layers, so
every kind has to have one piece.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.formula import Clause
from .core.limits import Limits, Unsupported
from .counting import Totals
from .formula import SequentialFormula, cells_of
from .pieces import PiecePuzzle
from .reading import Cell

COUNTS = ("steps", "slides")


class ParallelFormula(SequentialFormula):
    """Variables of a step: `moved` by kind, `idle`. Behind the last layer: those that count (`Totals`)."""

    def __init__(self, board: PiecePuzzle, count: str, at_most: int, limits: Limits) -> None:
        super().__init__(board, count, at_most, limits)
        if count not in COUNTS or any(len(kind.start) > 1 for kind in self.places.kinds):
            raise Unsupported("parallel steps are for slides and steps of pieces of which no two are alike")
        of_kind = (range(x, x + at_most * self.stride, self.stride) for x in self.moved)
        before = self.variables
        self.totals = Totals(of_kind, at_most * len(self.moved), at_most, before + 1, limits)
        self.extra = self.totals.last - before

    def _number_moves(self, first: int) -> int:
        self._list_moves()
        return first

    def _step(self) -> Iterator[Clause]:
        """Clauses that hold for two successive positions and the step between them."""
        after = self.stride
        for kind, moved in zip(self.places.kinds, self.moved, strict=True):
            for place in kind.places:
                here, there = self.stands[place], self.stands[place] + after
                ends = {action: self.stands[action.end] + after for action in self.leaving[place]}
                starts = {action: self.stands[action.start] for action in self.coming[place]}
                yield (-here, there, *ends.values())  # 32: a piece stays, or goes where a move leads,
                yield (-there, here, *starts.values())  # 32: and has stayed, or come from where a move leads here
                for cell in cells_of(a.needs for a in ends):
                    spared = [x for a, x in ends.items() if cell not in a.needs]
                    yield (-here, self.free[cell], there, *spared)  # 33: no move sweeps a cell that is covered
                for cell in cells_of(a.clears for a in starts):
                    spared = [x for a, x in starts.items() if cell not in a.clears]
                    yield (-there, self.free[cell] + after, here, *spared)  # 34: what a move cleared is free after it
                yield (-here, there, moved)  # 35: a piece that is gone from its place has moved,
                yield (-here, -there, -moved)  # 35: and one that is there has not
            yield (-self.idle, -moved)  # 36: in an idle step nothing moves,
        yield (self.idle, *self.moved)  # 36: in any other something does

    def _overall(self) -> Iterator[Clause]:
        """37: of one and of two sets of moves: at least i and at least j give at least i + j of both; and never H +
        1 of all.
        """
        yield from self.totals.clauses()

    def model(self, plan: list[tuple[int, int]]) -> set[int]:
        """The variables that a plan makes true; each move is given as the places that its piece leaves and reaches."""
        true = super().model(plan)
        for one, two, both in self.totals.sums:
            true |= set(both[: len(true.intersection(one)) + len(true.intersection(two))])
        return true

    def _made(self, _start: int, _end: int, _covered: set[Cell]) -> Iterator[int]:
        yield from ()
