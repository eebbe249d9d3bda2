"""The view `Check`: somebody's plan or number is held against proofs; certificates are written and checked.

The checkers are slow to import: they are when a button is pressed.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from nicegui import ui

from ..models.documents.files import FileError, inside
from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..proofs.verdict import CODES, CertificateVerdict
from ..views.text import size_text
from ..views.verify_text import WRONG, of_verification
from ..workflows.verdict import Verdict, Verification
from . import runs
from .desk import Desk
from .editor import file_name
from .form import RunCard, RunForm
from .widgets import asked, copy_button, errors_shown, field, flat, show_sections

GOOD = (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.VALID)

NOTHING_YET = (
    "Paste a plan, or say what the optimum is, or neither: then what the file expects is checked. The plan is played "
    "by the rules; engines, each by itself, prove or refute that nothing is cheaper."
)

MOST_PLAN = 200_000
"""Characters of a plan that is pasted."""


class CheckView:
    """The claim, the verdict, and the certificates."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with ui.element("div").classes("form"):
            self.plan = (
                ui.textarea("A plan, if there is one", placeholder="A+2 B-1, LURD, JSON, ...")
                .props(f"outlined dense autogrow maxlength={MOST_PLAN}")
                .classes("wide plan")
            )
            self.cost = field("Claimed optimum", placeholder="24; 8,31; unsolvable", name="claim")
            self.form = RunForm(desk, "check", "Check", "verified")
        self.form.go.on_click(self._check)
        with ui.element("div").classes("buttons"):
            flat("Write a certificate", icon="workspace_premium", on_click=self._certify, name="certify")
            flat("Check a certificate", icon="fact_check", on_click=self._check_certificate, name="check-certificate")
        self.form.show_in(ui.element("div").classes("runs").props('role="status"'), NOTHING_YET, _show_answer)

    def _check(self) -> None:
        from ..workflows.verification import claim_of

        plan, cost = (self.plan.value or "").strip() or None, (self.cost.value or "").strip()
        with errors_shown():
            claim = plan, claim_of(cost) if cost else None
            self.form.start_work("claim", claim, lambda puzzle, metric: runs.checking(puzzle, metric, *claim))

    async def _certify(self) -> None:
        from ..workflows.certifying import in_the_way

        puzzle = self.desk.puzzle
        if puzzle is None:
            return
        with errors_shown():
            folder = folder_of(self.desk.studio.library.folder, puzzle)
            why = in_the_way(folder, puzzle, str(self.form.metric.value))
            if why is None or await asked(
                "Write a certificate", f"{folder.name}: {why}.", "Overwrite them", "Keep them"
            ):
                work = partial(runs.solve_and_certify, folder)
                self.form.start_work("certificate", ("certify",), lambda *asked: partial(work, *asked))

    def _check_certificate(self) -> None:
        from ..workflows.certifying import checking

        puzzle = self.desk.puzzle
        if puzzle is None:
            return
        with errors_shown():
            folder = folder_of(self.desk.studio.library.folder, puzzle)
            if folder.is_dir():
                self.form.start_work("certificate", ("check",), lambda puzzle, metric: checking(folder, puzzle, metric))
            else:
                ui.notify(f"There is no {folder.name} yet: write it first.", type="info")


def _show_answer(card: RunCard | None) -> None:
    if card is not None and card.run.over:
        card.found.clear()
        with card.found:
            _show(card.run.answer)


def _show(answer: object) -> None:
    from ..workflows.certifying import Certified

    match answer:
        case Verification():
            _show_verdict(answer)
        case Certified():
            ui.label(f"{answer.folder.name} is written: {size_text(answer.size)}, {answer.kind}").classes("good")
            _show_lines(answer.verdict)
        case CertificateVerdict():
            _show_lines(answer)


def _show_verdict(verification: Verification) -> None:
    kind = "good" if verification.verdict in GOOD else "bad" if verification.verdict in WRONG else ""
    ui.label(verification.sentence).classes(f"verdict {kind}")
    show_sections(verification.puzzle, of_verification(verification))
    if (best := verification.best) is not None:
        copy_button(lambda: verification.puzzle.plan_text(best))


def _show_lines(verdict: CertificateVerdict) -> None:
    """The verdict of the checker of certificates."""
    text = "\n".join(verdict.lines)
    ui.label(text).classes(f"lines {('good', 'bad', '', '')[CODES[verdict.status]]}")


# The folder of the certificate of a puzzle, below the folder that was opened.

ENDING = ".certificate"
"""The ending of the names of folders with certificates."""


def folder_of(root: Path, puzzle: Puzzle) -> Path:
    """The folder for the certificate of a puzzle, whose name has a digest of the puzzle if its title is not ASCII.

    Raises `UsageError` where a link leads out of `root`.
    """
    title = puzzle.header.name
    stem = Path(file_name(title)).stem
    if not title.isascii() or stem == "puzzle":
        stem += f"-{puzzle.digest[:8]}"
    try:
        return inside(root, stem + ENDING)
    except FileError:
        raise UsageError(f"{stem}{ENDING} is a link that leads out of the folder {root}; remove it first") from None
