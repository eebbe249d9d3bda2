"""Conjunctions of atoms, simplified by sets of which exactly one atom is true (as a card is on exactly one place).

(at c1 p) and (at c2 p)          none: one card on a place
(at c1 p) and not (at c2 p)      (at c1 p)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from math import prod

from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, Loop, conjuncts, used
from .ground_actions import ALWAYS, MAX_CONJUNCTIONS, Acts, Conjunction, Dnf, ToDnf
from .problem import GroundAtom, Pddl, PddlAction, filled, words
from .reaching import Atoms, Query, Slots, split

MOST_ATOMS = 50_000
"""A predicate with more atoms than this (the product of what its arguments can be) is given up."""

SetName = tuple[str, ...]
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


AT_REST = SymbolicState()
"""The state before any action."""


class NoMovesError(Exception):
    """The problem is not of the kind that moves from rest to rest are made of."""


class ExactSets:
    """The atoms of a problem, numbered, and sets of them of which exactly one is true at the start."""

    def __init__(self, puzzle: Pddl) -> None:
        self.puzzle = puzzle
        self.passing = puzzle.predicates.keys() - puzzle.steady - {atom[0] for atom in puzzle.init}
        self.number: dict[GroundAtom, int] = {}
        self.to_dnf = ToDnf(puzzle, self.number)
        self.atoms: list[GroundAtom] = []
        self.groups_of: dict[int, tuple[SetName, ...]] = {}
        self.members: dict[SetName, list[int]] = {}
        for name, arguments in puzzle.predicates.items():
            if name in puzzle.static:
                continue
            if prod(map(len, arguments)) > MOST_ATOMS:
                raise NoMovesError
            keys = list(self._keys(name))
            for objects in product(*arguments):
                groups = [(f"{name} {key}", *[objects[place - 1] for place in key]) for key in keys]
                self.add((name, *objects), groups)

    def add(self, atom: GroundAtom, groups: Iterable[SetName]) -> int:
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
        arguments = self.puzzle.predicates[name]
        places = range(1, len(arguments) + 1)
        for key in chain.from_iterable(combinations(places, n) for n in range(len(places))):
            told_apart = {tuple([atom[place] for place in key]) for atom in true}
            if len(told_apart) == len(true) == prod(len(arguments[place - 1]) for place in key):
                yield key

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
            if len(product) > MAX_CONJUNCTIONS:
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
            if len(ways) > MAX_CONJUNCTIONS:
                raise NoMovesError
        return ways

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

    def exactly_one(self, ways: Dnf, state: SymbolicState = AT_REST) -> bool:
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


# Actions with open parameters: those whose objects the state decides, as of a card that stands on a place.
#
#     (move ?card ?next ?p ?q) that needs (at ?card ?p), (at ?next ?q), (beside ?p ?q)
#
# With `?card` and `?next` open it is one step for each two places, and not one for each two cards on them. Open are
# the parameters of those kinds with which the fewest conditions are left. Parameters that stand together in a
# condition are one *part*, whose objects are listed together.

MOST_STEPS = 20_000
"""An action has fewer steps than this, times the choices of objects in each: 49 * 49 with 49 cards are too many."""


MOST_KINDS = 4
"""The most parameter types that are tried as open, in every combination: cards, places, cards and places."""


class _EnoughError(Exception):
    """Ends a search for objects, once `MOST_STEPS` were found."""


@dataclass(frozen=True, slots=True)
class OpenParameters:
    """Open parameters that conditions tie together. `choices`: their objects, with the facts that these need."""

    names: tuple[str, ...]
    choices: list[tuple[tuple[str, ...], Conjunction]]


@dataclass(frozen=True, slots=True)
class OpenStep:
    """An action with objects for all but its open parameters. `facts`: those that it needs whatever these are."""

    action: PddlAction
    names: dict[str, str]
    facts: Conjunction
    parts: list[OpenParameters]
    cost: int


class Steps:
    """Finds the steps of actions over the atoms of a problem. Raises `NoMovesError` for conditional effects, and for
    conditions that are no conjunction.
    """

    def __init__(self, sets: ExactSets) -> None:
        self.sets, self.puzzle = sets, sets.puzzle
        self.static = Atoms()
        for atom in sorted(self.puzzle.init):
            if atom[0] in self.puzzle.static:
                self.static.add(atom)

    def of(self, action: PddlAction) -> Iterator[OpenStep]:
        """The actions of a schema, with those parameters open for which the fewest conditions are left in all."""
        asked = [(part, used(part)) for part in conjuncts(action.precondition)]
        simple = (
            isinstance(part.inner if isinstance(part, ex.Not) else part, ex.Read | ex.Compare) for part, _ in asked
        )
        if not all(simple) or not all(effect.certain for effect in action.effects):
            raise NoMovesError
        tied = [names for _, names in asked]
        changing = [part for part, _ in asked if isinstance(part, ex.Read) and part.table not in self.puzzle.static]
        deciding = {word for part in changing for word in words(part.args)}
        objects = {parameter.name: parameter.values for parameter in action.parameters}
        kinds = list(dict.fromkeys(objects[name] for name in objects if name in deciding))[:MOST_KINDS]
        best: tuple[int, list[tuple[str, ...]]] | None = None
        for several in chain.from_iterable(combinations(kinds, n) for n in range(len(kinds) + 1)):
            opened = _tied([name for name in objects if name in deciding and objects[name] in several], tied)
            closed = self._closed(action, opened, asked)
            size = len(closed) * max(1, sum(prod(len(objects[name]) for name in part) for part in opened))
            if size < MOST_STEPS and (best is None or size <= best[0]):
                best = size, opened
        if best is None:
            raise NoMovesError
        yield from self._bound(action, best[1], asked)

    def _closed(self, action: PddlAction, opened: list[tuple[str, ...]], asked: Asked) -> list[dict[str, str]]:
        """The objects of all parameters but the open ones, for which all holds that never changes."""
        closed = [parameter for parameter in action.parameters if not any(parameter.name in part for part in opened)]
        return self._matches(closed, {}, asked)

    def _bound(self, action: PddlAction, opened: list[tuple[str, ...]], asked: Asked) -> Iterator[OpenStep]:
        priced = {word for cost in action.costs if not isinstance(cost, int) for word in cost}
        if any(not priced.isdisjoint(part) for part in opened):
            raise NoMovesError
        for names in self._closed(action, opened, asked):
            facts = self._facts([part for part, of in asked if of <= names.keys()], names)
            if facts is None:
                continue
            parts = []
            for several in opened:
                variables = [parameter for parameter in action.parameters if parameter.name in several]
                known = names.keys() | set(several)
                about = [part for part, of in asked if of <= known and not of.isdisjoint(several)]
                choices = []
                for more in self._matches(variables, names, asked):
                    needed = self._facts(about, more)
                    if needed is not None:
                        choices.append((tuple(more[name] for name in several), needed))
                parts.append(OpenParameters(several, choices))
            if all(part.choices for part in parts):
                yield OpenStep(action, names, facts, parts, self.puzzle.price(action, names))

    def _matches(self, variables: Sequence[Loop], names: dict[str, str], asked: Asked) -> list[dict[str, str]]:
        """The objects of some variables, beside those known, for which all holds that never changes: at most
        `MOST_STEPS` of them.
        """
        listed = [variable.name for variable in variables]
        known = names.keys() | set(listed)
        every, same, _ = split(ex.And(tuple([part for part, of in asked if of <= known])))
        atoms = [filled(atom, names) for atom in every if atom[0] in self.puzzle.static]
        pairs = [(names.get(one, one), names.get(other, other), equal) for one, other, equal in same]
        matches: list[dict[str, str]] = []

        def last(slots: Slots) -> None:
            matches.append({**names, **dict(zip(listed, slots, strict=False))})
            if len(matches) >= MOST_STEPS:
                raise _EnoughError

        with suppress(_EnoughError):
            query = Query(self.static, variables, atoms, pairs)
            query.plan(last)(query.start())
        return matches

    def _facts(self, conditions: list[Expr], names: dict[str, str]) -> Conjunction | None:
        """The facts that conditions need, which are atoms, or none, and comparisons; None if one is false for good."""
        return next(iter(self.sets.to_dnf.of(ex.And(tuple(conditions)), names)), None)


Asked = Sequence[tuple[Expr, set[str]]]
"""Atoms and comparisons, or their negations, each with the parameters in it."""


def _tied(names: Sequence[str], tied: Sequence[set[str]]) -> list[tuple[str, ...]]:
    """Names in parts: those that stand together in a set of `tied` are in one part."""
    parts: list[set[str]] = [{name} for name in names]
    for several in tied:
        together = [part for part in parts if not part.isdisjoint(several)]
        if len(together) > 1:
            parts = [part for part in parts if part not in together] + [set().union(*together)]
    return [tuple(name for name in names if name in part) for part in parts]
