"""The clauses about whole plans: every plan satisfies them, with its own actions made; and they exclude enough."""

from __future__ import annotations

import random
from collections.abc import Collection
from contextlib import suppress
from itertools import product

import pytest
from budge.encoders.exports.problem_writing import write
from budge.proofs.core.check import checked
from budge.proofs.core.claim import AT_LEAST, FILE, HEAD, OPTIMUM, PROOF, REFUTATION, Claim, Table
from budge.proofs.core.exhaustion import Bits, exhaust
from budge.proofs.core.limits import Invalid, Limits, Unsupported
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Action, Effects, Literals, Problem, read, walker
from budge.proofs.kinds import kinds_of
from budge.proofs.whole import LAYERS, WholeFormula
from budge.runtime.budget import Budget
from budge.workflows.evidence import CheaperPlanError
from budge.workflows.evidence_finder import find_evidence
from budge.workflows.evidence_finder.tables import potentials

from ..helpers import changed_problems, random_problems
from ..helpers.made_certificates import Kind, files_of
from ..helpers.patience import PATIENCE
from ..helpers.second_core import model
from ..helpers.seeds import seeds

LEVELS = 3


def with_marks_lamps_and_counters(draw: random.Random) -> Problem:
    """A problem whose actions move marks on, switch lamps, and count down, or some of it; a few have conditions."""
    kinds = [draw.choice("mmlc") for _ in range(draw.randint(2, 5))]
    sizes = [2 if kind == "l" else LEVELS for kind in kinds]
    actions: list[Action] = []
    for number in range(draw.randint(3, 7)):
        chosen = sorted(draw.sample(range(len(kinds)), draw.randint(1, min(3, len(kinds)))))
        at = {x: draw.randrange(LEVELS - 1) for x in chosen}
        free = [x for x in chosen if kinds[x] == "c" and draw.random() < 0.95]
        for levels in product(range(LEVELS - 1), repeat=len(free)):
            here = at | dict(zip(free, levels, strict=True))
            needs: list[Literals] = []
            effects: dict[int, Effects] = {}
            for x, i in here.items():
                if kinds[x] == "l" and at[chosen[0]]:
                    effects[x] = ((((x, 1),), 1), (((x, 2),), 0))
                elif draw.random() < 0.03:
                    effects[x] = ((((x, 1 << i),), i + 1 if kinds[x] != "l" else 1 - i),)
                else:
                    needs.append(((x, 1 << i),))
                    effects[x] = (((), 1 - i if kinds[x] == "l" else i + 1),)
            actions.append(Action(f"a{number}:{len(actions)}", (draw.choice((1, 1, 1, 2)),), tuple(needs), effects))
    if draw.random() < 0.5:
        del actions[draw.randrange(len(actions))]
    start = tuple(draw.randrange(2) if kind == "l" else 0 for kind in kinds)
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    goal = tuple(((x, 1 << draw.randrange(size)),) for x, size in enumerate(sizes) if draw.random() < 0.8)
    return Problem(("n",), tuple(f"x{i}" for i in range(len(sizes))), domains, start, goal, tuple(actions))


def problem_of(draw: random.Random) -> Problem:
    """A random problem of any kind, of one count."""
    make = draw.choice((with_marks_lamps_and_counters, random_problems.random_problem, changed_problems.random_problem))
    problem = make(draw)
    if len(problem.counts) > 1:
        return problem_of(draw)
    with suppress(Unsupported):  # actions of cost 0 may be no walks
        walker(problem)
        return read(write(problem))
    return problem_of(draw)


def walked(problem: Problem, draw: random.Random) -> tuple[list[int], int, int]:
    """Some actions that can be made one after the other, by number; what they cost; and the state that they lead to."""
    bits = Bits(problem, Limits())
    compiled, state, cost, plan = [bits.action(action) for action in problem.actions], bits.start, 0, []
    for _ in range(draw.randint(1, 9)):
        found = [(n, more, then) for n, one in enumerate(compiled) for more, then in bits.results([[one]], state)]
        if not found:
            break
        number, (more,), state = draw.choice(found)
        cost += more
        plan.append(number)
    return plan, cost, state


def random_cuts(problem: Problem, counted: Collection[int], draw: random.Random) -> list[Literals]:
    """Clauses that are false at the start, of variables that are not counted."""
    free = [x for x in range(len(problem.names)) if x not in counted]
    cuts = []
    for _ in range(min(len(free), 4)):
        some = sorted(draw.sample(free, draw.randint(1, len(free))))
        masks = [(x, draw.randrange(1 << len(problem.domains[x])) & ~(1 << problem.start[x])) for x in some]
        cuts.append(tuple((x, mask) for x, mask in masks if mask))
    return [cut for cut in cuts if cut]


def formula_for(problem: Problem, at_most: int, tables: list[Table], cuts: list[Literals]) -> WholeFormula:
    """The clauses for plans that cost at most so much."""
    claim = Claim(problem, OPTIMUM, (at_most + 1,), REFUTATION, tables=tables, cuts=cuts)
    return WholeFormula(claim, Limits(None, None))


@pytest.mark.parametrize("seed", seeds(150))
def test_every_plan_satisfies_the_clauses_with_its_actions_made(seed: int) -> None:
    draw = random.Random(seed)
    begun = problem_of(draw)
    plan, cost, state = walked(begun, draw)
    bits = Bits(begun, Limits())
    ends = [((x, 1 << bits.value(state, x)),) for x in range(len(begun.names)) if draw.random() < 0.8]
    problem = read(write(Problem(begun.counts, begun.names, begun.domains, begun.start, tuple(ends), begun.actions)))
    tables = potentials(problem, cost, Limits(), 5.0) if cost and draw.random() < 0.3 else []
    counted, _ = kinds_of(problem, [0] * len(problem.actions), Limits())
    formula = formula_for(problem, cost, tables, random_cuts(problem, counted, draw))
    made = [one if set(plan).intersection(kind.members) else -one for one, kind in formula.kinds.items()]
    assert model(formula.all, made) is not None


def evidence_for(problem: Problem, cost: int) -> Claim:
    """The evidence that is found for a lower bound, as the checker accepts it."""
    found = find_evidence(write(problem), (cost,), Budget(PATIENCE), REFUTATION)
    told = [HEAD, f"{AT_LEAST} {cost}", " ".join(["by", found.kind, *map(str, found.numbers)]), *found.lines, ""]
    files = {PROBLEM: write(problem).encode(), FILE: "\n".join(told).encode(), PROOF: found.proof or b""}
    return checked(files, Limits(), LAYERS)


@pytest.mark.parametrize("seed", seeds(12))
def test_the_optimum_is_refuted_and_one_more_is_not(seed: int) -> None:
    draw = random.Random(seed)
    plan = None
    while plan is None or plan[0] < 2:
        problem = read(write(with_marks_lamps_and_counters(draw)))
        plan = exhaust(problem, None, [], Limits())[1]
    assert evidence_for(problem, plan[0]).kind == REFUTATION
    with pytest.raises(CheaperPlanError):
        evidence_for(problem, plan[0] + 1)


def test_lamps_and_pipes_are_refuted_as_whole_plans() -> None:
    lamps, pipes = (files_of(Kind(name, "moves", REFUTATION))[FILE].decode() for name in ("lamps", "pipes"))
    assert "whole\n" in lamps
    assert "cut" not in lamps
    assert "whole\ncut wet." in pipes


def test_what_is_drawn_around_cells_is_counted() -> None:
    """Four edges around two cells, with room for three and two: they are of four kinds, whatever room is left."""
    room, actions = {"c": 3, "d": 2}, list[str]()
    for edge, cells in {"e": "c", "f": "d", "g": "cd", "h": "c"}.items():
        for left in product(*(range(room[cell], 0, -1) for cell in cells)):
            needs = " ".join(f"{cell}={many}" for cell, many in zip(cells, left, strict=True))
            gives = " ".join(f"{cell}={many - 1}" for cell, many in zip(cells, left, strict=True))
            actions.append(f"act {edge}{len(actions)} 1 if {needs} {edge}=no then {gives} {edge}=yes")
    text = ["budge problem 1", "count n", "var c 3 2 1 0", "var d 2 1 0", *(f"var {edge} no yes" for edge in "efgh")]
    problem = read("\n".join([*text, "start 3 2 no no no no", "goal c=1", "goal d=1", *actions, ""]))
    counted, kinds = kinds_of(problem, [1] * len(problem.actions), Limits())
    assert counted == {0: [0, 1, 2, 3], 1: [0, 1, 2]}
    assert [len(kind.members) for kind in kinds] == [3, 2, 6, 3]
    assert evidence_for(problem, 2).form == "whole"


@pytest.mark.parametrize("cut", ["x=a", "x=b|z=n1", "z=n1", "x=c"])
def test_a_cut_that_is_true_at_the_start_or_counted_is_refused(cut: str) -> None:
    text = "budge problem 1\ncount n\nvar x a b\nvar z n0 n1 n2\nstart a n0\ngoal x=b\n"
    text += "".join(f"act m{i} 1 if x={x} z=n{i} then x=b z=n{i + 1}\n" for i in range(2) for x in "ab"[:1])
    told = f"{HEAD}\n{AT_LEAST} 1\nby {REFUTATION} 0 0\nwhole\ncut {cut}\n"
    with pytest.raises(Invalid):
        checked({PROBLEM: text.encode(), FILE: told.encode()}, Limits(), LAYERS)
