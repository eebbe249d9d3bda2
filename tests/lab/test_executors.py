"""Orders on several cores and on Dask: limits hold, dead workers cost a retry, poisonous orders are given up."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from budge.lab.executors import ATTEMPTS, Executor, LocalExecutor, Queue
from budge.models.errors import FaultError
from budge.models.library import load
from budge.runtime.budget import Budget
from budge.runtime.child_main import Orders
from budge.runtime.events import Progress
from budge.runtime.outcome import BoundsSoFar
from budge.runtime.processes import ChildReport
from budge.workflows.jobs import Job, orders_of, run_of
from budge.workflows.rows import Row

from ..helpers.patience import PATIENCE, until


@pytest.fixture
def two() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(2)
    yield executor
    executor.close()


def _square(number: int, budget: Budget, progress: Progress) -> tuple[int, int]:
    return number * number, os.getpid()


def _hang(budget: Budget, progress: Progress) -> None:
    time.sleep(PATIENCE)


def _wait(budget: Budget, progress: Progress) -> str:
    until(budget.stopped)
    return "stopped by itself"


def _die(budget: Budget, progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(budget: Budget, progress: Progress) -> None:
    raise ValueError("no")


def test_workers_live_on_and_every_order_has_its_report(two: LocalExecutor) -> None:
    found = dict(two.carry_out(Orders(partial(_square, n)) for n in range(200)))
    assert [found[n].result[0] for n in range(200)] == [n * n for n in range(200)]
    assert len({report.result[1] for report in found.values()}) <= 2
    again = dict(two.carry_out([Orders(partial(_square, 3))]))
    assert again[0].result[1] in {report.result[1] for report in found.values()}


def test_a_limit_ends_what_hangs_and_the_rest_goes_on(two: LocalExecutor) -> None:
    orders = [Orders(partial(_square, 1)), Orders(_hang, 0.1), *(Orders(partial(_square, n)) for n in range(20))]
    found = dict(two.carry_out(orders))
    assert found[1].ended == "time limit"
    assert sorted(found) == list(range(22))


def test_what_kills_its_process_is_given_up_after_three(two: LocalExecutor) -> None:
    orders = [Orders(_die) if n == 5 else Orders(partial(_square, n)) for n in range(30)]
    found = dict(two.carry_out(orders))
    assert found[5].error is not None
    assert f"{ATTEMPTS} times" in str(found[5].error)
    assert all(found[n].result[0] == n * n for n in range(30) if n != 5)


def test_an_exception_is_a_report(two: LocalExecutor) -> None:
    error = dict(two.carry_out([Orders(_fail)]))[0].error
    assert isinstance(error, FaultError)
    assert str(error) == "a fault of Budge, not of the puzzle: ValueError: no"
    assert 'raise ValueError("no")' in error.details


def test_interruption_ends_what_is_under_way(two: LocalExecutor) -> None:
    interrupted = threading.Event()

    def endless() -> Iterator[Orders]:
        for number in range(10**9):
            yield Orders(partial(_square, number))
            if number == 40:
                interrupted.set()
                yield Orders(_wait)

    found = dict(two.carry_out(endless(), interrupted))
    assert 1 <= len(found) <= 42


def test_bundles_grow_where_orders_are_quick() -> None:
    queue = Queue((Orders(_fail) for _ in range(100)), 0.1, 16)
    assert len(queue.bundle()) == 1
    order = Orders(_fail)

    def ended(seconds: float) -> ChildReport:
        return ChildReport(None, None, "done", BoundsSoFar(), seconds, 0)

    assert queue.ended(0, order, ended(0.01), failed=False) == ended(0.01)
    assert len(queue.bundle()) == 10
    for _ in range(100):
        queue.ended(0, order, ended(0.0001), failed=False)
    assert len(queue.bundle()) == 16
    number, order = queue.bundle()[0]
    assert queue.ended(number, order, ended(0.0), failed=True) is None
    assert queue.alone() == [(number, order)]


# Dask: a scheduler and two workers, as they are started on machines


MODULES = str(Path(__file__).parents[__name__.count(".")])
"""Where this module is found under the name that it has: orders are pickled by it."""


def _start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, MODULES])},
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    with _cluster() as running:
        yield running


def _worker_of(address: str) -> subprocess.Popen[str]:
    """A new worker of a scheduler."""
    worker = _start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    threading.Thread(target=worker.stderr.read if worker.stderr else None, daemon=True).start()
    return worker


def _scheduler() -> tuple[subprocess.Popen[str], str]:
    """A new scheduler, and its address."""
    pytest.importorskip("distributed")
    scheduler = _start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    assert scheduler.stderr
    address = next(word for line in scheduler.stderr for word in line.split() if word.startswith("tcp://"))
    threading.Thread(target=scheduler.stderr.read, daemon=True).start()
    return scheduler, address


@contextmanager
def _cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler's address, and two workers."""
    scheduler, address = _scheduler()
    workers: list[subprocess.Popen[str]] = []
    try:
        for _ in range(2):
            workers.append(_worker_of(address))
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            with suppress(ProcessLookupError):  # killed by a test
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _connected(address: str, workers: int) -> Executor:
    from budge.lab.dask_executor import ClusterExecutor
    from budge.models.errors import UsageError

    def connected() -> bool:
        try:
            found.append(ClusterExecutor(address))
        except UsageError:  # no workers yet
            return False
        if found[-1].cores != workers:
            found.pop().close()
        return bool(found)

    found: list[Executor] = []
    until(connected, lambda: time.sleep(0.1))
    return found[0]


def test_a_first_message_with_news_of_a_worker_is_no_reason_to_give_up(
    cluster: tuple[str, list[subprocess.Popen[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    connect, tries = distributed.Client, list[str]()

    def client(address: str, **more: Any) -> Any:
        tries.append(address)
        if len(tries) < 3:
            raise AssertionError  # as Dask does: `assert len(msg) == 1`
        return connect(address, **more)

    monkeypatch.setattr(distributed, "Client", client)
    _connected(cluster[0], 2).close()
    assert len(tries) >= 3


def test_what_is_left_at_work_does_not_hold_up_the_next_client(
    cluster: tuple[str, list[subprocess.Popen[str]]],
) -> None:
    first = _connected(cluster[0], 2)
    reports = first.carry_out(Orders(_wait) if n else Orders(partial(_square, n)) for n in range(5))
    next(iter(reports))
    reports.close()  # type: ignore[attr-defined]
    first.close()
    second = _connected(cluster[0], 2)
    try:
        found = dict(second.carry_out(Orders(_fail) for _ in range(4)))
    finally:
        second.close()
    assert sorted(found) == list(range(4))


def test_what_is_left_unread_is_ended_and_the_next_orders_are_carried_out(
    cluster: tuple[str, list[subprocess.Popen[str]]],
) -> None:
    executor = _connected(cluster[0], 2)
    try:
        for _ in range(2):
            reports = executor.carry_out(Orders(partial(_square, n) if n else _wait) for n in range(100))
            next(iter(reports))
            reports.close()  # type: ignore[attr-defined]
        found = dict(executor.carry_out(Orders(partial(_square, n)) for n in range(9)))
    finally:
        executor.close()
    assert sorted(found) == list(range(9))


def test_a_dask_worker_that_is_killed_costs_a_retry(cluster: tuple[str, list[subprocess.Popen[str]]]) -> None:
    address, workers = cluster
    executor = _connected(address, 2)
    puzzle = load("bird-2")
    job = Job(puzzle, "plain", "slides")
    found: dict[int, ChildReport] = {}
    try:
        orders = orders_of(job, puzzle.to_yaml(), job.engine, PATIENCE, None)
        for number, report in executor.carry_out(orders for _ in range(40)):
            found[number] = report
            if len(found) == 1:
                os.kill(workers[0].pid, signal.SIGKILL)
    finally:
        executor.close()
    assert sorted(found) == list(range(40))
    assert all(run_of(job, report).outcome.upper_bound == (10,) for report in found.values())


def _noted(file: Path, number: int, ends: Path | None, budget: Budget, progress: Progress) -> int:
    """Note that an order was begun; it ends when a file is there."""
    with file.open("a") as out:
        out.write(f"{number}\n")
    if ends is not None:
        until(lambda: ends.exists() or budget.stopped())
    return number


def test_what_a_killed_dask_worker_had_finished_is_there_and_not_run_again(tmp_path: Path) -> None:
    """Two workers come to a slow order each, after many quick ones; then the first is killed."""
    file, ends = tmp_path / "begun", tmp_path / "ends"
    slow = {40, 60}
    found: list[int] = []
    missing: list[set[int]] = []

    def kill(process: subprocess.Popen[str]) -> None:
        def untold() -> set[int]:
            begun = set(map(int, file.read_text().split())) if file.exists() else set()
            return begun - set(found)

        until(lambda: untold() == slow, lambda: time.sleep(0.1))  # what has ended is told of at once, or nearly so
        missing.append(untold())
        process.kill()
        time.sleep(0.5)
        ends.touch()

    orders = (Orders(partial(_noted, file, n, ends if n in slow else None), PATIENCE) for n in range(120))
    with _cluster() as (address, workers):
        executor = _connected(address, 2)
        killer = threading.Thread(target=kill, args=(workers[0],))
        killer.start()
        try:
            for number, report in executor.carry_out(orders):
                assert report.result == number
                found.append(number)
        finally:
            killer.join()
            executor.close()
    assert missing == [slow]  # what had ended has been told of
    assert sorted(found) == list(range(120))
    times = Counter(map(int, file.read_text().split()))
    # A slow order may be broken off among others, to be done by itself; one of them then dies with its worker.
    assert all(times[number] == 1 for number in range(min(slow)))
    assert all(times[number] <= 3 for number in slow)


def _unless_sick(file: Path, number: int, budget: Budget, progress: Progress) -> int:
    """A number; on a machine that cannot load a library, a line in a file and an error at once."""
    if "SICK" in os.environ:
        with file.open("a") as out:
            out.write(f"{number}\n")
        raise ImportError("no such library")
    time.sleep(0.02)
    return number


@pytest.mark.weekly
def test_a_dask_worker_that_fails_at_once_gets_no_more_and_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _cluster() as (address, workers):
        monkeypatch.setenv("SICK", "1")
        workers.append(_worker_of(address))
        executor = _connected(address, 3)
        try:
            orders = [Orders(partial(_unless_sick, tmp_path / "failed", number)) for number in range(300)]
            found = dict(executor.carry_out(orders))
        finally:
            executor.close()
    assert [found[number].result for number in range(300)] == list(range(300))
    failed = (tmp_path / "failed").read_text().split()
    assert 0 < len(failed) < 100
    assert all(failed.count(number) < ATTEMPTS for number in failed)


@pytest.mark.weekly
def test_what_waits_behind_a_slow_order_is_given_to_who_is_idle(tmp_path: Path) -> None:
    """On two workers, one slow order: everything else ends before it does."""
    file, ends = tmp_path / "begun", tmp_path / "ends"
    with _cluster() as (address, _):
        executor = _connected(address, 2)
        found: list[int] = []
        try:
            for number, _report in executor.carry_out(
                Orders(partial(_noted, file, n, ends if n == 30 else None), PATIENCE) for n in range(60)
            ):
                found.append(number)
                if len(found) == 59:
                    ends.touch()
        finally:
            executor.close()
    assert found[-1] == 30
    assert sorted(found) == list(range(60))


def _keep_key(told: list[str], row: Row) -> None:
    told.append(row.key)


def _killed_again_and_again(tmp_path: Path, times: int) -> None:
    """Experiments into one store; each time one of two workers is killed at a random moment, and another one comes."""
    from budge.lab.experiment import Entrant, Experiment, run
    from budge.lab.store import Store

    chance = random.Random(3)
    experiment = Experiment([load("bird-1"), load("bird-2")], [Entrant("plain")], ["slides", "steps"], repetitions=5)
    with _cluster() as (address, workers):
        for number in range(times):
            executor = _connected(address, 2)
            timer = threading.Timer(chance.uniform(0.0, 2.0), workers[-2].kill)
            timer.start()
            told: list[str] = []
            try:
                with Store(tmp_path / "s.sqlite", create=True) as store:
                    label = f"run {number}"
                    keep = partial(_keep_key, told)
                    done = run(experiment, store, executor, label=label, again=True, on_row=keep)
                    kept = list(store.rows("label = ?", [label]))
            finally:
                timer.join()
                executor.close()
            assert (done.ended, done.proven, done.errors) == (20, 20, [])
            assert [row.key for row in kept] == told
            assert len(set(told)) == 20
            workers[-2].wait()
            workers.append(_worker_of(address))


@pytest.mark.weekly
def test_an_experiment_goes_on_when_a_dask_worker_is_killed(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, 2)


@pytest.mark.slow
def test_an_experiment_goes_on_when_a_hundred_dask_workers_are_killed(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, 100)


def _without_end(budget: Budget, progress: Progress) -> None:
    while not budget.stopped():
        time.sleep(0.05)


@pytest.mark.weekly
def test_a_scheduler_that_is_killed_is_a_fault_with_a_sentence() -> None:
    scheduler, address = _scheduler()
    worker = _worker_of(address)
    try:
        executor = _connected(address, 1)

        def orders() -> Iterator[Orders]:
            yield Orders(_without_end)
            os.killpg(scheduler.pid, signal.SIGKILL)
            yield Orders(_without_end)

        with pytest.raises(FaultError, match=f"the scheduler {address} was lost"):
            list(executor.carry_out(orders()))
        executor.close()
    finally:
        for process in (worker, scheduler):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
