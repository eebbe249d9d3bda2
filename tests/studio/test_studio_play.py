"""Playing in the studio: the gauge, what is said at the goal, the next puzzle, large boards, and the shelf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from budge.models.library import load

from ..helpers.studio_browser import Server

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from budge.studio.kept import Solved
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


def make(page: Any, *moves: str) -> None:
    """Make moves by keys: `B↓`."""
    page.locator(".play-board .budge-stage").focus()
    for move in moves:
        before = page.locator(".played").count()
        page.keyboard.press(move[0].lower())
        page.keyboard.press({"↓": "ArrowDown", "→": "ArrowRight", "↑": "ArrowUp"}[move[1]])
        page.wait_for_function("n => document.querySelectorAll('.played').length > n", arg=before)


def test_the_gauge_falls_and_the_goal_says_how_good_it_was_and_what_is_next(page: Any) -> None:
    page.open("file:a.yaml")
    page.click(".tab-play")
    far = "text => document.querySelector('.gauge-far').innerText === text"
    page.click(".settings summary")
    page.click(".gauge-on")
    page.wait_for_function(far, arg="5 steps to the goal.")
    make(page, "B↓")
    page.wait_for_function(far, arg="4 steps to the goal.")
    make(page, "B↑")
    page.wait_for_function(far, arg="5 steps to the goal.")
    page.click(".gauge-on")
    make(page, "B↓", "C↓", "A→", "A→", "A→")
    page.wait_for_selector(".play-state.solved >> text=Solved in 7 steps; the best is 5.")
    assert not page.is_visible(".play-hint")
    page.click(".next-puzzle")
    page.wait_for_function("() => document.querySelector('h1')?.innerText === 'The second one'")


def test_the_shelf_marks_what_was_solved_and_filters(page: Any) -> None:
    page.open("file:a.yaml")
    make(page, "B↓", "C↓", "A→", "A→", "A→")
    page.wait_for_selector(".play-state.solved")
    page.click(".library-button")
    page.wait_for_selector(".card-solved")
    cards = page.locator(".puzzle-card")
    page.click(".by-state")
    page.click(".q-menu >> text=/^solved$/")
    page.wait_for_function("() => document.querySelectorAll('.puzzle-card').length === 1")
    assert "The first one" in cards.inner_text()
    assert cards.get_attribute("href") == "/?open=file:a.yaml"
    page.click(".by-state")
    page.click(".q-menu >> text=/^all$/")
    page.click(".by-family")
    page.click(".q-menu >> text=Sokoban")
    page.wait_for_function("() => document.querySelectorAll('.shelf .section').length === 2")
    before = cards.count()
    page.click(".show-all")
    page.wait_for_function("n => document.querySelectorAll('.puzzle-card').length > n", arg=before)


def test_a_large_board_begins_legible_and_pans_and_zooms(page: Any) -> None:
    page.open("file:hall.yaml")
    page.click(".tab-play")
    page.wait_for_selector(".zoom .zoom-fit")
    wide = "Number(document.querySelector('.play-board svg').getAttribute('viewBox').split(' ')[2])"
    left = wide.replace("[2]", "[0]")
    page.wait_for_function(f"() => {wide} < {SIDE * 40}")
    size = page.evaluate(wide)
    page.keyboard.press("+")
    assert page.evaluate(wide) < size
    box = page.locator(".play-board svg").bounding_box()
    at = page.evaluate(left)
    page.mouse.move(box["x"] + 400, box["y"] + 400)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 300, steps=5)
    page.mouse.up()
    assert page.evaluate(left) > at
    assert page.locator(".played").count() == 0  # a drag is no click
    page.set_viewport_size({"width": 390, "height": 844})  # a telephone: the buttons cover nothing of the board
    buttons, board = (page.locator(one).bounding_box() for one in (".zoom", ".play-board svg"))
    assert buttons["y"] >= board["y"] + board["height"]
    page.set_viewport_size({"width": 1280, "height": 844})
    page.click(".zoom-fit")
    assert page.evaluate(wide) > SIDE * 40
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".played")


@pytest.mark.weekly
@pytest.mark.parametrize("press", ["click", "Enter"])
def test_moves_that_move_no_piece_have_buttons(page: Any, press: str) -> None:
    page.open("shipped:custom/jugs-3-5")
    page.click(".tab-play")
    fill, pour = "fill(large)", "pour(large,small)"
    steps = (fill, pour, "empty(small)", pour, fill, pour)
    for done, move in enumerate(steps):
        button = page.get_by_role("button", name=move, exact=True)
        button.click() if press == "click" else button.press(press)
        page.wait_for_function("n => document.querySelectorAll('.played').length > n", arg=done)
        assert done == len(steps) - 1 or page.evaluate("document.activeElement.closest('.choices') !== null")
    assert page.inner_text(".play-state").startswith("Solved: 6 of 6 moves")


def test_arrows_move_what_goes_nowhere_straight(page: Any) -> None:
    """A ball goes from a tube of three into an empty one, that is aside and down."""
    page.open("shipped:custom/ball-sort")
    page.click(".tab-play")
    page.locator(".play-board .budge-stage").focus()
    for key in ("Tab", "Enter", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_selector(".played")
    assert page.inner_text(".played") == "move(1,4)"


def test_animation_is_switched_off_and_stays_off(page: Any) -> None:
    page.open("file:a.yaml")
    page.click(".settings summary")
    page.click(".pane-play .q-toggle:has-text('Animation')")
    moves = "() => getComputedStyle(document.querySelector('.play-board .token')).transitionDuration"
    page.wait_for_function("() => document.documentElement.dataset.budgeMotion === 'off'")
    assert page.evaluate(moves) in ("0s", "0s, 0s")
    page.reload()
    page.wait_for_selector(".play-board .token")
    page.wait_for_function("() => document.documentElement.dataset.budgeMotion === 'off'")


def test_the_first_page_loads_no_editor_and_is_compressed(page: Any, server: Server) -> None:
    answers: list[Any] = []
    page.raw.on("response", lambda answer: answers.append(answer))
    page.raw.goto(f"{server.address}&open=file:a.yaml")
    page.wait_for_selector(".play-board .token")
    files = {answer.url.rpartition("/")[2]: answer.headers for answer in answers}
    assert "codemirror.js" not in files
    assert files["quasar.umd.prod.js"].get("content-encoding") == "gzip"
    page.click(".tab-write")
    page.wait_for_selector(".cm-content[aria-label]")


def test_what_was_solved_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "solved.json"
    for cost in (12, 10, 11):
        Solved(file).note("abc", "slides", cost)
    assert Solved(file).least("abc", "slides") == 10
    assert Solved(file).least("abc", "steps") is None
    file.write_text("[1]")
    assert Solved(file).costs == {}


def test_the_goal_is_said_in_words() -> None:
    assert goal_words(load("bird-2")) == "piece X gets out to the right, row 3"
    assert goal_words(load("klotski/heng-dao-li-ma")) == "bring the red piece A to the dashed outline"
    assert goal_words(load("sliding_block/four-soldiers")).startswith("bring f, g, h and i to")
    assert goal_words(load("eight-31-a")) == ""


def test_one_piece_is_red_and_pieces_of_a_shape_look_alike() -> None:
    pieces = Scene(load("bird-2")).pieces
    kinds = {id: piece.faces[0][0].attributes["class"] for id, piece in pieces.items()}
    assert [id for id, kind in kinds.items() if "key" in kind] == ["X"]
    assert kinds["C"] == kinds["H"] != kinds["A"] == kinds["G"]
    several = Scene(load("sliding_block/four-soldiers")).pieces
    bright = [piece.faces[0][0].attributes["class"] for id, piece in several.items() if id in "fghi"]
    assert len(set(bright)) == 4
