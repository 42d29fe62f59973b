"""Tests that the progress of a judgement reveals nothing about hidden cases."""

from dataclasses import replace

from judge.built import Built
from judge.errors import Disturbed
from judge.evaluate import evaluate
from judge.report import CaseReport, ProgressEvent, Timing
from problems.schema import Case
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.unit.judge.packages import DOUBLING

SECRET = "secret-prime"
SECRET_SIZE = 7919
PROBLEM = replace(
    DOUBLING,
    cases=(
        *(case for case in DOUBLING.cases if case.public),
        Case(SECRET, Group.ODD, {"n": SECRET_SIZE}),
        Case(f"{SECRET}-timed", Group.TIMED, {"n": 10 * SECRET_SIZE}),
        Case(f"{SECRET}-timed-2", Group.TIMED, {"n": 20 * SECRET_SIZE}),
    ),
)


class Troubled:
    """A GPU whose every run is in trouble, except the one that ranks: target, session and referee in one."""

    name = "gpu"
    ranks = True
    environment = {"target": "gpu", "gpu": "NVIDIA H200"}
    diagnostics = ()
    output = b""
    profile_report = None
    alive = True

    def __init__(self) -> None:
        self.runs = 0

    def build(self, *_: object) -> Built:
        return Built(contents=(b"artifact",))

    def session(self, *_: object, **__: object) -> "Troubled":
        return self

    def start_referee(self, *, alone: bool = False) -> "Troubled":
        self.runs += 1
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
        return False

    def check(self, case: Case, _: object) -> CaseReport:
        if self.runs == 1 and case.name == SECRET:
            raise Disturbed(f"while {case.name} ran with {dict(case.sizes)}")
        return CaseReport(case.name, case.group, case.public, Verdict.ACCEPTED, sizes=case.sizes)

    def rank(self, sets: tuple[Case, ...]) -> CaseReport:
        return replace(self.check(sets[0], None), timing=Timing(5.0, 4.9, 5.1, 16))


def test_steps_name_no_case_and_no_size():
    steps: list[ProgressEvent] = []
    report = evaluate(
        PROBLEM,
        "",
        language=Language.CUDA,
        mode=Mode.SUBMIT,
        target=Troubled(),  # as much of one as is asked for
        on_progress=steps.append,
    )
    assert report.ranked
    assert report.attempts == 2
    kinds = [step.kind for step in steps]
    assert kinds[-1] == "finished"
    assert {"case", "disturbed", "waiting", "timing"} <= set(kinds)
    assert SECRET not in str(steps)
    assert str(SECRET_SIZE) not in str(steps)
    assert SECRET not in report.message
