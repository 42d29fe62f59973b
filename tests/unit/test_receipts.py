"""Tests the dependencies of receipts of proofs: the meaning of the engine's sources, not their prose."""

import shutil
from pathlib import Path

import pytest

from problems.loader import load_problem, problems_root
from problems.vocabulary import Language
from tests import proof_state, receipts
from tests.proof_state import Use


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"""Adds."""\nx = 1\n', '"""Sums."""\nx = 1  # one\n'),
        ("def f(a):\n    'Old.'\n    return a\n", "def f( a ):\n    'New.'\n    return  a\n"),
        ("class A:\n    'Old.'\n", "class A:\n    'New.'\n"),
    ],
)
def test_prose_and_layout_do_not_count(tmp_path: Path, before: str, after: str) -> None:
    assert meaning(tmp_path, "a.py", before) == meaning(tmp_path, "a.py", after)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", "x = 1\n", "x = 2\n"),
        ("a.py", "def f():\n    return 'a'\n", "def f():\n    return 'b'\n"),
        ("a.py", "def f():\n    'Doc.'\n", "def f():\n    'Doc.'\n    g()\n"),
        ("a.cpp", "int x; // one\n", "int x; // two\n"),
    ],
)
def test_everything_else_counts(tmp_path: Path, name: str, before: str, after: str) -> None:
    assert meaning(tmp_path, name, before) != meaning(tmp_path, name, after)


def test_the_engine_holds_what_judges_on_a_cpu() -> None:
    names = {path.relative_to(proof_state.ROOT).as_posix() for path in proof_state.engine_files()}
    assert {"judge/evaluate.py", "sandbox/wire.py", "problems/schema.py"} <= names
    assert any(name.startswith("sandbox/cpu/translator/") for name in names)
    assert not any("__pycache__" in name or name.startswith(("judge/gpu", "judge/clock")) for name in names)


def test_a_receipt_covers_a_test_in_one_state() -> None:
    receipt = receipts.Receipt("", "", {"a": {"state": "1"}})
    assert receipt.covers("a", "1")
    assert not receipt.covers("a", "2")
    assert not receipt.covers("b", "1")


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ("statement.md", [True, False]),
        ("hints/1.md", [True, False]),
        ("starter/cuda.cu", [True, False]),
        ("reference.py", [True, True]),
        ("problem.toml", [True, True]),
        ("solutions/plain.cu", [True, True]),
    ],
)
def test_texts_stale_the_checks_of_the_package_alone(tmp_path: Path, changed: str, stale: list[bool]) -> None:
    before = copy_of(tmp_path / "before")
    after = copy_of(tmp_path / "after")
    with (after / changed).open("a") as file:
        file.write("\n")
    proofs = [frozenset({Use.CUDA, Use.TEXTS}), frozenset({Use.CUDA})]
    assert [
        proof_state.state_of(before, uses) != proof_state.state_of(after, uses) for uses in proofs
    ] == stale


@pytest.mark.parametrize(
    ("changed", "uses"),
    [
        ("sandbox/runner/gpu_semantics.py", {Use.TRITON, Use.PYTHON}),
        ("sandbox/runner/python_backward.py", {Use.PYTHON}),
        ("sandbox/cpu/libraries/fft.cpp", {Use.LIBRARIES}),
        ("sandbox/cpu/runtime/races.cpp", {Use.CUDA}),
        ("sandbox/cpu/runtime/traffic.cpp", {Use.REQUIREMENTS}),
        ("judge/evidence/occupancy.py", {Use.REQUIREMENTS}),
        ("sandbox/runner/cuda_runner.cpp", {Use.CUDA}),
        ("problems/fix.py", {Use.FIX}),
        ("problems/placeholders.py", {Use.TEXTS}),
        ("problems/archive.py", set()),
        ("judge/evaluate.py", {*Use}),
        ("sandbox/runner/oracle_runner.py", {*Use}),
    ],
)
def test_a_change_stales_the_proofs_that_use_it(
    monkeypatch: pytest.MonkeyPatch, changed: str, uses: set[Use]
) -> None:
    before = {use: proof_state.engine_hash.__wrapped__(frozenset({use})) for use in Use}
    unchanged = proof_state.content_hash

    def content_hash(path: Path) -> bytes:
        return b"changed" if path == proof_state.ROOT / changed else unchanged(path)

    monkeypatch.setattr(proof_state, "content_hash", content_hash)
    after = {use: proof_state.engine_hash.__wrapped__(frozenset({use})) for use in Use}
    assert {use for use in Use if before[use] != after[use]} == uses


@pytest.mark.parametrize(
    ("slug", "uses"),
    [
        ("vector-add", {Use.CUDA}),
        ("fix-tiled-product", {Use.CUDA, Use.FIX}),
        ("call-cublas", {Use.CUDA, Use.LIBRARIES, Use.REQUIREMENTS}),
        ("peer-swap", {Use.CUDA, Use.REQUIREMENTS}),
        ("write-the-tests", {Use.CUDA, Use.UNDER_TEST}),
    ],
)
def test_a_proof_uses_what_its_problem_declares(slug: str, uses: set[Use]) -> None:
    problem = load_problem(problems_root() / slug)
    assert proof_state.uses_of(problem, frozenset({Language.CUDA}), texts=False) == uses
    assert proof_state.uses_of(problem, frozenset({Language.CUDA}), texts=True) == uses | {Use.TEXTS}


def test_each_receipt_belongs_to_a_package() -> None:
    folders = {receipts.path_of(path.parent) for path in problems_root().glob("**/problem.toml")}
    assert {*receipts.RECEIPTS.glob("*.json")} <= folders


def meaning(folder: Path, name: str, source: str) -> bytes:
    path = folder / name
    path.write_text(source)
    return proof_state.meaning(path)


def copy_of(folder: Path) -> Path:
    shutil.copytree(problems_root() / "vector-add", folder)
    return folder


@pytest.mark.parametrize(
    ("name", "times"), [("test_solution[a-b.cu]", receipts.RARER), ("test_programs[a]", 1)]
)
def test_every_proof_is_in_some_samples(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    monkeypatch.delenv(receipts.PROVE, raising=False)
    drawn = 0
    for sample in range(receipts.SAMPLES * receipts.RARER):
        monkeypatch.setenv(receipts.SAMPLE, str(sample))
        drawn += receipts.is_sampled(name)
    assert drawn == times
