"""Boards in rows of signs or numbers, as people write them down, as puzzle files."""

import re
from pathlib import Path

import pytest
from budge import convert, load, solve
from budge.cli import main
from budge.models.errors import UsageError
from budge.models.families import forms
from budge.models.families.n_puzzle.rules import NPuzzle
from budge.models.families.rush_hour.rules import RushHour
from budge.models.families.sliding_block.rules import SlidingBlock

LOWER = "..bccc\n..b..d\nxxb..d\n......\n.o....\n.o....\n"
KLOTSKI = "BAAC\nBAAC\nDEEF\nDGHF\nI..J\n"


def written(tmp_path: Path, text: str) -> tuple[list[object], list[tuple[int, int, str]]]:
    """The puzzles of a text, and the problems with their places."""
    file = tmp_path / "boards.txt"
    file.write_text(text)
    done = convert(file, tmp_path / "out")
    return [load(path).value for path in done.written], [(p.line, p.column, p.message) for p in done.problems]


def board(tmp_path: Path) -> str:
    """The board of the only puzzle that was written."""
    text = (tmp_path / "out" / "boards.yaml").read_text()
    return " ".join(re.findall("^  (.+)$", text.partition("\ngoal")[0], re.MULTILINE))


@pytest.mark.parametrize(
    ("text", "target", "rows", "walls"),
    [
        (LOWER, "X", "..BCCC ..B..D XXB..D ...... .O.... .O....", 0),
        ("oooooo\n" * 2 + "oAAoBo\nooooBo\n" + "oooooo\n" * 2, "A", "...... ...... .AA.B. ....B. ...... ......", 0),
        ("0 0 0 0 0 0\n" * 2 + "R R 0 A A 0\n" + "0 0 0 0 0 0\n" * 3, "R", None, 0),
        ("______\n" * 2 + "AA_RRR\n" + "______\n" * 3, "A", None, 0),
        ("      \n      \n AA B \n    B \n      \n      \n", "A", "...... ...... .AA.B. ....B. ...... ......", 0),
        ("B\nB\nAA  C\n    C\nDDD\n    EE\n", "A", "B..... B..... AA..C. ....C. DDD... ....EE", 0),
        ('"......",\n"......",\n"XX.B..",\n"...B..",\n"......",\n"......",\n', "X", None, 0),
        ("..B...\n..B...\nAA....\n.....x\n......\n..x...\n", "A", None, 2),
        ("..B...\n..B...\nxx....\n....x.\n......\n......\n", "", None, 0),
        ("..B...\n..B...\nxx....\n......\n......\n......\n", "X", None, 0),
        ("..BC\nXXBC\n....\n", "X", "..BC XXBC ....", 0),
    ],
)
def test_rush_hour_in_rows(text: str, target: str, rows: str | None, walls: int, tmp_path: Path) -> None:
    if not target:  # three `x` are neither a car nor walls beside one
        with pytest.raises(UsageError):
            written(tmp_path, text)
        return
    (puzzle,), problems = written(tmp_path, text)
    assert isinstance(puzzle, RushHour)
    assert not problems
    assert (puzzle.target, len(puzzle.walls)) == (target, walls)
    red = next(piece for piece in puzzle.pieces if piece.letter == target)
    assert puzzle.exit_cell == (red.cells[0][0], puzzle.width - 1)
    assert rows is None or board(tmp_path) == rows


def test_boards_in_one_file_have_titles_and_each_fault_its_place(tmp_path: Path) -> None:
    bad = "  ..bccc\n  .b...d\n  xxb..d\n  ......\n  ......\n  ......\n"
    file = tmp_path / "boards.txt"
    file.write_text(f"; mine\nLevel 1\n{LOWER}\nCard 2 (hard)\n\n{LOWER}\n{bad}\nAAB...\nC\n\nend\n\nThe end\n")
    done = convert(file, tmp_path / "out")
    assert [path.name for path in done.written] == ["boards-001.yaml", "boards-002.yaml"]
    assert [load(path).header.name for path in done.written] == ["Level 1", "Card 2 (hard)"]
    assert sorted((p.line, p.column, p.message) for p in done.problems) == [
        (20, 4, "piece B is in 3 parts, the second one here"),
        (26, 1, "no Rush Hour board in the 2 lines from here"),
        (29, 1, "no Rush Hour board in this line"),
        (31, 1, "this line belongs to no Rush Hour board"),
    ]


@pytest.mark.parametrize(
    ("text", "rows", "cells"),
    [
        (KLOTSKI, "BAAC BAAC DEEF DGHF I..J", {(3, 1), (3, 2), (4, 1), (4, 2)}),
        ("1 2 2 3\n1 2 2 3\n4 5 5 6\n4 7 8 6\n9 0 0 a\n", "1223 1223 4556 4786 9..a", {(3, 1), (3, 2), (4, 1), (4, 2)}),
        ("0112\n0112\n3445\n3675\n8__9\n", "0112 0112 3445 3675 8..9", {(3, 1), (3, 2), (4, 1), (4, 2)}),
        ("AA\nAA\n.b\n", "AA AA .b", {(1, 0), (1, 1), (2, 0), (2, 1)}),
    ],
)
def test_klotski_in_rows(text: str, rows: str, cells: set[tuple[int, int]], tmp_path: Path) -> None:
    (puzzle,), problems = written(tmp_path, text)
    assert not problems
    assert isinstance(puzzle, SlidingBlock)
    assert board(tmp_path) == rows
    assert [set(wanted) for _, wanted in puzzle.goal] == [cells]


def test_a_klotski_piece_in_two_parts_is_told_where_it_is(tmp_path: Path) -> None:
    puzzles, problems = written(tmp_path, f"{KLOTSKI}\nHalf 2\n{KLOTSKI.replace('DGHF', 'DGDF')}")
    assert len(puzzles) == 1
    assert problems == [(11, 3, "piece D is in two unconnected parts, the second one here")]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("3\n 0  1  3\n 4  2  5\n 7  8  6\n", ((0, 1, 3), (4, 2, 5), (7, 8, 6))),
        ("2 3\n1 2 3\n4 0 5\n", ((1, 2, 3), (4, 0, 5))),
        ("876\n.41\n253\n", ((8, 7, 6), (0, 4, 1), (2, 5, 3))),
        ("1, 2, 3\n4, _, 5\n", ((1, 2, 3), (4, 0, 5))),
        ("[1, 2],\n[3, 0]\n", ((1, 2), (3, 0))),
    ],
)
def test_n_puzzle_in_rows(text: str, start: tuple[tuple[int, ...], ...], tmp_path: Path) -> None:
    (puzzle,), problems = written(tmp_path, text)
    assert not problems
    assert isinstance(puzzle, NPuzzle)
    assert puzzle.start == start


def test_several_n_puzzles_and_a_wrong_tile(tmp_path: Path) -> None:
    text = "3\n1 2 3\n4 5 6\n7 0 8\n3\n1 2 3\n4 5 6\n  8 8 0\n\n3\n1 2 3\n4 5 6\n"
    puzzles, problems = written(tmp_path, text)
    assert len(puzzles) == 1
    assert problems == [
        (8, 5, "tile 8 stands here a second time (first in line 8)"),
        (10, 1, "no n-puzzle in the 3 lines from here"),
    ]


@pytest.mark.parametrize("text", [LOWER, "3\n1 2 3\n4 5 6\n7 0 8\n", "aAAc\nbAAd\n....\n"])
def test_what_was_converted_is_solved(text: str, tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    file.write_text(text)
    (path,) = convert(file, tmp_path).written
    assert solve(load(path), engine="bfs").status == "optimal"


def test_convert_says_what_it_took_a_file_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.txt"
    file.write_text(KLOTSKI)
    assert main(["convert", str(file), "--out", str(tmp_path / "out")]) == 0
    assert "k.txt: Klotskis in rows of digits or letters, equal ones a piece (klotski-rows)" in capsys.readouterr().out
    assert main(["convert", str(file), "--out", str(tmp_path / "out"), "--json"]) == 0
    assert '"form": "klotski-rows"' in capsys.readouterr().out


GAME = "title X\n\n========\nOBJECTS\n========\nLEGEND\n\nCOLLISIONLAYERS\n\nRULES\n\nLEVELS\n\n#####\n#@$.#\n#####\n"


def test_a_game_of_puzzlescript_is_known_and_refused_once(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(GAME)
    with pytest.raises(UsageError, match=r"game.txt is a PuzzleScript game, which is not read here"):
        convert(file, tmp_path / "out")
    (problem,) = convert(tmp_path, tmp_path / "out").problems
    assert "is a PuzzleScript game" in problem.message


@pytest.mark.parametrize("name", ["puzzle.txt", "puzzle.tsv", "puzzle.dat"])
@pytest.mark.parametrize(
    "text",
    [
        "Levels that I like.\n",
        "HELLO\nWORLD\n",
        "1 2 3\n4 5 6\n40 50 60\n70 80 90\n",
        "AABB\nAABB\n....\n",
        "=======\nOBJECTS\n=======\n\nLEVELS\n\n#######\n#..O..#\n#######\n",
        "..B...\n..B...\nAA....\n......\n......\n",
    ],
)
def test_what_no_format_fits_is_not_guessed(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(UsageError, match="in a format that is read here") as caught:
        convert(file, tmp_path / "out")
    for _, form in forms().values():
        assert f"{form.name}: {form.help}" in str(caught.value)
    (problem,) = convert(file, tmp_path, form="rush-hour-lines").problems
    assert "holds no Rush Hour board" in problem.message


def test_the_help_names_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    named = set(re.findall(r"[a-z][a-z-]*", re.sub(r"-\n +", "-", capsys.readouterr().out)))
    assert set(forms()) <= named
