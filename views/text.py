"""Puzzles and answers as text for people."""

from __future__ import annotations

from collections.abc import Mapping

from ..engines.table import find
from ..models.errors import printable_lines
from ..models.moves import Metric
from ..models.puzzle import Puzzle
from ..runtime.outcome import Count, Outcome, Status
from ..runtime.stopped import StoppedError
from ..workflows.solving import Solution
from .layout import fill, labelled, paragraph
from .positions import position
from .replay import filmstrip
from .screen import PLAIN, Screen


def heading(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """Name, family, author and credit."""
    header = puzzle.header
    texts = [f"{header.name}  ({puzzle.family})", header.author and f"by {header.author}", header.credit]
    return "\n".join("\n".join(fill(printable_lines(text).split(" "), screen.width)) for text in texts if text)


def show(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """What `budge show` prints: heading, board, goal, metric and what the author expects."""
    metric = puzzle.header.metric
    others = "; ".join(name for name in puzzle.metrics if name != metric)
    facts = {
        "metric": metric + (f" (also: {others})" if others else ""),
        "expected": expectation(puzzle),
        "notes": puzzle.header.notes,
    }
    lines = [paragraph(f"{name}: {text}", screen.width) for name, text in facts.items() if text]
    return "\n".join([heading(puzzle, screen), "", position(puzzle, screen), "", *lines])


def expectation(puzzle: Puzzle) -> str:
    """The expected cost in the file as text: `24 slides; 40 steps`, `unsolvable`, or nothing."""
    expect = puzzle.header.expect
    if expect.unsolvable:
        return "unsolvable"
    return "; ".join(puzzle.metric(name).counted(cost) for name, cost in expect.costs.items())


def wrap_plan(words: list[str], screen: Screen = PLAIN, indent: str = "  ") -> str:
    """The plan's notation in lines."""
    return "\n".join(fill(words, screen.width, first=indent, rest=indent))


def answer(solution: Solution, screen: Screen = PLAIN, *, boards: bool = False, stats: bool = False) -> str:
    """What `budge solve` prints: board, plan, cost, bounds and what proved them, time."""
    puzzle, outcome = solution.puzzle, solution.outcome
    metric = puzzle.metric(solution.metric)
    facts = [*_plan(solution, metric), *_bounds(outcome, metric)]
    facts.append(("status", status(outcome, metric)))
    facts.append(("engine", _engine(solution)))
    facts.append(("time", _time(outcome, stats=stats)))
    if stats:
        facts.append(("counts", _counts(outcome.stats)))
    if solution.contradicts:
        facts.append(("MISMATCH", solution.contradicts))
    parts = [heading(puzzle, screen), "", position(puzzle, screen), ""]
    if solution.replay is not None:
        steps = solution.replay.steps
        parts.append(f"plan ({metric.counted(outcome.upper_bound or ())}):" if steps else "plan: nothing to do")
        if steps:
            parts.append(wrap_plan(solution.replay.notation, screen))
        if boards and steps:
            parts += ["", filmstrip(puzzle, solution.replay, screen), ""]
    return "\n".join([*parts, *(labelled(label, text, screen.width) for label, text in facts)])


def _plan(solution: Solution, metric: Metric) -> list[tuple[str, str]]:
    """The cost of the plan, in the metric and in all others."""
    if solution.replay is None:
        return []
    others = [
        solution.puzzle.unit(name).counted(cost)
        for name, cost in solution.replay.costs.items()
        if name not in metric.components
    ]
    more = f"  (this plan: {', '.join(others)})" if others else ""
    return [("cost", metric.counted(solution.outcome.upper_bound or ()) + more)]


def _bounds(outcome: Outcome, metric: Metric) -> list[tuple[str, str]]:
    if outcome.status is Status.UNSOLVABLE:
        return [("proof", outcome.lower_bound_by)]
    bounds = []
    if outcome.lower_bound is not None:
        bounds.append(("lower bound", f"{metric.counted(outcome.lower_bound)}  {outcome.lower_bound_by}"))
    if outcome.upper_bound is not None:
        bounds.append(("upper bound", f"{metric.counted(outcome.upper_bound)}  this plan, replayed by the rules"))
    else:
        bounds.append(("upper bound", "none known"))
    return bounds


def status(outcome: Outcome, metric: Metric) -> str:
    """How a search ended, in a sentence: what stopped it, what was found, what is ruled out."""
    if outcome.status not in (Status.FEASIBLE, Status.UNKNOWN, Status.INTERRUPTED):
        return outcome.status.sentence
    known = outcome.upper_bound is not None
    found = "a plan, not proven shortest" if known else f"no plan found; {_ruled_out(outcome, metric)}"
    reason = stopped(outcome)
    return f"{reason}: {found}" if reason else found


def stopped(outcome: Outcome) -> str:
    """The reason for which a search stopped, with its stage: `stopped by the time limit while grounding the puzzle`."""
    return str(StoppedError(outcome.stopped_by, outcome.stage)) if outcome.stopped_by else ""


def _ruled_out(outcome: Outcome, metric: Metric) -> str:
    low = outcome.lower_bound
    if low is None or not any(low):
        return "nothing is ruled out"
    return f"plans {'shorter' if len(low) == 1 else 'cheaper'} than {metric.counted(low)} are ruled out"


def _engine(solution: Solution) -> str:
    """The engine in words; of several, which found the plan and which proved the bound."""
    stats = solution.outcome.stats
    finder, prover = (_title(stats.get(key)) for key in ("plan_by", "bound_by"))
    if finder and finder == prover:
        return f"{solution.engine} ({finder} found and proved it)"
    did = [f"{finder} found the plan"] if finder else []
    did += [f"{prover} proved the bound"] if prover else []
    return solution.engine + (f" ({', '.join(did)})" if did else "")


def _title(name: Count | None) -> str:
    """An engine's title within a sentence: `breadth-first search`, `A*`."""
    if not name:
        return ""
    title = find(str(name)).title or str(name)
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _time(outcome: Outcome, *, stats: bool) -> str:
    times = outcome.times
    parts = (
        f" (grounding {times.ground:.2f} s, encoding {times.encode:.2f} s, solving {times.solve:.2f} s, "
        f"other {times.other:.2f} s)"
    )
    return f"{times.total:.2f} s{parts if stats else ''}{preparing(times.prepare)}"


def preparing(seconds: float) -> str:
    """The end of a line about time, if engines were compiled: `; before that, preparing 25.0 s, first use only`."""
    return f"; before that, preparing {seconds:.1f} s, first use only" if seconds else ""


def _counts(stats: Mapping[str, Count]) -> str:
    """The counts of a search, those that are not zero."""
    named = [(key.replace("_", " "), value) for key, value in stats.items() if value]
    words = [f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in named]
    return ", ".join(words) or "none"
