"""The files of PDDL puzzles: what their names stand for, and the keys of a puzzle file that names or contains them.

format: 1                        format: 1
family: pddl                     family: pddl
domain: domain.pddl              domain: |
problem: p01.pddl                  (define (domain ferry) ...)
                                 problem: |
                                   (define (problem one) ...)

Or the task that a translator has made of both, in `.sas` (`sas`), as `problem` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ...documents.compose import Scalar
from ...documents.document import MAX_BYTES
from ...documents.fields import Fields, read_keys
from ...documents.files import FileError, inside, read_regular, read_whole
from ...moves import Metric
from .problem import metrics_of

ENDING, SAS = ".pddl", ".sas"

PAIR = "+"
"""Between the two files of a problem where both are one name: `domain.pddl+p01.pddl`."""

MOST_COMMENT = 65_536
"""Bytes at the beginning of a file in which a domain is recognised."""

_PAIRED = re.compile(r"(.+?\.pddl)\+(.+)", re.IGNORECASE)
"""The name of two files; a `+` elsewhere belongs to the name of a folder or file."""

_DOMAIN = re.compile(r"(?:\s|\ufeff|;[^\n]*(?:\n|$))*\(\s*define\s*\(\s*domain\b", re.IGNORECASE)

KEYS = read_keys(Path(__file__).parent)


def own_metrics(fields: Fields) -> tuple[Metric, ...]:
    """The metrics of a puzzle file, before it is read as a whole: costs, if its problem asks for them to be small."""
    text = text_of_key(fields, "problem")
    if text and is_translated(text[0]):
        return metrics_of(bool(re.search(r"^\s*begin_metric\s+1\s", text[0], re.MULTILINE)))
    plain = re.sub(r";[^\n]*", "", text[0]) if text else ""
    priced = re.search(r"\(\s*:metric\s+minimize\s*\(?\s*(?!total-time[\s)])[\w-]", plain, re.IGNORECASE)
    return metrics_of(bool(priced))


def text_of_key(fields: Fields, key: str) -> tuple[str, str] | None:
    """The PDDL text that a key gives or names, and the name of its file. What is wrong goes to the report.

    A text that stands in the puzzle file keeps its lines and columns.
    """
    node, report = fields.mapping.get(key), fields.report
    if not isinstance(node, Scalar) or not node.text.strip():
        fields.text(key, required=True, example=f"{key}: {'domain' if key == 'domain' else 'p01'}.pddl")
        return None
    if "(" in node.text or is_translated(node.text):
        if node.style != "|":
            return node.text, report.file
        first, count = node.span.line + 1, node.text.rstrip("\n").count("\n") + 1
        return "\n" * first + "\n".join(report.lines[first : first + count]), report.file
    if report.folder is None:
        report.error(node, f"`{node.text}` cannot be found: this text is no file in a folder", "write the PDDL here")
        return None
    try:
        path = inside(report.folder, node.text.strip())
        return decoded(path), str(path)
    except FileError as error:
        report.error(node, f"`{node.text.strip()}` cannot be read: {error.reason}", error.hint or "check its name")
    return None


def decoded(path: Path) -> str:
    """The text of a file. Raises `FileError`.

    Old files have names of people in other encodings, in comments; there any bytes are taken. Elsewhere those that are
    no UTF-8 become lone surrogates, which the reader reports with their places.
    """
    text = read_whole(path, MAX_BYTES).decode("utf-8-sig", "surrogateescape")
    return _COMMENT.sub(_in_latin, text) if _UNDECODED.search(text) else text


_COMMENT = re.compile(r";[^\n]*")
_UNDECODED = re.compile("[\udc80-\udcff]")


def _in_latin(comment: re.Match[str]) -> str:
    """A comment with each byte that is no UTF-8 as the character of Latin-1."""
    return _UNDECODED.sub(lambda byte: chr(ord(byte[0]) - 0xDC00), comment[0])


def is_pddl(name: str) -> bool:
    """Whether a name is that of a file of PDDL, or of two, or of a task in `.sas`."""
    return name.lower().endswith((ENDING, SAS))


def is_sas(name: str) -> bool:
    """Whether a name is that of a task in `.sas`."""
    return name.lower().endswith(SAS)


def _is_half(name: str) -> bool:
    """Whether a name is that of one file of PDDL, a domain or a problem, which needs the other one."""
    return name.lower().endswith(ENDING) and not _PAIRED.fullmatch(name)


def is_translated(text: str) -> bool:
    """Whether a text is a task in `.sas`, by its first line."""
    return text.lstrip()[:13].lower() == "begin_version"


def is_domain(path: Path) -> bool:
    """Whether a file begins as a domain does: `(define (domain ...`."""
    try:
        start = read_regular(path, MOST_COMMENT).decode("utf-8", "replace")
    except FileError:
        return False
    return bool(_DOMAIN.match(start))


def paired(names: Iterable[str]) -> list[str]:
    """Names as a command gets them, with one name for each domain and problem: `d.pddl p1.pddl p2.pddl` becomes
    `d.pddl+p1.pddl d.pddl+p2.pddl`; so does `p1.pddl d.pddl`, if that is all. A domain without a problem stays, and all
    that is no PDDL.
    """
    given = list(names)
    if all(map(_is_half, given)) and [is_domain(Path(name)) for name in given] == [False, True]:
        given.reverse()
    named, domain, alone = list[str](), "", False
    for name in given:
        if not _is_half(name):
            named.append(name)
        elif is_domain(Path(name)):
            named += [domain] * alone
            domain, alone = name, True
        else:
            named.append(f"{domain}{PAIR}{name}" if domain else name)
            alone = False
    return named + [domain] * alone


def files_of(name: str) -> tuple[Path, Path] | None:
    """The domain and the problem that a name stands for; None for a name of something else, or without a domain.

    `domain.pddl+p01.pddl` names both. For a problem alone, the domain is the file `domain.pddl` beside it, or
    `p01-domain.pddl`, `domain-p01.pddl`, `domain_p01.pddl`, or `domain.pddl` in the folder above.
    """
    if not name.lower().endswith(ENDING):
        return None
    if pair := _PAIRED.fullmatch(name):
        return Path(pair[1]), Path(pair[2])
    path = Path(name)
    stem, ending = path.stem, path.suffix
    names = ("domain", f"{stem}-domain", f"{stem}_domain", f"domain-{stem}", f"domain_{stem}")
    for candidate in (*[path.with_name(domain + ending) for domain in names], path.parent.parent / f"domain{ending}"):
        if candidate.is_file() and candidate != path:
            return candidate, path
    return None
