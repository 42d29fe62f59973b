"""Tests timing that needs a second try: a busy GPU, or a time that is too good."""

from dataclasses import replace
from typing import cast

import pytest

from judge.built import Built
from judge.clock.session import TOO_SHORT
from judge.errors import Disturbed, NeverQuiet
from judge.evaluate import evaluate
from judge.report import CaseReport, Report, Timing
from judge.target import Target
from problems.schema import Case
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.judge.packages import DOUBLING

TIMING = Timing(5.0, 4.9, 5.1, 16)
SLOWER = Timing(7.0, 6.9, 7.1, 16)
FAST = Timing(2.0, 1.9, 2.1, 16, remarkable=True)
FASTER = replace(FAST, median_us=1.5, low_us=1.4)


class Untimed(str):
    """Why a case is accepted without a time."""


class Busy:
    """A GPU on which timing finds `findings`, one in each run, then TIMING: target, judging session and
    referee in one.

    An exception is raised, a text is why the program is rejected.
    """

    name = "gpu"
    ranks = True
    environment = {"target": "gpu", "gpu": "NVIDIA H200"}
    diagnostics = ()
    output = b""
    profile_report = None
    alive = True

    def __init__(self, *findings: Exception | str | Timing, promotes: bool = True) -> None:
        self._findings = list(findings)
        self._promotes = promotes
        self.runs: list[bool] = []

    def build(self, *_: object) -> Built:
        return Built(contents=(b"artifact",))

    def session(self, *_: object, **__: object) -> "Busy":
        return self

    def start_referee(self, *, alone: bool = False) -> "Busy":
        self.runs.append(alone)
        return self

    def sets(self, case: Case) -> tuple[Case, ...]:
        return (case,)

    def load(self, *_: bytes) -> None: ...
    def ready(self) -> None: ...
    def finish(self) -> None: ...
    def close(self) -> None: ...
    def overdrawn(self) -> None: ...
    def find_race(self, *_: object) -> None: ...
    def count(self, *_: object) -> None: ...

    def promote(self) -> bool:
        return self._promotes

    def check(self, case: Case, _: object) -> CaseReport:
        return CaseReport(case.name, case.group, case.public, Verdict.ACCEPTED, sizes=case.sizes)

    def rank(self, sets: tuple[Case, ...]) -> CaseReport:
        found = self._findings.pop(0) if self._findings else TIMING
        if isinstance(found, Exception):
            raise found
        report = self.check(sets[0], None)
        if isinstance(found, Untimed):
            return replace(report, message=str(found))
        if isinstance(found, str):
            return replace(report, verdict=Verdict.REJECTED, message=found)
        return replace(report, timing=found)


def judge(target: Busy) -> Report:
    found = cast("Target", target)  # as much of one as is asked for
    return evaluate(DOUBLING, "", language=Language.CUDA, mode=Mode.SUBMIT, target=found)


@pytest.mark.parametrize("promotes", [True, False])
@pytest.mark.parametrize("first", [NeverQuiet("slow snapshots"), Disturbed("hot")])
def test_who_keeps_the_gpu_busy_alone_is_rejected(first: Exception, promotes: bool) -> None:
    target = Busy(first, NeverQuiet("slow snapshots"), promotes=promotes)
    report = judge(target)
    assert report.verdict is Verdict.REJECTED
    assert report.message == "The GPU was never idle while this program ran on it alone."
    assert (report.score, report.attempts) == (None, 2)
    assert [case.verdict for case in report.cases] == [Verdict.ACCEPTED] * 2 + [Verdict.REJECTED]
    assert target.runs[-1]


@pytest.mark.parametrize("promotes", [True, False])
def test_once_is_chance(promotes: bool) -> None:
    report = judge(Busy(NeverQuiet("slow snapshots"), promotes=promotes))
    assert report.ranked
    assert report.attempts == 2


@pytest.mark.parametrize("first", [NeverQuiet("slow snapshots"), Disturbed("hot")])
def test_what_comes_from_outside_is_charged_to_nobody(first: Exception) -> None:
    with pytest.raises(Disturbed, match="hot"):
        judge(Busy(first, Disturbed("hot")))


@pytest.mark.parametrize(
    ("first", "second", "median_us"),
    [(FAST, TIMING, 5.0), (FAST, FASTER, 2.0), (FASTER, FAST, 2.0), (FAST, SLOWER, 7.0)],
)
def test_a_remarkable_time_is_timed_once_more_and_the_slower_figure_counts(
    first: Timing, second: Timing, median_us: float
) -> None:
    target = Busy(first, second, SLOWER)
    report = judge(target)
    assert report.verdict is Verdict.ACCEPTED
    assert report.score is not None
    assert report.score.median_us == pytest.approx(median_us)
    assert (report.attempts, target.runs) == (1, [False, True])
    assert [case.timing.median_us for case in report.cases if case.timing] == [median_us]


@pytest.mark.parametrize("first", [TIMING, SLOWER, "Its guard bands were written over."])
def test_what_is_not_remarkable_is_timed_once(first: Timing | str) -> None:
    target = Busy(first)
    judge(target)
    assert target.runs == [False]


@pytest.mark.parametrize("second", ["Its guard bands were written over.", TOO_SHORT])
def test_what_the_second_look_finds_against_the_program_counts(second: str) -> None:
    report = judge(Busy(FAST, second))
    assert (report.verdict, report.message, report.score) == (Verdict.REJECTED, second, None)


def test_a_second_look_that_is_disturbed_is_taken_again() -> None:
    target = Busy(FAST, Disturbed("hot"), SLOWER)
    report = judge(target)
    assert report.score is not None
    assert report.score.median_us == pytest.approx(7.0)
    assert (report.attempts, target.runs) == (2, [False, True, True])


def test_who_is_disturbed_at_first_gets_a_second_look_too() -> None:
    target = Busy(Disturbed("hot"), FAST, SLOWER)
    report = judge(target)
    assert report.score is not None
    assert report.score.median_us == pytest.approx(7.0)
    assert target.runs == [False, True, True]


def test_who_keeps_the_gpu_busy_in_the_second_look_is_rejected() -> None:
    report = judge(Busy(FAST, NeverQuiet("busy"), NeverQuiet("busy")))
    assert (report.verdict, report.score) == (Verdict.REJECTED, None)


def test_a_case_that_is_accepted_without_a_time_says_why() -> None:
    report = judge(Busy(Untimed(TOO_SHORT)))
    assert (report.verdict, report.message, report.score) == (Verdict.ACCEPTED, TOO_SHORT, None)
    assert report.cases[-1].message == TOO_SHORT
    assert not report.ranked
