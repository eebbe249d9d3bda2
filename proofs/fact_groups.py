"""Facts of which actions keep the number that are true: what a problem text leaves out follows from what it says.

    var at/in.pkg1 at.pkg1.a at.pkg1.b in.pkg1.truck      three atoms, one of which is true: the value says which
    (nothing in the text)                                 `ontable b` is true where no `on b x` is, nor `holding b`
    (nothing in the text)                                 `free r1c1` is true where no piece stands so that it covers it
    var r1c1 box free  var r1c2 box free                  as many boxes as at the start

A fact is that a place has a value; of an atom, that it is true. Which sets are tried is a guess, which needs no trust;
that their number is kept (`kept`) is shown by what the actions need and change.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

from .acting import ActingGame, Fact, GroundAction, written
from .core.limits import Limits
from .reading import CELL_NAME
from .terms import Value, on_one_place

MOST_TRIED = 30
"""Sets of atoms that are tried for one atom, at most."""

Facts = frozenset[Fact]


class Step:
    """What an action needs and changes: `asked`, the values that places may have before it; facts that are then true
    (`needed`), that it makes true (`gained`) and false (`lost`); `loose`: places that it changes in other ways; `name`.
    """

    def __init__(self, rules: ActingGame, name: str, act: GroundAction) -> None:
        self.name = name
        self.asked: dict[int, frozenset[Value]] = {}
        for place, some in filter(None, map(on_one_place, act.conditions)):
            self.asked[place] = some & self.asked.get(place, some)
        single = [(place, value) for place, some in self.asked.items() if len(some) == 1 for value in some]
        self.needed = frozenset(fact for fact in single if fact[1] is not False)
        lost, loose = set[Fact](), set[int]()
        gained = [(one.place, one.value.value) for one in act.changes if one.plain and one.value.value is not False]
        for change in act.changes:
            if not isinstance(change.place, int):
                loose.update(range(len(rules.start)))
            elif not change.plain:
                loose.add(change.place)
            elif change.value.value is False:
                lost.add((change.place, True))
            elif change.value.value is not True:
                before = [value for place, value in single if place == change.place]
                lost.update((change.place, value) for value in before if value != change.value.value)
                loose.update(() if before else (change.place,))
        self.gained: Facts = frozenset(gained)  # type: ignore[arg-type]
        self.lost, self.loose = frozenset(lost), frozenset(loose)


class FactGroups:
    """The steps of a game, and sets of facts whose number they keep. `told`: the facts that a text tells, each with the
    place of the variable that does: an action that needs two of one variable is never possible.
    """

    def __init__(self, rules: ActingGame, told: Mapping[Fact, tuple[int, Any]], limits: Limits) -> None:
        self.rules, self.told, self.limits, self.start = rules, told, limits, rules.start
        steps = [Step(rules, name, act) for name, act in rules.acts.items()]
        self.steps = [step for step in steps if not self._two_of_one(step)]
        many = -1
        while many != len(self.steps):  # what needs a fact that is then never true is not possible either
            many, able = len(self.steps), {fact for step in self.steps for fact in step.gained}
            loose = {place for step in self.steps for place in step.loose}
            self.steps = [
                step
                for step in self.steps
                if all(fact in able or fact[0] in loose or self.holds(fact) for fact in step.needed)
            ]
        self.touching = defaultdict[Fact, list[Step]](list)
        for step in self.steps:
            limits.tick(len(step.gained) + len(step.lost))
            for fact in step.gained | step.lost:
                self.touching[fact].append(step)
            for place in step.loose:
                for value in rules.domains[place]:
                    self.touching[place, value].append(step)
        self.single = defaultdict[Fact, list[Facts]](list)  # sets of which one fact is true, by their facts
        self.sizes = Counter(atom[0] for atom in rules.atoms.values())
        self.words = {fact: self.words_of(fact) for fact in told}

    def _two_of_one(self, step: Step) -> bool:
        variables = [self.told[fact][0] for fact in step.needed if fact in self.told]
        return len(set(variables)) < len(variables)

    def words_of(self, fact: Fact) -> tuple[str, ...]:
        """A fact as words: `free r1c1`, `at H r1c1`."""
        words = self.rules.atoms.get(fact[0], ("",))
        return words if fact[1] is True else (*words, written(fact[1]))

    def changing(self) -> set[int]:
        """The places that some action changes."""
        return {place for place, _ in self.touching}

    def sort(self, fact: Fact) -> tuple[str, ...]:
        """What a fact says, of whatever cell: of piece[r1c1, A], `piece A`."""
        return tuple([word for word in self.rules.atoms.get(fact[0], ()) if not CELL_NAME.fullmatch(word)])

    def holds(self, fact: Fact) -> bool:
        """Whether a fact is true at the start."""
        return bool(self.start[fact[0]] == fact[1])

    def kept(self, group: Facts) -> bool:
        """Whether each action leaves as many facts of a set true as there were: as many become true as become false.

        What becomes true was surely false before, and what becomes false was true: as the action needs it, or since
        one fact of a set is true, and the action needs another one. The set is then noted, if it is one of those.
        """
        many = sum(map(self.holds, group))
        for step in {id(step): step for fact in group for step in self.touching[fact]}.values():
            self.limits.tick()
            needed = step.needed & group
            if len(needed) > many:
                continue  # it is possible in no state
            gained, lost = step.gained & group, (step.lost - step.gained) & group
            fresh = gained - needed
            others = fresh | (lost - needed)
            sure = (many == 1 and len(needed) == 1) or all(self._false(fact, step) for fact in others)
            if not sure or len(fresh) != len(lost & needed) or any(p in step.loose for p, _ in group):
                return False
        for fact in group if many == 1 else ():
            self.single[fact].append(group)
        return True

    def _false(self, fact: Fact, step: Step) -> bool:
        """Whether a fact is surely false before a step."""
        if fact[0] in step.asked and fact[1] not in step.asked[fact[0]]:
            return True
        return any(not step.needed.isdisjoint(group - {fact}) for group in self.single.get(fact, ()))

    def rest_of(self, fact: Fact) -> Facts:
        """For a fact that a text leaves out, as `ontable b`, others, as `holding b` and all `on b x`, of which with it
        always one is true, as far as is known; empty if none are found.
        """
        found = self._one_by_one(fact)
        return found if found and (self.rules.redundant or found <= self.told.keys()) else self._by_name(fact)

    def _one_by_one(self, fact: Fact) -> Facts:
        """The set grows from {free r1c1}: an action that makes that true makes `A at r1c1` false, so this joins; and so
        on, until every action makes as many facts of the set true as false.
        """
        own = self.sort(fact)
        group = {fact}
        waiting = list(self.touching[fact])
        while waiting:
            step = waiting.pop()
            self.limits.tick()
            needed, gained, lost = step.needed & group, step.gained & group, (step.lost - step.gained) & step.needed
            more, less = gained - needed, lost & group
            if len(more) == len(less):
                continue
            other = lost - group if more else step.gained - step.needed - group
            sizes = {one: self.sizes[self.rules.atoms.get(one[0], ("",))[0]] for one in other if self.sort(one) != own}
            able = [one for one, size in sizes.items() if size == max(sizes.values())]  # the others are seldom meant
            if len(able) != 1:
                return frozenset()
            group.add(able[0])
            waiting += [step, *self.touching[able[0]]]
        return frozenset(group - {fact}) if sum(map(self.holds, group)) == 1 else frozenset()

    def _by_name(self, fact: Fact) -> Facts:
        """The set grows from {ontable b}: picking b up makes one of the set false and none of it true, but it makes
        `holding b` true, so that joins, with all atoms of its predicate that have b at the same place.
        """
        own = self.words_of(fact)
        able = {**self.words, fact: own}
        for size in range(len(own) - 1, -1, -1):
            for shared in combinations(own[1:], size):
                parts = defaultdict[tuple[str, tuple[int, ...]], set[Fact]](set)
                for one, atom in able.items():
                    if {*shared} <= {*atom[1:]}:
                        parts[_kind(atom, shared)].add(one)
                waiting = [frozenset(parts[_kind(own, shared)])]
                tried = set[Facts]()
                while waiting and len(tried) < MOST_TRIED:
                    tried.add(group := waiting.pop())
                    wanted = self._missing(group)
                    rest = group - {fact}
                    if wanted is None and self.told.keys() >= rest and sum(map(self.holds, group)) == 1:
                        return rest
                    missing = [able[one] for one in wanted or () if one in able]
                    kinds = {_kind(atom, shared) for atom in missing if {*shared} <= {*atom[1:]}}
                    waiting += [more for kind in sorted(kinds) if (more := group | parts[kind]) not in tried]
        return frozenset()

    def _missing(self, group: Facts) -> Facts | None:
        """Facts one of which a set lacks, as an action changes how many of it are true; None if none does."""
        for step in {id(step): step for one in sorted(group) for step in self.touching[one]}.values():
            self.limits.tick()
            more, less = (step.gained & group) - step.needed, (step.lost - step.gained) & step.needed & group
            if len(more) != len(less) and len(step.needed & group) < 2:
                if len(more) > 1 or len(less) > 1:
                    return frozenset()
                return ((step.lost - step.gained) & step.needed) if more else step.gained - step.needed
        return None


def which_atom(rules: ActingGame, name: str, words: Sequence[str]) -> tuple[Value, ...] | None:
    """For each value of a variable the place of the atom that it stands for (-1: of none); None if it is not known.

    The name has predicates and the objects that the atoms share; the words are atoms, without the words at the
    beginning and the end in which all are alike.
    """
    head, *shared = re.sub(r"\*\d+$", "", name).split(".")
    if "/" not in head and all(head != atom[0] for atom in rules.atoms.values()):
        shared.append(head)
    met = {place: atom for place, atom in rules.atoms.items() if True in rules.reached[place]}
    able = {place: atom for place, atom in met.items() if head in (atom[0], *shared) or "/" in head}
    able = {place: atom for place, atom in able.items() if {*shared} <= {*atom[1:]}}
    longest = max(map(len, able.values()), default=0)
    for first, last in product(range(longest), repeat=2):
        said = defaultdict[str, list[int]](list, nothing=[-1])
        for place, atom in able.items():
            if first + last < len(atom):
                said[".".join(atom[first : len(atom) - last])].append(place)
        if all(len(said.get(word, ())) == 1 for word in words):
            return tuple(said[word][0] for word in words)
    return None


def which_values(
    words: Sequence[str], domain: Sequence[Value], start: Value, first: int, called: Mapping[str, Value]
) -> tuple[Value, ...] | None:
    """The values of a place that words stand for: `r2c3`; `c3` where all are in one row; or what is left."""
    known = {word: value for word, value in called.items() if value in domain}
    for value in domain:
        known[written(value)] = value
        if isinstance(value, tuple) and isinstance(start, tuple):
            row, column = CELL_NAME.fullmatch(written(value)).groups()  # type: ignore[union-attr]
            if value[0] == start[0]:
                known[f"c{column}"] = value
            if value[1] == start[1]:
                known[f"r{row}"] = value
    if len(words) == len(domain) == 2 and not known.keys() >= set(words):
        # `yes` and `no`, or `box` and `free`: the start says which is which.
        known |= {words[first]: start, words[1 - first]: next(value for value in domain if value != start)}
    unknown = [word for word in words if word not in known]
    left = [value for value in domain if value not in {known.get(word) for word in words}]
    if len(unknown) == len(left) == 1:
        known[unknown[0]] = left[0]
    some = tuple([known[word] for word in words if word in known])
    return some if len(some) == len(words) and len(set(some)) == len(words) and some[first] == start else None


def _kind(atom: tuple[str, ...], shared: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """The predicate of an atom, and where it has some objects."""
    return atom[0], tuple(atom.index(one, 1) for one in shared)
