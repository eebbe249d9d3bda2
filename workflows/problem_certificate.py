"""The files of a certificate that has a problem text: the text, the plan in its actions, and evidence for the bound."""

from __future__ import annotations

from dataclasses import dataclass

from ..models.errors import DisagreementError, UsageError
from ..models.puzzle import Puzzle
from ..proofs.by_rules import claim_text, positions_below
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
from .evidence import limits_of
from .evidence_finder import find_evidence
from .exporting import problem_of
from .solving import Solution


@dataclass(frozen=True, slots=True)
class ProblemFiles:
    """The files, and the kind of evidence among them."""

    files: dict[str, bytes]
    kind: str


def has_problem_text(puzzle: Puzzle) -> bool:
    """Whether certificates of a puzzle have a problem text; others have the form before."""
    return puzzle.family == "custom"


def problem_files(solution: Solution, claim: Cost | None, puzzle_text: str, budget: Budget, kind: str) -> ProblemFiles:
    """Make the files of a certificate. `claim`: the optimum, None if there is no plan; `kind`: of evidence, or `auto`.
    Raises `UsageError` where the problem has too many actions, `Rejected` at a limit, and `DisagreementError`.
    """
    puzzle, metric = solution.puzzle, solution.metric
    limits = limits_of(budget)
    files = {PUZZLE: puzzle_text.encode()}
    try:
        made = problem_of(puzzle, metric)
    except UsageError:  # its actions are too many
        if kind == REFUTATION:
            raise
        return ProblemFiles(files | _by_rules(solution, claim, puzzle_text, limits), EXHAUSTION)
    problem = read(made.text, limits)
    files |= {PROBLEM: made.text.encode(), BOARD: "".join(f"{row}\n" for row in puzzle.board()).encode()}
    says = UNSOLVABLE
    if claim is not None and solution.plan is not None:
        names = made.steps_of(solution.plan)
        cost = replay(problem, names, PLAN, limits)
        if cost != claim:
            raise DisagreementError(f"the plan of {puzzle.header.name} costs {claim}, and in problem.txt {cost}")
        files[PLAN] = "".join(f"{name}\n" for name in names).encode()
        says = f"{OPTIMUM} {','.join(map(str, claim))}"
    found = find_evidence(made.text, claim, budget, kind)
    head = " ".join(["by", found.kind, *map(str, found.numbers)])
    files[CLAIM] = "".join(f"{line}\n" for line in (HEAD, says, head, *found.lines)).encode()
    if found.proof is not None:
        files[PROOF] = found.proof
    return ProblemFiles(files, found.kind)


def _by_rules(solution: Solution, claim: Cost | None, puzzle_text: str, limits: Limits) -> dict[str, bytes]:
    """The claim and the plan where the puzzle has no problem text: its own rules visit all positions."""
    metric = solution.metric
    puzzle = puzzle_of(puzzle_text, limits=limits)
    found = positions_below(puzzle, claim, metric, limits)
    if found.goal is not None:
        counts = metric.split(",")
        raise DisagreementError(f"the checker of certificates finds a plan of {said(found.goal, counts)}")
    files = {CLAIM: claim_text(claim, metric, found.states).encode()}
    if claim is not None:
        files[PLAN] = plan_of(solution, puzzle, limits).encode()
    return files
