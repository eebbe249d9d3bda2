"""An engine from outside the package, taken through the command line. Read this to write one of your own.

An engine is a function and a record:

1.  The function takes a task, a budget, a listener and its own options, and gives an outcome. It reads the task and
    nothing else: facts, operators, an initial state and a goal (`budge.models.task`).
2.  It makes a `Recorder`, and tells it what it proves (`raise_bound`), what it finds (`found`) and what it counts
    (`stats`). The recorder tells the listener and makes the outcome.
3.  It asks `budget.stopped()` often, and ends with `record.stopped(reason)` when there is a reason: the time is over,
    or the user has pressed Ctrl-C. What it has proven and found by then is kept.
4.  The record says how it is called, which options it has, and what is special about it; `register` adds it. An
    installed package names the record in its entry points instead:

        [project.entry-points."budge.engines"]
        toy = "this_module:TOY"

Nothing else is to be done. Its plans are replayed by the rules of the puzzle's family, so an engine that is wrong is
found out: here, and by `budge compare` and `budge verify`, which run it beside the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from itertools import count

import pytest
from budge import Budget, Status, load, load_text
from budge.cli import main
from budge.engines import table
from budge.engines.engine import Engine, Option, PlotStyle, PortfolioRole, TaskKind
from budge.engines.table import line_up
from budge.models.errors import UsageError
from budge.models.families import families
from budge.models.plan import Plan, apply
from budge.models.task import Operator, OperatorTask
from budge.runtime.events import Progress, silent
from budge.runtime.outcome import Outcome, Recorder
from budge.workflows.solving import solve

from ..helpers.patience import until_bound

# The engine


def deepening(task: OperatorTask, budget: Budget, progress: Progress = silent, order: str = "given") -> Outcome:
    """Depth-first search below a limit of 0, 1, 2, ... steps: the first plan that it finds is a shortest one.

    `order`: in which order operators are tried, as they are "given" or "reversed".
    """
    record = Recorder(budget, progress, nodes=0)
    if done := record.trivial(task):  # the initial state is a goal, or there is no operator
        return done
    if not task.uniform or task.compound_moves or task.walker:
        raise UsageError("the engine `toy` needs operators that all cost one, and neither a walker nor compound moves")
    operators = task.operators if order == "given" else task.operators[::-1]
    record.encoded()  # what comes now counts as solving
    for limit in count(1):
        record.raise_bound(limit, f"toy: no plan of {limit - 1} {task.metric[0]}", nodes=int(record.stats["nodes"]))
        try:
            steps = _plan_within(frozenset(task.init), limit, task, operators, record)
        except TimeoutError as reason:
            return record.stopped(str(reason))
        if steps is not None:
            return record.optimal(Plan.of(steps), (limit,), f"toy: no plan of {limit - 1} {task.metric[0]}")
    raise AssertionError("count() has no end")


def _plan_within(
    state: frozenset[int], limit: int, task: OperatorTask, operators: Sequence[Operator], record: Recorder
) -> list[Operator] | None:
    """A plan of at most `limit` steps from a state, if there is one. Raises `TimeoutError` beyond the budget."""
    record.count(nodes=1)
    if task.holds(state):
        return []
    if reason := record.budget.stopped():
        raise TimeoutError(reason)
    for op in operators:
        if limit and state.issuperset(op.pre):
            rest = _plan_within(apply(state, op), limit - 1, task, operators, record)
            if rest is not None:
                return [op, *rest]
    return None


TOY = Engine(
    name="toy",
    solve=deepening,
    title="Toy",
    sentence="iterative deepening as in the textbook, for tests",
    options=(Option("order", str, "given", "in which order operators are tried", choices=("given", "reversed")),),
    role=PortfolioRole("search", {TaskKind.ONE_GOAL: 3}),  # the portfolio may use it, after `bfs` and `idastar`
    style=PlotStyle("#123456", "2", duel="search"),
)


@pytest.fixture
def _alone() -> Iterator[None]:
    """Leaves the table of engines as it was."""
    yield
    table.ENGINES.pop(TOY.name, None)


@pytest.fixture
def _registered(_alone: None) -> None:
    table.register(TOY)


BOARD = "format: 1\nfamily: rush-hour\nmetric: steps\nboard: |\n  AAB.\n  ..B.\n  ....\n"
"""B has to go two cells down, or A cannot get out: A takes two steps then."""


@pytest.fixture
def board(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("toy") / "board.yaml"
    path.write_text(BOARD)
    return str(path)


# Through the command line


@pytest.mark.usefixtures("_registered")
def test_solve(board: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", board, "--engine", "toy", "--order", "reversed", "--json"]) == 0
    *events, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert [event["lower_bound"] for event in events if event["type"] == "bound"] == [1, 2, 3]
    assert [event["cost"] for event in events if event["type"] == "plan"] == [3]
    assert {event["engine"] for event in events} == {"toy"}
    assert (result["status"], result["cost"], result["lower_bound"]) == ("optimal", 3, 3)
    assert result["lower_bound_by"] == "toy: no plan of 2 steps"
    assert result["stats"]["nodes"] > 0
    assert main(["solve", board, "--order", "given", "--quiet"]) == 0  # the option says which engine is meant
    assert "engine       toy\n" in capsys.readouterr().out


@pytest.mark.usefixtures("_registered")
def test_its_option_is_explained_and_checked(board: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["solve", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "toy: in which order operators are tried: given, reversed (default given)" in told
    assert main(["solve", board, "--engine", "toy", "--order", "givn"]) == 2
    assert "no order `givn`; did you mean `given`?" in capsys.readouterr().err
    assert main(["solve", board, "--engine", "bfs", "--order", "given"]) == 2
    assert "`--order` is for `toy`; this run uses `bfs`" in capsys.readouterr().err


@pytest.mark.usefixtures("_registered")
def test_a_limit_leaves_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    budget = Budget()
    outcome = solve(load("bird-1"), "toy", "steps", budget, until_bound(budget, 2)).outcome
    assert (outcome.status, outcome.stopped_by) == (Status.UNKNOWN, "time limit")
    assert outcome.lower_bound
    assert 1 < outcome.lower_bound[0] <= 34
    assert main(["solve", "bird-1", "--engine", "toy", "--metric", "steps", "--time-limit", "0.5", "--json"]) == 3
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["status"], result["stopped_by"]) == ("unknown", "time limit")
    assert main(["solve", "microban-001", "--engine", "toy"]) == 2
    assert "neither a walker" in capsys.readouterr().err


@pytest.mark.usefixtures("_registered")
def test_compare(board: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", board, "microban-001", "--engines", "toy,bfs,bird", "--json"]) == 0
    *rows, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(row["engine"], row["status"]) for row in rows] == [
        ("toy", "optimal"),
        ("bfs", "optimal"),
        ("bird", "feasible"),
        ("toy", "unsupported"),
        ("bfs", "optimal"),
    ]
    assert rows[0]["history"][-1][1:] == [[3], [3]]
    assert result["disagreements"] == result["errors"] == []


@pytest.mark.usefixtures("_registered")
def test_verify(board: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", board, "--claim", "3", "--engines", "toy"]) == 0
    assert "proven: 3 steps is optimal, by toy" in capsys.readouterr().out
    assert main(["verify", board, "--claim", "2", "--engines", "toy"]) == 1


def test_what_engines_are_warmed_up_with_is_short() -> None:
    """Before a run is measured its engine solves the sample of the family: this one takes minutes beyond some steps."""
    for family in families().values():
        puzzle = load_text(family.sample)
        for metric in puzzle.metrics:
            assert max(solve(puzzle, "plain", metric).outcome.upper_bound or ()) <= 7


# From Python


def test_without_being_registered() -> None:
    solution = solve(load_text(BOARD), TOY, order="reversed")
    assert solution.outcome.status is Status.OPTIMAL
    assert (solution.engine, solution.cost) == ("toy", 3)


@pytest.mark.usefixtures("_registered")
def test_its_place_in_the_portfolio() -> None:
    search = line_up(TaskKind.ONE_GOAL, tuple(table.ENGINES.values()))[0]
    assert [engine.name for engine in search] == ["bfs", "idastar", "toy"]


def test_a_name_belongs_to_one_engine() -> None:
    with pytest.raises(UsageError, match="there is an engine `bfs` already"):
        table.register(Engine(name="bfs", solve=deepening))


@pytest.mark.usefixtures("_alone")
def test_an_entry_point_is_found_when_its_name_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def installed(group: str) -> list[EntryPoint]:
        looked.append(group)
        return [EntryPoint("toy", f"{__name__}:TOY", group)]

    monkeypatch.setattr(table, "entry_points", installed)
    monkeypatch.setattr(EntryPoint, "load", lambda self: TOY)
    assert solve(load("bird-2"), "bfs").cost == 10
    assert not looked
    assert solve(load_text(BOARD), "toy").cost == 3
    assert looked == ["budge.engines"]


@pytest.mark.usefixtures("_alone")
def test_an_option_of_an_installed_engine_is_found(
    board: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "entry_points", lambda group: [EntryPoint("toy", f"{__name__}:TOY", group)])
    monkeypatch.setattr(EntryPoint, "load", lambda self: TOY)
    assert main(["solve", board, "--order", "given", "--quiet"]) == 0
    assert "engine       toy\n" in capsys.readouterr().out


@pytest.mark.parametrize("broken", [None, ImportError("no module")])
def test_an_installed_engine_that_cannot_be_used_is_told(
    broken: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_it(self: EntryPoint) -> object:
        if broken:
            raise broken
        return "no record"

    monkeypatch.setattr(table, "entry_points", lambda group: [EntryPoint("toy", "toys:TOY", group)])
    monkeypatch.setattr(EntryPoint, "load", load_it)
    with pytest.raises(UsageError, match=r"`toy` \(toys:TOY\)"):
        solve(load("bird-2"), "toy")
