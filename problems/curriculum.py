"""Loads the curriculum: the days of the track "A hundred days", and other problems that are still to come."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from problems.faults import Faults, PackageInvalid
from problems.package import read_text
from problems.parse import parse_toml
from problems.table import TomlTable

FILE = "curriculum.toml"
SLUG = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
_MOST_DAYS = 1000
_MOST_ENTRIES = 400


@dataclass(frozen=True, slots=True)
class PlannedProblem:
    """A problem that may have no package yet. `day` is None and `topic` empty if it is on no day."""

    slug: str
    title: str
    summary: str
    day: int | None = None
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The title of the days from `first_day` until the next section."""

    first_day: int
    title: str


@dataclass(frozen=True, slots=True)
class Curriculum:
    """The planned problems, those with a day first, and the sections of the days, both in order."""

    problems: tuple[PlannedProblem, ...] = ()
    sections: tuple[Section, ...] = ()

    @property
    def days(self) -> tuple[PlannedProblem, ...]:
        """Return the problems with a day."""
        return tuple(problem for problem in self.problems if problem.day is not None)

    def section_of(self, day: int) -> str:
        """Return the title of the section with `day`; empty if no section has begun."""
        begun = [section.title for section in self.sections if section.first_day <= day]
        return begun[-1] if begun else ""


def load_curriculum(folder: Path) -> Curriculum:
    """Load and validate the curriculum in `folder`. Return an empty one if there is no file.

    Raises:
        PackageInvalid: the file has faults. The message lists all of them.
    """
    path = folder / FILE
    if not path.exists():
        return Curriculum()
    faults = Faults(folder.name, table_file=FILE)
    text = read_text(path, FILE, faults)
    faults.raise_any()
    values = parse_toml(text, faults)
    faults.raise_any()
    top = TomlTable(values, "", faults)
    sections = tuple(_section(table) for table in top.tables("sections")) if top.has("sections") else ()
    days = tuple(_planned(table, day=True) for table in top.tables("days")) if top.has("days") else ()
    others = tuple(_planned(table, day=False) for table in top.tables("others")) if top.has("others") else ()
    top.close()
    _check_order("sections", [section.first_day for section in sections], top)
    _check_order("days", [problem.day or 0 for problem in days], top)
    _check_slugs([*days, *others], top)
    faults.raise_any()
    return Curriculum((*days, *others), sections)


def try_curriculum(folder: Path) -> tuple[Curriculum, tuple[str, ...]]:
    """Return the curriculum in `folder`, or an empty one and its faults."""
    try:
        return load_curriculum(folder), ()
    except PackageInvalid as error:
        return Curriculum(), error.faults


def _section(table: TomlTable) -> Section:
    first_day = table.integer("first_day", least=1, most=_MOST_DAYS)
    section = Section(first_day, table.text("title", most=80, example='"Threads and blocks"'))
    table.close()
    return section


def _planned(table: TomlTable, *, day: bool) -> PlannedProblem:
    problem = PlannedProblem(
        slug=table.text("slug", most=60, pattern=SLUG, example='"vector-add"'),
        title=table.text("title", most=80, example='"Vector addition"'),
        summary=table.text("summary", most=200, example='"One sentence."'),
        day=table.integer("day", least=1, most=_MOST_DAYS) if day else None,
        topic=table.text("topic", most=80, example='"Streams"') if day else "",
    )
    table.close()
    return problem


def _check_order(key: str, days: list[int], top: TomlTable) -> None:
    for index, (day, later) in enumerate(pairwise(days), start=1):
        if later <= day:
            top.fault(f"{key}[{index}]", f"day {later} does not come after day {day}; sort by days")


def _check_slugs(problems: list[PlannedProblem], top: TomlTable) -> None:
    if len(problems) > _MOST_ENTRIES:
        top.fault("", f"has {len(problems)} problems; at most {_MOST_ENTRIES} are allowed")
    seen: set[str] = set()
    for problem in problems:
        if problem.slug in seen:
            top.fault("", f"{problem.slug!r} is listed twice; keep one")
        seen.add(problem.slug)
