"""Derives the mutation score and findings from the trials of mutants."""

import json
from collections.abc import Iterator, Sequence

from judge.proof.batches.trials import Trial
from judge.proof.mutants.mutant import Mutant
from judge.proof.mutants.selection import Family
from judge.proof.results import MutantOutcome, ProofFinding, error, mutation_score, warning
from problems.ignored_mutants import KEY
from problems.schema import IgnoredMutant

MIN_SCORE = 0.9
_TOML = "problem.toml"


def outcome_of(mutant: Mutant, trial: Trial) -> MutantOutcome:
    """Return the outcome of a mutant from its trial."""
    return MutantOutcome(
        program=f"solutions/{mutant.original.file}",
        name=mutant.name,
        language=mutant.original.language,
        line=mutant.line,
        change=mutant.change,
        verdict=trial.verdict,
        message=trial.message,
        ms=trial.ms,
    )


def outcome_ignored(mutant: Mutant, entry: IgnoredMutant) -> MutantOutcome:
    """Return the outcome of a mutant that was not tried, because its author declares it equivalent."""
    return MutantOutcome(
        program=f"solutions/{mutant.original.file}",
        name=mutant.name,
        language=mutant.original.language,
        line=mutant.line,
        change=mutant.change,
        verdict=None,
        ignored=entry.reason,
    )


def check_mutants(
    families: Sequence[Family], outcomes: Sequence[MutantOutcome], *, needed: bool = True
) -> Iterator[ProofFinding]:
    """Yield findings on the score, on each mutant that passed, and on entries that match no mutant.

    Without `needed`, a problem need not have mutants.
    """
    if needed or outcomes:
        yield from _check_score(outcomes)
    tried = {(m.original.file, m.name): m for family in families for m in family.mutants}
    for outcome in outcomes:
        if outcome.counts and not outcome.fails:
            file = outcome.program.removeprefix("solutions/")
            yield warning(
                f"mutant {outcome.name} of {outcome.program}",
                f"is accepted; in line {outcome.line}, {outcome.change}",
                "add a case that fails it; or, if it is equivalent, give the reason in "
                + _table(file, outcome.name, tried[file, outcome.name].line_text),
            )
    for entry in (entry for family in families for entry in family.unknown):
        yield error(
            f"{_TOML}: {KEY}",
            f"{entry.file} has no mutant {entry.mutant} in the line {entry.line!r}",
            "remove the entry; if another mutant is accepted now, check that the reason applies to it",
        )


def _check_score(outcomes: Sequence[MutantOutcome]) -> Iterator[ProofFinding]:
    score = mutation_score(outcomes)
    if score is None:
        yield warning(
            f"{_TOML}: solutions",
            "no mutants could be made of the accepted solutions",
            "add accepted solutions in cuda or triton that define and launch kernels",
        )
    elif score < MIN_SCORE:
        counted = [outcome for outcome in outcomes if outcome.counts]
        failing = sum(outcome.fails for outcome in counted)
        yield error(
            f"{_TOML}: cases",
            f"{failing} of {len(counted)} mutants fail, a score of {score:.2f}; {MIN_SCORE:g} is needed",
            "add hidden cases that the mutants below fail, or tighten the tolerance",
        )


def _table(file: str, mutant: str, line: str) -> str:
    """Return the TOML table that ignores a mutant. TOML strings are written as in JSON."""
    keys = {"file": file, "mutant": mutant, "line": line, "reason": "…"}
    return "\n".join([f"[[{KEY}]]", *(f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in keys.items())])
