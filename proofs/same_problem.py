"""Whether a problem text is the problem of a puzzle: a layer beside the core, which reads the puzzle by its own rules.

Both are graphs: states, moves with costs, and goals. They are compared without regard to names: two states are *alike
for k moves* if both are goals or both are not, and each move of one has a move of the other that costs the same and
leads to a state that is alike for k - 1 moves (bisimulation: Park 1981; by partition refinement: Kanellakis and
Smolka 1990). If both graphs are known as a whole, and the starts are alike for any number of moves, each plan of one is
a plan of the other at the same cost, so the optima are equal. If the graphs are too large for that, both allow at least
the same plays of a few moves.

A move that changes nothing is left out. A problem may say a move by several actions: a walk by actions that cost
nothing and then a push, or a move along a path by a first action and further ones that cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from .acting import ActingGame, ActionPuzzle
from .boxes import BoxGame
from .core.check import Shown
from .core.exhaustion import Bits
from .core.limits import Invalid, Limits, Stopped, Unsupported
from .core.problem import FILE, Cost, Problem
from .pieces import PiecePuzzle
from .puzzles import Puzzle, puzzle_of
from .sliding import SlidingGame

MOST = 5000
"""States of each graph that are visited, at most."""

EACH = 400
"""Memory in bytes of a state and a move in a graph that is compared."""

BEFORE, AFTER = "before", "after"
"""Where the actions that cost nothing stand: a walk is before an action, a path's further parts are after it."""


@dataclass(frozen=True, slots=True)
class Game:
    """A graph. `moves`: the states after one move, each with what it costs."""

    start: Hashable
    moves: Callable[[Hashable], Iterator[tuple[Cost, Hashable]]]
    solved: Callable[[Hashable], bool]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared, in words, and the rows of the puzzle."""

    how: str
    rows: tuple[str, ...]


def compared(text: str, metric: str, shown: Shown, limits: Limits, other: str | None = None) -> Comparison:
    """Compare the problem with the puzzle in `text`. Raises `Invalid` if they differ, or if the puzzle is not the one
    of the text `other`.
    """
    try:
        puzzle = puzzle_of(text, limits=limits)
    except Unsupported as reason:
        if isinstance(reason, Stopped) or other is not None:
            raise
        return Comparison(f"of problem.txt; whether that is puzzle.yaml was not checked: {reason}", ())
    if other is not None and puzzle_of(other, "the puzzle file", limits) != puzzle:
        raise Invalid("the certificate is about another puzzle than the file", "puzzle.yaml")
    try:
        rules, free = _game_of(puzzle, metric, limits)
    except Unsupported as reason:
        if isinstance(reason, Stopped):
            raise
        return Comparison(f"of problem.txt; whether that is puzzle.yaml was not checked: {reason}", puzzle.rows)
    moves, states = _alike(rules, _game(shown.problem, free), limits)
    if moves is None:
        how = f"all {states:,} positions have the same moves at the same costs"
    else:
        how = f"every play of up to {moves} moves is the same ({states:,} positions); it has more than were compared"
    return Comparison(f"that problem.txt is puzzle.yaml was checked by the rules in `proofs/`: {how}", puzzle.rows)


def _game_of(puzzle: Puzzle, metric: str, limits: Limits) -> tuple[Game, str | None]:
    """The puzzle as its own rules play it, and where its problem has actions that cost nothing."""
    count = puzzle.counted(metric)
    if count is None:
        raise Unsupported(f"the rules do not count `{metric[:40]}`")
    if isinstance(puzzle, ActionPuzzle):
        acting = ActingGame(puzzle, count, limits)
        return Game(acting.start, acting.steps, acting.solved), None  # type: ignore[arg-type]
    if isinstance(puzzle, PiecePuzzle):
        sliding = SlidingGame(puzzle, count, limits)
        return _unit(sliding), AFTER if count == "moves" else None
    boxes = BoxGame(puzzle, count, limits)
    if "," in count:
        return Game(boxes.start, boxes.steps, boxes.solved), None  # type: ignore[arg-type]
    return _unit(boxes), BEFORE if count == "pushes" else None


def _unit(game: SlidingGame | BoxGame) -> Game:
    def moves(state: Hashable) -> Iterator[tuple[Cost, Hashable]]:
        for then in game.successors(state):  # type: ignore[arg-type]
            yield (1,), then

    return Game(game.start, moves, game.solved)  # type: ignore[arg-type]


def _game(problem: Problem, free: str | None) -> Game:
    """The problem as a graph; `free` says where actions that cost nothing belong to a move, None: they are moves."""
    bits = Bits(problem)

    def closed(state: int) -> list[int]:
        """A state and those that actions of cost nothing lead to."""
        seen = [state]
        for one in seen:
            seen += {then for cost, then in bits.successors(one) if not any(cost)}.difference(seen)
        return seen

    def moves(state: int) -> Iterator[tuple[Cost, int]]:
        for first in closed(state) if free == BEFORE else [state]:
            for cost, then in bits.successors(first):
                if free is None:
                    yield cost, then
                elif any(cost):
                    for last in closed(then):
                        yield cost, last

    return Game(bits.start, moves, lambda state: all(state & mask for mask in bits.goal))  # type: ignore


@dataclass(slots=True)
class _Explored:
    """The states of a graph by number, layer by layer. `moves`: of each state but those of the last layer; `ends`: how
    many states there are up to each layer; `whole`: there are no others."""

    goals: list[bool]
    moves: list[list[tuple[Cost, int]]] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [1])
    whole: bool = False


def _explore(game: Game, limits: Limits) -> _Explored:
    """Explore a graph: whole layers, as long as it has at most `MOST` states."""
    numbers: dict[Hashable, int] = {game.start: 0}
    order, found = [game.start], _Explored([game.solved(game.start)])
    while True:
        first = found.ends[-2] if len(found.ends) > 1 else 0
        made: list[list[tuple[Cost, int]]] = []
        for state in order[first : found.ends[-1]]:
            edges = []
            for cost, then in game.moves(state):
                limits.tick(4)
                limits.hold(EACH)
                if then == state:
                    continue
                if then not in numbers:
                    numbers[then] = len(order)
                    order.append(then)
                edges.append((cost, numbers[then]))
            made.append(edges)
            if len(order) > MOST and len(found.ends) > 1:
                return found
        found.moves += made
        found.goals += [game.solved(state) for state in order[found.ends[-1] :]]
        if len(order) == found.ends[-1]:
            found.whole = True
            return found
        found.ends.append(len(order))
    return found


def _alike(one: Game, two: Game, limits: Limits) -> tuple[int | None, int]:
    """For how many moves the starts of two graphs are alike (None: for any number), and how many states of the first
    were visited. Raises `Invalid` where they are not.
    """
    graphs = [_explore(one, limits), _explore(two, limits)]
    whole = all(graph.whole for graph in graphs)
    depth = None if whole else min(len(graph.ends) - 1 for graph in graphs if not graph.whole)
    colours = [[int(goal) for goal in graph.goals] for graph in graphs]
    rounds, before = 0, 0
    while colours[0][0] == colours[1][0]:
        kinds = len({*colours[0], *colours[1]})
        if (depth is None and kinds == before) or rounds == depth:
            return depth, len(graphs[0].goals)
        before, rounds = kinds, rounds + 1
        names: dict[Hashable, int] = {}
        colours = [
            _refined(graph, old, rounds, depth, names, limits) for graph, old in zip(graphs, colours, strict=True)
        ]
    raise Invalid(f"it is another problem than that of puzzle.yaml: they differ within {rounds} moves", FILE)


def _refined(
    graph: _Explored, old: list[int], rounds: int, depth: int | None, names: dict[Hashable, int], limits: Limits
) -> list[int]:
    """A colour for each state, the same for those that are alike for `rounds` moves; of a graph that is not whole, for
    the states whose next moves are all known so far."""
    known = len(graph.moves) if depth is None or graph.whole else graph.ends[depth - rounds]
    colours = []
    for state in range(known):
        limits.tick(1 + len(graph.moves[state]))
        kind = old[state], frozenset([(cost, old[then]) for cost, then in graph.moves[state]])
        colours.append(names.setdefault(kind, len(names)))
    return colours
