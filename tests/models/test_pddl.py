"""PDDL problems: what is found of them is what an interpreter that was written apart finds."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from budge import Budget, Game, Status, load, load_text, solve
from budge.analysis.transformed_tasks import without_spare_objects
from budge.cli import main
from budge.commands.streams import Exit
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.plain.engine import solve as plain
from budge.models.errors import PuzzleError, ReplayError, UsageError
from budge.models.families import FAMILIES
from budge.models.families.custom.puzzle import Act
from budge.models.families.pddl import ground_actions
from budge.models.families.pddl.files import is_domain, paired
from budge.models.families.pddl.ground_actions import apart, ground_actions_of
from budge.models.families.pddl.grounding import cases_of, complete, ground
from budge.models.families.pddl.problem import Pddl, PddlSimulator
from budge.models.families.pddl.programs import programs
from budge.models.families.pddl.reading import read_pddl
from budge.models.library import as_puzzle, expand
from budge.models.moves import Metric
from budge.models.program import ProgramTask
from budge.models.task import OperatorTask
from budge.models.watching import progress_callback
from budge.proofs import rules_pddl
from budge.proofs.acting import ActingGame
from budge.proofs.core.exhaustion import visit
from budge.proofs.core.limits import Limits
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.pddl_domains import BLOCKS
from ..helpers.pddl_reading import PddlTask
from ..helpers.pddl_texts import DOMAIN, PROBLEM
from ..helpers.random_pddl import Problems
from ..helpers.reference import distances
from ..helpers.seeds import examples
from ..helpers.two_readers import true_in

MOST_STATES = 3_000


def optimum(task: PddlTask) -> int | str | None:
    """The least cost of a plan, by an interpreter that was written apart; `large` for too many states."""
    best, states = task.solve(MOST_STATES)
    return "large" if len(states) >= MOST_STATES else best


def as_programs(puzzle: Pddl, metric: Metric) -> ProgramTask:
    return programs(ground_actions_of(puzzle), metric, "")


def without_pairs(puzzle: Pddl, metric: Metric) -> OperatorTask:
    """The task as grounded where pairs of facts are too much work."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ground_actions, "MAX_WORK", 0)
        return ground(puzzle, metric)


def adds_what_is_false(task: OperatorTask) -> bool:
    """Whether operators add only facts that are false in the states where they apply: compiled searches flip bits."""
    applied = ((state, op) for state in distances(task)[0] for op in task.operators if state.issuperset(op.pre))
    return all(state.isdisjoint(op.add) for state, op in applied)


def compared(seed: int) -> str:
    """What came of a seed: whether there is a plan; and all that finds one agrees about its cost."""
    texts = Problems(seed, inner_costs=seed % 2 == 1).texts()
    task = PddlTask(*texts)
    expected = optimum(task)
    if expected == "large":
        return "large"
    puzzle = read_pddl(texts[0], "domain.pddl", texts[1], "problem.pddl")
    try:
        for made in (ground, complete, as_programs, without_pairs):
            grounded = made(puzzle, puzzle.metrics[0])
            found = plain(grounded, Budget(60))
            if isinstance(grounded, OperatorTask):
                grounded.validate()
                assert adds_what_is_false(grounded), seed
                fewer = plain(without_spare_objects(grounded), Budget(60))
                assert (fewer.status, fewer.upper_bound) == (found.status, found.upper_bound), seed
                compiled = breadth_first(grounded, Budget(60))
                assert (compiled.status, compiled.upper_bound) == (found.status, found.upper_bound), seed
            if expected is None:
                assert found.status == Status.UNSOLVABLE, seed
                continue
            assert found.status == Status.OPTIMAL, seed
            assert found.upper_bound == (expected,), seed
            assert found.plan
            game = PddlSimulator(puzzle)
            for move in found.plan.moves:
                assert isinstance(move, Act)
                game.play(move)
            assert game.solved
            assert game.costs["cost" if puzzle.priced else "actions"] == expected
    except UsageError:  # too many cases
        return "refused"
    return "unsolvable" if expected is None else "plan" if expected else "solved"


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150))
def test_random_problems(seed: int) -> None:
    compared(seed)


@pytest.mark.slow
def test_many_random_problems() -> None:
    outcomes = [compared(seed) for seed in range(10_000)]
    assert outcomes.count("plan") > 1_000
    assert outcomes.count("unsolvable") > 1_000
    assert outcomes.count("refused") < 300


@given(st.integers(0, 10**9))
@settings(max_examples=examples(60))
def test_the_moves_that_the_rules_list(seed: int) -> None:
    """In a state, the actions that are possible are those of the interpreter, and lead to the same states."""
    texts = Problems(seed, inner_costs=seed % 2 == 1).texts()
    task = PddlTask(*texts)
    game = PddlSimulator(read_pddl(texts[0], "domain.pddl", texts[1], "problem.pddl"))
    listed = {}
    for move in game.moves():
        other = PddlSimulator(game.puzzle)
        other.play(move)
        listed[" ".join((move.action, *move.args))] = frozenset(other.state), other.costs.get("cost", 1)
    assert listed == {name: (state, cost) for name, state, cost in task.successors(task.init)}


@given(st.integers(0, 10**9))
@settings(max_examples=examples(60))
def test_the_checker_plays_the_same_game(seed: int) -> None:
    """At the start, the checker of certificates finds the steps of an interpreter that was written apart."""
    texts = Problems(seed, inner_costs=seed % 2 == 1).texts()
    task = PddlTask(*texts)
    read = rules_pddl.read({"domain": texts[0], "problem": texts[1]}, "puzzle.yaml", Limits())
    game = ActingGame(read, "cost" if "cost" in read.prices else "actions", Limits())
    found = Counter((true_in(game, read, state), cost[0]) for cost, state in game.successors(game.start))
    assert found == Counter((state, cost) for _, state, cost in task.successors(task.init))


def test_derived_predicates() -> None:
    """What they say is put in their place: the plan is as long as with atoms that actions keep."""
    puzzle = read_pddl(BLOCKS.domain, "domain.pddl", BLOCKS.problem, "problem.pddl")
    assert puzzle.goal_text() == ("c above a, c above b, a not clear, free",)
    for made in (ground, complete, as_programs, without_pairs):
        found = plain(made(puzzle, puzzle.metrics[0]), Budget(60))
        assert found.upper_bound == (6,)
        game = PddlSimulator(puzzle)
        for move in found.plan.moves if found.plan else ():
            assert isinstance(move, Act)
            game.play(move)
        assert game.solved
    with pytest.raises(ReplayError, match=r"is not possible: `\(clear b\)` is false"):
        PddlSimulator(puzzle).play(Act("take", ("b",)))
    read = rules_pddl.read(BLOCKS._asdict(), "puzzle.yaml", Limits())
    assert visit(ActingGame(read, "actions", Limits()), lambda *_: False, Limits())[1] == (6,)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A domain and a problem, with names that do not tell that they belong together."""
    domain, problem = tmp_path / "ferry.pddl", tmp_path / "p01.pddl"
    domain.write_text(DOMAIN)
    problem.write_text(PROBLEM)
    return str(domain), str(problem)


def test_two_files(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *files, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "optimal"
    assert found["cost"] == PddlTask(DOMAIN, PROBLEM).solve()[0]


@pytest.mark.parametrize("engine", ["bfs", "astar", "idastar", "cp-sat", "auto"])
def test_engines_agree(files: tuple[str, str], engine: str) -> None:
    found = solve("+".join(files), engine, time_limit=60)
    assert found.status == Status.OPTIMAL
    assert found.outcome.upper_bound == (PddlTask(DOMAIN, PROBLEM).solve()[0],)


@pytest.mark.parametrize("engine", ["bfs", "astar", "cp-sat"])
def test_what_is_true_may_be_made_true_again(engine: str) -> None:
    """A second visit of a place takes nothing away: on a star with three ends, from one to both others."""
    domain = """(define (domain visit) (:predicates (at ?x) (visited ?x) (linked ?x ?y))
      (:action move :parameters (?x ?y) :precondition (and (at ?x) (linked ?x ?y))
        :effect (and (not (at ?x)) (at ?y) (visited ?y))))"""
    links = " ".join(f"(linked {x} h) (linked h {x})" for x in "abc")
    problem = f"""(define (problem star) (:domain visit) (:objects h a b c) (:init (at a) (visited a) {links})
      (:goal (and (visited h) (visited b) (visited c))))"""
    puzzle = load_text(json.dumps({"format": 1, "family": "pddl", "domain": domain, "problem": problem}))
    found = solve(puzzle, engine, time_limit=60)
    assert (found.status, found.cost) == (Status.OPTIMAL, 4)


@pytest.mark.parametrize("engine", ["bfs", "astar", "greedy", "cp-sat"])
def test_actions_without_preconditions(engine: str) -> None:
    """Searches list operators by what they need, and these need nothing."""
    domain = """(define (domain lamps) (:types lamp) (:predicates (lit ?x - lamp) (dark))
      (:action light :parameters (?x - lamp) :effect (lit ?x))
      (:action blow :parameters () :effect (and (dark) (forall (?x - lamp) (not (lit ?x))))))"""
    problem = """(define (problem two) (:domain lamps) (:objects a b - lamp)
      (:init (lit a)) (:goal (and (dark) (lit a) (lit b))))"""
    solution = solve({"format": 1, "family": "pddl", "domain": domain, "problem": problem}, engine)
    assert (solution.status, solution.cost) == (Status.OPTIMAL if engine != "greedy" else Status.FEASIBLE, 3)


@given(st.integers(0, 10**9))
@settings(max_examples=examples(60))
def test_pairs_that_are_never_met(seed: int) -> None:
    texts = Problems(seed).texts()
    _, states = PddlTask(*texts).solve(MOST_STATES)
    changes = ground_actions_of(read_pddl(texts[0], "domain.pddl", texts[1], "problem.pddl"))
    try:
        steps = [case.step for change in changes.actions for case in cases_of(change)]
    except UsageError:  # too many cases
        return
    init = [number for number, atom in changes.atoms.items() if atom in changes.puzzle.init]
    never = apart(1 + max(changes.atoms, default=-1), init, steps, progress_callback())
    assert never is not None
    for state in states:
        facts = [2 * number + (atom in state) for number, atom in changes.atoms.items()]
        assert not any(never[fact] >> other & 1 for fact in facts for other in facts)


def test_one_operator_where_pairs_say_what_was_true() -> None:
    """A walker that leaves a trail: that there is no trail to where it goes follows from where it has been."""
    domain = """(define (domain trail) (:predicates (next ?x ?y) (at ?x) (been ?x) (trail ?x ?y))
      (:action go :parameters (?x ?y) :precondition (and (next ?x ?y) (at ?x) (not (been ?y)))
        :effect (and (at ?y) (not (at ?x)) (been ?y) (trail ?x ?y)))
      (:action back :parameters (?x ?y) :precondition (and (at ?y) (trail ?x ?y))
        :effect (and (at ?x) (not (at ?y)) (not (been ?y)) (not (trail ?x ?y)))))"""
    ways = " ".join(f"(next {x} {y})" for x, y in ("ab", "ba", "bc", "cb", "ca", "ac", "cd", "dc"))
    problem = f"""(define (problem four) (:domain trail) (:objects a b c d)
      (:init {ways} (at a) (been a)) (:goal (and (trail b c) (trail c d))))"""
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    task = ground(puzzle, puzzle.metrics[0])
    assert len(task.operators) == len({op.move for op in task.operators}) == 10
    assert plain(task, Budget(60)).upper_bound == (3,)


def test_pieces_are_found_by_what_they_turn_into() -> None:
    """Eight pieces of two colours on a ring, that flip as they move: no argument says which piece an atom is of."""
    places = range(8)
    predicates = " ".join(f"(p{n} ?x ?y - colour)" for n in places)

    def turn(name: str, first: int, by: int) -> str:
        moved = [(first + k, first + (k + by) % 4) for k in range(4)]
        parts = [f"(when (p{a % 8} ?x ?y) (and (not (p{a % 8} ?x ?y)) (p{b % 8} ?y ?x)))" for a, b in moved]
        return f"(:action {name} :parameters () :effect (forall (?x ?y - colour) (and {' '.join(parts)})))"

    turns = [turn(f"{way}{first}", first, by) for first in (0, 4, 2) for way, by in (("on", 1), ("back", 3))]
    names = [f"c{n}" for n in range(9)]
    start = [f"(p{n} {names[n]} {names[n + 1]})" for n in places]
    goal = [f"(p{n} {names[m]} {names[m + 1]})" for n, m in zip(places, (4, 1, 2, 0, 3, 5, 6, 7), strict=True)]
    domain = f"(define (domain ring) (:types colour) (:predicates {predicates}) {' '.join(turns)})"
    problem = f"""(define (problem eight) (:domain ring) (:objects {" ".join(names)} - colour)
      (:init {" ".join(start)}) (:goal (and {" ".join(goal)})))"""
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    task = as_programs(puzzle, puzzle.metrics[0])
    assert [len(variable.values) for variable in task.variables] == [9] * 8


def test_what_stays_true_is_not_taken_away() -> None:
    """One effect takes `a` away and gives `b`, another one makes `a` true again: both can be true."""
    domain = """(define (domain d) (:predicates (a) (b) (p) (q))
      (:action p :parameters () :precondition (not (p)) :effect (p))
      (:action q :parameters () :precondition (not (q)) :effect (q))
      (:action swap :parameters () :precondition (a) :effect (and (when (p) (and (not (a)) (b))) (when (q) (a)))))"""
    problem = "(define (problem both) (:domain d) (:init (a)) (:goal (and (a) (b))))"
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    assert plain(as_programs(puzzle, puzzle.metrics[0]), Budget(60)).upper_bound == (3,)


def test_what_another_atom_does_not_change_stays() -> None:
    """An effect where `p` is true says nothing of where it is not."""
    domain = """(define (domain d) (:predicates (lit ?x) (p) (q))
      (:action go :parameters () :effect (and (when (p) (lit one)) (not (lit other)) (q)))
      (:action turn :parameters () :precondition (q) :effect (p)))"""
    problem = "(define (problem one) (:domain d) (:objects one other) (:init (lit one)) (:goal (not (lit one))))"
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    assert plain(as_programs(puzzle, puzzle.metrics[0]), Budget(60)).status == Status.UNSOLVABLE


def test_what_is_fixed_is_true_too_and_no_object_is_not_every_object() -> None:
    domain = """(define (domain d) (:types van plane - object) (:predicates (red ?v) (used ?v))
      (:action use :parameters (?v - van) :precondition (red ?v) :effect (used ?v)))"""
    problem = """(define (problem p) (:domain d) (:objects v - van) (:init (red v))
      (:goal (and (forall (?v - van) (used ?v)) (forall (?p - plane) (used ?p))
        (not (exists (?q - plane) (red ?q))))))"""
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    assert PddlSimulator(puzzle).board() == ("nothing that can change is true",)
    assert puzzle.goal_text() == (
        "(for every van v: v used), (true, as no object can be p), not (never, as no object can be q)",
    )


EVERY = [f"c{x} c{y}" for x in range(1, 11) for y in range(1, 11)]


@pytest.mark.parametrize(
    ("true", "shown"),
    [
        ([], "nothing is true"),
        (["c10 c1", "c2 c1"], "cell: c2 c1, c10 c1"),
        (EVERY[:50], "and 10 more"),
        (EVERY[1:-1], "cell: all but c1 c1, c10 c10"),
        (EVERY, "cell: all"),
    ],
)
def test_states_with_many_atoms_are_told_in_short(true: list[str], shown: str) -> None:
    """Those are named that are true, or those that are not if they are fewer; and of too many the first."""
    domain = """(define (domain d) (:types place) (:predicates (cell ?x ?y - place))
      (:action a :parameters (?x ?y - place) :precondition (cell ?x ?y) :effect (not (cell ?x ?y))))"""
    problem = f"""(define (problem p) (:domain d) (:objects {" ".join(f"c{i}" for i in range(1, 11))} - place)
      (:init {" ".join(f"(cell {one})" for one in true)}) (:goal (not (cell c1 c2))))"""
    board = PddlSimulator(read_pddl(domain, "domain.pddl", problem, "problem.pddl")).board()
    assert " ".join(" ".join(board).split()).endswith(shown)


def test_every_command_takes_two_files(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["check"],
        ["show"],
        ["explain"],
        ["hint"],
        ["explore", "--metric", "actions"],
        ["export", "--to", "json"],
    ):
        assert main([command[0], *files, *command[1:]]) == 0, command
    assert "at: red left, blue left" in capsys.readouterr().out


def test_plans_of_other_planners(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "sas_plan"
    assert main(["solve", *files, "--plan-out", str(plan), "--quiet"]) == 0
    lines = plan.read_text().splitlines()
    assert all(line.startswith("(") and line.endswith(")") for line in lines)
    plan.write_text("; found by a planner\n" + "\n".join(f"0.{n}: {line.upper()}  [1]" for n, line in enumerate(lines)))
    cost = PddlTask(DOMAIN, PROBLEM).solve()[0]
    assert cost is not None
    assert main(["verify", *files, "--plan", str(plan), "--claim", str(cost), "--quiet"]) == 0
    assert main(["verify", *files, "--plan", str(plan), "--claim", str(cost + 1), "--quiet"]) == 1
    capsys.readouterr()
    timed = [f"{n}.000: {line} [1.000]" for n, line in enumerate(lines)]
    plan.write_text("\n".join(reversed(timed)))
    assert main(["verify", *files, "--plan", str(plan), "--claim", str(cost), "--quiet"]) == 0
    plan.write_text("\n".join([*timed[1:], lines[0]]))
    assert main(["verify", *files, "--plan", str(plan), "--quiet"]) == 2
    assert "some steps have a time before them" in "".join(capsys.readouterr())
    plan.write_text("(board red right)")
    assert main(["verify", *files, "--plan", str(plan), "--quiet"]) == 1
    assert "is not possible: `(at red right)` is false" in " ".join("".join(capsys.readouterr()).split())


def test_a_problem_finds_its_domain(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "p01.pddl").write_text(PROBLEM)
    assert load(str(tmp_path / "p01.pddl")).family == "pddl"
    assert expand([str(tmp_path)]) == [str(tmp_path / "p01.pddl")]
    assert isinstance(as_puzzle(tmp_path / "p01.pddl").value, Pddl)
    with pytest.raises(UsageError, match="is a domain; name its problem"):
        load(str(tmp_path / "domain.pddl"))
    with pytest.raises(PuzzleError, match=r"p02.pddl: error: cannot read the file"):
        load(str(tmp_path / "p02.pddl"))


def test_a_problem_without_a_domain(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PuzzleError, match="no domain was found"):
        load(files[1])
    assert main(["check", str(tmp_path)]) == Exit.USAGE  # a folder does not pass over it
    assert "no domain was found" in capsys.readouterr().err


def test_names_in_pairs(files: tuple[str, str], tmp_path: Path) -> None:
    domain, problem = files
    (tmp_path / "p02.pddl").write_text(PROBLEM)
    second = str(tmp_path / "p02.pddl")
    assert is_domain(Path(domain))
    assert not is_domain(Path(problem))
    assert paired([domain, problem, second]) == [f"{domain}+{problem}", f"{domain}+{second}"]
    assert paired([problem, domain]) == [f"{domain}+{problem}"]
    assert paired(["bird-1", domain, problem]) == ["bird-1", f"{domain}+{problem}"]
    assert paired([domain]) == [domain]
    assert paired(["bird-1", domain]) == ["bird-1", domain]
    assert paired([domain, domain, problem]) == [domain, f"{domain}+{problem}"]


def test_a_puzzle_file_with_the_text(tmp_path: Path) -> None:
    sample = FAMILIES["pddl"].sample
    found = solve(load_text(sample))
    assert found.outcome.upper_bound == (7,)
    again = load_text(found.puzzle.to_yaml())
    assert again.digest == found.puzzle.digest


def test_a_position_is_written_as_the_start() -> None:
    """Its atoms in place of the given ones; the values of functions stay."""
    puzzle = load_text(PRICED)
    game = Game(puzzle)
    game.play(game.moves()[0])
    later = game.here()
    assert later.value.init == frozenset({("on", "a"), ("free", "b")})
    assert later.value.values == puzzle.value.values
    assert (solve(puzzle).cost, solve(later).cost) == (5, 2)


PRICED = """format: 1
family: pddl
domain: |
  (define (domain d) (:requirements :strips :action-costs)
    (:predicates (on ?x) (free ?x)) (:functions (total-cost) - number (price ?x) - number)
    (:action put :parameters (?x) :precondition (free ?x)
      :effect (and (on ?x) (not (free ?x)) (increase (total-cost) (price ?x)))))
problem: |
  (define (problem p) (:domain d) (:objects a b) (:init (free a) (free b)
    (= (total-cost) 0) (= (price a) 3) (= (price b) 2))
    (:goal (and (on a) (on b))) (:metric minimize (total-cost)))
"""


def test_a_puzzle_file_that_names_files(files: tuple[str, str], tmp_path: Path) -> None:
    puzzle = tmp_path / "puzzle.yaml"
    puzzle.write_text("format: 1\nfamily: pddl\ndomain: ferry.pddl\nproblem: p01.pddl\nexpect: {cost: 9}\n")
    assert load(str(puzzle)).value.priced
    puzzle.write_text("format: 1\nfamily: pddl\ndomain: fery.pddl\nproblem: p01.pddl\n")
    with pytest.raises(Exception, match=r"puzzle.yaml:3:9: .*`fery.pddl` cannot be read"):
        load(str(puzzle))


def test_errors_in_the_text_of_a_puzzle_file() -> None:
    text = FAMILIES["pddl"].sample.replace("(ferry-at ?to) (not", "(fery-at ?to) (not")
    with pytest.raises(Exception, match=r"<text>:11:21: .*`fery-at`"):
        load_text(text)


FOREIGN = {
    "of FF": "ff: found legal plan as follows\n\nstep    0: BOARD RED LEFT\n        1: SAIL LEFT RIGHT\n",
    "a log": "board red left (1)\nsail left right (1)\n[t=0.1s] Plan length: 2 step(s).\n",
    "printed": "SequentialPlan:\n    board(red, left)\n    sail(left, right)\n",
    "empty": "",
    "a comment": "; no plan found\n",
}
"""Texts in forms that are not read; what plan is meant, if any, is not known."""


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_what_cannot_be_read_is_not_called_invalid(
    files: tuple[str, str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan"
    plan.write_text(text)
    for command in (["verify", "--engines", "none"], ["verify", "--claim", "3"], ["replay"]):
        assert main([command[0], *files, "--plan", str(plan), *command[1:], "--quiet"]) == 2
        said = " ".join("".join(capsys.readouterr()).split())
        assert "the plan cannot be read: " in said
        assert "write each action in parentheses" in said
        assert "invalid" not in said


def test_a_plus_in_a_path_does_not_join_two_files(files: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "c++"
    folder.mkdir()
    moved = [str(shutil.copy(file, folder)) for file in files]
    assert main(["check", *moved]) == 0
    assert main(["check", "+".join(moved)]) == 0


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("(fly red)", "there is no action `fly`; choose one of"),
        ("(board red)", r"`board` takes \?c \?p"),
        ("(board left left)", r"`\?c` of `board` cannot be `left`"),
        ("(sail left left)", r"\(sail left left\) is not possible: `\(= left left\)` is true"),
        ("board red left", "is no action; write each action in parentheses"),
    ],
)
def test_what_no_plan_may_do(files: tuple[str, str], step: str, says: str) -> None:
    puzzle = load("+".join(files))
    with pytest.raises(ReplayError, match=says):
        puzzle.replay(puzzle.parse_plan(step))


LORRY = (
    """
(define (domain lorry) (:requirements :adl :action-costs)
  (:types place parcel)
  (:predicates (at ?p - parcel ?l - place) (lorry ?l - place) (road ?a ?b - place) (heavy ?p - parcel) (in ?p - parcel))
  (:functions (total-cost) - number (far ?a ?b - place) - number (weight ?p - parcel) - number)
  (:action drive :parameters (?a ?b - place) :precondition (and (lorry ?a) (road ?a ?b))
    :effect (and (not (lorry ?a)) (lorry ?b) (increase (total-cost) (far ?a ?b))
      (forall (?p - parcel) (when (in ?p) (increase (total-cost) (weight ?p))))))
  (:action load :parameters (?p - parcel ?a - place) :precondition (and (lorry ?a) (at ?p ?a))
    :effect (and (not (at ?p ?a)) (in ?p) (when (heavy ?p) (increase (total-cost) 5)) (increase (total-cost) 1)))
  (:action unload :parameters (?p - parcel ?a - place) :precondition (and (lorry ?a) (in ?p))
    :effect (and (at ?p ?a) (not (in ?p)) (forall (?l - place) (increase (total-cost) 1)))))
""",
    """
(define (problem two) (:domain lorry)
  (:objects a b c island - place x y - parcel)
  (:init (lorry a) (at x a) (at y b) (road a b) (road b c) (heavy x) (= (total-cost) 10)
    (= (far a b) 2) (= (far b c) 2) (= (weight x) 3) (= (weight y) 1))
  (:goal (and (at x c) (at y c)))
  (:metric minimize (total-cost)))
""",
)
"""Costs under `when` and `forall`, a total cost that has begun, no costs of roads that there are not."""


def test_costs_that_depend_on_what_is_true(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in zip(("domain.pddl", "p.pddl"), LORRY, strict=True):
        (tmp_path / name).write_text(text)
    file = str(tmp_path / "p.pddl")
    assert main(["check", file]) == 0
    assert "note: the total cost starts at 10: the cost of a plan is what its actions add" in "".join(
        capsys.readouterr()
    )
    for engine in ("plain", "bfs", "astar"):
        assert solve(file, engine=engine).cost == 6 + (2 + 3) + 1 + (2 + 3 + 1) + 4 + 4
    assert main(["certify", file, "--out", str(tmp_path / "certificate")]) == 0
    assert "valid: cost 26 is the optimum" in capsys.readouterr().out


def test_a_cost_without_a_value() -> None:
    domain, problem = LORRY[0], LORRY[1].replace("(= (far b c) 2)", "")
    puzzle = read_pddl(domain, "d.pddl", problem, "p.pddl")
    with pytest.raises(UsageError, match=r"p.pddl:4:3: error: `\(far b c\)` has no value, but the cost of `drive`"):
        ground(puzzle, puzzle.metrics[0]).validate()
    game = PddlSimulator(puzzle)
    game.play(Act("drive", ("a", "b")))
    with pytest.raises(ReplayError, match=r"`\(far b c\)` has no value"):
        game.play(Act("drive", ("b", "c")))


def test_costs_of_too_many_cases() -> None:
    parcels = " ".join(f"p{number}" for number in range(7))
    problem = LORRY[1].replace("x y - parcel", f"x y {parcels} - parcel")
    problem = problem.replace("(heavy x)", " ".join(f"(at {one} a) (= (weight {one}) 1)" for one in parcels.split()))
    puzzle = read_pddl(LORRY[0], "d.pddl", problem, "p.pddl")
    with pytest.raises(UsageError, match="`drive` falls into more than 64 cases of what the action costs"):
        ground(puzzle, puzzle.metrics[0])
