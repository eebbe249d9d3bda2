"""SLC, the XML format of collections: the same levels as in XSB, errors at their places, no harm by hostile texts."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from budge.models.documents.text_levels import MAX_BYTES
from budge.models.errors import PuzzleError
from budge.models.families import load_file, load_text
from budge.models.families.sokoban import xsb
from budge.models.families.sokoban.reading import SlcError, is_slc, read_levels, read_slc

from tests.helpers.collections import convert_collection

from ..helpers.sokoban_files import PUZZLES

TWO = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<SokobanLevels xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="SokobanLev.xsd">
  <Title>Two rooms</Title>
  <Description>Small &amp; easy</Description>
  <LevelCollection Copyright="(c) 2001 N. N." MaxWidth="7" MaxHeight="3">
    <Level Id="Room" Width="5" Height="3">
      <L>#####</L>
      <L>#@$.#</L>
      <L>#####</L>
    </Level>
    <Level Id="2" Width="7" Height="3" Copyright="M. M."><L> ######</L>
      <L>##@$ .#</L><L>#######</L>
    </Level>
  </LevelCollection>
</SokobanLevels>
"""


def written(folder: Path, text: str | bytes, name: str = "two.slc") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problem_of(path: Path) -> tuple[int, int, str, str]:
    with pytest.raises(PuzzleError) as caught:
        convert_collection(path, path.parent / "out")
    (problem,) = caught.value.problems
    assert not (path.parent / "out").exists()
    return problem.line, problem.column, problem.message, problem.hint


def test_levels_with_titles_authors_and_copyright() -> None:
    first, second = read_slc(TWO)
    assert first.lines == ("#####", "#@$.#", "#####")
    assert (first.number, first.title, first.author, first.copyright) == (1, "Room", "N. N.", "(c) 2001 N. N.")
    assert second.lines == (" ######", "##@$ .#", "#######")
    assert (second.number, second.title, second.author, second.copyright) == (2, "2", "M. M.", "M. M.")


def test_a_collection_becomes_puzzles(tmp_path: Path) -> None:
    result = convert_collection(written(tmp_path, TWO), tmp_path / "out")
    assert not result.problems
    first, second = (load_file(path).header for path in result.written)
    assert (first.name, first.author) == ("Room", "N. N.")
    assert first.credit == "level 1 of two.slc; (c) 2001 N. N."
    assert (second.name, second.author) == ("two 2", "M. M.")
    assert second.credit == "level 2 of two.slc; copyright M. M."


def test_the_same_levels_in_xsb_become_the_same_puzzles(tmp_path: Path) -> None:
    """All shipped levels as SLC and as XSB: the puzzle files differ in the name of the collection only."""
    shipped = [load_file(path) for path in PUZZLES]
    rows = [xsb.file_rows(puzzle.board()) for puzzle in shipped]
    levels = [
        f"<Level Id={quoteattr(puzzle.header.name)} "
        f"Author={quoteattr(puzzle.header.author or 'N. N.')} Copyright='N. N.'>"
        + "".join(f"<L>{row}</L>\n" for row in lines)
        + "</Level>"
        for puzzle, lines in zip(shipped, rows, strict=True)
    ]
    slc = f"<SokobanLevels><LevelCollection>{''.join(levels)}</LevelCollection></SokobanLevels>"
    texts = [
        "\n".join(
            [
                *lines,
                f"Title: {puzzle.header.name}",
                f"Author: {puzzle.header.author or 'N. N.'}",
                "Copyright: N. N.",
                "",
            ]
        )
        for puzzle, lines in zip(shipped, rows, strict=True)
    ]
    found = []
    for name, text in {"all.slc": slc, "all.xsb": "\n".join(texts)}.items():
        result = convert_collection(written(tmp_path, text, name), tmp_path / name.replace(".", "-"))
        assert not result.problems
        found.append([path.read_text(encoding="utf-8").replace(name, "") for path in result.written])
    assert found[0] == found[1]
    assert len(found[0]) == len(PUZZLES)
    again = [load_text(text) for text in found[0]]
    assert [puzzle.board() for puzzle in again] == [puzzle.board() for puzzle in shipped]
    assert [puzzle.header.name for puzzle in again] == [puzzle.header.name for puzzle in shipped]


def test_a_level_of_an_slc_as_source(tmp_path: Path) -> None:
    written(tmp_path, TWO)
    puzzle = written(tmp_path, "format: 1\nfamily: sokoban\nsource: {file: two.slc, level: room}\n", "level.yaml")
    assert load_file(puzzle).board() == ("#####", "#@$.#", "#####")
    assert load_file(puzzle).header.author == "N. N."


def test_errors_in_maps_are_shown_at_their_places(tmp_path: Path) -> None:
    result = convert_collection(written(tmp_path, TWO.replace("##@$ .#", "##@$?.#")), tmp_path / "out")
    (problem,) = result.problems
    assert (problem.line, problem.column, problem.source) == (12, 14, "      <L>##@$?.#</L><L>#######</L>")
    assert problem.message == "`?` means nothing in a Sokoban map"
    assert len(result.written) == 1


@pytest.mark.parametrize(
    ("encoding", "name"), [("UTF-8", "Ä"), ("ISO-8859-1", "Ä"), ("windows-1251", "Ж"), ("utf-16", "Ж")]
)
def test_encodings(tmp_path: Path, encoding: str, name: str) -> None:
    text = TWO.replace("ISO-8859-1", encoding).replace('"Room"', f'"{name}"')
    levels, report = read_levels(written(tmp_path, text.encode(encoding)), MAX_BYTES)
    assert not report.problems
    assert levels[0].title == name


@pytest.mark.parametrize("head", ["\n\n", "A collection\nby N. N.\n"])
def test_words_before_the_xml(head: str) -> None:
    assert [level.line for level in read_slc(head + TWO)] == [8, 12]


BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "doctype",
    [
        BOMB,
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd" []>',
    ],
)
def test_document_types_with_declarations_are_refused(tmp_path: Path, doctype: str) -> None:
    text = TWO.replace("<SokobanLevels", f"{doctype}\n<SokobanLevels", 1).replace("Two rooms", "&b;")
    line, _, message, hint = problem_of(written(tmp_path, text))
    assert (line, message) == (2, "a document type with declarations, which collections may not have")
    assert "`[`" in hint


def test_a_document_type_that_is_only_named_does_no_harm(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">'
    text = TWO.replace("<SokobanLevels", f"{doctype}\n<SokobanLevels", 1)
    assert [level.title for level in read_slc(text)] == ["Room", "2"]
    _, _, message, _ = problem_of(written(tmp_path, text.replace("Two rooms", "&b;")))
    assert message == "`&b;` stands for nothing that this file says"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (TWO.replace("</Level>", "", 1), 14, "mismatched tag"),
        (TWO[:300], 6, "no element found"),
        (TWO.replace("&amp;", "&lol;"), 4, "undefined entity"),
        ("<html>\n<body>\n", 3, "no element found"),
    ],
)
def test_what_is_no_xml(tmp_path: Path, text: str, line: int, reason: str) -> None:
    found, _, message, hint = problem_of(written(tmp_path, text))
    assert (found, message) == (line, f"this is not well-formed XML: {reason}")
    assert hint


def test_xml_of_other_kinds_holds_no_level(tmp_path: Path) -> None:
    path = written(tmp_path, "<svg><L>###</L><Level/><Level><L> </L></Level></svg>", "picture.slc")
    assert problem_of(path)[2] == "the file holds no Sokoban level"


def test_deep_and_wide_texts_do_no_harm() -> None:
    assert read_slc("<a>" * 50_000 + "</a>" * 50_000) == []
    assert read_slc(f"<Level><L>{'#' * 100_000}</L></Level>")[0].lines == ("#" * 100_000,)
    with pytest.raises(SlcError):
        read_slc("<a " * 10_000)


def test_no_xsb_is_taken_for_xml() -> None:
    assert not is_slc("; a < b\n#####\n#@$.#\n#####\n")
    assert is_slc(TWO)
