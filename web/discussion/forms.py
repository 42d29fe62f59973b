"""Forms of discussions: posts and reports of users, and decisions of staff."""

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone

from web.discussion.models import REASON_CHARACTERS, TEXT_CHARACTERS, TITLE_CHARACTERS

_DAYS = [("7", "7 days"), ("30", "30 days"), ("", "Permanently")]
_MARKDOWN = "Markdown. Write TeX between dollar signs and code between backticks."


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "true"})


class PostForm(forms.Form):
    """The text of a new or edited post."""

    text = forms.CharField(max_length=TEXT_CHARACTERS, widget=_area(8), label="Text", help_text=_MARKDOWN)


class ThreadForm(PostForm):
    """The title of a thread, and its first post."""

    title = forms.CharField(max_length=TITLE_CHARACTERS, label="Title")
    field_order = ["title", "text"]


class FlagForm(forms.Form):
    """The reason of a report."""

    reason = forms.CharField(
        max_length=REASON_CHARACTERS,
        widget=_area(3),
        label="Reason",
        help_text="Visible to staff, not to the author.",
    )


class HideForm(forms.Form):
    """The reason for hiding a post."""

    reason = forms.CharField(max_length=REASON_CHARACTERS, label="Reason", help_text="Visible to the author.")


class BanForm(forms.Form):
    """The user to ban, the reason, and the duration."""

    person = forms.CharField(max_length=30, label="Username")
    days = forms.ChoiceField(choices=_DAYS, required=False, label="Duration")
    reason = forms.CharField(max_length=REASON_CHARACTERS, label="Reason", help_text="Visible to the user.")

    def until(self) -> datetime | None:
        """Return when the ban ends, or None if it has no end."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None
