"""Finding puzzles: a file, two files of PDDL, standard input, the name of a shipped puzzle, or a folder or pattern of
many.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from .collections import is_collection, level_names, load_level
from .documents.document import MAX_BYTES, parse_bytes
from .errors import Problem, PuzzleError, UsageError
from .families import ENDING, SHIPPED, find_family, forms, load_dict, load_file, load_text, read_puzzle
from .families.pddl.files import ENDING as PDDL
from .families.pddl.files import SAS, files_of, is_domain, is_pddl, is_sas, paired
from .puzzle import Puzzle

ENDINGS = (".yaml", ".yml")
"""How the names of puzzle files end."""

CERTIFICATE = "claim.txt"
"""A file that each certificate of `budge certify` has."""

SUGGESTED = 6
"""Names that are suggested at most."""


@cache
def shipped() -> dict[str, Path]:
    """Every shipped puzzle by its name: its path below `puzzles/` without the ending, in order of name."""
    paths = (path for path in sorted(SHIPPED.rglob("*.yaml")) if not path.name.endswith(ENDING))
    return {path.relative_to(SHIPPED).with_suffix("").as_posix(): path for path in paths}


def find(name: str) -> Path:
    """The file that a user means: a path, or a shipped puzzle by its name, with or without its folder or family.

    Raises `UsageError` for a name that nothing or more than one thing has.
    """
    if not name:
        raise UsageError("the name of the puzzle is empty; give a file, or a name of `budge list`")
    if re.match(r"[a-z][a-z0-9+.-]*:/", name, re.IGNORECASE):
        raise UsageError(f"`{name}` is a URL, and Budge reads none; download the file, then give its name")
    path = Path(name)
    if os.path.isdir(path):  # False for a name that no folder can have
        _refuse_folder(path)
    if os.path.exists(path) or path.suffix in ENDINGS or is_pddl(name) or _level(name):
        return path
    if _is_pattern(name):
        raise UsageError(f"no shipped puzzle matches `{name}`; `budge list` shows them")
    names = shipped()
    wanted = _plain(name.strip("/"))
    inside = _folder(wanted)
    if inside:
        raise UsageError(f"`{name}` is a folder of shipped puzzles; name one, as `{inside[0]}`, or all, as `{name}/`")
    matches = [n for n in names if _plain(n) == wanted] or [n for n in names if _plain(_stem(n)) == wanted]
    if len(matches) == 1:
        return names[matches[0]]
    if matches:
        raise UsageError(f"`{name}` is the name of several puzzles: {', '.join(matches)}")
    near = _near(wanted)
    listed = " or ".join([", ".join(f"`{n}`" for n in near[:-1]), f"`{near[-1]}`"][len(near) == 1 :]) if near else ""
    hint = f"did you mean {listed}?" if near else "`budge list` shows them"
    raise UsageError(f"no file and no shipped puzzle `{name}`; {hint}")


def search(
    text: str, *, family: str | None = None, known: bool | None = None, optimum: tuple[int, int] | None = None
) -> dict[str, Puzzle]:
    """The shipped puzzles with a text in their name, family or title.

    `known`: whether its file knows the optimum, or that there is no plan. `optimum`: the least and the most of its
    first component, in the puzzle's metric or else in the first that the file knows.
    """
    wanted = _plain(text)
    if family is not None:
        family = find_family(_plain(family)).name
    puzzles = {}
    for name, path in shipped().items():
        puzzle = load_file(path)
        title, record, expect = puzzle.header.name, puzzle.record, puzzle.header.expect
        cost = expect.costs.get(puzzle.header.metric) or next(iter(expect.costs.values()), None)
        if (
            any(wanted in _plain(part) for part in (name, record.name, record.title, title))
            and family in (None, record.name)
            and known in (None, cost is not None or expect.unsolvable)
            and (optimum is None or (cost is not None and optimum[0] <= cost[0] <= optimum[1]))
        ):
            puzzles[name] = puzzle
    return puzzles


def _near(wanted: str) -> list[str]:
    """Names of shipped puzzles that may be meant, best first: with this beginning, spelt alike, or with this in the
    title.
    """
    stems = {_plain(_stem(name)): _stem(name) for name in shipped()}
    begin = sorted((stem for plain, stem in stems.items() if plain.startswith(wanted)), key=_by_number)
    import difflib

    close = difflib.get_close_matches(wanted, stems, n=3, cutoff=0.6)
    alike = sorted((stems[plain] for plain in close), key=lambda stem: (-_alike(wanted, stem), _by_number(stem)))
    if len(wanted) > 2 and not begin + alike:
        alike = [_stem(name) for name, title in _titles().items() if wanted in _plain(title)]
    return list(dict.fromkeys(begin + alike))[:SUGGESTED]


@cache
def _titles() -> dict[str, str]:
    """The titles of the shipped puzzles."""
    titles = {}
    for name, path in shipped().items():
        try:
            titles[name] = load_file(path).header.name
        except PuzzleError:
            continue
    return titles


def _alike(text: str, other: str) -> float:
    import difflib

    return round(difflib.SequenceMatcher(None, text, _plain(other)).ratio(), 2)


def _by_number(name: str) -> tuple[tuple[int, str], ...]:
    """A key for sorting by which `bird-2` comes before `bird-10`."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name))


def _plain(name: str) -> str:
    """A name for comparison: in lower case, `_` written as `-`."""
    return name.lower().replace("_", "-")


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def load(name: str | Path) -> Puzzle:
    """Load a puzzle: a file, `-` for standard input, or the name of a shipped one.

    Raises `PuzzleError` for a file that cannot be used and `UsageError` for a name that does not exist.
    """
    if name == "-":
        return load_bytes(standard_input())
    path = name if isinstance(name, Path) else find(name)
    if is_pddl(path.name):
        return _load_pddl(str(path))
    if (level := _level(str(path))) is not None:
        return load_level(*level)
    return load_level(path) if path.suffix.lower() not in ENDINGS and is_collection(path) else load_file(path)


def _level(name: str) -> tuple[Path, int] | None:
    """The collection and the number of one of its levels, by a name such as `levels.xsb#3`."""
    match = re.fullmatch(r"(.+)#([0-9]{1,6})", name)
    return (Path(match[1]), int(match[2])) if match and os.path.isfile(match[1]) and not os.path.exists(name) else None


def _load_pddl(name: str) -> Puzzle:
    """The puzzle of a domain and a problem in PDDL, or of a task in `.sas`. Raises `PuzzleError` and `UsageError`."""
    from .families.pddl.reading import load_paths

    files = (Path(name),) if is_sas(name) and os.path.isfile(name) else files_of(name)
    if files is None:
        if not os.path.isfile(name):
            raise UsageError(f"there is no file `{name}`")
        if is_domain(Path(name)):
            raise UsageError(f"`{name}` is a domain; name its problem behind it: `{name} p01.pddl`")
        hint = f"name it before the problem: `domain.pddl {shlex.quote(name)}`"
        raise PuzzleError([Problem(name, 0, 0, "no domain was found beside this problem", hint)])
    header, value = load_paths(*files)
    return Puzzle(find_family("pddl"), header, value, value.metrics)


def standard_input(size: int = MAX_BYTES + 1) -> bytes:
    """At most `size` bytes of standard input; by default one more than a puzzle file may have. Raises `UsageError` if
    it cannot be read.
    """
    try:
        if sys.stdin is not None:
            return sys.stdin.buffer.read(size)
        why = "it is closed"
    except OSError as error:
        why = "it is closed" if error.errno == errno.EBADF else str(error.strerror)
    raise UsageError(f"cannot read standard input: {why}")


def load_bytes(data: bytes) -> Puzzle:
    """The puzzle that standard input held. Raises `PuzzleError`."""
    return read_puzzle(parse_bytes(data, "<stdin>"))


PuzzleLike = Puzzle | str | os.PathLike[str] | Mapping[str, Any]
"""What stands for a puzzle: itself, its name, its file, the text of its file, or its keys and values."""


def as_puzzle(value: PuzzleLike) -> Puzzle:
    """The puzzle that a value stands for.

    A `Puzzle` is itself. A path (`pathlib.Path`) is a file. A text of one line is what `load` takes: the name of a
    shipped puzzle or a file; one of several lines is the text of a puzzle file. A dictionary has the keys of a puzzle
    file. Raises `PuzzleError` and `UsageError` as `load` does, and `TypeError` for anything else.
    """
    if isinstance(value, Puzzle):
        return value
    if isinstance(value, str):
        return load_text(value) if "\n" in value else load(value)
    if isinstance(value, os.PathLike):
        return load(Path(value))
    if isinstance(value, Mapping):
        return load_dict(value)
    raise TypeError(
        "a puzzle is needed: a Puzzle, the name of a shipped one, a path, the text of a puzzle file (YAML), or a "
        "dictionary with its keys; "
        f"this is of the type {type(value).__name__}"
    )


# Many puzzles


def expand(names: Iterable[str], is_whole: Callable[[str], bool] = lambda _: False) -> list[str]:
    """The puzzles that names on a command line stand for, in their order; a name that stands for none stays.

    A folder stands for all `*.yaml` and `*.yml` in it and in its subfolders, in order of name, and for the problems in
    PDDL; hidden ones are left out. A collection stands for its levels, `levels.xsb#1` and so on; a folder that has
    nothing else, for those of its collections. A folder of shipped puzzles (`rush_hour/`) and a pattern (`bird-*`)
    stand for shipped ones. A PDDL domain belongs to the problems behind it (`paired`). `is_whole`: which names stay as
    they are.
    """
    return [puzzle for name in paired(names) for puzzle in ([] if is_whole(name) else _expanded(name)) or [name]]


def _expanded(name: str) -> list[str]:
    path = Path(name)
    if name in ("", "-"):
        return []
    if os.path.isfile(path):
        return level_names(path) if path.suffix.lower() not in ENDINGS and is_collection(path) else []
    if os.path.isdir(path):
        return [str(file) for file in puzzles_below(path)] or [
            level for file in collections_below(path) for level in level_names(file)
        ]
    wanted = _plain(name.strip("/"))
    if _is_pattern(name):
        plain = {n: _plain(n) for n in shipped()}
        return [n for n, p in plain.items() if fnmatchcase(p, wanted) or fnmatchcase(_stem(p), wanted)]
    return _folder(wanted) if name.endswith("/") else []


def _folder(wanted: str) -> list[str]:
    """The shipped puzzles of a folder."""
    return [name for name in shipped() if _plain(name).startswith(f"{wanted}/")]


def files_below(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """The files in a folder and its subfolders whose names end so, in order; hidden ones and rules are left out, and
    subfolders with a certificate or a site of `budge site`: their puzzles are copies of those that stand elsewhere.

    Links to folders are not followed: they may lead in circles.
    """
    for here, folders, names in os.walk(folder):
        is_site = "site.json" in names and {"assets", "puzzles"} <= set(folders)
        if (is_site or CERTIFICATE in names) and Path(here) != Path(folder):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(endings) and not name.startswith(".") and not name.endswith(ENDING):
                yield Path(here, name)


def puzzles_below(folder: Path) -> Iterator[Path]:
    """The puzzle files below a folder, and its files of PDDL and `.sas` that are no domains: one whose domain is not
    found is reported when it is loaded.
    """
    for path in files_below(folder, (*ENDINGS, PDDL, SAS)):
        if not is_pddl(path.name) or not is_domain(path):
            yield path


def collections_below(folder: Path) -> Iterator[Path]:
    """The collections of levels below a folder."""
    endings = tuple({ending for _, form in forms().values() for ending in form.endings if form.guessed})
    return filter(is_collection, files_below(folder, endings))


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")


def _refuse_folder(path: Path) -> None:
    """Say what to do with a folder where one puzzle is needed."""
    if next(puzzles_below(path), None):
        raise UsageError(f"`{path}` is a folder; name one of the puzzles in it")
    if collection := next(collections_below(path), None):
        raise UsageError(f"`{path}` is a folder of collections of levels; name one of them, as `{collection}`")
    if domain := next(files_below(path, (PDDL,)), None):  # each file of PDDL is one, or it would be a problem
        raise UsageError(f"`{domain}` is a domain; put its problem beside it, as `p01.pddl`, and name that")
    raise UsageError(f"there is no puzzle file (`*.yaml`) in the folder `{path}`")
