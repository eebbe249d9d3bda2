"""A PDDL domain and problem, once they are read: every name resolved, every type checked.

What is read of PDDL (McDermott et al., *PDDL: the planning domain definition language*, 1998; Fox and Long, *PDDL2.1*,
JAIR 2003): types, constants, equality, negative and disjunctive preconditions, quantifiers, conditional and universal
effects, action costs. Names are in lower case, as PDDL makes no difference. Variables begin with `?`; a variable within
a quantifier or a universal effect hides one of the same name around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import prod
from textwrap import wrap

from ...cells import Cell, Rows
from ...errors import GroundingError, Problem, ReplayError, UnreadableError
from ...family import Notation
from ...moves import Metric, Unit
from ...plan import Plan, Simulator, by_time, fitting
from ...text import counted, listing, suggest
from ..custom.puzzle import Act

COST = Metric((Unit("cost", "cost"),))
"""The metric of a problem with `(:metric minimize (total-cost))`."""

ACTIONS = Metric((Unit("action", "actions"),))
"""The metric of any other problem: every action counts one."""

GroundAtom = tuple[str, ...]
"""A predicate and its objects: `("at", "truck1", "depot")`."""

Names = Mapping[str, str]
"""The object of each variable that has one."""


def metrics_of(priced: bool) -> tuple[Metric, ...]:
    """The metrics of a problem that minimizes costs (`priced`), or of any other: its own first."""
    return (COST, ACTIONS, Metric((*COST.units, *ACTIONS.units))) if priced else (ACTIONS,)


@dataclass(frozen=True, slots=True)
class TypedName:
    """A parameter, or a variable of a quantifier: its name (`?x`), and the objects that it can be, in order."""

    name: str
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AtomOf:
    """`(at ?x depot)`: a predicate, and variables (`?x`) or objects."""

    predicate: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SameObject:
    """The condition that two terms are the same object: `(= ?x ?y)`."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Negation:
    """The condition that another one does not hold: `(not f)`."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Junction:
    """`(and f ...)`, or with `every` false `(or f ...)`. `(and)` is true, `(or)` is false; `(imply f g)` is read as
    `(or (not f) g)`.
    """

    every: bool
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """`(forall (?x - t) f)`, or with `every` false `(exists (?x - t) f)`."""

    every: bool
    variables: tuple[TypedName, ...]
    inner: Formula


Formula = AtomOf | SameObject | Negation | Junction | Quantified


@dataclass(frozen=True, slots=True)
class AtomEffect:
    """An atom becomes true (`makes`) or false, for all objects of some variables, where a condition holds before.

    An atom that an action makes true and false at once is true after it.
    """

    atom: AtomOf
    makes: bool
    variables: tuple[TypedName, ...] = ()
    condition: Formula = Junction(True, ())


@dataclass(frozen=True, slots=True)
class Increase:
    """`(increase (total-cost) (road-length ?a ?b))`: a function with its terms; or a number, if it has no name."""

    function: str
    terms: tuple[str, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class PddlAction:
    """An action with its parameters. `costs`: what it adds to the total cost; together 0 if there are none."""

    name: str
    parameters: tuple[TypedName, ...]
    precondition: Formula
    effects: tuple[AtomEffect, ...]
    costs: tuple[Increase, ...]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: its name, and the objects that each of its arguments can be."""

    name: str
    arguments: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Pddl:
    """A domain and a problem.

    `objects`: every object, constants first, each with its type (the first of several). `predicates`: those of the
    domain. `static`: the predicates that no action changes. `init`: the atoms that are true at the start. `values`: of
    each function with its objects, whole numbers. `priced`: whether the total cost is to be as small as can be; else
    every action costs 1. `domain_text`, `problem_text`: the two files. `places`: where the parts stand, for messages
    (`("action", "move")`, `("goal",)`).
    """

    domain: str
    name: str
    objects: Mapping[str, str]
    predicates: Mapping[str, Predicate]
    static: frozenset[str]
    actions: tuple[PddlAction, ...]
    init: frozenset[GroundAtom]
    values: Mapping[GroundAtom, int]
    goal: Formula
    priced: bool
    domain_text: str = field(compare=False)
    problem_text: str = field(compare=False)
    places: Mapping[tuple[str, ...], Problem] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def steady(self) -> frozenset[str]:
        """The predicates of which no action makes an atom false."""
        made_false = {effect.atom.predicate for action in self.actions for effect in action.effects if not effect.makes}
        return frozenset(self.predicates).difference(made_false)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the problem, its own first."""
        return metrics_of(self.priced)

    def error(self, part: tuple[str, ...], message: str, hint: str) -> GroundingError:
        """What is wrong with a part once it is grounded, at its place: `("action", "move")`, `("goal",)`."""
        place = self.places.get(part) or self.places["problem",]
        return GroundingError([replace(place, message=message, hint=hint)])

    def goal_text(self) -> Rows:
        return (in_words(self.goal, self.objects),)

    def counts(self) -> str:
        return f"{counted(len(self.objects), 'object')}, {counted(len(self.actions), 'action')}"


def filled(atom: AtomOf, names: Names) -> GroundAtom:
    """An atom with objects in place of its variables."""
    return (atom.predicate, *[names.get(term, term) for term in atom.terms])


def bindings(variables: Iterable[TypedName], names: Names) -> Iterator[dict[str, str]]:
    """The names with every combination of objects of some variables."""
    several = tuple(variables)
    for objects in product(*[variable.objects for variable in several]):
        yield {**names, **{variable.name: given for variable, given in zip(several, objects, strict=True)}}


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """The parts of nested `and`s, in order: the whole is true if and only if all of them are."""
    if isinstance(formula, Junction) and formula.every:
        for part in formula.parts:
            yield from conjuncts(part)
    else:
        yield formula


def text_of(formula: Formula, names: Names) -> str:
    """A formula as PDDL writes it, with objects for the variables that have a name."""
    match formula:
        case AtomOf(predicate, terms):
            return f"({' '.join([predicate, *[names.get(term, term) for term in terms]])})"
        case SameObject(left, right):
            return f"(= {names.get(left, left)} {names.get(right, right)})"
        case Negation(inner):
            return f"(not {text_of(inner, names)})"
        case Junction(every, parts):
            return f"({' '.join(['and' if every else 'or', *[text_of(part, names) for part in parts]])})"
        case Quantified(every, variables, inner):
            listed = " ".join(variable.name for variable in variables)
            free = {name: given for name, given in names.items() if name not in {v.name for v in variables}}
            return f"({'forall' if every else 'exists'} ({listed}) {text_of(inner, free)})"


def in_words(formula: Formula, types: Mapping[str, str]) -> str:
    """A formula for people, the first object before the predicate: `red and blue at right, (for every van v: v at
    right)` for `(and (at red right) (at blue right) (forall (?v - van) (at ?v right)))`. `types`: that of each object.
    """
    match formula:
        case AtomOf(predicate, (place,)) if _spaced(predicate).endswith((" at", " in", " on")):  # ferry at harbour
            return f"{_spaced(predicate)} {place}".replace("?", "")
        case AtomOf(predicate, (first, *rest)):
            return " ".join([first, _spaced(predicate), *rest]).replace("?", "")
        case AtomOf(predicate):
            return _spaced(predicate)
        case SameObject(left, right):
            return f"{left} is {right}".replace("?", "")
        case Negation(AtomOf(predicate, terms)):
            return in_words(AtomOf(f"not {predicate}", terms), types)
        case Negation(inner):
            return f"not {_nested(inner, types)}"
        case Junction(True):
            return ", ".join(_together(conjuncts(formula), types)) or "nothing"
        case Junction(_, parts):
            return " or ".join(_nested(part, types) for part in parts) or "never"
        case Quantified(every, variables, inner):
            if empty := next((v.name[1:] for v in variables if not v.objects), None):
                return f"{'true' if every else 'never'}, as no object can be {empty}"
            kinds = [" or ".join(dict.fromkeys(types[name] for name in v.objects)) for v in variables]
            listed = " and ".join(f"{kind} {v.name[1:]}" for kind, v in zip(kinds, variables, strict=True))
            return f"for {'every' if every else 'some'} {listed}: {_nested(inner, types)}"


def _spaced(predicate: str) -> str:
    return predicate.replace("_", " ").replace("-", " ")


def _nested(formula: Formula, types: Mapping[str, str]) -> str:
    """A formula as a part of another one: in parentheses, if it could be read as more than that part."""
    said = in_words(formula, types)
    return f"({said})" if isinstance(formula, Junction | Quantified) else said


def _together(parts: Iterable[Formula], types: Mapping[str, str]) -> Iterator[str]:
    """The parts of a conjunction in words; atoms that differ only in their first object are said as one."""
    alike: dict[Formula, list[str]] = {}
    for part in parts:
        match part:
            case AtomOf(predicate, (first, *rest)):
                alike.setdefault(AtomOf(predicate, ("", *rest)), []).append(first)
            case _:
                alike[part] = []
    for part, firsts in alike.items():
        if isinstance(part, AtomOf) and firsts:
            yield in_words(AtomOf(part.predicate, (listing(list(dict.fromkeys(firsts))), *part.terms[1:])), types)
        else:
            yield _nested(part, types)


# Plans of PDDL as text, as the planning competitions write them: an action on each line, `(drive truck1 a b)`.
#
# Comments begin with `;`. An action may have a time before it and a duration behind, which is passed over: `0.003:
# (drive truck1 a b) [1]`. Actions with times are in the order of these, not of their lines.

_ACTION = re.compile(r"\(([^()]*)\)(?:\s*\[[\d.]+\])?")
_BETWEEN = re.compile(r"(?:\s+|(\d+(?:\.\d+)?)\s*:)*")


def written(act: Act) -> str:
    """An action with its objects as plans in PDDL have it: `(drive truck1 a b)`."""
    return f"({' '.join((act.action, *act.args))})"


def parse(_puzzle: Pddl, text: str) -> Plan:
    """The plan that a text writes. Raises `UnreadableError`, with the place, for anything that is no action."""
    plain = re.sub(r";[^\n]*", "", text).lower()
    acts: list[tuple[str | None, Act]] = []
    at = 0
    while True:
        between = _BETWEEN.match(plain, at)
        assert between is not None
        at = between.end()
        if at == len(plain):
            return Plan(tuple(by_time(acts)))
        match = _ACTION.match(plain, at)
        words = match[1].split() if match else []
        if match is None or not words:
            raise UnreadableError(
                f"step {len(acts) + 1}: `{plain[at : at + 20].split(chr(10))[0]}` is no action; {HELP}"
            )
        acts.append((between[1], Act(words[0], tuple(words[1:]))))
        at = match.end()


HELP = "write each action in parentheses, `(drive truck1 a b)`"
NOTATION: Notation[Pddl] = Notation("each action in parentheses: `(drive truck1 a b)`", parse, "\n")


# Playing a PDDL problem: its actions are interpreted on sets of atoms, without what grounding makes of them.
#
# The state is the set of atoms that are true; all else is false. All effects are found in the state before an action;
# what is made true and false at once is true after it (McDermott et al., 1998; Fox and Long, *PDDL2.1*, JAIR 2003).

MANY = 40
"""At most this many atoms of a predicate are listed; of more, those that are false if these are fewer."""


def truth(formula: Formula, names: Names, truth_of: Callable[[GroundAtom], bool | None]) -> bool | None:
    """Whether a formula is true, by what is known of its atoms; None if that is not known."""
    values: Iterator[bool | None]
    match formula:
        case AtomOf():
            return truth_of(filled(formula, names))
        case SameObject(left, right):
            return names.get(left, left) == names.get(right, right)
        case Negation(inner):
            value = truth(inner, names, truth_of)
            return None if value is None else not value
        case Junction(every, parts):
            values = (truth(part, names, truth_of) for part in parts)
        case Quantified(every, variables, inner):
            values = (truth(inner, bound, truth_of) for bound in bindings(variables, names))
    result: bool | None = every
    for value in values:
        if value is not None and value != every:
            return value
        if value is None:
            result = None
    return result


def holds(formula: Formula, names: Names, state: frozenset[GroundAtom]) -> bool:
    """Whether a formula is true in a state."""
    return truth(formula, names, state.__contains__) is True


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
            for names in fitting(
                [(parameter.name, parameter.objects) for parameter in action.parameters],
                list(conjuncts(action.precondition)),
                {},
                variables_of,
                lambda part, bound: holds(part, bound, self.state),
            )
        ]

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
