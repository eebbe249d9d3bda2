"""Sokoban levels in collections (XSB, SLC), read into puzzle files, and written.

Nothing but the dialect changes: the rows of a map are kept as they are, titles, authors and comments too. Solutions are
replayed, and kept in the notes of levels that they solve. `Said.signs` names the signs of files that have others than
XSB: `wall=W,floor=.,goal=o,box=b,player=p,box-on-goal=B,player-on-goal=P`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ...cells import Rows
from ...documents.compose import Span
from ...documents.document import Report
from ...documents.fields import Header
from ...documents.text_levels import Level, Said
from ...documents.write import one_line
from ...errors import ReplayError, UsageError
from ...family import Form
from ...text import counted, suggest
from . import xsb
from .reading import NO_LEVEL, check_level, levels_in, write
from .rules import Sokoban, SokobanSimulator, parse
from .xsb import FLOOR, CollectionLevel

WORDS = {
    "wall": xsb.WALL,
    "floor": FLOOR,
    "goal": xsb.GOAL,
    "box": xsb.BOX,
    "player": xsb.PLAYER,
    "box-on-goal": xsb.BOX_ON_GOAL,
    "player-on-goal": xsb.PLAYER_ON_GOAL,
}
"""What the signs of a file may mean, by the words of `--signs`."""


def _translated(lines: list[str], said: str) -> list[str]:
    """Lines with the signs of XSB in place of those that the user has named. Raises `UsageError`."""
    if not said:
        return lines
    meaning = {**dict.fromkeys(xsb.FLOORS, FLOOR), **{sign: sign for sign in WORDS.values()}}
    rest = said
    while rest:
        item = re.match(r"\s*([a-z-]+)=(.)(?:,|$)", rest)
        if not item or item[1] not in WORDS:
            hint = f"; {suggest(item[1], WORDS)}" if item else ""
            raise UsageError(f"signs are written as `wall=W,box=b`, not `{rest}`{hint}")
        meaning[item[2]] = WORDS[item[1]]
        rest = rest[item.end() :]
    table = str.maketrans(meaning)
    return [line.translate(table) if set(line) <= meaning.keys() else line for line in lines]


def levels(report: Report, said: Said) -> Iterator[Level]:
    """The levels of a collection; a solution that does not solve its level is reported."""
    collection = report.file.replace("\\", "/").rpartition("/")[2]
    for level in levels_in(_translated(report.lines, said.signs), report):
        puzzle = check_level(level, report)
        at, signs = Span(level.line, 0), set("".join(level.lines))
        took = "" if signs.isdisjoint("@+pP") or signs.isdisjoint("$*bB") else "XSB"
        if puzzle is None:
            yield Level(at, {}, took=took)
            continue
        collected = f", collected by {level.collector}" if level.collector else ""
        yield Level(
            at,
            write(puzzle, puzzle.board()),
            name=titled(level),
            took=took,
            author=level.author,
            credit=f"level {level.number} of {collection}{collected}{_copyright(level.copyright)}",
            notes="\n".join(filter(None, (level.comment, *_solutions(level, puzzle, report)))),
            checked=True,
        )


def _solutions(level: CollectionLevel, puzzle: Sokoban, report: Report) -> Iterator[str]:
    """What the notes say of each solution that solves a level."""
    for at, text in level.solutions:
        simulator = SokobanSimulator(puzzle)
        try:
            parse(puzzle, text)
            for letter in "".join(letter for letter, _ in xsb.expand(text, skip=string.whitespace)):
                simulator.step(letter.upper())
            wrong = "" if simulator.solved else "at its end not every box is on a goal"
        except ReplayError as error:
            wrong = str(error)
        if wrong:
            report.error(at, f"this solution does not solve its level: {wrong}", "the level is written without it")
        else:
            costs = (
                f"{counted(simulator.costs['pushes'], 'push', 'pushes')}, {counted(simulator.costs['moves'], 'move')}"
            )
            yield f"Solution ({costs}, replayed, not proven shortest): {''.join(text.split())}"


def titled(level: CollectionLevel) -> str:
    """The title of a level if that has letters."""
    title = " ".join(level.title.split())
    return title if any(char.isalpha() for char in title) else ""


def _copyright(holder: str) -> str:
    """The part of the credit that names the holder of the copyright: `; copyright N. N.`; empty without a holder."""
    worded = re.match(r"\(c\)|©|copyright", holder, re.IGNORECASE)
    return f"; {'' if worded else 'copyright '}{holder}" if holder else ""


# Writing


def to_xsb(header: Header, puzzle: Sokoban) -> str:
    """A level as XSB: its rows, title, author and notes."""
    return _xsb(header, xsb.file_rows(puzzle.board()))


def to_compact_xsb(header: Header, puzzle: Sokoban) -> str:
    """A level as XSB with its rows in one line, run-length encoded."""
    rows = xsb.file_rows(puzzle.board())
    return _xsb(header, ("|".join(xsb.compress(row.replace(FLOOR, "-")) for row in rows),))


def _xsb(header: Header, rows: Rows) -> str:
    lines = [*rows, f"Title: {one_line(header.name)}"]
    if header.author:
        lines.append(f"Author: {one_line(header.author)}")
    if header.notes:
        lines += ["Comment:", *header.notes.split("\n"), "Comment-End:"]
    return "\n".join(lines) + "\n"


def to_slc(header: Header, puzzle: Sokoban) -> str:
    """A level as a collection in XML."""
    rows = xsb.file_rows(puzzle.board())
    name, author = (quoteattr(one_line(text)) for text in (header.name, header.author))
    size = f'Width="{max(map(len, rows))}" Height="{len(rows)}"'
    level = f"    <Level Id={name} {size}{f' Author={author}' if header.author else ''}>"
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">',
            "<SokobanLevels>",
            f"  <Title>{escape(one_line(header.name))}</Title>",
            "  <LevelCollection>",
            level,
            *(f"      <L>{escape(row)}</L>" for row in rows),
            "    </Level>",
            "  </LevelCollection>",
            "</SokobanLevels>\n",
        ]
    )


_HELP = "Sokoban levels, rows of `#` walls, `@` player, `$` boxes, `.` goals"

_WHAT = "Sokoban level"
_OWN = (".xsb", ".sok", ".slc")

FORMS: tuple[Form[Sokoban], ...] = (
    Form("xsb", (*_OWN, ".txt"), _HELP, levels, to_xsb, _WHAT, NO_LEVEL, _OWN),
    Form("xsb-rle", (".xsb",), "the same, run-length encoded", levels, to_compact_xsb, _WHAT, NO_LEVEL, guessed=False),
    Form("slc", (".slc",), "the same in XML", levels, to_slc, _WHAT, NO_LEVEL, guessed=False),
)
