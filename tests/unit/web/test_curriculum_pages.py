"""Tests tracks with planned entries: their pages, the staff form, certificates and practice days."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from judge.report import Report
from problems.curriculum import Curriculum, PlannedProblem, Section
from problems.loader import problems_root
from problems.quiz_files import check_quiz
from problems.track import TrackFile, load_tracks
from problems.vocabulary import Language, Verdict
from tests.conftest import new_problem
from tests.unit.problems.quizzes.test_format import QUIZ
from tests.unit.web.figures import record
from web.accounts.models import User
from web.catalog.models import Problem
from web.practice.queries import PracticeDays, practice_days
from web.privacy.deletion import delete_account
from web.quizzes import services as quizzes
from web.quizzes.models import Attempt
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.tracks import queries, services
from web.tracks.models import Track

pytestmark = pytest.mark.django_db
MOST_BYTES = 60 * 1024
CURRICULUM = Curriculum(
    (
        PlannedProblem("a", "Planned A", "Summary of A.", 1, "Topic of A"),
        PlannedProblem("soon", "Soon there", "Summary of soon.", 2, "Topic of soon"),
        PlannedProblem("c", "Planned C", "Summary of C.", 4, "Topic of C"),
        PlannedProblem("later", "Later there", "Summary of later."),
    ),
    (Section(1, "Begin"), Section(3, "Go on")),
)
OUTCOMES = ("Write a kernel", "Guard it")
WHOLE = TrackFile("whole", "Whole", "All there.", ("a", "b"), "", 5, 6, ("C++",), OUTCOMES)
PART = TrackFile("part", "Part", "Not all there.", ("b", "later", "a", "c"), "", 6)
RARE = TrackFile("rare", "Rare", "One there.", ("later", "a"), "", 7)


@pytest.fixture(autouse=True)
def trio() -> dict[str, Problem]:
    """Problem a has its day from the package, b one between two days, and c one from the curriculum."""
    days = {"a": 1, "b": 3, "c": None}
    found = {slug: new_problem(slug, track_day=day) for slug, day in days.items()}
    services.sync([WHOLE, PART, RARE], CURRICULUM)
    return found


def solve(user: User, problem: Problem, verdict: Verdict = Verdict.ACCEPTED) -> Submission:
    submission = submissions.submit(user, problem, language=Language.CUDA, source="x")
    record(submission, Report(verdict))
    return submission


def certificate_url(client: Any) -> str:
    found = re.search(r'href="(/certificates/[^"]+)"', client.get("/tracks/whole").text)
    return found[1] if found else ""


def test_days_are_shown_in_order_with_those_to_come(client):
    path = queries.find_path(User(is_staff=False), "hundred-days")
    assert [(entry.day, entry.slug, entry.state) for entry in path.entries] == [
        (1, "a", "new"),
        (2, "soon", "coming"),
        (3, "b", "new"),
        (4, "c", "new"),
    ]
    page = client.get("/tracks/hundred-days").text
    assert "3 problems, 1 to come" in page
    assert re.findall(r"<h2[^>]*>([^<]+)", page) == ["Begin", "Go on"]
    assert "Days 1 to 3: 2 available, 1 to come" in page
    assert "Topic of soon" in page
    assert "/problems/soon" not in page
    assert "Planned A" not in page


def test_a_quiz_is_an_entry_like_a_problem(client, owner, browser_of):
    quiz = quizzes.write(check_quiz("soon", QUIZ), from_files=True)
    page = client.get("/tracks/hundred-days").text
    assert 'href="/quizzes/soon"' in page
    assert "to come" not in page.lower()
    api = client.get("/api/v1/tracks/hundred-days").json()
    assert [stop["slug"] for stop in api["stops"] if stop["is_quiz"]] == ["soon"]
    attempt = {"draw": 1, "version": quiz.version, "right": 1, "questions": 1}
    Attempt.objects.create(quiz=quiz, user=owner, passed=False, **attempt)
    assert queries.find_path(owner, "hundred-days").following.url == "/quizzes/soon"
    Attempt.objects.create(quiz=quiz, user=owner, passed=True, **attempt | {"draw": 2})
    states = [stop.state for stop in queries.find_path(owner, "hundred-days").stops]
    assert states == ["new", "solved", "new", "new"]
    assert "1 of 4 solved" in browser_of(owner).get("/tracks/hundred-days").text
    quiz.published = False
    quiz.save()
    assert queries.find_path(owner, "hundred-days").coming[0].slug == "soon"


def test_a_withdrawn_problem_is_to_come_again(client):
    Problem.objects.filter(slug="c").update(published=False)
    assert [entry.slug for entry in queries.find_path(User(), "hundred-days").coming] == ["soon", "c"]


def test_a_track_waits_for_two_problems(client, staff):
    assert client.get("/tracks/rare").status_code == 404
    assert client.get("/tracks/part").status_code == 200
    assert "rare" not in queries.track_titles(User())
    assert {"part", "whole", "hundred-days"} == {*queries.track_titles(User())}
    client.force_login(staff)
    assert "Hidden (1 more problem needed)" in client.get("/staff/tracks").text
    new_problem("later", track_day=None)
    services.sync([WHOLE, PART, RARE], CURRICULUM)
    assert client.get("/tracks/rare").status_code == 200


def test_the_page_says_what_the_track_needs_and_teaches(client):
    page = client.get("/tracks/whole").text
    assert "About 6 hours" in page
    assert "<dd>C++</dd>" in page
    assert "<li>Guard it</li>" in page
    assert "track-goals" not in client.get("/tracks/part").text
    answer = client.get("/api/v1/tracks/part").json()
    assert [entry["slug"] for entry in answer["coming"]] == ["later"]
    goals = client.get("/api/v1/tracks/whole").json()
    assert (goals["hours"], goals["prerequisites"], goals["outcomes"]) == (
        6,
        ["C++"],
        ["Write a kernel", "Guard it"],
    )


def test_one_continues_where_one_stopped(client, owner, trio):
    client.force_login(owner)
    solve(owner, trio["a"])
    assert "Continue with C" in client.get("/tracks/part").text
    solve(owner, trio["c"], Verdict.WRONG_ANSWER)
    assert "Continue where you stopped: C" in client.get("/tracks/hundred-days").text
    solve(owner, trio["c"])
    assert "Continue with B" in client.get("/tracks/part").text
    solve(owner, trio["b"])
    page = client.get("/tracks/part").text
    assert "You have solved every available problem. 1 is still to come." in page
    assert "/certificates/" not in page


def test_the_home_page_continues_the_latest_track(client, owner, trio):
    client.force_login(owner)
    solve(owner, trio["a"])
    begun = [path for path in queries.list_paths(owner) if any(stop.latest for stop in path.stops)]
    assert following(client) == begun[0].following.url
    solve(owner, trio["b"], Verdict.WRONG_ANSWER)
    assert following(client) == "/problems/b", "what is begun comes first"


def following(client) -> str:
    section = client.get("/").text.partition('class="resume"')[2].partition("</section>")[0]
    return section.partition('href="')[2].partition('"')[0]


def test_staff_edit_goals(client, staff, browser_of):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    fields = {"slug": "own", "title": "Own", "summary": "S.", "stops": "a b", "order": "9", "published": "on"}
    fields |= {"hours": "3", "prerequisites": "C++\r\nPython", "outcomes": "Write a kernel"}
    assert browser.post("/staff/tracks/new", fields).status_code == 302
    path = queries.find_path(staff, "own")
    assert (path.hours, path.prerequisites, path.outcomes) == (3, ("C++", "Python"), ("Write a kernel",))
    services.sync([], CURRICULUM)
    assert queries.find_path(staff, "own").hours == 3


def test_a_certificate_is_for_finished_tracks_and_can_be_checked_by_all(client, owner, teammate, trio):
    client.force_login(owner)
    solve(owner, trio["a"])
    assert certificate_url(client) == ""
    solve(owner, trio["b"])
    url = certificate_url(client)
    assert "Everyone with the address" in client.get(url).text
    client.logout()
    page = client.get(url)
    assert page.status_code == 200
    assert owner.username in page.text
    assert "all 2 problems" in page.text
    assert f"{timezone.now():%B %Y}" in page.text
    assert f"http://testserver{url}" in page.text
    assert 'name="robots" content="noindex"' in page.text
    assert "Everyone with the address" not in page.text
    client.force_login(teammate)
    assert certificate_url(client) == ""


@pytest.mark.parametrize("change", ["token", "signature", "account", "inactive", "track"])
def test_a_certificate_that_no_longer_holds_is_not_shown(client, owner, trio, change):
    client.force_login(owner)
    for slug in "ab":
        solve(owner, trio[slug])
    url = certificate_url(client)
    client.logout()
    if change == "token":
        url = url.replace("/certificates/W", "/certificates/X")
    elif change == "signature":
        url = url.rpartition(":")[0]
    elif change == "account":
        delete_account(owner)
    elif change == "inactive":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    else:
        Track.objects.filter(slug="whole").delete()
    assert client.get(url).status_code == 404


def test_a_certificate_outlives_a_change_of_the_track(client, owner, trio):
    client.force_login(owner)
    for slug in "ab":
        solve(owner, trio[slug])
    url = certificate_url(client)
    services.sync([TrackFile("whole", "Whole", "More.", ("a", "b", "c"))], CURRICULUM)
    assert certificate_url(client) == ""
    assert "all 2 problems" in client.get(url).text


def test_days_with_practice_are_counted_and_missing_ones_are_not_told(client, owner, teammate, trio):
    thursday = datetime(2026, 10, 8, 15, tzinfo=UTC)
    ages = {"today": 0, "again": 0, "monday": 3, "sunday": 4, "first": 7, "last month": 8}
    for days in ages.values():
        made = solve(owner, trio["a"], Verdict.WRONG_ANSWER)
        Submission.objects.filter(pk=made.pk).update(created=thursday - timedelta(days=days))
    assert practice_days(owner, thursday) == PracticeDays(week=2, month=4)
    assert practice_days(teammate, thursday) == PracticeDays(0, 0)
    solve(teammate, trio["a"])
    client.force_login(teammate)
    assert "Practised on 1 day this week, 1 this month" in client.get("/").text
    Submission.objects.filter(user=teammate).update(created=timezone.now() - timedelta(days=70))
    assert "Practised" not in client.get("/").text


@pytest.mark.parametrize("live", [4, 100])
def test_the_page_of_a_hundred_days_stays_light(client, owner, live):
    found = load_tracks(problems_root())
    for planned in found.curriculum.days[:live]:
        new_problem(planned.slug, title=planned.title, summary=planned.summary, track_day=planned.day)
    services.sync(found.files, found.curriculum)
    client.force_login(owner)
    page = client.get("/tracks/hundred-days").text
    assert len(page.encode()) < MOST_BYTES
    assert page.count('<li class="stop') >= 100
