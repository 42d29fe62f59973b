"""Previews of the effect of a version: start, follow, apply, discard."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.db.models import Count
from django.http import Http404
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status

from problems.vocabulary import Language, Verdict
from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.authoring.versions import Number, find_version
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import rights
from web.authoring.ranks import rank_changes, ranks_known
from web.authoring.services import publishing
from web.rejudges import rejudging
from web.rejudges.models import Rejudge, RejudgeState
from web.rejudges.queries import count_changes

router = Router()
RejudgeId = Annotated[int, Field(ge=1, lt=2**63)]


class VerdictsOut(Schema):
    """Number of submissions by their visible verdict and their verdict under the new version."""

    before: Verdict
    now: Verdict
    submissions: int


class RankOut(Schema):
    """A user's place on a board now and under the new version; null if the user has none."""

    username: str
    language: Language
    gpu_model: str
    before: int | None
    now: int | None


class RejudgeOut(Schema):
    """A dry run over earlier submissions. `runs` counts them by state, `changes` by result.

    `ranks` lists the places that would change; it is empty until all are judged. `overtaken_by` is the number
    of a version that went live in the meantime. The preview can then no longer be applied.
    """

    id: int
    version: int
    state: RejudgeState
    runs: dict[str, int]
    changes: dict[str, int]
    verdicts: list[VerdictsOut]
    ranks: list[RankOut]
    overtaken_by: int | None
    created: datetime
    ended: datetime | None

    @staticmethod
    def resolve_version(rejudge: Rejudge) -> int:
        """Return the number of the version that it previews."""
        return rejudge.package.number if rejudge.package else 0

    @staticmethod
    def resolve_runs(rejudge: Rejudge) -> dict[str, int]:
        """Return the number of runs in each state."""
        return _counted(rejudge, "state")

    @staticmethod
    def resolve_verdicts(rejudge: Rejudge) -> list[VerdictsOut]:
        """Return the changes, most frequent first."""
        found = count_changes(rejudge)
        return [
            VerdictsOut(before=Verdict(before), now=Verdict(now), submissions=count)
            for _, before, now, count in found
            if before != now
        ]

    @staticmethod
    def resolve_ranks(rejudge: Rejudge) -> list[RankOut]:
        """Return the places that would change. Return none until all runs are judged."""
        return [RankOut(**asdict(change)) for change in rank_changes(rejudge)] if ranks_known(rejudge) else []

    @staticmethod
    def resolve_overtaken_by(rejudge: Rejudge) -> int | None:
        """Return the number of that version; None if there is none."""
        live = publishing.overtaken_by(rejudge)
        return live.number if live else None

    @staticmethod
    def resolve_changes(rejudge: Rejudge) -> dict[str, int]:
        """Return the number of judged submissions by result."""
        return {change: count for change, count in _counted(rejudge, "change").items() if change}


@router.post(
    "/workspaces/{slug}/versions/{number}/preview",
    response={201: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Preview the effects of a version",
)
def preview_version(request: ApiRequest, slug: Slug, number: Number) -> Any:
    """Start a dry run of this version over submissions of other versions. No visible verdict changes."""
    workspace = find(request, slug, rights.PUBLISH)
    found = find_version(request, workspace, number)
    return Status(201, publishing.preview(workspace, found, person(request)))


@router.get(
    "/workspaces/{slug}/rejudges/{rejudge_id}",
    response={200: RejudgeOut, **documented(401, 403, 404, 422)},
    summary="Show a preview of a version",
)
def show_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """Return the progress and the changes found."""
    return _rejudge(request, slug, rejudge_id)


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/apply",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Publish the version and its verdicts",
)
def apply_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """Make the version live, and make the verdicts of the preview visible."""
    workspace = find(request, slug, rights.PUBLISH)
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=publishing.apply(workspace, found, person(request)))


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/discard",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Discard a preview",
)
def discard_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """Discard the preview. The live version and all verdicts stay."""
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=rejudging.discard(found, person(request)))


@router.post(
    "/workspaces/{slug}/rejudges/{rejudge_id}/cancel",
    response={200: RejudgeOut, **documented(401, 403, 404, 409, 422)},
    summary="Cancel a running preview",
)
def cancel_rejudge(request: ApiRequest, slug: Slug, rejudge_id: RejudgeId) -> Any:
    """Stop the preview."""
    found = _rejudge(request, slug, rejudge_id)
    return _answered(found, done=rejudging.cancel(found, person(request)))


def _rejudge(request: ApiRequest, slug: str, pk: int) -> Rejudge:
    workspace = find(request, slug, rights.PUBLISH)
    found = publishing.previews(workspace, person(request)).filter(pk=pk).first()
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
