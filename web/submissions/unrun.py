"""The cases of a problem that did not run because the program ended at an earlier one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from judge.redaction import HiddenNames
from judge.report import Report
from problems.schema import Case
from problems.vocabulary import Group, Mode, Verdict
from web.packages.cases import judged_cases
from web.submissions.models import Submission
from web.submissions.queries import Viewer


@dataclass(frozen=True, slots=True)
class UnrunCase:
    """A case that was not run. A hidden one has a general name and no sizes, except for staff."""

    name: str
    group: Group
    public: bool
    sizes: Mapping[str, int]


def unrun_cases(submission: Submission, viewer: Viewer) -> tuple[UnrunCase, ...]:
    """Return the cases that were not run, as `viewer` may see them. The viewer may see the submission.

    There are none if every case was run, if no case was run, or if the version that judged is not known.
    """
    if not hasattr(submission, "report"):
        return ()
    report = submission.report.parsed
    unrun = _not_run(submission, report)
    if viewer.is_staff:
        return tuple(UnrunCase(case.name, case.group, case.public, case.sizes) for case in unrun)
    return tuple(_redacted(report, unrun))


def _not_run(submission: Submission, report: Report) -> list[Case]:
    package = submission.package
    if report.verdict is Verdict.ACCEPTED or not report.cases or package is None:
        return []
    if package.version != submission.report.version:
        return []
    ranked = bool(report.environment.get("gpu"))
    cases = judged_cases(package, submission.problem.slug, Mode(submission.mode), ranked=ranked)
    run = {case.name for case in report.cases}
    if not run <= {case.name for case in cases}:
        return []  # a run on custom sizes
    return [case for case in cases if case.name not in run]


def _redacted(report: Report, unrun: Iterable[Case]) -> Iterable[UnrunCase]:
    """Yield cases without names and sizes of hidden ones. They continue the count of the redacted report."""
    names = HiddenNames()
    for run in report.cases:
        if not run.public:
            names.following(run.group, run.program)
    for case in unrun:
        if case.public:
            yield UnrunCase(case.name, case.group, public=True, sizes=case.sizes)
            continue
        yield UnrunCase(names.following(case.group, case.program), case.group, public=False, sizes={})
