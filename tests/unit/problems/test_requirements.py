"""Tests `[[requirements]]`: their meaning, refused forms, and their effect on a package's version."""

import pytest

from problems.loader import load_problem
from problems.requirements import MAX_COUNTED_CASES, MAX_REQUIREMENTS
from problems.schema import Requirement
from problems.vocabulary import Counter, Relation
from tests.unit.problems.packages import DESCRIPTION, faults_of, load_edited, write_package
from tests.unit.problems.test_format import DEFINITIONS, DOCS

ONE = '\n[[requirements]]\ncounter = "launches"\nat_most = 2\nexplanation = "Few launches."\n'


def faults(tmp_path, requirement, description=DESCRIPTION):
    return faults_of(write_package(tmp_path, problem_toml=description + requirement))


def test_what_a_package_says(tmp_path):
    plain = load_problem(write_package(tmp_path / "plain"))
    problem = load_problem(
        write_package(tmp_path, problem_toml=DESCRIPTION + ONE + 'cases = ["example", "odd-one"]\n')
    )
    assert problem.requirements == (
        Requirement(Counter.LAUNCHES, Relation.AT_MOST, 2.0, "Few launches.", ("example", "odd-one")),
    )
    assert plain.requirements == ()
    assert problem.version != plain.version


def test_the_version_follows_the_bound_and_not_the_explanation(tmp_path):
    def version(name, text):
        return load_problem(write_package(tmp_path / name, problem_toml=DESCRIPTION + text)).version

    assert version("a", ONE) != version("b", ONE.replace("= 2", "= 3"))
    assert version("a", ONE) != version("c", ONE.replace("at_most", "equals"))
    assert version("a", ONE) == version("d", ONE.replace("Few launches", "Not many"))


@pytest.mark.parametrize(
    ("requirement", "fault"),
    [
        (
            ONE.replace("launches", "speed", 1),
            "requirements[0].counter: 'speed' is unknown; use one of global_",
        ),
        (ONE.replace("at_most = 2\n", ""), "requirements[0]: needs exactly one of at_most, at_least, equals"),
        (ONE + "equals = 2\n", "requirements[0]: needs exactly one of at_most, at_least, equals; it has 2"),
        (ONE.replace("= 2", '= "2"'), "requirements[0].at_most: must be a number, not text in quotes"),
        (ONE.replace("= 2", "= true"), "requirements[0].at_most: must be a number, not true or false"),
        (ONE.replace("= 2", "= -1"), "requirements[0].at_most: must be from 0 to 1e+09"),
        (ONE.replace("= 2", "= nan"), "requirements[0].at_most: must be from 0 to 1e+09"),
        (ONE.replace('launches"', 'divergent_branches"', 1), "requirements[0].at_most: is a share"),
        (ONE.replace('explanation = "Few launches."', ""), "requirements[0].explanation: missing"),
        (ONE + "strange = 1\n", "requirements[0].strange: unknown key"),
        (ONE + 'cases = ["none"]\n', "requirements[0].cases[0]: 'none' is not a case; the cases are example"),
        (ONE + ONE, "requirements[1]: bounds the same as requirements[0]; keep one"),
        (ONE * (MAX_REQUIREMENTS + 1), f"requirements: there are 9; at most {MAX_REQUIREMENTS} are allowed"),
    ],
)
def test_what_is_refused(tmp_path, requirement, fault):
    assert any(f"problem.toml: {fault}" in text for text in faults(tmp_path, requirement))


def test_a_case_that_is_not_counted(tmp_path):
    large = DESCRIPTION.replace("rows = 100, cols = 300", "rows = 1000, cols = 300")
    (fault,) = faults(tmp_path, ONE + 'cases = ["large-one"]\n', large)
    assert "requirements[0].cases[0]: 'large-one' is not counted; name a case with at most 256 KiB" in fault


def test_too_many_counted_cases(tmp_path):
    names = [f"odd-{at}" for at in range(MAX_COUNTED_CASES + 1)]
    more = "".join(
        f'\n[[cases]]\nname = "{name}"\ngroup = "odd"\nsizes = {{ rows = 5, cols = 3 }}\n' for name in names
    )
    (fault,) = faults(tmp_path, more + ONE + f"cases = {names}\n".replace("'", '"'))
    assert "requirements: they name 5 cases; at most 4 are allowed" in fault


def test_programs_in_other_languages_are_not_counted(tmp_path):
    triton = DESCRIPTION.replace('["cuda", "triton"]', '["triton"]')
    found = "\n".join(faults(tmp_path, ONE, triton))
    assert "requirements[0].counter: launches is counted in CUDA C++ alone; add cuda to languages" in found


def test_a_solution_that_misses_nothing_stated(tmp_path):
    with pytest.raises(Exception, match="a solution misses a requirement, but there are no"):
        load_edited(tmp_path, 'verdict = "accepted"', 'verdict = "requirement_missed"')


def test_the_schema_and_the_documents_list_the_counters():
    properties = DEFINITIONS["requirement"]["properties"]
    assert properties["counter"]["enum"] == [*Counter]
    assert {*Relation} <= set(properties)
    for word in (*Counter, *Relation):
        assert f"`{word}`" in DOCS
