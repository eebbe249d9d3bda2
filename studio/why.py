"""In the view `Explore`: why no plan is shorter, in pictures."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from ..workflows.why.reasons import Reasons
from . import work
from .form import RunForm
from .parts import flat


def why_button(form: RunForm) -> ui.button:
    """The button that asks why the plans of the form's puzzle are not shorter."""

    def ask() -> None:
        puzzle, metric = form.desk.puzzle, str(form.metric.value)
        if puzzle is not None:
            asking = work.explaining(puzzle, metric.partition(",")[0])
            form.start("why", ("why",), partial(work.under, work=asking))

    return flat("Why not shorter?", icon="help_outline", on_click=ask, name="why-go")


def show_reasons(found: Reasons) -> None:
    """The explanation, where the page is now."""
    from ..views.reasons_html import RULES, fragment  # with solvers, which are slow to import

    ui.html(f"<style>{RULES}</style>{''.join(fragment(found))}", sanitize=False).classes("reasons")
