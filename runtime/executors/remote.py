"""What a Dask worker runs."""

from __future__ import annotations

import pickle
import threading
import time

from ...version import __version__
from ..child_main import Orders
from ..processes import ChildReport, wait
from .worker import Worker

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
    """End all work on this Dask worker that belongs to an executor."""
    _stopped.add(token)


def carry_out_bundle(bundle: list[Orders], name: str, token: str) -> None:
    """Carry out orders in the process that stands beside this thread. What ends goes to the topic `token`, with the
    name of the bundle: reports with their places, and the places of those that are left to others. Those of which
    nothing was told when this returns were not begun.
    """
    if token in _stopped:
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
            stopped = token in _stopped
            slow = worker.child is not None and worker.child.elapsed > SLICE
            left = [place for place, _ in worker.withdraw()] if (stopped or slow) and not withdrawn else []
            withdrawn = withdrawn or bool(left)
            if left or (kept and (worker.child is None or time.monotonic() >= due)):
                dask.log_event(token, (name, pickle.dumps((kept, left))))
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
