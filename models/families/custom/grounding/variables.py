"""The variables of the state, by number, and terms over them.

A variable is a place of a table, `at[wolf]`; its values are the bits of a mask. What the compiler does is counted here
too, so that a definition that falls into too many cases ends with a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TypeVar

from ....errors import GroundingError
from ....task import MAX_OPERATORS
from ....watching import progress_callback
from ..language.expressions import Value
from ..language.values import COMPARISONS
from ..puzzle import Custom, Part, Place

# Terms, which restrict variables to some of their values.

Term = dict[int, int]
"""A set of states: for some variables a mask of the values that they may have; all others are free."""

TRUE, FALSE, UNTRUE, UNFALSE = "true", "false", "untrue", "unfalse"
"""The truth values that can be wanted of a condition; see `cases`."""

NEGATED = {TRUE: FALSE, FALSE: TRUE, UNTRUE: UNFALSE, UNFALSE: UNTRUE}


FEW = 6
"""Up to this many terms, a quick comparison of all pairs decides whether any two could be merged."""


def merged(terms: list[Term]) -> list[Term]:
    """Fewer terms for the same states: those that differ in one variable only become one.

    {a: 1, b: 2} and {a: 1, b: 4} are {a: 1, b: 6}.
    """
    if len(terms) > 500:
        return terms
    same = terms[0].keys()
    if any(term.keys() != same for term in terms):
        return terms
    # Of a few terms, it is quicker to see whether any two differ in one variable only: most often, none do.
    if len(terms) <= FEW and all(len(a.items() ^ b.items()) > 2 for a, b in combinations(terms, 2)):
        return terms
    for variable in terms[0]:
        if len({term[variable] for term in terms}) == 1:
            continue
        masks: dict[frozenset[tuple[int, int]], int] = {}
        whole: dict[frozenset[tuple[int, int]], Term] = {}
        for term in terms:
            rest = frozenset(item for item in term.items() if item[0] != variable)
            masks[rest] = masks.get(rest, 0) | term[variable]
            whole.setdefault(rest, term)
        if len(masks) < len(terms):
            terms = [{**whole[rest], variable: mask} for rest, mask in masks.items()]
    return terms


def wants_true(want: str) -> bool:
    """Whether a wanted truth value is met by true: `TRUE` or `UNFALSE`."""
    return want in (TRUE, UNFALSE)


def is_wanted(value: Value | None, want: str) -> bool:
    if value is None:
        return want in (UNTRUE, UNFALSE)
    return bool(value) == (want in (TRUE, UNFALSE))


def bits(mask: int) -> list[int]:
    """The numbers of the bits of a mask."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places


MAX_WORK = 8_000_000
"""The most steps of the compiler for one puzzle: about five to twenty seconds."""


WORK_TO_ESTIMATE = 200_000
"""After so many steps (0.3 s) each loop estimates its end: the work of this turn, times the turns that are left."""

FAR_TOO_MANY = 2
"""An estimate ends the work if it says that the effort would be spent this often. That saves most of it: `flood-4x4`
ends at 1.1 million steps and not at 8, `slitherlink-3x3` at 2.0, `folding-9` at 0.4. What can be enumerated with 6.4
million, `folding-5`, is enumerated as before.
"""

WORK_OF_A_LOOK = 2_000
"""Steps of the compiler between two looks at the clock: about ten milliseconds."""


MANY = 2_000
"""Operators between two looks at the clock, once they are found."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Effort:
    """At what size enumerating is given up: operators that are found, and steps of the compiler."""

    operators: int
    steps: int


MAX_TERMS = 50_000
"""The most cases (terms) into which one condition or effect may be split."""


PIECEMEAL = "ask less at once: let actions of cost 0 look at one thing after the other, or keep the answer in the state"
"""What to do with a condition that falls into too many cases (docs/custom-families.md)."""


class Variables:
    """The variables of a puzzle.

    `overlay`: values of variables that are read in place of the state. `doing`: the part of the file that is compiled.
    """

    def __init__(self, puzzle: Custom, effort: Effort | None = None) -> None:
        self.puzzle, self.effort = puzzle, effort or Effort(MAX_OPERATORS, MAX_WORK)
        self.places: list[Place] = [(t.name, args) for t in puzzle.state.values() for args in t.values]
        self.at: dict[str, dict[tuple[Value, ...], int]] = {}  # the variables of each table, by its arguments
        self._at_single: dict[str, dict[Value, int]] = {}
        self.number_of: dict[str, dict[Value, int]] = {}  # the numbers of the values of each table
        # Of each variable: its values, all of them as a mask, and the bit of each. One object serves a whole table.
        self.values: list[tuple[Value, ...]] = []
        self.full: list[int] = []
        self.bit: list[dict[Value, int]] = []
        self.siblings: dict[int, list[int]] = {}  # the other variables of a table whose values are all different
        for table in puzzle.state.values():
            first, count, values = len(self.full), len(table.values), table.domain.values
            self.at[table.name] = dict(zip(table.values, range(first, first + count), strict=True))
            self.number_of[table.name] = {value: number for number, value in enumerate(values)}
            self.values += [values] * count
            self.full += [(1 << len(values)) - 1] * count
            self.bit += [{value: 1 << number for number, value in enumerate(values)}] * count
            if table.different:
                own = range(first, first + count)
                self.siblings.update((v, [w for w in own if w != v]) for v in own)
        self.overlay: dict[int, Value] = {}
        self.places_varying: set[int] = set()
        self.work = 0
        self.doing: Part = ()
        self.found: Counter[str] = Counter()  # changes so far, by action; each will be an operator, or several
        self._on_progress, self.next_look = progress_callback(), 0
        self._turn = 0, 0  # of a loop: the work when the turn began, and how many turns are left

    def at_single(self, table: str) -> dict[Value, int]:
        """The variables of a table of one argument, by that."""
        if table not in self._at_single:
            self._at_single[table] = {args[0]: number for args, number in self.at[table].items()}
        return self._at_single[table]

    def start(self) -> list[int]:
        """The number of the initial value of each variable."""
        tables = self.puzzle.state.values()
        return [self.number_of[table.name][value] for table in tables for value in table.values.values()]

    # Work

    def count(self, amount: int = 1) -> None:
        self.work += amount
        if self.work > self.next_look:
            self.next_look = min(self.work + WORK_OF_A_LOOK, self.effort.steps)
            self.look()
            if self.work > self.effort.steps or self._hopeless():
                raise self.error("falls into too many cases", "say less in one action, or use smaller ranges")

    def turns(self, several: Sequence[T]) -> Iterator[T]:
        """The turns of a loop each of which splits the cases that those before it have found, so that turns get dearer.
        So the work of one turn, as far as it is done, is a cautious estimate of each that is left. Ends the work where
        these would be far too much.
        """
        for number, turn in enumerate(several, 1):
            self._turn = self.work, len(several) - number
            yield turn
        self._turn = 0, 0

    def _hopeless(self) -> bool:
        began, turns = self._turn
        return self.work > WORK_TO_ESTIMATE and (self.work - began) * turns > FAR_TOO_MANY * self.effort.steps

    def look(self) -> None:
        """Report the operators that were found so far, or the cases that were tried if there are none yet, and let
        whoever watches end it (`models.watching`).
        """
        if self.doing and self.doing[0] == "actions":
            action = str(self.doing[1])
            made = self.found[action]
            count, of = (made, "operators" if made > 1 else "operator") if made else (self.work, "cases")
            self._on_progress(count, f"{of} of the action `{action}`")
        else:
            self._on_progress(self.found.total(), "operators")

    def looking(self, several: Sequence[T]) -> Iterator[T]:
        """What is given, with a look now and then."""
        return chain.from_iterable(self._in_parts(several))

    def _in_parts(self, several: Sequence[T]) -> Iterator[Sequence[T]]:
        for first in range(0, len(several), MANY):
            self.look()
            yield several[first : first + MANY]

    def error(self, message: str, hint: str) -> GroundingError:
        """An error in the part of the file that is compiled."""
        return self.puzzle.error(self.doing, message, hint)

    def limited(self, number: int) -> None:
        """Raise an error if what is compiled falls into more cases than `MAX_TERMS`."""
        if number > MAX_TERMS:
            raise self.error(f"falls into more than {MAX_TERMS:,} cases", PIECEMEAL)

    def bounded(self, terms: list[Term]) -> list[Term]:
        """The terms without duplicates, merged where they can be. Raises an error if there are too many."""
        if len(terms) < 2:
            return terms
        self.count(len(terms))
        self.limited(len(terms))
        return merged(list({frozenset(term.items()): term for term in terms}.values()))

    # Terms

    def mask(self, variable: int, term: Term) -> int:
        """The values (a mask) that a variable may have in a term, minus those taken by variables that must differ
        from it.
        """
        mask = term.get(variable, self.full[variable])
        if mask & (mask - 1):
            for other in self.siblings.get(variable, ()):
                taken = term.get(other, 0)
                if taken & (taken - 1) == 0:
                    mask &= ~taken
        return mask

    def passing(self, variable: int, test: Callable[[Value], bool]) -> int:
        """The values (a mask) of a variable for which `test` is true."""
        return sum(b for value, b in self.bit[variable].items() if test(value))

    def accepted(self, variable: int, op: str, value: Value) -> int:
        """The values (a mask) of a variable for which `variable op value` is true."""
        if op in ("==", "!="):
            equal = self.bit[variable].get(value, 0)
            return equal if op == "==" else self.full[variable] & ~equal
        return self.passing(variable, lambda own: COMPARISONS[op](own, value))

    def literal(self, variable: int, accepted: int, term: Term, yes: bool) -> list[Term]:
        """The states of a term in which a variable has one of the accepted values (`yes`) or another one: one term,
        or no term.
        """
        if variable in self.overlay:
            return [term] if bool(self.bit[variable][self.overlay[variable]] & accepted) == yes else []
        mask = self.mask(variable, term)
        kept = mask & accepted if yes else mask & ~accepted
        if kept == mask:
            return [term]
        return [{**term, variable: kept}] if kept else []
