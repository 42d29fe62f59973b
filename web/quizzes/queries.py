"""Reads of quizzes and of the viewer's attempts."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import DateTimeField, F, FilteredRelation, Max, Min, Q, QuerySet, Value

from problems.quiz import Quiz as QuizSpec
from problems.quiz import parse_quiz
from problems.quiz_paper import Paper, draw_paper
from web.catalog.queries import Viewer
from web.quizzes.models import Attempt, Quiz, Sitting

_NEVER = Value(None, output_field=DateTimeField())
_EXAMPLE = "example"  # the seed of the numbers for visitors
_PAPERS = 256


@dataclass(frozen=True, slots=True)
class LiveQuiz:
    """A quiz in a list, with the viewer's progress. `day` is None if it belongs to no day.

    `solved_at` is the time of the first passed attempt, and `latest` that of the latest attempt.
    """

    slug: str
    title: str
    summary: str
    difficulty: str
    tags: tuple[str, ...]
    day: int | None
    questions: int
    pass_mark: int
    minutes: int | None
    published: bool
    solved_at: datetime | None
    latest: datetime | None

    @property
    def solved(self) -> bool:
        """Return whether the viewer has passed it."""
        return self.solved_at is not None

    @property
    def attempted(self) -> bool:
        """Return whether the viewer has answered it."""
        return self.latest is not None

    @property
    def state(self) -> str:
        """Return `solved`, `attempted` or `new`."""
        return "solved" if self.solved else "attempted" if self.attempted else "new"


def list_quizzes(viewer: Viewer) -> tuple[LiveQuiz, ...]:
    """Return the quizzes that `viewer` may see, in the order of their days. One query.

    Quizzes without a day come last.
    """
    # Queries with sums have no order of their own: Django drops that of the model.
    found = _visible(viewer).defer("source").order_by(F("track_day").asc(nulls_last=True), "slug")
    if viewer.is_authenticated:
        # A condition of the join: as a filter of the sums, it would read the attempts of all users.
        found = found.annotate(
            own=FilteredRelation("attempts", condition=Q(attempts__user=viewer.pk)),
            solved_at=Min("own__created", filter=Q(own__passed=True)),
            latest=Max("own__created"),
        )
    else:
        found = found.annotate(solved_at=_NEVER, latest=_NEVER)
    return tuple(_live(quiz) for quiz in found)


def live_quizzes(viewer: Viewer) -> dict[str, LiveQuiz]:
    """Return the quizzes that `viewer` may see, by their slugs. One query. For lists of other apps."""
    return {quiz.slug: quiz for quiz in list_quizzes(viewer)}


def find_quiz(viewer: Viewer, slug: str) -> Quiz | None:
    """Return the quiz with that slug; None if there is none that `viewer` may see."""
    return _visible(viewer).filter(slug=slug).first()


def attempts_of(viewer: Viewer, quiz: Quiz, *, before: int | None = None) -> QuerySet[Attempt]:
    """Return the attempts of `viewer` at `quiz`, the latest first, without the answers.

    `before` is the draw of the last one on the previous page.
    """
    if not viewer.is_authenticated:
        return Attempt.objects.none()
    found = Attempt.objects.filter(user=viewer.pk, quiz=quiz).defer("answers").order_by("-draw")
    return found if before is None else found.filter(draw__lt=before)


def find_attempt(viewer: Viewer, quiz: Quiz, draw: int) -> Attempt | None:
    """Return the attempt of `viewer` with the number `draw`; None if there is none."""
    if not viewer.is_authenticated:
        return None
    return Attempt.objects.filter(user=viewer.pk, quiz=quiz, draw=draw).first()


def next_draw(viewer: Viewer, quiz: Quiz) -> int:
    """Return the number of the draw that `viewer` answers next: the one after the latest attempt."""
    latest = Attempt.objects.filter(user=viewer.pk, quiz=quiz).order_by("-draw")
    return (latest.values_list("draw", flat=True).first() or 0) + 1


def sitting_of(viewer: Viewer, quiz: Quiz) -> Sitting | None:
    """Return the sitting whose questions `viewer` has yet to answer, also if its time is over.

    None if `viewer` has not started, has answered, or started another version of the quiz.
    """
    if not viewer.is_authenticated or quiz.minutes is None:
        return None
    found = Sitting.objects.filter(user=viewer.pk, quiz=quiz, version=quiz.version).select_related("quiz")
    return found.filter(draw=next_draw(viewer, quiz)).first()


def paper_of(viewer: Viewer, quiz: Quiz, draw: int) -> Paper:
    """Return `quiz` with the numbers of `viewer` for a draw. Visitors get the same example."""
    seed = f"{viewer.pk}/{draw}" if viewer.is_authenticated else _EXAMPLE
    return _paper(quiz.slug, quiz.source, seed)


@lru_cache(maxsize=_PAPERS)
def _paper(slug: str, source: str, seed: str) -> Paper:
    return draw_paper(_spec(slug, source), seed)


@lru_cache(maxsize=64)
def _spec(slug: str, source: str) -> QuizSpec:
    return parse_quiz(slug, source)


def _visible(viewer: Viewer) -> QuerySet[Quiz]:
    """Return the quizzes with a valid file that `viewer` may see.

    Learners see published ones. Staff and instructors also see hidden ones, to try them before learners do.
    """
    quizzes = Quiz.objects.filter(live=True)
    tries = viewer.is_authenticated and (viewer.is_staff or viewer.is_instructor)
    return quizzes if tries else quizzes.filter(published=True)


def _live(quiz: Quiz) -> LiveQuiz:
    return LiveQuiz(
        slug=quiz.slug,
        title=quiz.title,
        summary=quiz.summary,
        difficulty=quiz.difficulty,
        tags=tuple(quiz.tags),
        day=quiz.track_day,
        questions=quiz.questions,
        pass_mark=quiz.pass_mark,
        minutes=quiz.minutes,
        published=quiz.published,
        solved_at=getattr(quiz, "solved_at", None),
        latest=getattr(quiz, "latest", None),
    )
