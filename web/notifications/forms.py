"""The form for emails about notifications."""

from typing import Any

from django import forms

from web.accounts.models import User
from web.notifications.models import Kind
from web.notifications.queries import kinds_of, mailed_kinds


class MailForm(forms.Form):
    """The kinds of notifications that a user also wants by email."""

    kinds = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label="Send me an email about"
    )

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        self.offered = kinds_of(user)
        self.fields["kinds"].initial = sorted(mailed_kinds(user))
        self.fields["kinds"].choices = [(kind.value, kind.label) for kind in self.offered]  # type: ignore[attr-defined]

    def wanted(self) -> set[Kind]:
        """Return the chosen kinds."""
        return {Kind(value) for value in self.cleaned_data["kinds"]}
