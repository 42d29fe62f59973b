"""Tests that functional mode refuses kernels that Triton's compiler refuses, and no other kernels."""

from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from sandbox.wire import ExitStatus
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

PROGRAM = """\
import torch
import triton
import triton.language as tl

SIZE = 4
FACTOR = tl.constexpr(2)
NAMED = 3  # used by the host only

def decorated(function):
    return function

@triton.jit
def helper(x):
    {helper}
    return x

@triton.autotune(
    configs=[triton.Config({{"BLOCK": 4}})],
    key=["n"],
)
@triton.jit
@decorated
def kernel(
    a,
    c,
    n,
    BLOCK: tl.constexpr,
    WIDE: tl.constexpr = SIZE,
):
    \"\"\"Doubles.\"\"\"
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + i, mask=i < n, other=0.0)
    {body}
    tl.store(c + i, helper(x) * FACTOR, mask=i < n)

def solve(a, c, n):
    kernel[(triton.cdiv(n, 4),)](a, c, n)
"""
HELPER_LINE, BODY_LINE = 14, 33
REFUSED = [
    ("for at in range(3):\n        if at == 1:\n            break", 2, "it contains break"),
    ("f = lambda y: y + 1\n    x = f(x)", 0, "it contains lambda"),
    (
        "x = x + SIZE",
        0,
        "it uses the global variable SIZE. If it is a number, write SIZE = ",
    ),
    ("parts = []\n    for at in range(2):\n        parts.append(x)", 2, "lists become tuples"),
    ("try:\n        x = x + 1\n    finally:\n        pass", 0, "it contains try"),
    ("x = decorated(x)", 0, "it uses the global variable decorated"),
    ("for at in range(2):\n        if n > 5:\n            return", 1, "it returns from a loop"),
    ("for at in (1, 2):\n        x = x + at", 0, "it loops over (1, 2)"),
    ("if n in (1, 2):\n        x = x + 1", 0, "it contains `in`"),
    ("acc = 0\n    for at in range(n):\n        acc += 1.5", 1, "the variable acc is int32 before the loop"),
    (
        "if n > 3:\n        y = x\n    else:\n        y = tl.zeros([8], tl.float32)\n    x = x + y",
        0,
        "the variable y is <['4'], fp32> in one branch and <['8'], fp32> in the other.",
    ),
    ("if n > 3:\n        y = x\n    x = y", 2, "the variable y is not defined on all ways to this line"),
    ("if n < 3:\n        x = tl.cat(x)", 1, "cat() missing 1 required positional argument"),
    ("x = tl.load(a + i, mask=i < n, othr=0)", 0, "load() got an unexpected keyword argument 'othr'"),
]
ACCEPTED = """SIZE_HERE: tl.constexpr = 4
    pair = [1, 2]
    first, second = pair
    if WIDE > 4:
        x = x + NAMED
    if BLOCK == 8:
        for at in range(3):
            break
    for at in tl.static_range(2):
        x = x + at - at
    total = tl.zeros([SIZE_HERE], tl.float32) if BLOCK == 4 else lambda: 0
    x = x + total + tl.sum(x, axis=0) * 0 + max(first, 1) - 1
    tl.static_assert(1 <= BLOCK <= 1024, f"{BLOCK} is too large")"""


@pytest.fixture
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as started:
        yield started


def arguments() -> list[np.ndarray | tuple[str, int]]:
    return [np.arange(10, dtype=np.float32), np.zeros(10, np.float32), ("int32", 10)]


def refused(talk: Talk, source: str) -> tuple[str, int | None, str]:
    assert talk.load(source, {"arguments": []}), talk.findings()
    assert not talk.run(arguments())
    finding = talk.findings()[-1]
    assert talk.end().status == ExitStatus.RUNTIME_ERROR
    return finding["kind"], finding["line"], finding["message"]


@pytest.mark.parametrize(("body", "line", "words"), REFUSED)
def test_a_kernel_is_refused_at_its_line(talk: Talk, body: str, line: int, words: str) -> None:
    kind, found, message = refused(talk, PROGRAM.format(helper="pass", body=body))
    assert (kind, found) == ("compile", BODY_LINE + line)
    assert message.startswith(f"Triton cannot compile kernel kernel: {words}")


def test_a_function_in_a_kernel_is_refused(talk: Talk) -> None:
    body = "@triton.jit\n    def inner(y):\n        return y\n    x = inner(x)"
    kind, _, message = refused(talk, PROGRAM.format(helper="pass", body=body))
    assert (kind, "it defines a function" in message) == ("compile", True)


def test_a_function_that_a_kernel_calls_is_refused_at_its_line(talk: Talk) -> None:
    kind, found, message = refused(talk, PROGRAM.format(helper="x = x + NAMED", body="pass"))
    assert (kind, found) == ("compile", HELPER_LINE)
    assert message.startswith(
        "Triton cannot compile kernel helper, called by kernel: it uses the global variable NAMED"
    )


def test_what_the_compiler_skips_or_knows_is_not_refused(talk: Talk) -> None:
    assert talk.load(PROGRAM.format(helper="pass", body=ACCEPTED), {"arguments": []}), talk.findings()
    given = arguments()
    assert talk.run(given), talk.findings()
    np.testing.assert_array_equal(given[1], 2 * given[0])


PRODUCT = """
import triton
import triton.language as tl

@triton.jit
def product(a, c, n, SIZE: tl.constexpr, STEP: tl.constexpr):
    rows, steps = tl.arange(0, SIZE), tl.arange(0, STEP)
    total = tl.zeros([SIZE, SIZE], tl.float32)
    for start in range(0, n, STEP):
        left = tl.load(a + rows[:, None] * n + start + steps[None, :])
        right = tl.load(a + (start + steps)[:, None] * SIZE + rows[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * SIZE + rows[None, :], total)

def solve(a, c, n, stages):
    product[(1,)](a, c, n, SIZE=128, STEP=64, num_stages=stages, num_warps=8)
"""
LAUNCH_LINE = 16


def test_a_kernel_whose_blocks_need_too_much_shared_memory_is_refused(talk: Talk) -> None:
    assert talk.load(PRODUCT, {"arguments": []}), talk.findings()
    given = np.ones((128, 64), np.float32), np.zeros((128, 128), np.float32), ("int32", 64)
    assert talk.run([*given, ("int32", 3)]), talk.findings()  # 192 KiB
    assert not talk.run([*given, ("int32", 4)])  # 256 KiB
    finding = talk.findings()[-1]
    assert (finding["kind"], finding["line"]) == ("resources", LAUNCH_LINE)
    assert finding["message"].startswith(
        "Kernel product needs 262144 bytes of shared memory, but an H200 has only 232448."
    )


HOST = """
import torch
import triton
import triton.language as tl

@triton.jit
def copy(a, c, n):
    i = tl.arange(0, 16)
    tl.store(c + i, tl.load(a + i, mask=i < n), mask=i < n)

def solve(a, c, n):
    between = {made}
    copy[(1,)](a, between, n)
    copy[(1,)](between, c, n)
"""


@pytest.mark.parametrize(
    "made", ["torch.empty(n)", "torch.zeros((2, n)).view(-1)", "torch.full([n], 2.0)[:n]"]
)
def test_a_tensor_in_host_memory_is_refused(talk: Talk, made: str) -> None:
    kind, line, message = refused(talk, HOST.format(made=made))
    assert (kind, line) == ("exception", 13)
    assert "Kernel copy: the argument c is a tensor in host memory" in message


def test_a_default_device_holds_for_new_tensors(talk: Talk) -> None:
    source = HOST.format(made="torch.empty(n)") + "\n\ntorch.set_default_device('cuda')\n"
    assert talk.load(source, {"arguments": []}), talk.findings()
    assert talk.run(arguments()), talk.findings()


@pytest.mark.parametrize(
    "made",
    [
        'torch.empty(n, device="cuda")',
        "torch.empty(n, device=a.device)",
        'torch.empty(n, device=torch.device("cuda"))',
        "torch.zeros(n).cuda()",
        'torch.zeros(n).to("cuda")',
        "torch.zeros((1, n)).view(-1).to(a.device)",
        "torch.zeros(n).to(a)",
        "torch.empty_like(a)",
        "a.new_zeros(n)",
    ],
)
def test_a_tensor_in_memory_that_a_gpu_can_access_is_accepted(talk: Talk, made: str) -> None:
    assert talk.load(HOST.format(made=made), {"arguments": []}), talk.findings()
    given = arguments()
    assert talk.run(given), talk.findings()
    np.testing.assert_array_equal(given[1], given[0])
