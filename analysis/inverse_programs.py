"""The way back through a program task: substitutions (actions that only rename values), their inverses, the goals.

    turn: piece 1 := turned[piece 2]     inverse: piece 2 := back[piece 1]

Programs run forward only; a search from the goal needs what lies before a state. Which actions are substitutions is
found and proven by running the programs with one variable known and the others unknown (`abstract_programs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from ..models import program as op
from ..models.program import Machine, ProgramAction, ProgramTask, ProgramVariable
from ..runtime.arrays import Bytes, Flags, Ints, Longs, Words
from ..runtime.bitops import long
from ..runtime.kernel_calls import laid_out, njit
from .abstract_programs import FAILED, MOST_FORKS, MOST_PATHS, next_path, run_path
from .program_machine import (
    UNKNOWN,
    ProgramScratch,
    ProgramTables,
    in_domain,
    program_tables,
    scratch_for,
    undo,
    words_of,
)

# Actions that only rename values, as tables: successors and predecessors of a state without running a program.
#
# An action is a *substitution* if the new value of each variable is a function of the old value of one variable, no
# two of the same, and the function is one to one: a turn of a cube (`piece := turned[piece]`), a shifted row (`card 2
# := card 1`), a joint that turns (`turn := (turn + 1) % 4`). Then at most one state lies before a given one, and the
# inverse is a substitution too.
#
#     a row shifts to the right           card 1 := card 3    card 2 := card 1    card 3 := card 2
#     before it                           card 3 := card 1    card 1 := card 2    card 2 := card 3
#
# A function may have no value for some arguments (a step off the board): then the action does not apply. What else
# the program asks for is not in the tables: `total` says where there is nothing else.

# The entry of a value to which the action does not apply.
GONE = np.uint64(0xFFFFFFFFFFFFFFFF)


class Substitutions(NamedTuple):
    """One substitution for each action (A), over rows as in `program_machine`.

    `first` (A + 1): where its assignments begin in `word`, `source`, `address`. An assignment gives the variable in
    word `word` the value `entries[address + digit]`, shifted to its place, where `digit` is the value of the variable
    `source` minus its lowest. `kept` (A, W): the bits of a row that no assignment gives. `total` (A): 1 if the action
    applies in every state.
    """

    first: Longs
    word: Longs
    source: Longs
    address: Longs
    entries: Words
    kept: Words
    total: Bytes


@njit(inner=True)
def digits_of(tables: ProgramTables, row: Words, digits: Longs) -> None:
    """Write the values of a row's variables, each minus its lowest, into `digits`."""
    for v in range(tables.variables):
        digits[v] = long((row[tables.word[v]] >> tables.shift[v]) & tables.mask[v])


@njit(inner=True)
def substitute(substitutions: Substitutions, action: int, row: Words, digits: Longs, after: Words) -> bool:
    """Write the row that a substitution makes of `row`, whose values are `digits`; False if a function has no value."""
    first, word, source = substitutions.first, substitutions.word, substitutions.source
    address, entries, kept = substitutions.address, substitutions.entries, substitutions.kept
    for w in range(len(row)):
        after[w] = row[w] & kept[action, w]
    for k in range(first[action], first[action + 1]):
        entry = entries[address[k] + digits[source[k]]]
        if entry == GONE:
            return False
        after[word[k]] |= entry
    return True


# Compiled kernels that find out what each variable becomes, by running programs with one variable known.

# In a function: the action does not apply to this value. As a number of a variable: there is no such variable.
NOTHING = -1


class TrialRoom(NamedTuple):
    """Arrays in which programs are run with the value of one variable known and all others unknown.

    `kept` (V): 1 for the variable that is looked at, 0 for others. `found` (as many as a variable has values at most):
    the result. `choice`, `ways`: see `abstract_programs`.
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


@njit()
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


@njit()
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


# The most goal states with which a search from the goals is begun; each is tried in Python.
MOST_GOALS = 1_000

# For each digit of the source (its value minus the lowest) the digit of the result, or `NOTHING`.
Function = tuple[int, ...]

# What a substitution assigns: for each variable that may change its source and the function.
Assignments = dict[int, tuple[int, Function]]

# Pairs of a variable that an action may change and one that its new value may follow from: some seconds at most.
MOST_LOOKS = 5_000_000

# Actions that `seen_at_once` runs, at most, each in a state that differs from the initial one in one variable.
MOST_RUNS = 200

# Actions up to which pairs of them are compared: of more, there are too many pairs.
MOST_FOR_PAIRS = 100


# The values of the variables of a task.
State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BothWays:
    """The substitutions of all actions, and their inverses."""

    ahead: tuple[Assignments, ...]
    back: tuple[Assignments, ...]
    total: tuple[bool, ...]
    """Of each action whether it applies in every state."""

    def tables(self, tables: ProgramTables) -> tuple[Substitutions, Substitutions]:
        """The substitutions and their inverses as arrays for kernels: (forward, backward)."""
        ahead, back = (_tables(tables, side, self.total) for side in (self.ahead, self.back))
        return ahead, back


# The goal states of a task, and its substitutions.
Ends = tuple[list[State], BothWays]


def substitutions_of(task: ProgramTask, tables: ProgramTables) -> BothWays | str:
    """The substitutions that the actions are and their inverses; else why they are not, in words: an action is none, or
    there are too many to look at.
    """
    if sum(len(action.writes) for action in task.actions) * len(task.variables) > MOST_LOOKS:
        return f"there are too many actions ({len(task.actions):,}) to see how they are undone"
    sizes = [_size(variable) for variable in task.variables]
    given, values, _ = _given(task, tables)
    ahead, back = [], []
    for action in task.actions:
        assignments: Assignments = {}
        for variable in sorted(action.writes):
            source = int(source_of(*given, action.entry, variable))
            if source == NOTHING:
                return _not_undone(action)
            function = tuple(values[: sizes[source]].tolist())
            if source != variable or function != tuple(range(sizes[variable])):
                assignments[variable] = source, function
        undone = _inverse(assignments, sizes)
        if undone is None:
            return _not_undone(action)
        ahead.append(assignments)
        back.append(undone)
    total = tuple(
        not _may_fail(task, action) and all(_total(task, *entry) for entry in assignments.values())
        for action, assignments in zip(task.actions, ahead, strict=True)
    )
    return BothWays(tuple(ahead), tuple(back), total)


def _not_undone(action: ProgramAction) -> str:
    return f"`{action.name}` cannot be undone, what was before does not follow from what is after"


def seen_at_once(task: ProgramTask) -> str | None:
    """Why actions cannot be undone, as far as that shows without kernels: one does not cost one, or is no substitution,
    as a new value changes with two variables of the initial state; so nothing is compiled for what is refused.
    """
    if not task.uniform:
        return "every action must cost one for that"
    machine, init, runs = Machine(task), task.init, 0
    for action in task.actions:
        after, sources = machine.after(init, action), dict[int, int]()
        if after is None:
            continue
        for source, variable in enumerate(task.variables):
            other = next((value for value in variable.values if value != init[source]), init[source])
            changed = machine.after((*init[:source], other, *init[source + 1 :]), action) or after
            if any(changed[v] != after[v] and sources.setdefault(v, source) != source for v in action.writes):
                return _not_undone(action)
            if (runs := runs + 1) == MOST_RUNS:
                return None
    return None


def both_ways_of(task: ProgramTask) -> BothWays | str:
    """The substitutions that the actions of a task are, and their inverses, if each costs one; else why not, in words.
    To be asked for by `task.computed`.
    """
    return task.computed(seen_at_once) or substitutions_of(task, task.computed(program_tables))


def ends_of(task: ProgramTask) -> Ends | str:
    """The goal states of a task whose actions cost one each, and what they are as substitutions; else why a search
    cannot begin at the goal, in words. To be asked for by `task.computed`.
    """
    if reason := task.computed(seen_at_once):
        return reason
    goals = goal_states_of(task, task.computed(program_tables), MOST_GOALS)
    if goals is None:
        return f"more than {MOST_GOALS:,} states may be goals"
    both_ways = task.computed(both_ways_of)
    return both_ways if isinstance(both_ways, str) else (goals, both_ways)


def _given(
    task: ProgramTask, tables: ProgramTables
) -> tuple[tuple[ProgramTables, ProgramScratch, TrialRoom], Longs, Longs]:
    """What the kernels take, with all variables unknown; the array where they write; and the registers."""
    scratch = scratch_for(task, tables)
    scratch.registers[: len(task.variables)] = UNKNOWN
    choice, ways = np.zeros((2, MOST_FORKS), np.int32)
    values = np.zeros(max(map(_size, task.variables)), np.int64)
    room = TrialRoom(np.zeros(len(task.variables), np.uint8), values, choice, ways)
    return (laid_out(tables), laid_out(scratch), laid_out(room)), values, scratch.registers


def _size(variable: ProgramVariable) -> int:
    """The length of an array with a place for each value of a variable."""
    return variable.high - variable.low + 1


def _inverse(assignments: Assignments, sizes: Sequence[int]) -> Assignments | None:
    """What undoes a substitution; None if two variables have the same source, or a function is not one to one."""
    undone: Assignments = {}
    for variable, (source, function) in assignments.items():
        before = {digit: number for number, digit in enumerate(function) if digit != NOTHING}
        if source in undone or len(before) < sum(digit != NOTHING for digit in function):
            return None
        undone[source] = variable, tuple(before.get(digit, NOTHING) for digit in range(sizes[variable]))
    # A source that is not assigned would keep its value beside the copy.
    return undone if undone.keys() == assignments.keys() else None


def _may_fail(task: ProgramTask, action: ProgramAction) -> bool:
    """Whether a program can fail in another way than by a value outside a domain."""
    at = action.entry
    while (code := task.code[at])[0] != op.DONE:
        if code[0] in (op.CHECK, op.CALL, op.PUT, op.FAIL) or (code[0] == op.APPLY and code[1] == 1):
            return True
        if code[0] in op.JUMPS and (code[1] <= at or task.code[code[1]][0] == op.FAIL):
            return True
        at += 1
    return False


def _total(task: ProgramTask, source: int, function: Function) -> bool:
    """Whether a function has a value for each value of its source."""
    return all(function[value - task.variables[source].low] != NOTHING for value in task.variables[source].values)


def _tables(tables: ProgramTables, side: Iterable[Assignments], total: Sequence[bool]) -> Substitutions:
    first, word, sources, address, entries = [0], [], [], [], list[int]()
    kept = np.full((len(total), words_of(tables)), GONE, np.uint64)
    for number, assignments in enumerate(side):
        for variable, (source, function) in assignments.items():
            shift = tables.shift[variable]
            word.append(int(tables.word[variable]))
            sources.append(source)
            address.append(len(entries))
            entries += [int(GONE) if digit == NOTHING else digit << int(shift) for digit in function]
            kept[number, word[-1]] &= ~(tables.mask[variable] << shift)
        first.append(len(word))
    return Substitutions(
        first=np.array(first, np.int64),
        word=np.array(word, np.int64),
        source=np.array(sources, np.int64),
        address=np.array(address, np.int64),
        entries=np.array(entries or [0], np.uint64),
        kept=kept,
        total=np.array(total, np.uint8),
    )


def useful_pairs(side: Sequence[Assignments], total: Sequence[bool]) -> Flags:
    """`useful[a, b]` (A, A): whether a search for shortest ways has to try b after a.

    Not if a and then b do what nothing does (a turn and its inverse), what one action does (+1 and +2, if +3 is one),
    or what an earlier pair does (turns of opposite faces, in the other order). With an action that does not always
    apply every pair is useful.
    """
    number = len(side)
    useful = np.ones((number, number), np.bool_)
    if number > MOST_FOR_PAIRS:
        return useful
    contents: set[frozenset[tuple[int, int, Function]]] = {frozenset()}
    contents |= {_content(assignments) for assignments, always in zip(side, total, strict=True) if always}
    for a, b in product(range(number), repeat=2):
        if total[a] and total[b]:
            both = _content(_composed(side[a], side[b]))
            useful[a, b] = both not in contents
            contents.add(both)
    return useful


def _composed(first: Assignments, second: Assignments) -> Assignments:
    """The substitution that two make, one after the other."""
    composed: Assignments = dict(first)
    for variable, (middle, function) in second.items():
        source, before = first.get(middle, (middle, tuple(range(len(function)))))
        after = tuple(NOTHING if digit == NOTHING else function[digit] for digit in before)
        composed[variable] = source, after
        if source == variable and after == tuple(range(len(after))):
            del composed[variable]
    return composed


def _content(assignments: Assignments) -> frozenset[tuple[int, int, Function]]:
    return frozenset((variable, source, function) for variable, (source, function) in assignments.items())


def goal_states_of(task: ProgramTask, tables: ProgramTables, most: int) -> list[State] | None:
    """All goal states, variable by variable: each choice of values for the first ones with which the goal may hold is
    continued by those of the next. None if there are more than `most`, or more such beginnings.
    """
    given, values, registers = _given(task, tables)
    beginnings: list[State] = [()]
    for variable in range(len(task.variables)):
        longer: list[State] = []
        for beginning in beginnings:
            registers[:variable] = beginning
            number = int(goal_values(*given, variable))
            longer += [(*beginning, value) for value in values[:number].tolist()]
            if len(longer) > most:
                return None
        beginnings = longer
    machine = Machine(task)
    return [state for state in beginnings if machine.is_goal(state)]
