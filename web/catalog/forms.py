"""What the list of problems can be narrowed by."""

from typing import Any

from django import forms

from problems.vocabulary import Difficulty

STATUSES = (("", "Any status"), ("unsolved", "Unsolved"), ("attempted", "Attempted"), ("solved", "Solved"))


class ProblemFilter(forms.Form):
    """The filters of the problem list, as they stand in its address."""

    q = forms.CharField(required=False, max_length=80, strip=True)
    difficulty = forms.ChoiceField(
        required=False,
        choices=[("", "Any difficulty"), *((d.value, d.value.capitalize()) for d in Difficulty)],
    )
    status = forms.ChoiceField(required=False, choices=STATUSES)
    tag = forms.CharField(required=False, max_length=40)

    def chosen(self) -> dict[str, Any]:
        """The filters that are set and make sense; the others are left out."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
