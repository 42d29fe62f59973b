"""Checks that the light headers save time and change no code: `python -m benchmarks.light_headers [SLUG…]`.

Compiles each shipped CUDA solution with the steps of functional mode, once with nvcc's own headers and once
with the light headers (`sandbox.light_headers`). Prints the processor time of both, and the solutions that
compile to different PTX. Skips solutions that mention `std`, because the judge does not use light headers for
them.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from problems.binding import binding_cuda
from problems.loader import load_all
from problems.vocabulary import Language
from sandbox import light_headers
from sandbox.chains import SUBMISSION
from sandbox.cpu.recipe import CpuCompileRecipe, learn_recipe
from sandbox.nvcc_steps import SOURCE
from sandbox.toolchain import find_toolkit
from web.config import ROOT

KINDS = ("full", "light")
_LINES = re.compile(rb"^\s*\.(?:file|loc)\s.*$|^\s*\.b(?:8|32|64)\s.*$", re.MULTILINE)
STEPS = ("host_preprocess", "host_front", "device_preprocess", "device_front")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help="default: all shipped problems")
    wanted = parser.parse_args().slugs
    recipe = learn_recipe(find_toolkit())
    spent_s = {step: dict.fromkeys(KINDS, 0.0) for step in STEPS}
    compared, std, different = 0, 0, []
    for name, source, binding in _programs(wanted):
        if not light_headers.suffice(source.encode()):
            std += 1
            continue
        files = {**recipe.files, SUBMISSION: source, SOURCE: binding}
        ptx = [_compile(recipe, files, kind, spent_s) for kind in KINDS]
        compared += 1
        if len(set(ptx)) > 1:
            different.append(name)
    _print(spent_s, compared)
    print(f"\nsame PTX: {compared - len(different)} of {compared} solutions; {std} more mention std")
    for name in different:
        print(f"  different: {name}")
    return 1 if different else 0


def _programs(wanted: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The name, the source and the binding of each shipped CUDA solution."""
    for problem in load_all(ROOT / "problems"):
        if wanted and problem.slug not in wanted:
            continue
        for solution in problem.solutions:
            if solution.language is Language.CUDA:
                name = f"{problem.slug}/{solution.path.name}"
                yield name, solution.path.read_text(), binding_cuda(problem)


def _compile(
    recipe: CpuCompileRecipe, files: dict[str, str], kind: str, spent_s: dict[str, dict[str, float]]
) -> bytes:
    """Return the PTX without line numbers, or an empty string if `files` do not compile."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name, text in files.items():
            (work / name).write_text(text)
        if kind == "light":
            light_headers.write(work)
        for step in STEPS:
            argv = [word.replace("/work/", f"{folder}/") for word in recipe.steps[step]]
            before_s = _children_s()
            environment = {**os.environ, **recipe.environment}
            subprocess.run(argv, cwd=work, env=environment, capture_output=True, check=False)
            spent_s[step][kind] += _children_s() - before_s
        ptx = work / "binding.ptx"
        return _LINES.sub(b"", ptx.read_bytes()) if ptx.exists() else b""


def _children_s() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _print(spent_s: dict[str, dict[str, float]], compared: int) -> None:
    print(f"{'mean processor time, ms':<24}{'full':>8}{'light':>8}{'ratio':>8}")
    total = {kind: sum(kinds[kind] for kinds in spent_s.values()) for kind in KINDS}
    for step, kinds in [*spent_s.items(), ("together", total)]:
        full, light = (1000 * kinds[kind] / max(1, compared) for kind in KINDS)
        print(f"{step:<24}{full:8.0f}{light:8.0f}{light / full if full else 0:8.2f}")


if __name__ == "__main__":
    sys.exit(main())
