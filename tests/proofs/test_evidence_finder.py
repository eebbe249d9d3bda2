"""The finder of evidence: what it finds, the checker accepts; and a claim that is wrong by one is never shown."""

from __future__ import annotations

import random
from dataclasses import replace
from heapq import heappop, heappush
from itertools import product

import pytest
from budge.encoders.exports.problem_writing import after, holds, write
from budge.models.errors import DisagreementError
from budge.proofs.core.check import checked
from budge.proofs.core.claim import (
    AT_LEAST,
    EXHAUSTION,
    FILE,
    HEAD,
    PAIRS,
    PROOF,
    REFUTATION,
    UNSOLVABLE,
    bound,
    check_tables,
)
from budge.proofs.core.limits import Invalid, Limits, Rejected, Stopped, Unsupported
from budge.proofs.core.pairs import ReachedPairs
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Action, Cost, Literals, Problem, read
from budge.runtime.budget import Budget
from budge.workflows.evidence_finder import Found, find_evidence
from budge.workflows.evidence_finder.learn_tables import potentials

from ..helpers.seeds import seeds

LIMITS = Limits(None, None)

SWAP = """budge problem 1
count moves
var A 1 2 3 4
var B 1 2 3 4
var C 1 2 3 4
start 1 2 3
goal A=3
goal C=1
""" + "".join(
    f"act {x}:{i}-{j} 1 if " + " ".join(f"{y}={i}" if y == x else f"{y}!={j}" for y in "ABC") + f" then {x}={j}\n"
    for x in "ABC"
    for i, j in product("1234", "1234")
    if i != j and (int(i) - int(j)) % 4 in (1, 3)
)
"""Three pieces on a ring of four cells: A and C change places."""

BOX = """budge problem 1
count pushes
var player a b c d e
var c . b
var d . b
var e . b
start a . b .
goal e=b
act a-b 0 if player=a then player=b
act b-a 0 if player=b then player=a
act b-c 0 if player=b c=. then player=c
act c-b 0 if player=c then player=b
act c-d 0 if player=c d=. then player=d
act d-c 0 if player=d c=. then player=c
act d-e 0 if player=d e=. then player=e
act e-d 0 if player=e d=. then player=d
act push-c 1 if player=b c=b d=. then player=c c=. d=b
act push-d 1 if player=c d=b e=. then player=d d=. e=b
act back-d 1 if player=e c=. d=b then player=d c=b d=.
"""
"""A corridor of five cells with a box; what is needed is one push from the left."""

LAMPS = """budge problem 1
count presses
var x off on
var y off on
var z off on
start off off off
goal x=on
goal y=off
goal z=on
act left 1 then x=on?x=off x=off?x=on y=on?y=off y=off?y=on
act middle 2 then y=on?y=off y=off?y=on
act right 1 if x=on|y=on then z=on?y=on
act turn 3 then x<y y<z z<x
"""


def files(text: str, claim: Cost | None, found: Found) -> dict[str, bytes]:
    """The files of a certificate that has no plan."""
    says = "unsolvable" if claim is None else f"at-least {','.join(map(str, claim))}"
    lines = [HEAD, says, " ".join(["by", found.kind, *map(str, found.numbers)]), *found.lines, ""]
    made = {PROBLEM: text.encode(), FILE: "\n".join(lines).encode()}
    return made | ({PROOF: found.proof} if found.proof is not None else {})


def states(problem: Problem) -> tuple[dict[tuple[int, ...], Cost], Cost | None]:
    """All states with their least cost, and the optimum: a plain Dijkstra."""
    zero = (0,) * len(problem.counts)
    best, queue, optimum = {problem.start: zero}, [(zero, problem.start)], None
    while queue:
        cost, state = heappop(queue)
        if cost > best[state]:
            continue
        if optimum is None and holds(state, problem.goal):
            optimum = cost
        for action in problem.actions:
            if holds(state, action.needs):
                then, total = after(state, action), tuple(map(sum, zip(cost, action.cost, strict=True)))
                if then not in best or total < best[then]:
                    best[then] = total
                    heappush(queue, (total, then))
    return best, optimum


@pytest.mark.parametrize("kind", ["auto", EXHAUSTION, REFUTATION])
@pytest.mark.parametrize("text", [SWAP, BOX, LAMPS], ids=["swap", "box", "lamps"])
def test_what_is_found_is_accepted_and_shows_no_more(text: str, kind: str) -> None:
    problem = read(text)
    optimum = states(problem)[1]
    assert optimum is not None
    if text is BOX and kind == REFUTATION:
        with pytest.raises(Unsupported, match="all of whose actions cost something"):
            find_evidence(text, optimum, Budget(60), kind)
        return
    found = find_evidence(text, optimum, Budget(60), kind)
    assert found.kind == kind or kind == "auto"
    assert checked(files(text, optimum, found), Limits()).says == AT_LEAST
    with pytest.raises(DisagreementError):
        find_evidence(text, (optimum[0] + 1,), Budget(60), kind)


def test_pairs_alone_show_that_there_is_no_plan() -> None:
    text = SWAP.replace("goal A=3\ngoal C=1\n", "goal A=3\ngoal C=3\n")
    found = find_evidence(text, None, Budget(60))
    assert (found.kind, found.numbers) == (PAIRS, ())
    assert checked(files(text, None, found), Limits()).says == UNSOLVABLE
    assert find_evidence(text, None, Budget(60), EXHAUSTION).kind == EXHAUSTION


def test_limits_are_kept() -> None:
    """Sixteen lamps of four colours: too many states, and no short proof."""
    lamps = range(16)
    text = "budge problem 1\ncount presses\n" + "".join(f"var l{i} 0 1 2 3\n" for i in lamps)
    text += f"start{' 0' * 16}\n" + "".join(f"goal l{i}=2\n" for i in lamps)
    for i, a in product(lamps, range(4)):
        text += f"act l{i}:{a} 1 if l{i}={a}{f' l{i + 1}!={a}' if i < 15 else ''} then l{i}={(a + 1) % 4}\n"
    for kind in ("auto", EXHAUSTION, REFUTATION):
        with pytest.raises(Stopped):
            find_evidence(text, (60,), Budget(0.0), kind)
        with pytest.raises(Stopped):
            find_evidence(text, (60,), Budget(60, memory_mib=1), kind)


def test_two_counts_are_shown_by_exhaustion() -> None:
    text = BOX.replace("count pushes", "count pushes moves").replace(" 0 if", " 0,1 if").replace(" 1 if", " 1,1 if")
    problem = read(text)
    optimum = states(problem)[1]
    assert optimum is not None
    found = find_evidence(text, optimum, Budget(60))
    assert found.kind == EXHAUSTION
    checked(files(text, optimum, found), Limits())
    with pytest.raises(DisagreementError):
        find_evidence(text, (optimum[0], optimum[1] + 1), Budget(60))


def test_costs_up_to_a_thousand_million_are_shown() -> None:
    """Of random problems whose costs differ in their last digits; the largest claims are those of many actions."""
    shown = 0
    for seed in range(60):
        rng = random.Random(seed)
        problem = random_problem(rng)
        costs = [tuple(part and 10**9 - rng.randrange(100) for part in action.cost) for action in problem.actions]
        actions = tuple(replace(one, cost=cost) for one, cost in zip(problem.actions, costs, strict=True))
        text = write(replace(problem, actions=actions))
        optimum = states(read(text))[1]
        if not optimum or optimum[0] < 10**9:
            continue
        for kind in ("auto", EXHAUSTION):
            found = find_evidence(text, optimum, Budget(60), kind)
            assert checked(files(text, optimum, found), Limits()).says == AT_LEAST
            with pytest.raises(DisagreementError):
                find_evidence(text, (optimum[0] + 1, *optimum[1:]), Budget(60), kind)
        shown += 1
    assert shown > 3


def test_sums_up_to_2_to_the_62nd_are_shown() -> None:
    """A road of stages; each costs 10^18, or one less by another way."""
    stages, cost = 4, 10**18
    text = "budge problem 1\ncount pay\nvar at 0 1 2 3 4\nstart 0\ngoal at=4\n"
    for k in range(stages):
        text += f"act dear{k} {cost} if at={k} then at={k + 1}\nact fair{k} {cost - 1} if at={k} then at={k + 1}\n"
    optimum = (stages * (cost - 1),)
    found = find_evidence(text, optimum, Budget(60))
    assert checked(files(text, optimum, found), Limits()).says == AT_LEAST
    with pytest.raises(DisagreementError, match=f"finds a plan of {optimum[0]}"):
        find_evidence(text, (optimum[0] + 1,), Budget(60))
    with pytest.raises(Unsupported, match="too many"):
        find_evidence(text, optimum, Budget(60), REFUTATION)
    with pytest.raises(Invalid, match="below 2"):
        read(text.replace(str(cost), str(2**62)))


def random_problem(rng: random.Random) -> Problem:
    """A small problem with conditional effects, copies, clauses and costs from 0."""
    sizes = [rng.randint(2, 4) for _ in range(rng.randint(2, 4))]

    def literal() -> tuple[int, int]:
        x = rng.randrange(len(sizes))
        return x, rng.randint(1, (1 << sizes[x]) - 2)

    def clause(most: int) -> Literals:
        return tuple(sorted(dict(literal() for _ in range(rng.randint(1, most))).items()))

    actions = []
    for a in range(rng.randint(2, 10)):
        effects: dict[int, tuple[tuple[Literals, int], ...]] = {}
        for x in rng.sample(range(len(sizes)), rng.randint(1, 2)):
            y = rng.randrange(len(sizes))
            if y != x and sizes[y] <= sizes[x] and rng.random() < 0.3:
                effects[x] = tuple((((y, 1 << i),), i) for i in range(sizes[y]))
            elif rng.random() < 0.4:
                effects[x] = ((clause(2), rng.randrange(sizes[x])),)
            else:
                effects[x] = (((), rng.randrange(sizes[x])),)
        needs = tuple(clause(1 + (rng.random() < 0.3)) for _ in range(rng.randint(0, 2)))
        actions.append(Action(f"a{a}", (rng.choice((0, 1, 1, 1, 2)),), needs, effects))
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    start = tuple(rng.randrange(size) for size in sizes)
    goal = tuple(clause(2) for _ in range(rng.randint(1, 2)))
    names = tuple(f"v{x}" for x in range(len(sizes)))
    return read(write(Problem(("cost",), names, domains, start, goal, tuple(actions))))


@pytest.mark.parametrize("seed", seeds(300))
def test_pairs_and_tables_of_random_problems(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    reached, optimum = states(problem)
    pairs = ReachedPairs(problem, LIMITS)
    assert all(holds(state, tuple(pairs.clauses())) for state in reached)
    assert optimum is None or not pairs.exclude(problem.goal)
    if optimum is not None and optimum[0]:
        tables = potentials(problem, optimum[0], LIMITS, 5.0)
        check_tables(problem, tables, LIMITS)
        assert bound(tables, problem.start.__getitem__) <= optimum[0]


@pytest.mark.parametrize("seed", seeds(300))
def test_evidence_of_random_problems(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    text, optimum = write(problem), states(problem)[1]
    found = find_evidence(text, optimum, Budget(60))
    checked(files(text, optimum, found), Limits())
    above = (1 if optimum is None else optimum[0] + 1,)
    if optimum is not None:
        with pytest.raises(DisagreementError):
            find_evidence(text, above, Budget(60))
        with pytest.raises(Rejected):
            checked(files(text, above, found), Limits())


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1000, 1040))
def test_refutations_of_random_problems(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    text, optimum = write(problem), states(problem)[1]
    if optimum is None:
        return
    try:
        found = find_evidence(text, optimum, Budget(60), REFUTATION)
    except Rejected:  # actions of cost 0
        return
    checked(files(text, optimum, found), Limits())
    with pytest.raises(DisagreementError):
        find_evidence(text, (optimum[0] + 1,), Budget(60), REFUTATION)
