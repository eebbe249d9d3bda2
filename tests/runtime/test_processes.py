"""Engines in child processes: limits are hard, what was told is kept, nothing is left behind."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

import psutil
import pytest
from budge import load
from budge.models.errors import UsageError
from budge.models.plan import Plan
from budge.runtime.budget import MIB, Budget
from budge.runtime.child_main import Orders
from budge.runtime.events import Event, LowerBound, Progress, Stage
from budge.runtime.outcome import Outcome, Recorder, Status
from budge.runtime.processes import Child, wait
from budge.workflows.jobs import Job, RunLimits, run_all

from ..helpers.patience import PATIENCE, until


def until_ended(*children: Child) -> None:
    until(lambda: all(child.ended for child in children), lambda: wait(children))
    assert not any(child.process.is_alive() for child in children)


def run(work: Callable[[Budget, Progress], Any], memory: int | None = None) -> Child:
    child = Child(Orders(work, None, memory))
    until_ended(child)
    return child


def tell(budget: Budget, progress: Progress) -> None:
    record = Recorder(budget, progress)
    record.raise_bound(3, "a proof")
    record.found(Plan(()), (7,))


def an_answer(budget: Budget, progress: Progress) -> Outcome:
    tell(budget, progress)
    return Recorder(budget).optimal(Plan(()), (5,), "a better proof")


def deaf(budget: Budget, progress: Progress) -> None:
    tell(budget, progress)
    time.sleep(2 * PATIENCE)


def in_one_call(budget: Budget, progress: Progress) -> None:
    """Work in machine code, which comes back to no Python code that could handle a signal: as a solver does."""
    tell(budget, progress)
    deque(repeat(0), maxlen=0)


def greedy_for_memory(budget: Budget, progress: Progress) -> None:
    tell(budget, progress)
    with mmap.mmap(-1, 320 * MIB) as fresh:  # a heap that was filled and freed before the fork would not grow
        fresh.write(os.urandom(1024) * (320 * 1024))
        time.sleep(2 * PATIENCE)


def suicide(budget: Budget, progress: Progress) -> None:
    tell(budget, progress)
    os.kill(os.getpid(), signal.SIGKILL)


def obedient(budget: Budget, progress: Progress) -> str:
    tell(budget, progress)
    while not budget.stopped():
        time.sleep(0.01)
    return str(budget.stopped())


def listening(budget: Budget, progress: Progress) -> object:
    while budget.incumbent is None:
        budget.stopped()
        time.sleep(0.01)
    return budget.incumbent


def unable(budget: Budget, progress: Progress) -> None:
    raise UsageError("not this puzzle")


def test_result_and_what_was_told() -> None:
    child = run(an_answer)
    assert child.ended == "done"
    assert child.outcome().status is Status.OPTIMAL
    assert [(low, high) for _, low, high in child.known.history] == [
        ((3,), None),
        ((3,), (7,)),
        ((5,), (7,)),
        ((5,), (5,)),
    ]
    assert child.peak >= 0


@pytest.mark.parametrize(
    ("work", "memory", "reason"),
    [
        (greedy_for_memory, 100, "memory limit"),
        (suicide, None, "engine died (signal 9: killed from outside, as the system does when memory is short)"),
    ],
)
def test_what_was_told_outlives_the_engine(
    work: Callable[[Budget, Progress], Any], memory: int | None, reason: str
) -> None:
    is_kept(run(work, memory), reason)


def test_what_was_told_outlives_the_time_limit() -> None:
    child = Child(Orders(deaf, PATIENCE))
    until(lambda: child.known.plan, lambda: wait([child]))
    assert child.ready is not None
    child.ready -= PATIENCE  # so long ago it began
    until_ended(child)
    is_kept(child, "time limit")


def is_kept(child: Child, reason: str) -> None:
    """What `tell` told is the outcome of a child that was ended for a reason."""
    outcome = child.outcome()
    assert child.ended == outcome.stopped_by == reason
    assert outcome.status is (Status.ERROR if "died" in reason else Status.FEASIBLE)
    assert (outcome.lower_bound, outcome.lower_bound_by, outcome.upper_bound) == ((3,), "a proof", (7,))


def test_a_child_is_asked_before_it_is_killed() -> None:
    child = Child(Orders(obedient), grace=PATIENCE)
    until(lambda: child.known.plan, lambda: wait([child]))
    child.stop("interrupted")
    until_ended(child)
    assert (child.ended, child.result) == ("done", "interrupted")
    patiently = Child(Orders(obedient, 0.1), grace=PATIENCE)
    until_ended(patiently)
    assert patiently.result == "time limit"


def grounding(budget: Budget, progress: Progress) -> None:
    progress(Stage(seconds=0.0, text="grounding the puzzle", uninterruptible=True))
    time.sleep(2 * PATIENCE)


def test_an_uninterruptible_stage_is_not_waited_for() -> None:
    child = Child(Orders(grounding, 0.1), grace=10 * PATIENCE)
    until_ended(child)
    assert child.ended == "time limit"


def test_loading_takes_time_of_a_whole() -> None:
    """`seconds` counts from when all is loaded, `until` does not."""
    load = partial(time.sleep, 0.2)
    child = Child(Orders(seconds_given, 10 * PATIENCE, warm_up=load, until=time.monotonic() + PATIENCE))
    until_ended(child)
    assert child.result < PATIENCE - 0.2
    late = Child(Orders(deaf, 10 * PATIENCE, warm_up=load, until=time.monotonic()), grace=0.0)
    until_ended(late)
    assert late.ended == "time limit"


def seconds_given(budget: Budget, progress: Progress) -> float | None:
    return budget.seconds


def test_an_incumbent_reaches_the_child() -> None:
    child = Child(Orders(listening))
    child.tell((4,))
    until_ended(child)
    assert child.result == (4,)


def test_errors_come_with_their_type() -> None:
    child = run(unable)
    assert child.ended == "failed"
    assert isinstance(child.error, UsageError)
    assert str(child.error) == "not this puzzle"


def test_killing_leaves_nothing() -> None:
    child = Child(Orders(deaf))
    child.kill()
    assert child.ended == "interrupted"
    assert not child.process.is_alive()


@pytest.mark.weekly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere children notice at the next look at their budget")
@pytest.mark.parametrize("work", ["deaf", "in_one_call"])
def test_children_do_not_outlive_their_parent(work: str) -> None:
    code = (
        f"from tests.runtime.test_processes import {work}\nfrom budge.runtime.child_main import Orders\n"
        "from budge.runtime.processes import Child, wait\n"
        f"child = Child(Orders({work}))\n"
        "while child.ready is None: wait([child])\n"
        f"print(child.process.pid, flush=True)\nwait([child], {PATIENCE})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until(lambda: gone(pid))


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def test_a_parent_with_threads_starts_afresh() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        [(index, found)] = run_all([Job(load("bird-2"), "bfs", "slides")], RunLimits(PATIENCE, 4096))
    finally:
        done.set()
        thread.join()
    assert index == 0
    assert found.outcome.status is Status.OPTIMAL


def test_runs_side_by_side_all_come_back() -> None:
    jobs = [Job(load("bird-2"), engine, metric) for engine in ("bfs", "bird") for metric in ("slides", "steps")]
    runs = dict(run_all(jobs, RunLimits(PATIENCE, 4096), parallel=3))
    assert sorted(runs) == [0, 1, 2, 3]
    assert [runs[i].outcome.upper_bound for i in (0, 1)] == [(10,), (18,)]
    assert all(found.replay and found.replay.solved for found in runs.values())


def test_interrupting_ends_what_runs_and_starts_no_more() -> None:
    interrupted = threading.Event()
    jobs = [Job(load("servais-93"), "cp-sat", "steps"), Job(load("bird-2"), "bfs", "slides")]

    def stop(job: Job, event: Event) -> None:
        if isinstance(event, LowerBound):
            interrupted.set()

    runs = dict(run_all(jobs, RunLimits(PATIENCE, 4096), interrupted=interrupted, on_event=stop))
    assert list(runs) == [0]
    assert runs[0].outcome.status is Status.INTERRUPTED
    assert runs[0].outcome.lower_bound is not None
