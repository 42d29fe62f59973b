"""Personal nodes: what `python -m worker.personal` calls. ADR 27 says what such a node may and why."""

from typing import Annotated, Any

from django.conf import settings
from django.http import Http404, HttpRequest
from ninja import Body, Field, Router, Schema
from ninja.errors import AuthenticationError, HttpError
from ninja.security import HttpBearer
from pydantic import StringConstraints

from web.accounts import attempts
from web.api.errors import documented
from web.api.submissions import PublicId
from web.fleet.models import NAME_CHARACTERS, VERSION_CHARACTERS, PersonalNode
from web.fleet.personal import OtherVersion, check_version, find_by_key, note_heard
from web.jobs.queue import Hold
from web.submissions.models import Job
from web.submissions.personal_report import ReportRefused
from web.submissions.services import personal

Attempt = Annotated[int, Field(ge=1, lt=2**31)]
_NOT_YOURS = "This node has no lease on this attempt of the run."


class NodeAuth(HttpBearer):
    """The key of a personal node in the header `Authorization: Bearer …`. It permits only these calls."""

    openapi_description = "The key of a personal node, which `node join` writes into its settings."

    def authenticate(self, request: HttpRequest, token: str) -> PersonalNode:
        """Return the node. Raises AuthenticationError and TooManyFailedKeys."""
        node = attempts.look_up(request, token, find_by_key)
        if node is None:
            raise AuthenticationError
        request.user = node.owner
        return node


class NodeRequest(HttpRequest):
    """A request of a personal node."""

    auth: PersonalNode


router = Router(auth=NodeAuth())


class NodeIn(Schema):
    """What a node says about itself."""

    version: Annotated[str, StringConstraints(max_length=VERSION_CHARACTERS, pattern=r"^[\x20-\x7e]*$")]
    hardware: Annotated[str, StringConstraints(max_length=NAME_CHARACTERS, pattern=r"^[\x20-\x7e]*$")]


class PersonalRunOut(Schema):
    """A run of the owner of the node, and the public part of its problem by the paths of its files."""

    id: str
    attempt: int
    lease_s: int
    language: str
    source: str
    sizes: dict[str, int] | None
    values: dict[str, Any] | None
    seed: int | None
    problem: str
    files: dict[str, str]


class ClaimOut(Schema):
    """The next run, null if none waits."""

    run: PersonalRunOut | None


class ReturnIn(Schema):
    """Whether the node failed. A failure counts as a try."""

    failed: bool = True


class HoldOut(Schema):
    """Whether to continue: `held`, `cancelled` or `lost`."""

    hold: str


class RecordedOut(Schema):
    """Whether the run ended by this request."""

    recorded: bool


@router.post("/claim", response={200: ClaimOut, **documented(401, 409, 422)}, summary="Claim a run")
def claim_personal_run(request: NodeRequest, said: NodeIn) -> Any:
    """Return the next run of the node's owner, and record the contact with the node.

    The answer is 409 if the node does not have the site's version.
    """
    node = request.auth
    note_heard(node, version=said.version, hardware=said.hardware)
    try:
        check_version(said.version)
    except OtherVersion as refusal:
        raise HttpError(409, str(refusal)) from refusal
    run = personal.claim_run(node)
    return {"run": _described(run) if run else None}


@router.post(
    "/runs/{public_id}/{attempt}/extend",
    response={200: HoldOut, **documented(401, 404, 422)},
    summary="Extend the lease of a run",
)
def extend_personal_run(request: NodeRequest, public_id: PublicId, attempt: Attempt, said: NodeIn) -> Any:
    """Extend the lease of a run that the node holds, and return whether to continue."""
    note_heard(request.auth, version=said.version, hardware=said.hardware)
    job = personal.find_run(request.auth, public_id, attempt)
    hold = personal.extend_run(job) if job else Hold.LOST
    return {"hold": hold.name.lower()}


@router.post(
    "/runs/{public_id}/{attempt}/return",
    response={200: RecordedOut, **documented(401, 404, 422)},
    summary="Return a run to the queue",
)
def return_personal_run(request: NodeRequest, public_id: PublicId, attempt: Attempt, said: ReturnIn) -> Any:
    """Return a run that the node cannot judge at all or at the moment."""
    return {"recorded": personal.return_run(_held(request, public_id, attempt), failed=said.failed)}


@router.post(
    "/runs/{public_id}/{attempt}/report",
    response={200: RecordedOut, **documented(401, 404, 413, 422)},
    summary="Record the report of a run",
)
def record_personal_run(
    request: NodeRequest, public_id: PublicId, attempt: Attempt, report: Body[dict[str, Any]]
) -> Any:
    """Store the report of a run as feedback for its owner. It never counts."""
    job = _held(request, public_id, attempt)
    try:
        return {"recorded": personal.record_run(request.auth, job, report)}
    except ReportRefused as refusal:
        raise HttpError(422, str(refusal)) from refusal


def _held(request: NodeRequest, public_id: str, attempt: int) -> Job:
    job = personal.find_run(request.auth, public_id, attempt)
    if job is None:
        raise Http404(_NOT_YOURS)
    return job


def _described(run: personal.PersonalRun) -> dict[str, Any]:
    submission = run.job.submission
    columns = ("language", "source", "sizes", "values", "seed")
    return {
        "id": submission.public_id,
        "attempt": run.job.attempt,
        "lease_s": settings.WARPCOURT.lease_s,
        "problem": run.contents.slug,
        "files": {path: content.decode() for path, content in run.contents.files.items()},
        **{name: getattr(submission, name) for name in columns},
    }
