"""Boards as SVG: well-formed, with a text for those who do not see them, and nothing missing."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import budge
import pytest
from budge.models.library import shipped
from budge.views.scene import Scene
from budge.views.shapes import CELL, LETTER, LINE, outline
from budge.views.svg import board_svg, moved_cells

SVG = "{http://www.w3.org/2000/svg}"
ONE_OF_EACH = ["bird-1", "heng-dao-li-ma", "eight-31-a", "microban-001"]
NAMES = sorted(shipped())[::7]


def parts(text: str, tag: str, kind: str = "") -> list[ET.Element]:
    found = ET.fromstring(text).iter(SVG + tag)
    return [one for one in found if not kind or kind in (one.get("class") or "").split()]


@pytest.mark.parametrize("name", [*ONE_OF_EACH, *NAMES])
def test_every_shipped_puzzle_has_a_picture(name: str) -> None:
    puzzle = budge.load(name)
    text = board_svg(puzzle)
    root = ET.fromstring(text)
    assert root.get("role") == "img"
    assert root.findtext(SVG + "title") == puzzle.header.name
    assert (root.findtext(SVG + "desc") or "").startswith("\n".join(puzzle.board()))
    left, top, width, height = map(int, (root.get("viewBox") or "").split())
    rows = puzzle.board()
    if (stage := Scene(puzzle)).style == "words":
        return
    cell = (LETTER, LINE) if stage.style == "lines" else (CELL, CELL)
    assert width >= cell[0] * max(map(len, rows))
    assert height >= cell[1] * len(rows)
    assert left <= 0 >= top
    assert len(parts(text, "style")) == 1
    assert parts(board_svg(puzzle, style=False), "style") == []


def test_pieces_have_an_outline_and_their_label() -> None:
    puzzle = budge.load("eight-31-a")
    text = board_svg(puzzle)
    assert len(parts(text, "path", "piece")) == 8
    assert sorted(one.text or "" for one in parts(text, "text")) == [str(n) for n in range(1, 9)]
    double = budge.load_text("format: 1\nfamily: n-puzzle\nstart: |\n  10 11\n  12 .\ngoal: |\n  . 10\n  11 12\n")
    assert sorted(one.text or "" for one in parts(board_svg(double), "text")) == ["10", "11", "12"]


def test_the_exit_is_open_and_has_an_arrow() -> None:
    puzzle = budge.load_text(
        "format: 1\nfamily: rush-hour\nboard: |\n  A..B\n  A.#B\n  ....\ngoal: {piece: B, exit: bottom}\n"
    )
    text = board_svg(puzzle)
    _, opening = parts(text, "path", "ground")
    assert (opening.get("d") or "").startswith(f"M{3.5 * CELL + CELL / 2 - 3:g} {3 * CELL - 2.5:g}L")
    [arrow] = parts(text, "path", "goal")
    assert (arrow.get("d") or "").startswith(f"M{3.5 * CELL + 5:g} {3 * CELL + 6}L")
    inner = budge.load_text(
        "format: 1\nfamily: rush-hour\nboard: |\n  AA...\n  .....\ngoal: {piece: A, exit: {row: 1, col: 4}}\n"
    )
    assert not parts(board_svg(inner), "path", "goal")
    assert len(parts(board_svg(inner), "path", "goal-line")) == 1


def test_a_puzzle_without_a_map_is_lines_of_text() -> None:
    own = budge.load("wolf-goat-cabbage").to_yaml()
    puzzle = budge.load_text(own[: own.index("draw: |")])
    stage = Scene(puzzle)
    assert stage.style == "lines"
    assert stage.places(puzzle.board()) == []
    assert [one.text for one in parts(board_svg(puzzle), "text")] == list(puzzle.board())


@pytest.mark.parametrize(("columns", "blocks"), [(1, 1), (4, 1), (7, 2), (12, 3)])
def test_a_table_of_two_arguments_is_a_matrix(columns: int, blocks: int) -> None:
    colours = ["red", "ultramarine", "none"]
    start = {tube: {n: colours[(n + row) % 3] for n in range(1, columns + 1)} for row, tube in enumerate("abc", 1)}
    puzzle = budge.load_dict(
        {
            "format": 1,
            "family": "custom",
            "types": {"tube": list(start), "colour": colours},
            "state": {
                "turn": {"in": "tube", "start": "b"},
                "holds": {"of": ["tube", f"1..{columns}"], "in": "colour", "start": start},
            },
            "actions": {"swap": {"set": {"holds[a, 1]": "holds[b, 1]", "holds[b, 1]": "holds[a, 1]"}}},
            "goal": "holds[a, 1] == red",
        }
    )
    turn, *rows = puzzle.board()
    assert turn == "turn: b"
    assert len(rows) == 4 * blocks
    assert all(len(row) <= 78 and not row.endswith(" ") for row in rows)
    read: dict[str, list[str]] = {tube: [] for tube in start}
    for row in rows:
        name, *values = row.split()
        if name in read:
            read[name] += values
    assert read == {tube: list(values.values()) for tube, values in start.items()}


def test_maps_are_drawn_by_signs() -> None:
    puzzle = budge.load_text("format: 1\nfamily: sokoban\nmap: |2\n  #######\n  #@$ .*#\n  #######\n")
    text = board_svg(puzzle)
    assert len(parts(text, "rect", "box")) == 1
    assert len(parts(text, "rect", "done")) == 1
    assert len(parts(text, "path", "goal")) == 2
    assert len(parts(text, "circle", "player")) == 1


@pytest.mark.parametrize("name", ["bird-2", "eight-31-a", "microban-001"])
def test_what_moved_is_marked_and_nothing_else(name: str) -> None:
    solution = budge.solve(name, "bfs")
    puzzle, replay = solution.puzzle, solution.replay
    assert replay
    before = puzzle.board()
    for step in replay.steps:
        moved = moved_cells(puzzle, before, step.board)
        assert moved
        if puzzle.drawing == "pieces":
            [letter] = {step.board[r][c] for r, c in moved}
            assert moved == {(r, c) for r, row in enumerate(step.board) for c, x in enumerate(row) if x == letter}
            assert moved != {(r, c) for r, row in enumerate(before) for c, x in enumerate(row) if x == letter}
        else:
            assert len(moved) == 1
        text = board_svg(puzzle, step.board, moved=moved)
        assert len(parts(text, "path", "moved-line")) == 1
        before = step.board


def test_a_piece_keeps_its_colour() -> None:
    solution = budge.solve("bird-2", "bfs")
    assert solution.replay

    def colours(text: str) -> dict[str | None, str | None]:
        pieces, labels = parts(text, "path", "piece"), parts(text, "text")
        return {label.text: piece.get("fill") for piece, label in zip(pieces, labels, strict=True)}

    first = colours(board_svg(solution.puzzle))
    assert all(colours(board_svg(solution.puzzle, step.board)) == first for step in solution.replay.steps)


def test_outlines() -> None:
    def path(*corners: tuple[int, int]) -> str:
        return "M" + "L".join(f"{x * CELL} {y * CELL}" for x, y in corners) + "Z"

    assert outline([]) == ""
    assert outline([(0, 0)]) == path((0, 0), (1, 0), (1, 1), (0, 1))
    assert outline([(0, 0), (0, 1)]) == path((0, 0), (2, 0), (2, 1), (0, 1))
    assert outline([(0, 0), (1, 1)]).count("M") == 2  # cells that touch at a corner
    ring = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    assert outline(ring) == path((0, 0), (3, 0), (3, 3), (0, 3)) + path((1, 1), (1, 2), (2, 2), (2, 1))


def test_a_large_board_is_drawn_quickly_and_small() -> None:
    rows = ["#" * 60, *("#" + " " * 58 + "#" for _ in range(57)), "#@$." + " " * 55 + "#", "#" * 60]
    text = "format: 1\nfamily: sokoban\nmap: |2\n" + "".join(f"  {row}\n" for row in rows)
    assert len(board_svg(budge.load_text(text))) < 200_000


def test_names_are_escaped() -> None:
    puzzle = budge.load_text("format: 1\nfamily: rush-hour\nname: 'a < b & c'\nboard: |\n  AA.\n")
    assert ET.fromstring(board_svg(puzzle)).findtext(SVG + "title") == "a < b & c"
