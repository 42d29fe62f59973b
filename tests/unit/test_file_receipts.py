"""Tests the dependencies of receipts for tests of the engine, and which tests they can cover."""

from pathlib import Path

import pytest

from tests import file_receipts, proof_state
from tests.file_receipts import TESTS, VERIFIED, FileReceipt, merged
from tests.proof_state import ROOT

FILES = [
    file
    for name in VERIFIED
    for file in ([TESTS / name] if name.endswith(".py") else sorted((TESTS / name).glob("test_*.py")))
]
KERNELS = TESTS / "integration" / "functional" / "test_kernels.py"


@pytest.mark.parametrize("name", VERIFIED)
def test_each_name_is_of_a_test(name: str) -> None:
    assert (TESTS / name).exists()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_covered_file_depends_on_files_alone(file: Path) -> None:
    source = file.read_text()
    assert "hypothesis" not in source
    assert "django_db" not in source
    imported = {module.relative_to(ROOT).parts[0] for module in file_receipts.modules_of(file)}
    assert not imported & {"web", "worker"}, "most changes of the site would stale its receipt"


@pytest.mark.parametrize(
    "changed",
    [
        "judge/wiring.py",  # imported by a fixture
        "sandbox/runner/cuda_runner.cpp",  # imported by nothing
        "deploy/requirements/nvcc.txt",
        "tests/integration/conftest.py",
        "tests/integration/functional/harness.py",
        "tests/integration/functional/kernels/counters.cu",
        "tests/integration/functional/test_kernels.py",
    ],
)
def test_what_a_test_uses_stales_its_receipt(monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    assert (ROOT / changed).is_file()
    assert state_after(monkeypatch, changed) != file_receipts.state_of(KERNELS)


@pytest.mark.parametrize(
    "changed",
    [
        "judge/gpu/target.py",
        "judge/proof/importing.py",
        "problems/placeholders.py",
        "problems/vector-add/statement.md",
        "sandbox/gpu/lease.py",
        "testing/services.py",
        "tests/integration/functional/test_races.py",
        "web/urls.py",
    ],
)
def test_nothing_else_does(monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    assert (ROOT / changed).is_file()
    assert state_after(monkeypatch, changed) == file_receipts.state_of(KERNELS)


def test_code_for_gpus_counts_for_tests_that_import_some(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = TESTS / "integration" / "sandbox" / "test_gpu_compile.py"
    for changed in ("sandbox/gpu/lease.py", "sandbox/runner/device_runner.cpp", "judge/wiring.py"):
        assert (ROOT / changed).is_file()
        assert state_after(monkeypatch, changed, compiled) != file_receipts.state_of(compiled)


def test_relative_imports_count() -> None:
    semantics = TESTS / "unit" / "translator" / "test_float_semantics.py"
    assert {semantics.with_name("forms_float.py"), semantics.with_name("harness.py")} <= (
        file_receipts.modules_of(semantics)
    )


def test_packages_count_for_tests_that_judge_them(monkeypatch: pytest.MonkeyPatch) -> None:
    starters = TESTS / "integration" / "problems" / "test_starters.py"
    before = file_receipts.state_of(starters)
    assert state_after(monkeypatch, "problems/vector-add/starter/cuda.cu", starters) != before


def test_a_run_adds_what_passed_and_removes_what_did_not() -> None:
    before = FileReceipt("1", ("a", "b"))
    assert merged(before, "1", {"b": "failed", "c": "passed", "d": "skipped"}) == FileReceipt("1", ("a", "c"))
    assert merged(before, "2", {"c": "passed"}) == FileReceipt("2", ("c",))


def test_a_receipt_covers_a_test_that_passed_in_the_same_state() -> None:
    receipt = FileReceipt("1", ("a",))
    assert receipt.covers("a", "1")
    assert not receipt.covers("a", "2")
    assert not receipt.covers("b", "1")


def test_each_receipt_belongs_to_a_file() -> None:
    assert {*file_receipts.RECEIPTS.glob("*.json")} <= {file_receipts.path_of(file) for file in FILES}


def state_after(monkeypatch: pytest.MonkeyPatch, changed: str, file: Path = KERNELS) -> str:
    """The state of `file` if the file `changed` had another content."""
    hashes = (proof_state.content_hash, file_receipts.raw_hash)
    for name, unchanged in zip(("content_hash", "raw_hash"), hashes, strict=True):
        monkeypatch.setattr(
            file_receipts,
            name,
            lambda at, unchanged=unchanged: b"" if at == ROOT / changed else unchanged(at),
        )
    state: str = file_receipts.state_of.__wrapped__(file)
    monkeypatch.undo()
    return state
