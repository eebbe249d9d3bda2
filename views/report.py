"""The HTML report of `budge compare`: one file that needs nothing from elsewhere, for light and dark screens.

All text is escaped. What a plot shows stands in a table too, so that nobody needs to see the plot. The page says
everything without scripts, which sort tables (`web/report.js`) and play plans (`web/game.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..models.moves import show_cost
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..workflows.comparison import Comparison
from ..workflows.rows import Conditions, Row, replay_of
from . import plots
from .compare_text import HEAD, NUMBERS, TIMES, agreement, cells, grouped
from .html import document, escape, table
from .player import played
from .plots import svg
from .shapes import script, style
from .svg import board_svg


def figure(picture: str, caption: str) -> str:
    """A picture and what it shows."""
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def facts(named: Iterable[tuple[str, str]]) -> str:
    """Names with their values; empty ones are left out."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in named if text)
    return f'<dl class="facts">{rows}</dl>'


BOARD_WIDTH = 260
"""Pixels of a picture of a puzzle."""

PICTURED = 500_000
"""Characters of puzzles with everything that is known of them; of the others only the table is shown."""

SMALLER = (
    "So that the page stays small, the puzzles below have no pictures, bounds over time and plans here: the report of "
    "fewer puzzles has them."
)


def report(comparison: Comparison) -> str:
    """The page."""
    groups = grouped(comparison.rows)
    puzzles = {puzzle.digest: puzzle for puzzle in comparison.puzzles}
    about = f"{counted(len(groups), 'puzzle')}, {counted(len(comparison.rows), 'run')}"
    parts = [
        "<h1>Engines compared</h1>",
        *_agreement(comparison, about),
        *_measured_under(comparison),
        "<h2>All puzzles</h2>",
        '<div class="plots">',
        *_cactus(comparison.rows),
        *_duel_plot(groups),
        *_sizes(groups),
        "</div>",
        *_duel(groups),
        "<h2>Puzzle by puzzle</h2>",
        f"<p>{escape(TIMES)}</p>",
    ]
    room = PICTURED
    for number, (title, rows) in enumerate(groups.items(), 1):
        if room > 0:
            shown = list(_puzzle(number, title, rows, puzzles.get(rows[0].asked.digest)))
            room -= sum(map(len, shown))
            parts += shown
            if room <= 0 and number < len(groups):
                parts.append(f"<p>{SMALLER}</p>")
        else:
            parts += _in_brief(number, title, rows)
    code = f"<script>{script('report', 'board', 'plan')}</script>"
    return document("Budge: engines compared", f"<style>{style('report')}</style>", parts, [code])


def _in_brief(number: int, title: str, rows: Sequence[Row]) -> Iterable[str]:
    """A puzzle as the table of its runs."""
    yield f"<section><h3>{number}. {escape(title)}</h3>"
    yield table(HEAD, [cells(row) for row in rows], "", NUMBERS)
    yield "</section>"


def _measured_under(comparison: Comparison) -> Iterable[str]:
    """The conditions of the rows (time, command, machine): one list for each comparison from which rows come."""
    different = comparison.measured_under
    for conditions in different:
        if len(different) > 1:
            rows = counted(sum(row.conditions == conditions for row in comparison.rows), "row")
            yield f"<h3>{rows} measured on {escape(conditions.environment.date[:10])}</h3>"
        yield facts(_facts(conditions))


def _facts(conditions: Conditions) -> list[tuple[str, str]]:
    machine = conditions.environment
    seconds = "none" if conditions.time_limit is None else f"{conditions.time_limit:g} s for each run"
    memory = "none" if conditions.memory_limit is None else f"{conditions.memory_limit:,} MiB for each run"
    libraries = ", ".join(f"{name} {version}" for name, version in machine.libraries.items())
    return [
        ("Date", f"{machine.date} (UTC)"),
        ("Command", conditions.command),
        ("Software", f"Budge {machine.budge}, Python {machine.python}, {libraries}"),
        ("Machine", f"{machine.processor}, {counted(machine.cores, 'core')}, {machine.memory_mib:,} MiB"),
        ("System", machine.system),
        ("Time limit", seconds),
        ("Memory limit", memory),
        ("Runs at once", str(conditions.jobs)),
    ]


def _cactus(rows: Sequence[Row]) -> Iterable[str]:
    if not any(row.proven for row in rows):
        yield "<p>Nothing was proven within the limits.</p>"
        return
    ends = ", ".join(f"{engine} {len(times)}" for engine, times in plots.solved_times(rows).items())
    label = f"Puzzles that each engine has solved, over the time it may take for each: {ends}."
    picture = svg(plots.solved_over_time({"": rows}), label)
    yield figure(
        picture, "Puzzles that an engine solves (proves optimal or unsolvable) if each may take at most that long."
    )


def _agreement(comparison: Comparison, about: str) -> Iterable[str]:
    """The number of runs, and whether all proven values agree; loudly if not."""
    for row in comparison.errors:
        yield f'<p class="bad">Error: {escape(f"{row.asked.puzzle}: {row.engine}: {row.error}")}</p>'
    for sentence in comparison.disagreements:
        yield f'<p class="bad">Disagreement: {escape(sentence)}</p>'
    yield f"<p>{about}{'' if comparison.disagreements else f', {escape(agreement(comparison))}'}</p>"
    if comparison.interrupted:
        yield "<p>The comparison was interrupted; this is what was there.</p>"


def _duel_plot(groups: dict[str, list[Row]]) -> Iterable[str]:
    if not any(plots.fastest_search(rows) and plots.solver_of(rows) for rows in groups.values()):
        return
    title = plots.solver().title
    label = f"Time of {title} over time of the quickest search; the table below has the same numbers."
    yield figure(
        svg(plots.search_against_solver(groups), label),
        "Each point is a puzzle. Above the dotted line search proved the answer sooner, below it "
        f"{title} did. Hollow points: one of the two had no proof when its limit was reached.",
    )


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
    yield table(
        ["no.", "puzzle", "states", "quickest search", plots.solver().name, "sooner"],
        lines,
        f"Search against {title_of_solver}: who proved the answer sooner",
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
    yield figure(
        svg(plots.time_against_size(groups), label),
        f"States that {plots.blind()} met; without it, the most that any engine met. "
        "Hollow points: the run ended at a limit.",
    )


def _puzzle(number: int, title: str, rows: Sequence[Row], puzzle: Puzzle | None) -> Iterable[str]:
    yield f"<section><h3>{number}. {escape(title)}</h3>"
    yield '<div class="puzzle">'
    if puzzle:
        said = "; ".join(puzzle.goal_text()) if len(puzzle.goal_text()) == 1 else ""
        yield figure(board_svg(puzzle, width=BOARD_WIDTH, style=False), f"{puzzle.record.title}{said and ': '}{said}")
    else:
        yield f"<p>{escape(rows[0].asked.family)}</p>"
    yield table(HEAD, [cells(row) for row in rows], f"Engines on {title}", NUMBERS)
    yield "</div>"
    yield from _history(title, rows)
    proofs = [f"<li>{escape(row.engine)}: {escape(by)}</li>" for row in rows if (by := row.outcome.lower_bound_by)]
    if proofs:
        yield f"<details><summary>What proved the lower bounds</summary><ul>{''.join(proofs)}</ul></details>"
    best = min((row for row in rows if row.plan and row.exact_cost), key=lambda row: row.exact_cost or (), default=None)
    if best:
        shortest = any(row.proven for row in rows)
        yield f"<details><summary>{'A shortest' if shortest else 'The best'} plan, by {escape(best.engine)}</summary>"
        yield f"{_plan(best, puzzle)}</details>"
    yield "</section>"


def _history(title: str, rows: Sequence[Row]) -> Iterable[str]:
    """The bounds over time, as a plot and as a table."""
    tracked = [row for row in rows if row.history]
    if not tracked:
        return
    ends = "; ".join(f"{row.engine} ends with {_bounds(row)} after {row.seconds:.2f} seconds" for row in tracked)
    plot = plots.bounds_over_time(map(plots.track_of_row, tracked), rows[0].asked.metric.split(",")[0])
    yield figure(
        svg(plot, f"Bounds over time: {ends}."),
        "Lower bounds (solid) and plans (dashed) over time. Where the two meet, the answer is proven.",
    )
    lines = [
        [row.engine, f"{seconds:.3f}", show_cost(low) if low else "", show_cost(high) if high else ""]
        for row in tracked
        for seconds, low, high in row.history
    ]
    yield "<details><summary>The bounds as numbers</summary>"
    yield table(["engine", "seconds", "at least", "plan"], lines, f"Bounds on {title} over time", (1, 2, 3))
    yield "</details>"


def _plan(row: Row, puzzle: Puzzle | None) -> str:
    """The moves of a plan; if the plan can be read back and is short enough, also a board that plays it."""
    assert row.plan is not None
    if puzzle and (replay := replay_of(row.plan, puzzle)):
        return played(puzzle, replay)
    return f"<p>{' '.join(f'<code>{escape(word)}</code>' for word in row.plan)}</p>"


def _bounds(row: Row) -> str:
    least, most = row.outcome.lower_bound, row.outcome.upper_bound
    low = "no lower bound" if least is None else f"lower bound {show_cost(least)}"
    high = "no plan" if most is None else f"a plan of {show_cost(most)}"
    return f"{low} and {high}"
