"""Plans as pages show them (`views/web/pieces.js`), held against what Python has replayed."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import budge
from budge.models.library import shipped
from budge.models.plan import Replay
from budge.models.puzzle import Puzzle
from budge.views.player import boards_of, plan_json
from budge.views.scene import Scene
from budge.workflows.playing import Game

from ..helpers.deno import needs_deno, run_module

pytestmark = needs_deno


def in_page(replays: list[tuple[Puzzle, Replay]], folder: Path) -> list[dict[str, Any]]:
    """Each plan in the page: `seen` at the start and after each step, and the `pieces` at the start."""
    shown: list[dict[str, Any]] = run_module("plans_in_pages.js", [plan_json(*pair) for pair in replays], folder)
    return shown


def some_moves(name: str) -> tuple[Puzzle, Replay]:
    """A puzzle and a few moves in it."""
    game = Game(budge.load(name))
    for turn in range(6):
        moves = game.moves()
        if moves:
            game.play(moves[turn * 7 % len(moves)])
    return game.puzzle, game.puzzle.replay(game.plan)


def plan(text: str, moves: str) -> tuple[Puzzle, Replay]:
    puzzle = budge.load_text(text)
    return puzzle, puzzle.replay(puzzle.parse_plan(moves))


def test_a_page_shows_what_python_replayed(tmp_path: Path) -> None:
    """Each shipped puzzle: the same rows, and of each kind pieces on the same cells with the same faces."""
    replays = [some_moves(name) for name in shipped()]
    for (puzzle, replay), page in zip(replays, in_page(replays, tmp_path), strict=True):
        stage = Scene(puzzle)
        for rows, seen in zip(boards_of(puzzle, replay), page["seen"], strict=True):
            if stage.style == "lines":
                assert seen["lines"] == list(rows)
                continue
            assert seen["rows"] == list(rows)
            at = sorted([re.sub(r" \d+$", "", id), *place] for id, place in seen["at"].items())
            assert at == sorted([kind, *cell, face] for kind, cell, face in stage.places(rows))


def test_pieces_go_the_way_that_the_move_took(tmp_path: Path) -> None:
    solution = budge.solve("microban-001", "bfs")
    assert solution.replay
    [page] = in_page([(solution.puzzle, solution.replay)], tmp_path)
    walked = 0
    for before, seen in pairwise(page["seen"]):
        via = seen["via"]
        assert len({len(cells) for cells in via.values()}) <= 1  # the box and the player are in step
        for id, cells in via.items():
            steps = [before["at"][id][:2], *cells]
            assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) <= 1 for a, b in pairwise(steps))
            assert steps[-1] == seen["at"][id][:2]
            walked += 1
    assert walked > 10


PEGS = """\
format: 1
family: custom
grid: |
  oo.o
legend: {"o": peg}
state:
  peg: {of: cell, in: bool}
actions:
  jump:
    with: {c: cell}
    when: peg[c] and peg[c + right] and not peg[c + right + right]
    set: {"peg[c]": false, "peg[c + right]": false, "peg[c + right + right]": true}
  step:
    with: {c: cell}
    when: peg[c] and not peg[c + right]
    set: {"peg[c]": false, "peg[c + right]": true}
goal: peg[r1c3]
"""


def test_pieces_that_are_alike_are_told_apart(tmp_path: Path) -> None:
    """What stays is the same piece; what the move names has moved, although another is nearer; then the nearest has."""
    jump, step = (page["seen"] for page in in_page([plan(PEGS, "jump(r1c1)"), plan(PEGS, "step(r1c2)")], tmp_path))
    first, second, third = (f"peg {number}" for number in (1, 2, 3))
    assert jump[0]["at"] == step[0]["at"] == {first: [0, 0, 0], second: [0, 1, 0], third: [0, 3, 0]}
    assert jump[1]["at"] == {first: [0, 2, 0], third: [0, 3, 0]}
    assert jump[1]["moved"] == [first]
    assert step[1]["at"] == {first: [0, 0, 0], second: [0, 2, 0], third: [0, 3, 0]}
    assert step[1]["moved"] == [second]


def test_pieces_have_names(tmp_path: Path) -> None:
    """A number tells apart what is alike."""
    names = ("bird-2", "microban-001", "wolf-goat-cabbage")
    pieces = [dict(page["pieces"]) for page in in_page([some_moves(name) for name in names], tmp_path)]
    assert pieces[0]["X"] == "piece X"
    assert pieces[1] == {"player 1": "player", "box 1": "box 1", "box 2": "box 2"}
    assert {"wolf 1": "wolf", "goat 1": "goat"}.items() <= pieces[2].items()
