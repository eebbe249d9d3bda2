"""The HTML report of `budge compare`: one file that needs nothing from elsewhere, for light and dark screens.

All text is escaped. What a plot shows stands in a table too, so that nobody needs to see the plot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..models.cost import show_cost
from ..version import __version__
from ..workflows.comparison import Comparison, Row
from . import plots
from .compare_text import HEAD, NUMBERS, TIMES, cells, grouped
from .html import table

check_plots = plots.check

STYLE = """
:root { color-scheme: light dark; --ground: #fdfdfc; --ink: #1c1c1a; --line: #d5d5d0; --soft: #f1f1ee; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16171a; --ink: #e6e6e3; --line: #3a3c42; --soft: #212328; --bad: #ff8a80; }
}
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 76rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5rem 0 1rem; }
caption { text-align: left; padding-bottom: 0.3rem; }
th, td { border-bottom: 1px solid var(--line); padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
.number { text-align: right; }
figure { margin: 1rem 0; }
.plot { max-width: 100%; height: auto; }
.bad { border: 2px solid var(--bad); color: var(--bad); font-weight: bold; padding: 0.5rem 1rem; }
"""


def report(comparison: Comparison) -> str:
    """The page. Raises `UsageError` if matplotlib is missing."""
    plots.check()
    groups = grouped(comparison.rows)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Budge: engines compared</title><style>{STYLE}</style></head><body>",
        "<h1>Engines compared</h1>",
        f"<p>{len(groups)} puzzles, {len(comparison.rows)} runs, by budge {escape(__version__)}.</p>",
        *_agreement(comparison),
        f"<h2>Search against {escape(plots.solver().title)}</h2>",
        *_duel(groups),
        "<h2>Time against size</h2>",
        *_sizes(groups),
        "<h2>Puzzles</h2>",
        f"<p>{escape(TIMES)}</p>",
    ]
    for number, (title, rows) in enumerate(groups.items(), 1):
        parts += _puzzle(number, title, rows)
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _agreement(comparison: Comparison) -> Iterable[str]:
    for row in comparison.errors:
        yield f'<p class="bad">Error: {escape(f"{row.asked.puzzle}: {row.engine}: {row.error}")}</p>'
    for sentence in comparison.disagreements:
        yield f'<p class="bad">Disagreement: {escape(sentence)}</p>'
    if not comparison.disagreements:
        proven = sum(row.proven for row in comparison.rows)
        yield f"<p>{proven} runs proved their answer; every proven value agrees.</p>"
    if comparison.interrupted:
        yield "<p>The comparison was interrupted; this is what was there.</p>"


def _duel(groups: dict[str, list[Row]]) -> Iterable[str]:
    lines, title_of_solver = [], plots.solver().title
    for number, (title, rows) in enumerate(groups.items(), 1):
        search, solver = plots.fastest_search(rows), plots.solver_of(rows)
        if search and solver:
            size = plots.size_of(rows)
            lines.append(
                [
                    str(number),
                    title,
                    f"{size:,}" if size else "",
                    f"{search.engine} {_seconds(search)}",
                    _seconds(solver),
                    _winner(search, solver),
                ]
            )
    if not lines:
        yield f"<p>No puzzle was given to both a search and {escape(title_of_solver)}.</p>"
        return
    label = f"Time of {title_of_solver} over time of the quickest search; the table below has the same numbers."
    plot = plots.svg(plots.search_against_solver(groups), label, "duel", (7.0, 4.6))
    yield _figure(
        plot,
        "Each point is a puzzle. Above the dotted line search proved the answer sooner, below it "
        f"{title_of_solver} did. Hollow points: one of the two had no proof when its limit was reached.",
    )
    yield table(
        ["no.", "puzzle", "states", "quickest search", plots.solver().name, "sooner"],
        lines,
        "Who proved the answer sooner",
        (0, 2),
    )


def _seconds(row: Row) -> str:
    return f"{row.seconds:.2f} s" if row.proven else f"no proof in {row.seconds:.1f} s"


def _winner(search: Row, solver: Row) -> str:
    if not search.proven and not solver.proven:
        return "neither"
    if search.proven and solver.proven:
        quick, slow = sorted((search, solver), key=lambda row: row.seconds)
        return f"{quick.engine}, {slow.seconds / max(plots.LEAST, quick.seconds):,.1f} times"
    return search.engine if search.proven else solver.engine


def _sizes(groups: dict[str, list[Row]]) -> Iterable[str]:
    if not any(plots.size_of(rows) for rows in groups.values()):
        yield "<p>No engine counted states.</p>"
        return
    label = "Time of each engine over the number of states of the puzzle; the tables below have the same numbers."
    yield _figure(
        plots.svg(plots.time_against_size(groups), label, "size", (8.0, 4.6)),
        "Both axes are logarithmic. Hollow points: the run ended at a limit.",
    )


def _puzzle(number: int, title: str, rows: Sequence[Row]) -> Iterable[str]:
    yield f"<section><h3>{number}. {escape(title)}</h3><p>{escape(rows[0].asked.family)}</p>"
    yield table(HEAD, [cells(row) for row in rows], f"Engines on {title}", NUMBERS)
    told = [row for row in rows if row.history]
    if told:
        ends = "; ".join(f"{row.engine} ends with {_bounds(row)} after {row.seconds:.2f} seconds" for row in told)
        yield _figure(
            plots.svg(plots.bounds_over_time(told), f"Bounds over time: {ends}.", f"bounds-{number}"),
            "Lower bounds (solid) and plans (dashed) over time. Where the two meet, the answer is proven.",
        )
        lines = [
            [row.engine, f"{seconds:.3f}", show_cost(low) if low else "", show_cost(high) if high else ""]
            for row in told
            for seconds, low, high in row.history
        ]
        yield "<details><summary>The bounds as numbers</summary>"
        yield table(["engine", "seconds", "at least", "plan"], lines, f"Bounds on {title} over time", (1, 2, 3))
        yield "</details>"
    proofs = [f"<li>{escape(row.engine)}: {escape(by)}</li>" for row in rows if (by := row.outcome.lower_bound_by)]
    if proofs:
        yield f"<details><summary>What proved the lower bounds</summary><ul>{''.join(proofs)}</ul></details>"
    plan = next((row for row in rows if row.plan and row.proven), None)
    if plan and plan.plan:
        yield f"<details><summary>A shortest plan, by {escape(plan.engine)}</summary>"
        yield f"<p>{escape(' '.join(plan.plan))}</p></details>"
    yield "</section>"


def _bounds(row: Row) -> str:
    least, most = row.outcome.lower_bound, row.outcome.upper_bound
    low = "no lower bound" if least is None else f"lower bound {show_cost(least)}"
    high = "no plan" if most is None else f"a plan of {show_cost(most)}"
    return f"{low} and {high}"


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{escape(caption)}</figcaption></figure>"
