"""Superusers give roles, and each change is in the audit log."""

import pytest

from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind

pytestmark = pytest.mark.django_db

INSTRUCTOR = {"is_instructor": "on", "is_active": "on", "reason": "teaches the course"}


@pytest.fixture
def superuser(staff, browser_of):
    found = browser_of(staff)
    found.handler.enforce_csrf_checks = False
    return found


def test_a_role_is_given_and_noted(owner, staff, superuser):
    assert superuser.post("/staff/users/owner", INSTRUCTOR).status_code == 302
    owner.refresh_from_db()
    assert owner.is_instructor
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor, entry.target_text) == (AuditKind.ROLE, staff, "owner")
    assert entry.details == {
        "changed": ["is_instructor"],
        "is_instructor": [False, True],
        "reason": "teaches the course",
    }


def test_nothing_is_noted_if_nothing_changes(owner, superuser):
    assert superuser.post("/staff/users/owner", {"is_active": "on", "reason": "none"}).status_code == 302
    assert not AuditEntry.objects.exists()


def test_a_reason_is_required(owner, superuser):
    assert superuser.post("/staff/users/owner", INSTRUCTOR | {"reason": ""}).status_code == 422
    owner.refresh_from_db()
    assert not owner.is_instructor


def test_only_superusers_change_roles(owner, teammate, browser_of):
    teammate.is_staff = True
    teammate.save()
    superuser = browser_of(teammate)
    superuser.handler.enforce_csrf_checks = False
    assert "Only superusers change roles" in superuser.get("/staff/users/owner").content.decode()
    assert superuser.post("/staff/users/owner", INSTRUCTOR).status_code == 403
    owner.refresh_from_db()
    assert not owner.is_instructor


def test_a_superuser_keeps_their_own_roles(staff, superuser):
    assert superuser.post("/staff/users/staff", {"reason": "gone"}).status_code == 403
    staff.refresh_from_db()
    assert staff.is_active


def test_characters_that_no_database_takes_are_not_found(superuser):
    assert superuser.get("/staff/users/%00").status_code == 404
    assert superuser.get("/staff/users?after=%00").status_code == 200


def test_users_are_found_by_name_and_role(owner, teammate, superuser):
    User.objects.filter(pk=teammate.pk).update(is_instructor=True, email="mate@example.org")

    def found(**chosen: str) -> set[str]:
        page = superuser.get("/staff/users", chosen).content.decode()
        return {name for name in ("owner", "staff", "teammate") if f'href="/staff/users/{name}"' in page}

    assert found() == {"owner", "staff", "teammate"}
    assert found(name="OWN") == {"owner"}
    assert found(name="mate@example.org") == {"teammate"}
    assert found(role="is_instructor") == {"teammate"}
    assert found(after="owner") == {"staff", "teammate"}


def test_the_page_names_the_classes_and_leads_superusers_to_them(owner, teammate, superuser, browser_of):
    owner.groups.create(name="gpu-2026")
    page = superuser.get("/staff/users/owner").content.decode()
    assert "Classes: gpu-2026." in page
    assert f'href="/admin/accounts/user/{owner.pk}/change/#id_groups"' in page
    teammate.is_staff = True
    teammate.save()
    page = browser_of(teammate).get("/staff/users/owner").content.decode()
    assert "Classes: gpu-2026." in page
    assert "/admin/accounts/user/" not in page
