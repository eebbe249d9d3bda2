"""How quick the studio is in a real browser, and whether its memory stays flat.

    python benchmarks/studio.py                  first paint, moves, a board of 60x60 cells, memory over 200 puzzles
    python benchmarks/studio.py --puzzles 20     of fewer puzzles

First paint: from the request to the first contentful paint, and until the board can be played. A move: from the
board's event to the new position and its legal moves, in the browser's clock. Frames: while a piece is dragged across
a board of 60x60 cells. Memory: resident, of the server's own process, and of JavaScript objects in the page, while
one puzzle after the other is opened, solved and replayed. Times are wall clock: least, median and 95th percentile;
for moves also processor time, which other work on the machine changes less. Needs Chromium and the extra `studio`.
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

TIMED = """async (moves) => {
    const board = document.querySelector(".play-board"), times = [];
    const moved = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(board), "moves");
    let told = () => {};
    Object.defineProperty(board, "moves", {
        configurable: true, get: () => moved.get.call(board),
        set: (value) => { moved.set.call(board, value); told(); }});
    for (let number = 0; number < moves; number++) {
        const index = (7 * number) % board.moves.length;
        await new Promise((done) => {
            const began = performance.now();
            told = () => { times.push(performance.now() - began); done(); };
            board.dispatchEvent(new CustomEvent("move", {bubbles: true, detail: {index, move: board.moves[index]}}));
        });
    }
    delete board.moves;
    return times;
}"""

FRAMES = """() => {
    window.frames = [];
    let last = performance.now();
    const next = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(next); };
    requestAnimationFrame(next);
}"""

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


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
    paints, playable = [], []
    for _ in range(5):
        with sighted.context() as context:
            page = context.new_page()
            began = time.monotonic()
            page.goto(f"{server.address}&open=shipped:rush_hour/bird-1")
            page.wait_for_selector(".play-board .token")
            playable.append(1000 * (time.monotonic() - began))
            paints.append(page.evaluate(PAINT))
    shown("first contentful paint", paints)
    shown("until the board can be played", playable)


def moves(page: Page, server: Server, key: str, name: str) -> None:
    """Moves on a board, and the processor time of each: of the server's process and of the page's main thread."""
    page.open(key)
    page.wait_for_selector(".play-board .token")
    page.wait_for_timeout(1000)
    devtools = page.context.new_cdp_session(page.raw)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = server.seconds(), _main_thread(devtools)
    shown(name, page.evaluate(TIMED, MOVES))
    spent = (now - then for now, then in zip((server.seconds(), _main_thread(devtools)), before, strict=True))
    ours, theirs = (1000 * seconds / MOVES for seconds in spent)
    print(f"{'  processor time of a move':44} {ours:8.1f} {theirs:8.1f} {'':8}  ms: server, page", flush=True)


def _main_thread(devtools: Any) -> float:
    """Seconds of processor time that the tasks of a page's main thread have taken."""
    found = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def frames(page: Page) -> None:
    """Frames while the pointer drags over the board that is open."""
    box: Any = page.locator(".play-board .token >> nth=0").bounding_box()
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
        page.click(".tab-solve")
        if page.is_visible(".forget"):
            page.click(".forget")
            page.wait_for_selector(".run", state="detached")
        page.click(".solve-go")
        page.wait_for_selector(".to-replay", timeout=120_000)
        page.click(".to-replay")
        page.wait_for_selector("budge-replay .token")
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
            with sighted.page(server) as page:
                moves(page, server, "shipped:rush_hour/bird-1", "a move, Rush Hour 6x6")
                moves(page, server, "shipped:klotski/heng-dao-li-ma", "a move, Klotski 4x5")
                moves(page, server, "shipped:sokoban/microban-001", "a move, Sokoban")
                moves(page, server, "file:hall.yaml", "a move, Sokoban 60x60")
                frames(page)
                if arguments.puzzles:
                    memory(page, server, arguments.puzzles)


if __name__ == "__main__":
    main()
