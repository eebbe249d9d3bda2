"""How far python-constraint gets: the horizon at which the engine `csp` stands after 10 and 60 seconds.

    python benchmarks/csp_reach.py [--seconds 60] [PUZZLE[:METRIC]...]

Without puzzles: some shipped ones of every family. Seconds are those of the processor, so that other programs do not
disturb. For each puzzle a line: the optimum that the file expects, the bound of h^m, and either when the
optimum was proven or what was proven after 10 seconds and at the end.
"""

from __future__ import annotations

import argparse
import time

from budge import Status, load
from budge.models.cost import show_cost
from budge.runtime.budget import Budget
from budge.runtime.events import Event, LowerBound
from budge.workflows.solving import solve

SELECTION = (
    *("bird-1:slides", "bird-1:steps", "bird-2:steps", "bird-3:slides", "bird-4:slides"),
    *(f"level-{number:02}:slides" for number in (1, 5, 10, 15, 20, 25, 30, 35, 40)),
    *("servais-93:slides", "servais-93:steps"),
    *("eight-10", "eight-20", "eight-31-a", "korf-12"),
    *("heng-dao-li-ma:moves", "heng-dao-li-ma:steps", "impassable-gate:moves", "dads-puzzler:moves"),
    *(f"microban-{number:03}:pushes" for number in (1, 3, 7, 13, 23, 33, 45, 55)),
    *("microban-001:moves", "microban-007:moves", "microban-007:pushes,moves"),
)
FIRST_LOOK = 10.0


class ProcessorTime(Budget):
    """A budget that counts the processor's time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.began = time.process_time()

    @property
    def elapsed(self) -> float:
        return time.process_time() - self.began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*", metavar="PUZZLE[:METRIC]")
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    solve(load("bird-2"), "csp")  # compile the kernels
    print(f"{'puzzle':26} {'optimum':>8} {'h^m':>7} {'10 s':>6} {'end':>6}  result")
    for named in arguments.puzzles or SELECTION:
        name, _, metric = named.partition(":")
        puzzle = load(name)
        bounds: list[LowerBound] = []

        def tell(event: Event, bounds: list[LowerBound] = bounds) -> None:
            if isinstance(event, LowerBound):
                bounds.append(event)

        budget = ProcessorTime(arguments.seconds)
        solution = solve(puzzle, "csp", metric or None, budget, tell)
        seconds, outcome = budget.elapsed, solution.outcome
        expected = puzzle.header.expect.costs.get(solution.metric)
        early = max((event.lower_bound[0] for event in bounds if event.seconds <= FIRST_LOOK), default=0)
        last = max((event.lower_bound[0] for event in bounds), default=0)
        done = outcome.status in (Status.OPTIMAL, Status.UNSOLVABLE)
        result = f"{outcome.status.value} after {seconds:.1f} s" if done else f"at its limit ({outcome.stopped_by})"
        print(
            f"{named:26} {show_cost(expected) if expected else '?':>8} {bounds[0].lower_bound[0] if bounds else '-':>7}"
            f" {early:>6} {last:>6}  {result}, {outcome.stats.get('nodes', 0):,} nodes,"
            f" {outcome.stats.get('states', 0):,} states",
            flush=True,
        )


if __name__ == "__main__":
    main()
