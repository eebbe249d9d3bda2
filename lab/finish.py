"""From boards to puzzle files: made minimal, each once, with the features wished for, proven again, written."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..engines.table import blind
from ..models.documents.write import to_yaml
from ..models.errors import DisagreementError
from ..models.families import families, load_text
from ..models.header import Expect, Header
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Progress
from ..runtime.outcome import Status
from ..version import __version__
from ..workflows.exploration import explore
from ..workflows.solving import solve
from .generator import Archive, Goal, SearchSetting, search
from .maker import Graded, Maker

ENGINE = blind().name
"""Proves the optimum again, by the rules and the task of the family: nothing of it is shared with the search."""

SECONDS = 120.0
"""The time limit in seconds for that proof, and for visiting all states."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a puzzle has to have besides its optimum; None does not matter.

    `plans`: the most shortest plans; `dead_ends`: at least this share of its states are dead ends; `movers`: the
    fewest pieces that move in a shortest plan. `minimal`: nothing can be taken away.
    """

    minimal: bool = True
    plans: int | None = None
    dead_ends: float | None = None
    movers: int | None = None

    @property
    def any(self) -> bool:
        """Whether a wish is given that can only be tested by visiting all states."""
        return (self.plans, self.dead_ends, self.movers) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Made:
    """A puzzle that was made, and the states of its component."""

    puzzle: Puzzle
    optimum: int
    states: int
    same: Hashable


def finish(setting: SearchSetting, boards: Sequence[Graded], wishes: Wishes, how: str, name: str) -> Iterator[Made]:
    """The puzzles that are left of some boards, in their order. `how` says how they were made. When it is interrupted,
    these are the puzzles that have been proven by then.

    Raises `DisagreementError` if an engine proves another optimum than the search: that is a bug.
    """
    maker, goal = setting.maker, setting.wanted
    orders = [Orders(partial(_finished, maker, graded, goal, wishes)) for graded in boards]
    finished: dict[int, Graded | None] = {}
    unique: set[Hashable] = set()
    following = 0
    for number, report in setting.executor.carry_out(orders, setting.interrupted):
        if report.failure:
            raise report.failure
        finished[number] = report.result
        while following in finished:
            graded = finished.pop(following)
            following += 1
            if graded is not None and (same := maker.same(graded.board)) not in unique:
                unique.add(same)
                yield Made(load_text(_text(maker, graded, how, name)), graded.optimum, graded.states, same)


def _text(maker: Maker, graded: Graded, how: str, name: str) -> str:
    """The puzzle file of a board."""
    notes = f"{graded.states:,} states; optimum proven by visiting all of them, and by {ENGINE}. {how}"
    header = Header(
        file="",
        name=name,
        metric=maker.metric,
        credit=f"made by budge generate {__version__}",
        notes=notes,
        expect=Expect({maker.metric: (graded.optimum,)}),
    )
    return to_yaml(maker.family, header, maker.keys(graded.board), families()[maker.family].metric_names[0])


def _finished(
    maker: Maker, graded: Graded, goal: Goal, wishes: Wishes, _budget: Budget, _progress: Progress
) -> Graded | None:
    """The board made minimal and proven again; None if it does not fit the goal and the wishes, or nobody knows."""
    if wishes.minimal:
        graded = maker.minimal(graded)
    if not goal.fits(graded.optimum):
        return None
    text = _text(maker, graded, "", "made")
    puzzle = load_text(text)
    solution = solve(puzzle, ENGINE, maker.metric, Budget(SECONDS))
    if solution.status is not Status.OPTIMAL:
        return None
    if solution.cost != graded.optimum:
        raise DisagreementError(f"{ENGINE} proves {solution.cost} {maker.metric} and not {graded.optimum} for\n{text}")
    return graded if _as_wished(puzzle, maker.metric, wishes) else None


def _as_wished(puzzle: Puzzle, metric: str, wishes: Wishes) -> bool:
    """Whether a puzzle has the features wished for; not if it has too many states to decide."""
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


# Making puzzles from beginning to end: search, make minimal, prove, until there are enough.


def make(
    setting: SearchSetting,
    wishes: Wishes,
    *,
    rounds: int | None = None,
    seconds: float | None = None,
    count: int = 1,
    how: Callable[[Archive], str] = lambda _archive: "",
) -> tuple[list[Made], Archive]:
    """The best `count` puzzles, the hardest first, or fewer, and the archive of the search.

    With a goal the search ends as soon as there are enough that fit it. `how` says in the files how they were made.
    """
    began, archive, wanted = time.monotonic(), Archive(), setting.wanted
    made: dict[Hashable, Made] = {}
    while True:
        before = archive.rounds
        rest = None if seconds is None else max(0.0, seconds - (time.monotonic() - began))
        enough = count - len(made) if setting.goal else None
        search(setting, archive, rounds=rounds, seconds=rest, enough=enough)
        if setting.interrupted.is_set():
            break
        chosen = archive.fitting(wanted)
        name = f"{setting.maker.family}, seed {setting.seed}"
        for puzzle in finish(setting, [graded for _, graded in chosen], wishes, how(archive), name):
            made.setdefault(puzzle.same, puzzle)
        # The boards that have been looked at make room for others, until there are enough or the search is over.
        archive.refuse(same for same, _ in chosen)
        over = len(made) >= count or archive.rounds == before
        if over or not setting.goal or setting.interrupted.is_set():
            break
    return sorted(made.values(), key=lambda puzzle: -wanted.score(puzzle.optimum))[:count], archive
