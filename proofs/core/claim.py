"""The folder of a certificate, what it claims of its problem, and the checks, action by action, of its evidence.

    problem.txt       the problem
    claim.txt         what is claimed, and the evidence for the lower bound
    plan.txt          the name of an action on each line; missing where no plan is claimed
    proof.lrat.xz     for a refutation, the proof
    puzzle.yaml, formula.cnf, proof.lrat    for people and for other checkers; not read here

claim.txt:

    budge claim 1
    optimum 24                           or `optimum 8,33`, `at-least 24`, `unsolvable`
    by refutation 20544 61174            the numbers of variables and clauses; or `by exhaustion 54`, the number of
                                         states; or `by pairs`: values of the goal are never reached together
    changes                              the formula is that of a layer (`one_variable_formula`); or `parallel`
    pairs                                the formula says which two values are never reached together (`pairs`)
    table X 4 3 2 1 0                    variables with commas between them, and a number for each combination

A *table* gives a number for each combination of the values of some variables. The *bound* of a state is the sum of its
numbers, one of each table. It is never more than what the rest of a plan costs (of the first count), because it is at
most 0 where the goal holds, and no action lowers it by more than it costs (a *consistent* heuristic, as Pearl, 1984,
has it). `-` in place of a number says that no plan leads on from there: an action never leads from `-` to a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf, prod

from .limits import Invalid, Limits, Unsupported
from .problem import PAIR_BYTES, Action, Cost, Literals, Problem, Reader, read_lines

HEAD, FILE = "budge claim 1", "claim.txt"
PLAN, PROOF, PUZZLE = "plan.txt", "proof.lrat.xz", "puzzle.yaml"
OPTIMUM, AT_LEAST, UNSOLVABLE = "optimum", "at-least", "unsolvable"
REFUTATION, EXHAUSTION, PAIRS = "refutation", "exhaustion", "pairs"
NUMBERS = {REFUTATION: 2, EXHAUSTION: 1, PAIRS: 0}
"""How many numbers stand behind each kind of evidence."""
FORMS = "changes", "parallel"
"""Other formulas than the plain one: with clauses for what changes, or with several steps at once."""


Table = tuple[tuple[int, ...], dict[tuple[int, ...], float]]
"""Some variables, and a number for each combination of their values, infinity where it says `-`."""


@dataclass(slots=True)
class Claim:
    """What claim.txt says of a problem. `below`: plans that cost less than this are excluded; None, where all are.
    `pairs`: the formula has clauses about pairs; `steps`: those of the proof of a refutation, once it has been checked.
    """

    problem: Problem
    says: str = ""
    below: Cost | None = None
    kind: str = ""
    numbers: tuple[int, ...] = ()
    form: str = ""
    pairs: bool = False
    tables: list[Table] = field(default_factory=list)
    steps: int = 0


def read_claim(problem: Problem, text: str, limits: Limits, kinds: Mapping[str, int] = NUMBERS) -> Claim:
    """Read claim.txt. `kinds`: those of evidence, each with how many numbers it has. Raises `Invalid`, and
    `Unsupported` for evidence of another kind.
    """
    reader = Reader(limits, {name: x for x, name in enumerate(problem.names)}, list(problem.domains))
    claim = Claim(problem)

    def take(word: str, words: list[str]) -> None:
        if not claim.says:
            if word not in (OPTIMUM, AT_LEAST, UNSOLVABLE) or len(words) != (word != UNSOLVABLE):
                raise Invalid("`optimum N`, `at-least N` or `unsolvable` is wanted")
            claim.says, claim.below = word, reader.cost(words[0], len(problem.counts)) if words else None
        elif not claim.kind:
            if word != "by" or words[0] not in kinds or len(words) != 1 + kinds[words[0]]:
                raise Unsupported(f"{FILE}: evidence of a kind that this checker does not know")
            claim.kind, claim.numbers = words[0], tuple(reader.cost(number, 1)[0] for number in words[1:])
        elif word == "table":
            claim.tables.append(table(problem, [reader.names[name] for name in words[0].split(",")], words[1:], reader))
        elif word in FORMS and not words:
            claim.form = word
        elif word == PAIRS and not words:
            claim.pairs = True
        elif word in ("area", "invariant") or (word and not words):
            raise Unsupported(f"{FILE}: a formula that this checker does not know: `{word[:60]}`")
        else:
            raise Invalid("a line says `table`, or names a formula")

    read_lines(text, HEAD, FILE, limits, take)
    if not claim.kind:
        raise Invalid("a claim is wanted, and what shows it", FILE)
    return claim


def table(problem: Problem, variables: Sequence[int], words: list[str], reader: Reader) -> Table:
    """A table of the numbers in `words`, in the order of the values, the last variable's changing first. Raises
    `Invalid`.
    """
    values = [range(len(problem.domains[x])) for x in variables]
    if len(values) > len(words).bit_length() or len(words) != prod(map(len, values)) or len({*variables}) < len(values):
        raise Invalid("a table has a number for each combination of values of different variables")
    reader.limits.hold((2 * PAIR_BYTES + 8 * len(values)) * len(words))
    numbers = (inf if word == "-" else reader.number(word) for word in words)
    return tuple(variables), dict(zip(product(*values), numbers, strict=True))


def bound(tables: list[Table], value: Callable[[int], int]) -> float:
    """The bound of a state, whose variables have the values that `value` gives; infinity where a table says `-`."""
    return sum(numbers[tuple(map(value, variables))] for variables, numbers in tables)


def check_tables(problem: Problem, tables: list[Table], limits: Limits) -> list[int]:
    """Check that the sum of tables is a bound: for each action, what it costs beyond the most by which it lowers the
    bound. Raises `Invalid`.
    """
    at_goals = [[one[1][*at.values()] for at in entries(problem, one, problem.goal, limits)] for one in tables]
    if sum(max(numbers, default=0) for numbers in at_goals) > 0:
        raise Invalid("the bound may be more than 0 where the goal holds", FILE)
    spare = []
    for action in problem.actions:
        limits.tick(len(tables))
        drop = sum(_drop(problem, one, action, limits) for one in tables if action.effects.keys() & one[0])
        if drop > action.cost[0]:
            raise Invalid(f"the bound may fall by more than the cost of {action.name}", FILE)
        spare.append(action.cost[0] - int(drop))
    return spare


def entries(problem: Problem, one: Table, clauses: Iterable[Literals], limits: Limits) -> Iterator[dict[int, int]]:
    """The entries of a table where some clauses may all hold, each as the values of the table's variables."""
    inside = [part for part in clauses if all(x in one[0] for x, _ in part)]  # others may hold whatever is there
    masks = [problem.allowed(inside, x) for x in one[0]]
    for values in product(*([i for i in range(mask.bit_length()) if mask >> i & 1] for mask in masks)):
        limits.tick(1 + len(inside))
        at = dict(zip(one[0], values, strict=True))
        if all(any(mask >> at[x] & 1 for x, mask in part) for part in inside):
            yield at


def _drop(problem: Problem, one: Table, action: Action, limits: Limits) -> float:
    """The most by which an action lowers the number of a table; from infinity to infinity it lowers nothing."""
    variables, numbers = one
    # An effect looks at few of the table's variables, so what it leads to is worked out once for their values.
    asked = {x: {y for when, _ in action.effects.get(x, ()) for y, _ in when}.union([x]) for x in variables}
    most, known = -inf, dict[tuple[int, ...], set[int]]()
    for at in entries(problem, one, action.needs, limits):
        keys = [(x, *[at[y] for y in some if y in at]) for x, some in asked.items()]
        for key in keys:
            if key not in known:
                known[key] = values_after(action, key[0], at, limits)
        for end in product(*[known[key] for key in keys]):
            limits.tick()
            if numbers[end] < inf:
                most = max(most, numbers[*at.values()] - numbers[end])
    return most if most > -inf else 0


def values_after(action: Action, x: int, at: dict[int, int], limits: Limits) -> set[int]:
    """The values that a variable of a table may have after an action, where the table's have those in `at`."""
    may, effects = {at[x]}, action.effects.get(x, ())
    limits.tick(len(effects))
    for when, value in effects:
        if all(y not in at or mask >> at[y] & 1 for y, mask in when):
            if all(y in at for y, _ in when):
                return {value}
            may.add(value)
    return may
