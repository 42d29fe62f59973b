"""Tests who sees a submission, in all its forms. For other users it does not exist: 404, never 403."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import PASSWORD, new_problem
from tests.unit.web.figures import SECRET_SIZE, record, timed_report
from web.accounts.models import User
from web.accounts.services import issue_token
from web.submissions import queries, services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

IDEA = "the secret idea"
ACCEPTED = Report(Verdict.ACCEPTED)


@dataclass(frozen=True, slots=True)
class Room:
    """Everybody who may come by a submission of the owner, who solved the problem."""

    owner: User
    solver: User
    learner: User
    tester: User
    instructor: User
    staff: User
    stranger: AnonymousUser


@pytest.fixture
def room(owner, teammate, staff, stranger, handed_in) -> Room:
    """The solver is a classmate who solved it; the learner was wrong, the tester only ran what is right."""
    learner = User.objects.create_user("learner", password=PASSWORD)
    tester = User.objects.create_user("tester", password=PASSWORD)
    instructor = User.objects.create_user("instructor", password=PASSWORD, is_instructor=True)
    record(handed_in(teammate), ACCEPTED)
    record(handed_in(learner), Report(Verdict.WRONG_ANSWER))
    record(handed_in(tester, mode=Mode.RUN), ACCEPTED)
    return Room(owner, teammate, learner, tester, instructor, staff, stranger)


@pytest.fixture
def submission(room, handed_in) -> Submission:
    return record(handed_in(room.owner, source=f"// {IDEA}"), timed_report())


def pages(submission: Submission) -> list[str]:
    """Every address that shows something of a submission."""
    page = f"/s/{submission.public_id}"
    api = f"/api/v1/submissions/{submission.public_id}"
    forms = [page, f"{page}.json", f"{page}.svg", f"{page}/diff", f"{page}/report"]
    listings = [f"{page}/listings/ptx", f"{page}/listings/ptx.txt", f"{api}/listings/ptx"]
    return [*forms, *listings, api, f"/submissions/{submission.public_id}/events"]


def statuses(person: User | AnonymousUser, submission: Submission) -> set[int]:
    """Return the statuses of all addresses.

    A token would see the same, and the API also accepts the session.
    """
    client = Client()
    if person.is_authenticated:
        client.force_login(person)
    found = set()
    for address in pages(submission):
        answer = client.get(address)
        found.add(answer.status_code)
        if answer.status_code != 200:
            assert IDEA.encode() not in getattr(answer, "content", b"")
    return found


@pytest.mark.parametrize(
    ("who", "alone", "shared"),
    [
        ("owner", {200}, {200}),
        ("solver", {404}, {200}),
        ("learner", {404}, {404}),
        ("tester", {404}, {404}),
        ("instructor", {200}, {200}),
        ("staff", {200}, {200}),
        ("stranger", {404, 401}, {404, 401}),
    ],
)
def test_who_sees_a_submission(room, submission, who, alone, shared):
    person = getattr(room, who)
    assert statuses(person, submission) == alone
    services.share(submission)
    assert statuses(person, submission) == shared
    services.withdraw(submission)
    assert statuses(person, submission) == alone


def test_solving_another_problem_gives_no_right(room, submission, handed_in):
    services.share(submission)
    other = new_problem("other")
    made = services.submit(room.learner, other, language=Language.CUDA, source="x")
    record(made, ACCEPTED)
    assert statuses(room.learner, submission) == {404}


def test_the_right_to_read_gives_no_right_to_change(room, handed_in):
    waiting = handed_in(room.owner)
    services.share(waiting)
    page = f"/s/{waiting.public_id}"
    for person in (room.solver, room.instructor):
        client = Client()
        client.force_login(person)
        assert client.post(f"{page}/share", {"shared": "no"}).status_code == 404
        assert client.post(f"{page}/cancel").status_code == 404
        assert client.post(f"{page}/rejudge").status_code in {403, 404}
        _, secret = issue_token(person, name="t", scope="submit")
        answer = client.post(
            f"/api/v1/submissions/{waiting.public_id}/cancel", headers={"Authorization": f"Bearer {secret}"}
        )
        assert answer.status_code == 404
    waiting.refresh_from_db()
    assert waiting.shared
    assert queries.state_of(waiting) == "queued"


def test_only_its_author_shares_it(room, submission, browser_of):
    page = f"/s/{submission.public_id}"
    for person in (room.solver, room.instructor, room.staff):
        client = Client()
        client.force_login(person)
        assert client.post(f"{page}/share", {"shared": "yes"}).status_code == 404
    assert Client().post(f"{page}/share", {"shared": "yes"}).status_code == 302
    assert browser_of(room.owner).post(f"{page}/share", {"shared": "yes"}).status_code == 403  # no CSRF token
    submission.refresh_from_db()
    assert not submission.shared


def test_its_author_shares_it_and_takes_it_back(room, submission, client):
    client.force_login(room.owner)
    page = f"/s/{submission.public_id}"
    assert b"Share with solvers" in client.get(page).content
    shared = client.post(f"{page}/share", {"shared": "yes"}, follow=True)
    assert b"Stop sharing" in shared.content
    taken_back = client.post(f"{page}/share", {"shared": "no"}, follow=True)
    assert b"no longer shared" in taken_back.content
    assert client.get(f"{page}/share").status_code == 405


def test_those_it_is_shared_with_learn_nothing_hidden(room, submission, client):
    services.share(submission)
    client.force_login(room.solver)
    for address in pages(submission)[:3]:
        text = client.get(address).content.decode()
        assert str(SECRET_SIZE) not in text
    client.force_login(room.instructor)
    assert str(SECRET_SIZE) not in client.get(f"/s/{submission.public_id}.json").content.decode()


def test_a_list_holds_nothing_that_others_shared(room, submission, client):
    services.share(submission)
    client.force_login(room.solver)
    assert submission.public_id not in client.get("/submissions").content.decode()


def test_what_cannot_be_an_id_is_no_address(room, client):
    client.force_login(room.owner)
    for odd in ("%00", "a%00b", "a" * 13, "..", "a%2Fb", "%F0%9F%99%82"):
        for form in ("", ".json", ".svg", "/diff", "/report"):
            assert client.get(f"/s/{odd}{form}").status_code == 404
