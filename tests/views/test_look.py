"""The key `look`: what words of drawings and characters of maps look like, and what is said of mistakes in it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from budge import PuzzleError, board_svg, load, load_text, solve
from budge.models.cells import Cell
from budge.models.families.custom.rules import goal_cells
from budge.models.family import COLOURS, LAYOUTS, SHAPES, Shape
from budge.models.puzzle import Puzzle
from budge.views.picture_rules import face
from budge.views.player import plan_json
from budge.views.scene import Scene
from budge.views.shapes import HUES, IN_DARK, IN_LIGHT, SHAPE_HUES, SQUARE, _hex
from budge.workflows.playing import Game

from ..helpers.contrast import contrast
from ..helpers.deno import needs_deno, run_module

CUSTOM = Path(__file__).parents[2] / "puzzles" / "custom"
PEGS = """\
format: 1
family: custom
types: {disc: 1..3, peg: [left, right]}
state: {at: {of: disc, in: peg, start: [right, left, left]}}
actions:
  move:
    with: {d: disc, p: peg}
    when: at[d] != p and all(at[e] != at[d] and at[e] != p for e in disc if e < d)
    set: {"at[d]": p}
goal: at[1] == left
draw: |
  for p in peg: {d for d in disc if at[d] == p}
look:
  layout: pegs
  shapes:
    disc: bar
"""

LAMPS = """\
format: 1
family: custom
grid: |
  *.
legend: {"*": lit, ".": floor}
state: {lit: {of: cell}}
actions:
  press: {with: {c: cell}, set: {"lit[c]": "not lit[c]"}}
goal: not any(lit)
look:
  shapes:
    "*": lamp
    .: unlit
"""


@pytest.mark.parametrize("kind", ["token", "disc", "square", "bar"])
def test_letters_are_read_on_every_colour_by_day_and_by_night(kind: str) -> None:
    for colour in COLOURS:
        body, letter = face("a", {"a": Shape(kind, colour=colour, text="a")}, SQUARE, 0)
        assert letter.attributes["class"] == "", "the same on any screen"
        assert contrast(body.attributes["fill"], letter.attributes["fill"]) >= 4.5, colour
    body, letter = face("a", {"a": Shape(kind, text="a")}, SQUARE, 44)
    assert (body.attributes["class"], letter.attributes["class"]) == ("piece hue-44", "ink"), (
        "both turn with the screen"
    )
    for style in (IN_LIGHT, IN_DARK):
        words = dict(part.split(":") for part in style.split(";"))
        assert contrast(words["--budge-key"], words["--budge-on-key"]) >= 4.5
        for hue, quiet in ((hue, quiet) for hue in (*HUES, *SHAPE_HUES) for quiet in ("", "quiet-")):
            tone = (int(words[f"--budge-{quiet}{part}"].rstrip("%")) for part in "sl")
            assert contrast(_hex(hue, *tone), words["--budge-ink"]) >= 4.5, (style, hue, quiet)


def look_of(text: str) -> dict[str, Shape]:
    look = load_text(text).value.look()
    assert look is not None
    return dict(look.shapes)


def words_at(puzzle: Puzzle) -> dict[str, tuple[int, int]]:
    return {kind: cell for kind, cell, _ in Scene(puzzle).places(puzzle.board())}


def test_a_line_for_each_value() -> None:
    assert load_text(PEGS).board() == ("2 3", "1")
    text = PEGS.replace("for p in peg: {d for d in disc if at[d] == p}", "for d in disc if d > 1: {d} {at[d]}")
    assert load_text(text.replace("disc: bar", "peg: token")).board() == ("2 left", "3 left")


def test_stacks_stand_and_glasses_are_filled_from_below() -> None:
    assert words_at(load_text(PEGS)) == {"2": (1, 0), "3": (2, 0), "1": (2, 1)}
    assert words_at(load_text(PEGS.replace("layout: pegs", "layout: tubes"))) == {"2": (1, 0), "3": (0, 0), "1": (1, 1)}
    assert words_at(load_text(PEGS.replace("layout: pegs", "layout: rows"))) == {"2": (0, 0), "3": (0, 1), "1": (1, 0)}


def test_bars_are_as_wide_as_numbers_are_large() -> None:
    sizes = [shape.size for shape in look_of(PEGS).values()]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 1.0
    burnt = look_of(PEGS.replace("disc: bar", "1..3: bar\n    -3..-1: {shape: bar, colour: brown}"))
    assert burnt["-2"].size == burnt["2"].size
    assert (burnt["-2"].colour, burnt["2"].colour) == ("brown", "")


def test_a_value_with_the_name_of_a_colour_has_it() -> None:
    shapes = look_of(PEGS.replace("[left, right]", "[red, mauve]").replace("left", "red").replace("right", "mauve")
                     .replace("disc: bar", "peg: {shape: ball}\n    2: {shape: disc, text: two}"))  # fmt: skip
    assert (shapes["red"].colour, shapes["mauve"].colour, shapes["2"].text) == ("red", "", "two")


def test_a_name_that_only_a_table_lists_has_a_shape() -> None:
    text = (
        PEGS.replace(", peg: [left, right]", "")
        .replace("in: peg", "in: [left, right]")
        .replace("p: peg", "p: [left, right]")
    )
    assert look_of(text.replace("in peg", "in [left, right]").replace("disc: bar", "left: hole"))["left"].kind == "hole"


def test_the_goal_in_words() -> None:
    assert load_text(PEGS).goal_text() == ("at[1] == left",)
    assert load_text(PEGS.replace("goal:", "aim: the first to the left\ngoal:")).goal_text() == (
        "the first to the left",
    )


@needs_deno
def test_what_moves_stays_the_same_piece(tmp_path: Path) -> None:
    puzzle = load_text(PEGS)
    replay = solve(puzzle, "plain").replay
    assert replay is not None
    [page] = run_module("plans_in_pages.js", [plan_json(puzzle, replay)], tmp_path)
    assert page["seen"][1]["moved"] == ["1 1"]
    assert page["seen"][1]["at"]["1 1"] == [0, 0, 0]


def test_on_a_map_a_range_is_its_numbers_and_the_name_of_a_type_its_values() -> None:
    text = LAMPS.replace("look:", 'draw: {"1": here == r1c1, "2": here == r1c2}\nlook:').replace(
        '"*": lamp', "1..2: bar"
    )
    assert {look_of(text)[one].kind for one in "12"} == {"bar"}
    typed = text.replace("state:", "types: {spots: 1..2}\nstate:").replace("1..2: bar", "spots: bar")
    assert {look_of(typed)[one].kind for one in "12"} == {"bar"}


def test_lamps_are_lit_on_the_floor() -> None:
    text = board_svg(load_text(LAMPS))
    assert text.count(COLOURS["grey"]) == 2  # unlit ones lie below both
    assert text.count(COLOURS["yellow"]) == 2  # one lamp and its light


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_shape_can_be_drawn(shape: str, layout: str) -> None:
    text = PEGS.replace("disc: bar", f"disc: {{shape: {shape}, colour: teal}}").replace(
        "layout: pegs", f"layout: {layout}"
    )
    drawn, puzzle = Scene(load_text(text)), load_text(text)
    kinds = [drawn.kind(kind) for kind, *_ in drawn.places(puzzle.board())]
    assert all(kind.faces[0] for kind in kinds)
    assert bool(kinds) == (shape != "nothing")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("disc: bar", "disc: barr", "16:11: error: `barr` is not a shape"),
        ("disc: bar", "dics: bar", "16:5: error: `dics` is not drawn: it is no word or type"),
        ("disc: bar", "peg: bar", "16:5: error: a bar shows a number, and `left` is none"),
        ("disc: bar", "disc: {shape: disc, colour: rad}", "16:33: error: `colour` cannot be `rad`"),
        ("disc: bar", "disc: {colour: red}", "16:11: error: a shape needs the key `shape`"),
        ("disc: bar", "disc: {shape: disc, color: red}", "16:25: error: unknown key `color` in a shape"),
        ("disc: bar", "disc: [bar]", "16:11: error: a shape cannot be a list"),
        ("layout: pegs", "layout: heap", "14:11: error: `layout` cannot be `heap`"),
        ("draw: |\n  for p in peg: {d for d in disc if at[d] == p}\n", "", "12:11: error: a `layout` is that of lines"),
        ("for p in peg", "for p in pig", "12:12: error: `pig` is not a type"),
    ],
)
def test_mistakes(old: str, new: str, said: str) -> None:
    with pytest.raises(PuzzleError) as raised:
        load_text(PEGS.replace(old, new))
    assert said in str(raised.value), str(raised.value)
    assert "\n" in str(raised.value)


def test_a_character_that_is_not_on_the_map() -> None:
    with pytest.raises(PuzzleError, match="`x` is not drawn: it is no character"):
        load_text(LAMPS.replace('"*": lamp', "x: lamp"))


@pytest.mark.parametrize(
    ("name", "sides"), [("pocket-cube", 4), ("rubiks-cube-2x2x2", 4), ("rubiks-cube-six-turns", 9)]
)
def test_cubes_show_their_colours(name: str, sides: int) -> None:
    """In each position as many squares of each colour; in the end each side has one."""
    puzzle = load(name)
    game = Game(puzzle)
    for _ in range(6):
        words = Counter(word for row in game.board for word in row.split() if word != ".")
        assert words == dict.fromkeys("123456", sides)
        moves = game.moves()
        game.play(moves[len(game.plan.moves) % len(moves)])


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("disc", "{shape: bar, text: ²}"),
        ("disc", "{shape: bar, text: --5}"),
        ("disc", f"{{shape: bar, text: {'9' * 5000}}}"),
        ("disc", '{shape: path, text: ""}'),
    ],
)
def test_any_text_is_drawn(word: str, shape: str) -> None:
    assert board_svg(load_text(PEGS.replace("disc: bar", f"{word}: {shape}")))


@pytest.mark.parametrize("name", sorted({path.name for path in CUSTOM.glob("*.family.yaml")}))
@pytest.mark.parametrize("draw", ["draw: |\n  A line\n", 'draw:\n  "%": row(here) == 1\n'])
def test_a_puzzle_may_draw_what_its_family_draws_otherwise(name: str, draw: str, tmp_path: Path) -> None:
    """The family's look is of what it draws itself: it is no mistake of a puzzle that draws something else."""
    text = next(text for path in sorted(CUSTOM.glob("*.yaml")) if f"family: {name}\n" in (text := path.read_text()))
    text = re.sub(r"(?m)^(draw|look):.*\n((?: .*)?\n)*", "", text)
    if "%" in draw and "grid:" not in text:
        draw = 'draw: ""\n'
    own = tmp_path / "own.yaml"
    own.write_text(text + draw)
    assert Scene(load(own))


def test_messages_stay_short_whatever_a_file_lists() -> None:
    words = ", ".join(f"word{number}" for number in range(900))
    text = PEGS.replace("peg: [left, right]", f"peg: [left, right, {words}]").replace("disc: bar", "dics: bar")
    for old, new in (("disc: bar", "dics: bar"), ("at[d] == p", f"at[d] == {'x' * 5000}")):
        with pytest.raises(PuzzleError) as raised:
            load_text(text.replace(old, new))
        assert len(str(raised.value)) < 4_000


@pytest.mark.parametrize(
    ("name", "cells"),
    [("labyrinth-4x4", {(3, 3): "╩"}), ("custom/lunar-lockout-1", {(2, 2): "X"}), ("lorries-1", {}), ("flood-4x4", {})],
)
def test_the_cell_that_the_goal_names_is_marked(name: str, cells: dict[Cell, str]) -> None:
    puzzle = load(name)
    assert goal_cells(puzzle.value) == cells, "a lorry has several cells"
    lines = [shape for shape in Scene(puzzle).over if shape.attributes.get("class") == "goal-line"]
    assert len(lines) == len(cells)
