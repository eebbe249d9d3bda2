"""How quick the studio is in a real browser, while engines run, and whether its memory stays flat.

    python benchmarks/studio.py                  first paint, moves, a board of 60x60 cells, memory over 200 puzzles
    python benchmarks/studio.py --puzzles 20     of fewer puzzles

First paint: from the request to the first contentful paint, and until the board can be played; bytes of all that was
sent for it. A move: from the event of a key that is pressed to the frame that shows the new position, in the browser's
clock; without other work, and while four engines run. Frames: while a piece is dragged across a board of 60x60 cells.
Memory: resident, of the server's own process, and of JavaScript objects in the page, while one puzzle after the other
is opened and solved, and its plan is shown. Times are wall clock: least, median and 95th percentile. Needs Chromium and
the extra `studio`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heading import heading

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.helpers.browser import browser
from tests.helpers.studio_browser import Page, Server, Sighted, studio

MOVES = 60
"""Moves that are timed."""

SOLVED = (*(f"shipped:rush_hour/bird-{number}" for number in (1, 2, 4)), "shipped:sokoban/microban-001")
"""What is solved again and again: each takes less than a second."""

SIDE = 60
"""Cells along the side of the large board."""

TIMED = """() => {
    window.times = [];
    let pressed = 0;
    addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
    document.querySelector("budge-game").addEventListener("game", () => {
        const began = pressed;
        requestAnimationFrame(() => window.times.push(performance.now() - began));
    });
}"""

KEYS = {
    "shipped:n_puzzle/eight-15": ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"),
    "shipped:klotski/heng-dao-li-ma": ("z", "y"),
    "shipped:sokoban/microban-001": ("ArrowLeft", "ArrowRight"),
    "file:hall.yaml": ("ArrowUp", "ArrowDown"),
}
"""Keys that are pressed in turn on a board, after the first move."""

SLOW = ("cp-sat", "bfs", "astar", "idastar")
"""Engines that run meanwhile, on a puzzle that takes each of them long."""

FRAMES = """() => {
    window.frames = [];
    let last = performance.now();
    const next = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(next); };
    requestAnimationFrame(next);
}"""

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


SENT = """() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
    .reduce((sum, one) => sum + one.transferSize, 0)"""


def hall(side: int) -> str:
    """A Sokoban level: one large room with a box."""
    rows = ["#" + " " * (side - 2) + "#" for _ in range(side - 2)]
    middle = side // 2
    rows[middle] = rows[middle][:10] + "@$" + rows[middle][12 : side - 4] + ".  #"
    level = "".join(f"  {row}\n" for row in ["#" * side, *rows, "#" * side])
    return f"format: 1\nfamily: sokoban\nname: A hall of {side}x{side}\nmap: |2\n{level}"


def shown(name: str, values: Sequence[float], unit: str = "ms") -> None:
    """A line of the table."""
    ordered = sorted(values)
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(f"{name:44} {ordered[0]:8.1f} {statistics.median(ordered):8.1f} {late:8.1f}  {unit}", flush=True)


def first_paint(sighted: Sighted, server: Server) -> None:
    """Five times in a fresh profile."""
    paints, playable, sent = [], [], 0
    for _ in range(5):
        with sighted.context() as context:
            page = context.new_page()
            began = time.monotonic()
            page.goto(f"{server.address}&open=shipped:rush_hour/bird-1")
            page.wait_for_selector("budge-game .token")
            playable.append(1000 * (time.monotonic() - began))
            paints.append(page.evaluate(PAINT))
            sent = page.evaluate(SENT)
    shown("first contentful paint", paints)
    shown("until the board can be played", playable)
    print(f"{'sent for it':44} {sent / 1000:8.1f} {'':17}  kB")


def moves(page: Page, key: str, name: str) -> None:
    """Keys on a board."""
    page.open(key)
    page.wait_for_selector("budge-game .token")
    page.wait_for_timeout(1000)
    page.evaluate("document.querySelector('budge-game .budge-stage').focus()")
    page.evaluate(
        "() => { const board = document.querySelector('budge-game budge-board');"
        "board.dispatchEvent(new CustomEvent('move', {detail: {index: 0}})); }"
    )
    page.evaluate(TIMED)
    for number in range(MOVES):
        page.keyboard.press(KEYS[key][number % len(KEYS[key])])
        page.wait_for_timeout(60)
    shown(name, page.evaluate("window.times"))


def at_work(page: Page) -> None:
    """Start engines that run for the rest of the time."""
    page.open("shipped:n_puzzle/korf-17")
    page.evaluate(
        """async (engines) => {
            const {api, state} = await import("/web/app.js");
            const {key, text, metric} = state;
            for (const engine of engines)
                await api("/api/runs", {kind: "solve", key, text, metric, engine, options: {}, seconds: 600});
        }""",
        list(SLOW),
    )


def frames(page: Page) -> None:
    """Frames while the pointer drags over the board that is open."""
    box: Any = page.locator("budge-game .token >> nth=0").bounding_box()
    page.evaluate(FRAMES)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(box["x"] + 2 * (step % 60), box["y"] + step % 20)
    page.mouse.up()
    shown("a frame, dragging on 60x60", page.evaluate("window.frames.slice(1)"))


def memory(page: Page, server: Server, puzzles: int) -> None:
    """Solve and replay one puzzle after the other; the server's memory now and then."""
    print(f"\n{'puzzles solved':>14} {'server':>8} {'page':>8}  MiB")
    held = []
    for number in range(1, puzzles + 1):
        page.open(SOLVED[number % len(SOLVED)])
        page.show("solve")
        page.get_by_role("button", name="Solve", exact=True).click()
        page.wait_for_selector(".on-board >> nth=0", timeout=120_000)
        page.click(".on-board >> nth=0")
        page.wait_for_selector("budge-game .history button")
        held.append(server.memory() / 2**20)
        if number == 1 or number % 20 == 0:
            print(f"{number:14} {held[-1]:8.1f} {_heap(page):8.1f}", flush=True)
    half = len(held) // 2
    growth = statistics.mean(held[half + half // 2 :]) - statistics.mean(held[half : half + half // 2])
    print(f"# growth from the third to the last quarter: {growth:+.1f} MiB")


def _heap(page: Page) -> float:
    """MiB of JavaScript objects that a page holds, after what is garbage has been collected."""
    devtools = page.context.new_cdp_session(page.raw)
    devtools.send("HeapProfiler.collectGarbage")
    used = float(devtools.send("Runtime.getHeapUsage")["usedSize"]) / 2**20
    devtools.detach()
    return used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzles", type=int, default=200, help="solved one after the other (default 200)")
    arguments = parser.parse_args()
    print(heading())
    with tempfile.TemporaryDirectory() as name, browser() as running:
        folder = Path(name)
        (folder / "hall.yaml").write_text(hall(SIDE))
        with studio(folder) as server:
            sighted = Sighted(running)
            print(f"{'':44} {'least':>8} {'median':>8} {'95th':>8}")
            first_paint(sighted, server)
            print(f"{'the server, resident':44} {server.memory() / 2**20:8.1f} {'':17}  MiB")
            with sighted.page(server) as page:
                for busy in ("", ", four engines at work"):
                    if busy:
                        at_work(page)
                    moves(page, "shipped:n_puzzle/eight-15", f"a key, n-puzzle{busy}")
                    moves(page, "shipped:klotski/heng-dao-li-ma", f"a key, Klotski 4x5{busy}")
                    moves(page, "shipped:sokoban/microban-001", f"a key, Sokoban{busy}")
                    moves(page, "file:hall.yaml", f"a key, Sokoban 60x60{busy}")
                frames(page)
        if arguments.puzzles:
            with studio(folder) as server, Sighted(running).page(server) as page:
                memory(page, server, arguments.puzzles)


if __name__ == "__main__":
    main()
