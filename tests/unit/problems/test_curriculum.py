"""Tests the curriculum: what is accepted, and that it agrees with the shipped packages and tracks."""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from problems.curriculum import Curriculum, PlannedProblem, Section, load_curriculum
from problems.faults import PackageInvalid
from problems.loader import problems_root
from problems.track import load_tracks

CURRICULUM = """\
sections = [{ first_day = 1, title = "Threads" }, { first_day = 3, title = "Memory" }]
days = [
  { day = 1, slug = "vector-add", topic = "First launch", title = "Vectors", summary = "Add them." },
  { day = 3, slug = "reverse", topic = "Shared memory", title = "Reverse", summary = "Turn it round." },
]
others = [{ slug = "scan", title = "Scan", summary = "Running totals." }]
"""
SHIPPED = load_curriculum(problems_root() / "tracks")
SCHEMA = Draft202012Validator(json.loads((problems_root() / "curriculum.schema.json").read_text()))


def load(folder: Path, text: str = CURRICULUM) -> Curriculum:
    (folder / "curriculum.toml").write_text(text)
    return load_curriculum(folder)


def test_days_sections_and_others_are_read(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert found.sections == (Section(1, "Threads"), Section(3, "Memory"))
    assert found.days[1] == PlannedProblem("reverse", "Reverse", "Turn it round.", 3, "Shared memory")
    assert found.problems[-1] == PlannedProblem("scan", "Scan", "Running totals.")
    assert [found.section_of(day) for day in (1, 2, 3, 9)] == ["Threads", "Threads", "Memory", "Memory"]


def test_without_a_file_the_curriculum_is_empty(tmp_path: Path) -> None:
    assert load_curriculum(tmp_path) == Curriculum()
    assert Curriculum().section_of(1) == ""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{ day = 3,", "{ day = 1,", "days[1]: day 1 does not come after day 1"),
        ("first_day = 3", "first_day = 0", "sections[1].first_day: must be from 1 to 1000, is 0"),
        ('slug = "scan"', 'slug = "reverse"', "'reverse' is listed twice; keep one"),
        ('slug = "scan"', 'slug = "Scan"', "others[0].slug: 'Scan' is not of the form"),
        ('slug = "scan"', 'slug = "scan", day = 4', "others[0].day: unknown key"),
        ('topic = "First launch", ', "", "days[0].topic: missing"),
        ("others = [", "rest = [", "rest: unknown key; known keys here are sections, days, others"),
        ("others = [{", "others = [3, {", "others[0]: must be a table, not a whole number"),
        ("others", "others =", "is not TOML"),
    ],
)
def test_a_fault_names_file_and_key(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(PackageInvalid) as raised:
        load(tmp_path, CURRICULUM.replace(old, new))
    assert fault in raised.value.faults[0]
    assert "curriculum.toml" in raised.value.faults[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first_day = 3", "first_day = 0"),
        ('slug = "scan"', 'slug = "Scan"'),
        ('slug = "scan"', 'slug = "scan", day = 4'),
        ('topic = "First launch", ', ""),
        ("others = [", "rest = ["),
        ("others = [{", "others = [3, {"),
        ('title = "Scan"', f'title = "{"x" * 81}"'),
    ],
)
def test_the_schema_agrees(tmp_path: Path, old: str, new: str) -> None:
    assert SCHEMA.is_valid(tomllib.loads(CURRICULUM))
    changed = CURRICULUM.replace(old, new)
    assert not SCHEMA.is_valid(tomllib.loads(changed))
    with pytest.raises(PackageInvalid):
        load(tmp_path, changed)


def test_the_curriculum_that_ships_has_the_schema() -> None:
    assert SCHEMA.is_valid(tomllib.loads((problems_root() / "tracks" / "curriculum.toml").read_text()))


def test_a_broken_curriculum_is_reported_with_the_tracks(tmp_path: Path) -> None:
    (tmp_path / "tracks").mkdir()
    (tmp_path / "tracks" / "curriculum.toml").write_text("days = 3")
    found = load_tracks(tmp_path)
    assert found.curriculum == Curriculum()
    assert found.faults == ("problems/tracks/curriculum.toml: days: must be an array, not a whole number",)


def test_the_curriculum_that_ships_has_a_hundred_days() -> None:
    assert [problem.day for problem in SHIPPED.days] == list(range(1, 101))
    assert all(SHIPPED.section_of(problem.day or 0) for problem in SHIPPED.days)


def test_every_package_that_ships_has_its_day_of_the_curriculum() -> None:
    planned = {problem.slug: problem.day for problem in SHIPPED.problems}
    packages = {path.parent.name: path for path in problems_root().glob("*/problem.toml")}
    written = {slug: tomllib.loads(path.read_text()).get("track_day") for slug, path in packages.items()}
    assert written == {slug: planned.get(slug) for slug in written}


def test_every_problem_that_ships_is_on_a_track() -> None:
    found = load_tracks(problems_root())
    on_tracks = {slug for track in found.files for slug in track.problems}
    on_tracks |= {problem.slug for problem in SHIPPED.days}
    assert {path.parent.name for path in problems_root().glob("*/problem.toml")} <= on_tracks
