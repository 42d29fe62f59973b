"""Notifications: who gets one about what, where they are read, and how emails survive failures."""

from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Verdict
from web.accounts.models import User
from web.discussion import services as discussion
from web.discussion.models import Thread, ThreadKind
from web.notifications import mailing, queries, services
from web.notifications.models import Kind, MailChoice, Notification, OutgoingMail
from web.rejudges import rejudging
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.upkeep.retention import prune
from worker import sweeper

pytestmark = pytest.mark.django_db


def notify(*users: User, kind: Kind = Kind.ANSWER, topic: str = "thread-1", **more) -> int:
    keys = [user.pk for user in users]
    return services.notify(keys, kind, subject="Scan", topic=topic, url="/problems", **more)


def send(browser, address: str, **columns):
    browser.handler.enforce_csrf_checks = False
    return browser.post(address, columns)


def kinds_of(user: User) -> list[str]:
    return [*Notification.objects.filter(user=user).order_by("pk").values_list("kind", flat=True)]


@pytest.fixture
def question(owner, problem) -> Thread:
    return discussion.open_thread(
        owner, problem, title="How?", text="Where to begin?", kind=ThreadKind.QUESTIONS
    )


@pytest.fixture
def reachable(owner) -> User:
    EmailAddress.objects.create(user=owner, email="owner@example.org", verified=True, primary=True)
    return owner


@pytest.fixture
def server_down(monkeypatch) -> None:
    def fail(*_: object) -> int:
        raise SMTPException("down")

    monkeypatch.setattr(EmailBackend, "send_messages", fail)


def test_a_reply_reaches_all_who_wrote_in_the_thread_but_its_author(owner, teammate, staff, question):
    discussion.reply(teammate, question, text="At the end.")
    assert (kinds_of(owner), kinds_of(teammate)) == ([Kind.REPLY], [])
    discussion.reply(staff, question, text="Yes.")
    assert (kinds_of(owner), kinds_of(teammate)) == ([Kind.REPLY], [Kind.REPLY]), "one while it is unread"
    services.mark_read(owner)
    discussion.reply(staff, question, text="Or not.")
    assert kinds_of(owner) == [Kind.REPLY, Kind.REPLY]
    text = Notification.objects.filter(user=owner).latest("pk").text
    assert text == "staff replied in a thread about Vector add."


def test_a_report_reaches_staff_and_its_decision_the_reporter(owner, teammate, staff, question):
    post = discussion.reply(teammate, question, text="Rude words")
    discussion.flag(owner, post, reason="It is rude")
    assert kinds_of(staff) == [Kind.REPORT]
    discussion.dismiss(post, staff)
    told = Notification.objects.get(user=owner, kind=Kind.DECISION)
    assert told.detail == "The post stays visible."
    assert "Rude" not in f"{told.text} {told.detail}"


def test_a_changed_verdict_reaches_its_owner_alone(owner, teammate, staff, handed_in):
    changes, stays = handed_in(owner), handed_in(teammate)
    for _ in range(2):
        submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    assert not Notification.objects.exists()
    rejudge = rejudging.start(staff, Submission.objects.all(), reason="x", chosen={})
    verdicts = {changes.pk: Verdict.WRONG_ANSWER, stays.pk: Verdict.ACCEPTED}
    for _ in verdicts:  # the runs of a rejudge have no order
        run = hidden_runs.claim("w")
        hidden_runs.record(run, Report(verdicts[run.submission_id]))
    assert not Notification.objects.exists(), "until staff apply it"
    rejudging.apply(rejudge, staff)
    told = Notification.objects.get()
    assert (told.user, told.kind, told.url) == (owner, Kind.VERDICT, f"/s/{changes.public_id}")
    assert told.detail == "Accepted before, now Wrong answer."
    assert submissions.rejudge(stays)
    submissions.record(submissions.claim("w"), Report(Verdict.RUNTIME_ERROR))
    assert kinds_of(teammate) == [Kind.VERDICT], "also if staff rejudge a single one"


def test_the_header_counts_and_the_list_marks_as_read(owner, browser_of):
    browser = browser_of(owner)
    assert "unread" not in browser.get("/problems").content.decode()
    notify(owner)
    notify(owner, topic="thread-2", kind=Kind.REPLY, actor=User.objects.create_user("ada"))
    assert "Notifications, 2 unread" in browser.get("/problems").content.decode()
    page = browser.get("/notifications").content.decode()
    assert "ada replied in a thread about Scan." in page
    first, second = Notification.objects.order_by("pk")
    opened = browser.get(f"/notifications/{first.pk}")
    assert opened["Location"] == "/problems"
    assert queries.count_unread(owner) == 1
    send(browser, f"/notifications/{second.pk}/read")
    notify(owner)
    send(browser, "/notifications/read")
    assert queries.count_unread(owner) == 0


def test_inactive_users_take_no_place_of_active_ones(owner, monkeypatch):
    monkeypatch.setattr(services, "MOST_RECIPIENTS", 2)
    gone = [User.objects.create_user(f"gone-{number}", is_active=False) for number in range(2)]
    present = [User.objects.create_user(f"present-{number}") for number in range(3)]
    assert notify(*gone, *present) == 2
    assert notify(*gone, *present) == 1, "those who have an unread one take no place either"
    assert kinds_of(present[2]) == [Kind.ANSWER]


def test_nobody_reads_or_marks_those_of_others(owner, teammate, browser_of):
    notify(owner)
    key = Notification.objects.get().pk
    browser = browser_of(teammate)
    assert "Scan" not in browser.get("/notifications").content.decode()
    assert browser.get(f"/notifications/{key}").status_code == 404
    assert send(browser, f"/notifications/{key}/read").status_code == 404
    send(browser, "/notifications/read")
    assert queries.count_unread(owner) == 1


def test_a_list_takes_few_queries_and_comes_in_pages(owner, browser_of, django_assert_max_num_queries):
    actor = User.objects.create_user("ada")
    for number in range(60):
        notify(owner, topic=f"thread-{number}", actor=actor)
    browser = browser_of(owner)
    with django_assert_max_num_queries(7):
        page = browser.get("/notifications").content.decode()
    assert page.count("Mark as read:") == 50
    assert "Older" in page


def test_emails_are_chosen_by_kind_and_answers_are_on_from_the_beginning(reachable, staff, browser_of):
    browser = browser_of(reachable)
    page = browser.get("/account/notifications").content.decode()
    assert "reported" in page
    assert Kind.REPORT.label not in page, "only staff get reports"
    assert Kind.REPORT.label in browser_of(staff).get("/account/notifications").content.decode()
    assert queries.mailed_kinds(reachable) == {Kind.ANSWER}
    assert Kind.OFFER.label not in page, "only authors get offers"
    author = User.objects.create_user("author", is_instructor=True)
    assert Kind.OFFER.label in browser_of(author).get("/account/notifications").content.decode()
    assert queries.mailed_kinds(author) == {Kind.ANSWER, Kind.OFFER, Kind.HANDOVER}
    send(browser, "/account/notifications", kinds=["reply", "verdict"])
    assert queries.mailed_kinds(reachable) == {Kind.REPLY, Kind.VERDICT}
    assert send(browser, "/account/notifications", kinds=["report"]).status_code == 422
    notify(reachable)
    notify(reachable, kind=Kind.REPLY)
    assert mailing.send_due() == 1
    assert [message.subject for message in mail.outbox] == [
        "[Warpcourt] Staff replied in a thread about Scan."
    ]


def test_an_email_names_the_page_and_the_settings(reachable):
    notify(reachable, detail="Some detail.")
    assert mailing.send_due() == 1
    [message] = mail.outbox
    assert message.to == ["owner@example.org"]
    for words in ("Some detail.", "/problems", "/account/notifications"):
        assert words in message.body
    assert not OutgoingMail.objects.exists()
    assert mailing.send_due() == 0


def test_a_mail_server_that_is_down_loses_nothing(reachable, server_down, monkeypatch):
    notify(reachable)
    assert mailing.send_due() == 0
    waiting = OutgoingMail.objects.get()
    assert waiting.tries == 1
    assert waiting.due > timezone.now()
    assert mailing.send_due() == 0, "not before it is due"
    monkeypatch.undo()
    OutgoingMail.objects.update(due=timezone.now())
    assert mailing.send_due() == 1
    assert len(mail.outbox) == 1


def test_a_process_without_a_route_to_the_mail_server_leaves_the_emails_to_others(reachable, monkeypatch):
    tried = []

    def fail(_: object) -> None:
        tried.append(1)
        raise OSError("no route")

    notify(reachable)
    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "open", fail)
        broken.setattr(mailing._Pause, "until", 0.0)
        assert (mailing.send_due(), mailing.send_due()) == (0, 0)
    assert tried == [1]
    assert OutgoingMail.objects.get().tries == 0
    assert mailing.send_due() == 1


def test_an_email_is_dropped_after_many_tries(reachable, server_down):
    notify(reachable)
    for _ in range(mailing.MAX_TRIES):
        OutgoingMail.objects.update(due=timezone.now())
        mailing.send_due()
    assert not OutgoingMail.objects.exists()
    assert queries.count_unread(reachable) == 1


@pytest.mark.parametrize("refusal", [ValueError("Invalid address"), SMTPRecipientsRefused({})])
def test_an_address_that_is_refused_delays_no_other(owner, teammate, reachable, monkeypatch, refusal):
    EmailAddress.objects.create(user=teammate, email="teammate@example.org", verified=True, primary=True)
    deliver = EmailBackend.send_messages

    def send_messages(backend, messages) -> int:
        if "owner@example.org" in messages[0].to:
            raise refusal
        return deliver(backend, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send_messages)
    notify(owner)
    notify(teammate)
    OutgoingMail.objects.filter(notification__user=owner).update(tries=mailing.MAX_TRIES - 1)
    assert mailing.send_due() == 1
    assert [message.to for message in mail.outbox] == [["teammate@example.org"]]
    assert not OutgoingMail.objects.exists()


def test_a_subject_has_one_line(reachable):
    services.notify(
        [reachable.pk], Kind.ANSWER, subject="Scan\r\nBcc: x@example.org", topic="t", url="/problems"
    )
    assert mailing.send_due() == 1
    assert "\n" not in mail.outbox[0].subject
    assert list(mail.outbox[0].recipients()) == ["owner@example.org"]


def test_what_another_worker_claimed_is_not_sent_twice(reachable):
    notify(reachable)
    row = OutgoingMail.objects.get()
    assert mailing._claim(row)
    assert not mailing._claim(row)


def test_no_email_without_a_verified_address_or_after_reading(owner, reachable):
    notify(reachable)
    services.mark_read(reachable)
    EmailAddress.objects.update(verified=False)
    notify(reachable, topic="thread-2")
    mailing.send_due()
    assert mail.outbox == []
    assert not OutgoingMail.objects.exists()


def test_the_sweep_of_a_worker_sends_them(reachable, monkeypatch):
    monkeypatch.setattr(sweeper.connections, "close_all", lambda: None)
    notify(reachable)
    assert sweeper.sweep_once()
    assert len(mail.outbox) == 1


def test_old_notifications_are_pruned_and_an_account_takes_its_own_along(owner, teammate):
    notify(owner, teammate)
    notify(teammate, kind=Kind.REPLY, actor=owner)
    MailChoice.objects.create(user=owner, kind=Kind.REPLY, by_mail=True)
    Notification.objects.filter(user=owner).update(created=timezone.now() - timedelta(days=91))
    assert prune(90).notifications == 1
    owner.delete()
    assert [*Notification.objects.values_list("user", "kind")] == [(teammate.pk, Kind.ANSWER)]
    assert not MailChoice.objects.exists()
