"""The contents of a profile."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from web.accounts.models import Audience, User
from web.accounts.visibility import Viewer, may_see_activity, reads_all
from web.charts.heat_map import heat_map
from web.leaderboards.queries import Record, records_of
from web.profiles import queries
from web.profiles.queries import Cell

SHOWN_RECORDS = 10


@dataclass(frozen=True, slots=True)
class SolvedTrack:
    """A track with the number of its problems that the user solved."""

    title: str
    cells: list[Cell]

    @property
    def solved(self) -> int:
        """Return the number of its problems that the user solved."""
        return sum(cell.solved is not None for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """A user as others see them. `activity` is None if it is hidden.

    `submissions` says whether the viewer may list the user's submissions.
    """

    person: User
    own: bool
    submissions: bool
    paths: tuple[SolvedTrack, ...]
    records: tuple[Record, ...]
    languages: tuple[str, ...]
    activity: SafeString | None
    hidden: str

    @property
    def solved(self) -> int:
        """Return the number of solved problems."""
        return sum(path.solved for path in self.paths)

    @property
    def problems(self) -> int:
        """Return the number of problems."""
        return sum(len(path.cells) for path in self.paths)


def profile_page(viewer: Viewer, person: User) -> ProfilePage:
    """Return the profile of `person` for `viewer`, who may see it. Four queries."""
    year = queries.activity(person)
    shown = may_see_activity(viewer, person)
    return ProfilePage(
        person=person,
        own=viewer == person,
        submissions=reads_all(viewer) and viewer != person,
        paths=tuple(SolvedTrack(title, cells) for title, cells in queries.solved_grid(person)),
        records=tuple(records_of(person, viewer, limit=SHOWN_RECORDS)),
        languages=year.languages,
        activity=heat_map(year.days, last=year.last, what=("submission", "submissions")) if shown else None,
        hidden=_hidden(person) if viewer == person else "",
    )


def _hidden(person: User) -> str:
    """Return the parts that others cannot see. Only for the user."""
    audience = {
        Audience.EVERYBODY: "",
        Audience.SIGNED_IN: "Only signed-in users can see this page.",
        Audience.NOBODY: "Only you can see this page.",
    }[Audience(person.profile_audience)]
    activity = "" if person.shows_activity else "Only you can see your activity."
    rankings = "" if person.in_rankings else "You are hidden from rankings."
    return " ".join(part for part in (audience, activity, rankings) if part)
