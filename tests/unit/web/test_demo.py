"""Tests the submissions of the demo."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from problems.schema import Solution
from problems.vocabulary import Language, Verdict
from worker.demo import choose


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def problem(slug: str, *solutions: tuple[Language, Verdict]):
    for number, (language, _) in enumerate(solutions):
        Path(f"{number}{language.suffix}").write_text("")
    return SimpleNamespace(
        slug=slug,
        solutions=tuple(
            Solution(Path(f"{number}{language.suffix}"), language, verdict, "")
            for number, (language, verdict) in enumerate(solutions)
        ),
    )


def test_the_first_accepted_one_of_each_language_and_a_failing_one_of_each_kind():
    accepted = [
        (Language.CUDA, Verdict.ACCEPTED),
        (Language.CUDA, Verdict.ACCEPTED),
        (Language.TRITON, Verdict.ACCEPTED),
    ]
    wrong, slow = (Language.CUDA, Verdict.WRONG_ANSWER), (Language.CUDA, Verdict.TIME_LIMIT)
    chosen = choose([problem("one", *accepted, slow, wrong), problem("two", *accepted, wrong, slow)])
    assert [(sample.problem.slug, sample.solution.path.name) for sample in chosen] == [
        ("one", "0.cu"),
        ("one", "2.py"),
        ("one", "4.cu"),
        ("two", "0.cu"),
        ("two", "2.py"),
    ]


def test_problems_beyond_the_limit_show_only_failures_that_are_missing():
    both = [(Language.CUDA, Verdict.ACCEPTED), (Language.CUDA, Verdict.WRONG_ANSWER)]
    later = [*both, (Language.CUDA, Verdict.REJECTED)]
    chosen = choose([problem("one", *both), problem("two", *later)], most=1)
    assert [(sample.problem.slug, sample.solution.path.name) for sample in chosen] == [
        ("one", "0.cu"),
        ("one", "1.cu"),
        ("two", "2.cu"),
    ]


def test_a_solution_without_headers_that_compile_slowly_comes_first():
    both = [(Language.CUDA, Verdict.ACCEPTED)] * 2
    sorting = problem("sort", *both)
    Path("0.cu").write_text("#include <thrust/sort.h>\n")
    assert [sample.solution.path.name for sample in choose([sorting])] == ["1.cu"]
    Path("1.cu").write_text("#include <cub/cub.cuh>\n")
    assert [sample.solution.path.name for sample in choose([sorting])] == ["0.cu"]
