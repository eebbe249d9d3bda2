"""Every command ends when its time is over, and after Ctrl-C and SIGTERM, whatever it is doing.

The puzzle of these tests takes half a minute to ground: a worm of five parts on 4x5 cells has some 370,000 operators,
and as what it costs to crawl depends on where the worm is, its actions cannot be kept as programs. (With more cells it
would be noticed within a second that there are too many cases.)
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from budge import load, solve
from budge.cli import main
from budge.models.families import FAMILIES
from budge.runtime.budget import Budget
from budge.runtime.events import ENDING, Event, LayerDone, Stage
from budge.runtime.outcome import Status, StoppedError
from budge.runtime.worker import Apart
from budge.views.progress import LiveState
from budge.views.terminal import Screen
from budge.workflows.checking import check

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs fork, or a pseudo terminal and a timer")
HANGS = 120.0
"""Seconds after which a test that waits for something has failed; never how long it takes."""

WORM = """format: 1
family: custom
name: Worm
grid: |2
  .....
  .....
  .....
  .....
types:
  part: 1..5
state:
  at: {of: part, in: cell, different: true, start: [r1c1, r1c2, r1c3, r1c4, r1c5]}
actions:
  crawl:
    with: {d: direction}
    set:
      at[1]: at[1] + d
      at[2]: at[1]
      at[3]: at[2]
      at[4]: at[3]
      at[5]: at[4]
    cost: 1 if at[1] == r1c1 else 1
goal: at[1] == r4c5
"""

COMMANDS = [
    ["solve"],
    ["solve", "--engine", "bfs"],
    ["verify", "--claim", "3"],
    ["explain"],
    ["hint"],
    ["explore"],
    ["certify"],
    ["check"],
    ["export", "--to", "pddl"],
    ["generate", "custom"],
]
named = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


STAGES = ("grounding the puzzle", "reading the puzzle", "starting")
"""Where it can be when its time is over; the latter two on a machine that is very slow."""


def at_work(told: str) -> str:
    """The stage that is told."""
    return next(stage for stage in STAGES if stage in told)


@pytest.fixture
def worm(tmp_path: Path) -> str:
    file = tmp_path / "worm.yaml"
    file.write_text(WORM)
    return str(file)


def line_of(command: list[str], worm: str) -> list[str]:
    if command[0] == "generate":
        return [*command, "--from", worm, "--out", f"{worm}.made"]
    more = ["--out", f"{worm}.certificate"] if command[0] == "certify" else []
    return [command[0], worm, *command[1:], *more]


@pytest.mark.weekly
@named
def test_the_limit_holds_while_the_puzzle_is_grounded(command: list[str], worm: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "budge", *line_of(command, worm), "--time-limit", "1"],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 3
    assert f"time limit while {at_work(told)}" in told
    assert "Traceback" not in told


@pytest.mark.weekly
@pytest.mark.parametrize("limit", [(1.0, 4096), (60.0, 60)], ids=["time limit", "memory limit"])
def test_operators_are_counted_until_a_limit(limit: tuple[float, int], worm: str) -> None:
    seconds, memory = limit
    events: list[Event] = []
    with Apart() as apart, pytest.raises(StoppedError) as stopped:
        apart.run(partial(check, worm, None), Budget(seconds, memory), events.append)
    assert stopped.value.reason == ("memory limit" if memory == 60 else "time limit")
    assert stopped.value.stage == "grounding the puzzle in moves"
    if memory != 60:
        told = {event.of for event in events if isinstance(event, Stage) and event.of}
        assert told
        assert told <= {"cases of the action `crawl`", "operators of the action `crawl`", "operators"}


def test_the_time_limit_holds_without_a_process_of_its_own(worm: str) -> None:
    began = time.monotonic()
    solution = solve(worm, "plain", time_limit=0.5)
    assert solution.outcome.stopped_by == "time limit"
    assert solution.outcome.stage == "grounding the puzzle"
    assert solution.outcome.times.ground > 0.4
    assert time.monotonic() - began < HANGS


@pytest.mark.weekly
@pytest.mark.parametrize("command", [["solve"], ["verify", "--claim", "3"], ["explain"], ["hint"], ["explore"]])
def test_what_programs_read_of_it(command: list[str], worm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*line_of(command, worm), "--time-limit", "2", "--json"]) == 3
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["command"] == command[0]
    assert result["status"] == "unknown"
    assert result["stopped_by"] == "time limit"
    assert result["stage"] in STAGES
    assert result.get("lower_bound") is None


@LINUX
def test_the_limit_holds_while_the_puzzle_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def endless(name: str) -> Any:
        while True:
            time.sleep(0.01)

    monkeypatch.setattr("budge.workflows.checking.load", endless)
    assert main(["hint", "bird-1", "--time-limit", "1"]) == 3
    err = capsys.readouterr().err
    assert err == f"budge: bird-1: stopped by the time limit while {at_work(err)}\n"
    assert "grounding" not in err


def test_the_next_puzzle_has_a_clock_and_a_process_of_its_own(worm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", worm, "bird-1", "--time-limit", "2"]) == 3
    captured = capsys.readouterr()
    said = captured.err.replace("memory limit", "time limit")  # which comes first depends on the machine
    assert said.startswith(f"{worm}: error: stopped by the time limit while {at_work(said)}")
    assert captured.out.startswith("ok  ")


def test_hard_limits_hold_from_python(worm: str) -> None:
    solution = solve(worm, time_limit=1, hard_limits=True)
    assert (solution.status, solution.outcome.stopped_by) == (Status.UNKNOWN, "time limit")
    assert solution.outcome.stage in STAGES


def test_no_time_at_all_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["solve", "bird-1", "--time-limit", "0"])
    assert ended.value.code == 2
    assert "--time-limit must be more than 0 (got `0`)" in capsys.readouterr().err


# Signals


class Terminal:
    """A command that runs in a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        import pty

        self.ours, theirs = pty.openpty()
        env = {key: text for key, text in os.environ.items() if key not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "budge", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**env, "TERM": "xterm", "COLUMNS": "160"},
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def until(self, text: str) -> None:
        """Read until this is seen, or to the end."""
        deadline = time.monotonic() + HANGS
        while text not in self.seen or not text:
            assert time.monotonic() < deadline, self.seen
            if select.select([self.ours], [], [], 1)[0]:
                try:
                    found = os.read(self.ours, 4096)
                except OSError:  # the end, on Linux
                    found = b""
                if not found:
                    assert not text, self.seen
                    break
                self.seen += found.decode(errors="replace")

    def ends(self, *sent: signal.Signals) -> int:
        """Signals to all of its processes, as a terminal sends them; the exit code. Nothing of it is left."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        for signum in sent:
            os.killpg(self.process.pid, signum)
            time.sleep(0.1)
        self.until("")
        code = self.process.wait(timeout=HANGS)
        os.close(self.ours)
        _, alive = psutil.wait_procs(children, timeout=HANGS)
        assert children
        assert not alive
        assert "Traceback" not in self.seen
        return code


@LINUX
@pytest.mark.weekly
@named
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_puzzle_is_grounded(command: list[str], worm: str, sent: signal.Signals) -> None:
    terminal = Terminal(*line_of(command, worm))
    terminal.until("grounding the puzzle")
    assert terminal.ends(sent) == 128 + sent
    assert ENDING in terminal.seen
    assert "interrupted while grounding the puzzle" in " ".join(terminal.seen.split())


@LINUX
def test_a_second_signal_ends_at_once(worm: str) -> None:
    terminal = Terminal("solve", worm)
    terminal.until("grounding the puzzle")
    assert terminal.ends(signal.SIGINT, signal.SIGINT) == 130


HOOK = """
import atexit, os, runpy, signal, sys
wanted, sent = {module!r}, {signum}
class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), sent)
        if name == "budge.cli" and wanted == "atexit":
            atexit.register(lambda: os.kill(os.getpid(), sent))
if wanted == "the end":
    atexit.register(lambda: os.kill(os.getpid(), sent))
sys.meta_path.insert(0, Hook())
sys.argv = ["budge", "solve", "bird-2", "--engine", "plain", "-q"]
runpy.run_module("budge", run_name="__main__", alter_sys=True)
"""
MODULES = ["argparse", "budge.commands.parsing", "budge.commands.common", "budge.commands.solve", "budge.models.errors"]


@pytest.mark.weekly
@POSIX
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", [*MODULES, "atexit"])
def test_a_signal_while_modules_are_imported_and_after_the_answer(module: str, sent: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOOK.format(module=module, signum=int(sent))], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (128 + sent, "")
    assert ("optimal: no cheaper plan" in done.stdout) is (module == "atexit")


@POSIX
def test_a_closed_terminal_does_not_end_what_nohup_started() -> None:
    code = HOOK.format(module="argparse", signum=int(signal.SIGHUP))
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{code}"
    done = subprocess.run([sys.executable, "-c", ignoring], capture_output=True, text=True)
    assert done.returncode == 0
    assert "optimal: no cheaper plan" in done.stdout


def test_nothing_is_imported_before_signals_are_handled() -> None:
    code = (
        "import sys; there = set(sys.modules); import budge; "
        "print(*sorted(name for name in set(sys.modules) - there if name.split('.')[0] not in ('budge', '__future__')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.weekly
@POSIX
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_when_python_itself_ends_changes_nothing(sent: signal.Signals) -> None:
    code = HOOK.format(module="the end", signum=int(sent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "optimal: no cheaper plan" in done.stdout


WAITING = """
import os, runpy, sys, time
class Waiting:
    def read(self, count):
        os.kill(os.getpid(), {signum})
        time.sleep(1000)
class Stdin:
    buffer = Waiting()
    def isatty(self):
        return False
sys.stdin = Stdin()
sys.argv = ["budge", *{command!r}]
runpy.run_module("budge", run_name="__main__", alter_sys=True)
"""


@pytest.mark.weekly
@POSIX
@pytest.mark.parametrize(
    "command", [["solve", "-"], ["check", "-"], ["show", "-"], ["verify", "bird-1", "--plan", "-"]], ids=" ".join
)
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_standard_input_is_awaited(command: list[str], sent: signal.Signals) -> None:
    code = WAITING.format(command=command, signum=int(sent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS)
    assert (done.returncode, done.stderr) == (128 + sent, "")


# The live line


def test_the_live_line_says_what_is_done() -> None:
    state = LiveState(FAMILIES["sliding-block"].metrics[0])

    def shown(event: Event) -> str:
        state.hear(event)
        return " ".join(state.line(1.0, Screen(120)).split())

    assert shown(Stage(seconds=0.1, text="reading the puzzle")) == "1.0 s reading the puzzle"
    assert shown(Stage(seconds=0.2, engine="bfs", text="grounding the puzzle")) == "1.0 s grounding the puzzle"
    counting = Stage(seconds=0.2, text="grounding the puzzle", count=124_000, of="operators of the action `push`")
    assert shown(counting) == "1.0 s grounding the puzzle, 124 k operators of the action `push`"
    assert shown(Stage(seconds=0.3, engine="bfs", text="starting the search: 9 operators")).endswith("9 operators")
    assert shown(LayerDone(seconds=0.4, engine="bfs", depth=3, states=40)) == "1.0 s bfs: depth 3, 40 states"
    assert ENDING in shown(Stage(seconds=0.5, text=ENDING))
    assert ENDING in shown(LayerDone(seconds=0.6, engine="bfs", depth=4, states=90))


def test_the_worm_is_a_puzzle(worm: str) -> None:
    assert load(worm).metrics == ("moves",)
