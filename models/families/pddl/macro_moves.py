"""Macro moves, from rest to rest: chains of actions with many objects as few moves with conditional effects.

    (start ?card ...) (move ?card ?next ...) ... (stop ?card ...)    of 49 cards on 49 places: 600,000 actions
    shift row 2:  (at ?c p1) := (at ?c p2), ...                      28 moves, each with an effect for every card there

A state is at *rest* if no atom of the predicates in `passing` is true: those that are false at the start, and that some
action makes false (`cards-moving`). A move is a row of actions from rest to rest, found by trying every action on a
state in which what is true is said in terms of the state at rest before it (`SymbolicState`). The objects of *open*
parameters (`open_objects`) are left to that state: `?card` is the card that is on p1.

What is assumed at rest is that of each of some sets exactly one atom is true (`exact_sets`). All moves are made under
this assumption, and each is held to it: where one might leave no atom of a set true, or two, nothing is made of the
problem. So it is an invariant: it holds at the start, and after a move if before it. Under it an open parameter is
decided, as what is needed for one object excludes what is needed for another; where that is not so, nothing is made of
the problem, either.

No plan is lost. A plan falls into moves, but for actions at its end that come to no rest. Those touch no atom of the
goal, which is asked of every action but the last of a move; so the plan without them is one, too, and not dearer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from ...watching import progress_callback
from .exact_sets import AT_REST, ExactSets, NoMovesError, OpenStep, Steps, SymbolicState
from .ground_actions import ALWAYS, Conjunction, Dnf, GroundAction, GroundActions, deciding, goal_of, relevant
from .problem import GroundAtom, Pddl, filled

# Where the thing is that something is on: a robot on a card, and the card on a place, are a robot on a place.
#
#     (robot-at c), (card-at c p)      instead of (robot-at c) there is (robot-at card-at p): some c has both
#     move from p to q                 needs it at p, makes it true at q; of p and q it needs that their cards are open
#     shift a row p1, p2, p3           needs it on none of them; nothing is asked of the card
#
# `(robot-at c)` has to be true of exactly one c always, and `card-at` to give each c one place of its own. Then each
# says what the other does: the robot is on the card that is on its place. The change is made if every condition that
# names the robot's card names the place of that card, too, and if each move either puts the robot on a known place,
# or leaves it where it is, or nowhere without need (a place is left where another is entered).


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
        for name, arguments in sets.puzzle.predicates.items():
            every = [number for atom, number in sets.number.items() if atom[0] == name]
            for argument, objects in enumerate(arguments, 1):
                others = tuple(n for n in range(1, len(arguments) + 1) if n != argument)
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
        named = [name for _, objects in self.before.acts for name in objects]
        if any(fact >> 1 in self.object_of for name in named for fact in deciding(name)):
            raise _OtherwiseError
        needed = self._renamed(self.before.needed)
        one_of = []
        for ways in self.before.one_of:
            renamed = [self._renamed(way) for way in ways]
            shared = frozenset.intersection(*renamed)
            needed |= shared
            narrowed = [way - shared for way in renamed]
            if frozenset() not in narrowed and not self.sets.exactly_one(narrowed):
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
                    for where in there_after:
                        there = self.sets.value(self.before, self.standing.at[where][thing])
                        both = self.sets.every([[way], there])
                        there_after[where] += [more for more in both if self.sets.possible(more, self.before)]
        return {self.standing.place[where]: self._after(ways) for where, ways in there_after.items()}

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


MOST_TRIED = 2_000
"""Moves are given up where there are more actions with open parameters than this, or where more have been tried."""


def macro_moves(puzzle: Pddl) -> GroundActions | None:
    """The macro moves of a problem as ground actions; None if it is not of this kind."""
    try:
        maker = MacroMoves(puzzle)
        return maker.ground_actions(*with_joined_predicates(maker, list(maker.moves()), maker.wanted))
    except NoMovesError:
        return None


class MacroMoves(ExactSets):
    """Makes the macro moves of a problem."""

    def __init__(self, puzzle: Pddl) -> None:
        super().__init__(puzzle)
        self.on_progress = progress_callback()
        self.goal, self.impossible = goal_of(puzzle, self.to_dnf)
        self.wanted = {fact >> 1 for way in self.goal for fact in way}
        steps = Steps(self)
        every = (step for action in puzzle.actions for step in steps.of(action))
        self.steps = list(islice(every, MOST_TRIED + 1))
        if len(self.steps) > MOST_TRIED:
            raise NoMovesError

    def _before(self, state: SymbolicState, facts: Conjunction) -> Dnf:
        """The ways in which facts hold in a state."""
        same, several = set[int](), list[Dnf]()
        for fact in facts:
            ways = state.values.get(fact >> 1)
            if ways is not None:
                several.append(ways if fact & 1 else self.without(ALWAYS, ways))
            elif self.atoms[fact >> 1][0] not in self.passing:
                same.add(fact)
            elif fact & 1:
                return []
        return self.every([[frozenset(same)], *several])

    # Moves

    def moves(self) -> Iterator[SymbolicState]:
        """Every move from rest to rest. Raises `NoMovesError` if one may leave a set with no true atom, or two."""
        waiting = [AT_REST]
        tried = 0
        while waiting:
            state = waiting.pop()
            for step in self.steps:
                after = self._after(state, step)
                if after is None:
                    continue
                tried += 1
                self.on_progress(tried, "moves from rest to rest")
                if tried > MOST_TRIED:
                    raise NoMovesError
                if any(ways and self.atoms[atom][0] in self.passing for atom, ways in after.values.items()):
                    if not self.wanted.isdisjoint(after.values):
                        raise NoMovesError
                    waiting.append(after)
                else:
                    self._hold(after)
                    yield after

    def _after(self, state: SymbolicState, step: OpenStep) -> SymbolicState | None:
        """The state after one more action; None if it is impossible."""
        needed = self.every([[state.needed], self._before(state, step.facts)])
        if not needed:
            return None
        one_of = list(state.one_of)
        if len(needed) > 1:
            one_of.append(needed)
        certain = needed[0] if len(needed) == 1 else state.needed
        selected: list[dict[tuple[str, ...], Dnf]] = []
        names: dict[str, str | dict[int, str]] = dict(step.names)
        for part in step.parts:
            possible = [
                (objects, joined)
                for objects, facts in part.choices
                for way in self._before(state, facts)
                if (joined := self.joined(certain, way)) is not None
            ]
            if not possible:
                return None
            deciding = self._deciding(possible)
            selected.append(deciding)
            for place, name in enumerate(part.names):
                decided = {fact: objects[place] for objects, ways in deciding.items() for way in ways for fact in way}
                names[name] = decided or possible[0][0][place]
            ways = list(dict.fromkeys(way for _, way in possible))
            if len(ways) == 1:
                certain = ways[0]
            elif not self.exactly_one([way - certain for way in ways]):
                one_of.append(ways)
        act = step.action.name, tuple([names[parameter.name] for parameter in step.action.parameters])
        after = SymbolicState({}, certain, tuple(one_of), (*state.acts, act), state.cost + step.cost)
        after.values.update(self._values(state, step, selected, after))
        return after

    def _deciding(self, possible: list[tuple[tuple[str, ...], Conjunction]]) -> dict[tuple[str, ...], Dnf]:
        """Of each choice of objects facts that are true only if no other choice is possible."""
        deciding: dict[tuple[str, ...], Dnf] = {objects: [] for objects, _ in possible}
        if len(deciding) == 1:
            return dict.fromkeys(deciding, ALWAYS)
        groups = {group for fact in possible[0][1] if fact & 1 for group in self.groups_of.get(fact >> 1, ())}
        for group in sorted(groups, key=lambda group: (-len(group), group)):
            of: dict[int, tuple[str, ...]] = {}
            for objects, way in possible:
                fact = next((f for f in way if f & 1 and group in self.groups_of.get(f >> 1, ())), None)
                if fact is None or of.setdefault(fact, objects) != objects:
                    break
            else:
                for fact, objects in of.items():
                    deciding[objects].append(frozenset((fact,)))
                return deciding
        raise NoMovesError

    def _values(
        self, state: SymbolicState, step: OpenStep, selected: list[dict[tuple[str, ...], Dnf]], after: SymbolicState
    ) -> dict[int, Dnf]:
        """What is true after an action, of all atoms touched so far."""
        changed: dict[bool, dict[int, Dnf]] = {True: {}, False: {}}
        for effect in step.action.effects:
            named = [n for n, part in enumerate(step.parts) if any(name in effect.atom for name in part.names)]
            for choice in product(*[selected[n].items() for n in named]):
                names = dict(step.names)
                for n, (objects, _) in zip(named, choice, strict=True):
                    names.update(zip(step.parts[n].names, objects, strict=True))
                atom = self.number.get(filled(effect.atom, names))
                if atom is not None:
                    changed[effect.makes].setdefault(atom, []).extend(self.every(ways for _, ways in choice))
        values = dict(state.values)
        for atom in {**changed[True], **changed[False]}:
            kept = self.without(self.value(state, atom), changed[False].get(atom, []))
            ways = dict.fromkeys([*kept, *changed[True].get(atom, [])])
            values[atom] = ALWAYS if frozenset() in ways else [way for way in ways if self.possible(way, after)]
        return values

    # Moves as ground actions

    def _hold(self, state: SymbolicState) -> None:
        """Raise `NoMovesError` if a move may leave no atom of a set true, or several."""
        for group in {group for atom in state.values for group in self.groups_of.get(atom, ())}:
            ways = [way for atom in self.members[group] for way in self.value(state, atom)]
            possible = (way for way in ways if self.possible(way, state))
            if not self.exactly_one(ways, state) and not self.exactly_one(list(possible), state):
                raise NoMovesError

    def _ground_action(self, state: SymbolicState) -> GroundAction:
        effects = list[tuple[int, Dnf]]()
        for atom, ways in sorted(state.values.items()):
            own = frozenset((2 * atom + 1,))
            lost = [way for way in self.without([own], ways) if self.possible(way, state)]
            gained = [way for way in ways if not own <= way]
            if self.atoms[atom][0] not in self.passing:
                effects += [(fact, some) for fact, some in ((2 * atom, lost), (2 * atom + 1, gained)) if some]
        return GroundAction(
            name=state.acts[0][0],
            objects=tuple(name for name in state.acts[0][1] if isinstance(name, str)),
            conditions=([state.needed], *state.one_of),
            effects=effects,
            cost=state.cost,
            acts=state.acts,
        )

    def ground_actions(self, states: list[SymbolicState], also_true: frozenset[GroundAtom]) -> GroundActions:
        """All moves, with the sets of which always exactly one atom is true: those first of which moves touch few."""
        actions = [self._ground_action(state) for state in states]
        weight: Counter[str] = Counter()
        for action in actions:
            weight.update(g[0] for g in {g for fact, _ in action.effects for g in self.groups_of.get(fact >> 1, ())})
        groups = sorted(self.members, key=lambda group: (weight[group[0]], group))
        sets = [frozenset(self.members[group]) for group in groups]
        puzzle = replace(self.puzzle, init=self.puzzle.init | also_true)
        atoms = dict(enumerate(self.atoms))
        return relevant(GroundActions(puzzle, atoms, actions, self.goal, self.impossible, sets))
