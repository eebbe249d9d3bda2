"""What is said of a puzzle, of its solution and of its certificate, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..engines.table import find
from ..models.moves import Metric
from ..models.puzzle import Puzzle
from ..runtime.outcome import Count, Outcome, Status, StoppedError
from ..workflows.solving import Solution
from .sections import Conclusion, Film, Lines, Section, Table, Value, Words
from .text import expectation, preparing

if TYPE_CHECKING:
    from ..workflows.certifying import Certified  # its module imports the checker


def of_puzzles(puzzles: Mapping[str, Puzzle]) -> Iterator[Section]:
    """A line for each puzzle: its name, what its file expects, its title."""
    lines = [(name, expectation(puzzle), puzzle.header.name) for name, puzzle in puzzles.items()]
    yield Table((), {"": lines})


def of_puzzle(puzzle: Puzzle) -> Iterator[Section]:
    """The metric, and what the author expects."""
    metric = puzzle.header.metric
    others = "; ".join(name for name in puzzle.metrics if name != metric)
    yield f"metric: {metric}" + (f" (also: {others})" if others else "")
    if expected := expectation(puzzle):
        yield f"expected: {expected}"
    if puzzle.header.notes:
        yield f"notes: {puzzle.header.notes}"


def of_solution(solution: Solution, *, boards: bool = False, stats: bool = False) -> Iterator[Section]:
    """The plan, cost, bounds and what proved them, time."""
    replay = solution.replay
    if replay is not None and replay.steps:
        metric = solution.puzzle.metric(solution.metric)
        yield Words(f"plan ({metric.counted(solution.outcome.upper_bound or ())}):", replay.notation)
        if boards:
            yield Film(solution.puzzle, replay)
    elif replay is not None:
        yield "plan: nothing to do"
    yield from facts(solution, stats=stats)


def facts(solution: Solution, *, stats: bool = False) -> Iterator[Section]:
    """What is known of a puzzle that was solved: cost, bounds and what proved them, time."""
    outcome, metric = solution.outcome, solution.puzzle.metric(solution.metric)
    yield from _plan(solution, metric)
    yield from _bounds(outcome, metric)
    yield Value("status", status(outcome, metric))
    yield Value("engine", _engine(solution))
    yield Value("time", _time(outcome, stats=stats))
    if stats:
        yield Value("counts", _counts(outcome.stats))
    if solution.contradicts:
        yield Conclusion(solution.contradicts, "bad", "MISMATCH")


def _plan(solution: Solution, metric: Metric) -> Iterator[Section]:
    """The cost of the plan, in the metric and in all others."""
    if solution.replay is None:
        return
    others = [
        solution.puzzle.unit(name).counted(cost)
        for name, cost in solution.replay.costs.items()
        if name not in metric.components
    ]
    more = f"  (this plan: {', '.join(others)})" if others else ""
    yield Value("cost", metric.counted(solution.outcome.upper_bound or ()) + more)


def _bounds(outcome: Outcome, metric: Metric) -> Iterator[Section]:
    low, high = outcome.lower_bound, outcome.upper_bound
    if outcome.status is Status.UNSOLVABLE:
        yield Value("proof", outcome.lower_bound_by)
        return
    if low is not None:
        yield Value("lower bound", f"{metric.counted(low)}  {outcome.lower_bound_by}")
    upper = "none known" if high is None else f"{metric.counted(high)}  this plan, replayed by the rules"
    yield Value("upper bound", upper)


def status(outcome: Outcome, metric: Metric) -> str:
    """How a search ended, in a sentence: what stopped it, what was found, what is ruled out."""
    if outcome.status not in (Status.FEASIBLE, Status.UNKNOWN, Status.INTERRUPTED):
        return outcome.status.sentence
    has_plan = outcome.upper_bound is not None
    result = "a plan, not proven shortest" if has_plan else f"no plan found; {_ruled_out(outcome, metric)}"
    reason = stopped(outcome)
    return f"{reason}: {result}" if reason else result


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


def _counts(stats: Mapping[str, Count]) -> str:
    """The counts of a search, those that are not zero."""
    named = [(key.replace("_", " "), value) for key, value in stats.items() if value]
    words = [f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in named]
    return ", ".join(words) or "none"


# Certificates


def of_certificate(status: str, lines: Sequence[str]) -> Iterator[Section]:
    """The verdict of the checker."""
    yield Lines(lines, "good" if status == "valid" else "bad" if status == "invalid" else "")


def of_certified(certified: Certified, folder: str) -> Iterator[Section]:
    """What was written into a folder, and the verdict of the checker about it."""
    yield f"wrote {folder} ({size_text(certified.size)}, {certified.kind})"
    yield from of_certificate(certified.verdict.status, certified.verdict.lines)


def size_text(size: int) -> str:
    """`0.5 MB`, `12 kB`, at least `1 kB`."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1e3))} kB"
