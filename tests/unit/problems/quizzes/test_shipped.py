"""Tests every shipped quiz for 200 seeds: answers exist, mistakes are distinct, numbers vary by user."""

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from problems.loader import problems_root
from problems.quiz import FOLDER, QuestionKind, Quiz
from problems.quiz_files import load_quiz
from problems.quiz_paper import Paper, count_right, draw_paper, mark
from problems.quiz_proof import prove_quiz
from problems.quiz_text import spell

SEEDS = 200
SCHEMA: dict[str, Any] = json.loads((problems_root() / "quiz.schema.json").read_text())
FILES = sorted((problems_root() / FOLDER).glob("*.toml"))


# One process draws the papers of a quiz, once for all of its tests.
GROUPED = [pytest.param(path, marks=pytest.mark.xdist_group(f"quiz-{path.stem}")) for path in FILES]


@pytest.fixture(scope="module", params=GROUPED, ids=lambda path: path.stem)
def quiz(request: pytest.FixtureRequest) -> Quiz:
    return load_quiz(request.param).quiz


@pytest.fixture(scope="module")
def papers(quiz: Quiz) -> list[Paper]:
    return [draw_paper(quiz, f"{seed}/1") for seed in range(SEEDS)]


def test_the_planned_quizzes_ship() -> None:
    assert {path.stem for path in FILES} >= {
        "device-arithmetic",
        "read-a-profile",
        "occupancy-tuning",
        "predict-decode",
        "mps-arithmetic",
        "dispatcher-quiz",
        "link-quiz",
        "isolation-quiz",
        "gpu-pod",
        "gpu-alerts",
        "mock-interview",
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_fits_the_schema(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), SCHEMA)


def test_it_holds_for_many_seeds(quiz: Quiz) -> None:
    assert prove_quiz(quiz, SEEDS) == ()


def test_right_answers_are_right_and_mistakes_get_their_explanation(papers: list[Paper]) -> None:
    for paper in papers:
        for question in paper.questions:
            assert math.isfinite(question.answer)
            if question.kind is QuestionKind.CHOICE:
                assert mark(question, f"{question.answer:.0f}").right
                assert len(set(question.options)) == len(question.options)
                continue
            assert mark(question, spell(question.answer, digits=5)).right, question
            if question.tolerance:
                assert not mark(question, repr(question.answer * (1 + 1.2 * question.tolerance))).right
            for mistake in question.mistakes:
                told = mark(question, repr(mistake.answer))
                assert (told.right, told.hint) == (False, mistake.explanation)


def test_people_get_other_numbers_and_everyone_the_same_again(quiz: Quiz, papers: list[Paper]) -> None:
    answers = {tuple(question.answer for question in paper.questions) for paper in papers}
    assert len(answers) > SEEDS * 0.98
    assert draw_paper(quiz, "0/1") == papers[0]
    assert draw_paper(quiz, "0/2") != papers[0]


def test_no_option_is_right_for_everyone_and_no_place_is(papers: list[Paper]) -> None:
    for index, question in enumerate(papers[0].questions):
        if question.kind is QuestionKind.CHOICE:
            places = {paper.questions[index].answer for paper in papers}
            assert places == set(range(len(question.options)))


def test_a_pass_needs_most_answers(quiz: Quiz, papers: list[Paper]) -> None:
    assert 0.7 * len(quiz.questions) <= quiz.pass_mark < len(quiz.questions)
    marks = [mark(question, "0") for question in papers[0].questions]
    assert count_right(marks) < quiz.pass_mark
