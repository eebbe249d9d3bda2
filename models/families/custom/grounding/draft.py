"""A task that is being made: facts have their first numbers, and operators are not yet those that engines get."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from ....task import ExactlyInvariant, GroupKind, Operator, Task, Walker
from ..language.expressions import Value, text_of
from ..puzzle import Act
from .cases import Compiler
from .instances import VariableChange
from .variables import bits


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
            left = tuple([new[fact] for fact in group.facts if fact in new])
            if len(left) > group.count:
                groups.append(ExactlyInvariant(group.name, group.kind, left, group.count))
        if groups and not any(group.kind == GroupKind.OBJECT for group in groups):
            groups[0] = replace(groups[0], kind=GroupKind.OBJECT)  # engines need something that moves
        # By action and place of the argument, for a truth value and a number may be equal as keys.
        texts: dict[str, list[_Texts]] = {
            one.action: [_Texts() for _ in one.args] for op in self.operators for one in (op, *op.twins)
        }
        places, operators, twins = _Texts(), list[Operator](), list[Operator]()
        for op in self.operators:
            sets = tuple(map(number, op.pre)), tuple(map(number, op.add)), tuple(map(number, op.delete))
            for one in (op, *op.twins):
                act = Act(one.action, tuple([text[arg] for text, arg in zip(texts[one.action], one.args, strict=True)]))
                name = str(act) if one.number == 1 else f"{act} {one.number}"
                if op.at is not None:
                    act = Act(one.action, act.args, places[op.at])
                (operators if one is op else twins).append(Operator(name, *sets, act, one.cost, op.walk))
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


# Changes of variables as steps over facts: what must be true before, what becomes true, what becomes false.
#
# A fact is "variable = value". Facts are numbered in order, all values of the first variable first:
#
#     a: in 0..2, b: in [x, y]      0: a = 0   1: a = 1   2: a = 2   3: b = x   4: b = y


class FactNumbers:
    """The numbers of facts. `first`: of each variable's first value; `variable`, `value`: of each fact."""

    def __init__(self, compiler: Compiler) -> None:
        self.first = [0, *accumulate(map(len, compiler.values))]
        self.variable: list[int] = []
        self.value: list[Value] = []
        for variable, values in enumerate(compiler.values):
            self.variable += [variable] * len(values)
            self.value += values


class FactChange(NamedTuple):
    """A change, by facts.

    `needed`: those that are surely true before it. `among`: variables of which more than one value is possible before
    it, with these values (a mask). `gained`: those that become true. `lost`: those that become false. `open`: the
    gained facts of variables of which it is not known what they were, and so what is lost.
    """

    change: VariableChange
    needed: list[int]
    among: list[tuple[int, int]]
    gained: list[int]
    lost: list[int]
    open: list[int]


def step_of(change: VariableChange, first: Sequence[int], reached: Sequence[int]) -> FactChange:
    """A change as a step. What all reached values meet is left out, and so are variables that keep one value."""
    needed, among, gained, lost, opened = [], [], [], [], []
    known: dict[int, int] = {}  # of variables of which it is known what they were: that fact
    for variable, mask in change.term.items():
        possible = reached[variable]
        mask &= possible
        if mask & (mask - 1):
            if mask != possible:
                among.append((variable, mask))
            continue
        known[variable] = fact = first[variable] + mask.bit_length() - 1
        if mask != possible:
            needed.append(fact)
    for variable, value in change.new.items():
        fact = first[variable] + value
        if variable in known:
            if known[variable] != fact:
                gained.append(fact)
                lost.append(known[variable])
        elif reached[variable] != 1 << value:
            gained.append(fact)
            opened.append(fact)
    return FactChange(change, needed, among, gained, lost, opened)


def possible(
    steps: Iterable[FactChange], numbering: FactNumbers, reached: Sequence[int], sets_of: Mapping[int, list[int]]
) -> Iterator[FactChange]:
    """The steps that change something and do not need two facts of one mutex set; what is open, in each case of what it
    was. `sets_of`: the numbers of the sets that hold a fact.
    """

    @cache
    def facts_in(variable: int, mask: int) -> list[int]:
        return [numbering.first[variable] + value for value in bits(mask)]

    variable_of = numbering.variable
    for step in steps:
        taken = [number for fact in step.needed if fact in sets_of for number in sets_of[fact]]
        excluded = frozenset(taken)
        if len(excluded) < len(taken) or not step.gained:
            continue
        if not step.open:
            yield step
            continue
        # Each case with the numbers of the sets of which a fact is needed.
        change, needed, among, gained, lost, opened = step
        found = [([*needed], gained, [*lost], excluded)]
        masks = dict(among)
        for fact in opened:
            variable = variable_of[fact]
            options = facts_in(variable, masks.pop(variable, reached[variable]))
            after = []
            for case in found:
                needed, gained, lost, excluded = case
                left = [old for old in options if old not in sets_of or excluded.isdisjoint(sets_of[old])]
                for old in left:
                    if len(left) > 1:  # what is one case remains the same lists
                        needed, lost = [*case[0]], [*case[2]]
                    needed.append(old)
                    if old == fact:
                        now = [one for one in gained if one != fact]
                    else:
                        now = gained
                        lost.append(old)
                    after.append((needed, now, lost, excluded.union(sets_of[old]) if old in sets_of else excluded))
            found = after
        among = list(masks.items())
        for needed, gained, lost, _ in found:
            if gained:
                yield FactChange(change, needed, among, gained, lost, [])
