"""Versions: freeze, publish, list."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.authoring.files import GREATEST, Note
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import rights
from web.authoring.models import Workspace
from web.authoring.services import publishing
from web.authoring.version_rights import readable_versions
from web.packages.models import PackageVersion

router = Router()
Number = Annotated[int, Field(ge=1, le=GREATEST)]
MOST_VERSIONS = 200


class VersionOut(Schema):
    """A version. `version` changes with everything that affects verdicts, `content_hash` with any file."""

    number: int
    content_hash: str
    version: str
    live: bool
    archived: bool
    note: str
    by: str | None
    created: datetime

    @staticmethod
    def resolve_live(version: PackageVersion) -> bool:
        """Return whether learners can see it."""
        return version.problem.package_id == version.pk

    @staticmethod
    def resolve_by(version: PackageVersion) -> str | None:
        """Return the publisher's name; null for the site's own versions or if the account is deleted."""
        return version.by.username if version.by else None


class PublishIn(Schema):
    """Changes in the version. If `live` is false, it is only frozen, so that you can preview it first."""

    note: Note = ""
    live: bool = True


@router.get(
    "/workspaces/{slug}/versions",
    response={200: list[VersionOut], **documented(401, 403, 404, 422)},
    summary="List versions",
)
def list_versions(request: ApiRequest, slug: Slug) -> Any:
    """Return the published versions, latest first."""
    workspace = find(request, slug)
    return readable_versions(request.user, workspace)[:MOST_VERSIONS]


@router.post(
    "/workspaces/{slug}/versions",
    response={201: VersionOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Publish",
)
def publish_version(request: ApiRequest, slug: Slug, wanted: PublishIn) -> Any:
    """Publish the current files as a version and make it live. A proof of these files must hold."""
    workspace = find(request, slug, rights.PUBLISH)
    make = publishing.publish if wanted.live else publishing.freeze
    made = make(workspace, person(request), note=wanted.note)
    return Status(201, find_version(request, workspace, made.number))


@router.post(
    "/workspaces/{slug}/versions/{number}/live",
    response={200: VersionOut, **documented(401, 403, 404, 409, 422)},
    summary="Make a version live",
)
def take_version_live(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Make a frozen or earlier version live. Existing verdicts do not change."""
    workspace = find(request, slug, rights.PUBLISH)
    found = find_version(request, workspace, number)
    publishing.go_live(workspace, found, person(request))
    return find_version(request, workspace, number)


@router.post(
    "/workspaces/{slug}/versions/{number}/archive",
    response={200: VersionOut, **documented(401, 403, 404, 409, 422)},
    summary="Archive a version",
)
def archive_version(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Hide a version that is not live from the list of versions. Its submissions stay."""
    return _archived(request, slug, number, archived=True)


@router.post(
    "/workspaces/{slug}/versions/{number}/take-back",
    response={200: VersionOut, **documented(401, 403, 404, 422)},
    summary="Unarchive a version",
)
def take_version_back(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Show an archived version in the list again."""
    return _archived(request, slug, number, archived=False)


@router.post(
    "/workspaces/{slug}/withdraw",
    response={204: None, **documented(401, 403, 404, 409, 422)},
    summary="Withdraw a problem",
)
def withdraw_problem(request: ApiRequest, slug: Slug) -> Any:
    """Hide the published problem from learners. They keep their submissions."""
    if not publishing.withdraw(find(request, slug, rights.WITHDRAW), person(request)):
        raise HttpError(409, "Learners can no longer see the problem.")
    return Status(204, None)


@router.post(
    "/workspaces/{slug}/show",
    response={204: None, **documented(401, 403, 404, 409, 422)},
    summary="Restore a withdrawn problem",
)
def show_problem_again(request: ApiRequest, slug: Slug) -> Any:
    """Show the live version to learners again. If staff withdrew the problem, only staff can do this."""
    if not publishing.show_again(find(request, slug, rights.WITHDRAW), person(request)):
        raise HttpError(409, "The problem is not withdrawn.")
    return Status(204, None)


def _archived(request: ApiRequest, slug: str, number: int, *, archived: bool) -> PackageVersion:
    workspace = find(request, slug, rights.WITHDRAW)
    found = find_version(request, workspace, number)
    publishing.archive(workspace, found, person(request), archived=archived)
    return find_version(request, workspace, number)


def find_version(request: ApiRequest, workspace: Workspace, number: int) -> PackageVersion:
    """Return a version that was published from `workspace`. Raises Http404."""
    found = readable_versions(request.user, workspace).filter(number=number).first()
    if found is None:
        raise Http404
    return found
