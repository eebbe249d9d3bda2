"""Conditions in disjunctive normal form: quantifiers expanded, what never changes decided.

    (and (at t a) (or (free a) (free b)))     [{at t a, free a}, {at t a, free b}]

Atoms are numbered. The fact 2i + 1 says that atom i is true, 2i that it is not. A condition is a list of conjunctions,
the *ways* in which it is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import UsageError
from .problem import (
    AtomOf,
    Formula,
    GroundAtom,
    Junction,
    Names,
    Negation,
    Pddl,
    Quantified,
    SameObject,
    bindings,
    filled,
)

Conjunction = frozenset[int]
"""Facts that all hold."""

Dnf = list[Conjunction]
"""The ways in which a condition is true."""

ALWAYS: Dnf = [frozenset()]
"""The ways of what is true in every state."""


class LargeDnfError(UsageError):
    """A condition falls into more than `MAX_CONJUNCTIONS` ways of being true."""


MAX_CONJUNCTIONS = 5_000
"""The most ways into which one condition is split."""


@dataclass(frozen=True)
class ToDnf:
    """Makes conditions lists of conjunctions. `number`: of each atom that can become true. `steady`: the predicates
    that no action makes false. Atoms of these that are true at the start stay so.
    """

    puzzle: Pddl
    number: Mapping[GroundAtom, int]
    steady: frozenset[str]

    def of(self, formula: Formula, names: Names, yes: bool = True) -> Dnf:
        """The ways in which a formula is true (false, if not `yes`); none if it never is. Raises `LargeDnfError`."""
        match formula:
            case AtomOf():
                return self._atom(filled(formula, names), yes)
            case SameObject(left, right):
                return ALWAYS if (names.get(left, left) == names.get(right, right)) == yes else []
            case Negation(inner):
                return self.of(inner, names, not yes)
            case Junction(every, parts):
                return self._joined([self.of(part, names, yes) for part in parts], every == yes)
            case Quantified(every, variables, inner):
                operands = []
                for bound in bindings(variables, names):
                    ways = self.of(inner, bound, yes)
                    if ways != ALWAYS if every == yes else ways:
                        operands.append(ways)
                    elif (every == yes) == (not ways):
                        return [] if every == yes else ALWAYS
                return self._joined(operands, every == yes)

    def _atom(self, atom: GroundAtom, yes: bool) -> Dnf:
        if atom[0] in self.steady and atom in self.puzzle.init:
            return ALWAYS if yes else []
        number = self.number.get(atom)
        if number is None:
            return [] if yes else ALWAYS
        return [frozenset((2 * number + yes,))]

    @staticmethod
    def _joined(several: list[Dnf], every: bool) -> Dnf:
        """The ways in which all of some conditions are true, or any of them."""
        if not every:
            return shortest([way for ways in several for way in ways])
        product = ALWAYS
        for ways in sorted(several, key=len):
            product = shortest(
                [met | way for met in product for way in ways if not any(fact ^ 1 in met for fact in way)]
            )
        return product


def truth(puzzle: Pddl, steady: frozenset[str], formula: Formula, names: Names) -> bool | None:
    """Whether a formula is true in every state, or false in every state, by what never changes; None if neither is
    known.
    """
    match formula:
        case AtomOf():
            atom = filled(formula, names)
            if formula.predicate in puzzle.static:
                return atom in puzzle.init
            return True if formula.predicate in steady and atom in puzzle.init else None
        case SameObject(left, right):
            return names.get(left, left) == names.get(right, right)
        case Negation(inner):
            value = truth(puzzle, steady, inner, names)
            return None if value is None else not value
        case Junction(every, parts):
            several = [truth(puzzle, steady, part, names) for part in parts]
        case Quantified(every, variables, inner):
            several = [truth(puzzle, steady, inner, bound) for bound in bindings(variables, names)]
    if (not every) in several:
        return not every
    return None if None in several else every


def shortest(ways: Dnf) -> Dnf:
    """The ways without those that ask for more than another one. Raises `LargeDnfError` for too many."""
    if len(ways) > MAX_CONJUNCTIONS:
        raise LargeDnfError(f"falls into more than {MAX_CONJUNCTIONS:,} ways of being true")
    if len(ways) < 2:
        return ways
    kept: Dnf = []
    for way in sorted(set(ways), key=lambda one: (len(one), sorted(one))):
        if not any(other <= way for other in kept):
            kept.append(way)
    return kept
