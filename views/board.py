"""Boards in a terminal: pieces with outlines, or the family's own map characters, in colour or plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..models.cells import Cell
from ..models.puzzle import Puzzle
from ..models.text import columns
from .terminal import PLAIN, Screen, beside, paragraph

WALL = "#"
EMPTY = "."
PALETTE = (203, 114, 75, 221, 176, 80, 215, 111, 150, 212, 186, 117, 180, 147, 79, 209, 222, 140)
"""Colours of the 256-colour terminal palette for pieces, in the order in which they appear."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The characters of outlines. `joints`: for each set of arms: 1 up, 2 right, 4 down, 8 left."""

    joints: str
    across: str
    down: str
    wall: str
    arrows: Mapping[str, str]
    trace: str


UNICODE = Lines(" ╵╶└╷│┌├╴┘─┴┐┤┬┼", "─", "│", "█", dict(zip("UDLR", "↑↓←→", strict=True)), "·")
ASCII = Lines(" " + "|-+||++-+-++++" + "+", "-", "|", "#", dict(zip("UDLR", "^v<>", strict=True)), ".")


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks that are drawn besides the pieces.

    `exit`: the cell at the edge where a piece leaves the board, and its direction (a letter of UDLR). `moved`: the
    cells of what has just moved; `left`: the cells that it has left empty.
    """

    exit: tuple[Cell, str] | None = None
    moved: frozenset[Cell] = frozenset()
    left: frozenset[Cell] = frozenset()


NO_MARKS = Marks()


def draw_pieces(
    rows: tuple[str, ...], screen: Screen = PLAIN, *, labels: dict[str, str] | None = None, marks: Marks = NO_MARKS
) -> str:
    """Outline the pieces of a board whose equal letters are one piece; `.` is empty, `#` a wall.

    `labels` are written into pieces in place of their letters (numbers, for example); labels wider than two columns
    make all cells wider. The board is closed by a frame, which is open, with an arrow, at the exit.
    """
    return _Outlines(rows, screen, labels or {}, marks).draw()


@dataclass
class _Outlines:
    """Draws a board with outlines: a line of edges, then a line of cells, for each row."""

    rows: tuple[str, ...]
    screen: Screen
    labels: dict[str, str]
    marks: Marks
    order: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = UNICODE if self.screen.unicode else ASCII
        self.inner = max([3, *(columns(label) + 2 for label in self.labels.values())])
        self.height, self.width = len(self.rows), max(map(len, self.rows), default=0)
        for char in "".join(self.rows):
            if char not in (EMPTY, WALL):
                self.order.setdefault(char, len(self.order))

    def draw(self) -> str:
        out = [self._edges(0)]
        for r in range(self.height):
            out += [self._cells(r), self._edges(r + 1)]
        return "\n".join(out)

    def _at(self, r: int, c: int) -> str:
        inside = 0 <= r < self.height and 0 <= c < len(self.rows[r])
        return self.rows[r][c] if inside else ""

    def _edges(self, r: int) -> str:
        """The line of edges above row r."""
        parts, wall = [], self.lines.wall
        for c in range(self.width + 1):
            a, b, d, e = self._at(r - 1, c - 1), self._at(r - 1, c), self._at(r, c - 1), self._at(r, c)
            joint = self.lines.joints[(a != b) | (b != e) << 1 | (d != e) << 2 | (a != d) << 3]
            same = a == b == d == e
            parts.append(self._paint(e, wall if e == WALL else joint) if same and e else joint)
            if c == self.width:
                break
            if arrow := self._exit(r, c, "U") or self._exit(r - 1, c, "D"):
                parts.append(arrow.center(self.inner))
            elif b != e:
                parts.append(self.lines.across * self.inner)
            else:
                parts.append(self._paint(e, (wall if e == WALL else " ") * self.inner))
        return "".join(parts).rstrip()

    def _cells(self, r: int) -> str:
        """The line of the cells of row r."""
        parts = []
        for c in range(self.width + 1):
            left, here = self._at(r, c - 1), self._at(r, c)
            if arrow := self._exit(r, c, "L") or self._exit(r, c - 1, "R"):
                parts.append(arrow)
            elif left != here:
                parts.append(self.lines.down)
            else:
                parts.append(self._paint(here, self.lines.wall if here == WALL else " "))
            if c < self.width:
                parts.append(self._paint(here, self._filling(r, c, here)))
        return "".join(parts).rstrip()

    def _exit(self, r: int, c: int, direction: str) -> str:
        """The arrow of the exit, if it is at this cell in this direction; else nothing."""
        return self.lines.arrows[direction] if self.marks.exit == ((r, c), direction) else ""

    def _filling(self, r: int, c: int, char: str) -> str:
        if char == WALL:
            return self.lines.wall * self.inner
        text = self.labels.get(char, "" if char in (EMPTY, "") else char)
        if (r, c) in self.marks.moved:
            text = f"[{text}]"
        elif (r, c) in self.marks.left:
            text = self.lines.trace
        space = self.inner - columns(text)
        return " " * (space // 2) + text + " " * (space - space // 2)

    def _paint(self, char: str, text: str) -> str:
        if not self.screen.colour or char in ("", EMPTY):
            return text
        if char == WALL:
            return f"\x1b[90m{text}\x1b[0m"
        return f"\x1b[30;48;5;{PALETTE[self.order[char] % len(PALETTE)]}m{text}\x1b[0m"


ANSI = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "grey": 90}
"""The terminal's code of each colour word that a family may use; with `bold ` before it the code follows a 1."""


def draw_map(
    rows: tuple[str, ...], screen: Screen = PLAIN, *, colours: Mapping[str, str] | None = None, marks: Marks = NO_MARKS
) -> str:
    """A map in its own characters; `colours` are words like `grey` and `bold cyan`, by character.

    What has moved is drawn in reverse; without colours, its rows have a `<` at the end, its columns a `^` below.
    """

    def painted(cell: Cell, char: str) -> str:
        words = (colours or {}).get(char, "").split()
        codes = ["1"] if "bold" in words else []
        codes += [str(ANSI[words[-1]])] if words else []
        codes += ["7"] if cell in marks.moved else []
        return f"\x1b[{';'.join(codes)}m{char}\x1b[0m" if codes else char

    if screen.colour:
        return "\n".join("".join(painted((r, c), char) for c, char in enumerate(row)) for r, row in enumerate(rows))
    if not marks.moved:
        return "\n".join(rows)
    width = max(map(len, rows))
    changed_rows, changed_columns = ({cell[i] for cell in marks.moved} for i in (0, 1))
    lines = [f"{row:<{width}} <" if r in changed_rows else row for r, row in enumerate(rows)]
    return "\n".join([*lines, "".join("^" if c in changed_columns else " " for c in range(width)).rstrip()])


# Positions of a puzzle as its family draws them, with the way out and the goal.


def board(puzzle: Puzzle, rows: tuple[str, ...], screen: Screen = PLAIN, marks: Marks = NO_MARKS) -> str:
    """A position of a puzzle as its family draws it."""
    drawing = puzzle.record.drawing
    if drawing.style == "map":
        return draw_map(rows, screen, colours=drawing.colours, marks=marks)
    return draw_pieces(rows, screen, labels=puzzle.labels(), marks=marks)


def exit_of(puzzle: Puzzle) -> Marks:
    """The mark of the way out, where there is one."""
    find_exit = puzzle.record.drawing.exit
    return Marks(exit=find_exit(puzzle.value)) if find_exit else NO_MARKS


def position(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """The start of a puzzle with its goal: as a second board beside or below it, or in words."""
    start = board(puzzle, puzzle.board(), screen, exit_of(puzzle))
    goal = puzzle.goal_text()
    if len(goal) == 1:
        return f"{start}\n\n{paragraph(f'goal: {goal[0]}', screen.width)}"
    if not goal:
        return start
    return beside([f"start:\n{start}", f"goal:\n{board(puzzle, goal, screen)}"], screen.width)
