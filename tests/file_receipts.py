"""A pytest plugin that runs tests of the engine again only if a dependency of their file has changed.

Theory of operation. The outcome of these tests depends on files of this repository alone: the test file, all
modules outside the engine that it imports directly or indirectly, the engine (which starts programs inside
sandboxes that nothing imports), the locks of what is installed, and the data that VERIFIED names. Some
sources of the engine affect no verdict on a CPU. They count only for tests that import them, so most receipts
stay valid after a change of the code for GPUs or of the importers. Sources that read texts of packages count
only for tests that read packages. The code that starts services for tests never counts, because without
services, tests fail or are skipped. A receipt `tests/receipts/NAME.json` holds a hash over these files and
the version of Python, and the names of the tests that passed. As with proofs (`tests.receipts`), each run
also draws a random sample of the covered tests, and `make prove` writes the receipts.

A test does not depend on files alone if it measures time, draws at random, asks a database, or tests the
isolation by this machine's kernel. Such tests are not in VERIFIED, and neither are the unit tests on which
the coverage of the engine rests. A new or renamed test has no receipt, so it runs. A test that was skipped
runs too.
"""

import ast
import hashlib
import json
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.proof_state import ELSEWHERE, READERS, ROOT, content_hash
from tests.receipts import PROVE, is_sampled

TESTS = ROOT / "tests"
RECEIPTS = TESTS / "receipts"
PROOFS = TESTS / "integration" / "problems"  # `make prove` runs all of this folder
_TOPS = ("benchmarks", "deploy", "judge", "problems", "sandbox", "testing", "tests", "web", "worker")
SERVICES = ROOT / "testing" / "services.py"
_OF_ENGINE = ("judge/", "sandbox/", "problems/")
_CONTAINERS = "sandbox/containers"  # the code that starts services for tests imports it
PACKAGES = ("problems/*", "problems/*/**/*")
SETS = ("tests/sets/**/*",)
# Files and folders of tests, with patterns of the data that they read in addition to their own folder.
VERIFIED: dict[str, tuple[str, ...]] = {
    "integration/functional": (),
    "integration/judge/test_compile_errors.py": PACKAGES,
    "integration/judge/test_kernels_without_gpu.py": (),
    "integration/problems/test_binding.py": PACKAGES,
    "integration/problems/test_importing.py": (*PACKAGES, *SETS),
    "integration/problems/test_python_problems.py": SETS,
    "integration/problems/test_starters.py": PACKAGES,
    "integration/sandbox/test_device_runner.py": (),
    "integration/sandbox/test_gpu_compile.py": PACKAGES,
    "integration/sandbox/test_gpu_semantics.py": (),
    "integration/sandbox/test_oracle_runner.py": (),
    "integration/sandbox/test_python_runner.py": (),
    "integration/sandbox/test_triton_autotuning.py": (),
    "integration/sandbox/test_triton_device.py": (),
    "integration/sandbox/test_triton_frontend.py": (),
    "integration/sandbox/test_triton_races.py": (),
    "integration/sandbox/test_triton_runner.py": (),
    "integration/threats/test_compile.py": (),
    "integration/threats/test_engine.py": (),
    "integration/threats/test_programs.py": PACKAGES,
    "integration/threats/test_python.py": PACKAGES,
    "unit/problems/importing/test_gpu_mode.py": SETS,
    "unit/problems/importing/test_hostile_statements.py": SETS,
    "unit/problems/importing/test_kattis.py": SETS,
    "unit/problems/importing/test_kernel_bench.py": SETS,
    "unit/problems/importing/test_leetgpu.py": SETS,
    "unit/problems/importing/test_tensara.py": SETS,
    "unit/problems/importing/test_unusable_host.py": SETS,
    "unit/problems/quizzes/test_shipped.py": PACKAGES,
    "unit/problems/test_format.py": PACKAGES,
}
_ASKS_DATABASE = {"db", "transactional_db", "live_server"}


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """The names of the tests of a file that passed in `state`, which is a hash of the file's dependencies."""

    state: str = ""
    passed: tuple[str, ...] = ()

    def covers(self, name: str, state: str) -> bool:
        """Return whether the test `name` passed in `state`."""
        return self.state == state and name in self.passed


_seen: defaultdict[Path, dict[str, str]] = defaultdict(dict)  # outcomes by file and test


def is_verified(path: Path) -> bool:
    """Whether a receipt may cover the tests of this file."""
    return path.is_relative_to(TESTS) and _entry(path.relative_to(TESTS).as_posix()) is not None


def _entry(inside: str) -> tuple[str, ...] | None:
    return next(
        (data for name, data in VERIFIED.items() if inside == name or inside.startswith(f"{name}/")), None
    )


@cache
def state_of(path: Path) -> str:
    """Return a SHA-256 over all files that the tests of the file `path` depend on.

    Raises:
        ValueError: VERIFIED does not name the file.
    """
    data = _entry(path.relative_to(TESTS).as_posix())
    if data is None:
        raise ValueError(f"VERIFIED of tests/file_receipts.py does not name {path}")
    modules = modules_of(path) - {SERVICES}
    digest = hashlib.sha256(f"{sys.version_info[:2]} {platform.machine()}\n".encode())
    unused = _elsewhere(modules) + (() if PACKAGES[0] in data else READERS)
    for file in sorted({*_engine(unused), *modules}, key=_inside):
        digest.update(f"{_inside(file)}\0".encode() + content_hash(file))
    for file in sorted({*_beside(path.parent), *_matching(data)}):
        digest.update(f"{_inside(file)}\0".encode() + raw_hash(file))
    return digest.hexdigest()


def modules_of(path: Path) -> set[Path]:
    """Return the test file, its `conftest.py` files except the global one, and the modules that they import.

    Imports of engine modules are not followed, because the whole engine counts anyway. The fixtures of the
    global `conftest.py` only concern the site.
    """
    found: set[Path] = set()
    waiting = [path, *_conftests(path.parent)]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [] if _inside(module).startswith(_OF_ENGINE) else _imported(module)
    return found


@cache
def _inside(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _elsewhere(modules: set[Path]) -> tuple[str, ...]:
    """The prefixes of ELSEWHERE that do not count for a test with these modules."""
    used = {prefix for module in modules for prefix in ELSEWHERE if _inside(module).startswith(prefix)}
    return tuple(prefix for prefix in ELSEWHERE if prefix not in used) if used <= {_CONTAINERS} else ()


def _conftests(folder: Path) -> Iterator[Path]:
    while folder != TESTS:
        if (folder / "conftest.py").is_file():
            yield folder / "conftest.py"
        folder = folder.parent


@cache
def _imported(module: Path) -> frozenset[Path]:
    """Return the modules of this repository that `module` imports, anywhere in its source."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.relative_to(ROOT).parts[: -node.level] if node.level else ()
            origin = ".".join((*above, *filter(None, [node.module])))
            names.add(origin)
            names.update(f"{origin}.{alias.name}" for alias in node.names)
    return frozenset(file for name in names if name.partition(".")[0] in _TOPS for file in _files(name))


def _files(name: str) -> Iterator[Path]:
    """Yield the files that run when `name` is imported: those of its packages, and its own."""
    place = ROOT
    for part in name.split("."):
        place /= part
        yield from (file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file())


@cache
def raw_hash(file: Path) -> bytes:
    """The SHA-256 of data. Importers read docstrings, so all bytes of a Python source count here."""
    return hashlib.sha256(file.read_bytes()).digest()


@cache
def _engine(unused: tuple[str, ...]) -> frozenset[Path]:
    """The files of the engine without the prefixes `unused`, and the locks of what is installed."""
    folders = ("judge", "sandbox", "problems/importing")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if _counts(file)]
    files += (ROOT / "problems").glob("*.py")
    locks = (ROOT / "deploy" / "requirements").glob("*.txt")
    return frozenset([*(file for file in files if not _inside(file).startswith(unused)), *locks])


def _beside(folder: Path) -> Iterator[Path]:
    """Return the data files in the folder of a test file."""
    return (file for file in folder.rglob("*") if _counts(file) and file.suffix != ".py")


@cache
def _matching(patterns: tuple[str, ...]) -> frozenset[Path]:
    found = (file for pattern in patterns for file in ROOT.glob(pattern) if _counts(file))
    return frozenset(file for file in found if not file.is_relative_to(ROOT / "problems" / "receipts"))


def _counts(file: Path) -> bool:
    return "__pycache__" not in file.parts and file.is_file()


def path_of(path: Path) -> Path:
    """Return the path of the receipt of the test file `path`."""
    return RECEIPTS / f"{'-'.join(path.relative_to(TESTS).with_suffix('').parts)}.json"


@cache
def read(path: Path) -> FileReceipt:
    """Return the receipt of the test file `path`, or an empty one."""
    at = path_of(path)
    if not at.exists():
        return FileReceipt()
    kept = json.loads(at.read_text())
    return FileReceipt(kept["state"], tuple(kept["passed"]))


def merged(before: FileReceipt, state: str, outcomes: dict[str, str]) -> FileReceipt:
    """Return the receipt after a run in `state` with these outcomes.

    Tests that did not run keep a valid receipt.
    """
    known = {name for name in before.passed if name not in outcomes} if before.state == state else set()
    passed = {name for name, outcome in outcomes.items() if outcome == "passed"}
    return FileReceipt(state, tuple(sorted(known | passed)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that a receipt covers, and in `make prove` those that no receipt ever covers."""
    left_out = {item for item in items if _is_left_out(item)}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def _is_left_out(item: pytest.Item) -> bool:
    if not is_verified(item.path):
        return PROVE in os.environ and PROOFS not in item.path.parents
    if os.environ.get(PROVE) == "all" or _ASKS_DATABASE & {*getattr(item, "fixturenames", ())}:
        return False
    covered = read(item.path).covers(_name(item.nodeid), state_of(item.path))
    return covered and not is_sampled(item.nodeid)


def _name(nodeid: str) -> str:
    """Return the name of a test inside its file, without the group that xdist appends."""
    inside = nodeid.split("::", 1)[1]
    return inside.rpartition("]")[0] + "]" if "]" in inside else inside.partition("@")[0]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the outcome of a test of the engine: the worst of its set-up, call and teardown."""
    if os.environ.get(PROVE) and is_verified(file := ROOT / report.nodeid.split("::", 1)[0]):
        seen, name = _seen[file], _name(report.nodeid)
        if seen.get(name, "passed") == "passed":
            seen[name] = report.outcome


def pytest_sessionfinish() -> None:
    """Write the receipts, in the process that has seen the reports of all."""
    if not os.environ.get(PROVE) or "PYTEST_XDIST_WORKER" in os.environ:
        return
    RECEIPTS.mkdir(exist_ok=True)
    for file, outcomes in _seen.items():
        receipt = merged(read(file), state_of(file), outcomes)
        path_of(file).write_text(json.dumps(asdict(receipt), indent=1) + "\n")
