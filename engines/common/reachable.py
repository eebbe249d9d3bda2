"""The reachable states of a task: how many, how deep, how far from the goal; the best steps from here; and how hard it
may be for people.

`explore` visits every state that can be reached, breadth-first, then looks at the edges between them, and measures the
distance of each state to the goal backward along the edges. Edges need not be reversible: from some states no way
may lead to the goal any more (Sokoban).

`hint` goes only as deep as the nearest goal, and backward through the layers to all first steps of shortest plans.

Both need tasks in which every step costs one. Where walking is free, the states that differ only in where
the walker stands within its region are one. Who visits the states is an `Exploration`: compiled kernels
(`stored_states.StoredStates`), or plain Python where there are few (`plain_reachable.PlainStates`).

Jarušek and Pelánek (*What determines difficulty of transport puzzles?*, FLAIRS 2011; *Difficulty rating of Sokoban
puzzle*, STAIRS 2010) measured how long people take for Sokoban, Rush Hour and n-puzzles: the length of the plan alone
says little, moves that lead away from the goal and ways that lead nowhere say more. docs/generating.md has each number
with an example.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.transformed_tasks import with_explicit_walker
from ...analysis.transition_graphs import TransitionGraph, transition_graphs
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.program import ProgramVariable, by_form
from ...models.puzzle import Puzzle
from ...models.task import Task
from ...runtime.arrays import Flags, Ints
from ...runtime.budget import Budget
from ...runtime.events import LayerDone, Progress
from ...runtime.outcome import StoppedError

VISITING = "visiting all states"


@dataclass(frozen=True, slots=True)
class Features:
    """Measures of difficulty, counted on the graph of all states from the start of the puzzle.

    `branching`: steps that apply in a state, the mean over all states. `shortest_plans`: their number, as ways from
    state to state. `near_dead_ends`: of the steps that apply in states of shortest plans, the share that leads to
    a dead end. `pieces_moved`: objects that the first shortest plan moves, and `detours`: its steps after which the
    objects of the goal are farther from it than before, each as if it were alone on the board. (Where actions are
    programs, the objects are the variables.)
    """

    branching: float
    shortest_plans: int
    near_dead_ends: float
    pieces_moved: int
    detours: int


@dataclass(frozen=True, slots=True)
class Space:
    """The states that were reached. `layers[d]` of them are d steps from the initial state.

    With `stopped_by` the numbers count what was seen before the limit, and the fields from `distances` on are
    empty. `distances[d]` states are d steps from the goal; `distance` is the initial state's, None if no way
    leads to the goal; `dead_ends` states have no way there. `farthest` leads to a state that is farthest from the
    goal, None if none can reach it.
    """

    states: int
    layers: tuple[int, ...]
    goals: int
    stopped_by: str | None = None
    distances: tuple[int, ...] = ()
    distance: int | None = None
    dead_ends: int | None = None
    farthest: Plan | None = None
    features: Features | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """The distance to the goal, and every step that a shortest plan can start with, each as a plan of its own.

    `distance` is None without a way to the goal, or if a limit was reached; then no goal is nearer than `bound`.
    """

    distance: int | None
    bound: int
    steps: tuple[Plan, ...]
    states: int
    stopped_by: str | None = None


def unit_cost_task(puzzle: Puzzle, metric: str) -> Task:
    """The puzzle's task, of operators or programs, if every step costs one. Raises `UsageError` if not."""
    task = puzzle.form(metric)
    if task.walker and not task.uniform:
        task = by_form(task, with_explicit_walker, lambda task: task)
    if not task.uniform or len(task.metric) > 1:
        others = [name for name in puzzle.metrics if "," not in name and name != metric]
        raise UsageError(
            f"{puzzle.header.name}: `{metric}` is not supported here, only metrics in which every step costs one"
            + (f"; try `--metric {'` or `--metric '.join(others)}`" if others else "")
        )
    return task


# The most edges of a graph of states whose features are counted, in a third of a second: no limit is looked at
# meanwhile.
MOST_EDGES = 3_000_000

Graph = tuple[NDArray[np.int64], NDArray[np.int32]]
"""(first, sources): the steps that lead to state t come from sources[first[t]:first[t + 1]]."""


class Column(NamedTuple):
    """A variable in all states: for each state the number of its value, of the `size` that the variable can have."""

    size: int
    value: NDArray[np.int64]


def column_of(variable: ProgramVariable, values: Sequence[int] | NDArray[np.int64]) -> Column:
    """The column of a variable, from its value in each state."""
    return Column(len(variable.values), np.searchsorted(np.array(variable.values, np.int64), np.asarray(values)))


class Exploration(ABC):
    """The reachable states of a task by number, met layer by layer: 0 is the initial one, and `ends[d]` are at most d
    steps away.
    """

    def __init__(self, task: Task, budget: Budget, progress: Progress) -> None:
        self.task, self.budget, self.progress = task, budget, progress
        self.ends = [1]

    @property
    @abstractmethod
    def count(self) -> int:
        """The states met so far."""

    @abstractmethod
    def visit(self) -> str | None:
        """Visit the states one step from the last layer. Gives the reason if a limit stops it."""

    def next_layer(self) -> str | None:
        """Visit the states one step from the last layer; if there are no new ones, no layer is added.

        Gives the reason if a limit stops it.
        """
        reason = self.visit()
        if not reason and self.count > self.ends[-1]:
            self.ends.append(self.count)
            self.progress(LayerDone(seconds=self.budget.elapsed, depth=len(self.ends) - 1, states=self.count))
        return reason

    def visit_all(self) -> None:
        """Visit all states. Raises `StoppedError` at a limit."""
        depth = 0
        while len(self.ends) > depth:
            depth = len(self.ends)
            self.stop(self.next_layer())

    def stop(self, reason: str | None, known: str = "") -> None:
        """Raise `StoppedError` if there is a reason. `known`: what is known of the task by then, in words."""
        if reason:
            raise StoppedError(reason, f"{VISITING}, {self.count:,} so far{known}")

    @abstractmethod
    def is_goal(self, start: int) -> Flags:
        """For each state from `start` on whether the goal holds in it."""

    def goals(self, start: int = 0) -> Flags:
        """For each state from `start` on whether it is a goal."""
        if self.task.unsolvable_because:  # its goal may be empty
            return np.zeros(self.count - start, np.bool_)
        return self.is_goal(start)

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The edges between all states, by their targets. Raises `StoppedError` at a limit."""

    @abstractmethod
    def distances(self, at_goal: Flags) -> Ints:
        """The distance of each state to the goal, -1 where no way leads to one. Raises `StoppedError` at a limit."""

    @abstractmethod
    def lead(self, leads: Flags, depth: int) -> None:
        """Mark the states of a layer from which an edge goes to a state of the next layer that is marked. Raises
        `StoppedError` at a limit.
        """

    @abstractmethod
    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""

    @abstractmethod
    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""

    @abstractmethod
    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""

    @abstractmethod
    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""


def explore(states: Exploration) -> Space:
    """Visit every reachable state of a task in which every step costs one."""
    try:
        states.visit_all()
        at_goal = states.goals()
        return space_of(states, at_goal, states.graph, states.distances(at_goal))
    except StoppedError as stop:
        unfinished = [states.count] if states.count > states.ends[-1] else []
        layers = tuple(np.diff([0, *states.ends, *unfinished]).tolist())
        return Space(states.count, layers, int(states.goals().sum()), stop.reason)


def hint(states: Exploration) -> Hint:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    if states.task.holds(states.task.init):
        return Hint(0, 0, (), 1)
    ends, leads = states.ends, np.zeros(0, np.bool_)
    while not leads.any():
        depth = len(ends)
        reason = states.next_layer()
        if reason or len(ends) == depth:
            return Hint(None, depth, (), states.count, reason)
        leads = np.zeros(states.count, np.bool_)
        leads[ends[-2] :] = states.goals(ends[-2])
    # Backward through the layers: a state leads on if an edge goes from it to one of the next layer that does.
    try:
        for d in range(depth - 1, 0, -1):
            states.lead(leads, d)
    except StoppedError as stop:
        return Hint(None, depth, (), states.count, stop.reason)
    steps = tuple(states.plan_to(int(i) + 1) for i in np.flatnonzero(leads[1 : ends[1]]))
    return Hint(depth, depth, steps, states.count)


def space_of(found: Exploration, at_goal: NDArray[np.bool_], graph: Graph, away: NDArray[np.int32]) -> Space:
    """The `Space` of a task, from its reachable states, the steps between them and their distances to the goal (-1: no
    way).
    """
    solvable, most = bool(away[0] >= 0), int(away.max())
    return Space(
        len(away),
        tuple(np.diff([0, *found.ends]).tolist()),
        int(at_goal.sum()),
        distances=tuple(np.bincount(away[away >= 0]).tolist()),
        distance=int(away[0]) if solvable else None,
        dead_ends=int((away < 0).sum()),
        farthest=found.plan_to(int(away.argmax())) if most >= 0 else None,
        features=features(found, int(at_goal.argmax()), graph, away) if solvable else None,
    )


def features(found: Exploration, goal: int, graph: Graph, away: NDArray[np.int32]) -> Features | None:
    """The features of a task whose initial state has a plan; `goal` is the nearest goal. None if there are too many
    steps between its states.
    """
    first, sources = graph
    edges = int(first[-1])
    if edges > MOST_EDGES:
        return None
    sources = sources[:edges]
    targets = np.repeat(np.arange(len(away), dtype=np.int32), np.diff(first))
    # 1. Steps that come nearer to the goal, each once, from far to near: ways to the states of shortest plans.
    nearer = (away[targets] >= 0) & (away[sources] == away[targets] + 1)
    pairs = np.unique(np.stack([targets[nearer], sources[nearer]]), axis=1)
    pairs = pairs[:, np.argsort(-away[pairs[0]], kind="stable")]
    order = -away[pairs[0]]
    on_path = np.zeros(len(away), np.bool_)
    on_path[0] = True
    for level in range(int(away[0]) - 1, -1, -1):
        nearer, farther = pairs[:, slice(*np.searchsorted(order, (-level, -level + 1)))]
        on_path[nearer[on_path[farther]]] = True
    ways = {0: 1}
    for nearer, farther in pairs[:, on_path[pairs[1]]].T.tolist():
        ways[nearer] = ways.get(nearer, 0) + ways[farther]
    # 2. Steps from there that nothing leads back from.
    from_path = on_path[sources] & (away[sources] > 0)
    lost = int((away[targets[from_path]] < 0).sum())
    # 3. What moves on a shortest plan, and when it moves away from where it has to be.
    way = found.way_to(goal)
    moved, detours = by_form(
        found.task,
        lambda task: _of_objects(transition_graphs(task).graphs, [found.facts_of(number) for number in way]),
        lambda _: _of_variables(found.columns(), way, sources, targets, away == 0),
    )
    return Features(
        branching=edges / len(away),
        shortest_plans=sum(number for state, number in ways.items() if away[state] == 0),
        near_dead_ends=lost / max(1, int(from_path.sum())),
        pieces_moved=moved,
        detours=detours,
    )


def _of_objects(graphs: Sequence[TransitionGraph], path: Sequence[frozenset[int]]) -> tuple[int, int]:
    """The objects that move on a path, and its steps after which they are farther from their goals."""
    return sum(_moved(graph, path) for graph in graphs), _detours(graphs, path)


def _moved(graph: TransitionGraph, path: Sequence[frozenset[int]]) -> int:
    """The number of objects that move on a path. Interchangeable objects are followed from place to place."""
    facts = frozenset(graph.facts)
    here = {place: number for number, place in enumerate(sorted(facts & path[0]))}
    moved = set()
    for before, after in pairwise(path):
        gone, come = sorted((before - after) & facts), sorted((after - before) & facts)
        for old, new in zip(gone, come, strict=False):
            here[new] = here.pop(old)
            moved.add(here[new])
    return len(moved)


def _detours(graphs: Iterable[TransitionGraph], path: Sequence[frozenset[int]]) -> int:
    """The steps of a path after which the objects with a goal are farther from it, all together."""
    left = [0] * len(path)
    for graph in graphs:
        if graph.has_goal:
            far = graph.steps_to_goal()
            for number, state in enumerate(path):
                left[number] += sum(far.get(fact, 0) for fact in state)
    return sum(after > before for before, after in pairwise(left))


def _of_variables(
    columns: Iterable[Column],
    way: Sequence[int],
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    at_goal: NDArray[np.bool_],
) -> tuple[int, int]:
    """The variables that change on a way, and its steps after which they are farther from their values at goals.

    A variable is as far from there as in the graph of its values alone, whose arcs are the steps between all states.
    """
    moved, left = 0, np.zeros(len(way), np.int64)
    for size, value in columns:
        on_way = value[way]
        moved += int((on_way != on_way[0]).any())
        ends = np.unique(value[at_goal])
        if len(ends) < len(np.unique(value)):
            arcs = np.unique(value[sources] * size + value[targets])
            left += _steps_to(ends, np.stack(np.divmod(arcs, size)), size)[on_way]
    return moved, int((np.diff(left) > 0).sum())


def _steps_to(ends: NDArray[np.int64], arcs: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """For each of `size` values the least number of arcs (before, after) to one of `ends`; 0 where no way leads
    there.
    """
    steps = np.full(size, -1, np.int64)
    steps[ends], depth = 0, 0
    while True:
        new = arcs[0][(steps[arcs[1]] == depth) & (steps[arcs[0]] < 0)]
        if not len(new):
            return np.maximum(steps, 0)
        depth += 1
        steps[new] = depth
