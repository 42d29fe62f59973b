"""The form that confirms the deletion of an account."""

from typing import Any

from django import forms

from web.accounts.models import User


class DeletionForm(forms.Form):
    """The name of the account, typed by its owner."""

    username = forms.CharField(label="Type your username to confirm", max_length=60)

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        self.user = user
        self.fields["username"].widget.attrs["autocomplete"] = "off"

    def clean_username(self) -> str:
        """Return the name if it is this account's; else raise a ValidationError."""
        if self.cleaned_data["username"].strip() != self.user.username:
            raise forms.ValidationError(f"Type {self.user.username} to confirm.")
        return self.user.username
