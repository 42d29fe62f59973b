"""The table of arguments."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms

from problems.formula import Formula, FormulaError
from problems.parse import GPU_COUNTS, MAX_RANK, is_reserved
from problems.rules import MAX_WIRE_ARGUMENTS
from problems.vocabulary import ArrayMemory, Dtype, Role, ValueOrder
from web.authoring.editing.signature import ArgumentRow
from web.authoring.forms.rows import RowForm, RowSet, ordered, row_set

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_EXTENT_MISSING = "Enter a shape, or the value of a scalar. To draw a scalar for each case, enter its range."
_INPUT = {"class": "input", "spellcheck": "false", "autocapitalize": "off"}


class ArgumentForm(RowForm):
    """One argument. An array needs a shape and no value, a scalar a value, or a range to draw it from."""

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
        required=False,
        label="Shape or value",
        widget=forms.TextInput(attrs={**_INPUT, "class": "input mono", "placeholder": "rows, cols"}),
    )

    zeroed = forms.BooleanField(required=False, label="Starts at zero")
    bounds = forms.CharField(
        max_length=420,
        required=False,
        label="Range of values",
        widget=forms.TextInput(attrs={**_INPUT, "class": "input mono", "placeholder": "0, bins - 1"}),
    )
    order = forms.ChoiceField(
        choices=[("", "any"), *((order.value, order.value) for order in ValueOrder)],
        required=False,
        label="Order of values",
        widget=forms.Select(attrs={"class": "select"}),
    )
    always_drawn = forms.BooleanField(required=False, label="No custom values")
    memory = forms.ChoiceField(
        choices=[
            ("", "device"),
            *((str(number), f"GPU {number}") for number in range(1, max(GPU_COUNTS))),
            *((m.value, m.value) for m in ArrayMemory if m.on_host),
        ],
        required=False,
        label="Memory",
        widget=forms.Select(attrs={"class": "select"}),
    )

    def clean_name(self) -> str:
        """Return the name, if it is valid in every language."""
        name: str = self.cleaned_data["name"]
        if not _NAME.fullmatch(name):
            raise forms.ValidationError("Use lowercase letters, digits and _, starting with a letter.")
        if is_reserved(name):
            raise forms.ValidationError(f"{name} is a reserved word in one of the languages. Rename it.")
        return name

    def clean(self) -> dict[str, Any]:
        """Return all values, after checking the formulas of the shape, the value and the range."""
        cleaned = super().clean() or {}
        if not {"extent", "bounds", "role"} <= cleaned.keys():
            return cleaned
        scalar = cleaned["role"] == Role.SCALAR.value
        fractions = Dtype(cleaned.get("dtype", "int32")).is_float
        least, comma, most = (text.strip() for text in cleaned["bounds"].partition(","))
        if cleaned["bounds"] and not comma:
            self.add_error("bounds", "Write two values with a comma between them, such as 0, n - 1.")
        self._check("bounds", [text for text in (least, most) if text], fractions=fractions)
        texts = [cleaned["extent"]] if scalar else cleaned["extent"].split(",")
        drawn = scalar and not cleaned["extent"].strip() and least and most
        formulas = () if drawn else tuple(text.strip() for text in texts)
        if not cleaned["extent"].strip() and not drawn:
            self.add_error("extent", _EXTENT_MISSING)
        else:
            self._check("extent", formulas, fractions=scalar and fractions)
        if scalar and cleaned["bounds"] and not drawn:
            self.add_error("bounds", "A scalar with a value has no range. Remove one of them.")
        if len(formulas) > MAX_RANK:
            self.add_error("extent", f"At most {MAX_RANK} dimensions are allowed.")
        if cleaned.get("zeroed") and cleaned["role"] != Role.OUT.value:
            self.add_error("zeroed", "Only an out array can start at zero.")
        if cleaned.get("memory") and scalar:
            self.add_error("memory", "A scalar is passed by value. Choose device.")
        return cleaned | {"formulas": formulas, "least": least, "most": most}

    def _check(self, field: str, formulas: Iterable[str], *, fractions: bool) -> None:
        for text in formulas:
            try:
                Formula.parse(text, fractions=fractions)
            except FormulaError as error:
                self.add_error(field, f"{error}. Example: rows * cols.")
                return


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
                "".join(cleaned["formulas"]) if cleaned["role"] == Role.SCALAR.value else "",
                cleaned["zeroed"],
                cleaned["least"],
                cleaned["most"],
                cleaned["order"],
                custom=not cleaned["always_drawn"],
                memory="" if cleaned["memory"].isdecimal() else cleaned["memory"],
                device=int(cleaned["memory"]) if cleaned["memory"].isdecimal() else 0,
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
            "bounds": f"{row.least}, {row.most}".strip() if row.least or row.most else "",
            "order": row.order,
            "always_drawn": not row.custom,
            "memory": _place(row),
        }
        for row in rows
    ]
    return ArgumentTable(initial=ordered(initial), prefix="arguments")


def _place(row: ArgumentRow) -> str:
    """Return the choice of the form for where an array is."""
    on_device = str(row.device) if row.device else ""
    return on_device if row.memory in {"", ArrayMemory.DEVICE} else row.memory


def sent(data: Any) -> ArgumentSet:
    """Return the table for submitted data."""
    return ArgumentTable(data, prefix="arguments")
