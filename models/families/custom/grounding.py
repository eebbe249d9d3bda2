"""A custom puzzle as a planning task.

Enumerating gives the changes that actions make (`leaves`), these become steps over facts (`draft`) and operators
(`facts`). Then what the built-in families know by themselves is found: values from which no goal can be
reached any more, and a walker: a variable whose values are cells, which goes from cell to neighbouring cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...cells import DIRECTIONS, Cell, bits, rc, shift
from ...errors import GroundingError
from ...moves import Metric
from ...program import ProgramTask
from ...task import Draft, ExactlyInvariant, GroupKind, OperatorTask, Task, Walker
from ...unordered import unordered
from ...watching import collector_paused
from . import arrays
from .arrays import FactSets, Ints, OperatorTable
from .facts import Facts, Mutexes, strengthened, superfluous, with_counted
from .interchangeable import interchangeable, interchangeable_names
from .language.evaluate import broken_start
from .language.expressions import Value, text_of
from .leaves import MAX_CLAUSES, Effort, Enumerator
from .programs.task import programs
from .puzzle import Custom, Relaxed
from .rules import walking

# Walkers: a variable whose values are cells, and actions that step from cell to neighbouring cell.


def with_walker(draft: Draft[OperatorTable], puzzle: Custom, facts: Facts) -> Draft[OperatorTable]:
    """The same task with a walker in place of a variable and its free steps; the task itself if there is no walker.

    All that a walker is must be so: its steps all cost the same, lead to neighbouring cells and back, and need one fact
    at most, which depends on the cell alone; every other operator says where it stands before; nothing else asks for
    it.
    """
    home = walking(puzzle)
    if home is None:
        return draft
    cell_of: dict[int, Cell] = {}
    for fact in facts.facts(facts.variables.places.index((home[0], ()))):
        cell = facts.variables.value[fact]
        assert isinstance(cell, tuple)
        cell_of[fact] = cell
    asked = [*draft.goal, *facts.nones]
    if len(cell_of) < 2 or any(not cell_of.keys().isdisjoint(several) for several in asked):
        return draft
    # The walking actions must be steps between neighbouring cells; what a cell needs to be entered is its "free" fact.
    actions = {action.name for action in home[1]}
    walking_acts = np.array([act.action in actions for act in draft.operators.acts])[draft.operators.act]
    walks, operators = draft.operators.where(walking_acts), draft.operators.where(~walking_acts)
    steps = _steps(walks, cell_of)
    if steps is None:
        return draft
    arcs, needs = steps
    # The walker's own facts go; engines want a "free" fact for each of its cells, so cells that need none get one.
    cells = sorted(cell_of.values())
    index = {cell: i for i, cell in enumerate(cells)}
    begin = next(cell for fact, cell in cell_of.items() if fact in draft.init)
    if needs.get(begin) is not None and needs[begin] not in draft.init:
        return draft
    cell_at = np.full(operators.facts + 1, -1, np.int32)
    cell_at[[*cell_of]] = [index[cell] for cell in cell_of.values()]
    moved = _from_cells(
        operators, cell_at, np.array([-1 if needs.get(cell) is None else needs[cell] for cell in cells])
    )
    if moved is None:
        return draft
    always = {cell: facts.further_fact(f"free {rc(cell)}") for cell in cells if needs.get(cell) is None}
    free = {cell: fact for cell, fact in (needs | always).items() if fact is not None}
    return replace(
        draft,
        groups=tuple(group for group in draft.groups if cell_of.keys().isdisjoint(group.facts)),
        operators=replace(moved, cells=[*map(text_of, cells)]),
        init=draft.init.difference(cell_of).union(always.values()),
        walker=Walker(
            cells=tuple(cells),
            free=tuple(free[cell] for cell in cells),
            neighbours=tuple(tuple(sorted(index[c] for c in arcs.get(cell, ()))) for cell in cells),
            start=index[begin],
            cost=walks.prices[walks.price[0]],
            silent=True,
        ),
    )


def _from_cells(operators: OperatorTable, cell_at: Ints, needs: Ints) -> OperatorTable | None:
    """Operators with the walker's cells before and after them in place of their facts. `cell_at`: the number of the
    cell that a fact says; `needs`: the fact that each cell needs, or -1.

    None if one does not say where the walker stands, or if he may stand afterwards where it is not free.
    """
    pre, add, delete = operators.pre, operators.add, operators.delete
    if ((cell_at[pre] >= 0).sum(1) != 1).any():
        return None
    before, after = (cell_at[facts].max(1, initial=-1) for facts in (pre, add))
    after = np.where(after < 0, before, after)
    here, there = needs[before, None], needs[after, None]
    # Where the walker stands it is free: it was so before, and is so after.
    free = (here == there) | (add == there).any(1, keepdims=True) | (pre == there).any(1, keepdims=True)
    if ((there >= 0) & ((delete == there).any(1, keepdims=True) | ~free)).any():
        return None
    pre, add, delete = (np.where(cell_at[facts] >= 0, -1, facts) for facts in (pre, add, delete))
    pre = arrays.beside(pre, arrays.without(here, pre))
    walk = np.column_stack((before, after))
    return replace(operators, pre=pre, add=arrays.without(add, here), delete=delete, walk=walk)


def _steps(
    walks: OperatorTable, cell_of: dict[int, Cell]
) -> tuple[dict[Cell, set[Cell]], dict[Cell, int | None]] | None:
    """The cells that a walker can step to from each cell, and the fact that each cell needs; None if these are no
    walks.
    """
    arcs: dict[Cell, set[Cell]] = {}
    needs: dict[Cell, int | None] = {}
    if len(np.unique(walks.price)) > 1:
        return None
    for pre, add, delete in walks.sets():
        if len(delete) != 1 or len(add) != 1:
            return None
        here, there = cell_of.get(delete[0]), cell_of.get(add[0])
        rest = [fact for fact in pre if fact not in cell_of]
        if here is None or there is None or len(rest) > 1:
            return None
        need = rest[0] if rest else None
        if needs.setdefault(there, need) != need:
            return None
        arcs.setdefault(here, set()).add(there)
    for cell, targets in arcs.items():
        near = {shift(cell, direction) for direction in DIRECTIONS}
        if not targets <= near or any(cell not in arcs.get(target, ()) for target in targets):
            return None
    return (arcs, needs) if arcs else None


# Pieces that an author writes as values of cells: `tile[c] == 7` says where piece 7 is.
#
# A table of cells with other values than truth values is read in two ways. What is on a cell is one of the values;
# and where every action only carries values from cell to cell, a value is on as many cells as at the start: it is as
# many pieces, and what engines know of pieces (distances, matchings, patterns) holds for them. In the 8-puzzle
# written so
#
#     tile r1c1: 0, 1, ... 8        nine groups of kind `cell`, one for each cell
#     tile 7: r1c1, r1c2, ...       nine groups of kind `object`, one for each value: `slide` changes two of them
#
# Of the two pieces that an exchange moves, the one that moves in more operators (the blank) comes last: a move counts
# as that of the first (`models.task.OperatorTask`).


def with_pieces(
    draft: Draft[OperatorTable], cells: Mapping[str, Mapping[Value, tuple[int, ...]]]
) -> Draft[OperatorTable]:
    """The task with an object for each value of such tables, where no operator makes or destroys one.

    `cells`: for each table of cells the facts of each value, one for each cell that may have it.
    """
    for name, facts_of in cells.items():
        value_of = np.full(draft.operators.facts + 1, -1)
        for number, facts in enumerate(facts_of.values()):
            value_of[[*facts]] = number
        gained, lost = (arrays.pairs(value_of[facts]) for facts in (draft.operators.add, draft.operators.delete))
        if not arrays.balance(gained, lost)[2].any():
            draft = _with_objects(draft, name, facts_of)
    return draft


def _with_objects(
    draft: Draft[OperatorTable], name: str, facts_of: Mapping[Value, tuple[int, ...]]
) -> Draft[OperatorTable]:
    moved = np.bincount(arrays.pairs(draft.operators.delete)[1], minlength=draft.operators.facts)
    objects = [
        ExactlyInvariant(
            f"{name} {text_of(value)}", GroupKind.OBJECT, tuple(sorted(facts)), len(draft.init.intersection(facts))
        )
        for value, facts in facts_of.items()
        if len(facts) > 1
    ]
    objects.sort(key=lambda group: int(moved[[*group.facts]].sum()))
    own, listed = {fact for facts in facts_of.values() for fact in facts}, {group.facts for group in objects}
    others = [
        replace(group, kind=GroupKind.CELL) if own.issuperset(group.facts) else group
        for group in draft.groups
        if group.facts not in listed
    ]
    return replace(draft, groups=(*objects, *others))


def ground(puzzle: Custom, metric: Metric, effort: Effort | None = None) -> OperatorTask:
    """The task. Raises `GroundingError`, with the place, if it would be too large."""
    with collector_paused():  # it takes a third of the time to look for cycles, and there are hardly any
        return _ground(puzzle, metric, effort, dead_ends=False)


def complete(puzzle: Custom, metric: Metric) -> OperatorTask:
    """The task with every move that the rules allow. Raises as `ground` does."""
    with collector_paused():
        return _ground(puzzle, metric, None, dead_ends=True)


def _ground(puzzle: Custom, metric: Metric, effort: Effort | None, *, dead_ends: bool) -> OperatorTask:
    enumerator = Enumerator(puzzle, metric, effort)
    puzzle, variables = enumerator.puzzle, enumerator.variables
    # 1. All changes of variables that the delete relaxation reaches, and the values that it reaches.
    changes = enumerator.changes()
    actions = frozenset(enumerator.acts[n].action for n in np.unique(changes.act).tolist())
    puzzle.relaxed[metric.components] = Relaxed(actions, tuple(enumerator.reached))
    # 2. Facts that exclude each other; with them, each change in every case of what its variables were before.
    facts = Facts(variables, enumerator.reached, enumerator.known, changes)
    mutexes = Mutexes(changes, facts.count, facts.truths, facts.initial()).sets()
    facts.expand([*mutexes, *facts.different()])
    # 3. Operators.
    clauses, impossible = _goal(puzzle, enumerator, facts)
    table = _operators(facts, enumerator)
    sets = FactSets.of(mutexes, facts.count)
    dropped = superfluous(table.pre, facts.negatives, sets)
    dropped.difference_update(fact for clause in clauses for fact in clause)
    if dropped:
        kept = np.arange(facts.count + 1, dtype=np.int32)
        kept[[-1, *dropped]] = -1
        table = replace(table, pre=kept[table.pre], add=kept[table.add], delete=kept[table.delete])
    clauses = [clause or (facts.further_fact("never"),) for clause in clauses]
    if broken := broken_start(puzzle):
        clauses, impossible = [(facts.further_fact("never"),)], broken
    draft = Draft(
        name=facts.name,
        groups=tuple([group for group in facts.groups() if dropped.isdisjoint(group.facts)]),
        operators=arrays.with_twins(table),
        init=frozenset(facts.initial()).difference(dropped),
        goal=tuple(sorted(set(clauses))),
        unsolvable_because=impossible,
    )
    # 4. What authors of built-in families know: groups, interchangeable pieces, dead ends, a walker.
    draft = with_counted(strengthened(draft, mutexes, sets), facts.truths)
    draft = _with_positive_goal(draft, facts.negatives)
    draft = with_pieces(draft, facts.on_cells())
    if not dead_ends:
        draft = _without_dead_ends(draft)
    task = with_walker(draft, puzzle, facts).task(metric.components)
    return replace(task, objects=interchangeable_names(puzzle.within(metric.components)))


def _operators(facts: Facts, enumerator: Enumerator) -> OperatorTable:
    """The changes as operators. Preconditions come first: they create "none of" facts."""
    changes, count = facts.changes, len(facts.changes)
    required = facts.required(changes)
    pre, add, delete = [changes.needed, required], [changes.gained], [changes.lost]
    kept = np.ones(count, np.bool_)
    if facts.nones:
        kept, made, gone, asked = facts.effects(changes, required)
        pre, add, delete = [*pre, asked], [*add, made], [*delete, gone]
    numbers = changes.act, changes.price, np.arange(count), np.ones(count, np.int32)
    sets = arrays.beside(*pre), arrays.beside(*add), arrays.beside(*delete)
    walk = np.zeros((count, 0), np.int32)
    return OperatorTable(*numbers, *sets, walk, enumerator.acts, enumerator.prices, facts.count).where(kept)


def _goal(puzzle: Custom, enumerator: Enumerator, facts: Facts) -> tuple[list[tuple[int, ...]], str | None]:
    """The goal as clauses of facts; and why no state can be a goal, if that is so.

    A condition that holds in one way is that way; another is the negation of the cases where it does not hold.

    `not (boat: left, at[wolf]: left)` is the clause `boat: right or at[wolf]: right`.
    """
    clauses: dict[tuple[int, ...], None] = {}
    reached, first = facts.reached, facts.variables.first
    for number, names, holds, fails in enumerator.goal():
        if not holds:
            return [()], _out_of_reach(puzzle, number, names)
        if len(holds) == 1:
            for variable, mask in holds[0].items():
                if mask != reached[variable]:
                    clauses[tuple([first[variable] + value for value in bits(mask)])] = None
            continue
        for term in fails:
            clause = [first[v] + value for v, mask in term.items() for value in bits(reached[v] & ~mask)]
            clauses[tuple(sorted(clause))] = None
            if len(clauses) > MAX_CLAUSES:
                raise enumerator.too_many_clauses(number)
    return list(clauses), None


def _out_of_reach(puzzle: Custom, number: int, names: Mapping[str, Value]) -> str:
    """Why there is no plan, in a sentence: a part of the goal is false even in relaxed reachability."""
    which = f"condition {number} of `goal`" if len(puzzle.goal) > 1 else "the goal"
    said = [f"{name} = {text_of(value)}" for name, value in names.items() if not name.startswith("$")]
    return f"{which} needs a value that nothing can come to have{', for ' * bool(said)}{', '.join(said)}"


# Goals and dead ends


def _with_positive_goal(draft: Draft[OperatorTable], negative: Mapping[int, int]) -> Draft[OperatorTable]:
    """A goal that says where no piece may be, as one that says where the pieces are.

    Of n interchangeable pieces, n cells are left where none is forbidden: there they are. So "every box is on
    a target" is the same as "on every target is a box", where there are as many of both. `negative`: for each fact that
    is a truth value, the fact that it is false.
    """
    goal = set(draft.goal)
    for group in draft.groups:
        if group.kind != GroupKind.OBJECT:
            continue
        forbidden = {fact for fact in group.facts if (negative.get(fact, -1),) in goal}
        allowed = [fact for fact in group.facts if fact not in forbidden]
        if forbidden and len(allowed) == group.count:
            goal -= {(negative[fact],) for fact in forbidden}
            goal |= {(fact,) for fact in allowed}
    return replace(draft, goal=tuple(sorted(goal)))


def _without_dead_ends(draft: Draft[OperatorTable]) -> Draft[OperatorTable]:
    """Without operators that put an object where it can never come to a goal from.

    That is known of a group if the goal says where each of its objects has to be: of a group of count n, n clauses of
    one fact each; of a single object, any clauses. An object goes from fact to fact as some operator replaces one by
    the other; what leads to no fact of the goal is dead (the dead squares of Sokoban).
    """
    operators, dead = draft.operators, set[int]()
    for group in draft.groups:
        if group.kind != GroupKind.OBJECT:
            continue
        members = set(group.facts)
        within = [set(clause) for clause in draft.goal if members.issuperset(clause)]
        if group.count == 1:
            ends = set.intersection(*within) if within else members
        else:
            single = [fact for clause in within if len(clause) == 1 for fact in clause]
            ends = set(single) if len(set(single)) == group.count else members
        if ends == members:
            continue
        own = arrays.flags(members, operators.facts)
        before: dict[int, list[int]] = {}
        for fact, other in arrays.replacements(own, operators.add, operators.delete):
            before.setdefault(fact, []).append(other)
        alive, queue = set(ends), list(ends)
        for fact in queue:
            for other in before.get(fact, ()):
                if other not in alive:
                    alive.add(other)
                    queue.append(other)
        dead |= members - alive
    if not dead:
        return draft
    operators = operators.where(~arrays.some(arrays.flags(dead, operators.facts)[operators.add]))
    reason = draft.unsolvable_because
    stuck = dead.intersection(draft.init)
    if stuck and reason is None:
        reason = f"`{draft.name(min(stuck))}` can never come to be what the goal needs"
    return replace(draft, operators=operators, unsolvable_because=reason)


# Which form of a puzzle engines get that read both: enumerated operators, where they are few, or programs.

FEW = Effort(operators=1_000, steps=450_000)
"""Up to here operators are enumerated, which takes a few tenths of a second: what is known of operators (pairs of facts
that exclude each other, symmetries, matchings) is worth more than what programs save.
"""
FEW_OF_A_WALKER = Effort(operators=20_000, steps=4_500_000)
"""The same where something walks for nothing: programs have no walker, and a state for each cell that he is on."""
A_FEW = 6
"""Actions that are written as programs to see whether the order of actions may be of no importance."""


def form_of(puzzle: Custom, metric: Metric) -> Task:
    """Enumerated operators where they are few, else programs. Raises `GroundingError` where neither can be made."""
    try:
        task = ground(puzzle, metric, FEW_OF_A_WALKER if walking(puzzle) else FEW)
        return (_of_a_set(puzzle, metric) if task.operators else None) or task
    except GroundingError as error:
        reason = error.reason
    try:
        written = programs(puzzle, metric)
        return replace(written, instead_of=reason, interchangeable=interchangeable(puzzle, written))
    except GroundingError:
        return ground(puzzle, metric)


def _of_a_set(puzzle: Custom, metric: Metric) -> ProgramTask | None:
    """The task as programs, if the order of its actions does not matter: `cp-sat` states the whole puzzle in one model
    then. The first few actions show of nearly all others that it does.
    """
    if puzzle.always or any(table.different for table in puzzle.state.values()) or len(metric.components) > 1:
        return None
    try:
        if unordered(programs(puzzle, metric, most=A_FEW)) is None:
            return None
        task = replace(programs(puzzle, metric), instead_of="the order of actions does not matter")
    except GroundingError:
        return None
    actions = task.computed(unordered)
    return task if actions and actions.free else None
