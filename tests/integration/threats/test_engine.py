"""Tests programs that bypass checks of functional mode: assembly, registered memory, odd instructions."""

from typing import Any

import numpy as np
import pytest

from sandbox.compiled import CompileOutcome as Built
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, compile_source, run

pytestmark = pytest.mark.integration
X = np.arange(1000, dtype=np.float32)
ILLEGAL, RUNTIME = ExitStatus.ILLEGAL_ACCESS, ExitStatus.RUNTIME_ERROR

KERNEL = """\
#include <cstdint>
struct Table { int values[8]; };
__global__ void broken(float* data, __grid_constant__ const Table table, long long by) {
  %(body)s
}
extern "C" void solve(float* data) {
  %(host)s
}
"""
LAUNCH = "Table table = {{1, 2, 3, 4, 5, 6, 7, 8}}; broken<<<1, 1>>>(data, table, %d);"


def attack(body: str, host: str = LAUNCH % 0) -> str:
    return KERNEL % {"body": body, "host": host}


def done(source: str, *arguments: Any) -> Outcome:
    return run(source, *(arguments or (X,)), flags=RunFlag.DETERMINISTIC, time_limit_ms=20_000)


@pytest.mark.parametrize("offset", [64, 1 << 20, -(1 << 20)])
def test_a_parameter_by_register_is_checked(offset: int) -> None:
    ptx = (
        'unsigned got; asm volatile("{ .reg .b64 at; mov.b64 at, _Z6brokenPf5Tablex_param_1; '
        'add.s64 at, at, %1; ld.param.u32 %0, [at]; }" : "=r"(got) : "l"(by)); data[0] = got;'
    )
    outcome = done(attack(ptx, LAUNCH % offset))
    assert outcome.status == ILLEGAL
    finding = outcome.finding("out_of_bounds")
    assert "parameters" in finding["message"]
    assert finding["line"] == 4
    assert done(attack(ptx, LAUNCH % 4)).arrays[0][0] == 2


SECOND_ARRAY = """
  int own[16];
  for (int i = 0; i < 16; ++i) own[i] = int(data[i]);
  asm volatile("{ .local .align 4 .b8 second[4]; .reg .b64 at; mov.b64 at, second; st.local.u32 [at], 7; }");
  data[0] = own[int(by) + int(data[0])];
"""


@pytest.mark.parametrize("offset", [16, 4096, -64])
def test_a_second_local_array_takes_no_check_away(offset: int) -> None:
    outcome = done(attack(SECOND_ARRAY, LAUNCH % offset))
    assert outcome.status == ILLEGAL
    assert "a local array" in outcome.finding("out_of_bounds")["message"]
    assert done(attack(SECOND_ARRAY, LAUNCH % 3)).status is None


PASSED = """\
#include <cuda_runtime.h>
__device__ __noinline__ void put(float* array, long long at, float value) { array[at] = value; }
__device__ __noinline__ float get(const float* array, long long at) { return array[at]; }
__global__ void broken(float* data, long long by) {
  float own[16];
  for (int i = 0; i < 16; ++i) put(own, i, data[i]);
  data[0] = get(own, by);
}
extern "C" void solve(float* data) { broken<<<1, 1>>>(data, %d); }
"""


@pytest.mark.parametrize("offset", [1 << 20, -(1 << 20), 1 << 40])
def test_a_local_array_that_is_passed_leads_nowhere_else(offset: int) -> None:
    outcome = done(PASSED % offset)
    assert outcome.status == ILLEGAL
    assert "a local array" in outcome.finding("out_of_bounds")["message"]
    assert done(PASSED % 3).arrays[0][0] == 3


REGISTERED = """\
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void write(float* at) { *at = 1; }
extern "C" void solve(float* data) {
  char* own;
  cudaMalloc(&own, 4096);
  %s
}
"""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("cudaHostRegister(own + 4096, 1 << 20, 0); write<<<1, 1>>>((float*)(own + 8192));", "out_of_bounds"),
        (
            "cudaHostRegister(own - (1 << 24), 1 << 30, 0); write<<<1, 1>>>((float*)(own + 8192));",
            "out_of_bounds",
        ),
        (
            "cudaHostRegister((char*)1, ~0ull >> 1, 0); write<<<1, 1>>>((float*)(own + 8192));",
            "out_of_bounds",
        ),
        ("cudaHostRegister((char*)data + 4000, 96, 0); write<<<1, 1>>>(data + 1000);", "out_of_bounds"),
        ("cudaHostUnregister(data); write<<<1, 1>>>(data + 1000);", "out_of_bounds"),
        (
            "char* mine = (char*)malloc(4096); cudaHostRegister(mine, 4096, 0); cudaFreeHost(mine);",
            "bad_free",
        ),
    ],
)
def test_the_bounds_of_device_memory_cannot_be_widened(body: str, kind: str) -> None:
    outcome = done(REGISTERED % body)
    assert outcome.status == ILLEGAL
    assert outcome.finding(kind)
    assert outcome.guards_intact


def test_registered_host_memory_is_for_kernels_until_it_is_unregistered() -> None:
    body = """
  float* mine = (float*)calloc(1024, 4);
  printf("%d ", cudaHostRegister(mine, 4096, 0));
  printf("%d ", cudaHostRegister((char*)mine - 16, 64, 0) != 0);
  cudaGetLastError();
  write<<<1, 1>>>(mine + 1023);
  cudaDeviceSynchronize();
  printf("%d %g", cudaHostUnregister(mine), mine[1023]);
"""
    outcome = done(REGISTERED % body)
    assert (outcome.status, outcome.output) == (None, "0 1 0 1")


ODD = {
    "an odd shape": (
        (
            'asm volatile("mma.sync.aligned.m16n8k9.row.col.f32.f16.f16.f32 '
            '{%0,%0,%0,%0}, {%1,%1}, {%1}, {%0,%0,%0,%0};" : "+f"(data[0]) : "r"(1));'
        ),
        "mma.sync.aligned.m16n8k9.row.col.f32.f16.f16.f32",
    ),
    "too few registers": (
        (
            'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%1}, {%0};" '
            ': "+f"(data[0]) : "r"(1));'
        ),
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    ),
    "an unknown word": ('asm volatile("add.fast.s32 %0, %0, 1;" : "+r"(*(int*)data));', "add.fast.s32"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_instruction_is_refused_by_name_and_line(name: str) -> None:
    body, opcode = ODD[name]
    outcome = done(attack(body))
    assert outcome.status == RUNTIME
    finding = outcome.finding("unsupported")
    assert opcode in finding["message"]
    assert finding["line"] == 4


def test_assembly_that_cannot_be_read_is_the_programs_fault() -> None:
    compiled = compile_source(attack('asm volatile("mma.sync ] } {");'))
    assert compiled.outcome is Built.REJECTED
    assert "inline assembly" in compiled.log
