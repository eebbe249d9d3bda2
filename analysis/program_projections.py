"""Projections of a program task, found from its programs alone, and put together to a lower bound.

Every variable is a pattern. Those whose distances say something are kept. Patterns are added up as long as no action
that costs something may change variables of two of them: then every step of a plan counts in one of them at most.
Others begin a sum of their own; the bound is the largest (Haslum, Botea, Helmert, Bonet, Koenig, *Domain-independent
construction of pattern database heuristics for cost-optimal planning*, AAAI 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from ..models.errors import UsageError
from ..models.program import ProgramTask
from ..runtime.arrays import Bytes, Longs
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_calls import laid_out, njit
from .abstractions import NEVER, NOWHERE, AbstractSystem, Sums, by_target, in_order, largest_sum, sums_of
from .bitset_task import cost_keys
from .inverse_programs import NOTHING, Assignments, BothWays
from .value_graph import Box, GraphRun, Node, TooManyStepsError, ValueGraph, run_of, variables_of


class ProjectionTables(NamedTuple):
    """Bounds of a program task: `sums` of patterns, and `databases`, large patterns that are not added up."""

    sums: Sums
    databases: Sums


@njit(inner=True)
def lower_bound(projections: ProjectionTables, registers: Longs) -> int:
    """A lower bound on what a state still costs, whose variables stand in registers; -1 if no goal can be reached."""
    far = largest_sum(projections.databases, registers)
    near = largest_sum(projections.sums, registers)
    return -1 if far < 0 or near < 0 else max(far, near)


# Compiled kernels that fill the databases of patterns (`databases`).


class Inverses(NamedTuple):
    """What undoes each action (A) in a pattern of P variables with at most S values each.

    A state before has the number `sum(terms[action, i, digit of variable source[action, i]])`; a term of -1: there is
    none. `sizes` (P): the numbers of values. `digits` (P): scratch.
    """

    terms: Longs
    source: Longs
    sizes: Longs
    digits: Longs


@njit()
def fill_layer(inverses: Inverses, distance: Bytes, depth: int, begin: int, end: int) -> int:
    """Of the abstract states `begin` to `end` - 1, take those at a distance and give those before them the next
    distance, if they have none; returns how many these are.
    """
    terms, source, sizes, digits = inverses.terms, inverses.source, inverses.sizes, inverses.digits
    actions, number = len(terms), 0
    for state in range(begin, end):
        if distance[state] != depth:
            continue
        left = state
        for i in range(len(sizes)):
            digits[i] = left % sizes[i]
            left //= sizes[i]
        for action in range(actions):
            before = 0
            for i in range(len(sizes)):
                term = long(terms[action, i, digits[source[action, i]]])
                if term < 0:
                    before = -1
                    break
                before += term
            if before >= 0 and distance[before] == NOWHERE:
                distance[before] = depth + 1
                number += 1
    return number


# Pattern databases of a program task: distances in projections to several variables, where every action is a
# substitution (`inverse_programs`).
#
# Then a pattern that is closed (each variable's source is in it) has one abstract state before another for each
# action, and a search backward from the goals needs no edges: a byte for each abstract state is all that it keeps
# (Culberson and Schaeffer, *Pattern databases*, Computational Intelligence 14, 1998). The bound is the largest
# distance.
#
#     five of the twenty pieces of a cube: 24^5 = 8 million abstract states

# Abstract states of a database between two looks at the budget.
STATES_A_LOOK = 1 << 19

# How many times the memory of all databases has to be there: the search needs the rest.
MEMORY_TIMES = 2.0

# Larger distances are stored as this one, which is still a lower bound.
MOST_DISTANCE = NOWHERE - 1


def patterns_of(task: ProgramTask, both_ways: BothWays, most: int) -> list[tuple[int, ...]]:
    """Closed patterns of at most `most` abstract states, which together have all variables that are in any.

    Variables that take part in the same substitutions are as a rule named one after the other (corners, then edges);
    patterns that mix them have more states, and larger distances. So the variables are dealt like cards, and what room
    is left in a pattern takes variables of the next.
    """
    sizes = {v: variable.high - variable.low + 1 for v, variable in enumerate(task.variables)}
    groups = [g for g in _closed_groups(both_ways) if prod(sizes[v] for v in g) <= most]
    everything = prod(sizes[v] for g in groups for v in g)
    number = 1
    while everything > most**number:
        number += 1
    patterns = []
    while groups:
        patterns = [_filled(groups, first, number, sizes, most) for first in range(min(number, len(groups)))]
        if {v for pattern in patterns for v in pattern} >= {v for g in groups for v in g}:
            break
        number += 1
    return list(dict.fromkeys(patterns))


def _filled(groups: list[list[int]], first: int, step: int, sizes: dict[int, int], most: int) -> tuple[int, ...]:
    """A pattern of the groups first, first + step, first + 2 step, ..., then of those behind, while there is room."""
    order = [number for shift in range(step) for number in range((first + shift) % step, len(groups), step)]
    pattern: list[int] = []
    for number in order:
        if prod(sizes[v] for v in [*pattern, *groups[number]]) > most:
            break
        pattern += groups[number]
    return tuple(sorted(pattern))


def _closed_groups(both_ways: BothWays) -> list[list[int]]:
    """The least sets of variables, of those that change, that have the source of each of their variables."""
    leader: dict[int, int] = {}

    def find(v: int) -> int:
        while leader.setdefault(v, v) != v:
            v = leader[v]
        return v

    for assignments in both_ways.ahead:
        for variable, (source, _) in assignments.items():
            leader[find(variable)] = find(source)
    groups: dict[int, list[int]] = {}
    for v in sorted(leader):
        groups.setdefault(find(v), []).append(v)
    return sorted(groups.values())


def databases_of(
    task: ProgramTask, both_ways: BothWays, goals: Sequence[tuple[int, ...]], most: int, budget: Budget
) -> Sums | None:
    """The databases of `patterns_of`, each a sum by itself; None if the budget does not allow it."""
    patterns = patterns_of(task, both_ways, most)
    sizes = [[task.variables[v].high - task.variables[v].low + 1 for v in pattern] for pattern in patterns]
    lengths = [prod(each) for each in sizes]
    if not budget.fits(int(sum(lengths) * MEMORY_TIMES)):
        return None
    distance = np.full(sum(lengths), NOWHERE, np.uint8)
    for pattern, each, part in zip(patterns, sizes, _parts(distance, lengths), strict=True):
        if not _fill(task, both_ways, goals, pattern, each, part, budget):
            return None
    strides = [[prod(each[:i]) for i in range(len(each))] for each in sizes]
    alone = [[(number, length)] for number, length in enumerate(lengths)]
    return sums_of(list(zip(patterns, strides, strict=True)), alone, distance, _lows(task))


def _parts(array: Bytes, lengths: Sequence[int]) -> Iterator[Bytes]:
    end = 0
    for length in lengths:
        yield array[end : end + length]
        end += length


def _fill(
    task: ProgramTask,
    both_ways: BothWays,
    goals: Sequence[tuple[int, ...]],
    pattern: tuple[int, ...],
    sizes: Sequence[int],
    distance: Bytes,
    budget: Budget,
) -> bool:
    """Write the distances of a pattern, layer by layer; False if the budget ended."""
    factors = [prod(sizes[:i]) for i in range(len(pattern))]
    for goal in goals:
        distance[sum(f * (goal[v] - task.variables[v].low) for f, v in zip(factors, pattern, strict=True))] = 0
    inverses = laid_out(_inverses(both_ways.back, pattern, sizes, factors))
    for depth in range(MOST_DISTANCE):
        new = 0
        for begin in range(0, len(distance), STATES_A_LOOK):
            if budget.stopped():
                return False
            end = min(len(distance), begin + STATES_A_LOOK)
            new += fill_layer(inverses, distance, depth, begin, end)
        if not new:
            return True
    distance[distance == NOWHERE] = MOST_DISTANCE
    return True


def _inverses(
    back: Sequence[Assignments], pattern: tuple[int, ...], sizes: Sequence[int], factors: Sequence[int]
) -> Inverses:
    terms = np.full((len(back), len(pattern), max(sizes)), NOTHING, np.int64)
    source = np.zeros((len(back), len(pattern)), np.int64)
    place = {v: i for i, v in enumerate(pattern)}
    for number, assignments in enumerate(back):
        for i, variable in enumerate(pattern):
            origin, function = assignments.get(variable, (variable, tuple(range(sizes[i]))))
            source[number, i] = place[origin]
            for digit, result in enumerate(function):
                if result != NOTHING:
                    terms[number, i, digit] = factors[i] * result
    return Inverses(terms, source, np.array(sizes, np.int64), np.zeros(len(pattern), np.int64))


# The most abstract states of a pattern.
MOST_STATES = 50_000

# Steps of all projections together (instructions run, nodes looked at, ways to abstract states): about a second.
MOST_STEPS = 200_000

# The most patterns of two variables; with more of them none is made.
MOST_PAIRS = 200

# Larger costs are cut to this, so that sums along a way in a projection fit.
LARGEST_COST = (1 << 31) - 2


@dataclass(frozen=True, slots=True)
class Pattern:
    """Variables with their strides, and the distance to the goal from each choice of their values."""

    variables: tuple[int, ...]
    strides: tuple[int, ...]
    distance: Longs
    writers: frozenset[int]
    """The actions that cost something and may change a variable of the pattern, if all of their costs count in it."""
    start: int
    """The distance from the initial state."""


@dataclass(frozen=True, slots=True)
class Projections:
    """Tables for search, their name in words, and counts."""

    tables: ProjectionTables
    words: str = ""
    stats: dict[str, int] = field(default_factory=dict)

    def with_databases(self, databases: Sums) -> Projections:
        """These and the bounds of databases."""
        words = self.words and f"{self.words} and pattern databases"
        return replace(self, tables=self.tables._replace(databases=databases), words=words)


def no_projections() -> Projections:
    """The lower bound 0."""
    return put_together((), ())


def projections_of(task: ProgramTask, budget: Budget) -> Projections:
    """The projections to single variables that say something, and to pairs (`_pairs`), as far as the budget allows."""
    graph, patterns = ValueGraph(task, MOST_STEPS), list[Pattern]()
    run_at = cache(partial(run_of, graph))
    for variables in [*((variable,) for variable in range(len(task.variables))), *_pairs(task)]:
        if budget.stopped():
            break
        try:
            pattern = project(graph, variables, run_at)
        except TooManyStepsError:
            break
        except (RecursionError, UsageError):
            continue
        if pattern is not None and (pattern.start if len(variables) > 1 else pattern.distance.any()):
            patterns.append(pattern)
    return put_together(patterns, _lows(task))


def _pairs(task: ProgramTask) -> list[tuple[int, int]]:
    """Variables that only free actions assign, each with every other one: what is asked before a last, free step.

    `leave` is free, asks for the robot at the door, and makes `left` true, which is the goal: `left` alone is 0 away.
    """
    paid = {v for action in task.actions if any(action.cost) for v in action.writes}
    free = {v for action in task.actions for v in action.writes} - paid
    pairs = [(v, other) for v in sorted(free) for other in sorted(paid)]
    return pairs if len(pairs) <= MOST_PAIRS else []


def abstract_system(
    graph: ValueGraph, variables: tuple[int, ...], run_at: Callable[[int], GraphRun], *, alone: bool = False
) -> AbstractSystem | None:
    """The abstract transition system of a pattern; None if every abstract state may be a goal.

    A box for each abstract state tells the values of the pattern's variables; the others may have any. An action leads
    to what its program may assign there, unless a demand fails whatever the others are. Of the actions that lead from
    one abstract state to another only the cheapest is a transition: so the distances are right at the costs that there
    are, and not with something taken off (`abstractions.in_order` for several patterns). `alone`: demands that ask for
    other variables too are left out, each action is a transition of its own, not the cheapest alone, and it is never
    None.
    """
    task, own = graph.task, sum(1 << v for v in variables)
    sizes = [task.variables[v].high - task.variables[v].low + 1 for v in variables]
    strides = np.cumprod([1, *sizes[:-1]]).astype(np.int64)
    # What each value of a variable adds to the number of an abstract state.
    terms = [
        {value: (value - task.variables[v].low) * stride for value in task.variables[v].values}
        for v, stride in zip(variables, strides.tolist(), strict=True)
    ]
    places = product(*([frozenset((place,)) for place in range(len(each))] for each in terms))
    boxes: list[tuple[int, Box]] = [
        (sum(chosen), dict(zip(variables, known, strict=True)))
        for chosen, known in zip(product(*(each.values() for each in terms)), places, strict=True)
    ]

    def asked(condition: Node) -> bool:
        depends = variables_of(condition)
        return not depends & ~own if alone else condition == 0 or bool(depends & own)

    def where(conditions: Iterable[Node]) -> list[tuple[int, Box]]:
        """The abstract states, some states of which may meet all conditions."""
        told = [each for each in conditions if asked(each)]
        return [(state, box) for state, box in boxes if all(graph.possible(each, box) != (0,) for each in told)]

    goals = [state for state, _ in where(run_at(task.goal).demands)]
    if len(goals) == len(boxes) and not alone:
        return None
    writers = [number for number, action in enumerate(task.actions) if not action.writes.isdisjoint(variables)]
    edges: dict[tuple[int, int, int], int] = {}
    for number in sorted(writers, key=lambda number: task.actions[number].cost):
        run = run_at(task.actions[number].entry)
        legal = {state for state, _ in where(run.rules)}
        become = [run.become.get(v, graph.variables[v]) for v in variables]
        for state, box in where(run.demands):
            options = []
            for node, each in zip(become, terms, strict=True):
                values = graph.possible(node, box)
                options.append([each[value] for value in (each if values is None else values) if value in each])
            graph.count(prod(map(len, options)))
            for after in map(sum, product(*options)):
                if after != state and after in legal:
                    edges.setdefault((state, after, number if alone else 0), number)
    source, target, _, action = np.array([(*edge, number) for edge, number in edges.items()], np.int64).reshape(-1, 4).T
    return AbstractSystem(
        *by_target(prod(sizes), source, target, action),
        label_first=np.arange(len(task.actions) + 1, dtype=np.int32),
        operators=np.arange(len(task.actions), dtype=np.int32),
        goals=np.array(goals, np.int32),
        variables=np.array(variables, np.int32),
        strides=strides,
    )


def patterns_in_order(task: ProgramTask, systems: Sequence[AbstractSystem]) -> list[Pattern]:
    """Patterns with their distances, each under the costs that those before it leave: they may all be added up."""
    cost, patterns = np.minimum(cost_keys(action.cost for action in task.actions), LARGEST_COST), list[Pattern]()
    levels, _ = in_order([(system, laid_out(system)) for system in systems], cost)
    for system, distance in zip(systems, levels, strict=True):
        variables, strides = tuple(system.variables.tolist()), tuple(system.strides.tolist())
        begin = sum((task.init[v] - task.variables[v].low) * s for v, s in zip(variables, strides, strict=True))
        patterns.append(Pattern(variables, strides, distance, frozenset(), int(distance[begin])))
    return patterns


def project(graph: ValueGraph, variables: tuple[int, ...], run_at: Callable[[int], GraphRun]) -> Pattern | None:
    """A pattern with its distances; None if it is too large, or if every abstract state may be a goal."""
    task = graph.task
    if prod(task.variables[v].high - task.variables[v].low + 1 for v in variables) > MOST_STATES:
        return None
    system = abstract_system(graph, variables, run_at)
    if system is None:
        return None
    (pattern,) = patterns_in_order(task, [system])
    paid = [n for n, a in enumerate(task.actions) if any(a.cost) and not a.writes.isdisjoint(variables)]
    return replace(pattern, writers=frozenset(paid))


def put_together(patterns: Sequence[Pattern], lows: Sequence[int]) -> Projections:
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
    numbers = iter(range(len(ordered)))
    made = sums_of(
        [(pattern.variables, pattern.strides) for pattern in ordered],
        [[(next(numbers), len(pattern.distance)) for pattern in members] for members in sums],
        np.concatenate([pattern.distance for pattern in ordered] or [np.zeros(0, np.int64)]),
        lows,
    )
    largest = max((sum(p.start for p in members) for members in sums), default=0)
    words = f"projections to {len(ordered):,} variable{'s' * (len(ordered) != 1)}" if ordered else ""
    stats = {"projections": len(ordered), "root_bound": largest if largest < NEVER else -1} if ordered else {}
    return Projections(ProjectionTables(made, sums_of((), (), np.zeros(0, np.uint8))), words, stats)


def _lows(task: ProgramTask) -> list[int]:
    return [variable.low for variable in task.variables]
