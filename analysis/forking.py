"""Programs with an unknown state (`models.forking`), compiled: the same functions, as kernels."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..models import forking
from ..runtime.kernel_calls import njit
from ..runtime.kernels import ready
from .program_machine import cell_at, computed, entry_of

_names: dict[str, Any] = {**vars(forking), "cell_at": cell_at, "computed": computed, "entry": entry_of}
"""What the kernels see: the names of the module, with kernels in place of its functions."""

for _part in forking.PARTS:
    _names[_part.__name__] = njit(inner=True)(FunctionType(_part.__code__, _names))

run, run_all, write_facts = [
    njit(cache=True)(FunctionType(whole.__code__, _names))
    for whole in (forking.run, forking.run_all, forking.write_facts)
]


def compiled() -> tuple[Callable[..., int], Callable[..., int], Callable[..., None]] | None:
    """`run`, `run_all` and `write_facts` as kernels; None where kernels would have to be made first."""
    return (run, run_all, write_facts) if ready() else None
