"""A custom puzzle as a planning task.

The compiler (`cases`) splits actions into changes of variables (`instances`), these become facts and operators
(`facts`). Then what the built-in families know by themselves is found: values from which no goal can be reached any
more, and a walker: a variable whose values are cells, which goes from cell to neighbouring cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ....cells import DIRECTIONS, Cell, rc, shift
from ....collector import collector_paused
from ....cost import Metric
from ....task import GroupKind, Operator, Task, Walker, operator
from ..files.notation import Act
from ..language.expressions import text_of
from ..puzzle import Custom, Relaxed
from ..rules import walking
from .cases import Compiler
from .facts import Facts
from .instances import Fact, Rule, VariableChange, broken_at_start, reachable, rules_of, settled
from .invariants import Mutexes, by_fact, strengthened, with_counted
from .pieces import with_pieces
from .terms import TRUE, UNTRUE, bits
from .variables import Effort

MAX_CLAUSES = 20_000


def ground(puzzle: Custom, metric: Metric, effort: Effort | None = None) -> Task:
    """The task. Raises `GroundingError`, with the place, if it would be too large."""
    with collector_paused():  # it takes a third of the time to look for cycles, and there are hardly any
        return _ground(puzzle, metric, effort)


def _ground(puzzle: Custom, metric: Metric, effort: Effort | None) -> Task:
    compiler = Compiler(puzzle, effort)
    first = puzzle.start()
    start = {v: compiler.values[v].index(first[place]) for v, place in enumerate(compiler.places)}
    # 1. Instances: all changes of variables that the delete relaxation reaches, and the values that it reaches.
    changes = reachable(compiler, metric.components, start)
    reached = changes.reached
    puzzle.relaxed[metric.components] = Relaxed(frozenset(c.action for c in changes.found), tuple(reached))
    # 2. Values that exclude each other; with them, each change in every case of what its variables were before.
    mutexes = Mutexes(compiler, changes, start).sets()
    sets_of = by_fact(mutexes)
    found = [case for change in changes.found for case in settled(change, compiler, reached, sets_of)]
    compiler.full = list(reached)
    compiler.places_varying = {v for v, mask in enumerate(reached) if mask & (mask - 1)}
    # 3. Facts and operators. From here on a variable has only the values that are reached.
    clauses, impossible = _goal(puzzle, compiler, reached)
    facts = Facts(compiler, reached, start, found)
    operators = _operators(facts, found)
    goal = []
    for clause in clauses:
        goal.append(tuple(sorted(facts.number[fact] for fact in clause)))
        if not clause:
            goal[-1] = (facts._named("never"),)
    broken = broken_at_start(puzzle)
    if broken is not None:
        impossible = f"the initial state breaks condition {broken} of `always`"
    task = Task(
        name="",
        facts=tuple(facts.names),
        groups=tuple(facts.groups()),
        operators=tuple(operators),
        init=tuple(facts.initial()),
        goal=tuple(sorted(set(goal))),
        metric=metric.components,
        unsolvable_because=impossible,
    )
    # 4. What authors of built-in families know: groups, interchangeable pieces, dead ends, a walker.
    exclusive = [frozenset(facts.number[fact] for fact in one) for one in mutexes]
    task = with_counted(strengthened(task, facts.negatives(), exclusive), facts.truths())
    task = _with_positive_goal(task, facts.negatives())
    task = with_pieces(task, facts.on_cells())
    task = _without_dead_ends(task)
    return _compact(_with_walker(task, puzzle, facts, clauses) or task)


def _goal(puzzle: Custom, compiler: Compiler, reached: list[int]) -> tuple[list[frozenset[Fact]], str | None]:
    """The goal as clauses of values; and why no state can be a goal, if that is so.

    A condition that holds in one way is that way; another is the negation of the cases where it does not hold.

    `not (boat: left, at[wolf]: left)` is the clause `boat: right or at[wolf]: right`.
    """
    clauses: dict[frozenset[tuple[int, int]], None] = {}
    for number, condition in enumerate(puzzle.goal, 1):
        compiler.doing = ("goal", number)
        for rule in rules_of(condition, compiler):
            item = (rule.names, rule.conditions, rule.body)
            # Of a rule with conditions, that they do not hold is enough: `every` says it.
            ways = compiler.every([item], {}, TRUE)
            if len(ways) == 1:
                for variable, mask in ways[0].items():
                    if mask & reached[variable] != reached[variable]:
                        clauses[frozenset((variable, value) for value in bits(mask & reached[variable]))] = None
                continue
            if not ways:
                return [frozenset()], _out_of_reach(puzzle, number, rule)
            for term in compiler.some([item], {}, UNTRUE):
                clause = frozenset(
                    (variable, value) for variable, mask in term.items() for value in bits(reached[variable] & ~mask)
                )
                clauses[clause] = None
                if len(clauses) > MAX_CLAUSES:
                    raise compiler.error(f"falls into more than {MAX_CLAUSES:,} clauses", "say it in a simpler way")
    return list(clauses), None


def _out_of_reach(puzzle: Custom, number: int, rule: Rule) -> str:
    """Why there is no plan, in a sentence: a part of the goal is false even in relaxed reachability."""
    which = f"condition {number} of `goal`" if len(puzzle.goal) > 1 else "the goal"
    names = [f"{name} = {text_of(value)}" for name, value in rule.names.items() if not name.startswith("$")]
    return f"{which} needs a value that nothing can come to have{', for ' * bool(names)}{', '.join(names)}"


def _operators(facts: Facts, found: list[VariableChange]) -> list[Operator]:
    """The operators of the changes, equal ones only once. Preconditions are made first, as they create "none of"
    facts.
    """
    required = [facts.required(change) for change in found]
    seen: dict[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], int] = {}
    operators: list[Operator] = []
    used: dict[str, int] = {}
    for change, pre in zip(found, required, strict=True):
        effects = facts.effects(change)
        if pre is None or effects is None:
            continue
        added, deleted, besides = effects
        act = Act(change.action, tuple(map(text_of, change.args)))
        one = operator(str(act), [*pre, *besides], added, deleted, act, change.cost)
        key = (one.pre, one.add, one.delete)
        if key in seen:
            if operators[seen[key]].cost > one.cost:
                operators[seen[key]] = replace(one, name=operators[seen[key]].name)
            continue
        used[one.name] = used.get(one.name, 0) + 1
        if used[one.name] > 1:
            one = replace(one, name=f"{one.name} {used[one.name]}")
        seen[key] = len(operators)
        operators.append(one)
    return operators


# Goals and dead ends


def _with_positive_goal(task: Task, negative: Mapping[int, int]) -> Task:
    """A goal that says where no piece may be, as one that says where the pieces are.

    Of n interchangeable pieces, n cells are left where none is forbidden: there they are. So "every box is on
    a target" is the same as "on every target is a box", where there are as many of both. `negative`: for each fact that
    is a truth value, the fact that it is false.
    """
    goal = set(task.goal)
    for group in task.groups:
        if group.kind != GroupKind.OBJECT:
            continue
        forbidden = {fact for fact in group.facts if (negative.get(fact, -1),) in goal}
        left = [fact for fact in group.facts if fact not in forbidden]
        if forbidden and len(left) == group.count:
            goal -= {(negative[fact],) for fact in forbidden}
            goal |= {(fact,) for fact in left}
    return replace(task, goal=tuple(sorted(goal)))


def _without_dead_ends(task: Task) -> Task:
    """Without operators that put an object where it can never come to a goal from.

    That is known of a group if the goal says where each of its objects has to be: of a group of count n, n clauses of
    one fact each; of a single object, any clauses. An object goes from fact to fact as some operator replaces one by
    the other; what leads to no fact of the goal is dead (the dead squares of Sokoban).
    """
    dead: set[int] = set()
    for group in task.groups:
        if group.kind != GroupKind.OBJECT:
            continue
        members = set(group.facts)
        within = [set(clause) for clause in task.goal if members.issuperset(clause)]
        if group.count == 1:
            ends = set.intersection(*within) if within else members
        else:
            single = [fact for clause in within if len(clause) == 1 for fact in clause]
            ends = set(single) if len(set(single)) == group.count else members
        if ends == members:
            continue
        before: dict[int, set[int]] = {}
        for op in task.operators:
            gone, come = members.intersection(op.delete), members.intersection(op.add)
            for fact in come:
                before.setdefault(fact, set()).update(gone)
        alive, queue = set(ends), list(ends)
        for fact in queue:
            for other in before.get(fact, set()) - alive:
                alive.add(other)
                queue.append(other)
        dead |= members - alive
    if not dead:
        return task
    left = tuple(op for op in task.operators if dead.isdisjoint(op.add))
    reason = task.unsolvable_because
    stuck = dead.intersection(task.init)
    if stuck and reason is None:
        reason = f"`{task.facts[min(stuck)]}` can never come to be what the goal needs"
    return replace(task, operators=left, unsolvable_because=reason)


# The walker


def _with_walker(
    task: Task, puzzle: Custom, facts: Facts, clauses: Iterable[frozenset[tuple[int, int]]]
) -> Task | None:
    """The same task with a walker in place of a variable and its free steps; None if there is no walker.

    All that a walker is must be so: its steps all cost the same (in what counts first, nothing), lead to neighbouring
    cells and back, and need one fact at most, which depends on the cell alone; every other operator says where it
    stands before; nothing else asks for it.
    """
    home = walking(puzzle)
    if home is None:
        return None
    variable = facts.compiler.number[home[0], ()]
    if variable not in facts.compiler.places_varying or any(v == variable for clause in clauses for v, _ in clause):
        return None
    if any(v == variable for nones in facts.nones for v, _ in nones):
        return None
    cell_of: dict[int, Cell] = {}
    for value in bits(facts.reached[variable]):
        cell = facts.compiler.values[variable][value]
        assert isinstance(cell, tuple)
        cell_of[facts.number[variable, value]] = cell
    # The walking actions must be steps between neighbouring cells; what a cell needs to be entered is its "free" fact.
    actions = {action.name for action in home[1]}
    walks = [op for op in task.operators if isinstance(op.move, Act) and op.move.action in actions]
    found = _steps(walks, cell_of)
    if found is None:
        return None
    arcs, needs = found
    others = [op for op in task.operators if not (isinstance(op.move, Act) and op.move.action in actions)]
    # The walker's own facts go; engines want a "free" fact for each of its cells, so cells that need none get one.
    names = list(task.facts)
    init = set(task.init) - cell_of.keys()
    cells = sorted(cell_of.values())
    index = {cell: i for i, cell in enumerate(cells)}
    free = {cell: needs.get(cell) for cell in cells}
    walkable = {}
    for cell, fact in free.items():
        if fact is None:  # always free; engines have a fact of its own for each cell
            names.append(f"free {rc(cell)}")
            fact = len(names) - 1
            init.add(fact)
        walkable[cell] = fact
    begin = next(cell_of[fact] for fact in task.init if fact in cell_of)
    if free[begin] is not None and free[begin] not in init:
        return None
    operators = [_from_a_cell(op, cell_of, free, index) for op in others]
    if None in operators:
        return None
    return replace(
        task,
        facts=tuple(names),
        groups=tuple(group for group in task.groups if cell_of.keys().isdisjoint(group.facts)),
        operators=tuple(op for op in operators if op),
        init=tuple(sorted(init)),
        walker=Walker(
            cells=tuple(cells),
            free=tuple(walkable[cell] for cell in cells),
            neighbours=tuple(tuple(sorted(index[c] for c in arcs.get(cell, ()))) for cell in cells),
            start=index[begin],
            cost=walks[0].cost,
            silent=True,
        ),
    )


def _from_a_cell(
    op: Operator, cell_of: Mapping[int, Cell], free: Mapping[Cell, int | None], index: Mapping[Cell, int]
) -> Operator | None:
    """An operator with the walker's cells before and after it in place of their facts.

    None if it does not say where the walker stands, or if he may stand afterwards where it is not free.
    """
    before = [cell_of[fact] for fact in op.pre if fact in cell_of]
    if len(before) != 1:
        return None
    after = next((cell_of[fact] for fact in op.add if fact in cell_of), before[0])
    here, there = free[before[0]], free[after]
    # Where the walker stands it is free: it was so before, and is so after.
    if there is not None and (there in op.delete or (there not in op.add and there not in op.pre and there != here)):
        return None
    pre = {fact for fact in op.pre if fact not in cell_of} | ({here} if here is not None else set())
    assert isinstance(op.move, Act)
    return Operator(
        op.name,
        tuple(sorted(pre)),
        tuple([fact for fact in op.add if fact not in cell_of and fact not in pre]),
        tuple([fact for fact in op.delete if fact not in cell_of]),
        Act(op.move.action, op.move.args, text_of(before[0])),
        op.cost,
        (index[before[0]], index[after]),
    )


def _steps(
    walks: list[Operator], cell_of: dict[int, Cell]
) -> tuple[dict[Cell, set[Cell]], dict[Cell, int | None]] | None:
    """The cells that a walker can step to from each cell, and the fact that each cell needs; None if these are no
    walks.
    """
    arcs: dict[Cell, set[Cell]] = {}
    needs: dict[Cell, int | None] = {}
    for op in walks:
        here = [cell_of[fact] for fact in op.delete if fact in cell_of]
        there = [cell_of[fact] for fact in op.add if fact in cell_of]
        rest = [fact for fact in op.pre if fact not in cell_of]
        if (
            op.cost != walks[0].cost
            or op.cost[0]
            or len(op.delete) != 1
            or len(op.add) != 1
            or len(here) != 1
            or len(there) != 1
            or len(rest) > 1
        ):
            return None
        need = rest[0] if rest else None
        if needs.setdefault(there[0], need) != need:
            return None
        arcs.setdefault(here[0], set()).add(there[0])
    for cell, targets in arcs.items():
        near = {shift(cell, direction) for direction in DIRECTIONS}
        if not targets <= near or any(cell not in arcs.get(target, ()) for target in targets):
            return None
    return (arcs, needs) if arcs else None


def _compact(task: Task) -> Task:
    """The task without facts that nothing mentions any more, renumbered."""
    named = {fact for clause in task.goal for fact in clause} | set(task.init)
    named.update(*(op.pre for op in task.operators), *(op.add for op in task.operators))
    named.update(task.walker.free if task.walker else ())
    kept = sorted(named)
    new = {fact: number for number, fact in enumerate(kept)}

    def renumber(facts: Iterable[int]) -> tuple[int, ...]:
        return tuple([new[fact] for fact in facts if fact in new])

    operators = task.operators
    if len(kept) < len(task.facts):
        operators = tuple(
            Operator(op.name, renumber(op.pre), renumber(op.add), renumber(op.delete), op.move, op.cost, op.walk)
            for op in operators
        )
    walker, groups = task.walker, []
    for group in task.groups:
        left = renumber(group.facts)
        if len(left) > group.count:
            groups.append(replace(group, facts=left))
    if groups and not any(group.kind == GroupKind.OBJECT for group in groups):
        groups[0] = replace(groups[0], kind=GroupKind.OBJECT)  # engines need something that moves
    return replace(
        task,
        facts=tuple(task.facts[fact] for fact in kept),
        groups=tuple(groups),
        operators=operators,
        init=renumber(task.init),
        goal=tuple(map(renumber, task.goal)),
        walker=replace(walker, free=renumber(walker.free)) if walker else None,
    )
