"""What an author says to begin a problem, to copy one, and to narrow the list."""

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
    """A name for addresses, made from a title; empty where nothing of it can be one."""
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
        """All of it, with a slug."""
        cleaned = super().clean() or {}
        if cleaned.get("title") and not cleaned.get("slug") and "slug" not in self.errors:
            cleaned["slug"] = slug_of(cleaned["title"])
            if not cleaned["slug"]:
                self.add_error("slug", "Enter a URL name. None could be made from this title.")
        return cleaned


class NewForm(NamedForm):
    """A problem to begin."""

    kind = forms.ChoiceField(
        choices=[(kind.name, kind.label) for kind in PROBLEM_TEMPLATES], label="Template"
    )


class CloneForm(NamedForm):
    """A copy to make."""


class ListFilter(forms.Form):
    """A part of the list of problems. What makes no sense narrows nothing."""

    q = forms.CharField(required=False, max_length=80)
    state = forms.ChoiceField(
        required=False, choices=[("", "All except archived"), *WorkspaceState.choices], label="State"
    )
    whose = forms.ChoiceField(
        required=False, choices=[("", "Own and shared"), ("own", "Own"), ("shared", "Shared")], label="Whose"
    )

    def chosen(self) -> dict[str, str]:
        """What is set, by its name in the address."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
