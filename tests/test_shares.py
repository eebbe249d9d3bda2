"""Shares: what the moves of single pieces cost at least, found and certified, and found again by brute force.

The searches of this file know nothing of Budge: a board is a set of cells for each letter.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from budge import UsageError, certify, load, load_text
from budge.cli import main
from budge.encoders.exports.problem_writing import write
from budge.proofs.check import check_folder
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import PLAN, PUZZLE
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Limits, Rejected
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import read
from budge.proofs.folder import write_files
from budge.proofs.owners import owners_of
from budge.proofs.pricing import priced
from budge.proofs.puzzles import puzzle_of
from budge.proofs.searching import Search
from budge.proofs.shares import alike
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID
from budge.workflows.certifying import NotCertified
from budge.workflows.exporting import problem_of
from budge.workflows.same_puzzle import canonical
from budge.workflows.sharing import Asked, certify_shares
from budge.workflows.solving import solve

from .made_certificates import PUZZLES
from .mutated_certificates import other_problem
from .test_proofs import PROOFS

Cell = tuple[int, int]
Board = frozenset[tuple[str, frozenset[Cell]]]
Moves = Callable[[Any], Iterable[tuple[str, Hashable]]]
"""The moves of a state: whose each is, and the state after it."""

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def share(start: Hashable, moves: Moves, solved: Callable[[Any], bool], owners: set[str]) -> int:
    """The least number of moves of some owners in a plan, by Dijkstra's search."""
    best, heap, met = {start: 0}, [(0, 0, start)], 0
    while heap:
        cost, _, state = heapq.heappop(heap)
        if solved(state):
            return cost
        if cost > best[state]:
            continue
        for owner, then in moves(state):
            total = cost + (owner in owners)
            if total < best.get(then, 1 << 30):
                best[then], met = total, met + 1
                heapq.heappush(heap, (total, met, then))
    raise AssertionError("no plan")


def board_of(rows: list[str]) -> Board:
    letters = sorted(set("".join(rows)) - set("."))
    cells = [((r, c), x) for r, row in enumerate(rows) for c, x in enumerate(row)]
    return frozenset((letter, frozenset(cell for cell, x in cells if x == letter)) for letter in letters)


def sliding(size: Cell, ways: Callable[[frozenset[Cell]], str], whole: bool) -> Moves:
    """Every piece goes one cell, or, if `whole`, any number of cells in one direction."""

    def moves(board: Board) -> Iterator[tuple[str, Board]]:
        for letter, cells in board:
            others = {cell for other, its in board if other != letter for cell in its}
            for way in ways(cells):
                (dr, dc), here = WAYS[way], cells
                while True:
                    here = frozenset((r + dr, c + dc) for r, c in here)
                    if others & here or not all(0 <= r < size[0] and 0 <= c < size[1] for r, c in here):
                        break
                    yield letter, board - {(letter, cells)} | {(letter, here)}
                    if not whole:
                        break

    return moves


def along(cells: frozenset[Cell]) -> str:
    return "LR" if len({r for r, _ in cells}) == 1 else "UD"


def every_way(_cells: frozenset[Cell]) -> str:
    return "UDLR"


def in_runs(moves: Moves) -> Moves:
    """A move takes one piece any way: who moved last is part of the state, and is named only where another begins."""

    def runs(state: Any) -> Iterator[tuple[str, Hashable]]:
        board, last = state
        for letter, then in moves(board):
            yield "" if letter == last else letter, (then, letter)

    return runs


def pushing(rows: list[str]) -> tuple[Hashable, Moves, Callable[[Any], bool]]:
    """Sokoban with boxes that keep their names, the cells where they began."""
    cells = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}
    (player,) = (cell for cell, x in cells.items() if x in "@+")
    boxes = frozenset((f"r{r + 1}c{c + 1}", (r, c)) for (r, c), x in cells.items() if x in "$*")
    goals = {cell for cell, x in cells.items() if x in ".+*"}

    def moves(state: Any) -> Iterator[tuple[str, Hashable]]:
        (r, c), boxes = state
        at = {cell: name for name, cell in boxes}
        for dr, dc in WAYS.values():
            there, beyond = (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)
            if cells.get(there, "#") == "#":
                continue
            if there not in at:
                yield "player", (there, boxes)
            elif cells.get(beyond, "#") != "#" and beyond not in at:
                yield at[there], (there, boxes - {(at[there], there)} | {(at[there], beyond)})

    return (player, boxes), moves, lambda state: all(cell in goals for _, cell in state[1])


def shares_of(name: str, metric: str, owners: list[str], folder: Path) -> dict[str, int]:
    """What `certify` finds for some owners (`A`, or together `A,B`), each in a certificate of its own."""
    puzzle = load_text(PUZZLES[name]) if name in PUZZLES else load(name)
    found = {}
    for words in owners:
        made = certify_shares(Asked(puzzle, metric, (tuple(words.split(",")),)), folder / words)
        assert made.verdict.status == VALID
        found[words] = int((folder / words / CLAIM).read_text().split("\n")[1].removeprefix("at-least "))
    return found


def rows_in(text: str, key: str) -> list[str]:
    lines = text.split(f"{key}: |2\n")[1].split("\n")
    return [line[2:] for line in lines[: next(i for i, line in enumerate(lines) if not line.startswith("  "))]]


RUSH = [
    ("rush", ["A", "B", "C", "D", "B,C"]),
    ("lanes", ["A", "B", "C", "G", "H", "D,E"]),
    ("level-26", ["A", "F", "E,G"]),
]


@pytest.mark.parametrize(("name", "owners"), RUSH)
@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_shares_of_vehicles(name: str, owners: list[str], metric: str, tmp_path: Path) -> None:
    puzzle = load_text(PUZZLES[name]) if name in PUZZLES else load(name)
    rows = list(puzzle.board())
    row, column = puzzle.value.exit_cell
    moves = sliding((len(rows), len(rows[0])), along, metric == "slides")

    def solved(board: Board) -> bool:
        return any(letter == puzzle.value.target and (row, column) in cells for letter, cells in board)

    wanted = {words: share(board_of(rows), moves, solved, set(words.split(","))) for words in owners}
    assert shares_of(name, metric, owners, tmp_path) == wanted
    assert max(wanted.values()) > 0


@pytest.mark.parametrize("metric", ["steps", "slides", "moves"])
def test_shares_of_blocks(metric: str, tmp_path: Path) -> None:
    """The pieces a and b are alike, and so are c and d; of each kind one by itself, and both together."""
    text = PUZZLES["blocks"]
    start: Hashable = board_of(rows_in(text, "board"))
    moves = sliding((3, 4), every_way, metric == "slides")

    def solved(board: Board) -> bool:
        return ("X", frozenset({(1, 1), (1, 2), (2, 1), (2, 2)})) in board

    over: Callable[[Any], bool] = solved
    if metric == "moves":
        start, moves, over = (start, ""), in_runs(moves), lambda state: solved(state[0])
    owners = ["X", "a", "d", "a,b", "c,d", "X,c"]
    wanted = {words: share(start, moves, over, set(words.split(","))) for words in owners}
    assert shares_of("blocks", metric, owners, tmp_path) == wanted
    assert wanted["X"] > 0


def test_one_of_several_blocks_where_the_text_has_variables_for_free_cells() -> None:
    """There the need of a free cell says that no other block of its kind is on it."""
    puzzle, limits = load("bing-dang-jiang-zu"), Limits(60, 1024)
    known, problem = puzzle_of(canonical(puzzle)), read(problem_of(puzzle, "moves").text)
    owners = owners_of(known, "moves", limits)
    several = [words for words in owners.everyone() if len(words) > 1]
    assert several
    for word, *_ in several:
        moves = alike(priced(problem, known, [word], limits), known, owners, [word], limits)
        assert moves is not None
        assert moves > 5


def test_shares_of_tiles(tmp_path: Path) -> None:
    start, goal = board_of(["153", "24."]), board_of(["123", "45."])
    moves = sliding((2, 3), every_way, False)
    owners = ["1", "2", "3", "5", "2,4"]
    wanted = {words: share(start, moves, lambda board: board == goal, set(words.split(","))) for words in owners}
    assert shares_of("turned", "moves", owners, tmp_path) == wanted
    assert max(wanted.values()) > 1


@pytest.mark.parametrize("metric", ["pushes", "moves"])
def test_shares_of_boxes(metric: str, tmp_path: Path) -> None:
    start, moves, solved = pushing(rows_in(PUZZLES["rooms"], "map"))
    owners = ["r4c4", "r4c6", "r4c4,r4c6", *(["player"] if metric == "moves" else [])]
    wanted = {words: share(start, moves, solved, set(words.split(","))) for words in owners}
    assert shares_of("rooms", metric, owners, tmp_path) == wanted
    assert wanted["r4c4,r4c6"] == 6


def test_shares_of_actions(tmp_path: Path) -> None:
    """Wolf, goat and cabbage: 3 for the goat, 1 for each other, 2 for rowing alone; 7 together, as the optimum."""
    things = ("wolf", "goat", "cabbage")

    def moves(state: Any) -> Iterator[tuple[str, Hashable]]:
        boat = state[3]
        for i in (None, 0, 1, 2):
            sides = [1 - side if place in (i, 3) else side for place, side in enumerate(state)]
            alone = [side for side in sides[:3] if side == boat]
            bad = sides[1] == boat and boat in (sides[0], sides[2])
            if (i is None or state[i] == boat) and not (bad and len(alone) > 1):
                yield "row" if i is None else f"carry:{things[i]}", tuple(sides)

    owners = ["carry:wolf", "carry:goat", "carry:cabbage", "row", "carry"]
    kinds = {words: {w for w in (*owners[:4],) if w == words or w.startswith(f"{words}:")} for words in owners}
    wanted = {w: share((0, 0, 0, 0), moves, lambda state: state == (1, 1, 1, 1), kinds[w]) for w in owners}
    assert shares_of("wolf-goat-cabbage", "moves", owners, tmp_path) == wanted
    assert list(wanted.values()) == [1, 3, 1, 2, 5]


DOMAIN = """(define (domain parcels) (:types truck place)
(:predicates (at ?t - truck ?p - place) (road ?p - place ?q - place) (lies ?p - place) (in ?t - truck))
(:action drive :parameters (?t - truck ?p - place ?q - place) :precondition (and (at ?t ?p) (road ?p ?q))
  :effect (and (not (at ?t ?p)) (at ?t ?q)))
(:action load :parameters (?t - truck ?p - place) :precondition (and (at ?t ?p) (lies ?p))
  :effect (and (not (lies ?p)) (in ?t)))
(:action unload :parameters (?t - truck ?p - place) :precondition (and (at ?t ?p) (in ?t))
  :effect (and (not (in ?t)) (lies ?p))))"""
TASK = """(define (problem one) (:domain parcels) (:objects t1 t2 - truck a b c - place)
(:init (at t1 a) (at t2 c) (lies a) (road a b) (road b a) (road b c) (road c b)) (:goal (lies c)))"""


def test_shares_of_a_task_in_pddl(tmp_path: Path) -> None:
    """Either truck can bring the parcel, so neither has to drive; both together drive twice."""
    puzzle = load_text(json.dumps({"format": "1", "family": "pddl", "domain": DOMAIN, "problem": TASK}))
    asked = Asked(puzzle, "actions", (("drive",), ("load",), ("unload:t1", "unload:t2")))
    made = certify_shares(asked, tmp_path / "all")
    assert made.verdict.shown == "every plan has at least 4 actions"
    for truck in ("drive:t1", "drive:t2"):
        made = certify_shares(Asked(puzzle, "actions", ((truck,),)), tmp_path / truck)
        assert made.verdict.shown == f"every plan has at least 0 actions of drive({truck[6:]})"
    for other in ("fly", "drive:a", "drive:t1:a"):
        with pytest.raises(UsageError, match="nothing that moves"):
            certify_shares(Asked(puzzle, "actions", ((other,),)), tmp_path / "other")


# What is refused


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def refused(files: dict[str, bytes], folder: Path, status: str = INVALID) -> str:
    """Why the checker refuses some files."""
    write_files(folder, files)
    verdict = check_folder(folder)
    assert verdict.status == status, verdict.lines
    return verdict.problem


def changed(files: dict[str, bytes], *pairs: tuple[str, str], name: str = CLAIM) -> dict[str, bytes]:
    text = files[name].decode()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return {**files, name: text.encode()}


LEVEL = "level-26"
"""Nine vehicles, 23 slides: A 4, F 4, E 3, G 3, B 2, C 2, H 2, I 2, D 1."""


@pytest.fixture(name="all_shares", scope="module")
def _all_shares(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder, puzzle = tmp_path_factory.mktemp("shares"), load(LEVEL)
    made = certify_shares(Asked(puzzle, "slides", None, solve(puzzle, "plain", "slides")), folder)
    assert made.verdict.shown == "23 slides is the optimum"
    return files_in(folder)


def test_all_shares_are_the_optimum(all_shares: dict[str, bytes], tmp_path: Path) -> None:
    """The sum is stated; without its plan it is a lower bound, and so are some of the shares."""
    lines = all_shares[CLAIM].decode().split("\n")
    told = [line.removeprefix("share ") for line in lines if line.startswith("share ")]
    assert told == ["A 4", "F 4", "E 3", "G 3", "B 2", "C 2", "I 2", "H 2", "D 1"]
    alone = {name: data for name, data in all_shares.items() if name != PLAN}
    write_files(tmp_path / "bound", changed(alone, ("optimum", "at-least")))
    verdict = check_folder(tmp_path / "bound")
    assert (verdict.status, verdict.shown) == (VALID, "every plan has at least 23 slides")
    some = "\n".join([lines[0], "at-least 8", "by shares 2", *lines[3:7], ""])
    write_files(tmp_path / "some", {**alone, CLAIM: some.encode()})
    assert check_folder(tmp_path / "some").shown == "every plan has at least 8 slides"


def test_pairs_have_more_than_single_shares(tmp_path: Path) -> None:
    """Three people and a torch, three crossings. Ann crosses once in any plan, Bob need not; but together twice."""
    made = certify(load_text(PUZZLES["bridge"]), tmp_path, "crossings", shares=True)
    assert made.verdict.shown == "every plan has at least 2 crossings of cross(Ann) and cross(Bob) together"


def test_a_share_that_is_too_large_is_refused(all_shares: dict[str, bytes], tmp_path: Path) -> None:
    """Whatever number of states is claimed with it; each share in turn."""
    alone = {name: data for name, data in all_shares.items() if name != PLAN}
    lines = alone[CLAIM].decode().split("\n")
    for number, line in enumerate(lines):
        if line.startswith("share "):
            _, letter, cost = line.split(" ")
            more = [*lines[:number], f"share {letter} {int(cost) + 1}", *lines[number + 1 :]]
            more[1] = "at-least 24"
            problem = refused({**alone, CLAIM: "\n".join(more).encode()}, tmp_path / letter)
            assert f"the share of {letter} is wrong: there is a plan with only {cost} slide" in problem


def test_shares_of_others_are_refused(all_shares: dict[str, bytes], tmp_path: Path) -> None:
    """Other owners, owners that are counted twice or are none, another sum, another plan, and no puzzle."""
    files = changed(all_shares, ("share A 4", "share D 4"), ("share D 1", "share A 1"))
    assert "the share of D is wrong: there is a plan with only 1 slide" in refused(files, tmp_path)
    files = changed(all_shares, ("share F 4", "share A 4"))
    assert "counted twice" in refused(files, tmp_path)
    files = changed(all_shares, ("share F 4", "share A,F 4"))
    assert "counted twice" in refused(files, tmp_path)
    files = changed(all_shares, ("share F 4", "share Q 4"))
    assert "`Q` names nothing" in refused(files, tmp_path)
    files = changed(all_shares, ("share F 4", "share F,A,B 4 4"))
    assert "line 6" in refused(files, tmp_path)
    assert "together 23 slides" in refused(changed(all_shares, ("optimum 23", "optimum 24")), tmp_path)
    assert "visits 178 states" in refused(changed(all_shares, ("178", "177")), tmp_path)
    assert "as many shares" in refused(changed(all_shares, ("by shares 9", "by shares 8")), tmp_path)
    assert "evidence" in refused(changed(all_shares, ("by exhaustion 178", "by guess 178")), tmp_path, UNSUPPORTED)
    assert "by exhaustion" in refused(
        changed(all_shares, ("by exhaustion 178", "by invariants")), tmp_path, UNSUPPORTED
    )
    shorter = all_shares[PLAN].split(b"\n", 1)[1]
    assert "plan.txt" in refused({**all_shares, PLAN: shorter}, tmp_path)
    assert PUZZLE in refused({name: data for name, data in all_shares.items() if name != PUZZLE}, tmp_path)


def test_a_text_in_which_vehicles_have_changed_their_names_is_refused(tmp_path: Path) -> None:
    """It is the same problem, move for move, with the same optimum; but D would have the share of A."""
    certify_shares(Asked(load(LEVEL), "slides", (("A",),)), tmp_path / "made")
    text = (tmp_path / "made" / PROBLEM).read_text().replace("var A ", "var Z ").replace("var D ", "var A ")
    text = text.replace(" D=", " Q=").replace(" D!", " Q!").replace(" A=", " D=").replace(" A!", " D!")
    text = text.replace(" Q=", " A=").replace(" Q!", " A!").replace("var Z ", "var D ")
    text = text.replace("goal A=", "goal D=")
    files = changed(files_in(tmp_path / "made"), ("share A", "share D"))
    assert "another problem" in refused({**files, PROBLEM: text.encode()}, tmp_path / "forged")


def test_what_has_no_shares_says_so(tmp_path: Path) -> None:
    """No plan; no such piece; one piece twice; tiles that the text does not name; a custom puzzle of many positions."""
    for name, metric, owners, why in (
        ("stuck", "slides", (("A",),), "has no plan"),
        ("rush", "slides", (("Q",),), "nothing that moves is called `Q`"),
        ("rush", "slides", (("A", "B"), ("A",)), "counted twice"),
        ("equal-tiles", "moves", (("1",),), "no variable that says where 1 is"),
        ("lights-out", "moves", (("press:r1c1",),), "more positions than can be compared"),
    ):
        puzzle = load_text(PUZZLES[name]) if name in PUZZLES else load(name)
        with pytest.raises((UsageError, NotCertified), match=why):
            certify_shares(Asked(puzzle, metric, owners), tmp_path)


FORGED = [
    ("rush", "slides", "B"),
    ("rush", "steps", "A,C"),
    ("blocks", "moves", "a"),
    ("turned", "moves", "5"),
    ("rooms", "pushes", "r4c4"),
    ("rooms", "moves", "player"),
    ("bridge", "crossings", "cross:Ann"),
]
TEXTS = int(os.environ.get("FORGED_SHARES", "25"))
"""Changed texts for each of these."""


@pytest.mark.parametrize(("name", "metric", "owner"), FORGED)
def test_no_changed_text_makes_a_false_share_valid(name: str, metric: str, owner: str, tmp_path: Path) -> None:
    """Each with the share and the number of states that are right for it."""
    random_, limits = random.Random(name), Limits(60, 1024)
    truth = shares_of(name, metric, [owner], tmp_path)[owner]
    files, seen = files_in(tmp_path / owner), Counter[str]()
    text, known = read(files[PROBLEM].decode()), puzzle_of(files[PUZZLE].decode())
    for _ in range(TEXTS):
        try:
            problem = read(write(other_problem(text, random_)))
            own = priced(problem, known, owner.split(","), limits)
            found = Search(own, None, [[]], limits).run().plan
        except Rejected:
            continue
        if found is None or len(found) > 1:
            continue
        states, _ = exhaust(own, found, [], limits)
        claim = f"budge claim 1\nat-least {found[0]}\nby shares 1\nshare {owner} {found[0]}\nby exhaustion {states}\n"
        forged = files | {PROBLEM: write(problem).encode(), CLAIM: claim.encode()}
        write_files(tmp_path / "forged", forged)
        verdict = check_folder(tmp_path / "forged")
        seen[verdict.status] += 1
        assert verdict.status != VALID or found[0] <= truth, write(problem)
    assert seen[VALID]
    assert seen[INVALID]


# From Python, and on the command line


def test_shares_from_python(tmp_path: Path) -> None:
    assert certify(LEVEL, tmp_path, shares=True).verdict.shown == "23 slides is the optimum"
    assert (
        certify(LEVEL, tmp_path, shares="A,F").verdict.shown == "every plan has at least 8 slides of A and F together"
    )
    assert certify(LEVEL, tmp_path, shares=["A", "C"]).verdict.shown == "every plan has at least 6 slides"
    with pytest.raises(ValueError, match="by themselves"):
        certify(LEVEL, tmp_path, shares=True, plans=True)


def test_shares_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    assert main(["certify", "bird-1", "--shares", "--out", out, "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["evidence"], told["shown"]) == ("shares", "24 slides is the optimum")
    assert main(["certify", "bird-1", "--share", "X,G", "--out", out, "--quiet"]) == 0
    assert "every plan has at least 6 slides of X and G together" in capsys.readouterr().out
    assert main(["verify", out, "--puzzle", "bird-1"]) == 0
    assert "all positions cost the same" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", out, "--puzzle", "bird-2"]) == 1
    for more in (["--shares"], ["--plans"], ["--claim", "3"], ["--at-least", "3"], ["--evidence", "refutation"]):
        assert main(["certify", "bird-1", "--share", "X", "--out", out, *more]) == 2
    shutil.copytree(PROOFS, tmp_path / "proofs", ignore=shutil.ignore_patterns("__pycache__"))
    run = subprocess.run([sys.executable, "proofs", "out"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, "every plan has at least 6 slides of X and G" in run.stdout) == (0, True), run.stderr
