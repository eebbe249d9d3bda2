"""What a Dask worker runs."""

from __future__ import annotations

import threading

from ...version import __version__
from ..child_main import Orders
from ..processes import ChildReport
from .local import LocalExecutor

_local = threading.local()
_stopped: set[str] = set()


def version() -> str:
    return __version__


def stop(token: str) -> None:
    """End all work on this Dask worker that belongs to an executor."""
    _stopped.add(token)


class _Stopped(threading.Event):
    """Whether what an executor has given out is to be ended."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token

    def is_set(self) -> bool:
        return self._token in _stopped


def carry_out(orders: Orders, token: str) -> ChildReport | None:
    """Carry out an order in the process that stands beside this thread of a Dask worker. None: it was to be ended
    before it was begun.
    """
    if not hasattr(_local, "executor"):
        _local.executor = LocalExecutor()
    executor: LocalExecutor = _local.executor
    return next((report for _, report in executor.carry_out([orders], _Stopped(token))), None)
