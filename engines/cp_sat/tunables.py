"""The tunables of the engine `cp-sat`, all in one table. Times are of a machine with two cores.

What is not here: the parameters of CP-SAT itself, which `solver` explains.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class CpSatTunables:
    """See `runtime.tunables`."""

    # Tables of h^m values, computed on the second core (engine.py, run.py)
    h3_patience: float = tunable(
        1.0,
        0.0,
        60.0,
        "seconds to wait for h³ before the first model",
        "h³ of Klotski takes 0.1 s, of a 9x9 board 0.4 s",
    )
    deepest: int = tunable(
        5,
        2,
        5,
        "h^m is computed up to this m, where sets are few enough",
        "Klotski, 81 moves: h⁴ 61 (1 s), h⁵ 81 (25 s)",
    )
    deeper_after: float = tunable(
        1.0, 0.0, 600.0, "seconds after which h⁴ is begun, if the puzzle is not solved by then", "most puzzles are"
    )
    deeper_after_parallel: float = tunable(
        30.0,
        0.0,
        600.0,
        "seconds after which h³ is begun beside parallel steps, for what they do not solve: it may prove that there is "
        "no plan",
        "12x12 and 14x14 boards: 62 s of processor time with h³ at once, 40 without, the same conflicts",
    )
    matching_lead: float = tunable(
        2.0,
        1.0,
        100.0,
        "no deeper h^m where the bound by matching is this many times that of h^m: many objects have far to go, and no "
        "few of them tell how far; the core is free for companions",
    )
    much_deeper: float = tunable(
        1.1,
        1.0,
        100.0,
        "a model is given up for one with deeper h^m whose own bound is this many times that of the old, although it "
        "does not raise the proven bound",
        "Microban 140: 17 s; 50 to 60 s where they had to wait for the next model",
    )

    most_free_steps: int = tunable(
        6,
        0,
        100,
        "free steps between two that are paid for: a model has room for so many, where no more are needed",
    )

    dear: float = tunable(
        12.0,
        1.0,
        10**9,
        "layers that operators take in the mean, from which on steps are counted and the cost is the objective",
        "bridge and torch, costs 10 to 80: 0.1 s, in layers 11.9 s; 3 to 31: 0.2 and 1.7 s; 1 to 12: 4.2 and 2.8 s",
    )
    more_steps: int = tunable(2, 1, 100, "steps by which a model grows at least where cost is the objective")
    more_steps_by: float = tunable(1.25, 1.0, 10.0, "the factor by which it grows, if that is more")

    # Models and their horizons (strategies.py)
    factor_h2: float = tunable(
        1.2, 1.0, 3.0, "`one-model`: the first horizon is the bound of h² times this, plus slack"
    )
    factor_h3: float = tunable(1.2, 1.0, 3.0, "the same for a bound of h³")
    factor_h4: float = tunable(1.1, 1.0, 3.0, "the same for a bound of h⁴")
    factor_h5: float = tunable(
        1.03,
        1.0,
        3.0,
        "the same for a bound of h⁵: the deeper, the closer the bound, and a horizon that is too large costs much",
        "Klotski's 116 steps after h⁵: 12 s at horizon 117, 54 s at 121",
    )
    slack: int = tunable(3, 1, 100, "steps that a first horizon has more; each time it is refuted, its lead is doubled")
    first_plan_seconds: float = tunable(
        1.0, 0.0, 600.0, "seconds (at most a tenth of what is left) for a first plan by greedy search"
    )
    moment_for_plan: float = tunable(
        0.1,
        0.0,
        600.0,
        "the same before parallel steps on two cores",
        "fifteen boards of 12x12 to 16x16: plans on twelve of them, after 0.4 to 1.2 s where the models have one after "
        "0.6 to 2.6 s; 34.1 s in all, 36.8 s without",
    )
    hard_plan_seconds: float = tunable(
        10.0, 0.0, 600.0, "the same, once, where the puzzle has proven hard, and for `from-above`"
    )
    near_bound: float = tunable(
        2.5,
        1.0,
        100.0,
        "a plan of at most this many times the proven bound is improved, or proven, by one quick solve, before "
        "`one-model`",
        "nine Rush Hour levels: 4.7 s so, 6.4 s without; sixteen other puzzles, nine of them hard: 236 s and 232 s",
    )
    hard_shortening: float = tunable(
        2.0,
        0.0,
        600.0,
        "where boxes are pushed and the puzzle has proven hard: seconds after which no new round of making its plan "
        "shorter begins",
        "Microban 112: a plan of 94 pushes, the optimum, in place of 96",
    )

    walks_from_above: float = tunable(
        0.7,
        0.0,
        1.0,
        "where walks are paid for: the share of the time in which all plans shorter than the best are refuted at once; "
        "the rest raises the bound step by step",
        "Microban 121, 127, 129, 135, 151, 99 to 135 moves: proven in 11 to 17 s of processor time; step by step not "
        "in 20 s",
    )

    program_lead: int = tunable(
        3,
        0,
        1000,
        "on actions as programs: horizons of a model beyond the least; what is learnt of one serves the next",
        "twelve shipped puzzles: 27.6 s of processor time, 41.5 s with 0, 32.5 s with 5; a 16x16 ricochet board of 12 "
        "slides: 37 s, 27 s, 46 s",
    )

    # Parallel steps (parallel.py)
    many_priced: int = tunable(
        4,
        1,
        10**9,
        "the same where moves differ in cost",
        "Rush Hour, a lorry three, a car two, nine levels: 64 s of processor time; by single steps 102 s, three open",
    )
    many_objects: int = tunable(
        20,
        1,
        10**9,
        "movable objects from which on parallel steps are tried first: there a plan is much longer than deep",
        "12x12 board with 40 vehicles, 17 slides: 3 s; not in 90 s by single steps. Seventeen 8x8 and 9x9 boards with "
        "21 to 24: 5 s, by single steps 21 s. 8x8 board with 17, 29 slides: more than 10 s, by single steps 8 s. Forty "
        "6x6 boards: 59 s, by single steps with h³ and deeper 24 s",
    )
    first_depth: int = tunable(8, 1, 1000, "parallel steps of the first model, if the bound is not more")
    plan_after: float = tunable(
        3.0,
        0.0,
        600.0,
        "seconds after which, on two cores, a greedy search looks for a first plan beside a parallel model",
        "most models have a plan themselves by then",
    )
    deeper_by: float = tunable(1.5, 1.01, 10.0, "the depth grows so while there is no plan")

    # Solves (solver.py, run.py)
    quick_conflicts: int = tunable(
        20_000,
        1,
        10**9,
        "conflicts of a quick solve, without probing and inprocessing; a puzzle that it does not solve is hard",
        "one or two seconds on a small board; four Rush Hour boards took 3.1 s so, 8.4 s with all of it",
    )
    quick_seconds: float = tunable(3.0, 0.1, 600.0, "seconds that a quick solve has, on a large board")
    moment_for_end: float = tunable(
        0.1, 0.0, 60.0, "seconds in which the computation of h^m shows whether it ends with the tables that have come"
    )
    companions_alone: float = tunable(
        5.0,
        0.0,
        600.0,
        "seconds that two companions have before the next model of many horizons is begun, which they may make "
        "needless",
        "Microban 98: 24 s, 29 without",
    )
    overtaken: int = tunable(
        1,
        1,
        1000,
        "a model of many horizons is given up when companions have refuted this many, and it has not refuted any",
        "Microban 111: 56 s with 2, 48 s with 1",
    )
    rival_lead: int = tunable(
        2,
        1,
        1000,
        "horizons that one way of deciding has refuted more than the other before both companions go that way",
    )
    telling_conflicts: int = tunable(
        3_000, 1, 10**9, "conflicts from which on one refutation counts as much as `rival_lead` refutations"
    )
    in_order_cleanup: int = tunable(
        40_000,
        1,
        10**9,
        "conflicts between two rounds in which learnt clauses are thrown away, where literals are decided in order; "
        "CP-SAT's own is 10,000",
        "Microban 122, 84 pushes: 42.5 s with 10,000, 11.7 s so",
    )
    poll_seconds: float = tunable(0.01, 0.001, 1.0, "seconds between two looks at what the companions have done")


TUNABLES = CpSatTunables()
