"""Programs where most variables are not known: the abstract successors of a projection.

A projection keeps the variables of a pattern and forgets the others, whose registers hold `UNKNOWN`. What is computed
of an unknown value is unknown. Where a program would have to know it in order to go on, it *forks*: `choice` holds
which way each fork takes, and one run follows one path. So every successor of a real state is, seen in the pattern, one
of the abstract successors of what the pattern sees of that state; distances among those are lower bounds (Culberson and
Schaeffer, *Pattern databases*, 1998; Helmert, Haslum, Hoffmann, *Flexible abstraction heuristics*, 2007).

    slide(robot, up), the other robots unknown       at each cell: is one in the way? both     it can stop anywhere

A failure that depends on what is unknown is no fork: it makes no successor. A condition that the known values do not
decide is taken to hold.
"""

from __future__ import annotations

from ..models import program as op
from ..models.program import NONE
from ..runtime.arrays import Bytes, Ints, Longs
from ..runtime.bitops import long
from ..runtime.kernel_calls import njit
from .program_machine import (
    COLUMNS,
    UNKNOWN,
    ProgramScratch,
    ProgramTables,
    apply_all,
    cell_at,
    computed,
    distinct,
    entry_of,
    in_domain,
    one_loop,
    reach,
    spread,
    undo,
)

# The most values that one run of a program may have to guess.
MOST_FORKS = 400

# The most runs of one program on one abstract state; with more of them a pattern says hardly anything.
MOST_PATHS = 400

# A run that makes no successor, and one with more forks or steps than there is room for.
FAILED, TOO_DEEP = -1, -2

# Instructions of a run: a loop whose end is not known would go on for ever.
MOST_STEPS = 200_000


@njit(inner=True)
def choose(choice: Ints, ways: Ints, forks: int, place: int, number: int) -> int:
    """Begin fork number `place` of a path with its first way, unless it was begun before; the number of forks then."""
    if place == forks:
        choice[forks], ways[forks] = 0, number
        return forks + 1
    return forks


@njit(inner=True)
def next_path(choice: Ints, ways: Ints, forks: int) -> int:
    """Turn to the next path, as a counter is counted up: the last fork that has another way takes it, and later forks
    are forgotten. The number of forks that are left; 0 after the last path.
    """
    while forks > 0 and choice[forks - 1] + 1 == ways[forks - 1]:
        forks -= 1
    if forks > 0:
        choice[forks - 1] += 1
    return forks


@njit(inner=True)
def run_path(  # noqa: C901 (a case for each instruction)
    tables: ProgramTables,
    scratch: ProgramScratch,
    kept: Bytes,
    at: int,
    choice: Ints,
    ways: Ints,
    forks: int,
) -> tuple[int, int]:
    """Run a program from an instruction on, along a path; `kept` (V): the variables of the pattern.

    Returns how many of them were assigned, as `machine.run` does, or `FAILED` or `TOO_DEEP`; and the number of forks.
    """
    code, table, r = tables.code, tables.tables, scratch.registers
    assigned, former, back = scratch.assigned, scratch.former, scratch.back
    count, depth, place, applied, result = 0, 0, 0, False, FAILED
    check_end, check_depth = -1, 0
    scratch.runs[0] += 1
    number = scratch.runs[0]
    # The cases are those of `program_machine.run`, each with what an unknown operand makes of it.
    for _ in range(MOST_STEPS):
        # The end of a check is reached: its condition held along this path.
        if at == check_end:
            check_end = -1
        here = at * COLUMNS
        kind, d, a, b, c = (
            long(code[here]),
            long(code[here + 1]),
            long(code[here + 2]),
            long(code[here + 3]),
            long(code[here + 4]),
        )
        at += 1
        if forks + 2 >= len(choice):
            result = TOO_DEEP
            break
        if kind == op.JUMP:
            at = d
        elif op.JUMP < kind <= op.MOST:
            x = r[a]
            y = r[b] if kind >= op.SAME else x
            if x == NONE or y == NONE:
                at = d
            # A known value that is not `NONE` is a value: go on.
            elif kind == op.VALUE and x != UNKNOWN:
                pass
            elif x == UNKNOWN or y == UNKNOWN:
                if check_end >= 0:
                    # The condition may hold: it makes no difference by what. Routines that it was in have no result.
                    at, depth, check_end = check_end, check_depth, -1
                    scratch.runs[0] += 1
                    number = scratch.runs[0]
                # Both ways, unless the other one only fails: then the successors are those of this way.
                elif code[d * COLUMNS] != op.FAIL:
                    forks = choose(choice, ways, forks, place, 2)
                    if choice[place] == 1:
                        at = d
                    place += 1
            else:
                met = False
                if kind == op.TRUE:
                    met = x == 1
                elif kind == op.FALSE:
                    met = x == 0
                elif kind == op.SAME:
                    met = x == y
                elif kind == op.OTHER:
                    met = x != y
                elif kind == op.LESS:
                    met = x < y
                else:
                    met = x <= y
                if not met:
                    at = d
        elif kind == op.CHECK:
            check_end, check_depth = d, depth
        elif kind == op.PART:
            wanted = False
            for v in range(a, a + b):
                if kept[v]:
                    wanted = True
            # A block that assigns nothing of the pattern makes no difference to it.
            if not wanted:
                at = d
        elif kind in (op.SET, op.PUT):
            variable, value = d, r[a]
            if kind == op.PUT:
                if r[b] == UNKNOWN:
                    # Any variable of the table: one of the pattern, or another.
                    seen = 0
                    for v in range(d, d + c):
                        seen += kept[v]
                    forks = choose(choice, ways, forks, place, seen + (1 if seen < c else 0))
                    chosen = choice[place]
                    place += 1
                    if chosen == seen:
                        continue
                    for v in range(d, d + c):
                        if kept[v]:
                            if chosen == 0:
                                variable = v
                                break
                            chosen -= 1
                elif r[b] < 0 or r[b] >= c:
                    break
                else:
                    variable += r[b]
            if kept[variable] and value == UNKNOWN:
                forks = choose(choice, ways, forks, place, tables.high[variable] - tables.low[variable] + 1)
                value = tables.low[variable] + choice[place]
                place += 1
            # A variable outside the pattern, or that stays unknown: nothing to note, and no domain to leave for
            # certain.
            if value == UNKNOWN:
                continue
            if not in_domain(tables, variable, value):
                break
            if kept[variable]:
                assigned[count] = variable
                former[count] = value
                count += 1
        elif kind == op.TABLE:
            r[d] = UNKNOWN if r[a] == UNKNOWN else entry_of(table, b, r[a])
        elif kind == op.MOVE:
            r[d] = r[a]
        elif kind == op.VARIABLE:
            if r[a] == UNKNOWN:
                r[d] = UNKNOWN
            else:
                r[d] = r[b + r[a]] if 0 <= r[a] < c else NONE
        elif kind == op.FAIL:
            break
        elif kind == op.CALL:
            if r[a] != number:
                r[a] = number
                back[depth] = at
                depth += 1
                at = d
        elif kind == op.RETURN:
            depth -= 1
            at = back[depth]
        elif kind == op.APPLY:
            # Two different values for a variable: no real run assigns both, so this path makes no successor.
            if not apply_all(scratch, count, d == 1):
                break
            applied = True
            scratch.runs[0] += 1
            number = scratch.runs[0]
        elif kind == op.DONE:
            return count, forks
        elif kind == op.DISTINCT:
            r[d] = distinct(r, a, b)
        elif kind == op.REACH:
            if r[a] == UNKNOWN:
                for i in range(d, d + table[b]):
                    r[i] = UNKNOWN
            else:
                reach(r, table, d, r[a], b, c)
                _reach_perhaps(r, table, d, b, c)
        elif kind == op.LOOP:
            known = True
            for i in range(a, a + table[b + 1]):
                known = known and r[i] != UNKNOWN
            r[d] = one_loop(r, table, a, b, c) if known else UNKNOWN
        elif kind == op.CELL:
            r[d] = UNKNOWN if r[a] == UNKNOWN else cell_at(table, b, r[a])
        elif kind == op.NOT:
            r[d] = r[a] if r[a] == NONE or r[a] == UNKNOWN else 1 - r[a]
        elif kind <= op.LE:
            x, y = r[a], r[b]
            if x != NONE and y != NONE and (x == UNKNOWN or y == UNKNOWN):
                r[d] = UNKNOWN
            else:
                r[d] = computed(kind, x, y, c)
    else:
        result = TOO_DEEP
    if applied:
        undo(scratch, count)
    return result, forks


@njit(inner=True)
def _reach_perhaps(r: Longs, links: Longs, result: int, address: int, flags: int) -> None:
    """After `reach`: it is unknown of a node whether it is reached if a way to it has links whose flags are unknown."""
    nodes = links[address]
    queue = result + nodes
    tail = queue
    # Second search, from all nodes that are reached for certain, over links that may be open.
    for node in range(nodes):
        if r[result + node] == 1:
            r[tail] = node
            tail += 1
    spread(r, links, result, address, flags, tail, UNKNOWN)
