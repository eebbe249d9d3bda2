"""What the metrics of moving-piece families count."""

from __future__ import annotations

from ..cost import Unit

STEP = Unit("step", "steps")
"""One piece by one cell."""

SLIDE = Unit("slide", "slides")
"""One piece along one straight line, any distance."""

MOVE = Unit("move", "moves")
"""One piece along any path; of a walker, one cell."""
