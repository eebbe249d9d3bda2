"""A PDDL problem as a task whose actions are programs (`models.program`), where cases would be too many.

A turn of a cube has a conditional effect for each place and colouring: as operators, a product of all of them. As a
program each variable gets its new value by itself, most often by a table of the values of one variable.

    (forall (?a ?b) (when (face1 ?a ?b) (and (not (face1 ?a ?b)) (face2 ?b ?a))))      face2 := table[face1]

Variables are sets of atoms that exclude each other (`exclusive`), as far as they do not overlap; the value 0 says that
no atom of the set is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from ... import program as op
from ...cost import Cost, Metric
from ...moves import Move, chained
from ...program import ProgramAction, ProgramTask, ProgramVariable
from ..custom.files.notation import Act
from ..custom.programs.emitter import Emitter, TooLongError
from .changes import Acts, Change, Changes
from .exclusive import Balance, exclusive_sets
from .problem import GroundAtom
from .ways import ALWAYS, Way

NOTHING = 0
"""The value of a variable none of whose atoms is true."""


def programs(changes: Changes, metric: Metric, instead_of: str) -> ProgramTask:
    """The task. Raises `GroundingError` if its programs would be too long."""
    return _Writer(changes, metric).task(instead_of)


def steps_of(changes: Changes) -> Iterator[Balance]:
    """The balances of actions that stay whole: one for each condition under which something becomes true or false.

    A turn of a cube makes (face2 b a) true where (face1 a b) is: one balance for each a and b, all of one instance.
    """
    for number, change in enumerate(changes.found):
        certain = frozenset.intersection(*change.ways)
        several = dict.fromkeys(way for _, ways in change.effects for way in ways)
        # What is true before an effect that makes it true stays so, whatever another effect takes away.
        stays = {f >> 1 for f, ways in change.effects if f & 1 for way in ways if f in certain | way}
        for way in several:
            known = certain | way
            does = [fact for fact, ways in change.effects if ways is ALWAYS or any(one <= known for one in ways)]
            true, false = ({fact >> 1 for fact in does if fact & 1 == sign} for sign in (1, 0))
            yield Balance.of(changes.atoms, known, sorted(true), sorted(false - stays), number)


class _Writer:
    """Writes the programs of a problem."""

    def __init__(self, changes: Changes, metric: Metric) -> None:
        self.changes, self.metric = changes, metric
        self.sets = [list(members) for members in self._disjoint()]
        self.place = {atom: (x, n) for x, members in enumerate(self.sets) for n, atom in enumerate(members, 1)}
        self.full = self._never_nothing()
        self.out = Emitter(len(self.sets))
        self.tables: list[int] = []
        self.known: dict[tuple[int, ...], int] = {}

    def _disjoint(self) -> Iterator[Sequence[int]]:
        """Sets of atoms, by number, of which at most one is ever true; each atom is in one."""
        atoms = self.changes.atoms
        left = set(range(len(atoms)))
        found = self.changes.sets or exclusive_sets(atoms, steps_of(self.changes), self.changes.ways.puzzle.init)
        for members in found:
            kept = sorted(left.intersection(members))
            if len(kept) > 1:
                left.difference_update(kept)
                yield kept
        yield from ([atom] for atom in sorted(left))

    def _never_nothing(self) -> set[int]:
        """The variables that always have one of their atoms: at the start, and if all of them have one before an
        action, then after it.
        """
        init = self.changes.ways.puzzle.init
        if self.changes.sets:
            return {x for x, members in enumerate(self.sets) if frozenset(members) in self.changes.sets}
        full = {x for x, members in enumerate(self.sets) if self._value(members, init) != NOTHING}
        while failing := {x for change in self.changes.found for x in self._emptied(change, full)}:
            full -= failing
        return full

    def _emptied(self, change: Change, full: set[int]) -> Iterator[int]:
        """The variables that a change may leave without an atom, if those of `full` have one before."""
        certain = frozenset.intersection(*change.ways)
        for fact, ways in change.effects:
            x = self.place[fact >> 1][0]
            if fact & 1 or x not in full:
                continue
            gained = [ways for other, ways in change.effects if other & 1 and self.place[other >> 1][0] == x]
            covered = {fact for several in gained for way in several if len(way) == 1 for fact in way}
            if any(all(2 * atom + 1 in covered for atom in self.sets[y]) for y in self._read(covered) & full):
                continue
            for way in ways:
                known = certain | way | {fact | 1}
                if not any(one <= known for several in gained for one in several):
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
                for clause in self.changes.goal:
                    self._require_one(clause, fail)
            for change in self.changes.found:
                writing = ("action", change.action)
                actions.append(self._action(change))
        except TooLongError:
            message = "the conditional effects of all actions together are too many"
            raise self.changes.ways.puzzle.error(writing, message, "use a smaller problem") from None
        return ProgramTask(
            name="",
            variables=tuple(self._variable(x) for x in range(len(self.sets))),
            init=tuple(self._value(members, self.changes.ways.puzzle.init) for members in self.sets),
            actions=tuple(actions),
            goal=goal,
            code=out.finished(),
            tables=tuple(self.tables),
            constants={register: value for value, register in out.constants.items()},
            registers=out.registers,
            metric=self.metric.components,
            unsolvable_because=self.changes.impossible,
            instead_of=instead_of,
            rows=any(change.acts for change in self.changes.found),
        )

    def _variable(self, x: int) -> ProgramVariable:
        members = self.sets[x]
        texts = [" ".join(self.changes.atoms[atom]) for atom in members]
        if len(texts) == 1 and x not in self.full:
            return ProgramVariable(texts[0], (0, 1), ("false", "true"))
        shared = set(self.changes.atoms[members[0]]).intersection(*[self.changes.atoms[atom] for atom in members])
        name = " ".join([word for word in self.changes.atoms[members[0]] if word in shared]) or texts[0]
        if x in self.full:
            return ProgramVariable(name, tuple(range(1, len(members) + 1)), tuple(texts))
        return ProgramVariable(name, tuple(range(len(members) + 1)), ("nothing", *texts))

    def _value(self, members: Sequence[int], true: Iterable[GroundAtom]) -> int:
        return next((n for n, atom in enumerate(members, 1) if self.changes.atoms[atom] in true), NOTHING)

    # Conditions

    def _unless(self, fact: int, label: int) -> None:
        """Go on at the label unless a fact holds."""
        x, value = self.place[fact >> 1]
        self.out.emit(op.SAME if fact & 1 else op.OTHER, label, x, self.out.constant(value))

    def _require_one(self, facts: Way, fail: int) -> None:
        """Go on at `fail` unless one of some facts holds."""
        if not facts:
            self.out.emit(op.TRUE, fail, self.out.constant(0))
            return
        *several, last = sorted(facts)
        with self.out.ending() as fine:
            for fact in several:
                self._unless(fact ^ 1, fine)
            self._unless(last, fail)

    def _where(self, ways: Sequence[Way], end: int) -> None:
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

    def _action(self, change: Change) -> ProgramAction:
        """The action of a change."""
        out = self.out
        entry = len(out.code)
        effects: dict[int, list[tuple[int, Sequence[Way]]]] = {}
        for fact, ways in change.effects:
            x, value = self.place[fact >> 1]
            effects.setdefault(x, []).append((value if fact & 1 else -value, ways))
        with out.program() as fail:
            if frozenset() not in change.ways:
                self._where(change.ways, fail)
            for ways in change.also:
                with out.ending() as end:
                    out.emit(op.CHECK, end)
                    self._where(ways, fail)
            move = self._move(change)
            for x, several in sorted(effects.items()):
                with out.ending() as end:
                    out.emit(op.PART, end, x, 1)
                    self._assign(x, several, change)
            out.emit(op.APPLY)
        title = " ".join((change.action, *change.objects))
        return ProgramAction(title, entry, self._cost(change), move, frozenset(effects))

    def _cost(self, change: Change) -> Cost:
        return tuple(change.cost if part == "cost" else max(1, len(change.acts)) for part in self.metric.components)

    def _move(self, change: Change) -> Callable[[Sequence[int]], Move]:
        """The move of a change. The values that decide about its objects are kept in registers until it is done."""
        deciding = {fact for _, objects in change.acts for one in objects if isinstance(one, dict) for fact in one}
        kept = {x: self.out.computed(op.MOVE, x) for x in sorted({self.place[fact >> 1][0] for fact in deciding})}
        places = {fact: (kept[x], value) for fact in deciding for x, value in (self.place[fact >> 1],)}
        return partial(_move, change.acts or ((change.action, change.objects),), places)

    def _assign(self, x: int, effects: Sequence[tuple[int, Sequence[Way]]], change: Change) -> None:
        """Write the new value of a variable: each value stands with the ways in which the variable gets it, or, with a
        minus, loses it.
        """
        out = self.out
        table = self._table(x, effects, change)
        if table is not None:
            out.emit(op.SET, x, out.computed(op.TABLE, table[0], self._address(table[1])))
            return
        known = frozenset.intersection(*change.ways)
        certain = [value for value, ways in effects if value > 0 and any(way <= known for way in ways)]
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
        self, x: int, effects: Sequence[tuple[int, Sequence[Way]]], change: Change
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
        possible = self._possible(y, change)
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

    def _possible(self, y: int, change: Change) -> set[int]:
        """The values that a variable may have before a change."""
        found = set(range(len(self.sets[y]) + 1))
        for ways in (change.ways, *change.also):
            values = [
                [self.place[fact >> 1][1] for fact in way if fact & 1 and self.place[fact >> 1][0] == y] for way in ways
            ]
            if all(values):
                found &= {value for several in values for value in several}
        return found

    def _address(self, entries: Mapping[int, int]) -> int:
        table = (0, len(entries), *[entries[key] for key in range(len(entries))])
        if table not in self.known:
            self.known[table] = len(self.tables)
            self.tables += table
        return self.known[table]


def _move(acts: Acts, places: Mapping[int, tuple[int, int]], registers: Sequence[int]) -> Move:
    """Actions in a row, with the objects that the state decided on. `places`: of each fact that decides the register in
    which the value of its variable is kept, and the value that it stands for.
    """

    def chosen(one: str | dict[int, str]) -> str:
        if isinstance(one, str):
            return one
        return next(name for fact, name in one.items() if registers[places[fact][0]] == places[fact][1])

    move = chained(Act(name, tuple(map(chosen, objects))) for name, objects in acts)
    assert move is not None
    return move
