"""The register machine of `models.program` as compiled code: one kernel runs the programs of all puzzles.

`models.program.Machine` defines what every instruction does; `tests/test_programs.py` holds the two against each other.
"""

from __future__ import annotations

import numpy as np

from ...models.program import (
    ADD,
    APPLY,
    CALL,
    CELL,
    DISTINCT,
    DIV,
    DONE,
    EQ,
    FAIL,
    FALSE,
    JUMP,
    LE,
    LESS,
    LT,
    MAX,
    MIN,
    MOD,
    MOST,
    MOVE,
    MUL,
    NE,
    NONE,
    NOT,
    OTHER,
    PUT,
    RETURN,
    ROW,
    SAME,
    SCALED,
    SET,
    SUB,
    TABLE,
    TRUE,
    VALUE,
    VARIABLE,
)
from ...runtime.arrays import Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .tables import COLUMNS, ProgramScratch, ProgramTables


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
        op, d, a, b, c = (
            long(code[place]),
            long(code[place + 1]),
            long(code[place + 2]),
            long(code[place + 3]),
            long(code[place + 4]),
        )
        at += 1
        if op == SAME:
            if r[a] != r[b] or r[a] == NONE:
                at = d
        elif op == OTHER:
            if r[a] == r[b] or r[a] == NONE or r[b] == NONE:
                at = d
        elif op == TABLE:
            key = r[a] - table[b]
            r[d] = table[b + 2 + key] if 0 <= key < table[b + 1] else NONE
        elif op in (SET, PUT):
            variable, value = d, r[a]
            if op == PUT:
                if r[b] < 0 or r[b] >= c:
                    break
                variable += r[b]
            if value < tables.low[variable] or value > tables.high[variable]:
                break
            flag = tables.allowed[variable]
            if flag >= 0 and tables.flags[flag + value - tables.low[variable]] == 0:
                break
            assigned[count] = variable
            former[count] = value
            count += 1
        elif op == TRUE:
            if r[a] != 1:
                at = d
        elif op == VALUE:
            if r[a] == NONE:
                at = d
        elif op == FALSE:
            if r[a] != 0:
                at = d
        elif op == JUMP:
            at = d
        elif op == MOVE:
            r[d] = r[a]
        elif op == VARIABLE:
            r[d] = r[b + r[a]] if 0 <= r[a] < c else NONE
        elif op == FAIL:
            break
        elif op == LESS:
            if not r[a] < r[b] or r[a] == NONE:
                at = d
        elif op == MOST:
            if not r[a] <= r[b] or r[a] == NONE:
                at = d
        elif op == CALL:
            if r[a] != number:
                r[a] = number
                back[depth] = at
                depth += 1
                at = d
        elif op == RETURN:
            depth -= 1
            at = back[depth]
        elif op == APPLY:
            # From here on `former` holds the values before; they are put back in the opposite order.
            for i in range(count):
                if d:
                    for j in range(i):
                        if assigned[j] == assigned[i] and r[assigned[i]] != former[i]:
                            count, applied = i, True
                            break
                    if applied:
                        break
                variable = assigned[i]
                former[i], r[variable] = r[variable], former[i]
            if applied:
                break
            applied = True
            scratch.runs[0] += 1
            number = scratch.runs[0]
        elif op == DONE:
            return count
        elif op == DISTINCT:
            r[d] = distinct(r, a, b)
        elif op == CELL:
            row, column = r[a] // ROW, r[a] % ROW
            inside = r[a] != NONE and 0 <= row < table[b] and column < table[b + 1]
            r[d] = table[b + 2 + row * table[b + 1] + column] if inside else NONE
        elif op == NOT:
            r[d] = NONE if r[a] == NONE else 1 - r[a]
        elif op <= LE:
            r[d] = computed(op, r[a], r[b], c)
    if applied:
        undo(scratch, count)
    return -1


@njit(inner=True)
def undo(scratch: ProgramScratch, count: int) -> None:
    """Give the variables that a run has assigned their values before."""
    for i in range(count - 1, -1, -1):
        scratch.registers[scratch.assigned[i]] = scratch.former[i]


@njit(inner=True)
def computed(op: int, x: int, y: int, c: int) -> int:
    """The result of an operation on two numbers."""
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
    if op == DIV:
        return x // y
    if op == MOD:
        return x % y
    return NONE


@njit(inner=True)
def distinct(r: Longs, first: int, count: int) -> int:
    """Whether some registers in a row have values that differ: 1 or 0."""
    for i in range(first + 1, first + count):
        for j in range(first, i):
            if r[i] == r[j]:
                return 0
    return 1


@njit(inner=True)
def repack(tables: ProgramTables, scratch: ProgramScratch, count: int, row: Words) -> None:
    """Change a row by what a run has assigned."""
    for i in range(count):
        v = scratch.assigned[i]
        word, shift = tables.word[v], tables.shift[v]
        value = np.uint64(scratch.registers[v] - tables.low[v])
        row[word] = (row[word] & ~(tables.mask[v] << shift)) | (value << shift)
