"""What `budge explore` and `budge hint` print, as text and as JSON."""

from __future__ import annotations

from typing import Any

from ..engines.search.reachable import Space
from ..models.cost import Unit
from ..models.errors import Problem
from ..workflows.exploration import Answer
from .json_lines import as_objects
from .text import board, heading, wrap_plan


def as_text(answer: Answer, *, colour: bool = False) -> str:
    """The board, what is known of the distance to the goal, and the space or the best moves."""
    puzzle, outcome = answer.puzzle, answer.outcome
    parts = [heading(puzzle), "", board(puzzle, puzzle.board(), colour=colour), ""]
    parts += _distance(answer)
    if answer.space:
        parts += _space(answer, answer.space, colour=colour)
    if answer.moves:
        parts += ["best moves", wrap_plan(list(answer.moves))]
    if outcome.stopped_by:
        parts.append(f"stopped by   {outcome.stopped_by}")
    parts.append(f"time         {answer.seconds:.2f} s")
    if answer.contradicts:
        parts.append(f"WRONG EXPECT {answer.contradicts}")
    return "\n".join(parts)


def _distance(answer: Answer) -> list[str]:
    outcome = answer.outcome
    if answer.distance is not None:
        return [f"distance     {_unit(answer).counted(answer.distance)} from this position to the goal"]
    if outcome.lower_bound is not None:
        least = _unit(answer).counted(outcome.lower_bound[0])
        return [f"distance     at least {least}  {outcome.lower_bound_by}"]
    if outcome.lower_bound_by:
        return [f"unsolvable   {outcome.lower_bound_by}"]
    return ["distance     unknown"]


def _space(answer: Answer, space: Space, *, colour: bool) -> list[str]:
    seen = "seen so far" if space.stopped_by else "reachable"
    parts = [f"states       {space.states:,} {seen}, {space.goals:,} of them goals"]
    deepest = _unit(answer).counted(len(space.layers) - 1)
    parts += [f"depths       up to {deepest} from this position; states at each depth:", _counts(space.layers)]
    if space.distances:
        farthest = _unit(answer).counted(len(space.distances) - 1)
        parts += [f"distances    up to {farthest} from the goal; states at each distance:", _counts(space.distances)]
    if space.dead_ends is not None:
        parts.append(f"dead ends    {space.dead_ends:,} states from which no goal can be reached")
    if answer.farthest_board:
        count = space.distances[-1]
        parts.append(f"farthest     {f'one of {count:,} states' if count > 1 else 'the state'} farthest from the goal:")
        parts.append(board(answer.puzzle, answer.farthest_board, colour=colour))
    return parts


def _unit(answer: Answer) -> Unit:
    """What a step counts as: the metric has one component."""
    return answer.puzzle.metric(answer.metric).units[0]


def _counts(numbers: tuple[int, ...]) -> str:
    return wrap_plan([str(number) for number in numbers])


def as_json(answer: Answer) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    header, outcome, space = answer.puzzle.header, answer.outcome, answer.space
    shared: dict[str, Any] = {
        "type": "result",
        "command": "explore" if space else "hint",
        "puzzle": header.name,
        "file": header.file,
        "family": answer.puzzle.family,
        "metric": answer.metric,
        "status": outcome.status.value,
        "distance": answer.distance,
    }
    if space:
        shared |= {
            "states": space.states,
            "goal_states": space.goals,
            "dead_ends": space.dead_ends,
            "depths": space.layers,
            "distances": space.distances or None,
            "farthest": len(space.distances) - 1 if space.distances else None,
            "farthest_board": answer.farthest_board,
        }
    else:
        known = outcome.lower_bound
        shared |= {"lower_bound": known[0] if known else None, "moves": answer.moves, "stats": dict(outcome.stats)}
    return shared | {
        "lower_bound_by": outcome.lower_bound_by or None,
        "stopped_by": outcome.stopped_by,
        "contradicts": answer.contradicts,
        "seconds": {"total": round(answer.seconds, 4)},
    }


def failure(command: str, name: str, metric: str | None, message: str, problems: list[Problem]) -> dict[str, Any]:
    """The `result` object of a puzzle that could not be read or explored."""
    return {
        "type": "result",
        "command": command,
        "puzzle": name,
        "file": name,
        "metric": metric,
        "status": "error",
        "error": message,
        "problems": as_objects(problems),
    }
