"""Turns shipped problems into Python problems, which call programs as GPU MODE does."""

from dataclasses import replace

from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Problem
from problems.vocabulary import Language


def in_python(vector_add: Problem) -> Problem:
    """Return vector addition with `custom_kernel((a, b, n))`, which returns `c`, or `solve(a, b, c, n)`."""
    call = PythonCallSpec(PythonEntry.CUSTOM_KERNEL, Pattern.parse("(a, b, n)"), returns=("c",))
    return replace(vector_add, languages=(Language.PYTHON,), python=call)
