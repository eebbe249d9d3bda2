"""Pieces of HTML that the report and notebooks share. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], lines: Iterable[Sequence[str]], caption: str = "", numbers: Iterable[int] = ()) -> str:
    """A table in a box that scrolls; without a head, the first cell of each line is its heading.

    The columns `numbers` are aligned to the right.
    """
    right = set(numbers)

    def cell(tag: str, i: int, text: str) -> str:
        scope = {"th": ' scope="col"', "td": ""}[tag]
        if not head and i == 0:
            tag, scope = "th", ' scope="row"'
        align = ' class="number"' if i in right else ""
        return f"<{tag}{scope}{align}>{escape(text)}</{tag}>"

    def row(tag: str, texts: Sequence[str]) -> str:
        return f"<tr>{''.join(cell(tag, i, text) for i, text in enumerate(texts))}</tr>"

    body = "".join(row("td", line) for line in lines)
    return (
        '<div class="scroll" tabindex="0"><table>'
        + (f"<caption>{escape(caption)}</caption>" if caption else "")
        + (f"<thead>{row('th', head)}</thead>" if head else "")
        + f"<tbody>{body}</tbody></table></div>"
    )
