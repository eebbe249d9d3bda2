"""Analyses and engines declare which forms of tasks they understand: the page says the same, and no other is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from types import CodeType, FrameType
from typing import Any

import pytest
from budge import Budget, Status, load, load_text
from budge.analysis.heuristic import Heuristic
from budge.cli import main
from budge.engines.engine import Engine
from budge.engines.table import ENGINES
from budge.models.errors import UsageError
from budge.models.families.custom.programs.task import programs
from budge.models.program import ProgramTask
from budge.models.task import Costs, Form, OperatorTask, Task, operator

from ..helpers.analyses import ANALYSES, Analysis, table

PAGE = Path(__file__).parents[2] / "docs" / "analyses.md"

TYPES = {
    "Task": {Form.OPERATORS, Form.PROGRAMS},
    "OperatorTask": {Form.OPERATORS},
    "ProgramTask": {Form.PROGRAMS},
    "ConditionalEffects": {Form.EFFECTS},
}
"""The forms by the type that the type checker demands."""

FLIPS = """\
format: 1
family: custom
types:
  place: 1..4
state:
  stack: {of: place, in: place, different: true, start: [4, 2, 1, 3]}
actions:
  flip:
    with: {n: 2..4}
    set:
      stack[p] for p in place if p <= n: stack[n + 1 - p]
    cost: PRICE
metrics:
  paid: cost
goal: all(stack[p] == p for p in place)
"""
"""Pancakes: the upper n are flipped, at a price."""


def entry_of(analysis: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = resolve_name(f"budge.{analysis.entry}")
    return found


def test_the_page_has_the_table_of_what_is_declared() -> None:
    assert "\n".join(table()) in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.name)
def test_an_analysis_declares_the_forms_that_its_type_says(analysis: Any) -> None:
    record = Heuristic.__annotations__["empty"].removeprefix("Callable[[").split(",")[0]  # of a function without types
    words = next(iter(entry_of(analysis).__annotations__.values()), record)
    assert set(analysis.forms) == set().union(*(TYPES[word] for word in words.split(" | ")))


def form_of(task: Task) -> Form:
    return Form.PROGRAMS if isinstance(task, ProgramTask) else Form.OPERATORS


def called(work: Callable[[], object]) -> list[Analysis]:
    """The analyses that are called in the meantime."""
    known: dict[CodeType, Analysis] = {entry_of(analysis).__code__: analysis for analysis in ANALYSES}
    found: list[Analysis] = []

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in known:
            found.append(known[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


SINGLE = [engine for engine in ENGINES.values() if not engine.portfolio and engine.forms and not engine.refuses]


@pytest.mark.parametrize("engine", SINGLE, ids=lambda engine: engine.name)
@pytest.mark.parametrize("kept", [False, True], ids=["operators", "programs"])
def test_what_does_not_understand_a_form_is_not_called(engine: Engine, kept: bool) -> None:
    puzzle = load("pancakes-6") if kept else load("level-01")
    task = puzzle.form(puzzle.header.metric)
    assert isinstance(task, ProgramTask) is kept
    assert engine.runs(task) is (form_of(task) in engine.forms)
    if engine.runs(task):
        analyses = called(lambda: engine.run(task, Budget(60.0)))
        assert all(form_of(task) in analysis.forms for analysis in analyses)
        assert analyses or engine.name in ("plain", "bfs", "greedy")


def lines_of_costs(*costs: int) -> OperatorTask:
    """A way along facts 0, 1, 2, ..., a step for each cost."""
    steps = [operator(f"step {n}", [n], [n + 1], [n], None, (cost,)) for n, cost in enumerate(costs)]
    facts = tuple(f"at {n}" for n in range(len(costs) + 1))
    return OperatorTask("way", facts, (), tuple(steps), (0,), ((len(costs),),), ("cost",))


def agrees(costs: Costs, *prices: int) -> bool:
    """Whether these costs of steps are understood."""
    least = {Costs.ANY: True, Costs.POSITIVE: min(prices) > 0, Costs.ALIKE: len(set(prices)) == 1}
    return least.get(costs, set(prices) == {1})


@pytest.mark.parametrize("prices", [(1, 1, 1), (3, 1, 2), (2, 0, 1)], ids=str)
@pytest.mark.parametrize("engine", [one for one in SINGLE if one.reads is OperatorTask], ids=lambda engine: engine.name)
def test_an_engine_solves_operators_at_the_costs_that_it_declares(engine: Engine, prices: tuple[int, ...]) -> None:
    task = lines_of_costs(*prices)
    if not agrees(engine.forms[Form.OPERATORS], *prices):
        with pytest.raises(UsageError):
            engine.run(task, Budget(60.0))
        return
    outcome = engine.run(task, Budget(60.0))
    assert outcome.upper_bound == (sum(prices),)
    assert not engine.promises_optimum or outcome.status is Status.OPTIMAL


def flips(price: str) -> ProgramTask:
    puzzle = load_text(FLIPS.replace("PRICE", price))
    return programs(puzzle.value, next(own for own in puzzle.own_metrics or () if own.name == "paid"))


@pytest.mark.parametrize("price", ["1", "n - 1"])
@pytest.mark.parametrize("engine", [one for one in SINGLE if one.programs], ids=lambda engine: engine.name)
def test_an_engine_runs_programs_at_the_costs_that_it_declares(engine: Engine, price: str) -> None:
    task = flips(price)
    prices = [action.cost[0] for action in task.actions]
    assert (engine.refusal(task) is None) is agrees(engine.forms[Form.PROGRAMS], *prices)


@pytest.mark.parametrize("analysis", [one for one in ANALYSES if Costs.ONE in one.forms.values()], ids=lambda a: a.name)
def test_an_analysis_knows_nothing_of_costs_that_it_does_not_understand(analysis: Any) -> None:
    entry = entry_of(analysis)
    if Form.PROGRAMS in analysis.forms:
        assert isinstance(entry(flips("n - 1")), str)
        return
    from budge.analysis.plan_invariants import NOTHING_KNOWN

    assert entry(lines_of_costs(3, 1, 2), Budget()) == NOTHING_KNOWN


def test_check_says_why_programs_are_kept_and_where_to_read_what_reads_none(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "snake-12", "flood-8x8", "--stats"])
    said = capsys.readouterr().out
    assert said.count("makes more than 1,000 operators (line ") == 2
    assert said.count("what reads no programs: docs/analyses.md") == 2
    main(["check", "level-01", "--stats"])
    assert "programs" not in capsys.readouterr().out
