"""Tests that `triton.autotune` and `triton.heuristics` work without a GPU."""

from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from tests.integration.sandbox.talk import Talk

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("triton-autotuning"),  # loaded once, not in every process
]

SOURCE = """
import torch
import triton
import triton.language as tl

SMALL, LARGE, HUGE = (triton.Config({"BLOCK": size}, num_warps=4) for size in (32, 64, 4096))
ALL = [SMALL, LARGE]

def body(a, c, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 64, "too large")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + i, mask=i < n, other=0.0)
    tl.atomic_add(c + i, x, mask=i < n)

def size(a, c, n, BLOCK: tl.constexpr):
    tl.store(c, BLOCK)

def zero(arguments, reset_only=False):
    arguments["c"].zero_()

def ranked(**given):
    return given["BLOCK"]

def tuned(configs, **options):
    return triton.autotune(configs=configs, key=["n"], **options)(triton.jit(body))

def graphed():
    return tuned(ALL, reset_to_zero=["c"], use_cuda_graph=True)

KERNELS = [
    tuned(ALL, reset_to_zero=["c"]),
    tuned(ALL, restore_value=["c"]),
    tuned(ALL, pre_hook=zero),
    tuned([triton.Config({"BLOCK": 32}, pre_hook=zero), LARGE]),
    tuned(ALL, reset_to_zero=["c"], prune_configs_by={"early_config_prune": lambda all, args, **_: all[1:]}),
    tuned([HUGE, *ALL], reset_to_zero=["c"], prune_configs_by={"perf_model": ranked, "top_k": 2}),
    tuned([HUGE, *ALL], reset_to_zero=["c"]),
    tuned(ALL, reset_to_zero=["c"], do_bench=lambda call, quantiles: triton.testing.do_bench(call)),
    tuned(ALL, reset_to_zero=["c"], warmup=5, rep=5),
    graphed(),
    triton.heuristics({"BLOCK": lambda given: 32 if given["n"] < 100 else 64})(triton.jit(body)),
    tuned(ALL),
    triton.autotune(configs=ALL, key=["n"])(triton.jit(size)),
]

def solve(a, c, n, which):
    if which < len(KERNELS):
        KERNELS[which][lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](a, c, n)
"""
ADDS_UP = 11
TELLS_ITS_SIZE = 12
KEEPS_ITS_OUTPUT = 1


@pytest.fixture(scope="module")
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=300, cpu_s=300, memory_mib=1024))) as started:
        assert started.load(SOURCE, {"arguments": []}), started.findings()
        yield started


def called(talk: Talk, which: int, before: float = 0) -> tuple[np.ndarray, np.ndarray]:
    a = np.arange(70, dtype=np.float32)
    c = np.full_like(a, before)
    assert talk.run([a, c, ("int32", a.size), ("int32", which)]), talk.findings()
    return a, c


@pytest.mark.parametrize("which", range(ADDS_UP))
def test_a_tuned_kernel_runs(talk: Talk, which: int) -> None:
    a, c = called(talk, which)
    np.testing.assert_array_equal(c, a)
    a, c = called(talk, which)  # the key is known now
    np.testing.assert_array_equal(c, a)


def test_restored_values_are_those_before_tuning(talk: Talk) -> None:
    a, c = called(talk, KEEPS_ITS_OUTPUT, before=3)
    np.testing.assert_array_equal(c, a + 3)


def test_a_kernel_that_adds_to_its_output_adds_up_while_it_is_tuned(talk: Talk) -> None:
    a, c = called(talk, ADDS_UP)
    np.testing.assert_array_equal(c, 2 * a)
    a, c = called(talk, ADDS_UP)
    np.testing.assert_array_equal(c, a)


def test_each_tuning_begins_with_another_configuration(talk: Talk) -> None:
    sizes = []
    for n in (5, 6, 7):
        a, c = np.zeros(n, np.float32), np.zeros(n, np.float32)
        assert talk.run([a, c, ("int32", n), ("int32", TELLS_ITS_SIZE)]), talk.findings()
        sizes.append(c[0])
    assert sizes == [32, 64, 32]
