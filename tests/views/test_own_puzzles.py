"""Puzzles of own rules are played on their boards in a browser, each as one would take it into the hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import budge
import pytest
from budge.views.html import as_script
from budge.views.rules import rules_of
from budge.views.shapes import script, style

from ..helpers.browser import Opened, opened
from ..helpers.patience import until

Act = tuple[str, Any]

FROGS = """\
format: 1
family: custom
grid: ff.tt
legend: {f: frog, t: toad}
state:
  frog: {of: cell}
  toad: {of: cell}
actions:
  hop:
    with: {c: cell, n: 1..2}
    when: frog[c] and not frog[c + n*right] and not toad[c + n*right]
    set: {"frog[c]": false, "frog[c + n*right]": true}
goal: frog[r1c3]
"""

PLAYED: dict[str, tuple[list[Act], list[str]]] = {
    "slitherlink-3x3": ([("click", (0, 0.5)), ("click", (0.6, 0))], ["draw(r1c1,right)", "draw(r1c1,down)"]),
    FROGS: ([("drag", ((0, 1), (0, 2)))], ["hop(r1c2,1)"]),
    "flood-4x4": ([("click", (3, 0))], ["flood(green)"]),
    "lights-out": ([("click", (2, 2))], ["press(r3c3)"]),
    "water-sort-13": ([("click", (3, 0)), ("click", (3, 11))], ["pour(1,12)"]),
    "jugs-8-5-3": ([("click", (7, 0)), ("click", (7, 1))], ["pour(A,B)"]),
    "pancakes-6": ([("click", (2, 0))], ["flip(3)"]),
    "burnt-pancakes-4": ([("click", (1, 0)), ("click", (0, 0))], ["flip(2)", "flip(1)"]),
    "loopover-3x3": ([("drag", ((0, 0), (0, 1))), ("drag", ((1, 1), (0, 1)))], ["right(0)", "up(1)"]),
    "labyrinth-4x4": ([("drag", ((1, 1), (1, 2)))], ["shift_row(2,on)"]),
    "topspin": ([("drag", ((0, 1), (0, 2)))], ["reverse(0)"]),
    "rubiks-cube-six-turns": ([("press", "u"), ("press", "Shift+U")], ["clockwise(U)", "back(U)"]),
    "snake-5": ([("press", "ArrowDown")], ["crawl(down)"]),
    "bridge-and-torch": ([("click", (0, 0)), ("click", (1, 0))], ["cross(Ann,Bob)"]),
    "missionaries-and-cannibals": ([("drag", ((1, 2), (1, 6)))], ["cross(0,1)"]),
    "hanoi-8": ([("drag", ((0, 0), (7, 1)))], ["move(1,middle)"]),
    "sokoban-microban-1": ([("press", "ArrowDown")], ["walk(down)"]),
}


def game(chromium: Any, folder: Path, name: str) -> Opened:
    """A page with a puzzle to play, and nothing else."""
    puzzle = budge.load_text(name) if name is FROGS else budge.load(f"custom/{name}")
    rules = rules_of(puzzle, puzzle.header.metric)
    assert rules is not None
    scripts = "".join(f"<script>{script(part)}</script>" for part in ("board", "game"))
    body = f"<budge-game>{as_script({**rules, 'digest': name})}</budge-game>{scripts}"
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{style()}</style>{body}'
    (folder / "game.html").write_text(page, encoding="utf-8")
    return opened(chromium, folder / "game.html")


def point(page: Any, cell: tuple[float, float]) -> tuple[float, float]:
    """Where the middle of a cell is in the window."""
    x, y = page.evaluate(
        """([row, column]) => {
          const board = document.querySelector("budge-board"), [wide, high] = board.scene.cell;
          const svg = board.querySelector("svg");
          const {x, y} = new DOMPoint((column + 0.5) * wide, (row + 0.5) * high).matrixTransform(svg.getScreenCTM());
          return [x, y];
        }""",
        list(cell),
    )
    return x, y


@pytest.mark.parametrize("name", PLAYED, ids=["frogs" if name is FROGS else name for name in PLAYED])
def test_each_puzzle_is_played_as_itself(chromium: Any, tmp_path: Path, name: str) -> None:
    acts, wanted = PLAYED[name]
    seen = game(chromium, tmp_path, name)
    page = seen.page
    for kind, what in acts:
        if kind == "click":
            page.mouse.click(*point(page, what))
        elif kind == "drag":
            page.mouse.move(*point(page, what[0]))
            page.mouse.down()
            page.mouse.move(*point(page, what[1]), steps=6)
            page.mouse.up()
        else:
            page.keyboard.press(what)
    until(lambda: page.evaluate("document.querySelector('budge-game').notation") == wanted)
    assert seen.errors == []
