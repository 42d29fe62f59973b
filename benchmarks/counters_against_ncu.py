"""The counters of functional mode against the GPU's own: `python -m benchmarks.counters_against_ncu`.

    .venv/bin/python -m benchmarks.counters_against_ncu --engine-to counts.json              # without a GPU
    python3 -m benchmarks.counters_against_ncu --engine-from counts.json --out compared.json # on a GPU

The first step runs PROGRAMS in functional mode and writes what it counts, with sources and arguments. The
second step needs root, nvcc, Nsight Compute (ncu) and Python's standard library. It compiles each program
with the judge's options, calls it once under ncu on the same arguments, and prints both figures of each
counter. At the end it says how many kernels agree. It isolates nothing: it is for the programs of this
repository.

Each program has one kernel. A program agrees on a counter if the two figures, summed over its launches,
differ by at most 2 % of ncu's. Programs for which both figures are 0 do not count.

Functional mode executes PTX, and ncu counts SASS. So only some counters can agree. *Compared* are those that
follow from the addresses and the number of memory instructions, which ptxas usually keeps: requests and
sectors of global memory (also those of `cp.async`), instructions and wavefronts of shared memory, atomic
requests, the shared memory of a block, and the instructions `ldmatrix` and `cp.async`. The bar is that 57 of
60 kernels agree on all of these. *Reported only* are counters that ptxas or the hardware changes by design:

- Wavefronts and bank conflicts by the hardware's counters include conflicts with other traffic of the L1
  cache. The compared wavefronts are those that ncu computes for each instruction.
- Instructions that a warp executes with all lanes predicated off, as ptxas makes them of short branches. The
  metrics smsp__inst_executed_op_* count them. They also count three loads before asynchronous copies that no
  lane ever executes (`@!PT LDS RZ`, sm_90). The compared metrics, smsp__sass_inst_executed_op_*, count only
  instructions that a lane executes.
- Branches: ptxas replaces short branches by predicates, and functional mode counts selected branches only.
- Arithmetic (FMA, double precision, tensor cores) and textures: ptxas splits and combines instructions. ncu
  counts FMAs by thread, so its figure is divided by 32.

Compared counters can differ as well, for known reasons. ptxas makes a loop of a floating-point atomic
operation on shared memory. If the lanes of a warp leave a loop after different numbers of iterations,
functional mode takes the n-th executions of an instruction together. The hardware may execute them apart
after ptxas has unrolled the loop.

Functional mode counts neither all executed instructions nor the active lanes per instruction, so
`smsp__inst_executed` and `smsp__thread_inst_executed_per_inst_executed` have no counterpart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.counted_programs import PROGRAMS, CountedProgram, argument_file, read_programs, write_programs
from judge.evidence.profile import read_launches
from sandbox.gpu.profiler import installed
from sandbox.nvcc_steps import DIALECT

TOLERANCE = 0.02
BAR = (57, 60)  # 57 of 60 kernels
TIMEOUT_S = 60.0
_LAUNCHES = 1000
_HOST = Path(__file__).resolve().parent / "kernels" / "call_once.h"
_SASS = "smsp__sass_l1tex"
_EXECUTED = "smsp__sass_inst_executed_op"
_SHARED = "pipe_lsu_mem_shared"
_WAVEFRONTS = f"{_SASS}_data_pipe_lsu_wavefronts_mem_shared_op"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A counter of functional mode and the metrics of ncu whose sum it should equal.

    `compared` says whether the two can agree. Otherwise the figures are only reported. ncu's sum is divided
    by `divisor`. `largest` takes the largest figure of all launches instead of the sum. `source` tells apart
    two comparisons of one counter.
    """

    counter: str
    metrics: tuple[str, ...]
    compared: bool = True
    divisor: int = 1
    largest: bool = False
    source: str = ""

    @property
    def name(self) -> str:
        """The counter, with the source of ncu's figure if there are several."""
        return f"{self.counter} ({self.source})" if self.source else self.counter


COUNTERS = (
    # Loads include the asynchronous copies (LDGSTS).
    Comparison("global_load_requests", ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",)),
    Comparison("global_load_sectors", ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",)),
    Comparison("global_store_requests", ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",)),
    Comparison("global_store_sectors", ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",)),
    Comparison(
        "shared_requests",
        tuple(f"{_EXECUTED}_{kind}.sum" for kind in ("shared_ld", "shared_st", "ldsm", "ldgsts")),
    ),
    Comparison(
        "shared_wavefronts", tuple(f"{_WAVEFRONTS}_{kind}.sum" for kind in ("ld", "st", "ldsm", "ldgsts"))
    ),
    Comparison(
        "atomic_requests",
        tuple(f"{_EXECUTED}_{kind}.sum" for kind in ("global_atom", "global_red", "shared_atom")),
    ),
    Comparison(
        "shared_bytes_per_block",
        ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"),
        largest=True,
    ),
    Comparison("ldmatrix_instructions", (f"{_EXECUTED}_ldsm.sum",)),
    Comparison("async_copy_instructions", (f"{_EXECUTED}_ldgsts.sum",)),
    Comparison(
        "shared_wavefronts",
        tuple(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum" for kind in ("ld", "st")),
        compared=False,
        source="hardware",
    ),
    Comparison(
        "bank_conflicts",
        tuple(f"l1tex__data_bank_conflicts_{_SHARED}_op_{kind}.sum" for kind in ("ld", "st")),
        compared=False,
    ),
    Comparison("divergent_branches", ("smsp__sass_branch_targets_threads_divergent.sum",), compared=False),
    Comparison(
        "fma_instructions",
        ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",),
        compared=False,
        divisor=32,
    ),
    Comparison("double_instructions", ("smsp__inst_executed_pipe_fp64.sum",), compared=False),
    Comparison("tensor_instructions", ("smsp__inst_executed_pipe_tensor.sum",), compared=False),
    Comparison("texture_instructions", ("smsp__inst_executed_op_texture.sum",), compared=False),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """The figures of functional mode and of ncu for one counter and one kernel.

    `ncu` is None if ncu did not report the metric.
    """

    counter: str
    engine: float
    ncu: float | None
    compared: bool

    @property
    def used(self) -> bool:
        """Whether the kernel does what the counter counts."""
        return self.ncu is not None and bool(self.engine or self.ncu)

    @property
    def agrees(self) -> bool:
        """Whether functional mode's figure is within 2 % of ncu's."""
        return self.ncu is not None and abs(self.engine - self.ncu) <= TOLERANCE * self.ncu

    @property
    def percent(self) -> str:
        """How much larger functional mode's figure is."""
        if self.ncu is None:
            return "not reported"
        if self.ncu == 0:
            return "0 %" if self.engine == 0 else "all"
        return f"{100 * (self.engine - self.ncu) / self.ncu:+.1f} %"


@dataclass(frozen=True, slots=True)
class Compared:
    """One program: its differences, or the reason why there are none."""

    name: str
    kernel: str
    differences: tuple[Difference, ...] = ()
    failure: str = ""
    took_s: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether it uses compared counters, and all of them agree."""
        used = [one for one in self.differences if one.compared and one.used]
        return bool(used) and all(one.agrees for one in used)


@dataclass(frozen=True, slots=True)
class Gpu:
    """The environment of the second step: ncu, the metrics that it knows, and a folder for files."""

    ncu: Path
    metrics: tuple[str, ...]
    folder: Path


def main() -> int:
    """Run one of the two steps. The exit status of the second step says whether the bar is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    step = parser.add_mutually_exclusive_group(required=True)
    step.add_argument("--engine-to", type=Path, metavar="FILE", help="count in functional mode, write FILE")
    step.add_argument(
        "--engine-from", type=Path, metavar="FILE", help="compare the counts in FILE with ncu's"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the comparison as JSON")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose names contain TEXT")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=220.0, help="start no program after these")
    options = parser.parse_args()
    if options.engine_to:
        return _count(options.engine_to, [name for name in PROGRAMS if options.only in name], options.jobs)
    programs = [one for one in read_programs(options.engine_from) if options.only in one.name]
    return _compare(programs, options.jobs, time.monotonic() + options.seconds, options.out)


def _count(path: Path, names: list[str], jobs: int) -> int:
    from benchmarks.counters_in_engine import count_programs  # noqa: PLC0415 - needs NumPy and the problems

    counted: list[CountedProgram] = []
    failed = 0
    for found in count_programs(names, jobs=jobs):
        if isinstance(found, str):
            failed += 1
            print(f"NOT COUNTED {found}", flush=True)
        else:
            counted.append(found)
            print(f"{found.name}: {found.kernel}", flush=True)
    write_programs(path, counted)
    print(f"{len(counted)} programs are in {path} ({path.stat().st_size / 2**20:.1f} MiB), {failed} failed")
    return 1 if failed else 0


def _compare(programs: Sequence[CountedProgram], jobs: int, end: float, out: Path | None) -> int:
    results: list[Compared] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as compilers:
        gpu = _opened(Path(folder))
        built = [compilers.submit(_build, gpu, number, one) for number, one in enumerate(programs)]
        with ThreadPoolExecutor(jobs) as runners:
            waiting = zip(programs, built, strict=True)
            for result in runners.map(lambda pair: _compared(gpu, *pair, end=end), waiting):
                results.append(result)
                print_program(result)
                if out:
                    out.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n")
        for one in built:
            one.cancel()
    return print_summary(results)


def _opened(folder: Path) -> Gpu:
    """Find ncu. Omit metrics that this version does not know, because ncu would fail on them."""
    home = installed(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")))
    ncu = home / "ncu" if home else Path("ncu")
    try:
        done = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise SystemExit(f"{ncu} cannot be started: {error}. Install cuda-nsight-compute.") from error
    metrics = known_metrics(done.stdout)
    print(f"{ncu}: {len(metrics)} metrics")
    if not any(name.startswith("l1tex__") for name in metrics):
        raise SystemExit(f"ncu --query-metrics lists none of the metrics: {done.stdout[:500]} {done.stderr}")
    return Gpu(ncu, metrics, folder)


def known_metrics(listing: str) -> tuple[str, ...]:
    """Return the metrics of COUNTERS in the output of `ncu --query-metrics`.

    The output lacks launch metrics.
    """
    listed = {line.split()[0] for line in listing.splitlines() if line.strip()}
    wanted = dict.fromkeys(metric for comparison in COUNTERS for metric in comparison.metrics)
    return tuple(name for name in wanted if name.startswith("launch__") or name.partition(".")[0] in listed)


def _build(gpu: Gpu, number: int, program: CountedProgram) -> Path | str:
    """Compile `program` into a folder with its arguments, or return the reason for the failure."""
    folder = gpu.folder / str(number)
    folder.mkdir()
    (folder / "solution.cu").write_text(program.source, encoding="utf-8")
    (folder / "binding.cu").write_text(program.binding, encoding="utf-8")
    (folder / "call.cu").write_text(f'#include "binding.cu"\n#include "{_HOST}"\n', encoding="utf-8")
    (folder / "arguments").write_bytes(argument_file(program.arguments))
    argv = ["nvcc", *DIALECT, "-O3", "-lineinfo", "-arch=native", "-o", "call", "call.cu"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    return f"nvcc: {(done.stderr or done.stdout).strip()[-300:]}" if done.returncode else folder


def _compared(gpu: Gpu, program: CountedProgram, built: Future[Path | str], *, end: float) -> Compared:
    if time.monotonic() > end:
        return Compared(program.name, program.kernel, failure="not started: the time is over")
    folder = built.result()
    if isinstance(folder, str):
        return Compared(program.name, program.kernel, failure=folder)
    first = _profiled(gpu, program, folder)
    return _profiled(gpu, program, folder) if first.failure else first  # the counters may have been in use


def _profiled(gpu: Gpu, program: CountedProgram, folder: Path) -> Compared:
    started = time.monotonic()
    argv: list[str | Path] = [gpu.ncu, "--config-file", "off", "--target-processes", "application-only"]
    argv += ["--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw"]
    argv += ["--print-units", "base", "--print-fp", "--log-file", "counters"]
    argv += ["--metrics", ",".join(gpu.metrics), "./call", "arguments"]
    try:
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Compared(program.name, program.kernel, failure=f"ncu took more than {TIMEOUT_S:.0f} s")
    log = folder / "counters"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    differences = differences_of(program, text)
    said = f"exit status {done.returncode}: {text.strip()[-300:]} {done.stderr.strip()[-300:]}"
    failure = differences if isinstance(differences, str) else ""
    return Compared(
        program.name,
        program.kernel,
        () if isinstance(differences, str) else differences,
        f"{failure} ({said})" if failure else "",
        round(time.monotonic() - started, 2),
    )


def differences_of(program: CountedProgram, log: str) -> tuple[Difference, ...] | str:
    """Compare the counters of functional mode with the CSV of ncu, or return why that is impossible."""
    names = {metric: metric for comparison in COUNTERS for metric in comparison.metrics}
    lines = [line for line in log.splitlines() if not line.startswith("==")]
    launches = list(read_launches(lines, names, most=_LAUNCHES))
    if len(launches) != program.counts["launches"]:
        return f"functional mode launched {program.counts['launches']:.0f} kernels, ncu saw {len(launches)}"
    figures = [launch.metrics for launch in launches]
    return tuple(_difference(comparison, program.counts, figures) for comparison in COUNTERS)


def _difference(
    comparison: Comparison, counts: Mapping[str, float], launches: Sequence[Mapping[str, float]]
) -> Difference:
    if all(metric in launch for launch in launches for metric in comparison.metrics):
        each = [sum(launch[metric] for metric in comparison.metrics) for launch in launches]
        ncu = (max(each, default=0.0) if comparison.largest else sum(each)) / comparison.divisor
    else:
        ncu = None
    return Difference(comparison.name, counts[comparison.counter], ncu, comparison.compared)


def print_program(result: Compared) -> None:
    """Print a line for each counter that the kernel uses."""
    print(f"{result.name}, kernel {result.kernel}, {result.took_s:.1f} s", flush=True)
    if result.failure:
        print(f"  FAILED: {result.failure}", flush=True)
    for one in result.differences:
        if one.used or one.ncu is None:
            mark = " " if one.agrees else "!" if one.compared else "~"
            ncu = "" if one.ncu is None else f"{one.ncu:.0f}"
            print(f"  {mark} {one.counter:30}{one.engine:12.0f}{ncu:>12}  {one.percent}", flush=True)


def print_summary(results: Sequence[Compared]) -> int:
    """Print how many kernels agree, by counter and in total. Return the exit status."""
    done = [one for one in results if not one.failure]
    print(f"\n{'counter':32}{'kernels':>8}{'agree':>7}")
    for comparison in COUNTERS:
        found = [
            one
            for result in done
            for one in result.differences
            if one.counter == comparison.name and one.used
        ]
        agreeing = sum(one.agrees for one in found)
        verdict = "met" if meets_bar(agreeing, len(found)) else "MISSED"
        print(
            f"{comparison.name:32}{len(found):>8}{agreeing:>7}"
            f"  {verdict if comparison.compared else 'reported only'}"
        )
    agreeing = sum(one.agrees for one in done)
    met = len(done) >= BAR[1] and meets_bar(agreeing, len(done))
    print(f"{'all compared counters':32}{len(done):>8}{agreeing:>7}  {'met' if met else 'MISSED'}")
    failed = len(results) - len(done)
    print(f"The bar is {BAR[0]} of {BAR[1]} kernels, of at least {BAR[1]}. {failed} programs failed.")
    return 0 if met else 1


def meets_bar(agreeing: int, kernels: int) -> bool:
    """Return whether at least 57 of 60 `kernels` agree."""
    return agreeing * BAR[1] >= BAR[0] * kernels


if __name__ == "__main__":
    sys.exit(main())
