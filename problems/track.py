"""Loads tracks: files in the folder `tracks`, next to the packages, that order problems."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from problems.curriculum import FILE as CURRICULUM
from problems.curriculum import SLUG, Curriculum, try_curriculum
from problems.faults import Faults, PackageInvalid
from problems.package import read_text
from problems.parse import parse_toml
from problems.table import TomlTable

FOLDER = "tracks"
MAX_PROBLEMS = 400
DAYS = "hundred-days"  # its problems are those with a day
_USUAL_ORDER = 100
_MOST_HOURS = 2000
_MOST_LINES = 12
_LINE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class TrackFile:
    """An ordered path of problems, by their slugs. Tracks with a lower `order` come first.

    `hours` is the estimated time for all problems, 0 if there is no estimate. `prerequisites` say what a
    learner should know first, and `outcomes` what the learner can do afterwards.
    """

    slug: str
    title: str
    summary: str
    problems: tuple[str, ...]
    description: str = ""
    order: int = _USUAL_ORDER
    hours: int = 0
    prerequisites: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tracks:
    """The sound tracks in the order of their slugs, the curriculum, and the faults of broken files."""

    files: tuple[TrackFile, ...]
    curriculum: Curriculum
    faults: tuple[str, ...]


def load_track(path: Path, known: Collection[str]) -> TrackFile:
    """Load and validate the file at `path`, whose name without `.toml` is the slug.

    `known` are the slugs of the problems that have a package or are in the curriculum.

    Raises:
        PackageInvalid: with every fault of the file.
    """
    faults = Faults(FOLDER, table_file=path.name)
    if not re.fullmatch(SLUG, path.stem) or len(path.stem) > 60:
        faults.add(path.name, "", "its name is the slug: lower-case words joined by hyphens; rename it")
    text = read_text(path, path.name, faults)
    faults.raise_any()
    values = parse_toml(text, faults)
    faults.raise_any()
    top = TomlTable(values, "", faults)
    track = TrackFile(
        slug=path.stem,
        title=top.text("title", most=80, example='"First kernels"'),
        summary=top.text("summary", most=200, example='"One sentence."'),
        problems=_slugs(path.stem, top),
        description=top.text("description", most=10_000) if top.has("description") else "",
        order=top.integer("order", least=1, most=1000, default=_USUAL_ORDER),
        hours=top.integer("hours", least=1, most=_MOST_HOURS, default=0),
        prerequisites=_lines("prerequisites", top),
        outcomes=_lines("outcomes", top),
    )
    top.close()
    _check_problems(track.problems, known, top)
    faults.raise_any()
    return track


def load_tracks(root: Path) -> Tracks:
    """Return the tracks and the curriculum below `root`.

    A broken package counts as known, because its faults are reported separately.
    """
    curriculum, faults = try_curriculum(root / FOLDER)
    known = {description.parent.name for description in root.glob("*/problem.toml")}
    known |= {problem.slug for problem in curriculum.problems}
    tracks: list[TrackFile] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        if path.name == CURRICULUM:
            continue
        try:
            tracks.append(load_track(path, known))
        except PackageInvalid as error:
            faults = (*faults, *error.faults)
    return Tracks(tuple(tracks), curriculum, faults)


def _slugs(track: str, top: TomlTable) -> tuple[str, ...]:
    if track != DAYS:
        return top.texts("problems")
    if top.has("problems"):
        top.fault("problems", "the days of the problems decide what is on this track; remove the key")
    return ()


def _lines(key: str, top: TomlTable) -> tuple[str, ...]:
    """Return an optional array of short texts."""
    lines = top.texts(key) if top.has(key) else ()
    if len(lines) > _MOST_LINES:
        top.fault(key, f"has {len(lines)} texts; at most {_MOST_LINES} are allowed")
    for index, line in enumerate(lines):
        if not 1 <= len(line.strip()) <= len(line) <= _LINE_CHARACTERS or len(line.splitlines()) > 1:
            top.fault(f"{key}[{index}]", f"must be one line of 1 to {_LINE_CHARACTERS} characters")
    return lines


def _check_problems(slugs: tuple[str, ...], known: Collection[str], top: TomlTable) -> None:
    if len(slugs) > MAX_PROBLEMS:
        top.fault("problems", f"has {len(slugs)} problems; at most {MAX_PROBLEMS} are allowed")
    for index, slug in enumerate(slugs):
        if slug not in known:
            top.fault(
                f"problems[{index}]",
                f"{slug[:60]!r} is not a problem; write the name of its folder, or add it to {CURRICULUM}",
            )
        elif slug in slugs[:index]:
            top.fault(f"problems[{index}]", f"{slug!r} is listed twice; keep one")
