"""Loads tracks: files in the folder `tracks`, next to the packages, that order problems."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from problems.faults import Faults, PackageInvalid
from problems.package import read_text
from problems.parse import parse_toml
from problems.table import TomlTable

FOLDER = "tracks"
MAX_PROBLEMS = 400
_SLUG = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
_RESERVED = "hundred-days"  # made of the problems' track days
_USUAL_ORDER = 100


@dataclass(frozen=True, slots=True)
class TrackFile:
    """An ordered path of problems, by their slugs. Tracks with a lower `order` come first."""

    slug: str
    title: str
    summary: str
    problems: tuple[str, ...]
    description: str = ""
    order: int = _USUAL_ORDER


def load_track(path: Path, known: Collection[str]) -> TrackFile:
    """Load and validate the file at `path`, whose name without `.toml` is the slug.

    `known` are the slugs of the problems that there are.

    Raises:
        PackageInvalid: with every fault of the file.
    """
    faults = Faults(FOLDER, table_file=path.name)
    if not re.fullmatch(_SLUG, path.stem) or len(path.stem) > 60:
        faults.add(path.name, "", "its name is the slug: lower-case words joined by hyphens; rename it")
    if path.stem == _RESERVED:
        faults.add(
            path.name,
            "",
            "this name is reserved for the track that is built from the problems' track_day; rename the file",
        )
    text = read_text(path, path.name, faults)
    faults.raise_any()
    values = parse_toml(text, faults)
    faults.raise_any()
    top = TomlTable(values, "", faults)
    track = TrackFile(
        slug=path.stem,
        title=top.text("title", most=80, example='"First kernels"'),
        summary=top.text("summary", most=200, example='"One sentence."'),
        problems=top.texts("problems"),
        description=top.text("description", most=10_000) if top.has("description") else "",
        order=top.integer("order", least=1, most=1000, default=_USUAL_ORDER),
    )
    top.close()
    _check_problems(track.problems, known, top)
    faults.raise_any()
    return track


def load_tracks(root: Path) -> tuple[tuple[TrackFile, ...], tuple[str, ...]]:
    """Every sound track below `root`, in the order of their slugs, and the faults of the broken ones.

    A package that is broken is known all the same: its fault is its own.
    """
    known = {description.parent.name for description in root.glob("*/problem.toml")}
    tracks: list[TrackFile] = []
    faults: list[str] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        try:
            tracks.append(load_track(path, known))
        except PackageInvalid as error:
            faults.extend(error.faults)
    return tuple(tracks), tuple(faults)


def _check_problems(slugs: tuple[str, ...], known: Collection[str], top: TomlTable) -> None:
    if len(slugs) > MAX_PROBLEMS:
        top.fault("problems", f"has {len(slugs)} problems; at most {MAX_PROBLEMS} are allowed")
    for index, slug in enumerate(slugs):
        if slug not in known:
            top.fault(f"problems[{index}]", f"{slug[:60]!r} is not a problem; write the name of its folder")
        elif slug in slugs[:index]:
            top.fault(f"problems[{index}]", f"{slug!r} is listed twice; keep one")
