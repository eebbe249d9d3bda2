"""`budge export`: what other programs make of the files, and that they come to the same optimum."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from budge import load, load_text
from budge.cli import main
from budge.encoders.exports.dimacs import to_clauses, to_dimacs
from budge.encoders.exports.model_files import Bounded, cp_sat_bytes, to_cp_sat, to_lp
from budge.encoders.exports.names import Identifiers
from budge.encoders.exports.pddl import FIRST_WEIGHT, to_pddl
from budge.encoders.exports.task_json import from_json, to_json
from budge.encoders.formula import FALSE, TRUE, Formula
from budge.models.errors import UsageError
from budge.models.puzzle import Puzzle
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_boards import rush_hour, sliding_block
from .sokoban_levels import level

DETOUR = "format: 1\nfamily: sliding-block\nboard: |\n  A#.\n  ...\n  .BB\ngoal: |\n  ..A\n  ...\n  ...\n"
TWO_GOALS = "format: 1\nfamily: sliding-block\nboard: |\n  a.A\n  ...\ngoal: |\n  A..\n  ..a\n"
SOKOBAN = ["#######", "#.  $.#", "# $@  #", "#  #  #", "#######"]

PUZZLES = [
    ("bird-2", "steps"),
    ("bird-2", "slides"),
    ("level-01", "slides"),
    (DETOUR, "steps"),
    (DETOUR, "moves"),
    (TWO_GOALS, "slides"),
    ("eight-10", "moves"),
    (SOKOBAN, "pushes"),
    (SOKOBAN, "moves"),
]


def puzzle_of(source: str | list[str]) -> Puzzle:
    if isinstance(source, list):
        return level(source)
    return load_text(source) if "\n" in source else load(source)


def optimum(puzzle: Puzzle, metric: str) -> tuple[int, ...]:
    from budge import solve

    cost = solve(puzzle, "bfs", metric).outcome.upper_bound
    assert cost is not None
    return cost


# PDDL


def fast_downward(domain: str, problem: str, folder: Path, search: str) -> int | None:
    """The cost of Fast Downward's optimal plan; None if it says that there is none."""
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("up-fast-downward is not installed")
    script = Path(spec.submodule_search_locations[0]) / "downward" / "fast-downward.py"
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)
    command = [sys.executable, str(script), "--plan-file", "plan", "domain.pddl", "problem.pddl", "--search", search]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"Plan cost: (\d+)", ran.stdout)
    if found:
        return int(found[1])
    assert ran.returncode in (11, 12), ran.stdout + ran.stderr  # unsolvable
    return None


@pytest.mark.parametrize(("source", "metric"), PUZZLES)
def test_fast_downward_finds_the_same_optimum(source: str | list[str], metric: str, tmp_path: Path) -> None:
    puzzle = puzzle_of(source)
    found = fast_downward(*to_pddl(puzzle.task(metric)), tmp_path, "astar(blind())")
    assert found is not None
    assert (found,) == optimum(puzzle, metric)


@pytest.mark.parametrize(("source", "metric"), [(TWO_GOALS, "slides"), (DETOUR, "moves"), (SOKOBAN, "pushes")])
def test_heuristics_accept_the_files(source: str | list[str], metric: str, tmp_path: Path) -> None:
    """Landmark cut allows no axioms: the goal clauses of several facts (two boxes, two goals) have become none."""
    puzzle = puzzle_of(source)
    found = fast_downward(*to_pddl(puzzle.task(metric)), tmp_path, "astar(lmcut())")
    assert found is not None
    assert (found,) == optimum(puzzle, metric)


def test_a_goal_of_several_facts() -> None:
    """Any of three places for A and two for B, at once: three and two actions that cost nothing and end the play."""
    task = load("bird-2").task("steps")
    task = replace(task, goal=((0, 1, 2), (5, 6)))
    domain, problem = to_pddl(task)
    assert domain.count("(:action reached-goal") == 5
    assert domain.count("(not (playing))") == 5
    assert domain.count(":precondition (and") == domain.count("(playing))\n    :effect") + 5
    assert "(reached goal-1) (reached goal-2)" in problem


@pytest.mark.parametrize("seed", range(3))
def test_fast_downward_on_goals_of_several_facts(seed: int, tmp_path: Path) -> None:
    from .reference import optimal

    task = load_text(DETOUR).task("steps")
    rng = random.Random(seed)
    facts = [f for group in task.groups[:2] for f in group.facts]
    task = replace(task, goal=tuple(tuple(sorted(rng.sample(facts, 3))) for _ in range(2)))
    expected = optimal(task)
    assert fast_downward(*to_pddl(task), tmp_path, "astar(lmcut())") == (expected[0][0] if expected else None)


def test_fast_downward_on_a_lexicographic_metric(tmp_path: Path) -> None:
    puzzle = puzzle_of(SOKOBAN)
    found = fast_downward(*to_pddl(puzzle.task("pushes,moves")), tmp_path, "astar(blind())")
    assert found is not None
    assert divmod(found, FIRST_WEIGHT) == optimum(puzzle, "pushes,moves")


def test_fast_downward_on_an_unsolvable_puzzle(tmp_path: Path) -> None:
    puzzle = load_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.B\n  ...B\n  ...C\n  ...C\n")
    assert fast_downward(*to_pddl(puzzle.task("steps")), tmp_path, "astar(blind())") is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_fast_downward_on_random_puzzles(seed: int, tmp_path: Path) -> None:
    from .reference import optimal

    text = rush_hour(seed) if seed % 2 else sliding_block(seed).text
    task = load_text(text).task("steps")
    expected = optimal(task)
    found = fast_downward(*to_pddl(task), tmp_path, "astar(blind())")
    assert found == (expected[0][0] if expected else None)


def test_names_are_unique_and_valid() -> None:
    names = Identifiers("-", "is", ("and",))
    texts = [
        "A at r1c1",
        "a at r1c1",
        "A+1 from r1c1",
        "A-1 from r1c1",
        "2x1 at r1c1",
        "and",
        "+",
        "曹 at r1c1",
        "",
        "",
    ]
    made = [names.new(text) for text in texts]
    assert len(set(made)) == len(texts)
    assert made[:5] == ["a-at-r1c1", "a-at-r1c1-2", "a-plus-1-from-r1c1", "a-minus-1-from-r1c1", "is-2x1-at-r1c1"]
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in made)
    assert "and" not in made


# CNF


def brute_force(formula: Formula, variables: int, clauses: list[list[int]]) -> None:
    """Every assignment satisfies the formula if and only if the counters' variables can be chosen for the clauses."""
    pysat = pytest.importorskip("pysat.solvers")
    with pysat.Solver(name="cadical153", bootstrap_with=clauses) as solver:
        for bits in range(1 << formula.variables):
            true = [bool(bits >> v & 1) for v in range(formula.variables)]
            assumptions = [v + 1 if value else -v - 1 for v, value in enumerate(true)]
            assert solver.solve(assumptions=assumptions) == satisfies(formula, true)
    assert all(0 < abs(literal) <= variables for clause in clauses for literal in clause)


def satisfies(formula: Formula, true: list[bool]) -> bool:
    def holds(literal: int) -> bool:
        return true[literal] if literal >= 0 else not true[~literal]

    return (
        not formula.contradiction
        and all(any(map(holds, clause)) for clause in formula.clauses)
        and all(not holds(cause) or all(map(holds, effects)) for cause, effects in formula.implications.items())
        and all(sum(map(holds, group)) == 1 for group in formula.exactly_ones)
        and all(sum(map(holds, group)) <= 1 for group in formula.at_most_ones)
        and all(sum(map(holds, group)) == count for group, count in formula.cardinalities)
    )


literals = st.integers(0, 8).flatmap(lambda v: st.sampled_from([v, ~v]))
groups = st.permutations(range(9)).flatmap(
    lambda order: st.integers(2, 9).flatmap(
        lambda size: st.lists(st.booleans(), min_size=size, max_size=size).map(
            lambda signs: [v if sign else ~v for v, sign in zip(order, signs, strict=False)]
        )
    )
)


@given(
    clauses=st.lists(st.lists(literals, min_size=1, max_size=4), max_size=3),
    implications=st.dictionaries(literals, st.lists(literals, min_size=1, max_size=3), max_size=2),
    exactly=st.lists(groups, max_size=1),
    most=st.lists(groups, max_size=1),
    counted=st.lists(groups.flatmap(lambda g: st.tuples(st.just(g), st.integers(1, len(g) - 1))), max_size=1),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_clauses_mean_what_the_formula_means(
    clauses: list[list[int]],
    implications: dict[int, list[int]],
    exactly: list[list[int]],
    most: list[list[int]],
    counted: list[tuple[list[int], int]],
) -> None:
    formula = Formula(9, clauses, implications, exactly, most, counted)
    brute_force(formula, *to_clauses(formula))


constants = st.one_of(literals, st.sampled_from([TRUE, FALSE]))


@given(st.lists(st.tuples(constants, st.lists(constants, max_size=4)), max_size=6))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_constraints_added_in_bulk_are_those_added_one_by_one(parts: list[tuple[int, list[int]]]) -> None:
    one, bulk = Formula(9), Formula(9)
    for cause, others in parts:
        one.implies(cause, others)
        one.clause(others)
    to_csr = np.array([literal for _, others in parts for literal in others], np.int32)
    lengths = np.array([len(others) for _, others in parts], np.int64)
    bulk.all_imply(np.array([cause for cause, _ in parts], np.int32), to_csr, lengths)
    bulk.all_clauses(to_csr, lengths)
    assert sorted(one.clauses) == sorted(bulk.clauses)
    assert one.implications == bulk.implications
    assert one.contradiction == bulk.contradiction


def test_a_contradiction_has_no_model() -> None:
    formula = Formula(2)
    formula.clause([])
    brute_force(formula, *to_clauses(formula))


@pytest.mark.parametrize(("source", "metric"), PUZZLES)
def test_cadical_proves_the_optimum(source: str | list[str], metric: str) -> None:
    pysat = pytest.importorskip("pysat.solvers")
    puzzle = puzzle_of(source)
    bounded = Bounded(puzzle.task(metric))
    (cost,) = optimum(puzzle, metric)
    for idle in (False, True):
        for horizon in (cost - 1, cost):
            model = bounded.model(horizon, idle=idle)
            variables, clauses = to_clauses(model.formula)
            assert variables >= model.formula.variables
            with pysat.Solver(name="cadical153", bootstrap_with=clauses) as solver:
                assert solver.solve() == (horizon == cost)
                if horizon < cost:
                    continue
                values = np.zeros(model.formula.variables, np.bool_)
                for literal in solver.get_model():
                    if 0 < literal <= len(values):
                        values[literal - 1] = True
            replay = puzzle.replay(model.model.plan(model.task, values))
            assert replay.solved
            assert replay.costs[metric] == cost


def test_a_dimacs_file_says_what_its_variables_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bird.cnf"
    assert main(["export", "bird-2", "--to", "dimacs", "--metric", "steps", "--out", str(file)]) == 0
    assert "horizon 18, the optimum that the file expects" in capsys.readouterr().err
    lines = file.read_text().splitlines()
    matches = [re.fullmatch(r"c var (\d+) = (.*)", line) for line in lines if line.startswith("c var")]
    named = {match[1]: match[2] for match in matches if match}
    assert len(named) == len(matches)
    about = json.loads((tmp_path / "bird.cnf.map.json").read_text())
    assert about["variables"] == named
    assert about["horizon"] == 18
    assert "fact A at r1c1, layer 1" in named.values()
    assert any(name.startswith("operator ") and name.endswith(", step 0") for name in named.values())
    variables, clauses = map(int, next(line for line in lines if line.startswith("p cnf")).split()[2:])
    body = [line.split() for line in lines if line[0] not in "cp"]
    assert len(body) == clauses
    assert all(line[-1] == "0" for line in body)
    assert max(abs(int(x)) for line in body for x in line) == variables
    formula = Bounded(load("bird-2").task("steps")).model(18, idle=False).formula
    assert to_dimacs(formula).splitlines()[1:] == [" ".join(line) for line in body]


# CP-SAT and LP


@pytest.mark.parametrize("binary", [False, True])
def test_ortools_reads_and_solves_the_cp_sat_model(binary: bool, tmp_path: Path) -> None:
    from ortools.sat.python import cp_model, cp_model_helper

    file = tmp_path / ("model.pb" if binary else "model.pbtxt")
    arguments = ["export", "bird-2", "--to", "cp-sat", "--metric", "steps", "--horizon", "20", "--out", str(file)]
    assert main(arguments) == 0
    model = cp_model.CpModel()
    if binary:
        from ortools.sat import cp_model_pb2

        parsed = cp_model_pb2.CpModelProto.FromString(file.read_bytes())
        proto = cp_model_helper.CpModelProto()
        proto.parse_text_format(str(parsed))
    else:
        proto = cp_model_helper.CpModelProto()
        assert proto.parse_text_format(file.read_text())
    model.proto.copy_from(proto)
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    assert solver.objective_value == 18
    assert "fact A at r1c1, layer 1" in {variable.name for variable in proto.variables}


def solve_lp(text: str) -> float | None:
    """The optimum of a 0-1 program in the part of CPLEX's LP format that is written here; None if infeasible."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()  # type: ignore[no-untyped-call]
    head, rest = text.split("\nSubject To\n")
    rows, rest = rest.split("\nBounds\n")
    bounds, binaries = rest.split("\nBinary\n")
    assert binaries.split()[-1] == "End"
    assert bounds == " one = 1"
    variables = {name: model.new_bool_var(name) for name in binaries.split()[:-1]}
    variables["one"] = model.new_num_var(1.0, 1.0, "one")
    variables["none"] = model.new_bool_var("none")

    def terms(words: list[str]) -> Any:
        signs = {"+": 1, "-": -1}
        total, sign, factor = [], 1, 1
        for word in words:
            if word in signs:
                sign, factor = signs[word], 1
            elif word.isdigit():
                factor = int(word)
            else:
                total.append(variables[word] * (sign * factor))
        return sum(total)

    comment, minimise, objective = head.split("\n", 2)
    assert comment.startswith("\\")
    assert minimise == "Minimize"
    model.minimize(terms(objective.replace("steps:", "").split()))
    for row in re.split(r"^ \w+:", rows, flags=re.MULTILINE)[1:]:
        *words, sense, bound = row.split()
        left, right = terms(words), int(bound)
        model.add({"=": left == right, ">=": left >= right, "<=": left <= right}[sense])
    solver = model_builder.Solver("sat")
    status = solver.solve(model)
    if status == model_builder.SolveStatus.INFEASIBLE:
        return None
    assert status == model_builder.SolveStatus.OPTIMAL
    return solver.objective_value


@pytest.mark.parametrize(("source", "metric"), [("level-01", "slides"), (DETOUR, "moves"), (SOKOBAN, "pushes")])
def test_a_solver_of_0_1_programs_finds_the_optimum(source: str | list[str], metric: str) -> None:
    puzzle = puzzle_of(source)
    (cost,) = optimum(puzzle, metric)
    bounded = Bounded(puzzle.task(metric))
    assert solve_lp(to_lp(bounded.model(cost - 1, idle=True))) is None
    assert solve_lp(to_lp(bounded.model(cost + 1, idle=True))) == pytest.approx(cost)
    assert solve_lp(to_lp(bounded.model(cost, idle=False))) == pytest.approx(0)


def test_a_refuted_horizon_is_infeasible_in_every_form() -> None:
    bounded = Bounded(load("level-01").task("slides")).model(3, idle=False)
    assert bounded.formula.contradiction
    assert "contradiction: one >= 2" in to_lp(bounded)
    assert len(to_cp_sat(bounded).constraints) > 0
    assert cp_sat_bytes(bounded)


# JSON


@pytest.mark.parametrize(("source", "metric"), [*PUZZLES, ("heng-dao-li-ma", "moves"), (SOKOBAN, "pushes,moves")])
def test_json_round_trip(source: str | list[str], metric: str) -> None:
    task = puzzle_of(source).task(metric)
    assert from_json(to_json(task)) == task


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(version=99),
        lambda value: value.pop("facts"),
        lambda value: value.update(init=[0, 0]),
        lambda value: value["operators"][0].update(pre="many"),
        lambda value: value["operators"][0].update(pre=[10**6]),
        lambda value: value.update(groups=3),
    ],
)
def test_broken_json_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads(to_json(load("bird-2").task("steps")))
    change(value)
    with pytest.raises(UsageError, match="budge-task"):
        from_json(json.dumps(value))
    with pytest.raises(UsageError):
        from_json("[]")
    with pytest.raises(UsageError):
        from_json("{")


# The command


def test_files_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert main(["export", "bird-1", "bird-2", "--to", "pddl", "--out", str(folder)]) == 0
    assert sorted(p.name for p in folder.iterdir()) == [
        "bird-1-domain.pddl",
        "bird-1-problem.pddl",
        "bird-2-domain.pddl",
        "bird-2-problem.pddl",
    ]
    assert main(["export", "microban-001", "--to", "xsb", "--out", str(folder)]) == 0
    assert "#" in (folder / "microban-001.xsb").read_text()


def test_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "bird-2", "--to", "pddl"]) == 0
    text = capsys.readouterr().out
    assert text.index("(define (domain") < text.index("(define (problem")
    assert main(["export", "bird-2", "--to", "dimacs", "--horizon", "3"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("c puzzle = ")
    assert captured.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bird-2", "--to", "pddl", "--horizon", "3"], "--horizon does not apply to --to pddl; it is for dimacs"),
        (["bird-2", "--to", "json", "--steps", "at-most"], "--steps does not apply"),
        (["microban-001", "--to", "xsb", "--metric", "moves"], "--metric does not apply"),
        (["bird-2", "--to", "dimacs", "--horizon", "-1"], "must not be negative"),
        (["bird-2", "--to", "json", "--metric", "hops"], "no metric `hops`"),
        (["bird-1", "bird-2", "--to", "json", "--out", "one.json"], "is one file for 2 puzzles"),
        (["bird-2", "--to", "xsb"], "only Sokoban"),
        (["rush_hour/unsolvable", "--to", "lp"], "choose its --horizon"),
        (["bird-2", "--to", "json", "--out", "/dev/null/x"], "cannot write to"),
    ],
)
def test_usage_errors(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", *arguments]) == 2
    assert message in capsys.readouterr().err
