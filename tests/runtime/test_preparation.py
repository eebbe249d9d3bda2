"""Compiling before any clock: that it is told, kept, done once, and never part of a limit or a time."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import budge
import psutil
import pytest
from budge import Budget, Status, load
from budge.cli import main
from budge.engines import preparation as engines_preparation
from budge.engines.auto import portfolio
from budge.engines.common.known_together import Portfolio
from budge.engines.engine import Engine, Kernels
from budge.engines.plain.engine import plain
from budge.engines.preparation import kinds_of, preparations
from budge.engines.table import ENGINES
from budge.models.task import Task
from budge.runtime import cache_places, preparation
from budge.runtime.events import Event, Note, PlanFound, Preparing, Progress, silent
from budge.runtime.outcome import Outcome, Recorder
from budge.runtime.preparation import NOT_KEPT, KernelPreparation, needed, prepare
from budge.workflows import exploration, exporting
from budge.workflows import setup as setups
from budge.workflows.comparison import ComparisonListener, Terms, compare
from budge.workflows.solving import solve
from budge.workflows.why import reasons

from ..helpers.patience import PATIENCE

SLOW = 2 * PATIENCE
"""Seconds that the engine of these tests takes to be compiled, by the clock of the process that waits for it."""

LIMIT = PATIENCE
"""Seconds that it may take for a puzzle; it needs a tenth of one."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder, and a process that has prepared nothing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(preparation, "_done", set())
    if kernel_cache := sys.modules.get("budge.runtime.kernel_cache"):  # tests before this one have used kernels
        monkeypatch.setattr(kernel_cache, "used", set())
    return tmp_path / "cache"


def note(file: Path) -> None:
    with file.open("a") as out:
        out.write(f"{os.getpid()}\n")


def fails() -> None:
    raise ZeroDivisionError("of the test")


def parts(file: Path, count: int = 3) -> KernelPreparation:
    return KernelPreparation("toy", tuple(partial(note, file) for _ in range(count)))


def told(events: list[Event]) -> list[tuple[str, int, int]]:
    return [(e.engine, e.done, e.of) for e in events if isinstance(e, Preparing)]


def test_it_is_done_once_elsewhere_and_told(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, events = tmp_path / "calls", list[Event]()
    (done,) = prepare([parts(file)], events.append)
    assert (done.name, done.problem) == ("toy", None)
    assert told(events) == [("toy", 0, 1), ("toy", 1, 1)]
    pids = set(file.read_text().split())
    assert len(pids) == 1
    assert str(os.getpid()) not in pids
    (marker,) = cache.glob("prepared-toy-*")
    kept = cache_places.read(marker.name)
    assert kept
    assert json.loads(kept)["seconds"] >= 0
    assert prepare([parts(file)], events.append) == []
    monkeypatch.setattr(preparation, "_done", set())  # as in another process
    assert prepare([parts(file)], events.append) == []
    assert needed([KernelPreparation("toy", parts(file).parts, "other arguments")])


def test_there_is_one_clock_and_one_count(tmp_path: Path) -> None:
    """Sets of kernels that take longer begin first; what is said beforehand is for all of them."""
    events = list[Event]()
    sets = [
        KernelPreparation(name, parts(tmp_path / name).parts, "", seconds) for name, seconds in (("a", 2), ("b", 30))
    ]
    prepare(sets, events.append)
    assert told(events) == [("b", 0, 2), ("b", 1, 2), ("a", 1, 2), ("a", 2, 2)]
    seconds = [event.seconds for event in events if isinstance(event, Preparing)]
    assert seconds == sorted(seconds)
    assert len({event.about for event in events if isinstance(event, Preparing)}) == 1


def test_the_time_that_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [KernelPreparation("set", (), "", seconds) for seconds in (3.0, 10.0, 1.0)]
    monkeypatch.setattr(preparation, "cores", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert preparation.expected_seconds(sets, 1) == 14
    assert preparation.expected_seconds(sets, 2) == 10  # the longest
    monkeypatch.setattr(os, "getloadavg", lambda: (4.0, 0.0, 0.0))
    assert preparation.expected_seconds(sets, 2) == 30  # four others and these two on two cores
    assert preparation.expected_seconds([], 2) == 0


def compiles() -> None:
    """As a kernel does."""
    from budge.runtime import kernel_cache

    cache_places.write("kernels-a.b-1-2/code", b"of a kernel")
    kernel_cache.used.add("kernels-a.b-1-2/code")


@pytest.mark.parametrize("how", ["cut", "empty", "zeros", "gone"])
def test_damaged_code_is_compiled_again_before_the_clock(
    how: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = KernelPreparation("toy", (compiles,))
    prepare([once])
    monkeypatch.setattr(preparation, "_done", set())
    assert not needed([once])
    monkeypatch.setattr(preparation, "_done", set())
    file = cache / "kernels-a.b-1-2" / "code"
    data = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes({"cut": data[:-1], "empty": b"", "zeros": bytes(len(data))}[how])
    assert needed([once])
    prepare([once])
    assert file.read_bytes() == data
    monkeypatch.setattr(preparation, "_done", set())
    assert not needed([once])


def test_all_compiled_code_cut_off_in_the_middle(cache: Path) -> None:
    """As a full disk leaves it: it is said, nothing of it counts for the limit, and the answer is there."""

    def solve_by_bfs() -> tuple[list[str], float]:
        command = [sys.executable, "-m", "budge", "solve", "bird-1", "--engine", "bfs", "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        *events, result = map(json.loads, ran.stdout.splitlines())
        return [event["type"] for event in events], result["seconds"]["prepare"]

    for _ in range(2):
        types, seconds = solve_by_bfs()
        assert "prepare" in types
        assert seconds > 0
        types, seconds = solve_by_bfs()
        assert "prepare" not in types
        assert seconds == 0
        for file in cache.rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def test_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_places, "places", lambda: iter([Path("/proc/none")]))
    file, events = tmp_path / "calls", list[Event]()
    prepare([parts(file)], events.append)
    assert [event.text for event in events if isinstance(event, Note)] == [NOT_KEPT]
    assert set(file.read_text().split()) == {str(os.getpid())}
    assert prepare([parts(file)], events.append) == []


def test_what_fails_is_told_and_not_marked(cache: Path) -> None:
    events = list[Event]()
    (done,) = prepare([KernelPreparation("toy", (fails,))], events.append)
    assert done.problem == "ZeroDivisionError: of the test"
    (said,) = [event for event in events if isinstance(event, Note)]
    assert said.text == "`toy` could not be prepared and compiles when it runs: ZeroDivisionError: of the test"
    assert not list(cache.glob("prepared-*"))


def test_an_interruption_ends_it(cache: Path) -> None:
    interrupted = threading.Event()
    threading.Timer(0.3, interrupted.set).start()
    assert prepare([KernelPreparation("toy", (partial(time.sleep, PATIENCE),))], silent, interrupted) == []
    assert not list(cache.glob("prepared-*"))


def toy(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    return plain(task, budget, progress)


def compiling(task: Task, budget: Budget) -> None:
    pass


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine that has to be compiled. The clock moves on by `SLOW` seconds when that has been done."""
    engine = Engine(name="slow", solve=toy, kernels=(Kernels("slow", compiling),))
    monkeypatch.setitem(ENGINES, engine.name, engine)
    clock, later = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock() + sum(later))

    def slowly(*arguments: Any) -> list[Any]:
        done = prepare(*arguments)
        later.append(SLOW if done else 0.0)
        return done

    monkeypatch.setattr(engines_preparation, "prepare", slowly)
    return engine


def test_it_is_no_part_of_a_limit_or_a_time(slow: Engine) -> None:
    budget = Budget(LIMIT)
    solution = solve(load("bird-2"), slow, budget=budget)
    times = solution.outcome.times
    assert solution.outcome.status is Status.OPTIMAL
    assert times.prepare >= SLOW
    assert times.total < SLOW > budget.elapsed
    assert solve(load("bird-2"), slow).outcome.times.prepare == 0


def test_comparisons(slow: Engine) -> None:
    events = list[Event]()
    first = compare(
        [load("bird-2")], ["slow"], None, Terms(time_limit=LIMIT), ComparisonListener(on_prepare=events.append)
    )
    again = compare([load("bird-2")], ["slow"], terms=Terms(time_limit=LIMIT))
    for comparison in (first, again):
        (row,) = comparison.rows
        assert row.status is Status.OPTIMAL
        assert row.seconds < LIMIT
    assert first.prepare >= SLOW
    assert again.prepare == 0
    assert any(isinstance(event, Preparing) for event in events)


def test_an_iterator_of_events(slow: Engine) -> None:
    with budge.solve_iter("bird-2", slow, time_limit=LIMIT) as run:
        events = list(run)
        times = run.solution.outcome.times
    assert run.solution.status is Status.OPTIMAL
    assert told(events) == [("slow", 0, 1), ("slow", 1, 1)]
    assert isinstance(events[-1], PlanFound)
    assert times.prepare >= SLOW > times.total


def test_models_for_other_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(exporting, "preparation", lambda: KernelPreparation("export", (print,)))
    assert main(["export", "bird-2", "--to", "lp", "--horizon", "3"]) == 0
    said = capsys.readouterr()
    assert "preparing `export`, first use only: 0 of 1" in said.err
    assert said.out.splitlines()[0].startswith("\\")
    monkeypatch.setattr(exporting, "preparation", lambda: KernelPreparation("export again", (print,)))
    assert main(["export", "bird-2", "--to", "lp", "--horizon", "3", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_on_the_command_line(slow: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--engine", "slow", "--json"]) == 0
    *events, result = map(json.loads, capsys.readouterr().out.splitlines())
    prepared = [event for event in events if event["type"] == "prepare"]
    assert [(event["engine"], event["done"], event["of"]) for event in prepared] == [("slow", 0, 1), ("slow", 1, 1)]
    assert prepared[0]["about"] >= 1
    assert result["seconds"]["prepare"] >= SLOW
    assert result["seconds"]["total"] < SLOW


def test_setup(slow: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(setups, "all_engines", lambda: {"slow": slow})
    monkeypatch.setattr(exploration, "preparation", lambda: KernelPreparation("explore", ()))
    monkeypatch.setattr(reasons, "preparation", lambda: KernelPreparation("why", ()))
    monkeypatch.setattr(setups, "TRIMMING", KernelPreparation("trimming", ()))
    assert main(["setup"]) == 0
    text = capsys.readouterr()
    assert "preparing `slow`, first use only: 0 of" in text.err
    assert re.search("^slow +prepared in ", text.out, re.M)
    assert main(["setup", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["before"], result["prepared"]) == (["slow", "explore", "why", "trimming", "components", "pulls"], [])
    monkeypatch.setattr(cache_places, "places", lambda: iter([Path("/proc/none")]))
    monkeypatch.setattr(preparation, "_done", set())
    assert main(["setup", "-q"]) == 2
    assert "cannot be kept" in capsys.readouterr().out


def test_what_is_ready_runs_while_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Engines that need nothing come first, then the others, each as soon as its own sets of kernels are ready."""
    sets = {name: Kernels(name, compiling, seconds=seconds) for name, seconds in (("a", 1), ("b", 9), ("c", 2))}
    for name, needs in (("both", "ab"), ("long", "b"), ("short", "a"), ("third", "c"), ("none", "")):
        monkeypatch.setitem(ENGINES, name, Engine(name=name, solve=toy, kernels=tuple(sets[one] for one in needs)))
    seen: list[str] = []

    def on_prepare(event: Event) -> None:
        if isinstance(event, Preparing):
            seen.append(f"{event.engine}: {event.done} of {event.of}")

    comparison = compare(
        [load("bird-2"), load("eight-15")],
        ["both", "long", "short", "third", "none"],
        terms=Terms(time_limit=60),
        listener=ComparisonListener(on_prepare=on_prepare, on_row=lambda row: seen.append(row.engine)),
    )
    assert seen == [
        *("none", "none"),
        *("a: 0 of 3", "a: 1 of 3", "short", "short"),
        *("c: 1 of 3", "c: 2 of 3", "third", "third"),
        *("b: 2 of 3", "b: 3 of 3", "both", "long", "both", "long"),
    ]
    assert [row.engine for row in comparison.rows] == ["both", "long", "short", "third", "none"] * 2


def names(engines: list[str], puzzles: list[str]) -> list[str]:
    kinds = kinds_of({load(name).family for name in puzzles})
    return [one.name for one in preparations([ENGINES[name] for name in engines], kinds)]


def test_only_what_a_puzzle_needs_is_compiled_and_nothing_is_named_twice() -> None:
    everything = names(list(ENGINES), ["bird-1", "microban-001"])
    assert len(everything) == len(set(everything))
    plain_tasks = names(list(ENGINES), ["bird-1", "eight-15"])
    assert set(plain_tasks) < set(everything)
    assert not {"fess", "deadlock searches"} & set(plain_tasks)
    assert {"fess", "deadlock searches"} <= set(names(["astar"], ["microban-001"]))


@pytest.mark.parametrize(
    "command", [["solve", "bird-1"], ["hint", "bird-1"], ["verify", "bird-1"], ["explore", "bird-2"]]
)
def test_small_puzzles_compile_nothing(command: list[str], cache: Path) -> None:
    patient = f"from budge.engines import preparation; preparation.PATIENCE = {PATIENCE}"  # plain search may be slow
    call = f"from budge.cli import main; main({[*command, '--time-limit', '2h']})"
    program = f"import sys; {patient}; {call}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert not list(cache.glob("*"))


def test_ctrl_c_while_compiling(cache: Path) -> None:
    """No limit ends it, but the user can; nothing is left behind."""
    command = [sys.executable, "-m", "budge", "solve", "bird-2", "--engine", "astar"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stderr
            assert ", first use only: 0 of" in child.stderr.readline()
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE) == 130
        finally:
            child.kill()
    assert not list(cache.glob("prepared-*"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere children notice at the next look at their budget")
@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)])
def test_nothing_goes_on_compiling_when_the_parent_is_killed(how: signal.Signals, code: int, cache: Path) -> None:
    command = [sys.executable, "-m", "budge", "solve", "bird-2", "--engine", "astar"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stderr
            assert "preparing `" in parent.stderr.readline()
            children = psutil.Process(parent.pid).children(recursive=True)
            assert children
            parent.send_signal(how)
            assert parent.wait(PATIENCE) == code
        finally:
            parent.kill()
    _, left = psutil.wait_procs(children, timeout=PATIENCE)
    assert not left
    assert not list(cache.glob("prepared-*"))


@pytest.mark.parametrize(("name", "again"), [("bird-1", False), ("microban-003", True)])
def test_what_other_kinds_of_puzzles_need_is_not_waited_for(
    name: str, again: bool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all kernels for tasks without a walker ready, plain search is tried longer for tasks with one only."""
    ready = preparations(ENGINES.values(), [False])
    monkeypatch.setattr(preparation, "_done", {one.marker for one in ready})
    asked = list[str]()

    def counted(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
        asked.append(name)
        return Recorder(budget).stopped("time limit")

    task = load(name).task(load(name).metrics[0])
    slices = [Engine(name="counted", solve=counted), ENGINES["astar"]]
    portfolio._once_more(Portfolio(task, Recorder(Budget())), slices)
    assert bool(asked) == again


PROGRAM = """
import sys
from budge import Budget, load
from budge.engines.preparation import prepare_engines, prepare_within
from budge.engines.common.known_together import Portfolio
from budge.engines.table import find
from budge.workflows import exploration, exporting
from budge.workflows.solving import solve

name = sys.argv[1]
exploration.PLAIN_SECONDS = 0.0
if name == "explore":
    prepare_within([exploration.preparation()], Budget())
elif name == "export":
    prepare_within([exporting.preparation()], Budget())
else:
    prepare_engines([find(name)], Budget())
from numba.core import event


class ComparisonListener(event.ComparisonListener):
    def on_start(self, told): pass

    def on_end(self, told):
        function = told.data["dispatcher"].py_func
        if function.__module__.startswith("budge"):
            print("compiled", function.__module__, function.__name__)


event.register("numba:compile", ComparisonListener())
for puzzle in map(load, sys.argv[2:]):
    for metric in puzzle.metrics:
        try:
            if name == "explore":
                exploration.explore(puzzle, metric, Budget(2))
                exploration.hint(puzzle, metric, Budget(2))
            elif name == "export":
                exporting.bounded(puzzle, metric).model(9, idle=True)
            else:
                solve(puzzle, name, metric, Budget(3))
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*(engine.name for engine in ENGINES.values() if engine.compiled), "explore", "export"]
)
def test_nothing_is_left_to_compile(name: str, cache: Path) -> None:
    puzzles = ["bird-2", "eight-20", "microban-003", "heng-dao-li-ma", "xsokoban-38", "korf-01", "unsolvable-lane"]
    command = [sys.executable, "-c", PROGRAM, name, *puzzles, "uva-12x12"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.slow
def test_a_first_comparison_within_a_short_limit(cache: Path) -> None:
    """It is shorter than compiling takes; the puzzle needs a hundredth of it."""
    comparison = compare([load("bird-2")], ["idastar"], terms=Terms(time_limit=10.0))
    assert [row.status for row in comparison.rows] == [Status.OPTIMAL]


def one_of_several(file: Path) -> None:
    """Prepares what others want at the same time, in a process of its own."""
    prepare([parts(file, 1), KernelPreparation("other", (partial(note, file),))])


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
def test_processes_on_an_empty_cache_compile_everything_once(tmp_path: Path) -> None:
    context, file = multiprocessing.get_context("fork"), tmp_path / "calls"
    processes = [context.Process(target=one_of_several, args=(file,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
        assert process.exitcode == 0
    assert len(file.read_text().split()) == 2
