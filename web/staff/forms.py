"""The forms of staff: filters of lists, submissions to rejudge, and reasons."""

import re

from django import forms

from problems.vocabulary import Language, Verdict
from web.audit.models import TEXT_CHARACTERS, AuditKind
from web.catalog.models import Problem
from web.jobs.models import QUEUE_CHARACTERS, JobState
from web.rejudges.queries import EARLIER
from web.site.verdicts import badge_of
from web.submissions.models import PUBLIC_ID_CHARACTERS
from web.templatetags.warpcourt import language

MAX_IDS = 1000


class QueueFilter(forms.Form):
    """Filters of the queue."""

    status = forms.ChoiceField(
        choices=[("", "Any"), (JobState.QUEUED.value, "Waiting"), (JobState.LEASED.value, "Judging")],
        required=False,
        label="State",
    )
    queue = forms.CharField(max_length=QUEUE_CHARACTERS, required=False, label="Queue")
    problem = forms.SlugField(required=False, label="Problem")
    person = forms.CharField(max_length=30, required=False, label="User")


class AuditFilter(forms.Form):
    """Filters of the audit log."""

    kind = forms.ChoiceField(choices=[("", "Any"), *AuditKind.choices], required=False, label="Action")
    actor = forms.CharField(max_length=30, required=False, label="User")
    target = forms.CharField(max_length=60, required=False, label="Target")


class UserFilter(forms.Form):
    """Filters of the list of users."""

    name = forms.CharField(max_length=254, required=False, label="Name or email")
    role = forms.ChoiceField(
        choices=[
            ("", "Any"),
            ("is_instructor", "Instructor"),
            ("is_staff", "Staff"),
            ("is_superuser", "Superuser"),
        ],
        required=False,
        label="Role",
    )


class RolesForm(forms.Form):
    """The roles of a user, and the reason for a change."""

    is_instructor = forms.BooleanField(
        required=False,
        label="Instructor",
        help_text="Reads all submissions, writes and publishes problems.",
    )
    is_staff = forms.BooleanField(
        required=False,
        label="Staff",
        help_text="Uses the staff pages, and reads all submissions and hidden cases.",
    )
    is_active = forms.BooleanField(
        required=False,
        label="Active",
        help_text="Can sign in and is ranked. Clear this instead of deleting a user.",
    )
    reason = forms.CharField(max_length=TEXT_CHARACTERS, label="Reason", help_text="For the audit log.")


class ChoiceForm(forms.Form):
    """Submissions to rejudge. Empty fields do not narrow the choice."""

    problem = forms.CharField(
        max_length=60, required=False, label="Problem", help_text="The name in its URL."
    )
    version = forms.CharField(
        max_length=64,
        required=False,
        label="Version",
        help_text=f"The start of its content hash, or “{EARLIER}” for all versions except the live one.",
    )
    language = forms.ChoiceField(
        choices=[("", "Any"), *((known.value, language(known.value)) for known in Language)],
        required=False,
        label="Language",
    )
    since = forms.DateTimeField(
        required=False, label="Submitted after", widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    until = forms.DateTimeField(
        required=False, label="Submitted before", widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    verdicts = forms.MultipleChoiceField(
        choices=[(known.value, badge_of(known.value).word) for known in Verdict],
        required=False,
        label="Verdict",
        widget=forms.CheckboxSelectMultiple,
    )
    ids = forms.CharField(
        required=False,
        label="Submissions",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="IDs or URLs, separated by spaces or line breaks.",
    )

    def clean_problem(self) -> Problem | None:
        """Return the problem with that slug."""
        slug = self.cleaned_data["problem"]
        found = Problem.objects.filter(slug=slug).first() if slug else None
        if slug and found is None:
            raise forms.ValidationError("Problem not found.")
        return found

    def clean_ids(self) -> list[str]:
        """Return the ids in the text, which may also contain addresses."""
        words = re.split(r"[\s,]+", self.cleaned_data["ids"].strip())
        ids = [word.rstrip("/").rpartition("/")[2] for word in words if word]
        if len(ids) > MAX_IDS:
            raise forms.ValidationError(f"Enter up to {MAX_IDS} submissions.")
        if any(len(public_id) != PUBLIC_ID_CHARACTERS for public_id in ids):
            raise forms.ValidationError(f"An ID has {PUBLIC_ID_CHARACTERS} characters.")
        return ids

    def clean(self) -> dict[str, object]:
        """Return all fields; raise a ValidationError if all are empty."""
        cleaned = super().clean() or {}
        if not self.errors and not any(cleaned.values()):
            raise forms.ValidationError("Select at least one filter.")
        return cleaned

    def words(self) -> dict[str, object]:
        """Return the choice in words, for the record."""
        cleaned = {name: value for name, value in self.cleaned_data.items() if value}
        if "problem" in cleaned:
            cleaned["problem"] = cleaned["problem"].slug
        return {
            name: value.isoformat() if name in {"since", "until"} else value
            for name, value in cleaned.items()
        }
