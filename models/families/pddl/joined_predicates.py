"""Where the thing is that something is on: a robot on a card, and the card on a place, are a robot on a place.

    (robot-at c), (card-at c p)      instead of (robot-at c) there is (robot-at card-at p): some c has both
    move from p to q                 needs it at p, makes it true at q; of p and q it needs that their cards are open
    shift a row p1, p2, p3           needs it on none of them; nothing is asked of the card

`(robot-at c)` has to be true of exactly one c always, and `card-at` to give each c one place of its own. Then each says
what the other does: the robot is on the card that is on its place. The change is made if every condition that names the
robot's card names the place of that card, too, and if each move either puts the robot on a known place, or leaves it
where it is, or nowhere without need (a place is left where another is entered).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .dnf import ALWAYS, Conjunction, Dnf
from .exact_sets import ExactSets, SymbolicState
from .problem import GroundAtom


class _OtherwiseError(Exception):
    """A move is not of the kind that the change is made for."""


@dataclass(frozen=True, slots=True)
class Standing:
    """`on`: of each object that can be stood on the atom that says so; `at`: of each place the atoms that say that an
    object is there; `place`: the new atom of each of these.
    """

    on: dict[str, int]
    at: dict[tuple[str, ...], dict[str, int]]
    place: dict[tuple[str, ...], int]


def with_joined_predicates(
    sets: ExactSets, states: list[SymbolicState], wanted: set[int]
) -> tuple[list[SymbolicState], frozenset[GroundAtom]]:
    """Moves with the place of what stands on something, and the new atom that is true at the start; the moves as they
    are where that cannot be said. `wanted`: the atoms of the goal.
    """
    for on, predicate, argument in _candidates(sets, wanted):
        at: dict[tuple[str, ...], dict[str, int]] = {}
        for atom, number in sets.number.items():
            if atom[0] == predicate:
                at.setdefault((*atom[1:argument], *atom[argument + 1 :]), {})[atom[argument]] = number
        standing = Standing(on, at, {})
        name = sets.atoms[next(iter(on.values()))][0]
        for where in at:
            standing.place[where] = sets.add((f"{name} {predicate}", *where), [(f"{name} {predicate}",)])
        try:
            joined = [_Placing(sets, standing, state).state() for state in states]
        except _OtherwiseError:
            continue
        init = sets.puzzle.init
        true = {
            sets.atoms[number]
            for where, number in standing.place.items()
            if any(sets.atoms[on[thing]] in init and sets.atoms[there] in init for thing, there in at[where].items())
        }
        return joined, frozenset(true)
    return states, frozenset()


def _candidates(sets: ExactSets, wanted: set[int]) -> Iterator[tuple[dict[str, int], str, int]]:
    """Atoms of which one is true, by their objects; a predicate, and the place of its argument that is such an object:
    of every object one atom is true, and of all other arguments one.
    """
    single = [members for group, members in sets.members.items() if len(group) == 1]
    kinds: dict[str, set[int]] = {}
    for group, members in sets.members.items():
        if len(group) > 1:
            kinds.setdefault(group[0], set()).update(members)
    for members in single:
        if len({sets.atoms[atom][0] for atom in members}) > 1 or len(sets.atoms[members[0]]) != 2:
            continue
        on = {sets.atoms[atom][1]: atom for atom in members}
        if not wanted.isdisjoint(members):
            continue
        for name, predicate in sets.puzzle.predicates.items():
            every = [number for atom, number in sets.number.items() if atom[0] == name]
            for argument, objects in enumerate(predicate.arguments, 1):
                others = tuple(n for n in range(1, len(predicate.arguments) + 1) if n != argument)
                whole = [kinds.get(f"{name} {key}") == set(every) for key in ((argument,), others)]
                if others and all(whole) and set(objects) == on.keys():
                    yield on, name, argument


class _Placing:
    """One move, with the places of what it says of objects: `robot-at c7` where c7 lies on p2 becomes `robot-at p2`."""

    def __init__(self, sets: ExactSets, standing: Standing, state: SymbolicState) -> None:
        self.sets, self.standing, self.before = sets, standing, state
        self.object_of = {atom: thing for thing, atom in standing.on.items()}
        self.place_of = {atom: where for where, several in standing.at.items() for atom in several.values()}

    def state(self) -> SymbolicState:
        if any(
            fact >> 1 in self.object_of for _, objects in self.before.acts for name in objects for fact in _facts(name)
        ):
            raise _OtherwiseError
        needed = self._renamed(self.before.needed)
        one_of = []
        for ways in self.before.one_of:
            renamed = [self._renamed(way) for way in ways]
            shared = frozenset.intersection(*renamed)
            needed |= shared
            narrowed = [way - shared for way in renamed]
            if frozenset() not in narrowed and not self.sets.full(narrowed):
                one_of.append(narrowed)
        values = {
            atom: [self._renamed(way) for way in ways]
            for atom, ways in self.before.values.items()
            if atom not in self.object_of
        }
        return replace(self.before, needed=needed, one_of=tuple(one_of), values={**values, **self._places()})

    def _renamed(self, way: Conjunction) -> Conjunction:
        """A conjunction with the object's place for the object: `robot-at c7, card-at c7 p2` is `robot-at p2, ...`."""
        facts = set()
        for fact in way:
            thing = self.object_of.get(fact >> 1)
            if thing is None:
                facts.add(fact)
                continue
            where = [
                place
                for other in way | self.before.needed
                if other & 1
                and (place := self.place_of.get(other >> 1))
                and self.standing.at[place].get(thing) == other >> 1
            ]
            if not where:
                raise _OtherwiseError
            facts.add(2 * self.standing.place[where[0]] + (fact & 1))
        return frozenset(facts)

    def _places(self) -> dict[int, Dnf]:
        """Of each place whether something is there after the move, where that may have changed."""
        touched = self.before.values.keys()
        moved = not touched.isdisjoint(self.object_of)
        there_after: dict[tuple[str, ...], Dnf] = {
            where: []
            for where, several in self.standing.at.items()
            if moved or not touched.isdisjoint(several.values())
        }
        for thing, on in self.standing.on.items():
            for way in self.sets.value(self.before, on):
                if self.sets.possible(way, self.before):
                    for where in self._where(thing, way) & there_after.keys():
                        there = self.sets.value(self.before, self.standing.at[where][thing])
                        both = self.sets.every([[way], there])
                        there_after[where] += [more for more in both if self.sets.possible(more, self.before)]
        return {self.standing.place[where]: self._after(ways) for where, ways in there_after.items()}

    def _where(self, thing: str, way: Conjunction) -> set[tuple[str, ...]]:
        """The places at which an object may be after the move, if a way held before it."""
        for where, several in self.standing.at.items():
            there = several[thing]
            if 2 * there + 1 in way and there not in self.before.values:
                return {where}
        return set(self.standing.at)

    def _after(self, ways: Dnf) -> Dnf:
        """What the ways in which something is at a place after the move come to: none, always, or as it was at some
        place before.
        """
        sets, before = self.sets, self.before
        if not ways or sets.exactly_one(ways, before):
            return ALWAYS if ways else []
        for where, others in self.standing.at.items():
            every = {frozenset((2 * self.standing.on[name] + 1, 2 * there + 1)): None for name, there in others.items()}
            if every.keys() >= set(ways) and not any(sets.possible(way, before) for way in every.keys() - set(ways)):
                return [frozenset((2 * self.standing.place[where] + 1,))]
        raise _OtherwiseError


def _facts(named: str | dict[int, str]) -> Sequence[int]:
    """The facts that tell which object an action has: of `{9: "card3", 11: "card4"}` 9 and 11; none if it is known."""
    return () if isinstance(named, str) else tuple(named)
