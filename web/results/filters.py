"""The filters of the list of submissions."""

from typing import Any

from django import forms

from problems.vocabulary import Language, Mode, Verdict
from web.site.verdicts import badge_of
from web.submissions.queries import UNJUDGED
from web.templatetags.warpcourt import language

MODES = ((Mode.SUBMIT.value, "Submits"), (Mode.RUN.value, "Runs"))
VERDICTS = (*((verdict.value, badge_of(verdict).word) for verdict in Verdict), (UNJUDGED, "Not judged yet"))
LANGUAGES = tuple((known.value, language(known.value)) for known in Language)


class SubmissionFilter(forms.Form):
    """The filters as they appear in the address.

    `user` is a user name, for viewers who may see every submission. `before` and `after` are ids where
    a page begins.
    """

    user = forms.CharField(required=False, max_length=150)
    problem = forms.SlugField(required=False, max_length=60)
    verdict = forms.ChoiceField(required=False, choices=VERDICTS)
    mode = forms.ChoiceField(required=False, choices=MODES)
    language = forms.ChoiceField(required=False, choices=LANGUAGES)
    before = forms.CharField(required=False, max_length=12)
    after = forms.CharField(required=False, max_length=12)

    def chosen(self) -> dict[str, Any]:
        """Return the valid filters that are set; ignore the others."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
