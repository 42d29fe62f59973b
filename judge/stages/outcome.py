"""The outcome of a run, from the reports of its cases and the findings of its runner."""

from collections.abc import Sequence, Set
from dataclasses import replace

from judge.compiler.host_lines import with_host_lines
from judge.compiler.source import ProgramText
from judge.evidence.cancellations import without_library_cancellations
from judge.evidence.diagnostics import distinct
from judge.evidence.rounded_sums import without_unrelated_sums
from judge.judgement import Judgement, RunOutcome
from judge.kills import explained
from judge.kills import overall as overall_of_tests
from judge.redaction import told
from judge.report import CaseReport, Diagnostic
from judge.target import Referee
from problems.vocabulary import COSTS, DiagnosticKind, Severity, Verdict

# Notes that only explain wrong answers.
_CAUSES = {
    DiagnosticKind.CANCELLATION,
    DiagnosticKind.HALF_OVERFLOW,
    DiagnosticKind.MASKED_LOAD,
    DiagnosticKind.PRECISION,
    DiagnosticKind.REORDERED_READ,
    DiagnosticKind.ROUNDED_SUM,
}
# Calls that libraries such as Thrust make too.
_CALLS = {
    DiagnosticKind.NEEDLESS_WAIT: ("cudaDeviceSynchronize", "cudaStreamSynchronize"),
    DiagnosticKind.PAGEABLE_COPY: ("cudaMemcpy",),
}


_ZEROS_NEEDED = (
    "This load has a mask and no `other`. The output is correct only if the elements that the mask excludes "
    "are zero. Triton leaves them undefined; today it loads zeros on NVIDIA GPUs. Pass `other=0`."
)


def outcome_of(
    judgement: Judgement, referee: Referee, reports: list[CaseReport], *, zeros_needed: bool = False
) -> RunOutcome:
    """Return the verdict and message for `reports`, with the findings and the output of the runner.

    `zeros_needed` says that a case was accepted because masked loads returned zeros.
    """
    if judgement.problem.under_test is not None:
        verdict, message = overall_of_tests(judgement.problem, reports)
        names = [case.name for case in judgement.cases]
        reports = sorted(reports, key=lambda report: names.index(report.name))
        if verdict is Verdict.ACCEPTED:
            reports = list(explained(judgement.problem, reports))
    else:
        verdict, message = _overall(reports)
    found = distinct(told_to_author(judgement, referee.diagnostics, judgement.said_before))
    if verdict is Verdict.ACCEPTED and zeros_needed:
        found = tuple(_needing_zeros(e) if e.kind == DiagnosticKind.MASKED_LOAD else e for e in found)
    unrelated: Set[DiagnosticKind] = _CAUSES if verdict is Verdict.ACCEPTED else COSTS
    program = ProgramText.read(judgement.source)
    used = program.names()
    if "double" in used:
        unrelated = unrelated | {DiagnosticKind.DOUBLE_PRECISION}  # double precision is intended here
    unrelated = unrelated | {DiagnosticKind.SUMS, *_made_by_libraries(used)}
    found = tuple(e for e in found if e.severity is not Severity.NOTE or e.kind not in unrelated)
    found = without_library_cancellations(without_unrelated_sums(found, reports), program.code)
    return RunOutcome(
        verdict, message, tuple(reports), found, referee.output, profile_report=referee.profile_report
    )


def _needing_zeros(found: Diagnostic) -> Diagnostic:
    return replace(found, severity=Severity.WARNING, message=_ZEROS_NEEDED)


def _made_by_libraries(names: set[str]) -> set[DiagnosticKind]:
    """Return the kinds of notes on calls that the program with these `names` does not make itself."""
    return {kind for kind, calls in _CALLS.items() if not any(name.startswith(calls) for name in names)}


def told_to_author(
    judgement: Judgement, found: tuple[Diagnostic, ...], before: int | None
) -> tuple[Diagnostic, ...]:
    """Return `found`, with findings marked that hidden cases may have caused."""
    names = [argument.name for argument in judgement.problem.arguments]
    return told(with_host_lines(found, judgement.source, names), before, judgement.source, names)


def all_accepted(reports: Sequence[CaseReport]) -> bool:
    """Return whether no case failed."""
    return all(report.verdict is Verdict.ACCEPTED for report in reports)


def _overall(reports: list[CaseReport]) -> tuple[Verdict, str]:
    failed = [report for report in reports if report.verdict is not Verdict.ACCEPTED]
    if not failed:
        return Verdict.ACCEPTED, ""
    return failed[0].verdict, failed[0].message
