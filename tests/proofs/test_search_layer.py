"""The search with several bounds and walks at once: it visits what the core visits, and believes nothing false."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from math import inf
from types import SimpleNamespace

import pytest
from budge.encoders.exports.problem_writing import write
from budge.models.library import load
from budge.proofs import grouped_states
from budge.proofs.core.claim import AT_LEAST, OPTIMUM, check_tables
from budge.proofs.core.exhaustion import Successors, exhaust
from budge.proofs.core.limits import Invalid, Limits
from budge.proofs.core.problem import Action, Cost, Literal, Literals, Problem, read
from budge.proofs.grouped_states import hand, kept_apart, walker
from budge.proofs.searching import Search, Searched, checked_by_search
from budge.workflows.evidence_finder import learn_tables
from budge.workflows.evidence_finder import learn_tables as projections
from budge.workflows.evidence_finder.learn_tables import Patterns, Traps, potentials, search
from budge.workflows.exporting import problem_of

from ..helpers.seeds import seeds

NONE = Limits(None, None)

CORRIDOR = """budge problem 1
count pushes
var walker 1 2 3 4 5 6
var 2 box free
var 3 box free
var 4 box free
var 5 box free
start 1 free box free free
goal 5=box
act push@2 1 if walker=1 2=box 3=free then walker=2 2=free 3=box
act push@3 1 if walker=2 3=box 4=free then walker=3 3=free 4=box
act push@4 1 if walker=3 4=box 5=free then walker=4 4=free 5=box
act walk@1 0 if walker=1 2=free then walker=2
act walk@2 0 if walker=2 then walker=1
act walk@2+ 0 if walker=2 3=free then walker=3
act walk@3 0 if walker=3 2=free then walker=2
"""
"""A box in a corridor, to be pushed from cell 3 to cell 5."""


def random_problem(draw: random.Random, free: bool, doors: bool = False, handed: bool = False) -> Problem:
    """A problem; with `free`, variable 0 walks at no cost; with `doors`, all walks to a value ask for the same; with
    `handed`, variable 0 is a hand instead, and some clauses have two literals, some effects a condition.
    """
    sizes = [draw.randint(2, 4) for _ in range(draw.randint(2, 4))]
    others = range(int(handed), len(sizes))

    def literal(y: int) -> Literal:
        return y, draw.randrange(1, (1 << sizes[y]) - 1)

    actions = {}
    for number in range(draw.randint(4, 16)):
        walks = free and draw.random() < 0.5
        changed = [0] if walks and not handed else draw.sample(others, draw.randint(1, min(2, len(others))))
        needs = list[Literals]((literal(y),) for y in draw.sample(others, draw.randint(0, len(others))))
        effects: dict[int, tuple[tuple[Literals, int], ...]] = {x: (((), draw.randrange(sizes[x])),) for x in changed}
        if walks and doors:
            ((_, to),) = effects[0]
            needs = [*(part for part in needs if not part[0][0]), ((1, 1 + to % 2),)]
        if handed and walks:
            needs.append(((0, 1 << draw.randrange(sizes[0])),))
        if handed and (not walks or draw.random() < 0.5):
            effects[0] = (((), draw.randrange(sizes[0])),)
        if handed and draw.random() < 0.3:
            needs.append(tuple(literal(y) for y in sorted(draw.sample(others, min(2, len(others))))))
            x = changed[0]
            effects[x] = (((literal(draw.choice(others)),), draw.randrange(sizes[x])),)
        actions[f"a{number}"] = Action(f"a{number}", (0 if walks else draw.randint(1, 3),), tuple(needs), effects)
    names = tuple(f"x{i}" for i in range(len(sizes)))
    goal = tuple(((x, 1 << draw.randrange(sizes[x])),) for x in others if draw.random() < 0.7)
    start = tuple(draw.randrange(size) for size in sizes)
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    return read(write(Problem(("n",), names, domains, start, goal, tuple(actions.values()))))


@pytest.mark.parametrize("seed", seeds(200))
def test_it_visits_what_the_core_visits(seed: int) -> None:
    handed = seed >= 120
    problem = random_problem(random.Random(seed), handed or seed % 2 == 0, seed % 4 == 0 and not handed, handed)
    optimum = exhaust(problem, None, [], NONE)[1]
    assert Search(problem, None, [[]], NONE).run().plan == optimum
    below = optimum or (9,)
    tables = potentials(problem, below[0], NONE, 5.0) if below[0] else []
    one = Search(problem, below, [tables], NONE).run()
    assert (one.plan, one.states) == (None, exhaust(problem, below, tables, NONE)[0])
    assert Search(problem, below, [[]], NONE).run().states == exhaust(problem, below, [], NONE)[0]
    learned = search(problem, below, tables, NONE, 5.0)
    assert learned.searched.plan is None
    if optimum is not None:  # whatever was learned cuts no cheapest plan
        above = (optimum[0] + 1,)
        assert Search(problem, above, learned.sums, NONE).run().plan == optimum


def test_what_costs_is_tried_once_for_all_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has moved, the first steps of moves are the same; the hand goes on with the last one only."""
    problem = read(problem_of(load("traffic"), "moves").text)
    mover = problem.names.index("mover")
    assert hand(problem, [[]]) == mover
    assert hand(problem, [[((mover,), {})]]) is None
    search = Search(problem, (9,), [[]], NONE)
    tried = list[int]()
    results = search.moves.once.results

    def once(rest: int) -> list[tuple[Cost, int]]:
        tried.append(rest)
        return results(rest)

    monkeypatch.setattr(search.moves.once, "results", once)
    assert search.run() == Searched(exhaust(problem, (9,), [], NONE)[0])
    assert sorted(tried) == sorted(search.seen)
    assert len(tried) < search.states


@pytest.mark.parametrize("seed", seeds(150))
def test_forced_states_are_passed_over(seed: int) -> None:
    """What is free and without a choice is followed at once; the optimum is that of the core."""
    draw = random.Random(seed)
    made = random_problem(draw, True)
    free = Action("free", (0,), (((1, 1),),), {1: (((), 1),)})  # a second variable that free actions change: no walker
    problem = read(write(replace(made, actions=(*made.actions, free))))
    if kept_apart(problem, [[]])[0] is not None:
        return
    optimum = exhaust(problem, None, [], NONE)[1]
    found = Search(problem, None, [[]], NONE).run()
    assert found.plan == optimum
    below = optimum or (9,)
    fewer = Search(problem, below, [[]], NONE).run()
    assert fewer.plan is None
    assert fewer.states <= exhaust(problem, below, [], NONE)[0]
    if optimum:
        assert Search(problem, (optimum[0] + 1,), [[]], NONE).run().plan == optimum


CHAIN = """budge problem 1
count moves
var at 1 2 3 4 5 6
var going left no right
start 1 no
goal at=6
goal going=no
"""
CHAIN += "".join(f"act {way} 1 if going=no then going={way}\n" for way in ("left", "right"))
CHAIN += "".join(f"act on@{i} 0 if at={i} going=right then at={i + 1}\n" for i in range(1, 6))
CHAIN += "".join(f"act back@{i} 0 if at={i} going=left then at={i - 1}\n" for i in range(2, 7))
CHAIN += "act stop@1 0 if at=1 going=left then going=no\nact stop@6 0 if at=6 going=right then going=no\n"


def test_a_chain_of_free_steps_is_one() -> None:
    """To slide from one end to the other is one move; the states on the way are not visited."""
    problem = read(CHAIN)
    assert exhaust(problem, (9,), [], NONE) == (9, (1,))
    assert Search(problem, (9,), [[]], NONE).run() == Searched(2, (1,))
    round_and_round = read(
        CHAIN.replace("act stop@1 0 if at=1 going=left then going=no", "act turn@1 0 if at=1 going=left then at=6")
    )
    assert Search(round_and_round, None, [[]], NONE).run().plan == (1,)


def test_a_pair_says_how_many_moves_are_left_where_single_variables_say_nothing() -> None:
    """In `CHAIN` steps are free, so a table of `at` alone is 0 everywhere; with `going` it counts the moves."""
    problem = read(CHAIN)
    assert potentials(problem, 1, NONE, 5.0) == []
    patterns = Patterns(problem, NONE)
    assert patterns.pairs() == [(0, 1)]
    assert Patterns(problem, NONE, 1).pairs() == []
    table = patterns.table((0, 1))
    assert table is not None
    check_tables(problem, [table], NONE)
    assert table[1] == {(i, j): int((i, j) != (5, 1) and j != 2) for i in range(6) for j in range(3)}
    learned = search(problem, (1,), [], NONE, 5.0)
    assert learned.sums == [[], [table]]
    assert learned.searched.states == 0


def test_patterns_with_too_many_moves_have_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "MOST_MOVES", 10)
    assert Patterns(read(CHAIN), NONE).table((0, 1)) is None
    assert search(read(CHAIN), (1,), [], NONE, 5.0).sums == [[]]


@pytest.mark.parametrize("seed", seeds(100))
def test_tables_of_patterns_are_bounds(seed: int) -> None:
    """The checker accepts them, and that of all variables is what a plan costs."""
    draw = random.Random(seed)
    problem = random_problem(draw, seed % 2 == 0, handed=seed % 3 == 0)
    patterns, every = Patterns(problem, NONE), tuple(range(len(problem.names)))
    optimum = exhaust(problem, None, [], NONE)[1]
    for some in {*patterns.pairs(), *(wide for pair in patterns.pairs() for wide in patterns.wider(pair)), every}:
        table = patterns.table(some)
        assert table is not None
        check_tables(problem, [table], NONE)
        number = table[1][tuple(problem.start[x] for x in some)]
        assert number <= (inf if optimum is None else optimum[0])
        if some == every:
            assert number == (inf if optimum is None else optimum[0])


@pytest.mark.parametrize("seed", seeds(60))
def test_the_layer_does_in_a_state_what_the_core_does(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Actions with clauses, and effects on conditions of several literals: the same states come after each state."""
    monkeypatch.setattr(grouped_states, "FEW", seed % 3)
    draw = random.Random(seed)
    sizes = [draw.randint(2, 4) for _ in range(3)]

    def literals(among: list[int], most: int) -> dict[int, int]:
        return {y: draw.randrange(1, (1 << sizes[y]) - 1) for y in draw.sample(among, draw.randint(0, most))}

    def effects(x: int) -> tuple[tuple[Literals, int], ...]:
        """Some on different values of a variable, with what else they ask for."""
        y = draw.randrange(3)
        more = literals([z for z in range(3) if z != y], 2)
        values = draw.sample(range(sizes[y]), draw.randint(1, sizes[y]))
        if more and draw.random() < 0.3:
            return ((tuple(sorted(more.items())), draw.randrange(sizes[x])),)
        return tuple((tuple(sorted({y: 1 << i, **more}.items())), draw.randrange(sizes[x])) for i in values)

    actions = []
    for number in range(20):
        needs = [tuple(sorted(literals([0, 1, 2], 2).items())) for _ in range(draw.randint(0, 2))]
        needs += [((y, 1 << draw.randrange(sizes[y])),) for y in draw.sample(range(3), draw.randint(0, 2))]
        changed = draw.sample(range(3), draw.randint(1, 3))
        does = {x: effects(x) if draw.random() < 0.7 else (((), draw.randrange(sizes[x])),) for x in changed}
        actions.append(Action(f"a{number}", (number,), tuple(filter(None, needs)), does))
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    problem = Problem(("n",), ("x", "y", "z"), domains, (0, 0, 0), (((0, 1),),), tuple(actions))
    core = Successors(problem, NONE)
    steps = grouped_states.Steps(core, problem.actions)
    for values in product(*map(range, sizes)):
        state = core.mask((x, 1 << i) for x, i in enumerate(values))
        assert sorted(steps.results(state)) == sorted(core.successors(state))


def test_a_search_goes_on_where_it_was_broken_off() -> None:
    problem = read(problem_of(load("traffic"), "moves").text)
    search = Search(problem, None, [[]], NONE)
    broken_off = search.run(20)
    assert 20 <= broken_off.states < 30
    assert broken_off.open
    assert search.run().plan == (9,)


def test_learning_takes_no_longer_than_the_search_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "budge problem 1\ncount n\nvar a 1 2\nvar b 1 2\nstart 1 1\ngoal a=2\ngoal b=2\n"
    problem = read(f"{text}act a 1 if a=1 then a=2\nact b 1 if b=1 then b=2\n")
    clock, asked = [0.0], []

    def slow(_finder: Traps, state: int) -> None:
        clock[0] += 1
        asked.append(state)

    monkeypatch.setattr(Traps, "table", slow)
    monkeypatch.setattr(learn_tables, "FIRST", 1)
    monkeypatch.setattr(learn_tables, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    assert search(problem, (2,), [], NONE, 5.0).searched.states == 3
    assert len(asked) == 1  # of two open states, as the search took no time


def files(claim: str, plan: str | None = None) -> dict[str, bytes]:
    made = {"problem.txt": CORRIDOR.encode(), "claim.txt": f"budge claim 1\n{claim}".encode()}
    return made | ({"plan.txt": plan.encode()} if plan is not None else {})


PLAN = "walk@1\npush@3\npush@4\n"


def test_walks_are_made_at_once() -> None:
    assert walker(read(CORRIDOR)) == 0
    shown = checked_by_search(files("optimum 2\nby search 5\n", PLAN), NONE)
    assert (shown.says, shown.below) == (OPTIMUM, (2,))
    bounds = "table 5 0 1\nsum\ntable 4,5 0 1 0 2\n"
    shown = checked_by_search(files(f"at-least 2\nby search 0\n{bounds}"), NONE)
    assert (shown.says, shown.below) == (AT_LEAST, (2,))


@pytest.mark.parametrize(
    ("claim", "plan"),
    [
        ("optimum 2\nby search 4\n", PLAN),
        ("optimum 2\nby search 5\n", "push@3\npush@4\n"),
        ("optimum 2\nby search 5\n", PLAN[:-1]),
        ("optimum 3\nby search 5\n", PLAN),
        ("at-least 3\nby search 7\n", None),
        ("at-least 2\nby search 5\n", PLAN),
        ("at-least 2\nby search 5\npairs\n", None),
        ("at-least 2\nby search 5\nsum\nsum x\n", None),
        ("at-least 2\nby search 5", None),
        ("at-least 3\nby search 0\nsum\ntable 5 0 3\n", None),
        ("at-least 3\nby search 0\nsum\ntable 3 - 0\n", None),
        ("unsolvable\nby search 5\n", None),
    ],
)
def test_false_claims_are_refused(claim: str, plan: str | None) -> None:
    with pytest.raises(Invalid):
        checked_by_search(files(claim, plan), NONE)


def test_a_trap_is_what_no_action_ends() -> None:
    """Two boxes side by side that only each other's cell would let go."""
    text = """budge problem 1
count pushes
var a box free
var b box free
var c box free
start free box free
goal c=box
act a+ 1 if a=box b=free then a=free b=box
act b- 1 if a=free b=box then a=box b=free
act b+ 1 if a=free b=box c=free then b=free c=box
"""
    problem = read(text)
    traps = Traps(problem, NONE)
    assert traps.table(traps.bits.mask(enumerate((2, 1, 2)))) is None
    found = traps.table(traps.bits.mask(enumerate((1, 1, 2))))
    assert found is not None
    assert found == ((0, 1, 2), {at: inf if at == (0, 0, 1) else 0 for at in product((0, 1), repeat=3)})
    check_tables(problem, [found], NONE)
