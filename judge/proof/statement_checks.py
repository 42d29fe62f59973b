"""Checks that a statement has what a reader needs, and that its numbers agree with the package."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from judge.drawn import outputs
from judge.proof.results import ProofFinding, cases_named, error, warning
from judge.sizes import scalar_of, size_names
from problems.formula import Formula, FormulaError
from problems.schema import Case, Problem
from problems.vocabulary import Role

# A minus after a letter, digit or closing bracket is an operator or a hyphen.
_NUMBER = re.compile(r"(?<![\w.])(?:(?<![\w)\]])-)?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_RAISED = re.compile("10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})")
_POWER = re.compile(
    r"(?:(?P<factor>\d{1,20}(?:\.\d{1,20})?)\s{0,5}\\cdot\s{0,5})?(?<![\w.])10\s{0,5}\^\s{0,5}"
    r"(?:\{(?P<braced>-?\d{1,5})\}|(?P<bare>\d))"
)
# Patterns for texts of authors are possessive and bounded, so that scanning takes linear time.
_GAP = r"\s{0,20}+"
_WORD = r"[A-Za-z0-9_]{1,60}+"
_OPERAND = rf"{_WORD}(?:{_GAP}[*+-]{_GAP}{_WORD}){{0,10}}+"
_OPERANDS = rf"{_OPERAND}(?:{_GAP},{_GAP}{_OPERAND}){{0,20}}+"
_SAID = re.compile(
    rf"(?P<names>`\w+`(?:{_GAP},{_GAP}`\w+`){{0,20}}+){_GAP}(?:\||=|:|is){_GAP}"
    rf"(?P<numbers>{_NUMBER.pattern}(?:{_GAP},{_GAP}{_NUMBER.pattern}){{0,20}}+)"
)
_CHAIN = re.compile(rf"(?<![A-Za-z0-9_]){_OPERANDS}(?:{_GAP}<={_GAP}{_OPERANDS}){{1,10}}+")
_SPAN = re.compile(r"\$[^$\n]{0,300}+\$|`[^`\n]{0,300}+`")
_WHOLE = re.compile(r"[\w})]\s{0,20}+(?:<=|\\leq?\b|≤)\s{0,20}+[\w\\{(]")  # with operands on both sides
_QUOTED = re.compile(r"`[^`\n]+`")
_MOST_DIGITS, _MOST_POWER = 400, 308  # of a number; a double has no more
_MOST_CHAINS = 200  # of inequalities that are examined
_MOST_SHOWN = 2000  # numbers of an example that are examined
_STATEMENT = "statement.md"
_CONSTRAINTS = f"{_STATEMENT}: ## Constraints"


def check_mentions(problem: Problem) -> Iterator[ProofFinding]:
    """Check that the statement names every argument in backquotes."""
    quoted = "\n".join(_QUOTED.findall(problem.statement))
    for argument in problem.arguments:
        if not re.search(rf"\b{argument.name}\b", quoted):
            yield error(
                _STATEMENT,
                f"the argument {argument.name} is not mentioned",
                f"explain `{argument.name}`, in backquotes",
            )


def check_example(
    problem: Problem, sample: str, arrays: Mapping[str, npt.NDArray[np.generic]]
) -> Iterator[ProofFinding]:
    """Check that the example section shows the numbers of the case `sample`.

    `arrays` has its arrays by name.
    """
    shown = numbers_in(example_section(problem.statement))[:_MOST_SHOWN]
    for name, array in arrays.items():
        values = [float(value) for value in array.reshape(-1)]
        if not _shows(shown, values):
            listing = ", ".join(f"{value:.6g}" for value in values[:12])
            yield error(
                f"{_STATEMENT}: ## Example",
                f"does not show {name} of the case {sample}: {listing}",
                "write the values in array order; rounding is allowed",
            )


def check_scalars(problem: Problem, sample: Case) -> Iterator[ProofFinding]:
    """Yield findings for scalars whose value in the example section differs from `sample`."""
    said = _values_said(example_section(problem.statement))
    for argument in problem.arguments:
        if argument.role is not Role.SCALAR or argument.name not in said:
            continue
        value, number = float(scalar_of(argument, sample)), said[argument.name]
        if not _rounds(number, value):
            yield error(
                f"{_STATEMENT}: ## Example",
                f"says that {argument.name} is {number}, but in the case {sample.name} it is {value:g}",
                f"write {value:g}, or {{{{ cases.{sample.name}.SIZE }}}}, which is replaced with that size",
            )


def _values_said(text: str) -> dict[str, str]:
    """Return the values that `text` gives to names: "`rows`, `cols` | 2, 4" gives two, "`n` = 5" one."""
    said: dict[str, str] = {}
    for found in _SAID.finditer(text):
        names, numbers = re.findall(r"`(\w+)`", found["names"]), _NUMBER.findall(found["numbers"])
        if len(names) == len(numbers):  # otherwise the numbers are elements of an array
            said.update(zip(names, numbers, strict=True))
    return said


def check_constraints(problem: Problem) -> Iterator[ProofFinding]:
    """Check that the constraints state the tolerances, and bounds that hold for all cases."""
    text = section_of(problem.statement, "## Constraints")
    stated = constants_in(text)
    for argument in outputs(problem):
        tolerance = argument.tolerance
        if tolerance is None or not argument.dtype.is_float or problem.checker is not None:
            continue
        for name, value in (("absolute", tolerance.absolute), ("relative", tolerance.relative)):
            if value and not any(math.isclose(number, value, rel_tol=1e-9) for number in stated):
                yield error(
                    _CONSTRAINTS,
                    f"does not state the {name} tolerance of {argument.name}, {value:g}",
                    f"write {{{{ arguments.{argument.name}.tolerance.{name} }}}}, which is "
                    "replaced with the value",
                )
    names = set(size_names(problem))
    for low, high in bounds_in(text):
        breaking = [case.name for case in problem.cases if not _keeps(case, low, high)]
        sizes = (low.names | high.names) & names
        if breaking and sizes:
            size = min(sizes)
            yield error(
                _CONSTRAINTS,
                f"promises {low.text} <= {high.text}, broken by {cases_named(breaking)}",
                f"change the bound or the cases; {{{{ sizes.{size}.least }}}} and "
                f"{{{{ sizes.{size}.most }}}} are replaced with the extremes of all cases",
            )


def _keeps(case: Case, low: Formula, high: Formula) -> bool:
    try:
        return low.evaluate(case.sizes) <= high.evaluate(case.sizes)
    except FormulaError:
        return True  # a name that only the statement uses


def bounds_in(text: str) -> list[tuple[Formula, Formula]]:
    """Return the inequalities in `text` between whole numbers and sizes, as pairs (lower, upper)."""
    plain = _apart(text).replace("$", " ").replace("`", " ")
    plain = re.sub(r"\\text\{([^}]{0,200})\}", r"\1", plain)
    plain = plain.replace("\\,", "").replace("{,}", "").replace("\\cdot", "*").replace("\\times", "*")
    plain = re.sub(r"\\leq?\b|≤", "<=", plain)
    plain = re.sub(r"(?<!\d)(\d{1,3})\s{0,5}\^\s{0,5}(?:\{(\d{1,2})\}|(\d))", _powered, plain)
    plain = re.sub(r"(?<=\d)[ \u00a0\u202f](?=\d{3}\b)", "", plain)
    found = []
    for chain in islice(_CHAIN.finditer(plain), _MOST_CHAINS):
        parts = [[_formula(item) for item in part.split(",")] for part in chain[0].split("<=")]
        last = len(parts) - 1
        for place, (left, right) in enumerate(pairwise(parts)):
            lower = left[-1:] if place > 0 and _ends_a_chain(left) else left
            upper = right[:-1] if place + 1 < last and _ends_a_chain(right) else right
            found += [(low, high) for low in lower for high in upper if low and high]
    return found


def _apart(text: str) -> str:
    """Return `text` with a semicolon between inequalities that stand in two spans of TeX or code."""
    pieces: list[str] = []
    end, whole = 0, False
    for span in _SPAN.finditer(text):
        pieces.append(text[end : span.start()])
        follows, whole = whole, bool(_WHOLE.search(span[0]))
        pieces.append(f"; {span[0]}" if follows and whole else span[0])
        end = span.end()
    return "".join((*pieces, text[end:]))


def _ends_a_chain(part: Sequence[Formula | None]) -> bool:
    """Return whether a list between two signs ends one chain and begins another: "8, 2" in "n <= 8, 2 <= m".

    A list of sizes, as in "1 <= rows, cols <= 9", belongs to both signs.
    """
    return len(part) > 1 and any(item is not None and not item.names for item in part)


def _powered(found: re.Match[str]) -> str:
    return str(int(found[1]) ** int(found[2] or found[3]))


def _formula(text: str) -> Formula | None:
    try:
        return Formula.parse(text.strip())
    except FormulaError:
        return None


def constants_in(text: str) -> list[float]:
    """Return the numbers in `text`, including powers of ten in TeX or with superscripts."""
    text = _RAISED.sub(lambda found: f"10^{{{found[1].translate(_LOWERED)}}}", text.replace("·", "\\cdot"))
    powers = [
        float(f"{found['factor'] or 1}e{found['braced'] or found['bare']}") for found in _POWER.finditer(text)
    ]
    return [*powers, *(float(number) for number in numbers_in(text))]


def section_of(statement: str, heading: str) -> str:
    """Return the text between `heading` and the next section."""
    _, _, rest = statement.partition(f"\n{heading}\n")
    return rest.split("\n## ", 1)[0]


def example_section(statement: str) -> str:
    """Return the text between `## Example` and the next section."""
    _, _, rest = statement.partition("\n## Example")
    return rest.split("\n## ", 1)[0]


def numbers_in(text: str) -> list[str]:
    """Return the decimal numbers in `text` as they are written, in order."""
    plain = text.replace("\u2212", "-").replace("\\,", "").replace("{,}", "")
    return _NUMBER.findall(plain)


def _shows(shown: Sequence[str], values: Sequence[float]) -> bool:
    spans = range(len(shown) - len(values) + 1)
    return any(all(_rounds(shown[start + i], value) for i, value in enumerate(values)) for start in spans)


def _rounds(text: str, value: float) -> bool:
    """Return whether `text` is `value`, rounded to the decimals of `text`."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    power = int(exponent[:_MOST_DIGITS] or 0)
    if len(mantissa) > _MOST_DIGITS or abs(power) > _MOST_POWER:
        return False  # not a number of an array
    step = 10.0 ** (power - decimals)
    return abs(float(text) - value) <= 0.5 * step * (1 + 1e-6) + 1e-7 * abs(value)


def no_example(sample: str) -> ProofFinding:
    """Return a finding: the sample case has no literal inputs, so its numbers differ every time."""
    return warning(
        f"problem.toml: case {sample}",
        "a sample case without inputs cannot be shown in the statement",
        "give it small sizes and literal inputs",
    )
