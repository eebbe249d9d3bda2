"""Projections of a program task, found from its programs alone, and put together to a lower bound.

Every variable is a pattern. Those whose distances say something are kept. Patterns are added up as long as no action
that costs something may change variables of two of them: then every step of a plan counts in one of them at most.
Others begin a sum of their own; the bound is the largest (Haslum, Botea, Helmert, Bonet, Koenig, *Domain-independent
construction of pattern database heuristics for cost-optimal planning*, AAAI 2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from ...models.program import ProgramTask
from ...runtime.arrays import Ints, Longs
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ..programs.tables import ProgramTables, scratch_for
from .abstract import MOST_FORKS, UNKNOWN
from .databases import no_databases
from .kernels import Graph, View, distances_to, edges_from
from .tables import FAR, DatabaseTables, ProjectionTables

# The most abstract states of a pattern.
MOST_STATES = 500_000

# The most edges between the abstract states of a pattern.
MOST_EDGES = 1 << 25

# The most patterns of two variables; with more of them none is made.
MOST_PAIRS = 200

# Runs of programs between two looks at the budget, about.
RUNS_A_LOOK = 20_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """Variables, and the distance to the goal from each choice of their values.

    `distance[sum(factor * (value - low))]`: of two variables with ten values each the factors are 1 and 10.
    """

    variables: tuple[int, ...]
    lows: tuple[int, ...]
    factors: tuple[int, ...]
    distance: Ints
    writers: frozenset[int]
    """The actions that cost something and may change a variable of the pattern."""
    start: int
    """The distance from the initial state."""


@dataclass(frozen=True, slots=True)
class Projections:
    """Tables for search, their name in words, and counts."""

    tables: ProjectionTables
    words: str = ""
    stats: dict[str, int] = field(default_factory=dict)

    def with_databases(self, databases: DatabaseTables) -> Projections:
        """These and the bounds of databases."""
        words = self.words and f"{self.words} and pattern databases"
        return replace(self, tables=self.tables._replace(databases=databases), words=words)


def no_projections() -> Projections:
    """The lower bound 0."""
    return put_together(())


def projections_of(task: ProgramTask, tables: ProgramTables, budget: Budget) -> Projections:
    """The projections to single variables that say something, and to pairs (`_pairs`), as far as the budget allows."""
    patterns = []
    for variables in [*((variable,) for variable in range(len(task.variables))), *_pairs(task)]:
        if budget.stopped():
            break
        pattern = project(task, tables, variables, budget)
        if pattern is not None and (pattern.start if len(variables) > 1 else pattern.distance.any()):
            patterns.append(pattern)
    return put_together(patterns)


def _pairs(task: ProgramTask) -> list[tuple[int, int]]:
    """Variables that only free actions assign, each with every other one: what is asked before a last, free step.

    `leave` is free, asks for the robot at the door, and makes `left` true, which is the goal: `left` alone is 0 away.
    """
    paid = {v for action in task.actions if any(action.cost) for v in action.writes}
    free = {v for action in task.actions for v in action.writes} - paid
    pairs = [(v, other) for v in sorted(free) for other in sorted(paid)]
    return pairs if len(pairs) <= MOST_PAIRS else []


def project(task: ProgramTask, tables: ProgramTables, variables: tuple[int, ...], budget: Budget) -> Pattern | None:
    """A pattern with its distances; None if it is too large, or if a run of a program would have to know too much."""
    sizes = np.array([task.variables[v].high - task.variables[v].low + 1 for v in variables], np.int64)
    size = prod(sizes.tolist())
    if size > MOST_STATES:
        return None
    writers = [number for number, action in enumerate(task.actions) if not action.writes.isdisjoint(variables)]
    scratch = scratch_for(task, tables)
    scratch.registers[: len(task.variables)] = UNKNOWN
    kept = np.zeros(len(task.variables), np.uint8)
    kept[list(variables)] = 1
    view = View(kept, np.array(variables, np.int64), sizes, np.array(writers, np.int64))
    choice, ways = np.zeros((2, MOST_FORKS), np.int32)
    states, edges, quota = np.zeros(3, np.int64), np.zeros((3, max(64, 4 * size)), np.int32), 1
    graph = Graph(states, edges, np.zeros(size, np.int64), choice, ways)
    given = laid_out(tables), laid_out(scratch), laid_out(view)
    while states[0] < size:
        if budget.stopped():
            return None
        states[1] = min(size, states[0] + quota)
        reached, runs = edges_from(*given, graph)
        if runs < 0:
            return None
        if reached < states[1]:
            if edges.shape[1] >= MOST_EDGES or not budget.fits(4 * edges.nbytes):
                return None
            edges = np.concatenate((edges, np.zeros_like(edges)), axis=1)
            graph = graph._replace(edges=edges)
        elif runs < RUNS_A_LOOK:
            quota *= 2
        states[0] = reached
    distance = np.zeros(size, np.int32)
    queue, first, order = np.zeros(size, np.int32), np.zeros(size + 1, np.int32), np.zeros(edges.shape[1], np.int32)
    distances_to(edges, int(states[2]), distance, queue, first, order)
    lows = tuple(task.variables[v].low for v in variables)
    factors = tuple(prod(sizes[:i].tolist()) for i in range(len(variables)))
    start = sum(factor * (task.init[v] - low) for v, low, factor in zip(variables, lows, factors, strict=True))
    paid = frozenset(number for number in writers if any(task.actions[number].cost))
    return Pattern(variables, lows, factors, distance, paid, int(distance[start]))


def put_together(patterns: Sequence[Pattern]) -> Projections:
    """Patterns in sums: each joins the first sum that it fits, those with the largest initial distance first."""
    sums: list[list[Pattern]] = []
    for pattern in sorted(patterns, key=lambda pattern: -pattern.start):
        for members in sums:
            if all(pattern.writers.isdisjoint(member.writers) for member in members):
                members.append(pattern)
                break
        else:
            sums.append([pattern])
    ordered = [pattern for members in sums for pattern in members]
    distance = np.concatenate([pattern.distance for pattern in ordered] or [np.zeros(1, np.int32)])
    largest = max((sum(p.start for p in members) for members in sums), default=0)
    words = f"projections to {len(ordered):,} variable{'s' * (len(ordered) != 1)}" if ordered else ""
    stats = {"projections": len(ordered), "root_bound": largest if largest < FAR else -1} if ordered else {}
    made = ProjectionTables(
        first=np.cumsum([0, *(len(pattern.variables) for pattern in ordered)], dtype=np.int64),
        variable=_joined(pattern.variables for pattern in ordered),
        factor=_joined(pattern.factors for pattern in ordered),
        low=_joined(pattern.lows for pattern in ordered),
        table=np.cumsum([0, *(len(pattern.distance) for pattern in ordered)], dtype=np.int64)[:-1],
        sum_of=_joined([number] * len(members) for number, members in enumerate(sums)),
        distance=distance,
        databases=no_databases().tables,
    )
    return Projections(made, words, stats)


def _joined(lists: Iterable[Sequence[int]]) -> Longs:
    return np.array([number for numbers in lists for number in numbers], np.int64)
