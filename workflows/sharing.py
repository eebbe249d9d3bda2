"""Certificates of shares: what the moves of single pieces cost at least in any plan (`proofs/shares.py`).

A share is the optimum of the problem in which only the moves of a piece cost something. Its states are all those of the
puzzle, or nearly so; the checker's own search visits them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ortools.sat.python import cp_model

from ..models.errors import DisagreementError, UsageError
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..proofs.by_rules import claim_line
from ..proofs.core.claim import EXHAUSTION, HEAD
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.exhaustion import exhaust
from ..proofs.core.limits import Invalid, Rejected, Stopped, Unsupported
from ..proofs.core.problem import Cost, Problem, read
from ..proofs.owners import Owners, owners_of
from ..proofs.pricing import priced
from ..proofs.puzzles import Puzzle as Checkable
from ..proofs.puzzles import puzzle_of
from ..proofs.searching import Search
from ..proofs.shares import BY, SHARES, Share, alike
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage, silent
from .certifying import Certified, NotCertified, keep_checked, text_for_checker
from .evidence import limits_of
from .exporting import problem_of
from .problem_certificate import ProblemFiles, Statement, text_files
from .solving import Solution

Words = tuple[str, ...]
"""Owners whose moves are counted together."""

JOINT = 0.3
"""The share of the time left in which pairs of owners are tried."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which shares of a puzzle are asked for: each of one owner, or of several together; None asks for those of all
    that have to move. `solution`: what is known of the puzzle. If the shares are as much as its optimum, this is
    certified by them.
    """

    puzzle: Puzzle
    metric: str
    owners: tuple[Words, ...] | None
    solution: Solution | None = None


def certify_shares(
    asked: Asked,
    folder: Path,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    scratch: str | None = None,
) -> Certified:
    """Write the certificate of shares to a folder, and check it. Raises `UsageError` for owners that the puzzle does
    not have, `NotCertified`, with `stopped` at a limit, and `DisagreementError` if the checker refuses what was found.
    """
    budget, name = budget or Budget(), asked.puzzle.header.name
    began = budget.elapsed
    try:
        made = ProblemFiles(_files(asked, budget, progress), SHARES)
    except Unsupported as problem:
        reason = f"no certificate for {name}: {problem}"
        raise NotCertified(reason, stopped=isinstance(problem, Stopped)) from None
    except Rejected as problem:
        raise DisagreementError(f"the checker of certificates refuses {name}: {problem}") from None
    progress(Stage(seconds=budget.elapsed, text="checking the certificate"))
    return keep_checked(made, name, folder, budget, began, scratch=scratch)


def shares_apart(
    asked: Asked, folder: Path, _evidence: str, _cnf: bool, scratch: str, budget: Budget, progress: Progress
) -> Certified:
    """`certify_shares` in a process that may be killed; the caller removes what it leaves in the folder `scratch`."""
    return certify_shares(asked, folder, budget, progress, scratch=scratch)


def _files(asked: Asked, budget: Budget, progress: Progress) -> dict[str, bytes]:
    text = text_for_checker(asked.puzzle, budget)
    puzzle = puzzle_of(text, limits=limits_of(budget))
    owners = owners_of(puzzle, asked.metric, limits_of(budget))
    wanted = _wanted(asked, owners)
    made = problem_of(asked.puzzle, asked.metric)
    problem = read(made.text, limits_of(budget))
    finder = _Finder(problem, puzzle, owners, budget, progress)
    found = {words: finder.least(words) for words in wanted}
    if asked.owners is None:
        optimum = _optimum(asked)
        if optimum is not None and len(optimum) == 1:
            found = finder.together(found, optimum[0])
        found = {words: least for words, least in found.items() if any(least)} or found
    total: Cost = tuple(map(sum, zip(*found.values(), strict=True)))
    known = asked.solution if _optimum(asked) == total else None
    statement = Statement(asked.puzzle, asked.metric, total, known.plan if known else None)
    files = text_files(statement, text, made, problem, limits_of(budget))
    lines = [HEAD, claim_line(total, statement.kind), f"{BY}{len(found)}"]
    for words in sorted(found, key=lambda words: found[words], reverse=True):
        lines += finder.shown(words, found[words]).lines()
    return files | {CLAIM: "".join(f"{line}\n" for line in lines).encode()}


def _optimum(asked: Asked) -> Cost | None:
    """The cost of the plan that is known, which no other has been found to undercut."""
    known = asked.solution
    return None if known is None or known.replay is None else cost_in(known.replay, asked.metric)


class _Finder:
    """Finds shares by the search of the checker."""

    def __init__(self, problem: Problem, puzzle: Checkable, owners: Owners, budget: Budget, progress: Progress) -> None:
        self.problem, self.puzzle, self.owners = problem, puzzle, owners
        self.budget, self.progress = budget, progress

    def least(self, words: Words) -> Cost:
        """The share of some owners. Raises `UsageError` if there is no plan, and `Rejected`."""
        self._tell(f"the share of {', '.join(map(self.owners.label, words))}")
        own = self._priced(words)
        alike(own, self.puzzle, self.owners, words, limits_of(self.budget))  # said before the search, and not after it
        found = Search(own, None, [[]], limits_of(self.budget)).run().plan
        if found is None:
            raise UsageError("the puzzle has no plan, so nothing has a share of it")
        return found

    def _tell(self, what: str) -> None:
        self.progress(Stage(seconds=self.budget.elapsed, text=f"looking for {what}"))

    def _priced(self, words: Words) -> Problem:
        return priced(self.problem, self.puzzle, words, limits_of(self.budget))

    def shown(self, words: Words, least: Cost) -> Share:
        """A share with its evidence."""
        states, _ = exhaust(self._priced(words), least, [], limits_of(self.budget))
        return Share(words, ",".join(map(str, least)), (f"by {EXHAUSTION} {states}",))

    def together(self, single: dict[Words, Cost], optimum: int) -> dict[Words, Cost]:
        """The shares with some of them taken together in pairs, where that makes their sum larger: until it is the
        optimum, all pairs are tried, or a part of the time is over.
        """
        lacks = optimum - sum(cost for (cost,) in single.values())
        if lacks <= 0:
            return single
        self._tell("pairs that have a larger share together")
        seconds = JOINT * self.budget.remaining
        gains: dict[tuple[Words, Words], int] = {}
        best: list[tuple[Words, Words]] = []
        for pair in combinations(single, 2):
            began, limits = self.budget.elapsed, limits_of(self.budget, seconds)
            try:
                found = Search(self._priced(pair[0] + pair[1]), None, [[]], limits).run().plan
            except Stopped:
                break
            seconds -= self.budget.elapsed - began
            gain = sum(found or ()) - sum(single[words][0] for words in pair)
            if gain <= 0:
                continue
            gains[pair] = gain
            best = _disjoint(gains)
            if sum(map(gains.__getitem__, best)) >= lacks:
                break
        taken = {words for pair in best for words in pair}
        joint = {one + two: (single[one][0] + single[two][0] + gains[one, two],) for one, two in best}
        return joint | {words: least for words, least in single.items() if words not in taken}


def _disjoint(gains: dict[tuple[Words, Words], int]) -> list[tuple[Words, Words]]:
    """Pairs that have nothing in common and the largest gain together: a maximum matching, by an integer program."""
    model = cp_model.CpModel()
    chosen = {pair: model.new_bool_var(str(pair)) for pair in gains}
    for words in {words for pair in gains for words in pair}:
        model.add_at_most_one(var for pair, var in chosen.items() if words in pair)
    model.maximize(sum(gains[pair] * var for pair, var in chosen.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.solve(model)
    return [pair for pair, var in chosen.items() if solver.value(var)]


def _wanted(asked: Asked, owners: Owners) -> list[Words]:
    """The owners of each share. Raises `UsageError`."""
    if asked.owners is None:
        return owners.everyone()
    known = [word for words in owners.everyone() for word in words]
    for word in (word for words in asked.owners for word in words):
        if not owners.named(word):
            raise UsageError(f"nothing that moves is called `{word}`; {suggest(word, known)}")
    try:
        owners.check([word for words in asked.owners for word in words])
    except Invalid as reason:
        raise UsageError(f"these shares cannot be added up: {reason}") from None
    return list(asked.owners)
