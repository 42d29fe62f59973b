"""Tests a KernelBench model on a GPU: PyTorch on both sides, checked and timed like other programs."""

import pytest

from problems.importing.building import write_package
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Group, Language, Verdict
from tests.gpu.conftest import Judge
from tests.integration.problems.test_python_problems import RIGHT, WRONG
from tests.unit.problems.importing.workbench import SETS, imported

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
FOLDER = SETS / "kernel_bench" / "level2"


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    found = imported("kernel_bench", FOLDER)["9_Linear_scale_relu.py"]
    assert found.files, found.entry.reason
    folder = tmp_path_factory.mktemp("sets") / found.entry.slug
    write_package(folder, found.files)
    return load_problem(folder)


def test_a_model_is_checked_and_timed(judge: Judge, problem: Problem) -> None:
    report = judge(RIGHT, Language.PYTHON, problem=problem)
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.ranked
    assert all(case.timing for case in report.cases if case.group is Group.TIMED)


def test_a_model_that_leaves_something_out_is_not(judge: Judge, problem: Problem) -> None:
    report = judge(WRONG, Language.PYTHON, problem=problem)
    assert report.verdict is Verdict.WRONG_ANSWER, report
    assert not report.ranked
