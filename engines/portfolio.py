"""The engine `auto`: a portfolio of engines, side by side in processes of their own, that share what they learn.

A portfolio beats the choice of one solver where one cannot know beforehand which is the right one (Huberman, Lukose,
Hogg, *An economics approach to hard computational problems*, Science 275, 1997). Here search and CP-SAT complement
each other: search is quick where there are few states, CP-SAT where plans are short or tightly constrained.

First, engines whose place says `slice` get a moment each in this process: plain search, which needs nothing compiled,
and breadth-first search. These solve a puzzle with up to some hundred thousand states, and no process is started. (The
others are prepared when plain search has not solved it.) A large task is not for them: there the bound that is known
without a search is told at once, and no time is lost. Then the sides work in parallel: a search, a solver,
and a search for a quick plan. A side is a queue of engines: when one ends without a proof (out of memory, or it cannot
do this task), the next takes over. Which one comes first depends on the kind of the task (`TaskKind`); each engine's
record says where it stands (`Place`):

    one movable object takes part in every operator (the blank)   idastar, astar
    the goal has several clauses: an estimate can see far         astar, idastar
    the goal has one clause: states are many and cheap            bfs, idastar
    steps differ in cost                                          astar, bfs

Where the last operator says which few can follow, IDA* makes a hundred times as many nodes in a second as A*, and needs
no memory. Where one goal piece among many others decides all, an estimate saves little, and breadth-first search is
the quickest way through all states; `idastar` goes on in what memory is left.

Two cores are enough: the search has one, the solver about the other. The search for a quick plan is over soon
(`refine`), or runs at low priority and not for long (`greedy`; where an engine reads a view of the puzzle, as `fess`
does, it comes first). Its plan gives an upper bound early, and an answer where nothing is proven in time.

A search that has to meet every state up to the optimum is ended when it cannot: its layers grow by some factor, no plan
is shorter than the bound that is proven, so that many states would have to be met (`Portfolio.hopeless`). The solver,
which works in two threads on hard puzzles, then has its core as well.

All that any engine proves or finds counts at once: the best plan is told to the others as an upper bound, and when
the highest lower bound has met the cheapest plan, wherever the two came from, the task is solved and the rest is
ended. `stats` names who found the plan (`plan_by`) and who proved the bound (`bound_by`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ..models.cost import Cost, show_cost
from ..models.errors import DisagreementError
from ..models.plan import Plan
from ..models.task import Task
from ..runtime import grace
from ..runtime.budget import MIB, Budget
from ..runtime.child_main import Orders
from ..runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Progress, Working, silent
from ..runtime.outcome import Outcome, Recorder, Status
from ..runtime.preparation import Preparation
from ..runtime.processes import Child, wait
from ..runtime.tunables import tunable
from .engine import Engine, Place, TaskKind
from .preparation import patience, preparations, prepare_within
from .root_bound import LARGE, tell_root_bound


@dataclass(slots=True)
class Tunables:
    """See `runtime.tunables`. What differs from engine to engine (time, memory, priority) is in their `Place`."""

    slice: float = tunable(
        0.5,
        0.0,
        60.0,
        "seconds for which the first engine in line is tried before processes are started",
        "breadth-first search meets some hundred thousand states in it",
    )
    short_slice: float = tunable(0.2, 0.0, 60.0, "the same where another engine is the first in line")
    share: float = tunable(
        0.95, 0.1, 1.0, "the part of the memory limit that all may hold together; beyond it the largest is ended"
    )
    poll: float = tunable(0.05, 0.001, 1.0, "seconds between two looks at the engines")
    most_states: float = tunable(
        1e10, 1e6, 1e30, "a search that would have to meet more states than this before the bound is reached is ended"
    )
    closing_poll: float = tunable(0.02, 0.001, 1.0, "the same when they have been asked to end")


TUNABLES = Tunables()


def kind_of(task: Task) -> TaskKind:
    """What a task shows at first sight."""
    from ..analysis.structure import structure_of  # brings numpy, which a small puzzle does not need

    if not task.uniform:
        return TaskKind.COSTS_DIFFER
    if not task.walker and structure_of(task).always_changed:
        return TaskKind.ONE_OBJECT
    return TaskKind.SEVERAL_GOALS if len(task.goal) > 1 else TaskKind.ONE_GOAL


def line_up(kind: TaskKind, engines: Sequence[Engine]) -> tuple[tuple[Engine, ...], ...]:
    """Which engines work side by side on tasks of a kind, in queues."""
    sides: dict[str, list[tuple[int, int, Engine]]] = {}
    for number, engine in enumerate(engines):
        if engine.place and kind in engine.place.ranks:
            sides.setdefault(engine.place.side, []).append((engine.place.ranks[kind], number, engine))
    order = ("search", "solver", "quick plan")
    return tuple(tuple(engine for _, _, engine in sorted(sides[side])) for side in order if side in sides)


@dataclass(slots=True)
class Portfolio:
    """What the engines have achieved together. `plan_by` and `bound_by` are engines; `layers`: the last three layers of
    those that search in layers.
    """

    task: Task
    record: Recorder
    plan_by: str = ""
    bound_by: str = ""
    unsolvable_by: str | None = None
    layers: dict[str, list[LayerDone]] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        return self.record.budget

    def learn_bound(self, engine: str, bound: Cost, by: str) -> None:
        if self.record.raise_bound(bound, by, engine=engine):
            self.bound_by = engine

    def learn_plan(self, engine: str, plan: Plan, cost: Cost) -> None:
        if self.record.found(plan, cost, engine=engine):
            self.plan_by = engine

    def hear(self, engine: str, event: Event) -> None:
        """Take over what an engine tells."""
        if isinstance(event, LayerDone):
            self.layers[engine] = [*self.layers.get(engine, ())[-2:], event]
        match event:
            case LowerBound() | LayerDone() if event.lower_bound is not None:
                self.learn_bound(engine, event.lower_bound, event.by)
            case PlanFound():
                self.learn_plan(engine, event.plan, event.cost)
            case Note() | Working():
                self.record.progress(replace(event, seconds=self.record.elapsed))

    def learn(self, engine: str, outcome: Outcome) -> None:
        """Take over what an engine's outcome says."""
        if outcome.lower_bound is not None:
            self.learn_bound(engine, outcome.lower_bound, outcome.lower_bound_by)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.learn_plan(engine, outcome.plan, outcome.upper_bound)
        if outcome.status is Status.UNSOLVABLE:
            self.unsolvable_by, self.bound_by = outcome.lower_bound_by, engine
        self.record.stats |= {f"{engine}_{key}": value for key, value in outcome.stats.items()}

    def hopeless(self, engine: str) -> bool:
        """Whether an engine that searches in layers would meet far too many states before the proven bound is reached,
        if the layers went on growing as the last one did.

        S states after layer d, r times as many in it as in the one before, a bound L: S * r^(L - d) states.
        """
        layers, bound = self.layers.get(engine, ()), self.record.bounds.lower_bound
        if len(layers) < 3 or bound is None:
            return False
        first, second, third = (layer.states for layer in layers)
        growth = (third - second) / max(1, second - first)
        left = bound[0] - layers[-1].depth
        return growth > 1 and left * math.log(growth) + math.log(third) > math.log(TUNABLES.most_states)

    def forget_counts(self, engine: str) -> None:
        """An engine begins anew: what it counted before says nothing of what it will have proven.

        If it is killed, it has no counts: none are better than wrong ones.
        """
        kept = {key: value for key, value in self.record.stats.items() if not key.startswith(f"{engine}_")}
        self.record.stats = kept

    @property
    def solved(self) -> bool:
        """Whether there is nothing left to prove. Raises `DisagreementError` if engines contradict each other."""
        known = self.record.bounds
        low, high = known.lower_bound, known.upper_bound
        if high is not None and (self.unsolvable_by is not None or (low is not None and low > high)):
            proof = known.lower_bound_by if self.unsolvable_by is None else self.unsolvable_by
            raise DisagreementError(
                f"{self.plan_by} has a plan of {show_cost(high)}, but {self.bound_by} proves otherwise: {proof}"
            )
        return self.unsolvable_by is not None or known.closed

    def outcome(self, reason: str | None) -> Outcome:
        who = (("plan_by", self.plan_by), ("bound_by", self.bound_by))
        self.record.stats |= {key: name for key, name in who if name}
        if self.unsolvable_by is not None:
            return self.record.unsolvable(self.unsolvable_by)
        return self.record.stopped(reason)


def auto(task: Task, engines: Sequence[Engine], budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task by those of the engines that have a place, at once.

    Raises `DisagreementError` if they contradict each other.
    """
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    record.encoded()
    portfolio = Portfolio(task, record)
    engines = [engine for engine in engines if task.view(engine.reads) is not None]
    if len(task.operators) > LARGE:
        return _without_slices(portfolio, line_up(kind_of(task), engines))
    slices = sorted((engine for engine in engines if engine.place and engine.place.slice), key=lambda one: one.compiled)
    sides: tuple[tuple[Engine, ...], ...] | None = None
    for engine in slices:
        if engine.compiled and sides is None:
            _once_more(portfolio, slices)
            if portfolio.solved or budget.stopped():
                break
            sides = line_up(kind_of(task), engines)
        first = any(side[0] is engine for side in sides or ())
        portfolio.learn(engine.name, _slice(portfolio, engine, TUNABLES.slice if first else TUNABLES.short_slice))
        if portfolio.solved or budget.stopped():
            break
    if portfolio.solved or budget.stopped():
        return portfolio.outcome(budget.stopped())
    sides = sides or line_up(kind_of(task), engines)
    _prepare(portfolio, [engine for side in sides for engine in side])
    return portfolio.outcome(budget.stopped() or _side_by_side(portfolio, sides))


def _without_slices(portfolio: Portfolio, sides: Sequence[Sequence[Engine]]) -> Outcome:
    """Solve a large task: the bound that is known without a search, and all sides at once."""
    _prepare(portfolio, [engine for side in sides for engine in side])
    tell_root_bound(portfolio.task, portfolio.record)
    portfolio.bound_by = "auto"
    return portfolio.outcome(portfolio.budget.stopped() or _side_by_side(portfolio, sides))


def _once_more(portfolio: Portfolio, slices: Sequence[Engine]) -> None:
    """Give those that need no compiling more time, if the next would have to be compiled."""
    seconds = patience(_preparations(portfolio, slices), portfolio.budget)
    for engine in slices:
        if seconds and not engine.compiled and not portfolio.solved:
            outcome = engine.run(portfolio.task, budget=portfolio.budget.part(seconds))
            portfolio.learn(engine.name, outcome)


def _prepare(portfolio: Portfolio, engines: Sequence[Engine]) -> None:
    """Compile what engines run, if that has not been done: no clock goes on meanwhile."""
    wanted = _preparations(portfolio, engines)
    portfolio.record.prepared(prepare_within(wanted, portfolio.budget, portfolio.record.progress))


def _preparations(portfolio: Portfolio, engines: Sequence[Engine]) -> list[Preparation]:
    """How to prepare engines for this task: what other kinds of tasks need is left alone."""
    return preparations(engines, [portfolio.task.walker is not None])


def _slice(portfolio: Portfolio, engine: Engine, seconds: float) -> Outcome:
    """An engine for a short while, its own time or `seconds`. Its notes are told, and bounds: on a large task the first
    one is there long before the search has begun.
    """
    _prepare(portfolio, [engine])
    if portfolio.budget.interrupted.is_set():
        return Recorder(portfolio.budget).stopped("interrupted")
    engine.load()

    def tell(event: Event) -> None:
        if isinstance(event, Note | LowerBound):
            portfolio.hear(engine.name, event)

    place = engine.place
    limit = seconds if place is None or place.seconds is None else place.seconds
    return engine.run(portfolio.task, budget=portfolio.budget.part(limit), progress=tell)


@dataclass(slots=True)
class _Side:
    """One of the queues: the engine that is working and those that wait; `given_up`: it has no hope, and is to end."""

    queue: list[Engine]
    engine: str = ""
    child: Child | None = None
    given_up: bool = False


def _side_by_side(portfolio: Portfolio, queues: Sequence[Sequence[Engine]]) -> str | None:
    """Let the sides work until the task is solved; why they ended otherwise."""
    budget, known = portfolio.budget, portfolio.record.bounds
    sides = [_Side(list(queue)) for queue in queues]
    reason: str | None = None
    gave_up = "no engine can do more"
    try:
        while not portfolio.solved:
            reason = reason or budget.stopped()
            for side in sides:
                if side.child is None and side.queue and not reason:
                    _start(portfolio, side)
                elif side.child and reason:
                    side.child.stop(reason)
                elif side.child and portfolio.hopeless(side.engine):
                    side.child.stop("too many states")
                    side.queue.clear()
                    side.given_up = True
            working = [side.child for side in sides if side.child]
            if not working:
                return reason or gave_up
            wait(working, TUNABLES.closing_poll if reason else TUNABLES.poll)
            _ease(working, budget)
            for side in sides:
                gave_up = _look(portfolio, side) or gave_up
            for child in working:
                if known.upper_bound is not None and not child.ended:
                    child.tell(known.upper_bound)
        return None
    finally:
        for side in sides:
            if side.child:
                side.child.kill()


def _start(portfolio: Portfolio, side: _Side) -> None:
    engine = side.queue.pop(0)
    side.engine = engine.name
    portfolio.forget_counts(engine.name)
    budget, place = portfolio.budget, engine.place or Place("search")
    limits = [seconds for seconds in (budget.seconds_left, place.seconds) if seconds is not None]
    orders = Orders(
        partial(_solve, engine, portfolio.task),
        min(limits, default=None),
        None if budget.memory_mib is None else int(budget.memory_mib * place.memory),
        portfolio.record.bounds.upper_bound,
    )
    side.child = Child(orders, partial(portfolio.hear, engine.name), grace.MEMBER)


def _solve(engine: Engine, task: Task, budget: Budget, progress: Progress) -> Outcome:
    if engine.place and hasattr(os, "nice"):
        os.nice(engine.place.niceness)
    return engine.run(task.view(engine.reads), budget=budget, progress=progress)


def _look(portfolio: Portfolio, side: _Side) -> str | None:
    """Take over what a side's engine has come to; why it ended, if it did."""
    child = side.child
    if child is None or not child.ended:
        return None
    side.child = None
    portfolio.learn(side.engine, child.outcome())
    if side.given_up:
        portfolio.record.stats[f"{side.engine}_ended"] = "too many states"
        return None
    if child.error is None:
        reason = child.outcome().stopped_by or (child.ended if child.ended != "done" else None)
        own = reason == "time limit" and not portfolio.budget.stopped()  # a limit of its own: the others go on
        return None if own else reason
    kind, message = child.error
    if not issubclass(kind, ImportError):
        portfolio.record.stats[f"{side.engine}_error"] = message
    return None


def _ease(working: list[Child], budget: Budget) -> None:
    """End the largest engine if all together hold more than they may."""
    held = sum(child.held for child in working if not child.ended)
    if budget.memory_mib is not None and held > TUNABLES.share * budget.memory_mib * MIB:
        max((child for child in working if not child.ended), key=lambda child: child.held).end("memory limit")
