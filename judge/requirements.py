"""Compares what is counted of a program with the requirements of a problem.

Theory of operation. The first run of each case that a requirement names counts (`judge.evaluate`), and the
runner notes the sums (`judge.evidence.sums`). A requirement must hold in each of its cases. If it does not,
the program gets the verdict `requirement_missed`, although its outputs are right.

On a GPU the target's doctor counts in functional mode, if it can. Of Python programs the runner counts what
they keep for the backward pass, on a CPU and on a GPU. Each counter applies to one language; requirements on
others stay unchecked, and so do those that the doctor cannot count.

Figures of hidden cases are rounded to two digits, towards the side on which they are: a program could
tell by them what it reads there. Lines beyond the source are dropped for the same reason.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from judge.cases import required_cases
from judge.evidence.sums import Sum, Sums
from judge.judgement import Judgement, RunOutcome
from judge.report import RequirementReport
from judge.sizes import bytes_of
from problems.binding_python import call_of
from problems.schema import Case, Problem, Requirement
from problems.vocabulary import Counter, Language, Relation, RequirementState, Role, Stage, Verdict

_SECTOR_BYTES = 32
_DIGITS = 2  # of a figure from a hidden case
_UNREAD = "The counts of this case are missing: the program changed what the judge reads."
_NO_BACKWARD = (
    "Nothing was counted: define what the problem asks for instead of solve, so that the judge starts the "
    "backward pass."
)
_TOO_MUCH = "The program did more than functional mode counts, so the requirement cannot be checked."
_NAMES = {
    Counter.GLOBAL_SECTORS_PER_REQUEST: "Sectors per global request",
    Counter.GLOBAL_LOAD_SECTORS_PER_REQUEST: "Sectors per global load",
    Counter.GLOBAL_STORE_SECTORS_PER_REQUEST: "Sectors per global store",
    Counter.GLOBAL_SECTORS_RATIO: "Global sectors, as a multiple of the fewest for the same bytes",
    Counter.GLOBAL_BYTES_RATIO: "Global bytes moved, as a multiple of the bytes needed",
    Counter.SHARED_WAVEFRONTS_PER_REQUEST: "Wavefronts per shared memory request",
    Counter.SHARED_WAVEFRONTS_RATIO: "Shared memory wavefronts, as a multiple of the fewest",
    Counter.SHARED_REQUESTS: "Requests to shared memory",
    Counter.DIVERGENT_BRANCHES: "Share of branches that split a warp",
    Counter.ATOMIC_REQUESTS: "Atomic requests",
    Counter.ATOMIC_LANES_PER_ADDRESS: "Lanes of an atomic request at one address",
    Counter.LAUNCHES: "Kernel launches",
    Counter.BARRIERS_PER_BLOCK: "Barriers per block",
    Counter.SAVED_BYTES_RATIO: "Bytes kept for the backward pass, as a multiple of those of the inputs",
}
_RELATIONS = {Relation.AT_MOST: "at most", Relation.AT_LEAST: "at least", Relation.EQUALS: "exactly"}


def counter_name(counter: str) -> str:
    """The name of a counter in texts for users."""
    return _NAMES[Counter(counter)]


def bound_text(relation: str, bound: float) -> str:
    """`at most 4.2`."""
    return f"{_RELATIONS[Relation(relation)]} {bound:g}"


def count_elsewhere(judgement: Judgement) -> tuple[Sums, ...] | None:
    """What functional mode counts of a program that ran on a GPU, None if it cannot."""
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
    """The outcome of an accepted program with its requirements, of which it may miss some."""
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
    """How a program in `language` meets each requirement of `problem`.

    `counted` has the sums of the cases `names`, in order; None if nothing was counted. Requirements of
    other cases stay unchecked. If sums are missing or there are too many, all requirements are missed.
    """
    if counted is None or not names:
        return tuple(_unchecked(requirement) for requirement in problem.requirements)
    if len(counted) != len(names):
        message = _NO_BACKWARD if language is Language.PYTHON else _UNREAD
        return tuple(
            replace(_unchecked(requirement), state=RequirementState.MISSED, message=message)
            if requirement.counter.language is language
            else _unchecked(requirement)
            for requirement in problem.requirements
        )
    cases = {case.name: case for case in problem.cases}
    wanted = required_cases(problem, language)
    sums = dict(zip(names, counted, strict=True))
    return tuple(
        _worst(
            requirement,
            [
                _checked(problem, requirement, cases[name], sums[name], source.count("\n") + 1)
                for name in names
                if requirement in wanted.get(name, ())
            ],
        )
        for requirement in problem.requirements
    )


def missed_message(reports: Sequence[RequirementReport]) -> str:
    """The message for the author of a program that misses a requirement; empty if it misses none."""
    missed = [report for report in reports if report.state is RequirementState.MISSED]
    if not missed:
        return ""
    first = missed[0]
    more = f" It misses {len(missed)} requirements; see the table." if len(missed) > 1 else ""
    return f"The outputs are right, but a requirement is missed. {requirement_text(first)}{more}"


def requirement_text(report: RequirementReport) -> str:
    """A sentence or two about one requirement of a report: the figure, the bound, the line."""
    name = counter_name(report.counter)
    bound = f"{bound_text(report.relation, report.bound)} required"
    if report.measured is None:
        return " ".join(filter(None, [f"{name}: {bound}.", report.message]))
    where = f", see line {report.line}" if report.line else ""
    return f"{name}: {report.measured:.6g} measured, {bound}{where}."


def measure(problem: Problem, case: Case, counter: Counter, sums: Sums) -> tuple[float, int | None]:
    """The figure of `counter` in a call on `case`, and the line that contributes most to it."""
    accesses = _both(sums.global_load, sums.global_store)
    needed = problem.bytes_moved.number(case.sizes)
    figures = {
        Counter.GLOBAL_SECTORS_PER_REQUEST: _per_request(accesses),
        Counter.GLOBAL_LOAD_SECTORS_PER_REQUEST: _per_request(sums.global_load),
        Counter.GLOBAL_STORE_SECTORS_PER_REQUEST: _per_request(sums.global_store),
        Counter.GLOBAL_SECTORS_RATIO: (_ratio(accesses.units, accesses.fewest), accesses.line),
        Counter.GLOBAL_BYTES_RATIO: (_ratio(_SECTOR_BYTES * accesses.units, needed), accesses.line),
        Counter.SHARED_WAVEFRONTS_PER_REQUEST: _per_request(sums.shared),
        Counter.SHARED_WAVEFRONTS_RATIO: (_ratio(sums.shared.units, sums.shared.fewest), sums.shared.line),
        Counter.SHARED_REQUESTS: (sums.shared.requests, sums.shared.line),
        Counter.DIVERGENT_BRANCHES: _per_request(sums.branch),
        Counter.ATOMIC_REQUESTS: (sums.atomic.requests, sums.atomic.line),
        Counter.ATOMIC_LANES_PER_ADDRESS: _per_request(sums.atomic),
        Counter.LAUNCHES: (sums.launches, None),
        Counter.BARRIERS_PER_BLOCK: (_ratio(sums.barriers, sums.blocks), None),
        Counter.SAVED_BYTES_RATIO: (_ratio(sums.saved_bytes, _given_bytes(problem, case)), None),
    }
    return figures[counter]


def holds(relation: Relation, figure: float, bound: float) -> bool:
    """Whether `figure` meets the bound, which is a decimal; the figure is a quotient of whole numbers."""
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
    problem: Problem, requirement: Requirement, case: Case, sums: Sums, lines: int
) -> RequirementReport:
    report = replace(_unchecked(requirement), case=case.name if case.public else "")
    if not sums.complete:
        return replace(report, state=RequirementState.MISSED, message=_TOO_MUCH)
    figure, line = measure(problem, case, requirement.counter, sums)
    met = holds(requirement.relation, figure, requirement.bound)
    return replace(
        report,
        state=RequirementState.MET if met else RequirementState.MISSED,
        measured=float(figure) if case.public else _rounded(figure, requirement.bound),
        line=line if not met and line is not None and line <= lines else None,
    )


def _worst(requirement: Requirement, reports: Sequence[RequirementReport]) -> RequirementReport:
    """The first of `reports` in which the requirement is missed, else the one nearest to the bound."""
    if not reports:
        return _unchecked(requirement)
    missed = [report for report in reports if report.state is RequirementState.MISSED]
    return missed[0] if missed else min(reports, key=lambda r: abs((r.measured or 0.0) - r.bound))


def _unchecked(requirement: Requirement) -> RequirementReport:
    return RequirementReport(
        requirement.counter, requirement.relation, requirement.bound, requirement.explanation
    )


def _per_request(found: Sum) -> tuple[float, int | None]:
    return _ratio(found.units, found.requests), found.line


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _given_bytes(problem: Problem, case: Case) -> int:
    """The bytes of the input arrays that Python programs are given, without parameters of modules."""
    given = call_of(problem).given.names
    return sum(
        bytes_of(argument, case.sizes)
        for argument in problem.arguments
        if argument.role is Role.IN and argument.name in given
    )


def _both(one: Sum, other: Sum) -> Sum:
    worst = max(one, other, key=lambda found: (found.units - found.fewest, found.units))
    return Sum(one.requests + other.requests, one.units + other.units, one.fewest + other.fewest, worst.line)


def _rounded(figure: float, bound: float) -> float:
    """`figure` to two digits, on the side of `bound` on which it is."""
    if figure == 0 or math.isclose(figure, bound, rel_tol=1e-9):
        return bound if figure else 0.0
    step = 10.0 ** (math.floor(math.log10(figure)) - _DIGITS + 1)
    rounded = (math.ceil if figure > bound else math.floor)(figure / step) * step
    return float(f"{rounded:.6g}")
