"""The interface between the kernels of iterative deepening and their callers: the array `at` and return values."""

from __future__ import annotations

LIMIT, LEAST, NODES, EXPANDED, HITS, TOP, ROUND, USED, LOST, DEPTH, COST, FIXED = range(12)
"""Indices of `at`: the limit on cost plus heuristic, the least value that was cut, children made, states expanded,
children known from the table, open nodes, the number of this round, table entries used and lost, the depth of the
current node and its cost, whether the table may not grow."""

FIELDS = 12

MORE, DONE, GOAL, ROOM, TABLE, BOARD = range(6)
"""What a kernel returns: its quota is used up; the round is over; a goal stands at the end of the path; the stack or
the path needs more room; the table does; the tables of a board are wanted (`add_board`)."""

ROOT = -1
"""In place of a quota: survey the initial state, and expand nothing."""

NEVER = 1 << 62
"""A heuristic value above every limit: the goal cannot be reached."""
