"""Tests real compilations of wrong programs: the report names the line and the fix."""

import pytest

from judge.evaluate import evaluate
from judge.report import Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language, Mode, Verdict

pytestmark = pytest.mark.integration

PROGRAM = """\
#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
"""


def judged(source: str, target: Target, language: Language = Language.CUDA) -> Report:
    problem = load_problem(problems_root() / "vector-add")
    report = evaluate(problem, source, language=language, mode=Mode.RUN, target=target)
    assert report.verdict is Verdict.COMPILE_ERROR
    return report


@pytest.mark.parametrize(
    ("right", "wrong", "line", "said"),
    [
        ("threadIdx", "threadidx", 3, 'Did you mean "threadIdx"?'),
        ("threadIdx.x;", "threadIdx.x", 4, 'Expected a ";". Look at the end of line 3.'),
        ("  if (i", "  __syncthread();\n  if (i", 4, 'Did you mean "__syncthreads"?'),
        ("void solve", "void Solve", 6, "The program does not define solve; it defines Solve on line 6."),
        (
            PROGRAM,
            'extern "C" void solve(int* a, int n) {}\n',
            1,
            "solve is declared with (int*, int), but this problem calls it with (const float* a,",
        ),
        ("int n) {\n  add", "short n) {\n  add", 6, "Argument 4 of solve, n, must be int."),
        ("(a, b, c, n);\n}\n", "(a, b, c, n);\n", 6, "The block that starts here is never closed."),
        ("  add<<<", "  void helper(int);\n  helper(n);\n  add<<<", 7, '"helper". It is declared'),
    ],
)
def test_a_wrong_program_is_told_its_line(
    right: str, wrong: str, line: int, said: str, cpu_target: Target
) -> None:
    assert right in PROGRAM
    report = judged(PROGRAM.replace(right, wrong), cpu_target)
    first = report.diagnostics[0]
    assert (first.line, said in first.message) == (line, True), first
    assert first.text == report.message
    assert "binding" not in first.message


def test_a_wrong_python_program_is_told_its_line(cpu_target: Target) -> None:
    report = judged("import triton\n\ndef solve(a, b, c, n)\n    pass\n", cpu_target, Language.TRITON)
    assert (report.diagnostics[0].line, report.message) == (3, "line 3: SyntaxError: expected ':'")
    report = judged("import triton\nimport no_such_module\n", cpu_target, Language.TRITON)
    assert report.diagnostics[0].line == 2
    assert "no_such_module" in report.message
