"""The puzzles that the checker reads by rules of its own, in the form that certificates have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import rules_custom, rules_pddl, rules_sokoban
from .acting import ActionPuzzle
from .core.claim import PUZZLE
from .core.limits import Invalid, Limits, Unsupported
from .pieces import PiecePuzzle, read_n_puzzle, read_rush_hour, read_sliding_block
from .reading import document

Puzzle = PiecePuzzle | rules_sokoban.Level | ActionPuzzle | rules_pddl.PddlPuzzle

FAMILIES: dict[str, Callable[[dict[str, Any], str, Limits], Puzzle]] = {
    "rush-hour": read_rush_hour,
    "sliding-block": read_sliding_block,
    "n-puzzle": read_n_puzzle,
    "sokoban": rules_sokoban.read,
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
    return FAMILIES[family](fields, file, limits or Limits())


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
