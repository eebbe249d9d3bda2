"""Traps of YAML: what would silently be lost is noticed, the hint works when followed, remarks are left alone."""

from __future__ import annotations

import re

import pytest
from budge.models.documents.compose import Mapping, Node, Scalar, Sequence
from budge.models.documents.document import Document, parse
from budge.models.documents.fields import Grid, read_grid
from budge.models.errors import Problem, PuzzleError

LEVELS = {
    "flat": ("#####", "#@$.#", "#####"),
    "first row indented": ("  ####", "###  #", "#@ $.#", "######"),
    "first row indented most": ("    ###", "  ###.#", "###   #", "#  $@ #", "#######"),
    "all rows indented": (" ####", "  #.#", " #$ #", " #@ #", "  ####"),
    "last row indented": ("######", "#@ $.#", "###  #", "  ####"),
    "middle row indented": ("###", " #.#", "#$ #", "#@ #", "####"),
    "row of floor": ("####", "#@ #", "$ .#", "   #", "####"),
}
LOSES = {"first row indented", "first row indented most"}


def document(text: str) -> Document:
    """The document, if nothing is wrong with it."""
    found = parse(text, "f.yaml")
    found.report.raise_if_any()
    return found


def problems(text: str) -> list[Problem]:
    with pytest.raises(PuzzleError) as caught:
        document(text)
    return caught.value.problems


def node_at(found: Document, *path: str | int) -> Grid:
    node: Node | None = found.root
    for step in path:
        if isinstance(step, str):
            assert isinstance(node, Mapping)
            node = node.get(step)
        else:
            assert isinstance(node, Sequence)
            node = node.items[step]
    assert node is not None
    grid = read_grid(node, found.report, "map")
    found.report.raise_if_any()
    assert grid is not None
    return grid


def shape(rows: tuple[str, ...]) -> list[str]:
    """Rows without the blanks that all of them start with."""
    indent = min(len(row) - len(row.lstrip()) for row in rows)
    return [row[indent:] for row in rows]


PLACES: dict[str, tuple[str, int, str, tuple[str | int, ...]]] = {
    "a key": ("format: 1\nmap: |{}\n", 2, "metric: pushes\n", ("map",)),
    "four blanks": ("format: 1\nmap: |{}\n", 4, "metric: pushes\n", ("map",)),
    "one blank": ("map: |{}\n", 1, "metric: pushes\n", ("map",)),
    "the last key": ("format: 1\nmap: |{}\n", 2, "", ("map",)),
    "chomped": ("map: |{}-\n", 2, "metric: pushes\n", ("map",)),
    "a remark behind the indicator": ("map: |{}   # the map\n", 2, "metric: pushes\n", ("map",)),
    "a key in quotes": ('"map" : |{}\n', 2, "metric: pushes\n", ("map",)),
    "nested": ("a:\n  map: |{}\n", 4, "  metric: pushes\n", ("a", "map")),
    "a mapping in a list": ("a:\n  - map: |{}\n", 6, "    b: 1\n", ("a", 0, "map")),
    "an item of a list": ("a:\n  - |{}\n", 4, "  - x\n", ("a", 0)),
    "an item of a list, not indented": ("a:\n- |{}\n", 3, "- x\n", ("a", 0)),
    "a blank line above": ("map: |{}\n\n", 2, "\n\nmetric: pushes\n", ("map",)),
    "remarks below": ("map: |{}\n", 4, "  # the first level\n  #\n  # -----\n# and more\nb: 1\n", ("map",)),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_lost_from_a_block(level: str, place: str, end: str) -> None:
    """A level pasted below `map: |`: noticed if rows are lost, and only then; the hint brings them back."""
    rows = LEVELS[level]
    head, indent, tail, path = PLACES[place]
    text = (head.format("") + "".join(" " * indent + row + "\n" for row in rows) + tail).replace("\n", end)
    if level not in LOSES:
        assert shape(node_at(document(text), *path).rows) == shape(rows)
        return
    (problem,) = problems(text)
    lines = text.replace(end, "\n").split("\n")
    column = len(lines[problem.line - 1]) - len(lines[problem.line - 1].lstrip()) + 1
    assert lines[problem.line - 1].strip() == rows[1].strip()
    assert problem.column == column
    assert problem.message.startswith("this row is lost: it is indented less than the first row")
    fix = re.fullmatch(r"say how far the block is indented: write `(.*)` in line (\d+)", problem.hint)
    assert fix
    header = int(fix[2]) - 1
    lines[header] = lines[header][: len(lines[header]) - len(lines[header].lstrip())] + fix[1]
    assert shape(node_at(document(end.join(lines)), *path).rows) == shape(rows)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("place", PLACES)
def test_a_block_that_says_how_far_it_is_indented(level: str, place: str) -> None:
    head, indent, tail, path = PLACES[place]
    relative = indent - {"nested": 2, "a mapping in a list": 4, "an item of a list": 2}.get(place, 0)
    rows = LEVELS[level]
    text = head.format(relative) + "".join(" " * indent + row + "\n" for row in rows) + tail
    found = document(text)
    grid = node_at(found, *path)
    assert grid.rows == rows
    for cell, char in grid.cells():
        span = grid.span(cell)
        assert found.report.lines[span.line][span.column] == char


LOST = {
    "a row that is no comment": (
        "map: |\n    ####\n  .@ $#\n  ######\n",
        (3, 3, "this row is indented less than the first row", "write `map: |2` in line 1"),
    ),
    "a blank line with too many blanks": (
        "map: |\n        \n  ####\n  #@$.\n",
        (3, 3, "indented less than the blank line above", "write `map: |2` in line 1"),
    ),
    "an indicator that is too large": (
        "map: |4\n    ####\n  ###  #\n",
        (3, 3, "this row is lost", "write `map: |2` in line 1"),
    ),
    "rows far to the right": (
        "map: |\n              ####\n            ##  #\n            #$$$##\n",
        (3, 13, "this row is lost", "indent all rows by 2 spaces and write `map: |2` in line 1"),
    ),
    "no indentation": (
        "map: |\n####\n#@$.#\nmetric: x\n",
        (2, 1, "it is not indented, so YAML takes it for a comment (2 rows", "write `map: |2` in line 1"),
    ),
    "no indentation, first row indented": (
        "map: |\n  ####\n###  #\n#@ $.#\n######\nmetric: x\n",
        (3, 1, "it is not indented, so YAML takes it for a comment (3 rows", "write `map: |2` in line 1"),
    ),
    "no indentation of a row in the middle": (
        "map: |2\n  #####\n# $@.#\n  #####\nmetric: x\n",
        (3, 1, "it is not indented, so YAML takes it for a comment", "indent all rows by 2 spaces"),
    ),
    "a key without `|`": (
        "map:\n  ####\n  #@.#\nmetric: x\n",
        (2, 3, "this row is lost: YAML takes `#` for a comment (2 rows", "write `map: |` in line 1"),
    ),
    "a key without `|`, rows of different indentation": (
        "map:  # the map\n    ####\n  ##@.#\nmetric: x\n",
        (2, 5, "this row is lost: YAML takes `#` for a comment (2 rows", "write `map: |2` in line 1"),
    ),
    "rows without `|`, above": (
        "map:\n  ######\n  ..AA.#\n  .....#\n",
        (2, 3, "this row is lost: YAML takes `#` for a comment", "write `map: |` in line 1"),
    ),
    "a row of a list": ("a:\n  - .#.\n  - #..\n", (3, 5, "this value is lost", "write `'#..'`")),
    "the end of a row of a list": (
        "a:\n  - $ #@ #\n",
        (2, 7, "the rest of this value is lost", "write `'$ #@ #'`"),
    ),
    "a row of a list with a remark": ("a:\n  - #.AB#  # the first\n", (2, 5, "this value is lost", "`'#.AB#'`")),
    "a value": ("name: #1\n", (1, 7, "this value is lost", "write `'#1'`")),
    "the end of a value": ("name: Level #12\n", (1, 13, "the rest of this value is lost", "`'Level #12'`")),
    "a key": ('a:\n  "@": x\n  #: wall\n', (3, 3, "this key is lost", 'write `"#":`')),
    "a key with a blank": ("a:\n  b: x\n  # : wall\n", (3, 3, "this key is lost", 'write `"#":`')),
    "a key in brackets": ("a: {#: wall, b: c}\n", (1, 5, "this key is lost", 'write `"#":`')),
}


@pytest.mark.parametrize("name", LOST)
def test_lost(name: str) -> None:
    text, (line, column, message, hint) = LOST[name]
    for end in ("", "\nfoo: bar\n"):
        first = problems(text + end.lstrip("\n"))[0]
        assert (first.line, first.column) == (line, column)
        assert message in first.message
        assert hint in first.hint


REMARKS = [
    "map: |\n  ####\n  #@.#\n# ---- the key ----\n#####\n#\n# .#.\n#@\nmetric: x\n",
    "map: |\n    ####\n    #@.#\n  # a remark about the map\n  # ====\n  #\nmetric: x\n",
    "map: |\n    ####\n    #@.#\n  # 3x4, by me\nmetric: x\n",
    "map: |\n    ####\n    #@.#\n  #remark: with no blank\nmetric: x\n",
    "map: |\n    ####\n    #@.#\n  # 关卡\nmetric: x\n",
    "map: |\n    ####\n    #@.#\n  ##################\n  # one more remark #\n  ##################\nmetric: x\n",
    "board: |\n    .AA.\n    #BB#\n  # A is the lorry, B the bus\nmetric: x\n",
    "board: |\n    .AA.\n    #BB#\n  # bad luck\nmetric: x\n",
    "map: |\n  ####\n  #@.#\n\n# ####\n# #@.#\n",
    "# #####\n#!/usr/bin/env budge\n#metric: y\nmetric: x # moves | x\n",
    "metric: x #default\nname: Level 3 # the third\ncost: 16 #16\n",
    "goal: {piece: A} #3\nlist: [a, b] # ##\nquoted: 'a' #1\n",
    "a:   # what follows\n  # is a mapping\n  b: c\n",
    "a:\n  - b  # ..\n  - c # -----\n  # - d\n",
    "map: |  # ####\n  ####\n",
    "map: >\n  text\n  more # of it\n",
    'a: "# no comment"\nb: a#b\nc: "multi\n  # line"\n',
    "--- # start\na: 1\n",
]


@pytest.mark.parametrize("text", REMARKS)
def test_remarks_are_left_alone(text: str) -> None:
    document(text)


RESERVED = "@`%*&!|>[]{},\"'"


@pytest.mark.parametrize("char", RESERVED)
def test_keys_that_need_quotes(char: str) -> None:
    """As a legend writes them; the hint, followed, gives the key, and what stands below is read on."""
    text = f"legend:\n  {char}: {{cell: true}}\n  o: 1\n  o: 2\n"
    first, second = problems(text)
    assert (first.line, first.column) == (2, 3)
    assert first.message.startswith(f"`{char}` cannot be a key as it stands")
    assert (second.line, second.column) == (4, 3)
    fixed = text.replace(f"  {char}:", "  " + first.hint.removeprefix("quote it: write `")[:-1])
    legend = document(fixed.replace("  o: 2\n", "")).root.get("legend")
    assert isinstance(legend, Mapping)
    assert [entry.key.text for entry in legend.entries] == [char, "o"]


@pytest.mark.parametrize("char", "@`%*&!],}")
@pytest.mark.parametrize("rest", ["", "x", ".#", "n'$"])
def test_values_that_need_quotes(char: str, rest: str) -> None:
    text = f"a:\n  - {char}{rest}\nb: 1\nb: 2\n"
    found = problems(text)
    assert [(p.line, p.column) for p in found] == [(2, 5), (4, 1)]
    assert "must be in quotes" in found[0].message
    value = found[0].hint.removeprefix("write `")[:-1]
    items = document(f"a:\n  - {value}\n").root.get("a")
    assert isinstance(items, Sequence)
    assert [item.text for item in items.items if isinstance(item, Scalar)] == [char + rest]


def test_quoted_legends_and_maps_pass() -> None:
    text = (
        'grid: |\n  ##ooo##\n  ..\n\nlegend:\n  "#": {cell: false}\n  \'@\': a\n  ".": {peg: false}\n  -: b\n  ?: c\n'
    )
    legend = document(text).root.get("legend")
    assert isinstance(legend, Mapping)
    assert [entry.key.text for entry in legend.entries] == ["#", "@", ".", "-", "?"]


def test_what_is_repaired_is_read_as_it_was_meant() -> None:
    """The file stays refused, but its readers see the author's own characters."""
    found = parse("a:\n  @: 1\n  #: '#'\nb: [*, &, x]\nmap: |\n    ##\n  #$.\n")
    mapping = found.root.get("a")
    assert isinstance(mapping, Mapping)
    assert [(e.key.text, e.value.text) for e in mapping.entries if isinstance(e.value, Scalar)] == [
        ("@", "1"),
        ("#", "#"),
    ]
    items, rows = found.root.get("b"), found.root.get("map")
    assert isinstance(items, Sequence)
    assert [item.text for item in items.items if isinstance(item, Scalar)] == ["*", "&", "x"]
    assert isinstance(rows, Scalar)
    assert rows.text == "  ##\n#$.\n"
    assert len(found.report.problems) == 5
