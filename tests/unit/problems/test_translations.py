"""Statements in other languages, and which of them a browser prefers."""

from pathlib import Path

import pytest

from problems.loader import load_problem
from problems.translations import direction_of, locale_name, locale_of, path_of, preferred
from tests.unit.problems.packages import faults_of, write_package


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("de", "de"),
        ("de-AT, en;q=0.5", "de"),
        ("pt-BR", "pt-BR"),
        ("pt-PT", ""),
        ("fr, de;q=0.8", "de"),
        ("en-GB, de;q=0.8", ""),
        ("de;q=0.2, en;q=0.9", ""),
        ("de;q=0", ""),
        ("*", ""),
        ("", ""),
        ("de;q=lots, ;;, " + "x," * 500, ""),
    ],
)
def test_a_browser_prefers_its_language_to_the_original(accepted: str, locale: str) -> None:
    assert preferred(accepted, ["de", "pt-BR"]) == locale


def test_names_and_paths_go_together() -> None:
    assert locale_of(path_of("pt-BR")) == "pt-BR"
    assert [locale_of(name) for name in ("statement.md", "statement.DE.md", "statement..md")] == ["", "", ""]
    assert (locale_name("pt-BR"), locale_name("de"), locale_name("xy")) == ("Português (BR)", "Deutsch", "xy")
    assert (direction_of("ar"), direction_of("de")) == ("rtl", "ltr")


def test_a_package_may_have_some_and_they_change_no_verdict(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    before = load_problem(folder)
    (folder / "statement.de.md").write_text("Multipliziere.\n")
    problem = load_problem(folder)
    assert problem.translations == {"de": "Multipliziere.\n"}
    assert problem.version == before.version


def test_a_figure_that_is_missing_is_a_fault_in_every_language(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    (folder / "statement.de.md").write_text("![Ein Baum](figures/baum.svg)\n")
    [fault] = faults_of(folder)
    assert "statement.de.md: shows figures/baum.svg, which is missing" in fault
