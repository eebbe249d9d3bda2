"""Visiting the positions of a puzzle by the rules of the checker."""

from __future__ import annotations

from typing import NamedTuple

from budge.proofs import by_rules
from budge.proofs.core.limits import Limits
from budge.proofs.core.problem import Cost
from budge.proofs.games import Puzzle, game_of


class Exhausted(NamedTuple):
    """How many positions were visited, and the cost of a cheapest plan (None: no goal was visited)."""

    states: int
    goal: Cost | None


def exhausted(
    puzzle: Puzzle, metric: str, at_most: Cost | None, limits: Limits, kind: str = by_rules.RULES
) -> Exhausted:
    """Visit every position that can be on a plan of at most a given cost, as evidence of a kind does."""
    game = game_of(puzzle, metric, limits, kind == by_rules.DISTANCES)
    return Exhausted(*by_rules.exhausted(game, at_most, limits))
