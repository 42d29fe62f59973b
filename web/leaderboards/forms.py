"""The form with which staff set a baseline."""

from django import forms

from problems.vocabulary import BaselineKind
from web.catalog.models import Problem
from web.leaderboards.models import LABEL_CHARACTERS
from web.submissions.models import PUBLIC_ID_CHARACTERS, Submission

_KINDS = [(BaselineKind.REFERENCE.value, "Reference"), (BaselineKind.VENDOR.value, "Vendor library")]


class BaselineForm(forms.Form):
    """A ranked submission to a problem, and the label to show it under."""

    submission = forms.CharField(
        max_length=PUBLIC_ID_CHARACTERS, strip=True, help_text="The ID from its URL: /s/<id>."
    )
    kind = forms.ChoiceField(choices=_KINDS)
    label = forms.CharField(max_length=LABEL_CHARACTERS, strip=True, help_text="For example: Plain kernel.")

    def __init__(self, *args: object, problem: Problem, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]  # a form's arguments, passed on
        self._problem = problem

    def clean_submission(self) -> Submission:
        """Return the submission, which was timed."""
        rows = Submission.objects.select_related("report", "problem")
        found = rows.filter(problem=self._problem, public_id=self.cleaned_data["submission"]).first()
        if found is None:
            raise forms.ValidationError("This problem has no submission with this ID.")
        if not hasattr(found, "report") or not found.report.ranked:
            raise forms.ValidationError(
                "This submission has no score. Only submissions accepted and timed on a GPU have one."
            )
        return found

    def complaint(self) -> str:
        """Return the error in one line."""
        return " ".join(f"{name.capitalize()}: {errors[0]}" for name, errors in self.errors.items())
