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
invariant: it holds at the start, and after a move if before it. Other kinds of functions: `functional_predicates`.

    (fold ?joint ...) (lift ?link ...) ... (place ?link ?x ?y) ...      a chain whose links turn one after the other
    fold 3 to the right:  heading[3]: right of heading[3], heading[4]: right of heading[4], ...

Where actions are very many, every state may be taken to be at rest, and each action is a move:

    (walk ?robot ?from ?to ?fuel ?less)     walk robot1 to place7:  at[robot1]: place7, fuel[robot1]: less[fuel[robot1]]

No plan is lost. A plan falls into moves, but for actions at its end that come to no rest. Those touch no atom of the
goal, or make one true that the goal forbids, which is asked of every action but the last of a move. In the first case
the plan without them is one, too, and not dearer; the second is no plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from itertools import combinations, islice, product
from typing import Any

from ...moves import Metric, Move, chained
from ...plan import fitting
from ...program import ProgramTask
from ...watching import progress_callback
from ..custom.interchangeable import interchangeable
from ..custom.language import expressions as ex
from ..custom.language.evaluate import Evaluators
from ..custom.language.expressions import Const, Expr, Read, Value, conjuncts, parts, used
from ..custom.programs.task import programs
from ..custom.puzzle import Act, ActionSchema, Custom, Domain, Place, TableAssignment, ValueTable, shown
from .functional_predicates import Computed, Function, NoMovesError, computed_of, free_of, functions_of, joined, truths
from .problem import Atom, Pddl, PddlAction, Price, Truths, atom_of, bindings, filled, words
from .problem import known as known_amount
from .programs import task_of_rules

MOST_TRIED = 2_000
"""Moves are given up where there are more steps than this, or where more have been tried."""

MOST_ACTIONS = 200
"""Moves are given up where one would have more actions than this: a slide over 200 cells, say."""

MOST_CHOICES = 16
"""The most choices of functions that are compared: `(at ?card ?place)` by places, or by cards."""


@dataclass(frozen=True, slots=True)
class Step:
    """An action with objects for those parameters that the state does not decide. `literals`: its conditions, in the
    order in which they decide the others; `Computed`: what those on what never changes make of others. `effects`: the
    atoms that it makes true or false, for each object of `forall`.
    """

    action: PddlAction
    literals: Sequence[Expr | Computed]
    names: Mapping[str, Expr]
    cost: int
    effects: Sequence[tuple[Atom, bool]]


NEVER: Expr = Const(False)
"""A condition that is never true."""


Doing = tuple[str, tuple[tuple[Expr, int], ...]]
"""An action with its objects, each a word of a value: the second of "x1 y2"."""


@dataclass(frozen=True, slots=True)
class Row:
    """What actions in a row ask for and do, in terms of the state at rest before them.

    `computed`: entries of constant tables, with the names that they have in all else; that they are there is asked,
    too; `ranges`: what they can be. `values`: of each place that they touch its values (one, at rest); `passing`: the
    passing atoms that are true. `cases`: of a move that the state decides, the moves that it can be.
    """

    conditions: Mapping[Expr, None] = field(default_factory=dict)
    computed: Mapping[ex.Local, ex.ConstantLookup] = field(default_factory=dict)
    ranges: Mapping[ex.Local, frozenset[Value]] = field(default_factory=dict)
    values: Mapping[Place, tuple[Expr, ...]] = field(default_factory=dict)
    passing: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    acts: tuple[Doing, ...] = ()
    cost: int = 0
    cases: tuple[Row, ...] = ()

    def after(self, place: Place) -> Expr:
        """The value of a place after the actions of the row."""
        return self.values[place][0] if place in self.values else read(place)

    def every(self) -> dict[Expr, None]:
        """What the state has to say to name its actions: the objects that they move, and all that its cases ask."""
        own = [arg for _, args in self.acts for arg, _ in args if isinstance(arg, Read)]
        for case in self.cases:
            asked = (*case.conditions, *case.computed.values(), *case.every())
            own += sorted({part for part in parts(asked) if isinstance(part, Read)}, key=str)
        return {**dict.fromkeys(self.computed), **dict.fromkeys(own)}


def is_literal(part: Expr) -> bool:
    """Whether a condition is an atom or an equality, or one of these negated."""
    return isinstance(part.inner if isinstance(part, ex.Not) else part, Read | ex.Compare)


def read(place: Place) -> Read:
    """The value of a place at rest."""
    return Read(place[0], tuple(map(Const, place[1])))


def macro_moves(puzzle: Pddl, metric: Metric, instead_of: str, resting: bool = True) -> ProgramTask | None:
    """The task of a problem with its macro moves as actions; if not `resting`, each action is a move by itself. None if
    no such moves are found.
    """
    try:
        maker = MacroMoves(puzzle, metric, resting)
        return maker.task(maker.moves(Row()), metric, instead_of)
    except NoMovesError:
        return None


class MacroMoves:
    """Makes the macro moves of a problem; if not `resting`, every state is at rest. Raises `NoMovesError`."""

    def __init__(self, puzzle: Pddl, metric: Metric, resting: bool = True) -> None:
        self.puzzle = puzzle
        self.by_cost = metric.components == ("cost",)  # not by the number of actions, which cases of a move differ in
        self.passing = puzzle.predicates.keys() - puzzle.steady - {atom[0] for atom in puzzle.init}
        if not resting:
            self.passing = set()
        self.evaluator = puzzle.evaluators().evaluator
        self.sure = Truths(lambda atom: atom in puzzle.init if atom[0] in puzzle.static else None)
        self.constants: dict[str, ValueTable] = {}
        self._names: dict[Hashable, str] = {}
        self.truths = cache(partial(truths, puzzle))
        self.tried = 0
        self._members: dict[tuple[tuple[Value, ...], ...], frozenset[Value]] = {}
        self.on_progress = progress_callback()
        changing = [name for name in puzzle.predicates if name not in puzzle.static | self.passing]
        choices = islice(product(*[list(functions_of(puzzle, name)) for name in changing]), MOST_CHOICES)
        best: tuple[dict[str, Function], dict[str, str], list[Step]] | None = None
        for several in choices:
            functions = {
                function.table.name: replace(function, different=resting and function.different) for function in several
            }
            if not resting and not all(_balanced(action, functions) for action in puzzle.actions):
                continue
            own = {name: free_of(puzzle, name, functions) for name in functions if not functions[name].value_at}
            free = {name: other for name, other in own.items() if other}
            for name, other in free.items():
                del functions[name]
                functions[other] = replace(functions[other], different=False, apart=True)
            every = (step for action in puzzle.actions for step in self._steps(action, functions, free))
            steps = list(islice(every, MOST_TRIED + 1))
            if best is None or len(steps) < len(best[2]):
                best = functions, free, steps
        if best is None or len(best[2]) > MOST_TRIED:
            raise NoMovesError
        self.functions, self.free, self.steps = best
        never = [part for part in conjuncts(puzzle.goal) if isinstance(part, ex.Not) and self._passing(part.inner)]
        self.barred = [atom_of(part.inner) for part in never if isinstance(part.inner, Read)]
        self.goal = [self._wanted(literal) for literal in conjuncts(puzzle.goal) if literal not in never]
        self.wanted = {place for place, _ in self.goal}

    def members(self, domains: tuple[tuple[Value, ...], ...]) -> frozenset[Value]:
        """The values of a term of several words: "x1 y1", "x1 y2", ... of those that each word can be."""
        if domains not in self._members:
            self._members[domains] = frozenset(joined(domains))
        return self._members[domains]

    def _passing(self, part: Expr) -> bool:
        return isinstance(part, Read) and part.table in self.passing

    def lookup(self, table: ValueTable, args: Sequence[Expr]) -> ex.ConstantLookup:
        """An entry of a constant table. Known arguments are put in: `next[x0, up]` is of x0 in a table `next _ up`;
        if this table has the same entries as another one, it is the other.
        """
        known = tuple([arg.value if isinstance(arg, Const) else None for arg in args])
        still = [n for n, value in enumerate(known) if value is None]
        if (table.name, known) not in self._names:
            entries = {
                tuple([key[n] for n in still]): value
                for key, value in table.values.items()
                if all(wanted in (None, own) for wanted, own in zip(known, key, strict=True))
            }
            domains = tuple([table.of[n] for n in still])
            content = tuple([domain.values for domain in domains]), frozenset(entries.items())
            name = self._names.setdefault(content, " ".join((table.name, *[str(value or "_") for value in known])))
            self.constants.setdefault(name, ValueTable(name, domains, table.domain, entries))
            self._names[table.name, known] = name
        return ex.ConstantLookup(self._names[table.name, known], tuple([args[n] for n in still]))

    def _steps(self, action: PddlAction, functions: Mapping[str, Function], free: Mapping[str, str]) -> Iterator[Step]:
        static = self.puzzle.static
        values = {parameter.name: parameter.values for parameter in action.parameters}
        several = list(conjuncts(action.precondition))
        literals = [part for part in several if is_literal(part) or self._static(part)]
        others = [part for part in several if part not in literals]
        keys = {name for part in (*others, *[e.condition for e in action.effects]) for name in used(part)}
        decided, passing, loose = set[str](), set[str](), dict[str, None]()
        atoms = [(part.inner if isinstance(part, ex.Not) else part, isinstance(part, Read)) for part in literals]
        changing = [(atom_of(part), yes) for part, yes in atoms if isinstance(part, Read) and part.table not in static]
        # 1. The terms of the action, a value of two words among them: such words stand nowhere else.
        of_word: dict[str, str] = {}
        for (name, *terms), asked in [*changing, *[(effect.atom, False) for effect in action.effects]]:
            key, value = functions[name].parted(terms) if name in functions else ((), "")
            key, value = ((), " ".join(terms)) if name in free else (key, value)
            keys.update(key)
            if name in self.passing:
                passing.update(terms)
                key = tuple(terms)
            if asked and name not in free:
                decided.update(key if name in self.passing else [value] * bool(value))
            for each in (*key, value):
                if any(of_word.setdefault(word, each) != each for word in each.split() if word in values):
                    raise NoMovesError
        for word in values:
            each = of_word.setdefault(word, word)
            if each not in decided and each not in keys | passing:
                loose[each] = None
        decided -= keys
        # 2. What never changes makes terms of others: the next direction of a direction.
        computed: list[Computed] = []
        while loose:
            made = [self._computed(action, term, literals, of_word, {*loose}, decided) for term in loose]
            first = next((each for each in made if each), None)
            if first is None:
                break
            computed.append(first)
            decided.add(first.term)
            del loose[first.term]
        words_decided = {word for term in decided for word in term.split()}
        consumed = [part for each in computed for part in each.said]
        literals = [part for part in literals if part not in consumed]
        # 3. The others are tried, each object that the conditions on them allow.
        open_names = [(each.name, each.values) for each in action.parameters if each.name not in words_decided]
        holds, known = self.evaluator, Truths(self.puzzle.init.__contains__)
        at_once = [part for part in literals if used(part).isdisjoint(words_decided) and self._static(part)]

        def order(part: Expr) -> int:
            if not isinstance(part, Read) or part.table in static or part.table in free:
                return 5
            if part.table in self.passing:
                return 3 if used(part) & words_decided else 0
            return 2 if functions[part.table].table.of else 4

        ordered = sorted((part for part in literals if part not in at_once), key=order)
        last = sum(order(part) < 5 for part in ordered)
        rest = [*ordered[:last], *computed, *ordered[last:]]
        if any(price != Price(price.amount) for price in action.costs):
            raise NoMovesError
        amounts = [price.amount for price in action.costs]
        if any(not isinstance(amount, int) and not words_decided.isdisjoint(amount) for amount in amounts):
            raise NoMovesError
        for given in fitting(open_names, at_once, {}, used, lambda part, names: holds(part)(names, known) is True):
            names = {name: str(value) for name, value in given.items()}
            prices = self.puzzle.prices(action, names)
            cost = sum([known_amount(amount) for amount, _, _ in prices])
            instances = [each for part in others for each in self._instances(part, names)]
            effects = [
                (filled(effect.atom, bound), effect.makes)
                for effect in action.effects
                for bound in bindings(effect.variables, names)
                if self._certain(effect.condition, bound)
            ]
            if NEVER not in instances:
                constants = {name: Const(value) for name, value in names.items()}
                yield Step(action, [*rest, *instances], constants, cost, effects)

    def _static(self, part: Expr) -> bool:
        """Whether nothing changes what a condition says."""
        return not any(
            isinstance(each, ex.Use) or (isinstance(each, Read) and each.table not in self.puzzle.static)
            for each in parts(part)
        )

    def _known(self, part: Expr, names: Mapping[str, Any]) -> bool | None:
        """Whether a condition is true in all states, or in none; None if neither is known."""
        value = self.evaluator(part)(names, self.sure)
        return value if isinstance(value, bool) else None

    def _certain(self, condition: Expr, names: Mapping[str, Any]) -> bool:
        """Whether an effect comes about. Raises `NoMovesError` if the state decides it."""
        known = self._known(condition, names)
        if known is None:
            raise NoMovesError
        return known

    def _instances(self, part: Expr, names: Mapping[str, Any], yes: bool = True) -> Iterator[Expr]:
        """A condition as literals all of which hold, with objects for its names. Raises `NoMovesError` if it has
        several ways of being true.
        """
        known = self._known(part, names)
        if known is not None:
            yield from () if known == yes else (NEVER,)
            return
        match part:
            case ex.Not(inner):
                yield from self._instances(inner, names, not yes)
            case ex.And(several) | ex.Or(several):
                still = [each for each in several if self._known(each, names) is None]
                if len(still) > 1 and isinstance(part, ex.And) != yes:
                    raise NoMovesError
                for each in still:
                    yield from self._instances(each, names, yes)
            case ex.Quantifier(kind, inner, loops):
                bound = [more for more in bindings(loops, names) if self._known(inner, more) is None]
                if len(bound) > 1 and (kind == "all") != yes:
                    raise NoMovesError
                for more in bound:
                    yield from self._instances(inner, more, yes)
            case Read(table, args):
                literal = Read(table, tuple(map(Const, filled(words(args), names))))
                yield literal if yes else ex.Not(literal)
            case _:
                raise NoMovesError

    def _computed(
        self, action: PddlAction, term: str, literals: Sequence[Expr], of_word: Mapping[str, str],
        loose: set[str], decided: set[str],
    ) -> Computed | None:  # fmt: skip
        """A term as a function of others that the state decides, if what never changes makes it one."""
        said = [part for part in literals if not used(part).isdisjoint(term.split())]
        said = [part for part in said if all(n.table in self.puzzle.static for n in parts(part) if isinstance(n, Read))]
        of = {of_word[name] for part in said for name in used(part)} - {term}
        if not said or not of & decided or of & loose:
            return None
        return computed_of(self.puzzle, action, term, said, of_word)

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

    def moves(self, row: Row) -> list[Row]:
        """Every move from rest to rest that begins with the actions of a row; a single one if in each state only one of
        them is possible (`decided_by_state`).
        """
        found, followed = list[Row](), 0
        for step in self.steps:
            after = _Actor(self, row, step).after()
            if after is None:
                continue
            self.tried += 1
            self.on_progress(self.tried, "moves from rest to rest")
            if self.tried > MOST_TRIED or len(after.acts) > MOST_ACTIONS:
                raise NoMovesError
            if not after.passing:
                self._hold(after)
                several = [after]
            elif self.wanted.isdisjoint(after.values) or self._barred(after):
                several = self.moves(after)
            else:
                raise NoMovesError
            found += several
            followed += bool(several)
        alone = self.by_cost and followed == len(found) > 1 and row.acts
        decided = decided_by_state(row, found) if alone else None
        return [decided] if decided else found

    def _barred(self, row: Row) -> bool:
        """Whether a row ends with an atom true that the goal wants false, or false that it wants true."""
        if any(isinstance(asked, Read) and row.values.get(place) == (Const(False),) for place, asked in self.goal):
            return True
        true = [(name, *[arg.value for arg in args if isinstance(arg, Const)]) for name, args in row.passing]
        return any(atom in true for atom in self.barred)

    def _hold(self, row: Row) -> None:
        """Raise `NoMovesError` if functions may not have one value after a move, or equal ones."""
        for name, function in self.functions.items():
            after = {place: values for place, values in row.values.items() if place[0] == name}
            if any(len(values) != 1 for values in after.values()):
                raise NoMovesError
            if function.different and {value for (value,) in after.values()} != {read(place) for place in after}:
                raise NoMovesError

    def values_of(self, expr: Expr, row: Row) -> frozenset[Value]:
        """The objects that an expression can stand for: the constant itself, or all values of its table."""
        if isinstance(expr, Const):
            return frozenset((expr.value,))
        if isinstance(expr, ex.Local):
            return row.ranges[expr]
        assert isinstance(expr, Read)
        return self.functions[expr.table].table.domain.members

    # Rules

    def task(self, rows: list[Row], metric: Metric, instead_of: str) -> ProgramTask:
        """The task whose actions are some moves."""
        tables = {name: function.table for name, function in self.functions.items()}
        rows = self._joined(rows, tables)
        held = self._held(rows, tables)
        rows = [_without(row, held) for row in rows]
        goal = tuple(self._goal(held))
        asked = [part for row in rows for part in (*row.conditions, *row.computed.values(), *row.every())]
        asked += [value for row in rows for place in row.values if place not in held for value in row.values[place]]
        kept = {part.table for part in parts((*goal, *asked)) if isinstance(part, Read)}
        schemas = {self._schema(n, row, tables, kept): row for n, row in enumerate(rows)}
        state = {name: table for name, table in tables.items() if name in kept}
        rules = [(schema, row.cost, len(row.acts)) for schema, row in schemas.items()]
        task = task_of_rules(self.puzzle, metric, state, self.constants, goal, rules, _written)
        named = {schema.name: row for schema, row in schemas.items()}
        values = Custom({}, state, self.constants, {}, {}, (), (), (), ())
        actions = []
        for action in task.actions:  # none of a rule whose conditions are false for good
            name = action.name[: action.name.index(")") + 1]
            actions.append(replace(action, name=name, move=partial(_move, named[name], values, action.move)))
        return replace(task, actions=tuple(actions), instead_of=instead_of, rows=True)

    def _schema(self, number: int, row: Row, tables: Mapping[str, ValueTable], kept: set[str]) -> ActionSchema:
        """The rule of a move. Its parameters are the objects that the state decides."""
        name, args = row.acts[0]
        own = {arg: arg if isinstance(arg, ex.Local) else ex.Local(f"${n}$") for n, arg in enumerate(row.every())}
        domains = [(self.constants if arg in row.computed else tables)[_held_by(row, arg)].domain for arg in own]
        return ActionSchema(
            " ".join((name, *[str(arg.value) for arg, _ in args if isinstance(arg, Const)], f"({number})")),
            tuple((local.name, domain) for local, domain in zip(own.values(), domains, strict=True)),
            (
                *[ex.Compare("==", local, row.computed.get(local, arg)) for arg, local in own.items()],
                *row.conditions,
            ),
            tuple(
                TableAssignment(table, tuple(map(Const, key)), value)
                for (table, key), (value,) in row.values.items()
                if table in kept
            ),
        )

    # What follows from the rest of the state: where a node is, from the node before it and the heading there.
    #
    #     at[n3] = next[at[n2], heading[n2]]      holds at the start, and after each move: it assigns the three so that
    #                                             they fit, or none of them
    #
    # Such a table need not be in the state if all of its entries follow from others: what asks for them gets the
    # computed value. The goal `at[n2] == c5, at[n3] == c6` asks for `next[c5, heading[n2]] == c6`.

    def _held(self, rows: Sequence[Row], tables: dict[str, ValueTable]) -> dict[Place, Expr]:
        """The places of tables that need not be in the state, and what each is: a constant, or an entry for others."""
        places = [(name, key) for name, function in self.functions.items() for key in function.table.values]
        found: dict[Place, Expr] = {}
        for name, function in self.functions.items():
            own: dict[Place, Expr] = {}
            for key, start in function.table.values.items() if function.value_at and tables[name].of else ():
                held = self._followed((name, key), start, rows, places, tables)
                if held is None or not _founded((name, key), {**own, (name, key): held}):
                    break
                own[name, key] = held
            if len(own) == len(function.table.values):
                found |= own
        return found

    def _followed(
        self, place: Place, start: Value, rows: Sequence[Row], places: Sequence[Place], tables: Mapping[str, ValueTable]
    ) -> Expr | None:
        """What a place is in every state: next[at[n2], heading[n2]], or as at the start; None if that is not known."""
        row = next((row for row in rows if place in row.values), None)
        if row is None:
            return Const(start)
        value = row.after(place)
        if not isinstance(value, ex.Local):
            return None
        lookup = row.computed[value]
        equal = [[read(p) for p in places if p[0] in tables and row.after(p) == arg] for arg in lookup.args]
        for of in islice(product(*equal), MOST_CHOICES):
            held = ex.ConstantLookup(lookup.table, of)
            keys = tuple(self.functions[each.table].table.values[_key(each)] for each in of)
            if self.constants[held.table].values.get(keys) == start and all(_fits(row, place, held) for row in rows):
                return held
        return None

    def _goal(self, held: Mapping[Place, Expr]) -> Iterator[Expr]:
        """The goal without places that follow from others."""
        wanted = {place: asked.right for place, asked in self.goal if isinstance(asked, ex.Compare)}

        def change(part: Expr, outside: bool = True) -> Expr:
            assert isinstance(part, Read)  # a goal has no other names
            place = part.table, _key(part)
            if place in wanted and not outside:
                return wanted[place]
            return changed(held[place], partial(change, outside=False)) if place in held else part

        for _, asked in self.goal:
            yield changed(asked, change)

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
            if not robot.value_at or on.of or not at.of or not place.different:
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
        if any(own in parts(part) for part in (*others, *row.every(), *row.computed.values())):
            return None
        return replace(row, conditions=dict.fromkeys(conditions), values=values)


def _key(card: Read) -> tuple[Value, ...]:
    return tuple(arg.value for arg in card.args if isinstance(arg, Const))


def changed(expr: Any, change: Callable[[Expr], Expr]) -> Any:
    """An expression with other values in place of its reads and names."""
    if isinstance(expr, Read | ex.Local):
        return change(expr)
    if isinstance(expr, tuple):
        return tuple([changed(part, change) for part in expr])
    if isinstance(expr, ex.ConstantLookup | ex.Compare | ex.Not | ex.And | ex.Or | ex.Membership | ex.Conditional):
        return replace(expr, **{each.name: changed(getattr(expr, each.name), change) for each in fields(expr)})
    return expr


def _held_by(row: Row, value: Expr) -> str:
    """The name of the table that a value is read from."""
    source = row.computed[value] if isinstance(value, ex.Local) else value
    assert isinstance(source, Read | ex.ConstantLookup)
    return source.table


def _fits(row: Row, place: Place, held: ex.ConstantLookup) -> bool:
    """Whether `place == held` is true after the actions of a row if it was true before them."""
    others = [(each.table, _key(each)) for each in held.args if isinstance(each, Read)]
    if place not in row.values and not any(other in row.values for other in others):
        return True
    value = row.after(place)
    after = ex.ConstantLookup(held.table, tuple(map(row.after, others)))
    return isinstance(value, ex.Local) and row.computed[value] == after


def _founded(place: Place, held: Mapping[Place, Expr]) -> bool:
    """Whether a place can be computed from others without a circle: none of them needs it in turn."""
    waiting, seen = [held[place]], {place}
    for expr in waiting:  # it grows
        for part in parts(expr):
            if isinstance(part, Read):
                other = part.table, _key(part)
                if other == place:
                    return False
                if other in held and other not in seen:
                    seen.add(other)
                    waiting.append(held[other])
    return True


def _without(row: Row, held: Mapping[Place, Expr]) -> Row:
    """A row without the places that need not be in the state: where it reads one, it computes the value."""
    if not held:
        return row
    computed: dict[ex.Local, ex.ConstantLookup] = {}

    def change(part: Expr) -> Expr:
        if not isinstance(part, Read):
            return part
        place = part.table, _key(part)
        value = changed(held[place], change) if place in held else part
        if isinstance(value, ex.ConstantLookup):
            computed[name := ex.Local(shown(place))] = value
            return name
        return value

    for name, lookup in row.computed.items():
        computed[name] = changed(lookup, change)
    conditions = {changed(part, change): None for part in row.conditions}
    values = {place: tuple(changed(value, change) for value in row.values[place]) for place in row.values}
    acts = tuple((name, tuple((changed(arg, change), n) for arg, n in args)) for name, args in row.acts)
    cases = tuple(_without(case, held) for case in row.cases)
    return replace(row, conditions=conditions, computed=computed, values=values, acts=acts, cases=cases)


def _balanced(action: PddlAction, functions: Mapping[str, Function]) -> bool:
    """Whether an action gives functions as many values as it takes away: a walk does, of `at`; picking up a key takes
    at[key] away, which has no value then, so it is no move by itself.
    """
    if not all(effect.certain for effect in action.effects):
        return True
    gains = Counter[str]()
    for effect in action.effects:
        if effect.atom[0] in functions and functions[effect.atom[0]].value_at:
            gains[effect.atom[0]] += 1 if effect.makes else -1
    return not any(gains.values())


# Moves that the state decides: a robot that slides stops where a wall is, or before another robot.
#
#     at[r]: x0 if wall[x0] or x1 is taken else x1 if wall[x1] or x2 is taken else ...       x1 = next[x0], ...
#
# They are one move if no two of them are possible in one state, but for those that do the same, and all cost the same.

NOTHING: Expr = ex.ByValue(Const(""), ())
"""An expression without a value. A move that would assign it is not possible: no case of the move is."""


def opposite(part: Expr) -> Expr:
    """A condition that is true where another one is false."""
    if isinstance(part, ex.Compare):
        return ex.Compare("!=" if part.op == "==" else "==", part.left, part.right)
    return part.inner if isinstance(part, ex.Not) else ex.Not(part)


def excluded(part: Expr, others: Sequence[Expr]) -> bool:
    """Whether a condition contradicts one of others: `x == y` does where they have `x != y`."""
    if isinstance(part, ex.Or):
        return all(excluded(each, others) for each in part.parts)
    return opposite(part) in others


def decided_by_state(row: Row, moves: Sequence[Row]) -> Row | None:
    """The moves that begin with a row as one move, as above; None if two of them may be possible in one state, or if
    they differ in cost.
    """

    def inner(part: Expr, move: Row) -> Any:
        """A part of a move without names that the row does not have."""
        if isinstance(part, ex.Local) and part not in row.computed:
            return changed(move.computed[part], partial(inner, move=move))
        return part

    several: list[tuple[list[Expr], dict[Place, Expr], Row]] = []
    places = dict.fromkeys(place for move in moves for place in move.values)
    if len({move.cost for move in moves}) > 1 or not places:
        return None
    for move in moves:
        there = [ex.Compare("!=", name, Const("")) for name in move.computed if name not in row.computed]
        more = [part for part in move.conditions if part not in row.conditions]
        asked = [changed(part, partial(inner, move=move)) for part in (*there, *more)]
        several.append(
            (asked, {place: changed(move.after(place), partial(inner, move=move)) for place in places}, move)
        )
    several.sort(key=lambda each: (len(each[2].cases), len(each[0])))
    for (asked, after, _), (other, result, _) in combinations(several, 2):
        apart = any(excluded(part, other) for part in asked) or any(excluded(part, asked) for part in other)
        if not apart and after != result:
            return None
    # The first of which what it asks is true; what follows from that it was not true of those before is not asked.
    ways: list[tuple[ex.And, dict[Place, Expr]]] = []
    for n, (asked, after, _) in enumerate(several):
        for before, _, _ in several[:n]:
            more = [part for part in before if part not in asked]
            if len(more) == 1:
                untrue = more[0].parts if isinstance(more[0], ex.Or) else more
                asked = [part for part in asked if opposite(part) not in untrue]
        ways.append((ex.And(tuple(asked)), after))
    values = dict[Place, tuple[Expr, ...]]()
    for place in sorted(places, key=lambda place: len({after[place] for _, after in ways}), reverse=True):
        value = NOTHING
        for way, after in reversed(ways):
            value = ex.Conditional(way, after[place], value) if way.parts else after[place]
        alike = values and all(after[place] == ways[0][1][place] for _, after in ways)  # one of them is enough to fail
        values[place] = (ways[0][1][place] if alike else value,)
    cases = tuple(case for _, _, move in several for case in move.cases or (move,))
    return replace(row, values=values, passing=(), cost=moves[0].cost, cases=cases)


def _written(rules: Custom, metric: Metric) -> ProgramTask:
    """The task of some rules, with its interchangeable objects. A parameter that is only there to say in the plan what
    was moved, as ?r in `?r == at[r1]`, does not keep objects from being interchangeable.
    """
    task, actions = programs(rules, metric), {}
    for name, schema in rules.actions.items():
        named = {p for p in schema.conditions if isinstance(p, ex.Compare) and isinstance(p.left, ex.Local)}
        needed = used((schema.assignments, [part for part in schema.conditions if part not in named]))
        asked = [p for p in schema.conditions if p not in named or not isinstance(p.right, Read) or used(p) & needed]
        actions[name] = replace(schema, conditions=tuple(asked))
    return replace(task, interchangeable=interchangeable(replace(rules, actions=actions), task, typed=True))


def _move(row: Row, rules: Custom, written: Callable[[Sequence[int]], Move], registers: Sequence[int]) -> Move:
    """Actions in a row, with the objects that the state decided on: the arguments of the rule."""
    objects: dict[Expr, Value] = dict(zip(row.every(), written(registers).what, strict=True))
    if row.cases:
        row, objects = _case(row, rules, objects)
    said = (
        Act(name, tuple(str(arg.value if isinstance(arg, Const) else objects[arg]).split(" ")[n] for arg, n in args))
        for name, args in row.acts
    )
    move = chained(said)
    assert move is not None
    return move


def _case(row: Row, rules: Custom, objects: Mapping[Expr, Value]) -> tuple[Row, dict[Expr, Value]]:
    """The first case of a move that is possible, and the objects of its actions. `objects`: what the state says."""
    holds, state = Evaluators(rules, lambda _amount: None).evaluator, dict[Place, Value]()
    for part, value in objects.items():
        if isinstance(part, Read):
            truth = rules.state[part.table].domain.kind == "truth"
            state[part.table, _key(part)] = value == "true" if truth else value
    for case in row.cases:
        names: dict[str, Any] = {}
        for name, lookup in case.computed.items():
            names[name.name] = holds(lookup)(names, state)
        if None not in names.values() and all(holds(part)(names, state) is True for part in case.conditions):
            return case, {**objects, **{name: names[name.name] for name in case.computed}}
    raise AssertionError("no case of a move is possible")


class _Actor:
    """One more action in a row: what it asks for decides its parameters, one after the other."""

    def __init__(self, maker: MacroMoves, row: Row, step: Step) -> None:
        self.maker, self.row, self.step = maker, row, step
        self.names = dict(step.names)
        self.types = {parameter.name: parameter for parameter in step.action.parameters}

    def after(self) -> Row | None:
        """The row of actions with this one behind it; None if it can never apply there."""
        if not all(map(self._meet, self.step.literals)):
            return None
        row, action = self.row, self.step.action
        values, passing = dict(row.values), list(row.passing)
        for makes in (False, True):  # what becomes false and true at once is true
            for atom, made in self.step.effects:
                if made == makes:
                    self._change(atom[0], atom[1:], makes, values, passing)
        act = action.name, tuple(self._word(parameter.name) for parameter in action.parameters)
        acts, cost = (*row.acts, act), row.cost + self.step.cost
        return replace(row, values=values, passing=tuple(passing), acts=acts, cost=cost)

    def _word(self, name: str) -> tuple[Expr, int]:
        """The value of a parameter: a word of the value of a term."""
        for term, value in self.names.items():
            if name in term.split(" "):
                return value, term.split(" ").index(name)
        raise NoMovesError

    def known(self, term: str) -> Expr | None:
        """The value of a term; None if it is still open."""
        if term in self.names:
            return self.names[term]
        words = [self.names.get(word) if word.startswith("?") else Const(word) for word in term.split(" ")]
        several = [str(word.value) for word in words if isinstance(word, Const)]
        return Const(" ".join(several)) if len(several) == len(words) else None

    def value(self, term: str) -> Expr:
        """The value of a term. Raises `NoMovesError` for one that nothing has decided."""
        value = self.known(term)
        if value is None:
            raise NoMovesError
        return value

    def _place(self, name: str, terms: Sequence[str]) -> tuple[Place, str]:
        """The entry of a table that an atom is about, and the term for its value: at[card7] and cell3."""
        function = self.maker.functions[name]
        key, value = function.parted(terms)
        args = tuple(arg.value for arg in map(self.value, key) if isinstance(arg, Const))
        if len(args) < len(key):
            raise NoMovesError
        return (name, args), value

    def same(self, a: Expr, b: Expr) -> bool | None:
        """Whether two values are equal; None if that is not known."""
        known, functions = self.row.conditions, self.maker.functions
        if a == b or ex.Compare("==", a, b) in known or ex.Compare("==", b, a) in known:
            return True
        if isinstance(a, Const) and isinstance(b, Const):
            return False
        both = isinstance(a, Read) and isinstance(b, Read) and a.table == b.table and functions[a.table]
        apart = both and (both.different or both.apart)
        return False if apart or ex.Compare("!=", a, b) in known or ex.Compare("!=", b, a) in known else None

    def _ask(self, condition: Expr) -> bool:
        """Note a condition on the state at rest; whether it is possible."""
        known = self.row.conditions
        if condition not in known:
            self.row = replace(self.row, conditions={**known, condition: None})
        opposite = condition.inner if isinstance(condition, ex.Not) else ex.Not(condition)
        return opposite not in known

    def _equal(self, a: Expr, b: Expr, wanted: bool) -> bool:
        """Ask that two values are equal, or differ; whether that is possible."""
        same = self.same(a, b)
        return same == wanted if same is not None else self._ask(ex.Compare("==" if wanted else "!=", a, b))

    def _bind(self, term: str, value: Expr) -> bool:
        """Set a parameter that is still open to a value, or ask that the term equals it; whether that is possible."""
        known = self.known(term)
        if known is not None:
            return self._equal(value, known, True)
        self.names[term] = value
        possible = self.maker.values_of(value, self.row)
        own = self.maker.members(tuple([self.types[w].values if w in self.types else (w,) for w in term.split(" ")]))
        if possible <= own:
            return True
        return not isinstance(value, Const) and self._ask(ex.Membership(value, own))

    def _compute(self, computed: Computed) -> bool:
        """Set a term to an entry of a constant table; whether there may be one."""
        lookup = self.maker.lookup(computed.table, tuple(map(self.value, computed.of)))
        held = self.maker.constants[lookup.table]
        if not lookup.args:
            return () in held.values and self._bind(computed.term, Const(held.values[()]))
        values = held.domain.members
        if len(lookup.args) == 1:  # so a slide ends where the board does
            keys = self.maker.values_of(lookup.args[0], self.row)
            values = frozenset(value for key, value in held.values.items() if key[0] in keys)
        row, names = self.row, {entry: name for name, entry in self.row.computed.items()}
        name = names.get(lookup, ex.Local(f"${len(names)}"))
        self.row = replace(row, computed={**row.computed, name: lookup}, ranges={**row.ranges, name: values})
        return bool(values) and self._bind(computed.term, name)

    def _meet(self, literal: Expr | Computed) -> bool:
        """Ask for a condition of the action; whether it is possible."""
        if isinstance(literal, Computed):
            return self._compute(literal)
        if not is_literal(literal):
            return self._ask(self._stated(literal))
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
        if name in self.maker.free:
            own, taken = self.value(" ".join(terms)), self.maker.free[name]
            several: list[Place] = [(taken, key) for key in self.maker.functions[taken].table.values]
            every = [value for each in several for value in self.row.values.get(each, (read(each),))]
            if yes:
                return all(self._equal(value, own, False) for value in every)
            same = [self.same(value, own) for value in every]
            perhaps = [ex.Compare("==", value, own) for value, known in zip(every, same, strict=True) if known is None]
            return True in same or (bool(perhaps) and self._ask(ex.Or(tuple(perhaps))))
        place, term = self._place(name, terms)
        if place[1] not in self.maker.functions[name].table.values:  # it never has a value
            return not yes
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
        if all(isinstance(arg, Const) for arg in args):
            return ((name, *[arg.value for arg in args if isinstance(arg, Const)]) in self.maker.puzzle.init) == yes
        held = self._held(name, args)
        return self._ask(held if yes else ex.Not(held))

    def _held(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """Whether an atom that nothing changes is true, by a table."""
        domains = zip(args, self.maker.puzzle.predicates[name], strict=True)
        if any(not self.maker.values_of(arg, self.row) <= {*objects} for arg, objects in domains):
            raise NoMovesError
        return self.maker.lookup(self.maker.truths(name), args)

    def _stated(self, part: Expr) -> Expr:
        """A condition on what nothing changes, of values that the state decides."""
        match part:
            case Read(name, args):
                return self._held(name, tuple(map(self.value, words(args))))
            case ex.Not(inner):
                return ex.Not(self._stated(inner))
            case ex.And(several) | ex.Or(several):
                return replace(part, parts=tuple(map(self._stated, several)))
        raise NoMovesError

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
        if name in self.maker.free:
            return
        place, term = self._place(name, terms)
        if place[1] not in self.maker.functions[name].table.values:
            raise NoMovesError
        if not term:
            values[place] = (Const(makes),)
            return
        own, domain = self.value(term), self.maker.functions[name].table.domain
        kept = [value for value in values.get(place, (read(place),)) if not self._among((own,), [(value,)])]
        if makes and not self.maker.values_of(own, self.row) <= domain.members:
            raise NoMovesError
        values[place] = (*kept, own) if makes else tuple(kept)
