"""Many machines: orders go in bundles, tasks of a Dask scheduler (https://distributed.dask.org), to its workers.

    this process                 scheduler            Dask worker, on whatever machine
    submit(carry_out_bundle) ->  passes it on    ->   a `Worker` beside it, which lives on: process, limits, kernels
    reports                  <-                  <-   when all have ended, or one of several takes long

So limits hold where the work is done, and what is compiled and loaded there stays. Dask chooses the workers, takes back
what waits behind other work, and begins anew elsewhere what was at a worker that died. Here it is seen to that an order
that takes long holds up no others, that one that fails is given out again (`Queue`), and that who fails all gets no
more. Dask is an extra: `pip install 'budge[cluster]'`.
"""

from __future__ import annotations

import contextlib
import logging
import queue as queues
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any

from ..models.errors import FaultError, UsageError
from ..runtime.child_main import Orders
from ..runtime.events import DIED
from ..runtime.outcome import BoundsSoFar
from ..runtime.processes import POLL, ChildReport, wait
from ..runtime.worker import Numbered, Worker
from ..version import __version__
from .executors import Queue, has_failed

# What a Dask worker runs.

SLICE = 2.0
"""Seconds after which an order of a bundle with others is broken off, to be done by itself: the others can go on."""

_local = threading.local()
_stopped: set[str] = set()


def version() -> str:
    return __version__


def stop(token: str) -> None:
    """End all work on this Dask worker that belongs to an executor."""
    _stopped.add(token)


def carry_out_bundle(bundle: list[Orders], token: str) -> tuple[str, list[ChildReport]]:
    """Carry out orders in the process that stands beside this thread: the address of this Dask worker, and the reports
    of the first of them. Those of which there is none were not done: one took longer than a `SLICE`, or all work of the
    `token` was ended.
    """
    from distributed import get_worker

    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    worker: Worker = _local.worker
    reports: list[ChildReport] = []
    if token not in _stopped:
        worker.give(list(enumerate(bundle)))
    try:
        while worker.child is not None:
            wait([worker.child])
            reports += [report for _, _, report in worker.finished()]
            if token in _stopped:
                worker.withdraw()
                worker.stop()
            elif worker.child is not None and worker.child.elapsed > SLICE and len(bundle) > 1:
                break
    finally:
        if not worker.idle or token in _stopped:
            worker.close()  # it knows orders that are not wanted any more
    return get_worker().address, reports


# The client: which orders are under way, and what becomes of them.

BUNDLE_SECONDS = 0.5
"""Work in a bundle. A round trip through the scheduler takes some 5 ms (docs/batch.md)."""

MOST = 256
"""Orders in a bundle."""

AHEAD = 2
"""Bundles for each thread that are under way: one is worked on, the next is at hand when it has ended."""

TOLERATED = 2
"""A worker that failed more orders in a row than the best worker, by more than this number, gets no new ones: it would
be the first to be free, always. An order that has failed goes to one of the best."""

FETCH = 5.0
"""Seconds to wait for the reports of a bundle that has ended."""

LOOK = 0.2
"""Seconds between two looks at which workers there are."""

LOST = (OSError, RuntimeError, CancelledError)
"""What Dask raises when its scheduler has gone: errors of the connection, a client that is closed, orders cancelled."""

CONNECT = "10s"
"""How long to wait for the answer of a scheduler."""

TRIES = 5
"""How often to try to connect to a scheduler whose first message Dask cannot read."""


def _client(address: str) -> Any:
    """A client that is connected to a scheduler. Dask raises `AssertionError` if the scheduler's first message holds
    more than its answer, such as news of a worker: then it is tried again. Raises `OSError` after `TRIES` times, and
    `UsageError` without Dask.
    """
    try:
        import distributed
    except ImportError:
        raise UsageError("`--cluster` needs Dask: pip install 'budge[cluster]'") from None
    for _ in range(TRIES):
        with contextlib.suppress(AssertionError):
            return distributed.Client(address, timeout=CONNECT)
    raise OSError(f"its first message could not be read in {TRIES} tries")


class ClusterExecutor:
    """The workers of a Dask scheduler: `tcp://HOST:PORT`.

    Raises `UsageError` without Dask, without a scheduler or workers there, or if these have another version of Budge.
    """

    def __init__(self, address: str) -> None:
        self.name = address
        self._closed = False
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # dead workers are our business here
        try:
            self.client = _client(address)
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
        token = uuid.uuid4().hex  # of this call: what is stopped by its token stays stopped
        crew = _Crew(self.client, Queue(orders, BUNDLE_SECONDS, MOST), token)
        told = False
        try:
            with self._reached():
                while True:
                    workers = crew.look()
                    if not interrupted.is_set():
                        crew.give_out()
                    elif not told:
                        told = True
                        self.client.run(stop, token)
                    if not crew.under_way or (told and not workers):
                        return
                    yield from crew.ended()
        finally:
            if not self._closed:  # a client that is closed answers nothing, ever
                with contextlib.suppress(*LOST):
                    if crew.under_way:
                        self.client.run(stop, token)
                        self.client.cancel(list(crew.under_way))

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
        """Leave the scheduler."""
        self._closed = True
        with contextlib.suppress(Exception):  # they may have gone already
            self.client.close()


class _Crew:
    """The workers, and the bundles that are `under_way`, by their futures."""

    def __init__(self, client: Any, queue: Queue, token: str) -> None:
        self.client, self.queue, self.token = client, queue, token
        self.under_way: dict[Any, list[Numbered]] = {}
        self._threads: dict[str, int] = {}
        self._failed = Counter[str]()
        self._next_look = 0.0
        self._heard: queues.SimpleQueue[Any] = queues.SimpleQueue()

    def look(self) -> dict[str, int]:
        """The workers that there are, each with its threads."""
        if time.monotonic() >= self._next_look:
            self._threads = dict(self.client.nthreads())
            self._next_look = time.monotonic() + LOOK
        return self._threads

    def give_out(self) -> None:
        """Submit bundles, until each thread has enough of them."""
        for take, tolerated in ((self.queue.alone, 0), (self.queue.bundle, TOLERATED)):
            most = tolerated + min((self._failed[worker] for worker in self._threads), default=0)
            sound = [worker for worker in self._threads if self._failed[worker] <= most]
            chosen = {} if len(sound) == len(self._threads) else {"workers": sound, "allow_other_workers": True}
            enough = AHEAD * max(1, sum(self._threads[worker] for worker in sound))
            while len(self.under_way) < enough and (orders := take()):
                bundle = [order for _, order in orders]
                future = self.client.submit(carry_out_bundle, bundle, self.token, pure=False, **chosen)
                self.under_way[future] = orders
                future.add_done_callback(self._heard.put)

    def ended(self) -> Iterator[tuple[int, ChildReport]]:
        """The reports of a bundle that ends within a short time; an order that failed and is tried again has none yet.
        What was not done is given out again: the first by itself, as it takes long.
        """
        try:
            future = self._heard.get(timeout=POLL)
        except queues.Empty:
            return
        try:
            reports = self._reports(future)
        except TimeoutError:
            self._heard.put(future)
            return
        orders = self.under_way.pop(future)
        for (number, order), report in zip(orders, reports, strict=False):
            if settled := self.queue.ended(number, order, report, has_failed(report)):
                yield number, settled
        left = orders[len(reports) :]
        self.queue.put_back(left[:1], alone=True)
        self.queue.put_back(left[1:])

    def _reports(self, future: Any) -> list[ChildReport]:
        """The reports of a bundle whose future is done, in order. Raises `TimeoutError` if the worker that has them
        died: then Dask begins it anew.
        """
        from distributed import KilledWorker

        orders = self.under_way[future]
        try:
            worker, reports = future.result(timeout=FETCH)
        except KilledWorker:  # several workers have died with it
            if len(orders) > 1:
                return []
            return [ChildReport(None, None, f"{DIED} with its worker", BoundsSoFar(), 0.0, 0)]
        except (TimeoutError, *LOST):
            raise
        except Exception as error:
            fault = FaultError(f"a worker failed: {type(error).__name__}: {error}")
            return [ChildReport(None, fault, "failed", BoundsSoFar(), 0.0, 0) for _ in orders]
        for report in reports:
            self._failed[worker] = self._failed[worker] + 1 if has_failed(report) else 0
        return list(reports)
