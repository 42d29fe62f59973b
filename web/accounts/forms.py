"""Forms for the settings of an account."""

from datetime import timedelta

from django import forms

from web.accounts.models import Scope
from web.accounts.services import DEFAULT_LIFETIME

LIFETIMES = {7: "7 days", 30: "30 days", 90: "90 days", 365: "1 year"}


class TokenForm(forms.Form):
    """The form for a new API token."""

    name = forms.CharField(
        max_length=60, label="Name", help_text="The purpose of the token, such as the machine that uses it."
    )
    scope = forms.ChoiceField(
        choices=[
            (Scope.SUBMIT.value, "Read and submit"),
            (Scope.READ.value, "Read only"),
            (Scope.AUTHOR.value, "Read, submit and write problems"),
        ],
        initial=Scope.SUBMIT.value,
        required=False,
        label="Scopes",
    )
    days = forms.ChoiceField(
        choices=[*LIFETIMES.items()],
        initial=DEFAULT_LIFETIME.days,
        required=False,
        label="Expires after",
    )

    def clean_scope(self) -> Scope:
        """Return the chosen scope, or the default if none was chosen."""
        return Scope(self.cleaned_data["scope"] or Scope.SUBMIT)

    @property
    def lifetime(self) -> timedelta:
        """Return the lifetime of the token. Call it on a valid form only."""
        return timedelta(days=int(self.cleaned_data["days"] or DEFAULT_LIFETIME.days))
