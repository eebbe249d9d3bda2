"""Which actions can ever be possible, and which atoms ever true: relaxed reachability.

Nothing ever becomes false in the relaxation: atoms that are asked to be false are taken for false, unless they are true
for good. Actions and conditional effects are rules, whose heads are the atoms that they make true; each new atom is a
seed for the rules that ask for it (semi-naive evaluation, as in Datalog). What is found is a superset of what is
possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ...errors import GroundingError
from ...watching import progress_callback
from .matching import Atoms, Query, Slots
from .problem import (
    AtomEffect,
    AtomOf,
    Formula,
    GroundAtom,
    Junction,
    Negation,
    Pddl,
    PddlAction,
    SameObject,
    TypedName,
    conjuncts,
    filled,
)

MAX_ALTERNATIVES = 32
"""Rules that are made of one action."""

LOOK = 500
"""Atoms and instances between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Instance:
    """An action with its objects."""

    action: PddlAction
    objects: tuple[str, ...]

    @property
    def names(self) -> dict[str, str]:
        """The object of each parameter."""
        return {parameter.name: given for parameter, given in zip(self.action.parameters, self.objects, strict=True)}


@dataclass(frozen=True, slots=True)
class Reached:
    """The result: atoms that can become true, those of the start among them, and instances of actions."""

    atoms: Atoms
    instances: list[Instance]


def alternatives(formula: Formula) -> list[Formula]:
    """A formula without `or`, as several: `(and a (or b c))` becomes `(and a b)`, `(and a c)`.

    An `or` stays where there would be more than `MAX_ALTERNATIVES` formulas, and deeper inside.
    """
    formulas: list[tuple[Formula, ...]] = [()]
    for part in conjuncts(formula):
        several = part.parts if isinstance(part, Junction) else (part,)
        if len(formulas) * len(several) > MAX_ALTERNATIVES:
            several = (part,)
        formulas = [(*before, chosen) for before in formulas for chosen in several]
    return [Junction(True, parts) for parts in formulas]


def split(formula: Formula) -> tuple[list[AtomOf], list[tuple[SameObject, bool]], list[Formula]]:
    """The conditions of a formula: atoms that must be true, terms that must be equal or not, and what is left."""
    atoms: list[AtomOf] = []
    same: list[tuple[SameObject, bool]] = []
    rest: list[Formula] = []
    for part in conjuncts(formula):
        match part:
            case AtomOf():
                atoms.append(part)
            case SameObject():
                same.append((part, True))
            case Negation(SameObject() as test):
                same.append((test, False))
            case _:
                rest.append(part)
    return atoms, same, rest


class ManyActionsError(GroundingError):
    """More actions are possible than are wanted."""


def reached(puzzle: Pddl, impossible: Callable[[Formula, dict[str, str]], bool], most: int) -> Reached:
    """What the relaxation reaches. `impossible(formula, names)` says whether a formula is false for good.

    Raises `ManyActionsError` for more instances than `most`, `GroundingError` for a join that is too long: a call
    stands inside another for each parameter and each condition.
    """
    try:
        return _Reaching(puzzle, impossible, most).result()
    except RecursionError:
        longest = max(puzzle.actions, key=lambda each: len(each.parameters) + 2 * len(split(each.precondition)[0]))
        message = "has more parameters or conditions than can be matched; 400 are no trouble"
        raise puzzle.error(("action", longest.name), message, "split it into several actions") from None


class _Reaching:
    def __init__(self, puzzle: Pddl, impossible: Callable[[Formula, dict[str, str]], bool], most: int) -> None:
        self.puzzle, self.impossible, self.most = puzzle, impossible, most
        self.atoms = Atoms()
        self.instances: list[Instance] = []
        self.waiting: list[GroundAtom] = []
        self.met: set[GroundAtom] = set()
        self.seeds: dict[str, list[tuple[Query, Callable[[Slots], None]]]] = {}
        self.on_progress = progress_callback()
        for atom in sorted(puzzle.init):
            if atom[0] in puzzle.static:
                self.atoms.add(atom)
                self.met.add(atom)
        self.at_once = [rule for action in puzzle.actions for rule in self._rules(action)]

    def result(self) -> Reached:
        for atom in sorted(self.puzzle.init):
            self._reach(atom)
        for query, rule in self.at_once:
            rule([""] * len(query.variables))
        for number, atom in enumerate(self.waiting):  # it grows
            if number % LOOK == 0:
                self.on_progress(len(self.instances), "actions")
            self.atoms.add(atom)
            for query, rule in self.seeds.get(atom[0], ()):
                query.current = atom
                rule([""] * len(query.variables))
        return Reached(self.atoms, self.instances)

    def _reach(self, atom: GroundAtom) -> None:
        if atom not in self.met:
            self.met.add(atom)
            self.waiting.append(atom)

    def _rules(self, action: PddlAction) -> Iterator[tuple[Query, Callable[[Slots], None]]]:
        """The rules of an action that ask for no atom that changes; the others are kept by the predicates of those."""
        simple = [effect for effect in action.effects if effect.makes and not self._conditional(effect)]
        yield from self._rule(action, None, self._instance(action, simple))
        for effect in action.effects:
            if effect.makes and self._conditional(effect):
                yield from self._rule(action, effect, self._head(action, effect))

    @staticmethod
    def _conditional(effect: AtomEffect) -> bool:
        return bool(effect.variables) or effect.condition != Junction(True, ())

    def _rule(
        self, action: PddlAction, effect: AtomEffect | None, last: Callable[[Slots], None]
    ) -> Iterator[tuple[Query, Callable[[Slots], None]]]:
        variables = (*action.parameters, *(effect.variables if effect else ()))
        whole = Junction(True, (action.precondition, effect.condition) if effect else (action.precondition,))
        for alternative in alternatives(whole):
            yield from self._joins(variables, alternative, last)

    def _joins(
        self, variables: tuple[TypedName, ...], condition: Formula, last: Callable[[Slots], None]
    ) -> Iterator[tuple[Query, Callable[[Slots], None]]]:
        atoms, same, _ = split(condition)
        changing = [number for number, atom in enumerate(atoms) if atom.predicate not in self.puzzle.static]
        if not changing:
            query = Query(self.atoms, variables, atoms, same)
            yield query, query.plan((), last)
        for number in changing:
            query = Query(self.atoms, variables, atoms, same)
            rule = query.plan((), last, number)
            self.seeds.setdefault(atoms[number].predicate, []).append((query, rule))

    def _instance(self, action: PddlAction, effects: Iterable[AtomEffect]) -> Callable[[Slots], None]:
        count = len(action.parameters)
        names = [parameter.name for parameter in action.parameters]
        rest = split(action.precondition)[2]
        heads = [effect.atom for effect in effects]
        several = len(alternatives(action.precondition)) > 1
        seen = set[tuple[str, ...]]()

        def last(slots: Slots) -> None:
            objects = tuple(slots[:count])
            if several:
                if objects in seen:
                    return
                seen.add(objects)
            bound = dict(zip(names, objects, strict=True))
            if any(self.impossible(part, bound) for part in rest):
                return
            self.instances.append(Instance(action, objects))
            if len(self.instances) % LOOK == 0:
                self.on_progress(len(self.instances), "actions")
                if len(self.instances) > self.most:
                    message = f"more than {self.most:,} actions are possible"
                    raise ManyActionsError(self.puzzle.error(("problem",), message, "use a smaller problem").problems)
            for head in heads:
                self._reach(filled(head, bound))

        return last

    def _head(self, action: PddlAction, effect: AtomEffect) -> Callable[[Slots], None]:
        names = [variable.name for variable in (*action.parameters, *effect.variables)]
        rest = [*split(action.precondition)[2], *split(effect.condition)[2]]

        def last(slots: Slots) -> None:
            bound = dict(zip(names, slots, strict=True))
            if not any(self.impossible(part, bound) for part in rest):
                self._reach(filled(effect.atom, bound))

        return last
