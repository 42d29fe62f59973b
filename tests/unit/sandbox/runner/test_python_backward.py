"""Tests the backward pass of Python programs: gradients reach the outputs, and saved tensors are counted."""

import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from problems.calling import Backward, Pattern, PythonCallSpec, PythonEntry

torch = pytest.importorskip("torch")
from sandbox.runner.python_backward import Misfit  # noqa: E402 - it needs PyTorch
from sandbox.runner.python_call import PythonCall  # noqa: E402

COUNT = 1000
BYTES = 4 * COUNT
X = torch.linspace(-2, 2, COUNT)
DY = torch.linspace(0.5, 1.5, COUNT)
SQUARE = PythonCallSpec(
    PythonEntry.FUNCTION, Pattern.parse("(x,)"), ("y",), backward=Backward({"y": "dy"}, {"x": "dx"})
)
FUNCTION = """
ROOM, CONSTANT = torch.zeros(2000), torch.ones(1)

class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {keep}
        return x * x

    @staticmethod
    def backward(ctx, dy):
        {take}
        return 2 * x * dy
"""
SAVED = FUNCTION.format(keep="ctx.save_for_backward(x)", take="(x,) = ctx.saved_tensors")


def call_of(spec: PythonCallSpec, source: str, values: Mapping[str, Any]) -> PythonCall:
    program = ModuleType("solution")
    program.__dict__["torch"] = torch
    exec(textwrap.dedent(source), program.__dict__)
    manifest = {"arguments": [{"name": name} for name in values], "python": spec.described()}
    return PythonCall.of(manifest, program)


def square(source: str, *, x: Any = X) -> tuple[Any, Any, int | None]:
    """Return the contents of `y` and `dx`, and the number of saved bytes."""
    values = {"x": x.clone(), "dy": DY.clone(), "y": torch.zeros(COUNT), "dx": torch.zeros(COUNT)}
    call = call_of(SQUARE, source, values)
    call.counting = True
    call.bound(list(values.values()))()
    return values["y"], values["dx"], call.saved_bytes


def test_a_function_is_applied_and_its_backward_is_called() -> None:
    y, dx, saved = square(SAVED)
    assert torch.equal(y, X * X)
    assert torch.equal(dx, 2 * X * DY)
    assert saved == BYTES


def test_contents_may_come_when_all_is_bound() -> None:
    values = {"x": torch.zeros(COUNT), "dy": DY.clone(), "y": torch.zeros(COUNT), "dx": torch.zeros(COUNT)}
    call = call_of(SQUARE, SAVED, values)
    bound = call.bound(list(values.values()))
    values["x"].copy_(X)
    bound()
    bound()
    assert torch.equal(values["dx"], 2 * X * DY)
    assert call.saved_bytes is None  # nothing is counted unless it is asked for


KEEPING = {
    "an input as an attribute": ("ctx.x = x", "x = ctx.x", BYTES),
    "tensors in a list": ("ctx.all = [x, x * 3]", "x = ctx.all[0]", 2 * BYTES),
    "an intermediate": ("ctx.save_for_backward(x, x * 3)", "x = ctx.saved_tensors[0]", 2 * BYTES),
    "a view, whose storage stays": (
        "ctx.save_for_backward(x[:10]); ctx.count = len(x)",
        "x = ctx.saved_tensors[0].new_zeros(ctx.count)",
        BYTES,
    ),
    "the same twice": ("ctx.save_for_backward(x, x)", "x = ctx.saved_tensors[0]", BYTES),
    "a copy in a global": ("global kept; kept = x.clone()", "x = kept", BYTES),
    "half precision": ("ctx.save_for_backward(x.half())", "x = ctx.saved_tensors[0].float()", BYTES // 2),
    "nothing": ("pass", "x = 0", 0),
    "a copy in memory that was there before": ("ROOM[:1000].copy_(x)", "x = ROOM[:1000]", 2 * BYTES),
    "a copy in such memory, past the version": ("ROOM.data[:1000] = x", "x = ROOM[:1000]", 2 * BYTES),
    "constants": ("ctx.x = x * CONSTANT", "x = ctx.x", BYTES),
    "a copy behind the result": (
        (
            "global kept; room = torch.empty(3000); kept = room[1000:2000]; kept.copy_(x); y = room[:1000]; "
            "return torch.mul(x, x, out=y)"
        ),
        "x = kept",
        2 * BYTES,
    ),
}


@pytest.mark.parametrize("name", KEEPING)
def test_what_is_kept_counts_once_and_whole(name: str) -> None:
    keep, take, counted = KEEPING[name]
    assert square(FUNCTION.format(keep=keep, take=take))[2] == counted


def test_what_autograd_keeps_counts_until_the_graph_is_gone() -> None:
    spec = PythonCallSpec(
        PythonEntry.SOLVE, Pattern.parse("(x,)"), ("y",), backward=Backward({"y": "dy"}, {"x": "dx"})
    )
    source = """
    def solve(x):
        (x.exp() * x.sin()).sum()  # its graph is dropped
        return x * x.cos()
    """
    values = {"x": X.clone(), "dy": DY.clone(), "y": torch.zeros(COUNT), "dx": torch.zeros(COUNT)}
    call = call_of(spec, source, values)
    call.counting = True
    call.bound(list(values.values()))()
    assert call.saved_bytes == 2 * BYTES  # x, and its cosine
    expected = (X.cos() - X * X.sin()) * DY
    assert torch.allclose(values["dx"], expected, atol=1e-6)


MODEL = PythonCallSpec(
    PythonEntry.MODEL_NEW,
    Pattern.parse("(x,)"),
    ("y",),
    Pattern.parse("(2, 3)"),
    {"weight": "parameters", "bias": "parameters"},
    backward=Backward({"y": "dy"}, {"x": "dx", "parameters": "dparameters"}),
)


def test_gradients_of_parameters_that_share_an_array() -> None:
    x, dy = torch.tensor([[1.0, 2]]), torch.tensor([[1.0, 10, 100]])
    values = {
        "x": x,
        "parameters": torch.arange(9.0),
        "dy": dy,
        "y": torch.zeros(1, 3),
        "dx": torch.zeros(1, 2),
        "dparameters": torch.zeros(9),
    }
    call = call_of(MODEL, "class ModelNew(torch.nn.Linear): pass", values)
    call.counting = True
    call.bound(list(values.values()))()
    assert values["dx"].tolist() == [[0 + 20 + 400, 1 + 30 + 500]]
    assert values["dparameters"].tolist() == [1, 2, 10, 20, 100, 200, 1, 10, 100]
    assert call.saved_bytes == 8  # x: the weight is in memory anyway


WRONG = {
    "Function must be a class derived from": "Function = torch.sin",
    "does not define Function or solve": "class Other: pass",
    "returned y without a gradient function": SAVED.replace(
        "return x * x", "y = x * x; ctx.mark_non_differentiable(y); return y"
    ),
    "gave no gradient with respect to x": SAVED.replace("return 2 * x * dy", "return None"),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_a_program_is_told(message: str) -> None:
    with pytest.raises(Misfit, match=message):
        square(WRONG[message])


def test_a_saved_tensor_that_changes_is_an_error_as_without_counting() -> None:
    spec = PythonCallSpec(
        PythonEntry.SOLVE, Pattern.parse("(x,)"), ("y",), backward=Backward({"y": "dy"}, {"x": "dx"})
    )
    values = {"x": X.clone(), "dy": DY.clone(), "y": torch.zeros(COUNT), "dx": torch.zeros(COUNT)}
    call = call_of(spec, "def solve(x):\n    y = x.exp()\n    y += 1\n    return y\n", values)
    call.counting = True
    with pytest.raises(RuntimeError, match="changed in place"):
        call.bound(list(values.values()))()


def test_a_plain_solve_has_no_backward_pass() -> None:
    source = "def solve(x, dy, y, dx):\n    y.copy_(x * x)\n    dx.copy_(2 * x * dy)\n"
    y, dx, saved = square(source)
    assert torch.equal(y, X * X)
    assert torch.equal(dx, 2 * X * DY)
    assert saved is None
