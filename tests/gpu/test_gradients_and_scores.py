"""Tests gradients and scores on a GPU: counts equal those on a CPU, and the checker's number is reported."""

import pytest

from problems.loader import load_problem, problems_root
from problems.vocabulary import Group, Language, RequirementState, Verdict
from tests.gpu.conftest import Judge

pytestmark = pytest.mark.gpu


def solution(slug: str, name: str) -> str:
    return (problems_root() / slug / "solutions" / name).read_text()


@pytest.mark.parametrize(
    ("slug", "name", "measured"),
    [
        ("gelu-backward", "plain.torch.py", 1),
        ("gelu-backward", "saves-tangent.torch.py", 2),
        ("gelu-backward", "attribute.torch.py", 3),
        ("clip-loss", "inputs-alone.torch.py", 1),
        ("checkpointing", "segments.torch.py", 4.6),
    ],
)
def test_saved_bytes_are_counted(judge: Judge, slug: str, name: str, measured: float) -> None:
    report = judge(solution(slug, name), Language.PYTHON, problem=load_problem(problems_root() / slug))
    (row,) = report.requirements
    assert row.measured == pytest.approx(measured, rel=0.05)
    met = row.state is RequirementState.MET
    assert report.verdict is (Verdict.ACCEPTED if met else Verdict.REQUIREMENT_MISSED), report
    assert report.ranked is met


@pytest.mark.parametrize(
    ("slug", "name", "language"),
    [
        ("write-the-tuner", "descent.cu", Language.CUDA),
        ("layer-bits", "stacked.torch.py", Language.PYTHON),
    ],
)
def test_a_checker_gives_a_score(judge: Judge, slug: str, name: str, language: Language) -> None:
    problem = load_problem(problems_root() / slug)
    report = judge(solution(slug, name), language, problem=problem)
    assert report.verdict is Verdict.ACCEPTED, report
    assert problem.score is not None
    assert report.checker_score is not None
    assert problem.score.least <= report.checker_score <= problem.score.most
    assert report.ranked is any(case.group is Group.TIMED for case in problem.cases)
