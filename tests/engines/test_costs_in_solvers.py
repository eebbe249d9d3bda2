"""`cp-sat` and `csp` where operators cost differently, or nothing: against Dijkstra's algorithm, written apart."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from budge import load, solve
from budge.analysis.move_pruning import ParallelMoves
from budge.analysis.transformed_tasks import with_cost_layers
from budge.engines.cp_sat.engine import solve as solve_by_horizons
from budge.engines.cp_sat.engine import solve_by_cost
from budge.engines.csp.engine import solve as solve_by_csp
from budge.models.errors import UsageError
from budge.models.moves import Cost
from budge.models.plan import Plan
from budge.models.task import ExactlyInvariant, GroupKind, OperatorTask, operator
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.runtime.outcome import Outcome, Recorder

CUSTOM = Path(__file__).parents[2] / "puzzles" / "custom"


def random_task(seed: int) -> OperatorTask:
    """A task of a few variables: zero costs (and cycles of them), large ones, common divisors, two components."""
    rng = random.Random(seed)
    domains = [rng.randint(2, 4) for _ in range(rng.randint(2, 4))]
    base = [sum(domains[:v]) for v in range(len(domains))]
    zero, most, unit = rng.choice([0.0, 0.3, 0.6, 1.0]), rng.choice([1, 3, 9, 40]), rng.choice([1, 1, 2, 5])
    parts = 2 if rng.random() < 0.3 else 1

    def paid() -> int:
        return 0 if rng.random() < zero else unit * rng.randint(1, most)

    operators = []
    for number in range(rng.randint(3, 14)):
        pre: list[int] = []
        add: list[int] = []
        delete: list[int] = []
        for v in rng.sample(range(len(domains)), rng.randint(1, min(3, len(domains)))):
            value = rng.randrange(domains[v])
            pre.append(base[v] + value)
            if not delete or rng.random() < 0.4:
                delete.append(base[v] + value)
                add.append(base[v] + rng.choice([other for other in range(domains[v]) if other != value]))
        operators.append(operator(f"o{number}", pre, add, delete, None, (paid(), rng.randint(0, 9))[:parts]))
    state = [rng.randrange(size) for size in domains]
    init = tuple(base[v] + value for v, value in enumerate(state))
    if rng.random() < 0.7:  # a goal that can be reached, as a rule
        reached = set(init)
        for _ in range(rng.randint(1, 12)):
            able = [op for op in operators if reached.issuperset(op.pre)]
            if able:
                op = rng.choice(able)
                reached = (reached - set(op.delete)) | set(op.add)
        goal = tuple((fact,) for fact in sorted(rng.sample(sorted(reached), rng.randint(1, len(domains)))))
    else:
        chosen = rng.sample(range(len(domains)), rng.randint(1, len(domains)))
        goal = tuple(sorted((base[v] + rng.randrange(domains[v]),) for v in chosen))
    facts = tuple(f"v{v} = {value}" for v, size in enumerate(domains) for value in range(size))
    groups = tuple(
        ExactlyInvariant(f"v{v}", GroupKind.OBJECT, tuple(range(base[v], base[v] + size)))
        for v, size in enumerate(domains)
    )
    task = OperatorTask("random", facts, groups, tuple(operators), init, goal, ("paid", "second")[:parts])
    task.validate()
    return task


def cheapest(task: OperatorTask) -> Cost | None:
    """The cost of a cheapest plan, by Dijkstra's algorithm; None if there is no plan."""
    costs = {task.init: (0,) * len(task.metric)}
    queue = [(costs[task.init], task.init)]
    while queue:
        cost, state = heapq.heappop(queue)
        if cost > costs[state]:
            continue
        if task.holds(state):
            return cost
        for op in task.operators:
            if set(op.pre) <= set(state):
                after = tuple(sorted({*state, *op.add} - set(op.delete)))
                total = tuple(map(int.__add__, cost, op.cost))
                if after not in costs or total < costs[after]:
                    costs[after] = total
                    heapq.heappush(queue, (total, after))
    return None


def agrees(outcome: Outcome, best: Cost | None) -> bool:
    """Whether an outcome says what Dijkstra's algorithm does."""
    if best is None:
        return outcome.status == "unsolvable"
    return outcome.status == "optimal" and outcome.upper_bound == outcome.lower_bound == best


def by_cost(task: OperatorTask, budget: Budget) -> Outcome:
    """The cost as the objective, whatever the operators cost."""
    record = Recorder(budget, silent, parts=len(task.metric), lower_bound=(0,) * len(task.metric))
    return record.trivial(task) or solve_by_cost(task, record, None, None)


@pytest.mark.parametrize("solver", [solve_by_horizons, partial(solve_by_horizons, strategy="linear"), by_cost])
def test_random_costs_give_the_optimum_of_a_search_written_apart(solver: Callable[..., Outcome]) -> None:
    for seed in range(20):
        task = random_task(seed)
        outcome = solver(task, Budget(None))
        assert agrees(outcome, cheapest(task)), seed


@pytest.mark.slow
def test_three_thousand_random_costs() -> None:
    for seed in range(1000, 4000):
        task = random_task(seed)
        assert agrees(solve_by_horizons(task, Budget(None)), cheapest(task)), seed


def test_csp_counts_layers_of_cost_and_refuses_free_steps() -> None:
    solved = 0
    for seed in range(20):
        task = random_task(seed)
        layers = with_cost_layers(task)
        if not task.holds(task.init) and (layers is None or layers.free):
            with pytest.raises(UsageError, match="cost something"):
                solve_by_csp(task, Budget(None))
        elif (best := cheapest(task)) is not None:
            assert agrees(solve_by_csp(task, Budget(None)), best), seed
            solved += 1
    assert solved > 5


@pytest.mark.parametrize(
    ("metric", "cost"), [("minutes", 17), ("minutes,crossings", (17, 5)), ("crossings,minutes", (5, 17))]
)
@pytest.mark.parametrize("engine", ["cp-sat", "csp"])
def test_bridge_and_torch(metric: str, cost: object, engine: str) -> None:
    solution = solve(CUSTOM / "bridge-and-torch.yaml", engine=engine, metric=metric)
    assert (solution.status, solution.cost, solution.lower_bound) == ("optimal", cost, cost)
    task = load(CUSTOM / "bridge-and-torch.yaml").task(metric)
    assert by_cost(task, Budget(None)).upper_bound == (cost if isinstance(cost, tuple) else (cost,))


def test_vehicles_of_different_cost_move_in_parallel() -> None:
    """The free cells follow from where the vehicles are, so they are no objects, and what moves costs by its length."""
    puzzle = load(CUSTOM / "lorries-1.yaml")
    moves = ParallelMoves.of(puzzle.task("weight"))
    assert moves is not None
    assert sorted(moves.costs) == [2, 2, 3, 3, 3]
    by_search = solve(puzzle, engine="astar", metric="weight")
    for strategy in ("auto", "linear", "one-model"):
        solution = solve(puzzle, engine="cp-sat", metric="weight", strategy=strategy)
        assert (solution.status, solution.cost) == ("optimal", by_search.cost), strategy


def test_free_steps_are_made_at_the_cost_that_is_the_objective() -> None:
    """Doors open for nothing, one after the other; each room costs one."""
    facts = ("room 0", "room 1", "room 2", "door 0", "door 1", "door 2")
    groups = (
        ExactlyInvariant("room", GroupKind.OBJECT, (0, 1, 2)),
        ExactlyInvariant("door", GroupKind.OBJECT, (3, 4, 5)),
    )
    operators = [operator(f"turn {d}", (d,), (d + 1,), (d,), None, (0,)) for d in (3, 4)]
    operators += [operator(f"walk {r}", (r, r + 4), (r + 1,), (r,), None, (1,)) for r in (0, 1)]
    task = OperatorTask("doors", facts, groups, tuple(operators), (0, 3), ((2,),), ("paid",))
    outcome = solve_by_horizons(task, Budget(None), without="whole-plans")
    assert (outcome.status, outcome.upper_bound) == ("optimal", (2,))
    assert outcome.plan == Plan(())  # these operators make no moves that people see


def test_the_cost_as_objective_is_refused_for_moves_along_any_path() -> None:
    with pytest.raises(UsageError, match="use `astar`"):
        by_cost(load("sliding_block/ten-step-solution").task("moves"), Budget(None))
