"""Tests reading backups and other files: errors name the fault of each."""

import json
import os
import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.web.upkeep.made_up import made_up, manifest_of
from web.upkeep import kept
from web.upkeep.archive import reading, writing
from web.upkeep.manifest import MANIFEST, ArchiveWrong, Manifest, ToolFailed, WouldOverwrite
from web.upkeep.restore import check


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return made_up(tmp_path / "site.zip")


def rewritten(path: Path, **members: bytes | None) -> Path:
    """The same ZIP file with members replaced, added, or left out where they are None."""
    with zipfile.ZipFile(path) as package:
        there: dict[str, bytes | None] = {name: package.read(name) for name in package.namelist()}
    there |= {name.replace("__", "/"): content for name, content in members.items()}
    with zipfile.ZipFile(path, "w") as package:
        for name, content in there.items():
            if content is not None:
                package.writestr(name, content)
    return path


def test_what_is_written_is_read(backup: Path) -> None:
    with reading(backup) as reader:
        reader.verify()
        assert reader.content("database.sqlite3") == b"rows"
        assert reader.manifest.rows == {"accounts_user": 3, "submissions_submission": 7}
        assert Manifest.from_json(reader.manifest.to_json().encode()) == reader.manifest


def test_only_its_owner_reads_it(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def failing() -> Iterator[bytes]:
    yield b"rows"
    raise ValueError("half-way")


def test_nothing_is_left_of_a_backup_that_failed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="half-way"), writing(tmp_path / "site.zip") as writer:
        writer.add("database.sqlite3", failing())
    assert not list(tmp_path.iterdir())


def test_a_backup_that_fails_leaves_the_one_before(backup: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(ToolFailed, match="No space left"), writing(backup):
        raise OSError(28, "No space left on device")
    assert backup.read_bytes() == before


def test_two_do_not_write_one_file(tmp_path: Path) -> None:
    with writing(tmp_path / "site.zip") as writer:
        with pytest.raises(WouldOverwrite, match="another backup is running"), writing(tmp_path / "site.zip"):
            pass
        writer.close(manifest_of(writer))
    assert check(tmp_path / "site.zip")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a Warpcourt backup, or is truncated"),
        (b"PGDMP\x01\x0e", "not a Warpcourt backup, or is truncated"),
        (b"SQLite format 3\0" * 999, "not a Warpcourt backup, or is truncated"),
    ],
)
def test_any_other_file_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ArchiveWrong, match=said):
        check(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArchiveWrong, match=r"gone\.zip: No such file"):
        check(tmp_path / "gone.zip")


def test_wherever_it_is_cut_off_it_is_refused(backup: Path) -> None:
    whole = backup.read_bytes()
    for length in range(0, len(whole), 7):
        backup.write_bytes(whole[:length])
        with pytest.raises(ArchiveWrong):
            check(backup)


def test_whichever_bit_is_turned_it_is_refused_or_as_it_was(backup: Path) -> None:
    """Some bits say nothing, such as those of dates. No others may pass."""
    whole, good = backup.read_bytes(), check(backup)
    with reading(backup) as reader:
        contents = {name: reader.content(name) for name in good.names()}
    for place in range(0, len(whole), 3):
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            found = check(backup)
        except ArchiveWrong:
            continue
        assert found == good
        with reading(backup) as reader:
            assert {name: reader.content(name) for name in found.names()} == contents


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({MANIFEST: None}, r"not a Warpcourt backup: it has no manifest\.json"),
        ({MANIFEST: b"{}"}, r"manifest\.json is not readable"),
        ({MANIFEST: b"[1]"}, r"manifest\.json is not readable"),
        ({MANIFEST: b'{"format": 2}'}, "format 2, but this version reads only 1"),
        ({"database.sqlite3": None}, r"database\.sqlite3 is missing"),
        ({"database.sqlite3": b"more"}, r"database\.sqlite3 is damaged"),
        ({"secret-key": b"shorter"}, "secret-key is damaged"),
        ({"evil": b"x"}, "evil is unexpected"),
    ],
)
def test_what_somebody_changed_is_named(backup: Path, members: dict[str, bytes | None], said: str) -> None:
    with pytest.raises(ArchiveWrong, match=said):
        check(rewritten(backup, **members))


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../up", "problems/../../up", "problems//x", "", "a\\b", ".", "problems/x/"]
)
def test_no_member_leaves_its_folder(backup: Path, name: str) -> None:
    said = json.loads(check(backup).to_json())
    said["members"][0]["name"] = name
    with pytest.raises(ArchiveWrong, match="does not belong in a backup"):
        check(rewritten(backup, **{MANIFEST: json.dumps(said).encode()}))


def test_the_latest_are_kept(tmp_path: Path) -> None:
    names = [kept.name_of(datetime(2026, 1, day, tzinfo=UTC)) for day in (1, 2, 3, 4)]
    for name in [*names, "by-hand.zip", f"{names[0]}.part", f"{names[3]}.part"]:
        (tmp_path / name).touch()
    os.utime(tmp_path / f"{names[0]}.part", (0, 0))
    gone = kept.rotate(tmp_path, keep=2)
    assert {path.name for path in gone} == {names[0], names[1], f"{names[0]}.part"}
    assert {path.name for path in tmp_path.iterdir()} == {
        names[2],
        names[3],
        "by-hand.zip",
        f"{names[3]}.part",
    }
