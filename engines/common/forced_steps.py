"""Forced steps: where one operator applies, a free one, a search goes on to the next choice and stores nothing between.

A plan that comes to such a state, and not to the goal there, goes on by that operator. So a search that expands a
state with one successor, which is free, may follow the free steps from there to the first state with a choice, or
to a goal, and keep only that one; where no operator applies at all, nothing leads to the goal. No plan is lost, and
its cost stays what it is. (The same holds of steps that cost something. But those may lead to a total that is never
looked at.)

    a --push: 1--> b --mark: 0--> c --count: 0--> d --clear: 0--> e --left--> ...        stored: a, b, e
                                                                    --right-> ...

Puzzles that count something, or run a program between two moves, have such chains. In the folding puzzles of the
planning competition of 2023 nineteen of twenty states have one way on. That a state has just one successor is seen
when it is expanded, so where there are no forced steps nothing is looked for.

Not for tasks with a walker or compound moves, whose steps are more than operators.
"""

from __future__ import annotations

from itertools import pairwise

from ...analysis.bitset_kernels import ONE, applies, apply, is_goal
from ...analysis.bitset_task import BitsetTask
from ...models.plan import apply as result_of
from ...models.task import Operator, OperatorTask
from ...runtime.arrays import Words, bit_rows
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import by_type, njit
from .store import facts_of
from .successors import OperatorForm, ProgramForm

# The most forced steps that are followed before a state is stored all the same.
MOST = 1_000

NONE_APPLIES, SEVERAL = -1, -2
"""Results of `only_operator` in place of an operator's number: none applies (a dead end), or two and more do."""


@njit(inner=True)
def only_operator(task: BitsetTask, row: Words) -> int:
    """The operator that applies in a state, if there is just one; else `NONE_APPLIES` or `SEVERAL`."""
    found = long(NONE_APPLIES)
    for w in range(task.words):
        bits = row[w] & task.watched[w]
        while bits:
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = long(task.watch_ops[i])
                if applies(task, op, row):
                    if found >= 0:
                        return SEVERAL
                    found = op
    return found


@njit(inner=True)
def follow_forced(task: BitsetTask, row: Words) -> int:
    """Make the free steps that are forced in a state: `row` becomes the first one without such a step, or a goal, or
    the one after `MOST` steps (there are circles). Gives how many they were; -1: no operator applies in the end.
    """
    for steps in range(MOST):
        if is_goal(task, row):
            return steps
        op = only_operator(task, row)
        if op == NONE_APPLIES:
            return -1
        if op == SEVERAL or task.cost[op] > 0:
            return steps
        apply(task, op, row, row)
    return MOST


@njit(inner=True)
def _of_operators(form: OperatorForm, row: Words) -> int:
    return follow_forced(form.task, row)


@njit(inner=True)
def _of_programs(_form: ProgramForm, _row: Words) -> int:
    return 0


skip_forced = by_type({OperatorForm: _of_operators, ProgramForm: _of_programs})
"""`skip_forced(form, row)`: make the steps that are forced in a state (of programs none), see `follow_forced`."""


def with_forced_steps(task: OperatorTask, packed: BitsetTask, rows: Words) -> Words:
    """A path with the forced states in it that a search did not store: a, b, e becomes a, b, c, d, e if c and d have
    one way on.
    """
    states = [frozenset(facts_of(row.tolist())) for row in rows]
    way = states[:1]
    for before, after in pairwise(states):
        state = before
        while state != after:
            steps = applicable(task, packed, state)
            state = result_of(state, steps[0]) if len(steps) == 1 else after
            way.append(state)
    return bit_rows(way, packed.words)


def applicable(task: OperatorTask, packed: BitsetTask, state: frozenset[int]) -> list[Operator]:
    """The operators that apply in a state."""
    first, watching, operators = packed.watch_first, packed.watch_ops, task.operators
    watched = (operators[n] for fact in sorted(state) for n in watching[first[fact] : first[fact + 1]].tolist())
    return [op for op in watched if state.issuperset(op.pre)]
