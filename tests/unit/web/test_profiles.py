"""Profiles: who may see whose, and what is in them."""

import pytest

from web.accounts.models import Audience, User
from web.profiles.queries import may_see_profile, ranked_users

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("audience", "seen_by"),
    [
        (Audience.EVERYBODY, {"owner", "teammate", "staff", "stranger"}),
        (Audience.SIGNED_IN, {"owner", "teammate", "staff"}),
        (Audience.NOBODY, {"owner", "staff"}),
    ],
)
def test_a_profile_is_seen_by_its_audience(owner, teammate, staff, stranger, audience, seen_by):
    owner.profile_audience = audience
    people = {"owner": owner, "teammate": teammate, "staff": staff, "stranger": stranger}
    assert {name for name, person in people.items() if may_see_profile(person, owner)} == seen_by


def test_only_staff_see_the_profile_of_somebody_who_was_locked_out(owner, teammate, staff):
    owner.is_active = False
    assert may_see_profile(staff, owner)
    assert not may_see_profile(teammate, owner)


def test_rankings_leave_out_the_unwilling_and_the_locked_out(owner, teammate, staff):
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    User.objects.filter(pk=teammate.pk).update(is_active=False)
    assert [*User.objects.filter(ranked_users())] == [staff]
