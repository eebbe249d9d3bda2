"""Collections as puzzle files, in one call."""

from pathlib import Path

from budge.models import collections
from budge.models.family import Conversion


def convert_collection(path: Path, folder: Path) -> Conversion:
    """Write the levels of a collection of Sokoban into a folder."""
    return collections.convert(path, folder, None, "xsb")
