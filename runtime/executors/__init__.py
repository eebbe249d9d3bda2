"""Where work is carried out: on this machine's cores (`local`), or on many machines (`cluster`).

The side of `cluster` that runs on its workers is `remote`; `crew` knows which worker has what.

Both take `Orders` one after the other and give a `ChildReport` of each. Work is done in processes that live on and keep
what they have loaded (`worker`); each is watched by the process beside it, which ends it when it goes beyond its
limits. An order whose process dies is given out again, alone; when that has happened `ATTEMPTS` times, it is reported
as failed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Protocol

from ..child_main import Orders
from ..processes import ChildReport

ATTEMPTS = 3
"""How many processes may die of one order before it is given up."""


class Executor(Protocol):
    """Carries out orders on several cores or machines.

    `cores`: how many orders it carries out at once. `name`: as people say it, `2 cores` or the address of a scheduler.
    `local`: its workers are on this machine and see its files.
    """

    @property
    def cores(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def local(self) -> bool: ...

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        """Carry out orders; gives the report of each with its number, in the order in which they end.

        `orders` is read as it is needed. When `interrupted` is set, what is under way is ended and reported as
        "interrupted", and no more is begun.
        """

    def close(self) -> None:
        """End all processes that were started."""
