"""Relaxed reachability: the values that variables can come to have, found while actions are bound.

Delete relaxation: a variable keeps every value that it once had (Bonet and Geffner, *Planning as heuristic search*,
2001). Whoever binds a variable's values is called for each that is reached, at once or when it is; whoever needs one of
some values waits until one is. So nothing is enumerated that the relaxation does not reach, and nothing twice (as in
semi-naive evaluation of Datalog; Helmert, *Concise finite-domain representations*, 2009, 6, grounds tasks like this).
"""

from __future__ import annotations

from collections.abc import Callable

from .terms import bits


class Reaching:
    """The values that each variable can reach so far (masks), and the calls that wait for further ones."""

    def __init__(self, start: list[int]) -> None:
        self.reached = [1 << value for value in start]
        self._told = list(self.reached)  # without those that `run` has still to tell
        self._each: list[list[Callable[[int], None]]] = [[] for _ in self.reached]
        self._waiting: list[dict[int, list[Callable[[], None]]]] = [{} for _ in self.reached]
        self._gained: list[tuple[int, int]] = []

    def each_value(self, variable: int, call: Callable[[int], None]) -> None:
        """Call `call` with each value that the variable reaches: at once with those known, later with each new one."""
        self._each[variable].append(call)
        for value in bits(self._told[variable]):
            call(value)

    def wait(self, variable: int, mask: int, call: Callable[[], None]) -> None:
        """Call `call` once, as soon as the variable reaches a value of `mask`; so far it has reached none of them."""
        self._waiting[variable].setdefault(mask, []).append(call)

    def gain(self, variable: int, value: int) -> None:
        """Note that a variable can have a value. Calls that wait for it are made by `run`."""
        if not self.reached[variable] >> value & 1:
            self.reached[variable] |= 1 << value
            self._gained.append((variable, value))

    def run(self) -> None:
        """Make the calls that wait for new values; they may find further values, until no more come."""
        while self._gained:
            variable, value = self._gained.pop()
            self._told[variable] |= 1 << value
            for call in list(self._each[variable]):
                call(value)
            waiting = self._waiting[variable]
            for mask in [mask for mask in waiting if mask >> value & 1]:
                for resume in waiting.pop(mask):
                    resume()
        # Those that wait for nothing any more hold all that was found: without them, it goes when it is not needed.
        self._each, self._waiting = [], []
