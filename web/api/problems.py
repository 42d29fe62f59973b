"""Problems: statements, signatures, samples, starter code and shared solutions."""

from datetime import datetime
from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from problems.vocabulary import ArrayMemory, Better, Counter, Difficulty, Language, Relation, ValueOrder
from web.api.auth import PUBLIC, READ, SUBMIT, ApiRequest
from web.api.errors import documented
from web.catalog import queries
from web.catalog.models import Problem
from web.discussion import gallery
from web.discussion.models import Post, Solution
from web.hints import services as hints
from web.hints.queries import closed_by_contest, count_opened, may_read_editorial

router = Router(auth=PUBLIC)
PAGE_ROWS = 100
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,60}$")]


class ProblemOut(Schema):
    """A problem in a list. `submitted` and `accepted` count the submissions of all users."""

    slug: str
    title: str
    summary: str
    difficulty: Difficulty
    tags: list[str]
    track_day: int | None
    languages: list[Language]
    solved: bool
    submitted: int
    accepted: int


class ValuesOut(Schema):
    """What holds of the values of an input. `least` and `most` are formulas over the sizes."""

    least: str | None
    most: str | None
    order: ValueOrder | None


class ArgumentOut(Schema):
    """An argument of `solve`. `shape` has one formula over the sizes per dimension.

    `value` is the formula of a scalar. A scalar without it is drawn from `values`. `takes_values` says
    whether a run may give values for the argument. `memory` says where an array is: in device memory, in
    pageable host memory (`host`) or in page-locked host memory (`pinned`). `device` is the number of the
    GPU whose memory that is.
    """

    name: str
    role: str
    dtype: str
    shape: list[str]
    value: str | None = None
    values: ValuesOut | None = None
    takes_values: bool
    memory: ArrayMemory = ArrayMemory.DEVICE
    device: int = 0


class SampleOut(Schema):
    """A public case. `inputs` has the inputs that it states, flat, in C order."""

    name: str
    sizes: dict[str, int]
    inputs: dict[str, list[int | float]] = {}


class RequirementOut(Schema):
    """A bound on a counted figure. An accepted program meets all bounds for its language."""

    counter: Counter
    relation: Relation
    bound: float
    explanation: str


class ScoreOut(Schema):
    """The number that the problem's checker gives to correct outputs. If `ranks`, leaderboards use it."""

    name: str
    better: Better
    unit: str
    ranks: bool


class ProblemDetailOut(ProblemOut):
    """A problem with its statement, as Markdown with TeX. `translations` are by locale, such as `de`."""

    version: str
    statement: str
    translations: dict[str, str]
    signature: list[ArgumentOut]
    size_names: list[str]
    samples: list[SampleOut]
    limits: dict[str, float | list[str] | dict[str, int]]
    tiers: list[int]
    requirements: list[RequirementOut]
    score: ScoreOut | None
    starters: dict[Language, str]
    editorial: str | None

    @staticmethod
    def resolve_signature(problem: Problem) -> list[dict[str, Any]]:
        """Return the arguments, and whether runs may give values for them."""
        custom = {argument.name for argument in problem.custom_arguments}
        return [{**row, "takes_values": row["name"] in custom} for row in problem.signature]


class ProblemsOut(Schema):
    """One page. `next` is the value of `after` for the next page; null on the last page."""

    problems: list[ProblemOut]
    next: str | None


class ProblemFilter(Schema):
    """Filters of the list. `status` is your own: `solved`, `attempted` or `new`."""

    difficulty: Difficulty | None = None
    tag: Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")] | None = None
    track: Slug | None = None
    language: Language | None = None
    status: queries.Mark | None = None
    search: Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00]*$")] = ""
    after: Slug | None = None
    limit: int = Field(PAGE_ROWS, ge=1, le=PAGE_ROWS)


class StarterOut(Schema):
    """Starter code."""

    language: Language
    source: str


class HintsOut(Schema):
    """Hints as Markdown. `opened` has those that you opened, in order. A contest keeps them `closed`."""

    total: int
    closed: bool
    opened: list[str]


class SolutionOut(Schema):
    """A shared solution. `id` is its submission, which has the source. `voted` says whether you voted."""

    id: str
    author: str
    language: Language
    technique: str
    note: str
    votes: int
    voted: bool
    score_us: float | None
    gpu: str
    shared: datetime


class SolutionsOut(Schema):
    """One page. `next` is the value of `before` for the next page; null on the last page."""

    solutions: list[SolutionOut]
    next: str | None


class SolutionFilter(Schema):
    """Filters and order of the gallery."""

    technique: Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")] = ""
    language: Language | None = None
    order: gallery.Order = gallery.Order.VOTES
    before: Annotated[str, StringConstraints(max_length=40, pattern=r"^[0-9-]*$")] = ""
    limit: int = Field(50, ge=1, le=50)


@router.get("", response={200: ProblemsOut, **documented(401, 422)}, summary="List problems")
def list_problems(request: ApiRequest, wanted: Query[ProblemFilter]) -> Any:
    """Return one page of the published problems, by slug. A track has its own order."""
    rows = queries.list_problems(
        request.user,
        difficulty=wanted.difficulty,
        tag=wanted.tag,
        track=wanted.track,
        language=wanted.language,
        mark=wanted.status,
        search=wanted.search,
    ).order_by("slug")
    if wanted.after is not None:
        rows = rows.filter(slug__gt=wanted.after)
    found = list(rows[: wanted.limit + 1])
    page, more = found[: wanted.limit], len(found) > wanted.limit
    return {"problems": page, "next": page[-1].slug if more else None}


@router.get(
    "/{slug}", response={200: ProblemDetailOut, **documented(401, 404, 422)}, summary="Show a problem"
)
def show_problem(request: ApiRequest, slug: Slug) -> Any:
    """Return a problem with its statement, signature, samples and starters."""
    problem = find(request, slug)
    readable = may_read_editorial(request.user, problem)
    problem.editorial = problem.editorial if readable else None  # type: ignore[assignment]  # never saved
    return problem


@router.get(
    "/{slug}/solutions",
    auth=READ,
    response={200: SolutionsOut, **documented(401, 403, 404, 422)},
    summary="List shared solutions",
)
def list_solutions(request: ApiRequest, slug: Slug, wanted: Query[SolutionFilter]) -> Any:
    """Return one page of the gallery. It is open to users who solved the problem."""
    problem = find(request, slug)
    if not gallery.may_open(request.user, problem):
        raise PermissionDenied("Solve the problem to unlock its solutions.")
    chosen = gallery.GalleryFilter(
        technique=wanted.technique,
        language=wanted.language or "",
        order=wanted.order,
        before=wanted.before,
    )
    found = list(gallery.list_solutions(request.user, problem, chosen)[: wanted.limit + 1])
    page, more = found[: wanted.limit], len(found) > wanted.limit
    notes = gallery.notes_of(page)
    rows = [_solution(solution, notes[solution.pk]) for solution in page]
    return {"solutions": rows, "next": gallery.cursor_after(page[-1], wanted.order) if more else None}


@router.get(
    "/{slug}/starters",
    response={200: list[StarterOut], **documented(401, 404, 422)},
    summary="List starters",
)
def list_starters(request: ApiRequest, slug: Slug) -> Any:
    """Return the starter code for each language."""
    starters = find(request, slug).starters
    return [{"language": language, "source": source} for language, source in starters.items()]


@router.get(
    "/{slug}/hints",
    auth=READ,
    response={200: HintsOut, **documented(401, 404, 422)},
    summary="List your opened hints",
)
def list_hints(request: ApiRequest, slug: Slug) -> Any:
    """Return the hints that you have opened, and how many there are."""
    return _hints(request, find(request, slug))


@router.post(
    "/{slug}/hints",
    auth=SUBMIT,
    response={200: HintsOut, **documented(401, 403, 404, 409, 422)},
    summary="Open the next hint",
)
def open_hint(request: ApiRequest, slug: Slug) -> Any:
    """Open the next hint and return all opened ones. Opening hints changes no score, rank or mark.

    The answer is 409 if all hints are open, or while a contest with the problem is running.
    """
    problem = find(request, slug)
    hints.open_next(_user(request), problem)
    return _hints(request, problem)


def _hints(request: ApiRequest, problem: Problem) -> dict[str, Any]:
    closed = closed_by_contest(request.user, problem)
    count = 0 if closed else count_opened(request.user, problem)
    return {"total": len(problem.hints), "closed": closed, "opened": problem.hints[:count]}


def _user(request: ApiRequest) -> Any:
    return request.user


def _solution(solution: Solution, note: Post) -> dict[str, object]:
    report = solution.submission.report
    return {
        "id": solution.submission.public_id,
        "author": solution.submission.user.username,
        "language": solution.language,
        "technique": solution.technique,
        "note": note.text,
        "votes": solution.votes,
        "voted": solution.voted,  # type: ignore[attr-defined]  # annotated by the query
        "score_us": report.score_us if report.ranked else None,
        "gpu": report.gpu_model,
        "shared": note.created,
    }


def find(request: ApiRequest, slug: str) -> Problem:
    """Return the problem if the current user may see it. Raises Http404."""
    problem = queries.find_problem(request.user, slug)
    if problem is None:
        raise Http404
    return problem
