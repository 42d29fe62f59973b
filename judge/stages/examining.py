"""The stage `examine` and notes. They explain or change an outcome after all cases are checked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judge.built import Built
from judge.compiler.signature import width_notes
from judge.compiler.source import ProgramText
from judge.counters import CAPABILITY
from judge.evidence.faults import classified
from judge.evidence.launch_shapes import shape_notes
from judge.evidence.spills import spill_notes
from judge.evidence.tails import tail_notes
from judge.judgement import Judgement, RunOutcome
from judge.race_watch import RaceWatch
from judge.report import Diagnostic
from judge.stages.outcome import told_to_author
from problems.requirements import input_bytes
from problems.vocabulary import DiagnosticKind, Language, Severity, Stage, Verdict
from sandbox.gpu.tool import Tool
from sandbox.wire import RunFlag

_EXAMINED = {Verdict.ILLEGAL_ACCESS, Verdict.RUNTIME_ERROR, Verdict.WRONG_ANSWER}
_OPERATOR = "pytorch"  # the runner's kind for operators that compute
_PYTHON = (
    "This problem also accepts Python programs, which may compute with PyTorch and with Triton kernels. "
    "To use both, choose Python and submit the same text."
)
_RACED = {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}  # these do not rule out a race


def with_watched_race(judgement: Judgement, watch: RaceWatch, outcome: RunOutcome) -> RunOutcome:
    """Return the outcome, or a wrong answer if a race was found that changes an output in another order."""
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


def with_examination(judgement: Judgement, outcome: RunOutcome) -> RunOutcome:
    """Return the outcome with the doctor's findings on the case that failed."""
    places = [at for at, report in enumerate(outcome.cases) if report.verdict is not Verdict.ACCEPTED]
    refused = judgement.problem.under_test is not None and outcome.verdict is Verdict.WRONG_ANSWER
    if outcome.verdict not in _EXAMINED or not places or refused:
        return outcome
    at = places[0]  # the case that decided the verdict
    failed = outcome.cases[at]
    case = next(case for case in judgement.cases if case.name == failed.name)
    with judgement.stage(Stage.EXAMINE):
        found = judgement.target.examine(
            judgement.problem, judgement.source, judgement.language, case, judgement.cancelled
        )
    found = told_to_author(judgement, found, None if case.public else 0)
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


def with_races(judgement: Judgement, built: Built, outcome: RunOutcome) -> RunOutcome:
    """Return the outcome of a sanitized program with races from a further run of one case.

    This is the first case that failed, else the last case, which is usually the largest.
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
            drawn, *_ = judgement.session.sets(next(case for case in judgement.cases if case.name == wanted))
            referee.check(drawn, RunFlag.NONE)
            referee.finish()
        judgement.end_run()
    races = [said for said in referee.diagnostics if said.kind == DiagnosticKind.RACE]
    return replace(outcome, diagnostics=(*outcome.diagnostics, *races))


def with_notes(judgement: Judgement, built: Built, outcome: RunOutcome) -> RunOutcome:
    """Return the outcome with notes: on how `solve` is declared, on launches, and on a better language."""
    if judgement.language is Language.TRITON:
        return _with_language(judgement.problem.languages, outcome)
    if judgement.language is not Language.CUDA:
        return outcome
    notes = width_notes(ProgramText.read(judgement.source), judgement.problem)
    if outcome.verdict is Verdict.ACCEPTED:
        most = max(input_bytes(judgement.problem.arguments, case) for case in judgement.checked)
        capability = _capability(judgement.session.environment)
        notes = (
            *notes,
            *shape_notes(outcome.diagnostics, judgement.source, most),
            *spill_notes(outcome.diagnostics, judgement.source, built.kernels),
            *tail_notes(outcome.diagnostics, judgement.source, built.kernels, capability),
        )
    return replace(outcome, diagnostics=(*outcome.diagnostics, *notes)) if notes else outcome


def _capability(environment: Mapping[str, str]) -> tuple[int, int]:
    """Return the compute capability of the GPU, or the one for which functional mode compiles."""
    major, _, minor = environment.get("capability", "").partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else CAPABILITY


def _with_language(offered: Sequence[Language], outcome: RunOutcome) -> RunOutcome:
    """Return the outcome, and suggest Python if a Triton program was rejected because PyTorch computes."""
    refused = outcome.verdict is Verdict.REJECTED and any(
        said.kind in {_OPERATOR, DiagnosticKind.NO_KERNEL} for said in outcome.diagnostics
    )
    if not refused or Language.PYTHON not in offered:
        return outcome
    note = Diagnostic(Severity.NOTE, _OPERATOR, _PYTHON)
    return replace(outcome, diagnostics=(*outcome.diagnostics, note))
