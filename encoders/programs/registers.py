"""How the code of a task uses registers: what a reader of programs can know before it runs them."""

from __future__ import annotations

from collections.abc import Iterable

from ...models import program as op
from ...models.program import JUMPS, ProgramTask, operands, results

LABELS_BEHIND = frozenset((op.PART, op.CHECK, op.CALL))
"""Instructions that name another place in the code, and after which the next instruction follows all the same."""


class RegisterUses:
    """Where registers are read and assigned. `loops`: where each loop begins, and its last instruction."""

    def __init__(self, task: ProgramTask) -> None:
        self.code, self.tables = task.code, task.tables
        self.loops = {d: at for at, (code, d, *_) in enumerate(task.code) if code == op.JUMP and d <= at}
        self._span: dict[int, tuple[int, int]] = {}
        """Of each register the number of the program or routine that uses it first, and of the last one."""
        number = 0
        for instruction in task.code:
            for register in (*operands(instruction, self.tables), *results(instruction, self.tables)):
                first, _ = self._span.get(register, (number, number))
                self._span[register] = first, number
            number += instruction[0] in (op.RETURN, op.DONE)

    def fails(self, at: int) -> bool:
        """Whether nothing but a failure follows at an instruction."""
        while self.code[at][0] == op.JUMP and self.code[at][1] > at:
            at = self.code[at][1]
        return self.code[at][0] == op.FAIL

    def read_from(self, register: int, places: Iterable[int]) -> bool:
        """Whether a run that goes on at one of these instructions may read a register before it assigns it."""
        seen: set[int] = set()
        waiting = list(places)
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            code, d, *_ = self.code[at]
            if register in operands(self.code[at], self.tables):
                return True
            if code == op.RETURN:  # what a routine leaves in its registers is read by its callers
                first, last = self._span[register]
                return first != last
            if code in (op.DONE, op.FAIL, op.APPLY):
                continue
            if code in JUMPS and code not in LABELS_BEHIND:
                waiting.append(d)
            if code != op.JUMP and register not in results(self.code[at], self.tables):
                waiting.append(at + 1)
        return False
