"""The page of a plan in a browser: keys, slider, list, print; on phones and wide screens, by day and by night."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.cli import main
from budge.views.player import replay_page

from ..helpers.browser import opened
from ..helpers.studio_browser import graves

PLANS = {
    "bird-2": "D+1 C+2 E-2 G-2 H-3 D+1 G+1 I-3 F+1 X+4",
    "microban-001": "dlUrrrdLullddrUluRuulDrddrruLdlUU",
    "wolf-goat-cabbage": "carry(goat) row carry(cabbage) carry(goat) carry(wolf) row carry(goat)",
}


def written(folder: Path, name: str, plan: str | None = None) -> Path:
    puzzle = budge.load(name)
    file = folder / "replay.html"
    file.write_text(replay_page(puzzle, puzzle.replay(puzzle.parse_plan(plan or PLANS[name]))), encoding="utf-8")
    return file


def where(page: Any) -> str:
    return str(page.locator("budge-game .counter").evaluate("output => output.firstChild.textContent"))


def place(page: Any, piece: str) -> list[int]:
    found: list[int] = page.locator("budge-board").first.evaluate("(board, id) => board.place(id)", piece)
    return found


def test_keys(chromium: Any, tmp_path: Path) -> None:
    seen = opened(chromium, written(tmp_path, "bird-2"))
    page = seen.page
    assert where(page) == "0 of 10"
    assert place(page, "X") == [2, 0, 0]
    for key, there in (("ArrowRight", 1), ("n", 2), ("ArrowLeft", 1), ("End", 10), ("p", 9), ("Home", 0)):
        page.keyboard.press(key)
        assert where(page) == f"{there} of 10"
    page.keyboard.press("End")
    assert place(page, "X") == [2, 4, 0]
    assert page.locator("budge-board .moved").first.get_attribute("data-id") == "X"
    assert page.locator("[aria-current=step]").text_content() == "10 X+4"
    assert seen.clean, (seen.requests, seen.errors)


def test_playing_and_its_speed(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "bird-2")).page
    page.get_by_label("Speed").select_option("8")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    page.locator(".counter", has_text="10 of 10").wait_for()
    page.get_by_role("button", name="Play", exact=True).wait_for()  # it has stopped
    assert page.get_by_role("button", name="One move on (Y)").is_disabled()
    page.get_by_label("Speed").select_option("1")
    page.get_by_role("button", name="Play", exact=True).click()  # from the start again
    page.locator(".counter", has_text="2 of 10").wait_for()
    page.get_by_role("button", name="Pause").click()


def test_slider_and_list(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "microban-001")).page
    page.get_by_label("Move", exact=True).fill("3")
    assert where(page) == "3 of 15"
    page.get_by_role("button", name="rddrru").click()
    assert where(page) == "11 of 15"
    page.get_by_label("Move", exact=True).focus()
    page.keyboard.press("ArrowRight")  # the slider's own key, and not the page's as well
    assert where(page) == "12 of 15"
    states = page.evaluate("document.querySelector('budge-board').state.at")
    assert states["box 1"][2] + states["box 2"][2] == 1  # one box is on a goal by then


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_on_screens(chromium: Any, tmp_path: Path, width: int, scheme: str) -> None:
    seen = opened(chromium, written(tmp_path, "microban-001"), width=width, color_scheme=scheme)
    page = seen.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("svg.budge-board").first.bounding_box()
    assert box["width"] >= 200
    assert all(button.bounding_box()["height"] >= 30 for button in page.get_by_role("button").all())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground)[:3])) > 380) == (scheme == "light")
    assert seen.clean, (seen.requests, seen.errors)
    for summary in page.locator("summary").all():
        summary.click()
    assert graves(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_solution_in_a_notebook_is_for_everyone(chromium: Any, tmp_path: Path, scheme: str) -> None:
    shown = budge.solve("bird-2", "bfs")._repr_html_()
    text = f'<!doctype html><html lang="en"><title>Notebook</title><main><h1>Notebook</h1>{shown}</main></html>'
    (tmp_path / "notebook.html").write_text(text, encoding="utf-8")
    page = opened(chromium, tmp_path / "notebook.html", color_scheme=scheme).page
    page.wait_for_selector("budge-game .tools")
    assert graves(page) == []


def test_a_screen_reader_hears_where_it_is(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "bird-2")).page
    stage = page.locator("budge-board > .budge-stage")
    assert stage.get_attribute("role") == "img"
    assert "Bird's second grid" in stage.get_attribute("aria-label")
    page.keyboard.press("n")
    assert page.locator(".counter").text_content() == "1 of 10, D+1"
    assert page.locator(".counter").evaluate("output => output.tagName") == "OUTPUT"  # which is read aloud


def test_reduced_motion(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "bird-2"), reduced_motion="reduce").page
    assert page.locator(".token").first.evaluate("token => getComputedStyle(token).transitionDuration") == "0s"


def test_print_shows_all_positions(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "bird-2")).page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".sheet figure").count() == 11
    assert page.locator(".sheet figure").nth(4).locator("figcaption").text_content() == "4. G-2"
    assert not page.locator(".tools").is_visible()
    assert page.locator(".sheet svg").last.is_visible()


def test_without_scripts_the_start_and_the_moves_are_there(chromium: Any, tmp_path: Path) -> None:
    page = opened(chromium, written(tmp_path, "bird-2"), java_script_enabled=False).page
    assert page.locator("svg.budge-board").is_visible()
    assert "X+4" in page.locator("budge-game p").text_content()


HOSTILE = """format: 1
family: rush-hour
name: "<script>document.title='x'</script> </title> & \\"quoted\\" --> ]]>"
author: "<img src=x onerror=alert(1)>"
credit: "</script><script>alert(2)</script>"
notes: "<!-- "
goal: {piece: "&", exit: right}
board: |
  ..<
  &&<
  ...
  ...
"""


def test_hostile_names_are_text(chromium: Any, tmp_path: Path) -> None:
    puzzle = budge.load_text(HOSTILE)
    replay = puzzle.replay(puzzle.parse_plan("<+2 &+1"))
    file = tmp_path / "hostile.html"
    file.write_text(replay_page(puzzle, replay, "<b>proof</b>"), encoding="utf-8")
    seen = opened(chromium, file)
    page = seen.page
    assert page.locator("h1").text_content() == puzzle.header.name
    assert page.title() == puzzle.header.name
    assert page.locator("img, b").count() == 0
    assert page.locator("script").count() == 1  # the page's own; the plan's data became the player
    page.keyboard.press("End")
    assert where(page) == "2 of 2"
    assert seen.clean, (seen.requests, seen.errors)


def test_the_policy_lets_nothing_else_in(chromium: Any, tmp_path: Path) -> None:
    file = written(tmp_path, "bird-2")
    text = file.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)=", text)
    file.write_text(text.replace("</body>", "<script>document.title = 'in'</script></body>"), encoding="utf-8")
    seen = opened(chromium, file)
    assert seen.page.title() == "Bird's second grid"
    assert any("Content Security Policy" in error for error in seen.errors)


@pytest.mark.parametrize("name", sorted(PLANS))
def test_pages_are_small(name: str, tmp_path: Path) -> None:
    assert written(tmp_path, name).stat().st_size < 60_000


def test_the_page_of_a_long_plan_is_small(tmp_path: Path) -> None:
    """A thousand moves on a large board."""
    rows = ["#" * 60, *("#" + " " * 58 + "#" for _ in range(56)), "#@" + "$." * 20 + " " * 17 + "#", "#" * 60]
    level = "format: 1\nfamily: sokoban\nmap: |2\n" + "".join(f"  {row}\n" for row in rows)
    puzzle = budge.load_text(level)
    replay = puzzle.replay(puzzle.parse_plan("u" + "rrrrllll" * 125 + "d"))
    assert len(replay_page(puzzle, replay).encode()) < 300_000


def test_the_command_writes_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html, svg, gif = (tmp_path / f"bird.{ending}" for ending in ("html", "svg", "gif"))
    plan = tmp_path / "plan.txt"
    plan.write_text(PLANS["bird-2"])
    assert main(["replay", "bird-2", "--plan", str(plan), "--html", str(html), "--svg", str(svg)]) == 0
    said = capsys.readouterr()
    assert said.out == "the plan reaches the goal: 10 slides, 20 steps\n"
    assert f"wrote {html}" in said.err
    assert "<budge-game" in html.read_text(encoding="utf-8")
    assert "animateTransform" in svg.read_text(encoding="utf-8")
    assert main(["replay", "bird-2", "--plan", str(plan), "--svg", str(svg), "--at", "3"]) == 0
    assert "animate" not in svg.read_text(encoding="utf-8")
    assert main(["replay", "bird-2", "--plan", str(plan), "--svg", str(svg), "--at", "11"]) == 2
    assert "0 to 10" in capsys.readouterr().err
    assert main(["replay", "bird-2", "--plan", str(plan), "--at", "1"]) == 2
    pytest.importorskip("PIL")
    pytest.importorskip("resvg_py")
    assert main(["replay", "bird-2", "--plan", str(plan), "--gif", str(gif)]) == 0
    from PIL import Image

    with Image.open(gif) as picture:
        assert getattr(picture, "n_frames", 1) == 11
        assert picture.size == (286, 252)
        assert near(picture.convert("RGB").getpixel((16, 92)), (214, 58, 46))  # X, red, before it leaves
        picture.seek(10)
        assert near(picture.convert("RGB").getpixel((16, 92)), (244, 242, 236))  # the ground


def near(colour: Any, other: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 6 for a, b in zip(colour, other, strict=True))


def test_without_a_plan_the_puzzle_is_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "river.html"
    assert main(["replay", "wolf-goat-cabbage", "--html", str(file), "--quiet"]) == 0
    assert "No plan has fewer than 7 moves" in file.read_text(encoding="utf-8")
    stuck = tmp_path / "stuck.yaml"
    stuck.write_text("format: 1\nfamily: sokoban\nmap: |2\n  #####\n  #$@.#\n  #####\n")
    assert main(["replay", str(stuck), "--html", str(file), "--quiet"]) == 1
    assert "no plan to replay: no plan exists" in capsys.readouterr().err


def test_a_gif_without_its_libraries_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    assert main(["replay", "wolf-goat-cabbage", "--gif", str(tmp_path / "river.gif"), "--quiet"]) == 2
    assert "pip install 'budge[gif]'" in capsys.readouterr().err
