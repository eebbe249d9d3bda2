"""That a problem text has every plan of a puzzle, at no higher price: derived from the rules, for all states.

A variable of the text stands for one place of the puzzle's tables (`at.H` for `at[H]`), a value for a value, or for an
atom that is then true. How they are paired needs no trust: under any pairing the following is what has to be shown.
What a state of the puzzle says of these places is a state of the text.

    start     the start of the puzzle is that of the text
    goal      where the goal of the puzzle holds, that of the text does
    complete  where an action of the puzzle is possible, one of the text is, costs no more and has the same effect, or
              there is no plan behind it, as with a box on a dead square

So each plan of the puzzle is one of the text (by induction over its actions): what no plan of the text costs, none of
the puzzle does. The text may have other plans. That of the certificate is played by the rules, where an optimum is
claimed. Nothing depends on how deep a goal lies.

*All states at once* are a class: for each place a set of values. An expression is evaluated on a class; where the
class leaves open what it asks (is `at[H]` r2c3?), the class is divided by the answer (partial evaluation: Jones,
Gomard and Sestoft 1993). Of a condition of many parts each is looked at by itself, and of effects each place. Classes
whose states are never reached do not count: the rules never give two of their values together (h^2), or break what is
`always` so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property, partial, reduce
from operator import or_
from typing import Any

from .acting import ActingGame, Change, Fact, GroundAction, changed_by
from .core.exhaustion import PackedProblem
from .core.limits import Limits, Stopped, Unsupported
from .core.problem import Action, Literal, Literals, Problem
from .pairing import NUMBERED, NotDerivedError, paired, word_of
from .state_classes import Class, ClassState, OpenValue, ReachedPairs, StateAfter, decide, told, which
from .terms import OneOf, OpenError, Run, State, Value, on_one_place

POSSIBLE = "possible"
"""The variable that says in a text that there is no plan: it is `no`, no action sets it, the goal asks for `yes`."""

MOST = 1_000_000
"""Classes of states that are looked at for one puzzle, at most."""


Makes = frozenset[Fact]
"""What an action makes true: pairs (place, new value)."""


def derive(rules: ActingGame, problem: Problem, limits: Limits, plan: Sequence[str] | None = None) -> int:
    """Show that the problem has every plan of the puzzle with these rules, and that `plan`, the names of actions of the
    problem, is one of the puzzle where it is given; the result is how many classes of states were looked at. Raises
    `NotDerivedError`, with what is in the way, and `Stopped` at a limit.
    """
    derivation = _Derivation(rules, problem, limits)
    try:
        derivation.goal()
        derivation.actions()
        if plan is not None:
            derivation.replay(plan)
        return derivation.classes
    except Stopped:
        raise
    except Unsupported as reason:  # of a state that perhaps cannot be reached
        raise NotDerivedError(str(reason)) from None


class _Derivation:
    """Both sides, and what is shown of them: each step raises `NotDerivedError` if it fails.

    `places`: of each variable; `values`: of each variable, in its order; `views`: how each atom is read off the
    variable that tells of it; `viewed`: of each variable's place the places of which it tells; `all`: all states as a
    class; `classes`: how many were looked at; `others`: actions of the text without one of that name in the puzzle,
    whose effects depend on the state; `by_effect`: those whose effects do not.
    """

    def __init__(self, rules: ActingGame, problem: Problem, limits: Limits) -> None:
        if POSSIBLE in problem.names and POSSIBLE not in rules.names:
            rules = copy(rules)
            rules.names, rules.domains = rules.names | {POSSIBLE: len(rules.start)}, [*rules.domains, (False, True)]
            rules.start, rules.reached = (*rules.start, False), [*rules.reached, {False}]
        self.rules, self.problem, self.limits, self.classes = rules, problem, limits, 0
        self.work = 1 + (rules.terms + len(rules.start)) // 16
        self.places, self.values = paired(rules, problem)
        self.variable = {place: x for x, place in enumerate(self.places)}
        self.views: dict[int, OneOf] = {}
        self.viewed: dict[int, list[int]] = {}
        for place, values in zip(self.places, self.values, strict=True):
            atoms = [atom for atom in values if isinstance(atom, int) and atom >= 0]
            self.viewed[place] = [place] if place < len(rules.start) else atoms
            self.views |= {atom: OneOf(((place, frozenset((atom,))),)) for atom in self.viewed[place] if atom != place}
        self.told = {place for places in self.viewed.values() for place in places}
        if len(self.told) < sum(map(len, self.viewed.values())):
            raise NotDerivedError("two variables tell of one fact")
        self.bits = PackedProblem(problem, limits)
        if self.packed(rules.start) != self.bits.start:
            raise NotDerivedError("at the start another fact is true")
        self.made: dict[Literal, frozenset[Value]] = {}
        changed = {x for action in problem.actions for x in action.effects}
        values_of = zip(self.places, self.values, problem.start, strict=True)
        first = {place: frozenset((values[value],)) for place, values, value in values_of}
        every = [*map(frozenset, rules.reached)]
        self.all = Class(every, first | {self.places[x]: self._reached(x) for x in changed})
        self.asked = {id(act): self._seen(act.conditions) for act in rules.acts.values()}
        self.goal_asked = self._seen(rules.goal)
        self.needs: dict[str, list[Run]] = {}
        self.others: list[Action] = []
        self.by_effect: dict[Makes, list[Action]] = {}

    def packed(self, state: State) -> int | None:
        """What a state of the puzzle says in the text; None if the text has no such state."""
        found = 0
        for first, place, values in zip(self.bits.first, self.places, self.values, strict=False):
            some = [state[place]] if place < len(state) else [atom for atom in self.viewed[place] if state[atom]]
            if len(some) > 1 or (value := some[0] if some else -1) not in values:
                return None
            found |= 1 << first + values.index(value)
        return found

    def _reached(self, x: int) -> frozenset[Value]:
        """The values of a variable without those that the rules never give its place."""
        place, values, reached = self.places[x], self.values[x], self.rules.reached
        if place < len(reached):
            return frozenset(values) & reached[place]
        return frozenset(atom for atom in values if not isinstance(atom, int) or atom < 0 or True in reached[atom])

    def _seen(self, conditions: Iterable[Run]) -> list[Run]:
        """Conditions of the rules as the text has them: that an atom is true, as that a variable has its value."""
        found: list[Run] = []
        for condition in conditions:
            parts = condition.parts if isinstance(condition, OneOf) else ()
            seen = [(place, some) for place, some in parts if place in self.views]
            if seen and len(parts) == 1 and True not in seen[0][1]:
                found += [OneOf(((own, self.all[own] - one),)) for own, one in self.views[seen[0][0]].parts]
            elif seen and not any(False in some for _, some in seen):
                views = [self.views[place].parts[0] if place in self.views else (place, some) for place, some in parts]
                found.append(OneOf(tuple(views)))
            else:
                found.append(condition)
        return found

    @cached_property
    def hopeless(self) -> frozenset[Fact]:
        """Facts after which there is no plan, as a box on a dead square: with each of them the goal is false, and an
        action that makes one of them false makes another one true. This is asked of all states of the puzzle, as those
        behind such a fact are none that the text has.
        """
        every = Class([*map(frozenset, self.rules.domains)], {})

        def is_against_the_goal(place: int, value: Value) -> bool:
            known = every.replaced({place: frozenset((value,))})
            state: Any = ClassState(known, self.rules.apart, {})
            for condition in self.rules.goal:
                with suppress(OpenError):
                    if condition(state) is not True:
                        return True
            return False

        changes = [change for act in self.rules.acts.values() for change in act.changes]
        loose = {place for change in changes if not change.plain for place in self.rules.places_of(change)}
        made = {change.place for change in changes if change.plain and change.value.value is True} - loose
        hopeless = {place for place in made if isinstance(place, int) and is_against_the_goal(place, True)}
        many = -1
        while many != len(hopeless):
            many = len(hopeless)
            for act in self.rules.acts.values():
                truths = {change.place: change.value.value for change in act.changes if change.place in hopeless}
                if True not in truths.values():
                    hopeless -= truths.keys()
        return frozenset((place, True) for place in hopeless)

    @cached_property
    def limited(self) -> list[tuple[frozenset[int], int]]:
        """The places of each table of truths of which no action makes more true than false, and how many are true at
        most, as at the start: as many cells are free as no piece covers.
        """
        groups = [frozenset((table.places or {}).values()) for table in self.rules.tables.values()]
        for act in self.rules.acts.values():
            needed, changes = self._needed(act), [change for change in act.changes if change.value.value is not False]
            gained = {place for change in changes for place in self.rules.places_of(change)} - needed
            lost = {change.place for change in act.changes if change.plain and change.value.value is False} & needed
            groups = [group for group in groups if len(gained & group) <= len(lost & group)]
        truths = (group for group in groups if all(self.rules.domains[place] == (False, True) for place in group))
        return [(group, sum(self.rules.start[place] is True for place in group)) for group in truths]

    def _needed(self, act: GroundAction) -> set[int]:
        """The places that are true where an action is possible."""
        return {place for place, some in filter(None, map(on_one_place, act.conditions)) if False not in some}

    def _asks_too_much(self, act: GroundAction) -> bool:
        """Whether an action needs more places of a table true than ever are."""
        return any(len(self._needed(act) & group) > most for group, most in self.limited)

    def replay(self, plan: Sequence[str]) -> None:
        """A plan of the text is one of the puzzle, at the same price."""
        actions, here = {action.name: action for action in self.problem.actions}, self.bits.start
        states = {self.rules.start}
        for name in plan:
            cost, here = next(self.bits.results([[self.bits.action(actions[name])]], here))
            moves = (move for state in states for move in self.rules.successors(state))
            states = {after for price, after in moves if price == cost and self.packed(after) == here}
        if not any(map(self.rules.solved, states)):
            raise NotDerivedError("the plan is not one of the puzzle")

    def actions(self) -> None:
        """For each action of the puzzle the text has one that costs no more and has the same effect."""
        acts = {word_of(name): act for name, act in self.rules.acts.items() if not self._asks_too_much(act)}
        groups: dict[str, list[Action]] = {name: [] for name in acts}
        for action in self.problem.actions:
            name = next((name for name in (action.name, NUMBERED.sub("", action.name)) if name in groups), None)
            needs = self.needs[action.name] = self._clauses(action.needs)
            self.limits.hold(300 * len(needs))
            known, _ = self._within(self.all, needs)
            if known is None:
                continue  # it is possible in no state
            if name is not None:
                groups[name].append(action)
            if all(len(some) == 1 and not some[0][0] for some in action.effects.values()):
                gets = {self.places[x]: frozenset((self.values[x][some[0][1]],)) for x, some in action.effects.items()}
                self.by_effect.setdefault(self._new(known, self._makes(known.replaced(gets), gets)), []).append(action)
            elif name is None:
                self.others.append(action)
        for name, act in acts.items():
            self._complete(name, act, groups[name])

    # Classes

    def _read(self, known: Class) -> Any:
        """A class as a state, counted."""
        self.classes += 1
        self.limits.tick(self.work)
        if self.classes > MOST:
            raise NotDerivedError(f"more than {MOST:,} classes of states are to be told apart")
        return ClassState(known, self.rules.apart, self.views)

    def _narrow(self, known: Class, place: int, part: frozenset[Value]) -> Class | None:
        """The states of a class in which a place has one of some values; None if there are none, as values of a table
        whose values are `different` leave none.
        """
        known = known.replaced({})
        return known if self._narrowed(known, place, part) else None

    def _narrowed(self, known: Class, place: int, part: frozenset[Value]) -> bool:
        """Narrow a class in place; False if no state is left."""
        waiting = [(place, part)]
        while waiting:
            here, values = waiting.pop()
            if not (values := known[here] & values):
                return False
            known[here] = values
            if len(values) == 1:
                for other in self.rules.apart.get(here, ()):
                    if other != here and values <= known[other]:
                        waiting.append((other, known[other] - values))
        return True

    def _within(self, known: Class, conditions: Iterable[Run]) -> tuple[Class | None, list[Run]]:
        """The states of a class in which the conditions on one place are true, None if there are none; and the other
        conditions.
        """
        narrowed: Class | None = known.replaced({})
        others: list[Run] = []
        for condition in conditions:
            if (part := on_one_place(condition)) is None:
                others.append(condition)
            elif narrowed is not None:
                narrowed = narrowed if self._narrowed(narrowed, *part) else None
        return narrowed, others

    def _some(self, x: int, mask: int) -> frozenset[Value]:
        """The values of a literal."""
        if (some := self.made.get((x, mask))) is None:
            some = frozenset(value for number, value in enumerate(self.values[x]) if mask >> number & 1)
            self.made[x, mask] = some
            self.limits.hold(200 + 32 * len(some))
        return some

    def _mask(self, x: int, some: frozenset[Value]) -> int:
        """Values as a literal has them."""
        return sum(1 << number for number, value in enumerate(self.values[x]) if value in some)

    def _parts(self, known: Class, asked: OpenError) -> Iterator[Class]:
        """The parts of a class, one for each answer: is at[H] r2c3? Where it is, and where it is not."""
        values = known[asked.place]
        each = [frozenset((value,)) for value in values]
        for part in each if asked.part is None else (asked.part, values - asked.part):
            if (narrowed := self._narrow(known, asked.place, part)) is not None:
                yield narrowed

    def _never(
        self, known: Class, conditions: Sequence[Run], given: Sequence[Run] = (), last: Run | None = None
    ) -> bool:
        """Whether in no state of a class all conditions are true. `last` is asked where all the others are, and what is
        `given`, of which there may be much, only where there are states left then: are they in S?
        """
        within, others = self._within(known, conditions)
        waiting = [] if within is None else [(within, others)]
        while waiting:
            known, conditions = waiting.pop()
            rest: list[Run] = []
            state, asked = self._read(known), None
            for condition in conditions:
                try:
                    if condition(state) is not True:
                        break
                except OpenError as question:
                    asked = asked or question
                    rest.append(condition)
            else:
                try:
                    if asked is None and last is not None and last(state) is not True:
                        continue
                except OpenError as question:
                    asked = question
                if asked is not None:
                    waiting += [(part, rest) for part in self._parts(known, asked)]
                elif not self._excluded(known, given):
                    return False
        return True

    @cached_property
    def facts(self) -> dict[Fact, int]:
        """For each value of a place that changes its bit in `pairs`."""
        open_ = [place for place, values in enumerate(self.rules.reached) if len(values) > 1]
        every = [(place, value) for place in open_ for value in self.rules.domains[place]]
        return {fact: 1 << number for number, fact in enumerate(every)}

    @cached_property
    def pairs(self) -> ReachedPairs:
        """Which two values can hold at once, by what the actions of the puzzle need and change."""
        rules, variable = self.rules, {place: x for x, place in enumerate(dict.fromkeys(p for p, _ in self.facts))}
        domains = [rules.domains[place] for place in variable]

        def literal(place: int, some: Iterable[Value]) -> Literal:
            return variable[place], sum(1 << i for i, value in enumerate(rules.domains[place]) if value in some)

        actions = []
        for act in rules.acts.values():
            parts = filter(None, map(on_one_place, act.conditions))
            effects: dict[int, tuple[tuple[Literals, int], ...]] = {}
            for change in act.changes:
                part = None if change.when is None else on_one_place(change.when)
                for place in variable.keys() & rules.places_of(change):
                    may = part if part and part[0] in variable else (place, rules.domains[place])
                    when = () if change.plain else (literal(*may),)
                    new = change.allowed if change.value.run else (change.value.value,)
                    gives = ((when, i) for i, value in enumerate(rules.domains[place]) if value in new)
                    effects[variable[place]] = (*effects.get(variable[place], ()), *gives)
            needs = tuple((literal(*part),) for part in parts if part[0] in variable)
            actions.append(Action("", (), needs, effects))
        start = tuple(rules.domains[place].index(rules.start[place]) for place in variable)
        words = tuple(tuple(map(str, domain)) for domain in domains)
        return ReachedPairs(Problem((), (), words, start, (), tuple(actions)), self.limits)

    @cached_property
    def pairs_of_text(self) -> ReachedPairs:
        """Which two values of the text can hold at once: more is known of them where actions compute what they set."""
        return ReachedPairs(self.problem, self.limits)

    def _bits(self, place: int, values: Iterable[Value]) -> int:
        """The bits of the values of a place in `pairs`; all of them where nothing is known of it."""
        atoms = place >= len(self.rules.start)
        pairs = [(value, True) if atoms else (place, value) for value in values]
        return reduce(or_, (self.facts.get(pair, -1) for pair in pairs), 0)  # type: ignore[arg-type]

    @cached_property
    def wholes(self) -> list[int]:
        """The values that each variable of the text has in all states, one of which it always has, as bits."""
        return [self._bits(place, self.all[place]) for place in self.places]

    def _excluded(self, known: Class, given: Sequence[Run]) -> bool:
        """Whether no state of a class is ever reached: two of its values are never reached together, in the puzzle or
        in the text, they leave a variable none, or what is `given` cannot all be true.
        """
        narrowed = [(place, values) for place, values in known.items() if values is not self.all[place]]
        able = self.pairs.beside_all(self._bits(*one) for one in narrowed)
        if not all(able & bits for bits in self.wholes):
            return True
        said = [(self.variable[place], values) for place, values in narrowed if place in self.variable]
        text = self.pairs_of_text
        if not text.beside_all(text.bits((x, self._mask(x, values)) for x, values in said)):
            return True
        return bool(given) and self._never(known, given)

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
                    if condition(state) is not True and not self._excluded(known, given):
                        return False
                except OpenError as asked:
                    waiting += [(part, [condition]) for part in self._parts(known, asked)]
        return True

    # Texts as functions of a state

    def _clauses(self, clauses: Iterable[Literals]) -> list[Run]:
        """Clauses as functions of a class of states."""
        return [OneOf(tuple((self.places[x], self._some(x, mask)) for x, mask in clause)) for clause in clauses]

    def goal(self) -> None:
        """In each state in which the goal of the puzzle holds, that of the text does."""
        for clause in self.problem.goal:
            known = self._without(clause)
            if known is not None and not self._never(known, self.goal_asked, self.rules.always):
                raise NotDerivedError("the text has a goal that the puzzle has not")

    def _without(self, clause: Literals) -> Class | None:
        """The states of S in which a clause is false."""
        known: Class | None = self.all
        for x, mask in clause:
            if known is not None:
                known = self._narrow(known, self.places[x], self._some(x, ~mask))
        return known

    # Actions

    def _alike(self, action: Action, act: GroundAction, possible: Sequence[Run]) -> bool:
        """Whether an action of the text costs no more than one of the puzzle and has the same effect, where both are
        possible.
        """
        known, given = self._within(self.all, [*self.needs[action.name], *possible, *self.rules.always])
        return known is not None and self._always(known, self._same(action, act), given)

    def _same(self, action: Action, act: GroundAction) -> Iterator[Run]:
        """That an action of the text costs no more than one of the puzzle, and has the same effect on each place that
        one of them sets and the text tells of.
        """
        yield lambda state: bool(action.cost <= self.rules.price(act, state))
        touched: set[int] = {change.place for change in act.changes if isinstance(change.place, int)}
        everywhere = any(not isinstance(change.place, int) for change in act.changes)
        for x in action.effects:
            touched.update(self.viewed[self.places[x]])
        for place in self.told if everywhere else touched & self.told:
            yield partial(self._same_effect, action, act, place)

    def _same_effect(self, action: Action, act: GroundAction, place: int, state: Any) -> bool:
        """Whether an action of the text and one of the puzzle leave the same value at a place."""
        changed = changed_by(act, state, place)
        new: dict[int, frozenset[Value]] = {}
        own = self.views[place].parts[0][0] if place in self.views else place
        for condition, number in action.effects.get(self.variable[own], ()):
            if all(OneOf(((self.places[x], self._some(x, mask)),))(state) for x, mask in condition):
                new[own] = frozenset((self.values[self.variable[own]][number],))
        if changed is None or (place not in changed and not new):
            return True  # of what would get two values it is asked elsewhere
        after = state.replaced(new)[place]
        return bool((changed[place] if place in changed else state[place]) == after)

    def _possible(self, act: GroundAction) -> list[Run]:
        """What has to be true for an action to be possible (see `acting`), each part by itself."""
        computed = any(not isinstance(change.place, int) for change in act.changes)
        several = computed or len({change.place for change in act.changes}) < len(act.changes)

        def one_value(state: Any) -> bool:
            return changed_by(act, state) is not None

        def still(holds: Run) -> Run:
            return lambda state: holds(StateAfter(state, changed_by(act, state) or {}))  # type: ignore[arg-type]

        return [
            *self.asked[id(act)],
            *(partial(_allowed, change) for change in act.changes if not change.plain),
            *([one_value] if several else []),
            *(partial(_different, act, places) for places in act.apart),
            *map(still, self.rules.always),
        ]

    def _complete(self, name: str, act: GroundAction, named: Sequence[Action]) -> None:
        """Where an action of the puzzle is possible, the text has one with the same effect that costs no more, whatever
        its name is; unless it leads where there is no plan.
        """
        possible, given = self._possible(act), self.rules.always
        group = [action for action in named if self._alike(action, act, possible)]
        if len(group) == 1:
            without = [known for clause in group[0].needs if (known := self._without(clause)) is not None]
            if all(self._never(known, possible, given) for known in without):
                return
        like = self._like(group)

        def not_in_text(state: Any) -> bool:
            if decide(True, map(self._possible_in_text, like(state)), state):
                return False
            makes = {(place, which(value)) for place, value in (changed_by(act, state) or {}).items()}
            new = self._new(state.known, makes)
            return (
                bool(new)
                and self.hopeless.isdisjoint(makes)
                and not any(
                    self._possible_in_text(action)(state) and decide(False, self._same(action, act), state)
                    for action in (*self.by_effect.get(new, ()), *self.others)
                )
            )

        if not self._never(self.all, possible, given, not_in_text):
            raise NotDerivedError(f"`{name}` is possible where the text has no such action")

    def _possible_in_text(self, action: Action) -> Run:
        """Whether an action of the text is possible, as a function of a class of states."""
        return partial(decide, False, self.needs[action.name])

    def _new(self, known: Class, makes: Iterable[Fact]) -> Makes:
        """Effects on what the text tells of, without those that give a place the value that it has."""
        return frozenset(
            (place, value)
            for place, value in makes
            if place in self.told
            and (told(self.views[place], known, None) is not value if place in self.views else known[place] != {value})
        )

    def _makes(self, known: Class, places: Iterable[int]) -> Iterator[Fact]:
        """Values of places in the words of the rules: `at/in.pkg1` being at.pkg1.a is the atom at.pkg1.a true, and
        at.pkg1.b false. `known`: the class that has the values.
        """
        for place in places:
            for own in self.viewed[place]:
                yield own, told(self.views[own], known, None) if own in self.views else next(iter(known[place]))

    def _like(self, group: Sequence[Action]) -> Callable[[Any], Sequence[Action]]:
        """An index of actions by a variable of which all need a value: for a state, those that need its value there."""
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
    value = change.value.of(state)
    if isinstance(value, OpenValue) and value.values <= change.allowed:
        return True
    return which(value) in change.allowed


def _different(act: GroundAction, places: range, state: Any) -> bool:
    """Whether the values of a table that have to be different are so after an action, as they are before it."""
    changed = changed_by(act, state) or {}
    after = StateAfter(state, changed)
    new = [place for place in changed if place in places]
    return not any(after[place] == after[other] for place in new for other in places if other != place)
