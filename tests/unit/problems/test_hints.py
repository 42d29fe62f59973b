"""Hints of a package: up to three, in order, neither empty nor long."""

from pathlib import Path

import pytest

from problems.archive import pack, unpack
from problems.contents import read_folder
from problems.hints import MAX_HINT_CHARACTERS
from problems.loader import load_problem, problems_root
from tests.unit.problems.packages import faults_of, write_package


def with_hints(root: Path, **hints: str) -> Path:
    folder = write_package(root)
    (folder / "hints").mkdir()
    for name, text in hints.items():
        (folder / "hints" / f"{name.removeprefix('n')}.md").write_text(text)
    return folder


def test_hints_come_in_order_and_with_the_numbers_of_the_package(tmp_path: Path) -> None:
    folder = with_hints(tmp_path, n2="Two.", n1="{{ limits.case_s }} s.", n3="Three.")
    assert load_problem(folder).hints == ("5 s.", "Two.", "Three.")


def test_a_package_needs_no_hints_and_they_change_no_verdict(tmp_path: Path) -> None:
    plain = load_problem(write_package(tmp_path / "a"))
    hinted = load_problem(with_hints(tmp_path / "b", n1="Look."))
    assert plain.hints == ()
    assert plain.version == hinted.version


def test_they_are_part_of_the_contents_and_of_an_archive(tmp_path: Path) -> None:
    without = read_folder(write_package(tmp_path / "a"))
    contents = read_folder(with_hints(tmp_path / "b", n1="Look."))
    assert contents.content_hash != without.content_hash
    assert unpack(pack(contents)).files["hints/1.md"] == b"Look."


@pytest.mark.parametrize(
    ("hints", "fault"),
    [
        (
            {"n4": "x", "n1": "x", "n2": "x", "n3": "x"},
            "hints/4.md: a problem has at most 3 hints; remove it",
        ),
        ({"n1": " \n"}, "hints/1.md: is empty; write it or delete it"),
        (
            {"n1": "x" * (MAX_HINT_CHARACTERS + 1)},
            "hints/1.md: has 2001 characters; at most 2000 are allowed",
        ),
        ({"n2": "x"}, "hints/2.md: hints/1.md is missing; number the hints from 1 without gaps"),
        ({"n1": "x", "n3": "x"}, "hints/3.md: hints/2.md is missing; number the hints from 1 without gaps"),
        ({"first": "x"}, "hints/first.md: unknown hint; name it hints/1.md, hints/2.md, hints/3.md"),
        (
            {"n1": "![A tree](figures/tree.svg)"},
            "hints/1.md: shows figures/tree.svg, which is missing; add it",
        ),
        ({"n1": "{{ cases.nowhere.n }}"}, "hints/1.md: {{ cases.nowhere.n }} means nothing"),
    ],
)
def test_each_fault_says_what_to_do(tmp_path: Path, hints: dict[str, str], fault: str) -> None:
    [found] = faults_of(with_hints(tmp_path, **hints))
    assert found.startswith(f"problems/scale/{fault}")


def test_a_file_called_hints_is_refused(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    (folder / "hints").write_text("x")
    assert faults_of(folder) == ("problems/scale/hints: must be a folder, not a symbolic link",)


@pytest.mark.parametrize("folder", sorted(path.parent for path in problems_root().glob("*/problem.toml")))
def test_every_shipped_problem_has_three(folder: Path) -> None:
    assert len(load_problem(folder).hints) == 3
