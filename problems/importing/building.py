"""Builds a package from the result of a format's reader and the sandbox's description. Executes nothing."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from problems.faults import PackageInvalid
from problems.importing.cases import Cases, plan_cases
from problems.importing.described import Described
from problems.importing.extracting import StartingSolution
from problems.importing.operations import operations_formula
from problems.importing.planning import Plan, plan
from problems.importing.reference import checker_text, examined_text, reference_text
from problems.importing.report import Imported, ImportedProblem, Refused
from problems.importing.statement import statement_text, summary_of
from problems.importing.toml import About, problem_toml
from problems.loader import load_problem
from problems.package import STARTER_FILES
from problems.placing import placing
from problems.schema import Problem
from problems.vocabulary import Difficulty, Language, Verdict

_EMPTY = "does-nothing"
_NOTE = "Does nothing. Written by the importer; replace it with your own solutions."


@dataclass(frozen=True, slots=True)
class ProblemSource:
    """A problem from a format's reader. None of its code has run.

    `files` are the author's Python files by import path. `constants` are constants for the adapter of
    `format`, as Python. `markdown` is the statement, and `starters` are starting programs by language. If the
    problem's own check cannot be expressed as a tolerance (`checks`), the package gets a checker.
    """

    format: str
    place: str
    slug: str
    files: Mapping[str, str]
    constants: Mapping[str, str]
    markdown: str
    difficulty: Difficulty = Difficulty.MEDIUM
    title: str = ""
    tags: tuple[str, ...] = ()
    figures: Mapping[str, bytes] = field(default_factory=dict)
    starters: Mapping[Language, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    solutions: tuple[StartingSolution, ...] = ()
    checks: bool = False

    @property
    def examined(self) -> str:
        """Return the text that the sandbox examines."""
        return examined_text(self.format, self.files, self.constants)


def build(
    source: ProblemSource,
    described: Described,
    *,
    scale: bool = False,
    zeroed: bool = False,
    without: Mapping[str, str] | None = None,
) -> Imported:
    """Build the package.

    With `scale`, timed cases that are too small are enlarged. With `zeroed`, all outputs start at zero.
    `without` maps cases to leave out to the reason.

    Raises:
        Refused: no package can be built. The message has the reason.
    """
    planned = plan(described, zeroed=zeroed)
    planned.warnings[:0] = source.warnings
    cases = plan_cases(planned, scale=scale, without=without)
    operations, counted = operations_formula(planned)
    if not counted:
        planned.warnings.append("formulas.operations counts the elements of the output: correct it")
    if not source.checks:
        planned.warnings.extend(
            f"{a.ours} is of dtype {a.view}, so its bits are compared exactly"
            for a in planned.arrays
            if a.view and a.written
        )
    title = source.title or described.title or source.slug
    python_alone = bool(described.modules) or described.call is not None
    languages = (Language.PYTHON,) if python_alone else tuple(Language)
    if described.modules:
        planned.warnings.append("its argument is a module, so the problem is for PyTorch only")
    file = f"{_EMPTY}{languages[0].suffix}"
    returns_nothing = described.call is not None and bool(described.call.returns)
    fails = Verdict.RUNTIME_ERROR if returns_nothing else Verdict.WRONG_ANSWER
    toml = problem_toml(
        planned,
        cases,
        About(title, summary_of(source.markdown), source.difficulty, ("imported", *source.tags), languages),
        solutions=[
            (file, fails.value, _NOTE),
            *((given.file, given.verdict.value, given.note) for given in source.solutions),
        ],
        operations=operations,
    )
    files = {
        "problem.toml": toml.encode(),
        "statement.md": statement_text(
            source.markdown, planned, cases, operations, checks=source.checks
        ).encode(),
        **_programs(source, planned, cases),
        f"solutions/{file}": b"placeholder\n",
        **{f"solutions/{given.file}": given.text.encode() for given in source.solutions},
        **{f"figures/{name}": content for name, content in source.figures.items()},
    }
    files[f"solutions/{file}"] = loaded(source.slug, files).starters[languages[0]].encode()
    for language, text in source.starters.items():
        if language in languages:
            files[f"starter/{STARTER_FILES[language]}"] = text.encode()
    loaded(source.slug, files)
    known = "only the set's own solution" if source.solutions else "no solutions"
    planned.warnings.append(f"it has {known}: add accepted and failing solutions, then prove the problem")
    entry = ImportedProblem.imported(source.place, source.slug, title, tuple(planned.warnings), cases.offered)
    return Imported(entry, files)


def _programs(source: ProblemSource, planned: Plan, cases: Cases) -> dict[str, bytes]:
    """Return reference.py, and checker.py if the problem needs one."""
    given = (source.format, source.files, source.constants, planned, cases)
    found = {"reference.py": reference_text(*given).encode()}
    return found | ({"checker.py": checker_text(*given).encode()} if source.checks else {})


def loaded(slug: str, files: Mapping[str, bytes]) -> Problem:
    """Load the problem from these files. Raises Refused with their faults."""
    with tempfile.TemporaryDirectory(prefix="warpcourt-import-") as scratch:
        folder = Path(scratch) / slug
        write_package(folder, files)
        try:
            return load_problem(folder)
        except PackageInvalid as error:
            shown = "; ".join(fault.removeprefix(f"problems/{slug}/") for fault in error.faults[:4])
            raise Refused(f"it does not convert to a valid package: {shown}") from error


def write_package(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a package into `folder`, which must not exist. Raises OSError."""
    with placing(folder) as place:
        for name, content in files.items():
            place.write(name, (content,))
