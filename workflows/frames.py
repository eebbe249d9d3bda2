"""Results as tables of pandas, for notebooks. pandas is imported only when a table is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def frame(lines: Iterable[Mapping[str, Any]], columns: Sequence[str], index: str | None = None) -> Any:
    """A `DataFrame` with these columns, of lines that may have more; `index` names the index.

    Raises `ImportError`, with what to do, where pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas, which is not installed: `pip install pandas`") from None
    table = pandas.DataFrame([[line[column] for column in columns] for line in lines], columns=list(columns))
    table.index.name = index
    return table
