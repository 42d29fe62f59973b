"""Warnings about the direction of a copy get the line of the call, where it is plain which one is meant."""

import pytest

from judge.compiler.copies import with_copy_lines
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind, Severity

FROM_DEVICE = "cudaMemcpy: the source is device memory (argument x), but the direction says host."
PROGRAMS = {
    "one": ("int a;\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);", 2),
    "over several lines": ("\n\ncudaMemcpy(\n  p, x, 4,\n  cudaMemcpyHostToDevice);", 3),
    "another one that goes the other way": (
        "cudaMemcpy(p, x, 4, cudaMemcpyDeviceToHost);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        2,
    ),
    "in a comment": (
        "// cudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        2,
    ),
    "two that may be meant": ("cudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);" * 2, None),
    "a direction in a variable": (
        "cudaMemcpy(p, x, 4, way);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        None,
    ),
    "none": ("copy(p, x);", None),
    "never closed": ("cudaMemcpy(" * 5000, None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_of_a_copy(name: str) -> None:
    source, line = PROGRAMS[name]
    warning = Diagnostic(Severity.WARNING, DiagnosticKind.COPY_DIRECTION, FROM_DEVICE)
    (found,) = with_copy_lines([warning], source)
    assert found.line == line


def test_other_findings_stay() -> None:
    other = Diagnostic(Severity.WARNING, DiagnosticKind.RACE, FROM_DEVICE)
    assert with_copy_lines([other], PROGRAMS["one"][0]) == (other,)
