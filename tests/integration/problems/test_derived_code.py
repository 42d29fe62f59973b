"""Tests that code on the site compiles: skeletons for authors, and samples of concepts."""

import subprocess
from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Verdict
from web.authoring.skeletons import skeleton
from web.learn.pages import text_of
from web.site.concepts import CONCEPTS

pytestmark = pytest.mark.integration
PROBLEMS = [load_problem(path.parent) for path in sorted(problems_root().glob("*/problem.toml"))[:3]]


@pytest.mark.parametrize(
    ("problem", "language"),
    [(problem, language) for problem in PROBLEMS for language in problem.languages],
    ids=lambda value: value.slug if isinstance(value, Problem) else str(value),
)
def test_a_derived_skeleton_compiles_and_solves_nothing(
    cpu_target: Target, problem: Problem, language: Language
) -> None:
    source = skeleton(problem, language)
    report = evaluate(problem, source, language=language, mode=Mode.SUBMIT, target=cpu_target)
    assert report.verdict is Verdict.WRONG_ANSWER, report.message


@pytest.mark.parametrize("slug", CONCEPTS)
def test_the_code_of_a_concept_compiles(tmp_path: Path, slug: str) -> None:
    samples = [block.partition("```")[0] for block in text_of(CONCEPTS[slug]).split("```cuda\n")[1:]]
    (tmp_path / "samples.cu").write_text("\n".join(samples))
    argv = ["nvcc", "-arch=compute_80", "-ptx", "-o", "/dev/null", "samples.cu"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
