"""Programs run on a state of which nothing, or only a box, is known: what they demand, and what variables become.

What a program does step after step is kept apart: each block that only decides whether it fails (`CHECK`) is a demand
of its own, and so is each block that only serves one assignment (`PART`). The blocks are looked at one by one, so
that a shift of nine tiles is nine functions of one tile each, and not one of nine.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

from ..models import program as op
from ..models.program import JUMPS, NONE, ProgramTask, edges_at, is_closed_loop, links_at

# Functions of an unknown state, as a program computes them: values that are known, that follow from one variable, or
# from several; and trees that tell cases apart.
#
# A *box* is what is known of a state: for some variables the values that are possible. It holds positions: 0 for the
# first value of a variable, 1 for the second. What is asked of a function is answered within a box, if all states of
# the box agree; otherwise `Split` says by which variable, and into which sets of values, the box is to be divided. So
# only what matters is told apart, in the order in which the program asks:
#
#     ball[head] = red?    divide by `head`: 1, 2, 3 or 4    head = 2: divide by ball[2]: red, or not red

# Positions of values of a variable.
Places = frozenset[int]

# For each variable of which something is known the values that are possible.
Box = Mapping[int, Places]


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


# A `Branching`, or anything else as a leaf.
Tree = object

# A number, or a function of the state. Of a `Branching` the leaves are functions.
Function = int | OfOneVariable | Joined | Branching

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
                function = self.of(function.code, self._next_known(function, box), function.numbers)

    def _next_known(self, function: Joined, box: Box) -> list[Function]:
        """The parts of a function, the first unknown one replaced by its value in a box. Raises `Split` for two."""
        parts = list(function.parts)
        number = next(n for n, part in enumerate(parts) if not isinstance(part, int))
        value = self.asked(parts[number], box)
        assert isinstance(value, int)
        parts[number] = value
        return parts

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
        if code == op.VARIABLE:
            return values[1 + x] if 0 <= x < len(values) - 1 else NONE
        if code == op.REACH:
            flags = values[1:]
            links = ((node, other) for node, other, flag in links_at(tables, numbers[0]) if flags[flag] == 1)
            return op.reached(links, tables[numbers[0]], x)[numbers[1]]
        return op.computed(code, x, values[1], *numbers)

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


_KINDS = {op.SAME: op.EQ, op.OTHER: op.NE, op.LESS: op.LT, op.MOST: op.LE}

# Variable `first + index` becomes the value, if the index is one of 0 to count - 1: (first, count, index, value).
Assigned = tuple[int, int, Function, Function]

# The leaf where a program fails.
FAILS = None


@dataclass(slots=True)
class UnknownRun:
    """What comes of a program in a box. `demands`: trees of true and false; `later`: those asked after the assignments;
    `become`: what variables become that may change; `rules`: what `later` would be if nothing changed; `fails`: in all
    states.
    """

    demands: list[Tree] = field(default_factory=list)
    later: list[Tree] = field(default_factory=list)
    become: dict[int, Function] = field(default_factory=dict)
    rules: list[Tree] = field(default_factory=list)
    fails: bool = False


class UnknownWay:
    """One way through a program, or through a block of it, in a box."""

    def __init__(self, functions: Functions, box: Box, registers: dict[int, Function], *, block: bool) -> None:
        self.functions, self.box, self.block = functions, box, block
        self.task: ProgramTask = functions.task
        self.registers = registers
        self.assigned: list[Assigned] = []
        self.pairs: list[Function] = []
        """Conditions of a block that are demands by themselves: values that differ, pair by pair."""
        self.parts: list[tuple[frozenset[int], Tree]] = []
        self.run = UnknownRun()
        self.asked = self.run.demands
        self.called: set[int] = set()

    def follow(self, at: int, end: int | None = None) -> bool:
        """Run from an instruction to the end of the program, or up to another; whether it got there."""
        back: list[int] = []
        code = self.task.code
        while at != end:
            self.functions.count()
            kind, d, a, b, c = code[at]
            at += 1
            if kind <= op.LOOP:
                self._compute(kind, d, a, b, c)
            elif kind in (op.CHECK, op.PART) and not self.block:
                self._look_into(kind, at, d, range(a, a + b))
                at = d
            elif kind == op.CALL:
                if d not in self.called:
                    self.called.add(d)
                    back.append(at)
                    at = d
            elif kind == op.RETURN:
                at = back.pop()
            elif kind == op.JUMP:
                at = d
            elif kind in JUMPS and kind not in (op.CHECK, op.PART):
                goes_on = self._goes_on(kind, d, a, b)
                at = at if goes_on else d
            elif kind in (op.SET, op.PUT):
                index, count = (self.register(b), c) if kind == op.PUT else (0, 1)
                if not self._assign((d, count, index, self.register(a))):
                    return False
            elif kind == op.APPLY:
                self._apply(at, twice=bool(d))
            elif kind == op.DONE:
                return True
            elif kind == op.FAIL:
                return False
        return True

    # Values

    def register(self, number: int) -> Function:
        """What a register holds."""
        value = self.registers.get(number)
        if value is not None:
            return value
        if number < len(self.task.variables):
            return self.functions.variables[number]
        return self.task.constants.get(number, NONE)

    def _compute(self, kind: int, d: int, a: int, b: int, c: int) -> None:
        """An instruction whose result is a register, or several."""
        of, register = self.functions.of, self.register
        if kind == op.MOVE:
            self.registers[d] = register(a)
        elif kind in (op.TABLE, op.CELL):
            self.registers[d] = of(kind, [register(a)], (b,))
        elif kind == op.VARIABLE:
            self.registers[d] = of(kind, [register(a), *map(register, range(b, b + c))])
        elif kind == op.NOT:
            self.registers[d] = of(kind, [register(a)])
        elif kind == op.SCALED:
            self.registers[d] = of(kind, [register(a), register(b)], (c,))
        elif kind == op.DISTINCT:
            self.registers[d] = of(kind, list(map(register, range(a, a + b))))
        elif kind == op.LOOP:
            self.registers[d] = of(kind, list(map(register, range(a, a + self.task.tables[b + 1]))), (b,))
        elif kind == op.REACH:
            flags = 1 + max((flag for _, _, flag in op.links_at(self.task.tables, b)), default=-1)
            parts = [register(a), *map(register, range(c, c + flags))]
            self.registers |= {d + node: of(kind, parts, (b, node)) for node in range(self.task.tables[b])}
        else:
            self.registers[d] = of(kind, [register(a), register(b)])

    # Conditions

    def _goes_on(self, kind: int, d: int, a: int, b: int) -> bool:
        """Whether the next instruction follows a conditional jump. It always does outside blocks if the jump leads to a
        failure: then the condition is a demand of the action.
        """
        fails = self.task.code[d][0] == op.FAIL
        condition = self.register(a)
        if kind == op.TRUE and fails and isinstance(condition, Joined) and condition.code == op.DISTINCT:
            # That several values differ is asked pair by pair.
            several = list(condition.parts)
            asked = [self.functions.of(op.NE, [x, y]) for x, y in combinations(several, 2)]
            if self.block:
                self.pairs += asked
            else:
                self.asked += [self._true(pair) for pair in asked]
            return True
        if fails and not self.block:
            self.asked.append(self.functions.tree(partial(self._met, kind, a, b), self.box))
            return True
        return self._met(kind, a, b, self.box)

    def _met(self, kind: int, a: int, b: int, box: Box) -> bool:
        """Whether the next instruction follows a conditional jump, in a box; raises `Split` where that differs."""
        x = self.register(a)
        if kind in (op.TRUE, op.FALSE):
            return bool(self.functions.asked(x, box, lambda value: value == int(kind == op.TRUE)))
        if kind == op.VALUE:
            return bool(self.functions.asked(x, box, lambda value: value != NONE))
        return self._is(self.functions.of(_KINDS[kind], [x, self.register(b)]), box)

    def _is(self, condition: Function, box: Box) -> bool:
        return bool(self.functions.asked(condition, box, lambda value: value == 1))

    def _true(self, condition: Function) -> Tree:
        """Where a condition is true."""
        return self.functions.tree(partial(self._is, condition), self.box)

    # Blocks

    def _look_into(self, kind: int, at: int, end: int, variables: range) -> None:
        """Run a block by itself, in each part of the box that it tells apart."""

        def outcome(box: Box) -> Tree:
            way = UnknownWay(self.functions, box, dict(self.registers), block=True)
            way.called = set(self.called)
            if not way.follow(at, end):
                return FAILS
            return tuple(way.pairs) if kind == op.CHECK else tuple(way.assigned)

        tree = self.functions.tree(outcome, self.box)
        if kind == op.PART:
            self.parts.append((frozenset(variables), tree))
        elif isinstance(tree, tuple):
            self.asked += [self._true(pair) for pair in tree]
            return
        self.asked.append(self.functions.tree(partial(self._passes, kind, tree), self.box))

    def _passes(self, kind: int, tree: Tree, box: Box) -> bool:
        """Whether a block does not fail."""
        leaf = self.functions.leaf(tree, box)
        return isinstance(leaf, tuple) and (kind == op.PART or all(self._is(pair, box) for pair in leaf))

    # Assignments

    def _assign(self, assigned: Assigned) -> bool:
        """Note an assignment; whether the index and the value are allowed."""
        first, count, index, value = assigned
        asked = self.functions.asked
        domains = self.functions.domains[first : first + count]
        if any(domain != domains[0] for domain in domains):
            index = int(asked(index, self.box))  # type: ignore[call-overload]
        if not asked(index, self.box, lambda number: 0 <= number < count):
            return False
        domain = domains[index if isinstance(index, int) else 0]
        if not asked(value, self.box, lambda number: number in domain):
            return False
        self.assigned.append((first, count, index, value))
        return True

    def _apply(self, at: int, *, twice: bool) -> None:
        """Make all assignments at once, and find what the program would ask after them had they changed nothing."""
        if self.assigned:
            written = frozenset(first + n for first, count, _, _ in self.assigned for n in range(count))
            self.parts.append((written, tuple(self.assigned)))
        before = UnknownWay(self.functions, self.box, {}, block=False)
        self.run.rules = before.run.demands if before.follow(at) else []
        for variable in sorted(frozenset[int]().union(*(written for written, _ in self.parts))):
            trees = [tree for written, tree in self.parts if variable in written]
            if twice:
                self.asked.append(self.functions.tree(partial(self._agree, variable, trees), self.box))
            tree = self.functions.tree(partial(self._last, variable, trees), self.box)
            self.run.become[variable] = as_function(tree, self.functions.all)
        self.registers = dict(self.run.become)
        self.called = set()
        self.asked = self.run.later

    def _values(self, variable: int, trees: Sequence[Tree], box: Box) -> list[Function]:
        """All that a variable is assigned in a box."""
        values = []
        for tree in trees:
            for first, count, index, value in self.functions.leaf(tree, box) or ():  # type: ignore[attr-defined]
                if first <= variable < first + count and self.functions.asked(
                    index, box, partial(operator.eq, variable - first)
                ):
                    values.append(value)
        return values

    def _agree(self, variable: int, trees: Sequence[Tree], box: Box) -> bool:
        """Whether all that a variable is assigned is the same."""
        values = self._values(variable, trees, box)
        return all(self._is(self.functions.of(op.EQ, [values[0], value]), box) for value in values[1:])

    def _last(self, variable: int, trees: Sequence[Tree], box: Box) -> Function:
        """What a variable becomes: what it is assigned last, or what it is."""
        return (self._values(variable, trees, box) or [self.functions.variables[variable]])[-1]


def as_function(tree: Tree, all_places: Sequence[Places]) -> Function:
    """A tree whose leaves are functions; a function of one variable, if it is one. Of values outside the tree's box it
    may say anything. `all_places`: of each variable.
    """
    if not isinstance(tree, Branching):
        return tree  # type: ignore[return-value]
    results: dict[int, int] = {}
    for places, leaf in tree.branches:
        if isinstance(leaf, OfOneVariable) and leaf.variable == tree.variable:
            results |= {place: leaf.results[place] for place in places}
        elif isinstance(leaf, int):
            results |= dict.fromkeys(places, leaf)
        else:
            return tree
    some = next(iter(results.values()))
    return same_or_image(tree.variable, tuple(results.get(place, some) for place in sorted(all_places[tree.variable])))


def run_of(functions: Functions, entry: int) -> Tree:
    """The runs of a program as a tree: a leaf (`RunLeaf`) for each case that it tells apart outside its blocks."""

    def outcome(box: Box) -> RunLeaf:
        way = UnknownWay(functions, box, {}, block=False)
        way.run.fails = not way.follow(entry)
        return RunLeaf(way.run)

    return functions.tree(outcome, {})


@dataclass(frozen=True, slots=True, eq=False)
class RunLeaf:
    """A run of a program as the leaf of a tree; two runs stay two leaves, even where they say the same."""

    run: UnknownRun
