"""Tests that Triton's compiler explains indices that it does not support. It runs without a GPU."""

from typing import Any

import pytest
import triton  # type: ignore[import-untyped]
import triton.language as tl  # type: ignore[import-untyped]
from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
from triton.compiler import ASTSource  # type: ignore[import-untyped]
from triton.compiler.code_generator import CodeGenerator  # type: ignore[import-untyped]
from triton.compiler.errors import CompilationError  # type: ignore[import-untyped]

from sandbox.runner import triton_indices


@triton.jit
def read_pointer(a, c):
    i = tl.arange(0, 16)
    tl.store(c + i, a[i])


@triton.jit
def write_pointer(a, c):
    i = tl.arange(0, 16)
    c[i] = tl.load(a + i)


@triton.jit
def read_block(a, c):
    x = tl.load(a + tl.arange(0, 16))
    tl.store(c, x[3])


@triton.jit
def write_block(a, c):
    x = tl.load(a + tl.arange(0, 16))
    x[3] = 0.0
    tl.store(c + tl.arange(0, 16), x)


@triton.jit
def change_shapes(a, c):
    i = tl.arange(0, 16)
    pair = (i, i)
    x = tl.load((a + pair[0])[None, :])
    tl.store((c + i)[:, None] + tl.zeros([1, 16], tl.int32), x + i[:, None])


@pytest.fixture(autouse=True)
def explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tl.tensor, "__getitem__", tl.tensor.__getitem__)
    monkeypatch.setattr(tl.tensor, "__setitem__", None, raising=False)
    monkeypatch.setattr(CodeGenerator, "visit_Subscript_Store", CodeGenerator.visit_Subscript_Store)
    triton_indices.install()


def refusal(kernel: Any) -> str:
    """Return why the compiler refuses `kernel`; empty if it does not."""
    source = ASTSource(kernel, {"a": "*fp32", "c": "*fp32"}, {})
    try:
        triton.compile(source, target=GPUTarget("cuda", 90, 32))
    except CompilationError as error:
        return str(error.error_message)
    return ""


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (read_pointer, "A pointer has no elements. Read with tl.load(pointer + offsets, mask=...)"),
        (write_pointer, "A pointer has no elements."),
        (read_block, "Elements of a block cannot be selected or assigned."),
        (write_block, "Elements of a block cannot be selected or assigned."),
    ],
)
def test_the_compiler_explains_an_index(kernel: Any, words: str) -> None:
    assert refusal(kernel).startswith(words)


def test_indices_that_change_the_shape_compile() -> None:
    assert not refusal(change_shapes)
