"""Known mistakes of a version: its wrong solutions, each with the verdict that it got on each case.

Theory of operation. A proof judges the wrong solutions of a package. A submission that gets the same verdicts
on the same cases may have the same mistake, and the comment at the top of the solution explains it. The
verdicts come from the proof of a workspace, or, for problems that ship with Warpcourt, from their receipts. A
receipt is used only if it belongs to exactly these files.

A learner reads the explanation, so it must not reveal hidden cases: a text that names a hidden case, or one
of its sizes, is not used. Solutions that cheat are left out, because they teach nothing.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from problems import schema
from problems.comments import first_paragraph
from problems.contents import Contents
from problems.vocabulary import Group, Language, Verdict
from web.site.sentences import sentence

Verdicts = Mapping[str, str]  # of cases, by name
_RECEIPTS = "receipts"
_SOLUTIONS = "solutions/"
_MOST_CHARACTERS = 1000
_TELLING_SIZE = 100  # smaller numbers are counts, ordinals and widths of warps
_CHEATS = ("cheating", "cheats")
_LABEL = re.compile(r"(?:wrong|too slow|lower precision)[^:.]{0,60}: ", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0x([0-9a-f]{1,16})", re.IGNORECASE)
_POWER = re.compile(r"(\d{1,6}) {0,2}(?:\^|\*\*) {0,2}\{?(\d{1,2})")
_SHIFT = re.compile(r"(\d{1,9})[uUlL]{0,3} {0,2}<< {0,2}(\d{1,2})")
_MULTIPLE = re.compile(r"(\d{1,9}) ?([kmg])(?:ib?|b)?\b", re.IGNORECASE)
_UNITS = "kmg"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong solution. `cpu_only`: the verdicts are those on a CPU, and a GPU may give others."""

    language: Language
    text: str
    cases: Verdicts
    cpu_only: bool

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return {
            "language": self.language.value,
            "text": self.text,
            "cases": dict(self.cases),
            "cpu_only": self.cpu_only,
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Return the mistake that `to_json` stored."""
        return cls(Language(body["language"]), str(body["text"]), dict(body["cases"]), bool(body["cpu_only"]))


def known_mistakes(
    package: schema.Problem, contents: Contents, verdicts: Mapping[str, Verdicts]
) -> list[Mistake]:
    """Return the mistakes of `package`.

    `verdicts` has the verdicts on each case, by the file of the solution.
    """
    return list(_mistakes(package, contents, verdicts))


def verdicts_of_proof(report: Mapping[str, Any]) -> dict[str, Verdicts]:
    """Return the verdicts of the solutions in the stored form of a proof, by file."""
    return {
        outcome["program"].removeprefix(_SOLUTIONS): outcome["cases"]
        for outcome in report.get("outcomes", ())
        if outcome["program"].startswith(_SOLUTIONS) and "cases" in outcome  # older proofs have none
    }


def verdicts_of_receipt(root: Path, contents: Contents) -> dict[str, Verdicts]:
    """Return the verdicts of the solutions in the receipt of `contents` below `root`, by file.

    The result is empty if the receipt is missing or belongs to other files.
    """
    path = root / _RECEIPTS / f"{contents.slug}.json"
    try:
        receipt = json.loads(path.read_text(encoding="utf-8"))
        if receipt["package"] != contents.content_hash:
            return {}
        prefix = f"test_solution[{contents.slug}-"
        return {
            test.removeprefix(prefix).removesuffix("]"): recorded["cases"]
            for test, recorded in receipt["proved"].items()
            if test.startswith(prefix) and "cases" in recorded
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _mistakes(
    package: schema.Problem, contents: Contents, verdicts: Mapping[str, Verdicts]
) -> Iterator[Mistake]:
    timed = {case.name for case in package.cases if case.group is Group.TIMED}
    for solution in package.solutions:
        name = solution.path.name
        cases = {case: word for case, word in verdicts.get(name, {}).items() if case not in timed}
        # A program that fails every case may have any mistake.
        if len(set(cases.values())) < 2 or Verdict.ACCEPTED not in cases.values():
            continue
        source = contents.files.get(f"{_SOLUTIONS}{name}", b"").decode("utf-8", "replace")
        text = _explanation(package, source, solution)
        if text:
            yield Mistake(solution.language, text, cases, cpu_only=bool(solution.gpu_verdicts))


def _explanation(package: schema.Problem, source: str, solution: schema.Solution) -> str:
    """Return the first paragraph of the comment at the top, or the note; empty if neither may be shown."""
    comment = first_paragraph(source, solution.language)
    if solution.verdict is Verdict.REJECTED or comment.lower().startswith(_CHEATS):
        return ""
    for text in (comment, solution.note):
        shown = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
        if shown and len(shown) <= _MOST_CHARACTERS and not reveals(package, shown):
            return sentence(shown)
    return ""


def reveals(package: schema.Problem, text: str) -> bool:
    """Return whether `text` names a hidden case, or a size that only hidden cases have."""
    numbers = set(_numbers(text))
    words = text.casefold()
    public = {size for case in package.cases if case.public for size in case.sizes.values()}
    for case in package.cases:
        if case.public:
            continue
        sizes = {size for size in case.sizes.values() if size >= _TELLING_SIZE}
        if (sizes - public) & numbers or ("-" in case.name and case.name.casefold() in words):
            return True
    return False


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers in `text` in all usual forms: 65536, 65,536, 0x10000, 2^16, 1 << 16, 64 K, 64Ki."""
    plain = re.sub(r"(?<=\d)[ ,'_\u00a0\u202f](?=\d{3}(?!\d))", "", text)
    yield from (int(number) for number in re.findall(r"\d{1,18}", plain))
    yield from (int(number, 16) for number in _HEXADECIMAL.findall(plain))
    yield from (int(base) ** int(exponent) for base, exponent in _POWER.findall(plain))
    yield from (int(number) << int(places) for number, places in _SHIFT.findall(plain))
    for number, unit in _MULTIPLE.findall(plain):
        power = _UNITS.index(unit.lower()) + 1
        yield from (int(number) * 1000**power, int(number) * 1024**power)
