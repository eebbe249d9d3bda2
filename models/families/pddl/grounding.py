"""A PDDL problem as a planning task: operators over facts.

Ground actions become *cases*, in which it is known of every atom that an operator makes false whether it was true: an
operator requires all that it deletes.

    (:action load ...) with the effect (not (at ?p ?l)), asking for (at ?p ?l):    one case
    (:action sweep) with the effect (not (dirty ?r)), asking for nothing:          two cases, dirty or not

What excludes each other is found in sets (`exclusive`), which are the groups of the task, and in pairs (`pairs`), which
tell what has to be asked: operators that no pair lets happen are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import UsageError
from ...moves import Metric
from ...task import MAX_OPERATORS, Draft, ExactlyInvariant, GroupKind, Operator, OperatorTask, Task
from ...watching import collector_paused, progress_callback
from ..custom.puzzle import Act
from .ground_actions import ALWAYS, Conjunction, GroundAction, GroundActions, ground_actions_of
from .macro_moves import macro_moves
from .problem import Pddl
from .programs import Balance, exclusive_sets, programs
from .reaching import FactStep, ManyActionsError, apart

MANY_ACTIONS = 10_000
"""Where more actions than this are possible, moves from rest to rest are tried instead of them."""

MAX_CASES = 64
"""Cases of the conditional effects of one action that are enumerated."""


def ground(puzzle: Pddl, metric: Metric) -> OperatorTask:
    """The task with operators. Raises `UsageError` if there would be too many."""
    with collector_paused():
        return _Grounding(ground_actions_of(puzzle)).task(metric)


def form_of(puzzle: Pddl, metric: Metric) -> Task:
    """The task with operators; with programs where there are many actions that make few moves from rest to rest
    (`macro_moves`), or where cases would be too many. Raises `UsageError` for too many actions.
    """
    with collector_paused():
        try:
            grounded = ground_actions_of(puzzle, most=MANY_ACTIONS)
        except ManyActionsError as many:
            moves = macro_moves(puzzle, metric, many.problems[0].message)
            if moves is not None:
                return moves
            grounded = ground_actions_of(puzzle)
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


def cases_of(action: GroundAction) -> Iterator[Case]:
    """An action in each way in which it is possible, and each choice of its conditional effects. Raises `UsageError`
    for more than `MAX_CASES`.
    """
    for way in action.conditions:
        undecided: dict[tuple[Conjunction, ...], None] = {}
        for _, conditions in action.effects:
            if conditions is not ALWAYS and not any(asked <= way for asked in conditions):
                undecided[tuple(conditions)] = None
        cases: list[tuple[frozenset[int], dict[tuple[Conjunction, ...], bool]]] = [(way, {})]
        for several in undecided:
            cases = [
                (wider, {**chosen, several: yes})
                for before, chosen in cases
                for yes in (True, False)
                for wider in decided(before, several, yes)
            ]
            if len(cases) > MAX_CASES:
                raise ManyCasesError(
                    f"`{action.name}` falls into more than {MAX_CASES} cases of its conditional effects"
                )
        for before, chosen in cases:
            done = {
                f for f, c in action.effects if c is ALWAYS or chosen.get(tuple(c), any(asked <= way for asked in c))
            }
            true = frozenset(fact >> 1 for fact in done if fact & 1)
            yield Case(action, before, true, frozenset(fact >> 1 for fact in done if not fact & 1) - true)


def decided(before: frozenset[int], conditions: tuple[Conjunction, ...], yes: bool) -> list[frozenset[int]]:
    """The cases, apart from each other, in which one of some ways holds, or none does."""
    if not conditions:
        return [] if yes else [before]
    first, *others = conditions
    cases = []
    if all(fact ^ 1 not in before for fact in first) and yes:
        cases.append(before | first)
    # Where the first way does not hold: by its first fact that is false.
    so_far = before
    for fact in sorted(first - before):
        if fact ^ 1 not in so_far:
            cases += decided(so_far | {fact ^ 1}, tuple(others), yes)
        if fact ^ 1 in so_far:
            cases += decided(so_far, tuple(others), yes)
            break
        so_far = so_far | {fact}
    return cases


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
        sets = exclusive_sets(atoms, steps, grounded.puzzle.init)
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
        possible = []
        negative = {fact >> 1 for clause in self.grounded.goal for fact in clause if not fact & 1}
        for case in self.cases:
            others = self._apart_from(case.before)
            if any(others >> fact & 1 for fact in case.before):
                continue
            # An operator adds what is false before it, and deletes what is true: of all atoms that it changes it has
            # to be known whether they were.
            changed = case.true | case.false
            facts = case.before | {2 * atom + 1 for atom in changed if others >> 2 * atom & 1}
            unsure = {a for a in changed if not (others >> 2 * a + 1 & 1 or {2 * a, 2 * a + 1} & facts)}
            rivals = self._apart_from(fact for fact in facts if fact & 1)
            asked = {fact >> 1 for fact in facts if not fact & 1 and not rivals >> (fact ^ 1) & 1}
            possible.append((case, facts, unsure, asked))
            negative |= asked | unsure
        operators = [op for entry in possible for op in self._operators(*entry, negative, metric)]
        of_type: dict[str, list[str]] = {}
        for name, kind in self.grounded.puzzle.objects.items():
            of_type.setdefault(kind, []).append(name)
        return replace(
            self._draft(operators, negative).task(metric.components), objects=tuple(map(tuple, of_type.values()))
        )

    def _operators(
        self, case: Case, facts: frozenset[int], unsure: set[int], asked: set[int], negative: set[int], metric: Metric
    ) -> Iterator[Operator]:
        """The operators of a case: one for each choice of which of the `unsure` atoms, that it changes, were true.
        `facts`: what is known to hold before; `asked`: the atoms of which the operator has to ask whether they are
        false.
        """
        action = case.action
        choices = [(facts, self._apart_from(facts))]
        for atom in sorted(unsure):
            choices = [
                (facts | {fact}, others | self.apart[fact])
                for facts, others in choices
                for fact in (2 * atom + 1, 2 * atom)
                if not others >> fact & 1
            ]
            if len(choices) > MAX_OPERATORS:
                raise ManyCasesError(f"`{action.name}` has more than {MAX_OPERATORS:,} operators")
        cost = tuple(action.cost if component == "cost" else 1 for component in metric.components)
        act = Act(action.name, action.objects)
        for number, (facts, _) in enumerate(choices, 1):
            true, false = ({fact >> 1 for fact in facts if fact & 1 == sign} for sign in (1, 0))
            lost, gained = case.false & true, case.true - true
            pre = {2 * atom + 1 for atom in true} | {2 * atom for atom in asked | (gained | false) & negative}
            add = {2 * atom + 1 for atom in gained} | {2 * atom for atom in lost & negative}
            delete = {2 * atom + 1 for atom in lost} | {2 * atom for atom in gained & negative}
            if add or delete:
                sides = [tuple(sorted(several)) for several in (pre, add, delete)]
                name = str(act) if number == 1 else f"{act} {number}"
                yield Operator(name, sides[0], sides[1], sides[2], act, cost)

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
