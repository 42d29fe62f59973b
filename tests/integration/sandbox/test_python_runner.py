"""A program in Python with PyTorch and a Triton kernel, in the sandbox of the Triton runner."""

import textwrap

import numpy as np
import pytest

from problems.calling import Pattern, PythonCallSpec, PythonEntry
from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

SOURCE = textwrap.dedent(
    """
    import torch, triton
    import triton.language as tl

    @triton.jit
    def add(y, bias, n, m, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        tl.store(y + i, tl.load(y + i, mask=i < n) + tl.load(bias + i % m, mask=i < n), mask=i < n)

    class ModelNew(torch.nn.Linear):
        def forward(self, x):
            y = x @ self.weight.T.cuda()
            add[(1,)](y, self.bias, y.numel(), y.shape[1], SIZE=8)
            return y if x.sum() else y[0]
    """
)


def test_a_module_with_a_triton_kernel(backend: Bubblewrap) -> None:
    call = PythonCallSpec(
        PythonEntry.MODEL_NEW,
        Pattern.parse("(x,)"),
        ("y",),
        Pattern.parse("(features, 3)"),
        {"weight": "weight", "bias": "bias"},
    )
    names = [{"name": name} for name in ("x", "weight", "bias", "y", "features")]
    weight, bias = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([10, 20, 30], np.float32)
    x, y = np.array([[1, 1], [2, 0]], np.float32), np.full((2, 3), -1, np.float32)
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as talk:
        assert talk.load(SOURCE, {"arguments": names, "python": call.described()}), talk.findings()
        assert talk.run([x, weight, bias, y, ("int32", 2)]), talk.findings()
        np.testing.assert_allclose(y, x @ weight.T + bias)
        assert not talk.run([x * 0, weight, bias, y, ("int32", 2)])
        last = talk.findings()[-1]
        assert (last["kind"], last["severity"]) == ("call", "error")
        assert last["message"] == "ModelNew returned float32[3] for y, which is float32[2, 3]."
        assert talk.end().status == ExitStatus.RUNTIME_ERROR


OPERATOR = textwrap.dedent(
    """
    import torch

    @torch.library.custom_op("practice::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @doubled.register_fake
    def _(x):
        return x.new_empty(1)

    def solve(x, y):
        y.copy_(doubled(x))
        if y[0] > 0:
            y += 0
    """
)


def test_operators_and_graph_breaks_are_counted(backend: Bubblewrap) -> None:
    call = PythonCallSpec(PythonEntry.SOLVE, Pattern.parse("(x, y)"))
    names = [{"name": name} for name in ("x", "y")]
    counters = ["custom_operators", "graph_breaks", "operator_faults"]
    manifest = {"arguments": names, "python": call.described(), "counters": counters}
    x, y = np.ones(5, np.float32), np.zeros(5, np.float32)
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as talk:
        assert talk.load(OPERATOR, manifest), talk.findings()
        assert talk.run([x, y], flags=RunFlag.SUMS), talk.findings()
        np.testing.assert_allclose(y, 2 * x)
        *notes, record = talk.findings()
        assert {(note["kind"], note["line"]) for note in notes} == {("operator", 4), ("graph_break", 14)}
        faults = sum(note["kind"] == "operator" for note in notes)
        told = f"python custom_operators=1 operator_faults={faults}@4 graph_breaks=1@14"
        assert record["message"] == told


@pytest.mark.parametrize("registers", [True, False])
def test_loading_imports_what_the_first_call_of_an_operator_needs(
    backend: Bubblewrap, registers: bool
) -> None:
    source = textwrap.dedent(
        f"""
        import sys, torch

        if {registers}:
            torch.library.define("practice::nothing", "(Tensor x) -> Tensor")

        def solve(y):
            y.fill_("torch._dynamo" in sys.modules)
        """
    )
    call = PythonCallSpec(PythonEntry.SOLVE, Pattern.parse("(y,)"))
    y = np.full(1, -1, np.float32)
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as talk:
        assert talk.load(source, {"arguments": [{"name": "y"}], "python": call.described()}), talk.findings()
        assert talk.run([y]), talk.findings()
    assert y[0] == registers
