"""The form for the visibility of a profile."""

from django import forms

from web.accounts.models import User


class PrivacyForm(forms.ModelForm[User]):
    """The users who may see the profile, and whether rankings include the user."""

    class Meta:
        model = User
        fields = ["profile_audience", "shows_activity", "in_rankings"]
        labels = {
            "profile_audience": "Profile visibility",
            "shows_activity": "Show my activity calendar",
            "in_rankings": "Show me on leaderboards and in the ranking",
        }
        help_texts = {
            "profile_audience": "Staff can see every profile.",
            "shows_activity": "",
            "in_rankings": "If you turn this off, your scores are not ranked and hold no records.",
        }
        widgets = {"profile_audience": forms.RadioSelect}
