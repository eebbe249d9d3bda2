"""Feature space search from both ends: the table in which they meet, levels in two halves, and other packing plans."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, Status
from budge.analysis.boxes.box_board import BoxBoard
from budge.analysis.boxes.packing_plan import no_plan
from budge.engines.common import neighbourhood
from budge.engines.fess.engine import OtherSide, Replayer, other_side
from budge.engines.fess.engine import solve as feature_space_search
from budge.engines.fess.search import FeatureSearch, Level
from budge.engines.fess.space import REGIONS_FIRST, Strategy, rounds
from budge.engines.fess.tree import NONE, find_meeting
from budge.runtime.kernel_calls import njit
from budge.workflows.solving import solve
from hypothesis import HealthCheck, given, settings

from ..helpers.patience import PATIENCE
from ..helpers.pushes import LARGE, numbered, put, task_of, view_of
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels


@njit(effort=1)
def _slot(table, s, key, root):  # type: ignore[no-untyped-def]
    return find_meeting(table, s, key, root)


def turned(view: BoxBoard, number: int = 1, most: int = 300) -> OtherSide | None:
    forward, backward, boxes, goals, _ = numbered(view)
    return other_side(Level(forward, backward, tuple(boxes), tuple(goals)), Budget(), number, most)


@given(rows=levels(max_boxes=4))
@settings(max_examples=examples(60))
def test_from_every_position_of_the_table_its_pulls_reversed_lead_to_the_goals(rows: tuple[str, ...]) -> None:
    view = view_of(list(rows))
    if not view.boxes or task_of(list(rows)).unsolvable_because:
        return
    board, *_ = numbered(view)
    for number in (1, 2):
        other = turned(view, number)
        if other is None:
            continue
        table = other.meetings
        for slot in np.nonzero(table.parent >= 0)[0][:200].tolist():
            start, end, root = table.move[slot].tolist()
            boxes = sorted({*table.box[table.parent[slot]].tolist()} - {start} | {end})
            assert Replayer(board, boxes, root).unfold(other.macros(slot))
            scratch = put(board, boxes)
            assert _slot(table, scratch, table.key[slot], root) == slot
            # The same hash with the player elsewhere, or with other boxes, is not the position.
            assert _slot(table, scratch, table.key[slot], root + 1) == NONE
            scratch.occupied[end] = 0
            assert _slot(table, scratch, table.key[slot], root) == NONE


def test_a_search_to_the_middle_ends_at_a_position_of_the_table() -> None:
    view = view_of(LARGE)
    forward, _, boxes, goals, player = numbered(view)
    other = turned(view, 1, 1_000)
    assert other is not None
    assert len({*other.level.goals} - {*goals}) > 3  # the middle is not the solved board
    search = FeatureSearch(
        other.level.forward, no_plan(forward), boxes, Strategy(REGIONS_FIRST, middle=1), Budget(), pull=False
    )
    search.meetings = other.meetings
    search.plant(boxes, player)
    assert search.run(lambda: None, 2_000) is None
    assert search.meeting >= 0
    macros = [(step.start, step.end, step.after) for step in search.way(search.goal)]
    assert Replayer(forward, boxes, player).unfold(macros + other.macros(search.meeting))
    # Without the table the cells of the middle can be filled, but nothing says that this is the goal.
    alone = FeatureSearch(
        other.level.forward, no_plan(forward), boxes, Strategy(REGIONS_FIRST, middle=1), Budget(), pull=False
    )
    alone.plant(boxes, player)
    assert alone.run(lambda: None, 2_000) == "enough"


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.fess.engine.FIRST_POSITIONS", 1)


@given(rows=levels(max_boxes=4))
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_halves_keep_the_answer(short_rounds: None, rows: tuple[str, ...]) -> None:
    # With one position for each search at first, searches to a middle come before the others are at their end.
    puzzle = level(list(rows))
    found = solve(puzzle, "fess")
    assert found.status in (Status.FEASIBLE, Status.OPTIMAL, Status.UNSOLVABLE)
    assert (found.status is Status.UNSOLVABLE) == (solve(puzzle, "plain").status is Status.UNSOLVABLE), rows


def test_rounds_have_searches_to_a_middle_of_both_kinds() -> None:
    (_, first), (most, second), *_ = (made for made, _ in zip(rounds(100), range(3), strict=False))
    assert not any(strategy.middle for strategy in first)
    middles = [strategy for strategy in second if strategy.middle]
    assert {strategy.middle % 2 for strategy in middles} == {0, 1}
    assert most == 100
    assert all(strategy.effort > 1 for strategy in middles)


LEVEL_7 = [
    "       #####",
    " #######   ##",
    "## # @## $$ #",
    "#    $      #",
    "#  $  ###   #",
    "### #####$###",
    "# $  ### ..#",
    "# $ $ $ ...#",
    "#    ###...#",
    "# $$ # #...#",
    "#  ### #####",
    "####",
]
"""Level 7 of XSokoban."""


def test_other_packing_plans_lead_to_fewer_pushes(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first plan alone takes 120 pushes; the fewest are 88.
    monkeypatch.setattr(neighbourhood, "shortened", lambda task, rows, *_: rows)
    monkeypatch.setattr("budge.engines.fess.engine.SHORTEN_SECONDS", PATIENCE)
    pushes = []
    for plans in (0, 12):
        monkeypatch.setattr("budge.engines.fess.engine.OTHER_PLANS", plans)
        outcome = feature_space_search(task_of(LEVEL_7), Budget())
        assert outcome.upper_bound is not None
        pushes.append(outcome.upper_bound[0])
    assert 88 <= pushes[1] < pushes[0]
