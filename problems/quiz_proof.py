"""Checks a quiz for many seeds: that answers exist, and that marks tell right answers from known mistakes."""

from collections.abc import Iterator

from problems.formula import FormulaError
from problems.quiz import QuestionKind, Quiz
from problems.quiz_paper import PaperQuestion, agrees, paper_of, possible_draws

AT_LOADING = 20  # seeds; the tests of shipped quizzes use more
_NO_ANSWER = "no draw meets the conditions; widen the choices or loosen a condition"


def prove_quiz(quiz: Quiz, seeds: int = AT_LOADING) -> tuple[str, ...]:
    """Return the faults of `quiz` for the seeds from 0, as `key: fault`, without repetitions."""
    found: dict[str, None] = {}
    for seed in range(seeds):
        for fault in _faults_of_draw(quiz, str(seed)):
            found.setdefault(fault)
    return tuple(found)


def _faults_of_draw(quiz: Quiz, seed: str) -> Iterator[str]:
    draw = next(possible_draws(quiz, seed), None)
    if draw is None:
        yield f"conditions: {_NO_ANSWER}"
        return
    try:
        paper = paper_of(quiz, *draw)
    except FormulaError as error:
        yield f"questions: {error}"
        return
    for index, question in enumerate(paper.questions):
        for fault in _faults_of_question(question):
            yield f"questions[{index}].{fault}"


def _faults_of_question(question: PaperQuestion) -> Iterator[str]:
    if question.kind is QuestionKind.CHOICE:
        if len(set(question.options)) < len(question.options):
            yield "options: two options have the same text for some numbers; add a condition"
    elif question.tolerance == 0 and question.answer != int(question.answer):
        yield "tolerance: is 0, and the answer is not a whole number for some numbers"
    for place, mistake in enumerate(question.mistakes):
        if question.kind is QuestionKind.CHOICE:
            continue  # a formula may make the option right
        key = f"mistakes[{place}].answer"
        if agrees(question, mistake.answer, question.answer):
            yield f"{key}: counts as right for some numbers; add a condition"
        elif any(agrees(question, mistake.answer, other.answer) for other in question.mistakes[:place]):
            yield f"{key}: cannot be told from an earlier mistake for some numbers; add a condition"
