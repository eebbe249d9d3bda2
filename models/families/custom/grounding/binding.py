"""Binding the parameters of an action: from the definition to instances whose new values are known.

An action is turned into steps, each a closure that calls the next one. What the state tells is bound like a parameter:
`player + d` becomes `p + d`, where p is a value of `player`. Then all arguments are known when they are needed, and a
condition is a look at one variable. `forward` of Rush Hour, with `when: at[v] == c and free[c + length[v]*ahead[v]]`:

    bind v to each vehicle                         v: A
    bind c to each value of at[A]                  v: A, c: r1c1     term {at[A]: r1c1}
    ask free[r1c3]                                                   term {at[A]: r1c1, free[r1c3]: true}
    assign                                         the instance, with its new values

Only values that the relaxation has reached are bound (`reaching`), so c is not tried for each cell of the board: where
a condition says what a parameter equals, it is bound to that (a join by index, in the words of databases).

Conditions of other forms (`or`, counting, sliding) are asked of the compiler (`cases`), which splits the term.
"""

from __future__ import annotations

from collections.abc import Callable

from ..language.expressions import Expr, Local, Value, conjuncts, used
from ..language.loop_turns import NO_STATE, Names
from ..puzzle import ActionSchema, Domain, Part
from .cases import Compiler
from .lifting import LiftedAssignment, LiftedLiteral, Lifting, lifted_assignment, literals_of
from .reaching import Reaching
from .terms import TRUE, Term

Next = Callable[[dict[str, Value], Term], None]
"""A step of binding: it gets the values bound so far, and the states (a term) in which they are possible."""

MAX_BOUND = 2_000_000
"""The most values to which parameters of one action are bound, counted over all its instances."""


class Binding:
    """Binds the parameters of one action, step by step; `last` is called with each complete binding and its term."""

    def __init__(
        self, compiler: Compiler, reaching: Reaching, action: ActionSchema, last: Callable[[Names, Term], None]
    ) -> None:
        self.compiler, self.reaching, self.action, self.last = compiler, reaching, action, last
        self.fixed = compiler.fixed
        self.doing: Part = ("actions", action.name)
        self.bound = 0
        lifting = Lifting(self.fixed)
        self.literals: list[LiftedLiteral] = []
        self.open: list[Expr] = []  # conditions of other forms
        self.number: dict[Expr, int] = {}
        for number, condition in enumerate(action.conditions, 1):
            for part in conjuncts(condition):
                self.number.setdefault(part, number)
                before = dict(lifting.reads)
                found = literals_of(part, lifting) if self.fixed.reads(part) else None
                if found is None:
                    lifting.reads = before
                    self.open.append(part)
                else:
                    self.literals += found
        self.asked = dict(lifting.reads)
        lifted = [lifted_assignment(assignment, lifting) for assignment in action.assignments]
        known = [one for one in lifted if one is not None]
        simple = len(known) == len(lifted)
        self.reads = {name: read for read, name in (lifting.reads if simple else self.asked).items()}
        # From names to new values, None if the instance is not possible; no function if they depend on the state.
        self.assigned = self._assigning(known) if simple else None
        self.start = self._steps()

    def run(self) -> None:
        self.start({}, {})

    # The order of the steps

    def _steps(self) -> Next:
        """The steps in a good order: first conditions whose names are all bound, for they exclude most; else bind
        the next name.
        """
        plan: list[Callable[[Next], Next]] = []
        known: set[str] = set()
        domains = dict(self.action.parameters)
        literals, conditions, reads = list(self.literals), list(self.open), dict(self.reads)
        asked = set(self.asked.values())

        def ready(condition: Expr) -> bool:
            return used(condition) & domains.keys() <= known

        while True:
            if fixed := next((c for c in conditions if not self.fixed.reads(c) and ready(c)), None):
                conditions.remove(fixed)
                plan.append(self._asking(fixed))
            elif literal := next((one for one in literals if one.names() <= known), None):
                literals.remove(literal)
                plan.append(self._looking(literal))
            elif condition := next(filter(ready, conditions), None):
                conditions.remove(condition)
                plan.append(self._asking(condition))
            elif found := next((one for one in literals if self._says(one, known, domains)), None):
                literals.remove(found)
                assert isinstance(found.value, Local)
                plan.append(self._reading(found.value.name, found.table, found.args, domains[found.value.name]))
                known.add(found.value.name)
            elif name := next((n for n, read in reads.items() if n in asked and used(read.args) <= known), None):
                read = reads.pop(name)
                plan.append(self._reading(name, read.table, read.args))
                known.add(name)
            elif name := next((n for n in domains if n not in known), None):
                plan.append(self._binding(name, domains[name]))
                known.add(name)
            elif reads:
                asked = set(reads)
            else:
                break
        assert not literals, "a condition is left"
        assert not conditions, "a condition is left"
        step: Next = self._ended
        for make in reversed(plan):
            step = make(step)
        return step

    def _says(self, literal: LiftedLiteral, known: set[str], domains: dict[str, Domain]) -> bool:
        """Whether a condition fixes a parameter that is not bound yet, once its other names are known: `at[v] == c`."""
        value = literal.value
        return (
            literal.yes
            and not literal.loops
            and literal.op == "=="
            and isinstance(value, Local)
            and value.name in domains
            and value.name not in known
            and used(literal.args) <= known
        )

    # Steps

    def _assigning(self, assignments: list[LiftedAssignment]) -> Callable[[Names], dict[int, Value] | None]:
        compiled = [
            (
                one.table,
                self.fixed.tuple_of(one.args),
                self.fixed.evaluator(one.value),
                self.fixed.turns(one.loops) if one.loops else None,
            )
            for one in assignments
        ]
        number, bit = self.compiler.number, self.compiler.bit

        def assigned(names: Names) -> dict[int, Value] | None:
            new: dict[int, Value] = {}
            for table, several, value_of, turns in compiled:
                for inner in (names,) if turns is None else turns(names, NO_STATE):
                    key, value = several(inner, NO_STATE), value_of(inner, NO_STATE)
                    variable = None if key is None else number.get((table, key))
                    if variable is None or value is None or value not in bit[variable]:
                        return None
                    if new.setdefault(variable, value) != value:
                        return None
            return new

        return assigned

    def _binding(self, name: str, domain: Domain) -> Callable[[Next], Next]:
        """A step that binds a parameter to each value of its type."""

        def make(after: Next) -> Next:
            def step(names: dict[str, Value], term: Term) -> None:
                for value in domain.values:
                    self._count()
                    after({**names, name: value}, term)

            return step

        return make

    def _reading(
        self, name: str, table: str, args: tuple[Expr, ...], domain: Domain | None = None
    ) -> Callable[[Next], Next]:
        """A step that binds a name to each value that a variable can reach: those known now, and each later one when
        it is found.
        """
        several = self.fixed.tuple_of(args)
        allowed = None if domain is None else frozenset(domain.values)
        compiler, number = self.compiler, self.compiler.number

        def make(after: Next) -> Next:
            def step(names: dict[str, Value], term: Term) -> None:
                key = several(names, NO_STATE)
                variable = None if key is None else number.get((table, key))
                if variable is None:
                    return
                mask, values = compiler.mask(variable, term), compiler.values[variable]

                def bind(i: int) -> None:
                    if mask >> i & 1 and (allowed is None or values[i] in allowed):
                        self._count()
                        after({**names, name: values[i]}, {**term, variable: 1 << i})

                self.reaching.each_value(variable, bind)

            return step

        return make

    def _looking(self, literal: LiftedLiteral) -> Callable[[Next], Next]:
        """A step that keeps the states in which a literal holds; it goes on as soon as one of its values has been
        reached.
        """
        place_of, value_of = self.fixed.tuple_of(literal.args), self.fixed.evaluator(literal.value)
        compiler, reaching, table, op, yes = self.compiler, self.reaching, literal.table, literal.op, literal.yes
        number, turns = compiler.number, self.fixed.turns(literal.loops) if literal.loops else None

        def make(after: Next) -> Next:
            def step(names: dict[str, Value], term: Term) -> None:
                awaited: int | None = None
                for inner in (names,) if turns is None else turns(names, NO_STATE):
                    place, value = place_of(inner, NO_STATE), value_of(inner, NO_STATE)
                    variable = None if place is None else number.get((table, place))
                    if variable is None or value is None:
                        return
                    found = compiler.literal(variable, compiler.accepted(variable, op, value), term, yes)
                    if not found:
                        return
                    term = found[0]
                    if not reaching.reached[variable] & term.get(variable, -1):
                        awaited = variable
                if awaited is None:
                    after(names, term)
                else:
                    reaching.wait(awaited, term[awaited], lambda: after(names, term))

            return step

        return make

    def _asking(self, condition: Expr) -> Callable[[Next], Next]:
        """A step that keeps the states in which a condition of any other form is true."""
        evaluator, compiler = self.fixed.of(condition), self.compiler
        doing: Part = (*self.doing, "when", self.number[condition])

        def make(after: Next) -> Next:
            def test(names: dict[str, Value], term: Term) -> None:
                compiler.doing = doing
                compiler.work += 1
                if evaluator is not None and evaluator(names, NO_STATE) is True:
                    after(names, term)

            def split(names: dict[str, Value], term: Term) -> None:
                compiler.doing = doing
                for part in compiler.terms(condition, names, term, TRUE):
                    after(names, part)

            return split if evaluator is None else test

        return make

    def _ended(self, names: dict[str, Value], term: Term) -> None:
        self.last(names, term)

    def _count(self) -> None:
        self.bound += 1
        self.compiler.doing = self.doing
        self.compiler.count()
        if self.bound > MAX_BOUND:
            raise self.compiler.error(
                f"has more than {MAX_BOUND:,} instances of its parameters",
                "give it fewer, or conditions that can be decided before the last one is bound",
            )
