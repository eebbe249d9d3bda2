"""Many machines: orders go in bundles to the workers of a Dask scheduler (https://distributed.dask.org).

    this process                 scheduler            Dask worker, on whatever machine
    submit(carry_out_bundle) ->  places it       ->   a `Worker` beside it, which lives on: process, limits, kernels
    reports                  <-                  <-   the reports of the bundle

So limits hold where the work is done, and what is compiled and loaded there stays. Where a Dask worker dies, the
scheduler gives its bundles to another one; where one order kills a process after another, `Worker`'s giver notices it
(`queue`). Dask is an extra: `pip install 'budge[cluster]'`.
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
from typing import Any

from ...models.errors import UsageError
from ...version import __version__
from ..child_main import Orders
from ..events import Event
from ..processes import Child, Report, wait
from .queue import Queue, given_up, has_died
from .worker import Numbered, Worker

BUNDLE_SECONDS = 0.5
"""Work in a bundle. A round trip through the scheduler takes some 5 ms (docs/scale.md)."""

MOST = 256
"""Orders in a bundle."""

AHEAD = 2
"""Bundles for each core that are under way: one is worked on, the next waits beside it."""

SLICE = 2.0
"""An order that takes so many seconds is the last of its bundle: what was not begun is given out again, to others."""

CONNECT = "10s"
"""How long a scheduler has to answer."""


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
        self._token = uuid.uuid4().hex
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # dead workers are our business here
        if match := re.fullmatch(r"local:(\d+)", address):
            self._cluster = distributed.LocalCluster(
                n_workers=int(match[1]), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            )
        try:
            self.client = distributed.Client(self._cluster or address, timeout=CONNECT)
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
            versions = set(self.client.run(_version).values())
        except (ImportError, AttributeError) as error:
            raise UsageError(f"the workers of {self.name} cannot load Budge ({error}); install it there, too") from None
        if versions != {__version__}:
            raise UsageError(f"the workers of {self.name} have Budge {', '.join(versions)}, this is {__version__}")

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, Report]]:
        """See `Executor`."""
        interrupted = interrupted or threading.Event()
        queue = Queue(orders, BUNDLE_SECONDS, MOST)
        given: dict[Any, list[Numbered]] = {}
        done: queues.SimpleQueue[Any] = queues.SimpleQueue()
        told = False
        try:
            while True:
                while not interrupted.is_set() and len(given) < AHEAD * self.cores and (bundle := queue.bundle()):
                    future = self._submit([one for _, one in bundle])
                    given[future] = bundle
                    future.add_done_callback(done.put)
                if not given:
                    return
                if interrupted.is_set() and not told:
                    told = True
                    self.client.run(stop, self._token)
                try:
                    future = done.get(timeout=0.1)
                except queues.Empty:
                    continue
                yield from self._ended(queue, given.pop(future), future)
        finally:
            if given:
                self.client.run(stop, self._token)
                self.client.cancel(list(given))

    def _submit(self, bundle: list[Orders]) -> Any:
        return self.client.submit(carry_out_bundle, bundle, self._token, pure=False)

    def _ended(self, queue: Queue, bundle: list[Numbered], future: Any) -> Iterator[tuple[int, Report]]:
        """The reports of a bundle that is back."""
        from distributed import KilledWorker

        error = future.exception()
        if isinstance(error, KilledWorker):  # several workers have died with this bundle
            for number, order in bundle:
                if not queue.died(number, order):
                    yield number, given_up(Report(None, None, "engine died with its worker", _nothing(), 0.0, 0))
            return
        if error is not None:
            raise UsageError(f"a worker of {self.name} failed: {type(error).__name__}: {error}")
        reports: list[Report | None] = future.result()
        for (number, order), report in zip(bundle, reports, strict=True):
            if report is None:
                queue.put_back([(number, order)])
                continue
            queue.ended(report)
            if has_died(report):
                if queue.died(number, order):
                    continue
                report = given_up(report)
            yield number, report

    def close(self) -> None:
        """Leave the scheduler; end the workers that were started for this."""
        with contextlib.suppress(Exception):  # they may have gone already
            self.client.close()
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close()

    def share(self) -> Sharing:
        """Work on one problem by several orders that tell each other what they find."""
        return Sharing(self.client)


class Sharing:
    """Orders that work on one problem on the workers of a scheduler. What they tell comes here through a topic of the
    scheduler (publish and subscribe), the cost of the best plan goes back to all of them.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._token = uuid.uuid4().hex
        self._heard: queues.SimpleQueue[Message | tuple[int, Any]] = queues.SimpleQueue()
        self._futures: list[Any] = []
        self._known: Any = None
        client.subscribe_topic(self._token, self._hear)

    def _hear(self, event: tuple[float, tuple[int, str, bytes]]) -> None:
        number, where, data = event[1]
        self._heard.put((number, where, pickle.loads(data)))

    def start(self, number: int, orders: Orders) -> None:
        """Give orders to a worker that is free."""
        future = self._client.submit(carry_out_shared, orders, number, self._token, pure=False)
        self._futures.append(future)
        # A callback must not wait: Dask has one thread for all of them, and what waits for a client that has been
        # closed meanwhile waits for ever. So the future is looked at where it is heard of.
        future.add_done_callback(lambda done: self._heard.put((number, done)))

    def hear(self, seconds: float) -> Iterator[Message]:
        """What has been told, after at most so many seconds of waiting for the first of it."""
        with contextlib.suppress(queues.Empty):
            heard = self._heard.get(timeout=seconds)
            while True:
                yield heard if len(heard) == 3 else _ended(*heard)
                heard = self._heard.get_nowait()

    def tell(self, incumbent: Any) -> None:
        """Let all know that a plan of this cost exists."""
        if incumbent is not None and incumbent != self._known:
            self._known = incumbent
            self._client.run(tell, self._token, incumbent)

    def close(self) -> None:
        """End what is still at work."""
        self._client.run(stop, self._token)
        self._client.cancel(self._futures)
        self._client.unsubscribe_topic(self._token)


Message = tuple[int, str, Event | Report | str]
"""The number of the orders, the name of their worker, and an event, the report at the end, or why there is none."""


def _ended(number: int, future: Any) -> Message:
    """What came of orders whose future is done."""
    try:
        report, where = future.result()
    except Exception as error:  # whatever a worker may raise
        return number, "", f"{type(error).__name__}: {error}"
    return number, where, report


def _nothing() -> Any:
    from ..outcome import BoundsSoFar

    return BoundsSoFar()


# What a Dask worker runs

_local = threading.local()
_stopped: set[str] = set()
_incumbents: dict[str, Any] = {}


def _version() -> str:
    return __version__


def stop(token: str) -> None:
    """End what is done here for an executor."""
    _stopped.add(token)


def tell(token: str, incumbent: Any) -> None:
    """Others have a plan of this cost."""
    _incumbents[token] = incumbent


def carry_out_shared(orders: Orders, number: int, token: str) -> tuple[Report, str]:
    """Carry out orders in a process of their own and publish what it tells; the report, and the name of this worker."""
    from distributed import get_worker

    worker = get_worker()
    where = str(worker.name)
    _allow_children()
    child = Child(orders, lambda event: worker.log_event(token, (number, where, pickle.dumps(event))))
    try:
        while not child.ended:
            wait([child])
            if token in _stopped:
                child.stop("interrupted")
            if token in _incumbents:
                child.tell(_incumbents[token])
    finally:
        child.kill()
    return child.report(), where


def carry_out_bundle(bundle: list[Orders], token: str) -> list[Report | None]:
    """Carry out orders in the process that stands beside this thread; None for those that were not begun."""
    reports: list[Report | None] = [None] * len(bundle)
    if token in _stopped:
        return reports
    worker = _worker()
    worker.give(list(enumerate(bundle)))
    withdrawn = False
    try:
        while worker.child is not None:
            wait([worker.child])
            for number, _, report in worker.finished():
                reports[number] = report
            stopped = token in _stopped
            slow = worker.child is not None and worker.child.elapsed > SLICE
            if (stopped or slow) and not withdrawn:
                withdrawn = bool(worker.withdraw())
            if stopped:
                worker.stop()
    finally:
        if withdrawn or not worker.idle:
            worker.close()  # it knows orders that are not wanted any more
    return reports


def _worker() -> Worker:
    """The `Worker` of this thread of a Dask worker."""
    _allow_children()
    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    worker: Worker = _local.worker
    return worker


def _allow_children() -> None:
    """Dask's nanny starts its workers as daemons, and those may have no children, lest they are left behind. Ours end
    when their parent does (`child_main`).
    """
    import multiprocessing

    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
