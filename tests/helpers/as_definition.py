"""Built-in puzzles as custom families: by the pages of rules of the checker, with the board as the checker reads it.

A page does not know how far a piece goes at once, so the metric decides it: the type `distance` is `1..1` in steps, and
reaches across the board in slides.
"""

from __future__ import annotations

from dataclasses import replace

from budge.models.documents.write import read_mapping
from budge.models.families import read_puzzle
from budge.models.puzzle import Puzzle
from budge.proofs.boards import Level, PiecePuzzle
from budge.proofs.games import puzzle_of
from budge.proofs.pages import FOLDER, _made, page_of
from budge.workflows.certifying import canonical


def as_definition(puzzle: Puzzle, metric: str) -> Puzzle:
    """The same puzzle in a metric of its own, with its rules written out. Raises `PuzzleError` if the language cannot
    say them.
    """
    board = puzzle_of(canonical(puzzle))
    assert isinstance(board, PiecePuzzle | Level)
    count = board.counted(metric)
    assert count is not None
    keys = {
        "format": 1,
        "name": puzzle.header.name,
        "family": page_of(board, count).name,
        **_made(board, count, ()).keys,
    }
    if isinstance(board, Level):
        keys["metric"] = metric.split(",")
    elif count != "moves":
        keys["metrics"] = {metric: ["move"]}
    return read_mapping(keys, puzzle.header.file, lambda text: read_puzzle(replace(text, path=FOLDER / "board.yaml")))
