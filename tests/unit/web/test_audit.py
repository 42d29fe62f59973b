"""The audit log: what is written, and that nothing is forgotten when its people are."""

import pytest
from django.contrib.auth.models import AnonymousUser

from web.audit import services
from web.audit.models import Act, ActKind

pytestmark = pytest.mark.django_db


def test_an_act_says_who_did_what_to_what_and_why(staff, problem):
    act = services.log(staff, ActKind.PUBLISH, problem, version="2")
    assert (act.actor, act.actor_name, act.label) == (staff, "staff", "Published a problem")
    assert (act.target_kind, act.target_id, act.target_text) == ("problem", str(problem.pk), "Vector add")
    assert act.details == {"version": "2"}


def test_an_act_outlives_its_people_and_its_things(staff, problem):
    services.log(staff, ActKind.WITHDRAW, problem)
    staff.delete()
    problem.delete()
    kept = Act.objects.get()
    assert (kept.actor, kept.actor_name, kept.target_text) == (None, "staff", "Vector add")


def test_without_an_actor_it_was_the_command_line():
    for nobody in (None, AnonymousUser()):
        assert str(services.log(nobody, ActKind.CHANGE)) == "command line: admin.change"
