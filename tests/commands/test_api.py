"""The public functions as people call them: what is accepted, what is refused, how values show themselves."""

from __future__ import annotations

import base64
import gzip
import io
import json
import pydoc
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.models import display
from budge.models.moves import plain_cost
from budge.views.shapes import script

from ..helpers.browser import opened
from ..helpers.page_checker import Checker
from ..helpers.patience import PATIENCE

TEXT = "format: 1\nfamily: rush-hour\nname: Two in the way\nboard: |\n  AA.B\n  ...B\n  ....\n"


# What stands for a puzzle


def test_names_paths_texts_and_puzzles(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(TEXT)
    puzzle = budge.load_text(TEXT)
    for value in (TEXT, file, str(file), puzzle):
        solution = budge.solve(value, "bfs")
        assert (solution.status, solution.cost) == (budge.Status.OPTIMAL, 2)
    assert budge.as_puzzle(puzzle) is puzzle
    assert budge.as_puzzle("bird-2").header.name == "Bird's second grid"


@pytest.mark.parametrize("value", [3, None, b"bird-1", ["bird-1"], {"rush-hour"}, budge.Budget()])
def test_nothing_else_stands_for_a_puzzle(value: Any) -> None:
    for function in (budge.as_puzzle, budge.solve, budge.solve_iter, budge.verify, budge.explore, budge.hint):
        with pytest.raises(TypeError, match=rf"a puzzle is needed: .* of the type {type(value).__name__}$"):
            function(value)


def test_what_does_not_exist() -> None:
    with pytest.raises(budge.UsageError, match="no shipped puzzle `bird-9`"):
        budge.solve("bird-9")
    with pytest.raises(budge.PuzzleError, match="cannot"):
        budge.solve(Path("nowhere.yaml"))
    with pytest.raises(budge.UsageError, match="no engine `bfz`; did you mean `bfs`"):
        budge.solve("bird-1", "bfz")


# Wrong types

ANY: Any = budge
"""The package as those see it who use no type checker."""


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ANY.solve("bird-2", 3), TypeError, "`engine` is the name of an engine or an Engine, not int"),
        (lambda: ANY.solve("bird-2", metric=3), TypeError, "`metric` is a text, not int"),
        (lambda: ANY.puzzles(5), TypeError, "`text` is a text, not int"),
        (lambda: ANY.puzzles(family=5), TypeError, "`family` is a text, not int"),
        (lambda: ANY.puzzles(optimum=5), TypeError, r"`optimum` is two numbers such as \(4, 6\), not int"),
        (lambda: ANY.puzzles(optimum=("a", 3)), TypeError, "`optimum` is a whole number, not str"),
        (lambda: ANY.puzzles(optimum=(5, 3)), ValueError, "`optimum` is the least and the most, and 5 is more than 3"),
        (lambda: ANY.compare("bird-2", [5]), TypeError, "`engines` is a list of names, and int .5. is not a name"),
        (lambda: ANY.batch("bird-2", "never", 5), TypeError, "`engines` is a list of names, or one alone, not int"),
        (
            lambda: ANY.batch("bird-2", "never", metrics=[5]),
            TypeError,
            "`metrics` is a list of names, and int .5. is not a name",
        ),
        (lambda: ANY.batch("bird-2", "never", label=5), TypeError, "`label` is a text, not int"),
        (lambda: ANY.batch("bird-2", "never", seeds=["x"]), TypeError, "`seeds` is a whole number, not str"),
        (lambda: ANY.export("bird-2", 5), TypeError, "`to` is a text, not int"),
        (lambda: ANY.export("bird-2", None), TypeError, "`to` is a text, not NoneType"),
        (lambda: ANY.export("bird-2", "lp", horizon="x"), TypeError, "`horizon` is a whole number, not str"),
        (lambda: ANY.export("bird-2", "lp", steps=5), TypeError, "`steps` is a text, not int"),
        (lambda: ANY.convert("never", "never", form=5), TypeError, "`form` is a text, not int"),
        (lambda: ANY.convert("never", "never", form="xbs"), budge.UsageError, "no format .* `xbs`; did you mean `xsb`"),
        (lambda: ANY.convert("never", "never", prefix=5), TypeError, "`prefix` is a text, not int"),
        (lambda: ANY.certify("bird-2", "never", evidence=None), TypeError, "`evidence` is a text, not NoneType"),
        (lambda: ANY.certify("bird-2", "never", evidence="refutatoin"), budge.UsageError, "did you mean `refutation`"),
        (lambda: ANY.generate("n-puzzle", metric=5), TypeError, "`metric` is a text, not int"),
        (lambda: ANY.solve("bird-2", time_limit=[1]), TypeError, "`time_limit` needs a number of seconds.*got list"),
        (lambda: ANY.solve("bird-2", time_limit="abc"), ValueError, "`time_limit` needs a number of sec.*got `abc`"),
        (lambda: ANY.solve("bird-2", time_limit=-1), ValueError, "`time_limit` must be more than 0"),
        (lambda: ANY.solve("bird-2", memory_limit="4 apples"), ValueError, "`memory_limit` needs a number of MiB"),
        (lambda: ANY.solve("bird-2", on_event=3), TypeError, "`on_event` is a function, not int"),
        (lambda: ANY.solve("bird-2", budget=5), TypeError, "no keyword `budget`.*did you mean `time_limit`"),
        (lambda: ANY.solve("bird-2", timelimit=5), TypeError, "no keyword `timelimit`.*did you mean `time_limit`"),
        (lambda: ANY.solve("bird-2", "bfs", strategy="x"), budge.UsageError, "`bfs` has no option `strategy`"),
        (lambda: ANY.solve_iter("bird-2", startegy="x"), TypeError, r"solve_iter\(\).*did you mean `strategy`"),
        (lambda: ANY.compare(5), TypeError, "`puzzles` is a list of puzzles, or one alone, not int"),
        (lambda: ANY.compare([5]), TypeError, "a puzzle is needed"),
        (lambda: ANY.compare("bird-2", 5), TypeError, "`engines` is a list of names, or one alone, not int"),
        (lambda: ANY.compare("bird-2", jobs="2"), TypeError, "`jobs` is a whole number, not str"),
        (lambda: ANY.compare("bird-2", jobs=0), ValueError, "`jobs` is a whole number from 1 on, not 0"),
        (lambda: ANY.generate(5), TypeError, "`family` is a text"),
        (lambda: ANY.generate("n-puzzle", size=3), TypeError, r"`size` is two numbers such as \(4, 6\), not int"),
        (lambda: ANY.generate("n-puzzle", size=(0, 3)), ValueError, "`size` is a whole number from 1 on, not 0"),
        (lambda: ANY.generate("n-puzzle", optimum=(9, 5)), ValueError, "`optimum` is the least and the most, and 9 is"),
        (lambda: ANY.generate("n-puzzle", rounds=0), ValueError, "`rounds` is a whole number from 1 on, not 0"),
        (lambda: ANY.generate("n-puzzle", seed="x"), TypeError, "`seed` is a whole number, not str"),
        (lambda: ANY.generate("n-puzzle", size=(1, 3)), budge.UsageError, "the size is from 2x2 to 8x8, not 1x3"),
        (lambda: ANY.compare("bird-2", on_row=1), TypeError, "`on_row` is a function, not int"),
        (lambda: ANY.verify("bird-2", 3), TypeError, "`plan` is a list of steps, or one alone, not int"),
        (lambda: ANY.verify("bird-2", claim=2.5), TypeError, "`claim` is a number, .* not float"),
        (lambda: ANY.explore("bird-2", time_limit={}), TypeError, "`time_limit` needs"),
        (lambda: ANY.hint("bird-2", memory_limit=True), TypeError, "`memory_limit` needs"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


# Answers


def test_a_solution_in_python() -> None:
    events: list[budge.Event] = []
    solution = budge.solve("bird-2", "bfs", time_limit="10m", memory_limit="1G", on_event=events.append)
    assert solution.status is budge.Status.OPTIMAL
    assert solution.cost == solution.lower_bound == solution.upper_bound == 10
    assert solution.plan is not None
    assert len(solution.plan.moves) == len(solution.notation) == 10
    assert solution.proof == "breadth-first search: no goal within 9 slides"
    assert solution.seconds > 0
    assert isinstance(events[-1], budge.PlanFound)


def test_a_cost_of_two_components_is_a_tuple() -> None:
    solution = budge.solve("microban-001", "bfs", "pushes,moves")
    assert solution.cost == solution.lower_bound == solution.upper_bound == (8, 33)
    assert [plain_cost(cost) for cost in (None, (3,), (3, 4))] == [None, 3, (3, 4)]


def test_a_puzzle_without_a_plan() -> None:
    solution = budge.solve("rush_hour/unsolvable", "bfs")
    assert (solution.plan, solution.cost, solution.lower_bound, solution.upper_bound) == (None, None, None, None)
    assert solution.notation == []
    assert "none of the" in solution.proof


def test_limits_are_keywords_everywhere() -> None:
    limits: dict[str, Any] = {"time_limit": "10m", "memory_limit": "1G"}
    assert budge.compare("bird-2", "bfs", **limits).rows[0].cost == 10
    assert budge.verify("bird-2", claim=10, engines="bfs", **limits).verdict is budge.Verdict.OPTIMAL
    assert budge.explore("eight-31-a", **limits).distance == 31
    assert budge.hint("bird-2", **limits).distance == 10
    assert budge.solve("bird-2", "bfs", time_limit=None, memory_limit=None).cost == 10


def test_a_time_limit_is_kept() -> None:
    solution = budge.solve("sokoban/xsokoban-78", "bfs", time_limit=0.2)
    assert solution.outcome.stopped_by == "time limit"


def test_a_plan_as_a_list_of_its_steps_is_verified() -> None:
    solution = budge.solve("bird-2", "bfs")
    for plan in (solution.plan, solution.notation, " ".join(solution.notation), tuple(solution.notation)):
        assert budge.verify("bird-2", plan, engines=[]).verdict is budge.Verdict.VALID


# The iterator of events


def test_events_come_and_the_solution_last() -> None:
    run = budge.solve_iter("bird-2", "bfs")
    events = list(run)
    assert isinstance(events[-1], budge.PlanFound)
    assert [event.lower_bound for event in events if isinstance(event, budge.LayerDone)] == [(n,) for n in range(2, 11)]
    assert (run.solution.cost, run.solution.status) == (10, budge.Status.OPTIMAL)
    assert run.solution is run.solution
    assert list(run) == []


def test_the_solution_can_be_had_before_the_events() -> None:
    run = budge.solve_iter("bird-2", "bfs")
    assert run.solution.cost == 10
    assert list(run)


def test_a_run_can_be_stopped() -> None:
    with budge.solve_iter("sokoban/xsokoban-78", "bfs", time_limit=PATIENCE) as run:
        event = next(run)
        assert event.engine == "bfs"
    assert run.solution.status is budge.Status.INTERRUPTED
    assert run.solution.outcome.stopped_by == "interrupted"
    assert list(run) == []
    run.close()  # once more does no harm


def test_a_run_that_is_forgotten_ends() -> None:
    import psutil

    others = set(psutil.Process().children())  # such as the tracker of resources that multiprocessing keeps
    run = budge.solve_iter("sokoban/xsokoban-78", "bfs", time_limit=PATIENCE)
    next(run)
    children = set(psutil.Process().children()) - others
    del run
    gone, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert gone
    assert not alive


def test_what_an_engine_raises_reaches_the_reader() -> None:
    with pytest.raises(budge.UsageError, match="the engine `bird` is for"):
        list(budge.solve_iter("microban-001", "bird"))
    with pytest.raises(budge.UsageError, match="no engine"):
        budge.solve_iter("bird-2", "bfz")


@pytest.mark.weekly
def test_a_script_without_a_guard_can_iterate(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import budge\nrun = budge.solve_iter('bird-2', 'bfs')\nlist(run)\nprint(run.solution.cost)\n")
    if sys.platform == "linux":  # elsewhere child processes import the script again, as always with `multiprocessing`
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.stdout.strip() == "10", done.stderr


# How values show themselves


@pytest.fixture(scope="module")
def values() -> list[object]:
    """One of each kind of value."""
    solution = budge.solve("bird-2", "bfs")
    long_name = TEXT.replace("Two in the way", "A name that goes on, and on <b>and</b> on, & will not end " * 4)
    found = budge.compare(["bird-2", long_name], ["bfs", "astar"], time_limit=PATIENCE)
    shown = [budge.load(name) for name in ("bird-1", "heng-dao-li-ma", "eight-31-a", "microban-001")]
    solutions = [
        solution,
        budge.solve("microban-001", "bfs", "pushes,moves"),
        budge.solve("rush_hour/unsolvable", "bfs"),
        budge.solve("servais-93", "bfs", "steps", time_limit=0.001),
        budge.solve(long_name, "bfs"),
    ]
    answers = [budge.explore("bird-2"), budge.hint("bird-2")]
    others = [budge.verify("bird-2", claim=10, engines="bfs"), solution.plan, solution.replay, found.rows[0]]
    wrong = [budge.verify("bird-2", claim=11), budge.verify("bird-2", claim="unsolvable", engines="bfs")]
    return [*shown, budge.load_text(long_name), *solutions, found, *answers, *others, *wrong]


def test_reprs_are_short_lines(values: list[object]) -> None:
    for value in values:
        assert 0 < len(repr(value)) < 200, value
        assert "\n" not in repr(value)
    shown = list(map(repr, values))
    assert shown[0] == 'RushHour("Bird\'s first grid", 6x6, 13 vehicles)'
    assert shown[1].endswith(", 4x5, 10 pieces)")
    assert shown[2] == "NPuzzle('8-puzzle, hardest position I', 3x3, 8 tiles)"
    assert shown[3] == "Sokoban('Microban 1', 6x7, 2 boxes)"
    assert shown[5].startswith('Solution(optimal, 10 slides, "Bird\'s second grid", bfs, ')
    assert shown[6].startswith("Solution(optimal, 8 pushes, 33 moves, 'Microban 1', bfs, ")
    assert shown[7].startswith("Solution(unsolvable, no plan exists, ")
    assert shown[10] == "Comparison(2 puzzles x 2 engines, 4 rows, 4 proven, all agree)"
    assert shown[11] == 'Answer(optimal, 10 slides to the goal, "Bird\'s second grid", 5,444 states)'
    assert shown[13] == "Verification(\"Bird's second grid\", 'proven: 10 slides is optimal, by bfs')"
    assert shown[15] == "Replay(10 steps, solved)"


def test_notebooks_get_html(values: list[object]) -> None:
    from budge.views.solution import status

    for value in values:
        if not isinstance(value, display.Displayed):
            continue
        text = value._repr_html_()
        assert text is not None
        seen = Checker.check(text)
        assert "table" in seen or "svg" in seen
        assert "<b>" not in text
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        if isinstance(value, budge.Solution):
            assert escape(status(value.outcome, value.puzzle.metric(value.metric))) in text
            assert seen.count("svg") == (0 if value.notation else 1)
            assert seen.count("pre") == (1 + len(value.notation) if value.notation else 0)
            assert seen.count("budge-game") == seen.count("script") == (1 if value.notation else 0)
        else:
            assert "script" not in seen
        if isinstance(value, budge.Verification):
            assert escape(value.sentence) in text
            assert ('class="verdict bad"' in text) == (value.verdict is not budge.Verdict.OPTIMAL)
        if isinstance(value, budge.Comparison):
            assert seen.count("tr") == 2 * 3


def test_the_boards_of_a_long_plan_are_kept_as_far_as_a_notebook_should(monkeypatch: pytest.MonkeyPatch) -> None:
    from budge.views import notebook

    monkeypatch.setattr(notebook, "MOST_CHARACTERS", 200)
    text = budge.solve("bird-2", "bfs")._repr_html_()
    assert text is not None
    assert 2 < Checker.check(text).count("pre") < 8
    assert "steps more: <code>budge.board_svg</code> draws them" in text


def test_a_solution_in_a_notebook_is_small_and_has_its_player_and_every_board() -> None:
    solution = budge.solve("bird-1", "bfs")
    text = solution._repr_html_()
    assert text is not None
    assert len(text.encode()) < 22_000  # 206 kB before player, style and plan were packed
    assert text.count("<figure><pre>") == 1 + len(solution.notation) == 25
    packed = re.search(r'atob\("([^"]+)"\)', text)
    assert packed is not None
    unpacked = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert list(unpacked) == ["style", "script", "plan"]
    assert unpacked["script"] == script("plan")
    assert [frame["notation"] for frame in unpacked["plan"]["frames"]] == solution.notation


@pytest.mark.parametrize("scripts", [True, False])
def test_each_solution_of_a_notebook_plays_alone_and_beside_more(chromium: Any, tmp_path: Path, scripts: bool) -> None:
    outputs = [budge.solve(name, "bfs")._repr_html_() for name in ("bird-2", "jugs-3-5")]
    for number, kept in enumerate((outputs, outputs[1:])):
        file = tmp_path / f"{number}.html"
        file.write_text(f"<!doctype html><meta charset=utf-8><button>mine</button>{''.join(map(str, kept))}", "utf-8")
        seen = opened(chromium, file, java_script_enabled=scripts)
        page, games = seen.page, seen.page.locator("budge-game")
        assert games.count() == len(kept)
        if not scripts:
            assert games.last.locator("pre").first.is_visible()
            continue
        games.last.locator("[data-do=last]").click()
        assert "6 of 6" in games.last.locator(".counter").inner_text()
        assert len(kept) == 1 or "0 of 10" in games.first.locator(".counter").inner_text()
        own = "getComputedStyle(document.querySelector('button')).borderRadius"
        assert page.evaluate(own) == "0px"  # what is not Budge's looks as it did
        assert seen.clean, (seen.requests, seen.errors)


# Tables


def test_frames() -> None:
    pytest.importorskip("pandas")
    frame = budge.compare(["bird-2", "microban-001"], ["bfs"], time_limit=PATIENCE).to_frame()
    assert list(frame["engine"]) == ["bfs", "bfs"]
    assert list(frame["cost"]) == [10, 8]
    assert list(frame["status"]) == ["optimal", "optimal"]
    pairs = budge.compare("microban-001", "bfs", "pushes,moves", time_limit=PATIENCE).to_frame()
    assert list(pairs["cost"]) == [(8, 33)]
    counts = budge.explore("eight-31-a").to_frame()
    assert (counts["from_start"].sum(), counts["from_goal"].sum()) == (181440, 181440)
    assert list(counts.index)[-1] == 31
    with pytest.raises(budge.UsageError, match="only `explore` counts states"):
        budge.hint("bird-2").to_frame()


def test_frames_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = budge.compare("bird-2", ["bfs"], time_limit=PATIENCE)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas.*pip install pandas"):
        comparison.to_frame()


# The package


def test_completion_and_help_show_what_there_is() -> None:
    assert set(budge.__all__) <= set(dir(budge))
    assert not {"Any", "TYPE_CHECKING", "annotations"} & set(dir(budge))
    for name in budge.__all__:
        assert (getattr(budge, name).__doc__ or "").strip(), name
    out = io.StringIO()
    pydoc.Helper(output=out).help(budge)
    text = out.getvalue()
    for name in budge.__all__:
        assert name in text
    assert "Find a plan, prove it shortest" in text
    with pytest.raises(AttributeError, match="no attribute 'solv'"):
        _ = budge.solv  # type: ignore[attr-defined]


def test_importing_is_light() -> None:
    code = (
        "import sys, budge; dir(budge); budge.solve; budge.load('bird-1')._repr_html_(); "
        "print([m for m in ('numba', 'ortools', 'pandas', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "[]"


# What the other commands do, and values as dictionaries


def test_a_puzzle_from_a_dictionary() -> None:
    keys = {"format": 1, "family": "rush-hour", "name": "Two: a", "board": "AA.B\n...B\n....\n", "expect": {"cost": 2}}
    puzzle = budge.load_dict(keys)
    assert puzzle.board() == ("AA.B", "...B", "....")
    assert budge.solve(keys, "bfs").cost == 2
    assert budge.load_dict(keys | {"board": ["AA.B", "...B", "...."]}).value == puzzle.value
    assert budge.load_text(puzzle.to_yaml()).value == puzzle.value
    assert {puzzle: 1}[budge.load_dict(keys)] == 1
    assert hash(puzzle) != hash(budge.load("bird-1"))
    with pytest.raises(budge.PuzzleError) as caught:
        budge.load_dict(keys | {"expect": {"cost": "two"}, "bord": 3})
    said = [(problem.line, problem.message) for problem in caught.value.problems]
    assert sorted(said) == [
        (0, "`bord`: unknown key `bord` in a puzzle"),
        (0, "`expect.cost`: `cost` must be a whole number, not `two`"),
    ]
    with pytest.raises(budge.PuzzleError, match=r"^<dict>: error: a puzzle needs the key `board`"):
        budge.load_dict({"format": 1, "family": "rush-hour"})


@pytest.mark.parametrize(
    "name", ["bird-2", "microban-001", "eight-31-a", "klotski/heng-dao-li-ma", "hanoi-8", "pocket-cube"]
)
def test_a_dictionary_is_read_as_the_file_is(name: str) -> None:
    import yaml

    puzzle = budge.load(name)
    keys = yaml.load(Path(puzzle.header.file).read_text(encoding="utf-8"), yaml.BaseLoader)

    def plain(value: Any) -> Any:  # numbers and truth values are such, as one writes them in Python
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        words = {"true": True, "false": False}
        return int(value) if value.lstrip("-").isdigit() else words.get(value, value)

    again = budge.load_dict(plain(keys))
    assert again.value == puzzle.value
    assert again.board() == puzzle.board()
    assert again.header.expect == puzzle.header.expect


def test_wrong_types_of_puzzles_have_a_message() -> None:
    load_text, load_dict = ANY.load_text, ANY.load_dict
    with pytest.raises(TypeError, match="for a dictionary there is `load_dict`"):
        load_text({"format": 1})
    with pytest.raises(TypeError, match="not a list"):
        load_dict([1])
    with pytest.raises(TypeError, match=r"no set \(in `state.at\[1\]`\)"):
        load_dict({"format": 1, "state": {"at": [1, {2}]}})
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(TypeError, match="nested more than"):
        load_dict(endless)


def test_statuses_are_their_words_and_plans_have_a_length() -> None:
    import json

    solution = budge.solve(TEXT, "bfs")
    assert solution.status == "optimal"
    assert json.dumps(solution.status) == '"optimal"'
    assert solution.plan is not None
    assert len(solution.plan) == len(list(solution.plan)) == 2
    assert budge.Plan(())
    assert len(budge.Plan(())) == 0


def test_values_as_json_are_what_the_commands_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from budge.cli import main

    file = tmp_path / "two.yaml"
    file.write_text(TEXT)
    puzzle = budge.load(file)
    pairs: list[tuple[Any, list[str]]] = [
        (budge.solve(puzzle, "bfs"), ["solve", "--engine", "bfs", "-q"]),
        (budge.hint(puzzle), ["hint", "-q"]),
        (budge.explore(puzzle), ["explore", "-q"]),
        (budge.explain(puzzle), ["explain"]),
        (budge.check(str(file)), ["check"]),
        (budge.verify(puzzle, claim=2, engines=["bfs"]), ["verify", "--claim", "2", "--engines", "bfs", "-q"]),
        (puzzle, ["show"]),
    ]
    for value, (command, *options) in pairs:
        main([command, str(file), *options, "--json"])
        printed = json.loads(capsys.readouterr().out.splitlines()[-1])
        found = json.loads(value.to_json())
        assert found.keys() == printed.keys(), command
        timed = {"seconds", "stats", "proofs", "proving_seconds"}
        assert {key: found[key] for key in found if key not in timed} == {
            key: printed[key] for key in printed if key not in timed
        }
    comparison = budge.compare(puzzle, ["bfs"])
    assert json.loads(comparison.to_json())["command"] == "compare"
    assert json.loads(comparison.rows[0].to_json())["status"] == "optimal"
    assert str(comparison).splitlines()[0].split() == ["puzzle", "metric", "engine", "status", "cost", "seconds"]


def test_listing_and_checking() -> None:
    assert list(budge.puzzles("bird-1")) == ["rush_hour/bird-1"]
    small = budge.puzzles(family="sokoban", optimum=(1, 10))
    assert small
    assert {puzzle.family for puzzle in small.values()} == {"sokoban"}
    assert budge.puzzles(family="custom", known=True).keys() <= budge.puzzles(family="custom").keys()
    assert budge.check("format: 1\nfamily: rush-hour\n").problems[0].line == 1
    assert budge.check(Path("nowhere.yaml")).problems
    with pytest.raises(budge.UsageError, match="no format `pdf`"):
        budge.export("bird-2", "pdf")
    assert b"" not in budge.export(TEXT, "dimacs", horizon=2).values()
    with pytest.raises(TypeError, match="`jobs` is a whole number"):
        ANY.batch("bird-2", "never.sqlite", jobs="2")
