"""Compiling all kernels into one library (`runtime.kernels`), in a process that does nothing else.

What engines and commands run is called on sample puzzles of every family, in every metric, and every call of a kernel
from Python is noted: numba compiles the kernel for these arguments. The samples are small, and the families' own: they
have what makes kernels differ, such as walkers, compound moves, costs of two components and goals of several clauses.

Of every kernel and layout of arguments, the code that numba has made is kept without its entry from Python, and
translated so that it can lie anywhere in memory. Numba's settings say for which processor (`NUMBA_CPU_NAME`).
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from ..analysis.program_machine import run_all_forked, run_forked
from ..engines.common.refutation import trimmed
from ..engines.engine import Engine
from ..engines.table import ENGINES
from ..models.errors import UsageError
from ..models.families import families, load_text
from ..models.families.custom.leaves import Enumerator
from ..models.families.custom.programs.task import programs
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask
from ..models.watching import collector_paused
from ..runtime.budget import Budget
from ..runtime.events import silent
from ..runtime.kernel_calls import Kernel, by_address, digest_of, name_of, words_of
from ..workflows import exploration
from ..workflows.why import find_reasons
from . import blocks, rooms

ALLOCATION = """
declare ptr @malloc(i64)
declare void @free(ptr)

; An array that a kernel makes (`MemInfo` of numba): six words, of which kernels read the first, the number of
; references, and the fourth, the address of its data.
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %whole = add i64 %size, 48
  %block = call ptr @malloc(i64 %whole)
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %fill
fill:
  %data = getelementptr i64, ptr %block, i64 6
  store i64 1, ptr %block
  %fourth = getelementptr i64, ptr %block, i64 3
  store ptr %data, ptr %fourth
  br label %end
end:
  ret ptr %block
}
@NRT_MemInfo_alloc_safe_aligned = alias ptr (i64, i32), ptr @NRT_MemInfo_alloc_aligned
define void @NRT_MemInfo_call_dtor(ptr %block) {
  call void @free(ptr %block)
  ret void
}
"""
"""What numba's runtime does for kernels, in LLVM's language."""

Layouts = dict[str, tuple[str, str]]
"""For each layout of a kernel's arguments, by its digest: the symbol, and the format of the result."""

Called = dict[str, tuple[Kernel, dict[str, tuple[Any, ...]]]]
"""Each kernel that was called, and for each layout of its arguments their types in numba."""


def call_all(claim: Callable[[int], bool] = lambda _: True) -> Called:
    """Call everything that runs kernels, of which several processes may `claim` parts by their numbers. From now on,
    this process compiles what it calls.
    """
    called: Called = {}

    def noted(method: Callable[..., Any]) -> Any:
        def call(kernel: Kernel, *arguments: Any) -> Any:
            result = method(kernel, *arguments)
            note(called, kernel, arguments)
            return result

        return call

    def by_numba(kernel: Kernel, *arguments: Any) -> Any:
        return kernel.compiled(*by_address(arguments))

    Kernel.__call__, Kernel.compile = noted(by_numba), noted(Kernel.compile)  # type: ignore[method-assign]
    for number, call in enumerate(_calls()):
        if claim(number):
            with collector_paused():  # an eighth of the time
                call()
    return called


def note(called: Called, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
    """Note what a kernel was called with."""
    from numba import typeof

    layouts = called.setdefault(name_of(kernel.function), (kernel, {}))[1]
    layouts.setdefault(digest_of(words_of(arguments)[0]), tuple(map(typeof, by_address(arguments))))


def _calls() -> Iterator[Callable[[], object]]:
    """What calls kernels, on whatever they differ by."""
    samples = [
        (load_text(text), metric)
        for family in families().values()
        for text in (family.sample, *family.samples)
        for metric in family.metric_names
    ]
    for engine in reversed(ENGINES.values()):  # about those first that take longest
        if engine.programs and engine.programs.compiled:
            yield partial(_on_counter, engine)
        if engine.compiled and (call := getattr(engine.imported(), "compile_kernels", None)):
            yield partial(_on_all, samples, partial(_on_task, call))
    yield _on_programs
    yield partial(_on_all, samples, partial(_on_task, _shared))
    for call in (exploration.compile_kernels, find_reasons.compile_kernels):
        yield partial(_on_all, samples, call)
    yield lambda: trimmed(b"3 0 1 2 0\n", [(1,), (-1,)])
    yield _makers
    yield partial(_enumerate, load_text(families()["custom"].sample))


def _on_all(samples: Sequence[tuple[Puzzle, str]], call: Callable[[Puzzle, str], object]) -> None:
    for puzzle, metric in samples:
        with contextlib.suppress(UsageError):  # it cannot do such puzzles
            call(puzzle, metric)


def _on_counter(engine: Engine) -> None:
    """Let an engine solve a task of programs, with and without room for states."""
    for memory in (None, 0):
        engine.run(counter(), Budget(None, memory))


def _on_task(call: Callable[[OperatorTask, Budget], object], puzzle: Puzzle, metric: str) -> None:
    call(puzzle.task(metric), Budget())


# What several engines and commands run on a task of operators.


def _shared(task: OperatorTask, budget: Budget) -> None:
    """Call what fills tables of relaxed reachability, matches objects to goals, finds invariants and dead sets, and
    estimates the cost from a state to the goal; of these, what can do this task.
    """
    for call in (_relaxed, _bounds, _estimates):
        with contextlib.suppress(UsageError):
            call(task, budget)


def _relaxed(task: OperatorTask, budget: Budget) -> None:
    from ..analysis.hm.tables import hm_tables
    from ..analysis.plan_invariants import find_invariants
    from ..analysis.transformed_tasks import with_unit_cost

    stepwise = with_unit_cost(task)
    if stepwise is not None:
        find_invariants(stepwise, budget)
        hm_tables(stepwise, 3)  # those of order 5 run the same code


def _bounds(task: OperatorTask, _budget: Budget) -> None:
    from ..analysis.plan_invariants import root_bounds

    for _ in root_bounds(task):
        pass


def _estimates(task: OperatorTask, budget: Budget) -> None:
    from ..analysis.bitset_task import to_bitset_task
    from ..analysis.estimate import prepare_estimate

    prepare_estimate(task, to_bitset_task(task), budget)


# A counter as a program task, on which the kernels for programs are called.

COUNTER = """
format: 1
family: custom
state: {step: {in: 0..3, start: 0}}
actions:
  up: {set: {step: step + 1}}
goal: step == 3
"""


def counter() -> ProgramTask:
    """A variable from 0 to 3 that is counted up to 3."""
    puzzle = load_text(COUNTER)
    return programs(puzzle.value, puzzle.metric(puzzle.header.metric))


def _on_programs() -> None:
    """Run on the counter what engines run on programs when a search is long, and what `explore`, `hint` and `plans`
    run.
    """
    from ..analysis.inverse_programs import ends_of
    from ..analysis.program_projections import databases_of
    from ..engines.common.reachable import explore, hint
    from ..engines.common.state_graph import state_graph
    from ..engines.common.store import StateStore
    from ..engines.common.stored_states import StoredStates

    StateStore(counter()).count_all(Budget(), 10)
    ends = ends_of(counter())
    if not isinstance(ends, str):
        goals, both_ways = ends
        databases_of(counter(), both_ways, goals, 4, Budget())
    explore(StoredStates(counter(), Budget(), silent))
    state_graph(counter(), Budget(), silent)
    hint(StoredStates(counter(), Budget(), silent))


def _enumerate(puzzle: Puzzle) -> None:
    enumerator = Enumerator(puzzle.value, puzzle.metric(puzzle.metrics[0]))
    enumerator.go_on_compiled(run_forked, run_all_forked)
    enumerator.changes()
    list(enumerator.goal())


def _makers() -> None:
    for maker in (
        blocks.RushHourMaker(3, 3, (1, 3), 0, "slides", 4096),
        blocks.SlidingBlockMaker(3, 3, (1, 3), 0, "moves", 4096),
    ):
        chance = random.Random(1)
        while maker.grade(maker.new(chance)) is None:
            pass
    rooms.RoomMaker(3, 3, 1, 4096).grade(rooms.SokobanRoom(0x070707, 1))


def code_of(called: Called, prefix: str) -> tuple[dict[str, Layouts], bytes]:
    """The index of kernels that were called, and an object file of them. Their symbols begin with `prefix`."""
    llvm: Any = import_module("llvmlite.binding")
    numba: Any = import_module("numba.core.registry")
    _, processor, features = numba.cpu_target.target_context.codegen().magic_tuple()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=processor, features=features, opt=3, reloc="pic", codemodel="default"
    )
    whole = llvm.parse_assembly(ALLOCATION)
    index: dict[str, Layouts] = {}
    count = 0
    for name, (kernel, layouts) in sorted(called.items()):
        index[name] = {}
        for digest, kinds in sorted(layouts.items()):
            overload = kernel.compiled.overloads[kinds]
            symbol, count = f"{prefix}{count}", count + 1
            module = llvm.parse_assembly(str(overload.library._get_module_for_linking()))
            for each in (*module.functions, *module.global_variables):
                if each.name == overload.fndesc.mangled_name:
                    each.name, each.linkage = symbol, llvm.Linkage.external
                elif not each.is_declaration:
                    each.linkage = llvm.Linkage.internal
            _without_unused(llvm, machine, module)
            whole.link_in(module)
            index[name][digest] = symbol, _form_of(overload.signature.return_type)
    for each in whole.functions:
        if not each.is_declaration and not each.name.startswith(prefix):
            each.linkage = llvm.Linkage.internal
    _without_unused(llvm, machine, whole)
    return index, bytes(machine.emit_object(whole))


def _without_unused(llvm: Any, machine: Any, module: Any) -> None:
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, builder)


def _form_of(kind: Any) -> str:
    """The format of a kernel's result, for `struct`."""
    types: Any = import_module("numba.types")
    numbers = {types.int64: "q", types.uint64: "Q", types.boolean: "?", types.int32: "i", types.float64: "d"}
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.BaseTuple):
        return "".join(_form_of(one) for one in kind)
    return numbers[types.unliteral(kind)]
