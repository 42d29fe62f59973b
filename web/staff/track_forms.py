"""The forms of staff about tracks."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from problems.track import DAYS, MAX_PROBLEMS
from web.catalog.models import Problem
from web.tracks.models import Track


def _time() -> forms.Widget:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class ScheduleForm(forms.ModelForm[Track]):
    """The settings that staff can change for any track: whether it is shown, and its contest."""

    class Meta:
        model = Track
        fields = ["published", "contest_starts", "contest_ends"]
        labels = {"contest_starts": "Contest starts (UTC)", "contest_ends": "Contest ends (UTC)"}
        widgets = {"contest_starts": _time(), "contest_ends": _time()}


class TrackForm(ScheduleForm):
    """A track that staff write. `cleaned_data["stops"]` are its problems, in order."""

    stops = forms.CharField(
        label="Problems",
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text="Slugs in the order of the track, one on each line. You can find problems below.",
    )

    class Meta(ScheduleForm.Meta):
        fields = [
            *("slug", "title", "summary", "description", "hours", "prerequisites", "outcomes"),
            *("stops", "order", *ScheduleForm.Meta.fields),
        ]
        labels = {**ScheduleForm.Meta.labels, "slug": "Name in the URL"}
        widgets = {
            **ScheduleForm.Meta.widgets,
            "prerequisites": forms.Textarea(attrs={"rows": 3}),
            "outcomes": forms.Textarea(attrs={"rows": 4}),
        }
        help_texts = {
            "slug": "Letters, digits and hyphens, such as first-kernels. You cannot change it later."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["hours"] = self.initial.get("hours") or None
        if self.instance.pk:
            del self.fields["slug"]
            slugs = self.instance.entries.order_by("position").values_list("problem__slug", flat=True)
            self.fields["stops"].initial = "\n".join(slugs)
        self.order_fields(TrackForm.Meta.fields)

    def clean_slug(self) -> str:
        """Refuse the slug of the track that is built from the track days of the problems."""
        slug: str = self.cleaned_data["slug"]
        if slug == DAYS:
            raise ValidationError("This name is reserved for the track of the days of all problems.")
        return slug

    def clean_hours(self) -> int:
        """Return the hours, 0 if the field is empty."""
        hours: int = self.cleaned_data["hours"] or 0
        return hours

    def clean_stops(self) -> list[Problem]:
        """Return the problems with these slugs."""
        slugs = self.cleaned_data["stops"].split()
        if len(slugs) > MAX_PROBLEMS:
            raise ValidationError(f"A track can have up to {MAX_PROBLEMS} problems.")
        known = Problem.objects.in_bulk(set(slugs), field_name="slug")
        faults = [f"{slug}: problem not found." for slug in dict.fromkeys(slugs) if slug not in known]
        faults += [f"{slug} is listed twice." for slug in sorted({s for s in slugs if slugs.count(s) > 1})]
        if faults:
            raise ValidationError(faults)
        return [known[slug] for slug in slugs]
