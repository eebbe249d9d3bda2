"""Rush Hour in other people's files: rows of signs or numbers, lines of 36 characters, tables (CSV) and objects (JSON).

`FORMS` is the table. The car that must get out leaves to the right in all of them; what else a text leaves open is told
with each level. Written are boards whose exit lies so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt

from ...cells import Cell, Rows, is_square, pieces_of, place
from ...documents.compose import Scalar, Span
from ...documents.document import Report
from ...documents.fields import MAX_SIDE, Expect, Header
from ...documents.text_levels import (
    Blocks,
    Level,
    Line,
    Record,
    Said,
    Sign,
    in_lines,
    json_root,
    lettered,
    records_of_json,
    signs,
)
from ...documents.write import flow
from ...errors import UsageError
from ...family import Form, Keys
from ...text import clip
from .rules import METRICS, WAYS, RushHour, RushHourSimulator

SLIDES = METRICS[0].name

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz123456789"
"""Letters for vehicles: in puzzle files `o` is an empty cell, and `x` a wall."""


def _took(target: str, more: str = "") -> str:
    return f"vehicle {target} leaves to the right{more}"


def _keys(board: Rows, target: str, exit_cell: Cell | None = None) -> Keys:
    if target in ("", "A") and exit_cell is None:
        return {"board": board}
    way: object = "right" if exit_cell is None else {"row": exit_cell[0] + 1, "col": exit_cell[1] + 1}
    return {"board": board, "goal": flow({"piece": target or "A", "exit": way})}


def _lettered(names: list[str]) -> dict[str, str]:
    """A letter for each vehicle."""
    return lettered(names, LETTERS, lambda name: len(name) == 1 and name.isalnum() and name not in "ox")


# Boards in rows of letters, digits or numbers, one below the other, and in one line.
#
# `.`, `_`, `-`, `-1`, `0` or a blank is an empty cell, where there is none of these, `o`; a single `-1` is the exit. A
# board all in lower case is one in capitals. The car that must get out, to the right, is `X`, else an `R` of two cells,
# else `A`, each if it lies in a row; else two `x` side by side; of numbers, 1. Any other `x` beside capitals is a wall.

_WHAT = "Rush Hour board"
_LABEL = r"\s*(#?[0-9]+[.):]?|[0-9]{1,2}[ x,]+[0-9]{1,2})\s*"
_ROWS = "a board is rows of letters and `.`, equally long; `X`, `R` or `A` lies in a row and leaves to the right"


def _board(
    signs: list[list[Sign]], said: Said, *, strict: bool = False, middle: bool = False
) -> tuple[Keys, str] | None:
    """The keys of a board, and how it was taken: of six by six cells with a car to bring out; of another size, and of
    numbers, if (nearly) each sign is a vehicle. `middle`: a car in row 3 of 6 comes first.
    """
    cells = [[sign.text for sign in row] for row in signs]
    flat = [sign for row in cells for sign in row]
    if not all(re.fullmatch(r"[A-Za-z._ -]|-?[0-9]+", sign) for sign in flat):
        return None
    numbers, lower = not any(map(str.isalpha, flat)), not any(map(str.isupper, flat))
    empty = {*"._ -", "0", "-1"} if not {*"._ -", "0", "-1"}.isdisjoint(flat) else {"o"}
    if flat.count("-1") > 1 and _lies(pieces_of(cells, "").get("0", [])):  # then vehicles are counted from 0
        empty -= {"0"}
    exits = [(r, row.index("-1")) for r, row in enumerate(cells) if "-1" in row] if "0" in flat and "0" in empty else []
    exit_cell = exits[0] if len(exits) == 1 else None
    rows = [["." if sign in empty else sign.upper() if lower else sign for sign in row] for row in cells]
    pieces = pieces_of(rows, ".")
    usual = "01" if numbers else "XARx" if middle else "XRAx"
    wanted = [said.piece.upper() if lower else said.piece] if said.piece else usual
    able = [sign for sign in wanted if _lies(pieces.get(sign, []))]
    able = [sign for sign in able if len(pieces[sign]) == 2 or said.piece or sign not in "Rx"]
    target = next((sign for sign in able if middle and sign in rows[2]), able[0] if able else "")
    vehicles = pieces.keys() - ({"x"} - {target})
    bent = [sign for sign in vehicles if not _is_straight(pieces[sign])]
    size = len(rows), len(rows[0])
    few = 3 * len(bent) <= len(vehicles) and not any(is_square(pieces[sign]) for sign in bent)
    if not target or size == (5, 6) or (bent and not (few if numbers else size == (6, 6) and not strict)):
        return None  # of five rows, one is lost
    letters = {**_lettered(sorted(vehicles - {"x"})), ".": ".", "x": "X" if target == "x" else "#"}
    board = tuple("".join(letters[sign] for sign in row) for row in rows)
    more = f"; the exit is {place(exit_cell)}" if exit_cell else ""
    return _keys(board, letters[target], exit_cell), _took(letters[target], more)


def _lies(cells: list[Cell]) -> bool:
    """Whether cells, in reading order, are several side by side in one row."""
    row, column = cells[0] if cells else (0, 0)
    return len(cells) > 1 and cells == [(row, column + i) for i in range(len(cells))]


def _is_straight(cells: list[Cell]) -> bool:
    """Whether cells are several side by side in one row or column."""
    return _lies(cells) or _lies([(column, row) for row, column in cells])


def in_rows(report: Report, said: Said) -> Iterator[Level]:
    def read(block: list[Line]) -> Level | None:
        cells = signs(block)
        board = cells and _board(cells, said)
        return Level(block[0].span, board[0], took=board[1], rows=cells) if cells and board else None

    return Blocks(read, _WHAT, _ROWS, comment=r";|//|#(?=\s|$)|```|[-=]*>", label=_LABEL).levels(report)


# Boards in lines of text, as in Michael Fogleman's database: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332`.
#
# A board is 36 characters, row by row; of another square number if each letter is a vehicle. The number before it is
# its optimum in slides in the database; elsewhere it is a number of the board, or whatever: it becomes what the
# puzzle's file expects only where the caller says so. The car that must get out is `X` if that lies in row 3, else `A`.

_BOARD = "a board is 36 letters and `o`, `.` or `x` in one line"


def in_text_lines(report: Report, said: Said, *, optima: bool = False) -> Iterator[Level]:
    """The boards in lines. `optima`: the number before a board is the optimum to be expected."""

    def read(cells: list[list[Sign]], before: str) -> Level | None:
        rows, side = tuple("".join(sign.text for sign in row) for row in cells), len(cells)
        if not re.fullmatch("[A-Zox._0-]+|[a-z._0-]+", "".join(rows)):
            return None
        board = _board(cells, said, strict=side != 6, middle=side == 6)
        if board is None and side != 6:
            return None
        slides = re.fullmatch(r"([0-9]{1,4})[\s,;]+", before) if optima else None
        expect = Expect({SLIDES: (int(slides[1]),)} if slides else {})
        keys, took = board or (_keys(rows, said.piece), "")
        return Level(cells[0][0].at, keys, took=took, expect=expect)

    return in_lines(report, read, _side, "board of 6 by 6 cells", _BOARD)


def _side(signs: int) -> int:
    """The side of a square board of at least four by four cells; 0 if so many signs are none."""
    side = isqrt(signs)
    return side if side >= 4 and side * side == signs else 0


# Vehicles in a table or as objects: `X,H,1,3,2`, `{"x": 0, "y": 2, "w": 2, "h": 1}`.

_NAMES = {
    "name": ("car", "name", "id", "vehicle", "piece", "letter", "label", "color", "colour"),
    "col": ("col", "column", "x", "c"),
    "row": ("row", "y", "r"),
    "width": ("width", "w"),
    "height": ("height", "h"),
    "length": ("length", "len", "size", "l"),
    "way": ("orientation", "direction", "dir", "orient", "o", "axis"),
    "turned": ("horizontal", "ishorizontal", "is_horizontal"),
    "upright": ("vertical", "isvertical", "is_vertical"),
    "target": ("target", "istarget", "is_target", "main", "red", "isred", "player", "isplayer", "goal"),
}
"""What the values of a vehicle are called."""

_CARS = "a vehicle has a name, an orientation (H or V), a column, a row and a length"
_RED = ("X", "RED", "R", "A", "0", "1")
"""Names of the car that must get out, the first that there is."""


Values = dict[str, Scalar]
"""The values of a vehicle by the keys of `_NAMES`."""


def _values(record: Record) -> Values:
    return {name: record[key] for name, keys in _NAMES.items() for key in reversed(keys) if key in record}


def _is_car(values: Values) -> bool:
    return {"row", "col"} <= values.keys() and not {"length", "width", "height"}.isdisjoint(values)


@dataclass(frozen=True, slots=True)
class _Car:
    """A vehicle of a table: its name, its cells as the table counts them, whether it lies, and whether it is the one to
    get out.
    """

    name: str
    at: Span
    cells: tuple[Cell, ...]
    flat: bool
    red: bool


def _car(values: Values, at: Span, number: int, report: Report) -> _Car | None:
    """The vehicle of a record; None, with what is wrong recorded, if it is none."""
    sizes = {key: values[key] for key in ("row", "col", "length", "width", "height") if key in values}
    wrong = next((key for key, node in sizes.items() if not re.fullmatch("[0-9]{1,3}", node.text)), None)
    if wrong:
        report.error(sizes[wrong], f"the {wrong} of a vehicle is a number, not `{clip(sizes[wrong].text)}`", _CARS)
        return None
    size = {key: int(node.text) for key, node in sizes.items()}
    word = values["way"].text.strip().lower()[:1] if "way" in values else ""
    for key, yes, no in (("turned", "h", "v"), ("upright", "v", "h")):
        word = (yes if values[key].text.lower() == "true" else no) if key in values else word
    flat = {"h": True, "x": True, "v": False, "y": False}.get(word)
    if "length" in size:
        if flat is None:
            report.error(values.get("way", at), "this vehicle lies neither horizontally nor vertically", "write H or V")
            return None
        size |= {"width": size["length"] if flat else 1, "height": 1 if flat else size["length"]}
    height, width = size.get("height", 1), size.get("width", 1)
    if min(height, width) != 1:
        report.error(at, f"this vehicle has {width} by {height} cells; one is a straight line of cells", _CARS)
        return None
    top, left = size["row"], size["col"]
    cells = tuple((row, column) for row in range(top, top + height) for column in range(left, left + width))
    name = values["name"].text.strip() if "name" in values else str(number)
    red = "target" in values and values["target"].text.lower() in ("true", "yes")
    return _Car(name, at, cells, width > 1 or (height == 1 and flat is True), red)


def _of_cars(records: list[tuple[Values, Span]], around: Record, base: int, report: Report, said: Said) -> Level:
    """The level of a list of vehicles; `around` may have the size of the board. Without it, it is the least square
    that has room for them, of at least six by six cells. `base`: from where they count, if no 0 and no size says it.
    """

    def size(otherwise: int, *keys: str) -> int:
        numbers = (int(around[key].text) for key in keys if key in around and around[key].text.isdigit())
        return next(numbers, otherwise)

    errors, at = report.errors, records[0][1]
    cars = [car for number, (values, span) in enumerate(records, 1) if (car := _car(values, span, number, report))]
    cells = [cell for car in cars for cell in car.cells]
    ends = [max((cell[axis] for cell in cells), default=0) for axis in (0, 1)]
    limits = ("height", "rows", "h", "size", "n"), ("width", "cols", "columns", "w", "size", "n")
    if not all(map(min, cells)):
        base = 0
    elif any(end == size(6, *limit) for end, limit in zip(ends, limits, strict=True)):
        base = 1
    side = max(6, *(end - base + 1 for end in ends))
    height, width = (min(MAX_SIDE, size(side, *limit)) for limit in limits)
    taken: dict[Cell, str] = {}
    for car in cars:
        over = next((cell for cell in car.cells if cell in taken), None)
        if not all(base <= row < height + base and base <= column < width + base for row, column in car.cells):
            message = f"vehicle {car.name} lies outside the board of {height} by {width} cells"
            report.error(car.at, message, f"rows and columns count from {base}")
        elif car.name in taken.values():
            report.error(car.at, f"a second vehicle {car.name}", "give each vehicle a name of its own")
        elif over:
            message = f"vehicle {car.name} lies on vehicle {taken[over]}, row {over[0]}, column {over[1]}"
            report.error(car.at, message, "two vehicles never share a cell")
        taken |= dict.fromkeys(car.cells, car.name)
    wanted = [said.piece] if said.piece else [*(car.name for car in cars if car.red), *_RED]
    red = next((car for name in wanted for car in cars if car.name.upper() == name.upper()), None)
    if red is None:
        report.error(at, "which vehicle must get out is not said", "call it X, or name it with `--piece NAME`")
    elif not red.flat:
        report.error(red.at, f"vehicle {red.name} must get out to the right, and stands upright", "write H, not V")
    took = f"; the board has {height} by {width} cells, counted from {base}"
    if report.errors > errors or red is None:
        return Level(at, {}, took=took)
    letters = {"": ".", **_lettered([car.name for car in cars])}
    board = tuple(
        "".join(letters[taken.get((row, column), "")] for column in range(base, width + base))
        for row in range(base, height + base)
    )
    keys = _keys(board, letters[red.name])
    if single := {letters[car.name]: list(WAYS)[not car.flat] for car in cars if len(car.cells) == 1}:
        keys["orientation"] = flow(single)
    return Level(at, keys, took=_took(red.name, took))


def in_table(report: Report, said: Said) -> Iterator[Level]:
    """Vehicles in CSV, with a header or as `NAME,H or V,COLUMN,ROW,LENGTH`; boards have empty lines, another header, or
    a column `board` or `level` between them.
    """
    columns: list[str] = []
    board: list[tuple[Values, Span]] = []
    name = group = ""
    for number, text in enumerate([*report.lines, ""]):
        delimiter = max(",;\t", key=text.count)
        cells = [
            Scalar(cell[1], Span(number, cell.start(1), max(1, len(cell[1]))))
            for cell in re.finditer(rf"(?:^|{delimiter})[ \"']*([^{delimiter}]*?)[ \"']*(?={delimiter}|$)", text)
        ]
        words = [cell.text.lower() for cell in cells]
        if re.match(r"\s*(#|;|//)", text):
            continue
        if not columns and re.fullmatch(r"[^,]+,[hv]\w*,\d+,\d+,\d+", ",".join(words)):
            columns = ["car", "orientation", "col", "row", "length"]
        heading = _is_car(_values(dict(zip(words, cells, strict=True))))
        record = dict(zip(columns, cells, strict=True)) if len(columns) == len(cells) and not heading else {}
        level = next((record[key].text for key in ("board", "level", "puzzle", "game") if key in record), group)
        title = len(cells) == 1 and bool(re.search("[A-Za-z]", text))
        if board and (not text.strip() or heading or title or level != group):
            yield _named(_of_cars(board, {}, 1, report, said), name)
            board, name = [], ""
        if record:
            name, group = level or name, level
            board.append((_values(record), Span(number, 0, len(text))))
        elif heading:
            columns = words
        elif title:
            name = text.strip(" #:")
        elif text.strip():
            count = f"has {len(cells)} values, its heading {len(columns)}" if columns else "holds no vehicle"
            report.error(Span(number, 0, len(text)), f"this line {count}", _CARS)


def _named(level: Level, name: str) -> Level:
    return replace(level, name=f"Level {name}" if name.isdigit() else name)


def in_json(report: Report, said: Said) -> Iterator[Level]:
    """Vehicles as objects of JSON, in lists that may be among others."""
    root = json_root(report.lines)
    for around, at, objects in records_of_json(root) if root is not None else ():
        values = [(_values(record), node.span) for record, node in objects]
        cars = [car for car in values if _is_car(car[0])]
        if 2 * len(cars) < len(values):
            continue
        for _, span in (other for other in values if other not in cars):
            report.error(span, "this object is no vehicle: it has no place or no size", _CARS)
        level = _of_cars(cars, around, 0, report, said)
        name = next((around[key].text for key in ("name", "title", "level", "id") if key in around), "")
        yield _named(replace(level, at=at.span, keys=level.keys if len(cars) == len(values) else {}), name)


# Writing


def _cells(puzzle: RushHour, form: str, *, walls: bool = False, single: bool = False) -> list[str]:
    """The rows of a board, whose exit is at the right. Raises `UsageError` for what a form cannot say."""
    way = puzzle.exit()
    wrong = "another exit than the right end of a row" if way is None or way[1] != "R" else ""
    wrong = "walls" if puzzle.walls and not walls else wrong
    wrong = "a vehicle of one cell" if not single and any(len(p.cells) == 1 for p in puzzle.pieces) else wrong
    if wrong:
        raise UsageError(f"{form} cannot say {wrong}")
    return list(RushHourSimulator(puzzle).board())


def _again(puzzle: RushHour, rows: list[str], form: str, *, middle: bool = False) -> list[str]:
    """The rows with letters from which the same vehicle is taken for the one to get out: it may have to be X or A."""
    for letter in (puzzle.target, "X", "A"):
        swap = str.maketrans({puzzle.target: letter, letter: puzzle.target, "#": "x"})
        text = [row.translate(swap) for row in rows]
        board = _board([[Sign(char, Span(0, 0)) for char in row] for row in text], Said(), strict=True, middle=middle)
        if board and board[1] == _took(letter) and board[0]["board"] == tuple(row.replace("x", "#") for row in text):
            return text
    raise UsageError(f"{form} cannot say this board: no letters tell which vehicle gets out")


def to_rows(_header: Header, puzzle: RushHour) -> str:
    """A board as rows of letters."""
    return "\n".join(_again(puzzle, _cells(puzzle, "rush-hour-rows", walls=True), "rush-hour-rows")) + "\n"


def to_line(_header: Header, puzzle: RushHour) -> str:
    """A square board in one line, as in Fogleman's database."""
    if puzzle.height != puzzle.width or puzzle.height < 4:
        raise UsageError(f"rush-hour-lines has square boards, not {puzzle.height} by {puzzle.width} cells")
    if not all("A" <= piece.letter <= "Z" for piece in puzzle.pieces):
        raise UsageError("rush-hour-lines cannot say vehicles that are no capital letters")
    rows = _again(puzzle, _cells(puzzle, "rush-hour-lines", walls=True), "rush-hour-lines", middle=puzzle.height == 6)
    return "".join(rows).replace(".", "o") + "\n"


def _vehicles(puzzle: RushHour, form: str) -> Iterator[tuple[str, str, int, int, int, int]]:
    """Each vehicle: its name, H or V, its column and row, from 0, its width and height."""
    _cells(puzzle, form, single=True)
    taken = next((name for name in _RED for piece in puzzle.pieces if piece.letter.upper() == name), "")
    swap = {} if taken == puzzle.target else {puzzle.target: "X", "X": puzzle.target}
    for piece in puzzle.pieces:
        (row, column), (bottom, right) = piece.cells[0], piece.cells[-1]
        way = "H" if piece.directions == WAYS["horizontal"] else "V"
        yield swap.get(piece.letter, piece.letter), way, column, row, right - column + 1, bottom - row + 1


def to_table(_header: Header, puzzle: RushHour) -> str:
    """A board as CSV: columns and rows count from 1."""
    cars = list(_vehicles(puzzle, "rush-hour-csv"))
    side = max(6, *(max(x + w, y + h) for _, _, x, y, w, h in cars))
    if (side, side) != (puzzle.height, puzzle.width):
        what = f"this board of {puzzle.height} by {puzzle.width} cells would become one of {side} by {side}"
        raise UsageError(f"rush-hour-csv does not say how large a board is: {what}")
    rows = [f"{name},{way},{x + 1},{y + 1},{max(w, h)}" for name, way, x, y, w, h in cars]
    return "\n".join(["car,orientation,col,row,length", *rows]) + "\n"


def to_json(header: Header, puzzle: RushHour) -> str:
    """A board as JSON: `x` and `y` count from 0."""
    cars = [
        json.dumps({"name": name, "orientation": way, "x": x, "y": y, "w": w, "h": h})
        for name, way, x, y, w, h in _vehicles(puzzle, "rush-hour-json")
    ]
    about = json.dumps({"name": header.name, "width": puzzle.width, "height": puzzle.height})[:-1]
    listed = ",\n  ".join(cars)
    return f'{about}, "cars": [\n  {listed}\n]}}\n'


_ROWS_HELP = "Rush Hour boards in rows of letters, digits or numbers"
_LINES_HELP = "Rush Hour boards, each a line of 36 letters, `o`, `.` or `x`"
_OPTIMA_HELP = "the same where the number before each board is its optimum in slides"
_TABLE_HELP = "Rush Hour vehicles in a table: car, orientation, col, row, length"
_JSON_HELP = "Rush Hour vehicles as objects in JSON, with x, y, w and h, or a length"

FORMS: tuple[Form[RushHour], ...] = (
    Form("rush-hour-rows", (".txt", ".json"), _ROWS_HELP, in_rows, to_rows, _WHAT, _ROWS),
    Form("rush-hour-lines", (".txt", ".tsv"), _LINES_HELP, in_text_lines, to_line, _WHAT, _BOARD),
    Form("rush-hour-optima", (), _OPTIMA_HELP, partial(in_text_lines, optima=True), None, _WHAT, _BOARD, guessed=False),
    Form("rush-hour-csv", (".csv", ".tsv", ".txt"), _TABLE_HELP, in_table, to_table, _WHAT, _CARS),
    Form("rush-hour-json", (".json", ".txt"), _JSON_HELP, in_json, to_json, _WHAT, _CARS),
)
