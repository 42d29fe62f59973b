"""Tests which tolerances hold, and the advice for the others."""

from dataclasses import replace

import pytest

from judge.proof.calibration import Calibrated, calibrate
from judge.proof.determinism import draw_exact
from problems.schema import Problem, Tolerance
from problems.vocabulary import Dtype, Severity
from tests.unit.judge.environment import SCALING, ScriptedBench
from tests.unit.judge.test_determinism import with_reference, with_tolerance


def calibrated(problem: Problem) -> Calibrated:
    oracle = ScriptedBench().oracle
    return calibrate(problem, draw_exact(problem, oracle), oracle)


def texts(problem: Problem) -> list[str]:
    return [finding.text for finding in calibrated(problem).findings]


@pytest.mark.parametrize("relative", [1e-2, 1.0])
def test_loose_tolerances_let_lower_precision_through(relative: float) -> None:
    lower, outputs = calibrated(with_tolerance(SCALING, Tolerance(relative, 1e-2))).findings
    for name in ("inputs rounded to tf32", "inputs rounded to float16", "all computed in bfloat16"):
        assert name in lower.text
    assert lower.severity is Severity.ERROR
    assert "measured errors suggest y: tolerance = { relative = " in lower.fix
    assert outputs.text == "a program with outputs rounded to float16 is accepted by every case"


def test_what_is_advised_holds() -> None:
    [report] = calibrated(with_tolerance(SCALING, Tolerance(1e-2, 1e-2))).reports
    assert report.advised_relative is not None
    assert report.advised_absolute is not None
    advised = Tolerance(report.advised_relative, report.advised_absolute)
    found = calibrated(with_tolerance(SCALING, advised))
    assert found.findings == ()
    assert {attempt.name for attempt in found.reports[0].attempts if attempt.passes} == {
        "evaluated in float32",
        "evaluated in float32, sums one after the other",
        "evaluated in float32, sums from the end",
        "evaluated in float32, sums in lanes",
    }


def test_tight_tolerances_fail_honest_programs() -> None:
    found = calibrated(with_tolerance(SCALING, Tolerance())).findings
    assert "evaluated in float32 fails case odd" in found[0].text
    assert "measured errors suggest" in found[0].fix
    assert [finding.severity for finding in found] == [Severity.ERROR, Severity.WARNING]


def test_honest_programs_have_room_to_spare() -> None:
    [report] = calibrated(SCALING).reports
    worst = max(attempt.worst or 0 for attempt in report.attempts if attempt.honest)
    close = Tolerance(1e-6 * worst * 1.25, 1e-6 * worst * 1.25)
    [finding] = calibrated(with_tolerance(SCALING, close)).findings
    assert finding.severity is Severity.WARNING
    assert finding.text == "legitimate orders of summation use up to 80 % of the tolerance of y"


def test_nothing_is_advised_where_nothing_tells_them_apart() -> None:
    """Whole numbers are the same in every precision."""
    same = with_reference("rng.uniform(-10, 10, size", "rng.integers(0, 64, size")
    problem = replace(same, reference=same.reference.replace("x * 2.1", "x * 2"))
    [finding] = calibrated(problem).findings[:1]
    assert finding.text.startswith("a program with inputs rounded to tf32, or ")
    assert finding.fix == "lower the tolerance, or add a case where it shows"


@pytest.mark.parametrize(
    ("dtype", "lower"), [(Dtype.FLOAT16, "bfloat16"), (Dtype.BFLOAT16, "float8"), (Dtype.FLOAT64, "float32")]
)
def test_every_float_has_a_precision_below(dtype: Dtype, lower: str) -> None:
    x, y, n = SCALING.arguments
    unit = {Dtype.FLOAT16: 2**-10, Dtype.BFLOAT16: 2**-7, Dtype.FLOAT64: 2**-52}[dtype]
    output = replace(y, dtype=dtype, tolerance=Tolerance(2 * unit, 0))
    found = calibrated(replace(SCALING, arguments=(replace(x, dtype=dtype), output, n)))
    assert found.findings == ()
    names = [attempt.name for attempt in found.reports[0].attempts if not attempt.honest]
    assert names == [f"inputs rounded to {lower}", f"all computed in {lower}"]


def test_order_of_summation_is_allowed_for() -> None:
    """If large numbers cancel, float32 sums need an absolute tolerance. A relative one does not suffice."""
    cancelling = with_reference("x * 2.1", "(x + 3e6) - 3e6")
    assert any("evaluated in float32 fails" in text for text in texts(cancelling))
    assert texts(with_tolerance(cancelling, Tolerance(0.0, 0.3)))[0].startswith("a program with inputs")


def test_integer_outputs_need_no_tolerance() -> None:
    x, y, n = SCALING.arguments
    problem = replace(
        with_reference("x * 2.1", "xp.floor(x)"), arguments=(x, replace(y, dtype=Dtype.INT32), n)
    )
    assert texts(problem) == []
