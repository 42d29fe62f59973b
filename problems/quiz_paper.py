"""Draws the numbers of a quiz for a seed, and marks answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from problems.formula import FormulaError
from problems.quiz import Question, QuestionKind, Quiz
from problems.quiz_answers import AnswerUnreadable, read_number
from problems.quiz_text import ANSWER
from problems.quiz_variables import Value, draw_group, draw_number, numbers_of

_TRIES = 20  # for draws that leave a question without an answer
_ROUNDING = 1e-9  # relative rounding difference between two computations of the same number


class NoDraw(Exception):
    """Raised when no draw of a seed meets the conditions and gives every question an answer."""


@dataclass(frozen=True, slots=True)
class PaperMistake:
    """A known wrong answer: a number, or the position of an option as shown."""

    answer: float
    explanation: str


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question with the numbers of one learner, as Markdown.

    `answer` is the right number, or the place of the right option among `options` as they are shown.
    """

    kind: QuestionKind
    text: str
    unit: str
    options: tuple[str, ...]
    answer: float
    tolerance: float
    explanation: str
    mistakes: tuple[PaperMistake, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """A quiz with the numbers of one learner."""

    intro: str
    questions: tuple[PaperQuestion, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one answer. `hint` explains a known mistake, empty for other answers."""

    right: bool
    hint: str = ""


def draw_paper(quiz: Quiz, seed: str) -> Paper:
    """Return the paper of `quiz` for `seed`: the same one for the same seed.

    Raises:
        NoDraw: the conditions leave no numbers, which the loader has checked for some seeds.
    """
    for label, values in possible_draws(quiz, seed):
        try:
            return paper_of(quiz, label, values)
        except FormulaError:
            continue
    raise NoDraw(f"{quiz.slug}: no draw meets the conditions")


def possible_draws(quiz: Quiz, seed: str) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yield draws for `seed` that meet the conditions, each with the label that orders its options."""
    for attempt in range(_TRIES):
        label = f"{quiz.slug}/{seed}/{attempt}"
        values: dict[str, Value] = {}
        for group in quiz.groups:
            drawn = draw_group(group, label)
            if drawn is None:
                return
            values.update(drawn)
        yield label, values


def paper_of(quiz: Quiz, label: str, values: Mapping[str, Value]) -> Paper:
    """Return the paper with these values. Raises FormulaError if a formula has no value for them."""
    questions = enumerate(quiz.questions)
    return Paper(
        intro=quiz.intro.filled(values),
        questions=tuple(_question(question, f"{label}/{index}", values) for index, question in questions),
    )


def _question(question: Question, label: str, values: Mapping[str, Value]) -> PaperQuestion:
    numbers = numbers_of(values)
    answer = question.answer.value(numbers)
    explained: Mapping[str, Value] = values
    order: list[int] = []
    if question.kind is QuestionKind.CHOICE:
        if answer not in range(len(question.options)):
            raise FormulaError(f"{question.answer.text!r} is {answer:g}, which is not the index of an option")
        order = sorted(range(len(question.options)), key=lambda place: draw_number(f"{label}/{place}"))
        answer = float(order.index(int(answer)))
    else:
        explained = {**values, ANSWER: answer}
    return PaperQuestion(
        kind=question.kind,
        text=question.text.filled(values),
        unit=question.unit,
        options=tuple(question.options[place].filled(values) for place in order),
        answer=answer,
        tolerance=question.tolerance,
        explanation=question.explanation.filled(explained),
        mistakes=tuple(
            PaperMistake(
                mistake.answer.value(numbers) if mistake.answer else float(order.index(mistake.option or 0)),
                mistake.explanation.filled(explained),
            )
            for mistake in question.mistakes
        ),
    )


def mark(question: PaperQuestion, answer: str) -> Mark:
    """Mark `answer`: a number as typed, or the place of an option as shown, counted from 0.

    Raises:
        AnswerUnreadable: it is neither. The message is for the learner.
    """
    given = read_answer(question, answer)
    if agrees(question, given, question.answer):
        return Mark(right=True)
    hints = (mistake.explanation for mistake in question.mistakes if agrees(question, given, mistake.answer))
    return Mark(right=False, hint=next(hints, ""))


def read_answer(question: PaperQuestion, answer: str) -> float:
    """Return the number of a numeric answer, or the position of an option. Raises AnswerUnreadable."""
    if question.kind is QuestionKind.NUMERIC:
        return read_number(answer, question.unit)
    if answer not in map(str, range(len(question.options))):
        raise AnswerUnreadable("Choose one of the options.")
    return float(answer)


def agrees(question: PaperQuestion, given: float, wanted: float) -> bool:
    """Return whether `given` is `wanted` within the tolerance of the question."""
    if question.kind is QuestionKind.CHOICE:
        return given == wanted
    return abs(given - wanted) <= (question.tolerance + _ROUNDING) * abs(wanted)


def count_right(marks: Sequence[Mark]) -> int:
    """Return the number of right answers."""
    return sum(mark.right for mark in marks)
