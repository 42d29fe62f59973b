"""`[score]` in problem.toml."""

import json
from dataclasses import replace

import pytest

from problems.loader import load_problem, problems_root
from problems.schema import Requirement
from problems.vocabulary import Better, Counter, Relation
from tests.unit.problems.packages import DESCRIPTION, faults_of, write_package

SCORE = """
[score]
name = "Regret"
better = "lower"
least = 0
most = 1.5
"""
CHECKER = "def check(xp, inputs, expected, got, size, tolerance):\n    return True, 0.0\n"


def package(folder, table=SCORE, description=DESCRIPTION, checker=CHECKER):
    written = write_package(folder, problem_toml=description + table)
    (written / "checker.py").write_text(checker)
    return written


def test_what_a_package_says(tmp_path):
    problem = load_problem(package(tmp_path, SCORE + 'unit = "%"\ncases = ["large-one"]\n'))
    rule = problem.score
    assert (rule.name, rule.better, rule.least, rule.most) == ("Regret", Better.LOWER, 0, 1.5)
    assert (rule.unit, rule.cases) == ("%", ("large-one",))


def test_it_ranks_where_no_time_does(tmp_path):
    timed = '\n[[cases]]\nname = "timed-one"\ngroup = "timed"\nsizes = { rows = 4000, cols = 4000 }\n'
    assert load_problem(package(tmp_path / "a", description=DESCRIPTION)).ranks_by_score
    assert not load_problem(package(tmp_path / "b", timed + SCORE)).ranks_by_score
    assert not load_problem(write_package(tmp_path / "c")).ranks_by_score


def test_it_does_not_rank_where_programs_could_forge_what_a_requirement_counts(tmp_path):
    problem = load_problem(package(tmp_path))
    required = Requirement(Counter.LAUNCHES, Relation.AT_MOST, 1, "One launch is enough.")
    assert problem.ranks_by_score
    assert not replace(problem, requirements=(required,)).ranks_by_score


def test_the_version_follows_what_can_change_a_score(tmp_path):
    def version(name, table):
        return load_problem(package(tmp_path / name, table)).version

    assert version("a", SCORE) != version("b", "")
    assert version("a", SCORE) != version("c", SCORE.replace("lower", "higher"))
    assert version("a", SCORE) != version("d", SCORE.replace("1.5", "2"))
    assert version("a", SCORE) == version("e", SCORE.replace("Regret", "Loss"))


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (SCORE.replace('name = "Regret"', ""), "score.name: missing"),
        (SCORE.replace("lower", "less"), "score.better: 'less' is unknown; use one of lower, higher"),
        (SCORE.replace("least = 0\n", ""), "score.least: missing"),
        (SCORE.replace("least = 0", 'least = "0"'), "score.least: must be a number, not text in quotes"),
        (SCORE.replace("1.5", "inf"), "score.most: must be from -1e+09 to 1e+09"),
        (SCORE.replace("1.5", "nan"), "score.most: must be from -1e+09 to 1e+09"),
        (SCORE.replace("1.5", "0"), "score.most: must be greater than least"),
        (SCORE + 'cases = ["none"]\n', "score.cases[0]: 'none' is not a case; the cases are example"),
        (SCORE + 'cases = ["example"]\n', "score.cases[0]: 'example' is public or timed; name hidden"),
        (SCORE + "strange = 1\n", "score.strange: unknown key"),
    ],
)
def test_what_is_refused(tmp_path, table, fault):
    assert any(f"problem.toml: {fault}" in text for text in faults_of(package(tmp_path, table)))


def test_only_a_checker_gives_scores(tmp_path):
    found = faults_of(write_package(tmp_path, problem_toml=DESCRIPTION + SCORE))
    assert any("score: there is no checker.py, which gives the score" in text for text in found)


def test_the_schema_and_the_documents_list_the_keys():
    root = problems_root()
    properties = json.loads((root / "problem.schema.json").read_text())["properties"]["score"]["properties"]
    assert set(properties) == {"name", "better", "least", "most", "unit", "cases"}
    assert properties["better"]["enum"] == [*Better]
    assert "### `[score]`" in (root.parent / "docs" / "problem-format.md").read_text()
