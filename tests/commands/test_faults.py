"""Faults are never mistaken for answers: of the program, of a process that dies, of one that cannot start."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.cli import main
from budge.commands import common
from budge.commands.streams import Exit, worst
from budge.engines import table
from budge.engines.engine import Engine
from budge.models.errors import PuzzleError
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask, Task
from budge.runtime import worker
from budge.runtime.events import Progress, silent
from budge.runtime.outcome import Outcome, Recorder, Status

from ..helpers.patience import PATIENCE

BOUND = "a moment of thought"


def _dies(task: OperatorTask, budget: budge.Budget, progress: Progress = silent) -> Outcome:
    """Prove a little, and be killed, as by the system when memory is short."""
    Recorder(budget, progress).raise_bound(3, BOUND)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _stumbles(task: OperatorTask, budget: budge.Budget, progress: Progress = silent) -> Outcome:
    raise KeyError("a bug")


def _cannot_be_loaded(task: OperatorTask, budget: budge.Budget, progress: Progress = silent) -> Outcome:
    raise ImportError("no such library")


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """More engines: `dies`, `stumbles` and `unloadable`; each in a process of its own where limits are hard."""
    solvers = {"dies": _dies, "stumbles": _stumbles, "unloadable": _cannot_be_loaded}
    own = {name: Engine(name=name, solve=solve, prompt=name != "dies") for name, solve in solvers.items()}
    monkeypatch.setattr(table, "ENGINES", {**table.ENGINES, **own})


# A process that dies


@pytest.mark.usefixtures("engines")
def test_from_python_a_process_that_dies_is_an_exception_with_what_was_known() -> None:
    with pytest.raises(budge.FaultError, match=r"engine died \(signal 9: killed from outside") as raised:
        budge.solve("bird-2", "dies", hard_limits=True)
    assert raised.value.solution.status is Status.ERROR
    assert raised.value.solution.lower_bound == 3
    run = budge.solve_iter("bird-2", "dies")
    with pytest.raises(budge.FaultError, match="signal 9"):
        list(run)
    with pytest.raises(budge.FaultError) as raised:
        assert run.solution
    assert raised.value.solution.lower_bound == 3


@pytest.mark.usefixtures("engines")
def test_a_row_of_a_process_that_died_has_an_error() -> None:
    compared = budge.compare("bird-2", ["dies", "plain"])
    assert [(row.status, bool(row.error)) for row in compared.rows] == [(Status.ERROR, True), (Status.OPTIMAL, False)]
    assert "1 error" in repr(compared)


@pytest.mark.usefixtures("engines")
def test_in_the_shell_it_has_a_code_and_a_sentence_and_what_was_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--engine", "dies", "--json", "-q"]) == 70
    said = capsys.readouterr()
    result = json.loads(said.out.splitlines()[-1])
    assert (result["status"], result["lower_bound"], result["lower_bound_by"]) == ("error", 3, BOUND)
    assert "signal 9" in result["error"]
    assert said.err.startswith("budge: error: Bird's second grid: engine died (signal 9")
    assert main(["solve", "bird-2", "bird-1", "--engine", "dies", "-q"]) == 70
    assert "lower bound  3 slides" in capsys.readouterr().out
    assert main(["compare", "bird-2", "--engines", "dies,plain", "-q"]) == 70
    assert main(["verify", "bird-2", "--claim", "10", "--engines", "dies", "-q"]) == 70
    assert main(["verify", "bird-2", "--claim", "10", "--engines", "dies,plain", "-q"]) == 0


@pytest.mark.usefixtures("engines")
def test_batch_keeps_the_error_and_has_a_code(tmp_path: Path) -> None:
    store = str(tmp_path / "s.sqlite")
    assert main(["batch", "bird-2", "--engines", "dies,plain", "--store", store, "--jobs", "1", "-q"]) == 70
    assert main(["batch", "bird-2", "--engines", "plain", "--store", store, "--jobs", "1", "-q"]) == 0


# A fault of the program


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("command", ["compare bird-2", "batch bird-2 --jobs 1 --store s.sqlite"])
def test_a_library_that_cannot_be_loaded_is_no_refusal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--engines", "unloadable,plain", "--json"]) == Exit.FAULT
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()][:-1]
    assert {row["engine"]: row["status"] for row in rows} == {"unloadable": "error", "plain": "optimal"}


@pytest.mark.usefixtures("engines")
def test_an_exception_is_a_sentence_and_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["solve", "bird-2", "--engine", "stumbles", "-q"]) == 70
    said = capsys.readouterr().err
    assert "bird-2: a fault of Budge, not of the puzzle: KeyError: 'a bug'" in said
    assert "Traceback" not in said
    (report,) = tmp_path.glob("budge-fault-*.txt")
    assert str(report) in said
    assert "_stumbles" in report.read_text()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert main(["solve", "bird-2", "--engine", "stumbles", "-q"]) == 70
    assert "_stumbles" in capsys.readouterr().err


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_fault_in_one_puzzle_costs_the_others_nothing(
    method: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where no process can be forked, small puzzles are solved in this one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(worker, "start_method", lambda: method)
    grounded = Puzzle.form

    def form(puzzle: Puzzle, metric: str) -> Task:
        if puzzle.header.name == "Bird's second grid":
            raise KeyError("a bug")
        return grounded(puzzle, metric)

    monkeypatch.setattr(Puzzle, "form", form)
    assert main(["solve", "bird-1", "bird-2", "bird-3", "--engine", "plain", "--json", "-q"]) == 70
    said = capsys.readouterr()
    results = [json.loads(line) for line in said.out.splitlines()]
    assert [result["status"] for result in results] == ["optimal", "error", "optimal"]
    assert results[1]["error"] == "a fault of Budge, not of the puzzle: KeyError: 'a bug'"
    assert said.err.startswith("budge: error: bird-2: a fault of Budge, not of the puzzle: KeyError: 'a bug'\n  help: ")
    assert main(["explain", "bird-2", "bird-1"]) == 70
    assert "bird-2: a fault of Budge" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), 3, "not enough memory"),
        (OSError(28, "No space left on device", "x.txt"), 74, "cannot write to x.txt: No space left"),
        (PermissionError(13, "Permission denied", "x.txt"), 2, "cannot use x.txt: Permission denied"),
        (OSError("Could not find/load shared object file"), 70, "a library cannot be loaded"),
        (ImportError("No module named 'x'"), 70, "a library cannot be loaded"),
        (BrokenPipeError(32, "Broken pipe"), 70, "a fault of Budge"),
        (RecursionError("too deep"), 70, "a fault of Budge"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_exception_has_a_code_that_is_no_answer(
    error: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(common, "expand_puzzles", fails)
    assert main(["list"]) == code
    assert said in capsys.readouterr().err


def test_the_gravest_code_counts() -> None:
    assert worst([0, 1, 3, 2]) == 2
    assert worst([2, Exit.FAULT]) == Exit.FAULT
    assert worst([Exit.FAULT, Exit.WRONG]) == Exit.WRONG
    assert worst([Exit.WRONG, Exit.OUTPUT]) == Exit.OUTPUT
    assert list(Exit) == [0, 1, 3, 2, 70, 4, 74, 130, 129, 131, 143]


# Processes that others have started


def _everything(name: str) -> list[object]:
    """What the workflows answer in a process or a thread of somebody else."""
    run = budge.solve_iter(name, "plain")
    list(run)
    return [
        budge.solve(name).cost,
        budge.solve(name, "plain", hard_limits=True).cost,
        run.solution.cost,
        [row.cost for row in budge.compare(name, ["plain"]).rows],
        budge.verify(name, claim=10, engines=["plain"]).verdict.value,
    ]


POOL = """
import multiprocessing, sys
import budge

{everything}

def status(name):
    return budge.solve(name).status.value

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(_everything, ["bird-2"]))
        print(pool.map(status, ["heng-dao-li-ma"]))  # far too large for plain search: `auto` starts its members there
        for name in ("no-such-puzzle", "format: 1\\nfamily: nope\\n"):
            try:
                pool.apply_async(budge.solve, (name,)).get()
            except budge.BudgeError as error:
                print(type(error).__name__)
"""
"""A script of its own: a pool that starts its workers afresh imports what it calls by the name of its module."""


@pytest.mark.weekly
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_may_call_all_of_it(method: str, tmp_path: Path) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    script = tmp_path / "script.py"
    script.write_text(POOL.format(everything=inspect.getsource(_everything)))
    done = subprocess.run(
        [sys.executable, str(script), method], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    answers = ["[[10, 10, 10, [10], 'optimal']]", "['optimal']", "UsageError", "PuzzleError"]
    assert done.stdout.splitlines() == answers, done.stderr


def test_errors_can_be_pickled() -> None:
    with pytest.raises(PuzzleError) as raised:
        budge.load_text("format: 1\nfamily: nope\n")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.problems) == (str(raised.value), raised.value.problems)
    fault = budge.FaultError("died")
    fault.solution = 7
    assert pickle.loads(pickle.dumps(fault)).solution == 7


@pytest.mark.weekly
def test_threads_may_call_all_of_it() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(_everything("bird-2")))
    thread.start()
    thread.join()
    assert found == [[10, 10, 10, [10], "optimal"]]


@pytest.mark.weekly
def test_work_outlives_the_thread_that_began_it() -> None:
    runs: list[budge.Solving] = []

    def begin() -> None:
        run = budge.solve_iter("bird-2", "cp-sat")
        runs.append(run)
        assert next(run)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    assert runs[0].solution.cost == 10


UNGUARDED = """
import asyncio, threading, budge

def work():
    try:
        print({call})
    except budge.BudgeError as error:
        print(type(error).__name__, error)

{how}
"""


@pytest.mark.weekly
@pytest.mark.parametrize(
    "call",
    [
        "list(budge.solve_iter('bird-2', 'plain'))",
        "budge.compare('bird-2', ['plain'])",
        "budge.solve('bird-2', 'cp-sat', hard_limits=True)",
        "budge.verify('bird-2', claim=10, engines=['plain'])",
    ],
)
def test_a_script_without_a_guard_learns_what_to_do(tmp_path: Path, call: str) -> None:
    """A process with threads starts others afresh, and these import the script again."""
    for how in ("asyncio.run(asyncio.to_thread(work))", "t = threading.Thread(target=work); t.start(); t.join()"):
        script = tmp_path / "script.py"
        script.write_text(UNGUARDED.format(call=call, how=how))
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
        assert done.stdout.startswith("UnguardedError a process that Budge starts imports your script again")
        assert 'put what calls Budge under `if __name__ == "__main__":`' in done.stdout
        assert len(done.stdout.splitlines()) == 1
        assert done.stderr == ""


def test_the_same_script_with_a_guard_works(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    how = 'if __name__ == "__main__":\n    asyncio.run(asyncio.to_thread(work))'
    script.write_text(UNGUARDED.format(call="budge.compare('bird-2', ['plain']).rows[0].cost", how=how))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("10\n", "")


# What is mistyped


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("solve bird-1 --engin bfs", "`solve` has no option `--engin`; did you mean `--engine`?"),
        ("solve bird-1 --engine bfs --engine astar", "--engine is given twice"),
        ("compare bird-1 --engine bfs --engine astar", "`compare` has no option `--engine`; did you mean `--engines`?"),
        ("compare bird-1 --engines bfs --engines astar", "--engines is given twice; put commas between the names"),
        ("batch bird-1 --store=", "--store needs a value, not an empty text"),
        ("solve bird-1 --metric=", "--metric needs a value, not an empty text"),
        ("compare bird-1 --html=", "--html needs a value, not an empty text"),
        ("results x.sqlite --status nope", "--status cannot be `nope`; choose one of `optimal`"),
    ],
)
def test_options_mean_what_they_say(command: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(command.split())
    assert raised.value.code == 2
    assert said in capsys.readouterr().err
