"""Programs under test are loaded when they are needed, once, and passed by keyword."""

import pytest

from sandbox.runner.programs import Programs

SOURCES = (
    "loaded = []\n\n\ndef f():\n    return 1\n",
    "def f():\n    return 2\n",
    "raise OSError('broken')\n",
)


def test_the_number_of_the_case_chooses_the_program_and_is_not_passed_on() -> None:
    programs = Programs(SOURCES)
    size = {"n": 4, "program": 2}
    assert programs.keywords(size)["program"].f() == 2
    assert size == {"n": 4}


def test_a_program_is_loaded_once() -> None:
    programs = Programs(SOURCES)
    first, again = (programs.keywords({"program": 1})["program"] for _ in range(2))
    assert first is again


def test_what_a_program_raises_is_raised() -> None:
    with pytest.raises(OSError, match="broken"):
        Programs(SOURCES).keywords({"program": 3})


def test_without_programs_a_size_may_have_any_name() -> None:
    size = {"program": 2}
    assert Programs().keywords(size) == {}
    assert size == {"program": 2}
    assert not Programs()
