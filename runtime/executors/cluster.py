"""Many machines: orders go in bundles to the workers of a Dask scheduler (https://distributed.dask.org).

    this process                 scheduler            Dask worker, on whatever machine
    submit(carry_out_bundle) ->  passes it on    ->   a `Worker` beside it, which lives on: process, limits, kernels
    what has ended           <-  a topic         <-   while other orders of the bundle are at work, and at its end

So limits hold where the work is done, and what is compiled and loaded there stays. Each bundle is for one Dask worker:
when that dies, the scheduler does not begin the bundle anew elsewhere, but what had ended is here already, the order
that was at work is given out again alone, and the rest to others (`queue`). Dask is an extra: `pip install
'budge[cluster]'`.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import queue as queues
import re
import threading
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
from .crew import Bundle, Crew
from .queue import Queue, given_up, has_failed
from .remote import stop, version

BUNDLE_SECONDS = 0.5
"""Work in a bundle. A round trip through the scheduler takes some 5 ms (docs/batch.md)."""

MOST = 256
"""Orders in a bundle."""

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
        queue = Queue(orders, BUNDLE_SECONDS, MOST)
        heard: queues.SimpleQueue[Any] = queues.SimpleQueue()
        token = uuid.uuid4().hex  # of this call: what is stopped by its token stays stopped
        crew = Crew(self.client, token, heard)
        told = False
        try:
            with self._reached():
                while True:
                    for bundle in crew.lost():
                        yield from _lost(queue, bundle)
                    more = not interrupted.is_set() and crew.employ(queue)
                    if not crew.given and not more:
                        break
                    if interrupted.is_set() and not told:
                        told = True
                        self.client.run(stop, token)
                    try:
                        what = heard.get(timeout=POLL)
                    except queues.Empty:
                        continue
                    if isinstance(what, tuple | list):  # (time, (bundle, what ended and what is left))
                        name, data = what[1]
                        if (own := crew.bundle(name)) is not None:
                            reports, left = pickle.loads(data)
                            yield from _reported(queue, crew, own, reports)
                            queue.put_back([own.orders.pop(place) for place in left if place in own.orders])
                    elif (ended := crew.ended(what)) is not None:
                        yield from self._ended(queue, crew, ended, what)
        finally:
            if not self._closed:  # a client that is closed answers nothing, ever
                with contextlib.suppress(*LOST):
                    if crew.given:
                        self.client.run(stop, token)
                    crew.close()

    def _ended(self, queue: Queue, crew: Crew, bundle: Bundle, future: Any) -> Iterator[tuple[int, ChildReport]]:
        """The future of a bundle is done: the orders that were not reported were not begun, and wait again."""
        from distributed import KilledWorker

        # Nothing is asked of a future that has not failed: should its worker die now, the answer would never come.
        error = future.exception() if future.status == "error" else None
        if isinstance(error, KilledWorker):  # several workers have died with this bundle
            yield from _lost(queue, bundle)
        elif error is not None:
            fault = FaultError, f"a worker of {self.name} failed: {type(error).__name__}: {error}"
            reports = [(place, ChildReport(None, fault, "failed", BoundsSoFar(), 0.0, 0)) for place in bundle.orders]
            yield from _reported(queue, crew, bundle, reports)
        else:
            queue.put_back(bundle.orders.values())

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


def _reported(
    queue: Queue, crew: Crew, bundle: Bundle, reports: Iterable[tuple[int, ChildReport]]
) -> Iterator[tuple[int, ChildReport]]:
    """The reports of a bundle's orders, by place; a failed order that will be tried again has no report yet."""
    for place, report in reports:
        if (numbered := bundle.orders.pop(place, None)) is None:
            continue  # it came twice
        number, order = numbered
        queue.ended(report)
        crew.note(bundle.worker, has_failed(report))
        if has_failed(report):
            if queue.died(number, order):
                continue
            report = given_up(report)
        yield number, report


def _lost(queue: Queue, bundle: Bundle) -> Iterator[tuple[int, ChildReport]]:
    """What becomes of a bundle whose worker has died: the order that was at work has died with it, the rest waits."""
    rest = list(bundle.orders.values())
    if bundle.at_work and rest:
        (number, order), *rest = rest
        if not queue.died(number, order):
            yield number, given_up(ChildReport(None, None, f"{DIED} with its worker", BoundsSoFar(), 0.0, 0))
    queue.put_back(rest)
