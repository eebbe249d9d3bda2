"""What `import budge` offers: the workflows, called as people write Python.

Puzzles may be named, limits are keywords, and what cannot be meant is refused at once with a `TypeError` that says what
is accepted. The workflows below take values only: a `Puzzle`, a `Budget`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from .engines.engine import Engine
from .engines.table import DEFAULT_ENGINE, find, options_by_name
from .models.family import Conversion
from .models.library import PuzzleLike, as_puzzle, search
from .models.moves import Cost, canonical_metric
from .models.plan import Plan
from .models.puzzle import Puzzle
from .models.text import closest
from .runtime.budget import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Budget, mebibytes, seconds
from .runtime.events import Event, Progress, silent
from .workflows import comparison, solving
from .workflows.comparison import Comparison
from .workflows.jobs import Job, Solving
from .workflows.rows import Row
from .workflows.solving import Solution

if TYPE_CHECKING:
    # Their modules load kernels and arrays, which `solve` may not need.
    from .lab.experiment import Done
    from .workflows.certifying import Certified
    from .workflows.checking import Check
    from .workflows.explaining import Explanation
    from .workflows.exploration import Answer
    from .workflows.verdict import Verification
    from .workflows.why.reasons import Reasons

N = TypeVar("N", int, float)

Limit = float | str | None
"""A number, a text such as `10s`, `2m` or `4G`, or None for no limit."""

EXPLAIN_SECONDS = 10.0
"""For how long `explain` looks at all states, where no limit is named."""

WHY_SECONDS = 30.0
"""For how long `why` and `plans` look at all states, where no limit is named."""


class EngineOptions(TypedDict, total=False):
    """The options of Budge's engines, for type checkers (docs/engines.md); those of other engines are a `**dict`."""

    heuristic: str | None
    horizon_limit: int | None
    seed: int | None
    strategy: str
    without: str | None
    workers: int | None


def solve(
    puzzle: PuzzleLike,
    engine: str | Engine = DEFAULT_ENGINE,
    metric: str | None = None,
    *,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
    hard_limits: bool = False,
    **options: Unpack[EngineOptions],
) -> Solution:
    """Find a plan, prove it shortest, and replay it by the rules.

        budge.solve("bird-1", engine="cp-sat", metric="steps", time_limit=10)

    `puzzle`: a `Puzzle`, the name of a shipped one, a path, the text of a file, or a dictionary with its keys. `metric`
    defaults to the puzzle's own. `time_limit` in seconds (`10`, `"2m"`), `memory_limit` in MiB (`512`, `"4G"`).
    `on_event` is called with each bound that is proven and each plan that is found. With `hard_limits` all of it works
    in a process of its own, which is ended when its time is up; without, reading, grounding and some solvers can
    overrun the limit (docs/api.md). `options` are the engine's (docs/engines.md).

    Raises `PuzzleError` for a file that cannot be used, `UsageError` for an unknown puzzle, engine, metric or option,
    `ReplayError` if the plan does not replay (a bug, and no answer), `TypeError` for what is of the wrong type.
    """
    asked = _asked(puzzle, engine, metric, dict(options), solve)
    tell = _callable(on_event, "on_event")
    return solving.solve(*asked, _budget(time_limit, memory_limit), tell, hard_limits=hard_limits, **options)


def solve_iter(
    puzzle: PuzzleLike,
    engine: str | Engine = DEFAULT_ENGINE,
    metric: str | None = None,
    *,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    **options: Unpack[EngineOptions],
) -> Solving:
    """Solve as `solve` does, and give the events as they come; the answer is `.solution`.

        run = budge.solve_iter("bird-1")
        for event in run:
            print(event)
        print(run.solution)

    The engine works in a child process while you read. `run.close()`, or leaving a `with` block, stops it; what it
    knew by then is the solution.
    """
    asked = _asked(puzzle, engine, metric, dict(options), solve_iter)
    return Solving(*asked, _budget(time_limit, memory_limit), dict(options))


def compare(
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    engines: str | Iterable[str] | None = None,
    metric: str | None = None,
    *,
    time_limit: Limit = comparison.TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    jobs: int = 1,
    on_row: Callable[[Row], None] | None = None,
    on_event: Callable[[Job, Event], None] | None = None,
) -> Comparison:
    """Run engines (default: all that know the family) on puzzles, and hold what they prove against each other.

        budge.compare(["bird-1", "bird-2"], engines=["bfs", "cp-sat"], time_limit="1m").to_frame()

    The limits are for each run, in a process of its own. `jobs` runs go on side by side. `on_row` gets each row,
    `on_event` each event with its job.
    """
    return comparison.compare(
        [as_puzzle(puzzle) for puzzle in _several(puzzles)],
        _engines(engines),
        _word(metric, "metric"),
        comparison.Terms(
            time_limit=_limit("time_limit", seconds, time_limit),
            memory_limit=_limit("memory_limit", mebibytes, memory_limit),
            jobs=_count(jobs, "jobs"),
        ),
        comparison.ComparisonListener(
            on_row=_callable(on_row, "on_row"),
            on_event=None if on_event is None else _callable(on_event, "on_event"),
        ),
    )


def verify(  # noqa: PLR0913  (public keywords)
    puzzle: PuzzleLike,
    plan: Plan | str | Iterable[str] | None = None,
    claim: Cost | int | str | None = None,
    engines: str | Iterable[str] | None = None,
    metric: str | None = None,
    *,
    variables: str | None = None,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
) -> Verification:
    """Replay a plan by the rules, and say what is proven of it, of a claimed optimum, or of what the file expects.

        budge.verify("bird-2", claim=10).sentence

    `plan`: a `Plan`, its notation as a text or a list of steps, Budge's JSON, a planner's plan for the exported PDDL,
    or a SAT solver's model with `variables`, the text of the map that was exported beside the clauses. `claim`: a cost,
    or `"unsolvable"`. With `engines=[]` a plan is only replayed. The limits are for all engines together.
    """
    if plan is not None and not isinstance(plan, Plan | str):
        plan = " ".join(_list(plan, "plan", "steps"))
    if claim is not None and not isinstance(claim, int | tuple | str):
        raise TypeError(f"`claim` is a number, a tuple (metrics of two components) or `unsolvable`, not {_kind(claim)}")
    from .workflows import verification

    return verification.verify(
        as_puzzle(puzzle),
        plan,
        claim,
        _engines(engines),
        _word(metric, "metric"),
        _budget(time_limit, memory_limit),
        _callable(on_event, "on_event"),
        variables=_word(variables, "variables"),
    )


def explore(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
) -> Answer:
    """Visit every reachable state: how many, how deep, how far from the goal, and which is the hardest.

    budge.explore("eight-31-a").to_frame()
    """
    from .workflows import exploration

    return exploration.explore(*_position(puzzle, metric, time_limit, memory_limit), _callable(on_event, "on_event"))


def hint(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
) -> Answer:
    """The distance to the goal, and every first move of a shortest plan.

    budge.hint("bird-2").moves
    """
    from .workflows import exploration

    return exploration.hint(*_position(puzzle, metric, time_limit, memory_limit), _callable(on_event, "on_event"))


def explain(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = EXPLAIN_SECONDS,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
) -> Explanation:
    """Why a puzzle is unsolvable or suspicious: goals out of reach, what never moves, dead ends.

    budge.explain("unsolvable-lane").findings[0].sentence
    """
    from .workflows import explaining

    return explaining.explain(*_position(puzzle, metric, time_limit, memory_limit))


def why(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = WHY_SECONDS,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
) -> Reasons:
    """Why no plan is shorter: what each piece needs in any plan, what every plan passes, all shortest plans.

        budge.why("level-26").shares.bound

    All states are visited. Where a limit does not allow that, what leaving out pieces says (`removals`); raises
    `StoppedError` where that is nothing.
    """
    from .workflows.why import find_reasons

    return find_reasons.why(*_position(puzzle, metric, time_limit, memory_limit), _callable(on_event, "on_event"))


def plans(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = WHY_SECONDS,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
    intended: Plan | str | None = None,
    avoid: str | Sequence[str] = (),
    through: str | Sequence[str] = (),
) -> Reasons:
    """How many shortest plans there are, strictly and up to swapping moves that do not touch, and their first moves.

        budge.plans("level-26").plans.number

    `intended`: a plan that is held against them: where is it longer than it has to be? `avoid`, `through`: count plans
    that never have, or have at some time, these moves (`B+3`) and positions (`B at r4c1`). All states are visited.
    Raises `StoppedError` where a limit does not allow that.
    """
    from .workflows.why import find_reasons

    position = _position(puzzle, metric, time_limit, memory_limit)
    text = position[0].plan_text(position[0].replay(intended)) if isinstance(intended, Plan) else intended
    return find_reasons.plans(
        *position,
        _callable(on_event, "on_event"),
        intended=_word(text, "intended"),
        avoid=[avoid] if isinstance(avoid, str) else avoid,
        through=[through] if isinstance(through, str) else through,
    )


def puzzles(
    text: str = "", *, family: str | None = None, known: bool | None = None, optimum: tuple[int, int] | None = None
) -> dict[str, Puzzle]:
    """The shipped puzzles by name: those with a text in their name, family or title.

        budge.puzzles(family="sokoban", optimum=(1, 20))

    `known`: whether the file has an optimum; `optimum`: the least and the most that it may be, in the puzzle's metric.
    """
    family, optimum = _word(family, "family"), _pair(optimum, "optimum", "most", 0)
    return search(_text(text, "text"), family=family, known=known, optimum=optimum)


def check(puzzle: PuzzleLike) -> Check:
    """Read a puzzle, and make its task in every metric: `check(...).ok`, or all its problems with their places.

    Nothing is raised for a puzzle that cannot be used: what is wrong with it is in `problems`.
    """
    from .workflows import checking

    return checking.check_value(puzzle)


def convert(
    path: str | os.PathLike[str], out: str | os.PathLike[str], *, form: str | None = None, prefix: str | None = None
) -> Conversion:
    """Write each level of a collection (XSB, SLC), or of a folder of them, as a puzzle file into the folder `out`.

    Gives the files that were `written`, and the `problems` of levels for which there is none.
    """
    from .workflows import exporting

    asked = exporting.convert(Path(path), Path(out), _word(form, "form"), _word(prefix, "prefix"))
    done = [part for _, part in asked]
    return Conversion([file for part in done for file in part.written], [bad for part in done for bad in part.problems])


def export(
    puzzle: PuzzleLike, to: str, metric: str | None = None, *, horizon: int | None = None, steps: str | None = None
) -> dict[str, str | bytes]:
    """A puzzle in another program's format (docs/exports.md): the ends of files' names, and what the files contain.

        budge.export("bird-2", "pddl")["-domain.pddl"]

    `horizon` and `steps` (`"exactly"`, `"at-most"`) are for models: `dimacs`, `cp-sat`, `lp`.
    """
    from .workflows import exporting

    horizon = None if horizon is None else _count(horizon, "horizon", 0)
    wanted = exporting.Export(_text(to, "to"), _word(metric, "metric"), horizon, _word(steps, "steps"))
    return exporting.export(as_puzzle(puzzle), wanted).files


def certify(
    puzzle: PuzzleLike | Solution,
    folder: str | os.PathLike[str],
    metric: str | None = None,
    *,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    evidence: str = "auto",
    at_least: int | tuple[int, ...] | None = None,
) -> Certified:
    """Write a certificate of the optimum into a folder, and check it (docs/certificates.md).

        budge.certify(budge.solve("bird-1"), "bird-1.certificate").verdict
        budge.certify("bird-1", "bird-1.certificate", at_least=20).verdict

    A solution is certified as it is; any other puzzle is solved first. `at_least`: certify that no plan costs less,
    whatever the optimum is. Raises `UsageError` if nothing is proven, if a plan costs less than `at_least`, or if the
    folder holds something else, such as the certificate of another puzzle.
    """
    from .workflows import certifying
    from .workflows.certifying import check_folder_is_ours
    from .workflows.problem_certificate import Statement

    budget = _budget(time_limit, memory_limit)
    certifying.check_evidence(_text(evidence, "evidence"))
    solution = None
    if isinstance(puzzle, Solution):
        solution, read, word = puzzle, puzzle.puzzle, puzzle.metric
    else:
        read = as_puzzle(puzzle)
        word = solving.metric_of(read, _word(metric, "metric"))
    check_folder_is_ours(Path(folder), read, word)
    if at_least is not None:
        least = at_least if isinstance(at_least, tuple) else (at_least,)
        bound = Statement(read, word, tuple(_count(part, "at_least", 0) for part in least))
        return certifying.certify_bound(bound, Path(folder), budget, known=solution, evidence=evidence)
    solution = solution or solving.solve(read, find(DEFAULT_ENGINE), word, budget)
    return certifying.certify(solution, Path(folder), budget, evidence=evidence)


def generate(  # noqa: PLR0913  (public keywords)
    family: str,
    count: int = 1,
    *,
    size: tuple[int, int] | None = None,
    pieces: tuple[int, int] | None = None,
    walls: int = 0,
    metric: str | None = None,
    base: PuzzleLike | None = None,
    length: int = 60,
    optimum: tuple[int, int] | None = None,
    seed: int = 1,
    rounds: int | None = None,
    time_limit: Limit = None,
    jobs: int = 1,
) -> list[Puzzle]:
    """Make puzzles with proven optima, the hardest first (docs/generating.md): `count`, or fewer if no more were found.

        budge.generate("n-puzzle", 2, size=(3, 3), optimum=(10, 12), rounds=1)

    `size` is columns and rows; `pieces` and `optimum` are the least and the most. With `base`, positions of that puzzle
    are looked for, `length` random moves away. The search ends after `rounds`, or after `time_limit`; the same `seed`
    and `rounds` give the same puzzles.
    """
    from .lab.executors import LocalExecutor
    from .lab.generator import Goal, SearchSetting, Wishes, make
    from .lab.makers import maker_for
    from .runtime.kernels import ensure_kernels

    family, metric, size = _text(family, "family"), _word(metric, "metric"), _pair(size, "size")
    goal = _pair(optimum, "optimum", "most")
    pieces, length, count = _pair(pieces, "pieces", "most"), _count(length, "length"), _count(count, "count")
    walls, seed = _count(walls, "walls", 0), _count(seed, "seed", 0)
    rounds = None if rounds is None else _count(rounds, "rounds")
    limit = _limit("time_limit", seconds, time_limit)
    text = None if base is None else as_puzzle(base).to_yaml()
    maker = maker_for(family, size=size, pieces=pieces, walls=walls, metric=metric, base=text, length=length)
    ensure_kernels()
    with closing(LocalExecutor(_count(jobs, "jobs"))) as executor:
        made, _ = make(
            SearchSetting(maker, executor, Goal(*goal) if goal else None, seed),
            Wishes(),
            rounds=rounds,
            seconds=limit or (None if rounds else comparison.TIME_LIMIT),
            count=count,
            how=lambda archive: f"budge.generate, seed {seed}, {archive.rounds} rounds",
        )
    return [board.puzzle for board in made]


def batch(  # noqa: PLR0913  (public keywords)
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    store: str | os.PathLike[str],
    engines: str | Iterable[str] = DEFAULT_ENGINE,
    metrics: str | Iterable[str] = (),
    *,
    time_limit: Limit = comparison.TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    repetitions: int = 1,
    seeds: Iterable[int] = (),
    label: str = "",
    again: bool = False,
    jobs: int = 1,
    on_row: Callable[[Row], None] | None = None,
) -> Done:
    """Run engines on many puzzles, on `jobs` cores, into a store that can be resumed and asked (docs/batch.md).

        budge.batch(budge.puzzles("level-").values(), "results.sqlite", engines=["bfs", "astar"], jobs=2)

    Runs that the store has already are not run again. Each row is in the store before `on_row` gets it.
    """
    from .lab.executors import LocalExecutor
    from .lab.experiment import Entrant, Experiment, run
    from .lab.experiment import Limit as RunLimit
    from .lab.store import Store

    limit = RunLimit(_limit("time_limit", seconds, time_limit), _limit("memory_limit", mebibytes, memory_limit))
    experiment = Experiment(
        puzzles=[as_puzzle(puzzle) for puzzle in _several(puzzles)],
        entrants=[Entrant(name) for name in _names(engines, "engines")],
        metrics=[canonical_metric(name) for name in _names(metrics, "metrics")],
        limits=[limit],
        repetitions=_count(repetitions, "repetitions"),
        seeds=[_count(seed, "seeds", 0) for seed in _list(seeds, "seeds", "numbers")],
    )
    label = _text(label, "label")
    with closing(LocalExecutor(_count(jobs, "jobs"))) as executor, Store(Path(store), create=True) as kept:
        return run(experiment, kept, executor, label=label, again=again, on_row=_callable(on_row, "on_row"))


# Checks of arguments

OTHER_WORDS = {"budget": "time_limit", "timeout": "time_limit", "seconds": "time_limit", "progress": "on_event"}
"""Keywords that people try, and what they are called here."""


def _asked(
    puzzle: PuzzleLike, engine: str | Engine, metric: str | None, options: dict[str, Any], called: Callable[..., Any]
) -> tuple[Puzzle, Engine, str | None]:
    """The puzzle, the engine and the metric. Raises `TypeError` for a keyword that is no engine's option."""
    if not isinstance(engine, str | Engine):
        raise TypeError(f"`engine` is the name of an engine or an Engine, not {_kind(engine)}")
    chosen = engine if isinstance(engine, Engine) else find(engine)
    allowed = {*options_by_name(), *(option.name for option in chosen.options)}
    for name in options:
        if name not in allowed:
            keywords = [*(called.__kwdefaults__ or {}), "engine", "metric", *sorted(allowed)]
            close = closest(name, keywords, OTHER_WORDS)
            hint = f"; did you mean `{close}`?" if close else ""
            raise TypeError(f"{called.__name__}() has no keyword `{name}`, and no engine has such an option{hint}")
    return as_puzzle(puzzle), chosen, _word(metric, "metric")


def _position(
    puzzle: PuzzleLike, metric: str | None, time_limit: Limit, memory_limit: Limit
) -> tuple[Puzzle, str | None, Budget]:
    return as_puzzle(puzzle), _word(metric, "metric"), _budget(time_limit, memory_limit)


def _budget(time_limit: Limit, memory_limit: Limit) -> Budget:
    return Budget(_limit("time_limit", seconds, time_limit), _limit("memory_limit", mebibytes, memory_limit))


def _limit(name: str, read: Callable[[float | str], N], value: Limit) -> N | None:
    """A limit, read. Raises `ValueError` or `TypeError` with its name."""
    try:
        return None if value is None else read(value)
    except (ValueError, TypeError) as error:
        raise type(error)(f"`{name}` {error}") from None


def _several(puzzles: PuzzleLike | Iterable[PuzzleLike]) -> list[PuzzleLike]:
    """Puzzles; one may stand alone."""
    if isinstance(puzzles, Puzzle | str | os.PathLike | Mapping):
        return [puzzles]
    return _list(puzzles, "puzzles", "puzzles")


def _count(value: int, name: str, least: int = 1) -> int:
    """A whole number. Raises `TypeError` or `ValueError`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"`{name}` is a whole number, not {_kind(value)}")
    if value < least:
        raise ValueError(f"`{name}` is a whole number from {least} on, not {value}")
    return value


def _pair(value: tuple[int, int] | None, name: str, second: str = "", least: int = 1) -> tuple[int, int] | None:
    """Two whole numbers, each at least `least`. With `second`, the second number's name in messages, it must not be
    smaller than the first. Raises `TypeError` or `ValueError`.
    """
    if value is None:
        return None
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"`{name}` is two numbers such as (4, 6), not {_kind(value)}")
    pair = _count(value[0], name, least), _count(value[1], name, least)
    if second and pair[0] > pair[1]:
        raise ValueError(f"`{name}` is the least and the {second}, and {pair[0]} is more than {pair[1]}")
    return pair


def _text(value: str, name: str) -> str:
    """A text that may not be left out. Raises `TypeError`."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is a text, not {_kind(value)}")
    return value


def _word(value: str | None, name: str) -> str | None:
    """A text, or None. Raises `TypeError`."""
    return None if value is None else _text(value, name)


def _names(values: str | Iterable[str], name: str) -> list[str]:
    """A list of names; one may stand alone. Raises `TypeError`."""
    listed = [values] if isinstance(values, str) else _list(values, name, "names")
    for value in listed:
        if not isinstance(value, str):
            raise TypeError(f"`{name}` is a list of names, and {_kind(value)} is not a name")
    return listed


def _engines(names: str | Iterable[str] | None) -> list[str] | None:
    """The names of engines, or None where they may be left out."""
    return None if names is None else _names(names, "engines")


def _list(values: Iterable[Any], name: str, what: str) -> list[Any]:
    """The elements of a list. Raises `TypeError`."""
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"`{name}` is a list of {what}, or one alone, not {_kind(values)}") from None


def _callable(value: Any, name: str) -> Callable[..., None]:
    """A function that may be left out."""
    if value is not None and not callable(value):
        raise TypeError(f"`{name}` is a function, not {_kind(value)}")
    return silent if value is None else value


def _kind(value: object) -> str:
    return f"{type(value).__name__} ({str(value)[:40]})"
