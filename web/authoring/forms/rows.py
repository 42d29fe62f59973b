"""What the tables of an editor have in common: rows that come, go and change places.

A row keeps where it came from in problem.toml, so that its comments stay with it. One empty row more than
there are is for browsers without scripts; scripts add rows by copying it.
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
    """The rows of a table, with those that are to be deleted, in the order that was asked for.

    `row_word` is what those who hear the table are told with each field, where headings name columns alone;
    empty where each field has a label of its own.
    """

    row_word: ClassVar[str] = ""

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """The order as a narrow number, the deletion as a box."""
        super().add_fields(form, index)
        form.fields[ORDERING_FIELD_NAME].widget.attrs |= {"class": "input input-order", "min": "1"}
        form.fields[ORDERING_FIELD_NAME].label = "Place"
        form.fields[DELETION_FIELD_NAME].label = "Remove"
        row = f"new {self.row_word}" if index is None else f"{self.row_word} {index + 1}"
        for field in form.fields.values():
            if self.row_word and not field.widget.is_hidden:
                field.widget.attrs["aria-label"] = f"{field.label}, {row}"

    def kept(self) -> list[tuple[int, dict[str, Any]]]:
        """What each row that stays says, with the number of its form, in order. The set must be valid."""
        filled = [
            (at, form.cleaned_data)
            for at, form in enumerate(self.forms)
            if form.has_changed() or at < self.initial_form_count()
        ]
        stay = [(at, cleaned) for at, cleaned in filled if not cleaned.get(DELETION_FIELD_NAME)]
        return sorted(stay, key=lambda row: (row[1].get(ORDERING_FIELD_NAME) or len(self.forms), row[0]))

    def renumbered(self) -> dict[str, object]:
        """The values that the fields of a page must have once this is saved: each row where it now is."""
        places = {at: place for place, (at, _) in enumerate(self.kept())}
        return {self[at].add_prefix("came_from"): places.get(at, "") for at in range(self.total_form_count())}

    def complaints(self) -> list[str]:
        """What is wrong, row by row."""
        found = [str(text) for text in self.non_form_errors()]
        for form in self.forms:
            for name, texts in form.errors.items():
                label = form.fields[name].label if name in form.fields else ""
                place = ", ".join(filter(None, [self.row_name(form), str(label or "").lower()]))
                found += [f"{place}: {text}" for text in texts]
        return found

    def row_name(self, form: forms.Form) -> str:
        """What to call a row in a message."""
        cleaned = form.cleaned_data if hasattr(form, "cleaned_data") else {}
        at = self.forms.index(form) + 1
        return str(cleaned.get("name") or cleaned.get("file") or f"row {at}")


S = TypeVar("S", bound=RowSet)


def row_set(form: type[RowForm], base: type[S], *, most: int) -> type[S]:
    """The class of a table of `form`."""
    made = forms.formset_factory(
        form, formset=base, extra=1, can_order=True, can_delete=True, max_num=most, absolute_max=most + 1
    )
    return cast("type[S]", made)


def ordered(rows: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Initial values with the place of each row."""
    return [{**row, ORDERING_FIELD_NAME: place} for place, row in enumerate(rows, start=1)]
