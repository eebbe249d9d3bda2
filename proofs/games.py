"""What the checker reads as a graph: a puzzle by its own rules, or a problem text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf, lcm
from typing import Any

from . import rules_custom, rules_pddl, rules_sas
from .acting import ActingGame, ActionPuzzle, GroundAction
from .boards import Level, PiecePuzzle, read_n_puzzle, read_rush_hour, read_sliding_block, read_sokoban
from .core.claim import PUZZLE
from .core.limits import Invalid, Limits, Unsupported
from .reading import document
from .state_classes import Class, ClassState, told
from .terms import OpenError, Run, Value, running

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

    def __init__(self, metric: str, game: ActingGame, limits: Limits) -> None:
        if "," in metric:
            raise Unsupported("distances of values are for one count")
        if game.read is not None:
            raise Unsupported("distances of values are for puzzles whose rules stand in their file")
        self.game, self.limits, self.domains = game, limits, game.domains
        self.every = Class([*map(frozenset, game.domains)], {})
        allowed: dict[int, set[Value]] = {}
        for run in game.goal:
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
            run(ClassState(self.every, {}, {}))  # type: ignore[arg-type]
        except OpenError as asked:
            return asked.place
        return None

    def _told(self, run: Run, place: int, value: Value, unknown: Any) -> Any:
        """What is answered if the value of one place is told, or `unknown` if another one is asked for."""
        self.limits.tick(1 + self.game.meaning.size // 64)
        return told(run, self.every.replaced({place: frozenset((value,))}), unknown)

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
                for new in self._values(running(change.value), place, value, change.allowed):
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


BY_TEXT = "boards of built-in families are certified by the text of a problem"


def game_of(puzzle: Puzzle, metric: str, limits: Limits, with_bound: bool = False) -> ActingGame:
    """The puzzle in a metric, step by step, with the bound of `Distances` if that is wanted. Raises
    `Unsupported` if the rules do not count that, or there is no bound.
    """
    count = puzzle.counted(metric)
    if count is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle")
    if not isinstance(puzzle, ActionPuzzle):
        raise Unsupported(BY_TEXT)
    game = ActingGame(puzzle, count, limits)
    game.bound = Distances(count, game, limits).bound if with_bound else None
    return game


# The puzzles that the checker reads by rules of its own, in the form that certificates have.

Puzzle = PiecePuzzle | Level | ActionPuzzle

FAMILIES: dict[str, Callable[[dict[str, Any], str, Limits], Puzzle]] = {
    "rush-hour": read_rush_hour,
    "sliding-block": read_sliding_block,
    "n-puzzle": read_n_puzzle,
    "sokoban": read_sokoban,
    "custom": rules_custom.read,
    "pddl": rules_pddl.read,
}


def puzzle_of(text: str, file: str = PUZZLE, limits: Limits | None = None) -> Puzzle:
    """Read a puzzle in the form that certificates have. Raises `Rejected`."""
    fields = document(text, file)
    if fields.get("format") != "1":
        raise Unsupported(f"{file}: this checker reads puzzles of format 1")
    family = fields.get("family")
    if not isinstance(family, str) or family not in FAMILIES:
        raise Unsupported(f"{file}: this checker has no rules for the family of this puzzle")
    read = rules_sas.read if family == "pddl" and rules_sas.is_translated(fields) else FAMILIES[family]
    return read(fields, file, limits or Limits())


def puzzle_about(text: str, other: str | None, limits: Limits) -> Puzzle:
    """The puzzle of a certificate, which has to be the one of the text `other` if that is given. Raises `Rejected`."""
    puzzle = puzzle_of(text, limits=limits)
    if other is not None and puzzle_of(other, "the puzzle file", limits) != puzzle:
        raise Invalid("the certificate is about another puzzle than the file", PUZZLE)
    return puzzle


def text_in(files: Mapping[str, bytes]) -> str:
    """The text of puzzle.yaml among the files of a certificate. Raises `Invalid`."""
    if PUZZLE not in files:
        raise Invalid("the file is missing", PUZZLE)
    try:
        return files[PUZZLE].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("the file is not text in UTF-8", PUZZLE) from None
