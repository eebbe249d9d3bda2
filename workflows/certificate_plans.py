"""Plans as the rules of the checker read them: the cell and path of each move, or the actions of a custom puzzle."""

from __future__ import annotations

from collections import deque

from ..models.moves import Slide
from ..models.plan import Plan
from ..proofs.acting import ActingGame, ActionPuzzle, written
from ..proofs.core.limits import Limits
from ..proofs.pieces import plan_text
from ..proofs.puzzles import Puzzle as Checkable
from ..proofs.rules_pddl import PddlPuzzle
from ..proofs.terms import CELL, State


def plan_of(plan: Plan, metric: str, read: Checkable, limits: Limits) -> str:
    """A plan as the checker reads it: the cell and path of each move, or the actions of a custom puzzle."""
    if isinstance(read, PddlPuzzle):
        return "".join(f"{move}\n" for move in plan.moves)
    if isinstance(read, ActionPuzzle):
        return _with_walks([str(move) for move in plan.moves], ActingGame(read, metric, limits))
    return plan_text([(move.cell, move.path) for move in plan.moves if isinstance(move, Slide)])


def _with_walks(acts: list[str], game: ActingGame) -> str:
    """A custom plan, an action a line, with every step of the walks that Budge leaves out.

    `push(left)@r2c5` is said where a walker goes to r2c5 first. Steps of walks cost nothing of what counts first.
    """
    single = [table.places[()] for table in game.tables if not table.of and table.domain.kind == CELL and table.places]
    state, lines = game.start, list[str]()
    for text in acts:
        name, _, cell = text.partition("@")
        came: dict[State, tuple[State, str] | None] = {state: None}
        queue = deque([state])
        while queue:
            here = queue.popleft()
            act = game.acts.get(name)
            if act is None or (cell and all(written(here[place]) != cell for place in single)):
                after = None
            else:
                after = game.after(act, here)
            if after is not None:
                walk, step = list[str](), came[here]
                while step is not None:
                    walk.append(step[1])
                    step = came[step[0]]
                lines += [*reversed(walk), name]
                state = after
                break
            for step_name, step_act in game.acts.items():
                there = game.after(step_act, here)
                if there is not None and there not in came and not game.price(step_act, here)[0]:
                    came[there] = here, step_name
                    queue.append(there)
    return "".join(f"{line}\n" for line in lines)
