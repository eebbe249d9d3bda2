"""Playing a PDDL problem: its actions are interpreted on sets of atoms, without what grounding makes of them.

The state is the set of atoms that are true; all else is false. All effects are found in the state before an action;
what is made true and false at once is true after it (McDermott et al., 1998; Fox and Long, *PDDL2.1*, JAIR 2003).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import product
from math import prod
from textwrap import wrap

from ...cells import Cell, Rows
from ...errors import ReplayError
from ...plan import Simulator
from ...text import suggest
from ..custom.puzzle import Act
from .problem import (
    AtomOf,
    Formula,
    GroundAtom,
    Junction,
    Names,
    Negation,
    Pddl,
    PddlAction,
    Quantified,
    SameObject,
    TypedName,
    bindings,
    conjuncts,
    filled,
    text_of,
    written,
)

MANY = 40
"""At most this many atoms of a predicate are listed; of more, those that are false if these are fewer."""


def holds(formula: Formula, names: Names, state: frozenset[GroundAtom]) -> bool:
    """Whether a formula is true in a state."""
    match formula:
        case AtomOf():
            return filled(formula, names) in state
        case SameObject(left, right):
            return names.get(left, left) == names.get(right, right)
        case Negation(inner):
            return not holds(inner, names, state)
        case Junction(every, parts):
            return (all if every else any)(holds(part, names, state) for part in parts)
        case Quantified(every, variables, inner):
            return (all if every else any)(holds(inner, bound, state) for bound in bindings(variables, names))


def variables_of(formula: Formula) -> set[str]:
    """The variables of a formula that no quantifier in it binds."""
    match formula:
        case AtomOf(_, terms):
            return {term for term in terms if term.startswith("?")}
        case SameObject(left, right):
            return {term for term in (left, right) if term.startswith("?")}
        case Negation(inner):
            return variables_of(inner)
        case Junction(_, parts):
            return {name for part in parts for name in variables_of(part)}
        case Quantified(_, variables, inner):
            return variables_of(inner) - {variable.name for variable in variables}


class PddlSimulator(Simulator[Act]):
    """Plays a problem action by action."""

    def __init__(self, puzzle: Pddl) -> None:
        self.puzzle = puzzle
        self.actions = {action.name: action for action in puzzle.actions}
        self.state = puzzle.init
        self.costs = {"actions": 0, **({"cost": 0} if puzzle.priced else {})}

    def play(self, move: Act) -> str:
        action = self.actions.get(move.action)
        if action is None:
            raise ReplayError(f"there is no action `{move.action}`; {suggest(move.action, self.actions)}")
        names = self._names(action, move.args)
        broken = self._broken(action.precondition, names)
        if broken is not None:
            raise ReplayError(f"its precondition `{broken}` does not hold")
        price = self._price(action, names) if "cost" in self.costs else 0
        self.state = self._after(action, names)
        self.costs["actions"] += 1
        if "cost" in self.costs:
            self.costs["cost"] += price
        return written(move)

    @staticmethod
    def _names(action: PddlAction, args: tuple[str, ...]) -> dict[str, str]:
        if len(args) != len(action.parameters):
            wanted = " ".join(parameter.name for parameter in action.parameters) or "no parameter"
            raise ReplayError(f"`{action.name}` takes {wanted}")
        for parameter, given in zip(action.parameters, args, strict=True):
            if given not in parameter.objects:
                raise ReplayError(f"`{parameter.name}` of `{action.name}` cannot be `{given[:60]}`")
        return {parameter.name: given for parameter, given in zip(action.parameters, args, strict=True)}

    def _broken(self, formula: Formula, names: Names) -> str | None:
        """The first part of a condition that is false, as it is written; None if it is true."""
        return next((text_of(part, names) for part in conjuncts(formula) if not holds(part, names, self.state)), None)

    def _after(self, action: PddlAction, names: Names) -> frozenset[GroundAtom]:
        true, false = set[GroundAtom](), set[GroundAtom]()
        for effect in action.effects:
            for bound in bindings(effect.variables, names):
                if holds(effect.condition, bound, self.state):
                    (true if effect.makes else false).add(filled(effect.atom, bound))
        return self.state.difference(false).union(true)

    def _price(self, action: PddlAction, names: Names) -> int:
        total = 0
        for part in action.costs:
            key = (part.function, *[names.get(term, term) for term in part.terms])
            if part.function and key not in self.puzzle.values:
                raise ReplayError(f"`({' '.join(key)})` has no value, but its cost needs it")
            total += self.puzzle.values[key] if part.function else part.number
        return total

    def moves(self, of: Cell | None = None) -> Iterable[Act]:
        """Every action that is possible here."""
        return [
            Act(action.name, tuple(names[parameter.name] for parameter in action.parameters))
            for action in self.puzzle.actions
            for names in self._fitting(action.parameters, list(conjuncts(action.precondition)), {})
        ]

    def _fitting(self, parameters: tuple[TypedName, ...], parts: list[Formula], names: Names) -> Iterator[Names]:
        """Objects for the parameters for which all parts hold; each is tested as soon as its variables have objects."""
        waiting = {parameter.name for parameter in parameters}
        ready = [part for part in parts if waiting.isdisjoint(variables_of(part))]
        if all(holds(part, names, self.state) for part in ready):
            if not parameters:
                yield names
                return
            later = [part for part in parts if part not in ready]
            for bound in bindings(parameters[:1], names):
                yield from self._fitting(parameters[1:], later, bound)

    def board(self) -> Rows:
        """The atoms that are true, a line for each predicate that actions change: `at: ball1 rooma, ball2 rooma`."""
        lines = list[str]()
        for predicate in self.puzzle.predicates:
            if predicate not in self.puzzle.static and any(atom[0] == predicate for atom in self.state):
                lines += wrap(self._told(predicate), 100, subsequent_indent="  ", break_on_hyphens=False)
        fixed = any(atom[0] in self.puzzle.static for atom in self.puzzle.init)
        return tuple(lines) or (f"nothing {'that can change ' if fixed else ''}is true",)

    def _told(self, predicate: str) -> str:
        """Of which objects a predicate is true; where that are many, of which it is not: `free: all but c1, c2`."""
        told, named = predicate, {atom[1:] for atom in self.state if atom[0] == predicate}
        objects = self.puzzle.predicates[predicate].arguments
        if len(named) > MANY and prod(map(len, objects)) < 2 * len(named):
            named = set(product(*objects)) - named
            told += ": all but" if named else ": all"
        elif objects:
            told += ":"
        order = {name: i for i, name in enumerate(self.puzzle.objects)}
        words = [" ".join(args) for args in sorted(named, key=lambda args: [order[name] for name in args]) if args]
        more = [f"and {len(words) - MANY:,} more"] if len(words) > MANY else []
        return f"{told} {', '.join(words[:MANY] + more)}".rstrip()

    @property
    def position(self) -> Hashable:
        return self.state

    @property
    def solved(self) -> bool:
        return holds(self.puzzle.goal, {}, self.state)
