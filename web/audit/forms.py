"""Why something is done that the audit log tells about."""

from django import forms

from web.audit.models import TEXT_CHARACTERS


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = forms.CharField(max_length=TEXT_CHARACTERS, label="Reason")
