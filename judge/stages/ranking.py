"""The stage `rank`: a program that passed is timed while it holds the GPU exclusively."""

from dataclasses import replace

from judge.built import Built
from judge.errors import Disturbed, NeverQuiet
from judge.judgement import Judgement, RunOutcome
from judge.report import CaseReport, own_scalars
from judge.scoring import score
from judge.stages.outcome import all_accepted, outcome_of
from judge.stages.running import load, start_again
from judge.target import Referee
from problems.schema import Case
from problems.vocabulary import Stage, Step, Verdict

_BUSY = "The GPU was never idle while this program ran on it alone."


def rank(judgement: Judgement, built: Built, referee: Referee, checked: RunOutcome) -> RunOutcome:
    """Time the timed cases of a program. All its other cases must be accepted, with the outcome `checked`.

    Returns that outcome with the reports of the timed cases, and with a score if all of them have a time.
    """
    try:
        if referee.promote():
            outcome = _time(judgement, referee, checked)
        else:
            judgement.tell(Step.WAITING, "Waiting for exclusive use of the GPU")
            outcome = _time_alone(judgement, built, judgement.new_run(alone=True), checked)
    except Disturbed:
        outcome = _time_alone(judgement, built, start_again(judgement), checked, last=True)
    return _second_look(judgement, built, checked, outcome) if _remarkable(outcome) else outcome


def _time_alone(
    judgement: Judgement, built: Built, referee: Referee, checked: RunOutcome, *, last: bool = False
) -> RunOutcome:
    """Time the timed cases in a new run that has the GPU alone."""
    return load(judgement, built, referee, Stage.WAIT) or _time(judgement, referee, checked, last=last)


def _second_look(judgement: Judgement, built: Built, checked: RunOutcome, first: RunOutcome) -> RunOutcome:
    """Time a program a second time, because it beat the known rates of its GPU. The slower time counts."""
    judgement.tell(Step.WAITING, "This is faster than expected of the GPU. The program is timed once more.")
    try:
        again = _time_alone(judgement, built, judgement.new_run(alone=True), checked)
    except Disturbed:
        again = _time_alone(judgement, built, start_again(judgement), checked, last=True)
    if first.score is None or again.score is None:
        return again
    return max(first, again, key=lambda outcome: outcome.score.median_us if outcome.score else 0.0)


def _remarkable(outcome: RunOutcome) -> bool:
    """Return whether a time beats the measured rates of the GPU."""
    return any(report.timing is not None and report.timing.remarkable for report in outcome.cases)


def _time(judgement: Judgement, referee: Referee, checked: RunOutcome, *, last: bool = False) -> RunOutcome:
    """Time the timed cases. `last` says that no further run follows."""
    reports = list(checked.cases)
    cases = judgement.timed
    with judgement.stage(Stage.DRAW):  # no draws while timing
        contents = [judgement.session.sets(case) for case in cases]
    with judgement.stage(Stage.RANK):
        for index, sets in enumerate(contents, start=1):
            judgement.tell(Step.TIMING, f"Timing case {index} of {len(cases)}", index=index, total=len(cases))
            after = judgement.begin_case(cases[index - 1], referee)
            try:
                reports.append(replace(referee.rank(sets), told_after=after))
            except NeverQuiet:
                if not last:
                    raise
                reports.append(_never_quiet(cases[index - 1]))
            if reports[-1].verdict is not Verdict.ACCEPTED:
                break
    timings = [report.timing for report in reports if report.timing is not None]
    complete = all_accepted(reports) and len(timings) == len(cases)
    outcome = replace(
        outcome_of(judgement, referee, reports),
        score=score(timings) if complete else None,
        requirements=checked.requirements,
    )
    if outcome.verdict is Verdict.ACCEPTED and not complete:
        outcome = replace(outcome, message=next(report.message for report in reports if report.message))
    return outcome


def _never_quiet(case: Case) -> CaseReport:
    return CaseReport(
        case.name,
        case.group,
        case.public,
        Verdict.REJECTED,
        _BUSY,
        sizes=dict(case.sizes),
        scalars=own_scalars(case),
    )
