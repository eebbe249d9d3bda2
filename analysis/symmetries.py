"""Symmetries of a task: permutations of its facts, and of the walker's cells, that change neither what can be done nor
what has to be reached.

A *goal-stable symmetry* maps every operator to an operator of the same cost, every goal clause to a goal clause, every
group to a group of the same count and the ways from cell to cell to themselves (Pochter, Zohar and Rosenschein,
*Exploiting problem symmetries in state-based planners*, AAAI 2011). So a state and its image are equally far from the
goal, and a search needs to expand only one of the two. The initial state does not have to be symmetric.

    #######      The room and its goal are their own mirror images, left to right. So a box on a is as far from
    #a . b#      the goal as one on b, if the player mirrors his place too. Microban 93 has four mirrorings and
    #     #      four turns, of which one turns nothing: one state in eight is enough.
    #######

They are automorphisms of a graph, found by *colour refinement* and *individualisation* (McKay, *Practical graph
isomorphism*, 1981): facts and cells that differ in what mentions them get different colours, until nothing changes;
where some still have the same colour, one of them is tried on each of the others. Colours are hashes, which could
collide, so each permutation that is found is held against the task itself.

    fact = [[2, 1, 0, 5, 4, 3]]      one symmetry of six facts: 0 and 2 change places, and so do 3 and 5

Objects of a type whose names can be exchanged in all facts (`OperatorTask.objects`) are interchangeable: twelve balls
have 12! orders, but 11 exchanges of two of them lead from each order to any other. So where there are such exchanges,
these are the symmetries, and the search applies one after the other as long as that makes the state less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import GroupKind, Operator, OperatorTask
from ..runtime.arrays import Ints, Words

# The most symmetries besides the identity: a square room has seven.
MOST_SYMMETRIES = 15

# The most refinements of colours in the search for symmetries.
MOST_REFINEMENTS = 100

# The most exchanges of two objects, pairs that are tried, and operators that are mapped for those found: some 5
# microseconds each.
MOST_EXCHANGES, MOST_TRIES, MOST_MAPPED = 200, 1_000, 200_000

# The most operators of a task whose symmetries are looked for: some 0.1 s at 3,000.
MOST_OPERATORS = 50_000

SEED = np.uint64(0x9E3779B97F4A7C15)


class Symmetries(NamedTuple):
    """`fact` (G, F): what each of G symmetries, other than the identity, maps a fact to; `cell` (G, K): a walker's
    cell. `exchanges`: each exchanges two objects, and several in a row are wanted.
    """

    fact: Ints
    cell: Ints
    exchanges: bool = False

    def __bool__(self) -> bool:
        return len(self.fact) > 0


def no_symmetries(task: OperatorTask) -> Symmetries:
    """No symmetries: the identity, which always is one, is not listed."""
    cells = len(task.walker.cells) if task.walker else 0
    return Symmetries(np.zeros((0, len(task.facts)), np.int32), np.zeros((0, cells), np.int32))


def symmetries_of(task: OperatorTask) -> Symmetries:
    """The symmetries of a task, `MOST_SYMMETRIES` at most; if the task is too large, they are not looked for."""
    return task.computed(_symmetries)


def _symmetries(task: OperatorTask) -> Symmetries:
    if not MOST_SYMMETRIES or not 0 < len(task.operators) <= MOST_OPERATORS:
        return no_symmetries(task)
    if task.objects and task.walker is None and len(swaps := list(_exchanges(task))):
        return Symmetries(np.array(swaps, np.int32), np.zeros((len(swaps), 0), np.int32), exchanges=True)
    graph, exact = _Graph(task), None
    permutations: list[NDArray[np.int64]] = []
    for image in graph.automorphisms(MOST_REFINEMENTS):
        if (image == np.arange(graph.vertices)).all():
            continue
        exact = exact or _Exact(task)
        if exact.holds(image):
            permutations.append(image)
            if len(permutations) == MOST_SYMMETRIES:
                break
    if not permutations:
        return no_symmetries(task)
    images = np.array(permutations, np.int32)
    return Symmetries(images[:, : graph.facts].copy(), images[:, graph.facts :] - np.int32(graph.facts))


def _exchanges(task: OperatorTask) -> Iterator[NDArray[np.int64]]:
    """For each class of interchangeable objects a, b, c, ...: the exchange of a and b, of b and c, ..., as permutations
    of the facts.
    """
    number = {_sorted(tuple(fact.split())): f for f, fact in enumerate(task.facts)}
    named: dict[str, list[tuple[str, ...]]] = {}
    for words in number:
        for word in {*words[1:]}:
            named.setdefault(word, []).append(words)
    exact: _Exact | None = None
    found = tries = 0
    for objects in task.objects:
        classes: list[list[str]] = []
        for name in objects:
            for members in classes:
                tries += 1
                image = _renamed(number, named, members[-1], name)
                exact = exact or _Exact(task)
                if image is not None and exact.holds(image):
                    yield image
                    found += 1
                    members.append(name)
                    break
            else:
                classes.append([name])
            if found == MOST_EXCHANGES or tries > MOST_TRIES or found * len(task.operators) > MOST_MAPPED:
                return


def _renamed(
    number: dict[tuple[str, ...], int], named: dict[str, list[tuple[str, ...]]], a: str, b: str
) -> NDArray[np.int64] | None:
    """Each fact with two names exchanged; None if there is no such fact. The first word is a predicate, or `not`."""
    image, other = np.arange(len(number)), {a: b, b: a}
    for words in (*named.get(a, ()), *named.get(b, ())):
        start = 1 + (words[0] == "not")
        fact = number.get(_sorted((*words[:start], *[other.get(word, word) for word in words[start:]])))
        if fact is None:
            return None
        image[number[words]] = fact
    return image


def _sorted(words: tuple[str, ...]) -> tuple[str, ...]:
    """A fact's words with what stands behind a `not` in order: `at 1 not third second` is `at 1 not second third`."""
    behind = words.index("not", 1) + 1 if "not" in words[1:] else len(words)
    return (*words[:behind], *sorted(words[behind:]))


def _mixed(values: Words, salt: int = 0) -> Words:
    """A hash of each value (the finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        x = values + SEED * np.uint64(salt + 1)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


class _Graph:
    """Facts and cells (numbered after the facts) as coloured vertices; operators, groups and clauses as hyperedges.

    `edge`, `vertex`, `role` (I): the incidences. `base` (E): what an edge is apart from its vertices.
    """

    def __init__(self, task: OperatorTask) -> None:
        walker = task.walker
        self.facts = len(task.facts)
        self.vertices = self.facts + (len(walker.cells) if walker else 0)
        parts: dict[int, tuple[list[int], list[int]]] = {role: ([], []) for role in range(9)}
        base: list[int] = []

        def edge(kind: object, *members: tuple[int, Sequence[int]]) -> None:
            for role, vertices in members:
                parts[role][0].extend([len(base)] * len(vertices))
                parts[role][1].extend(vertices)
            # Only a hash of what kind of edge it is: a collision makes one candidate more, which `_Exact` rejects.
            base.append(hash(kind) & 0xFFFFFFFF)

        for op in task.operators:
            walk = [self.facts + cell for cell in op.walk] if op.walk else []
            before, after = ([op.displacement[0]], [op.displacement[1]]) if op.displacement else ([], [])
            lists = (op.pre, op.delete, op.add, walk[:1], walk[1:], before, after)
            edge((0, op.cost), *enumerate(lists))
        for group in task.groups:
            edge((1, group.count, list(GroupKind).index(group.kind)), (7, group.facts))
        for clause in task.goal:
            edge((2, len(clause)), (7, clause))
        for cell, near in enumerate(walker.neighbours if walker else ()):
            assert walker is not None
            edge((3, 0), (3, [self.facts + cell]), (4, [self.facts + other for other in near]))
            edge((4, 0), (7, [walker.free[cell]]), (8, [self.facts + cell]))
        self.edge = np.concatenate([np.array(parts[role][0], np.int64) for role in parts])
        self.vertex = np.concatenate([np.array(parts[role][1], np.int64) for role in parts])
        self.role = np.concatenate([np.full(len(parts[role][0]), role, np.uint64) for role in parts])
        self.base = np.array(base, np.uint64)
        self.first = self._first_colours(task)

    def _first_colours(self, task: OperatorTask) -> Words:
        """A fact in no edge has a colour of its own. Others have one by whether some operator adds them, and whether
        some deletes them; where not both, also by their truth in the initial state: see `_Exact.holds`.
        """
        colour = np.zeros(self.vertices, np.uint64)
        added = {f for op in task.operators for f in op.add}
        deleted = {f for op in task.operators for f in op.delete}
        init, used = set(task.init), set(self.vertex.tolist())
        for f in range(self.facts):
            if f not in used:
                colour[f] = 16 + f
            elif f not in added or f not in deleted:
                colour[f] = 1 + 4 * (f in init) + 2 * (f in added) + (f in deleted)
        colour[self.facts :] = 15
        return _mixed(colour)

    def _refined(self, colour: Words, rounds: int | None = None) -> tuple[Words, int]:
        """Colour refinement, until no class is split any more or for `rounds` rounds; gives also the rounds it took."""
        classes, done = len(np.unique(colour)), 0
        salts = _mixed(self.role, 1)
        while rounds is None or done < rounds:
            edges = self.base.copy()
            with np.errstate(over="ignore"):
                # An edge's colour: the sum over its vertices, each mixed with its role, as the order in a set says
                # nothing; then the same for a vertex, over its edges.
                np.add.at(edges, self.edge, _mixed(colour[self.vertex] ^ salts))
                edges = _mixed(edges, 2)
                told = _mixed(colour, 3)
                np.add.at(told, self.vertex, _mixed(edges[self.edge] ^ salts, 4))
            colour, done = told, done + 1
            now = len(np.unique(colour))
            # Refinement only splits classes, so as many as before are the same ones.
            if rounds is None and now == classes:
                break
            classes = now
        return colour, done

    def automorphisms(self, tries: int) -> Iterator[NDArray[np.int64]]:
        """Permutations of the vertices that keep colours (the image of each vertex), found in at most `tries`
        refinements.
        """
        tries_left = [tries]
        colour, _ = self._refined(self.first)
        yield from self._extended(colour, colour, tries_left)

    def _extended(self, here: Words, there: Words, tries_left: list[int]) -> Iterator[NDArray[np.int64]]:
        """The permutations that map the colours `here` to the colours `there`."""
        order, others = np.argsort(here, kind="stable"), np.argsort(there, kind="stable")
        # An automorphism keeps colours: other colours, or other counts of them, and none maps the one to the other.
        if (here[order] != there[others]).any():
            return
        _, start, size = np.unique(here[order], return_index=True, return_counts=True)
        # All vertices are told apart: equal colours are the only map that is left.
        if size.max() == 1:
            image = np.empty(self.vertices, np.int64)
            image[order] = others
            yield image
            return
        # Individualise a vertex of the smallest class: the fewest images to try.
        which = int(np.argmin(np.where(size > 1, size, self.vertices + 1)))
        among = slice(int(start[which]), int(start[which] + size[which]))
        vertex = int(order[among][0])
        refined, rounds = self._refined(_alone(here, vertex))
        for other in others[among].tolist():
            if tries_left[0] <= 0:
                return
            tries_left[0] -= 1
            same = other == vertex and here is there
            yield from self._extended(
                refined, refined if same else self._refined(_alone(there, other), rounds)[0], tries_left
            )


def _alone(colour: Words, vertex: int) -> Words:
    """The colours after a vertex has been given a colour of its own."""
    changed = colour.copy()
    changed[vertex : vertex + 1] = _mixed(colour[vertex : vertex + 1], 5)
    return changed


class _Exact:
    """A task in a form in which a permutation can be checked exactly to be a symmetry of it."""

    def __init__(self, task: OperatorTask) -> None:
        self.task, self.facts = task, len(task.facts)
        self.operators = {
            self._mapped(op, range(len(task.facts) + len(task.walker.cells if task.walker else ())))
            for op in task.operators
        }
        self.clauses = {frozenset(clause) for clause in task.goal}
        added = {f for op in task.operators for f in op.add}
        deleted = {f for op in task.operators for f in op.delete}
        self.lasting = [f for f in range(len(task.facts)) if f not in added or f not in deleted]
        self.groups = {(group.count, group.kind, frozenset(group.facts)) for group in task.groups}

    def _mapped(self, op: Operator, image: Sequence[int]) -> tuple[object, ...]:
        sets = tuple(frozenset(image[f] for f in facts) for facts in (op.pre, op.add, op.delete))
        walk = op.walk and tuple(image[self.facts + cell] for cell in op.walk)
        return *sets, op.cost, walk, op.displacement and tuple(image[f] for f in op.displacement)

    def holds(self, image: NDArray[np.int64]) -> bool:
        """Whether a permutation of facts and cells is a goal-stable symmetry, under which images of reachable states
        have the facts that all reachable states have: the analysis rests on these.
        """
        to, task, init = image.tolist(), self.task, set(self.task.init)
        # Facts that never come or never go keep their first truth value in some states for ever: it must be that of the
        # image.
        if any((f in init) != (to[f] in init) for f in self.lasting):
            return False
        if {frozenset(to[f] for f in clause) for clause in task.goal} != self.clauses:
            return False
        mapped = {(group.count, group.kind, frozenset(to[f] for f in group.facts)) for group in task.groups}
        if mapped != self.groups:
            return False
        # The longest last, up to the first that is missing: as many images as operators are all of them.
        if not all(self._mapped(op, to) in self.operators for op in task.operators):
            return False
        walker = task.walker
        if walker is None:
            return True
        cells = [to[self.facts + cell] - self.facts for cell in range(len(walker.cells))]
        return all(
            to[walker.free[cell]] == walker.free[image_of]
            and {cells[other] for other in walker.neighbours[cell]} == set(walker.neighbours[image_of])
            for cell, image_of in enumerate(cells)
        )
