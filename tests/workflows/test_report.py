"""The HTML report of `budge compare`: one page that needs nothing, readable on phones, with puzzles and plans."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from budge import Status, load
from budge.cli import main
from budge.engines.table import ENGINES
from budge.version import __version__
from budge.views import plots
from budge.views import plots as plot_svg
from budge.views.report import report
from budge.workflows.comparison import Comparison, compare
from budge.workflows.rows import Conditions, Row

from ..helpers.browser import opened
from ..helpers.contrast import contrast
from ..helpers.patience import PATIENCE
from ..helpers.studio_browser import graves

NASTY = '<script>alert("x")</script> & $x^2$ 横刀立马'
VOID = {"meta", "link", "br", "img", "input"}
NAMES = ("bird-2", "microban-001", "rush_hour/unsolvable")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Real rows: three families, three engines."""
    return compare(
        [load(name) for name in NAMES],
        ["bfs", "bird", "auto"],
        conditions=Conditions(time_limit=PATIENCE, jobs=2, command="budge <x>"),
    )


@pytest.fixture
def rows(comparison: Comparison) -> tuple[Row, ...]:
    return comparison.rows


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what a page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: dict[str, int] = {}
        self.links: list[str] = []
        self.labels: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        named = dict(attrs)
        self.links += [str(named[key]) for key in ("src", "href", "xlink:href", "data") if key in named]
        self.ids += [str(named["id"])] if "id" in named else []
        if tag == "svg":
            assert named.get("role") == "img"
            self.labels += [str(named["aria-label"])] if "aria-label" in named else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_page_that_needs_nothing(rows: tuple[Row, ...]) -> None:
    renamed = [
        replace(row, asked=replace(row.asked, puzzle=NASTY)) if row.asked.puzzle == "Microban 1" else row
        for row in rows
    ]
    solver = replace(
        rows[0],
        asked=replace(rows[0].asked, engine="cp-sat"),
        seconds=3.0,
        history=((0.5, (4,), None), (2.0, (10,), (10,))),
    )
    text = report(Comparison((solver, *renamed), ()))
    page = Page(text)
    assert page.tags["svg"] == 3 + 3  # cactus, duel, size, and three puzzles with bounds
    assert all(link.startswith("#") for link in page.links)
    assert len(set(page.ids)) == len(page.ids)
    assert page.tags["script"] == 1
    assert NASTY not in text
    assert "@import" not in text
    assert "url(http" not in text
    assert "currentColor" in text
    assert "light-dark(" in text
    assert any("cp-sat ends with lower bound 10 and a plan of 10 after 3.00 seconds" in label for label in page.labels)
    assert "every proven value agrees" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_for_everyone(chromium: Any, tmp_path: Path, comparison: Comparison, scheme: str) -> None:
    (tmp_path / "report.html").write_text(report(comparison), encoding="utf-8")
    page = opened(chromium, tmp_path / "report.html", color_scheme=scheme).page
    assert graves(page) == []


def test_a_report_of_almost_nothing(rows: tuple[Row, ...]) -> None:
    outcome = replace(rows[0].outcome, status=Status.UNKNOWN, stats={}, lower_bound=None)
    bare = replace(rows[0], outcome=outcome, history=(), plan=None, exact_cost=None)
    Page(report(Comparison((bare,), ())))


def test_html_file(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert main(["compare", "bird-2", "--engines", "bfs", "--html", str(file), "--quiet"]) == 0
    Page(file.read_text())
    assert main(["compare", "bird-2", "--engines", "bfs", "--html", str(tmp_path / "no" / "x.html"), "-q"]) == 2


def test_it_says_under_which_conditions_it_was_measured(comparison: Comparison) -> None:
    text = report(comparison)
    Page(text)
    machine = comparison.rows[0].conditions.environment
    for said in (
        machine.date,
        escape(machine.processor),
        "budge &lt;x&gt;",
        f"{PATIENCE:.0f} s for each run",
        "4,096 MiB for each run",
    ):
        assert said in text
    assert f"Budge {__version__}, Python {machine.python}, " in text
    assert "<dt>Runs at once</dt><dd>2</dd>" in text
    older = replace(comparison.rows[0].conditions, environment=replace(machine, date="2025-01-02T03:04:05+00:00"))
    mixed = replace(comparison, rows=(replace(comparison.rows[0], conditions=older), *comparison.rows[1:]))
    assert "1 row measured on 2025-01-02" in report(mixed)


def test_puzzles_are_drawn_and_plans_are_played(comparison: Comparison) -> None:
    text = report(comparison)
    page = Page(text)
    assert page.tags["budge-game"] == 2  # the third has no plan
    assert text.count('"notation":') == 10 + 15  # moves, and walks
    assert "customElements.define" in text
    listed = report(replace(comparison, puzzles=()))
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="budge-board"' not in listed
    assert "</budge-game>" not in listed
    assert "<code>D+1</code>" in listed


def test_the_cactus_plot_counts_what_is_solved(comparison: Comparison) -> None:
    assert {engine: len(times) for engine, times in plots.solved_times(comparison.rows).items()} == {
        "bfs": 3,
        "auto": 3,
        "bird": 1,
    }
    assert list(plots.solved_times(comparison.rows)) == ["bfs", "auto", "bird"]
    assert all(times == sorted(times) for times in plots.solved_times(comparison.rows).values())
    assert "over the time it may take for each: bfs 3, auto 3, bird 1." in report(comparison)


def test_text_of_plots_is_large_enough_on_a_phone(comparison: Comparison) -> None:
    """A plot is as wide as the page less its margins: 358 pixels on a phone of 390."""
    text = report(comparison)
    sizes = set()
    for plot in re.findall(r'<svg role="img".*?</svg>', text, re.S):
        found = re.search(r'viewBox="0 0 ([0-9.]+)', plot)
        assert found
        sizes |= {float(size) * 358 / float(found[1]) for size in re.findall(r"font-size: ([0-9.]+)px", plot)}
    assert sizes
    assert min(sizes) >= 11


def test_plots_need_no_library() -> None:
    """Installed as users do it, without extras."""
    assert "matplotlib" not in (Path(__file__).parents[2] / "setup.py").read_text()
    code = "import sys; sys.modules['matplotlib'] = None; from budge.cli import main"
    code += "; main(['compare', 'bird-2', '--engines', 'plain', '-q', '--html', sys.argv[1]])"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, check=True)
        assert Page(file.read_text()).tags["polygon"]


@pytest.mark.parametrize(
    ("least", "most", "logarithmic", "ticks"),
    [
        (0.5, 10.5, False, [2, 4, 6, 8, 10]),
        (23.5, 25.5, False, [24, 25]),
        (0.0, 1.5, False, [0, 1]),
        (0.0, 5200.0, False, [0, 1000, 2000, 3000, 4000, 5000]),
        (0.001, 60.0, True, [0.001, 0.01, 0.1, 1, 10]),
        (0.4, 3.0, True, [0.5, 1, 2]),
        (1.0, 3e9, True, [1, 100, 10_000, 1e6, 1e8]),
    ],
)
def test_numbers_on_axes(least: float, most: float, logarithmic: bool, ticks: list[float]) -> None:
    assert plot_svg.Axis("", least, most, logarithmic).ticks() == pytest.approx(ticks)


def test_points_stand_where_their_values_are(comparison: Comparison) -> None:
    """Read back from the picture: the markers of the cactus plot against the times."""
    plot = plots.solved_over_time({"": comparison.rows})
    text = plot_svg.svg(plot, "")
    times = plots.solved_times(comparison.rows)["bfs"]
    found = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)"', text)]
    width, height = plot_svg.WIDTH - plot_svg.LEFT - plot_svg.RIGHT, plot_svg.HEIGHT - plot_svg.TOP - plot_svg.BOTTOM
    low, high = math.log(plot.across.least), math.log(plot.across.most)
    for (x, y), (count, seconds) in zip(found, enumerate(times, 1), strict=False):
        assert math.exp(low + (x - plot_svg.LEFT) / width * (high - low)) == pytest.approx(
            max(plots.LEAST, seconds), rel=0.02
        )
        assert (plot_svg.HEIGHT - plot_svg.BOTTOM - y) / height * plot.up.most == pytest.approx(count, abs=0.02)


def test_every_engine_has_a_marker_of_its_own() -> None:
    markers = [engine.style.marker for engine in ENGINES.values() if engine.role or engine.style.duel]
    assert {marker for marker in markers if marker not in plot_svg.MARKERS} == {"o"}
    assert len(set(markers)) == len(markers)


def test_every_engine_is_seen_on_light_and_on_dark_pages() -> None:
    for engine in ENGINES.values():
        assert all(contrast(engine.style.colour, card) >= 3 for card in ("#ffffff", "#1e2026")), engine.name


def test_the_report_of_two_thousand_runs_is_small(comparison: Comparison) -> None:
    """The first puzzles are shown with everything, of the others the runs."""
    rows = [
        replace(row, key=f"{row.key} {n}", asked=replace(row.asked, digest=f"{n:03} {row.asked.digest}"))
        for n in range(2000 // len(comparison.rows) + 1)
        for row in comparison.rows
    ]
    puzzles = [
        replace(puzzle, header=replace(puzzle.header, name=f"{puzzle.header.name} {n}"))
        for n in range(2000 // len(comparison.rows) + 1)
        for puzzle in comparison.puzzles
    ]
    for number, puzzle in enumerate(puzzles):  # as if they were different ones
        vars(puzzle)["digest"] = f"{number // len(comparison.puzzles):03} {puzzle.digest}"
    text = report(replace(comparison, rows=tuple(rows), puzzles=tuple(puzzles)))
    assert len(text.encode()) < 2_000_000
    assert 1 < Page(text).tags["budge-game"] < len(puzzles)
    assert text.count("So that the page stays small") == 1
