"""The register machine of `models.program` as compiled code: one kernel runs the programs of all puzzles.

`models.program` says what every instruction does, in functions that are plain Python, too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..models import forking, interchangeable, program
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
def instruction(code: Ints, at: int) -> tuple[int, int, int, int, int]:
    """The five numbers of an instruction."""
    at *= COLUMNS
    return long(code[at]), long(code[at + 1]), long(code[at + 2]), long(code[at + 3]), long(code[at + 4])


@njit(inner=True)
def in_domain(tables: ProgramTables, variable: int, value: int) -> bool:
    """Whether a variable can have a value."""
    if value < tables.low[variable] or value > tables.high[variable]:
        return False
    flag = tables.allowed[variable]
    return bool(flag < 0 or tables.flags[flag + value - tables.low[variable]])


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


def kernels(module: ModuleType, **others: Any) -> dict[str, Any]:
    """What a module defines, its functions compiled as kernels that call each other. Those of `others` are taken in
    place of the module's functions with these names.
    """
    names = {**vars(module), **others}
    for name, part in vars(module).items():
        if isinstance(part, FunctionType) and part.__module__ == module.__name__ and name not in others:
            names[name] = njit(inner=True)(FunctionType(part.__code__, names))
    return names


_machine = kernels(program, instruction=instruction, in_domain=in_domain, distinct=distinct)
run: Callable[..., int] = _machine["run"]
undo: Callable[..., None] = _machine["undo"]


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

_forking = kernels(forking, cell_at=_machine["cell_at"], computed=_machine["computed"], entry=_machine["entry"])

run_forked, run_all_forked = [
    njit(cache=True)(FunctionType(whole.__code__, _forking)) for whole in (forking.run, forking.run_all)
]


def forked() -> tuple[Callable[..., int], Callable[..., int]] | None:
    """`forking.run` and `forking.run_all` as kernels; None where kernels would have to be made first."""
    return (run_forked, run_all_forked) if ready() else None
