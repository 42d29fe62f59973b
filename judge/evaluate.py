"""Evaluates a submission: the only path from a source to a report.

Theory of operation. Three things that know nothing of each other overlap: the program compiles, the oracle
draws the cases, a runner and the referee's share of the GPU get ready. Then come these stages:

    compile   the source, isolated, or an artifact of the cache
    check     every case but the timed ones, in order; on a GPU others check theirs at the same time
    examine   on a GPU, the races that functional mode found in parallel (`judge.race_watch`)
    rank      the timed cases, on a GPU held exclusively; only for submissions that passed

A wrong answer does not stop the other cases; a runner that died does. The verdict is that of the first
case that was not accepted; submissions that are tests have a rule of their own (`judge.kills`). If all were
accepted, the requirements of the problem decide (`judge.requirements`), before anything is ranked.

Where a GPU is shared, a neighbour can end a run. The referee then raises `Disturbed`, and the program runs
again from the start, alone, with a new runner: only that run counts. The checked runner is ranked if its
lease can become exclusive at once. If it cannot, it is stopped, so that no submitted code runs during the
wait, and a new runner is ranked. A program that was disturbed while it was timed, or that beat the roofline
of its GPU, is timed once more, alone. If the GPU is still busy in that run and NVML saw no other process, the
program keeps it busy and is rejected.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from threading import Event

from judge.built import Built
from judge.cases import run_orders, select_cases
from judge.compiler import load_findings
from judge.compiler.host_lines import with_host_lines
from judge.compiler.signature import width_notes
from judge.compiler.source import ProgramText
from judge.cpu.orders import check_in_orders
from judge.errors import Disturbed, JudgeError, JudgementCancelled, NeverQuiet
from judge.evidence.diagnostics import clean, first_error
from judge.evidence.faults import classified
from judge.evidence.launch_shapes import shape_notes
from judge.evidence.launches import launched_nothing
from judge.evidence.profile import ProfileMissing, program_output, read_profile
from judge.evidence.sums import parse_sums
from judge.judgement import Judgement, RunOutcome
from judge.kills import explained, in_random_order, judged_program
from judge.kills import overall as overall_of_tests
from judge.race_watch import RaceWatch
from judge.redaction import shown_message, told
from judge.report import CaseReport, Diagnostic, Profile, ProgressEvent, Report, StageTime, own_scalars
from judge.requirements import count_elsewhere, with_requirements
from judge.scalars import with_scalars
from judge.scoring import checker_score, score, unsuited
from judge.seeds import board_seed
from judge.target import Referee, Target
from judge.values import NO_VALUES, Values, matching_nan
from problems.fix import refused_changes
from problems.libraries import refused_include
from problems.requirements import input_bytes
from problems.schema import Case, Problem
from problems.vocabulary import DiagnosticKind, Language, Mode, Severity, Stage, Step, Verdict
from sandbox.gpu.profiler import MAX_REPORT_BYTES
from sandbox.gpu.tool import Tool
from sandbox.wire import RunFlag

MAX_OUTPUT_CHARACTERS = 64 * 1024
_NO_REPORT = (
    f"The report is larger than {MAX_REPORT_BYTES // 2**20} MiB, or the program removed it. "
    "Profile a smaller case."
)
_BUSY = "The GPU was never idle while this program ran on it alone."
_NO_KERNEL = "No case launched a Triton kernel. A Triton submission must compute in kernels."
_EXAMINED = {Verdict.ILLEGAL_ACCESS, Verdict.RUNTIME_ERROR, Verdict.WRONG_ANSWER}
# Notes that explain wrong answers alone.
_CAUSES = {DiagnosticKind.HALF_OVERFLOW, DiagnosticKind.MASKED_LOAD, DiagnosticKind.PRECISION}
_WASTE = {  # notes on waste and leaks, which explain no wrong answer
    DiagnosticKind.BANK_CONFLICT,
    DiagnosticKind.CONTENDED_ATOMIC,
    DiagnosticKind.DIVERGENT_BRANCH,
    DiagnosticKind.DOUBLE_PRECISION,
    DiagnosticKind.LAUNCH_BOUND,
    DiagnosticKind.LEAK,
    DiagnosticKind.LOW_OCCUPANCY,
    DiagnosticKind.REDUNDANT_LOADS,
    DiagnosticKind.UNCOALESCED,
}
_RACED = {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}  # which say nothing against a race


def evaluate(  # noqa: PLR0913 - a problem, a source and ten options by name
    problem: Problem,
    source: str,
    *,
    language: Language,
    mode: Mode,
    target: Target,
    sizes: Mapping[str, int] | None = None,
    values: Values = NO_VALUES,
    seed: int | None = None,
    gpu_model: str = "",
    tool: Tool | None = None,
    board_key: bytes | None = None,
    on_progress: Callable[[ProgressEvent], None] = lambda _: None,
    on_stage: Callable[[StageTime], None] = lambda _: None,
    cancelled: Event | None = None,
) -> Report:
    """Judge `source` against `problem` on `target`.

    `sizes` replaces the cases by one of the user's own, in which `values` stand in for inputs that would be
    drawn, and `seed` draws the contents of public cases, so that they come again: all of them in `run` mode
    only. `gpu_model` asks for a GPU of that model. With `tool` the
    program runs alone under it on targets with GPUs; nothing is ranked then. The profiler is for runs.
    `board_key` is the site's secret from which the contents of a problem follow that its checker's score
    ranks; without it they are random, and its scores are not comparable.
    `on_progress` and, when a stage is over, `on_stage` are called from this thread. When `cancelled` is set
    the sandboxes are killed and the verdict
    is `cancelled`.

    Raises:
        judge.sizes.CustomCaseInvalid: `sizes` or `values` do not fit the problem.
        ValueError: there is a `seed` in another mode, where it would foretell hidden cases.
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed; the user is not to be charged.
    """
    if seed is not None and mode is not Mode.RUN:
        raise ValueError("a custom seed is allowed only in runs, whose cases are all public")
    if tool is Tool.PROFILER and mode is not Mode.RUN:
        raise ValueError("only runs are profiled, because a profile shows the sizes of cases")
    if board_key and problem.ranks_by_score and mode is Mode.SUBMIT:
        seed = board_seed(problem, board_key)
    secret = secrets.randbits(128) if seed is None else seed
    selected = select_cases(problem, mode, sizes, ranked=target.ranks and tool is None, values=values)
    cases = tuple(with_scalars(problem, case, secret) for case in selected)
    missing = _why_not_profiled(language, target) if tool is Tool.PROFILER else ""
    judgement = Judgement(
        problem=matching_nan(problem) if values else problem,
        source=source,
        language=language,
        mode=mode,
        target=target,
        cases=cases,
        on_progress=on_progress,
        on_stage=on_stage,
        cancelled=cancelled.is_set if cancelled else lambda: False,
        tool=None if missing else tool,
        profile_missing=missing,
        seed=seed,
        gpu_model=gpu_model,
    )
    with closing(judgement):
        try:
            return _judge(judgement)
        except JudgementCancelled:
            return _report(judgement, RunOutcome(Verdict.CANCELLED, "Cancelled."), Built())
        except JudgeError:
            charged = judgement.overdrawn()
            if charged is None:
                raise
            return _report(judgement, RunOutcome(*charged), Built())


def _why_not_profiled(language: Language, target: Target) -> str:
    """Why a program cannot be profiled, for the user; empty if it can be."""
    if language is not Language.CUDA:
        return "Only CUDA C++ programs can be profiled."
    if not target.ranks:
        return "This program ran in functional mode. Only a GPU has hardware counters."
    if Tool.PROFILER not in target.tools:
        return "The node that judged this run has no Nsight Compute. An administrator can install it there."
    return ""


def _judge(judgement: Judgement) -> Report:
    if refusal := _refusal(judgement.problem, judgement.source, judgement.language):
        return _report(judgement, RunOutcome(Verdict.REJECTED, refusal), Built())
    referee = judgement.new_run(alone=judgement.tool is not None)
    judgement.tell(Step.COMPILING, "Compiling")
    with judgement.stage(Stage.COMPILE):
        built = judgement.target.build(
            judgement.problem, judgement.source, judgement.language, judgement.cancelled
        )
    if built.failure:
        return _report(
            judgement, RunOutcome(built.failure, built.message, diagnostics=built.diagnostics), built
        )
    judgement.tell(Step.COMPILED, "Compiled")
    with judgement.watch() as watch:
        try:
            outcome = _check(judgement, built, referee)
        except Disturbed:
            referee = _start_again(judgement)
            outcome = _check(judgement, built, referee, starting=Stage.WAIT)
        if watch and outcome.verdict is Verdict.ACCEPTED:
            outcome = _watched(judgement, watch, outcome)
    if outcome.verdict is Verdict.ACCEPTED and judgement.problem.requirements and not _counts(judgement):
        outcome = with_requirements(judgement, outcome, count_elsewhere(judgement))
    if outcome.verdict is Verdict.ACCEPTED and judgement.timed:
        excuse = unsuited(judgement.problem, judgement.session.environment.get("gpu", ""))
        outcome = replace(outcome, message=excuse) if excuse else _rank(judgement, built, referee, outcome)
    judgement.end_run()
    return _report(
        judgement, _noted(judgement, _examined(judgement, _raced(judgement, built, outcome))), built
    )


def _refusal(problem: Problem, source: str, language: Language) -> str:
    """Why the text of a program alone is refused, for its author; empty if it is not."""
    allowed = problem.limits.libraries
    if language is Language.CUDA and (found := refused_include(source, allowed)):
        return found
    return refused_changes(problem.starters[language], source, language, problem.fix) if problem.fix else ""


def _noted(judgement: Judgement, outcome: RunOutcome) -> RunOutcome:
    """Return the outcome with notes on how `solve` is declared and, if accepted, on its launches."""
    if judgement.language is not Language.CUDA:
        return outcome
    notes = width_notes(ProgramText.read(judgement.source), judgement.problem)
    if outcome.verdict is Verdict.ACCEPTED:
        most = max(input_bytes(judgement.problem.arguments, case) for case in judgement.checked)
        notes = (*notes, *shape_notes(outcome.diagnostics, judgement.source, most))
    return replace(outcome, diagnostics=(*outcome.diagnostics, *notes)) if notes else outcome


def _watched(judgement: Judgement, watch: RaceWatch, outcome: RunOutcome) -> RunOutcome:
    """The outcome, or a wrong answer where a race was found that changes an output in another order."""
    with judgement.stage(Stage.EXAMINE):
        race = watch.found()
    if race is None:
        return outcome
    return replace(
        outcome,
        verdict=Verdict.WRONG_ANSWER,
        message=race.message,
        diagnostics=(*outcome.diagnostics, race),
    )


def _start_again(judgement: Judgement) -> Referee:
    judgement.attempts += 1
    judgement.tell(
        Step.DISTURBED, "The GPU failed while several programs ran on it. This program runs again, alone."
    )
    return judgement.new_run(alone=True)


def _check(
    judgement: Judgement, built: Built, referee: Referee, *, starting: Stage = Stage.START
) -> RunOutcome:
    reports: list[CaseReport] = []
    if failed := _load(judgement, built, referee, starting):
        return failed
    with judgement.stage(Stage.CHECK):
        cases = in_random_order(judgement.problem, judgement.checked)
        for index, case in enumerate(cases, start=1):
            judgement.tell(Step.CASE, f"Case {index} of {len(cases)}", index=index, total=len(cases))
            (drawn,) = judgement.session.sets(case)
            after = judgement.begin_case(case, referee)
            orders = _orders(judgement, case)
            report = check_in_orders(referee, drawn, orders)
            if orders[0] & RunFlag.TRACE:
                judgement.keep_replay(case, report, referee.trace)
            reports.append(judged_program(judgement.problem, case, replace(report, told_after=after)))
            if not referee.alive:
                break
    if judgement.mode is Mode.RUN or judgement.tool:
        referee.finish()  # what it printed is wanted
    outcome = _outcome(judgement, referee, reports)
    unlaunched = judgement.language is Language.TRITON and launched_nothing(referee.diagnostics)
    if outcome.verdict is Verdict.ACCEPTED and unlaunched:
        return replace(outcome, verdict=Verdict.REJECTED, message=_NO_KERNEL)
    if outcome.verdict is Verdict.ACCEPTED and judgement.problem.requirements and _counts(judgement):
        return with_requirements(judgement, outcome, parse_sums(referee.diagnostics))
    return outcome


def _counts(judgement: Judgement) -> bool:
    """Return whether checking also counts for requirements. On a GPU, the doctor counts CUDA programs."""
    return not judgement.target.ranks or judgement.language is Language.PYTHON


def _load(judgement: Judgement, built: Built, referee: Referee, starting: Stage) -> RunOutcome | None:
    with judgement.stage(starting):
        referee.ready()
    with judgement.stage(Stage.LOAD):
        failed = referee.load(*built.contents)
    if not failed:
        return None
    verdict, message = failed
    found = load_findings(referee.diagnostics, judgement.source)
    error = first_error(found)
    return RunOutcome(verdict, error.text if error else message, diagnostics=found)


def _rank(judgement: Judgement, built: Built, referee: Referee, checked: RunOutcome) -> RunOutcome:
    try:
        if referee.promote():
            outcome = _time(judgement, referee, checked)
        else:
            judgement.tell(Step.WAITING, "Waiting for exclusive use of the GPU")
            outcome = _time_alone(judgement, built, judgement.new_run(alone=True), checked)
    except Disturbed:
        outcome = _time_alone(judgement, built, _start_again(judgement), checked, last=True)
    return _second_look(judgement, built, checked, outcome) if _remarkable(outcome) else outcome


def _time_alone(
    judgement: Judgement, built: Built, referee: Referee, checked: RunOutcome, *, last: bool = False
) -> RunOutcome:
    """Time the timed cases in a fresh run that has the GPU alone."""
    return _load(judgement, built, referee, Stage.WAIT) or _time(judgement, referee, checked, last=last)


def _second_look(judgement: Judgement, built: Built, checked: RunOutcome, first: RunOutcome) -> RunOutcome:
    """Time a program once more that was faster than its GPU is known to be. The slower figure counts."""
    judgement.tell(Step.WAITING, "This is faster than expected of the GPU. The program is timed once more.")
    try:
        again = _time_alone(judgement, built, judgement.new_run(alone=True), checked)
    except Disturbed:
        again = _time_alone(judgement, built, _start_again(judgement), checked, last=True)
    if first.score is None or again.score is None:
        return again
    return max(first, again, key=lambda outcome: outcome.score.median_us if outcome.score else 0.0)


def _remarkable(outcome: RunOutcome) -> bool:
    """Whether a time is better than what the GPU was measured to reach."""
    return any(report.timing is not None and report.timing.remarkable for report in outcome.cases)


def _time(judgement: Judgement, referee: Referee, checked: RunOutcome, *, last: bool = False) -> RunOutcome:
    """Time the timed cases. `last` says that no other run comes after this one."""
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
    complete = _all_accepted(reports) and len(timings) == len(cases)
    outcome = replace(
        _outcome(judgement, referee, reports),
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


def _outcome(judgement: Judgement, referee: Referee, reports: list[CaseReport]) -> RunOutcome:
    if judgement.problem.under_test is not None:
        verdict, message = overall_of_tests(judgement.problem, reports)
        names = [case.name for case in judgement.cases]
        reports = sorted(reports, key=lambda report: names.index(report.name))
        if verdict is Verdict.ACCEPTED:
            reports = list(explained(judgement.problem, reports))
    else:
        verdict, message = _overall(reports)
    found = _told(judgement, referee.diagnostics, judgement.said_before)
    unrelated = _CAUSES if verdict is Verdict.ACCEPTED else _WASTE
    if "double" in ProgramText.read(judgement.source).names():
        unrelated = unrelated | {DiagnosticKind.DOUBLE_PRECISION}  # meant, not an accident
    unrelated = unrelated | {DiagnosticKind.SUMS}
    found = tuple(e for e in found if e.severity is not Severity.NOTE or e.kind not in unrelated)
    return RunOutcome(
        verdict, message, tuple(reports), found, referee.output, profile_report=referee.profile_report
    )


def _told(judgement: Judgement, found: tuple[Diagnostic, ...], before: int | None) -> tuple[Diagnostic, ...]:
    """`found`, with those marked that hidden cases may have caused."""
    names = [argument.name for argument in judgement.problem.arguments]
    return told(with_host_lines(found, judgement.source, names), before, judgement.source, names)


def _examined(judgement: Judgement, outcome: RunOutcome) -> RunOutcome:
    """The outcome with what the target's doctor says of a case that ended badly."""
    places = [at for at, report in enumerate(outcome.cases) if report.verdict is not Verdict.ACCEPTED]
    refused = judgement.problem.under_test is not None and outcome.verdict is Verdict.WRONG_ANSWER
    if outcome.verdict not in _EXAMINED or not places or refused:
        return outcome
    at = places[0]  # whose verdict is that of the whole
    failed = outcome.cases[at]
    case = next(case for case in judgement.cases if case.name == failed.name)
    with judgement.stage(Stage.EXAMINE):
        found = judgement.target.examine(
            judgement.problem, judgement.source, judgement.language, case, judgement.cancelled
        )
    found = _told(judgement, found, None if case.public else 0)
    verdict, message = classified(outcome.verdict, outcome.message, outcome.diagnostics, found)
    return replace(
        outcome,
        verdict=verdict,
        message=message,
        cases=(
            *outcome.cases[:at],
            replace(failed, verdict=verdict, message=message),
            *outcome.cases[at + 1 :],
        ),
        diagnostics=(*outcome.diagnostics, *found),
    )


def _raced(judgement: Judgement, built: Built, outcome: RunOutcome) -> RunOutcome:
    """The outcome of a sanitized program with the races that a further run of one case shows.

    The case is the first that failed, else the last, which is the largest as a rule.
    """
    if judgement.tool is not Tool.MEMCHECK or outcome.verdict not in _RACED or not outcome.cases:
        return outcome
    failed = [report.name for report in outcome.cases if report.verdict is not Verdict.ACCEPTED]
    wanted = failed[0] if failed else outcome.cases[-1].name
    referee = judgement.new_race_check()
    if referee is None:
        return outcome
    with judgement.stage(Stage.EXAMINE):
        referee.ready()
        if referee.load(*built.contents) is None:
            (drawn,) = judgement.session.sets(next(case for case in judgement.cases if case.name == wanted))
            referee.check(drawn, RunFlag.NONE)
            referee.finish()
        judgement.end_run()
    races = [said for said in referee.diagnostics if said.kind == DiagnosticKind.RACE]
    return replace(outcome, diagnostics=(*outcome.diagnostics, *races))


def _orders(judgement: Judgement, case: Case) -> tuple[RunFlag, ...]:
    """The orders that `case` runs in: one, but for CUDA programs in functional mode."""
    orders = run_orders(judgement.problem, case, judgement.language, functional=not judgement.target.ranks)
    first, *others = orders
    more = RunFlag.SHOW if judgement.mode is Mode.RUN and case.public else RunFlag.NONE
    if others and case.name in judgement.counted:
        first |= RunFlag.COUNT
    if case.name in judgement.required and (others or judgement.language is Language.PYTHON):
        first |= RunFlag.COUNT | RunFlag.SUMS
    if others and case.name in judgement.traced:
        first |= RunFlag.COUNT | RunFlag.TRACE
    if judgement.tool is Tool.MEMCHECK and not others:
        more |= RunFlag.SANITIZE
    return tuple(order | more for order in (first, *others))


def _all_accepted(reports: list[CaseReport]) -> bool:
    return all(report.verdict is Verdict.ACCEPTED for report in reports)


def _overall(reports: list[CaseReport]) -> tuple[Verdict, str]:
    failed = [report for report in reports if report.verdict is not Verdict.ACCEPTED]
    if not failed:
        return Verdict.ACCEPTED, ""
    return failed[0].verdict, failed[0].message


def _shown(judgement: Judgement, output: bytes) -> str:
    """Return the program's output if it comes from public cases only, else nothing."""
    if judgement.mode is not Mode.RUN:
        return ""
    own = program_output(output) if judgement.tool is Tool.PROFILER else output
    return clean(own.decode("utf-8", "replace"), MAX_OUTPUT_CHARACTERS)


def _profile(judgement: Judgement, outcome: RunOutcome) -> Profile | None:
    """Return the profile, if one was asked for."""
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


def _report(judgement: Judgement, outcome: RunOutcome, built: Built) -> Report:
    judgement.tell(Step.FINISHED, outcome.verdict.value)
    profile = _profile(judgement, outcome)
    report = Report(
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
        listings=built.all_listings(),
        attempts=judgement.attempts,
        requirements=outcome.requirements,
        profile=profile,
        checker_score=_checker_score(judgement, outcome),
        replay=judgement.replay,
        profile_report=outcome.profile_report if profile and profile.launches else None,
    )
    return replace(report, message=shown_message(report))
