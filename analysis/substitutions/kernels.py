"""Compiled kernels that find out what each variable becomes, by running programs with one variable known."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.arrays import Bytes, Ints, Longs
from ...runtime.kernel_cache import njit
from ..programs.machine import in_domain, undo
from ..programs.tables import ProgramScratch, ProgramTables
from ..projections.abstract import FAILED, MOST_PATHS, UNKNOWN, next_path, run_path

NOTHING = -1
"""In a function: the action does not apply to this value. As a number of a variable: there is no such variable."""


class TrialRoom(NamedTuple):
    """Arrays in which programs are run with the value of one variable known and all others unknown.

    `kept` (V): 1 for the variable that is looked at, 0 for others. `found` (as many as a variable has values at most):
    the result. `choice`, `ways`: see `projections.abstract`.
    """

    kept: Bytes
    found: Longs
    choice: Ints
    ways: Ints


@njit(inner=True)
def function_of(
    tables: ProgramTables,
    scratch: ProgramScratch,
    room: TrialRoom,
    at: int,
    variable: int,
    source: int,
) -> bool:
    """Whether what a program assigns to `variable` follows from the value of `source` alone.

    Then `room.found[value - low]` is the new value minus the variable's lowest, or `NOTHING` where the program fails.
    """
    low, follows, found = tables.low[source], True, room.found
    before = NOTHING if source == variable else source
    for value in range(low, tables.high[source] + 1):
        found[value - low] = NOTHING
        if not in_domain(tables, source, value):
            continue
        scratch.registers[source] = value
        count, forks = run_path(tables, scratch, room.kept, at, room.choice, room.ways, 0, before)
        after = scratch.registers[variable]
        if count > 0:
            undo(scratch, count)
        # A fork: it depends on something else. So does a variable that was not assigned, if it is not the source.
        if forks > 0 or count < FAILED or (count >= 0 and after == UNKNOWN):
            follows = False
            break
        if count != FAILED:
            found[value - low] = after - tables.low[variable]
    scratch.registers[source] = UNKNOWN
    return follows


@njit(cache=True)
def source_of(
    tables: ProgramTables,
    scratch: ProgramScratch,
    room: TrialRoom,
    at: int,
    variable: int,
) -> int:
    """The variable from whose value alone it follows what a program assigns to `variable`, itself first; `NOTHING` if
    there is none. All variables are `UNKNOWN` before and after. The function is in `room.found`, see `function_of`.
    """
    room.kept[variable] = 1
    source = NOTHING
    if function_of(tables, scratch, room, at, variable, variable):
        source = variable
    else:
        for other in range(tables.variables):
            if other != variable and function_of(tables, scratch, room, at, variable, other):
                source = other
                break
    room.kept[variable] = 0
    return source


@njit(cache=True)
def goal_values(tables: ProgramTables, scratch: ProgramScratch, room: TrialRoom, variable: int) -> int:
    """Write the values that a variable can have in goal states, as far as it and the variables tell that are known
    already, to `room.found`; gives their number. It is `UNKNOWN` before and after.
    """
    number, kept, choice, ways = 0, room.kept, room.choice, room.ways
    for value in range(tables.low[variable], tables.high[variable] + 1):
        if not in_domain(tables, variable, value):
            continue
        scratch.registers[variable] = value
        forks, paths = 0, 0
        while True:
            count, forks = run_path(tables, scratch, kept, tables.goal, choice, ways, forks)
            paths += 1
            if count != FAILED or paths == MOST_PATHS:
                room.found[number] = value
                number += 1
                break
            forks = next_path(choice, ways, forks)
            if forks == 0:
                break
    scratch.registers[variable] = UNKNOWN
    return number
