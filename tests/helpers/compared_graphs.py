"""Whether two graphs are the same but for the names of states: the tests' own comparison of texts with their puzzles.

*Graphs that are known as a whole.* Two states are alike if both are goals or both are not, and for each move of one to
a state that is not alike the other has a move to such a state, whose cheapest costs the same (bisimulation: Park 1981;
by partition refinement: Kanellakis and Smolka 1990). A move to a state that is alike does not count: whatever can be
done after it can be done at once. If the starts are alike, the optima are equal. Problems leave out what leads nowhere;
so states without a way to a goal are taken away first.

States that are alike have equally dear ways to a goal: the first move of a cheapest one that is not to a state that is
alike has its match in the other state. So the classes may begin as those of what is left to pay (Dijkstra from the
goals), which are split until none has to be: the result is the same, after few rounds. And the optima are compared by
that alone, whatever happens later.

Before that the beginnings are compared: as many moves, in pairs that cost the same, for as many moves as `FEW` states
allow.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from budge.proofs.core.limits import Invalid, Limits, Stopped
from budge.proofs.core.problem import Cost
from budge.proofs.reading import StateGraph

FEW, MOST = 2000, 200_000
"""At most so many states of each graph are visited: `FEW` for a quick look at short plays, `MOST` to compare all."""

EACH = 150
"""Bytes of a state in tables, not counting itself and its moves."""


def _packed(cost: Cost) -> int:
    """A cost as one number; sums and comparisons are those of costs, as no sum of parts reaches 2^128."""
    first, *others = cost
    for part in others:
        first = first << 128 | part
    return first


def _after(game: StateGraph, state: Hashable, limits: Limits) -> dict[Hashable, int]:
    """The states after a move that changes something, each with the least cost of such a move."""
    least: dict[Hashable, int] = {}
    for cost, then in game.successors(state):
        limits.tick(4)
        if then != state:
            dear = _packed(cost)
            least[then] = min(dear, least.get(then, dear))
    return least


@dataclass(frozen=True, slots=True)
class Alike:
    """How far the game of a puzzle and its problem text were found to be the same: as a whole (`depth` None), or for
    all plays of `depth` moves, and `why` not as a whole. `states`: how many states of the game were compared.
    """

    depth: int | None
    states: int
    why: str = ""


def compare(rules: StateGraph, text_game: StateGraph, limits: Limits) -> Alike:
    """Compare the game of a puzzle with that of its problem text. Raises `Invalid` if they differ."""
    graphs = [_Explored(game) for game in (rules, text_game)]
    for graph in graphs:
        graph.grow(FEW, limits)
    depth, states = min(len(graph.ends) - 1 for graph in graphs), len(graphs[0].goals)
    if not all(graph.whole for graph in graphs):
        depth = min(len(graph.ends) - 1 for graph in graphs if not graph.whole)
        if (differ := _difference(graphs, depth, limits)) is not None:
            raise Invalid(f"they differ within {differ} moves")
    try:
        for graph in graphs:
            graph.grow(MOST, limits)
            if not graph.whole:
                return Alike(depth, states, f"it has more than the {MOST:,} that would all be compared")
        if not _same(graphs, limits):
            raise Invalid("of all positions, some have other moves, goals or costs")
    except Stopped as reason:
        return Alike(depth, states, f"all others were {reason}".replace("not decided", "not compared"))
    return Alike(None, len(graphs[0].goals))


@dataclass(slots=True)
class _Explored:
    """The states of a graph by number, layer by layer. `moves`: of each state but those of the last layer; `ends`: how
    many states there are up to each layer; `whole`: there are no others."""

    game: StateGraph
    order: list[Hashable] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    goals: list[bool] = field(default_factory=list)
    moves: list[dict[int, int]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    whole: bool = False

    def grow(self, most: int, limits: Limits) -> None:
        """Explore more of the graph: whole layers, as long as it has at most `most` states."""
        if not self.ends:
            self.order, self.numbers, self.ends = [self.game.start], {self.game.start: 0}, [1]
            self.goals = [self.game.solved(self.game.start)]
        each = EACH + max(self.game.size, sys.getsizeof(self.game.start))
        while not self.whole:
            made = []
            for state in self.order[len(self.moves) : self.ends[-1]]:
                edges = {}
                for then, cost in _after(self.game, state, limits).items():
                    if then not in self.numbers:
                        limits.hold(each)
                        self.numbers[then] = len(self.order)
                        self.order.append(then)
                    edges[self.numbers[then]] = cost
                limits.hold(2 * sys.getsizeof(edges))
                made.append(edges)
                if len(self.order) > most and len(self.ends) > 1:
                    for then in self.order[self.ends[-1] :]:
                        del self.numbers[then]
                    del self.order[self.ends[-1] :]
                    return
            self.moves += made
            self.goals += [self.game.solved(state) for state in self.order[self.ends[-1] :]]
            if len(self.order) == self.ends[-1]:
                self.whole = True
            else:
                self.ends.append(len(self.order))


def _difference(graphs: list[_Explored], depth: int, limits: Limits) -> int | None:
    """The number of moves within which the starts of two graphs differ; None if they are the same for `depth` moves."""
    colours = [[int(goal) for goal in graph.goals] for graph in graphs]
    for rounds in range(1, depth + 2):
        if colours[0][0] != colours[1][0]:
            return rounds - 1
        if rounds > depth:
            break
        names: dict[Hashable, int] = {}
        later: list[list[int]] = []
        for graph, old in zip(graphs, colours, strict=True):
            # Only states from which so many moves are known.
            known = graph.moves if graph.whole else graph.moves[: graph.ends[depth - rounds]]
            later.append([])
            for own, moves in zip(old, known, strict=False):
                limits.tick(1 + len(moves))
                kind = own, *sorted((cost, old[then]) for then, cost in moves.items())
                later[-1].append(names.setdefault(kind, len(names)))
        colours = later
    return None


def _left_to_pay(graph: _Explored, limits: Limits) -> tuple[dict[int, int], list[list[int]]]:
    """For each state with a way to a goal what the cheapest costs (Dijkstra from the goals); and the states before
    each.
    """
    before: list[list[int]] = [[] for _ in graph.goals]
    for state, moves in enumerate(graph.moves):
        limits.tick(1 + len(moves))
        limits.hold(EACH + 8 * len(moves))
        for then in moves:
            before[then].append(state)
    least = {state: 0 for state, goal in enumerate(graph.goals) if goal}
    queue = [(0, state) for state in least]
    while queue:
        cost, state = heappop(queue)
        if cost == least[state]:
            limits.tick(1 + len(before[state]))
            for earlier in before[state]:
                total = cost + graph.moves[earlier][state]
                if earlier not in least or total < least[earlier]:
                    least[earlier] = total
                    heappush(queue, (total, earlier))
    return least, before


def _same(graphs: list[_Explored], limits: Limits) -> bool:
    """Whether the starts of two graphs that are whole are alike."""
    known = [_left_to_pay(graph, limits) for graph in graphs]
    (one, _), (two, _) = known
    if one.get(0) != two.get(0):
        return False
    if 0 not in one:  # neither has a plan
        return True
    colours: dict[int, int] = {}
    moves: dict[int, dict[int, int]] = {}
    before: dict[int, list[int]] = {}
    names: dict[Hashable, int] = {}
    for which, (graph, (least, earlier)) in enumerate(zip(graphs, known, strict=True)):
        for state, cost in least.items():
            number = 2 * state + which  # both graphs are one
            limits.tick(1 + len(graph.moves[state]))
            limits.hold(EACH + sys.getsizeof(graph.moves[state]))
            colours[number] = names.setdefault((cost, graph.goals[state]), len(names))
            moves[number] = {2 * then + which: dear for then, dear in graph.moves[state].items() if then in least}
            before[number] = [2 * then + which for then in earlier[state]]
    return _alike(colours, moves, before, limits)


def _alike(
    colours: dict[int, int], moves: dict[int, dict[int, int]], before: dict[int, list[int]], limits: Limits
) -> bool:
    """Split the classes that `colours` names until states of one class are alike: whether the states 0 and 1 are then.

    `dirty` are the states whose moves may lead to other classes than when their class was made or kept; what `shapes`
    says of a class is so of all its others.
    """
    sizes, shapes, new = Counter(colours.values()), dict[int, Hashable](), count(len(colours))
    dirty = set(colours)
    while dirty and colours[0] == colours[1]:
        parts: dict[int, dict[Hashable, list[int]]] = {}
        for state in dirty:
            own, least = colours[state], dict[int, int]()
            limits.tick(1 + len(moves[state]))
            for then, cost in moves[state].items():
                if (colour := colours[then]) != own and cost < least.get(colour, cost + 1):
                    least[colour] = cost
            parts.setdefault(own, {}).setdefault(frozenset(least.items()), []).append(state)
        dirty = set()
        for own, by_shape in parts.items():
            clean = sizes[own] > sum(map(len, by_shape.values()))
            kept = shapes[own] = shapes[own] if clean else max(by_shape, key=lambda shape: len(by_shape[shape]))
            for shape, states in by_shape.items():
                if shape != kept:
                    other = next(new)
                    sizes[other], shapes[other] = len(states), shape
                    sizes[own] -= len(states)
                    for state in states:
                        colours[state] = other
                        dirty.add(state)
                        dirty.update(before[state])
    return colours[0] == colours[1]
