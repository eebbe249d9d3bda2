"""How much of an optimum shares explain, and in which time: `budge explain --why` on shipped puzzles.

    python benchmarks/why.py --time-limit 30

A line for each puzzle: its optimum, states, the sum of single shares, the bound with joint ones, that with laws,
milestones, shortest plans and their number up to order, seconds of processor time.
Puzzles whose states cannot all be visited in the time (by the clock) are counted; of them what leaving out pieces says
is printed. At the end a line for each group: how
many are explained as a whole by single shares, with joint ones, and with laws; how much of all optima; median and most
seconds.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from budge import load, why
from budge.models.errors import BudgeError
from budge.models.library import expand
from budge.workflows.why.reasons import Reasons
from heading import heading

GROUPS = {
    "rush hour": ["rush_hour/level-*", "bird-*", "servais-93", "uva-*"],
    "klotski": ["klotski/"],
    "microban": ["sokoban/microban-*"],
    "n-puzzles": ["n_puzzle/"],
    "sliding blocks": ["sliding_block/"],
    "custom": ["custom/"],
}
"""Shipped puzzles by kind, as the command line names them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--time-limit", type=float, default=30.0)
    options = parser.parse_args()
    print(heading())
    print("puzzle\toptimum\tstates\tsingle\tjoint\tlaws\tmilestones\tplans\tup to order\tseconds", flush=True)
    summaries = []
    for group in options.group or GROUPS:
        rows = [row for name in expand(GROUPS[group]) if (row := measured(name, options.time_limit)) is not None]
        known = [row for row in rows if row]
        if known:
            seconds = [row[4] for row in known]
            single, joint, laws = (sum(row[column] == row[0] for row in known) for column in (1, 2, 3))
            share = 100 * sum(row[3] for row in known) / sum(row[0] for row in known)
            summaries.append(
                f"{group}: {len(known)} of {len(rows)} puzzles; explained by single shares {single}, "
                f"with joint ones {joint}, with laws {laws}; {share:.1f} % of all optima; "
                f"seconds {median(seconds):.2f} in the median, {max(seconds):.1f} at most"
            )
    print("\n" + "\n".join(summaries))


def measured(name: str, limit: float) -> tuple[int, int, int, int, float] | tuple[()] | None:
    """Optimum, single shares, bound, that with laws, seconds; nothing for too many states, None for a puzzle without a
    plan.
    """
    began = time.process_time()
    try:
        puzzle = load(name)
        found = why(puzzle, puzzle.header.metric.split(",")[0], time_limit=limit)
    except BudgeError as error:
        print(f"{name}\t{str(error).splitlines()[0]}", flush=True)
        return ()
    if found.stopped_by:
        print(
            f"{name}\t{found.stopped_by}; explained: {found.explained} of {found.optimum}{_removed(found)}", flush=True
        )
        return ()
    if found.optimum is None or found.shares is None or found.milestones is None:
        return None
    single, plans = sum(share.least for share in found.shares.single), found.plans
    milestones = len(found.milestones.chain) + len(found.milestones.others)
    numbers = (plans.number, plans.up_to_order) if plans else ("-", "-")
    seconds = time.process_time() - began
    bounds = single, found.shares.bound, found.explained
    values = (name, found.optimum, found.states, *bounds, milestones, *numbers)
    print("\t".join(str(value) for value in (*values, f"{seconds:.2f}")), flush=True)
    return found.optimum, *bounds, seconds


def _removed(found: Reasons) -> str:
    """What leaving out pieces says: the sum of what each needs alone, or how many can be left out."""
    known = found.removals
    if known is None:
        return ""
    if known.shares:
        return f" by what pieces need with all others away, singly {sum(one.least for one in known.shares.single)}"
    return f"; left out {len(known.left_out)}, needed {len(known.without)}, undecided {len(known.undecided)}"


if __name__ == "__main__":
    main()
