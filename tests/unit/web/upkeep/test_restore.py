"""Tests that obstacles to a restore are found before anything is changed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.web.upkeep.made_up import ROWS, Noted, made_up
from web.audit.models import AuditEntry, AuditKind
from web.upkeep import restore as restoring
from web.upkeep.manifest import DoesNotFit, ToolFailed, WouldOverwrite
from web.upkeep.restore import Choices, restore

pytestmark = pytest.mark.django_db
PROBLEMS = {
    "vector-add/problem.toml": "title",
    "vector-add/reference.py": "code",
    "tracks/first.toml": "days",
    "quizzes/first.toml": "questions",
}
OTHER_KEY = "another key, which is long enough as well, and was drawn at random"


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Noted:
    noted = Noted()
    monkeypatch.setattr(restoring, "this_database", lambda: noted)
    return noted


@pytest.fixture(autouse=True)
def config(settings, tmp_path: Path) -> Any:
    """A site with folders of its own, whose key is in its data directory."""
    folders = {"data_dir": tmp_path / "data", "problems_dir": tmp_path / "problems"}
    for folder in folders.values():
        folder.mkdir()
    (tmp_path / "data" / "secret-key").write_text(settings.SECRET_KEY)
    settings.WARPCOURT = replace(settings.WARPCOURT, secret_key="", **folders)
    return settings.WARPCOURT


def go(path: Path, **choices: bool) -> list[str]:
    said: list[str] = []
    restore(path, Choices(**choices), said.append)
    return said


def test_an_empty_site_becomes_the_one_that_was(database, config, tmp_path):
    go(made_up(tmp_path / "site.zip", problems=PROBLEMS))
    assert database.loaded == b"rows"
    there = {path.relative_to(config.problems_dir).as_posix() for path in config.problems_dir.rglob("*.*")}
    assert there == set(PROBLEMS)
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor) == (AuditKind.RESTORE, None)


def test_rows_are_not_overwritten_unasked(database, tmp_path):
    database.rows = {"accounts_user": 2}
    path = made_up(tmp_path / "site.zip")
    with pytest.raises(WouldOverwrite, match=r"2 accounts and 0 submissions.*--replace"):
        go(path)
    assert database.loaded is None
    go(path, replace=True)
    assert database.loaded == b"rows"


def test_nobody_may_use_the_database_meanwhile(database, tmp_path):
    database.connected = 3
    with pytest.raises(WouldOverwrite, match=r"3 open database connections.*Stop web servers"):
        go(made_up(tmp_path / "site.zip"), replace=True)
    assert database.loaded is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"database": "postgresql"}, "of a postgresql database, but this site uses sqlite"),
        (
            {"migrations": ("submissions.9999_later",), "version": "7.0"},
            r"version 7\.0.* newer.*9999",
        ),
    ],
)
def test_what_does_not_fit_is_refused(database, tmp_path, changes, said):
    with pytest.raises(DoesNotFit, match=said):
        go(made_up(tmp_path / "site.zip", **changes))
    assert database.loaded is None


def test_rows_that_did_not_come_back_are_named(database, tmp_path):
    path = made_up(tmp_path / "site.zip", rows={**ROWS, "accounts_user": 4})
    with pytest.raises(ToolFailed, match="accounts_user has 3 rows instead of 4"):
        go(path)


def test_the_key_of_the_backup_replaces_that_of_the_data_directory(database, config, tmp_path, settings):
    go(made_up(tmp_path / "site.zip", key=OTHER_KEY))
    assert (config.data_dir / "secret-key").read_text() == OTHER_KEY
    assert (config.data_dir / "secret-key").stat().st_mode & 0o777 == 0o600
    assert (config.data_dir / restoring.KEY_BEFORE).read_text() == settings.SECRET_KEY


@pytest.mark.parametrize("with_key", [True, False])
def test_a_key_that_is_set_must_be_that_of_the_backup(database, settings, tmp_path, with_key):
    settings.WARPCOURT = replace(settings.WARPCOURT, secret_key=settings.SECRET_KEY)
    path = made_up(tmp_path / "site.zip", key=OTHER_KEY, with_key=with_key)
    with pytest.raises(DoesNotFit, match="WARPCOURT_SECRET_KEY"):
        go(path)
    assert database.loaded is None
    go(path, keep_key=True)
    assert database.loaded == b"rows"


def test_a_backup_without_the_key_suits_who_has_it(database, tmp_path):
    go(made_up(tmp_path / "site.zip", with_key=False))
    assert database.loaded == b"rows"


def test_problems_that_differ_are_not_overwritten_unasked(database, config, tmp_path):
    path = made_up(tmp_path / "site.zip", problems=PROBLEMS)
    for name, text in {**PROBLEMS, "vector-add/extra.cu": "more", "relu/problem.toml": "newer"}.items():
        (config.problems_dir / name).parent.mkdir(exist_ok=True)
        (config.problems_dir / name).write_text(text)
    with pytest.raises(WouldOverwrite, match="differ from the backup: vector-add"):
        go(path)
    go(path, without_problems=True)
    assert (config.problems_dir / "vector-add" / "extra.cu").exists()
    go(path, replace=True)
    assert not (config.problems_dir / "vector-add" / "extra.cu").exists()
    assert (config.problems_dir / "relu" / "problem.toml").read_text() == "newer"
    assert {folder.name for folder in config.problems_dir.iterdir()} == {
        *("vector-add", "relu", "tracks", "quizzes")
    }


def test_problems_that_are_the_same_are_not_touched(database, config, tmp_path):
    path = made_up(tmp_path / "site.zip", problems=PROBLEMS)
    go(path)
    before = (config.problems_dir / "vector-add").stat()
    go(path, replace=True)
    assert (config.problems_dir / "vector-add").stat().st_ino == before.st_ino
