"""Processes that live on from one piece of work to the next, and keep what they have loaded: the parent's view.

To start a process and to load compiled code takes some hundred milliseconds, to solve an easy puzzle one. So a `Worker`
lives on, gets its orders in bundles (one message for many), and each order is watched as if it had a process of its
own: a `Child` hears what the worker tells of it, and ends the process if it goes beyond its limits. Then the worker
gets a new process, and the rest of the bundle.

    parent                                  worker
    give([a, b, c])  --- [a, b, c] --->     load what a needs, carry out a
    Child(a) hears   <-- ready, events, memory, result
    Child(b) hears   <-- ready ...          b goes beyond its limit
    Child(b) kills the process; a new one gets [c]

Reading a puzzle, loading compiled code and filling tables do not look at the clock. So a command does nothing of this
itself. It only waits: for what the work tells, for the end of its time, and for Ctrl-C.

`Apart` is the process beside it:

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
from collections import deque
from collections.abc import Iterator
from typing import Any, Self

from ..models.errors import BudgeError, FaultError
from . import budget as waits
from .budget import LOADING, Budget
from .child_main import Orders, Work
from .events import ENDING, Event, Progress, Stage, silent
from .outcome import BoundsSoFar, StoppedError
from .processes import Child, ChildReport, Place, start_method, start_process, wait

POLL = 0.05
"""Seconds between two checks for Ctrl-C."""

Numbered = tuple[int, Orders]
"""Orders, and the number by which their giver knows them."""


class _LastingProcess:
    """A process that gets orders again and again; a new one is started if there is none or it has died."""

    def __init__(self) -> None:
        self._place: Place | None = None

    def hand_over(self, orders: list[Orders]) -> Place:
        """Let the process carry out orders."""
        if self._place is None or not self._place[1].is_alive():
            self._place = start_process(orders)
        else:
            with contextlib.suppress(OSError):  # it has died: that is found out when it is looked at
                self._place[0].send(orders)
        return self._place

    def close(self) -> None:
        """End the process."""
        if self._place is not None:
            pipe, process = self._place
            process.kill()
            process.join()
            pipe.close()
            self._place = None


class Worker(_LastingProcess):
    """The parent's view of a worker. `idle`: it has nothing to do. `given`: the orders that it has not finished."""

    def __init__(self) -> None:
        super().__init__()
        self.given: deque[Numbered] = deque()
        self.child: Child | None = None

    @property
    def idle(self) -> bool:
        return not self.given

    def give(self, bundle: list[Numbered]) -> None:
        """Hand over orders to a worker that is idle."""
        self.given.extend(bundle)
        self._send()

    def _send(self) -> None:
        """Send all orders not yet done to the process."""
        self.hand_over([orders for _, orders in self.given])
        self._begin()

    def _begin(self) -> None:
        self.child = Child(self.given[0][1], place=self._place) if self.given else None

    def finished(self) -> Iterator[tuple[int, Orders, ChildReport]]:
        """The orders that have ended, with their reports: the one that has been looked at (`processes.wait`), and those
        behind it, as far as the process has reported them.
        """
        while self.child is not None:
            if not self.child.ended:
                return
            (number, orders), report = self.given.popleft(), self.child.report()
            if self.child.process.is_alive():
                self._begin()
            elif self.given:
                self._send()
            else:
                self.child = None
            yield number, orders, report
            if self.child is not None:
                self.child.look()

    def withdraw(self) -> list[Numbered]:
        """Take back the orders that it has not begun: its process has to be ended after that, for it knows them."""
        rest = list(self.given)[1:]
        while len(self.given) > 1:
            self.given.pop()
        return rest

    def stop(self) -> None:
        """Ask it to end what it does, as after Ctrl-C."""
        if self.child is not None:
            self.child.stop("interrupted")

    def close(self) -> None:
        """End the process."""
        self.given.clear()
        self.child = None
        super().close()


class Apart(_LastingProcess):
    """A process beside this one that does one piece of work after the other; it is ended when the `with` block is
    left.
    """

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
            try:
                return here(work, budget, progress)
            except BudgeError:
                raise
            except Exception as error:
                raise FaultError.of(error) from error
        budget.resume()
        stages = [LOADING]

        def tell(event: Event) -> None:
            if isinstance(event, Stage):
                stages.append(event.text)
            progress(event)

        orders = Orders(work, budget.seconds_left, budget.memory_mib, budget.incumbent)
        child = Child(orders, tell, grace, self.hand_over([orders]), budget)
        try:
            while not child.ended:
                wait([child], POLL)
                if budget.interrupted.is_set() and child.asked is None:
                    child.stop("interrupted")
                    progress(Stage(seconds=budget.elapsed, text=ENDING))
        finally:
            if not child.ended:
                child.kill()
        if child.error:
            raise child.error
        if child.ended != "done":
            raise StoppedError(child.ended or "", child.doing or stages[-1], child.known)
        return child.result


def here(work: Work, budget: Budget, progress: Progress) -> Any:
    """Do the work in this process. If memory runs out, `StoppedError` has the bounds and the plan reported so far."""
    bounds = BoundsSoFar()

    def tell(event: Event) -> None:
        bounds.hear(event)
        progress(event)

    try:
        return work(budget, tell)
    except MemoryError:
        bounds.plan = bounds.plan or budget.plan  # whose cost is not known
        raise StoppedError("memory limit", known=bounds) from None
