"""The search for hard boards: rounds of units, which know nothing of each other.

A unit walks from board to board by mutations and takes a step if the new board is at least as hard, or by chance if it
is a little easier (simulated annealing; Kirkpatrick, Gelatt, Vecchi, Science 220, 1983). It begins at a random board,
or at one of the best so far. After each round the best of all units are kept, each puzzle once.

What a unit does depends on the seed, its number and the boards that it gets, and on no clock; a round has the same
`UNITS` units however many workers there are. So a seed and a number of rounds give the same puzzles everywhere.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Progress
from .executors import Executor
from .maker import Graded, Maker

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

    `history` has (seconds, round, boards graded, best optimum) whenever the best got better. `refused`: boards that
    are not wanted again.
    """

    boards: list[tuple[Hashable, Graded]] = field(default_factory=list)
    rounds: int = 0
    graded: int = 0
    history: list[tuple[float, int, int, int]] = field(default_factory=list)
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
        best = archive.best
        archive.rounds += 1
        archive.graded += sum(result.graded for result in results)
        merged = dict(archive.boards)
        for result in results:
            for graded in result.boards:
                merged.setdefault(maker.same(graded.board), graded)
        wanted = [(same, graded) for same, graded in merged.items() if same not in archive.refused]
        wanted.sort(key=lambda item: (-goal.score(item[1].optimum), repr(item[0])))
        archive.boards = wanted[:KEPT]
        if archive.best != best:
            archive.history.append((time.monotonic() - began, archive.rounds, archive.graded, archive.best))
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

    results: dict[int, UnitResult] = {}
    for number, report in setting.executor.carry_out(orders(), setting.interrupted):
        if report.failure:
            raise report.failure
        result: UnitResult | None = report.result
        if result is not None and result.whole:
            results[number] = result
    finished = len(results) == UNITS and not setting.interrupted.is_set()
    return [results[number] for number in range(UNITS)] if finished else None
