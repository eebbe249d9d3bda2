"""The pictures of the studio and of a site in README and docs, made anew: `python .ci/pictures.py` (needs Chromium,
Playwright and the extras `studio` and `gif`); `python .ci/pictures.py solve gif` makes some of them.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.helpers.browser import browser, opened
from tests.helpers.studio_browser import Page, Sighted, still, studio

PICTURES = ROOT / "docs" / "pictures"
GRID = "shipped:rush_hour/bird-2"
SHELF = """
rush_hour/bird-2 rush_hour/bird-1 sliding_block/dads-puzzler sokoban/microban-001 n_puzzle/eight-10
custom/missionaries-and-cannibals custom/hanoi-4-on-4-pegs custom/pancakes-6
"""
"""The puzzles of the site, in the order of its index."""

MEASURED = ("rush_hour/bird-1", "rush_hour/bird-2", "rush_hour/bird-3", "rush_hour/bird-4", "sokoban/microban-001")
"""The puzzles of the store that is shown."""

FILM = 720, 450
"""Pixels of the moving picture."""


def play(page: Page) -> None:
    """A puzzle that is played, with the distance to the goal and the best moves."""
    page.open(GRID, "play")
    step(page, "d", "ArrowDown")
    hints(page, 3)
    page.wait_for_selector(".gauge:has-text('9 slides to the goal')")
    kept(page, "studio-play")


def write(page: Page) -> None:
    """A mistake, marked, with the button that mends it; the map in draw mode."""
    page.open(GRID)
    page.write(page.text.replace("metric: slides", "metric: slids"))
    page.click(".draw")
    page.wait_for_selector(".mend")
    kept(page, "studio-write")


def solve(page: Page) -> None:
    """Two engines at work on the same puzzle, and how their bounds meet."""
    page.open("shipped:rush_hour/bird-1", "solve")
    page.click("#panel-solve .choice summary")
    for engine in ("auto", "cp-sat"):
        page.get_by_role("button", name=engine, exact=True).click()
    page.click("#panel-solve .choice summary")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelectorAll('.run .state-done').length === 2")
    kept(page, "studio-solve")


def measured(boards: Path) -> None:
    """A store with some runs, made twice."""
    for label in ("before", "after"):
        command = ["batch", *MEASURED, "--engines", "bfs,plain,astar", "--store", boards / "results.sqlite"]
        options = ["--again", "--label", label, "--jobs", "1", "--quiet"]
        subprocess.run([sys.executable, "-m", "budge", *command, *options], check=True)


def results(page: Page) -> None:
    """The runs of a store, two labels of which are held against each other."""
    page.goto(f"{page.server.address}&open={GRID}&view=results")
    page.wait_for_selector("#panel-results .chart svg")
    for side, label in enumerate(("before", "after")):
        page.select_option(f".against select >> nth={side}", label)
    page.wait_for_selector(".changes >> text=of both before and after")
    page.set_viewport_size({"width": 1280, "height": 720})
    kept(page, "studio-results")


def film(page: Page) -> None:
    """A puzzle is read, played, and its optimum proven and replayed."""
    frames: list[Image.Image] = []
    times: list[int] = []

    def shot(milliseconds: int) -> None:
        still(page)
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(FILM, Image.Resampling.LANCZOS))
        times.append(milliseconds)

    page.open(GRID)
    shot(1400)
    page.show("play")
    shot(700)
    step(page, "d", "ArrowDown")
    shot(900)
    step(page, "c", "ArrowRight")
    shot(900)
    page.keyboard.press("Escape")
    hints(page, 1)
    shot(1500)
    page.show("solve")
    shot(900)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".run:has-text('optimal')")
    shot(2600)
    page.click(".run .on-board")
    page.click("budge-game [data-do=again]")  # it plays by itself
    page.wait_for_timeout(700)
    shot(900)
    for number in range(10):
        page.click("budge-game [data-do=redo]")
        page.wait_for_timeout(700)
        shot(2600 if number == 9 else 450)
    every = Image.new("RGB", (FILM[0], FILM[1] * len(frames)))
    for number, frame in enumerate(frames):
        every.paste(frame, (0, FILM[1] * number))
    colours = every.quantize(96)
    first, *rest = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    first.save(PICTURES / "studio.gif", save_all=True, append_images=rest, duration=times, loop=0, optimize=True)


def shelf(running: Any, folder: Path) -> None:
    """The index of a site, and a page on which a move was made."""
    boards, web = folder / "boards", folder / "web"
    boards.mkdir()
    for number, name in enumerate(SHELF.split()):
        source = ROOT / "puzzles" / f"{name}.yaml"
        shutil.copyfile(source, boards / f"{number}-{source.name}")
    subprocess.run([sys.executable, "-m", "budge", "site", boards, web, "--quiet"], check=True)
    page = opened(running, web / "index.html", device_scale_factor=0.75).page
    page.screenshot(path=PICTURES / "site-index.png")
    page.goto((web / "puzzles" / "0-bird-2.html").as_uri())
    page.locator(".budge-stage.playable").focus()
    page.keyboard.press("d")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(700)
    page.screenshot(path=PICTURES / "site-puzzle.png")


def step(page: Page, piece: str, key: str) -> None:
    """Move a piece by its letter and an arrow."""
    before = len(page.played)
    page.locator("budge-game .budge-stage").focus()
    page.keyboard.press(piece)
    page.keyboard.press(key)
    page.wait_for_function("n => document.querySelector('budge-game').notation.length > n", arg=before)
    page.wait_for_timeout(700)


def hints(page: Page, times: int) -> None:
    for _ in range(times):
        page.click("[data-do=hint]")
        page.wait_for_timeout(500)


def kept(page: Page, name: str) -> None:
    still(page)
    page.screenshot(path=PICTURES / f"{name}.png")


def main() -> None:
    wanted = set(sys.argv[1:])

    def is_wanted(name: str) -> bool:
        return not wanted or name in wanted

    if is_wanted("gif"):
        command = ["replay", "bird-1", "--gif", PICTURES / "solve.gif", "--quiet"]
        subprocess.run([sys.executable, "-m", "budge", *command], check=True)
    with browser() as running:
        for take in (play, write, solve, results, film):
            if not is_wanted(take.__name__):
                continue
            with tempfile.TemporaryDirectory() as folder:
                (boards := Path(folder) / "boards").mkdir()
                if take is results:
                    measured(boards)
                with studio(boards) as server, Sighted(running).page(server) as page:
                    page.set_viewport_size({"width": 1280, "height": 800 if take is film else 700})
                    take(page)
        if is_wanted("shelf"):
            with tempfile.TemporaryDirectory() as folder:
                shelf(running, Path(folder))


if __name__ == "__main__":
    main()
