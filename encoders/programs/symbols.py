"""Programs run on unknown states: what each action needs and assigns, as literals and values of a layer.

The machine of `models.program` runs here on values that literals choose (`values`). Where a jump depends on the state,
both ways are gone, each under the literal of its condition; the instruction with the least number is run next, so ways
that meet again go on as one. A way that fails is a demand: its condition must not hold.

    fail unless robot on c1       demand   robot = c1
    r := card[robot]              element
    if r = 4: x := 1 else: x := 2     x := 1 under p, x := 2 under not p: a choice between them

A loop that changes one register (a slide: the cell it has come to) is run once for each value of it. "The slide passes
cell c" is a literal: it begins there, or it passes the cell before and c is free. Other loops are run as often as some
state needs.

What is demanded behind `APPLY` is a function of the state after the action, that is, of the next layer.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ...models import program as op
from ...models.errors import UsageError
from ...models.program import JUMPS, NONE, ProgramAction, ProgramTask, edges_at, links_at, operands, results
from ..formula import FALSE, TRUE, EncodingStopped, Formula
from .values import Distinct, EdgeLoop, Image, LayerValues, Value, Whole

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


# Instructions that are run for a model, each on all states at once.
MOST_RUN = 3_000_000


@dataclass(frozen=True, slots=True)
class Demand:
    """At least one of the literals is true, or, if there is `special`, that holds."""

    literals: tuple[int, ...]
    special: Distinct | EdgeLoop | None = None

    def any_of(self, layer: LayerValues) -> tuple[int, ...]:
        """Literals of which one has to be true."""
        return self.literals if self.special is None else (*self.literals, layer.equals(self.special, 1))

    def state(self, layer: LayerValues, part: Formula) -> None:
        """State it in a part, of every layer that has this part."""
        if self.special is not None and not self.literals:
            layer.require(self.special, part)
        else:
            part.clause(self.any_of(layer))


@dataclass(frozen=True, slots=True)
class Assigned:
    """A variable that is assigned a value if a literal is true."""

    variable: int
    condition: int
    value: Value


@dataclass(slots=True)
class ProgramRun:
    """What came of a program or a routine. `registers`: what it left in them; `reads`: the variables read, behind
    `APPLY` if there is one; `before`, `after`: the demands on the state before and after; `impossible`: it fails in
    every state.
    """

    registers: dict[int, Value] = field(default_factory=dict)
    assigned: list[Assigned] = field(default_factory=list)
    before: list[Demand] = field(default_factory=list)
    after: list[Demand] = field(default_factory=list)
    reads: set[int] = field(default_factory=set)
    applied: bool = False
    impossible: bool = False


class SymbolicMachine:
    """Runs the programs of a task on the values of a layer. `state`: the values of its variables, if they are known; by
    default new choices. `stop` is asked now and then: raises `EncodingStopped`.
    """

    def __init__(
        self,
        task: ProgramTask,
        layer: LayerValues,
        stop: Callable[[], object] = lambda: None,
        state: Sequence[Image] | None = None,
    ) -> None:
        self.task, self.layer, self.stop = task, layer, stop
        self.state = state or [layer.choice(variable.values) for variable in task.variables]
        self.count = 0
        self.uses = RegisterUses(task)
        self._routines: dict[int, ProgramRun] = {}

    def run(self, entry: int) -> ProgramRun:
        """What a program needs and assigns that begins at an instruction."""
        return ProgramWay(self, ProgramRun()).follow(entry)

    def routine(self, entry: int) -> ProgramRun:
        """What a routine needs and leaves in registers: run once, as it is a function of the state."""
        if entry not in self._routines:
            self._routines[entry] = self.run(entry)
        return self._routines[entry]

    def counted(self) -> None:
        self.count += 1
        if self.count % 1024 == 0 and self.stop():
            raise EncodingStopped
        if self.count > MOST_RUN:
            raise UsageError(f"the engine `cp-sat` cannot state actions that run more than {MOST_RUN:,} instructions")


class ProgramWay:
    """One run: the ways through a program that are still open. A way waits at the instruction where it goes on, under
    the literal of the condition on which it got there.
    """

    def __init__(self, machine: SymbolicMachine, run: ProgramRun) -> None:
        self.machine, self.layer, self.result = machine, machine.layer, run
        self.open: dict[int, int] = {}
        self.order: list[int] = []
        self.condition = TRUE
        self.ended = False
        self.leaves = self.carried = -1
        self.left: list[Value] = []
        """One turn of a loop: where it is left, the register that it carries on, and its values where it was left."""

    def follow(self, entry: int) -> ProgramRun:
        """Run from an instruction to the ends of all ways."""
        self._wait(entry, TRUE)
        while self.order:
            at = heapq.heappop(self.order)
            # Ways that failed do not count: the last way is taken by every state that is left, if none has ended well.
            condition = self.open.pop(at)
            self.condition = condition if self.open or self.ended else TRUE
            if at in self.machine.uses.loops and self._value_by_value(at, self.machine.uses.loops[at]):
                self._wait(self.machine.uses.loops[at] + 1, self.condition)
                continue
            following = self._instruction(at)
            if following is not None:
                self._wait(following, self.condition)
        return self.result

    def _value_by_value(self, head: int, last: int) -> bool:
        """Run a loop for each value of the one register that it carries on; whether it is of that kind.

        With start, on[v] and goes[v] for "it begins with v", "it comes to v", "it goes on from v" to next(v):

            on[v] = start[v], or on[u] and goes[u] for a u with next(u) = v        end[v] = on[v] and not goes[v]
        """
        code, layer = self.machine.task.code, self.layer
        tables = self.machine.task.tables
        changed = {register for instruction in code[head : last + 1] for register in results(instruction, tables)}
        carried = [number for number in changed if self.machine.uses.read_from(number, [head])]
        begin = self.result.registers.get(carried[0]) if len(carried) == 1 else None
        if not isinstance(begin, Image):
            return False
        start = layer.literals(begin)
        steps: dict[int, tuple[int, int]] = {}
        waiting = list(start)
        while waiting:
            value = waiting.pop()
            if value not in steps:
                step = self._one_turn(head, last, carried[0], value)
                if step is None:
                    return False
                steps[value] = step
                if step[0] != FALSE:
                    waiting.append(step[1])
        entering = {value: [start.get(value, FALSE)] for value in steps}
        missing = Counter(following for goes, following in steps.values() if goes != FALSE)
        ready = [value for value in steps if not missing[value]]
        ends: dict[int, int] = {}
        while ready:
            value = ready.pop()
            goes, following = steps[value]
            on = layer.any_of(entering[value])
            ends[value] = layer.all_of((on, ~goes))
            if goes != FALSE:
                entering[following].append(layer.all_of((on, goes)))
                missing[following] -= 1
                if not missing[following]:
                    ready.append(following)
        if len(ends) < len(steps):  # values in a circle
            return False
        self._store(carried[0], layer.chosen_by({v: x for v, x in sorted(ends.items()) if x != FALSE}))
        return True

    def _one_turn(self, head: int, last: int, carried: int, value: int) -> tuple[int, int] | None:
        """One turn of a loop whose variable has a known value: the literal "another turn follows", and the value in it.
        None if the turn does anything else, as to assign a variable.
        """
        turn = ProgramWay(self.machine, ProgramRun(dict(self.result.registers), reads=self.result.reads))
        turn.leaves, turn.carried = last + 1, carried
        turn.result.registers[carried] = begin = self.layer.constant(value)
        at = head
        while at != last + 1:
            following = turn._instruction(at)
            if following is not None:
                turn._wait(following, turn.condition)
            if not turn.order or turn.order[0] == head:
                break
            at = heapq.heappop(turn.order)
            turn.condition = turn.open.pop(at)
        goes, after, result = turn.open.pop(head, FALSE), turn.result.registers[carried], turn.result
        more = turn.open or result.before or result.assigned or result.after
        if more or any(end != begin for end in turn.left) or not isinstance(after, Image) or len(after.values) > 1:
            return None
        return goes, after.values[0]

    def _wait(self, at: int, condition: int) -> None:
        if condition == FALSE:
            return
        if at == self.leaves:
            self.left.append(self.result.registers[self.carried])
            return
        if at in self.open:
            self.open[at] = self.layer.either(self.open[at], condition)
        else:
            self.open[at] = condition
            heapq.heappush(self.order, at)

    # Instructions

    def _instruction(self, at: int) -> int | None:
        """Run an instruction; gives the number of the one that follows on this way, None at its end."""
        self.machine.counted()
        code, d, a, b, c = self.machine.task.code[at]
        if code == op.REACH:
            for number, reached in enumerate(self._reached(a, b, c)):
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
        elif code == op.TRUE and isinstance(self.register(a), Distinct | EdgeLoop) and self.machine.uses.fails(d):
            self._demand((), self.register(a))
        elif code in JUMPS:
            return self._branch(at, d, self._met(code, a, b))
        elif code == op.SET:
            self.result.assigned.append(Assigned(d, self.condition, self.register(a)))
        elif code == op.PUT:
            self._put(d, self.register(a), self.register(b), c)
        elif code == op.APPLY:
            self._apply()
        else:
            self.ended = True
            return None
        return at + 1

    def register(self, number: int) -> Value:
        """The value in a register."""
        machine = self.machine
        if number < len(machine.state):
            self.result.reads.add(number)
            return machine.state[number]
        constant = machine.task.constants.get(number)
        if constant is not None:
            return self.layer.constant(constant)
        if number not in self.result.registers:
            raise UsageError("the engine `cp-sat` cannot state a value that is kept until after the action")
        return self.result.registers[number]

    def _store(self, number: int, value: Value) -> None:
        kept = self.result.registers
        if (
            number in kept
            and self.condition != TRUE
            and kept[number] != value
            and self.machine.uses.read_from(number, self.open)
        ):
            value = self.layer.if_else(self.condition, value, kept[number])
        kept[number] = value

    def _value(self, code: int, a: int, b: int, c: int) -> Value:
        """What an instruction computes whose result is a register."""
        layer, tables = self.layer, self.machine.task.tables
        if code == op.DISTINCT:
            return Distinct(tuple(layer.number(self.register(number)) for number in range(a, a + b)))
        if code == op.LOOP:
            edges = edges_at(tables, b)
            chosen = tuple(layer.equals(self.register(a + edge), 1) for edge in range(len(edges)))
            return EdgeLoop(tuple(edges), chosen)
        x = self.register(a)
        if code == op.MOVE:
            return x
        if code == op.NOT:
            return layer.mapped(x, op.negated)
        if code == op.TABLE:
            return layer.mapped(x, lambda key: op.entry(tables, b, key))
        if code == op.CELL:
            return layer.mapped(x, lambda place: op.cell_at(tables, b, place))
        if code == op.VARIABLE:
            return layer.element(x, [layer.image(self.register(number)) for number in range(b, b + c)])
        if code == op.SCALED:
            return layer.scaled(x, c, self.register(b))
        return layer.of_two(code, x, self.register(b))

    def _reached(self, a: int, b: int, c: int) -> list[Image]:
        """Which nodes are reached from the one in register a, over links whose flags stand from register c on."""
        layer, tables = self.layer, self.machine.task.tables
        links = [(node, other, layer.equals(self.register(c + flag), 1)) for node, other, flag in links_at(tables, b)]
        return layer.reached(layer.image(self.register(a)), links, tables[b])

    def _met(self, code: int, a: int, b: int) -> int:
        """The literal of a conditional jump's condition: where it is true, the next instruction follows."""
        x = self.register(a)
        if code in (op.TRUE, op.FALSE):
            return self.layer.equals(x, int(code == op.TRUE))
        if code == op.VALUE:
            return ~self.layer.equals(x, NONE) if isinstance(x, Image) else TRUE
        kinds = {op.SAME: op.EQ, op.OTHER: op.NE, op.LESS: op.LT, op.MOST: op.LE}
        return self.layer.equals(self.layer.of_two(kinds[code], x, self.register(b)), 1)

    def _branch(self, at: int, elsewhere: int, met: int) -> int | None:
        """A conditional jump: the next instruction, for states with the literal `met`; others wait `elsewhere`."""
        if met == TRUE:
            return at + 1
        if self.machine.uses.fails(elsewhere):
            self._demand((met,))
        else:
            self._wait(elsewhere, self.layer.all_of((self.condition, ~met)))
            self.condition = self.layer.all_of((self.condition, met))
        return None if met == FALSE or self.condition == FALSE else at + 1

    def _demand(self, literals: tuple[int, ...], special: Value | None = None) -> None:
        """Demand that one of the literals is true, or something special, wherever this way is taken."""
        unless = () if self.condition == TRUE else (~self.condition,)
        self._add(Demand((*unless, *literals), special if isinstance(special, Distinct | EdgeLoop) else None))

    def _add(self, demand: Demand) -> None:
        if not demand.literals and demand.special is None:
            self.result.impossible = True
        (self.result.after if self.result.applied else self.result.before).append(demand)

    def _call(self, entry: int) -> None:
        called = self.machine.routine(entry)
        self.result.registers.update(called.registers)
        self.result.reads |= called.reads
        unless = () if self.condition == TRUE else (~self.condition,)
        for demand in called.before:
            self._add(Demand((*unless, *demand.literals), demand.special))

    def _put(self, first: int, value: Value, index: Value, count: int) -> None:
        """Assign a variable whose number the state decides; fails if there is none of that number."""
        chosen = self.layer.literals(self.layer.image(index))
        beyond = [literal for number, literal in chosen.items() if not 0 <= number < count]
        if beyond:
            self._demand((self.layer.any_of(literal for n, literal in chosen.items() if 0 <= n < count),))
        for number, literal in chosen.items():
            if 0 <= number < count:
                condition = self.layer.all_of((self.condition, literal))
                self.result.assigned.append(Assigned(first + number, condition, value))

    def _apply(self) -> None:
        if self.open:
            raise UsageError("the engine `cp-sat` cannot state an action that assigns its variables in several places")
        self.result.applied, self.result.registers, self.result.reads = True, {}, set()


def asked_everywhere(runs: Sequence[tuple[ProgramAction, ProgramRun]]) -> dict[Demand, None]:
    """The demands behind `APPLY` that no action can leave unmet: all that assign what they read ask them."""
    asking: dict[Demand, set[int]] = {}
    reads: dict[Demand, set[int]] = {}
    for number, (_, run) in enumerate(runs):
        for demand in run.after:
            asking.setdefault(demand, set()).add(number)
            reads.setdefault(demand, set()).update(run.reads)
    writing = {
        demand: {n for n, (action, _) in enumerate(runs) if not action.writes.isdisjoint(read)}
        for demand, read in reads.items()
    }
    return {demand: None for demand, asked in asking.items() if writing[demand] <= asked}


# Relaxed reachability over sets of values: which values a variable may have after t actions from the start.
#
# After t actions each variable has one of its values in layer t. So an action can assign in layer t + 1 only what its
# program assigns on some choice of these (h^1 of Haslum and Geffner, 2000, for variables of many values). Programs
# are run for that on choices between the values that were reached: `symbols` leaves out what is impossible there.
#
#     snake of four links     layer 0: head on r2c2      layer 1: head on r2c2 or r3c2      ...
#     the goal asks for r6c6: not before layer 8, so no plan has fewer than 8 moves
#
# If a layer has no values that the one before has not, no later one has: a goal that is impossible there is never
# reached. What is asked behind `APPLY` is left out.

# Instructions that are run for all layers, after which no further layer is begun: about a second.
MOST_REACHED = 100_000


@dataclass(frozen=True, slots=True)
class ReachedValues:
    """Of each layer the values of each variable, up to the first in which the goal may hold. `bound`: the number of
    that layer, or of one before it where all would take too long. `unsolvable`: there is no such layer.
    """

    layers: Sequence[Sequence[frozenset[int]]]
    bound: int
    unsolvable: bool


def reached_values(task: ProgramTask, stop: Callable[[], object] = lambda: None) -> ReachedValues:
    """The layers of a task. Raises `UsageError` for programs that cannot be stated, and `EncodingStopped` if `stop`
    says so.
    """
    layers = [tuple(frozenset((value,)) for value in task.init)]
    count = 0
    while True:
        values = LayerValues()
        machine = SymbolicMachine(task, values, stop, [values.choice(reached) for reached in layers[-1]])
        goal = machine.run(task.goal)
        if _may_hold(goal.before):
            return ReachedValues(layers, len(layers) - 1, unsolvable=False)
        following = _assigned(task, machine, values, layers[-1])
        if following == layers[-1]:
            return ReachedValues(layers, len(layers), unsolvable=True)
        layers.append(following)
        count += machine.count
        if count > MOST_REACHED:
            return ReachedValues(layers, len(layers) - 1, unsolvable=False)


def _assigned(
    task: ProgramTask, machine: SymbolicMachine, values: LayerValues, before: Sequence[frozenset[int]]
) -> tuple[frozenset[int], ...]:
    """The values of each variable in the next layer: those known, and what actions may assign."""
    after = [set(each) for each in before]
    for action in task.actions:
        run = machine.run(action.entry)
        if not _may_hold(run.before):
            continue
        for assigned in run.assigned:
            if assigned.condition == FALSE:
                continue
            value, domain = values.number(assigned.value), task.variables[assigned.variable].values
            if isinstance(value, Whole):
                after[assigned.variable].update(number for number in domain if value.low <= number <= value.high)
            else:
                possible = {number for number, literal in values.literals(value).items() if literal != FALSE}
                after[assigned.variable].update(possible.intersection(domain))
    return tuple(map(frozenset, after))


def _may_hold(demands: Sequence[Demand]) -> bool:
    """Whether each demand, taken alone, can be met: the goal may hold then; else it cannot."""
    return all(demand.special or any(literal != FALSE for literal in demand.literals) for demand in demands)
