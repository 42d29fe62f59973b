"""Whether a statement says what a reader needs, and whether its example is true."""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from judge.proof import Finding, error, warning
from problems.schema import Problem

# A minus after a letter, digit or closing bracket is an operator or a hyphen.
_NUMBER = re.compile(r"(?<![\w.])(?:(?<![\w)\]])-)?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STATEMENT = "statement.md"


def check_mentions(problem: Problem) -> Iterator[Finding]:
    """Every argument must be named in backquotes somewhere in the statement."""
    for argument in problem.arguments:
        if not re.search(rf"`[^`\n]*\b{argument.name}\b[^`\n]*`", problem.statement):
            yield error(
                _STATEMENT,
                f"the argument {argument.name} is not mentioned",
                f"explain `{argument.name}`, in backquotes",
            )


def check_example(
    problem: Problem, sample: str, arrays: Mapping[str, npt.NDArray[np.generic]]
) -> Iterator[Finding]:
    """The example section must show the numbers of the case `sample`, whose arrays are given by name."""
    shown = numbers_in(example_section(problem.statement))
    for name, array in arrays.items():
        values = [float(value) for value in array.reshape(-1)]
        if not _shows(shown, values):
            listing = ", ".join(f"{value:.6g}" for value in values[:12])
            yield error(
                f"{_STATEMENT}: ## Example",
                f"does not show {name} as the case {sample} has it: {listing}",
                "write the numbers one after the other in the order of the array, rounded as you like",
            )


def example_section(statement: str) -> str:
    """The text between `## Example` and the next section."""
    _, _, rest = statement.partition("\n## Example")
    return rest.split("\n## ", 1)[0]


def numbers_in(text: str) -> list[str]:
    """The decimal numbers in `text` as they are written, in order."""
    plain = text.replace("\u2212", "-").replace("\\,", "").replace("{,}", "")
    return _NUMBER.findall(plain)


def _shows(shown: Sequence[str], values: Sequence[float]) -> bool:
    spans = range(len(shown) - len(values) + 1)
    return any(all(_rounds(shown[start + i], value) for i, value in enumerate(values)) for start in spans)


def _rounds(text: str, value: float) -> bool:
    """Whether `text` is `value`, rounded to the decimals that it shows."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    step = 10.0 ** (int(exponent or 0) - decimals)
    return abs(float(text) - value) <= 0.5 * step * (1 + 1e-6) + 1e-7 * abs(value)


def no_example(sample: str) -> Finding:
    """The sample case has no literal inputs, so that its numbers differ every time."""
    return warning(
        f"problem.toml: case {sample}",
        "a sample case without inputs cannot be shown in the statement",
        "give it small sizes and literal inputs",
    )
