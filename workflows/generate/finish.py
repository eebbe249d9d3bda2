"""From boards to puzzle files: made minimal, each once, with the features wished for, proven again, written."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from ...models.documents.write import to_yaml
from ...models.errors import BudgeError
from ...models.families import families, load_text
from ...models.header import Expect, Header
from ...models.puzzle import Puzzle
from ...runtime.budget import Budget
from ...runtime.child_main import Orders
from ...runtime.events import Progress
from ...runtime.executors import Executor
from ...runtime.outcome import Status
from ...version import __version__
from ..exploration import explore
from ..solving import solve
from .maker import Graded, Maker
from .search import Goal

ENGINE = "bfs"
"""Proves the optimum again, by the rules and the task of the family: nothing of it is shared with the search."""

SECONDS = 120.0
"""For that proof, and for looking at all states."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a puzzle has to have besides its optimum; None does not matter.

    `plans`: at most so many shortest plans; `dead_ends`: at least this share of its states are dead ends; `movers`: at
    least so many pieces move in a shortest plan. `minimal`: nothing can be taken away.
    """

    minimal: bool = True
    plans: int | None = None
    dead_ends: float | None = None
    movers: int | None = None

    @property
    def any(self) -> bool:
        """Whether all states have to be looked at."""
        return (self.plans, self.dead_ends, self.movers) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Made:
    """A puzzle that was made, and the states of its component."""

    puzzle: Puzzle
    optimum: int
    states: int
    same: Hashable


def finish(
    maker: Maker,
    found: Iterable[Graded],
    goal: Goal,
    wishes: Wishes,
    executor: Executor,
    *,
    how: str,
    name: str,
) -> Iterator[Made]:
    """The puzzles that are left of some boards, in their order. `how` says how they were made.

    Raises `RuntimeError` if an engine proves another optimum than the search: that is a bug.
    """
    orders = [Orders(partial(_finished, maker, graded, goal, wishes, how, name)) for graded in found]
    done: dict[int, Made | None] = {}
    seen: set[Hashable] = set()
    following = 0
    for number, report in executor.carry_out(orders):
        if report.error:
            kind, message = report.error
            raise kind(message) if issubclass(kind, BudgeError) else RuntimeError(message)
        done[number] = report.result and _read(report.result)
        while following in done:
            made = done.pop(following)
            following += 1
            if made is not None and made.same not in seen:
                seen.add(made.same)
                yield made


def _read(result: tuple[str, int, int, Hashable]) -> Made:
    text, optimum, states, same = result
    return Made(load_text(text), optimum, states, same)


def _finished(
    maker: Maker,
    graded: Graded,
    goal: Goal,
    wishes: Wishes,
    how: str,
    name: str,
    budget: Budget,
    progress: Progress,
) -> tuple[str, int, int, Hashable] | None:
    """The text of a board's puzzle, its optimum, states and what it is the same as; None if it is not as wished."""
    if wishes.minimal:
        graded = maker.minimal(graded)
    if not goal.fits(graded.optimum):
        return None
    notes = f"{graded.states:,} states; optimum proven by visiting all of them, and by {ENGINE}. {how}"
    header = Header(
        file="",
        name=name,
        metric=maker.metric,
        credit=f"made by budge generate {__version__}",
        notes=notes,
        expect=Expect({maker.metric: (graded.optimum,)}),
    )
    text = to_yaml(maker.family, header, maker.keys(graded.board), families()[maker.family].metric_names[0])
    puzzle = load_text(text)
    solution = solve(puzzle, ENGINE, maker.metric, Budget(SECONDS))
    if solution.status is Status.OPTIMAL and solution.cost != graded.optimum:
        raise RuntimeError(f"{ENGINE} proves {solution.cost} {maker.metric} and not {graded.optimum} for\n{text}")
    if solution.status is not Status.OPTIMAL or not _as_wished(puzzle, maker.metric, wishes):
        return None
    return text, graded.optimum, graded.states, maker.same(graded.board)


def _as_wished(puzzle: Puzzle, metric: str, wishes: Wishes) -> bool:
    if not wishes.any:
        return True
    space = explore(puzzle, metric, Budget(SECONDS)).space
    features = space.features if space else None
    if space is None or features is None:
        return False
    if wishes.plans is not None and features.shortest_plans > wishes.plans:
        return False
    if wishes.movers is not None and features.pieces_moved < wishes.movers:
        return False
    return wishes.dead_ends is None or (space.dead_ends or 0) >= wishes.dead_ends * space.states
