"""Refutations of the end of a plan: loops that are drawn, against all sets of edges, and forged certificates."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations, pairwise, product
from pathlib import Path

import budge
import pytest
from budge.cli import main
from budge.models.library import load
from budge.proofs.by_rules import ENDINGS, endings
from budge.proofs.check import check_folder, dimacs_of
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import PLAN, PROOF
from budge.proofs.core.limits import Invalid, Limits, Stopped, Unsupported
from budge.proofs.end_state_formula import one_change_each
from budge.proofs.folder import write_files
from budge.proofs.games import puzzle_of
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID
from budge.runtime.budget import Budget
from budge.workflows.evidence_finder import refuted_endings

from ..helpers.certificates import BRIDGE, certificate, claiming, written
from ..helpers.seeds import seeds

Edges = list[tuple[str, str]]

RULES = """\
format: 1
family: custom
types:
  node: [{nodes}]
  edge: 1..{edges}
  face: 1..{faces}
state:
  drawn: {{of: edge}}
constants:
  one: {{of: edge, in: node, value: [{ones}]}}
  two: {{of: edge, in: node, value: [{twos}]}}
  side: {{of: [face, edge], value: {{{sides}}}}}
  clue: {{of: face, in: 0..9, value: [{clues}]}}
actions:
  draw:
    with: {{e: edge}}
    when: not drawn[e]
    set: {{"drawn[e]": true}}
  erase:
    with: {{e: edge}}
    when: drawn[e]
    set: {{"drawn[e]": false}}
goal:
  - all(count(drawn[e] for e in edge if side[f, e]) == clue[f] for f in face)
  - loop((one[e], two[e]) for e in edge if drawn[e])
"""


def drawing(edges: Edges, faces: list[list[int]], clues: list[int]) -> str:
    """A puzzle whose loop has, of each face (its edges, counted from 1), as many edges as its clue says."""
    return written(
        RULES.format(
            nodes=", ".join(sorted({node for edge in edges for node in edge})),
            edges=len(edges),
            faces=len(faces),
            ones=", ".join(one for one, _ in edges),
            twos=", ".join(two for _, two in edges),
            sides=", ".join(f"{f}: {face}" for f, face in enumerate(faces, 1)),
            clues=", ".join(map(str, clues)),
        )
    )


def is_loop(edges: Edges) -> bool:
    """Whether edges are one closed loop: each node has two, and all are reached from one."""
    nodes = {node for edge in edges for node in edge}
    reached = {edges[0][0]} if edges else set()
    for _ in nodes:
        reached |= {node for edge in edges if reached & {*edge} for node in edge}
    twice = all(sum(edge.count(node) for edge in edges) == 2 for node in nodes)
    return bool(edges) and reached == nodes and twice and all(a != b for a, b in edges)


def shortest(edges: Edges, faces: list[list[int]], clues: list[int]) -> int | None:
    """The fewest edges of a loop that fits the clues, by all sets of edges."""
    for size in range(1, len(edges) + 1):
        for chosen in combinations(range(1, len(edges) + 1), size):
            fits = all(len({*face} & {*chosen}) == clue for face, clue in zip(faces, clues, strict=True))
            if fits and is_loop([edges[e - 1] for e in chosen]):
                return size
    return None


def is_refuted(text: str, claim: int) -> bool:
    """Whether the clauses about plans that cost less than a claim are refuted."""
    try:
        return bool(refuted_endings(puzzle_of(text), (claim,), "moves", text, Budget(60)).proof)
    except Stopped:
        raise
    except Unsupported:
        return False


def random_drawing(random_: random.Random) -> tuple[Edges, list[list[int]], list[int]]:
    """Edges between a few nodes (some twice, some from a node to itself), faces, and clues that some loop may fit."""
    nodes = "pqrstuv"[: random_.randint(3, 7)]
    edges = [(random_.choice(nodes), random_.choice(nodes)) for _ in range(random_.randint(4, 11))]
    faces = [sorted(random_.sample(range(1, len(edges) + 1), random_.randint(1, 3))) for _ in range(2)]
    loops = [c for n in range(1, len(edges) + 1) for c in combinations(range(1, len(edges) + 1), n)]
    fit = [c for c in loops if is_loop([edges[e - 1] for e in c])] or [(1,)]
    chosen = random_.choice(fit)
    return edges, faces, [len({*face} & {*chosen}) for face in faces]


@pytest.mark.parametrize("seed", seeds(12))
def test_what_is_refuted_is_what_no_set_of_edges_is(seed: int) -> None:
    made = random_drawing(random.Random(seed))
    text, least = drawing(*made), shortest(*made)
    if least is None:
        assert is_refuted(text, len(made[0]) + 1)
        return
    assert is_refuted(text, least)
    assert not is_refuted(text, least + 1)


TRIANGLES: Edges = [*[("a", "b"), ("b", "c"), ("c", "a")], *[("x", "y"), ("y", "z"), ("z", "x")]]
TRIANGLES += [("a", "p"), ("p", "x"), ("b", "q"), ("q", "y")]
"""Two triangles, joined by two ways of two edges each."""
FACES = [[1, 2, 3], [4, 5, 6]]
TWO = drawing(TRIANGLES, FACES, [2, 2])
"""A loop through both triangles."""


def test_loops_apart_are_cut(tmp_path: Path) -> None:
    """Two edges of either triangle are eight edges in all; six are two triangles, which are not one loop."""
    assert shortest(TRIANGLES, FACES, [2, 2]) == 8
    text = drawing(TRIANGLES, [[1, 4], [2, 5]], [2, 2])
    assert shortest(TRIANGLES, [[1, 4], [2, 5]], [2, 2]) is None
    assert is_refuted(text, 9)
    found = refuted_endings(puzzle_of(text), (9,), "moves", text, Budget(60))
    assert "cut a,b,c" in found.lines


def test_a_certificate_and_what_is_said_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = certificate(TWO, "moves", "refutation")
    assert f"optimum 8\nby {ENDINGS} " in files[CLAIM].decode()
    write_files(tmp_path / "two", files)
    verdict = check_folder(tmp_path / "two", puzzle=TWO)
    assert verdict.status == VALID
    assert verdict.shown == "8 moves is the optimum"
    assert "true of the end of every such plan" in verdict.by[1]
    assert check_folder(tmp_path / "two", puzzle=drawing(TRIANGLES, FACES, [2, 1])).status == INVALID
    (tmp_path / "two.yaml").write_text(TWO)
    refuted = ("--evidence", "refutation")
    assert (
        main(["certify", str(tmp_path / "two.yaml"), "--out", str(tmp_path / "cli"), "--dimacs", "-q", *refuted]) == 0
    )
    assert main(["verify", str(tmp_path / "cli")]) == 0
    assert (tmp_path / "cli" / "formula.cnf").read_text() == "".join(dimacs_of(tmp_path / "two", Limits()))
    capsys.readouterr()


def test_other_evidence_has_no_formula(tmp_path: Path) -> None:
    write_files(tmp_path, certificate(TWO, "moves", "rules"))
    assert check_folder(tmp_path).status == VALID
    with pytest.raises(Unsupported, match="no formula"):
        list(dimacs_of(tmp_path, Limits()))


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("optimum 8", "optimum 7"),
        ("optimum 8", "optimum 9"),
        ("optimum 8", "at-least 8"),
        ("optimum 8", "unsolvable"),
        ("optimum 8", "optimum 8,0"),
        ("optimum 8", "optimum 0"),
        (f"by {ENDINGS} ", f"by {ENDINGS} 1"),
        (f"by {ENDINGS} ", f"by {ENDINGS} -"),
        (f"by {ENDINGS} ", f"by {ENDINGS}  "),
        (f"by {ENDINGS}", "by rules"),
        (f"by {ENDINGS}", "by parity"),
        ("count moves\n", "count moves\ncut a,b,c\n"),
        ("count moves\n", "count moves\ncut a,a\n"),
        ("count moves\n", "count moves\ncut b,a\n"),
        ("count moves\n", "count moves\ncut nowhere\n"),
        ("count moves\n", "count moves\ncut \n"),
        ("count moves\n", "count moves\n\n"),
        ("count moves\n", "count moves\nmore\n"),
    ],
)
def test_forged_claims(tmp_path: Path, old: str, new: str) -> None:
    write_files(tmp_path, claiming(certificate(TWO, "moves", "refutation"), old, new))
    assert check_folder(tmp_path).status in (INVALID, UNSUPPORTED)


def test_a_longer_plan_is_not_an_optimum(tmp_path: Path) -> None:
    """The plan draws an edge and takes it away again; the claim says so, and there is a shorter plan."""
    files = certificate(TWO, "moves", "refutation")
    longer = b"draw(1)\nerase(1)\n" + files[PLAN]
    write_files(tmp_path, claiming({**files, PLAN: longer}, "optimum 8", "optimum 10"))
    assert check_folder(tmp_path).status == INVALID


def test_a_proof_of_another_puzzle_or_none(tmp_path: Path) -> None:
    files = certificate(TWO, "moves", "refutation")
    other = certificate(drawing(TRIANGLES, FACES, [3, 0]), "moves", "refutation")
    assert other[CLAIM].startswith(b"budge claim 1\noptimum 3\n")
    for number, proof in enumerate((other[PROOF], b"", files[PROOF][: len(files[PROOF]) // 2])):
        write_files(tmp_path / str(number), {**files, PROOF: proof})
        assert check_folder(tmp_path / str(number)).status == INVALID


def test_cuts_are_of_nodes_in_order() -> None:
    puzzle = puzzle_of(TWO)
    fewer = endings(puzzle, (8,), "moves", [("a", "b", "c")], Limits())
    assert len(fewer.clauses) > len(endings(puzzle, (8,), "moves", [], Limits()).clauses)
    for cut in (("b", "a"), ("a", "a"), ("a", "nowhere"), ("",)):
        with pytest.raises(Invalid, match="cut"):
            endings(puzzle, (8,), "moves", [cut], Limits())


LAMPS = """\
format: 1
family: custom
types: {lamp: 1..5}
state: {on: {of: lamp, start: [1]}}
actions:
  press: {with: {x: lamp}, set: {"on[x]": "not on[x]"}}
goal: GOAL
"""


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("count(on) == 4", 3),
        ("on[1]", 0),
        ("all(on[x] == (x > 2) for x in lamp)", 4),
        ("all(on[x] if x > 3 else not on[x] for x in lamp)", 3),
        ("sum(x for x in lamp if on[x]) == 12 and not on[1]", 4),
        ("any(on[x] and on[x + 1] for x in lamp if x > 1) and not on[3]", 2),
        ("all(on[x] for x in lamp if on[x - 1])", 1),
    ],
)
def test_goals_that_are_no_loop(tmp_path: Path, goal: str, cost: int) -> None:
    text = written(LAMPS.replace("GOAL", goal))
    files = certificate(text, "moves", "refutation" if cost else "exhaustion")
    write_files(tmp_path, files)
    verdict = check_folder(tmp_path)
    assert verdict.status == VALID
    assert verdict.shown == f"{cost} {'move' if cost == 1 else 'moves'} is the optimum"
    assert not is_refuted(text, cost + 1)
    assert is_refuted(text, cost) == (cost > 0) == (PROOF in files)


DIALS = """\
format: 1
family: custom
types: {dial: 1..4}
state: {at: {of: dial, in: 0..3, start: [2, 0, 3, 0]}}
actions:
  turn: {with: {x: dial}, set: {"at[x]": "(at[x] + 1) % 4"}}
goal: GOAL
"""
"""Values of four kinds: one action brings a value to the next one only, so plans can be longer than what is refuted."""


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        ("all(at[x] == 1 for x in dial)", lambda a, b, c, d: {a, b, c, d} == {1}),
        ("sum(at[x] for x in dial) == 8", lambda a, b, c, d: a + b + c + d == 8),
        ("sum(at[x] for x in dial) == 12", lambda a, b, c, d: a + b + c + d == 12),
        ("at[1] == at[2] + 1 and at[3] < at[4]", lambda a, b, c, d: a == b + 1 and c < d),
        ("any(at[x] == 1 and at[x + 1] == 2 for x in dial)", lambda *at: (1, 2) in pairwise(at)),
    ],
)
def test_values_that_are_several_things(goal: str, holds: Callable[..., bool]) -> None:
    start, text = (2, 0, 3, 0), written(DIALS.replace("GOAL", goal))
    least = min(
        sum(one != other for one, other in zip(state, start, strict=True))
        for state in product(range(4), repeat=4)
        if holds(*state)
    )
    assert is_refuted(text, least)
    assert not is_refuted(text, least + 1)


@pytest.mark.slow
def test_a_chain_has_to_bend_where_it_ends_bent(tmp_path: Path) -> None:
    """The end of a spiral, with its last two bends drawn straight. It has no problem text."""
    wanted = [0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    text = re.sub(r"(wanted: .*value: )\[[^]]*\]", rf"\1{wanted}", load("folding-14").to_yaml())
    budge.certify(text.replace("moves: 14", "moves: 2"), tmp_path, evidence="refutation")
    assert f"by {ENDINGS} " in (tmp_path / CLAIM).read_text()


def test_puzzles_that_the_clauses_are_not_for() -> None:
    dear = written(LAMPS.replace("GOAL", "on[2]").replace('[x]"}}', '[x]"}, cost: 2}'))
    assert one_change_each(puzzle_of(dear), "moves")
    for cost in ("0", "x", "x - 1"):
        assert not one_change_each(puzzle_of(dear.replace("cost: 2", f"cost: {cost}")), "moves")
    assert not one_change_each(puzzle_of(dear), "minutes")
    assert not one_change_each(puzzle_of(written(BRIDGE)), "crossings")
    with pytest.raises(Unsupported, match="one count"):
        endings(puzzle_of(dear), None, "moves", [], Limits())
    with pytest.raises(Unsupported, match="each change one value"):
        endings(puzzle_of(written(BRIDGE)), (3,), "crossings", [], Limits())
