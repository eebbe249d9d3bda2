"""Which atoms of PDDL a problem text means: guesses, as Budge names variables; `derivation` proves or drops them.

    var at/in.pkg1 at.pkg1.a at.pkg1.b in.pkg1.truck      three atoms, one of which is true: the value says which
    (nothing in the text)                                 `ontable b` is true where no `on b x` is, nor `holding b`

Nothing here has to be trusted. For each action it is shown what becomes of each atom, by these guesses; after a wrong
one that fails, and the text counts as not derived.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations, product

from .core.limits import Limits
from .rules_pddl import Atom, PddlGame
from .terms import Value

MOST_TRIED = 30
"""Sets of atoms that are tried for one atom, at most."""


def which_atom(game: PddlGame, name: str, words: Sequence[str]) -> tuple[Value, ...] | None:
    """For each value of a variable the place of the atom that it stands for (-1: of none); None if it is not known.

    The name has predicates and the objects that the atoms share; the words are atoms, without the words at the
    beginning and the end in which all are alike.
    """
    head, *shared = re.sub(r"\*\d+$", "", name).split(".")
    if head not in game.puzzle.predicates and "/" not in head:
        shared.append(head)
    able = [atom for atom in game.places if head in (atom[0], *shared) or "/" in head]
    able = [atom for atom in able if {*shared} <= {*atom[1:]}]
    longest = max(map(len, able), default=0)
    for first, last in product(range(longest), repeat=2):
        said = defaultdict[str, list[int]](list, nothing=[-1])
        for atom in able:
            if first + last < len(atom):
                said[".".join(atom[first : len(atom) - last])].append(game.places[atom])
        if all(len(said.get(word, ())) == 1 for word in words):
            return tuple(said[word][0] for word in words)
    return None


class FactGroups:
    """Sets of atoms of which always exactly one is true, as far as some can be found (as in Helmert 2009).

    `told`: the places whose truth a text tells, each with the variable that does; `left`: those of other atoms that
    change.
    """

    def __init__(self, game: PddlGame, told: Mapping[int, int], limits: Limits) -> None:
        self.start, self.told, self.limits = game.start, told, limits
        # Actions that are never possible say nothing: they need two atoms of one variable (at.pkg1.a and at.pkg1.b), or
        # an atom that is false at the start and that no action makes true.
        self.steps = [s for s in game.steps if len({told.get(one, -1 - one) for one in s[0]}) == len(s[0])]
        many = -1
        while many != len(self.steps):
            many, able = len(self.steps), {one for _, gained, _ in self.steps for one in gained}
            self.steps = [s for s in self.steps if all(one in able or self.start[one] for one in s[0])]
        self.left = {one for _, gained, lost in self.steps for one in gained | lost} - told.keys()
        self.atoms = {place: atom for atom, place in game.places.items() if place in self.left or place in told}
        self.touching = defaultdict[int, list[int]](list)
        for number, (_, gained, lost) in enumerate(self.steps):
            for one in gained | lost:
                self.touching[one].append(number)

    def rest_of(self, place: int) -> frozenset[int]:
        """For an atom that the text leaves out, as `ontable b`, the places of atoms that it has, as `holding b` and all
        `on b x`, so that of all these exactly one is true; empty if none are found.

        The set grows from {ontable b}: picking b up makes one of the set false and none of it true, but it makes
        `holding b` true, so that joins, with all atoms of its predicate that have b at the same place.
        """
        own = self.atoms[place]
        for size in range(len(own) - 1, -1, -1):
            for shared in combinations(own[1:], size):
                parts = defaultdict[tuple[str, tuple[int, ...]], set[int]](set)
                for one, atom in self.atoms.items():
                    if {*shared} <= {*atom[1:]}:
                        parts[_kind(atom, shared)].add(one)
                waiting = [frozenset(parts[_kind(own, shared)])]
                tried = set[frozenset[int]]()
                while waiting and len(tried) < MOST_TRIED:
                    tried.add(group := waiting.pop())
                    wanted = self._missing(group)
                    rest = group - {place}
                    if wanted is None and self.told.keys() >= rest and sum(map(self.start.__getitem__, group)) == 1:
                        return rest
                    missing = [self.atoms[one] for one in wanted or ()]
                    able = {_kind(atom, shared) for atom in missing if {*shared} <= {*atom[1:]}}
                    waiting += [more for kind in sorted(able) if (more := group | parts[kind]) not in tried]
        return frozenset()

    def _missing(self, group: frozenset[int]) -> frozenset[int] | None:
        """Atoms one of which a set lacks, as an action changes how many of it are true; None if none does."""
        for number in sorted({number for one in group for number in self.touching[one]}):
            self.limits.tick()
            needed, gained, lost = self.steps[number]
            more, less = (gained & group) - needed, (lost - gained) & needed & group
            if len(more) != len(less) and len(needed & group) < 2:
                if len(more) > 1 or len(less) > 1:
                    return frozenset()
                return frozenset(((lost - gained) & needed if more else gained - needed) & self.atoms.keys())
        return None


def _kind(atom: Atom, shared: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """The predicate of an atom, and where it has some objects."""
    return atom[0], tuple(atom.index(one, 1) for one in shared)
