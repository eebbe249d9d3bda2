"""A worker process that is killed at its deadline, and keeps what it has loaded.

Reading a puzzle, loading compiled code and filling tables do not look at the clock. So a command does nothing of this
itself. It only waits: for what the work tells, for the end of its time, and for Ctrl-C.

    this process                                 the process beside it
    run(load) -- starts it (fork: 3 ms) -->      reads the puzzle
              <-- events, the puzzle ---
    run(solve) -- the puzzle ------------->      grounds it, loads, searches
               <-- bounds, plans, stages --
    the time is over, and the grace with it:     is killed; what it has told is kept

The process lives on from one piece of work to the next, and so does what it has loaded. After one that was killed, the
next piece of work gets a new process.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Self

from ..models.errors import BudgeError, FaultError
from . import budget as waits
from .budget import LOADING, Budget
from .child_main import ChildBudget, Orders, Work
from .events import ENDING, Event, Progress, Stage, silent
from .outcome import BoundsSoFar, StoppedError
from .processes import Child, Place, end_process, start_method, start_process, wait
from .worker import worker_main

POLL = 0.05
"""Seconds between two checks for Ctrl-C."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """What the work raised, as it was: with the places of problems."""

    error: BudgeError


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The work as the process runs it: errors come back with all their details, unexpected exceptions as a
    `FaultError`.
    """

    work: Work

    def __call__(self, budget: Budget, progress: Progress) -> Any:
        try:
            return self.work(budget, progress)
        except BudgeError as error:
            return _Raised(error)
        except MemoryError:
            raise
        except Exception as error:
            return _Raised(FaultError.of(error))


def _unpacked(result: Any) -> Any:
    """The result of an attempt. Raises the error that the work raised, if any."""
    if isinstance(result, _Raised):
        raise result.error
    return result


class Apart:
    """A process beside this one that does one piece of work after the other; it is ended when the `with` block is
    left.
    """

    def __init__(self) -> None:
        self._place: Place | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def run(
        self,
        work: Work,
        budget: Budget,
        progress: Progress = silent,
        *,
        prompt: bool = False,
        grace: float = waits.ENGINE,
    ) -> Any:
        """What the work returns, within what is left of a budget. Raises what it raises, and `StoppedError`.

        `prompt`: it looks at the clock often enough. Then it is done here where a process cannot be forked, for one
        that starts afresh takes longer than most puzzles.
        """
        if prompt and start_method() != "fork":
            return _unpacked(here(_Attempt(work), budget, progress))
        budget.resume()
        stages = [LOADING]

        def tell(event: Event) -> None:
            if isinstance(event, Stage):
                stages.append(event.text)
            progress(event)

        child = self._child(_Attempt(work), budget, tell, grace)
        try:
            while not child.ended:
                wait([child], POLL)
                if budget.interrupted.is_set() and child.asked is None:
                    child.stop("interrupted")
                    progress(Stage(seconds=budget.elapsed, text=ENDING))
        finally:
            if not child.ended:
                child.kill()
        if child.error and (failure := child.report().failure):
            raise failure
        if child.ended != "done":
            raise StoppedError(child.ended or "", child.doing or stages[-1], child.known)
        return _unpacked(child.result)

    def _child(self, work: Work, budget: Budget, progress: Progress, grace: float) -> Child:
        """Start the work in the process; a new process is started if there is none or it has died."""
        orders = Orders(work, budget.seconds_left, budget.memory_mib, budget.incumbent)
        if self._place is None or not self._place[1].is_alive():
            self._place = start_process(worker_main, [orders], ChildBudget)
        else:
            with contextlib.suppress(OSError):  # it has died: that is found out when it is looked at
                self._place[0].send([orders])
        return Child(orders, progress, grace, self._place, budget)

    def close(self) -> None:
        """End the process."""
        if self._place is not None:
            end_process(self._place)
            self._place = None


def here(work: Work, budget: Budget, progress: Progress) -> Any:
    """Do the work in this process. If memory runs out, `StoppedError` has the bounds and the plan reported so far."""
    known = BoundsSoFar()

    def tell(event: Event) -> None:
        known.hear(event)
        progress(event)

    try:
        return work(budget, tell)
    except MemoryError:
        known.plan = known.plan or budget.plan  # whose cost is not known
        raise StoppedError("memory limit", known=known) from None
