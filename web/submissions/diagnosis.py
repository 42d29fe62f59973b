"""The diagnosis of a report for learners: findings, the most important first, and the counts of kernels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from judge.evidence.counts import KernelCounts, parse_counts
from judge.evidence.diagnostics import findings, headline
from judge.report import Diagnostic, Mismatch, Report
from problems.vocabulary import DiagnosticKind, Severity, Verdict
from web.site.findings import page_of_finding

# The order of notes: leaks come first, because they are faults; then notes that usually cost the most time.
_NOTES = (
    DiagnosticKind.LEAK,
    DiagnosticKind.LAUNCH_BOUND,
    DiagnosticKind.PAGEABLE_COPY,
    DiagnosticKind.NEEDLESS_WAIT,
    DiagnosticKind.SPILLS,
    DiagnosticKind.TENSOR_CORES,
    DiagnosticKind.LOW_OCCUPANCY,
    DiagnosticKind.UNCOALESCED,
    DiagnosticKind.REDUNDANT_LOADS,
    DiagnosticKind.BANK_CONFLICT,
    DiagnosticKind.CONTENDED_ATOMIC,
    DiagnosticKind.DIVERGENT_BRANCH,
    DiagnosticKind.MISALIGNED_VECTORS,
    DiagnosticKind.DOUBLE_PRECISION,
    DiagnosticKind.TAIL,
)
# Ineffective barriers, which cause the races in a kernel.
_CAUSES_OF_RACES = {DiagnosticKind.DIVERGENT_BARRIER, DiagnosticKind.EXITED_THREADS}


@dataclass(frozen=True, slots=True)
class ExplainedFinding:
    """A finding with its explanation. `evidence` is its message, with the numbers that were counted.

    `why` and `check` are empty, and `url` too, for kinds without a page. `url` is a path on the site. `gain`
    says how much the kernel could save; it is empty if that is not counted.
    """

    severity: Severity
    kind: str
    title: str
    line: int | None
    kernel: str | None
    evidence: str
    why: str
    check: str
    url: str
    gain: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings of a report, the most important one first, and the counts of each kernel.

    `unexplained` has sentences on wrong elements and on what to do, if no finding explains a wrong answer.
    """

    findings: tuple[ExplainedFinding, ...]
    counts: tuple[KernelCounts, ...]
    unexplained: tuple[str, ...] = ()


def diagnose(report: Report) -> Diagnosis:
    """Return the diagnosis of `report`, which may be redacted."""
    counts = parse_counts(report.diagnostics)
    of_kernels = {entry.kernel: entry for entry in counts}
    return Diagnosis(
        tuple(_explain(found, of_kernels.get(found.kernel or "")) for found in ranked(report)),
        counts,
        tuple(_unexplained(report)),
    )


def ranked(report: Report) -> tuple[Diagnostic, ...]:
    """Return the findings of `report`, the most important one first.

    There is one finding for each kind and line. The first finding of each kind comes before further findings
    of any kind.
    """
    leading = headline(report)
    # Below, sorting is stable: findings of equal weight keep this order.
    found = findings(report.diagnostics)
    causes = {entry.kernel for entry in found if entry.kind in _CAUSES_OF_RACES}
    if leading is not None and leading.kind == DiagnosticKind.RACE and leading.kernel in causes:
        kernel = leading.kernel
        leading = next(entry for entry in found if entry.kind in _CAUSES_OF_RACES and entry.kernel == kernel)
    ordered = sorted(found, key=lambda entry: (entry != leading, *_weight(entry)))
    distinct = _distinct(ordered, lambda found: (found.kind, found.line or found.message))
    kinds = _distinct(distinct, lambda found: found.kind)
    return (*kinds, *(found for found in distinct if found not in kinds))


def diagnosis_json(report: Report) -> dict[str, Any]:
    """Return the diagnosis of `report` as the API returns it."""
    return asdict(diagnose(report))


def _distinct(found: Iterable[Diagnostic], key: Callable[[Diagnostic], object]) -> list[Diagnostic]:
    """Return the first finding of each key."""
    first: dict[object, Diagnostic] = {}
    for entry in found:
        first.setdefault(key(entry), entry)
    return list(first.values())


def _weight(found: Diagnostic) -> tuple[int, int]:
    severity = (Severity.ERROR, Severity.WARNING, Severity.NOTE).index(found.severity)
    place = next((place for place, kind in enumerate(_NOTES) if kind == found.kind), len(_NOTES))
    return severity, place if found.severity is Severity.NOTE else 0


def _unexplained(report: Report) -> Iterator[str]:
    """Yield what is known about a wrong answer that no finding explains."""
    if report.verdict is not Verdict.WRONG_ANSWER or headline(report) is not None:
        return
    case = next((case for case in report.cases if case.mismatches), None)
    if case is None:
        yield report.message or "The report names no wrong element."
        return
    sizes = ", ".join(f"{name} = {size}" for name, size in case.sizes.items())
    where = f"case {case.name} ({sizes})" if sizes else f"case {case.name}"
    yield f"In {where}, {case.mismatched} of {case.checked} elements are wrong."
    yield f"The first one is {_element(case.mismatches[0])}."
    worst = [output.worst for output in case.outputs if output.worst]
    farthest = max(worst, key=lambda found: found.absolute_error or 0.0, default=None)
    if farthest is not None and farthest != case.mismatches[0]:
        yield f"The farthest off is {_element(farthest)}."
    wrong = [case.name for case in report.cases if case.verdict is Verdict.WRONG_ANSWER]
    right = [case.name for case in report.cases if case.verdict is Verdict.ACCEPTED]
    if right:
        yield f"Wrong: {', '.join(wrong)}. Right: {', '.join(right)}. Compare their sizes."
    yield (
        "Run the smallest wrong case with --size, compute its first wrong element by hand, and print what "
        "the thread that writes it reads (printf in the kernel)."
    )


def _element(found: Mismatch) -> str:
    place = ", ".join(map(str, found.index))
    return f"{found.argument}[{place}]: {found.got} instead of {found.expected}"


def _explain(found: Diagnostic, counts: KernelCounts | None) -> ExplainedFinding:
    page = page_of_finding(found.kind)
    return ExplainedFinding(
        severity=found.severity,
        kind=found.kind,
        title=page.title if page else found.kind.replace("_", " ").capitalize(),
        line=found.line,
        kernel=found.kernel,
        evidence=found.message,
        why=page.why if page else "",
        check=page.check if page else "",
        url=page.url if page else "",
        gain=_gain(found.kind, counts) if counts else "",
    )


def _gain(kind: str, counts: KernelCounts) -> str:
    """Return what the kernel could save if all of its requests were of the best kind."""
    match kind:
        case DiagnosticKind.UNCOALESCED | DiagnosticKind.MISALIGNED_VECTORS:
            now, least, unit = counts.sectors, counts.necessary_sectors, "sectors of global memory"
        case DiagnosticKind.BANK_CONFLICT:
            now, least, unit = counts.wavefronts, counts.necessary_wavefronts, "wavefronts of shared memory"
        case DiagnosticKind.CONTENDED_ATOMIC:
            now, least, unit = counts.atomic_turns, counts.atomic_requests, "turns of atomic operations"
        case _:
            return ""
    if not 0 < least < now:
        return ""
    return f"Ideal accesses would need {least} {unit} instead of {now} (factor {now / least:.1f})."
