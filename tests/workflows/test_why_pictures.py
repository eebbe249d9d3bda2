"""The pictures of an explanation: each move of the optimum is a box, each only route a line for each move."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import why
from budge.cli import main
from budge.views.reasons_html import colours, fragment, reasons_page
from budge.views.svg import board_svg

from ..helpers.page_checker import Checker


def test_boxes_fill_the_optimum() -> None:
    """One for each move, in the colours of the board; C and E share the box that only both together need."""
    found = why("level-12")
    assert found.shares
    text = fragment(found)
    Checker.check(text)
    bar = text.partition('<div class="bar">')[2].partition("</div>")[0]
    for share in found.shares.single:
        assert f"<title>{share.owners[0]} {share.least}</title>" in bar
    (red,) = (paint["class"] for name, paint in colours(found, found.shares).items() if name == "A")
    assert f'class="{red}"' in board_svg(found.puzzle)
    assert bar.count(f'class="{red}"') == 4
    assert all(paint["class"] in board_svg(found.puzzle) for paint in colours(found, found.shares).values())
    assert "<title>C and E together 1</title>" in bar
    assert bar.count("translate(") == found.optimum == 20


def test_what_is_not_explained_is_empty() -> None:
    found = why("bridge-and-torch")
    assert found.shares
    assert "<title>4 unexplained</title>" in fragment(found)
    assert found.shares.bound == 13


def test_routes_and_milestones_are_drawn() -> None:
    """Level 26: A is in the third row; its fourth move ends in the columns 5 and 6, the last milestone."""
    found = why("level-26")
    assert found.pictured
    assert found.pictured.stops["A"] == ((2, 1), (2, 0), (2, 3), (2, 1), (2, 4))
    assert all(len(stops) == len(found.routes[name]) + 1 for name, stops in found.pictured.stops.items())
    assert found.milestones
    for one, rows in zip(found.milestones.chain, found.pictured.strip, strict=True):
        letter, _, cell = one.text.split()
        row, column = (int(part) - 1 for part in cell[1:].split("c"))
        assert rows[row][column] == letter
    text = fragment(found)
    assert text.count("<figure>") == len(found.pictured.stops) + len(found.pictured.strip)
    # Interchangeable blocks have no route of one piece, and what moves along any way is drawn from end to end.
    stops = why("eight-15").pictured
    assert stops
    assert stops.stops["tile 3"] == ((0, 1), (0, 2))


@pytest.mark.parametrize("name", ["wolf-goat-cabbage", "snake-5", "unsolvable-lane", "microban-001"])
def test_pages_load_nothing(name: str) -> None:
    metric = "pushes" if name == "microban-001" else None
    page = reasons_page(why(name, metric))
    Checker.check(page.partition("<body>")[2].partition("</body>")[0])
    assert "default-src 'none'" in page
    assert 'style="' not in page
    assert "<script" not in page


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "why.html"
    assert main(["explain", "level-26", "--why", "-q", "--html", str(file)]) == 0
    assert "<td>23 slides</td>" in file.read_text(encoding="utf-8")
    assert main(["explain", "level-26", "-q", "--html", str(file)]) == 2
    assert "use it with `--why`" in capsys.readouterr().err
    assert main(["explain", "level-26", "level-12", "--why", "-q", "--html", str(file)]) == 2
    assert "`--html` is for one puzzle: name one" in capsys.readouterr().err
    shown = why("wolf-goat-cabbage")._repr_html_()
    assert shown is not None
    assert "<td>7 moves</td>" in shown
