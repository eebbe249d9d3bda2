"""Playing custom puzzles: which actions are possible in a state, what they lead to, and what they cost.

An action is possible if all its conditions are true, each place that it sets exists, each new value is one of its
table's, no place gets two values, no two values of a table are equal that have to be different, and all that is
`always` true is true after it. All new values are worked out in the state before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from .core.limits import TICKS, Invalid, Limits, Unsupported
from .core.problem import Cost
from .expressions import Expressions, Local, indices, shown
from .reading import StateGraph
from .terms import NUMBER, TRUE, TRUTH, Names, Parameters, Run, State, Term, Value, answers, remembered, running, told

NEVER = -(10**18)
"""The price `never`: an action that has it is not possible in the metric."""

NO_PRICE = "an action costs what is no number, or less than nothing"

Conditions = tuple[ast.expr, ...]


@dataclass(frozen=True)
class Action:
    """An action as in the file; `sets`: pairs of a place and its new value; `cost`: None stands for 1; `let`: names
    for expressions, each of which may use those before it.
    """

    parameters: Parameters
    when: Conditions
    sets: tuple[tuple[ast.expr, ast.expr], ...]
    cost: ast.expr | None
    let: tuple[tuple[str, ast.expr], ...] = ()


@dataclass(frozen=True)
class ActionPuzzle:
    """A puzzle with its rules. `said`: what the file says, by which two puzzles are the same or not. Its order counts:
    `other(x)` is of the first type that names x. `prices`: by what is counted, the cost of each action that is not free
    (True: its own)."""

    said: str
    rows: tuple[str, ...]
    names: Names = field(compare=False)
    actions: dict[str, Action] = field(compare=False)
    always: Conditions = field(compare=False)
    goal: Conditions = field(compare=False)
    prices: dict[str, dict[str, ast.expr | bool]] = field(compare=False)

    def counted(self, metric: str) -> str | None:
        """The units of a metric, one or two; None if the puzzle does not have this metric."""
        parts = metric.split(",")
        known = metric in self.prices or (len(parts) == len(self.prices) == 2 and set(parts) == set(self.prices))
        return metric if known else None

    def cost(self, plan: str, metric: str, file: str, limits: Limits) -> tuple[int, ...]:
        """Replay a plan and count. Raises `Invalid` at an action that is not possible, or if the goal is not met."""
        return ActingGame(self, metric, limits).replayed(plan, file)


@dataclass(frozen=True)
class Change:
    """One effect of an action: the new value of a place, whose index in the state is fixed or computed in it (None:
    no place).
    """

    when: Run | None
    place: int | Run
    value: Run
    allowed: frozenset[Value]


@dataclass(frozen=True)
class GroundAction:
    """An action with a value for each parameter."""

    conditions: tuple[Run, ...]
    changes: tuple[Change, ...]
    apart: tuple[range, ...]
    prices: tuple[Term, ...]


Makes = frozenset[tuple[int, Value]]
"""What an action changes in every state: pairs (place, new value)."""


class GroundGame(StateGraph):
    """A puzzle as states, which are rows of values, and actions with a value for each parameter: `sail(left,right)`.

    `acts`: the actions that some state allows, by their text in plans; `names`: words for the places of a state, as
    problem texts may have them; `terms`: a measure of the time that it takes to ask all conditions; `apart`: for a
    place whose value differs from those of others, the range of all these places. For `derivation` also `invariants`:
    conditions that all actions leave true by what they do; `hopeless`: pairs (place, value) that no plan comes by, as a
    box on a dead square; `by_change`: the actions that make the same changes in every state, by these.
    """

    def __init__(self, metric: str, limits: Limits) -> None:
        self.limits, self.metric, self.terms = limits, metric, 0
        self.nothing: Cost = (0,) * (metric.count(",") + 1)
        self.start: Any = ()
        self.size = 0
        self.acts: dict[str, GroundAction] = {}
        self.always: list[Run] = []
        self.goal: list[Run] = []
        self.domains: Sequence[Sequence[Value]] = ()
        self.names: dict[str, int] = {}
        self.apart: dict[int, range] = {}
        self.invariants: list[Run] = []
        self.hopeless: Makes = frozenset()
        self.by_change: dict[Makes, list[GroundAction]] = {}

    @cached_property
    def batches(self) -> list[tuple[int, list[GroundAction]]]:
        """The actions in batches, each with its work: a batch takes about as long as the time between two checks of
        the clock.
        """
        acts = list(self.acts.values())
        # What is remembered for a state is forgotten where `always` asks for the state after it.
        terms = self.terms if self.always else self.terms // max(1, len(acts))
        each = 1 + (terms + len(self.start)) // 16
        many = max(1, TICKS // each)
        return [(each * len(acts[i : i + many]) // 4, acts[i : i + many]) for i in range(0, len(acts), many)]

    def after(self, act: GroundAction, state: State) -> State | None:
        """The state after an action; None if the action is not possible."""
        for condition in act.conditions:
            if condition(state) is not True:
                return None
        changed: dict[int, Any] = {}
        for change in act.changes:
            if change.when is not None and change.when(state) is not True:
                continue
            place = change.place if isinstance(change.place, int) else change.place(state)
            value = change.value(state)
            if place is None or value not in change.allowed or changed.setdefault(place, value) != value:
                return None
        values = list(state)
        for place, value in changed.items():
            values[place] = value
        after = type(state)(values)
        for places in act.apart:
            if len(set(after[places.start : places.stop])) < len(places):
                return None
        for holds in self.always:
            if holds(after) is not True:
                return None
        return after

    def price(self, act: GroundAction, state: State) -> Cost:
        """What an action costs in a state."""
        cost = tuple([price.of(state) for price in act.prices])
        if None in cost or min(cost) < 0:
            raise Unsupported(NO_PRICE)
        return cost

    def successors(self, state: State) -> Iterator[tuple[Cost, State]]:
        """The states after one more action, each with what that costs."""
        for work, acts in self.batches:
            self.limits.tick(work)
            for act in acts:
                after = self.after(act, state)
                if after is not None:
                    yield self.price(act, state), after

    def solved(self, state: State) -> bool:
        """Whether a state is a goal."""
        return all(holds(state) is True for holds in self.goal)

    def replayed(self, plan: str, file: str) -> Cost:
        """Play a plan with one action on each line; gives its cost. Raises `Invalid`."""
        state, cost = self.start, self.nothing
        for number, line in enumerate(plan.splitlines(), 1):
            self.limits.tick(1 + self.terms // 64)
            act = self.acts.get(line)
            if act is None or (after := self.after(act, state)) is None:
                raise Invalid(f"the action `{line[:60]}` is not possible", file, number)
            cost = tuple(a + b for a, b in zip(cost, self.price(act, state), strict=True))
            state = after
        if not self.solved(state):
            raise Invalid("the goal is not reached at the end of the plan", file)
        return cost


class ActingGame(GroundGame):
    """A custom puzzle in one metric."""

    def __init__(self, puzzle: ActionPuzzle, metric: str, limits: Limits) -> None:
        super().__init__(metric, limits)
        self.meaning = Expressions(puzzle.names, limits)
        self.tables = [table for table in puzzle.names.tables.values() if table.places is not None]
        self.start = tuple(value for table in self.tables for value in table.values.values())
        self.size = 180 + 16 * len(self.start)
        self.domains = [table.domain.values for table in self.tables for _ in table.values]
        self.allowed = {id(table): frozenset(table.domain.values) for table in self.tables}
        for name, action in puzzle.actions.items():
            prices = [puzzle.prices[part].get(name, False) for part in metric.split(",")]
            asked = [price for price in (*prices, action.cost) if isinstance(price, ast.expr)]
            minus = any(self._may_subtract(price, action) for price in asked)
            for values in product(*(domain.values for _, domain in action.parameters)):
                limits.tick()
                limits.hold(400)
                local = {
                    parameter: Term(domain.kind, value, values=domain.values)
                    for (parameter, domain), value in zip(action.parameters, values, strict=True)
                }
                if (act := self._act(action, local, prices)) is not None:
                    if minus:
                        self._never_less_than_nothing(act)
                    self.acts[f"{name}({','.join(map(written, values))})" if values else name] = act
        self.always = [running(self._condition(node, {})) for node in puzzle.always]
        self.goal = [running(self._condition(node, {})) for node in puzzle.goal]
        self.terms = self.meaning.size
        if not all(holds(self.start) is True for holds in self.always):
            raise Unsupported("the start breaks what has to be true always")
        for name, table in puzzle.names.tables.items():
            for key, place in (table.places or {}).items():
                words = [name, *map(written, key)]
                self.names |= {":".join(words): place, ".".join(words): place}
            if table.different and table.places:
                self.apart |= dict.fromkeys(table.places.values(), _range(table.places))

    def _condition(self, node: ast.expr, local: Local) -> Term:
        return self.meaning.of_kind(TRUTH, node, local)

    def _act(self, action: Action, local: Local, prices: list[ast.expr | bool]) -> GroundAction | None:
        """The action with these values of its parameters; None if it is possible in no state."""
        for name, node in action.let:
            local = {**local, name: remembered(replace(self.meaning.term(node, local), step=None))}
        conditions = [self._condition(node, local) for node in action.when]
        if any(condition.never for condition in conditions):
            return None
        changes: list[Change] = []
        changed = set()
        for place, new in action.sets:
            target, turns = place, [(TRUE, local)]
            if isinstance(place, ast.GeneratorExp):
                target, turns = place.elt, list(self.meaning.turns(place.generators, local))
            name, args = _target(target)
            table = self.meaning.names.tables.get(name)
            if table is None or table.places is None or len(args) != len(table.of):
                raise Unsupported(f"this checker does not understand setting `{shown(place)}`")
            changed.add(name)
            for when, inner in turns:
                value = self.meaning.of_kind(table.domain.kind, new, inner)
                terms = [self.meaning.of_kind(d.kind, arg, inner) for d, arg in zip(table.of, args, strict=True)]
                fixed = tuple(term.value for term in terms) if not any(term.run for term in terms) else None
                where = _place_of(table.places, terms) if fixed is None else table.places.get(fixed)  # type: ignore[arg-type]
                if where is None or (value.run is None and value.value not in table.domain.values):
                    if when.run is None:
                        return None
                    where = _nowhere
                changes.append(Change(when.run, where, running(value), self.allowed[id(table)]))
        inner = {**local, "never": Term(NUMBER, NEVER)}
        paid = [(action.cost or ast.Constant(1)) if price is True else price or ast.Constant(0) for price in prices]
        costs = [self.meaning.of_kind(NUMBER, price, inner) for price in paid]
        if any(price.run is None and price.value == NEVER for price in costs):
            return None
        if any(price.run is None and (price.value is None or price.value < 0) for price in costs):  # type: ignore[operator]
            raise Unsupported(NO_PRICE)
        tables = [self.meaning.names.tables[name] for name in sorted(changed)]
        apart = tuple(_range(table.places) for table in tables if table.different and table.places)
        met = tuple(condition.run for condition in conditions if condition.run)
        return GroundAction(met, tuple(changes), apart, tuple(costs))

    def _may_subtract(self, price: ast.expr, action: Action) -> bool:
        """Whether a price, with all that its names stand for, has a minus sign or knows a number below 0. (If not, it
        is never below 0, whatever the state is.)
        """
        let, names, todo, met = dict(action.let), self.meaning.names, [price], set[str]()
        types = {**names.domains, **dict(action.parameters), **{name: one.domain for name, one in names.tables.items()}}
        while todo:
            for node in ast.walk(todo.pop()):
                if isinstance(node, ast.Sub | ast.USub):
                    return True
                if isinstance(node, ast.Name) and node.id not in met:
                    met.add(node.id)
                    if node.id in types and types[node.id].kind == NUMBER and min(types[node.id].values) < 0:  # type: ignore[operator]
                        return True
                    todo += [let[node.id]] if node.id in let else []
                    todo += [names.definitions[node.id][1]] if node.id in names.definitions else []
        return False

    def _never_less_than_nothing(self, act: GroundAction) -> None:
        """Refuse an action that may cost less than nothing where it is possible, as far as its own conditions tell:
        a plan through a position that is never visited, since it costs too much already, could become cheaper again.
        """
        work = 1 + self.meaning.size // 64
        for price in act.prices:
            for known, cost in answers(price.run, self.domains, work, self.limits) if price.run else ():
                if cost is not None and cost < 0 and all(told(one, known, True) is True for one in act.conditions):
                    raise Unsupported(NO_PRICE)


def written(value: Value) -> str:
    """A value as plans have it: `r3c4`, `left`, `true`, `12`."""
    if isinstance(value, tuple):
        return f"r{value[0] + 1}c{value[1] + 1}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _target(node: ast.expr) -> tuple[str, list[ast.expr]]:
    match node:
        case ast.Name(name):
            return name, []
        case ast.Subscript(ast.Name(name), index):
            return name, indices(index)
    return "", []


def _place_of(places: dict[tuple[Value, ...], int], terms: list[Term]) -> Run:
    runs = [running(term) for term in terms]
    return lambda state: places.get(tuple([run(state) for run in runs]))


def _nowhere(state: State) -> None:
    """Gives None: the place of something that cannot be set."""


def _range(places: dict[tuple[Value, ...], int]) -> range:
    return range(min(places.values()), max(places.values()) + 1)
