"""Forms of discussions: posts and reports of users, and decisions of staff."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from web.discussion.models import NOTE_CHARACTERS, REASON_CHARACTERS, TEXT_CHARACTERS, TITLE_CHARACTERS

_DAYS = [("7", "7 days"), ("30", "30 days"), ("", "Permanently")]
_MARKDOWN = (
    "Markdown. Write TeX between dollar signs and code between backticks. "
    "Lines between :::spoiler and ::: are folded."
)


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "true"})


class PostForm(forms.Form):
    """The text of a new or edited post."""

    text = forms.CharField(max_length=TEXT_CHARACTERS, widget=_area(8), label="Text", help_text=_MARKDOWN)


class ThreadForm(PostForm):
    """The title of a thread, and its first post."""

    title = forms.CharField(max_length=TITLE_CHARACTERS, label="Title")
    field_order = ["title", "text"]


class SolutionForm(forms.Form):
    """The note and the technique of a solution in the gallery."""

    technique = forms.ChoiceField(label="Technique")
    note = forms.CharField(
        max_length=NOTE_CHARACTERS, label="Note", help_text="One line about what makes it fast or simple."
    )

    def __init__(self, *args: Any, techniques: Sequence[str], **more: Any) -> None:
        super().__init__(*args, **more)
        choices = [(name, name) for name in techniques] or [("other", "other")]
        self.fields["technique"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField has them


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
