"""Collections of levels of other programs, written as puzzle files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..models.errors import BudgeError, UsageError, WriteError
from ..models.families import importers
from ..models.family import Conversion, Importer
from ..models.library import files_below
from ..models.text import suggest
from .checking import problems_of


def convert(
    path: Path, out: Path, form: str | None = None, prefix: str | None = None
) -> Iterator[tuple[Path, Conversion]]:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file; gives what came of each
    collection. One that cannot be read is a problem, and the others go on. Raises `UsageError`, `WriteError`.
    """
    for importer, collection, folder in _work(path, out, form, prefix):
        try:
            yield collection, importer.convert(collection, folder, prefix)
        except WriteError:  # of the disk, not of a collection
            raise
        except BudgeError as error:
            yield collection, Conversion([], problems_of(error, str(collection)))


def _work(path: Path, out: Path, form: str | None, prefix: str | None) -> Iterator[tuple[Importer, Path, Path]]:
    """Each collection with its importer and the folder for its puzzles: for one in a subfolder, a subfolder."""
    if not path.is_dir():
        yield _importer(form, path), path, out
        return
    chosen = [_named(form)] if form else importers().values()
    work = [
        (importer, file) for importer in chosen for file in files_below(path, importer.endings) if importer.takes(file)
    ]
    if not work:
        endings = ", ".join(f"`*{ending}`" for importer in chosen for ending in importer.endings)
        raise UsageError(f"there is no collection of levels ({endings}) in the folder `{path}`")
    if prefix and len(work) > 1:
        raise UsageError(f"`--prefix` is for one collection; there are {len(work)} in the folder `{path}`")
    for importer, file in work:
        yield importer, file, out / file.parent.relative_to(path)


def _importer(form: str | None, path: Path) -> Importer:
    """The importer of a format; without one, that which knows the file by its ending and by what it holds. Raises
    `UsageError` if none or several do: a wrong guess would say of each line that it is wrong.
    """
    if form:
        return _named(form)
    by_ending = [importer for importer in importers().values() if importer.endings]
    able = [importer for importer in by_ending if path.suffix.lower() in importer.endings] or by_ending
    fits = [importer for importer in able if importer.is_one is None or importer.is_one(path)]
    if len(fits) == 1 or not path.is_file():
        return (fits or able)[0]  # which says why the file cannot be read
    formats = "; ".join(f"{importer.name}: {importer.help}" for importer in importers().values())
    if fits:
        raise UsageError(f"{path}: say with `--from` which format this is: {formats}")
    raise UsageError(
        f"{path} holds nothing in a format that is read here ({formats}). If it is one of them, `--from` names it, and "
        "then says what is wrong; another puzzle can be written as a file of its own: `budge new --help`"
    )


def _named(form: str) -> Importer:
    """The importer that has this name. Raises `UsageError` with a suggestion if there is none."""
    forms = importers()
    if form not in forms:
        raise UsageError(f"no format of collections is called `{form}`; {suggest(form, forms)}")
    return forms[form]
