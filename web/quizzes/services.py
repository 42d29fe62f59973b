"""Writes about quizzes: load them, start them, answer them.

AttemptRefused
+-- AnswersInvalid     an answer is missing or unreadable
+-- NotStarted         the quiz has a time limit, and the user has not started it
+-- NumbersChanged     the answers are for other numbers than the current ones
+-- TooManyAttempts    the user has made too many attempts today
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from problems.quiz_answers import AnswerUnreadable
from problems.quiz_files import QuizFile
from problems.quiz_paper import Mark, Paper, count_right, mark, read_answer
from web.accounts.models import User
from web.accounts.services import lock_user
from web.quizzes.models import Attempt, Quiz, Sitting
from web.quizzes.queries import next_draw, paper_of, sitting_of

MAX_ATTEMPTS_A_DAY = 30  # of one user at one quiz
GRACE = timedelta(seconds=15)  # for answers that are sent in the last second


class AttemptRefused(Exception):
    """Root of the reasons for not taking answers. The message is for the user."""


class AnswersInvalid(AttemptRefused):
    """Raised when an answer is missing or unreadable. `faults` has a message for each such question."""

    def __init__(self, faults: Mapping[int, str]) -> None:
        super().__init__("Some answers are missing or unreadable. Nothing was recorded.")
        self.faults = faults


class NotStarted(AttemptRefused):
    """Raised when answers to a quiz with a time limit come without a start."""


class NumbersChanged(AttemptRefused):
    """Raised when answers are for an earlier draw, or for another version of the quiz."""


class TooManyAttempts(AttemptRefused):
    """Raised when the user has made MAX_ATTEMPTS_A_DAY attempts in 24 hours."""


@transaction.atomic
def start(user: User, quiz: Quiz) -> Sitting:
    """Start a quiz with a time limit, and return the sitting. A running one continues.

    If the time of the previous sitting was over before the answers came, this records an attempt without
    answers. So the new sitting has new numbers.

    Raises:
        TooManyAttempts: see the tree above.
    """
    lock_user(user)
    draw, sitting = next_draw(user, quiz), sitting_of(user, quiz)
    if sitting is not None:
        if timezone.now() <= sitting.due:
            return sitting
        _record(user, quiz, draw=draw, answers=(), right=0, late=True)
        draw += 1
    _require_fewer_attempts(user, quiz)
    started = {"draw": draw, "version": quiz.version, "started": timezone.now()}
    return Sitting.objects.update_or_create(user=user, quiz=quiz, defaults=started)[0]


def answer(
    user: User, quiz: Quiz, *, draw: int, version: str, answers: Sequence[str], partial: bool = False
) -> Attempt:
    """Mark `answers`, one for each question in order, and record the attempt.

    `draw` and `version` are those with which the user got the questions. Answers after the time limit do not
    solve the quiz. If the quiz has a time limit and the attempt is `partial`, missing and unreadable answers
    are recorded as empty and count as wrong.

    Raises:
        AttemptRefused: see the tree above.
    """
    if version != quiz.version or draw != next_draw(user, quiz):
        raise NumbersChanged("These answers were for different numbers. Answer the current questions.")
    late = False
    if quiz.minutes is not None:
        sitting = sitting_of(user, quiz)
        if sitting is None:
            raise NotStarted("This quiz has a time limit. Start it first.")
        late = timezone.now() > sitting.due + GRACE
    else:
        _require_fewer_attempts(user, quiz)
    paper = paper_of(user, quiz, draw)
    if partial := partial and quiz.minutes is not None:
        answers = _readable(paper, answers)
    right = count_right(mark_all(paper, answers, partial=partial))
    try:
        with transaction.atomic():
            return _record(user, quiz, draw=draw, answers=answers, right=right, late=late)
    except IntegrityError:  # a double click
        raise NumbersChanged("These answers were recorded before.") from None


def _require_fewer_attempts(user: User, quiz: Quiz) -> None:
    day = timezone.now() - timedelta(days=1)
    if Attempt.objects.filter(user=user, quiz=quiz, created__gt=day).count() >= MAX_ATTEMPTS_A_DAY:
        raise TooManyAttempts(
            f"You have made {MAX_ATTEMPTS_A_DAY} attempts at this quiz in 24 hours. Try again tomorrow."
        )


def _record(user: User, quiz: Quiz, *, draw: int, answers: Sequence[str], right: int, late: bool) -> Attempt:
    return Attempt.objects.create(
        quiz=quiz,
        user=user,
        draw=draw,
        version=quiz.version,
        answers=list(answers),
        right=right,
        questions=quiz.questions,
        passed=right >= quiz.pass_mark and not late,
        late=late,
    )


def _readable(paper: Paper, answers: Sequence[str]) -> list[str]:
    """Return `answers`, empty where one is missing or unreadable."""
    found = [*answers, *[""] * (len(paper.questions) - len(answers))]
    for index, question in enumerate(paper.questions):
        try:
            read_answer(question, found[index])
        except AnswerUnreadable:
            found[index] = ""
    return found


def mark_all(paper: Paper, answers: Sequence[str], *, partial: bool = False) -> tuple[Mark, ...]:
    """Return the mark of each answer. If the answers are `partial`, empty ones are wrong.

    Raises:
        AnswersInvalid: an answer is missing or unreadable.
    """
    marks: list[Mark] = []
    faults: dict[int, str] = {}
    for index, question in enumerate(paper.questions):
        text = answers[index] if index < len(answers) else ""
        try:
            marks.append(Mark(right=False) if partial and not text else mark(question, text))
        except AnswerUnreadable as error:
            faults[index] = str(error)
    if len(answers) > len(paper.questions):
        faults[len(paper.questions)] = "The quiz has fewer questions."
    if faults:
        raise AnswersInvalid(faults)
    return tuple(marks)


@transaction.atomic
def sync(files: Iterable[QuizFile]) -> int:
    """Update the quizzes from `files`, and return how many there are.

    New quizzes are published. Existing ones keep the choice of staff. Quizzes whose file is missing or broken
    are hidden, and keep their attempts. Quizzes that staff uploaded stay as they are, and a file with the
    slug of one of them is skipped.
    """
    uploaded = set(Quiz.objects.filter(from_files=False).values_list("slug", flat=True))
    wanted = [file for file in files if file.quiz.slug not in uploaded]
    for file in wanted:
        write(file, from_files=True)
    known = {file.quiz.slug for file in wanted}
    Quiz.objects.filter(from_files=True).exclude(slug__in=known).update(live=False)
    return len(known)


def write(file: QuizFile, *, from_files: bool) -> Quiz:
    """Create the quiz of `file`, or give an existing one with its slug this content."""
    spec = file.quiz
    quiz, _ = Quiz.objects.update_or_create(
        slug=spec.slug,
        defaults={
            "title": spec.title,
            "summary": spec.summary,
            "difficulty": spec.difficulty.value,
            "tags": list(spec.tags),
            "track_day": spec.track_day,
            "questions": len(spec.questions),
            "pass_mark": spec.pass_mark,
            "minutes": spec.minutes,
            "source": file.source,
            "version": hashlib.sha256(file.source.encode()).hexdigest(),
            "from_files": from_files,
            "live": True,
        },
    )
    return quiz
