"""The document layer: values and their places, rendered errors, maps, keys, and the header."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from budge.models.cells import parts_of, pieces_of
from budge.models.documents.compose import Scalar, Sequence, Span, core_value
from budge.models.documents.document import MAX_PROBLEMS, Report, parse
from budge.models.documents.fields import (
    HEADER_KEYS,
    Fields,
    Grid,
    check_rectangle,
    integer,
    names,
    read_grid,
    read_header,
)
from budge.models.errors import Problem, PuzzleError
from budge.models.text import columns, counted, suggest


def scalar(text: str) -> Scalar:
    """The value of the key `a`."""
    node = parse(text).root.get("a")
    assert isinstance(node, Scalar)
    return node


def errors(report: Report) -> list[tuple[int, int, str]]:
    return [(p.line, p.column, p.message) for p in report.problems]


# Values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(word, None) for word in ("", "~", "null", "Null", "NULL")],
        *[(word, True) for word in ("true", "True", "TRUE")],
        *[(word, False) for word in ("false", "False", "FALSE")],
        *[(word, word) for word in ("NO", "no", "on", "off", "y", "yes", "nULL", "tRUE", "NULL ", "Off")],
        *[("0", 0), ("-0", 0), ("+7", 7), ("012", 12), ("-19", -19), ("0o14", 12), ("0xFf", 255)],
        *[(word, word) for word in ("1_2", "1:20", "0b11", "-0x1", "0o8", "--1", "1-2", "١", "²", "1,5", "0x")],
        *[("1.5", 1.5), ("-.5", -0.5), ("1.", 1.0), ("1e3", 1000.0), ("1E-2", 0.01), ("1e999", math.inf)],
        *[(".inf", math.inf), ("-.Inf", -math.inf), ("+.INF", math.inf)],
        *[(word, word) for word in (".", "-", "+", "..", ".e3", "e3", "inf", "nan", "-.nan", ".iNF", "1.2.3")],
        ("000000000000000000000000000000000000", 0),
        ("9" * 400, int("9" * 400)),
        ("9" * 401, "9" * 401),
        ("9" * 100_000, "9" * 100_000),
        ("2001-12-14", "2001-12-14"),
        ("<<", "<<"),
        ("=", "="),
    ],
)
def test_core_schema(text: str, value: object) -> None:
    """https://yaml.org/spec/1.2.2/#103-core-schema; numbers of more than 400 digits stay text."""
    assert core_value(text) == value
    assert type(core_value(text)) is type(value)


@pytest.mark.parametrize("word", [".nan", ".NaN", ".NAN"])
def test_not_a_number(word: str) -> None:
    value = core_value(word)
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("word", ["NO", "012", "1:20", "1_2", "000000", "true", "null", "~", "1e3", ".5"])
def test_text_stays_text(word: str) -> None:
    fields = Fields(parse(f"a: {word}\n").root, Report(""), ("a",))
    assert fields.text("a") == word
    assert scalar(f"a: '{word}'").value == word


def test_places() -> None:
    root = parse('é: "ä" # x\nb: [1, {c: d}]\nlong: one\n  two\nblock: |2-\n   x\n').root
    assert [(e.key.span, e.value.span) for e in root.entries] == [
        (Span(0, 0, 1), Span(0, 3, 3)),
        (Span(1, 0, 1), Span(1, 3, 11)),
        (Span(2, 0, 4), Span(2, 6, 3)),
        (Span(4, 0, 5), Span(4, 7, 1)),
    ]
    sequence = root.get("b")
    assert isinstance(sequence, Sequence)
    assert [item.span for item in sequence.items] == [Span(1, 4, 1), Span(1, 7, 6)]
    folded, block = root.get("long"), root.get("block")
    assert isinstance(folded, Scalar)
    assert isinstance(block, Scalar)
    assert (folded.text, folded.folded, folded.style) == ("one two", True, None)
    assert (block.text, block.folded, block.style) == (" x", False, "|")


@pytest.mark.parametrize("head", ["", "\ufeff", "# c\n", "---\n", "%YAML 1.2\n---\n", "--- # c\n", "\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_and_columns_do_not_depend_on_the_ends_of_lines(head: str, end: str) -> None:
    text = (head + "a: x\na: y\n").replace("\n", end)
    (problem,) = parse(text).report.problems
    assert (problem.line, problem.column) == (head.count("\n") + 2, 1)
    assert problem.source == "a: y"


# Rendered errors


@pytest.mark.parametrize(
    ("source", "column", "width", "below"),
    [
        ("abc", 2, 1, " ^"),
        ("\ta\tbc", 4, 2, "\t \t^^"),
        ("你好: x", 5, 1, "      ^"),
        ("a你好b", 2, 2, " ^^^^"),
        ("Ａ: x", 4, 1, "    ^"),
        ("e\u0301: x", 5, 1, "   ^"),
        ("ab", 3, 5, "  ^"),
    ],
)
def test_carets_stand_below_the_place(source: str, column: int, width: int, below: str) -> None:
    text = Problem("f.yaml", 12, column, "wrong", "do better", source, width).render()
    assert text == (f"f.yaml:12:{column}: error: wrong\n  12 | {source}\n     | {below}\n  help: do better")


def test_long_lines_are_cut_around_the_place() -> None:
    source = "".join(chr(ord("a") + i % 26) for i in range(10_000))
    for column in (1, 50, 5_000, 10_000):
        _, line, carets = Problem("f", 1, column, "m", "", source, 3).render().split("\n")
        assert len(line) < 140
        assert line[carets.index("^")] == source[column - 1]


def test_nothing_unprintable_is_printed() -> None:
    text = Problem("a\x1b[2J\udc80.yaml", 1, 1, "\x1b]0;\x07", "\u202e", "\x00\x9b\t字", 1).render()
    assert all(char.isprintable() or char in "\t\n" for char in text)
    assert text.encode()


def test_a_report_holds_each_problem_once_and_not_too_many() -> None:
    report = Report("f", ["abc"])
    for _ in range(2):
        report.error(Span(0, 1), "twice")
    assert len(report.problems) == 1
    for i in range(1_000):
        report.error(None, f"problem {i}")
    assert len(report.problems) == MAX_PROBLEMS
    with pytest.raises(PuzzleError, match="901 more problems") as caught:
        report.raise_if_any()
    assert caught.value.dropped == 901


# Maps


def grid_of(text: str) -> tuple[Grid | None, Report]:
    """The map in the key `a`."""
    found = parse(text)
    node = found.root.get("a")
    assert node is not None
    return read_grid(node, found.report, "a"), found.report


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("a: |\n  AB.\n   C\n", True),
        ("a: |2\n  AB.\n   C\n", True),
        ("a: |+\n\n      AB.  \n       C\n\n\nb: 1\n", True),
        ("b:\n- c\na: |1-   # the map\n AB.\n  C", True),
        ("a: [AB., ' C']\n", True),
        ('a:\n  - AB.\n  - " C"   # second\n', True),
        ('a: "AB.\\n C"\n', False),
        ('a: ["\\u0041B.", " C"]\n', False),
        ('a: ["AB.", "\\x20C"]\n', False),
    ],
)
def test_cells_know_their_place(text: str, exact: bool) -> None:
    grid, report = grid_of(text)
    assert grid is not None
    assert grid.rows == ("AB.", " C")
    assert grid.exact is exact
    assert (grid.height, grid.width, grid[1, 1]) == (2, 3, "C")
    for cell, char in grid.cells():
        span = grid.span(cell)
        line = report.lines[span.line]
        assert line[span.column] == char if exact else line[span.column] in "\"A'"


@pytest.mark.parametrize("row", ["AB'C", "日本語", "a b  c", "#@ $.#", "x\\y"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_one_line_maps_know_their_place_or_that_they_do_not(row: str, quote: str) -> None:
    if (not quote and row.startswith("#")) or (quote == '"' and "\\" in row):
        return
    written = row.replace("'", "''") if quote == "'" else row
    grid, report = grid_of(f"a: {quote}{written}{quote}   # remark\n")
    assert grid is not None
    assert grid.rows == (row,)
    assert grid.exact is (written == row)
    if grid.exact:
        assert [report.lines[0][grid.span(cell).column] for cell, _ in grid.cells()] == list(row)


def test_large_maps() -> None:
    row = "." * 256
    assert grid_of("a: |\n" + f"  {row}\n" * 256)[0] is not None
    for text in (f"a: |\n  {row}.\n", "a: |\n" + "  .\n" * 257):
        grid, report = grid_of(text)
        assert grid is None
        assert "; at most 256 are allowed" in report.problems[0].message


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: |\n  A\n  .\u0301.\n", (3, 4), "combining character in `a`, U+0301"),
        ("a: [A, {b: c}, [d]]\n", (1, 8), "a row of `a` must be one line of text, not a mapping"),
        ("a:\n  - |\n    A\n    B\n", (2, 5), "a row of `a` must be one line of text, not several"),
        ("a:\n  - A\n  -\n", (3, 4), "an empty row in `a`"),
        ("a: []\n", (1, 4), "`a` is empty"),
        ("a: |\n  \n\n", (1, 4), "`a` is empty"),
        ("a: 'A\n\n  B'\n", (1, 4), "YAML joins the rows of `a` into one line"),
    ],
)
def test_what_is_no_map(text: str, place: tuple[int, int], message: str) -> None:
    grid, report = grid_of(text)
    assert grid is None
    assert errors(report)[0][:2] == place
    assert message in report.problems[0].message


def test_pieces_and_parts() -> None:
    grid, report = grid_of("a: |\n  AAB\n  A.B\n  .BA\n")
    assert grid is not None
    pieces = pieces_of(grid.rows, ".")
    assert pieces == {"A": [(0, 0), (0, 1), (1, 0), (2, 2)], "B": [(0, 2), (1, 2), (2, 1)]}
    assert parts_of(pieces["A"]) == [[(0, 0), (0, 1), (1, 0)], [(2, 2)]]
    assert check_rectangle(grid, report, "a")
    assert not report.problems


# Keys


def test_fields() -> None:
    found = parse("a: 1\nb:\nc: [x]\nd: -5\ne: tow\nf: {g: 1, hh: 2}\n")
    fields = Fields(found.root, found.report, ("a", "b", "c", "d", "e", "f"))
    assert (fields.has("a"), fields.has("z")) == (True, False)
    assert (fields.integer("a"), fields.text("a")) == (1, "1")
    assert fields.node("b") is None
    assert fields.text("c", example="c: x") is None
    assert fields.integer("d", minimum=-3) is None
    assert fields.choice("e", ["one", "two"]) is None
    inner = fields.fields("f", ("g", "h"))
    assert inner is not None
    assert (inner.integer("g"), inner.integer("h")) == (1, None)
    assert fields.integer("z", required=True, example="z: 1") is None
    assert [(line, column, message.split(",")[0]) for line, column, message in errors(found.report)] == [
        (2, 1, "`b` has no value"),
        (3, 4, "`c` must be text"),
        (4, 4, "`d` must be at least -3"),
        (5, 4, "`e` cannot be `tow`"),
        (6, 11, "unknown key `hh` in `f`"),
        (1, 1, "a puzzle needs the key `z`"),
    ]


@pytest.mark.parametrize("text", ["16.0", "true", "'16'", "1_6", "x", "[16]", "{a: 1}", "~", "9" * 5000, ".inf"])
def test_what_is_no_whole_number(text: str) -> None:
    found = parse(f"a: {text}\n")
    node = found.root.get("a")
    assert node is not None
    assert integer(node, found.report, "`a`") is None
    assert found.report.problems[0].message.startswith("`a` must be a whole number, not ")
    assert len(found.report.problems[0].message) < 100


def test_suggestions() -> None:
    assert suggest("Slide", ["slides", "steps"]) == "did you mean `slides`?"
    assert suggest("qqq", ["slides", "steps"]) == "choose one of `slides`, `steps`"
    assert suggest("x" * 100_000, ["slides"]) == "the only choice is `slides`"
    assert suggest("x", []) == ""
    assert suggest("Title", ["name", "notes"], {"title": "name"}) == "did you mean `name`?"
    assert suggest("title", ["file"], {"title": "name"}) == "did you mean `file`?"  # not a name that is unknown here


def test_counts_and_widths() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]
    assert [counted(n, "box", "boxes") for n in (1, 2)] == ["1 box", "2 boxes"]
    assert [columns(text) for text in ("", "ab", "你好", "e\u0301", "Ａ")] == [0, 2, 4, 1, 2]


def test_header() -> None:
    text = (
        "format: 1\nname: |\n  Two\n  lines\nauthor: 012\nmetric: [a, b]\nexpect: {cost: [3, 4], a: 3, 'b,a': [1, 2]}\n"
    )
    found = parse(text, "f.yaml", Path("x/stem.yaml"))
    metrics = ("a", "b", "a,b", "b,a")
    header = read_header(found, Fields(found.root, found.report, names(HEADER_KEYS)), metrics)
    assert not found.report.problems
    assert (header.name, header.author, header.metric) == ("Two lines", "012", "a,b")
    assert header.expect.costs == {"a,b": (3, 4), "a": (3,), "b,a": (1, 2)}
    found = parse("metric: [a, c]\nexpect: {cost: [3, x]}\n")
    read_header(found, Fields(found.root, found.report, names(HEADER_KEYS)), metrics)
    assert [p.column for p in found.report.problems] == [9, 20]
    found = parse("expect: {unsolvable: true}\n", "f.yaml", Path("x/stem.yaml"))
    header = read_header(found, Fields(found.root, found.report, names(HEADER_KEYS)), metrics)
    assert (header.name, header.metric, header.expect.unsolvable) == ("stem", "a", True)
