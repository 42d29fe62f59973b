"""Compares the counters of a program with the requirements of a problem.

Theory of operation. If a requirement names a case, the runner counts in the first run of this case
(`judge.evaluate`) and records the sums (`judge.evidence.sums`, `judge.counters`). A requirement must hold in
each of its cases. Otherwise the program gets the verdict `requirement_missed`, although its outputs are
right.

On a GPU, the target's doctor counts in functional mode, if possible. The runner counts in Python
programs, on a CPU and on a GPU. Each counter applies to one language.
Requirements on other languages stay unchecked, and so do requirements that the doctor cannot count.

Figures of hidden cases are rounded to two digits without crossing the bound, because a program could use them
to reveal what it reads. Lines outside of the source are dropped for the same reason.

The line of a call of the CUDA runtime is known only if the program calls the function in a single place.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from judge.cases import required_cases
from judge.compiler.source import ProgramText
from judge.counters import counter_name, measure
from judge.evidence.sums import Sums
from judge.judgement import Judgement, RunOutcome
from judge.report import RequirementReport
from problems.schema import Case, Problem, Requirement
from problems.vocabulary import Language, Relation, RequirementState, Stage, Verdict

_DIGITS = 2  # of a figure from a hidden case
_UNREAD = "The counts of this case are missing: the program changed what the judge reads."
_RELATIONS = {Relation.AT_MOST: "at most", Relation.AT_LEAST: "at least", Relation.EQUALS: "exactly"}


def bound_text(relation: str, bound: float) -> str:
    """Return a text such as `at most 4.2`."""
    return f"{_RELATIONS[Relation(relation)]} {figure_text(bound)}"


def figure_text(value: float) -> str:
    """Return a figure as text: whole numbers with all digits, others with six."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def count_elsewhere(judgement: Judgement) -> tuple[Sums, ...] | None:
    """Return the counts of functional mode for a program that ran on a GPU, None if it cannot count."""
    cases = [case for case in judgement.checked if case.name in judgement.required]
    if not cases:
        return None
    with judgement.stage(Stage.EXAMINE):
        return judgement.target.count(
            judgement.problem, judgement.source, judgement.language, cases, judgement.cancelled
        )


def with_requirements(
    judgement: Judgement, outcome: RunOutcome, counted: Sequence[Sums] | None
) -> RunOutcome:
    """Return the outcome of an accepted program with its requirements.

    The verdict changes if it misses one.
    """
    reports = checked_requirements(
        judgement.problem, judgement.source, counted, judgement.required, language=judgement.language
    )
    outcome = replace(outcome, requirements=reports)
    message = missed_message(reports)
    return replace(outcome, verdict=Verdict.REQUIREMENT_MISSED, message=message) if message else outcome


def checked_requirements(
    problem: Problem,
    source: str,
    counted: Sequence[Sums] | None,
    names: Sequence[str],
    *,
    language: Language = Language.CUDA,
) -> tuple[RequirementReport, ...]:
    """Return how a program in `language` meets each requirement of `problem`.

    `counted` has the sums of the cases `names`, in order; None if nothing was counted. Requirements of other
    cases stay unchecked. If there are too few or too many sums, all requirements are missed.
    """
    if counted is None or not names:
        return tuple(_unchecked(requirement) for requirement in problem.requirements)
    if len(counted) != len(names):
        return tuple(
            replace(_unchecked(requirement), state=RequirementState.MISSED, message=_UNREAD)
            if requirement.counter.language is language
            else _unchecked(requirement)
            for requirement in problem.requirements
        )
    cases = {case.name: case for case in problem.cases}
    wanted = required_cases(problem, language)
    sums = dict(zip(names, counted, strict=True))
    program = ProgramText.read(source)
    return tuple(
        _worst(
            requirement,
            [
                _checked(problem, requirement, cases[name], sums[name], program)
                for name in names
                if requirement in wanted.get(name, ())
            ],
        )
        for requirement in problem.requirements
    )


def missed_message(reports: Sequence[RequirementReport]) -> str:
    """Return the message for the author of a program that misses a requirement; empty if it misses none."""
    missed = [report for report in reports if report.state is RequirementState.MISSED]
    if not missed:
        return ""
    first = missed[0]
    more = f" The program misses {len(missed)} requirements; see the table." if len(missed) > 1 else ""
    return f"The outputs are right, but a requirement is missed. {requirement_text(first)}{more}"


def requirement_text(report: RequirementReport) -> str:
    """Return one or two sentences on a requirement: the figure, the bound, the line."""
    name = counter_name(report.counter)
    bound = f"{bound_text(report.relation, report.bound)} required"
    if report.measured is None:
        return " ".join(filter(None, [f"{name}: {bound}.", report.message]))
    made = f", made by {report.call}" if report.call else ""
    where = f", see line {report.line}" if report.line else ""
    return f"{name}: {figure_text(report.measured)} measured, {bound}{made}{where}."


def holds(relation: Relation, figure: float, bound: float) -> bool:
    """Return whether `figure`, a quotient of whole numbers, meets `bound`, a decimal."""
    if math.isclose(figure, bound, rel_tol=1e-9):
        return True
    match relation:
        case Relation.AT_MOST:
            return figure < bound
        case Relation.AT_LEAST:
            return figure > bound
        case Relation.EQUALS:
            return False


def _checked(
    problem: Problem, requirement: Requirement, case: Case, sums: Sums, program: ProgramText
) -> RequirementReport:
    report = replace(_unchecked(requirement), case=case.name if case.public else "")
    found = measure(problem, case, requirement.counter, sums)
    if found.value is None:
        return replace(report, state=RequirementState.MISSED, message=found.why)
    value = float(found.value)
    report = replace(report, measured=value if case.public else _rounded(value, requirement.bound))
    if holds(requirement.relation, value, requirement.bound):
        return replace(report, state=RequirementState.MET)
    calls = [line for line, _ in program.statements_of(found.call)] if found.call else []
    line = calls[0] if len(calls) == 1 else found.line
    return replace(
        report,
        state=RequirementState.MISSED,
        line=line if line is not None and line <= len(program.lines) else None,
        call=found.call,
    )


def _worst(requirement: Requirement, reports: Sequence[RequirementReport]) -> RequirementReport:
    """Return the first of `reports` that misses the requirement, else the report nearest to the bound."""
    if not reports:
        return _unchecked(requirement)
    missed = [report for report in reports if report.state is RequirementState.MISSED]
    return missed[0] if missed else min(reports, key=lambda r: abs((r.measured or 0.0) - r.bound))


def _unchecked(requirement: Requirement) -> RequirementReport:
    return RequirementReport(
        requirement.counter, requirement.relation, requirement.bound, requirement.explanation
    )


def _rounded(figure: float, bound: float) -> float:
    """Return `figure` rounded to two digits, without crossing `bound`."""
    if figure == 0 or math.isclose(figure, bound, rel_tol=1e-9):
        return bound if figure else 0.0
    step = 10.0 ** (math.floor(math.log10(figure)) - _DIGITS + 1)
    rounded = (math.ceil if figure > bound else math.floor)(figure / step) * step
    return float(f"{rounded:.6g}")
