"""Tests compiling for GPUs with the real nvcc in real sandboxes. tests/gpu runs the results on a GPU."""

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.evidence.kernels import parse_kernels
from problems.binding import binding_cuda
from problems.loader import load_problem, problems_root
from sandbox.backend import Backend
from sandbox.compiled import COMPILE_LIMITS, CompileOutcome
from sandbox.gpu.compile import prepare
from sandbox.gpu.compile.compilation import Compilation, CompilationCancelled, GpuCompiled
from sandbox.gpu.compile.compiler import Compiler, architecture, on_host, open_compiler
from sandbox.gpu.compile.recipe import WRAPPED
from sandbox.gpu.compile.server import MAX_LISTING_BYTES
from sandbox.pool import Pool, PoolSpec
from sandbox.spec import Limits, Termination
from sandbox.toolchain import ToolchainMissing, find_toolkit
from testing.services import need
from tests.integration.conftest import CACHE

pytestmark = pytest.mark.integration

ROOT = problems_root() / "vector-add"
PLAIN = (ROOT / "solutions" / "plain.cu").read_bytes()
SOLVE = 'extern "C" void solve(const float* a, const float* b, float* c, int n)'
Compile = Callable[..., GpuCompiled]


@pytest.fixture(scope="module")
def compiler(backend: Backend) -> Compiler:
    try:
        return open_compiler(backend, on_host(find_toolkit()), cache=CACHE, architectures=["90a"])
    except ToolchainMissing as error:
        need(False, "nvcc", str(error))
        raise


@pytest.fixture(scope="module")
def binding() -> bytes:
    return binding_cuda(load_problem(ROOT)).encode()


@pytest.fixture(scope="module")
def pool(compiler: Compiler) -> Iterator[Pool]:
    pool = Pool(compiler.backend, {"compile": PoolSpec(compiler.command(), 0)})
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def begin(pool: Pool, compiler: Compiler, binding: bytes) -> Callable[..., Compilation]:
    def begin(
        source: bytes | str,
        *,
        limits: Limits = COMPILE_LIMITS,
        flags: tuple[str, ...] = (),
        device_launches: bool = False,
    ) -> Compilation:
        text = source.encode() if isinstance(source, str) else source
        recipe = compiler.recipe(flags, device_launches=device_launches)
        return Compilation(pool.take("compile", limits), text, binding, recipe)

    return begin


@pytest.fixture(scope="module")
def compiled(begin: Callable[..., Compilation]) -> Compile:
    def compile_one(source: bytes | str, **options: object) -> GpuCompiled:
        compilation = begin(source, **options)
        try:
            return compilation.result()
        finally:
            compilation.close()

    return compile_one


def exports(artifact: bytes, folder: Path) -> set[str]:
    path = folder / "solution.so"
    path.write_bytes(artifact)
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in listed.stdout.splitlines()}


def test_an_artifact_exports_what_the_runner_calls_and_none_of_the_runtime(
    compiled: Compile, tmp_path: Path
) -> None:
    result = compiled(PLAIN)
    assert result.outcome is CompileOutcome.BUILT, result.log
    assert result.log == ""
    exported = exports(result.artifact, tmp_path)
    assert {
        "warpcourt_call",
        "warpcourt_argument_names",
        "warpcourt_finish",
        "warpcourt_last_launch",
    } <= exported
    assert not {name for name in exported if name.startswith(("cuda", "cu"))}


def test_launches_go_through_the_record(compiled: Compile, tmp_path: Path) -> None:
    """Every way to launch: what nvcc makes of <<<>>>, the API by name, cooperative, with attributes."""
    result = compiled(f"""
        #include <cuda_runtime.h>
        __global__ void fill(float* c, int n) {{ if (threadIdx.x < n) c[threadIdx.x] = 1; }}
        {SOLVE} {{
          void* arguments[] = {{&c, &n}};
          fill<<<1, 32>>>(c, n);
          cudaLaunchKernel((const void*)fill, dim3(1), dim3(32), arguments, 0, 0);
          cudaLaunchCooperativeKernel((const void*)fill, dim3(1), dim3(32), arguments, 0, 0);
          cudaLaunchConfig_t config = {{}};
          config.gridDim = config.blockDim = dim3(1);
          cudaLaunchKernelEx(&config, fill, c, n);
        }}""")
    assert result.outcome is CompileOutcome.BUILT, result.log
    (tmp_path / "solution.so").write_bytes(result.artifact)
    code = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", tmp_path / "solution.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    solve = code.partition("<solve>:")[2].partition("\n\n")[0]
    calls = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}
    assert not [line for line in solve.splitlines() if any(f"<{name}>" in line for name in calls)]
    for name in (*calls, "cudaLaunchKernelExC", "__cudaLaunchKernel"):
        assert f"<__wrap_{name}>" in code


def test_what_is_recorded_of_launches(tmp_path: Path) -> None:
    """The object that every artifact is linked with, on a runtime that launches nothing."""
    toolkit = find_toolkit()
    fake = Path(__file__).with_name("fake_runtime.cpp")
    objects: list[Path] = []
    for source, *define in [(Path(prepare.__file__).with_name("finish.cpp"),), (fake, "-DRUNTIME"), (fake,)]:
        objects.append(tmp_path / f"{len(objects)}.o")
        flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{toolkit.include}", *define]
        subprocess.run([toolkit.cxx, *flags, "-c", source, "-o", objects[-1]], check=True)
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
    subprocess.run([toolkit.cxx, *objects, *wraps, "-o", tmp_path / "fake"], check=True)
    said = subprocess.run([tmp_path / "fake"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == [
        "0 0 - 0 -<<<(0,0,0), (0,0,0), 0>>>",
        "0 700 cudaErrorOfTest 0 -<<<(1,1,1), (1,1,1), 0>>>",
        "0 700 cudaErrorOfTest 1 _Z3addPf<<<(4,2,1), (256,1,1), 1024>>>",
        "0 700 cudaErrorOfTest 2 -<<<(7,1,1), (8,8,8), 0>>>",
        "9 0 cudaErrorOfTest 4 _Z3addPf<<<(1,1,1), (4096,1,1), 0>>>",
        "0 0 - 0 -<<<(0,0,0), (0,0,0), 0>>>",
        "_Z3addPf 5 9 77",
    ]


def test_resources_and_listings(begin: Callable[..., Compilation]) -> None:
    compilation = begin(f"""
        #include <cuda_runtime.h>
        template <int N> __global__ void __launch_bounds__(1024, 2) spills(const float* a, float* c, int n) {{
          __shared__ float tile[1024];
          float x[N];
          for (int i = 0; i < N; ++i) x[i] = a[threadIdx.x * N + i];
          tile[threadIdx.x] = x[0];
          __syncthreads();
          for (int k = 0; k < n; ++k)
            for (int i = 0; i < N; ++i) x[i] = x[i] * x[(i * 7 + 3) % N] + tile[(k + i) & 1023];
          for (int i = 0; i < N; ++i) c[threadIdx.x * N + i] = x[i];
        }}
        __global__ void light(float* c) {{ c[threadIdx.x] = 1; }}
        {SOLVE} {{ spills<64><<<1, 1024>>>(a, c, n); light<<<1, 32>>>(c); }}""")
    try:
        result = compilation.result()
        listings = compilation.listings(60)
    finally:
        compilation.close()
    kernels = {kernel.name: kernel for kernel in parse_kernels(result.resources)}
    assert set(kernels) == {"spills<64>", "light"}
    spills, light = kernels["spills<64>"], kernels["light"]
    assert spills.spill_store_bytes > 0 < spills.spill_load_bytes
    assert spills.registers == 32
    assert spills.shared_bytes == 4096
    assert spills.stack_bytes > 0
    assert light.spill_store_bytes == light.stack_bytes == light.shared_bytes == 0
    assert 0 < light.registers < 32
    assert ".target sm_90a" in listings["ptx"]
    assert "/work" not in listings["ptx"]
    if "sass" in listings:  # needs nvdisasm
        assert "solution.cu" in listings["sass"]
        assert light.constant_bytes > 0


LAUNCHES = f"""
    #include <cuda_runtime.h>
    __device__ int counted;
    __global__ void add(const float* a, const float* b, float* c, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) c[i] = a[i] + b[i];
      counted = n;
    }}
    __global__ void parent(const float* a, const float* b, float* c, int n) {{
      add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    }}
    {SOLVE} {{ parent<<<1, 1>>>(a, b, c, n); }}"""


def test_kernels_that_launch_kernels_are_linked_with_the_device_runtime(
    begin: Callable[..., Compilation], tmp_path: Path
) -> None:
    compilation = begin(LAUNCHES, device_launches=True)
    try:
        result = compilation.result()
        listings = compilation.listings(60)
    finally:
        compilation.close()
    assert result.outcome is CompileOutcome.BUILT, result.log
    assert result.log == ""
    assert "warpcourt_call" in exports(result.artifact, tmp_path)
    assert b"__cudaCDP2LaunchDeviceV2" in result.artifact
    assert {kernel.name for kernel in parse_kernels(result.resources)} == {"add", "parent"}
    assert "__cudaCDP2LaunchDeviceV2" in listings["ptx"]


def test_without_permission_kernels_cannot_launch_kernels(compiled: Compile) -> None:
    result = compiled(LAUNCHES)
    assert result.outcome is CompileOutcome.REJECTED
    assert "requires separate compilation mode" in result.log


def test_listings_are_bounded(begin: Callable[..., Compilation]) -> None:
    stores = "".join(f"c[{i}] = {i};" for i in range(9000))
    compilation = begin(f"__global__ void k(volatile int* c) {{ {stores} }}\n{SOLVE} {{}}")
    try:
        assert compilation.result().outcome is CompileOutcome.BUILT
        listings = compilation.listings(60)
    finally:
        compilation.close()
    assert len(listings["ptx"]) == MAX_LISTING_BYTES
    assert len(listings.get("sass", "")) <= MAX_LISTING_BYTES


def test_warnings_are_shown_without_the_compilers_own_reports(compiled: Compile) -> None:
    result = compiled(f"{SOLVE} {{ int unused_here; }}")
    assert result.outcome is CompileOutcome.BUILT
    assert "unused_here" in result.log
    assert "ptxas info" not in result.log
    assert "/work" not in result.log


def test_errors_name_the_line_as_the_author_knows_it(compiled: Compile) -> None:
    result = compiled(f"\n\n{SOLVE} {{ mistake; }}")
    assert result.outcome is CompileOutcome.REJECTED
    assert 'solution.cu(3): error: identifier "mistake" is undefined' in result.log
    assert result.artifact is None


def test_undefined_functions_are_the_authors_mistake(compiled: Compile) -> None:
    result = compiled(f"void elsewhere();\n{SOLVE} {{ elsewhere(); }}")
    assert result.outcome is CompileOutcome.REJECTED
    assert "undefined reference to `elsewhere()'" in result.log.replace("'elsewhere()'", "`elsewhere()'")


def test_too_much_shared_memory_is_the_authors_mistake(compiled: Compile) -> None:
    result = compiled(
        f"__global__ void k(float* c) {{ __shared__ float t[1 << 20]; t[c[1] > 0] = c[0]; c[1] = t[5]; }}\n"
        f"{SOLVE} {{ k<<<1, 1>>>(c); }}"
    )
    assert result.outcome is CompileOutcome.REJECTED
    assert "shared" in result.log


def test_flags_of_a_problem_change_the_code(compiled: Compile, compiler: Compiler) -> None:
    source = f"__global__ void k(float* c) {{ c[0] = c[1] / c[2]; }}\n{SOLVE} {{ k<<<1, 1>>>(c); }}"
    plain, fast = compiled(source), compiled(source, flags=("--use_fast_math",))
    assert plain.outcome is fast.outcome is CompileOutcome.BUILT
    assert plain.artifact != fast.artifact
    assert compiler.key(b"s", b"b") != compiler.key(b"s", b"b", ("--use_fast_math",))


@pytest.mark.parametrize(
    "flag", ["-ccbin=/work/evil", "--options-file=x", "-Xcompiler=-fplugin=x", "a.o", ""]
)
def test_no_problem_may_give_other_flags(compiler: Compiler, flag: str) -> None:
    with pytest.raises(ValueError, match="is not a flag"):
        compiler.recipe((flag,))


def test_two_compilations_at_once_keep_apart(begin: Callable[..., Compilation]) -> None:
    results: dict[str, GpuCompiled] = {}

    def compile_one(name: str) -> None:
        compilation = begin(
            f"__global__ void {name}(float* c) {{ c[0] = 1; }}\n{SOLVE} {{ {name}<<<1, 1>>>(c); }}"
        )
        try:
            results[name] = compilation.result()
        finally:
            compilation.close()

    threads = [threading.Thread(target=compile_one, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, result in results.items():
        assert [kernel.name for kernel in parse_kernels(result.resources)] == [name]
    assert results["first"].artifact != results["second"].artifact


def test_several_architectures_fit_one_artifact(backend: Backend, binding: bytes) -> None:
    compiler = open_compiler(backend, on_host(find_toolkit()), cache=CACHE, architectures=["80", "90a"])
    pool = Pool(backend, {"compile": PoolSpec(compiler.command(), 0)})
    compilation = Compilation(pool.take("compile", COMPILE_LIMITS), PLAIN, binding, compiler.recipe())
    try:
        result = compilation.result()
    finally:
        compilation.close()
        pool.close()
    assert result.outcome is CompileOutcome.BUILT, result.log
    assert b"sm_80" in result.artifact
    assert b"sm_90a" in result.artifact
    assert [kernel.name for kernel in parse_kernels(result.resources)] == ["add"]


def test_giving_up_ends_it(begin: Callable[..., Compilation]) -> None:
    compilation = begin(PLAIN)
    try:
        with pytest.raises(CompilationCancelled):
            compilation.result(lambda: True)
    finally:
        compilation.close()


def test_a_limit_is_named(compiled: Compile) -> None:
    limits = replace(COMPILE_LIMITS, wall_s=0.05)
    result = compiled(PLAIN, limits=limits)
    assert result.outcome is CompileOutcome.EXCEEDED
    assert result.ending is Termination.WALL_TIME
    assert result.log == "The compiler exceeded the time limit.\n"


def test_what_is_built_is_kept_between_openings(compiler: Compiler, backend: Backend) -> None:
    again = open_compiler(backend, on_host(find_toolkit()), cache=CACHE, architectures=["90a"])
    assert again.folder == compiler.folder
    assert {path.name for path in again.folder.iterdir()} == {
        *("learned.json", "prefix.h", "prefix.h.gch", "prefix-full.h", "prefix-full.h.gch", "finish.o"),
    }


@pytest.mark.parametrize(
    ("capability", "name"), [((7, 5), "75"), ((8, 0), "80"), ((9, 0), "90a"), ((12, 0), "120a")]
)
def test_architectures_by_capability(capability: tuple[int, int], name: str) -> None:
    assert architecture(capability) == name


def test_a_missing_compiler_says_so(backend: Backend, tmp_path: Path) -> None:
    need(shutil.which("nvcc") is not None, "nvcc", "run make setup")
    place = replace(on_host(find_toolkit()), nvcc="/nonexistent/nvcc")
    with pytest.raises(ToolchainMissing, match="must have CUDA's compilers"):
        open_compiler(backend, place, cache=tmp_path, architectures=["90a"])
