"""The table of cases, with one column for each size."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms

from problems.parse import MAX_CASES, MAX_SIZE
from problems.vocabulary import Group
from web.authoring.editing.cases import CaseRow, parse_inputs, size_names, with_sizes
from web.authoring.forms.confirming import refuse_twice
from web.authoring.forms.rows import RowForm, RowSet, ordered, row_set

MAX_SIZES = 12
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_INPUT = {"class": "input"}


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names of sizes in a comma-separated list. Raises forms.ValidationError."""
    names = tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", text))))
    for name in names:
        if not _NAME.fullmatch(name):
            raise forms.ValidationError(
                f"{name[:40]!r} is not a valid size name: use lowercase letters, digits and _."
            )
    if not 1 <= len(names) <= MAX_SIZES:
        raise forms.ValidationError(f"Enter 1 to {MAX_SIZES} size names, such as: rows, cols.")
    return names


class CaseForm(RowForm):
    """One case."""

    name = forms.CharField(
        max_length=40,
        label="Name",
        widget=forms.TextInput(attrs={**_INPUT, "placeholder": "one-element", "spellcheck": "false"}),
    )
    group = forms.ChoiceField(
        choices=[(group.value, group.value) for group in Group],
        initial=Group.SMALL.value,  # an empty row sends this, so that it counts as unchanged
        label="Group",
        widget=forms.Select(attrs={"class": "select"}),
    )
    inputs = forms.CharField(
        required=False,
        label="Inputs",
        widget=forms.Textarea(
            attrs={**_INPUT, "rows": 2, "spellcheck": "false", "placeholder": "a = [1, 2, 3]"}
        ),
    )

    def __init__(self, *args: Any, sizes: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sizes = tuple(sizes)
        for name in self.sizes:
            self.fields[f"size_{name}"] = forms.IntegerField(
                min_value=1,
                max_value=MAX_SIZE,
                label=name,
                widget=forms.NumberInput(attrs={**_INPUT, "min": "1", "class": "input input-size"}),
            )

    @property
    def size_fields(self) -> list[Any]:
        """Return the fields of the sizes."""
        return [self[f"size_{name}"] for name in self.sizes]

    def clean_inputs(self) -> str:
        """Return the inputs as lines of TOML."""
        text: str = self.cleaned_data["inputs"]
        try:
            parse_inputs(text)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return text


class CaseSet(RowSet):
    """All cases."""

    row_word = "case"

    def clean(self) -> None:
        """Refuse two cases with the same name."""
        refuse_twice(self, "name", "The case name {} is used twice. Give each case its own name.")

    def rows(self) -> list[CaseRow]:
        """Return the rows of the table. Call it on a valid table only."""
        return [
            CaseRow(
                cleaned["came_from"],
                cleaned["name"],
                cleaned["group"],
                {name: cleaned[f"size_{name}"] for name in self.form_kwargs["sizes"]},
                cleaned["inputs"],
            )
            for _, cleaned in self.kept()
        ]


CaseTable = row_set(CaseForm, CaseSet, most=MAX_CASES)


class SizesForm(forms.Form):
    """The names of the sizes: those of the table's columns, and those that the author wants."""

    made_with = forms.CharField(
        widget=forms.HiddenInput,
        error_messages={"required": "The form is incomplete. Reload the page."},
    )
    sizes = forms.CharField(
        max_length=400,
        label="Sizes",
        help_text="Names of the sizes, separated by commas. A renamed size keeps its values. "
        "A new size is 1 in every case. Press Save to update the table.",
        widget=forms.TextInput(attrs={**_INPUT, "spellcheck": "false"}),
    )

    def clean_sizes(self) -> tuple[str, ...]:
        """Return the names that the author wants."""
        return parse_names(self.cleaned_data["sizes"])

    def clean_made_with(self) -> tuple[str, ...]:
        """Return the names of the columns that were submitted."""
        return parse_names(self.cleaned_data["made_with"])


def shown(rows: Sequence[CaseRow]) -> tuple[SizesForm, CaseSet]:
    """Return the forms that show `rows`."""
    names = size_names(rows) or ("n",)
    listed = ", ".join(names)
    initial = [
        {
            "came_from": row.came_from,
            "name": row.name,
            "group": row.group,
            "inputs": row.inputs,
            **{f"size_{name}": row.sizes.get(name) for name in names},
        }
        for row in rows
    ]
    table = CaseTable(initial=ordered(initial), form_kwargs={"sizes": names}, prefix="cases")
    return SizesForm(initial={"made_with": listed, "sizes": listed}), table


def sent(data: Any) -> tuple[SizesForm, CaseSet]:
    """Return the forms for submitted data."""
    sizes = SizesForm(data)
    sizes.full_clean()  # the typed values keep their columns, even if the new names are invalid
    names = sizes.cleaned_data.get("made_with", ())
    return sizes, CaseTable(data, form_kwargs={"sizes": names}, prefix="cases")


def rows_of(sizes: SizesForm, table: CaseSet) -> tuple[CaseRow, ...]:
    """Return the cases in two valid forms, with the sizes that the author wants.

    If as many names were removed as added, the sizes were renamed.
    """
    before, names = sizes.cleaned_data["made_with"], sizes.cleaned_data["sizes"]
    gone = [name for name in before if name not in names]
    come = [name for name in names if name not in before]
    renamed = dict(zip(gone, come, strict=True)) if len(gone) == len(come) else {}
    rows = [
        replace(row, sizes={renamed.get(name, name): size for name, size in row.sizes.items()})
        for row in table.rows()
    ]
    return with_sizes(rows, names)
