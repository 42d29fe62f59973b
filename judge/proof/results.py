"""The results of a proof: value types only; `to_json` and `from_json` are the stored form.

A report has a section for each check (`ProofCheck`), the findings, the verdict of each program, and the
figures behind the findings, so that an author can see the margins of a problem.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from judge.report_json import storable
from problems.vocabulary import Language, Severity, Verdict

_FORMAT = 1


class ProofCheck(StrEnum):
    """The sections of a proof, in the order of a report."""

    COVERAGE = "coverage"
    SHAPES = "shapes"
    TIMED_SIZES = "timed_sizes"
    STATEMENT = "statement"
    ACCESSIBILITY = "accessibility"
    HINTS = "hints"
    CONTENTS = "contents"
    POISON = "poison"
    CHECKER = "checker"
    TOLERANCES = "tolerances"
    EXPOSURE = "exposure"
    SOLUTIONS = "solutions"
    TRIVIAL = "trivial"
    MUTANTS = "mutants"

    @property
    def heading(self) -> str:
        """The heading of the section in reports."""
        return _HEADINGS[self]


_HEADINGS = {
    ProofCheck.COVERAGE: "There are enough solutions and cases",
    ProofCheck.SHAPES: "Hidden shapes are odd, tiny and not square",
    ProofCheck.TIMED_SIZES: "Timed cases have suitable sizes",
    ProofCheck.STATEMENT: "The statement agrees with the package",
    ProofCheck.ACCESSIBILITY: "The statement is accessible",
    ProofCheck.HINTS: "Hints leave the solution to the learner",
    ProofCheck.CONTENTS: "Contents are random, the reference is exact",
    ProofCheck.POISON: "Every element must be written",
    ProofCheck.CHECKER: "The checker is reliable",
    ProofCheck.TOLERANCES: "Tolerances fit",
    ProofCheck.EXPOSURE: "No case reveals another",
    ProofCheck.SOLUTIONS: "Solutions get their verdicts",
    ProofCheck.TRIVIAL: "Trivial programs fail",
    ProofCheck.MUTANTS: "Mutants fail",
}


class SectionState(StrEnum):
    """The state of a section of a proof."""

    HOLDS = "holds"
    WARNS = "warns"
    FAILS = "fails"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ProofFinding:
    """Something that an author must change, or should at least check.

    `place` is the file and the key, `text` describes the problem, and `fix` says what to do. `details` are
    further lines, such as the errors of a program that does not compile.
    """

    severity: Severity
    place: str
    text: str
    fix: str
    check: ProofCheck = ProofCheck.COVERAGE
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """A program and its verdict. `expected` is None for a program that may get any failing verdict.

    `findings` are the errors of a program that does not compile, one text each. `cases` has the verdict of
    each case that a solution ran, by name, and `wrong` the share of wrong elements of each wrong output in
    these cases, because submissions with the same pattern may have the same mistake. `log` is the beginning
    of the compiler's output. `missed` has the indices of the requirements that the program misses.
    """

    program: str
    language: Language
    expected: Verdict | None
    verdict: Verdict
    message: str
    ms: float
    findings: tuple[str, ...] = ()
    cases: Mapping[str, Verdict] = field(default_factory=dict)
    log: str = ""
    missed: tuple[int, ...] = ()
    wrong: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the verdict is the required one."""
        if self.expected is None:
            return self.verdict not in {Verdict.ACCEPTED, Verdict.INTERNAL_ERROR, Verdict.CANCELLED}
        return self.verdict is self.expected


@dataclass(frozen=True, slots=True)
class MutantOutcome:
    """A mutant of an accepted solution (`judge.proof.mutants`), and its verdict.

    `verdict` is None for a mutant that was not tried, because its author explains in `ignored` why it is
    equivalent.
    """

    program: str
    name: str
    language: Language
    line: int
    change: str
    verdict: Verdict | None
    message: str = ""
    ms: float = 0.0
    ignored: str = ""

    @property
    def counts(self) -> bool:
        """Whether it counts for the score. Mutants that were not tried or do not compile do not count."""
        return self.verdict not in {None, Verdict.COMPILE_ERROR, Verdict.INTERNAL_ERROR, Verdict.CANCELLED}

    @property
    def fails(self) -> bool:
        """Whether a case distinguished it from the original."""
        return self.counts and self.verdict is not Verdict.ACCEPTED


@dataclass(frozen=True, slots=True)
class Attempt:
    """The reference evaluated in another order or precision, and the result.

    `worst` is the largest error over all tried cases, as a multiple of the tolerance. It is None if a custom
    checker decides or a value is not finite.
    """

    name: str
    honest: bool
    passes: bool
    worst: float | None = None


@dataclass(frozen=True, slots=True)
class ToleranceReport:
    """The tolerance of one output and the measured errors; `advised_…` is what the figures suggest.

    Both `advised_…` are None if no tolerance separates correct programs from wrong ones.
    """

    argument: str
    dtype: str
    relative: float
    absolute: float
    advised_relative: float | None
    advised_absolute: float | None
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class TimedSize:
    """Suitability of a timed case for the GPU `gpu`: time of a perfect program, memory of a judgement.

    If these sizes do not fit, `advised` has other sizes.
    """

    case: str
    gpu: str
    sizes: Mapping[str, int]
    floor_us: float
    needed_bytes: int
    available_bytes: int
    advised: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """The result of one check, and its time in milliseconds."""

    check: ProofCheck
    state: SectionState
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of proving a problem at a version."""

    slug: str
    version: str
    findings: tuple[ProofFinding, ...]
    outcomes: tuple[ProgramOutcome, ...]
    sections: tuple[Section, ...] = ()
    tolerances: tuple[ToleranceReport, ...] = ()
    timed_sizes: tuple[TimedSize, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    mutants: tuple[MutantOutcome, ...] = ()

    @property
    def mutation_score(self) -> float | None:
        """The share of mutants that fail, None if there are none."""
        return mutation_score(self.mutants)

    @property
    def holds(self) -> bool:
        """Whether the problem may be published."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    def findings_of(self, check: ProofCheck) -> tuple[ProofFinding, ...]:
        """Return the findings of the section `check`."""
        return tuple(finding for finding in self.findings if finding.check is check)


def mutation_score(outcomes: Iterable[MutantOutcome]) -> float | None:
    """Return the share of counted mutants that fail, None if no mutant counts."""
    counted = [outcome for outcome in outcomes if outcome.counts]
    return sum(outcome.fails for outcome in counted) / len(counted) if counted else None


def error(place: str, text: str, fix: str) -> ProofFinding:
    """Return a finding that prevents the problem from being published."""
    return ProofFinding(Severity.ERROR, place, text, fix)


def warning(place: str, text: str, fix: str) -> ProofFinding:
    """Return a finding that the author should check."""
    return ProofFinding(Severity.WARNING, place, text, fix)


def cases_named(names: Sequence[str]) -> str:
    """Return the names of all cases of a finding as text."""
    return f"case {names[0]}" if len(names) == 1 else f"the cases {', '.join(names)}"


def filed(check: ProofCheck, findings: Iterable[ProofFinding]) -> Iterator[ProofFinding]:
    """Yield `findings`, assigned to `check`."""
    for finding in findings:
        yield replace(finding, check=check)


def state_of(findings: Iterable[ProofFinding]) -> SectionState:
    """Return the state of a section with these findings."""
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return SectionState.FAILS
    return SectionState.WARNS if severities else SectionState.HOLDS


def to_json(proof: Proof) -> dict[str, Any]:
    """Return `proof` as JSON values that any database can store, with derived values included."""
    body: dict[str, Any] = storable(asdict(proof))
    body["format"] = _FORMAT
    body["holds"] = proof.holds
    for entry, section in zip(body["sections"], proof.sections, strict=True):
        entry["title"] = section.check.heading
    for entry, outcome in zip(body["outcomes"], proof.outcomes, strict=True):
        entry["holds"] = outcome.holds
    body["mutation_score"] = proof.mutation_score
    for entry, mutant in zip(body["mutants"], proof.mutants, strict=True):
        entry |= {"counts": mutant.counts, "fails": mutant.fails}
    return body


def from_json(body: Mapping[str, Any]) -> Proof:
    """Return the proof from the output of `to_json`. Fields missing in old rows get their defaults."""
    return Proof(
        slug=body["slug"],
        version=body["version"],
        findings=tuple(_finding(entry) for entry in body.get("findings", ())),
        outcomes=tuple(_outcome(entry) for entry in body.get("outcomes", ())),
        sections=tuple(_section(entry) for entry in body.get("sections", ())),
        tolerances=tuple(_tolerance(entry) for entry in body.get("tolerances", ())),
        timed_sizes=tuple(TimedSize(**_known(TimedSize, entry)) for entry in body.get("timed_sizes", ())),
        environment=dict(body.get("environment", {})),
        mutants=tuple(_mutant(entry) for entry in body.get("mutants", ())),
    )


def _known(kind: type, entry: Mapping[str, Any]) -> dict[str, Any]:
    names = {known.name for known in fields(kind)}
    return {key: value for key, value in entry.items() if key in names}


def _finding(entry: Mapping[str, Any]) -> ProofFinding:
    check = ProofCheck(entry.get("check", ProofCheck.COVERAGE))
    known = _known(ProofFinding, entry)
    details = tuple(entry.get("details", ()))
    return ProofFinding(
        **{**known, "severity": Severity(entry["severity"]), "check": check, "details": details}
    )


def _outcome(entry: Mapping[str, Any]) -> ProgramOutcome:
    expected = entry["expected"]
    return ProgramOutcome(
        **{
            **_known(ProgramOutcome, entry),
            "language": Language(entry["language"]),
            "expected": None if expected is None else Verdict(expected),
            "verdict": Verdict(entry["verdict"]),
            "findings": tuple(entry.get("findings", ())),
            "missed": tuple(entry.get("missed", ())),
            "cases": {name: Verdict(verdict) for name, verdict in entry.get("cases", {}).items()},
        }
    )


def _mutant(entry: Mapping[str, Any]) -> MutantOutcome:
    verdict = None if entry["verdict"] is None else Verdict(entry["verdict"])
    known = _known(MutantOutcome, entry)
    return MutantOutcome(**{**known, "language": Language(entry["language"]), "verdict": verdict})


def _section(entry: Mapping[str, Any]) -> Section:
    known = _known(Section, entry)
    return Section(**{**known, "check": ProofCheck(entry["check"]), "state": SectionState(entry["state"])})


def _tolerance(entry: Mapping[str, Any]) -> ToleranceReport:
    attempts = tuple(Attempt(**_known(Attempt, attempt)) for attempt in entry["attempts"])
    return ToleranceReport(**{**_known(ToleranceReport, entry), "attempts": attempts})
