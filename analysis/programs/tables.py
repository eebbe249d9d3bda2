"""A program task as arrays for kernels, and its states as rows of words.

Variable v has the values low[v] to high[v]. In a row it stands in word word[v], shifted by shift[v], as value - low[v]:

    word 0 = ... | variable 2 | variable 1 | variable 0        no variable stands in two words
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models import program
from ...models.program import ProgramTask
from ...runtime.arrays import Ints, Longs, Words
from ..bitset_task import cost_keys

COLUMNS = 8
"""Numbers from one instruction to the next: five are used."""


class ProgramTables(NamedTuple):
    """A program task. `code` (8 I): see `models.program`; `tables`: the tables that programs look things up in.

    Of each variable (V) `low`, `high`, `word`, `shift`, `mask` (before it is shifted), and `allowed`: where in `flags`
    a 1 stands for each number from low to high that is a value, or -1 if all are. `entry`, `cost` (A) of each action.
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


class ProgramScratch(NamedTuple):
    """What programs work in: the registers, the assignments of a run (variable, then value before), the ways back from
    routines, the number of the last run, and a row.
    """

    registers: Longs
    assigned: Longs
    former: Longs
    back: Longs
    runs: Longs
    row: Words


def program_tables(task: ProgramTask) -> ProgramTables:
    """The task as arrays. Raises `OverflowError` if a number in it has more than 32 bits."""
    code = np.zeros((len(task.code), COLUMNS), np.int32)
    code[:, :5] = np.array(task.code, np.int32)
    words: list[int] = []
    shifts: list[int] = []
    used = 0
    flags: list[int] = []
    allowed = []
    for variable in task.variables:
        width = (variable.high - variable.low).bit_length()
        if not words or used + width > 64:
            words.append(words[-1] + 1 if words else 0)
            used = 0
        else:
            words.append(words[-1])
        shifts.append(used)
        used += width
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
    return ProgramScratch(
        registers=registers,
        assigned=np.zeros(sets + 1, np.int64),
        former=np.zeros(sets + 1, np.int64),
        back=np.zeros(routines + 1, np.int64),
        runs=np.zeros(1, np.int64),
        row=np.zeros(words_of(tables), np.uint64),
    )


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


def without_goal(tables: ProgramTables) -> ProgramTables:
    """The task without a goal: a search of it visits every reachable state."""
    fail = [program.FAIL, *[0] * (COLUMNS - 1)]
    return tables._replace(code=np.append(tables.code, np.array(fail, np.int32)), goal=len(tables.code) // COLUMNS)
