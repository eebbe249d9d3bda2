"""Playing in the studio: the gauge, what is said at the goal, the next puzzle, large boards, and the shelf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from budge.models.library import load

from ..helpers.studio_browser import Page

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from budge.studio.shown import goal_words
from budge.views.scene import Scene

OWN = """\
format: 1
family: rush-hour
name: {name}
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""
SIDE = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "a.yaml").write_text(OWN.format(name="The first one"))
    (folder / "b.yaml").write_text(
        OWN.format(name="The second one").replace("AA.BC", "AAB.C").replace("...BC", "..B.C")
    )
    rows = ["#" * SIDE, *["#" + " " * (SIDE - 2) + "#"] * (SIDE - 2), "#" * SIDE]
    rows[2] = "# @$." + " " * (SIDE - 6) + "#"
    level = "".join(f"  {row}\n" for row in rows)
    (folder / "hall.yaml").write_text(f"format: 1\nfamily: sokoban\nname: Hall\nmap: |2\n{level}")
    return folder


COUNT = "n => document.querySelector('budge-game').notation.length === n"
"""Whether so many moves lead to where the game is."""


def make(page: Page, *moves: str) -> None:
    """Make moves by keys: `B↓`."""
    page.locator("budge-game .budge-stage").focus()
    for move in moves:
        before = len(page.played)
        page.keyboard.press(move[0].lower())
        page.keyboard.press({"↓": "ArrowDown", "→": "ArrowRight", "↑": "ArrowUp"}[move[1]])
        page.wait_for_function(COUNT, arg=before + 1)


def test_the_gauge_falls_and_the_goal_says_how_good_it_was_and_what_is_next(page: Page) -> None:
    page.open("file:a.yaml", "play")
    page.wait_for_selector(".gauge:has-text('5 steps to the goal')")
    make(page, "B↓")
    page.wait_for_selector(".gauge:has-text('4 steps to the goal')")
    make(page, "B↑", "B↓", "C↓", "A→", "A→", "A→")
    page.wait_for_selector(".told:has-text('Solved in 7 steps. The shortest has 5. You lost 2 steps at move 2.')")
    page.wait_for_selector("header a[rel=next][href]")
    page.click("header a[rel=next]")
    page.titled("The second one")


def test_where_rules_are_too_large_for_a_page_plans_are_still_shown(page: Page) -> None:
    """As the studio answers for a hall of 80x80 cells (`test_studio_service.py`); grounding that takes long."""

    def without_rules(route: Any) -> None:
        told = route.fetch().json()
        kept = {name: told[name] for name in ("units", "scene", "digest")}
        route.fulfill(json=kept | {"unplayable": "Its rules are too large for a page."})

    page.route("**/api/game", without_rules)
    page.open("file:b.yaml", "play")
    page.wait_for_selector(".told:has-text('Its rules are too large for a page.')")
    assert page.locator("budge-game .token").count() == 3
    assert not page.is_visible("[data-do=hint]")
    page.locator("budge-game .budge-stage").focus()
    page.keyboard.press("b")
    page.keyboard.press("ArrowDown")
    assert page.played == []
    page.show("solve")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.click(".run .on-board")
    page.wait_for_function("() => document.querySelector('budge-game').notation.length > 0")
    page.click("budge-game [data-do=last]")
    page.wait_for_selector(".history button[aria-current] >> text=A")
    page.click("budge-game [data-do=again]")
    assert page.played == []


def test_a_newcomer_sees_how_to_move_and_the_whole_page(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.open("shipped:custom/lorries-1", "play")
    page.wait_for_selector(".how:has-text('Drag a piece')")
    page.wait_for_selector(".told:has-text('weight 24')")
    assert page.inner_text(".goal") == "The red car at the right edge."
    assert page.inner_text("[data-do=undo]") == "Undo"
    fits = "() => document.documentElement.scrollHeight === innerHeight"
    page.wait_for_function(fits)
    page.evaluate("() => import('/web/app.js').then(app => app.strip('test', 'A line over the page.'))")
    page.wait_for_function(fits)


def test_what_was_solved_is_marked_and_found(page: Page) -> None:
    page.open("file:a.yaml", "play")
    make(page, "B↓", "C↓", "A→", "A→", "A→")
    page.wait_for_selector(".solved .told")
    page.click("#library")
    page.wait_for_selector(".card .done")
    page.select_option("dialog [aria-label=Solved]", "yes")
    page.wait_for_function("() => document.querySelectorAll('.library .card').length === 1")
    assert page.locator(".card .done").text_content() == "✓ in 5 steps"
    assert page.get_attribute(".card a", "href") == "/?open=file%3Aa.yaml"
    page.select_option("dialog [aria-label=Solved]", "")
    page.select_option("dialog [aria-label=Family]", "sokoban")
    before = page.locator(".card").count()
    page.click(".more >> nth=0")
    page.wait_for_function("n => document.querySelectorAll('.card').length > n", arg=before)


def test_a_large_board_begins_legible_and_pans_and_zooms(page: Page) -> None:
    page.open("file:hall.yaml", "play")
    page.wait_for_selector(".zoom .zoom-fit")
    wide = "Number(document.querySelector('budge-game svg.budge-board').getAttribute('viewBox').split(' ')[2])"
    left = wide.replace("[2]", "[0]")
    page.wait_for_function(f"() => {wide} < {SIDE * 40}")
    size = page.evaluate(wide)
    page.keyboard.press("+")
    assert page.evaluate(wide) < size
    box = page.locator("budge-game svg.budge-board").bounding_box()
    at = page.evaluate(left)
    page.mouse.move(box["x"] + 400, box["y"] + 400)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 300, steps=5)
    page.mouse.up()
    assert page.evaluate(left) > at
    assert page.played == []  # a drag is no click
    page.set_viewport_size({"width": 390, "height": 844})  # a telephone: the buttons cover nothing of the board
    buttons, board = (page.locator(one).bounding_box() for one in (".zoom", "budge-game svg.budge-board"))
    assert buttons["y"] >= board["y"] + board["height"]
    page.set_viewport_size({"width": 1280, "height": 844})
    page.click(".zoom-fit")
    assert page.evaluate(wide) > SIDE * 40
    box = page.locator("budge-game svg.budge-board").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function(COUNT, arg=1)


def test_the_goal_is_said_in_words() -> None:
    assert goal_words(load("bird-2")) == "piece X gets out to the right, row 3"
    assert goal_words(load("klotski/heng-dao-li-ma")) == "bring the red piece A to the dashed outline"
    assert goal_words(load("sliding_block/four-soldiers")).startswith("bring f, g, h and i to")
    assert goal_words(load("eight-31-a")) == ""


def test_one_piece_is_red_and_pieces_of_a_shape_look_alike() -> None:
    pieces = Scene(load("bird-2")).kinds
    kinds = {id: piece.faces[0][0].attributes["class"] for id, piece in pieces.items()}
    assert [id for id, kind in kinds.items() if "key" in kind] == ["X"]
    assert kinds["C"] == kinds["H"] != kinds["A"] == kinds["G"]
    several = Scene(load("sliding_block/four-soldiers")).kinds
    bright = [piece.faces[0][0].attributes["class"] for id, piece in several.items() if id in "fghi"]
    assert len(set(bright)) == 4
