"""Runs on operators: deeper h^m on a second core, and companions, which solve exact horizons beside a model of many."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ...analysis.hm.tables import BackgroundHm, HmTables
from ...analysis.move_pruning import find_move_pruning
from ...analysis.plan_invariants import Invariants
from ...analysis.transformed_tasks import CostLayers
from ...encoders.formula import EncodingStopped
from ...encoders.horizon_model import HorizonEncoder, HorizonModel
from ...models.plan import Plan
from ...models.task import OperatorTask
from . import solver as cp_sat
from .run import Run

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


# Seconds to wait for h³ before the first model: h³ of Klotski takes 0.1 s, of a 9x9 board 0.4 s.
H3_PATIENCE = 1.0

# No deeper h^m where the bound by matching is this many times that of h^m: many objects have far to go, and no few of
# them tell how far; the core is free for companions.
MATCHING_LEAD = 2.0

# A model is given up for one with deeper h^m whose own bound is this many times that of the old, although it does not
# raise the proven bound. Microban 140: 17 s; 50 to 60 s where they had to wait for the next model.
MUCH_DEEPER = 1.1

# Seconds in which the computation of h^m shows whether it ends with the tables that have come.
MOMENT_FOR_END = 0.1

# Seconds that two companions have before the next model of many horizons is begun, which they may make needless.
# Microban 98: 24 s, 29 without.
COMPANIONS_ALONE = 5.0

# A model of many horizons is given up when companions have refuted this many, and it has not refuted any. Microban
# 111: 56 s with 2, 48 s with 1.
OVERTAKEN = 1

# Seconds between two looks at what the companions have done.
POLL_SECONDS = 0.01


@dataclass
class HorizonRun(Run):
    """A run on a task of operators.

    `layers`: the task in the form in which a horizon is a cost, and what a layer costs. `tables`: the deepest h^m
    tables so far; `invariants`: what holds of every plan; `without`: the rules switched off; `ruled_out_beyond`:
    lengths that no plan has, some of them above the bound.
    """

    layers: CostLayers
    tables: HmTables
    invariants: Invariants
    background: BackgroundHm
    without: frozenset[str] = frozenset()
    workers: int = 2
    companions: list[Companion] = field(default_factory=list)
    ruled_out_beyond: set[int] = field(default_factory=set)
    _begun: bool = False
    _encoding: threading.Lock = field(default_factory=threading.Lock)
    _encoder: HorizonEncoder | None = None

    @property
    def task(self) -> OperatorTask:
        """The task in layers of cost, in which every step costs one."""
        return self.layers.task

    @property
    def unit(self) -> int:
        return self.layers.unit

    @property
    def encoder(self) -> HorizonEncoder:
        """Encodes single steps with the deepest tables; made when it is first asked for, as parallel steps need none
        and the pairs of operators that move pruning looks at are many on a large board. Companions ask for it, too.
        """
        with self._encoding:
            if self._encoder is None:
                pruning = None if "move-pruning" in self.without else self.task.computed(find_move_pruning)
                self._encoder = HorizonEncoder(self.task, self.tables, pruning, self.invariants)
            elif self._encoder.tables is not self.tables:
                self._encoder = self._encoder.deeper(self.tables)
            return self._encoder

    def over(self) -> str | None:
        """Install deeper h^m tables if they are ready. Gives the reason why the run has to end, or None if it
        goes on.
        """
        self._deepen()
        return Run.over(self)

    def wanted(self, steps: int | None) -> bool:
        """Whether a plan of fewer than `steps` steps (None: of any number) may still exist, by the bound of this run
        and by the bound of the tables that are computed in the background.
        """
        tables = self.background.tables or self.tables
        if tables.lower_bound is None:
            return False
        return steps is None or steps > max(self.bound, tables.lower_bound)

    @property
    def overtaken(self) -> bool:
        """Whether the companions have raised the bound again and again, and the run's own models have not."""
        return self.overtaking >= OVERTAKEN

    def _limit_tables(self) -> None:
        """Limit the computation of h^m tables to plans that are still of interest: shorter than those known, or as
        long if they may be better in the second component.
        """
        if self.shortest is not None:
            self.background.limit = self.shortest - (self.record.parts == 1)

    def _deepen(self) -> None:
        """Encode with the deeper h^m tables that have become ready; the first time h³ is waited for."""
        self._limit_tables()
        first, self._begun = not self._begun, True
        if first and self.background.at_once > 2 and not self.matched:
            if self.background.order_ready < 3:
                self.task.computed(find_move_pruning)  # for the model, while the tables are computed on the other core
            self.background.wait(3, H3_PATIENCE, self.budget.stopped)
        tables = self.background.take()
        if tables and tables.lower_bound is None:
            self.refute(tables)
            return
        if tables:
            self.reachable(tables.lower_bound or 0, tables.name)
            self.tables = tables
        if first:
            self._keep_what_tells()

    def _keep_what_tells(self) -> None:
        """Before the first model: drop potentials with bounds far below that of h^m, and end the computation of deeper
        h^m if the bound by matching is far above it.
        """
        bound, init = self.tables.lower_bound or 0, self.task.init
        # Conflicts say nothing of how h^m will fare in later layers; the matching does.
        if MATCHING_LEAD * bound < self.invariants.lower_bound(init) - self.invariants.conflict_at_start:
            self.background.stop()
        self.invariants = self.invariants.if_informative(init, bound)

    def _much_deeper(self) -> bool:
        """Whether deeper h^m tables are ready that raise the bound, or tell much more than those of the model; others
        can wait for the next model.
        """
        self._limit_tables()
        tables, old = self.background.tables, self.tables.lower_bound or 0
        if tables is None:
            return False
        return tables.lower_bound is None or tables.lower_bound > min(self.bound, MUCH_DEEPER * old)

    def left_alone(self) -> bool:
        """Start the companions, if it is time for them; two have both cores for a moment. Whether they have raised the
        bound.
        """
        if self.companions or self.workers < 2:
            return False
        self.background.wait(self.tables.order + 1, MOMENT_FOR_END, self.budget.stopped)
        self.accompany()
        before, until = self.bound, time.monotonic() + COMPANIONS_ALONE
        while len(self.companions) > 1 and self.bound == before and time.monotonic() < until:
            if self.over():
                return True
            time.sleep(POLL_SECONDS)
        return self.bound > before

    def left_to_companions(self) -> str:
        """Wait for the companions to prove the bound; gives the reason why the run has ended."""
        while not (why := self.over()) and any(companion.working for companion in self.companions):
            time.sleep(POLL_SECONDS)
        return why or "memory limit"

    def reachable(self, bound: int, name: str) -> None:
        """Raise the bound to the one that the h^m tables (`name`) prove."""
        excluded = self.task.counted(bound * self.unit - 1)
        self.raise_bound(bound, f"reachability analysis ({name}) rules out {excluded}")

    def refute(self, tables: HmTables) -> None:
        """Record that there is no plan: by these h^m tables the goal cannot be reached."""
        self.refuted_by = f"reachability analysis ({tables.name}): the goal is out of reach"

    def raise_bound(self, bound: int, by: str, horizon: int | None = None) -> None:
        """Raise the bound: no plan has fewer steps. If the parity of all plans is known, it may prove one step more."""
        bound, proven = self.invariants.next_length(bound), bound
        if bound > proven:
            by += ", and every plan has an " + ("odd" if bound % 2 else "even") + " number of steps"
        Run.raise_bound(self, bound, by, horizon)

    def ruled_out(self, horizon: int) -> None:
        """Record that no plan has exactly `horizon` steps. The bound rises while all lengths below are ruled
        out, too.
        """
        self.ruled_out_beyond.add(horizon)
        while (bound := self.bound) in self.ruled_out_beyond:
            self.refuted(bound)

    def found(self, plan: Plan, layers: int) -> None:
        """Keep a plan if it is the best so far, and limit the tables of h^m to shorter ones."""
        Run.found(self, plan, layers)
        self._limit_tables()

    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> HorizonModel:
        """The model at a horizon. Raises `EncodingStopped` if the budget ends on the way."""
        return self.encoded(
            lambda stop: self.encoder.encode(
                horizon, idle=idle, shortest=shortest, walks=walks, least=self.bound, stop=stop
            )
        )

    def needless(self, accompanied: bool) -> bool:
        """Whether the answer is not needed any more: deeper h^m tables raise the bound, a known plan meets it, or the
        companions are ahead.
        """
        if accompanied:
            self.accompany()
        return self._much_deeper() or self.matched or self.overtaken

    def accompany(self) -> None:
        """Start companions on a core that is free, if the puzzle is hard and no deeper h^m tables will come."""
        if not self.companions and self.hard and self.workers > 1 and self.background.ended:
            self.companions = companions(self)
