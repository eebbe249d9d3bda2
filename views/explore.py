"""What `budge explore`, `budge hint` and `budge explain` print, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..models.moves import plain_cost
from ..models.text import counted, listing
from ..runtime.outcome import Status
from ..workflows.exploration import MILESTONE, MOVE, PIECE, Answer
from ..workflows.solving import between
from .json_lines import about, head, picked
from .sections import Conclusion, Counts, Drawing, Section, Value, Words

if TYPE_CHECKING:
    # Their modules load arrays, which a puzzle in a notebook does not need.
    from ..engines.common.reachable import Features, Space
    from ..workflows.explaining import Explanation


def of_answer(answer: Answer, degree: str = MOVE) -> Iterator[Section]:
    """What is known of the distance to the goal, and the space or the best moves, as `degree` allows."""
    outcome = answer.outcome
    yield _distance(answer)
    if answer.space:
        yield from _space(answer, answer.space)
    if degree == MILESTONE:
        text = answer.milestone and f"{answer.milestone}, in every plan"
        yield Value("on the way", text or "no place is known that every plan passes")
    if answer.moves and degree == PIECE:
        yield Value("move", listing(answer.pieces, "or"))
    if answer.moves and degree == MOVE:
        yield Words("best moves" if answer.every else "a best move", answer.moves)
    if outcome.stopped_by:
        yield Value("stopped by", outcome.stopped_by + (f" while {outcome.stage}" if outcome.stage else ""))
    before = f"; before that, preparing {answer.prepare:.2f} s" if answer.prepare else ""
    yield Value("time", f"{answer.seconds:.2f} s{before}")
    if answer.contradicts:
        yield Conclusion(answer.contradicts, "bad", "MISMATCH")


def _distance(answer: Answer) -> Value:
    outcome, metric = answer.outcome, answer.puzzle.metric(answer.metric)
    if outcome.status is Status.OPTIMAL and outcome.upper_bound is not None:
        return Value("distance", f"{metric.counted(outcome.upper_bound)} from this position to the goal")
    if outcome.status is Status.UNSOLVABLE:
        return Value("unsolvable", outcome.lower_bound_by)
    bounds = between(outcome.lower_bound, outcome.upper_bound, metric.counted)
    return Value("distance", f"{bounds}  {outcome.lower_bound_by}".strip() if bounds else "unknown")


def _space(answer: Answer, space: Space) -> Iterator[Section]:
    seen = "seen so far" if space.stopped_by else "reachable"
    goals = f"{space.goals:,} of them {'a goal' if space.goals == 1 else 'goals'}" if space.goals else "none a goal"
    yield Value("states", f"{space.states:,} {seen}, {goals}")
    unit = answer.puzzle.metric(answer.metric).units[0]  # the metric has one component
    deepest = unit.counted(len(space.layers) - 1)
    yield Value("depths", f"up to {deepest} from this position; states at each depth:")
    yield Counts(space.layers)
    if space.distances:
        farthest = unit.counted(len(space.distances) - 1)
        yield Value("distances", f"up to {farthest} from the goal; states at each distance:")
        yield Counts(space.distances)
    if space.dead_ends is not None:
        yield Value("dead ends", f"{counted(space.dead_ends, 'state')} from which no goal can be reached")
    if space.features:
        yield Value("difficulty", _difficulty(space.features, answer.puzzle.family))
    if answer.farthest_board:
        count = space.distances[-1]
        which = f"one of {count:,} states" if count > 1 else "the state"
        yield Value("farthest", f"{which} farthest from the goal:")
        yield Drawing(answer.puzzle, answer.farthest_board)


def _difficulty(features: Features, family: str) -> str:
    """A few numbers besides the length of the shortest plan, in half a sentence each."""
    does, thing = ("changes", "thing") if family in ("custom", "pddl") else ("moves", "piece")  # lights, counters, ...
    near = f", {100 * features.near_dead_ends:.0f} % of the steps beside them lead to dead ends"
    plans = counted(features.shortest_plans, "shortest plan") + (near if features.near_dead_ends else "")
    moved = f"it {does} {counted(features.pieces_moved, thing)}, {counted(features.detours, 'step')} of it"
    return f"{plans}; {moved} away from the goal; {features.branching:.1f} steps from a state"


def as_json(answer: Answer) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    outcome, space = answer.outcome, answer.space
    value = {**head(answer.command), **about(answer.puzzle), **picked(answer, "metric status distance")}
    if space:
        value |= {
            **picked(space, "states goal_states=goals dead_ends depths=layers"),
            "distances": space.distances or None,
            "farthest": len(space.distances) - 1 if space.distances else None,
            "farthest_board": answer.farthest_board,
            "difficulty": asdict(space.features) if space.features else None,
        }
    else:
        value["lower_bound"] = plain_cost(outcome.lower_bound)
        value |= {**picked(answer, "moves pieces milestone"), "stats": dict(outcome.stats)}
    times = {"total": round(answer.seconds, 4), "prepare": round(answer.prepare, 4)}
    return {
        **value,
        **picked(outcome, "lower_bound_by? stopped_by stage?"),
        **picked(answer, "contradicts"),
        "seconds": times,
    }


# `budge explain`

NOTHING = "nothing: the goal is not out of reach in the relaxation, and everything can move"
NOTHING_OF_PROGRAMS = "nothing: the goal is not out of reach for any variable alone"
"""The same where actions are kept as programs, and not all states could be visited."""


def of_explanation(explanation: Explanation) -> Iterator[Section]:
    """Each finding; of a dead end, how one gets there and what it looks like."""
    for finding in explanation.findings:
        yield Value(finding.kind.value, finding.sentence)
        if finding.replay is not None:
            yield Words("", finding.replay.notation)
            steps = finding.replay.steps
            yield Drawing(explanation.puzzle, steps[-1].board) if steps else ""
    if not explanation.findings:
        nothing = NOTHING if explanation.space or explanation.actions is None else NOTHING_OF_PROGRAMS
        yield Value("found", nothing)
    yield Value("states", _states(explanation))
    if explanation.unsolvable:
        yield Value("status", "unsolvable: no plan exists")
    yield Value("time", f"{explanation.seconds:.2f} s")


def _states(explanation: Explanation) -> str:
    if explanation.space is None:
        return f"too many to visit them all in the time given ({explanation.size})"
    return f"{counted(explanation.space.states, 'reachable state')}, {explanation.space.goals:,} of them goals"


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    space = explanation.space
    return {
        **head("explain"),
        **about(explanation.puzzle),
        **picked(explanation, "metric unsolvable"),
        "findings": [
            picked(finding, "kind sentence proves_unsolvable=proves moves=replay") for finding in explanation.findings
        ],
        **picked(explanation, "operators programs=actions"),
        **picked(space, "states goal_states=goals dead_ends=dead"),
        **picked(explanation, "seconds"),
    }
