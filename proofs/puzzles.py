"""The puzzles that the checker reads by rules of its own, in the form that certificates have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import rules_custom, rules_n_puzzle, rules_rush_hour, rules_sliding_block, rules_sokoban
from .acting import ActionPuzzle
from .core.claim import PUZZLE
from .core.limits import Limits, Unsupported
from .pieces import PiecePuzzle
from .reading import document

Puzzle = PiecePuzzle | rules_sokoban.Level | ActionPuzzle

FAMILIES: dict[str, Callable[[dict[str, Any], str, Limits], Puzzle]] = {
    "rush-hour": rules_rush_hour.read,
    "sliding-block": rules_sliding_block.read,
    "n-puzzle": rules_n_puzzle.read,
    "sokoban": rules_sokoban.read,
    "custom": rules_custom.read,
}


def puzzle_of(text: str, file: str = PUZZLE, limits: Limits | None = None) -> Puzzle:
    """Read a puzzle in the form that certificates have. Raises `Rejected`."""
    fields = document(text, file)
    if fields.get("format") != "1":
        raise Unsupported(f"{file}: this checker reads puzzles of format 1")
    family = fields.get("family")
    if not isinstance(family, str) or family not in FAMILIES:
        raise Unsupported(f"{file}: this checker has no rules for the family of this puzzle")
    return FAMILIES[family](fields, file, limits or Limits())
