"""Tests programs under compute-sanitizer on a real GPU, and the findings on programs with wrong answers."""

import pytest

from judge.evaluate import evaluate
from judge.report import Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import DiagnosticKind, Language, Mode, Verdict
from sandbox.gpu.tool import Tool

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def summing() -> Problem:
    return load_problem(problems_root() / "reduction-sum")


def judged(target: Target, problem: Problem, file: str, *, tool: Tool | None) -> Report:
    source = (problems_root() / problem.slug / "solutions" / file).read_text()
    return evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=target, tool=tool)


def test_racecheck_names_both_lines_of_a_missing_barrier(target: Target, summing: Problem) -> None:
    report = judged(target, summing, "missing-barrier.cu", tool=Tool.MEMCHECK)
    races = [
        said
        for said in report.diagnostics
        if said.kind == DiagnosticKind.RACE and "compute-sanitizer" in said.message
    ]
    assert races, report
    assert races[0].line
    assert races[0].message.count("line") >= 2
    assert report.score is None


def test_a_program_without_races_has_no_such_finding(target: Target, summing: Problem) -> None:
    report = judged(target, summing, "warp-shuffle.cu", tool=Tool.MEMCHECK)
    assert report.verdict is Verdict.ACCEPTED, report
    assert [said for said in report.diagnostics if said.kind == DiagnosticKind.RACE] == []


def test_a_wrong_answer_is_examined_in_functional_mode(target: Target, summing: Problem) -> None:
    report = judged(target, summing, "missing-barrier.cu", tool=None)
    if report.verdict is Verdict.ACCEPTED:
        pytest.skip("the race was won in every case")
    assert "examine" in {stage.name for stage in report.stages}
