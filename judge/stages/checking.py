"""The stage `check`: the program runs every case but the timed ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from judge.built import Built
from judge.cases import run_orders
from judge.compiler.kept import kept_text
from judge.cpu.first_call import right_as_first_call
from judge.cpu.orders import check_in_orders
from judge.drawn import CaseData
from judge.evidence.launches import launched_nothing
from judge.evidence.masked_loads import without_unrelated_masks
from judge.evidence.sums import parse_sums
from judge.judgement import Judgement, RunOutcome
from judge.kills import in_random_order, judged_program
from judge.report import CaseReport
from judge.requirements import with_requirements
from judge.stages.outcome import all_accepted, outcome_of
from judge.stages.redrawn import check_redrawn
from judge.stages.running import load
from judge.target import Referee
from problems.schema import Case
from problems.vocabulary import DiagnosticKind, Language, Mode, Stage, Step, Verdict
from sandbox.gpu.tool import Tool
from sandbox.wire import RunFlag

_NO_KERNEL = "No case launched a Triton kernel. A Triton submission must compute in kernels."


def check_cases(
    judgement: Judgement, built: Built, referee: Referee, *, starting: Stage = Stage.START
) -> RunOutcome:
    """Load the program into the runner of `referee` and check its cases. Returns the outcome of this stage.

    The wait for the runner counts to the stage `starting`. A Triton program may need the zeros that masked
    loads return on a GPU. Such a program is checked a second time from the first case, in a new runner in
    which masked loads return zeros. So it cannot answer one case in two ways.

    Raises:
        Disturbed: another program ended this one on a shared GPU.
        JudgeError: the judge itself failed.
    """
    outcome = _checked(judgement, built, referee, starting)
    if not _may_need_zeros(judgement, referee, outcome):
        return outcome
    filled = _checked(judgement, built, judgement.new_run(alone=False), Stage.START, zeros=True)
    if filled.verdict is Verdict.ACCEPTED:
        return filled
    return replace(
        outcome, diagnostics=without_unrelated_masks(outcome.diagnostics, outcome.cases, filled.cases)
    )


def _checked(
    judgement: Judgement, built: Built, referee: Referee, starting: Stage, *, zeros: bool = False
) -> RunOutcome:
    reports: list[CaseReport] = []
    if failed := load(judgement, built, referee, starting):
        return failed
    with judgement.stage(Stage.CHECK):
        cases = in_random_order(judgement.problem, judgement.checked)
        for index, case in enumerate(cases, start=1):
            judgement.tell(Step.CASE, f"Case {index} of {len(cases)}", index=index, total=len(cases))
            drawn, *redrawn = judgement.session.sets(case)
            after = judgement.begin_case(case, referee)
            orders = _orders(judgement, case, zeros=zeros)
            alone = _right_alone(judgement, built, drawn, reports)
            report = check_in_orders(referee, drawn, orders, source=judgement.source, right_alone=alone)
            if report.verdict is Verdict.ACCEPTED and redrawn and not judgement.tool:
                report = check_redrawn(judgement, built, referee, redrawn[0], orders) or report
            if orders[0] & RunFlag.TRACE:
                judgement.keep_replay(case, report, referee.trace, referee.diagnostics)
            reports.append(judged_program(judgement.problem, case, replace(report, told_after=after)))
            if not referee.alive:
                break
    if judgement.mode is Mode.RUN or judgement.tool:
        referee.finish()  # to get its output
    outcome = outcome_of(judgement, referee, reports, zeros_needed=zeros)
    unlaunched = judgement.language is Language.TRITON and launched_nothing(referee.diagnostics)
    if outcome.verdict is Verdict.ACCEPTED and unlaunched:
        return replace(outcome, verdict=Verdict.REJECTED, message=_NO_KERNEL)
    if outcome.verdict is Verdict.ACCEPTED and judgement.problem.requirements and check_counts(judgement):
        return with_requirements(judgement, outcome, parse_sums(referee.diagnostics))
    return outcome


def _may_need_zeros(judgement: Judgement, referee: Referee, outcome: RunOutcome) -> bool:
    """Return whether a wrong Triton program may be right if masked loads return zeros.

    Triton does not define the value of masked elements. Programs compiled for an NVIDIA GPU get zeros.
    """
    if judgement.target.ranks or judgement.language is not Language.TRITON:
        return False
    return outcome.verdict is Verdict.WRONG_ANSWER and any(
        found.kind == DiagnosticKind.MASKED_LOAD for found in referee.diagnostics
    )


def check_counts(judgement: Judgement) -> bool:
    """Return whether checking also counts for requirements. On a GPU, the doctor counts CUDA programs."""
    return not judgement.target.ranks or judgement.language is Language.PYTHON


def _right_alone(
    judgement: Judgement, built: Built, drawn: CaseData, earlier: Sequence[CaseReport]
) -> Callable[[], bool]:
    """Return a function that tests whether the program gets `drawn` right in a new runner.

    The test runs only in functional mode, for the first wrong case, if a case before it was right.
    """
    asked = earlier and all_accepted(earlier) and not judgement.target.ranks
    if not asked or judgement.language is not Language.CUDA or not kept_text(judgement.source):
        return lambda: False
    return lambda: right_as_first_call(judgement.session, built.contents, drawn)


def _orders(judgement: Judgement, case: Case, *, zeros: bool) -> tuple[RunFlag, ...]:
    """Return the orders in which `case` runs. Only functional mode has more than one."""
    orders = run_orders(judgement.problem, case, judgement.language, functional=not judgement.target.ranks)
    first, *others = orders
    counts = others and judgement.language is Language.CUDA
    more = RunFlag.SHOW if judgement.mode is Mode.RUN and case.public else RunFlag.NONE
    more |= RunFlag.ZEROS if zeros else RunFlag.NONE
    if counts and case.name in judgement.counted:
        first |= RunFlag.COUNT
    if case.name in judgement.required and (counts or judgement.language is Language.PYTHON):
        first |= RunFlag.COUNT | RunFlag.SUMS
    if counts and case.name in judgement.traced:
        first |= RunFlag.COUNT | RunFlag.TRACE
    if judgement.tool is Tool.MEMCHECK and not others:
        more |= RunFlag.SANITIZE
    return tuple(order | more for order in (first, *others))
