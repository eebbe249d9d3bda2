"""That a problem text is a puzzle by rules, for all its states: actions, costs and goal are derived from the rules.

A variable of the text stands for one place of the puzzle's tables (`at.H` for `at[H]`), a value for a value; places
without a variable keep what they have at the start. How they are paired needs no trust: under any pairing the following
is what has to be shown. Let S be the states whose values the text knows, in which `always` holds, and `different`.

    start     the start is in S, and is the text's
    goal      in each state of S the goal of the puzzle holds if and only if that of the text does
    sound     where an action of the text is possible in S, one of the puzzle is, costs as much and has the same effect
    complete  where an action of the puzzle is possible in S, one of the text is, costs as much and has the same effect

So whatever can be reached from the start lies in S (by induction over plans), and puzzle and text are the same graph
there: the same plans, at the same costs. Nothing depends on how deep a goal lies, and no state is visited.

*All states of S at once* are a class: for each place a set of values. An expression is evaluated on a class; where the
class leaves open what it asks (is `at[H]` r2c3?), the class is divided by the answer (partial evaluation: Jones,
Gomard and Sestoft 1993). Of a condition of many parts each is looked at by itself, and of effects each place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .acting import ActingGame, Change, GroundAction, written
from .core.limits import Limits, Stopped, Unsupported
from .core.problem import Action, Cost, Literal, Literals, Problem
from .reading import CELL_NAME
from .state_classes import Class, ClassState, OpenValue, StateAfter, is_one_of, which
from .terms import OpenError, Run, Table, Value

MOST = 1_000_000
"""Classes of states that are looked at for one puzzle, at most."""


class NotDerivedError(Exception):
    """The text was not shown to be the puzzle for all states, which says nothing against it."""


Makes = frozenset[tuple[int, Value]]
"""Effects that do not depend on the state: a place and its new value each."""


@dataclass(frozen=True)
class Rules:
    """A puzzle as actions over the places of a state. `acts`: by the word that texts have for each; `names`: of places,
    as texts may have them; `always`: what no action may break; `invariants`: what none can break; `apart`: for places
    whose values differ from each other's, all of these; `hopeless`: values of places from which there is no plan;
    `by_change`: the actions that always make these changes, where that is known; `work`: of evaluating all, about.
    """

    start: tuple[Value, ...]
    domains: Sequence[Sequence[Value]]
    names: dict[str, int]
    acts: dict[str, GroundAction]
    price: Callable[[GroundAction, Any], Cost]
    goal: list[Run]
    always: list[Run] = field(default_factory=list)
    invariants: list[Run] = field(default_factory=list)
    apart: dict[int, range] = field(default_factory=dict)
    hopeless: Makes = frozenset()
    by_change: dict[Makes, list[GroundAction]] = field(default_factory=dict)
    work: int = 1


def rules_of(game: ActingGame, tables: dict[str, Table]) -> Rules:
    """The rules of a custom puzzle."""
    names: dict[str, int] = {}
    words: Sequence[str]
    for name, table in tables.items():
        for key, place in (table.places or {}).items():
            words = [name, *map(written, key)]
            names[":".join(words)] = names[".".join(words)] = place
    return Rules(
        game.start,
        game.domains,
        names,
        {word_of(name): act for name, act in game.acts.items()},
        game.price,
        game.goal,
        game.always,
        apart={place: apart for table in game.tables if (apart := _apart(table)) for place in apart},
        work=1 + (game.meaning.size + len(game.start)) // 16,
    )


def derive(rules: Rules, problem: Problem, limits: Limits) -> int:
    """Show that the problem is the puzzle with these rules, for all states; the result is how many classes of states
    were looked at. Raises `NotDerivedError`, with what is in the way, and `Stopped` at a limit.
    """
    try:
        return _Derivation(rules, problem, limits).classes
    except Stopped:
        raise
    except Unsupported as reason:  # of a state that is in S, but perhaps cannot be reached
        raise NotDerivedError(str(reason)) from None


class _Derivation:
    """The sides of the comparison. `places`: of each variable; `values`: of each variable, in its order."""

    def __init__(self, rules: Rules, problem: Problem, limits: Limits) -> None:
        self.rules, self.problem, self.limits, self.classes = rules, problem, limits, 0
        self.places, self.values = paired(rules, problem)
        self.given = [*rules.always, *rules.invariants]
        self.made: dict[Literal, frozenset[Value]] = {}
        self.variable = {place: x for x, place in enumerate(self.places)}
        start = {place: frozenset((value,)) for place, value in enumerate(rules.start)}
        self.all: Class = start | dict(zip(self.places, map(frozenset, self.values), strict=True))
        self.truths = frozenset(place for place, values in enumerate(rules.domains) if set(values) <= {True, False})
        if any(len({rules.start[place] for place in apart}) < len(apart) for apart in rules.apart.values()):
            raise NotDerivedError("at the start two values are equal that have to be different")
        self._goal()
        every = list(rules.acts.values())
        groups: dict[str, list[Action]] = {name: [] for name in rules.acts}
        self.others: list[Action] = []
        """Actions of the text without an action of that name, whose effects depend on the state."""
        self.by_effect: dict[Makes, list[Action]] = {}
        for action in problem.actions:
            name = next((name for name in (action.name, NUMBERED.sub("", action.name)) if name in groups), None)
            known = self._class(action.needs)
            if known is None:
                continue  # it is possible in no state
            constant = all(len(some) == 1 and not some[0][0] for some in action.effects.values())
            if constant:
                makes = frozenset((self.places[x], self.values[x][some[0][1]]) for x, some in action.effects.items())
                self.by_effect.setdefault(self._new(known, makes), []).append(action)
            if name is not None:
                groups[name].append(action)
                self._sound(action, known, [rules.acts[name]])
            else:
                self.others += [] if constant else [action]
                self._sound(action, known, rules.by_change.get(makes, every) if constant else every)
        for name, act in rules.acts.items():
            self._complete(name, act, groups[name])

    # Classes

    def _read(self, known: Class) -> Any:
        """A class as a state, counted."""
        self.classes += 1
        self.limits.tick(self.rules.work)
        if self.classes > MOST:
            raise NotDerivedError(f"more than {MOST:,} classes of states are to be told apart")
        return ClassState(known, self.truths, self.rules.apart)

    def _narrow(self, known: Class, place: int, part: frozenset[Value]) -> Class | None:
        """The states of a class in which a place has one of some values; None if there are none, as values of a table
        whose values are `different` leave none.
        """
        known, waiting = dict(known), [(place, part)]
        while waiting:
            here, values = waiting.pop()
            if not (values := known[here] & values):
                return None
            known[here] = values
            if len(values) == 1:
                for other in self.rules.apart.get(here, ()):
                    if other != here and values <= known[other]:
                        waiting.append((other, known[other] - values))
        return known

    def _class(self, clauses: Sequence[Literals]) -> Class | None:
        """The states of S that the clauses of one literal allow; None if there are none."""
        known: Class | None = self.all
        for clause in clauses:
            if len(clause) == 1 and known is not None:
                known = self._narrow(known, self.places[clause[0][0]], self._some(*clause[0]))
        return known

    def _some(self, x: int, mask: int) -> frozenset[Value]:
        """The values of a literal."""
        if (some := self.made.get((x, mask))) is None:
            some = frozenset(value for number, value in enumerate(self.values[x]) if mask >> number & 1)
            self.made[x, mask] = some
            self.limits.hold(200 + 32 * len(some))
        return some

    def _parts(self, known: Class, asked: OpenError) -> Iterator[Class]:
        """A class divided by the answer to a question."""
        values = known[asked.place]
        each = [frozenset((value,)) for value in values]
        for part in each if asked.part is None else (asked.part, values - asked.part):
            if (narrowed := self._narrow(known, asked.place, part)) is not None:
                yield narrowed

    def _never(self, known: Class, conditions: Sequence[Run], last: Run | None = None) -> bool:
        """Whether in no state of a class all conditions are true; `last` is asked where all the others are."""
        waiting: list[tuple[Class, list[Run]]] = [(known, list(conditions))]
        while waiting:
            known, conditions = waiting.pop()
            state, rest, asked = self._read(known), [], None
            for condition in conditions:
                try:
                    if condition(state) is not True:
                        break
                except OpenError as question:
                    asked = asked or question
                    rest.append(condition)
            else:
                if asked is None:
                    try:
                        if last is None or last(state) is True:
                            return False
                        continue
                    except OpenError as question:
                        asked = question
                waiting += [(part, rest) for part in self._parts(known, asked)]
        return True

    def _always(self, known: Class, conditions: Iterable[Run], given: Sequence[Run]) -> bool:
        """Whether conditions are true in all states of a class in which what is given is true. Each goes on by itself
        where it asks what the class leaves open, as many together would have to be tried in all their combinations.
        """
        waiting = [(known, list(conditions))]
        while waiting:
            known, conditions = waiting.pop()
            state = self._read(known)
            for condition in conditions:
                try:
                    if condition(state) is not True and not self._never(known, given):
                        return False
                except OpenError as asked:
                    waiting += [(part, [condition]) for part in self._parts(known, asked)]
        return True

    # Texts as functions of a state

    def _clause(self, clause: Literals) -> Run:
        """That one of some literals holds, as a function of a class of states."""
        parts = [(self.places[x], self._some(x, mask)) for x, mask in clause]
        return lambda state: is_one_of(state, parts)

    def _wide(self, clauses: Sequence[Literals]) -> list[Run]:
        """What a class of `_class` leaves to be asked: the clauses of several literals, and what is `always` true."""
        return [self._clause(clause) for clause in clauses if len(clause) > 1] + self.given

    # The goal

    def _goal(self) -> None:
        """In each state the goal of the puzzle holds if and only if that of the text does."""
        problem, rules = self.problem, self.rules
        for clause in problem.goal:
            if (known := self._without(clause)) is not None and not self._never(known, [*rules.goal, *self.given]):
                raise NotDerivedError("the text has a goal that the puzzle has not")
        known = self._class(problem.goal)
        if known is not None and not self._always(known, rules.goal, self._wide(problem.goal)):
            raise NotDerivedError("the puzzle has a goal that the text has not")

    def _without(self, clause: Literals) -> Class | None:
        """The states of S in which a clause is false."""
        known: Class | None = self.all
        for x, mask in clause:
            if known is not None:
                known = self._narrow(known, self.places[x], self._some(x, ~mask))
        return known

    # Actions

    def _sound(self, action: Action, known: Class, acts: Sequence[GroundAction]) -> None:
        """Where an action of the text is possible, one of these is, costs as much, and has the same effect; `known`:
        the states that its needs of one literal allow.
        """
        given = self._wide(action.needs)
        if len(acts) == 1:
            shown = self._always(known, self._same(action, acts[0]), given)
        else:
            shown = self._never(known, [*given, lambda state: not self._is_one(state, action, acts)])
        if not shown:
            raise NotDerivedError(f"`{action.name}` is not shown to be an action of the puzzle")

    def _is_one(self, state: Any, action: Action, acts: Iterable[GroundAction]) -> bool:
        """Whether an action of the text is, in a class of states, one of these of the puzzle."""
        asked = None
        for act in acts:
            try:
                if all(same(state) is True for same in self._same(action, act)):
                    return True
            except OpenError as question:
                asked = asked or question
        if asked:
            raise asked
        return False

    def _same(self, action: Action, act: GroundAction) -> Iterator[Run]:
        """That an action of the puzzle is possible, costs as much as one of the text, and has the same effect."""
        yield from self._possible(act)
        yield lambda state: self._cost(act, state) == action.cost
        touched = {change.place for change in act.changes if isinstance(change.place, int)}
        everywhere = any(not isinstance(change.place, int) for change in act.changes)
        for place in range(len(self.rules.start)) if everywhere else touched | {self.places[x] for x in action.effects}:
            yield partial(self._same_effect, action, act, place)

    def _cost(self, act: GroundAction, state: Any) -> Cost:
        """What an action of the puzzle costs."""
        cost = self.rules.price(act, state)
        hash(cost)  # asks which it is, where that is open
        return cost

    def _same_effect(self, action: Action, act: GroundAction, place: int, state: Any) -> bool:
        """Whether the value of a place after two actions is the same."""
        changed, new = _changed(act, state, place), None
        for condition, number in action.effects.get(self.variable.get(place, -1), ()):
            if all(is_one_of(state, [(self.places[x], self._some(x, mask))]) for x, mask in condition):
                new = self.values[self.variable[place]][number]
        if changed is None or (place not in changed and new is None):
            return True  # of what would get two values it is asked elsewhere
        return bool((changed[place] if place in changed else state[place]) == (state[place] if new is None else new))

    def _possible(self, act: GroundAction) -> list[Run]:
        """What has to be true for an action to be possible (see `acting`), each part by itself."""
        computed = any(not isinstance(change.place, int) for change in act.changes)
        several = computed or len({change.place for change in act.changes}) < len(act.changes)

        def one_value(state: Any) -> bool:
            return _changed(act, state) is not None

        def still(holds: Run) -> Run:
            return lambda state: holds(StateAfter(state, _changed(act, state) or {}))  # type: ignore[arg-type]

        return [
            *act.conditions,
            *(partial(_allowed, change) for change in act.changes),
            *([one_value] if several else []),
            *(partial(_different, act, places) for places in act.apart),
            *map(still, self.rules.always),
        ]

    def _complete(self, name: str, act: GroundAction, group: Sequence[Action]) -> None:
        """Where an action of the puzzle is possible, it has its like in the text, of the same name or not."""
        possible = [*self._possible(act), *self.given]
        if len(group) == 1:
            without = [known for clause in group[0].needs if (known := self._without(clause)) is not None]
            if all(self._never(known, possible) for known in without):
                return
        like = self._like(group)

        def not_in_text(state: Any) -> bool:
            if any(self._is_possible(state, action) for action in like(state)):
                return False
            if any(self._is_possible(state, action) and self._is_one(state, action, [act]) for action in self.others):
                return False
            makes = {(place, which(value)) for place, value in (_changed(act, state) or {}).items()}
            if not makes.isdisjoint(self.rules.hopeless):
                return False
            new = self._new(state.known, makes)
            return bool(new) and not any(
                self._cost(act, state) == action.cost and self._is_possible(state, action)
                for action in self.by_effect.get(new, ())
            )

        if not self._never(self.all, possible, not_in_text):
            raise NotDerivedError(f"`{name}` is possible where the text has no such action")

    def _is_possible(self, state: Any, action: Action) -> bool:
        """Whether an action of the text is possible in a class of states."""
        return all(self._clause(clause)(state) for clause in action.needs)

    def _new(self, known: Class, makes: Iterable[tuple[int, Value]]) -> Makes:
        """Effects without those that give a place the value that it has."""
        return frozenset((place, value) for place, value in makes if known[place] != {value})

    def _like(self, group: Sequence[Action]) -> Callable[[Any], Sequence[Action]]:
        """Of some actions those that a state does not rule out by one variable, of which each needs a value."""
        needs = [{c[0][0]: c[0][1] for c in action.needs if len(c) == 1} for action in group]
        common = set.intersection(*map(set, needs)) if needs else set()
        if not common:
            return lambda _state: group
        x = min(common, key=lambda x: sum(need[x].bit_count() for need in needs))
        buckets: dict[Value, list[Action]] = {}
        for action, need in zip(group, needs, strict=True):
            for value in self._some(x, need[x]):
                buckets.setdefault(value, []).append(action)
        return lambda state: buckets.get(which(state[self.places[x]]), ())


def _allowed(change: Change, state: Any) -> bool:
    """Whether a place that is set exists, and gets a value of its table."""
    if change.when is not None and change.when(state) is not True:
        return True
    if not isinstance(change.place, int) and change.place(state) is None:
        return False
    value = change.value(state)
    if isinstance(value, OpenValue) and value.values <= change.allowed:
        return True
    return which(value) in change.allowed


def _changed(act: GroundAction, state: Any, only: int | None = None) -> dict[int, Any] | None:
    """The places that an action sets, with their new values; None if one would get two. `only`: this place alone."""
    changed: dict[int, Any] = {}
    for change in act.changes:
        if only is not None and isinstance(change.place, int) and change.place != only:
            continue
        if change.when is not None and change.when(state) is not True:
            continue
        place = change.place if isinstance(change.place, int) else change.place(state)
        if (only is None or place == only) and changed.setdefault(place, value := change.value(state)) != value:
            return None
    return changed


def _different(act: GroundAction, places: range, state: Any) -> bool:
    """Whether the values of a table that have to be different are so after an action, as they are before it."""
    changed = _changed(act, state) or {}
    after = StateAfter(state, changed)
    new = [place for place in changed if place in places]
    return not any(after[place] == after[other] for place in new for other in places if other != place)


# Which variable is which place

NUMBERED = re.compile(r"[.*]\d+$")
"""The ending of names that several actions of the text have in common: `slide:H:up.2`."""


def word_of(text: str) -> str:
    """An action or an entry of a table as one word, as problem texts have them: `move:2:last` for `move(2,last)`."""
    return text.translate({ord("("): ":", ord("["): ":", ord(","): ":", ord(")"): None, ord("]"): None})


def _apart(table: Table) -> range | None:
    """The places of a table whose values are different."""
    places = list((table.places or {}).values())
    return range(min(places), max(places) + 1) if table.different and places else None


def paired(rules: Rules, problem: Problem) -> tuple[list[int], list[tuple[Value, ...]]]:
    """For each variable of the text a place, and the values that its values are. Raises `NotDerivedError`."""
    places: list[int] = []
    values: list[tuple[Value, ...]] = []
    taken = {rules.names[name] for name in problem.names if name in rules.names}
    free = [place for place in range(len(rules.start)) if place not in taken]
    for name, words, start in zip(problem.names, problem.domains, problem.start, strict=True):
        for place in [rules.names[name]] if name in rules.names else free:
            if (some := _values(words, rules.domains[place], rules.start[place], start)) is not None:
                break
        else:
            raise NotDerivedError(f"no place of the puzzle is known to be the variable `{name}`")
        places.append(place)
        values.append(some)
    if len(set(places)) < len(places):
        raise NotDerivedError("two variables stand for one place")
    return places, values


def _values(words: Sequence[str], domain: Sequence[Value], start: Value, first: int) -> tuple[Value, ...] | None:
    """The values of a place that words stand for: `r2c3`; `c3` where all are in one row; or what is left."""
    known: dict[str, Value] = {}
    for value in domain:
        known[written(value)] = value
        if isinstance(value, tuple) and isinstance(start, tuple):
            row, column = CELL_NAME.fullmatch(written(value)).groups()  # type: ignore[union-attr]
            if value[0] == start[0]:
                known[f"c{column}"] = value
            if value[1] == start[1]:
                known[f"r{row}"] = value
    if len(words) == len(domain) == 2 and not known.keys() >= set(
        words
    ):  # `yes` and `no`: the start says which is which
        known |= {words[first]: start, words[1 - first]: next(value for value in domain if value != start)}
    unknown = [word for word in words if word not in known]
    left = [value for value in domain if value not in {known.get(word) for word in words}]
    if len(unknown) == len(left) == 1:
        known[unknown[0]] = left[0]
    some = tuple([known[word] for word in words if word in known])
    return some if len(some) == len(words) and len(set(some)) == len(words) and some[first] == start else None
