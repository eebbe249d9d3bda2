"""Functions of an unknown state, as a program computes them: values that are known, that follow from one variable, or
from several; and trees that tell cases apart.

A *box* is what is known of a state: for some variables the values that are possible. It holds positions: 0 for the
first value of a variable, 1 for the second. What is asked of a function is answered within a box, if all states of the
box agree; otherwise `Split` says by which variable, and into which sets of values, the box is to be divided. So only
what matters is told apart, in the order in which the program asks:

    ball[head] = red?    divide by `head`: 1, 2, 3 or 4    head = 2: divide by ball[2]: red, or not red
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ...models import program as op
from ...models.program import NONE, ProgramTask, edges_at, is_closed_loop, links_at

Places = frozenset[int]
"""Positions of values of a variable."""

Box = Mapping[int, Places]
"""For each variable of which something is known the values that are possible."""


@dataclass(frozen=True, slots=True)
class OfOneVariable:
    """A function of one variable: the result for each of its values."""

    variable: int
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """What an instruction computes of several functions. `numbers`: its operands that are no registers."""

    code: int
    parts: tuple[Function, ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Branching:
    """A tree: which set of values of a variable leads to which leaf or tree. No two branches lead to equal ones."""

    variable: int
    branches: tuple[tuple[Places, Tree], ...]
    code: int
    """Its hash, found once: that of a tree would be found from its leaves on each time."""

    def __hash__(self) -> int:
        return self.code


Tree = object
"""A `Branching`, or anything else as a leaf."""

Function = int | OfOneVariable | Joined | Branching
"""A number, or a function of the state. Of a `Branching` the leaves are functions."""

Found = TypeVar("Found")


class Split(Exception):
    """A question that the states of a box answer differently: by which variable, and which of its values, to divide."""

    def __init__(self, variable: int, classes: list[Places]) -> None:
        super().__init__(variable)
        self.variable, self.classes = variable, classes


class Functions:
    """Computes with functions of the state of a task. `count` is called for each step of the work."""

    def __init__(self, task: ProgramTask, count: Callable[[], None]) -> None:
        self.task, self.count = task, count
        self.all = [frozenset(range(len(variable.values))) for variable in task.variables]
        self.known: dict[tuple[int, tuple[Function, ...], tuple[int, ...]], Function] = {}
        self.domains = [frozenset(variable.values) for variable in task.variables]
        self.variables = [OfOneVariable(number, variable.values) for number, variable in enumerate(task.variables)]

    # Questions

    def asked(self, function: Function, box: Box, key: Callable[[int], object] = int) -> object:
        """`key` of the value of a function in all states of a box. Raises `Split` if it is not the same in all."""
        while True:
            function = self.within(function, box)
            if isinstance(function, int):
                return key(function)
            if isinstance(function, OfOneVariable):
                classes: dict[object, set[int]] = {}
                for place in box.get(function.variable, self.all[function.variable]):
                    classes.setdefault(key(function.results[place]), set()).add(place)
                if len(classes) == 1:
                    return next(iter(classes))
                raise Split(function.variable, [frozenset(places) for places in classes.values()])
            if isinstance(function, Branching):
                self.leaf(function, box)
            elif function.code == op.REACH:
                function = self._reached(function, box)
            else:
                function = Joined(function.code, self._next_known(function, box), function.numbers)

    def _next_known(self, function: Joined, box: Box) -> tuple[Function, ...]:
        """The parts of a function, the first unknown one replaced by its value in a box. Raises `Split` for two."""
        parts = list(function.parts)
        number = next(n for n, part in enumerate(parts) if not isinstance(part, int))
        value = self.asked(parts[number], box)
        assert isinstance(value, int)
        parts[number] = value
        return tuple(parts)

    def leaf(self, tree: Tree, box: Box) -> Tree:
        """The leaf of a tree at which all states of a box are. Raises `Split` if they are not at the same."""
        while isinstance(tree, Branching):
            possible = box.get(tree.variable, self.all[tree.variable])
            branches = [(places & possible, following) for places, following in tree.branches if places & possible]
            if len(branches) > 1:
                raise Split(tree.variable, [places for places, _ in branches])
            tree = branches[0][1]
        return tree

    def tree(self, answer: Callable[[Box], Tree], box: Box) -> Tree:
        """The tree of the answers in the parts of a box that `answer`, by raising `Split`, tells apart."""
        self.count()
        try:
            return answer(box)
        except Split as split:
            variable, classes = split.variable, split.classes
        return joined_branches(variable, [(places, self.tree(answer, {**box, variable: places})) for places in classes])

    # Functions of functions

    def within(self, function: Function, box: Box) -> Function:
        """A function that is the same in the states of a box, and simpler if it can be."""
        if isinstance(function, OfOneVariable):
            results = {function.results[place] for place in box.get(function.variable, ())}
            return results.pop() if len(results) == 1 else function
        if isinstance(function, Branching):
            try:
                return self.within(self.leaf(function, box), box)  # type: ignore[arg-type]
            except Split:
                return function
        if isinstance(function, Joined):
            self.count()
            parts = [self.within(part, box) for part in function.parts]
            changed = any(new is not old for new, old in zip(parts, function.parts, strict=True))
            return self.of(function.code, parts, function.numbers) if changed else function
        return function

    def of(self, code: int, parts: list[Function], numbers: tuple[int, ...] = ()) -> Function:
        """What an instruction computes of functions."""
        if code == op.VARIABLE and isinstance(parts[0], int):
            return parts[1 + parts[0]] if 0 <= parts[0] < len(parts) - 1 else NONE
        if code == op.DISTINCT:
            constants = [part for part in parts if isinstance(part, int) and part != NONE]
            if len(set(constants)) < len(constants):
                return 0
        elif code not in (op.LOOP, op.REACH, op.VARIABLE) and NONE in parts:
            return NONE
        if code in (op.EQ, op.NE) and _order(parts[1]) < _order(parts[0]):
            parts = [parts[1], parts[0]]
        variables = {part.variable for part in parts if isinstance(part, OfOneVariable)}
        if len(variables) > 1 or any(isinstance(part, Joined | Branching) for part in parts):
            return Joined(code, tuple(parts), numbers)
        if not variables:
            return self._computed(code, parts, numbers)  # type: ignore[arg-type]
        key = code, tuple(parts), numbers
        if key not in self.known:
            variable = variables.pop()
            size = len(self.all[variable])
            columns = [part.results if isinstance(part, OfOneVariable) else (part,) * size for part in parts]
            results = tuple(self._computed(code, row, numbers) for row in zip(*columns, strict=True))
            self.known[key] = same_or_image(variable, results)
        return self.known[key]

    def _computed(self, code: int, values: list[int] | tuple[int, ...], numbers: tuple[int, ...]) -> int:
        """What an instruction computes of numbers."""
        tables = self.task.tables
        if code == op.DISTINCT:
            return op.distinct(values)
        if code == op.LOOP:
            edges = edges_at(tables, numbers[0])
            return int(is_closed_loop([edge for edge, flag in zip(edges, values, strict=True) if flag == 1]))
        x = values[0]  # the two above may have none
        if code == op.TABLE:
            return op.entry(tables, numbers[0], x)
        if code == op.CELL:
            return op.cell_at(tables, numbers[0], x)
        if code == op.NOT:
            return op.negated(x)
        if code == op.SCALED:
            return NONE if NONE in values else x * numbers[0] + values[1]
        if code == op.VARIABLE:
            return values[1 + x] if 0 <= x < len(values) - 1 else NONE
        if code == op.REACH:
            flags = values[1:]
            links = ((node, other) for node, other, flag in links_at(tables, numbers[0]) if flags[flag] == 1)
            return op.reached(links, tables[numbers[0]], x)[numbers[1]]
        return op.computed(code, x, values[1])

    def _reached(self, function: Joined, box: Box) -> Function:
        """Whether a node is reached over links. Links are looked at from what is reached on, only as far as needed."""
        start, *flags = function.parts
        if not isinstance(start, int):
            start = self.asked(start, box)  # type: ignore[assignment]
            return self.of(op.REACH, [start, *flags], function.numbers)
        at, node = function.numbers
        links = list(links_at(self.task.tables, at))
        nodes = self.task.tables[at]
        surely = op.reached(((a, b) for a, b, flag in links if flags[flag] == 1), nodes, start)
        perhaps = op.reached(
            ((a, b) for a, b, f in links if flags[f] == 1 or not isinstance(flags[f], int)), nodes, start
        )
        if surely[node] == perhaps[node]:
            return surely[node]
        for source, other, flag in links:
            if surely[source] == 1 and not surely[other] and not isinstance(flags[flag], int):
                flags[flag] = int(self.asked(flags[flag], box, lambda value: value == 1))  # type: ignore[call-overload]
                break
        return self.of(op.REACH, [start, *flags], function.numbers)


def _order(function: Function) -> int:
    """Where a function stands in an equation, so that `x = y` and `y = x` are the same."""
    if isinstance(function, OfOneVariable):
        return function.variable
    return 1 << 30 if isinstance(function, int) else 1 << 29


def same_or_image(variable: int, results: tuple[int, ...]) -> Function:
    """A function of one variable; a number if all its results are the same."""
    return OfOneVariable(variable, results) if len(set(results)) > 1 else results[0]


# Trees


def joined_branches(variable: int, branches: list[tuple[Places, Tree]]) -> Tree:
    """The tree with these branches: those that lead to the same are one; a single one needs no node."""
    merged: dict[Tree, Places] = {}
    for places, following in branches:
        below = following.branches if isinstance(following, Branching) and following.variable == variable else None
        for part, leaf in ((part & places, leaf) for part, leaf in below) if below else ((places, following),):
            if part:
                merged[leaf] = merged.get(leaf, frozenset()) | part
    if len(merged) == 1:
        return next(iter(merged))
    sorted_branches = tuple(sorted(((places, tree) for tree, places in merged.items()), key=lambda b: min(b[0])))
    return Branching(variable, sorted_branches, hash((variable, sorted_branches)))


def paths(tree: Tree, box: Box) -> Iterator[tuple[dict[int, Places], Tree]]:
    """The leaves of a tree that are possible within a box, each with the part of the box where it is the answer."""
    if not isinstance(tree, Branching):
        yield dict(box), tree
        return
    for places, following in tree.branches:
        possible = places & box[tree.variable] if tree.variable in box else places
        if possible:
            yield from paths(following, {**box, tree.variable: possible})


def restricted(tree: Tree, box: Box) -> Tree:
    """A tree that has the same answers within a box."""
    if not isinstance(tree, Branching):
        return tree
    possible = box.get(tree.variable)
    branches = [
        (places if possible is None else places & possible, restricted(following, box))
        for places, following in tree.branches
        if possible is None or places & possible
    ]
    return joined_branches(tree.variable, branches)


def reads(tree: Tree) -> frozenset[int]:
    """The variables by which a tree tells cases apart."""
    if not isinstance(tree, Branching):
        return frozenset()
    return frozenset((tree.variable,)).union(*(reads(following) for _, following in tree.branches))


def mapped(tree: Tree, change: Callable[[Any], Tree]) -> Tree:
    """A tree with its leaves changed."""
    if not isinstance(tree, Branching):
        return change(tree)
    return joined_branches(tree.variable, [(places, mapped(following, change)) for places, following in tree.branches])
