"""Converts names of other formats to Warpcourt's: lower-case words that no language reserves."""

import re
from collections.abc import Iterable, Mapping

from problems.parse import is_reserved

_MOST = 32


def argument_names(theirs: Iterable[str]) -> dict[str, str]:
    """Return a unique Warpcourt name for each of the set's names."""
    names: dict[str, str] = {}
    for name in theirs:
        plain = re.sub(r"[^a-z0-9]+", "_", _apart(name).lower()).strip("_") or "argument"
        plain = f"a_{plain}" if not plain[0].isalpha() else plain
        plain = f"{plain}_value" if is_reserved(plain) else plain
        names[name] = _free(plain[: _MOST - 4], names)
    return names


def slug_of(name: str) -> str:
    """Convert a folder's name to a slug, without leading numbers."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    while words and words[0].isdigit() and len(words) > 1:
        words = words[1:]
    slug = "-".join(words) or "problem"
    return (slug if slug[0].isalpha() else f"p-{slug}")[:60].strip("-")


def case_name(name: str, taken: Iterable[str]) -> str:
    """Convert a test's name to a case name that is not in `taken`."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    plain = "-".join(words)[:32].strip("-") or "test"
    plain = plain if plain[0].isalpha() else f"test-{plain}"
    known = set(taken)
    number = 1
    found = plain
    while found in known:
        number += 1
        found = f"{plain}-{number}"
    return found


def _apart(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def _free(plain: str, names: Mapping[str, str]) -> str:
    number = 1
    found = plain
    while found in names.values():
        number += 1
        found = f"{plain}_{number}"
    return found
