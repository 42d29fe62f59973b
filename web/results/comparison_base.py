"""Chooses the submission with which another one is compared."""

from django.db.models import Case, F, QuerySet, When

from problems.vocabulary import Language, Mode, Verdict
from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.results import peer_scores
from web.submissions.models import Best, Submission, may_be_public_id
from web.submissions.queries import Viewer, score_of, visible_submissions

PREVIOUS, ACCEPTED, BEST = "previous", "accepted", "best"
MAX_RECENT = 20


def comparison_base(submission: Submission, viewer: Viewer, against: str) -> Submission | None:
    """Return the submission that `against` names; None if there is none.

    `against` is `previous`, `accepted`, `best`, or a public id. `previous` is the author's last submission
    before `submission` in the same language with another source. `accepted` and `best` are the viewer's last
    accepted and best submission in the same language. For viewers who can read all submissions, they are
    those of the author. The viewer may see `submission`, and gains no access to others.
    """
    visible = visible_submissions(viewer).exclude(pk=submission.pk)
    if against == PREVIOUS:
        return _previous(submission, viewer, visible)
    if against == ACCEPTED:
        return _accepted(submission, viewer, visible)
    if against == BEST:
        best = _best(submission, viewer)
        return visible.filter(pk=best).first() if best is not None else None
    return visible.filter(public_id=against).first() if may_be_public_id(against) else None


def own(viewer: Viewer, problem: Problem, language: Language, which: str) -> Submission | None:
    """Return the viewer's last accepted submission to `problem` in `language`, or the fastest with `BEST`."""
    mine = visible_submissions(viewer).filter(user=viewer.pk, problem=problem, language=language.value)
    if which == BEST:
        best = _fastest_first(viewer.pk, problem.pk, language.value)
        return mine.filter(pk=best.values("submission")[:1]).first()
    accepted = mine.filter(mode=Mode.SUBMIT.value, report__verdict=Verdict.ACCEPTED.value)
    return accepted.order_by("-created", "-pk").first()


def recent(submission: Submission, viewer: Viewer) -> list[Submission]:
    """Return the latest other submissions of the same users to the same problem, to choose from."""
    rows = visible_submissions(viewer).filter(user=_whose(submission, viewer), problem=submission.problem_id)
    return list(
        rows.exclude(pk=submission.pk)
        .defer("source", "report__body")
        .order_by("-created", "-pk")[:MAX_RECENT]
    )


def _whose(submission: Submission, viewer: Viewer) -> int:
    return submission.user_id if reads_all(viewer) or not viewer.pk else viewer.pk


def _previous(submission: Submission, viewer: Viewer, visible: QuerySet[Submission]) -> Submission | None:
    if _whose(submission, viewer) != submission.user_id:
        return None
    earlier = visible.filter(
        user=submission.user_id,
        problem=submission.problem_id,
        language=submission.language,
        created__lte=submission.created,
    )
    return earlier.exclude(source=submission.source).order_by("-created", "-pk").first()


def _accepted(submission: Submission, viewer: Viewer, visible: QuerySet[Submission]) -> Submission | None:
    whose = _whose(submission, viewer)
    rows = visible.filter(
        user=whose,
        problem=submission.problem_id,
        language=submission.language,
        mode=Mode.SUBMIT.value,
        report__verdict=Verdict.ACCEPTED.value,
    )
    if whose == submission.user_id:
        rows = rows.filter(created__lte=submission.created)
    return rows.order_by("-created", "-pk").first()


def _best(submission: Submission, viewer: Viewer) -> int | None:
    whose = _whose(submission, viewer)
    if whose == submission.user_id and score_of(submission):
        best = peer_scores.own_best(submission)
        return best.submission_id if best else None
    rows = _fastest_first(whose, submission.problem_id, submission.language).exclude(submission=submission.pk)
    return rows.values_list("submission", flat=True).first()


def _fastest_first(user_id: int | None, problem_id: int, language: str) -> QuerySet[Best]:
    """Return the best scores of a user: those on the problem's current version first, each by time."""
    rows = Best.objects.filter(user=user_id, problem=problem_id, language=language, current=True)
    return rows.order_by(Case(When(version=F("problem__version"), then=0), default=1), "score_us")
