"""Programs run on unknown states: what each action demands and assigns, as values of some kind.

The machine of `models.program` runs here on values that stand for all states at once: nodes of a graph
(`value_graph`), or literals of a formula for CP-SAT (`encoders.programs.values`). Where a jump depends on the state,
both ways are gone, each under its condition; the instruction with the least number is run next, so ways that meet
again go on as one. A way that fails is a demand: its condition must not hold.

    fail unless robot on c1       demand   robot = c1
    r := card[robot]              element
    if r = 4: x := 1 else: x := 2     x := 1 under p, x := 2 under not p: a choice between them

A loop that changes one register (a slide: the cell it has come to) is run once for each value of it. Other loops are
run as often as some state needs.

What is demanded behind `APPLY` is a function of the state after the action.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from ..models import program as op
from ..models.errors import UsageError
from ..models.program import JUMPS, NONE, ProgramTask, links_at, operands, results

V = TypeVar("V")
"""What a register holds."""

C = TypeVar("C", bound=Hashable)
"""A condition: what is true in some states, and not in others."""


class Values(Protocol[V, C]):
    """What the machine computes with. `true`, `false`: the conditions that hold in all states, and in none."""

    true: C
    false: C

    def constant(self, number: int, /) -> V: ...

    def operation(self, code: int, parts: Sequence[V], numbers: tuple[int, ...] = (), /) -> V:
        """What an instruction computes whose result is one register; `numbers`: its operands that are no registers."""
        ...

    def reached(self, start: V, flags: Mapping[int, V], at: int, /) -> Sequence[V]:
        """Of each node whether it is reached (`REACH`): flags by number, links at an address."""
        ...

    def possible(self, value: V, /) -> Sequence[int] | None:
        """The numbers that a value may be; None where they are not listed."""
        ...

    def equals(self, value: V, number: int, /) -> C: ...

    def negation(self, condition: C, /) -> C: ...

    def all_of(self, conditions: Iterable[C], /) -> C: ...

    def any_of(self, conditions: Iterable[C], /) -> C: ...

    def either(self, a: C, b: C, /) -> C:
        """Whether one of two conditions holds; `p` for `p and q` and `p and not q`: two ways that meet again."""
        ...

    def if_else(self, condition: C, yes: V, no: V, /) -> V: ...

    def after_loop(self, begin: V, steps: dict[int, tuple[C, int]], /) -> V:
        """What a loop that begins with a value ends with. `steps`: for each number whether it goes on from there, and
        to which; each stands before the one to which it goes on.
        """
        ...

    def is_whole(self, value: V, /) -> bool:
        """Whether the demand "this value is 1" stays one demand, as "all values differ" that is not cut into pairs."""
        ...


# How the code of a task uses registers: what a reader of programs can know before it runs them.

# Instructions that name another place in the code, and after which the next instruction follows all the same.
LABELS_BEHIND = frozenset((op.PART, op.CHECK, op.CALL))


class RegisterUses:
    """Where registers are read and assigned. `loops`: where each loop begins, and its last instruction."""

    def __init__(self, task: ProgramTask) -> None:
        self.code, self.tables = task.code, task.tables
        self.loops = {d: at for at, (code, d, *_) in enumerate(task.code) if code == op.JUMP and d <= at}
        self._span: dict[int, tuple[int, int]] = {}
        """Of each register the number of the program or routine that uses it first, and of the last one."""
        number = 0
        for instruction in task.code:
            for register in (*operands(instruction, self.tables), *results(instruction, self.tables)):
                first, _ = self._span.get(register, (number, number))
                self._span[register] = first, number
            number += instruction[0] in (op.RETURN, op.DONE)

    def fails(self, at: int) -> bool:
        """Whether nothing but a failure follows at an instruction."""
        while self.code[at][0] == op.JUMP and self.code[at][1] > at:
            at = self.code[at][1]
        return self.code[at][0] == op.FAIL

    def read_from(self, register: int, places: Iterable[int]) -> bool:
        """Whether a run that goes on at one of these instructions may read a register before it assigns it."""
        seen: set[int] = set()
        waiting = list(places)
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            code, d, *_ = self.code[at]
            if register in operands(self.code[at], self.tables):
                return True
            if code == op.RETURN:  # what a routine leaves in its registers is read by its callers
                first, last = self._span[register]
                return first != last
            if code in (op.DONE, op.FAIL, op.APPLY):
                continue
            if code in JUMPS and code not in LABELS_BEHIND:
                waiting.append(d)
            if code != op.JUMP and register not in results(self.code[at], self.tables):
                waiting.append(at + 1)
        return False


@dataclass(frozen=True, slots=True)
class Demand(Generic[V, C]):
    """What has to be so: one of the conditions holds, or `special`, a value that is kept whole (`is_whole`), is 1."""

    conditions: tuple[C, ...]
    special: V | None = None


@dataclass(frozen=True, slots=True)
class Assigned(Generic[V, C]):
    """A variable that is assigned a value if a condition holds."""

    variable: int
    condition: C
    value: V


@dataclass(slots=True)
class ProgramRun(Generic[V, C]):
    """What came of a program or a routine. `registers`: what it left in them; `reads`: the variables read, behind
    `APPLY` if there is one; `before`, `after`: the demands on the state before and after; `impossible`: it fails in
    every state; `applied`: the instruction behind `APPLY`, and whether that fails for two values of a variable.
    """

    registers: dict[int, V] = field(default_factory=dict)
    assigned: list[Assigned[V, C]] = field(default_factory=list)
    before: list[Demand[V, C]] = field(default_factory=list)
    after: list[Demand[V, C]] = field(default_factory=list)
    reads: set[int] = field(default_factory=set)
    applied: tuple[int, bool] | None = None
    impossible: bool = False


class SymbolicMachine(Generic[V, C]):
    """Runs the programs of a task on values. `state`: those of its variables; `count` is called for each instruction
    that is run.
    """

    def __init__(
        self, task: ProgramTask, values: Values[V, C], state: Sequence[V], count: Callable[[], object]
    ) -> None:
        self.task, self.values, self.state, self.count = task, values, state, count
        self.uses = task.computed(RegisterUses)
        self._routines: dict[int, ProgramRun[V, C]] = {}

    def run(self, entry: int) -> ProgramRun[V, C]:
        """What a program needs and assigns that begins at an instruction."""
        run = ProgramWay(self, ProgramRun[V, C]()).follow(entry)
        if run.applied:
            behind = self.run(run.applied[0])
            run.after, run.reads = behind.before, behind.reads
            run.impossible |= behind.impossible
        return run

    def routine(self, entry: int) -> ProgramRun[V, C]:
        """What a routine needs and leaves in registers: run once, as it is a function of the state."""
        if entry not in self._routines:
            self._routines[entry] = self.run(entry)
        return self._routines[entry]


class ProgramWay(Generic[V, C]):
    """One run: the ways through a program that are still open. A way waits at the instruction where it goes on, under
    the condition on which it got there.
    """

    def __init__(self, machine: SymbolicMachine[V, C], run: ProgramRun[V, C]) -> None:
        self.machine, self.values, self.result = machine, machine.values, run
        self.true, self.false = self.values.true, self.values.false
        self.open: dict[int, C] = {}
        self.order: list[int] = []
        self.condition = self.true
        self.ended = False
        self.leaves = self.carried = -1
        self.left: list[V] = []
        """One turn of a loop: where it is left, the register that it carries on, and its values where it was left."""

    def follow(self, entry: int) -> ProgramRun[V, C]:
        """Run from an instruction to the ends of all ways."""
        self._wait(entry, self.true)
        while self.order:
            at = heapq.heappop(self.order)
            # Ways that failed do not count: the last way is taken by every state that is left, if none has ended well.
            condition = self.open.pop(at)
            self.condition = condition if self.open or self.ended else self.true
            if at in self.machine.uses.loops and self._value_by_value(at, self.machine.uses.loops[at]):
                self._wait(self.machine.uses.loops[at] + 1, self.condition)
                continue
            following = self._instruction(at)
            if following is not None:
                self._wait(following, self.condition)
        return self.result

    def _value_by_value(self, head: int, last: int) -> bool:
        """Run a loop for each value of the one register that it carries on; whether it is of that kind."""
        code, values = self.machine.task.code, self.values
        tables = self.machine.task.tables
        changed = {register for instruction in code[head : last + 1] for register in results(instruction, tables)}
        carried = [number for number in changed if self.machine.uses.read_from(number, [head])]
        if len(carried) != 1 or carried[0] not in self.result.registers:
            return False
        begin = self.result.registers[carried[0]]
        first = values.possible(begin)
        if first is None:
            return False
        steps: dict[int, tuple[C, int]] = {}
        waiting = list(first)
        while waiting:
            value = waiting.pop()
            if value not in steps:
                step = self._one_turn(head, last, carried[0], value)
                if step is None:
                    return False
                steps[value] = step
                if step[0] != self.false:
                    waiting.append(step[1])
        order = _in_order(steps, self.false)
        if len(order) < len(steps):  # values in a circle
            return False
        self._store(carried[0], values.after_loop(begin, {value: steps[value] for value in order}))
        return True

    def _one_turn(self, head: int, last: int, carried: int, value: int) -> tuple[C, int] | None:
        """One turn of a loop whose variable has a known value: the condition "another turn follows", and the value in
        it. None if the turn does anything else, as to assign a variable.
        """
        turn = ProgramWay(self.machine, ProgramRun(dict(self.result.registers), reads=self.result.reads))
        turn.leaves, turn.carried = last + 1, carried
        turn.result.registers[carried] = begin = self.values.constant(value)
        at = head
        while at != last + 1:
            following = turn._instruction(at)
            if following is not None:
                turn._wait(following, turn.condition)
            if not turn.order or turn.order[0] == head:
                break
            at = heapq.heappop(turn.order)
            turn.condition = turn.open.pop(at)
        goes, result = turn.open.pop(head, self.false), turn.result
        after = self.values.possible(result.registers[carried])
        if turn.open or result.before or result.assigned or result.applied or any(end != begin for end in turn.left):
            return None
        return (goes, after[0]) if after is not None and len(after) == 1 else None

    def _wait(self, at: int, condition: C) -> None:
        if condition == self.false:
            return
        if at == self.leaves:
            self.left.append(self.result.registers[self.carried])
            return
        if at in self.open:
            self.open[at] = self.values.either(self.open[at], condition)
        else:
            self.open[at] = condition
            heapq.heappush(self.order, at)

    # Instructions

    def _instruction(self, at: int) -> int | None:
        """Run an instruction; gives the number of the one that follows on this way, None at its end."""
        self.machine.count()
        code, d, a, b, c = self.machine.task.code[at]
        if code == op.REACH:
            flags = {flag: self.register(c + flag) for _, _, flag in links_at(self.machine.task.tables, b)}
            for number, reached in enumerate(self.values.reached(self.register(a), flags, b)):
                self._store(d + number, reached)
        elif code <= op.LOOP:
            self._store(d, self._value(code, a, b, c))
        elif code in (op.PART, op.CHECK):
            pass
        elif code == op.CALL:
            self._call(d)
        elif code == op.FAIL or (code == op.JUMP and self.machine.uses.fails(d)):
            self._demand(())
            return None
        elif code == op.JUMP:
            return d
        elif code == op.TRUE and self.values.is_whole(self.register(a)) and self.machine.uses.fails(d):
            self._demand((), self.register(a))
        elif code in JUMPS:
            return self._branch(at, d, self._met(code, a, b))
        elif code == op.SET:
            self.result.assigned.append(Assigned(d, self.condition, self.register(a)))
        elif code == op.PUT:
            self._put(d, self.register(a), self.register(b), c)
        else:
            if code == op.APPLY:
                if self.open:
                    raise UsageError("an action that assigns its variables in several places cannot be stated")
                self.result.applied = at + 1, bool(d)
            self.ended = True
            return None
        return at + 1

    def register(self, number: int) -> V:
        """The value in a register."""
        machine = self.machine
        if number < len(machine.state):
            self.result.reads.add(number)
            return machine.state[number]
        constant = machine.task.constants.get(number)
        if constant is not None:
            return self.values.constant(constant)
        if number not in self.result.registers:
            raise UsageError("a value that is kept until after the action cannot be stated")
        return self.result.registers[number]

    def _store(self, number: int, value: V) -> None:
        kept = self.result.registers
        if (
            number in kept
            and self.condition != self.true
            and kept[number] != value
            and self.machine.uses.read_from(number, self.open)
        ):
            value = self.values.if_else(self.condition, value, kept[number])
        kept[number] = value

    def _value(self, code: int, a: int, b: int, c: int) -> V:
        """What an instruction computes whose result is a register."""
        of, register = self.values.operation, self.register
        if code == op.DISTINCT:
            return of(code, [register(number) for number in range(a, a + b)])
        if code == op.LOOP:
            return of(code, [register(a + edge) for edge in range(self.machine.task.tables[b + 1])], (b,))
        if code == op.MOVE:
            return register(a)
        if code == op.NOT:
            return of(code, [register(a)])
        if code in (op.TABLE, op.CELL):
            return of(code, [register(a)], (b,))
        if code == op.VARIABLE:
            return of(code, [register(a), *map(register, range(b, b + c))])
        return of(code, [register(a), register(b)], (c,) if code == op.SCALED else ())

    def _met(self, code: int, a: int, b: int) -> C:
        """The condition of a conditional jump: where it holds, the next instruction follows."""
        x = self.register(a)
        if code in (op.TRUE, op.FALSE):
            return self.values.equals(x, int(code == op.TRUE))
        if code == op.VALUE:
            return self.values.negation(self.values.equals(x, NONE))
        kinds = {op.SAME: op.EQ, op.OTHER: op.NE, op.LESS: op.LT, op.MOST: op.LE}
        return self.values.equals(self.values.operation(kinds[code], [x, self.register(b)]), 1)

    def _branch(self, at: int, elsewhere: int, met: C) -> int | None:
        """A conditional jump: the next instruction, for states in which `met` holds; others wait `elsewhere`."""
        if met == self.true:
            return at + 1
        if self.machine.uses.fails(elsewhere):
            self._demand((met,))
        else:
            self._wait(elsewhere, self.values.all_of((self.condition, self.values.negation(met))))
            self.condition = self.values.all_of((self.condition, met))
        return None if self.false in (met, self.condition) else at + 1

    def _demand(self, conditions: tuple[C, ...], special: V | None = None) -> None:
        """Demand that one of the conditions holds, or something special, wherever this way is taken."""
        unless = () if self.condition == self.true else (self.values.negation(self.condition),)
        demand = Demand((*unless, *conditions), special)
        if not demand.conditions and special is None:
            self.result.impossible = True
        self.result.before.append(demand)

    def _call(self, entry: int) -> None:
        called = self.machine.routine(entry)
        self.result.registers.update(called.registers)
        self.result.reads |= called.reads
        for demand in called.before:
            self._demand(demand.conditions, demand.special)

    def _put(self, first: int, value: V, index: V, count: int) -> None:
        """Assign a variable whose number the state decides; fails if there is none of that number."""
        possible = self.values.possible(index)
        numbers = range(count) if possible is None else [number for number in possible if 0 <= number < count]
        chosen = {number: self.values.equals(index, number) for number in numbers}
        if possible is None or len(chosen) < len(possible):
            self._demand((self.values.any_of(chosen.values()),))
        for number, condition in chosen.items():
            met = self.values.all_of((self.condition, condition))
            self.result.assigned.append(Assigned(first + number, met, value))


def _in_order(steps: Mapping[int, tuple[C, int]], false: C) -> list[int]:
    """The values of a loop, each before the one to which it goes on; those in a circle, and behind it, are left out."""
    missing = Counter(following for goes, following in steps.values() if goes != false)
    ready = [value for value in steps if not missing[value]]
    order: list[int] = []
    while ready:
        value = ready.pop()
        order.append(value)
        goes, following = steps[value]
        if goes != false:
            missing[following] -= 1
            if not missing[following]:
                ready.append(following)
    return order
