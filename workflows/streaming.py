"""Work while someone watches: an iterator over its events, with the answer at its end; above all for solving.

The work is done in a child process, so that it goes on while the reader does something else, limits hold, and the
reader can stop it at any time.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from ..engines.engine import Engine
from ..engines.table import find
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Event, Progress
from ..runtime.outcome import BoundsSoFar, Outcome, Status, Times
from ..runtime.processes import Child, wait
from .solving import Solution, fault_of, metric_of, replayed, solve


class Background(Iterator[Event]):
    """A piece of work in a child process: its events as they come; `result` when it has ended.

    To stop it, `stop` and read on, or `close` it, leave its `with` block, or forget it.
    """

    def __init__(self, orders: Orders) -> None:
        """Begin."""
        self._events: deque[Event] = deque()
        self._child = Child(orders, self._events.append)
        weakref.finalize(self, self._child.kill)

    def __next__(self) -> Event:
        """The next event; waits for it. Raises what the work raised."""
        while not self._events and not self._child.ended:
            self._wait()
        if self._events:
            return self._events.popleft()
        self._raise_failure()
        raise StopIteration

    @property
    def result(self) -> Any:
        """What the work has returned, None if it was ended before; waits for it. Events that nobody has read yet can
        still be read. Raises what the work raised.
        """
        while not self._child.ended:
            self._wait()
        self._raise_failure()
        return self._child.result

    @property
    def known(self) -> BoundsSoFar:
        """The bounds and the best plan that a run has reported so far."""
        return self._child.known

    @property
    def ended(self) -> str | None:
        """How the work ended, as in `Child`: "done", "failed", "time limit", ...; None while it goes on."""
        return self._child.ended

    @property
    def elapsed(self) -> float:
        """Seconds of work so far, or altogether, without the loading and compiling of code."""
        return self._child.elapsed

    def stop(self) -> None:
        """Ask it to end with what it has; the events that it still sends can be read."""
        self._child.stop("interrupted")

    def close(self) -> None:
        """Stop it, if it still works, and drop the events that nobody has read."""
        self.stop()
        while not self._child.ended:
            self._wait()
        self._events.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _wait(self) -> None:
        """Wait a short time for the child. Ctrl-C stops the child too."""
        try:
            wait([self._child])
        except KeyboardInterrupt:
            self._child.stop("interrupted")
            raise

    def _raise_failure(self) -> None:
        if failure := self._child.report().failure:
            raise failure


class Solving(Background):
    """A run of an engine: its events as they come; `solution` when they are all read.

    To stop it, `close` it, leave its `with` block, or forget it; what it knew by then is its solution.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        engine: str | Engine,
        metric: str | None,
        budget: Budget,
        options: dict[str, Any],
        *,
        warm_up: bool = True,
    ) -> None:
        """Begin. Raises `UsageError` for an unknown engine, metric or option.

        `warm_up`: load all of the engine's compiled code before the clock starts, a second or two; without, what the
        puzzle needs is loaded when it is needed, within the time limit.
        """
        self.puzzle = puzzle
        self._engine = engine if isinstance(engine, Engine) else find(engine)
        self._metric = metric_of(puzzle, metric)
        work = partial(_outcome, puzzle, self._engine, self._metric, self._engine.checked(options))
        self._solution: Solution | None = None
        load = self._engine.load if warm_up else None
        super().__init__(Orders(work, budget.seconds, budget.memory_mib, warm_up=load))

    def __repr__(self) -> str:
        state = repr(self._solution) if self._solution else "at work"
        return f"Solving({self.puzzle!r}, {self._engine.name}, {state})"

    @property
    def solution(self) -> Solution:
        """The answer; waits for it. Events that nobody has read yet can still be read. Raises what the engine raised,
        `FaultError` if its process died, and `ReplayError` if the plan does not replay.
        """
        while not self._child.ended:
            self._wait()
        if self._child.error:
            self._raise_failure()
        if self._solution is None:
            outcome = self._child.outcome()
            if self._child.result is None:  # it was ended, and could not say what took its time
                outcome = replace(outcome, times=Times(other=self._child.elapsed))
            replay = replayed(self.puzzle, self._metric, outcome)
            self._solution = Solution(self.puzzle, self._engine.name, self._metric, outcome, replay)
        if self._solution.status is Status.ERROR:
            raise fault_of(self._solution)
        return self._solution


def _outcome(
    puzzle: Puzzle, engine: Engine, metric: str, options: dict[str, Any], budget: Budget, progress: Progress
) -> Outcome:
    """What the child does: all of solving."""
    return solve(puzzle, engine, metric, budget, progress, **options).outcome
