"""Tests the check for enough disk space to judge."""

import errno
from pathlib import Path

import pytest

from judge.errors import CompilerBroken
from web.config import Config
from worker import disk_space


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config.from_env(
        {
            "WARPCOURT_DATA_DIR": str(tmp_path / "data"),
            "WARPCOURT_RUNTIME_DIR": str(tmp_path / "run" / "of" / "this"),
            "WARPCOURT_MIN_FREE_MIB": "100",
        }
    )


@pytest.fixture
def free_mib(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The free space of paths with the key as the last part. Other paths have plenty."""
    free: dict[str, int] = {}
    monkeypatch.setattr(disk_space, "_free_mib", lambda folder: free.get(folder.name, 10_000))
    return free


def test_there_is_room(config, free_mib):
    assert disk_space.shortage(config) == ""


def test_a_folder_that_is_not_made_yet_counts_as_its_parent(config):
    assert disk_space.shortage(config) == ""


@pytest.mark.parametrize(
    ("folder", "variable"), [("data", "WARPCOURT_DATA_DIR"), ("this", "WARPCOURT_RUNTIME_DIR")]
)
def test_a_full_disk_is_named_with_the_fix(config, free_mib, folder, variable):
    free_mib[folder] = 99
    fix = disk_space.shortage(config)
    assert "99 MiB free; judging needs 100" in fix
    assert variable in fix
    assert disk_space.exhausted(config) == ""


def test_a_disk_with_nothing_left_makes_verdicts_doubtful(config, free_mib):
    free_mib["data"] = 24
    assert "24 MiB free" in disk_space.exhausted(config)


def test_a_full_disk_is_known_by_its_error_however_deep():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert disk_space.is_disk_full(full)
    assert disk_space.is_disk_full(OSError(errno.EDQUOT, "Disk quota exceeded"))
    consequence = CompilerBroken("no artifact")
    consequence.__cause__ = full
    assert disk_space.is_disk_full(consequence)
    assert not disk_space.is_disk_full(OSError(errno.EACCES, "Permission denied"))
    assert not disk_space.is_disk_full(RuntimeError("something else"))
