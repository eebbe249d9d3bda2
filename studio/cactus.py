"""The cactus plot: how many puzzles each engine has solved when each may take so many seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..views.compare_text import grouped
from ..views.plots import LEAST, look, solved_times
from ..workflows.rows import Row
from . import axes
from .axes import Options


def options(sets: Mapping[str, Sequence[Row]], dark: bool) -> Options:
    """What ECharts is told of one set of rows, whose name is empty, or of two, the second of which has dashed lines."""
    series = []
    for (name, rows), kind in zip(sets.items(), ("solid", "dashed"), strict=False):
        for engine, times in solved_times(grouped(rows)).items():
            colour = look(engine).colour
            series.append(
                {
                    "name": f"{engine}, {name}" if name else engine,
                    "type": "line",
                    "step": "end",
                    "data": [[max(LEAST, seconds), count] for count, seconds in enumerate(times, 1)],
                    "itemStyle": {"color": colour},
                    "lineStyle": {"color": colour, "type": kind},
                    "symbol": "circle",
                    "symbolSize": 7,
                }
            )
    return axes.options({"type": "log", "name": "seconds"}, {"name": "solved"}, series, dark, "{a}: {c}")
