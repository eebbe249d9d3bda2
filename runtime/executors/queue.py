"""Which orders come next: those that are new, those of a worker that died, and how many of them make a bundle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ...models.errors import BudgeError, FaultError
from ..child_main import Orders
from ..events import DIED
from ..processes import ChildReport
from . import ATTEMPTS
from .worker import Numbered


class Queue:
    """Orders that wait.

    Bundles hold about `bundle_seconds` of work, by what the last orders took: with easy puzzles, one message carries
    many; with hard ones each order is given out alone, when a worker is free. A bundle has at most `most` orders.
    """

    def __init__(self, orders: Iterable[Orders], bundle_seconds: float, most: int) -> None:
        self.bundle_seconds, self.most = bundle_seconds, most
        self._new: Iterator[Numbered] = iter(enumerate(orders))
        self._again: deque[Numbered] = deque()
        self._alone: deque[Numbered] = deque()
        self._deaths: dict[int, int] = {}
        self._mean: float | None = None

    def bundle(self) -> list[Numbered]:
        """The next orders for a worker, as many as fill about `bundle_seconds`; empty if no more are waiting."""
        size = 1 if self._mean is None else int(self.bundle_seconds / max(self._mean, 1e-6))
        found: list[Numbered] = []
        while len(found) < max(1, min(size, self.most)) and (order := self._next()) is not None:
            found.append(order)
        return found

    def alone(self) -> list[Numbered]:
        """The next order that has failed before, for a worker that others have not failed; empty if none is waiting."""
        return [self._alone.popleft()] if self._alone else []

    def _next(self) -> Numbered | None:
        return self._again.popleft() if self._again else next(self._new, None)

    def put_back(self, orders: Iterable[Numbered]) -> None:
        """Orders that were not begun."""
        self._again.extend(orders)

    def died(self, number: int, order: Orders) -> bool:
        """Note that an order has failed (`has_failed`); whether it is tried again, in a bundle of its own."""
        self._deaths[number] = self._deaths.get(number, 0) + 1
        if self._deaths[number] >= ATTEMPTS:
            return False
        self._alone.append((number, order))
        return True

    def ended(self, report: ChildReport) -> None:
        """Update the mean time of an order, in which the newest counts a tenth; failed orders are left out."""
        if has_failed(report):
            return
        self._mean = report.seconds if self._mean is None else 0.9 * self._mean + 0.1 * report.seconds


def has_died(report: ChildReport) -> bool:
    """Whether the process died by itself, that is, was not ended by us."""
    return report.ended.startswith(DIED)


def has_failed(report: ChildReport) -> bool:
    """Whether there is no answer, not even that an engine does not take a puzzle: the process died, or raised what
    nobody expects, as where a library cannot be loaded.
    """
    kind = report.error[0] if report.error else BudgeError
    return has_died(report) or issubclass(kind, FaultError) or not issubclass(kind, BudgeError)


def given_up(report: ChildReport) -> ChildReport:
    """The report of an order that has failed `ATTEMPTS` times."""
    message = f"{report.error[1] if report.error else report.ended}, {ATTEMPTS} times"
    return ChildReport(None, (FaultError, message), "failed", report.known, report.seconds, report.peak)
