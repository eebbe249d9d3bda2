"""Where work is carried out: on this machine's cores (here), or on many machines (`dask_executor`).

Both take `Orders` one after the other and give a `ChildReport` of each. Work is done in processes that live on and keep
what they have loaded (`worker`); each is watched by the process beside it, which ends it when it goes beyond its
limits. An order whose process dies is given out again, alone; when that has happened `ATTEMPTS` times, it is reported
as failed.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from ..models.errors import FaultError
from ..runtime.child_main import Orders
from ..runtime.events import DIED
from ..runtime.processes import ChildReport, wait
from ..runtime.worker import Numbered, Worker

ATTEMPTS = 3
"""How many processes may die of one order before it is given up."""


class Executor(Protocol):
    """Carries out orders on several cores or machines.

    `cores`: how many orders it carries out at once. `name`: as people say it, `2 cores` or the address of a scheduler.
    """

    @property
    def cores(self) -> int: ...

    @property
    def name(self) -> str: ...

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        """Carry out orders; gives the report of each with its number, in the order in which they end.

        `orders` is read as it is needed. When `interrupted` is set, what is under way is ended and reported as
        "interrupted", and no more is begun.
        """

    def close(self) -> None:
        """End all processes that were started."""


# Which orders come next: those that are new, those of a worker that died, and how many of them make a bundle.


class Queue:
    """Orders that wait.

    Bundles hold about `bundle_seconds` of work, by what the last orders took: with easy puzzles, one message carries
    many; with hard ones each order is given out alone, when a worker is free. A bundle has at most `most` orders.
    """

    def __init__(self, orders: Iterable[Orders], bundle_seconds: float, most: int) -> None:
        self.bundle_seconds, self.most = bundle_seconds, most
        self._new: Iterator[Numbered] = iter(enumerate(orders))
        self._again: deque[Numbered] = deque()
        self._alone: deque[Numbered] = deque()
        self._deaths: dict[int, int] = {}
        self._mean: float | None = None

    def bundle(self) -> list[Numbered]:
        """The next orders for a worker, as many as fill about `bundle_seconds`; empty if no more are waiting."""
        size = 1 if self._mean is None else int(self.bundle_seconds / max(self._mean, 1e-6))
        orders: list[Numbered] = []
        while len(orders) < max(1, min(size, self.most)) and (order := self._next()) is not None:
            orders.append(order)
        return orders

    def alone(self) -> list[Numbered]:
        """The next order that is given out by itself, as it has failed or takes long; empty if none is waiting."""
        return [self._alone.popleft()] if self._alone else []

    def _next(self) -> Numbered | None:
        return self._again.popleft() if self._again else next(self._new, None)

    def put_back(self, orders: Iterable[Numbered], alone: bool = False) -> None:
        """Give out orders once more that were not done: soon, or with `alone` each in a bundle of its own."""
        (self._alone if alone else self._again).extend(orders)

    def ended(self, number: int, order: Orders, report: ChildReport, failed: bool) -> ChildReport | None:
        """Note that an order has ended: the report to pass on. None if it has `failed` and is tried again, in a bundle
        of its own; after the last attempt the report says that it is given up.
        """
        if not has_failed(report):  # the newest counts a tenth of the mean time
            self._mean = report.seconds if self._mean is None else 0.9 * self._mean + 0.1 * report.seconds
        if not failed:
            return report
        self._deaths[number] = self._deaths.get(number, 0) + 1
        if self._deaths[number] < ATTEMPTS:
            self._alone.append((number, order))
            return None
        error = FaultError(f"{report.error or report.ended}, {ATTEMPTS} times")
        return replace(report, result=None, error=error, ended="failed")


def has_died(report: ChildReport) -> bool:
    """Whether the process died by itself, that is, was not ended by us."""
    return report.ended.startswith(DIED)


def has_failed(report: ChildReport) -> bool:
    """Whether there is no answer, not even that an engine does not take a puzzle: the process died, or raised what
    nobody expects, as where a library cannot be loaded.
    """
    return has_died(report) or isinstance(report.error, FaultError)


# The cores of this machine: as many workers, watched by this process.

BUNDLE_SECONDS = 0.1
"""Seconds of work sent to a worker in one message. Between two messages a worker waits for about 0.3 ms."""

MOST = 64
"""The most orders in a bundle. At the end, orders of a bundle that have not begun are not shared with idle workers."""


class LocalExecutor:
    """`cores` workers on this machine, which live until `close`."""

    def __init__(self, cores: int = 1) -> None:
        self.cores = cores
        self._workers = [Worker() for _ in range(cores)]

    @property
    def name(self) -> str:
        """As `2 cores`."""
        return f"{self.cores} cores" if self.cores > 1 else "1 core"

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        """See `Executor`. What a caller leaves unread is ended."""
        interrupted = interrupted or threading.Event()
        queue = Queue(orders, BUNDLE_SECONDS, MOST)
        try:
            while True:
                for worker in self._workers:
                    if worker.idle and not interrupted.is_set() and (bundle := queue.alone() or queue.bundle()):
                        worker.give(bundle)
                busy = [worker for worker in self._workers if worker.child]
                if not busy:
                    return
                wait([worker.child for worker in busy if worker.child])
                for worker in busy:
                    yield from self._look(worker, queue, interrupted)
        finally:
            if interrupted.is_set() or not all(worker.idle for worker in self._workers):
                self.close()  # they know orders that are not wanted any more

    def _look(self, worker: Worker, queue: Queue, interrupted: threading.Event) -> Iterator[tuple[int, ChildReport]]:
        """The reports of a worker's orders that have ended; orders whose process died are tried again up to
        `ATTEMPTS` times.
        """
        for number, orders, report in worker.finished():
            failed = has_died(report) and not interrupted.is_set()
            if settled := queue.ended(number, orders, report, failed):
                yield number, settled
        if interrupted.is_set():
            worker.withdraw()
            worker.stop()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.close()
