"""Puzzles whose rules and start are PDDL: two files, or a puzzle file that names them or has their text.

    format: 1                        format: 1
    family: pddl                     family: pddl
    domain: domain.pddl              domain: |
    problem: p01.pddl                  (define (domain ferry) ...)
                                     problem: |
                                       (define (problem one) ...)
"""

from __future__ import annotations

import re
from pathlib import Path

from ...cells import Rows
from ...cost import Metric
from ...documents.document import MAX_BYTES, Scalar
from ...documents.fields import Fields
from ...documents.files import FileError, inside, read_regular
from ...documents.keys import TEXT, Key
from ...errors import PuzzleError, Problem
from ...family import Keys
from ...header import Header
from .problem import ACTIONS, COST, Pddl
from .reading import read_pddl

KEYS = (
    Key("domain", TEXT, "the domain: a file beside this one, or its text", required=True, examples=("domain.pddl",)),
    Key("problem", TEXT, "the problem: a file beside this one, or its text", required=True, examples=("p01.pddl",)),
)

PAIR = "+"
"""Between the two files of a problem where both are one name: `domain.pddl+p01.pddl`."""

ENDING = ".pddl"


def own_metrics(fields: Fields) -> tuple[Metric, ...]:
    """The metrics of a puzzle file, before it is read as a whole: costs, if its problem asks for them to be small."""
    found = _text(fields, "problem")
    plain = re.sub(r";[^\n]*", "", found[0]) if found else ""
    priced = re.search(r"\(\s*:metric\s", plain, re.IGNORECASE)
    return (COST, ACTIONS, Metric((*COST.units, *ACTIONS.units))) if priced else (ACTIONS,)


def read(fields: Fields, header: Header) -> tuple[Header, Pddl]:
    """The problem of a puzzle file. Raises `PuzzleError` with all that is wrong in it and in the files that it names."""
    texts = [_text(fields, key) for key in ("domain", "problem")]
    for key, text in zip(("domain", "problem"), texts, strict=True):
        if text is None and not fields.has(key):
            fields.missing(key, f"add `{key}: {'domain' if key == 'domain' else 'p01'}.pddl`")
    fields.report.raise_if_any()
    (domain, domain_file), (problem, problem_file) = [text for text in texts if text is not None]
    return header, read_pddl(domain, domain_file, problem, problem_file)


def _text(fields: Fields, key: str) -> tuple[str, str] | None:
    """The PDDL text that a key gives or names, and the name of its file. What is wrong goes to the report.

    A text that stands in the puzzle file keeps its lines and columns.
    """
    node, report = fields.mapping.get(key), fields.report
    if not isinstance(node, Scalar) or not node.text.strip():
        fields.text(key, required=True, example=f"{key}: {'domain' if key == 'domain' else 'p01'}.pddl")
        return None
    if "(" in node.text:
        count = node.text.count("\n") + 1
        if node.style != "|":
            return node.text, report.file
        first = node.span.line + 1
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
    """The text of a file. Raises `FileError`."""
    data = read_regular(path, MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise FileError(f"it has more than {MAX_BYTES:,} bytes", "check that this is the file that you mean")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"byte 0x{error.object[error.start]:02x} is not valid UTF-8", "save it as UTF-8") from None


def write(puzzle: Pddl, board: Rows) -> Keys:
    """The keys of the puzzle file of a problem: the text of both files."""
    return {"domain": tuple(puzzle.domain_text.split("\n")), "problem": tuple(puzzle.problem_text.split("\n"))}


def load_pair(domain: Path, problem: Path) -> tuple[Header, Pddl]:
    """The problem of two files, and a header. Raises `PuzzleError`."""
    texts, problems = [], []
    for path in (domain, problem):
        try:
            texts.append(decoded(path))
        except FileError as error:
            problems.append(Problem(str(path), 0, 0, f"cannot read the file: {error.reason}", error.hint))
    if problems:
        raise PuzzleError(problems)
    puzzle = read_pddl(texts[0], str(domain), texts[1], str(problem))
    return Header(file=str(problem), name=problem.stem, metric=puzzle.metrics[0].name), puzzle


def files_of(name: str) -> tuple[Path, Path] | None:
    """The domain and the problem that a name stands for; None for a name of something else, or without a domain.

    `domain.pddl+p01.pddl` names both. For a problem alone, the domain is the file `domain.pddl` beside it, or
    `p01-domain.pddl`, `domain-p01.pddl`, `domain_p01.pddl`, or `domain.pddl` in the folder above.
    """
    if not name.lower().endswith(ENDING):
        return None
    before, plus, after = name.partition(ENDING + PAIR)
    if plus:
        return Path(before + ENDING), Path(after)
    path = Path(name)
    stem, ending = path.stem, path.suffix
    names = ("domain", f"{stem}-domain", f"{stem}_domain", f"domain-{stem}", f"domain_{stem}")
    for candidate in (*[path.with_name(one + ending) for one in names], path.parent.parent / f"domain{ending}"):
        if candidate.is_file() and candidate != path:
            return candidate, path
    return None
