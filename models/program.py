"""A task whose actions are programs: what engines read where enumerated operators would be too many.

An `OperatorTask` has an operator for each combination of the values that an action reads and changes. A snake of four
links that crawls over 26 cells is four actions, one for each direction, and 174,000 operators. A *program task* keeps
the actions: variables with finite domains, and for each action a small program over the state before it, which assigns
new values, or fails where the action does not apply.

    crawl(up)    r9 := step_up[head]    fail unless r9 has a value    head := r9    link 2 := head    link 3 := link 2

Programs run on a *register machine*. The first registers are the variables; then come temporary values and constants.
An instruction is five numbers, `(code, d, a, b, c)`. "No value" (a cell off the board) is the number `NONE`; what is
computed of it is `NONE` again. Truth values are 1 and 0.

    MOVE d a            r[d] := r[a]
    TABLE d a b         r[d] := entry r[a] of the table at b (first key, number of keys, entries); NONE for no such key
    VARIABLE d a b c    r[d] := r[b + r[a]], if r[a] is one of 0 to c - 1
    ADD SUB MUL DIV MOD MIN MAX d a b
    SCALED d a b c      r[d] := r[a] * c + r[b]
    CELL d a b          r[d] := the cell in row r[a] // 4096 and column r[a] % 4096; the grid at b: rows, columns, cells
    EQ NE LT LE d a b   r[d] := 1 or 0
    NOT d a
    DISTINCT d a b      r[d] := whether the registers a to a + b - 1 differ from each other: 0 if two values are equal,
                        else NONE if one has no value, else 1
    REACH d a b c       r[d + i] := whether node i is reached from node r[a], for i < n, over links whose flag is 1,
                        or NONE if r[a] has none. The links at b: n, for each node its first link, the number of links,
                        for each link the node where it ends and its flag: r[c + flag]. r[d + n] to r[d + 2n - 1] change
    LOOP d a b c        r[d] := whether the edges e with r[a + e] = 1 are one closed loop, which visits no node twice.
                        The edges at b: n nodes, the number of edges, two ends each. r[c] to r[c + 2n - 1] change
    JUMP d              go on at instruction d
    TRUE FALSE d a      go on at d unless r[a] is 1 (0)
    VALUE d a           go on at d unless r[a] has a value
    SAME OTHER LESS MOST d a b     go on at d unless r[a] = r[b] (!=, <, <=), both with a value
    CALL d a            unless r[a] is the number of this run: set it so, and run d up to its RETURN
    SET d a             variable d will be r[a]; fails if that is not in its domain
    PUT d a b c         variable d + r[b] will be r[a]; fails if r[b] is not one of 0 to c - 1
    PART d a b          what follows up to instruction d only serves to assign the variables a to a + b - 1
    CHECK d             what follows up to instruction d only decides whether the program fails
    APPLY d             all assignments at once: from here on the variables have their new values, and a new run begins;
                        with d = 1 it fails if a variable was assigned two values
    FAIL DONE RETURN
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .cells import Cell
from .interchangeable import Interchangeable
from .moves import Cost, Move, Unit
from .plan import Plan
from .task import OperatorTask, T, Task
from .text import counted

# Whether edges are one closed loop.


def is_closed_loop(edges: Sequence[tuple[Hashable, Hashable]]) -> bool:
    """Whether edges, given by their ends, are one closed loop: each node has two of them, and they are connected.

    The empty set is no loop. Two edges between the same two nodes are a loop; an edge from a node to itself is never
    part of one.
    """
    at: dict[Hashable, list[int]] = {}
    for edge, ends in enumerate(edges):
        for node in ends:
            at.setdefault(node, []).append(edge)
    if not edges or any(len(several) != 2 or several[0] == several[1] for several in at.values()):
        return False
    connected, waiting = {0}, [0]
    while waiting:
        for node in edges[waiting.pop()]:
            more = [edge for edge in at[node] if edge not in connected]
            connected.update(more)
            waiting += more
    return len(connected) == len(edges)


NONE = -(1 << 60)
"""Stands for "no value": of a cell off the board, of an entry that a table does not have, of x // 0."""

ROW = 4096
"""A cell as one number: its row times this, plus its column. Vectors are added to that."""

(
    MOVE, TABLE, VARIABLE, ADD, SUB, MUL, DIV, MOD, MIN, MAX, SCALED, CELL, EQ, NE, LT, LE, NOT, DISTINCT, REACH, LOOP,
    JUMP, TRUE, FALSE, VALUE, SAME, OTHER, LESS, MOST, CALL, SET, PUT, PART, CHECK, APPLY, FAIL, DONE, RETURN,
) = range(37)  # fmt: skip

JUMPS = frozenset((JUMP, TRUE, FALSE, VALUE, SAME, OTHER, LESS, MOST, PART, CHECK, CALL))
"""Instructions whose `d` is the number of an instruction."""

Instruction = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ProgramVariable:
    """A variable of the state: its name for people, and the values that it can have, in rising order, with how they are
    written.
    """

    name: str
    values: tuple[int, ...]
    texts: tuple[str, ...] = ()

    @property
    def low(self) -> int:
        return self.values[0]

    @property
    def high(self) -> int:
        return self.values[-1]

    def fact(self, value: int) -> str:
        """What a value says, as a task of operators names its facts: `at wolf left`, `peg r1c3`, `not peg r1c3`."""
        text = self.texts[self.values.index(value)] if self.texts else str(value)
        name = " ".join(self.name.replace("[", " ").replace("]", "").replace(",", "").split())
        if text in ("true", "false"):
            return name if text == "true" else f"not {name}"
        return text if set(name.split()) <= set(text.split()) else f"{name} {text}"

    @property
    def dense(self) -> bool:
        """Whether all numbers from the lowest to the highest are values."""
        return len(self.values) == self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class ProgramAction:
    """An action: the instruction with which its program begins, what it costs, and the move that it is.

    `move(registers)` is the move of the puzzle, after the program has run: what the state decides of it stands in
    registers. `writes`: the variables that it may assign.
    """

    name: str
    entry: int
    cost: Cost
    move: Callable[[Sequence[int]], Move]
    writes: frozenset[int]


@dataclass(frozen=True)
class ProgramTask(Task):
    """Variables, actions as programs and a goal.

    `goal` is the instruction where the program of the goal begins: it ends with `DONE` in a goal state, and fails in
    any other. `constants`: registers with their values; `registers`: how many there are, those of variables included.
    `metric`, `units`, `unsolvable_because`: as in `OperatorTask`. `instead_of`: why operators are not enumerated, in
    words. `rows`: whether a move may be several actions in a row. `interchangeable`: classes of objects that nothing
    tells apart, whose swaps map each action to one of the same cost, and goal states to goal states. What programs ask
    behind `APPLY` holds in the initial state, unless `unsolvable_because` says otherwise.
    """

    name: str
    variables: tuple[ProgramVariable, ...]
    init: tuple[int, ...]
    actions: tuple[ProgramAction, ...]
    goal: int
    code: tuple[Instruction, ...]
    tables: tuple[int, ...]
    constants: Mapping[int, int]
    registers: int
    metric: tuple[str, ...]
    unsolvable_because: str | None = None
    units: tuple[Unit, ...] = field(default=(), compare=False)
    instead_of: str = field(default="", compare=False)
    rows: bool = field(default=False, compare=False)
    interchangeable: tuple[Interchangeable, ...] = field(default=(), compare=False, repr=False)

    @property
    def size(self) -> str:
        return f"{counted(len(self.actions), 'action')} as programs"

    @property
    def counts(self) -> dict[str, int]:
        return {"state_variables": len(self.variables), "actions": len(self.actions), "instructions": len(self.code)}

    @property
    def choices(self) -> Sequence[ProgramAction]:
        """What can be done: the actions."""
        return self.actions

    def holds(self, state: Sequence[int]) -> bool:
        return Machine(self).is_goal(state)

    def plan(self, actions: Iterable[ProgramAction]) -> Plan:
        """The plan of these actions, one after the other from the initial state. Raises `ValueError` if one fails."""
        machine, state, moves = Machine(self), self.init, list[Move]()
        for action in actions:
            after = machine.after(state, action)
            if after is None:
                raise ValueError(f"{self.name}: {action.name} does not apply")
            moves += action.move(machine.registers).singles
            state = after
        return Plan(tuple(moves))


@dataclass(frozen=True)
class DrawnTask:
    """A task with every action that the rules allow, and a program that says the rows of the board: a page plays it.

    `drawing`: the instruction where that begins (`families.custom.programs.drawing`). `texts`: what it says. `walks`:
    the actions by which a walker walks, where that costs nothing; the variable that says where it is; the cells.
    `written`: what stands before the name of an action, behind it, between its arguments, and behind them. `ways`: the
    directions, with rows down and columns right. `edges`: the actions that change what is between two cells.
    """

    task: ProgramTask
    drawing: int
    texts: Sequence[Sequence[str]]
    walks: tuple[Sequence[int], int, Sequence[Cell]] | None = None
    written: tuple[str, str, str, str] = ("", "(", ",", ")")
    ways: Mapping[str, Cell] = field(default_factory=dict)
    edges: Sequence[str] = ()


def by_form(task: Task, operators: Callable[[OperatorTask], T], programs: Callable[[ProgramTask], T]) -> T:
    """`operators(task)` if the task has enumerated operators, `programs(task)` if its actions are programs."""
    if isinstance(task, OperatorTask):
        return operators(task)
    assert isinstance(task, ProgramTask)
    return programs(task)


def results(instruction: Instruction, tables: Sequence[int]) -> Sequence[int]:
    """The registers that an instruction assigns."""
    code, d, _, b, c = instruction
    if code == REACH:
        return range(d, d + 2 * tables[b])
    if code == LOOP:
        return (d, *range(c, c + 2 * tables[b]))
    return (d,) if code <= LE or code in (NOT, DISTINCT) else ()


def operands(instruction: Instruction, tables: Sequence[int]) -> Sequence[int]:
    """The registers that an instruction reads, or may read."""
    code, _, a, b, c = instruction
    if code == DISTINCT:
        return range(a, a + b)
    if code == VARIABLE:
        return (a, *range(b, b + c))
    if code == REACH:
        return (a, *(c + flag for _, _, flag in links_at(tables, b)))
    if code == LOOP:
        return range(a, a + tables[b + 1])
    if code in (JUMP, CALL, PART, CHECK, APPLY, FAIL, DONE, RETURN):
        return ()
    if code in (MOVE, TABLE, CELL, NOT, TRUE, FALSE, VALUE, SET):
        return (a,)
    return (a, b)


def links_at(tables: Sequence[int], at: int) -> Iterator[tuple[int, int, int]]:
    """The links at an address (see REACH): from which node, to which, and the number of the flag."""
    nodes = tables[at]
    for node in range(nodes):
        for link in range(tables[at + 1 + node], tables[at + 2 + node]):
            place = at + nodes + 2 + 2 * link
            yield node, tables[place], tables[place + 1]


def edges_at(tables: Sequence[int], at: int) -> list[tuple[int, int]]:
    """The two ends of each edge at an address (see LOOP)."""
    count = tables[at + 1]
    return list(zip(tables[at + 2 : at + 2 + 2 * count : 2], tables[at + 3 : at + 3 + 2 * count : 2], strict=True))


class Machine:
    """Runs the programs of a task in Python.

    It has the fields of what kernels take (`analysis.program_machine`): of a task (`code`, `tables`), and to work in.
    """

    def __init__(self, task: ProgramTask) -> None:
        self.task = task
        self.code, self.tables = task.code, task.tables
        self.registers = [0] * task.registers
        for register, value in task.constants.items():
            self.registers[register] = value
        self.domains = [frozenset(variable.values) for variable in task.variables]
        # A run comes to each instruction that assigns at most once, and routines do not call themselves.
        self.assigned, self.former, self.back = ([0] * len(task.code) for _ in range(3))
        self.runs = [1]

    def is_goal(self, state: Sequence[int]) -> bool:
        return self._run(state, self.task.goal)

    def after(self, state: Sequence[int], action: ProgramAction) -> tuple[int, ...] | None:
        """The state after an action; None if it does not apply."""
        return tuple(self.registers[: len(state)]) if self._run(state, action.entry) else None

    def _run(self, state: Sequence[int], at: int) -> bool:
        self.registers[: len(state)] = state
        self.runs[0] += 1
        return run(self, self, at, self.runs[0]) >= 0


# Plain Python, and kernels, too: `analysis.program_machine` compiles these functions, over arrays, with `instruction`,
# `in_domain` and `distinct` of its own.


class Indexed(Protocol):
    """Numbers in a row: a list, a tuple or an array."""

    def __getitem__(self, index: int, /) -> int: ...


Numbers = MutableSequence[int]


def instruction(code: Sequence[Instruction], at: int) -> Instruction:
    """The instruction at a place."""
    return code[at]


def in_domain(tables: Machine, variable: int, value: int) -> bool:
    """Whether a variable can have a value."""
    return value in tables.domains[variable]


def entry(tables: Indexed, at: int, key: int) -> int:
    """The entry of a key in the table at an address; `NONE` for no such key."""
    place = key - tables[at]
    return tables[at + 2 + place] if 0 <= place < tables[at + 1] else NONE


def cell_at(tables: Indexed, at: int, place: int) -> int:
    """The cell at row * ROW + column in the grid at an address; `NONE` off the board."""
    row, column = place // ROW, place % ROW
    inside = place != NONE and 0 <= row < tables[at] and column < tables[at + 1]
    return tables[at + 2 + row * tables[at + 1] + column] if inside else NONE


def negated(truth: int) -> int:
    """0 for 1, 1 for 0, and no value for none."""
    return NONE if truth == NONE else 1 - truth


def computed(op: int, x: int, y: int, c: int = 0) -> int:
    """What an operation of two numbers computes: `computed(ADD, 2, 3)` is 5. No value of no value, nor of x // 0."""
    if x == NONE or y == NONE:
        return NONE
    if op == ADD:
        return x + y
    if op == SUB:
        return x - y
    if op == SCALED:
        return x * c + y
    if op == EQ:
        return 1 if x == y else 0
    if op == NE:
        return 1 if x != y else 0
    if op == LT:
        return 1 if x < y else 0
    if op == LE:
        return 1 if x <= y else 0
    if op == MUL:
        return x * y
    if op == MIN:
        return min(x, y)
    if op == MAX:
        return max(x, y)
    if y == 0:
        return NONE
    return x // y if op == DIV else x % y


def run(tables: Machine, scratch: Machine, at: int, number: int) -> int:  # noqa: C901 (a case for each instruction)
    """Run a program from an instruction on; how many variables it has assigned, or -1 if it fails.

    Then the new values stand in the registers of the variables, and the old ones in `scratch.former`; after a failure
    the registers are as before. `number`: of the run: routines that have run in it do not run again.
    """
    code, table, r = tables.code, tables.tables, scratch.registers
    assigned, former, back = scratch.assigned, scratch.former, scratch.back
    count, depth, applied = 0, 0, False
    while True:
        kind, d, a, b, c = instruction(code, at)
        at += 1
        # A condition that does not hold jumps to d, and one on a missing value does not hold.
        if kind == SAME:
            if r[a] != r[b] or r[a] == NONE:
                at = d
        elif kind == OTHER:
            if r[a] == r[b] or r[a] == NONE or r[b] == NONE:
                at = d
        elif kind == TABLE:
            r[d] = entry(table, b, r[a])
        elif ADD <= kind <= LE and kind != CELL:
            r[d] = computed(kind, r[a], r[b], c)
        elif kind == MOVE:
            r[d] = r[a]
        elif kind == CALL:
            # A routine runs once in a run; its results stay in their registers. The number of the run marks that.
            if r[a] != number:
                r[a] = number
                back[depth] = at
                depth += 1
                at = d
        elif kind == TRUE:
            if r[a] != 1:
                at = d
        elif kind == VALUE:
            if r[a] == NONE:
                at = d
        elif kind == JUMP:
            at = d
        elif kind in (CHECK, PART):
            pass
        elif kind == FALSE:
            if r[a] != 0:
                at = d
        elif kind == MOST:
            if not r[a] <= r[b] or r[a] == NONE:
                at = d
        elif kind == LESS:
            if not r[a] < r[b] or r[a] == NONE:
                at = d
        elif kind == RETURN:
            depth -= 1
            at = back[depth]
        elif kind == VARIABLE:
            r[d] = r[b + r[a]] if 0 <= r[a] < c else NONE
        elif kind in (SET, PUT):
            # Noted, not written yet: what comes after still reads the old values (all assignments happen at once, in
            # `APPLY`).
            variable, value = d, r[a]
            if kind == PUT:
                if r[b] < 0 or r[b] >= c:
                    break
                variable += r[b]
            if not in_domain(tables, variable, value):
                break
            assigned[count] = variable
            former[count] = value
            count += 1
        elif kind == FAIL:
            break
        elif kind == APPLY:
            # From here on registers hold the state after: a new run number makes routines compute anew, of the new
            # values.
            if not apply_all(scratch, count, d == 1):
                return -1
            applied = True
            scratch.runs[0] += 1
            number = scratch.runs[0]
        elif kind == DONE:
            return count
        elif kind == DISTINCT:
            r[d] = distinct(r, a, b)
        elif kind == REACH:
            reach(r, table, d, r[a], b, c)
        elif kind == LOOP:
            r[d] = one_loop(r, table, a, b, c)
        elif kind == CELL:
            r[d] = cell_at(table, b, r[a])
        elif kind == NOT:
            r[d] = NONE if r[a] == NONE else 1 - r[a]
    # Failed after `APPLY` (a condition on the state after): the old values are put back.
    if applied:
        undo(scratch, count)
    return -1


def apply_all(scratch: Machine, count: int, twice: bool) -> bool:
    """Give all assigned variables their new values; `former` has the old ones from then on.

    `twice`: a variable may have been assigned more than once. With two different values nothing is changed, and the
    answer is False.
    """
    r, assigned, former = scratch.registers, scratch.assigned, scratch.former
    for i in range(count):
        if twice:
            for j in range(i):
                if assigned[j] == assigned[i] and r[assigned[i]] != former[i]:
                    undo(scratch, i)
                    return False
        variable = assigned[i]
        former[i], r[variable] = r[variable], former[i]
    return True


def undo(scratch: Machine, count: int) -> None:
    """Give the variables that a run has assigned their old values again, in the opposite order."""
    # Backward: of a variable that was assigned twice the value from before the first comes last, and stays.
    for i in range(count - 1, -1, -1):
        scratch.registers[scratch.assigned[i]] = scratch.former[i]


def distinct(r: Sequence[int], first: int, count: int) -> int:
    """Whether the values of some registers in a row differ: 0 if two are equal, else `NONE` if one is missing."""
    values = [value for value in r[first : first + count] if value != NONE]
    if len(set(values)) < len(values):
        return 0
    return 1 if len(values) == count else NONE


def reach(r: Numbers, links: Indexed, result: int, start: int, address: int, flags: int) -> None:
    """Which nodes are reached from a node, over the links at an address whose flags are 1: 1 or 0 in a register for
    each, `NONE` in all if there is no start. The registers behind are the queue.
    """
    nodes = links[address]
    queue = result + nodes
    for i in range(result, queue):
        r[i] = NONE if start == NONE else 0
    if start == NONE:
        return
    r[result + start] = 1
    r[queue] = start
    # Breadth-first; a node enters the queue once, when it is marked, so there is room for all behind the nodes.
    head, tail = queue, queue + 1
    while head < tail:
        node = r[head]
        head += 1
        for link in range(links[address + 1 + node], links[address + 2 + node]):
            place = address + nodes + 2 + 2 * link
            other = links[place]
            # A flag that is missing opens no link.
            if r[result + other] == 0 and r[flags + links[place + 1]] == 1:
                r[result + other] = 1
                r[tail] = other
                tail += 1


def one_loop(r: Numbers, table: Indexed, flags: int, address: int, scratch: int) -> int:
    """Whether the edges whose flags are 1 are one closed loop: 1 or 0.

    The two edges of each node are noted first; a third, or an edge from a node to itself, ends it. Then one walks along
    the edges from the first: they are one loop if the walk comes back, after as many steps as there are edges.
    """
    nodes, edges = table[address], table[address + 1]
    ends = address + 2
    for i in range(scratch, scratch + 2 * nodes):
        r[i] = -1
    count, first = 0, -1
    for edge in range(edges):
        if r[flags + edge] != 1:
            continue
        count += 1
        if first < 0:
            first = edge
        if table[ends + 2 * edge] == table[ends + 2 * edge + 1]:
            return 0
        # Each end takes the first free of its node's two places; a third edge finds none.
        for side in range(2):
            place = scratch + 2 * table[ends + 2 * edge + side]
            if r[place] >= 0:
                place += 1
            if r[place] >= 0:
                return 0
            r[place] = edge
    if first < 0:
        return 0
    edge, node, steps = first, table[ends + 2 * first + 1], 1
    while node != table[ends + 2 * first]:
        place = scratch + 2 * node
        # Leave the node by its other edge; -1 is an open end.
        edge = r[place + 1] if r[place] == edge else r[place]
        if edge < 0:
            return 0
        one = table[ends + 2 * edge]
        node = table[ends + 2 * edge + 1] if one == node else one
        steps += 1
    return 1 if steps == count else 0


def reached(tables: Indexed, address: int, flags: Iterable[int], start: int) -> list[int]:
    """For each node of the links at an address 1 if it is reached from the start over those whose flag is 1, else 0;
    `NONE` without a start.
    """
    registers = [0] * (2 * tables[address]) + [*flags]
    reach(registers, tables, 0, start, address, 2 * tables[address])
    return registers[: tables[address]]
