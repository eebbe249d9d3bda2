"""Writing certificates: the plan, evidence for the lower bound (`evidence_finder`), and a check of what was written.

The evidence need not come from the engine that found the answer. What the checker can exhaust needs nothing but a few
numbers. Else the checker makes the clauses that say "a plan of less", an engine refutes them with a proof, and the
proof is stored. Nothing that engines know enters a certificate, and nothing is written that `proofs.check` refuses.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..models.display import Written
from ..models.errors import DisagreementError, UsageError
from ..models.plan import cost_in
from ..models.text import suggest
from ..proofs.check import check_folder, dimacs_of
from ..proofs.core.claim import PROOF, REFUTATION
from ..proofs.core.limits import Limits, Rejected, Stopped, Unsupported
from ..proofs.core.lrat import lines_of
from ..proofs.folder import write_files
from ..proofs.reading import Cost
from ..proofs.verdict import INVALID, VALID, CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage
from ..runtime.outcome import Status
from .evidence import KINDS, limits_of
from .problem_certificate import problem_files
from .same_puzzle import canonical, difference
from .solving import Solution


@dataclass(frozen=True, slots=True)
class Certified(Written):
    """A certificate that was written. `kind`: of its evidence; `size`: the bytes of all files; `seconds`: that writing
    took, without the solve, and its check; `verdict`: what the checker says."""

    folder: Path
    kind: str
    size: int
    seconds: tuple[float, float]
    verdict: CertificateVerdict

    def to_dict(self) -> dict[str, Any]:
        """A certificate as an object of JSON lines."""
        writing, checking = self.seconds
        return {
            "type": "certificate",
            "folder": str(self.folder),
            "evidence": self.kind,
            "bytes": self.size,
            "shown": self.verdict.shown,
            "seconds": {"write": round(writing, 3), "check": round(checking, 3)},
        }


class NotCertified(UsageError):
    """Raised if no certificate can be written, with the reason. `stopped`: the reason is a limit."""

    stopped = False


def certify(
    solution: Solution,
    folder: Path,
    budget: Budget | None = None,
    *,
    evidence: str = "auto",
    cnf: bool = False,
    scratch: str | None = None,
) -> Certified:
    """Write the certificate of a proven solution to a folder, and check it. `cnf`: also `formula.cnf` and
    `proof.lrat` for other checkers, where the evidence is a refutation. `scratch`: a folder for what is checked, by
    default that of the system.

    `evidence`: `auto`, or a kind of `evidence.KINDS`. Raises `UsageError` for another one, `NotCertified`, and
    `DisagreementError` if the checker finds a shorter plan or refuses what was written.
    """
    check_evidence(evidence)
    budget = budget or Budget()
    began = budget.elapsed
    puzzle = solution.puzzle
    try:
        files, kind = _files_of(solution, budget, evidence)
    except Unsupported as problem:
        refusal = NotCertified(f"no certificate for {puzzle.header.name}: {problem}")
        refusal.stopped = isinstance(problem, Stopped)
        raise refusal from None
    except Rejected as problem:
        raise DisagreementError(f"the checker of certificates refuses {puzzle.header.name}: {problem}") from None
    # Checked as a stranger would, from files in a folder of their own, before anything is kept.
    with tempfile.TemporaryDirectory(prefix="budge-", dir=scratch) as trial:
        write_files(Path(trial), files)
        wrote = budget.elapsed
        verdict = check_folder(Path(trial), limits_of(budget))
        if verdict.status == INVALID:
            raise DisagreementError(f"the certificate of {puzzle.header.name} is not accepted: {verdict.problem}")
        if verdict.status != VALID:
            refusal = NotCertified(f"no certificate for {puzzle.header.name}: its check was {verdict.problem}")
            refusal.stopped = True
            raise refusal
    checked = budget.elapsed - wrote
    try:
        write_files(folder, files)
        if cnf and kind == REFUTATION:
            _write_for_others(folder)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return Certified(folder, kind, sum(map(len, files.values())), (wrote - began, checked), verdict)


def _files_of(solution: Solution, budget: Budget, evidence: str) -> tuple[dict[str, bytes], str]:
    """The files of the certificate, and the kind of its evidence. Raises `Rejected` and `NotCertified`."""
    puzzle, claim = solution.puzzle, _claim(solution)
    text = canonical(puzzle)
    # The checker's own reading of the puzzle's text must be this puzzle.
    if problem := difference(text, limits_of(budget), puzzle):
        raise DisagreementError(f"the certificate of {puzzle.header.name} would be about another puzzle: {problem}")
    made = problem_files(solution, claim, text, budget, evidence)
    return made.files, made.kind


def check_evidence(kind: str) -> None:
    """Raises `UsageError` for a kind of evidence that cannot be asked for."""
    if kind not in KINDS:
        raise UsageError(f"no evidence is called `{kind}`; {suggest(kind, KINDS)}")


def certify_apart(
    solution: Solution, folder: Path, evidence: str, cnf: bool, scratch: str, budget: Budget, progress: Progress
) -> Certified:
    """`certify` in a process that may be killed; the caller removes what it leaves in the folder `scratch`."""
    progress(Stage(seconds=budget.elapsed, text="writing and checking the certificate"))
    return certify(solution, folder, budget, evidence=evidence, cnf=cnf, scratch=scratch)


def _claim(solution: Solution) -> Cost | None:
    """The optimum that was proven; None if it was proven that there is no plan. Raises `NotCertified`."""
    if solution.status is Status.UNSOLVABLE:
        return None
    if solution.status is not Status.OPTIMAL or solution.replay is None:
        raise NotCertified(f"no certificate for {solution.puzzle.header.name}: its optimum is not proven")
    return cost_in(solution.replay, solution.metric)


def _write_for_others(folder: Path) -> None:
    """The formula and the proof of a refutation as other checkers read them: `formula.cnf` and `proof.lrat`. Raises
    `OSError`.
    """
    limits = Limits(None, None)
    (folder / "formula.cnf").write_text("".join(dimacs_of(folder, limits)))
    with (folder / "proof.lrat").open("wb") as out:
        out.writelines(line + b"\n" for line in lines_of((folder / PROOF).read_bytes(), limits, PROOF))
