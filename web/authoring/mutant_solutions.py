"""Makes a wrong solution from a mutant of a proof: its file, its verdict, and a comment to continue."""

from collections.abc import Collection
from dataclasses import dataclass

from judge.proof.mutants.mutant import Mutant, Operator
from judge.proof.mutants.selection import find_mutant
from judge.proof.results import MutantOutcome
from problems.vocabulary import Language, Verdict
from web.authoring.editing.solutions import SolutionRow
from web.authoring.models import ProofRun
from web.authoring.queries import read_revision
from web.authoring.recommending import proof_of

FOLDER = "solutions/"
_MISTAKES = {
    Operator.LAST_ELEMENT: "a bound is one too low, so that the last element is missing",
    Operator.SYNCHRONISATION: "a synchronisation is missing, so that threads use unfinished values",
    Operator.INDEX: "two parts of an index are swapped",
    Operator.LAUNCH: "the launch has one block too few",
    Operator.DTYPE: "a value is rounded to a smaller type",
}
_SUFFIXES = {Language.CUDA: ".cu", Language.TRITON: ".py"}
_SIGNS = {Language.CUDA: "//", Language.TRITON: "#"}
_LONGEST_FILE = 60
_LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True)
class MadeSolution:
    """A row for the table of solutions, and its source. `survived`: no case of the proof fails it."""

    row: SolutionRow
    source: str
    survived: bool


def made_from(run: ProofRun, program: str, name: str) -> MadeSolution | None:
    """Return the solution that the mutant `name` of `program` makes, or None if the proof has no such mutant.

    A mutant that no case fails must get `wrong_answer`: the author adds the case that fails it.
    """
    proof = proof_of(run)
    tried = (
        next((m for m in proof.mutants if (m.program, m.name) == (program, name)), None) if proof else None
    )
    data = read_revision(run.revision).get(program) if tried else None
    if tried is None or data is None:
        return None
    file = program.removeprefix(FOLDER)
    mutant = find_mutant(file, data.decode("utf-8", "replace"), tried.language, name)
    return None if mutant is None else _made(mutant, tried)


def file_of(mutant: Mutant) -> str:
    """Return the name of the file of a solution that is made from `mutant`."""
    end = f"-{mutant.name}{_SUFFIXES[mutant.original.language]}"
    stem = mutant.original.file.split(".")[0][: _LONGEST_FILE - len(end)].rstrip("-_")
    return f"{stem}{end}"


def is_taken(made: MadeSolution, files: Collection[str]) -> bool:
    """Return whether `files`, paths of the workspace, already have that solution."""
    return f"{FOLDER}{made.row.file}" in files


def _made(mutant: Mutant, tried: MutantOutcome) -> MadeSolution:
    verdict = tried.verdict if tried.fails and tried.verdict else Verdict.WRONG_ANSWER
    mistake, sign = _MISTAKES[mutant.operator], _SIGNS[mutant.original.language]
    comment = (
        f"{sign} Wrong: {mistake}.\n"
        f"{sign} Made from {mutant.original.file}, line {mutant.line}: {mutant.change}\n"
    )
    note = f"{mistake[0].upper()}{mistake[1:]}: {mutant.change}."
    row = SolutionRow(None, file_of(mutant), verdict.value, note[:_LONGEST_NOTE])
    return MadeSolution(row, comment + mutant.program, survived=not tried.fails)
