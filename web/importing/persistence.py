"""Stores an imported problem as a new workspace, or as a new revision of an existing one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from problems.importing.report import Imported, ImportedProblem
from web.accounts.models import User
from web.authoring import queries, rights
from web.authoring.models import Workspace
from web.authoring.services import files, workspaces

# A set of thousands of problems has one report, which is written again after each problem.
MAX_TEXT_CHARACTERS = 400
MAX_WARNINGS = 20


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result for a problem. `revision` is that of its workspace, or 0 if it has none."""

    entry: ImportedProblem
    revision: int = 0
    again: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the result for the page and the API."""
        return {**self.entry.as_json(), "revision": self.revision, "again": self.again}


def persist(by: User, found: Imported) -> ImportResult:
    """Store the files of `found` in a workspace of `by`.

    A problem that can't be stored is refused with a reason.
    """
    entry = _storable(found.entry)
    if not found.files:
        return ImportResult(entry)
    note = f"Imported from {entry.place}" if entry.place else "Imported"
    try:
        with transaction.atomic():
            workspace, again = put(by, entry.slug, found.files, note=note)
    except (workspaces.WorkspaceRefused, files.FilesRefused) as refusal:
        return ImportResult(ImportedProblem.refused(entry.place, entry.slug, str(refusal)))
    return ImportResult(entry, workspace.revision, again)


def storable_text(text: str) -> str:
    """Return `text` as a database can store it. Names of files need not be UTF-8."""
    return text.replace("\0", "").encode(errors="backslashreplace").decode()


def _storable(entry: ImportedProblem) -> ImportedProblem:
    """Return `entry` with texts that can be stored, of bounded number and length. They quote the set."""
    warnings = [_bounded(text) for text in entry.warnings[:MAX_WARNINGS]]
    if more := len(entry.warnings) - len(warnings):
        warnings.append(f"{more} more warnings are not shown")
    place, reason = storable_text(entry.place), _bounded(entry.reason)
    return replace(entry, place=place, warnings=tuple(warnings), reason=reason)


def _bounded(text: str) -> str:
    text = storable_text(text)
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 2]} …"


@transaction.atomic
def put(by: User, slug: str, content: Mapping[str, bytes], *, note: str) -> tuple[Workspace, bool]:
    """Store exactly the files in `content` in the workspace `slug`.

    Return the workspace, and whether it existed before. Its earlier files stay in its history.

    Raises:
        web.authoring.services.workspaces.WorkspaceRefused: it is another user's, or archived.
        web.authoring.services.files.FilesRefused: the files are not allowed in a package.
    """
    known = Workspace.objects.select_for_update().filter(slug=slug).first()
    if known is None:
        return workspaces.create(by, slug, content, note=note), False
    if queries.find_workspace(by, slug) is None:
        raise workspaces.SlugTaken(f"A problem named {slug} already exists. Choose another name.")
    if not by.has_perm(rights.EDIT, known):
        raise workspaces.SlugTaken(f"{slug} already exists, but it is archived or you can't edit it.")
    gone = dict.fromkeys(path for path in queries.sizes(known) if path not in content)
    files.write(known, by, known.revision, {**gone, **content}, note)
    return known, True
