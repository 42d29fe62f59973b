"""A comparison of two states of a package, file by file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from web.submissions.differences import Difference, TooDifferent, compare

_LANGUAGES = {".cu": "cuda", ".md": "markdown", ".py": "python", ".toml": "toml"}
_PICTURES = {".png", ".webp"}


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The difference between two states of a file. `change` is `added`, `removed` or `changed`.

    `difference` is None if it can't be shown. `complaint` then says why.
    """

    path: str
    change: str
    difference: Difference | None
    complaint: str = ""


def language_of(path: str) -> str:
    """Return the language in which a file of that name is highlighted."""
    return _LANGUAGES.get(PurePosixPath(path).suffix, "text")


def differences(
    old: Mapping[str, bytes | None], new: Mapping[str, bytes | None]
) -> tuple[FileDifference, ...]:
    """Return the changes from `old` to `new`, sorted by path. problem.toml comes first."""
    paths = sorted({*old, *new}, key=lambda path: (path != "problem.toml", path))
    return tuple(
        _difference(path, old.get(path), new.get(path)) for path in paths if old.get(path) != new.get(path)
    )


def text_or_none(content: bytes | None) -> str | None:
    """Return the text of a file, or None if it is not text. A missing file has an empty text."""
    try:
        return (content or b"").decode()
    except UnicodeDecodeError:
        return None


def _difference(path: str, old: bytes | None, new: bytes | None) -> FileDifference:
    change = "added" if old is None else "removed" if new is None else "changed"
    before, after = text_or_none(old), text_or_none(new)
    if PurePosixPath(path).suffix in _PICTURES or before is None or after is None:
        sizes = f"{len(old or b'')} bytes before, {len(new or b'')} now"
        return FileDifference(path, change, None, f"Binary file: {sizes}.")
    language = language_of(path)
    try:
        return FileDifference(
            path, change, compare(before, after, old_language=language, new_language=language)
        )
    except TooDifferent as refusal:
        return FileDifference(path, change, None, str(refusal))
