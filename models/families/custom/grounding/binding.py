"""Binding the parameters of an action: from the definition to instances whose new values are known.

An action is turned into steps, each a closure that calls the next one. What the state tells is bound like a parameter:
`player + d` becomes `p + d`, where p is a value of `player`. Then all arguments are known when they are needed, and a
condition is a look at one variable. `forward` of Rush Hour, with `when: at[v] == c and free[c + length[v]*ahead[v]]`:

    bind v to each vehicle                         v: A
    bind c to each value of at[A]                  v: A, c: r1c1     term {at[A]: r1c1}
    work out c + length[v]*ahead[v]                $3: r1c3
    ask free[$3]                                                     term {at[A]: r1c1, free[r1c3]: true}
    assign                                         the instance, with its new values

Only values that the relaxation has reached are bound (`reaching`), so c is not tried for each cell of the board: where
a condition says what a parameter equals, it is bound to that (a join by index, in the words of databases).

Conditions of other forms (`or`, counting, sliding) are asked of the compiler (`cases`), which splits the term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from typing import Any

from ..language import expressions as ex
from ..language.evaluate import NO_STATE, Evaluators
from ..language.expressions import Expr, Loop, conjuncts, used
from ..language.values import MIRRORED
from ..puzzle import ActionSchema, Domain, Part, TableAssignment
from .cases import Compiler
from .sharing import Frame, Shared, Sharing, Target
from .variables import TRUE, Term, bits

# Relaxed reachability: the values that variables can come to have, found while actions are bound.
#
# Delete relaxation: a variable keeps every value that it once had (Bonet and Geffner, *Planning as heuristic search*,
# 2001). Whoever binds a variable's values is called for each that is reached, at once or when it is; whoever needs
# one of some values waits until one is. So nothing is enumerated that the relaxation does not reach, and nothing
# twice (as in semi-naive evaluation of Datalog; Helmert, *Concise finite-domain representations*, 2009, 6, grounds
# tasks like this).


class Reaching:
    """The values that each variable can reach so far (masks), and the calls that wait for further ones."""

    def __init__(self, start: list[int]) -> None:
        self.reached = [1 << value for value in start]
        self._told = list(self.reached)  # without those that `run` has still to tell
        self._each: list[list[Callable[[int], None]]] = [[] for _ in self.reached]
        self._waiting: list[dict[int, list[Callable[[], None]]]] = [{} for _ in self.reached]
        self._gained: list[tuple[int, int]] = []

    def each_value(self, variable: int, call: Callable[[int], None]) -> None:
        """Call `call` with each value that the variable reaches: at once with those known, later with each new one."""
        self._each[variable].append(call)
        for value in bits(self._told[variable]):
            call(value)

    def wait(self, variable: int, mask: int, call: Callable[[], None]) -> None:
        """Call `call` once, as soon as the variable reaches a value of `mask`; so far it has reached none of them."""
        self._waiting[variable].setdefault(mask, []).append(call)

    def gain(self, variable: int, value: int) -> None:
        """Note that a variable can have a value. Calls that wait for it are made by `run`."""
        if not self.reached[variable] >> value & 1:
            self.reached[variable] |= 1 << value
            self._gained.append((variable, value))

    def run(self) -> None:
        """Make the calls that wait for new values; they may find further values, until no more come."""
        while self._gained:
            variable, value = self._gained.pop()
            self._told[variable] |= 1 << value
            for call in list(self._each[variable]):
                call(value)
            waiting = self._waiting[variable]
            for mask in [mask for mask in waiting if mask >> value & 1]:
                for resume in waiting.pop(mask):
                    resume()
        # Those that wait for nothing any more hold all that was found: without them, it goes when it is not needed.
        self._each, self._waiting = [], []


# Conditions that become `variable = value` once parameters are bound; others go to `cases`.
#
#     box[player + d]      with $0 bound to a value of `player`:      box[$0 + d]
#
# So the value of a place that the state decides is a name like a parameter (`Lifting`), and a condition is a look at
# one variable (`Literal`). Expressions of other forms are left to the compiler (`cases`).


class OtherFormError(Exception):
    """An expression is of a form that is left to the compiler."""


@dataclass
class Lifting:
    """Replaces reads of the state in expressions by names: `at[x] == c` becomes "name == c", the name standing for
    `at[x]`.
    """

    fixed: Evaluators
    reads: dict[ex.Read, str] = field(default_factory=dict)

    def lifted(self, expr: Expr, inner: frozenset[str] = frozenset()) -> Expr:
        """An expression with names in place of what it reads. Raises `OtherFormError` if not all of that is to be
        known. `inner`: names of loops, of which no read may depend.
        """
        if not self.fixed.reads(expr):
            return expr
        match expr:
            case ex.Read(table, args):
                place = ex.Read(table, self.all(args, inner))
                if inner.isdisjoint(used(place)):
                    return ex.Local(self.reads.setdefault(place, f"$read {len(self.reads)}"))
            case ex.CellStep(cell, vector):
                return ex.CellStep(*self.all((cell, vector), inner))
            case ex.Arith(op, left, right):
                return ex.Arith(op, *self.all((left, right), inner))
            case ex.ConstantLookup(_, args) | ex.Function(_, args):
                return replace(expr, args=self.all(args, inner))
            case ex.VectorOf(operand) | ex.Not(operand):
                return type(expr)(self.lifted(operand, inner))
        raise OtherFormError

    def all(self, several: tuple[Expr, ...], inner: frozenset[str] = frozenset()) -> tuple[Expr, ...]:
        """Several expressions with names in place of what they read. Raises as `lifted` does."""
        return tuple([self.lifted(expr, inner) for expr in several])


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


def literals_of(expr: Expr, lifting: Lifting, yes: bool = True, loops: tuple[Loop, ...] = ()) -> list[LiftedLiteral]:
    """A condition as looks at one variable each, all of which must be as wanted. Raises `OtherFormError`.

    `all(free[x] for x in cell if covers(s, c, x))` is one look in each turn of a loop.
    """
    inner = frozenset(loop.name for loop in loops)
    match expr:
        case ex.Not(negated):
            return literals_of(negated, lifting, not yes, loops)
        case ex.And(parts) | ex.Or(parts) if isinstance(expr, ex.And) == yes:
            return [literal for part in parts for literal in literals_of(part, lifting, yes, loops)]
        case ex.Quantifier("all" | "any" as kind, body, more) if (kind == "all") == yes:
            if not lifting.fixed.reads_in(more):
                return literals_of(body, lifting, yes, (*loops, *more))
        case ex.Read(table, args):
            return [LiftedLiteral(table, lifting.all(args, inner), "==", ex.Const(True), yes, loops)]
        case ex.Compare(op, left, right):
            if isinstance(right, ex.Read) and not isinstance(left, ex.Read):
                left, right, op = right, left, MIRRORED[op]
            if isinstance(left, ex.Read):
                places, value = lifting.all(left.args, inner), lifting.lifted(right, inner)
                return [LiftedLiteral(left.table, places, op, value, yes, loops)]
    raise OtherFormError


def lifted_assignment(assignment: TableAssignment, lifting: Lifting) -> TableAssignment:
    """The assignment with names for what it reads. Raises `OtherFormError`, also if its loops depend on the state."""
    inner = frozenset(loop.name for loop in assignment.loops)
    if any(lifting.fixed.reads(condition) for loop in assignment.loops for condition in loop.conditions):
        raise OtherFormError
    loops = [
        replace(loop, around=None if loop.around is None else lifting.lifted(loop.around, inner))
        for loop in assignment.loops
    ]
    args, value = lifting.all(assignment.args, inner), lifting.lifted(assignment.value, inner)
    return replace(assignment, args=args, value=value, loops=tuple(loops))


Next = Callable[[dict[str, Any], Term], None]
"""A step of binding: it gets what is bound so far, and the states (a term) in which that is possible.

Both are shared by all steps: one binds its names and adds to the term, calls the next one, and takes back what it
added. Names that are bound further on may be there from the time before, and are bound anew. Who calls later keeps
copies.
"""

MAX_BOUND = 2_000_000
"""The most values to which parameters of one action are bound, counted over all its instances."""


class Binding:
    """Binds the parameters of one action, step by step; `last` is called with each complete binding and its term."""

    def __init__(self, compiler: Compiler, reaching: Reaching, action: ActionSchema, last: Next) -> None:
        self.compiler, self.reaching, self.action, self.last = compiler, reaching, action, last
        self.fixed = compiler.fixed
        self.doing: Part = ("actions", action.name)
        self.bound = 0
        lifting = Lifting(self.fixed)
        literals: list[LiftedLiteral] = []
        self.open: list[tuple[Expr, Part]] = []  # conditions of other forms
        self.sharing = Sharing(self.fixed, compiler)
        self.tests: list[str] = []  # conditions that do not read the state
        for number, condition in enumerate(action.conditions, 1):
            for part in conjuncts(condition):
                doing: Part = (*self.doing, "when", number)
                if not self.fixed.reads(part):
                    self.tests.append(self.sharing.test(part, doing))
                    continue
                before = dict(lifting.reads)
                try:
                    literals += literals_of(part, lifting)
                except OtherFormError:
                    lifting.reads = before
                    self.open.append((part, doing))
        self.asked = dict(lifting.reads)
        assignments: list[TableAssignment] | None = None
        with suppress(OtherFormError):
            assignments = [lifted_assignment(assignment, lifting) for assignment in action.assignments]
        self.reads = {  # the names of values that are read, and of the variables that have them
            name: self.sharing.variable(read.table, read.args)
            for read, name in (self.asked if assignments is None else lifting.reads).items()
        }
        self.literals = [(literal, self._target(literal)) for literal in literals]
        # From names to new values (their numbers), None if the instance is not possible; no function if they depend on
        # the state.
        self.assigned = None if assignments is None else self._assigning(assignments)
        self.start = self._steps()

    def run(self) -> None:
        self.start({}, {})

    def _target(self, of: LiftedLiteral | TableAssignment) -> Target:
        return self.sharing.target(of.table, of.args, of.value, of.loops)

    # The order of the steps

    def _steps(self) -> Next:
        """The steps in a good order: first conditions whose names are all bound, for they exclude most; else bind
        the next name.
        """
        plan: list[Callable[[Next], Next]] = []
        bound: set[str] = set()
        domains = dict(self.action.parameters)
        literals, conditions, reads = list(self.literals), list(self.open), dict(self.reads)
        asked = set(self.asked.values())
        parts = {part.name: part for part in self.sharing.parts}  # those that are still to be worked out

        def ready(name: str) -> bool:
            return name in bound or (name in parts and all(map(ready, parts[name].needs)))

        def decided(condition: tuple[Expr, Part]) -> bool:
            return used(condition[0]) & domains.keys() <= bound

        def says(literal: LiftedLiteral) -> bool:
            """Whether a condition fixes a parameter that is not bound yet: `at[v] == c`."""
            value = literal.value
            fixes = literal.yes and not literal.loops and literal.op == "=="
            return fixes and isinstance(value, ex.Local) and value.name in domains and value.name not in bound

        def work_out(names: Iterable[str]) -> None:
            """Add a step that works out parts, and what they need before."""
            wanted, waiting = set[str](), list(names)
            while waiting:
                name = waiting.pop()
                if name in parts and name not in wanted:
                    wanted.add(name)
                    waiting += parts[name].needs
            if wanted:
                plan.append(_working_out([part for name, part in parts.items() if name in wanted]))
                for name in wanted:
                    del parts[name]
                bound.update(wanted)

        while True:
            work_out([name for name in self.tests if ready(name)])
            if chosen := next((pair for pair in literals if all(map(ready, pair[1].names))), None):
                literals.remove(chosen)
                work_out(chosen[1].names)
                plan.append(self._looking(*chosen))
                continue
            if condition := next(filter(decided, conditions), None):
                conditions.remove(condition)
                plan.append(self._asking(*condition))
                continue
            work_out([name for name, part in parts.items() if part.early and ready(name)])
            if chosen := next((pair for pair in literals if says(pair[0]) and ready(pair[1].place)), None):
                literals.remove(chosen)
                place, name = chosen[1].names
                work_out([place])
                plan.append(self._reading(name, place, domains[name]))
            elif name := next((n for n, place in reads.items() if n in asked and ready(place)), ""):
                work_out([place := reads.pop(name)])
                plan.append(self._reading(name, place))
            elif name := next((n for n in domains if n not in bound), ""):
                plan.append(self._binding(name, domains[name]))
            elif reads:
                asked = set(reads)
                continue
            else:
                break
            bound.add(name)
        assert not literals, "a condition is left"
        assert not conditions, "a condition is left"
        assert all(name in bound for name in self.tests), "a condition is left"
        work_out(list(parts))
        step = self.last
        for make in reversed(plan):
            step = make(step)
        return step

    # Steps

    def _assigning(self, assignments: list[TableAssignment]) -> Callable[[Frame], dict[int, int] | None]:
        compiled = [
            (target, *_name_or_value(target.value), self.compiler.number_of[assignment.table])
            for assignment in assignments
            for target in (self._target(assignment),)
        ]

        def assigned(names: Frame) -> dict[int, int] | None:
            new: dict[int, int] = {}
            for (place, _, several, each), name, value, number_of in compiled:
                if name is not None:
                    value = names[name]
                if several:
                    for variable, single in zip(names[place], value if each else repeat(value), strict=False):
                        number = number_of.get(single)
                        if number is None or new.setdefault(variable, number) != number:
                            return None
                else:
                    number = number_of.get(value)
                    if number is None or new.setdefault(names[place], number) != number:
                        return None
            return new

        return assigned

    def _binding(self, name: str, domain: Domain) -> Callable[[Next], Next]:
        """A step that binds a parameter to each value of its type."""

        def make(after: Next) -> Next:
            def step(names: dict[str, Any], term: Term) -> None:
                for value in domain.values:
                    self._count()
                    names[name] = value
                    after(names, term)

            return step

        return make

    def _reading(self, name: str, place: str, domain: Domain | None = None) -> Callable[[Next], Next]:
        """A step that binds a name to each value that a variable can reach: those known now, and each later one when
        it is found.
        """
        allowed = None if domain is None else frozenset(domain.values)
        compiler = self.compiler

        def make(after: Next) -> Next:
            def step(names: dict[str, Any], term: Term) -> None:
                variable, names, term = names[place], dict(names), dict(term)
                mask, values = compiler.mask(variable, term), compiler.values[variable]

                def bind(i: int) -> None:
                    if mask >> i & 1 and (allowed is None or values[i] in allowed):
                        self._count()
                        names[name] = values[i]
                        term[variable] = 1 << i
                        after(names, term)

                self.reaching.each_value(variable, bind)

            return step

        return make

    def _looking(self, literal: LiftedLiteral, target: Target) -> Callable[[Next], Next]:
        """A step that keeps the states in which a literal holds; it goes on as soon as one of its values has been
        reached.
        """
        compiler, reaching, op, yes = self.compiler, self.reaching, literal.op, literal.yes
        full, bit, reached, siblings = compiler.full, compiler.bit, reaching.reached, compiler.siblings
        place, each = target.place, target.each
        name, constant = _name_or_value(target.value)
        equal, wanted = op in ("==", "!="), yes == (op != "!=")

        def make(after: Next) -> Next:
            def wait(variable: int, mask: int, names: Frame, term: Term) -> None:
                reaching.wait(variable, mask, partial(after, dict(names), dict(term)))

            def step(names: dict[str, Any], term: Term) -> None:
                variable = names[place]
                value = constant if name is None else names[name]
                before = term.get(variable)
                mask = full[variable] if before is None else before
                if mask & (mask - 1) and variable in siblings:
                    mask = compiler.mask(variable, term)
                accepted = bit[variable].get(value, 0) if equal else compiler.accepted(variable, op, value)
                kept = mask & accepted if wanted else mask & ~accepted
                if kept == mask:
                    kept = -1 if before is None else before
                elif kept:
                    term[variable] = kept
                else:
                    return
                if reached[variable] & kept:
                    after(names, term)
                else:
                    wait(variable, kept, names, term)
                if before is not None:
                    term[variable] = before
                else:
                    term.pop(variable, None)

            def step_of_loops(names: dict[str, Any], term: Term) -> None:
                awaited: int | None = None
                values, term = constant if name is None else names[name], dict(term)
                for variable, value in zip(names[place], values if each else repeat(values), strict=False):
                    mask = compiler.mask(variable, term) if variable in siblings else term.get(variable, full[variable])
                    accepted = bit[variable].get(value, 0) if equal else compiler.accepted(variable, op, value)
                    kept = mask & accepted if wanted else mask & ~accepted
                    if kept != mask:
                        if not kept:
                            return
                        term[variable] = kept
                    if not reached[variable] & kept:
                        awaited = variable
                if awaited is None:
                    after(names, term)
                else:
                    wait(awaited, term[awaited], names, term)

            return step_of_loops if target.several else step

        return make

    def _asking(self, condition: Expr, doing: Part) -> Callable[[Next], Next]:
        """A step that keeps the states in which a condition of any other form is true."""
        compiler = self.compiler

        def make(after: Next) -> Next:
            def step(names: dict[str, Any], term: Term) -> None:
                compiler.doing = doing
                for part in compiler.terms(condition, names, term, TRUE):
                    after(names, part)

            return step

        return make

    def _count(self) -> None:
        self.bound += 1
        compiler = self.compiler
        compiler.doing = self.doing
        compiler.work += 1
        if compiler.work > compiler.next_look:
            compiler.count(0)
        if self.bound > MAX_BOUND:
            message = "give it fewer, or conditions that can be decided before the last one is bound"
            raise self.compiler.error(f"has more than {MAX_BOUND:,} instances of its parameters", message)


def _working_out(parts: list[Shared]) -> Callable[[Next], Next]:
    """A step that works out parts that expressions have in common; it ends there if one has no value."""
    several = [(part.name, part.value_of) for part in parts]
    (first, first_value_of), *others = several

    def make(after: Next) -> Next:
        def single(names: dict[str, Any], term: Term) -> None:
            value = first_value_of(names, NO_STATE)
            if value is not None:
                names[first] = value
                after(names, term)

        def step(names: dict[str, Any], term: Term) -> None:
            for name, value_of in several:
                value = value_of(names, NO_STATE)
                if value is None:
                    return
                names[name] = value
            after(names, term)

        return step if others else single

    return make


def _name_or_value(value: ex.Const | ex.Local) -> tuple[str | None, Any]:
    return (value.name, None) if isinstance(value, ex.Local) else (None, value.value)
