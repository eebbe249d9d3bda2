"""Puzzles and answers as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..models.cost import Cost, Unit, show_cost
from ..models.puzzle import Puzzle
from ..models.text import columns
from ..runtime.events import Event, LayerDone, LowerBound, Note, PlanFound
from ..runtime.outcome import Count, Status
from ..workflows.solving import Solution
from .board import draw_map, draw_pieces

WIDTH = 100


def board(puzzle: Puzzle, rows: tuple[str, ...], *, colour: bool = False) -> str:
    """A position of a puzzle as its family draws it."""
    if puzzle.drawing == "map":
        return draw_map(rows, puzzle.record.drawing.colours if colour else None)
    return draw_pieces(rows, colour=colour, labels=puzzle.labels())


def heading(puzzle: Puzzle) -> str:
    """Name, family, author and credit."""
    header = puzzle.header
    lines = [f"{header.name}  ({puzzle.family})"]
    if header.author:
        lines.append(f"by {header.author}")
    if header.credit:
        lines.append(header.credit)
    return "\n".join(lines)


def show(puzzle: Puzzle, *, colour: bool = False) -> str:
    """What `budge show` prints: heading, board, goal, metric and what the author expects."""
    parts = [heading(puzzle), "", board(puzzle, puzzle.board(), colour=colour), ""]
    goal = puzzle.goal_text()
    if len(goal) == 1:
        parts.append(f"goal: {goal[0]}")
    elif goal:
        parts.extend(["goal:", board(puzzle, goal, colour=colour)])
    parts.append(f"metric: {puzzle.header.metric} (of {', '.join(puzzle.metrics)})")
    expect = puzzle.header.expect
    if expect.unsolvable:
        parts.append("expected: unsolvable")
    elif expect.costs:
        parts.append("expected: " + "; ".join(f"{show_cost(c)} {m}" for m, c in expect.costs.items()))
    if puzzle.header.notes:
        parts.append(f"notes: {puzzle.header.notes}")
    return "\n".join(parts)


def progress_line(event: Event) -> str:
    """One line of progress."""
    match event:
        case LowerBound():
            text = f"at least {show_cost(event.lower_bound)}: {event.by}"
        case PlanFound():
            text = f"plan of {show_cost(event.cost)}" + (f": {event.engine}" if event.engine else "")
        case LayerDone():
            text = f"layer {event.depth}: {event.states:,} states"
        case Note():
            return f"{'':10}  {event.text}"
        case _:
            raise TypeError(f"{type(event).__name__} is no event that is told")
    return f"{event.seconds:8.2f} s  {text}"


def wrap_plan(words: list[str], width: int = WIDTH, indent: str = "  ") -> str:
    """The plan's notation in lines of at most `width` columns."""
    lines, line = [], indent
    for word in words:
        if columns(line) + columns(word) + 1 > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join([*lines, line.rstrip()])


def answer(solution: Solution, *, colour: bool = False, boards: bool = False) -> str:
    """What `budge solve` prints: board, plan, cost, bounds and what proved them, time."""
    puzzle, outcome, metric = solution.puzzle, solution.outcome, solution.metric
    units = puzzle.metric(metric).units
    parts = [heading(puzzle), "", board(puzzle, puzzle.board(), colour=colour), ""]
    replay = solution.replay
    if replay is not None:
        if boards:
            for number, step in enumerate(replay.steps, 1):
                parts += [f"{number}. {step.notation}", board(puzzle, step.board, colour=colour), ""]
        asked = {unit.many for unit in units}
        others = [puzzle.unit(name).counted(cost) for name, cost in replay.costs.items() if name not in asked]
        count = len(replay.steps)
        parts.append(f"plan ({count} move{'s' if count != 1 else ''}):" if count else "plan: nothing to do")
        if count:
            parts.append(wrap_plan(replay.notation))
        more = f"  (this plan: {', '.join(others)})" if others else ""
        parts.append(f"cost         {_cost(outcome.upper_bound or (), units)}{more}")
    status = outcome.status.sentence
    if outcome.stopped_by and outcome.stopped_by not in status:
        status += f" ({outcome.stopped_by} reached)"
    if outcome.status is Status.UNSOLVABLE:
        parts.append(f"proof        {outcome.lower_bound_by}")
    else:
        if outcome.lower_bound is not None:
            parts.append(f"lower bound  {_cost(outcome.lower_bound, units)}  {outcome.lower_bound_by}")
        if outcome.upper_bound is not None:
            parts.append(f"upper bound  {_cost(outcome.upper_bound, units)}  this plan, replayed by the rules")
        else:
            parts.append("upper bound  none known")
    parts.append(f"status       {status}")
    parts.append(f"engine       {solution.engine}: {_stats(outcome.stats)}")
    times = outcome.times
    parts.append(
        f"time         {times.total:.2f} s (grounding {times.ground:.2f} s, encoding {times.encode:.2f} s, "
        f"solving {times.solve:.2f} s, other {times.other:.2f} s)"
    )
    if solution.contradicts:
        parts.append(f"WRONG EXPECT {solution.contradicts}")
    return "\n".join(parts)


def _cost(cost: Cost, units: Iterable[Unit]) -> str:
    return ", ".join(unit.counted(count) for unit, count in zip(units, cost, strict=True))


def _stats(stats: Mapping[str, Count]) -> str:
    named = ((key.replace("_", " "), value) for key, value in stats.items())
    return ", ".join(f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in named)
