"""The engines of Budge, as records. (`auto`, which is made of them, is in `table`.)

An engine's code is imported when it is first called, or loaded: solvers are heavy, and `budge --help` needs none of
them. The order is that of lists and tables; of two engines with the same options the first is meant where none is
named.
"""

from __future__ import annotations

from typing import Any

from ..models.boxes import BoxBoard
from ..models.lanes import LaneBoard
from ..models.task import Task
from ..runtime.budget import Budget
from ..runtime.events import Progress, silent
from ..runtime.outcome import Outcome
from .engine import MOMENT, Engine, Look, Option, Place, TaskKind
from .kernels import (
    A_STAR_SEARCH,
    BOUNDS,
    BREADTH_FIRST,
    DEADLOCK_SEARCHES,
    ESTIMATES,
    FEATURE_SPACE_SEARCH,
    FROM_BOTH_ENDS,
    GREEDY_SEARCH,
    HM,
    IDA_STAR_SEARCH,
    PLAN_REFINEMENT,
)

HORIZON_LIMIT = Option(
    "horizon_limit", int, None, "give up when it is proven that no plan has at most N steps", least=1
)

SEED = Option(
    "seed", int, None, "what its random choices begin with: the same seed, the same choices", least=0, most=2**31 - 1
)
"""For engines that make some. None, the default, is a seed too, always the same."""

# cp-sat


def _cp_sat(task: Task, budget: Budget, progress: Progress = silent, **options: Any) -> Outcome:
    from .cp_sat.engine import solve_by_horizons

    return solve_by_horizons(task, budget, progress, **options)


def _load_cp_sat() -> None:
    import ortools.sat.python.cp_model_helper  # noqa: F401

    from .cp_sat import engine  # noqa: F401

    _load_search()


CP_SAT = Engine(
    name="cp-sat",
    solve=_cp_sat,
    title="CP-SAT",
    sentence="bounded-horizon models, solved by CP-SAT; the horizon rises until a plan exists",
    options=(
        Option(
            "strategy",
            str,
            "auto",
            "how the horizon rises",
            choices=("auto", "one-model", "linear", "jump", "from-above", "parallel"),
        ),
        HORIZON_LIMIT,
        Option("workers", int, None, "solvers that may work at once, 1 or 2; by default as there are cores", least=1),
        SEED,
    ),
    load=_load_cp_sat,
    kernels=(HM, GREEDY_SEARCH, FEATURE_SPACE_SEARCH, BOUNDS),
    prompt=False,
    verifies=True,
    place=Place("solver"),
    look=Look("#1f8fd6", "s", duel="solver"),
)


# csp


def _csp(task: Task, budget: Budget, progress: Progress = silent, **options: Any) -> Outcome:
    from .csp.engine import solve_by_csp

    return solve_by_csp(task, budget, progress, **options)


def _load_csp() -> None:
    from .csp import engine  # noqa: F401


CSP = Engine(
    name="csp",
    solve=_csp,
    title="python-constraint",
    sentence="bounded-horizon models, solved by python-constraint",
    options=(
        Option(
            "solver",
            str,
            "backtracking",
            "how python-constraint searches",
            choices=("backtracking", "optimized", "recursive", "parallel", "min-conflicts"),
        ),
        HORIZON_LIMIT,
        SEED,
    ),
    load=_load_csp,
    kernels=(HM, BOUNDS),
    prompt=False,
    look=Look("#9467bd", "D"),
)


# Searches


def _plain(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .plain.engine import plain

    return plain(task, budget, progress)


PLAIN = Engine(
    name="plain",
    solve=_plain,
    title="Plain search",
    sentence="uniform-cost search in plain Python: nothing to compile, for small puzzles, and the definition that the "
    "tests hold the others against",
    place=Place("search", ranks={}, seconds=MOMENT, slice=True),
    look=Look("#4d4d4d", "x"),
)


def _load_search() -> None:
    from .common import kernels  # noqa: F401


def _bfs(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .bfs.engine import breadth_first

    return breadth_first(task, budget, progress)


BFS = Engine(
    name="bfs",
    solve=_bfs,
    title="Breadth-first search",
    sentence="breadth-first search; by uniform cost where steps differ in cost",
    load=_load_search,
    kernels=(BREADTH_FIRST, BOUNDS),
    place=Place("search", {TaskKind.COSTS_DIFFER: 2, TaskKind.ONE_GOAL: 1}, slice=True),
    look=Look("#d99000", "o", duel="search", blind=True),
)


def _bidirectional(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .bidirectional.engine import bidirectional

    return bidirectional(task, budget, progress)


BIDIRECTIONAL = Engine(
    name="bidirectional",
    solve=_bidirectional,
    title="Bidirectional search",
    sentence="breadth-first search from both ends",
    load=_load_search,
    kernels=(FROM_BOTH_ENDS, BOUNDS),
    look=Look("#8a7a3a", "h", duel="search"),
)


def _a_star(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .astar.engine import a_star

    return a_star(task, budget, progress)


A_STAR = Engine(
    name="astar",
    solve=_a_star,
    title="A*",
    sentence="the state with the least cost plus lower bound first; dead ends are cut off",
    load=_load_search,
    kernels=(A_STAR_SEARCH, DEADLOCK_SEARCHES, FEATURE_SPACE_SEARCH, ESTIMATES),
    verifies=True,
    place=Place("search", {TaskKind.COSTS_DIFFER: 1, TaskKind.ONE_OBJECT: 2, TaskKind.SEVERAL_GOALS: 1}),
    look=Look("#2ca05a", "^", duel="search"),
)


def _ida_star(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .idastar.engine import iterative_deepening

    return iterative_deepening(task, budget, progress)


IDA_STAR = Engine(
    name="idastar",
    solve=_ida_star,
    title="IDA*",
    sentence="depth-first search below a limit on cost plus lower bound, which rises",
    load=_load_search,
    kernels=(IDA_STAR_SEARCH, ESTIMATES),
    place=Place(
        "search",
        {TaskKind.ONE_OBJECT: 1, TaskKind.SEVERAL_GOALS: 2, TaskKind.ONE_GOAL: 2},
        memory=0.5,
    ),
    look=Look("#c45fa0", "v", duel="search"),
)


def _greedy(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    from .greedy.engine import greedy

    return greedy(task, budget, progress)


GREEDY = Engine(
    name="greedy",
    solve=_greedy,
    title="Greedy search",
    sentence="a plan soon, by weighted A*, then shortened; proves nothing",
    load=_load_search,
    kernels=(GREEDY_SEARCH, BOUNDS),
    promises_optimum=False,
    place=Place("quick plan", dict.fromkeys(TaskKind, 1), seconds=20.0, niceness=10),
    look=Look("#8c8c8c", "P"),
)


def _refine(task: Task, budget: Budget, progress: Progress = silent, **options: Any) -> Outcome:
    from .refine.engine import refine

    return refine(task, budget, progress, **options)


REFINE = Engine(
    name="refine",
    solve=_refine,
    title="Means-ends analysis",
    sentence="a plan at once, backward from what is in the way, as `bird` does, for every family; proves nothing",
    options=(SEED,),
    load=_load_search,
    kernels=(PLAN_REFINEMENT, BOUNDS),
    promises_optimum=False,
    place=Place("quick plan", {kind: 0 for kind in TaskKind if kind is not TaskKind.ONE_OBJECT}, seconds=3.0),
    look=Look("#4f9d8b", "8"),
)


def _bird(board: LaneBoard, budget: Budget, progress: Progress = silent) -> Outcome:
    from .bird.engine import plan_refinement

    return plan_refinement(board, budget, progress)


def _load_bird() -> None:
    from .bird import engine as bird  # noqa: F401


BIRD = Engine(
    name="bird",
    solve=_bird,
    title="Plan refinement",
    sentence="vehicles in lanes, planned backward from what is in the way, after Richard Bird; proves nothing",
    load=_load_bird,
    reads=LaneBoard,
    promises_optimum=False,
    look=Look("#7a9a1f", "X"),
)


def _fess(board: BoxBoard, budget: Budget, progress: Progress = silent, **options: Any) -> Outcome:
    from .fess.engine import feature_space_search

    return feature_space_search(board, budget, progress, **options)


def _load_fess() -> None:
    from .fess import engine  # noqa: F401


FESS = Engine(
    name="fess",
    solve=_fess,
    title="Feature space search",
    sentence="Sokoban by many kinds of progress at once, after Shoham and Schaeffer: large levels; proves nothing",
    options=(Option("trace", str, "off", "tell how the feature space is filled", choices=("off", "cells")), SEED),
    load=_load_fess,
    kernels=(FEATURE_SPACE_SEARCH,),
    reads=BoxBoard,
    promises_optimum=False,
    place=Place("quick plan", dict.fromkeys(TaskKind, -1), seconds=60.0, memory=0.3, niceness=10),
    look=Look("#b5651d", "p"),
)


MEMBERS: tuple[Engine, ...] = (CP_SAT, CSP, PLAIN, BFS, BIDIRECTIONAL, A_STAR, IDA_STAR, GREEDY, REFINE, BIRD, FESS)
