"""Tests profiles: who may see them, and their contents."""

import re
from datetime import date, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import Audience, User
from web.accounts.visibility import may_see_profile, ranked_users
from web.profiles import queries, services
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.tracks.models import Entry, Track

pytestmark = pytest.mark.django_db


def told(answer) -> str:
    """The page without its token, which differs from page to page."""
    return re.sub(r'value="\w{64}"', "", answer.content.decode())


@pytest.mark.parametrize(
    ("audience", "seen_by"),
    [
        (Audience.EVERYBODY, {"owner", "teammate", "staff", "stranger"}),
        (Audience.SIGNED_IN, {"owner", "teammate", "staff"}),
        (Audience.NOBODY, {"owner", "staff"}),
    ],
)
def test_a_profile_is_seen_by_its_audience(
    owner, teammate, staff, stranger, browser_of, audience, seen_by
) -> None:
    User.objects.filter(pk=owner.pk).update(profile_audience=audience)
    owner.refresh_from_db()
    people = {"owner": owner, "teammate": teammate, "staff": staff, "stranger": stranger}
    assert {name for name, person in people.items() if may_see_profile(person, owner)} == seen_by
    for name, person in people.items():
        answer = browser_of(person).get("/u/owner")
        assert answer.status_code == (200 if name in seen_by else 404), name
        if name not in seen_by:
            missing = browser_of(person).get("/u/nobody")
            assert told(missing).replace("/u/nobody", "/u/owner") == told(answer)


def test_only_staff_see_the_profile_of_somebody_who_was_locked_out(owner, teammate, staff) -> None:
    owner.is_active = False
    assert may_see_profile(staff, owner)
    assert not may_see_profile(teammate, owner)


def test_rankings_leave_out_the_unwilling_and_the_locked_out(owner, teammate, staff) -> None:
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    User.objects.filter(pk=teammate.pk).update(is_active=False)
    assert [*User.objects.filter(ranked_users())] == [staff]


def test_a_name_in_another_case_leads_to_the_right_one(owner, client: Client) -> None:
    assert client.get("/u/OWNER")["Location"] == "/u/owner"
    User.objects.filter(pk=owner.pk).update(profile_audience=Audience.NOBODY)
    assert client.get("/u/OWNER").status_code == 404


@pytest.mark.parametrize("name", ["%00", "..", "a%20b", "<script>", "x" * 200])
def test_a_strange_name_has_no_profile(db, client: Client, name) -> None:
    assert client.get(f"/u/{name}").status_code == 404


def test_problems_stand_under_their_tracks_and_elsewhere_by_difficulty(owner, handed_in, problem) -> None:
    other, hard = new_problem("reduction"), new_problem("hard", difficulty="hard")
    hidden = new_problem("hidden", published=False)
    track = Track.objects.create(slug="days", title="Days", summary="s", order=1)
    late = Track.objects.create(slug="late", title="Late", summary="s", order=2)
    for position, (path, member) in enumerate([(track, other), (track, problem), (late, problem)]):
        Entry.objects.create(track=path, problem=member, position=position)
    Entry.objects.create(track=track, problem=hidden, position=9)
    handed_in(owner)
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    grid = queries.solved_grid(owner)
    told = [(title, [(cell.slug, cell.solved is not None) for cell in cells]) for title, cells in grid]
    assert told == [("Days", [("reduction", False), ("vector-add", True)]), ("Hard", [(hard.slug, False)])]


def test_anothers_progress_is_not_ones_own(owner, teammate, handed_in, problem) -> None:
    handed_in(teammate)
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    assert [cell.solved for _, cells in queries.solved_grid(owner) for cell in cells] == [None]


def test_a_year_of_submissions_is_counted_by_day(owner, teammate, handed_in) -> None:
    now = timezone.now()
    for age, language in ((0, Language.CUDA), (0, Language.TRITON), (3, Language.CUDA), (400, Language.CUDA)):
        made = handed_in(owner, language=language)
        Submission.objects.filter(pk=made.pk).update(created=now - timedelta(days=age))
    handed_in(teammate)
    found = queries.activity(owner)
    assert found.days == {now.date(): 2, (now - timedelta(days=3)).date(): 1}
    assert found.languages == ("cuda", "triton")
    assert found.total == 3


def test_activity_is_for_those_who_may_see_it(owner, teammate, staff, handed_in, browser_of) -> None:
    handed_in(owner)
    User.objects.filter(pk=owner.pk).update(shows_activity=False)
    shown = {
        person.username: "1 submission on 1 day" in browser_of(person).get("/u/owner").content.decode()
        for person in (owner, teammate, staff)
    }
    assert shown == {"owner": True, "teammate": False, "staff": True}


def test_the_owner_is_told_what_others_do_not_see(owner, teammate, browser_of) -> None:
    User.objects.filter(pk=owner.pk).update(
        profile_audience=Audience.SIGNED_IN, shows_activity=False, in_rankings=False
    )
    told = (
        "Only signed-in users can see this page. Only you can see your activity. "
        "You are hidden from rankings."
    )
    assert told in browser_of(owner).get("/u/owner").content.decode()
    assert told not in browser_of(teammate).get("/u/owner").content.decode()


def test_records_are_shown_and_go_when_one_does_not_rank(owner, handed_in, client: Client) -> None:
    record(handed_in(owner), timed_report())
    assert "NVIDIA H200" in client.get("/u/owner").content.decode()
    services.change_privacy(owner, audience=Audience.EVERYBODY, shows_activity=True, in_rankings=False)
    assert "NVIDIA H200" not in client.get("/u/owner").content.decode()


def test_a_profile_takes_few_queries_whatever_its_size(
    owner, teammate, handed_in, browser_of, django_assert_max_num_queries
) -> None:
    track = Track.objects.create(slug="days", title="Days", summary="s")
    for number in range(30):
        Entry.objects.create(track=track, problem=new_problem(f"p{number}"), position=number)
    for number in range(5):
        record(handed_in(owner), timed_report(5.0 - number))
    browser = browser_of(teammate)
    with django_assert_max_num_queries(8):
        assert browser.get("/u/owner").status_code == 200


def test_the_day_of_activity_ends_with_today(owner) -> None:
    now = datetime(2026, 3, 1, 23, 59, tzinfo=timezone.get_current_timezone())
    assert queries.activity(owner, now=now).last == date(2026, 3, 1)
