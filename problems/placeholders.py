"""Replaces placeholders such as `{{ cases.example.n }}` in texts by numbers of the package.

So texts and package cannot disagree. An unknown name is a fault, and so is a text that becomes too long.
Hidden data has no names: only public cases can be named, and the least and greatest sizes of all cases, which
the constraints state anyway.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from problems.faults import MOST_FAULTS, Faults
from problems.parse import Description
from problems.vocabulary import ProgramKind

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_CHARACTERS = 256 * 1024  # of a text with its values
_MOST_NAMES = 40  # that a fault lists
_PLACEHOLDER = re.compile(r"\{\{\s*([a-z]+(?:\.[a-z0-9_-]+)+)\s*\}\}")


def resolve(text: str, description: Description, file: str, faults: Faults) -> str:
    """Return `text` with every placeholder replaced by its value. Faults name `file`."""
    used = Counter(found[1] for found in _PLACEHOLDER.finditer(text))
    if not used:
        return text
    known = dict(_values(description))
    if len(text) + sum(len(known.get(name, "")) * count for name, count in used.items()) > MOST_CHARACTERS:
        faults.add(
            file,
            "",
            f"exceeds {MOST_CHARACTERS // 1024} KiB with the values of its placeholders; use fewer of them",
        )
        return text
    unknown = (name for name in used if name not in known)
    for name in islice(unknown, MOST_FAULTS):
        faults.add(file, "", f"{{{{ {name} }}}} means nothing; {_choice(name, known)}")
    return _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), text)


def placeholders(description: Description) -> Mapping[str, str]:
    """Return every name that a text may use, with its value."""
    return dict(_values(description))


def _choice(name: str, known: Mapping[str, str]) -> str:
    """Return the known names to list in a fault about an unknown `name`."""
    root = name.partition(".")[0]
    alike = list(islice((other for other in known if other.partition(".")[0] == root), _MOST_NAMES))
    if alike:
        return f"there are {', '.join(alike)}"
    return f"names start with {', '.join(dict.fromkeys(other.partition('.')[0] for other in known))}"


def _values(description: Description) -> Iterator[tuple[str, str]]:
    for case in description.cases:
        if not case.public:
            continue
        for name, value in case.sizes.items():
            yield f"cases.{case.name}.{name}", str(value)
        for name, values in case.inputs.items():
            yield f"cases.{case.name}.inputs.{name}", ", ".join(_number(value) for value in values)
        for name, scalar in case.scalars.items():
            yield f"cases.{case.name}.inputs.{name}", _number(scalar)
    yield from _extremes(description, "least", min)
    yield from _extremes(description, "most", max)
    for argument in description.arguments:
        place = f"arguments.{argument.name}"
        yield f"{place}.dtype", argument.dtype.value
        if argument.shape:
            yield f"{place}.shape", ", ".join(formula.text for formula in argument.shape)
        if argument.tolerance and argument.dtype.is_float:
            yield f"{place}.tolerance.relative", _tolerance(argument.tolerance.relative)
            yield f"{place}.tolerance.absolute", _tolerance(argument.tolerance.absolute)
    limits = description.limits
    yield "limits.compile_s", _number(limits.compile_s)
    yield "limits.case_s", _number(limits.case_s)
    yield "limits.memory_mib", str(limits.memory_mib)
    yield "limits.source_kib", str(limits.source_kib)
    yield from ((f"limits.sizes.{name}", str(most)) for name, most in limits.sizes.items())
    if description.fix is not None:
        yield "fix.changes", str(description.fix.changes)
        yield "fix.tokens", str(description.fix.most_tokens)
    yield from _programs(description)
    yield "formulas.bytes", description.bytes_moved.text
    yield "formulas.operations", description.operations.text


def _programs(description: Description) -> Iterator[tuple[str, str]]:
    if description.under_test is not None:
        kinds = [case.program for case in description.cases]
        yield "test.least_killed", str(description.under_test.least_killed)
        yield "test.faulty", str(kinds.count(ProgramKind.FAULTY))
        yield "test.right", str(kinds.count(ProgramKind.RIGHT))


def _extremes(
    description: Description, word: str, pick: Callable[[list[int]], int]
) -> Iterator[tuple[str, str]]:
    for name in description.cases[0].sizes if description.cases else ():
        values = [case.sizes[name] for case in description.cases if name in case.sizes]
        yield f"sizes.{name}.{word}", str(pick(values))


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def _tolerance(value: float) -> str:
    """`value` as texts write it: 1e-06 is a power of ten."""
    digits, _, exponent = _number(value).partition("e")
    if not exponent:
        return digits
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if digits == "1" else f"{digits}\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}{power}"
