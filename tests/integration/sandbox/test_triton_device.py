"""Tests that Triton programs can ask for their device without a GPU."""

from typing import Any

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from tests.integration.sandbox.talk import Talk

pytestmark = pytest.mark.integration

PROGRAM = """\
import torch
import triton
import triton.language as tl

PROGRAMS = torch.cuda.get_device_properties("cuda").multi_processor_count
DEVICE = triton.runtime.driver.active.get_active_torch_device()
TARGET = triton.runtime.driver.active.get_current_target()
assert TARGET.arch == 10 * torch.cuda.get_device_capability()[0] + torch.cuda.get_device_capability()[1]
assert triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"] == PROGRAMS

@triton.jit
def double(a, c, n):
    for at in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(c + at, 2 * tl.load(a + at))

def solve(a, c, n):
    torch.cuda.set_device(DEVICE)
    with torch.cuda.device(a.device):
        copy = torch.empty(n, device=DEVICE)
        double[(PROGRAMS,)](a, copy, n)
        double[(PROGRAMS,)](copy, c, n)
"""
TUPLES = """\
import torch
import triton
import triton.language as tl

@triton.jit
def add(parts, addresses, c, n):
    i = tl.arange(0, 32)
    other = tl.load(addresses).to(tl.pointer_type(tl.float32))
    x = tl.load(parts[0] + i, mask=i < n) + tl.load(other + i, mask=i < n)
    tl.store(c + i, x, mask=i < n)

def solve(a, c, n):
    add[(1,)]((a, c), torch.tensor([a.data_ptr()], device="cuda"), c, n)
"""


@pytest.mark.parametrize(("program", "factor"), [(PROGRAM, 4), (TUPLES, 2)], ids=["device", "tuples"])
def test_a_program_that_asks_for_its_device_runs(backend: Bubblewrap, program: str, factor: int) -> None:
    a, c = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as talk:
        assert talk.load(program, {"arguments": []}), talk.findings()
        assert talk.run([a, c, ("int32", a.size)]), talk.findings()
    np.testing.assert_array_equal(c, factor * a)


LAUNCHES = """\
import triton
import triton.language as tl

@triton.jit
def double(a, c, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(c + i, 2 * tl.load(a + i, mask=i < n), mask=i < n)

def solve(a, c, n):
    double[(1,)](a, c, n, BLOCK=32, {option})
"""


@pytest.mark.parametrize("option", ["num_warps=8", "num_stages=2", "num_ctas=1", "maxnreg=128", "debug=True"])
def test_options_of_launches_are_accepted(backend: Bubblewrap, option: str) -> None:
    assert launched(backend, option) == []


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("num_warps=6", "num_warps must be a power of 2"),
        ("num_warp=4", "Keyword argument num_warp was specified but unrecognised"),
    ],
)
def test_options_that_triton_refuses_are_refused(backend: Bubblewrap, option: str, reason: str) -> None:
    (found,) = launched(backend, option)
    assert found["kind"] == "exception"
    assert reason in found["message"]
    assert found["line"] == 10


def launched(backend: Bubblewrap, option: str) -> list[dict[str, Any]]:
    """Launch a kernel with an option, and return the errors."""
    a, c = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    with Talk(backend, triton_command(Limits(wall_s=120, cpu_s=120, memory_mib=1024))) as talk:
        assert talk.load(LAUNCHES.format(option=option), {"arguments": []}), talk.findings()
        talk.run([a, c, ("int32", a.size)])
        return [found for found in talk.findings() if found["severity"] == "error"]
