"""Sliding-block puzzles in files: maps, doors, directions, and what can be wrong with them; writing.

    board: |            # equal letters are one piece, `.` is an empty cell, `#` a wall
      aXXb
      aXXb
      cdde
      cfge
      h..i
    goal: |             # `.` is anything; a letter is a cell that this piece must cover; `#` repeats a wall
      ....
      ....
      ....
      .XX.
      .XX.

Keys that a puzzle may add; `ABC` stands for the three pieces A, B and C:

- `directions: {AB: horizontal, C: LRU, d: none}`: where a piece may go: letters of `UDLR`, or the words `up`,
  `down`, `left`, `right`, `horizontal`, `vertical`, `any` and `none`. Pieces not named here go anywhere.
- `doors`: cells that only named pieces may enter: a map of the board's size, in which a letter is a cell
  for this piece alone and `.` a cell for all, or a list, in which a cell can be for several pieces:
  `- {row: 6, col: 2, pieces: AB}`.
- `alike: BCD` (or a list of such sets): pieces of one shape that stay interchangeable although the goal names
  them: where it names one of them, any of them will do.
- `detached: X`: pieces in several parts that move together. Without it, a letter that stands in two
  unconnected places is an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ...cells import Cell, Rows, parts_of, pieces_of, place
from ...documents.compose import Mapping, Node, Scalar, Sequence, Span, describe
from ...documents.document import Report
from ...documents.fields import Fields, Grid, Header, check_rectangle, entries, names, read_grid, read_keys
from ...documents.write import flow, quoted
from ...family import Keys
from ...text import counted, suggest
from .rules import BlockPiece, SlidingBlock

EMPTY, WALL = ".", "#"
KEYS = read_keys(Path(__file__).parent)
LOOKS_EMPTY = "_-*0@~,:+"
"""Characters that other notations use for an empty cell."""

DIRECTION_WORDS = {
    "up": "U",
    "down": "D",
    "left": "L",
    "right": "R",
    "horizontal": "LR",
    "vertical": "UD",
    "any": "UDLR",
    "none": "",
}


def read(fields: Fields, header: Header) -> tuple[Header, SlidingBlock]:
    """Read a `sliding-block` document. Raises `PuzzleError` with all problems of the file."""
    report = fields.report
    board = _read_map(fields, "board", report)
    target = _read_map(fields, "goal", report)
    if board is None:
        report.raise_if_any()
        raise AssertionError
    cells = pieces_of(board.rows, EMPTY + WALL)
    _check_board(board, cells, _letters(fields.node("detached"), "detached", cells, report), report)
    directions = _read_directions(fields, cells, report)
    doors = _read_doors(fields, board, cells, report)
    pieces = {
        letter: BlockPiece(letter, tuple(where), directions.get(letter, "UDLR")) for letter, where in cells.items()
    }
    alike = _read_alike(fields, pieces, doors, report)
    goal = _read_goal(target, board, pieces, doors, report) if target else {}
    for letters in alike:
        for letter in letters.intersection(goal):
            if len(goal[letter]) < len(cells[letter]) and target:
                message = f"the goal shows only a part of piece {letter}, which is `alike` with others"
                report.error(target.span(goal[letter][0]), message, "draw the whole piece")
    report.raise_if_any()
    puzzle = SlidingBlock(
        height=board.height,
        width=board.width,
        walls=frozenset(cell for cell, char in board.cells() if char == WALL),
        pieces=tuple(pieces.values()),
        goal=tuple((letter, tuple(wanted)) for letter, wanted in goal.items()),
        doors=tuple(sorted(doors.items())),
        alike=tuple(alike),
    )
    return header, puzzle


def write(puzzle: SlidingBlock, board: Rows) -> Keys:
    """The keys of the file of the puzzle that starts at a position."""
    keys: Keys = {"board": board, "goal": puzzle.goal_text()}
    directions = {p.letter: p.directions or "none" for p in puzzle.pieces if p.directions != "UDLR"}
    if directions:
        keys["directions"] = flow(directions)
    if puzzle.doors:
        doors = [(cell, "".join(sorted(letters))) for cell, letters in puzzle.doors]
        keys["doors"] = flow([{"row": row + 1, "col": col + 1, "pieces": letters} for (row, col), letters in doors])
    if puzzle.alike:
        keys["alike"] = flow(["".join(sorted(letters)) for letters in puzzle.alike])
    detached = [piece.letter for piece in puzzle.pieces if len(parts_of(list(piece.cells))) > 1]
    if detached:
        keys["detached"] = quoted("".join(detached))
    return keys


def _read_map(fields: Fields, key: str, report: Report) -> Grid | None:
    node = fields.node(key, required=key in ("board", "goal"), example=f"{key}: |")
    grid = read_grid(node, report, key) if node is not None else None
    return grid if grid is not None and check_rectangle(grid, report, key) else None


def _same_size(grid: Grid, key: str, board: Grid, report: Report) -> bool:
    if (grid.height, grid.width) == (board.height, board.width):
        return True
    message = (
        f"`{key}` has {counted(grid.height, 'row')} and {counted(grid.width, 'column')}, "
        f"the board has {board.height} and {board.width}"
    )
    report.error(grid.row_span(0), message, "draw the whole board again, with `.` where it does not matter")
    return False


# The board


def _check_board(board: Grid, cells: dict[str, list[Cell]], detached: Collection[str], report: Report) -> None:
    if not cells:
        report.error(board.node, "no piece on the board", "write pieces as letters: equal letters are one piece")
    elif not any(char == EMPTY for _, char in board.cells()):
        report.error(board.node, "no empty cell on the board, nothing can move", "write `.` for an empty cell")
    for letter, where in cells.items():
        parts = parts_of(where)
        if len(parts) == 1 or letter in detached:
            continue
        if letter in LOOKS_EMPTY:
            hint = "write `.` for an empty cell"
        else:
            hint = f"give each piece a letter of its own; if they move as one, add `detached: {letter}`"
        count = "two" if len(parts) == 2 else str(len(parts))
        message = f"piece {letter} is in {count} unconnected parts, the second one here"
        report.error(board.span(parts[1][0]), message, hint)


# Pieces by letter


def _letters(node: Node | None, key: str, pieces: Collection[str], report: Report) -> str:
    """The letters of a scalar (`ABC`, `A B`, `A, B`) or of a list of them; unknown ones are reported."""
    if isinstance(node, Sequence):
        return "".join(_letters(item, key, pieces, report) for item in node.items)
    if node is None:
        return ""
    if not isinstance(node, Scalar):
        report.error(node, f"`{key}` must name pieces by their letters, not {describe(node)}", f"write `{key}: AB`")
        return ""
    letters = [char for char in node.text if not char.isspace() and char != ","]
    for letter in dict.fromkeys(letters):
        if letter not in pieces:
            report.error(node, f"no piece `{letter}` on the board", suggest(letter, pieces))
    return "".join(letter for letter in letters if letter in pieces)


def _read_directions(fields: Fields, pieces: Collection[str], report: Report) -> dict[str, str]:
    directions: dict[str, str] = {}
    example = "write `directions: {AB: horizontal, C: UD}`"
    for entry in entries(fields.node("directions"), report, "`directions`", example):
        allowed = _directions(entry.value, report)
        for letter in _letters(entry.key, "directions", pieces, report):
            if letter in directions:
                report.error(entry.key, f"the directions of piece {letter} are given twice", "keep one of the two")
            directions[letter] = allowed
    return directions


def _directions(node: Node, report: Report) -> str:
    """The letters of UDLR that a scalar or list of words and letters stands for."""
    directions: set[str] = set()
    items = node.items if isinstance(node, Sequence) else (node,)
    for item in items:
        words = re.split(r"[\s,]+", item.text.strip()) if isinstance(item, Scalar) else [""]
        for word in words:
            letters = DIRECTION_WORDS.get(word.lower(), word.upper())
            if not word or not set(letters) <= set("UDLR"):
                message = f"directions cannot be {describe(item)}"
                hint = suggest(word, DIRECTION_WORDS) if len(word) > 4 else "write letters of `UDLR`, or `horizontal`"
                report.error(item, message, hint)
            directions.update(letters)
    return "".join(letter for letter in "UDLR" if letter in directions)


# Doors


def _read_doors(fields: Fields, board: Grid, pieces: Collection[str], report: Report) -> dict[Cell, frozenset[str]]:
    """The cells that only some pieces may enter, with the letters of those pieces."""
    node = fields.node("doors")
    doors: dict[Cell, frozenset[str]] = {}
    if node is None:
        return doors
    if isinstance(node, Mapping):
        report.error(node, "`doors` must be a map or a list", "write `- {row: 6, col: 2, pieces: AB}` in a list")
        return doors
    as_map = not isinstance(node, Sequence) or not any(isinstance(item, Mapping) for item in node.items)
    entries = _door_map if as_map else _door_list
    for cell, letters, at in entries(fields, board, pieces, report):
        owner = board[cell]
        if cell in doors:
            report.error(at, f"{place(cell)} is given as a door twice", "name all its pieces in one entry")
        elif owner == WALL:
            report.error(at, f"a door where the board has a wall, {place(cell)}")
        elif owner != EMPTY and owner not in letters:
            report.error(at, f"piece {owner} stands on a door that it may not enter, {place(cell)}")
        doors[cell] = frozenset(letters)
    return doors


def _door_map(fields: Fields, board: Grid, pieces: Collection[str], report: Report) -> Iterator[tuple[Cell, str, Span]]:
    grid = _read_map(fields, "doors", report)
    if grid is None or not _same_size(grid, "doors", board, report):
        return
    for cell, char in grid.cells():
        if char in pieces:
            yield cell, char, grid.span(cell)
        elif char not in EMPTY + WALL:
            report.error(grid.span(cell), f"no piece `{char}` on the board", suggest(char, pieces))


def _door_list(
    fields: Fields, board: Grid, pieces: Collection[str], report: Report
) -> Iterator[tuple[Cell, str, Span]]:
    node = fields.node("doors")
    assert isinstance(node, Sequence)
    example = "- {row: 6, col: 2, pieces: AB}"
    for item in node.items:
        if not isinstance(item, Mapping):
            report.error(item, f"a door must be a mapping, not {describe(item)}", f"write `{example}`")
            continue
        door = Fields(item, report, names(KEYS, "doors"), "a door")
        cell = door.cell()
        letters = _letters(door.node("pieces", required=True, example="pieces: AB"), "pieces", pieces, report)
        if cell is None or not letters:
            continue
        if cell[0] >= board.height or cell[1] >= board.width:
            report.error(item, f"{place(cell)} is outside the board of {board.height} by {board.width} cells")
            continue
        yield cell, letters, item.span


# Goal


def _read_alike(
    fields: Fields, pieces: dict[str, BlockPiece], doors: dict[Cell, frozenset[str]], report: Report
) -> list[frozenset[str]]:
    """The sets of interchangeable pieces that the key `alike` names."""
    node = fields.node("alike")
    items = node.items if isinstance(node, Sequence) else (node,) if node else ()
    sets = [(item, _letters(item, "alike", pieces, report)) for item in items]
    if len(sets) > 1 and node and all(len(letters) == 1 for _, letters in sets):
        sets = [(node, "".join(letters for _, letters in sets))]  # [A, B, C] is one set
    taken: set[str] = set()
    for item, letters in sets:
        if len(letters) == 1:
            report.error(item, f"piece {letters} is alone here", "name all the pieces that are alike: `alike: BCD`")
        for letter in letters[1:]:
            first, other = pieces[letters[0]], pieces[letter]
            differ = (
                (first.shape != other.shape and "shape")
                or (first.directions != other.directions and "directions")
                or (any((first.letter in who) != (letter in who) for who in doors.values()) and "doors")
            )
            if differ:
                report.error(item, f"pieces {first.letter} and {letter} cannot be alike: they differ in {differ}")
        for letter in sorted(taken.intersection(letters)):
            report.error(item, f"piece {letter} is in two sets of `alike`", "keep one of the two")
        taken.update(letters)
    return [frozenset(letters) for _, letters in sets if letters]


def _read_goal(
    target: Grid, board: Grid, pieces: dict[str, BlockPiece], doors: dict[Cell, frozenset[str]], report: Report
) -> dict[str, list[Cell]]:
    """The cells that each piece of the goal must cover, by letter."""
    if not _same_size(target, "goal", board, report):
        return {}
    for cell, char in target.cells():
        if char == WALL and board[cell] != WALL:
            report.error(target.span(cell), f"a wall in `goal` where the board has none, {place(cell)}")
        elif char not in EMPTY + WALL and board[cell] == WALL:
            report.error(target.span(cell), f"the goal of piece {char} is on a wall, {place(cell)}")
    goal = pieces_of(target.rows, EMPTY + WALL)
    if not goal:
        report.error(target.node, "the goal names no piece", "write the letter of a piece where it must end")
    for letter, wanted in goal.items():
        at = target.span(wanted[0])
        if letter not in pieces:
            report.error(at, f"no piece `{letter}` on the board", suggest(letter, pieces))
            continue
        piece = pieces[letter]
        fits = list(_placements(piece, wanted))
        inside = [cells for cells in fits if all(_open(board, cell) for cell in cells)]
        if not fits and len(wanted) > len(piece.cells):
            cells = f"{counted(len(wanted), 'cell')} in the goal and {len(piece.cells)} on the board"
            report.error(at, f"piece {letter} has {cells}", "draw each piece of the goal once")
        elif not fits:
            report.error(at, f"piece {letter} has another shape in the goal than on the board", "pieces do not turn")
        elif not inside:
            if all(_open(board, cell) for cell in wanted):  # walls are reported above
                report.error(at, f"piece {letter} cannot cover these cells: the rest of it would be in a wall")
        elif all(any(letter not in doors.get(cell, letter) for cell in cells) for cells in inside):
            cell = next(cell for cell in inside[0] if letter not in doors.get(cell, letter))
            who = ", ".join(sorted(doors[cell]))
            report.error(at, f"piece {letter} may not enter its goal: {place(cell)} is a door for {who}")
    return {letter: wanted for letter, wanted in goal.items() if letter in pieces}


def _open(board: Grid, cell: Cell) -> bool:
    return 0 <= cell[0] < board.height and 0 <= cell[1] < board.width and board[cell] != WALL


def _placements(piece: BlockPiece, wanted: list[Cell]) -> Iterator[list[Cell]]:
    """The cells of the piece at each position in which it covers all the wanted cells."""
    for row, column in piece.shape:
        top, left = wanted[0][0] - row, wanted[0][1] - column
        cells = [(top + r, left + c) for r, c in piece.shape]
        if set(wanted) <= set(cells):
            yield cells
