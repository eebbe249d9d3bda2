"""Rush Hour in files: reading the board, its vehicles and the goal, and what can be wrong with them; writing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...cells import Cell, Rows, parts_of, pieces_of, place
from ...documents.compose import Mapping, Node, Scalar, Span, describe
from ...documents.document import Report
from ...documents.fields import (
    Fields,
    Grid,
    Header,
    check_rectangle,
    entries,
    names,
    read_grid,
    read_keys,
)
from ...documents.write import flow
from ...family import Keys
from ...text import counted, suggest
from ..sliding_block.rules import BlockPiece
from .rules import WAYS, RushHour

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
    pieces = pieces_of(grid.rows, EMPTY + WALL)
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
