"""Sokoban levels for tests: from rows, and made at random."""

from __future__ import annotations

from budge.models.families import load_text
from budge.models.families.sokoban.rules import Sokoban
from budge.models.puzzle import Puzzle
from hypothesis import assume
from hypothesis import strategies as st

HEAD = "format: 1\nfamily: sokoban\n"


def text_of(rows: list[str], more: str = "") -> str:
    return HEAD + "map: |2\n" + "".join(f"  {row}\n" for row in rows) + more


def level(rows: list[str], more: str = "") -> Puzzle:
    puzzle = load_text(text_of(rows, more))
    assert isinstance(puzzle.value, Sokoban)
    return puzzle


@st.composite
def levels(
    draw: st.DrawFn, max_boxes: int = 3, min_boxes: int = 1, size: tuple[int, int] | None = None
) -> tuple[str, ...]:
    """Small levels, closed, with every box in the player's reach if the other boxes were not there.

    `size`: rows and columns within the outer wall; by default up to 4 and 5.
    """
    height, width = size or (draw(st.integers(1, 4)), draw(st.integers(2, 5)))
    cells = [(r, c) for r in range(1, height + 1) for c in range(1, width + 1)]
    walls = draw(st.lists(st.sampled_from(cells), max_size=max(4, len(cells) // 5), unique=True))
    player = draw(st.sampled_from([cell for cell in cells if cell not in walls] or cells))
    region, queue = {player}, [player]
    for r, c in queue:
        for cell in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)):
            if cell in cells and cell not in walls and cell not in region:
                region.add(cell)
                queue.append(cell)
    others = sorted(region - {player})
    assume(player not in walls and len(others) >= min_boxes)
    boxes = draw(st.lists(st.sampled_from(others), min_size=min_boxes, max_size=max_boxes, unique=True))
    wanted = len(boxes) + draw(st.integers(0, 1))
    assume(wanted <= len(region))
    goals = draw(st.lists(st.sampled_from(sorted(region)), min_size=wanted, max_size=wanted, unique=True))
    shown = dict.fromkeys(region, " ") | dict.fromkeys(boxes, "$") | {player: "@"}
    for cell in goals:
        shown[cell] = {" ": ".", "$": "*", "@": "+"}[shown[cell]]
    return tuple("".join(shown.get((r, c), "#") for c in range(width + 2)) for r in range(height + 2))
