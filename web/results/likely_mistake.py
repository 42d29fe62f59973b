"""Finds the known mistake that a failed submission may have, by verdicts and wrong outputs of its cases."""

from typing import Any

from problems.vocabulary import Group, Mode, Verdict
from web.packages.mistakes import Mistake, Pattern
from web.packages.models import PackageVersion
from web.submissions.models import Submission
from web.submissions.queries import Viewer
from web.tracks.queries import in_contest


def likely_mistake(submission: Submission, viewer: Viewer) -> str:
    """Return the explanation of the known mistake with a pattern like that of `submission`; empty if unclear.

    Only the author of the submission and staff get the explanation. During a contest with the problem,
    authors do not. The mistake is unclear if no wrong solution has a similar pattern, or if several have,
    with different explanations.
    """
    failed = hasattr(submission, "report") and submission.report.verdict != Verdict.ACCEPTED
    if not failed or submission.mode != Mode.SUBMIT:
        return ""
    if not viewer.is_staff:
        if submission.user_id != viewer.pk or not submission.problem.published:
            return ""
        if in_contest(submission.problem):
            return ""
    report = submission.report.parsed
    cases = [case for case in report.cases if case.group is not Group.TIMED]
    pattern = Pattern(
        {case.name: case.verdict.value for case in cases},
        {case.name: case.wrong_shares for case in cases if case.wrong_shares},
    )
    elements = {
        case.name: {output.argument: output.checked for output in case.wrong_outputs} for case in cases
    }
    on_gpu = bool(report.environment.get("gpu"))
    found = {
        mistake.text
        for mistake in _known(submission)
        if mistake.language == submission.language
        and mistake.pattern.resembles(pattern, elements)
        and not (on_gpu and mistake.cpu_only)
    }
    return found.pop() if len(found) == 1 else ""


def _known(submission: Submission) -> list[Mistake]:
    """Return the mistakes of the version that judged, or of the live one if it judges the same way."""
    asked = [pk for pk in (submission.package_id, submission.problem.package_id) if pk is not None]
    versions = PackageVersion.objects.filter(pk__in=asked, version=submission.report.version)
    stored = dict(versions.values_list("pk", "mistakes"))
    bodies: list[dict[str, Any]] = next((stored[pk] for pk in asked if stored.get(pk)), [])
    return [Mistake.from_json(body) for body in bodies]
