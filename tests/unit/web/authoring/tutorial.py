"""Reads the steps of docs/authoring.md for the tests that follow them."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

SLUG = "product-of-two-vectors"
_TEXT = Path(__file__).resolve().parents[4].joinpath("docs/authoring.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Breakage:
    """A change of the tutorial, the expected findings, and whether they appear without a proof."""

    file: str
    old: str
    new: str
    found: tuple[str, ...]
    at_once: bool


def _breakages() -> tuple[Breakage, ...]:
    found = []
    for part in _section("Prove").split("\n### ")[1:]:
        old, new, quoted = _blocks(part)
        file = re.search(r"In `([^`]+)`, replace", part)
        assert file, part
        found.append(Breakage(file[1], old, new, tuple(quoted.splitlines()), "says so at once" in part))
    return tuple(found)


def _correction() -> tuple[str, str]:
    old, new = _blocks(_section("Correct what is published"))
    return old, new


def _section(title: str) -> str:
    return re.split(r"^## ", _TEXT.split(f"## {title}\n", 1)[1], flags=re.MULTILINE)[0]


def _blocks(text: str) -> list[str]:
    found = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") for block in found]


BREAKAGES = _breakages()
CORRECTION = _correction()
