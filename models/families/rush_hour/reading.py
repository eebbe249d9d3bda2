"""Rush Hour in files: reading the board, its vehicles and the goal, and what can be wrong with them; writing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...cells import Cell, Rows, parts_of, place
from ...documents.compose import Mapping, Node, Scalar, Span, describe
from ...documents.document import Report
from ...documents.fields import (
    Expect,
    Fields,
    Grid,
    Header,
    check_rectangle,
    entries,
    names,
    pieces_of,
    read_grid,
    read_keys,
)
from ...documents.files import FileError
from ...documents.text_levels import Level, Line, TextForm, in_blocks, lines_of_file, signs
from ...documents.write import flow
from ...family import Importer, Keys
from ...text import counted, suggest
from ..sliding_block.rules import BlockPiece
from .rules import METRICS, WAYS, RushHour

EMPTY, WALL = ".o", "#x"
SIDES = {"right": "R", "left": "L", "top": "U", "bottom": "D", "up": "U", "down": "D"}
KEYS = read_keys(Path(__file__).parent, sides=SIDES)


def read(fields: Fields, header: Header) -> tuple[Header, RushHour]:
    """Read a `rush-hour` document. Raises `PuzzleError` with all problems of the file."""
    report = fields.report
    node = fields.node("board", required=True, example="board: |")
    grid = _read_board(node, report) if node is not None else None
    turned = _read_orientation(fields, report)
    goal = _read_goal(fields, report)
    if grid is None:
        report.raise_if_any()
        raise AssertionError
    vehicles = _read_vehicles(grid, turned, report)
    exit_cell = _find_exit(goal, grid, vehicles, report) if goal else None
    report.raise_if_any()
    assert goal
    assert exit_cell
    walls = frozenset(cell for cell, char in grid.cells() if char in WALL)
    return header, RushHour(grid.height, grid.width, walls, tuple(vehicles), ((goal.letter, (exit_cell,)),))


def write(puzzle: RushHour, board: Rows) -> Keys:
    """The keys of the file of the board that starts at a position."""
    row, column = puzzle.exit_cell
    goal = {"piece": puzzle.target, "exit": {"row": row + 1, "col": column + 1}}
    keys: Keys = {"board": board, "goal": flow(goal)}
    words = {ways: word for word, ways in WAYS.items()}
    axes = {piece.letter: words[piece.directions] for piece in puzzle.pieces if len(piece.cells) == 1}
    if axes:
        keys["orientation"] = flow(axes)
    return keys


# The board


def _read_board(node: Node, report: Report) -> Grid | None:
    grid = read_grid(node, report, "board")
    if grid is not None and grid.height == 1:
        grid = _unfold(grid, node, report)
    if grid is None or not check_rectangle(grid, report, "board"):
        return None
    for mark, other, meaning in ((*EMPTY, "an empty cell"), (*WALL, "a wall")):
        cell = {char: cell for cell, char in reversed(grid.cells())}
        if mark in cell and other in cell:
            message = f"`{other}` means {meaning}, as `{mark}` does, but this board uses both"
            hint = f"if `{other}` is a piece, give it another letter; if not, write `{mark}`"
            report.error(grid.span(cell[other]), message, hint)
    return grid


def _unfold(grid: Grid, node: Node, report: Report) -> Grid | None:
    """A one-line board of 36 characters is a 6x6 board."""
    (row,), (origin,) = grid.rows, grid.origins
    if len(row) == 36:
        starts = range(0, 36, 6)
        spans = tuple(Span(origin.line, origin.column + i, 6) if grid.exact else origin for i in starts)
        return Grid(tuple(row[i : i + 6] for i in starts), spans, grid.exact, node)
    if isinstance(node, Scalar) and node.style != "|":
        message = f"a one-line board has 36 characters (6 rows of 6), this one has {len(row)}"
        report.error(node, message, "for other sizes write `board: |` and the rows below it")
        return None
    return grid


def _read_vehicles(grid: Grid, turned: dict[str, tuple[str, Scalar]], report: Report) -> list[BlockPiece]:
    pieces = pieces_of(grid, EMPTY + WALL)
    for letter, (_, key) in turned.items():
        if letter not in pieces:
            report.error(key, f"no piece `{letter}` on the board", suggest(letter, pieces))
    vehicles = []
    for letter, cells in pieces.items():
        hint = "give each vehicle a letter of its own"
        if not letter.isalnum():
            hint = "write `.` for an empty cell and `#` for a wall"
        parts = parts_of(cells)
        rows, columns = {r for r, _ in cells}, {c for _, c in cells}
        if len(parts) > 1:
            count = "two" if len(parts) == 2 else str(len(parts))
            at = grid.span(parts[1][0])
            report.error(at, f"piece {letter} is in {count} parts, the second one here", hint)
        elif len(rows) > 1 and len(columns) > 1:
            bend = next(cell for cell in cells if cell[0] != cells[0][0] and cell[1] != cells[0][1])
            if letter.isalnum():
                hint += " (or use the family `sliding-block`)"
            report.error(grid.span(bend), f"piece {letter} is not a straight line of cells", hint)
        elif len(cells) > 1:
            word = "horizontal" if len(rows) == 1 else "vertical"
            if letter in turned and turned[letter][0] != WAYS[word]:
                report.error(turned[letter][1], f"piece {letter} lies {word}ly on the board", "remove this entry")
            vehicles.append(BlockPiece(letter, tuple(cells), WAYS[word]))
        elif letter in turned:
            vehicles.append(BlockPiece(letter, tuple(cells), turned[letter][0]))
        else:
            if letter.isalnum():
                hint = f"if it is one, add `orientation: {{{letter}: horizontal}}` or `vertical`"
            message = f"piece {letter} has one cell, so the board does not show which way it moves"
            report.error(grid.span(cells[0]), message, hint)
    return vehicles


def _read_orientation(fields: Fields, report: Report) -> dict[str, tuple[str, Scalar]]:
    """The orientations in the file: for each piece its directions, and the key in the file."""
    turned: dict[str, tuple[str, Scalar]] = {}
    for entry in entries(fields.node("orientation"), report, "`orientation`", "write `orientation: {K: vertical}`"):
        word = entry.value.text if isinstance(entry.value, Scalar) else ""
        if word in WAYS:
            turned[entry.key.text] = (WAYS[word], entry.key)
        else:
            message = f"an orientation cannot be {describe(entry.value)}"
            report.error(entry.value, message, suggest(word, WAYS))
    return turned


# The goal


@dataclass(frozen=True, slots=True)
class _Goal:
    """The goal as the file has it: the piece that must get out, its exit (a side or a cell), and the places of both
    in the file.
    """

    letter: str
    exit: str | Cell
    letter_at: Node
    exit_at: Node


def _read_goal(fields: Fields, report: Report) -> _Goal | None:
    board = fields.mapping.key("board") or fields.mapping
    if not fields.has("goal"):
        return _Goal("A", "right", board, board)
    goal = fields.fields("goal", names(KEYS, "goal"), example="goal: {piece: A, exit: right}")
    if goal is None:
        return None
    letter = goal.text("piece", example="piece: A") if goal.has("piece") else "A"
    node = goal.node("exit", example="exit: right")
    side: str | Cell | None
    if isinstance(node, Mapping):
        side = Fields(node, report, names(KEYS, "goal", "exit"), "`exit`").cell()
    else:
        side = goal.choice("exit", list(SIDES)) if goal.has("exit") else "right"
    if not letter or not side:
        return None
    return _Goal(letter, side, goal.mapping.get("piece") or goal.mapping, node or goal.mapping)


def _find_exit(goal: _Goal, grid: Grid, vehicles: list[BlockPiece], report: Report) -> Cell | None:
    """The cell that the target must cover. Records why there is none."""
    letters = sorted({char for _, char in grid.cells() if char not in EMPTY + WALL})
    vehicle = next((v for v in vehicles if v.letter == goal.letter), None)
    if goal.letter not in letters:
        _missing_target(goal, grid, letters, report)
    if vehicle is None:  # if it is on the board, its shape has been reported
        return None
    find = _exit_side if isinstance(goal.exit, str) else _exit_cell
    return find(goal, grid, vehicle, report)


def _missing_target(goal: _Goal, grid: Grid, letters: list[str], report: Report) -> None:
    if not letters:
        report.error(grid.node, "no piece on the board", "write a vehicle as a run of equal letters, like `AA`")
        return
    meaning = {**dict.fromkeys(EMPTY, "an empty cell"), **dict.fromkeys(WALL, "a wall")}.get(goal.letter)
    if meaning:
        hint = f"`{goal.letter}` means {meaning}: give the piece another letter"
    else:
        example = next((letter for letter in "XRZ" if letter in letters), letters[0])
        hint = f"name the piece that must get out: `goal: {{piece: {example}, exit: right}}`"
    shown = ", ".join(letters[:40]) + (", ..." if len(letters) > 40 else "")
    report.error(goal.letter_at, f"no piece `{goal.letter}` on the board to drive out; the pieces are {shown}", hint)


def _exit_side(goal: _Goal, grid: Grid, vehicle: BlockPiece, report: Report) -> Cell | None:
    direction = SIDES[str(goal.exit)]
    if direction not in vehicle.directions:
        way, *sides = ("vertically", "top", "bottom") if direction in "LR" else ("horizontally", "right", "left")
        message = f"piece {vehicle.letter} moves {way} and cannot leave at the {goal.exit}"
        hint = f"write `goal: {{piece: {vehicle.letter}, exit: {sides[0]}}}` (or `{sides[1]}`), or name another piece"
        report.error(goal.exit_at, message, hint)
        return None
    row, column = vehicle.cells[0]
    bottom, right = grid.height - 1, grid.width - 1
    cell = {"R": (row, right), "L": (row, 0), "D": (bottom, column), "U": (0, column)}[direction]
    if grid[cell] in WALL:
        message = f"the exit of piece {vehicle.letter}, {place(cell)}, is a wall"
        report.error(grid.span(cell), message, "open it, or name the cell to reach: `exit: {row: 3, col: 6}`")
        return None
    return cell


def _exit_cell(goal: _Goal, grid: Grid, vehicle: BlockPiece, report: Report) -> Cell | None:
    assert not isinstance(goal.exit, str)
    cell = row, column = goal.exit
    lane = 0 if "R" in vehicle.directions else 1
    mine = vehicle.cells[0][lane]
    if row >= grid.height or column >= grid.width:
        size = f"{counted(grid.height, 'row')} and {counted(grid.width, 'column')}"
        report.error(goal.exit_at, f"{place(cell)} is outside the board, which has {size}", "count from 1")
    elif grid[cell] in WALL:
        report.error(goal.exit_at, f"the exit, {place(cell)}, is a wall", "name a cell that is no wall")
    elif cell[lane] != mine:
        line, key = ("column", "col") if lane else ("row", "row")
        message = f"piece {vehicle.letter} moves in {line} {mine + 1} and never reaches {place(cell)}"
        report.error(goal.exit_at, message, f"write `{key}: {mine + 1}`")
    else:
        return cell
    return None


# Rush Hour boards in lines of text, as in Michael Fogleman's database: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM
# 2332`.
#
# A board is 36 characters, row by row. The number before it is its optimum in slides in the database; elsewhere it is
# a number of the board, or whatever: it becomes what the puzzle's file expects only where the caller says so. A line
# that has no board is reported, but for comments (`#`, `;`, `//`) and a first line without digits, the heading of a
# table. The car that must get out, to the right, is `X` if that lies in row 3, else `A`.

_BOARD = "a board is 36 letters and `o`, `.` or `x` in one line"
_LINE = re.compile(
    r"(?:^(?P<slides>[0-9]{1,4})[\s,;]+)?"
    r"(?<![^\s,;\"'])(?P<board>[A-Zox.]{12}(?P<row>[A-Zox.]{6})[A-Zox.]{18})(?![^\s,;\"'])"
)


def _in_lines(report: Report, *, optima: bool = False) -> Iterator[Level]:
    """The boards in lines of 36 characters. `optima`: the number before a board is the optimum to be expected."""
    matches = [(line, match) for line, text in enumerate(report.lines) if (match := _LINE.search(text))]
    for line in _without_boards(report.lines):
        report.error(Span(line, 0, len(report.lines[line])), "this line holds no board of 6 by 6 cells", _BOARD)
    for line, match in matches:
        board, slides = match["board"], match["slides"] if optima else None
        expect = Expect({METRIC: (int(slides),)} if slides else {})
        keys = _keys(tuple(board[i : i + 6] for i in range(0, 36, 6)), _target(match["row"]))
        yield Level(Span(line, match.start("board"), 36), keys, expect=expect)


def is_boards(path: Path) -> bool:
    """Whether a file is lines of boards: one has a car that can be the one to get out."""
    try:
        return any(_target(match["row"]) for match in map(_LINE.search, lines_of_file(path)) if match)
    except FileError:
        return False


def _target(row: str) -> str:
    """The car that must get out of row 3; empty if there is none."""
    return next((letter for letter in "XA" if letter * 2 in row), "")


def _keys(board: Rows, target: str) -> Keys:
    return {"board": board, **({"goal": f"{{piece: {target}, exit: right}}"} if target not in ("", "A") else {})}


def _without_boards(lines: list[str]) -> Iterator[int]:
    """The lines that should hold a board and do not."""
    texts = [(number, line) for number, line in enumerate(lines) if line.strip()]
    for number, line in texts:
        heading = number == texts[0][0] and not any(char.isdigit() for char in line)
        if not (_LINE.search(line) or heading or re.match(r"\s*(#|;|//)", line)):
            yield number


# Rush Hour boards in rows of letters, one below the other, as people write them down.
#
# `.`, `_`, `-`, `0` or a blank is an empty cell, where there is none of these, `o`. A board all in lower case is one in
# capitals. The car that must get out, to the right, is `X`, else an `R` of two cells, else `A`, each if it lies in a
# row; else two `x` side by side. Any other `x` beside capitals is a wall.

_ROWS = "a board is rows of letters and `.`, equally long; `X`, `R` or `A` lies in a row and leaves to the right"


def _in_rows(report: Report) -> Iterator[Level]:
    return in_blocks(report, _board_in_rows, "Rush Hour board", _ROWS)


def _board_in_rows(block: list[Line]) -> Level | None:
    """A board of six by six cells with a car to bring out; one of another size, if each letter is a vehicle."""
    found = signs(block)
    if found is None or not re.fullmatch(r"[A-Za-z._0 -]+", "".join(found[0])):
        return None
    text = "\n".join(found[0])
    empty = "._0 -" if set(text) & set("._0 -") else "o"
    text = re.sub(f"[{empty}]", ".", text)
    text = text.upper() if text.islower() else text
    rows = text.split("\n")
    columns = ["".join(column) for column in zip(*rows, strict=True)]

    def lies(letter: str, lanes: list[str]) -> bool:
        return (count := text.count(letter)) > 1 and any(letter * count in lane for lane in lanes)

    target = next((a for a in "XRAx" if lies(a, rows) and (a in "XA" or text.count(a) == 2)), "")
    text = text.replace("x", "X" if target == "x" else "#")
    vehicles = all(lies(letter, rows) or lies(letter, columns) for letter in set(text) - set(".#x\n"))
    size = len(rows), len(columns)
    if not target or size == (5, 6) or not (vehicles or size == (6, 6)):  # of five rows, one is lost
        return None
    return Level(Span(block[0][0], 0, len(block[0][1])), _keys(tuple(text.split("\n")), target.upper()), rows=found[1])


METRIC = METRICS[0].name
_FORM = TextForm("rush-hour", METRIC, KEYS, read, _in_rows, "Rush Hour board", _ROWS)
_LINES = replace(_FORM, levels=_in_lines, hint=_BOARD)

IMPORTERS = (
    _FORM.importer("rush-hour-rows", (".txt",), "Rush Hour boards in rows of letters, `.` or `o`"),
    Importer(
        "rush-hour-lines",
        (".txt", ".tsv"),
        "Rush Hour boards, each a line of 36 letters, `o`, `.` or `x`",
        _LINES.convert,
        is_boards,
    ),
    Importer(
        "rush-hour-optima",
        (),
        "the same where the number before each board is its optimum in slides",
        replace(_LINES, levels=partial(_in_lines, optima=True)).convert,
    ),
)
