"""`budge replay`, and the boards of a plan side by side: what moved is marked, keys step through."""

from __future__ import annotations

import os
import pickle
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.cli import main
from budge.commands.replay import next_key
from budge.models.cells import Rows
from budge.models.errors import ReplayError
from budge.models.families import load_text
from budge.models.families.custom.rules import CustomSimulator
from budge.models.plan import Replay
from budge.models.puzzle import Puzzle
from budge.views.terminal import Screen
from budge.views.text import MEANINGS, filmstrip, frames, marks, page, step_through
from budge.workflows.solving import replayed, solve

from ..helpers.patience import PATIENCE
from ..helpers.sokoban_levels import text_of

PLAN = "D+1 C+2 E-2 G-2 H-3 D+1 G+1 I-3 F+1 X+4"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.txt"
    path.write_text(PLAN + "\n")
    return path


def played(name: str, text: str) -> tuple[Puzzle, Replay]:
    puzzle = budge.load(name)
    return puzzle, puzzle.replay(puzzle.parse_plan(text))


def test_boards_side_by_side(plan: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for width, across in ((30, 1), (60, 2), (100, 3), (200, 7)):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(["replay", "bird-2", "--plan", str(plan)]) == 0
        lines = capsys.readouterr().out.splitlines()
        titles = next(line for line in lines if line.startswith("start"))
        assert titles.split() == ["start", *PLAN_TITLES[: 2 * (across - 1)]]
        assert max(map(len, lines)) <= width
    assert lines[-1] == "the plan reaches the goal: 10 slides, 20 steps"  # in one line, where that fits


PLAN_TITLES = [word for number, step in enumerate(PLAN.split(), 1) for word in (f"{number}.", step)]


def test_what_moved_is_marked() -> None:
    puzzle, replay = played("bird-2", PLAN)
    shown = frames(puzzle, replay)
    assert [frame.notation for frame in shown[1:]] == PLAN.split()
    second = marks(puzzle, shown[2])  # C goes two cells to the right
    assert second.moved == {(1, 3), (1, 4)}
    assert second.left == {(1, 1), (1, 2)}
    assert second.exit == ((2, 5), "R")
    board = filmstrip(puzzle, replay, Screen(60))
    assert "│ A │ ·   · │[C] [C]│   │" in board
    ascii_board = filmstrip(puzzle, replay, Screen(60, unicode=False))
    assert "| A | .   . |[C] [C]|   |" in ascii_board
    assert ascii_board.isascii()


def test_a_board_that_is_taller_than_the_terminal_scrolls_to_what_moved() -> None:
    inside = [f"#{' ' * 4}#" for _ in range(40)]
    rows = ["######", "#@   #", "# $  #", *inside, "# .  #", "######"]
    puzzle = budge.load_text(text_of(rows))
    replay = puzzle.replay(puzzle.parse_plan("r" + "D" * 41))
    shown, screen = frames(puzzle, replay), Screen(60, height=24)
    for number in (1, 20, 42):
        text = page(puzzle, shown, number, screen)
        assert "$" in text or "*" in text
        assert len(text.splitlines()) <= 24
        assert re.search(r"lines \d+ to \d+ of \d+   u up   d down", text)
    first = [int(re.findall(r"lines (\d+)", page(puzzle, shown, 20, screen, by))[0]) for by in (-99, -5, 0, 5, 99)]
    assert first == [1, first[2] - 5, first[2], first[2] + 5, len(puzzle.board()) + 1 - 18 + 1]
    keys = iter(["n", "d", "d", "u", "n", "q"])
    pages: list[str] = []
    step_through(puzzle, replay, lambda: screen, pages.append, lambda: next(keys))
    assert [re.findall(r"lines (\d+)", text) for text in pages] == [["1"], ["1"], ["6"], ["11"], ["6"], ["1"]]
    assert "lines" not in page(puzzle, shown, 1, Screen(60))


def test_maps_have_marks_at_their_edges_or_in_reverse() -> None:
    puzzle, replay = played("microban-001", "dlU")
    plain = filmstrip(puzzle, replay, Screen())
    assert "#$ ### <" in plain
    assert "\x1b[1;33;7m$\x1b[0m" in filmstrip(puzzle, replay, Screen(colour=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("D+1 C+2", "invalid: the plan stops after 2 moves and the goal is not reached"),
        ("D+1 D+9", "invalid: move 2 (`D+9`): D is blocked"),
        ("Q+1", "no piece Q on this board"),
    ],
)
def test_plans_that_are_none(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(text)
    assert main(["replay", "bird-2", "--plan", str(path)]) == 1
    assert words in capsys.readouterr().err


def test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "bird-2", "--plan", str(tmp_path / "none.txt")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main(["replay", "-", "--plan", "-"]) == 2
    assert "cannot both come from standard input" in capsys.readouterr().err


def test_solve_shows_the_boards_after_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--engine", "bfs", "--boards", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.index("plan (10 slides):") < out.index("10. X+4") < out.index("lower bound")


def test_keys() -> None:
    puzzle, replay = played("bird-2", PLAN)
    shown = frames(puzzle, replay)
    keys = iter(["n", "\x1b[C", "p", "G", "n", "x", "g", "p", "q", "n"])
    seen: list[str] = []
    step_through(puzzle, replay, Screen, seen.append, lambda: next(keys))
    numbers = [0, 1, 2, 1, 10, 10, 10, 0, 0]
    assert seen == [page(puzzle, shown, number, Screen()) for number in numbers]
    assert list(keys) == ["n"]
    assert MEANINGS[""] == "quit"  # the end of input


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_on_a_terminal(plan: Path) -> None:
    """Keys, the second screen, and the terminal as it was before."""
    import pty
    import termios

    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="80", LINES="30")
        os.execv(sys.executable, [sys.executable, "-m", "budge", "replay", "bird-2", "--plan", str(plan)])
    before = termios.tcgetattr(terminal)
    seen = until(terminal, b"0 of 10")
    os.write(terminal, b"n")
    seen += until(terminal, b"1 of 10")
    os.write(terminal, b"nnn")
    seen += until(terminal, b"4 of 10")
    os.write(terminal, b"\x1b[C\x1b[C\x1b[C")
    seen += until(terminal, b"7 of 10")
    os.write(terminal, b"G")
    seen += until(terminal, b"the end of the plan")
    os.write(terminal, b"q")
    seen += until(terminal, b"the plan reaches the goal")
    assert b"\x1b[?1049h" in seen
    assert b"\x1b[?1049l" in seen
    assert termios.tcgetattr(terminal) == before
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize(
    ("arriving", "pressed"),
    [
        ([b"nnn"], ["n", "n", "n"]),
        ([b"\x1b[C\x1b[C", b"\x1bOCn"], ["\x1b[C", "\x1b[C", "\x1bOC", "n"]),
        ([b"n\x1b", b"[", b"6", b"~p"], ["n", "\x1b[6~", "p"]),
        ([b"\x1b", None, b"[C"], ["\x1b", "[", "C"]),  # Escape, and later two other keys
        ([b"\x1b[1;5", None, b"q"], ["\x1b[1;5", "q"]),
        (["é".encode(), b"\xff\n"], ["\xc3", "\xa9", "\xff", "\n"]),
    ],
)
def test_keys_that_arrive_together_or_in_parts(arriving: list[bytes | None], pressed: list[str]) -> None:
    given = iter([byte for part in arriving for byte in ([b""] if part is None else [bytes([n]) for n in part])])
    assert [next_key(lambda _: next(given, b"")) for _ in pressed] == pressed
    assert next_key(lambda _: b"") == ""


def until(terminal: int, words: bytes) -> bytes:
    """What a program writes until it writes some words."""
    import select

    seen, ends = b"", time.monotonic() + PATIENCE
    while words not in seen:
        assert time.monotonic() < ends, seen
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)
    return seen


def field(side: int) -> Puzzle:
    """A square board with a walker in one corner, who is to go to the other."""
    rows = [["."] * side for _ in range(side)]
    rows[0][0], rows[-1][-1] = "@", "E"
    board = "\n".join(f"  {''.join(row)}" for row in rows)
    return load_text(
        f"""format: 1
family: custom
grid: |
{board}
legend: {{"@": player, "E": exit}}
state: {{player: {{in: cell}}}}
constants: {{exit: {{of: cell}}}}
actions:
  go:
    with: {{d: direction}}
    set: {{player: player + d}}
goal: exit[player]
"""
    )


def test_a_replay_draws_no_board_before_it_is_asked_for_and_copies_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, drawn, states = field(40), [], set()
    board, changes = CustomSimulator.board, CustomSimulator.changes

    def counted_board(game: CustomSimulator) -> Rows:
        drawn.append(game)
        return board(game)

    def counted_changes(game: CustomSimulator, *arguments: Any) -> Any:
        states.add(id(game.state))
        found = changes(game, *arguments)
        assert len(found) == 1
        return found

    monkeypatch.setattr(CustomSimulator, "board", counted_board)
    monkeypatch.setattr(CustomSimulator, "changes", counted_changes)
    replay = puzzle.replay(puzzle.parse_plan("go(down) go(right) " * 39))
    assert replay.solved
    assert not drawn
    assert len(states) == 1
    assert replay.steps[-1].board[-1].endswith("@")
    assert len(drawn) == 1
    with pytest.raises(ReplayError) as caught:
        puzzle.replay(puzzle.parse_plan("go(down) go(up) go(up)"))
    assert (caught.value.move_number, caught.value.position) == (3, puzzle.board())


def test_boards_are_the_same_in_any_order_and_after_pickling() -> None:
    puzzle, replay = played("bird-2", PLAN)
    last = replay.steps[-1].board
    boards = [step.board for step in replay.steps]
    again = pickle.loads(pickle.dumps(replay))
    assert again == replay
    assert [step.board for step in again.steps[::-1]] == boards[::-1]
    assert boards[-1] == last
    moves = puzzle.parse_plan(PLAN).moves
    assert boards == [puzzle.replay(budge.Plan(moves[:n])).steps[-1].board for n in range(1, 11)]


@pytest.mark.parametrize("name", ["bird-1", "bi-yi-heng-kong", "eight-31-a", "microban-001", "lights-out"])
def test_a_puzzle_is_itself_after_pickling(name: str) -> None:
    puzzle = budge.load(name)
    assert {puzzle: 1}[pickle.loads(pickle.dumps(puzzle))] == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"upper_bound": (7,)}, "has 6 moves, not 7 moves"),
        ({"lower_bound": (7,)}, "has 6 moves, less than the lower bound of 7 moves"),
        ({"lower_bound": (5,)}, "has 6 moves, more than the claimed optimum"),
    ],
)
def test_a_plan_that_contradicts_what_is_said_of_it(wrong: dict[str, Any], said: str) -> None:
    puzzle = budge.load("jugs-3-5")
    outcome = solve(puzzle, "plain").outcome
    with pytest.raises(ReplayError, match=f"by the rules the plan {said}"):
        replayed(puzzle, "moves", replace(outcome, **wrong))
