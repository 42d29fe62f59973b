"""Submissions: submit, follow, cancel, list."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Header, Query, Router, Schema
from ninja.responses import Status
from pydantic import StringConstraints

from judge.evidence.diagnostics import headline
from judge.report import (
    CaseReport,
    Diagnostic,
    KernelResources,
    Profile,
    Report,
    RequirementReport,
    Score,
    StageTime,
)
from judge.sizes import MAX_SEED
from problems.vocabulary import Group, Language, Mode, Verdict
from web.api.auth import READ, SUBMIT, ApiRequest, StreamAuth
from web.api.errors import documented
from web.api.problems import Slug, find
from web.results import comparison_base
from web.results.likely_mistake import likely_mistake
from web.results.profile_reports import MEDIA_TYPE, attached_report
from web.results.tiers import Tiers, tiers_of
from web.submissions import queries, services, streams
from web.submissions.diagnosis import Diagnosis, diagnose
from web.submissions.models import Listing, ListingKind, ProfileReport, Submission
from web.submissions.queue_position import jobs_before
from web.submissions.unrun import UnrunCase, unrun_cases

router = Router(auth=READ)
PAGE_ROWS = 50
PublicId = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z]{1,12}$")]
GivenValues = str | int | float | list[Any]
Key = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,64}$")]


class SubmissionIn(Schema):
    """A program to judge.

    `sizes` replaces the cases with a custom case. `values` replaces drawn inputs of this case: by argument, a
    list that may be nested, a number, or text, with `inf`, `-inf` and `nan` as text. A list may determine a
    size that `sizes` lacks. `seed` makes drawn inputs reproducible. All three are only for runs.
    `gpu_model` requests a GPU model that is in use; empty for any.
    """

    problem: Slug
    language: Language
    source: str = Field(max_length=512 * 1024)
    mode: Mode = Mode.SUBMIT
    sizes: dict[str, int] | None = None
    values: dict[str, GivenValues] | None = None
    seed: int | None = Field(None, ge=0, le=MAX_SEED)
    gpu_model: str = Field("", max_length=120)
    personal_node: bool = Field(
        False, description="Judge the run on one of your own nodes. The verdict does not count."
    )
    profiled: bool = Field(
        False, description="Profile the run of a CUDA program on a GPU. `report.profile` has the result."
    )


class SubmissionOut(Schema):
    """A submission. If `personal_node` is true, a node of its author judges it, and it does not count.

    `verdict` and `message` are null until it is done, `score` if it is not ranked.
    """

    id: str = Field(alias="public_id")
    problem: str = Field(alias="problem.slug")
    language: Language
    mode: Mode
    personal_node: bool
    profiled: bool
    state: Literal["queued", "judging", "done"]
    verdict: Verdict | None
    message: str | None
    score: Score | None
    created: datetime
    finished: datetime | None

    @staticmethod
    def resolve_state(submission: Submission) -> str:
        """Return the state of its job."""
        return queries.state_of(submission)

    @staticmethod
    def resolve_verdict(submission: Submission) -> str | None:
        """Return its verdict."""
        return queries.verdict_of(submission)

    @staticmethod
    def resolve_message(submission: Submission) -> str | None:
        """Return the message that explains the verdict."""
        return submission.report.message if hasattr(submission, "report") else None

    @staticmethod
    def resolve_score(submission: Submission) -> Score | None:
        """Return its ranked score."""
        return queries.score_of(submission)

    @staticmethod
    def resolve_finished(submission: Submission) -> datetime | None:
        """Return the time of the submission."""
        return submission.report.finished if hasattr(submission, "report") else None


class ReportOut(Schema):
    """The full report. It contains no names, sizes or values of hidden cases.

    The `timing` of a case comes from the trusted clock, in microseconds. If its `queued` is false, the time
    includes host code: the program waits for the GPU in `solve`, or uses a stream that does not wait for the
    default stream. If an accepted timed case has no `timing`, its `message` says why. `headline` is the
    finding in `diagnostics` that best explains the failure; null if there is none. The `inputs` and `outputs`
    of a public case of a run have the first elements; the `outputs` also say which of them are wrong, and
    count the wrong elements in each cell of a map. `environment` describes the measurement: target, GPU,
    driver, toolkit and problem version. `attempts` is more than 1 if another program on the GPU disturbed a
    run. `requirements` has the state of each requirement of the problem, if all cases were accepted. Figures
    of hidden cases are rounded. `checker_score` is the mean of the numbers that the problem's checker gave an
    accepted program, null if the problem has none. `diagnosis` explains the findings, the most important one
    first. Its `counts` have the sums of each kernel, from the largest case that functional mode counted.
    `profile` has what the GPU counted during each launch of a run that asked for it, and figures of lines and
    instructions; null for others. If there is no profile, its `missing` says why.
    """

    verdict: Verdict
    message: str
    ranked: bool
    score: Score | None
    attempts: int
    stages: list[StageTime]
    cases: list[CaseReport]
    requirements: list[RequirementReport]
    checker_score: float | None
    diagnostics: list[Diagnostic]
    headline: Diagnostic | None
    diagnosis: Diagnosis
    kernels: list[KernelResources]
    profile: Profile | None
    log: str
    output: str
    environment: dict[str, str]

    @staticmethod
    def resolve_headline(report: Report) -> Diagnostic | None:
        """Return the finding that best explains the failure."""
        return headline(report)

    @staticmethod
    def resolve_diagnosis(report: Report) -> Diagnosis:
        """Return the explained findings and the counts."""
        return diagnose(report)


class ListingOut(Schema):
    """A compiler listing, without its text."""

    kind: ListingKind
    size_bytes: int


class ListingTextOut(ListingOut):
    """A listing with its text."""

    text: str


class UnrunCaseOut(Schema):
    """A case that was not run. A hidden one has a general name and no sizes."""

    name: str
    group: Group
    public: bool
    sizes: dict[str, int]


class TierOut(Schema):
    """A percentage of the vendor baseline's speed, and the longest time in microseconds that reaches it."""

    percent: int
    time_us: float
    reached: bool


class TiersOut(Schema):
    """Points by speed. `baseline` is empty, without `tiers`, until it was timed on that GPU."""

    baseline: str
    percent: float
    points: int
    tiers: list[TierOut]


class ProfileReportOut(Schema):
    """The file that Nsight Compute wrote about a profiled run. `url` is its address in the API."""

    url: str
    size_bytes: int

    @staticmethod
    def resolve_url(report: ProfileReport) -> str:
        """Return the address of the file."""
        return reverse("api:show_profile_report", args=[report.report.submission.public_id])


class SubmissionDetailOut(SubmissionOut):
    """A submission with its source and report. The text of a listing has its own URL.

    `not_run` lists the cases that are missing in `report.cases` because the program ended at an earlier one.
    It is empty if the program was not run at all. `mistake` explains a known mistake with the
    same verdicts and similar shares of wrong elements; it is empty if there is none or more than one, and for
    users other than the author and staff.
    `tiers` is null without a ranked time, and for problems without points by speed. `profile_report` is null
    if there is no file to download. `report.profile.report_missing` may say why.
    """

    source: str
    sizes: dict[str, int] | None
    values: dict[str, list[int | float | str]] | None
    seed: int | None
    gpu_model: str
    place_in_queue: int
    report: ReportOut | None
    not_run: list[UnrunCaseOut]
    mistake: str
    tiers: TiersOut | None
    listings: list[ListingOut]
    profile_report: ProfileReportOut | None

    @staticmethod
    def resolve_place_in_queue(submission: Submission) -> int:
        """Return the number of jobs before this one."""
        return jobs_before(submission)

    @staticmethod
    def resolve_report(submission: Submission, context: Any) -> Report | None:
        """Return the report as the current user may see it."""
        return queries.present_report(submission, context["request"].user)

    @staticmethod
    def resolve_not_run(submission: Submission, context: Any) -> tuple[UnrunCase, ...]:
        """Return the cases that were not run, as the current user may see them."""
        return unrun_cases(submission, context["request"].user)

    @staticmethod
    def resolve_mistake(submission: Submission, context: Any) -> str:
        """Return the explanation of the mistake that it may have."""
        return likely_mistake(submission, context["request"].user)

    @staticmethod
    def resolve_tiers(submission: Submission) -> Tiers | None:
        """Return the points by speed."""
        return tiers_of(submission)

    @staticmethod
    def resolve_listings(submission: Submission) -> tuple[Listing, ...]:
        """Return the stored listings."""
        return queries.listings_of(submission)

    @staticmethod
    def resolve_profile_report(submission: Submission) -> ProfileReport | None:
        """Return the file of Nsight Compute, if it is stored."""
        return queries.find_profile_report(submission)


class PageOut(Schema):
    """One page. `next` is the value of `before` for the next page; null on the last page."""

    submissions: list[SubmissionOut]
    next: str | None


class WantedSubmissions(Schema):
    """Filters of the list."""

    problem: Slug | None = None
    before: PublicId | None = None
    limit: int = Field(PAGE_ROWS, ge=1, le=PAGE_ROWS)


class Own(Schema):
    """Selects your latest accepted submission or your fastest."""

    problem: Slug
    language: Language
    which: Literal["accepted", "best"] = "accepted"


class SourceOut(Schema):
    """The program to submit."""

    language: Language
    source: str


class CancelledOut(Schema):
    """`cancelled` is false if the submission had already finished."""

    cancelled: bool


@router.post(
    "",
    auth=SUBMIT,
    response={201: SubmissionOut, **documented(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Submit or run a source",
)
def submit(
    request: ApiRequest,
    program: SubmissionIn,
    idempotency_key: Annotated[Key | None, Header(alias="Idempotency-Key")] = None,
) -> Any:
    """Queue a program. A repeated request with the same `Idempotency-Key` returns the first submission."""
    submission = services.submit(
        _user(request),
        find(request, program.problem),
        language=program.language,
        source=program.source,
        mode=program.mode,
        sizes=program.sizes,
        values=program.values,
        seed=program.seed,
        gpu_model=program.gpu_model,
        personal_node=program.personal_node,
        profiled=program.profiled,
        idempotency_key=idempotency_key,
    )
    return Status(201, _find(request, submission.public_id))


@router.get("", response={200: PageOut, **documented(401, 404, 422)}, summary="List your submissions")
def list_submissions(request: ApiRequest, wanted: Query[WantedSubmissions]) -> Any:
    """Return one page of your submissions, newest first."""
    before = None
    if wanted.before is not None:
        last = get_object_or_404(queries.list_submissions(request.user), public_id=wanted.before)
        before = (last.created, last.pk)
    found = queries.list_submissions(request.user, problem_slug=wanted.problem, before=before)
    rows = queries.first_rows(found, wanted.limit + 1)
    page, more = rows[: wanted.limit], len(rows) > wanted.limit
    return {"submissions": page, "next": page[-1].public_id if more else None}


@router.get(
    "/own", response={200: SubmissionDetailOut, **documented(401, 404, 422)}, summary="Show your best"
)
def show_own(request: ApiRequest, wanted: Query[Own]) -> Any:
    """Return your latest accepted submission to a problem, or your fastest."""
    problem = find(request, wanted.problem)
    found = comparison_base.own(request.user, problem, wanted.language, wanted.which)
    if found is None:
        raise Http404
    return found


@router.get(
    "/{public_id}",
    response={200: SubmissionDetailOut, **documented(401, 404, 422)},
    summary="Show a submission",
)
def show_submission(request: ApiRequest, public_id: PublicId) -> Any:
    """Return a submission with its source and, if it is done, its report."""
    return _find(request, public_id)


@router.get(
    "/{public_id}/source",
    response={200: SourceOut, **documented(401, 404, 422)},
    summary="Show its source",
)
def show_source(request: ApiRequest, public_id: PublicId) -> Any:
    """Return the source of a submission."""
    return _find(request, public_id)


@router.get(
    "/{public_id}/listings/{kind}",
    response={200: ListingTextOut, **documented(401, 404, 422)},
    summary="Show a listing",
)
def show_listing(request: ApiRequest, public_id: PublicId, kind: ListingKind) -> Any:
    """Return a compiler listing of the program: PTX, or SASS, which the GPU runs."""
    listing = queries.find_listing(_find(request, public_id), kind)
    if listing is None:
        raise Http404
    return listing


@router.get(
    "/{public_id}/profile.ncu-rep",
    response={200: None, **documented(401, 404, 422)},
    summary="Download the report of a profile",
    openapi_extra={
        "responses": {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
def show_profile_report(request: ApiRequest, public_id: PublicId) -> HttpResponse:
    """Return the file that Nsight Compute wrote about a profiled run."""
    report = queries.find_profile_report(_find(request, public_id))
    if report is None:
        raise Http404
    return attached_report(report, public_id)


@router.post(
    "/{public_id}/cancel",
    auth=SUBMIT,
    response={200: CancelledOut, **documented(401, 403, 404, 422)},
    summary="Cancel a submission",
)
def cancel(request: ApiRequest, public_id: PublicId) -> Any:
    """Cancel a submission. A submission in progress ends within about a second."""
    found = get_object_or_404(queries.submissions_in_charge(request.user), public_id=public_id)
    by = "its author" if found.user_id == request.user.pk else "staff"
    return {"cancelled": services.cancel(found, message=f"Cancelled by {by}.")}


@router.get(
    "/{public_id}/events",
    auth=StreamAuth(),
    response=documented(401, 404, 422, 429),
    summary="Follow a submission",
    openapi_extra={
        "responses": {
            "200": {
                "description": "Server-sent events; the last one is `finished`. Resumes by Last-Event-ID. "
                "Events named `queue` have no id and give the queue position and estimated wait.",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            "204": {"description": "The submission is finished, and you have received every event."},
        }
    },
)
async def follow(request: ApiRequest, public_id: PublicId) -> HttpResponseBase:
    """Stream the progress events of a submission."""
    return await streams.open_stream(request, request.user, public_id)


def serialise(submission: Submission, request: HttpRequest) -> dict[str, Any]:
    """Return the fields of `submission` for `NinjaJSONEncoder`. The current user may see it."""
    shown = SubmissionDetailOut.model_validate(submission, context={"request": request})
    body: dict[str, Any] = shown.model_dump()
    return body


def _find(request: ApiRequest, public_id: str) -> Submission:
    return get_object_or_404(queries.visible_submissions(request.user), public_id=public_id)


def _user(request: ApiRequest) -> Any:
    return request.user
