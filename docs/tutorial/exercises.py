"""The checks of the exercises in these notebooks: each prints `Right: ...`, or `Not yet: ...` and what is missing.

They hold what you wrote against Budge, or against the definition, on boards that you have not seen as well.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import budge

LOT = """\
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""

LOTS = (
    ("A solved lot", ("..AA", ".B..", ".B..")),
    ("One car in the way", ("AAB..", "..B..", ".....", ".....")),
    ("A long way", ("AA..BC", "DD..BC", "..EE..", "......")),
    ("Locked in", ("AAB", "CCB", "DDB")),
)


class NotYet(Exception):
    """What is missing, in a sentence."""


def _checked(check: Callable[..., str]) -> Callable[..., None]:
    """Print what a check says. An error in the code that is checked is no crash, but told."""

    @wraps(check)
    def run(*given: Any) -> None:
        try:
            print(f"Right: {check(*given)}")
        except NotYet as missing:
            print(f"Not yet: {missing}")
        except NotImplementedError:
            print("Not yet: this is still to be written.")
        except Exception as error:
            print(f"Not yet: your code raised {type(error).__name__}: {error}".splitlines()[0])

    return run


def _need(right: object, missing: str) -> None:
    if not right:
        raise NotYet(missing)


def _lot(rows: tuple[str, ...]) -> budge.Puzzle:
    return budge.load_dict({"format": 1, "family": "rush-hour", "board": list(rows), "metric": "steps"})


def _space(puzzle: Any, metric: str | None = None) -> Any:
    """All states of a puzzle."""
    return budge.explore(puzzle, metric).space


def _depth(start: Any, neighbours: Callable[[Any], Any], is_goal: Callable[[Any], bool]) -> int | None:
    """The distance of a nearest goal by breadth-first search; None if there is no way."""
    depth, queue = {start: 0}, deque([start])
    while queue:
        state = queue.popleft()
        if is_goal(state):
            return depth[state]
        for after in neighbours(state):
            if after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    return None


# 1. A parking lot


@_checked
def check_goal(is_goal: Callable[[tuple[str, ...]], bool]) -> str:
    cases = {("AA.BC", "...BC"): False, ("...AA", "BB..."): True, ("AA...",): False, ("..BAA", "..B.."): True}
    for board, wanted in cases.items():
        _need(bool(is_goal(board)) is wanted, f"is_goal({board}) should be {wanted}.")
    _need(not is_goal(("BB...", "..AA.")), "in ('BB...', '..AA.') car A is not at the right edge.")
    return "car A is out of the lot as soon as it touches the right edge."


@_checked
def check_slides(slides: Callable[[tuple[str, ...]], Any]) -> str:
    found = set(slides(("AA..", "..B.", "..B.")))
    wanted = {(".AA.", "..B.", "..B."), ("..AA", "..B.", "..B.")}
    _need(("AA..", "..B.", "..B.") not in found, "staying where one is is no slide.")
    _need(wanted <= found, "in ('AA..', '..B.', '..B.') car A can slide by one cell, and by two.")
    for name, rows in LOTS:
        ours, theirs = (
            _depth(rows, slides, lambda board: any(row.endswith("AA") for row in board)),
            budge.solve(_lot(rows), "bfs", "slides").cost,
        )
        _need(
            ours == theirs, f"on the lot {name!r}, breadth-first search over your slides finds {ours}, Budge {theirs}."
        )
    return "with slides for moves, your search finds the optima that Budge finds."


@_checked
def check_count(states: int, farthest: int) -> str:
    space = _space("bird-2", "steps")
    _need(states == space.states, f"bird-2 has not {states} states that can be reached.")
    depth = len(space.layers) - 1
    _need(farthest == depth, f"no, the farthest states are not {farthest} steps from the start.")
    return f"{states:,} states, the farthest {farthest} steps away. Each was visited once."


# 2. The formula


@_checked
def check_frame(refuted: Callable[[int], bool]) -> str:
    _need(
        refuted(4), "with horizon 4 the solver still finds a plan: some fact became true, and no operator made it so."
    )
    _need(not refuted(5), "with horizon 5 there is a plan, and your formula excludes it.")
    _need(refuted(6), "exactly 6 steps make no plan: a step that is taken back makes two more, not one.")
    _need(not refuted(7), "with horizon 7 there are plans (a step forth and back), and your formula excludes them.")
    return "4 steps are refuted, 5 are enough: the optimum is proven by your own formula."


@_checked
def check_parallel(layers: int) -> str:
    _need(layers != 5, "5 is the number of steps, one after the other. Which of them can be made at once?")
    _need(layers >= 3, f"car A has to make three steps one after the other, and {layers} layers are fewer.")
    _need(layers == 3, "fewer layers are enough.")
    return "3 layers: B and C leave while A comes nearer."


# 3. Bounds


@_checked
def check_heuristic(heuristic: Callable[[Any], int], blockers: Callable[[Any], int], distance: dict[Any, int]) -> str:
    better = 0
    for state, exact in distance.items():
        value = heuristic(state)
        _need(value <= exact, f"it says {value} of a state that is {exact} steps from a goal: that is too much.")
        better += value > blockers(state)
    _need(better, "it is admissible, but nowhere more than the cars in the way.")
    return f"it never says too much, and of {better:,} of {len(distance):,} states more than the cars in the way."


@_checked
def check_maximum(both: int, first: int, second: int) -> str:
    _need(
        both < min(first, second), f"{both} states were expanded; with one pattern alone it was {min(first, second)}."
    )
    return f"{both:,} states, instead of {first:,} and {second:,}: a maximum of bounds is a bound."


# 4. Your own family


@_checked
def check_mended(text: str) -> str:
    found = budge.check(text)
    for problem in found.problems:
        raise NotYet(f"line {problem.line}: {problem.message}.")
    _need(budge.solve(text, "bfs").cost == 6, "it can be read, but it is another puzzle: four litres take six moves.")
    return "no problem left, and six moves are proven."


@_checked
def check_lamps(text: str) -> str:
    puzzle = budge.load_text(text)
    lamps = 5

    def pressed(state: int) -> list[int]:
        masks = ((7 << i >> 1) & (1 << lamps) - 1 for i in range(lamps))
        return [state ^ mask for mask in masks]

    start = (1 << lamps) - 1
    ours, seen = _depth(start, pressed, lambda state: state == 0), list[int]()
    _depth(start, pressed, lambda state: bool(seen.append(state)))  # type: ignore[func-returns-value]
    space = _space(puzzle)
    _need(space.distance is not None, "no plan turns all lamps off.")
    _need(space.distance == ours, f"all five lamps can be off after {ours} presses, not {space.distance}.")
    _need(space.states == len(seen), f"{len(seen)} states can be reached, and {space.states} in yours.")
    return f"{ours} presses, proven on all {len(seen)} states that can be reached."


# 5. Certificates


@_checked
def check_replay(replay: Callable[[str, str], bool]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bird-2", "level-01", "microban-001"):
            budge.certify(name, place := Path(folder) / name, evidence="exhaustion")
            problem, plan = ((place / file).read_text() for file in ("problem.txt", "plan.txt"))
            lines = plan.splitlines()
            _need(replay(problem, plan), f"the plan of {name} is one, and you refuse it.")
            _need(
                not replay(problem, "\n".join(lines[:-1])), f"without its last move, the plan of {name} ends too early."
            )
            _need(
                not replay(problem, "\n".join(lines[1:])), f"without its first move, the plan of {name} cannot go on."
            )
            _need(not replay(problem, "jump\n" + plan), "there is no action `jump`.")
    return "you checked an upper bound without trusting any solver."


@_checked
def check_weaker(folder: str | Path) -> str:
    from budge.proofs.check import check_folder
    from budge.proofs.core.limits import Limits

    verdict = check_folder(Path(folder), Limits(60.0))
    _need(verdict.status == "valid", f"the checker says: {verdict.lines[0]}.")
    _need(
        "at least 4" in verdict.shown or "fewer than 4" in verdict.shown, f"it shows something else: {verdict.shown}."
    )
    return f"it shows: {verdict.shown}."
