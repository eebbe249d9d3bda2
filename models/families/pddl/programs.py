"""A PDDL problem as a task whose actions are programs (`models.program`), where cases would be too many.

A turn of a cube has a conditional effect for each place and colouring: as operators, a product of all of them. As a
program each variable gets its new value by itself, most often by a table of the values of one variable.

    (forall (?a ?b) (when (face1 ?a ?b) (and (not (face1 ?a ?b)) (face2 ?b ?a))))      face2 := table[face1]

Variables are sets of atoms that exclude each other (`Exclusive`), as far as they do not overlap; the value 0 says that
no atom of the set is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import NamedTuple

from ...errors import Problem
from ...moves import Metric
from ...program import ProgramTask, ProgramVariable
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, Loop, Value
from ..custom.programs.task import act_of
from ..custom.programs.task import programs as programs_of_rules
from ..custom.puzzle import ActionSchema, Counting, Custom, Domain, Part, TableAssignment, ValueTable
from .ground_actions import ALWAYS, Conjunction, Dnf, GroundAction, GroundActions
from .problem import GroundAtom, Pddl

# Atoms of which at most one is ever true: where a truck is, what is on a block.
#
# A *candidate* has parts; a part is a predicate with its arguments sorted into those that say what the set is about,
# and those that are counted. `{at [t] *}`: for each t, the atoms (at t x) for all x. A candidate is balanced if no
# step makes two atoms of a set true, and each that makes one true takes away one of the same set. If a step takes
# away an atom of no part, a part is made of it and tried (Helmert, *Concise finite-domain representations for PDDL
# planning tasks*, 2009, section 5.1; here on grounded steps, which is exact, and as quick).

MAX_CANDIDATES = 1_000
"""Candidates that are tried at most."""

MOST_COUNTED = 2
"""Arguments of a part that are counted at most: where a card lies, `{card-at [c] * *}`, counts two."""


CountedPart = tuple[str, tuple[int, ...]]
"""A predicate, and the places of its arguments (from 1) that say which set an atom is in, in order."""

Candidate = tuple[CountedPart, ...]
"""Parts in order, each with another predicate."""


Atoms = Mapping[int, GroundAtom]
"""Atoms by their numbers."""

Facts = Iterable[int]
"""Facts or atoms by their numbers."""


class Balance(NamedTuple):
    """An action, or a conditional effect of one, as [atoms it makes true], [true atoms it takes away].

    `(:action sail ...)` from a to b: makes true [boat b], takes away [boat a]. So `boat` stays one atom. `instance`:
    balances with the same number may happen at once, as conditional effects of one action do.
    """

    gained: list[GroundAtom]
    lost: list[GroundAtom]
    instance: int

    @classmethod
    def of(cls, atoms: Atoms, facts: Facts, true: Facts, false: Facts, instance: int) -> Balance:
        """A balance by numbers of atoms: `facts` hold before (2i + 1: atom i is true), then `true` and `false`."""
        before = {fact >> 1 for fact in facts if fact & 1}
        gained, lost = (
            [atoms[atom] for atom in true if atom not in before],
            [atoms[atom] for atom in false if atom in before],
        )
        return cls(gained, lost, instance)


def exclusive_sets(grounded: GroundActions, steps: Iterable[Balance]) -> list[frozenset[int]]:
    """Sets of atoms, by number, of which at most one is ever true: those that are given, then larger ones first."""
    number = {atom: n for n, atom in grounded.atoms.items()}
    given = [members & number.keys() for members in grounded.puzzle.exclusive]
    found = Exclusive(number, steps, grounded.puzzle.init & number.keys()).sets()
    sets = [members for members in given if len(members) > 1]
    sets += [members for members in found if not any(members <= other for other in given)]
    return [frozenset(number[atom] for atom in members) for members in sets]


class Exclusive:
    """Finds sets of atoms that exclude each other in steps and an initial state."""

    def __init__(self, atoms: Iterable[GroundAtom], steps: Iterable[Balance], init: frozenset[GroundAtom]) -> None:
        self.atoms: dict[str, list[GroundAtom]] = {}
        for atom in atoms:
            self.atoms.setdefault(atom[0], []).append(atom)
        self.init = init
        self.adding: dict[str, list[Balance]] = {}
        for step in steps:
            for predicate in {atom[0] for atom in step.gained}:
                self.adding.setdefault(predicate, []).append(step)

    def sets(self) -> list[frozenset[GroundAtom]]:
        """The sets, larger ones first; no set is a part of another one."""
        waiting: list[Candidate] = [(part,) for predicate in self.atoms for part in self._parts(predicate)]
        seen, balanced = set(waiting), list[Candidate]()
        for candidate in waiting:  # it grows
            failure = self._failure(candidate)
            if failure is None:
                balanced.append(candidate)
            for part in self._mending(candidate, *failure) if failure else ():
                wider = tuple(sorted((*candidate, part)))
                if wider not in seen and len(seen) < MAX_CANDIDATES:
                    seen.add(wider)
                    waiting.append(wider)
        kept: list[frozenset[GroundAtom]] = []
        every = {members for candidate in balanced for members in self._members(candidate)} | set(self._wandering())
        inside: dict[GroundAtom, list[frozenset[GroundAtom]]] = {}
        for members in sorted(every, key=lambda s: (-len(s), sorted(s))):
            if not any(members <= other for other in inside.get(next(iter(members)), ())):
                kept.append(members)
                for atom in members:
                    inside.setdefault(atom, []).append(members)
        return kept

    def _parts(self, predicate: str) -> Iterator[CountedPart]:
        """The parts with which a candidate begins: one argument is counted, none, or several."""
        places = range(1, len(self.atoms[predicate][0]))
        for counted in (1, 0, *range(2, MOST_COUNTED + 1)):
            for several in combinations(places, max(0, len(places) - counted)):
                yield predicate, several

    @staticmethod
    def _key(candidate: Candidate, atom: GroundAtom) -> tuple[str, ...] | None:
        for predicate, places in candidate:
            if predicate == atom[0]:
                return tuple([atom[place] for place in places])
        return None

    def _failure(self, candidate: Candidate) -> tuple[Balance, tuple[str, ...]] | None:
        """A step that is not balanced, with the set in which it is not; None if all are."""
        taken: dict[tuple[int, tuple[str, ...], GroundAtom], GroundAtom] = {}
        for step in (step for predicate, _ in candidate for step in self.adding.get(predicate, ())):
            come: dict[tuple[str, ...], GroundAtom] = {}
            for atom in step.gained:
                key = self._key(candidate, atom)
                if key is not None and come.setdefault(key, atom) != atom:
                    return step, key
            for key, atom in come.items():
                gone = [other for other in step.lost if self._key(candidate, other) == key]
                # Two effects that happen at once may not both follow from one atom.
                if not gone or taken.setdefault((step.instance, key, gone[0]), atom) != atom:
                    return step, key
        return None

    def _mending(self, candidate: Candidate, step: Balance, key: tuple[str, ...]) -> Iterator[CountedPart]:
        """Parts with which a step may be balanced: of what it takes away, with the objects of the set among its
        arguments, and a few more.
        """
        if sum(self._key(candidate, atom) == key for atom in step.gained) > 1:
            return
        taken = {predicate for predicate, _ in candidate}
        for atom in step.lost:
            if atom[0] in taken or not 0 <= len(atom) - 1 - len(key) <= MOST_COUNTED:
                continue
            for places in permutations(range(1, len(atom)), len(key)):
                if tuple([atom[place] for place in places]) == key:
                    yield atom[0], places

    def _wandering(self) -> Iterator[frozenset[GroundAtom]]:
        """Sets whose atoms turn into each other, whatever their arguments are: all places of a piece of a cube, each in
        all positions. Steps that make one atom true and take away one say which belong together.
        """
        root: dict[GroundAtom, GroundAtom] = {}

        def root_of(atom: GroundAtom) -> GroundAtom:
            while root.setdefault(atom, atom) != atom:
                atom = root[atom]
            return atom

        became: dict[tuple[int, GroundAtom], GroundAtom] = {}
        leaking = set[GroundAtom]()
        for step in (step for several in self.adding.values() for step in several):
            if len(step.lost) == 1 == len(step.gained):
                root[root_of(step.lost[0])] = root_of(step.gained[0])
                if became.setdefault((step.instance, step.lost[0]), step.gained[0]) == step.gained[0]:
                    continue
            leaking.update(step.gained)
        sets: dict[GroundAtom, set[GroundAtom]] = {}
        for atom in root:
            sets.setdefault(root_of(atom), set()).add(atom)
        for members in sets.values():
            if leaking.isdisjoint(members) and len(self.init & members) <= 1:
                yield frozenset(members)

    def _members(self, candidate: Candidate) -> Iterator[frozenset[GroundAtom]]:
        """The sets of a candidate that are mutex: at most one of their atoms is true at the start."""
        sets: dict[tuple[str, ...], list[GroundAtom]] = {}
        for predicate, places in candidate:
            for atom in self.atoms.get(predicate, ()):
                sets.setdefault(tuple([atom[place] for place in places]), []).append(atom)
        true = Counter(self._key(candidate, atom) for atom in self.init)
        for key, members in sets.items():
            if len(members) > 1 and true[key] <= 1:
                yield frozenset(members)


NOTHING = 0
"""The value of a variable none of whose atoms is true."""


def programs(grounded: GroundActions, metric: Metric, instead_of: str) -> ProgramTask:
    """The task. Raises `GroundingError` if its programs would be too long."""
    return Translation(grounded).task(metric, instead_of)


def steps_of(grounded: GroundActions) -> Iterator[Balance]:
    """The balances of actions that stay whole: one for each condition under which something becomes true or false.

    A turn of a cube makes (face2 b a) true where (face1 a b) is: one balance for each a and b, all of one instance.
    """
    for number, action in enumerate(grounded.actions):
        certain = frozenset.intersection(*action.conditions)
        several = dict.fromkeys(way for _, ways in action.effects for way in ways)
        # What is true before an effect that makes it true stays so, whatever another effect takes away.
        stays = {f >> 1 for f, ways in action.effects if f & 1 for way in ways if f in certain | way}
        for way in several:
            holding = certain | way
            does = [fact for fact, ways in action.effects if ways is ALWAYS or any(way <= holding for way in ways)]
            true, false = ({fact >> 1 for fact in does if fact & 1 == sign} for sign in (1, 0))
            yield Balance.of(grounded.atoms, holding, sorted(true), sorted(false - stays), number)


Write = Callable[[Custom, Metric], ProgramTask]
"""Compiles custom rules for a metric: the same call for the task alone and for the task with its drawing."""


def task_of_rules(
    puzzle: Pddl,
    metric: Metric,
    tables: Mapping[str, ValueTable],
    constants: Mapping[str, ValueTable],
    goal: tuple[Expr, ...],
    rules: Sequence[tuple[ActionSchema, int, int]],
    write: Write = programs_of_rules,
) -> ProgramTask:
    """The task of custom rules for a problem. `rules`: each with its cost, and the number of actions that it is; its
    name begins with that of the first. `write` makes it of them.
    """
    countings = []
    for component in metric.components:
        prices = {schema.name: ex.Const(cost if component == "cost" else count) for schema, cost, count in rules}
        countings.append(Counting(component, prices))
    places: dict[Part, Problem] = {
        ("actions", schema.name): puzzle.places.get(("action", schema.name.split()[0]), puzzle.places["problem",])
        for schema, _, _ in rules
    }
    actions = {schema.name: schema for schema, _, _ in rules}
    places[()] = puzzle.places["problem",]
    custom = Custom({}, tables, constants, {}, actions, (), goal, tuple(countings), (), places=places)
    return write(custom, metric)


class Translation:
    """Ground actions as custom rules: a table for each set of atoms that exclude each other, with a number for each of
    its atoms.

        (when (and (at c1 p) (open p)) ...)        3 == 2 and 7 == 1, if these are the tables and numbers
    """

    def __init__(self, grounded: GroundActions) -> None:
        self.grounded = grounded
        self.sets = [list(members) for members in self._disjoint()]
        self.place = {atom: (x, n) for x, members in enumerate(self.sets) for n, atom in enumerate(members, 1)}
        self.domains = [Domain(str(x), "number", tuple(range(len(members) + 1))) for x, members in enumerate(self.sets)]
        self.constants: dict[str, ValueTable] = {}

    def _disjoint(self) -> Iterator[Sequence[int]]:
        """Sets of atoms, by number, of which at most one is ever true; each atom is in one."""
        unplaced = set(self.grounded.atoms)
        for members in exclusive_sets(self.grounded, steps_of(self.grounded)):
            kept = sorted(unplaced.intersection(members))
            if len(kept) > 1:
                unplaced.difference_update(kept)
                yield kept
        yield from ([atom] for atom in sorted(unplaced))

    def task(self, metric: Metric, instead_of: str, write: Write = programs_of_rules) -> ProgramTask:
        """The task that the programs of these rules make."""
        init = self.grounded.puzzle.init
        tables = {
            domain.name: ValueTable(domain.name, (), domain, {(): self._value(members, init)})
            for domain, members in zip(self.domains, self.sets, strict=True)
        }
        goal = tuple(ex.Or(tuple(map(self._fact, sorted(clause)))) for clause in self.grounded.goal)
        rules = [(self._schema(number, each), each.paid, 1) for number, each in enumerate(self.grounded.actions)]
        task = task_of_rules(self.grounded.puzzle, metric, tables, self.constants, goal, rules, write)
        actions = []
        for written, action in zip(task.actions, self.grounded.actions, strict=True):
            actions.append(
                replace(
                    written,
                    name=" ".join((action.name, *action.objects)),
                    move=partial(act_of, action.name, action.objects),
                )
            )
        return replace(
            task,
            variables=tuple(map(self._variable, range(len(self.sets)))),
            actions=tuple(actions),
            unsolvable_because=self.grounded.impossible,
            instead_of=instead_of,
        )

    def _variable(self, x: int) -> ProgramVariable:
        atoms = [self.grounded.atoms[atom] for atom in self.sets[x]]
        values = tuple(range(len(atoms) + 1))
        texts = [" ".join(atom) for atom in atoms]
        if len(values) == 2:
            return ProgramVariable(texts[0], values, ("false", "true"))
        shared = set(atoms[0]).intersection(*atoms)
        name = " ".join([word for word in atoms[0] if word in shared]) or texts[0]
        return ProgramVariable(name, values, ("nothing", *texts))

    def _value(self, members: Sequence[int], true: Iterable[GroundAtom]) -> int:
        return next((n for n, atom in enumerate(members, 1) if self.grounded.atoms[atom] in true), NOTHING)

    # Conditions and effects

    def _read(self, x: int) -> Expr:
        return ex.Read(self.domains[x].name, ())

    def _fact(self, fact: int) -> Expr:
        x, value = self.place[fact >> 1]
        return ex.Compare("==" if fact & 1 else "!=", self._read(x), ex.Const(value))

    def _any(self, ways: Iterable[Conjunction]) -> Expr:
        """The condition that one of some ways holds."""
        parts = [ex.And(tuple(map(self._fact, sorted(way)))) for way in ways]
        return parts[0] if len(parts) == 1 else ex.Or(tuple(parts))

    def _schema(self, number: int, action: GroundAction) -> ActionSchema:
        """The rule of a ground action."""
        name = " ".join((action.name, *action.objects, f"({number})"))
        return ActionSchema(name, (), (self._any(action.conditions),), tuple(self._assignments(action)))

    def _assignments(self, action: GroundAction) -> Iterator[TableAssignment]:
        """The new values: by a table of the old value of one variable, or one for each way in which it comes about."""
        effects: dict[int, list[tuple[int, Dnf]]] = {}
        for fact, ways in action.effects:
            x, value = self.place[fact >> 1]
            effects.setdefault(x, []).append((value if fact & 1 else -value, ways))
        holding = frozenset.intersection(*action.conditions)
        for x, several in sorted(effects.items()):
            name = self.domains[x].name
            certain = [value for value, ways in several if value > 0 and any(way <= holding for way in ways)]
            new = ex.Const(certain[0]) if certain else self._table(x, several)
            if new is not None:
                yield TableAssignment(name, (), new)
                continue
            gains = [(value, self._any(ways)) for value, ways in several if value > 0]
            losses = [
                ex.And((ex.Compare("==", self._read(x), ex.Const(-value)), self._any(ways)))
                for value, ways in several
                if value < 0
            ]
            if losses:  # what becomes true and false at once is true
                gains.append((NOTHING, ex.And((ex.Or(tuple(losses)), *[ex.Not(gain) for _, gain in gains]))))
            for value, condition in gains:
                yield TableAssignment(name, (), ex.Const(value), (Loop("", (0,), (condition,)),))

    def _table(self, x: int, effects: Sequence[tuple[int, Dnf]]) -> Expr | None:
        """The new value of x by the old one of the variable that alone decides it; None if there is none."""
        gained: dict[int, int] = {}
        of: set[int] = set()
        for value, ways in effects:
            if value > 0:
                for way in ways:
                    places = [self.place[fact >> 1] for fact in way]
                    if len(places) != 1 or not next(iter(way)) & 1 or places[0][1] in gained:
                        return None
                    of.add(places[0][0])
                    gained[places[0][1]] = value
        if len(of) != 1:
            return None
        (y,) = of
        lost = {-value: ways for value, ways in effects if value < 0}
        entries: dict[tuple[Value, ...], Value] = {(old,): value for old, value in gained.items()}
        for old in range(len(self.sets[y]) + 1):
            if old in gained:
                continue
            taken = lost.get(old, ()) if old != NOTHING else ()
            certain = taken is ALWAYS or frozenset((2 * self.sets[y][old - 1] + 1,)) in taken
            if y != x or (taken and not certain):
                return None  # x keeps its value, or loses it, as other variables say
            entries[old,] = NOTHING if taken else old
        name = f"table {len(self.constants)}"
        self.constants[name] = ValueTable(name, (self.domains[y],), self.domains[x], entries)
        return ex.ConstantLookup(name, (self._read(y),))
