"""A small valid package on disk. Tests change one place at a time."""

from pathlib import Path

from problems.faults import PackageInvalid
from problems.loader import load_problem
from problems.schema import Problem

DESCRIPTION = """\
title = "Scale"
summary = "Multiply a matrix by a number."
difficulty = "easy"
tags = ["elementwise"]
track_day = 1
languages = ["cuda", "triton"]

[limits]
compile_s = 20
case_s = 5
memory_mib = 1024
source_kib = 32

[formulas]
bytes = "8 * rows * cols"
operations = "rows * cols"

[[arguments]]
name = "x"
role = "in"
dtype = "float32"
shape = ["rows", "cols"]

[[arguments]]
name = "y"
role = "out"
dtype = "float32"
shape = ["rows", "cols"]
tolerance = { relative = 1e-6, absolute = 1e-7, nan = false }

[[arguments]]
name = "count"
role = "scalar"
dtype = "int32"
value = "rows * cols"

[[cases]]
name = "example"
group = "sample"
sizes = { rows = 1, cols = 3 }
inputs = { x = [1, 2.5, -3] }

[[cases]]
name = "odd-one"
group = "odd"
sizes = { rows = 5, cols = 3 }

[[cases]]
name = "large-one"
group = "large"
sizes = { rows = 100, cols = 300 }

[[solutions]]
file = "plain.cu"
verdict = "accepted"
note = "One thread per element."

[[solutions]]
file = "plain.py"
verdict = "accepted"
note = "One program per block."

[[mutants_ignored]]
file = "plain.cu"
mutant = "off-by-one-launch-1"
line = "scale<<<blocks, 256>>>(x, y, count);"
reason = "The last block has nothing to do."
"""

STATEMENT = """\
Multiply `x` by two into `y`. There are `count` elements.

## Example

| `x` | 1, 2.5, -3 |
| `y` | 2, 5, -6 |

## Constraints

None.

## What bounds it

The memory.
"""

REFERENCE = """\
def generate(xp, rng, size):
    return {"x": rng.uniform(-10, 10, (size["rows"], size["cols"]))}


def reference(xp, x, count):
    return {"y": 2.1 * x}
"""

FILES = {
    "problem.toml": DESCRIPTION,
    "statement.md": STATEMENT,
    "reference.py": REFERENCE,
    "solutions/plain.cu": "// plain\n",
    "solutions/plain.py": "# plain\n",
}


def write_package(root: Path, *, slug: str = "scale", **replaced: str) -> Path:
    """Write the package below `root`; `replaced` gives other files by name, with `_` for `.` and `/`."""
    folder = root / slug
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(replaced.get(name.replace(".", "_").replace("/", "_"), text), encoding="utf-8")
    return folder


def edited(old: str, new: str) -> str:
    """Return the description with one place changed. The place must occur at least once."""
    assert old in DESCRIPTION, old
    return DESCRIPTION.replace(old, new, 1)


def load_edited(root: Path, old: str, new: str) -> Problem:
    """Load the package with its description edited."""
    return load_problem(write_package(root, problem_toml=edited(old, new)))


def faults_of(folder: Path) -> tuple[str, ...]:
    """Return the faults that the loader finds in the package in `folder`."""
    try:
        load_problem(folder)
    except PackageInvalid as error:
        return error.faults
    return ()
