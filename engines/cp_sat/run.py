"""Runs of the rising horizon: what is known so far, and one bounded model after the other.

A `Run` is all that the loops over horizons (`strategies`) need to know of a task. That of operators computes deeper
h^m on a second core and has companions (`HorizonRun`); that of programs has an encoder only (`ProgramRun`).
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...analysis.hm.tables import BackgroundHm, HmTables
from ...analysis.move_pruning import find_move_pruning
from ...analysis.plan_invariants import Invariants
from ...analysis.transformed_tasks import CostLayers
from ...encoders.formula import Formula, Weighted
from ...encoders.horizon_model import HorizonEncoder, HorizonModel
from ...encoders.programs.horizon import ProgramEncoder, ProgramModel
from ...encoders.step import chain
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.outcome import Outcome, Recorder
from . import solver as cp_sat
from .companions import Companion, companions
from .solver import BROKEN_OFF

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


class WithFormula(Protocol):
    """A model that is counted: its formula."""

    @property
    def formula(self) -> Formula: ...


class BoundedModel(WithFormula, Protocol):
    """A model of the plans within a horizon: what a solution means."""

    @property
    def horizon(self) -> int: ...

    def plan(self, values: NDArray[np.bool_]) -> Plan: ...

    def layers(self, values: NDArray[np.bool_]) -> int:
        """The layers of cost that a solution takes."""
        ...

    def prices(self, part: int) -> Weighted:
        """What the steps of a solution cost in a component of the metric."""
        ...


M = TypeVar("M", bound=WithFormula)


@dataclass
class Run(ABC):
    """The state of a run of the loop: proven bound, best plan; `record` holds its bound, counts and time.

    Horizons and the bound are in layers of cost. `free`: the most free steps in a row of the plans that are looked for.
    `best`: its best plan, of `known` layers; `hard`: some solve did not end quickly (see `cp_sat.SearchSettings`);
    `stopped_by`: why the last solve ended without an answer, if it did; `refuted_by`: what proves that there is no
    plan.
    """

    record: Recorder
    limit: int | None = field(default=None, kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    hard: bool = field(default=False, kw_only=True)
    free: int = field(default=0, kw_only=True)
    best: Plan | None = field(default=None, init=False)
    known: int | None = field(default=None, init=False)
    stopped_by: str | None = field(default=None, init=False)
    refuted_by: str | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    @abstractmethod
    def task(self) -> Task | ProgramTask:
        """The task whose steps the models count."""

    @property
    @abstractmethod
    def unit(self) -> int:
        """What a layer costs."""

    @abstractmethod
    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> BoundedModel:
        """The model at a horizon. Raises `EncodingStopped` if the budget ends on the way."""

    @abstractmethod
    def chain(self, steps: int) -> Formula:
        """The formula of so many free steps in a row, all states different."""

    @property
    def budget(self) -> Budget:
        return self.record.budget

    @property
    def bound(self) -> int:
        """The proven lower bound: no plan has fewer layers."""
        known = self.record.bounds.lower_bound
        return -(-known[0] // self.unit) if known else 0

    @property
    def bound_by(self) -> str:
        return self.record.bounds.lower_bound_by

    @property
    def shortest(self) -> int | None:
        """The layers of the best plan, of this run or someone else's."""
        others = self.budget.incumbent
        if others is None or len(others) > 1:
            return self.known
        layers = others[0] // self.unit
        return layers if self.known is None else min(layers, self.known)

    def over(self) -> str | None:
        """The reason why the run has to end, or None if it goes on."""
        if self.refuted_by:
            return "no plan"
        if self.matched:
            return "a plan of another engine meets the bound"
        if self.limit is not None and self.bound > self.limit:
            return "horizon limit"
        if self.stopped_by not in (None, BROKEN_OFF):
            return self.stopped_by
        return self.budget.stopped()

    @property
    def solved(self) -> bool:
        """Whether the run's own plan is proven to have the fewest steps."""
        return self.known is not None and self.bound >= self.known

    @property
    def matched(self) -> bool:
        """Whether a plan, of this run or someone else's, costs no more than the bound that is proven here."""
        return self.shortest is not None and self.bound >= self.shortest

    def within(self, horizon: int) -> int:
        """The horizon, lowered to the limit that the user asked for and to less than the length of known plans."""
        if self.limit is not None:
            horizon = min(horizon, self.limit)
        return horizon if self.shortest is None else min(horizon, self.shortest - 1)

    def bounded_free(self) -> bool:
        """Find out how many free steps a plan makes in a row at most: a model needs room for that many between two paid
        ones. False if that cannot be proven soon.
        """
        settings = cp_sat.SearchSettings(long=self.hard, seed=self.seed)
        free = cp_sat.longest_chain(self.chain, partial(cp_sat.answered, record=self.record, search=settings))
        if free is not None:
            self.record.stats["free_steps"] = self.free = free
        return free is not None

    def raise_bound(self, bound: int, by: str, horizon: int | None = None) -> None:
        """Raise the bound: no plan has fewer steps."""
        self.record.raise_bound(bound * self.unit, by, horizon=horizon)

    def refuted(self, horizon: int) -> None:
        """Raise the bound: no plan has `horizon` steps, and none has fewer."""
        by = f"CP-SAT proved that {self.task.not_enough((horizon + 1) * self.unit - 1)}"
        self.raise_bound(horizon + 1, by, horizon=horizon)

    def found(self, plan: Plan, layers: int) -> None:
        """Keep a plan if it takes fewer `layers` than the best so far, and report it."""
        with self._lock:
            if self.known is None or layers < self.known:
                self.best, self.known = plan, layers
                if self.record.parts == 1:
                    self.record.found(plan, (layers * self.unit,))

    def learn(self, model: BoundedModel, answer: cp_sat.CpSatAnswer) -> None:
        """Record a model's answer: its plan, or that no plan has its horizon.

        Where its steps may not be idle, it is solved only when all shorter plans are ruled out.
        """
        if answer.values is not None:
            self.found(model.plan(answer.values), model.layers(answer.values))
        elif answer.status == "infeasible":
            self.refuted(model.horizon)

    def encoded(self, encode: Callable[[Callable[[], bool]], M]) -> M:
        """Encode a model, timed and counted. `encode` gets a function that says when the budget ends: see
        `EncodingStopped`.
        """
        with self.record.encoding():
            model = encode(lambda: bool(self.budget.stopped()))
        with self.record.lock:
            self.record.stats.update(variables=model.formula.variables, constraints=model.formula.size)
        self.record.count(models=1)
        return model

    def solve(
        self,
        formula: Formula,
        on_bound: Callable[[float], None] | None = None,
        *,
        bounds: cp_sat.Bounding = "cores",
        whole: bool = False,
        long: bool = False,
        accompanied: bool = False,
        until: float = 0.0,
    ) -> cp_sat.CpSatAnswer:
        """Solve a model within the budget. Broken off when its answer is not needed any more, or the puzzle proves
        hard; but not with `whole`. `long`: as a puzzle that has proven hard. `until`: the seconds that are left for
        something else.
        """
        search = cp_sat.SearchSettings(
            bounds=bounds, long=self.hard or whole or long, inprocessing=bounds != "tree", seed=self.seed
        )

        def break_off() -> bool:
            self.record.working(f"refuting {self.task.counted(self.bound * self.unit)}")
            if until and self.budget.remaining <= until:
                return True
            return not whole and self.needless(accompanied)

        answer = cp_sat.solve(formula, self.budget, search, on_bound, break_off)
        self.stopped_by = answer.stopped_by
        self.hard = self.hard or answer.stopped_by == BROKEN_OFF
        self.record.count(conflicts=answer.conflicts, branches=answer.branches)
        return answer

    def needless(self, accompanied: bool) -> bool:
        """Whether the answer to the model that is being solved is not needed any more. `accompanied`: solvers of exact
        horizons may work beside it.
        """
        del accompanied
        return self.matched

    def outcome(self, why: str) -> Outcome:
        """The outcome of the run: no plan, the best plan if it is optimal, or the bounds so far."""
        if self.refuted_by:
            return self.record.unsolvable(self.refuted_by)
        return self.record.stopped(why, unpriced=self.best)


@dataclass
class ProgramRun(Run):
    """A run on a task whose actions are programs."""

    encoder: ProgramEncoder

    @property
    def task(self) -> ProgramTask:
        return self.encoder.task

    @property
    def unit(self) -> int:
        return self.task.layer_cost

    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> ProgramModel:
        """The model at a horizon; with steps that may be idle, of the plans from the bound on."""
        del shortest, walks  # where steps may be idle, the shortest plan is always asked for
        return self.encoded(lambda _: self.encoder.encode(horizon, self.bound if idle else horizon, self.free))

    def chain(self, steps: int) -> Formula:
        return self.encoder.chain(steps)

    def learn(self, model: BoundedModel, answer: cp_sat.CpSatAnswer) -> None:
        """Record a model's answer; where all actions are free, one model says everything."""
        if answer.status == "infeasible" and not any(action.cost[0] for action in self.task.actions):
            self.refuted_by = f"CP-SAT: no goal is {self.free} actions away, and as all are free none needs more"
        Run.learn(self, model, answer)


@dataclass
class HorizonRun(Run):
    """A run on a task of operators.

    `layers`: the task in the form in which a horizon is a cost, and what a layer costs. `tables`: the deepest h^m
    tables so far; `invariants`: what holds of every plan; `without`: the rules switched off. `overtaking`: how many
    horizons the companions have refuted since the run's own models have refuted any; `ruled_out_beyond`: lengths that
    no plan has, some of them above the bound.
    """

    layers: CostLayers
    tables: HmTables
    invariants: Invariants
    background: BackgroundHm
    without: frozenset[str] = frozenset()
    workers: int = 2
    companions: list[Companion] = field(default_factory=list)
    overtaking: int = 0
    ruled_out_beyond: set[int] = field(default_factory=set)
    _begun: bool = False
    _encoding: threading.Lock = field(default_factory=threading.Lock)
    _encoder: HorizonEncoder | None = None

    @property
    def task(self) -> Task:
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
                horizon, idle=idle, shortest=shortest, walks=walks, least=self.bound, free=self.free, stop=stop
            )
        )

    def chain(self, steps: int) -> Formula:
        return chain(self.task, self.tables, steps)

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
