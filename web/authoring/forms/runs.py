"""Forms that request a job from a worker: a preview of a case, or a proof."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from judge.proof.preview import CaseWanted
from judge.proof.timed_sizes import DEFAULT_GPU, MODELS
from judge.sizes import MAX_SEED

_SIZE = re.compile(r"\s*([a-z][a-z0-9_]{0,31})\s*=\s*(\d{1,10})\s*")


class PreviewForm(forms.Form):
    """Asks for a case, by name or by sizes, and for a seed."""

    case = forms.ChoiceField(required=False, label="Case", widget=forms.Select(attrs={"class": "select"}))
    sizes = forms.CharField(
        required=False,
        max_length=300,
        label="or custom sizes",
        widget=forms.TextInput(
            attrs={"class": "input", "placeholder": "n = 5, m = 3", "spellcheck": "false"}
        ),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        label="Seed",
        widget=forms.TextInput(attrs={"class": "input", "inputmode": "numeric", "placeholder": "random"}),
    )

    def __init__(self, *args: Any, cases: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["case"].choices = [(name, name) for name in cases]  # type: ignore[attr-defined]  # a ChoiceField

    def clean_sizes(self) -> dict[str, int]:
        """Return the sizes by name, or an empty dict if the field is empty."""
        parts = [part for part in self.cleaned_data["sizes"].split(",") if part.strip()]
        found = [_SIZE.fullmatch(part) for part in parts]
        if not all(found):
            raise forms.ValidationError("Enter sizes such as n = 5, m = 3.")
        return {match[1]: int(match[2]) for match in found if match}

    def wanted(self) -> CaseWanted:
        """Return the case to generate. Call it on a valid form only."""
        cleaned = self.cleaned_data
        return CaseWanted("" if cleaned["sizes"] else cleaned["case"], cleaned["sizes"], cleaned["seed"])


class ProofForm(forms.Form):
    """Asks for the GPU for which timed cases are sized."""

    gpu = forms.ChoiceField(
        choices=[(name, name) for name in MODELS],
        required=False,
        initial=DEFAULT_GPU,
        label="GPU for timed cases",
        widget=forms.Select(attrs={"class": "select"}),
    )


class CommentForm(forms.Form):
    """A comment on a file, or on a line of it."""

    line = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        label="Line",
        widget=forms.NumberInput(attrs={"class": "input input-size", "placeholder": "all"}),
    )
    text = forms.CharField(
        max_length=4000, label="Comment", widget=forms.Textarea(attrs={"class": "input", "rows": 3})
    )


class PublishForm(forms.Form):
    """Asks for the release note of a version."""

    note = forms.CharField(
        required=False,
        max_length=300,
        label="What's new",
        widget=forms.TextInput(attrs={"class": "input"}),
    )
