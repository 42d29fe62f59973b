"""A package may have programs that submissions test: one for each case, right or faulty."""

from pathlib import Path

import pytest

from problems.contents import read_folder, write_folder
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.under_test import own_sizes
from problems.vocabulary import ProgramKind
from tests.unit.problems.packages import faults_of

TEMPLATE = problems_root() / "templates" / "tests"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the template, to be spoiled."""
    return write_folder(read_folder(TEMPLATE), tmp_path)


def change(folder: Path, old: str, new: str, file: str = "problem.toml") -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))


def kinds(problem: Problem) -> dict[str, ProgramKind | None]:
    return {case.name: case.program for case in problem.cases}


def test_each_case_has_the_number_and_the_kind_of_its_program(folder: Path) -> None:
    problem = load_problem(folder)
    assert problem.under_test is not None
    assert problem.under_test.least_killed == 4
    assert [case.sizes["program"] for case in problem.cases] == [1, 2, 3, 4, 5, 6]
    assert problem.under_test.programs[1].startswith('"""Faulty: gives the last place')
    assert kinds(problem)["first-place"] is ProgramKind.RIGHT
    assert kinds(problem)["without-last"] is ProgramKind.FAULTY
    assert own_sizes(problem.cases[3]) == {"tests": 8, "longest": 16}


def test_other_problems_have_none() -> None:
    problem = load_problem(problems_root() / "vector-add")
    assert problem.under_test is None
    assert set(kinds(problem).values()) == {None}
    assert own_sizes(problem.cases[0]) == dict(problem.cases[0].sizes)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"last-place", ', '"last-place", "strange", ', "test.faulty[1]: 'strange' is not a case"),
        ('"last-place", ', '"last-place", "last-place", ', "test.faulty[1]: 'last-place' is listed twice"),
        ("least_killed = 4", "least_killed = 5", "test.least_killed: must be from 1 to 4"),
        ("least_killed = 4", "", "test.least_killed: missing"),
        ('["python"]', '["cuda", "python"]', 'languages: must be ["python"] in a problem with [test]'),
        ('"last-place", ', '"last-place", "by-comparison", ', "no hidden case has a right program; add one"),
        ('"small"', '"timed"', "cases[2].group: tests are not timed; use small"),
        ("tests = 8", "program = 8", "cases[0].sizes.program: is the number of the program"),
        ('name = "by-comparison"', 'name = "other"', "programs/other.py: missing; write the program"),
        ('name = "by-comparison"', 'name = "other"', "programs/by-comparison.py: is the program of no case"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, old: str, new: str, fault: str) -> None:
    change(folder, old, new)
    assert any(fault in found for found in faults_of(folder)), faults_of(folder)


def test_sizes_do_not_tell_which_hidden_program_a_submission_meets(folder: Path) -> None:
    text = (folder / "problem.toml").read_text()
    at = text.rindex("tests = 8")
    (folder / "problem.toml").write_text(text[:at] + text[at:].replace("tests = 8", "tests = 9", 1))
    assert any("give all hidden cases the same sizes" in found for found in faults_of(folder)), faults_of(
        folder
    )


@pytest.mark.parametrize("slug", ["harden-the-checker", "write-the-tests"])
def test_hidden_cases_of_shipped_problems_look_alike(slug: str) -> None:
    hidden = [case for case in load_problem(problems_root() / slug).cases if not case.public]
    assert len({tuple(own_sizes(case).items()) for case in hidden}) == 1


def test_programs_need_the_table(folder: Path) -> None:
    text = (folder / "problem.toml").read_text()
    start, end = text.index("[test]"), text.index("# What a submission")
    (folder / "problem.toml").write_text(text[:start] + text[end:])
    assert any("programs/first-place.py: is the program of no case" in found for found in faults_of(folder))


def test_programs_and_the_table_change_the_version_and_comments_on_solutions_do_not(folder: Path) -> None:
    before = load_problem(folder).version
    change(folder, '"""Wrong', '"""Still wrong', "solutions/no-ties.torch.py")
    assert load_problem(folder).version == before
    change(folder, "return int", "return 0 + int", "programs/first-place.py")
    after = load_problem(folder).version
    assert after != before
    change(folder, "least_killed = 4", "least_killed = 3")
    assert load_problem(folder).version not in {before, after}


def test_texts_name_the_numbers() -> None:
    statement = load_problem(TEMPLATE).statement
    assert "There are 2 right versions and 4 faulty ones" in statement
    assert "{{" not in statement
