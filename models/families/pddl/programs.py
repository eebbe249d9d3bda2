"""A PDDL problem as a task whose actions are programs (`models.program`), where cases would be too many.

A turn of a cube has a conditional effect for each place and colouring: as operators, a product of all of them. As a
program each variable gets its new value by itself, most often by a table of the values of one variable.

    (forall (?a ?b) (when (face1 ?a ?b) (and (not (face1 ?a ?b)) (face2 ?b ?a))))      face2 := table[face1]

Variables are sets of atoms that exclude each other (`exclusive`), as far as they do not overlap; the value 0 says that
no atom of the set is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

from ... import program as op
from ...moves import Cost, Metric, Move, chained
from ...program import ProgramAction, ProgramTask, ProgramVariable
from ..custom.programs.emitter import Emitter, TooLongError
from ..custom.puzzle import Act
from .ground_actions import ALWAYS, Acts, Conjunction, GroundAction, GroundActions
from .problem import GroundAtom

# Atoms of which at most one is ever true: where a truck is, what is on a block.
#
# A *candidate* has parts; a part is a predicate with its arguments sorted into those that say what the set is about,
# and those that are counted. `{at [t] *}`: for each t, the atoms (at t x) for all x. A candidate is balanced if no
# step makes two atoms of a set true, and each that makes one true takes away one of the same set. If a step takes
# away an atom of no part, a part is made of it and tried (Helmert, *Concise finite-domain representations for PDDL
# planning tasks*, 2009, section 5.1; here on grounded steps, which is exact, and as quick).

MAX_CANDIDATES = 300
"""Candidates that are tried at most."""

MOST_COUNTED = 2
"""Arguments of a part that are counted at most: where a card lies, `{card-at [c] * *}`, counts two."""


@dataclass(frozen=True, slots=True)
class CountedPart:
    """A predicate, and the places of its arguments (from 1) that say which set an atom is in, in order."""

    predicate: str
    places: tuple[int, ...]


Candidate = frozenset[CountedPart]


@dataclass(frozen=True, slots=True)
class Balance:
    """An action, or a conditional effect of one, as {atoms it needs}, [atoms it makes true], [atoms it takes away].

    `(:action sail ...)` from a to b: needs {boat a}, makes true [boat b], takes away [boat a]. So `boat` stays one
    atom. `instance`: balances with the same number may happen at once, as conditional effects of one action do.
    """

    needed: frozenset[GroundAtom]
    gained: Sequence[GroundAtom]
    lost: Sequence[GroundAtom]
    instance: int

    @classmethod
    def of(
        cls, atoms: Sequence[GroundAtom], facts: Iterable[int], true: Iterable[int], false: Iterable[int], instance: int
    ) -> Balance:
        """A balance by numbers of atoms: `facts` hold before (2i + 1: atom i is true), then `true` and `false`."""
        before = {fact >> 1 for fact in facts if fact & 1}
        return cls(
            frozenset(atoms[atom] for atom in before),
            [atoms[atom] for atom in true if atom not in before],
            [atoms[atom] for atom in false if atom in before],
            instance,
        )


def exclusive_sets(
    atoms: Sequence[GroundAtom], steps: Iterable[Balance], init: frozenset[GroundAtom]
) -> list[frozenset[int]]:
    """Sets of atoms, by number, of which at most one is ever true; larger ones first."""
    number = {atom: n for n, atom in enumerate(atoms)}
    sets = Exclusive(atoms, steps, init.intersection(atoms)).sets()
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
        waiting = [frozenset((part,)) for predicate in self.atoms for part in self._parts(predicate)]
        seen, balanced = set(waiting), list[Candidate]()
        for candidate in waiting:  # it grows
            failure = self._failure(candidate)
            if failure is None:
                balanced.append(candidate)
                continue
            for part in self._mending(*failure):
                wider = candidate | {part}
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
                yield CountedPart(predicate, several)

    @staticmethod
    def _key(candidate: Candidate, atom: GroundAtom) -> tuple[str, ...] | None:
        for part in candidate:
            if part.predicate == atom[0]:
                return tuple([atom[place] for place in part.places])
        return None

    def _failure(self, candidate: Candidate) -> tuple[Candidate, Balance, tuple[str, ...]] | None:
        """A step that is not balanced, with the set in which it is not; None if all are."""
        taken: dict[tuple[int, tuple[str, ...], GroundAtom], GroundAtom] = {}
        for part in candidate:
            for step in self.adding.get(part.predicate, ()):
                come: dict[tuple[str, ...], GroundAtom] = {}
                for atom in step.gained:
                    key = self._key(candidate, atom)
                    if key is None:
                        continue
                    if come.setdefault(key, atom) != atom:
                        return candidate, step, key
                for key, atom in come.items():
                    gone = [other for other in step.lost if other in step.needed and self._key(candidate, other) == key]
                    if not gone:
                        return candidate, step, key
                    # Two effects that happen at once may not both follow from one atom.
                    if taken.setdefault((step.instance, key, gone[0]), atom) != atom:
                        return candidate, step, key
        return None

    def _mending(self, candidate: Candidate, step: Balance, key: tuple[str, ...]) -> Iterator[CountedPart]:
        """Parts with which a step may be balanced: of what it takes away, with the objects of the set among its
        arguments, and a few more.
        """
        if sum(self._key(candidate, atom) == key for atom in step.gained) > 1:
            return
        taken = {part.predicate for part in candidate}
        for atom in step.lost:
            if atom[0] in taken or atom not in step.needed or not 0 <= len(atom) - 1 - len(key) <= MOST_COUNTED:
                continue
            for places in permutations(range(1, len(atom)), len(key)):
                if tuple([atom[place] for place in places]) == key:
                    yield CountedPart(atom[0], places)

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
            gone = [atom for atom in step.lost if atom in step.needed]
            if len(gone) == 1 == len(step.gained):
                root[root_of(gone[0])] = root_of(step.gained[0])
                if became.setdefault((step.instance, gone[0]), step.gained[0]) == step.gained[0]:
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
        for part in candidate:
            for atom in self.atoms.get(part.predicate, ()):
                sets.setdefault(tuple([atom[place] for place in part.places]), []).append(atom)
        true = Counter(self._key(candidate, atom) for atom in self.init)
        for key, members in sets.items():
            if len(members) > 1 and true[key] <= 1:
                yield frozenset(members)


NOTHING = 0
"""The value of a variable none of whose atoms is true."""


def programs(grounded: GroundActions, metric: Metric, instead_of: str) -> ProgramTask:
    """The task. Raises `GroundingError` if its programs would be too long."""
    return _Writer(grounded, metric).task(instead_of)


def steps_of(grounded: GroundActions) -> Iterator[Balance]:
    """The balances of actions that stay whole: one for each condition under which something becomes true or false.

    A turn of a cube makes (face2 b a) true where (face1 a b) is: one balance for each a and b, all of one instance.
    """
    for number, action in enumerate(grounded.actions):
        certain = frozenset.intersection(*action.condition)
        several = dict.fromkeys(way for _, ways in action.effects for way in ways)
        # What is true before an effect that makes it true stays so, whatever another effect takes away.
        stays = {f >> 1 for f, ways in action.effects if f & 1 for way in ways if f in certain | way}
        for way in several:
            holding = certain | way
            does = [fact for fact, ways in action.effects if ways is ALWAYS or any(way <= holding for way in ways)]
            true, false = ({fact >> 1 for fact in does if fact & 1 == sign} for sign in (1, 0))
            yield Balance.of(grounded.atoms, holding, sorted(true), sorted(false - stays), number)


class _Writer:
    """Writes the programs of a problem."""

    def __init__(self, grounded: GroundActions, metric: Metric) -> None:
        self.grounded, self.metric = grounded, metric
        self.sets = [list(members) for members in self._disjoint()]
        self.place = {atom: (x, n) for x, members in enumerate(self.sets) for n, atom in enumerate(members, 1)}
        self.full = self._never_nothing()
        self.out = Emitter(len(self.sets))
        self.tables: list[int] = []
        self.addresses: dict[tuple[int, ...], int] = {}

    def _disjoint(self) -> Iterator[Sequence[int]]:
        """Sets of atoms, by number, of which at most one is ever true; each atom is in one."""
        atoms = self.grounded.atoms
        unplaced = set(range(len(atoms)))
        init = self.grounded.to_dnf.puzzle.init
        for members in self.grounded.sets or exclusive_sets(atoms, steps_of(self.grounded), init):
            kept = sorted(unplaced.intersection(members))
            if len(kept) > 1:
                unplaced.difference_update(kept)
                yield kept
        yield from ([atom] for atom in sorted(unplaced))

    def _never_nothing(self) -> set[int]:
        """The variables that always have one of their atoms: at the start, and if all of them have one before an
        action, then after it.
        """
        init = self.grounded.to_dnf.puzzle.init
        if self.grounded.sets:
            return {x for x, members in enumerate(self.sets) if frozenset(members) in self.grounded.sets}
        full = {x for x, members in enumerate(self.sets) if self._value(members, init) != NOTHING}
        while failing := {x for action in self.grounded.actions for x in self._emptied(action, full)}:
            full -= failing
        return full

    def _emptied(self, action: GroundAction, full: set[int]) -> Iterator[int]:
        """The variables that a change may leave without an atom, if those of `full` have one before."""
        certain = frozenset.intersection(*action.condition)
        for fact, ways in action.effects:
            x = self.place[fact >> 1][0]
            if fact & 1 or x not in full:
                continue
            gained = [ways for other, ways in action.effects if other & 1 and self.place[other >> 1][0] == x]
            covered = {fact for several in gained for way in several if len(way) == 1 for fact in way}
            if any(all(2 * atom + 1 in covered for atom in self.sets[y]) for y in self._read(covered) & full):
                continue
            for way in ways:
                holding = certain | way | {fact | 1}
                if not any(asked <= holding for several in gained for asked in several):
                    yield x
                    break

    def _read(self, facts: Iterable[int]) -> set[int]:
        return {self.place[fact >> 1][0] for fact in facts if fact & 1}

    def task(self, instead_of: str) -> ProgramTask:
        out = self.out
        writing: tuple[str, ...] = ("goal",)
        actions = list[ProgramAction]()
        try:
            goal = len(out.code)
            with out.program() as fail:
                for clause in self.grounded.goal:
                    self._require_one(clause, fail)
            for action in self.grounded.actions:
                writing = ("action", action.name)
                actions.append(self._action(action))
        except TooLongError:
            message = "the conditional effects of all actions together are too many"
            raise self.grounded.to_dnf.puzzle.error(writing, message, "use a smaller problem") from None
        return ProgramTask(
            name="",
            variables=tuple(self._variable(x) for x in range(len(self.sets))),
            init=tuple(self._value(members, self.grounded.to_dnf.puzzle.init) for members in self.sets),
            actions=tuple(actions),
            goal=goal,
            code=out.finished(),
            tables=tuple(self.tables),
            constants={register: value for value, register in out.constants.items()},
            registers=out.registers,
            metric=self.metric.components,
            unsolvable_because=self.grounded.impossible,
            instead_of=instead_of,
            rows=any(action.acts for action in self.grounded.actions),
        )

    def _variable(self, x: int) -> ProgramVariable:
        members = self.sets[x]
        texts = [" ".join(self.grounded.atoms[atom]) for atom in members]
        if len(texts) == 1 and x not in self.full:
            return ProgramVariable(texts[0], (0, 1), ("false", "true"))
        shared = set(self.grounded.atoms[members[0]]).intersection(*[self.grounded.atoms[atom] for atom in members])
        name = " ".join([word for word in self.grounded.atoms[members[0]] if word in shared]) or texts[0]
        if x in self.full:
            return ProgramVariable(name, tuple(range(1, len(members) + 1)), tuple(texts))
        return ProgramVariable(name, tuple(range(len(members) + 1)), ("nothing", *texts))

    def _value(self, members: Sequence[int], true: Iterable[GroundAtom]) -> int:
        return next((n for n, atom in enumerate(members, 1) if self.grounded.atoms[atom] in true), NOTHING)

    # Conditions

    def _unless(self, fact: int, label: int) -> None:
        """Go on at the label unless a fact holds."""
        x, value = self.place[fact >> 1]
        self.out.emit(op.SAME if fact & 1 else op.OTHER, label, x, self.out.constant(value))

    def _require_one(self, facts: Conjunction, fail: int) -> None:
        """Go on at `fail` unless one of some facts holds."""
        if not facts:
            self.out.emit(op.TRUE, fail, self.out.constant(0))
            return
        *several, last = sorted(facts)
        with self.out.ending() as fine:
            for fact in several:
                self._unless(fact ^ 1, fine)
            self._unless(last, fail)

    def _where(self, ways: Sequence[Conjunction], end: int) -> None:
        """Write code for `if not (a and b or c and ...): goto end`; `ways` are the sets {a, b}, {c}."""
        with self.out.ending() as fine:
            for number, way in enumerate(ways):
                last = number == len(ways) - 1
                with self.out.ending() as following:
                    for fact in sorted(way):
                        self._unless(fact, end if last else following)
                    if not last:
                        self.out.emit(op.JUMP, fine)

    # Actions

    def _action(self, action: GroundAction) -> ProgramAction:
        """The program of a ground action."""
        out = self.out
        entry = len(out.code)
        effects: dict[int, list[tuple[int, Sequence[Conjunction]]]] = {}
        for fact, ways in action.effects:
            x, value = self.place[fact >> 1]
            effects.setdefault(x, []).append((value if fact & 1 else -value, ways))
        with out.program() as fail:
            if frozenset() not in action.condition:
                self._where(action.condition, fail)
            for ways in action.more_conditions:
                with out.ending() as end:
                    out.emit(op.CHECK, end)
                    self._where(ways, fail)
            move = self._move(action)
            for x, several in sorted(effects.items()):
                with out.ending() as end:
                    out.emit(op.PART, end, x, 1)
                    self._assign(x, several, action)
            out.emit(op.APPLY)
        title = " ".join((action.name, *action.objects))
        return ProgramAction(title, entry, self._cost(action), move, frozenset(effects))

    def _cost(self, action: GroundAction) -> Cost:
        return tuple(action.cost if part == "cost" else max(1, len(action.acts)) for part in self.metric.components)

    def _move(self, action: GroundAction) -> Callable[[Sequence[int]], Move]:
        """The move of an action. The values that decide about its objects are kept in registers until it is done."""
        deciding = {
            fact for _, objects in action.acts for named in objects if isinstance(named, dict) for fact in named
        }
        kept = {x: self.out.computed(op.MOVE, x) for x in sorted({self.place[fact >> 1][0] for fact in deciding})}
        places = {fact: (kept[x], value) for fact in deciding for x, value in (self.place[fact >> 1],)}
        return partial(_move, action.acts or ((action.name, action.objects),), places)

    def _assign(self, x: int, effects: Sequence[tuple[int, Sequence[Conjunction]]], action: GroundAction) -> None:
        """Write the new value of a variable: each value stands with the ways in which the variable gets it, or, with a
        minus, loses it.
        """
        out = self.out
        table = self._table(x, effects, action)
        if table is not None:
            out.emit(op.SET, x, out.computed(op.TABLE, table[0], self._address(table[1])))
            return
        holding = frozenset.intersection(*action.condition)
        certain = [value for value, ways in effects if value > 0 and any(way <= holding for way in ways)]
        if certain:
            out.emit(op.SET, x, out.constant(certain[0]))
            return
        value = out.computed(op.MOVE, x)
        for gained, ways in sorted(effects):  # what is lost first: what becomes true and false at once is true
            with out.ending() as end:
                if gained < 0:
                    out.emit(op.SAME, end, x, out.constant(-gained))
                if ways is not ALWAYS:
                    self._where(ways, end)
                out.emit(op.MOVE, value, out.constant(max(gained, NOTHING)))
        out.emit(op.SET, x, value)

    def _table(
        self, x: int, effects: Sequence[tuple[int, Sequence[Conjunction]]], action: GroundAction
    ) -> tuple[int, Mapping[int, int]] | None:
        """A variable whose value alone decides the new value of x, with the new value for each of its own; None if
        there is none.
        """
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
        entries = {}
        possible = self._possible(y, action)
        for old in range(len(self.sets[y]) + 1):
            if old in gained or old not in possible:
                entries[old] = gained.get(old, NOTHING)
            elif y == x:
                own = 2 * self.sets[x][old - 1] + 1
                taken = lost.get(old, ()) if old else ()
                if taken and taken is not ALWAYS and frozenset((own,)) not in taken:
                    return None
                entries[old] = NOTHING if taken else old
            elif old or y not in self.full:  # x keeps its value, or loses it
                return None
            else:
                entries[old] = NOTHING
        return y, entries

    def _possible(self, y: int, action: GroundAction) -> set[int]:
        """The values that a variable may have before a change."""
        possible = set(range(len(self.sets[y]) + 1))
        for ways in (action.condition, *action.more_conditions):
            values = [
                [self.place[fact >> 1][1] for fact in way if fact & 1 and self.place[fact >> 1][0] == y] for way in ways
            ]
            if all(values):
                possible &= {value for several in values for value in several}
        return possible

    def _address(self, entries: Mapping[int, int]) -> int:
        table = (0, len(entries), *[entries[key] for key in range(len(entries))])
        if table not in self.addresses:
            self.addresses[table] = len(self.tables)
            self.tables += table
        return self.addresses[table]


def _move(acts: Acts, places: Mapping[int, tuple[int, int]], registers: Sequence[int]) -> Move:
    """Actions in a row, with the objects that the state decided on. `places`: of each fact that decides the register in
    which the value of its variable is kept, and the value that it stands for.
    """

    def chosen(given: str | dict[int, str]) -> str:
        if isinstance(given, str):
            return given
        return next(name for fact, name in given.items() if registers[places[fact][0]] == places[fact][1])

    move = chained(Act(name, tuple(map(chosen, objects))) for name, objects in acts)
    assert move is not None
    return move
