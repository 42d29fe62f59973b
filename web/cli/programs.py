"""Local programs and their problems."""

from dataclasses import dataclass
from pathlib import Path

from .header import SUFFIXES, Header, HeaderInvalid, language_of, read_header

_MOST_BYTES = 512 * 1024


class ProgramUnusable(Exception):
    """Raised when a file cannot be submitted. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its metadata, from the options, the header or the suffix, in this order."""

    source: str
    problem: str
    language: str
    gpu: str | None


def read_program(
    path: Path, *, problem: str | None = None, language: str | None = None, gpu: str | None = None
) -> Program:
    """The program in `path`. The options override its header.

    Raises:
        ProgramUnusable: the file cannot be read, or its problem or language is unknown.
    """
    source = read_source(path)
    try:
        header = read_header(source)
    except HeaderInvalid as error:
        raise ProgramUnusable(f"{path}: {error}") from error
    return Program(
        source,
        problem or header.problem or _no_problem(path, header),
        language or header.language or language_of(path) or _no_language(path),
        gpu or header.gpu,
    )


def read_source(path: Path) -> str:
    """The text of `path`.

    Raises:
        ProgramUnusable: the file cannot be read, is not text, or is too large for all sites.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ProgramUnusable(f"{path} is larger than {_MOST_BYTES // 1024} KiB.")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProgramUnusable(f"{path} is not a UTF-8 text file.") from error
    except OSError as error:
        raise ProgramUnusable(f"Cannot read {path}: {error.strerror}.") from error


def _no_problem(path: Path, header: Header) -> str:
    language = header.language or language_of(path) or "cuda"
    comment = "//" if language == "cuda" else "#"
    raise ProgramUnusable(
        f"{path} does not name its problem. Use --problem SLUG, or start the file with: "
        f"{comment} warpcourt: problem=SLUG"
    )


def _no_language(path: Path) -> str:
    endings = " nor ".join(SUFFIXES.values())
    raise ProgramUnusable(f"{path} ends in neither {endings}. Use --language {' or '.join(SUFFIXES)}.")
