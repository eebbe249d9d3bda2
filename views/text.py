"""A puzzle's heading, and its plan step by step on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..models.cells import Rows
from ..models.errors import printable_lines
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from .board import Marks, board, exit_of
from .terminal import PLAIN, Screen, beside, fill

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


def expectation(puzzle: Puzzle) -> str:
    """The expected cost in the file as text: `24 slides; 40 steps`, `unsolvable`, or nothing."""
    expect = puzzle.header.expect
    if expect.unsolvable:
        return "unsolvable"
    return "; ".join(puzzle.metric(name).counted(cost) for name, cost in expect.costs.items())


def preparing(seconds: float) -> str:
    """The end of a line about time, if engines were compiled: `; before that, preparing 25.0 s, first use only`."""
    return f"; before that, preparing {seconds:.1f} s, first use only" if seconds else ""
