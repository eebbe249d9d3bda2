"""Traps: what an author writes in good faith and YAML silently drops, changes or cannot read.

YAML is made for prose, not for maps. `#` starts a comment, so a map row that is indented less than the first
one vanishes, and so do `- #..#` and `#: wall`; `@`, `*`, `!` and others have meanings of their own. These rules
hold the raw text against what the parser made of it and say what to write instead.

A rule recognises a mistake and gives a `Trap`: its place, a message, what to do and, where that is certain, repairs:
the smallest change after which YAML reads what the author most likely meant. The file stays refused, but it can be
read on, so that all of its problems are reported at once. (`syntax` has the rules for what stops the parser.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..text import clip, counted
from .compose import STAND_IN, Composed, Placed, Span, core_value, unreadable

EXCERPT = 400  # characters of a line that are looked at to tell what it is; maps are narrower
MAX_MARKS = 100


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


def find(lines: list[str], composed: Composed) -> list[Trap]:
    """The traps in what the parser has read, and in the rows behind the last value.

    Rows that were lost are given back before anything else is made of the `#` in them.
    """
    caught = [*_lost_rows(lines, composed.placed), *_cut_at_commas(lines, composed.placed)]
    if not any(trap.repairs for trap in caught):
        caught += _lost_to_comments(lines, composed)
    return [*caught, *_marks(lines, composed)]


def repair(lines: list[str], caught: Iterable[Trap]) -> bool:
    """Make the repairs of traps in the lines, from the end; whether there were any."""
    repairs = {repair for trap in caught for repair in trap.repairs}
    for fix in sorted(repairs, key=lambda r: (r.line, r.column), reverse=True):
        line = lines[fix.line]
        lines[fix.line] = line[: fix.column] + fix.text + line[fix.column + fix.length :]
    return bool(repairs)


# Text and places


KEY_LINE = re.compile(r"\s*(?:- +)*(?:[\w.-]+|'[^']*'|\"[^\"]*\"):(?:\s|$)")
_ONE_KEY = re.compile(r".\s?:(\s|$)")


def is_key(text: str, column: int) -> bool:
    """Whether the character at a column is followed by a colon that makes it a key."""
    return _ONE_KEY.match(text, column) is not None


def indent_of(line: str) -> int:
    """The number of spaces before the first other character."""
    return len(line) - len(line.lstrip(" "))


def text_span(lines: list[str], number: int) -> Span:
    """The text of a line without the spaces around it."""
    return Span(number, indent_of(lines[number]), max(1, len(lines[number].strip())))


def in_quotes(text: str) -> str:
    """The text as YAML in single quotes, shortened if it is long."""
    return "'" + clip(text, 80).replace("'", "''") + "'"


def stand_ins(line: int, column: int, text: str, chars: str) -> tuple[Repair, ...]:
    """Repairs that hide these characters of a text from YAML's parser (see `STAND_IN`), so that it reads on."""
    places = [i for i, char in enumerate(text) if char in chars]
    return tuple(Repair(line, column + i, 1, chr(STAND_IN + ord(text[i]))) for i in places)


# Rows of maps and remarks

_WORD = re.compile(r"[^\W\d_]{2,}")
_FIRST_WORD = re.compile(r"([^\W\d_]{3,})[:;,.!?]*(?:\s|$)")
_DIVIDER = re.compile(r"#+\s*([-=~_*.+])?\1*\s*#*")
_WALLED_ROW = re.compile(r"#[#@$*+.\-_ ]*#")


def is_remark(comment: str, letters: frozenset[str] = frozenset()) -> bool:
    """Whether text that starts with `#` is a remark, and not a row of a map that uses these letters.

    A word is two or more letters, not all the same. `#AB..#`, between two walls, is a row even with a word. Otherwise
    a remark begins `# ` and has a word that the map's letters do not spell, or begins with one (`#todo: this`).
    """
    words = [word for word in _WORD.findall(comment) if len(set(word.lower())) > 1]
    if comment.endswith("#"):
        return len(words) > 1
    body = comment.lstrip("#")
    if not body[:1].isspace():
        first = _FIRST_WORD.match(body)
        telling = [first[1]] if first else []
    else:
        telling = words if letters else list(filter(str.isalpha, body))
    return len(words) > 2 or not all(letters.issuperset(word) for word in telling)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _excerpt(line: str, column: int = 0) -> str:
    """The beginning of a comment, long enough to decide whether it is a remark or a row of a map."""
    return line[column:].lstrip()[:EXCERPT].rstrip()


def _rows_among(lines: list[str], numbers: Iterable[int], letters: frozenset[str]) -> list[int]:
    """Those of the comments in these lines that are rows of a map. Lines like `# ---` count as a part of remarks."""
    comments = {n: _excerpt(lines[n]) for n in numbers if _is_comment(lines[n])}
    remarks = {n for n, comment in comments.items() if is_remark(comment, letters)}
    if remarks:
        remarks.update(n for n, comment in comments.items() if _DIVIDER.fullmatch(comment))
    return [n for n in comments if n not in remarks]


def _below(lines: list[str], start: int, indent: int, letters: frozenset[str]) -> list[int]:
    """Lines from `start` on, indented more than `indent`, up to the next key; without the remarks at the end."""
    zone: list[int] = []
    for number in range(start, len(lines)):
        if lines[number].strip():
            if indent_of(lines[number]) <= indent or KEY_LINE.match(lines[number]):
                break
            zone.append(number)
    rows = _rows_among(lines, zone, letters)
    while zone and _is_comment(lines[zone[-1]]) and zone[-1] not in rows:
        zone.pop()
    return zone


def _in_key_column(lines: list[str], block: Placed, start: int) -> list[int]:
    """Rows of a map that stand in the column of the keys, from `start` on, below the rows of a block.

    Comments stand in this column too. Below a block without text they are rows if none reads like prose; directly
    below a row of a map if all are walls at both ends with signs between.
    """
    numbers: list[int] = []
    for number in range(start, len(lines)):
        if not _is_comment(lines[number]) or indent_of(lines[number]) > block.indent:
            break
        numbers.append(number)
    if start == block.end_line and not block.scalar.text.strip():
        return numbers if numbers == _rows_among(lines, numbers, frozenset()) else []
    rows = [_excerpt(lines[n]) for n in numbers]
    walled = lines[start - 1].strip() and all(map(_WALLED_ROW.fullmatch, rows))
    return numbers if walled and re.search("[@$*+.]", "".join(rows)) else []


def _lost_rows(lines: list[str], placed: list[Placed]) -> Iterator[Trap]:
    """Rows of maps that YAML takes for comments, or does not see as part of the map."""
    for number, value in enumerate(placed):
        if value.scalar.style in ("|", ">"):
            yield from _lost_from_block(lines, value)
        elif number and value.role == "value" and not value.scalar.style and not value.flow:
            yield from _lost_from_plain(lines, placed[number - 1], value)


def _letters(scalar: str) -> frozenset[str]:
    return frozenset(filter(str.isalpha, scalar))


def _how_many(count: int) -> str:
    return f" ({counted(count, 'row')} are lost here)" if count > 1 else ""


_INDICATOR = re.compile(r"[|>][-+0-9]*")


def _lost_from_block(lines: list[str], block: Placed) -> Iterator[Trap]:
    """Rows below `map: |` that are indented less than its first row."""
    lost = _below(lines, block.end_line, block.indent, _letters(block.scalar.text))
    bare = _in_key_column(lines, block, lost[-1] + 1 if lost else block.end_line)
    if not lost and not bare:
        return
    gone = [*lost, *bare]
    rows = [n for n in range(block.line + 1, block.end_line) if lines[n].strip()]
    above = "the first row" if rows else "the blank line above"
    if _is_comment(lines[gone[0]]):
        why = f"indented less than {above}" if lost else "not indented"
        count = sum(_is_comment(lines[n]) for n in gone)
        message = f"this row is lost: it is {why}, so YAML takes it for a comment{_how_many(count)}"
    else:
        message = f"this row is indented less than {above}, so YAML does not see that it belongs to the block"
    at, header = text_span(lines, gone[0]), lines[block.line]
    opening, where = header[: block.column].strip(), f"in line {block.line + 1}"
    shift = min(indent_of(lines[n]) for n in (*rows, *gone)) - block.indent
    old = _INDICATOR.match(header, block.column)
    if bare or shift > 9 or not old:
        yield Trap(at, message, f"indent all rows by 2 spaces and write `{opening} |2` {where}", fatal=True)
        return
    new = f"|{shift}" + re.sub("[^-+]", "", old.group())
    hint = f"say how far the block is indented: write `{opening} {new}` {where}"
    yield Trap(at, message, hint, (Repair(block.line, block.column, len(old.group()), new),))


def _lost_from_plain(lines: list[str], key: Placed, value: Placed) -> Iterator[Trap]:
    """Rows below `map:` without `|` that start with `#`, beside the rows that YAML joins."""
    letters, empty = _letters(value.scalar.text), not value.scalar.text
    if value.line == key.end_line and not empty:
        return
    joined = [] if empty else range(key.end_line + 1, value.end_line + 1)
    rows = [*(n for n in joined if lines[n].strip()), *_below(lines, value.end_line + 1, value.indent, letters)]
    lost = _rows_among(lines, rows, letters)
    if not lost or any(is_key(_excerpt(lines[n]), 0) for n in lost):  # keys have their own trap
        return
    colon = lines[key.end_line].find(":", key.end_column) + 1
    if not colon:  # `? key` with its `:` in another line
        return
    indents = [indent_of(lines[n]) for n in rows]
    shift = min(indents) - value.indent
    new = "|" if indents[0] == min(indents) or shift > 9 else f"|{shift}"
    yield Trap(
        text_span(lines, lost[0]),
        "this row is lost: YAML takes `#` for a comment" + _how_many(len(lost)),
        f"write `{lines[key.end_line][:colon].strip()} {new}` in line {key.end_line + 1}, "
        "so that the rows are taken as they stand",
        (Repair(key.end_line, colon, 0, f" {new}"),),
    )


# Keys and values that became comments


def _lost_to_comments(lines: list[str], composed: Composed) -> Iterator[Trap]:
    """Keys and values that start with `#`, and values cut off at one."""
    mark = getattr(composed.error, "problem_mark", None)
    last: dict[int, Placed] = {}  # the last scalar that ends in a line
    inside: set[int] = set()  # lines of which the end belongs to a scalar
    for placed in composed.placed:
        last[placed.end_line] = placed
        inside.update(range(placed.line, placed.end_line))
    for number, line in enumerate(lines[: mark.line] if mark else lines):
        before = last.get(number)
        comment = None if number in inside else _COMMENT.search(line, before.end_column if before else 0)
        if not comment:
            continue
        column, text = comment.start(), line[: comment.start()].rstrip()
        if text[-1:] in ("", "[", "{", ","):
            if is_key(line, column):
                message, hint = "this key is lost: YAML takes `#` for a comment", 'quote it: write `"#":`'
                yield Trap(Span(number, column), message, hint, stand_ins(number, column, "#", "#"))
        elif before and before.end_column == len(text):
            yield from _lost_value(before, number, column, _excerpt(line, column))


_COMMENT = re.compile(r"(?<![^ \t\[{,])#")


def _lost_value(placed: Placed, number: int, column: int, comment: str) -> Iterator[Trap]:
    """The trap of a value that starts with `#`, or is cut off at ` #`, because YAML takes the rest for a comment."""
    if placed.role == "key" or placed.scalar.style:
        return
    head = re.split(r"\s+#\s", comment, maxsplit=1)[0]  # `#..#  # the first row`
    lost = head if is_remark(comment) and comment[1:2].strip() else comment
    if is_remark(lost):
        return
    text = placed.scalar.text
    signs = placed.role == "item" and not any(map(str.isalnum, text + lost))  # a row in a list, as `- $ #@ #`
    if not text:
        message = "this value is lost: YAML takes `#` for a comment"
    elif isinstance(core_value(text), str) and (lost[1:2].strip() or signs):
        message = "the rest of this value is lost: YAML takes ` #` for a comment"
    else:
        return
    hint = f"put the value in quotes: write `{in_quotes(f'{text} {lost}'.lstrip())}`"
    yield Trap(Span(number, column, len(lost)), message, hint, stand_ins(number, column, lost, "#"))


# Text in brackets that ends too early


def quote_in_brackets(lines: list[str], placed: Placed, message: str) -> Trap | None:
    """The repair of an expression in brackets or braces at which YAML ends too early: `min(n, 3)`, `at[x] == left`."""
    line, start = lines[placed.line], placed.column
    closers, depth, end = {")": "(", "]": "[", "}": "{"}, list[str](), start
    for end in range(start, min(len(line), start + EXCERPT)):
        char = line[end]
        if char in "([{":
            depth.append(char)
        elif depth and char in closers:
            if depth.pop() != closers[char]:
                return None
        elif not depth and (char in ",]}" or (char == ":" and line[end + 1 : end + 2] in ("", " "))):
            break
    else:
        return None
    text = line[start:end].rstrip()
    span = Span(placed.line, start, max(1, len(text)))
    hint = f"put it in quotes, `{in_quotes(text)}`, or on a line of its own"
    return Trap(span, message, hint, stand_ins(placed.line, start, text, "[]{},"))


def _cut_at_commas(lines: list[str], placed: Iterable[Placed]) -> Iterator[Trap]:
    """Traps of texts in brackets or braces that YAML cuts off at a comma: `{n: min(n, 3)}`."""
    behind = (0, 0)
    for value in placed:
        text = value.scalar.text
        if (value.line, value.column) < behind or not value.flow or value.scalar.style or value.line != value.end_line:
            continue
        if text.count("(") > text.count(")") and lines[value.end_line][value.end_column :].lstrip().startswith(","):
            trap = quote_in_brackets(lines, value, "in brackets and braces YAML ends this text at its comma")
            if trap is not None:
                behind = trap.span.line, trap.span.column + trap.span.width
                yield trap


# Characters with a meaning of their own


def reserved(lines: list[str], line: int, column: int) -> Trap:
    """A key or value that must be in quotes because of the character that it starts with."""
    text, char = lines[line], lines[line][column]
    repairs = stand_ins(line, column, char, char)
    if is_key(text, column):
        quote = "'" if char == '"' else '"'
        message = f"`{char}` cannot be a key as it stands: it has a meaning of its own in YAML"
        return Trap(Span(line, column), message, f"quote it: write `{quote}{char}{quote}:`", repairs)
    word = text[column : column + EXCERPT].rstrip()
    if "[" in text[:column] or "{" in text[:column]:  # in brackets the value ends earlier
        word = char + re.split(r"[,\]}]", word[1:])[0].rstrip()
    message = f"text that starts with `{char}` must be in quotes: `{char}` has a meaning of its own in YAML"
    return Trap(Span(line, column, len(word)), message, f"write `{in_quotes(word)}`", repairs)


_SIGNS = {"alias": "*", "anchor": "&", "tag": "!"}


def _marks(lines: list[str], composed: Composed) -> Iterator[Trap]:
    """Aliases, anchors and tags. Those that only look like one are text without quotes."""
    names = {kind: {mark.name for mark in composed.marks if mark.kind == kind} for kind in _SIGNS}
    for mark in composed.marks[:MAX_MARKS]:
        line, sign = mark.span.line, _SIGNS[mark.kind]
        column = max(mark.span.column, lines[line].find(sign, mark.span.column))
        is_text = {
            "alias": mark.name not in names["anchor"],
            "anchor": mark.plain and mark.name not in names["alias"],
            "tag": mark.plain and not lines[line].startswith("!!", column),
        }
        # (The sign is elsewhere if an anchor and a tag stand in different lines.)
        if lines[line].startswith(sign, column) and (is_text[mark.kind] or is_key(lines[line], column)):
            yield reserved(lines, line, column)
            continue
        name = (lines[line][column : column + 40].split() or [sign])[0]
        hint = "write the value again" if mark.kind == "alias" else f"remove `{name}`"
        message = f"`{name}` is a YAML {mark.kind}, which puzzles do not use"
        yield Trap(Span(line, column, len(name)), message, hint, fatal=mark.kind == "alias")
