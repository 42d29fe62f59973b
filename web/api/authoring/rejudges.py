"""Previews of what a version would change: started, followed, answered."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import Count
from django.http import Http404
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.authoring.versions import Number, find_version
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import rights
from web.authoring.services import publishing
from web.staff import rejudging
from web.staff.models import Rejudge, RejudgeState

router = Router()
RejudgeId = Annotated[int, Field(ge=1, lt=2**63)]


class RejudgeOut(Schema):
    """Submissions judged again out of sight. `runs` counts them by state, those judged by their `changes`."""

    id: int
    version: int
    state: RejudgeState
    runs: dict[str, int]
    changes: dict[str, int]
    created: datetime
    ended: datetime | None

    @staticmethod
    def resolve_version(rejudge: Rejudge) -> int:
        """The number of the version that it previews."""
        return rejudge.package.number if rejudge.package else 0

    @staticmethod
    def resolve_runs(rejudge: Rejudge) -> dict[str, int]:
        """How many are in which state."""
        return _counted(rejudge, "state")

    @staticmethod
    def resolve_changes(rejudge: Rejudge) -> dict[str, int]:
        """How many came out how."""
        return {change: count for change, count in _counted(rejudge, "change").items() if change}


@router.post(
    "/workspaces/{slug}/versions/{number}/preview",
    response={201: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Preview what a version would change",
)
def preview_version(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Have what other versions judged judged by it, out of sight. No visible verdict changes."""
    workspace = find(request, slug, rights.PUBLISH)
    return Status(201, publishing.preview(find_version(workspace.slug, number), person(request)))


@router.get(
    "/workspaces/{slug}/rejudges/{rejudge_id}",
    response={200: RejudgeOut, **documented(401, 403, 404, 422)},
    summary="Show a preview of a version",
)
def show_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """How far it is, and what would change."""
    return _rejudge(request, slug, rejudge_id)


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/apply",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Give learners the version and its verdicts",
)
def apply_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """The version goes live, and what the preview found is visible from now on."""
    workspace = find(request, slug, rights.PUBLISH)
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=publishing.apply(workspace, found, person(request)))


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/discard",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Drop what a preview found",
)
def discard_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """What is live stays live, with every verdict."""
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=rejudging.discard(found, person(request)))


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/cancel",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="End a preview that runs",
)
def cancel_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """Judge no more for it."""
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=rejudging.cancel(found, person(request)))


def _rejudge(request: ApiRequest, slug: str, pk: int) -> Rejudge:
    workspace = find(request, slug, rights.PUBLISH)
    rows = Rejudge.objects.select_related("package__problem")
    found = rows.filter(pk=pk, package__problem__slug=workspace.slug).first()
    if found is None:
        raise Http404
    return found


def _answered(rejudge: Rejudge, *, done: bool) -> Rejudge:
    if not done:
        raise HttpError(409, f"This preview is {rejudge.state}.")
    rejudge.refresh_from_db()
    return rejudge


def _counted(rejudge: Rejudge, column: str) -> dict[str, int]:
    return dict(rejudge.runs.values_list(column).annotate(Count("pk")).order_by(column))
