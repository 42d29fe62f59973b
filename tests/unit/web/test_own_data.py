"""Tests that users can export and delete all data that is stored about them."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from asgiref.sync import async_to_sync
from django.apps import apps
from django.core import mail
from django.db import connection
from django.db.models import F
from django.test import Client

from judge.report import CaseReport, Report
from problems.vocabulary import Group, Verdict
from tests.conftest import PASSWORD
from tests.unit.web.figures import record, timed_report
from web.accounts.models import AccountDeletion, User
from web.accounts.services import issue_token
from web.authoring.models import Membership, Role, Workspace
from web.discussion import services as discussion
from web.discussion.models import Post, Thread
from web.discussion.services.account_deletion import forget_posts
from web.drafts.models import Draft, DraftRevision
from web.drafts.notes import save_note
from web.leaderboards.queries import recent_records
from web.privacy import deletion, export
from web.submissions import services
from web.submissions.models import Best, Job, Progress, Submission, Tally
from web.submissions.services import progress
from worker.sweeper import sweep_once

pytestmark = pytest.mark.django_db

HIDDEN = CaseReport("prime-case", Group.ODD, public=False, verdict=Verdict.WRONG_ANSWER, sizes={"n": 7919})
DELETE = "/account/data/delete"


class Crash(Exception):
    """Raised in the middle of a deletion."""


@pytest.fixture
def confirmed(owner: User) -> Client:
    """The owner's browser, after the password was asked for again."""
    client = Client()
    client.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.fixture
def busy(owner: User, problem, handed_in: Callable[..., Submission]) -> Submission:
    """The owner with something of everything."""
    EmailAddress.objects.create(user=owner, email="owner@example.org", verified=True, primary=True)
    issue_token(owner, name="laptop")
    TOTP.activate(owner, "JBSWY3DPEHPK3PXP")
    draft = Draft.objects.create(user=owner, problem=problem, language="cuda", source="// being written")
    DraftRevision.objects.create(draft=draft, revision=1, source="// before", saved=draft.saved)
    save_note(owner, problem, text="Mind the rest.", expected=0)
    discussion.open_thread(owner, problem, title="A question", text="Why so slow?")
    record(handed_in(owner, source="// fast"), timed_report())
    submission = handed_in(owner, source="// wrong")
    services.record(services.claim("w"), Report(Verdict.WRONG_ANSWER, cases=(HIDDEN,)))
    return submission


def document(user: User) -> dict[str, Any]:
    return json.loads("".join(export.document(user)))


def test_the_document_holds_all_that_is_kept(owner: User, busy: Submission) -> None:
    told = document(owner)
    assert told["account"]["username"] == "owner"
    assert told["addresses"] == [{"email": "owner@example.org", "verified": True, "primary": True}]
    assert told["api_tokens"][0]["name"] == "laptop"
    assert told["authenticators"][0]["kind"] == "totp"
    assert told["drafts"][0]["source"] == "// being written"
    assert told["earlier_drafts"][0]["source"] == "// before"
    assert told["notes"][0]["text"] == "Mind the rest."
    assert told["posts"][0]["text"] == "Why so slow?"
    assert told["posts"][0]["thread_title"] == "A question"
    assert [row["source"] for row in told["submissions"]] == ["// fast", "// wrong"]
    assert told["submissions"][0]["score_us"] == 5.0
    assert told["progress"][0]["accepted"] == 1


def test_the_document_has_no_title_of_another_user(owner: User, teammate: User, problem) -> None:
    thread = discussion.open_thread(teammate, problem, title="A secret", text="Why so slow?")
    discussion.reply(owner, thread, text="Because of the bank conflicts.")
    (post,) = document(owner)["posts"]
    assert (post["text"], post["thread_title"]) == ("Because of the bank conflicts.", "")


def test_the_document_names_offers_of_an_ownership(owner: User, teammate: User) -> None:
    workspace = Workspace.objects.create(slug="my-sum", owner=teammate)
    Membership.objects.create(workspace=workspace, user=owner, role=Role.EDITOR, offered=True)
    [row] = document(owner)["memberships"]
    assert (row["workspace"], row["role"], row["offered"]) == ("my-sum", "editor", True)


def test_every_table_about_people_is_in_the_document_or_left_out_on_purpose() -> None:
    """A new table with a person in it fails here until the document has it, or a reason is given."""
    source = Path(export.__file__).read_text()
    left_out = {
        "LogEntry": "the admin's own log; the audit log says the same",
        "EmailConfirmation": "made on the fly: confirmations are signed links",
        "SocialToken": "never stored",
        "Thread": "its title is part of the opening post",
        "AccountDeletion": "its user cannot sign in",
        "Best": "follows from the submissions",
        "BestByChecker": "follows from the submissions",
        "Place": "follows from the submissions",
        "Rejudge": "staff's work on others' submissions; their acts are in the document",
        "Baseline": "what staff chose",
        "Job": "how a submission was judged; where it stands is beside it",
    }
    for model in apps.get_models():
        about = [field for field in model._meta.get_fields() if getattr(field, "related_model", None) is User]
        own = [field for field in about if getattr(field, "concrete", False) and not field.many_to_many]
        if own and model.__name__ not in left_out:
            assert re.search(rf"\b{model.__name__}\b", source), model


def test_no_secret_and_nothing_of_hidden_cases_is_in_it(owner: User, busy: Submission) -> None:
    text = "".join(export.document(owner))
    secrets = (*owner.api_tokens.values_list("digest", flat=True), owner.password, "prime-case", "7919")
    assert not [secret for secret in secrets if secret in text]
    assert not [row for row in Authenticator.objects.all() if row.data["secret"] in text]


def test_others_are_not_in_it(owner: User, teammate: User, busy: Submission, handed_in) -> None:
    assert document(teammate)["submissions"] == []
    handed_in(teammate, source="// the teammate's")
    assert "teammate" not in "".join(export.document(owner))


def test_many_submissions_come_in_chunks_with_few_queries_at_a_time(owner: User, handed_in, settings) -> None:
    settings.WARPCOURT = settings.WARPCOURT.__class__.from_env(
        {"WARPCOURT_MAX_IN_FLIGHT": "100", "WARPCOURT_SUBMITS_PER_MINUTE": "100"}
    )
    made = [handed_in(owner, source=f"// {number}") for number in range(2 * export.CHUNK + 1)]
    connection.force_debug_cursor = True
    try:
        before = len(connection.queries_log)
        told = document(owner)
        assert len(connection.queries_log) - before < 37
    finally:
        connection.force_debug_cursor = False
    assert [row["id"] for row in told["submissions"]] == [row.public_id for row in made]


def test_the_document_is_streamed_after_the_password_was_asked_for(confirmed: Client, busy) -> None:
    answer: Any = confirmed.post("/account/data/download")
    assert answer["Content-Disposition"] == 'attachment; filename="warpcourt-owner.json"'

    async def read() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    assert json.loads(async_to_sync(read)())["account"]["username"] == "owner"
    assert mail.outbox[-1].subject == "[Warpcourt] Your data was downloaded"
    assert confirmed.post("/account/data/download").status_code == 429
    fresh = Client()
    fresh.force_login(User.objects.get(username="owner"))
    assert fresh.post("/account/data/download")["Location"].startswith("/accounts/reauthenticate/")


# Deletion


def test_an_account_goes_with_all_that_is_its_own(confirmed: Client, owner: User, busy, problem) -> None:
    refused = confirmed.post(DELETE, {"username": "somebody"})
    assert refused.status_code == 422
    assert "Type owner to confirm." in refused.content.decode()
    answer = confirmed.post(DELETE, {"username": "owner"}, follow=True)
    assert "Account deleted." in answer.content.decode()
    assert not User.objects.exists()
    assert not Submission.objects.exists()
    assert not Best.objects.exists()
    assert not Thread.objects.exists()
    assert not Draft.objects.exists()
    tally = Tally.objects.get(problem=problem)
    assert (tally.judged, tally.accepted, tally.solvers) == (0, 0, 0)
    assert mail.outbox[-1].subject == "[Warpcourt] Your account is being deleted"
    assert mail.outbox[-1].to == ["owner@example.org"]


def test_nothing_of_anybody_else_goes(owner, teammate, busy, handed_in, problem) -> None:
    record(handed_in(teammate), timed_report(9.0))
    thread = Thread.objects.get()
    discussion.reply(teammate, thread, text="Coalesce your loads.")
    assert [row.username for row in recent_records()] == ["owner"]
    deletion.delete_account(owner)
    assert [row.username for row in recent_records()] == ["teammate"]
    assert Progress.objects.get().user == teammate
    assert Tally.objects.get().solvers == 1
    opening, answer = Post.objects.order_by("pk")
    assert (opening.text, opening.author) == ("", None)
    assert (answer.text, answer.author) == ("Coalesce your loads.", teammate)
    thread.refresh_from_db()
    assert (thread.author, thread.replies, thread.shown) == (None, 1, True)


def test_what_is_being_judged_is_cancelled_and_its_worker_told(owner, handed_in) -> None:
    handed_in(owner)
    claim = services.claim("w")
    handed_in(owner)
    deletion.delete_account(owner)
    assert not Job.objects.exists()
    assert services.extend_lease(claim) is services.Hold.LOST
    assert services.record(claim, Report(Verdict.ACCEPTED)) is False


def test_sessions_and_tokens_end_at_once(confirmed: Client, owner: User, client: Client) -> None:
    _, secret = issue_token(owner, name="laptop")
    other = Client()
    other.post("/accounts/login/", {"login": "owner", "password": PASSWORD})
    confirmed.post(DELETE, {"username": "owner"})
    for browser in (confirmed, other):
        assert browser.get("/account").status_code == 302
    bearer = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/submissions", headers=bearer).status_code == 401


def test_the_last_superuser_stays(staff: User) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "staff", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    answer = client.post(DELETE, {"username": "staff"})
    assert "Create another one first." in answer.content.decode()
    assert User.objects.filter(username="staff").exists()
    assert not mail.outbox


@pytest.mark.django_db(transaction=True)
def test_an_interrupted_deletion_goes_on_with_the_sweeps(confirmed, owner, busy, handed_in, monkeypatch):
    for number in range(3):
        handed_in(owner, source=f"// {number}")
    rounds = []

    def crash(user: User) -> bool:
        rounds.append(user)
        if len(rounds) == 2:
            raise Crash
        return delete_batch(user)

    delete_batch = deletion._delete_batch
    monkeypatch.setattr(deletion, "_BATCH", 2)
    monkeypatch.setattr(deletion, "_delete_batch", crash)
    with pytest.raises(Crash):
        deletion.delete_account(owner)
    owner.refresh_from_db()
    assert not owner.is_active
    assert confirmed.get("/account")["Location"].startswith("/accounts/login/")
    assert Submission.objects.count() == 3
    assert (Tally.objects.get().judged, Best.objects.count()) == (0, 0)
    sweep_once()
    assert Submission.objects.count() == 3, "the process may still be deleting"
    AccountDeletion.objects.update(began=F("began") - timedelta(minutes=2))
    for _ in range(3):
        sweep_once()
    assert not User.objects.exists()
    assert not Submission.objects.exists()
    assert not AccountDeletion.objects.exists()


def test_a_result_that_is_recorded_during_the_deletion_counts_nowhere(owner, busy, monkeypatch) -> None:
    def record_late(user: User) -> None:
        if Submission.objects.filter(pk=busy.pk).exists():
            progress.settle(busy.pk)
        forget_posts(user)

    monkeypatch.setattr(deletion, "forget_posts", record_late)
    deletion.delete_account(owner)
    tally = Tally.objects.get()
    assert (tally.judged, tally.accepted, tally.solvers) == (0, 0, 0)


def test_a_suspended_account_is_not_deleted(owner: User) -> None:
    User.objects.update(is_active=False)
    deletion.go_on()
    assert User.objects.get() == owner


def test_many_submissions_are_deleted_in_batches(owner, handed_in, monkeypatch) -> None:
    monkeypatch.setattr(deletion, "_BATCH", 2)
    for number in range(5):
        handed_in(owner, source=f"// {number}")
    deletion.delete_account(owner)
    assert not Submission.objects.exists()
