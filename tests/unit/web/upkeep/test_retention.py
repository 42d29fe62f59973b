"""Tests which rows are deleted after a time, and which never are."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Verdict
from web.audit.models import AuditEntry, AuditKind
from web.drafts.models import Draft, DraftRevision
from web.drafts.services import KEPT_FOR
from web.rejudges import rejudging
from web.rejudges.models import HiddenRun, Rejudge, RejudgeState
from web.submissions import services
from web.submissions.models import Event, Submission
from web.upkeep import retention
from web.upkeep.retention import Pruned, prune

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def judged(owner, handed_in) -> Submission:
    made = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    return made


def test_steps_of_what_was_judged_long_ago_go(owner, handed_in, judged, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    running = handed_in(owner)
    services.claim("w")
    long_ago = judged.events.count()
    Event.objects.update(created=timezone.now() - 91 * DAY)
    services.rejudge(judged)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    steps = judged.events.count()
    assert prune(90).events == long_ago
    assert judged.events.count() == steps - long_ago
    assert running.events.exists()
    assert judged.report.verdict == Verdict.ACCEPTED


def test_steps_are_kept_for_ever_if_asked_for(judged):
    Event.objects.update(created=timezone.now() - 9999 * DAY)
    assert prune(0).events == 0
    assert judged.events.exists()


def test_a_page_needs_no_steps(owner, judged, browser_of):
    Event.objects.all().delete()
    assert browser_of(owner).get(f"/s/{judged.public_id}").status_code == 200


def test_sessions_that_are_over_go(owner, browser_of):
    browser_of(owner)
    kept = Session.objects.get()
    Session.objects.create(session_key="over", session_data="", expire_date=timezone.now() - DAY)
    for key in (kept.session_key, "over"):
        UserSession.objects.create(user=owner, session_key=key, ip="127.0.0.1", user_agent="")
    assert prune(90) == Pruned(events=0, sessions=1, revisions=0)
    assert Session.objects.get() == kept
    assert UserSession.objects.get().session_key == kept.session_key


def test_earlier_texts_go_and_drafts_stay(owner, problem):
    draft = Draft.objects.create(user=owner, problem=problem, language="cuda", source="// now", revision=3)
    for revision, age in ((1, KEPT_FOR + DAY), (2, KEPT_FOR - DAY)):
        DraftRevision.objects.create(
            draft=draft, revision=revision, source="// old", saved=timezone.now() - age
        )
    Draft.objects.update(saved=timezone.now() - 9999 * DAY)
    assert prune(90).revisions == 1
    assert draft.revisions.get().revision == 2


@pytest.mark.parametrize(
    ("state", "days"),
    [(RejudgeState.CANCELLED, 7), (RejudgeState.DISCARDED, 7), (RejudgeState.APPLIED, 90)],
)
def test_runs_of_rejudges_that_ended_go(staff, judged, state, days):
    ended, recent, waiting = (
        rejudging.start(staff, Submission.objects.all(), reason="x", chosen={}) for _ in range(3)
    )
    Rejudge.objects.filter(pk__in=[ended.pk, recent.pk]).update(state=state)
    Rejudge.objects.filter(pk=ended.pk).update(ended=timezone.now() - (days + 1) * DAY)
    Rejudge.objects.filter(pk=recent.pk).update(ended=timezone.now() - (days - 1) * DAY)
    Rejudge.objects.update(created=timezone.now() - 9999 * DAY)
    assert prune(90).hidden_runs == 1
    assert [*HiddenRun.objects.values_list("rejudge", flat=True)] == [recent.pk, waiting.pk]
    assert Rejudge.objects.filter(pk=ended.pk).exists()


def test_a_rejudge_that_staff_never_answered_is_discarded(staff, judged):
    old, recent = (rejudging.start(staff, Submission.objects.all(), reason="x", chosen={}) for _ in range(2))
    Rejudge.objects.update(state=RejudgeState.READY, created=timezone.now() - 60 * DAY)
    Rejudge.objects.filter(pk=old.pk).update(created=timezone.now() - 91 * DAY)
    prune(90)
    assert [*Rejudge.objects.order_by("pk").values_list("state", flat=True)] == [
        RejudgeState.DISCARDED,
        RejudgeState.READY,
    ]
    assert AuditEntry.objects.get(kind=AuditKind.PREVIEW_DISCARD).actor is None
    assert {run.rejudge_id for run in HiddenRun.objects.all()} == {old.pk, recent.pk}
    assert prune(90, timezone.now() + 8 * DAY).hidden_runs == 1


def test_the_command_says_how_many(judged, capsys):
    call_command("prune")
    said = capsys.readouterr().out
    assert (
        "0 progress events, 0 sessions, 0 earlier revisions of drafts, 0 notifications, 0 replays, "
        "0 files of Nsight Compute and 0 runs of rejudges" in said
    )
