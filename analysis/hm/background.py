"""h^m for larger and larger m on the second core, while a solver works with the tables that are ready on the first."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self

import numpy as np

from ...models.task import Task
from ...runtime import grace
from .tables import HmTables, rising_tables

# Seconds between two looks at whether tables are ready.
POLL = 0.005


class BackgroundHm:
    """Computes the tables of a task over larger and larger sets, up to `order` (m) facts, in a thread of its own (the
    kernels release Python's lock).

    With the sets of more than `at_once` facts it begins `pause` seconds after it was made, so that what is solved
    quickly costs nothing more. `limit`: plans of more steps are of no interest any longer; None: all plans are.
    """

    def __init__(self, task: Task, order: int, pause: float, fits: Callable[[int], bool], at_once: int = 3) -> None:
        """`fits(n)`: whether n bytes more may be used."""
        self.task, self.order, self.fits, self.at_once = task, order, fits, at_once
        self.tables: HmTables | None = None
        self.limit: int | None = None
        self.order_ready = 0
        """The largest m for which tables were made; they may have been taken already."""
        self._lock = threading.Lock()
        self._begins = time.monotonic() + pause
        self._error: BaseException | None = None
        self._stopped, self._news = threading.Event(), threading.Event()
        self._stop = np.zeros(1, np.uint8)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def wait(self, order: int, patience: float, stopped: Callable[[], object]) -> None:
        """Until there are tables over sets of `order` facts, or no larger ones will come: at most `patience` seconds,
        and until `stopped`, which is asked again and again, says so.
        """
        until = time.monotonic() + patience
        while self._thread.is_alive() and self.order_ready < order and time.monotonic() < until and not stopped():
            if self._news.wait(POLL):
                self._news.clear()

    def take(self) -> HmTables | None:
        """Hand out the tables for the largest m that is ready, each once. If the computation failed, raises its
        exception.
        """
        if self._error:
            raise self._error
        with self._lock:
            tables, self.tables = self.tables, None
        return tables

    @property
    def ended(self) -> bool:
        """Whether no tables for a larger m will come."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """End the computation, at the next operator that it looks at (if it is not just being compiled)."""
        self._stop[0] = 1
        self._stopped.set()
        self._thread.join(grace.THREAD)
        self.tables = None

    def _run(self) -> None:
        try:
            for tables in rising_tables(self.task, self.order, self._stop, self.fits, lambda: self.limit):
                if self._stop[0]:
                    return
                with self._lock:
                    self.tables, self.order_ready = tables, tables.order
                self._news.set()
                if tables.order == self.at_once and self._stopped.wait(max(0.0, self._begins - time.monotonic())):
                    return
        except MemoryError:  # then there are no more tables
            pass
        except BaseException as error:  # for the thread that waits for the tables
            self._error = error
