"""What holds for all tests."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Iterator

import pytest

LONGEST = 900.0
"""Seconds that a test may take, however busy the machine is."""


@pytest.fixture(autouse=True)
def _no_test_hangs(request: pytest.FixtureRequest) -> Iterator[None]:
    """End the process when a test hangs: the others still run, and this one is reported as failed.

    By neither a thread of Python nor an alarm: a process with threads does not fork, and the line of progress has
    the alarm.
    """
    if request.node.get_closest_marker("slow"):
        yield
        return
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="module", autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """End the thread that Dask keeps for callbacks when the tests of a module are over.

    A process with threads does not fork: the children of later tests would be started afresh and not know the engines
    and families that these tests register.
    """
    yield
    if (client := sys.modules.get("distributed.client")) and (executor := client.Future._cb_executor):
        executor.shutdown()
        client.Future._cb_executor = None
