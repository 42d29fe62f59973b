"""Which tests count towards coverage."""

import tomllib

from tests.unmeasured import FOLDERS, MEASURED, PACKAGES, TESTS, is_measured


def test_what_is_named_is_there():
    assert [name for name in MEASURED if not (TESTS / name).exists()] == []
    assert [name for name in FOLDERS if not (TESTS / name).is_dir()] == []


def test_the_packages_are_those_of_the_settings():
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())
    sources = settings["tool"]["coverage"]["run"]["source"]
    assert [source.replace("/", ".") for source in sources] == [*PACKAGES]


def test_pages_are_left_out_and_what_is_named_is_not():
    assert not is_measured(TESTS / "unit" / "web" / "access" / "test_matrix.py")
    assert not is_measured(TESTS / "e2e" / "test_pages.py")
    assert is_measured(TESTS / "unit" / "web" / "test_queues.py")
    assert is_measured(TESTS / "unit" / "judge" / "test_prove.py")
    assert is_measured(TESTS / "unit" / "problems" / "importing" / "test_kattis.py")
    assert not is_measured(TESTS / "unit" / "problems" / "test_archive.py")
    assert is_measured(TESTS / "unit" / "web_of_others.py")
