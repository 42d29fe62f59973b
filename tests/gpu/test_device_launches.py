"""Kernels that launch kernels on the GPU, in the problem of adding vectors and in that of child grids."""

from dataclasses import replace

import pytest

from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Group, Language, Verdict
from tests.gpu.conftest import Judge

pytestmark = pytest.mark.gpu
SOLVE = 'extern "C" void solve(const float* a, const float* b, float* c, int n)'
ADD = """
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
CHILD = f"""{ADD}
__global__ void parent(const float* a, const float* b, float* c, int n) {{
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}}
{SOLVE} {{ parent<<<1, 1>>>(a, b, c, n); }}
"""
# c = a, then a tail launch adds b: a child that started too early would lose it.
TAIL = f"""
__global__ void copy(const float* a, float* c, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}}
__global__ void increase(const float* b, float* c, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += b[i];
}}
__global__ void parent(const float* a, const float* b, float* c, int n) {{
  copy<<<(n + 255) / 256, 256, 0, cudaStreamFireAndForget>>>(a, c, n);
  increase<<<(n + 255) / 256, 256, 0, cudaStreamTailLaunch>>>(b, c, n);
}}
{SOLVE} {{ parent<<<1, 1>>>(a, b, c, n); }}
"""
FAULT = CHILD.replace("c[i] = a[i]", "c[i + (1ll << 40)] = a[i]")
VARIABLES = f"""
__device__ float factor;
static __constant__ float offset;
__global__ void add(const float* a, const float* b, float* c, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = factor * a[i] + b[i] + offset;
}}
__global__ void parent(const float* a, const float* b, float* c, int n) {{
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}}
{SOLVE} {{
  const float one = 1, zero = 0;
  cudaMemcpyToSymbolAsync(factor, &one, sizeof one, 0, cudaMemcpyHostToDevice, 0);
  cudaMemcpyToSymbolAsync(offset, &zero, sizeof zero, 0, cudaMemcpyHostToDevice, 0);
  parent<<<1, 1>>>(a, b, c, n);
}}
"""


@pytest.fixture
def open_problem(vector_add: Problem) -> Problem:
    cases = tuple(case for case in vector_add.cases if case.group is not Group.TIMED)
    return replace(vector_add, cases=cases, limits=replace(vector_add.limits, device_launches=True))


@pytest.mark.parametrize("source", [CHILD, TAIL, VARIABLES], ids=["child", "tail", "variables"])
def test_children_are_complete_when_outputs_are_checked(
    judge: Judge, open_problem: Problem, source: str
) -> None:
    report = judge(source, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.ACCEPTED, (report.message, report.log)
    assert not report.ranked


def test_a_program_without_launches_is_accepted_as_well(judge: Judge, open_problem: Problem) -> None:
    source = f"{ADD}{SOLVE} {{ add<<<(n + 255) / 256, 256>>>(a, b, c, n); }}"
    report = judge(source, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.ACCEPTED, (report.message, report.log)
    assert not report.ranked


def test_a_fault_of_a_child_is_found(judge: Judge, open_problem: Problem) -> None:
    report = judge(FAULT, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.ILLEGAL_ACCESS, (report.message, report.log)


def test_elsewhere_it_does_not_compile(judge: Judge, vector_add: Problem) -> None:
    report = judge(CHILD, Language.CUDA, problem=vector_add)
    assert report.verdict is Verdict.COMPILE_ERROR
    assert any("does not allow launches from device code" in entry.message for entry in report.diagnostics)


@pytest.mark.parametrize("name", ["plain.cu", "list-and-tail.cu", "parts-in-order.cu"])
def test_child_grids_sum_long_rows(judge: Judge, name: str) -> None:
    problem = load_problem(problems_root() / "child-kernels")
    source = (problems_root() / "child-kernels" / "solutions" / name).read_text()
    report = judge(source, Language.CUDA, problem=problem)
    assert report.verdict is Verdict.ACCEPTED, (report.message, report.log)
    assert not report.ranked
