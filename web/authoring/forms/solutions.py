"""The table of solutions, and the form of a new one."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from problems.vocabulary import BaselineKind, Verdict
from web.authoring.editing.solutions import SolutionRow
from web.authoring.forms.confirming import refuse_twice
from web.authoring.forms.rows import RowForm, RowSet, ordered, row_set
from web.site.verdicts import badge_of

MAX_SOLUTIONS = 64
FILE = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*([.][a-z]+){1,2}")
VERDICTS = tuple(v for v in Verdict if v not in {Verdict.INTERNAL_ERROR, Verdict.CANCELLED})
_CHOICES = [(verdict.value, badge_of(verdict.value).word) for verdict in VERDICTS]
_INPUT = {"class": "input"}
_SELECT = {"class": "select"}


class SolutionForm(RowForm):
    """One solution, without its source."""

    file = forms.CharField(
        max_length=60,
        label="File",
        widget=forms.TextInput(attrs={**_INPUT, "placeholder": "plain.cu", "spellcheck": "false"}),
    )
    verdict = forms.ChoiceField(
        choices=_CHOICES,
        initial=Verdict.WRONG_ANSWER.value,  # an empty row sends this, so that it counts as unchanged
        label="Verdict",
        widget=forms.Select(attrs=_SELECT),
    )
    gpu_verdicts = forms.MultipleChoiceField(
        choices=_CHOICES,
        required=False,
        label="Verdicts allowed on a GPU",
        widget=forms.CheckboxSelectMultiple,
    )
    note = forms.CharField(
        max_length=200,
        label="Note",
        widget=forms.TextInput(attrs={**_INPUT, "placeholder": "The idea or the bug, in one sentence."}),
    )
    baseline = forms.ChoiceField(
        choices=[("", "none"), *((kind.value, kind.value) for kind in BaselineKind)],
        required=False,
        label="Baseline",
        widget=forms.Select(attrs=_SELECT),
    )
    label = forms.CharField(
        max_length=60, required=False, label="Baseline label", widget=forms.TextInput(attrs=_INPUT)
    )

    def clean_file(self) -> str:
        """Return the file name, without its folder."""
        name: str = self.cleaned_data["file"]
        if not FILE.fullmatch(name):
            raise forms.ValidationError(
                "Use lowercase words joined by hyphens, such as plain.cu or tiled.py."
            )
        return name

    def clean(self) -> dict[str, Any]:
        """Refuse a baseline without a label."""
        cleaned = super().clean() or {}
        if cleaned.get("baseline") and not cleaned.get("label"):
            self.add_error("label", "Enter the label that leaderboards show for this baseline.")
        return cleaned


class SolutionSet(RowSet):
    """All solutions."""

    def clean(self) -> None:
        """Refuse two solutions with the same file."""
        refuse_twice(self, "file", "A solution named {} already exists. Choose another name.")

    def rows(self) -> list[SolutionRow]:
        """Return the rows of the table. Call it on a valid table only."""
        return [
            SolutionRow(
                cleaned["came_from"],
                cleaned["file"],
                cleaned["verdict"],
                cleaned["note"],
                tuple(cleaned["gpu_verdicts"]),
                cleaned["baseline"],
                cleaned["label"],
            )
            for _, cleaned in self.kept()
        ]


SolutionTable = row_set(SolutionForm, SolutionSet, most=MAX_SOLUTIONS)


def shown(rows: Sequence[SolutionRow]) -> SolutionSet:
    """Return the table that shows `rows`."""
    initial = [
        {
            "came_from": row.came_from,
            "file": row.file,
            "verdict": row.verdict,
            "note": row.note,
            "gpu_verdicts": list(row.gpu_verdicts),
            "baseline": row.baseline,
            "label": row.label,
        }
        for row in rows
    ]
    return SolutionTable(initial=ordered(initial), prefix="solutions")


def sent(data: Any) -> SolutionSet:
    """Return the table for submitted data."""
    return SolutionTable(data, prefix="solutions")
