"""Forms for the statement, for the description in lists, and for figures."""

import re
import unicodedata
from typing import Any

from django import forms

from problems.figures import FIGURE_NAME, MAX_FIGURE_KIB, FigureInvalid, check_figure
from problems.translations import direction_of
from problems.vocabulary import Difficulty
from web.authoring.editing.about import AboutRow
from web.authoring.forms.plain import TextForm
from web.authoring.models import TITLE_CHARACTERS

SUMMARY_CHARACTERS = 200
_TAG = re.compile("[a-z][a-z0-9]*([- ][a-z0-9]+)*")
_INPUT = {"class": "input"}


class StatementForm(TextForm):
    """The text of a statement."""

    def __init__(self, *args: Any, locale: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attrs = self.fields["text"].widget.attrs
        attrs |= {"rows": 30, "class": "input source-text", "spellcheck": "true"}
        if locale:  # the browser also uses it to choose a spelling dictionary
            attrs |= {"lang": locale, "dir": direction_of(locale)}
        self.fields["text"].label = "Markdown with TeX"


class AboutForm(forms.Form):
    """The description of the problem in lists and searches."""

    title = forms.CharField(max_length=TITLE_CHARACTERS, label="Title", widget=forms.TextInput(attrs=_INPUT))
    summary = forms.CharField(
        max_length=SUMMARY_CHARACTERS,
        label="Summary",
        help_text="One sentence for the problem list.",
        widget=forms.TextInput(attrs=_INPUT),
    )
    difficulty = forms.ChoiceField(
        choices=[(level.value, level.value.capitalize()) for level in Difficulty],
        label="Difficulty",
        widget=forms.Select(attrs={"class": "select"}),
    )
    tags = forms.CharField(
        max_length=400,
        label="Tags",
        help_text="Lowercase words, separated by commas.",
        widget=forms.TextInput(attrs={**_INPUT, "spellcheck": "false"}),
    )
    track_day = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Day",
        help_text="Day in the hundred-day track, if any.",
        widget=forms.NumberInput(attrs=_INPUT),
    )

    @classmethod
    def showing(cls, row: AboutRow) -> "AboutForm":
        """Return a form that shows `row`."""
        return cls(
            initial={
                "title": row.title,
                "summary": row.summary,
                "difficulty": row.difficulty,
                "tags": ", ".join(row.tags),
                "track_day": row.track_day,
            }
        )

    def clean_tags(self) -> list[str]:
        """Return the tags without duplicates."""
        tags = list(dict.fromkeys(filter(None, map(str.strip, self.cleaned_data["tags"].split(",")))))
        for tag in tags:
            if not _TAG.fullmatch(tag) or len(tag) > 30:
                raise forms.ValidationError(f"{tag[:40]!r} must be lowercase words, such as: data reuse.")
        return tags

    def row(self) -> AboutRow:
        """Return the values of the form. Call it on a valid form only."""
        cleaned = self.cleaned_data
        day = cleaned["track_day"]
        return AboutRow(
            cleaned["title"],
            cleaned["summary"],
            cleaned["difficulty"],
            cleaned["tags"],
            str(day) if day else "",
        )


class FigureForm(forms.Form):
    """An image to upload. It passes the same checks as the images of a package."""

    file = forms.FileField(
        label="Image",
        help_text=f"SVG, PNG or WebP of up to {MAX_FIGURE_KIB} KiB. SVG may contain only drawing elements.",
        widget=forms.FileInput(attrs={"class": "input", "accept": ".svg,.png,.webp"}),
    )
    name = forms.CharField(
        required=False,
        max_length=64,
        label="Name",
        help_text="Lowercase letters, digits and hyphens. Leave blank to use the file's name.",
        widget=forms.TextInput(attrs={**_INPUT, "spellcheck": "false", "placeholder": "tree.svg"}),
    )

    def clean(self) -> dict[str, Any]:
        """Return the values, with the name and the content of a valid figure as `figure`."""
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is None:
            return cleaned
        if file.size > MAX_FIGURE_KIB * 1024:
            raise forms.ValidationError(f"The image exceeds {MAX_FIGURE_KIB} KiB. Upload a smaller one.")
        name = cleaned.get("name") or _plain_name(file.name)
        if not FIGURE_NAME.fullmatch(name):
            raise forms.ValidationError(
                f"{name[:60]!r} is not a valid figure name. Use one such as tree.svg."
            )
        try:
            cleaned["figure"] = check_figure(name, file.read())
        except FigureInvalid as refusal:
            raise forms.ValidationError(f"{name} {refusal}.") from refusal
        return cleaned


def _plain_name(name: str) -> str:
    """Return the name of a figure for an uploaded file called `name`."""
    stem, _, suffix = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().rpartition(".")
    return f"{re.sub(r'[^a-z0-9]+', '-', stem.lower()).strip('-')[:59]}.{suffix.lower()}"
