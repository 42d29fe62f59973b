"""The form for the reason for an act in the audit log."""

from django import forms

from web.audit.models import TEXT_CHARACTERS


class ReasonForm(forms.Form):
    """Asks for the reason for an act."""

    reason = forms.CharField(max_length=TEXT_CHARACTERS, label="Reason")
