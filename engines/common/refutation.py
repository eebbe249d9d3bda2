"""Refuting clauses with CP-SAT, and the LRAT proof that it writes of that.

CP-SAT (9.15) writes a proof of a model that has clauses only, with one worker, without presolve, linear relaxation and
symmetries; units are clauses too. Its identifiers are the numbers of the clauses, from 1, and it deletes none. A model
that is refuted while it is loaded has no proof: then unit propagation refutes it, and its steps are written here.

The proof goes to the folder that an internal flag of the library names. Python has no way to set it, but the library
that parses flags is in the wheel, and `absl::ParseCommandLine` can be called by its name. Where that fails, the proof
appears in the system's folder for temporary files, under one name for all processes: a lock lets in one at a time.

All of it happens in a child process: the flag holds for a process, and CP-SAT knows no limit on the memory of proofs.
"""

from __future__ import annotations

import ctypes
import lzma
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...runtime.budget import Budget
from ...runtime.child_main import Orders
from ...runtime.events import Progress
from ...runtime.kernel_calls import njit
from ...runtime.processes import Child, wait

# Trimming an LRAT proof: keep the steps that the last one needs, renumber them, delete each after its last use (where
# there are many).
#
# Marking goes backwards: the clause without literals is needed; a step that is needed needs its hints. On Rush Hour
# boards a fifth of the steps stays. The same as `lrat-trim` (Biere) does. Before that, hints are left out that say
# nothing (their clause is true already, or the contradiction has been found): CP-SAT gives some, checkers refuse
# them.

Numbers = NDArray[np.int64]


FEW = 20_000
"""Steps up to which nothing is deleted: a checker can hold them all, and the file is a tenth smaller."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A trimmed proof, and the clauses of the formula that it uses, by their numbers from 1, in order."""

    text: bytes
    used: list[int]


def trimmed(
    text: bytes, clauses: Sequence[tuple[int, ...]], names: Sequence[int] | None = None, count: int = 0
) -> Trimmed | None:
    """The trimmed proof that refutes clauses; None if the text does not derive the clause without literals.

    `text` has lines `ID literal... 0 hint... 0` and no deletions, with identifiers that rise. `names`: the numbers of
    the clauses in a larger formula of `count` clauses, which the proof is then about; else it is about these.
    """
    # Zeros come in pairs, one after the literals and one after the hints, so a step begins behind every second zero.
    # The first step whose literals end where they begin is the clause without literals: nothing after it matters.
    numbers: Numbers = np.fromstring(text, dtype=np.int64, sep=" ")
    zeros = np.flatnonzero(numbers == 0)
    middles, ends = zeros[0::2], zeros[1::2]  # after the literals, after the hints
    starts = np.concatenate(([0], ends[:-1] + 1))
    empty = np.flatnonzero(middles == starts + 1)
    if not len(empty):
        return None
    last = int(empty[0])
    step_of = np.full(int(numbers[starts].max()) + 1, -1, dtype=np.int64)
    step_of[numbers[starts]] = np.arange(len(starts))
    literals = np.fromiter(chain.from_iterable(clauses), dtype=np.int64)
    bounds = np.concatenate(([0], np.cumsum([len(clause) for clause in clauses], dtype=np.int64)))
    useful = np.zeros(numbers.size, dtype=np.bool_)
    mark_hints(numbers, starts, middles, ends, step_of, literals, bounds, useful)

    def hints_of(step: int) -> Numbers:
        part = slice(middles[step] + 1, ends[step])
        hints: Numbers = numbers[part][useful[part]]
        return hints

    # 1. Backwards: mark what is needed; the first to ask for a step is the last to use it.
    needed = bytearray(len(starts))
    needed[last] = 1
    done_after: dict[int, list[int]] = {}
    marks = np.frombuffer(needed, dtype=np.uint8)
    for step in range(last, -1, -1):
        if not needed[step]:
            continue
        asked = step_of[hints_of(step)]
        fresh = np.unique(asked[(asked >= 0) & (marks[asked] == 0)])
        if len(fresh):
            marks[fresh] = 1
            done_after[step] = fresh.tolist()
    # 2. Forwards: new identifiers, from the number of clauses on, without gaps.
    kept = np.flatnonzero(marks)
    named = np.arange(len(step_of), dtype=np.int64)  # the clauses of the formula keep theirs
    if names is not None:
        named[1 : len(clauses) + 1] = names
    named[numbers[starts[kept]]] = (count or len(clauses)) + 1 + np.arange(len(kept))
    lines = []
    used = np.zeros(len(clauses) + 1, np.bool_)
    for step in kept.tolist():
        identifier = int(named[numbers[starts[step]]])
        derived = numbers[starts[step] + 1 : middles[step]].tolist()
        hints = hints_of(step)
        used[hints[hints <= len(clauses)]] = True
        lines.append(" ".join(map(str, [identifier, *derived, 0, *named[hints].tolist(), 0])))
        if len(kept) > FEW and step in done_after and step != last:
            gone = named[numbers[starts[done_after[step]]]].tolist()
            lines.append(" ".join(map(str, [identifier, "d", *gone, 0])))
    return Trimmed(("\n".join(lines) + "\n").encode(), named[: len(used)][used].tolist())


@njit()
def mark_hints(
    numbers: Numbers,
    starts: Numbers,
    middles: Numbers,
    ends: Numbers,
    step_of: Numbers,
    literals: Numbers,
    bounds: Numbers,
    useful: NDArray[np.bool_],
) -> None:
    """Mark the entries of `numbers` that are hints that make a literal true, or the contradiction (the first one).

    `literals[bounds[i - 1]:bounds[i]]` is clause i; `step_of` has the step of an identifier, -1 for those of clauses.
    A literal x is false in step s if `false[x + width]` is s + 1.
    """
    width = 1
    for x in literals:
        width = max(width, abs(x))
    false = np.zeros(2 * width + 1, dtype=np.int64)
    for step in range(starts.size):
        # 1. What the step derives is assumed false.
        mark = step + 1
        for k in range(starts[step] + 1, middles[step]):
            false[numbers[k] + width] = mark
        for at in range(middles[step] + 1, ends[step]):
            # 2. Each hint in turn: a clause of the formula or of another step.
            other = step_of[numbers[at]]
            low, high = starts[other] + 1, middles[other]
            if other < 0:
                low, high = bounds[numbers[at] - 1], bounds[numbers[at]]
            # 3. It is useful if all of its literals but one are false, and that one not true yet; or all.
            unit, true = 0, False
            for k in range(low, high):
                x = literals[k] if other < 0 else numbers[k]
                if false[x + width] != mark:
                    true = true or false[width - x] == mark
                    unit = x
            if true:
                continue
            useful[at] = True
            if unit == 0:
                break
            false[width - unit] = mark


Clauses = Sequence[tuple[int, ...]]
"""Variables count from 1, a negative number is a negation. A clause has at least one literal."""

Make = Callable[[], tuple[int, Clauses]]
"""Gives variables and clauses. It is called in the child, so it has to be picklable, and should be small: a process
that is started takes nothing in until it has loaded its code, and who starts it waits as long as a pipe is full."""

Refine = Callable[[set[int]], tuple[int, Clauses] | None]
"""Called with the true variables of a solution: gives variables and clauses that forbid this solution, or None."""

FLAG = "cp_model_lrat_output_prefix"
PARSE = rb"_ZN4absl12lts_\d+16ParseCommandLineEiPPc"
"""The name of `absl::ParseCommandLine(int, char**)` in the library; the number is that of a release."""

PRESETS = (6, 1)
"""Compression levels of xz, for proofs of at most `LARGE` bytes and for larger ones. Of 21 MB, on a busy machine:
4.9 MB in 2 s by 1, 3.6 in 46 s by 6. Of 0.5 MB, 131 kB and 106 kB."""

LARGE = 4 << 20

ROUNDS = 6
"""How often a proof is looked for again, of the clauses that the last one uses. kB of `uva-9x9` after each round,
compressed: 95, 77, 56, 60, 65, 60, 57."""

LONGER = 5.0
"""Seconds after which no further round begins, or as many as the first proof took, if these are more."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """The result of a refutation. `proof`: LRAT as text, trimmed, compressed with xz; None without one, because the
    clauses can all be true (`satisfiable`), or because of a limit (`stopped_by`). `refined`: what gave more clauses, at
    the end.
    """

    proof: bytes | None
    satisfiable: bool = False
    stopped_by: str | None = None
    refined: Refine | None = None


class Refuting:
    """A child process that refutes clauses within the rest of a budget; a context manager, which ends the child."""

    def __init__(
        self,
        make: Make,
        budget: Budget,
        memory_mib: int | None,
        refine: Refine | None = None,
    ) -> None:
        self.budget = budget
        self._folder = tempfile.TemporaryDirectory(prefix="budge-")
        work = partial(_refute, make, refine, Path(self._folder.name))
        self._child = Child(Orders(work, budget.seconds_left, memory_mib), grace=0.0)

    def __enter__(self) -> Refuting:
        return self

    def __exit__(self, *error: object) -> None:
        self._child.kill()
        self._folder.cleanup()

    def answer(self, seconds: float = 0.0) -> Refutation | None:
        """The result, if it is there within `seconds` seconds; else None."""
        child = self._child
        if not child.ended:
            wait([child], min(seconds, max(0.0, self.budget.remaining)))
        if not child.ended and (
            why := self.budget.stopped()
        ):  # a child counts from when it is ready; the budget, from the beginning
            child.end(why)
        if child.ended and (failure := child.report().failure):
            raise failure
        if isinstance(child.result, Refutation):
            return child.result
        return Refutation(None, stopped_by=child.ended) if child.ended else None


def refute(make: Make, budget: Budget, refine: Refine | None = None) -> Refutation:
    """Refute clauses in a child process, within the rest of a budget."""
    with Refuting(make, budget, budget.memory_mib, refine) as solver:
        while (found := solver.answer(0.1)) is None:
            pass
    return found


def _refute(make: Make, refine: Refine | None, folder: Path, budget: Budget, _progress: Progress) -> Refutation:
    """The work of the child: make the clauses, solve, read the proof, trim and compress it."""

    variables, clauses = make()
    with _prefix_of(folder / "lrat") as prefix:
        began = budget.elapsed
        solved, true = _solve(variables, clauses, budget)
        while solved == "solution" and refine and (more := refine(true)):
            variables, clauses = more
            began = budget.elapsed
            solved, true = _solve(variables, clauses, budget)
        if solved != "infeasible":
            why = budget.stopped() or "time limit"
            return Refutation(None, satisfiable=solved == "solution", stopped_by=why, refined=refine)
        text = _written(prefix)
        steps = trimmed(text, clauses) if text else None
        if steps is not None:
            until = budget.elapsed + min(max(LONGER, budget.elapsed - began), budget.remaining / 4)
            steps = _shorter(steps, variables, clauses, prefix, budget, until)
    proof = steps.text if steps else None if text else _by_propagation(clauses)
    if proof is None:
        return Refutation(None, stopped_by="CP-SAT refutes the clauses, and writes no proof")
    return Refutation(packed(proof), refined=refine)


def packed(proof: bytes) -> bytes:
    """The text of a proof, compressed with xz."""
    return lzma.compress(proof, preset=PRESETS[len(proof) > LARGE])


def _written(prefix: Path) -> bytes:
    """The proof that the solver has written, and removes it; empty if there is none."""
    written = prefix.with_suffix(".txt")
    text = written.read_bytes() if written.is_file() else b""
    written.unlink(missing_ok=True)
    return text


def _shorter(steps: Trimmed, variables: int, clauses: Clauses, prefix: Path, budget: Budget, until: float) -> Trimmed:
    """A shorter proof of the same clauses, or the same: those that it uses, a few percent of all, are refuted again,
    with another seed each time. No round begins after `until`, in seconds of the budget.
    """

    for seed in range(1, ROUNDS + 1):
        if budget.elapsed >= until or budget.stopped():
            break
        core = [clauses[number - 1] for number in steps.used]
        solved, _ = _solve(variables, core, budget, seed, until - budget.elapsed)
        text = _written(prefix)
        again = trimmed(text, core, steps.used, len(clauses)) if solved == "infeasible" and text else None
        if again is not None and len(again.text) < len(steps.text):
            steps = again
    return steps


def _solve(
    variables: int, clauses: Clauses, budget: Budget, seed: int = 0, seconds: float | None = None
) -> tuple[str, set[int]]:
    """Solve the clauses, within a budget or fewer seconds: the result, and the true variables of a solution if there
    is one.
    """
    from ortools.sat.python import cp_model_helper as cp

    model, boolean = cp.CpModelProto(), cp.IntegerVariableProto()
    boolean.domain.extend([0, 1])
    for _ in range(variables):
        model.variables.append(boolean)
    for clause in clauses:
        model.constraints.add().bool_or.literals.extend([x - 1 if x > 0 else x for x in clause])
    parameters = cp.SatParameters()
    parameters.num_workers = 1
    parameters.cp_model_presolve = False
    parameters.linearization_level = 0
    parameters.symmetry_level = 0
    parameters.catch_sigint_signal = False
    parameters.output_lrat_proof = True
    parameters.check_merged_lrat_proof = True
    # For short proofs: no inprocessing (its steps are many, and few are of use), and no subsumption by what a conflict
    # leads to. 22 slides of the 9x9 board: 131 MB of proof in 8.4 s, 52 MB in 4.3 s so; 49 of the 93-step board: 57 MB
    # in 5.8 s, 32 MB in 3.8 s (processor time). Trimmed and compressed 2.30 and 0.89 MB; 4.93 and 2.28 MB.
    parameters.inprocessing_probing_dtime = 0.0
    parameters.inprocessing_minimization_dtime = 0.0
    parameters.extra_subsumption_during_conflict_analysis = False
    parameters.random_seed = seed
    if seconds is not None or budget.seconds is not None:
        parameters.max_time_in_seconds = max(0.001, budget.remaining if seconds is None else seconds)
    wrapper = cp.SolveWrapper()
    wrapper.set_parameters(parameters)
    answer = wrapper.solve(model)  # type: ignore[no-untyped-call,unused-ignore]
    names = {cp.CpSolverStatus.OPTIMAL: "solution", cp.CpSolverStatus.FEASIBLE: "solution"}
    names[cp.CpSolverStatus.INFEASIBLE] = "infeasible"
    return names.get(answer.status, "unknown"), {x for x, value in enumerate(answer.solution, 1) if value}


@contextmanager
def _prefix_of(wanted: Path) -> Iterator[Path]:
    """What the names of the proof's files begin with: as wanted, or else `/tmp/lrat`, behind a lock. That is where
    CP-SAT writes them if nothing else is said, whatever `TMPDIR` is.
    """
    if _set_flag(wanted):
        yield wanted
        return
    import fcntl

    common = Path("/tmp/lrat")
    with common.with_suffix(".budge-lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        common.with_suffix(".txt").unlink(missing_ok=True)
        yield common


def _set_flag(prefix: Path) -> bool:
    """Set CP-SAT's flag for the folder of proofs; False if this build has no such flag."""
    import ortools
    import ortools.sat.python.cp_model_helper

    folder = Path(ortools.__file__).parent / ".libs"
    for path in sorted(folder.glob("*absl_flags_parse*")):
        found = re.search(PARSE, path.read_bytes())
        if found:
            arguments = (ctypes.c_char_p * 3)(b"budge", f"--{FLAG}={prefix}".encode(), None)
            parse = getattr(ctypes.CDLL(str(path)), found[0].decode())
            parse.argtypes, parse.restype = [ctypes.c_int, ctypes.c_void_p], _Vector
            parse(2, arguments)
            return True
    return False


class _Vector(ctypes.Structure):
    """The `std::vector` that the function returns: three pointers, which are not read."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("begin", "end", "room")]


def _by_propagation(clauses: Clauses) -> bytes | None:
    """The proof of clauses that unit propagation refutes: one step, whose hints are all clauses that became units."""
    false: set[int] = set()
    hints: list[int] = []
    changed, used = True, [False] * len(clauses)
    while changed:
        changed = False
        for number, clause in enumerate(clauses):
            if used[number]:
                continue
            left = [x for x in clause if x not in false]
            if not left:
                return f"{len(clauses) + 1} 0 {' '.join(map(str, [*hints, number + 1]))} 0\n".encode()
            if len(left) == 1:
                used[number] = changed = True
                if -left[0] not in false:
                    false.add(-left[0])
                    hints.append(number + 1)
    return None
