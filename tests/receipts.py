"""A pytest plugin: what a receipt proves is not proved again until the package or the engine changes.

Theory of operation. To judge every shipped program takes most of the time of a whole test run, and the
outcome depends on two things alone: the files of the package and the engine that judges. So the outcome is
committed: `problems/receipts/NAME.json` holds for each test a hash of the files and the engine that it
depends on, and what it recorded. A test with the marker `proof` runs only if

    its receipt is missing or has another hash: a change is proved again;
    or the test is in the sample of this run, one of SAMPLES, drawn at random.

The sample keeps receipts honest. A receipt that was forged, or that holds on one machine alone, is found
within a few runs. `make prove` runs the tests without a receipt, `make prove-all` runs every test, and both
write the receipts of what passed.

Verdicts of programs do not depend on texts, so a new wording of a statement repeats the checks of the
package alone. They depend on the engine of their languages: a change of Triton's interpreter leaves the
proofs of CUDA programs valid. The hash ignores docstrings, comments and layout of the engine's Python
sources. It covers the versions of compilers and libraries by the locks that install them.
"""

import ast
import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from problems.contents import read_folder
from problems.loader import problems_root
from problems.vocabulary import Language

ROOT = Path(__file__).resolve().parents[1]
RECEIPTS = ROOT / "problems" / "receipts"
SAMPLES = 6
LIMIT_S = 1200  # of one proof, which judges all mutants of a package; a busy machine takes minutes for it
SAMPLE = "PROOF_SAMPLE"
PROVE = "PROVE"  # "all" tests, or the "missing" ones: their receipts are written
# What no verdict on a CPU depends on.
_ELSEWHERE = (
    "judge/clock",
    "judge/evidence/profile.py",
    "judge/gpu",
    "sandbox/containers",
    "sandbox/gpu",
    "sandbox/runner/device_",
    "sandbox/runner/driver.h",
    "sandbox/runner/host_arrays.h",
    "sandbox/runner/vmm.py",
)
_TESTS = ("proofs", "solutions", "templates")
_LOCKS = ("run", "triton", "nvcc")
# What judges compiled programs alone, and what judges Python programs alone. The rest judges both.
_COMPILED = ("sandbox/cpu/", "deploy/requirements/nvcc.txt")
_COMPILED_RUNNERS = (".cpp", ".h")
_INTERPRETED = tuple(
    f"sandbox/runner/{name}.py"
    for name in (
        "gpu_semantics",
        "interpreter",
        "operators",
        "python_backward",
        "python_call",
        "triton_runner",
        "triton_submission",
    )
)

# What reads texts alone: no verdict of a program depends on it.
_READERS = (
    *(f"judge/proof/{name}.py" for name in ("accessibility", "hints", "statement_checks")),
    *(f"problems/{name}.py" for name in ("curriculum", "hints", "placeholders", "track", "translations")),
    "problems/quiz",
)
_TEXTS = (".md", ".svg", ".png")
_STARTERS = "starter/"
_CHECKS = "test_package"  # depends on texts too
_PACKAGE = "package"
_STATE = "state"

Outcomes = Mapping[str, Mapping[str, Any]]
_seen: defaultdict[Path, dict[str, dict[str, Any] | None]] = defaultdict(dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was proved of one package.

    `package` is the hash of all its files, and `judged` of those that verdicts depend on. `proved` has for
    each test the hash of what it depends on, and what it recorded, such as a verdict.
    """

    package: str
    judged: str
    proved: Outcomes = field(default_factory=dict)

    def covers(self, name: str, state: str) -> bool:
        """Whether the test `name` passed in `state`, the hash of what it depends on."""
        return self.proved.get(name, {}).get(_STATE) == state


@cache
def read(folder: Path) -> Receipt:
    """The receipt of the package in `folder`; an empty one if there is none."""
    path = path_of(folder)
    return Receipt(**json.loads(path.read_text())) if path.exists() else Receipt("", "")


def write(folder: Path, proved: Outcomes) -> None:
    """Write the receipt of the package in `folder`."""
    RECEIPTS.mkdir(exist_ok=True)
    receipt = Receipt(package_hash(folder), judged_hash(folder), dict(sorted(proved.items())))
    path_of(folder).write_text(json.dumps(asdict(receipt), indent=1) + "\n")


def path_of(folder: Path) -> Path:
    """Where the receipt of the package in `folder` lies. A problem and a template may have the same name."""
    inside = folder.relative_to(problems_root())
    return RECEIPTS / f"{'-'.join(inside.parts)}.json"


@cache
def package_hash(folder: Path) -> str:
    """The content hash of the package in `folder`."""
    return read_folder(folder).content_hash


@cache
def judged_hash(folder: Path) -> str:
    """The content hash of the files that verdicts depend on: all but texts, figures and starters."""
    contents = read_folder(folder)
    judged = {
        path: content
        for path, content in contents.files.items()
        if not path.endswith(_TEXTS) and not path.startswith(_STARTERS)
    }
    return replace(contents, files=judged).content_hash


def state_of(name: str, folder: Path, languages: Collection[Language]) -> str:
    """A SHA-256 over all that the test `name` of programs in `languages` depends on."""
    texts = name.startswith(_CHECKS)
    files = package_hash(folder) if texts else judged_hash(folder)
    engine = engine_hash(frozenset(languages), texts=texts)
    return hashlib.sha256(f"{files} {engine}".encode()).hexdigest()


@cache
def engine_hash(languages: frozenset[Language], *, texts: bool = False) -> str:
    """A SHA-256 over all that judges programs in `languages` on a CPU, with `texts` all that checks these."""
    digest = hashlib.sha256()
    for path in engine_files():
        if _judges(path, languages) or (texts and _reads_texts(path)):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + content_hash(path))
    return digest.hexdigest()


def engine_files() -> Iterator[Path]:
    """The sources of the engine, the tests that prove with it, and the locks of what it uses, in order."""
    for top in ("judge", "sandbox"):
        for path in sorted((ROOT / top).rglob("*")):
            inside = path.relative_to(ROOT).as_posix()
            if path.is_file() and "__pycache__" not in path.parts and not inside.startswith(_ELSEWHERE):
                yield path
    yield from sorted((ROOT / "problems").glob("*.py"))
    yield from (ROOT / "tests/integration/problems" / f"test_{name}.py" for name in _TESTS)
    yield from (ROOT / "deploy/requirements" / f"{name}.txt" for name in _LOCKS)


def _judges(path: Path, languages: Collection[Language]) -> bool:
    """Whether programs in `languages` are judged with the source `path`."""
    inside = path.relative_to(ROOT).as_posix()
    if _reads_texts(path):
        return False
    if inside.startswith(_COMPILED) or path.suffix in _COMPILED_RUNNERS:
        return Language.CUDA in languages
    return not inside.startswith(_INTERPRETED) or any(language is not Language.CUDA for language in languages)


def _reads_texts(path: Path) -> bool:
    return path.relative_to(ROOT).as_posix().startswith(_READERS)


@cache
def content_hash(path: Path) -> bytes:
    """The SHA-256 of what a source means."""
    return hashlib.sha256(meaning(path)).digest()


def meaning(path: Path) -> bytes:
    """The content of a source that can change what it does: of Python the syntax tree without docstrings."""
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


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and draw the sample once for all processes of this run."""
    config.addinivalue_line("markers", "proof: judges a package; skipped while a receipt covers it")
    os.environ.setdefault(SAMPLE, str(random.randrange(SAMPLES)))


def pytest_report_header() -> str:
    """Which sample this run proves."""
    if os.environ.get(PROVE):
        return f"proofs: {os.environ[PROVE]}"
    return f"proofs: those without a receipt, and sample {os.environ[SAMPLE]} of {SAMPLES} ({SAMPLE})"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that a receipt covers, unless all are to be proved or the sample has them."""
    proofs = [item for item in items if item.get_closest_marker("proof")]
    for item in proofs:
        item.user_properties.append((_PACKAGE, str(_package_of(item))))
        item.user_properties.append((_STATE, _state_of(item)))
        item.add_marker(pytest.mark.timeout(LIMIT_S))
    if os.environ.get(PROVE) == "all":
        return
    covered = {item for item in proofs if _in_receipt(item)}
    config.hook.pytest_deselected(items=[*covered])
    items[:] = [item for item in items if item not in covered]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep what a proof recorded, in the process that writes receipts."""
    recorded = dict(report.user_properties)
    if report.when == "call" and _PACKAGE in recorded:  # keywords would have parameters named `proof` too
        folder = Path(str(recorded.pop(_PACKAGE)))
        name = report.nodeid.rsplit("::", 1)[1].partition("@")[0]
        _seen[folder][name] = recorded if report.passed else None


def pytest_sessionfinish() -> None:
    """Write the receipts, in the process that has seen the reports of all."""
    if not os.environ.get(PROVE) or "PYTEST_XDIST_WORKER" in os.environ:
        return
    for folder, seen in _seen.items():
        before = read(folder)
        known = before.proved if before.judged == judged_hash(folder) else {}
        passed = {name: recorded for name, recorded in seen.items() if recorded is not None}
        write(folder, {name: recorded for name, recorded in known.items() if name not in seen} | passed)


def _in_receipt(item: pytest.Item) -> bool:
    drawn = int(hashlib.sha256(item.name.encode()).hexdigest(), 16) % SAMPLES
    sampled = not os.environ.get(PROVE) and drawn == int(os.environ[SAMPLE])
    return not sampled and read(_package_of(item)).covers(item.name, _state_of(item))


def _state_of(item: pytest.Item) -> str:
    return state_of(item.name, _package_of(item), _languages_of(item))


def _package_of(item: pytest.Item) -> Path:
    """The folder of the package that a test judges: that of its parameter `problem`."""
    problem = item.callspec.params["problem"]  # type: ignore[attr-defined]  # only of parametrized tests
    return problem.solutions[0].path.parents[1]


def _languages_of(item: pytest.Item) -> frozenset[Language]:
    """The languages of what a test judges: that of its parameters, or all of the problem."""
    params = item.callspec.params  # type: ignore[attr-defined]  # only of parametrized tests
    if "language" in params:
        return frozenset({params["language"]})
    solutions = [params["solution"]] if "solution" in params else params["problem"].solutions
    return frozenset(solution.language for solution in solutions)
