"""Writing certificates: the plan, evidence for the lower bound (`evidence_finder`), and a check of what was written.

The evidence need not come from the engine that found the answer. What the checker can exhaust needs nothing but a few
numbers. Else the checker makes the clauses that say "a plan of less", an engine refutes them with a proof, and the
proof is stored. Nothing that engines know enters a certificate, and nothing is written that `proofs.check` refuses.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..engines.table import DEFAULT_ENGINE
from ..models.display import Written
from ..models.documents.files import FileError, read_regular, writing
from ..models.documents.write import to_yaml
from ..models.errors import DisagreementError, UsageError
from ..models.families import load_text
from ..models.moves import Cost
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..models.text import counted, suggest
from ..proofs.check import check_folder, dimacs_of
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.claim import PROOF, PUZZLE, REFUTATION
from ..proofs.core.limits import Limits, Rejected, Stopped, Unsupported
from ..proofs.core.lrat import lines_of
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.core.problem import LARGEST as LARGEST_COST
from ..proofs.folder import LARGEST, PACKED, foreign_file, problem_in, replace_files, write_files
from ..proofs.games import puzzle_about
from ..proofs.verdict import INVALID, CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.events import Progress, Stage, silent
from ..runtime.outcome import BoundsSoFar, Status, StoppedError
from .evidence_finder.choose_evidence import AUTO, KINDS, CheaperPlanError, limits_of
from .jobs import Job, RunLimits, run_all
from .problem_certificate import Statement, problem_files
from .solving import Solution

REMEDY = "try `--evidence` with rules, exhaustion or refutation, a longer `--time-limit` or a larger `--memory-limit`"
"""What to do where no certificate was found."""


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
            "status": self.verdict.status,
            "shown": self.verdict.shown,
            "open": self.verdict.open or None,
            "seconds": {"write": round(writing, 3), "check": round(checking, 3)},
        }


class NotCertified(UsageError):
    """Raised if no certificate can be written, with the reason. `stopped`: the reason is a limit; `cheaper`: it is a
    plan that costs less than the lower bound that was to be certified.
    """

    def __init__(self, reason: str, *, stopped: bool = False, cheaper: Solution | None = None) -> None:
        super().__init__(reason)
        self.stopped, self.cheaper = stopped, cheaper


def certify(
    of: Solution | Statement,
    folder: Path,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    evidence: str = AUTO,
    cnf: bool = False,
    scratch: str | None = None,
) -> Certified:
    """Write the certificate of a proven solution, or of a statement about a puzzle, to a folder, and check it. `cnf`:
    also `formula.cnf` and `proof.lrat` for other checkers, where the evidence is a refutation. `scratch`: a folder for
    what is checked, by default that of the system.

    `evidence`: `auto`, or a kind of `evidence.KINDS`. Raises `UsageError` for another one, `NotCertified`,
    `CheaperPlanError` if the checker finds a plan that costs less, and `DisagreementError` if it refuses what was
    written.
    """
    check_evidence(evidence)
    budget = budget or Budget()
    began = budget.elapsed
    statement = proven(of) if isinstance(of, Solution) else of
    puzzle = statement.puzzle
    try:
        files, kind = problem_files(statement, canonical(puzzle), budget, evidence, progress)
    except Unsupported as problem:
        reason = f"no certificate for {puzzle.header.name}: {problem}; {REMEDY}"
        raise NotCertified(reason, stopped=isinstance(problem, Stopped)) from None
    except Rejected as problem:
        raise DisagreementError(f"the checker of certificates refuses {puzzle.header.name}: {problem}") from None
    progress(Stage(seconds=budget.elapsed, text="checking the certificate"))
    # Checked as a stranger would, from files in a folder of their own, before anything is kept.
    with tempfile.TemporaryDirectory(prefix="budge-", dir=scratch) as trial:
        write_files(Path(trial), files)
        wrote = budget.elapsed
        verdict = check_folder(Path(trial), limits_of(budget))
        if verdict.status == INVALID:
            raise DisagreementError(f"the certificate of {puzzle.header.name} is not accepted: {verdict.problem}")
        if not verdict.shown:
            reason = f"no certificate for {puzzle.header.name}: its check was {verdict.problem}"
            raise NotCertified(reason, stopped=True)
    checked = budget.elapsed - wrote
    place = folder if folder.exists() else folder.absolute().parent
    with writing(folder):
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place, prefix=".budge-") as part:  # on the same disk: moved, not copied
            new = Path(part) / "new"
            write_files(new, files)
            if cnf and kind == REFUTATION:
                _write_for_others(new)
            if folder.exists():
                replace_files(folder, new)
            else:
                new.rename(folder)
    return Certified(folder, kind, sum(map(len, files.values())), (wrote - began, checked), verdict)


def canonical(puzzle: Puzzle) -> str:
    """The text of a puzzle in the one form that certificates have. Raises `DisagreementError` if it were another."""
    keys = puzzle.keys()
    if puzzle.family == "custom" and puzzle.value.grid:
        keys = {**keys, "grid": puzzle.value.grid}
    text = to_yaml(puzzle.family, puzzle.header, keys, puzzle.metrics[0])
    if load_text(text, PUZZLE).value != puzzle.value:
        raise DisagreementError(f"{puzzle.header.name} is another puzzle where it is written for a certificate")
    return text


def check_evidence(kind: str) -> None:
    """Raises `UsageError` for a kind of evidence that cannot be asked for."""
    if kind not in KINDS:
        raise UsageError(f"no evidence is called `{kind}`; {suggest(kind, KINDS)}")


def proven(solution: Solution) -> Statement:
    """What a solution proves: the optimum with its plan, or that there is none. Raises `NotCertified`."""
    puzzle, metric = solution.puzzle, solution.metric
    if solution.status is Status.UNSOLVABLE:
        return Statement(puzzle, metric, None)
    if solution.status is not Status.OPTIMAL or solution.replay is None:
        offered = offer(solution)
        raise NotCertified(f"no certificate for {puzzle.header.name}: its optimum is not proven{offered}")
    return Statement(puzzle, metric, cost_in(solution.replay, metric), solution.plan)


def offer(solution: Solution) -> str:
    """What can be certified of a puzzle whose optimum is not proven, as the end of a sentence; empty if nothing can."""
    low = solution.outcome.lower_bound
    if solution.status.proven or low is None or not any(low):
        return ""
    shown = solution.puzzle.metric(solution.metric).counted(low)
    return f"; `--at-least {','.join(map(str, low))}` certifies that no plan costs less than {shown}"


def _write_for_others(folder: Path) -> None:
    """The formula and the proof of a refutation as other checkers read them: `formula.cnf` and `proof.lrat`. Raises
    `OSError`.
    """
    limits = Limits(None, None)
    (folder / "formula.cnf").write_text("".join(dimacs_of(folder, limits)))
    with (folder / "proof.lrat").open("wb") as out:
        out.writelines(line + b"\n" for line in lines_of((folder / PROOF).read_bytes(), limits, PROOF))


# The folder that a certificate is to be written to: whether it can be, and what stands there already.

SECONDS = 2.0
"""Time limit for reading the certificate in a folder and comparing its puzzle with the one to be certified."""


def check_folder_is_ours(folder: Path, puzzle: Puzzle, metric: str) -> None:
    """Say before the work, and not after, that a certificate cannot be written to a folder: it holds something else,
    maybe the certificate of another puzzle, or the system does not allow it. Raises `UsageError`."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"cannot write to {folder}: it is no folder")
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    with writing(folder), tempfile.TemporaryDirectory(dir=there, prefix=".budge-"):
        pass
    why = in_the_way(folder, puzzle, metric)
    if why is not None:
        raise UsageError(f"cannot write to {folder}: {why}; move it away, or name another folder")


def in_the_way(folder: Path, puzzle: Puzzle, metric: str) -> str | None:
    """Why a folder must not be overwritten by the certificate of a puzzle; None if it is absent, empty, or a
    certificate of the same puzzle in the same metric. Raises `UsageError` where none can be written."""
    if not folder.exists():
        return None
    try:
        odd = foreign_file(folder, LARGEST)
        if odd is not None:
            raise UsageError(f"cannot write to {folder}: it holds `{odd}`, which is no file of a certificate")
        if not any(folder.iterdir()):
            return None
        text = read_regular(folder / PUZZLE, LARGEST[PUZZLE]).decode()
        limits = Limits(SECONDS)
        if _metric_in(folder, limits) == metric:
            puzzle_about(text, canonical(puzzle), limits)
            return None
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    except (FileError, ValueError, LookupError, TypeError, RecursionError, Rejected):
        pass  # what cannot be read is no certificate of this puzzle
    return f"it has files that are no certificate of {puzzle.header.name}, as that is now, in {metric}"


def _metric_in(folder: Path, limits: Limits) -> str:
    """What the certificate in a folder counts: line 2 of its problem, or line 4 of its claim where it has none. Raises
    `OSError`, `FileError`, `ValueError`, `LookupError`, `Rejected`.
    """
    if (folder / PROBLEM).exists() or (folder / PACKED).exists():
        text, line = problem_in(folder, limits), 1
    else:
        text, line = read_regular(folder / CLAIM, LARGEST[CLAIM]).decode(), 3
    return ",".join(text.split("\n", line + 1)[line].split(" ")[1:])


# Checking certificates: by the checker of `proofs/`, in a process that can be ended.
#
# The checker looks at its clock, and holds its tables against its limit of memory. A process ends it whatever it
# does.


def checking(folder: Path, puzzle: Puzzle | None = None, metric: str | None = None) -> Work:
    """Check a certificate; gives a `CertificateVerdict`. `puzzle`, `metric`: what it has to be about."""
    return partial(_check, folder, puzzle, metric)


def _check(
    folder: Path, puzzle: Puzzle | None, metric: str | None, budget: Budget, _progress: Progress
) -> CertificateVerdict:
    limits = Limits(budget.seconds_left, budget.memory_mib, budget.stopped)
    verdict = check_folder(folder, limits, puzzle=None if puzzle is None else canonical(puzzle))
    if verdict.shown and metric is not None and metric != verdict.metric:
        return CertificateVerdict(INVALID, problem=f"the certificate counts {verdict.metric}, not {metric}")
    return verdict


# Certificates of lower bounds alone: no plan costs less than N, whatever the optimum is.
#
# An engine looks first, for a part of the time: it may find a plan that costs less, and what it proves is what can be
# said where no evidence is found in time. The evidence owes nothing to it.

LOOK = 0.25
"""The share of the time for which an engine looks before evidence is sought."""


def certify_bound(
    statement: Statement,
    folder: Path,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    known: Solution | None = None,
    evidence: str = AUTO,
    cnf: bool = False,
    scratch: str | None = None,
) -> Certified:
    """Write the certificate of a lower bound to a folder, and check it. `known`: what is known of the puzzle; without
    it an engine looks first. The other arguments are those of `certify`.

    Raises `NotCertified`: with `cheaper` if there is a plan that costs less, with `stopped` at a limit; and
    `UsageError` for a bound that the metric cannot have.
    """
    check_evidence(evidence)
    least = check_bound(statement)
    budget = budget or Budget()
    if known is None:
        known = _look(statement, least, budget, progress, LOOK)
    _refuse_cheaper(known, least)
    proven = known.outcome.lower_bound
    try:
        return certify(statement, folder, budget, progress, evidence=evidence, cnf=cnf, scratch=scratch)
    except NotCertified as refusal:
        if not refusal.stopped or proven is None or proven >= least:
            raise
        raise NotCertified(f"{refusal}{offer(known)}", stopped=True) from None
    except CheaperPlanError as found:
        if proven is not None and proven >= least:
            raise  # an engine has proven that there is none
        _refuse_cheaper(_look(statement, least, budget, progress), least)
        reason = f"no certificate for {statement.puzzle.header.name}: {found}; no engine found one in time"
        raise NotCertified(reason, stopped=True) from None


def check_bound(statement: Statement) -> Cost:
    """The lower bound that a statement says. Raises `UsageError` for one that its metric cannot have, or that
    certificates cannot say.
    """
    least, parts = statement.cost or (), statement.metric.count(",") + 1
    if len(least) != parts:
        raise UsageError(f"the metric {statement.metric} needs a lower bound of {counted(parts, 'number')}")
    if not all(0 <= part < LARGEST_COST for part in least):
        raise UsageError(f"a lower bound is a number from 0 on that is below {LARGEST_COST:,}")
    return least


def _look(statement: Statement, least: Cost, budget: Budget, progress: Progress, share: float = 1.0) -> Solution:
    """What the default engine finds of a puzzle in a share of the time, until it proves the bound or finds a plan that
    costs less.
    """
    puzzle, metric = statement.puzzle, statement.metric
    part = budget if budget.seconds is None else budget.part(share * budget.remaining)

    def enough(_job: Job, bounds: BoundsSoFar) -> bool:
        low, high = bounds.lower_bound, bounds.upper_bound
        return (low is not None and low >= least) or (high is not None and high < least)

    job = Job(puzzle, DEFAULT_ENGINE, metric)
    limits = RunLimits(None, budget.memory_mib, whole=part, enough=enough)
    for _, run in run_all([job], limits, interrupted=budget.interrupted, on_event=lambda _job, event: progress(event)):
        if run.error is not None:
            raise run.error
        return Solution(puzzle, DEFAULT_ENGINE, metric, run.outcome, run.replay)
    raise StoppedError("interrupted")


def _refuse_cheaper(solution: Solution, least: Cost) -> None:
    """Raises `NotCertified` if a plan is known that costs less."""
    high = solution.outcome.upper_bound
    if solution.replay is None or high is None or high >= least:
        return
    unit = solution.puzzle.metric(solution.metric)
    name, less, wanted = solution.puzzle.header.name, unit.counted(high), unit.counted(least)
    reason = f"no certificate for {name}: a plan of {less} exists, which is less than {wanted}"
    raise NotCertified(reason, cheaper=solution)
