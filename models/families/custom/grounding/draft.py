"""A task that is being made: facts have their first numbers, and operators are not yet those that engines get."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ....task import ExactlyInvariant, GroupKind, Operator, Task, Walker
from ..files.notation import Act
from ..language.expressions import Value, text_of


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
