"""The studio in a real browser: what a person does with it, from playing to a mistake in a text and a puzzle solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..helpers.studio_browser import EDITOR, Page, Server, Sighted, graves, still

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

OWN = """\
# a comment that stays
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
expect: {cost: 5}
"""

STAGE = "budge-game .budge-stage"


def named(name: str) -> str:
    return OWN.replace("Two in the way", name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    for name in ("two", "both", "draw", "keys", "long", "saved"):
        (folder / f"{name}.yaml").write_text(OWN)
    return folder


def drag(page: Any, piece: str, across: int, down: int) -> None:
    """Drag a piece by some cells, and wait until the move is made."""
    token, before = page.locator(f"budge-game .token[data-id='{piece}']"), len(page.played)
    token.element_handle().wait_for_element_state("stable")  # the last move has come to its end
    box = token.bounding_box()
    cell = box["width"] / (2 if piece == "A" else 1)
    x, y = box["x"] + cell / 2, box["y"] + cell / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across * cell / 2, y + down * cell / 2, steps=4)
    page.mouse.move(x + across * cell, y + down * cell, steps=4)
    page.mouse.up()
    page.wait_for_function("n => document.querySelector('budge-game').notation.length > n", arg=before)


def test_a_puzzle_is_played_to_its_shortest_end_and_the_library_knows(page: Page) -> None:
    page.open("file:two.yaml", "play")
    page.wait_for_selector(".told:has-text('Can you do it in 5 steps?')")
    page.locator(STAGE).focus()
    for piece in "bc":
        page.keyboard.press(piece)
        page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelector('budge-game').notation.length === 2")
    page.reload()
    page.ready()
    assert len(page.played) == 2, "the game goes on where it was left"
    for _ in range(3):
        drag(page, "A", 1, 0)
    page.wait_for_selector(".told:has-text('5 of 5: a shortest solution')")
    page.click("#library")
    page.wait_for_selector(".card:has-text('two.yaml') .done:has-text('shortest')")


def test_a_mistake_is_marked_and_mended(page: Page) -> None:
    page.open("file:two.yaml")
    page.write(OWN.replace("metric: steps", "metric: stepps"))
    page.wait_for_selector(".problem:has-text('`metric` cannot be `stepps`'):has-text('did you mean `steps`?')")
    assert page.inner_text(".line .wrong") == "stepps"
    assert "cannot be" in page.get_attribute(".line.bad", "data-said")
    page.click(".problem .place")
    assert page.evaluate("document.activeElement.selectionStart") == OWN.index("steps\n")
    page.click(".mend")
    page.wait_for_selector(".problems.fine")
    assert page.text == OWN
    page.locator(EDITOR).focus()
    page.keyboard.press("Control+z")
    assert "stepps" in page.text, "undo knows of the repair"


def test_many_lines_that_are_pasted_are_there_at_once(page: Page) -> None:
    """A browser alone, which would have each line undone by itself, takes minutes."""
    page.open("file:long.yaml")  # its own: the draft that is kept would hold up the tests that follow
    text = OWN + "# more\n" * 20_000
    page.evaluate(
        """text => {
            const area = document.querySelector("#panel-write textarea"), clipboardData = new DataTransfer();
            area.select();
            clipboardData.setData("text/plain", text);
            area.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
        }""",
        text,
    )
    assert page.text == text
    page.wait_for_selector(".problems.fine")


def test_keys_and_their_words_are_completed_and_tab_leaves(page: Page) -> None:
    page.open("file:two.yaml")
    page.write("format: 1\nfamily: rush-hour\n")
    page.locator(EDITOR).focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("met")
    assert page.inner_text("[role=option][aria-selected=true] b") == "metric"
    page.keyboard.press("Enter")
    page.keyboard.press("Control+ ")
    page.keyboard.type("st")
    page.keyboard.press("Enter")
    assert page.text.endswith("\nmetric: steps")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") != "TEXTAREA"
    assert page.text.endswith("\nmetric: steps")


def test_what_is_drawn_is_written_and_what_is_written_is_drawn(page: Page) -> None:
    page.open("file:draw.yaml")
    page.click(".draw")
    paper = page.locator(".paper svg")
    box = paper.bounding_box()
    cell = box["width"] / 5.2
    page.mouse.move(box["x"] + cell * 0.7, box["y"] + cell * 0.7)  # on A
    page.mouse.down()
    page.mouse.move(box["x"] + cell * 0.7, box["y"] + cell * 2.6, steps=5)
    page.mouse.up()
    page.wait_for_function(f"() => document.querySelector('{EDITOR}').value.includes('  AA...')")
    assert page.text == OWN.replace("AA.BC", "...BC").replace("  .....", "  AA...")
    page.wait_for_selector(".problems.fine")
    page.click(".brushes [data-char='#']")
    paper.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.querySelector('{EDITOR}').value.includes('#')")
    page.write(OWN.replace("B", "X"))
    page.wait_for_selector(".paper text:has-text('X')")
    page.click("[aria-label='A row more']")
    page.wait_for_selector(".sizes:has-text('4 rows')")
    assert page.text == OWN.replace("B", "X").replace("  .....\n", "  .....\n  .....\n")


def test_saving_shows_the_difference_and_the_first_button_loses_nothing(page: Page, folder: Path) -> None:
    path = folder / "saved.yaml"
    page.open("file:saved.yaml")
    page.write(named("Mine"))
    page.titled("changed")
    page.keyboard.press("Control+s")
    page.wait_for_selector(".toast:has-text('Saved as saved.yaml')")
    assert path.read_text() == named("Mine")
    page.write(named("Mine again"))
    page.wait_for_selector(".problems.fine")
    path.write_text(named("By another program"))
    page.click(".save")
    page.wait_for_selector(".difference .less:has-text('By another program')")
    assert "Mine again" in page.inner_text(".difference .more")
    page.keyboard.press("Enter")  # the button that has the focus
    page.fill("dialog input", "mine/saved")
    page.keyboard.press("Enter")
    page.titled("Mine again", "mine/saved.yaml")
    assert (folder / "mine" / "saved.yaml").read_text() == named("Mine again")
    assert path.read_text() == named("By another program")
    page.open("file:saved.yaml")
    page.titled("By another program")


def test_two_tabs_overwrite_nothing(page: Page, server: Server) -> None:
    second = Page(page.raw.context.new_page(), server)
    for tab in (page, second):
        tab.open("file:both.yaml")
    page.raw.bring_to_front()
    page.write(named("Written first"))
    page.titled("Written first")
    second.raw.bring_to_front()
    second.wait_for_selector("[data-strip=newer]:has-text('the one here is older')")
    second.click("[data-strip=newer] >> text=Show it")
    second.titled("Written first")
    page.raw.bring_to_front()
    page.write(named("Written again"))
    page.wait_for_selector(".problems.fine")
    second.raw.bring_to_front()
    second.write(named("Written elsewhere"))
    second.wait_for_url("**/?open=draft:*")
    for tab, text in ((second, "Written elsewhere"), (page, "Written again")):
        tab.raw.bring_to_front()
        tab.reload()
        tab.titled(text)
    second.close()


def test_the_library_finds_and_next_goes_in_its_order(page: Page) -> None:
    page.open("shipped:rush_hour/bird-2", "play")
    page.click("#library")
    page.fill("dialog input[type=search]", "klotski")
    page.select_option("dialog [aria-label=Order]", "length")
    page.wait_for_function("() => [...document.querySelectorAll('.card img')].some(image => image.naturalWidth)")
    names = page.locator(".card a").all_inner_texts()
    assert len(names) > 1
    page.click(".card a >> nth=0")
    page.titled(names[0])
    page.keyboard.press("]")
    page.titled(names[1])
    page.evaluate("history.back()")
    page.titled(names[0])


def test_a_puzzle_is_solved_by_a_key_and_its_plan_is_on_the_board(page: Page) -> None:
    page.open("shipped:rush_hour/bird-2", "play")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".run:has-text('optimal')")
    page.click(".run .on-board")
    page.wait_for_selector(".history button >> nth=9", state="attached")


def test_a_link_and_a_dropped_level_become_drafts(page: Page, server: Server) -> None:
    page.open("file:two.yaml")
    page.write(named("In a link"))
    page.click("#share")
    page.click("[role=menuitem]:has-text('Copy a link')")
    link = page.input_value("dialog .link")
    assert link.startswith(f"{server.origin}/#z=")
    page.open("shipped:rush_hour/bird-2")
    page.goto(link)
    page.titled("In a link", "a draft")
    assert page.url.startswith(f"{server.origin}/?open=draft:")
    page.evaluate(
        """level => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([level], "level.xsb"));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
        }""",
        "#####\n#@$.#\n#####\n",
    )
    page.titled("Sokoban", "a draft")
    page.wait_for_selector("budge-game .token")


def test_names_are_text_whatever_they_are(page: Page) -> None:
    page.open("shipped:rush_hour/level-02")
    name = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
    page.write(f"format: 1\nfamily: rush-hour\nname: '{name}'\nboard: |\n  AA.\n  ...\n")
    page.titled("<script>")
    page.click("#library")
    page.wait_for_selector(".card.draft:has-text('<script>'), .card:has-text('<script>')")
    assert page.evaluate("window.pwned") is None


def test_arrows_are_for_the_board_once_play_was_pressed(page: Page) -> None:
    page.open("shipped:sokoban/microban-001")
    page.show("play")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelector('budge-game').now.text === 'd'")
    assert page.locator("#tab-play").get_attribute("aria-selected") == "true"


def test_everything_by_the_keyboard_alone(page: Page) -> None:
    page.open("file:keys.yaml", "play")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the first link leads to the board
    page.keyboard.press("b")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelector('budge-game').notation.length === 1")
    page.keyboard.press("?")
    page.wait_for_selector("dialog:has-text('Keys')")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.wait_for_selector("dialog.library")
    page.keyboard.press("Escape")
    page.locator("#tab-play").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(EDITOR)
    page.locator(EDITOR).focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("metrik: x")
    page.wait_for_selector(".mend, .problem")
    for _ in range(3):
        page.keyboard.press("Control+z")
    page.wait_for_selector(".problems.fine")


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)], ids=["phone", "desk"])
def test_every_panel_fits_and_is_for_everyone(sighted: Sighted, server: Server, width: int, dark: bool) -> None:
    with sighted.page(server, width, dark) as page:
        page.open("file:two.yaml", "play")
        for panel in ("play", "write", "solve", "explore", "check", "compare", "results"):
            page.show(panel)
            still(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, panel
            assert graves(page) == [], panel
        page.show("write")
        page.click(".draw")
        assert graves(page) == []
        page.click(".draw")
        page.write(page.text.replace("metric", "metrik"))
        page.wait_for_selector(".problem")
        still(page)
        assert graves(page) == []
        page.click("text=Save as ...")
        page.wait_for_selector("dialog[open]")
        still(page)
        assert graves(page) == []
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
        page.click("#library")
        page.wait_for_selector(".card")
        still(page)
        assert graves(page) == []
