"""Finding all objects for which some atoms are there: joins, as databases make them, with an index for each question.

An action `(drive ?t ?a ?b)` that asks `(at ?t ?a)` and `(road ?a ?b)` is tried with what is there, not with all trucks
and pairs of places: for each atom `at`, the atoms `road` that begin with its place (Helmert, *Concise finite-domain
representations for PDDL planning tasks*, 2009, section 6, on grounding by queries).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from .problem import AtomOf, GroundAtom, SameObject, TypedName

Slots = list[str]
"""The objects of the variables of a question, by number."""

Next = Callable[[Slots], None]
"""What is done with variables that are bound so far."""


@dataclass
class Atoms:
    """Atoms that are there, and for each question that is asked an index: those of a predicate with given objects at
    given places.
    """

    there: dict[GroundAtom, int] = field(default_factory=dict)
    indexes: dict[tuple[str, tuple[int, ...]], dict[tuple[str, ...], list[GroundAtom]]] = field(default_factory=dict)
    of_predicate: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    members: dict[str, list[GroundAtom]] = field(default_factory=dict)

    def add(self, atom: GroundAtom) -> None:
        """Add an atom that was not there."""
        self.there[atom] = len(self.there)
        self.members.setdefault(atom[0], []).append(atom)
        for places in self.of_predicate.get(atom[0], ()):
            key = tuple([atom[place] for place in places])
            self.indexes[atom[0], places].setdefault(key, []).append(atom)

    def index(self, predicate: str, places: tuple[int, ...]) -> dict[tuple[str, ...], list[GroundAtom]]:
        """The atoms of a predicate by their objects at some places (1 is the first); it grows with the atoms."""
        by_objects = self.indexes.get((predicate, places))
        if by_objects is None:
            by_objects = self.indexes[predicate, places] = {}
            self.of_predicate.setdefault(predicate, []).append(places)
            for atom in self.members.get(predicate, ()):
                by_objects.setdefault(tuple([atom[place] for place in places]), []).append(atom)
        return by_objects


@dataclass
class Query:
    """Variables, atoms that must be there, and pairs of terms that must be equal, or must differ (`same`)."""

    atoms: Atoms
    variables: Sequence[TypedName]
    asked: Sequence[AtomOf]
    same: Sequence[tuple[SameObject, bool]] = ()

    def __post_init__(self) -> None:
        self.slot = {variable.name: number for number, variable in enumerate(self.variables)}  # an inner one hides
        self.allowed = [frozenset(variable.objects) for variable in self.variables]
        self.current: GroundAtom | None = None

    def plan(self, bound: Iterable[int], last: Next, seed: int | None = None) -> Next:
        """Compile the join: a function that is given the objects of the variables `bound`, and calls `last` with each
        answer, all variables filled in.

        `seed`: the number of an asked atom that is to be the newest one, `current`, as in semi-naive evaluation. Atoms
        asked before it may not be that one, so each answer is found once: when the last of its atoms comes.
        """
        filled = set(bound)
        steps: list[Callable[[Next], Next]] = []
        tests = list(self.same)
        waiting = [number for number in range(len(self.asked)) if number != seed]
        if seed is not None:
            steps.append(self._seeded(seed, filled))
        while True:
            for test in [other for other in tests if self._slots_of((other[0].left, other[0].right)) <= filled]:
                tests.remove(test)
                steps.append(self._tested(*test))
            if not waiting:
                break
            number = min(waiting, key=lambda n: self._effort(n, filled))
            waiting.remove(number)
            steps.append(self._joined(number, filled, seed is not None and number < seed))
        for number, variable in enumerate(self.variables):
            if number not in filled and self.slot[variable.name] == number:
                steps.append(self._enumerated(number))
                filled.add(number)
                for test in [other for other in tests if self._slots_of((other[0].left, other[0].right)) <= filled]:
                    tests.remove(test)
                    steps.append(self._tested(*test))
        for step in reversed(steps):
            last = step(last)
        return last

    def _slots_of(self, terms: Iterable[str]) -> set[int]:
        return {self.slot[term] for term in terms if term in self.slot}

    def _effort(self, number: int, filled: set[int]) -> float:
        """About how many atoms fit what is known: what is asked next has fewest. Of a predicate whose atoms are not
        there yet, as many as there are combinations of objects for the variables that are open.
        """
        atom = self.asked[number]
        missing = self._slots_of(atom.terms) - filled
        count = len(self.atoms.members.get(atom.predicate, ()))
        if not missing or not count:
            return prod(len(self.allowed[slot]) for slot in missing) if missing else 0
        places = tuple(p for p, term in enumerate(atom.terms, 1) if self.slot.get(term) not in missing)
        return count / len(self.atoms.index(atom.predicate, places))

    def _parts(
        self, atom: AtomOf, filled: set[int]
    ) -> tuple[list[tuple[int, int | str]], list[tuple[int, int]], list[tuple[int, int]]]:
        """The places of an atom that are known, with the slot or the object; those that bind a slot; and those that
        must equal another one.
        """
        given: list[tuple[int, int | str]] = []
        binds: list[tuple[int, int]] = []
        equal: list[tuple[int, int]] = []
        first: dict[int, int] = {}
        for place, term in enumerate(atom.terms, 1):
            slot = self.slot.get(term)
            if slot is None:
                given.append((place, term))
            elif slot in filled:
                given.append((place, slot))
            elif slot in first:
                equal.append((place, first[slot]))
            else:
                first[slot] = place
                binds.append((place, slot))
        filled.update(first)
        return given, binds, equal

    def _bind(self, binds: list[tuple[int, int]], equal: list[tuple[int, int]], then: Next) -> Callable[..., None]:
        """Bind slots to the objects of an atom, if their types allow it."""
        allowed = [(place, slot, self.allowed[slot]) for place, slot in binds]

        def bind(atom: GroundAtom, slots: Slots) -> None:
            for place, slot, objects in allowed:
                if atom[place] not in objects:
                    return
                slots[slot] = atom[place]
            for first, other in equal:
                if atom[first] != atom[other]:
                    return
            then(slots)

        return bind

    def _seeded(self, number: int, filled: set[int]) -> Callable[[Next], Next]:
        given, binds, equal = self._parts(self.asked[number], filled)
        assert all(isinstance(term, str) for _, term in given)

        def make(then: Next) -> Next:
            bind = self._bind(binds, equal, then)

            def seeded(slots: Slots) -> None:
                atom = self.current
                assert atom is not None
                if all(atom[place] == term for place, term in given):
                    bind(atom, slots)

            return seeded

        return make

    def _joined(self, number: int, filled: set[int], older: bool) -> Callable[[Next], Next]:
        atom = self.asked[number]
        given, binds, equal = self._parts(atom, filled)
        index = self.atoms.index(atom.predicate, tuple(place for place, _ in given))
        terms = [term for _, term in given]

        def make(then: Next) -> Next:
            bind = self._bind(binds, equal, then)

            def joined(slots: Slots) -> None:
                key = tuple([slots[term] if isinstance(term, int) else term for term in terms])
                for candidate in index.get(key, ()):
                    if not older or candidate is not self.current:
                        bind(candidate, slots)

            return joined

        return make

    def _tested(self, test: SameObject, same: bool) -> Callable[[Next], Next]:
        left, right = self.slot.get(test.left), self.slot.get(test.right)

        def make(then: Next) -> Next:
            def tested(slots: Slots) -> None:
                first = test.left if left is None else slots[left]
                other = test.right if right is None else slots[right]
                if (first == other) == same:
                    then(slots)

            return tested

        return make

    def _enumerated(self, number: int) -> Callable[[Next], Next]:
        objects = self.variables[number].objects

        def make(then: Next) -> Next:
            def enumerated(slots: Slots) -> None:
                for name in objects:
                    slots[number] = name
                    then(slots)

            return enumerated

        return make
