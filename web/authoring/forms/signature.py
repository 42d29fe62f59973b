"""The table of arguments."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from problems.formula import Formula, FormulaError
from problems.parse import MAX_RANK, is_reserved
from problems.rules import MAX_WIRE_ARGUMENTS
from problems.vocabulary import Dtype, Role
from web.authoring.editing.signature import ArgumentRow
from web.authoring.forms.rows import RowForm, RowSet, ordered, row_set

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_INPUT = {"class": "input", "spellcheck": "false", "autocapitalize": "off"}


class ArgumentForm(RowForm):
    """One argument. An array needs a shape and no value, a scalar a value and no shape."""

    name = forms.CharField(
        max_length=32, label="Name", widget=forms.TextInput(attrs={**_INPUT, "placeholder": "input"})
    )
    role = forms.ChoiceField(
        choices=[(role.value, role.value) for role in Role],
        initial=Role.IN.value,
        label="Role",
        widget=forms.Select(attrs={"class": "select"}),
    )
    dtype = forms.ChoiceField(
        choices=[(dtype.value, dtype.value) for dtype in Dtype],
        initial=Dtype.FLOAT32.value,
        label="Type",
        widget=forms.Select(attrs={"class": "select"}),
    )
    extent = forms.CharField(
        max_length=840,
        label="Shape or value",
        widget=forms.TextInput(attrs={**_INPUT, "class": "input mono", "placeholder": "rows, cols"}),
    )

    zeroed = forms.BooleanField(required=False, label="Starts at zero")

    def clean_name(self) -> str:
        """Return the name, if it is valid in every language."""
        name: str = self.cleaned_data["name"]
        if not _NAME.fullmatch(name):
            raise forms.ValidationError("Use lowercase letters, digits and _, starting with a letter.")
        if is_reserved(name):
            raise forms.ValidationError(f"{name} is a reserved word in one of the languages. Rename it.")
        return name

    def clean(self) -> dict[str, Any]:
        """Return all values, after checking the formulas of the shape or the value."""
        cleaned = super().clean() or {}
        if "extent" not in cleaned or "role" not in cleaned:
            return cleaned
        scalar = cleaned["role"] == Role.SCALAR.value
        formulas = [
            text.strip() for text in ([cleaned["extent"]] if scalar else cleaned["extent"].split(","))
        ]
        for text in formulas:
            try:
                Formula.parse(text, fractions=scalar and Dtype(cleaned.get("dtype", "int32")).is_float)
            except FormulaError as error:
                self.add_error("extent", f"{error}. Example: rows * cols.")
                return cleaned
        if len(formulas) > MAX_RANK:
            self.add_error("extent", f"At most {MAX_RANK} dimensions are allowed.")
        if cleaned.get("zeroed") and cleaned["role"] != Role.OUT.value:
            self.add_error("zeroed", "Only an out array can start at zero.")
        cleaned["formulas"] = tuple(formulas)
        return cleaned


class ArgumentSet(RowSet):
    """All arguments, in order."""

    row_word = "argument"

    def clean(self) -> None:
        """Refuse two arguments with the same name."""
        names = [form.cleaned_data.get("name") for form in self.forms if hasattr(form, "cleaned_data")]
        gone = {form.cleaned_data.get("name") for form in self.deleted_forms}
        for name in {name for name in names if name and name not in gone and names.count(name) > 1}:
            raise forms.ValidationError(f"Two arguments are named {name}. Rename one.")

    def rows(self) -> list[ArgumentRow]:
        """Return the rows of the table. Call it on a valid table only."""
        return [
            ArgumentRow(
                cleaned["came_from"],
                cleaned["name"],
                cleaned["role"],
                cleaned["dtype"],
                () if cleaned["role"] == Role.SCALAR.value else cleaned["formulas"],
                cleaned["formulas"][0] if cleaned["role"] == Role.SCALAR.value else "",
                cleaned["zeroed"],
            )
            for _, cleaned in self.kept()
        ]


ArgumentTable = row_set(ArgumentForm, ArgumentSet, most=MAX_WIRE_ARGUMENTS)


def shown(rows: Sequence[ArgumentRow]) -> ArgumentSet:
    """Return the table that shows `rows`."""
    initial: list[dict[str, object]] = [
        {
            "came_from": row.came_from,
            "name": row.name,
            "role": row.role,
            "dtype": row.dtype,
            "extent": row.value if row.scalar else ", ".join(row.shape),
            "zeroed": row.zeroed,
        }
        for row in rows
    ]
    return ArgumentTable(initial=ordered(initial), prefix="arguments")


def sent(data: Any) -> ArgumentSet:
    """Return the table for submitted data."""
    return ArgumentTable(data, prefix="arguments")
