"""Programs run on a state of which nothing, or only a box, is known: what they demand, and what variables become.

What a program does step after step is kept apart: each block that only decides whether it fails (`CHECK`) is a demand
of its own, and so is each block that only serves one assignment (`PART`). The blocks are looked at one by one, so
that a shift of nine tiles is nine functions of one tile each, and not one of nine.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from ...models import program as op
from ...models.program import JUMPS, NONE, ProgramTask
from .functions import Box, Branching, Function, Functions, Joined, OfOneVariable, Places, Tree, same_or_image

_KINDS = {op.SAME: op.EQ, op.OTHER: op.NE, op.LESS: op.LT, op.MOST: op.LE}

Assigned = tuple[int, int, Function, Function]
"""Variable `first + index` becomes the value, if the index is one of 0 to count - 1: (first, count, index, value)."""

FAILS = None
"""The leaf where a program fails."""


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
