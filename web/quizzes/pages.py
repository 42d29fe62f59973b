"""The contents of the pages of quizzes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from problems.quiz import QuestionKind
from problems.quiz_paper import Mark, PaperQuestion, read_answer
from problems.quiz_text import spell
from web.catalog.markdown import render_once
from web.catalog.queries import Viewer
from web.quizzes.models import Attempt, Quiz
from web.quizzes.queries import attempts_of, next_draw, paper_of, sitting_of
from web.quizzes.services import mark_all
from web.site.paging import first_rows

_SHOWN_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a choice. `value` is its place as shown."""

    value: str
    html: SafeString
    chosen: bool


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A question to answer.

    `given` is the answer that the user sent, and `fault` says why it was not accepted.
    """

    number: int
    name: str
    html: SafeString
    unit: str
    options: tuple[Option, ...]
    given: str
    fault: str


@dataclass(frozen=True, slots=True)
class QuizPage:
    """A quiz with the numbers of the viewer, or with example numbers for a visitor.

    If the quiz has a time limit, `questions` is empty until the viewer starts it. `due` is the time at which
    the answers must be in, and `left_s` how many seconds are left. `expired` says that this time has passed.

    `attempts` is a page of the viewer's attempts, and `older` the position of the next page, None at the end.
    `solved` says whether any attempt passed.
    """

    quiz: Quiz
    intro: SafeString
    questions: tuple[QuestionPart, ...]
    draw: int
    due: datetime | None
    expired: bool
    attempts: list[Attempt]
    older: int | None
    solved: bool
    refusal: str

    @property
    def left_s(self) -> int:
        """Return the number of seconds until `due`, 0 without a time limit."""
        return max(0, int((self.due - timezone.now()).total_seconds())) if self.due else 0

    @property
    def faulty(self) -> tuple[QuestionPart, ...]:
        """Return the questions with answers that were not accepted."""
        return tuple(question for question in self.questions if question.fault)


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """A question with the user's answer, its mark and the explanation. Answers are HTML.

    `given` is empty for a question without an answer.
    """

    number: int
    html: SafeString
    unit: str
    given: SafeString
    answer: SafeString
    right: bool
    hint: SafeString
    explanation: SafeString


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """An attempt. `questions` is empty if the quiz has changed since, or if there are no answers."""

    quiz: Quiz
    attempt: Attempt
    intro: SafeString
    questions: tuple[MarkedPart, ...]
    latest: bool


def field_name(index: int) -> str:
    """Return the name of the form field for the question with that index."""
    return f"q{index + 1}"


def quiz_page(
    viewer: Viewer,
    quiz: Quiz,
    *,
    given: Sequence[str] = (),
    faults: Mapping[int, str] | None = None,
    refusal: str = "",
    before: int | None = None,
) -> QuizPage:
    """Return the page of `quiz`, with the attempts before the draw `before`.

    `given` are answers that were sent and not accepted. `faults` has the faults of some of them by index.
    """
    draw = next_draw(viewer, quiz) if viewer.is_authenticated else 0
    sitting = sitting_of(viewer, quiz)
    due = sitting.due if sitting else None
    expired = due is not None and due < timezone.now()
    sealed = quiz.minutes is not None and (due is None or (expired and not given))
    paper = paper_of(viewer, quiz, draw)
    attempts, more = first_rows(attempts_of(viewer, quiz, before=before))
    return QuizPage(
        quiz=quiz,
        intro=SafeString("") if sealed else render_once(paper.intro),
        questions=()
        if sealed
        else tuple(
            _part(index, question, given[index] if index < len(given) else "", (faults or {}).get(index, ""))
            for index, question in enumerate(paper.questions)
        ),
        draw=draw,
        due=due,
        expired=expired,
        attempts=attempts,
        older=attempts[-1].draw if more else None,
        solved=attempts_of(viewer, quiz).filter(passed=True).exists(),
        refusal=refusal,
    )


def attempt_page(viewer: Viewer, quiz: Quiz, attempt: Attempt) -> AttemptPage:
    """Return the page of an attempt of `viewer`."""
    intro = SafeString("")
    questions: tuple[MarkedPart, ...] = ()
    if attempt.version == quiz.version and attempt.answers:
        paper = paper_of(viewer, quiz, attempt.draw)
        intro = render_once(paper.intro)
        marks = mark_all(paper, attempt.answers, partial=True)
        marked = zip(paper.questions, attempt.answers, marks, strict=True)
        questions = tuple(
            _marked(index, question, given, mark) for index, (question, given, mark) in enumerate(marked)
        )
    return AttemptPage(quiz, attempt, intro, questions, latest=next_draw(viewer, quiz) == attempt.draw + 1)


def _part(index: int, question: PaperQuestion, given: str, fault: str) -> QuestionPart:
    return QuestionPart(
        number=index + 1,
        name=field_name(index),
        html=render_once(question.text),
        unit=question.unit,
        options=tuple(
            Option(str(place), _one_line(text), given == str(place))
            for place, text in enumerate(question.options)
        ),
        given=given,
        fault=fault,
    )


def _marked(index: int, question: PaperQuestion, given: str, mark: Mark) -> MarkedPart:
    return MarkedPart(
        number=index + 1,
        html=render_once(question.text),
        unit=question.unit,
        given=_answer(question, read_answer(question, given)) if given else SafeString(""),
        answer=_answer(question, question.answer),
        right=mark.right,
        hint=render_once(mark.hint),
        explanation=render_once(question.explanation),
    )


def _answer(question: PaperQuestion, value: float) -> SafeString:
    if question.kind is QuestionKind.CHOICE:
        return _one_line(question.options[int(value)])
    return SafeString(spell(value, digits=_SHOWN_DIGITS))


def _one_line(text: str) -> SafeString:
    """Return a text of one paragraph without the tags of the paragraph."""
    html = render_once(text).strip()
    inner = html.removeprefix("<p>").removesuffix("</p>")
    return SafeString(html) if "<p>" in inner else mark_safe(inner)  # noqa: S308 - a part of sanitised HTML
