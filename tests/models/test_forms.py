"""Other people's files: all forms read and written, there and back, and what they cannot say refused in words."""

import json
import re
from pathlib import Path

import pytest
from budge import convert, load, puzzles
from budge.cli import main
from budge.models.collections import collection_of
from budge.models.documents.document import Report
from budge.models.documents.text_levels import Said
from budge.models.errors import PuzzleError, UsageError
from budge.models.families import forms, load_text
from budge.models.puzzle import Puzzle

FAMILIES = ("rush-hour", "sliding-block", "n-puzzle", "sokoban")
SHIPPED = {name: puzzle for name, puzzle in puzzles().items() if puzzle.family in FAMILIES}


def read(text: str, name: str = "boards.txt", form: str | None = None, **said: str) -> tuple[list[Puzzle], list[str]]:
    """The puzzles of a text, and its problems as `LINE:COLUMN message`."""
    report = Report(name, text.splitlines())
    opened = collection_of(report, form, Said(**said))
    texts = [opened.text(number) for number in range(1, len(opened.levels) + 1)]
    told = PuzzleError(report.problems).problems
    return [load_text(text) for text in texts if text], [f"{p.line}:{p.column} {p.message}" for p in told]


def board(puzzle: Puzzle) -> str:
    return " ".join(puzzle.board())


# There and back

CANNOT = re.compile("cannot say|does not say|has square boards|has five rows|has squares|at least two rows")


@pytest.mark.parametrize("name", [name for name, (_, form) in forms(read=False).items() if form.levels])
def test_all_shipped_puzzles_there_and_back(name: str) -> None:
    family, form = forms()[name]
    mine = [puzzle for puzzle in SHIPPED.values() if puzzle.family == family.name]
    refused = 0
    assert form.write
    for puzzle in mine:
        try:
            text = form.write(puzzle.header, puzzle.value)
        except UsageError as error:
            refused += 1 if CANNOT.search(str(error)) else len(mine)
            continue
        for chosen in (name, None if form.guessed else name):
            (again,), problems = read(text, f"one{form.endings[0]}", chosen)
            assert not problems
            assert shape(again) == shape(puzzle)
            assert (again.goal_text() == puzzle.goal_text()) or family.name == "rush-hour"
    assert refused < len(mine) / 2 or name == "klotski-lines"


def shape(puzzle: Puzzle) -> object:
    """The board; of Rush Hour with letters in order of appearance, as some forms call the first car X."""
    rows = puzzle.board()
    if puzzle.family != "rush-hour":
        return rows
    letters = dict.fromkeys(char for row in rows for char in row if char not in ".#")
    target = puzzle.value.target
    order = {letter: chr(0x100 + number) for number, letter in enumerate(letters)} | {target: "target"}
    return [[order.get(char, char) for char in row] for row in rows], puzzle.value.exit_cell


def test_what_a_form_cannot_say_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    def told(text: str, form: str) -> str:
        puzzle = load_text(f"format: 1\n{text}")
        with pytest.raises(UsageError) as caught:
            forms()[form][1].write(puzzle.header, puzzle.value)  # type: ignore[misc]
        return str(caught.value)

    left = "family: rush-hour\nboard: [..XX, ....]\ngoal: {piece: X, exit: left}\n"
    walls = "family: rush-hour\nboard: ['XX..', '#...']\ngoal: {piece: X, exit: right}\n"
    single = "family: rush-hour\nboard: [XX.B, ....]\ngoal: {piece: X, exit: right}\norientation: {B: vertical}\n"
    assert "another exit" in told(left, "rush-hour-csv")
    assert "walls" in told(walls, "rush-hour-json")
    assert "a vehicle of one cell" in told(single, "rush-hour-rows")
    assert "square boards" in told(single, "rush-hour-lines")
    assert "how large a board is" in told(single, "rush-hour-csv")
    doors = "family: sliding-block\nboard: [A.]\ngoal: [.A]\ndirections: {A: horizontal}\n"
    assert "`directions`" in told(doors, "klotski-rows")
    assert "a goal other than" in told("family: n-puzzle\nstart: [1 2, 3 .]\ngoal: [2 1, 3 .]\n", "n-puzzle-rows")
    assert main(["export", "bird-1", "--to", "n-puzzle-rows"]) == 2
    assert "only N-puzzle can be written as n-puzzle-rows" in capsys.readouterr().err


# Rush Hour

GRID = "0 0 2 3 3 3\n0 0 2 0 0 4\n1 1 0 0 0 4\n5 0 6 6 0 4\n5 0 0 7 0 0\n8 8 0 7 9 9\n"
ROWS = "..2333 ..2..4 11...4 5.66.4 5..7.. 88.799"


@pytest.mark.parametrize(
    "text",
    [
        GRID,
        GRID.replace(" ", "\t"),
        GRID.replace(" ", ","),
        GRID.replace(" ", ""),
        GRID.replace("0", "-1"),
        GRID.replace("0", "."),
        GRID.replace("1 1 0 0 0 4", "1 1 0 0 0 4  => exit"),
        json.dumps([row.split() for row in GRID.splitlines()]),
        json.dumps(
            {"levels": [{"name": "one", "grid": [[int(n) for n in r.split()] for r in GRID.splitlines()]}]}, indent=1
        ),
        json.dumps([row.replace(" ", "") for row in GRID.splitlines()]),
        f"; mine\n\n=====\nLevel 1\n{GRID}Moves: 12\n",
    ],
)
def test_grids_of_numbers(text: str) -> None:
    (puzzle,), problems = read(text)
    assert (board(puzzle), puzzle.value.target, problems) == (ROWS, "1", [])
    assert puzzle.header.expect.costs == {}


def test_titles_between_boards_without_empty_lines() -> None:
    text = f"Level 1:\n{GRID}Level 2 (hard)\n{GRID.replace('9 9', '9 2')}Level 3\n{GRID}"
    found, problems = read(text)
    assert [(puzzle.header.name, board(puzzle)) for puzzle in found] == [("Level 1", ROWS), ("Level 3", ROWS)]
    assert [problem.split()[0] for problem in problems] == ["14:9", "14:11"]
    numbered = f"1\n{GRID}\n#2.\n{GRID}\n6 6\n{GRID}\nboard = [\n{GRID}]\n"
    found, problems = read(numbered)
    assert [puzzle.header.name for puzzle in found] == ["Level 1", "Level 2", "6 6", "board"]
    assert not problems
    _, problems = read(f"{GRID}\nAA...O\nP..Q.O\nPXXQ.\nP..Q..\nB...CC\nB.RRR.\n")
    assert problems == ["8:1 no Rush Hour board in the 6 lines from here"]
    found, problems = read("One\n3\n0 1 3\n4 2 5\n7 8 6\nTwo\n3\n0 1 3\n4 2 5\n7 8 6\n")
    assert [puzzle.header.name for puzzle in found] == ["One", "Two"]
    assert not problems


def test_grids_with_an_exit_another_red_car_and_faults() -> None:
    (puzzle,), _ = read(GRID.replace("1 1 0 0 0 4", "1 1 0 0 -1 4"))
    assert puzzle.value.exit_cell == (2, 4)
    (puzzle,), _ = read(GRID.replace("0", "-1").replace("9 9", "0 0"))
    assert (board(puzzle), puzzle.value.target) == (ROWS.replace("99", "00"), "0")
    (puzzle,), _ = read(GRID, piece="6")
    assert puzzle.value.target == "6"
    (puzzle,), _ = read(GRID.replace("9 9", "10 10"))
    assert board(puzzle) == ROWS.replace("99", "AA")
    puzzles, problems = read(f"{GRID}\n{GRID.replace('9 9', '9 2')}\n1 1 0\n0 0\n")
    assert len(puzzles) == 1
    assert problems == [
        "13:9 piece 9 has one cell, so the board does not show which way it moves",
        "13:11 piece 2 is in two parts, the second one here",
        "15:1 no Rush Hour board in the 2 lines from here",
    ]


CSV = "car,orientation,col,row,length\nA,H,2,1,2\nB,V,1,1,2\nX,H,1,3,2\nC,v,6,2,3\n"
CARS = "BAA... B....C XX...C .....C ...... ......"


@pytest.mark.parametrize(
    ("text", "base"),
    [
        (CSV, 1),
        (CSV.replace(",", "\t"), 1),
        ("# cars\n" + CSV.replace(",", " ; "), 1),
        (CSV.partition("\n")[2], 1),
        ("row,length,car,col,orientation\n1,2,A,2,H\n1,2,B,1,V\n3,2,X,1,H\n2,3,C,6,V\n", 1),
        ('"name","x","y","len","dir"\n"A","1","0","2","horizontal"\n"B",0,0,2,vertical\nX,0,2,2,h\nC,5,1,3,v\n', 0),
        ('[{"id":"A","x":1,"y":0,"w":2,"h":1},{"id":"B","x":0,"y":0,"h":2},{"id":"X","x":0,"y":2,"w":2},'
         '{"id":"C","x":5,"y":1,"w":1,"h":3}]', 0),
        ('{"size": 6, "cars": [{"id":"A","pos":{"row":1,"col":2},"length":2,"horizontal":true},'
         '{"id":"B","pos":{"row":1,"col":1},"length":2,"horizontal":false},\n'
         '{"id":"X","pos":{"row":3,"col":1},"length":2,"orientation":"H"},\n'
         '{"id":"C","pos":{"row":2,"col":6},"length":3,"orientation":"V"}]}', 1),
        ('{"cars": {"A": {"x":1,"y":0,"w":2}, "B": {"x":0,"y":0,"h":2}, "X": {"x":0,"y":2,"w":2}, "C": '
         '{"x":5,"y":1,"h":3}}}', 0),
    ],
)  # fmt: skip
def test_vehicles_in_tables_and_objects(text: str, base: int) -> None:
    (puzzle,), problems = read(text)
    assert (board(puzzle), puzzle.value.target, problems) == (CARS, "X", [])
    notes = collection_of(Report("x", text.splitlines())).notes()
    assert notes == (f"vehicle X leaves to the right; the board has 6 by 6 cells, counted from {base}",)


def test_several_boards_of_vehicles_and_names_of_many_letters() -> None:
    two, problems = read(
        "level,car,orientation,col,row,length\n1,A,H,2,1,2\n1,X,H,1,3,2\n2,red,H,1,3,2\n2,AB,V,6,2,3\n"
    )
    assert [(puzzle.header.name, board(puzzle)) for puzzle in two] == [
        ("Level 1", ".AA... ...... XX.... ...... ...... ......"),
        ("Level 2", "...... .....B AA...B .....B ...... ......"),
    ]
    assert not problems
    large = "car,orientation,col,row,length\n" + "".join(f"A{n},V,{n},1,2\n" for n in range(1, 13)) + "X,H,1,3,2\n"
    (puzzle,), _ = read(large)
    assert len(puzzle.board()) == 12
    (puzzle,), _ = read('[{"id":"P","x":0,"y":2,"w":2},{"id":"Q","x":4,"y":0,"h":3}]', piece="p")
    assert puzzle.value.target == "P"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (CSV + "D,Q,1,6,2\n", "6:3 this vehicle lies neither horizontally nor vertically"),
        (CSV + "D,H,x,6,2\n", "6:5 the col of a vehicle is a number, not `x`"),
        (CSV + "D,H,2,3,2\n", "6:1 vehicle D lies on vehicle X, row 3, column 2"),
        (CSV + "D,H,2,3\n", "6:1 this line has 4 values, its heading 5"),
        (CSV + "X,H,2,5,2\n", "6:1 a second vehicle X"),
        (CSV.replace("X,H", "X,V"), "4:1 vehicle X must get out to the right, and stands upright"),
        (CSV.replace("X", "Q").replace("A,", "P,"), "2:1 which vehicle must get out is not said"),
        ('{"size": 4,\n "cars": [{"id":"X","x":0,"y":2,"w":2},\n {"id":"B","x":3,"y":0,"w":2}]}',
         "3:2 vehicle B lies outside the board of 4 by 4 cells"),
        ('[{"id":"X","x":0,"y":2,"w":2},\n {"id":"B","x":3,"y":0,"w":2,"h":2}]',
         "2:2 this vehicle has 2 by 2 cells; one is a straight line of cells"),
        ('[{"id":"X","x":0,"y":2,"w":2},\n {"id":"B"}]', "2:2 this object is no vehicle: it has no place or no size"),
    ],
)  # fmt: skip
def test_faults_of_vehicles_have_their_places(text: str, told: str) -> None:
    puzzles, problems = read(text)
    assert told in problems
    assert len(puzzles) == ("heading" in told)


def test_broken_json_is_told_where() -> None:
    with pytest.raises(PuzzleError, match=r"boards.json:1:31: error: this is not JSON"):
        read('[{"id":"X","x":0,"y":2,"w":2},\n', "boards.json")


def test_lines_of_other_sizes_in_lower_case_and_numbered() -> None:
    text = "06 EoBBECCCAAoFDDoF 34\n12 GoJBBxGoJKooHAAKoLHDDDoLHIoooooIEEFF 1956\n"
    found, problems = read(f"{text}..bccc..b..dxxb..d.......e.....e....\n99 oo 3\n")
    assert [len(puzzle.board()) for puzzle in found] == [4, 6, 6]
    assert [puzzle.header.expect.costs for puzzle in found] == [{}, {}, {}]
    assert found[2].value.target == "X"
    assert problems == ["4:1 this line holds no board of 6 by 6 cells"]
    two, _ = read(json.dumps([BOARD, BOARD]))
    assert len(two) == 2


BOARD = "..BCCC..B..DXXB..D.......E.....E...."


# Sliding blocks

KLOTSKI = "BAAC\nBAAC\nDEEF\nDGHF\nI..J\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"5 4\n{KLOTSKI}", ""),
        (f"name: Red\noptimal: 81\n5 4\n{KLOTSKI}-> out\n....\n....\n....\n....\n.AA.\n", "Red"),
        (f"# a comment of words\nRed donkey\n5 4\n{KLOTSKI}....\n....\n....\n....\n.AA.\n", "Red donkey"),
        (json.dumps([list(row) for row in KLOTSKI.split()]), ""),
        (f"1\tLi\t116\t{KLOTSKI.replace(chr(10), '')}\n", "Li"),
    ],
)
def test_klotskis_with_size_target_and_in_lines(text: str, name: str) -> None:
    (puzzle,), problems = read(text)
    assert (puzzle.board(), problems) == (tuple(KLOTSKI.split()), [])
    assert puzzle.header.name == (name or "boards 1")
    assert puzzle.header.notes == ("optimal: 81\n-> out" if name == "Red" else "")
    assert puzzle.header.expect.costs == {}


def test_pieces_of_a_klotski_are_numbers_of_any_length() -> None:
    (puzzle,), problems = read("1 2 2 3\n1 2 2 3\n4 5 5 6\n4 7 8 6\n9 0 0 10\n")
    assert (puzzle.board(), problems) == (("1223", "1223", "4556", "4786", "9..a"), [])


def test_walls_and_faults_of_sized_boards() -> None:
    (puzzle,), problems = read("6 4\n##E#\nAA.#\n.BB.\n.CC.\n#.DD\n#F##\n##F#\n...#\n....\n....\n#...\n#E##\n")
    assert (len(puzzle.value.walls), problems) == (8, [])
    _, problems = read(f"5 4\n{KLOTSKI.replace('DGHF', 'DGH')}\n{KLOTSKI}")
    assert problems == ["1:1 no Klotski in the 6 lines from here"]
    _, problems = read(f"5 4\n{KLOTSKI}....\n....\n....\n....\n.QQ.\n")
    assert problems == ["11:2 no piece `Q` on the board"]


# N-puzzles


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("# This puzzle is solvable\n3\n0 1 3 # first\n4 2 5\n7 8 6\n", "0 1 3 4 2 5 7 8 6"),
        ("013425786\n", "0 1 3 4 2 5 7 8 6"),
        ("_13425786 # a comment\n", "0 1 3 4 2 5 7 8 6"),
        ("x 1 3 4 2 5 7 8 6\n", "0 1 3 4 2 5 7 8 6"),
        ("* 1 3\n4 2 5\n7 8 6\n", "0 1 3 4 2 5 7 8 6"),
        ("(0, 1, 3, 4, 2, 5, 7, 8, 6)\n", "0 1 3 4 2 5 7 8 6"),
        ("7\t20\t0 1 3 4 2 5 7 8 6\n", "0 1 3 4 2 5 7 8 6"),
        ("[[0,1,3],[4,2,5],[7,8,6]]", "0 1 3 4 2 5 7 8 6"),
        (json.dumps({"start": [[0, 1, 3], [4, 2, 5], [7, 8, 6]]}, indent=2), "0 1 3 4 2 5 7 8 6"),
    ],
)
def test_n_puzzles(text: str, start: str) -> None:
    (puzzle,), problems = read(text)
    assert (" ".join(str(tile) for row in puzzle.value.start for tile in row), problems) == (start, [])
    assert puzzle.header.expect.costs == {}


KORF = "1 57 41 14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3\n2 55 43 13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6\n"


def test_the_goal_of_n_puzzles_is_chosen_in_the_open() -> None:
    def goal(text: str, **said: str) -> tuple[list[tuple[int, ...]], tuple[str, ...]]:
        opened = collection_of(Report("x.txt", text.splitlines()), None, Said(**said))
        first = opened.text(1)
        assert first
        return [row[:3] for row in load_text(first).value.goal], opened.notes()

    first, (note,) = goal(KORF)
    assert first[0] == (0, 1, 2)
    assert note.endswith("the blank first; none of these positions can reach the one with the blank last")
    last, (note,) = goal(KORF.split("\n")[0])
    assert last[0] == (1, 2, 3)
    assert note.endswith("the blank last, which cannot be reached; that of `--goal blank-first` can")
    assert goal(KORF, goal="blank-last")[0][0] == (1, 2, 3)
    assert goal("3\n1 2 3\n4 5 6\n7 0 8\n", goal="spiral")[0] == [(1, 2, 3), (8, 0, 4), (7, 6, 5)]
    assert goal("; goal: blank-first\n3\n1 2 3\n4 5 6\n7 0 8\n")[0][0] == (0, 1, 2)
    with pytest.raises(UsageError, match="no goal `first` of n-puzzles"):
        goal(KORF, goal="first")


def test_faults_in_lists_of_n_puzzles() -> None:
    found, problems = read(
        f"{KORF}3 5 5 14 7 8 2 13 11 10 4 9 12 5 0 3 6 1 1\n4 14 7\n5 1 1 99 7 8 2 13 11 10 4 9 12 5 0 3 6 1 1\n"
    )
    assert len(found) == 2
    assert problems == [
        "3:42 tile 1 stands here a second time (first in column 40)",
        "4:1 this line has 3 numbers, too few for 16 cells from number 4 on",
        "5:7 tile 99 is not one of 1 to 15",
    ]


# Sokoban


def test_other_signs_of_sokoban() -> None:
    text = "One\nWWWWWW\nWp.bgW\nWWWWWW\n"
    (puzzle,), problems = read(text, signs="wall=W,floor=.,goal=g,box=b,player=p")
    assert (board(puzzle), puzzle.header.name, problems) == ("###### #@ $.# ######", "One", [])
    _, problems = read(text.replace("g", "b"), signs="wall=W,floor=.,goal=g,box=b,player=p")
    assert problems == ["3:4 2 boxes but no goal"]
    for signs, told in (("wale=W", "did you mean `wall`"), ("wall", "signs are written as"), ("wall=WW", "signs are")):
        with pytest.raises(UsageError, match=told):
            read(text, signs=signs)


def test_solutions_are_replayed_and_kept() -> None:
    room, long = "#####\n#@$.#\n#####\n", "#######\n#@ $ .#\n#######\n"
    two = f"{long}Solution (2 pushes):\nr\nRR\nSnapshot\nrR\n"
    three = f"{long}\nSolution: r2R\nSolution: rR\nrLLLLLLL\n"
    text = f"; 1\n\n{room}Solution\nR\n\n; 2\n\n{two}\n; 3\n{three}"
    found, problems = read(text, "x.xsb")
    assert [puzzle.header.notes for puzzle in found] == [
        "Solution (1 push, 1 move, replayed, not proven shortest): R",
        "Solution (2 pushes, 3 moves, replayed, not proven shortest): rRR",
        "Solution (2 pushes, 3 moves, replayed, not proven shortest): r2R",
    ]
    assert problems == [
        "26:11 this solution does not solve its level: step 3 (`r`) is a walk, but a box stands there: row 2, column 5"
    ]


def test_numbers_below_a_solution_are_no_part_of_it() -> None:
    found, problems = read("#####\n#@$.#\n#####\nSolution\nR\n6 6\n", "x.xsb")
    assert [puzzle.header.notes[-2:] for puzzle in found] == [" R"]
    assert not problems
    _, problems = read("#####\n#@$.#\n#####\nSolution\nR\n6 6\nRR\n", "x.xsb")
    assert [problem.split()[0] for problem in problems] == ["5:1"]


# Opening such files directly


def test_a_collection_is_opened_level_by_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my boards.txt"
    file.write_text(f"{GRID}\n{GRID.replace('9 9', '9 2')}\n{GRID}\nwhat is this\n")
    assert load(f"{file}#1").header.file == f"{file}#1"
    with pytest.raises(PuzzleError, match="piece 9 has one cell"):
        load(f"{file}#2")
    with pytest.raises(UsageError, match=r"has 3 levels, so there is no .*#4"):
        load(f"{file}#4")
    with pytest.raises(PuzzleError, match="this line belongs to no Rush Hour board"):
        load(file)
    assert main(["solve", str(file), "--engine", "bfs", "--json", "--quiet"]) == 2
    captured = capsys.readouterr()
    assert [json.loads(line)["status"] for line in captured.out.splitlines()].count("optimal") == 2
    assert "belongs to no Rush Hour board" in captured.err + captured.out
    file.write_text(f"{GRID}\n{GRID}\n")
    with pytest.raises(UsageError, match="has 2 levels: name one"):
        load(file)
    file.write_text(GRID)
    assert load(file).family == "rush-hour"


def test_python_says_what_a_file_was_taken_for(tmp_path: Path) -> None:
    file = tmp_path / "cars.csv"
    file.write_text(CSV)
    done = convert(file, tmp_path / "out", piece="A")
    assert done.form == "rush-hour-csv"
    assert done.notes == ("vehicle A leaves to the right; the board has 6 by 6 cells, counted from 1",)


def test_rows_of_numbers_with_commas(tmp_path: Path) -> None:
    file = tmp_path / "eight.csv"
    file.write_text("1,2,3\n4,5,6\n7,0,8\n")
    assert convert(file, tmp_path / "out").form == "n-puzzle-rows"
    assert load(file).family == "n-puzzle"
