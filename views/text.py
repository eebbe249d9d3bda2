"""Puzzles and answers as text for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..engines.table import find
from ..models.cells import Rows
from ..models.errors import printable_lines
from ..models.moves import Metric
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..models.text import columns
from ..runtime.outcome import Count, Outcome, Status, StoppedError
from ..workflows.solving import Solution
from .board import Marks, board, exit_of, position
from .terminal import PLAIN, Screen, beside, fill, labelled, paragraph

# What `budge list` prints.

WIDEST_EXPECTATION = 40
"""Columns for the expected costs; longer ones push the title of their line to the right."""

GAP = 2


def as_text(puzzles: Mapping[str, Puzzle], screen: Screen) -> str:
    """A line for each puzzle: its name, what its file expects, its title. On a narrow screen two."""
    rows = [(name, expectation(puzzle), puzzle.header.name) for name, puzzle in puzzles.items()]
    first = max(columns(name) for name, _, _ in rows)
    second = min(WIDEST_EXPECTATION, max(columns(expected) for _, expected, _ in rows))
    last = max(columns(title) for _, _, title in rows)
    if first + second + last + 2 * GAP > screen.width:
        return "\n".join(_in_two_lines(row, screen.width) for row in rows)
    return "\n".join(f"{_padded(name, first)}{_padded(expected, second)}{title}" for name, expected, title in rows)


def _padded(text: str, width: int) -> str:
    return text + " " * (max(0, width - columns(text)) + GAP)


def _in_two_lines(row: tuple[str, str, str], width: int) -> str:
    """The name and the title, and below them what is expected."""
    name, expected, title = row
    indent = "    "
    lines = fill([name, "", *title.split(" ")], width, rest=indent)
    return "\n".join(lines + (fill(expected.split(" "), width, first=indent, rest=indent) if expected else []))


# A plan step by step: all boards side by side, or one at a time on a terminal.


@dataclass(frozen=True, slots=True)
class Frame:
    """A position of a plan: how many steps were made, the last of them in notation, the boards before and after it."""

    number: int
    notation: str
    before: Rows
    rows: Rows


def frames(puzzle: Puzzle, replay: Replay) -> list[Frame]:
    """The start and the position after each step."""
    pictures = [Frame(0, "", puzzle.board(), puzzle.board())]
    for number, step in enumerate(replay.steps, 1):
        pictures.append(Frame(number, step.notation, pictures[-1].rows, step.board))
    return pictures


def marks(puzzle: Puzzle, frame: Frame) -> Marks:
    """The marks of a frame: the pieces that have moved, and the exit."""
    if not frame.number:
        return exit_of(puzzle)
    from .svg import moved_cells  # slow to import, and not needed for a single position

    moved = moved_cells(puzzle, frame.before, frame.rows)
    letters = {frame.rows[r][c] for r, c in moved}
    left = {
        (r, c)
        for r, row in enumerate(frame.before)
        for c, char in enumerate(row)
        if char in letters and frame.rows[r][c] not in letters
    }
    return replace(exit_of(puzzle), moved=moved, left=frozenset(left))


def drawn(puzzle: Puzzle, frame: Frame, screen: Screen) -> str:
    """A position as lines, under a heading with its number and the step that led to it."""
    title = f"{frame.number}. {frame.notation}" if frame.number else "start"
    return f"{title}\n{board(puzzle, frame.rows, screen, marks(puzzle, frame))}"


def filmstrip(puzzle: Puzzle, replay: Replay, screen: Screen) -> str:
    """All positions of a plan side by side, as many in a row as fit into the width."""
    return beside([drawn(puzzle, frame, screen) for frame in frames(puzzle, replay)], screen.width)


KEYS = "n next   p previous   g first   G last   q quit"

SCROLL = "u up   d down"
"""The keys of a board that is taller than the terminal."""

NEXT, PREVIOUS, FIRST, LAST, UP, DOWN, QUIT = "next", "previous", "first", "last", "up", "down", "quit"

MEANINGS = {
    **dict.fromkeys(("n", " ", "\r", "\n", "l", "j", "\x1b[C", "\x1b[B", "\x1b[6~", "\x1bOC", "\x1bOB"), NEXT),
    **dict.fromkeys(("p", "b", "h", "k", "\x7f", "\x08", "\x1b[D", "\x1b[A", "\x1b[5~", "\x1bOD", "\x1bOA"), PREVIOUS),
    **dict.fromkeys(("g", "0", "\x1b[H", "\x1b[1~", "\x1bOH"), FIRST),
    **dict.fromkeys(("G", "$", "\x1b[F", "\x1b[4~", "\x1bOF"), LAST),
    "u": UP,
    "d": DOWN,
    **dict.fromkeys(("q", "Q", "\x1b", "\x03", "\x04", ""), QUIT),
}
"""What keys mean: letters as in `less` and `vi`, arrows, Home and End; no key at all (the end of input) ends it."""


def page(puzzle: Puzzle, shown: Sequence[Frame], number: int, screen: Screen, scrolled: int = 0) -> str:
    """The text that the terminal shows at a position: title, board, where in the plan it is, and the keys.

    Of a board that is taller than the terminal, the lines about what has moved, or those that are `scrolled` lines
    further down.
    """
    last, frame = shown[-1].number, shown[number]
    where = f"{number} of {last}" + ("   the end of the plan" if number == last else "")
    title, *lines = drawn(puzzle, frame, screen).splitlines()
    room = len(lines) if screen.height is None else max(3, screen.height - AROUND)
    if len(lines) > room:
        first = _first_line(puzzle, frame, len(lines), room, scrolled)
        where += f"   lines {first + 1} to {first + room} of {len(lines)}   {SCROLL}"
        lines = lines[first : first + room]
    return "\n".join(
        [puzzle.header.name, "", title, *lines, "", where, KEYS if len(KEYS) <= screen.width else "n p g G q"]
    )


AROUND = 6
"""Lines of a page that are not part of the board."""


def _first_line(puzzle: Puzzle, frame: Frame, lines: int, room: int, scrolled: int) -> int:
    """The first line of the board to show, if it has more lines than the terminal has room for."""
    moved = [r for r, _ in marks(puzzle, frame).moved] or [0]
    middle = (min(moved) + max(moved) + 1) / 2 * lines / max(1, len(frame.rows))
    first, last = int(middle - room / 2), lines - room
    return max(0, min(last, max(0, min(last, first)) + scrolled))


def step_through(
    puzzle: Puzzle, replay: Replay, screen: Callable[[], Screen], show: Callable[[str], None], key: Callable[[], str]
) -> None:
    """Show positions one at a time, moving as keys say, until a key ends it."""
    shown, number, scrolled = frames(puzzle, replay), 0, 0
    while True:
        show(page(puzzle, shown, number, screen(), scrolled))
        before = number
        match MEANINGS.get(key()):
            case "next":
                number = min(number + 1, len(shown) - 1)
            case "previous":
                number = max(number - 1, 0)
            case "first":
                number = 0
            case "last":
                number = len(shown) - 1
            case "up":
                scrolled -= SCROLLED
            case "down":
                scrolled += SCROLLED
            case "quit":
                return
        if number != before:
            scrolled = 0


SCROLLED = 5
"""Lines that a key scrolls by."""


def heading(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """Name, family, author and credit."""
    header = puzzle.header
    texts = [f"{header.name}  ({puzzle.family})", header.author and f"by {header.author}", header.credit]
    return "\n".join("\n".join(fill(printable_lines(text).split(" "), screen.width)) for text in texts if text)


def show(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """What `budge show` prints: heading, board, goal, metric and what the author expects."""
    metric = puzzle.header.metric
    others = "; ".join(name for name in puzzle.metrics if name != metric)
    told = {
        "metric": metric + (f" (also: {others})" if others else ""),
        "expected": expectation(puzzle),
        "notes": puzzle.header.notes,
    }
    lines = [paragraph(f"{name}: {text}", screen.width) for name, text in told.items() if text]
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
    parts = [heading(puzzle, screen), "", position(puzzle, screen), ""]
    if solution.replay is not None:
        steps = solution.replay.steps
        parts.append(f"plan ({metric.counted(outcome.upper_bound or ())}):" if steps else "plan: nothing to do")
        if steps:
            parts.append(wrap_plan(solution.replay.notation, screen))
        if boards and steps:
            parts += ["", filmstrip(puzzle, solution.replay, screen), ""]
    below = (labelled(label, text, screen.width) for label, text in facts(solution, stats=stats))
    return "\n".join([*parts, *below])


def facts(solution: Solution, *, stats: bool = False) -> Iterator[tuple[str, str]]:
    """What is known of a puzzle that was solved, under labels: cost, bounds and what proved them, time."""
    outcome, metric = solution.outcome, solution.puzzle.metric(solution.metric)
    yield from _plan(solution, metric)
    yield from _bounds(outcome, metric)
    yield "status", status(outcome, metric)
    yield "engine", _engine(solution)
    yield "time", _time(outcome, stats=stats)
    if stats:
        yield "counts", _counts(outcome.stats)
    if solution.contradicts:
        yield "MISMATCH", solution.contradicts


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
    low, high = outcome.lower_bound, outcome.upper_bound
    lower = [] if low is None else [("lower bound", f"{metric.counted(low)}  {outcome.lower_bound_by}")]
    upper = "none known" if high is None else f"{metric.counted(high)}  this plan, replayed by the rules"
    return [*lower, ("upper bound", upper)]


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


def preparing(seconds: float) -> str:
    """The end of a line about time, if engines were compiled: `; before that, preparing 25.0 s, first use only`."""
    return f"; before that, preparing {seconds:.1f} s, first use only" if seconds else ""


def _counts(stats: Mapping[str, Count]) -> str:
    """The counts of a search, those that are not zero."""
    named = [(key.replace("_", " "), value) for key, value in stats.items() if value]
    words = [f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in named]
    return ", ".join(words) or "none"


# The verdict about a certificate as text for a terminal.


def certificate_text(lines: Sequence[str], board: Sequence[str], width: int) -> str:
    """The lines of a verdict, in at most `width` columns each but for the last ones, the board as it was read."""
    said = len(lines) - (len(board) + 1 if board else 0)
    shown = list[str]()
    for line in lines[:said]:
        indent = " " * (len(line) - len(line.lstrip()))
        shown += fill(line.split(), width, first=indent, rest=indent + "  ")
    return "\n".join([*shown, *lines[said:]])


def size_text(size: int) -> str:
    """`0.5 MB`, `12 kB`, at least `1 kB`."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1e3))} kB"
