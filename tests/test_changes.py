"""The clauses about changes, with one and with several actions in a step: they have a model from the optimum on, and
below it none.
"""

from __future__ import annotations

import random

import pytest
from budge.encoders.exports.problem_writing import write
from budge.proofs.changing import ChangeFormula, change_one_each
from budge.proofs.core.claim import OPTIMUM, REFUTATION, Claim
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.core.problem import Action, Literals, Problem, read
from budge.proofs.parallel import ParallelFormula
from budge.workflows.evidence_finder.choice import _says_less
from ortools.sat.python import cp_model

FORMS = ChangeFormula, ParallelFormula


def satisfiable(form: type[ChangeFormula], problem: Problem, at_most: int) -> bool:
    """Whether the clauses of a form for plans of at most so many actions have a model."""
    formula = form(Claim(problem, OPTIMUM, (at_most + 1,), REFUTATION), Limits(None, None))
    model = cp_model.CpModel()
    booleans = [model.new_bool_var("") for _ in range(formula.variables)]
    for clause in formula.clauses():
        model.add_bool_or([booleans[y - 1] if y > 0 else ~booleans[-y - 1] for y in clause])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


def random_problem(draw: random.Random) -> Problem:
    """A problem whose actions cost 1 and change one variable, with needs about others, and about several. Half of them
    have one action at most between two values.
    """
    sizes = [draw.randint(2, 4) for _ in range(draw.randint(2, 4))]
    actions, ways, tame = {}, set(), draw.random() < 0.5
    for number in range(draw.randint(8, 50)):
        x = draw.randrange(len(sizes))
        others, to = [y for y in range(len(sizes)) if y != x], draw.randrange(sizes[x])
        needs: list[Literals] = []
        if tame or draw.random() < 0.5:
            here = draw.randrange(sizes[x])
            if tame and (here == to or (x, here, to) in ways):
                continue
            ways.add((x, here, to))
            needs.append(((x, 1 << here),))
        elif draw.random() < 0.9:
            needs.append(((x, draw.randrange(1, (1 << sizes[x]) - 1)),))
        for y in draw.sample(others, draw.randint(0, 1)):
            needs.append(((y, draw.randrange(1, (1 << sizes[y]) - 1)),))
        if draw.random() < 0.3:
            several = sorted(draw.sample(others if tame else range(len(sizes)), min(2, len(others))))
            needs.append(tuple((y, draw.randrange(1, (1 << sizes[y]) - 1)) for y in several))
        actions[f"a{number}"] = Action(f"a{number}", (1,), tuple(needs), {x: (((), to),)})
    names = tuple(f"x{i}" for i in range(len(sizes)))
    goal = tuple(((x, 1 << draw.randrange(size)),) for x, size in enumerate(sizes) if draw.random() < 0.7)
    start = tuple(draw.randrange(size) for size in sizes)
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    return read(write(Problem(("n",), names, domains, start, goal, tuple(actions.values()))))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(120))
def test_there_is_a_model_exactly_from_the_optimum_on(form: type[ChangeFormula], seed: int) -> None:
    problem = random_problem(random.Random(seed))
    plan = exhaust(problem, None, [], Limits())[1]
    optimum = 99 if plan is None else plan[0]
    for at_most in range(1, min(optimum + 2, 7)):
        found = satisfiable(form, problem, at_most)
        assert found or at_most < optimum, at_most
        assert not found or at_most >= optimum or _says_less(problem), at_most


def test_other_problems_have_no_such_clauses() -> None:
    text = "budge problem 1\ncount n\nvar x a b\nvar y a b\nstart a a\ngoal x=b\nact go {} then x=b{}\n"
    for cost, more in (("2", ""), ("1", " y=b")):
        problem = read(text.format(cost, more))
        assert not change_one_each(problem)
        for form in FORMS:
            with pytest.raises(Unsupported):
                form(Claim(problem, OPTIMUM, (4,), REFUTATION), Limits())
