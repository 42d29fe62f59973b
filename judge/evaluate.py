"""Evaluates a submission: the only path from a source to a report.

Theory of operation. Three independent tasks overlap: the program compiles, the oracle draws the cases, and a
runner and a share of the GPU are prepared. The stages are:

    compile   the source, isolated, or an artifact of the cache
    check     every case but the timed ones, in order; on a GPU others check theirs at the same time
    examine   on a GPU, the races that functional mode found in parallel (`judge.race_watch`)
    rank      the timed cases, on a GPU held exclusively; only for submissions that passed

After a wrong answer, the other cases still run; after the runner died, they do not. The verdict is the
verdict of the first case that is not accepted. Submissions that are tests have another rule (`judge.kills`).
If all cases are accepted, the requirements of the problem decide (`judge.requirements`), before anything is
ranked.

On a shared GPU, another program can end a run. The referee then raises `Disturbed`. The program runs from the
start, alone, with a new runner, and only this run counts. The runner that passed the checks is also timed if
its lease can become exclusive at once. Otherwise it is stopped, so that no submitted code runs during the
wait, and a new runner is timed. A program that was disturbed while it was timed, or that beat the roofline of
its GPU, is timed once more, alone. If the GPU is still busy in that run and NVML saw no other process, the
program itself keeps the GPU busy and is rejected.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from threading import Event

from judge.built import Built
from judge.cases import select_cases
from judge.errors import Disturbed, JudgeError, JudgementCancelled
from judge.judgement import Judgement, RunOutcome
from judge.report import ProgressEvent, Report, StageTime
from judge.requirements import count_elsewhere, with_requirements
from judge.scalars import with_scalars
from judge.scoring import unsuited
from judge.seeds import board_seed
from judge.stages.checking import check_cases, check_counts
from judge.stages.examining import with_examination, with_notes, with_races, with_watched_race
from judge.stages.ranking import rank
from judge.stages.reporting import report_of
from judge.stages.running import start_again
from judge.target import Target
from judge.values import NO_VALUES, Values, matching_nan
from problems.fix import refused_changes
from problems.libraries import refused_include
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Stage, Step, Verdict
from sandbox.gpu.tool import Tool


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

    The first three options apply only in `run` mode. `sizes` replaces the cases by one case of the user's
    own, and `values` replace inputs that would be drawn for it. `seed` determines the contents of public
    cases, so that a run can be repeated. `gpu_model` requests a GPU of that model. With `tool`, the program
    runs alone under this tool on targets with GPUs, and nothing is ranked. The profiler is only for runs.
    `board_key` is the site's secret. If a problem is ranked by its checker's score, its contents are derived
    from this key. Without the key they are random, and the scores are not comparable. This thread calls
    `on_progress`, and `on_stage` at the end of each stage. When `cancelled` is set, the sandboxes are killed,
    and the verdict is `cancelled`.

    Raises:
        judge.sizes.CustomCaseInvalid: `sizes` or `values` do not fit the problem.
        ValueError: `seed` or the profiler is used in another mode, in which they would reveal hidden cases or
            their sizes.
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed. The user must not be charged.
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
    missing = _why_not_profiled(problem, language, target) if tool is Tool.PROFILER else ""
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
            return report_of(judgement, RunOutcome(Verdict.CANCELLED, "Cancelled."), Built())
        except JudgeError:
            charged = judgement.overdrawn()
            if charged is None:
                raise
            return report_of(judgement, RunOutcome(*charged), Built())


def _why_not_profiled(problem: Problem, language: Language, target: Target) -> str:
    """Return why a program cannot be profiled, as a text for the user; empty if it can be."""
    if language is not Language.CUDA:
        return "Only CUDA C++ programs can be profiled."
    if problem.devices_needed > 1:
        return "Programs for several GPUs are not profiled."
    if not target.ranks:
        return "This program ran in functional mode. Only a GPU has hardware counters."
    if Tool.PROFILER not in target.tools:
        return "The node that judged this run has no Nsight Compute. An administrator can install it there."
    return ""


def _judge(judgement: Judgement) -> Report:
    if refusal := _refusal(judgement.problem, judgement.source, judgement.language):
        return report_of(judgement, RunOutcome(Verdict.REJECTED, refusal), Built())
    referee = judgement.new_run(alone=judgement.tool is not None)
    judgement.tell(Step.COMPILING, "Compiling")
    with judgement.stage(Stage.COMPILE):
        built = judgement.target.build(
            judgement.problem, judgement.source, judgement.language, judgement.cancelled
        )
    if built.failure:
        return report_of(
            judgement, RunOutcome(built.failure, built.message, diagnostics=built.diagnostics), built
        )
    judgement.tell(Step.COMPILED, "Compiled")
    with judgement.watch() as watch:
        try:
            outcome = check_cases(judgement, built, referee)
        except Disturbed:
            referee = start_again(judgement)
            outcome = check_cases(judgement, built, referee, starting=Stage.WAIT)
        if watch and outcome.verdict is Verdict.ACCEPTED:
            outcome = with_watched_race(judgement, watch, outcome)
    if outcome.verdict is Verdict.ACCEPTED and judgement.problem.requirements and not check_counts(judgement):
        outcome = with_requirements(judgement, outcome, count_elsewhere(judgement))
    if outcome.verdict is Verdict.ACCEPTED and judgement.timed:
        excuse = unsuited(judgement.problem, judgement.session.environment.get("gpu", ""))
        outcome = replace(outcome, message=excuse) if excuse else rank(judgement, built, referee, outcome)
    judgement.end_run()
    outcome = with_races(judgement, built, outcome)
    outcome = with_examination(judgement, outcome)
    return report_of(judgement, with_notes(judgement, built, outcome), built)


def _refusal(problem: Problem, source: str, language: Language) -> str:
    """Return why the program is rejected because of its text, for its author; empty if it is not."""
    allowed = problem.limits.libraries
    if language is Language.CUDA and (found := refused_include(source, allowed)):
        return found
    return refused_changes(problem.starters[language], source, language, problem.fix) if problem.fix else ""
