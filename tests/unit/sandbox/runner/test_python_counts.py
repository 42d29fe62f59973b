"""Tests the counts of custom operators and graph breaks in Python programs."""

import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest

from problems.calling import Backward, Pattern, PythonCallSpec, PythonEntry

torch = pytest.importorskip("torch")
from sandbox.runner.python_call import PythonCall  # noqa: E402 - it needs PyTorch
from sandbox.runner.python_counts import PythonCounts  # noqa: E402
from sandbox.runner.python_operators import namespaces  # noqa: E402
from sandbox.runner.session import Diagnostics  # noqa: E402

SOLVE = PythonCallSpec(PythonEntry.SOLVE, Pattern.parse("(x,)"), ("y",))
GRADIENT = PythonCallSpec(
    PythonEntry.SOLVE, Pattern.parse("(x,)"), ("y",), backward=Backward({"y": "dy"}, {"x": "dx"})
)
ALL = ("custom_operators", "graph_breaks", "operator_faults")
DOUBLED = """
    @torch.library.custom_op("{space}::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @doubled.register_fake
    def _(x):
        return {fake}

    def solve(x):
        {before}
        return doubled(x)
"""
_numbers = iter(range(1000))


@pytest.fixture
def space() -> Iterator[str]:
    """A namespace that no other test uses, because operators stay registered."""
    yield f"practice{next(_numbers)}"
    sys.modules.pop("solution", None)


def counted(
    source: str, space: str, spec: PythonCallSpec = SOLVE, counters: Sequence[str] = ALL
) -> list[dict[str, Any]]:
    """Return the findings of a counted call."""
    known = namespaces()
    program = ModuleType("solution")
    sys.modules["solution"] = program
    program.__dict__["torch"] = torch
    text = textwrap.dedent(source.replace("{space}", space))
    exec(compile(text, "solution.py", "exec", dont_inherit=True), program.__dict__)
    names = ("x", "y") if spec is SOLVE else ("x", "dy", "y", "dx")
    call = PythonCall.of({"arguments": [{"name": n} for n in names], "python": spec.described()}, program)
    counts = PythonCounts(call, counters, known, "solution.py")
    bound = call.bound([torch.ones(7) for _ in names])
    with counts.recording():
        bound()
    reading, writing = os.pipe()
    counts.report(Diagnostics(writing))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return [json.loads(line) for line in pipe]


def program(fake: str = "torch.empty_like(x)", before: str = "pass") -> str:
    return DOUBLED.replace("{fake}", fake).replace("{before}", before)


def test_a_right_operator_has_no_fault(space: str) -> None:
    [record] = counted(program(), space)
    assert record["message"] == "python custom_operators=1 operator_faults=0 graph_breaks=0"


def test_each_failed_test_is_a_fault_with_the_line_of_the_operator(space: str) -> None:
    *notes, record = counted(program(fake="x.new_empty(len(x) + 1)"), space)
    assert record["message"] == f"python custom_operators=1 operator_faults={len(notes)}@2 graph_breaks=0"
    assert f"{space}::doubled fails test_faketensor of torch.library.opcheck: " in notes[0]["message"]
    assert {(note["kind"], note["line"]) for note in notes} == {("operator", 2)}


def test_an_operator_without_a_gradient_is_a_fault_if_there_is_a_backward_pass(space: str) -> None:
    source = program().replace("return doubled(x)", "return x + doubled(x.detach())")
    *notes, record = counted(source, space, GRADIENT)
    assert record["message"].startswith("python saved=")
    assert any("no autograd formula was registered" in note["message"] for note in notes)
    assert len(counted(source, f"{space}b")) == 1


def test_graph_breaks_name_their_line(space: str) -> None:
    source = program(before="if x.sum() > 0: x = x + 0")
    note, record = counted(source, space)
    assert (note["kind"], note["line"]) == ("graph_break", 11)
    assert record["message"].endswith("graph_breaks=1@11")


def test_what_the_program_prints_while_it_is_traced_is_dropped(
    space: str, capfd: pytest.CaptureFixture[str]
) -> None:
    counted(program(before='print("once")'), space)
    assert capfd.readouterr().out.count("once") == 1


def test_only_what_is_required_is_counted(space: str) -> None:
    assert [found["message"] for found in counted(program(), space, counters=())] == ["python"]
    [record] = counted(program(), f"{space}b", counters=("graph_breaks",))
    assert record["message"] == "python graph_breaks=0"


def test_operators_of_torch_are_not_custom(space: str) -> None:
    [record] = counted("def solve(x):\n    return torch.relu(x) * 2\n", space)
    assert record["message"].startswith("python custom_operators=0 operator_faults=0")


def test_a_call_that_cannot_be_traced_is_a_break(space: str) -> None:
    source = """
        def solve(x):
            if torch.compiler.is_compiling():
                raise ValueError
            return x + 1
    """
    note, record = counted(source, space)
    assert note["message"] == "Graph break: Dynamo could not capture any part of the call."
    assert record["message"].endswith("graph_breaks=1")
