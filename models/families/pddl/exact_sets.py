"""Conjunctions of atoms, simplified by sets of which exactly one atom is true (as a card is on exactly one place).

(at c1 p) and (at c2 p)          none: one card on a place
(at c1 p) and not (at c2 p)      (at c1 p)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from math import prod

from .dnf import ALWAYS, Conjunction, Dnf
from .ground_actions import Acts
from .problem import GroundAtom, Pddl

MOST_CONJUNCTIONS = 5_000
"""A condition with more alternatives than this is given up."""

MOST_ATOMS = 50_000
"""A predicate with more atoms than this (the product of what its arguments can be) is given up."""

Group = tuple[str, ...]
"""A set of atoms: its kind (the predicate, and the places of the arguments that tell its sets apart), and these
arguments.
"""


@dataclass(frozen=True, slots=True)
class SymbolicState:
    """What is true after some actions, in terms of the state at rest before them: of each atom that they touch the ways
    in which it is true. `needed`: facts that held at rest; `one_of`: sets of ways of which one did.
    """

    values: dict[int, Dnf] = field(default_factory=dict)
    needed: Conjunction = frozenset()
    one_of: tuple[Dnf, ...] = ()
    acts: Acts = ()
    cost: int = 0


class NoMovesError(Exception):
    """The problem is not of the kind that moves from rest to rest are made of."""


class ExactSets:
    """The atoms of a problem, numbered, and sets of them of which exactly one is true at the start."""

    def __init__(self, puzzle: Pddl) -> None:
        self.puzzle = puzzle
        self.passing = puzzle.predicates.keys() - puzzle.steady - {atom[0] for atom in puzzle.init}
        self.number: dict[GroundAtom, int] = {}
        self.atoms: list[GroundAtom] = []
        self.groups_of: dict[int, tuple[Group, ...]] = {}
        self.members: dict[Group, list[int]] = {}
        for name, predicate in puzzle.predicates.items():
            if name in puzzle.static:
                continue
            if prod(map(len, predicate.arguments)) > MOST_ATOMS:
                raise NoMovesError
            keys = list(self._keys(name))
            for objects in product(*predicate.arguments):
                groups = [(f"{name} {key}", *[objects[place - 1] for place in key]) for key in keys]
                self.add((name, *objects), groups)

    def add(self, atom: GroundAtom, groups: Iterable[Group]) -> int:
        """Number an atom of some sets."""
        new = self.number[atom] = len(self.atoms)
        self.atoms.append(atom)
        self.groups_of[new] = tuple(groups)
        for group in self.groups_of[new]:
            self.members.setdefault(group, []).append(new)
        return new

    def _keys(self, name: str) -> Iterator[tuple[int, ...]]:
        """The places of those arguments of a predicate that tell apart sets of which exactly one atom is true at the
        start.
        """
        true = [atom for atom in self.puzzle.init if atom[0] == name]
        arguments = self.puzzle.predicates[name].arguments
        places = range(1, len(arguments) + 1)
        for key in chain.from_iterable(combinations(places, n) for n in range(len(places))):
            told_apart = {tuple([atom[place] for place in key]) for atom in true}
            if len(told_apart) == len(true) == prod(len(arguments[place - 1]) for place in key):
                yield key

    def drop(self, groups: Iterable[Group]) -> None:
        """Assume no more that exactly one atom of some sets is true."""
        for group in groups:
            for atom in self.members.pop(group):
                self.groups_of[atom] = tuple(other for other in self.groups_of[atom] if other != group)

    # Conjunctions

    def joined(self, first: Conjunction, other: Conjunction) -> Conjunction | None:
        """Both ways at once, without what is certain; None if they exclude each other."""
        if first and first <= other:
            return other
        both = first | other
        true: dict[tuple[str, ...], int] = {}
        for fact in both:
            if fact & 1:
                if fact ^ 1 in both:
                    return None
                for group in self.groups_of.get(fact >> 1, ()):
                    if true.setdefault(group, fact) != fact:
                        return None
        return frozenset(
            fact for fact in both if fact & 1 or not any(group in true for group in self.groups_of.get(fact >> 1, ()))
        )

    def every(self, several: Iterable[Dnf]) -> Dnf:
        """The ways in which all of some conditions hold."""
        product = ALWAYS
        for ways in several:
            both = [self.joined(first, other) for first in product for other in ways]
            product = list(dict.fromkeys(way for way in both if way is not None))
            if len(product) > MOST_CONJUNCTIONS:
                raise NoMovesError
        return product

    def without(self, ways: Dnf, lost: Dnf) -> Dnf:
        """The ways in which one of `ways` holds, and none of `lost`."""
        for less in lost:
            narrowed: dict[Conjunction, None] = {}
            for way in ways:
                if self.joined(way, less) is None:
                    narrowed[way] = None
                    continue
                for fact in less - way:
                    narrower = self.joined(way, frozenset((fact ^ 1,)))
                    if narrower is not None:
                        narrowed[narrower] = None
            ways = list(narrowed)
            if len(ways) > MOST_CONJUNCTIONS:
                raise NoMovesError
        return ways

    def full(self, ways: Dnf) -> bool:
        """Whether one of some ways always holds, as they are all atoms of a set."""
        atoms = {fact >> 1 for way in ways if len(way) == 1 for fact in way if fact & 1}
        groups = self.groups_of.get(next(iter(atoms), -1), ())
        return len(atoms) == len(ways) and any(atoms.issuperset(self.members[group]) for group in groups)

    def value(self, state: SymbolicState, atom: int) -> Dnf:
        """Sets of facts at rest, under any of which an atom is true in this state (a disjunction)."""
        touched = state.values.get(atom)
        if touched is not None:
            return touched
        return [] if self.atoms[atom][0] in self.passing else [frozenset((2 * atom + 1,))]

    def possible(self, way: Conjunction, state: SymbolicState) -> bool:
        """Whether a way does not contradict what held before the actions of a state."""
        both = self.joined(way, state.needed)
        return both is not None and all(
            any(self.joined(both, alternative) is not None for alternative in ways) for ways in state.one_of
        )

    def exactly_one(self, ways: Dnf, state: SymbolicState) -> bool:
        """Whether exactly one of some ways held before the actions of a state: they are different atoms of one set, all
        of them, or all that were possible.
        """
        atoms = {fact >> 1 for way in ways if len(way) == 1 for fact in way if fact & 1}
        if ways == ALWAYS or len(atoms) < len(ways) or not atoms:
            return ways == ALWAYS
        for group in set.intersection(*[set(self.groups_of.get(atom, ())) for atom in atoms]):
            members = set(self.members[group])
            one_each = [frozenset((2 * atom + 1,)) for atom in members]
            for some in (one_each, [state.needed], *state.one_of):
                held = [members.intersection(fact >> 1 for fact in way if fact & 1) for way in some]
                if all(held) and atoms.issuperset(set().union(*held)):
                    return True
        return False
