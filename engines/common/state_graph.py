"""All reachable states of a task with every step between them, as arrays: for questions about all plans at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...analysis.bitset_task import to_bitset_task
from ...analysis.index_heap import lower, take_least
from ...analysis.transformed_tasks import with_explicit_walker
from ...models.families.custom.puzzle import Act
from ...models.moves import Move
from ...models.plan import Plan
from ...models.program import ProgramAction, ProgramTask, by_form
from ...models.task import GroupKind, Operator, OperatorTask, Task
from ...runtime.arrays import Flags, Ints, Longs
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.events import Progress, Stage
from ...runtime.kernel_calls import njit
from .plans import compound_move
from .reachable import VISITING
from .store import facts_of
from .stored_states import Edges, StoredStates

# Compiled kernels over a graph whose edges have costs: least costs from some states, and what can be reached.

FAR = 1 << 60
"""The cost of a node that cannot be reached: more than any cost."""


@njit()
def least_costs(
    edges: tuple[Longs, Ints, Ints],
    weight: Longs,
    spots: tuple[Ints, Ints, int],
    scratch: tuple[Ints, Ints, Ints],
    height: int,
    key: Longs,
) -> None:
    """Write the least cost of each node to `key`, from the `height` nodes on the stack (Dijkstra; free edges at once).

    `edges` is (first, targets, steps): those of state s are first[s]:first[s + 1]. A node is a state with the spot of
    one object that is followed: that of state s with spot p is s * count + p, where `spots` is (left, came, count).
    Step i costs weight[i] if the object stands at left[i], and then takes it to came[i]; else it costs nothing. With
    one spot, left[i] is 0 for a step that costs something, and -1 for another. `scratch`: the heap, places in it (-1),
    and a stack, each with an entry for each node. `key`: FAR everywhere but on the stack.
    """
    first, targets, steps = edges
    left, came, count = spots
    heap, place, stack = scratch
    size = long(0)
    while height > 0 or size > 0:
        # 1. The next node: what free edges lead to comes first, for it costs no more than what is at hand.
        if height > 0:
            height -= 1
            node = long(stack[height])
        else:
            node = take_least(key, heap, place, size)
            size -= 1
        value = key[node]
        state = node // count
        spot = node - state * count
        for edge in range(first[state], first[state + 1]):
            # 2. The edge's cost, and the spot of the object behind it: only steps that move the object count.
            step = steps[edge]
            then, other = value, long(targets[edge]) * count + spot
            if left[step] == spot:
                then = value + weight[step]
                other += came[step] - spot
            if key[other] <= then:
                continue
            # 3. By a free edge to the stack; else to the heap, or up in it.
            if then == value and place[other] < 0:
                key[other] = then
                stack[height] = other
                height += 1
            else:
                size = lower(key, heap, place, size, other, then)


@njit()
def spread(edges: tuple[Longs, Ints, Ints], passes: Flags, allowed: Flags, queue: Ints, tail: int, seen: Flags) -> int:
    """Mark in `seen` all states that are reached from queue[:tail], which are marked, by steps that `passes` marks
    through states that are `allowed`; they stand in the queue. Gives their number.
    """
    first, targets, steps = edges
    head = long(0)
    while head < tail:
        state = queue[head]
        head += 1
        for edge in range(first[state], first[state + 1]):
            target = targets[edge]
            if passes[steps[edge]] and allowed[target] and not seen[target]:
                seen[target] = True
                queue[tail] = target
                tail += 1
    return tail


@dataclass(frozen=True)
class Followed:
    """One object whose steps count while all others are free. `left`, `came`: for each step the spot of the object
    before and after it, -1 if it is not the object's; `spots`: how many there are; `start`: the first.

    With one spot, all steps with a 0 in `left` count: those of a piece, or of several.
    """

    left: Ints
    came: Ints
    spots: int = 1
    start: int = 0


@dataclass(frozen=True)
class StateGraph:
    """The states of a task, the initial one first, and the edges between them.

    `steps`: operators or actions, by number; `weight`: what each costs. `goal`: which states are goals. `facts`: texts;
    `holds(fact)`: in which states it is true; `facts_of(state)`: those that are true in it. `objects`: what moves, each
    with its name, its facts and its number.
    """

    task: Task
    edges: Edges
    goal: Flags
    steps: Sequence[Operator | ProgramAction]
    weight: Longs
    facts: Sequence[str]
    holds: Callable[[int], Flags]
    facts_of: Callable[[int], frozenset[int]]
    objects: tuple[tuple[str, tuple[int, ...], int], ...]

    @property
    def states(self) -> int:
        return len(self.goal)

    @cached_property
    def sources(self) -> Ints:
        """Where each edge comes from."""
        return np.repeat(np.arange(self.states, dtype=np.int32), np.diff(self.edges[0]))

    @cached_property
    def backward(self) -> Edges:
        """The edges of the graph, found by their targets: (first, sources, steps)."""
        _, targets, steps = self.edges
        order = np.argsort(targets, kind="stable")
        first = np.zeros(self.states + 1, np.int64)
        np.cumsum(np.bincount(targets, minlength=self.states), out=first[1:])
        return first, self.sources[order], steps[order]

    @cached_property
    def everyone(self) -> Followed:
        """For costs of whole plans: all objects are followed, so every step of the graph counts."""
        nothing = np.zeros(len(self.steps), np.int32)
        return Followed(nothing, nothing)

    @cached_property
    def depth(self) -> Longs:
        """The least cost of each state from the initial one."""
        return self.costs(self.everyone)

    @cached_property
    def away(self) -> Longs:
        """The least cost from each state to a goal, `FAR` where no way leads to one."""
        return self.costs(self.everyone, to_goal=True)

    @property
    def optimum(self) -> int | None:
        """The cost of a shortest plan; None if there is no plan."""
        return None if self.away[0] == FAR else int(self.away[0])

    def costs(self, one: Followed, *, to_goal: bool = False) -> Longs:
        """The least cost of each node, a state with the spot of what is followed, if only its steps cost something:
        from the initial state, or to a goal.
        """
        nodes = self.states * one.spots
        key, stack = np.full(nodes, FAR, np.int64), np.zeros(nodes, np.int32)
        if to_goal:
            goals = np.flatnonzero(self.goal)
            roots = (goals[:, None] * one.spots + np.arange(one.spots)).ravel()
            spots, edges = (one.came, one.left, one.spots), self.backward
        else:
            roots, spots, edges = np.array([one.start]), (one.left, one.came, one.spots), self.edges
        key[roots], stack[: len(roots)] = 0, roots
        scratch = np.zeros(nodes, np.int32), np.full(nodes, -1, np.int32), stack
        least_costs(edges, self.weight, spots, scratch, len(roots), key)
        return key

    def least(self, one: Followed) -> int:
        """The least that any plan pays for one object's steps, all others being free: the share of the object."""
        return int(self.costs(one).reshape(self.states, one.spots)[self.goal].min())

    def doing(self, edge: int) -> object:
        """The move of an edge, as a key: two operators `carry(goat)`, one with the wolf on the left bank and one with
        it on the right, are one move.
        """
        step = self.steps[int(self.edges[2][edge])]
        if isinstance(step, Operator) and step.displacement:
            return self.facts_of(int(self.sources[edge])) ^ self.facts_of(int(self.edges[1][edge]))
        return step.move if isinstance(step, Operator) and step.move is not None else step.name

    def move(self, edge: int) -> Move | str | None:
        """The move of an edge; where actions are programs, its name."""
        step = self.steps[int(self.edges[2][edge])]
        if isinstance(step, ProgramAction):
            return step.name
        assert isinstance(self.task, OperatorTask)
        if not step.displacement:
            return step.move
        ends = int(self.sources[edge]), int(self.edges[1][edge])
        whole = Plan.of_compound_moves([compound_move(self.task, *map(self.facts_of, ends))])
        return next(iter(whole))

    def plan(self, edges: Sequence[int]) -> Plan:
        """The steps of edges, the first of which leaves the initial state, as a plan."""
        if isinstance(self.task, ProgramTask):
            return self.task.plan([self.task.actions[self.edges[2][edge]] for edge in edges])
        return Plan(tuple(move for edge in edges if isinstance(move := self.move(edge), Move)))

    def shortest(self) -> list[int]:
        """The edges of one shortest plan, of a graph that has one, in which no step is free."""
        first, targets, steps = self.edges
        here, way = 0, list[int]()
        while not self.goal[here]:
            edges = np.arange(first[here], first[here + 1])
            ahead = self.weight[steps[edges]] + self.away[targets[edges]] == self.away[here]
            way.append(int(edges[np.argmax(ahead)]))
            here = int(targets[way[-1]])
        return way

    def text(self, step: int) -> str:
        """A step in words: `A+1`, `to r2c3` of a move along any way."""
        one = self.steps[step]
        if isinstance(one, Operator) and one.displacement:
            return f"to {self.facts[one.displacement[1]].split()[-1]}"
        return str(one.move) if isinstance(one, Operator) and isinstance(one.move, Act) else one.name.split(" from ")[0]

    def reached(self, roots: Ints, *, passes: Flags | None = None, allowed: Flags | None = None) -> Flags:
        """The states that are reached from some, by steps that pass, through states that are allowed: by default all.
        Those that it starts from are among them.
        """
        queue, seen = np.zeros(self.states, np.int32), np.zeros(self.states, np.bool_)
        queue[: len(roots)], seen[roots] = roots, True
        passes = np.ones(len(self.steps), np.bool_) if passes is None else passes
        allowed = np.ones(self.states, np.bool_) if allowed is None else allowed
        spread(self.edges, passes, allowed, queue, len(roots), seen)
        return seen


def state_graph(task: Task, budget: Budget, progress: Progress) -> StateGraph:
    """Visit all states; of actions that do the same each is an edge of its own. Raises `StoppedError` at a limit."""
    progress(Stage(seconds=budget.elapsed, text=VISITING))
    return by_form(
        task, lambda task: _of_operators(task, budget, progress), lambda task: _of_programs(task, budget, progress)
    )


def _edges(search: StoredStates, unit: bool) -> Edges:
    """Visit all states, then find the edges of all. `unit`: every step costs one, so the depth of a goal is a cost."""
    depth, known = 0, ""
    while len(search.ends) > depth:
        if unit and not known and search.goals(search.ends[-2] if depth else 0).any():
            known = f"; the optimum is {depth}"
        depth = len(search.ends)
        reason = search.next_layer()
        search.stop(reason, known or f"; no plan is shorter than {depth}" if unit else "")
    return search.edges()


def _of_operators(task: OperatorTask, budget: Budget, progress: Progress) -> StateGraph:
    task = replace(task, operators=(*task.operators, *task.twins), twins=())
    if task.walker and any(task.walker.cost):
        task = with_explicit_walker(task)
    search = StoredStates(task, budget, progress)
    unit = task.compound_moves or all(op.cost == (1,) for op in task.operators)
    edges = _edges(search, unit)
    rows = search.store.states[: search.store.count, : to_bitset_task(task).words].copy()

    def holds(fact: int) -> Flags:
        return np.asarray(rows[:, fact >> 6] >> np.uint64(fact & 63) & np.uint64(1), np.bool_)

    def facts(state: int) -> frozenset[int]:
        return facts_of(rows[state].tolist())

    objects = tuple((g.name, g.facts, g.count) for g in task.groups if g.kind is GroupKind.OBJECT)
    weight = np.array([1 if task.compound_moves else op.cost[0] for op in task.operators], np.int64)
    return StateGraph(task, edges, search.goals(), task.operators, weight, task.facts, holds, facts, objects)


def _of_programs(task: ProgramTask, budget: Budget, progress: Progress) -> StateGraph:
    search = StoredStates(task, budget, progress)
    edges = _edges(search, task.uniform)
    texts, objects, places = list[str](), [], list[tuple[int, int]]()
    for v, variable in enumerate(task.variables):
        own = range(len(texts), len(texts) + len(variable.values))
        objects.append((variable.name, tuple(own), 1))
        texts += [f"{variable.name} {text}" for text in variable.texts or map(str, variable.values)]
        places += [(v, value) for value in variable.values]
    values = np.array([search.values(v) for v in range(len(task.variables))])
    number_of = {place: fact for fact, place in enumerate(places)}

    def holds(fact: int) -> Flags:
        v, value = places[fact]
        return np.asarray(values[v] == value)

    def facts(state: int) -> frozenset[int]:
        return frozenset(number_of[place] for place in enumerate(values[:, state].tolist()))

    weight = np.array([action.cost[0] for action in task.actions], np.int64)
    return StateGraph(task, edges, search.goals(), task.actions, weight, texts, holds, facts, tuple(objects))
