"""Quizzes: questions with your numbers, and your attempts."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from django.utils import timezone
from ninja import Field, Router, Schema

from problems.quiz import QuestionKind
from problems.quiz_answers import MAX_CHARACTERS
from problems.quiz_paper import Paper, read_answer
from problems.vocabulary import Difficulty
from web.api.auth import PUBLIC, SUBMIT, ApiRequest
from web.api.errors import documented
from web.api.problems import Slug
from web.quizzes import queries, services
from web.quizzes.models import Attempt, Quiz

router = Router(auth=PUBLIC)
_MAX_ANSWERS = 100


class QuizOut(Schema):
    """A quiz in a list, with your progress. `day` is null if it belongs to no day.

    `minutes` is the time limit, null for none.
    """

    slug: str
    title: str
    summary: str
    difficulty: Difficulty
    tags: list[str]
    day: int | None
    questions: int
    pass_mark: int
    minutes: int | None
    solved: bool
    attempted: bool


class QuestionOut(Schema):
    """A question as Markdown with TeX. A choice has `options`; answer with the index of one."""

    kind: QuestionKind
    text: str
    unit: str
    options: list[str]


class QuizDetailOut(Schema):
    """A quiz with your numbers. Without sign-in these are example numbers, and `draw` is 0.

    Send `draw` and `version` with your answers. If the quiz has a time limit of `minutes`, `questions` is
    empty and `due` null until you start it. Answers after `due` do not solve the quiz.
    """

    slug: str
    title: str
    summary: str
    pass_mark: int
    minutes: int | None
    due: datetime | None
    draw: int
    version: str
    intro: str
    questions: list[QuestionOut]


class AnswersIn(Schema):
    """Answers in the order of the questions: numbers as text such as `1.5e3`, or the index of an option.

    If the quiz has a time limit, `partial` counts missing and unreadable answers as wrong.
    """

    draw: int = Field(ge=1, le=10**9)
    version: str = Field(max_length=64)
    answers: list[Annotated[str, Field(max_length=MAX_CHARACTERS)]] = Field(max_length=_MAX_ANSWERS)
    partial: bool = False


class MarkOut(Schema):
    """The mark of an answer. `answer` is the right number, or the index of the right option.

    `given` is null for a missing answer. `hint` explains a known mistake, empty for other answers. Both texts
    are Markdown.
    """

    given: float | None
    right: bool
    answer: float
    hint: str
    explanation: str


class AttemptOut(Schema):
    """A marked attempt. `late` says that the time limit was over."""

    draw: int
    right: int
    questions: int
    passed: bool
    late: bool
    created: datetime
    marks: list[MarkOut]


@router.get("", response={200: list[QuizOut], **documented(401)}, summary="List quizzes")
def list_quizzes(request: ApiRequest) -> Any:
    """Return the published quizzes in the order of their days. Instructors and staff get hidden ones too."""
    return queries.list_quizzes(request.user)


@router.get("/{slug}", response={200: QuizDetailOut, **documented(401, 404, 422)}, summary="Show a quiz")
def show_quiz(request: ApiRequest, slug: Slug) -> Any:
    """Return a quiz with the numbers that you answer next."""
    return _detail(request, _find(request, slug))


@router.post(
    "/{slug}/start",
    auth=SUBMIT,
    response={200: QuizDetailOut, **documented(401, 403, 404, 409, 422)},
    summary="Start a quiz with a time limit",
)
def start_quiz(request: ApiRequest, slug: Slug) -> Any:
    """Start the quiz and return its questions. A running attempt continues with its numbers and its time.

    The answer is 404 if the quiz has no time limit, and 429 after too many attempts in 24 hours.
    """
    quiz = _find(request, slug)
    if quiz.minutes is None:
        raise Http404
    user: Any = request.user
    services.start(user, quiz)
    return _detail(request, quiz)


@router.post(
    "/{slug}/attempts",
    auth=SUBMIT,
    response={200: AttemptOut, **documented(401, 403, 404, 409, 422)},
    summary="Answer a quiz",
)
def answer_quiz(request: ApiRequest, slug: Slug, body: AnswersIn) -> Any:
    """Mark your answers and record the attempt. The next one gets other numbers.

    The answer is 409 if `draw` or `version` are not the current ones, 422 if an answer is missing or
    unreadable, and 429 after too many attempts in 24 hours.
    """
    quiz = _find(request, slug)
    user: Any = request.user
    attempt = services.answer(
        user, quiz, draw=body.draw, version=body.version, answers=body.answers, partial=body.partial
    )
    return _attempt(attempt, queries.paper_of(user, quiz, body.draw))


def _detail(request: ApiRequest, quiz: Quiz) -> dict[str, Any]:
    draw = queries.next_draw(request.user, quiz) if request.user.is_authenticated else 0
    sitting = queries.sitting_of(request.user, quiz)
    paper = queries.paper_of(request.user, quiz, draw)
    sealed = quiz.minutes is not None and (sitting is None or sitting.due < timezone.now())
    return {
        "slug": quiz.slug,
        "title": quiz.title,
        "summary": quiz.summary,
        "pass_mark": quiz.pass_mark,
        "minutes": quiz.minutes,
        "due": sitting.due if sitting else None,
        "draw": draw,
        "version": quiz.version,
        "intro": "" if sealed else paper.intro,
        "questions": [] if sealed else paper.questions,
    }


def _find(request: ApiRequest, slug: str) -> Quiz:
    quiz = queries.find_quiz(request.user, slug)
    if quiz is None:
        raise Http404
    return quiz


def _attempt(attempt: Attempt, paper: Paper) -> dict[str, Any]:
    marks = services.mark_all(paper, attempt.answers, partial=True)
    marked = zip(paper.questions, attempt.answers, marks, strict=True)
    return {
        "draw": attempt.draw,
        "right": attempt.right,
        "questions": attempt.questions,
        "passed": attempt.passed,
        "late": attempt.late,
        "created": attempt.created,
        "marks": [
            {
                "given": read_answer(question, given) if given else None,
                "right": mark.right,
                "answer": question.answer,
                "hint": mark.hint,
                "explanation": question.explanation,
            }
            for question, given, mark in marked
        ],
    }
