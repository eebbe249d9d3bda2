"""Boards with boxes, found in tasks: the same board, whether the family or a page of rules says what Sokoban is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from budge import Puzzle, load, load_text
from budge.analysis.boxes.box_board import BoxBoard, NotBoxes, find_box_board
from budge.engines.table import find
from budge.models.errors import UsageError
from budge.models.families.sokoban.rules import survey
from budge.models.library import shipped
from budge.models.task import OperatorTask
from budge.workflows.solving import solve

LEVELS = [name for name in shipped() if name.startswith("sokoban/")]

RULES = """
format: 1
family: custom
name: the same in words
legend:
  "@": player
  "+": [player, goal]
  "$": box
  "*": [box, goal]
  "o": goal
constants:
  goal: {of: cell}
state:
  player: {in: cell}
  box: {of: cell}
actions:
  walk:
    with: {d: direction}
    when: not box[player + d]
    set:
      player: player + d
  push:
    with: {d: direction}
    when: box[player + d] and not box[player + 2*d]
    set:
      player: player + d
      box[player + d]: false
      box[player + 2*d]: true
metrics:
  pushes: [push]
  moves: [push, walk]
"""

NO_EDGE = "goal: all(goal[c] or not box[c] for c in cell)\n"


def in_words(level: Puzzle) -> Puzzle:
    """The level as a custom definition."""
    rows = level.board()
    width = max(map(len, rows))
    grid = "".join(f"  {row.ljust(width).replace('.', 'o')}\n" for row in rows)
    filled = len(level.value.boxes) == len(level.value.goals)
    goal = "goal: all(box[c] for c in cell if goal[c])\n" if filled else NO_EDGE
    return load_text(f"{RULES}{goal}grid: |2\n{grid}")


def drawn(board: BoxBoard | NotBoxes) -> tuple[object, ...]:
    assert isinstance(board, BoxBoard)
    cells = board.cells
    return cells, [cells[i] for i in board.boxes], [cells[i] for i in board.goals], cells[board.player]


@pytest.mark.weekly
@pytest.mark.parametrize("name", LEVELS)
def test_the_board_is_that_of_the_level(name: str) -> None:
    puzzle = load(name)
    room, _ = survey(puzzle.value)
    wanted = (tuple(sorted(room.inside)), sorted(room.boxes), sorted(room.goals), puzzle.value.player)
    for same in (puzzle, in_words(puzzle)):
        for metric in ("pushes", "moves"):
            task = same.task(metric)
            board = find_box_board(task)
            assert drawn(board) == wanted
            assert isinstance(board, BoxBoard)
            # Each push is the operator that moves that box that way.
            for cell, d in np.argwhere(board.push >= 0).tolist():
                op = task.operators[board.push[cell, d]]
                assert op.walk == (int(board.neighbour[cell, d ^ 1]), cell)
                assert board.box[cell] in op.delete
                assert board.box[board.neighbour[cell, d]] in op.add


@pytest.mark.parametrize("metric", ["pushes", "moves", "pushes,moves"])
def test_engines_understand_it_in_words(metric: str) -> None:
    puzzle = in_words(load("microban-003"))
    assert find("fess").takes(puzzle)
    solution = solve(puzzle, "fess", metric)
    assert solution.replay is not None
    assert solution.replay.solved
    optimum = solve(load("microban-003"), "astar", metric).outcome.upper_bound
    assert solve(puzzle, "astar", metric).outcome.upper_bound == optimum


def test_astar_prunes_and_ranks_it_as_the_familys() -> None:
    level = load("sokoban/xsokoban-78")
    own, same = solve(level, "astar").outcome, solve(in_words(level), "astar").outcome
    assert own.upper_bound == same.upper_bound == (136,)
    assert "corrals" in same.lower_bound_by
    assert "deadlock searches" in same.lower_bound_by


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sokoban-on-ice", "one cell ahead"),
        ("hanoi-8", "no player"),
        ("bird-2", "no player"),
        ("eight-15", "no player"),
    ],
)
def test_what_is_none_is_refused(name: str, reason: str) -> None:
    puzzle = load(name)
    board = find_box_board(puzzle.task(puzzle.header.metric))
    assert isinstance(board, NotBoxes)
    assert reason in board.reason
    assert not find("fess").takes(puzzle)
    with pytest.raises(UsageError, match=reason):
        solve(puzzle, "fess")


def changed(task: OperatorTask, **fields: object) -> NotBoxes:
    board = find_box_board(replace(task, **fields))  # type: ignore[arg-type]
    assert isinstance(board, NotBoxes)
    return board


def test_each_condition_is_looked_at() -> None:
    task = load("microban-003").task("pushes")
    assert task.walker is not None
    push, *others = task.operators
    assert "same cost" in changed(task, operators=(replace(push, cost=(2,)), *others)).reason
    assert "not every such push" in changed(task, operators=tuple(others)).reason
    assert "not a box on each goal" in changed(task, goal=task.goal[1:]).reason
    one_way = tuple(near[1:] if near else near for near in task.walker.neighbours)
    assert "grid" in changed(task, walker=replace(task.walker, neighbours=one_way)).reason
