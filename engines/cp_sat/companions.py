"""Companions: solvers of exact horizons, which work beside a model of many horizons and divide them among them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ...encoders.formula import EncodingStopped
from ...encoders.horizon_model import HorizonEncoder, HorizonModel
from . import solver as cp_sat

if TYPE_CHECKING:
    from .run import HorizonRun

# How companions divide horizons among them: who solves which exact horizon, and in which order it decides.
#
# Two companions begin as rivals at the horizon of the proven bound, one deciding from the first step onward and one
# from the last backward: which is better depends on the puzzle, and by far (`companion`). When one way has refuted
# two horizons more than the other, or a hard one, both go that way, at different horizons: the bound, and the next
# length that a plan can have. When no horizon is left below the length of a known plan, one of them ends.
#
#     bound 45, every plan has an odd length     A forward, 45     B backward, 45     45 refuted by B
#                                                A forward, 47     B backward, 47     47 refuted by B: it leads by two
#                                                A backward, 49    B backward, 51     51 refuted: the bound stays
#                                                A backward, 49    B backward, 53     49 refuted: the bound is 53
#
# What is refuted above the bound counts when all lengths below are ruled out (`HorizonRun.ruled_out`). Microban 98,
# the last nine horizons: 38 s as rivals at each, 19 s so.

# Horizons that one way of deciding has refuted more than the other before both companions go that way.
RIVAL_LEAD = 2

# Conflicts from which on one refutation counts as much as `RIVAL_LEAD` refutations.
TELLING_CONFLICTS = 3_000

Decides = Literal["by activity", "forward", "backward"]


class Horizons:
    """The horizons of a run, for companions in threads of their own. `at_work`: who is at which, and how it decides."""

    def __init__(self, run: HorizonRun) -> None:
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


# Companions: exact-horizon solvers that run in parallel with a model of many horizons.
#
# The strategy `one-model` solves one large model. A companion works beside it, in a thread of its own, on the
# smallest model that can hold a plan: that of exactly as many steps as the proven bound. If it refutes that model,
# the bound rises by one, for both; if it finds a plan, the plan is optimal. Companions begin when the puzzle has
# proven hard and a core is free. When they have refuted some horizons and the large model none, it is given up and
# they go on alone.
#
# How a companion branches. By default CP-SAT decides variables by activity: those that took part in conflicts of
# late. Where linear bounds tell how far many objects have to go, it decides step by step instead, as a depth-first
# search with the same bound would, but with what CP-SAT learns: by one solver from the first step onward, which is
# better where the bounds are close (XSokoban 38: 79 pushes refuted in 4 s, backward not in 40; by activity, not in
# 300 s), and by another from the last step backward, where much that can be reached is lost (Microban 122: 84 pushes
# in 1 s, forward not in 30). Elsewhere activity wins: 22 slides of a 12x12 Rush Hour board are refuted in 6 s so, and
# step by step, either way, not in 60. How the two divide the horizons between them: `horizons`.


def companions(run: HorizonRun) -> list[Companion]:
    """Start the companions that a run needs, and stop them at the end."""
    horizons = Horizons(run)
    if run.encoder.invariants.to_goal:
        return [Companion(run, "forward", horizons), Companion(run, "backward", horizons)]
    return [Companion(run, "by activity", horizons)]


class Companion:
    """Solves exact horizons from the bound of a run upward, in a thread of its own, until it is stopped."""

    def __init__(self, run: HorizonRun, decides: Decides, horizons: Horizons | None = None) -> None:
        self.run, self.decides, self.horizons = run, decides, horizons or Horizons(run)
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def working(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop the thread and wait for its end. If it failed, raises its exception."""
        self._stopped.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _work(self) -> None:
        try:
            while not self._over() and (task := self.horizons.take(self, self.decides)) and self._try(*task):
                pass
        except BaseException as error:  # for the thread that waits
            self._error = error

    def _over(self) -> bool:
        run = self.run
        beyond = run.limit is not None and run.bound > run.limit
        return self._stopped.is_set() or beyond or run.matched or bool(run.budget.stopped())

    def _try(self, horizon: int, decides: Decides) -> bool:
        """Solve one horizon; broken off when it is ruled out, or no longer of interest. False if the solver gave up."""
        run = self.run

        def over() -> bool:
            needless = run.bound > horizon or horizon in run.ruled_out_beyond
            return self._over() or needless or (run.shortest is not None and horizon >= run.shortest)

        try:
            model = self.horizons.model(horizon, over)
        except EncodingStopped:
            return True
        run.record.count(models=1)
        order = () if decides == "by activity" else run.encoder.by_steps(model, backward=decides == "backward")
        search = cp_sat.SearchSettings(long=True, in_order=order, seed=run.seed)
        answer = cp_sat.solve(model.formula, run.budget, search, break_off=over)
        run.record.count(conflicts=answer.conflicts, branches=answer.branches)
        before = run.bound
        if answer.status == "infeasible":
            self.horizons.refuted(self, answer.conflicts)
            run.ruled_out(horizon)
        else:
            run.learn(model, answer)
        run.overtaking += run.bound > before
        return answer.stopped_by in (None, cp_sat.BROKEN_OFF)
