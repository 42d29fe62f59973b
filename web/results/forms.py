"""The form with which the editor submits a program.

Theory of operation. A browser may send one form several times: a double click sends it twice, and a reload of
the answer sends it again. The page therefore puts a random key into the form. The idempotency key of the
submission is that key with a digest of what is submitted. So the same program from the same page is one
submission, and a changed program is another. The script of the editor draws a new key for each intention.
"""

import json
import secrets
from hashlib import blake2b

from django import forms
from django.http import QueryDict

from judge.sizes import MAX_SEED
from problems.vocabulary import Language, Mode
from web.catalog.models import Problem

PERSONAL_NODE = "personal-node"  # in the list of GPUs
_DIGEST_BYTES = 12


def new_form_key() -> str:
    """Return a random key for a form that is about to be shown."""
    return secrets.token_urlsafe(18)


class ProgramForm(forms.Form):
    """Language, mode and source, the requested GPU, and for a run a seed, custom sizes and custom values."""

    language = forms.ChoiceField(choices=[(known.value, known.value) for known in Language])
    mode = forms.ChoiceField(choices=[(known.value, known.value) for known in Mode])
    source = forms.CharField(strip=False, error_messages={"required": "The source is empty."})
    gpu_model = forms.CharField(max_length=120, required=False)
    profiled = forms.BooleanField(required=False)
    key = forms.RegexField(r"\A[0-9A-Za-z_-]{8,36}\Z", required=False)
    cases = forms.ChoiceField(choices=[("samples", "Samples"), ("own", "Custom case")], required=False)

    def __init__(self, data: QueryDict, *, problem: Problem) -> None:
        """Bind the form to `data` for `problem`.

        Sizes are required only for a run, and only without values, which may determine them.
        """
        super().__init__(data)
        running, own = data.get("mode") == Mode.RUN.value, data.get("cases") == "own"
        self._size_limits = problem.size_limits if own else {}
        said = {argument.name: data.get(f"values_{argument.name}", "") for argument in problem.arguments}
        self._values = {name: text for name, text in said.items() if own and running and text.strip()}
        if running and data.get("seed", "").strip():
            self.fields["seed"] = forms.IntegerField(min_value=0, max_value=MAX_SEED, label="Seed")
        for name, most in self._size_limits.items():
            self.fields[f"size_{name}"] = forms.IntegerField(
                min_value=1,
                max_value=most,
                required=running and not self._values,
                label=f"Size {name}",
            )

    def sizes(self) -> dict[str, int] | None:
        """Return the sizes to run on, None for the sample cases."""
        if self.cleaned_data["mode"] != Mode.RUN.value or not self._size_limits:
            return None
        told = {name: self.cleaned_data[f"size_{name}"] for name in self._size_limits}
        return {name: size for name, size in told.items() if size is not None}

    def values(self) -> dict[str, str]:
        """Return the text of the values that were given, by argument."""
        return self._values

    def seed(self) -> int | None:
        """Return the seed of a run, None for a random one."""
        return self.cleaned_data.get("seed")

    def chosen_gpu(self) -> str:
        """Return the requested GPU model, empty for any."""
        asked = str(self.cleaned_data["gpu_model"])
        return "" if asked == PERSONAL_NODE else asked

    def personal_node(self) -> bool:
        """Return whether a personal node is to run it. Submissions always use the site's nodes."""
        running = str(self.cleaned_data["mode"]) == Mode.RUN.value
        return running and str(self.cleaned_data["gpu_model"]) == PERSONAL_NODE

    def profiled_run(self) -> bool:
        """Return whether the run is to be profiled. Submissions never are."""
        return self.cleaned_data["mode"] == Mode.RUN.value and bool(self.cleaned_data["profiled"])

    def idempotency_key(self) -> str | None:
        """Return the key of the submission, None if the form came without a key."""
        key = self.cleaned_data["key"]
        if not key:
            return None
        asked = [self.cleaned_data[name] for name in ("language", "mode", "source", "gpu_model")]
        text = json.dumps([*asked, self.sizes(), self._values, self.seed(), self.profiled_run()])
        digest = blake2b(text.encode(errors="replace"), digest_size=_DIGEST_BYTES).hexdigest()
        return f"{key}:{digest}"

    def complaint(self) -> str:
        """Return the error of the form in one line."""
        return " ".join(
            f"{self.fields[name].label}: {error}" if self.fields[name].label else str(error)
            for name, errors in self.errors.items()
            for error in errors
        )
