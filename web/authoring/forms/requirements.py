"""The form of the requirements on technique."""

from collections.abc import Sequence

from django import forms

from problems.requirements import MAX_REQUIREMENTS
from web.authoring.editing.requirements import (
    EXAMPLE,
    LineUnreadable,
    RequirementRow,
    parse_line,
    to_line,
)


class RequirementsForm(forms.Form):
    """Bounds on what functional mode counts, one per line."""

    lines = forms.CharField(
        required=False,
        max_length=5000,
        label="Requirements",
        help_text="One per line: counter, at_most, at_least or equals, the bound, and after a colon a "
        "sentence for learners. You can name cases before the colon, such as “in tiles, small”. The default "
        "is the largest case that is counted.",
        widget=forms.Textarea(
            attrs={"class": "input mono", "rows": 4, "spellcheck": "false", "placeholder": EXAMPLE}
        ),
    )

    @classmethod
    def showing(cls, rows: Sequence[RequirementRow]) -> "RequirementsForm":
        """Return a form that shows `rows`."""
        return cls(initial={"lines": "\n".join(map(to_line, rows))}, prefix="requirements")

    def clean_lines(self) -> tuple[RequirementRow, ...]:
        """Return the requirements."""
        lines = [line for line in self.cleaned_data["lines"].splitlines() if line.strip()]
        if len(lines) > MAX_REQUIREMENTS:
            raise forms.ValidationError(f"Enter at most {MAX_REQUIREMENTS} requirements.")
        try:
            return tuple(map(parse_line, lines))
        except LineUnreadable as error:
            raise forms.ValidationError(str(error)) from error

    def rows(self) -> tuple[RequirementRow, ...]:
        """Return the values of the form. Call it on a valid form only."""
        rows: tuple[RequirementRow, ...] = self.cleaned_data["lines"]
        return rows
