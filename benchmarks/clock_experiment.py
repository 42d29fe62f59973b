"""Which estimator repeats best: `python -m benchmarks.clock_experiment [--rounds N] [--mps]`.

Needs an NVIDIA GPU to itself, CuPy and nvcc; no containers. Times a float16 vector addition of 8192 x 8192,
4096 x 4096 and 1024 x 1024 elements with the judge's own memory, page, sets and repetitions against the
judge's own runner. Both are fresh processes in every round, because what differs between processes (where
memory lies, clocks, who came first) is what a submission meets. `--mps` does it under an MPS daemon that it
starts in a folder of its own. Four rounds are meant to take less than a minute.

Prints, for each estimator and size, the median over the rounds and the spread (max - min) / median. Then how
much longer single calls take than those of a batch, with the sweep of the cache before go and without: the
least and the most over the rounds, as time and as a share. `Policy.gate_us` and `gate_share` must allow for
the most that the lower quartile shows with the sweep. "Room" is what that bound leaves under the batch: where
it is negative, an honest program's figure is lifted.
"""

import argparse
import contextlib
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.judging import print_table
from judge.clock.contracts import Null, Policy, policy_for
from judge.clock.guard import NoGuard
from judge.clock.null import lower_quartile, measure_null, timed_us
from judge.clock.page import Orders, create_page
from judge.clock.repetitions import Repetitions
from judge.clock.session import time_case
from judge.clock.sets import MemorySets, how_many_sets
from judge.conversation import Answer, Exchange
from judge.memory import Contents, Memory
from judge.report import Timing
from problems.formula import Formula
from problems.loader import load_problem
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Dtype, Group, Language, Role
from sandbox.gpu.compile.recipe import WRAPPED
from sandbox.gpu.runners import build_device_runner, cuda_runner_command
from sandbox.spec import Limits
from sandbox.toolchain import find_toolkit
from sandbox.wire import REPLY_BYTES

ROOT = Path(__file__).resolve().parent.parent
FINISH = ROOT / "sandbox" / "gpu" / "compile" / "finish.cpp"
EXTENTS = (8192, 4096, 1024)
CONTENTS = 4
BATCHES = 8
GATED = 48
SWEPT, UNSWEPT = "swept", "unswept"
BATCH = "batch 20 ms, median"
TIMEOUT_S = 20.0
ROUND_TIMEOUT_S = 300
_STDERR = 2  # by its number: a test may have put something without one in place of sys.stderr
SOURCE = r"""
#include <cuda_fp16.h>
__global__ void add(const __half2* a, const __half2* b, __half2* c, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __hadd2(a[i], b[i]);
}
extern "C" {
extern const char* const warpcourt_argument_names[];
const char* const warpcourt_argument_names[] = {"a", "b", "c", "n", nullptr};
void warpcourt_call(void* const* p) {
  long n = *(const long*)p[3] / 2;
  add<<<(n + 255) / 256, 256>>>((const __half2*)p[0], (const __half2*)p[1], (__half2*)p[2], n);
}
}
"""


def main() -> int:
    """Run the rounds, each in processes of its own, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--mps", action="store_true", help="under MPS")
    parser.add_argument("--one", type=int, metavar="EXTENT", help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_round(options.one, options.build)))
        return 0
    with tempfile.TemporaryDirectory(prefix="warpcourt-clock-") as folder:
        build(Path(folder))
        with mps(Path(folder)) if options.mps else contextlib.nullcontext(os.environ) as environment:
            found = rounds(options.rounds, Path(folder), environment)
        report("under MPS" if options.mps else "without MPS", found)
        report_excess(found)
    return 0


def build(folder: Path) -> None:
    """The runner and the program, in `folder`."""
    toolkit = find_toolkit()
    runner = build_device_runner(folder / "cache", toolkit)
    (folder / "runner").symlink_to(runner)
    (folder / "program.cu").write_text(SOURCE)
    flags = ["-std=c++17", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]
    wraps = [word for name in WRAPPED for word in ("-Xlinker", f"--wrap={name}")]
    argv = [str(toolkit.nvcc), *flags, *wraps, "program.cu", str(FINISH), "-o", "program.so"]
    subprocess.run(argv, cwd=folder, check=True)


Figures = Mapping[str, float]


def rounds(count: int, folder: Path, environment: Mapping[str, str]) -> dict[int, list[Figures]]:
    """What each round found, by extent. Sizes take turns, so that slow changes meet all of them."""
    found: dict[int, list[Figures]] = {extent: [] for extent in EXTENTS}
    for number in range(count):
        for extent in EXTENTS:
            words = ["--one", str(extent), "--build", str(folder)]
            argv = [sys.executable, "-m", "benchmarks.clock_experiment", *words]
            done = subprocess.run(
                argv,
                cwd=ROOT,
                env=dict(environment),
                capture_output=True,
                text=True,
                timeout=ROUND_TIMEOUT_S,
                check=False,
            )
            if done.returncode:
                raise SystemExit(f"round {number}, extent {extent}:\n{done.stdout}{done.stderr}")
            found[extent].append(json.loads(done.stdout.splitlines()[-1]))
    return found


def report(title: str, found: Mapping[int, Sequence[Figures]]) -> None:
    """One table: a line per estimator, a pair of columns per size."""
    rows = [(title, *(f"{extent} x {extent}" for extent in found))]
    for name in next(iter(found.values()))[0]:
        cells = []
        for figures in found.values():
            values = [one[name] for one in figures]
            middle = statistics.median(values)
            spread = (max(values) - min(values)) / abs(middle) if middle else 0.0
            cells.append(f"{middle:9.3f} us {100 * spread:6.2f} %")
        rows.append((name, *cells))
    print_table(rows)
    print()


def report_excess(found: Mapping[int, Sequence[Figures]]) -> None:
    """How much longer single calls take than those of a batch."""
    rows = [("single calls over batches", *(f"{extent} x {extent}" for extent in found))]
    for kind in (SWEPT, UNSWEPT):
        for estimator in ("min", "lower quartile", "median"):
            cells = []
            for figures in found.values():
                over_us = [one[f"gated, {kind}, {estimator}"] - one[BATCH] for one in figures]
                shares = [100 * us / one[BATCH] for us, one in zip(over_us, figures, strict=True)]
                as_time = f"{min(over_us):+.2f} to {max(over_us):+.2f} us"
                cells.append(f"{as_time}, {min(shares):+.2f} to {max(shares):+.2f} %")
            rows.append((f"{kind}, {estimator}", *cells))
    policy = Policy()
    room = []
    for figures in found.values():
        quartiles = [(one[f"gated, {SWEPT}, lower quartile"], one[BATCH]) for one in figures]
        least_us = min(
            batch - (gated * (1 - policy.gate_share) - policy.gate_us) for gated, batch in quartiles
        )
        room.append(f"{least_us:+.2f} us")
    rows.append(("room, at least", *room))
    print_table(rows)


def one_round(extent: int, folder: Path) -> dict[str, float]:
    """Every estimator once, with a fresh runner and this fresh process as the referee."""
    from judge.device.memory import DeviceMemory  # noqa: PLC0415 - needs CuPy, which only the rounds do

    problem, case = addition(extent)
    memory = DeviceMemory.open()
    policy = policy_for(Language.CUDA, time_sliced="CUDA_MPS_PIPE_DIRECTORY" not in os.environ)
    contents = [draw(extent, seed) for seed in range(CONTENTS)]
    figures: dict[str, float] = {}
    with running(folder / "runner") as exchange:
        require(exchange.prepare(timeout_s=TIMEOUT_S), "PREPARE")
        with session(exchange, None) as orders:
            null = measure_null(orders, memory, policy)
        figures["null, go to done"] = null.us
        figures["null, snapshot"] = null.snapshot_us(2 * extent**2)
        figures["sweep and wait"] = statistics.median(
            timed_us(orders, lambda: sweep(memory)) for _ in range(20)
        )
        require(exchange.load((folder / "program.so").read_bytes(), timeout_s=TIMEOUT_S), "LOAD")
        sizes = {"l2_bytes": memory.l2_bytes, "free_bytes": memory.free_bytes}
        many = how_many_sets(problem, case, policy, **sizes)
        with MemorySets(problem, case, memory, contents, many) as sets, session(exchange, sets) as orders:
            figures |= gated(repetitions_of(orders, sets, policy, null), SWEPT)
            figures |= estimators(orders, sets, policy, null, figures[f"gated, {SWEPT}, median"])
        with Unswept(problem, case, memory, contents, many) as sets, session(exchange, sets) as orders:
            figures |= gated(repetitions_of(orders, sets, policy, null), UNSWEPT)
        with MemorySets(problem, case, memory, contents, 1) as sets, session(exchange, sets) as orders:
            repetitions = repetitions_of(orders, sets, policy, null)
            samples = batches(repetitions, 20, figures[BATCH])
            figures["batch 20 ms, warm cache, median"] = statistics.median(ours for ours, _ in samples)
        started = time.perf_counter()
        with MemorySets(problem, case, memory, contents, many) as sets, session(exchange, sets) as orders:
            opened = time.perf_counter()
            found = time_case(orders, sets, NoGuard(), policy, null, timeout_s=TIMEOUT_S)
            if not isinstance(found, Timing):
                raise SystemExit(f"the clock refused an honest program: {found}")
            figures["RANKED"] = found.median_us
            figures["ranked, half of its interval"] = (found.high_us - found.low_us) / 2
            timed = time.perf_counter()
        figures["ranked, sets made and opened"] = (opened - started) * 1e6
        figures["ranked, took"] = (timed - opened) * 1e6
        figures["ranked, sets closed"] = (time.perf_counter() - timed) * 1e6
    memory.close()
    return figures


class Unswept(MemorySets):
    """Sets whose traces stay in the cache: how it was before the sweep."""

    def settle(self) -> None:
        """Leave the cache as it is."""


def sweep(memory: Memory) -> None:
    """What a sweep takes, when nothing else waits for it."""
    memory.settle()
    memory.synchronize()


def gated(repetitions: Repetitions, kind: str) -> dict[str, float]:
    """The estimators of single calls on rotating sets. Microseconds."""
    for _ in range(5):
        repetitions.gated(0)
    samples = [repetitions.gated(1 + index % (CONTENTS - 1)) for index in range(GATED)]
    return {
        f"gated, {kind}, min": min(samples),
        f"gated, {kind}, lower quartile": lower_quartile(samples),
        f"gated, {kind}, median": statistics.median(samples),
        f"gated, {kind}, trimmed": trimmed(samples),
    }


def estimators(
    orders: Orders, sets: MemorySets, policy: Policy, null: Null, expected_us: float
) -> dict[str, float]:
    """The estimators of batches on rotating sets. Microseconds for one call."""
    repetitions = repetitions_of(orders, sets, policy, null)
    expected_us = max(expected_us, 1.0)
    figures = {}
    repetitions.batch(max(1, round(20_000 / expected_us)), expected_us, [0])  # clocks settle
    for batch_ms in (5, 20):
        samples = batches(repetitions, batch_ms, expected_us)
        ours = [mine for mine, _ in samples]
        figures[f"batch {batch_ms} ms, median"] = statistics.median(ours)
        figures[f"batch {batch_ms} ms, min"] = min(ours)
        figures[f"batch {batch_ms} ms, trimmed"] = trimmed(ours)
        figures[f"batch {batch_ms} ms, events"] = statistics.median(theirs for _, theirs in samples)
    return figures


def repetitions_of(orders: Orders, sets: MemorySets, policy: Policy, null: Null) -> Repetitions:
    """Repetitions that are never discarded: an experiment wants to see everything."""
    lenient = replace(policy, copy_share=100.0, max_discards=1000)
    return Repetitions(
        orders, sets, NoGuard(), lenient, null, timeout_s=TIMEOUT_S, dice=secrets.SystemRandom()
    )


def batches(repetitions: Repetitions, batch_ms: float, expected_us: float) -> list[tuple[float, float]]:
    """Batches of about `batch_ms`: per call, ours and by events."""
    count = max(1, round(batch_ms * 1000 / expected_us))
    contents = range(1, CONTENTS)
    return [repetitions.batch(count, expected_us, contents) for _ in range(BATCHES)]


def trimmed(samples: Sequence[float]) -> float:
    """The mean of the middle half."""
    ordered = sorted(samples)
    quarter = len(ordered) // 4
    return statistics.fmean(ordered[quarter : len(ordered) - quarter])


def addition(extent: int) -> tuple[Problem, Case]:
    """Vector addition in float16, and a case of `extent` squared elements."""
    n = Formula.parse("n")
    arrays = [Argument(name, Role.IN, Dtype.FLOAT16, shape=(n,)) for name in ("a", "b")]
    output = Argument("c", Role.OUT, Dtype.FLOAT16, shape=(n,), tolerance=Tolerance(1e-3, 1e-3))
    scalar = Argument("n", Role.SCALAR, Dtype.INT64, value=n)
    problem = load_problem(ROOT / "problems" / "vector-add")
    case = Case(f"{extent}x{extent}", Group.TIMED, {"n": extent * extent})
    arguments = (*arrays, output, scalar)
    return replace(problem, arguments=arguments, cases=(case,), bytes_moved=Formula.parse("6 * n")), case


def draw(extent: int, seed: int) -> dict[str, Contents]:
    """Inputs and what is expected, in device memory, as `MemorySets` takes them."""
    import cupy  # noqa: PLC0415 - only the rounds need it

    dice = cupy.random.default_rng(seed)
    a, b = (dice.random(extent * extent, dtype=np.float32).astype(cupy.float16) for _ in range(2))
    expected = a.astype(cupy.float64) + b.astype(cupy.float64)
    cupy.cuda.Device().synchronize()
    return {name: array.view(cupy.uint8) for name, array in {"a": a, "b": b, "expected-c": expected}.items()}


@contextmanager
def running(runner: Path) -> Iterator[Exchange]:
    """A fresh runner as a plain process, and requests to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = cuda_runner_command(runner, limits=Limits(wall_s=300, cpu_s=300, memory_mib=4096), gpu=None)
    end = theirs.fileno()
    process = subprocess.Popen(
        ["bash", "-c", f'exec "{runner.resolve()}" 3<&{end}'],
        pass_fds=[end],
        env=os.environ | dict(command.environment),
        stdout=_STDERR,
    )
    theirs.close()
    try:
        if len(ours.recv(REPLY_BYTES)) != REPLY_BYTES:
            raise SystemExit("the runner did not come up")
        with Exchange(ours, lambda: False) as exchange:
            yield exchange
            exchange.send_quit()
            process.wait(TIMEOUT_S)
    finally:
        ours.close()
        process.kill()
        process.wait()


@contextmanager
def session(exchange: Exchange, sets: MemorySets | None) -> Iterator[Orders]:
    """A timed session over `sets`, or one of null calls."""
    page = create_page()
    try:
        with Orders(page, exchange.hung_up) as orders:
            exchange.open_timing(
                page,
                sets.arguments if sets else (),
                sets.descriptors if sets else (),
                sets=sets.count if sets else 1,
            )
            yield orders
            orders.end()
            require(exchange.answer(timeout_s=TIMEOUT_S), "the end of TIME")
    finally:
        os.close(page)


def require(answer: Answer, what: str) -> None:
    """Ends the round unless the runner did what it was asked for."""
    if answer is not Answer.DONE:
        raise SystemExit(f"{what}: {answer}")


@contextmanager
def mps(folder: Path) -> Iterator[Mapping[str, str]]:
    """An MPS daemon of our own; what its clients need in their environment."""
    pipes, logs = folder / "pipe", folder / "log"
    pipes.mkdir()
    logs.mkdir()
    environment = os.environ | {"CUDA_MPS_PIPE_DIRECTORY": str(pipes), "CUDA_MPS_LOG_DIRECTORY": str(logs)}
    subprocess.run(["nvidia-cuda-mps-control", "-d"], env=environment, check=True)
    try:
        yield environment
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["nvidia-cuda-mps-control"], input=b"quit\n", env=environment, check=False, timeout=30
            )


if __name__ == "__main__":
    raise SystemExit(main())
