"""The view `Explore`: every reachable state counted by depth and by distance, the hardest start, the dead ends; and
what engines can report of their search (`Engine.watch`), as a chart that grows.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from nicegui import ui

from ..engines.engine import Engine, Watch
from ..engines.table import all_engines
from ..models.text import counted
from ..runtime.events import LayerDone, Trace
from ..workflows.exploration import Answer
from ..workflows.solving import Solution
from ..workflows.streaming import Solving
from . import axes, work
from .axes import Options
from .desk import Desk
from .form import LOOK, RunForm
from .library import address
from .runs import Run


class Explore:
    """The form, the histogram, and what was found."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with ui.element("div").classes("form"):
            self.form = RunForm(desk, "explore", "Explore", "hub")
            self.watched = {engine.name: engine for engine in all_engines().values() if engine.watch}
            self.watches = [(engine, self._watch_button(engine)) for engine in self.watched.values()]
        self.form.go.on_click(self._explore)
        self.plot = ui.echart({"series": []}).classes("chart").props('aria-label="States by depth"')
        self.plot.set_visibility(False)
        self.answer = ui.element("div").classes("runs").props('role="status"')
        self._nothing_yet()
        desk.on_puzzle.append(self._puzzle_changed)
        ui.timer(LOOK, self._look)

    def _watch_button(self, engine: Engine) -> ui.button:
        button = ui.button(f"Watch {engine.name}", icon="grain", on_click=partial(self._watch, engine))
        return button.props("flat dense no-caps").classes("watch-go")

    def _nothing_yet(self) -> None:
        with self.answer:
            ui.label(
                "Every state that can be reached is visited: how many there are at each depth, how far each is from "
                "the goal, which start is the hardest, and from which states there is no way to the goal."
            ).classes("empty")

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        for engine, button in self.watches:
            button.set_visibility(puzzle is not None and puzzle.offers(engine.reads))

    def _explore(self) -> None:
        puzzle, metric = self.desk.puzzle, str(self.form.metric.value)
        if puzzle is not None:
            self.form.start("explore", ("explore",), partial(work.under, work=work.exploring(puzzle, metric)))
            self._look()

    def _watch(self, engine: Engine) -> None:
        puzzle, name, options = self.desk.puzzle, engine.name, dict(engine.watch.options if engine.watch else {})
        if puzzle is not None:
            metric = str(self.form.metric.value)
            self.form.start(name, (name,), lambda budget: Solving(puzzle, name, metric, budget, options))
            self._look()

    def _look(self) -> None:
        if not self.form.changed():
            return
        card = self.form.card(self.answer)
        self.plot.set_visibility(card is not None)
        if card is None:
            self._nothing_yet()
            return
        run = card.run
        self.plot.options.clear()
        self.plot.options.update(self._chart(run))
        self.plot.update()
        if not run.over:
            return
        card.found.clear()
        with card.found:
            if isinstance(run.answer, Answer):
                self._found(run.answer)
            elif isinstance(run.answer, Solution):
                traces = [event for event in run.told if isinstance(event, Trace)]
                kinds = Counter(one.kind for one in traces)
                counts = [counted(number, kind) for kind, number in kinds.items()]
                ui.label("; ".join([*counts, run.answer.bounds]))

    def _chart(self, run: Run) -> Options:
        engine = self.watched.get(run.name)
        if engine is None or engine.watch is None:
            return depths_chart(run, self.desk.dark)
        return traces_chart(run, engine.watch, self.desk.dark)

    def _found(self, answer: Answer) -> None:
        space, unit = answer.space, answer.puzzle.metric(answer.metric).units[0]
        if space is None:
            return
        with ui.element("div").classes("counters"):
            _count("states that can be reached" if not space.stopped_by else "states met so far", space.states)
            _count("of them goals", space.goals)
            if space.dead_ends is not None:
                _count("dead ends: no way to the goal", space.dead_ends)
            if answer.distance is not None:
                _count(f"{unit.many} from this start to the goal", answer.distance)
            if space.distances:
                _count(f"{unit.many} from the hardest start", len(space.distances) - 1)
        if answer.contradicts:
            ui.label(answer.contradicts).classes("bad")
        if space.stopped_by:
            ui.label(f"stopped: {space.stopped_by}").classes("about")
        hardest = answer.hardest_yaml()
        if hardest is not None:
            ui.button("Open the hardest start", icon="landscape", on_click=partial(self._open, hardest)).props(
                "no-caps unelevated"
            ).classes("hardest")

    def _open(self, text: str) -> None:
        ui.navigate.to(address(self.desk.studio.library.new_draft(text)))


def _count(what: str, number: int) -> None:
    ui.label(what)
    ui.label(f"{number:,}").classes("number")


def depths_chart(run: Run, dark: bool) -> Options:
    """States by depth from the start, and by distance from the goal where that is known, in the metric of the run."""
    unit = run.puzzle.metric(run.metric).units[0].many
    space = run.answer.space if isinstance(run.answer, Answer) else None
    layers = list(space.layers) if space else _layers(run)
    bars = [{"name": f"{unit} from the start", "type": "bar", "data": layers, "itemStyle": {"color": "#1f6fd0"}}]
    if space and space.distances:
        distances = list(space.distances)
        bars.append(
            {"name": f"{unit} from the goal", "type": "bar", "data": distances, "itemStyle": {"color": "#c2571a"}}
        )
    longest = max((len(bar["data"]) for bar in bars), default=0)
    across = {"type": "category", "data": list(range(longest)), "name": unit}
    return axes.options(across, {"name": "states"}, bars, dark, "{a}<br>{b}: {c}")


def _layers(run: Run) -> list[int]:
    """The number of states at each depth, of what is told so far."""
    told = [event.states for event in run.told if isinstance(event, LayerDone)]
    return [after - before for before, after in zip([0, *told], told, strict=False)]


def traces_chart(run: Run, watch: Watch, dark: bool) -> Options:
    """What an engine has reported of its search: a circle for each pair of values, as large as the number of reports
    there, which differ in other values.
    """
    seen = [event.fields for event in run.told if isinstance(event, Trace)]
    circles = [
        {
            "value": place,
            "name": f"{counted(number, watch.kind)}: {watch.across} {place[0]}, {watch.up} {place[1]}",
            "symbolSize": round(7 + 5 * number**0.5),
        }
        for place, number in Counter((fields[watch.across], fields[watch.up]) for fields in seen).items()
    ]
    series = [{"type": "scatter", "data": circles, "itemStyle": {"color": "#8a4fbf", "opacity": 0.8}}]
    most = max((fields[watch.most] for fields in seen), default=1)
    across = {"type": "value", "name": watch.across, "min": 0, "max": most, "minInterval": 1}
    return axes.options(across, {"name": watch.up, "min": 0}, series, dark, "{b}")
