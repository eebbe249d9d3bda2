"""Chains of bookkeeping as one operator each: what a domain spells out between two choices becomes the move it means.

    go robot-1 east: 1  ->  step c1 c2: 0  ->  step c2 c3: 0  ->  stop at c3: 0        one operator of cost 1, which
                                                                                      needs c2, c3 free and c4 not

A *control* is a group of facts of which exactly one is true, and of which every operator requires one. One of its facts
is *busy* if all operators that require it are free and no two of them apply in the same state. Operators that make a
fact busy are composed with those that require it, until the control rests (after Haslum, *Reducing accidental
complexity in planning problems*, IJCAI 2007, whose composite operators do this for any sequence).

No plan is lost and none is won. The control is not busy at the start. While it is, only operators that require the busy
fact apply; so in a plan they follow each other, from the operator that made it busy, and each such run is one of the
compositions, at the sum of the costs: composing enters every operator that the facts known by then do not rule out, and
what it requires besides was true before the first one. A plan may end within a run. Then the goal came about by its
last operator, which adds a fact of the goal, and that beginning of the run is kept as an operator too: nothing follows
it. Going round in a circle changes nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ...models.cost import Cost
from ...models.moves import chained
from ...models.task import Operator, Task

MOST = 10
"""A task stays as it is if fusing would make more operators than this for each that it has. Trying so many in a state
costs more than passing over chains step by step, as searches do (`engines.common.forced_steps`)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision tree over operators of which at most one applies in a state: `after` has, for the facts of a group of
    which exactly one is true, the operator that is left, or a smaller tree.
    """

    group: frozenset[int]
    after: dict[int, Choice | Operator]


@dataclass(frozen=True, slots=True)
class Run:
    """Operators in a row. `before`: facts that have to hold at first, so that all of them apply. In the end those in
    `now` are known to be true, those in `gone` to be false. Two runs are equal if these and the cost are.
    """

    before: frozenset[int]
    now: frozenset[int]
    gone: frozenset[int]
    cost: Cost
    operators: tuple[Operator, ...] = field(compare=False)


class _TooManyError(Exception):
    """Composing makes too many operators, or one whose effect depends on more of the state."""


def with_fused_chains(task: Task) -> Task:
    """The task with chains as operators, whose moves are several in a row; as it is where there are none."""
    if task.walker or task.compound_moves or not task.operators:
        return task
    for group in task.groups:
        control = frozenset(group.facts)
        if group.count == 1 and not any(control.isdisjoint(op.pre) for op in task.operators):
            fusing = _Fusing(task, control)
            with suppress(_TooManyError):
                task = replace(task, operators=fusing.operators()) if fusing.busy else task
    return task


class _Fusing:
    """Composes the operators of a task over one control."""

    def __init__(self, task: Task, control: frozenset[int]) -> None:
        self.task, self.control = task, control
        self.groups = [frozenset(group.facts) for group in task.groups]
        requiring: dict[int, list[Operator]] = {}
        for op in task.operators:
            requiring.setdefault(self._of_control(op.pre), []).append(op)
        self.busy = {
            fact: choice
            for fact, several in requiring.items()
            if fact not in task.init
            and not any(any(op.cost) for op in several)
            and (choice := self._choice(_needed(several)))
        }
        self.wanted = frozenset(fact for clause in task.goal for fact in clause)
        self.left = MOST * len(task.operators)

    def _of_control(self, facts: Iterable[int]) -> int:
        return next(fact for fact in facts if fact in self.control)

    def _choice(self, operators: list[Operator]) -> Choice | Operator | None:
        """Operators sorted by facts that exclude each other; None if two of them may apply in one state."""
        if len(operators) == 1:
            return operators[0]
        for number in {n for fact in operators[0].pre for n in self.task.groups_of[fact]}:
            after: dict[int, list[Operator]] = {}
            for op in operators if self.task.groups[number].count == 1 else ():
                after.setdefault(next((fact for fact in op.pre if fact in self.groups[number]), -1), []).append(op)
            if len(after) > 1 and -1 not in after:
                below = {fact: self._choice(several) for fact, several in after.items()}
                found = {fact: choice for fact, choice in below.items() if choice is not None}
                return Choice(self.groups[number], found) if len(found) == len(below) else None
        return None

    def operators(self) -> tuple[Operator, ...]:
        """The operators of the task at rest, and the compositions; of those that do the same the cheapest. Raises
        `_TooManyError`.
        """
        found: dict[tuple[tuple[int, ...], ...], Operator] = {}
        seen = set[Run]()
        waiting = []
        for op in self.task.operators:
            if self._of_control(op.pre) not in self.busy:
                before, gone = frozenset(op.pre), frozenset(op.delete)
                waiting.append(Run(before, before - gone | frozenset(op.add), gone, op.cost, (op,)))
        while waiting:
            run = waiting.pop()
            last = run.operators[-1]
            choice = self.busy.get(self._of_control(run.now))
            if choice is None or not self.wanted.isdisjoint(last.add):
                op = self._composed(run)
                key = op.pre, op.add, op.delete
                if (op.add or op.delete) and (key not in found or op.cost < found[key].cost):
                    found[key] = op
            if choice is not None and run not in seen:
                seen.add(run)
                waiting += [longer for op in _possible(choice, run.now) if (longer := self._longer(run, op))]
            if len(seen) + len(found) > self.left:
                raise _TooManyError
        return tuple(found.values())

    def _longer(self, run: Run, op: Operator) -> Run | None:
        """A run with one more operator; None where what is known rules that out."""
        new = frozenset(op.pre) - run.now
        if new & run.gone or any(self._excluded(fact, run.now | run.before) for fact in new):
            return None
        now = ((run.now | new) - frozenset(op.delete)) | frozenset(op.add)
        return Run(run.before | new, now, (run.gone | frozenset(op.delete)) - now, run.cost, (*run.operators, op))

    def _excluded(self, fact: int, true: frozenset[int]) -> bool:
        """Whether a fact is false where some others are true."""
        return any(
            self.task.groups[n].count == 1 and not (self.groups[n] & true) <= {fact} for n in self.task.groups_of[fact]
        )

    def _composed(self, run: Run) -> Operator:
        """A run as one operator. Raises `_TooManyError` if it may make a fact false that it does not require."""
        if len(run.operators) == 1:
            return run.operators[0]
        if any(not self._excluded(fact, run.before) for fact in run.gone - run.before):
            raise _TooManyError
        return Operator(
            name=f"{run.operators[0].name} ... {run.operators[-1].name}",
            pre=tuple(sorted(run.before)),
            add=tuple(sorted(run.now - run.before)),
            delete=tuple(sorted(run.before - run.now)),
            move=chained(op.move for op in run.operators),
            cost=run.cost,
        )


def _needed(operators: Iterable[Operator]) -> list[Operator]:
    """Free operators without the needless ones: another operator has the same effect, and requires only a part."""
    alike: dict[tuple[tuple[int, ...], ...], list[Operator]] = {}
    for op in sorted(operators, key=lambda op: len(op.pre)):
        others = alike.setdefault((op.add, op.delete), [])
        if not any(set(other.pre) <= set(op.pre) for other in others):
            others.append(op)
    return [op for several in alike.values() for op in several]


def _possible(choice: Choice | Operator, true: frozenset[int]) -> Iterator[Operator]:
    """The operators of a decision tree that may apply where some facts are known to be true."""
    if isinstance(choice, Operator):
        yield choice
        return
    known = choice.group & true & choice.after.keys() if choice.group & true else choice.after.keys()
    for fact in known:
        yield from _possible(choice.after[fact], true)
