"""Tests the pages of the leaderboard and the ranking: contents, links, omissions and number of queries."""

import re
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet.models import Gpu, Node
from web.leaderboards import queries, ranking
from web.leaderboards.models import Baseline
from web.packages.models import PackageVersion
from web.submissions import services
from web.submissions.models import Best, Submission
from web.tracks.models import Entry, Track

pytestmark = pytest.mark.django_db
BOARD = "/problems/vector-add/leaderboard"
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def scores(handed_in):
    def make(user: User, score_us: float, half_us: float = 0.05, *, language="cuda", **stamp):
        submission = handed_in(user, language=Language(language))
        return record(submission, timed_report(score_us, half_us, **stamp))

    return make


@pytest.fixture(scope="class")
def crowd(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Problem]:
    """The problem of sixty people, the first the fastest. Made once: that takes longer than all its tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        problem = new_problem("vector-add")
        for number in range(60):
            user = User.objects.create_user(f"person-{number:02}")
            submission = services.submit(
                user, problem, language=Language.CUDA, source="void solve() {}", mode=Mode.SUBMIT
            )
            record(submission, timed_report(10.0 + number))
        yield problem
        transaction.set_rollback(True)


def text(client: Client, path: str, status: int = 200, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == status
    return answer.content.decode()


def addresses(page: str, word: str) -> list[str]:
    """The addresses of the links whose text is `word`."""
    return [found.replace("&amp;", "&") for found in re.findall(rf'href="([^"]*)"[^>]*>{word}<', page)]


def test_choices_keep_each_other(owner, problem, scores, client):
    scores(owner, 5.0, language="triton")
    scores(owner, 5.0)
    scores(owner, 9.0, language="triton", gpu="NVIDIA B200")
    page = text(client, f"{BOARD}?gpu=NVIDIA+H200&language=triton")
    assert "?gpu=NVIDIA+B200&language=triton" in addresses(page, "NVIDIA B200")
    assert "?gpu=NVIDIA+H200&language=cuda" in addresses(page, r"CUDA C\+\+")
    assert "Version" not in page


def test_versions_can_be_chosen_and_are_never_mixed(owner, teammate, problem, scores, client):
    scores(owner, 5.0, problem_version="a" * 64)
    scores(teammate, 7.0, problem_version="1")
    page = text(client, BOARD)
    assert "teammate" in page
    assert 'href="/u/owner"' not in page
    [older] = re.findall(r'href="([^"]*version=[^"]*)"', page)
    earlier = text(client, BOARD + older.replace("&amp;", "&"))
    assert "version=aaaaaaaaaaaa" in older
    assert "count for the current version" in earlier
    assert 'href="/u/owner"' in earlier
    assert 'href="/u/teammate"' not in earlier


def test_versions_are_called_by_their_numbers(owner, problem, scores, client):
    for number, version in ((1, "a" * 64), (2, "a" * 64), (3, problem.version)):
        PackageVersion.objects.create(
            problem=problem,
            number=number,
            content_hash=str(number),
            version=version,
            archive=b"",
            size_bytes=0,
            origin="site",
        )
    submission = scores(owner, 5.0, problem_version="a" * 64)
    scores(owner, 7.0, problem_version=problem.version)
    page = text(client, BOARD)
    assert "This leaderboard is for version 3 of the problem" in page
    assert "Versions 1 and 2" in page
    client.force_login(owner)
    Submission.objects.filter(pk=submission.pk).update(package=problem.versions.get(number=2))
    own = text(client, f"/s/{submission.public_id}")
    assert "version 2 of the problem (not current)" in own
    [address] = re.findall(r'href="([^"]*)">its leaderboard', own)
    earlier = text(client, address.replace("&amp;", "&"))
    assert "version of the problem (versions 1 and 2)" in earlier
    assert 'href="/u/owner"' in earlier


def test_records_are_drawn_and_listed(owner, teammate, scores, client):
    scores(owner, 9.0)
    scores(teammate, 7.0)
    scores(owner, 6.99)
    page = text(client, BOARD)
    chart = page.partition('<figure class="chart chart-records">')[2].partition("</figure>")[0]
    assert chart.count("<circle") == 2
    assert "2 records, from 9.000 µs to 7.000 µs, which teammate holds." in chart
    listed = page.partition('aria-label="Records"')[2]
    assert listed.index("teammate") < listed.index("owner")


def test_sources_are_linked_after_solving_and_when_shared(owner, teammate, scores, client):
    theirs = scores(owner, 5.0)
    Submission.objects.update(shared=True)
    link = f'href="/s/{theirs.public_id}"'
    assert link not in text(client, BOARD)
    client.force_login(teammate)
    assert link not in text(client, BOARD)
    scores(teammate, 9.0)
    assert link in text(client, BOARD)
    services.withdraw(theirs)
    assert theirs.public_id not in text(client, BOARD)


def test_profiles_are_linked_for_those_who_may_see_them(owner, scores, client):
    scores(owner, 5.0)
    assert 'href="/u/owner"' in text(client, BOARD)
    User.objects.update(profile_audience="nobody")
    page = text(client, BOARD)
    assert 'href="/u/owner"' not in page
    assert "owner" in page


def test_an_empty_board_says_what_would_fill_it(owner, problem, scores, client):
    scores(owner, 5.0)
    page = text(client, f"{BOARD}?gpu=NVIDIA+H200&language=triton")
    assert "The first Triton submission accepted on NVIDIA H200 sets the record." in page
    assert "/problems/vector-add?language=triton" in page


def test_without_a_gpu_the_page_says_that_nothing_is_ranked(owner, problem, handed_in, client):
    assert "No one has solved Vector add yet." in text(client, BOARD)
    record(handed_in(owner), Report(Verdict.ACCEPTED))
    client.force_login(owner)
    page = text(client, BOARD)
    assert "Without a GPU, nothing is ranked" in page
    assert re.search(r'class="mine".*owner.*\(you\).*CUDA C\+\+', page, re.DOTALL)


def test_with_a_gpu_but_no_time_it_does_not_say_that_there_is_none(problem, client):
    node = Node.objects.create(name="node")
    columns = {"memory_mib": 1, "driver": "1", "cuda": "13.0", "capability": "9.0"}
    Gpu.objects.create(node=node, uuid="GPU-1", minor=0, model="NVIDIA H200", **columns)
    page = text(client, BOARD)
    assert "No submission has been timed yet" in page
    assert "without a GPU" not in page


def test_solvers_come_in_pages_with_ones_own_row(problem, handed_in, client):
    people = [User.objects.create_user(f"person-{number:02}") for number in range(52)]
    for user in people:
        record(handed_in(user), Report(Verdict.ACCEPTED))
    client.force_login(people[51])
    first = text(client, BOARD)
    pinned = first.partition('<tbody class="pinned">')[2].partition("</tbody>")[0]
    assert "person-51" in pinned
    second = text(client, BOARD + addresses(first, "Next")[0])
    assert "person-50" in second
    assert "person-49" not in second
    assert "pinned" not in second
    assert "person-00" in text(client, BOARD + addresses(second, "First")[0])


@pytest.mark.parametrize("query", ["gpu", "version", "after", "language", "track"])
def test_hostile_addresses_are_inert(owner, scores, client, query):
    scores(owner, 5.0)
    ranking.refresh()
    for path in (BOARD, "/ranking"):
        for value in (HOSTILE, "\0", "%", "9" * 500):
            answer = client.get(path, {query: value})
            assert answer.status_code == 200
            assert HOSTILE not in answer.content.decode()


def test_an_unpublished_problem_has_no_board(owner, problem, scores, client):
    scores(owner, 5.0)
    problem.published = False
    problem.save()
    text(client, BOARD, 404)


def test_the_ranking_explains_itself_when_it_is_empty(client):
    page = text(client, "/ranking")
    assert "No users are ranked yet" in page
    assert "How points work" in page


def test_the_ranking_of_a_track_can_be_chosen(owner, problem, scores, client):
    track = Track.objects.create(slug="first-steps", title="First steps", summary="Begin here.")
    Entry.objects.create(track=track, problem=problem, position=1)
    scores(owner, 5.0)
    ranking.refresh()
    page = text(client, "/ranking")
    assert addresses(page, "First steps") == ["?gpu=NVIDIA+H200&track=first-steps"]
    assert "owner" in text(client, "/ranking?gpu=NVIDIA+H200&track=first-steps")


def test_deactivating_a_user_gives_records_back(owner, teammate, staff, scores, client):
    scores(owner, 5.0)
    scores(teammate, 6.0)
    client.force_login(staff)
    answer = client.post("/staff/users/owner", {"reason": "cheated"})
    assert answer.status_code == 302
    assert not User.objects.get(pk=owner.pk).is_active
    assert [row.username for row in queries.recent_records()] == ["teammate"]


@pytest.mark.xdist_group("leaderboard-crowd")
@pytest.mark.usefixtures("crowd")
class TestCrowd:
    """A board with more rows than fit on a page."""

    @pytest.fixture
    def problem(self, crowd: Problem, db: None) -> Problem:
        return Problem.objects.get(pk=crowd.pk)

    def test_pages_are_walked_by_their_links(self, client):
        first = text(client, BOARD)
        assert "person-49" in first
        assert "person-50" not in first
        [forward] = addresses(first, "Next")
        second = text(client, BOARD + forward)
        assert "person-50" in second
        assert "person-49" not in second
        assert not addresses(second, "Next")
        [back] = addresses(second, "First")
        assert "person-00" in text(client, BOARD + back)

    def test_ones_own_row_is_pinned_on_every_page(self, client):
        client.force_login(User.objects.get(username="person-55"))
        first = text(client, BOARD)
        pinned = first.partition('<tbody class="pinned">')[2].partition("</tbody>")[0]
        assert "person-55" in pinned
        assert 'class="number rank">56<' in pinned
        assert "place 56" in first
        [there] = addresses(pinned, "show")
        mine = text(client, BOARD + there)
        assert "pinned" not in mine
        assert re.search(r'class="mine".*\n.*\n.*person-55', mine)

    def test_a_page_past_the_end_leads_back(self, client):
        page = text(client, f"{BOARD}?after=900.0")
        assert "End of list." in page
        assert "person-00" in text(client, BOARD + addresses(page, "First page")[0])

    def test_htmx_gets_the_board_alone(self, client):
        part = text(client, BOARD, HX_Request="true")
        assert part.startswith('<div id="board">')
        assert "<html" not in part
        assert client.get(BOARD)["Vary"].count("HX-Request") == 1
        restored = text(client, BOARD, HX_Request="true", HX_History_Restore_Request="true")
        assert "<html" in restored

    def test_baselines_stand_between_the_places_of_their_page(self, staff, problem, scores, client):
        for label, score_us in (
            ("First of all", 1.0),
            ("In between", 40.5),
            ("Second page", 64.5),
            ("Last", 500.0),
        ):
            submission = scores(staff, score_us)
            Baseline.objects.create(problem=problem, submission=submission, kind="vendor", label=label)
        User.objects.filter(pk=staff.pk).update(in_rankings=False)

        def shown(page):
            return re.findall(r'<tr class="baseline">.*?<th scope="row">(.*?) <span', page, re.DOTALL)

        first = text(client, BOARD)
        assert shown(first) == ["First of all", "In between"]
        assert shown(text(client, BOARD + addresses(first, "Next")[0])) == ["Second page", "Last"]
        assert first.index("person-30") < first.index("In between") < first.index("person-31")

    def test_a_board_takes_few_queries_whatever_its_size(
        self, staff, problem, scores, client, django_assert_max_num_queries
    ):
        for number in range(3):
            submission = scores(staff, 20.0 + number)
            Baseline.objects.create(
                problem=problem, submission=submission, kind="vendor", label=f"line {number}"
            )
        client.force_login(User.objects.get(username="person-55"))
        with django_assert_max_num_queries(10):
            text(client, BOARD)
        client.force_login(staff)
        with django_assert_max_num_queries(10):
            text(client, f"{BOARD}?after=40.0")
        Best.objects.all().delete()
        with django_assert_max_num_queries(10):
            text(client, BOARD)

    def test_the_ranking_shows_points_its_age_and_ones_own_place(self, client, django_assert_max_num_queries):
        ranking.refresh()
        client.force_login(User.objects.get(username="person-55"))
        with django_assert_max_num_queries(8):
            page = text(client, "/ranking")
        assert re.search(r'person-01</a>\s*</th>\s*<td class="number"><strong>90\.9<', page)
        assert "minutes ago" in page
        pinned = page.partition('<tbody class="pinned">')[2].partition("</tbody>")[0]
        assert "person-55" in pinned
        second = text(client, "/ranking" + addresses(page, "Next")[0], HX_Request="true")
        assert second.startswith('<div id="ranking">')
        assert "person-59" in second
        assert "person-55" in text(client, "/ranking" + addresses(pinned, "show")[0])
