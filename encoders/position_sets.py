"""Literals for sets of positions: the order encoding of where an object is.

That an operator leads an object from p to q is `p[t] and q[t+1]`. What many operators require together takes one clause
if there is a literal for "the object is at one of these positions". A vehicle of two cells in a row of eight has the
positions 1 to 7, by its left cell:

    cell        1 2 3 4 5 6 7 8
    A = {1, 2, 3}             it is left of cell 5: it covers 1 and 2, or 2 and 3, or 3 and 4
    P - A = {4, 5, 6, 7}      it covers cell 5, or is right of it

Every slide from A to the rest requires that cell 5 is free. These are 3 x 4 operators and one clause,

    A[t] and not A[t+1] -> free5[t]

A *rectangle* of a fact r is a pair (A, B) of sets of positions such that every operator from A to B requires r. Those
of one fact are grouped by B; a fact of a lane has two, from the left and from the right. A set and its complement P - A
share a literal, as an object has exactly one position. In a lane all sets are prefixes {1..k}, and their literals are
the order encoding of the position (Crawford and Baker, *Experimental results on the application of satisfiability
algorithms to scheduling problems*, AAAI 1994; Tamura, Taga, Kitagawa and Banbara, *Compiling finite linear CSP into
SAT*, Constraints 14, 2009). A clause learnt over them speaks of many positions at once, too: that, more than the number
of clauses, is what they save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..analysis.parallel_moves import Choice, ParallelMoves
from .clause_template import ClauseTemplate
from .formula import TRUE, Formula, Literals

Positions = frozenset[int]
"""Position facts of one object."""


class MoveRectangle(NamedTuple):
    """A rectangle of choices: every choice from a position of `before` to a position of `after` requires the same
    fact.
    """

    before: Positions
    after: Positions


def rectangles(
    choices: Iterable[Choice], required: Callable[[Choice], Iterable[int]]
) -> dict[int, list[MoveRectangle]]:
    """The rectangles of each fact that some choices of an object require: together they hold these choices and no
    others.
    """
    # Positions with the same targets are the left side of one rectangle: {1,2,3} -> {4..7} in the drawing above.
    leading: dict[int, dict[int, set[int]]] = {}  # fact -> before -> all after
    for choice in choices:
        for fact in required(choice):
            leading.setdefault(fact, {}).setdefault(choice.before, set()).add(choice.after)
    of_fact: dict[int, list[MoveRectangle]] = {}
    for fact, to in leading.items():
        by_after: dict[Positions, set[int]] = {}
        for before, after in to.items():
            by_after.setdefault(frozenset(after), set()).add(before)
        of_fact[fact] = [MoveRectangle(frozenset(before), after) for after, before in by_after.items()]
    return of_fact


class PositionSets:
    """The sets of positions that have a literal of their own in every layer, for a task with F facts.

    A layer is an array of literals: those of the facts, then those of the S sets.
    """

    def __init__(self, facts: int, moves: ParallelMoves, wanted: Iterable[Positions]) -> None:
        """`wanted`: sets that need a literal; those of one position, and of all but one, have one already."""
        self.facts = facts
        self._all = [frozenset(moved.facts) for moved in moves.objects]
        self._owner = {f: number for number, moved in enumerate(moves.objects) for f in moved.facts}
        self._first = [moved.facts[0] for moved in moves.objects]
        named = {self._named(part): None for part in wanted if 1 < len(part) < len(self._whole(part)) - 1}
        self._index = {part: facts + number for number, part in enumerate(named)}
        self._template = self._written()

    @property
    def size(self) -> int:
        """The number of literals of a layer: F for facts, S for sets of positions."""
        return self.facts + len(self._index)

    def add(self, formula: Formula, facts: Literals) -> Literals:
        """The layer (F + S) of these facts (F), with new literals for the sets."""
        return np.concatenate([facts, self._template.add(formula, facts)])

    def literal(self, layer: Sequence[int], positions: Positions) -> int:
        """The literal that the object is at one of these positions: that of the set, or of its complement, negated."""
        rest = self._whole(positions) - positions
        if not rest:
            return TRUE
        if len(positions) == 1:
            return layer[next(iter(positions))]
        if len(rest) == 1:
            return ~layer[next(iter(rest))]
        named = self._named(positions)
        return layer[self._index[named]] if named == positions else ~layer[self._index[named]]

    def _whole(self, positions: Positions) -> Positions:
        return self._all[self._owner[next(iter(positions))]]

    def _named(self, positions: Positions) -> Positions:
        """The set or its complement, whichever has the object's first position; in a lane these are the prefixes."""
        owner = self._owner[next(iter(positions))]
        return positions if self._first[owner] in positions else self._all[owner] - positions

    def _written(self) -> ClauseTemplate:
        """The clauses of a layer, once: A -> B for the least supersets B of a set A, p -> A for the least sets with p,
        p -> not A for the largest sets without p. The others follow by unit propagation.
        """
        formula = Formula()
        layer = [formula.variable() for _ in range(self.size)]
        by_owner: dict[int, list[Positions]] = {}
        for part in self._index:
            by_owner.setdefault(self._owner[next(iter(part))], []).append(part)
        for owner, sets in by_owner.items():
            for part in sets:
                for wider in _least([other for other in sets if part < other]):
                    formula.implies(layer[self._index[part]], [layer[self._index[wider]]])
            for p in sorted(self._all[owner]):
                inside, outside = [part for part in sets if p in part], [part for part in sets if p not in part]
                formula.implies(layer[p], [layer[self._index[part]] for part in _least(inside)])
                formula.implies(layer[p], [~layer[self._index[part]] for part in _largest(outside)])
        return ClauseTemplate(formula, self.facts, layer[self.facts :])


def _least(sets: Sequence[Positions]) -> list[Positions]:
    return [each for each in sets if not any(other < each for other in sets)]


def _largest(sets: Sequence[Positions]) -> list[Positions]:
    return [each for each in sets if not any(each < other for other in sets)]
