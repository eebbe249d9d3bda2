"""The view `Explore`: every reachable state counted by depth and by distance, the hardest start, the dead ends."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from ..models.text import counted
from ..runtime.events import LayerDone
from ..views.explore import of_answer
from ..views.plots import Plot, Point, Series, axis
from ..views.shapes import web
from ..workflows.exploration import Answer
from ..workflows.why.reasons import Reasons
from .desk import Desk
from .form import COLOURS, PlotBox, RunCard, RunForm
from .library import address
from .runs import StudioRun, explaining, exploring
from .widgets import flat, show_sections, strong

NOTHING_YET = (
    "Every state that can be reached is visited: how many there are at each depth, how far each is from the goal, "
    "which start is the hardest, and from which states there is no way to the goal."
)


class ExploreView:
    """The form, the histogram, and what was found."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with ui.element("div").classes("form"):
            self.form = RunForm(desk, "explore", "Explore", "hub")
            why = partial(self.form.start_work, "why", ("why",), explaining)
            flat("Why not shorter?", icon="help_outline", on_click=why, name="why-go")
        self.form.go.on_click(partial(self.form.start_work, "explore", ("explore",), exploring))
        with ui.element("div").classes("split"):
            runs = ui.element("div").classes("runs").props('role="status"')
            self.plot = PlotBox("States by depth")
        self.form.show_in(runs, NOTHING_YET, self._show)

    def _show(self, card: RunCard | None) -> None:
        self.plot.draw(depths_plot(card.run) if card and card.run.name != "why" else None)
        if card is None or not card.run.over:
            return
        card.found.clear()
        with card.found:
            if isinstance(card.run.answer, Answer):
                self._answered(card.run.answer)
            elif isinstance(card.run.answer, Reasons):
                show_reasons(card.run.answer)

    def _answered(self, answer: Answer) -> None:
        show_sections(answer.puzzle, of_answer(answer))
        if (hardest := answer.hardest_yaml()) is not None:
            show = partial(self._open, hardest)
            strong("Open the hardest start", icon="landscape", on_click=show, name="hardest")

    def _open(self, text: str) -> None:
        ui.navigate.to(address(self.desk.studio.library.new_draft(text)))


def depths_plot(run: StudioRun) -> Plot:
    """States by depth from the start, and by distance from the goal where that is known, in the metric of the run."""
    unit = run.puzzle.metric(run.metric).units[0].many
    space = run.answer.space if isinstance(run.answer, Answer) else None
    counts = {f"{unit} from the start": list(space.layers) if space else _layers(run)}
    if space and space.distances:
        counts[f"{unit} from the goal"] = list(space.distances)
    series = []
    for (name, states), colour, shift in zip(counts.items(), COLOURS, (0.0, 0.4), strict=False):
        bars = [Point(n + shift, count, tip=f"{name} {n}: {counted(count, 'state')}") for n, count in enumerate(states)]
        series.append(Series(name, colour, "s", bars, "bars"))
    points = [point for histogram in series for point in histogram.points]
    across = axis(unit, (0, *(point.x for point in points)))
    return Plot(across, axis("states", (point.y for point in points), zero=True), series)


def _layers(run: StudioRun) -> list[int]:
    """The number of states at each depth that has been reported so far."""
    totals = [event.states for event in run.events if isinstance(event, LayerDone)]
    return [after - before for before, after in zip([0, *totals], totals, strict=False)]


def show_reasons(reasons: Reasons) -> None:
    """Show why no plan is shorter, in pictures, where the page is now."""
    from ..views.reasons_html import fragment  # with solvers, which are slow to import

    ui.html(f"<style>{web('why.css')}</style>{''.join(fragment(reasons))}", sanitize=False).classes("reasons")
