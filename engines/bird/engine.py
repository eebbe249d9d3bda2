"""Richard Bird's plan refinement: Rush Hour solved by planning backward from what is in the way.

After *Pearls of Functional Algorithm Design* (Cambridge, 2010), "Planning solves the Rush Hour problem". A move
is one vehicle by one cell; a plan is a list of moves to be made in order, some of which may not be possible yet.
The first plan drives the target to its exit. A plan is refined until its first move can be made: what stands in
the way is moved off, forward or backward, as far as needed, which may need other vehicles to move first. The
only guard against going round in circles is that no move may enter a plan that it is already part of.

A *path* is the moves made, the state that they led to, and the plan for the rest. Its successors are of two
kinds: `asuccs` make the first move of each refined plan and keep the rest; `bsuccs` make any legal move and start
again from the first plan. Of two frontiers one is current:

- the first path of the current frontier is taken; if its state has been seen, it is dropped;
- its asuccs go to the front of the current frontier: depth first, as long as a plan leads on;
- its bsuccs go to the front of the other one, which becomes current when this one is empty.

The order within: a blocker goes forward (right, down) before backward; bsuccs try the target first, then the other
vehicles in reading order, each forward before backward. As in a lazy language, successors are made when they are
taken. Every state that is met gets its bsuccs, so the search is complete: when both frontiers are empty, every
reachable state has been seen. Nothing makes its plan the shortest, and its length depends on the order:

    board                         bird-1  bird-2  bird-3  bird-4  servais-93
    shortest                          34      18      55      81          93
    forward first (this order)        40      18      59      91         143
    backward first                    38      27      65      91         141

Beyond the chapter: boards of any size with walls, any exit, vehicles of any length. A vehicle's *lane* is the row
of cells between walls in which it moves; a move off its end does not exist. A first move that the state has
fulfilled already is dropped from the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...models.boards import LaneBoard
from ...models.cells import Cell
from ...models.moves import Move
from ...models.plan import Plan
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder

# Bytes that a state takes with its paths in the frontiers: 1,050 on a board of 12x12 with 44 vehicles.
STATE_BYTES = 1_500

# Refinements and states between two looks at the budget.
LOOK_EVERY = 256

UnitMove = tuple[int, int]
"""(vehicle, the cell that it newly covers, as an index of its lane)."""

State = tuple[int, ...]
"""For each vehicle the index in its lane of its first cell."""

Moves = tuple[UnitMove, "Moves"] | None
"""The moves made, the last one first; None for none."""

Path = tuple[Moves, State, tuple[UnitMove, ...]]


class _StoppedError(Exception):
    """The budget is used up; the argument says why."""


class Refinement:
    """The search on one board. Vehicle 0 is the target; `states` and `plans` count what was met and made."""

    def __init__(self, board: LaneBoard, budget: Budget) -> None:
        others = (v for number, v in enumerate(board.vehicles) if number != board.target)
        self.vehicles = [board.vehicles[board.target], *others]
        self.places = [{cell: i for i, cell in enumerate(v.cells)} for v in self.vehicles]
        self.start: State = tuple(v.position for v in self.vehicles)
        self.exit = self.places[0][board.exit]
        self.budget = budget
        self.states = self.plans = self.ticks = 0

    def search(self) -> Path | None:
        """The path to the exit; None if every reachable state has been seen. Raises `_StoppedError`."""
        seen: set[State] = set()
        current = [iter([self._first_path(None, self.start)])]
        other: list[Iterator[Path]] = []
        while current or other:
            if not current:
                current, other = other, current
            path = next(current[-1], None)
            if path is None:
                current.pop()
                continue
            state = path[1]
            if self._is_solved(state):
                return path
            if state in seen:
                continue
            seen.add(state)
            self.states = len(seen)
            self._tick()
            current.append(self._asuccs(path))
            other.append(self._bsuccs(path))
        return None

    def _first_path(self, moves: Moves, state: State) -> Path:
        return moves, state, self._expand(state, (0, self.exit))

    def _is_solved(self, state: State) -> bool:
        return state[0] <= self.exit < state[0] + self.vehicles[0].size

    def _asuccs(self, path: Path) -> Iterator[Path]:
        moves, state, plan = path
        for first, *rest in self._newplans(state, plan):
            yield (first, moves), self._after(state, first), tuple(rest)

    def _bsuccs(self, path: Path) -> Iterator[Path]:
        moves, state, _ = path
        covered = self._covered(state)
        for vehicle, (way, here) in enumerate(zip(self.vehicles, state, strict=True)):
            for i in (here + way.size, here - 1):
                if 0 <= i < len(way.cells) and way.cells[i] not in covered:
                    yield self._first_path(((vehicle, i), moves), self._after(state, (vehicle, i)))

    def _newplans(self, state: State, plan: tuple[UnitMove, ...]) -> Iterator[tuple[UnitMove, ...]]:
        """The refinements of a plan whose first move can be made now."""
        covered = self._covered(state)
        while plan and not self._expand(state, plan[0]):
            plan = plan[1:]
        waiting = [self._expand(state, plan[0]) + plan[1:]] if plan else []
        while waiting:
            self._tick()
            plan = waiting.pop()
            vehicle, i = plan[0]
            cell = self.vehicles[vehicle].cells[i]
            blocker = covered.get(cell)
            if blocker is None:
                self.plans += 1
                yield plan
                continue
            for way in reversed(self._freeingmoves(state, blocker, cell)):
                if not any(move in plan for move in way):
                    waiting.append(way + plan)

    def _freeingmoves(self, state: State, vehicle: int, cell: Cell) -> list[tuple[UnitMove, ...]]:
        """The ways to move a vehicle just off a cell: forward, backward, where its lane has room."""
        way, i = self.vehicles[vehicle], self.places[vehicle][cell]
        ends = [end for end in (i + way.size, i - way.size) if 0 <= end < len(way.cells)]
        return [self._expand(state, (vehicle, end)) for end in ends]

    def _expand(self, state: State, move: UnitMove) -> tuple[UnitMove, ...]:
        """The unit moves of a move to a cell that may be far off; empty if the vehicle covers the cell already."""
        vehicle, i = move
        rear, front = state[vehicle], state[vehicle] + self.vehicles[vehicle].size - 1
        cells = range(front + 1, i + 1) if i > front else range(rear - 1, i - 1, -1)
        return tuple((vehicle, j) for j in cells)

    def _after(self, state: State, move: UnitMove) -> State:
        """The state after a unit move that can be made."""
        vehicle, i = move
        here = state[vehicle]
        return (*state[:vehicle], here + 1 if i > here else here - 1, *state[vehicle + 1 :])

    def _covered(self, state: State) -> dict[Cell, int]:
        """For each covered cell the vehicle that covers it."""
        return {
            cell: vehicle
            for vehicle, (way, here) in enumerate(zip(self.vehicles, state, strict=True))
            for cell in way.cells[here : here + way.size]
        }

    def _tick(self) -> None:
        self.ticks += 1
        if self.ticks % LOOK_EVERY == 0 and (reason := self.budget.stopped(self.states * STATE_BYTES)):
            raise _StoppedError(reason)

    def plan(self, moves: Moves, *, long_moves: bool) -> Plan:
        """The moves in the order in which they are made, as a plan; with long moves, runs of a vehicle are one move."""
        backward: list[UnitMove] = []
        while moves is not None:
            move, moves = moves
            backward.append(move)
        state, played = self.start, list[Move]()
        last: tuple[int, bool] | None = None
        for move in reversed(backward):
            vehicle, i = move
            here = state[vehicle]
            forward = i > here
            slide = self.vehicles[vehicle].slide(here, here + 1 if forward else here - 1)
            if long_moves and last == (vehicle, forward):
                played[-1] = played[-1].then(slide)
            else:
                played.append(slide)
            last = vehicle, forward
            state = self._after(state, move)
        return Plan(tuple(played))


def solve(board: LaneBoard, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a board of lanes. A plan is an upper bound; a board without a plan is proven so by exhaustion.

    The search counts unit moves in any metric; the replay counts its plan in the metric asked for.
    """
    record = Recorder(budget, progress, by="plan refinement proves no lower bound", states=0, plans=0)
    if board.unsolvable_because:
        return record.unsolvable(board.unsolvable_because)
    search = Refinement(board, budget)
    record.encoded()
    path, reason = None, None
    try:
        path = search.search()
    except _StoppedError as stop:
        reason = str(stop)
    record.stats.update(states=search.states, plans=search.plans)
    if reason:
        return record.stopped(reason)
    if path is None:
        return record.unsolvable(f"plan refinement: none of the {search.states:,} reachable states is a goal")
    plan = search.plan(path[0], long_moves=board.long_moves)
    record.found(plan, (len(plan.moves),))
    return record.stopped(None)
