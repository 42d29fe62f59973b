"""Known mistakes of a version: its wrong solutions, each with the pattern of what it got on each case.

Theory of operation. A proof judges the wrong solutions of a package. A submission with the same pattern may
have the same mistake, and the comment at the top of the solution explains it. The pattern has the verdict of
each case. If this is a wrong answer, it also has the share of wrong elements of each wrong output. Inputs
differ between submissions, so similar shares are enough. The pattern comes from the proof of a workspace, or,
for problems that ship with Warpcourt, from their receipts. A receipt is used only if it belongs to exactly
these files.

Older proofs and receipts have no shares. Such a pattern matches no new report with a wrong answer, because
verdicts alone gave wrong explanations. It still matches older reports, which have no shares either.

A learner reads the explanation, so it must not reveal hidden cases: a text that names a hidden case, or one
of its sizes, is not used. Solutions that cheat are left out, because they teach nothing.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import asin, sqrt
from pathlib import Path
from typing import Any, Self

from problems import schema
from problems.comments import first_paragraph
from problems.contents import Contents
from problems.vocabulary import Group, Language, Verdict
from web.site.sentences import sentence

Shares = Mapping[str, float]  # of wrong elements, by the name of the output
_RECEIPTS = "receipts"
_SOLUTIONS = "solutions/"
_MOST_CHARACTERS = 1000
_TELLING_SIZE = 100  # smaller numbers are counts, ordinals and widths of warps
_CHEATS = ("cheating", "cheats")
_ALIKE = 0.25  # of the angles for large outputs; those of different mistakes differed by 0.33 or more
_LABEL = re.compile(r"(?:wrong|too slow|lower precision)[^:.]{0,60}: ", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0x([0-9a-f]{1,16})", re.IGNORECASE)
_POWER = re.compile(r"(\d{1,6}) {0,2}(?:\^|\*\*) {0,2}\{?(\d{1,2})")
_SHIFT = re.compile(r"(\d{1,9})[uUlL]{0,3} {0,2}<< {0,2}(\d{1,2})")
_MULTIPLE = re.compile(r"(\d{1,9}) ?([kmg])(?:ib?|b)?\b", re.IGNORECASE)
_UNITS = "kmg"


@dataclass(frozen=True, slots=True)
class Pattern:
    """The verdict of a program on each case by name, and the shares of wrong elements in each wrong case."""

    cases: Mapping[str, str]
    wrong: Mapping[str, Shares]

    def resembles(self, other: "Pattern", elements: Mapping[str, Mapping[str, int]]) -> bool:
        """Return whether two programs with these patterns may have the same mistake.

        `elements` has the number of elements of each wrong output in each case.
        """
        return self.cases == other.cases and all(
            _alike(self.wrong.get(name, {}), other.wrong.get(name, {}), elements.get(name, {}))
            for name in self.cases
        )


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong solution. `cpu_only`: the pattern is that on a CPU, and a GPU may give another."""

    language: Language
    text: str
    pattern: Pattern
    cpu_only: bool

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return {
            "language": self.language.value,
            "text": self.text,
            "cases": dict(self.pattern.cases),
            "wrong": {name: dict(shares) for name, shares in self.pattern.wrong.items()},
            "cpu_only": self.cpu_only,
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Return the mistake that `to_json` stored."""
        return cls(
            Language(body["language"]), str(body["text"]), _pattern_of(body), cpu_only=bool(body["cpu_only"])
        )


def known_mistakes(
    package: schema.Problem, contents: Contents, patterns: Mapping[str, Pattern]
) -> list[Mistake]:
    """Return the mistakes of `package`. `patterns` are those of the solutions, by file."""
    return list(_mistakes(package, contents, patterns))


def patterns_of_proof(report: Mapping[str, Any]) -> dict[str, Pattern]:
    """Return the patterns of the solutions in the stored form of a proof, by file."""
    return {
        outcome["program"].removeprefix(_SOLUTIONS): _pattern_of(outcome)
        for outcome in report.get("outcomes", ())
        if outcome["program"].startswith(_SOLUTIONS) and "cases" in outcome  # older proofs have none
    }


def patterns_of_receipt(root: Path, contents: Contents) -> dict[str, Pattern]:
    """Return the patterns of the solutions in the receipt of `contents` below `root`, by file.

    The result is empty if the receipt is missing or belongs to other files.
    """
    path = root / _RECEIPTS / f"{contents.slug}.json"
    try:
        receipt = json.loads(path.read_text(encoding="utf-8"))
        if receipt["package"] != contents.content_hash:
            return {}
        prefix = f"test_solution[{contents.slug}-"
        return {
            test.removeprefix(prefix).removesuffix("]"): _pattern_of(recorded)
            for test, recorded in receipt["proved"].items()
            if test.startswith(prefix) and "cases" in recorded
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _pattern_of(body: Mapping[str, Any]) -> Pattern:
    """Return the pattern in stored JSON. Older rows have no shares."""
    return Pattern(
        dict(body["cases"]), {name: dict(shares) for name, shares in body.get("wrong", {}).items()}
    )


def _alike(one: Shares, other: Shares, elements: Mapping[str, int]) -> bool:
    """Return whether the same outputs are wrong, to a similar extent.

    Shares are compared as the arcsine of their square root. The standard deviation of this angle is
    0.5 / sqrt(n) for n random elements, whatever the share. So the tolerance is larger for small outputs.
    """
    return one.keys() == other.keys() and all(
        abs(asin(sqrt(one[name])) - asin(sqrt(other[name]))) <= _ALIKE + 1 / sqrt(elements.get(name, 1))
        for name in one
    )


def _mistakes(
    package: schema.Problem, contents: Contents, patterns: Mapping[str, Pattern]
) -> Iterator[Mistake]:
    timed = {case.name for case in package.cases if case.group is Group.TIMED}
    for solution in package.solutions:
        name = solution.path.name
        if name not in patterns:
            continue
        pattern = patterns[name]
        cases = {case: word for case, word in pattern.cases.items() if case not in timed}
        # A program that fails every case may have any mistake.
        if len(set(cases.values())) < 2 or Verdict.ACCEPTED not in cases.values():
            continue
        source = contents.files.get(f"{_SOLUTIONS}{name}", b"").decode("utf-8", "replace")
        text = _explanation(package, source, solution)
        if text:
            wrong = {case: shares for case, shares in pattern.wrong.items() if case in cases}
            known = Pattern(cases, wrong)
            yield Mistake(solution.language, text, known, cpu_only=bool(solution.gpu_verdicts))


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
