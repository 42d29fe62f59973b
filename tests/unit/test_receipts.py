"""What a receipt of a proof depends on: the meaning of the engine's sources, not their prose."""

import shutil
from pathlib import Path

import pytest

from problems.loader import problems_root
from problems.vocabulary import Language
from tests import receipts

CUDA = frozenset({Language.CUDA})


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
    names = {path.relative_to(receipts.ROOT).as_posix() for path in receipts.engine_files()}
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
        ("statement.md", {"test_package"}),
        ("hints/1.md", {"test_package"}),
        ("starter/cuda.cu", {"test_package"}),
        ("reference.py", {"test_package", "test_programs", "test_solution"}),
        ("problem.toml", {"test_package", "test_programs", "test_solution"}),
        ("solutions/plain.cu", {"test_package", "test_programs", "test_solution"}),
    ],
)
def test_texts_stale_the_checks_of_the_package_alone(tmp_path: Path, changed: str, stale: set[str]) -> None:
    before = copy_of(tmp_path / "before")
    after = copy_of(tmp_path / "after")
    with (after / changed).open("a") as file:
        file.write("\n")
    states = {
        name: [receipts.state_of(f"{name}[x]", folder, CUDA) for folder in (before, after)]
        for name in ("test_package", "test_programs", "test_solution")
    }
    assert {name for name, (one, other) in states.items() if one != other} == stale


@pytest.mark.parametrize(
    ("changed", "languages"),
    [
        ("sandbox/runner/gpu_semantics.py", {Language.TRITON, Language.PYTHON}),
        ("sandbox/cpu/runtime/races.cpp", {Language.CUDA}),
        ("sandbox/runner/cuda_runner.cpp", {Language.CUDA}),
        ("judge/evaluate.py", {*Language}),
        ("sandbox/runner/oracle_runner.py", {*Language}),
        ("problems/placeholders.py", set()),
    ],
)
def test_a_change_stales_the_proofs_of_the_languages_that_it_judges(
    monkeypatch: pytest.MonkeyPatch, changed: str, languages: set[Language]
) -> None:
    hashes = {language: receipts.engine_hash.__wrapped__(frozenset({language})) for language in Language}
    unchanged = receipts.content_hash

    def content_hash(path: Path) -> bytes:
        return b"changed" if path == receipts.ROOT / changed else unchanged(path)

    monkeypatch.setattr(receipts, "content_hash", content_hash)
    now = {language: receipts.engine_hash.__wrapped__(frozenset({language})) for language in Language}
    assert {language for language in Language if hashes[language] != now[language]} == languages


def test_each_receipt_belongs_to_a_package() -> None:
    folders = {receipts.path_of(path.parent) for path in problems_root().glob("**/problem.toml")}
    assert {*receipts.RECEIPTS.glob("*.json")} <= folders


def meaning(folder: Path, name: str, source: str) -> bytes:
    path = folder / name
    path.write_text(source)
    return receipts.meaning(path)


def copy_of(folder: Path) -> Path:
    shutil.copytree(problems_root() / "vector-add", folder)
    return folder
