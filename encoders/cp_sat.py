"""Formula -> the protocol buffer that CP-SAT takes.

One 0-1 variable for each of the formula's, in order. Constraints: `bool_or` for clauses, an enforced `bool_and` for the
effects of a cause and for clauses in a row that begin alike (`p and q -> r1`, `p and q -> r2`, ...: nine of ten clauses
of a parallel step, and the solver makes the same clauses of it), `exactly_one`, `at_most_one`, `all_diff`, `bool_xor`,
`circuit`, and linear ones for cardinalities and sums. CP-SAT's literals are the formula's own, but linear terms have
variables only: a negated literal ~v counts 1 - v, so w * ~v is the term -w * v and the constant w, which moves to the
other side.

The buffer is filled directly. (Through the methods of `CpModel`, building the model of a 12x12 board took 83 s, more
than solving it.)
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from .formula import FALSE, TRUE, Formula, Weighted

if TYPE_CHECKING:
    from ortools.sat.python import cp_model_helper as cp


def build(formula: Formula) -> cp.CpModelProto:
    """The CP-SAT model of a formula."""
    from ortools.sat.python import cp_model_helper as cp

    # Literals are CP-SAT's own: v for a variable, ~v = -v - 1 for its negation, so clauses are copied as they stand.
    model = cp.CpModelProto()
    variables, constraints = model.variables, model.constraints
    boolean = cp.IntegerVariableProto()
    boolean.domain.extend([0, 1])
    for variable in range(formula.variables):
        if variable in formula.integers:
            variables.add().domain.extend(formula.integers[variable])
        else:
            variables.append(boolean)
    # Clauses that begin alike stand next to each other, as a template writes them: `groupby` needs no sorting.
    for common, clauses in groupby(formula.clauses, _condition):
        listed = list(clauses)
        if common is None or len(listed) == 1:
            for clause in listed:
                constraints.add().bool_or.literals.extend(clause)
        else:
            constraint = constraints.add()
            constraint.enforcement_literal.extend([~literal for literal in common])
            constraint.bool_and.literals.extend([clause[2] for clause in listed])
    # One constraint `cause => all effects` in place of a binary clause for each: less to read, propagated the same.
    for cause, effects in formula.implications.items():
        constraint = constraints.add()
        constraint.enforcement_literal.append(cause)
        constraint.bool_and.literals.extend(effects)
    for literals in formula.exactly_ones:
        constraints.add().exactly_one.literals.extend(literals)
    for literals in formula.at_most_ones:
        constraints.add().at_most_one.literals.extend(literals)
    for literals, count in formula.cardinalities:
        linear = constraints.add().linear
        right = count - _write_sum(linear, [(literal, 1) for literal in literals])
        linear.domain.extend([right, right])
    for literals, weights, most in formula.sums:
        linear = constraints.add().linear
        most -= _write_sum(linear, list(zip(literals, weights, strict=True)))
        # A domain needs both ends: the least value that the sum can have says nothing.
        least = sum(min(0, coefficient) for coefficient in linear.coeffs)
        linear.domain.extend([min(least, most), most])
    for sum_of in formula.linears:
        constraint = constraints.add()
        constraint.enforcement_literal.extend(sum_of.when)
        constraint.linear.vars.extend(sum_of.variables)
        constraint.linear.coeffs.extend(sum_of.factors)
        constraint.linear.domain.extend(sum_of.domain)
    for different in formula.all_different:
        all_different = constraints.add().all_diff
        for variable in different:
            term = all_different.exprs.add()
            term.vars.append(variable)
            term.coeffs.append(1)
    for literals in formula.xors:
        constraints.add().bool_xor.literals.extend(literals)
    for arcs in formula.circuits:
        circuit = constraints.add().circuit
        circuit.tails.extend([tail for tail, _, _ in arcs])
        circuit.heads.extend([head for _, head, _ in arcs])
        circuit.literals.extend([literal for _, _, literal in arcs])
    # Constants are no variables: those that are true are added to the offset, those that are false say nothing.
    objective = [(literal, weight) for literal, weight in formula.minimise if literal not in (TRUE, FALSE)]
    if objective:
        model.objective.offset = _write_sum(model.objective, objective)
        model.objective.offset += sum(weight for literal, weight in formula.minimise if literal == TRUE)
    return model


def _write_sum(target: Any, terms: Weighted) -> int:
    """Write a weighted sum of literals to a constraint or objective, which know variables only; gives its constant: a
    term w * ~v is w - w * v.
    """
    target.vars.extend([literal if literal >= 0 else ~literal for literal, _ in terms])
    target.coeffs.extend([weight if literal >= 0 else -weight for literal, weight in terms])
    return sum(weight for literal, weight in terms if literal < 0)


def _condition(clause: list[int]) -> tuple[int, int] | None:
    """The first two literals of a clause of three, which it may share with the next clauses; else None."""
    return (clause[0], clause[1]) if len(clause) == 3 else None
