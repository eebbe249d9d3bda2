"""Macro moves, from rest to rest: chains of actions with many objects as few moves with conditional effects.

    (start ?card ...) (move ?card ?next ...) ... (stop ?card ...)    of 49 cards on 49 places: 600,000 actions
    shift row 2:  (at ?c p1) := (at ?c p2), ...                      28 moves, each with an effect for every card there

A state is at *rest* if no atom of the predicates in `passing` is true: those that are false at the start, and that some
action makes false (`cards-moving`). A move is a row of actions from rest to rest, found by trying every action on a
state in which what is true is said in terms of the state at rest before it (`SymbolicState`). The objects of *open*
parameters (`open_objects`) are left to that state: `?card` is the card that is on p1.

What is assumed at rest is that of each of some sets exactly one atom is true (`exact_sets`). All moves are made under
this assumption, and each is held to it: a set of which a move might leave no atom true, or two, is dropped, and all
moves are made again. So in the end it is an invariant: it holds at the start, and after a move if before it. Under it
an open parameter is decided, as what is needed for one object excludes what is needed for another; where that is not
so, nothing is made of the problem.

No plan is lost. A plan falls into moves, but for actions at its end that come to no rest. Those touch no atom of the
goal, which is asked of every action but the last of a move; so the plan without them is one, too, and not dearer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from ...watching import progress_callback
from .dnf import ALWAYS, Conjunction, Dnf, ToDnf
from .exact_sets import ExactSets, Group, NoMovesError, SymbolicState
from .ground_actions import GroundAction, GroundActions, goal_of, relevant
from .joined_predicates import with_joined_predicates
from .open_objects import Step, Steps
from .problem import GroundAtom, Pddl, filled

MOST_TRIED = 2_000
"""Moves are given up where there are more actions with open parameters than this, or where more have been tried."""


def macro_moves(puzzle: Pddl) -> GroundActions | None:
    """The macro moves of a problem as ground actions; None if it is not of this kind."""
    try:
        maker = MacroMoves(puzzle)
        while True:
            moves = list(maker.moves())
            if not maker.failed:
                return maker.ground_actions(*with_joined_predicates(maker, moves, maker.wanted))
            maker.drop(maker.failed)
            maker.failed = set()
    except NoMovesError:
        return None


class MacroMoves(ExactSets):
    """Makes the macro moves of a problem."""

    def __init__(self, puzzle: Pddl) -> None:
        super().__init__(puzzle)
        self.on_progress = progress_callback()
        self.failed: set[Group] = set()
        self.goal, self.impossible = goal_of(puzzle, ToDnf(puzzle, self.number, puzzle.steady))
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
        """Every move from rest to rest. Sets that one may leave with no true atom, or two, are noted in `failed`."""
        waiting = [SymbolicState()]
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

    def _after(self, state: SymbolicState, step: Step) -> SymbolicState | None:
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
            elif not self.full([way - certain for way in ways]):
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
        self, state: SymbolicState, step: Step, selected: list[dict[tuple[str, ...], Dnf]], after: SymbolicState
    ) -> dict[int, Dnf]:
        """What is true after an action, of all atoms touched so far."""
        changed: dict[bool, dict[int, Dnf]] = {True: {}, False: {}}
        for effect in step.action.effects:
            named = [n for n, part in enumerate(step.parts) if any(name in effect.atom.terms for name in part.names)]
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
        """Drop the sets of which a move may leave no atom true, or several."""
        touched = {group for atom in state.values for group in self.groups_of.get(atom, ())}
        for group in touched:
            ways = [way for atom in self.members[group] for way in self.value(state, atom)]
            possible = (way for way in ways if self.possible(way, state))
            if not self.exactly_one(ways, state) and not self.exactly_one(list(possible), state):
                self.failed.add(group)

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
            condition=[state.needed],
            effects=effects,
            cost=state.cost,
            more_conditions=state.one_of,
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
        to_dnf = ToDnf(puzzle, self.number, puzzle.steady)
        return relevant(GroundActions(self.atoms, to_dnf, actions, self.goal, self.impossible, sets))
