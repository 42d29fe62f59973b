"""Tests Kattis metadata next to one of our packages."""

import pytest

from problems.importing import kattis
from problems.importing.building import loaded
from problems.importing.report import Imported, Refused
from problems.vocabulary import Verdict
from tests.unit.problems.importing.workbench import SETS, imported

SET = SETS / "kattis"


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return imported("kattis", SET)


def test_metadata_and_expected_verdicts_are_taken_over(found) -> None:
    problem = loaded("vector-addition", found["vector-addition"].files)
    assert problem.title == "Vector Addition"
    assert problem.tags == ("vector", "element wise")
    assert (problem.limits.case_s, problem.limits.memory_mib, problem.limits.source_kib) == (5, 1024, 32)
    told = {solution.path.name: solution for solution in problem.solutions}
    assert {name: solution.verdict for name, solution in told.items()} == {
        "starts.cu": Verdict.WRONG_ANSWER,
        "plain.cu": Verdict.ACCEPTED,
        "plain.py": Verdict.ACCEPTED,
        "s-2nd-try.cu": Verdict.WRONG_ANSWER,
    }
    assert told["s-2nd-try.cu"].gpu_verdicts == (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)


def test_what_does_not_map_is_said(found) -> None:
    warnings = "\n".join(found["vector-addition"].entry.warnings)
    for words in (
        "partially_accepted is not a Warpcourt verdict",
        "host.cpp: it is neither",
        "license, validation",
    ):
        assert words in warnings


def test_without_a_package_of_ours_it_is_refused(found) -> None:
    assert "have no signature" in found["text-only"].entry.reason


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [", "!!python/object:os.system {}"])
def test_broken_metadata_is_refused(tmp_path, text: str) -> None:
    for name in ("problem.toml", "statement.md", "reference.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "problem.yaml").write_text(text)
    with pytest.raises(Refused):
        kattis.read(tmp_path, within=tmp_path)
