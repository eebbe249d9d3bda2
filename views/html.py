"""HTML that the report, notebooks and the studio share. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape as escaped

from ..models.errors import printable_lines


def escape(text: str) -> str:
    """A text of a file as a part of a page: it is no markup, and turns around nothing that follows it (U+202E)."""
    return escaped(printable_lines(text))


@dataclass(frozen=True, slots=True)
class TableOrder:
    """How a table is sorted (`column`, if any), and whether its `rows` and its `columns` are buttons to choose by."""

    column: int | None = None
    descending: bool = False
    rows: bool = False
    columns: bool = False


def table(
    head: Sequence[str],
    lines: Iterable[Sequence[str]],
    caption: str = "",
    numbers: Iterable[int] = (),
    order: TableOrder = TableOrder(),
) -> str:
    """A table in a box that scrolls; without a head, the first cell of each line is its heading.

    The columns `numbers` are aligned to the right.
    """
    right = set(numbers)

    def cell(tag: str, i: int, text: str, pick: str = "", said: str = "") -> str:
        align = ' class="number"' if i in right else ""
        inside = f'<button type="button" data-pick="{pick}">{escape(text)}</button>' if pick else escape(text)
        return f"<{tag}{align}{said}>{inside}</{tag.split()[0]}>"

    def heading(i: int, text: str) -> str:
        said = ""
        if i == order.column:
            arrow, way = ("▾", "descending") if order.descending else ("▴", "ascending")
            text, said = f"{text} {arrow}", f' aria-sort="{way}"'
        return cell('th scope="col"', i, text, f"column {i}" if order.columns else "", said)

    def row(number: int, texts: Sequence[str]) -> str:
        first = "td" if head else 'th scope="row"'
        picked = f"row {number}" if order.rows else ""
        cells = (cell("td" if i else first, i, text, "" if i else picked) for i, text in enumerate(texts))
        return f"<tr>{''.join(cells)}</tr>"

    body = "".join(row(number, line) for number, line in enumerate(lines))
    return (
        '<div class="scroll" tabindex="0"><table>'
        + (f"<caption>{escape(caption)}</caption>" if caption else "")
        + (f"<thead><tr>{''.join(heading(i, text) for i, text in enumerate(head))}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table></div>"
    )


def document(
    title: str, head: str, body: Iterable[str], scripts: Iterable[str] = (), *, policy: str = "", kind: str = ""
) -> str:
    """A whole page. `head`: its style, or a link to it; `body`, `scripts`: lines of HTML; `policy`: what the page may
    load and do (its content security policy), where it says so; `kind`: the class of its body.
    """
    named = f' class="{kind}"' if kind else ""
    security = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n' if policy else ""
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n{security}'
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>{head}</head><body{named}>",
            *body,
            f"{''.join(scripts)}</body></html>\n",
        ]
    )
