"""Formula -> clauses (CNF), and the DIMACS file of a bounded-horizon model.

Clauses stay; cause -> effects is a binary clause for each effect; exactly one is a clause and at most one. At most one
of a few literals is a clause for each pair; of more, and exactly n: a sequential counter (Sinz, *Towards an optimal CNF
encoding of Boolean cardinality constraints*, CP 2005), with new variables that say how many of the first i are true.
What the counter of some size looks like is made once; each use of it renames variables, in bulk.

Sums and the objective are left out: sums follow from the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...models.errors import UsageError
from ...models.watching import collector_paused
from ...runtime.arrays import from_csr
from ..formula import Formula
from .names import NamedVariable

# "At most one" of up to this many literals is written pair by pair: at most 15 clauses and no new variable.
PAIRWISE = 6

Literals = NDArray[np.int64]

# Clauses as arrays: all their literals, one clause after the other, and the length of each.
Clauses = tuple[Literals, NDArray[np.int64]]

# A constraint on literals 1..n: new variables (n + 1, n + 2, ...), clauses one after the other, their lengths.
Template = tuple[int, Literals, NDArray[np.int64]]


def to_clauses(formula: Formula) -> tuple[int, list[list[int]]]:
    """The number of variables and the clauses, in DIMACS's literals: variable v of the formula is v + 1.

    Variables beyond the formula's own belong to counters; they follow from the others. The objective is left out.
    """
    variables, parts = _parts(formula)
    clauses: list[list[int]] = []
    with collector_paused():
        for literals, lengths in parts:
            if len(lengths) and (lengths == lengths[0]).all():
                clauses += literals.reshape(len(lengths), -1).tolist()
            else:
                clauses += from_csr(literals, lengths)
    return variables, clauses


def _parts(formula: Formula) -> tuple[int, list[Clauses]]:
    """The number of variables, and all clauses as arrays (several parts), made without loops over literals in
    Python.
    """
    effects, counts = _flat(list(formula.implications.values()))
    causes = np.repeat(_literals(formula.implications), counts)
    # cause -> effect as the clause (not cause, effect), for all at once.
    pairs = np.stack((-causes, effects), axis=1).ravel()
    parts = [_flat(formula.clauses), _flat(formula.exactly_ones), (pairs, np.full(len(effects), 2))]
    variables = formula.variables
    # Cardinalities of a size are written once, and only renamed for each use.
    uses: list[tuple[Template, list[int]]] = []
    for group in chain(formula.exactly_ones, formula.at_most_ones):
        uses.append((_at_most_one(len(group)), group))
    for group, count in formula.cardinalities:
        uses.append((_exactly(len(group), count), group))
    for (new, pattern, lengths), group in uses:
        # Template literal i > 0 is names[i]: first the group's literals, then the new variables.
        names = np.concatenate(([0], _literals(group), np.arange(variables + 1, variables + new + 1)))
        parts.append((np.sign(pattern) * names[np.abs(pattern)], lengths))
        variables += new
    if formula.contradiction:  # an empty clause, which not every reader knows
        variables += 1
        parts.append((np.array([variables, -variables]), np.ones(2, np.int64)))
    return variables, parts


def to_dimacs(formula: Formula, comments: Sequence[str] = ()) -> str:
    """The text of a DIMACS file: comments, the header, a clause a line."""
    variables, clauses = to_clauses(formula)
    lines = [f"c {comment}" for comment in comments]
    lines.append(f"p cnf {variables} {len(clauses)}")
    lines.extend(" ".join(map(str, clause)) + " 0" for clause in clauses)
    return "\n".join(lines) + "\n"


def variable_comments(names: Sequence[str]) -> list[str]:
    """A comment for each variable that means something: `var 12 = fact A at r1c1, layer 3`."""
    return [f"var {v} = {name}" for v, name in enumerate(names, 1) if name]


def variable_map(names: Sequence[str], about: dict[str, object]) -> str:
    """What each variable of a formula means, as JSON, with the puzzle and the horizon that it is about."""
    named = {str(v): name for v, name in enumerate(names, 1) if name}
    return json.dumps({**about, "variables": named}, ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True, slots=True)
class VariableMap:
    """What the variables of an exported model mean: `variables` by number; and what the model is about."""

    metric: str
    horizon: int
    steps: str
    variables: dict[int, NamedVariable]


def read_variable_map(text: str) -> VariableMap:
    """What `variable_map` wrote. Raises `UsageError` for anything else."""
    try:
        value = json.loads(text)
        named = {int(number): NamedVariable.parse(name) for number, name in value["variables"].items()}
        variables = {number: variable for number, variable in named.items() if variable}
        if len(variables) < len(named):
            raise ValueError("a variable that means nothing")
        return VariableMap(str(value["metric"]), int(value["horizon"]), str(value["steps"]), variables)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            "this is not a map of variables; `budge export --to dimacs --out FILE.cnf` writes one, FILE.cnf.map.json"
        ) from None


def _literals(literals: Iterable[int]) -> Literals:
    """DIMACS's literals: v is v + 1, and its negation -v - 1 is what it is."""
    array = np.fromiter(literals, np.int64)
    return array + (array >= 0)


def _flat(lists: list[list[int]]) -> tuple[Literals, NDArray[np.int64]]:
    return _literals(chain.from_iterable(lists)), np.fromiter(map(len, lists), np.int64, len(lists))


def _template(new: int, clauses: list[list[int]]) -> Template:
    lengths = np.fromiter(map(len, clauses), np.int64, len(clauses))
    return new, np.fromiter(chain.from_iterable(clauses), np.int64), lengths


@cache
def _at_most_one(size: int) -> Template:
    """At most one of the literals x1..xn, n = `size`. New variable s_i, for i < n: one of x1..xi is true.

    x_i -> s_i        s_(i-1) -> s_i        not (x_(i+1) and s_i)
    """
    if size <= PAIRWISE:
        return _template(0, [[-i, -j] for i in range(1, size + 1) for j in range(1, i)])
    clauses = []
    for i in range(1, size):
        some = size + i  # s_i
        clauses += [[-i, some], [-(i + 1), -some]]
        if i > 1:
            clauses.append([-(some - 1), some])
    return _template(size - 1, clauses)


@cache
def _exactly(size: int, count: int) -> Template:
    """Exactly `count` of the literals x1..xn, n = `size`. New variable s_(i,j): at least j of x1..xi are true.

        s_(i,j) <-> s_(i-1,j) or (x_i and s_(i-1,j-1))        s_(n,count)        not s_(n,count+1)

    s_(i,0) is true, and s_(i,j) with j > i is false: constants, which are simplified away.
    """
    clauses: list[list[int]] = []
    number: dict[tuple[int, int], int] = {}

    def at_least(i: int, j: int) -> int | bool:
        if j <= 0 or j > i:
            return j <= 0
        return number.setdefault((i, j), size + 1 + len(number))

    def negated(literal: int | bool) -> int | bool:
        return not literal if isinstance(literal, bool) else -literal

    def clause(*literals: int | bool) -> None:
        if not any(x is True for x in literals):
            clauses.append([x for x in literals if x is not False])

    for i in range(1, size + 1):
        for j in range(1, min(i, count + 1) + 1):
            this, before, fewer = at_least(i, j), at_least(i - 1, j), at_least(i - 1, j - 1)
            clause(negated(before), this)
            clause(negated(fewer), -i, this)
            clause(negated(this), before, i)
            clause(negated(this), before, fewer)
    clause(at_least(size, count))
    clause(negated(at_least(size, count + 1)))
    return _template(len(number), clauses)
