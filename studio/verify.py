"""The view `Check`: somebody's plan or number is held against proofs; certificates are written and checked."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..models.cost import plain_cost
from ..models.errors import BudgeError
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..proofs.check import VALID
from ..proofs.check import Verdict as CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..views.certificate import size_text
from ..workflows.certificate_folder import in_the_way
from ..workflows.certifying import Certified
from ..workflows.checking_certificates import checking
from ..workflows.streaming import Background
from ..workflows.verdict import Proof, Verdict, Verification
from ..workflows.verification import claim_of
from . import work
from .certificates import folder_of
from .desk import Desk
from .form import LOOK, RunForm
from .tables import show_table

GOOD = (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.VALID)
WRONG = (Verdict.INVALID, Verdict.NOT_OPTIMAL, Verdict.REFUTED)

MOST_PLAN = 200_000
"""Characters of a plan that is pasted."""


class Claims:
    """The claim, the verdict, and the certificates."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with ui.element("div").classes("form"):
            self.plan = (
                ui.textarea("A plan, if there is one", placeholder="A+2 B-1, LURD, JSON, ...")
                .props(f"outlined dense autogrow maxlength={MOST_PLAN}")
                .classes("wide plan")
            )
            self.cost = (
                ui.input("Claimed optimum", placeholder="24; 8,31; unsolvable").props("outlined dense").classes("claim")
            )
            self.form = RunForm(desk, "check", "Check", "verified")
        self.form.go.on_click(self._check)
        with ui.element("div").classes("buttons"):
            ui.button("Write a certificate", icon="workspace_premium", on_click=self._certify).props(
                "flat dense no-caps"
            ).classes("certify")
            ui.button("Check a certificate", icon="fact_check", on_click=self._check_certificate).props(
                "flat dense no-caps"
            ).classes("check-certificate")
        self.answer = ui.element("div").classes("runs").props('role="status"')
        with self.answer:
            _nothing_yet()
        ui.timer(LOOK, self._look)

    def _check(self) -> None:
        plan, cost = (self.plan.value or "").strip() or None, (self.cost.value or "").strip()
        try:
            claim = work.Claim(plan, claim_of(cost) if cost else None)
        except BudgeError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        self._start("claim", (claim,), lambda puzzle, metric: work.checking(puzzle, metric, claim))

    async def _certify(self) -> None:
        puzzle = self.desk.puzzle
        if puzzle is None:
            return
        try:
            folder = folder_of(self.desk.studio.library.folder, puzzle)
            why = in_the_way(folder, puzzle, str(self.form.metric.value))
        except BudgeError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        if why is None or await _asked_to_overwrite(f"{folder.name}: {why}."):
            self._start("certificate", ("certify",), lambda puzzle, metric: work.certifying(puzzle, metric, folder))

    def _check_certificate(self) -> None:
        puzzle = self.desk.puzzle
        if puzzle is None:
            return
        try:
            folder = folder_of(self.desk.studio.library.folder, puzzle)
        except BudgeError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        if not folder.is_dir():
            ui.notify(f"There is no {folder.name} yet: write it first.", type="info")
            return
        self._start("certificate", ("check",), lambda puzzle, metric: checking(folder, puzzle, metric))

    def _start(self, name: str, asked: tuple[object, ...], about: Callable[[Puzzle, str], Work]) -> None:
        puzzle: Puzzle | None = self.desk.puzzle

        def begin(budget: Budget) -> Background:
            assert puzzle is not None
            return work.under(budget, about(puzzle, str(self.form.metric.value)))

        self.form.start(name, asked, begin)
        self._look()

    def _look(self) -> None:
        if not self.form.changed():
            return
        card = self.form.card(self.answer)
        if card is None:
            with self.answer:
                _nothing_yet()
        elif card.run.over:
            card.found.clear()
            with card.found:
                _show(card.run.answer)


async def _asked_to_overwrite(why: str) -> bool:
    with ui.dialog().props('aria-label="Write a certificate"') as dialog, ui.card().classes("dialog"):
        ui.label(why).classes("heading")
        with ui.row():
            ui.button("Overwrite them", on_click=lambda: dialog.submit(True)).props("no-caps unelevated")
            ui.button("Keep them", on_click=lambda: dialog.submit(False)).props("no-caps flat")
    return bool(await dialog)


def _nothing_yet() -> None:
    ui.label(
        "Paste a plan, or say what the optimum is, or neither: then what the file expects is checked. The plan is "
        "played by the rules; engines, each by itself, prove or refute that nothing is cheaper."
    ).classes("empty")


def _show(found: object) -> None:
    match found:
        case Verification():
            _show_verdict(found)
        case Certified():
            ui.label(f"{found.folder.name} is written: {size_text(found.size)}, {found.kind}").classes("good")
            _show_lines(found.verdict)
        case CertificateVerdict():
            _show_lines(found)


def _show_verdict(found: Verification) -> None:
    kind = "good" if found.verdict in GOOD else "bad" if found.verdict in WRONG else ""
    ui.label(found.sentence).classes(f"verdict {kind}")
    if found.replay is not None:
        counted = ", ".join(found.puzzle.unit(name).counted(cost) for name, cost in found.replay.costs.items())
        ui.label(f"The plan, played by the rules: {counted}.")
    if found.proofs:
        lines = [
            (proof.engine, _does(proof), proof.by or (proof.stopped_by or ""), f"{proof.seconds:.2f}")
            for proof in found.proofs
        ]
        show_table(("engine", "the claim", "because", "seconds"), lines, (3,))
    if found.best is not None:
        cost = plain_cost(cost_in(found.best, found.metric))
        which = "A shortest plan" if cost == found.lower_bound else "The best plan known"
        counted = found.puzzle.metric(found.metric).counted(cost_in(found.best, found.metric))
        ui.label(f"{which} ({counted}): {found.puzzle.plan_text(found.best)}").classes("plan-text")


def _does(proof: Proof) -> str:
    return "proves it" if proof.confirms else "refutes it" if proof.refutes else "leaves it open"


def _show_lines(verdict: CertificateVerdict) -> None:
    """What the checker of certificates says."""
    text = "\n".join(verdict.lines)
    ui.label(text).classes(f"lines {'good' if verdict.status == VALID else 'bad'}")
