"""Conditions and assignments that read the state only at places that are known once names are bound.

    box[player + d]      with $0 bound to a value of `player`:      box[$0 + d]

So the value of a place that the state decides is a name like a parameter (`Lifting`), and a condition is a look at one
variable (`Literal`). Expressions of other forms are left to the compiler (`cases`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..language.evaluate import Evaluators
from ..language.expressions import (
    And,
    Arith,
    CellStep,
    Compare,
    Const,
    ConstantLookup,
    Expr,
    Function,
    Local,
    Loop,
    Not,
    Or,
    Quantifier,
    Read,
    VectorOf,
    used,
)
from ..language.values import MIRRORED
from ..puzzle import TableAssignment


@dataclass
class Lifting:
    """Replaces reads of the state in expressions by names: `at[x] == c` becomes "name == c", the name standing for
    `at[x]`.
    """

    fixed: Evaluators
    reads: dict[Read, str] = field(default_factory=dict)

    def lifted(self, expr: Expr, inner: frozenset[str] = frozenset()) -> Expr | None:
        """An expression with names in place of what it reads; None if not all of that is to be known.

        `inner`: names of loops, of which no read may depend.
        """
        if not self.fixed.reads(expr):
            return expr
        match expr:
            case Read(table, args):
                several = self.all(args, inner)
                if several is None or not inner.isdisjoint(used(several)):
                    return None
                return Local(self.reads.setdefault(Read(table, several), f"$read {len(self.reads)}"))
            case CellStep(cell, vector):
                pair = self.all((cell, vector), inner)
                return None if pair is None else CellStep(*pair)
            case Arith(op, left, right):
                pair = self.all((left, right), inner)
                return None if pair is None else Arith(op, *pair)
            case ConstantLookup(_, args) | Function(_, args):
                several = self.all(args, inner)
                return None if several is None else replace(expr, args=several)
            case VectorOf(one) | Not(one):
                found = self.lifted(one, inner)
                return None if found is None else type(expr)(found)
        return None

    def all(self, several: tuple[Expr, ...], inner: frozenset[str] = frozenset()) -> tuple[Expr, ...] | None:
        found = [self.lifted(one, inner) for one in several]
        good = tuple(one for one in found if one is not None)
        return good if len(good) == len(found) else None


@dataclass(frozen=True, slots=True)
class LiftedLiteral:
    """A condition `table[args] op value` (its negation if not `yes`) for each turn of the loops; nothing else reads
    the state.
    """

    table: str
    args: tuple[Expr, ...]
    op: str
    value: Expr
    yes: bool
    loops: tuple[Loop, ...]

    def names(self) -> set[str]:
        """The names that must be bound before it can be tested; variables of its own loops are left out."""
        return used((self.args, self.value, self.loops))


def literals_of(
    expr: Expr, lifting: Lifting, yes: bool = True, loops: tuple[Loop, ...] = ()
) -> list[LiftedLiteral] | None:
    """A condition as looks at one variable each, all of which must be as wanted; None if it is of another form.

    `all(free[x] for x in cell if covers(s, c, x))` is one look in each turn of a loop.
    """
    inner = frozenset(loop.name for loop in loops)
    match expr:
        case Not(one):
            return literals_of(one, lifting, not yes, loops)
        case And(several) | Or(several) if isinstance(expr, And) == yes:
            found = [literals_of(one, lifting, yes, loops) for one in several]
            return None if None in found else [literal for one in found for literal in one or ()]
        case Quantifier("all" | "any" as kind, body, more) if (kind == "all") == yes:
            return None if lifting.fixed.reads_in(more) else literals_of(body, lifting, yes, (*loops, *more))
        case Read(table, args):
            places = lifting.all(args, inner)
            return None if places is None else [LiftedLiteral(table, places, "==", Const(True), yes, loops)]
        case Compare(op, left, right):
            if isinstance(right, Read) and not isinstance(left, Read):
                left, right, op = right, left, MIRRORED[op]
            if isinstance(left, Read):
                places, value = lifting.all(left.args, inner), lifting.lifted(right, inner)
                return (
                    None
                    if places is None or value is None
                    else [LiftedLiteral(left.table, places, op, value, yes, loops)]
                )
    return None


@dataclass(frozen=True, slots=True)
class LiftedAssignment:
    """An assignment in which reads of the state are replaced by names."""

    table: str
    args: tuple[Expr, ...]
    value: Expr
    loops: tuple[Loop, ...]


def lifted_assignment(assignment: TableAssignment, lifting: Lifting) -> LiftedAssignment | None:
    """The assignment with names for what it reads; None if its loops depend on the state."""
    inner = frozenset(loop.name for loop in assignment.loops)
    loops = []
    for loop in assignment.loops:
        around = None if loop.around is None else lifting.lifted(loop.around, inner)
        if any(lifting.fixed.reads(condition) for condition in loop.conditions):
            return None
        if loop.around is not None and around is None:
            return None
        loops.append(replace(loop, around=around))
    args, value = lifting.all(assignment.args, inner), lifting.lifted(assignment.value, inner)
    if args is None or value is None:
        return None
    return LiftedAssignment(assignment.table, args, value, tuple(loops))
