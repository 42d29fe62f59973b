"""Tests sets as ZIP files: they are unpacked unchanged, and harmful ones are refused."""

import io
import stat
import zipfile

import pytest

from problems.importing import upload
from problems.importing.upload import SetInvalid, check_set, unpacked_set


def packed(entries: dict[str, bytes], **more: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = more.get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def test_a_set_is_unpacked_as_it_is() -> None:
    left_behind = {"a/__MACOSX/x": b"", "a/.git/config": b""}
    archive = packed({"a/b/c/challenge.py": b"x = 1\n", "t.yml": b"y", **left_behind})
    with unpacked_set(archive) as folder:
        found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        assert found == ["a/b/c/challenge.py", "t.yml"]
        assert (folder / "a/b/c/challenge.py").read_bytes() == b"x = 1\n"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"../up.py": b""}, "not a safe path"),
        ({"/etc/passwd": b""}, "not a safe path"),
        ({"a\\b.py": b""}, "not a safe path"),
        ({"/".join("abcdefghijkl"): b""}, "too deep"),
        ({"a/big.bin": b"\0" * (2049 * 1024)}, "has more than 2048 KiB"),
        ({"a": b"", "a/b": b""}, "a file and a folder"),
    ],
)
def test_what_could_harm_is_refused(entries: dict[str, bytes], why: str) -> None:
    with pytest.raises(SetInvalid, match=why), unpacked_set(packed(entries)):
        pass


def test_links_are_refused() -> None:
    with pytest.raises(SetInvalid, match="is a link"):
        check_set(packed({"link": b"/etc/passwd"}, link=stat.S_IFLNK | 0o777))


def test_twice_the_same_name_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.py", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.py", "2")
    with pytest.raises(SetInvalid, match="twice"):
        check_set(stream.getvalue())


def test_what_is_no_archive_is_refused() -> None:
    for content in (b"", b"PK", packed({"a.py": b"x"})[:-10]):
        with pytest.raises(SetInvalid, match="not a readable ZIP file"):
            check_set(content)


def test_bombs_cost_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "MAX_UNPACKED_MIB", 1)
    many = packed({f"{number}.bin": b"\0" * 2**20 for number in range(3)})
    with pytest.raises(SetInvalid, match="more than 1 MiB in total"):
        check_set(many)
    lying = many.replace((2**20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(SetInvalid), unpacked_set(lying):
        pass
    monkeypatch.setattr(upload, "MAX_SET_FILES", 2)
    with pytest.raises(SetInvalid, match="more than 2 files"):
        check_set(packed({f"{number}.py": b"" for number in range(3)}))
