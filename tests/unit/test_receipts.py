"""What a receipt of a proof depends on: the meaning of the engine's sources, not their prose."""

from pathlib import Path

import pytest

from problems.loader import problems_root
from tests import receipts


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


def test_a_receipt_is_of_one_package_and_one_engine() -> None:
    folder = problems_root() / "vector-add"
    package, engine = receipts.package_hash(folder), receipts.engine_hash()
    assert receipts.Receipt(package, engine).is_of(folder)
    assert not receipts.Receipt("0" * 64, engine).is_of(folder)
    assert not receipts.Receipt(package, "0" * 64).is_of(folder)


def test_each_receipt_belongs_to_a_package() -> None:
    folders = {receipts.path_of(path.parent) for path in problems_root().glob("**/problem.toml")}
    assert {*receipts.RECEIPTS.glob("*.json")} <= folders


def meaning(folder: Path, name: str, source: str) -> bytes:
    path = folder / name
    path.write_text(source)
    return receipts.meaning(path)
