"""Computes one hash over the dependencies of a proof: the files of its package and the sources that judge it.

Verdicts of programs do not depend on texts, so a new wording of a statement repeats only the checks of the
package. Verdicts depend on the parts of the engine for their language and for the features of their problem.
For example, a change of Triton's interpreter leaves the proofs of CUDA programs valid. The hash ignores
docstrings, comments and layout of the engine's Python sources. It covers the versions of compilers and
libraries by the locks that install them.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from functools import cache
from itertools import chain
from pathlib import Path

from problems.contents import read_folder
from problems.schema import Problem
from problems.vocabulary import Language

ROOT = Path(__file__).resolve().parents[1]


class Use(StrEnum):
    """A feature that only some proofs use."""

    CUDA = "cuda"
    TRITON = "triton"
    PYTHON = "python"
    LIBRARIES = "libraries"
    REQUIREMENTS = "requirements"  # the problem sets requirements on counters
    FIX = "fix"  # the problem gives a program to correct
    UNDER_TEST = "under test"  # submissions test programs
    RANKS = "ranks"  # programs consist of several processes
    TEXTS = "texts"  # the checks of the package, and the explanations of findings


_INTERPRETED = frozenset({Use.TRITON, Use.PYTHON})
# Sources that affect no verdict on a CPU: code for GPUs, importers of sets, and the reader of archives.
ELSEWHERE = (
    "judge/clock",
    "judge/evidence/profile.py",
    "judge/gpu",
    "judge/proof/examination.py",
    "judge/proof/importing.py",
    "problems/archive.py",
    "problems/importing",
    "sandbox/containers",
    "sandbox/gpu",
    "sandbox/runner/device_",
    "sandbox/runner/driver.h",
    "sandbox/runner/host_arrays.h",
    "sandbox/runner/vmm.py",
)
# Sources that read and check the texts of packages.
READERS = (
    "judge/proof/accessibility.py",
    "judge/proof/hints.py",
    "judge/proof/statement_checks.py",
    "problems/curriculum.py",
    "problems/hints.py",
    "problems/placeholders.py",
    "problems/quiz",
    "problems/track.py",
    "problems/translations.py",
)
# Sources that count in functional mode and write findings. They affect verdicts only through requirements.
COUNTING = (
    *(
        f"judge/evidence/{name}.py"
        for name in (
            *("cancellations", "counts", "launch_shapes", "occupancy", "rounded_sums", "spills", "sums"),
            "tails",
        )
    ),
    *(
        f"sandbox/cpu/runtime/{name}."
        for name in (
            *("alignment", "branches", "cancellation", "counters", "doubles", "executed", "footprint"),
            *("leaks", "needless_waits", "pageable_copies", "relays", "reuse", "rounded_sums"),
            *("small_launches", "spills", "sums", "tensor_cores", "trace", "traffic"),
        )
    ),
)
# Sources that some proofs use; the first prefix counts. All proofs use the other sources.
_USED_BY: tuple[tuple[str, frozenset[Use]], ...] = (
    *((prefix, frozenset({Use.REQUIREMENTS})) for prefix in COUNTING),
    ("deploy/requirements/nvcc.txt", frozenset({Use.CUDA})),
    ("judge/compiler/host_lines.py", frozenset({Use.TEXTS})),
    ("judge/compiler/source.py", frozenset({Use.TEXTS})),
    ("judge/kills.py", frozenset({Use.UNDER_TEST})),
    ("problems/fix.py", frozenset({Use.FIX})),
    ("problems/under_test.py", frozenset({Use.UNDER_TEST})),
    ("sandbox/cpu/libraries/", frozenset({Use.LIBRARIES})),
    ("sandbox/cpu/", frozenset({Use.CUDA})),
    ("sandbox/runner/gpu_semantics.py", _INTERPRETED),
    ("sandbox/runner/interpreter.py", _INTERPRETED),
    ("sandbox/runner/operators.py", _INTERPRETED),
    ("sandbox/runner/program_races.py", _INTERPRETED),
    ("sandbox/runner/python_backward.py", frozenset({Use.PYTHON})),
    ("sandbox/runner/python_call.py", frozenset({Use.PYTHON})),
    ("sandbox/runner/rank", frozenset({Use.RANKS})),
    ("sandbox/runner/rounded_sums.py", _INTERPRETED),
    ("sandbox/runner/triton_", _INTERPRETED),
)
_COMPILED = (".cpp", ".h")
_TESTS = ("proofs", "solutions", "templates")
_LOCKS = ("run", "triton", "nvcc")
_TEXT_FILES = (".md", ".svg", ".png")
_STARTERS = "starter/"


def uses_of(problem: Problem, languages: frozenset[Language], *, texts: bool) -> frozenset[Use]:
    """Return the features that a proof of programs of `problem` in `languages` uses.

    `texts`: it checks the whole package.
    """
    found = {Use(language.value) for language in languages}
    if problem.limits.libraries:
        found.add(Use.LIBRARIES)
    if problem.requirements:
        found.add(Use.REQUIREMENTS)
    if problem.fix is not None:
        found.add(Use.FIX)
    if problem.under_test is not None:
        found.add(Use.UNDER_TEST)
    if problem.ranks > 1:
        found.add(Use.RANKS)
    if texts:
        found.add(Use.TEXTS)
    return frozenset(found)


def state_of(folder: Path, uses: frozenset[Use]) -> str:
    """Return a SHA-256 over all dependencies of a proof of the package in `folder`."""
    files = package_hash(folder) if Use.TEXTS in uses else judged_hash(folder)
    return hashlib.sha256(f"{files} {engine_hash(uses)}".encode()).hexdigest()


def folder_of(problem: Problem) -> Path:
    """The folder of a shipped package."""
    return problem.solutions[0].path.parents[1]


@cache
def package_hash(folder: Path) -> str:
    """The content hash of the package in `folder`."""
    return read_folder(folder).content_hash


@cache
def judged_hash(folder: Path) -> str:
    """Return the content hash of the files that affect verdicts: all except texts, figures and starters."""
    contents = read_folder(folder)
    judged = {
        path: content
        for path, content in contents.files.items()
        if not path.endswith(_TEXT_FILES) and not path.startswith(_STARTERS)
    }
    return replace(contents, files=judged).content_hash


@cache
def engine_hash(uses: frozenset[Use]) -> str:
    """A SHA-256 over the sources that judge proofs with `uses` on a CPU."""
    digest = hashlib.sha256()
    for path in engine_files():
        users = _users_of(path)
        if not users or users & uses:
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + content_hash(path))
    return digest.hexdigest()


def engine_files() -> Iterator[Path]:
    """The sources of the engine, the tests that prove with it, and the locks of what it uses, in order."""
    found = chain.from_iterable(
        sorted(files)
        for files in (
            (ROOT / "judge").rglob("*"),
            (ROOT / "sandbox").rglob("*"),
            (ROOT / "problems").glob("*.py"),
        )
    )
    for path in found:
        inside = path.relative_to(ROOT).as_posix()
        if path.is_file() and "__pycache__" not in path.parts and not inside.startswith(ELSEWHERE):
            yield path
    yield from (ROOT / "tests/integration/problems" / f"test_{name}.py" for name in _TESTS)
    yield from (ROOT / "deploy/requirements" / f"{name}.txt" for name in _LOCKS)


def _users_of(path: Path) -> frozenset[Use]:
    """The uses that need a source; none if all proofs need it."""
    inside = path.relative_to(ROOT).as_posix()
    if inside.startswith(READERS):
        return frozenset({Use.TEXTS})
    for prefix, users in _USED_BY:
        if inside.startswith(prefix):
            return users
    return frozenset({Use.CUDA}) if path.suffix in _COMPILED else frozenset()


@cache
def content_hash(path: Path) -> bytes:
    """Return the SHA-256 of the meaning of a source."""
    return hashlib.sha256(meaning(path)).digest()


def meaning(path: Path) -> bytes:
    """Return the part of a source that affects its behaviour.

    For Python, this is the syntax tree without docstrings.
    """
    source = path.read_bytes()
    if path.suffix != ".py":
        return source
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body[0] = ast.Pass()
    return ast.dump(tree).encode()
