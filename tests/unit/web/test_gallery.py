"""The gallery: accepted solutions that their authors show to users who solved the problem."""

import pytest

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.discussion import gallery, services
from web.discussion.gallery import GalleryFilter, Order
from web.discussion.models import Solution, Thread, Vote
from web.hints.services import give_up
from web.privacy import export
from web.privacy.deletion import delete_account
from web.submissions import services as submissions
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

PAGE = "/problems/vector-add/solutions"


@pytest.fixture
def submission(owner, handed_in) -> Submission:
    return record(handed_in(owner), timed_report())


@pytest.fixture
def solver(teammate, handed_in) -> User:
    record(handed_in(teammate), Report(Verdict.ACCEPTED))
    return teammate


@pytest.fixture
def solution(owner, submission) -> Solution:
    return services.show_solution(owner, submission, note="Four loads at once", technique="elementwise")


def send(browser, address: str, **columns):
    browser.handler.enforce_csrf_checks = False
    return browser.post(address, columns)


def shown(viewer: User, problem, **chosen) -> list[Solution]:
    return [*gallery.list_solutions(viewer, problem, GalleryFilter(**chosen))]


def test_its_author_shares_it_and_those_who_solved_read_it(owner, solver, submission, browser_of):
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "Share in the gallery" in page
    address = f"/s/{submission.public_id}/gallery"
    assert "elementwise" in browser_of(owner).get(address).content.decode()
    made = send(browser_of(owner), address, note="Four loads", technique="elementwise")
    assert made["Location"] == PAGE
    page = browser_of(solver).get(PAGE).content.decode()
    assert "Four loads" in page
    assert "5.0 µs" in page
    assert browser_of(solver).get(f"/s/{submission.public_id}").status_code == 200


def test_it_is_closed_until_one_has_solved_the_problem(solution, teammate, stranger, staff, browser_of):
    for person in (teammate, stranger):
        answer = browser_of(person).get(PAGE)
        assert answer.status_code == 403
        assert "Four loads" not in answer.content.decode()
    assert send(browser_of(teammate), f"/solutions/{solution.pk}/vote").status_code == 404
    assert browser_of(staff).get(PAGE).status_code == 200


def test_it_is_closed_for_users_who_only_gave_up(solution, teammate, problem, browser_of):
    give_up(teammate, problem)
    answer = browser_of(teammate).get(PAGE)
    assert answer.status_code == 403
    assert "Four loads" not in answer.content.decode()


@pytest.mark.parametrize("verdict", [Verdict.WRONG_ANSWER, None])
def test_only_accepted_submissions_are_shared(owner, handed_in, verdict, browser_of):
    made = handed_in(owner)
    if verdict:
        submissions.record(submissions.claim("w"), Report(verdict))
    address = f"/s/{made.public_id}/gallery"
    assert send(browser_of(owner), address, note="x", technique="elementwise").status_code == 404


def test_runs_and_programs_of_others_are_not_shared(owner, solver, submission, handed_in, browser_of):
    run = record(handed_in(owner, mode=Mode.RUN), Report(Verdict.ACCEPTED))
    for person, made in ((owner, run), (solver, submission)):
        address = f"/s/{made.public_id}/gallery"
        assert send(browser_of(person), address, note="x", technique="elementwise").status_code == 404
        assert send(browser_of(person), f"{address}/withdraw").status_code in {302, 404}
    assert not Solution.objects.exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"note": "", "technique": "elementwise"},
        {"note": "x" * 161, "technique": "elementwise"},
        {"note": "x", "technique": "magic"},
    ],
)
def test_a_note_is_short_and_a_technique_is_known(submission, owner, columns, browser_of):
    assert send(browser_of(owner), f"/s/{submission.public_id}/gallery", **columns).status_code == 422


def test_its_author_withdraws_it_and_shares_it_again(solution, submission, owner, solver, browser_of):
    send(browser_of(owner), f"/s/{submission.public_id}/gallery/withdraw")
    assert "Four loads" not in browser_of(solver).get(PAGE).content.decode()
    assert browser_of(solver).get(f"/s/{submission.public_id}").status_code == 404
    send(browser_of(owner), f"/s/{submission.public_id}/gallery", note="Two loads", technique="elementwise")
    assert "Two loads" in browser_of(solver).get(PAGE).content.decode()
    assert Thread.objects.count() == 1


def test_it_leaves_the_gallery_when_it_is_no_longer_shared_or_accepted(
    solution, submission, owner, solver, problem
):
    assert shown(solver, problem) == [solution]
    submissions.withdraw(submission)
    assert shown(solver, problem) == []
    submissions.share(submission)
    submissions.rejudge(submission)
    assert shown(solver, problem) == []
    submissions.record(submissions.claim("w"), Report(Verdict.WRONG_ANSWER))
    assert shown(solver, problem) == []


def test_its_note_is_not_shown_when_it_is_no_longer_shared(
    solution, submission, owner, solver, staff, browser_of
):
    note = solution.thread.posts.get()
    assert browser_of(solver).get(f"/posts/{note.pk}/report").status_code == 200
    submissions.withdraw(submission)
    assert browser_of(solver).get(f"/posts/{note.pk}/report").status_code == 404
    assert browser_of(staff).get(f"/posts/{note.pk}/report").status_code == 200


def test_staff_hide_a_reported_one_and_its_author_cannot_bring_it_back(
    solution, submission, owner, solver, staff, browser_of
):
    post = gallery.note_of(solution)
    assert f"/posts/{post.pk}/report" in browser_of(solver).get(PAGE).content.decode()
    send(browser_of(solver), f"/posts/{post.pk}/report", reason="Rude")
    assert "Four loads" in browser_of(staff).get("/staff/reports").content.decode()
    send(browser_of(staff), f"/staff/posts/{post.pk}/hide", reason="Be kind")
    assert "Four loads" not in browser_of(solver).get(PAGE).content.decode()
    again = send(browser_of(owner), f"/s/{submission.public_id}/gallery", note="x", technique="elementwise")
    assert "Staff hid this solution: Be kind" in again.content.decode()
    assert browser_of(owner).get(f"/posts/{post.pk}/edit").status_code == 404


def test_one_votes_once_and_not_for_oneself(solution, owner, solver, browser_of):
    address = f"/solutions/{solution.pk}/vote"
    for _ in range(2):
        assert send(browser_of(solver), address, vote="yes").status_code == 302
    send(browser_of(owner), address, vote="yes")
    solution.refresh_from_db()
    assert (solution.votes, Vote.objects.get().person) == (1, solver)
    for _ in range(2):
        send(browser_of(solver), address, vote="no")
    solution.refresh_from_db()
    assert (solution.votes, Vote.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "javascript:x", "1", "home"]
)
def test_a_vote_leads_back_to_this_site(solution, solver, elsewhere, browser_of):
    back = send(browser_of(solver), f"/solutions/{solution.pk}/vote", vote="yes", next=elsewhere)["Location"]
    assert back == f"{PAGE}#solution-{solution.pk}"
    mine = send(browser_of(solver), f"/solutions/{solution.pk}/vote", vote="yes", next=f"{PAGE}?order=newest")
    assert mine["Location"] == f"{PAGE}?order=newest#solution-{solution.pk}"


def test_filters_orders_and_pages(owner, solver, staff, problem, handed_in, monkeypatch, browser_of):
    new_problem("sums", tags=["tiling"])
    monkeypatch.setattr("web.discussion.services.writing.THREADS_PER_HOUR", 50)
    monkeypatch.setattr("web.discussion.gallery_views._ROWS", 2)
    made = []
    for number, (language, technique) in enumerate(
        [(Language.CUDA, "tiling"), (Language.TRITON, "tiling"), (Language.CUDA, "elementwise")]
    ):
        judged = record(handed_in(owner, source=f"// {number}", language=language), Report(Verdict.ACCEPTED))
        made.append(services.show_solution(owner, judged, note=f"Note {number}", technique=technique))
    services.vote(solver, made[0], up=True)
    services.vote(staff, made[0], up=True)
    services.vote(solver, made[2], up=True)
    assert [row.pk for row in shown(solver, problem)] == [made[0].pk, made[2].pk, made[1].pk]
    newest = [row.pk for row in shown(solver, problem, order=Order.NEWEST)]
    assert newest == [row.pk for row in reversed(made)]
    assert [row.voted for row in shown(solver, problem)] == [True, True, False]
    assert len(shown(solver, problem, technique="tiling", language="cuda")) == 1
    for order in Order:
        page = browser_of(solver).get(f"{PAGE}?order={order}")
        seen = [row.solution.pk for row in page.context["rows"]]
        rest = browser_of(solver).get(f"{PAGE}?{page.context['older']}").context["rows"]
        assert sorted([*seen, *(row.solution.pk for row in rest)]) == [row.pk for row in made]
    assert browser_of(solver).get(f"{PAGE}?before=x-y&language=no&order=z&technique=%00").status_code == 200


def test_a_page_takes_few_queries(
    owner, solver, handed_in, browser_of, django_assert_max_num_queries, monkeypatch
):
    monkeypatch.setattr("web.discussion.services.writing.THREADS_PER_HOUR", 50)
    for number in range(5):
        judged = record(handed_in(owner, source=f"// {number}"), Report(Verdict.ACCEPTED))
        services.show_solution(owner, judged, note="x", technique="elementwise")
    browser = browser_of(solver)
    with django_assert_max_num_queries(10):
        browser.get(PAGE)


def test_the_api_lists_it(solution, solver, owner, client):
    stranger = User.objects.create_user("someone")

    def get(user: User, query: str = ""):
        token = issue_token(user, name="t", scope=Scope.READ)[1]
        return client.get(
            f"/api/v1/problems/vector-add/solutions{query}", headers={"Authorization": f"Bearer {token}"}
        )

    assert client.get("/api/v1/problems/vector-add/solutions").status_code == 401
    assert get(stranger).status_code == 403
    [row] = get(solver).json()["solutions"]
    assert (row["author"], row["note"], row["technique"]) == ("owner", "Four loads at once", "elementwise")
    assert (row["votes"], row["voted"], row["score_us"]) == (0, False, 5.0)
    assert get(solver, "?language=triton").json() == {"solutions": [], "next": None}
    assert get(solver, "?order=best").status_code == 422
    assert get(owner, "?limit=1").json()["next"] is None


def test_an_account_takes_its_solutions_and_votes_along(solution, submission, owner, solver):
    services.vote(solver, solution, up=True)
    document = "".join(export.document(owner))
    assert '"technique": "elementwise"' in document
    assert submission.public_id in document
    assert '"votes": [{' in "".join(export.document(solver))
    delete_account(solver)
    solution.refresh_from_db()
    assert solution.votes == 0
    delete_account(owner)
    assert not Thread.objects.exists()
