"""A family from outside the package (`jugs.py`) through every command: nothing else in Budge knows it.

CONTRIBUTING shows these two files to people who want to add a family.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from budge import Plan, PuzzleError, ReplayError, Status, UsageError, load_text, solve
from budge.cli import main
from budge.encoders.exports.model_files import to_json
from budge.models import families
from budge.models.errors import BudgeError
from budge.models.families import FAMILIES, family_of, register
from budge.models.moves import Metric, Move, Slide, Unit

from ..helpers import jugs
from ..helpers.jugs import Pour

THREE_JUGS = """\
format: 1
family: jugs
name: Three jugs
capacity: [8, 5, 3]
start: [8, 0, 0]
goal: 4
expect: {cost: 6}
"""
PLAN = ["A>B", "B>C", "C>A", "B>C", "A>B", "B>C"]


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    register(jugs.FAMILY)
    yield
    FAMILIES.pop("jugs", None)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "three-jugs.yaml"
    path.write_text(THREE_JUGS)
    return str(path)


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The last JSON object that was printed."""
    last: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return last


def test_check_and_show(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", file]) == 0
    assert "Three jugs (Jugs)" in capsys.readouterr().out
    assert main(["check", file, "--stats"]) == 0
    assert "19 facts" in capsys.readouterr().out
    assert main(["show", file]) == 0
    shown = capsys.readouterr().out
    assert "A ########\nB .....\nC ..." in shown
    assert "goal: a jug holds 4" in shown


@pytest.mark.parametrize("engine", ["auto", "cp-sat", "csp", "bfs", "astar", "idastar"])
def test_every_engine_that_reads_tasks_solves_it(engine: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", file, "--engine", engine, "--json", "--quiet"]) == 0
    found = result(capsys)
    assert (found["status"], found["cost"], found["costs"]) == ("optimal", 6, {"pours": 6})


def test_solve_for_people(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", file, "--engine", "bfs", "--boards", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert " ".join(PLAN) in said
    assert "1. A>B" in said
    assert "A ###....." in said
    assert "cost         6 pours" in said
    puzzle = load_text(THREE_JUGS.replace("goal: 4", "goal: 5"))
    assert puzzle.unit("pours").counted(1) == "1 pour"


def test_compare(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", file, "--engines", "bfs,cp-sat", "--json", "--quiet"]) == 0
    *rows, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(row["engine"], row["cost"], row["plan"] is not None) for row in rows] == [
        ("bfs", [6], True),
        ("cp-sat", [6], True),
    ]
    assert not last["disagreements"]


def test_verify(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(" ".join(PLAN))
    assert main(["verify", file, "--plan", str(plan), "--engines", "bfs", "--json", "--quiet"]) == 0
    assert result(capsys)["verdict"] == "optimal"
    plan.write_text("A>B B>C B>A C>C A>B")
    assert main(["verify", file, "--plan", str(plan), "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "move 4 (`C>C`): nothing can be poured from C to C" in said
    assert "the position after move 3:\nA #####...\nB .....\nC ###" in said
    plan.write_text("A>B left")
    assert main(["verify", file, "--plan", str(plan), "--quiet"]) == 1
    assert "step 2 (`left`) is no pour; write two of A B C, as `A>B`" in capsys.readouterr().out


def test_export(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", file, "--to", "litres"]) == 0
    assert capsys.readouterr().out == "Three jugs: 8 5 3\n"
    assert main(["export", file, "--to", "json"]) == 0
    task = json.loads(capsys.readouterr().out)
    assert task["operators"][0]["move"] == {"kind": "pour", "source": 0, "target": 1}
    assert main(["export", file, "--to", "dimacs", "--horizon", "6"]) == 0
    assert capsys.readouterr().out.startswith("c ")
    assert main(["export", file, "--to", "xsb"]) == 2
    assert "only Sokoban can be written as xsb, not jugs" in capsys.readouterr().err


def test_explore_and_hint(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hardest = tmp_path / "hardest.yaml"
    assert main(["explore", file, "--hardest", str(hardest), "--json", "--quiet"]) == 0
    distances = result(capsys)["distances"]
    assert isinstance(distances, list)
    assert main(["solve", str(hardest), "--engine", "bfs", "--json", "--quiet"]) == 0
    assert result(capsys)["cost"] == len(distances) - 1
    assert main(["hint", file, "--json", "--quiet"]) == 0
    assert result(capsys)["moves"] == ["A>B"]


def test_what_is_wrong_with_a_file() -> None:
    text = THREE_JUGS.replace("[8, 0, 0]", "[8, 0]").replace("goal: 4", "gaol: 4").replace("[8, 5, 3]", "[8, 5, x]")
    with pytest.raises(PuzzleError) as caught:
        load_text(text)
    assert [problem.message for problem in caught.value.problems] == [
        "`capacity` must be a whole number, not `x`",
        "unknown key `gaol` in a puzzle",
    ]


def test_an_engine_that_reads_another_view_says_so(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", file, "--engine", "bird"]) == 2
    assert "bird" in capsys.readouterr().err


# What holds for every family


@pytest.mark.parametrize("name", ["jugs", "rush-hour", "sliding-block", "n-puzzle", "sokoban"])
def test_a_record_is_whole(name: str) -> None:
    """The sample loads, is solved at once, and its plan is read back; each required key is required."""
    family = family_of(name)
    assert family is not None
    for metric in family.metric_names:
        solution = solve(load_text(family.sample), "bfs", metric)
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.replay is not None
        assert set(solution.replay.costs) == {part for m in family.metrics for part in m.components}
        plan = solution.outcome.plan
        assert plan is not None
        assert all(isinstance(move, family.moves) for move in plan.moves)
        puzzle = solution.puzzle
        assert puzzle.parse_plan(puzzle.plan_text(solution.replay)) == plan
        assert load_text(puzzle.to_yaml()).value == puzzle.value
    for key in family.keys:
        if key.required:
            lines = family.sample.splitlines(keepends=True)
            start = next(i for i, line in enumerate(lines) if line.startswith(f"{key.name}:"))
            end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith(" ")), len(lines))
            with pytest.raises(PuzzleError, match=f"needs the key `{key.name}`"):
                load_text("".join(lines[:start] + lines[end:]))
    for text in (family.title, family.sentence, *(key.help for key in family.keys)):
        assert text


def test_a_replay_error_knows_the_move_and_the_position() -> None:
    puzzle = load_text(THREE_JUGS)
    with pytest.raises(ReplayError) as caught:
        puzzle.replay(Plan((Pour(0, 1), Pour(0, 1))))
    error = caught.value
    assert (error.move_number, error.notation) == (2, None)
    assert error.position == ("A ###.....", "B #####", "C ...")
    assert str(error) == "move 2: nothing can be poured from A to B"
    again = pickle.loads(pickle.dumps(error.named("A>B")))
    assert str(again) == "move 2 (`A>B`): nothing can be poured from A to B"
    assert again.position == error.position
    with pytest.raises(ReplayError, match="is no move of this family") as caught:
        puzzle.replay(Plan((Slide((0, 0), "R"),)))
    assert caught.value.move_number == 1


# Moves


def test_moves_are_values() -> None:
    assert Pour(0, 1) == Pour(0, 1) != Pour(1, 0)
    assert len({Pour(0, 1), Pour(0, 1), Slide((0, 1), "R")}) == 2
    assert pickle.loads(pickle.dumps(Pour(0, 1))) == Pour(0, 1)
    assert Slide((2, 3), "R").then(Slide((2, 4), "D")) == Slide((2, 3), "RD")
    for first in (Pour(0, 1), Slide((0, 0), "R")):
        with pytest.raises(TypeError, match="join"):
            first.then(Pour(1, 2))


def test_moves_in_json() -> None:
    task = load_text(THREE_JUGS).task("pours")
    silent = replace(task, operators=tuple(replace(op, move=None) for op in task.operators))
    assert {op["move"]["kind"] for op in json.loads(to_json(task))["operators"]} == {"pour"}
    assert {op["move"] for op in json.loads(to_json(silent))["operators"]} == {None}
    assert Plan.of(silent.operators) == Plan(())


# The registry


def test_two_families_of_one_name_are_an_error() -> None:
    register(jugs.FAMILY)  # the same one again is none
    with pytest.raises(UsageError, match="two families with the name `jugs`"):
        register(replace(jugs.FAMILY, title="Other jugs"))
    with pytest.raises(UsageError, match="the families jugs and pitchers both name their moves `pour`"):
        register(replace(jugs.FAMILY, name="pitchers", moves=type("Pour", (Move,), {"kind": "pour"})))
    assert "pitchers" not in FAMILIES


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """The entry point `jugs = ...` of a distribution, in place of a registered family."""
    FAMILIES.pop("jugs")
    entry = EntryPoint("jugs", request.param, families.ENTRY_POINTS)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] if group == entry.group else [])
    families._load_entry_points.cache_clear()
    yield
    families._load_entry_points.cache_clear()


@pytest.mark.parametrize("_installed", [f"{jugs.__name__}:FAMILY"], indirect=True)
@pytest.mark.usefixtures("_installed")
def test_a_family_of_another_distribution_is_found_by_its_entry_point() -> None:
    assert "jugs" not in FAMILIES
    assert load_text(THREE_JUGS).family == "jugs"


@pytest.mark.parametrize(
    ("_installed", "message"),
    [
        (f"{jugs.__name__}:read", f"the entry point `jugs` ({jugs.__name__}:read) is no family, but a function"),
        ("no_jugs:FAMILY", "the family `jugs` (no_jugs:FAMILY) cannot be loaded: ModuleNotFoundError"),
    ],
    indirect=["_installed"],
)
@pytest.mark.usefixtures("_installed")
def test_a_broken_entry_point_is_named(message: str) -> None:
    with pytest.raises(BudgeError) as caught:
        load_text(THREE_JUGS)
    assert message in str(caught.value)


def test_a_metric_has_one_or_two_components() -> None:
    one, two, three = Unit("a", "as"), Unit("b", "bs"), Unit("c", "cs")
    assert Metric((one, two)).name == "as,bs"
    with pytest.raises(UsageError, match="at most 2, not 3: `as,bs,cs`"):
        Metric((one, two, three))
    with pytest.raises(UsageError, match="not 0"):
        Metric(())
