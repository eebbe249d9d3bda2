"""What people see: the live line and plain lines, widths, colours, characters."""

from __future__ import annotations

import importlib
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import budge
import pytest
from budge.cli import main
from budge.models.families import FAMILIES
from budge.models.library import search, shipped
from budge.models.moves import Metric
from budge.models.plan import Plan
from budge.models.text import columns, wide
from budge.runtime.budget import Budget
from budge.runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Preparing, Working
from budge.runtime.outcome import Outcome, Recorder, Status
from budge.views.board import draw_map, draw_pieces, position
from budge.views.progress import LiveLine, LiveState, PlainLines, Ticker, cut, reporter, short
from budge.views.sections import as_text
from budge.views.solution import of_puzzles, status
from budge.views.terminal import Screen, beside, histogram, is_terminal, labelled, wants_colour

from ..helpers.patience import PATIENCE, until

MOVES = FAMILIES["sliding-block"].metrics[0]
BOTH = FAMILIES["sokoban"].metrics[2]
WIDE = Screen(120)
POSIX = pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo terminal, and a timer")


# The live line


WIDE = Screen(120)


def line(events: list[Event], metric: Metric = MOVES, screen: Screen = WIDE) -> str:
    state = LiveState(metric)
    for event in events:
        state.hear(event)
    return state.line(12.4, screen).strip()


def test_the_live_line_says_bounds_and_who_works_on_what() -> None:
    events: list[Event] = [
        LowerBound(seconds=1.0, engine="cp-sat", lower_bound=(40,), by="h²"),
        PlanFound(seconds=1.5, engine="greedy", plan=Plan(()), cost=(97,)),
        LowerBound(seconds=2.0, engine="cp-sat", lower_bound=(52,), by="h³"),
        Working(seconds=2.0, engine="cp-sat", text="refuting 52 moves"),
        Working(seconds=2.0, engine="bfs", count=4_000_000, of="states"),
        Working(seconds=2.5, engine="bfs", count=4_100_000, of="states"),
    ]
    words = "12.4 s   52 ≤ moves ≤ 97   cp-sat: refuting 52 moves   bfs: 4.1 M states, 200 k/s"
    assert line(events) == words
    assert line(events, screen=Screen(120, unicode=False)) == words.replace("≤", "<=")


@pytest.mark.parametrize(
    ("events", "metric", "words"),
    [
        ([], MOVES, "12.4 s"),
        ([LowerBound(seconds=1.0, lower_bound=(8, 20), by="")], BOTH, "12.4 s   8, 20 ≤ pushes, moves"),
        ([PlanFound(seconds=1.0, plan=Plan(()), cost=(9,))], MOVES, "12.4 s   moves ≤ 9"),
        ([LayerDone(seconds=1.0, depth=12, states=4711)], MOVES, "12.4 s   depth 12, 4.7 k states"),
        ([Note(seconds=1.0, text="compiling")], MOVES, "12.4 s   compiling"),
    ],
)
def test_what_is_not_known_is_left_out(events: list[Event], metric: Metric, words: str) -> None:
    assert line(events, metric) == words


@pytest.mark.parametrize("width", [30, 60, 100])
def test_the_live_line_fits(width: int) -> None:
    events: list[Event] = [Working(seconds=1.0, engine=f"engine-{i}", text="x" * 40) for i in range(5)]
    shown = LiveState(MOVES)
    for event in events:
        shown.hear(event)
    assert columns(shown.line(1.0, Screen(width))) < width
    assert shown.line(1.0, Screen(width)).endswith("…")


def test_bounds_never_get_worse() -> None:
    events: list[Event] = [LowerBound(seconds=1.0, lower_bound=(b,), by="") for b in (5, 3)]
    events += [PlanFound(seconds=1.0, plan=Plan(()), cost=(c,)) for c in (7, 9)]
    assert line(events) == "12.4 s   5 ≤ moves ≤ 7"


def test_numbers_in_few_characters() -> None:
    numbers = [0.0, 950, 4100, 38_000, 380_000, 4_100_000, 41_000_000, 5e9]
    assert [short(n) for n in numbers] == ["0", "950", "4.1 k", "38 k", "380 k", "4.1 M", "41 M", "5.0 G"]


def test_cut() -> None:
    assert cut("abc", 3, "…") == "abc"
    assert cut("abcd", 3, "…") == "ab…"
    assert cut("横刀立马", 5, "…") == "横刀…"


# Plain lines


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def test_at_most_a_line_a_second_and_one_for_each_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, out = Clock(monkeypatch), io.StringIO()
    tell = PlainLines(out, MOVES)
    for number in range(100):  # ten seconds, ten bounds in each
        clock.now += 0.1
        tell(LowerBound(seconds=clock.now - 100, lower_bound=(number,), by="a proof"))
    lines = out.getvalue().splitlines()
    assert 9 <= len(lines) <= 11
    assert lines[0] == "    0.10 s  at least 0 moves: a proof"
    for cost in (97, 96, 95):
        tell(PlanFound(seconds=10.0, engine="greedy", plan=Plan(()), cost=(cost,)))
    assert out.getvalue().splitlines()[len(lines) :] == [f"   10.00 s  plan of {c} moves: greedy" for c in (97, 96, 95)]


def test_what_waited_is_told_by_the_next_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, out = Clock(monkeypatch), io.StringIO()
    tell = PlainLines(out, MOVES)
    tell(LowerBound(seconds=0.0, lower_bound=(1,), by="a"))
    tell(LowerBound(seconds=0.1, lower_bound=(2,), by="b"))
    tell.tick()
    assert out.getvalue().count("\n") == 1
    clock.now += 1.0
    tell.tick()
    tell.tick()
    assert out.getvalue().splitlines()[1:] == ["    0.10 s  at least 2 moves: b"]


def test_a_sign_of_life_after_ten_quiet_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, out = Clock(monkeypatch), io.StringIO()
    tell = PlainLines(out, MOVES, named=True)
    for second in range(1, 25):
        clock.now += 1
        tell(Working(seconds=second, engine="astar", count=second * 1000, of="states"))
    assert out.getvalue().splitlines() == [
        "   11.00 s  astar: 11 k states",
        "   22.00 s  astar: 22 k states",
    ]


def test_an_engine_gives_a_sign_twice_a_second_at_most() -> None:
    seen: list[Event] = []
    record = Recorder(Budget(), seen.append, states=4)
    for _ in range(1000):
        record.working("looking")
    assert [(event.text, event.count, event.of) for event in seen if isinstance(event, Working)] == [
        ("looking", 4, "states")
    ]


# Where which is shown


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "live"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, True)],
)
def test_live_on_a_terminal_only(environment: dict[str, str], live: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert isinstance(reporter(Terminal()), LiveLine) == live
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(reporter(io.StringIO()), PlainLines)  # no terminal, whatever is forced


@pytest.mark.parametrize(
    ("stream", "option", "environment", "coloured"),
    [
        (Terminal(), "auto", {}, True),
        (Terminal(), "auto", {"NO_COLOR": "1"}, False),
        (Terminal(), "auto", {"NO_COLOR": ""}, True),
        (Terminal(), "auto", {"TERM": "dumb"}, False),
        (Terminal(), "never", {}, False),
        (Terminal(), "always", {"NO_COLOR": "1"}, True),
        (io.StringIO(), "auto", {}, False),
        (io.StringIO(), "auto", {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), "auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (io.StringIO(), "always", {}, True),
    ],
)
def test_colours(stream: io.StringIO, option: str, environment: dict[str, str], coloured: bool) -> None:
    assert wants_colour(stream, option, environment) == coloured  # type: ignore[arg-type]


def test_color_option(capsys: pytest.CaptureFixture[str]) -> None:
    for option, coloured in (("always", True), ("never", False), ("auto", False)):
        assert main(["show", "bird-2", "--color", option]) == 0
        assert ("\x1b[" in capsys.readouterr().out) == coloured


def test_is_terminal() -> None:
    assert is_terminal(Terminal(), {"TERM": "xterm"})
    assert not is_terminal(io.StringIO(), {"TERM": "xterm", "FORCE_COLOR": "1"})


def in_terminal(
    *arguments: str, width: int = 100, enough: Callable[[str], bool] = lambda seen: False, **environment: str
) -> tuple[str, int]:
    """What budge writes to a terminal, and its exit code; interrupted when that is `enough`."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**env, "TERM": "xterm", **environment},
        start_new_session=True,
    )
    os.close(theirs)
    seen, signalled = b"", False
    while True:
        try:
            seen += os.read(ours, 65536)
        except OSError:
            break
        if not signalled and enough(seen.decode(errors="ignore")):
            process.send_signal(signal.SIGINT)
            signalled = True
    os.close(ours)
    return seen.decode(), process.wait(timeout=PATIENCE)


def drawn(seen: str) -> list[str]:
    """The seconds of each drawing of the live line, but for those that say that code is loaded."""
    return re.findall(r" (\d+\.\d) s   (?!.*preparing)", seen)


@POSIX
def test_a_search_on_a_terminal_has_one_line_that_goes_away() -> None:
    seen, code = in_terminal("solve", "uva-12x12", "--engine", "plain", enough=lambda seen: len(drawn(seen)) >= 3)
    assert code == 130
    assert drawn(seen) == sorted(drawn(seen), key=float)
    before, after = seen.split("12x12 board", 1)
    assert before.count("\n") <= 1  # one line, always the same
    assert before.endswith("\x1b[2K")  # and it is gone
    assert "\x1b[?25h" in seen  # the cursor is back
    assert "interrupted" in after


@POSIX
def test_a_quick_answer_on_a_terminal_has_none() -> None:
    main(["solve", "bird-2", "--engine", "bfs", "--quiet"])  # compiled
    seen, code = in_terminal("solve", "bird-2", "--engine", "bfs", "--quiet")
    assert code == 0
    assert seen.startswith("Bird's second grid")


@POSIX
def test_forced_colours_draw_no_live_line_in_a_pipe() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", "solve", "uva-12x12", "--engine", "plain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    assert process.stderr
    lines = [process.stderr.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert all(lines)
    assert "\x1b[" not in "".join(lines) + err
    assert "\x1b[" in out


@POSIX
def test_ticks_come_while_the_main_thread_works_and_end() -> None:
    ticks: list[float] = []
    before = signal.getsignal(signal.SIGALRM)
    ticker = Ticker(lambda: ticks.append(time.monotonic()))
    ticker.start()
    until(lambda: len(ticks) == 2, pause=lambda: None)
    ticker.stop()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@POSIX
def test_ticks_wait_while_modules_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that is imported waits for two alarms."""
    (tmp_path / "budge_slow_module.py").write_text("import sys\nwhile len(sys.budge_alarms) < 2:\n    pass\n")
    alarms, ticks = list[float](), list[float]()
    monkeypatch.setattr(sys, "budge_alarms", alarms, raising=False)
    ticker = Ticker(lambda: ticks.append(time.monotonic()))
    heard = ticker._on_alarm

    def on_alarm(_signum: int, frame: FrameType | None) -> None:
        heard(_signum, frame)
        alarms.append(time.monotonic())

    ticker._on_alarm = on_alarm  # type: ignore[method-assign]
    sys.path.insert(0, str(tmp_path))
    ticker.start()
    try:
        importlib.import_module("budge_slow_module")
    finally:
        ticker.stop()
        sys.path.remove(str(tmp_path))
        sys.modules.pop("budge_slow_module", None)
    assert not ticks


def test_preparing_takes_no_time_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    live = LiveLine(io.StringIO())
    now[0] += 20
    live(Preparing(seconds=19.0, about=30))
    live(Preparing(seconds=20.0, about=30, done=True))
    now[0] += 2
    live.tick()
    assert "   2.0 s" in live.stream.getvalue()  # type: ignore[attr-defined]


@POSIX
def test_a_timer_that_is_in_use_is_left_alone() -> None:
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        ticker = Ticker(lambda: None)
        ticker.start()
        ticker.stop()
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# Widths


@pytest.mark.weekly
@pytest.mark.parametrize("width", [60, 100, 200])
@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "bird-1", "--engine", "bfs", "--stats", "--boards"],
        ["solve", "korf-01", "--engine", "bfs", "--time-limit", "2"],
        ["show", "bird-1", "heng-dao-li-ma", "microban-001", "eight-31-a"],
        ["explore", "bird-2"],
        ["hint", "bird-2"],
        ["verify", "bird-2", "--claim", "10", "--engines", "bfs"],
    ],
    ids=lambda arguments: arguments[0] + "-" + arguments[-1],
)
def test_nothing_is_wider_than_the_screen(
    arguments: list[str], width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    main([*arguments, *([] if arguments[0] == "show" else ["--quiet"])])
    out = capsys.readouterr().out
    too_wide = [line for line in out.splitlines() if columns(line) > width]
    assert not too_wide
    widest = max(map(columns, out.splitlines()))
    assert width == 60 or widest > 60  # a wide screen is used


@pytest.mark.parametrize("width", [44, 60, 80, 100, 200])
def test_a_table_fits_and_has_all_its_words(width: int) -> None:
    puzzles = search("")
    sections = [*of_puzzles(puzzles)]
    text, whole = as_text(sections, Screen(width)), as_text(sections, Screen(width, fits=False))
    assert max(map(columns, text.splitlines())) <= width
    assert sorted(text.split()) == sorted(whole.split())
    assert len(whole.splitlines()) == len(puzzles)
    assert "93 steps" in text  # a number stays with its noun
    assert (text == whole) == (width == 200)


def test_beside() -> None:
    assert beside(["ab\nc", "d\ne\nf"], 10) == "ab   d\nc    e\n     f"
    assert beside(["ab\nc", "d\ne\nf"], 5) == "ab\nc\n\nd\ne\nf"
    assert wide("\x1b[1;31mab\x1b[0m") == 2


def test_labelled() -> None:
    text = labelled("lower bound", "10 slides  breadth-first search: no goal within 9 slides", 40)
    assert text == "lower bound  10 slides  breadth-first\n             search: no goal within 9\n             slides"
    assert labelled("bidirectional", "x", 40) == "bidirectional x"


def test_histogram() -> None:
    assert histogram((1, 4, 8), Screen(40, unicode=False)) == [
        "  0  1  ####",
        "  1  4  ###############",
        "  2  8  ##############################",
    ]
    lines = histogram(tuple(range(100)), Screen(60))
    assert len(lines) <= 16
    assert all(columns(line) <= 60 for line in lines)
    assert lines[0].startswith("    0-6   21  █")


# Boards


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_boards_where_the_encoding_has_no_lines(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "budge", "show", "bird-2", "eight-31-a"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=True,
    )
    text = done.stdout.decode(encoding)
    assert "?" not in text
    assert ("+---+" in text) == (encoding != "utf-8")
    assert ("┌───┬" in text) == (encoding == "utf-8")


ROWS = ("AA#", "..B")


def test_ascii_board() -> None:
    drawn = draw_pieces(ROWS, Screen(unicode=False))
    assert drawn.splitlines() == [
        "+-------+---+",
        "| A   A |###|",
        "+-------+---+",
        "|       | B |",
        "+-------+---+",
    ]


@pytest.mark.parametrize(
    ("goal", "sign"),
    [("right", " X   X │ A →"), ("left", "← X   X │ A │")],
)
def test_the_exit_is_drawn(goal: str, sign: str) -> None:
    text = f"format: 1\nfamily: rush-hour\nboard: |\n  XXA\n  ..A\ngoal: {{piece: X, exit: {goal}}}\n"
    puzzle = budge.load_text(text)
    assert sign.strip("│ ") in position(puzzle)
    assert f"goal: piece X gets out to the {goal}" in position(puzzle)


def test_exits_above_and_below() -> None:
    for goal, place in (("top", 0), ("bottom", -1)):
        text = f"format: 1\nfamily: rush-hour\nboard: |\n  .A.\n  .A.\n  ...\ngoal: {{piece: A, exit: {goal}}}\n"
        drawn = position(budge.load_text(text)).split("\n\n")[0].splitlines()
        assert ("↑" if goal == "top" else "↓") in drawn[place]


def test_the_goal_stands_beside_the_board_or_below_it() -> None:
    puzzle = budge.load("heng-dao-li-ma")
    assert position(puzzle, Screen(60)).startswith("start:              goal:\n┌")
    assert "\n\ngoal:\n┌" in position(puzzle, Screen(30))


@pytest.mark.parametrize("name", list(shipped())[::7])
def test_boards_of_all_families_in_both_alphabets(name: str) -> None:
    puzzle = budge.load(name)
    drawn, plain = position(puzzle, Screen(200)), position(puzzle, Screen(200, unicode=False))
    assert len(drawn.splitlines()) == len(plain.splitlines())
    assert [columns(line) for line in drawn.splitlines()] == [columns(line) for line in plain.splitlines()]


def test_map_colours() -> None:
    assert draw_map(("#@",), Screen(), colours={"#": "grey"}) == "#@"
    assert draw_map(("#@",), Screen(colour=True), colours={"#": "grey"}) == "\x1b[90m#\x1b[0m@"


# Words


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(status=Status.OPTIMAL), "optimal: no cheaper plan exists"),
        (
            Outcome(status=Status.UNKNOWN, lower_bound=(3,), stopped_by="time limit"),
            "stopped by the time limit: no plan found; plans shorter than 3 moves are ruled out",
        ),
        (
            Outcome(status=Status.UNKNOWN, stopped_by="memory limit"),
            "stopped by the memory limit: no plan found; nothing is ruled out",
        ),
        (
            Outcome(status=Status.FEASIBLE, upper_bound=(3,), plan=Plan(()), stopped_by="time limit"),
            "stopped by the time limit: a plan, not proven shortest",
        ),
        (Outcome(status=Status.FEASIBLE, upper_bound=(3,), plan=Plan(())), "a plan, not proven shortest"),
        (
            Outcome(status=Status.INTERRUPTED, lower_bound=(1,), stopped_by="interrupted"),
            "interrupted: no plan found; plans shorter than 1 move are ruled out",
        ),
    ],
)
def test_how_it_ended(outcome: Outcome, words: str) -> None:
    assert status(outcome, MOVES) == words


def test_internals_are_told_when_asked_for_and_without_zeros(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--engine", "bfs", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "operators" not in out
    assert "engine       bfs\n" in out
    assert main(["solve", "bird-2", "--engine", "bfs", "--quiet", "--stats"]) == 0
    out = capsys.readouterr().out
    assert "operators" in out
    assert " 0 " not in out.split("counts", 1)[1]


@pytest.mark.usefixtures("unhurried")
def test_auto_says_who_found_and_who_proved_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--quiet"]) == 0
    assert "engine       auto (plain search found and proved it)\n" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "metric", "words"), [("bird-2", "slides", "plan (10 slides):")])
def test_plans_are_counted_in_the_metric(
    name: str, metric: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", name, "--engine", "bfs", "--metric", metric, "--quiet"]) == 0
    assert words in capsys.readouterr().out


def test_one_is_not_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ...\n")
    assert main(["solve", str(path), "--engine", "bfs"]) == 0
    captured = capsys.readouterr()
    assert "plan (1 slide):" in captured.out
    assert "the start is no goal" in captured.out
    for engine in ("cp-sat", "csp", "idastar"):
        assert main(["solve", str(path), "--engine", engine]) == 0
        text = "".join(capsys.readouterr())
        assert not re.search(r"\b1 (slides|steps|rounds|moves|states)\b", text), text
