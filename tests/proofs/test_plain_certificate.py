"""The certificate of plain search is checked by the definition, and what is no proof is refused."""

from __future__ import annotations

import pytest
from budge import Budget, Status, load
from budge.engines.plain import engine
from budge.engines.plain.engine import Position, certified, check
from budge.models.errors import DisagreementError
from budge.models.moves import Cost
from budge.models.task import OperatorTask

from ..helpers.patience import PATIENCE

KINDS = [
    ("bird-2", "slides"),
    ("microban-003", "pushes"),
    ("microban-003", "moves"),
    ("microban-003", "pushes,moves"),
    ("sliding_block/simplicity", "moves"),  # compound moves
]

Costs = dict[Position, Cost]


def written(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> tuple[OperatorTask, Costs, Cost | None]:
    """What plain search hands over to be checked."""
    kept: list[tuple[OperatorTask, Costs, Cost | None]] = []

    def keep(task: OperatorTask, costs: Costs, least: Cost | None, budget: Budget) -> int | None:
        kept.append((task, costs, least))
        return check(task, costs, least, budget)

    monkeypatch.setattr(engine, "check", keep)
    outcome = certified(load(name).task(metric), Budget(), PATIENCE)
    assert outcome
    assert "certificate checked" in outcome.lower_bound_by
    return kept[0]


@pytest.mark.parametrize(("name", "metric"), KINDS)
def test_changed_certificates_are_refused(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task, costs, least = written(name, metric, monkeypatch)
    assert least
    assert check(task, costs, least, Budget())
    start, *others = costs
    inner = next(one for one in others if costs[one] < least)
    dearer = {**costs, inner: tuple(part + 1 for part in least)}
    changes: dict[str, Costs] = {
        "begin": {one: cost for one, cost in costs.items() if one != start},
        "lacks": {one: cost for one, cost in costs.items() if one != inner},
        "a state that costs": dearer,
    }
    for told, changed in changes.items():
        with pytest.raises(DisagreementError, match=told):
            check(task, changed, least, Budget())
    more = tuple(part + (i == 0) for i, part in enumerate(least))
    with pytest.raises(DisagreementError):  # no proof of more than the optimum
        check(task, costs, more, Budget())


def test_what_proves_that_there_is_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    task, costs, least = written("unsolvable-lane", "slides", monkeypatch)
    assert least is None

    def without(gone: Position) -> Costs:
        return {one: cost for one, cost in costs.items() if one != gone}

    for gone in list(costs)[1::40]:
        with pytest.raises(DisagreementError):
            check(task, without(gone), None, Budget())
    solvable, states, _ = written("bird-2", "slides", monkeypatch)
    with pytest.raises(DisagreementError):
        check(solvable, states, None, Budget())


def test_nothing_is_certified_that_is_not_proven_or_not_checked() -> None:
    assert certified(load("heng-dao-li-ma").task("moves"), Budget(), 0.05) is None
    task = load("bird-2").task("slides")
    stopped = Budget()
    stopped.interrupted.set()
    assert check(task, {(frozenset(task.init), 0): (0,)}, (1,), stopped) is None
    solved = load("seven-36").task("moves")
    done = certified(solved, Budget(), PATIENCE)
    assert done
    assert done.status is Status.OPTIMAL
