"""Tests that the corpus of faulty programs is complete and has correct marks."""

import pytest

from problems.vocabulary import DiagnosticKind, Language
from tests.doctor.corpus import CorpusInvalid, load, mutate, parse
from web.site.findings import FINDINGS

LEAST_OF_GROUP = 10


def parsed(text: str, name: str = "a.cu"):
    return parse(name, text, group="race", problem="relu", mutated=False)


def test_each_group_has_programs_of_both_origins() -> None:
    corpus = load()
    groups = {faulty.group for faulty in corpus}
    assert len(groups) >= 20
    for group in groups:
        of_group = [faulty for faulty in corpus if faulty.group == group]
        mutated = sum(faulty.mutated for faulty in of_group)
        assert len(of_group) >= LEAST_OF_GROUP, group
        assert 0.25 <= mutated / len(of_group) <= 0.75, group
    assert len({faulty.name for faulty in corpus}) == len(corpus)


def test_each_expected_kind_has_a_page() -> None:
    assert {faulty.kind for faulty in load()} <= {*FINDINGS}


def test_no_program_shows_what_is_expected_of_it() -> None:
    assert all("doctor:" not in faulty.source for faulty in load())


def test_marks_give_kind_and_lines() -> None:
    faulty = parsed("int a;\nx[i] = 1;  // doctor: race\ny = x[j];  // doctor: race\n")
    assert (faulty.kind, faulty.lines) == (DiagnosticKind.RACE, {2, 3})
    assert faulty.source == "int a;\nx[i] = 1;\ny = x[j];\n"
    assert faulty.fits("race", 3)
    assert not faulty.fits("race", 1)
    assert not faulty.fits("uninitialised", 2)
    python = parsed("x = 1  # doctor: masked_load\n", "a.py")
    assert (python.language, python.lines) == (Language.TRITON, {1})


def test_a_mark_alone_on_a_line_expects_no_line() -> None:
    faulty = parsed("// doctor: leak\nint a;\n")
    assert faulty.fits("leak", None)
    assert not faulty.fits("leak", 1)


@pytest.mark.parametrize("text", ["a;", "a; // doctor: race\nb; // doctor: leak", "a; // doctor: nonsense"])
def test_other_marks_are_refused(text: str) -> None:
    with pytest.raises(CorpusInvalid):
        parsed(text)


def test_a_mutation_that_no_longer_fits_its_solution_is_refused() -> None:
    assert mutate("a = b;", [["b", "c"]], name="x") == "a = c;"
    with pytest.raises(CorpusInvalid, match="occurs 0 times"):
        mutate("a = b;", [["d", "c"]], name="x")
    with pytest.raises(CorpusInvalid, match="occurs 2 times"):
        mutate("a = a;", [["a", "c"]], name="x")
