"""Playing by hand: the legal moves are those that the rules allow and the task has, undo and redo, hints."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

import budge
import pytest
from budge.models.cells import Cell
from budge.models.errors import ReplayError, UsageError
from budge.models.library import shipped
from budge.models.moves import Move, Slide
from budge.models.plan import Plan, Simulator
from budge.models.program import Machine, ProgramTask
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.workflows.playing import Game

from ..helpers.jugs import FAMILY, Pour

ONE_OF_EACH = ["bird-2", "heng-dao-li-ma", "eight-31-a", "microban-001"]
CUSTOM = [name for name in shipped() if name.startswith("custom/")]


def allowed(game: Simulator[Slide], move: Slide) -> bool:
    try:
        game.fork().play(move)
    except ReplayError:
        return False
    return True


def first_cell(board: tuple[str, ...], cell: Cell) -> Cell:
    """The first cell of the piece that covers a cell; the cell itself on a map."""
    letter = board[cell[0]][cell[1]]
    if not letter.isalnum():
        return cell
    return next((r, row.index(letter)) for r, row in enumerate(board) if letter in row)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_moves_of_one_cell_are_those_that_the_rules_allow(name: str) -> None:
    puzzle = budge.load(name)
    rows = puzzle.board()
    cells = list(product(range(len(rows)), range(max(map(len, rows)))))
    game, choice = puzzle.record.simulate(puzzle.value), random.Random(name)
    for _ in range(20):
        listed = list(game.moves() or ())
        tried = {Slide(cell, way) for cell in cells for way in "UDLR" if allowed(game, Slide(cell, way))}
        tried = {move for move in tried if move.cell == first_cell(game.board(), move.cell)}
        assert {move for move in listed if len(move.path) == 1} == tried
        assert all(allowed(game, move) for move in listed)
        game.play(choice.choice(listed))


@pytest.mark.weekly
@pytest.mark.parametrize("name", CUSTOM)
def test_the_actions_of_custom_puzzles_are_those_of_the_task(name: str) -> None:
    """From the start, every action that an operator or a program of the task makes there, and no other."""
    puzzle = budge.load(name)
    task = puzzle.form(puzzle.header.metric)
    if isinstance(task, ProgramTask):
        machine = Machine(task)
        done = (action for action in task.actions if machine.after(task.init, action))
        operators = {str(action.move(machine.registers)) for action in done}
    elif task.walker is not None:
        pytest.skip("the walks are no operators")
    else:
        assert isinstance(task, OperatorTask)
        state = set(task.init)
        operators = {str(op.move) for op in task.operators if op.move and state.issuperset(op.pre)}
    listed = list(map(str, Game(puzzle).moves()))
    assert len(set(listed)) == len(listed)
    assert operators <= set(listed)
    for text in set(listed) - operators:  # what leads nowhere new has no operator
        game = Game(puzzle)
        game.play(next(move for move in game.moves() if str(move) == text))
        assert game.board == puzzle.board()


@pytest.mark.parametrize(("name", "metric"), [("bird-2", "slides"), ("heng-dao-li-ma", "slides")])
def test_moves_as_far_as_the_metric_goes_are_the_operators(name: str, metric: str) -> None:
    puzzle = budge.load(name)
    task = puzzle.task(metric)
    state = set(task.init)
    assert ends(op.move for op in task.operators if state.issuperset(op.pre)) == ends(Game(puzzle, metric).moves())


def ends(moves: Iterable[Move | None]) -> set[tuple[Cell, Cell]]:
    """From where to where slides go."""
    return {(move.cell, move.end) for move in moves if isinstance(move, Slide)}


def test_any_path_of_one_piece_is_one_of_moves() -> None:
    text = "format: 1\nfamily: sliding-block\nboard: |\n  a..\n  #..\n  bb.\ngoal: |\n  ...\n  #..\n  ..a\n"
    game = Game(budge.load_text(text), "moves")
    ends = {move.end for move in game.moves() if isinstance(move, Slide) and move.cell == (0, 0)}
    assert ends == {(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)}
    far = next(move for move in game.moves() if isinstance(move, Slide) and move.end == (2, 2))
    game.play(far)
    assert game.solved
    assert game.costs["moves"] == 1
    assert Game(game.puzzle, "steps").moves() == [Slide((0, 0), "R"), Slide((2, 0), "R")]


def test_the_player_walks_anywhere_and_pushes_from_there() -> None:
    level = "format: 1\nfamily: sokoban\nmap: |2\n  ######\n  #@$ .#\n  #    #\n  ######\n"
    game = Game(budge.load_text(level))
    walks = {move.end for move in game.moves() if isinstance(move, Slide) and move.cell == (1, 1)}
    assert walks == {(1, 3), (1, 4), (2, 1), (2, 2), (2, 3), (2, 4)}
    pushes = {(move.cell, move.path) for move in game.moves() if isinstance(move, Slide) and move.cell == (1, 2)}
    assert pushes == {((1, 2), "R"), ((1, 2), "L")}
    assert [game.play(Slide((1, 2), "R")), game.play(Slide((1, 3), "R"))] == ["R", "R"]
    assert game.solved
    assert game.costs == {"pushes": 2, "moves": 2}


def test_undo_and_redo() -> None:
    game = Game(budge.load("bird-2"))
    start, first = game.board, game.moves()[0]
    text = game.play(first)
    second = game.moves()[-1]
    game.play(second)
    there = game.board
    assert (len(game.notation), game.notation[0]) == (2, text)
    assert not game.redo()
    assert game.undo()
    assert game.undo()
    assert not game.undo()
    assert (game.board, game.costs["steps"], game.notation) == (start, 0, [])
    assert game.redo()
    assert game.redo()
    assert not game.redo()
    assert game.board == there
    assert game.undo()
    assert game.undo()
    assert game.board == start
    game.play(first)
    assert not game.redo()
    assert game.plan == Plan((first,))


def test_what_is_not_allowed_changes_nothing() -> None:
    game = Game(budge.load("bird-2"))
    with pytest.raises(ReplayError, match="blocked"):
        game.play(Slide((0, 0), "U"))
    with pytest.raises(ReplayError, match="no move of this family"):
        game.play(Pour(0, 1))
    assert (game.notation, game.board, game.costs) == ([], game.puzzle.board(), {"slides": 0, "steps": 0})


SMALL = {
    "rush-hour": "board: |\n  AA.B\n  ...B\n  CC..\n",
    "sliding-block": "board: |\n  ab.\n  .cd\ngoal: |\n  b.d\n  ..a\n",
    "n-puzzle": "start: |\n  1 2 3\n  . 4 6\n  7 5 8\n",
    "sokoban": "map: |2\n  #######\n  #@$  .#\n  #     #\n  #######\n",
}


@pytest.mark.parametrize("name", [*SMALL, "wolf-goat-cabbage"])
def test_hints_lead_to_the_goal(name: str) -> None:
    small = f"format: 1\nfamily: {name}\n{SMALL.get(name)}"
    game = Game(budge.load_text(small) if name in SMALL else budge.load(name))
    answer = game.hint()
    assert isinstance(answer.distance, int)
    assert answer.every
    for left in range(answer.distance, 0, -1):
        assert answer.distance == left
        assert all(step.moves[0] in game.moves() for step in answer.steps)
        for move in answer.steps[-1].moves:
            game.play(move)
        answer = game.hint()
    assert game.solved


def test_a_hint_where_steps_differ_in_cost_and_where_there_is_no_way() -> None:
    level = "format: 1\nfamily: sokoban\nmap: |2\n  ######\n  #@$ .#\n  #    #\n  ######\n"
    answer = Game(budge.load_text(level), "pushes,moves").hint()
    assert (answer.distance, answer.every) == ((2, 2), False)
    assert answer.steps == (Plan((Slide((1, 2), "R"),)),)
    stuck = Game(budge.load_text(level.replace("#@$ .#", "#@ $.#").replace("#    #", "#####")))
    stuck.play(Slide((1, 3), "R"))
    assert stuck.hint().distance == 0


def test_here_is_the_puzzle_of_this_position() -> None:
    game = Game(budge.load("microban-001"))
    for _ in range(3):
        game.play(game.moves()[-1])
    here = game.here()
    assert here.board() == game.board
    assert here.header.expect == budge.load_text(here.to_yaml()).header.expect


def test_a_family_of_others_can_be_played() -> None:
    puzzle = Puzzle(FAMILY, budge.load("bird-2").header, _jugs())
    game = Game(puzzle, "pours")
    assert game.moves() == [Pour(0, 1), Pour(0, 2)]
    assert game.play(Pour(0, 1)) == "A>B"
    assert game.undo()
    assert game.board == puzzle.board()


def _jugs() -> object:
    from ..helpers.jugs import Jugs

    return Jugs((8, 5, 3), (8, 0, 0), 4)


def test_a_family_that_lists_no_moves_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(budge.load("bird-2"))
    monkeypatch.setattr(type(game.puzzle.record.simulate(game.puzzle.value)), "moves", Simulator.moves)
    with pytest.raises(UsageError, match="rush-hour does not list"):
        game.moves()
