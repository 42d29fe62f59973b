"""Tests diagnostics for learners: one broken program for each, with exit status, text and line."""

from contextlib import closing
from typing import Any

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner, run

pytestmark = pytest.mark.integration
X = np.arange(1000, dtype=np.float32)
DETERMINISTIC = RunFlag.DETERMINISTIC


def broken(source: str, *arguments: Any, flags: RunFlag = DETERMINISTIC) -> Outcome:
    return run(source, *(arguments or (X,)), flags=flags, time_limit_ms=20_000)


def test_a_race_is_reported_after_many_other_findings() -> None:
    reads = "\n".join(f"  if (fresh[{place}] > 0) sum += 1;" for place in range(40))
    source = f"""\
__global__ void broken(float* data, const float* fresh) {{
  __shared__ float sums[64];
  float sum = data[threadIdx.x];
{reads}
  sums[threadIdx.x] = sum;
  data[threadIdx.x] = sums[63 - threadIdx.x];
}}
extern "C" void solve(float* data) {{
  float* fresh;
  cudaMalloc(&fresh, 4 * 40);
  broken<<<1, 64>>>(data, fresh);
  cudaFree(fresh);
}}
"""
    outcome = broken(source, X, flags=RunFlag.RACES)
    kinds = [found["kind"] for found in outcome.diagnostics if found["severity"] == "warning"]
    assert kinds == ["uninitialised"] * 31 + ["race"]


def test_out_of_bounds_write_names_everything() -> None:
    source = """\
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = 1.0f;
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
"""
    outcome = broken(source, X, X, X, 1000)
    finding = outcome.finding("out_of_bounds")
    assert outcome.status == ExitStatus.ILLEGAL_ACCESS
    assert finding["message"] == (
        "out-of-bounds write of 4 bytes to argument c: element 1000 of 1000, in kernel add, "
        "block (3,0,0), thread (232,0,0), line 3. The last element is 999. Check the index "
        "and its guard, such as if (i < n)."
    )
    assert finding["severity"] == "error"
    assert (finding["kernel"], finding["line"]) == ("add", 3)
    assert (finding["block"], finding["thread"]) == ([3, 0, 0], [232, 0, 0])
    assert outcome.guards_intact


def test_an_access_to_several_elements_names_them_in_the_elements_of_the_array() -> None:
    source = """\
__global__ void fill(int* bits) { *(uint4*)(bits + 4 * threadIdx.x) = make_uint4(1, 2, 3, 4); }
extern "C" void solve(int* bits) { fill<<<1, 2>>>(bits); }
"""
    outcome = broken(source, np.zeros(6, np.int32))
    message = outcome.finding("out_of_bounds")["message"]
    assert "write of 16 bytes to argument bits: elements 4 to 7 of 6, in kernel fill" in message
    assert "The last element is 5. " in message


KERNEL = """\
%(before)s
__global__ void broken(float* data) {
  int t = threadIdx.x;
  %(body)s
}
extern "C" void solve(float* data) {
  %(host)s
}
"""


def program(body: str, *, before: str = "", host: str = "broken<<<1, 64>>>(data);") -> str:
    return KERNEL % {"body": body, "before": before, "host": host}


ILLEGAL, RUNTIME = ExitStatus.ILLEGAL_ACCESS, ExitStatus.RUNTIME_ERROR
AT = "in kernel broken, block (0,0,0), thread"
MATRICES = "#include <cuda_fp16.h>\n#include <mma.h>\nusing namespace nvcuda;"
TILE = """\
wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::load_matrix_sync(%s);
  data[t] = a.x[0];"""
SUMS = """\
wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::store_matrix_sync(%s);"""
PRODUCT = """\
wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(a, __float2half(0));
  wmma::fill_fragment(b, __float2half(0));
  wmma::fill_fragment(c, 0.0f);
  %s
  data[t] = c.x[0];"""
ONE_WARP = "broken<<<1, 32>>>(data);"
FATAL = {
    "negative index": (
        program("data[t - 1] = 0;"),
        ILLEGAL,
        "out_of_bounds",
        f"write of 4 bytes to argument data: element -1 of 1000, {AT} (0,0,0), line 4. The index is negative",
    ),
    "far index": (
        program("data[t + 500000] += 1;"),
        ILLEGAL,
        "out_of_bounds",
        "read of 4 bytes from argument data: element 500000 of 1000",
    ),
    "own allocation": (
        program(
            "data[t] = 0;",
            host="float* mine; cudaMalloc(&mine, 200); broken<<<1, 64>>>(mine);",
        ),
        ILLEGAL,
        "out_of_bounds",
        "the 200-byte cudaMalloc allocation: element 50 of 50 (of 4 bytes each)",
    ),
    "null": (
        program("data[t] = 0;", host="broken<<<1, 64>>>(nullptr);"),
        ILLEGAL,
        "null_pointer",
        f"write of 4 bytes to address 0x0: a null pointer, {AT} (0,0,0), line 4",
    ),
    "host pointer": (
        program("data[t] = 0;", host="static float here[64]; broken<<<1, 64>>>(here);"),
        ILLEGAL,
        "host_pointer",
        "write of 4 bytes to host memory at 0x",
    ),
    "too large index of a variable": (
        program("data[t] = v[t];", before="__constant__ float v[10];"),
        ILLEGAL,
        "out_of_bounds",
        f"read of 4 bytes from variable v: element 10 of 10 (of 4 bytes each), {AT} (10,0,0), line 4",
    ),
    "negative index of a variable": (
        program("table[t - 1] = data[t];", before="__device__ float table[100];"),
        ILLEGAL,
        "out_of_bounds",
        "write of 4 bytes to variable table: element -1 of 100",
    ),
    "local array of another thread": (
        program(
            "__shared__ float* all[64]; float mine[4];\n"
            "  for (int i = 0; i < 4; ++i) mine[i] = data[t + i];\n"
            "  all[t] = mine;\n"
            "  __syncthreads();\n"
            "  data[t] = all[63 - t][t % 4];\n"
            "  __syncthreads();"
        ),
        ILLEGAL,
        "wild_pointer",
        f"read of 4 bytes from local memory of another thread, {AT}",
    ),
    "shared array of an earlier kernel": (
        program(
            "data[t] = kept[t];",
            before="__device__ float* kept; __global__ void keep(float* data) {"
            " __shared__ float s[64]; s[threadIdx.x] = data[threadIdx.x]; kept = s; __syncthreads();"
            " data[threadIdx.x] = s[63 - threadIdx.x]; }",
            host="keep<<<1, 64>>>(data); broken<<<1, 64>>>(data);",
        ),
        ILLEGAL,
        "wild_pointer",
        f"read of 4 bytes from shared memory of another block or of an earlier kernel, {AT} (0,0,0), line 4",
    ),
    "use after free": (
        program(
            "data[t] = 0;",
            host="float* p; cudaMalloc(&p, 4096); cudaFree(p); broken<<<1, 64>>>(p);",
        ),
        ILLEGAL,
        "use_after_free",
        "freed memory: element 0 of 1024 (of 4 bytes each) of the 4096-byte cudaMalloc allocation",
    ),
    "misaligned": (
        program("*(float2*)(data + t + 1) = float2{};"),
        ILLEGAL,
        "misaligned",
        f"misaligned write of 8 bytes to argument data + 4 bytes, {AT} (0,0,0), line 4",
    ),
    "misaligned leading dimension": (
        program(TILE % "a, (half*)data, 20", before=MATRICES, host=ONE_WARP),
        ILLEGAL,
        "misaligned",
        (
            "misaligned rows or columns of a matrix: the leading dimension of 20 elements is 40 bytes, "
            f"{AT} (31,0,0), line 7. The leading dimension must be a multiple of 8 elements (16 bytes)"
        ),
    ),
    "misaligned leading dimension of sums": (
        program(SUMS % "data, c, 18, wmma::mem_row_major", before=MATRICES, host=ONE_WARP),
        ILLEGAL,
        "misaligned",
        "The leading dimension must be a multiple of 4 elements (16 bytes)",
    ),
    "misaligned matrix": (
        program(TILE % "a, (half*)data + 4, 16", before=MATRICES, host=ONE_WARP),
        ILLEGAL,
        "misaligned",
        f"misaligned read of 16 bytes from argument data + 8 bytes, {AT} (31,0,0), line 7",
    ),
    "misaligned matrix in shared memory": (
        program(
            "__shared__ __align__(32) float s[300];\n  " + SUMS % "s + 1, c, 16, wmma::mem_row_major",
            before=MATRICES,
            host=ONE_WARP,
        ),
        ILLEGAL,
        "misaligned",
        "misaligned write of 16 bytes to shared memory: offset 4",
    ),
    "shared": (
        program("__shared__ float s[64]; s[t + 1] = 0; data[t] = s[t];"),
        ILLEGAL,
        "out_of_bounds",
        (
            "write of 4 bytes to element 64 of 64 (of 4 bytes each) of shared array s, outside the block's "
            f"256 bytes of shared memory, {AT} (63,0,0), line 4"
        ),
    ),
    "no dynamic shared memory": (
        program("extern __shared__ float s[]; s[t] = 0; data[t] = s[63 - t];"),
        ILLEGAL,
        "out_of_bounds",
        "Pass the bytes of the extern __shared__ array as the third launch parameter",
    ),
    "past the end of a static array that a block barely exceeds": (
        program("__shared__ float s[64]; s[t + 63] = 0; data[t] = s[t];"),
        ILLEGAL,
        "out_of_bounds",
        "Compare the index with the size of the __shared__ array.",
    ),
    "dynamic shared memory in elements": (
        program(
            "extern __shared__ float s[]; s[t] = 0; data[t] = s[63 - t];",
            host="broken<<<1, 64, 64>>>(data);",
        ),
        ILLEGAL,
        "out_of_bounds",
        "The launch gives the block 64 bytes of dynamic shared memory",
    ),
    "overlapping copy": (
        program("", host="cudaMemcpy(data + 8, data, 256, cudaMemcpyDeviceToDevice);"),
        RUNTIME,
        "cuda_error",
        "cudaMemcpy: source and destination overlap, so the result is undefined",
    ),
    "double free": (
        program("", host="float* p; cudaMalloc(&p, 64); cudaFree(p); cudaFree(p);"),
        ILLEGAL,
        "bad_free",
        "frees the 64-byte cudaMalloc allocation a second time",
    ),
    "free of an argument": (
        program("", host="cudaFree(data);"),
        ILLEGAL,
        "bad_free",
        "frees argument data, which belongs to the caller of solve()",
    ),
    "host read": (
        program("", host="volatile float x = data[3]; (void)x;"),
        ILLEGAL,
        "host_access",
        "host code read device memory (argument data). Copy it to host memory with cudaMemcpy first.",
    ),
    "host write": (
        program("", host="data[3] = 1;"),
        ILLEGAL,
        "host_access",
        "host code wrote device memory (argument data)",
    ),
    "host crash": (
        program("", host="volatile int* volatile p = nullptr; *p = 1;"),
        RUNTIME,
        "host_crash",
        "host code crashed: segmentation fault at address 0x0",
    ),
    "host stack": (
        program("", before="int deep(volatile int* x) { return deep(x) + *x; }", host="int x = 0; deep(&x);"),
        RUNTIME,
        "stack_overflow",
        "stack overflow in host code. Recursion is too deep, or local arrays are too large",
    ),
    "large host array": (
        program("", host="volatile char large[64 << 20]; large[5] = 1; broken<<<1, 64>>>(data);"),
        RUNTIME,
        "stack_overflow",
        "stack overflow in host code.",
    ),
    "host thread": (
        program("", before="#include <thread>", host="std::thread lost([] {});"),
        RUNTIME,
        "host_crash",
        "did not catch an exception, or destroyed a std::thread without join() or detach().",
    ),
    "malloc in a kernel": (
        program("float* own = (float*)malloc(1ull << 33); own[t] = data[t]; data[t] = own[0];"),
        ILLEGAL,
        "null_pointer",
        "returned null: it requested 8589934592 bytes, and the heap of all kernels has 8388608 bytes.",
    ),
    "exception": (
        program("", before="#include <stdexcept>", host='throw std::runtime_error("no");'),
        RUNTIME,
        "exception",
        "solve() threw an exception: no",
    ),
    "assert": (
        program("assert(t != 7);", before="#include <cassert>"),
        RUNTIME,
        "assert",
        "assertion `t != 7' failed in",
    ),
    "trap": (program("if (t == 5) __trap();"), RUNTIME, "trap", f"trap, {AT} (5,0,0), line 4"),
    "stack overflow": (
        program(
            "data[t] = deep(t + 100000);",
            before="__device__ int deep(int n) { volatile int x[64]; x[n % 64] = n; "
            "return n ? deep(n - 1) + x[n % 64] : 0; }",
        ),
        RUNTIME,
        "stack_overflow",
        "Recursion is too deep, or local arrays are too large",
    ),
    "deadlock": (
        program(
            "if (t < 16) data[t] = __shfl_down_sync(~0u, data[t], 8);\n  __syncthreads();",
        ),
        RUNTIME,
        "deadlock",
        "16 threads (first (0,0,0)) waiting at a warp shuffle for lanes 0xffffffff, line 4",
    ),
    "mask": (
        program("if (t < 16) __syncwarp(0xff00);"),
        RUNTIME,
        "bad_mask",
        "lane 0 calls a warp operation, but the mask 0xff00 excludes this lane",
    ),
    "too many threads": (
        program("", host="broken<<<1, 2048>>>(data);"),
        RUNTIME,
        "cuda_error",
        "kernel broken was launched with 2048 threads per block (2048,1,1); the limit is 1024",
    ),
    "more threads than the launch bounds": (
        program(
            "", before="__global__ void __launch_bounds__(64) few(float*) {}", host="few<<<1, 128>>>(data);"
        ),
        RUNTIME,
        "cuda_error",
        "kernel few was launched with 128 threads per block; its __launch_bounds__ allow 64.",
    ),
    "empty grid": (
        program("", host="broken<<<0, 64>>>(data);"),
        RUNTIME,
        "cuda_error",
        "no dimension may be 0",
    ),
    "too much shared memory": (
        program("", host="broken<<<1, 64, 50000>>>(data);"),
        RUNTIME,
        "cuda_error",
        "cudaFuncAttributeMaxDynamicSharedMemorySize",
    ),
    "copy too long": (
        program("", host="float here[8]; cudaMemcpy(here, data, 4004, cudaMemcpyDeviceToHost);"),
        RUNTIME,
        "cuda_error",
        "cudaMemcpy: the source has room for 4000 bytes from there (argument data), not 4004",
    ),
    "copy in the wrong direction": (
        program("", host="float here[8]; cudaMemcpy(here, data, 32, cudaMemcpyHostToDevice);"),
        RUNTIME,
        "cuda_error",
        "the destination is host memory, but the direction says device",
    ),
    "copy to a symbol with the direction of a copy to the host": (
        program(
            "",
            before="__device__ float kept[8];",
            host="float here[8]; cudaMemcpyToSymbol(kept, here, 32, 0, cudaMemcpyDeviceToHost);",
        ),
        RUNTIME,
        "cuda_error",
        "the symbol is device memory, but the direction says host (cudaErrorInvalidMemcpyDirection)",
    ),
    "copy from nowhere": (
        program("", host="cudaMemcpy(data, (void*)64, 32, cudaMemcpyHostToDevice);"),
        RUNTIME,
        "host_pointer",
        "cudaMemcpy received an invalid host pointer (0x40)",
    ),
}


@pytest.mark.parametrize("name", FATAL)
def test_fatal_finding(name: str) -> None:
    source, status, kind, text = FATAL[name]
    outcome = broken(source)
    errors = [d for d in outcome.diagnostics if d["severity"] == "error"]
    assert errors, outcome
    assert errors[-1]["kind"] == kind, errors
    assert any(text in d["message"] for d in errors), errors
    assert outcome.status == status


WARNINGS = {
    "divergent barrier": (
        program("if (t < 32) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }"),
        RunFlag.NONE,
        "divergent_barrier",
        "divergent __syncthreads(): thread (0,0,0) waits at line 5 and thread (32,0,0) at line 7",
    ),
    "matrix instruction of half a warp": (
        program(
            PRODUCT % "if (t >= 16) return;\n  wmma::mma_sync(c, a, b, c);", before=MATRICES, host=ONE_WARP
        ),
        RunFlag.NONE,
        "divergent_barrier",
        (
            "only 16 of the 32 threads of a warp execute a matrix instruction, "
            f"{AT} (0,0,0), line 13. The result is undefined on a GPU"
        ),
    ),
    "matrix instructions in two branches": (
        program(
            PRODUCT
            % (
                "if (t & 1) {\n    wmma::mma_sync(c, a, b, c);\n    __nanosleep(1);\n"
                "  } else {\n    wmma::mma_sync(c, a, b, c);\n  }"
            ),
            before=MATRICES,
            host=ONE_WARP,
        ),
        RunFlag.NONE,
        "divergent_barrier",
        "threads of a warp execute different matrix instructions at the same time",
    ),
    "matrices at 16 bytes": (
        program(
            (
                TILE % "a, (half*)data + 8, 24);\n"
                "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;\n"
                "  wmma::load_matrix_sync(c, data + 4, 20, wmma::mem_col_major);\n"
                "  wmma::store_matrix_sync(data + 4, c, 20, wmma::mem_col_major"
            ),
            before=MATRICES,
            host=ONE_WARP,
        ),
        RunFlag.NONE,
        None,
        "",
    ),
    "exited threads": (
        program("if (t >= 48) return;\n  __syncthreads();\n  data[t] = 0;"),
        RunFlag.NONE,
        "exited_threads",
        "16 threads of 64 ended the kernel without reaching the __syncthreads(), in kernel broken",
    ),
    "read after write": (
        program("__shared__ float s[64];\n  s[t] = t;\n  data[t] = s[(t + 33) % 64];"),
        RunFlag.RACES,
        "race",
        "wrote it (line 5) and thread",
    ),
    "write after read": (
        program(
            "__shared__ float s[64]; s[t] = t; __syncthreads();\n"
            "  float x = s[(t + 32) % 64];\n  s[t] = x + 1; data[t] = x;"
        ),
        RunFlag.RACES,
        "race",
        "writes it (line 6) with no __syncthreads() between",
    ),
    "adjacent halves do not race": (
        program("__shared__ char s[64]; s[t] = t; __syncthreads(); data[t] = s[63 - t];"),
        RunFlag.RACES,
        None,
        "",
    ),
    "uninitialised shared memory": (
        program("__shared__ float s[65]; s[t] = t; __syncthreads(); data[t] = s[t + 1];"),
        RunFlag.RACES,
        "uninitialised",
        "read of uninitialised shared memory: element 64 of 65 (of 4 bytes each) of shared array s",
    ),
    "uninitialised device memory": (
        program(
            "data[t] += 1;",
            host="float* p; cudaMalloc(&p, 256); cudaMemset(p, 0, 128); broken<<<1, 64>>>(p);",
        ),
        RunFlag.RACES,
        "uninitialised",
        "read of uninitialised device memory: element 32 of 64 (of 4 bytes each) of the 256-byte cudaMalloc",
    ),
    "too few bytes cleared": (
        program(
            "data[t] += 1;",
            host="float* p; cudaMalloc(&p, 256); cudaMemset(p, 0, 128); broken<<<1, 64>>>(p);",
        ),
        RunFlag.RACES,
        "uninitialised",
        "cudaMemset set 128 of its 256 bytes: element 32 of 64 (of 4 bytes each) is the first without",
    ),
    "division by zero": (
        program("data[t] = 5 / (t - 3);"),
        RunFlag.NONE,
        "division_by_zero",
        f"integer division by zero, {AT} (3,0,0), line 4",
    ),
    "copy between arrays of the device with the direction of a copy from the host": (
        program(
            "data[t] += 1;",
            host="float* p; cudaMalloc(&p, 256); cudaMemcpy(p, data, 256, cudaMemcpyHostToDevice);"
            " broken<<<1, 64>>>(p); if (cudaMemcpy(data, p, 256, cudaMemcpyDeviceToHost)) abort();",
        ),
        RunFlag.NONE,
        "copy_direction",
        "cudaMemcpy: the source is device memory (argument data), but the direction says host",
    ),
    "copy from an array to a symbol": (
        program(
            "",
            before="__device__ float kept[8];",
            host="if (cudaMemcpyToSymbol(kept, data, 32)) abort();",
        ),
        RunFlag.NONE,
        "copy_direction",
        "cudaMemcpyToSymbol: the source is device memory",
    ),
    "shuffle from an absent lane": (
        program("data[t] = __shfl_down_sync(~0u, t, 8);", host="broken<<<1, 16>>>(data);"),
        RunFlag.NONE,
        "shuffle_source",
        "shuffle reads from lane 16, which does not participate",
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warning(name: str) -> None:
    source, flags, kind, text = WARNINGS[name]
    outcome = broken(source, flags=flags | DETERMINISTIC)
    assert outcome.status is None, outcome.diagnostics
    warnings = [d for d in outcome.diagnostics if d["severity"] == "warning"]
    if kind is None:
        assert not warnings
    else:
        assert any(d["kind"] == kind and text in d["message"] for d in warnings), warnings


@pytest.mark.parametrize("flags", [RunFlag.NONE, DETERMINISTIC])
def test_endless_kernel_meets_the_time_limit(flags: RunFlag) -> None:
    source = program("while (t >= 0) data[t] += 1;", host="broken<<<2, 64>>>(data);")
    outcome = run(source, X, flags=flags, time_limit_ms=300)
    assert outcome.status == ExitStatus.TIME_LIMIT
    message = outcome.finding("time_limit")["message"]
    assert message.startswith("time limit of 300 ms exceeded, in kernel broken, block (")


def test_endless_host_code_meets_the_time_limit() -> None:
    outcome = run(program("", host="for (volatile int i = 0;; ) (void)i;"), X, time_limit_ms=200)
    assert outcome.status == ExitStatus.TIME_LIMIT
    assert "in host code" in outcome.finding("time_limit")["message"]


def test_a_forked_process_has_no_gpu() -> None:
    source = program(
        "data[t] = 7;",
        before="#include <sys/wait.h>\n#include <unistd.h>",
        host="pid_t child = fork(); if (child == 0) { broken<<<1, 64>>>(data); _exit(0); }"
        " waitpid(child, nullptr, 0);",
    )
    outcome = run(source, X, flags=DETERMINISTIC)
    assert outcome.status is None, outcome.diagnostics
    np.testing.assert_array_equal(outcome.arrays[0], X)
    assert "a forked process uses the GPU" in outcome.finding("cuda_error")["message"]


@pytest.mark.parametrize("flags", ORDERS)
def test_a_pointer_to_an_argument_is_valid_only_in_its_own_call(flags: RunFlag) -> None:
    source = """\
__global__ void add(const float* x, float* out) { out[threadIdx.x] = x[threadIdx.x] + 1; }
extern "C" void solve(const float* x, float* out) {
  static cudaStream_t stream;
  static cudaGraphExec_t executable;
  if (!executable) {
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, stream>>>(x, out);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
  }
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
}
"""
    with closing(Runner(source)) as runner:
        assert runner.call(X, X, flags=flags).status is None
        outcome = runner.call(X, X, flags=flags)
    assert outcome.status == ExitStatus.ILLEGAL_ACCESS
    assert "an argument of the previous call of solve" in outcome.finding("wild_pointer")["message"]


def test_checked_errors_are_no_failure() -> None:
    source = program("", host="broken<<<1, 2048>>>(data); cudaGetLastError();")
    assert broken(source).status is None


def test_findings_are_bounded_and_not_repeated() -> None:
    many = "\n  ".join(f"data[t] = {i} / (t - 70000 + 70000 - {i});" for i in range(60))
    outcome = broken(program(many, host="for (int i = 0; i < 40; ++i) broken<<<1, 64>>>(data);"))
    assert len(outcome.diagnostics) <= 48
    keys = [(d["kind"], d.get("line"), d["message"]) for d in outcome.diagnostics]
    assert len(keys) == len(set(keys))
