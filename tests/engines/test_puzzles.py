"""Every shipped puzzle is what its file says: read, grounded, solved by search, and its `expect` proven."""

from __future__ import annotations

import pytest
from budge import Budget, Status, load
from budge.models.library import shipped
from budge.models.task import OperatorTask
from budge.workflows.solving import solve

NAMES = list(shipped())
SLOW_SEARCH = frozenset(
    {
        "custom/folding-14",
        "custom/lights-out",
        "custom/pocket-cube",
        "custom/ricochet-robots-moon",
        "custom/rubiks-cube-2x2x2",
        "rush_hour/uva-9x9",
        "sokoban/microban-099",
        "sokoban/microban-111",
        "sokoban/microban-123",
        "sokoban/xsokoban-01",
    }
)
"""Puzzles whose breadth-first search takes some seconds and a gigabyte or more."""

INFORMED_SEARCH = {
    "custom/rubiks-cube-six-spots": "bidirectional",
    "sokoban/xsokoban-01": "astar",
    "sokoban/xsokoban-38": "astar",
    "sokoban/xsokoban-78": "astar",
    "custom/folding-14": "astar",
    **{name: "astar" for name in NAMES if name.startswith(("custom/labyrinth-", "custom/snowman-"))},
    **{name: "idastar" for name in NAMES if name.startswith("n_puzzle/korf-")},
}
"""Puzzles that take a search with a heuristic; breadth-first search cannot finish most of them in memory."""

BEYOND_SEARCH = frozenset({"rush_hour/uva-12x12", "custom/peg-solitaire", *INFORMED_SEARCH}) - SLOW_SEARCH
"""Puzzles that breadth-first search cannot finish in memory. CP-SAT proves the 12x12 board (in the slow run)."""

DIFFERENT_COSTS = frozenset({("custom/bridge-and-torch", "minutes"), ("custom/pocket-cube", "turns")})
"""Puzzles whose steps differ in cost, which are beyond CP-SAT."""

SLOW_CP_SAT = frozenset(
    {
        "custom/flood-8x8",
        "custom/folding-14",
        "custom/ricochet-robots-moon",
        "custom/rubiks-cube-2x2x2",
        "custom/rubiks-cube-six-spots",
        "custom/snowman-garden",
        "custom/snowman-twins",
        "custom/snowman-two-rooms",
        "custom/sokoban-on-ice",
        "rush_hour/uva-12x12",
        "sliding_block/dragon-bridge",
        "sliding_block/grab-the-key",
        "sliding_block/mas-puzzle",
        "sliding_block/taking-out-the-trash",
        "sokoban/microban-071",
    }
)
"""Puzzles with short plans that CP-SAT takes long to prove shortest."""

LONG = 25
"""Plans of more steps than this are proven by CP-SAT in the slow run only..."""

BEYOND_CP_SAT = 60
"""...and of more than this not at all in the tests, but for Rush Hour."""


def expected(name: str) -> list[tuple[str, tuple[int, ...] | None]]:
    expect = load(name).header.expect
    if expect.unsolvable:
        return [(load(name).header.metric, None)]
    return list(expect.costs.items())


def check(name: str, engine: str, metric: str, cost: tuple[int, ...] | None) -> None:
    solution = solve(load(name), engine, metric, Budget(3600.0))
    assert solution.contradicts is None
    if cost is None:
        assert solution.outcome.status is Status.UNSOLVABLE
    else:
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.outcome.upper_bound == solution.outcome.lower_bound == cost


CASES = [(name, metric, cost) for name in NAMES for metric, cost in expected(name)]
QUICK_CASES = [case for case in CASES if case[0] not in SLOW_SEARCH | BEYOND_SEARCH]


@pytest.mark.weekly
@pytest.mark.parametrize("name", NAMES)
def test_file_says_what_it_expects(name: str) -> None:
    header = load(name).header
    assert header.expect.costs or header.expect.unsolvable
    assert header.credit or header.author or header.notes
    for metric in load(name).metrics:
        form = load(name).form(metric)
        if isinstance(form, OperatorTask):
            form.validate()


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric", "cost"), QUICK_CASES)
def test_search(name: str, metric: str, cost: tuple[int, ...] | None) -> None:
    check(name, "bfs", metric, cost)


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric", "cost"), [c for c in CASES if c[0] in INFORMED_SEARCH])
def test_informed_search(name: str, metric: str, cost: tuple[int, ...] | None) -> None:
    check(name, INFORMED_SEARCH[name], metric, cost)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metric", "cost"), [c for c in CASES if c[0] in SLOW_SEARCH])
def test_slow_search(name: str, metric: str, cost: tuple[int, ...] | None) -> None:
    check(name, "bfs", metric, cost)


def quick(name: str, cost: tuple[int, ...]) -> bool:
    return cost[0] <= LONG and name not in SLOW_CP_SAT


CP_SAT_CASES = [
    (name, metric, cost)
    for name, metric, cost in CASES
    if cost is not None
    and (name, metric) not in DIFFERENT_COSTS
    and (cost[0] <= BEYOND_CP_SAT or name.startswith("rush_hour/"))
]


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric", "cost"), [c for c in CP_SAT_CASES if quick(c[0], c[2])])
def test_cp_sat(name: str, metric: str, cost: tuple[int, ...]) -> None:
    check(name, "cp-sat", metric, cost)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metric", "cost"), [c for c in CP_SAT_CASES if not quick(c[0], c[2])])
def test_cp_sat_on_long_plans(name: str, metric: str, cost: tuple[int, ...]) -> None:
    """Within ten minutes each: an answer that is not proven by then is a limit, and said to be one."""
    solution = solve(load(name), "cp-sat", metric, Budget(600.0))
    assert solution.contradicts is None
    if solution.outcome.status is not Status.OPTIMAL:
        pytest.skip(f"bound {solution.outcome.lower_bound} after ten minutes")
