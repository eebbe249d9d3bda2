"""Compile all kernels for a baseline processor into the shared library that a wheel carries (`runtime/carried.py`).

    python .ci/carry_kernels.py      with numba and a C compiler; Budge is installed editable from here

All that engines prepare is called, once, with a cache that is empty. Of every kernel and layout of arguments, the code
that numba has made is kept without its entry from Python, translated so that it can lie anywhere in memory, and linked.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MACHINES = {
    "x86_64": ("x86-64-v2", ["cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"]),
    "AMD64": ("x86-64-v2", ["cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"]),
    "aarch64": ("generic", []),
    "arm64": ("apple-m1", []),
}
"""The baseline by the machine's name: LLVM's name of the processor, and what it knows, as Linux names it."""

PROCESSOR, INSTRUCTIONS = MACHINES[platform.machine()]

if __name__ == "__main__":
    scratch = tempfile.TemporaryDirectory()
    for former in ("kernels.so", "kernels.json"):
        Path(__file__).parent.parent.joinpath("runtime", former).unlink(missing_ok=True)
    os.environ |= {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": scratch.name}

import llvmlite.binding as llvm
import numba
from budge.runtime import carried, numba_kernels
from budge.runtime.carried_kernels import digest_of, name_of, words_of
from budge.workflows.setup import everything
from numba import types

RUNTIME = """
#include <stdint.h>
#include <stdlib.h>

/* Arrays that a kernel makes: a count of references, what is called when it is zero (nothing), and the data. */
typedef struct { size_t references; void *destroy, *argument, *data; size_t size; void *allocator; } Block;

__attribute__((visibility("hidden"))) Block *NRT_MemInfo_alloc_aligned(size_t size, uint32_t align) {
    size_t first = (sizeof(Block) + align - 1) / align * align;
    Block *block = malloc(first + size + align);
    if (!block) return 0;
    char *data = (char *)block + first;
    data += (align - (uintptr_t)data % align) % align;
    *block = (Block){1, 0, 0, data, size, 0};
    return block;
}
__attribute__((visibility("hidden"))) Block *NRT_MemInfo_alloc_safe_aligned(size_t size, uint32_t align) {
    return NRT_MemInfo_alloc_aligned(size, align);
}
__attribute__((visibility("hidden"))) void NRT_MemInfo_call_dtor(Block *block) { free(block); }
"""

NEVER_CALLED = {"landmark_cut_of", "partitioned_value_of", "potentials_value_of", "hash_row", "hash_word"}
"""Kernels that only tests call from Python."""

called: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {}
"""Each kernel that was called, and for each layout of its arguments their types in numba."""


def note(kernel: numba_kernels.Kernel, arguments: tuple[Any, ...]) -> None:
    """Note what a kernel is called with."""
    layout, _, _ = words_of(arguments)
    name = name_of(kernel.compiled.py_func)
    compiled, layouts = called.setdefault(name, (kernel.compiled, {}))
    assert compiled is kernel.compiled, f"two kernels are called {name}"
    layouts.setdefault(digest_of(layout), tuple(map(numba.typeof, numba_kernels.by_address(arguments))))


def record() -> None:
    """From now on, note every call from Python."""

    def noted(method: Any) -> Any:
        def call(kernel: numba_kernels.Kernel, *arguments: Any) -> Any:
            note(kernel, arguments)
            return method(kernel, *arguments)

        return call

    for method in ("__call__", "compile"):
        setattr(numba_kernels.Kernel, method, noted(getattr(numba_kernels.Kernel, method)))


def form_of(kind: Any) -> str:
    """The format of a kernel's result, for `struct`."""
    numbers = {types.int64: "q", types.uint64: "Q", types.boolean: "?", types.int32: "i", types.float64: "d"}
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.BaseTuple):
        return "".join(form_of(one) for one in kind)
    return numbers[types.unliteral(kind)]


def emit(overload: Any, symbol: str, machine: Any, into: Path) -> None:
    """Write the code of a kernel as an object file, in which nothing else can be seen."""
    module = llvm.parse_assembly(overload.library.get_llvm_str())
    for each in (*module.functions, *module.global_variables):
        if each.name == overload.fndesc.mangled_name:
            each.name, each.linkage = symbol, llvm.Linkage.external
        elif not each.is_declaration:
            each.linkage = llvm.Linkage.internal
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, builder)
    into.write_bytes(machine.emit_object(module))


def link(folder: Path) -> None:
    """Make the library and its index of all kernels that were called; `folder` is for files between."""
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=PROCESSOR, features="", opt=3, reloc="pic", codemodel="default"
    )
    objects, index = list[Path](), dict[str, dict[str, list[str]]]()
    for name, (compiled, layouts) in sorted(called.items()):
        index[name] = {}
        for digest, kinds in sorted(layouts.items()):
            overload = compiled.overloads[kinds]
            symbol = f"budge_kernel_{len(objects)}"
            objects.append(folder / f"{symbol}.o")
            emit(overload, symbol, machine, objects[-1])
            index[name][digest] = [symbol, form_of(overload.signature.return_type)]
    runtime = folder / "runtime.c"
    runtime.write_text(RUNTIME)
    strict = [] if sys.platform == "darwin" else ["-Wl,--no-undefined", "-Wl,-s"]
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", *strict, "-o", carried.LIBRARY, runtime, *objects], check=True)
    facts = {"sources": carried.sources().hex(), "instructions": INSTRUCTIONS, "kernels": index}
    carried.INDEX.write_text(json.dumps(facts))
    print(f"{len(index)} kernels, {len(objects)} layouts, {carried.LIBRARY.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    record()
    for preparation in everything():
        for part in preparation.parts:
            part()
        print(preparation.name, flush=True)
    kernels = [one for one in gc.get_objects() if isinstance(one, numba_kernels.Kernel)]
    kept = {one for one in kernels if isinstance(one.compiled._cache, numba_kernels.KernelCache)}
    missing = {name_of(one.compiled.py_func) for one in kept} - called.keys()
    if missing := {name for name in missing if name.rpartition(".")[2] not in NEVER_CALLED}:
        sys.exit(f"no preparation calls {', '.join(sorted(missing))}")
    link(Path(scratch.name))


if __name__ == "__main__":
    main()
