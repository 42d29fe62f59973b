"""Tests a host on which oracles do not start: one affected problem is reported, several end the import."""

import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from judge.errors import RunnerUnusable
from judge.proof.importing import Workshop, import_set
from problems.importing.report import ImportOutcome
from problems.schema import Problem
from tests.unit.problems.importing.workbench import SETS, HereExaminer, HereOracle, here

pytest.importorskip("torch")
FOLDER = SETS / "tensara" / "problems" / "row-shift"


class Host:
    """Opens oracles, except for those starts that fail, by their numbers from 1."""

    def __init__(self, *failing: int) -> None:
        self.failing = failing
        self.starts = 0

    def open(self, problem: Problem) -> AbstractContextManager[HereOracle]:
        self.starts += 1
        return nothing() if self.starts in self.failing else here(problem)


@contextmanager
def nothing() -> Iterator[HereOracle]:
    raise RunnerUnusable("the oracle did not start: it took long")
    yield


def outcomes(folder: Path, host: Host) -> list[tuple[ImportOutcome, str]]:
    found = import_set("tensara", folder, Workshop(HereExaminer(), host.open), at_once=1)
    return [(one.entry.outcome, one.entry.reason) for one in found]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        place = tmp_path / name / "row-shift"
        place.mkdir(parents=True)
        for file in ("def.py", "problem.md"):
            text = (FOLDER / file).read_text()
            (place / file).write_text(text)
    return tmp_path


def test_it_is_tried_again() -> None:
    host = Host(1)
    ((outcome, _),) = outcomes(FOLDER, host)
    assert (outcome, host.starts) == (ImportOutcome.WARNED, 2)


def test_one_problem_is_refused_and_says_why(three: Path) -> None:
    first, second, third = outcomes(three, Host(1, 2))
    assert first[0] is ImportOutcome.REFUSED
    assert "the problem is not at fault" in first[1]
    assert first[1].endswith("import it again: the oracle did not start: it took long")
    assert second == (ImportOutcome.WARNED, "")
    assert third == (ImportOutcome.WARNED, "")


def test_problems_that_share_a_slug_are_told_apart_by_their_folders(three: Path) -> None:
    found = [one.entry for one in import_set("tensara", three, Workshop(HereExaminer(), Host().open))]
    assert [entry.slug for entry in found] == ["row-shift", "b-row-shift", "c-row-shift"]
    again = three / "d" / "c" / "row-shift"
    shutil.copytree(three / "c" / "row-shift", again)
    found = [one.entry for one in import_set("tensara", three, Workshop(HereExaminer(), Host().open))]
    assert found[3].reason == "another problem of the set has the same slug, c-row-shift"


def test_two_in_a_row_end_the_import(three: Path) -> None:
    with pytest.raises(RunnerUnusable):
        outcomes(three, Host(1, 2, 3, 4))


def test_several_problems_are_imported_at_a_time_and_come_in_order(three: Path) -> None:
    both = Barrier(2, timeout=60)

    class Pair(Host):
        def open(self, problem: Problem) -> AbstractContextManager[HereOracle]:
            both.wait()
            return super().open(problem)

    workshop = Workshop(HereExaminer(), Pair().open)
    (three / "d" / "row-shift").parent.mkdir()
    shutil.copytree(three / "c" / "row-shift", three / "d" / "row-shift")
    found = [one.entry.place for one in import_set("tensara", three, workshop, at_once=2)]
    assert found == [f"{name}/row-shift" for name in "abcd"]


def test_problems_that_did_not_begin_end_with_the_caller(three: Path) -> None:
    host = Host()
    problems = import_set("tensara", three, Workshop(HereExaminer(), host.open), at_once=1)
    next(problems)
    problems.close()
    assert host.starts < 3


def test_few_problems_are_imported_before_their_results_are_read(three: Path) -> None:
    shutil.copytree(three / "c" / "row-shift", three / "d" / "row-shift")
    host = Host()
    problems = import_set("tensara", three, Workshop(HereExaminer(), host.open), at_once=1)
    next(problems)
    time.sleep(1)  # enough for all four
    assert host.starts <= 2
    assert len(list(problems)) == 3
