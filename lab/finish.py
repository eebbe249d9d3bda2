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
from .generator import Archive, Goal, SearchSetting, best_first, search
from .maker import Graded, Maker
from .seen import Seen, work_key

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


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a board: made minimal and proven, or None if it is not as wished for. `sure`: no limit had a part in
    that.
    """

    graded: Graded | None
    sure: bool = True


def finish(setting: SearchSetting, found: Sequence[Graded], wishes: Wishes, how: str, name: str) -> Iterator[Made]:
    """The puzzles that are left of some boards, in their order. `how` says how they were made. What the store of the
    setting knows is not done again. When it is interrupted, these are the puzzles that have been proven by then.

    Raises `DisagreementError` if an engine proves another optimum than the search: that is a bug.
    """
    maker, goal, seen = setting.maker, setting.wanted, setting.seen
    keys = [work_key(maker, "finish", repr(goal), repr(wishes), maker.to_text(one.board)) for one in found]
    done: dict[int, Finished] = {}
    if seen is not None:
        with Seen(seen) as store:
            known = store.results(keys)
        done = {n: _known(maker, known[key]) for n, key in enumerate(keys) if key in known}
    waiting = [number for number in range(len(found)) if number not in done]
    orders = [Orders(partial(_finished, maker, found[number], goal, wishes)) for number in waiting]
    unique: set[Hashable] = set()
    following = 0

    def ready() -> Iterator[Made]:
        nonlocal following
        while following in done:
            graded = done.pop(following).graded
            following += 1
            if graded is not None and (same := maker.same(graded.board)) not in unique:
                unique.add(same)
                yield Made(load_text(_text(maker, graded, how, name)), graded.optimum, graded.states, same)

    yield from ready()
    for number, report in setting.executor.carry_out(orders, setting.interrupted):
        if report.failure:
            raise report.failure
        finished: Finished = report.result or Finished(None, sure=False)
        done[waiting[number]] = finished
        if seen is not None and finished.sure:
            with Seen(seen) as store:
                store.add((), keys[waiting[number]], "finish", _result(maker, finished))
        yield from ready()


def _result(maker: Maker, finished: Finished) -> tuple[str, int, int] | None:
    """The finished board as a value for the store."""
    one = finished.graded
    return None if one is None else (maker.to_text(one.board), one.optimum, one.states)


def _known(maker: Maker, result: tuple[str, int, int] | None) -> Finished:
    if result is None:
        return Finished(None)
    text, optimum, states = result
    return Finished(Graded(maker.from_text(text), optimum, states))


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
) -> Finished:
    """The board made minimal and proven again; without a board if it does not fit the goal and the wishes."""
    if wishes.minimal:
        graded = maker.minimal(graded)
    if not goal.fits(graded.optimum):
        return Finished(None)
    text = _text(maker, graded, "", "made")
    puzzle = load_text(text)
    solution = solve(puzzle, ENGINE, maker.metric, Budget(SECONDS))
    if solution.status is Status.OPTIMAL and solution.cost != graded.optimum:
        raise DisagreementError(f"{ENGINE} proves {solution.cost} {maker.metric} and not {graded.optimum} for\n{text}")
    if solution.status is not Status.OPTIMAL:
        return Finished(None, sure=False)
    wished = _as_wished(puzzle, maker.metric, wishes)
    return Finished(graded if wished else None, sure=wished is not None)


def _as_wished(puzzle: Puzzle, metric: str, wishes: Wishes) -> bool | None:
    """Whether a puzzle has the features wished for; None if it has too many states to decide."""
    if not wishes.any:
        return True
    space = explore(puzzle, metric, Budget(SECONDS)).space
    features = space.features if space else None
    if space is None or features is None:
        return None
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
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - began))
        enough = count - len(made) if setting.goal else None
        search(setting, archive, rounds=rounds, seconds=left, enough=enough)
        if setting.interrupted.is_set():
            break
        chosen = best_first(archive, wanted)
        name = f"{setting.maker.family}, seed {setting.seed}"
        for one in finish(setting, [graded for _, graded in chosen], wishes, how(archive), name):
            made.setdefault(one.same, one)
        # The boards that have been looked at make room for others, until there are enough or the search is over.
        archive.refuse(same for same, _ in chosen)
        over = len(made) >= count or archive.rounds == before
        if over or not setting.goal or setting.interrupted.is_set():
            break
    return sorted(made.values(), key=lambda one: -wanted.score(one.optimum))[:count], archive
