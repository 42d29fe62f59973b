"""Tests the next steps after an accepted submission: the track, a similar problem, the editorial."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judge.report import Report
from problems.track import TrackFile
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.accounts.models import User
from web.catalog.models import Problem
from web.packages.catalogue import tag
from web.results.next_steps import next_steps
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.tracks import services
from web.tracks.models import Track

pytestmark = pytest.mark.django_db
HEADING = "What comes next"
PATHS = [
    TrackFile("path", "A path", "Here.", ("a", "b", "c")),
    TrackFile("short", "Short", "There.", ("b", "a")),
]


@pytest.fixture
def trio(db: None) -> dict[str, Problem]:
    """Problems a, b and c on a path, of which b and a are also a short one."""
    found = {slug: new_problem(slug, track_day=None, editorial="Sum *pairwise*.") for slug in "abc"}
    services.sync(PATHS)
    return found


def solve(
    user: User, problem: Problem, verdict: Verdict = Verdict.ACCEPTED, mode: Mode = Mode.SUBMIT
) -> Submission:
    submitted = submissions.submit(user, problem, language=Language.CUDA, source="x", mode=mode)
    return record(submitted, Report(verdict))


def shown(client: Client, viewer: User, submission: Submission, form: str = "") -> str:
    """Return the text of a page of `submission` under the heading, empty if it has none."""
    client.force_login(viewer)
    page = client.get(f"/s/{submission.public_id}{form}").content.decode()
    found = re.search(r'<section class="next-steps".*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def links(section: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', section)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize("form", ["", "/report"])
def test_it_leads_to_the_next_problem_of_each_track(trio, owner, client, form):
    section = shown(client, owner, solve(owner, trio["b"]), form)
    assert HEADING in section
    assert links(section) == [
        *("/problems/c", "/tracks/path", "/problems/a", "/tracks/short"),
        *("/problems/b/editorial", "/problems/b/discussion"),
    ]
    assert "1 of 3 solved" in words(section)
    assert "1 of 2 solved" in words(section)


def test_tracks_that_lead_to_the_same_problem_offer_it_once(trio, owner, client):
    services.sync([*PATHS, TrackFile("other", "Other", "Elsewhere.", ("b", "c"))])
    section = shown(client, owner, solve(owner, trio["b"]))
    assert links(section).count("/problems/c") == 1
    assert "/tracks/other" in links(section)
    assert "is next here too." in words(section)


def test_after_the_last_problem_it_returns_to_the_first_unsolved(trio, owner, client):
    section = shown(client, owner, solve(owner, trio["c"]))
    assert links(section)[0] == "/problems/a"


def test_a_whole_track_is_celebrated(trio, owner, client):
    solve(owner, trio["a"])
    section = shown(client, owner, solve(owner, trio["b"]))
    assert "You have solved every problem of this track." in words(section)
    assert "2 of 2 solved" in words(section)
    assert "/problems/c" in links(section)


def test_outside_of_tracks_it_leads_to_a_similar_problem(owner, client):
    alone = new_problem("alone", tags=["scan"], difficulty="easy", track_day=None)
    new_problem("aaa-other", tags=["sorting"], difficulty="hard", track_day=None)
    new_problem("bbb-same-level", tags=["sorting"], difficulty="easy", track_day=None)
    tagged = new_problem("ccc-same-tag", tags=["scan"], difficulty="hard", track_day=None)
    services.sync([])
    accepted = solve(owner, alone)
    section = shown(client, owner, accepted)
    assert links(section)[0] == "/problems/ccc-same-tag"
    assert "also about scan" in words(section)
    solve(owner, tagged)
    section = shown(client, owner, accepted)
    assert links(section)[0] == "/problems/bbb-same-level"
    assert "also easy" in words(section)
    Problem.objects.filter(slug="bbb-same-level").update(published=False)
    assert links(shown(client, owner, accepted))[0] == "/problems"


def test_without_an_editorial_no_link_promises_one(trio, owner, client):
    Problem.objects.update(editorial="")
    assert "/problems/b/editorial" not in links(shown(client, owner, solve(owner, trio["b"])))


@pytest.mark.parametrize(
    ("verdict", "mode"),
    [(Verdict.WRONG_ANSWER, Mode.SUBMIT), (Verdict.ACCEPTED, Mode.RUN), (Verdict.CANCELLED, Mode.SUBMIT)],
)
def test_only_an_accepted_submission_leads_on(trio, owner, client, verdict, mode):
    assert not shown(client, owner, solve(owner, trio["a"], verdict, mode))


def test_other_users_do_not_see_it(trio, owner, teammate, staff, client):
    submission = solve(owner, trio["a"])
    solve(teammate, trio["a"])
    submissions.share(submission)
    assert not shown(client, teammate, submission)
    assert not shown(client, staff, submission)


def test_hidden_tracks_and_problems_stay_hidden(trio, owner, client):
    Track.objects.filter(slug="path").update(published=False)
    Problem.objects.filter(slug="a").update(published=False)
    section = shown(client, owner, solve(owner, trio["b"]))
    assert not {"/tracks/path", "/problems/a"} & {*links(section)}


def test_during_a_contest_it_tells_what_the_track_tells(trio, owner, client):
    now = timezone.now()
    starts, ends = now - timedelta(hours=1), now + timedelta(hours=1)
    Track.objects.filter(slug="path").update(contest_starts=starts, contest_ends=ends)
    section = shown(client, owner, solve(owner, trio["b"]))
    told = client.get("/tracks/path").content.decode()
    assert {"/problems/c", "/problems/a"} & {*links(section)} <= {*links(told)}
    assert "1 of 3 solved" in words(told)
    assert client.get("/problems/b/editorial").status_code == 200


def test_it_takes_few_queries(trio, owner, django_assert_num_queries):
    submission = solve(owner, trio["b"])
    with django_assert_num_queries(2):
        next_steps(owner, submission)
    Track.objects.all().delete()
    with django_assert_num_queries(3):
        next_steps(owner, submission)


def test_the_page_of_a_problem_holds_what_opens_ready(trio, owner, client):
    def parts() -> list[tuple[str, bool]]:
        page = client.get("/problems/b").content.decode()
        tags = re.findall(r"<[a-z]+ [^>]*data-once-solved[^>]*>", page)
        return [(re.search(r'class="(\w+)', found)[1], found.endswith(" hidden>")) for found in tags]

    client.force_login(owner)
    assert parts() == [("tab", True), ("tab", True), ("tab", True), ("verdict", True)]
    solve(owner, trio["b"])
    assert parts() == [("tab", False), ("tab", False), ("tab", False), ("verdict", False)]


def test_tags_of_a_problem_are_searched(trio, owner, client):
    Track.objects.all().delete()
    Problem.objects.update(tags=["scan"])
    for problem in Problem.objects.all():
        tag(problem)
    assert links(shown(client, owner, solve(owner, trio["a"])))[0] == "/problems/b"
