"""Which worker of a Dask scheduler has which bundles."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .queue import Queue
from .remote import carry_out_bundle
from .worker import Numbered

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
        return [self._take(one) for one in list(self.given.values()) if one.worker not in self._threads]

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
        if not any(one.worker == idle for one in self.given.values()):
            for bundle in self.given.values():
                if not bundle.at_work:
                    queue.put_back(self._take(bundle).orders.values())
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

    def bundle(self, name: str) -> Bundle | None:
        """The bundle of this name, if it is still under way."""
        return self.given.get(name)

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
