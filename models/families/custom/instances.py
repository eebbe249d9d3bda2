"""Actions with all parameters bound, as changes of variables: what the task is made of.

Parameters are bound one after the other, and each condition is asked as soon as all of its parameters are known: what
fails early is not bound further. What is left is split into the cases in which every new value is known. Then

- changes that `always` forbids are cut off: only conditions that read a changed variable are asked again;
- relaxed reachability (delete relaxation) finds the values that variables can come to have; changes that need another
  one are dropped, and variables that keep one value are constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import UsageError
from ...task import MAX_OPERATORS
from .cases import Compiler
from .evaluate import Interpreter
from .expressions import And, Choice, Const, Expr, Local, Quantifier, Value
from .fixed import Names
from .puzzle import Action, Custom
from .terms import TRUE, UNTRUE, Term, bits, parts
from .variables import TooLargeError


@dataclass(frozen=True, slots=True)
class Change:
    """An action in one case: in all states of `term`, variables get new values (numbers of values)."""

    action: str
    args: tuple[Value, ...]
    term: Term
    new: dict[int, int]
    cost: tuple[int, ...]


def changes(compiler: Compiler, components: tuple[str, ...]) -> list[Change]:
    """All changes that the actions make, with their costs in the components of a metric."""
    puzzle = compiler.puzzle
    always = [rule for condition in puzzle.always for rule in rules_of(condition, compiler)]
    found: list[Change] = []
    for action in puzzle.actions.values():
        compiler.doing = f"the action `{action.name}`"
        of_action = _Action(compiler, action, always, components)
        for change in of_action.changes():
            found.append(change)
            compiler.count(WORK_OF_A_CHANGE)
            if len(found) > MAX_OPERATORS:
                raise TooLargeError(
                    f"the action `{action.name}` makes more than {MAX_OPERATORS:,} operators; give it fewer "
                    "parameters, or conditions that exclude more"
                )
    return found


@dataclass(frozen=True, slots=True)
class Rule:
    """A part of what is always true: an instance of a quantified condition. `tables`: what it reads."""

    names: Names
    conditions: tuple[Expr, ...]
    body: Expr
    tables: frozenset[str]
    holds: Expr = field(init=False)

    def __post_init__(self) -> None:
        """The rule as one expression: if its conditions are true, its body is."""
        whole = Choice(And(self.conditions), self.body, Const(True)) if self.conditions else self.body
        object.__setattr__(self, "holds", whole)


def rules_of(expr: Expr, compiler: Compiler, names: Names | None = None) -> Iterator[Rule]:
    """The smallest parts that all must hold for a condition to hold."""
    names = names or {}
    if isinstance(expr, And):
        for part in expr.parts:
            yield from rules_of(part, compiler, names)
        return
    if isinstance(expr, Quantifier) and expr.kind == "all":
        turns = compiler.items(expr.loops, names, {})
        if len(turns) == 1:
            for inner, conditions in turns[0][1]:
                if conditions:
                    tables = compiler.fixed.reads(expr.body).union(*(compiler.fixed.reads(c) for c in conditions))
                    yield Rule(inner, conditions, expr.body, tables)
                else:
                    yield from rules_of(expr.body, compiler, inner)
            return
    yield Rule(names, (), expr, compiler.fixed.reads(expr))


class _Action:
    """One action being bound."""

    def __init__(self, compiler: Compiler, action: Action, always: list[Rule], components: tuple[str, ...]) -> None:
        self.compiler, self.action = compiler, action
        targets = {assignment.table for assignment in action.assignments}
        self.always = [rule for rule in always if rule.tables & targets]
        counted = {counting.many: counting for counting in compiler.puzzle.countings}
        self.prices = [counted[name].costs.get(action.name) for name in components]
        self.names = [name for name, _ in action.parameters]
        # Each condition is asked when the last of its parameters is bound; `due[i]`: after i parameters.
        self.due: list[list[Expr]] = [[] for _ in range(len(self.names) + 1)]
        for condition in action.conditions:
            for part in condition.parts if isinstance(condition, And) else (condition,):
                used = {node.name for node in parts(part) if isinstance(node, Local)}
                last = max((i + 1 for i, name in enumerate(self.names) if name in used), default=0)
                self.due[last].append(part)
        self.bound = 0

    def changes(self) -> Iterator[Change]:
        yield from self._bind(0, {}, {})

    def _bind(self, number: int, names: dict[str, Value], term: Term) -> Iterator[Change]:
        """Ask what can be asked, then bind the next parameter."""
        terms = [term]
        for condition in self.due[number]:
            terms = [u for t in terms for u in self.compiler.terms(condition, names, t, TRUE)]
            if not terms:
                return
        for t in terms:
            if number == len(self.names):
                yield from self._cases(names, t)
                continue
            name, domain = self.action.parameters[number]
            for value in domain.values:
                self.bound += 1
                self.compiler.count()
                if self.bound > MAX_BOUND:
                    raise TooLargeError(
                        f"the action `{self.action.name}` has more than {MAX_BOUND:,} instances of its parameters; "
                        "give it fewer, or conditions that can be decided before the last one is bound"
                    )
                yield from self._bind(number + 1, {**names, name: value}, t)

    def _cases(self, names: dict[str, Value], term: Term) -> Iterator[Change]:
        """The cases in which all new values are known."""
        args = tuple(names.values())
        for t, new in self._assigned(names, term):
            for u, cost in self._costs(names, t):
                for w in self._allowed(u, new):
                    yield from self._settled(args, w, new, cost)

    def _assigned(self, names: Names, term: Term) -> list[tuple[Term, dict[int, Value]]]:
        found: list[tuple[Term, dict[int, Value]]] = [(term, {})]
        for assignment in self.action.assignments:
            after = []
            for t, new in found:
                for u, items in self.compiler.items(assignment.loops, names, t):
                    partial = [(u, new)]
                    for inner, conditions in items:
                        partial = [
                            case
                            for w, before in partial
                            for case in self._one(
                                assignment.table, assignment.args, assignment.value, inner, conditions, w, before
                            )
                        ]
                        self.compiler.count(len(partial))
                    after += partial
            found = after
        return found

    def _one(
        self,
        table: str,
        args: tuple[Expr, ...],
        value: Expr,
        names: Names,
        conditions: tuple[Expr, ...],
        term: Term,
        before: dict[int, Value],
    ) -> Iterator[tuple[Term, dict[int, Value]]]:
        """One assignment in one turn of its loops, in each of its cases."""
        compiler = self.compiler
        for t in compiler.all_of(conditions, names, term, UNTRUE) if conditions else ():
            yield t, before
        for t in compiler.all_of(conditions, names, term, TRUE) if conditions else (term,):
            for u, variable in compiler.variables_of(table, args, names, t):
                if variable is None:
                    continue  # a place that there is not: the action is not possible
                for w, new in compiler.cases(value, names, u):
                    if new is not None and new in compiler.bit[variable] and before.get(variable, new) == new:
                        yield w, {**before, variable: new}

    def _costs(self, names: Names, term: Term) -> list[tuple[Term, tuple[int, ...]]]:
        found: list[tuple[Term, tuple[int, ...]]] = [(term, ())]
        for price in self.prices:
            if price is None:
                found = [(t, (*cost, 0)) for t, cost in found]
                continue
            after = []
            for t, cost in found:
                for u, value in self.compiler.cases(price, names, t):
                    if not isinstance(value, int) or value < 0:
                        raise UsageError(f"the cost of the action `{self.action.name}` can be negative, or no number")
                    after.append((u, (*cost, value)))
            found = after
        return found

    def _allowed(self, term: Term, new: dict[int, Value]) -> list[Term]:
        """The parts of a term after which all that is always true still is."""
        compiler = self.compiler
        changed = {compiler.places[variable][0] for variable in new}
        terms = [term]
        compiler.overlay = new
        try:
            for rule in self.always:
                if rule.tables & changed and self._touched(rule, new):
                    terms = [u for t in terms for u in compiler.terms(rule.holds, rule.names, t, TRUE)]
        finally:
            compiler.overlay = {}
        return terms

    def _touched(self, rule: Rule, new: dict[int, Value]) -> bool:
        """Whether a rule may read one of these variables."""
        read = self.compiler.support(rule.body, rule.names)
        for condition in rule.conditions:
            more = self.compiler.support(condition, rule.names)
            read = None if read is None or more is None else read | more
        return read is None or not read.isdisjoint(new)

    def _settled(
        self, args: tuple[Value, ...], term: Term, new: dict[int, Value], cost: tuple[int, ...]
    ) -> Iterator[Change]:
        """The old values known too: a variable that changes is split by what it was."""
        compiler = self.compiler
        numbers = {variable: compiler.bit[variable][value] for variable, value in new.items()}
        found: list[tuple[Term, dict[int, int]]] = [(term, {})]
        for variable, bit in numbers.items():
            after = []
            for t, changed in found:
                mask = compiler.mask(variable, t)
                for i in bits(mask):
                    known = {**t, variable: 1 << i}
                    after.append((known, changed if 1 << i == bit else {**changed, variable: bit.bit_length() - 1}))
            found = after
        for t, changed in found:
            safe = self._different(t, changed) if changed else None
            if safe is not None:
                yield Change(self.action.name, args, safe, changed, cost)

    def _different(self, term: Term, changed: dict[int, int]) -> Term | None:
        """The part of a term after which values that are to be different are; None if there is none.

        Values that only change places remain different. Of one that comes from nowhere, no other variable may have it.
        """
        compiler = self.compiler
        old = {term[variable].bit_length() - 1 for variable in changed}
        for variable, value in changed.items():
            for other in compiler.siblings.get(variable, ()):
                if other in changed:
                    if changed[other] == value:
                        return None
                elif value not in old:
                    left = term.get(other, compiler.full[other]) & ~(1 << value)
                    if not left:
                        return None
                    term = {**term, other: left}
                elif term.get(other) == 1 << value:
                    return None
        return term


WORK_OF_A_CHANGE = 20
"""Steps of the compiler that a change counts for: what it takes to make an operator of it."""

MAX_BOUND = 2_000_000
"""Values that the parameters of an action are bound to, all in all."""


def broken_at_start(puzzle: Custom) -> int | None:
    """The number, from 1, of the first condition of `always` that the initial state breaks."""
    now = Interpreter(puzzle, puzzle.start())
    return next((i for i, condition in enumerate(puzzle.always, 1) if not now.holds(condition, {})), None)


# Relaxed reachability


def reachable(compiler: Compiler, found: list[Change], start: dict[int, int]) -> tuple[list[int], list[Change]]:
    """The values (masks) that each variable can come to have, and the changes that can then be made.

    Delete relaxation: a variable keeps every value that it once had (Bonet and Geffner 2001). A change waits for one
    variable at a time whose values do not meet its term; those that wait for the same values wait together.
    """
    reached = [1 << start[variable] for variable in range(len(compiler.places))]
    waiting: list[dict[int, list[int]]] = [{} for _ in reached]  # variable -> mask -> changes
    ready = list(range(len(found)))
    possible = [False] * len(found)
    while ready:
        number = ready.pop()
        change = found[number]
        for variable, mask in change.term.items():
            if not reached[variable] & mask:
                waiting[variable].setdefault(mask, []).append(number)
                break
        else:
            possible[number] = True
            for variable, value in change.new.items():
                if not reached[variable] >> value & 1:
                    reached[variable] |= 1 << value
                    for mask in [mask for mask in waiting[variable] if mask >> value & 1]:
                        ready += waiting[variable].pop(mask)
    left = [
        Change(
            change.action,
            change.args,
            {v: m & reached[v] for v, m in change.term.items() if m & reached[v] != reached[v] or v in change.new},
            change.new,
            change.cost,
        )
        for change, possibly in zip(found, possible, strict=True)
        if possibly
    ]
    return reached, left
