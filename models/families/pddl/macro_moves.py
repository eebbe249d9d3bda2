"""Macro moves, from rest to rest: chains of actions with many objects as few custom rules.

    (start ?card ...) (move ?card ?next ...) ... (stop ?card ...)    of 49 cards on 49 places: 600,000 actions
    shift row 2:  at[p1]: at[p2], at[p2]: at[p3], ...                28 moves, of whatever cards are there

A state is at *rest* if no atom of the predicates in `passing` is true: those that are false at the start, and that some
action makes false (`cards-moving`). A move is a row of actions from rest to rest, found by trying every action on a
state in which what is true is said in terms of the state at rest before it (`Row`).

A predicate that at the start is true of exactly one object for each choice of its other arguments is a *function* of
these, a table of custom rules: `(at ?card ?place)` is `at[place]`. So the state decides which card it is, and actions
differ by their places alone. That a function has one value at rest, and different ones if they were different at the
start, is assumed of all moves, and each is held to it; where one breaks it, nothing is made of the problem. So it is an
invariant: it holds at the start, and after a move if before it.

No plan is lost. A plan falls into moves, but for actions at its end that come to no rest. Those touch no atom of the
goal, which is asked of every action but the last of a move; so the plan without them is one, too, and not dearer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, product
from math import prod

from ...moves import Metric, Move, chained
from ...plan import fitting
from ...program import ProgramTask
from ...watching import progress_callback
from ..custom.language import expressions as ex
from ..custom.language.expressions import Const, Expr, Read, Value, conjuncts, parts, used
from ..custom.puzzle import BOOL, Act, ActionSchema, Domain, Place, TableAssignment, ValueTable
from .problem import Pddl, PddlAction, Truths, words
from .programs import task_of_rules

MOST_ATOMS = 50_000
"""A predicate with more atoms than this (the product of what its arguments can be) is given up."""

MOST_TRIED = 2_000
"""Moves are given up where there are more steps than this, or where more have been tried."""

MOST_CHOICES = 16
"""The most choices of functions that are compared: `(at ?card ?place)` by places, or by cards."""


class NoMovesError(Exception):
    """The problem is not of the kind that moves from rest to rest are made of."""


@dataclass(frozen=True, slots=True)
class Function:
    """A predicate as a table. `value_at`: the place of the argument that is the value; None for truth values.
    `different`: no two of its values are ever equal at rest.
    """

    table: ValueTable
    value_at: int | None = None
    different: bool = False

    def parted(self, terms: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Terms of an atom as arguments and value of the table: (card7, cell3) of `at` is at[card7] = cell3."""
        if self.value_at is None:
            return tuple(terms), ""
        return (*terms[: self.value_at], *terms[self.value_at + 1 :]), terms[self.value_at]


@dataclass(frozen=True, slots=True)
class Step:
    """An action with objects for those parameters that the state does not decide. `literals`: its conditions, in the
    order in which they decide the others.
    """

    action: PddlAction
    literals: Sequence[Expr]
    names: Mapping[str, Expr]
    cost: int


@dataclass(frozen=True, slots=True)
class Row:
    """What actions in a row ask for and do, in terms of the state at rest before them.

    `values`: of each place that they touch its values (one, at rest); `passing`: the passing atoms that are true.
    """

    conditions: tuple[Expr, ...] = ()
    values: Mapping[Place, tuple[Expr, ...]] = field(default_factory=dict)
    passing: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    acts: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    cost: int = 0

    def same(self, a: Expr, b: Expr) -> bool | None:
        """Whether two values are equal; None if that is not known."""
        if a == b or {ex.Compare("==", a, b), ex.Compare("==", b, a)} & {*self.conditions}:
            return True
        if isinstance(a, Const) and isinstance(b, Const):
            return False
        return False if {ex.Compare("!=", a, b), ex.Compare("!=", b, a)} & {*self.conditions} else None


def read(place: Place) -> Read:
    """The value of a place at rest."""
    return Read(place[0], tuple(map(Const, place[1])))


def macro_moves(puzzle: Pddl, metric: Metric, instead_of: str) -> ProgramTask | None:
    """The task of a problem with its macro moves as actions; None if it is not of this kind."""
    try:
        maker = MacroMoves(puzzle)
        return maker.task(list(maker.moves()), metric, instead_of)
    except NoMovesError:
        return None


class MacroMoves:
    """Makes the macro moves of a problem. Raises `NoMovesError`."""

    def __init__(self, puzzle: Pddl) -> None:
        self.puzzle = puzzle
        self.passing = puzzle.predicates.keys() - puzzle.steady - {atom[0] for atom in puzzle.init}
        self.constants: dict[str, ValueTable] = {}
        self.on_progress = progress_callback()
        changing = [name for name in puzzle.predicates if name not in puzzle.static | self.passing]
        choices = islice(product(*[list(self._functions(name)) for name in changing]), MOST_CHOICES)
        steps: list[tuple[dict[str, Function], list[Step]]] = []
        for several in choices:
            functions = {function.table.name: function for function in several}
            every = (step for action in puzzle.actions for step in self._steps(action, functions))
            steps.append((functions, list(islice(every, MOST_TRIED + 1))))
        self.functions, self.steps = min(steps, key=lambda each: len(each[1]))
        if len(self.steps) > MOST_TRIED:
            raise NoMovesError
        self.goal = [self._wanted(literal) for literal in conjuncts(puzzle.goal)]
        self.wanted = {place for place, _ in self.goal}

    def _functions(self, name: str) -> Iterator[Function]:
        """A predicate as a function of all of its arguments but one, in each way in which it is one at the start; if
        there is none, as a table of truth values.
        """
        true = [atom[1:] for atom in self.puzzle.init if atom[0] == name]
        domains = self._domains(name)
        none = True
        for n, domain in enumerate(domains):
            of = (*domains[:n], *domains[n + 1 :])
            found: dict[tuple[Value, ...], Value] = {(*terms[:n], *terms[n + 1 :]): terms[n] for terms in true}
            if len(found) == len(true) == prod(len(each.values) for each in of):
                none = False
                different = bool(of) and len({*found.values()}) == len(true)
                table = ValueTable(name, of, domain, {})
                yield Function(replace(table, values={key: found[key] for key in table.every_key()}), n, different)
        if none:
            yield Function(self._truths(name))

    def _domains(self, name: str) -> tuple[Domain, ...]:
        """The types of a predicate's arguments."""
        return tuple(Domain(f"{name} {n}", "object", each) for n, each in enumerate(self.puzzle.predicates[name]))

    def _truths(self, name: str) -> ValueTable:
        """A predicate as a table of truth values, as they are at the start."""
        every = product(*self.puzzle.predicates[name])
        if prod(map(len, self.puzzle.predicates[name])) > MOST_ATOMS:
            raise NoMovesError
        return ValueTable(name, self._domains(name), BOOL, {args: (name, *args) in self.puzzle.init for args in every})

    def constant(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """Whether an atom that never changes is true."""
        if name not in self.constants:
            self.constants[name] = self._truths(name)
        return ex.ConstantLookup(name, args)

    def _steps(self, action: PddlAction, functions: Mapping[str, Function]) -> Iterator[Step]:
        literals, static = list(conjuncts(action.precondition)), self.puzzle.static
        if not all(effect.certain for effect in action.effects):
            raise NoMovesError
        decided, keys = set[str](), set[str]()
        for part in literals:
            inner = part.inner if isinstance(part, ex.Not) else part
            if not isinstance(inner, Read | ex.Compare):
                raise NoMovesError
            if part is inner and isinstance(part, Read) and part.table not in static:
                terms = words(part.args)
                key, value = functions[part.table].parted(terms) if part.table in functions else ((), "")
                keys.update(key)
                decided.update({value} if part.table in functions else terms)
        decided -= keys
        free = [(each.name, each.values) for each in action.parameters if each.name not in decided]
        holds, known = self.puzzle.evaluators().evaluator, Truths(self.puzzle.init.__contains__)
        at_once = [
            part
            for part in literals
            if used(part).isdisjoint(decided) and all(n.table in static for n in parts(part) if isinstance(n, Read))
        ]

        def order(part: Expr) -> int:
            if not isinstance(part, Read) or part.table in static:
                return 5
            if part.table in self.passing:
                return 3 if used(part) & decided else 0
            return 2 if functions[part.table].table.of else 4

        rest = sorted((part for part in literals if part not in at_once), key=order)
        if any(not isinstance(cost, int) and not decided.isdisjoint(cost) for cost in action.costs):
            raise NoMovesError
        for names in fitting(free, at_once, {}, used, lambda part, names: holds(part)(names, known) is True):
            cost = self.puzzle.price(action, names)  # type: ignore[arg-type]
            yield Step(action, rest, {name: Const(value) for name, value in names.items()}, cost)

    def _wanted(self, literal: Expr) -> tuple[Place, Expr]:
        """The place that a part of the goal is about, and what it asks of it at rest."""
        atom = literal.inner if isinstance(literal, ex.Not) else literal
        if not isinstance(atom, Read) or atom.table not in self.functions:
            raise NoMovesError
        key, value = self.functions[atom.table].parted(words(atom.args))
        own = read((atom.table, key))
        held = ex.Compare("==", own, Const(value)) if value else own
        return (atom.table, key), held if literal is atom else ex.Not(held)

    # Rows of actions

    def moves(self) -> Iterator[Row]:
        """Every move from rest to rest."""
        waiting, tried = [Row()], 0
        while waiting:
            row = waiting.pop()
            for step in self.steps:
                after = _Actor(self, row, step).after()
                if after is None:
                    continue
                tried += 1
                self.on_progress(tried, "moves from rest to rest")
                if tried > MOST_TRIED:
                    raise NoMovesError
                if not after.passing:
                    self._hold(after)
                    yield after
                elif self.wanted.isdisjoint(after.values):
                    waiting.append(after)
                else:
                    raise NoMovesError

    def _hold(self, row: Row) -> None:
        """Raise `NoMovesError` if functions may not have one value after a move, or equal ones."""
        for name, function in self.functions.items():
            after = {place: values for place, values in row.values.items() if place[0] == name}
            if any(len(values) != 1 for values in after.values()):
                raise NoMovesError
            if function.different and {value for (value,) in after.values()} != {read(place) for place in after}:
                raise NoMovesError

    def values_of(self, expr: Expr) -> frozenset[Value]:
        """The objects that an expression can stand for: the constant itself, or all values of its table."""
        if isinstance(expr, Const):
            return frozenset((expr.value,))
        assert isinstance(expr, Read)
        return frozenset(self.functions[expr.table].table.domain.values)

    # Rules

    def task(self, rows: list[Row], metric: Metric, instead_of: str) -> ProgramTask:
        """The task whose actions are some moves."""
        goal = tuple(held for _, held in self.goal)
        tables = {name: function.table for name, function in self.functions.items()}
        rows = self._joined(rows, tables)
        asked = (goal, *[(row.conditions, tuple(row.values.values()), *_decided(row.acts)) for row in rows])
        kept = {part.table for part in parts(asked) if isinstance(part, Read)}
        schemas = [self._schema(n, row, tables, kept) for n, row in enumerate(rows)]
        state = {name: table for name, table in tables.items() if name in kept}
        rules = [(schema, row.cost, len(row.acts)) for schema, row in zip(schemas, rows, strict=True)]
        task = task_of_rules(self.puzzle, metric, state, self.constants, goal, rules)
        actions = [
            replace(action, name=schema.name, move=partial(_move, row.acts, action.move))
            for action, schema, row in zip(task.actions, schemas, rows, strict=True)
        ]
        return replace(task, actions=tuple(actions), instead_of=instead_of, rows=True)

    def _schema(self, number: int, row: Row, tables: Mapping[str, ValueTable], kept: set[str]) -> ActionSchema:
        """The rule of a move. Its parameters are the objects of its actions that the state decides."""
        name, args = row.acts[0]
        decided = {arg: f"${n}" for n, arg in enumerate(_decided(row.acts))}
        return ActionSchema(
            " ".join((name, *[str(arg.value) for arg in args if isinstance(arg, Const)], f"({number})")),
            tuple((local, tables[arg.table].domain) for arg, local in decided.items()),
            (*row.conditions, *[ex.Compare("==", ex.Local(local), arg) for arg, local in decided.items()]),
            tuple(
                TableAssignment(table, tuple(map(Const, key)), value)
                for (table, key), (value,) in row.values.items()
                if table in kept
            ),
        )

    # Where the thing is that something is on: a robot on a card, and the card on a place, are a robot on a place.
    #
    #     robot == at[p], robot: at[q]         instead of the robot's card there is its place: robot == p, robot: q
    #     at[p1]: at[p2], at[p2]: at[p1]       a robot on p1 is on p2 then, as its card goes there
    #
    # `at` has to give each card one place of its own. Then a card says its place, and a place its card. The change is
    # made if all that is said of the robot's card is whether it is that of a known place.

    def _joined(self, rows: list[Row], tables: dict[str, ValueTable]) -> list[Row]:
        """The moves, naming the robot's cell where they named the card below it; unchanged if that cannot be said."""
        for robot, place in product(self.functions.values(), repeat=2):
            on, at = robot.table, place.table
            if robot.value_at is None or on.of or not at.of or not place.different:
                continue
            if (on.name, ()) in self.wanted or {*on.domain.values} != {*at.values.values()}:
                continue
            where = {key: " ".join(map(str, key)) for key in at.values}
            spots = Domain(f"{on.name} {at.name}", "object", tuple(where.values()))
            moved = [self._placed(row, on.name, at.name, where, spots) for row in rows]
            if None not in moved:
                start = next(key for key, value in at.values.items() if value == on.values[()])
                tables[on.name] = ValueTable(on.name, (), spots, {(): where[start]})
                return [row for row in moved if row]
        return rows

    def _placed(self, row: Row, on: str, at: str, where: Mapping[tuple[Value, ...], str], spots: Domain) -> Row | None:
        """A move that names the robot's cell where it named the card below it; None if that cannot be said."""
        own, conditions, values = Read(on, ()), list[Expr](), dict(row.values)
        for part in row.conditions:
            match part:
                case ex.Compare(kind, Read() as one, Read() as other) if own in (one, other):
                    card = other if one == own else one
                    if card.table != at:
                        return None
                    part = ex.Compare(kind, own, Const(where[_key(card)]))
                case _ if own in parts(part):
                    return None
            conditions.append(part)
        # Where each card goes; they are cards of places, as `_hold` has seen.
        after = {new: place[1] for place, (new,) in values.items() if place[0] == at and isinstance(new, Read)}
        if (on, ()) in values:
            (new,) = values[on, ()]
            if not isinstance(new, Read) or new.table != at:
                return None
            values[on, ()] = (Const(where[after.get(new, _key(new))]),)
        else:
            entries: dict[tuple[Value, ...], Value] = {(text,): text for text in where.values()}
            entries |= {(where[_key(card)],): where[key] for card, key in after.items()}
            elsewhere = all(ex.Compare("!=", own, Const(where[_key(card)])) in conditions for card in after)
            stays = any(
                ex.Compare("==", own, Const(text)) in conditions for (text,), to in entries.items() if to == text
            )
            if not elsewhere and not stays:
                name = f"table {len(self.constants)}"
                self.constants[name] = ValueTable(name, (spots,), spots, entries)
                values[on, ()] = (ex.ConstantLookup(name, (own,)),)
        others = [value for place, (value,) in values.items() if place[0] != on]
        if any(own in parts(part) for part in (*others, *_decided(row.acts))):
            return None
        return replace(row, conditions=tuple(conditions), values=values)


def _key(card: Read) -> tuple[Value, ...]:
    return tuple(arg.value for arg in card.args if isinstance(arg, Const))


def _decided(acts: Iterable[tuple[str, tuple[Expr, ...]]]) -> dict[Read, None]:
    """The objects of actions that the state decides, in order."""
    return {arg: None for _, args in acts for arg in args if isinstance(arg, Read)}


def _move(
    acts: Sequence[tuple[str, tuple[Expr, ...]]], written: Callable[[Sequence[int]], Move], registers: Sequence[int]
) -> Move:
    """Actions in a row, with the objects that the state decided on: the arguments of the rule."""
    objects = dict(zip(_decided(acts), written(registers).what, strict=True))
    said = (
        Act(name, tuple(str(arg.value) if isinstance(arg, Const) else objects[arg] for arg in args))  # type: ignore[index]
        for name, args in acts
    )
    move = chained(said)
    assert move is not None
    return move


class _Actor:
    """One more action in a row: what it asks for decides its parameters, one after the other."""

    def __init__(self, maker: MacroMoves, row: Row, step: Step) -> None:
        self.maker, self.row, self.step = maker, row, step
        self.names = dict(step.names)
        self.types = {parameter.name: frozenset(parameter.values) for parameter in step.action.parameters}

    def after(self) -> Row | None:
        """The row of actions with this one behind it; None if it can never apply there."""
        if not all(map(self._meet, self.step.literals)):
            return None
        row, action = self.row, self.step.action
        values, passing = dict(row.values), list(row.passing)
        for makes in (False, True):  # what becomes false and true at once is true
            for effect in action.effects:
                if effect.makes == makes:
                    self._change(effect.atom[0], effect.atom[1:], makes, values, passing)
        act = action.name, tuple(self.value(parameter.name) for parameter in action.parameters)
        return Row(self.row.conditions, values, tuple(passing), (*row.acts, act), row.cost + self.step.cost)

    def value(self, term: str) -> Expr:
        """The value of a term. Raises `NoMovesError` for a parameter that nothing has decided."""
        if not term.startswith("?"):
            return Const(term)
        if term not in self.names:
            raise NoMovesError
        return self.names[term]

    def _place(self, name: str, terms: Sequence[str]) -> tuple[Place, str]:
        """The entry of a table that an atom is about, and the term for its value: at[card7] and cell3."""
        function = self.maker.functions[name]
        key, value = function.parted(terms)
        args = tuple(arg.value for arg in map(self.value, key) if isinstance(arg, Const))
        if args not in function.table.values:
            raise NoMovesError
        return (name, args), value

    def same(self, a: Expr, b: Expr) -> bool | None:
        """Whether two values are equal; None if that is not known."""
        if isinstance(a, Read) and isinstance(b, Read) and a != b and a.table == b.table:
            return False if self.maker.functions[a.table].different else self.row.same(a, b)
        return self.row.same(a, b)

    def _ask(self, condition: Expr) -> bool:
        """Note a condition on the state at rest; whether it is possible."""
        known = self.row.conditions
        if condition not in known:
            self.row = replace(self.row, conditions=(*known, condition))
        opposite = condition.inner if isinstance(condition, ex.Not) else ex.Not(condition)
        return opposite not in known

    def _equal(self, a: Expr, b: Expr, wanted: bool) -> bool:
        """Ask that two values are equal, or differ; whether that is possible."""
        same = self.same(a, b)
        return same == wanted if same is not None else self._ask(ex.Compare("==" if wanted else "!=", a, b))

    def _bind(self, term: str, value: Expr) -> bool:
        """Set a parameter that is still open to a value, or ask that the term equals it; whether that is possible."""
        if not term.startswith("?") or term in self.names:
            return self._equal(value, self.value(term), True)
        self.names[term] = value
        possible, own = self.maker.values_of(value), self.types[term]
        if possible <= own:
            return True
        return not isinstance(value, Const) and self._ask(ex.Membership(value, own))

    def _meet(self, literal: Expr) -> bool:
        """Ask for a condition of the action; whether it is possible."""
        yes, part = (False, literal.inner) if isinstance(literal, ex.Not) else (True, literal)
        if isinstance(part, ex.Compare):
            one, other = map(self.value, words((part.left, part.right)))
            return self._equal(one, other, yes)
        assert isinstance(part, Read)
        name, terms = part.table, words(part.args)
        if name in self.maker.passing:
            return self._meet_passing(name, terms, yes)
        if name in self.maker.puzzle.static:
            return self._meet_static(name, tuple(map(self.value, terms)), yes)
        place, term = self._place(name, terms)
        current = self.row.values.get(place, (read(place),))
        if not term:
            (truth,) = current
            if isinstance(truth, Const):
                return truth.value == yes
            return self._ask(truth if yes else ex.Not(truth))
        if yes and len(current) > 1:
            raise NoMovesError
        if yes:
            return all(self._bind(term, value) for value in current) and bool(current)
        return all(self._equal(value, self.value(term), False) for value in current)

    def _meet_passing(self, name: str, terms: Sequence[str], yes: bool) -> bool:
        true = [args for other, args in self.row.passing if other == name]
        if yes and any(term.startswith("?") and term not in self.names for term in terms):
            if len(true) > 1:
                raise NoMovesError
            return all(self._bind(*each) for args in true for each in zip(terms, args, strict=True)) and bool(true)
        return self._among(tuple(map(self.value, terms)), true) == yes

    def _among(self, args: Sequence[Expr], several: Iterable[Sequence[Expr]]) -> bool:
        """Whether arguments are some of several. Raises `NoMovesError` if that is not known."""
        found = False
        for others in several:
            equal = [self.same(*both) for both in zip(args, others, strict=True)]
            if None in equal and False not in equal:
                raise NoMovesError
            found = found or all(equal)
        return found

    def _meet_static(self, name: str, args: tuple[Expr, ...], yes: bool) -> bool:
        puzzle = self.maker.puzzle
        arguments = puzzle.predicates[name]
        if all(isinstance(arg, Const) for arg in args):
            return ((name, *[arg.value for arg in args if isinstance(arg, Const)]) in puzzle.init) == yes
        if any(not self.maker.values_of(arg) <= {*objects} for arg, objects in zip(args, arguments, strict=True)):
            raise NoMovesError
        held = self.maker.constant(name, args)
        return self._ask(held if yes else ex.Not(held))

    def _change(
        self, name: str, terms: Sequence[str], makes: bool, values: dict[Place, tuple[Expr, ...]],
        passing: list[tuple[str, tuple[Expr, ...]]],
    ) -> None:  # fmt: skip
        """Make an atom true or false."""
        if name in self.maker.passing:
            args = tuple(map(self.value, terms))
            others = [each for each in passing if each[0] != name or not self._among(args, [each[1]])]
            passing[:] = [*others, (name, args)] if makes else others
            return
        place, term = self._place(name, terms)
        if not term:
            values[place] = (Const(makes),)
            return
        own, domain = self.value(term), self.maker.functions[name].table.domain
        kept = [value for value in values.get(place, (read(place),)) if not self._among((own,), [(value,)])]
        if makes and not self.maker.values_of(own) <= {*domain.values}:
            raise NoMovesError
        values[place] = (*kept, own) if makes else tuple(kept)
