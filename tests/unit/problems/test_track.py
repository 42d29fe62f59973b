"""Loading tracks: what is accepted, and what an author is told of a broken one."""

import json
from pathlib import Path
from typing import Any

import pytest

from problems.faults import PackageInvalid
from problems.loader import problems_root
from problems.track import TrackFile, load_track, load_tracks

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
        ('"relu"]', '"rleu"]', "problems[1]: 'rleu' is not a problem; write the name of its folder"),
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
        ("hundred-days.toml", "this name is reserved for the track"),
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
    tracks, faults = load_tracks(tmp_path)
    assert [track.slug for track in tracks] == ["first", "second"]
    assert all(fault.startswith("problems/tracks/third.toml: ") for fault in faults)
    assert faults


def test_no_folder_is_no_tracks(tmp_path: Path) -> None:
    assert load_tracks(tmp_path) == ((), ())


def test_the_tracks_that_ship_are_sound() -> None:
    tracks, faults = load_tracks(problems_root())
    assert faults == ()
    assert len(tracks) >= 2


def test_the_schema_knows_the_keys_that_are_read(tmp_path: Path) -> None:
    [fault] = faults_of(write(tmp_path, f"{TRACK}other = 1\n"))
    read = set(fault.split("are ")[1].split(", "))
    assert set(SCHEMA["properties"]) == read
    assert set(SCHEMA["required"]) == {"title", "summary", "problems"}
