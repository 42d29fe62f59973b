"""Selects the mutants of a problem to try, deterministically for the same solutions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judge.proof.mutants.cuda import cuda_mutants
from judge.proof.mutants.mutant import Mutant, Operator
from judge.proof.mutants.triton import triton_mutants
from problems.schema import IgnoredMutant, Problem, Solution
from problems.vocabulary import Language, Verdict

# In a batch, each CUDA mutant takes milliseconds, and each Triton mutant about a second in the interpreter.
MOST_PER_SOLUTION = {Language.CUDA: 12, Language.TRITON: 6}
MOST_PER_OPERATOR = 3  # so that one kind of mistake does not dominate the score
_MAKERS = {Language.CUDA: cuda_mutants, Language.TRITON: triton_mutants}


@dataclass(frozen=True, slots=True)
class Family:
    """A solution's source, its mutants to try, and its mutants that the author declared equivalent.

    `unknown` are declarations that match no mutant, or a mutant of another line.
    """

    solution: Solution
    source: str
    mutants: tuple[Mutant, ...]
    ignored: tuple[tuple[Mutant, IgnoredMutant], ...]
    unknown: tuple[IgnoredMutant, ...]


def families_of(problem: Problem) -> Iterator[Family]:
    """Yield the family of every accepted solution in a language with operators."""
    for solution in problem.solutions:
        if solution.verdict is Verdict.ACCEPTED and solution.language in _MAKERS:
            yield _family(problem, solution)


def find_mutant(file: str, source: str, language: Language, name: str) -> Mutant | None:
    """Return the mutant `name` of a solution, or None if it does not exist."""
    made = _MAKERS[language](file, source) if language in _MAKERS else ()
    return next((mutant for mutant in made if mutant.name == name), None)


def _family(problem: Problem, solution: Solution) -> Family:
    source = solution.path.read_text(encoding="utf-8")
    made = {m.name: m for m in _MAKERS[solution.language](solution.path.name, source)}
    ignored: list[tuple[Mutant, IgnoredMutant]] = []
    unknown: list[IgnoredMutant] = []
    for entry in problem.mutants_ignored:
        if entry.file != solution.path.name:
            continue
        mutant = made.get(entry.mutant)
        if mutant is not None and mutant.line_text == entry.line.strip():
            ignored.append((made.pop(entry.mutant), entry))
        else:
            unknown.append(entry)
    chosen = choose(tuple(made.values()), MOST_PER_SOLUTION[solution.language])
    return Family(solution, source, chosen, tuple(ignored), tuple(unknown))


def choose(mutants: Sequence[Mutant], most: int) -> tuple[Mutant, ...]:
    """Select at most `most` of `mutants`: up to a maximum of each operator, from places far apart."""
    by_operator = {operator: [m for m in mutants if m.operator is operator] for operator in Operator}
    quotas = dict.fromkeys(Operator, 0)
    for _ in range(MOST_PER_OPERATOR):
        for operator, found in by_operator.items():
            if quotas[operator] < len(found) and sum(quotas.values()) < most:
                quotas[operator] += 1
    return tuple(
        mutant for operator, found in by_operator.items() for mutant in _spread(found, quotas[operator])
    )


def _spread(mutants: Sequence[Mutant], count: int) -> list[Mutant]:
    if count <= 1:
        return list(mutants[:count])
    return [mutants[round(index * (len(mutants) - 1) / (count - 1))] for index in range(count)]
