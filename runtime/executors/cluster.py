"""Many machines: orders go to the workers of a Dask scheduler (https://distributed.dask.org), each as a task.

    this process           scheduler                           Dask worker, on whatever machine
    submit(carry_out) ->   gives it to a free worker,     ->   a `LocalExecutor` of one core, which lives on: process,
                           or to one that has less to do       limits, kernels
    report            <-   again if its worker dies       <-

So limits hold where the work is done, and what is compiled and loaded there stays. What has ended is here at once; when
a Dask worker dies, the scheduler gives what it was at, and what it had not begun, to others. Dask is an extra: `pip
install 'budge[cluster]'`.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any

from ...models.errors import FaultError, UsageError
from ...version import __version__
from ..child_main import Orders
from ..events import DIED
from ..outcome import BoundsSoFar
from ..processes import POLL, ChildReport
from .queue import given_up
from .remote import carry_out, stop, version

AHEAD = 4
"""Tasks for each thread that are under way: one is worked on, the next ones wait beside it. A round trip through the
scheduler takes some 5 ms (docs/scale.md)."""

LOOK = 0.2
"""Seconds between two looks at how many workers there are."""

LOST = (OSError, RuntimeError, CancelledError)
"""What Dask raises when its scheduler has gone: errors of the connection, a client that is closed, orders cancelled."""

CONNECT = "10s"
"""How long to wait for the answer of a scheduler."""

TRIES = 5
"""How often to try to connect to a scheduler whose first message Dask cannot read."""


def _client(address: Any) -> Any:
    """A client that is connected to a scheduler. Dask raises `AssertionError` if the scheduler's first message holds
    more than its answer, such as news of a worker: then it is tried again. Raises `OSError` after `TRIES` times.
    """
    import distributed

    for _ in range(TRIES):
        with contextlib.suppress(AssertionError):
            return distributed.Client(address, timeout=CONNECT)
    raise OSError(f"its first message could not be read in {TRIES} tries")


class ClusterExecutor:
    """The workers of a Dask scheduler: `tcp://HOST:PORT`, or `local:N` for N new worker processes on this machine.

    Raises `UsageError` without Dask, without a scheduler or workers there, or if these have another version of Budge.
    """

    local = False

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise UsageError("`--cluster` needs Dask: pip install 'budge[cluster]'") from None
        self.name = address
        self._cluster: Any = None
        self._closed = False
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # dead workers are our business here
        if match := re.fullmatch(r"local:(\d+)", address):
            self._cluster = distributed.LocalCluster(
                n_workers=int(match[1]), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            )
        try:
            self.client = _client(self._cluster or address)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                f"no Dask scheduler answers at {address} ({error}); start one with `dask scheduler`"
            ) from None
        try:
            self._check()
        except UsageError:
            self.close()
            raise

    @property
    def cores(self) -> int:
        """The threads of all workers that are there now."""
        threads: int = sum(self.client.nthreads().values())
        return max(1, threads)

    def _check(self) -> None:
        if not self.client.nthreads():
            raise UsageError(f"the scheduler {self.name} has no workers; start some with `dask worker {self.name}`")
        try:
            versions = set(self.client.run(version).values())
        except (ImportError, AttributeError) as error:
            raise UsageError(f"the workers of {self.name} cannot load Budge ({error}); install it there, too") from None
        if versions != {__version__}:
            raise UsageError(f"the workers of {self.name} have Budge {', '.join(versions)}, this is {__version__}")

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        """See `Executor`."""
        interrupted = interrupted or threading.Event()
        waiting = iter(enumerate(orders))
        token = uuid.uuid4().hex  # of this call: what is stopped by its token stays stopped
        given: dict[Any, int] = {}
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        told, room, next_look = False, 0, 0.0
        try:
            with self._reached():
                while True:
                    if time.monotonic() >= next_look:
                        room, next_look = AHEAD * self.cores, time.monotonic() + LOOK
                    while len(given) < room and not interrupted.is_set() and (order := next(waiting, None)):
                        future = self.client.submit(carry_out, order[1], token, pure=False)
                        given[future] = order[0]
                        future.add_done_callback(done.put)
                    if not given:
                        return
                    if interrupted.is_set() and not told:
                        told = True
                        self.client.run(stop, token)
                    for future, report in self._reports(_all_done(done)):
                        number = given.pop(future)
                        if report is not None:
                            yield number, report
        finally:
            if given and not self._closed:  # a client that is closed answers nothing, ever
                with contextlib.suppress(*LOST):
                    self.client.run(stop, token)
                    self.client.cancel(list(given))

    def _reports(self, futures: list[Any]) -> Iterator[tuple[Any, ChildReport | None]]:
        """What came of tasks that are done; None of one that was not begun. Raises `UsageError`."""
        from distributed import KilledWorker

        whole = [future for future in futures if future.status != "error"]
        yield from zip(whole, self.client.gather(whole), strict=True)
        for future in futures:
            if future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise UsageError(f"a worker of {self.name} failed: {type(error).__name__}: {error}")
                # several workers have died of it
                yield future, given_up(ChildReport(None, None, f"{DIED} with its worker", BoundsSoFar(), 0.0, 0))

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """Within, errors of a connection that is lost are a `FaultError`."""
        try:
            yield
        except LOST as error:
            self._closed = True
            raise FaultError(
                f"the scheduler {self.name} was lost ({type(error).__name__}: {error}); what has ended is kept"
            ) from None

    def close(self) -> None:
        """Leave the scheduler; end the workers that were started for this."""
        self._closed = True
        with contextlib.suppress(Exception):  # they may have gone already
            self.client.close()
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close()


def _all_done(done: queue.SimpleQueue[Any]) -> list[Any]:
    """The tasks that are done; waits a moment for the first."""
    found = []
    with contextlib.suppress(queue.Empty):
        found.append(done.get(timeout=POLL))
        while True:
            found.append(done.get_nowait())
    return found
