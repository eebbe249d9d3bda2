"""Solving a puzzle with one engine: ground, solve, replay, check."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from ..engines.engine import INTERCHANGEABLE, SPARE_OBJECTS, Engine
from ..engines.table import DEFAULT_ENGINE, ENGINES, find
from ..models.display import Displayed
from ..models.errors import FaultError, GroundingError, ReplayError, UsageError
from ..models.families import families
from ..models.moves import Cost, PlainCost, at_least, canonical_metric, plain_cost, show_cost
from ..models.plan import Plan, Replay, cost_in
from ..models.program import ProgramTask, by_form
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask, Task
from ..models.text import cut, suggest
from ..models.watching import progress_to
from ..runtime.budget import LOADING, Budget
from ..runtime.child_main import Work, processor_seconds
from ..runtime.events import Event, PlanFound, Preparing, Progress, Stage, silent
from ..runtime.kernels import ensure_kernels
from ..runtime.outcome import Count, Outcome, Recorder, Status, StoppedError, Times
from ..runtime.worker import Apart, here

# Grounding within a budget: what was found is shown, and the clock is looked at.

GROUNDING = "grounding the puzzle"
"""The stage in which a puzzle is grounded, after reading and before solving."""

TOLD_EVERY = 0.25
"""Seconds between two reports of how many operators, or other things, were found."""


@contextmanager
def grounding(budget: Budget, progress: Progress, engine: str = "", text: str = GROUNDING) -> Iterator[None]:
    """Tell that grounding begins, and what is found while it goes on. Raises `StoppedError` within when the budget is
    over. (Until something is found, and in families that never look, it cannot be stopped in this process.)
    """
    progress(Stage(seconds=budget.elapsed, engine=engine, text=text, uninterruptible=True))
    told = time.monotonic()

    def on_progress(count: int, of: str) -> None:
        nonlocal told
        if reason := budget.stopped():
            raise StoppedError(reason, text)
        if time.monotonic() - told >= TOLD_EVERY:
            told = time.monotonic()
            progress(Stage(seconds=budget.elapsed, engine=engine, text=text, count=count, of=of))

    with progress_to(on_progress):
        yield


Read = TypeVar("Read")


class OfOutcome:
    """Properties with the status and the bounds of `outcome`; a cost is an int in metrics of one component, else a
    tuple.
    """

    __slots__ = ()

    outcome: Outcome

    @property
    def status(self) -> Status:
        """The status with which the run ended: `Status.OPTIMAL`, `Status.UNSOLVABLE`, ..."""
        return self.outcome.status

    @property
    def lower_bound(self) -> PlainCost:
        """The proven lower bound: no plan costs less. None if nothing is proven, or if no plan exists."""
        return plain_cost(self.outcome.lower_bound)

    @property
    def upper_bound(self) -> PlainCost:
        """The cost of the best plan that is known; None without a plan."""
        return plain_cost(self.outcome.upper_bound)


@dataclass(frozen=True, slots=True)
class Solution(OfOutcome, Displayed):
    """The outcome of an engine on a puzzle, with the replay of its plan.

    `outcome` has all of it, costs as tuples. The properties say the same in the form that is handy in Python: a cost is
    an int where the metric has one component, else a tuple.
    """

    puzzle: Puzzle
    engine: str
    metric: str
    outcome: Outcome
    replay: Replay | None

    def __repr__(self) -> str:
        """As `Solution(optimal, 10 slides, "Bird's second grid", bfs, 0.12 s)`."""
        name = repr(cut(self.puzzle.header.name, 60))
        return f"Solution({self.status.value}, {self.bounds}, {name}, {self.engine}, {self.seconds:.2f} s)"

    @property
    def plan(self) -> Plan | None:
        """The best plan that was found; None if no plan was found."""
        return self.outcome.plan

    @property
    def notation(self) -> list[str]:
        """The steps of the plan as people write them: `["A+2", "B-1"]`; empty without a plan."""
        return [] if self.replay is None else self.replay.notation

    @property
    def cost(self) -> PlainCost:
        """What the plan costs, as replayed by the rules; None without a plan."""
        return None if self.replay is None else plain_cost(cost_in(self.replay, self.metric))

    @property
    def proof(self) -> str:
        """What proved the lower bound, or that there is no plan, in words; empty if nothing is proven."""
        return self.outcome.lower_bound_by

    @property
    def bounds(self) -> str:
        """What is known of the optimum: `10 slides`, `at least 8 slides`, `8 to 10 slides`, `no plan exists`."""
        if self.status is Status.UNSOLVABLE:
            return "no plan exists"
        counted = self.puzzle.metric(self.metric).counted
        return between(self.outcome.lower_bound, self.outcome.upper_bound, counted) or "nothing is known"

    @property
    def seconds(self) -> float:
        """The wall-clock time from the puzzle to the answer: the sum of `outcome.times`."""
        return self.outcome.times.total

    @property
    def contradicts(self) -> str | None:
        """What is wrong with the file's `expect`, if something proven contradicts it."""
        return contradiction(self.puzzle, self.metric, self.outcome)


def between(low: Cost | None, high: Cost | None, counted: Callable[[Cost], str]) -> str:
    """Bounds in words: `10 slides`, `at least 8 slides`, `8 to 10 slides`; nothing where none is known."""
    if low is None or high is None:
        return f"at most {counted(high)}" if high is not None else "" if low is None else f"at least {counted(low)}"
    return counted(high) if low == high else f"{show_cost(low)} to {counted(high)}"


def contradiction(puzzle: Puzzle, metric: str, outcome: Outcome) -> str | None:
    """What is wrong with the file's `expect`, if the outcome's bounds or its plan contradict it."""
    expect, cost = puzzle.header.expect, outcome.upper_bound
    expected, counted = expect.costs.get(metric), puzzle.metric(metric).counted
    if expect.unsolvable and cost is not None:
        return "the file's `expect` says that there is no plan, but this plan solves the puzzle"
    if expected is None:
        return None
    said = f"the file's `expect` says {counted(expected)}, but "
    if outcome.status is Status.UNSOLVABLE:
        return f"{said}the puzzle is unsolvable"
    if cost is not None and (cost < expected or (outcome.status is Status.OPTIMAL and cost != expected)):
        return f"{said}a plan of {counted(cost)} was found"
    if outcome.lower_bound is not None and outcome.lower_bound > expected:
        return f"{said}{at_least(outcome.lower_bound, counted)}"
    return None


def metric_of(puzzle: Puzzle, asked: str | None) -> str:
    """The metric to solve in: the one asked for, or the puzzle's own. Raises `UsageError` for an unknown one."""
    metric = canonical_metric(asked) if asked else puzzle.header.metric
    if metric not in puzzle.metrics:
        raise UsageError(
            f"{puzzle.header.name}: the family {puzzle.family} has no metric `{metric}`; "
            + suggest(metric, puzzle.metrics)
        )
    return metric


def solve(
    puzzle: Puzzle,
    engine: str | Engine = DEFAULT_ENGINE,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    hard_limits: bool = False,
    apart: Apart | None = None,
    **options: Any,
) -> Solution:
    """Solve a puzzle and replay the plan by the rules of its family.

    With `hard_limits` all of it but the replay is done in a process of its own, or in the one that is given as `apart`,
    which is ended when the budget is. (What is quick is done here all the same where processes cannot be forked.)
    `metric` defaults to the puzzle's own, `budget` to the default limits. Raises `UsageError` for an unknown
    engine, metric or option, `ReplayError` if the plan does not replay or does not cost what the engine
    says: that is a bug in Budge, and no answer; and `FaultError` if a process died on which the answer depends.
    """
    chosen = engine if isinstance(engine, Engine) else find(engine)
    if not puzzle.offers(chosen.reads):
        raise _not_for(puzzle, chosen)
    options = chosen.checked(options)
    metric = metric_of(puzzle, metric)
    budget = budget or Budget()
    began, told_from = time.monotonic(), budget.elapsed

    def tell(event: Event) -> None:
        """Give every event the time of the answer's clock, wherever it was made; `Preparing` has its own."""
        own = isinstance(event, Preparing)
        progress(event if own else replace(event, seconds=max(0.0, budget.elapsed - told_from)))

    work = partial(_run, puzzle, chosen, metric, options)
    outcome = _outcome(work, budget, tell, hard_limits, apart, chosen.prompt and is_small(puzzle))
    ended = time.monotonic()
    budget.forget()
    # The plan counts only as replayed by the family's rules, at the cost that they say.
    replay = replayed(puzzle, metric, outcome)
    if replay is not None:
        cost = cost_in(replay, metric)
        if outcome.plan is not None and outcome.upper_bound is None:
            tell(PlanFound(seconds=budget.elapsed, engine=chosen.name, plan=outcome.plan, cost=cost))
        outcome = replace(outcome, upper_bound=cost)
        expected = puzzle.header.expect.costs.get(metric)
        if not chosen.promises_optimum and expected and len(cost) == 1:
            outcome = outcome.with_stats(optimum_by_expect=expected[0], above_optimum=cost[0] - expected[0])
    # The stages' times add up to the whole: what was killed in the middle is charged to the stage that it was in.
    took = ended - began - outcome.times.prepare
    ground = took if outcome.stage == GROUNDING else min(outcome.times.ground, took)
    took -= ground
    encode = min(outcome.times.encode, took)
    times = Times(
        ground=ground, encode=encode, solve=took - encode, other=time.monotonic() - ended, prepare=outcome.times.prepare
    )
    solution = Solution(puzzle, chosen.name, metric, replace(outcome, times=times), replay)
    if outcome.status is Status.ERROR:
        raise fault_of(solution)
    return solution


def fault_of(solution: Solution) -> FaultError:
    """The exception for a run whose process died."""
    fault = FaultError(f"{solution.puzzle.header.name}: {solution.outcome.stopped_by}")
    fault.solution = solution
    return fault


LARGE_BOARD = 60
"""Cells from which on a board is large: there an engine may prepare its search for more than a moment."""


def is_small(puzzle: Puzzle) -> bool:
    """Whether nothing that is done for a puzzle takes long enough to overrun a limit, before a search looks at it.

    One with rules of its own can have any number of operators.
    """
    return puzzle.own_metrics is None and sum(map(len, puzzle.board())) < LARGE_BOARD


def readers(engine: Engine) -> str:
    """The families whose puzzles an engine can read, of one that does not read every task."""
    views = {family.name: (*family.views, *((ProgramTask,) if family.form else ())) for family in families().values()}
    return ", ".join(name for name, offered in views.items() if engine.reads in offered) or "no family"


def _not_for(puzzle: Puzzle, engine: Engine) -> UsageError:
    """The error if an engine cannot read puzzles of this family, or this one."""
    if engine.reads is ProgramTask:
        return UsageError(
            f"{puzzle.header.name}: the engine `{engine.name}` needs actions that are kept as programs, as of a cube, "
            "and here they are operators; `auto` solves both"
        )
    return UsageError(f"{puzzle.header.name}: the engine `{engine.name}` is for {readers(engine)}, not {puzzle.family}")


def _outcome(
    work: Work, budget: Budget, tell: Progress, hard_limits: bool, apart: Apart | None, quick: bool
) -> Outcome:
    """The outcome of the work, done here or in another process; if it was stopped, what it had reported by then."""
    try:
        if apart is not None:
            outcome = apart.run(work, budget, tell, prompt=quick)
        elif hard_limits:
            with Apart() as own:
                outcome = own.run(work, budget, tell, prompt=quick)
        else:
            outcome = here(work, budget, tell)
    except StoppedError as stop:
        return stop.outcome()
    result: Outcome = outcome
    return result


def _load(engine: Engine, view: object, budget: Budget) -> None:
    """Import what an engine runs, on a view of a puzzle if that is known, while the clock of a budget stands still."""
    if not engine.portfolio:  # one that is made of others has them loaded when it comes to them
        with budget.paused(LOADING):
            engine.load(view)


def _run(
    puzzle: Puzzle, engine: Engine, metric: str, options: dict[str, Any], budget: Budget, progress: Progress
) -> Outcome:
    """Prepare an engine, ground a puzzle, or make another view of it, and run the engine on that.

    Raises `UsageError` if the engine cannot read this puzzle.
    """
    engine = engine.guided(options)
    # Where there is a choice, or a puzzle may be refused, what has to be loaded shows when the puzzle is grounded.
    late = engine.refuses is not None or (engine.programs is not None and puzzle.record.form is not None)
    if not late:
        _load(engine, None, budget)
    prepare = 0.0 if late else _kernels(engine, None, budget, progress)
    try:
        with grounding(budget, progress, engine.name):
            view, ground = _grounded(puzzle, engine, metric, options)
        if late:
            _load(engine, view, budget)
            prepare = _kernels(engine, view, budget, progress)
            with grounding(budget, progress, engine.name):
                view, more = _or_operators(puzzle, engine, view, metric)
            ground += more
            if isinstance(view, OperatorTask):
                _load(engine, view, budget)
                prepare += _kernels(engine, view, budget, progress)
    except StoppedError as stop:
        return replace(stop.outcome(), times=Times(prepare=prepare))
    if prepare and budget.interrupted.is_set():
        stopped = Recorder(budget).stopped("interrupted")  # it would go on compiling
        return replace(stopped, times=Times(ground=ground, prepare=prepare))
    size = f": {view.size}" if isinstance(view, Task) else ""
    progress(Stage(seconds=budget.elapsed, engine=engine.name, text=f"starting the search{size}"))
    worked = processor_seconds()
    if engine.compiled and not _fits(view, budget):
        outcome = Recorder(budget).stopped("memory limit")
    else:
        outcome = engine.run(view, budget, progress, **options)
    counts: dict[str, Count] = {"processor_seconds": round(processor_seconds() - worked, 2)}
    counts |= view.counts if isinstance(view, Task) else {}
    times = replace(outcome.times, ground=ground, prepare=prepare + outcome.times.prepare)
    return replace(outcome, times=times).with_stats(**counts)


def _kernels(engine: Engine, view: Any, budget: Budget, progress: Progress) -> float:
    """Have the kernels made that an engine runs on a view, if they are not there; the seconds that it took."""
    return ensure_kernels(progress, budget) if engine.runs_compiled(view) else 0.0


def _grounded(puzzle: Puzzle, engine: Engine, metric: str, options: dict[str, Any]) -> tuple[Any, float]:
    """The form of the puzzle that the engine reads, and the seconds that making it took. Raises `UsageError`."""
    began = time.monotonic()
    view: Any
    if engine.programs:
        view = puzzle.form(metric)
    elif engine.reads is OperatorTask:
        view = operators_of(puzzle, metric, f"the engine `{engine.name}`")
    else:
        view = puzzle.view(engine.reads, metric)
    if view is None or (engine.reads is ProgramTask and not isinstance(view, ProgramTask)):
        raise _not_for(puzzle, engine)
    if isinstance(view, OperatorTask) and (reason := engine.refusal(view)):
        raise UsageError(f"{puzzle.header.name}: not a puzzle for the engine `{engine.name}`: {reason}")
    left_out = (options.get("without") or "").split(",")
    if isinstance(view, ProgramTask) and INTERCHANGEABLE in left_out:
        view = view.told_apart
    if isinstance(view, OperatorTask) and not engine.certifies:  # an engine that certifies takes the task as it is
        from ..analysis.transformed_tasks import without_spare_objects

        if SPARE_OBJECTS not in left_out:
            view = view.computed(without_spare_objects)
    return view, time.monotonic() - began


def _or_operators(puzzle: Puzzle, engine: Engine, view: Any, metric: str) -> tuple[Any, float]:
    """The operators of a puzzle, where an engine refuses its programs and they can be enumerated, else the view as it
    is; and the seconds that it took.
    """
    if not isinstance(view, ProgramTask) or engine.reads is not OperatorTask or engine.refusal(view) is None:
        return view, 0.0
    began = time.monotonic()
    with contextlib.suppress(GroundingError):  # the engine will say why it refuses
        view = puzzle.task(metric)
    return view, time.monotonic() - began


def operators_of(puzzle: Puzzle, metric: str, reader: str) -> OperatorTask:
    """The task with operators, for a `reader` that knows no programs. Raises `UsageError` where they would be too many,
    with the reason and what to do.
    """
    try:
        return puzzle.task(metric)
    except GroundingError as error:
        if not isinstance(puzzle.form(metric), ProgramTask):
            raise
        able = [engine.name for engine in ENGINES.values() if engine.programs]
        raise UsageError(
            f"{puzzle.header.name}: {reader} needs operators, and they cannot be enumerated: {error.reason}. The "
            f"actions are kept as programs, which the engines {', '.join(able[:-1])} and {able[-1]} run"
        ) from None


def for_planners(puzzle: Puzzle, metric: str, reader: str, read: Callable[[ProgramTask], Read]) -> OperatorTask | Read:
    """What planners read of a puzzle: operators, or where its actions are kept as programs what `read` makes of these,
    conditional effects. Raises `UsageError` where there would be too many of either.
    """
    from ..analysis.conditional_effects import TooManyCasesError

    form = puzzle.form(metric)
    try:
        return by_form(form, lambda task: cast(OperatorTask | Read, task), lambda task: task.computed(read))
    except TooManyCasesError as too_many:
        try:
            return operators_of(puzzle, metric, reader)
        except UsageError as error:
            raise UsageError(f"{error}; and {too_many}") from None


def _fits(view: Any, budget: Budget) -> bool:
    """Whether the arrays that kernels need for a task are within the memory limit."""
    if not isinstance(view, OperatorTask):
        return True
    from ..analysis.bitset_task import bitset_bytes

    return budget.fits(bitset_bytes(view))


def replayed(puzzle: Puzzle, metric: str, outcome: Outcome) -> Replay | None:
    """The replay of an outcome's plan. Raises `ReplayError` if it fails, or contradicts the outcome's bounds."""
    if outcome.plan is None:
        return None
    replay = puzzle.replay(outcome.plan)
    if not replay.solved:
        raise ReplayError("the plan ends before the goal is reached")
    cost, counted = cost_in(replay, metric), puzzle.metric(metric).counted
    low, high = outcome.lower_bound, outcome.upper_bound
    by_rules = f"by the rules the plan has {counted(cost)}"
    if high is not None and cost != high:
        raise ReplayError(f"{by_rules}, not {counted(high)}")
    if low is not None and cost < low:
        raise ReplayError(f"{by_rules}, less than the lower bound of {counted(low)}")
    if outcome.status is Status.OPTIMAL and cost != low:
        raise ReplayError(f"{by_rules}, more than the claimed optimum")
    return replay
