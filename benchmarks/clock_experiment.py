"""Measures how the gate times one kernel: `python -m benchmarks.clock_experiment [--rounds N] [--mps]`.

Needs CuPy, nvcc, and an NVIDIA GPU that no other process uses. Runs without containers. Times a float16
vector addition of 8192 x 8192, 4096 x 4096 and 1024 x 1024 elements, with the judge's own memory, page, sets,
gate and runner. Runner and referee are new processes in every round, because submissions also meet the
differences between processes (placement of memory, clocks, order of start). `--mps` starts an MPS daemon in a
folder of its own and measures under it.

Prints, for each figure and size, the median over the rounds and the spread (max - min) / median: the ranked
time; the time if the host is called when the gate is already open, which includes the launch; and the time of
the same kernel by CUDA events in the referee's own process, with a cold cache and back to back.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.judging import print_table
from judge.clock.calls import Calls
from judge.clock.contracts import CallGate, Policy, policy_for
from judge.clock.guard import NoGuard
from judge.clock.page import ClockOrders, create_page
from judge.clock.session import time_case
from judge.clock.sets import MemorySets, how_many_sets
from judge.report import Timing
from judge.runner.client import ReplyStatus, RunnerChannel
from judge.runner.memory import PrivateBytes
from problems.formula import Formula
from problems.loader import load_problem
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Dtype, Group, Role
from sandbox.gpu.compile.recipe import WRAPPED
from sandbox.gpu.runners import build_device_runner, cuda_runner_command
from sandbox.spec import Limits
from sandbox.toolchain import find_toolkit
from sandbox.wire import REPLY_BYTES

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory

ROOT = Path(__file__).resolve().parent.parent
FINISH = ROOT / "sandbox" / "gpu" / "compile" / "finish.cpp"
EXTENTS = (8192, 4096, 1024)
CONTENTS = 49
EVENTS = 60
SWEPT_BYTES = 192 << 20
TIMEOUT_S = 20.0
ROUND_TIMEOUT_S = 300
_STDERR = 2  # the number, because a test may have replaced sys.stderr by an object without one
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
ADDITION = "addition"
SOURCES = {ADDITION: SOURCE}

EVENT_SOURCE = r"""
#include <cuda_fp16.h>
extern "C" __global__ void add(const __half2* a, const __half2* b, __half2* c, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __hadd2(a[i], b[i]);
}
"""


def main() -> int:
    """Run the rounds, each in new processes, and print the table."""
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
    return 0


def build(folder: Path, sources: Mapping[str, str] = SOURCES) -> None:
    """Build the runner and the programs in `folder`. `sources` has their CUDA sources by name."""
    toolkit = find_toolkit()
    runner = build_device_runner(folder / "cache", toolkit)
    (folder / "runner").symlink_to(runner)
    flags = ["-std=c++17", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]
    wraps = [word for name in WRAPPED for word in ("-Xlinker", f"--wrap={name}")]
    for name, source in sources.items():
        (folder / f"{name}.cu").write_text(source)
        argv = [str(toolkit.nvcc), *flags, *wraps, f"{name}.cu", str(FINISH), "-o", f"{name}.so"]
        subprocess.run(argv, cwd=folder, check=True)


Figures = Mapping[str, float]


def rounds(count: int, folder: Path, environment: Mapping[str, str]) -> dict[int, list[Figures]]:
    """Return the figures of each round, by extent."""
    return repeated("benchmarks.clock_experiment", EXTENTS, count, folder, environment)


def repeated(
    module: str, numbers: Sequence[int], count: int, folder: Path, environment: Mapping[str, str]
) -> dict[int, list[Figures]]:
    """Return the figures that `module` prints for `--one NUMBER` in each of `count` rounds, by number.

    The numbers alternate, so that drift affects all of them.
    """
    found: dict[int, list[Figures]] = {number: [] for number in numbers}
    for turn in range(count):
        for number in numbers:
            argv = [sys.executable, "-m", module, "--one", str(number), "--build", str(folder)]
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
                raise SystemExit(f"round {turn}, --one {number}:\n{done.stdout}{done.stderr}")
            found[number].append(json.loads(done.stdout.splitlines()[-1]))
    return found


def report(title: str, found: Mapping[int, Sequence[Figures]]) -> None:
    """Print one table, with a line per estimator and two columns per size."""
    rows = [(title, *(f"{extent} x {extent}" for extent in found))]
    for name in next(iter(found.values()))[0]:
        cells = []
        for figures in found.values():
            middle, spread = middle_and_spread([one[name] for one in figures])
            cells.append(f"{middle:9.3f} us {100 * spread:6.2f} %")
        rows.append((name, *cells))
    print_table(rows)
    print()


def middle_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median of the values, and (max - min) / median."""
    middle = statistics.median(values)
    return middle, (max(values) - min(values)) / abs(middle) if middle else 0.0


def one_round(extent: int, folder: Path) -> dict[str, float]:
    """Measure every figure once, with a new runner and with this new process as the referee."""
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - needs CuPy, which only the rounds do

    problem, case = addition(extent)
    memory = DeviceMemory.open()
    contents = [draw(extent, seed) for seed in range(CONTENTS)]
    figures: dict[str, float] = {}
    with loaded(folder, ADDITION) as exchange:
        started = time.perf_counter()
        with timed_session(exchange, memory, problem, case, contents) as session:
            opened = time.perf_counter()
            found = session.ranked()
            timed = time.perf_counter()
            figures["RANKED"] = found.median_us
            figures["ranked, half of its interval"] = (found.high_us - found.low_us) / 2
            calls = session.calls()
            calls.queued = False
            calls.warm_up(0)
            figures["called by the host"] = statistics.median(map(calls.one, range(1, CONTENTS)))
        figures["ranked, sets made and opened"] = (opened - started) * 1e6
        figures["ranked, took"] = (timed - opened) * 1e6
    figures |= by_events(extent)
    figures["ranked / events, cold"] = figures["RANKED"] / figures["events, cold"]
    memory.close()
    return figures


def by_events(extent: int) -> dict[str, float]:
    """Return the times of the same kernel by CUDA events in this process."""
    import cupy  # noqa: PLC0415 - only the rounds need it

    kernel = cupy.RawKernel(EVENT_SOURCE, "add")
    arrays = [cupy.ones(extent * extent, cupy.float16) for _ in range(3)]
    junk = cupy.zeros(SWEPT_BYTES // 4, cupy.float32)
    pairs = extent * extent // 2

    def add() -> None:
        kernel((-(-pairs // 256),), (256,), (*arrays, np.int64(pairs)))

    def timed(work: Callable[[], None], before: Callable[[], object]) -> float:
        samples = []
        for _ in range(EVENTS):
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            before()
            start.record()
            work()
            end.record()
            end.synchronize()
            samples.append(1000 * float(cupy.cuda.get_elapsed_time(start, end)))
        return statistics.median(samples)

    def many() -> None:
        for _ in range(EVENTS):
            add()

    return {
        "events, cold": timed(add, junk.sum),
        "events, back to back": timed(many, lambda: None) / EVENTS,
    }


def addition(extent: int) -> tuple[Problem, Case]:
    """Return a float16 vector addition, and a case of `extent` squared elements."""
    n = Formula.parse("n")
    arrays = [Argument(name, Role.IN, Dtype.FLOAT16, shape=(n,)) for name in ("a", "b")]
    output = Argument("c", Role.OUT, Dtype.FLOAT16, shape=(n,), tolerance=Tolerance(1e-3, 1e-3))
    scalar = Argument("n", Role.SCALAR, Dtype.INT64, value=n)
    problem = load_problem(ROOT / "problems" / "vector-add")
    case = Case(f"{extent}x{extent}", Group.TIMED, {"n": extent * extent})
    arguments = (*arrays, output, scalar)
    return replace(problem, arguments=arguments, cases=(case,), bytes_moved=Formula.parse("6 * n")), case


def draw(extent: int, seed: int) -> dict[str, PrivateBytes]:
    """Return the contents of `addition`; see `draw_addition`."""
    return draw_addition(extent * extent, "float16", seed)


def draw_addition(count: int, dtype: str, seed: int) -> dict[str, PrivateBytes]:
    """Return the inputs and the expected outputs in device memory, as `MemorySets` takes them."""
    import cupy  # noqa: PLC0415 - only the rounds need it

    dice = cupy.random.default_rng(seed)
    a, b = (dice.random(count, dtype=np.float32).astype(dtype) for _ in range(2))
    expected = a.astype(cupy.float64) + b.astype(cupy.float64)
    cupy.cuda.Device().synchronize()
    return {name: array.view(cupy.uint8) for name, array in {"a": a, "b": b, "expected-c": expected}.items()}


@contextmanager
def running(runner: Path) -> Iterator[RunnerChannel]:
    """Start a new runner as a plain process, and yield a channel for requests to it."""
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
            raise SystemExit("the runner did not start")
        with RunnerChannel(ours, lambda: False) as exchange:
            yield exchange
            exchange.send_quit()
            process.wait(TIMEOUT_S)
    finally:
        ours.close()
        process.kill()
        process.wait()


@contextmanager
def loaded(folder: Path, program: str) -> Iterator[RunnerChannel]:
    """Start a new runner, and load a program that `build` has built in `folder`."""
    with running(folder / "runner") as exchange:
        require(exchange.prepare(timeout_s=TIMEOUT_S), "PREPARE")
        require(exchange.load((folder / f"{program}.so").read_bytes(), timeout_s=TIMEOUT_S), "LOAD")
        yield exchange


@dataclass(frozen=True, slots=True)
class Session:
    """An open timed session, under the judge's policy but without its least time."""

    orders: ClockOrders
    sets: MemorySets
    gate: CallGate
    policy: Policy

    def ranked(self) -> Timing:
        """Time the case as the judge does. Ends the round if the clock refuses the program."""
        found = time_case(self.orders, self.sets, self.gate, NoGuard(), self.policy, timeout_s=TIMEOUT_S)
        if not isinstance(found, Timing):
            raise SystemExit(f"the clock refused an honest program: {found}")
        return found

    def calls(self) -> Calls:
        """Return the clock's calls, before the warm-up."""
        dice, timeout_s = secrets.SystemRandom(), TIMEOUT_S
        return Calls(
            self.orders, self.sets, self.gate, NoGuard(), self.policy, timeout_s=timeout_s, dice=dice
        )


@contextmanager
def timed_session(
    exchange: RunnerChannel,
    memory: "DeviceMemory",
    problem: Problem,
    case: Case,
    contents: Sequence[Mapping[str, PrivateBytes]],
) -> Iterator[Session]:
    """Open a timed session with the loaded program. `contents` are as `MemorySets` takes them."""
    policy = policy_for(time_sliced="CUDA_MPS_PIPE_DIRECTORY" not in os.environ)
    policy = replace(policy, least_us=0.0)
    many = how_many_sets(problem, case, policy, free_bytes=memory.free_bytes)
    page = create_page()
    try:
        with (
            MemorySets(problem, case, memory, contents, many) as sets,
            contextlib.closing(memory.gate()) as gate,
            ClockOrders(page, exchange.hung_up) as orders,
        ):
            exchange.open_timing(page, sets.arguments, (gate.descriptor, *sets.descriptors), sets=sets.count)
            yield Session(orders, sets, gate, policy)
            orders.end()
            require(exchange.answer(timeout_s=TIMEOUT_S), "the end of TIME")
    finally:
        os.close(page)


def require(answer: ReplyStatus, what: str) -> None:
    """End the round unless the runner did what was requested."""
    if answer is not ReplyStatus.DONE:
        raise SystemExit(f"{what}: {answer}")


@contextmanager
def mps(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run a private MPS daemon. Yields the environment variables for its clients."""
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
