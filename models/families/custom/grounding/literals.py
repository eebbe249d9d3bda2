"""Conditions on known variables: literals, joined by `and` and `or`.

For given names, most conditions ask known variables for known values, whatever the state. `all(at[r] != c for r in
robot)` for the cell r1c1 is the conjunction of a *literal* (a variable with the values it may have) for each robot:

    at[red] in {all but r1c1}  and  at[blue] in {all but r1c1}  and ...

Definitions are turned into this form once for each choice of arguments. It splits a term as `conditions` splits it,
many times faster: nothing is looked up again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..language.evaluate import Evaluators
from ..language.expressions import And, Compare, Expr, Loop, Membership, Not, Or, Quantifier, Read, Use, Value
from ..language.loop_turns import NO_STATE, Names
from ..language.values import MIRRORED
from .terms import NEGATED, Term, is_wanted, wants_true
from .variables import Variables

MAX_PLAIN = 1_000
"""The most literals of nested `and` or `or` that are flattened into one list."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A condition whose value is the same in all states."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Literal:
    """The condition that a variable has one of some values (a mask)."""

    variable: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Negation:
    """The negation of a condition; it has no value where that condition has none."""

    inner: Condition


@dataclass(frozen=True, slots=True)
class Junction:
    """`and` (`every`) or `or` of conditions; `plain` has them as literals, if all of them are."""

    every: bool
    conditions: tuple[Condition, ...]
    plain: tuple[Literal, ...] | None
    quantified: bool = False


Condition = Fixed | Literal | Negation | Junction


def in_literals(expr: Expr, names: Names, variables: Variables, fixed: Evaluators) -> Condition | None:
    """A condition as a tree over literals; None if the state decides which variables it reads."""
    # What does not read the state has its value now; otherwise the form of the expression decides, down to comparisons
    # of one variable with a constant.
    known = fixed.of(expr)
    if known is not None:
        value = known(names, NO_STATE)
        return Fixed(None if value is None else bool(value))
    variables.count()
    match expr:
        case Not(inner):
            negated = in_literals(inner, names, variables, fixed)
            return None if negated is None else Negation(negated)
        case And(parts) | Or(parts):
            return _junction(isinstance(expr, And), ((part, names) for part in parts), variables, fixed)
        case Quantifier(kind, body, loops) if kind in ("all", "any"):
            if fixed.reads_in(loops):
                return None
            turns = ((body, turn) for turn in _turns(loops, names, fixed))
            return _junction(kind == "all", turns, variables, fixed, quantified=True)
        case Use(name, args):
            several = fixed.of_all(args)
            if several is None:
                return None
            inner_names = fixed.bound(name, several(names, NO_STATE))
            if inner_names is None:
                return Fixed(None)
            return in_literals(fixed.puzzle.definitions[name].body, inner_names, variables, fixed)
        case Read():
            return _literal(expr, names, variables, fixed, True, "==")
        case Membership(Read() as read, values):
            several = fixed.of_all(read.args)
            if several is None:
                return None
            key = several(names, NO_STATE)
            variable = None if key is None else variables.at[read.table].get(key)
            if variable is None:
                return Fixed(False)
            return Literal(variable, variables.passing(variable, values.__contains__))
        case Compare(op, left, right):
            if isinstance(right, Read) and not isinstance(left, Read):
                left, right, op = right, left, MIRRORED[op]
            other = fixed.of(right)
            if isinstance(left, Read) and other is not None:
                return _literal(left, names, variables, fixed, other(names, NO_STATE), op)
    return None


def _literal(
    read: Read,
    names: Names,
    variables: Variables,
    fixed: Evaluators,
    value: Value | None,
    op: str,
) -> Condition | None:
    """The literal `table[args] op value`; a condition without a value where the place or the value does not exist."""
    several = fixed.of_all(read.args)
    if several is None:
        return None
    key = several(names, NO_STATE)
    variable = None if key is None else variables.at[read.table].get(key)
    if variable is None or value is None:
        return Fixed(None)
    return Literal(variable, variables.accepted(variable, op, value))


def _turns(loops: tuple[Loop, ...], names: Names, fixed: Evaluators) -> Iterator[Names]:
    """The names in each turn of loops that do not read the state, each turn as a mapping of its own."""
    return (dict(turn) for turn in fixed.turns(loops)(names, NO_STATE))


def _junction(
    every: bool,
    several: Iterator[tuple[Expr, Names]],
    variables: Variables,
    fixed: Evaluators,
    quantified: bool = False,
) -> Condition | None:
    found: list[Condition] = []
    for part, inner in several:
        condition = in_literals(part, inner, variables, fixed)
        if condition is None:
            return None
        found.append(condition)
    # What cannot decide (true in `and`, false in `or`) is left out; what decides alone is the whole.
    if Fixed(not every) in found:
        return Fixed(not every)
    left = tuple(condition for condition in found if condition != Fixed(every))
    plain = [_plain(condition, every) for condition in left]
    literals = tuple(literal for several_literals in plain for literal in several_literals or ())
    simple = None not in plain and len(literals) <= MAX_PLAIN
    return Junction(every, left, literals if simple else None, quantified)


def _plain(condition: Condition, every: bool) -> tuple[Literal, ...] | None:
    """A condition as a list of literals joined by `and` (`every`) or by `or`; None if it is of another form."""
    if isinstance(condition, Literal):
        return (condition,)
    return condition.plain if isinstance(condition, Junction) and condition.every == every else None


def split(condition: Condition, term: Term, want: str, variables: Variables) -> list[Term]:
    """The parts of a term in which a condition has the wanted truth value."""
    yes = wants_true(want)
    variables.count()
    match condition:
        case Literal(variable, accepted):
            return variables.literal(variable, accepted, term, yes)
        case Fixed(value):
            return [term] if is_wanted(value, want) else []
        case Negation(inner):
            return split(inner, term, NEGATED[want], variables)
        case Junction(every, parts, plain, quantified):
            if every != yes:
                found = _some(parts, term, want, variables)
            elif plain is not None:
                return _every_literal(plain, term, yes, variables)
            else:
                found = _every(parts, term, want, variables)
            return variables.bounded(found) if quantified else found


def _every_literal(literals: tuple[Literal, ...], term: Term, yes: bool, variables: Variables) -> list[Term]:
    """The states of a term in which all literals hold (with `yes` false: none of them), as one term or no term."""
    variables.count(len(literals))
    full = variables.full
    for literal in literals:
        variable, accepted = literal.variable, literal.accepted
        mask = term.get(variable, full[variable])
        if not (mask & ~accepted if yes else mask & accepted) and variable not in variables.overlay:
            continue  # the usual case, quickly: so it is in all of the term
        found = variables.literal(variable, accepted, term, yes)
        if not found:
            return found
        term = found[0]
    return [term]


def _every(parts: tuple[Condition, ...], term: Term, want: str, variables: Variables) -> list[Term]:
    found = [term]
    for part in parts:
        found = variables.bounded([u for t in found for u in split(part, t, want, variables)])
        if not found:
            break
    return found


def _some(parts: tuple[Condition, ...], term: Term, want: str, variables: Variables) -> list[Term]:
    found: list[Term] = []
    for part in parts:
        for u in split(part, term, want, variables):
            if u == term:
                return [term]
            found.append(u)
    return variables.bounded(found)
