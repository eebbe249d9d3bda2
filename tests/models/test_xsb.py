"""XSB: run-length encoding, collections with their titles, conversion to YAML and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge.models.documents.compose import unreadable
from budge.models.documents.document import Report
from budge.models.documents.fields import Header
from budge.models.documents.text_levels import MAX_BYTES
from budge.models.documents.write import file_name, quoted
from budge.models.errors import PuzzleError, UsageError
from budge.models.families import load_file, load_text
from budge.models.families.sokoban import FAMILY, xsb
from budge.models.families.sokoban.forms import titled, to_compact_xsb, to_xsb
from budge.models.families.sokoban.reading import read_levels
from budge.models.families.sokoban.rules import Sokoban
from budge.models.puzzle import Puzzle
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.collections import convert_collection

from ..helpers.sokoban_files import PUZZLES
from ..helpers.sokoban_levels import HEAD, levels, text_of


def expanded(text: str) -> str:
    return "".join(char for char, _ in xsb.expand(text))


# Run-length encoding


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("", ""),
        ("#####", "#####"),
        ("5#", "#####"),
        ("12-", "-" * 12),
        ("3#4-p.#", "###----p.#"),
        ("2(3(#-)#)", "#-#-#-##-#-#-#"),
        ("()#", "#"),
        ("3#|#@2(.$)", "###|#@.$.$"),
    ],
)
def test_expand(text: str, meaning: str) -> None:
    assert expanded(text) == meaning


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("#3", 1),
        ("##0#", 2),
        ("#)", 1),
        ("(#", 0),
        ("2(#3)", 3),
        ("9999999999999#", 13),
        ("999(999(999#))", 7),
    ],
)
def test_run_lengths_that_make_no_sense(text: str, column: int) -> None:
    with pytest.raises(xsb.RunLengthError) as caught:
        xsb.expand(text)
    assert caught.value.column == column


@given(st.text(alphabet="#@+$*.-_ |"))
def test_expand_undoes_compress(text: str) -> None:
    assert expanded(xsb.compress(text)) == text


@given(st.text(alphabet="#-@123()|", max_size=30))
def test_expand_gives_characters_with_their_columns(text: str) -> None:
    try:
        result = xsb.expand(text)
    except xsb.RunLengthError as error:
        result = [(text[error.column], error.column)]
    assert all(text[column] == char for char, column in result)


# Collections

ROOM = "#####\n#@$.#\n#####"
LONG = " ######\n##@$ .#\n#######"

BEFORE = f"; A collection\n; of two rooms\n\n; 1\n\n{ROOM}\n\n; 2\n'The long one'\n\n{LONG}\n"
AFTER = f"{ROOM}\n; 1\n\n{LONG}\n; The long one\n"
KEYS_BEFORE = f"Title: Room\nAuthor: N. N.\n{ROOM}\n\nTitle: The long one\nAuthor: M. M.\n\n{LONG}\n"
KEYS_AFTER = f"Title: Two rooms\nAuthor: N. N.\n\n{ROOM}\nTitle: Room\n\n{LONG}\nTitle: The long one\nAuthor: M. M.\n"
SOK = f"""\
::::::::::::::::::::::::::::::::
:: #### A picture, not a level
::::::::::::::::::::::::::::::::

Collection: Two rooms
Author: N. N.

Room

{ROOM}

Comment:
Not a level:
{ROOM}
Comment-End:

Solution/Moves
R

The long one

{LONG}

Author: M. M.
"""


@pytest.mark.parametrize(
    ("text", "titles", "authors"),
    [
        (BEFORE, ["1", "The long one"], ["", ""]),
        (AFTER, ["1", "The long one"], ["", ""]),
        (f"{ROOM}\n\n; 1\n\n{LONG}\n\n; 2\n", ["1", "2"], ["", ""]),
        (f"; Two rooms\n\n{ROOM}\n\n; 1\n\n{LONG}\n\n; 2\n", ["1", "2"], ["", ""]),
        (KEYS_BEFORE, ["Room", "The long one"], ["N. N.", "M. M."]),
        (KEYS_AFTER, ["Room", "The long one"], ["N. N.", "M. M."]),
        (SOK, ["Room", "The long one"], ["", "M. M."]),
        (SOK.replace("Author: M. M.", "A note"), ["Room", "The long one"], ["N. N.", "N. N."]),
        (
            SOK.replace("\nComment:", "\nAuthor: L. L.\nComment:").replace("\nAuthor: M. M.", ""),
            ["Room", "The long one"],
            ["L. L.", ""],
        ),
        (f"Level 1\n{ROOM}\nLevel 2\n{LONG}\n", ["Level 1", "Level 2"], ["", ""]),
        (f";LEVEL 1\n{ROOM}\n\n\n\n;LEVEL 2\n{LONG}", ["LEVEL 1", "LEVEL 2"], ["", ""]),
        (f"#1\n{ROOM}\n\n# 2\n{LONG}\n", ["#1", "# 2"], ["", ""]),
        (f"{ROOM}\n\n{LONG}", ["", ""], ["", ""]),
        (f"Two rooms\n\n{ROOM}\n\n\n{LONG}", ["", ""], ["", ""]),
        (BEFORE.replace("\n", "\r\n"), ["1", "The long one"], ["", ""]),
        (BEFORE.replace("\n", "  \n") + "\x1a", ["1", "The long one"], ["", ""]),
        (
            f"==========\n## Rooms ##\n##########\n\n{ROOM}\n\n----------\n\n{LONG}\n\n##########\n",
            ["", ""],
            ["", ""],
        ),
    ],
)
def test_titles_in_every_place(text: str, titles: list[str], authors: list[str]) -> None:
    found = xsb.read_collection(text)
    assert [level.title for level in found] == titles
    assert [level.author for level in found] == authors
    assert ["\n".join(level.lines[:3]) for level in found] == [ROOM, LONG]
    assert [level.number for level in found] == [1, 2]


def test_in_the_order_of_sok_keys_and_notes_stand_below_the_map() -> None:
    text = f"""Author: C. C.\nCollection: Three\n\nOne\n\n{ROOM}\nAuthor: A. A.\nComment: made on a train
Not hard\nat all\n\nTwo\n\n{LONG}\nHard\n\nSolution\nrR\nA note on the solution\n\nThree\n\n{ROOM}\n\nThe end\n"""
    levels = xsb.read_collection(text)
    assert [(level.title, level.author, level.comment) for level in levels] == [
        ("One", "A. A.", "made on a train\nNot hard\nat all"),
        ("Two", "", "Hard"),
        ("Three", "", "The end"),
    ]
    assert {level.collector for level in levels} == {"C. C."}
    untitled = xsb.read_collection(f":: x\n\n{ROOM}\nTwo lines\nabout the first\n\n{LONG}\n")
    assert [(level.title, level.comment) for level in untitled] == [("", "Two lines\nabout the first"), ("", "")]
    before = KEYS_BEFORE.replace("Author", "Comment: x\nAuthor")
    assert [(level.title, level.author) for level in xsb.read_collection(before, sok=True)] == [
        ("Room", "N. N."),
        ("The long one", "M. M."),
    ]


def test_a_comment_is_kept() -> None:
    (first, second) = xsb.read_collection(SOK)
    assert first.comment == f"Not a level:\n{ROOM}"
    assert second.comment == ""


@pytest.mark.parametrize(
    "dialect",
    ["5#|#pb.#|5#", "5#|#pbo#|5#|", "5#\n#@$.#|5#", "--5#--\n__#@$.#\n--5#", "#####\n#@$.#\n2(#)3#"],
)
def test_one_level_in_many_dialects(dialect: str) -> None:
    (level,) = xsb.read_collection(dialect)
    report = Report("levels.xsb", dialect.split("\n"))
    level_map = level.map(report)
    assert not report.problems
    assert level_map is not None
    assert [row.strip() for row in level_map.rows] == ROOM.split("\n")


def test_a_wrong_character_does_not_cut_a_level_in_two() -> None:
    (level,) = xsb.read_collection("#####\n#@$.#\n# x #\n#####\n")
    assert len(level.lines) == 4


@pytest.mark.parametrize(
    "text", ["", "\n\n", "no level here", "Title: nothing\n", "# heading\n\n## another\n", "; 1\n"]
)
def test_text_without_levels(text: str) -> None:
    assert xsb.read_collection(text) == []


@given(st.text(alphabet="#@$.* \n;1p(|'aT:-"))
def test_any_text_can_be_read(text: str) -> None:
    report = Report("levels.xsb", text.split("\n"))
    for level in xsb.read_collection(text):
        level.map(report)
    for problem in report.problems:
        assert problem.render()


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("; Ärger\n".encode(), "Ärger"),
        ("; Ärger\n".encode("cp1252"), "Ärger"),
        ("\ufeff; Ärger\n".encode("utf-16-le"), "Ärger"),
        (b"\xef\xbb\xbf; one\n", "one"),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, title: str) -> None:
    path = tmp_path / "levels.xsb"
    path.write_bytes(data + (ROOM.encode("utf-16-le") if data[:1] == b"\xff" else ROOM.encode()))
    (level,), report = read_levels(path, MAX_BYTES)
    assert not report.problems
    assert level.title == title


# Conversion


def test_of_two_titles_before_the_first_level_the_first_is_the_collections() -> None:
    own = f"Title: My levels\nAuthor: N. N.\n\nTitle: First\n\n{ROOM}\nTitle: Second\nAuthor: M. M.\n\n{LONG}\n"
    assert [(level.title, level.author) for level in xsb.read_collection(own)] == [
        ("First", "N. N."),
        ("Second", "M. M."),
    ]
    after = f"Title: My levels\nAuthor: N. N.\n\n{ROOM}\nTitle: First\n\n{LONG}\nTitle: Second\n"
    assert [level.title for level in xsb.read_collection(after)] == ["First", "Second"]
    (alone,) = xsb.read_collection(f"Title: My levels\n\n{ROOM}\n")
    assert alone.title == "My levels"
    (one,) = xsb.read_collection(f"Title: My levels\nAuthor: N. N.\nTitle: First\n{ROOM}\n")
    assert (one.title, one.author) == ("First", "N. N.")


def test_a_collection_becomes_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "Two Rooms.xsb"
    path.write_text(SOK)
    result = convert_collection(path, tmp_path / "out")
    assert not result.problems
    assert [file.name for file in result.written] == ["two-rooms-001.yaml", "two-rooms-002.yaml"]
    first, second = map(load_file, result.written)
    assert first.board() == tuple(ROOM.split("\n"))
    assert first.header.name == "Room"
    assert first.header.author == ""
    assert first.header.credit == "level 1 of Two Rooms.xsb, collected by N. N."
    assert first.header.notes == f"Not a level:\n{ROOM}\nSolution (1 push, 1 move, replayed, not proven shortest): R"
    assert second.header.name == "The long one"
    assert convert_collection(path, tmp_path / "out").written == result.written


def test_one_level_keeps_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "room.txt"
    path.write_text(ROOM)
    (file,) = convert_collection(path, tmp_path).written
    assert file.name == "room.yaml"
    assert load_file(file).header.name == "room 1"


def test_levels_with_errors_are_reported_and_the_others_written(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text(f"; 1\n\n{ROOM}\n\n; 2\n\n#####\n# $.#\n#####\n\n; 3\n\n{LONG}\n")
    result = convert_collection(path, tmp_path)
    assert [file.name for file in result.written] == ["levels-001.yaml", "levels-003.yaml"]
    (problem,) = result.problems
    assert (problem.file, problem.line, problem.message) == (str(path), 9, "no player on the map")


def test_no_good_level_is_lost_because_of_many_bad_ones(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    bad = "#####\n#@$.#\n# d #\n#####"
    path.write_text("\n\n".join([ROOM, *[bad] * 101, LONG]))
    result = convert_collection(path, tmp_path)
    assert [file.name for file in result.written] == ["levels-001.yaml", "levels-103.yaml"]
    assert (len(result.problems), result.dropped) == (100, 1)
    puzzle = tmp_path / "own.yaml"
    puzzle.write_text("format: 1\nfamily: sokoban\nsource: {file: levels.xsb, level: 2}\n")
    with pytest.raises(PuzzleError, match="`d` means nothing"):
        load_file(puzzle)


def test_other_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text(BEFORE)
    (tmp_path / "levels-002.yaml").write_text("mine")
    with pytest.raises(UsageError, match=r"levels-002\.yaml exists"):
        convert_collection(path, tmp_path)
    assert not (tmp_path / "levels-001.yaml").exists()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("missing.xsb", None, "cannot read the file: No such file"),
        ("empty.xsb", b"", "the file holds no Sokoban level"),
        ("binary.xsb", b"\0\1\2###", "cannot read the file: it is not a text file"),
        ("levels.slc", b"<SokobanLevels><L>###</L></SokobanLevels>", "the file holds no Sokoban level"),
    ],
)
def test_files_that_cannot_be_converted(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(PuzzleError) as caught:
        convert_collection(tmp_path / name, tmp_path)
    (problem,) = caught.value.problems
    assert problem.message.startswith(message)


@pytest.mark.parametrize(
    ("title", "name"),
    [("", ""), ("7", ""), ("# 7 -", ""), ("Level 7", "Level 7"), ("a\n b", "a b")],
)
def test_names_of_levels(title: str, name: str) -> None:
    assert titled(xsb.CollectionLevel(7, title, "", "", 0, ("#",))) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Micro Ban", "micro-ban"),
        ("../../etc/passwd", "etc-passwd"),
        ("Ärger: 1", "arger-1"),
        ("推箱子", "level"),
    ],
)
def test_file_names_are_safe(text: str, name: str) -> None:
    assert file_name(text) == name


AWKWARD = [
    "null",
    "~",
    "true",
    "1.5",
    "#1",
    "a: b",
    "a #b",
    "- a",
    "'",
    '"',
    "\\",
    "|2",
    "{a}",
    "@x",
    "a\tb",
    "推",
]


@pytest.mark.parametrize("text", [*AWKWARD, "a\n  b\n\nc #d", "\ufeff", "\x85", "\ud800", "\U0010ffff", "\x00"])
def test_awkward_texts_survive_yaml(text: str) -> None:
    check_quoted(text)


@given(st.text(max_size=20))
def test_any_text_survives_yaml(text: str) -> None:
    check_quoted(text)


def check_quoted(text: str) -> None:
    puzzle = load_text(f"{HEAD}notes: {quoted('<' + text + '>')}\nname: {quoted(text)}\nmap: {quoted(ROOM)}\n")
    survives = "".join(char for char in text if not unreadable(char))
    assert puzzle.header.notes == f"<{survives}>"
    assert puzzle.header.name == (" ".join(survives.split()) or "unnamed")


# There and back


def check_round_trip(puzzle: Puzzle) -> None:
    """XSB -> YAML -> XSB: the rows stay as they are, and so do title, author and notes."""
    text = to_xsb(puzzle.header, puzzle.value)
    (level,) = xsb.read_collection(text)
    assert level.lines == puzzle.board()
    assert (level.title, level.author, level.comment) == (
        puzzle.header.name,
        puzzle.header.author,
        puzzle.header.notes,
    )
    again = load_text(puzzle.to_yaml())
    assert isinstance(again.value, Sokoban)
    assert again.board() == puzzle.board()
    assert to_xsb(again.header, again.value) == text
    assert (again.header.metric, again.header.expect) == (puzzle.header.metric, puzzle.header.expect)
    (compact,) = xsb.read_collection(to_compact_xsb(puzzle.header, puzzle.value))
    level_map = compact.map(Report("compact"))
    assert level_map is not None
    assert level_map.rows == puzzle.board()


@given(levels(), st.integers(0, 3), st.sampled_from(FAMILY.metric_names))
def test_there_and_back(rows: tuple[str, ...], indent: int, metric: str) -> None:
    puzzle = load_text(text_of([" " * indent + row for row in rows], f"metric: {metric}\nname: A level\n"))
    assert isinstance(puzzle.value, Sokoban)
    check_round_trip(puzzle)


@pytest.mark.parametrize("path", PUZZLES, ids=lambda path: path.stem)
def test_shipped_levels_there_and_back(path: Path) -> None:
    puzzle = load_file(path)
    assert isinstance(puzzle.value, Sokoban)
    check_round_trip(puzzle)


def test_all_shipped_levels_as_one_collection() -> None:
    puzzles = [load_file(path) for path in PUZZLES]
    found = xsb.read_collection("\n".join(to_xsb(puzzle.header, puzzle.value) for puzzle in puzzles))
    assert [level.lines for level in found] == [puzzle.board() for puzzle in puzzles]
    assert [level.title for level in found] == [puzzle.header.name for puzzle in puzzles]


def test_an_empty_row_inside_a_map() -> None:
    rows = ("####", "#@ #", "# *#", "####", "", "*")
    value = Sokoban(("####", "#  #", "# .#", "####", "", "."), frozenset({(2, 2), (5, 0)}), (1, 1))
    puzzle = Puzzle(FAMILY, Header("x", "Gap", "pushes"), value)
    assert puzzle.board() == rows
    assert load_text(puzzle.to_yaml()).board() == rows
    (level,) = xsb.read_collection(to_xsb(puzzle.header, puzzle.value))
    level_map = level.map(Report("x"))
    assert level_map is not None
    assert level_map.rows == rows
