"""Sources that attack the compiler: each ends in bounded time and shows nothing of the host."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.compiled import COMPILE_LIMITS, Compiled, CompileOutcome
from sandbox.cpu.build import build_runtime
from sandbox.gpu.compile.compilation import Compilation
from sandbox.gpu.compile.compiler import on_host, open_compiler
from sandbox.pool import Pool, PoolSpec
from sandbox.spec import Limits, Termination
from sandbox.toolchain import ToolchainMissing, Toolkit, find_toolkit
from testing.services import need
from tests.compiling import compile_cuda
from tests.integration.conftest import CACHE

pytestmark = pytest.mark.integration

LIMITS = replace(COMPILE_LIMITS, wall_s=20, cpu_s=20, memory_mib=1024)
BOMB_LIMITS = replace(LIMITS, wall_s=4, cpu_s=4)  # some bombs take all that they get
SOLVE = 'extern "C" void solve(int n) {}\n'
BINDING = b"""#include "solution.cu"
extern "C" {
extern const char* const warpcourt_argument_names[];
const char* const warpcourt_argument_names[] = {"n", nullptr};
void warpcourt_call(void* const* arguments) { solve(*static_cast<const int*>(arguments[0])); }
}
"""


Compile = Callable[[bytes, Limits], Compiled]


@pytest.fixture(scope="module")
def toolkit() -> Toolkit:
    try:
        return find_toolkit()
    except ToolchainMissing as error:
        need(False, "nvcc", str(error))
        raise


@pytest.fixture(scope="module")
def backend() -> Bubblewrap:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    found = Bubblewrap()
    try:
        found.verify()
    except IsolationUnavailable as error:
        need(False, "isolation", str(error))
    return found


def functional_stage(toolkit: Toolkit, backend: Bubblewrap) -> Compile:
    runtime = build_runtime(CACHE, toolkit)

    def compile_for_cpu(source: bytes, limits: Limits) -> Compiled:
        return compile_cuda(source, BINDING, runtime=runtime, backend=backend, limits=limits)

    return compile_for_cpu


def gpu_stage(toolkit: Toolkit, backend: Bubblewrap) -> Compile:
    compiler = open_compiler(backend, on_host(toolkit), cache=CACHE, architectures=["90a"])
    pool = Pool(backend, {"compile": PoolSpec(compiler.command(), 0)})

    def compile_for_gpu(source: bytes, limits: Limits) -> Compiled:
        compilation = Compilation(pool.take("compile", limits), source, BINDING, compiler.recipe())
        try:
            return compilation.result()
        finally:
            compilation.close()

    return compile_for_gpu


@pytest.fixture(scope="module", params=[functional_stage, gpu_stage], ids=["functional", "gpu"])
def stage(request: pytest.FixtureRequest, toolkit: Toolkit, backend: Bubblewrap) -> Compile:
    """Both stages that compile CUDA take every attack."""
    return request.param(toolkit, backend)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.h"
    path.write_text("#define TOKEN do_not_leak\n")
    return path


def compiled(source: str, stage: Compile, limits: Limits = LIMITS) -> Compiled:
    result = stage(source.encode(), limits)
    assert len(result.log) <= 2 * (limits.output_kib << 10) + 1000
    assert result.wall_s < limits.wall_s + 5
    return result


def test_an_honest_source_compiles(stage: Compile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with options for nvcc in the worker's environment, which must not reach it."""
    for name in ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH", "GCC_EXEC_PREFIX"):
        monkeypatch.setenv(name, "--no-such-option")
    result = compiled(SOLVE, stage)
    assert result.outcome is CompileOutcome.BUILT, result.log
    assert result.artifact is not None
    assert result.artifact.startswith(b"\x7fELF")


@pytest.mark.parametrize("path", ["/etc/shadow", "/proc/1/environ", "/root/.bashrc", "{secret}"])
def test_host_files_cannot_be_included(path: str, secret: Path, stage: Compile) -> None:
    result = compiled(f'#include "{path.format(secret=secret)}"\n{SOLVE}', stage)
    assert result.outcome is CompileOutcome.REJECTED
    assert "No such file" in result.log or "Permission denied" in result.log
    assert "do_not_leak" not in result.log


def test_the_password_file_is_not_the_hosts(stage: Compile) -> None:
    result = compiled(f'#include "/etc/passwd"\n{SOLVE}', stage)
    assert result.outcome is CompileOutcome.REJECTED
    assert "root:" not in result.log


def test_host_files_cannot_be_embedded(secret: Path, stage: Compile) -> None:
    line = f'.section .rodata\\n.incbin \\"{secret}\\"\\n.text'
    result = compiled(f'asm("{line}");\n{SOLVE}', stage)
    assert result.outcome is CompileOutcome.REJECTED
    assert result.artifact is None


def test_presence_of_host_files_is_not_told(secret: Path, stage: Compile) -> None:
    question = f'#if __has_include("{secret}") || __has_include("{__file__}")\n#error "FOUND"\n#endif\n'
    result = compiled(question + SOLVE, stage)
    assert result.outcome is CompileOutcome.BUILT, result.log


@pytest.mark.parametrize("kib", [14_000, 14_200])
def test_a_program_that_fills_the_disk_is_at_fault(kib: int, stage: Compile) -> None:
    """Whichever step finds no space: those that compile what we have generated, too."""
    kernel = "".join(f"p[{i}] = p[{i + 1}] * {i}.5f; " for i in range(300))
    source = f"""
        asm(".section .x,\\"a\\"\\n.fill {kib << 10},1,1\\n.text");
        __global__ void k(float* p) {{ {kernel} }}
        {SOLVE}
    """
    result = compiled(source, stage, replace(LIMITS, tmpfs_mib=16))
    assert result.outcome in {CompileOutcome.REJECTED, CompileOutcome.BUILT}, result.log


BOMBS = {
    "zero": '#include "/dev/zero"',
    "recursion": '#include "solution.cu"',
    "template": """
        template <int N> struct T { T<N - 1> a; T<N - 2> b; };
        template <> struct T<0> {};
        template <> struct T<-1> {};
        T<100000> t;
    """,
    "diagnostics": """
        template <class A, class B> struct P {};
        template <int N> struct D { using type = P<typename D<N - 1>::type, typename D<N - 1>::type>; };
        template <> struct D<0> { using type = int; };
        template <class T> void f() { T::missing(); }
        void g() { f<D<28>::type>(); }
    """,
    "constexpr": """
        constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
        constexpr long x = spin(1L << 60);
    """,
    "initialised": "__device__ char big[1u << 30] = {1};",
    "macro": "".join(f"#define M{n} {' '.join([f'M{n - 1}'] * 10)}\n" for n in range(1, 9)) + "int y = M8;",
}


@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/2"])
def test_a_compiler_that_waits_for_a_pipe_is_not_taken_for_a_busy_host(path: str, stage: Compile) -> None:
    """If only the wall-clock limit ended it, this would count as our failure, and the job be retried."""
    result = compiled(f'#include "{path}"\n{SOLVE}', stage, replace(LIMITS, idle_s=2))
    assert result.artifact is None
    assert result.outcome is CompileOutcome.REJECTED or result.ending is Termination.IDLE, result.log


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end(name: str, stage: Compile) -> None:
    result = compiled(f"{BOMBS[name]}\n{SOLVE}", stage, BOMB_LIMITS)
    assert result.outcome in {CompileOutcome.REJECTED, CompileOutcome.EXCEEDED}, result.log[-2000:]
    assert result.artifact is None
    assert result.log
