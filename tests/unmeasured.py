"""A pytest plugin that disables the tracer of coverage for tests that do not add to the coverage.

Theory of operation. `make test` measures `judge`, `sandbox` and `web.jobs`. The tracer is also called for
every line of Django and of the pages, which nearly doubles the time of a test of the site. Such a test also
runs lines of the measured packages, but the tests of those packages reach these lines anyway. The tests of
the deployment, of upkeep, of packages and of the benchmarks run hardly any measured lines. MEASURED names the
tests and folders of tests that reach more.

The tracer also doubles the time to collect the tests, in which hardly any code of these packages runs. So the
tracer is on only while their modules are imported.
"""

import sys
import threading
from collections.abc import Generator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).resolve().parent
PACKAGES = ("judge", "sandbox", "web.jobs")  # the measured packages
_PREFIXES = tuple(f"{package}." for package in PACKAGES)
FOLDERS = (
    *("e2e", "integration/helm", "integration/upkeep", "integration/web"),
    *("unit/benchmarks", "unit/deploy", "unit/problems", "unit/web"),
)
MEASURED = (
    "integration/web/test_databases.py",
    "integration/web/test_queues.py",
    "unit/problems/importing",  # judge.proof.importing
    "unit/web/authoring/test_proof_pages.py",
    "unit/web/authoring/test_proof_queue.py",
    "unit/web/authoring/test_proving.py",
    "unit/web/authoring/test_tutorial.py",
    "unit/web/cli/test_sets.py",
    "unit/web/test_background_jobs.py",
    "unit/web/test_console.py",
    "unit/web/test_demo.py",
    "unit/web/test_judging.py",
    "unit/web/test_queue_position.py",
    "unit/web/test_queues.py",
    "unit/web/test_wakeup.py",
    "unit/web/test_worker.py",
    "unit/web/test_worker_trouble.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without the tracer, but import the measured packages with it."""
    tracer, execute = sys.gettrace(), SourceFileLoader.exec_module
    if tracer is None:
        return (yield)

    def exec_module(loader: SourceFileLoader, module: ModuleType) -> None:
        before = sys.gettrace()
        sys.settrace(tracer if f"{module.__name__}.".startswith(_PREFIXES) else None)
        try:
            execute(loader, module)
        finally:
            sys.settrace(before)

    sys.settrace(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "exec_module", exec_module)
        try:
            return (yield)
        finally:
            sys.settrace(tracer)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test that is not measured, and its fixtures, without the tracer."""
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    if tracer is None or is_measured(item.path):
        return (yield)
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        threading.settrace(of_threads)
        sys.settrace(tracer)


def is_measured(path: Path) -> bool:
    """Whether the tests of this file count towards coverage."""
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
    return is_in(name, MEASURED) or not is_in(name, FOLDERS)


def is_in(name: str, places: tuple[str, ...]) -> bool:
    """Whether `name` is one of these files, or lies in one of these folders."""
    return name in places or name.startswith(tuple(f"{place}/" for place in places))
