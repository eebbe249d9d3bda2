"""Whether a problem text is the problem of a puzzle: a layer beside the core, which reads the puzzle by its own rules.

Both are graphs: states, moves with costs, and goals. They are compared without regard to names.

*Graphs that are known as a whole.* Two states are alike if both are goals or both are not, and for each move of one to
a state that is not alike the other has a move to such a state, whose cheapest costs the same (bisimulation: Park 1981;
by partition refinement: Kanellakis and Smolka 1990). A move to a state that is alike does not count: whatever can be
done after it can be done at once. If the starts are alike, the optima are equal. Problems leave out what leads nowhere;
so states without a way to a goal are taken away first.

*Larger graphs* are compared as far as they are known. Two states are the same for k moves if they are both goals or
both not, and have as many moves, in pairs that cost the same and lead to states that are the same for k - 1 moves. (Of
moves to one state only the cheapest counts, and what changes nothing is no move.) So the trees of all plays of up to k
moves are the same but for names.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass, field

from .core.exhaustion import Successors
from .core.limits import Invalid, Limits, Stopped, Unsupported
from .core.problem import FILE, Cost, Problem
from .games import Game, game_of, problem_game
from .puzzles import puzzle_about
from .rules_pddl import PddlPuzzle

MOST = 2000
"""States of each graph that are visited, at most."""

PARTLY = ", that problem.txt is puzzle.yaml where they were not compared"
"""What has to be trusted, where the graphs are larger. Whoever forges can write a text that is the same so far."""

# What is said where the problem text has moves from rest to rest.
ROWS = "; a move is a row of actions from one state at rest to the next (`proofs/resting.py`)"

EACH = 400
"""Memory in bytes of a state and a move in a graph that is compared."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared, in words; what has to be trusted where not all was; and the rows of the puzzle, none if it was
    not compared.
    """

    how: str
    trust: str = ""
    rows: tuple[str, ...] | None = None


def compared(text: str, metric: str, problem: Problem, limits: Limits, other: str | None = None) -> Comparison:
    """Compare the problem with the puzzle in `text`. Raises `Invalid` if they differ, or if the puzzle is not the one
    of the text `other`; and `Unsupported` if the puzzle does not count `metric`.
    """
    counts = True
    try:
        puzzle = puzzle_about(text, other, limits)
        counts = puzzle.counted(metric) is not None
        rules = game_of(puzzle, metric, limits)
    except Unsupported as reason:
        if isinstance(reason, Stopped) or other is not None or not counts:
            raise
        return Comparison(f"of problem.txt; whether that is puzzle.yaml was not checked: {reason}")
    text_game, rows = problem_game(Successors(problem, limits)), ""
    if isinstance(puzzle, PddlPuzzle) and _first(rules, limits) != _first(text_game, limits):
        rules, rows = game_of(puzzle, metric, limits, resting=True), ROWS
    alike = compare(rules, text_game, limits)
    if alike.depth is None:
        how = f"all {alike.states:,} positions have the same moves at the same costs"
    else:
        played = f"every play of up to {alike.depth} moves is the same ({alike.states:,} positions)"
        how = f"{played}; it has more than were compared"
    trust = "" if alike.depth is None else PARTLY
    return Comparison(
        f"that problem.txt is puzzle.yaml was checked by the rules in `proofs/`: {how}{rows}", trust, puzzle.rows
    )


def _after(game: Game, state: Hashable, limits: Limits) -> dict[Hashable, Cost]:
    """The states after a move that changes something, each with the least cost of such a move."""
    least: dict[Hashable, Cost] = {}
    for cost, then in game.moves(state):
        limits.tick(4)
        limits.hold(EACH)
        if then != state:
            least[then] = min(cost, least.get(then, cost))
    return least


def _first(game: Game, limits: Limits) -> list[Cost]:
    """What the moves of the start cost, in order."""
    return sorted(_after(game, game.start, limits).values())


@dataclass(frozen=True, slots=True)
class Alike:
    """How far the game of a puzzle and its problem text were found to be the same: as a whole (`depth` None), or for
    all plays of `depth` moves. `states`: how many states of the game were visited.
    """

    depth: int | None
    states: int


def compare(rules: Game, text_game: Game, limits: Limits) -> Alike:
    """Compare the game of a puzzle with that of its problem text. Raises `Invalid` if they differ."""
    graphs = [_explore(game, limits) for game in (rules, text_game)]
    whole = all(graph.whole for graph in graphs)
    for graph in graphs if whole else ():
        _leave_out_dead(graph)
    depth = None if whole else min(len(graph.ends) - 1 for graph in graphs if not graph.whole)
    differ, states = _difference(graphs, depth, limits), len(graphs[0].goals)
    if differ is not None:
        raise Invalid(f"it is another problem than that of puzzle.yaml: they differ within {differ} moves", FILE)
    return Alike(depth, states)


@dataclass(slots=True)
class _Explored:
    """The states of a graph by number, layer by layer. `moves`: of each state but those of the last layer; `ends`: how
    many states there are up to each layer; `whole`: there are no others."""

    goals: list[bool]
    moves: list[dict[int, Cost]] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [1])
    whole: bool = False


def _explore(game: Game, limits: Limits) -> _Explored:
    """Explore a graph: whole layers, as long as it has at most `MOST` states."""
    numbers: dict[Hashable, int] = {game.start: 0}
    each = sys.getsizeof(game.start)
    order, found = [game.start], _Explored([game.solved(game.start)])
    while True:
        first = found.ends[-2] if len(found.ends) > 1 else 0
        made: list[dict[int, Cost]] = []
        for state in order[first : found.ends[-1]]:
            edges: dict[int, Cost] = {}
            for then, cost in _after(game, state, limits).items():
                if then not in numbers:
                    limits.hold(each)
                    numbers[then] = len(order)
                    order.append(then)
                edges[numbers[then]] = cost
            made.append(edges)
            if len(order) > MOST and len(found.ends) > 1:
                return found
        found.moves += made
        found.goals += [game.solved(state) for state in order[found.ends[-1] :]]
        if len(order) == found.ends[-1]:
            found.whole = True
            return found
        found.ends.append(len(order))


def _leave_out_dead(graph: _Explored) -> None:
    """Take away the moves to states without a way to a goal."""
    before: list[list[int]] = [[] for _ in graph.goals]
    for state, moves in enumerate(graph.moves):
        for then in moves:
            before[then].append(state)
    alive = [state for state, goal in enumerate(graph.goals) if goal]
    known = set(alive)
    for state in alive:
        for earlier in before[state]:
            if earlier not in known:
                known.add(earlier)
                alive.append(earlier)
    graph.moves = [{then: cost for then, cost in moves.items() if then in known} for moves in graph.moves]


def _difference(graphs: list[_Explored], depth: int | None, limits: Limits) -> int | None:
    """The number of moves within which the starts of two graphs differ; None if they are alike for `depth` moves (None:
    for any number).
    """
    colours = [[int(goal) for goal in graph.goals] for graph in graphs]
    rounds, before = 0, 0
    while colours[0][0] == colours[1][0]:
        kinds = len({*colours[0], *colours[1]})
        if (depth is None and kinds == before) or rounds == depth:
            return None
        before, rounds = kinds, rounds + 1
        names: dict[Hashable, int] = {}
        pairs = zip(graphs, colours, strict=True)
        colours = [_refined(graph, old, rounds, depth, names, limits) for graph, old in pairs]
    return rounds


def _refined(
    graph: _Explored, old: list[int], rounds: int, depth: int | None, names: dict[Hashable, int], limits: Limits
) -> list[int]:
    """A colour for each state, the same for those that are alike; where `depth` is not None, for those that are the
    same for `rounds` moves, and of a graph that is not whole only for states from which so many are known.
    """
    known = len(graph.moves) if depth is None or graph.whole else graph.ends[depth - rounds]
    colours = []
    for state in range(known):
        own, moves = old[state], graph.moves[state]
        limits.tick(1 + len(moves))
        kind: tuple[Hashable, ...]
        if depth is None:
            least: dict[int, Cost] = {}
            for then, cost in moves.items():
                if old[then] != own:
                    least[old[then]] = min(cost, least.get(old[then], cost))
            kind = own, frozenset(least.items())
        else:
            kind = own, *sorted((cost, old[then]) for then, cost in moves.items())
        colours.append(names.setdefault(kind, len(names)))
    return colours
