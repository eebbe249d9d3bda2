"""Move pruning: pairs of consecutive operators that some shortest plan does without.

Two reasons, both from the operators alone (Burch and Holte, *Automatic move pruning in general single-player
games*, SoCS 2011):

- *redundant*: the pair does nothing, or what one operator does that is no dearer and needs no more. A vehicle that
  goes right and then left again; in the metric `slides`, right by one and then by two, which is right by three;
- *independent*: neither operator changes what the other requires or changes, so both orders do the same. Of two
  vehicles that are not in each other's way, the one of the smaller number goes first.

Every replacement makes the plan shorter, or smaller in a fixed order of the operators at equal length, and none makes
it dearer, in any component of the metric; so some cheapest plan, of the shortest ones, contains no forbidden pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import Operator, OperatorTask
from ..runtime.arrays import bit_rows
from .structure import MovableObject, structure_of

# The most operators of a task with a table of pairs that are pruned, a byte a pair: 64 MB.
MOST_OPERATORS = 8_000

# Operators compared with all others in one NumPy step.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class MovePruning:
    """The forbidden pairs of a task with N operators, which fall into K classes, one for each object that moves.

    `class_of` (N): class numbers; `forbidden` (N, N): `forbidden[a, b]` says that b may not follow a at once.
    """

    class_of: NDArray[np.int32]
    forbidden: NDArray[np.bool_]

    @property
    def classes(self) -> int:
        return int(self.class_of.max(initial=-1)) + 1


def operator_classes(task: OperatorTask) -> NDArray[np.int32]:
    """(N): a class for each operator, 0..K-1: the object as whose move it counts; one more for those that move none.

    Any classes are correct; these make short models, as most forbidden pairs are between whole classes.
    """
    structure = structure_of(task)
    owner = np.where(structure.owner < 0, len(structure.objects), structure.owner)
    _, numbers = np.unique(owner, return_inverse=True)
    return numbers.astype(np.int32)


def find_move_pruning(task: OperatorTask) -> MovePruning | None:
    """The forbidden pairs of a task; None for a task in which no pairs can be found (a walker connects all
    operators).
    """
    count = len(task.operators)
    if task.walker is not None or not 0 < count <= MOST_OPERATORS:
        return None
    class_of = operator_classes(task)
    order = np.lexsort((np.arange(count), class_of))
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    forbidden = ~_interacting(task) & (rank[:, None] > rank[None, :])
    forbidden |= redundant_pairs(task, by_one=True)
    return MovePruning(class_of, forbidden)


def _interacting(task: OperatorTask) -> NDArray[np.bool_]:
    """(N, N): whether one of two operators changes a fact that the other requires or changes."""
    pre, add, delete = _rows(task)
    changed = add | delete
    disturbs = np.concatenate([_common(changed[rows], pre | changed) for rows in _blocks(task)])
    interacting: NDArray[np.bool_] = disturbs | disturbs.T
    return interacting


def redundant_pairs(task: OperatorTask, *, by_one: bool = False) -> NDArray[np.bool_]:
    """(N, N): true at [a, b] if a;b has no net effect, or that of one operator, no dearer, whose preconditions a;b
    needs already.

    Where steps cost differently, and not `by_one`, only pairs without a net effect are found. A plan gets cheaper
    without such a pair, so leaving them out stays right together with a table of the states met; an order of
    independent operators does not (Holte, *Move pruning and duplicate detection*, Canadian AI 2013).
    """
    pre, add, delete = _rows(task)
    redundant = np.zeros((len(pre), len(pre)), np.bool_)
    costs = _costs(task)
    # A random number for each effect: operators of equal effects have equal sums, others nearly never. Sorted by it,
    # the operators that do what a pair does are found by bisection, and then compared in full.
    weights = np.random.default_rng(0).integers(1, 1 << 63, 2 * pre.shape[1], np.uint64)
    effects = np.hstack([add, delete])
    numbers = effects @ weights
    order = np.argsort(numbers)
    barred = _barred(task, delete)
    for rows in _blocks(task):
        # Only an operator b that undoes something of a can make the pair do less than both; and b must not require what
        # is false after a, or it cannot follow.
        linked = _common(add[rows], delete) & ~_common(barred[rows], pre)
        first, second = np.nonzero(linked)
        first += rows.start
        net, needs = _pairs((pre, add, delete), first, second)
        pruned = np.logical_not(net.any(axis=1))
        if task.uniform or by_one:
            wanted = net @ weights
            start, end = (np.searchsorted(numbers, wanted, side, sorter=order) for side in ("left", "right"))
            for nth in range(int((end - start).max(initial=0))):
                pairs = np.flatnonzero(start + nth < end)
                other = order[start[pairs] + nth]
                dearer = (costs[other] > costs[first[pairs]] + costs[second[pairs]]).any(axis=1)
                same = (net[pairs] == effects[other]).all(axis=1) & ~(pre[other] & ~needs[pairs]).any(axis=1)
                pruned[pairs] |= same & ~dearer
        redundant[first, second] = pruned
    return redundant


def _barred(task: OperatorTask, delete: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(N, W): the facts that are false after each operator: what it deletes, and what excludes a fact that is true."""
    words = delete.shape[1]
    rows = np.zeros((len(task.facts), words), np.uint64)
    groups = [group.facts for group in task.groups if group.count == 1]
    for facts, members in zip(groups, bit_rows(groups, words), strict=True):
        rows[list(facts)] |= members
    rows &= ~bit_rows([(fact,) for fact in range(len(task.facts))], words)
    beside = [np.bitwise_or.reduce(rows[list(op.after)], axis=0) for op in task.operators]
    return delete | np.array(beside, np.uint64).reshape(delete.shape)


def _pairs(
    rows: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """(P, 2 W) what pairs of operators add and delete in the end, (P, W) what they require; of `_rows`."""
    pre, add, delete = rows
    gained = (add[first] & ~delete[second]) | (add[second] & ~delete[first])
    lost = (delete[first] & ~add[second]) | (delete[second] & ~add[first])
    return np.hstack([gained, lost]), pre[first] | (pre[second] & ~add[first])


def redundant_pairs_if_few(task: OperatorTask) -> NDArray[np.bool_]:
    """`redundant_pairs`; (0, 0) if operators are too many, or steps are more than operators (walks, compound moves)."""
    few = not (task.walker or task.compound_moves) and len(task.operators) <= MOST_OPERATORS
    return redundant_pairs(task) if few else np.zeros((0, 0), np.bool_)


def _costs(task: OperatorTask) -> NDArray[np.int64]:
    """(N, parts): the costs of the operators."""
    return np.array([op.cost for op in task.operators], np.int64).reshape(-1, len(task.metric))


def _rows(task: OperatorTask) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """(N, W) each: what operators require, add and delete, as rows of bits."""
    words = (len(task.facts) + 63) // 64
    ops = task.operators
    pre, add, delete = [op.pre for op in ops], [op.add for op in ops], [op.delete for op in ops]
    return bit_rows(pre, words), bit_rows(add, words), bit_rows(delete, words)


def _blocks(task: OperatorTask) -> list[slice]:
    """The numbers of all operators in blocks of `BLOCK`."""
    return [slice(first, first + BLOCK) for first in range(0, len(task.operators), BLOCK)]


def _common(some: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(A, B): whether row a of one array of bits shares a bit with row b of the other."""
    common = np.zeros((len(some), len(others)), np.bool_)
    for bits, other in zip(some.T, others.T, strict=True):
        common |= (bits[:, None] & other) != 0
    return common


# Moves that can be made at the same time: what the parallel model of a task needs to know, and how deep a plan is.
#
# Two operators are *independent* if neither deletes or adds what the other requires, deletes or adds. Independent
# operators can be applied in either order, so also in one *parallel step*. A plan of L operators is a partial order,
# and has one normal form as a sequence of parallel steps: every operator as early as the ones that it depends on
# allow (Cartier and Foata, *Problèmes combinatoires de commutation et réarrangements*, 1969; for plans: Heljanko,
# *Bounded reachability checking with process semantics*, CONCUR 2001). In it every operator of step t + 1 depends on
# one of step t. The number of its steps is the plan's *depth*; it is at most L, and far less on a large board: a
# blocker at the left and one at the right get out of the way at the same time.
#
# A task has parallel moves here if its operators move one object each, at a cost that depends on the object alone (a
# lorry three, a car two), and say by where they put it from where what they change: every other fact that an operator
# changes (a cell becomes free) is in a mutex group whose other facts are positions of objects, so it follows from
# where the objects are. Rush Hour and sliding blocks of which no two are interchangeable are such tasks; a Sokoban
# player, who walks between pushes, makes pushes depend on each other.


class Choice(NamedTuple):
    """One operator of an object: from the position `before` to `after`; it requires and `keeps` some facts, requires
    and deletes `takes`, and adds `leaves` (of a vehicle: the cells that it passes over, covers, and uncovers).
    """

    operator: int
    before: int
    after: int
    keeps: tuple[int, ...]
    takes: tuple[int, ...]
    leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ParallelMoves:
    """The M objects of a task and what each can do, by (before, after). `costs` (M): what a move of each costs, in the
    first component, divided by their common divisor.

    `never_twice[i]`: object i does not move twice in a row in a shortest plan, because what two such moves do one
    move does, or none.
    """

    objects: tuple[MovableObject, ...]
    choices: tuple[dict[tuple[int, int], Choice], ...]
    never_twice: tuple[bool, ...]
    costs: tuple[int, ...]

    @classmethod
    def of(cls, task: OperatorTask) -> ParallelMoves | None:
        """The parallel moves of a task; None if it does not have the form that this module needs."""
        return task.computed(_parallel_moves)


def _parallel_moves(task: OperatorTask) -> ParallelMoves | None:
    if task.walker or task.compound_moves:
        return None
    structure = structure_of(task)
    objects = structure.objects
    moved = structure.transitions.operator.tolist()
    # Each operator must move exactly one object, and each object be told from all others.
    if len(moved) != len(task.operators) or len(set(moved)) != len(moved) or any(x.count != 1 for x in objects):
        return None
    positions = {fact for x in objects for fact in x.facts}
    follows = _following(task, positions)
    choices: list[dict[tuple[int, int], Choice]] = [{} for _ in objects]
    for number, owner, before, after in zip(*(c.tolist() for c in structure.transitions), strict=True):
        choice = _choice(task.operators[number], number, before, after)
        derived = all(before in follows.get(f, ()) for f in choice.leaves) and all(
            after in follows.get(f, ()) for f in choice.takes
        )
        # What a move takes and leaves must follow from where objects are, so that layers say it without the operators;
        # and two positions must name one operator.
        if not derived or (before, after) in choices[owner]:
            return None
        choices[owner][before, after] = choice
    unit = task.layer_cost
    costs = [{task.operators[c.operator].cost[0] // unit for c in own.values()} for own in choices]
    # The objective counts moves by object: all moves of one must cost the same, and something.
    if any(len(different) > 1 or 0 in different for different in costs):
        return None
    each = tuple(max(different, default=1) for different in costs)
    return ParallelMoves(objects, tuple(choices), tuple(map(_never_twice, choices)), each)


def _following(task: OperatorTask, positions: set[int]) -> dict[int, set[int]]:
    """For each fact that is no position: the positions that exclude it, in a mutex group that has no other facts."""
    changing = structure_of(task).changing
    follows: dict[int, set[int]] = {}
    for group in task.groups:
        others = [f for f in group.facts if f in changing and f not in positions]
        if group.count == 1 and len(others) == 1:
            follows.setdefault(others[0], set(group.facts) - {others[0]})
    return follows


def _choice(op: Operator, number: int, before: int, after: int) -> Choice:
    return Choice(
        number,
        before,
        after,
        keeps=tuple(f for f in op.pre if f not in op.delete),
        takes=tuple(f for f in op.delete if f != before),
        leaves=tuple(f for f in op.add if f != after),
    )


def _never_twice(choices: dict[tuple[int, int], Choice]) -> bool:
    """Whether any two consecutive moves of an object do what one move does that requires no more, or nothing."""
    needs = {key: frozenset((*choice.keeps, *choice.takes)) for key, choice in choices.items()}
    leaving: dict[int, list[int]] = {}
    for before, after in choices:
        leaving.setdefault(before, []).append(after)
    for (before, after), first in choices.items():
        for end in leaving.get(after, ()):
            # There and back is no move at all; nothing has to be in its place.
            if end == before:
                continue
            if (before, end) not in needs:
                return False
            more = needs[before, end] - needs[before, after]  # what the first move does not ask for, the second does
            if more and not (more <= needs[after, end] and more.isdisjoint(first.leaves)):
                return False
    return True
