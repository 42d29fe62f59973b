"""What a script saves while somebody writes, and what waits until they press Save.

Theory of operation. A table is sent a little after each change, half done as it may be. A row that goes
takes its comments along, and a solution its source, so marks of removal count only when the button is
pressed; until then they can be taken back.
"""

from django.forms.formsets import DELETION_FIELD_NAME
from django.http import QueryDict

from web.authoring.forms.rows import RowSet


def without_removals(data: QueryDict) -> QueryDict:
    """What was sent, with every row staying."""
    kept = data.copy()
    for name in [name for name in kept if name.endswith(f"-{DELETION_FIELD_NAME}")]:
        del kept[name]
    return kept


def refuse_twice(table: RowSet, field: str, text: str) -> None:
    """Complain of each row whose `field` says what one above it says. In `text` {} is what that is."""
    seen = set()
    for form in table.forms:
        value = form.cleaned_data.get(field)
        if not value or form.cleaned_data.get(DELETION_FIELD_NAME):
            continue
        if value in seen:
            form.add_error(field, text.format(value))
        seen.add(value)
