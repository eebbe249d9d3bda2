"""Domain transition graphs: a task as one movable object sees it that is alone on the board.

The nodes are the object's positions; an arc says that an operator leads from one to another (Helmert, *The Fast
Downward planning system*, JAIR 2006, section 5.2). Distances in the graph never exceed the true cost, and the graphs
of several objects make pattern databases (`analysis.pattern_databases`).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..models.task import OperatorTask
from .bitset_task import cost_key
from .structure import structure_of

# Which facts of a group may be true in a goal state, derived from the groups and one goal clause at a time.


class GoalPositions(NamedTuple):
    """The goal's condition on a group: the facts that may be true in a goal state, and clauses that each need one of
    them.

    The clauses have no fact in common, so each needs a fact of its own.
    """

    allowed: frozenset[int]
    clauses: tuple[frozenset[int], ...]


def false_at_goal(task: OperatorTask) -> set[int]:
    """The facts that are false in every goal state: all facts of some clause exclude them."""
    structure = structure_of(task)
    false: set[int] = set()
    for clause in task.goal:
        # Some fact of the clause is true, we do not know which: false is only what all of them exclude.
        false |= set(range(len(task.facts))).intersection(*(structure.excluded_by(fact) for fact in clause))
    return false


def goal_positions(task: OperatorTask, facts: Sequence[int], count: int, false: Set[int]) -> GoalPositions:
    """What the goal asks of the facts of a group with `count` true ones; `false` as in `false_at_goal`.

    Where the clauses are as many as the true facts, those stand in the clauses: nothing else is allowed.
    """
    members = set(facts)
    clauses: list[frozenset[int]] = []
    taken: set[int] = set()
    for clause in task.goal:
        # A clause that shares a fact with one taken before might be met by the same object.
        if members.issuperset(clause) and taken.isdisjoint(clause):
            clauses.append(frozenset(clause))
            taken.update(clause)
    allowed = members - false
    return GoalPositions(frozenset(allowed & taken if len(clauses) >= count else allowed), tuple(clauses))


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc of a transition graph: `operator` moves the object from position `before` to position `after`."""

    operator: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class TransitionGraph:
    """The transition graph of a movable object, or of `count` interchangeable ones; `group` is their group's number.

    `facts` are the positions. `operators` are those that count as moves of this object (each operator does for one
    object at most); `arcs` are all ways in which an operator moves it. `ends`: the positions that it may have in a goal
    state; all of them, if the goal asks nothing of it.
    """

    group: int
    facts: tuple[int, ...]
    count: int
    operators: frozenset[int]
    arcs: tuple[Arc, ...]
    ends: frozenset[int]

    @property
    def has_goal(self) -> bool:
        return len(self.ends) < len(self.facts)

    def steps_to_goal(self) -> dict[int, int]:
        """For each position from which arcs lead to one of `ends`, the least number of arcs."""
        return steps_to(self.ends, ((arc.before, arc.after) for arc in self.arcs))


def steps_to(ends: Iterable[int], arcs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For each node from which arcs (before, after) lead to one of `ends`, the least number of arcs."""
    entered: dict[int, list[tuple[int, int]]] = {}
    for before, after in arcs:
        entered.setdefault(after, []).append((before, 1))
    return {node: steps for steps, node in nearest_first(ends, entered)}


def nearest_first(ends: Iterable[int], entered: Mapping[int, Sequence[tuple[int, int]]]) -> Iterator[tuple[int, int]]:
    """Each node from which an end is reached, with the least cost, the nearest first (Dijkstra's algorithm, backward).

    `entered`: for each node the nodes from which a step leads there, each with what the step costs.
    """
    queue = [(0, node) for node in sorted(ends)]
    done: set[int] = set()
    while queue:
        cost, node = heapq.heappop(queue)
        if node not in done:
            done.add(node)
            yield cost, node
            for before, step in entered.get(node, ()):
                if before not in done:
                    heapq.heappush(queue, (cost + step, before))


@dataclass(frozen=True, slots=True)
class TransitionGraphs:
    """The graphs of a task's objects. `apart`: whether every operator moves exactly one of them, so that each move can
    be counted for one object while the rest of the state is left out.
    """

    graphs: tuple[TransitionGraph, ...]
    apart: bool


def transition_graphs(task: OperatorTask) -> TransitionGraphs:
    """The graphs of the objects as whose moves operators count, without those that neither move nor have a goal.

    Operators that can never apply are left out.
    """
    return task.computed(_transition_graphs)


def _transition_graphs(task: OperatorTask) -> TransitionGraphs:
    structure = structure_of(task)
    possible = relaxation(task).operators
    owner, moves = structure.owner.tolist(), structure.transitions_by_object()
    false = false_at_goal(task)
    moved = np.zeros(len(task.operators), np.int64)
    graphs = []
    for number in structure.owners:
        movable = structure.objects[number]
        arcs = tuple(Arc(*move) for move in moves[number] if move[0] in possible)
        np.add.at(moved, [arc.operator for arc in arcs], 1)
        graph = TransitionGraph(
            group=movable.group,
            facts=movable.facts,
            count=movable.count,
            operators=frozenset(arc.operator for arc in arcs if owner[arc.operator] == number),
            arcs=arcs,
            ends=goal_positions(task, movable.facts, movable.count, false).allowed,
        )
        if graph.arcs or graph.has_goal:
            graphs.append(graph)
    return TransitionGraphs(tuple(graphs), bool((moved[sorted(possible)] == 1).all()))


def single_distances(task: OperatorTask, graph: TransitionGraph) -> dict[int, int]:
    """For each fact of an object the least cost (as a key) of its own operators to where it may end; -1 for none.

    With interchangeable objects, each of them has to end in one of these facts, so that their costs add.
    """
    compound = min(cost_key(op.cost) for op in task.operators) if task.compound_moves else None
    moved = Counter(arc.operator for arc in graph.arcs)
    entered: dict[int, list[tuple[int, int]]] = {}
    for arc in graph.arcs:
        # An operator that moves several objects of one group pays for none of them.
        own = arc.operator in graph.operators and moved[arc.operator] == 1
        cost = cost_key(task.operators[arc.operator].cost) if own else 0
        entered.setdefault(arc.after, []).append((arc.before, cost))
    # A compound move costs one operator, however many its path has.
    distance = {
        fact: cost if compound is None else min(cost, compound) for cost, fact in nearest_first(graph.ends, entered)
    }
    return {fact: distance.get(fact, -1) for fact in graph.facts}


def root_value(task: OperatorTask) -> int:
    """The bound of single objects on the cost from the initial state, as a key: each at its distance alone, added up.

    -1 if one cannot get to where it may end. It needs no compiled code.
    """
    total = 0
    for graph in transition_graphs(task).graphs:
        distances = single_distances(task, graph) if graph.has_goal else {}
        own = [distances[fact] for fact in task.init if fact in distances]
        if -1 in own:
            return -1
        total += sum(own)
    return total


# The delete relaxation of a task: what could ever become true if nothing that is true ever became false.
#
#     reached = init;  while an operator has all its preconditions in `reached`:  reached |= its added facts
#
# What is true in some state of the puzzle is reached here (Bonet and Geffner, *Planning as heuristic search*, 2001).
# So an operator that does not apply here never applies, and a goal that is not reached here is never reached. That it
# is reached here proves nothing: a vehicle that has left its cell counts as standing there still, and the cell as
# free. The time is linear in the number of all preconditions.
#
# A walker gets wherever cells can be free: from its start, and from where any operator leaves it.


@dataclass(frozen=True, slots=True)
class Relaxation:
    """`facts` that can become true, and the indices of `operators` that can apply, when nothing becomes false."""

    facts: frozenset[int]
    operators: frozenset[int]


def relaxation(task: OperatorTask) -> Relaxation:
    """What is reached in the delete relaxation from the initial state."""
    # lacking[i]: how many preconditions of operator i are not reached yet, and one more for the cell from which a
    # walker makes it. At 0 the operator applies; each fact and each cell is counted off once (as unit propagation
    # counts literals).
    requiring: list[list[int]] = [[] for _ in task.facts]
    starting: dict[int, list[int]] = {}
    lacking = []
    for index, op in enumerate(task.operators):
        for fact in op.pre:
            requiring[fact].append(index)
        if op.walk:
            starting.setdefault(op.walk[0], []).append(index)
        lacking.append(len(op.pre) + (op.walk is not None))
    reached, applied, stood = set(task.init), [i for i, count in enumerate(lacking) if not count], set[int]()
    facts, cells = list(task.init), [task.walker.start] if task.walker else []
    free, neighbours = (task.walker.free, task.walker.neighbours) if task.walker else ((), ())
    free_cells: dict[int, list[int]] = {}
    for cell, fact in enumerate(free):
        free_cells.setdefault(fact, []).append(cell)
    operators: set[int] = set()

    def met(index: int) -> None:
        lacking[index] -= 1
        if not lacking[index]:
            applied.append(index)

    while facts or cells or applied:
        if facts:  # one more fact: what requires it, and cells that can be walked on now
            fact = facts.pop()
            for index in requiring[fact]:
                met(index)
            cells += [cell for cell in free_cells.get(fact, ()) if not stood.isdisjoint(neighbours[cell])]
        elif cells:  # one more cell: what is made from there, and its neighbours
            cell = cells.pop()
            if cell in stood:
                continue
            stood.add(cell)
            for index in starting.get(cell, ()):
                met(index)
            cells += [near for near in neighbours[cell] if free[near] in reached]
        else:
            op = task.operators[applied[-1]]
            operators.add(applied.pop())
            new = [fact for fact in op.add if fact not in reached]
            reached.update(new)
            facts += new
            if op.walk and op.walk[1] not in stood:
                cells.append(op.walk[1])
    return Relaxation(frozenset(reached), frozenset(operators))
