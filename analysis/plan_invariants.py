"""Plan invariants: conditions that every plan of a task meets, in a form that encoders can state for each time step.

    parity          every plan has an odd number of steps, or every plan an even one
    potentials      a sum of weights of true facts is at most the steps that are left
    dead sets       facts from which, together, the goal is out of reach
    conflicts       what two or three objects cost together beyond the potentials

They follow from the task, so a model is right without them; they spare the solver finding them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..models.task import Operator, OperatorTask
from ..runtime.budget import Budget
from .bitset_task import BitsetTask, cost_of_key, to_bitset_task
from .box_conflicts import LARGEST, LOST, Conflicts, find_conflicts
from .deadlocks.freeze import Boards, boards
from .heuristics import heuristics
from .hm.tuples import all_sets
from .movable_objects import INFINITE, MovableObjects, find_movable_objects
from .parity import turns, two_colours
from .potentials import (
    OF_FACTS,
    PotentialHeuristic,
    fact_potentials,
    heuristics_of,
    potentials_from_start,
    potentials_to_goal,
)
from .structure import structure_of
from .transformed_tasks import backward

# Conflicts for models: what they add to a potential heuristic, in the initial state and in every layer.
#
# `box_conflicts` proves that disjoint sets of objects add their conflicts to the matching, in any state. A potential
# heuristic h is never above the matching (`potentials`). So with disjoint sets S of a state's objects
#
#     h(state) + sum of conflict(S)  <=  steps that are left.
#
# In the initial state it is known where the walker is, and sets of two to four objects are chosen greedily, as by A*.
# In a layer of a model it is not: there a set of two or three counts with its least conflict, wherever the walker is,
# and only the largest of the sets that are there counts. Sets are kept whose conflict is larger than that of each
# part.

# Conflicts for bounded models are found if their table has at most this many entries: many models are solved in a
# fraction of a second.
MOST_ENTRIES = 20_000_000

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConflictSet:
    """While all these facts (in order) are true, a plan needs `extra` steps more than a potential heuristic says."""

    facts: tuple[int, ...]
    extra: int


def conflict_tables(task: BitsetTask, objects: MovableObjects, boards: Boards, budget: Budget) -> list[Conflicts]:
    """Tables of the conflicts of two, three and four objects: those small enough to be filled in a fraction of a
    second.
    """
    tables: list[Conflicts] = []
    for size in (2, 3, 4):
        if comb(len(objects.fact), size) * len(task.free_bit) > MOST_ENTRIES:
            break
        table = find_conflicts(task, objects, boards, size, budget)
        if not table.unit:
            break
        tables.append(table)
    return tables


def conflict_at_start(task: OperatorTask, objects: MovableObjects, tables: Sequence[Conflicts]) -> int:
    """What the conflicts of disjoint sets of objects add in the initial state: the largest first."""
    if task.walker is None:
        return 0
    at = np.array(sorted(int(objects.place[f]) for f in task.init if objects.place[f] >= 0), np.int64)
    conflicts: list[tuple[int, tuple[int, ...]]] = []
    for table in tables:
        sets = np.array(list(combinations(at.tolist(), table.size)), np.int64).reshape(-1, table.size)
        extra = table.extra[_numbers(table, sets), task.walker.start]
        conflicts += [
            (int(extra[i]), tuple(sets[i].tolist())) for i in np.flatnonzero((extra > 0) & (extra < LOST)).tolist()
        ]
    total, taken = 0, set[int]()
    for extra_of, places in sorted(conflicts, key=lambda conflict: (-conflict[0], len(conflict[1]))):
        if taken.isdisjoint(places):
            taken.update(places)
            total += extra_of
    return total


def conflict_sets(objects: MovableObjects, boards: Boards, tables: Sequence[Conflicts]) -> tuple[ConflictSet, ...]:
    """The sets whose conflict, wherever the walker is, is larger than that of each of their subsets; `LOST` if the goal
    is out of reach.
    """
    if not tables:
        return ()
    places = len(objects.fact)
    alone = boards.dist[0][: places * objects.sides].reshape(places, -1).min(axis=1)
    least = [np.where(alone < INFINITE, 0, LOST), *(table.extra.min(axis=1).astype(np.int64) for table in tables)]
    sets = [all_sets(places, 1 + k)[:, ::-1] for k in range(len(least))]
    parts = [[_numbers(tables[0], np.delete(each, i, axis=1)) for i in range(each.shape[1])] for each in sets]
    # A set is lost, too, if all sets are that it is a part of: one of them is there.
    for k in range(len(tables), 0, -1):
        alive = np.zeros(len(sets[k - 1]), np.bool_)
        for part in parts[k]:
            alive[part[least[k] < LOST]] = True
        least[k - 1][~alive] = LOST
    minimal: list[ConflictSet] = []
    for k in range(1, len(least)):
        of_parts = np.max([least[k - 1][part] for part in parts[k]], axis=0)
        for which in np.flatnonzero(least[k] > of_parts).tolist():
            facts = objects.fact[sets[k][which]].tolist()
            minimal.append(ConflictSet(tuple(sorted(facts)), int(least[k][which])))
        least[k] = np.maximum(least[k], of_parts)
    return tuple(sorted(minimal, key=lambda one: (len(one.facts), one.facts)))


def in_layers(sets: Sequence[ConflictSet]) -> tuple[ConflictSet, ...]:
    """Of these sets those of two and three objects that are not lost: a model states them for each layer."""
    return tuple(one for one in sets if len(one.facts) < LARGEST and one.extra < LOST)


def _numbers(table: Conflicts, sets: Numbers) -> Numbers:
    """The numbers of sets of places in a table of sets of that size."""
    total: Numbers = sum((table.choose[sets[:, i], i + 1] for i in range(sets.shape[1])), np.zeros(len(sets), np.int64))
    return total


# What moves must alternate between: the parity of all plans, and facts that are true after every second step only.
#
# A chessboard colouring of positions, as in the proof that the 14-15 puzzle has no solution (Johnson and Story,
# *Notes on the "15" puzzle*, American Journal of Mathematics 1879). If every operator takes one object from a
# position of one colour to one of the other, each step changes the number of objects on odd positions by one. So
# where the goal says of all objects where they end, every plan has an odd number of steps, or every plan an even one.


def plan_parity(task: OperatorTask) -> int | None:
    """The parity that the numbers of steps of all plans share (0 or 1); None if it is not known.

    Known if each operator makes one move, of the objects as whose moves operators count, these moves can be coloured,
    and the goal names a position for each member of those objects. (Others, such as the blank, may move along.)
    """
    structure = structure_of(task)
    by_object = structure.transitions_by_object()
    moves = sorted(move for number in structure.owners for move in by_object[number])
    if [operator for operator, _, _ in moves] != list(range(len(task.operators))):
        return None
    colour = two_colours(len(task.facts), [(before, after) for _, before, after in moves])
    if colour is None:
        return None
    moved = [structure.objects[number] for number in structure.owners]
    positions = {fact for movable in moved for fact in movable.facts}
    ends = [clause[0] for clause in task.goal if len(clause) == 1 and clause[0] in positions]
    if any(len(set(movable.facts).intersection(ends)) != movable.count for movable in moved):
        return None
    return sum(colour[f] for f in (*positions.intersection(task.init), *ends)) % 2


# Parts of a goal from which on models of `cp-sat` state potentials of facts. With fewer: bird-1, nothing saved, 12
# ms.
LEAST_GOALS = 3


@dataclass(frozen=True, slots=True)
class Invariants:
    """`to_goal`: bounds on the steps from a state to the goal; `from_start`: on those from the initial state;
    `of_facts`: further ones to the goal, by a linear program, where they say more of the initial state.

    `dead`: sets of two to four facts (in order) from which the goal is out of reach. `conflicts`: sets of two or three
    facts with an `extra`, of which the largest of a set that is true adds to each bound of `to_goal`;
    `conflicts_from_start`: the same for `from_start`; `conflict_at_start`: what disjoint sets of up to four objects add
    to `to_goal` in the initial state. `parity`: if known, the number of steps of every plan modulo 2. `colour`: for
    facts that are true in turns only, the parity of the steps after which they can be. `start`: the walker's cell in
    the initial state, -1 without one.
    """

    to_goal: tuple[PotentialHeuristic, ...] = ()
    from_start: tuple[PotentialHeuristic, ...] = ()
    of_facts: tuple[PotentialHeuristic, ...] = ()
    dead: tuple[tuple[int, ...], ...] = ()
    conflicts: tuple[ConflictSet, ...] = ()
    conflicts_from_start: tuple[ConflictSet, ...] = ()
    conflict_at_start: int = 0
    parity: int | None = None
    colour: dict[int, int] | None = None
    start: int = -1

    def lower_bound(self, init: tuple[int, ...]) -> int:
        """The least number of steps that a plan can have."""
        bound = max((linear.value(init, self.start) for linear in self.to_goal), default=0)
        other = max((linear.value(init) for linear in self.of_facts), default=0)
        return self.next_length(max(max(0, bound) + self.conflict_at_start, other))

    @property
    def bound_by(self) -> str:
        """The name, in words, of the argument that proves the lower bound."""
        if self.of_facts:
            return OF_FACTS
        return f"{MATCHING}, and conflicts of two to four of them" if self.conflict_at_start else MATCHING

    def progress(self, operators: Iterable[Operator]) -> list[int]:
        """By how much each operator changes the first bound to the goal: -1 is a step nearer."""
        if not (first := (*self.to_goal, *self.of_facts)[:1]):
            return [0 for _ in operators]
        bound = first[0]
        walks = ((op, op.walk or (-1, -1)) for op in operators)
        return [bound.value(op.add, there) - bound.value(op.delete, here) for op, (here, there) in walks]

    def if_informative(self, init: tuple[int, ...], bound: int) -> Invariants:
        """Without potential heuristics that are far below another `bound` in the initial state: they would exclude
        nothing.
        """
        if 2 * self.lower_bound(init) >= bound:
            return self
        return Invariants(dead=self.dead, parity=self.parity, colour=self.colour, start=self.start)

    def next_length(self, steps: int) -> int:
        """The least number of steps, not less than `steps`, that a plan can have by its parity."""
        return steps if self.parity is None else steps + (steps - self.parity) % 2


# The invariants of a task of which nothing is known.
NOTHING_KNOWN = Invariants()


# The name, in words, of the proof of bounds from distances of single objects.
MATCHING = "matching of movable objects to goal places, each at its distance alone"


def find_invariants(
    task: OperatorTask,
    budget: Budget,
    on_bound: Callable[[int, str], object] = lambda _bound, _by: None,
    without: frozenset[str] = frozenset(),
) -> Invariants:
    """The invariants of a task all of whose steps are single operators that cost one each (in the first component).

    What is cheap comes first: `on_bound` gets each lower bound and what proves it before the deadlock tables are
    filled, which can take all of the budget on a large board. `without`: the heuristics `matching`, `conflicts`,
    `fact-potentials` and `dead-sets`, and the rules `parity` and `from-start` may be left out.
    """
    if not stepwise(task):
        return NOTHING_KNOWN
    invariants = without_tables(task, without)
    on_bound(invariants.lower_bound(task.init), invariants.bound_by)
    if "fact-potentials" not in without and len(task.goal) >= LEAST_GOALS:
        invariants = _with_potentials_of_facts(invariants, task)
        on_bound(invariants.lower_bound(task.init), invariants.bound_by)
    objects = find_movable_objects(task)
    if not objects.count:
        return invariants
    packed = to_bitset_task(task)
    made = boards(packed, objects)
    if not made.freezes:
        return invariants
    tables = conflict_tables(packed, objects, made, budget)
    sets = conflict_sets(objects, made, tables)
    if "dead-sets" not in without:
        invariants = replace(invariants, dead=tuple(one.facts for one in sets if one.extra == LOST))
    if invariants.to_goal and "conflicts" not in without:
        at_start = conflict_at_start(task, objects, tables)
        invariants = replace(invariants, conflicts=in_layers(sets), conflict_at_start=at_start)
        on_bound(invariants.lower_bound(task.init), invariants.bound_by)
        if "from-start" not in without:
            invariants = _with_way_behind(invariants, task, budget)
    return invariants


def stepwise(task: OperatorTask) -> bool:
    """Whether steps are single operators that cost one each in the first component, and the goal is not empty."""
    if task.compound_moves or not task.operators or not task.goal:
        return False
    return all(op.cost[0] == 1 for op in task.operators)


def without_tables(task: OperatorTask, without: frozenset[str] = frozenset()) -> Invariants:
    """Parity and potentials, which take a moment; `without` as for `find_invariants`."""
    invariants = task.computed(_cheap)
    if "parity" in without:
        invariants = replace(invariants, parity=None, colour=None)
    if "matching" in without:
        invariants = replace(invariants, to_goal=(), from_start=())
    return replace(invariants, from_start=()) if "from-start" in without else invariants


def _cheap(task: OperatorTask) -> Invariants:
    packed, objects = to_bitset_task(task), find_movable_objects(task)
    start = task.walker.start if task.walker else -1
    timing = Invariants(parity=plan_parity(task), colour=turns(task), start=start)
    if not objects.count:
        return timing
    return replace(
        timing,
        to_goal=potentials_to_goal(task, packed, objects),
        from_start=potentials_from_start(task, objects),
    )


def _with_potentials_of_facts(invariants: Invariants, task: OperatorTask) -> Invariants:
    """What was found, with potentials of facts if these say more of the initial state."""
    more = replace(invariants, of_facts=heuristics_of(task.computed(fact_potentials)))
    return more if more.lower_bound(task.init) > invariants.lower_bound(task.init) else invariants


def _with_way_behind(invariants: Invariants, task: OperatorTask, budget: Budget) -> Invariants:
    """With bounds on the steps from the initial state as good as those to the goal: those to the goal of the task
    backward. They tell the sides on which a walker pulls from, and conflicts.

    Microban 122, from the start to the goal state: 70 pushes, 62 by distances that know no sides. Then 84 pushes are
    refuted with 184 conflicts of the solver (decided from the last step backward), and with 85,000 without.
    """
    turned = backward(task)
    if turned is None:
        return invariants
    packed, objects = to_bitset_task(turned), find_movable_objects(turned)
    made = boards(packed, objects)
    potentials = potentials_to_goal(turned, packed, objects)
    if not potentials or not made.freezes:
        return invariants
    sets = conflict_sets(objects, made, conflict_tables(packed, objects, made, budget)[:2])
    return replace(invariants, from_start=potentials, conflicts_from_start=in_layers(sets))


# Lower bounds on the cost of every plan that are known before any search, by the heuristics that have one.


def root_bounds(task: OperatorTask, without: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Each bound in the first component of the metric, with what proves it, the cheapest to compute first.

    They are the `root` of every heuristic, then the matching as potentials, with parity. `without`: the names of
    heuristics that are left out, and `parity`.
    """
    for name, heuristic in heuristics().items():
        if heuristic.root is not None and name not in without:
            key = heuristic.root.of(task)
            if key > 0:  # -1, a dead end, is left to the search
                yield cost_of_key(key, len(task.metric))[0], heuristic.root.words
    if stepwise(task):
        invariants = without_tables(task, without)
        yield invariants.lower_bound(task.init), invariants.bound_by
