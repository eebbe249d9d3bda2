"""A PDDL problem as a planning task: operators over facts.

Ground actions become *cases*, in which it is known of every atom that an operator makes false whether it was true: an
operator requires all that it deletes.

    (:action load ...) with the effect (not (at ?p ?l)), asking for (at ?p ?l):    one case
    (:action sweep) with the effect (not (dirty ?r)), asking for nothing:          two cases, dirty or not

What excludes each other is found in sets (`Exclusive`), which are the groups of the task, and in pairs (`apart`), which
tell what has to be asked: operators that no pair lets happen are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import UsageError
from ...moves import Metric
from ...task import MAX_OPERATORS, Draft, ExactlyInvariant, GroupKind, Operator, OperatorTask, Task
from ...watching import collector_paused, progress_callback
from ..custom.puzzle import Act
from .ground_actions import FactStep, GroundAction, GroundActions, ManyActionsError, apart, ground_actions_of
from .macro_moves import macro_moves
from .problem import Pddl
from .programs import Balance, exclusive_sets, programs

MANY_ACTIONS = 5_000
"""Where more actions than this are possible, moves from rest to rest are tried instead of them."""

VERY_MANY_ACTIONS = 20_000
"""Where more actions than this are possible, those that differ only in what the state says (from where, with how much
fuel) are one program; fewer become operators, of which bounds know more.
"""

MAX_CASES = 64
"""Cases of the conditional effects of one action that are enumerated."""


def ground(puzzle: Pddl, metric: Metric) -> OperatorTask:
    """The task with operators. Raises `UsageError` if there would be too many."""
    with collector_paused():
        return _Grounding(ground_actions_of(puzzle)).task(metric)


def form_of(puzzle: Pddl, metric: Metric) -> Task:
    """The task with operators; with programs where there are many actions that make few moves from rest to rest
    (`macro_moves`), or very many of which the state decides most, or where cases would be too many. Raises `UsageError`
    for too many actions.
    """
    with collector_paused():
        try:
            grounded = ground_actions_of(puzzle, most=MANY_ACTIONS)
        except ManyActionsError as many:
            said = many.problems[0].message
            moves = macro_moves(puzzle, metric, said)
            if moves is not None:
                return moves
            single = macro_moves(puzzle, metric, said, resting=False)
            try:
                grounded = ground_actions_of(puzzle, most=VERY_MANY_ACTIONS if single else MAX_OPERATORS)
            except ManyActionsError:
                if single is None:
                    raise
                return single
        try:
            return _Grounding(grounded).task(metric)
        except ManyCasesError as error:
            return programs(grounded, metric, str(error))


def complete(puzzle: Pddl, metric: Metric) -> OperatorTask:
    """The task with every action and atom that the start reaches. Raises `UsageError` as `ground` does."""
    with collector_paused():
        return _Grounding(ground_actions_of(puzzle, complete=True)).task(metric)


class ManyCasesError(UsageError):
    """The conditional effects of an action make too many cases."""


@dataclass(frozen=True, slots=True)
class Case:
    """An action in one case: the facts that hold before it (2i + 1: atom i is true, 2i: it is not), the atoms that
    become true, and those that become false, all of which may have been so before.
    """

    action: GroundAction
    before: frozenset[int]
    true: frozenset[int]
    false: frozenset[int]

    @property
    def step(self) -> FactStep:
        """The facts that it needs, and those that it makes true (2i + 1: atom i, 2i: not)."""
        return self.before, [2 * atom + 1 for atom in self.true] + [2 * atom for atom in self.false]


def branches(
    facts: frozenset[int], undecided: Callable[[frozenset[int]], int | None], action: GroundAction, most: int, what: str
) -> Iterator[frozenset[int]]:
    """Facts in every case of what is undecided beside them: with a fact, and with its opposite, as long as one is asked
    for. Raises `ManyCasesError` for more than `most` cases.
    """
    waiting, found = [facts], 0
    while waiting:
        case = waiting.pop()
        fact = undecided(case)
        if fact is not None:
            waiting += case | {fact ^ 1}, case | {fact}
            continue
        found += 1
        if found > most:
            raise ManyCasesError(f"`{action.name}` {what}")
        yield case


def cases_of(action: GroundAction) -> Iterator[Case]:
    """An action in each way in which it is possible, and each choice of its conditional effects. Raises
    `ManyCasesError` for more than `MAX_CASES`.
    """

    def undecided(before: frozenset[int]) -> int | None:
        """A fact that decides about an effect: the first of its first way that is still possible."""
        for _, ways in action.effects:
            if not any(way <= before for way in ways):
                for way in ways:
                    if all(fact ^ 1 not in before for fact in way):
                        return min(way - before)
        return None

    what = f"falls into more than {MAX_CASES} cases of its conditional effects"
    for condition in action.conditions:
        for before in branches(condition, undecided, action, MAX_CASES, what):
            done = {fact for fact, ways in action.effects if any(way <= before for way in ways)}
            true = frozenset(fact >> 1 for fact in done if fact & 1)
            yield Case(action, before, true, frozenset(fact >> 1 for fact in done if not fact & 1) - true)


def by_fact(sets: Sequence[frozenset[int]]) -> dict[int, list[int]]:
    """The numbers of the sets that hold each fact."""
    sets_of: dict[int, list[int]] = {}
    for number, facts in enumerate(sets):
        for fact in facts:
            sets_of.setdefault(fact, []).append(number)
    return sets_of


@dataclass(frozen=True)
class CaseOperators:
    """Operators over the first numbers of facts, in lists of those that do the same, the cheapest first."""

    alike: list[list[Operator]]

    def __len__(self) -> int:
        return len(self.alike)

    def named(self) -> set[int]:
        """The facts that some operator requires or adds."""
        return {fact for several in self.alike for fact in several[0].pre + several[0].add}

    def made(self, new: Sequence[int], twins: bool = False) -> Iterator[Operator]:
        """The operators, or the others that do the same, over the facts' new numbers."""
        for first, *others in self.alike:
            sets = [tuple([new[fact] for fact in facts]) for facts in (first.pre, first.add, first.delete)]
            for op in others if twins else (first,):
                yield Operator(op.name, sets[0], sets[1], sets[2], op.move, op.cost)


class _Grounding:
    def __init__(self, grounded: GroundActions) -> None:
        self.grounded = grounded
        atoms = grounded.atoms
        self.size = 1 + max(atoms, default=-1)
        self.init = {number for number, atom in atoms.items() if atom in grounded.puzzle.init}
        self.cases = [case for action in grounded.actions for case in cases_of(action)]
        steps = [Balance.of(atoms, case.before, case.true, case.false, n) for n, case in enumerate(self.cases)]
        sets = exclusive_sets(grounded, steps)
        sets_of, pairs = by_fact(sets), dict.fromkeys(self._pairs())
        self.sets = sets + [pair for pair in pairs if not any(pair <= sets[n] for n in sets_of.get(min(pair), ()))]
        self.sets_of = by_fact(self.sets)
        changed = [case.step for case in self.cases]
        self.apart = apart(self.size, self.init, changed, progress_callback()) or self._by_sets()

    def _by_sets(self) -> list[int]:
        """Of each fact the facts never true beside it, as bits: its negation, and the other atoms of its sets."""
        bits = [1 << (fact ^ 1) for fact in range(2 * self.size)]
        for members in self.sets:
            true = sum(1 << 2 * atom + 1 for atom in members)
            for atom in members:
                bits[2 * atom + 1] |= true ^ 1 << 2 * atom + 1
        return bits

    def _pairs(self) -> Iterator[frozenset[int]]:
        """Two atoms, not both true at the start, of which each is taken away where the other is made true."""
        taken: dict[int, set[int]] = {}  # of an atom: what all that make it true need and take away
        for case in self.cases:
            lost = {fact >> 1 for fact in case.before if fact & 1} & case.false
            for atom in case.true:
                if 2 * atom + 1 not in case.before:
                    taken[atom] = taken[atom] & lost if atom in taken else lost
        for atom, others in taken.items():
            for other in others:
                if (other not in taken or atom in taken[other]) and not {atom, other} <= self.init:
                    yield frozenset((atom, other))

    def _apart_from(self, facts: Iterable[int]) -> int:
        """The facts, as bits, that are false where some facts hold."""
        bits = 0
        for fact in facts:
            bits |= self.apart[fact]
        return bits

    def task(self, metric: Metric) -> OperatorTask:
        negative = {fact >> 1 for clause in self.grounded.goal for fact in clause if not fact & 1}
        possible = []
        what = f"has more than {MAX_OPERATORS:,} operators"
        for case in self.cases:
            others = self._apart_from(case.before)
            if any(others >> fact & 1 for fact in case.before):
                continue
            # An operator adds what is false before it, and deletes what is true: of all atoms that it changes it has
            # to be known whether they were.
            changed = sorted(case.true | case.false)

            def undecided(facts: frozenset[int], changed: Iterable[int] = changed) -> int | None:
                others = self._apart_from(facts)
                return next((2 * atom + 1 for atom in changed if not others >> 2 * atom & 3), None)

            for number, facts in enumerate(branches(case.before, undecided, case.action, MAX_OPERATORS, what), 1):
                others = self._apart_from(facts)
                true, false = ({fact >> 1 for fact in facts if fact & 1 == sign} for sign in (1, 0))
                true.update(atom for atom in changed if others >> 2 * atom & 1)
                # It has to ask whether an atom is false unless that follows from what is true.
                rivals = self._apart_from(2 * atom + 1 for atom in true)
                negative.update(atom for atom in false if not rivals >> 2 * atom + 1 & 1)
                possible.append((case, number, true, false))
        every = (self._operator(*each, negative, metric) for each in possible)
        operators = [op for op in every if op.add or op.delete]
        of_type: dict[str, list[str]] = {}
        for name, kind in self.grounded.puzzle.objects.items():
            of_type.setdefault(kind, []).append(name)
        return replace(
            self._draft(operators, negative).task(metric.components), objects=tuple(map(tuple, of_type.values()))
        )

    def _operator(
        self, case: Case, number: int, true: set[int], false: set[int], negative: set[int], metric: Metric
    ) -> Operator:
        """An operator of a case, by the atoms that are true and those that are false before it; those of which
        `negative` facts say that they are false.
        """
        act = Act(case.action.name, case.action.objects)
        lost, gained = case.false & true, case.true - true
        pre, add, delete = (
            tuple(sorted([2 * atom + 1 for atom in yes] + [2 * atom for atom in no & negative]))
            for yes, no in ((true, gained | false), (gained, lost), (lost, gained))
        )
        cost = tuple(case.action.paid if component == "cost" else 1 for component in metric.components)
        return Operator(str(act) if number == 1 else f"{act} {number}", pre, add, delete, act, cost)

    def _draft(self, operators: list[Operator], negative: set[int]) -> Draft[CaseOperators]:
        init = {2 * atom + 1 for atom in self.init} | {2 * atom for atom in negative - self.init}
        groups = [*self._groups(operators, init)]
        groups += [
            ExactlyInvariant(self.name(2 * atom + 1), GroupKind.CELL, (2 * atom, 2 * atom + 1))
            for atom in sorted(negative)
        ]
        goal = [tuple(sorted(clause)) for clause in self.grounded.goal]
        if self.grounded.impossible:
            goal = [(2 * self.size,)]
        alike: dict[tuple[tuple[int, ...], ...], list[Operator]] = {}
        for op in operators:
            alike.setdefault((op.pre, op.add, op.delete), []).append(op)
        return Draft(
            name=self.name,
            groups=tuple(groups),
            operators=CaseOperators([sorted(several, key=lambda op: op.cost) for several in alike.values()]),
            init=frozenset(init),
            goal=tuple(sorted(set(goal))),
            unsolvable_because=self.grounded.impossible,
        )

    def _groups(self, operators: list[Operator], init: set[int]) -> Iterator[ExactlyInvariant]:
        """Groups of the sets of which always exactly one atom is true; those that share no atom are what moves."""
        leaking: set[int] = set()
        for op in operators:
            kept = {n for fact in op.add if fact & 1 for n in self.sets_of.get(fact >> 1, ())}
            for fact in op.delete:
                if fact & 1:
                    leaking.update(n for n in self.sets_of.get(fact >> 1, ()) if n not in kept)
        taken: set[int] = set()
        for n, members in enumerate(self.sets):
            facts = tuple(sorted(2 * atom + 1 for atom in members))
            if n not in leaking and len(init.intersection(facts)) == 1:
                apart = taken.isdisjoint(members)
                taken |= members
                yield ExactlyInvariant(self._set_name(members), GroupKind.OBJECT if apart else GroupKind.CELL, facts)

    def name(self, fact: int) -> str:
        """A fact in words: `at truck1 depot`, `not empty`."""
        if fact >> 1 not in self.grounded.atoms:
            return "never"
        words = " ".join(self.grounded.atoms[fact >> 1])
        return words if fact & 1 else f"not {words}"

    def _set_name(self, members: frozenset[int]) -> str:
        atoms = [self.grounded.atoms[number] for number in sorted(members)]
        shared = set(atoms[0][1:]).intersection(*[atom[1:] for atom in atoms])
        words = list(dict.fromkeys(atom[0] for atom in atoms))
        return " ".join(["/".join(words[:3]), *sorted(shared)])
