"""Precompiles what the host half of every submission starts with.

After cudafe++ every file begins with the same text: the CUDA headers that nvcc includes by itself, more
than 95 % of a small program. g++ reads it once here; the compile driver then hands it only the rest. When
a file starts differently the driver compiles the whole of it, so this is never more than a short cut.
"""

import os
import subprocess
from pathlib import Path

from sandbox.cpu.recipe import SOURCE, Recipe

PREFIX = "prefix.h"
FRONT_OUTPUT = "binding.cudafe1.cpp"
_STEP_TIMEOUT_S = 120.0
# Two programs that share nothing but what nvcc adds.
_PROBES = ("int warpcourt_first;\n", "\n\n\nvoid warpcourt_second() {}\n")


def precompile_prefix(recipe: Recipe, folder: Path, scratch: Path) -> None:
    """Write `prefix.h` and its precompiled form into `folder`. Raises CalledProcessError."""
    prefix = common_prefix([_front_output(recipe, probe, scratch) for probe in _PROBES])
    (folder / PREFIX).write_text(prefix)
    compiler, *flags = recipe.steps["host_compile"]
    kept = [flag for flag in flags if flag not in ("-c", "-o", "host.o", FRONT_OUTPUT, "-x", "c++")]
    header = ["-x", "c++-header", str(folder / PREFIX), "-o", str(folder / f"{PREFIX}.gch")]
    _run(recipe, [compiler, *kept, *header], scratch)


def common_prefix(texts: list[str]) -> str:
    """What all `texts` start with, up to the end of a line."""
    prefix = os.path.commonprefix(texts)  # noqa: RUF071 - characters are meant
    return prefix[: prefix.rfind("\n") + 1]


def _front_output(recipe: Recipe, source: str, scratch: Path) -> str:
    (scratch / SOURCE).write_text(source)
    for name, text in recipe.files.items():
        (scratch / name).write_text(text)
    for step in ("host_preprocess", "host_front"):
        _run(recipe, recipe.steps[step], scratch)
    return (scratch / FRONT_OUTPUT).read_text()


def _run(recipe: Recipe, argv: list[str], scratch: Path) -> None:
    subprocess.run(
        argv,
        cwd=scratch,
        env=recipe.environment,
        capture_output=True,
        timeout=_STEP_TIMEOUT_S,
        check=True,
    )
