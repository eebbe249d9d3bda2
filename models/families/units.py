"""What the metrics of moving-piece families count."""

from __future__ import annotations

from ..cost import Unit

STEP = Unit("step", "steps")
"""A step moves one piece by one cell."""

SLIDE = Unit("slide", "slides")
"""A slide moves one piece along a straight line, any distance."""

MOVE = Unit("move", "moves")
"""A move moves one piece along any path; a walker by one cell."""
