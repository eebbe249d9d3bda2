"""Common subexpressions of an action, evaluated once for each binding of the parameters that they read.

    when: box[player + d] and not box[player + 2*d]        $1 = vector of d      $2 = 2 * $1      as soon as d is bound
    set:  player: player + d                               $3 = $read + $1       $4 = $read + $2
          box[player + d]: false                           $5 = variable box[$3] $6 = variable box[$4]
          box[player + 2*d]: true

Each part gets a name like a parameter, and is worked out when the names in it are bound: `2*d` four times in all, and
not for each cell on which the player may be. What has no value (a cell off the board) ends the binding: an action that
asks it, or sets something there, is not possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..language import expressions as ex
from ..language.evaluate import Evaluators, StateValues
from ..language.expressions import Expr, Loop, used
from ..puzzle import Part
from .variables import Variables

Frame = Mapping[str, Any]
"""What names stand for: a value, the number of a variable, or a list of these, one for each turn of loops."""


class Shared(NamedTuple):
    """A part with a name: what must be bound before, and its value for that; None if it has none. `early`: it takes
    little time, and may be worked out before it is needed.
    """

    name: str
    needs: frozenset[str]
    value_of: Callable[[Frame, StateValues], object]
    early: bool = True


class Target(NamedTuple):
    """What a condition or an assignment is about, by name: a variable and a value; with loops (`several`), a list of
    variables, and one value for all of them or (`each`) a list of values.
    """

    place: str
    value: ex.Const | ex.Local
    several: bool = False
    each: bool = False

    @property
    def names(self) -> list[str]:
        """The names that must be bound before."""
        return [self.place, self.value.name] if isinstance(self.value, ex.Local) else [self.place]


class Sharing:
    """Gives names to parts of expressions, equal parts the same name. `parts` is in an order in which they can be
    worked out.
    """

    def __init__(self, fixed: Evaluators, variables: Variables) -> None:
        self.fixed, self.variables = fixed, variables
        self.parts: list[Shared] = []
        self._names: dict[object, str] = {}

    def target(self, table: str, args: tuple[Expr, ...], value: Expr, loops: tuple[Loop, ...]) -> Target:
        """`table[args]` and a value, each in every turn of the loops."""
        if not loops:
            return Target(self.variable(table, args), self.value(value))
        place = self._listed((table, args, loops), args, loops, self._place(table, args), table)
        if used(value).isdisjoint(loop.name for loop in loops):
            return Target(place, self.value(value), several=True)
        values = self._listed((value, loops), (value,), loops, self.fixed.evaluator(value))
        return Target(place, ex.Local(values), several=True, each=True)

    def value(self, expr: Expr) -> ex.Const | ex.Local:
        """An expression that does not read the state as the name of its value."""
        several: tuple[ex.Const | ex.Local, ...]
        match expr:
            case ex.Const() | ex.Local():
                return expr
            case ex.CellStep(left, right) | ex.Arith(_, left, right):
                several = first, second = self.value(left), self.value(right)
                expr = ex.CellStep(first, second) if isinstance(expr, ex.CellStep) else ex.Arith(expr.op, first, second)
            case ex.VectorOf(direction):
                several = (first,) = (self.value(direction),)
                expr = ex.VectorOf(first)
            case ex.ConstantLookup(_, args) | ex.Function(_, args):
                several = tuple(map(self.value, args))
                expr = replace(expr, args=several)
            case _:
                return ex.Local(self._named(expr, used(expr), self.fixed.evaluator(expr), early=False))
        return ex.Local(self._named(expr, _names(several), self.fixed.evaluator(expr)))

    def test(self, condition: Expr, doing: Part) -> str:
        """The name of a condition that does not read the state; it has no value where it is not true. `doing`: its
        place in the file.
        """
        match condition:  # of these, it is not true where a part has no value
            case ex.Compare(op, left, right):
                condition = ex.Compare(op, self.value(left), self.value(right))
            case ex.Membership(inner, values):
                condition = ex.Membership(self.value(inner), values)
            case ex.Use(_, args):
                condition = replace(condition, args=tuple(map(self.value, args)))
        evaluate, variables = self.fixed.evaluator(condition), self.variables

        def true(names: Frame, state: StateValues) -> bool | None:
            variables.doing = doing
            variables.work += 1
            return True if evaluate(names, state) is True else None

        return self._named(("test", condition), used(condition), true)

    def variable(self, table: str, args: tuple[Expr, ...]) -> str:
        """The name of the variable `table[args]`; it has no value where there is no such place."""
        several = tuple(map(self.value, args))
        return self._named((table, several), _names(several), self._place(table, several))

    def _place(self, table: str, args: tuple[Expr, ...]) -> Callable[[Frame, StateValues], int | None]:
        if len(args) == 1 and isinstance(args[0], ex.Local):
            name, single = args[0].name, self.variables.at_single(table)
            return lambda names, _state: single.get(names[name])
        at, key_of = self.variables.at[table], self.fixed.tuple_of(args)
        return lambda names, state: None if (key := key_of(names, state)) is None else at.get(key)

    def _listed(
        self,
        key: object,
        of: tuple[Expr, ...],
        loops: tuple[Loop, ...],
        value_of: Callable[[Frame, StateValues], object],
        table: str = "",
    ) -> str:
        """The name of the list of values in each turn of loops, with `table` of its variables `table[of]`; no value if
        one is missing.
        """
        values = self.fixed.values_alone(loops)
        if values is not None and table and of == (ex.Local(loops[0].name),):
            single = self.variables.at_single(table)

            def at_values(names: Frame, state: StateValues) -> list[object] | None:
                items: list[object] = [single.get(value) for value in values(names, state)]
                return None if None in items else items

            return self._named(key, used((of, loops)), at_values, early=False)

        turns = self.fixed.turns(loops)

        def listed(names: Frame, state: StateValues) -> list[object] | None:
            items = [value_of(turn, state) for turn in turns(names, state)]
            return None if None in items else items

        return self._named(key, used((of, loops)), listed, early=False)

    def _named(
        self, key: object, needs: set[str], value_of: Callable[[Frame, StateValues], object], early: bool = True
    ) -> str:
        if key not in self._names:
            self._names[key] = f"$part {len(self.parts)}"
            self.parts.append(Shared(self._names[key], frozenset(needs), value_of, early))
        return self._names[key]


def _names(several: Iterable[Expr]) -> set[str]:
    return {expr.name for expr in several if isinstance(expr, ex.Local)}
