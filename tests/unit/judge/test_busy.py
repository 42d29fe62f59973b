"""Timing that something was in the way of: a busy GPU, or single calls that were too slow."""

from dataclasses import replace
from typing import cast

import pytest

from judge.built import Built
from judge.clock.session import IMPOSSIBLE
from judge.errors import Disturbed, NeverQuiet
from judge.evaluate import evaluate
from judge.report import CaseReport, Report, Timing
from judge.target import Target
from problems.schema import Case
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.judge.packages import DOUBLING

TIMING = Timing(5.0, 4.9, 5.1, 200, 5.2, 10.0)
SLOW = replace(TIMING, median_us=6.0, high_us=6.1, bounded=True)
SLOWER = replace(SLOW, median_us=7.0, high_us=7.1)


class Busy:
    """A GPU on which timing finds `findings`, one in each run, then TIMING: target, seat and referee in one.

    An exception is raised, a text is why the program is rejected.
    """

    name = "gpu"
    ranks = True
    environment = {"target": "gpu", "gpu": "NVIDIA H200"}
    diagnostics = ()
    output = b""
    alive = True

    def __init__(self, *findings: Exception | str | Timing, promotes: bool = True) -> None:
        self._findings = list(findings)
        self._promotes = promotes
        self.runs: list[bool] = []

    def build(self, *_: object) -> Built:
        return Built(contents=(b"artifact",))

    def seat(self, *_: object, **__: object) -> "Busy":
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

    def promote(self) -> bool:
        return self._promotes

    def check(self, case: Case, _: object) -> CaseReport:
        return CaseReport(case.name, case.group, case.public, Verdict.ACCEPTED, sizes=case.sizes)

    def rank(self, sets: tuple[Case, ...]) -> CaseReport:
        found = self._findings.pop(0) if self._findings else TIMING
        if isinstance(found, Exception):
            raise found
        report = self.check(sets[0], None)
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
    assert report.message == "The GPU was never quiet while this program was alone on it."
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
    ("findings", "median_us"),
    [
        ((SLOW, TIMING), 5.0),
        ((SLOW, SLOWER, SLOWER), 6.0),
        ((SLOWER, SLOWER, SLOW), 6.0),
        ((IMPOSSIBLE, TIMING), 5.0),
        ((IMPOSSIBLE, IMPOSSIBLE, TIMING), 5.0),
        ((IMPOSSIBLE, SLOW, SLOWER), 6.0),
        ((SLOW, IMPOSSIBLE, SLOWER), 6.0),
        ((SLOW, Disturbed("hot")), 6.0),
        ((SLOW, SLOWER, Disturbed("hot")), 6.0),
    ],
)
def test_slow_single_calls_are_timed_again_and_the_best_time_counts(
    findings: tuple[Timing | str | Exception, ...], median_us: float
) -> None:
    target = Busy(*findings, SLOWER)
    report = judge(target)
    assert report.verdict is Verdict.ACCEPTED
    assert report.score is not None
    assert report.score.median_us == pytest.approx(median_us)
    assert (report.attempts, target.runs) == (1, [False] + [True] * (len(findings) - 1))


@pytest.mark.parametrize("last", [IMPOSSIBLE, "Its guard bands were written over."])
def test_what_is_found_in_all_runs_or_is_no_doubt_counts(last: str) -> None:
    report = judge(Busy(IMPOSSIBLE, IMPOSSIBLE, last))
    assert (report.verdict, report.message, report.score) == (Verdict.REJECTED, last, None)
    target = Busy("Its guard bands were written over.")
    judge(target)
    assert target.runs == [False]
