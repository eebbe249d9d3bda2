"""What the checker reads as a graph: a puzzle by its own rules, or a problem text."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf, lcm
from typing import Any

from .acting import ActingGame, ActionPuzzle, GroundAction
from .core.limits import Limits, Unsupported
from .core.problem import Cost
from .end_state_formula import conditions
from .puzzles import Puzzle
from .reading import StateGraph
from .rules_pddl import PddlGame, PddlPuzzle, State, touched
from .terms import TRUE, TRUTH, Asked, Run, Told, Value, choice, running, told

# A lower bound for puzzles by rules: how far each value of the state is from what the goal wants of it.
#
# A chain of fourteen links folds in millions of ways, but on a plan of 14 moves few of them can be met: a joint that
# is to turn twice needs two moves. The checker works out by itself, from the rules alone, for each *place* of the
# state
#
#   which values the goal allows there: those with which each part of the goal can be true (of `a and b` and of
#   `all(...)`, each part), told the value of this place and of no other
#   which values an action can lead to from there: its conditions, its new value and its price are asked, told the
#   value of this place and of no other; what asks for another place may be true, may be any value, and may cost nothing
#
# and so what it costs at least to come from each value to one that is allowed (a shortest path). An action divides
# its price among all places that it can change and of which the goal asks something, so what a plan pays is never
# counted twice, and the sum over all places is a lower bound for every state (cost partitioning; Katz and Domshlak
# 2008). Where an action computes in the state which place it changes, there is no such bound.

Prices = dict[Value, dict[Value, int]]
"""For each value of a place the values that one action can lead to, each with the least of its price."""


class Distances:
    """The bound of a puzzle in one metric. Raises `Unsupported` where there is none, `Stopped` at a limit."""

    def __init__(self, puzzle: ActionPuzzle, metric: str, game: ActingGame, limits: Limits) -> None:
        if "," in metric:
            raise Unsupported("distances of values are for one count")
        self.game, self.limits, self.domains = game, limits, game.domains
        allowed: dict[int, set[Value]] = {}
        for node, when, local in conditions(puzzle.goal, game.meaning):
            run = running(choice(when, game.meaning.of_kind(TRUTH, node, local), TRUE))
            if (place := self._first(run)) is not None:
                some = {value for value in self.domains[place] if self._told(run, place, value, True) is True}
                allowed[place] = allowed.get(place, some) & some
        acts = [(act, self._changed(act, allowed)) for act in game.acts.values()]
        self.scale = lcm(*(max(1, len(changed)) for _, changed in acts))
        leads: dict[int, Prices] = {place: {value: {} for value in self.domains[place]} for place in allowed}
        for act, changed in acts:
            for place in changed:
                for value in self.domains[place]:
                    self._lead(act, place, value, leads[place][value], self.scale // len(changed))
        self.far = [(place, self._distances(leads[place], some)) for place, some in sorted(allowed.items())]

    def bound(self, state: Any) -> float:
        """What reaching the goal from a state costs at least; infinite if it cannot be reached."""
        total = sum(far[state[place]] for place, far in self.far)
        return inf if total == inf else -(-total // self.scale)

    def _first(self, run: Run) -> int | None:
        """The first place that a condition asks for; None if it asks for none."""
        try:
            run(Told({}))  # type: ignore[arg-type]
        except Asked as asked:
            return asked.place
        return None

    def _told(self, run: Run, place: int, value: Value, unknown: Any) -> Any:
        """What is answered if the value of one place is told, or `unknown` if another one is asked for."""
        self.limits.tick(1 + self.game.meaning.size // 64)
        return told(run, {place: value}, unknown)

    def _changed(self, act: GroundAction, allowed: dict[int, set[Value]]) -> set[int]:
        """The places that an action can change and of which the goal asks something."""
        places = set()
        for change in act.changes:
            if not isinstance(change.place, int):
                raise Unsupported("an action computes in the state which place it changes")
            places.add(change.place)
        return places & allowed.keys()

    def _lead(self, act: GroundAction, place: int, value: Value, found: dict[Value, int], share: int) -> None:
        """Add the values that an action leads to from a value of a place, each with this place's share of the price."""
        if any(self._told(condition, place, value, True) is not True for condition in act.conditions):
            return
        price = self._told(running(act.prices[0]), place, value, 0)
        cost = share * max(0, price or 0)
        for change in act.changes:
            if change.place == place:
                for new in self._values(change.value, place, value, change.allowed):
                    found[new] = min(cost, found.get(new, cost))

    def _values(self, run: Run, place: int, value: Value, allowed: frozenset[Value]) -> Iterator[Value]:
        """New values that an action can give a table entry; all `allowed` ones where it reads other entries."""
        new = self._told(run, place, value, allowed)
        yield from allowed if new is allowed else {new} & allowed

    def _distances(self, leads: Prices, goal: set[Value]) -> dict[Value, float]:
        """For each value of a place, what it costs at least to come to one of the goal (Bellman 1958)."""
        far: dict[Value, float] = {value: 0 if value in goal else inf for value in leads}
        changed = True
        while changed:
            changed = False
            for value, there in leads.items():
                self.limits.tick(1 + len(there))
                best = min((cost + far[new] for new, cost in there.items()), default=inf)
                if best < far[value]:
                    far[value], changed = best, True
        return far


# PDDL by rows of actions: from one state at rest to the next.
#
#     start-move, move, move, stop-move        the states between have an atom (cards-moving), so this is one move
#
# A state is at *rest* if no atom is true of a predicate that is false of everything at the start, and that some
# action makes false. A move is a row of actions from rest to rest, through states that are not. Each plan is a row of
# moves, and some actions at its end that come to no rest: where these meet the goal, that is a move, too. So the
# optimum is the same, whatever the names of predicates say.


def passing(game: PddlGame) -> frozenset[str]:
    """The predicates of which a state at rest has no atom."""
    every = (one for action in game.puzzle.actions.values() for one in touched(action.effect))
    return frozenset(name for name, makes in every if not makes).difference(atom[0] for atom in game.start)


class Resting(PddlGame):
    """A problem as a graph of its states at rest: an edge is a row of actions, start-move ... stop-move."""

    def __init__(self, puzzle: PddlPuzzle, metric: str, limits: Limits) -> None:
        super().__init__(puzzle, metric, limits)
        self.passing = passing(self)

    def successors(self, state: State) -> Iterator[tuple[Cost, State]]:
        """The states at rest after a move, each with the least cost."""
        order = count()
        waiting: list[tuple[Cost, int, State]] = [(self.nothing, next(order), state)]
        seen, ended = set[State](), self.solved(state)
        while waiting:
            cost, _, here = heappop(waiting)
            if here in seen:
                continue
            seen.add(here)
            self.limits.hold(self.size)
            if here != state and (self._rests(here) or (not ended and self.solved(here))):
                yield cost, here
                continue
            for more, then in super().successors(here):
                if then not in seen:
                    total = tuple(a + b for a, b in zip(cost, more, strict=True))
                    heappush(waiting, (total, next(order), then))
        self.limits.hold(-self.size * len(seen))

    def _rests(self, state: State) -> bool:
        return not any(atom[0] in self.passing for atom in state)


BY_TEXT = "boards of built-in families are certified by the text of a problem"


def game_of(puzzle: Puzzle, metric: str, limits: Limits, with_bound: bool = False, resting: bool = False) -> StateGraph:
    """The puzzle in a metric, step by step, with the bound of `Distances` if that is wanted; `resting`: of PDDL, from
    rest to rest. Raises `Unsupported` if the rules do not count that, or there is no bound."""
    count = puzzle.counted(metric)
    if count is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle")
    if isinstance(puzzle, ActionPuzzle):
        acting = ActingGame(puzzle, count, limits)
        acting.bound = Distances(puzzle, count, acting, limits).bound if with_bound else None
        return acting
    if not isinstance(puzzle, PddlPuzzle):
        raise Unsupported(BY_TEXT)
    if with_bound:
        raise Unsupported("distances of values are for puzzles whose rules stand in their file")
    return (Resting if resting else PddlGame)(puzzle, count, limits)
