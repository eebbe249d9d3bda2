"""Writing certificates: the plan, the evidence for the lower bound (`evidence`), and a check of what was written.

The evidence need not come from the engine that found the answer. What the checker can exhaust needs nothing but a few
numbers. Else the checker makes the clauses that say "a plan of one less", an engine refutes them with a proof, and the
proof is stored. Nothing that engines know enters a certificate, and nothing is written that `proofs.check` refuses.
"""

from __future__ import annotations

import tempfile
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..models.display import Written
from ..models.errors import DisagreementError, UsageError
from ..models.moves import Slide
from ..models.plan import cost_in
from ..models.text import suggest
from ..proofs import manifest
from ..proofs.acting import ActingGame, ActionPuzzle, written
from ..proofs.check import check_folder, dimacs, formula_of
from ..proofs.core.limits import Limits, Rejected, Stopped, Unsupported
from ..proofs.core.lrat import lines_of
from ..proofs.manifest import PLAN, PROOF, PUZZLE, REFUTATION, Certificate
from ..proofs.pieces import plan_text
from ..proofs.puzzles import Puzzle as Checkable
from ..proofs.puzzles import puzzle_of
from ..proofs.reading import Cost
from ..proofs.terms import CELL, State
from ..proofs.verdict import INVALID, VALID, CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage
from ..runtime.outcome import Status
from ..version import __version__
from .evidence import KINDS, limits_of, lower_bound
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
    puzzle, metric = solution.puzzle, solution.metric
    claim = _claim(solution)
    text = canonical(puzzle)
    try:
        # 1. The checker's own reading of the puzzle's text must be this puzzle; the plan is written and replayed there,
        # and the evidence of the lower bound is made for that reading.
        read = puzzle_of(text, limits=limits_of(budget))
        if problem := difference(text, limits_of(budget), puzzle):
            raise DisagreementError(f"the certificate of {puzzle.header.name} would be about another puzzle: {problem}")
        files = {PUZZLE: text.encode()}
        if solution.plan is not None and claim is not None:
            plan = plan_of(solution, read, limits_of(budget))
            files[PLAN] = plan.encode()
            read.cost(plan, metric, PLAN, limits_of(budget))
        lower, proof = lower_bound(read, metric, claim, budget, evidence)
    except Unsupported as problem:
        refusal = NotCertified(f"no certificate for {puzzle.header.name}: {problem}")
        refusal.stopped = isinstance(problem, Stopped)
        raise refusal from None
    except Rejected as problem:
        raise DisagreementError(f"the checker of certificates refuses {puzzle.header.name}: {problem}") from None
    files |= proof
    # 2. Checked as a stranger would, from files in a folder of their own, before anything is kept.
    certificate = Certificate(metric, claim, lower, files)
    with tempfile.TemporaryDirectory(prefix="budge-", dir=scratch) as trial:
        manifest.write(Path(trial), certificate, f"budge {__version__}")
        wrote = budget.elapsed
        verdict = check_folder(Path(trial), limits_of(budget))
        if verdict.status == INVALID:
            raise DisagreementError(f"the certificate of {puzzle.header.name} is not accepted: {verdict.problem}")
        if verdict.status != VALID:
            refusal = NotCertified(f"no certificate for {puzzle.header.name}: its check was {verdict.problem}")
            refusal.stopped = True
            raise refusal
    checked = budget.elapsed - wrote
    _keep(folder, certificate)
    if cnf and lower["kind"] == REFUTATION:
        write_cnf(certificate, folder)
    size = sum(file.stat().st_size for file in folder.iterdir() if file.name in (manifest.MANIFEST, *files))
    return Certified(folder, lower["kind"], size, (wrote - began, checked), verdict)


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


def plan_of(solution: Solution, read: Checkable, limits: Limits) -> str:
    """The plan as the checker reads it: the cell and path of each move, or the actions of a custom puzzle."""
    moves = solution.plan.moves if solution.plan else ()
    if isinstance(read, ActionPuzzle):
        return _with_walks([str(move) for move in moves], ActingGame(read, solution.metric, limits))
    return plan_text([(move.cell, move.path) for move in moves if isinstance(move, Slide)])


def _with_walks(acts: list[str], game: ActingGame) -> str:
    """A custom plan, an action a line, with every step of the walks that Budge leaves out.

    `push(left)@r2c5` is said where a walker goes to r2c5 first. Steps of walks cost nothing of what counts first.
    """
    single = [table.places[()] for table in game.tables if not table.of and table.domain.kind == CELL and table.places]
    state, lines = game.start, list[str]()
    for text in acts:
        name, _, cell = text.partition("@")
        came: dict[State, tuple[State, str] | None] = {state: None}
        queue = deque([state])
        while queue:
            here = queue.popleft()
            act = game.acts.get(name)
            if act is None or (cell and all(written(here[place]) != cell for place in single)):
                after = None
            else:
                after = game.after(act, here)
            if after is not None:
                walk, step = list[str](), came[here]
                while step is not None:
                    walk.append(step[1])
                    step = came[step[0]]
                lines += [*reversed(walk), name]
                state = after
                break
            for step_name, step_act in game.acts.items():
                there = game.after(step_act, here)
                if there is not None and there not in came and not game.price(step_act, here)[0]:
                    came[there] = here, step_name
                    queue.append(there)
    return "".join(f"{line}\n" for line in lines)


def _keep(folder: Path, certificate: Certificate) -> None:
    try:
        manifest.write(folder, certificate, f"budge {__version__}")
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None


def write_cnf(certificate: Certificate, folder: Path) -> None:
    """The formula and the proof of a refutation as other checkers read them: `formula.cnf` and `proof.lrat`."""
    limits = Limits(None, None)
    read = puzzle_of(certificate.text(PUZZLE))
    formula = formula_of(read, certificate.metric, certificate.lower["at_most"], limits, certificate.lower)
    try:
        (folder / "formula.cnf").write_text("".join(dimacs(formula.variables, list(formula.clauses()), limits)))
        with (folder / "proof.lrat").open("wb") as out:
            out.writelines(line + b"\n" for line in lines_of(certificate.files[PROOF], limits, PROOF))
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
