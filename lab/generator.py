"""The search for hard boards: rounds of units, which know nothing of each other.

A unit walks from board to board by mutations and takes a step if the new board is at least as hard, or by chance if it
is a little easier (simulated annealing; Kirkpatrick, Gelatt, Vecchi, Science 220, 1983). It begins at a random board,
or at one of the best so far. After each round the best of all units are kept, each puzzle once.

What a unit does depends on the seed, its number and the boards that it gets, and on no clock; a round has the same
`UNITS` units however many workers there are. So a seed and a number of rounds give the same puzzles everywhere.

With a store (`seen`), the grades of all boards and the results of all units are kept. Units that are known are not done
again: so a search that was ended, however that happened, goes on from the last unit that came to its end.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Progress
from .executors import Executor
from .maker import Graded, Maker
from .seen import Grade, Grader, Seen, work_key

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
class Walked:
    """What a unit brings back: its best boards, and how many it has looked at; of these, `known` were in the store, and
    `new` are the grades that were not. `whole`: no limit has ended it.
    """

    found: tuple[Graded, ...]
    graded: int
    known: int = 0
    new: tuple[Grade, ...] = ()
    whole: bool = True


def unit(
    maker: Maker, goal: Goal, seed: str, start: Any, store: str | None, budget: Budget, _progress: Progress
) -> Walked:
    """One walk of the maker's number of evaluations, from a board or (None) a random one. `store`: where to look for
    grades, if this machine has it.
    """
    evaluations = maker.evaluations
    chance = random.Random(seed)
    grader = Grader(maker, store)
    found: dict[Hashable, Graded] = {}
    current = None if start is None else grader.grade(start)
    attempts = 0
    while current is None and attempts < PATIENCE and not budget.stopped():
        attempts += 1
        current = grader.grade(maker.new(chance))
    for number in range(evaluations):
        if current is None or budget.stopped():
            break
        new = grader.grade(maker.mutate(current.board, chance))
        if new is None:
            continue
        worse = goal.score(current.optimum) - goal.score(new.optimum)
        warmth = WARMTH * (1 - number / evaluations)
        if worse > 0 and chance.random() >= math.exp(-worse / max(warmth, 1e-9)):
            continue
        current = new
        _keep(maker, goal, found, new)
    whole = not budget.stopped()
    return Walked(tuple(found.values()), grader.seen, grader.known, tuple(grader.new.values()), whole)


def _keep(maker: Maker, goal: Goal, found: dict[Hashable, Graded], new: Graded, most: int = TOLD) -> None:
    """Keep a board if it is among the `most` best, each puzzle only once."""
    if len(found) >= most and goal.score(new.optimum) <= min(goal.score(one.optimum) for one in found.values()):
        return
    found.setdefault(maker.same(new.board), new)
    if len(found) > most:
        del found[min(found, key=lambda key: (goal.score(found[key].optimum), repr(key)))]


@dataclass(slots=True)
class Archive:
    """The best boards so far, the hardest first; `history` has (seconds, round, boards graded, best optimum) whenever
    the best got better. `known`: of the `graded` boards, those that a store had. `refused`: boards that are not wanted
    again.
    """

    found: list[tuple[Hashable, Graded]] = field(default_factory=list)
    rounds: int = 0
    graded: int = 0
    known: int = 0
    history: list[tuple[float, int, int, int]] = field(default_factory=list)
    refused: set[Hashable] = field(default_factory=set)

    def refuse(self, boards: Iterable[Hashable]) -> None:
        """Drop these puzzles from the archive and never keep them again, so that others have room."""
        self.refused.update(boards)
        self.found = [(same, graded) for same, graded in self.found if same not in self.refused]

    @property
    def best(self) -> int:
        return self.found[0][1].optimum if self.found else 0


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """What a search works with. Without a `goal`, the harder the better. `seen`: the file of a store that exists
    (`Seen`). `on_round` gets the archive after each round.
    """

    maker: Maker
    executor: Executor
    goal: Goal | None = None
    seed: int = 1
    seen: Path | None = None
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
        left = None if seconds is None else seconds - (time.monotonic() - began)
        if setting.interrupted.is_set() or (left is not None and left <= 0):
            break
        walked = _round(setting, archive, left)
        if walked is None:
            break
        best = archive.best
        archive.rounds += 1
        archive.graded += sum(one.graded for one in walked)
        archive.known += sum(one.known for one in walked)
        merged = dict(archive.found)
        for one in walked:
            for graded in one.found:
                merged.setdefault(maker.same(graded.board), graded)
        wanted = [(same, graded) for same, graded in merged.items() if same not in archive.refused]
        order = sorted(wanted, key=lambda item: (-goal.score(item[1].optimum), repr(item[0])))
        archive.found = order[:KEPT]
        if archive.best != best:
            archive.history.append((time.monotonic() - began, archive.rounds, archive.graded, archive.best))
        setting.on_round(archive)
        if enough is not None and sum(goal.fits(one.optimum) for _, one in archive.found) >= enough:
            break
    return archive


def _round(setting: SearchSetting, archive: Archive, left: float | None) -> list[Walked] | None:
    """The units of the next round; None if it could not be finished."""
    maker, goal, executor, seed, seen = setting.maker, setting.wanted, setting.executor, setting.seed, setting.seen
    chance = random.Random(f"{seed} {archive.rounds}")
    boards = [graded.board for _, graded in archive.found]
    # Every FRESH-th walk begins anew; the others at a board found before, the better the likelier (exponentially by its
    # place in the list). All chance comes from seed, round and number: a round gives the same wherever it is run.
    starts = [
        None
        if number % FRESH == FRESH - 1 or not boards
        else boards[min(int(chance.expovariate(0.15)), len(boards) - 1)]
        for number in range(UNITS)
    ]
    seeds = [f"{seed} {archive.rounds} {number}" for number in range(UNITS)]
    keys = [
        work_key(maker, "unit", repr(goal), own_seed, None if start is None else maker.to_text(start))
        for own_seed, start in zip(seeds, starts, strict=True)
    ]
    # What the store has under the key of the same work is not done again.
    done: list[Walked | None] = [None] * UNITS
    if seen is not None:
        with Seen(seen) as store:
            known = store.results(keys)
        done = [_known(maker, known[key]) if key in known else None for key in keys]
    waiting = [number for number, one in enumerate(done) if one is None]
    look_up = str(seen) if seen is not None and executor.local else None
    until = None if left is None else time.monotonic() + left

    def orders() -> Iterator[Orders]:
        """What is left to do, each with the time that is left when a worker takes it: none begins when that is over."""
        for number in waiting:
            rest = None if until is None else until - time.monotonic()
            if rest is not None and rest <= 0:
                return
            yield Orders(partial(unit, maker, goal, seeds[number], starts[number], look_up), rest)

    for number, report in executor.carry_out(orders(), setting.interrupted):
        if report.failure:
            raise report.failure
        walked: Walked | None = report.result
        if walked is not None:
            done[waiting[number]] = walked
            if seen is not None:
                with Seen(seen) as store:
                    key = keys[waiting[number]] if walked.whole else None
                    store.add(walked.new, key, "unit", _result(maker, walked))
    return None if setting.interrupted.is_set() else _whole(done)


def _result(maker: Maker, walked: Walked) -> dict[str, Any]:
    """The result of a unit as a value for the store."""
    found = [(maker.to_text(one.board), one.optimum, one.states) for one in walked.found]
    return {"found": found, "graded": walked.graded}


def _known(maker: Maker, result: dict[str, Any]) -> Walked:
    """A unit read from the store: its boards count as known."""
    found = tuple(Graded(maker.from_text(text), optimum, states) for text, optimum, states in result["found"])
    return Walked(found, result["graded"], known=result["graded"])


def _whole(done: Sequence[Walked | None]) -> list[Walked] | None:
    found = [one for one in done if one is not None and one.whole]
    return found if len(found) == len(done) else None


def best_first(archive: Archive, goal: Goal) -> list[tuple[Hashable, Graded]]:
    """The boards whose optimum fits the goal, the hardest first, each with what it shares with its mirror images."""
    return [(same, graded) for same, graded in archive.found if goal.fits(graded.optimum)]
