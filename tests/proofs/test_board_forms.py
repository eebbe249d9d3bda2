"""Every way in which a board can be written is one board: for Budge, in a certificate, and for its checker.

The boards are made here, and so is what is true of them: the rows that every reader has to read, and the optimum.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from budge import load_text
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.games import puzzle_of
from budge.workflows.certifying import canonical

from ..helpers.board_games import visited
from ..helpers.random_boards import rush_hour, sliding_block
from ..helpers.seeds import seeds
from ..helpers.sokoban_levels import text_of
from ..helpers.two_readers import differ

Rows = list[str]
Tiles = list[list[int]]
N_PUZZLE = "format: 1\nfamily: n-puzzle\n"


def checked(text: str) -> Any:
    """What the checker reads of a puzzle file, as a certificate writes it; Budge reads the same."""
    puzzle = load_text(text)
    written = canonical(puzzle)
    assert not differ(written, puzzle)
    assert canonical(load_text(written)) == written
    return puzzle_of(written)


# Maps: rows of characters


def maps(key: str, rows: Rows) -> Iterator[str]:
    """A map in every form that is not a block with `|2`."""
    quoted = [f'"{row}"' for row in rows]
    yield f"{key}: |2\n" + "".join(f"  {row}\n" for row in rows)
    yield f"{key}: |2+\n" + "".join(f"  {row}   \n" for row in rows) + "\n\n"
    yield f"{key}: |2-\n\n" + "".join(f"  {row}\n" for row in rows)
    yield f"{key}: [{', '.join(quoted)}]\n"
    yield f"{key}:\n" + "".join(f"  - {row}\n" for row in quoted)
    if len(rows) > 1:
        yield f"{key}: " + '"' + "\\n".join(rows) + '"\n'
    elif key != "board" or len(rows[0]) == 36:  # else a line is a mistake
        yield f"{key}: {quoted[0]}\n"
        yield f"{key}: '{rows[0]}'\n"


def rows_of(text: str, key: str) -> Rows:
    """The rows of a block in a file."""
    lines = text.split(f"{key}: |2\n" if f"{key}: |2\n" in text else f"{key}: |\n")[1].split("\n")
    return [line[2:].rstrip() for line in lines[: next(i for i, line in enumerate(lines) if line[:2] != "  ")]]


VEHICLES = ["AA.B\n...B\nCC..", "A.\nA.\n..", "AA....", "B\nB\n.", "AA.\n.#.\n..B\n..B"]


@pytest.mark.parametrize("seed", seeds(8))
def test_rush_hour(seed: int) -> None:
    text = rush_hour(seed)
    rows, rest = rows_of(text, "board"), text[text.index("goal:") :] if "goal:" in text else ""
    head = "format: 1\nfamily: rush-hour\n"
    forms = [form for one in (rows, other_signs(rows)) for form in maps("board", one)]
    found = {form: checked(head + form + rest) for form in forms}
    assert {board.rows for board in found.values()} == {tuple(rows)}
    assert len({visited(board, "slides", None, Limits()).goal for board in found.values()}) == 1


def other_signs(rows: Rows) -> Rows:
    """The same with o and x for empty cells and walls."""
    return [row.replace(".", "o").replace("#", "x") for row in rows]


@pytest.mark.parametrize("drawn", VEHICLES)
def test_narrow_boards_of_rush_hour(drawn: str) -> None:
    rows = drawn.split("\n")
    letter = next(char for char in drawn if char.isalpha())
    across = any(letter * 2 in row for row in rows)
    goal = f"goal: {{piece: {letter}, exit: {'right' if across else 'bottom'}}}\n"
    for form in maps("board", rows):
        assert checked("format: 1\nfamily: rush-hour\n" + form + goal).rows == tuple(rows)


def test_thirty_six_cells_in_one_row_are_a_square() -> None:
    row = "AA...." + ".....B" + ".....B" + "CC...." + "......" + "....DD"
    square = tuple(row[i : i + 6] for i in range(0, 36, 6))
    for form in maps("board", [row]):
        assert checked("format: 1\nfamily: rush-hour\n" + form).rows == square


@pytest.mark.parametrize("seed", seeds(8))
def test_sliding_blocks(seed: int) -> None:
    text = canonical(load_text(sliding_block(seed).text))
    board, goal = rows_of(text, "board"), rows_of(text, "goal")
    rest = "".join(
        f"{line}\n" for line in text.split("\n") if line.startswith(("directions", "doors", "alike", "detach"))
    )
    head, wanted = "format: 1\nfamily: sliding-block\n", puzzle_of(text)
    for one, other in zip(maps("board", board), maps("goal", goal), strict=False):
        assert checked(head + one + other + rest) == wanted


def test_what_pieces_may_do_is_written_in_many_ways() -> None:
    head = "format: 1\nfamily: sliding-block\nboard: [ab.c, ....]\ngoal: [c..., ....]\n"
    same = [
        ("directions: {ab: horizontal}", "directions: {a: [left, R], b: LR}", "directions: {'a, b': 'right left'}"),
        ("alike: abc", "alike: [a, b, c]", "alike: [abc]", "alike: 'c b, a'"),
        ("doors: ['..a.', '....']", "doors: [{row: 1, col: 3, pieces: a}]", "doors: [{pieces: [a], col: 3, row: 1}]"),
    ]
    for forms in same:
        assert len({canonical(load_text(f"{head}{form}\n")) for form in forms}) == 1
        assert all(checked(f"{head}{form}\n").rows == ("ab.c", "....") for form in forms)


LEVELS = [
    ["#####", "#@$.#", "#####"],
    ["  ####", "###  #", "#@ $.#", "######"],
    ["####", "#+ #", "#$ #", "#  #", "####"],
]
SIGNS = [str.maketrans("", ""), str.maketrans(" ", "-"), str.maketrans("@$.+* ", "pboPB_")]


@pytest.mark.parametrize("rows", LEVELS)
def test_sokoban(rows: Rows) -> None:
    for table in SIGNS:
        for form in maps("map", [row.translate(table) for row in rows]):
            text = "format: 1\nfamily: sokoban\n" + form
            assert checked(text).rows == tuple(rows)
    run_length = "|".join(row.replace(" ", "-").replace("##", "2#").replace("--", "2-") for row in rows)
    assert checked(f'format: 1\nfamily: sokoban\nmap: "{run_length}"\n').rows == tuple(rows)
    assert checked(text_of(rows)).rows == tuple(rows)


# N-puzzles: rows of numbers

SHAPES = [(1, 2), (1, 3), (1, 4), (1, 9), (1, 16), (4, 1), (9, 1), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 4)]


def numbers(key: str, tiles: Tiles, blank: str = ".") -> Iterator[str]:
    """Rows of numbers in every form."""
    words = [[str(tile) if tile else blank for tile in row] for row in tiles]
    square, single = len(words) == len(words[0]), all(len(word) == 1 for row in words for word in row)
    for between in (" ", "  ", ", ", " | "):
        rows = [between.join(row) for row in words]
        yield f"{key}: |\n" + "".join(f"  {row}\n" for row in rows)
        yield f"{key}: |2+\n" + "".join(f"  {row} \n" for row in rows) + "\n"
        if len(rows) > 1:
            yield f'{key}: "{" / ".join(rows)}"\n'
        if len(rows[0]) > 1 and len(words[0]) > 1:
            yield f"{key}: [{', '.join(repr(row) for row in rows)}]\n"
        if square:
            yield f'{key}: "{between.join(word for row in words for word in row)}"\n'
    listed = [f"[{', '.join(row)}]" for row in words]
    yield f"{key}: [{', '.join(listed)}]\n"
    yield f"{key}:\n" + "".join(f"  - [{', '.join(row)}]\n" for row in words)
    if square:
        yield f"{key}: [{', '.join(word for row in words for word in row)}]\n"
        yield f"{key}:\n" + "".join(f"  - {word}\n" for row in words for word in row)
    if single and len(words[0]) > 1 and len(words) > 1:
        yield f"{key}: |\n" + "".join(f"  {''.join(row)}\n" for row in words)
        yield f"{key}: [{', '.join(repr(''.join(row)) for row in words)}]\n"
        yield f"{key}: |2-\n" + "".join(f"  {''.join(row)}\n" for row in words)
    if single and square:
        yield f"{key}: '{''.join(word for row in words for word in row)}'\n"
        yield f"{key}: |\n  {''.join(word for row in words for word in row)}\n"


def shuffled(shape: tuple[int, int], random_: random.Random) -> Tiles:
    """Tiles in any order, or after a few moves."""
    height, width = shape
    order = [*range(1, height * width), 0]
    if random_.random() < 0.5:
        random_.shuffle(order)
    else:
        blank = order.index(0)
        for _ in range(6):
            there = random_.choice(_beside(blank, height, width))
            order[blank], order[there], blank = order[there], order[blank], there
    return [order[i : i + width] for i in range(0, height * width, width)]


def _beside(cell: int, height: int, width: int) -> list[int]:
    row, column = divmod(cell, width)
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * width + c for r, c in near if 0 <= r < height and 0 <= c < width]


def distance(start: Tiles, goal: Tiles, most: int = 30_000) -> int | None:
    """The fewest moves between two arrangements by the definition; -1: none is near, None: there are none."""
    height, width = len(start), len(start[0])
    first, last = (tuple(tile for row in rows for tile in row) for rows in (start, goal))
    far, queue = {first: 0}, [first]
    for here in queue:
        if here == last:
            return far[here]
        if len(far) > most:
            return -1
        blank = here.index(0)
        for there in _beside(blank, height, width):
            after = list(here)
            after[blank], after[there] = after[there], after[blank]
            if tuple(after) not in far:
                far[tuple(after)] = far[here] + 1
                queue.append(tuple(after))
    return None


@pytest.mark.weekly
@pytest.mark.parametrize("shape", SHAPES)
def test_n_puzzles(shape: tuple[int, int]) -> None:
    height, width = shape
    random_ = random.Random(f"{shape}")
    goal = [[(r * width + c + 1) % (height * width) for c in range(width)] for r in range(height)]
    for turn in range(3):
        start = shuffled(shape, random_)
        drawn = {numbers_of(checked(N_PUZZLE + form)) for blank in "._0" for form in numbers("start", start, blank)}
        assert drawn == {tuple(map(tuple, start))}
        other = shuffled(shape, random_)
        for one, two in zip(numbers("start", start), numbers("goal", other), strict=True):
            assert numbers_of(checked(N_PUZZLE + one + two)) == tuple(map(tuple, start))
        for end, text in ((goal, ""), (other, next(numbers("goal", other)))):
            wanted = distance(start, end)
            if wanted != -1 and turn < 2:
                read = checked(N_PUZZLE + next(numbers("start", start)) + text)
                found = visited(read, "moves", None, Limits()).goal
                assert found == (None if wanted is None else (wanted,))


def numbers_of(board: Any) -> tuple[tuple[int, ...], ...]:
    """The numbers of a board as the checker draws it."""
    return tuple(tuple(0 if word == "." else int(word) for word in row.split()) for row in board.rows)


# Custom puzzles: the map

CUSTOM = """\
format: 1
family: custom
{}legend:
  "@": player
  "G": target
state:
  player: {{in: cell}}
constants:
  target: {{of: cell}}
actions:
  walk: {{with: {{d: direction}}, set: {{player: player + d}}}}
goal: target[player]
"""


@pytest.mark.parametrize("rows", [["@.G"], ["@", ".", "G"], ["@..", ".#.", "..G"], ["#@", " ..G"]])
def test_custom_maps(rows: Rows) -> None:
    found = [checked(CUSTOM.format(form)) for form in maps("grid", rows)]
    assert {custom.rows[: len(rows)] for custom in found} == {tuple(rows)}
    assert len({visited(custom, "moves", None, Limits()).goal for custom in found}) == 1


# Only one form is read by the checker


def other_forms() -> Iterator[tuple[str, Callable[[], Iterator[str]]]]:
    tiles = [[1, 2], [3, 0]]
    yield (
        "format: 1\nfamily: rush-hour\ngoal: {piece: A, exit: {row: 1, col: 3}}\n",
        lambda: maps("board", ["AA.", "..."]),
    )
    yield "format: 1\nfamily: sokoban\n", lambda: maps("map", ["#####", "#@$.#", "#####"])
    yield N_PUZZLE + "goal: |2\n  1 2\n  3 .\n", lambda: numbers("start", tiles)


def test_every_other_form_is_refused_and_says_what_to_do() -> None:
    for head, forms in other_forms():
        said = [refusal(head + form) for form in forms()]
        assert 1 <= said.count("") <= 2
        assert all("`budge certify` writes this form" in problem for problem in said if problem)


def refusal(text: str) -> str:
    """What the checker says against reading a puzzle; nothing if it reads it."""
    try:
        puzzle_of(text)
    except Unsupported as problem:
        return str(problem)
    return ""
