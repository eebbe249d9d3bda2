"""A puzzle of the author's own rules: what its file defines, checked and with every name resolved.

Words: a *table* holds a value for each combination of its arguments, `at` for each item. Tables of the state change,
constants do not. A *place* of the state is one variable, a table and its arguments: `at[wolf]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import ClassVar

from ...cells import Cell, Rows
from ...errors import GroundingError, Problem, ReplayError, UnreadableError
from ...family import Appearance, Notation
from ...moves import Move
from ...plan import Plan
from ...text import counted, suggest
from .language.expressions import Conditional, Connected, Const, Expr, Loop, Read, SlideEnd, Use, Value, parts, text_of

NAME = "custom"

Place = tuple[str, tuple[Value, ...]]
"""A variable of the state: the name of a table, and its arguments."""


def shown(place: Place) -> str:
    """A place for people: `at[wolf]`."""
    table, args = place
    return f"{table}[{', '.join(map(text_of, args))}]" if args else table


@dataclass(frozen=True)
class Domain:
    """The values of a type, in order. `kind`: `truth`, `number`, `object` or `cell`."""

    name: str
    kind: str
    values: tuple[Value, ...]

    @cached_property
    def members(self) -> frozenset[Value]:
        """The values, to ask whether one is among them."""
        return frozenset(self.values)

    @cached_property
    def by_text(self) -> dict[str, Value]:
        """The values by how they are written."""
        return {text_of(value): value for value in self.values}


BOOL = Domain("bool", "truth", (False, True))


@dataclass(frozen=True)
class ValueTable:
    """A value of `domain` for each combination of arguments. `values`: at the start, or for good.

    `different`: no two of its values are ever equal; what would make them so is not possible.
    """

    name: str
    of: tuple[Domain, ...]
    domain: Domain
    values: Mapping[tuple[Value, ...], Value]
    different: bool = False

    def every_key(self) -> list[tuple[Value, ...]]:
        """All combinations of arguments, in order."""
        return list(product(*(domain.values for domain in self.of)))


Parameters = tuple[tuple[str, Domain], ...]

Part = tuple[str | int, ...]
"""A part of a file: `("actions", "push")` is an action, `("actions", "push", "when", 2)` its second condition,
`("actions", "push", "set", 1)` its first assignment; `("goal", 1)` is the first condition of the goal.
"""


@dataclass(frozen=True, slots=True)
class Definition:
    """A named expression."""

    parameters: Parameters
    body: Expr


@dataclass(frozen=True, slots=True)
class TableAssignment:
    """`table[args]: value`, once for each turn of the loops."""

    table: str
    args: tuple[Expr, ...]
    value: Expr
    loops: tuple[Loop, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """What can be done: for some parameters, if all conditions hold, all assignments at once."""

    name: str
    parameters: Parameters
    conditions: tuple[Expr, ...]
    assignments: tuple[TableAssignment, ...]

    @property
    def names(self) -> set[str]:
        """The names of the parameters."""
        return {name for name, _ in self.parameters}


NEVER = Const(-1)
"""The price of an action that a metric does not have: in it, the action is not possible."""


@dataclass(frozen=True)
class Counting:
    """One component of the metrics, and what each action costs in it; actions without an entry cost nothing. A price
    may be `NEVER`, or a `Conditional` whose `no` is that.
    """

    many: str
    costs: Mapping[str, Expr]


@dataclass(frozen=True)
class DrawnLine:
    """A line of a drawing: texts and expressions, drawn once for each turn of the loops. An expression with a number
    takes at least so many columns. `trimmed`: without the blanks at the end.
    """

    parts: tuple[str | Expr | tuple[Expr, int], ...]
    loops: tuple[Loop, ...] = ()
    trimmed: bool = True


@dataclass(frozen=True)
class Looks:
    """How a state is drawn: `template`, lines with expressions between the texts; or `signs` on the map. `look`: what
    words or characters look like in a picture.

    `signs`: characters with a condition on the cell `here`, the first that holds is drawn, else the map's own
    character.
    """

    template: tuple[DrawnLine, ...] = ()
    signs: tuple[tuple[str, Expr], ...] = ()
    look: Appearance | None = None


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The result of relaxed reachability: the actions that ever apply, and the values (masks) that each variable can
    have.
    """

    actions: frozenset[str]
    reached: tuple[int, ...]


@dataclass(frozen=True)
class Custom:
    """A puzzle.

    `grid`: the rows of the map; `cells`: those that exist; `legend`: what each character puts on a cell.
    """

    directions: Mapping[str, Cell]
    state: Mapping[str, ValueTable]
    constants: Mapping[str, ValueTable]
    definitions: Mapping[str, Definition]
    actions: Mapping[str, ActionSchema]
    always: tuple[Expr, ...]
    goal: tuple[Expr, ...]
    countings: tuple[Counting, ...]
    goal_words: Rows
    grid: Rows = ()
    cells: frozenset[Cell] = frozenset()
    looks: Looks = Looks()
    signs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)
    relaxed: dict[tuple[str, ...], Relaxed] = field(default_factory=dict, compare=False, repr=False)
    """The result of relaxed reachability, kept for each metric that was grounded."""
    read_by: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    """The tables of the state that each definition reads, for definitions that were looked at so far."""
    places: Mapping[Part, Problem] = field(default_factory=dict, compare=False, repr=False)
    """The places of parts in the file, for errors that are found only when the puzzle is grounded."""

    def within(self, components: tuple[str, ...]) -> Custom:
        """The puzzle with the actions that a metric has: `slide: 1 if n == 1 else never` leaves slides of one cell."""
        prices = [counting.costs for counting in self.countings if counting.many in components]
        actions = {}
        for name, action in self.actions.items():
            asked = [costs[name] for costs in prices if name in costs]
            possible = []
            for price in asked:  # it grows: what stands before `if` may have a `never` of its own
                if isinstance(price, Conditional) and price.no == NEVER:
                    possible.append(price.condition)
                    asked.append(price.yes)
            if NEVER not in asked:
                actions[name] = replace(action, conditions=(*action.conditions, *possible))
        return replace(self, actions=actions)

    def reads(self, expr: Expr) -> frozenset[str]:
        """The tables of the state that an expression may read, itself or by the definitions that it uses."""
        tables: set[str] = set()
        for part in parts(expr):
            if isinstance(part, Read):
                tables.add(part.table)
            elif isinstance(part, Use | SlideEnd | Connected):
                name = part.name if isinstance(part, Use) else part.test
                if name not in self.read_by:
                    self.read_by[name] = self.reads(self.definitions[name].body)
                tables |= self.read_by[name]
        return frozenset(tables)

    def error(self, part: Part, message: str, hint: str) -> GroundingError:
        """An error in a part of the file, at its place. `message` begins with the verb: `falls into ...`."""
        place = next(self.places[part[:n]] for n in range(len(part), -1, -1) if part[:n] in self.places)
        return GroundingError([replace(place, message=f"{_in_words(part)} {message}", hint=hint)])

    def start(self) -> dict[Place, Value]:
        """The initial state."""
        return {(table.name, args): value for table in self.state.values() for args, value in table.values.items()}

    def look(self) -> Appearance | None:
        return self.looks.look

    def goal_text(self) -> Rows:
        return self.goal_words

    def counts(self) -> str:
        places = sum(len(table.values) for table in self.state.values())
        return f"{counted(len(self.actions), 'action')}, {counted(places, 'variable')}"


def _in_words(part: Part) -> str:
    match part:
        case ("actions", name):
            return f"the action `{name}`"
        case ("actions", name, kind, *_):
            what = {"when": "condition", "set": "assignment", "cost": "cost"}[str(kind)]
            return f"this {what} of the action `{name}`"
        case ("metrics", many, name):
            return f"this price of the action `{name}` in {many}"
        case ("draw",):
            return "what is drawn"
        case (kind, *_):
            return f"this condition of `{kind}`"
    return "the puzzle"


# Plans of custom families as text: an action with its parameters, `jump(r3c4,right)`; without any, `row`.
#
# `push(left)@r2c5`: the walker goes to row 2, column 5 first.


@dataclass(frozen=True, slots=True)
class Act(Move):
    """An action with its parameters as texts: `r3c4` is a cell.

    `at`: where a walker has walked to before, if it has.
    """

    kind: ClassVar[str] = "act"
    action: str
    args: tuple[str, ...] = ()
    at: str = ""

    @property
    def where(self) -> Cell | None:
        """The cell of an action for pointing at it: the first argument that is a cell."""
        match = next((re.fullmatch(r"r(\d+)c(\d+)", arg) for arg in self.args if arg.startswith("r")), None)
        return (int(match[1]) - 1, int(match[2]) - 1) if match else None

    @property
    def what(self) -> tuple[str, ...]:
        return self.args

    def __str__(self) -> str:
        what = f"{self.action}({','.join(self.args)})" if self.args else self.action
        return f"{what}@{self.at}" if self.at else what


def values_of(action: ActionSchema, act: Act) -> dict[str, Value]:
    """The parameters of an act as values. Raises `ReplayError` if they do not fit."""
    if len(act.args) != len(action.parameters):
        wanted = ", ".join(f"{name}: {domain.name}" for name, domain in action.parameters) or "no parameter"
        raise ReplayError(f"`{action.name}` takes {wanted}")
    return {name: _value(text, domain, name) for text, (name, domain) in zip(act.args, action.parameters, strict=True)}


def _value(text: str, domain: Domain, name: str) -> Value:
    if (value := domain.by_text.get(text)) is not None:
        return value
    raise ReplayError(f"`{name}` is of the type {domain.name}, and cannot be `{text[:40]}`")


_STEP = re.compile(r"([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?(?:@(r\d{1,4}c\d{1,4}))?[\s,;]*")


def parse(puzzle: Custom, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError`, with the place, for anything that is not an action."""
    moves: list[Act] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            error = UnreadableError(f"step {len(moves) + 1}: `{text[at : at + 20]}` is no action; write {EXAMPLE}")
            raise error.on(len(moves) + 1)
        name, inside = match[1], match[2]
        if name not in puzzle.actions:
            hint = suggest(name, puzzle.actions)
            kind = ReplayError if moves else UnreadableError  # with no action before it, it may be prose, or a log
            raise kind(f"step {len(moves) + 1}: there is no action `{name[:40]}`; {hint}").on(len(moves) + 1)
        args = tuple(part.strip() for part in inside.split(",")) if inside and inside.strip() else ()
        act = Act(name, args, match[3] or "")
        try:
            values_of(puzzle.actions[name], act)
        except ReplayError as error:
            raise ReplayError(f"step {len(moves) + 1} (`{act}`): {error}").on(len(moves) + 1) from None
        moves.append(act)
        at = match.end()
    return Plan(tuple(moves))


EXAMPLE = "an action with its parameters: `jump(r3c4,right)`"
NOTATION: Notation[Custom] = Notation(EXAMPLE, parse)
