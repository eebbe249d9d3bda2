"""A graph of values: what programs compute, as functions of a state of which nothing, or only a box, is known.

`symbolic_machine` runs a program on this graph once. A node is a number, a function of one variable (the result for
each of its values), or what an operation makes of other nodes; conditions are nodes that are 1 or 0. Equal nodes are
one object, and what depends on one variable only is computed at once, so it is a function of one variable again.

    r := ball[head]; if r = red: x := 1     x becomes  choice(is(element(head, ball[1], ...), red), 1, x)

A *box* is what is known of a state: for some variables the values that are possible. It holds positions: 0 for the
first value of a variable, 1 for the second. What is asked of a node is answered within a box, if all states of the box
agree; otherwise `Split` says by which variable, and into which sets of values, the box is to be divided. So only what
matters is told apart, in the order in which the program asks:

    ball[head] = red?    divide by `head`: 1, 2, 3 or 4    head = 2: divide by ball[2]: red, or not red
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from math import prod
from typing import Any

from ..models import program as op
from ..models.program import NONE, ProgramTask, links_at
from .symbolic_machine import Assigned, Demand, SymbolicMachine

# Positions of values of a variable.
Places = frozenset[int]

# For each variable of which something is known the values that are possible.
Box = Mapping[int, Places]

# All states.
ANYWHERE: Box = {}

# What an operation makes of several nodes is found for at most so many choices of what these may be.
MOST_PAIRS = 100

# Operations of the graph that no instruction is: is the first part a number; are all parts 1; the part behind the first
# condition that is 1, of condition, value, condition, value, ..., value; is the first part a value of a variable.
IS, ALL, CHOICE, IN_DOMAIN = range(100, 104)


@dataclass(frozen=True, slots=True, eq=False)
class OfOneVariable:
    """A function of one variable: the result for each of its values."""

    variable: int
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """What an operation makes of other nodes. `numbers`: its operands that are no registers."""

    code: int
    parts: tuple[Node, ...]
    numbers: tuple[int, ...]
    variables: int
    """The variables that it depends on, as bits: 0b101 for the first and the third."""


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

# A number, or a function of the state.
Node = int | OfOneVariable | Operation


class Split(Exception):
    """A question that the states of a box answer differently: by which variable, and which of its values, to divide."""

    def __init__(self, variable: int, classes: list[Places]) -> None:
        super().__init__(variable)
        self.variable, self.classes = variable, classes


class TooManyStepsError(Exception):
    """More steps of work on a graph than are allowed."""


class ValueGraph:
    """The nodes of a task: the values on which `symbolic_machine` runs its programs, and questions about them. `steps`
    counts instructions, nodes and boxes that are looked at: `TooManyStepsError` if there are more than `most`.
    """

    true: Node = 1
    false: Node = 0

    def __init__(self, task: ProgramTask, most: int) -> None:
        self.task, self.steps, self.most = task, 0, most
        self.all = [frozenset(range(len(variable.values))) for variable in task.variables]
        self.domains = [frozenset(variable.values) for variable in task.variables]
        self.known: dict[object, Node] = {}
        self.variables = [self._of_one(number, variable.values) for number, variable in enumerate(task.variables)]
        self.machine = SymbolicMachine(task, self, self.variables, self.count)
        self._possible: dict[Node, Sequence[int] | None] = {}
        self._box: Box = ANYWHERE
        """The box of the last question."""
        self._told = 0
        """The variables of `_box`, as bits: a node that depends on none of them is the same within it."""
        self._inside: dict[Node, Node] = {}
        self._possible_inside: dict[Node, Sequence[int] | None] = {}
        """What nodes are, and may be, within `_box`, as far as they were asked for."""

    def count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self.most:
            raise TooManyStepsError

    # Nodes

    def constant(self, number: int) -> Node:
        return number

    def _of_one(self, variable: int, results: tuple[int, ...]) -> Node:
        """A function of one variable; a number if all its results are the same."""
        if len(set(results)) == 1:
            return results[0]
        return self.known.setdefault((variable, results), OfOneVariable(variable, results))

    def operation(self, code: int, parts: Sequence[Node], numbers: tuple[int, ...] = ()) -> Node:
        """What an operation makes of nodes: a number or a function of one variable, if it is one."""
        if code == op.VARIABLE:
            numbers = numbers or tuple(range(len(parts) - 1))
            if isinstance(parts[0], int):
                return parts[1 + numbers.index(parts[0])] if parts[0] in numbers else NONE
        if code == op.DISTINCT:
            constants = [part for part in parts if isinstance(part, int) and part != NONE]
            if len(set(constants)) < len(constants):
                return 0
        elif op.ADD <= code <= op.LE and NONE in parts:
            return NONE
        if code in (op.EQ, op.NE) and _order(parts[1]) < _order(parts[0]):
            parts = [parts[1], parts[0]]
        variables = {part.variable for part in parts if isinstance(part, OfOneVariable)}
        key = code, tuple(parts), numbers
        if key in self.known:
            return self.known[key]
        known: Node
        if len(variables) > 1 or any(isinstance(part, Operation) for part in parts):
            depends = 0
            for part in parts:
                depends |= variables_of(part)
            known = Operation(*key, depends)
        elif variables:
            (variable,) = variables
            size = len(self.all[variable])
            columns = [part.results if isinstance(part, OfOneVariable) else (part,) * size for part in parts]
            rows = list(zip(*columns, strict=True))
            if code in (op.EQ, op.NE):  # asked most often: of a place, for each cell
                same = code == op.EQ
                told = (NONE if NONE in row else int((row[0] == row[1]) == same) for row in rows)
                return self.known.setdefault(key, self._of_one(variable, tuple(told)))
            results = {row: self._computed(code, row, numbers) for row in set(rows)}
            known = self._of_one(variable, tuple(map(results.__getitem__, rows)))
        else:
            known = self._computed(code, parts, numbers)  # type: ignore[arg-type]
        self.known[key] = known
        return known

    def reached(self, start: Node, flags: Mapping[int, Node], at: int) -> list[Node]:
        """Of each node of a board whether it is reached."""
        parts = [start, *(flags.get(flag, 0) for flag in range(1 + max(flags, default=-1)))]
        return [self.operation(op.REACH, parts, (at, node)) for node in range(self.task.tables[at])]

    def possible(self, value: Node, box: Box = ANYWHERE) -> Sequence[int] | None:
        """The numbers that a node may be in the states of a box, none left out; None where they are not listed."""
        if isinstance(value, int):
            return (value,)
        if box is not self._box:
            self._turn_to(box)
        known = self._possible_inside if variables_of(value) & self._told else self._possible
        if value not in known:
            self.count()
            known[value] = self._possible_of(value, box)
        return known[value]

    def _possible_of(self, value: OfOneVariable | Operation, box: Box) -> Sequence[int] | None:
        if isinstance(value, OfOneVariable):
            places = box.get(value.variable, self.all[value.variable])
            return tuple({value.results[place] for place in places})
        parts, options = value.parts, list[Node]()
        if value.code == CHOICE:
            for condition, option in zip(parts[:-1:2], parts[1::2], strict=True):
                met = self.possible(condition, box)
                if met is None or 1 in met:
                    options.append(option)
                if met == (1,):
                    break
            else:
                options.append(parts[-1])
        elif value.code == op.VARIABLE:
            at = dict(zip(value.numbers, parts[1:], strict=True))
            index = self.possible(parts[0], box)
            options = [*at.values(), NONE] if index is None else [at.get(number, NONE) for number in index]
        else:
            each = [self.possible(part, box) for part in parts]
            if value.code == ALL:
                return (0,) if (0,) in each else (1,) if {*each} == {(1,)} else None
            if value.code == op.REACH and each[0] and len(each[0]) == 1:
                surely, perhaps = self._links_followed(value, each[0][0], each[1:])
                return (0, 1) if surely[value.numbers[1]] != perhaps[value.numbers[1]] else (surely[value.numbers[1]],)
            known = [some for some in each if some is not None]
            if len(known) < len(parts) or value.code in (op.LOOP, op.REACH):
                return None
            if value.code in (op.EQ, op.NE) and max(map(len, known)) > 1:
                # Two sides that have no number in common are never equal.
                apart = {*known[0]}.intersection(known[1]) <= {NONE}
                return (int(value.code == op.NE), NONE) if apart else None
            if len(parts) > 1 and prod(map(len, known)) > MOST_PAIRS:
                return None
            return tuple({self._computed(value.code, row, value.numbers) for row in product(*known)})
        several = [self.possible(option, box) for option in options]
        return None if None in several else tuple(set[int]().union(*(some for some in several if some)))

    def may_meet(self, conditions: Iterable[Node], box: Box) -> bool:
        """Whether each condition, taken alone, may hold in some state of a box."""
        return all(self.possible(condition, box) != (0,) for condition in conditions)

    # Conditions

    def equals(self, value: Node, number: int) -> Node:
        """Whether a node is a number."""
        if isinstance(value, Operation) and value.code in (IS, ALL, IN_DOMAIN):
            return value if number == 1 else self.negation(value) if number == 0 else 0
        return self.operation(IS, [value], (number,))

    def negation(self, condition: Node) -> Node:
        if isinstance(condition, Operation) and condition.code == op.NOT:
            return condition.parts[0]
        return self.operation(op.NOT, [condition])

    def all_of(self, conditions: Iterable[Node]) -> Node:
        """Whether all conditions hold. Those of one variable are one part, so that one sees where they exclude each
        other.
        """
        parts: dict[object, Node] = {}
        for part in (part for condition in conditions for part in _conjuncts(condition)):
            key = part.variable if isinstance(part, OfOneVariable) else part
            if part != 1:
                before = parts.get(key, part)
                parts[key] = part if part is before else self.operation(ALL, [before, part])
                if parts[key] == 0:
                    return 0
        several = list(parts.values())
        self.count(len(several))
        if any(isinstance(part, Operation) and part.code == op.NOT and part.parts[0] in parts for part in several):
            return 0
        return self.operation(ALL, several) if len(several) > 1 else several[0] if several else 1

    def any_of(self, conditions: Iterable[Node]) -> Node:
        return self.negation(self.all_of(self.negation(condition) for condition in conditions))

    def either(self, a: Node, b: Node) -> Node:
        """Whether one of two conditions holds; `p` for `p and q` and `p and not q`: two ways that meet again."""
        first, second = _conjuncts(a), _conjuncts(b)
        both = set(first).intersection(second)
        common = [part for part in first if part in both]
        rests = [self.all_of(part for part in parts if part not in both) for parts in (first, second)]
        return self.all_of([*common, self.any_of(rests)])

    def if_else(self, condition: Node, yes: Node, no: Node) -> Node:
        """A node chosen by a condition: one if it holds, another one if not."""
        others = no.parts if isinstance(no, Operation) and no.code == CHOICE else (no,)
        return self._choice([condition, yes, *others])

    def after_loop(self, begin: Node, steps: dict[int, tuple[Node, int]]) -> Node:
        """What a loop ends with, by the number with which it begins: a slide from c1 ends on c3 if c2 and c3 are free.
        Found backward: the end from c1 is that from c2 if the loop goes on there, else c1.
        """
        ends: dict[int, Node] = {}
        for value, (goes, following) in reversed(steps.items()):
            ends[value] = self.if_else(goes, ends.get(following, value), value)
        return self.operation(op.VARIABLE, [begin, *ends.values()], tuple(ends))

    def _choice(self, parts: Sequence[Node]) -> Node:
        """The value behind the first condition that holds: `p, x, q, y, z` is x if p, else y if q, else z."""
        kept: list[Node] = []
        last = parts[-1]
        for condition, value in zip(parts[:-1:2], parts[1::2], strict=True):
            if condition == 1:
                last = value
                break
            if condition != 0:
                kept += [condition, value]
        while kept and kept[-1] == last:
            del kept[-2:]
        return self.operation(CHOICE, [*kept, last]) if kept else last

    def is_whole(self, value: Node) -> bool:
        """That several values differ is asked pair by pair."""
        return isinstance(value, Operation) and value.code == op.DISTINCT

    # Questions

    def asked(self, node: Node, box: Box, key: Callable[[int], object] = int) -> object:
        """`key` of the number that a node is in all states of a box. Raises `Split` if it is not the same in all."""
        while True:
            node = self.within(node, box)
            if isinstance(node, int):
                return key(node)
            if isinstance(node, OfOneVariable):
                classes: dict[object, set[int]] = {}
                for place in box.get(node.variable, self.all[node.variable]):
                    classes.setdefault(key(node.results[place]), set()).add(place)
                if len(classes) == 1:
                    return next(iter(classes))
                raise Split(node.variable, [frozenset(places) for places in classes.values()])
            if node.code == ALL:
                return key(int(all(self.asked(part, box) for part in node.parts)))
            if node.code == CHOICE:
                node = node.parts[1] if self.asked(node.parts[0], box) else self._choice(node.parts[2:])
            elif len(node.parts) == 1 and node.code not in (op.LOOP, op.REACH):
                return self.asked(node.parts[0], box, partial(self._of_part, node, key))
            elif node.code == op.REACH:
                node = self._reached(node, box)
            else:
                node = self.operation(node.code, self._next_known(node, box), node.numbers)

    def _of_part(self, node: Operation, key: Callable[[int], object], number: int) -> object:
        """`key` of what a node with one part is, if that part is `number`."""
        return key(self._computed(node.code, (number,), node.numbers))

    def _next_known(self, node: Operation, box: Box) -> list[Node]:
        """The parts of a node; the first that is no number gets the one that it is in all states of a box. Raises
        `Split` if it is not the same in all.
        """
        parts = list(node.parts)
        number = next(n for n, part in enumerate(parts) if not isinstance(part, int))
        value = self.asked(parts[number], box)
        assert isinstance(value, int)
        parts[number] = value
        return parts

    def tree(self, node: Node, box: Box) -> Tree:
        """The numbers that a node is in the parts of a box that have to be told apart."""
        self.count()
        node = self.within(node, box)
        try:
            return self.asked(node, box)
        except Split as split:
            variable, classes = split.variable, split.classes
        return joined_branches(variable, [(places, self.tree(node, {**box, variable: places})) for places in classes])

    def where(self, condition: Node, box: Box) -> Iterator[Box]:
        """The parts of a box in which a condition holds."""
        self.count()
        condition = self.within(condition, box)
        try:
            if self.asked(condition, box):
                yield box
        except Split as split:
            for places in split.classes:
                yield from self.where(condition, {**box, split.variable: places})

    def within(self, node: Node, box: Box) -> Node:
        """A node that is the same in the states of a box, and simpler if it can be."""
        if box is not self._box:
            self._turn_to(box)
        if isinstance(node, int) or (isinstance(node, Operation) and not node.variables & self._told):
            return node
        found = self._inside.get(node)
        if found is None:
            found = self._inside[node] = self._simpler(node, box)
        return found

    def _turn_to(self, box: Box) -> None:
        self._box, self._inside, self._possible_inside = box, {}, {}
        self._told = sum(1 << variable for variable in box)

    def _simpler(self, node: OfOneVariable | Operation, box: Box) -> Node:
        if isinstance(node, OfOneVariable):
            results = {node.results[place] for place in box.get(node.variable, ())}
            return results.pop() if len(results) == 1 else node
        self.count(len(node.parts))
        first = self.within(node.parts[0], box)
        if isinstance(first, int) and node.code == op.VARIABLE:
            return self.within(self.operation(op.VARIABLE, [first, *node.parts[1:]], node.numbers), box)
        if isinstance(first, int) and node.code == CHOICE:
            return self.within(node.parts[1] if first else self._choice(node.parts[2:]), box)
        parts = [first, *(self.within(part, box) for part in node.parts[1:])]
        if parts == list(node.parts):
            return node
        if node.code == ALL:
            return self.all_of(parts)
        return self._choice(parts) if node.code == CHOICE else self.operation(node.code, parts, node.numbers)

    def _computed(self, code: int, values: list[int] | tuple[int, ...], numbers: tuple[int, ...]) -> int:
        """What an instruction computes of numbers."""
        if op.ADD <= code <= op.LE and code != op.CELL:
            return op.computed(code, values[0], values[1], *numbers)
        tables = self.task.tables
        if code == op.DISTINCT:
            return op.distinct(values, 0, len(values))
        if code == op.LOOP:
            scratch = [0] * (2 * tables[numbers[0]])
            return op.one_loop([*values, *scratch], tables, 0, numbers[0], len(values))
        if code == CHOICE:
            return next((values[n + 1] for n in range(0, len(values) - 1, 2) if values[n] == 1), values[-1])
        if code == ALL:
            return int(all(value == 1 for value in values))
        x = values[0]  # the two first may have none
        if code == IS:
            return int(x == numbers[0])
        if code == IN_DOMAIN:
            return int(x in self.domains[numbers[0]])
        if code == op.TABLE:
            return op.entry(tables, numbers[0], x)
        if code == op.CELL:
            return op.cell_at(tables, numbers[0], x)
        if code == op.NOT:
            return op.negated(x)
        if code == op.VARIABLE:
            return values[1 + numbers.index(x)] if x in numbers else NONE
        if code == op.REACH:
            return op.reached(tables, numbers[0], values[1:], x)[numbers[1]]
        raise AssertionError(code)

    def _reached(self, node: Operation, box: Box) -> Node:
        """Whether a node is reached over links. Links are looked at from what is reached on, only as far as needed."""
        start, *flags = node.parts
        if not isinstance(start, int):
            start = self.asked(start, box)  # type: ignore[assignment]
            return self.operation(op.REACH, [start, *flags], node.numbers)
        may = [self.possible(flag, box) for flag in flags]
        surely, perhaps = self._links_followed(node, start, may)
        if surely[node.numbers[1]] == perhaps[node.numbers[1]]:
            return surely[node.numbers[1]]
        links = links_at(self.task.tables, node.numbers[0])
        for source, other, flag in links:
            if surely[source] == 1 and not surely[other] and not isinstance(flags[flag], int):
                flags[flag] = int(self.asked(flags[flag], box, lambda value: value == 1))  # type: ignore[call-overload]
                break
        return self.operation(op.REACH, [start, *flags], node.numbers)

    def _links_followed(
        self, node: Operation, start: int, may: Sequence[Sequence[int] | None]
    ) -> tuple[list[int], list[int]]:
        """Of each node of a board whether it is reached over links that are open for certain, and over any that may be,
        by what each flag may be.
        """
        tables, at = self.task.tables, node.numbers[0]
        surely = op.reached(tables, at, (int(each == (1,)) for each in may), start)
        perhaps = op.reached(tables, at, (int(1 in (each or (1,))) for each in may), start)
        return surely, perhaps


def _order(node: Node) -> int:
    """Where a node stands in an equation, so that `x = y` and `y = x` are the same."""
    if isinstance(node, OfOneVariable):
        return node.variable
    return 1 << 30 if isinstance(node, int) else 1 << 29


def variables_of(node: Node) -> int:
    """The variables that a node depends on, as bits."""
    if isinstance(node, Operation):
        return node.variables
    return 1 << node.variable if isinstance(node, OfOneVariable) else 0


def _conjuncts(condition: Node) -> tuple[Node, ...]:
    return condition.parts if isinstance(condition, Operation) and condition.code == ALL else (condition,)


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


# Programs on the graph


@dataclass(frozen=True, slots=True)
class GraphRun:
    """What comes of a program, as conditions and nodes. `demands`: what it demands of the state before; `become`: what
    variables become that may change; `behind`: the instruction behind `APPLY`; `rules`: what it would demand from there
    on of the state before.
    """

    demands: tuple[Node, ...]
    become: dict[int, Node]
    rules: tuple[Node, ...]
    behind: int

    def later(self, graph: ValueGraph) -> tuple[Node, ...]:
        """What is demanded of the state after, in terms of the one before."""
        if not self.rules:
            return ()
        state = [self.become.get(number, variable) for number, variable in enumerate(graph.variables)]
        return _conditions(graph, SymbolicMachine(graph.task, graph, state, graph.count).run(self.behind).before)


def run_of(graph: ValueGraph, entry: int) -> GraphRun:
    """Run a program on the graph."""
    run = graph.machine.run(entry)
    behind, twice = run.applied or (-1, False)
    demands, become = list(_conditions(graph, run.before)), dict[int, Node]()
    assigned: dict[int, list[Assigned[Node, Node]]] = {}
    for each in run.assigned:
        fits = graph.operation(IN_DOMAIN, [each.value], (each.variable,))
        demands.append(graph.any_of((graph.negation(each.condition), fits)))
        several = assigned.setdefault(each.variable, [])
        for other in several if twice else ():
            same = graph.equals(graph.operation(op.EQ, [other.value, each.value]), 1)
            demands.append(graph.negation(graph.all_of((other.condition, each.condition, graph.negation(same)))))
        several.append(each)
        before = become.get(each.variable, graph.variables[each.variable])
        become[each.variable] = graph.if_else(each.condition, each.value, before)
    return GraphRun(tuple(dict.fromkeys(demands)), become, _conditions(graph, run.after), behind)


def _conditions(graph: ValueGraph, demands: Iterable[Demand[Node, Node]]) -> tuple[Node, ...]:
    """Demands as conditions: that several values differ is asked pair by pair."""
    conditions: dict[Node, None] = {}
    for demand in demands:
        if isinstance(demand.special, Operation):
            for pair in combinations(demand.special.parts, 2):
                differ = graph.equals(graph.operation(op.NE, pair), 1)
                conditions[graph.any_of((*demand.conditions, differ))] = None
        else:
            conditions[graph.any_of(demand.conditions)] = None
    return tuple(conditions)
