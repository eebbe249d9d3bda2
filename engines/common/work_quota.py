"""How much a kernel is given to do before its caller looks at the clock and at the limits again."""

from __future__ import annotations

import time

# Seconds between two looks at the clock and the limits, about; limits are overrun by this.
LOOK_EVERY = 0.05


class WorkQuota:
    """A quota of states that take about `LOOK_EVERY` seconds, as far as those before tell; it doubles
    at most.

    At first it is `first`: so a budget that is used up is noticed at once.
    """

    def __init__(self, least: int = 1, most: int = 200_000, first: int = 1) -> None:
        self.least, self.most, self.quota = least, most, first
        self._began = 0.0

    def begin(self) -> int:
        """Start the clock of the next portion of work; gives its quota."""
        self._began = time.monotonic()
        return self.quota

    def end(self, done: int) -> None:
        """Note that `done` states were expanded since `begin`, and set the next quota."""
        if done > 0:
            seconds = max(time.monotonic() - self._began, 1e-6)
            self.quota = max(self.least, min(self.most, 2 * self.quota, int(done * LOOK_EVERY / seconds)))
