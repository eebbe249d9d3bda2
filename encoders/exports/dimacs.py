"""Formula -> clauses (CNF), and the DIMACS file of a bounded-horizon model.

Clauses stay; cause -> effects is a binary clause for each effect; exactly one is a clause and at most one. At most one
of a few literals is a clause for each pair; of more, and exactly n: a sequential counter (Sinz, *Towards an optimal CNF
encoding of Boolean cardinality constraints*, CP 2005), with new variables that say how many of the first i are true.
What the counter of some size looks like is made once; each use of it renames variables, in bulk.

Sums and the objective are left out: sums follow from the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from ...models.errors import UsageError
from ...models.watching import collector_paused
from ...runtime.arrays import from_csr
from ..formula import FALSE, TRUE, ClauseTemplate, Formula
from .names import NamedVariable

# "At most one" of up to this many literals is written pair by pair: at most 15 clauses and no new variable.
PAIRWISE = 6


def to_clauses(formula: Formula) -> tuple[int, list[list[int]]]:
    """The number of variables and the clauses, in DIMACS's literals: variable v of the formula is v + 1, and its
    negation -v - 1, what it is.

    Variables beyond the formula's own belong to counters; they follow from the others. The objective is left out.
    """
    cnf = Formula(formula.variables)
    with collector_paused():
        cnf.clauses = formula.clauses + formula.exactly_ones
        cnf.clauses += [[~cause, effect] for cause, effects in formula.implications.items() for effect in effects]
        # Cardinalities of a size are written once, and only renamed for each use.
        for group in chain(formula.exactly_ones, formula.at_most_ones):
            if len(group) <= PAIRWISE:
                cnf.clauses += [[~x, ~y] for i, x in enumerate(group) for y in group[:i]]
            else:
                _at_most_one(len(group)).add(cnf, np.array(group, np.int32))
        for group, count in formula.cardinalities:
            _exactly(len(group), count).add(cnf, np.array(group, np.int32))
        if formula.contradiction:  # an empty clause, which not every reader knows
            never = cnf.variable()
            cnf.clauses += [[never], [~never]]
        literals = np.fromiter(chain.from_iterable(cnf.clauses), np.int64)
        lengths = np.fromiter(map(len, cnf.clauses), np.int64, len(cnf.clauses))
        return cnf.variables, from_csr(literals + (literals >= 0), lengths)


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


@cache
def _at_most_one(size: int) -> ClauseTemplate:
    """At most one of the literals x0, x1, ..., of which there are `size`. New variable s_i, for all but the last: one
    of x0..xi is true.

    x_i -> s_i        not (x_i and s_(i-1))        s_(i-1) -> s_i
    """
    formula = Formula(size)
    for i in range(size - 1):
        some = formula.variable()
        formula.clauses += [[~i, some], [~(i + 1), ~some]]
        if i:
            formula.clause([~(some - 1), some])
    return ClauseTemplate(formula, size, [])


@cache
def _exactly(size: int, count: int) -> ClauseTemplate:
    """Exactly `count` of the literals x0, x1, ... New variable s_(i,j): at least j of x0..xi are true.

        s_(i,j) <-> s_(i-1,j) or (x_i and s_(i-1,j-1))        s_(last,count)        not s_(last,count+1)

    s_(i,0) is true, and s_(i,j) is false where x0..xi are fewer than j.
    """
    formula = Formula(size)
    at_least = [TRUE, *[FALSE] * (count + 1)]
    for x in range(size):
        before, at_least = at_least, at_least.copy()
        for j in range(1, min(x + 1, count + 1) + 1):
            this = at_least[j] = formula.variable()
            formula.clause([~before[j], this])
            formula.clause([~before[j - 1], ~x, this])
            formula.clause([~this, before[j], x])
            formula.clause([~this, before[j], before[j - 1]])
    formula.clause([at_least[count]])
    formula.clause([~at_least[count + 1]])
    return ClauseTemplate(formula, size, [])
