"""Tests the admin: every table has a page, hidden data can't be edited, and all actions are logged."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse

from judge.report import Report, Score
from problems.vocabulary import Verdict
from tests.conftest import new_problem
from web.accounts.models import User
from web.accounts.services import issue_token, use_token
from web.audit.audited import RecordAdmin
from web.audit.models import AuditEntry, AuditKind
from web.catalog.models import Problem, Tagging
from web.discussion import services as discussion
from web.drafts.models import Draft
from web.fleet import services as fleet
from web.rejudges import rejudging
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

# Django's own bookkeeping, and what holds nothing but secrets.
LEFT_OUT = {
    "admin.LogEntry",  # the audit log says the same
    "auth.Permission",
    "contenttypes.ContentType",
    "sessions.Session",
    "account.EmailConfirmation",
    "socialaccount.SocialApp",
    "socialaccount.SocialToken",
    "fleet.NodeInvitation",  # nothing but secrets; the audit log says who was invited
    "tracks.Entry",  # these have a page at /staff/tracks
    "tracks.PlannedEntry",
    "tracks.Track",
}
OURS = [model for model in apps.get_models() if model._meta.label not in LEFT_OUT]
EDITED = {"User", "Problem", "Group"}


def address(model, page: str, *arguments) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.fixture
def everything(owner, staff, handed_in, problem) -> None:
    """Some rows of nearly every kind, several where they are listed."""
    for _ in range(3):
        handed_in(owner)
        services.record(services.claim("w"), Report(Verdict.ACCEPTED, score=Score(2.0, 1.9, 2.1), **timed()))
    rejudging.start(staff, Submission.objects.all(), reason="test", chosen={})
    for title in ("one", "two", "three"):
        thread = discussion.open_thread(owner, problem, title=title, text="text")
        post = discussion.reply(owner, thread, text="more")
        discussion.edit(post, text="other")
        discussion.flag(staff, post, reason="why")
        Tagging.objects.create(problem=problem, name=title)
        fleet.record_inventory(title, {}, [])
        issue_token(owner, name=title)
    discussion.ban(owner, staff, reason="why")
    Draft.objects.create(user=owner, problem=problem, language="cuda", source="// nobody's business")


def timed() -> dict[str, Any]:
    return {"environment": {"gpu": "NVIDIA H200"}}


def test_every_table_is_there_and_quick(everything, staff, browser_of, django_assert_max_num_queries):
    browser = browser_of(staff)
    for model in OURS:
        with django_assert_max_num_queries(8):
            assert browser.get(address(model, "changelist")).status_code == 200, model
        assert browser.get(address(model, "changelist"), {"q": "owner"}).status_code == 200, model
        row = model._default_manager.first()
        if row is not None:
            assert browser.get(address(model, "change", row.pk)).status_code == 200, model


def test_a_record_cannot_be_edited(everything, staff, browser_of):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    for model in OURS:
        if model.__name__ in EDITED:
            continue
        record = isinstance(admin.site.get_model_admin(model), RecordAdmin)
        assert record, f"use RecordAdmin for {model}, or name it in EDITED"
        assert browser.post(address(model, "add"), {}).status_code == 403, model
        row = model._default_manager.first()
        if row is not None:
            assert browser.post(address(model, "change", row.pk), {}).status_code == 403, model


def test_it_is_for_staff(owner, teammate, stranger, browser_of):
    teammate.is_instructor = True
    teammate.save()
    for person in (owner, teammate, stranger):
        browser = browser_of(person)
        for model in OURS:
            assert browser.get(address(model, "changelist")).status_code == 302, model


def test_what_is_private_is_not_shown(everything, staff, browser_of):
    page = browser_of(staff).get(address(Draft, "change", Draft.objects.get().pk)).content
    assert b"nobody's business" not in page
    assert b"nobody&#x27;s business" not in page


def save(browser, model, row, **columns) -> int:
    browser.handler.enforce_csrf_checks = False
    return browser.post(address(model, "change", row.pk), columns).status_code


def test_a_right_is_given_by_a_superuser_and_noted(owner, staff, browser_of):
    columns = {"username": "owner", "email": "", "is_superuser": "on", "is_staff": "on"}
    assert save(browser_of(staff), User, owner, **columns) == 302
    owner.refresh_from_db()
    assert owner.is_superuser
    assert not owner.is_staff  # roles are changed at /staff/users
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor, entry.target_text) == (AuditKind.ROLE, staff, "owner")
    assert entry.details == {"changed": ["is_superuser"], "is_superuser": [False, True]}


def test_staff_who_are_no_superusers_give_no_roles(owner, teammate, staff, browser_of):
    from django.contrib.auth.models import Permission  # noqa: PLC0415 - only here

    teammate.is_staff = True
    teammate.save()
    teammate.user_permissions.set(Permission.objects.filter(codename__in=["change_user", "view_user"]))
    columns = {"username": "owner", "email": "", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    assert save(browser_of(teammate), User, owner, **columns) == 302
    assert not User.objects.filter(pk=owner.pk, is_staff=True).exists()
    assert save(browser_of(teammate), User, staff, **columns) == 403
    password = reverse("admin:auth_user_password_change", args=[staff.pk])
    assert browser_of(teammate).get(password).status_code == 403


def test_a_problem_is_withdrawn_and_published_with_a_note(staff, browser_of):
    problem = new_problem("draft")
    browser = browser_of(staff)
    save(browser, Problem, problem)
    save(browser, Problem, problem, published="on")
    assert list(AuditEntry.objects.values_list("kind", flat=True)) == [AuditKind.PUBLISH, AuditKind.WITHDRAW]


def test_a_token_is_revoked_with_a_note(owner, staff, browser_of):
    token, _ = issue_token(owner, name="laptop")
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    browser.post(address(type(token), "delete", token.pk), {"post": "yes"})
    assert AuditEntry.objects.get().kind == AuditKind.TOKEN_REVOKE


def test_actions_on_submissions_are_noted(owner, staff, handed_in, browser_of):
    waiting = handed_in(owner)
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    chosen = {"_selected_action": [waiting.pk]}
    browser.post(address(Submission, "changelist"), {"action": "cancel", **chosen})
    browser.post(address(Submission, "changelist"), {"action": "rejudge", **chosen})
    assert list(AuditEntry.objects.values_list("kind", flat=True)) == [AuditKind.REJUDGE, AuditKind.CANCEL]


def test_a_password_that_is_set_there_is_noted_without_it(owner, staff, browser_of):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    secret = "an entirely new password 7"
    address_ = reverse("admin:auth_user_password_change", args=[owner.pk])
    answer = browser.post(address_, {"password1": secret, "password2": secret, "usable_password": "true"})
    assert answer.status_code == 302
    entry = AuditEntry.objects.get()
    assert entry.target_text == "owner"
    assert secret not in str(entry.details)


def test_a_password_that_staff_set_revokes_the_tokens_of_its_user(owner, staff, browser_of):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    _, token = issue_token(owner, name="laptop")
    new = {"password1": "an entirely new password 7", "password2": "an entirely new password 7"}
    address_ = reverse("admin:auth_user_password_change", args=[owner.pk])
    assert browser.post(address_, {**new, "usable_password": "true"}).status_code == 302
    assert use_token(token) is None


def test_somebody_is_added_there_and_may_sign_in(staff, browser_of, client):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    secret = "an entirely new password 7"
    columns = {"username": "fresh", "password1": secret, "password2": secret, "usable_password": "true"}
    assert browser.post(address(User, "add"), columns).status_code == 302
    assert client.login(username="fresh", password=secret)
    assert AuditEntry.objects.get().kind == AuditKind.ADD


def test_no_two_sections_have_the_same_name(staff, browser_of):
    """Each heading tells which app its tables belong to."""
    request = browser_of(staff).get(reverse("admin:index")).wsgi_request
    names = [section["name"] for section in admin.site.get_app_list(request)]
    assert len(names) == len(set(names))
