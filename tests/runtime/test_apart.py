"""Work that is done apart: it is ended whatever it does, what it told is kept, and the process lives on."""

from __future__ import annotations

import os
import sys
import time

import pytest
from budge.models.errors import Problem, PuzzleError
from budge.runtime.budget import Budget
from budge.runtime.events import ENDING, Event, LowerBound, Progress, Stage
from budge.runtime.outcome import Recorder, Status, StoppedError
from budge.runtime.worker import Apart

PROBLEM = Problem("a.yaml", 3, 7, "`x` is not known", "write `y`", "goal: x", 1)


def endless(budget: Budget, progress: Progress) -> None:
    """Work that looks at no clock."""
    progress(Stage(seconds=0.0, text="counting grains of sand"))
    Recorder(budget, progress).raise_bound(3, "a proof")
    while True:
        time.sleep(0.01)


def own_pid(budget: Budget, progress: Progress) -> int:
    return os.getpid()


def faulty(budget: Budget, progress: Progress) -> None:
    raise PuzzleError([PROBLEM], 2)


def hungry(budget: Budget, progress: Progress) -> None:
    held = []
    while True:
        held.append(bytearray(os.urandom(1024) * 16 * 1024))
        time.sleep(0.01)


def compiling(budget: Budget, progress: Progress) -> float:
    with budget.paused():
        time.sleep(1.5)
    return budget.elapsed


def prompt(budget: Budget, progress: Progress) -> int:
    progress(Stage(seconds=0.0, text="waiting"))
    while not budget.interrupted.is_set():
        time.sleep(0.01)
    return 7


def test_what_cannot_end_is_ended_and_what_it_told_is_kept() -> None:
    with Apart() as apart:
        with pytest.raises(StoppedError) as caught:
            apart.run(endless, Budget(0.3))
        stop = caught.value
        assert str(stop) == "stopped by the time limit while counting grains of sand"
        outcome = stop.outcome()
        assert (outcome.status, outcome.stopped_by) == (Status.UNKNOWN, "time limit")
        assert (outcome.lower_bound, outcome.stage) == ((3,), "counting grains of sand")
        assert apart.run(own_pid, Budget(60)) != os.getpid()  # by a new process


def test_the_process_lives_on_and_ends_with_its_block() -> None:
    with Apart() as apart:
        first, second = (apart.run(own_pid, Budget(60)) for _ in range(2))
    assert first == second != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_errors_come_back_with_all_their_problems() -> None:
    with Apart() as apart, pytest.raises(PuzzleError) as caught:
        apart.run(faulty, Budget(60))
    assert (caught.value.problems, caught.value.dropped) == ([PROBLEM], 2)


def test_the_limit_of_memory_holds() -> None:
    with Apart() as apart, pytest.raises(StoppedError, match="stopped by the memory limit"):
        apart.run(hungry, Budget(60, 150))


def test_no_limit_ends_what_is_compiled_and_the_clock_of_both_stands_still() -> None:
    budget = Budget(1.0)
    with Apart() as apart:
        took = apart.run(compiling, budget)
    assert took < 1.0
    assert budget.elapsed < 1.0 + took + 5  # not the 1.5 s, whatever the machine does meanwhile
    assert budget.remaining > 0 or took > 0.5


@pytest.mark.parametrize(("work", "result"), [(prompt, 7), (endless, None)])
def test_who_interrupts_gets_what_is_there(work: object, result: int | None) -> None:
    budget, told = Budget(600), list[Event]()

    def interrupt(event: Event) -> None:
        told.append(event)
        budget.interrupted.set()

    with Apart() as apart:
        if result is not None:
            assert apart.run(work, budget, interrupt) == result  # type: ignore[arg-type]
        else:
            with pytest.raises(StoppedError) as caught:
                apart.run(work, budget, interrupt)  # type: ignore[arg-type]
            assert caught.value.outcome().status is Status.INTERRUPTED
            assert any(isinstance(event, LowerBound) for event in told)
    assert [event.text for event in told if isinstance(event, Stage)][-1] == ENDING


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are started afresh anyway")
def test_what_is_quick_is_done_here_where_nothing_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.runtime.worker.start_method", lambda: "spawn")
    with Apart() as apart:
        assert apart.run(own_pid, Budget(60), prompt=True) == os.getpid()
        assert apart.run(own_pid, Budget(60)) != os.getpid()
