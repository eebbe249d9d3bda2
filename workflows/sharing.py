"""Certificates of shares: what the moves of single pieces cost at least in any plan (`proofs/shares.py`).

A share is the optimum of the problem in which only the moves of a piece cost something. Its states are all those of the
puzzle, or nearly so; the checker's own search visits them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..models.errors import DisagreementError, UsageError
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..proofs.by_rules import claim_line
from ..proofs.core.claim import EXHAUSTION, HEAD
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.exhaustion import exhaust
from ..proofs.core.limits import Invalid, Rejected, Stopped, Unsupported
from ..proofs.core.problem import Cost, read
from ..proofs.owners import Owners, owners_of
from ..proofs.pricing import priced
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


@dataclass(frozen=True, slots=True)
class Asked:
    """Which shares of a puzzle are asked for: each of one owner, or of several together; None asks for those of all
    that have to move. `solution`: what is known of the puzzle. If the shares are as much as its optimum, this is
    certified by them.
    """

    puzzle: Puzzle
    metric: str
    owners: tuple[tuple[str, ...], ...] | None
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
    puzzle, metric = asked.puzzle, asked.metric
    text = text_for_checker(puzzle, budget)
    read_puzzle = puzzle_of(text, limits=limits_of(budget))
    owners = owners_of(read_puzzle, metric, limits_of(budget))
    wanted = _wanted(asked, owners)
    made = problem_of(puzzle, metric)
    problem = read(made.text, limits_of(budget))
    found: list[tuple[Cost, Share]] = []
    for words in wanted:
        progress(Stage(seconds=budget.elapsed, text=f"looking for the share of {', '.join(map(owners.label, words))}"))
        own = priced(problem, read_puzzle, words, limits_of(budget))
        alike(own, read_puzzle, owners, words, limits_of(budget))  # said before the search, and not after it
        share = Search(own, None, [[]], limits_of(budget)).run().plan
        if share is None:
            raise UsageError(f"{puzzle.header.name} has no plan, so nothing has a share of it")
        states, _ = exhaust(own, share, [], limits_of(budget))
        found.append((share, Share(words, ",".join(map(str, share)), (f"by {EXHAUSTION} {states}",))))
    found.sort(key=lambda one: one[0], reverse=True)
    if asked.owners is None:
        found = [one for one in found if any(one[0])] or found[:1]
    total: Cost = tuple(map(sum, zip(*(share for share, _ in found), strict=True)))
    statement = _statement(asked, total)
    files = text_files(statement, text, made, problem, limits_of(budget))
    lines = [HEAD, claim_line(total, statement.kind), f"{BY}{len(found)}"]
    lines += [line for _, share in found for line in share.lines()]
    return files | {CLAIM: "".join(f"{line}\n" for line in lines).encode()}


def _wanted(asked: Asked, owners: Owners) -> list[tuple[str, ...]]:
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


def _statement(asked: Asked, total: Cost) -> Statement:
    """The optimum with its plan if the shares are as much, else a lower bound."""
    known = asked.solution
    if known is not None and known.replay is not None and cost_in(known.replay, asked.metric) == total:
        return Statement(asked.puzzle, asked.metric, total, known.plan)
    return Statement(asked.puzzle, asked.metric, total)
