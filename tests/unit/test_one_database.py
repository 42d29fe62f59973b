"""Tests which tests of the site run on which database."""

from tests.one_database import ON_BOTH, ON_POSTGRESQL, ONLY_ON_SQLITE, PASS, TESTS, is_left_to_postgresql


def test_what_is_named_is_there():
    names = (*ON_BOTH, *ON_POSTGRESQL, *ONLY_ON_SQLITE)
    assert [name for name in names if not (TESTS / name).exists()] == []
    assert PASS.exists()


def test_pages_are_left_to_postgresql_and_locks_are_not():
    assert is_left_to_postgresql(TESTS / "unit" / "web" / "test_pages.py")
    assert is_left_to_postgresql(TESTS / "unit" / "web" / "authoring" / "test_editing.py")
    assert not is_left_to_postgresql(TESTS / "unit" / "web" / "access" / "test_sweep.py")
    assert not is_left_to_postgresql(TESTS / "unit" / "web" / "test_queues.py")
    assert not is_left_to_postgresql(TESTS / "integration" / "web" / "test_databases.py")
    assert not is_left_to_postgresql(TESTS / "integration" / "web" / "test_fleet.py")
    assert not is_left_to_postgresql(TESTS / "unit" / "judge" / "test_prove.py")
