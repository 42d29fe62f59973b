"""Tests archive entries with two names or with names that leave the folder, on every Python.

Needs only pytest and the standard library, so that every Python can run it.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from problems.archive import ArchiveInvalid, check_entry, unpack
from problems.contents import Contents, write_folder
from problems.importing.upload import SetInvalid, check_set, unpacked_set
from problems.placing import NameRefused, placing
from tests.open_files import open_below

DESCRIPTION = "scale/problem.toml"
ELSEWHERE = ("../up.py", "/tmp/warpcourt-elsewhere.py", "scale/../../up.py", "a\\b.py", "C:up.py")


def unicode_path(name: str, shown: str, *, crc: int | None = None, version: int = 1) -> bytes:
    """The extra field by which an entry called `name` is called `shown` as well."""
    crc = zlib.crc32(name.encode()) if crc is None else crc
    field = struct.pack("<BL", version, crc) + shown.encode()
    return struct.pack("<HH", 0x7075, len(field)) + field


def archive(entries: dict[str, bytes]) -> bytes:
    """An archive of entries with these names and extra fields. Each has its own name as its content."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, extra in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.extra = extra
            packed.writestr(entry, name)
    return stream.getvalue()


@pytest.fixture(params=["as this Python reads them", "as Python 3.12 reads them"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets `zipfile` take names from the extra field 0x7075, as it does since Python 3.12."""
    if request.param.startswith("as this"):
        return
    decode = zipfile.ZipInfo._decodeExtra  # type: ignore[attr-defined]  # private

    def decode_and_rename(entry: zipfile.ZipInfo, *crc: int) -> None:
        decode(entry, *crc)
        extra = entry.extra
        while len(extra) >= 4:
            kind, length = struct.unpack("<HH", extra[:4])
            if kind == 0x7075:
                version, said = struct.unpack("<BL", extra[4:9])
                if (
                    version == 1
                    and said == zlib.crc32(entry.orig_filename.encode())
                    and extra[9 : 4 + length]
                ):
                    entry.filename = extra[9 : 4 + length].decode().partition("\0")[0]
            extra = extra[4 + length :]

    monkeypatch.setattr(zipfile.ZipInfo, "_decodeExtra", decode_and_rename)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary folders. The code may leave nothing else in it, and nothing next to it."""
    base = tmp_path / "home"
    base.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(base))
    yield base
    assert [path.name for path in tmp_path.rglob("*")] == ["home"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("shown", [*ELSEWHERE, "scale/other.py", "problem.toml"])
def test_an_entry_with_a_second_name_is_refused(home: Path, shown: str) -> None:
    hostile = archive({DESCRIPTION: b"", "scale/a.py": unicode_path("scale/a.py", shown)})
    with pytest.raises(ArchiveInvalid, match=r"second name|not a safe path"):
        unpack(hostile)
    with pytest.raises(SetInvalid, match=r"second name|not a safe path"):
        check_set(hostile)
    with pytest.raises(SetInvalid, match=r"second name|not a safe path"), unpacked_set(hostile):
        pass


@pytest.mark.usefixtures("reader")
def test_no_second_name_is_believed_whatever_its_field_says(home: Path) -> None:
    for crc, version in ((0, 1), (None, 2)):  # Python ignores both, another reader may not
        hostile = archive({"a.py": unicode_path("a.py", "../up.py", crc=crc, version=version)})
        with pytest.raises(SetInvalid, match="second name"):
            check_set(hostile)
    behind = struct.pack("<HH", 0x5455, 1) + b"\0" + unicode_path("a.py", "../up.py")
    with pytest.raises(SetInvalid, match=r"second name|not a safe path"):
        check_set(archive({"a.py": behind}))


@pytest.mark.usefixtures("reader")
def test_an_entry_may_say_its_name_twice(home: Path) -> None:
    harmless = archive({DESCRIPTION: unicode_path(DESCRIPTION, DESCRIPTION)})
    assert unpack(harmless).files == {"problem.toml": DESCRIPTION.encode()}
    with unpacked_set(harmless) as folder:
        assert (folder / DESCRIPTION).read_text() == DESCRIPTION


@pytest.mark.parametrize("name", [*ELSEWHERE, ""])
def test_the_name_that_is_used_is_checked(name: str) -> None:
    entry = zipfile.ZipInfo("a.py")
    entry.filename = name
    with pytest.raises(ArchiveInvalid, match="not a safe path"):
        check_entry(entry)


@pytest.mark.usefixtures("reader")
def test_a_set_leads_nowhere_even_where_nothing_checks_its_names(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("problems.importing.upload.check_entry", lambda entry: None)
    monkeypatch.setattr("problems.importing.upload.is_ignored", lambda name: False)
    for name in ("../up.py", f"{home}/up.py", "a/../../../up.py", "./a.py"):
        with pytest.raises(SetInvalid, match="not a safe path"), unpacked_set(archive({name: b""})):
            pass


@pytest.mark.parametrize("name", ["../up", "/up", "a/../../up", ".", "..", "", "a//b", "a/", "a\0b"])
def test_nothing_is_written_by_a_name_that_leads_elsewhere(home: Path, name: str) -> None:
    with placing(home / "set") as place, pytest.raises(NameRefused):
        place.write(name, (b"x",))
    assert list((home / "set").iterdir()) == []
    (home / "set").rmdir()


def test_no_link_is_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with placing(tmp_path / "set") as place:
        (tmp_path / "set" / "folder").symlink_to(elsewhere)
        (tmp_path / "set" / "file").symlink_to(elsewhere / "file")
        for name in ("folder/file", "file"):
            with pytest.raises((NotADirectoryError, FileExistsError)):
                place.write(name, (b"x",))
        # Nor is the folder itself looked up by its name again
        (tmp_path / "set").rename(tmp_path / "moved")
        (tmp_path / "set").symlink_to(elsewhere)
        place.write("a/b", (b"x", b"y"))
    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / "moved" / "a" / "b").read_bytes() == b"xy"


def test_nothing_is_overwritten_and_no_descriptor_is_left(tmp_path: Path) -> None:
    with placing(tmp_path / "set") as place:
        place.write("a/b", (b"first",))
        for name in ("a/b", "a", "a/b/c"):
            with pytest.raises((NotADirectoryError, FileExistsError)):
                place.write(name, (b"second",))
    assert (tmp_path / "set/a/b").read_bytes() == b"first"
    assert open_below(tmp_path) == []
    with pytest.raises(FileExistsError), placing(tmp_path / "set"):
        pass
    write_folder(Contents("scale", {"problem.toml": b"", "solutions/a.cu": b"x"}), tmp_path)
    assert (tmp_path / "scale/solutions/a.cu").read_bytes() == b"x"


def test_entries_with_long_extra_fields_are_refused_before_they_are_read() -> None:
    """`zipfile` reads extra fields in time that grows with their square."""
    filler = struct.pack("<HH", 0xCAFE, 2000) + bytes(2000)
    packed = archive({"scale/problem.toml": b"", **{f"scale/{i}.md": filler for i in range(9)}})
    with pytest.raises(ArchiveInvalid, match="long extra fields"):
        unpack(packed)
    with pytest.raises(SetInvalid, match="long extra fields"):
        check_set(packed)


def test_a_few_long_extra_fields_are_read() -> None:
    filler = struct.pack("<HH", 0xCAFE, 2000) + bytes(2000)
    check_set(archive({f"scale/{i}.md": filler for i in range(8)}))
