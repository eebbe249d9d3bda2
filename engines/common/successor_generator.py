"""A successor generator: for a state, those actions of a program task whose first conditions hold (Helmert, *The Fast
Downward planning system*, 2006, has one for operators); of many actions also what they do, without running a program.

Each action's program is run once on a graph of values (`value_graph`). It falls into *cases*: conditions, each that one
variable has one of some values, and new values, each a number or a function of one variable. So that a condition or a
new value is of that form, an action is divided by the value of a variable that it reads first:

    move(tall, r1c4, left)     piece[r1c4, tall], free[r1c3], free[r2c3]          sets 6 variables to numbers
    forward(B)                 at[B] = r1c1, cell[r1c3] empty                     at[B] := r1c2, cell[r1c1] := 0, ...
                               at[B] = r1c2, cell[r1c4] empty                     ...
    crawl(up)                  head is not in the highest row                     (what else is asked, its program says)

What is not of that form the program says, which is run where the conditions hold: then the case is not *whole*. Cases
are listed by the values of one of their variables, which is *watched*: a state looks at the lists of its own values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...analysis.inverse_programs import NOTHING, BothWays
from ...analysis.program_machine import ProgramTables, program_tables, words_of
from ...analysis.value_graph import (
    ALL,
    CHOICE,
    IS,
    Box,
    GraphRun,
    Node,
    OfOneVariable,
    Operation,
    Places,
    Split,
    TooManyStepsError,
    ValueGraph,
    run_of,
)
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.arrays import Bytes, Ints, Longs, Words, to_csr
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit

# Steps of work on the graph of values: to run one program, some 10 ms; to run all, and to divide all actions, some
# 50 ms each, or more where the programs are long: so many for each of their instructions.
MOST_STEPS_OF_ONE, MOST_STEPS, STEPS_OF_INSTRUCTION = 500, 10_000, 5

# Cases into which one action is divided at most.
MOST_CASES = 64

# Nodes that are not clear of which is seen by what they ask to be divided.
LOOKED_AT = 8

# Values of a variable up to which a condition is a word of bits, and up to which a variable is watched.
BITS, MOST_LISTS = 64, 4_096


BACKWARD = 2
"""In place of 1 in `SuccessorGenerator.whole`."""


class SuccessorGenerator(NamedTuple):
    """The cases (C) of all actions, and as the last one the goal; a row has W words.

    `watched` (X): variables, -1 for cases of no condition; `lists` (X): where the lists of its values begin in `first`,
    which says where each list begins in `case`. `action` (C); `whole` (C): 0 if a program has to be run, 1 if not;
    `BACKWARD` if it is run on the state that the case makes, and decides whether that comes before.
    `mask`, `value` (C, W): the bits that a row must have. `condition_first` (C + 1): where the other conditions begin:
    `variable`, and `allowed`, a bit for each of its values. `kept`, `given` (C, W): the bits that stay, and those that
    become 1. `effect_first` (C + 1): where the new values begin that are functions: the value of `source` chooses from
    `entries`, from `address` on, the bits that word `target` gets.
    """

    watched: Longs
    lists: Longs
    first: Ints
    case: Ints
    action: Longs
    whole: Bytes
    mask: Words
    value: Words
    condition_first: Longs
    variable: Longs
    allowed: Words
    kept: Words
    given: Words
    effect_first: Longs
    source: Longs
    target: Longs
    address: Longs
    entries: Words


@njit(inner=True)
def digit_of(tables: ProgramTables, row: Words, variable: int) -> int:
    """The value of a variable in a row, minus its lowest."""
    return long((row[tables.word[variable]] >> tables.shift[variable]) & tables.mask[variable])


@njit(inner=True)
def fits(generator: SuccessorGenerator, tables: ProgramTables, case: int, row: Words) -> bool:
    """Whether the conditions of a case hold in a state."""
    for w in range(len(row)):
        if row[w] & generator.mask[case, w] != generator.value[case, w]:
            return False
    for i in range(generator.condition_first[case], generator.condition_first[case + 1]):
        digit = np.uint64(digit_of(tables, row, generator.variable[i]))
        if not (generator.allowed[i] >> digit) & np.uint64(1):
            return False
    return True


@njit(inner=True)
def change(generator: SuccessorGenerator, tables: ProgramTables, case: int, row: Words, after: Words) -> None:
    """Write the state after a whole case."""
    for w in range(len(row)):
        after[w] = (row[w] & generator.kept[case, w]) | generator.given[case, w]
    for i in range(generator.effect_first[case], generator.effect_first[case + 1]):
        digit = digit_of(tables, row, generator.source[i])
        after[generator.target[i]] |= generator.entries[generator.address[i] + digit]


@dataclass(frozen=True, slots=True)
class Case:
    """A case of an action (-1: the goal): the values that it allows of variables, and, unless a program has to be run,
    what variables become: a number, or a function of one variable. `whole`: as in `SuccessorGenerator`.
    """

    action: int
    allowed: Mapping[int, Places]
    become: Mapping[int, int | OfOneVariable] | None
    whole: int = 1


def simple_generator(task: ProgramTask) -> SuccessorGenerator:
    """The generator that knows no conditions, and is made at once: in each state the program of each action is run."""
    return _arrays(task, [Case(number, {}, None) for number in range(len(task.actions))], Case(-1, {}, None))


def inverse_generator(task: ProgramTask, both_ways: BothWays) -> SuccessorGenerator:
    """The cases of the inverses of all actions: what comes of one is the state before the action. The initial state is
    the goal. Raises `UsageError` where two numbers of many values decide whether there is a state before.
    """
    cases = []
    for number, assignments in enumerate(both_ways.back):
        allowed, become = dict[int, Places](), dict[int, int | OfOneVariable]()
        for variable, (source, function) in assignments.items():
            old, new = task.variables[source], task.variables[variable]
            digits = [function[value - old.low] for value in old.values]
            become[variable] = OfOneVariable(source, tuple(digit + new.low for digit in digits))
            if NOTHING in digits:
                allowed[source] = frozenset(place for place, digit in enumerate(digits) if digit != NOTHING)
        if all(allowed.values()):
            cases.append(Case(number, allowed, become, 1 if both_ways.total[number] else BACKWARD))
    start = {v: frozenset((of.values.index(task.init[v]),)) for v, of in enumerate(task.variables)}
    generator = _arrays(task, cases, Case(-1, start, {}))
    if not generator.whole.all():
        raise UsageError("what comes before an action depends on too many values")
    return generator


def successor_generator(task: ProgramTask) -> SuccessorGenerator:
    """The cases of all actions, as far as they are found in some steps. To be asked for by `task.computed`."""
    most = max(MOST_STEPS, STEPS_OF_INSTRUCTION * len(task.code))
    graph = ValueGraph(task, most)

    def run(entry: int) -> GraphRun:
        graph.most = min(graph.steps + MOST_STEPS_OF_ONE, most)
        return run_of(graph, entry)

    try:
        # 1. What each program demands. One that is too long to look at is as a rule not the only one.
        runs = [run(action.entry) for action in task.actions]
        goal = _case(graph, -1, run(task.goal), {})[0]
    except (TooManyStepsError, RecursionError, UsageError):
        return simple_generator(task)
    # 2. Its cases.
    graph.steps, graph.most, cases = 0, most, list[Case]()
    for number, each in enumerate(runs):
        cases += _cases(graph, number, each)
    return _arrays(task, cases, goal or Case(-1, {0: frozenset()}, {}))


def _cases(graph: ValueGraph, number: int, run: GraphRun) -> list[Case]:
    """The cases of an action: a single one if it cannot be divided in the steps that are left."""
    undivided: Case | None = Case(number, {}, None)
    cases, boxes = list[Case](), list[Box]([{}])
    try:
        undivided, _ = _case(graph, number, run, {})
        while boxes:
            box = boxes.pop()
            case, parts = _case(graph, number, run, box)
            if parts and len(cases) + len(boxes) + len(parts) <= MOST_CASES:
                boxes += parts
            elif case:
                cases.append(case)
    except (TooManyStepsError, RecursionError):
        cases = []
    # Cases of which all need the program would only cost time.
    if undivided and all(case.become is None for case in cases):
        return [undivided]
    return cases


def _case(graph: ValueGraph, number: int, run: GraphRun, box: Box) -> tuple[Case | None, list[Box]]:
    """The part of an action in a box, None if it does not apply there; and, if it is not whole, the parts of the box
    into which it can be divided, so that more of it is known.
    """
    graph.count(len(run.demands) + len(run.become))
    # Each condition on one variable makes the others simpler: they are looked at again within what is allowed by then.
    allowed, known, unclear = dict(box), None, list[Node](run.demands)
    while unclear and allowed != known:
        known, asked, unclear = dict(allowed), unclear, []
        for node in (part for demand in asked for part in _conjuncts(graph, graph.within(demand, known))):
            if isinstance(node, Operation):
                unclear.append(node)
            elif isinstance(node, OfOneVariable):
                places = frozenset(place for place, result in enumerate(node.results) if result == 1)
                allowed[node.variable] = places & allowed.get(node.variable, places)
            elif node != 1:
                return None, []
    if not all(allowed.values()):
        return None, []
    become = dict[int, int | OfOneVariable]()
    for variable, value in run.become.items():
        node = graph.within(value, allowed)
        if isinstance(node, Operation):
            unclear.append(node)
        else:
            become[variable] = node
    # What is asked of the state after, only the program says: then it is of no use to divide the action.
    if {*run.rules} - {1}:
        return Case(number, allowed, None), []
    return Case(number, allowed, None if unclear else become), _divided(graph, unclear, allowed, box)


def _conjuncts(graph: ValueGraph, node: Node) -> Iterator[Node]:
    """The conditions that one asks for: also where a routine says 1 unless one of several things is true."""
    if isinstance(node, Operation) and node.code == ALL:
        for part in node.parts:
            yield from _conjuncts(graph, part)
    elif isinstance(node, Operation) and node.code == IS and isinstance(choice := node.parts[0], Operation):
        (number,), values = node.numbers, choice.parts[1::2]
        if (
            choice.code == CHOICE
            and choice.parts[-1] == number
            and all(isinstance(value, int) and value != number for value in values)
        ):
            for condition in choice.parts[:-1:2]:
                yield from _conjuncts(graph, graph.negation(condition))
        else:
            yield node
    else:
        yield node


def _divided(graph: ValueGraph, unclear: list[Node], allowed: Box, box: Box) -> list[Box]:
    """A box divided by the values of a variable that most of the nodes depend on; of several such variables by one that
    the nodes ask for first.
    """
    asked: Counter[int] = Counter()
    for node in unclear[:LOOKED_AT]:
        try:
            graph.asked(node, allowed)
        except Split as split:
            asked[split.variable] += 1
    several = [node.variables for node in unclear if isinstance(node, Operation)]
    depends = Counter(v for bits in several for v in range(len(graph.all)) if bits >> v & 1 and v not in box)
    best = max(depends, key=lambda v: (depends[v], asked[v], -v), default=-1)
    return [{**box, best: frozenset((place,))} for place in allowed.get(best, graph.all[best])] if best >= 0 else []


# Cases as arrays.


def _arrays(task: ProgramTask, cases: list[Case], goal: Case) -> SuccessorGenerator:
    tables = task.computed(program_tables)
    sizes = [variable.high - variable.low + 1 for variable in task.variables]
    watch = _watched([case.allowed for case in cases], sizes, [len(variable.values) for variable in task.variables])
    # 1. The lists: of each watched variable one for each of its values.
    lists, listed = list[int](), list[list[int]]()
    watched = sorted(set(watch))
    for variable in watched:
        lists.append(len(listed))
        own: list[list[int]] = [[] for _ in range(sizes[variable] if variable >= 0 else 1)]
        for number, case in enumerate(cases):
            if watch[number] == variable:
                for digit in _digits(task, variable, case.allowed[variable]) if variable >= 0 else (0,):
                    own[digit].append(number)
        listed += own
    first, numbers = to_csr(listed)
    # 2. Conditions and effects.
    cases = [*cases, goal]
    count, words = len(cases), words_of(tables)
    mask, value, given = (np.zeros((count, words), np.uint64) for _ in range(3))
    kept, whole = np.full((count, words), ~np.uint64(0)), np.zeros(count, np.uint8)
    conditions: list[list[tuple[int, int]]] = [[] for _ in cases]
    effects: list[list[tuple[int, int, int]]] = [[] for _ in cases]
    entries: list[int] = []
    for number, case in enumerate(cases):
        told = True
        for variable, places in case.allowed.items():
            digits, word, shift = _digits(task, variable, places), tables.word[variable], tables.shift[variable]
            if len(digits) == 1:
                mask[number, word] |= tables.mask[variable] << shift
                value[number, word] |= np.uint64(digits[0]) << shift
            elif sizes[variable] <= BITS:
                conditions[number].append((variable, sum(1 << digit for digit in digits)))
            else:
                told = told and number < len(watch) and watch[number] == variable
        if case.become is None or not told:
            continue
        whole[number] = case.whole
        for variable, node in case.become.items():
            low, word, shift = task.variables[variable].low, int(tables.word[variable]), int(tables.shift[variable])
            kept[number, word] &= ~(tables.mask[variable] << tables.shift[variable])
            if isinstance(node, int):
                given[number, word] |= np.uint64((node - low) << shift)
            else:
                effects[number].append((node.variable, word, len(entries)))
                table, source = [0] * sizes[node.variable], task.variables[node.variable]
                for place in case.allowed.get(node.variable, range(len(source.values))):
                    table[source.values[place] - source.low] = (node.results[place] - low) << shift
                entries += table
    condition_first, condition = _rows(conditions, 2)
    effect_first, effect = _rows(effects, 3)
    return SuccessorGenerator(
        watched=np.array(watched, np.int64),
        lists=np.array(lists, np.int64),
        first=first,
        case=numbers,
        action=np.array([case.action for case in cases], np.int64),
        whole=whole,
        mask=mask,
        value=value,
        condition_first=condition_first,
        variable=np.array(condition[0], np.int64),
        allowed=np.array(condition[1], np.uint64),
        kept=kept,
        given=given,
        effect_first=effect_first,
        source=np.array(effect[0], np.int64),
        target=np.array(effect[1], np.int64),
        address=np.array(effect[2], np.int64),
        entries=np.array(entries, np.uint64),
    )


def _rows(several: Sequence[Sequence[tuple[int, ...]]], width: int) -> tuple[Longs, list[list[int]]]:
    """Lists of tuples as offsets, and a list of each part of the tuples."""
    first = np.cumsum([0, *map(len, several)]).astype(np.int64)
    return first, [[row[part] for rows in several for row in rows] for part in range(width)]


def _digits(task: ProgramTask, variable: int, places: Iterable[int]) -> list[int]:
    """Values by their places, each minus the lowest."""
    of = task.variables[variable]
    return sorted(of.values[place] - of.low for place in places)


def _watched(conditions: list[Mapping[int, Places]], sizes: list[int], values: list[int]) -> list[int]:
    """For each case the variable that is watched for it, -1 if it has no condition.

    It is one that the case allows the smallest part of its values; of several, so that few are watched in all, the one
    that is watched for most other cases.
    """
    best: list[list[int]] = []
    for allowed in conditions:
        shares = {v: len(places) / values[v] for v, places in allowed.items() if sizes[v] <= MOST_LISTS}
        best.append([variable for variable, share in shares.items() if share == min(shares.values())])
    watch, left = [-1] * len(conditions), {number for number, several in enumerate(best) if several}
    while left:
        wanted = Counter(variable for number in left for variable in best[number])
        variable, _ = wanted.most_common(1)[0]
        for number in [number for number in left if variable in best[number]]:
            watch[number] = variable
            left.remove(number)
    return watch
