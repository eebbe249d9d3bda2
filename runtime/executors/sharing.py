"""Work on one problem by several orders on the workers of a Dask scheduler, which share bounds and plans."""

from __future__ import annotations

import contextlib
import pickle
import queue as queues
import uuid
from collections.abc import Iterator
from typing import Any

from ..child_main import Orders
from ..events import Event
from ..processes import Report
from .remote import carry_out_shared, stop, tell


class Sharing:
    """Orders that work on one problem on the workers of a scheduler. What they tell comes here through a topic of the
    scheduler (publish and subscribe), the cost of the best plan goes back to all of them.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._token = uuid.uuid4().hex
        self._heard: queues.SimpleQueue[Message | tuple[int, Any]] = queues.SimpleQueue()
        self._futures: list[Any] = []
        self._over: set[int] = set()
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
        """The messages that have come; waits at most `seconds` for the first."""
        with contextlib.suppress(queues.Empty):
            heard = self._heard.get(timeout=seconds)
            while True:
                number, where, what = heard if len(heard) == 3 else (heard[0], "", _why(heard[1]))
                if number not in self._over:  # orders whose worker dies after all may be carried out twice
                    if not isinstance(what, Event):
                        self._over.add(number)
                    yield number, where, what
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


def _why(future: Any) -> str:
    """Why orders ended of which there is no report, although their future is done."""
    if future.status != "error":  # to ask for more would mean to wait, should the worker be gone
        return f"the worker told nothing ({future.status})"
    error = future.exception()
    return f"{type(error).__name__}: {error}"
