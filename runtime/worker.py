"""A process that carries out orders one after the other, and the parent's view of it.

To start a process and to load compiled code takes some hundred milliseconds, to solve an easy puzzle one. So a worker
lives on, gets its orders in bundles (one message for many), and each order is watched as if it had a process of its
own: a `Child` hears what the worker tells of it, and ends the process if it goes beyond its limits. Then the worker
gets a new process, and the rest of the bundle.

    parent                                  worker
    give([a, b, c])  --- [a, b, c] --->     load what a needs, carry out a
    Child(a) hears   <-- ready, events, memory, result
    Child(b) hears   <-- ready ...          b goes beyond its limit
    Child(b) kills the process; a new one gets [c]
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from .child_main import ChildBudget, Orders, carry_out, settle, warm_up
from .events import LayerDone, Stage
from .processes import Child, ChildReport, Place, end_process, start_process

KEEP = 0.05
"""Seconds for which events of layers are held back, so that one message carries several."""

Numbered = tuple[int, Orders]
"""Orders, and the number by which their giver knows them."""


class Worker:
    """The parent's view of a worker. `idle`: it has nothing to do. `given`: the orders that it has not finished."""

    def __init__(self) -> None:
        self.given: deque[Numbered] = deque()
        self.child: Child | None = None
        self._place: Place | None = None

    @property
    def idle(self) -> bool:
        return not self.given

    def give(self, bundle: list[Numbered]) -> None:
        """Hand over orders to a worker that is idle."""
        self.given.extend(bundle)
        self._send()

    def _send(self) -> None:
        """Send all orders not yet done to the process; a new process is started if it has ended."""
        if self._place is None or not self._place[1].is_alive():
            self._place = start_process(worker_main)
        with contextlib.suppress(OSError):  # it has died: that is found out when it is looked at
            self._place[0].send([orders for _, orders in self.given])
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
        if self._place is not None:
            end_process(self._place)
            self._place = None


# The worker's side


class WorkerBudget(ChildBudget):
    """The budget of one order. What nobody waits for goes to the parent with the next message that somebody does: the
    first layers of a search, and the memory that it took.
    """

    def __init__(self, pipe: Connection, orders: Orders) -> None:
        super().__init__(pipe, orders)
        self._kept: list[tuple[Any, ...]] = []
        self._due = KEEP

    def stopped(self) -> str | None:
        if self._kept and self.elapsed > self._due:
            super().tell("several", self._taken())
        return super().stopped()

    def tell(self, kind: str, *message: Any) -> None:
        if kind == "event" and isinstance(message[0], Stage):
            return  # nobody looks on
        if kind == "event" and isinstance(message[0], LayerDone):
            self._kept.append(("layer", self.elapsed, message[0].fields()))
        elif kind == "memory":
            self._kept.append((kind, self.elapsed, *message))
        elif self._kept:
            super().tell("several", [*self._taken(), (kind, self.elapsed, *message)])
        else:
            super().tell(kind, *message)

    def _taken(self) -> list[tuple[Any, ...]]:
        """The events held back so far, to be sent now."""
        kept, self._kept, self._due = self._kept, [], self.elapsed + KEEP
        return kept


def worker_main(
    pipe: Connection, others_end: Connection, first: Sequence[Orders] = (), budget: type[ChildBudget] = WorkerBudget
) -> None:
    """The main function of a worker: carry out the `first` orders, then all that arrive, until the parent has gone."""
    settle(others_end)
    warmed: set[object] = set()
    with contextlib.suppress(EOFError, OSError):
        bundle: Any = list(first)
        while True:
            if not isinstance(bundle, list):
                bundle = []  # a word that came after the end of what it was meant for
            for orders in bundle:
                if orders.warm_up is not None and (key := repr(orders.warm_up)) not in warmed:
                    warmed.add(key)
                    warm_up(orders)
                _forget_peak()
                carry_out(budget(pipe, orders), orders)
            bundle = pipe.recv()
    os._exit(0)  # no thread of an engine keeps it


def _forget_peak() -> None:
    """On Linux, reset the measured peak of memory to what the process holds now (proc(5), clear_refs)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")
