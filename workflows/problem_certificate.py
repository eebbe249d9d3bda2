"""The files of a certificate that has a problem text: the text, the plan in its actions, and evidence for the bound."""

from __future__ import annotations

from dataclasses import dataclass

from ..models.errors import DisagreementError, UsageError
from ..proofs.by_rules import PARITY, RULES, claim_text, parity_shows, positions_below
from ..proofs.core.claim import BOARD, EXHAUSTION, HEAD, OPTIMUM, PLAN, PROOF, PUZZLE, REFUTATION, UNSOLVABLE
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.exhaustion import replay
from ..proofs.core.limits import Limits
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.core.problem import Cost, read
from ..proofs.puzzles import puzzle_of
from ..proofs.verdict import said
from ..runtime.budget import Budget
from .certificate_plans import plan_of
from .evidence import AUTO, limits_of
from .evidence_finder import Found, find_evidence
from .exporting import problem_of
from .solving import Solution


@dataclass(frozen=True, slots=True)
class ProblemFiles:
    """The files, and the kind of evidence among them."""

    files: dict[str, bytes]
    kind: str


def problem_files(solution: Solution, claim: Cost | None, puzzle_text: str, budget: Budget, kind: str) -> ProblemFiles:
    """Make the files of a certificate. `claim`: the optimum, None if there is no plan; `kind`: of evidence, or `auto`.
    Raises `UsageError` where the problem has too many actions for a refutation, `Rejected` at a limit, and
    `DisagreementError`.
    """
    puzzle, metric = solution.puzzle, solution.metric
    own = _ByRules(solution, claim, puzzle_text, limits_of(budget))
    if claim is None and kind == AUTO and parity_shows(own.puzzle):
        return own.made(Found(PARITY))
    try:
        made = problem_of(puzzle, metric)
    except UsageError:  # its actions are too many
        if kind == REFUTATION:
            raise
        return own.made(own.visit(limits_of(budget)))
    problem = read(made.text, limits_of(budget))
    found = find_evidence(made.text, claim, budget, kind)
    files = {PUZZLE: puzzle_text.encode(), PROBLEM: made.text.encode()}
    files[BOARD] = "".join(f"{row}\n" for row in puzzle.board()).encode()
    says = UNSOLVABLE
    if claim is not None and solution.plan is not None:
        names = made.steps_of(solution.plan)
        cost = replay(problem, names, PLAN, limits_of(budget))
        if cost != claim:
            raise DisagreementError(f"the plan of {puzzle.header.name} costs {claim}, and in problem.txt {cost}")
        files[PLAN] = "".join(f"{name}\n" for name in names).encode()
        says = f"{OPTIMUM} {','.join(map(str, claim))}"
    head = " ".join(["by", found.kind, *map(str, found.numbers)])
    files[CLAIM] = "".join(f"{line}\n" for line in (HEAD, says, head, *found.lines)).encode()
    if found.proof is not None:
        files[PROOF] = found.proof
    return ProblemFiles(files, found.kind)


class _ByRules:
    """Evidence by the rules of the puzzle's own family in `proofs/`, without a problem text."""

    def __init__(self, solution: Solution, claim: Cost | None, text: str, limits: Limits) -> None:
        self.solution, self.claim, self.text = solution, claim, text
        self.puzzle, self.limits = puzzle_of(text, limits=limits), limits

    def visit(self, limits: Limits) -> Found:
        """Visit every position that can be on a cheaper plan. Raises `Rejected`, and `DisagreementError` if one is a
        goal.
        """
        found = positions_below(self.puzzle, self.claim, self.solution.metric, limits)
        if found.goal is not None:
            counts = self.solution.metric.split(",")
            raise DisagreementError(f"the checker of certificates finds a plan of {said(found.goal, counts)}")
        return Found(RULES, (found.states,))

    def made(self, found: Found) -> ProblemFiles:
        """The files, for evidence of the kind `rules` or `parity`."""
        files = {PUZZLE: self.text.encode()}
        files[CLAIM] = claim_text(self.claim, self.solution.metric, *found.numbers).encode()
        if self.claim is not None:
            files[PLAN] = plan_of(self.solution, self.puzzle, self.limits).encode()
        return ProblemFiles(files, PARITY if found.kind == PARITY else EXHAUSTION)
