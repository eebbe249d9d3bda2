"""Chains of bookkeeping as one operator each: the same optima, and plans of the operators that the task had."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from budge import Budget, Status, load_text, solve
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.transforms.fused_chains import with_fused_chains
from budge.engines.astar.engine import a_star
from budge.engines.bfs.engine import breadth_first
from budge.engines.common.plans import rows_along
from budge.engines.common.store import facts_of
from budge.engines.cp_sat.engine import solve_by_horizons
from budge.engines.plain.engine import plain
from budge.models.families.custom.files.notation import Act
from budge.models.plan import Plan, apply
from budge.models.task import ExactlyInvariant, GroupKind, Operator, Task, operator
from budge.runtime.outcome import Outcome

from .reference import optimal


def bookkeeping(seed: int) -> Task:
    """A random task of four things with places, and a control. Behind most moves there are free
    steps, chosen by where things are; some apply together, some go round in circles, some reach the goal on their way,
    and some lead nowhere.
    """
    pick = random.Random(seed)
    sizes = [pick.randint(2, 4), 2, pick.randint(2, 3), 2, pick.randint(3, 5)]
    groups, facts = list[tuple[int, ...]](), 0
    for size in sizes:
        groups.append(tuple(range(facts, facts + size)))
        facts += size
    *things, control = groups
    operators: list[Operator] = []

    def add(before: int, after: int, needed: dict[int, int], cost: int) -> None:
        """An operator that needs and changes a few things."""
        pre, adds, deletes = [control[before], *needed.values()], [control[after]], [control[before]]
        for thing in pick.sample(range(4), pick.randint(0, 2)):
            now = needed.setdefault(thing, pick.choice(things[thing]))
            pre.append(now)
            adds.append(pick.choice(things[thing]))
            deletes.append(now)
        name = f"op{len(operators)}"
        operators.append(operator(name, pre, adds, deletes, Act(name), (cost,)))

    for _ in range(pick.randint(4, 9)):
        thing = pick.randrange(4)
        add(0, pick.randrange(len(control)), {thing: pick.choice(things[thing])}, pick.randint(0, 3))
    for busy in range(1, len(control)):
        thing = pick.randrange(4)
        for place in things[thing]:
            if pick.random() < 0.15:
                continue
            other = pick.choice([None, *({0, 1, 2, 3} - {thing})])
            for there in (None,) if other is None else things[other]:
                needed = {thing: place} if other is None or there is None else {thing: place, other: there}
                add(busy, pick.choice([0, pick.randrange(len(control))]), needed, 0)
        if pick.random() < 0.2:
            add(busy, 0, {}, pick.randint(0, 1))
    init = [group[0] for group in groups]
    wanted = {pick.choice(group[1:]) for group in pick.sample(things, pick.randint(1, 2))}
    wanted |= {pick.choice([control[0], pick.choice(control)])} if pick.random() < 0.6 else set()
    clauses: list[tuple[int, ...]] = [(fact,) for fact in wanted]
    if pick.random() < 0.2 and len(clauses) > 1:
        clauses = [tuple(sorted(wanted)[:2]), *clauses[2:]]
    task = Task(
        name=f"bookkeeping {seed}",
        facts=tuple(f"fact {n}" for n in range(facts)),
        groups=tuple(ExactlyInvariant(f"group {n}", GroupKind.OBJECT, group) for n, group in enumerate(groups)),
        operators=tuple(op for op in operators if op.add or op.delete),
        init=tuple(sorted(init)),
        goal=tuple(sorted(clauses)),
        metric=("cost",),
    )
    task.validate()
    return task


def played(task: Task, plan: Plan) -> int:
    """What a plan costs, by the definition of STRIPS; it has to end in a goal."""
    by_move = {op.move: op for op in task.operators}
    state, cost = frozenset(task.init), 0
    for move in plan.moves:
        state, cost = apply(state, by_move[move]), cost + by_move[move].cost[0]
    assert task.holds(state)
    return cost


def agree(task: Task, engine: Callable[..., Outcome]) -> bool:
    """Whether there were chains. Optimum and cost of the plan are those of plain search on the task as it is."""
    expected, fused = optimal(task), with_fused_chains(task)
    fused.validate()
    found = engine(fused, Budget(60))
    if expected is None:
        assert found.status is Status.UNSOLVABLE, task.name
    else:
        assert found.status is Status.OPTIMAL, task.name
        assert found.plan is not None
        assert found.upper_bound == expected[0] == (played(task, found.plan),), task.name
        rows = rows_along(fused, to_bitset_task(fused), found.plan)
        assert fused.holds(facts_of(rows[-1].tolist()))
    return fused is not task


def test_random_tasks() -> None:
    assert sum(agree(bookkeeping(seed), plain) for seed in range(400)) > 100


@pytest.mark.slow
def test_many_random_tasks() -> None:
    assert sum(agree(bookkeeping(seed), plain) for seed in range(10_000, 30_000)) > 5_000


@pytest.mark.parametrize("engine", [a_star, breadth_first, solve_by_horizons])
def test_engines(engine: Any) -> None:
    assert sum(agree(bookkeeping(seed), engine) for seed in range(12)) > 2


def slides(cells: int) -> Task:
    """Two robots in a row of cells, which slide until something stops them, as in the competition of 2023."""
    at = [[robot * cells + cell for cell in range(cells)] for robot in range(2)]
    free = [2 * cells + cell for cell in range(cells)]
    moving = [[3 * cells + 2 * robot + way for way in range(2)] for robot in range(2)]
    rest = 3 * cells + 4
    taken = [rest + 1 + cell for cell in range(cells)]
    operators = []
    for robot in range(2):
        for way, ahead in enumerate((-1, 1)):
            is_moving = moving[robot][way]

            def add(name: str, pre: list[int], more: list[int], less: list[int], cost: int = 0) -> None:
                operators.append(operator(name, pre, more, less, Act(name), (cost,)))

            add(f"go {robot} {way}", [rest], [is_moving], [rest], 1)
            for here in range(cells):
                there, place = here + ahead, at[robot][here]
                if not 0 <= there < cells:
                    add(f"stop {robot} {here} {way}", [is_moving, place], [rest], [is_moving])
                    continue
                add(f"bump {robot} {here} {way}", [is_moving, place, taken[there]], [rest], [is_moving])
                left = [place, free[there], taken[here]]
                on = [at[robot][there], free[here], taken[there]]
                add(f"step {robot} {here} {way}", [is_moving, *left], on, left)
    groups = [ExactlyInvariant(f"robot {n}", GroupKind.OBJECT, tuple(at[n])) for n in range(2)]
    groups.append(ExactlyInvariant("control", GroupKind.OBJECT, (*moving[0], *moving[1], rest)))
    groups += [ExactlyInvariant(f"cell {n}", GroupKind.CELL, (free[n], taken[n])) for n in range(cells)]
    init = [at[0][0], at[1][cells // 2], rest, taken[0], taken[cells // 2], *set(free) - {free[0], free[cells // 2]}]
    goal = ((at[0][cells - 2],),)
    task = Task(
        "slides",
        tuple(map(str, range(4 * cells + 5))),
        tuple(groups),
        tuple(operators),
        tuple(sorted(init)),
        goal,
        ("cost",),
    )
    task.validate()
    return task


def test_a_slide_is_one_operator() -> None:
    task = slides(8)
    fused = with_fused_chains(task)
    fused.validate()
    assert fused.uniform
    found = solve_by_horizons(fused, Budget(60))
    assert found.status is Status.OPTIMAL
    assert found.plan
    assert played(task, found.plan) == 2
    assert [str(move) for move in found.plan][:3] == ["go 1 1", "step 1 4 1", "step 1 5 1"]


def test_a_plan_may_end_within_a_chain() -> None:
    """The goal of the slides does not ask for rest: robot 0 gets to a cell on its way."""
    task = slides(8)
    goal = ((3,),)
    task = Task(task.name, task.facts, task.groups, task.operators, task.init, goal, task.metric)
    found = a_star(with_fused_chains(task), Budget())
    assert found.plan
    assert played(task, found.plan) == 1
    assert str(found.plan.moves[-1]) == "step 0 2 1"


def test_tasks_without_chains_stay() -> None:
    task = slides(4)
    costly = tuple(operator(op.name, op.pre, op.add, op.delete, op.move, (1,)) for op in task.operators)
    same = Task(task.name, task.facts, task.groups, costly, task.init, task.goal, task.metric)
    assert with_fused_chains(same) is same


@pytest.mark.parametrize("engine", ["astar", "cp-sat"])
def test_chains_are_left_out_by_name(engine: str) -> None:
    domain = """(define (domain slide) (:predicates (idle) (going) (at ?c) (next ?a ?b) (end ?c))
      (:functions (total-cost))
      (:action go :parameters () :precondition (idle)
        :effect (and (going) (not (idle)) (increase (total-cost) 1)))
      (:action step :parameters (?a ?b) :precondition (and (going) (at ?a) (next ?a ?b))
        :effect (and (at ?b) (not (at ?a))))
      (:action stop :parameters (?a) :precondition (and (going) (at ?a) (end ?a))
        :effect (and (idle) (not (going)))))"""
    problem = """(define (problem line) (:domain slide) (:objects a b c d) (:metric minimize (total-cost))
      (:init (idle) (at a) (next a b) (next b c) (next c d) (end d)) (:goal (and (at d) (idle))))"""
    puzzle = load_text(json.dumps({"format": 1, "family": "pddl", "domain": domain, "problem": problem}))
    fused, plain_one = (solve(puzzle, engine=engine, without=names) for names in (None, "fused-chains"))
    assert fused.cost == plain_one.cost == 1
    assert (fused.outcome.stats["operators"], plain_one.outcome.stats["operators"]) == (6, 5)
