"""The core of the checker beside a second reader and interpreter: on random problems, malformed texts.

`PROBLEMS` and `TEXTS` in the environment give other numbers of them than the ordinary run has.
"""

from __future__ import annotations

import os
import random
from math import inf

import pytest
from budge.encoders.exports.problem_writing import write
from budge.proofs.core.check import formula_of
from budge.proofs.core.claim import HEAD, Claim, check_tables, read_claim
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Limits, Rejected, Unsupported
from budge.proofs.core.pairs import ReachedPairs
from budge.proofs.core.problem import Literals, Problem, read

from ..helpers.random_problems import random_problem
from ..helpers.second_core import Game, Part, Refused, Told, bound, model, read_game, read_told

PROBLEMS = int(os.environ.get("PROBLEMS", "60"))
TEXTS = int(os.environ.get("TEXTS", "200"))
LIMITS = Limits(None, None)


def tables_of(game: Game, random_: random.Random) -> list[str]:
    """Lines of claim.txt with tables: true distances of some variables alone, some made false."""
    lines = []
    for _ in range(random_.randrange(3)):
        chosen = sorted(random_.sample(range(len(game.domains)), random_.randint(1, min(3, len(game.domains)))))
        rest: dict[tuple[str, ...], int] = {}
        if random_.random() < 0.6:  # the least distance of all states that agree on these variables
            for state in game.all_states():
                best = game.search(state)[1]
                if best is not None:
                    key = tuple(state[x] for x in chosen)
                    rest[key] = min(rest.get(key, best[0][0]), best[0][0])
        keys = sorted({tuple(state[x] for x in chosen): None for state in game.all_states()})
        words = [str(rest[key]) if key in rest else random_.choice(["-", "0", "1"]) for key in keys]
        if random_.random() < 0.3:
            at = random_.randrange(len(words))
            words[at] = random_.choice(["-", "-1", "0", "1", "2", "5"])
        names = list(game.places)
        lines.append(f"table {','.join(names[x] for x in chosen)} {' '.join(words)}")
    return lines


def evidence_of(game: Game, random_: random.Random) -> list[str]:
    """Lines of claim.txt, true and false ones."""
    return [*random_.sample(["pairs"], random_.randrange(2)), *tables_of(game, random_)]


def accepted(problem: Problem, lines: list[str]) -> Claim:
    """A claim with those lines of the evidence that the core accepts."""
    kept: list[str] = []
    for line in lines:
        claim = read_claim(problem, claim_text((1,) * len(problem.counts), "refutation 0 0", [*kept, line]), LIMITS)
        try:
            check_tables(problem, claim.tables, LIMITS)
            if len(problem.counts) == 1:
                list(formula_of(claim, LIMITS).clauses())
        except Unsupported:  # no formula
            kept.append(line)
        except Rejected:
            continue
        else:
            kept.append(line)
    return read_claim(problem, claim_text((1,) * len(problem.counts), "refutation 0 0", kept), LIMITS)


def claim_text(below: tuple[int, ...] | None, by: str, lines: list[str], says: str = "at-least") -> str:
    """The text of a claim."""
    first = "unsolvable" if below is None else f"{says} {','.join(map(str, below))}"
    return "\n".join([HEAD, first, f"by {by}", *lines, ""])


def words(problem: Problem, literals: Literals) -> tuple[Part, ...]:
    """Literals of the core in the words of the second reader."""
    return tuple((x, frozenset(v for i, v in enumerate(problem.domains[x]) if m >> i & 1)) for x, m in literals)


def told_of(problem: Problem, claim: Claim) -> Told:
    """A claim of the core in the words of the second reader."""

    told = Told(claim.says, claim.below, claim.kind, claim.numbers, claim.form, claim.pairs)
    for variables, table in claim.tables:
        numbers = {}
        for where, number in table.items():
            values = tuple(problem.domains[x][i] for x, i in zip(variables, where, strict=True))
            numbers[values] = None if number == inf else int(number)
        told.tables.append((variables, numbers))
    return told


def same_game(problem: Problem, game: Game) -> None:
    """Both readers mean the same."""
    assert (list(problem.counts), list(problem.names)) == (game.counts, list(game.places))
    assert [list(domain) for domain in problem.domains] == game.domains
    assert tuple(problem.domains[x][i] for x, i in enumerate(problem.start)) == game.start

    assert [words(problem, part) for part in problem.goal] == game.goal
    assert [a.name for a in problem.actions] == [step.name for step in game.steps]
    for action, step in zip(problem.actions, game.steps, strict=True):
        effects = [(x, words(problem, w), problem.domains[x][i]) for x, some in action.effects.items() for w, i in some]
        assert (action.cost, [words(problem, part) for part in action.needs], effects) == (
            step.cost,
            step.needs,
            step.effects,
        )


def check_problem(seed: int) -> None:
    """One random problem: what the core accepts of it is so, and no plan is missed."""
    random_ = random.Random(seed)
    text = write(random_problem(random_))
    problem, game = read(text), read_game(text)
    same_game(problem, game)
    reached, best = game.search()
    claim = accepted(problem, evidence_of(game, random_))
    told = told_of(problem, claim)
    pairs = ReachedPairs(problem, LIMITS)
    excluded = [words(problem, clause) for clause in pairs.clauses()]
    for state in reached:
        assert game.holds(state, excluded), seed
        rest, number = game.search(state)[1], bound(told, state)
        assert rest is None or (number is not None and number <= rest[0][0]), (seed, state)
    cost, plan = best or (None, [])
    assert cost is None or not pairs.exclude(problem.goal), seed
    states, found = exhaust(problem, None, [], LIMITS)
    assert found == cost
    assert cost is not None or states == len(reached)
    assert exhaust(problem, cost, claim.tables, LIMITS)[1] is None
    if cost is None:
        return
    above = (*cost[:-1], cost[-1] + 1)
    assert exhaust(problem, above, claim.tables, LIMITS)[1] == cost
    if len(cost) > 1:
        return
    for more in (0, 1, 3):
        claim.below = (cost[0] + more + 1,)
        try:
            formula = formula_of(claim, LIMITS)
        except Unsupported:
            return
        clauses = list(formula.clauses())
        numbers = {action.name: a for a, action in enumerate(problem.actions)}
        made = [formula.made[numbers[name]] + t * formula.stride for t, name in enumerate(plan)]
        assert max((abs(x) for clause in clauses for x in clause), default=0) <= formula.variables
        assert model(clauses, made) is not None, f"the clauses miss a plan: seed {seed}, {more} above the optimum"


@pytest.mark.parametrize("part", range(4))
def test_no_plan_is_missed_and_nothing_false_accepted(part: int) -> None:
    for seed in range(part, PROBLEMS, 4):
        check_problem(seed)


# Malformed texts


def mutated(random_: random.Random, text: str) -> str:
    """A text with some characters, words or lines changed."""
    for _ in range(random_.randint(1, 2)):
        sign = random_.choice(["\n", " ", "", ",", "|"])
        parts = (text.split(sign) if sign else list(text)) or [""]
        at, to = random_.randrange(len(parts)), random_.randrange(len(parts))
        kind = random_.randrange(5)
        if kind == 0:
            del parts[at]
        elif kind == 1:
            parts[at], parts[to] = parts[to], parts[at]
        elif kind == 2:
            parts.insert(to, parts[at])
        elif kind == 3:
            parts[at] = parts[to]
        else:
            odd = [
                "",
                "0",
                "-1",
                "007",
                "+1",
                "1_0",
                "\t",
                "A",
                "a",
                "b",
                "=",
                "!=",
                "<",
                "?",
                "&",
                "|",
                "then",
                "if",
                "\r",
                "é",
            ]
            parts[at] += random_.choice(
                [*odd, "9" * 12, "9" * 5000, "0" * 45 + "1", "P=a", "Q!=b", "P<Q", "act", "\x00", "\x1c"]
            )
        text = sign.join(parts)
    return text


def check_text(seed: int) -> None:
    """One mutant of a problem and of a claim: both readers accept it, or neither, and mean the same."""
    random_ = random.Random(seed)
    text = write(random_problem(random_))
    game = read_game(text)
    problem = read(text)
    told = claim_text((3,) * len(problem.counts), "exhaustion 5", evidence_of(game, random_))
    for change in (text, mutated(random_, text)):
        try:
            game_: Game | None = read_game(change)
        except Refused:
            game_ = None
        try:
            problem_: Problem | None = read(change)
        except Rejected:
            problem_ = None
        assert (game_ is None) == (problem_ is None), f"seed {seed}\n{change}"
        if problem_ is not None and game_ is not None:
            same_game(problem_, game_)
    for change in (told, mutated(random_, told)):
        try:
            second: Told | None = read_told(game, change)
        except Refused:
            second = None
        try:
            first: Claim | None = read_claim(problem, change, LIMITS)
        except Rejected:
            first = None
        assert (first is None) == (second is None), f"seed {seed}\n{change!r}"
        if first is not None:
            assert told_of(problem, first) == second, f"seed {seed}\n{change!r}"


@pytest.mark.weekly
@pytest.mark.parametrize("part", range(2))
def test_both_readers_agree_on_malformed_texts(part: int) -> None:
    for seed in range(part, TEXTS, 2):
        check_text(seed)
