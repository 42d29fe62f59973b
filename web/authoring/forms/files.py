"""The form of a new file."""

from collections.abc import Iterable
from typing import Any

from django import forms

from problems.contents import Contents, ContentsInvalid, check_contents, is_ignored
from web.authoring.figures import FOLDER


class NewFileForm(forms.Form):
    """The path of a new text file."""

    path = forms.CharField(
        max_length=200,
        label="Name",
        help_text="With its folder, such as programs/off-by-one.py or statement.de.md.",
        widget=forms.TextInput(attrs={"class": "input mono", "spellcheck": "false", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, slug: str, there: Iterable[str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.slug, self.there = slug, set(there)

    def clean_path(self) -> str:
        """Return the path, if a package can have a new text file there."""
        path: str = self.cleaned_data["path"]
        if path in self.there:
            raise forms.ValidationError(f"{path} already exists.")
        if path.startswith(FOLDER):
            raise forms.ValidationError("Upload figures on the tab Statement.")
        try:
            check_contents(Contents(self.slug, dict.fromkeys([*self.there, path], b"")))
        except ContentsInvalid as error:
            raise forms.ValidationError(f"{error}.") from error
        if is_ignored(path):
            raise forms.ValidationError("Packages ignore files with this name. Choose another name.")
        return path
