"""Writes about profiles."""

from django.db import transaction

from web.accounts.models import Audience, User
from web.submissions import best


@transaction.atomic
def change_privacy(user: User, *, audience: Audience, shows_activity: bool, in_rankings: bool) -> None:
    """Store the visibility of a profile.

    Recompute the marks of records if the user enters or leaves the rankings.
    """
    stored = User.objects.select_for_update().get(pk=user.pk)
    ranked = stored.in_rankings
    User.objects.filter(pk=user.pk).update(
        profile_audience=audience, shows_activity=shows_activity, in_rankings=in_rankings
    )
    if ranked != in_rankings:
        best.review(user)
