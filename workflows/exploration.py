"""Exploring a puzzle: ground it, visit its reachable states or look for the best moves, replay what was found."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from ..analysis.parity import impossible
from ..engines.engine import MOMENT
from ..models.cells import Rows, rc
from ..models.display import Displayed
from ..models.documents.fields import Expect
from ..models.errors import GroundingError, UsageError
from ..models.families.custom.puzzle import Act
from ..models.moves import Move, PlainCost, Slide
from ..models.plan import Plan, Replay
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import Task
from ..models.text import counted, cut
from ..runtime.budget import Budget
from ..runtime.events import Event, LayerDone, Progress, Stage, silent
from ..runtime.kernels import ensure_kernels, patience
from ..runtime.outcome import Outcome, Recorder, Status
from .rows import frame
from .solving import OfOutcome, between, contradiction, grounding, metric_of, solve

if TYPE_CHECKING:
    from ..engines.common.reachable import Exploration, Hint, Space


# Which piece a move is of, in words: a hint that does not give the move away.

_PIECE = re.compile(r"[^\W\d_](?=[+:-])|\d+(?=[UDLR])")
"""The piece in the notation of a move: `B+3`, `G:RD`, `12U`."""

BOXES = "$*"

FAR, MILESTONE, PIECE, MOVE = DEGREES = ("far", "milestone", "piece", "move")
"""How much a hint says: how far the goal is; also a place that every plan passes; which piece to move; the moves."""


def piece_of(board: Rows, move: Move, notation: str) -> str:
    """The piece that a move is of: `B`, `tile 12`, `the box on r3c4`; of an action its name.

    `board`: the position before it, as the puzzle draws it.
    """
    if isinstance(move, Act):
        return move.action
    if piece := _PIECE.match(notation):
        return f"tile {piece[0]}" if piece[0].isdigit() else piece[0]
    if isinstance(move, Slide):
        row, column = move.cell
        sign = board[row][column] if row < len(board) and column < len(board[row]) else ""
        return f"the box on {rc(move.cell)}" if sign and sign in BOXES else "the player"
    return notation.split()[0]


def pieces_of(puzzle: Puzzle, moves: Iterable[tuple[Move, str]]) -> tuple[str, ...]:
    """The pieces of several moves in the puzzle's own position, each with its notation; every piece once."""
    board = puzzle.board()
    return tuple(dict.fromkeys(piece_of(board, move, notation) for move, notation in moves))


PLAIN_SECONDS = MOMENT
"""Seconds for which plain search is tried before compiled kernels are loaded."""

BREADTH_FIRST = 2.0
"""Seconds for which a hint visits states, to find all best moves, where actions are programs (at most a quarter of the
time left); where they are operators, it does so for half of the time left. Then engines look for one best move: with
lower bounds they come farther.
"""

Found = TypeVar("Found", "Space", "Hint")


@dataclass(frozen=True, slots=True)
class Answer(OfOutcome, Displayed):
    """What was found out about a puzzle in a metric.

    `outcome` holds the status and the bounds on the distance from the puzzle's position to the goal. `space` is there
    after `explore`, with the replay to a farthest state if there is one; `moves`, in notation, after `hint`, and
    `steps`, each as a plan of its own: `every` best one, or only that of one plan. `milestone`: what every plan passes
    next, if that was asked. `prepare`: the seconds that compiling took, before the clock started. `command`: which of
    the two it answers.
    """

    puzzle: Puzzle
    metric: str
    outcome: Outcome
    seconds: float
    space: Space | None = None
    farthest: Replay | None = None
    moves: tuple[str, ...] = ()
    steps: tuple[Plan, ...] = ()
    prepare: float = 0.0
    every: bool = True
    command: str = "hint"
    milestone: str | None = None

    def __repr__(self) -> str:
        """As `Answer(optimal, 10 slides to the goal, "Bird's second grid", 5,444 states)`."""
        parts = [self.status.value]
        low, high = self.outcome.lower_bound, self.outcome.upper_bound
        if high is not None:
            parts.append(f"{between(low, high, self.puzzle.metric(self.metric).counted)} to the goal")
        parts.append(repr(cut(self.puzzle.header.name, 60)))
        if self.space:
            parts.append(counted(self.space.states, "state"))
        if self.moves:
            parts.append(counted(len(self.moves), "best move"))
        return f"Answer({', '.join(parts)})"

    def to_frame(self) -> Any:
        """What `explore` counted, as a pandas `DataFrame`: for each number of steps, the states that are so far from
        the start (`from_start`) and from the goal (`from_goal`).

        Raises `ImportError` without pandas, and `UsageError` for the answer of `hint`, which counts nothing.
        """
        if self.space is None:
            raise UsageError("only `explore` counts states; this answer is of `hint`")
        columns = {"from_start": self.space.layers, "from_goal": self.space.distances}
        lines = zip_longest(*columns.values(), fillvalue=0)
        return frame([dict(zip(columns, line, strict=True)) for line in lines], list(columns), self.metric)

    @property
    def distance(self) -> PlainCost:
        """Of the puzzle's position to the goal: a number, a tuple in a metric of two components; None if not proven."""
        return self.upper_bound if self.status is Status.OPTIMAL else None

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces of the best moves, after `hint`: which to move, and not how."""
        last = [(step.moves[-1], moves.split()[-1]) for step, moves in zip(self.steps, self.moves, strict=True)]
        return pieces_of(self.puzzle, last)

    @property
    def contradicts(self) -> str | None:
        """What is wrong with the file's `expect`, if something proven contradicts it."""
        return contradiction(self.puzzle, self.metric, self.outcome)

    @property
    def farthest_board(self) -> tuple[str, ...] | None:
        """A state that is as far from the goal as any, drawn as the puzzle is."""
        if self.farthest is None:
            return None
        return self.farthest.steps[-1].board if self.farthest.steps else self.puzzle.board()

    def hardest_yaml(self) -> str | None:
        """The puzzle file that starts at the farthest state; None if no state can reach the goal."""
        if self.space is None or self.farthest is None:
            return None
        farthest = len(self.space.distances) - 1
        header = replace(
            self.puzzle.header,
            name=f"{self.puzzle.header.name}, hardest start",
            notes=f"as far from the goal as any of the {self.space.states:,} states that can be reached",
            metric=self.metric,
            expect=Expect({self.metric: (farthest,)}),
        )
        return self.puzzle.to_yaml(header, after=self.space.farthest)


def explore(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Answer:
    """Visit every reachable state. Raises `UsageError` for a metric in which steps differ in cost."""
    from ..engines.common import reachable

    began = time.monotonic()
    metric = metric_of(puzzle, metric)
    budget = budget or Budget()
    with grounding(budget, progress):
        task = reachable.unit_cost_task(puzzle, metric)
    progress(Stage(seconds=budget.elapsed, text="visiting states"))
    record = Recorder(budget)
    space, took = _searched(reachable.explore, task, budget, progress)
    if space is None:
        return _interrupted(puzzle, metric, record, took, "explore")
    outcome = None
    if why := impossible(task):
        outcome = record.unsolvable(why, space.stopped_by)
    elif not space.stopped_by and space.distance is None:
        outcome = record.unsolvable(_no_goal(space.states))
    elif space.distance is not None:
        outcome = record.optimal(None, (space.distance,), "every reachable state was visited")
    farthest = puzzle.replay(space.farthest) if space.farthest else None
    seconds = time.monotonic() - began - took
    outcome = outcome or record.stopped(space.stopped_by)
    return Answer(puzzle, metric, outcome, seconds, space, farthest, prepare=took, command="explore")


def hint(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Answer:
    """Find the distance to the goal and every first move of a shortest plan; the first move of one in a metric in which
    steps differ in cost, and where actions are programs and breadth-first search does not come to the goal soon.
    """
    from ..engines.common import reachable

    began = time.monotonic()
    metric = metric_of(puzzle, metric)
    budget = budget or Budget()
    try:
        with grounding(budget, progress):
            task = reachable.unit_cost_task(puzzle, metric)
    except GroundingError:
        raise
    except UsageError:
        return _first_of_plan(puzzle, metric, budget, progress)
    progress(Stage(seconds=budget.elapsed, text="visiting states"))
    record = Recorder(budget)
    if why := impossible(task):
        return Answer(puzzle, metric, record.unsolvable(why), time.monotonic() - began)

    def tell(event: Event) -> None:
        """Add to the event of the layer at depth d the lower bound d, as no layer before it has a goal: it is kept if
        this process is killed.
        """
        if isinstance(event, LayerDone) and event.depth:
            event = replace(event, lower_bound=(event.depth,), by=task.no_goal_within(event.depth - 1))
        progress(event)

    explored, took = _searched(reachable.hint, task, budget, tell, whole=False)
    if explored is None:
        return _interrupted(puzzle, metric, record, took, "hint")
    by = task.no_goal_within(explored.bound - 1) if explored.bound else "the position is a goal"
    if explored.stopped_by and not budget.stopped():
        answer = _first_of_plan(puzzle, metric, budget, tell)
        prepare = took + answer.prepare
        outcome = answer.outcome
        if not outcome.status.proven and (outcome.lower_bound or ()) < (explored.bound,):
            outcome = replace(outcome, lower_bound=(explored.bound,), lower_bound_by=by)
        return replace(answer, outcome=outcome, seconds=time.monotonic() - began - prepare, prepare=prepare)
    record.stats["states"] = explored.states
    if explored.distance is not None:
        outcome = record.optimal(None, (explored.bound,), by)
    elif explored.stopped_by:
        record.raise_bound(explored.bound, by)
        outcome = record.stopped(explored.stopped_by)
    else:
        outcome = record.unsolvable(_no_goal(explored.states))
    moves = tuple(" ".join(puzzle.replay(step).notation) for step in explored.steps)
    return Answer(
        puzzle, metric, outcome, time.monotonic() - began - took, moves=moves, steps=explored.steps, prepare=took
    )


def with_milestone(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Answer:
    """The same, with a milestone that every plan from here passes, where all states can be visited in the time left."""
    from .why.find_reasons import next_milestone

    budget = budget or Budget()
    answer = hint(puzzle, metric, budget, progress)
    return replace(answer, milestone=next_milestone(puzzle, answer.metric, budget, progress))


def _first_of_plan(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress) -> Answer:
    """The first step of a cheapest plan, as an answer; it has no step if no plan is proven cheapest."""
    solution = solve(puzzle, metric=metric, budget=budget, progress=progress)
    first = solution.plan.moves[:1] if solution.plan and solution.status is Status.OPTIMAL else ()
    steps = (Plan(first),) if first else ()
    moves = tuple(solution.notation[:1]) if first else ()
    times = solution.outcome.times
    return Answer(
        puzzle, metric, solution.outcome, times.total, moves=moves, steps=steps, prepare=times.prepare, every=False
    )


def _interrupted(puzzle: Puzzle, metric: str, record: Recorder, prepare: float, command: str) -> Answer:
    """The answer if the user pressed Ctrl-C while kernels were being compiled."""
    return Answer(puzzle, metric, record.stopped("interrupted"), record.elapsed, prepare=prepare, command=command)


def _searched(
    search: Callable[[Exploration], Found], task: Task, budget: Budget, progress: Progress, whole: bool = True
) -> tuple[Found | None, float]:
    """What a search of the states finds, None if it was interrupted while kernels were compiled; and the seconds that
    these took. Unless it has the `whole` time, compiled search gets the part that `BREADTH_FIRST` says.
    """
    if (found := _plainly(search, task, budget, progress)) is not None:
        return found, 0.0
    took = ensure_kernels(progress, budget)
    if took and budget.interrupted.is_set():
        return None, took
    from ..engines.common.stored_states import StoredStates

    if not whole:
        left, programs = budget.remaining, isinstance(task, ProgramTask)
        budget = budget.part(min(BREADTH_FIRST, left / 4) if programs else left / 2)
    return search(StoredStates(task, budget, progress)), took


def _plainly(search: Callable[[Exploration], Found], task: Task, budget: Budget, progress: Progress) -> Found | None:
    """What plain Python finds in about the time that compiling would take: it is enough for few states."""
    from ..engines.common.plain_reachable import search_plainly

    found = search_plainly(search, task, budget.part(PLAIN_SECONDS), progress)
    if found is None and (seconds := patience(budget)):
        found = search_plainly(search, task, budget.part(seconds), progress)
    return found


def compile_kernels(puzzle: Puzzle, metric: str) -> None:
    """Call what `explore` and `hint` run on large puzzles with operators."""
    from ..engines.common import reachable
    from ..engines.common.stored_states import StoredStates

    task = reachable.unit_cost_task(puzzle, metric)
    reachable.explore(StoredStates(task, Budget(), silent))
    reachable.hint(StoredStates(task, Budget(), silent))


def _no_goal(states: int) -> str:
    return f"none of the {states:,} reachable states is a goal"
