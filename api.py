"""What `import budge` offers: the workflows, called as people write Python.

Puzzles may be named, limits are keywords, and what cannot be meant is refused at once with a `TypeError` that says what
is accepted. The workflows below take values only: a `Puzzle`, a `Budget`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from . import parameters
from .engines.engine import Engine
from .engines.table import DEFAULT_ENGINE, find, options_by_name
from .models.family import Conversion
from .models.library import PuzzleLike, as_puzzle, search
from .models.moves import Cost, canonical_metric
from .models.plan import Plan
from .models.puzzle import Puzzle
from .models.text import closest
from .runtime.budget import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    EXPLAIN_TIME_LIMIT,
    RUN_TIME_LIMIT,
    WHY_TIME_LIMIT,
    Budget,
)
from .runtime.events import Event, Progress, silent
from .workflows import comparison, solving
from .workflows.comparison import Comparison
from .workflows.jobs import Job, Solving
from .workflows.rows import Conditions, Row
from .workflows.solving import Solution

if TYPE_CHECKING:
    # Their modules load kernels and arrays, which `solve` may not need.
    from .lab.experiment import Done
    from .workflows.certifying import Certified
    from .workflows.checking import Check
    from .workflows.explaining import Explanation
    from .workflows.exploration import Answer
    from .workflows.scoring import Score
    from .workflows.verdict import Verification
    from .workflows.why.reasons import Reasons

Limit = float | str | None
"""A number, a text such as `10s`, `2m` or `4G`, or None for no limit."""


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
    asked = _read("solve", locals())
    chosen = _engine(engine, options, solve)
    return solving.solve(
        asked.puzzle,
        chosen,
        asked.metric,
        _budget(asked),
        asked.on_event or silent,
        hard_limits=hard_limits,
        **options,
    )


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
    asked = _read("solve", locals())
    chosen = _engine(engine, options, solve_iter)
    return Solving(asked.puzzle, chosen, asked.metric, _budget(asked), dict(options))


def compare(
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    engines: str | Iterable[str] | None = None,
    metric: str | None = None,
    *,
    time_limit: Limit = RUN_TIME_LIMIT,
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
    asked = _read("compare", locals())
    return comparison.compare(
        asked.puzzles,
        asked.engines,
        asked.metric,
        Conditions(time_limit=asked.time_limit, memory_limit=asked.memory_limit, jobs=asked.jobs),
        comparison.ComparisonListener(on_row=asked.on_row or silent, on_event=asked.on_event),
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
    from .workflows import verification

    asked = _read("verify", locals())
    rest = asked.engines, asked.metric, _budget(asked), asked.on_event or silent
    return verification.verify(asked.puzzle, asked.plan, asked.claim, *rest, variables=asked.variables)


def score(
    puzzle: PuzzleLike,
    answer: Plan | str | Iterable[str],
    metric: str | None = None,
    *,
    optimum: int | Literal["expect"] | None = None,
    time_limit: Limit = DEFAULT_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
) -> Score:
    """Score an answer: every step has to be legal, the goal reached at its end, and `reward` is optimum / cost.

        budge.score("bird-2", "D+1 C+2 E-2").problem

    `answer`: a text in the family's notation and nothing beside it, JSON with such a `plan`, a list of steps, or a
    `Plan`. `optimum`: a number that you know; `"expect"`, to believe the puzzle's file; by default it is proven within
    the limits, unless the answer is wrong anyway. Raises `DisagreementError` if the answer is better than the optimum.
    """
    from .workflows import scoring

    asked = _read("verify", locals())
    if optimum not in (None, "expect") and (type(optimum) is not int or optimum < 0):
        raise TypeError(f'`optimum` is a whole number from 0 on, "expect" or None, not {parameters.shown(optimum)}')
    return scoring.score(asked.puzzle, asked.answer, asked.metric, _budget(asked), optimum=optimum)


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

    return exploration.explore(*_position("explore", locals()))


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

    return exploration.hint(*_position("hint", locals()))


def explain(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = EXPLAIN_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
) -> Explanation:
    """Why a puzzle is unsolvable or suspicious: goals out of reach, what never moves, dead ends.

    budge.explain("unsolvable-lane").findings[0].sentence
    """
    from .workflows import explaining

    return explaining.explain(*_position("explain", locals()))


def why(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = WHY_TIME_LIMIT,
    memory_limit: Limit = DEFAULT_MEMORY_LIMIT,
    on_event: Progress | None = None,
) -> Reasons:
    """Why no plan is shorter: what each piece needs in any plan, what every plan passes, all shortest plans.

        budge.why("level-26").shares.bound

    All states are visited. Where a limit does not allow that, what leaving out pieces says (`removals`); raises
    `StoppedError` where that is nothing.
    """
    from .workflows.why import find_reasons

    return find_reasons.why(*_position("explain", locals()))


def plans(
    puzzle: PuzzleLike,
    metric: str | None = None,
    *,
    time_limit: Limit = WHY_TIME_LIMIT,
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

    if isinstance(intended, Plan):
        puzzle = as_puzzle(puzzle)
        intended = puzzle.plan_text(puzzle.replay(intended))
    asked = _read("plans", locals())
    conditions = {"intended": asked.intended, "avoid": asked.avoid, "through": asked.through}
    return find_reasons.plans(asked.puzzle, asked.metric, _budget(asked), asked.on_event or silent, **conditions)


def puzzles(
    text: str = "", *, family: str | None = None, known: bool | None = None, optimum: tuple[int, int] | None = None
) -> dict[str, Puzzle]:
    """The shipped puzzles by name: those with a text in their name, family or title.

        budge.puzzles(family="sokoban", optimum=(1, 20))

    `known`: whether the file has an optimum; `optimum`: the least and the most that it may be, in the puzzle's metric.
    """
    asked = _read("list", locals())
    return search(asked.text, family=asked.family, known=known, optimum=asked.optimum)


def check(puzzle: PuzzleLike) -> Check:
    """Read a puzzle, and make its task in every metric: `check(...).ok`, or all its problems with their places.

    Nothing is raised for a puzzle that cannot be used: what is wrong with it is in `problems`.
    """
    from .workflows import checking

    return checking.check_value(puzzle)


def convert(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    form: str | None = None,
    prefix: str | None = None,
    piece: str | None = None,
    goal: str | None = None,
    signs: str | None = None,
) -> Conversion:
    """Write each level of a collection, or of a folder of them, as a puzzle file into the folder `out`.

    Gives the files that were `written`, the `problems` of levels for which there is none, the `form` that the file was
    taken for (several with commas between), and `notes` on how what it leaves open was taken. `piece`, `goal` and
    `signs` say that, as `--piece`, `--goal` and `--signs` do.
    """
    from .models.documents.text_levels import Said
    from .workflows import exporting

    asked = _read("convert", locals())
    said = Said(asked.piece or "", asked.goal or "", asked.signs or "")
    done = [part for _, part in exporting.convert(Path(path), Path(out), asked.form, asked.prefix, said)]
    return Conversion(
        [file for part in done for file in part.written],
        [bad for part in done for bad in part.problems],
        sum(part.dropped for part in done),
        ", ".join(dict.fromkeys(part.form for part in done if part.form)),
        tuple(note for part in done for note in part.notes),
    )


def export(
    puzzle: PuzzleLike, to: str, metric: str | None = None, *, horizon: int | None = None, steps: str | None = None
) -> dict[str, str | bytes]:
    """A puzzle in another program's format (docs/exports.md): the ends of files' names, and what the files contain.

        budge.export("bird-2", "pddl")["-domain.pddl"]

    `horizon` and `steps` (`"exactly"`, `"at-most"`) are for models: `dimacs`, `cp-sat`, `lp`.
    """
    from .workflows import exporting

    asked = _read("export", locals())
    return exporting.export(asked.puzzle, exporting.Export(asked.to, asked.metric, asked.horizon, asked.steps)).files


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

    solution = puzzle if isinstance(puzzle, Solution) else None
    asked = _read("certify", locals() | {"puzzle": solution.puzzle if solution else puzzle})
    budget, word = _budget(asked), solution.metric if solution else solving.metric_of(asked.puzzle, asked.metric)
    certifying.check_evidence(evidence)
    check_folder_is_ours(Path(folder), asked.puzzle, word)
    if asked.at_least is not None:
        bound = Statement(asked.puzzle, word, tuple(asked.at_least))
        return certifying.certify_bound(bound, Path(folder), budget, known=solution, evidence=evidence)
    solution = solution or solving.solve(asked.puzzle, find(DEFAULT_ENGINE), word, budget)
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

    asked = _read("generate", locals())
    text = None if base is None else as_puzzle(base).to_yaml()
    board = {"size": asked.size, "pieces": asked.pieces, "walls": asked.walls}
    maker = maker_for(asked.family, **board, metric=asked.metric, base=text, length=asked.length)
    ensure_kernels()
    with closing(LocalExecutor(asked.jobs)) as executor:
        made, _ = make(
            SearchSetting(maker, executor, Goal(*asked.optimum) if asked.optimum else None, asked.seed),
            Wishes(),
            rounds=asked.rounds,
            seconds=asked.time_limit or (None if rounds else RUN_TIME_LIMIT),
            count=asked.count,
            how=lambda archive: f"budge.generate, seed {seed}, {archive.rounds} rounds",
        )
    return [board.puzzle for board in made]


def batch(  # noqa: PLR0913  (public keywords)
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    store: str | os.PathLike[str],
    engines: str | Iterable[str] = DEFAULT_ENGINE,
    metrics: str | Iterable[str] = (),
    *,
    time_limit: Limit = RUN_TIME_LIMIT,
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

    asked = _read("batch", locals())
    experiment = Experiment(
        puzzles=asked.puzzles,
        entrants=[Entrant(name) for name in asked.engines],
        metrics=[canonical_metric(name) for name in asked.metrics],
        limits=[RunLimit(asked.time_limit, asked.memory_limit)],
        repetitions=asked.repetitions,
        seeds=asked.seeds,
    )
    with closing(LocalExecutor(asked.jobs)) as executor, Store(Path(store), create=True) as kept:
        return run(experiment, kept, executor, label=asked.label or "", again=again, on_row=asked.on_row or silent)


# Checks of arguments

OTHER_WORDS = {"budget": "time_limit", "timeout": "time_limit", "seconds": "time_limit", "progress": "on_event"}
"""Keywords that people try, and what they are called here."""


def _engine(engine: str | Engine, options: Mapping[str, Any], called: Callable[..., Any]) -> Engine:
    """The engine. Raises `TypeError` for a keyword that is no engine's option."""
    if not isinstance(engine, str | Engine):
        raise TypeError(f"`engine` is the name of an engine or an Engine, not {parameters.shown(engine)}")
    chosen = engine if isinstance(engine, Engine) else find(engine)
    allowed = {*options_by_name(), *(option.name for option in chosen.options)}
    for name in options:
        if name not in allowed:
            keywords = [*(called.__kwdefaults__ or {}), "engine", "metric", *sorted(allowed)]
            close = closest(name, keywords, OTHER_WORDS)
            hint = f"; did you mean `{close}`?" if close else ""
            raise TypeError(f"{called.__name__}() has no keyword `{name}`, and no engine has such an option{hint}")
    return chosen


def _read(command: str, given: Mapping[str, Any]) -> Any:
    """The arguments of a function, read as the table of parameters says, and the puzzles that they name."""
    several = given.get("puzzles")
    alone = {"puzzles": [several]} if isinstance(several, Puzzle | os.PathLike | Mapping) else {}
    asked = parameters.read(command, {**given, **alone})
    if "puzzle" in given:
        asked.puzzle = as_puzzle(asked.puzzle)
    if "puzzles" in given:
        asked.puzzles = [*map(as_puzzle, asked.puzzles)]
    return asked


def _budget(asked: Any) -> Budget:
    return Budget(asked.time_limit, asked.memory_limit)


def _position(command: str, given: Mapping[str, Any]) -> tuple[Puzzle, str | None, Budget, Progress]:
    asked = _read(command, given)
    return asked.puzzle, asked.metric, _budget(asked), getattr(asked, "on_event", None) or silent
