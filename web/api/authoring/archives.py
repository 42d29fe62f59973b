"""Export and import of a workspace as one file."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import StringConstraints

from problems.archive import MAX_ARCHIVE_MIB, MEDIA_TYPE, SUFFIX, ArchiveInvalid, pack, unpack
from problems.contents import Contents
from web.api.auth import ApiRequest
from web.api.authoring.access import find, person, require
from web.api.authoring.workspaces import WorkspaceOut
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.services import workspaces

router = Router()
Wanted = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{0,60}$")]


@router.get(
    "/workspaces/{slug}/archive.zip",
    response={200: None, **documented(401, 403, 404, 422)},
    summary="Export as a ZIP file",
    openapi_extra={
        "responses": {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
def download_workspace(request: HttpRequest, slug: Slug) -> HttpResponse:
    """Return the folder of the package as a ZIP file, with all its files."""
    workspace = find(request, slug)  # type: ignore[arg-type]  # the checks leave only users
    archive = pack(Contents(workspace.slug, queries.read(workspace)))
    named = f'attachment; filename="{workspace.slug}{SUFFIX}"'
    return HttpResponse(archive, content_type=MEDIA_TYPE, headers={"Content-Disposition": named})


@router.post(
    "/import",
    response={201: WorkspaceOut, **documented(400, 401, 403, 409, 413, 422)},
    summary="Import a ZIP file",
)
def import_workspace(
    request: ApiRequest, archive: Annotated[UploadedFile, File()], slug: Annotated[Wanted, Form()] = ""
) -> Any:
    """Create a workspace from an exported folder. `slug` defaults to the name of the folder."""
    require(request, rights.CREATE)
    if archive.size is None or archive.size > MAX_ARCHIVE_MIB * 1024 * 1024:
        raise ArchiveInvalid(
            f"the archive exceeds {MAX_ARCHIVE_MIB} MiB; remove files that are not part of the package"
        )
    contents = unpack(archive.read(), slug=slug)
    made = workspaces.create(person(request), contents.slug, contents.files, note="Imported from a file")
    return Status(201, made)
