"""Making puzzles: a search for hard boards in rounds of units, then each board made minimal, proven again and written.

Units know nothing of each other. A unit walks from board to board by mutations and takes a step if the new board is at
least as hard, or by chance if it is a little easier (simulated annealing; Kirkpatrick, Gelatt, Vecchi, Science 220,
1983). It begins at a random board, or at one of the best so far. After each round the best of all units are kept, each
puzzle once.

What a unit does depends on the seed, its number and the boards that it gets, and on no clock; a round has the same
`UNITS` units however many workers there are. So a seed and a number of rounds give the same puzzles everywhere.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from ..engines.table import blind
from ..models.documents.fields import Expect, Header
from ..models.documents.write import to_yaml
from ..models.errors import DisagreementError
from ..models.families import families, load_text
from ..models.family import Keys
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Progress
from ..runtime.outcome import Status
from ..version import __version__
from ..workflows.exploration import explore
from ..workflows.solving import solve
from .executors import Executor

# What a family has to know so that its puzzles can be made.


@dataclass(frozen=True, slots=True)
class Graded:
    """A board at the hardest start of its component: `optimum` is proven by visiting all of its `states`."""

    board: Any
    optimum: int
    states: int


class Maker(Protocol):
    """Makes boards of one family; a value that can be sent to other machines. Boards are hashable, of its own type.

    `family`, `metric`: names. `new` and `mutate` may give a board that is none: then `grade` gives None, as it does
    for one that cannot be solved or has too many states. They depend on nothing but their arguments. `evaluations`: so
    many boards make a unit of some seconds.
    """

    @property
    def family(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def evaluations(self) -> int: ...

    def new(self, chance: random.Random) -> Any:
        """A new board."""

    def mutate(self, board: Any, chance: random.Random) -> Any:
        """A board that differs a little."""

    def grade(self, board: Any) -> Graded | None:
        """The board, moved to the hardest start of its component, and its optimum."""

    def minimal(self, graded: Graded) -> Graded:
        """The board without parts that its optimum does not depend on."""

    def same(self, board: Any) -> Hashable:
        """Equal for boards that are the same puzzle, or mirror images of each other."""

    def keys(self, board: Any) -> Keys:
        """The keys of the puzzle file that describe a board."""


# The search.

UNITS = 8
"""Units in a round; with more workers than this, some are idle."""

FRESH = 4
"""In each round, every `FRESH`th unit begins at a random board, not at one found before."""

KEPT = 40
"""Boards that are kept from round to round; a unit reports `TOLD` of them at most."""

TOLD = 10

WARMTH = 1.0
"""A board whose optimum is lower by this much is accepted with probability 1 / e at first, and never at the end."""

PATIENCE = 200
"""Random boards that are tried to find a first one that can be solved."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The wished-for optimum: from `least` to `most`; without `most`, the harder the better."""

    least: int = 1
    most: int | None = None

    def score(self, optimum: int) -> int:
        """Score of an optimum: itself up to `most`; above it mirrored, so `most` + 3 scores as `most` - 3."""
        return optimum if self.most is None or optimum <= self.most else 2 * self.most - optimum

    def fits(self, optimum: int) -> bool:
        """Whether an optimum is from `least` to `most`."""
        return optimum >= self.least and (self.most is None or optimum <= self.most)


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What a unit brings back: its best boards, and how many it has looked at. `whole`: no limit has ended it."""

    boards: tuple[Graded, ...]
    graded: int
    whole: bool = True


def unit(maker: Maker, goal: Goal, seed: str, start: Any, budget: Budget, _progress: Progress) -> UnitResult:
    """One walk of the maker's number of evaluations, from a board or (None) a random one."""
    evaluations = maker.evaluations
    chance = random.Random(seed)
    grades: dict[Any, Graded | None] = {}
    asked = 0

    def grade(board: Any) -> Graded | None:
        """The grade of a board; one that the walk has met before is not graded again."""
        nonlocal asked
        asked += 1
        if board not in grades:
            grades[board] = maker.grade(board)
        return grades[board]

    best: dict[Hashable, Graded] = {}
    current = None if start is None else grade(start)
    attempts = 0
    while current is None and attempts < PATIENCE and not budget.stopped():
        attempts += 1
        current = grade(maker.new(chance))
    for number in range(evaluations):
        if current is None or budget.stopped():
            break
        new = grade(maker.mutate(current.board, chance))
        if new is None:
            continue
        worse = goal.score(current.optimum) - goal.score(new.optimum)
        warmth = WARMTH * (1 - number / evaluations)
        if worse > 0 and chance.random() >= math.exp(-worse / max(warmth, 1e-9)):
            continue
        current = new
        _keep(maker, goal, best, new)
    return UnitResult(tuple(best.values()), asked, whole=not budget.stopped())


def _keep(maker: Maker, goal: Goal, best: dict[Hashable, Graded], new: Graded) -> None:
    """Keep a board if it is among the `TOLD` best, each puzzle only once."""
    if len(best) >= TOLD and goal.score(new.optimum) <= min(goal.score(graded.optimum) for graded in best.values()):
        return
    best.setdefault(maker.same(new.board), new)
    if len(best) > TOLD:
        del best[min(best, key=lambda key: (goal.score(best[key].optimum), repr(key)))]


@dataclass(slots=True)
class Archive:
    """The best boards so far, the hardest first, each with what it shares with its mirror images (`Maker.same`).

    `refused`: boards that are not wanted again.
    """

    boards: list[tuple[Hashable, Graded]] = field(default_factory=list)
    rounds: int = 0
    graded: int = 0
    refused: set[Hashable] = field(default_factory=set)

    def refuse(self, boards: Iterable[Hashable]) -> None:
        """Drop these puzzles from the archive and never keep them again, so that others have room."""
        self.refused.update(boards)
        self.boards = [(same, graded) for same, graded in self.boards if same not in self.refused]

    def fitting(self, goal: Goal) -> list[tuple[Hashable, Graded]]:
        """The boards whose optimum fits the goal, the hardest first."""
        return [(same, graded) for same, graded in self.boards if goal.fits(graded.optimum)]

    @property
    def best(self) -> int:
        return self.boards[0][1].optimum if self.boards else 0


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """What a search works with; without a `goal`, the harder the better. `on_round` gets the archive each time."""

    maker: Maker
    executor: Executor
    goal: Goal | None = None
    seed: int = 1
    interrupted: threading.Event = field(default_factory=threading.Event)
    on_round: Callable[[Archive], None] = lambda _archive: None

    @property
    def wanted(self) -> Goal:
        return self.goal or Goal()


def search(
    setting: SearchSetting,
    archive: Archive | None = None,
    *,
    rounds: int | None = None,
    seconds: float | None = None,
    enough: int | None = None,
) -> Archive:
    """Search up to `rounds` rounds, or until `seconds` are over, or until `enough` boards fit the goal.

    A round that is not finished counts for nothing: so the result depends on the number of rounds alone. With an
    `archive` the search continues from it.
    """
    maker, goal = setting.maker, setting.wanted
    archive, began = archive or Archive(), time.monotonic()
    while rounds is None or archive.rounds < rounds:
        seconds_left = None if seconds is None else seconds - (time.monotonic() - began)
        if setting.interrupted.is_set() or (seconds_left is not None and seconds_left <= 0):
            break
        results = _round(setting, archive, seconds_left)
        if results is None:
            break
        archive.rounds += 1
        archive.graded += sum(result.graded for result in results)
        merged = dict(archive.boards)
        for result in results:
            for graded in result.boards:
                merged.setdefault(maker.same(graded.board), graded)
        wanted = [(same, graded) for same, graded in merged.items() if same not in archive.refused]
        wanted.sort(key=lambda item: (-goal.score(item[1].optimum), repr(item[0])))
        archive.boards = wanted[:KEPT]
        setting.on_round(archive)
        if enough is not None and len(archive.fitting(goal)) >= enough:
            break
    return archive


def _round(setting: SearchSetting, archive: Archive, seconds: float | None) -> list[UnitResult] | None:
    """The results of the units of the next round; None if it could not be finished."""
    maker, goal, seed = setting.maker, setting.wanted, setting.seed
    chance = random.Random(f"{seed} {archive.rounds}")
    boards = [graded.board for _, graded in archive.boards]
    # Every FRESH-th walk begins anew; the others at a board found before, the better the likelier (exponentially by its
    # place in the list). All chance comes from seed, round and number: a round gives the same wherever it is run.
    starts = [
        None
        if number % FRESH == FRESH - 1 or not boards
        else boards[min(int(chance.expovariate(0.15)), len(boards) - 1)]
        for number in range(UNITS)
    ]
    until = None if seconds is None else time.monotonic() + seconds

    def orders() -> Iterator[Orders]:
        """The units, each with the time that is left when a worker takes it: none begins when that is over."""
        for number, start in enumerate(starts):
            rest = None if until is None else until - time.monotonic()
            if rest is not None and rest <= 0:
                return
            yield Orders(partial(unit, maker, goal, f"{seed} {archive.rounds} {number}", start), rest)

    results = _results(setting, orders())
    whole = [results[number] for number in sorted(results) if results[number] is not None and results[number].whole]
    return whole if len(whole) == UNITS and not setting.interrupted.is_set() else None


def _results(setting: SearchSetting, orders: Iterable[Orders]) -> dict[int, Any]:
    """What orders have returned, by their numbers; None where one was interrupted. Raises the error of a failed one."""
    results = {}
    for number, report in setting.executor.carry_out(orders, setting.interrupted):
        if report.failure:
            raise report.failure
        results[number] = report.result
    return results


# From boards to puzzle files: made minimal, each once, with the features wished for, proven again, written.

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


def finish(setting: SearchSetting, boards: Sequence[Graded], wishes: Wishes, how: str, name: str) -> list[Made]:
    """The puzzles that are left of some boards, in their order. `how` says how they were made. When it is interrupted,
    these are the puzzles that have been proven by then.

    Raises `DisagreementError` if an engine proves another optimum than the search: that is a bug.
    """
    maker, goal = setting.maker, setting.wanted
    results = _results(setting, [Orders(partial(_finished, maker, graded, goal, wishes)) for graded in boards])
    unique: dict[Hashable, Graded] = {}
    for number in sorted(results):
        if (graded := results[number]) is not None:
            unique.setdefault(maker.same(graded.board), graded)
    return [
        Made(load_text(_text(maker, graded, how, name)), graded.optimum, graded.states, same)
        for same, graded in unique.items()
    ]


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
