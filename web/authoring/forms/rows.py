"""Base classes for the tables of an editor. Rows can be added, removed and reordered.

A row keeps its position in problem.toml, so that its comments stay with it. Every table has one additional
empty row for browsers without scripts. Scripts copy it to add rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar, cast

from django import forms
from django.forms import BaseFormSet
from django.forms.formsets import DELETION_FIELD_NAME, ORDERING_FIELD_NAME


class RowForm(forms.Form):
    """A row of a table."""

    came_from = forms.IntegerField(required=False, min_value=0, max_value=1000, widget=forms.HiddenInput)


class RowSet(BaseFormSet[Any]):
    """The rows of a table in the requested order, with marks of removal.

    `row_word` is what a screen reader says before each field if only the columns have headings. It is empty
    if each field has its own label.
    """

    row_word: ClassVar[str] = ""

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Add a narrow number for the order, and a checkbox for the removal."""
        super().add_fields(form, index)
        form.fields[ORDERING_FIELD_NAME].widget.attrs |= {"class": "input input-order", "min": "1"}
        form.fields[ORDERING_FIELD_NAME].label = "Place"
        form.fields[DELETION_FIELD_NAME].label = "Remove"
        row = f"new {self.row_word}" if index is None else f"{self.row_word} {index + 1}"
        for field in form.fields.values():
            if self.row_word and not field.widget.is_hidden:
                field.widget.attrs["aria-label"] = f"{field.label}, {row}"

    def kept(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the values of each row that stays, with the number of its form, in order.

        The set must be valid.
        """
        filled = [
            (at, form.cleaned_data)
            for at, form in enumerate(self.forms)
            if form.has_changed() or at < self.initial_form_count()
        ]
        stay = [(at, cleaned) for at, cleaned in filled if not cleaned.get(DELETION_FIELD_NAME)]
        return sorted(stay, key=lambda row: (row[1].get(ORDERING_FIELD_NAME) or len(self.forms), row[0]))

    def renumbered(self) -> dict[str, object]:
        """Return the values that the page must set after saving, so that each row has its new position."""
        places = {at: place for place, (at, _) in enumerate(self.kept())}
        return {self[at].add_prefix("came_from"): places.get(at, "") for at in range(self.total_form_count())}

    def complaints(self) -> list[str]:
        """Return the errors, row by row."""
        found = [str(text) for text in self.non_form_errors()]
        for form in self.forms:
            for name, texts in form.errors.items():
                label = form.fields[name].label if name in form.fields else ""
                place = ", ".join(filter(None, [self.row_name(form), str(label or "").lower()]))
                found += [f"{place}: {text}" for text in texts]
        return found

    def row_name(self, form: forms.Form) -> str:
        """Return the name of a row in messages."""
        cleaned = form.cleaned_data if hasattr(form, "cleaned_data") else {}
        at = self.forms.index(form) + 1
        return str(cleaned.get("name") or cleaned.get("file") or f"row {at}")


S = TypeVar("S", bound=RowSet)


def row_set(form: type[RowForm], base: type[S], *, most: int) -> type[S]:
    """Return the class of a table of `form` with at most `most` rows."""
    made = forms.formset_factory(
        form, formset=base, extra=1, can_order=True, can_delete=True, max_num=most, absolute_max=most + 1
    )
    return cast("type[S]", made)


def ordered(rows: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return initial values for `rows`, each with its place in the order."""
    return [{**row, ORDERING_FIELD_NAME: place} for place, row in enumerate(rows, start=1)]
