"""Actions with all parameters bound, as changes of variables: what the task is made of.

Parameters are bound step by step (`binding`), and only to what relaxed reachability gives (`reaching`). Of an instance,
the new values are worked out, and the parts of its term that `always` forbids are cut off: only conditions that read a
changed variable are asked again. What is left are changes, whose new values are reached in turn. Variables that keep
one value to the end are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ....moves import MOST_OF_A_STEP
from ..language.evaluate import Interpreter, Names
from ..language.expressions import And, Conditional, Const, Expr, Quantifier, Value
from ..puzzle import ActionSchema, Custom, Part
from .binding import Binding, Reaching
from .cases import Compiler
from .conditions import OpenVariablesError
from .variables import TRUE, UNTRUE, Term, bits

_OUTSIDE = (f"can be negative or more than {MOST_OF_A_STEP:,}", "keep it from 0 up to there, as `max(0, ...)`")
_VALUELESS = ("can have no value", "divide by nothing that can be 0, as `6 // max(1, a)`; keep values in their ranges")

Fact = tuple[int, int]
"""A variable, and the number of one of its values."""


class VariableChange(NamedTuple):
    """An action in one case: in all states of `term`, variables get new values (numbers of values).

    A variable that changes and of which the term does not say what it was is *open*; see `settled`.
    """

    action: str
    args: tuple[Value, ...]
    term: Term
    new: dict[int, int]
    cost: tuple[int, ...]


@dataclass(frozen=True)
class Changes:
    """The result of relaxed reachability: all possible changes, in the order of the actions, and the reached values
    (masks).
    """

    reached: list[int]
    possible: list[VariableChange]


def reachable(compiler: Compiler, components: tuple[str, ...], start: list[int]) -> Changes:
    """All changes that can be made in the relaxation, with their costs in the components of a metric.

    A change waits for one variable at a time whose values do not meet its term.
    """
    puzzle, reaching = compiler.puzzle, Reaching(start)
    reached = reaching.reached
    always: list[tuple[Rule, Part]] = []
    for number, condition in enumerate(puzzle.always, 1):
        compiler.doing = ("always", number)
        always += [(rule, compiler.doing) for rule in rules_of(condition, compiler)]
    changes: list[VariableChange] = []

    def offer(change: VariableChange) -> None:
        for variable, mask in change.term.items():
            if not reached[variable] & mask:
                reaching.wait(variable, mask, lambda: offer(change))
                return
        accept(change)

    def accept(change: VariableChange) -> None:
        """Take a change all of whose values are reached."""
        changes.append(change)
        compiler.found[change.action] += 1
        most = compiler.effort.operators
        if len(changes) > most:
            hint = "give it fewer parameters, or conditions that exclude more"
            part: Part = ("actions", change.action)
            raise puzzle.error(part, f"makes more than {most:,} operators", hint)
        for variable, value in change.new.items():
            if not reached[variable] >> value & 1:
                reaching.gain(variable, value)

    accepting = Accepting(offer, accept)
    actions = [_Action(compiler, reaching, action, always, components, accepting) for action in puzzle.actions.values()]
    for action in actions:
        action.run()
    reaching.run()
    return Changes(reached, _in_order(changes, compiler))


def _in_order(changes: list[VariableChange], compiler: Compiler) -> list[VariableChange]:
    """The changes sorted by action, arguments and term."""
    of: dict[str, dict[tuple[Value, ...], list[VariableChange]]] = {name: {} for name in compiler.puzzle.actions}
    for change in changes:
        of[change.action].setdefault(change.args, []).append(change)
    ordered: list[VariableChange] = []
    for name, action in compiler.puzzle.actions.items():
        places = [{value: i for i, value in enumerate(domain.values)} for _, domain in action.parameters]
        for args in sorted(of[name], key=lambda args: [place[arg] for place, arg in zip(places, args, strict=True)]):
            several = of[name][args]
            if len(several) > 1:
                several.sort(key=lambda change: tuple(change.term.items()))
            ordered += several
    return ordered


@dataclass(frozen=True, slots=True)
class Rule:
    """One instance of a condition of `always`: the condition with values for its loops. `tables`: those that it
    reads.
    """

    names: Names
    conditions: tuple[Expr, ...]
    body: Expr
    tables: frozenset[str]
    holds: Expr = field(init=False)

    def __post_init__(self) -> None:
        """Set `holds`, the rule as one expression: `body if conditions else true`."""
        whole = Conditional(And(self.conditions), self.body, Const(True)) if self.conditions else self.body
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


class Accepting(NamedTuple):
    """What takes changes: `offer` once their values are reached, `accept` at once."""

    offer: Callable[[VariableChange], None]
    accept: Callable[[VariableChange], None]


class _Action:
    """Makes the instances of one action, and passes on each change that they can make."""

    def __init__(
        self,
        compiler: Compiler,
        reaching: Reaching,
        action: ActionSchema,
        always: list[tuple[Rule, Part]],
        components: tuple[str, ...],
        accepting: Accepting,
    ) -> None:
        self.compiler, self.action, self.offer = compiler, action, accepting.offer
        targets = {assignment.table for assignment in action.assignments}
        self.always = [(rule, part) for rule, part in always if rule.tables & targets]
        counted = {counting.many: counting for counting in compiler.puzzle.countings}
        self.prices = [(name, counted[name].costs.get(action.name, Const(0))) for name in components]
        constant = [p.value for _, p in self.prices if isinstance(p, Const) and type(p.value) is int and p.value >= 0]
        self.cost = tuple(constant) if len(constant) == len(self.prices) else None
        self.names = [name for name, _ in action.parameters]
        self.binding = Binding(compiler, reaching, action, self._instance)
        self.different = any(compiler.puzzle.state[table].different for table in targets)
        self.simple = not self.always and not self.different
        # Where binding looks at one variable after the other, it has waited for each.
        self.accept = accepting.offer if self.binding.open else accepting.accept

    def run(self) -> None:
        self.binding.run()

    def _instance(self, names: Names, term: Term) -> None:
        """Offer the changes of one instance: one for each case in which new values, costs and rules are decided."""
        compiler, doing, term = self.compiler, self.binding.doing, dict(term)
        compiler.doing = doing
        args = tuple([names[name] for name in self.names])
        assigned = self.binding.assigned
        if assigned is not None and self.cost is not None and self.simple:
            new = assigned(names)
            if new is not None:
                compiler.count(WORK_OF_A_CHANGE)
                self.accept(VariableChange(self.action.name, args, term, new, self.cost))
            return
        if assigned is None:
            cases = self._assigned(names, term)
        else:
            numbers = assigned(names)
            cases = [] if numbers is None else [(term, numbers)]
        for t, new in cases:
            for u, cost in self._costs(names, t):
                for w in self._allowed(u, new) if self.always else (u,):
                    compiler.doing = doing
                    compiler.count(WORK_OF_A_CHANGE)
                    change = VariableChange(self.action.name, args, w, new, cost)
                    if not self.different:
                        self.offer(change)
                        continue
                    for case in settled(change, compiler):
                        safe = self._different(case.term, case.new)
                        if safe is not None:
                            self.offer(case._replace(term=safe))

    def _assigned(self, names: Names, term: Term) -> list[tuple[Term, dict[int, int]]]:
        cases: list[tuple[Term, dict[int, int]]] = [(term, {})]
        for number, assignment in enumerate(self.action.assignments, 1):
            self.compiler.doing = (*self.binding.doing, "set", number)
            after = []
            for t, new in cases:
                for u, items in self.compiler.items(assignment.loops, names, t):
                    partial = [(u, new)]
                    for inner, conditions in self.compiler.turns(items):
                        partial = [
                            case
                            for w, before in partial
                            for case in self._one(
                                assignment.table, assignment.args, assignment.value, inner, conditions, w, before
                            )
                        ]
                        self.compiler.count(len(partial))
                    after += partial
            cases = after
        return cases

    def _one(
        self,
        table: str,
        args: tuple[Expr, ...],
        value: Expr,
        names: Names,
        conditions: tuple[Expr, ...],
        term: Term,
        before: dict[int, int],
    ) -> Iterator[tuple[Term, dict[int, int]]]:
        """The effects of one assignment in one turn of its loops: each case, with the new values so far."""
        compiler = self.compiler
        for t in compiler.all_of(conditions, names, term, UNTRUE) if conditions else ():
            yield t, before
        for t in compiler.all_of(conditions, names, term, TRUE) if conditions else (term,):
            for u, variable in compiler.variables_of(table, args, names, t):
                if variable is None:
                    continue  # a place that there is not: the action is not possible
                for w, new in compiler.cases(value, names, u):
                    mask = 0 if new is None else compiler.bit[variable].get(new, 0)
                    if mask and before.get(variable, number := mask.bit_length() - 1) == number:
                        compiler.count(1 + len(before) // VALUES_A_STEP)
                        yield w, {**before, variable: number}

    def _costs(self, names: Names, term: Term) -> list[tuple[Term, tuple[int, ...]]]:
        if self.cost is not None:
            return [(term, self.cost)]
        cases: list[tuple[Term, tuple[int, ...]]] = [(term, ())]
        for component, price in self.prices:
            self.compiler.doing = self._priced(component)
            after = []
            for t, cost in cases:
                for u, value in self.compiler.cases(price, names, t):
                    if not isinstance(value, int) or not 0 <= value <= MOST_OF_A_STEP:
                        raise self.compiler.error(*(_OUTSIDE if isinstance(value, int) else _VALUELESS))
                    after.append((u, (*cost, value)))
            cases = after
        return cases

    def _priced(self, component: str) -> Part:
        """The part of the file that says what the action costs in a component of the metric."""
        own: Part = ("metrics", component, self.action.name)
        return own if own in self.compiler.puzzle.places else (*self.binding.doing, "cost")

    def _allowed(self, term: Term, new: dict[int, int]) -> list[Term]:
        """The parts of a term after which, with these new values, all conditions of `always` hold."""
        compiler = self.compiler
        changed = {compiler.places[variable][0] for variable in new}
        terms = [term]
        compiler.overlay = {variable: compiler.values[variable][number] for variable, number in new.items()}
        try:
            asked = [(rule, part) for rule, part in self.always if rule.tables & changed and self._touched(rule, new)]
            for rule, part in compiler.turns(asked):
                compiler.doing = part
                terms = [u for t in terms for u in compiler.terms(rule.holds, rule.names, t, TRUE)]
        finally:
            compiler.overlay = {}
        return terms

    def _touched(self, rule: Rule, new: dict[int, int]) -> bool:
        """Whether a rule may read one of the variables with new values, so that it has to be tested again."""
        try:
            several = [self.compiler.support(part, rule.names) for part in (rule.body, *rule.conditions)]
        except OpenVariablesError:
            return True
        return any(not read.isdisjoint(new) for read in several)

    def _different(self, term: Term, changed: dict[int, int]) -> Term | None:
        """The part of a term after which values that are to be different are; None if no part is.

        Values that only change places remain different. Of one that comes from nowhere, no other variable may have it.
        """
        compiler = self.compiler
        for variable, value in changed.items():
            siblings = compiler.siblings.get(variable, ())
            moves = any(other in changed and term[other] == 1 << value for other in siblings)
            for other in siblings:
                if other in changed:
                    if changed[other] == value:
                        return None
                elif not moves:
                    mask = term.get(other, compiler.full[other]) & ~(1 << value)
                    if not mask:
                        return None
                    term = {**term, other: mask}
                elif term.get(other) == 1 << value:
                    return None
        return term


def settled(change: VariableChange, compiler: Compiler) -> Iterator[VariableChange]:
    """A change once for each combination of values that its variables may have before it: so it is known what it ends.
    A combination of which nothing changes is left out.
    """
    fixed = {v for v in change.new if (mask := change.term.get(v, 0)) and not mask & (mask - 1)}
    cases = [(change.term, {v: n for v, n in change.new.items() if v in fixed and change.term[v] != 1 << n})]
    for variable, value in change.new.items():
        if variable in fixed:
            continue
        after = []
        for term, new in cases:
            for i in bits(compiler.mask(variable, term)):
                after.append(({**term, variable: 1 << i}, new if i == value else {**new, variable: value}))
        cases = after
    for term, new in cases:
        if new:
            yield change._replace(term=term, new=new)


WORK_OF_A_CHANGE = 20
"""The work that one change is counted as, in steps of the compiler: making an operator of it takes about as long."""


VALUES_A_STEP = 8
"""Values of a case that are counted as one step: a case is copied for each that is added, and takes memory for all."""


def broken_at_start(puzzle: Custom) -> int | None:
    """The number, from 1, of the first condition of `always` that the initial state breaks."""
    if not puzzle.always:
        return None
    return Interpreter(puzzle).first_broken("always", puzzle.always, puzzle.start())
