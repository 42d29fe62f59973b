"""Runs a small case in several orders of blocks and threads. CUDA guarantees none, so all must pass.

Theory of operation. A program with a data race may be right by luck, each time, in the order that it happens
to run in. Functional mode runs small cases on one thread of the host, so it can choose the order, which
is the same on every host (`sandbox/cpu/runtime/scheduler.h`):

    ascending    watched for races, which become warnings
    descending   likewise; what trusts that earlier blocks or threads have run goes wrong
    interleaved  all threads get to their next access before any goes on, and writes that raced wait for all
                 others; what reads, changes and writes in three steps goes wrong

A program in which a race was found runs in four further orders, in which its reads come late. There threads
are held before a read that raced, and one after the other goes as far as it can:

    last first     threads of high numbers go first; what counts on them not to write yet goes wrong
    first first    likewise with threads of low numbers
    torn           both again; the first such read after a barrier is not held, so that a thread which reads
                   several words gets old and new ones

In the ascending and the interleaved order, a read that nothing orders after a write sees the value before it.
So a program that lacks a fence, a barrier or __syncwarp computes with old values.

An order in which an output is wrong proves that the race can change it. So no submission fails for a race
that does no harm, such as a search in which all threads store the same.

Streams run in the order of the calls at first. If some of their work lacks an order, the other two runs
postpone it.

Fresh memory holds another value in each order, so that a program which reads what nothing has written is not
right by luck in all of them.

A program may also be wrong in a later order because it keeps something from the call before, whatever the
order is. So if a later order is wrong, the first one runs again. If its output is now wrong too, although the
inputs are the same, the order is not the reason. It runs twice, since what is kept may change at every other
call.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from judge.cases import LATE_READS, ORDERS
from judge.compiler.host_lines import with_host_lines
from judge.compiler.kept import kept_text
from judge.cpu.races import broken_barrier, has_data_race, race_among, race_text
from judge.drawn import CaseData
from judge.report import CaseReport, Diagnostic
from judge.target import Referee
from problems.vocabulary import DiagnosticKind, Verdict
from sandbox.wire import RunFlag

REPEATS = 2  # of the first order, if a later one is wrong
_ORDER = (
    "The output is correct in another order of blocks and threads, but CUDA guarantees no order. Synchronise "
    "the dependent steps, or split them into separate launches."
)
_MISSED = "Some threads miss a barrier"
_UNINITIALISED = (
    "The output depends on memory that the program has not initialised. "
    "Write to the memory before you read it."
)
_KEPT = (
    "The result changes from one call of solve to the next, because the program keeps something between calls"
)


def check_in_orders(
    referee: Referee,
    drawn: CaseData,
    orders: Sequence[RunFlag],
    *,
    source: str = "",
    right_alone: Callable[[], bool] = lambda: False,
    several: bool = False,
) -> CaseReport:
    """The report of the first order in which `drawn` is not accepted, else that of the first order.

    If there are several `orders` and a race has been found, LATE_READS follow. A wrong answer is explained by
    what the program keeps between calls, or by the race or the read of uninitialised memory that was found in
    this case. `source` is the text of the program, which may name what it keeps. `right_alone` says whether
    the case is right if no other comes before it. It is asked if the first order is wrong without a race.
    `several` says that the runner holds several programs, so a finding may belong to another one.
    """
    before = len(referee.diagnostics)
    reports: list[CaseReport] = []
    for order in with_late_reads(referee, orders):
        reports.append(referee.check(drawn, order))
        if reports[-1].verdict is not Verdict.ACCEPTED:
            break
    else:
        return reports[0]
    last, right_before = reports[-1], len(reports) > 1
    found = () if several else with_host_lines(referee.diagnostics[before:], source)
    raced = race_among(found) is not None
    if last.verdict is not Verdict.WRONG_ANSWER:
        return _after_a_right_call(last, source) if right_before and not raced else last
    if right_before:
        kept = not several and changes_between_calls(lambda flags: referee.check(drawn, flags))
    else:
        kept = not raced and right_alone()
    if kept:
        return _told_what_is_kept(last, source)
    return _explained(last, found, right_before=right_before, so_far=referee.diagnostics)


def with_late_reads(referee: Referee, orders: Sequence[RunFlag]) -> Iterator[RunFlag]:
    """Yield `orders`, and after several of them LATE_READS if `referee` knows of a data race by then."""
    yield from orders
    if len(orders) > 1 and has_data_race(referee.diagnostics):
        yield from LATE_READS


def changes_between_calls(check: Callable[[RunFlag], CaseReport]) -> bool:
    """Whether a case that was accepted in the first order is not when `check` runs it so again."""
    return any(check(ORDERS[0]).verdict is not Verdict.ACCEPTED for _ in range(REPEATS))


def _told_what_is_kept(report: CaseReport, source: str) -> CaseReport:
    """`report` on a wrong output that follows from what the program `source` keeps between calls."""
    names = kept_text(source)
    kept = f": {names}" if names else ", such as a static variable, a __device__ variable or memory"
    return replace(report, message=f"{report.message} {_KEPT}{kept}. Set it in each call.")


def _after_a_right_call(report: CaseReport, source: str) -> CaseReport:
    """The report on a call that failed otherwise than by its output, after one with the same inputs."""
    names = kept_text(source)
    if not names:
        return report
    more = f"The call before, with the same inputs, was correct. Kept between calls: {names}."
    return replace(report, message=f"{report.message} {more}")


def _explained(
    report: CaseReport, found: Iterable[Diagnostic], *, right_before: bool, so_far: Iterable[Diagnostic]
) -> CaseReport:
    """`report` with what was `found` in its case. A barrier may be known from an earlier case."""
    found = tuple(found)
    race = race_among(found)
    if race is not None:
        if barrier := broken_barrier(race, so_far):
            return replace(report, message=f"{report.message} {_MISSED}: {barrier.message}")
        return replace(report, message=f"{report.message} {race_text(race)}")
    if not right_before:
        return report
    uninitialised = any(diagnostic.kind == DiagnosticKind.UNINITIALISED for diagnostic in found)
    return replace(report, message=f"{report.message} {_UNINITIALISED if uninitialised else _ORDER}")
