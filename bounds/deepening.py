"""Deeper layers on the second core, while a solver works with shallower ones on the first."""

from __future__ import annotations

import threading
import time

import numpy as np

from ..models.task import Task
from .layers import Layers, rising_layers


class Deepening:
    """Computes the layers of a task over larger and larger sets in a thread of its own (the kernels release Python's
    lock), up to `order`, beginning with sets larger than `known`.

    It begins when `poll` is called `delay` seconds or more after it was made, so that what is solved quickly costs
    nothing more.
    """

    def __init__(self, task: Task, known: int, order: int, delay: float) -> None:
        self.task, self.known, self.order = task, known, order
        self.begins = time.monotonic() + delay
        self.layers: Layers | None = None
        self._stop = np.zeros(1, np.uint8)
        self._thread: threading.Thread | None = None

    def poll(self) -> bool:
        """Whether deeper layers have become ready; starts computing them when it is time."""
        if self._thread is None and not self._stop[0] and time.monotonic() >= self.begins:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self.layers is not None

    def take(self) -> Layers | None:
        """The deepest layers that are ready, once."""
        layers, self.layers = self.layers, None
        return layers

    def stop(self) -> None:
        """End the computation, at the next operator that it looks at, and wait for that."""
        self._stop[0] = 1
        if self._thread is not None:
            self._thread.join()
        self.layers = None

    def _run(self) -> None:
        for layers in rising_layers(self.task, self.order, self._stop):
            if self._stop[0]:
                return
            if layers.order > self.known:
                self.layers = layers
