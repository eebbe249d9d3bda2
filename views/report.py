"""The HTML report of `budge compare`: one file that needs nothing from elsewhere, for light and dark screens.

All text is escaped. What a plot shows stands in a table too, so that nobody needs to see the plot. The page says
everything without scripts, which sort tables (`web/report.js`) and play plans (`web/game.js`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..models.moves import show_cost
from ..models.puzzle import Puzzle
from ..workflows.comparison import Comparison
from ..workflows.rows import Row, replay_of
from . import plots
from .html import Markup, render
from .player import played
from .plots import svg
from .rows import TIMES, grouped, table_of, verdict
from .sections import as_html
from .shapes import script, style

PICTURED = 500_000
"""Characters of puzzles with everything that is known of them; of the others only the table is shown."""

SMALLER = Markup(
    "<p>So that the page stays small, the puzzles below have no pictures, bounds over time and plans here: the report "
    "of fewer puzzles has them.</p>"
)


def report(comparison: Comparison) -> str:
    """The page."""
    groups = grouped(comparison.rows)
    puzzles = {puzzle.digest: puzzle for puzzle in comparison.puzzles}
    sections, room = list[Markup](), PICTURED
    for number, (title, rows) in enumerate(groups.items(), 1):
        section = _puzzle(number, title, rows, puzzles.get(rows[0].asked.digest), whole=room > 0)
        sections.append(section)
        if room > 0 >= (room := room - len(section)) and number < len(groups):
            sections.append(SMALLER)
    solved, duels = plots.solved_times(comparison.rows), list(_duels(groups))
    page = render(
        "report",
        title="Budge: engines compared",
        style=Markup(style("report")),
        code=Markup(script("report", "zoom", "plan")),
        verdict=as_html(verdict(comparison)),
        comparison=comparison,
        ends=", ".join(f"{engine} {len(times)}" for engine, times in solved.items()),
        cactus=plots.solved_over_time({"": comparison.rows}) if solved else None,
        duels=duels,
        duel_plot=plots.search_against_solver(groups) if duels else None,
        solver=plots.solver(),
        sizes=plots.time_against_size(groups) if any(map(plots.size_of, groups.values())) else None,
        svg=lambda plot, label: Markup(svg(plot, label)),
        blind=plots.blind(),
        times=TIMES,
        sections=sections,
    )
    return str(page)


def _duels(groups: dict[str, list[Row]]) -> Iterator[list[str]]:
    """For each puzzle with both: the quickest search, the solver, and who was sooner."""
    for number, (title, rows) in enumerate(groups.items(), 1):
        search, solver, size = plots.fastest_search(rows), plots.solver_of(rows), plots.size_of(rows)
        if search and solver:
            times = [f"{search.engine} {_seconds(search)}", _seconds(solver), _winner(search, solver)]
            yield [str(number), title, f"{size:,}" if size else "", *times]


def _seconds(row: Row) -> str:
    return f"{row.seconds:.2f} s" if row.proven else f"no proof in {row.seconds:.1f} s"


def _winner(search: Row, solver: Row) -> str:
    if not search.proven and not solver.proven:
        return "neither"
    if search.proven and solver.proven:
        quick, slow = sorted((search, solver), key=lambda row: row.seconds)
        return f"{quick.engine}, {slow.seconds / max(plots.LEAST, quick.seconds):,.1f} times"
    return search.engine if search.proven else solver.engine


def _puzzle(number: int, title: str, rows: Sequence[Row], puzzle: Puzzle | None, *, whole: bool) -> Markup:
    """A puzzle with the table of its runs; as a `whole` with its picture, the bounds over time and the best plan. If
    that can be read back and is short enough, a board plays it.
    """
    runs = as_html([table_of({f"Engines on {title}" if whole else "": rows})])
    if not whole:
        return render("report_puzzle", number=number, title=title, runs=runs, whole=False)
    best = min((row for row in rows if row.plan and row.exact_cost), key=lambda row: row.exact_cost or (), default=None)
    replay = replay_of(best.plan, puzzle) if best and best.plan and puzzle else None
    return render(
        "report_puzzle",
        number=number,
        title=title,
        runs=runs,
        whole=True,
        puzzle=puzzle,
        rows=rows,
        history=_history(rows),
        bounds=[
            [row.engine, f"{seconds:.3f}", show_cost(low) if low else "", show_cost(high) if high else ""]
            for row in rows
            for seconds, low, high in row.history
        ],
        best=best,
        plan=played(puzzle, replay) if puzzle and replay else None,
    )


def _history(rows: Sequence[Row]) -> Markup | None:
    """The bounds over time as a plot."""
    tracked = [row for row in rows if row.history]
    if not tracked:
        return None
    ends = "; ".join(f"{row.engine} ends with {_bounds(row)} after {row.seconds:.2f} seconds" for row in tracked)
    plot = plots.bounds_over_time(map(plots.track_of_row, tracked), rows[0].asked.metric.split(",")[0])
    return Markup(svg(plot, f"Bounds over time: {ends}."))


def _bounds(row: Row) -> str:
    least, most = row.outcome.lower_bound, row.outcome.upper_bound
    low = "no lower bound" if least is None else f"lower bound {show_cost(least)}"
    high = "no plan" if most is None else f"a plan of {show_cost(most)}"
    return f"{low} and {high}"
