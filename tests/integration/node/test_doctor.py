"""Tests diagnoses by functional mode of programs that failed on a GPU."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from judge.cpu.doctor import MAX_CASE_BYTES, Doctor
from judge.cpu.target import CpuTarget
from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from problems.schema import Case, Problem, Requirement
from problems.vocabulary import Counter, Group, Language, Mode, Relation, RequirementState, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.wire import RunFlag
from tests.integration.conftest import CACHE
from tests.integration.node.conftest import solution

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-doctor")]
FAULTY = solution("no-guard.cu")
# Two threads add to each element. On a GPU their blocks are far apart, and hardly ever meet.
RACY = """\
__global__ void zero(float* c, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = 0; }
__global__ void add(const float* a, const float* b, float* c, int n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < 2LL * n) c[i % n] += i < n ? a[i] : b[i - n];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  zero<<<1, 1024>>>(c, n);
  add<<<(2LL * n + 255) / 256, 256>>>(a, b, c, n);
}
"""


@pytest.fixture(scope="module")
def doctor(node: GpuTarget) -> Iterator[Doctor]:
    opened = Doctor(lambda: CpuTarget.open(Bubblewrap(), cache=CACHE, warm={}))
    while not opened.ready:
        time.sleep(0.1)
    yield opened
    opened.close()


def odd(problem: Problem) -> Case:
    return next(case for case in problem.cases if case.name == "one-past-a-block")


def test_it_names_line_block_and_thread_and_says_where_it_looked(doctor: Doctor, vector_add: Problem) -> None:
    found = doctor.examine(vector_add, FAULTY, odd(vector_add), lambda: False)
    (error,) = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
    assert error.message.startswith("On the CPU, in functional mode: ")
    assert error.line
    assert error.block is not None
    assert error.thread is not None


def test_a_large_case_is_not_examined(doctor: Doctor, vector_add: Problem) -> None:
    large = Case("large", Group.LARGE, {"n": MAX_CASE_BYTES})
    assert doctor.examine(vector_add, FAULTY, large, lambda: False) == ()


def test_a_program_that_functional_mode_refuses_is_left_alone(doctor: Doctor, vector_add: Problem) -> None:
    assert doctor.examine(vector_add, "no C++ at all", odd(vector_add), lambda: False) == ()


def test_a_host_without_functional_mode_judges_without_a_doctor(vector_add: Problem) -> None:
    def unavailable() -> CpuTarget:
        raise IsolationUnavailable("no bubblewrap")

    doctor = Doctor(unavailable)
    while not doctor.ready:
        time.sleep(0.01)
    assert doctor.examine(vector_add, FAULTY, odd(vector_add), lambda: False) == ()
    doctor.close()


def test_what_it_finds_is_added_to_the_report_and_changes_no_verdict(
    node: GpuTarget, doctor: Doctor, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_doctor", doctor)
    report = evaluate(vector_add, FAULTY, language=Language.CUDA, mode=Mode.SUBMIT, target=node)
    assert report.verdict is Verdict.ILLEGAL_ACCESS
    assert any(diagnostic.message.startswith("On the CPU") for diagnostic in report.diagnostics)
    assert "examine" in {stage.name for stage in report.stages}


def test_a_race_that_a_gpu_passes_over_keeps_a_program_from_being_ranked(
    node: GpuTarget, doctor: Doctor, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_doctor", doctor)
    # The simulated GPU would find the race itself, but a real GPU has no such flags.
    monkeypatch.setattr("judge.stages.checking.run_orders", lambda *_, **__: (RunFlag.DETERMINISTIC,))
    report = evaluate(vector_add, RACY, language=Language.CUDA, mode=Mode.SUBMIT, target=node)
    assert all(case.verdict is Verdict.ACCEPTED for case in report.cases)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.score is None
    assert report.message.startswith("On the CPU, in functional mode: race on element")
    assert report.message.count("(line 4)") == 2
    assert any(found.kind == "race" and found.severity == "error" for found in report.diagnostics)


def test_a_program_without_a_race_is_ranked(
    node: GpuTarget, doctor: Doctor, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_doctor", doctor)
    source = solution("plain.cu")
    report = evaluate(vector_add, source, language=Language.CUDA, mode=Mode.SUBMIT, target=node)
    assert report.verdict is Verdict.ACCEPTED
    assert report.score is not None
    assert "examine" in {stage.name for stage in report.stages}


def test_a_program_that_functional_mode_refuses_is_not_watched(doctor: Doctor, vector_add: Problem) -> None:
    assert doctor.find_race(vector_add, "no C++ at all", vector_add.cases, lambda: False) is None


@pytest.mark.parametrize(("most", "verdict"), [(1, Verdict.ACCEPTED), (0, Verdict.REQUIREMENT_MISSED)])
def test_it_counts_for_requirements_before_a_program_is_ranked(
    node: GpuTarget,
    doctor: Doctor,
    vector_add: Problem,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    verdict: Verdict,
) -> None:
    monkeypatch.setattr(node, "_doctor", doctor)
    problem = replace(vector_add, requirements=(launches_at_most(most),))
    source = solution("plain.cu")
    report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=node)
    assert report.verdict is verdict
    assert report.ranked == (verdict is Verdict.ACCEPTED)
    assert [row.measured for row in report.requirements] == [1]


def test_without_a_doctor_requirements_are_not_checked(
    node: GpuTarget, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_doctor", None)
    problem = replace(vector_add, requirements=(launches_at_most(0),))
    source = solution("plain.cu")
    report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=node)
    assert report.verdict is Verdict.ACCEPTED
    assert [row.state for row in report.requirements] == [RequirementState.UNCHECKED]


def launches_at_most(most: int) -> Requirement:
    return Requirement(Counter.LAUNCHES, Relation.AT_MOST, most, "Few.")
