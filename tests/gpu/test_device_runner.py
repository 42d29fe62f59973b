"""The runner of compiled CUDA on a GPU, as a plain process."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from judge.evidence.sanitizer import findings as sanitizer_findings
from sandbox.gpu.compile.recipe import WRAPPED
from sandbox.gpu.runners import build_device_runner, cuda_runner_command, watched_runner_command
from sandbox.gpu.tool import Tool
from sandbox.runner import vmm
from sandbox.spec import Limits
from sandbox.toolchain import ToolchainMissing, Toolkit, find_toolkit
from sandbox.wire import ExitStatus, PageOrder, RunFlag
from testing.services import need
from tests.gpu.bare import opened_device, talk_to
from tests.integration.functional.test_host_memory import PROGRAMS
from tests.integration.functional.test_host_memory import SOURCE as ON_HOST
from tests.integration.sandbox.talk import Argument, Talk, wait_until

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
FINISH = ROOT / "sandbox" / "gpu" / "compile" / "finish.cpp"
LIMITS = Limits(wall_s=120, cpu_s=120, memory_mib=4096)
ADD, OUT_OF_BOUNDS, MISALIGNED, ASSERT, TRAP, HANG, BIG_BLOCK = range(7)
MUCH_SHARED, THROW, HOST_READ, MUCH_MEMORY, PRINT, ONE_PAST = range(7, 13)
SOURCE = """\
#include <cassert>
#include <cstdio>
#include <stdexcept>
__global__ void add(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += a[i];
}
__global__ void out_of_bounds(float* c) { c[(1ll << 40) + threadIdx.x] = 1; }
__global__ void misaligned(float* c) { *reinterpret_cast<float4*>(c + 1) = float4{1, 2, 3, 4}; }
__global__ void fails(int n) { assert(n < 0); }
__global__ void trap() { __trap(); }
__global__ void hang(volatile float* c) { while (c[0] != 12345) {} }
__global__ void shared(float* c) { extern __shared__ float s[]; s[threadIdx.x] = 1; c[0] = s[0]; }
__global__ void print(int n) { if (threadIdx.x == 0) printf("device says %d\\n", n); }
void solve(const float* a, float* c, int n, int what) {
  switch (what) {
    case 0: add<<<(n + 255) / 256, 256>>>(a, c, n); break;
    case 1: out_of_bounds<<<1, 32>>>(c); break;
    case 2: misaligned<<<1, 1>>>(c); break;
    case 3: fails<<<2, 32>>>(n); break;
    case 4: trap<<<1, 1>>>(); break;
    case 5: hang<<<1, 1>>>(c); break;
    case 6: add<<<1, 2048>>>(a, c, n); break;
    case 7: shared<<<1, 32, 100000>>>(c); break;
    case 8: throw std::runtime_error("oh no");
    case 9: c[0] = a[0]; break;
    case 10: { void* p; cudaMalloc(&p, 1ull << 50); break; }
    case 11: print<<<1, 32>>>(n); break;
    case 12: add<<<(n + 256) / 256, 256>>>(a, c, n + 1); break;
  }
}
"""
SCALARS_AND_TYPES = """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T> __global__ void bump(T* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = x[i] + T(1);
}
__global__ void flip(bool* x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = !x[i]; }
"""
# Bytes as NumPy has them, and the C type.
DTYPES = {
    "float64": "double",
    "float32": "float",
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "int64": "long long",
    "int32": "int",
    "int8": "signed char",
    "uint32": "unsigned",
    "uint8": "unsigned char",
    "bool": "bool",
}
Load = Callable[..., Talk]


@pytest.fixture(scope="module")
def device() -> Iterator[vmm.Device]:
    with opened_device() as opened:
        yield opened


@pytest.fixture(scope="module")
def toolkit() -> Toolkit:
    try:
        return find_toolkit()
    except ToolchainMissing as error:
        need(False, "nvcc", str(error))
        raise


@pytest.fixture(scope="module")
def build(toolkit: Toolkit, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """Compiles a source with a binding to an artifact, with what every artifact is linked with."""

    def build_one(source: str, names: list[str], call: str) -> bytes:
        folder = tmp_path_factory.mktemp("artifact")
        listed = "".join(f'"{name}", ' for name in names)
        (folder / "binding.cu").write_text(
            f'{source}\nextern "C" {{\nextern const char* const warpcourt_argument_names[];\n'
            f"const char* const warpcourt_argument_names[] = {{{listed}nullptr}};\n"
            f"void warpcourt_call(void* const* a) {{ {call} }}\n}}\n"
        )
        flags = ["-std=c++17", "-O3", "-arch=native", "-lineinfo", "-shared", "-Xcompiler", "-fPIC"]
        wraps = [word for name in WRAPPED for word in ("-Xlinker", f"--wrap={name}")]
        argv = [str(toolkit.nvcc), *flags, *wraps, "binding.cu", str(FINISH), "-o", "artifact.so"]
        subprocess.run(argv, cwd=folder, check=True)
        return (folder / "artifact.so").read_bytes()

    return build_one


@pytest.fixture(scope="module")
def artifact(build: Callable[..., bytes]) -> bytes:
    call = "solve((const float*)a[0], (float*)a[1], *(const int*)a[2], *(const int*)a[3]);"
    return build(SOURCE, ["a", "c", "n", "what"], call)


@pytest.fixture
def start(device: vmm.Device, toolkit: Toolkit, tmp_path: Path) -> Iterator[Callable[[], Talk]]:
    started: list[Talk] = []

    def begin() -> Talk:
        runner = build_device_runner(ROOT / ".cache" / "tests", toolkit)
        command = cuda_runner_command(runner, limits=LIMITS, gpu=None)
        started.append(talk_to(command, tmp_path, device))
        return started[-1]

    yield begin
    for talk in started:
        talk.close()


@pytest.fixture
def talk(start: Callable[[], Talk], artifact: bytes) -> Talk:
    runner = start()
    assert runner.prepare(), runner.end().stdout
    assert runner.load_files(artifact), runner.findings()
    return runner


def arguments(what: int, n: int = 1000) -> list[Argument]:
    return [np.arange(n, dtype=np.float32), np.ones(n, np.float32), ("int32", n), ("int32", what)]


def test_computes_on_shared_device_memory(talk: Talk) -> None:
    for n in (1000, 1, 1 << 20):
        given = arguments(ADD, n)
        assert talk.run(given), talk.findings()
        np.testing.assert_array_equal(given[1], 1 + np.arange(n, dtype=np.float32))
    launches = [finding["message"] for finding in talk.findings()]
    assert launches == [f"add<<<({blocks},1,1), (256,1,1)>>>" for blocks in (4, 1, 4096)]


def test_every_dtype_arrives(start: Callable[[], Talk], build: Callable[..., bytes]) -> None:
    n = 77
    calls = [
        f"flip<<<1, 32>>>((bool*)a[{i}], {n});"
        if dtype == "bool"
        else f"bump<<<1, 32>>>(({kind}*)a[{i}], {n});"
        for i, (dtype, kind) in enumerate(DTYPES.items())
    ]
    artifact = build(SCALARS_AND_TYPES, list(DTYPES), " ".join(calls))
    talk = start()
    assert talk.prepare()
    assert talk.load_files(artifact), talk.findings()
    given = [
        np.full(n, 0x4000, np.uint16) if dtype == "bfloat16" else np.full(n, dtype != "bool").astype(dtype)
        for dtype in DTYPES
    ]
    assert talk.run(given, dtypes={list(DTYPES).index("bfloat16"): "bfloat16"}), talk.findings()
    for dtype, array in zip(DTYPES, given, strict=True):
        expected = {"bfloat16": 0x4040, "bool": True}.get(dtype, 2)  # 3 in bfloat16
        np.testing.assert_array_equal(array, np.full(n, expected, array.dtype), err_msg=dtype)


def test_copies_of_exact_size_come_back(talk: Talk) -> None:
    given = arguments(ADD)
    assert talk.run(given, flags=RunFlag.SANITIZE), talk.findings()
    np.testing.assert_array_equal(given[1], 1 + np.arange(1000))


@pytest.mark.parametrize(
    ("what", "status", "kind", "words"),
    [
        (OUT_OF_BOUNDS, ExitStatus.ILLEGAL_ACCESS, "illegal_address", "out_of_bounds<<<(1,1,1), (32,1,1)>>>"),
        (MISALIGNED, ExitStatus.ILLEGAL_ACCESS, "misaligned", "float4 of 16"),
        (
            ASSERT,
            ExitStatus.RUNTIME_ERROR,
            "assert",
            "kernel fails<<<(2,1,1), (32,1,1)>>> failed an assert()",
        ),
        (TRAP, ExitStatus.RUNTIME_ERROR, "trap", "kernel trap<<<"),
        (HANG, ExitStatus.TIME_LIMIT, "time_limit", "the last launch was kernel hang<<<(1,1,1), (1,1,1)>>>"),
        (
            BIG_BLOCK,
            ExitStatus.RUNTIME_ERROR,
            "cuda_error",
            "2048 threads per block (2048,1,1); the limit is 1024",
        ),
        (MUCH_SHARED, ExitStatus.RUNTIME_ERROR, "cuda_error", "above 49152 it needs cudaFuncSetAttribute"),
        (THROW, ExitStatus.RUNTIME_ERROR, "exception", "an exception: oh no"),
        (HOST_READ, ExitStatus.ILLEGAL_ACCESS, "host_access", "host code read device memory (argument a)"),
        (MUCH_MEMORY, ExitStatus.MEMORY_LIMIT, "memory", "requested more device memory than the limit"),
    ],
)
def test_what_goes_wrong(talk: Talk, what: int, status: int, kind: str, words: str) -> None:
    assert not talk.run(arguments(what), time_limit_ms=1500)
    end = talk.end()
    finding = talk.findings()[-1]
    assert finding["kind"] == kind, finding
    assert words in finding["message"], finding
    assert end.status == status
    if what == ASSERT:
        assert b"Assertion `n < 0` failed" in end.stdout  # with stderr


def test_the_sanitizer_names_line_and_thread(
    device: vmm.Device, toolkit: Toolkit, artifact: bytes, tmp_path: Path
) -> None:
    sanitizer = shutil.which("compute-sanitizer") or str(toolkit.nvcc.parent / "compute-sanitizer")
    if not Path(sanitizer).exists():
        pytest.skip("no compute-sanitizer")
    runner = build_device_runner(ROOT / ".cache" / "tests", toolkit)
    command = watched_runner_command(runner, sanitizer, tool=Tool.MEMCHECK, limits=LIMITS, gpu=None)
    with talk_to(command, tmp_path, device) as talk:
        assert talk.prepare(), talk.end().stdout
        assert talk.load_files(artifact), talk.findings()
        assert not talk.run(arguments(ONE_PAST, 255), flags=RunFlag.SANITIZE, time_limit_ms=60_000)
        said = talk.end().stdout.decode()
    found = sanitizer_findings(said.encode())
    line = 1 + SOURCE[: SOURCE.index("if (i < n) c[i] += a[i]")].count("\n")
    assert any(
        finding.kind == "out_of_bounds" and finding.thread == (255, 0, 0) and finding.line == line
        for finding in found
    ), said


def test_what_the_device_prints_is_there_with_the_answer(talk: Talk) -> None:
    assert talk.run(arguments(PRINT, 42))
    talk.process.kill()
    assert b"device says 42\n" in talk.end().stdout


@pytest.mark.parametrize("kind", [PageOrder.CALLED, PageOrder.QUEUED])
def test_a_timed_session(talk: Talk, kind: PageOrder, capsys: pytest.CaptureFixture[str]) -> None:
    n = 1 << 24
    sets = [arguments(ADD, n) for _ in range(4)]
    session = talk.start_session(*sets, flags=True)
    for number in (2, 0, 1, 2, 3, 2):
        session.order(number, kind)
        assert session.done_flag == session.number
    session.read_back()
    assert [int(given[1][1]) - 1 for given in sets] == [1, 1, 3, 1]
    took_us = min(session.order(number % 4, kind) for number in range(50)) * 1e6
    assert talk.end_session(session)
    with capsys.disabled():
        sys.stdout.write(f"\nCUDA {took_us:.2f} us a call, {kind.name.lower()}\n")


def test_a_queued_call_waits_on_the_device(talk: Talk) -> None:
    given = arguments(ADD)
    session = talk.start_session(given, flags=True)
    session.order(0, PageOrder.QUEUED)
    session.give(0, PageOrder.QUEUED)
    wait_until(lambda: session.queued)
    time.sleep(0.1)
    assert (session.done, session.done_flag) == (False, 1)
    session.open()
    wait_until(lambda: session.done)
    assert session.done_flag == 2
    session.read_back()
    assert int(given[1][1]) - 1 == 2
    assert talk.end_session(session)
    assert talk.run(arguments(ADD))


@pytest.mark.parametrize(
    ("what", "status"),
    [(OUT_OF_BOUNDS, ExitStatus.ILLEGAL_ACCESS), (BIG_BLOCK, ExitStatus.RUNTIME_ERROR)],
)
def test_what_goes_wrong_in_a_timed_call_ends_the_process(talk: Talk, what: int, status: int) -> None:
    session = talk.start_session(arguments(what), flags=True)
    with pytest.raises(AssertionError, match="not carried out"):
        session.order(0, timeout_s=5)
    assert talk.end().status == status


def test_a_session_before_loading_is_refused(start: Callable[[], Talk]) -> None:
    talk = start()
    assert talk.prepare()
    session = talk.start_session(arguments(ADD), flags=True)
    assert talk.end().status not in (0, *ExitStatus)
    session.close()


@pytest.fixture(scope="module")
def on_host(build: Callable[..., bytes]) -> bytes:
    """Programs that get their arrays in host memory, the same ones as in functional mode."""
    call = "solve((const float*)a[0], (float*)a[1], *(const int*)a[2], *(const int*)a[3]);"
    return build(ON_HOST, ["x", "y", "n", "which"], call)


@pytest.mark.parametrize(
    ("program", "memory"),
    [
        ("copies", "host"),
        ("copies", "pinned"),
        ("on_host", "host"),
        ("on_host", "pinned"),
        ("direct", "pinned"),
        ("registers", "host"),
        ("leaves_registered", "host"),
    ],
)
def test_programs_use_arrays_in_host_memory(
    start: Callable[[], Talk], on_host: bytes, program: str, memory: str
) -> None:
    talk = start()
    assert talk.prepare()
    assert talk.load_files(on_host), talk.findings()
    for n in (1000, 1, 1 << 20):  # every call maps its arrays at other addresses
        given = arguments(PROGRAMS.index(program), n)
        assert talk.run(given, memory=memory), talk.findings()
        np.testing.assert_array_equal(given[1], 2 * np.arange(n, dtype=np.float32))


@pytest.mark.parametrize("memory", ["host", "pinned"])
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("reads_past", "host code read out of bounds: element 6000 of 1000 of argument x"),
        ("writes_before", "host code wrote out of bounds: element -1 of 1000 of argument y"),
    ],
)
def test_a_host_access_that_leaves_an_array_is_found(
    start: Callable[[], Talk], on_host: bytes, program: str, memory: str, words: str
) -> None:
    talk = start()
    assert talk.prepare()
    assert talk.load_files(on_host)
    assert not talk.run(arguments(PROGRAMS.index(program)), memory=memory)
    assert talk.end().status == ExitStatus.ILLEGAL_ACCESS
    assert words in talk.findings()[-1]["message"]


def test_a_program_is_told_what_its_pointers_are(start: Callable[[], Talk], on_host: bytes) -> None:
    talk = start()
    assert talk.prepare()
    assert talk.load_files(on_host)
    for memory in ("host", "pinned"):
        assert talk.run(arguments(PROGRAMS.index("says_kinds")), memory=memory)
    talk.quit()
    said = talk.end().stdout.decode()
    assert "pinned, mapped; pinned, mapped" in said
    assert said.startswith("pageable")
