"""The cores of this machine: as many workers, watched by this process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from ..child_main import Orders
from ..processes import ChildReport, wait
from .queue import Queue, given_up, has_died
from .worker import Worker

BUNDLE_SECONDS = 0.1
"""Seconds of work sent to a worker in one message. Between two messages a worker waits for about 0.3 ms."""

MOST = 64
"""The most orders in a bundle. At the end, orders of a bundle that have not begun are not shared with idle workers."""


class LocalExecutor:
    """`cores` workers on this machine, which live until `close`."""

    local = True

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
            queue.ended(report)
            if has_died(report) and not interrupted.is_set():
                if queue.died(number, orders):
                    continue
                report = given_up(report)
            yield number, report
        if interrupted.is_set():
            worker.withdraw()
            worker.stop()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.close()
