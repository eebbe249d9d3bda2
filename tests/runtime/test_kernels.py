"""The one gate of compiled kernels: made once, elsewhere, before any clock, told, kept; and called without numba."""

from __future__ import annotations

import json
import multiprocessing
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import budge
import numpy as np
import psutil
import pytest
from budge import Budget
from budge.cli import main
from budge.lab.make_kernels import Called, code_of, note
from budge.models.errors import UsageError
from budge.runtime import kernel_calls, kernel_files, kernels, processes
from budge.runtime.arrays import Longs, Words
from budge.runtime.events import Event, Note, Preparing
from budge.runtime.kernel_calls import Kernel, by_address, laid_out, name_of, njit

from ..helpers.patience import PATIENCE

# The gate, with something quick in place of all kernels


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh folder, and a process that has loaded no library."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "_here", {})
    monkeypatch.setattr(kernels, "INDEX", tmp_path / "nothing")
    kernels.library.cache_clear()
    yield tmp_path / "cache"
    kernels.library.cache_clear()


@pytest.fixture
def calls(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each process that compiles."""
    file = tmp_path / "calls"
    monkeypatch.setattr(kernels, "_compile", partial(compiles, file))
    monkeypatch.setattr(kernels, "_linked", lambda data: kernels.Library(*json.loads(data.partition(b"\n")[0])))
    monkeypatch.setattr(kernels, "cores", lambda: 1)
    if sys.platform == "linux":  # by `spawn`, after a test that left a thread, a child would have to import this file
        monkeypatch.setattr(processes, "start_method", lambda: "fork")
    return file


def compiles(file: Path, _claims: str, _prefix: str, _budget: Budget, _progress: Any) -> Any:
    with file.open("a") as out:
        out.write(f"{os.getpid()}\n")
    return {"a kernel": {"a layout": ("a symbol", "q")}}, b"code"


def fails(*_arguments: Any) -> None:
    raise ZeroDivisionError("of the test")


def waits(*_arguments: Any) -> None:
    time.sleep(PATIENCE)


def test_they_are_made_once_elsewhere_and_told(calls: Path, cache: Path) -> None:
    events = list[Event]()
    assert not kernels.ready()
    assert kernels.ensure_kernels(events.append) > 0
    assert [event.done for event in events if isinstance(event, Preparing)] == [False, True]
    (process,) = calls.read_text().split()
    assert process != str(os.getpid())
    kept = kernels.library()
    assert kept
    assert list(kept.kernels) == ["a kernel"]
    kernels._here.clear()
    kernels.library.cache_clear()  # as in another process
    assert kernels.ready()
    assert kernels.ensure_kernels(events.append) == 0
    assert len(events) == 2


@pytest.mark.parametrize("how", ["cut", "empty", "zeros", "gone"])
def test_a_damaged_library_is_made_again(how: str, calls: Path, cache: Path) -> None:
    kernels.ensure_kernels()
    file = cache / kernel_files.name()
    data = file.read_bytes()
    file.unlink()
    if how != "gone":
        file.write_bytes({"cut": data[:-1], "empty": b"", "zeros": bytes(len(data))}[how])
    kernels._here.clear()
    kernels.library.cache_clear()
    assert kernels.ensure_kernels() > 0
    assert file.read_bytes() == data


def test_the_clock_of_the_budget_stands_still(calls: Path) -> None:
    budget = Budget(600.0)
    time.sleep(0.01)
    took, elapsed = kernels.ensure_kernels(budget=budget), budget.elapsed
    assert elapsed < time.monotonic() - budget.started + 1e-6
    assert took > 0


def test_where_nothing_can_be_kept(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_files, "places", lambda: iter([Path("/proc/none")]))
    events = list[Event]()
    kernels.ensure_kernels(events.append)
    assert [event.text for event in events if isinstance(event, Note)] == [kernels.NOT_KEPT]
    assert kernels.library()
    assert kernels.ensure_kernels(events.append) == 0


def test_what_fails_is_told_and_not_tried_again(calls: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_compile", fails)
    events = list[Event]()
    kernels.ensure_kernels(events.append)
    (said,) = [event for event in events if isinstance(event, Note)]
    assert said.text.endswith("ZeroDivisionError: of the test")
    assert kernels.library() is None
    assert kernels.ensure_kernels(events.append) == 0
    assert not list(cache.rglob("code"))


def test_an_interruption_ends_it(calls: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_compile", waits)
    budget = Budget(None)
    threading.Timer(0.3, budget.interrupted.set).start()
    kernels.ensure_kernels(budget=budget)
    assert not list(cache.rglob("code"))


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
def test_processes_that_begin_together_compile_once(calls: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=kernels.ensure_kernels) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
        assert process.exitcode == 0
    assert len(calls.read_text().split()) == 1


def test_the_command(calls: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup"]) == 0
    said = capsys.readouterr()
    assert "compiling all kernels, once for this machine: about" in said.err
    assert said.out.startswith("all kernels were compiled in ")
    assert said.out.endswith(f"kept in {cache}\n")
    assert main(["setup", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["compiled"], result["folder"]) == (False, str(cache))


# Whole commands in an empty cache


@pytest.mark.weekly
@pytest.mark.parametrize(
    "command", [["solve", "bird-1"], ["hint", "bird-1"], ["verify", "bird-1"], ["explore", "bird-2"]]
)
def test_small_puzzles_compile_nothing(command: list[str], cache: Path) -> None:
    patient = f"from budge.runtime import kernels; kernels.PATIENCE = {PATIENCE}"  # plain search may be slow
    call = f"from budge.cli import main; main({[*command, '--time-limit', '2h']})"
    program = f"import sys; {patient}; {call}; print('numba' in sys.modules or 'llvmlite' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert not list(cache.glob("*"))


@pytest.mark.weekly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere children notice at the next look at their budget")
@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)]
)
def test_nothing_goes_on_compiling_when_the_command_is_ended(how: signal.Signals, code: int, cache: Path) -> None:
    command = [sys.executable, "-m", "budge", "solve", "bird-2", "--engine", "astar"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stderr
            assert "compiling all kernels, once for this machine: about" in parent.stderr.readline()
            children = psutil.Process(parent.pid).children(recursive=True)
            parent.send_signal(how)
            assert parent.wait(PATIENCE) == code
        finally:
            parent.kill()
    assert not psutil.wait_procs(children, timeout=PATIENCE)[1]
    assert not list(cache.rglob("kernels-library-*"))


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
import budge
from budge.runtime import kernels
kernels.INDEX = kernels.INDEX.with_name("nothing")
kernels.PATIENCE = {patience}
print(*(budge.solve(name, engine).status.value for name, engine in {runs!r}))
"""


@pytest.mark.weekly
def test_plain_search_needs_neither_numba_nor_kernels(cache: Path) -> None:
    runs = [("bird-1", "plain"), ("eight-31-a", "plain"), ("wolf-goat-cabbage", "plain"), ("bird-1", "auto")]
    code = WITHOUT_NUMBA.format(runs=runs, patience=PATIENCE)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["optimal"] * len(runs), "")


@pytest.mark.weekly
def test_engines_load_no_numba() -> None:
    kernels.ensure_kernels()
    code = "import sys, budge; budge.solve('bird-1', 'astar'); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


NEVER_CALLED = {"same_row", "counted_up"}
"""Kernels that only tests call from Python."""


def test_every_kernel_is_in_the_library() -> None:
    kernels.ensure_kernels()
    library = kernels.library()
    assert library
    missing = set()
    for room in ("runtime", "analysis", "engines", "lab"):
        package = import_module(f"budge.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Kernel):
                    missing.add(name_of(value.function))
    missing -= library.kernels.keys()
    assert not {name for name in missing if name.rpartition(".")[2] not in NEVER_CALLED}


# Calls of machine code


class Rows(NamedTuple):
    words: Words
    inner: tuple[Longs, int]
    scale: float


@njit()
def told(rows: Rows, table: Longs, pair: tuple[int, np.uint64], negative: bool) -> tuple[int, np.uint64, bool]:
    """Allocates, writes, and takes every kind of argument."""
    sums = np.zeros(2, np.int64)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            sums[i % 2] += table[i, k] * rows.inner[0][k]
    rows.words[0] += np.uint64(1)
    total = int(sums[0] * rows.scale) + sums[1] + rows.inner[1] + pair[0]
    return (-total if negative else total), rows.words[0] ^ pair[1], negative


@njit()
def nothing(table: Longs) -> None:
    table[0] = 7


def rows() -> Rows:
    return Rows(np.array([2**64 - 3], np.uint64), (np.arange(4), 5), 0.5)


TABLE = np.arange(12).reshape(3, 4)
ARGUMENTS: tuple[Any, ...] = TABLE, (-3, np.uint64(2**63)), True


def by_numba(kernel: Any, *arguments: Any) -> Any:
    return kernel.compiled(*by_address(arguments))


@pytest.fixture(scope="module")
def two_kernels() -> bytes:
    """A library of the two kernels, as it is kept."""
    called: Called = {}
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (told, (rows(), *ARGUMENTS)),
        (told, (rows(), TABLE[:, ::-1], *ARGUMENTS[1:])),
        (nothing, (np.zeros(1, np.int64),)),
    ]
    for kernel, arguments in calls:
        by_numba(kernel, *arguments)
        note(called, kernel, arguments)
    index, code = code_of(called, "test_")
    return json.dumps([index, [len(code)]]).encode() + b"\n" + code


@pytest.fixture
def carried(two_kernels: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    library = kernels._linked(two_kernels)
    monkeypatch.setattr(kernel_calls, "library", lambda: library)


def machine_code(kernel: Any, releases: bool = False) -> Kernel:
    def compile() -> Any:
        pytest.fail("numba is asked")

    return Kernel(kernel.function, compile, releases)


@pytest.mark.usefixtures("carried")
def test_results_are_those_of_numba() -> None:
    carry = machine_code(told)
    for table in (TABLE, TABLE[:, ::-1]):
        mine, numbas = rows(), rows()
        for _ in range(3):
            expected = by_numba(told, numbas, table, *ARGUMENTS[1:])
            assert carry(mine, table, *ARGUMENTS[1:]) == expected
            assert mine.words == numbas.words
    assert list(map(type, expected)) == [int, int, bool]
    once = laid_out(rows())
    assert carry(once, *ARGUMENTS) == by_numba(told, rows(), *ARGUMENTS)
    zeros = np.zeros(3, np.int64)
    assert machine_code(nothing, releases=True)(zeros) is None
    assert zeros[0] == 7


@pytest.mark.usefixtures("carried")
def test_arrays_of_other_layouts_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is one type for numba is one layout: an array of one row is in both orders. Others are for numba."""
    assert machine_code(told)(rows(), TABLE[:1], *ARGUMENTS[1:]) == by_numba(told, rows(), TABLE[:1], *ARGUMENTS[1:])
    other = TABLE.astype(np.int32)
    assert told(rows(), other, *ARGUMENTS[1:]) == by_numba(told, rows(), *ARGUMENTS)
    monkeypatch.setattr(kernel_calls, "find_spec", lambda _name: None)
    with pytest.raises(NotImplementedError, match="told` was compiled for other arguments"):
        machine_code(told)(rows(), other, *ARGUMENTS[1:])


def test_a_library_that_does_not_fit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts: dict[str, Any] = {"sources": kernel_files.sources_hash(), "instructions": [], "kernels": {}}
    monkeypatch.setattr(kernels, "instructions", lambda: "sse4_2 ssse3")
    changes: list[tuple[dict[str, Any], str]] = [
        ({"sources": "00"}, "have changed"),
        ({"instructions": ["popcnt", "ssse3"]}, "this processor has no popcnt"),
        *(({"kernels": value}, "damaged") for value in (None, 7, [7], {"a": 7}, {"a": {"b": "cde"}})),
        *(({key: value}, "damaged|changed|has no") for key in ("sources", "instructions") for value in (None, 7, [7])),
        ({"kernels": {"a": {"b": ["c", "no format"]}}}, "damaged"),
    ]
    for change, reason in changes:
        kernels.INDEX.write_text(json.dumps(facts | change))
        with pytest.raises(ValueError, match=reason):
            kernels._carried()
        assert kernels.library.__wrapped__() is None
        with monkeypatch.context() as alone:
            alone.setattr(kernels, "find_spec", lambda _name: None)
            with pytest.raises(UsageError, match=f"{reason}.*pip install 'budge.kernels.'"):
                kernels.library.__wrapped__()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"sources": "0"}', "[" * 100_000, "\0"])
def test_a_damaged_index_counts_as_not_there(text: str, calls: Path) -> None:
    kernels.INDEX.write_text(text)
    assert kernels.library.__wrapped__() is None
    assert kernels.ensure_kernels() > 0
    assert kernels.library()


def test_kernels_that_are_not_there_are_never_a_reason_to_fail() -> None:
    """Where numba's settings ask for other code, nothing is made beforehand."""
    code = "import budge; from budge.runtime import kernels; print(kernels.ensure_kernels(), kernels.library())"
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "0.0 None\n"
    assert budge.__version__
