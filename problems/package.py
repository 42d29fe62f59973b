"""Reads the files of a package: only regular files of bounded size in UTF-8."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from problems.faults import Faults
from problems.figures import MAX_FIGURES, REFERENCE, FigureInvalid, read_figure
from problems.hints import HINT_FILES, check_hints
from problems.translations import locale_of
from problems.vocabulary import Language

MAX_TEXT_KIB = 128
STARTER_FILES = {Language.CUDA: "cuda.cu", Language.TRITON: "triton.py", Language.PYTHON: "python.py"}
_FILES = ("problem.toml", "statement.md", "reference.py", "editorial.md", "checker.py")
_REQUIRED = _FILES[:3]
_FOLDERS = ("starter", "solutions", "programs", "hints", "figures")


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """The texts of a package. A missing required file is an empty text, with a fault."""

    description: str
    statement: str
    reference: str
    editorial: str | None
    hints: tuple[str, ...]
    checker: str | None
    starters: Mapping[Language, str]
    solutions: Mapping[str, str]
    translations: Mapping[str, str]
    programs: Mapping[str, str]


def read_package(folder: Path, faults: Faults) -> PackageFiles:
    """Read every file of the package in `folder`. No link is followed, and no code is executed."""
    texts: dict[str, str] = {}
    figures: set[str] = set()
    for path in _entries(folder, "", faults):
        if path.name in _FOLDERS:
            if not stat.S_ISDIR(path.lstat().st_mode):
                faults.add(path.name, "", "must be a folder, not a symbolic link")
                continue
            if path.name == "figures":
                figures = _check_figures(path, faults)
                continue
            for inner in _entries(path, path.name, faults):
                name = f"{path.name}/{inner.name}"
                texts[name] = read_text(inner, name, faults)
        elif path.name in _FILES or locale_of(path.name):
            texts[path.name] = read_text(path, path.name, faults)
        else:
            faults.add(path.name, "", f"unknown file; a package has {', '.join(_FILES + _FOLDERS)}")
    for name in _REQUIRED:
        if name not in texts:
            faults.add(name, "", "missing; write it")
    _refuse_unknown_starters(texts, faults)
    check_hints(texts, faults)
    _refuse_unknown_figures(texts, figures, faults)
    return PackageFiles(
        description=texts.get("problem.toml", ""),
        statement=texts.get("statement.md", ""),
        reference=texts.get("reference.py", ""),
        editorial=texts.get("editorial.md"),
        hints=tuple(texts[path] for path in HINT_FILES if path in texts),
        checker=texts.get("checker.py"),
        starters={
            language: texts[f"starter/{name}"]
            for language, name in STARTER_FILES.items()
            if f"starter/{name}" in texts
        },
        solutions=_below("solutions", texts),
        translations={locale_of(name): text for name, text in texts.items() if locale_of(name)},
        programs=_below("programs", texts),
    )


def _below(folder: str, texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts of the files in `folder`, by file name."""
    start = f"{folder}/"
    return {name.removeprefix(start): text for name, text in texts.items() if name.startswith(start)}


def _entries(folder: Path, name: str, faults: Faults) -> list[Path]:
    if folder.is_symlink() or not folder.is_dir():
        faults.add(name, "", "must be a folder, not a symbolic link")
        return []
    entries = sorted(folder.iterdir())
    return [path for path in entries if not path.name.startswith((".", "__pycache__"))]


def _refuse_unknown_starters(texts: Mapping[str, str], faults: Faults) -> None:
    for name in texts:
        if name.startswith("starter/") and name.removeprefix("starter/") not in STARTER_FILES.values():
            faults.add(name, "", f"unknown starter; name it {' or '.join(STARTER_FILES.values())}")


def _check_figures(folder: Path, faults: Faults) -> set[str]:
    found = _entries(folder, folder.name, faults)
    if len(found) > MAX_FIGURES:
        faults.add("figures", "", f"has {len(found)} files; at most {MAX_FIGURES} are allowed")
    for path in found[:MAX_FIGURES]:
        try:
            read_figure(path)
        except FigureInvalid as error:
            faults.add(f"figures/{path.name}", "", str(error))
    return {path.name for path in found}


def _refuse_unknown_figures(texts: Mapping[str, str], figures: set[str], faults: Faults) -> None:
    for file in filter(_shows_figures, texts):
        for name in REFERENCE.findall(texts[file]):
            if name not in figures:
                faults.add(file, "", f"shows figures/{name}, which is missing; add it")


def _shows_figures(file: str) -> bool:
    return file in {"statement.md", "editorial.md", *HINT_FILES} or bool(locale_of(file))


def read_text(path: Path, name: str, faults: Faults) -> str:
    """Return the text of a regular file; empty, with a fault, if it is not one. Faults call it `name`."""
    try:
        # With O_NONBLOCK, opening a FIFO does not block. It has no effect on a regular file.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        faults.add(name, "", f"cannot be read ({error.strerror}); it must be a regular file, not a link")
        return ""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            faults.add(name, "", "must be a regular file")
            return ""
        if status.st_size > MAX_TEXT_KIB * 1024:
            faults.add(name, "", f"has {status.st_size} bytes; at most {MAX_TEXT_KIB} KiB are allowed")
            return ""
        content = os.read(descriptor, MAX_TEXT_KIB * 1024)
    finally:
        os.close(descriptor)
    return _decode(content, name, faults)


def _decode(content: bytes, name: str, faults: Faults) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        faults.add(name, "", f"is not UTF-8 (byte {error.start}); save it as UTF-8")
        return ""
    if "\0" in text:
        faults.add(name, "", "holds a NUL character; remove it")
    elif not text.strip():
        faults.add(name, "", "is empty; write it or delete it")
    return text
