"""Forms for imports."""

from typing import Any

from django import forms

from problems.archive import MAX_ARCHIVE_MIB
from problems.contents import MAX_SLUG_CHARACTERS
from problems.importing.upload import MAX_SET_MIB
from web.importing.formats import FORMATS
from web.importing.models import FOLDER_CHARACTERS

_FILE = {"class": "input", "accept": ".zip,application/zip"}


class PackageForm(forms.Form):
    """A problem in our own format."""

    archive = forms.FileField(
        label="ZIP file",
        help_text=f"An exported problem, up to {MAX_ARCHIVE_MIB} MiB.",
        widget=forms.FileInput(attrs=_FILE),
    )
    slug = forms.CharField(
        max_length=MAX_SLUG_CHARACTERS,
        required=False,
        label="URL name",
        help_text="Leave blank to use the folder name. Your problem with this name gets a new revision.",
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocapitalize": "off"}),
    )

    def clean_archive(self) -> bytes:
        """Return the bytes of the file."""
        return _content(self.cleaned_data["archive"], MAX_ARCHIVE_MIB)


class SetForm(forms.Form):
    """A set in another format."""

    set_format = forms.ChoiceField(
        choices=[(known.name, known.label) for known in FORMATS],
        label="Format",
        widget=forms.Select(attrs={"class": "select"}),
    )
    scale = forms.BooleanField(required=False, label="Enlarge timed cases below 1 MiB")
    field_order = ("set_format", "archive", "folder", "scale")


class SetFileForm(SetForm):
    """A set in an uploaded file."""

    archive = forms.FileField(
        label="ZIP file",
        help_text=f"The set's folder as a ZIP file, up to {MAX_SET_MIB} MiB.",
        widget=forms.FileInput(attrs=_FILE),
    )

    def clean_archive(self) -> bytes:
        """Return the bytes of the file."""
        return _content(self.cleaned_data["archive"], MAX_SET_MIB)


class SetFolderForm(SetForm):
    """A set in a folder on the hosts of the workers."""

    folder = forms.CharField(
        max_length=FOLDER_CHARACTERS,
        label="Folder",
        help_text="Relative to WARPCOURT_IMPORTS_DIR on the worker hosts. One host must have it.",
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocapitalize": "off"}),
    )


def _content(file: Any, most_mib: int) -> bytes:
    if file.size > most_mib * 2**20:
        raise forms.ValidationError(f"The file exceeds {most_mib} MiB.")
    content: bytes = file.read()
    return content
