"""From changes of variables to facts: what is true, what is not, and which facts exclude each other.

Each variable has a fact for each value. Preconditions are positive, so what must *not* be true needs facts of its own.
For a set F of facts of which at most one can be true there is a fact "none of F"; F and it are a mutex group. F is

- the values of one variable that a precondition excludes: at[A] is none of r1c1, r1c2; or
- everything that is at one place, of several variables: `none of at r1c1` while no robot is there. That at most one is,
  is an invariant: it holds at the start, and whoever comes there leaves another fact of F or requires that no other is
  true (Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009, on such invariants).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple

from ...task import ExactlyInvariant, GroupKind, Operator, Task, Walker
from .language.expressions import Value, text_of
from .leaves import FactChange, Variables, bits
from .puzzle import Act, Place

# A task that is being made: facts have their first numbers, and operators are not yet those that engines get.


class DraftOperator(NamedTuple):
    """An operator as in `models.task.Operator`. Its name is made of an action, its arguments, and a `number` if it is
    not the first with these; `at` is where a walker stands before; `twins`: others that do the same.
    """

    action: str
    args: tuple[Value, ...]
    number: int
    pre: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]
    cost: tuple[int, ...]
    walk: tuple[int, int] | None = None
    at: Value | None = None
    twins: tuple[DraftOperator, ...] = ()


def with_twins(alike: Iterable[list[DraftOperator]]) -> list[DraftOperator]:
    """Of operators that do the same only the first, with the others as its twins."""
    return [first._replace(twins=tuple(others)) if others else first for first, *others in alike]


class _Texts(dict[Value, str]):
    """The texts of the values of one type, each made when it is first asked for."""

    def __missing__(self, value: Value) -> str:
        self[value] = text = text_of(value)
        return text


@dataclass(frozen=True)
class Draft:
    """A task as in `models.task.Task`. `name`: the name of a fact."""

    name: Callable[[int], str]
    groups: tuple[ExactlyInvariant, ...]
    operators: list[DraftOperator]
    init: frozenset[int]
    goal: tuple[tuple[int, ...], ...]
    unsolvable_because: str | None = None
    walker: Walker | None = None

    def task(self, metric: tuple[str, ...]) -> Task:
        """The task, with only the facts that something mentions, numbered in the same order."""
        named = {fact for clause in self.goal for fact in clause}.union(self.init)
        named.update(*[op.pre for op in self.operators], *[op.add for op in self.operators])
        named.update(self.walker.free if self.walker else ())
        kept = sorted(named)
        new = {fact: number for number, fact in enumerate(kept)}

        number = new.__getitem__
        groups = []
        for group in self.groups:
            members = tuple([new[fact] for fact in group.facts if fact in new])
            if len(members) > group.count:
                groups.append(ExactlyInvariant(group.name, group.kind, members, group.count))
        if groups and not any(group.kind == GroupKind.OBJECT for group in groups):
            groups[0] = replace(groups[0], kind=GroupKind.OBJECT)  # engines need something that moves
        # By action and place of the argument, for a truth value and a number may be equal as keys.
        texts: dict[str, list[_Texts]] = {
            twin.action: [_Texts() for _ in twin.args] for op in self.operators for twin in (op, *op.twins)
        }
        places, operators, twins = _Texts(), list[Operator](), list[Operator]()
        for op in self.operators:
            sets = tuple(map(number, op.pre)), tuple(map(number, op.add)), tuple(map(number, op.delete))
            for twin in (op, *op.twins):
                act = Act(twin.action, tuple([t[arg] for t, arg in zip(texts[twin.action], twin.args, strict=True)]))
                name = str(act) if twin.number == 1 else f"{act} {twin.number}"
                if op.at is not None:
                    act = Act(twin.action, act.args, places[op.at])
                (operators if twin is op else twins).append(Operator(name, *sets, act, twin.cost, op.walk))
        return Task(
            name="",
            facts=tuple(map(self.name, kept)),
            groups=tuple(groups),
            operators=tuple(operators),
            twins=tuple(twins),
            init=tuple(sorted(map(number, self.init))),
            goal=tuple([tuple(map(number, clause)) for clause in self.goal]),
            metric=metric,
            walker=replace(self.walker, free=tuple(map(number, self.walker.free))) if self.walker else None,
            unsolvable_because=self.unsolvable_because,
        )


def possible(
    steps: Iterable[FactChange], variables: Variables, reached: Sequence[int], sets_of: Mapping[int, list[int]]
) -> Iterator[FactChange]:
    """The steps that change something and do not need two facts of one mutex set; what is open, in each case of what it
    was. `sets_of`: the numbers of the sets that hold a fact.
    """

    @cache
    def facts_in(variable: int, mask: int) -> list[int]:
        return [variables.first[variable] + value for value in bits(mask)]

    variable_of = variables.variable
    for step in steps:
        taken = [number for fact in step.needed if fact in sets_of for number in sets_of[fact]]
        excluded = frozenset(taken)
        if len(excluded) < len(taken) or not step.gained:
            continue
        if not step.open:
            yield step
            continue
        # Each case with the numbers of the sets of which a fact is needed.
        needed, among, gained, lost, opened = step[3:]
        cases = [([*needed], gained, [*lost], excluded)]
        masks = dict(among)
        for fact in opened:
            variable = variable_of[fact]
            options = facts_in(variable, masks.pop(variable, reached[variable]))
            after = []
            for case in cases:
                needed, gained, lost, excluded = case
                allowed = [old for old in options if old not in sets_of or excluded.isdisjoint(sets_of[old])]
                for old in allowed:
                    if len(allowed) > 1:  # what is one case remains the same lists
                        needed, lost = [*case[0]], [*case[2]]
                    needed.append(old)
                    if old == fact:
                        now = [other for other in gained if other != fact]
                    else:
                        now = gained
                        lost.append(old)
                    after.append((needed, now, lost, excluded.union(sets_of[old]) if old in sets_of else excluded))
            cases = after
        among = list(masks.items())
        for needed, gained, lost, _ in cases:
            if gained:
                yield FactChange(*step[:3], needed, among, gained, lost, [])


@dataclass
class Facts:
    """The facts of a task, by their numbers (see `steps`); facts "none of some facts" have numbers after all others.

    `reached`: each variable's reachable values (a mask).
    """

    variables: Variables
    reached: list[int]
    steps: list[FactChange] = field(default_factory=list)
    further: list[str] = field(default_factory=list)
    nones: dict[frozenset[int], int] = field(default_factory=dict)
    nones_of: dict[int, list[frozenset[int]]] = field(default_factory=dict)
    exclusive: dict[frozenset[int], bool] = field(default_factory=dict)
    of_mask: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    place_sets: dict[tuple[int, ...], tuple[frozenset[int], list[int]]] = field(default_factory=dict)
    with_value: dict[tuple[Value, frozenset[str]], frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.varying = [v for v, mask in enumerate(self.reached) if mask & (mask - 1)]
        self.permuted = list(self._permutations())

    @cached_property
    def of_value(self) -> dict[Value, list[int]]:
        """The facts of variables that vary, by the value that they say."""
        facts: dict[Value, list[int]] = {}
        for variable in self.varying:
            for fact in self.facts(variable):
                facts.setdefault(self.variables.value[fact], []).append(fact)
        return facts

    def different(self) -> Iterator[frozenset[int]]:
        """Sets of facts of which at most one is ever true because the author says that values are different."""
        for variable, others in self.variables.siblings.items():
            if variable < min(others, default=variable + 1):
                facts: dict[int, list[int]] = {}
                for other in (variable, *others):
                    for number in bits(self.reached[other]):
                        facts.setdefault(number, []).append(self.variables.first[other] + number)
                yield from map(frozenset, facts.values())

    @cached_property
    def adders(self) -> dict[int, list[FactChange]]:
        """The steps that make each fact true."""
        adders: dict[int, list[FactChange]] = {}
        for step in self.steps:
            for fact in step.gained:
                adders.setdefault(fact, []).append(step)
        return adders

    def facts(self, variable: int) -> list[int]:
        """The facts of the values that a variable reaches."""
        return [self.variables.first[variable] + value for value in bits(self.reached[variable])]

    def further_fact(self, name: str) -> int:
        """A fact that is not the value of a variable."""
        self.further.append(name)
        return len(self.variables.value) + len(self.further) - 1

    def name(self, fact: int) -> str:
        """A fact in words: `at wolf left`, `peg r1c3`, `not peg r1c3`."""
        if fact >= len(self.variables.value):
            return self.further[fact - len(self.variables.value)]
        words, value = self._words(self.variables.variable[fact]), self.variables.value[fact]
        if isinstance(value, bool):
            return words if value else f"not {words}"
        return f"{words} {text_of(value)}"

    def _words(self, variable: int) -> str:
        table, args = self.variables.places[variable]
        return " ".join([table, *map(text_of, args)])

    # Preconditions

    def required(self, step: FactChange) -> Sequence[int]:
        """The preconditions of a step: facts that together say what is so before it."""
        if not step.among:
            return step.needed
        required, variable_of, value_of = list(step.needed), self.variables.variable, self.variables.value
        absent: dict[Value, list[int]] = {}  # facts that must be false, by their values
        for variable, mask in step.among:
            for fact in self._without(variable, self.reached[variable] & ~mask):
                absent.setdefault(value_of[fact], []).append(fact)
        fixed = {variable_of[fact]: fact for fact in step.needed}
        needed_of: dict[Value, list[int]] = {}
        for fact in step.needed:
            needed_of.setdefault(value_of[fact], []).append(fact)
        rest: dict[int, list[int]] = {}
        for value, facts in absent.items():
            open_facts = facts
            if value in needed_of:
                open_facts = [fact for fact in facts if not self._implied(fact, needed_of[value])]
                if not open_facts:
                    continue
            family, others = self._place_set(value, tuple(facts))
            if family and all(v in fixed and fixed[v] not in family for v in others):
                required.append(self.none_of(family))
            else:
                for fact in open_facts:
                    rest.setdefault(variable_of[fact], []).append(fact)
        return required + [self.none_of(frozenset(facts)) for facts in rest.values()]

    def _table(self, fact: int) -> str:
        return self.variables.places[self.variables.variable[fact]][0]

    def _without(self, variable: int, mask: int) -> list[int]:
        """The facts that a variable has one of the values in a mask; kept, because many steps exclude the same ones."""
        if (variable, mask) not in self.of_mask:
            first = self.variables.first[variable]
            self.of_mask[variable, mask] = [first + value for value in bits(mask)]
        return self.of_mask[variable, mask]

    def _implied(self, fact: int, needed: Sequence[int]) -> bool:
        """Whether a fact is surely false, because another object is at its place and at most one can be there."""
        variable, value = self.variables.variable[fact], self.variables.value[fact]
        if isinstance(value, bool):
            return False
        return any(
            self.variables.variable[other] != variable
            and self.mutex(self.at_value(value, frozenset((self._table(fact), self._table(other)))))
            for other in needed
        )

    def _place_set(self, value: Value, absent: tuple[int, ...]) -> tuple[frozenset[int], list[int]]:
        """All facts "x is at this place" of the tables of some of them, if they exclude each other (else none), and the
        variables of those beside `absent`.
        """
        if absent not in self.place_sets:
            family = self.at_value(value, frozenset(map(self._table, absent)))
            if len(family) < 2 or not self.mutex(family):
                family = frozenset()
            self.place_sets[absent] = family, [self.variables.variable[fact] for fact in family.difference(absent)]
        return self.place_sets[absent]

    def at_value(self, value: Value, tables: frozenset[str]) -> frozenset[int]:
        """All facts that give this value (for example, this cell) to a variable of one of these tables."""
        if (value, tables) not in self.with_value:
            facts = self.of_value.get(value, ())
            self.with_value[value, tables] = frozenset([fact for fact in facts if self._table(fact) in tables])
        return self.with_value[value, tables]

    def mutex(self, facts: frozenset[int]) -> bool:
        """Whether at most one of some facts is true in every reachable state; proven as an invariant of all steps."""
        variable_of, first_of = self.variables.variable, self.variables.first
        if facts not in self.exclusive:
            first, *others = sorted(variable_of[fact] for fact in facts)
            values = {fact - first_of[variable_of[fact]] for fact in facts}
            if set(others) <= set(self.variables.siblings.get(first, ())) and len(values) == 1:
                self.exclusive[facts] = True  # the author says so, and no change makes them equal
        if facts not in self.exclusive:
            start = self.variables.start
            at_start = sum(fact - first_of[variable_of[fact]] == start[variable_of[fact]] for fact in facts)
            self.exclusive[facts] = at_start <= 1 and all(
                self._keeps(step, facts) for fact in facts for step in self.adders.get(fact, ())
            )
        return self.exclusive[facts]

    def _keeps(self, step: FactChange, facts: frozenset[int]) -> bool:
        """Whether there is at most one of the facts after a step if there was at most one before."""
        if len(facts.intersection(step.gained)) > 1:
            return False
        if not facts.isdisjoint(step.lost):  # leaves one of them: there was no other
            return True
        variable_of, first = self.variables.variable, self.variables.first
        changed = {variable_of[fact] for fact in step.gained}
        fixed, among = {variable_of[fact] for fact in step.needed}, dict(step.among)
        for fact in facts:
            variable = variable_of[fact]
            if variable in changed:
                continue
            if variable in fixed:
                if fact in step.needed:
                    return False
            elif among.get(variable, -1) >> (fact - first[variable]) & 1:
                return False
        return True

    def none_of(self, facts: frozenset[int]) -> int:
        """The fact that is true if and only if none of some mutually exclusive facts is."""
        if len(facts) == 1:
            (fact,) = facts
            variable = self.variables.variable[fact]
            first = self.variables.first[variable]
            rest = self.reached[variable] & ~(1 << fact - first)
            if rest & (rest - 1) == 0:
                return first + rest.bit_length() - 1
        if facts not in self.nones:
            self.nones[facts] = self.further_fact(self._none_name(sorted(facts)))
            for fact in facts:
                self.nones_of.setdefault(fact, []).append(facts)
        return self.nones[facts]

    def _none_name(self, facts: list[int]) -> str:
        variables = dict.fromkeys(self.variables.variable[fact] for fact in facts)
        texts = [text_of(self.variables.value[fact]) for fact in facts]
        if len(variables) == 1:
            return f"{self._words(next(iter(variables)))} not {' '.join(texts)}"
        return f"no {' '.join(dict.fromkeys(map(self._table, facts)))} {texts[0]}"

    # Effects

    def effects(self, step: FactChange) -> tuple[list[int], list[int]] | None:
        """Facts "none of" that a step adds, and those that it needs and deletes; None if it is impossible."""
        variable_of, value_of = self.variables.variable, self.variables.value
        for family, _ in self.permuted:  # whose values only change places
            new = {value_of[fact] for fact in step.gained if variable_of[fact] in family}
            if new != {value_of[fact] for fact in step.lost if variable_of[fact] in family}:
                return None
        difference: dict[frozenset[int], int] = {}
        for several, sign in ((step.gained, 1), (step.lost, -1)):
            for fact in several:
                for facts in self.nones_of.get(fact, ()):
                    difference[facts] = difference.get(facts, 0) + sign
        if any(abs(more) > 1 for more in difference.values()):
            return None
        gone = [self.nones[facts] for facts, more in difference.items() if more == 1]
        return [self.nones[facts] for facts, more in difference.items() if more == -1], gone

    # What is always so

    def initial(self) -> list[int]:
        """The facts of the initial state."""
        init = {self.variables.first[variable] + self.variables.start[variable] for variable in self.varying}
        return [*init, *(number for facts, number in self.nones.items() if facts.isdisjoint(init))]

    def groups(self) -> Iterator[ExactlyInvariant]:
        """The groups of the task: each variable, each set completed by a fact "none of", and each value that only
        changes places.
        """
        for variable in self.varying:
            yield ExactlyInvariant(self._words(variable), GroupKind.OBJECT, tuple(self.facts(variable)))
        yield from self._permuted()
        for members, number in self.nones.items():
            yield ExactlyInvariant(self.name(number), GroupKind.CELL, (*sorted(members), number))

    def _permuted(self) -> Iterator[ExactlyInvariant]:
        """Groups for tables with as many values as variables, all different: each value is then in exactly one
        place.
        """
        for family, values in self.permuted:
            varying = [v for v in family if self.reached[v] & (self.reached[v] - 1)]
            for value in bits(values):
                facts = [self.variables.first[v] + value for v in varying if self.reached[v] >> value & 1]
                if len(facts) > 1:
                    text = text_of(self.variables.values[varying[0]][value])
                    name = f"{self.variables.places[varying[0]][0]} {text}"
                    yield ExactlyInvariant(name, GroupKind.CELL, tuple(sorted(facts)))

    def _permutations(self) -> Iterator[tuple[frozenset[int], int]]:
        """The variables of each table with as many values (a mask) as variables, all different."""
        done: set[int] = set()
        for variable in self.varying:
            family = frozenset((variable, *self.variables.siblings.get(variable, ())))
            values = 0
            for other in family:
                values |= self.reached[other]
            if len(family) > 1 and variable not in done and values.bit_count() == len(family):
                yield family, values
            done.update(family)

    @cached_property
    def negatives(self) -> dict[int, int]:
        """For each fact that is a truth value, the fact that it is false."""
        return {fact: fact - 1 for fact in self.truths}

    def on_cells(self) -> dict[str, dict[Value, tuple[int, ...]]]:
        """For each table of cells with other values than truth values: the facts of each value, one for each cell."""
        tables: dict[str, dict[Value, tuple[int, ...]]] = {}
        for variable in self.varying:
            table = self.variables.puzzle.state[self.variables.places[variable][0]]
            if table.domain.kind != "truth" and [domain.kind for domain in table.of] == ["cell"]:
                facts = tables.setdefault(table.name, {})
                for fact in self.facts(variable):
                    value = self.variables.value[fact]
                    facts[value] = (*facts.get(value, ()), fact)
        return tables

    @cached_property
    def truths(self) -> dict[int, Place]:
        """The place in the state of each fact that says that a truth value is true. (It is value 1: `puzzle.BOOL`.)"""
        return {
            self.variables.first[v] + 1: self.variables.places[v]
            for v in self.varying
            if isinstance(self.variables.values[v][0], bool)
        }
