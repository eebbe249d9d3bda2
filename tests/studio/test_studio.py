"""The studio in a real browser: what a person does with it, from a mistake in the text to the replay of the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from ..helpers.patience import PATIENCE
from ..helpers.studio_browser import Page, Server, Sighted, free_port, studio, text_of

pytest.importorskip("nicegui", reason="the studio needs the extra `studio`")
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "two.yaml").write_text(OWN)
    rows = ["#" * 20, "#@" + " " * 17 + "#", "# $.", *["#" + " " * 18 + "#"] * 15, "#" * 20]
    rows[2] = rows[2].ljust(19) + "#"
    level = "".join(f"  {row}\n" for row in rows)
    (folder / "hall.yaml").write_text(f"format: 1\nfamily: sokoban\nname: Hall\nmap: |2\n{level}")
    return folder


def test_a_mistake_is_marked_and_mended_by_the_button(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.write(OWN.replace("metric: steps", "metric: stepps"))
    page.wait_for_selector(".problem")
    assert "`metric` cannot be `stepps`" in page.inner_text(".problem")
    assert "help: did you mean `steps`?" in page.inner_text(".problem")
    assert page.inner_text(".problem-mark") == "stepps"
    page.click(".problem .mend")
    page.wait_for_selector(".problems .fine")
    assert "metric: steps\n" in page.inner_text(".cm-content")
    assert "# a comment that stays" in page.inner_text(".cm-content")


def test_played_to_the_end_by_keys(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.wait_for_selector(".play-board .token")
    page.locator(".play-board .budge-stage").focus()
    for piece, way in (
        ("B", "ArrowDown"),
        ("C", "ArrowDown"),
        ("A", "ArrowRight"),
        ("A", "ArrowRight"),
        ("A", "ArrowRight"),
    ):
        take(page, piece)
        before = page.locator(".played").count()
        page.keyboard.press(way)
        page.wait_for_function("n => document.querySelectorAll('.played').length > n", arg=before)
    assert page.inner_text(".play-state") == "Solved: 5 of 5 steps, a shortest solution!"
    assert page.locator(".pane-play .counters").inner_text().split() == ["slides", "3", "steps", "5"]


def test_a_player_walks_through_a_hall_to_a_cell_that_is_clicked(page: Any) -> None:
    page.open("file:hall.yaml")
    token = page.locator(".play-board .token[data-id='player 1']")
    box = token.bounding_box()
    assert page.evaluate("document.querySelector('.play-board').moves.length") == 6  # of about 300
    cell = page.locator(".play-board svg.budge-board").bounding_box()["width"] / 20.3
    page.mouse.click(box["x"] + box["width"] / 2 + 10 * cell, box["y"] + box["height"] / 2 + 12 * cell)
    page.wait_for_selector(".played")
    walked = page.inner_text(".played")
    assert (walked.count("r"), walked.count("d")) == (10, 12)
    assert page.evaluate("document.querySelector('.play-board').place('player 1').slice(0, 2)") == [13, 11]
    page.locator(".play-board .budge-stage").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelectorAll('.played').length === 2")
    page.click(".play-undo")
    page.wait_for_function("() => document.querySelectorAll('.played').length === 1")
    assert page.inner_text(".pane-play .counters").split() == ["pushes", "0", "moves", "22"]


def take(page: Any, piece: str) -> None:
    """Take a piece by its letter and Enter."""
    token = page.locator(f".play-board .token[data-id='{piece}']")
    if "held" not in token.get_attribute("class"):
        page.keyboard.press(piece)
        page.keyboard.press("Enter")
    page.wait_for_selector(f".play-board .token.held[data-id='{piece}']")


def drag(page: Any, piece: str, across: int, down: int) -> None:
    """Drag a piece by one cell."""
    token = page.locator(f".play-board .token[data-id='{piece}']")
    token.wait_for()
    token.element_handle().wait_for_element_state("stable")  # the last move has come to its end
    box = token.bounding_box()
    cell = box["width"] / (2 if piece == "A" else 1)
    x, y = box["x"] + cell / 2, box["y"] + cell / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across * cell / 2, y + down * cell / 2, steps=3)
    page.mouse.move(x + across * cell, y + down * cell, steps=3)
    page.mouse.up()


def test_played_to_the_end_by_dragging(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    for piece, across, down in (("B", 0, 1), ("C", 0, 1), ("A", 1, 0), ("A", 1, 0), ("A", 1, 0)):
        played = page.locator(".played").count()
        drag(page, piece, across, down)
        page.wait_for_function("n => document.querySelectorAll('.played').length > n", arg=played)
    assert page.inner_text(".play-state").startswith("Solved: 5 of 5 steps")
    page.click(".play-undo")
    page.wait_for_function("() => document.querySelectorAll('.played').length == 4")


def test_solved_with_both_bounds_meeting_then_replayed(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.click(".tab-solve")
    page.click(".solve-go")
    page.wait_for_selector(".run .to-replay")
    run = page.inner_text(".run")
    assert "optimal" in run
    assert "at least 5 steps" in run
    assert "a plan of 5 steps" in run
    assert page.locator(".chart svg").is_visible()
    page.click(".run .to-replay")
    page.wait_for_selector("budge-replay .token")
    number = "() => document.querySelector('budge-replay').number"
    page.click("budge-replay [data-do=next]")
    assert page.evaluate(number) == 1
    page.click("budge-replay [data-do=last]")
    assert page.evaluate(number) == 5
    page.click("budge-replay .moves button >> nth=1")
    assert page.evaluate(number) == 2
    page.keyboard.press("ArrowRight")
    assert page.evaluate(number) == 3
    with page.expect_download() as download:
        page.click(".save-page")
    saved = Path(download.value.path()).read_text()
    assert "Two in the way" in saved
    assert len(saved) < 300_000


def test_a_long_run_is_stopped_and_keeps_its_best_and_survives_a_reload(page: Any, server: Server) -> None:
    key = "shipped:custom/peg-solitaire"
    page.open(key)
    page.click(".tab-solve")
    page.click(".solve-go")
    page.wait_for_selector(".run .stop")
    page.reload()
    page.wait_for_selector(".tab-solve")
    page.click(".tab-solve")
    page.wait_for_selector(".run .stop")
    second = Page(page.raw.context.new_page(), server)
    second.open(key)
    second.click(".tab-solve")
    second.wait_for_selector(".run .stop")
    second.wait_for_selector(".run .proofs li")  # what is proven so far
    second.click(".solve-go")
    second.wait_for_timeout(500)
    assert second.locator(".run").count() == 1  # the same work is not done twice
    second.close()
    page.click(".run .stop")
    page.wait_for_selector(".run:not(:has(.stop))")
    assert "interrupted" in page.inner_text(".run-state").lower()


def test_a_link_opens_the_puzzle(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.click(".share")
    page.click("text=Share a link")
    page.wait_for_selector(".share-link input")
    page.wait_for_function("() => document.querySelector('.share-link input').value.includes('#z=')")
    link = page.input_value(".share-link input")
    other = page.raw.context.new_page()
    other.goto(link)
    other.wait_for_url("**/?open=draft*")
    assert "name: Two in the way" in text_of(other)
    other.close()


def test_unsaved_text_survives_a_reload(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.write(OWN.replace("Two in the way", "Not saved yet"))
    page.wait_for_function("() => document.querySelector('h1').innerText.includes('Not saved yet')")
    page.reload()
    page.wait_for_function("() => document.querySelector('h1').innerText.includes('Not saved yet')")
    assert "changed" in page.inner_text(".where")
    page.write(OWN)
    page.wait_for_function("() => document.querySelector('h1').innerText.includes('Two in the way')")


def test_two_tabs_with_the_same_text_overwrite_nothing(page: Any, server: Server, folder: Path) -> None:
    path = folder / "both.yaml"
    path.write_text(OWN)
    second = Page(page.raw.context.new_page(), server)
    titled = "name => document.querySelector('h1').innerText.includes(name)"
    for tab in (page, second):
        tab.open("file:both.yaml")
    page.write(OWN.replace("Two in the way", "Written first"))
    second.wait_for_selector(".newer >> text=the one here is older")
    assert not page.is_visible(".newer")
    second.click(".catch-up")
    second.wait_for_function(titled, arg="Written first")
    second.wait_for_selector(".newer", state="hidden")
    assert not page.is_visible(".newer")
    page.write(OWN.replace("Two in the way", "Written again"))
    page.wait_for_function(titled, arg="Written again")
    second.wait_for_selector(".newer", state="visible")
    second.write(OWN.replace("Two in the way", "Written elsewhere"))
    second.wait_for_url("**/?open=draft*")
    second.wait_for_function(titled, arg="Written elsewhere")
    for tab, text in ((second, "Written elsewhere"), (page, "Written again")):
        tab.reload()
        tab.wait_for_function(titled, arg=text)
    second.close()
    path.write_text(OWN.replace("Two in the way", "By another program"))
    page.click(".save")
    page.click("text=Keep it")
    page.wait_for_selector(".q-dialog", state="detached")
    assert "By another program" in path.read_text()
    page.click(".save")
    page.click("text=Overwrite it")
    page.wait_for_selector("text=Saved as both.yaml")
    assert "Written again" in path.read_text()


@pytest.mark.weekly
@pytest.mark.parametrize(("width", "dark"), [(390, True), (768, False)], ids=["phone", "tablet"])
def test_the_whole_way_on_a_small_screen(sighted: Sighted, server: Server, width: int, dark: bool) -> None:
    with sighted.page(server, width, dark) as page:
        page.open("file:two.yaml")
        page.click(".tab-write")
        page.write(OWN.replace("family: rush-hour", "family: rushhour"))
        page.click(".problem .mend")
        page.wait_for_selector(".problems .fine")
        page.click(".tab-play")
        drag(page, "B", 0, 1)
        page.wait_for_selector(".played")
        page.click(".tab-solve")
        page.click(".solve-go")
        page.click(".run .to-replay")
        page.wait_for_selector("budge-replay .token")
        page.click("budge-replay [data-do=last]")
        assert page.evaluate("document.querySelector('budge-replay').number") == 5
        assert page.evaluate("document.documentElement.dataset.budgeTheme") == ("dark" if dark else "light")


@pytest.mark.weekly
def test_a_text_survives_a_new_start_of_the_studio(sighted: Sighted, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(OWN)
    port = free_port()
    with sighted.context() as context:
        with studio(tmp_path, port=port) as first:
            page = Page(context.new_page(), first)
            page.open("file:two.yaml")
            page.write(OWN.replace("Two in the way", "Written before"))
            page.wait_for_function("() => document.querySelector('.where').innerText.includes('changed')")
            page.close()
        with studio(tmp_path, port=port) as second:
            page = Page(context.new_page(), second)
            page.open("file:two.yaml")
            page.wait_for_function("() => document.querySelector('h1').innerText.includes('Written before')")
    assert (tmp_path / "two.yaml").read_text() == OWN


@pytest.mark.weekly
def test_a_page_of_a_studio_before_says_so(sighted: Sighted, tmp_path: Path) -> None:
    """It is not admitted any more: until a page of the new studio is opened in the same browser, then it comes back."""
    port = free_port()
    with sighted.context() as context:
        with studio(tmp_path, port=port) as first:
            old = Page(context.new_page(), first)
            old.open("shipped:rush_hour/bird-1")
        with studio(tmp_path, port=port) as second:
            old.wait_for_selector("#popup", state="visible")
            old.wait_for_function("() => document.querySelector('#popup').innerText.includes('was started again')")
            Page(context.new_page(), second).open("shipped:rush_hour/bird-1")
            old.wait_for_function("() => !document.querySelector('#popup').innerText.includes('started again')")


@pytest.mark.weekly
def test_children_end_with_the_server(sighted: Sighted, tmp_path: Path) -> None:
    with studio(tmp_path) as server, sighted.page(server) as page:
        page.open("shipped:custom/peg-solitaire")
        page.click(".tab-solve")
        page.click(".solve-go")
        page.wait_for_selector(".run .stop")
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
