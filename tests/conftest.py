"""What holds for all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


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
