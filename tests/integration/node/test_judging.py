"""Judging on a simulated card, from a source to a ranked verdict."""

import pytest

from judge.evaluate import evaluate
from judge.gpu_target import GpuTarget
from judge.report import Progress, Report
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.integration.node.conftest import solution

pytestmark = pytest.mark.integration


def judge(
    node: GpuTarget, problem: Problem, name: str, mode: Mode = Mode.SUBMIT, **options: object
) -> Report:
    language = Language.CUDA if name.endswith(".cu") else Language.TRITON
    source = solution(name)
    return evaluate(problem, source, language=language, mode=mode, target=node, **options)  # type: ignore[arg-type]


def test_an_honest_program_is_accepted_timed_and_scored(node: GpuTarget, vector_add: Problem) -> None:
    steps: list[Progress] = []
    report = judge(node, vector_add, "plain.cu", on_progress=steps.append)
    assert report.verdict is Verdict.ACCEPTED, report
    timed = [case for case in report.cases if case.group is Group.TIMED]
    assert [case.name for case in timed] == ["timed", "timed-small"]
    assert all(case.timing is not None and case.timing.median_us > 0 for case in timed)
    assert report.ranked
    assert report.attempts == 1
    assert report.environment["gpu"] == "simulated"
    assert [step.kind for step in steps][-3:] == ["timing", "timing", "finished"]
    assert {"compile", "start", "load", "check", "draw", "rank"} <= {stage.name for stage in report.stages}
