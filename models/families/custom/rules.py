"""Playing a custom puzzle: the definition is interpreted, action by action.

An action is possible if all its conditions are true, every place that it assigns exists, every new value is one of its
table's, no place gets two values, and all that is `always` true is true after it. Walking that is free in some metric
may be left out of a plan: before an action that is not possible yet, the shortest walk to where it is, is made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import product

from ...cells import Cell, Rows
from ...errors import ReplayError
from ...plan import Simulator, fitting
from .drawing import drawn_lines
from .language.evaluate import Interpreter
from .language.expressions import Compare, Const, Expr, Read, Value, conjuncts, text_of, used
from .puzzle import Act, ActionSchema, Custom, DrawnLine, Place, shown, values_of

CustomState = dict[Place, Value]


def walking(puzzle: Custom) -> tuple[str, tuple[ActionSchema, ...]] | None:
    """The table that says where a walker is, and the actions by which it walks; None if there is none.

    A walker is a single place of the state whose value is a cell. An action walks if it assigns nothing else, and costs
    nothing in some metric. Whether such a table is a walker in the sense of the task, grounding finds out.
    """
    homes: dict[str, list[ActionSchema]] = {}
    for action in puzzle.actions.values():
        targets = {assignment.table for assignment in action.assignments}
        free = any(counting.costs.get(action.name, Const(0)) == Const(0) for counting in puzzle.countings)
        for name in targets if len(targets) == 1 and free else ():
            table = puzzle.state[name]
            if not table.of and table.domain.kind == "cell":
                homes.setdefault(name, []).append(action)
    return next(((name, tuple(actions)) for name, actions in homes.items()), None) if len(homes) == 1 else None


class CustomSimulator(Simulator[Act]):
    """Plays a custom puzzle move by move."""

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.state: CustomState = puzzle.start()
        self.now = Interpreter(puzzle)
        self.home, self.walks = walking(puzzle) or ("", ())
        self.costs = {counting.many: 0 for counting in puzzle.countings}
        self.made: list[Act] = []
        """The actions so far, each step of a walk among them."""

    def play(self, move: Act) -> str:
        action = self.puzzle.actions.get(move.action)
        if action is None:
            raise ReplayError(f"there is no action `{move.action}`")
        names = values_of(action, move)
        if move.at:
            self._walk(lambda: text_of(self.state[self.home, ()]) == move.at, f"walk to {move.at}")
        elif self.home and action not in self.walks and not self._possible(action, names):
            with suppress(ReplayError):
                self._walk(lambda: self._possible(action, names), "walk there")
        changed = self.changes(action, names)
        self._pay(action, names)
        self.state.update(changed)
        return str(move)

    def changes(self, action: ActionSchema, names: dict[str, Value]) -> CustomState:
        """The places that an action gives a value, with that. Raises `ReplayError` with the reason if it is not
        possible.
        """
        now, state, of = self.now, self.state, ("actions", action.name)
        number = now.first_broken("when", action.conditions, state, names, of)
        if number is not None:
            which = f"condition {number} of" if len(action.conditions) > 1 else "the condition of"
            raise ReplayError(f"{which} `{action.name}` does not hold")
        changed: CustomState = {}
        for number, assignment in enumerate(action.assignments, 1):
            now.begin(*of, "set", number)
            table = self.puzzle.state[assignment.table]
            for turn in now.turns(assignment.loops, names, state):
                place = table.name, tuple(now.value(arg, turn, state) for arg in assignment.args)
                if place not in state:
                    raise ReplayError(f"`{action.name}` changes `{table.name}` at a place that there is not")
                value = now.value(assignment.value, turn, state)
                if value is None or value not in table.domain.members:
                    raise ReplayError(f"`{action.name}` gives `{shown(place)}` a value that it cannot have")
                if changed.setdefault(place, value) != value:
                    raise ReplayError(f"`{action.name}` gives `{shown(place)}` two values")
        before = {place: state[place] for place in changed}
        state.update(changed)  # a copy of the state would take as long as the board is large
        try:
            for name in {table for table, _ in changed}:
                table = self.puzzle.state[name]
                if table.different and len({state[name, args] for args in table.values}) < len(table.values):
                    raise ReplayError(f"`{action.name}` makes two values of `{name}` equal")
            number = now.first_broken("always", self.puzzle.always, state)
        finally:
            state.update(before)
        if number is not None:
            raise ReplayError(f"after `{action.name}`, condition {number} of `always` does not hold")
        return changed

    def _pay(self, action: ActionSchema, names: dict[str, Value]) -> None:
        """Keep that an action is made, and add up what it costs. A component in which it has no cost (a division by 0,
        a number below 0) is not counted any longer: a plan in another metric is good without it.
        """
        self.made.append(act_of(action, names))
        self.now.begin("actions", action.name, "cost")
        for counting in self.puzzle.countings:
            price = counting.costs.get(action.name, Const(0))
            cost = self.now.value(price, names, self.state)
            if not isinstance(cost, int) or cost < 0:
                self.costs.pop(counting.many, None)
            elif counting.many in self.costs:
                self.costs[counting.many] += cost

    def _walk(self, there: Callable[[], bool], what: str) -> None:
        """Make the fewest walking actions until `there()` is true. Raises `ReplayError` if no walk leads there."""
        if not self.home:
            raise ReplayError("nothing walks in this puzzle")
        place: Place = self.home, ()
        start = self.state[place]
        came: dict[Value, tuple[Value, ActionSchema, dict[str, Value]] | None] = {start: None}
        queue = deque([start])
        while queue:
            here = self.state[place] = queue.popleft()
            if there():
                steps, step = [], came[here]
                while step is not None:
                    steps.append(step)
                    step = came[step[0]]
                for self.state[place], action, args in reversed(steps):
                    self._pay(action, args)
                self.state[place] = here
                return
            for action in self.walks:
                for values in product(*(domain.values for _, domain in action.parameters)):
                    args = dict(zip((name for name, _ in action.parameters), values, strict=True))
                    with suppress(ReplayError):
                        after = self.changes(action, args).get(place, here)
                        if after not in came:
                            came[after] = here, action, args
                            queue.append(after)
        self.state[place] = start
        raise ReplayError(f"there is no way to {what}")

    def _possible(self, action: ActionSchema, names: dict[str, Value]) -> bool:
        try:
            self.changes(action, names)
        except ReplayError:
            return False
        return True

    def moves(self, of: Cell | None = None) -> Iterable[Act]:
        """The actions that are possible without walking first; where a cell is asked for, all of them too."""
        for action in self.puzzle.actions.values():
            parts = [part for condition in action.conditions for part in conjuncts(condition)]
            parameters = [(name, domain.values) for name, domain in action.parameters]
            for names in fitting(parameters, parts, {}, used, partial(self._holds, action)):
                if self._possible(action, names):
                    yield act_of(action, names)

    def _holds(self, action: ActionSchema, condition: Expr, names: Mapping[str, Value]) -> bool:
        self.now.begin("actions", action.name)
        return self.now.holds(condition, names, self.state)

    @property
    def position(self) -> Hashable:
        return tuple(self.state.values())

    @property
    def solved(self) -> bool:
        return self.now.first_broken("goal", self.puzzle.goal, self.state) is None

    # Drawing

    @cached_property
    def lines(self) -> tuple[DrawnLine, ...]:
        """How every position is drawn."""
        return drawn_lines(self.puzzle)

    def board(self) -> Rows:
        rows = []
        self.now.begin("draw")
        for line in self.lines:
            for names in self.now.turns(line.loops, {}, self.state):
                text = "".join(part if isinstance(part, str) else self._drawn(part, names) for part in line.parts)
                rows.append(text.rstrip() if line.trimmed else text)
        return tuple(rows)

    def _drawn(self, part: Expr | tuple[Expr, int], names: Mapping[str, Value]) -> str:
        expr, width = part if isinstance(part, tuple) else (part, 0)
        return text_of(self.now.value(expr, names, self.state)).ljust(width)


def act_of(action: ActionSchema, names: Mapping[str, Value]) -> Act:
    """An action with values for its parameters, as plans have it."""
    return Act(action.name, tuple(text_of(names[name]) for name, _ in action.parameters))


def goal_cells(puzzle: Custom) -> dict[Cell, str]:
    """The cells on which the goal wants what one character draws, as `robot == cell(size, size)`, with it."""
    player, found = CustomSimulator(puzzle), dict[Cell, str]()
    rows = player.board()
    for wanted in (part for condition in puzzle.goal for part in conjuncts(condition)):
        if isinstance(wanted, Compare) and isinstance(wanted.left, Read) and not puzzle.reads(wanted.right):
            old, new = (player.now.value(side, {}, player.state) for side in (wanted.left, wanted.right))
            if wanted.op == "==" and isinstance(old, tuple) and isinstance(new, tuple):
                char = rows[old[0]][old[1]]
                found |= {new: char} if "".join(rows).count(char) == 1 else {}
    return found
