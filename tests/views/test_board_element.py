"""The element <budge-board> in a browser, played by pointer, finger and keys; the rules stay in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.models.families import find_family, load_text
from budge.models.moves import Move, Slide
from budge.models.puzzle import Puzzle
from budge.views.scene import Scene
from budge.views.shapes import script, style
from budge.workflows.playing import Game

from ..helpers.browser import Opened, opened
from ..helpers.patience import until

HOST = """
globalThis.host = ({scene, moves}) => {
  const board = document.querySelector("budge-board"), stage = new Stage(scene);
  let here = {...stage.start, rows: scene.rows};
  const on = cell => Object.keys(here.at).find(id => key(here.at[id]) === key(cell));
  const option = ({slide, rows, ...move}) => ({...move, ...(slide ? slid(on(slide[0]), slide)
    : offered(stage, here.at, stage.look(rows, here.at, move.where), move))});
  const offer = told => { board.moves = (known = told).map(option); };
  let known = [];
  window.told = [];
  window.asked = 0;
  board.scene = stage.scene;
  board.addEventListener("move", async event => {
    window.asked++;
    const answer = await window.ask(event.detail.index), {slide, where = slide?.[0]} = known[event.detail.index];
    here = {...stage.look(answer.rows, here.at, where), rows: answer.rows};
    board.state = here;
    offer(answer.moves);
    window.asked--;
  });
  board.addEventListener("select", event => window.told.push(event.detail.piece));
  offer(moves);
};
"""


class Table:
    """A game in Python, and the page on which it is played."""

    def __init__(self, running: Any, folder: Path, puzzle: Puzzle, metric: str | None = None, **options: Any) -> None:
        self.game = Game(puzzle, metric)
        self.options: list[Move] = []
        file, code = folder / "board.html", script("moves").rpartition("})();")[0]
        file.write_text(
            f"<!doctype html><html lang=en><title>a board</title><style>{style()}</style>"
            f"<script>{script('board')}{code}{HOST}}})();</script><button>before</button><budge-board></budge-board><button>after</button>",
            encoding="utf-8",
        )
        self.seen: Opened = opened(running, file, **options)
        self.page = self.seen.page
        self.page.expose_function("ask", self.made)
        self.page.evaluate("host", {"scene": Scene(puzzle).scene(), "moves": self.moves()})

    def made(self, index: int) -> dict[str, Any]:
        self.game.play(self.options[index])
        return {"rows": self.game.board, "moves": self.moves()}

    def moves(self) -> list[dict[str, Any]]:
        """The legal moves: how each slides, or what it names and the board after it."""
        self.options = self.game.moves()
        return [
            {"notation": self.game.notation_of(move)}
            | (
                {"slide": [move.cell, move.path]}
                if isinstance(move, Slide)
                else {"where": move.where, "args": move.what, "rows": self.game.after(move)}
            )
            for move in self.options
        ]

    def settled(self) -> None:
        """Wait until what was done has been seen by the board, and answered."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.wait_for_function("() => !window.asked")

    def point(self, row: float, column: float) -> tuple[float, float]:
        """The pixels of the middle of a cell."""
        found: list[float] = self.page.evaluate(
            """([row, column]) => {
              const board = document.querySelector("budge-board"), [wide, high] = board.scene.cell;
              const svg = board.querySelector("svg");
              const at = new DOMPoint((column + .5) * wide, (row + .5) * high).matrixTransform(svg.getScreenCTM());
              return [at.x, at.y];
            }""",
            [row, column],
        )
        return found[0], found[1]

    def drag(self, start: tuple[float, float], *ways: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*self.point(*start))
        mouse.down()
        for way in ways:
            mouse.move(*self.point(*way), steps=12)
            self.settled()
        mouse.up()
        self.settled()

    def click(self, row: float, column: float) -> None:
        self.page.mouse.click(*self.point(row, column))
        self.settled()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.settled()

    def place(self, piece: str) -> list[int]:
        """Row, column and face of a piece."""
        found: list[int] = self.page.evaluate("id => document.querySelector('budge-board').place(id)", piece)
        return found

    @property
    def live(self) -> str:
        return str(self.page.locator(".budge-live").text_content())


def test_a_piece_follows_the_pointer_as_far_as_it_may(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"))
    table.drag((1, 3), (2, 3))
    assert table.game.notation == ["D+1"]
    table.drag((1, 1), (1, 5))  # further than it can go
    assert table.game.notation == ["D+1", "C+3"]
    table.drag((0, 0), (0, 3))  # blocked
    table.drag((3, 0), (3, 3))  # nothing is there
    table.drag((1, 3), (1, 3.3))  # not far enough
    assert table.game.notation == ["D+1", "C+3"]
    assert table.seen.clean, (table.seen.requests, table.seen.errors)


def test_a_piece_goes_round_corners_in_one_move(chromium: Any, tmp_path: Path) -> None:
    text = "format: 1\nfamily: sliding-block\nboard: |\n  a..\n  #..\n  bb.\ngoal: |\n  ...\n  #..\n  ..a\n"
    table = Table(chromium, tmp_path, budge.load_text(text))
    table.drag((0, 0), (0, 1), (1, 1), (1, 2), (2, 2))
    assert table.game.solved
    assert table.game.costs["moves"] == 1


def test_where_a_move_is_one_cell_a_drag_makes_several(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"), "steps")
    table.drag((1, 3), (2, 3))
    table.drag((1, 1), (1, 4.6))
    assert table.game.notation == ["D+1", "C+1", "C+1", "C+1"]


def test_keys_select_take_and_move(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"))
    stage = table.page.locator(".budge-stage")
    assert stage.get_attribute("role") == "application"
    table.press("Tab", "Tab")  # the button before, then the board
    table.press("Tab")
    assert table.live == "piece B, row 1, column 4, can go left"
    table.press("d")
    assert table.live.startswith("piece D")
    table.press("Enter")
    assert table.live == "piece D taken: arrow keys move it"
    table.press("ArrowDown", "ArrowDown")
    assert table.live == "cannot go down"
    assert table.game.notation == ["D+1"]
    table.press("Escape", "Escape")
    table.press("ArrowLeft", "ArrowLeft")
    assert table.game.notation == ["D+1"]
    told = table.page.evaluate("window.told")
    assert told[:2] == ["B", "D"]
    for _ in range(20):  # Tab gets out again
        table.press("Tab")
    assert not table.page.evaluate("document.activeElement.classList.contains('budge-stage')")


def test_what_moves_is_told(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"))
    table.drag((1, 3), (2, 3))
    assert table.live == "piece D to row 3, column 4"
    assert table.page.locator(".token.moved").get_attribute("data-id") == "D"


def test_click_and_click(chromium: Any, tmp_path: Path) -> None:
    """A piece that can go to several places is selected, and goes where one clicks then."""
    text = "format: 1\nfamily: rush-hour\nboard: |\n  AA...\n  .....\n"
    table = Table(chromium, tmp_path, budge.load_text(text))
    table.click(0, 0)
    assert table.page.locator(".target").count() == 3
    table.click(0, 3)
    assert table.game.notation == ["A+2"]


def test_sokoban_by_keys_and_by_clicks(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("microban-001"))
    assert not table.page.evaluate("board => document.querySelector('budge-board').scene.direct")
    table.page.locator(".budge-stage").focus()
    ways = {"u": "ArrowUp", "d": "ArrowDown", "l": "ArrowLeft", "r": "ArrowRight"}
    for letter in "dlUrrrdL":
        table.press(ways[letter.lower()])
    assert "".join(table.game.notation) == "dlUrrrdL"
    table.click(5, 1)  # walks there
    assert table.place("player 1") == [5, 1, 0]
    before = table.game.costs["pushes"]
    table.click(0, 0)  # a wall
    assert table.game.costs["pushes"] == before


def test_keys_that_come_before_the_answer_wait_for_it(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("microban-001"))
    table.page.locator(".budge-stage").focus()
    for key in ["Down", "Left", "Up", "Right", "Right", "Right", "Down", "Left"]:
        table.page.keyboard.press(f"Arrow{key}")
    until(lambda: len(table.game.notation) == 8, lambda: table.page.wait_for_timeout(20))
    assert "".join(table.game.notation) == "dlUrrrdL"


def test_a_move_that_is_refused_goes_back(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"))
    table.page.evaluate(
        """() => {
          const board = document.querySelector("budge-board"), before = {state: board.state, moves: board.moves};
          const refuse = event => { event.stopImmediatePropagation(); Object.assign(board, before); };
          board.addEventListener("move", refuse, true);
        }"""
    )
    piece = table.page.locator(".token[data-id=D]")
    here = piece.bounding_box()
    table.drag((1, 3), (2, 3))
    until(lambda: piece.bounding_box() == here)
    assert piece.bounding_box() == here
    assert table.game.notation == []


def test_a_box_is_pushed_by_dragging_it(chromium: Any, tmp_path: Path) -> None:
    level = "format: 1\nfamily: sokoban\nmap: |2\n  #######\n  #     #\n  # $  .#\n  #   @ #\n  #######\n"
    table = Table(chromium, tmp_path, budge.load_text(level))
    table.drag((2, 2), (2, 5))
    assert table.game.costs["pushes"] == 3
    assert table.game.solved
    assert table.place("box 1") == [2, 5, 1]


def test_a_tile_beside_the_gap(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("eight-31-a"))
    table.page.locator(".budge-stage").focus()
    table.press("ArrowDown")
    assert table.game.notation == ["8D"]
    table.click(0, 1)  # one click is enough: it can go to one place only
    assert table.game.notation == ["8D", "7L"]


def test_fingers(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("eight-31-a"), has_touch=True, width=390)
    table.page.touchscreen.tap(*table.point(0, 0))
    until(lambda: table.game.notation, table.settled)
    assert table.game.notation == ["8D"]
    assert table.page.locator(".token.can").first.evaluate("token => getComputedStyle(token).touchAction") == "none"
    assert table.page.locator("svg").evaluate("svg => getComputedStyle(svg).touchAction") == "auto"  # else it scrolls


def test_a_finger_drags(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"), has_touch=True, width=390)
    session = table.page.context.new_cdp_session(table.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        listed = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": listed})

    touch("touchStart", table.point(1, 3))
    for row in (1.2, 1.5, 1.8, 2):
        touch("touchMove", table.point(row, 3))
    touch("touchEnd")
    until(lambda: table.game.notation, table.settled)
    assert table.game.notation == ["D+1"]
    assert table.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(
    ("name", "acts", "played"),
    [
        ("custom/lights-out", [(2, 2)], ["press(r3c3)"]),
        ("custom/lights-out", [(0, 0), (0, 1)], ["press(r1c1)", "press(r1c2)"]),
        ("custom/peg-solitaire", [((1, 3), (3, 3))], ["jump(r2c4,down)"]),
        ("custom/knights-exchange", [((0, 0), (2, 1))], ["move(r1c1,sse)"]),
        ("custom/wolf-goat-cabbage", [((1, 0), (1, 4)), ((1, 3), (1, 1))], ["carry(goat)", "row"]),
        ("custom/atomix-water", [((7, 1), (7, 6))], ["slide(H,right)"]),
    ],
)
def test_custom_families(chromium: Any, tmp_path: Path, name: str, acts: list[Any], played: list[str]) -> None:
    table = Table(chromium, tmp_path, budge.load(name))
    for act in acts:
        if isinstance(act[0], tuple):
            table.drag(*act)
        else:
            table.click(*act)
    assert table.game.notation == played
    assert table.seen.clean


def test_a_custom_walker_pushes(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("custom/sokoban-microban-1"))
    table.page.locator(".budge-stage").focus()
    table.press("ArrowDown", "ArrowLeft", "ArrowUp")
    assert table.game.notation == ["walk(down)", "walk(left)", "push(up)"]


def test_what_is_set_before_the_element_is_defined_counts(chromium: Any, tmp_path: Path) -> None:
    scene, pieces = json.dumps(Scene(budge.load("bird-2")).scene()), script("pieces").rpartition("})();")[0]
    file = tmp_path / "late.html"
    file.write_text(
        f"<!doctype html><title>late</title><budge-board></budge-board>"
        f"<script>{pieces} document.querySelector('budge-board').scene = new Stage({scene}).scene}})()</script>"
        f"<script>{script('board')}</script>",
        encoding="utf-8",
    )
    seen = opened(chromium, file)
    assert seen.page.locator(".token").count() == 10
    assert seen.clean


def test_dark_and_light_by_the_page(chromium: Any, tmp_path: Path) -> None:
    table = Table(chromium, tmp_path, budge.load("bird-2"), color_scheme="dark")
    fill = "() => getComputedStyle(document.querySelector('.ground')).fill"
    dark = table.page.evaluate(fill)
    table.page.evaluate("document.body.dataset.budgeTheme = 'light'")
    assert table.page.evaluate(fill) != dark


def test_a_large_room_is_a_few_shapes(chromium: Any, tmp_path: Path) -> None:
    """60x60 cells: walls, floor and grid are a path each, whatever there is of them."""
    rows = ["#" * 60, *("#" + " # " * 19 + " #" for _ in range(57)), "#@$." + " " * 55 + "#", "#" * 60]
    level = "format: 1\nfamily: sokoban\nmap: |2\n" + "".join(f"  {row}\n" for row in rows)
    table = Table(chromium, tmp_path, budge.load_text(level))
    assert table.page.locator("svg *").count() < 60
    table.page.click(".zoom-fit")  # it begins zoomed, around the player
    table.click(3, 1)
    assert table.place("player 1") == [3, 1, 0]


def test_long_lines_of_text_are_folded_where_they_would_be_small(chromium: Any, tmp_path: Path) -> None:
    objects = " ".join(f"car{number}" for number in range(12))
    sample = find_family("pddl").sample.replace("red blue - car", f"red blue {objects} - car")
    here = " ".join(f"(at {car} left)" for car in objects.split())
    puzzle = load_text(sample.replace("(at red left)", f"(at red left) {here}"))
    table = Table(chromium, tmp_path, puzzle, width=390)
    longest = "Math.max(...[...document.querySelectorAll('.line')].map(line => line.textContent.length))"
    assert table.page.evaluate(longest) < 50
    table.page.set_viewport_size({"width": 1280, "height": 800})
    table.page.wait_for_function(f"() => {longest} > 60")
    assert table.seen.clean
