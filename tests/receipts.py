"""A pytest plugin that repeats a proof only after a change of the package or the engine.

Theory of operation. Judging every shipped program takes most of the time of a whole test run. The outcome
depends only on the files of the package and on the engine. So the outcome is committed:
`problems/receipts/NAME.json` holds for each test a hash of the files and the engine that it depends on, and
what it recorded. A test with the marker `proof` runs only if

    its receipt is missing or has another hash: a change is proved again; or the test is in the sample of this
    run: one of SAMPLES tests, drawn at random. Of the proofs that judge all mutants of a package, the sample
    has one of SAMPLES * RARER.

The sample keeps receipts honest: within some runs, it finds a receipt that was forged or that holds on one
machine only. `make prove` runs the tests without a receipt, `make prove-all` runs every test, and both write
the receipts of what passed.

`tests.proof_state` says what a test depends on.
"""

import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from problems.loader import problems_root
from problems.schema import Problem
from tests.proof_state import ROOT, folder_of, judged_hash, package_hash, state_of, uses_of

RECEIPTS = ROOT / "problems" / "receipts"
SAMPLES = 20  # about eighty proofs in each run
RARER = 10  # factor by which proofs with all mutants of a package are rarer, because one takes minutes
LIMIT_S = 1200  # limit for one proof with all mutants of a package, which takes minutes on a busy machine
SAMPLE = "PROOF_SAMPLE"
PROVE = "PROVE"  # "all" tests, or the "missing" ones: their receipts are written
_CHECKS = "test_package"  # depends on texts too
_MUTANTS = "test_programs"
_PACKAGE = "package"
_STATE = "state"

Outcomes = Mapping[str, Mapping[str, Any]]
_seen: defaultdict[Path, dict[str, dict[str, Any] | None]] = defaultdict(dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The proofs of one package.

    `package` is the hash of all its files, and `judged` that of the files that affect verdicts. `proved` has,
    for each test, the hash of its dependencies and the recorded results, such as a verdict.
    """

    package: str
    judged: str
    proved: Outcomes = field(default_factory=dict)

    def covers(self, name: str, state: str) -> bool:
        """Return whether the test `name` passed in `state`, which is the hash of its dependencies."""
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
    """Return the path of the package's receipt. A problem and a template may have the same name."""
    inside = folder.relative_to(problems_root())
    return RECEIPTS / f"{'-'.join(inside.parts)}.json"


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and draw the sample once for all processes of this run."""
    config.addinivalue_line("markers", "proof: judges a package; skipped while a receipt covers it")
    os.environ.setdefault(SAMPLE, str(random.randrange(SAMPLES * RARER)))


def pytest_report_header() -> str:
    """Report the sample that this run proves."""
    if os.environ.get(PROVE):
        return f"proofs: {os.environ[PROVE]}"
    return f"proofs: those without a receipt, and sample {os.environ[SAMPLE]} of {SAMPLES * RARER} ({SAMPLE})"


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
    """Keep the results of a proof, in the process that writes receipts."""
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


def is_sampled(name: str) -> bool:
    """Return whether the test `name` is in the sample of this run. No test is while receipts are written."""
    samples = SAMPLES * RARER if name.startswith(_MUTANTS) else SAMPLES
    drawn = int(hashlib.sha256(name.encode()).hexdigest(), 16) - int(os.environ[SAMPLE])
    return not os.environ.get(PROVE) and drawn % samples == 0


def _in_receipt(item: pytest.Item) -> bool:
    state = str(dict(item.user_properties)[_STATE])
    return not is_sampled(item.name) and read(_package_of(item)).covers(item.name, state)


def _state_of(item: pytest.Item) -> str:
    """Return the state for a test: with the languages of its parameters, or all of its problem."""
    params = item.callspec.params  # type: ignore[attr-defined]  # only of parametrized tests
    problem: Problem = params["problem"]
    if "language" in params:
        languages = {params["language"]}
    else:
        solutions = [params["solution"]] if "solution" in params else problem.solutions
        languages = {solution.language for solution in solutions}
    texts = item.name.startswith(_CHECKS)
    return state_of(folder_of(problem), uses_of(problem, frozenset(languages), texts=texts))


def _package_of(item: pytest.Item) -> Path:
    """Return the folder of the package that a test judges, by its parameter `problem`."""
    return folder_of(item.callspec.params["problem"])  # type: ignore[attr-defined]  # of parametrized tests
