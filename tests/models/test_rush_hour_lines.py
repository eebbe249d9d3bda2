"""Rush Hour boards in lines of text as puzzle files."""

from pathlib import Path

import pytest
from budge import convert, load, solve
from budge.models.collections import collection_of, is_collection
from budge.models.documents.document import Report
from budge.models.families.rush_hour.rules import RushHour

BOARD = "oooooooooooooAAoBoooooBooooooooooooo"


@pytest.mark.parametrize(
    ("line", "piece", "slides"),
    [
        (f"2 {BOARD} 17", "A", 2),
        (f"2\t9\t{BOARD}\t17", "A", None),
        (f'"{BOARD}",', "A", None),
        (f"{BOARD[:13]}XX{BOARD[15:]}", "X", None),
        ("......" * 2 + "AAXX.." + "......" * 3, "X", None),
    ],
)
def test_a_board_in_a_line(line: str, piece: str, slides: int | None, tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    file.write_text(f"# boards\r\n{line}\r\n")
    assert is_collection(file)
    written, problems = (done := convert(file, tmp_path / "out")).written, done.problems
    assert not problems
    assert load(written[0]).header.expect.costs == {}
    (known,) = convert(file, tmp_path / "known", form="rush-hour-optima").written
    puzzle = load(known)
    assert isinstance(puzzle.value, RushHour)
    assert puzzle.value.target == piece
    assert puzzle.header.expect.costs == ({} if slides is None else {"slides": (slides,)})
    assert slides is None or solve(puzzle, engine="plain").cost == slides


def test_boards_that_cannot_be_used_are_reported_with_their_places(tmp_path: Path) -> None:
    file = tmp_path / "boards.tsv"
    file.write_text(f"1 {BOARD.replace('BoooooB', 'Boooooo')}\n3 {BOARD}\n7 {BOARD.replace('AA', 'oo')}\n")
    done = convert(file, tmp_path)
    assert [path.name for path in done.written] == ["boards-002.yaml"]
    assert [(p.line, p.column, p.width) for p in done.problems] == [(1, 3, 36), (3, 3, 36)]
    assert "piece `A`" in done.problems[1].message


def test_lines_without_a_board_are_reported_and_a_heading_and_comments_are_not(tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    file.write_text(
        f"number board states\n07 {BOARD}oooooooooooo 3501\n; mine\n// x\n\n56 {BOARD} 9192\n57 {BOARD[:30]} 1\n"
    )
    done = convert(file, tmp_path)
    assert [path.name for path in done.written] == ["boards.yaml"]
    assert load(done.written[0]).header.expect.costs == {}
    assert [(p.line, p.message) for p in done.problems] == [
        (2, "this line holds no board of 6 by 6 cells"),
        (7, "this line holds no board of 6 by 6 cells"),
    ]


def test_texts_of_other_things_are_no_boards(tmp_path: Path) -> None:
    file = tmp_path / "levels.txt"
    file.write_text("#####\n#@$.#\n#####\n")
    assert collection_of(Report(str(file), file.read_text().splitlines())).form.name == "xsb"
    assert load(convert(file, tmp_path).written[0]).family == "sokoban"
    (problem,) = convert(file, tmp_path, form="rush-hour-lines").problems
    assert "holds no Rush Hour board" in problem.message
    file.write_text(BOARD)
    assert load(file).family == "rush-hour"
