"""Shipped problems as problems in Python, whose programs are called as GPU MODE's are."""

from dataclasses import replace

from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Problem
from problems.vocabulary import Language


def in_python(vector_add: Problem) -> Problem:
    """Vector addition with `custom_kernel((a, b, n))`, which returns `c`; or `solve(a, b, c, n)`."""
    call = PythonCallSpec(PythonEntry.CUSTOM_KERNEL, Pattern.parse("(a, b, n)"), returns=("c",))
    return replace(vector_add, languages=(Language.PYTHON,), python=call)
