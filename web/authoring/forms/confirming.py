"""Defers removals until the author presses Save, because a script saves while the author types.

Theory of operation. A script submits a table shortly after each change, even if it is half finished. Removing
a row also removes its comments, and removing a solution also removes its source. Marks of removal therefore
count only when the author presses the button. Until then the author can undo them.
"""

from django.forms.formsets import DELETION_FIELD_NAME
from django.http import QueryDict

from web.authoring.forms.rows import RowSet


def without_removals(data: QueryDict) -> QueryDict:
    """Return the submitted data without the marks of removal."""
    kept = data.copy()
    for name in [name for name in kept if name.endswith(f"-{DELETION_FIELD_NAME}")]:
        del kept[name]
    return kept


def refuse_twice(table: RowSet, field: str, text: str) -> None:
    """Add an error to each row that repeats an earlier value of `field`. {} in `text` is the value."""
    seen = set()
    for form in table.forms:
        value = form.cleaned_data.get(field)
        if not value or form.cleaned_data.get(DELETION_FIELD_NAME):
            continue
        if value in seen:
            form.add_error(field, text.format(value))
        seen.add(value)
