"""Forms to create or copy a problem, and to filter the list."""

import re
import unicodedata
from typing import Any

from django import forms

from problems.contents import MAX_SLUG_CHARACTERS
from web.authoring.models import TITLE_CHARACTERS, WorkspaceState
from web.authoring.problem_templates import PROBLEM_TEMPLATES

_SLUG_HINT = (
    "Used in URLs. Can't be changed later. Lowercase words joined by hyphens. Leave blank to use the title."
)


def slug_of(title: str) -> str:
    """Return a slug made from a title, or an empty string if the title has no usable character."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return re.sub(r"^[^a-z]+", "", words)[:MAX_SLUG_CHARACTERS].strip("-")


class NamedForm(forms.Form):
    """A title and a slug."""

    title = forms.CharField(
        max_length=TITLE_CHARACTERS,
        label="Title",
        help_text="You can change it later.",
        widget=forms.TextInput(attrs={"class": "input"}),
    )
    slug = forms.CharField(
        max_length=MAX_SLUG_CHARACTERS,
        required=False,
        label="URL name",
        help_text=_SLUG_HINT,
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocapitalize": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        """Return all values, with a slug derived from the title if the author gave none."""
        cleaned = super().clean() or {}
        if cleaned.get("title") and not cleaned.get("slug") and "slug" not in self.errors:
            cleaned["slug"] = slug_of(cleaned["title"])
            if not cleaned["slug"]:
                self.add_error("slug", "Enter a URL name. None could be made from this title.")
        return cleaned


class NewForm(NamedForm):
    """Asks for the title, the slug and the template of a new problem."""

    kind = forms.ChoiceField(
        choices=[(kind.name, kind.label) for kind in PROBLEM_TEMPLATES], label="Template"
    )


class CloneForm(NamedForm):
    """Asks for the title and the slug of a copy."""


class ListFilter(forms.Form):
    """The filter of the list of problems. Invalid values are ignored."""

    q = forms.CharField(required=False, max_length=80)
    state = forms.ChoiceField(
        required=False, choices=[("", "All except archived"), *WorkspaceState.choices], label="State"
    )
    whose = forms.ChoiceField(
        required=False, choices=[("", "Own and shared"), ("own", "Own"), ("shared", "Shared")], label="Whose"
    )

    def chosen(self) -> dict[str, str]:
        """Return the filters that are set, by their names in the address."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
