"""Sokoban: reading and its errors, the task against a solver written from the rules, replay and LURD."""

from __future__ import annotations

import heapq
from pathlib import Path

import pytest
from budge.models.cells import Cell
from budge.models.errors import PuzzleError, ReplayError
from budge.models.families import load_file, load_text
from budge.models.families.sokoban import FAMILY
from budge.models.moves import Cost, Slide
from budge.models.plan import Plan
from budge.models.puzzle import Puzzle
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ..helpers.reference import cheapest, optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import HEAD, level, levels, text_of

METRICS = FAMILY.metric_names


def problems(text: str) -> list[tuple[int, int, str]]:
    """Line, column and message of everything that is wrong with a file."""
    with pytest.raises(PuzzleError) as caught:
        load_text(text)
    return [(p.line, p.column, p.message) for p in caught.value.problems]


# Reading

MICROBAN_1 = ["####", "# .#", "#  ###", "#*@  #", "#  $ #", "#  ###", "####"]
"""The first level of Microban, by David W. Skinner."""


def test_a_level_is_read() -> None:
    puzzle = level(MICROBAN_1, "metric: [moves, pushes]\nexpect: {pushes: 8, moves: 33}\n")
    assert puzzle.board() == tuple(MICROBAN_1)
    assert puzzle.value.player == (3, 2)
    assert puzzle.value.boxes == {(3, 1), (4, 3)}
    assert puzzle.value.goals == {(1, 2), (3, 1)}
    assert puzzle.header.metric == "moves,pushes"
    assert puzzle.header.expect.costs == {"pushes": (8,), "moves": (33,)}


@pytest.mark.parametrize(
    "map_text",
    [
        "map: |\n  #####\n  #@$.#\n  #####\n",
        "map: |2\n    #####\n    #@$.#\n    #####\n",
        "map: |\n  #####--\n  #pbo#__\n  #####\n",
        "map: |\n  5#\n  #@$.#|\n  5#|\n",
        'map: "5#|#@$.#|5#"\n',
        "map: 2(#)#2#|#@$.#|5#\n",
        'map: ["#####", "#@$.#", "#####"]\n',
        "map: |\n  #####\n  #@$.#\n  #####\n\n\n",
        "map: |\n\n  #####\r\n  #@$.#\r\n  #####\r\n",
    ],
)
def test_every_dialect_says_the_same(map_text: str) -> None:
    puzzle = load_text(HEAD + map_text)
    assert [row.strip() for row in puzzle.board()] == ["#####", "#@$.#", "#####"]
    assert cheapest(puzzle.task("pushes")) == (1,)


def test_boxes_on_goals_out_of_reach_are_decoration() -> None:
    rows = ["*###*", "#@$.#", "*###*"]
    puzzle = level(rows)
    assert puzzle.board() == tuple(rows)
    assert not any("r1c1" in fact for fact in puzzle.task("pushes").facts)
    assert puzzle.replay(Plan((Slide((1, 2), "R"),))).solved


def test_goals_may_be_more_than_boxes() -> None:
    puzzle = level(["######", "#@$..#", "#   .#", "######"])
    assert cheapest(puzzle.task("pushes")) == (1,)


BAD_MAPS = {
    "no player": (["#####", "# $.#", "#####"], [(3, 6, "no player")]),
    "two players": (
        ["######", "#@$.@#", "######"],
        [(5, 7, "a second player (the first stands in line 5, column 4)")],
    ),
    "no box": (["#####", "#@ .#", "#####"], [(3, 6, "no box on the map")]),
    "only decoration": (["*###*", "#@  #", "*###*"], [(3, 6, "no box that the player can reach")]),
    "too many boxes": (["######", "#@$$.#", "######"], [(5, 6, "2 boxes but 1 goal")]),
    "no goal": (["#####", "#@$ #", "#####"], [(5, 5, "1 box but no goal")]),
    "box outside": (["#####  ", "#@*.# $", "#####  "], [(5, 9, "this box stands outside")]),
    "box walled in": (["#######", "#@$.#$#", "#######"], [(5, 8, "this box stands outside")]),
    "goal outside": (
        ["#####  ", "#@$ # .", "#####  "],
        [(5, 5, "1 box but no goal inside"), (5, 9, "this goal lies outside")],
    ),
    "gap on the right": (["#####", "#@$.", "#####"], [(5, 7, "the border is open")]),
    "gap in the last row": (["#####", "#@$.#", "## ##"], [(6, 5, "the border is open")]),
    "gap behind a long way": (
        ["######", "#   .#", "#  $@####", "####     #", "   # ### #", "   # #    ", "   #######"],
        [(8, 11, "the border is open")],
    ),
    "short row above a corner": (["####", "#@ $.#", "######"], [(4, 7, "the border is open")]),
    "unknown character": (["#####", "#@$x#", "#####"], [(5, 6, "`x` means nothing in a Sokoban map")]),
    "other walls": (["XXXXX", "X@$.X", "XXXXX"], [(4, 3, "`X` means nothing in a Sokoban map (12 times)")]),
    "mixed dialects": (["#####", "#@$o#", "#####"], [(5, 6, "`o` beside `@`")]),
    "number at the end": (["5#", "#@$.#", "#4"], [(6, 4, "the number 4 has nothing after it")]),
    "parenthesis": (["5#", "#@2($.#", "5#)"], [(5, 6, "this `(` is never closed"), (6, 5, "`)` without")]),
    "too long": (["5#", "#@$.#", "5#999999999#"], [(6, 14, "this run-length encoding stands for more than")]),
    "too wide": (["300#", "#@$.#", "300#"], [(3, 6, "the map has a row of 300 columns")]),
    "only floor": (["---", "_"], [(3, 6, "the map is empty")]),
    "several": (
        ["######", "# @  #", "#@$$.#", "####$#"],
        [(6, 4, "a second player"), (6, 6, "3 boxes but 1 goal"), (7, 7, "the border is open")],
    ),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_what_is_wrong_with_a_map_is_said_where_it_is_wrong(name: str) -> None:
    rows, expected = BAD_MAPS[name]
    found = problems(text_of(rows))
    assert [place[:2] for place in found] == [place[:2] for place in expected], found
    for (_, _, message), (_, _, start) in zip(found, expected, strict=True):
        assert message.startswith(start)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a puzzle needs the key `map`"),
        ("map:\n", 3, "`map` has no value"),
        ("map: |\n  #@$.#\nsource: {file: x.xsb}\n", 5, "a level has a `map` or a `source`, not both"),
        ("source: levels.xsb\n", 3, "`source` must be a mapping"),
        ("source: {level: 1}\n", 3, "`source` needs the key `file`"),
        ("source: {file: no-such-file.xsb, level: 1}\n", 3, "cannot read `no-such-file.xsb`"),
        ("source: {file: ., level: 1}\n", 3, "cannot read `.`: it is a folder"),
    ],
)
def test_a_map_or_a_source_is_needed(text: str, line: int, message: str) -> None:
    (found,) = problems(HEAD + text)
    assert found[0] == line
    assert found[2].startswith(message)


COLLECTION = """\
; A small collection

; 1
#####
#@$.#
#####

; 2
'Twins'
######
#@$. #
######

; 3
'Broken'
#####
#@$ #
##?##
"""


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    (tmp_path / "small.xsb").write_text(COLLECTION)
    return tmp_path


def source_file(folder: Path, source: str) -> Path:
    path = folder / "puzzle.yaml"
    path.write_text(f"{HEAD}source: {{{source}}}\n")
    return path


@pytest.mark.parametrize("which", ["2", "Twins", "twins", "'Twins'"])
def test_a_level_of_a_collection_by_number_or_title(collection: Path, which: str) -> None:
    puzzle = load_file(source_file(collection, f"file: small.xsb, level: {which}"))
    assert puzzle.board()[1] == "#@$. #"
    assert puzzle.header.name == "Twins"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("file: small.xsb, level: 4", "`small.xsb` has 3 levels, so there is no level 4"),
        ("file: small.xsb, level: 0", "`small.xsb` has 3 levels, so there is no level 0"),
        ("file: small.xsb, level: Twin", "`small.xsb` has 3 levels, none of them with the title `Twin`"),
        ("file: small.xsb", "`small.xsb` has 3 levels: which one?"),
        ("file: puzzle.yaml, level: 1", "`puzzle.yaml` holds no Sokoban level"),
    ],
)
def test_a_level_that_the_collection_does_not_have(collection: Path, source: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        load_file(source_file(collection, source))
    (problem,) = caught.value.problems
    assert (problem.line, problem.message) == (3, message)


def test_errors_of_a_collection_are_shown_in_the_collection(collection: Path) -> None:
    with pytest.raises(PuzzleError) as caught:
        load_file(source_file(collection, "file: small.xsb, level: 3"))
    (problem,) = caught.value.problems
    assert Path(problem.file).name == "small.xsb"
    assert (problem.line, problem.column, problem.source) == (18, 3, "##?##")


# The task


def brute_force(rows: tuple[str, ...]) -> dict[str, Cost] | None:
    """The optimal cost of a level in every metric, by Dijkstra over (boxes, player), from the rules alone."""
    chars = {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}
    floor = {cell for cell, char in chars.items() if char != "#"}
    goals = {cell for cell, char in chars.items() if char in ".*+"}
    boxes = frozenset(cell for cell, char in chars.items() if char in "$*")
    (player,) = (cell for cell, char in chars.items() if char in "@+")
    found: dict[str, Cost] = {}
    for metric in METRICS:
        names = metric.split(",")
        start = (boxes, player)
        best = {start: (0,) * len(names)}
        queue: list[tuple[Cost, list[Cell], Cell]] = [(best[start], sorted(boxes), player)]
        while queue:
            cost, stand, (r, c) = heapq.heappop(queue)
            here = (frozenset(stand), (r, c))
            if cost > best[here]:
                continue
            if here[0] <= goals:
                found[metric] = cost
                break
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                to, beyond = (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)
                then, pushed = here[0], to in here[0]
                if to not in floor or (pushed and (beyond not in floor or beyond in then)):
                    continue
                if pushed:
                    then = then - {to} | {beyond}
                more = {"pushes": int(pushed), "moves": 1}
                total = tuple(old + more[name] for old, name in zip(cost, names, strict=True))
                if total < best.get((then, to), (10**9,)):
                    best[then, to] = total
                    heapq.heappush(queue, (total, sorted(then), to))
    return found or None


@settings(max_examples=examples(60))
@given(levels())
def test_the_task_has_the_optima_of_the_rules_in_every_metric(rows: tuple[str, ...]) -> None:
    puzzle = level(list(rows))
    truth = brute_force(rows)
    for metric in METRICS:
        task = puzzle.task(metric)
        task.validate()
        answer = optimal(task)
        assert (answer is None) == (truth is None)
        assert truth is None or task.unsolvable_because is None
        if answer is None:
            continue
        cost, operators = answer
        assert truth is not None
        assert cost == truth[metric]
        replay = puzzle.replay(Plan.of(operators))
        assert replay.solved
        assert tuple(replay.costs[name] for name in metric.split(",")) == cost
    if truth:
        assert truth["pushes,moves"][0] == truth["pushes"][0]
        assert truth["moves,pushes"][0] == truth["moves"][0]


@settings(max_examples=examples(60))
@given(levels(max_boxes=2), st.sampled_from(["mirrored", "rotated", "transposed"]))
def test_a_turned_level_has_the_same_optima(rows: tuple[str, ...], how: str) -> None:
    turned = {
        "mirrored": tuple(row[::-1] for row in rows),
        "rotated": tuple("".join(column) for column in zip(*rows[::-1], strict=True)),
        "transposed": tuple("".join(column) for column in zip(*rows, strict=True)),
    }[how]
    for metric in METRICS:
        one, other = (optimal(level(list(r)).task(metric)) for r in (rows, turned))
        assert (one and one[0]) == (other and other[0])


UNSOLVABLE = {
    "corner": (["######", "#$   #", "#  @.#", "######"], "the box at row 2, column 2 can never be moved"),
    "two by two": (
        ["######", "#    #", "# $$ #", "#@$$ #", "#....#", "######"],
        "can never be moved to a goal",
    ),
    "along the wall": (
        ["######", "#  $ #", "#   @#", "#  . #", "######"],
        "the box at row 2, column 4 can never",
    ),
    "one goal for two": (
        ["#######", "#. $$ #", "##@ ###", " # .## ", " ####  "],
        None,
    ),
    "behind frozen boxes": (["########", "#@ *   #", "##*## $#", " ####.##", "    ### "], None),
}


@pytest.mark.parametrize("name", UNSOLVABLE)
def test_unsolvable_levels_have_no_plan(name: str) -> None:
    rows, reason = UNSOLVABLE[name]
    task = level(rows).task("pushes")
    task.validate()
    assert optimal(task) is None
    assert brute_force(tuple(rows)) is None
    if reason:
        assert reason in (task.unsolvable_because or "")


def test_boxes_that_compete_for_goals() -> None:
    rows = ["########", "#.$ $  #", "##@#####", " # .#   ", " ####   "]
    task = level(rows).task("moves")
    assert (task.unsolvable_because is None) == (brute_force(tuple(rows)) is not None)


def test_frozen_boxes_on_goals_are_walls() -> None:
    puzzle = level(["#######", "#**  .#", "#**@$ #", "#######"])
    task = puzzle.task("pushes")
    task.validate()
    assert not any("c2" in fact or "c3" in fact for fact in task.facts)
    assert [group.count for group in task.groups if group.name == "boxes"] == [1]


def test_nothing_left_to_do() -> None:
    puzzle = level(["####", "#@*#", "####"])
    task = puzzle.task("pushes")
    task.validate()
    assert optimal(task) == ((0,), [])
    assert puzzle.replay(Plan(())).solved


@pytest.mark.parametrize(("metric", "cost"), [("pushes", (8,)), ("moves", (33,)), ("pushes,moves", (8, 33))])
def test_microban_1(metric: str, cost: Cost) -> None:
    assert cheapest(level(MICROBAN_1).task(metric)) == cost


# Replay and LURD


def to_lurd(puzzle: Puzzle, plan: Plan) -> str:
    return puzzle.plan_text(puzzle.replay(plan))


def test_replay_walks_to_the_box_and_counts() -> None:
    puzzle = level(["######", "#@   #", "# $ .#", "#    #", "######"])
    replay = puzzle.replay(Plan((Slide((2, 2), "R"), Slide((2, 3), "R"))))
    assert replay.notation == ["dR", "R"]
    assert replay.costs == {"pushes": 2, "moves": 3}
    assert replay.solved
    assert replay.steps[-1].board[2] == "#  @*#"


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (
            [Slide((2, 2), "L"), Slide((2, 1), "L")],
            "move 2: the box at row 3, column 2 cannot be pushed L: a wall",
        ),
        (
            [Slide((2, 2), "D"), Slide((3, 2), "D")],
            "move 2: the box at row 4, column 3 cannot be pushed D: a wall",
        ),
        ([Slide((1, 3), "R")], "move 1: neither a box nor the player stands at row 2, column 4"),
        ([Slide((1, 1), "U")], "move 1: the player at row 2, column 2 cannot step U into a wall"),
        ([Slide((1, 1), "DR")], "move 1: the player at row 3, column 2 cannot walk R into a box"),
        ([Slide((2, 2), "")], "move 1: `` is not a path"),
        ([Slide((2, 2), "X")], "move 1: `X` is not a path"),
        (
            [Slide((2, 2), "L"), Slide((2, 1), "R")],
            "move 2: the player at row 3, column 3 cannot walk to row 3, column 1",
        ),
    ],
)
def test_what_the_rules_forbid(moves: list[Slide], message: str) -> None:
    puzzle = level(["######", "#@   #", "# $ .#", "#    #", "######"])
    with pytest.raises(ReplayError) as caught:
        puzzle.replay(Plan(tuple(moves)))
    assert str(caught.value).startswith(message)


def test_a_box_is_not_pushed_into_a_box() -> None:
    with pytest.raises(ReplayError, match="a box is behind it"):
        level(["#######", "#@$$..#", "#######"]).replay(Plan((Slide((1, 2), "R"),)))


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(levels(max_boxes=2))
def test_lurd_back_and_forth(rows: tuple[str, ...]) -> None:
    puzzle = level(list(rows))
    answer = optimal(puzzle.task("moves,pushes"))
    assume(answer)
    assert answer is not None
    plan = Plan.of(answer[1])
    lurd = to_lurd(puzzle, plan)
    again = puzzle.parse_plan(lurd)
    assert to_lurd(puzzle, again) == lurd
    assert puzzle.replay(again).costs == puzzle.replay(plan).costs
    assert to_lurd(puzzle, puzzle.parse_plan(lurd.lower())) == lurd


@pytest.mark.parametrize(("text", "lurd"), [("dRR", "dRR"), (" d 2R\n", "dRR"), ("1d2(R)", "dRR"), ("drr", "dRR")])
def test_lurd_dialects(text: str, lurd: str) -> None:
    puzzle = level(["######", "#@   #", "# $ .#", "#    #", "######"])
    assert to_lurd(puzzle, puzzle.parse_plan(text)) == lurd


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dRx", "the plan cannot be read: character 3: `x` is none of"),
        ("d R 3", "the plan cannot be read: character 5: the number 3"),
        ("dRRR", "step 4 (`R`): the box at row 3, column 5 cannot be pushed R: a wall"),
        ("drR", "step 2 (`r`) is a walk, but a box stands there"),
        ("DRR", "step 1 (`D`) is a push, but no box stands there"),
        ("u", "step 1 (`u`): the player at row 2, column 2 cannot step U into a wall"),
    ],
)
def test_bad_lurd(text: str, message: str) -> None:
    puzzle = level(["######", "#@   #", "# $ .#", "#    #", "######"])
    with pytest.raises(ReplayError) as caught:
        puzzle.parse_plan(text)
    assert str(caught.value).startswith(message)
