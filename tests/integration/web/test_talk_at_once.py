"""Tests concurrent replies, private questions and votes, on both databases.

`test_postgresql` runs this file again on PostgreSQL.
"""

import pytest

from judge.report import Report
from problems.vocabulary import Verdict
from tests.integration.web.test_databases import THREADS, at_once
from web.accounts.models import User
from web.discussion import services
from web.discussion.models import Flag, Inquiry, Post, Solution, ThreadKind, Vote
from web.notifications.models import Kind, Notification
from web.privacy.deletion import delete_account
from web.submissions import services as submissions

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def patience(monkeypatch) -> None:
    monkeypatch.setattr("web.discussion.services.writing.POSTS_PER_TEN_MINUTES", 10 * THREADS)


@pytest.fixture
def accepted(owner, handed_in):
    submission = handed_in(owner)
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    return submission


def test_replies_of_users_who_are_notified_of_each_other_do_not_wait_in_a_circle(
    owner, teammate, staff, problem
):
    thread = services.open_thread(owner, problem, title="Why?", text="How?", kind=ThreadKind.QUESTIONS)
    persons = (owner, teammate, staff)
    for _ in range(3):
        Notification.objects.all().delete()
        at_once(lambda index: services.reply(persons[index % 3], thread, text="So."))
    assert Post.objects.count() == 1 + 3 * THREADS
    unread = Notification.objects.filter(kind=Kind.REPLY, read=None)
    assert sorted(unread.values_list("user", flat=True)) == sorted(person.pk for person in persons)


def test_questions_and_answers_do_not_wait_in_a_circle(owner, staff, accepted):
    at_once(lambda _: services.ask(owner, accepted, text="Why?"))
    inquiry = Inquiry.objects.get()

    def write(index: int) -> object:
        if index % 2:
            return services.ask(owner, accepted, text="But why?")
        return services.answer(staff, inquiry, text="Because.")

    at_once(write)
    assert Post.objects.count() == 2 * THREADS
    assert Notification.objects.filter(user=owner, kind=Kind.ANSWER).count() == 1


def test_a_user_has_one_vote_and_a_submission_one_entry(owner, teammate, accepted):
    at_once(lambda index: services.show_solution(owner, accepted, note=f"Note {index}", technique="x"))
    solution = Solution.objects.get()
    assert sum(at_once(lambda _: services.vote(teammate, solution, up=True))) == 1
    at_once(lambda index: services.vote(teammate, solution, up=index % 2 == 0))
    solution.refresh_from_db()
    assert solution.votes == Vote.objects.count() <= 1


def test_reports_at_the_same_time_notify_staff_once(owner, staff, problem):
    reporters = [User.objects.create_user(f"reporter-{index}") for index in range(THREADS)]
    for _ in range(3):
        thread = services.open_thread(owner, problem, title="Buy!", text="Cheap.")
        post = Post.objects.get(thread=thread)
        at_once(lambda index, post=post: services.flag(reporters[index], post, reason="Spam"))
        assert Flag.objects.filter(post=post).count() == THREADS
        assert Notification.objects.filter(user=staff, topic=f"post-{post.pk}").count() == 1


def test_accounts_are_deleted_while_their_users_vote_and_write(owner, staff, problem, accepted):
    solution = services.show_solution(owner, accepted, note="So.", technique="x")
    thread = services.open_thread(owner, problem, title="Why?", text="How?", kind=ThreadKind.QUESTIONS)
    for number in range(3):
        voter = User.objects.create_user(f"voter-{number}")
        services.vote(voter, solution, up=True)
        services.reply(voter, thread, text="Because.")

        def act(index: int, voter: User = voter, up: bool = number % 2 == 0) -> None:
            if index == 0:
                delete_account(voter)
            elif index == 1:
                services.vote(staff, solution, up=up)
            elif index % 2:
                services.vote(voter, solution, up=False)
            else:
                services.reply(owner, thread, text="Thanks.")

        at_once(act)
        assert not User.objects.filter(pk=voter.pk).exists()
        solution.refresh_from_db()
        assert solution.votes == Vote.objects.count()
