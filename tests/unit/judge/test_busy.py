"""A program that keeps the GPU busy while it is timed: run again once, then rejected."""

from dataclasses import replace
from typing import cast

import pytest

from judge.built import Built
from judge.errors import Disturbed, NeverQuiet
from judge.evaluate import evaluate
from judge.report import CaseReport, Report, Timing
from judge.target import Target
from problems.schema import Case
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.judge.packages import DOUBLING

TIMING = Timing(5.0, 4.9, 5.1, 200, 5.2, 10.0)


class Busy:
    """A GPU on which timing fails by `failures`, one for each run: target, seat and referee in one."""

    name = "gpu"
    ranks = True
    environment = {"target": "gpu", "gpu": "NVIDIA H200"}
    diagnostics = ()
    output = b""
    alive = True

    def __init__(self, *failures: Exception, promotes: bool = True) -> None:
        self._failures = list(failures)
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

    def promote(self) -> bool:
        return self._promotes

    def check(self, case: Case, _: object) -> CaseReport:
        return CaseReport(case.name, case.group, case.public, Verdict.ACCEPTED, sizes=case.sizes)

    def rank(self, sets: tuple[Case, ...]) -> CaseReport:
        if self._failures:
            raise self._failures.pop(0)
        return replace(self.check(sets[0], None), timing=TIMING)


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
