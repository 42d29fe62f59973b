"""The content of a proof's page: its progress, and its report in the order of the checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judge.proof.results import (
    MutantOutcome,
    ProgramOutcome,
    Proof,
    ProofCheck,
    ProofFinding,
    Section,
    SectionState,
)
from problems.vocabulary import Severity
from web.authoring.models import ProofRun, Revision
from web.authoring.recommending import proof_of
from web.authoring.tabs import tab_of
from web.jobs.models import JobState

_TONES = {
    SectionState.HOLDS: "good",
    SectionState.WARNS: "limit",
    SectionState.FAILS: "bad",
    SectionState.SKIPPED: "void",
}
_WORDS = {
    SectionState.HOLDS: "passed",
    SectionState.WARNS: "warning",
    SectionState.FAILS: "failed",
    SectionState.SKIPPED: "skipped",
}
_ICONS = {
    SectionState.HOLDS: "accepted",
    SectionState.WARNS: "warning",
    SectionState.FAILS: "error",
    SectionState.SKIPPED: "cancelled",
}
_SHOWN_STEPS = 12


@dataclass(frozen=True, slots=True)
class FixableFinding:
    """A finding with the tab on which the author can fix it. The tab is empty if it is unknown."""

    finding: ProofFinding
    tab: str

    @property
    def tone(self) -> str:
        """Return the tone of the finding's severity."""
        return "bad" if self.finding.severity is Severity.ERROR else "limit"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check of the proof, with its findings."""

    check: ProofCheck
    title: str
    tone: str
    icon: str
    word: str
    ms: float
    places: tuple[FixableFinding, ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A step of the proof."""

    text: str
    at_s: float
    mark: str


@dataclass(frozen=True, slots=True)
class ProofPage:
    """A proof. `stale`: the files have changed since. `proof` is None until there is a report."""

    run: ProofRun
    proof: Proof | None
    parts: tuple[CheckRow, ...]
    outcomes: tuple[ProgramOutcome, ...]
    unexpected: int
    steps: tuple[ProofStep, ...]
    index: int
    total: int
    stale: bool
    figures: tuple[tuple[str, str], ...]

    @property
    def moving(self) -> bool:
        """Return whether the page still changes automatically."""
        return not self.run.over

    @property
    def waiting(self) -> bool:
        """Return whether the proof still waits for a worker."""
        return self.run.state == JobState.QUEUED

    @property
    def cancelled(self) -> bool:
        """Return whether a member cancelled the proof."""
        return self.run.state == JobState.CANCELLED

    @property
    def errors(self) -> int:
        """Return the number of findings that block publishing."""
        return self._count(Severity.ERROR)

    @property
    def warnings(self) -> int:
        """Return the number of warnings. They do not block publishing."""
        return self._count(Severity.WARNING)

    @property
    def mutation_percent(self) -> int | None:
        """Return the mutation score in percent, rounded down so that 90 means at least 90."""
        score = self.proof.mutation_score if self.proof else None
        return None if score is None else int(100 * score)

    @property
    def survivors(self) -> tuple[MutantOutcome, ...]:
        """Return the mutants that no case distinguished from the original."""
        mutants = self.proof.mutants if self.proof else ()
        return tuple(mutant for mutant in mutants if mutant.counts and not mutant.fails)

    def _count(self, severity: Severity) -> int:
        findings = self.proof.findings if self.proof else ()
        return sum(finding.severity is severity for finding in findings)


def proof_page(run: ProofRun, present: Revision | None) -> ProofPage:
    """Return the content of the page of `run`. `present` is the current revision of the files."""
    proof = proof_of(run)
    steps = run.progress.get("steps", []) if isinstance(run.progress, Mapping) else []
    last: Mapping[str, Any] = next((step for step in reversed(steps) if step.get("total")), {})
    outcomes = proof.outcomes if proof else ()
    return ProofPage(
        run=run,
        proof=proof,
        parts=_parts(proof) if proof else (),
        outcomes=tuple(sorted(outcomes, key=lambda outcome: outcome.holds)),
        unexpected=sum(not outcome.holds for outcome in outcomes),
        steps=tuple(_step(step) for step in steps[-_SHOWN_STEPS:]),
        index=int(last.get("index") or 0),
        total=int(last.get("total") or 0),
        stale=present is None or present.content_hash != run.content_hash,
        figures=tuple((name.replace("_", " "), value) for name, value in proof.environment.items())
        if proof
        else (),
    )


def _parts(proof: Proof) -> tuple[CheckRow, ...]:
    sections = {section.check: section for section in proof.sections}
    checks = [check for check in ProofCheck if check in sections or proof.findings_of(check)]
    return tuple(_part(proof, check, sections.get(check)) for check in checks)


def _part(proof: Proof, check: ProofCheck, section: Section | None) -> CheckRow:
    found = proof.findings_of(check)
    failed = any(finding.severity is Severity.ERROR for finding in found)
    state = section.state if section else (SectionState.FAILS if failed else SectionState.WARNS)
    return CheckRow(
        check=check,
        title=check.heading,
        tone=_TONES[state],
        icon=_ICONS[state],
        word=_WORDS[state],
        ms=section.ms if section else 0.0,
        places=tuple(FixableFinding(finding, tab_of(finding.place)) for finding in found),
    )


def _step(event: Mapping[str, Any]) -> ProofStep:
    text = str(event.get("text", ""))
    mark = "bad" if "UNEXPECTED" in text else "good" if event.get("kind") == "checked" else ""
    return ProofStep(text, float(event.get("at_s") or 0.0), mark)
