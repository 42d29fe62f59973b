"""Texts of refusals: the fault of a problem, and what its author can do."""

import re
from collections.abc import Mapping

from problems.rules import MAX_BYTES

_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w{1,60})")
_PROVIDED = "PyTorch, NumPy, Triton and the standard library"
_CASE = re.compile(r"^generating case [\w-]{1,64}: (?:died: )?")
_MOST_FAILURES = 2


def python_fails(said: str) -> str:
    """Return the reason for a problem whose Python fails with `said`."""
    missing = _MISSING.match(said)
    if missing is None:
        return f"its Python fails: {said.rstrip('.')}. Correct its code, then import it again."
    return (
        f"it needs the Python package {missing[1]}, but the sandbox has only {_PROVIDED}. "
        "Rewrite its code without the package, then import it again."
    )


def undrawable(least_bytes: int, broken: Mapping[str, str]) -> str:
    """Return the reason for a problem none of whose cases can be drawn.

    `least_bytes` is the size of the arrays of its smallest test. `broken` has what each case fails with.
    """
    failures = dict.fromkeys(_CASE.sub("", reason) for reason in broken.values())
    said = "; ".join(list(failures)[:_MOST_FAILURES])
    if least_bytes <= MAX_BYTES:
        return f"its cases cannot be drawn: {said}. Correct its code, then import it again."
    return (
        f"the arrays of its smallest test have {least_bytes >> 20} MiB, but a checked case may have at most "
        f"{MAX_BYTES >> 20} MiB. Its code fails with the smaller sizes that the importer tried: {said}. "
        "Reduce the sizes in its file, then import it again."
    )


def random_reference(test: str) -> str:
    """Return the reason for a problem whose reference draws random numbers in `test`."""
    return (
        f"its reference uses global random numbers ({test}), which a program cannot reproduce. "
        "Remove them or make them inputs, then import it again."
    )
