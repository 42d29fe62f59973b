"""Tests hostile programs on a real GPU: no undeserved verdict, no shorter time, no harm to other programs.

Each judgement prints one line, so the output of one run is complete: `pytest -m gpu tests/gpu/threats -s`.
"""

import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.report import Report
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from tests.gpu.conftest import Judge
from tests.gpu.threats.table import (
    ATTACKS,
    HONEST,
    MARGIN,
    STRIDED,
    WITHOUT_INPUTS,
    Attack,
    language_of,
    source,
)
from tests.python_call import in_python

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(120)]

_FAILING_S = 60.0  # more than twice the limits of a case, and a run alone after a disturbed one
_BESIDE = 3  # honest judgements during an attack

Narrated = Callable[[str], Report]


@pytest.fixture(scope="session")
def narrated(judge: Judge, vector_add: Problem, request: pytest.FixtureRequest) -> Narrated:
    """Judges a file of attacks/ and prints its line."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def run(file: str) -> Report:
        started = time.monotonic()
        language = language_of(file)
        problem = in_python(vector_add) if language is Language.PYTHON else vector_add
        report = judge(source(file), language, problem=problem)
        figure = f"{report.score.median_us:9.2f} us" if report.score else " " * 12
        with capture.global_and_fixture_disabled():
            print(  # noqa: T201 - the story is told as it happens
                f"\n{file:30} {report.verdict:15} {figure} {time.monotonic() - started:6.2f} s "
                f"{report.attempts} run(s)  {_words(report)}",
                flush=True,
            )
        return report

    return run


def _words(report: Report) -> str:
    return (report.message or next((case.message for case in report.cases if case.message), ""))[:160]


def _told(report: Report) -> str:
    cases = [f"{case.name}: {case.verdict}, {case.message}" for case in report.cases]
    found = [f"{diagnostic.kind}: {diagnostic.message}" for diagnostic in report.diagnostics]
    return "\n".join(
        [f"{report.verdict}: {report.message}", *cases, *found, report.log, report.output[-2000:]]
    )


@pytest.fixture(scope="session")
def honest_us(narrated: Narrated) -> dict[str, float]:
    """The time of each honest program in microseconds, by its file: the median of three judgements."""
    found = {}
    for file in (*HONEST.values(), STRIDED):
        reports = [narrated(file) for _ in range(3)]
        for report in reports:
            assert report.ranked, _told(report)
        found[file] = statistics.median(report.score.median_us for report in reports)
    return found


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.file)
def test_no_attack_earns_more_than_it_should(
    narrated: Narrated, honest_us: dict[str, float], attack: Attack
) -> None:
    started = time.monotonic()
    report = narrated(attack.file)
    assert report.verdict in attack.verdicts, _told(report)
    assert time.monotonic() - started < _FAILING_S
    if report.verdict is Verdict.ACCEPTED:
        assert report.score is not None
        assert report.score.median_us >= MARGIN * honest_us[attack.honest], _told(report)
    else:
        assert report.score is None
        assert _words(report), "a verdict without a word to its author"


def test_outputs_from_before_the_start_are_lost(judge: Judge) -> None:
    """Whatever a program writes before its time starts is overwritten together with its inputs."""
    folder = problems_root() / "who-am-i"
    problem = load_problem(folder)
    honest = judge((folder / "solutions" / "int4.cu").read_text(), Language.CUDA, problem=problem)
    attack = (Path(__file__).parent / "attacks" / WITHOUT_INPUTS).read_text()
    early = judge(attack, Language.CUDA, problem=problem)
    assert honest.score is not None, _told(honest)
    assert early.score is not None, _told(early)
    assert early.score.median_us >= MARGIN * honest.score.median_us, _told(early)
    assert not any(case.timing.queued for case in early.cases if case.timing is not None)


@pytest.mark.parametrize("file", ["leaves-a-mark.cu", "leaves-a-mark.py"])
def test_nothing_is_left_for_the_next_job(narrated: Narrated, file: str) -> None:
    assert [narrated(file).verdict for _ in range(2)] == [Verdict.WRONG_ANSWER] * 2


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if attack.neighbours], ids=lambda attack: attack.file
)
def test_no_attack_hurts_a_neighbour(narrated: Narrated, honest_us: dict[str, float], attack: Attack) -> None:
    """Honest programs that run during and after the attack are accepted, with their usual times."""
    reports: list[Report] = []
    beside = [threading.Thread(target=lambda: reports.append(narrated("honest.cu"))) for _ in range(_BESIDE)]
    hostile = threading.Thread(target=narrated, args=(attack.file,))
    threads = [*beside[:1], hostile, *beside[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reports.append(narrated("honest.cu"))
    assert len(reports) == _BESIDE + 1
    for report in reports:
        assert report.verdict is Verdict.ACCEPTED, _told(report)
        assert report.score.median_us == pytest.approx(honest_us[HONEST[Language.CUDA]], rel=1 - MARGIN)


def test_the_next_verdict_after_a_fault_comes_soon(narrated: Narrated) -> None:
    """A fault of an MPS client ends the contexts of all, and the next judgement waits for the server."""
    usual = _seconds(lambda: narrated("honest.cu"))
    for file in ("illegal-address.cu", "trap.cu"):
        narrated(file)
        assert _seconds(lambda: narrated("honest.cu")) < usual + 2.0


def _seconds(run: Callable[[], object]) -> float:
    started = time.monotonic()
    run()
    return time.monotonic() - started
