"""Tests loading quizzes: what is accepted, and the errors for a broken one."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from problems.faults import PackageInvalid
from problems.loader import problems_root
from problems.quiz import QuestionKind
from problems.quiz_files import check_quiz, load_quiz, load_quizzes
from problems.quiz_paper import draw_paper

SCHEMA: dict[str, Any] = json.loads((problems_root() / "quiz.schema.json").read_text())
QUIZ = """\
title = "Sums"
summary = "Add and compare."
difficulty = "easy"
tags = ["elementwise"]
track_day = 3
pass_mark = 1
intro = "There are **{{ a }}** and {{ b }}, on {{ device }}."
conditions = ["a != b"]

[[variables]]
name = "a"
from = 1
to = 9
step = 0.5

[[variables]]
name = "b"
choices = [2, 3, 5]

[[variables]]
name = "device"
with = "b"
choices = ["T4", "A100", "H200"]

[[variables]]
name = "sum"
formula = "a + b"

[[questions]]
kind = "numeric"
text = "What is ${{ a }} + {{ b }}$?"
answer = "sum"
unit = "GB"
explanation = "It is {{ answer }}, or {{ answer : 2 }}."

[[questions.mistakes]]
answer = "a * b + 100"
explanation = "You multiplied {{ a }} by {{ b }}."

[[questions]]
kind = "choice"
text = "Which is larger?"
options = ["a", "b", "neither"]
right = "0 if a > b else 1"
explanation = "Compare {{ a }} with {{ b }}."

[[questions.mistakes]]
option = 2
explanation = "They differ."
"""


def faults_of(text: str, slug: str = "sums") -> tuple[str, ...]:
    with pytest.raises(PackageInvalid) as raised:
        check_quiz(slug, text)
    return raised.value.faults


def test_a_valid_file_becomes_a_quiz(tmp_path: Path) -> None:
    path = tmp_path / "sums.toml"
    path.write_text(QUIZ)
    file = load_quiz(path)
    quiz = file.quiz
    assert file.source == QUIZ
    assert (quiz.slug, quiz.title, quiz.track_day, quiz.pass_mark) == ("sums", "Sums", 3, 1)
    assert [question.kind for question in quiz.questions] == [QuestionKind.NUMERIC, QuestionKind.CHOICE]
    assert (quiz.questions[0].tolerance, quiz.questions[0].unit) == (0.005, "GB")


def test_variables_that_need_each_other_are_one_group() -> None:
    groups = check_quiz("sums", QUIZ).quiz.groups
    assert [[variable.name for variable in group.variables] for group in groups] == [
        ["a", "b", "device", "sum"]
    ]
    free = QUIZ.replace('conditions = ["a != b"]\n', "").replace('formula = "a + b"', 'formula = "b + 1"')
    groups = check_quiz("sums", free).quiz.groups
    assert [[variable.name for variable in group.variables] for group in groups] == [
        ["a"],
        ["b", "device", "sum"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('title = "Sums"\n', "", 'title: missing; write title = "Device arithmetic"'),
        ("pass_mark = 1", "pass_mark = 3", "pass_mark: must be from 1 to 2, is 3"),
        ("pass_mark = 1", "pass_mark = 1\npace = 2", "pace: unknown key; known keys here are"),
        ('["elementwise"]', '["Elementwise"]', "tags[0]: 'Elementwise' must be lower-case words"),
        ('"easy"', '"simple"', "difficulty: 'simple' is unknown; use one of easy, medium, hard"),
        ("{{ device }}", "{{ devise }}", "intro: in {{ devise }}: 'devise' is not a variable; declare it"),
        ("{{ device }}", "{{ device + 1 }}", "intro: in {{ device + 1 }}: 'device' is text, not a number"),
        (
            "{{ answer : 2 }}",
            "{{ answer : x }}",
            "questions[0].explanation: {{ answer : x }}: write the decimals",
        ),
        (
            "{{ answer : 2 }}",
            "{{ 1 + }}",
            "questions[0].explanation: in {{ 1 + }}: '1 +' is not an expression",
        ),
        ("**{{ a }}**", "{{ answer }}", "intro: in {{ answer }}: 'answer' is not a variable"),
        ('"a != b"', '"a != c"', "conditions[0]: 'c' is not a variable with numbers"),
        ('"a != b"', '"1"', "conditions[0]: uses no variable; remove it"),
        ('"a != b"', '"a > 100"', "conditions: no draw meets the conditions"),
        ('name = "b"', 'name = "a"', "variables[1].name: 'a' is declared twice; keep one"),
        ('name = "sum"', 'name = "min"', "variables[3].name: 'min' is a reserved word"),
        ('name = "sum"', 'name = "answer"', "variables[3].name: 'answer' is a reserved word"),
        ("step = 0.5", "step = 0", "variables[0]: needs a step above 0"),
        ("step = 0.5", "step = 0.00001", "variables[0].step: gives 800001 values"),
        ("step = 0.5", "step = nan", "variables[0].step: must be a number"),
        ("from = 1", 'formula = "2"\nfrom = 1', "variables[0]: write exactly one of choices"),
        ("[2, 3, 5]", "[2]", "variables[1].choices: must be an array of 2 to 64"),
        ("[2, 3, 5]", '[2, "3", 5]', "variables[1].choices[1]: must be a number like the first one"),
        ("[2, 3, 5]", "[2, inf, 5]", "variables[1].choices[1]: must be a number up to 1e+18"),
        ('with = "b"', 'with = "a"', "variables[2].with: 'a' has 17 choices, this one has 3"),
        ('with = "b"', 'with = "c"', "variables[2].with: 'c' is not a variable with choices above"),
        ('"a + b"', '"a + device"', "variables[3].formula: 'device' is not a variable with numbers above"),
        ('"a + b"', '"1 / (b - b)"', "conditions: no draw meets the conditions"),
        (
            'kind = "choice"',
            'kind = "essay"',
            "questions[1].kind: 'essay' is unknown; use one of numeric, choice",
        ),
        ('answer = "sum"', 'answer = "1 / (b - 3)"', "questions: '1 / (b - 3)' divides by zero"),
        ('unit = "GB"', "tolerance = 0.5", "questions[0].tolerance: must be from 0 to 0.05"),
        (
            'unit = "GB"',
            "tolerance = 0",
            "questions[0].tolerance: is 0, and the answer is not a whole number",
        ),
        ('"a * b + 100"', '"b + a"', "questions[0].mistakes[0].answer: counts as right for some numbers"),
        ('["a", "b", "neither"]', '["a"]', "questions[1].options: must have 2 to 8 texts, has 1"),
        (
            '["a", "b", "neither"]',
            '["a", "{{ a }}", "{{ b }}", "{{ 5 }}"]',
            "questions[1].options: two options have",
        ),
        ('"0 if a > b else 1"', "3", "questions[1].right: must be from 0 to 2, is 3"),
        ('"0 if a > b else 1"', '"a + 10"', "questions: 'a + 10' is"),
        ("option = 2", "option = 3", "questions[1].mistakes[0].option: must be from 0 to 2, is 3"),
    ],
)
def test_every_fault_names_its_key(old: str, new: str, fault: str) -> None:
    assert old in QUIZ
    found = faults_of(QUIZ.replace(old, new, 1))
    assert any(text.startswith(f"problems/quizzes/sums.toml: {fault}") for text in found), found


def test_all_faults_are_told_at_once() -> None:
    text = QUIZ.replace('title = "Sums"\n', "").replace('"sum"\nunit', '"total"\nunit').replace('"GB"', '""')
    assert len(faults_of(text)) == 3


@pytest.mark.parametrize("slug", ["Sums", "a" * 61, "a_b", "../a", ""])
def test_the_name_is_a_slug(slug: str) -> None:
    assert "its name is the slug" in faults_of(QUIZ, slug)[0]


@pytest.mark.parametrize("text", ["x" * 200_000, "a." * 5000 + "b = 1", "[" * 3000, "x = 1" + "0" * 5000])
def test_hostile_texts_are_refused_before_they_cost_time(text: str) -> None:
    assert faults_of(text)


def test_many_placeholders_and_questions_are_refused() -> None:
    many = QUIZ.replace("**{{ a }}**", "{{ a }}" * 101)
    assert "has 103 placeholders; at most 100" in faults_of(many)[0]
    question = '[[questions]]\nkind = "numeric"\ntext = "x"\nanswer = "1"\nexplanation = "x"\n'
    assert any("has 42 questions; at most 40" in fault for fault in faults_of(QUIZ + question * 40))


def test_a_folder_of_quizzes(tmp_path: Path) -> None:
    folder = tmp_path / "quizzes"
    folder.mkdir()
    (folder / "b-quiz.toml").write_text(QUIZ)
    (folder / "a-quiz.toml").write_text(QUIZ)
    (folder / "broken.toml").write_text("title = 3")
    (folder / "link.toml").symlink_to(folder / "a-quiz.toml")
    found, faults = load_quizzes(tmp_path)
    assert [file.quiz.slug for file in found] == ["a-quiz", "b-quiz"]
    assert any(fault.startswith("problems/quizzes/broken.toml: title: ") for fault in faults)
    assert any(fault.startswith("problems/quizzes/link.toml: ") for fault in faults)
    assert load_quizzes(tmp_path / "none") == ((), ())


def test_the_schema_accepts_what_the_loader_accepts() -> None:
    jsonschema.validate(tomllib.loads(QUIZ), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(QUIZ.replace('unit = "GB"', 'untit = "GB"')), SCHEMA)


def test_texts_are_filled_with_numbers() -> None:
    paper = draw_paper(check_quiz("sums", QUIZ).quiz, "seed")
    assert re.fullmatch(r"There are \*\*[0-9.]+\*\* and [235], on (T4|A100|H200)\.", paper.intro)
    assert re.fullmatch(r"It is [0-9.]+, or [0-9]+\.[0-9]{2}\.", paper.questions[0].explanation)
