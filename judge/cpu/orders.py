"""Runs a small case in several orders of blocks and threads. A GPU guarantees no order, so all must pass.

Theory of operation. A program with a data race may happen to be right every time in one particular order.
Functional mode runs small cases on one thread of the host, so it can choose the order, which is the same on
every host (`sandbox/cpu/runtime/scheduler.h`):

    ascending    watched for races, which become warnings
    descending   likewise; what trusts that earlier blocks or threads have run goes wrong
    interleaved  all threads reach their next access before any continues, and racing writes wait for all
                 others; what reads, changes and writes in three steps goes wrong

If a race was found, the program runs in four further orders, in which its reads are delayed. Threads are
stopped before a racing read, and then each thread in turn runs as far as it can:

    last first     threads of high numbers go first; what counts on them not to write yet goes wrong
    first first    likewise with threads of low numbers
    torn           both again; the first such read after a barrier is not held, so that a thread which reads
                   several words gets old and new ones

In the ascending and the interleaved order, a read that is not ordered after a write sees the value before the
write. So a program that lacks a fence, a barrier or __syncwarp computes with old values.

A Triton program runs the programs of a grid one after the other, each from its start to its end. Small cases
run in one order, and those of the group `odd` in two: ascending and descending. In ascending order, a racing
read sees the value before the launch (`sandbox/runner/program_races.py`).

A wrong output in some order proves that the race can change the output. So no submission fails for a harmless
race, such as a search in which all threads store the same value.

In the first run, work of streams runs in the order of the calls. If some of it is unordered, the other two
runs postpone it.

New memory holds a different value in each order, so that a program that reads uninitialised memory is not
right by luck in all orders.

A program may also be wrong in a later order because it keeps state from the call before. So if a later order
is wrong, the first order is repeated. If its output is now wrong although the inputs are the same, the order
is not the cause. The first order is repeated twice, since the kept state may alternate between calls.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from judge.cases import LATE_READS, ORDERS
from judge.compiler.host_lines import with_host_lines
from judge.compiler.kept import kept_text
from judge.cpu.races import broken_barrier, race_among, race_text
from judge.drawn import CaseData
from judge.report import CaseReport, Diagnostic
from judge.target import Referee
from problems.vocabulary import DiagnosticKind, Verdict
from sandbox.wire import RunFlag

REPEATS = 2  # repeats of the first order, if a later order is wrong
_ORDER = (
    "The output is correct in another order of blocks and threads, but a GPU guarantees no order. "
    "Synchronise the dependent steps, or split them into separate launches."
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
    """Return the report of the first order in which `drawn` is not accepted, else of the first order.

    If there are several `orders` and a race has been found, LATE_READS follow. The message on a wrong answer
    names the cause: state that the program keeps between calls, a race, or a read of uninitialised memory
    that was found in this case. `source` is the text of the program, in which variables that keep state are
    searched. `right_alone` returns whether the case is right if no other case comes before it; it is called
    if the first order is wrong without a race. `several` says that the runner holds several programs, so a
    finding may belong to another program.
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
    return _explained(last, found, right_before=right_before, so_far=() if several else referee.diagnostics)


def with_late_reads(referee: Referee, orders: Sequence[RunFlag]) -> Iterator[RunFlag]:
    """Yield `orders`, and then LATE_READS if these are orders of CUDA and `referee` has found a data race."""
    yield from orders
    if any(order & RunFlag.INTERLEAVED for order in orders) and race_among(
        referee.diagnostics, (DiagnosticKind.RACE,)
    ):
        yield from LATE_READS


def changes_between_calls(check: Callable[[RunFlag], CaseReport]) -> bool:
    """Return whether a case that was accepted in the first order fails when `check` repeats this order."""
    return any(check(ORDERS[0]).verdict is not Verdict.ACCEPTED for _ in range(REPEATS))


def _told_what_is_kept(report: CaseReport, source: str) -> CaseReport:
    """Return `report` with a message that the program `source` keeps state between calls."""
    names = kept_text(source)
    kept = f": {names}" if names else ", such as a static variable, a __device__ variable or memory"
    return replace(report, message=f"{report.message} {_KEPT}{kept}. Set it in each call.")


def _after_a_right_call(report: CaseReport, source: str) -> CaseReport:
    """Return the report on a call that crashed or timed out after a right call with the same inputs."""
    names = kept_text(source)
    if not names:
        return report
    more = f"The call before, with the same inputs, was correct. Kept between calls: {names}."
    return replace(report, message=f"{report.message} {more}")


def _explained(
    report: CaseReport, found: Iterable[Diagnostic], *, right_before: bool, so_far: Iterable[Diagnostic]
) -> CaseReport:
    """Return `report`, explained by what was `found` in its case.

    A barrier or a reordered read may be known from an earlier case.
    """
    found = tuple(found)
    race = race_among(found)
    if race is not None:
        if barrier := broken_barrier(race, so_far):
            return replace(report, message=f"{report.message} {_MISSED}: {barrier.message}")
        return replace(report, message=f"{report.message} {race_text(race)}")
    if reordered := race_among(so_far, (DiagnosticKind.REORDERED_READ,)):
        return replace(report, message=f"{report.message} {reordered.message}")
    if not right_before:
        return report
    uninitialised = any(diagnostic.kind == DiagnosticKind.UNINITIALISED for diagnostic in found)
    return replace(report, message=f"{report.message} {_UNINITIALISED if uninitialised else _ORDER}")
