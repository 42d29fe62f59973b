"""Tests the report of an import on a terminal."""

from problems.importing.report import ImportedProblem, ImportReport


def test_the_summary_groups_refused_problems_by_their_reasons() -> None:
    entries = (
        ImportedProblem.imported("set/a", "a", "A", ("check the sizes",)),
        ImportedProblem.refused("set/b", "b", "it has no tests"),
        ImportedProblem.refused("set/c", "c", "it needs 2 GPUs"),
        ImportedProblem.refused("set/d", "d", "it has no tests"),
    )
    assert entries[0].as_text() == "set/a: imported with warnings as a\n    check the sizes"
    assert entries[1].as_text() == "set/b: refused\n    it has no tests"
    assert ImportReport("leetgpu", entries).summary().split("\n") == [
        "4 problems: 0 imported, 1 imported with warnings, 3 refused",
        "it has no tests",
        "    set/b, set/d",
        "it needs 2 GPUs",
        "    set/c",
    ]


def test_a_problem_that_was_told_as_json_is_the_same_again() -> None:
    entry = ImportedProblem.imported("set/a", "a", "A", ("check the sizes",), {"timed-1": {"n": 9}})
    assert ImportedProblem.of_json(entry.as_json() | {"revision": 3}) == entry
