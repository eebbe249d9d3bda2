"""Traps: what an author writes in good faith and YAML silently drops, changes or cannot read.

YAML is made for prose, not for maps. `#` starts a comment, so a map row that is indented less than the first
one vanishes, and so do `- #..#` and `#: wall`; `@`, `*`, `!` and others have meanings of their own. These checks
hold the raw text against what the parser made of it and say what to write instead.

A trap may carry repairs, the smallest change after which YAML reads what the author most likely meant. The
file stays refused, but it can be read on, so that all of its problems are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .compose import STAND_IN, Composed, Placed, unreadable
from .nodes import Span, clip, core_value

EXCERPT = 400  # characters of a line that are looked at to tell what it is; maps are narrower


@dataclass(frozen=True, slots=True)
class Repair:
    """Replace `length` characters at a place by `text`."""

    line: int
    column: int
    length: int
    text: str


@dataclass(frozen=True, slots=True)
class Trap:
    """Something wrong in the text, what to do about it, and the repairs after which the file can be read on.

    After a `fatal` one the file cannot be read on: what the parser reads behind it would mislead.
    """

    span: Span
    message: str
    hint: str
    repairs: tuple[Repair, ...] = ()
    fatal: bool = False


def find_unreadable(lines: list[str]) -> Iterator[Trap]:
    """The first of each character that no YAML text may contain, or that breaks a line without being seen."""
    seen = set()
    for number, line in enumerate(lines):
        if line.isascii() and line.isprintable():
            continue
        for column, char in enumerate(line):
            if char not in seen and unreadable(char):
                seen.add(char)
                hint = "save the file as text, in UTF-8" if char in "\0\ufffe\uffff" else "remove it"
                yield Trap(Span(number, column), f"control character U+{ord(char):04X}", hint)


def find(lines: list[str], composed: Composed, end: int) -> list[Trap]:
    """The traps in what the parser has read: the lines before `end`, and rows behind the last value."""
    found: list[Trap] = []
    seen: set[int] = set()  # lines that belong to a value, or were meant to
    previous: Placed | None = None
    for placed in composed.placed:
        if placed.scalar.style in ("|", ">"):
            found += _lost_from_block(lines, placed, seen)
        elif previous and placed.role == "value" and not placed.scalar.style and not placed.flow:
            found += _lost_from_plain(lines, previous, placed, seen)
        previous = placed
    found += _marks(lines, composed)
    found += _lost_to_comments(lines, composed, end, seen)
    return found


def stand_in(line: int, column: int, text: str) -> Repair:
    """Let YAML read ASCII characters as if they had no meaning of their own."""
    return Repair(line, column, len(text), "".join(chr(STAND_IN + ord(char)) for char in text))


# Rows of maps and remarks

_WORD = re.compile(r"[^\W\d_]{2,}")
_START = re.compile(r"([^\W\d_]{3,})[:;,.!?]*(?:\s|$)")
_XSB_LETTERS = frozenset("bBpP")  # boxes and players in some dialects of Sokoban
_XSB_MARKS = frozenset("# .@$*+-_")
_DIVIDER = re.compile(r"#+\s*([-=~_*.+])?\1*\s*#*")
_WALLED_ROW = re.compile(r"#[#@$*+.\-_ ]*#")
KEY_LINE = re.compile(r"\s*(?:- +)*(?:[\w.-]+|'[^']*'|\"[^\"]*\"):(?:\s|$)")


def reads_like_prose(comment: str, letters: frozenset[str] = frozenset()) -> bool:
    """Whether text that starts with `#` is a remark, and not a row of a map that uses these letters."""
    words = [word for word in _WORD.findall(comment) if len(set(word.lower())) > 1 and set(word) - _XSB_LETTERS]
    body = comment.lstrip("#")
    if comment.endswith("#"):  # a wall at either end
        return len(words) > 1
    if len(words) > 2:
        return True
    if body[:1].isspace():
        if not letters:
            return bool(_letters(body) - _XSB_LETTERS)
        return not all(letters.issuperset(word) for word in words)
    start = _START.match(body)  # `#comment`, `#todo: this`
    return start is not None and not letters.issuperset(start[1])


def _rows_among(comments: list[str], letters: frozenset[str]) -> list[bool]:
    """Which of these comments are rows of a map; lines like `# ---` go with the remarks that they frame."""
    prose = [reads_like_prose(comment, letters) for comment in comments]
    framed = any(prose)
    return [not (is_prose or (framed and _DIVIDER.fullmatch(c))) for is_prose, c in zip(prose, comments, strict=True)]


def _lost_rows(lines: list[str], start: int, indent: int, letters: frozenset[str]) -> list[int]:
    """Lines from `start` on, indented more than `indent`, up to the next key; without the remarks at the end."""
    zone: list[int] = []
    for number in range(start, len(lines)):
        line = lines[number]
        if line.strip():
            if indent_of(line) <= indent or KEY_LINE.match(line):
                break
            zone.append(number)
    comments = [n for n in zone if lines[n].lstrip().startswith("#")]
    are_rows = _rows_among([_comment(lines[n]) for n in comments], letters)
    remarks = {n for n, is_row in zip(comments, are_rows, strict=True) if not is_row}
    while zone and zone[-1] in remarks:
        zone.pop()
    return zone


def _comment(line: str, column: int = 0) -> str:
    """What a comment says, as far as it matters for telling remarks from rows."""
    return line[column:].lstrip()[:EXCERPT].rstrip()


def indent_of(line: str) -> int:
    """The number of blanks before the first other character."""
    return len(line) - len(line.lstrip(" "))


def _text_span(lines: list[str], number: int) -> Span:
    """The text of a line without the blanks around it."""
    return Span(number, indent_of(lines[number]), len(lines[number].strip()))


def _how_many(count: int) -> str:
    return f" ({count} rows are lost here)" if count > 1 else ""


def _letters(text: str) -> frozenset[str]:
    return frozenset(filter(str.isalpha, text))


_INDICATOR = re.compile(r"[|>][-+0-9]*")


def _lost_from_block(lines: list[str], block: Placed, seen: set[int]) -> Iterator[Trap]:
    """Rows below `map: |` that are indented less than its first row."""
    lost = _lost_rows(lines, block.end_line, block.indent, _letters(block.scalar.text))
    bare = _not_indented(lines, block, lost[-1] + 1 if lost else block.end_line)
    if not lost and not bare:
        return
    seen.update((*lost, *bare))
    rows = [n for n in range(block.line + 1, block.end_line) if lines[n].strip()]
    above = "the first row" if rows else "the blank line above"
    first = (*lost, *bare)[0]
    count = sum(lines[n].lstrip().startswith("#") for n in (*lost, *bare))
    if lines[first].lstrip().startswith("#"):
        why = f"indented less than {above}" if lost else "not indented"
        message = f"this row is lost: it is {why}, so YAML takes it for a comment{_how_many(count)}"
    else:
        message = f"this row is indented less than {above}, so YAML does not see that it belongs to the block"
    at = _text_span(lines, first)
    header = lines[block.line]
    opening = header[: block.column].strip()
    shift = min(indent_of(lines[n]) for n in (*rows, *lost, *bare)) - block.indent
    old = _INDICATOR.match(header, block.column)
    if bare or shift > 9 or not old:
        hint = f"indent all rows by 2 blanks and write `{opening} |2` in line {block.line + 1}"
        yield Trap(at, message, hint, fatal=True)
        return
    new = f"|{shift}" + re.sub("[^-+]", "", old.group())
    hint = f"say how far the block is indented: write `{opening} {new}` in line {block.line + 1}"
    yield Trap(at, message, hint, (Repair(block.line, block.column, len(old.group()), new),))


def _not_indented(lines: list[str], block: Placed, start: int) -> list[int]:
    """Rows of a map that stand in the column of the keys, from `start` on, below the rows of a block.

    Comments stand in this column too. Below a block without text they are rows if none reads like prose; below
    a row of a map if all start and end in a wall, not all begin like `# `, and a thing of Sokoban is on one.
    """
    found: list[int] = []
    for number in range(start, len(lines)):
        if not lines[number].lstrip().startswith("#") or indent_of(lines[number]) > block.indent:
            break
        found.append(number)
    rows = [_comment(lines[n]) for n in found]
    if start == block.end_line and not block.scalar.text.strip():
        return found if all(_rows_among(rows, frozenset())) else []
    if not lines[start - 1].strip() or not all(_WALLED_ROW.fullmatch(row) for row in rows):
        return []
    things = any(set("@$*+.").intersection(row) for row in rows)
    return found if things and any(not row.startswith("# ") for row in rows) else []


def _lost_from_plain(lines: list[str], key: Placed, value: Placed, seen: set[int]) -> Iterator[Trap]:
    """Rows below `map:` without `|` that start with `#`, beside the rows that YAML joins."""
    empty = not value.scalar.text
    if value.line == key.end_line and not empty:
        return
    after = _lost_rows(lines, value.end_line + 1, value.indent, _letters(value.scalar.text))
    before = [] if empty else [n for n in range(key.end_line + 1, value.line) if lines[n].strip()]
    comments = [n for n in (*before, *after) if lines[n].lstrip().startswith("#")]
    are_rows = _rows_among([_comment(lines[n]) for n in comments], _letters(value.scalar.text))
    lost = [n for n, is_row in zip(comments, are_rows, strict=True) if is_row]
    if not lost or any(is_key(_comment(lines[n]), 0) for n in lost):  # keys have their own trap
        return
    seen.update((*before, *after))
    rows = [*before, *([] if empty else range(value.line, value.end_line + 1)), *after]
    indents = [indent_of(lines[n]) for n in rows if lines[n].strip()]
    shift = min(indents) - value.indent
    new = "|" if indents[0] == min(indents) or shift > 9 else f"|{shift}"
    colon = lines[key.end_line].find(":", key.end_column) + 1
    if not colon:  # `? key` with its `:` in another line
        return
    opening = lines[key.end_line][:colon].strip()
    yield Trap(
        _text_span(lines, lost[0]),
        "this row is lost: YAML takes `#` for a comment" + _how_many(len(lost)),
        f"write `{opening} {new}` in line {key.end_line + 1}, so that the rows are taken as they stand",
        (Repair(key.end_line, colon, 0, f" {new}"),),
    )


# Characters with a meaning of their own


def reserved(lines: list[str], line: int, column: int) -> Trap:
    """A key or value that must be in quotes because of the character that it starts with."""
    text = lines[line]
    char = text[column]
    quote = "'" if char == '"' else '"'
    repairs = (stand_in(line, column, char),)
    if is_key(text, column):
        return Trap(
            Span(line, column),
            f"`{char}` cannot be a key as it stands: it has a meaning of its own in YAML",
            f"quote it: write `{quote}{char}{quote}:`",
            repairs,
        )
    word = text[column : column + EXCERPT].rstrip()
    if "[" in text[:column] or "{" in text[:column]:  # in brackets the value ends earlier
        word = char + re.split(r"[,\]}]", word[1:])[0].rstrip()
    return Trap(
        Span(line, column, len(word)),
        f"text that starts with `{char}` must be in quotes: `{char}` has a meaning of its own in YAML",
        f"write `{in_quotes(word)}`",
        repairs,
    )


def in_quotes(text: str) -> str:
    """The text as YAML in single quotes, shortened if it is long."""
    return "'" + clip(text, 80).replace("'", "''") + "'"


def is_key(text: str, column: int) -> bool:
    """Whether the character at a column is followed by a colon that makes it a key."""
    return _ONE_KEY.match(text, column) is not None


_ONE_KEY = re.compile(r".\s?:(\s|$)")
_WORD_AT = re.compile(r"\S{0,40}")


MAX_MARKS = 100
_SIGNS = {"alias": "*", "anchor": "&", "tag": "!"}


def _marks(lines: list[str], composed: Composed) -> Iterator[Trap]:
    """Aliases, anchors and tags. Those that only look like one are text without quotes."""
    anchors = {mark.name for mark in composed.marks if mark.kind == "anchor"}
    aliases = {mark.name for mark in composed.marks if mark.kind == "alias"}
    for mark in composed.marks[:MAX_MARKS]:
        sign = _SIGNS[mark.kind]
        line = mark.span.line
        column = lines[line].find(sign, mark.span.column)
        if column < 0:  # an anchor and a tag in different lines
            line, column = mark.span.line, mark.span.column
        if lines[line][column : column + 1] == sign and (
            is_key(lines[line], column)
            or (mark.kind == "alias" and mark.name not in anchors)
            or (mark.kind == "anchor" and mark.name not in aliases and mark.plain)
            or (mark.kind == "tag" and mark.plain and not lines[line].startswith("!!", column))
        ):
            yield reserved(lines, line, column)
            continue
        word = _WORD_AT.match(lines[line], column)
        name = word.group() if word else sign
        yield Trap(
            Span(line, column, max(1, len(name))),
            f"`{name}` is a YAML {mark.kind}, which puzzles do not use",
            "write the value again" if mark.kind == "alias" else f"remove `{name}`",
            fatal=mark.kind == "alias",
        )


# Values and keys that became comments


def _comments(lines: list[str], composed: Composed, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Line and column of every comment in these lines."""
    covered: dict[int, list[tuple[int, int]]] = {n: [] for n in numbers if "#" in lines[n]}
    for placed in composed.placed:
        block = placed.scalar.style in ("|", ">")
        for n in range(placed.line, placed.end_line + 1):
            if n in covered:
                start = placed.column if n == placed.line else 0
                to_end = n < placed.end_line or (block and n == placed.line)
                covered[n].append((start, len(lines[n]) if to_end else placed.end_column))
    for n, parts in covered.items():
        k = 0
        for match in re.finditer("#", lines[n]):
            column = match.start()
            while k < len(parts) and parts[k][1] <= column:
                k += 1
            free = k == len(parts) or column < parts[k][0]
            if free and (column == 0 or lines[n][column - 1] in " \t[{,"):
                yield n, column
                break


def _lost_to_comments(lines: list[str], composed: Composed, end: int, seen: set[int]) -> Iterator[Trap]:
    """Keys and values that start with `#`, and values cut off at one."""
    last_on: dict[int, list[Placed]] = {}
    for placed in composed.placed:
        last_on.setdefault(placed.end_line, []).append(placed)
    for number, column in _comments(lines, composed, (n for n in range(min(end, len(lines))) if n not in seen)):
        comment, before = _comment(lines[number], column), lines[number][:column].rstrip()
        if not before or before[-1] in "[{,":
            if is_key(comment, 0):
                yield Trap(
                    Span(number, column),
                    "this key is lost: YAML takes `#` for a comment",
                    'quote it: write `"#":`',
                    (stand_in(number, column, "#"),),
                )
            continue
        left = [p for p in last_on.get(number, ()) if p.end_column <= column]
        if left and left[-1].role != "key" and not left[-1].scalar.style and left[-1].end_column == len(before):
            yield from _lost_value(left[-1], number, column, comment)


def _lost_value(placed: Placed, number: int, column: int, comment: str) -> Iterator[Trap]:
    """The value that a comment on its line was meant to be, or to be a part of."""
    head = re.split(r"\s+#\s", comment, maxsplit=1)[0]  # `#..#  # the first row`
    lost = head if reads_like_prose(comment) and comment[1:2].strip() else comment
    if reads_like_prose(lost):
        return
    text = placed.scalar.text
    if not text:
        message = "this value is lost: YAML takes `#` for a comment"
    elif isinstance(core_value(text), str) and (
        lost[1:2].strip() or (placed.role == "item" and _XSB_MARKS.issuperset(text + lost))
    ):
        message = "the rest of this value is lost: YAML takes ` #` for a comment"
    else:
        return
    whole = (f"{text} " if text else "") + lost
    repairs = tuple(stand_in(number, column + i, char) for i, char in enumerate(lost) if char == "#")
    yield Trap(
        Span(number, column, len(lost)),
        message,
        f"put the value in quotes: write `{in_quotes(whole)}`",
        repairs,
    )
