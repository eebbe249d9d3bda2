"""What a family of puzzles is: a record of everything that is special about it.

The rest of the program asks the record and names no family. `models/families/` has the built-in ones; a family from
elsewhere is a record of the same kind (CONTRIBUTING.md, "Add a family").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from .cells import Cell, Rows
from .documents.fields import Fields, Header, Key
from .errors import Problem
from .moves import Metric, Move, Unit
from .plan import Plan, Simulator
from .task import OperatorTask, Task

if TYPE_CHECKING:
    from .documents.document import Report
    from .documents.text_levels import Level, Said

# What the metrics of moving-piece families count.

STEP = Unit("step", "steps")
"""A step moves one piece by one cell."""

SLIDE = Unit("slide", "slides")
"""A slide moves one piece along a straight line, any distance."""

MOVE = Unit("move", "moves")
"""A move moves one piece along any path; a walker by one cell."""


# How the words of a drawing look in a picture: shapes and colours, as data.

COLOURS = {
    "red": "#d63a2e",
    "orange": "#f08a24",
    "yellow": "#f2c832",
    "green": "#3f9b57",
    "blue": "#3b73c8",
    "purple": "#8a55b5",
    "pink": "#e58bb0",
    "brown": "#96623a",
    "teal": "#2f9c9a",
    "grey": "#9a9da3",
    "white": "#fbfbf7",
    "black": "#33343a",
}
"""The colours that a file may name."""

SHAPES = {
    "ball": "a ball",
    "balls": "balls on each other, from below, as large as the digits of its text say: 321",
    "disc": "a disc with the word on it",
    "square": "a square that fills its place",
    "token": "a rounded square with the word on it",
    "bar": "a bar, as wide as its number is large",
    "lamp": "a lamp that is on",
    "unlit": "a lamp that is off",
    "hole": "a hole",
    "boat": "a boat",
    "path": "ways to the sides to which the lines of a character such as `┌` lead",
    "water": "water, or what fills a glass",
    "person": "a person",
    "crate": "a crate",
    "text": "the word without a shape",
    "nothing": "nothing",
}
"""The shapes that a file may name, each with what it draws."""

LAYOUTS = {
    "rows": "each line is a row, each word a place in it",
    "stacks": "each line is a stack, its first word on top",
    "pegs": "the same, around a rod",
    "tubes": "each line is a glass, its first word at the bottom",
}
"""How the lines of a drawing stand in the picture, each with what it means."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a word looks. `colour`: its name, or none for one of the usual hues; `text`: what is written on it instead of
    the word; `size`: of a bar, the share of the width that it takes.
    """

    kind: str
    colour: str = ""
    text: str | None = None
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Appearance:
    """The shapes of words, or of the characters of a map, and how lines of words stand (`LAYOUTS`)."""

    layout: str = "rows"
    shapes: Mapping[str, Shape] = field(default_factory=dict)


V = TypeVar("V")
M = TypeVar("M", bound=Move)

Keys = dict[str, str | Rows]
"""Keys of a puzzle file: a tuple holds the rows of a map, a string is a value as it stands in the file."""


@dataclass(frozen=True, slots=True)
class Notation(Generic[V]):
    """Plans as text.

    `help` says in a sentence how a plan is written, with an example; `parse` gives the plan that a text writes (it
    need not follow the rules) and raises `ReplayError`, with the place, for any other text; `separator` stands between
    the steps of a plan in one line.
    """

    help: str
    parse: Callable[[V, str], Plan]
    separator: str = " "


@dataclass(frozen=True, slots=True)
class Sign:
    """What a character of a map stands for in a picture.

    `ground`: `wall`, `goal`, `mark` (the character itself, on the ground) or nothing. `piece`: the kind of the movable
    thing that stands there (`box` and `player` have a look of their own, others are a disc with the character); a
    kind may have several characters, as for a box on a goal and beside it. `stays`: it appears and vanishes, and never
    goes to another cell, as a light. `walks`: there is one of it, and the user moves it from cell to cell.
    """

    ground: Literal["", "wall", "goal", "mark"] = ""
    piece: str = ""
    stays: bool = False
    walks: bool = False


@dataclass(frozen=True, slots=True)
class Drawing(Generic[V]):
    """How boards are drawn.

    `pieces`: equal letters are one piece with an outline, `.` is empty, `#` a wall; `labels` gives what to write on
    pieces instead of their letters. `map`: the characters as they are; `colours` gives the colour of some of them, in
    words (`grey`, `yellow`, `bold cyan`). `signs` gives what they stand for in a picture; where it gives none at all,
    the board is lines of text. `look` gives shapes for the characters, or for the words of lines of text; None where
    the puzzle has none.
    `sides` gives thin walls: cells and the letter of the side that is closed.

    `goal_cells` gives the cells of the goal, each with the letter of the piece that has to cover it, where the board
    itself does not show them. `exit` gives the cell at the edge where the way out is, and its direction (a letter of
    UDLR); None where nothing leaves the board.
    """

    style: Literal["pieces", "map"] = "pieces"
    colours: Mapping[str, str] = field(default_factory=dict)
    labels: Callable[[V], dict[str, str]] | None = None
    signs: Callable[[V], Mapping[str, Sign]] | None = None
    sides: Callable[[V], Iterable[tuple[Cell, str]]] | None = None
    look: Callable[[V], Appearance | None] | None = None
    goal_cells: Callable[[V], Mapping[Cell, str]] | None = None
    exit: Callable[[V], tuple[Cell, str] | None] | None = None


@dataclass(frozen=True, slots=True)
class Form(Generic[V]):
    """A form in which other programs keep puzzles of a family, several a file: how it is recognised, read and written.

    `endings`: how the names of such files end, with the dot; the first is that of files that are written. `help`: what
    it is, for people. `levels(report, said)`: the levels in the lines of a report, to which what should be a level and
    is none is added. `write(header, puzzle)`: the text of a puzzle; `UsageError` says what of it the form cannot say.
    A text is in this form if a level is read of which there is no doubt (`Level.took`), or by the ending of its name
    (`by_ending`). `guessed`: whether a file is ever taken for it unasked. `what`, `hint`: a level, and how it is
    written, for a file without any.
    """

    name: str
    endings: tuple[str, ...]
    help: str
    levels: Callable[[Report, Said], Iterable[Level]] | None = None
    write: Callable[[Header, V], str] | None = None
    what: str = "level"
    hint: str = ""
    by_ending: tuple[str, ...] = ()
    guessed: bool = True


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files that a conversion has written, and the problems of the levels that could not be converted.

    `dropped`: further problems that are only counted. `form`: the name of the form that the file was taken for;
    `notes`: how what it leaves open was taken.
    """

    written: list[Path]
    problems: list[Problem]
    dropped: int = 0
    form: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Family(Generic[V, M]):
    """A family of puzzles. V is the type of its puzzles (a frozen value), M the type of its moves.

    `name`: as in `family:` of a file. `title`, `sentence`: for people. `other_names`: what such puzzles are also
    called, for suggestions.
    `metrics`: the default first. `keys`: of its files, besides those that every puzzle has.
    `sample`: a whole file of a puzzle that any engine solves at once. `samples`: more files of small puzzles, with what
    the first does not have; engines are compiled on all of them.

    `read(fields, header)` gives the puzzle of a file, and the header, which it may complete. It adds what is wrong to
    `fields.report`, and raises that (`PuzzleError`) if there is no puzzle to give.
    `ground(puzzle, metric)` gives the task; `UsageError` says why there is none.
    `simulate(puzzle)` starts playing it by the rules, written without looking at the task.
    `goal(puzzle)`: the goal for people, one line of words or the rows of a map like the board.
    `write(puzzle, board)`: the family's own keys in the file of the puzzle that starts at a position.
    `write_after(puzzle, plan)`: the same of the position where a plan ends, where a board may not show all of it.
    `counts(puzzle)`: what there is to move, with its number, as `10 vehicles`.

    `own_metrics(fields)`: the metrics that a file declares, where these are its own; then `metrics` are those of a file
    that declares none.

    `form(puzzle, metric)`: the task for engines that read operators and programs, whichever suits it; where it is not
    given, that is what `ground` gives.
    `complete(puzzle, metric)`: the operators with every move that the rules allow, also to where no goal can be reached
    from, for proofs; where it is not given, `ground` leaves out none.
    `views`: for each type that engines read in place of the task, how to make it of a puzzle and a metric.
    `notes(puzzle)`: sentences for `budge check` on what works, and may not be what the author wants.
    `remarks(puzzle, task)`: sentences for `budge explain` on what is suspicious, and what only the family can tell.
    """

    name: str
    title: str
    sentence: str
    metrics: tuple[Metric, ...]
    moves: type[M]
    keys: tuple[Key, ...]
    sample: str
    read: Callable[[Fields, Header], tuple[Header, V]]
    ground: Callable[[V, Metric], OperatorTask]
    simulate: Callable[[V], Simulator[M]]
    goal: Callable[[V], Rows]
    own_metrics: Callable[[Fields], tuple[Metric, ...]] | None = None
    write: Callable[[V, Rows], Keys] | None = None
    write_after: Callable[[V, Plan], Keys] | None = None
    counts: Callable[[V], str] | None = None
    notation: Notation[V] | None = None
    drawing: Drawing[V] = Drawing()
    forms: tuple[Form[V], ...] = ()
    other_names: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    views: Mapping[type, Callable[[V, Metric], Any]] = field(default_factory=dict)
    form: Callable[[V, Metric], Task] | None = None
    complete: Callable[[V, Metric], OperatorTask] | None = None
    remarks: Callable[[V, OperatorTask], Iterable[str]] | None = None
    notes: Callable[[V], Iterable[str]] | None = None

    def __eq__(self, other: object) -> bool:
        """Families are the same if their names are (`register` refuses another one), also after pickling."""
        return isinstance(other, Family) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(metric.name for metric in self.metrics)

    def metrics_of(self, fields: Fields) -> tuple[Metric, ...]:
        """The metrics of the puzzle of a file, the default first."""
        return self.own_metrics(fields) if self.own_metrics else self.metrics
