"""Exploring a puzzle: ground it, visit its reachable states or look for the best moves, replay what was found."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ..engines.search import reachable as search
from ..models.documents.write import to_yaml
from ..models.plan import Replay
from ..models.puzzle import Expect, Puzzle
from ..runtime.outcome import Budget, Outcome, Progress, Status, silent
from .solving import contradiction, metric_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out about a puzzle in a metric in which every step costs one.

    `outcome` holds the status and the bounds on the distance from the puzzle's position to the goal. `space` is there
    after `explore`, with the replay to a farthest state if there is one; `moves`, in notation, after `hint`.
    """

    puzzle: Puzzle
    metric: str
    outcome: Outcome
    seconds: float
    space: search.Space | None = None
    farthest: Replay | None = None
    moves: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        return self.outcome.status

    @property
    def distance(self) -> int | None:
        """Of the puzzle's position to the goal, if it is known."""
        return self.outcome.upper_bound[0] if self.outcome.upper_bound else None

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
        """The puzzle file that starts at the farthest state; None if there is none."""
        board = self.farthest_board
        if self.space is None or board is None:
            return None
        farthest = len(self.space.distances) - 1
        header = replace(
            self.puzzle.header,
            name=f"{self.puzzle.header.name}, hardest start",
            notes=f"as far from the goal as any of the {self.space.states:,} states that can be reached",
            metric=self.metric,
            expect=Expect({self.metric: (farthest,)}),
        )
        return to_yaml(self.puzzle, header, board)


def explore(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Answer:
    """Visit every reachable state. Raises `UsageError` for a metric in which steps differ in cost."""
    began = time.monotonic()
    metric = metric_of(puzzle, metric)
    task = search.unit_cost_task(puzzle, metric)
    space = search.explore(task, budget or Budget(), progress)
    why = task.unsolvable_because or f"none of the {space.states:,} reachable states is a goal"
    unsolvable = task.unsolvable_because is not None or (not space.stopped_by and space.distance is None)
    outcome = _outcome(space.distance, space.stopped_by, unsolvable, why, "every reachable state was visited")
    farthest = puzzle.replay(space.farthest) if space.farthest else None
    return Answer(puzzle, metric, outcome, time.monotonic() - began, space, farthest)


def hint(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Answer:
    """Find the distance to the goal and every first move of a shortest plan.

    Raises `UsageError` for a metric in which steps differ in cost.
    """
    began = time.monotonic()
    metric = metric_of(puzzle, metric)
    task = search.unit_cost_task(puzzle, metric)
    if task.unsolvable_because:
        outcome = _outcome(None, None, True, task.unsolvable_because, "")
        return Answer(puzzle, metric, outcome, time.monotonic() - began)
    found = search.hint(task, budget or Budget(), progress)
    unsolvable = not found.stopped_by and found.distance is None
    why = f"none of the {found.states:,} reachable states is a goal"
    by = f"breadth-first search: no goal within {found.bound - 1} {metric}" if found.bound else "the position is a goal"
    outcome = _outcome(found.distance, found.stopped_by, unsolvable, why, by)
    if not unsolvable:
        outcome = replace(outcome, lower_bound=(found.bound,), lower_bound_by=by)
    outcome.stats["states"] = found.states
    moves = tuple(" ".join(puzzle.replay(step).notation) for step in found.steps)
    return Answer(puzzle, metric, outcome, time.monotonic() - began, moves=moves)


def _outcome(distance: int | None, stopped_by: str | None, unsolvable: bool, why: str, by: str) -> Outcome:
    if unsolvable:
        return Outcome(Status.UNSOLVABLE, lower_bound_by=why, stopped_by=stopped_by)
    if distance is not None:
        return Outcome(Status.OPTIMAL, None, (distance,), by, (distance,))
    return Outcome(Status.INTERRUPTED if stopped_by == "interrupted" else Status.UNKNOWN, stopped_by=stopped_by)
