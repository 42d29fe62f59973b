"""Problems: statements, signatures, samples and starter code."""

from typing import Annotated, Any

from django.http import Http404
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from problems.vocabulary import Difficulty, Language
from web.api.auth import PUBLIC, ApiRequest
from web.api.errors import documented
from web.catalog import queries
from web.catalog.models import Problem

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


class ArgumentOut(Schema):
    """An argument of `solve`. `shape` has one formula over the sizes per dimension."""

    name: str
    role: str
    dtype: str
    shape: list[str]


class SampleOut(Schema):
    """A public case."""

    name: str
    sizes: dict[str, int]


class ProblemDetailOut(ProblemOut):
    """A problem with its statement, as Markdown with TeX. `translations` are by locale, such as `de`."""

    version: str
    statement: str
    translations: dict[str, str]
    signature: list[ArgumentOut]
    size_names: list[str]
    samples: list[SampleOut]
    limits: dict[str, float | list[str]]
    starters: dict[Language, str]
    editorial: str | None


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
    readable = queries.may_read_editorial(request.user, problem)
    problem.editorial = problem.editorial if readable else None  # type: ignore[assignment]  # never saved
    return problem


@router.get(
    "/{slug}/starters",
    response={200: list[StarterOut], **documented(401, 404, 422)},
    summary="List starters",
)
def list_starters(request: ApiRequest, slug: Slug) -> Any:
    """Return the starter code for each language."""
    starters = find(request, slug).starters
    return [{"language": language, "source": source} for language, source in starters.items()]


def find(request: ApiRequest, slug: str) -> Problem:
    """Return the problem if the current user may see it. Raises Http404."""
    problem = queries.find_problem(request.user, slug)
    if problem is None:
        raise Http404
    return problem
