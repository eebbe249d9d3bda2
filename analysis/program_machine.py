"""The register machine of `models.program` as compiled code: one kernel runs the programs of all puzzles.

`models.program.Machine` defines what every instruction does; `tests/models/test_programs.py` holds the two against each
other.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..models import forking, interchangeable, program
from ..models import program as op
from ..models.interchangeable import SwapTables, swap_tables
from ..models.program import NONE, ProgramTask
from ..runtime.arrays import Ints, Longs, Words, zeros
from ..runtime.bitops import long
from ..runtime.kernel_calls import njit
from ..runtime.kernels import ready
from .bitset_task import cost_keys

# A program task as arrays for kernels, and its states as rows of words.
#
# Variable v has the values low[v] to high[v]. In a row it stands in word word[v], shifted by shift[v], as value -
# low[v]:
#
#     word 0 = ... | variable 2 | variable 1 | variable 0        no variable stands in two words

# Numbers from one instruction to the next: five are used.
COLUMNS = 8


class ProgramTables(NamedTuple):
    """A program task. `code` (8 I): see `models.program`; `tables`: the tables that programs look things up in.

    Of each variable (V) `low`, `high`, `word`, `shift`, `mask` (before it is shifted), and `allowed`: where in `flags`
    a 1 stands for each number from low to high that is a value, or -1 if all are. `entry`, `cost` (A) of each action.
    `swaps`: of interchangeable objects.
    """

    code: Ints
    tables: Longs
    low: Longs
    high: Longs
    allowed: Longs
    flags: Longs
    word: Longs
    shift: Words
    mask: Words
    entry: Longs
    cost: Longs
    goal: int
    variables: int
    swaps: SwapTables


class ProgramScratch(NamedTuple):
    """What programs work in: the registers, the assignments of a run (variable, then value before), the ways back from
    routines, the number of the last run, a row, and the values of a canonical state.
    """

    registers: Longs
    assigned: Longs
    former: Longs
    back: Longs
    runs: Longs
    row: Words
    canonical: Longs


def program_tables(task: ProgramTask) -> ProgramTables:
    """The task as arrays. Raises `OverflowError` if a number in it has more than 32 bits."""
    code = np.zeros((len(task.code), COLUMNS), np.int32)
    # Eight columns, not five: with a power of two the place of an instruction is a shift.
    code[:, :5] = np.array(task.code, np.int32)
    words: list[int] = []
    shifts: list[int] = []
    used = 0
    flags: list[int] = []
    allowed = []
    for variable in task.variables:
        # Next fit, in order: a variable that does not fit into the rest of a word begins the next one.
        width = (variable.high - variable.low).bit_length()
        if not words or used + width > 64:
            words.append(words[-1] + 1 if words else 0)
            used = 0
        else:
            words.append(words[-1])
        shifts.append(used)
        used += width
        # A flag for each number of the range only where there are gaps; else the two ends tell.
        allowed.append(-1 if variable.dense else len(flags))
        if not variable.dense:
            values = set(variable.values)
            flags += [int(number in values) for number in range(variable.low, variable.high + 1)]
    return ProgramTables(
        code=code.reshape(-1),
        tables=np.array(task.tables or (0,), np.int64),
        low=np.array([variable.low for variable in task.variables], np.int64),
        high=np.array([variable.high for variable in task.variables], np.int64),
        allowed=np.array(allowed, np.int64),
        flags=np.array(flags or [0], np.int64),
        word=np.array(words, np.int64),
        shift=np.array(shifts, np.uint64),
        mask=np.array([(1 << (v.high - v.low).bit_length()) - 1 for v in task.variables], np.uint64),
        entry=np.array([action.entry for action in task.actions], np.int64),
        cost=cost_keys(action.cost for action in task.actions),
        goal=task.goal,
        variables=len(task.variables),
        swaps=swap_tables(task.interchangeable, [variable.low for variable in task.variables]),
    )


def words_of(tables: ProgramTables) -> int:
    """The words of a row."""
    return int(tables.word[-1]) + 1 if len(tables.word) else 1


def scratch_for(task: ProgramTask, tables: ProgramTables) -> ProgramScratch:
    """Room for runs of programs: a run comes to each instruction that assigns at most once, and routines do not call
    themselves.
    """
    registers = np.zeros(task.registers, np.int64)
    for register, value in task.constants.items():
        registers[register] = value
    counts = np.bincount(tables.code[::COLUMNS], minlength=1 + max(program.SET, program.PUT, program.RETURN))
    sets, routines = counts[program.SET] + counts[program.PUT], counts[program.RETURN]
    row, variables = words_of(tables), len(task.variables)
    return zeros(ProgramScratch, sets + 1, registers=registers, back=routines + 1, runs=1, row=row, canonical=variables)


def packed(tables: ProgramTables, state: tuple[int, ...]) -> Words:
    """A state as a row."""
    row = np.zeros(words_of(tables), np.uint64)
    for v, value in enumerate(state):
        row[tables.word[v]] |= np.uint64(value - int(tables.low[v])) << tables.shift[v]
    return row


def unpacked(tables: ProgramTables, row: Words) -> tuple[int, ...]:
    """The state of a row."""
    fields = (row[tables.word] >> tables.shift) & tables.mask
    return tuple((fields.astype(np.int64) + tables.low).tolist())


def values_of(tables: ProgramTables, rows: Words, variable: int) -> Longs:
    """The value of a variable in each row."""
    fields: Words = (rows[:, tables.word[variable]] >> tables.shift[variable]) & tables.mask[variable]
    values: Longs = fields.astype(np.int64) + tables.low[variable]
    return values


@njit(inner=True)
def unpack(tables: ProgramTables, row: Words, scratch: ProgramScratch) -> None:
    """Write the variables of a state into their registers, and begin a new run."""
    registers = scratch.registers
    for v in range(tables.variables):
        registers[v] = tables.low[v] + np.int64((row[tables.word[v]] >> tables.shift[v]) & tables.mask[v])
    scratch.runs[0] += 1


@njit(inner=True)
def run(  # noqa: C901 (a case for each instruction)
    tables: ProgramTables, scratch: ProgramScratch, at: int, number: int
) -> int:
    """Run a program from an instruction on; how many variables it has assigned, or -1 if it fails.

    Then the new values stand in the registers of the variables, and the old ones in `scratch.former`; after a failure
    the registers are as before. `number`: of the run: routines that have run in it do not run again.
    """
    code, table, r = tables.code, tables.tables, scratch.registers
    assigned, former, back = scratch.assigned, scratch.former, scratch.back
    count, depth, applied = 0, 0, False
    while True:
        place = at * COLUMNS
        kind, d, a, b, c = (
            long(code[place]),
            long(code[place + 1]),
            long(code[place + 2]),
            long(code[place + 3]),
            long(code[place + 4]),
        )
        at += 1
        # A condition that does not hold jumps to d, and one on a missing value does not hold.
        if kind == op.SAME:
            if r[a] != r[b] or r[a] == NONE:
                at = d
        elif kind == op.OTHER:
            if r[a] == r[b] or r[a] == NONE or r[b] == NONE:
                at = d
        elif kind == op.TABLE:
            r[d] = entry_of(table, b, r[a])
        elif kind in (op.SET, op.PUT):
            # Noted, not written yet: what comes after still reads the old values (all assignments happen at once, in
            # `APPLY`).
            variable, value = d, r[a]
            if kind == op.PUT:
                if r[b] < 0 or r[b] >= c:
                    break
                variable += r[b]
            if not in_domain(tables, variable, value):
                break
            assigned[count] = variable
            former[count] = value
            count += 1
        elif kind == op.TRUE:
            if r[a] != 1:
                at = d
        elif kind == op.VALUE:
            if r[a] == NONE:
                at = d
        elif kind == op.FALSE:
            if r[a] != 0:
                at = d
        elif kind == op.JUMP:
            at = d
        elif kind == op.MOVE:
            r[d] = r[a]
        elif kind == op.VARIABLE:
            r[d] = r[b + r[a]] if 0 <= r[a] < c else NONE
        elif kind == op.FAIL:
            break
        elif kind == op.LESS:
            if not r[a] < r[b] or r[a] == NONE:
                at = d
        elif kind == op.MOST:
            if not r[a] <= r[b] or r[a] == NONE:
                at = d
        elif kind == op.CALL:
            # A routine runs once in a run; its results stay in their registers. The number of the run marks that.
            if r[a] != number:
                r[a] = number
                back[depth] = at
                depth += 1
                at = d
        elif kind == op.RETURN:
            depth -= 1
            at = back[depth]
        elif kind == op.APPLY:
            # From here on registers hold the state after: a new run number makes routines compute anew, of the new
            # values.
            if not apply_all(scratch, count, d == 1):
                return -1
            applied = True
            scratch.runs[0] += 1
            number = scratch.runs[0]
        elif kind == op.DONE:
            return count
        elif kind == op.DISTINCT:
            r[d] = distinct(r, a, b)
        elif kind == op.REACH:
            reach(r, table, d, r[a], b, c)
        elif kind == op.LOOP:
            r[d] = one_loop(r, table, a, b, c)
        elif kind == op.CELL:
            r[d] = cell_at(table, b, r[a])
        elif kind == op.NOT:
            r[d] = NONE if r[a] == NONE else 1 - r[a]
        elif kind <= op.LE:
            r[d] = computed(kind, r[a], r[b], c)
    # Failed after `APPLY` (a condition on the state after): the old values are put back.
    if applied:
        undo(scratch, count)
    return -1


# The same functions as in Python, compiled.
entry_of = njit(inner=True)(program.entry)
cell_at = njit(inner=True)(program.cell_at)
computed = njit(inner=True)(program.computed)


@njit(inner=True)
def in_domain(tables: ProgramTables, variable: int, value: int) -> bool:
    """Whether a variable can have a value."""
    if value < tables.low[variable] or value > tables.high[variable]:
        return False
    flag = tables.allowed[variable]
    return bool(flag < 0 or tables.flags[flag + value - tables.low[variable]])


@njit(inner=True)
def apply_all(scratch: ProgramScratch, count: int, twice: bool) -> bool:
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


@njit(inner=True)
def undo(scratch: ProgramScratch, count: int) -> None:
    """Give the variables that a run has assigned their old values again, in the opposite order."""
    # Backward: of a variable that was assigned twice the value from before the first comes last, and stays.
    for i in range(count - 1, -1, -1):
        scratch.registers[scratch.assigned[i]] = scratch.former[i]


@njit(inner=True)
def distinct(r: Longs, first: int, count: int) -> int:
    """Whether the values of some registers in a row differ: 0 if two are equal, else `NONE` if one is missing."""
    result = 1
    for i in range(first, first + count):
        if r[i] == NONE:
            result = NONE
            continue
        for j in range(first, i):
            if r[i] == r[j]:
                return 0
    return result


@njit(inner=True)
def reach(r: Longs, links: Longs, result: int, start: int, address: int, flags: int) -> None:
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


@njit(inner=True)
def one_loop(r: Longs, table: Longs, flags: int, address: int, scratch: int) -> int:
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


@njit(inner=True)
def repack(tables: ProgramTables, scratch: ProgramScratch, count: int, row: Words) -> None:
    """Change a row by what a run has assigned."""
    for i in range(count):
        v = scratch.assigned[i]
        word, shift = tables.word[v], tables.shift[v]
        value = np.uint64(scratch.registers[v] - tables.low[v])
        # Only fields that the run assigned: the rest of the word stays as it is.
        row[word] = (row[word] & ~(tables.mask[v] << shift)) | (value << shift)


useful_swap = njit(inner=True)(interchangeable.useful_swap)
exchange = njit(inner=True)(interchangeable.exchange)


@njit(inner=True)
def make_canonical(tables: ProgramTables, scratch: ProgramScratch, row: Words) -> None:
    """Make a row that of the canonical state of its own."""
    swaps, values = tables.swaps, scratch.canonical
    for v in range(tables.variables):
        values[v] = tables.low[v] + np.int64((row[tables.word[v]] >> tables.shift[v]) & tables.mask[v])
    swap = useful_swap(swaps, values, 0)
    while swap >= 0:
        exchange(swaps, values, swap)
        swap = useful_swap(swaps, values, max(0, swap - 1))
    for w in range(len(row)):
        row[w] = np.uint64(0)
    for v in range(tables.variables):
        row[tables.word[v]] |= np.uint64(values[v] - tables.low[v]) << tables.shift[v]


# Programs with an unknown state (`models.forking`): the same functions, as kernels.

_names: dict[str, Any] = {**vars(forking), "cell_at": cell_at, "computed": computed, "entry": entry_of}
"""What the kernels see: the names of the module, with kernels in place of its functions."""

for _part in [each for each in _names.values() if getattr(each, "__module__", "") == forking.__name__]:
    if isinstance(_part, FunctionType):
        _names[_part.__name__] = njit(inner=True)(FunctionType(_part.__code__, _names))

run_forked, run_all_forked = [
    njit(cache=True)(FunctionType(whole.__code__, _names)) for whole in (forking.run, forking.run_all)
]


def forked() -> tuple[Callable[..., int], Callable[..., int]] | None:
    """`forking.run` and `forking.run_all` as kernels; None where kernels would have to be made first."""
    return (run_forked, run_all_forked) if ready() else None
