"""Tests the list of problems and the home page: filters, order, marks, pages, bounded queries."""

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from benchmarks.site_copies import NotFresh
from benchmarks.site_rows import Size, fill
from judge.report import Report
from problems.vocabulary import Difficulty, Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.accounts.models import User
from web.catalog import queries
from web.catalog.models import Problem
from web.catalog.queries import Counts, Mark, Order
from web.practice.queries import next_problem
from web.submissions import services
from web.submissions.models import CaseResult, Job, Submission, Tally
from web.submissions.models import Report as StoredReport
from web.tracks.models import Entry, Track

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
ACCEPTED, WRONG = Report(Verdict.ACCEPTED), Report(Verdict.WRONG_ANSWER)
MOST_QUERIES = 10
MOST_BYTES = 60 * 1024


def hand_in(user: User, problem: Problem, report: Report, mode: Mode = Mode.SUBMIT) -> Submission:
    return record(services.submit(user, problem, language=Language.CUDA, source="x", mode=mode), report)


@pytest.fixture
def shelf(owner: User, teammate: User) -> None:
    """Three problems: the owner has solved the first and attempted the second."""
    add = new_problem("add", title="Vector addition", tags=["elementwise"], track_day=2)
    scan = new_problem(
        "scan",
        title="Prefix sum",
        summary="Running totals.",
        difficulty="hard",
        tags=["shared memory", "synchronisation"],
        track_day=1,
        starters={"cuda": "//"},
    )
    new_problem(
        "blur", title="Blur", summary="An image.", difficulty="medium", tags=["image"], track_day=None
    )
    now = timezone.now()
    for age, slug in enumerate(("scan", "blur", "add")):
        Problem.objects.filter(slug=slug).update(added=now - timedelta(days=age))
    hand_in(owner, add, WRONG)
    hand_in(owner, add, ACCEPTED)
    hand_in(owner, scan, WRONG)
    hand_in(teammate, scan, ACCEPTED)
    hand_in(teammate, add, ACCEPTED)
    track = Track.objects.create(slug="path", title="A path", summary="Somewhere.")
    for place, slug in enumerate(("blur", "add"), start=1):
        Entry.objects.create(track=track, problem=Problem.objects.get(slug=slug), position=place)


def found(viewer, **wanted) -> list[str]:
    return [problem.slug for problem in queries.list_problems(viewer, **wanted)]


@pytest.mark.parametrize(
    ("wanted", "slugs"),
    [
        ({}, ["scan", "add", "blur"]),
        ({"difficulty": Difficulty.HARD}, ["scan"]),
        ({"tag": "shared memory"}, ["scan"]),
        ({"tag": "memory"}, []),
        ({"language": Language.TRITON}, ["add", "blur"]),
        ({"track": "path"}, ["blur", "add"]),
        ({"track": "other"}, []),
        ({"mark": Mark.SOLVED}, ["add"]),
        ({"mark": Mark.ATTEMPTED}, ["scan"]),
        ({"mark": Mark.NEW}, ["blur"]),
        ({"search": "sum"}, ["scan"]),
        ({"search": "TOTALS prefix"}, ["scan"]),
        ({"search": "synchron"}, ["scan"]),
        ({"search": "totals image"}, []),
        ({"search": "100%"}, []),
        ({"track": "path", "tag": "image", "search": "blur"}, ["blur"]),
        ({"order": Order.TITLE}, ["blur", "scan", "add"]),
        ({"order": Order.DIFFICULTY}, ["add", "blur", "scan"]),
        ({"order": Order.ACCEPTANCE}, ["add", "scan", "blur"]),
        ({"order": Order.SOLVERS}, ["add", "scan", "blur"]),
        ({"order": Order.NEWEST}, ["scan", "blur", "add"]),
        ({"order": Order.TITLE, "track": "path"}, ["blur", "add"]),
    ],
)
def test_problems_are_narrowed_and_sorted(shelf, owner, wanted, slugs):
    assert found(owner, **wanted) == slugs


def test_to_a_stranger_every_problem_is_new(shelf, stranger):
    assert len(found(stranger, mark=Mark.NEW)) == 3
    assert found(stranger, mark=Mark.SOLVED) == found(stranger, mark=Mark.ATTEMPTED) == []


def test_a_withdrawn_track_leads_nowhere(shelf, owner):
    Track.objects.update(published=False)
    assert found(owner, track="path") == []


def test_marks_come_from_progress_and_tally(shelf, owner):
    add, scan, blur = (queries.find_problem(owner, slug) for slug in ("add", "scan", "blur"))
    assert (add.solved, add.attempted, add.submitted, add.accepted, add.solvers) == (True, True, 3, 2, 2)
    assert round(add.acceptance) == 67
    assert (scan.solved, scan.attempted, scan.submitted, scan.solvers) == (False, True, 2, 1)
    assert (blur.solved, blur.attempted, blur.submitted, blur.acceptance) == (False, False, 0, None)


def test_a_problem_without_a_tally_has_nothing_counted(shelf, owner):
    Tally.objects.all().delete()
    assert [problem.submitted for problem in queries.list_problems(owner)] == [0, 0, 0]


def test_a_run_is_an_attempt(problem, owner, stranger):
    hand_in(owner, problem, ACCEPTED, Mode.RUN)
    assert queries.find_problem(owner, problem.slug).attempted
    assert not queries.has_solved(owner, problem)
    assert queries.find_problem(owner, problem.slug).submitted == 0


def test_only_who_has_solved_it_has_solved_it(problem, owner, teammate, staff, stranger):
    hand_in(owner, problem, ACCEPTED)
    hand_in(teammate, problem, WRONG)
    assert [queries.has_solved(who, problem) for who in (owner, teammate, staff, stranger)] == [
        *(True, False, False, False)
    ]


def test_problems_and_tags_are_counted(shelf, owner, stranger):
    assert queries.count_problems(owner) == Counts(total=3, solved=1, attempted=1)
    assert queries.count_problems(owner).fresh == 1
    assert queries.count_problems(stranger) == Counts(total=3, solved=0, attempted=0)
    Problem.objects.filter(slug="blur").update(published=False)
    assert queries.count_tags(stranger) == {"elementwise": 1, "shared memory": 1, "synchronisation": 1}


def test_one_goes_on_where_one_left_off(shelf, owner, teammate, stranger, django_assert_max_num_queries):
    with django_assert_max_num_queries(1):
        assert next_problem(owner).slug == "scan"
    assert next_problem(teammate).slug == "blur"
    assert next_problem(stranger) is None
    hand_in(owner, Problem.objects.get(slug="scan"), ACCEPTED)
    hand_in(owner, Problem.objects.get(slug="blur"), ACCEPTED)
    assert next_problem(owner) is None


def page(client: Client, path: str, **more) -> str:
    response = client.get(path, **more)
    assert response.status_code == 200, path
    return response.content.decode()


@pytest.mark.parametrize(
    ("query", "word"),
    [("difficulty=x", "difficulty"), ("sort=x", "order"), ("language=c", "language"), ("tag=%00", "tag")],
)
def test_what_makes_no_sense_is_left_out_with_a_word(client, shelf, query, word):
    text = page(client, f"/problems?{query}")
    assert f"Ignored unknown filter: {word}<" in text
    assert text.count('class="problem-row"') == 3


def test_several_that_make_no_sense_are_named_together(client, shelf):
    assert "unknown filters: difficulty, status<" in page(client, "/problems?difficulty=x&status=y")


def test_an_empty_list_says_how_to_see_more(client, shelf):
    text = page(client, "/problems?q=zzz&tag=image")
    assert "No problems match." in text
    assert 'href="/problems?tag=image"' in text
    assert 'href="/problems?q=zzz"' in text
    assert "Show all 3 problems" in text


def test_an_empty_site_says_how_to_fill_it(client, db):
    assert "manage.py loadproblems" in page(client, "/problems")


def test_htmx_gets_the_list_with_a_clean_address(client, shelf):
    response = client.get("/problems?q=&difficulty=hard&tag=&sort=track", headers=HTMX)
    assert response["HX-Push-Url"] == "/problems?difficulty=hard"
    text = response.content.decode()
    assert "<form" not in text
    assert 'id="announcer" hx-swap-oob="innerHTML">1 problem<' in text


def test_the_form_keeps_what_the_address_says(client, shelf, owner):
    client.force_login(owner)
    text = page(client, "/problems?q=a%22b&tag=gone&status=solved&sort=newest&language=cuda&track=path")
    assert 'value="a&quot;b"' in text
    for chosen in ('"gone" selected', '"newest" selected', '"cuda" selected', '"path" selected'):
        assert chosen in text
    assert 'value="solved" checked' in text


@pytest.fixture
def crowd(db: None) -> None:
    fill(Size(problems=120, users=6, submissions=300))


@pytest.mark.parametrize("signed_in", [False, True])
def test_pages_take_few_queries_whatever_the_size(client, crowd, django_assert_max_num_queries, signed_in):
    if signed_in:
        client.force_login(User.objects.first())
    for path in ("/", "/problems", "/problems?q=a&sort=acceptance&status=new&track=made-up-1", "/tracks"):
        with django_assert_max_num_queries(MOST_QUERIES):
            page(client, path)


def test_the_list_has_pages(client, crowd):
    seen: list[str] = []
    for number in (1, 2, 3):
        text = page(client, f"/problems?sort=title&page={number}")
        seen += re.findall(r'<h3><a href="/problems/([a-z0-9-]+)"', text)
    assert len(seen) == len(set(seen)) == 120
    assert seen == found(User(is_staff=False), order=Order.TITLE)
    assert "101 to 120 of 120" in text
    assert 'href="/problems?sort=title&amp;page=2" rel="prev"' in text
    assert 'rel="next"' not in text


def test_full_pages_stay_light(client, crowd):
    client.force_login(User.objects.filter(submissions__isnull=False).first())
    pages = ("/", "/problems", "/tracks", "/ranking", "/submissions")
    weights = {path: len(page(client, path).encode()) for path in pages}
    assert max(weights.values()) < MOST_BYTES, weights


def test_a_page_that_is_not_there_is_the_nearest(client, crowd):
    nearest = {"0": 1, "02": 2, "99": 3, "x": 1, "-1": 1, "%00": 1, "9" * 5000: 1}
    for asked, shown in nearest.items():
        assert f"Page {shown} of 3" in page(client, f"/problems?page={asked}")


def test_what_is_made_up_is_what_judging_would_have_left(crowd, django_user_model):
    before = list(Tally.objects.order_by("problem").values_list("judged", "accepted", "solvers"))
    services.recount()
    assert before == list(Tally.objects.order_by("problem").values_list("judged", "accepted", "solvers"))
    ranked = Submission.objects.filter(report__ranked=True)
    assert ranked.exists()
    assert ranked.values("report__gpu_model").distinct().count() == 2
    assert Submission.objects.filter(job__state="done", report__isnull=False).count() == 300
    with pytest.raises(NotFresh):
        fill(Size(1, 1, 1))


def test_copies_of_what_is_made_up_are_whole(db, monkeypatch):
    monkeypatch.setattr("benchmarks.site_rows.PATTERN", 40)
    fill(Size(problems=14, users=8, submissions=150))
    assert [rows.objects.count() for rows in (Submission, Job, StoredReport)] == [150, 150, 150]
    assert not Submission.objects.exclude(version=F("problem__version")).exists()
    assert not StoredReport.objects.exclude(version=F("submission__version")).exists()
    assert not CaseResult.objects.filter(report__isnull=True).exists()
    assert Submission.objects.values("public_id").distinct().count() == 150
    owner = User.objects.create_user("late")
    made = services.submit(owner, Problem.objects.first(), language=Language.CUDA, source="x")
    assert made.pk > 150


def test_home_leads_a_newcomer_a_learner_and_a_visitor(client, shelf, owner, staff):
    assert "Write the kernel" in page(client, "/")
    client.force_login(staff)
    assert "Start with" in page(client, "/")
    assert "Open a problem." in page(client, "/")
    client.force_login(owner)
    text = page(client, "/")
    assert "Continue with" in text
    assert "1 solved" in text
    assert "Open a problem." not in text


def test_home_shows_records(client, crowd):
    text = page(client, "/")
    assert "Recent records" in text
    assert "µs" in text or "ms" in text
