"""Compares functional mode with a real GPU: `python -m benchmarks.functional_against_gpu [SLUG…]`.

Needs an NVIDIA GPU, nvcc, NumPy and CuPy. Run it after changes of the engine or of problems. The benchmark
compiles every shipped CUDA solution with nvcc, calls it on every case that is not timed, and compares all
elements with the reference. Each solution runs in its own process. The output shows the result of each
solution on the GPU next to the verdict of functional mode, and the share of accepted solutions that are
correct on the GPU. There is no isolation, so use the solutions of this repository only.
"""

import argparse
import ctypes
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from judge.dtypes import narrow, storage, widen
from judge.runner.comparison import compare
from judge.sizes import scalar_of, shape_of
from problems.binding import binding_cuda
from problems.loader import load_problem, problems_root
from problems.schema import Argument, Case, Problem, Solution, Tolerance
from problems.vocabulary import Group, Language, Role, Verdict

TIMEOUT_S = 60.0


def main() -> int:
    """Run all solutions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slugs", nargs="*", help="default: all problems")
    parser.add_argument("--one", nargs=2, metavar=("SLUG", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(run_one(options.one[0], options.one[1]))
        return 0
    root = problems_root()
    slugs = options.slugs or sorted(path.parent.name for path in root.glob("*/problem.toml"))
    jobs = [
        (problem, solution)
        for problem in (load_problem(root / slug) for slug in slugs)
        for solution in problem.solutions
        if solution.language is Language.CUDA and solution.verdict is not Verdict.TIME_LIMIT
    ]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda job: run_apart(*job), jobs))
    right: Counter[bool] = Counter()
    for (problem, solution), outcome in zip(jobs, outcomes, strict=True):
        accepted = solution.verdict is Verdict.ACCEPTED
        if accepted:
            right[outcome == "right"] += 1
        mark = "  " if accepted == (outcome == "right") else "!!"
        print(f"{mark} {problem.slug:20} {solution.path.name:34} {solution.verdict:15} {outcome}")
    print(f"accepted solutions that are right on the GPU: {right[True]} of {right.total()}")
    return 0


def run_apart(problem: Problem, solution: Solution) -> str:
    """Run `solution` on the GPU in a separate process and return its result."""
    argv = [sys.executable, "-m", "benchmarks.functional_against_gpu"]
    argv += ["--one", problem.slug, solution.path.name]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return "timed out"
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return f"died ({done.returncode}) {done.stderr.strip()[-120:]}"
    return lines[-1]


def run_one(slug: str, file: str) -> str:
    """Compile and run one solution in this process."""
    problem = load_problem(problems_root() / slug)
    source = problems_root() / slug / "solutions" / file
    with tempfile.TemporaryDirectory() as folder:
        library = build(problem, source, Path(folder))
        if library is None:
            return "does not compile"
        call = ctypes.CDLL(str(library)).warpcourt_call
        module = ModuleType("reference")
        exec(problem.reference, module.__dict__)
        for case in problem.cases:
            if case.group is not Group.TIMED:
                outcome = run_case(problem, case, module, call)
                if outcome != "right":
                    return f"{outcome} ({case.name})"
    return "right"


def build(problem: Problem, source: Path, folder: Path) -> Path | None:
    """Build the shared object of `source` with its binding. Return None if it does not compile."""
    (folder / "solution.cu").write_text(source.read_text())
    (folder / "binding.cu").write_text(binding_cuda(problem))
    argv = ["nvcc", "-std=c++17", "-O3", "--extended-lambda", "-arch=native", "-shared"]
    argv += ["-Xcompiler", "-fPIC", "-cudart", "shared", "-o", "solution.so", "binding.cu"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode else folder / "solution.so"


def run_case(problem: Problem, case: Case, module: Any, call: Callable[..., Any]) -> str:
    """Call the solution on one case."""
    import cupy  # noqa: PLC0415 - GPU hosts only

    hosts = draw(problem, case, module)
    devices = {name: cupy.asarray(array) for name, array in hosts.items()}
    scalars = {
        argument.name: narrow(np.array([scalar_of(argument, case)]), argument.dtype)
        for argument in problem.arguments
        if argument.role is Role.SCALAR
    }
    pointers = (ctypes.c_void_p * len(problem.arguments))(
        *(
            scalars[argument.name].ctypes.data
            if argument.name in scalars
            else devices[argument.name].data.ptr
            for argument in problem.arguments
        )
    )
    call(pointers)
    try:
        cupy.cuda.runtime.deviceSynchronize()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"error {error}"
    return judge(problem, case, module, hosts, {name: array.get() for name, array in devices.items()})


def draw(problem: Problem, case: Case, module: Any) -> dict[str, Any]:
    """Return host arrays for all array arguments. Outputs are filled with random bits."""
    rng = np.random.default_rng(1)
    drawn = dict(module.generate(np, rng, dict(case.sizes)))
    hosts = {}
    for argument in problem.arguments:
        if argument.role is Role.SCALAR:
            continue
        shape = shape_of(argument, case.sizes)
        if argument.role is Role.OUT:
            bits = rng.bytes(int(np.prod(shape)) * argument.dtype.itemsize)
            hosts[argument.name] = np.frombuffer(bits, storage(argument.dtype)).reshape(shape).copy()
        else:
            values = np.asarray(case.inputs.get(argument.name, drawn[argument.name]))
            hosts[argument.name] = narrow(values, argument.dtype).reshape(shape)
    return hosts


def judge(problem: Problem, case: Case, module: Any, before: dict[str, Any], after: dict[str, Any]) -> str:
    """Compare the inputs and outputs after the call with the expected ones."""
    given: dict[str, Any] = {}
    for argument in problem.arguments:
        if argument.role is Role.SCALAR:
            given[argument.name] = scalar_of(argument, case)
        elif argument.role is not Role.OUT:
            given[argument.name] = widen(before[argument.name], argument.dtype).copy()
    expected = module.reference(np, **given)
    for argument in problem.arguments:
        if argument.role is Role.IN and before[argument.name].tobytes() != after[argument.name].tobytes():
            return f"changed {argument.name}"
        if argument.role in {Role.OUT, Role.INOUT} and not matches(argument, case, expected, after):
            return f"wrong {argument.name}"
    return "right"


def matches(argument: Argument, case: Case, expected: dict[str, Any], after: dict[str, Any]) -> bool:
    """Return whether all elements of an output are within its tolerance."""
    wanted = np.asarray(expected[argument.name]).reshape(shape_of(argument, case.sizes))
    comparison = compare(
        argument.name,
        dtype=argument.dtype,
        got=after[argument.name],
        expected=wanted.astype(np.float64) if argument.dtype.is_float else wanted,
        poison=None,
        tolerance=argument.tolerance or Tolerance(),
    )
    return comparison.mismatched == 0


if __name__ == "__main__":
    sys.exit(main())
