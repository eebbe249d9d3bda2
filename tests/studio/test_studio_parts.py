"""What the studio is made of, without a browser: repairs, painted maps, completion, runs and their charts."""

from __future__ import annotations

import re
import socket
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from budge.models.errors import UsageError
from budge.models.families import families, load_text
from budge.models.library import load
from budge.models.moves import Slide
from budge.runtime.budget import Budget
from budge.runtime.outcome import Outcome, Status
from budge.studio import answers
from budge.studio import runs as work
from budge.studio.answers import puzzles_of
from budge.studio.maps import maps_json, maps_of, palette
from budge.studio.repairs import repairs
from budge.studio.runs import Runs, StudioRun
from budge.studio.shown import completions, file_name, problem_json
from budge.views import plots
from budge.views.plots import bounds_over_time
from budge.views.schema import template
from budge.workflows.checking import check_text
from budge.workflows.exploration import Answer
from budge.workflows.jobs import Background, Solving
from budge.workflows.playing import Game
from budge.workflows.solving import solve
from budge.workflows.verdict import Verdict, Verification

from ..helpers.patience import until

TEXT = """\
format: 1
family: rush-hour  # what it is
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""


def mended(text: str) -> list[str]:
    check = partial(check_text, file="a.yaml")
    return list(repairs(text, check(text).problems, check).values())


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("metric: steps", "metric: stepps"), ("board: |", "bord: |"), ("rush-hour ", "rushhour "), ("format: 1\n", "")],
)
def test_a_known_repair_makes_the_text_what_it_was(wrong: str, right: str) -> None:
    assert mended(TEXT.replace(wrong, right))[0] == TEXT


@pytest.mark.parametrize(
    ("old", "new"),
    [("...BC", "...B"), ("metric: steps", "metric: steps\nmetrik: slides"), ("AA.BC", "AAABC"), ("board", "- board")],
)
def test_what_only_a_person_can_mend_has_no_button(old: str, new: str) -> None:
    assert mended(TEXT.replace(old, new)) == []


def test_a_mistyped_value_that_hides_another_problem_is_mended() -> None:
    goal = "goal: {{piece: Q, exit: {}}}\n"
    assert mended(TEXT + goal.format("rigth")) == [TEXT + goal.format("right")]
    assert "Q" in check_text(TEXT + goal.format("right"), "a.yaml").problems[0].message


def test_a_misspelt_family_is_mended_and_the_rest_is_read_by_its_rules() -> None:
    wrong = TEXT.replace("family:", "famly:").replace("metric: steps", "metric: stepps")
    problems = check_text(wrong, "a.yaml").problems
    assert [(one.line, one.hint) for one in problems] == [(2, "did you mean `family`?"), (7, "did you mean `steps`?")]
    assert mended(TEXT.replace("family:", "famly:")) == [TEXT]
    (missing,) = check_text("format: 1\nboard: |\n  AA.\n  ...\n", "a.yaml").problems
    assert "needs the key `family`" in missing.message


def test_problems_are_marked_at_their_places() -> None:
    text = TEXT.replace("metric: steps", "metric: stepps")
    (problem,) = check_text(text, "a.yaml").problems
    told = problem_json(problem, text, TEXT)
    assert (told["line"], told["here"], told["mended"]) == (7, True, TEXT)
    marked = text.split("\n")[told["line"] - 1][told["column"] - 1 :][: told["width"]]
    assert marked == "stepps"
    assert not problem_json(problem, TEXT, None)["here"]


# Maps


@pytest.mark.parametrize("name", ["rush_hour/bird-1", "klotski/heng-dao-li-ma", "sokoban/microban-001"])
def test_the_rows_of_a_map_stand_where_it_is_said(name: str) -> None:
    text = Path(load(name).header.file).read_text()
    lines = text.split("\n")
    maps = maps_json(text, None)["maps"]
    assert maps
    for drawn in maps:
        for row, (line, column) in zip(drawn["rows"], drawn["origins"], strict=True):
            assert lines[line][column:].rstrip() == row.rstrip()


def test_the_palette_names_what_it_paints() -> None:
    assert palette(maps_of(TEXT)[0], None) == [
        (".", "empty"),
        ("#", "wall"),
        ("A", "piece A"),
        ("B", "piece B"),
        ("C", "piece C"),
        ("D", "new piece D"),
    ]
    sokoban = load("microban-001")
    named = dict(palette(maps_of(Path(sokoban.header.file).read_text())[0], sokoban))
    assert named["*"] == "box on goal"
    assert named[" "] == "empty"


def test_a_text_without_a_map_has_none() -> None:
    assert maps_of(numbers := "format: 1\nfamily: n-puzzle\nstart: |\n  1 2\n  3 0\n") == []
    assert maps_json(numbers, None)["no_maps"] == "There is no map of characters in this text."
    assert maps_of("family: [") == []


# Words


@pytest.mark.parametrize("family", list(families()))
def test_every_key_of_a_family_is_completed(family: str) -> None:
    words = completions()[family]
    record = families()[family]
    assert {key.name for key in record.keys} <= set(words)
    assert family in words["family"]["words"]
    assert load_text(template(record)).family == family


def test_files_are_named_after_the_puzzle() -> None:
    assert file_name("Bird's second grid") == "birds-second-grid.yaml"
    assert file_name("../../etc/passwd") == "etcpasswd.yaml"
    assert file_name("数独") == "puzzle.yaml"


# Runs


def ended(run: StudioRun) -> StudioRun:
    until(lambda: run.over)
    return run


@pytest.fixture
def runs() -> Runs:
    return Runs(most=2)


def solving(runs: Runs, name: str, engine: str = "auto") -> StudioRun:
    puzzle = load(name)
    metric = puzzle.header.metric
    begin = partial(Solving, puzzle, engine, metric, Budget(memory_mib=2048), {})
    return runs.start("solve", "solve", engine, (name, engine), puzzle, metric, begin)


def test_a_run_tells_both_bounds_until_they_meet(runs: Runs) -> None:
    run = ended(solving(runs, "bird-2", "bfs"))
    assert run.answer.status is Status.OPTIMAL
    track = answers.track_of(run, "#123456")
    assert track.lower[-1].y == track.upper[-1].y == 10
    assert "no goal within 9 slides" in track.lower[-1].tip
    assert [one.name for one in answers.with_own_names([track, track])] == ["bfs", "bfs (2)"]
    plot = bounds_over_time([track], "slides", logarithmic=False)
    assert [(line.name, line.line) for line in plot.series] == [("bfs", "solid"), ("bfs", "dashed")]
    assert "no goal within 9 slides" in plots.svg(plot, "")
    assert not plot.up.logarithmic
    track.upper.insert(0, replace(track.upper[0], y=1800))
    assert bounds_over_time([track], "slides", logarithmic=False).up.logarithmic  # else all bounds would be one line


def test_a_comparison_tells_bounds_while_engines_work_and_then_their_rows(runs: Runs) -> None:
    puzzle = load("bird-1")
    comparing = partial(work.run_engines, [puzzle], ["bfs", "astar"], None, 2048)
    begin = partial(Background, comparing, Budget(None, None))
    told = [event for event in begin() if isinstance(event, work.REPORTED)]
    compared = puzzles_of(told[:1])[0].compared
    assert compared == (puzzle.digest, "slides")
    (live,) = answers.tracks_of_cells(told[:3], compared)  # before bfs has a plan
    assert (live.name, len(live.lower), live.upper) == ("bfs", 3, [])
    run = ended(runs.start("compare", "compare", "1 × 2", (), puzzle, "slides", begin))
    assert not any(isinstance(event, work.BoundReported) for event in run.events)  # the rows have it all
    for tracks in answers.tracks_of_cells(told, compared), answers.tracks_of_cells(run.events, compared):
        assert [track.name for track in tracks] == ["bfs", "astar"]
        for track, row in zip(tracks, run.answer.rows, strict=True):
            bounds = [point.y for point in track.lower]
            assert bounds == sorted(set(bounds))
            assert bounds[-1] == track.upper[-1].y == 24
            assert row.outcome.lower_bound_by in track.lower[-1].tip


@pytest.mark.weekly
def test_the_same_work_is_done_once_and_too_much_is_refused(runs: Runs) -> None:
    """Of work that no machine ends while the test looks on: a search among far too many states."""
    first = solving(runs, "xsokoban-78", "bfs")
    assert solving(runs, "xsokoban-78", "bfs") is first
    second = solving(runs, "uva-12x12", "bfs")
    with pytest.raises(UsageError, match="2 runs at once"):
        solving(runs, "bird-2")
    runs.close()
    assert first.over
    assert second.over

    assert first.answer.status is second.answer.status is Status.INTERRUPTED
    assert all(run.over for run in runs.all())
    assert ended(solving(runs, "bird-2")).answer.cost == 10  # there is room again


def test_a_limit_is_no_final_answer_of_a_hint() -> None:
    puzzle = load("bird-1")
    open_, proven = Outcome(status=Status.UNKNOWN, lower_bound=(1,)), (24,)
    for outcome, text in (
        (Outcome(status=Status.UNKNOWN), "An unknown number of moves to the goal. The file expects 24 slides."),
        (open_, "At least 1 slide to the goal. The file expects 24 slides."),
        (Outcome(status=Status.OPTIMAL, lower_bound=proven, upper_bound=proven), "24 slides to the goal."),
        (Outcome(status=Status.UNSOLVABLE), "There is no way to the goal from here."),
    ):
        told = answers.hint_json(Answer(puzzle, "slides", outcome, 0.0), begun=False)
        assert (told["text"], told["settled"]) == (text, outcome.status.proven)
    told = answers.hint_json(Answer(puzzle, "slides", open_, 0.0), begun=True)
    assert told["text"] == "At least 1 slide to the goal."


def test_a_plan_that_is_not_proven_shortest_is_advised_with_bounds() -> None:
    puzzle = load("bird-2")
    solution = solve(puzzle, "bfs")
    assert solution.plan is not None
    outcome = replace(solution.outcome, status=Status.FEASIBLE, lower_bound=(8,), plan=solution.plan)
    answer = Answer(puzzle, "slides", outcome, 0.0)
    told = answers.hint_json(answer, begun=False)
    assert (answer.distance, told["settled"], told["text"][:28]) == (None, False, "8 to 10 slides to the goal. ")
    (move, text), (slide,) = (solution.plan.moves[0], solution.notation[0]), told["slides"]
    assert isinstance(move, Slide)
    assert (slide, told["moves"]) == ((move.cell, move.end), [text])


def test_what_fails_is_told(runs: Runs) -> None:
    puzzle = load("jugs-3-5")
    begin = partial(Background, work.checking(puzzle, "moves", "pour it out", None), Budget(memory_mib=1024))
    run = ended(runs.start("check", "check", "claim", (), puzzle, "moves", begin))
    assert isinstance(run.answer, Verification)
    assert run.answer.verdict is Verdict.INVALID


def test_custom_puzzles_are_explored_and_advised_on(runs: Runs) -> None:
    puzzle = load("jugs-3-5")
    begin = partial(Background, work.exploring(puzzle, "moves"), Budget(memory_mib=1024))
    explored = ended(runs.start("x", "x", "x", (), puzzle, "moves", begin)).answer
    assert isinstance(explored, Answer)
    assert explored.distance == Game(puzzle, "moves").hint().distance == 6


def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from budge.studio.server import Settings, serve

    for name in [name for name in sys.modules if name.startswith(("starlette", "budge.studio.service"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    with pytest.raises(UsageError, match=re.escape("pip install 'budge[studio]'")):
        serve(Settings(tmp_path, 4, 60.0, 1024), print)


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    from budge.studio.server import Settings, serve

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot be used"):
            serve(Settings(tmp_path, 4, 60.0, 1024, port=taken.getsockname()[1]), print)
