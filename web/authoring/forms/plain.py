"""Forms without rows: tolerances, limits, formulas, texts."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from problems.fix import MAX_CHANGES, MAX_TOKENS
from problems.formula import Formula, FormulaError
from problems.libraries import Library
from problems.package import MAX_TEXT_KIB
from problems.parse import GPU_COUNTS, RANK_COUNTS
from problems.schema import TOKENS_PER_LINE
from problems.vocabulary import Language
from web.authoring.editing.checking import ToleranceRow
from web.authoring.editing.document import number
from web.authoring.editing.general import (
    LIMITS,
    FixRow,
    FormulaRow,
    LimitRow,
    UnderTestRow,
    usual_limit,
)
from web.templatetags.warpcourt import language

_INPUT = {"class": "input", "spellcheck": "false"}
_LABELS = {
    "compile_s": ("Compile time limit (s)", "Processor time of the compiler per submission, up to 120."),
    "case_s": ("Time limit per case (s)", "Wall-clock time, up to 60."),
    "memory_mib": ("Memory limit (MiB)", "For the process that runs a submission, 64 to 16384."),
    "source_kib": ("Source limit (KiB)", "Maximum source size, up to 128."),
}


class NumberField(forms.CharField):
    """A number as text, with its spelling kept, so that 1e-5 stays 1e-5."""

    def clean(self, value: Any) -> str:
        """Return the text if it is a TOML number."""
        text: str = super().clean(value).strip()
        if text:
            try:
                number(text)
            except ValueError as error:
                raise forms.ValidationError("Write a number, such as 10 or 1e-5.") from error
        return text


class ToleranceForm(forms.Form):
    """The tolerance of one output."""

    relative = NumberField(
        required=False, max_length=20, label="Relative", widget=forms.TextInput(attrs=_INPUT)
    )
    absolute = NumberField(
        required=False, max_length=20, label="Absolute", widget=forms.TextInput(attrs=_INPUT)
    )
    nan = forms.BooleanField(required=False, label="NaN matches NaN")


def tolerance_forms(rows: Sequence[ToleranceRow], data: Any = None) -> list[ToleranceForm]:
    """Return a form for each output."""
    return [
        ToleranceForm(
            data,
            prefix=f"output-{row.at}",
            initial={"relative": row.relative, "absolute": row.absolute, "nan": row.nan},
        )
        for row in rows
    ]


def tolerances(rows: Sequence[ToleranceRow], filled: Sequence[ToleranceForm]) -> list[ToleranceRow]:
    """Return the tolerances of `rows` with the values of the valid forms `filled`."""
    return [
        ToleranceRow(row.at, row.name, row.dtype, **form.cleaned_data)
        for row, form in zip(rows, filled, strict=True)
    ]


class LimitsForm(forms.Form):
    """Languages and limits. Empty fields mean the defaults."""

    languages = forms.MultipleChoiceField(
        choices=[(known.value, language(known.value)) for known in Language],
        label="Languages",
        widget=forms.CheckboxSelectMultiple,
    )

    gpus = forms.CharField(
        required=False,
        max_length=200,
        label="GPUs",
        help_text="GPU models to judge on, separated by commas, such as H100, H200. Leave blank for any.",
        widget=forms.TextInput(attrs=_INPUT),
    )
    gpu_count = forms.ChoiceField(
        choices=[("", "1"), *((str(count), str(count)) for count in GPU_COUNTS if count > 1)],
        required=False,
        label="GPUs per program",
        help_text="With several GPUs, programs are in CUDA C++ and are not timed. Set the GPU of each array "
        "under Signature.",
        widget=forms.Select(attrs={"class": "select"}),
    )
    ranks = forms.ChoiceField(
        choices=[("", "1"), *((str(count), str(count)) for count in RANK_COUNTS)],
        required=False,
        label="Ranks",
        help_text="With several ranks, programs are in Python and are not timed. Each rank is a process with "
        "its own GPU. The first dimension of each array is the number of ranks.",
        widget=forms.Select(attrs={"class": "select"}),
    )
    sizes = forms.CharField(
        required=False,
        max_length=400,
        label="Largest custom sizes",
        help_text="Greatest values of sizes that learners may enter, separated by commas, if the statement "
        "limits them. No case may exceed them.",
        widget=forms.TextInput(attrs={**_INPUT, "placeholder": "segment = 4096"}),
    )
    restricted = forms.BooleanField(required=False, label="Allow only some libraries")
    libraries = forms.MultipleChoiceField(
        choices=[(known.value, known.value) for known in Library],
        required=False,
        label="Allowed libraries",
        widget=forms.CheckboxSelectMultiple,
    )
    device_launches = forms.BooleanField(required=False, label="Allow launches from device code")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LIMITS:
            label, hint = _LABELS[name]
            self.fields[name] = NumberField(
                required=False,
                max_length=20,
                label=label,
                help_text=hint,
                widget=forms.TextInput(
                    attrs={**_INPUT, "inputmode": "decimal", "placeholder": usual_limit(name)}
                ),
            )

    @property
    def number_fields(self) -> list[Any]:
        """Return the fields of the numbers."""
        return [self[name] for name in LIMITS]

    @classmethod
    def showing(cls, row: LimitRow) -> "LimitsForm":
        """Return a form that shows `row`."""
        return cls(
            initial={
                "languages": list(row.languages),
                "gpus": ", ".join(row.gpus),
                "gpu_count": "" if row.gpu_count == "1" else row.gpu_count,
                "ranks": row.ranks,
                "restricted": row.libraries is not None,
                "libraries": list(row.libraries or ()),
                "device_launches": row.device_launches,
                "sizes": ", ".join(f"{name} = {most}" for name, most in row.sizes),
                **row.numbers,
            }
        )

    def clean_gpus(self) -> tuple[str, ...]:
        """Return the words of GPU models."""
        words = tuple(dict.fromkeys(re.split(r"[\s,]+", self.cleaned_data["gpus"].strip(" ,"))))
        if any(word and not re.fullmatch("[A-Za-z0-9]{2,20}", word) for word in words):
            raise forms.ValidationError("Enter GPU models separated by commas, such as H100, H200.")
        return tuple(filter(None, words))

    def clean_sizes(self) -> tuple[tuple[str, str], ...]:
        """Return the names of sizes with their greatest values."""
        parts = [part for part in self.cleaned_data["sizes"].split(",") if part.strip()]
        found = [re.fullmatch(r"\s*([a-z][a-z0-9_]{0,31})\s*=\s*([0-9]{1,10})\s*", part) for part in parts]
        names = [match[1] for match in found if match]
        if len(names) < len(parts) or len(set(names)) < len(names):
            raise forms.ValidationError("Enter each size once, such as segment = 4096, radius = 7.")
        return tuple((match[1], match[2]) for match in found if match)

    def row(self) -> LimitRow:
        """Return the values of the form. Call it on a valid form only."""
        cleaned = self.cleaned_data
        return LimitRow(
            tuple(cleaned["languages"]),
            {name: cleaned[name] for name in LIMITS},
            cleaned["gpus"],
            tuple(cleaned["libraries"]) if cleaned["restricted"] else None,
            cleaned["device_launches"],
            cleaned["gpu_count"],
            cleaned["sizes"],
            cleaned["ranks"],
        )


class FixForm(forms.Form):
    """The programs that submissions correct. Without a file, the problem gives none."""

    given = forms.CharField(
        required=False,
        max_length=200,
        label="Given programs",
        help_text="Names of wrong solutions, one for each language, separated by commas. They become the "
        "starters. Leave blank if submissions write whole programs.",
        widget=forms.TextInput(attrs={**_INPUT, "placeholder": "given.cu"}),
    )
    changes = NumberField(
        required=False,
        max_length=20,
        label="Changed lines",
        help_text=f"How many lines a submission may change, up to {MAX_CHANGES}.",
        widget=forms.TextInput(attrs={**_INPUT, "inputmode": "numeric"}),
    )
    tokens = NumberField(
        required=False,
        max_length=20,
        label="Changed tokens",
        help_text="How many names, numbers and other characters the changed lines may add or remove, up to "
        f"{MAX_TOKENS}. Default: {TOKENS_PER_LINE} for each line.",
        widget=forms.TextInput(attrs={**_INPUT, "inputmode": "numeric"}),
    )
    protected = forms.CharField(
        required=False,
        max_length=10_000,
        label="Protected lines",
        help_text="Lines of the given programs that must not change, one per line.",
        widget=forms.Textarea(attrs={**_INPUT, "rows": 4}),
    )

    @classmethod
    def showing(cls, row: FixRow) -> "FixForm":
        """Return a form that shows `row`."""
        return cls(
            initial={
                "given": ", ".join(row.given),
                "changes": row.changes,
                "tokens": row.tokens,
                "protected": "\n".join(row.protected),
            },
            prefix="fix",
        )

    def row(self) -> FixRow:
        """Return the values of the form. Call it on a valid form only."""
        cleaned = self.cleaned_data
        return FixRow(
            tuple(filter(None, re.split(r"[\s,]+", cleaned["given"]))),
            cleaned["changes"],
            tuple(line for line in cleaned["protected"].splitlines() if line.strip()),
            cleaned["tokens"],
        )


class UnderTestForm(forms.Form):
    """The programs under test. Without a faulty one, submissions are not tests."""

    faulty = forms.CharField(
        required=False,
        max_length=4000,
        label="Faulty programs",
        help_text="Names of the cases whose programs are faulty, separated by commas. All other programs are "
        "right. Leave blank if submissions are not tests.",
        widget=forms.TextInput(attrs=_INPUT),
    )
    least_killed = NumberField(
        required=False,
        max_length=20,
        label="Faulty programs to kill",
        help_text="How many of the faulty programs a submission must kill.",
        widget=forms.TextInput(attrs={**_INPUT, "inputmode": "numeric"}),
    )

    @classmethod
    def showing(cls, row: UnderTestRow) -> "UnderTestForm":
        """Return a form that shows `row`."""
        initial = {"faulty": ", ".join(row.faulty), "least_killed": row.least_killed}
        return cls(initial=initial, prefix="test")

    def row(self) -> UnderTestRow:
        """Return the values of the form. Call it on a valid form only."""
        names = tuple(filter(None, re.split(r"[\s,]+", self.cleaned_data["faulty"])))
        return UnderTestRow(names, self.cleaned_data["least_killed"])


class FormulaField(forms.CharField):
    """An integer formula over the names of the sizes."""

    def clean(self, value: Any) -> str:
        """Return the text if it is a formula."""
        text: str = super().clean(value)
        try:
            Formula.parse(text)
        except FormulaError as error:
            raise forms.ValidationError(f"{error}. Example: rows * cols.") from error
        return text


class FormulasForm(forms.Form):
    """The formulas for the bytes and operations that every program needs."""

    bytes_moved = FormulaField(
        max_length=200,
        label="Bytes",
        help_text="Bytes that every solution must move through memory.",
        widget=forms.TextInput(attrs={**_INPUT, "class": "input mono"}),
    )
    operations = FormulaField(
        max_length=200,
        label="Operations",
        help_text="Arithmetic operations that every solution needs.",
        widget=forms.TextInput(attrs={**_INPUT, "class": "input mono"}),
    )
    tiers = forms.CharField(
        required=False,
        max_length=100,
        label="Points by speed",
        help_text="Percentages of the vendor baseline's speed, separated by commas, such as 25, 50, 75, 100. "
        "A submission gets a point for each percentage that its ranked time reaches. Leave blank for none.",
        widget=forms.TextInput(attrs=_INPUT),
    )

    @classmethod
    def showing(cls, row: FormulaRow) -> "FormulasForm":
        """Return a form that shows `row`."""
        tiers = ", ".join(map(str, row.tiers))
        return cls(initial={"bytes_moved": row.bytes_moved, "operations": row.operations, "tiers": tiers})

    def clean_tiers(self) -> tuple[int, ...]:
        """Return the percentages."""
        words = [word for word in re.split(r"[\s,]+", self.cleaned_data["tiers"]) if word]
        if not all(re.fullmatch("[0-9]{1,4}", word) for word in words):
            raise forms.ValidationError("Enter whole numbers separated by commas, such as 25, 50, 75, 100.")
        return tuple(map(int, words))

    def row(self) -> FormulaRow:
        """Return the values of the form. Call it on a valid form only."""
        return FormulaRow(**self.cleaned_data)


def complaints(*filled: forms.Form) -> list[str]:
    """Return the errors of all forms, one for each field. A script shows them in one line."""
    found = []
    for form in filled:
        for name, texts in form.errors.items():
            label = form[name].label if name in form.fields else ""
            found += [f"{label}: {text}" if label else str(text) for text in texts]
    return found


class TextForm(forms.Form):
    """The text of a file."""

    text = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_TEXT_KIB * 1024,
        widget=forms.Textarea(attrs={"class": "input source-text", "rows": 24, "spellcheck": "false"}),
    )

    def written(self) -> bytes:
        """Return the bytes of the text with Unix line ends."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        return text.encode()

    def content(self) -> bytes | None:
        """Return the bytes of the text, or None if it is empty."""
        return self.written() if self.written().strip() else None
