"""Reports with figures like those of a GPU node, for tests of the site."""

from judge.report import CaseReport, KernelResources, Placement, Report, Score, Timing
from problems.vocabulary import Group, Verdict
from web.submissions import services
from web.submissions.models import Submission

SECRET_SIZE = 7919
FLOOR_US = 4.0625
PEAK_BYTES_PER_S = 4e12
STAMP = {
    "target": "gpu",
    "gpu": "NVIDIA H200",
    "driver": "580.159.03",
    "cuda": "13.0",
    "nvcc": "13.0.88",
    "problem_version": "1",
}
KERNEL = KernelResources("add(float*)", 24, 2048, 16, 8, 12, 560)


def timing(median_us: float = 5.0) -> Timing:
    """Return a case's time with realistic other figures."""
    return Timing(
        median_us=median_us,
        low_us=0.99 * median_us,
        high_us=1.01 * median_us,
        repetitions=240,
        floor_us=FLOOR_US,
        roofline_percent=100 * FLOOR_US / median_us,
        sm_mhz=1980,
        memory_mhz=3201,
        temperature_c=41,
        power_w=388.25,
        placement=Placement(
            intensity=SECRET_SIZE / 6,
            bytes_per_s=0.8125 * PEAK_BYTES_PER_S,
            peak_bytes_per_s=PEAK_BYTES_PER_S,
            peak_operations_per_s=5e13,
        ),
    )


def timed_report(score_us: float = 5.0, half_us: float = 0.05, *, attempts: int = 1, **stamp: str) -> Report:
    """Return the report of an accepted submission with two timed cases.

    `half_us` is half the interval's width.
    """
    sample = CaseReport("sample", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, sizes={"n": 4})
    timed = [
        CaseReport(
            f"prime-{SECRET_SIZE}",
            Group.TIMED,
            public=False,
            verdict=Verdict.ACCEPTED,
            sizes={"n": SECRET_SIZE},
            timing=timing(score_us * factor),
        )
        for factor in (0.5, 2.0)
    ]
    return Report(
        Verdict.ACCEPTED,
        cases=(sample, *timed),
        environment={**STAMP, **stamp},
        score=Score(score_us, score_us - half_us, score_us + half_us),
        kernels=(KERNEL,),
        listings={"ptx": ".version 9.0\n// <b>ptx</b>\n", "sass": "/*0000*/ LDC R1;\n"},
        attempts=attempts,
    )


def record(submission: Submission, report: Report) -> Submission:
    """Let a worker that takes `submission`, the only one that waits, record `report`."""
    claim = services.claim("w")
    assert claim is not None
    assert claim.submission == submission
    assert services.record(claim, report)
    return Submission.objects.select_related("report", "job", "problem", "user").get(pk=submission.pk)
