"""The contents of the list of problems and of the home page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from problems.vocabulary import Difficulty
from web.catalog import queries
from web.catalog.models import Problem
from web.catalog.queries import Counts, Mark, Viewer
from web.leaderboards.queries import Record, recent_records
from web.practice.forms import LANGUAGES, ORDERS, ProblemFilterForm
from web.practice.queries import PracticeDays, next_problem, practice_days
from web.site.concepts import CONCEPTS
from web.site.findings import FINDINGS
from web.tracks.queries import VisibleTrack, list_paths, track_titles

PER_PAGE = 50
FIRST_FEW = 8
DESTINATIONS = 12
SOME_RECORDS = 6
_LEVELS: Mapping[str, str] = {level: level.capitalize() for level in Difficulty}
_MARKS: Mapping[str, str] = {
    "": "All",
    Mark.NEW: "New",
    Mark.ATTEMPTED: "Attempted",
    Mark.SOLVED: "Solved",
    Mark.BOOKMARKED: "Bookmarked",
}
_NAMES = {
    "q": "Search",
    "difficulty": "Difficulty",
    "tag": "Tag",
    "track": "Track",
    "language": "Language",
    "status": "Status",
    "sort": "Order",
}


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A value of a filter. `count` is the number of problems with it, None if that is not counted."""

    value: str
    label: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters and sort orders of the list."""

    difficulties: tuple[FilterChoice, ...]
    tags: tuple[FilterChoice, ...]
    tracks: tuple[FilterChoice, ...]
    languages: tuple[FilterChoice, ...]
    marks: tuple[FilterChoice, ...]
    orders: tuple[FilterChoice, ...]


@dataclass(frozen=True, slots=True)
class Narrowing:
    """An active filter. `address` is the list without it."""

    name: str
    value: str
    url: str


@dataclass(frozen=True, slots=True)
class ProblemListPage:
    """One page of a filtered list. `ignored` names the invalid filters."""

    problems: Page[Problem]
    counts: Counts
    narrowings: tuple[Narrowing, ...]
    ignored: tuple[str, ...]
    url: str
    before: str
    after: str

    @property
    def found(self) -> int:
        """Return how many problems there are on all pages of the list."""
        return self.problems.paginator.count


@dataclass(frozen=True, slots=True)
class Following:
    """The problem or quiz to continue with. `attempted` says whether the viewer has a verdict on it."""

    title: str
    summary: str
    url: str
    attempted: bool


@dataclass(frozen=True, slots=True)
class HomePage:
    """The contents of a viewer's home page."""

    following: Following | None
    paths: tuple[VisibleTrack, ...]
    problems: tuple[Problem, ...]
    counts: Counts
    records: tuple[Record, ...]
    practised: PracticeDays


def list_page(viewer: Viewer, asked: ProblemFilterForm, number: str) -> ProblemListPage:
    """Return page `number` of the list for `viewer`, or the nearest page. Takes three queries."""
    chosen = asked.chosen()
    found = queries.list_problems(viewer, **asdict(asked.wanted()))
    page = Paginator(found, PER_PAGE).get_page(number if number.strip("0").isdecimal() else 1)
    return ProblemListPage(
        problems=page,
        counts=queries.count_problems(viewer),
        narrowings=_narrowings(chosen),
        ignored=tuple(_NAMES[name].lower() for name in asked.ignored()),
        url=_url(chosen, page.number),
        before=_url(chosen, page.number - 1) if page.has_previous() else "",
        after=_url(chosen, page.number + 1) if page.has_next() else "",
    )


def filters(viewer: Viewer, chosen: Mapping[str, str]) -> Filters:
    """Return the filters with their values, for `viewer`. Takes two queries."""
    tags = queries.count_tags(viewer)
    return Filters(
        difficulties=_choices(_LEVELS, chosen.get("difficulty")),
        tags=_choices({tag: tag for tag in tags}, chosen.get("tag"), counts=tags),
        tracks=_choices(track_titles(viewer), chosen.get("track")),
        languages=_choices(LANGUAGES, chosen.get("language")),
        marks=_choices(_MARKS, chosen.get("status", "")),
        orders=_choices(ORDERS, chosen.get("sort", next(iter(ORDERS)))),
    )


def home_page(viewer: Viewer) -> HomePage:
    """Return the problem to begin or continue with. Takes seven queries, five if no user is signed in."""
    paths = list_paths(viewer)
    return HomePage(
        following=_following(viewer, paths),
        paths=paths,
        problems=tuple(queries.list_problems(viewer)[:FIRST_FEW]),
        counts=queries.count_problems(viewer),
        records=tuple(recent_records(SOME_RECORDS)),
        practised=practice_days(viewer, timezone.now()),
    )


def _following(viewer: Viewer, paths: Sequence[VisibleTrack]) -> Following | None:
    """Return the unsolved problem that was begun last, else the next stop of the latest track, else any."""
    problem = next_problem(viewer)
    if problem is None:
        return None
    attempted = bool(problem.attempted)  # type: ignore[attr-defined]  # an annotation of `list_problems`
    begun = [(stop.latest, path) for path in paths for stop in path.stops if stop.latest]
    stop = None if attempted or not begun else max(begun, key=lambda one: one[0])[1].following
    if stop is not None:
        return Following(stop.title, stop.summary, stop.url, stop.attempted)
    return Following(problem.title, problem.summary, reverse("problem", args=[problem.slug]), attempted)


def destinations(viewer: Viewer, words: str) -> list[dict[str, str]]:
    """Return the first problems that match `words`, in the order of the list. Takes one query."""
    return [
        {
            "title": problem.title,
            "url": reverse("problem", args=[problem.slug]),
            "difficulty": problem.difficulty,
            "state": _state(problem),
        }
        for problem in queries.list_problems(viewer, search=words)[:DESTINATIONS]
    ]


def lessons(words: str) -> list[dict[str, str]]:
    """Return the first concepts and findings whose title or summary has all `words`; none without words."""
    wanted = words.casefold().split()
    known = [("concept", entry.title, entry.summary, entry.url) for entry in CONCEPTS.values()]
    known += [("finding", entry.title, entry.why, entry.url) for entry in FINDINGS.values()]
    found = [
        {"title": title, "url": url, "kind": kind}
        for kind, title, about, url in known
        if wanted and all(word in f"{title} {about}".casefold() for word in wanted)
    ]
    return found[:DESTINATIONS]


def _state(problem: Problem) -> str:
    """Return the viewer's mark of a problem that has its marks, empty for a new one."""
    return next((mark for mark in ("solved", "attempted") if getattr(problem, mark, False)), "")


def _choices(
    labels: Mapping[str, str], chosen: str | None, *, counts: Mapping[str, int] | None = None
) -> tuple[FilterChoice, ...]:
    known = [
        FilterChoice(str(value), label, value == chosen, counts[value] if counts else None)
        for value, label in labels.items()
    ]
    # An address may contain unknown values. The form must include them too, or it would lose them when it is
    # sent.
    unknown = [FilterChoice(chosen, chosen, chosen=True)] if chosen and chosen not in labels else []
    return (*known, *unknown)


def _narrowings(chosen: Mapping[str, str]) -> tuple[Narrowing, ...]:
    labels: dict[str, Mapping[str, str]] = {"difficulty": _LEVELS, "language": LANGUAGES, "status": _MARKS}
    return tuple(
        Narrowing(
            _NAMES[name],
            labels.get(name, {}).get(value, value),
            _url({other: kept for other, kept in chosen.items() if other != name}),
        )
        for name, value in chosen.items()
        if name != "sort"
    )


def _url(chosen: Mapping[str, str], page: int = 1) -> str:
    query = {**chosen, **({"page": str(page)} if page > 1 else {})}
    return reverse("problems") + (f"?{urlencode(query)}" if query else "")
