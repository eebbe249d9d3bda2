"""Compiled kernel of iterative deepening for tasks with a walker: an edge walks to a push and pushes once.

Where walking costs nothing, a state has the first cell of the walker's region, otherwise the cell itself; the walk to
each push is a shortest one.
"""

from __future__ import annotations

from ...analysis.bitset_kernels import ONE, applies, apply, walk_distances, walk_region
from ...analysis.bitset_task import BitsetTask
from ...analysis.deadlocks.freeze import WANTED
from ...analysis.estimate import survey_state, value_after
from ...analysis.heuristic import Estimate, Survey
from ...runtime.arrays import Ints
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from .control import BOARD, GOAL, HITS, MORE, NODES, ROOT, ROUND, TOP
from .kernels import IDAStarSearch, Node, offer, put_back, take
from .transposition import known


@njit(cache=True)
def deepen_walks(
    task: BitsetTask,
    estimate: Estimate,
    look: Survey,
    search: IDAStarSearch,
    distance: Ints,
    step_cost: int,
    quota: int,
) -> int:
    """Go on with a round of iterative deepening, for about `quota` children. A step of the walker costs `step_cost`.

    If `quota` is ROOT, `search.state` is only surveyed: returns its board (see `survey_state`).
    `distance` (K): scratch. The loop over operators stands here, and not in `successors`: useless operators are left
    out before a child is made, and what a child costs depends on the walk.
    """
    at, work, state, row, words = search.at, search.work, search.state, search.row, task.words
    moves, useful = estimate.objects.moves, estimate.boards.useful
    if quota == ROOT:
        return survey_state(estimate, look, state, long(state[words]))
    end = at[NODES] + quota
    while at[NODES] < end:
        # If the state has to be put back, its children are counted anew later: the counts return to these.
        before = at[NODES], at[HITS]
        # 1. The next state: its objects and their assignment, and how far the walker has to go to each cell.
        status, node = take(search)
        if status != MORE:
            return status
        top, cell = at[TOP], long(state[words])
        board = survey_state(estimate, look, state, cell)
        if board == WANTED:
            status = BOARD
        elif board < 0:
            continue
        walk_distances(task, state, cell, len(distance), distance, work.stack)
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits and status == MORE:
                # 2. The operators that apply, by the facts that are watched for them.
                fact = (w << 6) + long(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = long(task.watch_ops[i])
                    steps = distance[task.walk[op, 0]]
                    if steps < 0 or not applies(task, op, state):
                        continue
                    source, target = long(moves[op, 0]), long(moves[op, 1])
                    if source >= 0 and not useful[op]:
                        continue
                    # 3. The child, if it is not known, no dead end and within the limit.
                    apply(task, op, state, row)
                    there = long(task.walk[op, 1])
                    row[words] = there if step_cost else walk_region(task, row, there, work.region, work.stack)
                    cost = node.cost + task.cost[op] + steps * step_cost
                    at[NODES] += 1
                    if known(search.seen, row, cost, at[ROUND]):
                        at[HITS] += 1
                        continue
                    value = value_after(estimate, look, board, source, target, row, there)
                    if value == WANTED:
                        status = BOARD
                    elif value < 0:
                        continue
                    else:
                        status = offer(task, search, row, Node(cost, op, node.depth + 1), value)
                    if status != MORE:
                        break
        # 4. A goal, no room for a child, or a board to be filled: the state is expanded again later. Only after a goal
        #    was this its turn.
        if status != MORE:
            put_back(search, top, node)
            if status != GOAL:
                at[NODES], at[HITS] = before
            return status
    return MORE
