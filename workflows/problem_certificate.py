"""The files of a certificate that has a problem text: the text, the plan in its actions, and evidence for the bound."""

from __future__ import annotations

import lzma
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..models.errors import DisagreementError, UsageError
from ..models.plan import Plan
from ..models.puzzle import Puzzle
from ..proofs.by_rules import DISTANCES, ENDINGS, PARITY, RULES, RulesClaim, claim_line, less, parity_shows
from ..proofs.core.claim import AT_LEAST, BOARD, EXHAUSTION, HEAD, OPTIMUM, PLAN, PROOF, PUZZLE, REFUTATION
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.exhaustion import replay
from ..proofs.core.limits import Limits, Unsupported
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.core.problem import Cost, Problem, read
from ..proofs.endings import only_truths
from ..proofs.exhaustion import exhaust
from ..proofs.folder import PACKED
from ..proofs.games import game_of
from ..proofs.plan_counting import PLANS
from ..proofs.puzzles import puzzle_of
from ..proofs.verdict import said
from ..runtime.budget import Budget
from .certificate_plans import plan_of
from .evidence import AUTO, CheaperPlanError, limits_of
from .evidence_finder import Found, count, find_evidence, refuted_endings
from .exporting import problem_of

if TYPE_CHECKING:
    from ..encoders.exports.problem_plans import ProblemText


LONG = 1 << 15
"""A problem text of more bytes is written compressed (`problem.txt.xz`): nobody reads that without a program."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a certificate says of a puzzle: with a `plan` of it, `cost` is the optimum; without one it is a lower bound,
    and None says that there is no plan. `counted`: how many plans have the cost of the optimum is said, too.
    """

    puzzle: Puzzle
    metric: str
    cost: Cost | None
    plan: Plan | None = None
    counted: bool = False

    @property
    def kind(self) -> str:
        """The word of claim.txt for what it says of the cost."""
        return AT_LEAST if self.plan is None else OPTIMUM


@dataclass(frozen=True, slots=True)
class ProblemFiles:
    """The files, and the kind of evidence among them."""

    files: dict[str, bytes]
    kind: str


def problem_files(statement: Statement, puzzle_text: str, budget: Budget, kind: str) -> ProblemFiles:
    """Make the files of a certificate. `puzzle_text`: of the puzzle, in the form of certificates; `kind`: of evidence,
    or `auto`. Raises `UsageError` where the problem has too many actions for a refutation, `Rejected` at a limit,
    `CheaperPlanError`, and `DisagreementError`.
    """
    puzzle, claim = statement.puzzle, statement.cost
    own = _ByRules(statement, puzzle_text, limits_of(budget))
    if claim is None and kind == AUTO and parity_shows(own.puzzle):
        return own.made(Found(PARITY))
    by_ends, early = not statement.counted and kind != EXHAUSTION, only_truths(own.puzzle)
    if by_ends and early and (ends := own.ends(budget)):  # edges drawn: their text would be made first, and in vain
        return own.made(ends)
    try:
        made = problem_of(puzzle, statement.metric)
    except UsageError as reason:  # its actions are too many
        if statement.counted:
            raise UsageError(f"plans are counted in the text of a problem: {reason}") from None
        if by_ends and not early and (ends := own.ends(budget)):
            return own.made(ends)
        if kind == REFUTATION:
            raise
        return own.made(own.visit(limits_of(budget)))
    problem = read(made.text, limits_of(budget))
    if statement.counted and claim is not None:
        found = count(made.text, claim, budget)
    else:
        found = find_evidence(made.text, claim, budget, kind)
    files = text_files(statement, puzzle_text, made, problem, limits_of(budget))
    head = [HEAD, claim_line(claim, statement.kind), *([f"{PLANS} {found.plans}"] if found.plans else [])]
    by = " ".join(["by", found.kind, *map(str, found.numbers)])
    files[CLAIM] = "".join(f"{line}\n" for line in (*head, by, *found.lines)).encode()
    if found.proof is not None:
        files[PROOF] = found.proof
    return ProblemFiles(files, found.kind)


def text_files(
    statement: Statement, puzzle_text: str, made: ProblemText, problem: Problem, limits: Limits
) -> dict[str, bytes]:
    """The files that say what the claim is about: the puzzle, its problem, and the plan if there is one. Raises
    `DisagreementError` for a plan that costs something else in the problem.
    """
    puzzle = statement.puzzle
    files = {PUZZLE: puzzle_text.encode(), PROBLEM: made.text.encode()}
    if len(files[PROBLEM]) > LONG:
        files[PACKED] = lzma.compress(files.pop(PROBLEM))
    files[BOARD] = "".join(f"{row}\n" for row in puzzle.board()).encode()
    if statement.plan is not None:
        names = made.steps_of(statement.plan)
        cost = replay(problem, names, PLAN, limits)
        if cost != statement.cost:
            told = f"the plan of {puzzle.header.name} costs {statement.cost}, and in problem.txt {cost}"
            raise DisagreementError(told)
        files[PLAN] = "".join(f"{name}\n" for name in names).encode()
    return files


class _ByRules:
    """Evidence by the rules of the puzzle's own family in `proofs/`, without a problem text."""

    def __init__(self, statement: Statement, text: str, limits: Limits) -> None:
        self.statement, self.text = statement, text
        self.puzzle, self.limits = puzzle_of(text, limits=limits), limits

    def visit(self, limits: Limits) -> Found:
        """Visit every position that can be on a cheaper plan, by distances where they say more than 1 of the start.
        Raises `Rejected`, and `CheaperPlanError` if one is a goal.
        """
        says = self.statement
        try:
            game = game_of(self.puzzle, says.metric, limits, with_bound=True)
        except Unsupported:
            game = game_of(self.puzzle, says.metric, limits)
        if game.bound is not None and game.bound(game.start) <= 1:
            game = replace(game, bound=None)
        found = exhaust(game, None if says.cost is None else less(says.cost), limits)
        if found.goal is not None:
            counts = says.metric.split(",")
            raise CheaperPlanError(f"the checker of certificates finds a plan of {said(found.goal, counts)}")
        return Found(RULES if game.bound is None else DISTANCES, (found.states,))

    def ends(self, budget: Budget) -> Found | None:
        """A refutation of the end of a cheaper plan; None where there is none. Raises `Stopped`."""
        return refuted_endings(self.puzzle, self.statement.cost, self.statement.metric, self.text, budget)

    def made(self, found: Found) -> ProblemFiles:
        """The files, for evidence of the kind `rules`, `endings` or `parity`."""
        says, files = self.statement, {PUZZLE: self.text.encode()}
        cuts = tuple(tuple(line.split(",")) for line in found.lines)
        files[CLAIM] = RulesClaim(says.kind, says.cost, says.metric, found.kind, found.numbers, cuts).text().encode()
        if says.plan is not None:
            files[PLAN] = plan_of(says.plan, says.metric, self.puzzle, self.limits).encode()
        if found.proof is not None:
            files[PROOF] = found.proof
        return ProblemFiles(
            files, {RULES: EXHAUSTION, DISTANCES: EXHAUSTION, ENDINGS: REFUTATION}.get(found.kind, found.kind)
        )
