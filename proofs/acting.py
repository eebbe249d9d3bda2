"""Playing custom puzzles: which actions are possible in a state, what they lead to, and what they cost.

An action is possible if all its conditions are true, each place that it sets exists, each new value is one of its
table's, no place gets two values, no two values of a table are equal that have to be different, and all that is
`always` true is true after it. All new values are worked out in the state before it.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from .core.limits import Invalid, Limits, Unsupported
from .core.problem import Cost
from .expressions import Expressions, Local, indices, shown
from .reading import StateGraph
from .state_classes import Class, answers, told
from .terms import (
    FALSE,
    NUMBER,
    TRUE,
    TRUTH,
    Names,
    Parameters,
    Places,
    Run,
    State,
    Table,
    Term,
    Value,
    conjuncts,
    every,
    negated,
    on_one_place,
    remembered,
    running,
    some,
    whole,
)

FREE = ast.Constant(0)

NO_PRICE = "an action costs what is no number, or less than nothing"

Conditions = tuple[ast.expr, ...]


@dataclass(frozen=True)
class Action:
    """An action as in the file; `sets`: pairs of a place and its new value; `cost`: None stands for 1; `let`: names
    for expressions, each of which may use those before it; `adds_win`: what it makes true and false at once is
    true, as in PDDL.
    """

    parameters: Parameters
    when: Conditions
    sets: tuple[tuple[ast.expr, ast.expr], ...]
    cost: ast.expr | None
    let: tuple[tuple[str, ast.expr], ...] = ()
    adds_win: bool = False


@dataclass(frozen=True)
class ActionPuzzle:
    """A puzzle with its rules. `said`: what the file says, by which two puzzles are the same or not. Its order counts:
    `other(x)` is of the first type that names x. `prices`: by what is counted, the cost of each action that is not free
    (True: its own)."""

    said: object
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


@dataclass(frozen=True)
class Change:
    """One effect of an action: the new value of a place, whose index in the state is fixed or computed in it (None:
    no place).
    """

    when: Run | None
    place: int | Run
    value: Term
    allowed: frozenset[Value]

    @property
    def plain(self) -> bool:
        """Whether it gives one place one value, in every state."""
        return self.when is None and isinstance(self.place, int) and self.value.run is None


@dataclass(frozen=True)
class GroundAction:
    """An action with a value for each parameter."""

    conditions: tuple[Run, ...]
    changes: tuple[Change, ...]
    apart: tuple[range, ...]
    prices: tuple[Term, ...]


Effect = tuple[Term, int | Run, Term, frozenset[Value]]
"""When it takes place, the place (a fixed one, or computed in the state), its new value, and the values it may have."""

Fact = tuple[int, Value]
"""That a place has a value; of a place that is true or false, (place, True)."""


class Rule:
    """An action before its parameters have values. `source`: the action as it was read; `parameters`: their names, each
    with its values, in the order in which they get them; `tests`: its conditions, each by how many parameters have to
    have values before it can be asked.
    """

    def __init__(
        self,
        name: str,
        source: Action,
        parameters: Sequence[tuple[str, Sequence[Term]]],
        tests: Iterable[tuple[ast.expr, set[str]]],
    ) -> None:
        self.name, self.source, self.parameters = name, source, parameters
        self.tests: list[list[ast.expr]] = [[] for _ in range(len(parameters) + 1)]
        for test, names in tests:
            last = [number for number, (name, _) in enumerate(parameters, 1) if name in names]
            self.tests[max(last, default=0)].append(test)


@dataclass(frozen=True, slots=True)
class _Partial:
    """An action some of whose parameters have values, with the conditions that have been asked."""

    rule: Rule
    local: Local
    met: tuple[Run, ...]


class ActingGame(StateGraph):
    """A puzzle in one metric: states, which are rows of values, and actions with a value for each parameter.

    `acts`: the actions that some state allows, by their text in plans, `sail(left,right)`; `terms`: a measure of the
    time that it takes to ask all conditions; `apart`: for a place whose value differs from those of others, the range
    of all these places; `reached`: the values that each place may get, as far as is known.
    For problem texts, `names`: words for places; `words`: for values; `owners`: for an object the atoms that say where
    it is, by what they say, `A`: {r1c1: the place of piece[r1c1, A]}; `atoms`: what each place says, as words; `read`:
    the places that some condition or goal asks for (None: all); `redundant`: places that follow from others.
    """

    def __init__(self, puzzle: ActionPuzzle, metric: str, limits: Limits) -> None:
        self.limits, self.metric = limits, metric
        self.nothing: Cost = (0,) * (metric.count(",") + 1)
        self.first: list[Value] = []  # the value of each place at the start
        self.domains: Sequence[Sequence[Value]] = []
        self.reached: list[set[Value]] = []
        self.atoms: dict[int, tuple[str, ...]] = {}
        self.names: dict[str, int] = {}
        self.words: dict[str, Value] = {}
        self.owners: dict[str, dict[Value, int]] = {}
        self.redundant = set[int]()
        self.waiting = defaultdict[int, list[_Partial]](list)
        self.ready: list[_Partial] = []
        self.acts: dict[str, GroundAction] = {}
        self.tables = {
            name: table if table.places is None else replace(table, places=self._places(name, table))
            for name, table in puzzle.names.tables.items()
        }
        self.allowed = {name: frozenset(table.domain.values) for name, table in self.tables.items()}
        self.meaning = Expressions(replace(puzzle.names, tables=self.tables), limits)
        self.prices: dict[str, list[ast.expr]] = {}
        actions: dict[str, Action] = {}
        for name, action in puzzle.actions.items():
            counted = [puzzle.prices[part].get(name, False) for part in metric.split(",")]
            own = action.cost or ast.Constant(1)
            if possible := _possible_at(action, [own if price is True else price or FREE for price in counted]):
                actions[name], self.prices[name] = possible
        self.minus = {name for name, prices in self.prices.items() if self._may_subtract(actions[name], prices)}
        self.ground(self._rule(name, action) for name, action in actions.items())
        self.always = [running(self._condition(node, {})) for node in puzzle.always]
        self.goal = [one for node in parted(puzzle.goal) for one in conjuncts(self._condition(node, {}))]
        self.terms = self.meaning.size
        # Terms of sparse tables are all made by now; others may be made while a state is asked (`Expressions.use`).
        sparse = all(table.sparse for table in self.tables.values())
        self.read = self.meaning.asked if sparse else None
        start: Any = bytes(map(bool, self.first)) if sparse else tuple(self.first)
        self.start = start
        self.size = 100 + len(self.first) if sparse else 180 + 16 * len(self.first)
        if not all(holds(self.start) is True for holds in self.always):
            raise Unsupported("the start breaks what has to be true always")
        apart = [_range(table.places) for table in self.tables.values() if table.different and table.places]
        self.apart = {place: places for places in apart for place in places}

    def _places(self, name: str, table: Table) -> Places:
        """A place in the state for each value of a table; of a sparse one only for those that are asked for or set."""
        places = Places()
        if table.sparse:
            places.new = partial(self._place, name, table)
        places.update((key, self._place(name, table, key)) for key in (() if table.sparse else table.values))
        return places

    def _place(self, name: str, table: Table, key: tuple[Value, ...]) -> int:
        """Give a value of a table the next place in the state."""
        self.limits.hold(800)
        place, value = len(self.first), table.values.get(key, table.others)
        assert value is not None
        self.first.append(value)
        self.domains.append(table.domain.values)  # type: ignore[attr-defined]
        self.reached.append({value})
        words = self.atoms[place] = (name, *map(written, key))
        self.names |= {":".join(words): place, ".".join(words): place}
        return place

    # Actions with values for their parameters: one after the other, and none that is possible in no state. A condition
    # is asked as soon as it can be; one that wants a value which a place has not been given so far waits for it (delete
    # relaxation: as if a place kept every value that it was ever given).

    def ground(self, rules: Iterable[Rule]) -> None:
        """Make the actions."""
        for rule in rules:
            self._bind(_Partial(rule, {}, ()))
            while self.ready:
                self._go_on(self.ready.pop())

    def _bind(self, some: _Partial) -> None:
        """Ask the conditions of an action that can be asked now, and give its next parameter a value."""
        rule, met, depth = some.rule, some.met, len(some.local)
        self.limits.tick()
        self.limits.hold(400)
        local = self._named(rule, some.local) if depth == len(rule.parameters) else some.local
        for node in rule.tests[depth]:
            condition = self._condition(node, local)
            if condition.never:
                return
            met += conjuncts(condition) if condition.run else ()
        self._go_on(_Partial(rule, local, met))

    def _go_on(self, some: _Partial) -> None:
        """Bind the next parameter, or make the action; or wait, where a condition wants a value that is not reached."""
        for condition in some.met:
            if (part := on_one_place(condition)) and self.reached[part[0]].isdisjoint(part[1]):
                self.waiting[part[0]].append(some)
                return
        if len(some.local) < len(some.rule.parameters):
            name, able = some.rule.parameters[len(some.local)]
            for value in able:
                self._bind(_Partial(some.rule, {**some.local, name: value}, some.met))
        elif made := self._made(some.rule, some.local, some.met):
            self.acts[made[0]] = made[1]
            for change in made[1].changes:
                self._reach(change)

    def _reach(self, change: Change) -> None:
        """Note the values that a change may give: what waits for one of these places is ready to go on."""
        new = change.allowed if change.value.run else {change.value.value}
        for place in self._places_of(change):
            if not new <= self.reached[place]:
                self.reached[place] |= new  # type: ignore[arg-type]
                self.ready += self.waiting.pop(place, ())

    @cached_property
    def by_need(self) -> list[tuple[int | None, dict[Any, list[GroundAction]]]]:
        """The actions, each by the value of one place that it needs and that the fewest others need; of each such place
        all its values. (Those that need no such value stand by themselves, without a place.)
        """
        needs = [facts_of(act.conditions) for act in self.acts.values()]
        many = Counter(fact for needed in needs for fact in needed)
        found = defaultdict[Any, dict[Any, list[GroundAction]]](dict)
        for act, needed in zip(self.acts.values(), needs, strict=True):
            place, value = min(needed, key=many.__getitem__, default=(None, None))
            found[place].setdefault(value, []).append(act)
        return list(found.items())

    @cached_property
    def work(self) -> int:
        """The time that it takes to ask the conditions of an action, in ticks of the clock."""
        # What is remembered for a state is forgotten where `always` asks for the state after it.
        terms = self.terms if self.always else self.terms // max(1, len(self.acts))
        return 1 + (terms + len(self.start)) // 64

    def after(self, act: GroundAction, state: State) -> State | None:
        """The state after an action; None if the action is not possible."""
        for condition in act.conditions:
            if condition(state) is not True:
                return None
        changed = changed_by(act, state, allowed=True)
        if changed is None:
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

    def successors(self, state: Any) -> Iterator[tuple[Cost, Any]]:
        """The states after one more action, each with what that costs."""
        for place, several in self.by_need:
            acts = several.get(None if place is None else state[place], ())
            self.limits.tick(1 + self.work * len(acts))
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

    def _condition(self, node: ast.expr, local: Local) -> Term:
        """A condition as a term."""
        return self.meaning.of_kind(TRUTH, node, local)

    def _rule(self, name: str, action: Action) -> Rule:
        """An action before its parameters have values, these in the order in which most conditions are soon known."""
        left = {
            parameter: [Term(domain.kind, value, values=domain.values) for value in domain.values]
            for parameter, domain in action.parameters
        }
        late, own, known = {name for name, _ in action.let}, {*left}, set[str]()
        tests = []
        for node in parted(action.when):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            tests.append((node, own if names & late else names & own))
        ordered = []
        while left:
            best = max(left, key=lambda one: sum(one in names <= {*known, one} for _, names in tests))
            known.add(best)
            ordered.append((best, left.pop(best)))
        return Rule(name, action, ordered, tests)

    def _places_of(self, change: Change) -> Sequence[int]:
        """The places that a change may be of: one, or where it is computed, all of a table."""
        if isinstance(change.place, int):
            return (change.place,)
        tables = [table for name, table in self.tables.items() if self.allowed[name] is change.allowed]
        return [place for table in tables for place in (table.places or {}).values()]

    def _named(self, rule: Rule, local: Local) -> Local:
        """The values of all parameters, and what `let` names."""
        for name, node in rule.source.let:
            local = {**local, name: remembered(whole(self.meaning.term(node, local)))}
        return local

    def _made(self, rule: Rule, local: Local, met: tuple[Run, ...]) -> tuple[str, GroundAction] | None:
        """The action with these values, and its text in plans; None if no state allows it. `met`: its conditions."""
        if (act := self._act(rule.source, local, self.prices[rule.name], met)) is None:
            return None
        if rule.name in self.minus:
            self._never_less_than_nothing(act)
        words = [written(local[name].value) for name, _ in rule.source.parameters]  # type: ignore[arg-type]
        return f"{rule.name}({','.join(words)})" if words else rule.name, act

    def _act(self, action: Action, local: Local, prices: list[ast.expr], met: tuple[Run, ...]) -> GroundAction | None:
        """The action with these values of its parameters; None if it is possible in no state. `met`: its conditions."""
        effects: list[Effect] = []
        changed = set()
        for place, new in action.sets:
            target, turns = place, [(TRUE, local)]
            if isinstance(place, ast.GeneratorExp):
                target, turns = place.elt, list(self.meaning.turns(place.generators, local))
            name, args = _target(target)
            table = self.tables.get(name)
            if table is None or table.places is None or len(args) != len(table.of):
                raise Unsupported(f"this checker does not understand setting `{shown(place)}`")
            changed.add(name)
            for when, inner in turns:
                value = self.meaning.of_kind(table.domain.kind, new, inner)
                terms = [self.meaning.of_kind(d.kind, arg, inner) for d, arg in zip(table.of, args, strict=True)]
                fixed = tuple(term.value for term in terms) if not any(term.run for term in terms) else None
                where = _place_of(table.places, terms) if fixed is None else table.places.get(fixed)
                if where is None or (value.run is None and value.value not in table.domain.values):
                    if when.run is None:
                        return None
                    where = _nowhere
                effects.append((when, where, value, self.allowed[name]))
        made = _adds_win(effects) if action.adds_win else effects
        changes = tuple(Change(when.run, where, value, allowed) for when, where, value, allowed in made)
        self.limits.hold(1000 + 300 * (len(met) + len(changes)))
        costs = [self.meaning.of_kind(NUMBER, price, local) for price in prices]
        if any(price.run is None and price.value is not None and price.value < 0 for price in costs):  # type: ignore[operator]
            raise Unsupported(NO_PRICE)
        tables = [self.tables[name] for name in sorted(changed)]
        apart = tuple(_range(table.places) for table in tables if table.different and table.places)
        return GroundAction(met, changes, apart, tuple(costs))

    def _may_subtract(self, action: Action, prices: list[ast.expr]) -> bool:
        """Whether a price, with all that its names stand for, has a minus sign or knows a number below 0. (If not, it
        is never below 0, whatever the state is.)
        """
        let, names, met, todo = dict(action.let), self.meaning.names, set[str](), list(prices)
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
        work, every = 1 + self.meaning.size // 64, Class([*map(frozenset, self.domains)], {})
        for price in act.prices:
            for known, cost in answers(price.run, self.domains, work, self.limits) if price.run else ():
                here = every.replaced({place: frozenset((value,)) for place, value in known.items()})
                if cost is not None and cost < 0 and all(told(one, here, True) is True for one in act.conditions):
                    raise Unsupported(NO_PRICE)


def _possible_at(action: Action, prices: Sequence[ast.expr]) -> tuple[Action, list[ast.expr]] | None:
    """The action and its prices without `never`: `2 if x == 1 else never` is the price 2 of an action that wants
    `x == 1`, too. None if the price is `never` in every state.
    """
    told = list[ast.expr]()
    when = list(action.when)
    for price in prices:
        while isinstance(price, ast.IfExp) and shown(price.orelse) == "never":
            when.append(price.test)
            price = price.body
        if shown(price) == "never":
            return None
        told.append(price)
    return replace(action, when=tuple(when)), told


def _adds_win(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Effects of PDDL: what is made true and false at once is true (Fox and Long, PDDL2.1, 2003)."""
    groups: dict[Any, list[Effect]] = {}
    for effect in effects:
        groups.setdefault(effect[1], []).append(effect)
    for place, group in groups.items():
        if len(group) == 1:
            yield from group
            continue
        gain = some([when for when, _, value, _ in group if value.value is True])
        loss = some([when for when, _, value, _ in group if value.value is False])
        for when, value in ((gain, TRUE), (every([loss, negated(gain)]), FALSE)):
            if not when.never:
                yield when, place, value, group[0][-1]


def changed_by(act: GroundAction, state: Any, only: int | None = None, allowed: bool = False) -> dict[int, Any] | None:
    """The places that an action sets, with their new values; None if one would get two. `only`: this place alone;
    `allowed`: None as well if a place does not exist, or a value is none of its table.
    """
    changed: dict[int, Any] = {}
    for change in act.changes:
        if only is not None and isinstance(change.place, int) and change.place != only:
            continue
        if change.when is not None and change.when(state) is not True:
            continue
        place = change.place if isinstance(change.place, int) else change.place(state)
        if only is not None and place != only:
            continue
        value = change.value.of(state)
        if allowed and (place is None or value not in change.allowed):
            return None
        if changed.setdefault(place, value) != value:
            return None
    return changed


def parted(conditions: Sequence[ast.expr]) -> Iterator[ast.expr]:
    """The conditions that conditions join by `and`."""
    for node in conditions:
        match node:
            case ast.BoolOp(ast.And(), parts):
                yield from parted(tuple(parts))
            case _:
                yield node


def definitions_in_circles(definitions: Mapping[str, tuple[Parameters, ast.expr]]) -> set[str]:
    """Definitions that use themselves, directly or through others, and those that use these."""
    uses = {
        name: {node.id for node in ast.walk(body) if isinstance(node, ast.Name)} & definitions.keys()
        for name, (_, body) in definitions.items()
    }
    while free := [name for name, used in uses.items() if used.isdisjoint(uses)]:
        for name in free:
            del uses[name]
    return {*uses}


def facts_of(conditions: Sequence[Run]) -> list[Fact]:
    """The values of places that conditions ask for, one each: of `at[H] == r2c3` and `not free[r1c1]` both."""
    ones = filter(None, map(on_one_place, conditions))
    return [(place, value) for place, values in ones if len(values) == 1 for value in values]


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
