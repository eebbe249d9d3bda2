"""The limits of a run, as they are asked for on the page: never more than the studio was started with."""

from __future__ import annotations

from ..models.errors import UsageError
from ..runtime.budget import Budget
from ..runtime.quantities import mebibytes, seconds
from .desk import Studio
from .parts import field


class LimitFields:
    """Two fields: the time limit (`60`, `2m`) and the memory limit (`512M`, `4G`)."""

    def __init__(self, studio: Studio, time: str = "60s") -> None:
        self.studio = studio
        self.time = field("Time limit", value=time)
        self.memory = field("Memory limit", value="2G")

    def budget(self) -> Budget:
        """The budget that is asked for. Raises `UsageError` for what is no limit, or is too much."""
        try:
            asked, size = seconds(self.time.value or ""), mebibytes(self.memory.value or "")
        except ValueError as error:
            raise UsageError(f"a limit {error}") from None
        if asked > self.studio.most_seconds:
            raise UsageError(f"a run may take {self.studio.most_seconds:g} seconds; `--time-limit` allows more")
        if size > self.studio.most_memory:
            raise UsageError(f"a run may take {self.studio.most_memory:,} MiB; `--memory-limit` allows more")
        return Budget(asked, size)
