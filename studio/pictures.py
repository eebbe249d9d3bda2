"""Pictures of puzzles for cards: small SVG files that need no script."""

from __future__ import annotations

from ..models.puzzle import Puzzle
from ..views.svg import board_svg

WIDTH = 240


def picture(puzzle: Puzzle) -> str:
    """The puzzle's own position."""
    return str(board_svg(puzzle, width=WIDTH))


NO_PICTURE = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{WIDTH}" viewBox="0 0 24 24">'
    '<text x="12" y="16" font-size="12" text-anchor="middle" fill="#888">?</text></svg>'
)
"""The picture of a puzzle with a mistake, as unsaved text may have."""
