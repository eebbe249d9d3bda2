"""Sokoban levels in files: a map, or a level of a collection, and what can be wrong with them; writing.

The map is XSB in any common dialect (`xsb`), given as `map` or taken from a collection (`collection`) with
`source: {file: levels.xsb, level: 5}`; the collection must be below the folder of the puzzle file. Boxes that the
player can never reach are decoration if they stand on goals (many levels have such boxes in their walls) and an error
if not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.parsers import expat

from ...cells import Cell, Rows, came_from, shift
from ...documents.compose import Node, Scalar, Span, describe
from ...documents.document import MAX_BYTES, Report
from ...documents.fields import Fields, Header, names, read_grid, read_keys
from ...documents.files import FileError, inside
from ...documents.text_levels import read_text
from ...family import Keys
from ...text import clip, counted, meant
from . import xsb
from .rules import Sokoban
from .xsb import BOX, BOX_ON_GOAL, FLOOR, GOAL, PLAYER, PLAYER_ON_GOAL, WALL, CollectionLevel, LevelMap, read_collection

# Collections of levels in files: XSB (`xsb`) or SLC (`slc`), told apart by what they hold.

# SLC, the XML format of Sokoban collections.
#
#     <SokobanLevels>
#       <Title>Two rooms</Title>
#       <LevelCollection Copyright="N. N.">
#         <Level Id="Room" Width="5" Height="3">
#           <L>#####</L>
#           <L>#@$.#</L>
#           <L>#####</L>
#         </Level>
#       </LevelCollection>
#     </SokobanLevels>
#
# The parser is the standard library's expat. Collections name a document type (`<!DOCTYPE SokobanLevels SYSTEM
# ...>`), which is never fetched. A part of it in the file itself, `[ ... ]`, is refused, and with it every entity of
# one's own: they are how XML texts of a few bytes become gigabytes, or contain other files. The format needs none.


class SlcError(ValueError):
    """The error for a text that is not XML, or whose document type declares something (`[ ... ]`): place and remedy."""

    def __init__(self, span: Span, message: str, hint: str) -> None:
        super().__init__(message)
        self.span, self.hint = span, hint


def is_slc(text: str) -> bool:
    """Whether a text is meant to be XML; no row of an XSB map starts with `<`."""
    return text.lstrip().startswith("<") or "<SokobanLevels" in text


def read_slc(text: str) -> list[CollectionLevel]:
    """The levels of an SLC text, in order. Raises `SlcError`."""
    start = next((i for i in (text.find("<?xml"), text.find("<")) if i >= 0), 0)  # some have words before it
    reader = _SlcReader(text.count("\n", 0, start))
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.SkippedEntityHandler = reader.unknown
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    reader.parser = parser
    try:
        parser.Parse(text[start:], True)
    except expat.ExpatError as error:
        span = Span(reader.above + error.lineno - 1, error.offset)
        reason = expat.ErrorString(error.code)
        raise SlcError(span, f"this is not well-formed XML: {reason}", "check the tag here and those above") from None
    return reader.levels


class _SlcReader:
    """What the parser has met so far. `above`: lines of the file above the XML text."""

    parser: expat.XMLParserType

    def __init__(self, above: int) -> None:
        self.above = above
        self.levels: list[CollectionLevel] = []
        self.copyright = ""
        self.level: dict[str, str] | None = None
        self.rows: list[str] = []
        self.places: list[Span] = []
        self.inside_row = False

    def here(self) -> Span:
        return Span(self.above + self.parser.CurrentLineNumber - 1, self.parser.CurrentColumnNumber)

    def doctype(self, _name: str, _system: str | None, _public: str | None, internal: bool) -> None:
        if internal:
            hint = "remove all that stands between `[` and `]`: levels need none of it"
            raise SlcError(self.here(), "a document type with declarations, which collections may not have", hint)

    def unknown(self, name: str, _parameter: bool) -> None:
        raise SlcError(self.here(), f"`&{name};` stands for nothing that this file says", "write the character itself")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        level = {key.lower(): " ".join(value.split()) for key, value in attributes.items()}
        match name.lower():
            case "levelcollection":
                self.copyright = level.get("copyright", "")
            case "level":
                self.level, self.rows, self.places = level, [], []
            case "l" if self.level is not None:
                self.inside_row = True
                self.rows.append("")
                self.places.append(self.here())

    def text(self, text: str) -> None:
        if self.inside_row:
            if not self.rows[-1]:
                self.places[-1] = self.here()
            self.rows[-1] += text

    def end(self, name: str) -> None:
        if name.lower() == "l":
            self.inside_row = False
        elif name.lower() == "level" and self.level is not None:
            if any(row.strip() for row in self.rows):
                holder = self.level.get("copyright", "") or self.copyright
                self.levels.append(
                    CollectionLevel(
                        number=len(self.levels) + 1,
                        title=self.level.get("id", ""),
                        author=self.level.get("author", "") or _person(holder),
                        comment="",
                        line=self.places[0].line,
                        lines=tuple(row.rstrip() for row in self.rows),
                        copyright=holder,
                        places=tuple(self.places),
                    )
                )
            self.level = None


def _person(holder: str) -> str:
    """The author's name in a copyright such as `(c) 2001 N. N.`; files without an author have it only there."""
    words = re.sub(r"\(c\)|©|\bcopyright\b|\b(?:19|20)\d\d\b", " ", holder, flags=re.IGNORECASE)
    return " ".join(re.sub(r"^[\s,;:-]*(?:by\s)?", "", words, flags=re.IGNORECASE).split()).rstrip(" ,;:-")


def read_levels(path: Path, limit: int, name: str = "") -> tuple[list[CollectionLevel], Report]:
    """The levels of a file of at most `limit` bytes, and a report on its lines, named `name` or by its path.

    What is wrong with the text as a whole is in the report; maps are looked at later (`Level.map`). Raises `FileError`
    if the file cannot be read.
    """
    report = Report(name or str(path), read_text(path, limit).split("\n"))
    return levels_in(report.lines, report), report


def levels_in(lines: list[str], report: Report) -> list[CollectionLevel]:
    """The levels in lines of XSB or SLC; what is wrong with the text as a whole goes to the report."""
    text = "\n".join(lines)
    if not is_slc(text):
        return read_collection(text, sok=report.file.lower().endswith(".sok"))
    try:
        return read_slc(text)
    except SlcError as error:
        report.error(error.span, str(error), error.hint)
        return []


NO_LEVEL = "a level is rows of `#` walls, `@` player, `$` boxes, `.` goals; `#` must be in its first row"
"""A hint for files in which no level was found: how levels are written."""


KEYS = read_keys(Path(__file__).parent)

MAX_TRIED = 64
"""The most cells that are tried as the one hole in an open border."""


def read(fields: Fields, header: Header) -> tuple[Header, Sokoban]:
    """Read a `sokoban` document. Raises `PuzzleError` with all problems of the file and its collection.

    A level of a collection gives the puzzle its title and author, where the file has none.
    """
    report = fields.report
    node = fields.node("map", example="map: |2")
    source = fields.fields("source", names(KEYS, "source"), example=_SOURCE)
    puzzle, others = None, Report(report.file)
    if node is not None and fields.has("source"):
        report.error(fields.mapping.key("source"), "a level has a `map` or a `source`, not both", "remove one")
    elif node is not None:
        level_map = _read_map(node, report)
        puzzle = _check(level_map, report) if level_map is not None else None
    elif source is not None:
        others, level = _read_source(source, report)
        if level is not None:
            puzzle = check_level(level, others)
            named = fields.has("name") or not level.title
            header = replace(header, name=header.name if named else level.title, author=header.author or level.author)
    elif fields.mapping.key("map") is None and not fields.has("source"):
        fields.missing("map", f"add `map: |2` and the rows, or `{_SOURCE}`")
    report.problems += others.problems
    report.dropped += others.dropped
    report.raise_if_any()
    assert puzzle is not None
    return header, puzzle


def write(_puzzle: Sokoban, board: Rows) -> Keys:
    """The keys of the file of the level that starts at a position."""
    return {"map": xsb.file_rows(board)}


_SOURCE = "source: {file: levels.xsb, level: 1}"


def _read_map(node: Node, report: Report) -> LevelMap | None:
    grid = read_grid(node, report, "map", max_width=xsb.MAX_EXPANDED)
    if grid is None:
        return None
    return xsb.decode_map(grid.rows, lambda row, column: grid.span((row, column)), node, report)


def check_level(level: xsb.CollectionLevel, report: Report) -> Sokoban | None:
    """The puzzle of a level in a collection; None if there are problems, which go to `report`."""
    errors = report.errors
    level_map = level.map(report)
    puzzle = _check(level_map, report) if level_map is not None else None
    return puzzle if report.errors == errors else None


def _read_source(source: Fields, report: Report) -> tuple[Report, xsb.CollectionLevel | None]:
    """The level that `source` names, with a report on the collection's own lines."""
    name = source.text("file", required=True, example="file: levels.xsb")
    if name is None:
        return Report(""), None
    folder = Path(report.file).parent
    try:
        levels, others = read_levels(inside(report.folder or folder, name), MAX_BYTES, str(folder / name))
    except FileError as error:
        hint = error.hint or "the path is relative to the folder of this puzzle"
        report.error(source.node("file"), f"cannot read `{clip(name)}`: {error.reason}", hint)
        return Report(""), None
    if not levels:
        if not others.problems:
            report.error(source.node("file"), f"`{clip(name)}` holds no Sokoban level", NO_LEVEL)
        return others, None
    return others, _choose(source, name, levels, report)


def _choose(source: Fields, name: str, levels: list[xsb.CollectionLevel], report: Report) -> xsb.CollectionLevel | None:
    many = f"`{name}` has {counted(len(levels), 'level')}"
    node = source.node("level")
    if node is None:
        if len(levels) > 1 and source.mapping.key("level") is None:
            report.error(source.mapping, f"{many}: which one?", "add `level: 1`")
        return levels[0] if len(levels) == 1 else None
    if not isinstance(node, Scalar):
        report.error(node, f"`level` must be a number or a title, not {describe(node)}", "write `level: 1`")
        return None
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        if 1 <= node.value <= len(levels):
            return levels[node.value - 1]
        report.error(node, f"{many}, so there is no level {node.value}", f"write a number from 1 to {len(levels)}")
        return None
    title = node.text.strip()
    for key in (str, str.casefold):
        chosen = [level for level in levels if key(level.title) == key(title)]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            numbers = ", ".join(str(level.number) for level in chosen)
            report.error(node, f"{len(chosen)} levels have this title: {numbers}", "write the number of one")
            return None
    hint = meant(title, [level.title for level in levels]) or f"write a number from 1 to {len(levels)}"
    report.error(node, f"{many}, none of them with the title `{title}`", hint)
    return None


# Checks


def _check(level_map: LevelMap, report: Report) -> Sokoban | None:
    """The level that a map shows. Records everything that keeps it from being one; None if it has no player."""
    players = level_map.cells(PLAYER + PLAYER_ON_GOAL)
    boxes = level_map.cells(BOX + BOX_ON_GOAL)
    if not players:
        report.error(level_map.at, "no player on the map", "write `@`, or `+` on a goal, where the player starts")
    for cell in players[1:]:
        first = level_map.span(players[0])
        message = f"a second player (the first stands in line {first.line + 1}, column {first.column + 1})"
        report.error(level_map.span(cell), message, "a level has one player: keep one of the two")
    if not boxes:
        report.error(level_map.at, "no box on the map", "write `$`, or `*` on a goal, for a box")
    reached = _check_border(level_map, players[0], report) if players else None
    if reached is not None:
        _check_reach(level_map, reached, report)
    elif boxes:
        _check_counts(level_map, boxes, level_map.cells(GOAL + PLAYER_ON_GOAL + BOX_ON_GOAL), report)
    if not players:
        return None
    terrain = tuple(row.translate(_TERRAIN) for row in level_map.rows)
    return Sokoban(terrain, frozenset(boxes), players[0])


_TERRAIN = str.maketrans({PLAYER: FLOOR, BOX: FLOOR, PLAYER_ON_GOAL: GOAL, BOX_ON_GOAL: GOAL})


def _check_border(level_map: LevelMap, start: Cell, report: Report) -> frozenset[Cell] | None:
    """The cells that the player can reach if there are no boxes; None, with the hole recorded, if one can walk off
    the map.
    """
    came, outside = _walked(level_map, start)
    if outside is None:
        return frozenset(came)
    message = "the border is open: through here the player can walk off the map"
    report.error(level_map.span(_hole(level_map, start, came, outside)), message, "close it with `#`")
    return None


def _walked(level_map: LevelMap, start: Cell, closed: Cell | None = None) -> tuple[dict[Cell, Cell], Cell | None]:
    """The cells that a walk over the map reaches, each with the one before it, and the first one off the map, if any.
    Walls stop it, and the cell `closed`.
    """

    def is_on(cell: Cell) -> bool:
        return 0 <= cell[0] < len(level_map.rows) and 0 <= cell[1] < len(level_map.rows[cell[0]])

    def allowed(cell: Cell, way: str) -> bool:
        target = shift(cell, way)
        return is_on(cell) and level_map[target] != WALL and target != closed

    came = came_from([start], allowed)
    return came, next((cell for cell in came if not is_on(cell)), None)


def _hole(level_map: LevelMap, start: Cell, came: dict[Cell, Cell], outside: Cell) -> Cell:
    """Where the border is open: the outermost cell of the way out that alone would close it, as a wall.

    With more holes than one there is no such cell: then the last cell of the way out that is on the map.
    """
    cell = outside
    for _ in range(MAX_TRIED):
        if cell == start:
            break
        if _walked(level_map, start, closed=cell)[1] is None:
            row, column = cell
            beside_the_map = 0 <= row < len(level_map.rows) and column <= len(level_map.rows[row])
            return cell if beside_the_map else came[cell]
        cell = came[cell]
    return came[outside]


def _check_reach(level_map: LevelMap, reached: frozenset[Cell], report: Report) -> None:
    """Boxes and goals inside and outside the walls that surround the player."""

    def outside(char: str, what: str, lost: str) -> None:
        for cell in level_map.cells(char):
            if cell not in reached:
                message = f"this {what} outside the walls around the player, who can never {lost}"
                report.error(level_map.span(cell), message, "remove it, or open a way to it")

    outside(BOX, "box stands", "reach it")
    boxes = [cell for cell in level_map.cells(BOX + BOX_ON_GOAL) if cell in reached]
    goals = level_map.cells(GOAL + PLAYER_ON_GOAL + BOX_ON_GOAL)
    inside = [cell for cell in goals if cell in reached]
    if not boxes and level_map.cells(BOX_ON_GOAL) and not level_map.cells(BOX):
        report.error(level_map.at, "no box that the player can reach", "all boxes stand outside the player's walls")
    if len(inside) < len(boxes):
        outside(GOAL, "goal lies", "bring a box to it")
    _check_counts(level_map, boxes, inside, report)


def _check_counts(level_map: LevelMap, boxes: list[Cell], goals: list[Cell], report: Report) -> None:
    if len(boxes) <= len(goals):
        return
    spare = [cell for cell in boxes if level_map[cell] == BOX][len(goals) - len(boxes)]
    what = f"{counted(len(boxes), 'box', 'boxes')} but {counted(len(goals), 'goal') if goals else 'no goal'}"
    outside = any(cell not in goals for cell in level_map.cells(GOAL))
    message = f"{what}{' inside the walls' if outside else ''}"
    hint = "every box needs a goal (`.`); goals may be more than boxes, not fewer"
    report.error(level_map.span(spare), message, hint)
