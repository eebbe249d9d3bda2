"""Successors counted by the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.engines.common.successors import Workspace, operator_successors, workspace
from budge.models.task import OperatorTask, walks
from budge.runtime.kernel_calls import njit


@njit()
def written(task: BitsetTask, row: Any, work: Workspace, barred: int) -> int:
    """The generator can be called from kernels only."""
    number: int = operator_successors(task, row, work, barred)
    return number


def packed_row(task: OperatorTask, state: frozenset[int]) -> Any:
    """A state as the searches store it, the walker at its start."""
    row = np.zeros(to_bitset_task(task).row, np.uint64)
    for fact in state:
        row[fact >> 6] |= np.uint64(1 << (fact & 63))
    if task.walker:
        row[-1] = min(walks(task.walker, task.walker.start, set(state)))
    return row


def count(task: OperatorTask, state: frozenset[int], barred: int = -1) -> int:
    """The successors of a state, by the kernel that nearly all searches use."""
    packed = to_bitset_task(task)
    packed = packed._replace(most=4 * packed.most)  # room for more than there should be
    number: int = written(packed, packed_row(task, state), workspace(packed), barred)
    return number
