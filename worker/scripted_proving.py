"""Proofs of the scripted judge: nothing runs, and words in the reference give the findings.

`proof=fails` finds an error, `proof=breaks` is a reference that raises. `hold=proving` keeps the proof at its
second step while there is a file `hold-proving` in the runtime directory (see `worker.scripted`);
`hold=previewing` and `hold=importing` do the same with a preview, and with a set at each problem.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from judge.errors import OracleFailed
from judge.proof.importing import OnProblem
from judge.proof.preview import ArrayPreview, CaseWanted, Preview, wanted_case
from judge.proof.prove import OnProgress
from judge.proof.results import ProgramOutcome, Proof, error
from judge.report import ProgressEvent
from problems.contents import DESCRIPTION, read_folder
from problems.importing.report import Imported, ImportedProblem
from problems.schema import Problem, Solution
from problems.vocabulary import Step
from worker.scripted import hold


@dataclass(frozen=True, slots=True)
class Gate:
    """The folder of files that hold a job in a step, and the event that ends the wait."""

    folder: Path
    cancelled: Event

    def hold(self, reference: str, step: str) -> None:
        """Stay in `step` while its file exists, if the words of the reference request it."""
        hold(reference.split(), step, gates=self.folder, cancelled=self.cancelled)


def prove(problem: Problem, *, on_progress: OnProgress, gate: Gate) -> Proof:
    """Yield the findings that the words of the reference give, program by program."""
    outcomes = _outcomes(problem, problem.solutions, on_progress=on_progress, gate=gate)
    found = error("problem.toml: tolerance", "the reference asked for it", "take its word out")
    findings = (found,) if "proof=fails" in problem.reference.split() else ()
    return Proof(problem.slug, problem.version, findings, outcomes)


def try_solutions(problem: Problem, files: Sequence[str], *, on_progress: OnProgress, gate: Gate) -> Proof:
    """Give the solutions `files` their expected verdicts, with a line for the compiler's log."""
    chosen = [solution for solution in problem.solutions if solution.path.name in files]
    outcomes = _outcomes(problem, chosen, on_progress=on_progress, gate=gate)
    logged = tuple(replace(outcome, log=f"Compiled {outcome.program}.") for outcome in outcomes)
    return Proof(problem.slug, problem.version, (), logged)


def _outcomes(
    problem: Problem, solutions: Sequence[Solution], *, on_progress: OnProgress, gate: Gate
) -> tuple[ProgramOutcome, ...]:
    if "proof=breaks" in problem.reference.split():
        raise OracleFailed(f"{problem.slug}: loading reference.py: line 1: the reference asked for it")
    outcomes = []
    for index, solution in enumerate(solutions, start=1):
        name = f"solutions/{solution.path.name}"
        on_progress(ProgressEvent(Step.CHECKING, name, index, len(solutions)))
        if index == 2:
            gate.hold(problem.reference, "proving")
        verdict = solution.verdict
        outcomes.append(ProgramOutcome(name, solution.language, verdict, verdict, "", 1.0))
        on_progress(ProgressEvent(Step.CHECKED, f"{name}: {verdict}, as expected", index, len(solutions)))
    return tuple(outcomes)


def import_set(
    format_name: str,
    folder: Path,
    *,
    scale: bool,
    done: Sequence[ImportedProblem],
    on_problem: OnProblem,
    gate: Gate,
) -> Generator[Imported, None, None]:
    """Accept each folder that has a problem.toml as a package, unless it contains `refuse`."""
    places_done = {entry.place for entry in done}
    warnings = ("no case was enlarged",) if scale else ()
    found = sorted(path.parent for path in folder.rglob(DESCRIPTION))
    for number, place in enumerate(found, start=1):
        name = place.relative_to(folder).as_posix()
        if name in places_done:
            continue
        on_problem(number, len(found), name)
        contents = read_folder(place)
        gate.hold(contents.files.get("reference.py", b"").decode(), "importing")
        if (place / "refuse").exists():
            yield Imported(
                ImportedProblem.refused(name, place.name, f"{format_name}: the folder asked for it")
            )
        else:
            yield Imported(ImportedProblem.imported(name, place.name, place.name, warnings), contents.files)


def preview(problem: Problem, wanted: CaseWanted, *, gate: Gate) -> Preview:
    """Return the requested case, with one array of a single zero."""
    gate.hold(problem.reference, "previewing")
    case = wanted_case(problem, wanted)
    zero = ArrayPreview("zero", "input", "float32", (1,), 4, 0.0, 0.0, 0.0, 0, 0, ("0",))
    return Preview(case.name, case.group, case.sizes, wanted.seed or 1, 0.1, 0.2, 4, (zero,))
