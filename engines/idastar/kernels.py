"""Compiled kernels of iterative deepening over packed states with a transposition table, in portions.

Depth-first, with an explicit stack, below one limit; a caller can stop after each portion. By definition a round visits
every state to which some path leads whose cost plus heuristic is within the limit at each of its states;
`tests/engines/test_idastar.py` holds the answers against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.bitset_kernels import ONE, applies, apply, walk_distances, walk_region
from ...analysis.deadlocks.freeze import WANTED
from ...analysis.estimate import survey_state, value_after
from ...analysis.heuristic import Estimate, Survey
from ...analysis.pattern_databases import UNREACHED, Patterns, patterns_value
from ...analysis.program_projections import ProjectionTables
from ...analysis.successor_table import SuccessorTable
from ...runtime.arrays import Bytes, Flags, Ints, Longs, Words, zeros
from ...runtime.bitops import hash_row, long, same_row, trailing_zeros
from ...runtime.kernel_calls import by_type, njit
from ..common.best_first import bound
from ..common.successors import Form, OperatorForm, ProgramForm, copy_row, is_goal, operator_successors, successors

# The interface between the kernels of iterative deepening and their callers: the array `at` and return values.

LIMIT, LEAST, NODES, EXPANDED, HITS, TOP, ROUND, USED, LOST, DEPTH, COST, FIXED = range(12)
"""Indices of `at`: the limit on cost plus heuristic, the least value that was cut, children made, states expanded,
children known from the table, open nodes, the number of this round, table entries used and lost, the depth of the
current node and its cost, whether the table may not grow."""

FIELDS = 12

MORE, DONE, GOAL, ROOM, TABLE, BOARD = range(6)
"""What a kernel returns: its quota is used up; the round is over; a goal stands at the end of the path; the stack or
the path needs more room; the table does; the tables of a board are wanted (`add_board`)."""

NEVER = 1 << 62
"""A heuristic value above every limit: the goal cannot be reached."""


# The transposition table of iterative deepening: the states expanded, each with the least cost that led to it.
#
# Open addressing. A state stands in one of the `WINDOW` slots from its hash on, so that a look-up ends soon in a full
# table:
#
#     slot        h   h+1  h+2  ...  h+WINDOW-1          round 0 marks a slot that is free: a state that is not in
#     round       3    7    0                            the slots before the first free one is not in the table
#     cost       12   15    -
#
# A full window loses its oldest entry, of equally old ones the dearest: a lost entry costs time only.

# Slots of the transposition table that are looked at for one state.
WINDOW = 16


class TranspositionTable(NamedTuple):
    """A table of S slots: the state, the least cost it was reached with, and in which round (0: the slot is free)."""

    rows: Words
    cost: Longs
    round: Ints


def transposition_table(row: int, slots: int) -> TranspositionTable:
    """An empty table, for states of `row` words; a power of two of slots."""
    return zeros(TranspositionTable, slots, rows=(slots, row))


@njit(inner=True)
def slot_of(seen: TranspositionTable, row: Words) -> int:
    """The slot of a state, or the free slot where it belongs, or -1 if it is not there and there is no free one."""
    mask = len(seen.round) - 1
    slot = long(hash_row(row)) & mask
    for _ in range(WINDOW):
        if seen.round[slot] == 0:
            return slot
        if same_row(seen.rows, slot, row):
            return slot
        slot = (slot + 1) & mask
    return -1


@njit(inner=True)
def known(seen: TranspositionTable, row: Words, cost: int, now: int) -> bool:
    """Whether a state need not be expanded at this cost in this round.

    It need not if it was expanded in this round at no more, or in an earlier round at less: then this round comes to
    it by that way too, as long as the heuristic has not changed (Reinefeld and Marsland, *Enhanced
    iterative-deepening search*, 1994).
    """
    slot = slot_of(seen, row)
    if slot < 0 or seen.round[slot] == 0:
        return False
    return bool(seen.cost[slot] < cost or (seen.cost[slot] == cost and seen.round[slot] == now))


@njit(inner=True)
def remember(seen: TranspositionTable, row: Words, cost: int, at: Longs) -> bool:
    """Enter a state. False if there is no room and the table may grow; if it may not, an older or dearer entry
    is lost.
    """
    slot = slot_of(seen, row)
    if slot < 0:
        if not at[FIXED]:
            return False
        # The table is full here and may not grow: in the window of slots, the entry of the oldest round goes, of
        # these the dearest. What is lost may be searched once more.
        mask = len(seen.round) - 1
        place = long(hash_row(row)) & mask
        slot = place
        for i in range(1, WINDOW):
            other = (place + i) & mask
            older = seen.round[other] - seen.round[slot]
            if older < 0 or (older == 0 and seen.cost[other] > seen.cost[slot]):
                slot = other
        at[LOST] += 1
    elif seen.round[slot] == 0:
        if not at[FIXED] and 2 * at[USED] >= len(seen.round):
            return False
        at[USED] += 1
    copy_row(seen.rows[slot], row)
    seen.cost[slot] = cost
    seen.round[slot] = at[ROUND]
    return True


@njit()
def move_entries(source: TranspositionTable, target: TranspositionTable) -> int:
    """Enter all entries of one table into a larger, empty one; gives how many found room."""
    count = 0
    for i in range(len(source.round)):
        if source.round[i]:
            slot = slot_of(target, source.rows[i])
            if slot >= 0:
                copy_row(target.rows[slot], source.rows[i])
                target.cost[slot] = source.cost[i]
                target.round[slot] = source.round[i]
                count += 1
    return count


class OpenStack(NamedTuple):
    """The open nodes, a stack: states, costs, operators that led to them, depths; and the path to the node expanded
    last: states by depth.

        stack   a  b  b'  c        nodes of one depth stand together, the next one to be expanded on top;
        depth   1  2  2   3        the path is the initial state, then one state for each depth
    """

    rows: Words
    cost: Longs
    operator: Ints
    depth: Ints
    path: Words


def open_nodes(row: int, size: int, depth: int) -> OpenStack:
    """An empty stack with room for `size` open nodes of `row` words and for a path of `depth` nodes."""
    return zeros(OpenStack, size, rows=(size, row), path=(depth, row))


class IDAStarSearch(NamedTuple):
    """The tables of a search; `at`: see `control`; `state`: the state that is expanded."""

    opened: OpenStack
    seen: TranspositionTable
    at: Longs
    state: Words


class Node(NamedTuple):
    """How a state is reached: its cost, the operator that leads to it (-1: none), its depth."""

    cost: int
    operator: int
    depth: int


@njit(inner=True)
def take(search: IDAStarSearch) -> tuple[int, Node]:
    """Take the next node that is not known from the stack, and enter it in the table.

    Gives (MORE, the node), its state in `search.state`; or DONE, ROOM, TABLE.
    """
    opened, at, state = search.opened, search.at, search.state
    while at[TOP] > 0:
        top = at[TOP] - 1
        # 1. The node on top, unless it was met in this round at this cost or less.
        node = Node(long(opened.cost[top]), long(opened.operator[top]), long(opened.depth[top]))
        copy_row(state, opened.rows[top])
        if known(search.seen, state, node.cost, at[ROUND]):
            at[HITS] += 1
            at[TOP] = top
            continue
        # 2. It stays on the stack as long as there is no room for it on the path or in the table.
        if node.depth + 2 >= len(opened.path):
            return ROOM, node
        if not remember(search.seen, state, node.cost, at):
            return TABLE, node
        at[TOP] = top
        at[EXPANDED] += 1
        copy_row(opened.path[node.depth], state)
        return MORE, node
    return DONE, Node(0, 0, 0)


@njit(inner=True)
def put_back(search: IDAStarSearch, top: int, node: Node) -> None:
    """Undo `take`, so that the node is expanded anew: when there is more room, or below a lower limit."""
    opened, at = search.opened, search.at
    at[TOP] = top + 1
    at[EXPANDED] -= 1
    copy_row(opened.rows[top], search.state)
    opened.cost[top] = node.cost
    opened.operator[top] = node.operator
    opened.depth[top] = node.depth
    search.seen.cost[slot_of(search.seen, search.state)] = NEVER


@njit(inner=True)
def offer(form: Form, search: IDAStarSearch, row: Words, child: Node, value: int) -> int:
    """Put a child with its heuristic value on the stack, unless it is above the limit. Gives MORE, GOAL or ROOM."""
    opened, at = search.opened, search.at
    # 1. Cut off: the least total above the limit is the limit of the next round.
    total = child.cost + value
    if total > at[LIMIT]:
        at[LEAST] = min(at[LEAST], total)
        return MORE
    if value == 0 and is_goal(form, row):
        copy_row(opened.path[child.depth], row)
        at[DEPTH], at[COST] = child.depth, child.cost
        return GOAL
    # 2. Else it is put on top, if there is room.
    top = at[TOP]
    if top >= len(opened.cost):
        return ROOM
    copy_row(opened.rows[top], row)
    opened.cost[top] = child.cost
    opened.operator[top] = child.operator
    opened.depth[top] = child.depth
    at[TOP] = top + 1
    return MORE


class PatternGuide(NamedTuple):
    """What guides a search without a walker: pattern databases, and `needless` (N, N), or empty: pairs of operators
    that no cheapest way contains.
    """

    patterns: Patterns
    needless: Flags


class ProgramGuide(NamedTuple):
    """What guides a search over programs: the tables of projections."""

    bounds: ProjectionTables


class WalkGuide(NamedTuple):
    """What guides a search with a walker, whose steps cost `step_cost`: the estimates of A*. An edge walks to a push,
    by a shortest way, and pushes once. `distance` (K), `cost` (most): scratch; `board`: that of the state, see
    `survey_state`.

    Where walking costs nothing, a state has the first cell of the walker's region, otherwise the cell itself.
    """

    estimate: Estimate
    look: Survey
    distance: Ints
    cost: Longs
    board: Longs
    step_cost: int


Guide = PatternGuide | ProgramGuide | WalkGuide


@njit(inner=True)
def _children_of_moves(_guide: PatternGuide, form: OperatorForm, search: IDAStarSearch, node: Node) -> int:
    # With compound moves, what has just moved does not move again at once: that would be one move.
    task = form.task
    barred = long(task.displacement[node.operator, 1]) if len(task.displacement) > 0 and node.operator >= 0 else -1
    return operator_successors(task, search.state, form.work, barred)


@njit(inner=True)
def _children_of_walks(guide: WalkGuide, form: OperatorForm, search: IDAStarSearch, node: Node) -> int:
    """The loop over operators stands here, and not in `operator_successors`: useless ones are left out before a child
    is made, and what a child costs depends on the walk.
    """
    task, state, work, words = form.task, search.state, form.work, form.task.words
    moves, useful, cell = guide.estimate.objects.moves, guide.estimate.boards.useful, long(search.state[task.words])
    # 1. The state's objects and their assignment, and how far the walker has to go to each cell.
    board = survey_state(guide.estimate, guide.look, state, cell)
    guide.board[0] = board
    if board < 0:
        return WANTED if board == WANTED else 0
    walk_distances(task, state, cell, len(guide.distance), guide.distance, work.stack)
    count = 0
    for w in range(words):
        bits = state[w] & task.watched[w]
        while bits:
            # 2. The operators that apply, by the facts that are watched for them.
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = long(task.watch_ops[i])
                steps = guide.distance[task.walk[op, 0]]
                if steps < 0 or not applies(task, op, state) or (moves[op, 0] >= 0 and not useful[op]):
                    continue
                row, there = work.rows[count], long(task.walk[op, 1])
                apply(task, op, state, row)
                row[words] = there if guide.step_cost else walk_region(task, row, there, work.region, work.stack)
                work.steps[count] = op
                guide.cost[count] = node.cost + task.cost[op] + steps * guide.step_cost
                count += 1
    return count


@njit(inner=True)
def _children_of_programs(_guide: ProgramGuide, form: ProgramForm, search: IDAStarSearch, _node: Node) -> int:
    return int(successors(form, search.state))


children = by_type(
    {PatternGuide: _children_of_moves, WalkGuide: _children_of_walks, ProgramGuide: _children_of_programs}
)
"""`children(guide, form, search, node)` writes the children of `search.state` into `form.work`; gives their number, 0
for a dead end, or WANTED."""


@njit(inner=True)
def _cost_of_action(
    _guide: ProgramGuide, form: ProgramForm, _search: IDAStarSearch, node: Node, op: int, _number: int
) -> int:
    return node.cost + long(form.task.cost[op])


@njit(inner=True)
def _cost_of_move(
    guide: PatternGuide, form: OperatorForm, _search: IDAStarSearch, node: Node, op: int, _number: int
) -> int:
    if len(guide.needless) > 0 and node.operator >= 0 and guide.needless[node.operator, op]:
        return -1
    return node.cost + long(form.task.cost[op])


@njit(inner=True)
def _cost_of_walk(
    guide: WalkGuide, form: OperatorForm, search: IDAStarSearch, _node: Node, _op: int, number: int
) -> int:
    # Its heuristic value takes longer than a look into the table. Where it does not, nodes are looked up by `take`.
    at, cost = search.at, long(guide.cost[number])
    if known(search.seen, form.work.rows[number], cost, at[ROUND]):
        at[HITS] += 1
        return -1
    return cost


cost_of = by_type({PatternGuide: _cost_of_move, WalkGuide: _cost_of_walk, ProgramGuide: _cost_of_action})
"""`cost_of(guide, form, search, node, op, number)`: what the child with a number costs, -1 if it is not needed."""


@njit(inner=True)
def _value_of_patterns(guide: PatternGuide, _form: OperatorForm, row: Words, _op: int) -> int:
    return int(patterns_value(guide.patterns, row))


@njit(inner=True)
def _value_after_walk(guide: WalkGuide, form: OperatorForm, row: Words, op: int) -> int:
    source, target = long(guide.estimate.objects.moves[op, 0]), long(guide.estimate.objects.moves[op, 1])
    there = long(form.task.walk[op, 1])
    return int(value_after(guide.estimate, guide.look, guide.board[0], source, target, row, there))


@njit(inner=True)
def _value_of_projections(guide: ProgramGuide, form: ProgramForm, row: Words, _op: int) -> int:
    return int(bound(guide.bounds, form, row))


value_of = by_type(
    {PatternGuide: _value_of_patterns, WalkGuide: _value_after_walk, ProgramGuide: _value_of_projections}
)
"""`value_of(guide, form, row, op)`: the heuristic value of a child; -1 for a dead end, or WANTED."""


@njit()
def root_value(form: Form, guide: PatternGuide | ProgramGuide, row: Words) -> int:
    """The heuristic value of the initial state; -1 for a dead end."""
    return long(value_of(guide, form, row, -1))


@njit()
def deepen(form: Form, guide: Guide, search: IDAStarSearch, quota: int) -> int:
    """Go on with a round of iterative deepening, for about `quota` children."""
    at, work = search.at, form.work
    end = at[NODES] + quota
    while at[NODES] < end:
        # If the state has to be put back, its children are counted anew later: the counts return to these.
        before = at[NODES], at[HITS]
        # 1. The next state, and its children.
        status, node = take(search)
        if status != MORE:
            return status
        top = at[TOP]
        count = children(guide, form, search, node)
        if count == WANTED:
            status = BOARD
        # 2. The children, if they are needed, no dead ends and within the limit.
        for i in range(count):
            op, row = long(work.steps[i]), work.rows[i]
            at[NODES] += 1
            cost = cost_of(guide, form, search, node, op, i)
            if cost < 0:
                continue
            value = value_of(guide, form, row, op)
            if value == WANTED:
                status = BOARD
            elif value >= 0:
                status = offer(form, search, row, Node(cost, op, node.depth + 1), value)
            if status != MORE:
                break
        # 3. A goal, no room for a child, or a board to be filled: the state is expanded again later. Only after a goal
        #    was this its turn.
        if status != MORE:
            put_back(search, top, node)
            if status != GOAL:
                at[NODES], at[HITS] = before
            return status
    return MORE


# Compiled kernel of iterative deepening over a task whose operators are looked up (`analysis.successor_table`).
#
# A node costs a few loads, and nothing is remembered but the way. By definition a round visits every path of
# operators whose cost plus heuristic is within the limit at each of its states; `tests/engines/test_idastar.py` holds
# its counts against known ones, and its answers against `tests/helpers/reference.py`.


class Deltas(NamedTuple):
    """What each operator does to the heuristic: N operators, P tables.

    `change` (N): its cost plus what it adds to the sum over single objects, `NEVER` if no goal is reachable after;
    `table` (N): the table whose index it changes, or -1; `step` (N): by how much. `values`: the tables.
    """

    cost: Longs
    change: Longs
    table: Ints
    step: Ints
    values: Bytes


class Way(NamedTuple):
    """The way to the current node, one entry a depth; and that node itself.

    `operator`: how it was reached; `branch`, `end`: the branches still to be tried; `total`: cost plus heuristic;
    `held`: the value of the table that the operator changed, before. Of the node, `value`: its variables;
    `position`, `entry`: where it stands in the tables, and what they say there.
    """

    operator: Ints
    branch: Ints
    end: Ints
    total: Longs
    held: Longs
    value: Ints
    position: Longs
    entry: Longs


@njit()
def deepen_lookup(task: SuccessorTable, deltas: Deltas, way: Way, at: Longs, quota: int) -> int:
    """Go on with a round of iterative deepening, for about `quota` nodes (Korf, *Depth-first iterative-deepening*,
    *Artificial Intelligence* 27, 1985). The way has room for every depth within the limit.
    """
    # Invariant: `cost` is that of the operators of the way, way.total[depth] - cost is the heuristic of the current
    # node, and `value`, `position`, `entry` are those of that node: every descent is undone by step 1, whatever it
    # changed.
    limit, least, depth, cost = at[LIMIT], at[LEAST], at[DEPTH], at[COST]
    nodes, expanded = 0, 0
    changes = task.changed.shape[1]
    status = DONE
    while True:
        branch = way.branch[depth]
        if branch == way.end[depth]:
            # 1. No branch is left: back to the parent, undoing what the operator changed.
            if depth == 0:
                break
            op = long(way.operator[depth])
            for i in range(changes):
                way.value[task.changed[op, i]] = task.old[op, i]
            p = deltas.table[op]
            if p >= 0:
                way.position[p] -= deltas.step[op]
                way.entry[p] = way.held[depth]
            cost -= deltas.cost[op]
            depth -= 1
            continue
        if nodes >= quota:
            status = MORE
            break
        # 2. The operator of the next branch: what one variable's value says.
        way.branch[depth] = branch + 1
        # A branch is a variable and a table of operators by its value, -1 where none applies. Which branches there are
        # depends on the operator before: what may not follow it is in none.
        op = long(task.table[task.offset[branch] + way.value[task.variable[branch]]])
        if op < 0:
            continue
        nodes += 1
        # 3. Cost plus heuristic of the child: what single objects add, and the one table of which the index changes.
        total = way.total[depth] + deltas.change[op]
        p = deltas.table[op]
        entry = 0
        if p >= 0:
            entry = long(deltas.values[way.position[p] + deltas.step[op]])
            total = total + entry - way.entry[p] if entry != UNREACHED else NEVER
        if total > limit:
            least = min(least, total)
            continue
        # 4. Down to the child.
        depth += 1
        expanded += 1
        cost += deltas.cost[op]
        way.operator[depth] = op
        way.branch[depth] = task.first[op]
        way.end[depth] = task.first[op + 1]
        way.total[depth] = total
        if p >= 0:
            way.position[p] += deltas.step[op]
            way.held[depth] = way.entry[p]
            way.entry[p] = entry
        for i in range(changes):
            way.value[task.changed[op, i]] = task.new[op, i]
        # 5. A goal has heuristic 0, so only then the goal's facts are looked at.
        if total == cost:
            met = True
            for i in range(len(task.goal)):
                if way.value[task.goal[i, 0]] != task.goal[i, 1]:
                    met = False
                    break
            if met:
                status = GOAL
                break
    at[LEAST], at[DEPTH], at[COST] = least, depth, cost
    at[NODES] += nodes
    at[EXPANDED] += expanded
    return status
