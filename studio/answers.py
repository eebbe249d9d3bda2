"""What a page is told of runs: events while they go on, and answers as HTML, plans and plots when they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from ..models.moves import Cost, Slide
from ..models.plan import Plan
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..proofs.verdict import CertificateVerdict
from ..runtime.events import Event, LayerDone, LowerBound, PlanFound
from ..runtime.outcome import Outcome, Status
from ..views.explore import of_answer
from ..views.player import frames_of
from ..views.plots import Plot, Point, Series, Track, axis, bounds_over_time, look, solved_over_time, svg, track_of_row
from ..views.rows import grouped, of_comparison, table_of, titles
from ..views.sections import as_html
from ..views.solution import facts, of_certificate, of_certified, status
from ..views.verify_text import of_verification
from ..workflows.comparison import Comparison, disagreements
from ..workflows.exploration import Answer, pieces_of
from ..workflows.rows import Asked, Compared
from ..workflows.solving import Solution, between
from ..workflows.verdict import Verification
from .runs import REPORTED, BoundReported, Fragment, RowDone, Runs, StudioRun

COLOURS = ("#1f6fd0", "#c2571a", "#3c8a3f", "#8a4fbf", "#b03060", "#5f6b7a")
"""A colour for each run, readable on light and on dark pages."""

MOST_PROOFS = 6
"""The latest bounds that are told of a run, with what proved them."""


def event_json(run: StudioRun) -> dict[str, Any]:
    """The state of a run, without its plot."""
    outcome = run.answer.outcome if isinstance(run.answer, Solution) else None
    low, high = (outcome.lower_bound, outcome.upper_bound) if outcome else run.bounds
    track = track_of(run, "")
    points = sorted([*track.lower, *track.upper], key=lambda point: (point.x, point.y), reverse=True)
    return {
        "run": run.number,
        "topic": run.topic,
        "kind": run.kind,
        "name": run.name,
        "metric": run.metric,
        "state": run.state,
        "status": status(outcome, run.puzzle.metric(run.metric)) if outcome else run.state,
        "doing": "" if run.over else run.doing or ("loading code" if run.prepares else ""),
        "share": run.share,
        "seconds": round(run.clock, 2),
        "lower": low,
        "upper": high,
        "bounds": bounds_of(run),
        "over": run.over,
        "error": str(run.error or ""),
        "revision": run.revision,
        "planned": plan_of(run) is not None,
        "colour": colour_of(run),
        "proofs": [{"seconds": round(point.x, 2), "text": point.tip} for point in points[:MOST_PROOFS]],
    }


def bounds_of(run: StudioRun) -> str:
    """What is proven and found so far: `24 slides`, `20 to 24 slides`."""
    if isinstance(run.answer, Solution):
        return run.answer.bounds
    return between(*run.bounds, run.puzzle.metric(run.metric).counted)


def label_of(run: StudioRun) -> str:
    """What the plan of a run is: `24 slides (proven shortest), by astar`."""
    proven = isinstance(run.answer, Solution) and run.answer.status is Status.OPTIMAL
    return f"{bounds_of(run)}{' (proven shortest)' if proven else ''}, by {run.name}"


def colour_of(run: StudioRun) -> str:
    """The colour of a run's card and of its line in the plot: runs started one after the other have different ones."""
    return COLOURS[run.number % len(COLOURS)]


def plot_of(run: StudioRun, runs: Runs) -> str:
    """The plot of a run's panel: of all solving runs of a puzzle, of a comparison, of an exploration's depths."""
    match run.kind:
        case "solve":
            return drawn(bounds_plot(runs.of(run.topic), run), "Bounds over time")
        case "compare":
            return str(compared(run)["plot_svg"])
        case "explore":
            return drawn(depths_plot(run), "States by depth")
    return ""


def drawn(plot: Plot | None, label: str) -> str:
    """A plot as SVG; nothing while nothing is in it."""
    return svg(plot, label) if plot is not None and any(curve.points for curve in plot.series) else ""


def answer_json(run: StudioRun, of: str = "") -> dict[str, Any]:
    """The answer of a run, as far as it has one. `of`: the puzzle of a comparison whose bounds are drawn."""
    answer, told = run.answer, {"run": run.number, "kind": run.kind, "over": run.over, "html": "", "plan": None}
    if run.kind == "compare":
        return told | compared(run, of)
    match answer:
        case _ if run.kind == "solve":
            told |= _solved(run, run.asked[-1])
        case Answer():
            text = answer.hardest_yaml()
            told |= {"html": as_html(of_answer(answer)), "text": text}
            told["plot_svg"] = drawn(depths_plot(run), "States by depth")
        case Fragment():
            told["html"] = answer.html
        case Verification():
            told |= _verified(answer)
        case CertificateVerdict():
            told["html"] = as_html(of_certificate(answer.status, answer.lines))
        case _ if hasattr(answer, "folder"):  # `Certified`, whose module imports the checker
            told["html"] = as_html(of_certified(answer, answer.folder.name))
    return told


@dataclass(frozen=True, slots=True)
class Began:
    """Where a run of an engine began: the puzzle that is on the page, and the moves that were played before. It stands
    last in what was `asked`.
    """

    puzzle: Puzzle
    plan: Plan


def plan_of(run: StudioRun) -> Plan | None:
    """The best plan that a run has found so far."""
    return run.answer.outcome.plan if isinstance(run.answer, Solution) else run.work.known.plan


def _solved(run: StudioRun, began: Began) -> dict[str, Any]:
    """What an engine has found so far. `plan`: the whole line, the moves before (`from`: how many) and its plan."""
    plan, told = plan_of(run), dict[str, Any]()
    if isinstance(run.answer, Solution):
        told["html"] = as_html(facts(run.answer))
    if plan is not None:
        told["label"] = label_of(run)
        told["plan_text"] = run.puzzle.plan_text(run.puzzle.replay(plan))
        told["from"] = len(began.plan)
        told["plan"] = frames_of(began.puzzle, began.puzzle.replay(Plan((*began.plan, *plan))))
    return told


def _verified(verification: Verification) -> dict[str, Any]:
    puzzle, best = verification.puzzle, verification.best
    told: dict[str, Any] = {"html": as_html(of_verification(verification))}
    if best is not None:
        told |= {"plan_text": puzzle.plan_text(best), "plan": frames_of(puzzle, best), "label": "the best plan known"}
    return told


# Hints


def hint_json(answer: Answer, begun: bool) -> dict[str, Any]:
    """How far the goal is, in words, which pieces to move, and the best moves, or the first of a plan. `slides`: where
    they begin and end, as a page has a notation of its own. `settled`: it is proven. `begun`: moves were made, so that
    what the file expects says nothing.
    """
    outcome, puzzle, metric = answer.outcome, answer.puzzle, answer.puzzle.metric(answer.metric)
    steps = answer.steps or ([Plan(outcome.plan.moves[:1])] if outcome.plan else [])
    moves = [(step.moves[-1], puzzle.plan_text(puzzle.replay(step))) for step in steps]
    return {
        "text": distance(outcome, metric.counted, None if begun else puzzle.header.expect.costs.get(answer.metric)),
        "moves": [text for _, text in moves],
        "slides": [(move.cell, move.end) if isinstance(move, Slide) else None for move, _ in moves],
        "pieces": pieces_of(puzzle, moves),
        "settled": outcome.status.proven,
    }


def distance(outcome: Outcome, counted: Callable[[Cost], str], expected: Cost | None) -> str:
    """The distance to the goal in words, exact or as bounds."""
    if outcome.status is Status.UNSOLVABLE:
        return "There is no way to the goal from here."
    bounds = between(outcome.lower_bound, outcome.upper_bound, counted) or "an unknown number of moves"
    said = f" The file expects {counted(expected)}." if expected and not outcome.status.proven else ""
    return f"{bounds[0].upper()}{bounds[1:]} to the goal.{said}"


# The bounds of runs over time


def bounds_plot(runs: Sequence[StudioRun], last: StudioRun) -> Plot | None:
    """The bounds of runs in the metric of one of them; None before any is known."""
    tracks = with_own_names(track_of(run, colour_of(run)) for run in runs if run.metric == last.metric)
    if not any(track.lower or track.upper for track in tracks):
        return None
    return bounds_over_time(tracks, last.puzzle.metric(last.metric).units[0].many, logarithmic=False)


def track_of(run: StudioRun, colour: str) -> Track:
    """The bounds over time of a run: those that it has reported, and those of its answer."""
    track = Track(run.name, colour, now=run.work.elapsed, counted=run.puzzle.metric(run.metric).counted)
    for event in [*run.events]:
        match event:
            case LowerBound(lower_bound=bound, by=by) | LayerDone(lower_bound=bound, by=by):
                track.prove(event.seconds, bound, by)
            case PlanFound(cost=cost):
                track.find(event.seconds, cost)
    if (outcome := getattr(run.answer, "outcome", None)) is not None:
        track.prove(track.now, outcome.lower_bound, outcome.lower_bound_by)
        track.find(track.now, outcome.upper_bound)
    return track


def with_own_names(tracks: Iterable[Track]) -> list[Track]:
    """Tracks with different names: of two that are called `auto`, the second becomes `auto (2)`."""
    by_name: dict[str, Track] = {}
    for track in tracks:
        names = (track.name if number == 1 else f"{track.name} ({number})" for number in count(1))
        name = next(name for name in names if name not in by_name)
        by_name[name] = replace(track, name=name)
    return list(by_name.values())


# Comparisons


def compared(run: StudioRun, of: str = "") -> dict[str, Any]:
    """The tables, the verdict and the plots of a comparison, of its rows so far. `of`: whose bounds are drawn, by its
    title; else those of the puzzle at work.
    """
    comparison, events = comparison_of(run), [*run.events]
    asked = puzzles_of(events)
    named = titles(asked)
    sections = of_comparison(comparison) if run.over and comparison.rows else [table_of(grouped(comparison.rows))]
    told = {"html": as_html(sections), "titles": list(named.values()), "report": run.over}
    told |= {"plot_svg": "", "solved_svg": ""}
    if asked:
        followed = next((one for one, title in named.items() if title == of), asked[-1].compared)
        plot = bounds_over_time(tracks_of_cells(events, followed), followed[1].split(",")[0])
        told["plot_svg"] = drawn(plot, "Bounds over time")
        if len(named) > 1:  # of one puzzle it is a flat line
            told["solved_svg"] = drawn(solved_over_time({"": comparison.rows}), "Puzzles solved within a time")
    return told


def puzzles_of(events: Iterable[Event]) -> list[Asked]:
    """What a comparison has asked of engines so far, in the order in which it was begun: the puzzle at work last."""
    asked = (e.row.asked if isinstance(e, RowDone) else e.cell for e in events if isinstance(e, REPORTED))
    return list(dict.fromkeys(asked))


def comparison_of(run: StudioRun) -> Comparison:
    """The comparison that a run has returned; before that, one of the rows so far."""
    if isinstance(run.answer, Comparison):
        return run.answer
    rows = tuple(event.row for event in run.events if isinstance(event, RowDone))
    return Comparison(rows, disagreements(rows), interrupted=True, puzzles=(run.puzzle,))


def tracks_of_cells(events: Iterable[Event], puzzle: Compared) -> list[Track]:
    """The bounds that a comparison (`runs.run_engines`) has reported of each engine on a puzzle."""
    by_engine: dict[str, Track] = {}
    for event in [*events]:
        match event:
            case RowDone(row=row) if row.asked.compared == puzzle:
                by_engine[row.engine] = track_of_row(row)
            case BoundReported(cell=cell) if cell.compared == puzzle:
                style = look(cell.engine)
                track = by_engine.setdefault(cell.engine, Track(cell.engine, style.colour, style.marker))
                track.prove(event.seconds, event.lower, event.by)
                track.find(event.seconds, event.upper)
    return list(by_engine.values())


# States by depth


def depths_plot(run: StudioRun) -> Plot:
    """States by depth from the start, and by distance from the goal where that is known, in the metric of the run."""
    unit = run.puzzle.metric(run.metric).units[0].many
    space = run.answer.space if isinstance(run.answer, Answer) else None
    counts = {f"{unit} from the start": list(space.layers) if space else [*_layers(run)]}
    if space and space.distances:
        counts[f"{unit} from the goal"] = list(space.distances)
    series = []
    for (name, states), colour, shift in zip(counts.items(), COLOURS, (0.0, 0.4), strict=False):
        bars = [Point(n + shift, count, tip=f"{name} {n}: {counted(count, 'state')}") for n, count in enumerate(states)]
        series.append(Series(name, colour, "s", bars, "bars"))
    points = [point for histogram in series for point in histogram.points]
    across = axis(unit, (0, *(point.x for point in points)))
    return Plot(across, axis("states", (point.y for point in points), zero=True), series)


def _layers(run: StudioRun) -> Iterator[int]:
    """The number of states at each depth that has been reported so far."""
    totals = [event.states for event in run.events if isinstance(event, LayerDone)]
    return (after - before for before, after in zip([0, *totals], totals, strict=False))
