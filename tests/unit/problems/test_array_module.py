"""Tests that files of authors use the array module that they get."""

from pathlib import Path

import pytest

from tests.unit.problems.packages import faults_of, write_package

REFERENCE = """\
def generate(xp, rng, size):
    return {{"x": rng.normal(size=(size["rows"], size["cols"]))}}


def reference(xp, x, alpha, rows, cols):
    {imports}
    return {{"y": alpha * x}}
"""


@pytest.mark.parametrize(
    ("imports", "module"),
    [
        ("import numpy as np", "numpy"),
        ("import math, cupy", "cupy"),
        ("from numpy.linalg import norm", "numpy.linalg"),
    ],
)
@pytest.mark.parametrize("name", ["reference.py", "checker.py"])
def test_an_import_of_an_array_module_is_a_fault(
    tmp_path: Path, name: str, imports: str, module: str
) -> None:
    folder = write_package(tmp_path)
    (folder / name).write_text(REFERENCE.format(imports=imports))
    assert faults_of(folder) == (
        f"problems/scale/{name}: line 6 imports {module}; use xp, which is NumPy on a CPU and CuPy on a GPU",
    )


@pytest.mark.parametrize("imports", ["import math", "from .numpy import x", "pass  # numpy"])
def test_other_imports_are_none(tmp_path: Path, imports: str) -> None:
    folder = write_package(tmp_path)
    (folder / "reference.py").write_text(REFERENCE.format(imports=imports))
    assert faults_of(folder) == ()


def test_pytorch_may_come_with_numpy(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    description = folder / "problem.toml"
    description.write_text('oracle = "torch"\n' + description.read_text())
    (folder / "reference.py").write_text(REFERENCE.format(imports="import numpy"))
    assert faults_of(folder) == ()
