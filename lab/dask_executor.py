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
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
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
"""Seconds after which an order is the last of its bundle: the orders behind it are given to other workers."""

HOLD = 0.1
"""Seconds for which the report of an order waits for further ones of its bundle, to be sent with them: a
message of its own takes about as long as an easy board.
"""

_local = threading.local()
_stopped: set[str] = set()


def version() -> str:
    return __version__


def stop(token: str) -> None:
    """End all work on this Dask worker that belongs to an executor, or to the bundle of this name."""
    _stopped.add(token)


def carry_out_bundle(bundle: list[Orders], name: str, token: str) -> None:
    """Carry out orders in the process that stands beside this thread. What ends goes to the topic `token`, with the
    name of the bundle: reports with their places, and the places of those that are left to others. Those of which
    nothing was told when this returns were not begun.
    """
    if not _stopped.isdisjoint((token, name)):
        return
    from distributed import get_worker

    dask, worker, withdrawn = get_worker(), _worker(), False
    kept: list[tuple[int, ChildReport]] = []
    due = 0.0
    worker.give(list(enumerate(bundle)))
    try:
        while worker.child is not None:
            wait([worker.child])
            for place, _, report in worker.finished():
                due = due if kept else time.monotonic() + HOLD
                kept.append((place, report))
            stopped = not _stopped.isdisjoint((token, name))
            slow = worker.child is not None and worker.child.elapsed > SLICE
            rest = [place for place, _ in worker.withdraw()] if (stopped or slow) and not withdrawn else []
            withdrawn = withdrawn or bool(rest)
            if rest or (kept and (worker.child is None or time.monotonic() >= due)):
                dask.log_event(token, (name, pickle.dumps((kept, rest))))
                kept = []
            if stopped:
                worker.stop()
    finally:
        if withdrawn or not worker.idle:
            worker.close()  # it knows orders that are not wanted any more


def _worker() -> Worker:
    """The `Worker` of this thread of a Dask worker."""
    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    worker: Worker = _local.worker
    return worker


# Which worker of a Dask scheduler has which bundles.

AHEAD = 2
"""Bundles for each thread that are under way: one is worked on, the next waits beside it."""

TOLERATED = 2
"""A worker that failed more orders in a row than the best worker, by more than this number, gets no new ones."""

LOOK = 0.2
"""Seconds between two looks at which workers there are."""


@dataclass(slots=True)
class Bundle:
    """Orders that a worker has: those that have not been reported yet, by their places in the bundle. `at_work`: the
    worker has begun with it, as it has more threads than older bundles.
    """

    worker: str
    orders: dict[int, Numbered]
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    future: Any = None
    at_work: bool = False


class Crew:
    """The workers, and the bundles that they have. What they tell is put into the queue `heard`: futures that are done,
    and what comes through the topic `token`, `(time, (name of the bundle, pickled reports))`.
    """

    def __init__(self, client: Any, token: str, heard: Any) -> None:
        self.client, self.token, self.heard = client, token, heard
        self.given: dict[str, Bundle] = {}
        self._names: dict[Any, str] = {}
        self._threads: dict[str, int] = {}
        self._failed = Counter[str]()
        self._next_look = 0.0
        client.subscribe_topic(token, heard.put)

    def lost(self) -> list[Bundle]:
        """Look which workers there are; the bundles of those that have gone."""
        if time.monotonic() < self._next_look:
            return []
        self._threads = dict(self.client.nthreads())
        self._next_look = time.monotonic() + LOOK
        return [self._take(bundle) for bundle in list(self.given.values()) if bundle.worker not in self._threads]

    def employ(self, queue: Queue) -> bool:
        """Give bundles to those that have few; whether there is, or may be, more to be done."""
        worker = None
        for take, tolerated in ((queue.alone, 0), (queue.bundle, TOLERATED)):
            while (worker := self._free(tolerated)) is not None and (orders := take()):
                self._give(worker, orders)
        return True if worker is None else self._share_out(queue, worker)

    def _give(self, worker: str, orders: list[Numbered]) -> None:
        bundle = Bundle(worker, dict(enumerate(orders)))
        bundle.future = self.client.submit(
            carry_out_bundle,
            [order for _, order in orders],
            bundle.name,
            self.token,
            pure=False,
            workers=[worker],
            allow_other_workers=False,
        )
        self.given[bundle.name] = bundle
        self._names[bundle.future] = bundle.name
        self._order(worker)
        bundle.future.add_done_callback(self.heard.put)

    def note(self, worker: str, failed: bool) -> None:
        """Count the orders that a worker has failed in a row."""
        self._failed[worker] = self._failed[worker] + 1 if failed else 0

    def _share_out(self, queue: Queue, idle: str) -> bool:
        """Where nothing is left to be given out: take a bundle back that waits behind another one, for who is idle."""
        if not any(given.worker == idle for given in self.given.values()):
            for bundle in self.given.values():
                if not bundle.at_work:
                    queue.put_back(self._take(bundle).orders.values())
                    # Its worker may have begun with it meanwhile: a slow order that another one has now would keep it.
                    with contextlib.suppress(*LOST, KeyError, ValueError):  # it may have gone
                        self.client.run(stop, bundle.name, workers=[bundle.worker])
                    return self.employ(queue)
        return False

    def _free(self, tolerated: int) -> str | None:
        """The worker with the fewest bundles for its threads, if that are not too many. One that has failed more orders
        in a row than another, by more than `tolerated`, gets none: it would be the first to be free, always.
        """
        load = dict.fromkeys(self._threads, 0)
        for bundle in self.given.values():
            if bundle.worker in load:
                load[bundle.worker] += 1
        most = tolerated + min((self._failed[worker] for worker in load), default=0)
        sound = [worker for worker in load if self._failed[worker] <= most]
        free = [worker for worker in sound if load[worker] < AHEAD * self._threads[worker]]
        return min(free, key=lambda worker: load[worker] / self._threads[worker], default=None)

    def _order(self, worker: str) -> None:
        """Note which bundles of a worker are at work: the oldest, one for each thread."""
        own = [bundle for bundle in self.given.values() if bundle.worker == worker]
        for bundle in own[: self._threads.get(worker, 1)]:
            bundle.at_work = True

    def ended(self, future: Any) -> Bundle | None:
        """The bundle whose future is done; None if it was taken back."""
        name = self._names.pop(future, None)
        bundle = None if name is None else self.given.pop(name, None)
        if bundle is not None:
            self._order(bundle.worker)
        return bundle

    def _take(self, bundle: Bundle) -> Bundle:
        """Take a bundle back: further messages of its worker about it are ignored."""
        del self.given[bundle.name]
        self._names.pop(bundle.future, None)
        self.client.cancel([bundle.future])
        self._order(bundle.worker)
        return bundle

    def close(self) -> None:
        """Leave nothing under way."""
        self.client.cancel([bundle.future for bundle in self.given.values()])
        self.client.unsubscribe_topic(self.token)


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
                        if (own := crew.given.get(name)) is not None:
                            reports, rest = pickle.loads(data)
                            yield from _reported(queue, crew, own, reports)
                            queue.put_back([own.orders.pop(place) for place in rest if place in own.orders])
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
            fault = FaultError(f"a worker of {self.name} failed: {type(error).__name__}: {error}")
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
        """Leave the scheduler."""
        self._closed = True
        with contextlib.suppress(Exception):  # they may have gone already
            self.client.close()


def _reported(
    queue: Queue, crew: Crew, bundle: Bundle, reports: Iterable[tuple[int, ChildReport]]
) -> Iterator[tuple[int, ChildReport]]:
    """The reports of a bundle's orders, by place; a failed order that will be tried again has no report yet."""
    for place, report in reports:
        if (numbered := bundle.orders.pop(place, None)) is None:
            continue  # it came twice
        crew.note(bundle.worker, has_failed(report))
        if settled := queue.ended(*numbered, report, has_failed(report)):
            yield numbered[0], settled


def _lost(queue: Queue, bundle: Bundle) -> Iterator[tuple[int, ChildReport]]:
    """What becomes of a bundle whose worker has died: the order that was at work has died with it, the rest waits."""
    rest = list(bundle.orders.values())
    if bundle.at_work and rest:
        (number, order), *rest = rest
        report = ChildReport(None, None, f"{DIED} with its worker", BoundsSoFar(), 0.0, 0)
        if settled := queue.ended(number, order, report, failed=True):
            yield number, settled
    queue.put_back(rest)
