"""Deeper layers on the second core, while a solver works with shallower ones on the first."""

from __future__ import annotations

import threading
import time

import numpy as np

from ..models.task import Task
from .layers import Layers, affordable, reachability_layers


class Deepening:
    """Computes the layers of a task over larger sets in a thread of its own (the kernels release Python's lock).

    It begins when `poll` is called `delay` seconds or more after it was made, so that what is solved quickly costs
    nothing more.
    """

    def __init__(self, task: Task, order: int, delay: float) -> None:
        self.task, self.order = task, order
        self.wanted = affordable(task, order)
        self.begins = time.monotonic() + delay
        self.layers: Layers | None = None
        self._stop = np.zeros(1, np.uint8)
        self._thread: threading.Thread | None = None

    def poll(self) -> bool:
        """Whether deeper layers have become ready; starts computing them when it is time."""
        if self.wanted and self._thread is None and time.monotonic() >= self.begins:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self.layers is not None

    def take(self) -> Layers | None:
        """The deeper layers, once: afterwards there is nothing more to wait for."""
        layers, self.layers, self.wanted = self.layers, None, False
        return layers

    def stop(self) -> None:
        """End the computation, at the next operator that it looks at, and wait for that."""
        self._stop[0] = 1
        self.wanted = False
        if self._thread is not None:
            self._thread.join()
        self.layers = None

    def _run(self) -> None:
        layers = reachability_layers(self.task, self.order, self._stop)
        if not self._stop[0]:
            self.layers = layers
