"""How companions divide horizons among them: who solves which exact horizon, and in which order it decides.

Two companions begin as rivals at the horizon of the proven bound, one deciding from the first step onward and one from
the last backward: which is better depends on the puzzle, and by far (`companion`). When one way has refuted two
horizons more than the other, or a hard one, both go that way, at different horizons: the bound, and the next length
that a plan can have. When no horizon is left below the length of a known plan, one of them ends.

    bound 45, every plan has an odd length     A forward, 45     B backward, 45     45 refuted by B
                                               A forward, 47     B backward, 47     47 refuted by B: it leads by two
                                               A backward, 49    B backward, 51     51 refuted: the bound stays
                                               A backward, 49    B backward, 53     49 refuted: the bound is 53

What is refuted above the bound counts when all lengths below are ruled out (`HorizonRun.ruled_out`). Microban 98, the
last nine horizons: 38 s as rivals at each, 19 s so.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Literal, Protocol

from ...encoders.horizon_model import HorizonEncoder, HorizonModel

# Horizons that one way of deciding has refuted more than the other before both companions go that way.
RIVAL_LEAD = 2

# Conflicts from which on one refutation counts as much as `RIVAL_LEAD` refutations.
TELLING_CONFLICTS = 3_000

Decides = Literal["by activity", "forward", "backward"]


class BoundedRun(Protocol):
    """What is known of the plans: the proven bound, lengths above it that are ruled out, and a plan's length; and the
    greatest length that is of interest (`limit`).
    """

    limit: int | None
    ruled_out_beyond: set[int]

    @property
    def encoder(self) -> HorizonEncoder: ...

    @property
    def bound(self) -> int: ...

    @property
    def shortest(self) -> int | None: ...


class Horizons:
    """The horizons of a run, for companions in threads of their own. `at_work`: who is at which, and how it decides."""

    def __init__(self, run: BoundedRun) -> None:
        self.run = run
        self.at_work: dict[object, tuple[int, Decides]] = {}
        self.wins: Counter[Decides] = Counter()
        self._lock, self._encoding = threading.Lock(), threading.Lock()
        self._model: tuple[HorizonEncoder, HorizonModel] | None = None

    def take(self, who: object, own: Decides) -> tuple[int, Decides] | None:
        """The horizon that a companion is to solve next, and how; None if no horizon is of interest any more."""
        with self._lock:
            self.at_work.pop(who, None)
            decides = self._leading() or own
            taken = [horizon for horizon, way in self.at_work.values() if way == decides]
            horizon, next_length = self.run.bound, self.run.encoder.invariants.next_length
            while horizon in taken or horizon in self.run.ruled_out_beyond:
                horizon = next_length(horizon + 1)
            limit, shortest = self.run.limit, self.run.shortest
            if (limit is not None and horizon > limit) or (shortest is not None and horizon >= shortest):
                return None
            self.at_work[who] = horizon, decides
            return horizon, decides

    def refuted(self, who: object, conflicts: int) -> None:
        """A companion has refuted its horizon: that counts for its way of deciding if a rival was at it, too."""
        with self._lock:
            horizon, decides = self.at_work[who]
            if any(horizon == other and decides != way for other, way in self.at_work.values()):
                self.wins[decides] += 1 if conflicts < TELLING_CONFLICTS else RIVAL_LEAD

    def model(self, horizon: int, stop: Callable[[], bool]) -> HorizonModel:
        """The model of exactly `horizon` steps, encoded once for all companions at it. Raises `EncodingStopped`."""
        with self._encoding:
            encoder = self.run.encoder
            if self._model is None or self._model[0] is not encoder or self._model[1].horizon != horizon:
                self._model = encoder, encoder.encode(horizon, stop=stop)
            return self._model[1]

    def _leading(self) -> Decides | None:
        first, second = (*self.wins.most_common(2), *[("forward", 0)] * 2)[:2]
        return self.wins.most_common(1)[0][0] if first[1] - second[1] >= RIVAL_LEAD else None
