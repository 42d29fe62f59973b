"""What people may ask of their profile."""

from django import forms

from web.accounts.models import User


class PrivacyForm(forms.ModelForm[User]):
    """Who may see what."""

    class Meta:
        model = User
        fields = ["profile_audience", "shows_activity", "in_rankings"]
        labels = {
            "profile_audience": "Who sees my profile",
            "shows_activity": "Show on which days I hand something in",
            "in_rankings": "Show me on leaderboards and in the ranking",
        }
        help_texts = {
            "profile_audience": "Staff see every profile.",
            "shows_activity": "",
            "in_rankings": "Without this your scores neither rank nor hold records.",
        }
        widgets = {"profile_audience": forms.RadioSelect}
