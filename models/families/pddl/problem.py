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
from ..custom.language import expressions as ex
from ..custom.language.evaluate import Evaluators
from ..custom.language.expressions import Expr, Loop, Value, conjuncts, used
from ..custom.puzzle import Act, Custom, Definition, Place

COST = Metric((Unit("cost", "cost"),))
"""The metric of a problem with `(:metric minimize (total-cost))`."""

ACTIONS = Metric((Unit("action", "actions"),))
"""The metric of any other problem: every action counts one."""

Atom = tuple[str, ...]
"""A predicate and its terms, which are objects or variables: `("at", "?x", "depot")`."""

GroundAtom = Atom
"""A predicate and its objects: `("at", "truck1", "depot")`."""

Names = Mapping[str, str]
"""The object of each variable that has one."""


def metrics_of(priced: bool) -> tuple[Metric, ...]:
    """The metrics of a problem that minimizes costs (`priced`), or of any other: its own first."""
    return (COST, ACTIONS, Metric((*COST.units, *ACTIONS.units))) if priced else (ACTIONS,)


# Conditions are expressions of the language of custom rules, with predicates as tables of truth values.
#
#     (at ?x depot)    at[?x, depot]              (imply f g)              not f or g
#     (= ?x ?y)        ?x == ?y                   (forall (?x - t) f)      all(f for ?x in t)
#
# A derived predicate is a definition: `(:derived (clear ?x) ...)` is used as `clear(?x)`.

TRUE = ex.And(())
"""The condition that always holds: `(and)`."""


def term(word: str) -> Expr:
    """The expression of a variable (`?x`) or an object."""
    return ex.Local(word) if word.startswith("?") else ex.Const(word)


def words(terms: Iterable[Expr]) -> Atom:
    """Variables and objects as they are written; see `term`."""
    return tuple([part.name if isinstance(part, ex.Local) else str(getattr(part, "value", "")) for part in terms])


def atom_of(condition: ex.Read | ex.Use) -> Atom:
    """The atom that a condition asks for: `at[?x, depot]` as `("at", "?x", "depot")`."""
    name = condition.table if isinstance(condition, ex.Read) else condition.name
    return (name, *words(condition.args))


@dataclass(frozen=True, slots=True)
class AtomEffect:
    """An atom becomes true (`makes`) or false, for all objects of some variables, where a condition holds before.

    An atom that an action makes true and false at once is true after it.
    """

    atom: Atom
    makes: bool
    variables: tuple[Loop, ...] = ()
    condition: Expr = TRUE

    @property
    def certain(self) -> bool:
        """Whether it comes about once, whatever the state is."""
        return not self.variables and self.condition == TRUE


@dataclass(frozen=True, slots=True)
class Price:
    """What an action adds to the total cost, for all objects of some variables, where a condition holds before: a
    number, or a function with its terms (`("road-length", "?a", "?b")`).
    """

    amount: int | Atom
    variables: tuple[Loop, ...] = ()
    condition: Expr = TRUE


@dataclass(frozen=True, slots=True)
class PddlAction:
    """An action with its parameters. `costs`: what it adds to the total cost, together 0 if there are none."""

    name: str
    parameters: tuple[Loop, ...]
    precondition: Expr
    effects: tuple[AtomEffect, ...]
    costs: tuple[Price, ...]


@dataclass(frozen=True)
class Pddl:
    """A domain and a problem.

    `objects`: every object, constants first, each with its type (the first of several). `predicates`: those of the
    domain, each with the objects that its arguments can be. `static`: the predicates that no action changes. `init`:
    the atoms that are true at the start. `values`: of each function with its objects, whole numbers. `priced`: whether
    the total cost is to be as small as can be; else every action costs 1. `domain_text`, `problem_text`: the two files.
    `derived`: the predicates that conditions define, which are not among `predicates`. `exclusive`: sets of atoms of
    which at most one is true, where they are given. `begun`: the total cost at the start, which is not counted.
    `places`: where the parts stand, for messages (`("action", "move")`, `("goal",)`).
    """

    domain: str
    name: str
    objects: Mapping[str, str]
    predicates: Mapping[str, tuple[tuple[str, ...], ...]]
    static: frozenset[str]
    actions: tuple[PddlAction, ...]
    init: frozenset[GroundAtom]
    values: Mapping[GroundAtom, int]
    goal: Expr
    priced: bool
    domain_text: str = field(compare=False)
    problem_text: str = field(compare=False)
    derived: Mapping[str, Definition] = field(default_factory=dict)
    exclusive: tuple[frozenset[GroundAtom], ...] = ()
    begun: int = 0
    places: Mapping[tuple[str, ...], Problem] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def steady(self) -> frozenset[str]:
        """The predicates of which no action makes an atom false."""
        made_false = {effect.atom[0] for action in self.actions for effect in action.effects if not effect.makes}
        return frozenset(self.predicates).difference(made_false)

    @property
    def translated(self) -> bool:
        """Whether it was read of the task that a translator has made of both files (`sas`), here `problem_text`."""
        return not self.domain_text

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the problem, its own first."""
        return metrics_of(self.priced)

    def error(self, part: tuple[str, ...], message: str, hint: str) -> GroundingError:
        """What is wrong with a part once it is grounded, at its place: `("action", "move")`, `("goal",)`."""
        place = self.places.get(part) or self.places["problem",]
        return GroundingError([replace(place, message=message, hint=hint)])

    def evaluators(self) -> Evaluators:
        """What makes functions of conditions, as of those of custom rules (`custom.language.evaluate`)."""
        return Evaluators(Custom({}, {}, {}, self.derived, {}, (), (), (), ()), lambda _amount: None)

    def prices(self, action: PddlAction, names: Names) -> Iterator[tuple[int | GroundingError, Expr, Names]]:
        """What an action adds to the total cost, each with the condition and with the objects of its variables; an
        error for what has no value. Nothing if the total cost is not minimized.
        """
        for price in action.costs if self.priced else ():
            for bound in bindings(price.variables, names):
                if isinstance(price.amount, int):
                    yield price.amount, price.condition, bound
                    continue
                key = filled(price.amount, bound)
                written = f"({' '.join(key)})"
                message = f"`{written}` has no value, but the cost of `{action.name}` needs it"
                none = self.error(("init",), message, f"add `(= {written} 1)`") if key not in self.values else None
                yield none or self.values[key], price.condition, bound

    def goal_text(self) -> Rows:
        return (in_words(self.goal, self.objects),)

    def notes(self) -> Iterator[str]:
        if self.begun:
            yield f"the total cost starts at {self.begun:,}: the cost of a plan is what its actions add"

    def counts(self) -> str:
        return f"{counted(len(self.objects), 'object')}, {counted(len(self.actions), 'action')}"


def known(amount: int | GroundingError) -> int:
    """A part of a cost. Raises the error that says why it has no value."""
    if isinstance(amount, int):
        return amount
    raise amount


def filled(atom: Atom, names: Names) -> GroundAtom:
    """An atom with objects in place of its variables."""
    return tuple([names.get(word, word) for word in atom])


def bindings(variables: Iterable[Loop], names: Names) -> Iterator[dict[str, str]]:
    """The names with every combination of objects of some variables."""
    several = tuple(variables)
    for objects in product(*[variable.values for variable in several]):
        yield {**names, **{variable.name: str(given) for variable, given in zip(several, objects, strict=True)}}


def text_of(condition: Expr, names: Names) -> str:
    """A condition as PDDL writes it, with objects for the variables that have a name."""
    match condition:
        case ex.Read() | ex.Use():
            return f"({' '.join(filled(atom_of(condition), names))})"
        case ex.Compare(_, left, right):
            return f"({' '.join(filled(('=', *words((left, right))), names))})"
        case ex.Not(inner):
            return f"(not {text_of(inner, names)})"
        case ex.And(parts) | ex.Or(parts):
            said = [text_of(part, names) for part in parts]
            return f"({' '.join(['and' if isinstance(condition, ex.And) else 'or', *said])})"
        case ex.Quantifier(kind, inner, loops):
            listed = " ".join(loop.name for loop in loops)
            return f"({'forall' if kind == 'all' else 'exists'} ({listed}) {text_of(inner, names)})"
    raise TypeError(condition)


def in_words(condition: Expr, types: Mapping[str, str]) -> str:
    """A condition for people, the first object before the predicate: `red and blue at right, (for every van v: v at
    right)` for `(and (at red right) (at blue right) (forall (?v - van) (at ?v right)))`. `types`: that of each object.
    """
    match condition:
        case ex.Read() | ex.Use():
            return _atom_in_words(*atom_of(condition))
        case ex.Not(ex.Read(predicate, terms) | ex.Use(predicate, terms)):
            return _atom_in_words(f"not {predicate}", *words(terms))
        case ex.Compare(_, left, right):
            return " is ".join(words((left, right))).replace("?", "")
        case ex.Not(inner):
            return f"not {_nested(inner, types)}"
        case ex.And():
            return ", ".join(_together(conjuncts(condition), types)) or "nothing"
        case ex.Or(parts):
            return " or ".join(_nested(part, types) for part in parts) or "never"
        case ex.Quantifier(kind, inner, loops):
            if empty := next((loop.name[1:] for loop in loops if not loop.values), None):
                return f"{'true' if kind == 'all' else 'never'}, as no object can be {empty}"
            kinds = [" or ".join(dict.fromkeys(types[str(name)] for name in loop.values)) for loop in loops]
            listed = " and ".join(f"{kind} {loop.name[1:]}" for kind, loop in zip(kinds, loops, strict=True))
            return f"for {'every' if kind == 'all' else 'some'} {listed}: {_nested(inner, types)}"
    raise TypeError(condition)


def _atom_in_words(predicate: str, *terms: str) -> str:
    spaced = predicate.replace("_", " ").replace("-", " ")
    if len(terms) == 1 and spaced.endswith((" at", " in", " on")):  # ferry at harbour
        terms = ("", *terms)
    return " ".join([*terms[:1], spaced, *terms[1:]]).strip().replace("?", "")


def _nested(condition: Expr, types: Mapping[str, str]) -> str:
    """A condition as a part of another one: in parentheses, if it could be read as more than that part."""
    said = in_words(condition, types)
    return f"({said})" if isinstance(condition, ex.And | ex.Or | ex.Quantifier) else said


def _together(parts: Iterable[Expr], types: Mapping[str, str]) -> Iterator[str]:
    """The parts of a conjunction in words; atoms that differ only in their first object are said as one."""
    alike: dict[Expr | Atom, list[str]] = {}
    for part in parts:
        atom = atom_of(part) if isinstance(part, ex.Read | ex.Use) else ()
        if len(atom) > 1:
            alike.setdefault((atom[0], *atom[2:]), []).append(atom[1])
        else:
            alike[part] = []
    for alike_part, firsts in alike.items():
        if isinstance(alike_part, tuple):
            yield _atom_in_words(alike_part[0], listing(list(dict.fromkeys(firsts))), *alike_part[1:])
        else:
            yield _nested(alike_part, types)


# Plans of PDDL as text, as the planning competitions write them: an action on each line, `(drive truck1 a b)`.
#
# Comments begin with `;`. An action may have a time before it and a duration behind, which is passed over: `0.003:
# (drive truck1 a b) [1]`. Actions with times are in the order of these, not of their lines.

_ACTION = re.compile(r"\(([^()]*)\)(?:\s*\[[\d.]+\])?")
_BETWEEN = re.compile(r"(?:\s+|(\d+(?:\.\d+)?)\s*:)*")


def written(act: Act) -> str:
    """An action with its objects as plans in PDDL have it: `(drive truck1 a b)`."""
    return f"({' '.join((act.action, *act.args))})"


def parse(puzzle: Pddl, text: str) -> Plan:
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
            shown = plain[at : at + 20].split("\n")[0]
            raise UnreadableError(f"step {len(acts) + 1}: `{shown}` is no action; {HELP}").on(len(acts) + 1)
        acts.append((between[1], Act(" ".join(words)) if puzzle.translated else Act(words[0], tuple(words[1:]))))
        at = match.end()


HELP = "write each action in parentheses, `(drive truck1 a b)`"
NOTATION: Notation[Pddl] = Notation("each action in parentheses: `(drive truck1 a b)`", parse, "\n")


# Playing a PDDL problem: its actions are interpreted on sets of atoms, without what grounding makes of them.
#
# The state is the set of atoms that are true; all else is false. All effects are found in the state before an action;
# what is made true and false at once is true after it (McDermott et al., 1998; Fox and Long, *PDDL2.1*, JAIR 2003).

AGAIN = " #"
"""Between a name and a number, of operators in `.sas` that have one name: `drive truck1 a b #2`."""

MANY = 40
"""At most this many atoms of a predicate are listed; of more, those that are false if these are fewer."""


class Truths:
    """What is known of atoms, by the places of a state of custom rules: true, false, or None for either."""

    def __init__(self, truth_of: Callable[[GroundAtom], bool | None]) -> None:
        self.truth_of = truth_of

    def get(self, place: Place, /) -> bool | None:
        name, args = place
        return self.truth_of((name, *args))  # type: ignore[arg-type]


class PddlSimulator(Simulator[Act]):
    """Plays a problem action by action."""

    def __init__(self, puzzle: Pddl) -> None:
        self.puzzle = puzzle
        self.actions: dict[str, list[PddlAction]] = {}
        for action in puzzle.actions:
            for name in {action.name, action.name.split(AGAIN)[0]}:
                self.actions.setdefault(name, []).append(action)
        self.state = set(puzzle.init)
        self.evaluators = puzzle.evaluators()
        self.costs = {"actions": 0, **({"cost": 0} if puzzle.priced else {})}

    def play(self, move: Act) -> str:
        several = self.actions.get(move.action)
        if several is None:
            raise ReplayError(f"there is no action `{move.action}`; {suggest(move.action, self.actions)}")
        self.evaluators.forget()
        action = several[0]
        if len(several) > 1:
            action = next((one for one in several if self._holds(one.precondition, {})), action)
        names = self._names(action, move.args)
        for part in conjuncts(action.precondition):
            if not self._holds(part, names):
                said = f"`{text_of(part.inner, names)}` is true" if isinstance(part, ex.Not) else ""
                raise ReplayError(f"{written(move)} is not possible: {said or f'`{text_of(part, names)}` is false'}")
        prices = [part for part in self.puzzle.prices(action, names) if self._holds(*part[1:])]
        try:
            price = sum(known(amount) for amount, _, _ in prices)
        except GroundingError as error:
            raise ReplayError(error.problems[0].message) from None
        self._change(action, names)
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
            if given not in parameter.values:
                raise ReplayError(f"`{parameter.name}` of `{action.name}` cannot be `{given[:60]}`")
        return {parameter.name: given for parameter, given in zip(action.parameters, args, strict=True)}

    def _holds(self, condition: Expr, names: Mapping[str, Value]) -> bool:
        return self.evaluators.evaluator(condition)(names, Truths(self.state.__contains__)) is True

    def _change(self, action: PddlAction, names: Names) -> None:
        true, false = set[GroundAtom](), set[GroundAtom]()
        for effect in action.effects:
            for bound in bindings(effect.variables, names):
                if self._holds(effect.condition, bound):
                    (true if effect.makes else false).add(filled(effect.atom, bound))
        self.state -= false
        self.state |= true

    def moves(self, of: Cell | None = None) -> Iterable[Act]:
        """Every action that is possible here."""
        self.evaluators.forget()
        return [
            Act(action.name, tuple(str(names[parameter.name]) for parameter in action.parameters))
            for action in self.puzzle.actions
            for names in fitting(
                [(parameter.name, parameter.values) for parameter in action.parameters],
                list(conjuncts(action.precondition)),
                {},
                used,
                self._holds,
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
        objects = self.puzzle.predicates[predicate]
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
        return frozenset(self.state)

    @property
    def solved(self) -> bool:
        self.evaluators.forget()
        return self._holds(self.puzzle.goal, {})
