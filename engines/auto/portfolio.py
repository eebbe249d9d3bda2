"""The engine `solve`: a portfolio of engines, side by side in processes of their own, that share what they learn.

A portfolio beats the choice of one solver where one cannot know beforehand which is the right one (Huberman, Lukose,
Hogg, *An economics approach to hard computational problems*, Science 275, 1997). Here search and CP-SAT complement
each other: search is quick where there are few states, CP-SAT where plans are short or tightly constrained.

First, engines whose role says `try_first` get a moment each: plain search, which needs nothing compiled, and then
breadth-first search, beside which the search for the task has begun if that is another one. These solve a puzzle
with up to some hundred thousand states. Where compiled code is loaded already, as in a process that solves one puzzle
after the other, there is no need of plain search; where it has to be made first, plain search has longer. Many
operators do not mean many states, so plain search begins large tasks, too; there no moment of breadth-first search
follows, but the bound that is known without a search is reported at once. Then the sides work in parallel: a search, a
solver, and a search for a quick plan. A side is a queue of engines: when one ends without a proof (out of memory, or it
cannot do this task), the next takes over. Which one comes first depends on the kind of the task (`TaskKind`); each
engine's record says where it stands (`PortfolioRole`):

    one movable object takes part in every operator (the blank)   idastar, astar
    the goal has several clauses: an estimate can see far         astar, idastar
    actions are programs that change variables together           astar, idastar
    the goal has one clause: states are many and cheap            bfs, idastar
    steps differ in cost                                          astar, bfs
    actions are programs, of those that can solve the task        bidirectional, astar, idastar, bfs

Where the last operator says which few can follow, IDA* makes a hundred times as many nodes in a second as A*, and needs
no memory. Where actions as programs can be undone (a cube's turns), searches from both ends of a plan of length d meet
about 2 b^(d/2) states in place of b^d. Where one goal piece among many others decides all, an estimate saves little,
and breadth-first search is the quickest way through all states; `idastar` goes on in what memory is left.

Two cores are enough: the search has one, and the solver, which stands back behind it, about the other (on large tasks,
where search gets nowhere, it does not stand back). The search for a quick plan (`greedy`; where the task is a board
with boxes, `fess` comes first) has its share until it has a plan, a second at most. Then it runs at low priority, and
at the lowest as long as it makes the plan better. Its plan gives an upper bound early, and an answer where nothing is
proven in time. On a large task, it begins before anything is analysed; where the goal has many clauses, beside the
moment of breadth-first search.

A search that has to meet every state up to the optimum is ended when it cannot: its layers grow by some factor, no plan
is shorter than the bound that is proven, so that many states would have to be met (`Portfolio.hopeless`). The solver,
which works in two threads on hard puzzles, then has its core as well.

All that any engine proves or finds counts at once: the best plan is passed to the others as an upper bound, and when
the highest lower bound has met the cheapest plan, wherever the two came from, the task is solved and the rest is
ended. `stats` names who found the plan (`plan_by`) and who proved the bound (`bound_by`).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...analysis.bitset_task import bitset_bytes, to_bitset_task
from ...analysis.once import plans_are_sets
from ...models.errors import DisagreementError
from ...models.moves import Cost, show_cost
from ...models.plan import Plan
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...runtime import budget as grace
from ...runtime import kernels
from ...runtime.budget import LOADING, MIB, Budget
from ...runtime.child_main import Orders, resident
from ...runtime.environment import cores
from ...runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Progress, Working, silent
from ...runtime.outcome import INITIAL, Outcome, Recorder, Status
from ...runtime.processes import Child, wait
from ..common import root_bound
from ..engine import Engine, PortfolioRole
from ..table import kind_of, line_up, members

# Seconds of processor time for breadth-first search before the sides are started, if it is the first in line. It
# meets some hundred thousand states in it.
SLICE = 0.5

# The same where another search is the first in line, which works beside it. Three processes share two cores
# meanwhile: 0.8 s on an idle machine, which Microban 99 needs.
SLICE_BESIDE = 0.55

# The same on one core, where another search is the first in line.
SHORT_SLICE = 0.2

# Operators up to which plain search begins a large task: it makes rules of all of them, in 0.04 s for the 13,440 of
# topspin, whose 1,242 states take 0.06 s; 16x16 boards have 11,400.
MOST_OPERATORS = 20_000

# Operators up to which the bound that is known without a search is found here, which takes 0.3 s for the 11,400 of a
# 16x16 board. Nobody hears meanwhile of a plan, so engines find it for themselves where it takes longer.
MOST_FOR_BOUND = 12_000

# How much the solver stands back behind the search (nice(2)), on tasks that are not large. Seconds without and with
# it: XSokoban 38 2.3 and 1.8, korf-01 3.4 and 2.2, topspin, which the solver proves, 3.2 and 3.7.
SOLVER_NICENESS = 5

# Seconds of processor time for which the search for a quick plan does not stand back, if it has no plan before.
AT_FIRST = 1.0

# Seconds of processor time after which it stands back most, with a plan of its own and without: what it does then is
# worth less than proofs.
WITH_A_PLAN, WITHOUT_A_PLAN = 3.0, 20.0
LAST_NICENESS = 19

# Seconds before search begins where a plan is a set of actions. The solver's model needs no compiled code, and takes
# less than a second for a loop on 16x16 squares.
SOLVER_ALONE = 10.0

# The part of the memory limit that all may hold together; beyond it the largest is ended.
MEMORY_SHARE = 0.95

# Seconds between two looks at the engines.
POLL = 0.05

# Seconds for which breadth-first search is alone where compiled code is loaded already, before the search for the task
# begins beside it. Half of the shipped puzzles are solved in less.
ALONE = 0.1

# Clauses of the goal from which on the search for a quick plan begins beside the moment of breadth-first search.
MANY_CLAUSES = 10

# Seconds for which the engine that has proven the bound may end by itself, so that what it counted is known.
LAST_WORDS = 0.02

# Seconds between two looks at the engines when they have been asked to end.
CLOSING_POLL = 0.02


# The results that the engines of a portfolio share: the best plan, the highest bound, and whose they are.

# A search that would have to meet more states than this before the bound is reached is ended.
HOPELESS_STATES = 1e10


@dataclass(slots=True)
class Portfolio:
    """What the engines have achieved together on a task, of operators or programs.

    `plan_by` and `bound_by` are engines; `layers`: the last three layers of those that search in layers; `proven`: the
    last bound that each has proven; `peak`: the most bytes that all held together, beyond the `base` of this process.
    """

    task: Any
    record: Recorder
    plan_by: str = ""
    bound_by: str = ""
    unsolvable_by: str | None = None
    layers: dict[str, list[LayerDone]] = field(default_factory=dict)
    proven: dict[str, Cost] = field(default_factory=dict)
    base: int = field(default_factory=resident)
    peak: int = 0

    @property
    def budget(self) -> Budget:
        return self.record.budget

    @property
    def large(self) -> bool:
        """Whether the task has so many operators that analysing it takes seconds."""
        return isinstance(self.task, OperatorTask) and len(self.task.operators) > root_bound.LARGE_TASK

    def learn_bound(self, engine: str, bound: Cost, by: str) -> None:
        self.proven[engine] = max(bound, self.proven.get(engine, bound))
        if self.record.raise_bound(bound, by, engine=engine):
            self.bound_by = engine

    def learn_plan(self, engine: str, plan: Plan, cost: Cost) -> None:
        if self.record.found(plan, cost, engine=engine):
            self.plan_by = engine

    def hear(self, engine: str, event: Event) -> None:
        """Take over an event that an engine reports: a plan, a bound, a completed layer or a note."""
        if isinstance(event, LayerDone):
            self.layers[engine] = [*self.layers.get(engine, ())[-2:], event]
        match event:
            case LowerBound() | LayerDone() if event.lower_bound is not None:
                if event.by == INITIAL and len(event.lower_bound) == 1:
                    self.record.stats[f"{engine}_h_start"] = event.lower_bound[0]
                self.learn_bound(engine, event.lower_bound, event.by)
            case PlanFound():
                self.learn_plan(engine, event.plan, event.cost)
            case Note() | Working():
                self.record.progress(replace(event, seconds=self.record.elapsed))

    def learn(self, engine: str, outcome: Outcome) -> None:
        """Take over the plan and the bounds of an engine's outcome."""
        if outcome.lower_bound is not None:
            self.learn_bound(engine, outcome.lower_bound, outcome.lower_bound_by)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.learn_plan(engine, outcome.plan, outcome.upper_bound)
        if outcome.status is Status.UNSOLVABLE:
            self.unsolvable_by, self.bound_by = outcome.lower_bound_by, engine
        self.record.stats |= {f"{engine}_{key}": value for key, value in outcome.stats.items()}

    def hopeless(self, engine: str) -> bool:
        """Whether an engine that searches in layers would meet more than `HOPELESS_STATES` before the proven bound is
        reached, if the layers went on growing as the last one did.

        S states after layer d, r times as many in it as in the one before, a bound L: S * r^(L - d) states. Nothing is
        said of layers which the engine knows from the moment that it had before.
        """
        layers, bound = self.layers.get(engine, ()), self.record.bounds.lower_bound
        if len(layers) < 3 or bound is None or layers[-1].depth + 1 < self.proven.get(engine, (0,))[0]:
            return False
        first, second, third = (layer.states for layer in layers)
        growth = (third - second) / max(1, second - first)
        left = bound[0] - layers[-1].depth
        return growth > 1 and left * math.log(growth) + math.log(third) > math.log(HOPELESS_STATES)

    def forget_counts(self, engine: str) -> None:
        """An engine begins anew: what it counted before says nothing of what it will have proven.

        If it is killed, it has no counts: none are better than wrong ones.
        """
        kept = {key: value for key, value in self.record.stats.items() if not key.startswith(f"{engine}_")}
        self.record.stats = kept

    @property
    def solved(self) -> bool:
        """Whether the bounds have met. Raises `DisagreementError` if engines contradict each other."""
        known = self.record.bounds
        low, high = known.lower_bound, known.upper_bound
        if high is not None and (self.unsolvable_by is not None or (low is not None and low > high)):
            proof = known.lower_bound_by if self.unsolvable_by is None else self.unsolvable_by
            raise DisagreementError(
                f"{self.plan_by} has a plan of {show_cost(high)}, but {self.bound_by} proves otherwise: {proof}"
            )
        return self.unsolvable_by is not None or known.closed

    def weigh(self, held: int = 0) -> None:
        """Note the memory that this process has taken since the beginning, and engines in others hold."""
        self.peak = max(self.peak, held + resident() - self.base)

    def outcome(self, reason: str | None) -> Outcome:
        self.weigh()
        self.record.stats["memory_mib"] = round(self.peak / MIB, 1)
        who = (("plan_by", self.plan_by), ("bound_by", self.bound_by))
        self.record.stats |= {key: name for key, name in who if name}
        if self.unsolvable_by is not None:
            return self.record.unsolvable(self.unsolvable_by)
        return self.record.stopped(reason)


def within(seconds: float) -> Callable[[], str | None]:
    """A function that gives "time limit" once this thread has used `seconds` of processor time from now on,
    else None.
    """
    end = time.thread_time() + seconds
    return lambda: "time limit" if time.thread_time() >= end else None


def solve(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task, of operators or programs, by all engines that have a place, at once.

    Raises `DisagreementError` if they contradict each other.
    """
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    record.encoded()
    portfolio = Portfolio(task, record)
    engines = able(task)
    plain = next((e for e in engines if e.role and e.role.try_first and not e.compiled), None)
    if plain is None or (portfolio.large and len(task.choices) > MOST_OPERATORS):
        return portfolio.outcome(_compiled(portfolio, engines))
    if not portfolio.large and kernels.loaded():
        return portfolio.outcome(_compiled(portfolio, engines, ALONE))
    seconds = (plain.role and plain.role.seconds) or 0.0
    if not _solvers_without_horizon(task, engines):
        seconds = max(seconds, kernels.patience(budget))
    portfolio.learn(plain.name, _slice(portfolio, plain, seconds, [], 0.0))
    return portfolio.outcome(_compiled(portfolio, engines))


def able(task: Task) -> list[Engine]:
    """The members that read a task in its form."""
    return by_form(
        task,
        lambda task: [engine for engine in members() if engine.reads is OperatorTask and engine.refusal(task) is None],
        lambda _: [engine for engine in members() if engine.programs and engine.role],
    )


def _solvers_without_horizon(task: Task, engines: Sequence[Engine]) -> list[Engine]:
    """The solver, where a plan is a set of actions, in any order or in one that the model finds: it has one small model
    then, needs nothing compiled, and search is of little use; none elsewhere.
    """
    if len(task.metric) > 1 or not plans_are_sets(task):
        return []
    return [engine for engine in engines if engine.role and engine.role.queue == "solver"]


def _compiled(portfolio: Portfolio, engines: Sequence[Engine], alone: float = 0.0) -> str | None:
    """A moment for breadth-first search, then all sides; why they ended unsolved. On a large task the bound that is
    known without a search comes first, and all sides at once; where a plan is a set of actions, the solver alone.

    Where another search is the first in line, that begins beside it, when it has been `alone` for a while.
    """
    task, budget = portfolio.task, portfolio.budget
    if portfolio.solved or budget.stopped():
        return budget.stopped()
    first = _solvers_without_horizon(task, engines)
    with _lined_up(portfolio, [first] if first else []) as begun:
        if first:
            reason = _side_by_side(portfolio, begun, SOLVER_ALONE)
            if portfolio.solved or budget.stopped():
                return reason
            engines = [engine for engine in engines if engine not in first]
        portfolio.record.prepared(kernels.ensure_kernels(portfolio.record.progress, budget))
        if budget.stopped():
            return budget.stopped()
        if isinstance(task, ProgramTask):  # which of them refuse the task is found out by compiled code
            engines = [engine for engine in engines if engine.refusal(task) is None]
        queues = line_up(kind_of(task), engines)
        with _lined_up(portfolio, queues) as sides:
            if portfolio.large:
                if len(task.metric) <= 2 and budget.fits(4 * bitset_bytes(task)):
                    to_bitset_task(task)  # here, so that children have it already
                for side in _of_queue("quick plan", sides):
                    _start(portfolio, side)
                if len(task.choices) <= MOST_FOR_BOUND:
                    root_bound.tell_root_bounds(task, portfolio.record)
                    portfolio.bound_by = "auto"
            else:
                for engine in _with_a_moment(task, engines, queues):
                    if engine.compiled:
                        _first_moment(portfolio, engine, sides, alone)
                        if portfolio.solved or budget.stopped():
                            return budget.stopped()
            return budget.stopped() or _side_by_side(portfolio, begun + sides)


def _with_a_moment(task: Task, engines: Sequence[Engine], queues: Sequence[Sequence[Engine]]) -> list[Engine]:
    """The engines that are tried for a moment before the sides begin: those that solve small tasks at once, and where
    actions are programs the search behind a first one that is for some such tasks only: A* behind the search from both
    ends, as projections can say at once what that would look for in vain.
    """
    first = [engine for engine in engines if engine.role and engine.role.try_first]
    leader, *behind = queues[0]
    if isinstance(task, ProgramTask) and leader.programs and leader.programs.refuses:
        first += [engine for engine in behind[:1] if engine not in first]
    return first


def _first_moment(portfolio: Portfolio, engine: Engine, sides: Sequence[_PortfolioSide], alone: float) -> None:
    """Run an engine for a moment before the sides begin; only the side of the search works beside it already, if it
    begins with another engine, and that of a quick plan, if the goal has many clauses.
    """
    first = any(side.queue[0].name == engine.name for side in sides)
    beside = _of_queue("search", sides) if not first and cores() > 1 else []
    seconds = SLICE if first else SLICE_BESIDE if beside else SHORT_SLICE
    if isinstance(portfolio.task, OperatorTask) and len(portfolio.task.goal) >= MANY_CLAUSES:
        beside += [side for side in _of_queue("quick plan", sides) if side.queue[0].name == "greedy"]
    for side in () if alone else beside:
        _start(portfolio, side)
    portfolio.learn(engine.name, _slice(portfolio, engine, seconds, beside, alone))


def _slice(
    portfolio: Portfolio, engine: Engine, seconds: float, beside: Sequence[_PortfolioSide], alone: float
) -> Outcome:
    """Run an engine in this process for `seconds` of processor time, or less if a side `beside` it, which begins after
    `alone` seconds, has the answer. Its notes and bounds are reported.
    """
    engine.load()
    others_wait, ended = within(alone), within(seconds)

    def tell(event: Event) -> None:
        if isinstance(event, Note | LowerBound):
            portfolio.hear(engine.name, event)

    def over() -> str | None:
        for side in beside:
            if not side.engine and others_wait():
                _start(portfolio, side)
            if side.child:
                side.child.look()
                _look(portfolio, side)
        if portfolio.solved:
            return "another engine has the answer"
        return portfolio.budget.stopped() or ended()  # which may hear a parent process

    return engine.run(portfolio.task, budget=portfolio.budget.part(portfolio.budget.remaining, over), progress=tell)


@dataclass(slots=True)
class _PortfolioSide:
    """One of the queues: the engine that is working and those that wait; `blind`: it will meet every state up to the
    optimum; `given_up`: it has no hope, and is to end.
    """

    queue: list[Engine]
    engine: str = ""
    blind: bool = False
    child: Child | None = None
    given_up: bool = False


def _of_queue(name: str, sides: Sequence[_PortfolioSide]) -> list[_PortfolioSide]:
    """The sides of a queue that have not begun."""
    return [side for side in sides if side.queue[0].role and side.queue[0].role.queue == name]


@contextmanager
def _lined_up(portfolio: Portfolio, queues: Sequence[Sequence[Engine]]) -> Iterator[list[_PortfolioSide]]:
    """The sides with their queues, before any of them is started; at the end, engines that still work are killed, the
    one that proved the bound a moment later.
    """
    sides = [_PortfolioSide(list(queue)) for queue in queues]
    try:
        yield sides
        until = time.monotonic() + LAST_WORDS
        for side in sides if portfolio.solved else ():
            while side.child and side.engine == portfolio.bound_by and time.monotonic() < until:
                wait([side.child], until - time.monotonic())
                _look(portfolio, side)
    finally:
        for side in sides:
            if side.child:
                side.child.kill()


def _side_by_side(portfolio: Portfolio, sides: Sequence[_PortfolioSide], seconds: float = math.inf) -> str | None:
    """Let the sides work until the task is solved, or these seconds are over; gives the reason if they end without a
    solution.
    """
    until = time.monotonic() + seconds
    budget, bounds = portfolio.budget, portfolio.record.bounds
    reason: str | None = None
    gave_up = "no engine can do more"
    while not portfolio.solved and time.monotonic() < until:
        reason = reason or budget.stopped()
        for side in sides:
            if side.child is None and side.queue and not reason:
                _start(portfolio, side)
            elif side.child and reason:
                side.child.stop(reason)
            elif side.child and side.blind and portfolio.hopeless(side.engine):
                side.child.stop("too many states")
                side.queue.clear()
                side.given_up = True
        working = [side.child for side in sides if side.child]
        if not working:
            return reason or gave_up
        with budget.paused(LOADING, all(child.loading for child in working)):
            wait(working, CLOSING_POLL if reason else POLL)
        _ease(working, portfolio)
        for side in sides:
            gave_up = _look(portfolio, side) or gave_up
        for child in working:
            if bounds.upper_bound is not None and not child.ended:
                child.tell(bounds.upper_bound)
    return None


def _start(portfolio: Portfolio, side: _PortfolioSide) -> None:
    engine = side.queue.pop(0)
    side.engine, side.blind = engine.name, engine.style.blind
    portfolio.forget_counts(engine.name)
    budget, role = portfolio.budget, engine.role or PortfolioRole("search")
    limits = [seconds for seconds in (budget.seconds_left, role.seconds) if seconds is not None]
    behind = role.queue == "solver" and not portfolio.large and not _solvers_without_horizon(portfolio.task, [engine])
    niceness = SOLVER_NICENESS if behind else role.niceness
    orders = Orders(
        partial(_solve, engine, niceness, portfolio.task),
        min(limits, default=None),
        None if budget.memory_mib is None else int(budget.memory_mib * role.memory),
        portfolio.record.bounds.upper_bound,
        engine.load,
    )
    side.child = Child(orders, partial(portfolio.hear, engine.name), grace.MEMBER)


def _solve(engine: Engine, niceness: int, task: Task, budget: Budget, progress: Progress) -> Outcome:
    """Run an engine in this process, which stands back behind others: by and by, if it looks for a quick plan."""
    role, began, stood, plan = engine.role or PortfolioRole("search"), time.process_time(), 0, False
    quick = role.queue == "quick plan"

    def tell(event: Event | None) -> None:
        nonlocal stood, plan
        plan = plan or isinstance(event, PlanFound)
        spent = time.process_time() - began
        most = 0 if quick and not plan and spent < AT_FIRST else niceness
        if quick and spent > (WITH_A_PLAN if plan else WITHOUT_A_PLAN):
            most = LAST_NICENESS
        if most > stood and hasattr(os, "nice"):
            os.nice(most - stood)
            stood = most
        if event:
            progress(event)

    tell(None)
    options = {"to_the_limit": True} if role.to_the_limit else {}
    return engine.run(task, budget=budget, progress=tell, **options)


def _look(portfolio: Portfolio, side: _PortfolioSide) -> str | None:
    """Take over the results of a side's engine, if it has ended. Gives the reason, unless that concerns this engine
    alone: its own time limit, an error, too many states.
    """
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
    portfolio.record.stats[f"{side.engine}_error"] = str(child.error)
    return None


def _ease(working: list[Child], portfolio: Portfolio) -> None:
    """End the largest engine if all together hold more than they may."""
    held, budget = sum(child.held for child in working if not child.ended), portfolio.budget
    portfolio.weigh(held)
    if budget.memory_mib is not None and held > MEMORY_SHARE * budget.memory_mib * MIB:
        max((child for child in working if not child.ended), key=lambda child: child.held).end("memory limit")
