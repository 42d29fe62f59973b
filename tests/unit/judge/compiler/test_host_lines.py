"""Tests that findings on copies, accesses and leaks of the host name a line if it is unambiguous."""

import pytest

from judge.compiler.host_lines import with_host_lines
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind, Severity
from tests.growth import assert_linear

FROM_DEVICE = "cudaMemcpy: the source is device memory (argument x), but the direction says host."
PROGRAMS = {
    "one": ("int a;\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);", 2),
    "over several lines": ("\n\ncudaMemcpy(\n  p, x, 4,\n  cudaMemcpyHostToDevice);", 3),
    "another one that goes the other way": (
        "cudaMemcpy(p, x, 4, cudaMemcpyDeviceToHost);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        2,
    ),
    "in a comment": (
        "// cudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        2,
    ),
    "two that may be meant": ("cudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);" * 2, None),
    "a direction in a variable": (
        "cudaMemcpy(p, x, 4, way);\ncudaMemcpy(p, x, 4, cudaMemcpyHostToDevice);",
        None,
    ),
    "none": ("copy(p, x);", None),
    "never closed": ("cudaMemcpy(" * 5000, None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_of_a_copy(name: str) -> None:
    source, line = PROGRAMS[name]
    warning = Diagnostic(Severity.WARNING, DiagnosticKind.COPY_DIRECTION, FROM_DEVICE)
    (found,) = with_host_lines([warning], source)
    assert found.line == line


def test_other_findings_stay() -> None:
    other = Diagnostic(Severity.WARNING, DiagnosticKind.RACE, FROM_DEVICE)
    assert with_host_lines([other], PROGRAMS["one"][0]) == (other,)


WROTE = "host code wrote device memory (argument out). Write it in a kernel, or with cudaMemcpy."
READ = "host code read device memory (argument in). Copy it to host memory with cudaMemcpy first."
READ_OWN = "host code read device memory (the 4-byte cudaMalloc allocation). Copy it to host memory first."
KERNEL = "__global__ void k(float* y) {\n  if (y[0] > 1) { y[0] = *y; }\n}\n"
ACCESSES = {
    "write": (WROTE, "void solve(const float* x, float* y) {\n  float t = y[0];\n  y[i[2]] = 1;\n}", 6),
    "compound": (WROTE, "void solve(const float* x, float* y) {\n  y[0] == 1;\n  y[0] += 1;\n}", 6),
    "pointer": (READ, "void solve(const float* x, float* y) {\n  float t = *x;\n}", 5),
    "product": (READ, "void solve(const float* x, float* y) {\n  int t = n *x;\n}", None),
    "own": (READ_OWN, "void solve(const float* x, float* y) {\n cudaMalloc(&p, 4);\n return p[0];\n}", 6),
    "nowhere": (READ, "void solve(const float* x, float* y) {\n  help(x);\n}", None),
    "in a comment": (READ, "void solve(const float* x, float* y) {\n  // x[0]\n  t = x[1];\n}", 6),
    "unclosed": (READ, "__global__ {{{ void solve(const float* x, float* y) { x[" + "[" * 5000, None),
}


@pytest.mark.parametrize("name", ACCESSES)
def test_the_line_of_an_access(name: str) -> None:
    message, source, line = ACCESSES[name]
    error = Diagnostic(Severity.ERROR, DiagnosticKind.HOST_ACCESS, message)
    (found,) = with_host_lines([error], KERNEL + source, ["in", "out"])
    assert found.line == line


LEFT = "solve() returns without freeing %s, in each call. Free memory with cudaFree."
MEMORY, STREAM = LEFT % "1 allocation with 4 bytes", LEFT % "1 stream"
LEAKS = {
    "memory": (MEMORY, "cudaMalloc(&a, 4);\ncudaMalloc((void**)&b, 4);\ncudaFree(a);", 2),
    "freed on one path": (MEMORY, "cudaMalloc(&a, 4); if (x) return; cudaFree(a);", 1),
    "two that are freed": (MEMORY, "cudaMalloc(&a, 4); cudaMalloc(&b, 4); cudaFree(a); cudaFree(b);", None),
    "two": (MEMORY, "cudaMalloc(&a, 4); cudaMalloc(&b, 4);", None),
    "stream": (STREAM, "cudaMalloc(&a, 4);\ncudaStreamCreate(&s);", 2),
    "both": (LEFT % "1 allocation with 4 bytes, 1 event", "cudaMalloc(&a, 4); cudaEventCreate(&e);", None),
}


@pytest.mark.parametrize("name", LEAKS)
def test_the_line_of_a_leak(name: str) -> None:
    message, source, line = LEAKS[name]
    (found,) = with_host_lines([Diagnostic(Severity.NOTE, DiagnosticKind.LEAK, message)], source)
    assert found.line == line


LAUNCHED = Diagnostic(Severity.NOTE, DiagnosticKind.LAUNCH_BOUND, "many", kernel="void scale<float>(float*)")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("\nscale<float><<<1, 32>>>(x);", 2),
        ("scale<<<1, 32>>>(x);", 1),
        ("upscale<<<1, 32>>>(x);", None),
        ("scale<<<1, 32>>>(x);\nscale<<<1, 64>>>(x);", None),
        ("// scale<<<1, 32>>>(x);", None),
    ],
)
def test_the_line_of_a_launch(source: str, line: int | None) -> None:
    (found,) = with_host_lines([LAUNCHED], source)
    assert found.line == line


REFUSED = "kernel scale<float> was launched with 2048 threads per block (2048,1,1); the limit is 1024."
ONE, TWO_LAUNCHES = "int a;\nscale<float><<<1, 2048>>>(x);", "scale<<<1, 2>>>(x);\nscale<<<1, 2048>>>(x);"


@pytest.mark.parametrize(
    ("message", "source", "line"),
    [
        (REFUSED, ONE, 2),
        (REFUSED, TWO_LAUNCHES, None),
        ("cooperative " + REFUSED, ONE, 2),
        ("kernel scale<<<(1,1,1), (1024,1,1)>>> was refused: too many resources.", ONE, 2),
        ("kernel scale<<<(1,1,1), (2,1,1), 64>>> failed: unknown error (cudaErrorUnknown)", ONE, 2),
        ("kernel other was launched with 2048 threads.", ONE, None),
        ("cudaMemcpy2D: the width exceeds a pitch", "int a;\ncudaMemcpy2D(y, 1, x, 1, 4, 1, way);", 2),
        ("cudaMemcpy2D: the width exceeds a pitch", "cudaMemcpy2D(y);\ncudaMemcpy2D(x);", None),
        ("solve() ended with cudaErrorInvalidValue, which it did not check: invalid argument.", ONE, None),
    ],
)
def test_the_line_of_a_refused_launch_or_call(message: str, source: str, line: int | None) -> None:
    (found,) = with_host_lines([Diagnostic(Severity.ERROR, DiagnosticKind.CUDA_ERROR, message)], source)
    assert found.line == line


LATE = "time limit of 5000 ms exceeded"
IN_KERNEL, IN_HOST = (
    LATE + ", in kernel k, block (0,0,0), thread (0,0,0).",
    LATE + " in host code, outside it.",
)
ON_GPU = LATE + "; the last launch was kernel k<<<(1,1,1), (1,1,1)>>>."
LOOPING = "__global__ void k() {\n  for (int i = 0; i < 3; i++) f();\n  while (true) {}\n}\n"
PLAIN = "__global__ void k() {\n  for (int i = 0; i < 3; i -= 1) f();\n}\n"
FOREVER, COUNTED = "void solve() {\n  for (;;) f();\n}", "void solve() {\n  while (n < 1) f();\n}"


@pytest.mark.parametrize(
    ("message", "source", "line"),
    [
        (IN_KERNEL, LOOPING + FOREVER, 3),
        (IN_KERNEL, PLAIN + FOREVER, 2),
        (IN_KERNEL, LOOPING * 2, None),
        (IN_KERNEL, FOREVER, None),
        (IN_HOST, LOOPING + FOREVER, 6),
        (IN_HOST, LOOPING + COUNTED, 6),
        (IN_HOST, COUNTED * 2, None),
        (IN_HOST, LOOPING, None),
        (ON_GPU, LOOPING + COUNTED, 3),
        (ON_GPU, LOOPING + FOREVER, None),
        (ON_GPU, COUNTED, None),
        ("The limit of 5 s for one case was reached.", FOREVER, None),
    ],
)
def test_the_line_of_an_endless_loop(message: str, source: str, line: int | None) -> None:
    (found,) = with_host_lines([Diagnostic(Severity.ERROR, DiagnosticKind.TIME_LIMIT, message)], source)
    assert found.line == line


PIECES = [
    "y[",
    "y[0]=",
    "*y",
    "=*y",
    "__device__ ",
    "__device__ {",
    "{",
    "}",
    "cudaMalloc(&y",
    "scale<",
    "scale <<<",
    "while (",
    "for (",
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    "head", ["", "void solve(const float* x, float* y) {"], ids=["at the top", "in solve"]
)
def test_the_time_for_a_source_grows_with_its_length(head: str, piece: str) -> None:
    found = [
        Diagnostic(Severity.ERROR, DiagnosticKind.HOST_ACCESS, WROTE),
        Diagnostic(Severity.ERROR, DiagnosticKind.HOST_ACCESS, READ_OWN),
        Diagnostic(Severity.NOTE, DiagnosticKind.LEAK, MEMORY),
        LAUNCHED,
        Diagnostic(Severity.ERROR, DiagnosticKind.CUDA_ERROR, REFUSED),
        Diagnostic(Severity.ERROR, DiagnosticKind.TIME_LIMIT, IN_HOST),
    ]
    assert_linear(lambda text: with_host_lines(found, text, ["in", "out"]), piece, length=4000, head=head)


BYTES = "stream hazard on element 0 of argument out: "
HOST = BYTES + "host code reads it while %s in stream 1 may still write it. Synchronise the stream first."
TWO = (
    BYTES + "%s in stream 1 writes it, %s in stream 2 writes it, and nothing orders the two. Record an event."
)
COPY, BACK = "cudaMemcpyAsync (device to device)", "cudaMemcpyAsync (device to host)"
COPIES = (
    "cudaMemcpyAsync(y, x, 4, cudaMemcpyDeviceToDevice, s);\n"
    "cudaMemcpyAsync(h, y, 4, cudaMemcpyDeviceToHost, s);\n"
    "cudaMemsetAsync(z, 0, 4, t);\n"
    "add<<<1, 2, 0, s>>>(y);\n"
)
HAZARDS = {
    "the host and a copy": (HOST % BACK, COPIES, 2),
    "the host and a kernel": (HOST % "kernel add", COPIES, 4),
    "the host and a kernel of the default stream": (
        (HOST % "kernel add").replace("in stream 1", "in the default stream"),
        COPIES,
        4,
    ),
    "two copies": (TWO % (COPY, BACK), COPIES, 2),
    "a copy and a set": (TWO % (BACK, "cudaMemsetAsync"), COPIES, 3),
    "the second is ambiguous": (TWO % (BACK, "cudaMemsetAsync"), COPIES + "cudaMemsetAsync(q, 0, 4, t);", 2),
    "the array decides": (
        TWO % (COPY, "cudaMemsetAsync"),
        "void solve(int* y) {\ncudaMemsetAsync(q, 0, 4, t);\ncudaMemsetAsync(y, 0, 4, t);\n}",
        3,
    ),
    "both are ambiguous": (TWO % (BACK, BACK), COPIES * 2, None),
    "a direction by default": (HOST % BACK, "cudaMemcpyAsync(h, y, 4, cudaMemcpyDefault, s);", 1),
    "not in the text": (HOST % "cudaFreeAsync", COPIES, None),
}


@pytest.mark.parametrize("name", HAZARDS)
def test_the_line_of_a_stream_hazard(name: str) -> None:
    message, source, line = HAZARDS[name]
    warning = Diagnostic(Severity.WARNING, DiagnosticKind.STREAM_HAZARD, message)
    (found,) = with_host_lines([warning], source, ["out"])
    assert found.line == line


PAGED = "cudaMemcpyAsync (%s) copies 4096 bytes of pageable memory in 2 calls."
WAITED = "cudaDeviceSynchronize made the host wait 3 times between two kernels of one stream."


@pytest.mark.parametrize(
    ("kind", "message", "source", "line"),
    [
        (DiagnosticKind.PAGEABLE_COPY, PAGED % "device to host", COPIES, 2),
        (DiagnosticKind.PAGEABLE_COPY, PAGED % "host to device", COPIES, None),
        (DiagnosticKind.PAGEABLE_COPY, PAGED % "device to host", COPIES * 2, None),
        (DiagnosticKind.NEEDLESS_WAIT, WAITED, "f<<<1, 2>>>(x);\ncudaDeviceSynchronize();\n", 2),
        (DiagnosticKind.NEEDLESS_WAIT, WAITED, "cudaDeviceSynchronize();\ncudaDeviceSynchronize();\n", None),
        (DiagnosticKind.NEEDLESS_WAIT, WAITED, "cudaStreamSynchronize(0);\n", None),
    ],
)
def test_the_line_of_a_pageable_copy_and_of_a_needless_wait(
    kind: DiagnosticKind, message: str, source: str, line: int | None
) -> None:
    (found,) = with_host_lines([Diagnostic(Severity.NOTE, kind, message)], source)
    assert found.line == line
