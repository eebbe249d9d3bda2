"""The clauses about changes, with one and with several actions in a step: they have a model from the optimum on, and
below it none.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from budge.proofs.command import main
from budge.proofs.core.claim import FILE, OPTIMUM, REFUTATION, Claim
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.core.problem import Problem, read
from budge.proofs.one_variable_formula import ChangeFormula, ParallelFormula, change_one_each
from budge.workflows.evidence_finder.choose_evidence import _says_less
from ortools.sat.python import cp_model

from ..helpers.changed_problems import random_problem
from ..helpers.made_certificates import Kind, files_of
from ..helpers.seeds import seeds

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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", seeds(120))
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


def test_a_formula_that_is_not_known_is_unsupported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `whole`, which former versions wrote, with cuts."""
    files = files_of(Kind("rush", "slides", REFUTATION))
    head = b"\n".join(files[FILE].split(b"\n")[:3])
    for name, data in (files | {FILE: head + b"\nwhole\ncut A=1\n"}).items():
        (tmp_path / name).write_bytes(data)
    assert main([str(tmp_path)]) == 3
    assert capsys.readouterr() == ("unsupported: claim.txt: a formula that this checker does not know: `whole`\n", "")


def test_a_process_that_calls_the_checker_has_its_memory_back(tmp_path: Path) -> None:
    """A later browser or solver of the same process would fail under the checker's limit."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    main([str(tmp_path), "--memory-limit", "512"])
    assert resource.getrlimit(resource.RLIMIT_AS) == before
