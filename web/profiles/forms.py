"""The forms for the visibility of a profile and for personal nodes."""

from django import forms

from web.accounts.models import User
from web.fleet.models import PERSONAL_NAME_CHARACTERS


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


class PersonalNodeForm(forms.Form):
    """The form that invites a personal node."""

    name = forms.CharField(
        max_length=PERSONAL_NAME_CHARACTERS, label="Name", help_text="A name for the machine, such as desk."
    )

    def clean_name(self) -> str:
        """Return the name, which is written to logs and terminals."""
        name = str(self.cleaned_data["name"])
        if not name.isprintable():
            raise forms.ValidationError("The name contains control characters.")
        return name
