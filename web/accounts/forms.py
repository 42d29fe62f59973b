"""What people may ask of their account."""

from django import forms

from web.accounts.models import Scope


class TokenForm(forms.Form):
    """A token to be made."""

    name = forms.CharField(
        max_length=60, label="Name", help_text="What it is for, such as the machine it will live on."
    )
    scope = forms.ChoiceField(
        choices=[(Scope.SUBMIT.value, "Read and submit"), (Scope.READ.value, "Read only")],
        initial=Scope.SUBMIT.value,
        label="It may",
    )
