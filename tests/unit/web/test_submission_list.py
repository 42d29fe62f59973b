"""Tests the list of the user's submissions: filters, pages by cursor, the mark of the best."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.results import list_page as page_module
from web.submissions import services
from web.submissions.models import Job, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def owners(client: Client, owner: User) -> Client:
    """A client that the owner is signed in on."""
    client.force_login(owner)
    return client


@pytest.fixture
def many(owner, problem) -> list[Submission]:
    """Seven submissions, oldest first. Some were submitted at the same time."""
    now = timezone.now()
    rows = Submission.objects.bulk_create(
        Submission(
            user=owner,
            problem=problem,
            version="1",
            language="cuda",
            mode="submit",
            source="x",
            created=now + timedelta(seconds=second),
        )
        for second in (0, 1, 1, 1, 2, 2, 3)
    )
    Job.objects.bulk_create(Job(submission=row) for row in rows)
    return rows


def shown(client: Client, query: str = "") -> list[str]:
    page = client.get(f"/submissions{query}")
    assert page.status_code == 200
    return re.findall(r'<a class="verdict-link" href="/s/(\w+)"', page.content.decode())


def link(client: Client, query: str, rel: str) -> str | None:
    page = client.get(f"/submissions{query}").content.decode()
    found = re.search(rf'href="/submissions(\?[^"]*)" rel="{rel}"', page)
    return found[1].replace("&amp;", "&") if found else None


def test_pages_follow_each_other_without_gap_or_overlap(owners, many, monkeypatch):
    monkeypatch.setattr(page_module, "ROWS", 2)
    query, forwards = "", []
    while query is not None:
        forwards += shown(owners, query)
        last, query = query, link(owners, query, "next")
    assert forwards == [row.public_id for row in reversed(many)]
    query, backwards = last, []
    while query is not None:
        backwards = shown(owners, query) + backwards
        query = link(owners, query, "prev")
    assert backwards == forwards


def test_a_page_stays_where_it_is_when_something_new_comes(owners, owner, many, handed_in, monkeypatch):
    monkeypatch.setattr(page_module, "ROWS", 2)
    second = link(owners, "", "next")
    before = shown(owners, second)
    Job.objects.update(state="done")
    handed_in(owner)
    assert shown(owners, second) == before


def test_it_can_be_narrowed(owners, owner, handed_in):
    other = new_problem("other")
    accepted = record(handed_in(owner), Report(Verdict.ACCEPTED))
    run = record(handed_in(owner, mode=Mode.RUN), Report(Verdict.WRONG_ANSWER))
    triton = record(handed_in(owner, language=Language.TRITON), Report(Verdict.WRONG_ANSWER))
    elsewhere = services.submit(owner, other, language=Language.CUDA, source="x")
    for query, rows in {
        "": [elsewhere, triton, run, accepted],
        "?problem=other": [elsewhere],
        "?verdict=wrong_answer": [triton, run],
        "?verdict=unjudged": [elsewhere],
        "?mode=run": [run],
        "?language=triton": [triton],
        "?problem=vector-add&verdict=wrong_answer&mode=submit": [triton],
        "?verdict=memory_limit": [],
    }.items():
        assert shown(owners, query) == [row.public_id for row in rows], query
    assert "No matching submissions" in owners.get("/submissions?mode=run&language=triton").content.decode()


def test_what_makes_no_sense_is_left_out(owners, owner, teammate, handed_in):
    mine = handed_in(owner)
    foreign = handed_in(teammate)
    for query in (
        "?verdict=odd",
        "?mode=%00",
        "?problem=%00",
        "?before=zz",
        f"?after={foreign.public_id}",
        "?page=9",
    ):
        assert shown(owners, query) == [mine.public_id], query


def test_filters_hold_from_page_to_page(owners, many, monkeypatch):
    monkeypatch.setattr(page_module, "ROWS", 2)
    assert "problem=vector-add" in link(owners, "?problem=vector-add", "next")


def test_ones_best_is_marked(owners, owner, handed_in):
    first = record(handed_in(owner), timed_report(5.0))
    record(handed_in(owner), timed_report(7.0))
    page = owners.get("/submissions").content.decode()
    rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    marked = [row for row in rows if 'class="best"' in row]
    assert len(marked) == 1
    assert first.public_id in marked[0]


def test_htmx_gets_the_list_alone(owners, owner, handed_in):
    mine = handed_in(owner)
    part = owners.get("/submissions", headers={"HX-Request": "true"}).content.decode()
    assert mine.public_id in part
    assert "<html" not in part
    assert 'hx-swap-oob="innerHTML"' in part


def test_it_takes_as_many_queries_for_many_rows_as_for_one(
    owners, owner, many, handed_in, django_assert_max_num_queries
):
    for score_us in (5.0, 6.0):
        Job.objects.exclude(state="done").update(state="done")
        record(handed_in(owner), timed_report(score_us))
    with django_assert_max_num_queries(8):
        owners.get(f"/submissions?before={many[-1].public_id}&verdict=unjudged")
    with django_assert_max_num_queries(8):
        owners.get("/submissions")


def test_it_reads_no_source_and_no_report(owners, owner, handed_in, django_assert_num_queries):
    record(handed_in(owner), timed_report(5.0))
    with django_assert_num_queries(7) as captured:
        owners.get("/submissions")
    assert not [query for query in captured if '"source"' in query["sql"] or '"body"' in query["sql"]]


class TestOtherUsers:
    """Instructors and staff can list the submissions of any user."""

    def test_an_instructor_lists_the_submissions_of_a_learner(self, client, many, owner):
        client.force_login(User.objects.create(username="tutor", is_instructor=True))
        assert shown(client) == []
        assert len(shown(client, f"?user={owner.username}")) == len(many)
        assert len(shown(client, f"?user={owner.username.upper()}&verdict=unjudged")) == len(many)
        page = client.get(f"/submissions?user={owner.username}").content.decode()
        assert f"Runs and submissions of {owner.username}" in page
        assert f'<input type="hidden" name="user" value="{owner.username}">' in page, "other filters keep it"

    def test_pages_keep_the_user(self, client, many, owner, monkeypatch):
        monkeypatch.setattr(page_module, "ROWS", 3)
        client.force_login(User.objects.create(username="tutor", is_instructor=True))
        older = link(client, f"?user={owner.username}", "next")
        assert older is not None
        assert len(shown(client, older)) == 3
        assert not set(shown(client, older)) & set(shown(client, f"?user={owner.username}"))

    def test_a_learner_gets_only_their_own(self, client, many, owner):
        client.force_login(User.objects.create(username="learner"))
        assert shown(client, f"?user={owner.username}") == []
        page = client.get(f"/submissions?user={owner.username}").content.decode()
        assert owner.username not in page
        assert 'name="user"' not in page

    def test_an_unknown_user_is_named(self, client):
        client.force_login(User.objects.create(username="tutor", is_instructor=True))
        page = client.get("/submissions?user=nosuch").content.decode()
        assert "No user has the name nosuch." in page

    def test_the_profile_links_to_the_list(self, client, owner):
        address = f"/submissions?user={owner.username}"
        client.force_login(User.objects.create(username="learner"))
        assert address not in client.get(f"/u/{owner.username}").content.decode()
        client.force_login(User.objects.create(username="tutor", is_instructor=True))
        assert address in client.get(f"/u/{owner.username}").content.decode()
