"""Backs up and restores problem packages, tracks and quizzes.

Theory of operation. A package is a unit, because its version follows from its files: it is the same as in the
backup, different, or missing. A different package is replaced as a whole: a complete folder is renamed to its
place. Packages that are not in the backup stay. All tracks together are treated like one package, and so are
all quizzes.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from problems import quiz
from problems.placing import placing
from web.upkeep.archive import Reader
from web.upkeep.manifest import PROBLEMS, Member, ToolFailed, WouldOverwrite

_BESIDES = ("tracks", quiz.FOLDER)
_NEW, _OLD = ".new-", ".old-"


def files(root: Path) -> Iterator[tuple[str, Path]]:
    """The files of all packages, tracks and quizzes, with their names in a backup."""
    for folder in _folders(root):
        for path in _files_in(folder):
            yield f"{PROBLEMS}{folder.name}/{path.relative_to(folder).as_posix()}", path


def differing(members: Iterable[Member], root: Path) -> tuple[list[str], list[str]]:
    """The packages of the backup that are missing in `root`, and those that differ."""
    missing, other = [], []
    for name, wanted in sorted(_by_folder(members).items()):
        folder = root / name
        if not folder.exists():
            missing.append(name)
        elif wanted != {path.relative_to(folder).as_posix(): _sha256(path) for path in _files_in(folder)}:
            other.append(name)
    return missing, other


def restore(reader: Reader, names: Iterable[str], root: Path) -> None:
    """Restore the packages `names` from the backup to `root`.

    Raises:
        ToolFailed: `root` is not writable. The package in the message is unchanged or complete.
    """
    for name in names:
        try:
            _replace(reader, name, root)
        except OSError as error:
            raise ToolFailed(
                f"Cannot restore {root / name}: {error.strerror}. Make the folder writable, set "
                "WARPCOURT_PROBLEMS_DIR to a writable folder, or skip the problems with --without-problems."
            ) from error


def refuse_others(other: list[str], root: Path) -> None:
    """Refuse to overwrite packages.

    Raises:
        WouldOverwrite: `other` is not empty.
    """
    if other:
        raise WouldOverwrite(
            f"These problems in {root} differ from the backup: {', '.join(other)}. Replace them "
            "with --replace, or keep them with --without-problems."
        )


def _replace(reader: Reader, name: str, root: Path) -> None:
    new, old, place = root / f"{_NEW}{name}", root / f"{_OLD}{name}", root / name
    shutil.rmtree(new, ignore_errors=True)
    with placing(new) as below:
        for member in reader.manifest.members:
            if member.name.startswith(f"{PROBLEMS}{name}/"):
                below.write(member.name.removeprefix(f"{PROBLEMS}{name}/"), reader.chunks(member.name))
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _by_folder(members: Iterable[Member]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for member in members:
        if member.name.startswith(PROBLEMS):
            folder, _, rest = member.name.removeprefix(PROBLEMS).partition("/")
            found.setdefault(folder, {})[rest] = member.sha256
    return found


def _folders(root: Path) -> Iterator[Path]:
    for folder in sorted(root.glob("[!.]*/")):
        if folder.name in _BESIDES or (folder / "problem.toml").is_file():
            yield folder


def _files_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
