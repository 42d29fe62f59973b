"""Checks a case a second time, with other inputs of the same sizes; see `judge.cases.redrawn_case`."""

from collections.abc import Sequence
from dataclasses import replace

from judge.built import Built
from judge.compiler.kept import kept_text
from judge.cpu.first_call import right_as_first_call
from judge.cpu.races import race_among, race_text
from judge.drawn import CaseData
from judge.judgement import Judgement
from judge.report import CaseReport
from judge.target import Referee
from problems.vocabulary import DiagnosticKind, Language, Verdict
from sandbox.wire import RunFlag

_ONLY_FIRST = RunFlag.SHOW | RunFlag.COUNT | RunFlag.SUMS | RunFlag.TRACE
_BEFORE = "The previous call, with the same sizes and other inputs, was correct."
_KEPT = "The program keeps something between calls"


def check_redrawn(
    judgement: Judgement, built: Built, referee: Referee, drawn: CaseData, orders: Sequence[RunFlag]
) -> CaseReport | None:
    """Check `drawn` after correct calls with the same sizes. Return the report, or None if it is accepted.

    `orders` are those of the previous calls. If a hazard between streams was found, `drawn` is checked in the
    second order, which postpones work. Memory that the program keeps between calls then holds results for
    other inputs, while it held the right ones in the previous calls. Otherwise, it is checked in the first.

    If the output is wrong in functional mode, the message names the hazard. Without one, the judge checks
    `drawn` in a new runner. If it is right there, the message says that the program keeps something between
    calls.
    """
    hazard = race_among(referee.diagnostics, (DiagnosticKind.STREAM_HAZARD,)) if len(orders) > 1 else None
    order = orders[0 if hazard is None else 1] & ~_ONLY_FIRST
    report = referee.check(drawn, order)
    if report.verdict is Verdict.ACCEPTED:
        return None
    message = f"{report.message} {_BEFORE}"
    if hazard is not None:
        message = f"{message} {race_text(hazard)}"
    elif not judgement.target.ranks and right_as_first_call(judgement.session, built.contents, drawn, order):
        names = kept_text(judgement.source) if judgement.language is Language.CUDA else ""
        message = f"{message} {_KEPT}{f': {names}' if names else ''}. Compute it in each call."
    return replace(report, message=message)
