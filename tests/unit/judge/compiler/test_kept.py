"""Tests that variables which keep their values between calls of solve are found in the program's text."""

import pytest

from judge.compiler.kept import kept_text
from tests.growth import assert_linear

PROGRAMS = {
    "on the device": (
        "__device__ int n = 0;\n__device__ int m;\n__global__ void k() { m = 1; }",
        "m (line 2)",
    ),
    "updated atomically": ("\n__device__ int n;\n__global__ void k() { atomicAdd(&n, 1); }", "n (line 2)"),
    "an array": ("__device__ float t[3][2];\n__global__ void k() { t[0][1] += 1; }", "t (line 1)"),
    "static in a function": (
        "void solve() {\n  static bool done = false;\n  done = true;\n}",
        "done (line 2)",
    ),
    "static, of a class": ("void solve() { static Kept kept; kept.prepare(3); }", "kept (line 1)"),
    "outside of functions": ("float* p;\nvoid solve() { cudaMalloc(&p, 4); }", "p (line 1)"),
    "in a namespace": ("namespace {\nint n = 3;\n}\nvoid solve() { ++n; }", "n (line 2)"),
    "in a linkage": ('extern "C" {\nint n;\nvoid solve() { n++; }\n}', "n (line 2)"),
    "copied to": ("__device__ int n;\nvoid solve() { cudaMemcpyToSymbol(n, &x, 4); }", "n (line 1)"),
    "two": ("static int a, b;\nint c;\nvoid solve() { b = 1; c = 2; }", "b (line 1), c (line 2)"),
    "never changed": ("__device__ int n = 4;\n__global__ void k() { f(n); }", ""),
    "constants": (
        "static const int a = 1; constexpr int b = 2; __constant__ int c; void f() { c = a == b; }",
        "",
    ),
    "functions": (
        "static int f(int x) { x = 1; return x; }\n__device__ float g(float y) { return y = 2; }",
        "",
    ),
    "local": ("void solve(int n) { int a; a = 3; n = 4; }", ""),
    "types": ("struct State { int n; };\nusing A = int;\nvoid solve() { State s; s.n = 1; }", ""),
    "never closed": ("static " * 3000, ""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_keeps(name: str) -> None:
    source, kept = PROGRAMS[name]
    assert kept_text(source) == kept


@pytest.mark.parametrize(
    "piece", ["static ", "static int n;", "n=", "n[", "{", "};", "namespace ", "namespace {"]
)
def test_the_time_for_a_source_grows_with_its_length(piece: str) -> None:
    assert_linear(kept_text, piece, length=4000, head="int n;\n")
