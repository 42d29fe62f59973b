"""Imports of problem sets in other formats: start, follow, cancel."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from ninja import Field, File, Form, Router, Schema
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import StringConstraints

from problems.importing.upload import MAX_SET_MIB
from web.api.auth import ApiRequest
from web.api.authoring.access import person, require
from web.api.errors import documented
from web.authoring import rights
from web.importing import services
from web.importing.formats import FORMATS
from web.importing.models import ImportRun
from web.importing.queue import problems_of
from web.jobs.models import JobState

router = Router()
ImportId = Annotated[int, Field(ge=1, lt=2**63)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,20}$")]


class ImportedOut(Schema):
    """The result for one problem. `revision` belongs to its workspace `slug`; 0 if it has no workspace.

    `sizes` suggests sizes for timed cases that are too small, by case name.
    """

    place: str
    slug: str
    title: str
    outcome: str
    warnings: list[str]
    reason: str
    sizes: dict[str, dict[str, int]]
    revision: int
    again: bool


class ImportOut(Schema):
    """An import. `problems` are those that are done so far. `failure` says why an import ended early."""

    id: int
    format: str
    scale: bool
    state: JobState
    progress: str
    problems: list[ImportedOut]
    failure: str
    created: datetime
    finished: datetime | None

    @staticmethod
    def resolve_created(run: ImportRun) -> datetime:
        """Return the time of the request."""
        return run.queued

    @staticmethod
    def resolve_problems(run: ImportRun) -> list[dict[str, Any]]:
        """Return the results of the problems that are done."""
        return problems_of(run)


@router.post(
    "/sets",
    response={201: ImportOut, **documented(400, 401, 403, 413, 422, 429)},
    summary="Import a set of problems",
)
def import_set(
    request: ApiRequest,
    archive: Annotated[UploadedFile, File()],
    format: Annotated[Word, Form()],  # noqa: A002
    scale: Annotated[bool, Form()] = False,
) -> Any:
    """Start the import of a set. Each problem becomes a workspace or a new revision of an existing one.

    With `scale` timed cases below 1 MiB are enlarged.
    """
    require(request, rights.CREATE)
    if format not in {known.name for known in FORMATS}:
        names = ", ".join(known.name for known in FORMATS)
        raise services.SetUnacceptable(f"Unknown format {format}. Known formats: {names}.")
    if archive.size is None or archive.size > MAX_SET_MIB * 2**20:
        raise services.SetUnacceptable(f"The set exceeds {MAX_SET_MIB} MiB. Import it in parts.")
    return Status(201, services.start_archive(person(request), format, archive.read(), scale=scale))


@router.get(
    "/sets/{import_id}",
    response={200: ImportOut, **documented(401, 403, 404, 422)},
    summary="Show an import",
)
def show_set(request: ApiRequest, import_id: ImportId) -> Any:
    """Return the progress or the result for each problem."""
    return _find(request, import_id)


@router.post(
    "/sets/{import_id}/cancel",
    response={200: ImportOut, **documented(400, 401, 403, 404, 422)},
    summary="Cancel an import",
)
def cancel_set(request: ApiRequest, import_id: ImportId) -> Any:
    """Cancel an import. It stops after the current problem. Problems that were imported before stay."""
    run = _find(request, import_id)
    services.cancel(run)
    run.refresh_from_db()
    return run


def _find(request: ApiRequest, import_id: int) -> ImportRun:
    runs = ImportRun.objects.defer("archive")
    found = (
        (runs if person(request).is_staff else runs.filter(by=person(request))).filter(pk=import_id).first()
    )
    if found is None:
        raise Http404
    return found
