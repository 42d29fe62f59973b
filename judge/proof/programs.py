"""Judges the programs of a problem: its solutions, trivial programs, and mutants of accepted solutions.

Each solution is judged separately, like a submission. The other programs of a language are tried in batches
(`judge.proof.batches`), with the accepted solutions as controls. An author may also run some solutions alone
(`try_solutions`), which proves nothing about the problem.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from judge.proof.batches.trials import Trial, trial_of
from judge.proof.mutants.score import check_mutants, outcome_ignored, outcome_of
from judge.proof.mutants.selection import Family, families_of
from judge.proof.results import (
    MutantOutcome,
    ProgramOutcome,
    Proof,
    ProofCheck,
    ProofFinding,
    Section,
    error,
    filed,
    state_of,
    warning,
)
from judge.proof.trivial import Trivial, trivial_programs
from judge.report import ProgressEvent, Report
from problems.schema import Problem, Solution
from problems.vocabulary import Language, ProgramKind, Step, Verdict

OnProgress = Callable[[ProgressEvent], None]
_ACCEPTED_TECHNIQUES = 2
CHECKS = (ProofCheck.SOLUTIONS, ProofCheck.TRIVIAL, ProofCheck.MUTANTS)


class ProgramEnvironment(Protocol):
    """An environment in which programs can be judged."""

    @property
    def on_gpu(self) -> bool:
        """Whether programs run on a GPU, on which some solutions may get other verdicts."""

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program on all cases, as a submission."""

    def try_all(
        self, problem: Problem, sources: Sequence[str], language: Language, *, controls: Sequence[str]
    ) -> list[Trial]:
        """Try programs together, each up to the first case that it fails.

        `controls` are accepted programs.
        """


def try_programs(
    problem: Problem, environment: ProgramEnvironment, proof: Proof, on_progress: OnProgress
) -> Proof:
    """Return `proof` with the outcome of every program.

    Mutants are made only from solutions that are declared accepted and get that verdict.
    """
    tour = _ProgramRun(
        problem, environment, on_progress, list(trivial_programs(problem)), list(families_of(problem))
    )
    for solution in problem.solutions:
        tour.try_solution(solution)
    tour.findings[ProofCheck.SOLUTIONS][:0] = wrong_reference(problem, tour.outcomes)
    tour.findings[ProofCheck.SOLUTIONS] += never_killed(problem, tour.outcomes)
    if not environment.on_gpu:
        tour.findings[ProofCheck.SOLUTIONS] += requirement_findings(problem, tour.outcomes)
    accepted = {outcome.program for outcome in tour.outcomes if outcome.verdict is Verdict.ACCEPTED}
    sound = [family for family in tour.families if name_of(family.solution) in accepted]
    for language in problem.languages:
        own = [program for program in tour.trivial if program.language is language]
        tour.try_together(language, own, [f for f in sound if f.solution.language is language])
    tour.findings[ProofCheck.MUTANTS] += check_mutants(sound, tour.mutants, needed=problem.under_test is None)
    found = {check: list(filed(check, findings)) for check, findings in tour.findings.items()}
    return replace(
        proof,
        findings=(*proof.findings, *(finding for findings in found.values() for finding in findings)),
        outcomes=tuple(tour.outcomes),
        mutants=tuple(tour.mutants),
        sections=(*proof.sections, *(Section(c, state_of(found[c]), tour.ms[c]) for c in CHECKS)),
    )


def try_solutions(
    problem: Problem, files: Collection[str], environment: ProgramEnvironment, on_progress: OnProgress
) -> Proof:
    """Judge the solutions `files` (names in the folder `solutions`) as a proof does, and nothing else.

    The result has their outcomes and only the section of solutions. It proves nothing about the problem.

    Raises:
        judge.errors.OracleFailed: the author's code failed.
        judge.errors.JudgeError: the judge itself failed.
    """
    chosen = replace(problem, solutions=tuple(s for s in problem.solutions if s.path.name in files))
    tour = _ProgramRun(chosen, environment, on_progress, [], [])
    for solution in chosen.solutions:
        tour.try_solution(solution)
    check = ProofCheck.SOLUTIONS
    findings = tuple(filed(check, tour.findings[check]))
    section = Section(check, state_of(findings), tour.ms[check])
    return Proof(problem.slug, problem.version, findings, tuple(tour.outcomes), (section,))


@dataclass(slots=True)
class _ProgramRun:
    """The programs of a problem that are being tried, and the results up to now."""

    problem: Problem
    environment: ProgramEnvironment
    on_progress: OnProgress
    trivial: list[Trivial]
    families: list[Family]
    findings: dict[ProofCheck, list[ProofFinding]] = field(
        default_factory=lambda: {check: [] for check in CHECKS}
    )
    ms: dict[ProofCheck, float] = field(default_factory=lambda: dict.fromkeys(CHECKS, 0.0))
    outcomes: list[ProgramOutcome] = field(default_factory=list)
    mutants: list[MutantOutcome] = field(default_factory=list)
    done: int = 0

    @property
    def total(self) -> int:
        """The number of programs."""
        mutants = sum(len(family.mutants) for family in self.families)
        return len(self.problem.solutions) + len(self.trivial) + mutants

    def try_solution(self, solution: Solution) -> None:
        """Judge a solution as a submission."""
        self._tell(Step.CHECKING, name_of(solution), self.done + 1)
        started = time.monotonic()
        outcome = try_solution(self.problem, solution, self.environment)
        self.ms[ProofCheck.SOLUTIONS] += _ms_since(started)
        self._keep(ProofCheck.SOLUTIONS, outcome)

    def try_together(
        self, language: Language, trivial: Sequence[Trivial], families: Sequence[Family]
    ) -> None:
        """Try the trivial programs and the mutants of one language."""
        mutants = [mutant for family in families for mutant in family.mutants]
        self.mutants += [outcome_ignored(*pair) for family in families for pair in family.ignored]
        if not trivial and not mutants:
            return
        what = f"{len(trivial)} trivial programs and {len(mutants)} mutants ({language})"
        self._tell(Step.CHECKING, what, self.done + 1)
        started = time.monotonic()
        sources = [*(program.source for program in trivial), *(mutant.source for mutant in mutants)]
        controls = [family.source for family in families if family.mutants]
        trials = self.environment.try_all(self.problem, sources, language, controls=controls)
        trivial_ms = sum(trial.ms for trial in trials[: len(trivial)])
        self.ms[ProofCheck.TRIVIAL] += trivial_ms
        self.ms[ProofCheck.MUTANTS] += max(0.0, _ms_since(started) - trivial_ms)
        for program, trial in zip(trivial, trials, strict=False):
            self._keep(ProofCheck.TRIVIAL, _outcome(name_of(program), language, None, trial))
        for mutant, trial in zip(mutants, trials[len(trivial) :], strict=True):
            tried = outcome_of(mutant, trial)
            self.mutants.append(tried)
            name = f"{tried.program}: {tried.name}: {trial.verdict}"
            self._checked(name, holds=tried.fails or not tried.counts)

    def _keep(self, check: ProofCheck, outcome: ProgramOutcome) -> None:
        self.outcomes.append(outcome)
        self.findings[check] += findings_on(outcome)
        self._checked(f"{outcome.program}: {outcome.verdict}", holds=outcome.holds)

    def _checked(self, text: str, *, holds: bool) -> None:
        self.done += 1
        self._tell(Step.CHECKED, f"{text}, {'as expected' if holds else 'NOT as expected'}", self.done)

    def _tell(self, kind: Step, text: str, index: int) -> None:
        self.on_progress(ProgressEvent(kind, text, index, self.total))


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1000


def name_of(program: Solution | Trivial) -> str:
    """Return the name of a program for messages."""
    if isinstance(program, Solution):
        return f"solutions/{program.path.name}"
    return f"{program.name} ({program.language})"


def try_solution(problem: Problem, solution: Solution, environment: ProgramEnvironment) -> ProgramOutcome:
    """Judge one solution."""
    source = solution.path.read_text(encoding="utf-8")
    trial = trial_of(environment.judge(problem, source, solution.language))
    allowed = solution.allowed(on_gpu=environment.on_gpu)
    expected = trial.verdict if trial.verdict in allowed else allowed[0]
    return _outcome(name_of(solution), solution.language, expected, trial)


def _outcome(program: str, language: Language, expected: Verdict | None, trial: Trial) -> ProgramOutcome:
    return ProgramOutcome(
        program=program,
        language=language,
        expected=expected,
        verdict=trial.verdict,
        message=trial.message,
        ms=trial.ms,
        findings=trial.findings,
        cases=trial.cases,
        log=trial.log,
        missed=trial.missed,
        wrong=trial.wrong,
    )


def requirement_findings(problem: Problem, outcomes: Sequence[ProgramOutcome]) -> Iterator[ProofFinding]:
    """Yield findings if no program shows that a requirement rejects right programs and allows others."""
    for language in dict.fromkeys(requirement.counter.language for requirement in problem.requirements):
        accepted = sum(
            outcome.language is language
            and outcome.expected is Verdict.ACCEPTED
            and outcome.verdict is Verdict.ACCEPTED
            for outcome in outcomes
        )
        if accepted < _ACCEPTED_TECHNIQUES:
            yield error(
                "problem.toml: requirements",
                f"{accepted} {language.label} solution{'' if accepted == 1 else 's'} met all of them",
                f"add accepted solutions of at least {_ACCEPTED_TECHNIQUES} techniques, or relax the bounds",
            )
    refused = [outcome for outcome in outcomes if outcome.expected is Verdict.REQUIREMENT_MISSED]
    for at, requirement in enumerate(problem.requirements):
        if not any(at in outcome.missed for outcome in refused):
            yield error(
                f"problem.toml: requirements[{at}]",
                f"no solution misses {requirement.counter}",
                'add a right program that misses it, with verdict = "requirement_missed", or remove the '
                "requirement",
            )


def wrong_reference(problem: Problem, outcomes: Sequence[ProgramOutcome]) -> Iterator[ProofFinding]:
    """Yield a finding on the reference if all solutions to be accepted are wrong in the same case."""
    right = [outcome for outcome in outcomes if outcome.expected is Verdict.ACCEPTED]
    for case in problem.cases:
        verdicts = [outcome.cases.get(case.name) for outcome in right]
        if len(right) >= _ACCEPTED_TECHNIQUES and {*verdicts} == {Verdict.WRONG_ANSWER}:
            yield error(
                "checker.py" if problem.checker is not None else "reference.py",
                f"all {len(right)} solutions that should be accepted are wrong in the case {case.name}",
                "check this file first: the mistake is probably in it, not in the solutions",
            )
            return


def never_killed(problem: Problem, outcomes: Sequence[ProgramOutcome]) -> Iterator[ProofFinding]:
    """Yield a finding for each faulty program under test that no accepted solution kills."""
    accepted = [outcome for outcome in outcomes if outcome.verdict is Verdict.ACCEPTED]
    for case in problem.cases:
        judged = [outcome.cases.get(case.name) for outcome in accepted]
        if case.program is ProgramKind.FAULTY and Verdict.ACCEPTED not in judged:
            yield error(
                f"programs/{case.name}.py",
                "is faulty, but no accepted solution kills it",
                "add an accepted solution that does, or remove the program",
            )


def findings_on(outcome: ProgramOutcome) -> Iterator[ProofFinding]:
    """Yield the findings that a program's outcome implies for the problem."""
    said = f": {outcome.message}" if outcome.message else ""
    if outcome.expected is not None:
        if not outcome.holds:
            found = error(
                outcome.program,
                f"expected {outcome.expected}, got {outcome.verdict}{said}",
                "correct the program, its verdict, or the cases and tolerances that let it through",
            )
            yield replace(found, details=tuple(text for text in outcome.findings if text != outcome.message))
    elif outcome.verdict is Verdict.ACCEPTED:
        yield error(
            f"trivial program {outcome.program}",
            "is accepted",
            "lower the tolerance, or add cases whose outputs differ from it",
        )
    elif outcome.verdict is not Verdict.WRONG_ANSWER:
        yield warning(
            f"trivial program {outcome.program}",
            f"got {outcome.verdict} instead of wrong_answer{said}",
            "check that its output was compared at all",
        )
