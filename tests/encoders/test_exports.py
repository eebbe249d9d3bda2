"""`budge export`: what other programs make of the files, and that they come to the same optimum."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from budge import Verdict, load, load_text, verify
from budge.analysis.transformed_tasks import with_unit_cost
from budge.cli import main
from budge.encoders.exports.dimacs import to_clauses, to_dimacs
from budge.encoders.exports.model_files import PreparedTask, cp_sat_bytes, to_cp_sat, to_json, to_lp
from budge.encoders.exports.names import Identifiers, NamedVariable
from budge.encoders.exports.outside_plans import is_of_actions
from budge.encoders.exports.pddl import FIRST_WEIGHT, exported, to_pddl
from budge.encoders.formula import FALSE, TRUE, Formula
from budge.models.errors import ReplayError, UsageError
from budge.models.puzzle import Puzzle
from budge.workflows.verification import read_plan
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.fast_downward import fast_downward
from ..helpers.random_boards import rush_hour, sliding_block
from ..helpers.seeds import examples, seeds
from ..helpers.sokoban_levels import level

DETOUR = "format: 1\nfamily: sliding-block\nboard: |\n  A#.\n  ...\n  .BB\ngoal: |\n  ..A\n  ...\n  ...\n"
TWO_GOALS = "format: 1\nfamily: sliding-block\nboard: |\n  a.A\n  ...\ngoal: |\n  A..\n  ..a\n"
LOOSE = "format: 1\nfamily: sliding-block\nboard: |\n" + "  A..B\n  ....\n  ....\n  ....\n"
LOOSE += "goal: |\n" + "  B...\n  ....\n  ....\n  ...A\n"
"""A board with so many ways that a compound move is a path inside a step, and no operator of its own."""
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


@pytest.mark.weekly
@pytest.mark.parametrize(("source", "metric"), PUZZLES)
def test_fast_downward_finds_the_same_optimum(source: str | list[str], metric: str, tmp_path: Path) -> None:
    puzzle = puzzle_of(source)
    found = fast_downward(*to_pddl(puzzle.task(metric)), tmp_path, "astar(blind())")
    assert found is not None
    assert (found,) == optimum(puzzle, metric)
    verified = verify(puzzle, (tmp_path / "plan").read_text(), (found,), (), metric)
    assert (verified.problem, verified.verdict) == (None, Verdict.VALID)


CUSTOM = [
    ("bridge-and-torch", "minutes"),
    ("bridge-and-torch", "crossings"),
    ("burnt-pancakes-4", "moves"),
    ("hanoi-4-on-4-pegs", "moves"),
    ("jugs-3-5", "moves"),
    ("jugs-8-5-3", "moves"),
    ("knights-exchange", "moves"),
    ("missionaries-and-cannibals", "moves"),
    pytest.param("pancakes-6", "moves", marks=pytest.mark.slow),
    ("sokoban-microban-1", "pushes"),
    ("sokoban-microban-1", "moves"),
    pytest.param("topspin", "moves", marks=pytest.mark.slow),
    ("wolf-goat-cabbage", "moves"),
]
"""Custom puzzles with what is special in an export: costs (bridge), free walking (Sokoban), names of every kind."""


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric"), CUSTOM)
def test_fast_downward_on_custom_puzzles(name: str, metric: str, tmp_path: Path) -> None:
    """What the file expects, and a plan that the rules accept."""
    puzzle = load(f"custom/{name}")
    found = fast_downward(*to_pddl(puzzle.task(metric)), tmp_path, "astar(blind())")
    assert found is not None
    assert (found,) == puzzle.header.expect.costs[metric]
    verified = verify(puzzle, (tmp_path / "plan").read_text(), (found,), (), metric)
    assert (verified.problem, verified.verdict) == (None, Verdict.VALID)


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


@pytest.mark.parametrize("seed", seeds(3))
def test_fast_downward_on_goals_of_several_facts(seed: int, tmp_path: Path) -> None:
    from ..helpers.reference import optimal

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
    plan = (tmp_path / "plan").read_text()
    assert verify(puzzle, plan, divmod(found, FIRST_WEIGHT), (), "pushes,moves").verdict is Verdict.VALID


def test_fast_downward_on_an_unsolvable_puzzle(tmp_path: Path) -> None:
    puzzle = load_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.B\n  ...B\n  ...C\n  ...C\n")
    assert fast_downward(*to_pddl(puzzle.task("steps")), tmp_path, "astar(blind())") is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_fast_downward_on_random_puzzles(seed: int, tmp_path: Path) -> None:
    from ..helpers.reference import optimal

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
@settings(max_examples=examples(60))
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
@settings(max_examples=examples(200))
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


@pytest.mark.weekly
@pytest.mark.parametrize(("source", "metric"), PUZZLES)
def test_cadical_proves_the_optimum(source: str | list[str], metric: str) -> None:
    pysat = pytest.importorskip("pysat.solvers")
    puzzle = puzzle_of(source)
    bounded = PreparedTask(puzzle.task(metric))
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
            replay = puzzle.replay(model.model.plan(values))
            assert replay.solved
            assert replay.costs[metric] == cost


@pytest.mark.weekly
@pytest.mark.parametrize("steps", ["exactly", "at-most"])
@pytest.mark.parametrize(("source", "metric"), [*PUZZLES, (LOOSE, "moves")])
def test_a_model_of_cadical_is_a_plan(source: str | list[str], metric: str, steps: str, tmp_path: Path) -> None:
    """What CaDiCaL answers to the exported file, with the map beside it, is verified to be a plan of that length."""
    pysat = pytest.importorskip("pysat")
    puzzle = puzzle_of(source)
    (cost,) = optimum(puzzle, metric)
    file, answer = tmp_path / "one.yaml", tmp_path / "one.txt"
    file.write_text(puzzle.to_yaml())
    cnf = tmp_path / "one.cnf"
    slack = 2 if steps == "at-most" else 0
    options = ["--metric", metric, "--horizon", str(cost + slack), "--steps", steps]
    assert main(["export", str(file), "--to", "dimacs", "--out", str(cnf), *options]) == 0
    with pysat.solvers.Solver(name="cadical153", bootstrap_with=pysat.formula.CNF(from_file=str(cnf))) as solver:
        assert solver.solve()
        literals = [*solver.get_model(), 0]
    lines = [" ".join(map(str, literals[i : i + 12])) for i in range(0, len(literals), 12)]
    answer.write_text("c CaDiCaL\ns SATISFIABLE\n" + "".join(f"v {line}\n" for line in lines))
    assert main(["verify", str(file), "--plan", str(answer), "--engines", "none"]) == 0
    text = (tmp_path / "one.cnf.map.json").read_text()
    found = verify(puzzle, answer.read_text(), engines=(), variables=text)
    assert (found.metric, found.verdict) == (metric, Verdict.VALID)
    assert found.replay
    assert cost <= found.replay.costs[metric] <= cost + slack
    minisat = "SAT\n" + " ".join(map(str, literals))
    assert verify(puzzle, minisat, engines=(), variables=text).replay == found.replay


# Plans of others, by hand

ACTIONS = "; cost = 1 (unit cost)\n\n0.000: (A-PLUS-2-FROM-R1C1 ) [1.0]\n"
SIMPLE = "format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\n"


def test_the_loose_board_has_paths_inside_steps() -> None:
    stepwise = with_unit_cost(load_text(LOOSE).task("moves"))
    assert stepwise
    assert stepwise.compound_moves


def test_plans_as_planners_write_them() -> None:
    puzzle = load_text(SIMPLE)
    for text in (ACTIONS, "(a-plus-2-from-r1c1)\n", "( a-plus-2-from-r1c1 ) ; done"):
        assert verify(puzzle, text, 1, ()).verdict is Verdict.VALID
    steps = "(a-plus-1-from-r1c1)\n(a-plus-1-from-r1c2)"  # of the export in steps
    assert verify(puzzle, steps, 2, (), "steps").verdict is Verdict.VALID
    solved = load_text(SIMPLE.replace("AA..", "..AA"))
    assert verify(solved, "; cost = 0 (unit cost)\n", 0, ()).verdict is Verdict.VALID


def test_a_plan_of_one_metric_is_read_in_another() -> None:
    puzzle = load_text(DETOUR)
    moves = next(iter(to_pddl(puzzle.task("moves"))))
    assert "pick-up" in moves
    text = "(pick-up-a-at-r1c1)\n(a-d-from-r1c1)\n(a-r-from-r2c1)\n(put-down-a-at-r2c2)\n"
    found = verify(puzzle, text, engines=(), metric="slides")
    assert found.replay
    assert (found.replay.costs["moves"], found.replay.notation) == (1, ["A:DR"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(a-plus-1-from-r1c1)\n\n(a-plus-1-from-r1c9)", "line 3: the export has no action `a-plus-1-from-r1c9`; did"),
        ("(a-plus-22-from-r1c1)", "line 1: the export has no action `a-plus-22-from-r1c1`; did you mean `a-plus-2-f"),
        ("(pick-up-the-box)", "line 1: the export has no action `pick-up-the-box`"),
        ("(a-plus-1-from-r1c1)\n(a-plus-1-from-r1c1)", "move 2 (`a-plus-1-from-r1c1`): no piece at"),
        ("(a-plus-1-from-r1c1)", "the plan stops after 1 move and the goal is not reached"),
    ],
)
def test_wrong_plans_of_planners(text: str, words: str) -> None:
    found = verify(load_text(SIMPLE), text, engines=())
    assert found.verdict is Verdict.INVALID
    assert found.problem
    assert words in found.problem


def test_lurd_is_not_taken_for_actions() -> None:
    assert not is_of_actions("(rD)")
    assert not is_of_actions("2(rD)")
    assert not is_of_actions("A+2 B-1")
    assert not is_of_actions("")
    assert is_of_actions("(walk-r-from-r1c2)")


@pytest.mark.parametrize(
    ("answer", "change", "words"),
    [
        ("s UNSATISFIABLE", {}, "line 1: the solver found no model"),
        ("s SATISFIABLE", {}, "this answer has no model"),
        ("s SATISFIABLE\nv 1 two 0", {}, "line 2: `two` is no literal"),
        ("v -1 -2 0", {}, "no operator is true in step 0 of 1: is the model complete?"),
        ("v 1 2 0", {}, "2 operators are true in step 0: A+1 from r1c1, A+2 from r1c1"),
        ("v 1 0", {}, "the goal is not reached"),
        ("v 2 0", {}, None),
        ("v 2 0", {"1": "operator A+9 from r1c1, step 0"}, "variable 1 is the operator `A+9 from r1c1`, which unnamed"),
        ("v 2 0", {"1": "operator A+2 from r1c1, step 7"}, "beyond horizon 1"),
        ("v 2 0", {"1": "sun, step 7"}, "not a map of variables"),
    ],
)
def test_models_by_hand(answer: str, change: dict[str, str], words: str | None) -> None:
    named = {"1": "operator A+1 from r1c1, step 0", "2": "operator A+2 from r1c1, step 0", **change}
    text = json.dumps({"metric": "slides", "horizon": 1, "steps": "exactly", "variables": named})
    try:
        found = verify(load_text(SIMPLE), answer, engines=(), variables=text)
        said = found.problem
    except UsageError as error:
        said = str(error)
    assert (words is None) == (said is None)
    assert words is None or words in str(said)


def test_a_model_needs_its_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("v 1 0\n")
    assert main(["verify", "bird-2", "--plan", str(answer), "--engines", "none"]) == 2
    assert "name it with --map" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", "bird-2", "--plan", str(answer), "--map", str(answer), "--engines", "none"]) == 2
    assert "not a map of variables" in capsys.readouterr().err


def test_names_of_variables_are_read_back() -> None:
    for variable in (
        NamedVariable("fact", "A, layer 3 at r1c1", 2),
        NamedVariable("operator", "A+1", 0),
        NamedVariable("idle", "", 4),
    ):
        assert NamedVariable.parse(str(variable)) == variable
    assert NamedVariable.parse("auxiliary 3") is None


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
    formula = PreparedTask(load("bird-2").task("steps")).model(18, idle=False).formula
    assert to_dimacs(formula).splitlines()[1:] == [" ".join(line) for line in body]


# CP-SAT and LP


@pytest.mark.weekly
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
    bounded = PreparedTask(puzzle.task(metric))
    assert solve_lp(to_lp(bounded.model(cost - 1, idle=True))) is None
    assert solve_lp(to_lp(bounded.model(cost + 1, idle=True))) == pytest.approx(cost)
    assert solve_lp(to_lp(bounded.model(cost, idle=False))) == pytest.approx(0)


def test_a_refuted_horizon_is_infeasible_in_every_form() -> None:
    bounded = PreparedTask(load("level-01").task("slides")).model(3, idle=False)
    assert bounded.formula.contradiction
    assert "contradiction: one >= 2" in to_lp(bounded)
    assert len(to_cp_sat(bounded).constraints) > 0
    assert cp_sat_bytes(bounded)


# JSON


@pytest.mark.parametrize(("source", "metric"), [*PUZZLES, ("heng-dao-li-ma", "moves"), (SOKOBAN, "pushes,moves")])
def test_json_says_all_of_a_task(source: str | list[str], metric: str) -> None:
    task = puzzle_of(source).task(metric)
    value = json.loads(to_json(task))
    assert (value["format"], value["version"], value["name"]) == ("budge-task", 1, task.name)
    assert value["facts"] == list(task.facts)
    assert [group["facts"] for group in value["groups"]] == [list(group.facts) for group in task.groups]
    assert [tuple(map(tuple, (op["pre"], op["add"], op["delete"], op["cost"]))) for op in value["operators"]] == [
        (op.pre, op.add, op.delete, op.cost) for op in task.operators
    ]
    assert (value["init"], value["goal"]) == (list(task.init), [list(clause) for clause in task.goal])
    assert (value["walker"] is None) == (task.walker is None)


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


def test_files_beside_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path with an ending is a file in every format, and the names are the same in a folder."""
    assert main(["export", "bird-2", "--to", "pddl", "--out", str(tmp_path / "new" / "x.pddl")]) == 0
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["x-domain.pddl", "x-problem.pddl"]
    dimacs = ["export", "bird-2", "--to", "dimacs", "--horizon", "3", "--out"]
    assert main([*dimacs, str(tmp_path / "one" / "bird-2.cnf")]) == 0
    assert main([*dimacs, str(tmp_path / "all")]) == 0
    names = ["bird-2.cnf", "bird-2.cnf.map.json"]
    assert sorted(p.name for p in (tmp_path / "one").iterdir()) == names
    assert sorted(p.name for p in (tmp_path / "all").iterdir()) == names
    capsys.readouterr()
    assert main(["export", "bird-1", "bird-2", "--to", "pddl", "--out", str(tmp_path / "x.pddl")]) == 2
    assert capsys.readouterr().err.count("is one file for 2 puzzles") == 1


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


def test_a_horizon_is_not_below_zero(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["export", "bird-2", "--to", "dimacs", "--horizon", "-1"])
    assert stop.value.code == 2
    assert "--horizon needs a whole number from 0 on" in capsys.readouterr().err


def test_plans_by_operators_are_read_where_the_export_has_conditional_effects() -> None:
    """The same puzzle is exported in either form, by what is asked: a plan of one is no typing error in the other."""
    puzzle = load("custom/missionaries-and-cannibals")
    first = exported(puzzle.task("moves")).actions[0].name
    assert len(read_plan(puzzle, f"({first})\n", "moves").plan) == 1
    with pytest.raises(ReplayError, match="the export has no action `swim`"):
        read_plan(puzzle, "(swim)\n", "moves")
