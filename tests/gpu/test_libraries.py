"""Programs that call cuBLAS and cuFFT on the GPU, in the problem of adding vectors."""

from dataclasses import replace

import pytest

from problems.libraries import Library
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from tests.gpu.conftest import Judge

pytestmark = pytest.mark.gpu
SOLVE = 'extern "C" void solve(const float* a, const float* b, float* c, int n)'
AXPY = """
  const float one = 1;
  cudaMemcpyAsync(c, a, size_t(n) * sizeof(float), cudaMemcpyDeviceToDevice);
  cublasSaxpy(handle, n, &one, b, 1, c, 1);
"""
KEPT = f"""#include <cublas_v2.h>
{SOLVE} {{
  static cublasHandle_t handle = nullptr;
  if (!handle) cublasCreate(&handle);
  {AXPY}
}}
"""
MADE_EACH_TIME = f"""#include <cublas_v2.h>
{SOLVE} {{
  cublasHandle_t handle;
  cublasCreate(&handle);
  {AXPY}
  cublasDestroy(handle);
}}
"""
TRANSFORMED = f"""#include <cublas_v2.h>
#include <cufft.h>
{SOLVE} {{
  static cublasHandle_t handle = nullptr;
  static cufftHandle plan;
  static cufftComplex* spectrum = nullptr;
  static const int side = 64;
  if (!handle) {{
    cublasCreate(&handle);
    cufftPlan1d(&plan, side, CUFFT_R2C, 1);
    cudaMalloc(&spectrum, (side / 2 + 1) * sizeof(cufftComplex));
  }}
  if (n >= side) cufftExecR2C(plan, const_cast<float*>(a), spectrum);
  {AXPY}
}}
"""
UNDECLARED = f"""#include <cuda_runtime.h>
extern "C" int cublasCreate_v2(void** handle);
{SOLVE} {{
  void* handle;
  cublasCreate_v2(&handle);
}}
"""


@pytest.fixture
def open_problem(vector_add: Problem) -> Problem:
    limits = replace(vector_add.limits, libraries=(Library.CUBLAS, Library.CUFFT))
    return replace(vector_add, limits=limits)


@pytest.mark.parametrize("source", [KEPT, TRANSFORMED], ids=["cublas", "cublas and cufft"])
def test_a_program_with_a_library_is_accepted_and_ranked(
    judge: Judge, open_problem: Problem, source: str
) -> None:
    report = judge(source, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.ACCEPTED, (report.message, report.log)
    assert report.ranked


def test_a_handle_of_each_call_is_accepted(judge: Judge, open_problem: Problem) -> None:
    report = judge(MADE_EACH_TIME, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.ACCEPTED, (report.message, report.log)


def test_elsewhere_it_is_rejected(judge: Judge, vector_add: Problem) -> None:
    report = judge(KEPT, Language.CUDA, problem=vector_add)
    assert report.verdict is Verdict.REJECTED
    assert "cublas" in report.message


def test_without_its_header_it_is_not_linked(judge: Judge, open_problem: Problem) -> None:
    report = judge(UNDECLARED, Language.CUDA, problem=open_problem)
    assert report.verdict is Verdict.COMPILE_ERROR
