"""Tests loading tracks: what is accepted, and the errors for a broken one."""

import json
from pathlib import Path
from typing import Any

import pytest

from problems.curriculum import Curriculum, PlannedProblem
from problems.faults import PackageInvalid
from problems.loader import problems_root
from problems.track import TrackFile, Tracks, load_track, load_tracks

SCHEMA: dict[str, Any] = json.loads((problems_root() / "track.schema.json").read_text())
KNOWN = ("relu", "sort", "vector-add")
TRACK = """\
title = "First kernels"
summary = "Where to begin."
order = 7
problems = ["vector-add", "relu"]
description = "Learn *indices*."
"""


def write(folder: Path, text: str = TRACK, name: str = "first-kernels.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def faults_of(path: Path) -> tuple[str, ...]:
    with pytest.raises(PackageInvalid) as raised:
        load_track(path, KNOWN)
    return raised.value.faults


def test_a_valid_file_becomes_a_track(tmp_path: Path) -> None:
    assert load_track(write(tmp_path), KNOWN) == TrackFile(
        slug="first-kernels",
        title="First kernels",
        summary="Where to begin.",
        problems=("vector-add", "relu"),
        description="Learn *indices*.",
        order=7,
    )


def test_description_and_order_may_be_left_out(tmp_path: Path) -> None:
    text = 'title = "A"\nsummary = "B."\nproblems = ["sort"]\n'
    assert load_track(write(tmp_path, text), KNOWN) == TrackFile("first-kernels", "A", "B.", ("sort",))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"relu"]', '"rleu"]', "problems[1]: 'rleu' is not a problem; write the name of its folder, or"),
        ('"relu"]', '"vector-add"]', "problems[1]: 'vector-add' is listed twice; keep one"),
        ('["vector-add", "relu"]', "[]", "problems: must not be empty"),
        ('["vector-add", "relu"]', '["relu", 3]', "problems[1]: must be text in quotes, not a whole number"),
        ('title = "First kernels"\n', "", 'title: missing; write title = "First kernels"'),
        ('"Where to begin."', f'"{"x" * 201}"', "summary: must have 1 to 200 characters, has 201"),
        ("order = 7", "order = 0", "order: must be from 1 to 1000, is 0"),
        ("order = 7", "ordre = 7", "ordre: unknown key; known keys here are title, summary, problems"),
        ("order = 7", "order = ", "is not TOML"),
    ],
)
def test_a_fault_names_file_and_key(tmp_path: Path, old: str, new: str, fault: str) -> None:
    [found] = faults_of(write(tmp_path, TRACK.replace(old, new)))
    assert found.startswith(f"problems/tracks/first-kernels.toml: {fault}")


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = TRACK.replace("order = 7", "order = 0").replace('"relu"]', '"rleu", "x"]')
    assert len(faults_of(write(tmp_path, text))) == 3


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("First.toml", "its name is the slug"),
        ("a--b.toml", "its name is the slug"),
        ("hundred-days.toml", "the days of the problems decide what is on this track"),
    ],
)
def test_the_name_is_the_slug(tmp_path: Path, name: str, fault: str) -> None:
    assert fault in faults_of(write(tmp_path, name=name))[0]


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(TRACK)
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "real.toml")
    assert "must be a regular file, not a link" in faults_of(link)[0]


def test_tracks_are_found_beside_the_packages(tmp_path: Path) -> None:
    (tmp_path / "tracks").mkdir()
    for slug in KNOWN:
        (tmp_path / slug).mkdir()
        (tmp_path / slug / "problem.toml").write_text("broken, and there")
    write(tmp_path / "tracks", name="second.toml")
    write(tmp_path / "tracks", name="first.toml")
    write(tmp_path / "tracks", "title = 3", name="third.toml")
    found = load_tracks(tmp_path)
    assert [track.slug for track in found.files] == ["first", "second"]
    assert all(fault.startswith("problems/tracks/third.toml: ") for fault in found.faults)
    assert found.faults


def test_no_folder_is_no_tracks(tmp_path: Path) -> None:
    assert load_tracks(tmp_path) == Tracks((), Curriculum(), ())


def test_the_tracks_that_ship_are_sound() -> None:
    found = load_tracks(problems_root())
    assert found.faults == ()
    assert all(track.hours and track.prerequisites and track.outcomes for track in found.files)


def test_goals_are_read(tmp_path: Path) -> None:
    text = f'{TRACK}hours = 6\nprerequisites = ["C++"]\noutcomes = ["Write a kernel", "Guard it"]\n'
    track = load_track(write(tmp_path, text), KNOWN)
    assert (track.hours, track.prerequisites, track.outcomes) == (6, ("C++",), ("Write a kernel", "Guard it"))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("hours = 0", "hours: must be from 1 to 2000"),
        ('outcomes = "Write"', "outcomes: must be an array"),
        ("outcomes = []", "outcomes: must not be empty"),
        ('outcomes = [" "]', "outcomes[0]: must be one line of 1 to 160 characters"),
        ('prerequisites = ["a\\nb"]', "prerequisites[0]: must be one line"),
        (f"outcomes = {['x'] * 13}", "outcomes: has 13 texts; at most 12"),
    ],
)
def test_faults_of_goals_are_named(tmp_path: Path, line: str, fault: str) -> None:
    [found] = faults_of(write(tmp_path, f"{TRACK}{line}\n"))
    assert fault in found


def test_a_track_names_problems_that_are_still_to_come(tmp_path: Path) -> None:
    folder = tmp_path / "tracks"
    folder.mkdir()
    planned = '{ slug = "relu", title = "ReLU", summary = "Later." }'
    (folder / "curriculum.toml").write_text(f"others = [{planned}]\n")
    (tmp_path / "vector-add").mkdir()
    (tmp_path / "vector-add" / "problem.toml").touch()
    write(folder)
    found = load_tracks(tmp_path)
    assert found.faults == ()
    assert found.files[0].problems == ("vector-add", "relu")
    assert found.curriculum.problems == (PlannedProblem("relu", "ReLU", "Later."),)


def test_the_schema_knows_the_keys_that_are_read(tmp_path: Path) -> None:
    [fault] = faults_of(write(tmp_path, f"{TRACK}other = 1\n"))
    read = set(fault.split("are ")[1].split(", "))
    assert set(SCHEMA["properties"]) == read
    assert set(SCHEMA["required"]) == {"title", "summary"}
