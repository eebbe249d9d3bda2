"""That a problem text is a puzzle by rules, for all its states: actions, costs and goal are derived from the rules.

A variable of the text stands for one place of the puzzle's tables (`at.H` for `at[H]`), a value for a value; places
without a variable keep what they have at the start. How they are paired needs no trust: under any pairing the following
is what has to be shown. Let S be the states whose values the text knows (of what no action of it changes, the value at
the start), in which `always` holds, and `different`.

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
from contextlib import suppress
from copy import copy
from functools import cached_property, partial
from typing import Any

from .acting import ActingGame, Change, Fact, GroundAction, changed_by
from .core.limits import Limits, Stopped, Unsupported
from .core.pairs import ReachedPairs
from .core.problem import Action, Cost, Literal, Literals, Problem
from .fact_groups import FactGroups, which_atom, which_values
from .state_classes import Class, ClassState, Count, OpenValue, StateAfter, View, decide, which
from .terms import OneOf, OpenError, Run, Value, on_one_place

POSSIBLE = "possible"
"""The variable that says in a text that there is no plan: it is `no`, no action sets it, the goal asks for `yes`."""

MOST = 1_000_000
"""Classes of states that are looked at for one puzzle, at most."""


Makes = frozenset[Fact]
"""What an action makes true: pairs (place, new value)."""

Told = dict[Fact, tuple[int, frozenset[Value]]]
"""For each fact that a text tells the place of the variable, and the values with which it does."""


class NotDerivedError(Exception):
    """The text was not shown to be the puzzle for all states, which says nothing against it."""


def derive(rules: ActingGame, problem: Problem, limits: Limits) -> int:
    """Show that the problem is the puzzle with these rules, for all states; the result is how many classes of states
    were looked at. Raises `NotDerivedError`, with what is in the way, and `Stopped` at a limit.
    """
    if POSSIBLE in problem.names and POSSIBLE not in rules.names:
        rules = copy(rules)
        rules.names, rules.domains = rules.names | {POSSIBLE: len(rules.start)}, [*rules.domains, (False, True)]
        rules.start = (*rules.start, False)
    derivation = _Derivation(rules, problem, limits)
    try:
        derivation.goal()
        derivation.actions()
        return derivation.classes
    except Stopped:
        raise
    except Unsupported as reason:  # of a state that is in S, but perhaps cannot be reached
        raise NotDerivedError(str(reason)) from None


class _Derivation:
    """Both sides, and what is shown of them: each step raises `NotDerivedError` if it fails.

    `places`: of each variable; `values`: of each variable, in its order; `all`: S as a class; `classes`: how many were
    looked at; `others`: actions of the text without one of that name in the puzzle, whose effects depend on the state;
    `by_effect`: those whose effects do not.
    """

    def __init__(self, rules: ActingGame, problem: Problem, limits: Limits) -> None:
        self.rules, self.problem, self.limits, self.classes = rules, problem, limits, 0
        self.work = 1 + (rules.terms + len(rules.start)) // 16
        self.acts = {word_of(name): act for name, act in rules.acts.items()}
        self.places, self.values = paired(rules, problem)
        self.told = _told(rules, self.places, self.values)
        self.groups = FactGroups(rules, self.told, limits)
        self.views: dict[int, View] = {}  # how each atom is read off the variables of the text
        self.counts: list[Count] = []
        self.follows: set[int] = set()  # places that surely have what their view says
        self.ignored: set[int] = set()  # those that no condition and no goal asks for: the text need not say them
        self.constant: set[int] = set()  # those that the text does not tell, and that keep the value of the start
        self._views()
        self.viewed = {place: [place] for place in self.places if place < len(rules.start)}
        for atom, view in self.views.items():
            for place, _ in view.one_of.parts:
                self.viewed.setdefault(place, []).append(atom)
        self.about: dict[int, list[Count]] = {}
        for counted in self.counts:
            for place, _ in counted.parts:
                self.about.setdefault(place, []).append(counted)
        self.given: list[Run] = [*rules.always, *self.counts]
        self.made: dict[Literal, frozenset[Value]] = {}
        self.variable = {place: x for x, place in enumerate(self.places)}
        first = zip(self.places, self.values, problem.start, strict=True)
        start = Class(
            [frozenset((value,)) for value in rules.start],
            {place: frozenset((values[value],)) for place, values, value in first},
        )
        if any(view.told(start) != rules.start[atom] for atom, view in self.views.items()):
            raise NotDerivedError("at the start another fact is true")
        state = ClassState(start, rules.apart, self.views)
        if not self.constant.isdisjoint(self.views) or not all(counted(state) for counted in self.counts):
            raise NotDerivedError("what the text leaves out is not known")
        changed = {x for action in problem.actions for x in action.effects}
        self.all = start.replaced({self.places[x]: self._reached(x) for x in changed})
        if any(len({rules.start[place] for place in apart}) < len(apart) for apart in rules.apart.values()):
            raise NotDerivedError("at the start two values are equal that have to be different")
        self.asked = {id(act): self._seen(act.conditions) for act in rules.acts.values()}
        self.goal_asked = self._seen(rules.goal)
        self.needs: dict[str, list[Run]] = {}
        self.others: list[Action] = []
        self.by_effect: dict[Makes, list[Action]] = {}

    def _reached(self, x: int) -> frozenset[Value]:
        """The values of a variable without those that the rules never give its place."""
        place, values = self.places[x], self.values[x]
        if not (reached := self.rules.reached):
            return frozenset(values)
        if place < len(reached):
            return frozenset(values) & reached[place]
        return frozenset(atom for atom in values if not isinstance(atom, int) or atom < 0 or True in reached[atom])

    def _views(self) -> None:
        """Find how atoms that the text does not name follow from those that it names, and what is so in all states: as
        `fact_groups` shows, actions keep the number of facts of some sets that are true.
        """
        rules, groups, told = self.rules, self.groups, self.told
        for (place, _), part in told.items():
            if part[0] != place:
                self.views[place] = View(OneOf((part,)), True)
        named = {place for place, _ in told}
        left = groups.changing() - named
        asked = left if rules.read is None else left & rules.read
        if rules.redundant:
            asked &= rules.redundant
        for place in asked:
            rest = groups.rest_of((place, True))
            if rest and set(rules.domains[place]) == {False, True}:
                self._follow(place, rest)
        for place in rules.redundant & named:
            if (rest := groups.rest_of((place, True))) and groups.kept(group := rest | {(place, True)}):
                self._count(group)
        if rules.read is not None:
            self.ignored = left - rules.read
        tables: dict[str, set[Fact]] = {}
        for fact in groups.touching:
            atom = rules.atoms.get(fact[0], ())
            if len(atom) == 2 and fact[1] is True and set(rules.domains[fact[0]]) == {False, True}:
                tables.setdefault(atom[0], set()).add(fact)
        for facts in tables.values():
            if groups.kept(group := frozenset(facts)):
                self._count(group)
                many = sum(map(groups.holds, group))
                groups.steps = [step for step in groups.steps if len(step.needed & group) <= many]
        possible = {word_of(step.name) for step in groups.steps}
        self.acts = {name: act for name, act in self.acts.items() if name in possible}

    def _follow(self, place: int, rest: frozenset[Fact]) -> None:
        """Read an atom that the text leaves out off others: `free r1c1` is true where no piece covers r1c1, as one of
        these facts, `rest` and itself, is always true.
        """
        self.constant |= {other for other, _ in rest - self.told.keys()}
        never = any(map(self.groups.holds, rest - self.told.keys()))
        self.views[place] = View(OneOf(() if never else self._parts_of(rest & self.told.keys())), never)
        if self.groups.kept(rest | {(place, True)}):
            self.follows.add(place)
            self._count(rest, 0)

    def _count(self, group: frozenset[Fact], least: int | None = None) -> None:
        """Note that of a set as many facts are true in every state as at the start: two boxes on all cells. Those that
        the text does not tell stay as they are, and are taken off.
        """
        told = group & self.told.keys()
        if not self.views.keys().isdisjoint(place for place, _ in group - told):
            return  # the text says it in other words
        self.constant |= {place for place, _ in group - told}
        most = (1 if least == 0 else sum(map(self.groups.holds, group))) - sum(map(self.groups.holds, group - told))
        if told:
            self.counts.append(Count(self._parts_of(told), most if least is None else least, most))

    def _parts_of(self, facts: Iterable[Fact]) -> tuple[tuple[int, frozenset[Value]], ...]:
        """Facts as conditions on variables of the text: `A at r1c1` and `A at r1c2` are that A is r1c1 or r1c2."""
        parts: dict[int, frozenset[Value]] = {}
        for place, some in map(self.told.__getitem__, sorted(facts)):
            parts[place] = parts.get(place, frozenset()) | some
        return tuple(parts.items())

    def _seen(self, conditions: Iterable[Run]) -> list[Run]:
        """Conditions of the rules as the text has them: that a cell is free, as that no piece stands so that it covers
        it.
        """
        found: list[Run] = []
        for condition in conditions:
            if not isinstance(condition, OneOf) or self.views.keys().isdisjoint(place for place, _ in condition.parts):
                found.append(condition)
                continue
            parts: list[tuple[int, frozenset[Value]]] = []
            for place, some in condition.parts:
                view = self.views.get(place)
                if view is None:
                    parts.append((place, some))
                elif view.positive is (True in some) and len(some) == 1:
                    parts += view.one_of.parts
                elif len(some) == 1 and len(view.one_of.parts) == 1:
                    parts += [(own, self.all[own] - values) for own, values in view.one_of.parts]
                elif len(some) == 1 and len(condition.parts) == 1:
                    found += [OneOf(((own, self.all[own] - values),)) for own, values in view.one_of.parts]
                    break
                else:
                    found.append(condition)
                    break
            else:
                found.append(OneOf(tuple(parts)))
        return found

    @cached_property
    def acts_by_effect(self) -> dict[Makes, list[GroundAction]]:
        """The actions whose changes do not depend on the state, by these: {A at r1c2, free r1c1}."""
        found: dict[Makes, list[GroundAction]] = {}
        for act in self.acts.values():
            if all(change.plain for change in act.changes):
                known, _ = self._within(self.all, self.asked[id(act)])
                if known is not None:
                    makes = ((change.place, change.value.value) for change in act.changes)
                    found.setdefault(self._new(known, makes), []).append(act)  # type: ignore[arg-type]
        return found

    def actions(self) -> None:
        """Each action of one side is one of the other, costs as much, and has the same effect."""
        every = list(self.acts.values())
        groups: dict[str, list[Action]] = {name: [] for name in self.acts}
        for action in self.problem.actions:
            name = next((name for name in (action.name, NUMBERED.sub("", action.name)) if name in groups), None)
            needs = self.needs[action.name] = self._clauses(action.needs)
            self.limits.hold(300 * len(needs))
            known, given = self._within(self.all, [*needs, *self.given])
            if known is None:
                continue  # it is possible in no state
            constant = all(len(some) == 1 and not some[0][0] for some in action.effects.values())
            if constant:
                gets = {self.places[x]: frozenset((self.values[x][some[0][1]],)) for x, some in action.effects.items()}
                makes = self._new(known, self._makes(known.replaced(gets), gets))
                self.by_effect.setdefault(makes, []).append(action)
            if name is not None:
                groups[name].append(action)
                self._sound(action, known, given, [self.acts[name]])
            else:
                self.others += [] if constant else [action]
                acts = self.acts_by_effect.get(makes, every) if constant else every
                self._sound(action, known, given, acts)
        for name, act in self.acts.items():
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
    def pairs(self) -> ReachedPairs:
        """Which two values of the text can hold at once."""
        return ReachedPairs(self.problem, self.limits)

    def _excluded(self, known: Class, given: Sequence[Run]) -> bool:
        """Whether no state of a class is in S: so many facts cannot be true there, two of its values are never reached
        together (`ReachedPairs`), or what is `given` cannot all be true. Of hundreds of counts (a cell is free, or one
        piece covers it) those are asked that are about places which the class narrows.
        """
        told = [(x, place) for x, place in enumerate(self.places) if known[place] is not self.all[place]]
        if self._miscounted(known):
            return True
        if not self.pairs.beside_all((x, self._mask(x, known[place])) for x, place in told):
            return True
        return bool(given) and self._never(known, given)

    def _miscounted(self, known: Class) -> bool:
        """Whether a class has too many facts of a set, or leaves too few."""
        state = self._read(known)
        for place, values in known.items():
            for counted in self.about.get(place, ()) if values is not self.all[place] else ():
                with suppress(OpenError):
                    if not counted(state):
                        return True
        return False

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

    # The goal

    def goal(self) -> None:
        """In each state the goal of the puzzle holds if and only if that of the text does."""
        problem = self.problem
        for clause in problem.goal:
            if (known := self._without(clause)) is not None and not self._never(known, self.goal_asked, self.given):
                raise NotDerivedError("the text has a goal that the puzzle has not")
        known, given = self._within(self.all, [*self._clauses(problem.goal), *self.given])
        if known is not None and not self._always(known, self.goal_asked, given):
            raise NotDerivedError("the puzzle has a goal that the text has not")

    def _without(self, clause: Literals) -> Class | None:
        """The states of S in which a clause is false."""
        known: Class | None = self.all
        for x, mask in clause:
            if known is not None:
                known = self._narrow(known, self.places[x], self._some(x, ~mask))
        return known

    # Actions

    def _sound(self, action: Action, known: Class, given: list[Run], acts: Sequence[GroundAction]) -> None:
        """Where an action of the text is possible, one of these is, costs as much, and has the same effect. `known` and
        `given`: it is possible in those states of a class in which these conditions are true.
        """
        if len(acts) > 1:
            acts = [act for act in acts if self._may_cost(act, known, action.cost)]
        if len(acts) == 1:
            shown = self._always(known, self._same(action, acts[0]), given)
        else:
            shown = self._never(known, [], given, lambda state: not self._is_one(action, acts, state))
        if not shown:
            raise NotDerivedError(f"`{action.name}` is not shown to be an action of the puzzle")

    def _is_one(self, action: Action, acts: Iterable[GroundAction], state: Any) -> bool:
        """Whether an action of the text is, in a class of states, one of these of the puzzle."""
        return decide(True, (partial(decide, False, list(self._same(action, act))) for act in acts), state)

    def _same(self, action: Action, act: GroundAction) -> Iterator[Run]:
        """That an action of the puzzle is possible, costs as much as one of the text, and has the same effect."""
        yield from self._possible(act)
        yield lambda state: self._cost(act, state) == action.cost
        yield from self._effects_alike(action, act)

    def _effects_alike(self, action: Action, act: GroundAction) -> Iterator[Run]:
        """That they have the same effect, of each place that one of them sets."""
        touched: set[int] = {change.place for change in act.changes if isinstance(change.place, int)}
        everywhere = any(not isinstance(change.place, int) for change in act.changes)
        for x in action.effects:
            touched.update(self.viewed.get(self.places[x], (self.places[x],)))
        for place in range(len(self.rules.start)) if everywhere else touched - self.ignored - self.follows:
            yield partial(self._same_effect, action, act, place)

    def _may_cost(self, act: GroundAction, known: Class, cost: Cost) -> bool:
        """Whether an action of the puzzle may cost so much: True, too, where the price depends on the state."""
        with suppress(OpenError):
            return self._cost(act, self._read(known)) == cost
        return True

    def _cost(self, act: GroundAction, state: Any) -> Cost:
        """What an action of the puzzle costs."""
        cost = self.rules.price(act, state)
        hash(cost)  # asks which it is, where that is open
        return cost

    def _same_effect(self, action: Action, act: GroundAction, place: int, state: Any) -> bool:
        """Whether an action of the text and one of the puzzle leave the same value at a place."""
        changed = changed_by(act, state, place)
        new: dict[int, frozenset[Value]] = {}
        for own in [own for own, _ in self.views[place].one_of.parts] if place in self.views else [place]:
            for condition, number in action.effects.get(self.variable.get(own, -1), ()):
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

    def _complete(self, name: str, act: GroundAction, group: Sequence[Action]) -> None:
        """Where an action of the puzzle is possible, the text has one with the same effect at the same price, whatever
        its name is.
        """
        possible = self._possible(act)
        if len(group) == 1:
            without = [known for clause in group[0].needs if (known := self._without(clause)) is not None]
            if all(self._never(known, possible, self.given) for known in without):
                return
        like = self._like(group)

        def not_in_text(state: Any) -> bool:
            if decide(True, map(self._possible_in_text, like(state)), state):
                return False
            if any(self._possible_in_text(one)(state) and self._is_one(one, [act], state) for one in self.others):
                return False
            makes = {(place, which(value)) for place, value in (changed_by(act, state) or {}).items()}
            new = self._new(state.known, makes)
            return bool(new) and not any(
                action.cost <= self._cost(act, state)
                and self._possible_in_text(action)(state)
                and decide(False, self._effects_alike(action, act), state)
                for action in self.by_effect.get(new, ())
            )

        if not self._never(self.all, possible, self.given, not_in_text):
            raise NotDerivedError(f"`{name}` is possible where the text has no such action")

    def _possible_in_text(self, action: Action) -> Run:
        """Whether an action of the text is possible, as a function of a class of states."""
        return partial(decide, False, self.needs[action.name])

    def _new(self, known: Class, makes: Iterable[tuple[int, Value]]) -> Makes:
        """Effects without those that give a place the value that it has, and those that follow from the others."""
        return frozenset(
            (place, value)
            for place, value in makes
            if place not in self.ignored
            and (known[place] != {value} if (view := self.views.get(place)) is None else view.gives(known, value))
        )

    def _makes(self, known: Class, places: Iterable[int]) -> Iterator[tuple[int, Value]]:
        """Values of places in the words of the rules: `at/in.pkg1` being at.pkg1.a is the atom at.pkg1.a true, and
        at.pkg1.b false. `known`: the class that has the values.
        """
        for place in places:
            for own in self.viewed.get(place, (place,)):
                view = self.views.get(own)
                yield own, next(iter(known[place])) if view is None else bool(view.told(known))

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


# Which variable is which place

NUMBERED = re.compile(r"[.*]\d+$")
"""The ending of names that several actions of the text have in common: `slide:H:up.2`."""


def word_of(text: str) -> str:
    """An action or an entry of a table as one word, as problem texts have them: `move:2:last` for `move(2,last)`."""
    return text.translate({ord("("): ":", ord("["): ":", ord(","): ":", ord(" "): ".", ord(")"): None, ord("]"): None})


def paired(rules: ActingGame, problem: Problem) -> tuple[list[int], list[tuple[Value, ...]]]:
    """For each variable of the text a place, and the values that its values are: of one that says which of some atoms
    is true a new place, and the places of the atoms. Raises `NotDerivedError`.
    """
    places: list[int] = []
    values: list[tuple[Value, ...]] = []
    taken = {rules.names[name] for name in problem.names if name in rules.names}
    free = [place for place in range(len(rules.start)) if place not in taken]
    for name, words, start in zip(problem.names, problem.domains, problem.start, strict=True):
        if name not in rules.names and (some := _atoms_of(rules, name, words, start)):
            place = len(rules.start) + len(places)
        else:
            for place in [rules.names[name]] if name in rules.names else free:
                some = which_values(words, rules.domains[place], rules.start[place], start, rules.words)
                if some is not None:
                    break
            else:
                raise NotDerivedError(f"it is not known what the variable `{name}` of the text says of the puzzle")
        places.append(place)
        values.append(some)
    if len(set(places)) < len(places):
        raise NotDerivedError("two variables stand for one place")
    return places, values


def _atoms_of(rules: ActingGame, name: str, words: Sequence[str], first: int) -> tuple[Value, ...] | None:
    """For each value of a variable the place of the atom that it stands for: `A=r1c1` for piece[r1c1, A]."""
    if (atoms := rules.owners.get(name)) is None:
        return which_atom(rules, name, words)
    start = next((value for value, place in atoms.items() if rules.start[place]), None)
    some = None if start is None else which_values(words, list(atoms), start, first, rules.words)
    return some and tuple([atoms[value] for value in some])


def _told(rules: ActingGame, places: Sequence[int], values: Sequence[tuple[Value, ...]]) -> Told:
    """What facts the variables of a text tell. Raises `NotDerivedError` where two tell of one."""
    told: Told = {}
    for place, atoms in zip(places, values, strict=True):
        if place < len(rules.start):
            ones = [value for value in rules.domains[place] if value is not False]
            facts = [((place, value), value) for value in ones]
        else:
            facts = [((atom, True), atom) for atom in atoms if isinstance(atom, int) and atom >= 0]
        for fact, value in facts:
            if fact in told:
                raise NotDerivedError("two variables tell of one fact")
            told[fact] = place, frozenset((value,))
    return told
