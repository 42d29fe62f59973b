"""Earlier revisions of a workspace's files."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from ninja import Field, Query, Router, Schema

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.authoring.files import GREATEST, FilesOut, WrittenOut, files_json
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import Revision
from web.authoring.services import files

router = Router()
PAGE_ROWS = 50
Number = Annotated[int, Field(ge=0, le=GREATEST)]


class RevisionOut(Schema):
    """A stored revision. `changed` maps each path to `added`, `changed` or `removed`."""

    number: int
    by: str | None
    note: str
    changed: dict[str, str]
    content_hash: str
    created: datetime

    @staticmethod
    def resolve_by(revision: Revision) -> str | None:
        """Return the author's name; null if the account is deleted."""
        return revision.by.username if revision.by else None


class RevisionsOut(Schema):
    """One page, latest first. `next` is the value of `before` for the next page; null on the last page."""

    revisions: list[RevisionOut]
    next: int | None


class RevisionFilter(Schema):
    """Filters of the list of revisions."""

    before: Number | None = None
    limit: int = Field(PAGE_ROWS, ge=1, le=PAGE_ROWS)


class RestoreIn(Schema):
    """`expected` is the current revision, as for a write."""

    expected: Number


@router.get(
    "/workspaces/{slug}/revisions",
    response={200: RevisionsOut, **documented(401, 403, 404, 422)},
    summary="List revisions",
)
def list_revisions(request: ApiRequest, slug: Slug, wanted: Query[RevisionFilter]) -> Any:
    """Return the stored revisions. Writes within a few minutes are merged into one."""
    rows = queries.list_revisions(find(request, slug))
    if wanted.before is not None:
        rows = rows.filter(number__lt=wanted.before)
    found = list(rows[: wanted.limit + 1])
    page, more = found[: wanted.limit], len(found) > wanted.limit
    return {"revisions": page, "next": page[-1].number if more else None}


@router.get(
    "/workspaces/{slug}/revisions/{number}",
    response={200: FilesOut, **documented(401, 403, 404, 422)},
    summary="Read the files of a revision",
)
def show_revision(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Return all files of a revision."""
    found = queries.find_revision(find(request, slug), number)
    if found is None:
        raise Http404
    return files_json(found.number, found.content_hash, queries.read_revision(found))


@router.post(
    "/workspaces/{slug}/revisions/{number}/restore",
    response={200: WrittenOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Restore a revision",
)
def restore_revision(request: ApiRequest, slug: Slug, number: Number, wanted: RestoreIn) -> Any:
    """Restore the files of an earlier revision as a new revision."""
    workspace = find(request, slug, rights.EDIT)
    try:
        made = files.restore(workspace, person(request), number, expected_revision=wanted.expected)
    except Revision.DoesNotExist as error:
        raise Http404 from error
    return {"revision": made.number, "content_hash": made.content_hash}
