"""Tests packages as archives: export and import lose nothing, and harmful archives are refused."""

import io
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from problems.archive import MAX_ARCHIVE_MIB, ArchiveInvalid, pack, unpack
from problems.contents import (
    MAX_CONTENTS_MIB,
    MAX_FILE_KIB,
    MAX_FILES,
    Contents,
    ContentsInvalid,
    check_path,
    read_folder,
    write_folder,
)
from problems.loader import load_problem, problems_root
from tests.unit.problems.packages import FILES, write_package

SHIPPED = sorted(path.parent.name for path in problems_root().glob("*/problem.toml"))
PLAIN: Mapping[str, bytes] = {name: text.encode() for name, text in FILES.items()}

words = st.from_regex(r"[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,5}){0,2}", fullmatch=True)
# Names of folders and of files are apart, so that none is both; lower case, so that none is another's twin.
folders = st.from_regex(r"d_[a-z0-9_]{0,8}", fullmatch=True)
names = st.from_regex(r"[a-ce-z0-9][a-z0-9_.-]{0,12}", fullmatch=True).filter(lambda name: "__" not in name)
paths = st.one_of(names, st.builds("{}/{}".format, folders, names))
packages = st.builds(
    lambda slug, files, toml: Contents(slug, {**files, "problem.toml": toml}),
    words,
    st.dictionaries(paths, st.binary(max_size=300), max_size=8),
    st.binary(max_size=300),
)


@given(packages)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_lost_on_the_way_out_and_in(tmp_path_factory, contents):
    archive = pack(contents)
    back = unpack(archive)
    assert back == contents
    assert back.content_hash == contents.content_hash
    folder = write_folder(back, tmp_path_factory.mktemp("out"))
    assert read_folder(folder) == contents
    assert pack(read_folder(folder)) == archive


@given(packages, packages)
@settings(max_examples=60, deadline=None)
def test_other_files_have_another_hash(one, other):
    assert (one.content_hash == other.content_hash) == (one.files == other.files)


@given(st.binary(max_size=400), st.integers(0, 2000), st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_damaged_archive_is_refused_or_read_as_something_sound(noise, at, byte):
    archive = bytearray(pack(Contents("scale", PLAIN)))
    archive[at % len(archive)] = byte
    for damaged in (bytes(archive), noise, bytes(archive[: at % len(archive)])):
        try:
            found = unpack(damaged)
        except ContentsInvalid:
            continue
        for path in found.files:
            check_path(path)


@pytest.mark.parametrize("slug", SHIPPED)
def test_a_shipped_problem_is_the_same_after_a_round_trip(slug, tmp_path):
    original = problems_root() / slug
    folder = write_folder(unpack(pack(read_folder(original))), tmp_path)
    before, after = load_problem(original), load_problem(folder)
    assert after.version == before.version
    assert after.starters == before.starters
    assert [one.path.read_bytes() for one in after.solutions] == [
        one.path.read_bytes() for one in before.solutions
    ]


def test_an_archive_may_have_the_files_without_a_folder():
    archive = zipped(PLAIN)
    assert unpack(archive, slug="other") == Contents("other", dict(sorted(PLAIN.items())))
    with pytest.raises(ArchiveInvalid, match="no folder in the archive names"):
        unpack(archive)


def test_an_archive_may_be_imported_by_another_name():
    assert unpack(pack(Contents("scale", PLAIN)), slug="mine").slug == "mine"


def test_what_systems_leave_behind_is_left_out(tmp_path):
    left = {"__MACOSX/._scale": b"x", "scale/.DS_Store": b"x", "scale/__pycache__/reference.pyc": b"x"}
    files = {f"scale/{name}": content for name, content in PLAIN.items()}
    assert dict(unpack(zipped({**left, **files})).files) == PLAIN
    folder = write_package(tmp_path)
    (folder / "__pycache__").mkdir()
    (folder / ".git").write_text("x")
    assert read_folder(folder).files == PLAIN


def zipped(files: Mapping[str, bytes], **attributes: object) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for attribute, value in attributes.items():
                setattr(entry, attribute, value)
            packed.writestr(entry, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "scale/../../evil",
        "scale/./evil",
        "/etc/evil",
        "scale//evil",
        "C:/evil",
        "scale\\..\\evil",
        "scale/evil@.txt",  # a NUL
        "scale/ev\nil",
        "scale/ev\u202eil",
        "scale/ümlaut.md",
        "scale/-rf",
        "scale/a b",
        "scale/a/b/c",
        f"scale/{'n' * 101}",
        "../.hidden",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name):
    files = {f"scale/{path}": content for path, content in PLAIN.items()}
    with pytest.raises(ContentsInvalid):
        unpack(zipped({**files, name: b"x"}).replace(b"@", b"\0"))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK, stat.S_IFDIR])
def test_links_and_devices_are_refused(kind):
    with pytest.raises(ArchiveInvalid, match="special file"):
        unpack(zipped({"scale/problem.toml": b"/etc/passwd"}, external_attr=(kind | 0o777) << 16))


def test_a_bomb_costs_no_more_than_the_limit():
    zeros = bytes(MAX_FILE_KIB * 1024)
    with pytest.raises(ArchiveInvalid, match="more than 256 KiB"):
        unpack(zipped({"scale/problem.toml": zeros + b"0"}))
    many = {f"scale/f{n}": zeros for n in range(MAX_CONTENTS_MIB * 1024 // MAX_FILE_KIB)}
    with pytest.raises(ArchiveInvalid, match="MiB in total"):
        unpack(zipped({"scale/problem.toml": b"x", **many}))


def test_a_size_that_is_a_lie_is_not_believed():
    honest = zipped({"scale/problem.toml": bytes(2 * MAX_FILE_KIB * 1024)})
    # The directory's entry and the entry itself say 10 bytes.
    declared = struct.pack("<I", 2 * MAX_FILE_KIB * 1024)
    with pytest.raises(ContentsInvalid):
        unpack(honest.replace(declared, struct.pack("<I", 10)))


def test_too_many_entries_are_refused_before_they_are_read(monkeypatch):
    crowd = {f"scale/f{n}": b"" for n in range(MAX_FILES + 1)}
    with pytest.raises(ArchiveInvalid, match="more than 200 files"):
        unpack(zipped(crowd))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(ArchiveInvalid, match="more than 200 files"):
        unpack(b"PK\1\2" * 10_000)
    with pytest.raises(ArchiveInvalid, match="MiB"):
        unpack(bytes(MAX_ARCHIVE_MIB * 1024 * 1024 + 1))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("scale/problem.toml", "first")
        packed.writestr("scale/problem.toml", "second")
    with pytest.raises(ArchiveInvalid, match="twice"):
        unpack(stream.getvalue())


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"scale/problem.toml": b"", "scale/Problem.toml": b""}, "same file on some systems"),
        (
            {"scale/problem.toml": b"", "scale/solutions": b"", "scale/solutions/a.cu": b""},
            "file and a folder",
        ),
        ({"scale/statement.md": b""}, "problem.toml is missing"),
        ({"scale/problem.toml": b"", "other/problem.toml": b""}, "problem.toml is missing"),
        ({"No Slug/problem.toml": b""}, "not a valid slug"),
    ],
)
def test_what_is_no_package_is_refused(files, said):
    with pytest.raises(ContentsInvalid, match=said):
        unpack(zipped(files))


def test_unusual_packing_is_refused():
    encrypted = bytearray(zipped({"scale/problem.toml": b"x"}))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        encrypted[encrypted.index(signature) + offset] |= 1
    with pytest.raises(ArchiveInvalid, match="encrypted"):
        unpack(bytes(encrypted))
    with pytest.raises(ArchiveInvalid, match="Deflate"):
        unpack(zipped({"scale/problem.toml": b"x"}, compress_type=zipfile.ZIP_LZMA))
    with pytest.raises(ArchiveInvalid, match="not a readable ZIP file"):
        unpack(b"")


def test_a_folder_with_a_link_is_not_read(tmp_path):
    folder = write_package(tmp_path)
    (folder / "solutions" / "more.cu").symlink_to("/etc/passwd")
    with pytest.raises(ContentsInvalid, match="not a link"):
        read_folder(folder)
    (tmp_path / "alias").symlink_to(folder)
    with pytest.raises(ContentsInvalid, match="not a symbolic link"):
        read_folder(tmp_path / "alias")


def test_a_folder_in_the_place_of_a_file_is_not_read(tmp_path: Path):
    folder = write_package(tmp_path)
    (folder / "solutions" / "deep").mkdir()
    with pytest.raises(ContentsInvalid, match="regular file"):
        read_folder(folder)
    large = write_package(tmp_path, slug="large")
    (large / "statement.md").write_bytes(bytes(MAX_FILE_KIB * 1024 + 1))
    with pytest.raises(ContentsInvalid, match="256 KiB"):
        read_folder(large)


def test_a_folder_is_written_once(tmp_path):
    contents = Contents("scale", PLAIN)
    write_folder(contents, tmp_path)
    with pytest.raises(FileExistsError):
        write_folder(contents, tmp_path)
    with pytest.raises(ContentsInvalid):
        write_folder(Contents("scale", {"../evil": b""}), tmp_path / "new")
    assert not (tmp_path / "new").exists()
