"""Solve, Explore, Check and Compare in a browser: what a run reports is on the page, and its plan on the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..helpers.studio_browser import Page, Server, Sighted, graves, still

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

OWN = """\
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""
LONG = "shipped:sokoban/xsokoban-78"
"""A puzzle that no engine solves while a test waits."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "a.yaml").write_text(OWN.replace("Two", "A") + "expect: {cost: 5}\n")
    (folder / "b.yaml").write_text(OWN.replace("Two", "B").replace("AA.BC", "AAB.C").replace("...BC", "..B.C"))
    return folder


def choose(page: Page, panel: str, *names: str) -> None:
    """Choose engines."""
    page.click(f"#panel-{panel} .choice:has-text('Engines') summary")
    for name in names:
        page.locator(f"#panel-{panel}").get_by_role("button", name=name, exact=True).click()


def begin(page: Page, panel: str) -> None:
    page.click(f"#panel-{panel} .go:not([disabled])")


def test_bounds_meet_and_the_plan_is_played_on_the_board(page: Page) -> None:
    page.open("file:a.yaml", "solve")
    page.wait_for_selector("#panel-solve .go")
    assert page.input_value("#panel-solve .field:has-text('Time') input") == "60s"  # as the studio says
    choose(page, "solve", "bfs", "plain")
    begin(page, "solve")
    for name in ("bfs", "plain"):
        card = page.locator(f"article[aria-label^={name}]")
        card.locator(".run-bounds:text-is('5 steps')").wait_for()
        card.locator(".run-state:has-text('no cheaper plan exists')").wait_for()
        assert "at least 5 steps" in card.locator(".proofs").inner_text()
        assert card.locator(".run-bar.met").count() == 1
    page.wait_for_selector("#panel-solve .plot")
    page.reload()  # runs belong to the studio, not to a tab
    page.click("article[aria-label^=bfs] .on-board")
    page.wait_for_selector("#tab-play[aria-selected=true]")
    page.wait_for_selector("budge-game.solved")
    assert len(page.played) == 5
    page.show("solve")
    page.click("#panel-solve >> text=Clear")
    page.wait_for_selector("article.run", state="detached")


def test_the_position_on_the_board_is_solved(page: Page) -> None:
    page.open("file:a.yaml", "play")
    page.locator("budge-game .budge-stage").focus()
    for key in ("b", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('budge-game').notation.length === 1")
    page.show("solve")
    page.check("#panel-solve .check input")
    choose(page, "solve", "plain")
    begin(page, "solve")
    page.click("article[aria-label^='plain, after 1 move'] .on-board")
    page.wait_for_selector("budge-game.solved")
    assert len(page.played) == 5
    assert page.inner_text("article[aria-label^='plain, after 1 move'] .run-bounds", timeout=1000) == "4 steps"


def test_a_long_run_is_stopped_and_a_limit_that_is_none_is_told(page: Page) -> None:
    page.open(LONG, "solve")
    page.fill("#panel-solve .field:has-text('Time') input", "soon")
    begin(page, "solve")
    page.wait_for_selector(".toast.bad:has-text('a limit')")
    page.fill("#panel-solve .field:has-text('Time') input", "10m")
    begin(page, "solve")
    page.wait_for_selector(".toast.bad", state="detached")  # what is begun has succeeded
    page.click("article[aria-label^=auto] .stop")
    page.wait_for_selector("article[aria-label^=auto] .stop", state="hidden")
    assert page.inner_text("article[aria-label^=auto] .run-state").startswith("interrupted")
    assert page.inner_text("article[aria-label^=auto] .run-time") != "0.0 s"


def test_states_are_counted_the_hardest_start_opens_and_reasons_are_drawn(page: Page) -> None:
    page.open("file:a.yaml", "explore")
    begin(page, "explore")
    page.wait_for_selector("#panel-explore .plot")
    page.wait_for_selector("#panel-explore .found >> text=reachable")
    page.click("#panel-explore .why-go")
    page.wait_for_selector("#panel-explore .why .bar svg")
    assert not page.is_visible("#panel-explore .plot")
    begin(page, "explore")
    page.click("#panel-explore .hardest")
    page.wait_for_url("**/?open=draft:*")
    page.titled("a draft, not saved yet")


def test_a_claim_is_refuted_and_a_certificate_is_written_and_checked(page: Page, folder: Path) -> None:
    page.open("file:a.yaml", "check")
    page.fill("#panel-check .field:has-text('Claimed') input", "6")
    begin(page, "check")
    page.wait_for_selector("#panel-check .verdict.bad:has-text('not 6 steps')")
    page.click("#panel-check .on-board")
    page.wait_for_selector("budge-game.solved")
    page.show("check")
    page.click("#panel-check .check-certificate")
    page.wait_for_selector(".toast.bad:has-text('write it first')")
    page.click("#panel-check .certify")
    page.wait_for_selector("#panel-check .lines.good:has-text('valid: 5 steps')")
    made = folder / "a.certificate"
    (made / "puzzle.yaml").write_text("mine")
    page.click("#panel-check .certify")
    page.click("dialog >> text=Keep them")
    assert (made / "puzzle.yaml").read_text() == "mine"
    page.click("#panel-check .check-certificate")
    page.wait_for_selector("#panel-check .lines:not(.good)")


def test_engines_are_compared_and_the_report_is_saved(page: Page) -> None:
    page.open("file:a.yaml", "compare")
    page.click("#panel-compare .choice:has-text('Puzzles') summary")
    page.fill("#panel-compare input[type=search]", "in the way")
    for name in ("A in the way", "B in the way"):
        page.locator("#panel-compare").get_by_role("button", name=name, exact=True).click()
    choose(page, "compare", "bfs", "plain")
    begin(page, "compare")
    page.wait_for_selector("#panel-compare .tables >> text=4 rows, 4 of them proven")
    assert page.locator("#panel-compare .tables tbody tr").count() == 4
    page.select_option("#panel-compare .plots select", "A in the way, steps")
    page.wait_for_function("() => document.querySelectorAll('#panel-compare .plot').length === 2")
    with page.expect_download() as download:
        page.click("#panel-compare .save-report")
    assert "Engines compared" in Path(download.value.path()).read_text()


@pytest.mark.weekly
@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)])
def test_the_panels_fit_and_are_for_everyone(sighted: Sighted, server: Server, width: int, dark: bool) -> None:
    with sighted.page(server, width, dark) as page:
        page.open("file:a.yaml", "solve")
        shown: dict[str, str] = {
            "solve": ".on-board",
            "explore": ".hardest",
            "check": ".verdict",
            "compare": ".save-report",
        }
        for panel, done in shown.items():
            page.show(panel)
            if panel in ("solve", "compare"):
                choose(page, panel, "plain")
            begin(page, panel)
            page.wait_for_selector(f"#panel-{panel} {done}")
            still(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, panel
            assert graves(page) == [], panel


def test_events_that_are_missed_are_asked_for(page: Page, server: Server) -> None:
    """Another tab began the run: this one shows it."""
    other: Any = Page(page.raw.context.new_page(), server)
    page.open("file:b.yaml", "explore")
    other.open("file:b.yaml", "explore")
    begin(other, "explore")
    page.wait_for_selector("#panel-explore .hardest")
