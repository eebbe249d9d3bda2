"""What `budge explore`, `budge hint` and `budge explain` print, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..engines.common.difficulty import Features, Space
from ..models.moves import Unit, plain_cost
from ..models.text import counted, listing
from ..workflows.explaining import Explanation, Finding
from ..workflows.exploration import MILESTONE, MOVE, PIECE, Answer
from .board import board, exit_of, position
from .json_lines import about, head
from .terminal import PLAIN, Screen, labelled, table, wide
from .text import heading, wrap_plan

# How often each number occurs, as a table with bars.

MOST_BARS = 16
"""Lines at most; longer histograms put several numbers into one line."""

LONGEST_BAR = 40

EIGHTHS = " ▏▎▍▌▋▊▉"
"""The last character of a bar, by its width in eighths of a column."""


def histogram(counts: Sequence[int], screen: Screen) -> list[str]:
    """A line for each number from 0 on, or for each range of numbers: how often it occurs, and a bar."""
    step = -(-len(counts) // MOST_BARS)
    ranges = [range(start, min(start + step, len(counts))) for start in range(0, len(counts), step)]
    sums = [sum(counts[number] for number in numbers) for numbers in ranges]
    names = [f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}" for numbers in ranges]
    rows = [(name, f"{total:,}") for name, total in zip(names, sums, strict=True)]
    taken = max(wide(line) for line in table(rows, (0, 1)))
    room = max(8, min(LONGEST_BAR, screen.width - taken - 6))
    bars = [_bar(total / max(sums) * room, screen) if total else "" for total in sums]
    return ["  " + line for line in table([(*row, bar) for row, bar in zip(rows, bars, strict=True)], (0, 1))]


def _bar(length: float, screen: Screen) -> str:
    """A bar of `length` columns; the smallest can still be seen."""
    if not screen.unicode:
        return "#" * max(1, round(length))
    eighths = max(1, round(8 * length))
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


def as_text(answer: Answer, screen: Screen = PLAIN, degree: str = MOVE) -> str:
    """The board, what is known of the distance to the goal, and the space or the best moves, as `degree` allows."""
    puzzle, outcome = answer.puzzle, answer.outcome
    parts = [heading(puzzle, screen), "", position(puzzle, screen), "", _distance(answer, screen)]
    if answer.space:
        parts += _space(answer, answer.space, screen)
    if degree == MILESTONE:
        text = answer.milestone and f"{answer.milestone}, in every plan"
        parts.append(labelled("on the way", text or "no place is known that every plan passes", screen.width))
    if answer.moves and degree == PIECE:
        parts.append(labelled("move", listing(answer.pieces, "or"), screen.width))
    if answer.moves and degree == MOVE:
        parts += ["best moves" if answer.every else "a best move", wrap_plan(list(answer.moves), screen)]
    if outcome.stopped_by:
        at = f" while {outcome.stage}" if outcome.stage else ""
        parts.append(labelled("stopped by", f"{outcome.stopped_by}{at}", screen.width))
    before = f"; before that, preparing {answer.prepare:.2f} s" if answer.prepare else ""
    parts.append(f"time         {answer.seconds:.2f} s{before}")
    if answer.contradicts:
        parts.append(labelled("MISMATCH", answer.contradicts, screen.width))
    return "\n".join(parts)


def _distance(answer: Answer, screen: Screen) -> str:
    outcome, label, text = answer.outcome, "distance", "unknown"
    metric = answer.puzzle.metric(answer.metric)
    if outcome.upper_bound is not None:
        text = f"{metric.counted(outcome.upper_bound)} from this position to the goal"
    elif outcome.lower_bound is not None:
        text = f"at least {metric.counted(outcome.lower_bound)}  {outcome.lower_bound_by}"
    elif outcome.lower_bound_by:
        label, text = "unsolvable", outcome.lower_bound_by
    return labelled(label, text, screen.width)


def _space(answer: Answer, space: Space, screen: Screen) -> list[str]:
    seen = "seen so far" if space.stopped_by else "reachable"
    goals = f"{space.goals:,} of them {'a goal' if space.goals == 1 else 'goals'}" if space.goals else "none a goal"
    parts = [labelled("states", f"{space.states:,} {seen}, {goals}", screen.width)]
    deepest = _unit(answer).counted(len(space.layers) - 1)
    parts.append(labelled("depths", f"up to {deepest} from this position; states at each depth:", screen.width))
    parts += histogram(space.layers, screen)
    if space.distances:
        farthest = _unit(answer).counted(len(space.distances) - 1)
        parts.append(labelled("distances", f"up to {farthest} from the goal; states at each distance:", screen.width))
        parts += histogram(space.distances, screen)
    if space.dead_ends is not None:
        dead = f"{counted(space.dead_ends, 'state')} from which no goal can be reached"
        parts.append(labelled("dead ends", dead, screen.width))
    if space.features:
        parts.append(labelled("difficulty", _difficulty(space.features, answer.puzzle.family), screen.width))
    if answer.farthest_board:
        count = space.distances[-1]
        which = f"one of {count:,} states" if count > 1 else "the state"
        parts.append(labelled("farthest", f"{which} farthest from the goal:", screen.width))
        parts.append(board(answer.puzzle, answer.farthest_board, screen, exit_of(answer.puzzle)))
    return parts


def _difficulty(found: Features, family: str) -> str:
    """A few numbers besides the length of the shortest plan, in half a sentence each."""
    does, thing = ("changes", "thing") if family in ("custom", "pddl") else ("moves", "piece")  # lights, counters, ...
    near = f", {100 * found.near_dead_ends:.0f} % of the steps beside them lead to dead ends"
    return (
        f"{counted(found.shortest_plans, 'shortest plan')}{near if found.near_dead_ends else ''}; "
        f"it {does} {counted(found.pieces_moved, thing)}, {counted(found.detours, 'step')} of it away from the goal; "
        f"{found.branching:.1f} steps from a state"
    )


def _unit(answer: Answer) -> Unit:
    """The unit in which steps are counted: the metric has one component."""
    return answer.puzzle.metric(answer.metric).units[0]


def as_json(answer: Answer) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    outcome, space = answer.outcome, answer.space
    shared: dict[str, Any] = {
        **head(answer.command),
        **about(answer.puzzle),
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
            "difficulty": asdict(space.features) if space.features else None,
        }
    else:
        shared |= {
            "lower_bound": plain_cost(outcome.lower_bound),
            "moves": answer.moves,
            "pieces": answer.pieces,
            "milestone": answer.milestone,
            "stats": dict(outcome.stats),
        }
    return shared | {
        "lower_bound_by": outcome.lower_bound_by or None,
        "stopped_by": outcome.stopped_by,
        "stage": outcome.stage or None,
        "contradicts": answer.contradicts,
        "seconds": {"total": round(answer.seconds, 4), "prepare": round(answer.prepare, 4)},
    }


# `budge explain`

NOTHING = "nothing: the goal is not out of reach in the relaxation, and everything can move"
NOTHING_OF_PROGRAMS = "nothing: the goal is not out of reach for any variable alone"
"""The same where actions are kept as programs, and not all states could be visited."""


def explanation_text(found: Explanation, screen: Screen = PLAIN) -> str:
    """The board, and each finding; of a dead end, how one gets there and what it looks like."""
    puzzle = found.puzzle
    parts = [heading(puzzle, screen), "", position(puzzle, screen), ""]
    for finding in found.findings:
        parts.append(labelled(finding.kind.value, finding.sentence, screen.width))
        parts += _way(found, finding, screen)
    if not found.findings:
        nothing = NOTHING if found.space or found.actions is None else NOTHING_OF_PROGRAMS
        parts.append(labelled("found", nothing, screen.width))
    parts.append(labelled("states", _states(found), screen.width))
    if found.unsolvable:
        parts.append(labelled("status", "unsolvable: no plan exists", screen.width))
    parts.append(f"time         {found.seconds:.2f} s")
    return "\n".join(parts)


def _way(found: Explanation, finding: Finding, screen: Screen) -> list[str]:
    if finding.replay is None:
        return []
    steps = finding.replay.steps
    drawn = board(found.puzzle, steps[-1].board, screen, exit_of(found.puzzle)) if steps else ""
    return [wrap_plan(list(finding.replay.notation), screen), drawn]


def _states(found: Explanation) -> str:
    if found.space is None:
        return f"too many to visit them all in the time given ({found.size})"
    return f"{counted(found.space.states, 'reachable state')}, {found.space.goals:,} of them goals"


def explanation_json(found: Explanation) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    space = found.space
    return {
        **head("explain"),
        **about(found.puzzle),
        "metric": found.metric,
        "unsolvable": found.unsolvable,
        "findings": [
            {
                "kind": finding.kind.value,
                "sentence": finding.sentence,
                "proves_unsolvable": finding.proves,
                "moves": finding.replay and list(finding.replay.notation),
            }
            for finding in found.findings
        ],
        "operators": found.operators,
        "programs": found.actions,
        "states": space and space.states,
        "goal_states": space and space.goals,
        "dead_ends": space and space.dead,
        "seconds": round(found.seconds, 4),
    }
