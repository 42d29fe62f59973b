"""Tests the audit log: its entries, and that they stay when accounts are deleted."""

import pytest
from django.contrib.auth.models import AnonymousUser

from web.audit import services
from web.audit.models import AuditEntry, AuditKind

pytestmark = pytest.mark.django_db


def test_an_act_says_who_did_what_to_what_and_why(staff, problem):
    entry = services.log(staff, AuditKind.PUBLISH, problem, version="2")
    assert (entry.actor, entry.actor_name, entry.label) == (staff, "staff", "Published a problem")
    assert (entry.target_kind, entry.target_id, entry.target_text) == (
        "problem",
        str(problem.pk),
        "Vector add",
    )
    assert entry.details == {"version": "2"}


def test_an_act_outlives_its_people_and_its_things(staff, problem):
    services.log(staff, AuditKind.WITHDRAW, problem)
    staff.delete()
    problem.delete()
    kept = AuditEntry.objects.get()
    assert (kept.actor, kept.actor_name, kept.target_text) == (None, "staff", "Vector add")


def test_without_an_actor_it_was_the_command_line():
    for nobody in (None, AnonymousUser()):
        assert str(services.log(nobody, AuditKind.CHANGE)) == "command line: admin.change"
