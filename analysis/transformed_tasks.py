"""Tasks in another form with the same plans: for engines and bounds that do not know what the given form says.

    to_strips           a walker's steps, picking up and putting down: facts and operators of their own
    macro-operators     a compound move, an object along a path: one operator
    layers of cost      an operator of cost 3: two steps of waiting, and the operator
    the task backward   from the goal to the start: bounds on the way ahead become bounds on the way behind
    spare objects       those that no plan needs are left out: the plans that do without them stay

Plans of the one are plans of the other at the same cost (in layers: divided by the costs' common divisor).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from ..models.cells import direction, rc
from ..models.moves import Cost, Slide, compound
from ..models.task import ExactlyInvariant, GroupKind, Operator, OperatorTask, Walker, operator
from .structure import structure_of


def to_strips(task: OperatorTask) -> OperatorTask:
    """The task without a walker and without compound moves.

    The facts of the task keep their numbers, and its operators come first, in their order.
    """
    return with_explicit_compound_moves(with_explicit_walker(task))


def with_explicit_compound_moves(task: OperatorTask) -> OperatorTask:
    """The task with single steps for compound moves: picking up costs one, moving on and putting down nothing."""
    if not task.compound_moves:
        return task
    places = sorted({place for op in task.operators for place in op.displacement or ()})
    base = len(task.facts)
    carried = {place: base + i for i, place in enumerate(places)}
    nothing = base + len(places)
    free = (0,) * len(task.metric)
    moving: list[Operator] = []
    for op in task.operators:
        assert op.displacement is not None
        before, after = (carried[place] for place in op.displacement)
        moving.append(operator(op.name, (*op.pre, before), (*op.add, after), (*op.delete, before), op.move, free))
    pick = [
        operator(f"pick up {task.facts[p]}", (p, nothing), (carried[p],), (nothing,), None, (1, *free[1:]))
        for p in places
    ]
    put = [
        operator(f"put down {task.facts[p]}", (p, carried[p]), (nothing,), (carried[p],), None, free) for p in places
    ]
    hand = tuple(range(base, nothing + 1))
    return replace(
        task,
        facts=(*task.facts, *(f"carrying {task.facts[p]}" for p in places), "carrying nothing"),
        groups=(*task.groups, ExactlyInvariant("carried", GroupKind.OBJECT, hand)),
        operators=(*moving, *pick, *put),
        init=(*task.init, nothing),
    )


def with_explicit_walker(task: OperatorTask) -> OperatorTask:
    """The same task without a walker: where the walker stands becomes facts, each cell walked an operator."""
    walker = task.walker
    if walker is None:
        return task
    base = len(task.facts)
    stands = tuple(f"walker at {rc(cell)}" for cell in walker.cells)
    operators: list[Operator] = []
    for op in task.operators:
        assert op.walk is not None
        before, after = (base + i for i in op.walk)
        operators.append(operator(op.name, (*op.pre, before), (*op.add, after), (*op.delete, before), op.move, op.cost))
    for i, targets in enumerate(walker.neighbours):
        cell = walker.cells[i]
        for j in targets:
            letter = direction(cell, walker.cells[j])
            operators.append(
                operator(
                    f"walk {letter} from {rc(cell)}",
                    (walker.free[j], base + i),
                    (base + j,),
                    (base + i,),
                    None if walker.silent else Slide(cell, letter),
                    walker.cost,
                )
            )
    return replace(
        task,
        facts=task.facts + stands,
        groups=(*task.groups, ExactlyInvariant("walker", GroupKind.OBJECT, tuple(range(base, base + len(stands))))),
        operators=tuple(operators),
        init=tuple(sorted((*task.init, base + walker.start))),
        walker=None,
    )


# Compound moves spelled out: positions, what they occupy, and macro-operators, one for each compound move.
#
# In a task with compound moves a step takes one object along a path of operators. All that such a path asks of the
# rest of the board is that the cells which it crosses are free; those that the object itself covers at first do not
# count. A macro-operator does all operators of a path at once (Korf, *Macro-operators: a weak method for learning*,
# Artificial Intelligence 1985).


@dataclass(frozen=True, slots=True)
class CompoundMoves:
    """The places of a task with compound moves.

    `places`: the facts that say where an object is; `occupied`: for each place the facts (cells that are free) that
    cannot be true while an object is there; `arcs`: for each operator (place before, place after, for each other fact
    that it requires: the fact and the places of the same object that make it false, sorted).

    Example: a piece A that covers r1c1 and r1c2 moves right if r1c3 is free. Its arc leads from `A at r1c1` to
    `A at r1c2` and needs `free r1c3`, which is false while A itself is at r1c2 or r1c3: a path that starts at one of
    these crosses r1c3 all the same.
    """

    places: tuple[int, ...]
    occupied: dict[int, frozenset[int]]
    arcs: tuple[tuple[int, int, tuple[tuple[int, tuple[int, ...]], ...]], ...]

    @staticmethod
    def of(task: OperatorTask) -> CompoundMoves:
        """Raises `ValueError` if a fact that operators change is neither a place nor decided by places."""
        structure = structure_of(task)
        places = {place for op in task.operators for place in op.displacement or ()}
        decided = structure.changing - places
        occupied: dict[int, set[int]] = {place: set() for place in places}
        rivals: dict[int, set[int]] = {}
        for group in task.groups:
            others = decided.intersection(group.facts)
            if group.count == 1 and len(others) == 1:
                (fact,) = others
                rivals.setdefault(fact, set()).update(places.intersection(group.facts))
                for place in rivals[fact]:
                    occupied[place].add(fact)
        for fact in decided - rivals.keys():
            raise ValueError(f"fact {task.facts[fact]} is not decided by the places of objects")
        component = structure.component.tolist()
        arcs = []
        for op in task.operators:
            assert op.displacement is not None
            before, after = op.displacement
            needs = tuple(
                (fact, tuple(sorted(p for p in rivals.get(fact, ()) if component[p] == component[before])))
                for fact in op.pre
                if fact != before
            )
            arcs.append((before, after, needs))
        return CompoundMoves(tuple(sorted(places)), {p: frozenset(f) for p, f in occupied.items()}, tuple(arcs))


def with_macro_operators(task: OperatorTask, most: int) -> OperatorTask | None:
    """The same task with each compound move as one operator, or None if that takes more than `most` operators.

    For each two places there is one operator for each inclusion-minimal set of facts that some path between them
    requires, and that the task's groups allow (no more free cells than there are).
    """
    moves = CompoundMoves.of(task)
    operators: list[Operator] = []
    for start in moves.places:
        for macro in _macros_from(task, moves, start):
            operators.append(macro)
            if len(operators) > most:
                return None
    return replace(task, operators=tuple(operators))


def _macros_from(task: OperatorTask, moves: CompoundMoves, start: int) -> Iterator[Operator]:
    """The macro-operators from a place, in the order of how many facts they require."""
    rooms = [(frozenset(g.facts), g.count) for g in task.groups if not moves.occupied.keys() & set(g.facts)]
    leaving: dict[int, list[tuple[int, int, frozenset[int]]]] = {}
    for number, (before, after, needs) in enumerate(moves.arcs):
        required = frozenset(fact for fact, places in needs if start not in places)
        leaving.setdefault(before, []).append((number, after, required))
    # Paths (place, facts required, operators), those with fewer facts first: then a set that is met at a place is
    # minimal unless it contains one that was met there before.
    minimal: dict[int, list[frozenset[int]]] = {}
    waiting: list[list[tuple[int, frozenset[int], tuple[int, ...]]]] = [[(start, frozenset(), ())]]
    for size in range(len(task.facts)):
        if size >= len(waiting):
            return
        for place, required, path in waiting[size]:  # grows while it is read
            if any(other <= required for other in minimal.get(place, ())):
                continue
            minimal.setdefault(place, []).append(required)
            if path:
                yield _macro(task, moves, required, path)
            for number, after, more in leaving.get(place, ()):
                union = required | more
                if any(len(union & facts) > count for facts, count in rooms):
                    continue
                while len(waiting) <= len(union):
                    waiting.append([])
                waiting[len(union)].append((after, union, (*path, number)))


def _macro(task: OperatorTask, moves: CompoundMoves, required: frozenset[int], path: tuple[int, ...]) -> Operator:
    """One macro-operator with the effect of the operators of a path, one after the other."""
    start, end = moves.arcs[path[0]][0], moves.arcs[path[-1]][1]
    old, new = moves.occupied[start], moves.occupied[end]
    first = task.operators[path[0]]
    return Operator(
        name=f"{task.facts[start]} to {task.facts[end]}",
        pre=tuple(sorted({start, *required})),
        add=tuple(sorted({end, *(old - new)})),
        delete=tuple(sorted({start, *(new - old)})),
        move=compound(task.operators[n].move for n in path),
        cost=first.cost,
    )


# The form of a task in which a plan's horizon is its cost: every step costs one.

# Each compound move becomes one operator if that gives at most this many times the number of single operators; else the
# task keeps its compound moves, and a step is a path. (Refuting 40 moves of Klotski took CP-SAT 6,473 conflicts with
# macro-operators, 354 for 188 single ones, and 66,667 with a path inside the step. On roomy boards the paths are too
# many, and the path inside the step wins.)
MACRO_OPERATORS = 4


def with_unit_cost(task: OperatorTask) -> OperatorTask | None:
    """The same task with steps that cost one each in the first component, or None if operators cost otherwise.

    Walking that is paid for there becomes operators.
    """
    if task.walker and task.walker.cost[0]:
        task = with_explicit_walker(task)
    if task.compound_moves:
        task = with_macro_operators(task, MACRO_OPERATORS * len(task.operators)) or task
    return task if all(op.cost[0] == 1 for op in task.operators) else None


# The form of a task in which layers are counted in cost: every operator takes one layer, or none.
#
# An operator of cost c has to be waited for: c - 1 steps in which nothing happens but waiting, one layer each, and
# then the operator, in its last layer. Example, costs 3 and 1:
#
#     layer   0        1        2              3              4
#     step        wait     wait     A (cost 3)     B (cost 1)
#
# So the number of layers is the cost, and bounded models, h^m and bounds on horizons serve costs as they serve steps.
# Costs are divided by their common divisor first. (Naming an operator by its first layer would be wrong: what it
# changes would be there before it is paid for, and a bound on what can be reached by then too low.)

# The most layers that an operator may take: each is a fact, and h² looks at all pairs of facts.
MOST_WAITING = 400


@dataclass(frozen=True, slots=True)
class CostLayers:
    """A `task` with the same plans whose operators cost 0 or 1 in the first component, and what a layer costs there in
    the original: `unit`. Operators that wait are no moves; `source` is the task without them, for searches.
    """

    task: OperatorTask
    source: OperatorTask
    unit: int = 1

    @property
    def free(self) -> bool:
        """Whether some operator takes no layer."""
        return any(not op.cost[0] for op in self.task.operators)


def with_cost_layers(task: OperatorTask) -> CostLayers | None:
    """The task in layers of cost; None if an operator takes more than `MOST_WAITING` of them, or no operator any."""
    steps = with_unit_cost(task)
    if steps is not None:
        return CostLayers(steps, steps)
    source, task = task, with_explicit_walker(task)
    unit = task.layer_cost
    most = max(op.cost[0] for op in task.operators) // unit
    if task.compound_moves or not 0 < most <= MOST_WAITING:
        return None
    return CostLayers(_with_waiting(task, unit, most), source, unit)


def _with_waiting(task: OperatorTask, unit: int, most: int) -> OperatorTask:
    """The task with facts `waited 0` to `waited most - 1`, and operators that wait for one layer more."""
    if most <= 1:
        return replace(task, operators=tuple(replace(op, cost=_last_layer(op, unit)) for op in task.operators))
    base = len(task.facts)
    waited = range(base, base + most)
    needed = {max(op.cost[0] // unit - 1, 0) for op in task.operators}
    operators = []
    for op in task.operators:
        before = waited[max(op.cost[0] // unit - 1, 0)]
        changes = before != base
        operators.append(
            replace(
                op,
                pre=(*op.pre, before),
                add=(*op.add, base) if changes else op.add,
                delete=(*op.delete, before) if changes else op.delete,
                cost=_last_layer(op, unit),
            )
        )
    nothing = (0,) * (len(task.metric) - 1)
    for k in range(max(needed)):
        operators.append(Operator(f"wait {k + 1}", (waited[k],), (waited[k + 1],), (waited[k],), None, (1, *nothing)))
    return replace(
        task,
        facts=(*task.facts, *(f"waited {k}" for k in range(most))),
        groups=(*task.groups, ExactlyInvariant("waited", GroupKind.RESOURCE, tuple(waited))),
        operators=tuple(operators),
        init=(*task.init, base),
        goal=(*task.goal, (base,)),
    )


def _last_layer(op: Operator, unit: int) -> Cost:
    """The cost of an operator in the layer in which it is applied: one, or nothing if it is free."""
    return (min(op.cost[0] // unit, 1), *op.cost[1:])


# The task backward: its plans are those of the task, from the end to the start.
#
# A bound on the steps from a state to the goal of the backward task is one on the steps from the initial state to
# that state: so what is known of the way ahead (matchings, conflicts, dead sets) can be asked of the way behind.


def backward(task: OperatorTask) -> OperatorTask | None:
    """The task backward, its facts, groups and cells numbered alike. None if the goal leaves open what is true in the
    end, or it has compound moves.

    An operator requires what is true after it, and brings back what was true before; a walker stands where he ends, and
    ends where he stood: a push becomes a pull. The goal is that movable objects are where they are at first. It says
    nothing of where the walker is then, and the initial state puts him on any free cell: where he ends is not known.
    """
    end = None if task.compound_moves else _end(task)
    free = [cell for cell, fact in enumerate(task.walker.free) if end and fact in end] if task.walker else []
    if end is None or (task.walker and not free):
        return None
    first = {f for group in task.groups if group.kind is GroupKind.OBJECT for f in group.facts} & {*task.init}
    walker = task.walker and replace(task.walker, start=free[0])
    return replace(
        task,
        operators=tuple(_undoing(op, task.walker) for op in task.operators),
        init=tuple(sorted(end)),
        goal=tuple((fact,) for fact in sorted(first)),
        walker=walker,
        unsolvable_because=None,
    )


def _undoing(op: Operator, walker: Walker | None) -> Operator:
    pre, walk = {*op.after}, None
    if walker and op.walk:
        before, after = op.walk
        if walker.free[before] not in op.delete:
            pre.add(walker.free[before])  # he stood there, and nothing has come there
        walk = after, before
    return operator(op.name, tuple(pre), op.delete, op.add, None, op.cost, walk=walk)


def _end(task: OperatorTask) -> set[int] | None:
    """The facts that are true in every goal state, if these are all the facts that can be."""
    true = {clause[0] for clause in task.goal if len(clause) == 1}
    changed = {f for op in task.operators for f in (*op.add, *op.delete)}
    true |= {f for f in task.init if f not in changed}
    open_facts = changed - true
    while open_facts:
        size = len(open_facts)
        for group in task.groups:
            unknown = open_facts.intersection(group.facts)
            missing = group.count - len(true.intersection(group.facts))
            if missing in (0, len(unknown)):
                true |= unknown if missing else set()
                open_facts -= unknown
        if len(open_facts) == size:
            return None
    return true


# Objects that no plan needs: the operators that touch them are left out.
#
#     thirty blocks on the table, a tower of four wanted      the other 26 stay where they are
#     a hundred balls, five of them wanted elsewhere          nobody picks up the other 95
#
# States without an object o are the image of those with it: each fact that names o is mapped to a fact that it stands
# in for, of a group of which exactly one is true, or to nothing.
#
#     f(carry ball7 left) = free left    f(on b5 b7) = ontable b5    f(on b7 b5) = clear b5    f(at ball7 hall) =
#     nothing
#
# An operator that names o then does nothing (picking up ball7), or what another does (stacking b5 on b7: putting it
# down). If that holds of all of them, a plan with o becomes one without it that costs no more. This is an
# endomorphism of the task (Horcik and Fiser, *Endomorphisms of classical planning tasks*, AAAI 2021). Which one is
# tried is guessed from the names of facts; that it is one is proven from the operators alone (`_Leaving.holds`).

# How many maps of facts are tried for an object, before it is taken to be needed.
MOST_WAYS = 32

Map = dict[int, int | None]


def without_spare_objects(task: OperatorTask) -> OperatorTask:
    """The task without the operators of objects that no plan needs: of the same cost, and its plans are plans of both.

    Only `operators` changes. Tasks with a walker or compound moves stay as they are.
    """
    if task.walker or task.compound_moves:
        return task
    leaving = _Leaving(task)
    for name in leaving.named:
        leaving.try_without(name)
    kept = [op for number, op in enumerate(task.operators) if number not in leaving.left_out]
    return replace(task, operators=tuple(kept)) if leaving.left_out else task


class _Leaving:
    """Leaves objects out, one after the other. `named`: of each, the facts that name it."""

    def __init__(self, task: OperatorTask) -> None:
        self.task, self.init = task, frozenset(task.init)
        self.words = [tuple(fact.split()) for fact in task.facts]
        self.groups = [group.facts if group.count == 1 else () for group in task.groups]
        self.named: dict[str, list[int]] = defaultdict(list)
        for fact, words in enumerate(self.words):
            for word in {*words[1:]}:
                self.named[word].append(fact)
        wanted = {word for clause in task.goal for fact in clause for word in self.words[fact]}
        self.named = {word: facts for word, facts in self.named.items() if word not in wanted}
        self.touching: dict[int, list[int]] = defaultdict(list)
        self.by_pre: dict[frozenset[int], list[int]] = defaultdict(list)
        for number, op in enumerate(task.operators):
            self.by_pre[frozenset(op.pre)].append(number)
            for fact in (*op.pre, *op.add):
                self.touching[fact].append(number)
        self.left_out: set[int] = set()
        self.last: dict[tuple[str, ...], str | None] = {}

    def try_without(self, name: str) -> None:
        """Leave an object out, if that can be."""
        touched = {number for fact in self.named[name] for number in self.touching[fact]} - self.left_out
        if touched and any(self.holds(f, touched) for f in islice(self._maps(name), MOST_WAYS)):
            self.left_out |= touched

    def _maps(self, name: str) -> Iterator[Map]:
        """What the facts of an object may stand in for: facts of their groups that name only what they name besides,
        chosen by predicate.
        """
        options: dict[tuple[str, ...], dict[str | None, None]] = {}
        fitting: dict[int, tuple[tuple[str, ...], dict[str | None, int]]] = {}
        for fact in self.named[name]:
            words = self.words[fact]
            pattern = (words[0], *["*" if word == name else "" for word in words[1:]])
            others = {*words[1:]} - {name}
            fits: dict[str | None, int] = {
                self.words[other][0]: other
                for n in self.task.groups_of[fact]
                for other in self.groups[n]
                if name not in self.words[other] and others.issuperset(self.words[other][1:])
            }
            fitting[fact] = pattern, fits
            options.setdefault(pattern, {self.last[pattern]: None} if pattern in self.last else {}).update(
                dict.fromkeys((*fits, None))
            )
        for choice in product(*options.values()):
            chosen = dict(zip(options, choice, strict=True))
            self.last = chosen
            yield {fact: fits.get(chosen[pattern]) for fact, (pattern, fits) in fitting.items()}

    def holds(self, f: Map, touched: set[int]) -> bool:
        """Whether every operator that is touched does nothing to the images of states, or what a kept one does.

        Those that are not touched do the same to both, as a fact stands in for another of its group only: where an
        operator deletes that, which it requires, the one standing in is false.
        """
        # 1. The image of the initial state has to lie in the initial state itself.
        if any(f[fact] is not None and f[fact] not in self.init for fact in self.init & f.keys()):
            return False
        standing_in: dict[int, list[int]] = defaultdict(list)
        for fact, image in f.items():
            if image is not None:
                standing_in[image].append(fact)
        # 2. Each touched operator: its image does nothing, or a kept operator does as much at no more cost.
        return all(self._passes(self.task.operators[number], f, standing_in, touched) for number in touched)

    def _passes(self, op: Operator, f: Map, standing_in: dict[int, list[int]], touched: set[int]) -> bool:
        before, after = _image(op.pre, f), _image(op.add, f)
        # What it adds holds already in the image: the step can be left out.
        if after <= before:
            return True
        return any(
            # As cheap; it gives all that the image must have; and what it takes away was taken away too, or was false.
            other.cost <= op.cost
            and after <= (before - {*other.delete}) | {*other.add}
            and all(
                fact in op.delete or self._excluded(fact, op.pre)
                for gone in other.delete
                for fact in (gone, *standing_in[gone])
            )
            for number in self.by_pre[before]
            if number not in touched and number not in self.left_out
            for other in (self.task.operators[number],)
        )

    def _excluded(self, fact: int, true: tuple[int, ...]) -> bool:
        """Whether a fact is false where some others are true."""
        groups = (self.groups[n] for n in self.task.groups_of[fact])
        return fact not in true and any(other in facts for facts in groups for other in true)


def _image(facts: Iterable[int], f: Map) -> frozenset[int]:
    return frozenset(image for fact in facts if (image := f.get(fact, fact)) is not None)
