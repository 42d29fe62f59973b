"""Checks that the texts of a problem are accessible: by screen reader, by keyboard, without images.

Source: WCAG 2.2, criteria 1.1.1 (text alternatives), 1.3.1 (structure), 2.4.4 (links), 2.4.6 (headings).
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from judge.proof.results import ProofFinding, error, warning
from problems.hints import HINT_FILES
from problems.schema import Problem

# Texts come from authors. The patterns do not backtrack, and their repetitions are bounded, so checking a
# text takes time linear in its length.
_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_TARGET = r"\(\s{0,20}+([^)\s]{1,1000}+)[^)]{0,1000}+\)"
_IMAGE = re.compile(r"!\[([^\]]{0,1000}+)\]" + _TARGET)
_LINK = re.compile(r"(?<!!)\[([^\]]{1,1000}+)\]" + _TARGET)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_RULE = re.compile(r"\s*:?-+:?\s*")
_FIRST = 2  # the title of the page is heading 1
_SHORT = 8  # characters; a shorter text does not describe a picture
_NOTHING_SAID = {"image", "figure", "picture", "diagram", "graph", "chart", "screenshot", "photo", "drawing"}
_NOWHERE = {"here", "click here", "this", "this link", "link", "more", "read more"}


def check_accessible(problem: Problem) -> Iterator[ProofFinding]:
    """Yield findings on the statement, its translations, the editorial and the hints."""
    for file, text in texts_of(problem).items():
        lines = list(_prose(text))
        yield from _headings(file, lines)
        yield from _images(file, lines)
        yield from _links(file, lines)
        yield from _tables(file, lines)


def texts_of(problem: Problem) -> Mapping[str, str]:
    """Return the texts that readers see, by file."""
    editorial = {"editorial.md": problem.editorial} if problem.editorial else {}
    translations = {f"statement.{locale}.md": text for locale, text in problem.translations.items()}
    hints = dict(zip(HINT_FILES, problem.hints, strict=False))
    return {"statement.md": problem.statement} | translations | editorial | hints


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of code blocks with their numbers, from 1."""
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number, line


def _headings(file: str, lines: list[tuple[int, str]]) -> Iterator[ProofFinding]:
    level = _FIRST - 1
    for number, line in lines:
        found = _HEADING.match(line)
        if not found:
            continue
        place, deeper = f"{file}: line {number}", len(found[1])
        if not line[found.end() :].strip().rstrip("#"):
            yield error(place, "is an empty heading", "write what follows, or remove it")
        if deeper < _FIRST:
            yield error(place, "is a level-1 heading, which is reserved for the title", "write ## before it")
        elif deeper > level + 1:
            yield error(
                place,
                f"jumps from heading level {level} to level {deeper}",
                f"write {'#' * (level + 1)} so that no level is skipped",
            )
        level = max(deeper, _FIRST)


def _images(file: str, lines: list[tuple[int, str]]) -> Iterator[ProofFinding]:
    for number, line in lines:
        for words, source in _IMAGE.findall(line):
            place, said = f"{file}: line {number}", words.strip()
            fix = f"describe the image in the brackets of ![…]({source}), for readers who cannot see it"
            name = source.rpartition("/")[2]
            if not said:
                yield error(place, f"shows {source} without alternative text", fix)
            elif said.lower() in _NOTHING_SAID | {name.lower(), name.lower().partition(".")[0]}:
                yield error(place, f"describes {source} as {said!r}, which carries no information", fix)
            elif len(said) < _SHORT:
                yield warning(place, f"describes {source} with {len(said)} characters", fix)


def _links(file: str, lines: list[tuple[int, str]]) -> Iterator[ProofFinding]:
    for number, line in lines:
        for words, target in _LINK.findall(line):
            if words.strip().lower() in _NOWHERE or words.strip() == target:
                yield warning(
                    f"{file}: line {number}",
                    f"has a link called {words.strip()!r}, which does not name its target",
                    "name the target in the link text",
                )


def _tables(file: str, lines: list[tuple[int, str]]) -> Iterator[ProofFinding]:
    for (number, line), (_, below) in pairwise(lines):
        if "|" in line and _is_rule(below):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not all(cells):
                yield warning(
                    f"{file}: line {number}",
                    "is a table header with an empty cell",
                    "name every column: screen readers announce the name with each cell",
                )


def _is_rule(line: str) -> bool:
    """Return whether a line separates the head of a table from its rows."""
    cells = line.strip().removeprefix("|").removesuffix("|").split("|")
    return "|" in line and all(_RULE.fullmatch(cell) for cell in cells)
