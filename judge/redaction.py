"""Removes data from a report that would reveal hidden cases to the program's author.

Theory of operation. A program reads the inputs of hidden cases, and it controls its exceptions, output,
assertions and the addresses that it writes. Everything that a program controls can leak inputs. So for a
hidden case, a report only uses sentences from the tables below, selected by the verdict and by the kind of
one finding, or the sentence of the package on a broken rule. It adds four useful facts of few bits: the line,
if the source has it; the array, if the problem has it; the thread in its block, or the type of an exception,
if it is in a list; and the extent of the error, in one of four words. The report omits the grid, indices,
sizes, counts, values and texts.

Everything that follows a hidden case in the same process is *told after* it. There, the program may reveal
what it has read before. So later public cases and findings are treated like hidden ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from judge.evidence.diagnostics import first_error
from judge.evidence.exception_types import exception_type
from judge.report import CaseReport, Diagnostic, Report, Timing
from judge.runner.comparison import UNWRITTEN
from problems.vocabulary import DiagnosticKind, Group, ProgramKind, Severity, Verdict

_MOST_THREADS = 1024  # of a block
_WHERE = " Sizes and values are hidden because a hidden case was running."
_BY_VERDICT = {
    Verdict.RUNTIME_ERROR: "The program ended before solve returned, or left a CUDA error.",
    Verdict.ILLEGAL_ACCESS: "The program read or wrote outside its arrays.",
    Verdict.TIME_LIMIT: "It ran longer than the limit for one case.",
    Verdict.MEMORY_LIMIT: "It used more memory than is allowed.",
    Verdict.OUTPUT_LIMIT: "It printed too much output. Print less.",
    Verdict.COMPILE_ERROR: "The program could not be loaded.",
    Verdict.INTERNAL_ERROR: "The judge failed.",
}
_SENTENCES: Mapping[str, str] = {
    DiagnosticKind.ADDRESS_SPACE: "An instruction for one memory space used an address in another.",
    DiagnosticKind.ASSERT: "An assertion failed.",
    DiagnosticKind.BAD_FREE: "The freed pointer is not the start of a live allocation.",
    DiagnosticKind.BAD_MASK: "The mask of a warp operation excludes the thread that called it.",
    DiagnosticKind.BAD_TEXTURE: "A texture or surface does not exist or was accessed out of bounds.",
    DiagnosticKind.BANK_CONFLICT: "Threads of a warp access different words in one bank of shared memory.",
    DiagnosticKind.CANCELLATION: "A subtraction leaves little more than the rounding errors of its operands.",
    DiagnosticKind.COMPILE: "A kernel did not compile.",
    DiagnosticKind.CONTENDED_ATOMIC: "Atomic operations of a warp update one address, one after the other.",
    DiagnosticKind.COPY_DIRECTION: "The direction of a copy does not fit its pointers.",
    DiagnosticKind.CUDA_ERROR: "A CUDA call failed, or a launch was refused.",
    DiagnosticKind.DEADLOCK: "Threads deadlocked: each waited for another.",
    DiagnosticKind.DEVICE_FAULT: "Host code used memory that only kernels may use.",
    DiagnosticKind.DIVERGENT_BARRIER: "Threads of a block waited at different barriers.",
    DiagnosticKind.DIVERGENT_BRANCH: "Threads of a warp take different sides of a branch in turn.",
    DiagnosticKind.DIVISION_BY_ZERO: "An integer was divided by zero.",
    DiagnosticKind.DOUBLE_PRECISION: "Threads compute in double precision, although no array holds doubles.",
    DiagnosticKind.EXCEPTION: "solve threw an exception.",
    DiagnosticKind.EXITED_THREADS: "Threads waited for others that had already exited.",
    DiagnosticKind.HALF_OVERFLOW: "Finite numbers gave infinity in float16.",
    DiagnosticKind.HOST_ACCESS: "Host code read or wrote device memory.",
    DiagnosticKind.HOST_CRASH: "Host code crashed.",
    DiagnosticKind.HOST_POINTER: "A kernel used a pointer to host memory.",
    DiagnosticKind.ILLEGAL_ADDRESS: "A kernel read or wrote memory outside every array.",
    DiagnosticKind.LAUNCH_BOUND: "solve makes many small launches, and more of them in larger cases.",
    DiagnosticKind.LEAK: "solve returned without freeing memory, streams or events.",
    DiagnosticKind.LOW_OCCUPANCY: "Blocks have idle lanes, or all launches have one block.",
    DiagnosticKind.MEMORY: "The program requested more memory than is available.",
    DiagnosticKind.MISALIGNED: "An address is not a multiple of the size of what it accesses.",
    DiagnosticKind.MISALIGNED_VECTORS: "Contiguous accesses of warps do not start at multiples of 32 bytes.",
    DiagnosticKind.NEEDLESS_WAIT: "The host waits between kernels that run one after the other anyway.",
    DiagnosticKind.NULL_POINTER: "A null pointer was used.",
    DiagnosticKind.OUT_OF_BOUNDS: "A thread read or wrote outside an array.",
    DiagnosticKind.PAGEABLE_COPY: "Copies use pageable memory, so the driver copies the data twice.",
    DiagnosticKind.PEER_ACCESS: "A kernel used memory of another device without peer access.",
    DiagnosticKind.RACE: "Threads race: one writes what another reads or writes at the same time.",
    DiagnosticKind.REORDERED_READ: "A thread saw a later write, but then read an older value.",
    DiagnosticKind.REDUNDANT_LOADS: "Blocks load the same elements from global memory many times.",
    DiagnosticKind.RESOURCES: "A kernel needs more resources than the GPU has.",
    DiagnosticKind.ROUNDED_SUM: "The rounding errors of a sum exceed the tolerance.",
    DiagnosticKind.SHUFFLE_SOURCE: "A shuffle read from a lane that does not participate.",
    DiagnosticKind.SPILLS: "A kernel has too few registers and spills some of them to local memory.",
    DiagnosticKind.STACK: "A kernel overflowed or corrupted its stack.",
    DiagnosticKind.STACK_OVERFLOW: "The stack overflowed.",
    DiagnosticKind.STREAM_HAZARD: "Work in two streams uses the same memory, and nothing orders the two.",
    DiagnosticKind.TAIL: "The last blocks of a launch leave most of a GPU idle.",
    DiagnosticKind.TENSOR_CORES: "No tensor core computes a product of matrices with 8 or 16 bits.",
    DiagnosticKind.TIME_LIMIT: "It ran longer than the limit for one case.",
    DiagnosticKind.TRAP: "A kernel stopped itself with a trap.",
    DiagnosticKind.UNCOALESCED: "Threads of a warp access places in global memory that are far apart.",
    DiagnosticKind.UNINITIALISED: "The program read uninitialised memory.",
    DiagnosticKind.UNSUPPORTED: "A thread reached an instruction that functional mode does not support.",
    DiagnosticKind.USE_AFTER_FREE: "Memory was used after it was freed.",
    DiagnosticKind.WILD_POINTER: "The program used a pointer that points to no array.",
}
_FEW = 0.01
_REACH = "Check the grid and the indices: they must reach every element"


def told(
    found: Iterable[Diagnostic], before: int | None, source: str, arrays: Iterable[str]
) -> tuple[Diagnostic, ...]:
    """Return `found`, in order of their output, with all after the first `before` marked as hidden.

    `before` is None if no hidden case has begun. In marked findings, lines that `source` does not have are
    dropped, and so are names that are not in `arrays`.
    """
    found = tuple(found)
    if before is None:
        return found
    lines, names = source.count("\n") + 1, frozenset(arrays)
    return (*found[:before], *(_hidden(entry, lines, names) for entry in found[before:]))


class HiddenNames:
    """Names hidden cases for users who may not see them: `timed 1`, `timed 2`, in the order of each group.

    Cases of programs under test are named by the kind of program: `faulty 1`, `right 1`.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def following(self, group: Group, program: ProgramKind | None = None) -> str:
        """Return the name of the next hidden case of `group`, or of a program under test."""
        word = program.value if program else group.value
        self._counts[word] += 1
        return f"{word} {self._counts[word]}"


def redact(report: Report) -> Report:
    """Return `report` for users who may not see hidden cases."""
    cause = _cause(report)
    names = HiddenNames()
    cases = []
    for case in report.cases:
        shown = case
        if not case.public:
            shown = replace(
                case,
                name=names.following(case.group, case.program),
                sizes={},
                scalars={},
                wall_ms=_rough(case.wall_ms),
                timing=_blur(case.timing),
                checker_score=None,
            )
        if withheld(case):
            message = words(case, cause)
            shown = replace(
                shown,
                message=message,
                checked=0,
                mismatched=0,
                mismatches=(),
                wrong_outputs=(),
                outputs=(),
                inputs=(),
            )
        cases.append(shown)
    open_ones = tuple(entry for entry in report.diagnostics if not entry.hidden)
    return replace(
        report,
        message=shown_message(report),
        cases=tuple(cases),
        diagnostics=open_ones if cause is None else (*open_ones, _reduced(cause)),
    )


def shown_message(report: Report) -> str:
    """Return the message of the whole report.

    If a hidden case decided the verdict, it is a fixed sentence.
    """
    if report.verdict is Verdict.WRONG_ANSWER and any(case.program for case in report.cases):
        return report.message  # this message only counts programs
    failed = next((case for case in report.cases if case.verdict is not Verdict.ACCEPTED), None)
    if failed is None or failed.verdict is not report.verdict or not withheld(failed):
        return report.message
    return words(failed, _cause(report))


def withheld(case: CaseReport) -> bool:
    """Return whether the program could reveal in `case` what it has read in a hidden case."""
    return not case.public or case.told_after


def words(case: CaseReport, cause: Diagnostic | None) -> str:
    """Return the message for a withheld case. `cause` is the finding that explains these cases, if any."""
    match case.verdict:
        case Verdict.CANCELLED:
            return ""
        case Verdict.ACCEPTED | Verdict.REJECTED:
            return case.message  # the referee wrote this message
        case Verdict.WRONG_ANSWER:
            return case.message if case.program else _wrong(case)
    if cause is not None and cause.severity is Severity.ERROR:
        return _sentence(cause)
    return _BY_VERDICT[case.verdict] + _WHERE


def _hidden(entry: Diagnostic, lines: int, names: frozenset[str]) -> Diagnostic:
    return replace(
        entry,
        hidden=True,
        line=entry.line if entry.line is not None and entry.line <= lines else None,
        array=entry.array if entry.array in names else None,
    )


def _cause(report: Report) -> Diagnostic | None:
    """Return the one finding of hidden cases to show: the fatal one, else the first warning, else a note."""
    hidden = [entry for entry in report.diagnostics if entry.hidden]
    known = [entry for entry in hidden if entry.kind in _SENTENCES]
    by_severity = (
        entry
        for severity in (Severity.WARNING, Severity.NOTE)
        for entry in known
        if entry.severity is severity
    )
    return first_error(hidden) or next(by_severity, None)


def _reduced(entry: Diagnostic) -> Diagnostic:
    """Return `entry` with a fixed sentence as its message."""
    thread = entry.thread if entry.kind != DiagnosticKind.EXCEPTION else None  # host code has none
    if thread is not None and (thread[0] + 1) * (thread[1] + 1) * (thread[2] + 1) > _MOST_THREADS:
        thread = None
    return Diagnostic(
        severity=entry.severity,
        kind=entry.kind if entry.kind in _SENTENCES else DiagnosticKind.HIDDEN,
        message=_sentence(entry),
        thread=thread,
        line=entry.line,
        array=entry.array,
        hidden=True,
    )


def _sentence(entry: Diagnostic) -> str:
    sentence = _SENTENCES.get(entry.kind, "The program failed.")
    if entry.kind == DiagnosticKind.EXCEPTION and (name := exception_type(entry.message)):
        sentence = f"{sentence[:-1]} of type {name}."
    if entry.array:
        sentence = f"{sentence[:-1]}: {entry.array}."
    return sentence + _WHERE


def _wrong(case: CaseReport) -> str:
    """Return the broken rule, or else a coarse description of the share of wrong elements.

    A rule is a sentence of the package. The description has one word for all wrong outputs together, so
    several outputs reveal no more than one.
    """
    if case.rule:
        return f"{case.rule}{_WHERE}"
    checked = sum(output.checked for output in case.wrong_outputs) or case.checked
    share = case.mismatched / checked if checked else 1.0
    many = "All" if share == 1 else "Most" if share > 1 / 2 else "A few" if share < _FEW else "Many"
    names = " and ".join(dict.fromkeys(entry.argument for entry in case.mismatches))
    text = f"{many} elements{f' of {names}' if names else ''} are wrong"
    if case.mismatches and all(entry.got == UNWRITTEN for entry in case.mismatches):
        text = f"{text}; the first of them were never written. {_REACH}"
    return f"{text}.{_WHERE}"


def _blur(timing: Timing | None) -> Timing | None:
    """Return `timing` without values from which the sizes of the case follow."""
    if timing is None:
        return None
    percent, placement = timing.roofline_percent, timing.placement
    return replace(
        timing,
        floor_us=None,
        roofline_percent=None if percent is None else round(percent),
        placement=placement
        and replace(
            placement,
            intensity=float(f"{placement.intensity:.1e}"),
            bytes_per_s=float(f"{placement.bytes_per_s:.1e}"),
        ),
    )


def _rough(ms: float | None) -> float | None:
    """Return `ms` rounded to one significant digit, because the program controls this time."""
    return None if ms is None else float(f"{ms:.0e}")
