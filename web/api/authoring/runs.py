"""Proofs, trials and previews: start, follow, cancel."""

from datetime import datetime
from typing import Annotated, Any, Self

from django.http import Http404
from ninja import Field, Router, Schema
from ninja.responses import Status
from pydantic import StringConstraints, model_validator

from judge.proof.preview import CaseWanted
from judge.sizes import MAX_SEED
from problems.vocabulary import Language
from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import GPU_CHARACTERS, ProofRun, RunKind
from web.authoring.services import runs
from web.jobs.models import JobState

router = Router()
RunId = Annotated[int, Field(ge=1, lt=2**63)]
Line = Annotated[str, StringConstraints(max_length=GPU_CHARACTERS, pattern=r"^[^\x00-\x1f]*$")]


class StepOut(Schema):
    """A step of a proof, with its time in seconds since the start."""

    kind: str
    text: str
    index: int | None
    total: int | None
    at_s: float


class RunOut(Schema):
    """A proof, a trial or a preview of the files at `revision`.

    If it is done, it has a `report`, or `failure` says why there is none. `holds` tells whether the proof
    allows publishing, or whether every solution of the trial got its verdict. `steps` has the latest steps.
    """

    id: int
    kind: RunKind
    state: JobState
    revision: int
    content_hash: str
    by: str | None
    holds: bool | None
    steps: list[StepOut]
    report: dict[str, Any] | None
    failure: str
    created: datetime
    finished: datetime | None

    @staticmethod
    def resolve_created(run: ProofRun) -> datetime:
        """Return the time of the request."""
        return run.queued

    @staticmethod
    def resolve_revision(run: ProofRun) -> int:
        """Return its number."""
        return run.revision.number

    @staticmethod
    def resolve_by(run: ProofRun) -> str | None:
        """Return the requester's name; null if the account is deleted."""
        return run.by.username if run.by else None

    @staticmethod
    def resolve_steps(run: ProofRun) -> list[dict[str, Any]]:
        """Return the steps as the worker reported them."""
        steps: list[dict[str, Any]] = run.progress.get("steps", [])
        return steps


class ProofIn(Schema):
    """GPU model to check the sizes of timed cases for. Empty: the default model."""

    gpu: Line = ""


class TrialIn(Schema):
    """The `file` name of one solution, such as `plain.cu`, or the `language` whose solutions all run."""

    file: Line = ""
    language: Language | None = None

    @model_validator(mode="after")
    def _name_one(self) -> Self:
        if bool(self.file) == bool(self.language):
            raise ValueError("Name either a file or a language.")
        return self


class PreviewIn(Schema):
    """A case by name, or custom `sizes`. A `seed` makes the inputs reproducible."""

    case: Line = ""
    sizes: dict[str, int] = {}
    seed: int | None = Field(None, ge=0, le=MAX_SEED)


@router.post(
    "/workspaces/{slug}/proofs",
    response={201: RunOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Prove the problem",
)
def start_proof(request: ApiRequest, slug: Slug, wanted: ProofIn) -> Any:
    """Start a proof of the current files. If the package does not load, it is done at once, with findings."""
    workspace = find(request, slug, rights.PROVE)
    return Status(201, runs.prove(workspace, person(request), gpu=wanted.gpu))


@router.get(
    "/workspaces/{slug}/proofs/latest",
    response={200: RunOut, **documented(401, 403, 404, 422)},
    summary="Show the latest proof",
)
def show_proof(request: ApiRequest, slug: Slug) -> Any:
    """Return the progress or the result of the latest proof."""
    found = queries.latest_run(find(request, slug))
    if found is None:
        raise Http404
    return found


@router.post(
    "/workspaces/{slug}/trials",
    response={201: RunOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Try solutions",
)
def start_trial(request: ApiRequest, slug: Slug, wanted: TrialIn) -> Any:
    """Run one solution, or all in a language, without a proof. The report has their verdicts."""
    workspace = find(request, slug, rights.PROVE)
    language = wanted.language.value if wanted.language else ""
    return Status(201, runs.try_solutions(workspace, person(request), file=wanted.file, language=language))


@router.post(
    "/workspaces/{slug}/previews",
    response={201: RunOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Preview a case",
)
def start_preview(request: ApiRequest, slug: Slug, wanted: PreviewIn) -> Any:
    """Start a preview of a case: shapes, ranges, first values, and times of generator and reference."""
    workspace = find(request, slug, rights.PROVE)
    asked = CaseWanted(wanted.case, wanted.sizes, wanted.seed)
    return Status(201, runs.preview(workspace, person(request), asked))


@router.get(
    "/workspaces/{slug}/runs/{run_id}",
    response={200: RunOut, **documented(401, 403, 404, 422)},
    summary="Show a proof, a trial or a preview",
)
def show_run(request: ApiRequest, slug: Slug, run_id: RunId) -> Any:
    """Return the progress or the result."""
    return _run(request, slug, run_id, rights.VIEW)


@router.post(
    "/workspaces/{slug}/runs/{run_id}/cancel",
    response={200: RunOut, **documented(401, 403, 404, 422)},
    summary="Cancel a proof, a trial or a preview",
)
def cancel_run(request: ApiRequest, slug: Slug, run_id: RunId) -> Any:
    """Cancel a proof, a trial or a preview. A running one stops soon. A finished one does not change."""
    found = _run(request, slug, run_id, rights.PROVE)
    runs.cancel(found)
    return found


def _run(request: ApiRequest, slug: str, run_id: int, right: str) -> ProofRun:
    found = queries.find_run(find(request, slug, right), run_id)
    if found is None:
        raise Http404
    return found
