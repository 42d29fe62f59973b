"""Tests that the packages for tests include all packages of the site, in the same versions."""

import re
from pathlib import Path

import pytest

LOCKED = Path(__file__).resolve().parents[3] / "deploy" / "requirements"


def pins(name: str) -> set[str]:
    """`name==version` of each package that a file locks."""
    return set(re.findall(r"^[\w.-]+(?:\[[\w,-]+\])?==[\w.!+]+", (LOCKED / name).read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", ["run.txt", "otel.txt"])
def test_tests_have_what_the_site_has(name):
    assert pins(name)
    assert pins(name) <= pins("test.txt"), "run `make lock`"
