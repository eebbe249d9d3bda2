"""Atoms of which at most one is ever true: where a truck is, what is on a block.

A *candidate* has parts; a part is a predicate with its arguments sorted into those that say what the set is about, and
those that are counted. `{at [t] *}`: for each t, the atoms (at t x) for all x. A candidate is balanced if no step
makes two atoms of a set true, and each that makes one true takes away one of the same set. If a step takes away an atom
of no part, a part is made of it and tried (Helmert, *Concise finite-domain representations for PDDL planning tasks*,
2009, section 5.1; here on grounded steps, which is exact, and as quick).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from .problem import GroundAtom

MAX_CANDIDATES = 300
"""Candidates that are tried at most."""

MOST_COUNTED = 2
"""Arguments of a part that are counted at most: where a card lies, `{card-at [c] * *}`, counts two."""


@dataclass(frozen=True, slots=True)
class Part:
    """A predicate, and the places of its arguments (from 1) that say which set an atom is in, in order."""

    predicate: str
    places: tuple[int, ...]


Candidate = frozenset[Part]


@dataclass(frozen=True, slots=True)
class Balance:
    """An action, or a conditional effect of one, as {atoms it needs}, [atoms it makes true], [atoms it takes away].

    `(:action sail ...)` from a to b: needs {boat a}, makes true [boat b], takes away [boat a]. So `boat` stays one
    atom. `instance`: balances with the same number may happen at once, as conditional effects of one action do.
    """

    needed: frozenset[GroundAtom]
    gained: Sequence[GroundAtom]
    lost: Sequence[GroundAtom]
    instance: int

    @classmethod
    def of(
        cls,
        atoms: Sequence[GroundAtom],
        facts: Iterable[int],
        true: Iterable[int],
        false: Iterable[int],
        instance: int,
    ) -> Balance:
        """A balance by numbers of atoms: `facts` hold before (2i + 1: atom i is true), then `true` and `false`."""
        before = {fact >> 1 for fact in facts if fact & 1}
        return cls(
            frozenset(atoms[atom] for atom in before),
            [atoms[atom] for atom in true if atom not in before],
            [atoms[atom] for atom in false if atom in before],
            instance,
        )


def exclusive_sets(
    atoms: Sequence[GroundAtom], steps: Iterable[Balance], init: frozenset[GroundAtom]
) -> list[frozenset[int]]:
    """Sets of atoms, by number, of which at most one is ever true; larger ones first."""
    number = {atom: n for n, atom in enumerate(atoms)}
    sets = Exclusive(atoms, steps, init.intersection(atoms)).sets()
    return [frozenset(number[atom] for atom in members) for members in sets]


class Exclusive:
    """Finds sets of atoms that exclude each other in steps and an initial state."""

    def __init__(self, atoms: Iterable[GroundAtom], steps: Iterable[Balance], init: frozenset[GroundAtom]) -> None:
        self.atoms: dict[str, list[GroundAtom]] = {}
        for atom in atoms:
            self.atoms.setdefault(atom[0], []).append(atom)
        self.init = init
        self.adding: dict[str, list[Balance]] = {}
        for step in steps:
            for predicate in {atom[0] for atom in step.gained}:
                self.adding.setdefault(predicate, []).append(step)

    def sets(self) -> list[frozenset[GroundAtom]]:
        """The sets, larger ones first; no set is a part of another one."""
        waiting = [frozenset((part,)) for predicate in self.atoms for part in self._parts(predicate)]
        seen, balanced = set(waiting), list[Candidate]()
        for candidate in waiting:  # it grows
            failure = self._failure(candidate)
            if failure is None:
                balanced.append(candidate)
                continue
            for part in self._mending(*failure):
                wider = candidate | {part}
                if wider not in seen and len(seen) < MAX_CANDIDATES:
                    seen.add(wider)
                    waiting.append(wider)
        kept: list[frozenset[GroundAtom]] = []
        every = {members for candidate in balanced for members in self._members(candidate)} | set(self._wandering())
        inside: dict[GroundAtom, list[frozenset[GroundAtom]]] = {}
        for members in sorted(every, key=lambda s: (-len(s), sorted(s))):
            if not any(members <= other for other in inside.get(next(iter(members)), ())):
                kept.append(members)
                for atom in members:
                    inside.setdefault(atom, []).append(members)
        return kept

    def _parts(self, predicate: str) -> Iterator[Part]:
        """The parts with which a candidate begins: one argument is counted, none, or several."""
        places = range(1, len(self.atoms[predicate][0]))
        for counted in (1, 0, *range(2, MOST_COUNTED + 1)):
            for several in combinations(places, max(0, len(places) - counted)):
                yield Part(predicate, several)

    @staticmethod
    def _key(candidate: Candidate, atom: GroundAtom) -> tuple[str, ...] | None:
        for part in candidate:
            if part.predicate == atom[0]:
                return tuple([atom[place] for place in part.places])
        return None

    def _failure(self, candidate: Candidate) -> tuple[Candidate, Balance, tuple[str, ...]] | None:
        """A step that is not balanced, with the set in which it is not; None if all are."""
        taken: dict[tuple[int, tuple[str, ...], GroundAtom], GroundAtom] = {}
        for part in candidate:
            for step in self.adding.get(part.predicate, ()):
                come: dict[tuple[str, ...], GroundAtom] = {}
                for atom in step.gained:
                    key = self._key(candidate, atom)
                    if key is None:
                        continue
                    if come.setdefault(key, atom) != atom:
                        return candidate, step, key
                for key, atom in come.items():
                    gone = [other for other in step.lost if other in step.needed and self._key(candidate, other) == key]
                    if not gone:
                        return candidate, step, key
                    # Two effects that happen at once may not both follow from one atom.
                    if taken.setdefault((step.instance, key, gone[0]), atom) != atom:
                        return candidate, step, key
        return None

    def _mending(self, candidate: Candidate, step: Balance, key: tuple[str, ...]) -> Iterator[Part]:
        """Parts with which a step may be balanced: of what it takes away, with the objects of the set among its
        arguments, and a few more.
        """
        if sum(self._key(candidate, atom) == key for atom in step.gained) > 1:
            return
        taken = {part.predicate for part in candidate}
        for atom in step.lost:
            if atom[0] in taken or atom not in step.needed or not 0 <= len(atom) - 1 - len(key) <= MOST_COUNTED:
                continue
            for places in permutations(range(1, len(atom)), len(key)):
                if tuple([atom[place] for place in places]) == key:
                    yield Part(atom[0], places)

    def _wandering(self) -> Iterator[frozenset[GroundAtom]]:
        """Sets whose atoms turn into each other, whatever their arguments are: all places of a piece of a cube, each in
        all positions. Steps that make one atom true and take away one say which belong together.
        """
        root: dict[GroundAtom, GroundAtom] = {}

        def root_of(atom: GroundAtom) -> GroundAtom:
            while root.setdefault(atom, atom) != atom:
                atom = root[atom]
            return atom

        became: dict[tuple[int, GroundAtom], GroundAtom] = {}
        leaking = set[GroundAtom]()
        for step in (step for several in self.adding.values() for step in several):
            gone = [atom for atom in step.lost if atom in step.needed]
            if len(gone) == 1 == len(step.gained):
                root[root_of(gone[0])] = root_of(step.gained[0])
                if became.setdefault((step.instance, gone[0]), step.gained[0]) == step.gained[0]:
                    continue
            leaking.update(step.gained)
        sets: dict[GroundAtom, set[GroundAtom]] = {}
        for atom in root:
            sets.setdefault(root_of(atom), set()).add(atom)
        for members in sets.values():
            if leaking.isdisjoint(members) and len(self.init & members) <= 1:
                yield frozenset(members)

    def _members(self, candidate: Candidate) -> Iterator[frozenset[GroundAtom]]:
        """The sets of a candidate that are mutex: at most one of their atoms is true at the start."""
        sets: dict[tuple[str, ...], list[GroundAtom]] = {}
        for part in candidate:
            for atom in self.atoms.get(part.predicate, ()):
                sets.setdefault(tuple([atom[place] for place in part.places]), []).append(atom)
        true = Counter(self._key(candidate, atom) for atom in self.init)
        for key, members in sets.items():
            if len(members) > 1 and true[key] <= 1:
                yield frozenset(members)
