"""The report of a judgement: its outcome, its output and its profile."""

from dataclasses import replace
from functools import partial

from judge.built import Built
from judge.evidence.diagnostics import clean
from judge.evidence.profile import ProfileMissing, program_output, read_profile
from judge.judgement import Judgement, RunOutcome
from judge.redaction import shown_message
from judge.report import FreshReport, Profile, Report
from judge.scoring import checker_score
from problems.vocabulary import Mode, Step, Verdict
from sandbox.gpu.profiler import MAX_REPORT_BYTES
from sandbox.gpu.tool import Tool

MAX_OUTPUT_CHARACTERS = 64 * 1024
_NO_REPORT = (
    f"The report is larger than {MAX_REPORT_BYTES // 2**20} MiB, or the program removed it. "
    "Profile a smaller case."
)


def report_of(judgement: Judgement, outcome: RunOutcome, built: Built) -> Report:
    """Report the last step, and return the report. Its message reveals nothing of hidden cases."""
    judgement.tell(Step.FINISHED, outcome.verdict.value)
    profile = _profile(judgement, outcome)
    kind = Report if built.later is None else partial(FreshReport, later=built.later)
    report = kind(
        verdict=outcome.verdict,
        message=outcome.message,
        stages=tuple(judgement.stages),
        cases=outcome.cases,
        diagnostics=outcome.diagnostics,
        log=built.log,
        output=_shown(judgement, outcome.output),
        environment=judgement.session.environment,
        score=outcome.score,
        kernels=built.kernels,
        listings=built.listings,
        attempts=judgement.attempts,
        requirements=outcome.requirements,
        profile=profile,
        checker_score=_checker_score(judgement, outcome),
        replay=judgement.replay,
        profile_report=outcome.profile_report if profile and profile.launches else None,
    )
    return replace(report, message=shown_message(report))


def _shown(judgement: Judgement, output: bytes) -> str:
    """Return the program's output if it comes from public cases only, else nothing."""
    if judgement.mode is not Mode.RUN:
        return ""
    own = program_output(output) if judgement.tool is Tool.PROFILER else output
    return clean(own.decode("utf-8", "replace"), MAX_OUTPUT_CHARACTERS)


def _profile(judgement: Judgement, outcome: RunOutcome) -> Profile | None:
    """Return the profile, if one was requested."""
    if judgement.profile_missing:
        return Profile(missing=judgement.profile_missing)
    if judgement.tool is not Tool.PROFILER:
        return None
    try:
        profile = read_profile(outcome.output)
    except ProfileMissing as error:
        return Profile(missing=str(error))
    return profile if outcome.profile_report else replace(profile, report_missing=_NO_REPORT)


def _checker_score(judgement: Judgement, outcome: RunOutcome) -> float | None:
    accepted = outcome.verdict is Verdict.ACCEPTED
    return checker_score(judgement.problem, outcome.cases) if accepted else None
