"""Tests that Triton submissions may use PyTorch only to allocate, fill, copy and view, not to compute."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

torch = pytest.importorskip("torch")
from sandbox.runner.operators import ComputingOperators, moves_in_order  # noqa: E402 - it needs PyTorch
from sandbox.runner.tensor_text import text_of  # noqa: E402


class Refusal(Exception):
    pass


def refuse(message: str) -> NoReturn:
    raise Refusal(message)


@pytest.fixture(scope="module")
def _refused() -> Iterator[None]:
    operators = ComputingOperators.refuse("CPU", refuse)
    yield
    operators.restore()
    assert (torch.arange(3) * 2).tolist() == [0, 2, 4]
    assert torch.arange(4).reshape(2, 2).t().contiguous().tolist() == [[0, 2], [1, 3]]


REFUSED = {
    "x + x": "torch.add ",
    "x.add_(x)": "torch.add_ ",
    "torch.add(x, x, out=x)": "torch.add ",
    "torch.ops.aten.add.out(x, x, out=x)": "torch.add ",
    "torch._C._VariableFunctions.add(x, x)": "torch.add ",
    "torch.ops.prims.add(x, x)": "torch.ops.prims.add ",
    "m @ m.t()": "torch.matmul ",
    "torch.nn.functional.softmax(x, 0)": "torch.softmax ",
    "torch.nn.functional.conv2d(m[None, None], m[None, None])": "torch.conv2d ",
    "torch.nn.Linear(3, 3)": "torch.uniform_ ",
    "torch.einsum('ij,kj->ik', m, m)": "torch.einsum ",
    "x.sort()": "torch.sort ",
    "x.cumsum(0)": "torch.cumsum ",
    "x.max()": "torch.max ",
    "x.unique()": "torch._unique2 ",
    "torch.fft.fft(x)": "torch.fft_fft ",
    "torch.cat([x, x])": "torch.cat ",
    "torch._foreach_add([x], [x])": "torch._foreach_add ",
    "torch.where(x > 0, x, x)": "torch.gt ",
    "torch.arange(3)": "torch.arange ",
    "torch.rand(3)": "torch.rand ",
    "x.long()": "A copy converts float32 to int64",
    "x.half()": "A copy converts float32 to float16",
    "m.t().contiguous()": "A copy changes the order of elements",
    "out.copy_(m.t())": "A copy changes the order of elements",
    "m[0].copy_(x[:1].expand(4))": "A copy changes the order of elements",
    "m[:, 0].copy_(x)": "A copy changes the order of elements",
    "m.copy_(m[0])": "A copy broadcasts [4] to [3, 4]",
    "m.to_sparse()": "torch.to_sparse ",
    "torch.vmap(lambda row: row * 2)(m)": "torch.mul ",
    "torch.inference_mode()(lambda: x + 1)()": "torch.add ",
    "torch.ops.mkldnn._linear_pointwise(m, m, None, 'none', [], None)": "torch.ops.mkldnn._linear_pointwise ",
}
ALLOWED = (
    "torch.empty(3), torch.empty_like(m), x.new_empty(2), torch.empty_strided((2, 2), (1, 2))",
    "torch.zeros(3, dtype=torch.int32), torch.zeros_like(m), torch.ones(2), torch.full((2,), 3.0)",
    "torch.tensor([1, 2, 3]), torch.tensor([0.5], dtype=torch.float16), torch.as_tensor([1, 2])",
    "x.zero_(), x.fill_(1.0), x[:2].fill_(0), m[:, 0].zero_(), m.__setitem__((slice(None), 0), 0)",
    "x.clone(), m.contiguous(), m.copy_(m.clone()), m[:, 1:3].clone(), m[1].copy_(m[0])",
    "out.copy_(m.reshape(4, 3)), m.t(), m.T, m.view(-1), m.view(torch.int32), m.permute(1, 0), m[None]",
    "x.numel(), m.shape, m.stride(), m.is_contiguous(), m.data_ptr(), x[0].item(), float(x[0]), len(x)",
    "m.untyped_storage().copy_(m.untyped_storage()), x.split(2), m.chunk(2), m.unbind(), x.expand(3, 3)",
)


def names() -> dict[str, object]:
    return {"torch": torch, "x": torch.zeros(3), "m": torch.zeros(3, 4), "out": torch.zeros(4, 3)}


@pytest.mark.usefixtures("_refused")
@pytest.mark.parametrize(("expression", "words"), REFUSED.items())
def test_what_computes_is_refused_by_name(expression: str, words: str) -> None:
    with pytest.raises(Refusal) as refusal:
        eval(expression, names())
    assert str(refusal.value).startswith(words)
    assert "must be in a kernel" in str(refusal.value)


@pytest.mark.usefixtures("_refused")
@pytest.mark.parametrize("expressions", ALLOWED)
def test_what_a_launch_needs_is_allowed(expressions: str) -> None:
    eval(expressions, names())


KEPT = """
import gc, sys, torch
from sandbox.runner.operators import ComputingOperators

def refuse(message):
    print(message)
    sys.stdout.flush()
    raise RuntimeError

operators = ComputingOperators.refuse("CPU", refuse)
operators.keep()
operators.restore()
del operators
gc.collect()
x = torch.zeros(3)
print(x)
for expression in ("x + 1", "torch.compile(lambda a: a + 1)(x)"):
    try:
        eval(expression)
    except RuntimeError:
        print("refused")
"""


def test_what_is_kept_stays_refused() -> None:
    command = [sys.executable, "-c", KEPT]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == "tensor([0., 0., 0.], dtype=torch.float32)"
    assert [line.split(" ")[0] for line in said[1:]] == ["torch.add", "refused", "torch.compile", "refused"]


@pytest.mark.parametrize(
    ("shape", "source", "target", "in_order"),
    [
        ((), (), (), True),
        ((5,), (1,), (1,), True),
        ((5,), (2,), (1,), False),
        ((1,), (7,), (1,), True),
        ((3, 4), (4, 1), (4, 1), True),
        ((3, 4), (8, 1), (4, 1), True),
        ((3, 4), (1, 3), (4, 1), False),
        ((3, 4), (1, 3), (1, 3), True),
        ((3, 4), (0, 1), (4, 1), False),
        ((3, 1), (4, 1), (1, 1), False),
        ((2, 3, 4), (12, 4, 1), (4, 8, 1), False),
    ],
)
def test_which_copies_keep_the_order(
    shape: tuple[int, ...], source: tuple[int, ...], target: tuple[int, ...], in_order: bool
) -> None:
    assert moves_in_order(shape, source, target) is in_order


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (torch.tensor(1.5), "tensor(1.5, dtype=torch.float32)"),
        (torch.tensor([[1, 2], [3, 4]]), "tensor([[1, 2],\n        [3, 4]], dtype=torch.int64)"),
        (torch.tensor([0.1], dtype=torch.bfloat16), "tensor([0.10009766], dtype=torch.bfloat16)"),
        (torch.tensor([True]), "tensor([ True], dtype=torch.bool)"),
        (torch.empty(0, 3), "tensor([], shape=(0, 3), dtype=torch.float32)"),
        (
            torch.zeros(40, 50, dtype=torch.int8),
            "tensor([0, 0, 0, 0, 0, 0, ...], shape=(40, 50), dtype=torch.int8)",
        ),
    ],
)
def test_tensors_are_printed_without_computing(values: Any, text: str) -> None:
    assert text_of(values) == text
