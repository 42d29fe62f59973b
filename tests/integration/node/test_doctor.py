"""Functional mode as the doctor of programs that failed on a GPU."""

import time
from collections.abc import Iterator

import pytest

from judge.cpu_target import CpuTarget
from judge.doctor import MAX_CASE_BYTES, Doctor
from judge.evaluate import evaluate
from judge.gpu_target import GpuTarget
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from tests.integration.conftest import CACHE
from tests.integration.node.conftest import solution

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-doctor")]
FAULTY = solution("no-guard.cu")


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
